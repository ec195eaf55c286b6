//! Comparisons: statistics of one scenario, step or recorded run against others.

use super::rule::CompareOf;
use contract::Place;

/// Statistics of a base against others.
#[derive(Clone, Debug)]
pub struct Compare {
    pub name: String,
    /// Where it is in the study.
    pub place: Place,
    /// What is compared, in the order written.
    pub of: Vec<CompareOf>,
    /// What the others are measured against.
    pub base: CompareSide,
    /// The others, in the order written; scenarios or steps.
    pub against: Vec<CompareSide>,
    /// How much two sides may differ and still count as equal, a share above 0.
    pub band: f64,
}

/// A side of a comparison.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CompareSide {
    /// A scenario, by number; its repetitions together.
    Scenario(usize),
    /// One step of a scenario, by name.
    Step {
        /// Number of the scenario.
        scenario: usize,
        /// `hold`.
        step: String,
    },
    /// A recorded run, by id: its scenario of the other side's name.
    Run(String),
}

impl CompareSide {
    /// Number of the scenario; `None` for a recorded run.
    pub fn scenario(&self) -> Option<usize> {
        match self {
            Self::Scenario(scenario) | Self::Step { scenario, .. } => Some(*scenario),
            Self::Run(_) => None,
        }
    }
}
