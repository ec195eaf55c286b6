//! One monitor's life: facts, samples at computed instants, a last sample, facts.

use crate::schedule::Schedule;
use clock::Clock;
use contract::{Absent, FactName, Facts, Failure, Kind, Monitor, Samples};
use record::{Entry, EventRow, SampleRow};
use std::collections::{BTreeMap, BTreeSet};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc::{Receiver, RecvTimeoutError};
use terms::Nanos;

/// A monitor that has been built.
pub struct Built {
    /// Its number in `Head::monitors`.
    pub number: u16,
    /// Its name in rules.
    pub name: String,
    /// How the values of its metrics come; a sample's metric is an index into this.
    pub kinds: Vec<Kind>,
    /// Time between samples.
    pub every: Nanos,
    pub monitor: Box<dyn Monitor>,
}

/// Values taken of one sample. An access log at 50 000 requests a second stays below; what lies above is a defect of
/// the monitor, told as an event.
const VALUES_MAX: usize = 200_000;

/// Events taken of one sample.
const EVENTS_MAX: usize = 1_000;

/// Longest single wait, so that a run's clock that jumps is noticed.
const WAIT_MAX: Nanos = Nanos::from_secs(60);

pub(crate) struct Sampler<'a> {
    built: Built,
    clock: Clock,
    sink: &'a dyn Fn(Entry),
    samples: Samples,
    /// Metrics that each instance has had a value of: what is missing when it has none. Of one that was never seen, those
    /// that others have.
    known: BTreeMap<u32, BTreeSet<u16>>,
    /// Instances that should have been seen, and never were.
    unseen: BTreeSet<u32>,
    /// Instances of which an outage was told that goes on.
    absent: BTreeSet<u32>,
    is_out: bool,
}

impl<'a> Sampler<'a> {
    pub(crate) fn new(built: Built, clock: Clock, sink: &'a dyn Fn(Entry)) -> Self {
        let (samples, known) = (Samples::default(), BTreeMap::new());
        let (unseen, absent) = (BTreeSet::new(), BTreeSet::new());
        Self { built, clock, sink, samples, known, unseen, absent, is_out: false }
    }

    /// Facts of now; a monitor that fails at it tells that as a fact.
    pub(crate) fn facts(&mut self) -> Facts {
        let mut facts = Facts::default();
        if catch_unwind(AssertUnwindSafe(|| self.built.monitor.facts(&mut facts))).is_err() {
            facts.fact(&self.built.name, FactName::verbatim("facts"), "the monitor failed while it captured them");
        }
        facts
    }

    /// Samples until it is told to stop, then once more: what was counted at the very end belongs to the run.
    pub(crate) fn run(&mut self, stop: &Receiver<()>) {
        let mut schedule = Schedule::from(self.clock.now(), self.built.every);
        while self.wait_until(schedule.due(), stop) {
            let began = self.clock.now();
            self.sample(began);
            let ended = self.clock.now();
            let missed = schedule.advance(ended);
            if !missed.is_empty() {
                self.missed(&missed, ended - began, schedule.every());
            }
        }
        self.sample(self.clock.now());
    }

    /// Whether the moment came before the request to stop. A simulated clock is moved by others, never from here.
    fn wait_until(&self, due: Nanos, stop: &Receiver<()>) -> bool {
        loop {
            let left = due - self.clock.now();
            let pause = if self.clock.is_simulated() { Nanos::MILLISECOND.min(left) } else { left.min(WAIT_MAX) };
            match stop.recv_timeout(pause.or_zero().to_std()) {
                Err(RecvTimeoutError::Timeout) if left <= Nanos::ZERO => return true,
                Err(RecvTimeoutError::Timeout) => {}
                Ok(()) | Err(RecvTimeoutError::Disconnected) => return false,
            }
        }
    }

    fn sample(&mut self, at: Nanos) {
        let Self { built, samples, .. } = self;
        let outcome = catch_unwind(AssertUnwindSafe(|| built.monitor.sample(at, samples)))
            .unwrap_or_else(|_| Err(Failure::new("the monitor failed: a defect in it")));
        let present = self.emit(at);
        let Absent { mut missing, quiet } = self.samples.take_absent();
        missing.retain(|(instance, _)| !present.contains(instance));
        self.expect(&missing);
        let quiet: BTreeSet<(u32, u16)> = quiet.into_iter().filter(|_| outcome.is_ok()).collect();
        self.gaps(at, |instance, metric| !present.contains(&instance) && !quiet.contains(&(instance, metric)));
        self.absent.retain(|instance| !present.contains(instance));
        match outcome {
            Ok(()) => {
                self.is_out = false;
                self.tell_missing(at, missing);
            }
            Err(Failure(why)) => self.outage(at, why),
        }
    }

