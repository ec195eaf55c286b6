//! Figures that a tool printed of its own calls, each with the name that the tool has for them.

use crate::reading::shown;

/// Figures that are kept of one file: thirty of three hundred labels.
const FIGURES_MAX: usize = 10_000;

/// What a figure is of.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Figure {
    /// A share of the calls took no longer; milliseconds.
    Quantile(f64),
    /// Milliseconds.
    Mean,
    /// Milliseconds.
    Min,
    /// Milliseconds.
    Max,
    /// Calls, failed ones too.
    Calls,
    Failed,
}

/// One figure.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Printed {
    /// As the tool has it; empty for all calls together.
    pub(crate) label: Vec<u8>,
    pub(crate) figure: Figure,
    pub(crate) value: f64,
    /// Name of the file that it stands in.
    pub(crate) file: String,
}

/// What a file tells besides calls.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Beside {
    /// Iterations that an arrival rate asked for and no user was free to begin.
    pub(crate) dropped: u64,
    /// Sessions whose calls have no times.
    pub(crate) sessions: u64,
    pub(crate) printed: Vec<Printed>,
    /// Failures that are known by their words and number alone: label, words, how many.
    pub(crate) failures: Vec<(Vec<u8>, String, u64)>,
    /// Sentences that belong to the run.
    pub(crate) remarks: Vec<String>,
}

impl Beside {
    /// Adds a figure, unless there are too many; what is not a number is none.
    pub(crate) fn print(&mut self, label: &[u8], figure: Figure, value: Option<f64>) {
        let value = value.filter(|value| value.is_finite() && (0.0..1e15).contains(value));
        if let (Some(value), true) = (value, self.printed.len() < FIGURES_MAX) {
            self.printed.push(Printed { label: label.to_vec(), figure, value, file: String::new() });
        }
    }

    /// Adds a failure, unless there are too many.
    pub(crate) fn fail(&mut self, label: &[u8], words: &[u8], count: u64) {
        if self.failures.len() < FIGURES_MAX {
            self.failures.push((label.to_vec(), shown(words), count));
        }
    }

    /// What another file of the same run tells.
    pub(crate) fn add(&mut self, other: Self, file: &str) {
        self.dropped = self.dropped.saturating_add(other.dropped);
        let named = other.printed.into_iter().map(|printed| Printed { file: file.to_owned(), ..printed });
        self.printed.extend(named);
        self.failures.extend(other.failures);
        self.remarks.extend(other.remarks);
    }
}
