//! Every metric that there is, with its names.
//!
//! A metric has a name of OpenTelemetry's kind and a unit in UCUM. That of Prometheus follows from both, as its own
//! receiver of OTLP makes it, so that the series have the same names whichever way they came.

/// What the values of a metric are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Grows only, since the run's start.
    Counter,
    /// A level at a moment.
    Gauge,
    /// Counts of times by their length, since the run's start.
    Histogram,
}

/// What is exported under one name, by whatever labels.
#[derive(Debug, PartialEq, Eq)]
pub struct Metric {
    /// In the manner of OpenTelemetry: `loadproof.response.time`.
    pub name: &'static str,
    /// In UCUM; what stands in braces is a note and no unit.
    pub unit: &'static str,
    pub kind: Kind,
    /// One sentence.
    pub help: &'static str,
}

const fn counter(name: &'static str, unit: &'static str, help: &'static str) -> Metric {
    Metric { name, unit, kind: Kind::Counter, help }
}

const fn gauge(name: &'static str, unit: &'static str, help: &'static str) -> Metric {
    Metric { name, unit, kind: Kind::Gauge, help }
}

const fn histogram(name: &'static str, help: &'static str) -> Metric {
    Metric { name, unit: "s", kind: Kind::Histogram, help }
}

/// Numbers of metrics in [`METRICS`].
pub(crate) mod number {
    pub(crate) const CALLS: usize = 0;
    pub(crate) const UNITS: usize = 1;
    pub(crate) const RECEIVED: usize = 2;
    pub(crate) const RESPONSE: usize = 3;
    pub(crate) const SERVICE: usize = 4;
    pub(crate) const INTENDED: usize = 5;
    pub(crate) const STARTED: usize = 6;
    pub(crate) const DROPPED: usize = 7;
    pub(crate) const COMPLETED: usize = 8;
    pub(crate) const FAILED: usize = 9;
    pub(crate) const ABORTED: usize = 10;
    pub(crate) const STEP: usize = 11;
    pub(crate) const IN_FLIGHT: usize = 12;
    pub(crate) const WAITING: usize = 13;
    pub(crate) const SESSIONS: usize = 14;
    pub(crate) const LATENESS_MAX: usize = 15;
    pub(crate) const LATENESS_P99: usize = 16;
    pub(crate) const EXCHANGES_STARTED: usize = 17;
    pub(crate) const CPU: usize = 18;
    pub(crate) const BUSIEST: usize = 19;
    pub(crate) const RUN_QUEUE: usize = 20;
    pub(crate) const THREADS: usize = 21;
    pub(crate) const WATCHED_LEVEL: usize = 22;
    pub(crate) const WATCHED_SIZE: usize = 23;
    pub(crate) const WATCHED_TIME: usize = 24;
    pub(crate) const WATCHED_SHARE: usize = 25;
    pub(crate) const WATCHED_CORES: usize = 26;
    pub(crate) const WATCHED_RATE: usize = 27;
    pub(crate) const EVENTS: usize = 28;
    pub(crate) const RUN: usize = 29;
    pub(crate) const RUN_TIME: usize = 30;
    pub(crate) const LEFT_OUT: usize = 31;
}

/// All metrics, by their numbers.
pub const METRICS: [Metric; 32] = [
    counter("loadproof.calls", "{call}", "Calls that ended, by exchange, leg and outcome."),
    counter("loadproof.units", "{unit}", "Units in calls that succeeded."),
    counter("loadproof.received", "By", "Bytes of answers."),
    histogram("loadproof.response.time", "Time from the intended start to the end of calls that succeeded."),
    histogram("loadproof.service.time", "Time from the actual start to the end of calls that succeeded."),
    counter("loadproof.iterations.intended", "{iteration}", "Iterations that were due according to the plan."),
    counter("loadproof.iterations.started", "{iteration}", "Iterations whose first byte was sent."),
    counter("loadproof.iterations.dropped", "{iteration}", "Iterations that were due and could not be started."),
    counter("loadproof.iterations.completed", "{iteration}", "Iterations that succeeded."),
    counter(
        "loadproof.iterations.failed",
        "{iteration}",
        "Iterations that ended unsuccessfully because of the target.",
    ),
    counter("loadproof.iterations.aborted", "{iteration}", "Iterations cut off by the end of the run."),
    gauge("loadproof.step.active", "{step}", "1 while a step is in hand, 0 after it."),
    gauge("loadproof.iterations.in_flight", "{iteration}", "Mean number of iterations in flight in the last second."),
    gauge(
        "loadproof.iterations.waiting",
        "{iteration}",
        "Most arrivals that waited for a connection in the last second.",
    ),
    gauge("loadproof.generator.sessions", "{session}", "Connections or users that exist."),
    gauge("loadproof.generator.lateness.max", "s", "Greatest delay of the generator's own in the last second."),
    gauge("loadproof.generator.lateness.p99", "s", "99th percentile of the generator's own delay in the last second."),
    counter("loadproof.exchanges.started", "{exchange}", "Exchanges that were started."),
    counter("loadproof.generator.cpu.time", "s", "Processor time of all load threads."),
    gauge(
        "loadproof.generator.cpu.busiest",
        "1",
        "Share of a core that the busiest load thread used in the last second.",
    ),
    counter("loadproof.generator.run_queue.time", "s", "Time that load threads could run and did not."),
    gauge("loadproof.generator.threads", "{thread}", "Load threads."),
    gauge("loadproof.watched.level", "{count}", "A watched number; the label `unit` says of what."),
    gauge("loadproof.watched.size", "By", "A watched size."),
    gauge("loadproof.watched.time", "s", "A watched time."),
    gauge("loadproof.watched.share", "1", "A watched share of one."),
    gauge("loadproof.watched.cores", "{core}", "Watched use of processor cores."),
    gauge("loadproof.watched.rate", "1/s", "A watched rate; the label `unit` says of what."),
    counter("loadproof.events", "{event}", "What happened, by its kind and by what it happened to."),
    gauge("loadproof.run.info", "{run}", "1; the labels say which version measures which system."),
    gauge("loadproof.run.time", "s", "Seconds of the run that have been told."),
    gauge(
        "loadproof.series.left_out",
        "{series}",
        "Series beyond the limit: counted in those labelled `(others)`, or left out.",
    ),
];

impl Metric {
    /// The name to Prometheus without `_total`, as OpenMetrics has it in `# TYPE`.
    pub fn family(&self) -> String {
        let name = self.name.replace('.', "_");
        match suffix(self.unit, self.kind) {
            Some(suffix) if !name.ends_with(&format!("_{suffix}")) => format!("{name}_{suffix}"),
            _ => name,
        }
    }

    /// The name of its series to Prometheus; those of histograms have `_bucket`, `_sum` and `_count` behind it.
    pub fn prometheus(&self) -> String {
        let family = self.family();
        if self.kind == Kind::Counter { family + "_total" } else { family }
    }

    /// The unit as OpenMetrics has it; none for what is counted.
    pub fn unit_in_words(&self) -> Option<&'static str> {
        suffix(self.unit, self.kind)
    }
}

/// Source: OpenTelemetry, *Prometheus and OpenMetrics Compatibility*, "Metric Metadata".
fn suffix(unit: &'static str, kind: Kind) -> Option<&'static str> {
    match unit {
        "s" => Some("seconds"),
        "By" => Some("bytes"),
        "1" if kind == Kind::Gauge => Some("ratio"),
        "1/s" => Some("per_second"),
        _ => None,
    }
}
