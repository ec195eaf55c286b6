//! Legs that a watched count closes.

use super::Exchange;
use contract::{Across, Kind, MetricKind, Place, Role};
use terms::Unit;

/// A leg of which only the number of units is known that are through, by a count that a monitor watches. What else is stated
/// of it is derived from that and from what was accepted: [`COUNTED_METRICS`].
#[derive(Clone, Debug)]
pub struct CountedLeg {
    pub name: String,
    pub monitor: String,
    pub metric: String,
    /// The unit that is counted; `None`: each exchange counts once.
    pub of: Option<String>,
    /// Of the name of what is watched.
    pub place: Place,
}

/// Names of what is derived of a counted leg, in the order of [`COUNTED_METRICS`].
pub const BACKLOG: &str = "backlog";
/// As [`BACKLOG`].
pub const AGE: &str = "age";

/// What is derived of a counted leg at each look of the monitor: the units that were accepted and are not through, and how
/// long ago as many had been accepted as are through now.
pub static COUNTED_METRICS: [MetricKind; 2] = [
    MetricKind {
        name: BACKLOG,
        unit: Unit::Count,
        of: None,
        kind: Kind::Gauge,
        across: Across::Sum,
        ceiling: None,
        role: Some(Role::Queue),
    },
    MetricKind {
        name: AGE,
        unit: Unit::Time,
        of: None,
        kind: Kind::Gauge,
        across: Across::Max,
        ceiling: None,
        role: None,
    },
];

impl Exchange {
    /// The monitor under whose name the derived figures of a counted leg stand: `register.stored`.
    pub fn derived(&self, leg: &CountedLeg) -> String {
        format!("{}.{}", self.name, leg.name)
    }
}
