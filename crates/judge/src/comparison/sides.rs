//! What lies on one side of a comparison: runs, their holds, and the seconds of one leg or series in them.

use super::Recorded;
use crate::Scope;
use crate::evidence::StepSpan;
use crate::figures::Unfinished;
use crate::little;
use crate::merge::{FewTimes, classes, sums, times_by_second};
use crate::rows::{Each, Index, seconds_within};
use crate::steps::{carried_out, step_results, transactions};
use crate::times::Censoring;
use crate::validity::{self, Placed, Thresholds};
use record::{LegPer, LegRow};
use stats::memory::{Memory, is_far_within};
use std::collections::BTreeMap;
use terms::{Histogram, Nanos, Outcome, Phase, SparseHistogram, Validity};

/// Longest hold that is listed second by second: a week. Beyond that several seconds share an entry.
const SECONDS_MAX: i64 = 7 * 86_400;
/// More timeouts than this share of all closes make every percentile a lower bound.
const TIMEOUTS_MAX: f64 = 0.01;

/// A run with its rows in order and its signs of validity.
pub(crate) struct RunIndex<'a> {
    pub(crate) index: Index<'a>,
    pub(crate) signs: Vec<Placed>,
    /// The effective study, as text.
    pub(crate) study: &'a str,
}

impl<'a> RunIndex<'a> {
    pub(crate) fn new(recorded: Recorded<'a>) -> Self {
        let index = Index::new(recorded.evidence);
        let steps = step_results(&index);
        let balances = little::balances(&index, None);
        // The usual limits for both sides, whatever their studies set: two runs are held against one yardstick.
        let signs = validity::signs(&index, &steps, &balances, &Thresholds::default());
        Self { index, signs, study: recorded.study }
    }

    pub(crate) fn id(&self) -> &'a str {
        &self.index.head().id
    }

    pub(crate) fn scenario_name(&self, step: &StepSpan) -> &'a str {
        self.index.head().scenarios.get(step.scenario).map_or("", |scenario| scenario.name.as_str())
    }

    /// The validity of some steps.
    pub(crate) fn validity(&self, steps: &[u32]) -> (Validity, String) {
        let held = validity::validity_of(&self.signs, steps);
        (held.validity, held.sign)
    }

    /// Holds with load, in order of time.
    pub(crate) fn holds(&self) -> impl Iterator<Item = &'a StepSpan> {
        self.index.evidence.steps.iter().filter(|step| step.phase == Phase::Hold)
    }
}

/// Which holds belong together: those of one scenario and part with one name, whatever their repetition.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Place {
    pub(crate) scenario: String,
    pub(crate) step: String,
    /// The part of a mix.
    pub(crate) part: Option<String>,
}

impl Place {
    /// `high_all/hold/rih`
    pub(crate) fn scope(&self) -> Scope {
        let shared = self.shared();
        self.part.as_ref().map_or(shared.clone(), |part| shared.within(part))
    }

    /// What all parts of a mix share: `high_all/hold`.
    pub(crate) fn shared(&self) -> Scope {
        Scope::step(&self.scenario, &self.step, None)
    }
}

/// One repetition of a place in one run.
#[derive(Clone)]
pub(crate) struct Replicate<'k, 'a> {
    pub(crate) known: &'k RunIndex<'a>,
    /// Its holds; one unless a step was cut in pieces.
    pub(crate) steps: Vec<&'a StepSpan>,
}

