//! Views for the report: the evidence by step, exchange, leg and second.

use crate::evidence::{Evidence, StepSpan};
use crate::figures::{Points, times_of};
use crate::rows::Index;
use crate::steps::carried_out;
use crate::views::{
    Below, ExchangeView, GeneratorSecond, LegSecond, LegView, MetricView, PopulationView, STRETCH_S, SecondView,
    StepView, StreamView, Stretch, Views, heat_bin,
};
use contract::NO_STREAM;
use contract::recorder::{LegRow, Measure, Threshold};
use record::Head;
use std::collections::{BTreeMap, BTreeSet};
use terms::{Buckets, Nanos, Outcome, Population, SparseHistogram};

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
            .map(|(leg, kind)| leg_view(index, step, (number, leg as u8), &kind.name, gaps))
            .collect(),
    }
}

fn leg_view(index: &Index<'_>, step: &StepSpan, (exchange, leg): (u16, u8), name: &str, gaps: &mut Gaps) -> LegView {
    let empty = |second| LegSecond { second, ..LegSecond::default() };
    let rows = index.legs(step.number, exchange, leg);
    let mut outcomes = [0; 16];
    let mut seconds: BTreeMap<i64, LegSecond> = BTreeMap::new();
    for row in index.outcomes(step.number, exchange, leg) {
        outcomes[row.outcome as usize] += row.count;
        if row.outcome != Outcome::Ok {
            let classes = &mut seconds.entry(row.end_s).or_insert_with(|| empty(row.end_s)).classes;
            match classes.iter_mut().find(|(outcome, _)| *outcome == row.outcome) {
                Some((_, count)) => *count += row.count,
                None => classes.push((row.outcome, row.count)),
            }
        }
    }
    let mut heat = BTreeMap::new();
    let mut good: Vec<&LegRow> = Vec::new();
    for row in rows {
        let times = times_of(row);
        let intended = seconds.entry(row.intended_s).or_insert_with(|| empty(row.intended_s));
        match row.population {
            Population::Ok => {
                intended.ok += row.count;
                intended.sum_ns += times.sum_ns;
                seconds.entry(row.end_s).or_insert_with(|| empty(row.end_s)).ended_ok += row.count;
                for &(bucket, count) in &times.buckets {
                    *heat.entry((row.end_s, heat_bin(Buckets::low(bucket)))).or_default() += count;
                }
                good.push(row);
            }
            Population::Failed => {
                intended.failed += row.count;
                seconds.entry(row.end_s).or_insert_with(|| empty(row.end_s)).ended_failed += row.count;
            }
        }
    }
    // One second's histogram at a time: an hour of them at once would be hundreds of megabytes.
    good.sort_by_key(|row| row.intended_s);
    for rows in good.chunk_by(|a, b| a.intended_s == b.intended_s) {
        let mut merged = Merged::default();
        rows.iter().for_each(|row| merged.add(times_of(row)));
        let second = rows[0].intended_s;
        let entry = seconds.entry(second).or_insert_with(|| empty(second));
        (entry.p50, entry.p95, entry.p99) = (merged.quantile(0.5), merged.quantile(0.95), merged.quantile(0.99));
        entry.max = merged.max;
    }
    let seconds = gaps.list(None, None, seconds, empty);
    LegView {
        leg,
        name: name.into(),
        ok: population(rows, Population::Ok),
        failed: population(rows, Population::Failed),
        outcomes,
        below: below(index.head(), (exchange, leg), rows, &seconds),
        seconds,
        heat,
        streams: streams(index, step, (exchange, leg), rows),
    }
}

