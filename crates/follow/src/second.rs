//! What one second of a run holds.

use record::EventRow;
use terms::{Books, Histogram, Nanos, Outcome};

/// One whole second of a run, as it was recorded.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Second {
    /// Since the run's start, on its clock. Seconds of which nothing was recorded are not told.
    pub second: i64,
    /// Wall clock at its end, nanoseconds since 1970.
    pub wall_ns: i64,
    /// Numbers in `Head::steps` of the steps that were in hand in any part of it.
    pub steps: Vec<u32>,
    /// Closes by exchange, leg and step.
    pub exchanges: Vec<ExchangeSecond>,
    /// The books of iterations by step, which has scenario and part.
    pub parts: Vec<PartSecond>,
    /// The generator; `None` where no load thread told of this second.
    pub generator: Option<GeneratorSecond>,
    /// The newest sample of each monitor, instance and metric. A sample that should have come and did not is left out.
    pub samples: Vec<Sample>,
    pub events: Vec<EventRow>,
}

/// Closes of one leg of one exchange that ended in a second, by the step of their intended start.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ExchangeSecond {
    /// Number in `Head::exchanges`; transactions stand there behind the exchanges, and their calls count by themselves, too.
    pub exchange: u16,
    /// Number in `ExchangeHead::legs`.
    pub leg: u16,
    pub step: u32,
    /// Those that succeeded.
    pub ok: u64,
    /// All others, by how they ended, in the order of [`terms::OUTCOMES`].
    pub outcomes: Vec<(Outcome, u64)>,
    /// Units in those that succeeded.
    pub units: u64,
    /// Bytes of all answers.
    pub bytes: u64,
    /// Of those that succeeded, how many lie on the low side of each threshold of the leg, in the order of
    /// `ExchangeHead::thresholds`: exact, as the load counted them. Empty where no row tells.
    pub below: Vec<u64>,
    /// Times from the intended start of those that succeeded; empty in a closed load.
    pub response: Histogram,
    /// Times from the start of those that succeeded.
    pub service: Histogram,
}

/// The books of iterations of one step in one second: intended, started and dropped by when they were due, ends by when
/// they ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PartSecond {
    pub step: u32,
    pub books: Books,
}

/// The generator in one second, over its load threads.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct GeneratorSecond {
    /// Load threads that told of it.
    pub threads: u32,
    /// Mean number of iterations in flight, of all threads together.
    pub in_flight_mean: f64,
    /// Most arrivals that waited for a connection: the sum of each thread's most, so at most so many.
    pub waiting_max: u64,
    /// Sessions (connections or users) that existed.
    pub sessions: u64,
    /// Processor time of all threads, seconds.
    pub cpu_s: f64,
    /// Processor time of the busiest thread, seconds.
    pub cpu_busiest_s: f64,
    /// Time that threads could run and did not, of all together, seconds.
    pub run_queue_s: f64,
    /// The same of the most delayed thread, seconds.
    pub run_queue_worst_s: f64,
    /// Exchanges that were started.
    pub started: u64,
    /// The generator's own lateness at those starts, 99th percentile; `None` where there was none.
    pub lateness_p99: Option<Nanos>,
    /// The greatest.
    pub lateness_max: Option<Nanos>,
}

/// A sample of a watched metric.
#[derive(Clone, Debug, PartialEq)]
pub struct Sample {
    /// Name of the monitor; `#7` where the run does not name it.
    pub monitor: String,
    /// Number in `Head::monitors`.
    pub monitor_number: u16,
    pub instance: String,
    /// Name of the metric; `#7` where the run does not name it.
    pub metric: String,
    /// Number in `MonitorHead::metrics`.
    pub metric_number: u16,
    /// Unit; empty where the run does not name it.
    pub unit: String,
    pub at: Nanos,
    /// In the metric's base unit.
    pub value: f64,
}
