//! Behaviour over time: every watched series and every exchange, in each hold. Gathered once, for all rules.
//!
//! Hundreds of series are looked at, so each rule demands an effect that matters besides a p divided by the number of
//! looks, and says one thing once: what shifts at the same moment is one finding, led by the greatest.

pub(super) mod around;
pub(super) mod ceiling;
pub(super) mod drift;
pub(super) mod drop;
pub(super) mod heap;
pub(super) mod idle;
pub(super) mod leak;
pub(super) mod no_return;
pub(super) mod skew;
pub(super) mod spike;
pub(super) mod stall;
pub(super) mod state;
pub(super) mod warm_up;

use super::declare::Count;
use super::{Found, RuleInput, finding};
use crate::Scope;
use crate::evaluate::{Kind, metric_kind};
use crate::evidence::{Instance, Rows, StepSpan};
use crate::parallel;
use crate::rows::seconds_within;
use crate::series::Looked;
use crate::{Arg, Finding, Gravity, StepResult};
use contract::Role;
use record::{MetricHead, MonitorHead};
use std::collections::BTreeSet;
use std::sync::OnceLock;
use terms::{Nanos, Phase};

/// Rules over time skip shorter holds, seconds.
const HOLD_SECONDS: f64 = 60.0;
/// Chance of a false trend, over all times of calls, and over all watched series, that are examined together.
const TREND_ALARM: f64 = 0.01;
/// The p of a single trend need not be smaller than this, however many are examined.
const TREND_P_LEAST: f64 = 2e-5;
/// Changes this close together are of one moment, seconds.
const SAME_MOMENT: f64 = 60.0;
/// A series with a larger share of missing samples is skipped.
const SERIES_MISSING: f64 = 0.1;

/// Everything over time.
pub(super) fn all(seen: &RuleInput<'_>) -> Vec<Finding> {
    let watched = Watched::of(seen);
    let drops = drop::drops(&watched);
    let stalls = stall::stalls(&watched);
    let mut findings = leak::leaks(&watched);
    findings.extend(ceiling::ceilings(&watched));
    findings.extend(heap::all(&watched));
    let beginnings = warm_up::beginnings(&watched, &drops);
    let drifts = drift::drifts(&watched, &drops, &beginnings);
    findings.extend(warm_up::findings(&watched, beginnings, &drifts));
    findings.extend(drifts);
    findings.extend(spike::spikes(&watched, &stalls));
    findings.extend(skew::skewed(&watched));
    findings.extend(idle::idle(&watched));
    findings.extend(no_return::no_return(&watched));
    findings.extend(state::state(&watched));
    findings.extend(drops.into_iter().map(|drop| drop.finding));
    findings.extend(stalls.into_iter().map(|stall| stall.finding));
    findings
}

/// A watched series.
struct Series<'a> {
    monitor: &'a MonitorHead,
    metric: &'a MetricHead,
    instance: &'a str,
    rows: &'a Rows,
    /// Its place among the evidence's series.
    place: ((u16, u16), usize),
}

impl Series<'_> {
    /// `host.cpu`
    fn name(&self) -> String {
        format!("{}.{}", self.monitor.name, self.metric.name)
    }

    /// `host.cpu`, with its instance where that says more.
    fn subject(&self) -> String {
        if self.instance.is_empty() || self.instance == self.monitor.name {
            self.name()
        } else {
            format!("{} ({})", self.name(), self.instance)
        }
    }

    fn kind(&self) -> Kind {
        metric_kind(&self.metric.unit)
    }

    /// What was seen from one moment to another, in order of time.
    fn within(&self, from: Nanos, to: Nanos) -> Vec<(Nanos, f64)> {
        let points = self.rows.points(self.place.0, self.place.1, from..to).into_iter();
        points.filter_map(|(at, value)| value.map(|value| (at, value))).collect()
    }

    fn values(&self, from: Nanos, to: Nanos) -> Vec<f64> {
        self.within(from, to).into_iter().map(|(_, value)| value).collect()
    }

    /// What is looked at over a stretch: a level, or what a counter grows by a second. `None` for durations.
    fn looked(&self, from: Nanos, to: Nanos) -> Option<Looked> {
        let points = self.within(from, to);
        match self.metric.kind.as_str() {
            "gauge" => Some(Looked { is_memory: self.is_memory(), ..Looked::level_of(&points, self.kind()) }),
            "counter" => Some(Looked::rate_of(&points, self.kind())),
            _ => None,
        }
    }

    /// Whether it is a level of one of these roles.
    fn is_level_of(&self, roles: &[Role]) -> bool {
        self.metric.kind == "gauge" && self.metric.role().is_some_and(|role| roles.contains(&role))
    }

    /// Memory that is held, not what passes or what there is.
    fn is_memory(&self) -> bool {
        self.metric.kind == "gauge"
            && self.metric.unit == "bytes"
            && self.metric.of.is_none()
            && !self.metric.role().is_some_and(Role::is_not_held)
    }

    fn evidence(&self) -> Vec<String> {
        vec![format!("watch:{}", self.name())]
    }
}

