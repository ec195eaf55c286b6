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
    /// What a step must pass to be carried on from; `None` where nobody asks for it.
    pub healthiest: Option<Healthiest>,
    /// Volumes, in the order written.
    pub volumes: Vec<Volume>,
    /// Ratios, in the order written.
    pub ratios: Vec<Ratio>,
}

/// A sum of measured values: a rule of one sum that is compared with nothing.
#[derive(Clone, Debug, PartialEq)]
pub struct Formula {
    /// As written.
    pub text: String,
    /// One clause with one sum and no operator.
    pub rule: Rule,
}

/// A sum in one scenario, its names resolved there.
#[derive(Clone, Debug)]
pub struct FormulaIn {
    /// Number of the scenario.
    pub scenario: usize,
    pub formula: Formula,
}

/// How the healthiest step of each scenario with steps is chosen.
#[derive(Clone, Debug)]
pub struct Healthiest {
    /// The rate that tells which step is ahead, for each scenario with steps that has its names; `None`: iterations that
    /// succeeded.
    pub by: Option<Vec<FormulaIn>>,
    /// What each step must pass; empty: every requirement of severity *must*.
    pub needs: Vec<Need>,
}

/// Something that a step must pass.
#[derive(Clone, Debug)]
pub enum Need {
    /// A requirement, by name, wherever it applies.
    Requirement(String),
    /// A rule of its own, in each scenario with steps in which its names occur.
    Rule { text: String, applies: Vec<(usize, Rule)> },
}

impl Capacity {
    /// Rules that stand nowhere else in the study.
    pub fn rules(&self) -> impl Iterator<Item = &Rule> {
        let needs = self.healthiest.iter().flat_map(|healthiest| &healthiest.needs);
        needs
            .flat_map(|need| match need {
                Need::Rule { applies, .. } => applies.as_slice(),
                Need::Requirement(_) => &[],
            })
            .map(|(_, rule)| rule)
    }
}

/// What a measured rate makes over days: `rate · 3600 · hours · days / peak_factor`.
#[derive(Clone, Debug)]
pub struct Volume {
    pub name: String,
    /// Where it is in the study.
    pub place: Place,
    /// The rate as written.
    pub text: String,
    /// Where it is measured.
    pub from: VolumeFrom,
    /// Hours of each day, above 0 and at most 24.
    pub hours: f64,
    /// Days, above 0.
    pub days: f64,
    /// Peak hour over mean hour, 1 or more.
    pub peak_factor: f64,
}

/// Where a volume's rate is measured.
#[derive(Clone, Debug)]
pub enum VolumeFrom {
    /// In one scenario.
    Scenario(FormulaIn),
    /// In the healthiest step of each scenario with steps that has its names.
    Healthiest(Vec<FormulaIn>),
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
