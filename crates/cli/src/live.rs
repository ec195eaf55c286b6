//! What the recording thread shows to the people who watch, and to the abort rules.

use crate::failing::Failing;
use contract::recorder::{Folded, LegRow};
use drive::{Control, Stop};
use judge::live::{AbortRules, Held};
use record::{EngineRow, Entry, EventRow, Head, Seen};
use std::collections::{BTreeMap, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use terms::{Books, Histogram, Nanos, Population};

/// Seconds that the shown percentiles look back.
const SHOWN_SECONDS: i64 = 10;
/// Seconds that are kept for the small curve.
const KEPT_SECONDS: i64 = 60;

/// State shared by the recording thread (which writes it) and the screen (which reads it).
#[derive(Clone)]
pub(crate) struct Live(Arc<Mutex<Inner>>);

struct Inner {
    head: Head,
    /// Number of the scenario in hand, and which time it is carried out.
    scenario: (u16, u32),
    rules: Option<AbortRules>,
    control: Control,
    held: Option<Held>,
    shown: Shown,
    recent: VecDeque<(i64, Histogram)>,
    /// Starts that came due in the newest seconds, and starts that were made in them, whenever they had been due.
    starts: BTreeMap<i64, (u64, u64)>,
    /// Each load thread's last second: which, its share of a core, its mean number in flight.
    threads: BTreeMap<u16, (i64, f64, f64)>,
    /// The newest second in which starts were due, and the greatest lateness in it of all threads.
    late: (i64, Nanos),
}

/// What the screen shows.
#[derive(Clone, Debug, Default)]
pub(crate) struct Shown {
    /// Number of the step in hand, and when it began.
    pub(crate) step: Option<(u32, Nanos)>,
    /// Books of the scenario in hand.
    pub(crate) books: Books,
    /// Starts that came due in the last second that all load threads have told of.
    pub(crate) offered: u64,
    /// Starts that were made in it, whenever they had been due.
    pub(crate) achieved: u64,
    /// Of the last ten seconds.
    pub(crate) p50: Option<Nanos>,
    /// As `p50`.
    pub(crate) p99: Option<Nanos>,
    /// Greatest lateness in the last second.
    pub(crate) lateness: Nanos,
    /// Processor share of the busiest load thread in the last second.
    pub(crate) cpu: f64,
    /// Mean number in flight in the last second, of all threads together.
    pub(crate) in_flight: f64,
    /// Processor share of the whole machine, as the host monitor says.
    pub(crate) host_cpu: Option<f64>,
    /// Cores in use by instance, as the process monitor says, in order of their first sample.
    pub(crate) instance_cpu: Vec<(String, f64)>,
    /// Why calls of the scenario in hand failed.
    pub(crate) failing: Failing,
    /// Median of each of the last seconds, oldest first; by the second of the end.
    pub(crate) medians: Vec<Nanos>,
}

impl Shown {
    fn see_instance(&mut self, instance: &str, cores: f64) {
        match self.instance_cpu.iter_mut().find(|(name, _)| name == instance) {
            Some((_, seen)) => *seen = cores,
            None => self.instance_cpu.push((instance.to_owned(), cores)),
        }
    }
}

impl Live {
    pub(crate) fn new(head: Head, control: Control) -> Self {
        let inner = Inner {
            head,
            scenario: (0, 1),
            rules: None,
            control,
            held: None,
            shown: Shown::default(),
            recent: VecDeque::new(),
            starts: BTreeMap::new(),
            threads: BTreeMap::new(),
            late: (0, Nanos::ZERO),
        };
        Self(Arc::new(Mutex::new(inner)))
    }

    fn lock(&self) -> MutexGuard<'_, Inner> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A scenario begins: its own rules, its own books.
    pub(crate) fn begin(&self, head: &Head, scenario: (u16, u32), rules: Vec<study::rule::Rule>) {
        let mut inner = self.lock();
        inner.head = head.clone();
        inner.scenario = scenario;
        inner.rules = Some(AbortRules::new(head.clone(), usize::from(scenario.0), rules).of_repetition(scenario.1));
        let instance_cpu = std::mem::take(&mut inner.shown.instance_cpu);
        inner.shown = Shown { host_cpu: inner.shown.host_cpu, instance_cpu, ..Shown::default() };
        inner.recent.clear();
        inner.starts.clear();
        inner.threads.clear();
        inner.late = (0, Nanos::ZERO);
    }

    /// The abort rule that held, if one did.
    pub(crate) fn held(&self) -> Option<Held> {
        self.lock().held.clone()
    }

    /// What to show now.
    pub(crate) fn shown(&self) -> Shown {
        self.lock().shown.clone()
    }

    /// Called by the recording thread for everything that is recorded; `send` records what follows from it.
    pub(crate) fn see(&self, seen: &Seen) -> Option<Entry> {
        let mut inner = self.lock();
        match seen {
            Seen::Load(folded) => inner.see_load(folded),
            Seen::Step(mark) if !mark.is_end => inner.shown.step = Some((mark.step, mark.at)),
            Seen::Step(_) => {}
            Seen::Event(row) => {
                if let Some(rules) = inner.rules.as_mut() {
                    rules.add_event(row);
                }
            }
            Seen::Samples(rows) => inner.see_samples(rows),
            Seen::Engine(row) => {
                inner.see_thread(row);
                if row.worker == 0 {
                    return inner.check(Nanos::from_secs(row.second));
                }
            }
        }
        None
    }
}

impl Inner {
    fn see_load(&mut self, folded: &Folded) {
        // What the scenario before still had on its way here is not this one's.
        let (head, scenario) = (&self.head, self.scenario);
        let is_ours = |step: u32| {
            head.steps.get(step as usize).is_some_and(|step| (step.scenario, step.repetition.max(1)) == scenario)
        };
        // A thread hands over what happened in one second; it is that of the newest row.
        let own = || folded.iterations.iter().filter(|row| is_ours(row.step));
        if let Some(second) = own().map(|row| row.end_s.max(row.intended_s)).max() {
            let (intended, started) = self.starts.entry(second).or_default();
            for row in own() {
                self.shown.books += row.books;
                *intended += row.books.intended;
                *started += row.books.started;
            }
        }
        // Refused after they had ended well.
        for row in judge::taken_back(head, &folded.outcomes).filter(|row| is_ours(row.step)) {
            let taken = row.count.min(self.shown.books.completed);
            self.shown.books.completed -= taken;
            self.shown.books.failed += taken;
        }
        for row in &folded.starts {
            if row.intended_s > self.late.0 {
                self.late = (row.intended_s, Nanos::ZERO);
            }
            self.late.1 = self.late.1.max(row.lateness.max);
            self.shown.lateness = self.late.1;
        }
        for row in folded.outcomes.iter().filter(|row| is_ours(row.step)) {
            self.shown.failing.count(row.exchange, row.outcome, row.count);
        }
        for row in folded.notes.iter().filter(|row| is_ours(row.step)) {
            self.shown.failing.note(row.exchange, row.outcome, &row.text);
        }
        let newest = folded.legs.iter().map(|row| row.end_s).max();
        if let Some(newest) = newest {
            folded.legs.iter().filter(|row| row.population == Population::Ok).for_each(|row| self.add_recent(row));
            while self.recent.front().is_some_and(|(second, _)| *second <= newest - KEPT_SECONDS) {
                self.recent.pop_front();
            }
            let mut merged = Histogram::new();
            let last = self.recent.iter().filter(|(second, _)| *second > newest - SHOWN_SECONDS);
            last.for_each(|(_, histogram)| merged.merge(histogram));
            (self.shown.p50, self.shown.p99) = (merged.quantile(0.5), merged.quantile(0.99));
            let whole = self.recent.iter().filter(|(second, _)| *second < newest);
            self.shown.medians = whole.filter_map(|(_, histogram)| histogram.quantile(0.5)).collect();
        }
        // A part whose first answer is still to come has begun all the same.
        let begun = folded.iterations.iter().map(|row| row.end_s).max();
        let now = Nanos::from_secs(newest.max(begun).unwrap_or(0));
        if let Some(rules) = self.rules.as_mut() {
            rules.add(folded, now);
        }
    }

    /// Threads tell of a second one after another: whoever has not told of the newest yet counts with the one before.
    fn see_thread(&mut self, row: &EngineRow) {
        self.threads.insert(row.worker, (row.second, row.cpu_s, row.in_flight_mean));
        let newest = self.threads.values().map(|(second, ..)| *second).max().unwrap_or(row.second);
        let all = usize::try_from(self.head.workers).is_ok_and(|workers| self.threads.len() >= workers);
        let whole = self.threads.values().map(|(second, ..)| *second).filter(|second| *second >= newest - 1).min();
        if let Some(whole) = whole.filter(|_| all) {
            (self.shown.offered, self.shown.achieved) = self.starts.get(&whole).copied().unwrap_or_default();
            self.starts = self.starts.split_off(&(whole - 1));
        }
        let last = || self.threads.values().filter(|(second, ..)| *second >= newest - 1);
        self.shown.cpu = last().map(|(_, cpu, _)| *cpu).fold(0.0, f64::max);
        self.shown.in_flight = last().map(|(.., in_flight)| *in_flight).sum();
    }

    fn add_recent(&mut self, row: &LegRow) {
        let times = if row.response.buckets.is_empty() { &row.service } else { &row.response };
        match self.recent.iter_mut().find(|(second, _)| *second == row.end_s) {
            Some((_, histogram)) => histogram.merge_sparse(times),
            None => {
                let mut histogram = Histogram::new();
                histogram.merge_sparse(times);
                self.recent.push_back((row.end_s, histogram));
            }
        }
    }

    fn see_samples(&mut self, rows: &[record::SampleRow]) {
        for row in rows {
            let Some(monitor) = self.head.monitors.get(usize::from(row.monitor)) else { continue };
            let is_cpu = monitor.metrics.get(usize::from(row.metric)).is_some_and(|metric| metric.name == "cpu");
            let (true, Some(value)) = (is_cpu, row.value) else { continue };
            match monitor.kind.as_str() {
                "host" => self.shown.host_cpu = Some(value),
                "process" => self.shown.see_instance(&row.instance, value),
                _ => {}
            }
        }
        if let (Some(rules), Some(last)) = (self.rules.as_mut(), rows.last()) {
            rules.add_samples(rows, last.at);
        }
    }

    /// An abort rule that holds stops the run, once, and is an event.
    fn check(&mut self, now: Nanos) -> Option<Entry> {
        if self.held.is_some() {
            return None;
        }
        let held = self.rules.as_ref()?.check(now)?;
        self.control.stop(Stop::Now);
        let because = held.because.as_ref().map_or_else(String::new, |rule| format!(", of `{rule}`"));
        let text = format!("`{}` held (value {:.4}{because})", held.rule, held.value);
        self.held = Some(held);
        Some(Entry::Event(EventRow { at: now, kind: "abort".into(), subject: "run".into(), text }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn live() -> Live {
        Live::new(Head::default(), Control::new())
    }

    fn row(worker: u16, second: i64, in_flight_mean: f64, cpu_s: f64) -> Seen {
        Seen::Engine(EngineRow {
            second,
            worker,
            step: 0,
            in_flight_mean,
            in_flight_max: 0,
            waiting_max: 0,
            sessions: 0,
            awaiting_max: 0,
            cpu_s,
            run_queue_s: 0.0,
        })
    }

    fn batch(intended_s: i64, end_s: i64, intended: u64, started: u64) -> Seen {
        let books = Books { intended, started, ..Books::default() };
        let row = contract::recorder::IterationRow { step: 0, stream: 0, intended_s, end_s, books };
        Seen::Load(Folded { iterations: vec![row], ..Folded::default() })
    }

    #[test]
    fn rates_are_those_of_a_second_that_all_threads_have_told_of() {
        let step = record::StepHead { repetition: 1, ..record::StepHead::default() };
        let live = Live::new(Head { workers: 2, steps: vec![step], ..Head::default() }, Control::new());
        let rates = || (live.shown().offered, live.shown().achieved);
        live.see(&batch(1, 1, 10, 10));
        live.see(&row(0, 1, 0.0, 0.0));
        assert_eq!(rates(), (0, 0), "the other thread has told nothing yet");
        live.see(&batch(1, 1, 10, 8));
        live.see(&row(1, 1, 0.0, 0.0));
        assert_eq!(rates(), (20, 18));
        // One is a second ahead.
        live.see(&batch(2, 2, 10, 10));
        live.see(&row(0, 2, 0.0, 0.0));
        assert_eq!(rates(), (20, 18));
        // What had been due before is started now.
        live.see(&Seen::Load(Folded {
            iterations: [(2, 10, 5), (1, 0, 2)]
                .map(|(second, intended, started)| contract::recorder::IterationRow {
                    step: 0,
                    stream: 0,
                    intended_s: second,
                    end_s: second,
                    books: Books { intended, started, ..Books::default() },
                })
                .to_vec(),
            ..Folded::default()
        }));
        live.see(&row(1, 2, 0.0, 0.0));
        assert_eq!(rates(), (20, 17));
    }

    #[test]
    fn in_flight_is_the_sum_of_all_threads_and_the_busiest_counts() {
        let live = live();
        for second in 1..4 {
            live.see(&row(0, second, 21.0, 0.3));
            live.see(&row(1, second, 19.0, 0.1));
            live.see(&row(2, second, 0.5, 0.2));
        }
        assert_eq!((live.shown().in_flight, live.shown().cpu), (40.5, 0.3));
        // The first thread is a second ahead for a moment: the others still count.
        live.see(&row(0, 4, 20.0, 0.1));
        assert_eq!((live.shown().in_flight, live.shown().cpu), (39.5, 0.2));
        // One that has ended long ago does not.
        live.see(&row(0, 9, 20.0, 0.1));
        assert_eq!(live.shown().in_flight, 20.0);
    }
}