/// A hold that is long enough.
struct Hold<'a> {
    span: &'a StepSpan,
    step: &'a StepResult,
    /// `nominal/hold`, in a mix with its part.
    scope: Scope,
    /// The same without the part: what is watched belongs to all parts.
    shared: Scope,
    calls: OnceLock<Vec<Calls>>,
}

impl Hold<'_> {
    fn seconds(&self) -> f64 {
        (self.span.to - self.span.from).as_secs_f64()
    }
}

/// What rules over time see.
struct Watched<'a> {
    seen: &'a RuleInput<'a>,
    series: Vec<Series<'a>>,
    /// Heaps that are collected: what rises and falls with every collection is looked at by rules of its own.
    heaps: Vec<Series<'a>>,
    holds: Vec<Hold<'a>>,
    /// Trends of a shortened trial are not told.
    is_trial: bool,
}

impl<'a> Watched<'a> {
    fn of(seen: &'a RuleInput<'a>) -> Self {
        let evidence = seen.index.evidence;
        let rows: &Rows = &evidence.rows;
        let of_metric = |(metric, instances): ((u16, u16), &'a [Instance])| {
            let (monitor, number) = (evidence.head.monitors.get(usize::from(metric.0)), usize::from(metric.1));
            let known = monitor.and_then(|monitor| Some((monitor, monitor.metrics.get(number)?)));
            let series = move |(monitor, metric_head): (&'a MonitorHead, &'a MetricHead)| {
                let whole = instances.iter().enumerate().filter(|(_, instance)| instance.is_whole(SERIES_MISSING));
                whole.map(move |(place, instance)| Series {
                    monitor,
                    metric: metric_head,
                    instance: &instance.name,
                    rows,
                    place: (metric, place),
                })
            };
            known.into_iter().flat_map(series)
        };
        let hold = |(span, step): (&'a StepSpan, &'a StepResult)| {
            let (scope, shared) = (seen.index.scope(span), seen.index.shared_scope(span));
            let hold = Hold { span, step, scope, shared, calls: OnceLock::new() };
            (span.phase == Phase::Hold && hold.seconds() >= HOLD_SECONDS).then_some(hold)
        };
        let is_of_heap = |one: &Series<'_>| crate::series::is_of_heap(one.monitor, one.metric);
        let (heaps, series) = rows.sampled().flat_map(of_metric).partition(is_of_heap);
        Self {
            seen,
            series,
            heaps,
            holds: evidence.steps.iter().zip(seen.steps).filter_map(hold).collect(),
            is_trial: evidence.head.trial.is_some(),
        }
    }

    /// Holds for what is watched: of those that lie over each other, as the parts of a mix do, the longest.
    fn windows(&self) -> impl Iterator<Item = &Hold<'a>> {
        let is_over = |a: &Hold<'_>, b: &Hold<'_>| a.span.from < b.span.to && b.span.from < a.span.to;
        let is_before = |(place, hold): (usize, &Hold<'_>), (other_place, other): (usize, &Hold<'_>)| {
            other.seconds() > hold.seconds() || (other.seconds() == hold.seconds() && other_place < place)
        };
        self.holds.iter().enumerate().filter_map(move |(place, hold)| {
            let mut others = self.holds.iter().enumerate();
            let is_covered = others.any(|(other_place, other)| {
                other_place != place && is_over(hold, other) && is_before((place, hold), (other_place, other))
            });
            (!is_covered).then_some(hold)
        })
    }

    /// Iterations that succeeded a second, in this hold and those that lie over it.
    fn throughput(&self, hold: &Hold<'_>) -> f64 {
        let over = self.holds.iter().filter(|other| other.span.from < hold.span.to && hold.span.from < other.span.to);
        over.map(|other| other.step.throughput_per_s).sum()
    }

    /// Largest p of a trend when so many are looked at.
    fn p_max(looks: usize) -> f64 {
        (TREND_ALARM / looks.max(1) as f64).max(TREND_P_LEAST)
    }

    /// Whether what is watched is looked at in this hold.
    fn is_window(&self, hold: &Hold<'_>) -> bool {
        self.windows().any(|window| std::ptr::eq(window, hold))
    }

    /// Counts of work that is done: those that close a leg, and those that a requirement names.
    fn work_counts(&self) -> impl Iterator<Item = &Series<'a>> {
        let closing = self.seen.index.head().exchanges.iter().flat_map(|exchange| &exchange.counted);
        let mut names: BTreeSet<(&str, &str)> =
            closing.map(|leg| (leg.monitor.as_str(), leg.metric.as_str())).collect();
        let rules = self.seen.study.requirements.iter().flat_map(|it| &it.applies).map(|applies| &applies.rule);
        for series in rules.flat_map(|rule| &rule.clauses).flat_map(study::rule::Clause::series) {
            if let study::rule::Subject::Metric { monitor, metric } = &series.subject {
                names.insert((monitor, metric));
            }
        }
        let is_work = move |series: &&Series<'_>| {
            series.metric.kind == "counter"
                && series.kind() == Kind::Count
                && names.contains(&(series.monitor.name.as_str(), series.metric.name.as_str()))
        };
        self.series.iter().filter(is_work)
    }

    /// First legs of a hold's exchanges, second by second: merged when the first rule asks, and kept for the others.
    fn calls<'h>(&self, hold: &'h Hold<'a>) -> &'h [Calls] {
        hold.calls.get_or_init(|| {
            let exchanges: Vec<u16> = crate::steps::carried_out(self.seen.index, hold.span).collect();
            let calls = parallel::each(&exchanges, |exchange| Calls::of(self, hold, *exchange));
            calls.into_iter().flatten().collect()
        })
    }
}

