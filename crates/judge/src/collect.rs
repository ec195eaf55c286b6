//! Views for the report: the evidence by step, exchange, leg and second.

use crate::evidence::{Evidence, StepSpan};
use crate::figures::thresholds;
use crate::steps::{books_of, lateness_of};
use crate::views::{
    Below, ExchangeView, GeneratorSecond, LegSecond, LegView, MetricView, PopulationView, SecondView, StepView, Views,
    heat_bin,
};
use contract::recorder::LegRow;
use std::collections::BTreeMap;
use terms::{Buckets, Nanos, Outcome, Population, SparseHistogram};

/// Longest stretch of seconds that a view lists; a leg that stays open for longer is in the sums all the same.
const SECONDS_MAX: i64 = 7 * 86_400;

/// Merges everything once.
pub(crate) fn collect(evidence: &Evidence) -> Views {
    Views {
        steps: evidence.steps.iter().map(|step| step_view(evidence, step)).collect(),
        metrics: metric_views(evidence),
        events: evidence.events.clone(),
        notes: evidence.rows.notes.clone(),
        generator: generator(evidence),
        end: evidence.end,
    }
}

fn step_view(evidence: &Evidence, step: &StepSpan) -> StepView {
    let scenario = evidence.head.scenarios.get(step.scenario).cloned().unwrap_or_default();
    let planned = evidence.head.steps.get(step.number as usize);
    let books = books_of(evidence, step.number);
    let carries_out = |number: &usize| scenario.per_iteration.get(*number).is_some_and(|each| *each > 0.0);
    let exchanges = (0..evidence.head.exchanges.len()).filter(carries_out).filter(|_| step.phase.has_load());
    StepView {
        number: step.number,
        scenario: step.scenario as u16,
        scenario_name: scenario.name.clone(),
        id: step.id.clone(),
        phase: step.phase,
        from: step.from,
        to: step.to,
        is_ended: step.is_ended,
        is_closed: scenario.model == "closed",
        users: planned.and_then(|planned| planned.users),
        books,
        lateness: lateness_of(evidence, step.number),
        exchanges: exchanges
            .map(|number| {
                exchange_view(evidence, step, number as u16, books.intended as f64 * scenario.per_iteration[number])
            })
            .collect(),
        seconds: seconds(evidence, step),
    }
}

fn seconds(evidence: &Evidence, step: &StepSpan) -> Vec<SecondView> {
    let mut by_second: BTreeMap<i64, SecondView> = BTreeMap::new();
    for row in evidence.rows.iterations.iter().filter(|row| row.step == step.number) {
        let intended = by_second.entry(row.intended_s).or_default();
        intended.intended += row.books.intended;
        intended.started += row.books.started;
        intended.dropped += row.books.dropped;
        let ended = by_second.entry(row.end_s).or_default();
        ended.ended_ok += row.books.completed;
        ended.ended_failed += row.books.failed;
    }
    let first = step.from.second();
    let last = by_second.last_key_value().map_or(first, |(second, _)| *second).max((step.to - Nanos(1)).second());
    let at = |second| SecondView { second, ..by_second.get(&second).copied().unwrap_or_default() };
    (first..=last.min(first + SECONDS_MAX)).map(at).collect()
}

fn exchange_view(evidence: &Evidence, step: &StepSpan, number: u16, intended: f64) -> ExchangeView {
    let head = &evidence.head.exchanges[usize::from(number)];
    let starts = evidence.rows.starts.iter().filter(|row| row.step == step.number && row.exchange == number);
    ExchangeView {
        exchange: number,
        name: head.name.clone(),
        intended,
        started: starts.map(|row| row.started).sum(),
        timeout: Nanos(head.timeout_ns),
        legs: head
            .legs
            .iter()
            .enumerate()
            .map(|(leg, kind)| leg_view(evidence, step, number, leg as u8, &kind.name))
            .collect(),
    }
}

