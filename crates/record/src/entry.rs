//! What is written while a run goes on, as it comes and as an observer sees it.

use recorder::{Batch, Folded};
use terms::Nanos;

/// A step or phase began or ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StepMark {
    /// Number of the step in `Head::steps`.
    pub step: u32,
    /// When it began (`is_end` false) or ended.
    pub at: Nanos,
    /// Which of the two.
    pub is_end: bool,
}

/// A sample of a watched metric; `value` is `None` for a sample that should have come and did not.
#[derive(Clone, Debug, PartialEq)]
pub struct SampleRow {
    pub at: Nanos,
    /// Number of the monitor in `Head::monitors`.
    pub monitor: u16,
    /// Name of the instance.
    pub instance: String,
    /// Number of the metric.
    pub metric: u16,
    /// The value, in the metric's base unit.
    pub value: Option<f64>,
}

/// Kind of the event that a scenario is not carried out, since a rule did not hold of another; its subject is the scenario,
/// with `#2` behind it the second time.
pub const SKIPPED: &str = "skipped";
/// Kinds of event that say what is known of imported files, and nothing of a moment.
pub const OF_FILES: [&str; 3] = ["unreadable", "remark", "dropped"];
/// Kind of the event that a scenario is carried out since a rule held of another.
pub const ADAPTED: &str = "adapted";

/// Kind of the event that a load node was lost; its subject is the node.
pub const NODE_LOST: &str = "node_lost";
/// Kind of the event that an instance was ended on purpose, since the scenario that follows binds a variable otherwise that
/// it mentions, and was started anew unless that needs fewer replicas; its subject is the replica.
pub const RENEWED: &str = "renewed";
/// Kind of the event that nothing but the load nodes watched from then on, to the end: whoever conducted the run had died.
pub const UNWATCHED: &str = "unwatched";
/// Kind of the event that an instance which the run had started was gone when the run was collected; its subject is the
/// instance.
pub const ORPHANED: &str = "orphaned";
/// Kind of the event that a wait around a load was ended by its rule; its subject is the scenario, with `#2` behind it the
/// second time. It is recorded within the phase that it is about; else it is about the gap.
pub const RESTED: &str = "rested";
/// Kind of the event that such a wait was over before its rule held.
pub const UNRESTED: &str = "unrested";

/// Something that happened: a replica died, an abort rule held, a clock stepped.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EventRow {
    pub at: Nanos,
    /// A word: `abort`, `gone`, `restart`, `identity`, `clock_step`, `no_sample`, `interrupt`, …
    pub kind: String,
    /// What it happened to: an instance, a scenario, `generator`.
    pub subject: String,
    pub text: String,
}

/// The generator's own state in one second of one thread.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct EngineRow {
    pub second: i64,
    pub worker: u16,
    /// Step at its end.
    pub step: u32,
    /// Mean number of iterations in flight (time-weighted).
    pub in_flight_mean: f64,
    /// Most in flight.
    pub in_flight_max: u32,
    /// Most arrivals that waited for a connection.
    pub waiting_max: u32,
    /// Sessions (connections or users) that exist.
    pub sessions: u32,
    /// Most legs that were waited for, after their iterations' own exchanges were over.
    pub awaiting_max: u32,
    /// Processor time of this thread in this second, seconds.
    pub cpu_s: f64,
    /// Time this thread was runnable and did not run, seconds.
    pub run_queue_s: f64,
}

/// A pair of the run's clock and the wall clock.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ClockPair {
    /// The run's clock.
    pub at: Nanos,
    /// Wall clock, since 1970.
    pub wall: Nanos,
}

/// Anything that is recorded.
#[derive(Clone, Debug)]
pub enum Entry {
    /// One thread's drain.
    Load(Batch),
    /// The generator's own state.
    Engine(EngineRow),
    /// A step's mark.
    Step(StepMark),
    /// Samples of one monitor.
    Samples(Vec<SampleRow>),
    Event(EventRow),
    /// Wall-clock pair.
    Clock(ClockPair),
    /// What another process has folded.
    Seen(Observed),
}

/// What the observer sees: live progress and abort rules are made of it.
#[derive(Clone, Debug, PartialEq)]
pub enum Observed {
    /// One thread's second, folded.
    Load(Folded),
    /// The generator's own state.
    Engine(EngineRow),
    /// A step's mark.
    Step(StepMark),
    /// Samples of one monitor.
    Samples(Vec<SampleRow>),
    Event(EventRow),
}

/// An entry as it is written.
pub(crate) enum Opened {
    Observed(Observed),
    Clock(ClockPair),
}

/// Folds a batch; the rest passes.
pub(crate) fn opened(entry: Entry) -> Opened {
    Opened::Observed(match entry {
        Entry::Load(batch) => Observed::Load(batch.fold()),
        Entry::Engine(row) => Observed::Engine(row),
        Entry::Step(mark) => Observed::Step(mark),
        Entry::Samples(rows) => Observed::Samples(rows),
        Entry::Event(row) => Observed::Event(row),
        Entry::Seen(seen) => seen,
        Entry::Clock(pair) => return Opened::Clock(pair),
    })
}
