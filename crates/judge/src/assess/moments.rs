//! Moments: what was out of its ordinary within a second of each other, joined to one line. A line is led by what
//! clients felt (the slowest calls, failures, silence) or by something that was recorded as an event; watched series
//! that were out of their ordinary at the same time, and seldom otherwise, are named beside it.
//!
//! That things happened together is a fact; that one caused the other is not said.

mod excursions;

pub use excursions::{Course, Demands, Excursion, LEAD_ALARM};

use crate::evaluate::{Kind, metric_kind};
use crate::views::{LegSecond, MetricView, StepView, Views};
use std::collections::BTreeMap;
use terms::{Nanos, Phase};

/// So near to each other things are of one moment.
pub const TOGETHER: Nanos = Nanos::SECOND;
/// Slowest calls lead from so many times their usual time above it, and by so many milliseconds.
const SLOW: Demands = Demands { part: 2.0, least: 5.0 };
/// Failures lead from one a second on.
const FAILED: Demands = Demands { part: 1.0, least: 0.5 };
/// A watched series is named from half above its usual level on; by how much at least depends on its unit.
const WATCHED: f64 = 0.5;
/// The generator's wait for a processor is named from so many seconds a second on.
const WAITED: Demands = Demands { part: 1.0, least: 0.01 };
/// A second in which nothing ended is silence where so many usually end: chance has one in e^20.
const SILENCE: f64 = 20.0;
/// Series sampled more seldom show no moment, seconds.
const SPACING: f64 = 2.5;
/// A kind of event that is recorded more often than this leads no line.
const EVENTS_FEW: usize = 12;

/// What leads a line.
#[derive(Clone, Debug, PartialEq)]
pub enum Lead {
    /// The slowest calls of a leg, milliseconds.
    Slow { exchange: String, leg: String, greatest_ms: f64, usual_ms: f64 },
    /// Calls of an exchange that failed.
    Failed { exchange: String, count: u64 },
    /// Nothing ended for so many seconds, where so many a second usually do.
    Silent { seconds: u64, usual: f64 },
    /// An event, by its place in [`Views::events`].
    Event(usize),
}

/// A watched series that was out of its ordinary at the same time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Beside {
    /// Its place in [`Views::metrics`]; `None` for the wait of the generator's threads for a processor.
    pub metric: Option<usize>,
    /// Greatest and usual value: of a counter, what it grew by a second.
    pub greatest: f64,
    pub usual: f64,
}

/// One line: what happened together.
#[derive(Clone, Debug, PartialEq)]
pub struct Moment {
    /// Number of the step; zero outside all holds.
    pub step: u32,
    pub from: Nanos,
    pub to: Nanos,
    /// What clients felt and what was recorded, the gravest first.
    pub leads: Vec<Lead>,
    /// What was out of its ordinary beside it, the farthest first.
    pub beside: Vec<Beside>,
    /// How many would be named beside it by chance if nothing belonged together.
    pub by_chance: f64,
}

/// Every moment of a run, in order of time.
pub fn moments(views: &Views) -> Vec<Moment> {
    let holds: Vec<&StepView> = views.steps.iter().filter(|step| step.phase == Phase::Hold).collect();
    let looks: usize = holds.iter().flat_map(|hold| &hold.exchanges).map(|exchange| exchange.legs.len() + 1).sum();
    let mut found: Vec<Moment> = holds.iter().flat_map(|hold| felt(hold, looks)).collect();
    found.extend(events(views, &holds));
    let mut joined = joined(found);
    let mut watched: BTreeMap<u32, Vec<(Option<usize>, Demands, Course)>> = BTreeMap::new();
    for moment in &mut joined {
        let Some(hold) = holds.iter().find(|hold| hold.number == moment.step) else { continue };
        let courses = watched.entry(hold.number).or_insert_with(|| watched_in(views, hold));
        let around = (moment.from - TOGETHER, moment.to + TOGETHER);
        let seen = courses.iter().filter_map(|(metric, demands, course)| {
            let found = course.beside(*demands, around)?;
            Some(Beside { metric: *metric, greatest: found.greatest, usual: found.usual })
        });
        moment.beside = seen.collect();
        moment.beside.sort_by(|a, b| height(b).total_cmp(&height(a)));
        moment.by_chance =
            courses.iter().map(|(_, demands, course)| course.by_chance(*demands, around.1 - around.0)).sum();
    }
    joined
}

/// How many times the usual; what usually is zero stands highest.
fn height(beside: &Beside) -> f64 {
    beside.greatest / beside.usual.abs().max(1e-9)
}

