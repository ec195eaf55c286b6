//! Merged rows of one window: what every statistic of a rule is read from, after a run and while it goes on.

use contract::recorder::{Folded, LegRow, Threshold};
use record::{Head, SampleRow};
use std::collections::BTreeMap;
use terms::{Books, Histogram, Nanos, Population, SparseHistogram};

/// A window of a run: iterations by their intended start, ends and samples by their moment.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Selection {
    /// Steps whose iterations count.
    pub steps: Vec<u32>,
    /// Steps whose ends count for throughput: all of the scenario.
    pub ends_of: Vec<u32>,
    /// From this moment.
    pub from: Nanos,
    /// To this moment.
    pub to: Nanos,
}

impl Selection {
    fn has_second(&self, second: i64) -> bool {
        // A second belongs to the window that holds its middle: steps begin on whole seconds unless they were cut.
        let middle = Nanos::from_secs(second) + Nanos::from_millis(500);
        self.from <= middle && middle < self.to
    }
}

/// One population of a leg.
#[derive(Clone, Debug, Default)]
pub struct PopulationFigures {
    /// Response times; empty in a closed load.
    pub response: Histogram,
    /// Service times.
    pub service: Histogram,
    /// Closes.
    pub count: u64,
    /// Bytes.
    pub bytes: u64,
}

/// One second of a leg, by the second of the intended start.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct LegSecondFigures {
    /// Ended well.
    pub ok: u64,
    /// Ended badly.
    pub failed: u64,
    /// Of those that ended well, below each threshold.
    pub below: Vec<u64>,
    /// Of those that ended badly, below each threshold.
    pub below_failed: Vec<u64>,
    /// Number and sum of times (response, else service) of those that ended well, in ms.
    pub sum_ms: f64,
}

/// One leg of one exchange.
#[derive(Clone, Debug, Default)]
pub struct LegFigures {
    /// Ended well.
    pub ok: PopulationFigures,
    /// Ended badly.
    pub failed: PopulationFigures,
    /// By class.
    pub outcomes: [u64; 16],
    /// By second of the intended start.
    pub seconds: BTreeMap<i64, LegSecondFigures>,
    /// Ended well within the window, whenever it was intended.
    pub ended_ok: u64,
}

/// Everything about one window.
#[derive(Clone, Debug, Default)]
pub struct Figures {
    /// Length, seconds.
    pub seconds: f64,
    /// First and last second with intended starts.
    pub span: Option<(i64, i64)>,
    /// Books of iterations.
    pub books: Books,
    /// Iterations by second of the intended start.
    pub intended: BTreeMap<i64, u64>,
    /// Iterations that ended well within the window.
    pub ended_ok: u64,
    /// By exchange and leg.
    pub legs: BTreeMap<(u16, u8), LegFigures>,
    /// Starts and lateness by exchange.
    pub starts: BTreeMap<u16, (u64, Histogram)>,
    /// How often an iteration carries an exchange out, by its number.
    pub per_iteration: Vec<f64>,
    /// Whether there is no intended start.
    pub is_closed: bool,
    /// Thresholds of each exchange and leg, in the order of `below`.
    pub thresholds: BTreeMap<(u16, u8), Vec<Threshold>>,
    /// Samples by monitor, metric and instance.
    pub samples: BTreeMap<(u16, u16, String), Vec<(Nanos, Option<f64>)>>,
}

impl Figures {
    /// Nothing measured yet in a scenario.
    pub fn new(head: &Head, scenario: usize, seconds: f64) -> Self {
        let planned = head.scenarios.get(scenario);
        Self {
            seconds,
            per_iteration: planned.map(|planned| planned.per_iteration.clone()).unwrap_or_default(),
            is_closed: planned.is_some_and(|planned| planned.model == "closed"),
            thresholds: thresholds(head),
            ..Self::default()
        }
    }

