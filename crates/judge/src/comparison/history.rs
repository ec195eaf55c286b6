//! The history of a statistic over many runs, with its level shifts.

use super::Recorded;
use super::circumstances::{Circumstances, differences};
use super::runs::FORBIDDING;
use super::sides::{Known, Place, Replicate, Timing, places};
use serde::{Deserialize, Serialize};
use stats::change::divisive::{Demands, shifts};
use terms::Histogram;

/// Fewer runs than this have no history: a shift needs several runs on either side.
pub const RUNS_FEWEST: usize = 8;

/// One statistic over runs in order of time.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct History {
    /// As [`super::Row::id`].
    pub id: String,
    /// Unit of the values: `ms`, `per_s`.
    pub unit: String,
    /// Ids of the runs, oldest first.
    pub runs: Vec<String>,
    /// One value for each run.
    pub values: Vec<f64>,
    /// Level shifts of 5 % or more, in order of time.
    pub shifts: Vec<HistoryShift>,
}

/// A level shift.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct HistoryShift {
    /// Place in `runs` of the first run of the new level.
    pub at: usize,
    /// Mean of the level before.
    pub before: f64,
    /// Mean of the level from here on.
    pub after: f64,
    /// Two-sided p of Student's test between the levels; anti-conservative, as the place was searched.
    pub p: f64,
}

/// The histories of runs by their wall-clock start, from [`RUNS_FEWEST`] runs on; empty below. Mean, p50, p95 and p99 of
/// every leg and the throughput of every place that all runs have under the same load and data.
pub fn history(runs: &[Recorded<'_>]) -> Vec<History> {
    if runs.len() < RUNS_FEWEST {
        return Vec::new();
    }
    let mut known: Vec<Known<'_>> = runs.iter().map(|recorded| Known::new(*recorded)).collect();
    known.sort_by(|a, b| (&a.index.head().started, a.id()).cmp(&(&b.index.head().started, b.id())));
    let first = &known[0];
    let mut found = Vec::new();
    for (place, replicates) in places(first) {
        if !known.iter().all(|run| is_alike(first, run, &place)) {
            continue;
        }
        for (exchange, leg) in replicates.first().map(|replicate| replicate.legs()).unwrap_or_default() {
            let all: Option<Vec<Histogram>> = known.iter().map(|run| times(run, &place, exchange, leg)).collect();
            let Some(all) = all else { continue };
            for (name, quantile) in [("mean", None), ("p50", Some(0.5)), ("p95", Some(0.95)), ("p99", Some(0.99))] {
                let value = |histogram: &Histogram| match quantile {
                    None => Some(histogram.sum_ns() / 1e6 / histogram.total() as f64),
                    Some(q) => histogram.quantile(q).map(|time| time.as_millis_f64()),
                };
                let Some(values) = all.iter().map(value).collect::<Option<Vec<f64>>>() else { continue };
                found.push(one(format!("{}/{exchange}/{leg}/{name}", place.scope()), "ms", &known, values));
            }
        }
        let rate = |run: &Known<'_>| {
            let seconds: Vec<(u64, f64)> =
                replicates_of(run, &place).iter().flat_map(|replicate| replicate.throughput()).collect();
            let ended: u64 = seconds.iter().map(|(count, _)| count).sum();
            (!seconds.is_empty()).then(|| ended as f64 / seconds.len() as f64)
        };
        if let Some(values) = known.iter().map(rate).collect::<Option<Vec<f64>>>() {
            found.push(one(format!("{}/throughput", place.scope()), "per_s", &known, values));
        }
    }
    found
}

fn one(id: String, unit: &str, known: &[Known<'_>], values: Vec<f64>) -> History {
    // Values that cannot be searched have no shifts: a history is shown all the same.
    let found = shifts(&values, Demands::default()).unwrap_or_default();
    let shift = |shift: &stats::change::divisive::Shift| HistoryShift {
        at: shift.at,
        before: shift.before,
        after: shift.after,
        p: shift.p,
    };
    History {
        id,
        unit: unit.to_owned(),
        runs: known.iter().map(|run| run.id().to_owned()).collect(),
        shifts: found.iter().map(shift).collect(),
        values,
    }
}

fn replicates_of<'k, 'a>(run: &'k Known<'a>, place: &Place) -> Vec<Replicate<'k, 'a>> {
    places(run).into_iter().filter(|(known, _)| known == place).flat_map(|(_, replicates)| replicates).collect()
}

fn times(run: &Known<'_>, place: &Place, exchange: &str, leg: &str) -> Option<Histogram> {
    let mut all = Histogram::new();
    for replicate in replicates_of(run, place) {
        if let Some(data) = replicate.leg(exchange, leg, Timing::Response) {
            all.merge(&data.times);
        }
    }
    (all.total() > 0).then_some(all)
}

/// Whether a run had the same load and data in a scenario.
fn is_alike(first: &Known<'_>, run: &Known<'_>, place: &Place) -> bool {
    let of = |known: &Known<'_>| {
        Circumstances::of_run(known).with(Circumstances::of_scenario(known, &place.scenario, &place.scenario))
    };
    differences(&of(first), &of(run), &FORBIDDING).iter().all(|difference| !difference.forbids)
}
