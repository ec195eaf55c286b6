//! What is required, and what is computed from what was measured.

use super::Text;
use super::rule::Rule;
use contract::Place;
use terms::Severity;

/// What must hold, or should, and over what.
#[derive(Clone, Debug)]
pub struct Requirement {
    pub name: String,
    /// What it is for.
    pub about: Option<Text>,
    /// Where it is in the study.
    pub place: Place,
    /// Whether every member of `per` must hold, or one.
    pub needs_all: bool,
    /// One entry for each scenario it applies to.
    pub applies: Vec<Applies>,
}

/// A requirement in one scenario.
#[derive(Clone, Debug)]
pub struct Applies {
    /// Number of the scenario.
    pub scenario: usize,
    pub rule: Rule,
    /// How much it weighs there.
    pub severity: Severity,
}

/// What `capacity` asks for.
#[derive(Clone, Debug, Default)]
pub struct Capacity {
    /// Volumes, in the order written.
    pub volumes: Vec<Volume>,
    /// Ratios, in the order written.
    pub ratios: Vec<Ratio>,
}

/// A sum of measured values: a rule of one sum that is compared with nothing.
#[derive(Clone, Debug)]
pub struct Formula {
    /// As written.
    pub text: String,
    /// One clause with one sum and no operator.
    pub rule: Rule,
}

/// What a measured rate makes over days: `rate · 3600 · hours · days / peak_factor`.
#[derive(Clone, Debug)]
pub struct Volume {
    pub name: String,
    /// Where it is in the study.
    pub place: Place,
    pub of: Formula,
    /// Number of the scenario it is measured in.
    pub scenario: usize,
    /// Hours of each day, above 0 and at most 24.
    pub hours: f64,
    /// Days, above 0.
    pub days: f64,
    /// Peak hour over mean hour, 1 or more.
    pub peak_factor: f64,
}

/// A ratio, or any other sum of measured values.
#[derive(Clone, Debug)]
pub struct Ratio {
    pub name: String,
    /// Where it is in the study.
    pub place: Place,
    pub of: Formula,
    /// Number of the scenario in which names without one are looked up.
    pub scenario: usize,
}