    /// Adds rows that the selection takes.
    pub fn add(&mut self, rows: &Folded, selection: &Selection) {
        for row in &rows.legs {
            self.add_leg(row, selection);
        }
        for row in &rows.starts {
            if selection.steps.contains(&row.step) && selection.has_second(row.intended_s) {
                let starts = self.starts.entry(row.exchange).or_default();
                starts.0 += row.started;
                starts.1.merge_sparse(&row.lateness);
            }
        }
        for row in &rows.outcomes {
            if selection.steps.contains(&row.step) && selection.has_second(row.intended_s) {
                let leg = self.legs.entry((row.exchange, row.leg)).or_default();
                leg.outcomes[row.outcome as usize] += row.count;
            }
        }
        for row in &rows.iterations {
            if selection.steps.contains(&row.step) && selection.has_second(row.intended_s) {
                self.books += row.books;
                if row.books.intended > 0 {
                    *self.intended.entry(row.intended_s).or_default() += row.books.intended;
                    let (first, last) = self.span.unwrap_or((row.intended_s, row.intended_s));
                    self.span = Some((first.min(row.intended_s), last.max(row.intended_s)));
                }
            }
            if selection.ends_of.contains(&row.step) && selection.has_second(row.end_s) {
                self.ended_ok += row.books.completed;
            }
        }
    }

    fn add_leg(&mut self, row: &LegRow, selection: &Selection) {
        if selection.ends_of.contains(&row.step) && selection.has_second(row.end_s) && row.population == Population::Ok
        {
            self.legs.entry((row.exchange, row.leg)).or_default().ended_ok += row.count;
        }
        if !selection.steps.contains(&row.step) || !selection.has_second(row.intended_s) {
            return;
        }
        let leg = self.legs.entry((row.exchange, row.leg)).or_default();
        let second = leg.seconds.entry(row.intended_s).or_default();
        let times = if row.response.buckets.is_empty() { &row.service } else { &row.response };
        let population = match row.population {
            Population::Ok => {
                second.ok += row.count;
                second.sum_ms += times.sum_ns / 1e6;
                add_counts(&mut second.below, &row.below);
                &mut leg.ok
            }
            Population::Failed => {
                second.failed += row.count;
                add_counts(&mut second.below_failed, &row.below);
                &mut leg.failed
            }
        };
        population.count += row.count;
        population.bytes += row.bytes;
        merge(&mut population.response, &row.response);
        merge(&mut population.service, &row.service);
    }

    /// Adds samples within the window.
    pub fn add_samples<'a>(&mut self, rows: impl IntoIterator<Item = &'a SampleRow>, selection: &Selection) {
        for row in rows {
            if selection.from <= row.at && row.at < selection.to {
                let key = (row.monitor, row.metric, row.instance.clone());
                self.samples.entry(key).or_default().push((row.at, row.value));
            }
        }
    }

    /// How many exchanges were planned: intended iterations times how often one carries it out.
    pub fn planned(&self, exchange: u16) -> f64 {
        self.books.intended as f64 * self.per_iteration.get(usize::from(exchange)).copied().unwrap_or(1.0)
    }

    /// Planned exchanges by second, for design effects.
    pub fn planned_in(&self, exchange: u16, second: i64) -> u64 {
        let each = self.per_iteration.get(usize::from(exchange)).copied().unwrap_or(1.0);
        (self.intended.get(&second).copied().unwrap_or(0) as f64 * each).round() as u64
    }
}

/// Thresholds by exchange and leg, as the run counted them.
pub fn thresholds(head: &Head) -> BTreeMap<(u16, u8), Vec<Threshold>> {
    use contract::recorder::Measure;
    let mut all: BTreeMap<(u16, u8), Vec<Threshold>> = BTreeMap::new();
    for (number, exchange) in head.exchanges.iter().enumerate() {
        for threshold in &exchange.thresholds {
            let measure = if threshold.measure == "service" { Measure::Service } else { Measure::Response };
            all.entry((number as u16, threshold.leg)).or_default().push(Threshold {
                leg: threshold.leg,
                measure,
                limit: Nanos(threshold.limit_ns),
                inclusive: threshold.inclusive,
            });
        }
    }
    all
}

fn merge(into: &mut Histogram, from: &SparseHistogram) {
    into.merge_sparse(from);
}

fn add_counts(into: &mut Vec<u64>, from: &[u64]) {
    if into.len() < from.len() {
        into.resize(from.len(), 0);
    }
    for (into, from) in into.iter_mut().zip(from) {
        *into += from;
    }
}