/// Places of a run in order of time, each with its repetitions.
pub(crate) fn places<'k, 'a>(known: &'k RunIndex<'a>) -> Vec<(Place, Vec<Replicate<'k, 'a>>)> {
    let mut places: Vec<(Place, BTreeMap<u32, Replicate<'k, 'a>>)> = Vec::new();
    for step in known.holds() {
        let planned = known.index.planned_step(step);
        let place = Place {
            scenario: known.scenario_name(step).to_owned(),
            step: step.id.clone(),
            part: planned.and_then(|planned| known.index.head().part_of(planned)).map(str::to_owned),
        };
        let repetition = known.index.repetition(step);
        let at = places.iter().position(|(known, _)| *known == place).unwrap_or_else(|| {
            places.push((place, BTreeMap::new()));
            places.len() - 1
        });
        let replicate = places[at].1.entry(repetition).or_insert(Replicate { known, steps: Vec::new() });
        replicate.steps.push(step);
    }
    places.into_iter().map(|(place, replicates)| (place, replicates.into_values().collect())).collect()
}

/// The repetitions of one scenario of a run, each with all its holds, or those of one step and one part.
pub(crate) fn replicates<'k, 'a>(
    known: &'k RunIndex<'a>,
    scenario: &str,
    step: Option<&str>,
    part: Option<&str>,
) -> Vec<Replicate<'k, 'a>> {
    let mut found: BTreeMap<u32, Replicate<'k, 'a>> = BTreeMap::new();
    for hold in known.holds().filter(|hold| known.scenario_name(hold) == scenario) {
        let own = known.index.planned_step(hold).and_then(|planned| known.index.head().part_of(planned));
        if step.is_some_and(|step| step != hold.id) || part.is_some_and(|part| own != Some(part)) {
            continue;
        }
        let repetition = known.index.repetition(hold);
        found.entry(repetition).or_insert(Replicate { known, steps: Vec::new() }).steps.push(hold);
    }
    found.into_values().collect()
}

/// One leg of an exchange in one repetition.
pub(crate) struct LegData {
    /// Times of those that succeeded, by second of the intended start, without gaps.
    pub(crate) seconds: Vec<SparseHistogram>,
    /// By second: failed, ended in all.
    pub(crate) failed: Vec<(u64, u64)>,
    /// All times that succeeded.
    pub(crate) times: Histogram,
    /// How late the generator was with the starts of the exchange.
    pub(crate) lateness: Histogram,
    /// What may have cut times off.
    pub(crate) censoring: Censoring,
    /// Whether so many timed out, never came or were cut off that every percentile is a lower bound.
    pub(crate) is_cut: bool,
    /// Calls that were planned and neither succeeded nor failed, as [`crate::figures::Figures::unsettled`] counts them.
    pub(crate) unsettled: u64,
    /// Seconds that the generator's threads stood in the run queue for each start.
    pub(crate) run_queue_s: f64,
}

impl LegData {
    /// What its times show of their memory, where failures may be time-outs: some are, or the slowest that succeeded was
    /// near to one.
    pub(crate) fn memory(&self) -> Option<Memory> {
        let (slowest, time_out) = (self.times.max()?, self.censoring.timeout);
        let is_far = time_out == Nanos::ZERO || is_far_within(slowest.as_secs_f64(), time_out.as_secs_f64());
        if is_far && !self.censoring.has_timeouts {
            return None;
        }
        let sums: Vec<(u64, f64)> = self.seconds.iter().map(|second| (second.total(), second.sum_ns / 1e6)).collect();
        Memory::of_sums(&sums, stats::moments::variance_of_histogram(&self.times).ok()?).ok()
    }
}

/// Which times of a leg are meant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Timing {
    /// From the intended start; in a closed load from the start.
    Response,
    /// From the start.
    Service,
}

impl Timing {
    fn of(self, row: &LegRow) -> &SparseHistogram {
        match self {
            Self::Response => crate::row::times_of(row),
            Self::Service => &row.service,
        }
    }
}

