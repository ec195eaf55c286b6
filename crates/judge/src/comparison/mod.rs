//! Two or more runs, or scenarios of one run, against each other: rows with intervals and verdicts.
//!
//! Equality is a claim like any other and needs its own test; circumstances that differ are listed, and where load,
//! data or validity differ nothing is compared at all. Formulas are in `stats::compare` and `stats::bootstrap`.

mod types;

pub use types::{ASPECTS, Comparison, Difference, Pair, Row, RowChange, RowVerdict, Side};
