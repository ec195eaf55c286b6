//! The run's rows merged once: by step, exchange, leg and second. Judging and reporting read the same figures.

pub use crate::heat::{HEAT_BINS, Heat, heat_bin, heat_bin_from, heat_bin_low};
use crate::{Evidence, Scope};
use record::{EventRow, MonitorHead};
use record::{LegRow, NoteRow, Threshold};
use std::collections::BTreeMap;
use terms::{Books, Histogram, Nanos, Outcome, Phase};

/// Everything that was measured, merged.
#[derive(Clone, Debug, Default)]
pub struct Views {
    /// Steps and phases that took place, in order of time.
    pub steps: Vec<StepView>,
    /// Watched series, one for each monitor, instance and metric.
    pub metrics: Vec<MetricView>,
    /// Legs that a watched count closes.
    pub counted: Vec<CountedView>,
    /// Events in order of time.
    pub events: Vec<EventRow>,
    /// Samples of failures.
    pub notes: Vec<NoteRow>,
    /// The generator by second.
    pub generator: Vec<GeneratorSecond>,
    /// End of what was measured.
    pub end: Nanos,
}

impl Views {
    /// What may be shown of a run without drawing anything: samples of its failures.
    pub fn without_series(evidence: &Evidence) -> Self {
        Self { notes: evidence.rows.notes.clone(), end: evidence.end, ..Self::default() }
    }
}

/// A leg that a watched count closes, over the whole run.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct CountedView {
    /// Name of its exchange.
    pub exchange: String,
    pub leg: String,
    /// What is counted; `None`: each exchange once.
    pub unit: Option<String>,
    /// At each look at the count, from the last before the first load on; `None` where the look failed.
    pub points: Vec<(Nanos, Option<CountedPoint>)>,
}

/// What was known at one look.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct CountedPoint {
    /// Units accepted since the load began.
    pub accepted: f64,
    /// Units through since then.
    pub through: f64,
    /// Accepted and not through.
    pub backlog: f64,
    /// How long ago as many had been accepted as are through.
    pub age: Nanos,
}

/// One step or phase.
#[derive(Clone, Debug)]
pub struct StepView {
    pub number: u32,
    /// Number of its scenario.
    pub scenario: u16,
    pub scenario_name: String,
    /// Name of its scenario as it was carried out: `nominal`, where the order is carried out several times `nominal#2`.
    pub title: String,
    /// Name of its part of a mix; `None` where the scenario is none, and for phases that parts share.
    pub part: Option<String>,
    /// Which time its scenario was carried out, from 1.
    pub repetition: u32,
    /// What scopes call it: `nominal/hold`, `nominal/hold#2`, `high_all/hold/rih`.
    pub scope: Scope,
    /// `hold`.
    pub id: String,
    pub phase: Phase,
    /// When it began.
    pub from: Nanos,
    /// When it ended; for a killed run the last that was seen.
    pub to: Nanos,
    /// Whether its end was recorded.
    pub is_ended: bool,
    /// Whether it is a closed load.
    pub is_closed: bool,
    /// Virtual users.
    pub users: Option<u32>,
    /// Books of the iterations whose intended start lies in it.
    pub books: Books,
    /// Lateness of all starts.
    pub lateness: Histogram,
    /// Exchanges of the scenario, by their order of number; only those that it carries out.
    pub exchanges: Vec<ExchangeView>,
    /// By second, from the second of `from` to the last second in which one of its iterations ended; without gaps,
    /// unless the gaps are longer than a week.
    pub seconds: Vec<SecondView>,
}

/// One second of a step: planned and ended.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct SecondView {
    /// The second of the run.
    pub second: i64,
    /// Iterations intended in it.
    pub intended: u64,
    /// Iterations started, by the second of the intended start.
    pub started: u64,
    /// Iterations dropped, likewise.
    pub dropped: u64,
    /// Iterations that succeeded in it.
    pub ended_ok: u64,
    /// Iterations that failed in it.
    pub ended_failed: u64,
}

/// One exchange of a step.
#[derive(Clone, Debug)]
pub struct ExchangeView {
    pub exchange: u16,
    /// Name; in a mix that of its part before it: `rih/rih_1`.
    pub name: String,
    /// Planned: intended iterations times how often one carries it out; where chance decides which does, what was
    /// started and the expected part of the iterations that never were.
    pub intended: f64,
    pub started: u64,
    pub timeout: Nanos,
    pub legs: Vec<LegView>,
}

