//! The history of a statistic over many runs, with its level shifts.

use super::Recorded;
use super::circumstances::{Circumstances, differences};
use super::runs::FORBIDDING;
use super::sides::{Place, Replicate, RunIndex, Timing, places};
use crate::Scope;
use serde::Serialize;
use stats::change::divisive::{Demands, chance, shifts};
use stats::compare::benjamini_hochberg;
use terms::{Histogram, Validity};

/// Fewer runs than this have no history: a shift needs several runs on either side.
pub const RUNS_FEWEST: usize = 8;

/// Chance that any history of a comparison is said to shift though all of them keep their level.
const HISTORY_ALARM: f64 = 0.03;

/// One statistic over runs in order of time.
#[derive(Clone, Debug, PartialEq, Serialize)]
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
    /// Runs left out, since they are trials or invalid, since their load or data differ from those of the newest run, or since
    /// they have no such value.
    pub left_out: usize,
}

/// A level shift.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct HistoryShift {
    /// Place in `runs` of the first run of the new level.
    pub at: usize,
    /// Mean of the level before.
    pub before: f64,
    /// Mean of the level from here on.
    pub after: f64,
    /// Chance of so great a shift anywhere in a history of one level, the memory of runs allowed for, by resampling.
    pub p: f64,
}

/// The histories of runs by their wall-clock start, from [`RUNS_FEWEST`] runs on; empty below. Mean, p50, p95 and p99 of
/// every leg and the throughput of every place of the newest run, over the runs that have it under the same load and data.
pub fn history(runs: &[Recorded<'_>]) -> Vec<History> {
    let mut known: Vec<RunIndex<'_>> = runs.iter().map(|recorded| RunIndex::new(*recorded)).collect();
    known.sort_by(|a, b| (&a.index.head().started, a.id()).cmp(&(&b.index.head().started, b.id())));
    let Some(newest) = known.last() else { return Vec::new() };
    let mut found = Vec::new();
    for (place, replicates) in places(newest) {
        // One odd run must not take the history from all others.
        let alike: Vec<&RunIndex<'_>> = known.iter().filter(|run| is_alike(newest, run, &place)).collect();
        let mut add = |id: String, unit: &str, value: &dyn Fn(&RunIndex<'_>) -> Option<f64>| {
            let points: Vec<(String, f64)> =
                alike.iter().filter_map(|run| Some((run.id().to_owned(), value(run)?))).collect();
            if points.len() >= RUNS_FEWEST {
                let left_out = known.len() - points.len();
                let (runs, values) = points.into_iter().unzip();
                found.push(History { id, unit: unit.to_owned(), runs, values, shifts: Vec::new(), left_out });
            }
        };
        for (exchange, leg) in replicates.first().map(|replicate| replicate.legs()).unwrap_or_default() {
            for (name, quantile) in [("mean", None), ("p50", Some(0.5)), ("p95", Some(0.95)), ("p99", Some(0.99))] {
                let value = |run: &RunIndex<'_>| {
                    let histogram = times(run, &place, exchange, leg)?;
                    match quantile {
                        None => Some(histogram.sum_ns() / 1e6 / histogram.total() as f64),
                        Some(q) => histogram.quantile(q).map(|time| time.as_millis_f64()),
                    }
                };
                add(format!("{}/{exchange}/{leg}/{name}", place.scope()), "ms", &value);
            }
        }
        let rate = |run: &RunIndex<'_>| {
            let seconds: Vec<(u64, f64)> =
                replicates_of(run, &place).iter().flat_map(|replicate| replicate.throughput()).collect();
            let ended: u64 = seconds.iter().map(|(count, _)| count).sum();
            (!seconds.is_empty()).then(|| ended as f64 / seconds.len() as f64)
        };
        add(format!("{}/throughput", place.scope()), "per_s", &rate);
    }
    search(&mut found);
    found
}

fn search(histories: &mut [History]) {
    let values: Vec<&[f64]> = histories.iter().map(|history| history.values.as_slice()).collect();
    let found = level_shifts(&values);
    histories.iter_mut().zip(found).for_each(|(history, shifts)| history.shifts = shifts);
}

/// Level shifts of each of these series, for those that are said to shift when all are judged together (Benjamini and
/// Hochberg).
pub(crate) fn level_shifts(family: &[&[f64]]) -> Vec<Vec<HistoryShift>> {
    // Values that cannot be searched have no shifts: a history is shown all the same.
    let chances: Vec<f64> =
        family.iter().map(|values| chance(values, HISTORY_ALARM, family.len()).unwrap_or(1.0)).collect();
    let adjusted = benjamini_hochberg(&chances).unwrap_or_default();
    let shift = |shift: &stats::change::divisive::Shift| HistoryShift {
        at: shift.at,
        before: shift.before,
        after: shift.after,
        p: shift.chance,
    };
    let of = |(place, values): (usize, &&[f64])| match adjusted.get(place) {
        Some(p) if *p <= HISTORY_ALARM => {
            let found = shifts(values, Demands::default()).unwrap_or_default();
            found.iter().map(shift).collect()
        }
        _ => Vec::new(),
    };
    family.iter().enumerate().map(of).collect()
}

fn replicates_of<'k, 'a>(run: &'k RunIndex<'a>, place: &Place) -> Vec<Replicate<'k, 'a>> {
    places(run).into_iter().filter(|(known, _)| known == place).flat_map(|(_, replicates)| replicates).collect()
}

fn times(run: &RunIndex<'_>, place: &Place, exchange: &str, leg: &str) -> Option<Histogram> {
    let mut all = Histogram::new();
    for replicate in replicates_of(run, place) {
        if let Some(data) = replicate.leg(exchange, leg, Timing::Response) {
            all.merge(&data.times);
        }
    }
    (all.total() > 0).then_some(all)
}

/// Whether a run is whole and valid, and had the same load and data in a scenario as the newest.
fn is_alike(first: &RunIndex<'_>, run: &RunIndex<'_>, place: &Place) -> bool {
    let steps: Vec<u32> = replicates_of(run, place).iter().flat_map(Replicate::numbers).collect();
    if run.index.head().trial.is_some() || run.validity(&steps).0 == Validity::Invalid {
        return false;
    }
    let scope = Scope::whole(&place.scenario);
    let of = |known: &RunIndex<'_>| {
        let of_scenario = Circumstances::of_scenario(known.index.head(), &place.scenario, Some(&scope));
        Circumstances::of_run(known.index.head(), known.study).with(of_scenario)
    };
    differences(&of(first), &of(run), &FORBIDDING).iter().all(|difference| !difference.forbids)
}
