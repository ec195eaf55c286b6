//! Study text to a checked [`Study`]: every mistake with its place, all at once.
//!
//! # Place in the pipeline
//! The first stage. Reads the study file, its includes and data; feeds `plan`, `launch`, `drive`, `watch`, `judge`.
//!
//! # Ideas
//! The text becomes a tree in which every node knows its place ([`contract::Node`]); the tree is checked, not
//! deserialised, so that the search for mistakes never stops at the first. Names in `$(…)` are resolved at their time:
//! when loading, when the instances have started, or for each exchange.
//!
//! # Not here
//! When iterations start is `plan`'s; what a driver's own settings mean is the driver's.
#![forbid(unsafe_code)]

pub mod model;
pub mod rule;

pub use model::*;