fn leg_view(evidence: &Evidence, step: &StepSpan, exchange: u16, leg: u8, name: &str) -> LegView {
    let is_ours = |row: &&LegRow| (row.step, row.exchange, row.leg) == (step.number, exchange, leg);
    let rows: Vec<&LegRow> = evidence.rows.legs.iter().filter(is_ours).collect();
    let mut outcomes = [0; 16];
    let mut seconds: BTreeMap<i64, LegSecond> = BTreeMap::new();
    let classes =
        evidence.rows.outcomes.iter().filter(|row| (row.step, row.exchange, row.leg) == (step.number, exchange, leg));
    for row in classes {
        outcomes[row.outcome as usize] += row.count;
        if row.outcome != Outcome::Ok {
            let classes = &mut seconds.entry(row.end_s).or_default().classes;
            match classes.iter_mut().find(|(outcome, _)| *outcome == row.outcome) {
                Some((_, count)) => *count += row.count,
                None => classes.push((row.outcome, row.count)),
            }
        }
    }
    let mut merged: BTreeMap<i64, Merged> = BTreeMap::new();
    let mut heat = BTreeMap::new();
    for row in &rows {
        let times = if row.response.buckets.is_empty() { &row.service } else { &row.response };
        if row.population == Population::Ok {
            merged.entry(row.intended_s).or_default().add(times);
            for &(index, count) in &times.buckets {
                *heat.entry((row.end_s, heat_bin(Buckets::low(index)))).or_default() += count;
            }
        }
        add_second(&mut seconds, row, times);
    }
    for (second, merged) in &merged {
        let entry = seconds.entry(*second).or_default();
        (entry.p50, entry.p95, entry.p99) = (merged.quantile(0.5), merged.quantile(0.95), merged.quantile(0.99));
        entry.max = Some(merged.max);
    }
    let seconds = list(seconds);
    LegView {
        leg,
        name: name.into(),
        ok: population(&rows, Population::Ok),
        failed: population(&rows, Population::Failed),
        outcomes,
        below: below(evidence, exchange, leg, &rows, &seconds),
        seconds,
        heat,
    }
}

fn add_second(seconds: &mut BTreeMap<i64, LegSecond>, row: &LegRow, times: &SparseHistogram) {
    let intended = seconds.entry(row.intended_s).or_default();
    match row.population {
        Population::Ok => {
            intended.ok += row.count;
            intended.sum_ns += times.sum_ns;
            seconds.entry(row.end_s).or_default().ended_ok += row.count;
        }
        Population::Failed => {
            intended.failed += row.count;
            seconds.entry(row.end_s).or_default().ended_failed += row.count;
        }
    }
}

/// Every second between the first and the last.
fn list(seconds: BTreeMap<i64, LegSecond>) -> Vec<LegSecond> {
    let (Some((&first, _)), Some((&last, _))) = (seconds.first_key_value(), seconds.last_key_value()) else {
        return Vec::new();
    };
    let at = |second| LegSecond { second, ..seconds.get(&second).cloned().unwrap_or_default() };
    (first..=last.min(first + SECONDS_MAX)).map(at).collect()
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

fn below(evidence: &Evidence, exchange: u16, leg: u8, rows: &[&LegRow], seconds: &[LegSecond]) -> Vec<Below> {
    let all = thresholds(&evidence.head);
    let first = seconds.first().map_or(0, |second| second.second);
    let of = |(place, threshold): (usize, &contract::recorder::Threshold)| {
        let mut below = Below { threshold: *threshold, ok: 0, failed: 0, ok_by_second: vec![0; seconds.len()] };
        for row in rows {
            let count = row.below.get(place).copied().unwrap_or(0);
            if row.population == Population::Failed {
                below.failed += count;
                continue;
            }
            below.ok += count;
            if let Some(second) = below.ok_by_second.get_mut((row.intended_s - first).max(0) as usize) {
                *second += count;
            }
        }
        below
    };
    all.get(&(exchange, leg)).map_or_else(Vec::new, |thresholds| thresholds.iter().enumerate().map(of).collect())
}

/// A second's histogram by map: a dense one would be cleared for nothing.
#[derive(Default)]
struct Merged {
    buckets: BTreeMap<u32, u64>,
    total: u64,
    max: Nanos,
}

impl Merged {
    fn add(&mut self, times: &SparseHistogram) {
        for &(index, count) in &times.buckets {
            *self.buckets.entry(index).or_default() += count;
            self.total += count;
        }
        self.max = self.max.max(times.max);
    }

    /// Nearest rank, never above the true maximum.
    fn quantile(&self, quantile: f64) -> Option<Nanos> {
        let rank = ((quantile * self.total as f64 - 1e-9).ceil() as u64).clamp(1, self.total.max(1));
        let mut seen = 0;
        for (&index, &count) in &self.buckets {
            seen += count;
            if seen >= rank {
                return Some(Buckets::high(index).min(self.max));
            }
        }
        None
    }
}

fn metric_views(evidence: &Evidence) -> Vec<MetricView> {
    let mut series: BTreeMap<(u16, u16, &str), Vec<(Nanos, Option<f64>)>> = BTreeMap::new();
    for row in &evidence.samples {
        series.entry((row.monitor, row.metric, row.instance.as_str())).or_default().push((row.at, row.value));
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
        second.in_flight += row.in_flight_mean;
        second.waiting += row.waiting_max;
        second.cpu_s += row.cpu_s;
        second.run_queue_s += row.run_queue_s;
        second.threads += 1;
    }
    seconds.into_values().collect()
}