/// The rows of a leg by stream. Rows without one are in the sums only.
fn streams(index: &Index<'_>, step: &StepSpan, (exchange, leg): (u16, u8), rows: &[&LegRow]) -> Vec<StreamView> {
    let mut own: BTreeMap<u16, Vec<&LegRow>> = BTreeMap::new();
    for &row in rows.iter().filter(|row| row.stream != NO_STREAM) {
        own.entry(row.stream).or_default().push(row);
    }
    let mut outcomes: BTreeMap<u16, [u64; 16]> = BTreeMap::new();
    for row in index.outcomes(step.number, exchange, leg).iter().filter(|row| row.stream != NO_STREAM) {
        outcomes.entry(row.stream).or_default()[row.outcome as usize] += row.count;
    }
    let labels = index.planned_step(step).map_or(&[][..], |planned| index.head().streams_of(planned));
    // What came to nothing has outcomes and no times.
    let numbers: BTreeSet<u16> = own.keys().chain(outcomes.keys()).copied().collect();
    let view = |stream: u16| {
        let rows = own.get(&stream).map_or(&[][..], Vec::as_slice);
        let mut stretches: BTreeMap<i64, Stretch> = BTreeMap::new();
        for row in rows {
            let stretch = stretches.entry(row.intended_s.div_euclid(STRETCH_S)).or_default();
            match row.population {
                Population::Ok => {
                    stretch.ok += row.count;
                    stretch.sum_ns += times_of(row).sum_ns;
                }
                Population::Failed => stretch.failed += row.count,
            }
        }
        StreamView {
            stream,
            label: labels.get(usize::from(stream)).cloned().unwrap_or_else(|| stream.to_string()),
            ok: population(rows, Population::Ok),
            failed: population(rows, Population::Failed),
            outcomes: outcomes.get(&stream).copied().unwrap_or_default(),
            stretches,
        }
    };
    numbers.into_iter().map(view).collect()
}

fn population(rows: &[&LegRow], population: Population) -> PopulationView {
    let mut view = PopulationView::default();
    for row in rows.iter().filter(|row| row.population == population) {
        view.response.merge_sparse(&row.response);
        view.service.merge_sparse(&row.service);
        view.count += row.count;
        view.units += row.units;
        view.bytes += row.bytes;
    }
    view
}

fn below(head: &Head, (exchange, leg): (u16, u8), rows: &[&LegRow], seconds: &[LegSecond]) -> Vec<Below> {
    let Some(exchange) = head.exchanges.get(usize::from(exchange)) else { return Vec::new() };
    let thresholds = exchange.thresholds.iter().filter(|threshold| threshold.leg == leg);
    let of = |(place, threshold): (usize, &record::ThresholdHead)| {
        let threshold = Threshold {
            leg,
            measure: if threshold.measure == "service" { Measure::Service } else { Measure::Response },
            limit: Nanos(threshold.limit_ns),
            inclusive: threshold.inclusive,
        };
        let mut below = Below { threshold, ok: 0, failed: 0, ok_by_second: vec![0; seconds.len()] };
        for row in rows {
            let count = row.below.get(place).copied().unwrap_or(0);
            if row.population == Population::Failed {
                below.failed += count;
                continue;
            }
            below.ok += count;
            if let Ok(at) = seconds.binary_search_by_key(&row.intended_s, |second| second.second) {
                below.ok_by_second[at] += count;
            }
        }
        below
    };
    thresholds.enumerate().map(of).collect()
}

/// A second's histogram by map: a dense one would be cleared for nothing.
#[derive(Default)]
struct Merged {
    buckets: BTreeMap<u32, u64>,
    total: u64,
    max: Option<Nanos>,
}

impl Merged {
    fn add(&mut self, times: &SparseHistogram) {
        for &(index, count) in &times.buckets {
            *self.buckets.entry(index).or_default() += count;
            self.total += count;
        }
        if !times.buckets.is_empty() {
            self.max = self.max.max(Some(times.max));
        }
    }

    /// Nearest rank, never above the true maximum.
    fn quantile(&self, quantile: f64) -> Option<Nanos> {
        let rank = ((quantile * self.total as f64 - 1e-9).ceil() as u64).clamp(1, self.total.max(1));
        let mut seen = 0;
        for (&index, &count) in &self.buckets {
            seen += count;
            if seen >= rank {
                return self.max.map(|max| Buckets::high(index).min(max));
            }
        }
        None
    }
}

pub(crate) fn metric_views(evidence: &Evidence) -> Vec<MetricView> {
    let mut series: BTreeMap<(u16, u16, &str), Points> = BTreeMap::new();
    for row in &evidence.samples {
        series
            .entry((row.monitor, row.metric, row.instance.as_str()))
            .or_default()
            .push((row.at, row.value.filter(|value| value.is_finite())));
    }
    let view = |((monitor, metric, instance), points): ((u16, u16, &str), Vec<_>)| {
        let monitor = evidence.head.monitors.get(usize::from(monitor))?;
        monitor.metrics.get(usize::from(metric))?;
        Some(MetricView {
            monitor: monitor.clone(),
            metric: usize::from(metric),
            instance: instance.to_owned(),
            points,
        })
    };
    series.into_iter().filter_map(view).collect()
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