/// One leg of an exchange in a step.
#[derive(Clone, Debug)]
pub struct LegView {
    pub leg: u8,
    pub name: String,
    /// Whether there is one on occasion only, so that none is missing where there is none.
    pub is_occasional: bool,
    /// Those that succeeded.
    pub ok: PopulationView,
    /// Those that failed.
    pub failed: PopulationView,
    /// Closes by class, by the class's number.
    pub outcomes: [u64; 16],
    /// Exact counts below each threshold.
    pub below: Vec<Below>,
    /// By second, from the first to the last with a row; without gaps, unless the gaps are longer than a week.
    pub seconds: Vec<LegSecond>,
    /// Times over the run, by second of the end, of those that succeeded.
    pub heat: Heat,
    /// By stream, by its number; empty where the load has none.
    pub streams: Vec<StreamView>,
}

/// One leg of one stream in a step.
#[derive(Clone, Debug, Default)]
pub struct StreamView {
    pub stream: u16,
    /// Label: the first column of its row; its number where the head names none.
    pub label: String,
    /// Those that succeeded.
    pub ok: PopulationView,
    /// Those that failed.
    pub failed: PopulationView,
    /// Closes by class, by the class's number.
    pub outcomes: [u64; 16],
    /// By stretches of [`STRETCH_S`] seconds of the intended start: stretch → calls.
    pub stretches: BTreeMap<i64, Stretch>,
}

/// Length of a stretch, seconds: a thousand streams over a day stay below some hundred megabytes.
pub const STRETCH_S: i64 = 10;

/// One stream's calls in a stretch of time.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Stretch {
    /// Succeeded.
    pub ok: u64,
    /// Ended badly.
    pub failed: u64,
    /// Sum of the times (response, else service) of those that succeeded, ns.
    pub sum_ns: f64,
}

/// Counts on the good side of a threshold.
#[derive(Clone, Debug, PartialEq)]
pub struct Below {
    pub threshold: Threshold,
    /// Of those that succeeded.
    pub ok: u64,
    /// Of those that failed.
    pub failed: u64,
    /// Of those that succeeded, by second of the intended start, in the order of `LegView::seconds`.
    pub ok_by_second: Vec<u64>,
}

/// One population of times.
#[derive(Clone, Debug, Default)]
pub struct PopulationView {
    /// Response times; empty in a closed load.
    pub response: Histogram,
    /// Service times.
    pub service: Histogram,
    pub count: u64,
    pub units: u64,
    /// Bytes of answers.
    pub bytes: u64,
}

impl PopulationView {
    /// Adds the closes of a row.
    pub(crate) fn add(&mut self, row: &LegRow) {
        self.response.merge_sparse(&row.response);
        self.service.merge_sparse(&row.service);
        self.count += row.count;
        self.units += row.units;
        self.bytes += row.bytes;
    }

    /// These and others.
    pub(crate) fn with(mut self, others: &Self) -> Self {
        self.response.merge(&others.response);
        self.service.merge(&others.service);
        self.count += others.count;
        self.units += others.units;
        self.bytes += others.bytes;
        self
    }

    /// Response times where there are any, else service times.
    pub fn times(&self) -> &Histogram {
        if self.response.total() > 0 { &self.response } else { &self.service }
    }
}

/// One second of a leg. Percentiles are of this second's own histogram.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct LegSecond {
    pub second: i64,
    /// Succeeded, by second of the intended start.
    pub ok: u64,
    /// Ended badly, likewise.
    pub failed: u64,
    /// Succeeded, by second of the end.
    pub ended_ok: u64,
    /// Ended badly, by second of the end.
    pub ended_failed: u64,
    /// Sum of the times (response, else service) of those that succeeded, by second of the intended start, ns.
    pub sum_ns: f64,
    /// p50, p95, p99 and the greatest time of those that succeeded, by second of the intended start.
    pub p50: Option<Nanos>,
    /// As `p50`.
    pub p95: Option<Nanos>,
    /// As `p50`.
    pub p99: Option<Nanos>,
    /// As `p50`.
    pub max: Option<Nanos>,
    /// Closes by class other than ok, by second of the end.
    pub classes: Vec<(Outcome, u64)>,
}

/// A watched series.
#[derive(Clone, Debug)]
pub struct MetricView {
    pub monitor: MonitorHead,
    /// Number of the metric in it.
    pub metric: usize,
    pub instance: String,
    /// Moments and values; `None` where a sample is missing.
    pub points: Vec<(Nanos, Option<f64>)>,
}

impl MetricView {
    /// `host.cpu`
    pub fn name(&self) -> String {
        format!("{}.{}", self.monitor.name, self.monitor.metrics[self.metric].name)
    }
}

/// The generator in one second, all threads together.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct GeneratorSecond {
    pub second: i64,
    /// Mean number of iterations in flight.
    pub in_flight: f64,
    /// Most arrivals that waited for a connection: the sum of each thread's greatest, so at most so many.
    pub waiting: u32,
    /// Most legs that were waited for after their iterations' own exchanges were over: likewise.
    pub awaiting: u32,
    /// Processor time of its threads, seconds.
    pub cpu_s: f64,
    /// Run-queue delay of its threads, seconds.
    pub run_queue_s: f64,
}
