//! Views for the report: the evidence by step, exchange, leg and second.

use crate::evidence::{Evidence, Instance, StepSpan};
use crate::merge::{Closes, LegMerge, LegSums, below, by_stream, heat, percentiles_by_second};
use crate::row::times_of;
use crate::rows::Index;
use crate::steps::carried_out;
use crate::views::{
    ExchangeView, GeneratorSecond, LegSecond, LegView, MetricView, STRETCH_S, SecondView, StepView, StreamView,
    Stretch, Views,
};
use record::{LegHead, LegPer};
use std::collections::BTreeMap;
use terms::{Nanos, Population};

/// Longest stretch of empty seconds that one list holds, and all lists together: a week, and some hundred megabytes.
/// What lies beyond is in the sums all the same, and a list then leaves its empty seconds out.
const GAP_MAX: usize = 7 * 86_400;
const GAPS_MAX: usize = 4_000_000;

/// Seconds without rows that may still be listed.
struct Gaps(usize);

impl Gaps {
    /// Lists every second from `first` to the last with an entry; the empty ones as `empty` makes them.
    fn list<T>(
        &mut self,
        first: Option<i64>,
        last: Option<i64>,
        mut seconds: BTreeMap<i64, T>,
        empty: fn(i64) -> T,
    ) -> Vec<T> {
        let least = seconds.first_key_value().map(|(second, _)| *second);
        let greatest = seconds.last_key_value().map(|(second, _)| *second);
        let (Some(first), Some(last)) = (first.into_iter().chain(least).min(), last.into_iter().chain(greatest).max())
        else {
            return Vec::new();
        };
        let span = usize::try_from(last.saturating_sub(first)).unwrap_or(usize::MAX).saturating_add(1);
        let gaps = span.saturating_sub(seconds.len());
        if gaps <= GAP_MAX && gaps <= self.0 {
            self.0 -= gaps;
            for second in first..=last {
                seconds.entry(second).or_insert_with(|| empty(second));
            }
        }
        seconds.into_values().collect()
    }
}

/// Merges everything once.
pub(crate) fn collect(index: &Index<'_>) -> Views {
    let evidence = index.evidence;
    let mut gaps = Gaps(GAPS_MAX);
    Views {
        steps: evidence.steps.iter().map(|step| step_view(index, step, &mut gaps)).collect(),
        metrics: metric_views(evidence),
        counted: evidence.counted(),
        events: evidence.events.clone(),
        notes: evidence.rows.notes.clone(),
        generator: generator(evidence),
        end: evidence.end,
    }
}

fn step_view(index: &Index<'_>, step: &StepSpan, gaps: &mut Gaps) -> StepView {
    let name = index.head().scenarios.get(step.scenario).map_or("", |scenario| scenario.name.as_str());
    let planned = index.planned_step(step);
    let is_repeated = index.head().repetitions(step.scenario as u16) > 1;
    let mut exchange = |number| exchange_view(index, step, number, gaps);
    let exchanges = carried_out(index, step).map(&mut exchange).collect();
    StepView {
        number: step.number,
        scenario: step.scenario as u16,
        scenario_name: name.to_owned(),
        title: if is_repeated { format!("{name}#{}", index.repetition(step)) } else { name.to_owned() },
        part: planned.and_then(|planned| index.head().part_of(planned)).map(str::to_owned),
        repetition: index.repetition(step),
        scope: index.scope(step),
        id: step.id.clone(),
        phase: step.phase,
        from: step.from,
        to: step.to,
        is_ended: step.is_ended,
        is_closed: index.load_of(step).is_some_and(|load| load.model == "closed"),
        users: planned.and_then(|planned| planned.users),
        books: index.books(step.number),
        lateness: index.lateness(step.number),
        exchanges,
        seconds: seconds(index, step, gaps),
    }
}

fn seconds(index: &Index<'_>, step: &StepSpan, gaps: &mut Gaps) -> Vec<SecondView> {
    let empty = |second| SecondView { second, ..SecondView::default() };
    let mut by_second: BTreeMap<i64, SecondView> = BTreeMap::new();
    for row in index.iterations(step.number) {
        let intended = by_second.entry(row.intended_s).or_insert_with(|| empty(row.intended_s));
        intended.intended += row.books.intended;
        intended.started += row.books.started;
        intended.dropped += row.books.dropped;
        let ended = by_second.entry(row.end_s).or_insert_with(|| empty(row.end_s));
        ended.ended_ok += row.books.completed;
        ended.ended_failed += row.books.failed;
    }
    let last = (step.to - Nanos(1)).second();
    gaps.list(Some(step.from.second()), Some(last), by_second, empty)
}

