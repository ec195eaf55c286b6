//! For tests only: a simulated system, and what it takes to drive it.
//!
//! # Place in the pipeline
//! Beside it: a dev-dependency of the stages.
//!
//! # Ideas
//! [`SIMULATED`] is a driver like any other, so an hour of load against a system whose truth is known runs through the
//! very loop that drives real sockets, in milliseconds and identically each time.
//!
//! # Not here
//! Real servers with a known answer are in `targets/`.
#![forbid(unsafe_code)]

mod simulated;

pub use simulated::SIMULATED;

use contract::{Mistake, Name, Names, Node, Place, Settings, Shape};
use terms::Nanos;

/// Knows no names at all.
pub struct NoNames;

impl Names for NoNames {
    fn resolve(&self, expression: &str, place: Place) -> Result<Name, Mistake> {
        Err(Mistake::at(place, "study::unknown-name", format!("`{expression}` is not known")))
    }
}

/// Settings of one exchange from keys and values, as a driver is handed them.
pub fn settings(exchange: &str, number: u16, operation: &str, entries: &[(&str, &str)]) -> Settings {
    let text = |text: &str| Node::text_at(Place::default(), text);
    let entries = entries.iter().map(|(key, value)| (text(key), text(value))).collect();
    Settings {
        exchange: exchange.into(),
        number,
        operation: operation.into(),
        node: Node { place: Place::default(), shape: Shape::Map(entries) },
        checks: Vec::new(),
        captures: Vec::new(),
        timeout: Nanos::from_secs(30),
        reuse: true,
        within: Default::default(),
    }
}
