//! What the judge says: codes and numbers, no sentences.

use crate::Scope;
use crate::findings::Found;
use crate::validity::Moves;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::ops::Range;
use terms::{EndReason, Nanos, Outcome, Severity, Validity, Verdict};

/// A number or a word in a statement, with its unit so that every language can write it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "unit", content = "value", rename_all = "snake_case")]
pub enum Arg {
    Milliseconds(f64),
    Seconds(f64),
    Share(f64),
    Count(f64),
    /// Something a second.
    PerSecond(f64),
    Bytes(f64),
    /// Processor cores.
    Cores(f64),
    /// A pure number.
    Number(f64),
    /// A word or a name.
    Text(String),
    /// What was set and not measured: it is written with the digits it has. In JSON it is what it holds.
    #[serde(untagged)]
    Given(Box<Arg>),
}

impl Arg {
    /// The same as something that was set.
    pub fn given(self) -> Self {
        if matches!(self, Self::Given(_)) { self } else { Self::Given(Box::new(self)) }
    }

    /// The quantity itself, set or measured.
    pub fn quantity(&self) -> &Self {
        if let Self::Given(arg) = self { arg.quantity() } else { self }
    }
}

/// Arguments by name.
pub type Args = BTreeMap<String, Arg>;

/// Why something is as it is: a code of the message catalogue with its arguments.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Reason {
    /// Stable code, one of [`crate::catalogue::REASONS`].
    pub code: String,
    pub args: Args,
}

/// All that the judge says about a run.
#[derive(Clone, Debug, PartialEq)]
pub struct Judgement {
    /// Why the run ended.
    pub end_reason: EndReason,
    /// Validity of the whole run.
    pub validity: Validity,
    /// Every sign of validity that was looked at, with thresholds; those that speak against it first.
    pub signs: Vec<Sign>,
    /// Steps in order of time.
    pub steps: Vec<StepResult>,
    /// Verdicts, in the study's order, for each scope.
    pub requirements: Vec<RequirementResult>,
    /// What limited each scenario, in the order in which they ran.
    pub ladders: Vec<crate::bottleneck::Ladder>,
    /// Where the limit lies, volumes and ratios.
    pub capacity: crate::capacity::CapacityResult,
    /// What the study's `compare` asked for, in its order.
    pub comparisons: Vec<crate::comparison::Comparison>,
    /// Scenarios that were carried out for each combination of their variables.
    pub grids: Vec<crate::grids::Grid>,
    /// What was carried in holds that end with a number of units or calls.
    pub bulks: Vec<crate::bulk::Bulk>,
    /// Scenarios whose loads were chosen by what became of those before.
    pub searches: Vec<crate::searches::SearchResult>,
    /// How throughput, times and use go with the load, one for each kind of work that had several.
    pub courses: Vec<crate::trends::Course>,
    /// Findings, gravest first.
    pub findings: Vec<Finding>,
    /// Thresholds and choices that decided something, for the appendix: name, value.
    pub settings: Vec<(String, Arg)>,
}

/// A sign of validity in one scope.
#[derive(Clone, Debug, PartialEq)]
pub struct Sign {
    /// Code, one of [`crate::catalogue::SIGNS`].
    pub code: String,
    /// `nominal/hold`, or `run`.
    pub scope: Scope,
    /// What it says.
    pub state: WireValidity,
    /// Measured value.
    pub value: Option<Arg>,
    /// From here on questionable.
    pub questionable: Option<Arg>,
    /// From here on invalid.
    pub invalid: Option<Arg>,
    /// More arguments for the sentence.
    pub args: Args,
}

/// [`Validity`] with its word in files.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum WireValidity {
    /// As [`Validity::Valid`].
    Valid,
    /// As [`Validity::Questionable`].
    Questionable,
    /// As [`Validity::Invalid`].
    Invalid,
}

impl From<WireValidity> for Validity {
    fn from(wire: WireValidity) -> Self {
        match wire {
            WireValidity::Valid => Self::Valid,
            WireValidity::Questionable => Self::Questionable,
            WireValidity::Invalid => Self::Invalid,
        }
    }
}

