//! Steps and phases, as `run.json` has them.

use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// A step or phase as planned.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct StepHead {
    /// Number of its scenario.
    pub scenario: u16,
    /// Number of its part of a mix; `None` where the scenario is none, and for phases that parts share.
    pub part: Option<u16>,
    /// `idle`, `ramp 50/s`, `warm_up`, `hold`, `drain`, `recovery`.
    pub id: String,
    /// Name of its phase.
    pub phase: String,
    /// Planned length, seconds; `None` when it ends by count or by itself.
    pub seconds: Option<f64>,
    /// Of a hold that ends by count: seconds from the begin of the load after which it ends, too.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub at_most: Option<f64>,
    /// Planned arrival rate at its start and end, a second.
    pub offered_from: Option<f64>,
    /// As `offered_from`, at its end.
    pub offered_to: Option<f64>,
    /// Virtual users at full load of it.
    pub users: Option<u32>,
    /// Held connections that are to be open at its end.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub connections: Option<u32>,
    /// Planned iterations, when known.
    pub iterations: Option<u64>,
    /// Variables of the step.
    pub variables: BTreeMap<String, String>,
    /// Which time its scenario is carried out, from 1.
    pub repetition: u32,
    /// Of a drain, whether it waits for what is watched, too: then it may outlast the threads that drive the load.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub waits: bool,
}
