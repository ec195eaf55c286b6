//! `jstat -gc`, with `-t` or without: heap and collections of a Java virtual machine.
//!
//! Sizes are in KiB, times in seconds; `Timestamp` counts from the start of the virtual machine. `-` stands for what a
//! collector does not have.
//!
//! Source: JDK 21, `jstat(1)`.

use crate::error::ImportError;
use crate::input::Input;
use crate::reading::{Reading, shown};
use crate::samples::{Row, Samples, by_line};
use std::path::Path;
use terms::Nanos;

const KIB: f64 = 1024.0;

/// Reads a file.
///
/// # Errors
/// For a file without a header of `jstat -gc`.
pub(crate) fn read(path: &Path, input: Input) -> Result<(Samples, Reading), ImportError> {
    let mut names: Option<Vec<String>> = None;
    let (rows, reading) = by_line(path, input, |line| {
        let fields: Vec<&str> = line.split_whitespace().collect();
        if fields.contains(&"OU") && fields.contains(&"EU") {
            names = Some(fields.iter().map(|name| (*name).to_owned()).collect());
            return Ok(None);
        }
        let Some(names) = &names else { return Err("it stands before any header".into()) };
        row(&fields, names).map(Some)
    })?;
    if names.is_none() {
        let what = "is not output of `jstat -gc`: no line of it names `EU` and `OU`\nmake one with `jstat -gc -t PID 1s > FILE`";
        return Err(ImportError::file(path, what));
    }
    Ok((Samples { monitor: "jvm", usual_instance: "jvm", skipped: 0, rows }, reading))
}

fn row(fields: &[&str], names: &[String]) -> Result<Row, String> {
    if fields.len() != names.len() {
        return Err(format!("it has {} fields, and its header {}", fields.len(), names.len()));
    }
    let value = |name: &str| -> Result<Option<f64>, String> {
        let Some(place) = names.iter().position(|known| known == name) else { return Ok(None) };
        match fields[place] {
            "-" => Ok(None),
            // Some languages write decimals behind a comma.
            text => match text.replace(',', ".").parse::<f64>().ok().filter(|it| it.is_finite() && *it >= 0.0) {
                Some(value) => Ok(Some(value)),
                None => Err(format!("its `{name}` is `{}`, which is not a number", shown(text.as_bytes()))),
            },
        }
    };
    let sum = |names: &[&str]| -> Result<Option<f64>, String> {
        let mut all = None;
        for name in names {
            if let Some(value) = value(name)? {
                all = Some(all.unwrap_or(0.0) + value);
            }
        }
        Ok(all)
    };
    let mut values = Vec::with_capacity(16);
    let mut add = |metric, value: Option<f64>, factor: f64| values.extend(value.map(|value| (metric, value * factor)));
    add("heap_used", sum(&["S0U", "S1U", "EU", "OU"])?, KIB);
    add("heap_committed", sum(&["S0C", "S1C", "EC", "OC"])?, KIB);
    add("young_committed", sum(&["S0C", "S1C", "EC"])?, KIB);
    add("eden_used", value("EU")?, KIB);
    add("survivor_used", sum(&["S0U", "S1U"])?, KIB);
    add("old_used", value("OU")?, KIB);
    add("old_committed", value("OC")?, KIB);
    add("metaspace_used", value("MU")?, KIB);
    add("metaspace_committed", value("MC")?, KIB);
    add("gc_young", value("YGC")?, 1.0);
    add("gc_young_time", value("YGCT")?, 1.0);
    add("gc_full", value("FGC")?, 1.0);
    add("gc_full_time", value("FGCT")?, 1.0);
    add("gc_concurrent", value("CGC")?, 1.0);
    add("gc_concurrent_time", value("CGCT")?, 1.0);
    let since = value("Timestamp")?.map(Nanos::from_secs_f64);
    Ok(Row { at: None, since, instance: None, values })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Cursor;

    /// As jstat of JDK 17 prints it; the second row with decimal commas, the third cut off.
    const TEXT: &str = "\
Timestamp        S0C    S1C    S0U    S1U      EC       EU        OC         OU       MC     MU    CCSC   CCSU   YGC     YGCT    FGC    FGCT    CGC    CGCT     GCT
           12.3  0.0   1024.0  0.0   1024.0 24576.0   4096.0   40960.0    20480.0   4864.0 4400.2 512.0  400.1      5    0.030   0      0.000   -        -    0.030
           13.3  0,0   1024,0  0,0   1024,0 24576,0   8192,0   40960,0    20480,0   4864,0 4400,2 512,0  400,1      6    0,040   1      0,500   2    0,001    0,541
           14.3  0.0   1024.0
";

    #[test]
    fn rows_have_the_units_of_our_own_monitor() {
        let input = Input::of(Cursor::new(TEXT.as_bytes().to_vec())).unwrap();
        let (samples, reading) = read(Path::new("jstat.log"), input).unwrap();
        assert_eq!((samples.rows.len(), reading.unreadable), (2, 1));
        let of =
            |row: usize, metric: &str| samples.rows[row].values.iter().find(|(name, _)| *name == metric).map(|it| it.1);
        assert_eq!(of(0, "heap_used"), Some(25_600.0 * 1024.0));
        assert_eq!(
            (of(0, "gc_concurrent"), of(1, "gc_concurrent"), of(1, "gc_full_time")),
            (None, Some(2.0), Some(0.5))
        );
        assert_eq!(samples.rows[1].since, Some(Nanos(13_300_000_000)));
        let other = Input::of(Cursor::new(b"S0C S1C\n1 2\n".to_vec())).unwrap();
        assert!(read(Path::new("x"), other).unwrap_err().to_string().contains("jstat -gc -t PID"));
    }
}
