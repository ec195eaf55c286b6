//! A recorded run to validity, findings and verdicts.
//!
//! # Place in the pipeline
//! Takes a `record::Run` and the study's requirements; feeds `report`. Never sees a socket, a clock or the live system.
//!
//! # Ideas
//! First [`views`] merge the rows into histograms and seconds, once, for judging and for reporting alike. Then validity
//! is decided, then requirements, each *met*, *not met* or *cannot tell* with a reason, then the rules that look for
//! what the reader should know. Everything said is a code with numbers; sentences are made by `report`.
//!
//! # Not here
//! Formulas are in `stats`; sentences, tables and figures in `report`.
#![forbid(unsafe_code)]

pub mod judgement;
pub mod views;

pub use judgement::*;