/// What clients felt in a hold.
fn felt(hold: &StepView, looks: usize) -> Vec<Moment> {
    let whole = |second: i64| {
        let from = Nanos::from_secs(second);
        hold.from <= from && from + Nanos::SECOND <= hold.to
    };
    let of = |found: Excursion, lead: Lead| Moment {
        step: hold.number,
        from: found.from,
        to: found.to,
        leads: vec![lead],
        beside: Vec::new(),
        by_chance: 0.0,
    };
    let mut all = Vec::new();
    for exchange in &hold.exchanges {
        for leg in &exchange.legs {
            let slowest = |of: &LegSecond| of.max.map(Nanos::as_millis_f64);
            let course = by_second(leg.seconds.iter().filter(|of| whole(of.second)).map(|of| (of.second, slowest(of))));
            all.extend(course.apart(SLOW, looks).into_iter().map(|found| {
                let (exchange, leg) = (exchange.name.clone(), leg.name.clone());
                of(found, Lead::Slow { exchange, leg, greatest_ms: found.greatest, usual_ms: found.usual })
            }));
        }
        let failed = failed_by_second(exchange.legs.iter().flat_map(|leg| &leg.seconds));
        let (from, to) = (hold.from.second(), hold.to.second());
        let counts = (from..to).filter(|second| whole(*second));
        let of_second = |second: i64| failed.get(&second).copied().unwrap_or(0);
        // Where nothing failed, no second stands out, however many there are.
        if failed.values().all(|failed| *failed == 0) {
            continue;
        }
        let course = by_second(counts.map(|second| (second, Some(of_second(second) as f64))));
        all.extend(course.apart(FAILED, looks).into_iter().map(|found| {
            let count = (found.from.second()..=found.to.second()).map(of_second).sum();
            of(found, Lead::Failed { exchange: exchange.name.clone(), count })
        }));
    }
    all.extend(silent(hold, whole).into_iter().map(|(found, lead)| of(found, lead)));
    all
}

fn by_second(seconds: impl Iterator<Item = (i64, Option<f64>)>) -> Course {
    let values = seconds.filter_map(|(second, value)| {
        let from = Nanos::from_secs(second);
        Some((from, from + Nanos::SECOND, value?))
    });
    Course { values: values.collect() }
}

fn failed_by_second<'a>(seconds: impl Iterator<Item = &'a LegSecond>) -> BTreeMap<i64, u64> {
    let mut counts = BTreeMap::new();
    for of in seconds {
        *counts.entry(of.second).or_default() += of.failed;
    }
    counts
}

/// Seconds in which no iteration ended, where that cannot be chance.
fn silent(hold: &StepView, whole: impl Fn(i64) -> bool) -> Vec<(Excursion, Lead)> {
    let ended: BTreeMap<i64, u64> = hold.seconds.iter().map(|of| (of.second, of.ended_ok + of.ended_failed)).collect();
    let seconds: Vec<i64> = (hold.from.second()..=hold.to.second()).filter(|second| whole(*second)).collect();
    let counts: Vec<f64> = seconds.iter().map(|second| ended.get(second).copied().unwrap_or(0) as f64).collect();
    let Some(usual) = stats::series::median(&counts).filter(|usual| *usual >= SILENCE) else { return Vec::new() };
    let mut found: Vec<(Excursion, Lead)> = Vec::new();
    for second in seconds.iter().zip(&counts).filter(|(_, count)| **count == 0.0).map(|(second, _)| *second) {
        let (from, to) = (Nanos::from_secs(second), Nanos::from_secs(second + 1));
        match found.last_mut() {
            Some((last, Lead::Silent { seconds, .. })) if last.to == from => {
                last.to = to;
                *seconds += 1;
            }
            _ => found.push((Excursion { from, to, greatest: 0.0, usual }, Lead::Silent { seconds: 1, usual })),
        }
    }
    if found.len() > EVENTS_FEW { Vec::new() } else { found }
}

