//! Two or more runs, or scenarios of one run, against each other: rows with intervals and verdicts.
//!
//! Equality is a claim like any other and needs its own test; circumstances that differ are listed, and where load,
//! data or validity differ nothing is compared at all. Formulas are in `stats::compare` and `stats::bootstrap`.

pub(crate) mod circumstances;
mod family;
mod history;
mod labels;
mod rows;
mod runs;
mod shares;
mod sides;
mod study;
mod types;

pub(crate) use history::level_shifts;
pub use history::{History, HistoryShift, RUNS_FEWEST, history};
pub use runs::compare_runs;
pub(crate) use sides::RunIndex;
pub(crate) use study::{mean_within, of_study, within_run};
pub use types::{ASPECTS, Comparison, Difference, OneSided, Pair, Row, RowChange, RowVerdict, Side};

use crate::Evidence;

/// A recorded run to be compared.
#[derive(Clone, Copy, Debug)]
pub struct Recorded<'a> {
    pub evidence: &'a Evidence,
    /// Its effective study, as the run folder keeps it; empty when it is gone.
    pub study: &'a str,
}

/// A recorded run that a study compares with, by its id.
#[derive(Clone, Debug)]
pub struct Baseline {
    /// Its id, as the study names it.
    pub id: String,
    /// Its evidence and effective study; or a sentence that says why it cannot be used, and what to type.
    pub found: Result<(Evidence, String), String>,
}