impl<'a> Replicate<'_, 'a> {
    pub(crate) fn numbers(&self) -> Vec<u32> {
        self.steps.iter().map(|step| step.number).collect()
    }

    /// Exchanges and their legs by name, in the order of the study, and transactions.
    pub(crate) fn legs(&self) -> Vec<(&'a str, &'a str)> {
        let head = self.known.index.head();
        let mut found = Vec::new();
        for step in &self.steps {
            let index = &self.known.index;
            for number in carried_out(index, step).chain(transactions(index, step)) {
                let exchange = &head.exchanges[usize::from(number)];
                for leg in &exchange.legs {
                    let pair = (exchange.name.as_str(), leg.name.as_str());
                    if !found.contains(&pair) {
                        found.push(pair);
                    }
                }
            }
        }
        found
    }

    /// Whether a leg takes place only where there is an occasion for it.
    pub(crate) fn is_occasional(&self, exchange: &str, leg: &str) -> bool {
        let mut exchanges = self.known.index.head().exchanges.iter();
        exchanges.any(|known| known.name == exchange && known.is_occasional(leg))
    }

    /// The figures of one leg; `None` where nothing of it ended.
    pub(crate) fn leg(&self, exchange: &str, leg: &str, timing: Timing) -> Option<LegData> {
        let index = &self.known.index;
        let number = index.head().exchanges.iter().position(|known| known.name == exchange)?;
        let head = &index.head().exchanges[number];
        let leg = u8::try_from(head.legs.iter().position(|known| known.name == leg)?).ok()?;
        let number = u16::try_from(number).ok()?;
        let (mut good, mut closes) = (BTreeMap::<i64, FewTimes>::new(), BTreeMap::<i64, (u64, u64)>::new());
        let (mut times, mut lateness) = (Histogram::new(), Histogram::new());
        let (mut timeouts, mut aborted, mut starts) = (0, 0, 0);
        for step in self.steps.iter().map(|step| step.number) {
            for (second, sums) in sums(index, step, number, leg).into_iter().filter(|(_, sums)| sums.intended() > 0) {
                let all = closes.entry(second).or_default();
                *all = (all.0 + sums.failed, all.1 + sums.intended());
            }
            for (second, own) in times_by_second(index.legs(step, number, leg), |row| timing.of(row)) {
                let own = own.finish();
                times.merge_sparse(&own);
                good.entry(second).or_default().add(&own);
            }
            let classes = classes(index, step, number, leg);
            timeouts += classes[Outcome::Timeout as usize] + classes[Outcome::Missing as usize];
            aborted += classes[Outcome::Aborted as usize];
            for row in index.starts(step, number) {
                lateness.merge_sparse(&row.lateness);
                starts += row.started;
            }
        }
        let all: u64 = closes.values().map(|(_, all)| all).sum();
        if all == 0 {
            return None;
        }
        let seconds = self.seconds(closes.keys().copied());
        let is_apart = head.legs.get(usize::from(leg)).is_some_and(|leg| leg.per != LegPer::Exchange);
        let unsettled = match leg {
            // What an interrupted run leaves open is told elsewhere.
            _ if is_apart || Unfinished::of(index).is_any() => 0,
            0 => self.due(number).saturating_sub(all),
            _ => aborted,
        };
        Some(LegData {
            seconds: seconds.list(good.into_iter().map(|(second, times)| (second, times.finish())), join_histograms),
            failed: seconds.list(closes, |a, b| (a.0 + b.0, a.1 + b.1)),
            times,
            lateness,
            censoring: Censoring { timeout: Nanos(head.timeout_ns), has_timeouts: timeouts > 0 },
            is_cut: (timeouts + aborted) as f64 > TIMEOUTS_MAX * all as f64,
            unsettled,
            run_queue_s: self.run_queue_s() / (starts.max(1) as f64),
        })
    }

    /// Calls of an exchange that were due in these holds, as [`Each::due`] has them.
    fn due(&self, exchange: u16) -> u64 {
        let index = &self.known.index;
        let of_step = |step: &&StepSpan| {
            let load = index.load_of(step);
            let (each, books) = (Each::of(load, exchange), index.books(step.number));
            let started = index.starts(step.number, exchange).map(|row| row.started).sum::<u64>();
            each.due(&books, started, load.is_some_and(|load| load.max_in_flight.is_some()))
        };
        self.steps.iter().map(of_step).sum::<f64>().round() as u64
    }

    /// Iterations that succeeded in each whole second of the holds.
    pub(crate) fn throughput(&self) -> Vec<(u64, f64)> {
        let index = &self.known.index;
        self.by_end(|step| index.iterations(step).map(|row| (row.end_s, row.books.completed)).collect())
    }

    /// Those of one leg that succeeded in each whole second of the holds, whenever they were intended.
    pub(crate) fn succeeded(&self, exchange: &str, leg: &str) -> Vec<(u64, f64)> {
        let index = &self.known.index;
        let head = index.head();
        let number = head.exchanges.iter().position(|known| known.name == exchange);
        let leg = number.and_then(|number| head.exchanges[number].legs.iter().position(|known| known.name == leg));
        let (Some(number), Some(leg)) = (number, leg) else { return Vec::new() };
        self.by_end(|step| {
            let seconds = sums(index, step, number as u16, leg as u8).into_iter();
            seconds.map(|(second, sums)| (second, sums.ended_ok)).collect()
        })
    }

    /// Counts by second of the end, in the whole seconds of the holds, whichever steps of the same part they began in.
    fn by_end(&self, ends: impl Fn(u32) -> Vec<(i64, u64)>) -> Vec<(u64, f64)> {
        let index = &self.known.index;
        let mut listed: BTreeMap<i64, u64> = BTreeMap::new();
        for step in &self.steps {
            let seconds = seconds_within(step.from, step.to);
            let last = seconds.end.min(seconds.start.saturating_add(SECONDS_MAX));
            // Parts of a mix hold at the same time: their counts add up, their seconds do not.
            (seconds.start..last).for_each(|second| {
                listed.entry(second).or_default();
            });
            let all = index.steps_of_part(step.scenario, index.part(step));
            for (second, count) in all.flat_map(|step| ends(step.number)).filter(|(second, _)| seconds.contains(second))
            {
                *listed.entry(second).or_default() += count;
            }
        }
        listed.into_values().map(|count| (count, 0.0)).collect()
    }

    /// Seconds from the begin of the holds to their last second or the last row.
    fn seconds(&self, rows: impl Iterator<Item = i64> + Clone) -> Listing {
        let begin = self.steps.iter().map(|step| step.from.second());
        let end = self.steps.iter().map(|step| (step.to - Nanos(1)).second());
        let first = begin.chain(rows.clone()).min().unwrap_or(0);
        let last = end.chain(rows).max().unwrap_or(first);
        Listing { first, last, width: (last.saturating_sub(first) / SECONDS_MAX).max(0) + 1 }
    }

    /// Run-queue delay of the generator's threads during the holds, seconds.
    fn run_queue_s(&self) -> f64 {
        let numbers = self.numbers();
        let rows = self.known.index.evidence.engine.iter().filter(|row| numbers.contains(&row.step));
        rows.map(|row| if row.run_queue_s.is_finite() { row.run_queue_s.max(0.0) } else { 0.0 }).sum()
    }
}

/// A list of seconds.
struct Listing {
    first: i64,
    last: i64,
    width: i64,
}

impl Listing {
    fn list<T: Clone + Default>(
        &self,
        entries: impl IntoIterator<Item = (i64, T)>,
        join: impl Fn(&T, &T) -> T,
    ) -> Vec<T> {
        let length = self.last.saturating_sub(self.first) / self.width + 1;
        let mut listed = vec![T::default(); length.clamp(1, SECONDS_MAX + 1) as usize];
        for (second, value) in entries {
            let at = usize::try_from((second - self.first) / self.width).unwrap_or(0).min(listed.len() - 1);
            listed[at] = join(&listed[at], &value);
        }
        listed
    }
}

fn join_histograms(a: &SparseHistogram, b: &SparseHistogram) -> SparseHistogram {
    let mut joined = FewTimes::default();
    [a, b].into_iter().for_each(|times| joined.add(times));
    joined.finish()
}