/// What was recorded as an event while there was load, of kinds that are rare.
fn events(views: &Views, holds: &[&StepView]) -> Vec<Moment> {
    let mut often: BTreeMap<&str, usize> = BTreeMap::new();
    for event in &views.events {
        *often.entry(&event.kind).or_default() += 1;
    }
    let is_under_load = |at: Nanos| {
        let mut steps = views.steps.iter().filter(|step| step.phase.has_load());
        steps.any(|step| step.from <= at && at <= step.to)
    };
    let of = |(place, event): (usize, &record::EventRow)| {
        let is_few = often.get(event.kind.as_str()).is_some_and(|count| *count <= EVENTS_FEW);
        let hold = holds.iter().find(|hold| hold.from <= event.at && event.at <= hold.to);
        let is_no_moment = event.kind == contract::FULL_COLLECTION || record::OF_FILES.contains(&event.kind.as_str());
        (is_few && !is_no_moment && is_under_load(event.at)).then(|| Moment {
            step: hold.map_or(0, |hold| hold.number),
            from: event.at,
            to: event.at,
            leads: vec![Lead::Event(place)],
            beside: Vec::new(),
            by_chance: 0.0,
        })
    };
    views.events.iter().enumerate().filter_map(of).collect()
}

/// What is within a second of each other, as one moment.
fn joined(mut found: Vec<Moment>) -> Vec<Moment> {
    found.sort_by_key(|moment| (moment.from, moment.to));
    let mut joined: Vec<Moment> = Vec::new();
    for moment in found {
        match joined.last_mut().filter(|last| moment.from - last.to <= TOGETHER) {
            Some(last) => {
                last.to = last.to.max(moment.to);
                last.step = if last.step == 0 { moment.step } else { last.step };
                last.leads.extend(moment.leads);
            }
            None => joined.push(moment),
        }
    }
    for moment in &mut joined {
        moment.leads.sort_by(|a, b| gravity(b).total_cmp(&gravity(a)));
    }
    joined
}

/// What comes first of several: events, silence, failures, then the slowest.
fn gravity(lead: &Lead) -> f64 {
    match lead {
        Lead::Event(_) => f64::MAX,
        Lead::Silent { .. } => 1e18,
        Lead::Failed { count, .. } => 1e12 + *count as f64,
        Lead::Slow { greatest_ms, .. } => *greatest_ms,
    }
}

/// Everything that was watched in a hold, sample by sample.
fn watched_in(views: &Views, hold: &StepView) -> Vec<(Option<usize>, Demands, Course)> {
    let is_near = |course: &Course| {
        let span = |(from, to, _): &(Nanos, Nanos, f64)| (*to - *from).as_secs_f64();
        course.values.iter().map(span).sum::<f64>() <= SPACING * course.values.len() as f64
    };
    let of_metric = |(place, view): (usize, &MetricView)| {
        let (kind, course) = course_of(view, hold)?;
        is_near(&course).then_some((Some(place), Demands { part: WATCHED, least: least(kind) }, course))
    };
    let mut all: Vec<_> = views.metrics.iter().enumerate().filter_map(of_metric).collect();
    let inside = views.generator.iter().filter(|of| {
        let from = Nanos::from_secs(of.second);
        hold.from <= from && from + Nanos::SECOND <= hold.to
    });
    all.push((None, WAITED, by_second(inside.map(|of| (of.second, Some(of.run_queue_s))))));
    all
}

/// How far above its usual level a watched series must be, in base units. Less is a tick of a clock, or a page of memory.
fn least(kind: Kind) -> f64 {
    match kind {
        Kind::Share => 0.15,
        Kind::Cores => 0.25,
        Kind::Time => 0.005,
        Kind::Count => 0.5,
        Kind::PerSecond => 5.0,
        Kind::Bytes => 65_536.0,
    }
}

/// A gauge's samples, or what a counter grew by a second between them; `None` of a series that shows no moments.
fn course_of(view: &MetricView, hold: &StepView) -> Option<(Kind, Course)> {
    let metric = view.monitor.metrics.get(view.metric)?;
    let unit = metric_kind(&metric.unit);
    let seen: Vec<(Nanos, f64)> = view
        .points
        .iter()
        .filter(|(at, _)| hold.from <= *at && *at <= hold.to)
        .filter_map(|(at, value)| Some((*at, (*value)?)))
        .collect();
    let pairs = || seen.windows(2).map(|pair| (pair[0], pair[1]));
    match metric.kind.as_str() {
        "gauge" => {
            Some((unit, Course { values: pairs().map(|(before, (at, value))| (before.0, at, value)).collect() }))
        }
        "counter" => {
            let kind = if unit == Kind::Time { Kind::Cores } else { Kind::PerSecond };
            let grown = pairs().filter_map(|((before, from), (at, to))| {
                let seconds = (at - before).as_secs_f64();
                // After a restart it counts from zero.
                let by = if to < from { to.max(0.0) } else { to - from };
                (seconds > 0.0).then(|| (before, at, by / seconds))
            });
            Some((kind, Course { values: grown.collect() }))
        }
        _ => None,
    }
}
