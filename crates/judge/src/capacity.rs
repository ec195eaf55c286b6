//! Capacity: where the limit of each kind of work lies, and what the study asks to compute from measured rates.

pub(crate) mod volumes;

use crate::Scope;
use crate::evaluate::Kind;
use crate::healthiest::HealthiestResult;
use crate::levels::{Family, Level};
use crate::requirements::formula;
use crate::rows::Index;
use crate::validity::Held;
use crate::{Arg, Args, Reason, RequirementResult, StepResult};
pub use stats::capacity::CapacityInterval;
use stats::capacity::{TriedLoad, capacity_interval};
use stats::usl;
use study::Study;
use terms::Validity;

/// Answers a second below this share of what was intended: a backlog grows, and the rate cannot go on.
pub const KEPT_UP: f64 = 0.99;

/// Fewer loads show no knee.
pub(crate) const KNEE_LOADS: usize = 5;

/// Everything about capacity.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct CapacityResult {
    /// One for each kind of work.
    pub lines: Vec<CapacityLine>,
    /// The healthiest step of each scenario with steps, in the order in which they ran; none where nobody asks.
    pub healthiest: Vec<HealthiestResult>,
    /// Volumes, in the study's order; of the healthiest steps one for each.
    pub volumes: Vec<VolumeResult>,
    /// Ratios, in the study's order.
    pub ratios: Vec<RatioResult>,
}

/// Where the limit of one kind of work lies.
#[derive(Clone, Debug, PartialEq)]
pub struct CapacityLine {
    /// The loads that were tried.
    pub family: Family,
    /// The highest load that held below all that did not, the lowest that did not, and what held above a failure.
    pub interval: CapacityInterval,
    /// Throughput at the highest load that held.
    pub throughput_per_s: Option<f64>,
    /// The scalability law, where its parameters may be printed; only for closed loads.
    pub law: Option<usl::Fit>,
    /// The knee of throughput against load, an annotation; only for closed loads of five levels or more whose curve bends.
    pub knee: Option<f64>,
}

impl CapacityLine {
    /// Which sentence says it: one of [`crate::catalogue::CAPACITY`].
    pub fn code(&self) -> &'static str {
        match (self.interval.highest_held, self.interval.lowest_failed) {
            (Some(_), Some(_)) => "between",
            (Some(_), None) => "at_least",
            (None, Some(_)) => "below",
            (None, None) if self.family.levels.iter().all(|level| level.completed == 0) => "nothing",
            (None, None) => "unknown",
        }
    }
}

/// A volume: computed and printed as one expression.
#[derive(Clone, Debug, PartialEq)]
pub struct VolumeResult {
    pub name: String,
    /// Where the rate was measured.
    pub scope: Scope,
    /// The rate as the study writes it.
    pub formula: String,
    /// The rate, a second, with six significant digits: as it is printed.
    pub rate_per_s: Option<f64>,
    /// Hours of each day.
    pub hours: f64,
    pub days: f64,
    /// Peak hour over mean hour.
    pub peak_factor: f64,
    /// Whether the load is taken as flat round the clock, so that the volume is an upper bound.
    pub is_upper_bound: bool,
    /// The volume; `None` when it is refused.
    pub value: Option<f64>,
    /// 95 % interval, from that of the rate.
    pub interval: Option<(f64, f64)>,
    /// Why it is refused: one of [`crate::catalogue::REFUSALS`].
    pub refused: Option<Reason>,
}

/// A ratio with its operands.
#[derive(Clone, Debug, PartialEq)]
pub struct RatioResult {
    pub name: String,
    /// As the study writes it.
    pub formula: String,
    /// What stands in it, in the order written: text and value.
    pub operands: Vec<(String, Arg)>,
    /// The value; `None` when it is refused.
    pub value: Option<Arg>,
    /// Why it is refused.
    pub refused: Option<Reason>,
}

/// What the judge knows by then.
pub(crate) struct Inputs<'a> {
    pub(crate) index: &'a Index<'a>,
    pub(crate) steps: &'a [StepResult],
    pub(crate) results: &'a [RequirementResult],
    pub(crate) held: &'a dyn Fn(&[u32]) -> Held,
}

/// Capacity of every family, and the study's volumes and ratios.
pub(crate) fn capacity(
    study: &Study,
    families: &[Family],
    healthiest: Vec<HealthiestResult>,
    known: &Inputs<'_>,
) -> CapacityResult {
    let volumes = study.capacity.volumes.iter().flat_map(|volume| volumes::of(volume, study, &healthiest, known));
    CapacityResult {
        lines: lines(families, &|family: &Family| is_searched(study, family)),
        volumes: volumes.collect(),
        ratios: study.capacity.ratios.iter().map(|ratio| ratio_of(ratio, known)).collect(),
        healthiest,
    }
}