    /// Of an instance that was never seen nobody knows which metrics it has: those that others have by now.
    fn expect(&mut self, missing: &[(u32, String)]) {
        self.unseen.extend(missing.iter().map(|(instance, _)| *instance).filter(|one| !self.known.contains_key(one)));
        let seen = self.known.iter().filter(|(instance, _)| !self.unseen.contains(instance));
        let metrics: BTreeSet<u16> = seen.flat_map(|(_, metrics)| metrics).copied().collect();
        for instance in &self.unseen {
            self.known.entry(*instance).or_default().extend(&metrics);
        }
    }

    /// One event for each instance that is out while others are seen, however long.
    fn tell_missing(&mut self, at: Nanos, missing: Vec<(u32, String)>) {
        for (instance, why) in missing {
            if self.absent.insert(instance) {
                let name = self.samples.instance_name(instance).to_owned();
                let text = format!("no sample of `{name}` by `{}`: {why}", self.built.name);
                self.event(at, "no_sample", name, text);
            }
        }
    }

    /// Hands on what has come; returns the instances that it is about.
    fn emit(&mut self, at: Nanos) -> BTreeSet<u32> {
        let (mut values, mut events) = self.samples.take();
        if values.len() > VALUES_MAX || events.len() > EVENTS_MAX {
            let text = format!(
                "`{}` gave {} values and {} events at once; {VALUES_MAX} and {EVENTS_MAX} were kept",
                self.built.name,
                values.len(),
                events.len()
            );
            values.truncate(VALUES_MAX);
            events.truncate(EVENTS_MAX);
            self.event(at, "too_many_samples", self.built.name.clone(), text);
        }
        let mut present = BTreeSet::new();
        let mut rows = Vec::with_capacity(values.len());
        for sample in values {
            if usize::from(sample.metric) >= self.built.kinds.len() {
                debug_assert!(false, "`{}` gave a value of a metric that it does not have", self.built.name);
                continue;
            }
            present.insert(sample.instance);
            if self.unseen.remove(&sample.instance) {
                self.known.remove(&sample.instance);
            }
            self.known.entry(sample.instance).or_default().insert(sample.metric);
            let value = Some(sample.value).filter(|value| value.is_finite());
            rows.push(self.row(sample.at, sample.instance, sample.metric, value));
        }
        for (at, instance, event) in events {
            let subject = match self.samples.instance_name(instance) {
                "" => self.built.name.clone(),
                name => name.to_owned(),
            };
            self.event(at, event.kind, subject, event.text);
        }
        self.send(rows);
        present
    }

    /// Writes a gap for each metric of an instance that is chosen. An instance is missing as a whole: a metric that its
    /// monitor reads less often than the others is not a gap.
    fn gaps(&self, at: Nanos, is_missing: impl Fn(u32, u16) -> bool) {
        let known = self.known.iter().flat_map(|(&instance, metrics)| metrics.iter().map(move |&one| (instance, one)));
        let missing = known.filter(|&(instance, metric)| self.is_level(metric) && is_missing(instance, metric));
        self.send(missing.map(|(instance, metric)| self.row(at, instance, metric, None)).collect());
    }

    /// Whether the metric should have a value each time; no request is not a gap in a distribution.
    fn is_level(&self, metric: u16) -> bool {
        self.built.kinds[usize::from(metric)] != contract::Kind::Distribution
    }

    fn missed(&mut self, instants: &[Nanos], took: Nanos, every: Nanos) {
        for &at in instants {
            self.gaps(at, |_, _| true);
        }
        self.outage(instants[0], format!("a sample took {took}, longer than its period of {every}"));
    }

    /// One event for an outage, however long.
    fn outage(&mut self, at: Nanos, why: String) {
        if !std::mem::replace(&mut self.is_out, true) {
            let text = format!("no sample of `{}`: {why}", self.built.name);
            self.event(at, "no_sample", self.built.name.clone(), text);
        }
    }

    fn row(&self, at: Nanos, instance: u32, metric: u16, value: Option<f64>) -> SampleRow {
        let instance = self.samples.instance_name(instance).to_owned();
        SampleRow { at, monitor: self.built.number, instance, metric, value }
    }

    fn event(&self, at: Nanos, kind: &str, subject: String, text: String) {
        (self.sink)(Entry::Event(EventRow { at, kind: kind.to_owned(), subject, text }));
    }

    fn send(&self, rows: Vec<SampleRow>) {
        if !rows.is_empty() {
            (self.sink)(Entry::Samples(rows));
        }
    }
}