/// One step or phase, as `result.json` has it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct StepResult {
    /// Number in the run.
    pub number: u32,
    /// Scenario's name.
    pub scenario: String,
    /// Name of its part of a mix; `None` where the scenario is none, and for phases that parts share.
    pub part: Option<String>,
    /// What scopes call it: `nominal/hold`, `nominal/hold#2`, `high_all/hold/rih`.
    pub scope: Scope,
    /// `hold`.
    pub id: String,
    /// Phase's name.
    pub phase: String,
    /// Real length, seconds.
    pub seconds: f64,
    /// Virtual users, closed load.
    pub users: Option<u32>,
    /// Intended a second; see [`StepResult::has_rates`].
    pub offered_per_s: f64,
    /// Started a second.
    pub achieved_per_s: f64,
    /// Succeeded a second, in the whole seconds within the step.
    pub throughput_per_s: f64,
    /// Iterations that fill an open hold up: those in flight at its rate, less what it took over when it began. They come due
    /// in it and end after it, however well the system keeps up.
    pub filling: f64,
    /// Seconds from the step's start that are not judged.
    pub judged_from: f64,
    /// Books of iterations.
    pub books: terms::Books,
    /// p99 of the generator's lateness, ms.
    pub lateness_p99_ms: Option<f64>,
    /// Processor share of the generator's threads, mean over all of them.
    pub cpu_share: Option<f64>,
    /// What was in flight, counted and from the recorded times; `None` where the two cannot be compared.
    pub in_flight: Option<InFlight>,
    /// Validity of this step.
    pub validity: Option<Validity>,
    pub variables: BTreeMap<String, String>,
    pub repetition: u32,
    /// Exchanges with their legs.
    pub exchanges: Vec<ExchangeResult>,
    /// Transactions: calls of an iteration that are booked as one, too. None of them is a call of its own.
    pub transactions: Vec<ExchangeResult>,
    /// Streams, in the order of their numbers; empty where the load has none.
    pub streams: Vec<StreamResult>,
}

impl StepResult {
    /// Whether rates of it mean anything: users' calls over a fraction of a second come to any number a second.
    pub fn has_rates(&self) -> bool {
        self.users.is_none() || self.seconds >= 1.0
    }
}

/// Little's law on one step, in a mix on all its parts together: what was in flight, counted two ways.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct InFlight {
    /// Mean number in flight, as the generator counted it.
    pub counted: f64,
    /// Mean number in flight that the recorded times within the step come to: the nearest to what was counted that rows
    /// of whole seconds allow.
    pub recorded: f64,
    /// `recorded / counted - 1`.
    pub off: f64,
}

/// One stream in a step.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct StreamResult {
    /// Its label: the first column of the row that it keeps.
    pub label: String,
    /// Books of its iterations.
    pub books: terms::Books,
    /// Its exchanges' legs.
    pub legs: Vec<StreamLeg>,
}

/// One leg of an exchange in a stream.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct StreamLeg {
    /// Name of the exchange.
    pub exchange: String,
    /// Name of the leg.
    pub leg: String,
    /// Succeeded.
    pub ok: u64,
    /// Ended badly.
    pub failed: u64,
    /// Closes by class, those above zero.
    pub classes: Vec<(String, u64)>,
    /// Mean time of what succeeded, ms: from the intended start, in a closed load from the first byte.
    pub mean_ms: Option<f64>,
    /// Greatest of them, ms.
    pub max_ms: Option<f64>,
}

/// One exchange in a step.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ExchangeResult {
    pub id: String,
    /// Planned: intended iterations times how often one carries it out; where chance decides which does, what was
    /// started and the expected part of the iterations that never were.
    pub intended: f64,
    pub started: u64,
    /// Legs; each with `ok`, `failed` and `all`.
    pub legs: Vec<LegResult>,
    /// Why calls failed, the most frequent first; empty where none did.
    pub failures: Vec<Failure>,
    /// The slowest calls of each leg, leg by leg, the slowest first; empty where the run did not keep them.
    pub slowest: Vec<SlowCall>,
}

/// One of the slowest calls of a leg.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SlowCall {
    /// Name of the leg.
    pub leg: String,
    /// How it ended: `ok`, `status`, `timeout`.
    pub outcome: String,
    /// When its time began, by the run's clock: at the intended start; in a closed load at the start.
    pub at: Nanos,
    /// Response time; in a closed load service time.
    pub time: Nanos,
    /// Whether it was cut off, so that the time is a lower bound.
    pub is_at_least: bool,
    /// The trace that its request began, in hexadecimal digits; `None` where it began none.
    pub trace: Option<String>,
}

/// One way in which calls of an exchange failed.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Failure {
    /// Name of the leg that failed.
    pub leg: String,
    /// Its class: `refused`, `status`.
    pub class: String,
    /// How many.
    pub count: u64,
    /// What was noted of one of them, on one line; `None` where nothing was.
    pub example: Option<String>,
    /// The trace of that one, in hexadecimal digits; `None` where it began none.
    pub trace: Option<String>,
}

/// One leg and population.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct LegResult {
    /// Name of the leg.
    pub id: String,
    /// `ok`, `failed`, `all`.
    pub outcome: String,
    pub count: u64,
    /// Closes within the whole seconds of the step, whenever they were intended, a second: of `ok` the throughput of the
    /// leg, as `rate(x.ok)` has it. `None` where the step has no whole second.
    pub ended_per_s: Option<f64>,
    /// Closes by class, those above zero.
    pub classes: Vec<(String, u64)>,
    /// Response times; `None` in a closed load or without any.
    pub response: Option<Times>,
    /// Service times.
    pub service: Option<Times>,
}