fn exchange_view(index: &Index<'_>, step: &StepSpan, number: u16, gaps: &mut Gaps) -> ExchangeView {
    let head = &index.head().exchanges[usize::from(number)];
    let part = index.planned_step(step).and_then(|planned| index.head().part_of(planned));
    ExchangeView {
        exchange: number,
        name: part.map_or_else(|| head.name.clone(), |part| format!("{part}/{}", head.name)),
        intended: index.planned(step, number),
        started: index.started(step.number, number),
        timeout: Nanos(head.timeout_ns),
        legs: head
            .legs
            .iter()
            .enumerate()
            .filter_map(|(leg, kind)| leg_view(index, step, (number, leg as u8), kind, gaps))
            .collect(),
    }
}

/// A leg; `None` of one that there is on occasion only, where there was no occasion.
fn leg_view(
    index: &Index<'_>,
    step: &StepSpan,
    (exchange, leg): (u16, u8),
    kind: &LegHead,
    gaps: &mut Gaps,
) -> Option<LegView> {
    let key = (step.number, exchange, leg);
    let merge = LegMerge::of(index, step.number, exchange, leg);
    if kind.per == LegPer::Occasion && merge.is_empty() {
        return None;
    }
    let mut times = percentiles_by_second(index, key, &merge);
    let second = |(second, sums): (i64, LegSums)| {
        let times = times.remove(&second).unwrap_or_default();
        let view = LegSecond {
            second,
            ok: sums.ok,
            failed: sums.failed,
            ended_ok: sums.ended_ok,
            ended_failed: sums.ended_failed,
            sum_ns: sums.sum_ns,
            p50: times[0],
            p95: times[1],
            p99: times[2],
            max: times[3],
            classes: sums.classes,
        };
        (second, view)
    };
    let empty = |second| LegSecond { second, ..LegSecond::default() };
    let seconds = gaps.list(None, None, merge.seconds.into_iter().map(second).collect(), empty);
    Some(LegView {
        leg,
        name: kind.name.clone(),
        is_occasional: kind.per == LegPer::Occasion,
        ok: merge.closes.ok,
        failed: merge.closes.failed,
        outcomes: merge.closes.outcomes,
        below: below(index, key, &seconds),
        seconds,
        heat: heat(index, key),
        streams: if merge.has_streams { streams(index, step, (exchange, leg)) } else { Vec::new() },
    })
}

/// The rows of a leg by stream. Rows without one are in the sums only.
fn streams(index: &Index<'_>, step: &StepSpan, (exchange, leg): (u16, u8)) -> Vec<StreamView> {
    let mut stretches: BTreeMap<u16, BTreeMap<i64, Stretch>> = BTreeMap::new();
    let own = by_stream(index, (step.number, exchange, leg), |row| {
        let own = stretches.entry(row.stream).or_default();
        let stretch = own.entry(row.intended_s.div_euclid(STRETCH_S)).or_default();
        if row.population == Population::Ok {
            stretch.ok += row.count;
            stretch.sum_ns += times_of(row).sum_ns;
        } else {
            stretch.failed += row.count;
        }
    });
    let labels = index.planned_step(step).map_or(&[][..], |planned| index.head().streams_of(planned));
    let view = |(stream, Closes { ok, failed, outcomes }): (u16, Closes)| {
        let label = labels.get(usize::from(stream)).cloned().unwrap_or_else(|| stream.to_string());
        StreamView { stream, label, ok, failed, outcomes, stretches: stretches.remove(&stream).unwrap_or_default() }
    };
    own.into_iter().map(view).collect()
}

pub(crate) fn metric_views(evidence: &Evidence) -> Vec<MetricView> {
    let of_metric = |((monitor, metric), instances): ((u16, u16), &[Instance])| {
        let head = evidence.head.monitors.get(usize::from(monitor));
        let mut named: Vec<(usize, &Instance)> = instances.iter().enumerate().collect();
        named.sort_by(|a, b| a.1.name.cmp(&b.1.name));
        let view = |(place, instance): (usize, &Instance)| {
            Some(MetricView {
                monitor: head?.clone(),
                metric: usize::from(metric),
                instance: instance.name.clone(),
                points: evidence.rows.points((monitor, metric), place, Nanos(i64::MIN)..Nanos::MAX),
            })
        };
        named.into_iter().filter_map(view).collect::<Vec<_>>()
    };
    evidence.rows.sampled().flat_map(of_metric).collect()
}

fn generator(evidence: &Evidence) -> Vec<GeneratorSecond> {
    let mut seconds: BTreeMap<i64, GeneratorSecond> = BTreeMap::new();
    for row in &evidence.engine {
        let second =
            seconds.entry(row.second).or_insert(GeneratorSecond { second: row.second, ..GeneratorSecond::default() });
        let finite = |value: f64| if value.is_finite() { value } else { 0.0 };
        second.in_flight += finite(row.in_flight_mean);
        second.waiting = second.waiting.saturating_add(row.waiting_max);
        second.awaiting = second.awaiting.saturating_add(row.awaiting_max);
        second.cpu_s += finite(row.cpu_s);
        second.run_queue_s += finite(row.run_queue_s);
    }
    seconds.into_values().collect()
}