/// One exchange in a hold. Only seconds in which something happened are kept: a hold may last days, and have hundreds of
/// exchanges.
struct Calls {
    name: String,
    /// The first second of the hold, and how many it has.
    first: i64,
    length: usize,
    seconds: Vec<SecondOfCalls>,
}

/// What happened in one second.
struct SecondOfCalls {
    /// Its place in the hold.
    place: usize,
    /// Succeeded, by second of the end.
    ended: u64,
    /// Number and mean time in seconds of what succeeded, by second of the intended start.
    count: u64,
    mean: f64,
}

impl Calls {
    fn of(watched: &Watched<'_>, hold: &Hold<'_>, exchange: u16) -> Option<Self> {
        let index = watched.seen.index;
        let head = index.head().exchanges.get(usize::from(exchange))?;
        let within = seconds_within(hold.span.from, hold.span.to);
        let length = usize::try_from(within.end - within.start).ok().filter(|length| *length <= 8 * 86_400)?;
        let merged = crate::merge::sums(index, hold.span.number, exchange, 0);
        let seconds = merged.range(within.clone()).map(|(second, merged)| SecondOfCalls {
            place: usize::try_from(second - within.start).unwrap_or_default(),
            ended: merged.ended_ok,
            count: merged.ok,
            mean: if merged.ok > 0 { merged.sum_ns / 1e9 / merged.ok as f64 } else { 0.0 },
        });
        Some(Self { name: head.name.clone(), first: within.start, length, seconds: seconds.collect() })
    }

    fn count(&self) -> u64 {
        self.seconds.iter().map(|second| second.count).sum()
    }

    /// A value of each second of the hold.
    fn each<T: Clone + Default>(&self, of: impl Fn(&SecondOfCalls) -> T) -> Vec<T> {
        let mut all = vec![T::default(); self.length];
        self.seconds.iter().for_each(|second| all[second.place] = of(second));
        all
    }

    /// How many succeeded in each second.
    fn ended(&self) -> Vec<f64> {
        self.each(|second| second.ended as f64)
    }

    /// How many that succeeded were meant to begin in each second.
    fn counts(&self) -> Vec<u64> {
        self.each(|second| second.count)
    }

    /// Mean times; a second without calls keeps the mean before it.
    fn means(&self) -> Vec<f64> {
        let mut timed = self.seconds.iter().filter(|second| second.count > 0).peekable();
        let mut last = timed.peek().map_or(0.0, |second| second.mean);
        let of_place = |place| {
            if let Some(second) = timed.next_if(|second| second.place == place) {
                last = second.mean;
            }
            last
        };
        (0..self.length).map(of_place).collect()
    }
}

/// A value as an argument of a sentence.
fn arg(kind: Kind, value: f64) -> Arg {
    crate::requirements::unit_arg(kind, value)
}

/// A finding about a series.
fn of_series(severity: Gravity, scope: &Scope, series: &Series<'_>, found: impl Into<Found>) -> Finding {
    Finding { evidence: series.evidence(), ..finding(severity, scope, found) }
}

fn text(text: impl Into<String>) -> String {
    text.into()
}

fn others(count: usize) -> Count {
    Count(count.saturating_sub(1) as f64)
}