impl LegResult {
    /// Whether some of its calls ended with their time: these took longer than is known, so that the mean and the greatest
    /// time are lower bounds.
    pub fn is_cut_off(&self) -> bool {
        let is_of = |class: &str| [Outcome::Timeout, Outcome::Missing].iter().any(|outcome| outcome.name() == class);
        self.outcome != "ok" && self.classes.iter().any(|(class, count)| *count > 0 && is_of(class))
    }
}

/// Statistics of one population of times, milliseconds.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Times {
    pub min: f64,
    pub mean: f64,
    /// 95 % interval of the mean, when it can be told.
    pub mean_interval: Option<(f64, f64)>,
    /// Standard deviation, from bucket middles; `None` for one time, and where times were too long for the histogram.
    pub sd: Option<f64>,
    pub max: f64,
    /// Nearest-rank percentiles: quantile, value, 95 % interval when enough calls carry one.
    pub percentiles: Vec<Percentile>,
}

/// A percentile with its interval.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Percentile {
    /// 0.99 for p99.
    pub quantile: f64,
    /// Value, ms.
    pub value: f64,
    /// 95 % interval, ms, design effect included; `None` when it cannot be told.
    pub interval: Option<(f64, f64)>,
    /// Whether it stands on a time-out, so that it is a lower bound.
    pub is_censored: bool,
}

/// A requirement's verdict in one scope.
#[derive(Clone, Debug, PartialEq)]
pub struct RequirementResult {
    pub id: String,
    /// `nominal/hold`, with what `per` splits by appended.
    pub scope: Scope,
    /// Rule as written.
    pub rule: String,
    pub severity: Severity,
    pub verdict: Verdict,
    /// Measured value, in the unit of `unit`.
    pub value: Option<f64>,
    /// Interval; equal to the value for a census. Each end by itself is wrong in 5 % of all runs.
    pub low: Option<f64>,
    /// As `low`.
    pub high: Option<f64>,
    pub limit: Option<f64>,
    /// `ms`, `share`, `per_s`, `count`, `bytes`, `cores`, `number`.
    pub unit: String,
    /// Whether an exact statement about this run, without interval.
    pub is_census: bool,
    /// Number of calls or samples behind it.
    pub sample_count: u64,
    /// Design effect used.
    pub design_effect: Option<f64>,
    /// The greatest design effect with which the verdict would still stand; `None` where nothing is estimated or decided.
    pub holds_up_to: Option<f64>,
    pub reason: Reason,
    /// Failed checks of validity that can have moved the figure, the worst first. A verdict that stands beside them is
    /// one that they cannot have turned.
    pub disturbed: Vec<Disturbance>,
    /// What it rests on: `load:nominal/hold/ping/answer`, `watch:host.cpu`, `events:gateway`, `requirement:fast`.
    pub evidence: Vec<String>,
}

/// A failed check of validity, and what it can have done to a figure.
#[derive(Clone, Debug, PartialEq)]
pub struct Disturbance {
    /// Code of the check, one of [`crate::catalogue::SIGNS`].
    pub check: String,
    /// Where it failed.
    pub scope: Scope,
    pub state: WireValidity,
    /// In which direction it can have moved the figure; never [`Moves::NONE`].
    pub moves: Moves,
    /// Whether that is the direction in which it can have turned the verdict.
    pub can_turn: bool,
    /// By how much at most, in the figure's unit; `None` where nobody knows.
    pub at_most: Option<Arg>,
}

/// How grave a finding is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Gravity {
    /// Good to know.
    Info,
    /// Worth a look.
    Notice,
    /// Changes how figures are to be read.
    Warning,
    /// Voids verdicts that depend on it.
    Blocker,
}

/// A finding: what a rule saw, with its numbers.
#[derive(Clone, Debug, PartialEq)]
pub struct Finding {
    /// Id within the run: `F1`, `F2` …
    pub id: String,
    /// How grave.
    pub severity: Gravity,
    /// `nominal/hold/ping`.
    pub scope: Scope,
    /// What was found, with its figures.
    pub found: Found,
    /// When it was, each time, in order: of stalls; none of what is about the whole of its scope.
    pub spans: Vec<Range<Nanos>>,
    /// What it rests on.
    pub evidence: Vec<String>,
}

impl Finding {
    /// Name of the rule: `LITTLE`.
    pub fn rule(&self) -> &'static str {
        self.found.rule()
    }

    /// The figures of its sentences, by name.
    pub fn args(&self) -> Args {
        self.found.args()
    }
}
