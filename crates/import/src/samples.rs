//! What a file of samples holds: rows with a moment or without, each with the values of some metrics.

use crate::error::ImportError;
use crate::input::Input;
use crate::lines::{Line, Lines};
use crate::reading::Reading;
use std::path::Path;
use terms::Nanos;

/// Rows of one file: a sample a second for eleven days.
const ROWS_MAX: usize = 1_000_000;

/// Metrics that count from the start of a program on; the others are levels.
pub(crate) const COUNTERS: [&str; 6] =
    ["gc_young", "gc_full", "gc_concurrent", "gc_young_time", "gc_full_time", "gc_concurrent_time"];

/// Values that belong to one moment.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Row {
    /// When it was taken, since 1970; none where the file does not say.
    pub(crate) at: Option<Nanos>,
    /// Time since what `--start` is the moment of: the first row, or the start of the program for a log that begins with it.
    pub(crate) since: Option<Nanos>,
    /// Whose values they are, where the file says so.
    pub(crate) instance: Option<Whose>,
    /// Metrics of the monitor with their values.
    pub(crate) values: Vec<(&'static str, f64)>,
}

/// Whose values a row has, and where they stand among those of others.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Whose {
    pub(crate) name: String,
    /// The screen that they are on, from 0, of a file that shows all there are again and again: one screen is one moment, and
    /// what is on none of it had no values then.
    pub(crate) screen: Option<usize>,
}

impl From<String> for Whose {
    fn from(name: String) -> Self {
        Self { name, screen: None }
    }
}

impl std::ops::Deref for Whose {
    type Target = str;

    fn deref(&self) -> &str {
        &self.name
    }
}

/// Rows of one file, in its order.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Samples {
    /// Kind of the monitor whose metrics they are.
    pub(crate) monitor: &'static str,
    /// The instance, where neither the file nor whoever named it says one.
    pub(crate) usual_instance: &'static str,
    /// Rows that were printed before the first of these, and say nothing of the time of the load.
    pub(crate) skipped: usize,
    pub(crate) rows: Vec<Row>,
}

/// Reads a file line by line. `take` is handed each line that is not empty, and returns a row, nothing, or what is wrong.
///
/// # Errors
/// For a file that cannot be read to its end for another reason than damage, or has too many rows.
pub(crate) fn by_line(
    path: &Path,
    input: Input,
    mut take: impl FnMut(&str) -> Result<Option<Row>, String>,
) -> Result<(Vec<Row>, Reading), ImportError> {
    let (mut lines, mut rows, mut reading) = (Lines::new(input), Vec::new(), Reading::default());
    loop {
        match lines.advance() {
            Ok(Line::End) => break,
            Ok(Line::TooLong) => reading.unreadable(lines.number(), "it is longer than a mebibyte"),
            Ok(Line::Whole) => {
                let text = String::from_utf8_lossy(lines.text());
                if text.trim().is_empty() {
                    continue;
                }
                match take(&text) {
                    Ok(None) => {}
                    Ok(Some(row)) => {
                        reading.read += 1;
                        rows.push(row);
                    }
                    Err(why) => reading.unreadable(lines.number(), why),
                }
                if rows.len() > ROWS_MAX {
                    let what = format!("has more than {ROWS_MAX} rows; cut it to the time of the load");
                    return Err(ImportError::file(path, what));
                }
            }
            Err(error) => {
                reading.break_off(path, lines.number(), &error)?;
                break;
            }
        }
    }
    (reading.bytes, reading.sha256) = lines.reader().fingerprint();
    Ok((rows, reading))
}
