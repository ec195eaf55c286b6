//! What a comparison says: sides, differences of circumstances, rows.

use crate::Scope;
use crate::judgement::Reason;
use serde::{Serialize, Serializer};

/// One side against one or more others, row by row.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Comparison {
    /// The key under `compare` in the study; `runs` for `loadproof compare`.
    pub name: String,
    /// How much two sides may differ and still count as equal, a share: 0.05 is the band 1/1.05 to 1.05.
    pub band: f64,
    /// The base: what the others are measured against.
    pub base: Side,
    /// The others, in the order given; each has the same rows in the same order, so that a matrix of row by other can
    /// be drawn as it stands.
    pub pairs: Vec<Pair>,
}

/// One side of a comparison.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Side {
    /// What readers see: `normal`, `normal/hold`, `delay=2ms`, or a run id.
    pub label: String,
    /// Ids of the runs it is made of; one, unless several runs are taken as repetitions of each other.
    pub runs: Vec<String>,
    /// Its scenario, where one is compared with another; `None` where whole runs are.
    pub scenario: Option<String>,
    /// How many repetitions it holds: runs, or repetitions within a run.
    pub replicates: u32,
}

/// The base against one other side.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Pair {
    /// The other side.
    pub other: Side,
    /// In which circumstances the two differ, those that forbid a comparison first.
    pub differences: Vec<Difference>,
    /// One row for each statistic of each thing that either side has.
    pub rows: Vec<Row>,
}

impl Pair {
    /// Whether all runs of one side were made before all of the other, several on each: what drifts over the day then
    /// looks like a difference of the two.
    pub fn is_blocked(&self) -> bool {
        self.differences.iter().any(|difference| difference.aspect == "order")
    }

    /// Whether some difference forbids the comparison of everything in it.
    pub fn is_comparable(&self) -> bool {
        self.differences.iter().all(|difference| !difference.forbids || difference.scope.is_some())
    }
}

/// A circumstance in which two sides differ.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct Difference {
    /// Which kind, one of [`ASPECTS`].
    pub aspect: String,
    /// Which one of that kind: `host cpu_model`, `gateway version`, `peak/hold arrivals`.
    pub name: String,
    /// Where it holds: a scenario or a place in one; `None`, in JSON an empty text, for all of both sides.
    #[serde(serialize_with = "or_empty")]
    pub scope: Option<Scope>,
    /// As the base has it; empty where the base has nothing of the kind.
    pub base: String,
    /// As the other has it.
    pub other: String,
    /// Whether it forbids the comparison of what lies in its scope.
    pub forbids: bool,
}

fn or_empty<S: Serializer>(scope: &Option<Scope>, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(scope.as_deref().unwrap_or_default())
}

/// Kinds of circumstances, in the order in which they are listed.
///
/// `load` (model, rates, users, pacing, mix of exchanges), `data` (rows and SHA-256 of the data sets), `validity`,
/// `parts` (what else runs at the same time), `length` (planned seconds, trial), `system` (identity, versions, command,
/// faults), `store` (facts of databases), `host` (processor, cores, kernel, memory), `generator` (version of loadproof,
/// threads), `study` (any other part of the effective study, and facts of no other kind), `order` (all runs of one side were
/// made before all of the other).
pub const ASPECTS: [&str; 11] =
    ["load", "data", "validity", "parts", "length", "system", "store", "host", "generator", "study", "order"];

/// What a row proves.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum RowVerdict {
    /// The whole interval lies outside the band.
    Different,
    /// The whole interval of the two one-sided tests lies inside the band.
    Equivalent,
    /// Neither can be told; the reason says why.
    CannotTell,
    /// The two must not be compared; the reason and the differences say why.
    NotComparable,
}

impl RowVerdict {
    /// `different`, `equivalent`, `cannot_tell`, `not_comparable`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Different => "different",
            Self::Equivalent => "equivalent",
            Self::CannotTell => "cannot_tell",
            Self::NotComparable => "not_comparable",
        }
    }
}

