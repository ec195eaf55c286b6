//! The nouns of load testing, with their units: times, quantities, outcomes, phases, histograms.
//!
//! # Place in the pipeline
//! Everything stands on this crate; it stands on nothing. No input, no output, no clock.
//!
//! # Ideas
//! A quantity is a type where it can be ([`Nanos`], [`Quantity`]), so that a duration cannot be added to a rate.
//! Names are those of `GLOSSARY.md`; code, study files and reports use exactly these words.
//!
//! # Example
//! ```
//! use terms::{Nanos, Quantity, Unit};
//! let wait = Quantity::parse("1.5s").unwrap();
//! assert_eq!(wait.unit, Unit::Time);
//! assert_eq!(wait.nanos(), Some(Nanos::from_millis(1500)));
//! ```
//!
//! # Not here
//! Statistics are in `stats`; the study's grammar is in `study`; asking for the time is in `clock`.
#![forbid(unsafe_code)]

mod books;
mod histogram;
pub mod iso;
mod nanos;
mod outcome;
mod phase;
pub mod process;
mod quantity;
pub mod seed;
mod verdict;

pub use books::Books;
pub use histogram::{Buckets, Histogram, SparseHistogram};
pub use nanos::Nanos;
pub use outcome::{OUTCOMES, Outcome, Population, Side};
pub use phase::Phase;
pub use quantity::{Quantity, QuantityError, Unit};
pub use verdict::{EndReason, Severity, Validity, Verdict};
