//! What `run.json` says of units that exchanges carry, and of legs that a watched count closes.

use serde::{Deserialize, Serialize};

/// A leg of which a monitor counts how many units are through. It has no rows of its own.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct CountedHead {
    pub leg: String,
    pub monitor: String,
    pub metric: String,
    /// The unit that is counted; `None`: each exchange counts once.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unit: Option<String>,
}

/// How many of a unit one exchange carries in a scenario.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct CarriedHead {
    /// Number of the exchange.
    pub exchange: u16,
    pub unit: String,
    /// `None` where each answer says how many: then the units of its rows are these.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub count: Option<u64>,
}
