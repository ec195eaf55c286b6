//! Two or more runs, or scenarios of one run, against each other: rows with intervals and verdicts.
//!
//! Equality is a claim like any other and needs its own test; circumstances that differ are listed, and where load,
//! data or validity differ nothing is compared at all. Formulas are in `stats::compare` and `stats::bootstrap`.

mod circumstances;
mod history;
mod rows;
mod runs;
mod sides;
mod types;

pub use history::{History, HistoryShift, RUNS_FEWEST, history};
pub use runs::compare_runs;
pub use types::{ASPECTS, Comparison, Difference, Pair, Row, RowChange, RowVerdict, Side};

use crate::Evidence;

/// A recorded run to be compared.
#[derive(Clone, Copy, Debug)]
pub struct Recorded<'a> {
    /// Its evidence.
    pub evidence: &'a Evidence,
    /// Its effective study, as the run folder keeps it; empty when it is gone.
    pub study: &'a str,
}