/// One statistic of one thing on both sides.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Row {
    /// Stable id within the pair: `nominal/hold/ping/answer/p95`, `nominal/hold/host.cpu/mean`, or in a study's own
    /// comparison the statistic as written, `p95(rih/*.response)`, with the exchange where there are several.
    pub id: String,
    /// `mean`, `p50`, `p95`, `p99`, `failed`, `throughput`, `max` …
    pub statistic: String,
    /// What it is of, for the heading of a line: `ping`, `ping · reply`, `host.cpu`, `process.used gateway`.
    pub subject: String,
    /// Where: `nominal/hold`. Of the base, where the two sides are different scenarios.
    pub scope: Scope,
    /// Unit of both values: `ms`, `share`, `per_s`, `count`, `bytes`, `cores`, `number`.
    pub unit: String,
    /// The base's value; `None` where it has none.
    pub base: Option<f64>,
    /// The other's value.
    pub other: Option<f64>,
    /// Whether the base's value is a lower bound, because calls were cut off at the time-out.
    pub is_base_censored: bool,
    /// Whether the other's value is a lower bound.
    pub is_other_censored: bool,
    /// Calls or samples behind the base's value.
    pub base_count: u64,
    /// Calls or samples behind the other's value.
    pub other_count: u64,
    /// Repetitions behind the base's value.
    pub base_replicates: u32,
    /// Repetitions behind the other's value. With 1 and 1, run-to-run variation is not in the interval.
    pub other_replicates: u32,
    /// Whether `value`, `low` and `high` are a difference, `other - base` in the row's unit, as for shares; else they
    /// are the ratio `other / base`.
    pub is_difference: bool,
    /// Ratio or difference; `None` where it cannot be formed.
    pub value: Option<f64>,
    /// Low end of its 95 % interval.
    pub low: Option<f64>,
    /// High end; `None` with a low end where the other is censored: at least so much.
    pub high: Option<f64>,
    /// Half width of the band that the verdict used: a share for ratios, in the row's unit for differences.
    pub band: f64,
    /// The relative change with the interval that the rounding of its inputs leaves; `None` where there is no ratio.
    pub change: Option<RowChange>,
    /// What the row proves.
    pub verdict: RowVerdict,
    /// Why; a code of [`crate::catalogue::REASONS`].
    pub reason: Reason,
    /// Name of the method, as `docs/methods` has it; `None` without an interval.
    pub method: Option<String>,
    /// Two-sided p of the exact rank test, from four repetitions a side on.
    pub p: Option<f64>,
    /// A12, the chance that a repetition of the other is greater than one of the base, with `p`.
    pub superiority: Option<f64>,
    /// How many runs a side would settle a row that cannot be told, if all stays as it was seen.
    pub runs_needed: Option<u64>,
    /// What the row says about one side of a limit; `None` without an interval of the ratio.
    #[serde(skip)]
    pub one_sided: Option<OneSided>,
    /// Chance that two equal sides are seen so far apart; `None` without an interval.
    #[serde(skip)]
    pub chance: Option<f64>,
}

impl Row {
    /// Whether the other side is shown to be worse: a time or a share of failures that is greater, a throughput that is
    /// less. Of what was watched nobody knows which way is worse.
    pub fn is_worse(&self) -> bool {
        let Some(value) = self.value.filter(|_| self.verdict == RowVerdict::Different) else { return false };
        let is_up = if self.is_difference { value > 0.0 } else { value > 1.0 };
        match (self.unit.as_str(), self.statistic.as_str()) {
            ("ms", _) | (_, "failed") => is_up,
            (_, "throughput") => !is_up,
            _ => false,
        }
    }
}

/// The 90 % interval of a ratio: each end by itself is wrong in 5 % of all runs, so that it carries a claim about one
/// side of a limit, and two such claims carry "equivalent".
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct OneSided {
    /// Low end.
    pub low: f64,
    /// High end; `None` where the other is censored: at least so much.
    pub high: Option<f64>,
    /// Low end, should the other be less by what the machine itself may have added to it. A rise is claimed from here.
    pub low_of_rise: f64,
    /// High end, should the base be less by as much. A fall is claimed from here.
    pub high_of_fall: Option<f64>,
}

/// A relative change, all three as shares: 0.58 is +58 %.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct RowChange {
    /// `other/base - 1`.
    pub value: f64,
    /// The least that inputs rounding to the same digits can have.
    pub low: f64,
    pub high: f64,
}