/// One for each family. What ran at one load only, beside work that is tried at several, is its background.
fn lines(families: &[Family], is_searched: &dyn Fn(&Family) -> bool) -> Vec<CapacityLine> {
    let has_several = families.iter().any(|family| family.loads().len() > 1);
    let told = families.iter().filter(|family| !is_searched(family));
    told.filter(|family| !has_several || family.loads().len() > 1).map(line).collect()
}

/// Whether a search tried all its loads, which then says where the limit lies.
fn is_searched(study: &Study, family: &Family) -> bool {
    let is_attempt = |name: &String| {
        let own = study.scenarios.iter().find(|scenario| scenario.name == crate::levels::scenario_of(name));
        own.is_some_and(|scenario| scenario.point.is_some())
    };
    family.scenarios.iter().all(is_attempt)
}

fn line(family: &Family) -> CapacityLine {
    // What fails from the first call on, at every load, does not fail because of the load.
    let is_any = family.levels.iter().any(|level| level.completed > 0);
    let tried = |level: &Level| TriedLoad { load: level.load, held: level.held.filter(|_| is_any) };
    let tried: Vec<TriedLoad> = family.levels.iter().map(tried).collect();
    let interval = capacity_interval(&tried).unwrap_or(CapacityInterval {
        highest_held: None,
        lowest_failed: None,
        held_above_a_failure: Vec::new(),
    });
    let at_held = family.levels.iter().rev().find(|level| Some(level.load) == interval.highest_held);
    let valid: Vec<&Level> = family.levels.iter().filter(|level| level.validity == Validity::Valid).collect();
    let (mut law, mut knee) = (None, None);
    if family.is_users {
        let level = |level: &&Level| usl::Level { load: level.load, throughput: level.throughput_per_s };
        let levels: Vec<usl::Level> = valid.iter().map(level).collect();
        if let usl::Gate::Open(fit) = usl::gate(&levels, valid.len() == family.levels.len()) {
            law = Some(*fit);
        }
        let points: Vec<(f64, f64)> = valid.iter().map(|level| (level.load, level.throughput_per_s)).collect();
        // A straight line with a little noise has places that look like a knee; only a curve that bends has one.
        let bends = points.len() >= KNEE_LOADS && stats::knee::bends(&points) == Ok(true);
        knee = if bends { stats::knee::kneedle(&points, 1.0).ok().flatten() } else { None };
    }
    CapacityLine {
        family: family.clone(),
        throughput_per_s: at_held.map(|level| level.throughput_per_s),
        interval,
        law,
        knee,
    }
}

fn refusal<const N: usize>(code: &str, args: [(&str, Arg); N]) -> Reason {
    let args: Args = args.into_iter().map(|(name, arg)| (name.to_owned(), arg)).collect();
    Reason { code: code.into(), args }
}

fn ended_per_s(step: &StepResult) -> f64 {
    step.throughput_per_s + step.books.failed as f64 / step.seconds.max(1e-9)
}

/// Whether the answers to an open load fall behind what was offered, by more than it takes to fill the hold up.
pub(crate) fn is_behind(step: &StepResult) -> bool {
    let ended = ended_per_s(step) + step.filling / step.seconds.max(1e-9);
    step.users.is_none() && ended < KEPT_UP * step.offered_per_s && step.seconds >= 10.0
}

fn ratio_of(ratio: &study::Ratio, known: &Inputs<'_>) -> RatioResult {
    let found = formula(known.index, ratio.scenario, &ratio.of.rule);
    let value = found.as_ref().and_then(|found| found.value.as_ref().ok()).filter(|value| value.value.is_finite());
    let held = found.as_ref().map(|found| (known.held)(&found.steps));
    let refused = match (&value, &held, &found) {
        (None, ..) => Some(refusal("no_value", [])),
        (_, Some(held), _) if held.validity == Validity::Invalid => {
            let args = [("sign", Arg::Text(held.sign.clone())), ("where", Arg::Text(held.scope.to_string()))];
            Some(refusal("degraded", args))
        }
        (_, _, Some(found)) if found.is_cut => Some(refusal("cut_short", [])),
        _ => None,
    };
    let arg = |value: &crate::evaluate::Value| measured(value.value, value.kind);
    RatioResult {
        name: ratio.name.clone(),
        formula: ratio.of.text.clone(),
        operands: found
            .iter()
            .flat_map(|found| &found.operands)
            .map(|(text, value)| (text.clone(), arg(value)))
            .collect(),
        value: value.filter(|_| refused.is_none()).map(arg),
        refused,
    }
}

fn measured(value: f64, kind: Kind) -> Arg {
    match kind {
        Kind::Time => Arg::Milliseconds(value * 1e3),
        Kind::Share => Arg::Share(value),
        Kind::Count => Arg::Number(value),
        Kind::PerSecond => Arg::PerSecond(value),
        Kind::Bytes => Arg::Bytes(value),
        Kind::Cores => Arg::Cores(value),
    }
}
