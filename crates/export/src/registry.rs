//! Seconds added up to series.

use crate::labels::{Labels, OTHERS, Values};
use crate::names::{Kind, METRICS, number};
use crate::sketch::{Layout, Sketch};
use crate::snapshot::{Family, Identity, Point, Snapshot, Value};
use follow::{ExchangeSecond, GeneratorSecond, PartSecond, Sample, Second};
use record::Head;
use scrub::KeptOut;
use std::collections::{BTreeMap, HashSet};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::Arc;
use terms::Outcome;

/// Series of numbers: ten times what a large study has, and what a receiver takes from one source without complaint.
const SERIES_MAX: usize = 4000;
/// Histograms; to Prometheus each is two dozen series.
const HISTOGRAMS_MAX: usize = 400;
/// Series beyond the limits that are told apart, to say how many there are.
const LEFT_OUT_MAX: usize = 100_000;
/// Seconds for which a level is told that nobody has measured anew.
const LEVEL_KEPT_S: i64 = 10;
/// The same in periods of its monitor, where that is more.
const LEVEL_KEPT_PERIODS: f64 = 3.0;

/// Adds up what seconds hold.
pub struct Registry {
    values: Values,
    /// Known with the first second.
    identity: Option<Arc<Identity>>,
    layout: Arc<Layout>,
    start_ns: i64,
    wall_ns: i64,
    second: i64,
    series: BTreeMap<(usize, Labels), Series>,
    histograms: usize,
    left_out: HashSet<u64>,
    /// Steps that were in hand in the second before.
    in_hand: Vec<u32>,
}

struct Series {
    value: Value,
    is_new: bool,
    /// Of a level, the last second that is told.
    until: i64,
}

impl Registry {
    /// Nothing yet. What is kept out of all texts is kept out of labels.
    pub fn new(kept_out: KeptOut) -> Self {
        Self {
            values: Values::new(kept_out),
            identity: None,
            layout: Arc::new(Layout::with_limits([])),
            start_ns: 0,
            wall_ns: 0,
            second: i64::MIN,
            series: BTreeMap::new(),
            histograms: 0,
            left_out: HashSet::new(),
            in_hand: Vec::new(),
        }
    }

    /// Adds a second of the run that `head` describes.
    pub fn add(&mut self, second: &Second, head: &Head) {
        if self.identity.is_none() {
            self.begin(head);
        }
        self.second = self.second.max(second.second);
        // Receivers refuse what goes back in time, as after the wall clock was set.
        self.wall_ns = second.wall_ns.max(self.wall_ns.saturating_add(1_000_000));
        second.exchanges.iter().for_each(|exchange| self.exchange(exchange, head));
        second.parts.iter().for_each(|part| self.part(part, head));
        if let Some(generator) = &second.generator {
            self.generator(generator);
        }
        second.samples.iter().for_each(|sample| self.sample(sample, head));
        for event in &second.events {
            let labels = self.values.labels(&[("kind", &event.kind), ("subject", &event.subject)]);
            self.count(number::EVENTS, labels, 1);
        }
        self.steps(&second.steps, head);
        let labels = self.values.labels(&[("version", &head.version), ("system", &head.system)]);
        self.level(number::RUN, labels, 1.0, i64::MAX);
        self.level(number::RUN_TIME, Vec::new(), (self.second.saturating_add(1)).max(0) as f64, i64::MAX);
        self.level(number::LEFT_OUT, Vec::new(), self.left_out.len() as f64, i64::MAX);
    }

    fn begin(&mut self, head: &Head) {
        let limits = head.exchanges.iter().flat_map(|exchange| &exchange.thresholds).map(|limit| limit.limit_ns);
        self.layout = Arc::new(Layout::with_limits(limits));
        self.start_ns = head.wall_origin_ns;
        let (study, run) = (self.values.of(&head.study), self.values.of(&head.id));
        self.identity = Some(Arc::new(Identity { study, run, version: head.version.clone() }));
    }

    fn exchange(&mut self, second: &ExchangeSecond, head: &Head) {
        let known = head.exchanges.get(usize::from(second.exchange));
        let exchange = known.map_or_else(|| format!("#{}", second.exchange), |known| known.name.clone());
        let leg = known.and_then(|known| known.legs.get(usize::from(second.leg)));
        let leg = leg.map_or_else(|| format!("#{}", second.leg), |leg| leg.name.clone());
        let place = Place::of(second.step, head);
        let of = |registry: &mut Self, outcome: Option<Outcome>| {
            let outcome = outcome.map_or("", Outcome::name);
            let own = [("exchange", exchange.as_str()), ("leg", leg.as_str()), ("outcome", outcome)];
            registry.values.labels(&[&place.labels()[..], &own[..]].concat())
        };
        let outcomes = [(Outcome::Ok, second.ok)].into_iter().chain(second.outcomes.iter().copied());
        for (outcome, count) in outcomes.filter(|(_, count)| *count > 0) {
            let labels = of(self, Some(outcome));
            self.count(number::CALLS, labels, count);
        }
        let labels = of(self, None);
        self.count(number::UNITS, labels.clone(), second.units);
        self.count(number::RECEIVED, labels.clone(), second.bytes);
        for (number, times) in [(number::RESPONSE, &second.response), (number::SERVICE, &second.service)] {
            if times.total() > 0 {
                let (layout, counted) = (self.layout.clone(), self.counted(number, second, head));
                if let Some(Value::Times(sketch)) = self.at(number, labels.clone(), Value::Times(Sketch::default())) {
                    sketch.add(times, &layout, &counted);
                }
            }
        }
    }

    /// How many of the times of a histogram the load has counted below the limits of the study, by the places of the limits
    /// among the bounds.
    fn counted(&self, number: usize, second: &ExchangeSecond, head: &Head) -> BTreeMap<usize, u64> {
        let known = head.exchanges.get(usize::from(second.exchange));
        let limits = known.into_iter().flat_map(|known| &known.thresholds);
        let of_leg = limits.filter(|limit| u16::from(limit.leg) == second.leg).zip(&second.below);
        // Where nobody intends starts, rules on response times are about service times.
        let is_closed = second.response.total() == 0;
        let mut counted = BTreeMap::new();
        for (limit, below) in of_leg {
            let is_of_response = limit.measure == "response" && !is_closed;
            if is_of_response != (number == number::RESPONSE) {
                continue;
            }
            if let Some(place) = self.layout.place(limit.limit_ns) {
                // Of `<` and `<=` at the same limit the latter is what a bound means.
                let known = counted.entry(place).or_insert(*below);
                *known = (*known).max(*below);
            }
        }
        counted
    }

    fn part(&mut self, part: &PartSecond, head: &Head) {
        let labels = self.values.labels(&Place::of(part.step, head).labels());
        let books = &part.books;
        for (number, count) in [
            (number::INTENDED, books.intended),
            (number::STARTED, books.started),
            (number::DROPPED, books.dropped),
            (number::COMPLETED, books.completed),
            (number::FAILED, books.failed),
            (number::ABORTED, books.aborted),
        ] {
            self.count(number, labels.clone(), count);
        }
    }

    fn generator(&mut self, generator: &GeneratorSecond) {
        let until = self.second.saturating_add(LEVEL_KEPT_S);
        let seconds = |time: Option<terms::Nanos>| time.map(terms::Nanos::as_secs_f64);
        for (number, level) in [
            (number::IN_FLIGHT, Some(generator.in_flight_mean)),
            (number::WAITING, Some(generator.waiting_max as f64)),
            (number::SESSIONS, Some(generator.sessions as f64)),
            (number::THREADS, Some(f64::from(generator.threads))),
            (number::BUSIEST, Some(generator.cpu_busiest_s)),
            (number::LATENESS_MAX, seconds(generator.lateness_max)),
            (number::LATENESS_P99, seconds(generator.lateness_p99)),
        ] {
            if let Some(level) = level {
                self.level(number, Vec::new(), level, until);
            }
        }
        self.count(number::EXCHANGES_STARTED, Vec::new(), generator.started);
        for (number, seconds) in [(number::CPU, generator.cpu_s), (number::RUN_QUEUE, generator.run_queue_s)] {
            if let Some(Value::Sum(sum)) = self.at(number, Vec::new(), Value::Sum(0.0)) {
                *sum += if seconds.is_finite() { seconds.max(0.0) } else { 0.0 };
            }
        }
    }

    fn sample(&mut self, sample: &Sample, head: &Head) {
        let monitor = head.monitors.get(usize::from(sample.monitor_number));
        let metric = monitor.and_then(|known| known.metrics.get(usize::from(sample.metric_number)));
        // Of durations that come each by itself the newest says little; they are summed up in the report.
        if metric.is_some_and(|known| known.kind == "distribution") {
            return;
        }
        let (number, unit) = match sample.unit.as_str() {
            "bytes" => (number::WATCHED_SIZE, ""),
            "s" => (number::WATCHED_TIME, ""),
            "share" => (number::WATCHED_SHARE, ""),
            "cores" => (number::WATCHED_CORES, ""),
            "count" => (number::WATCHED_LEVEL, ""),
            other => match other.strip_suffix("/s") {
                Some(of) => (number::WATCHED_RATE, of),
                None => (number::WATCHED_LEVEL, other),
            },
        };
        let own = [
            ("monitor", sample.monitor.as_str()),
            ("watched", sample.instance.as_str()),
            ("metric", sample.metric.as_str()),
            ("unit", unit),
        ];
        let periods = monitor.map_or(0.0, |known| (known.every_s * LEVEL_KEPT_PERIODS).min(1e6));
        let labels = self.values.labels(&own);
        self.level(number, labels, sample.value, self.second.saturating_add(LEVEL_KEPT_S.max(periods as i64)));
    }

    fn steps(&mut self, in_hand: &[u32], head: &Head) {
        let until = self.second.saturating_add(LEVEL_KEPT_S);
        let over: Vec<u32> = std::mem::replace(&mut self.in_hand, in_hand.to_vec());
        let over = over.iter().filter(|step| !in_hand.contains(step)).map(|step| (*step, 0.0));
        // Those in hand last: another time of the same step has its name.
        for (step, level) in over.chain(in_hand.iter().map(|step| (*step, 1.0))) {
            let labels = self.values.labels(&Place::of(step, head).labels());
            self.level(number::STEP, labels, level, until);
        }
    }

    fn count(&mut self, number: usize, labels: Labels, more: u64) {
        if let Some(Value::Count(count)) = self.at(number, labels, Value::Count(0)) {
            *count = count.saturating_add(more);
        }
    }

    fn level(&mut self, number: usize, labels: Labels, level: f64, until: i64) {
        if !level.is_finite() {
            return;
        }
        let key = (number, labels);
        if let Some(known) = self.series.get_mut(&key) {
            (known.value, known.until) = (Value::Level(level), until);
        } else if self.has_room(number) {
            self.series.insert(key, Series { value: Value::Level(level), is_new: true, until });
        } else {
            self.leave_out(&key);
        }
    }

    /// The value of a series that grows; beyond the limits that of all others together.
    fn at(&mut self, number: usize, labels: Labels, zero: Value) -> Option<&mut Value> {
        let mut key = (number, labels);
        if !self.series.contains_key(&key) && !self.has_room(number) {
            self.leave_out(&key);
            key.1.iter_mut().for_each(|(_, value)| *value = OTHERS.into());
        }
        if !self.series.contains_key(&key) && METRICS[number].kind == Kind::Histogram {
            self.histograms += 1;
        }
        let new = Series { value: zero, is_new: true, until: i64::MAX };
        Some(&mut self.series.entry(key).or_insert(new).value)
    }

    fn has_room(&self, number: usize) -> bool {
        let has_room = self.series.len() < SERIES_MAX;
        // What the run says of itself has room always.
        let is_own = matches!(number, number::RUN | number::RUN_TIME | number::LEFT_OUT);
        is_own || has_room && (METRICS[number].kind != Kind::Histogram || self.histograms < HISTOGRAMS_MAX)
    }

    fn leave_out(&mut self, key: &(usize, Labels)) {
        if self.left_out.len() < LEFT_OUT_MAX {
            let mut hasher = DefaultHasher::new();
            key.hash(&mut hasher);
            self.left_out.insert(hasher.finish());
        }
    }

    /// Series beyond the limits.
    pub fn left_out(&self) -> usize {
        self.left_out.len()
    }

    /// Everything as it is after the last second that was added; `None` before the first. Levels that nobody has measured
    /// for a while are gone with it.
    pub fn snapshot(&mut self) -> Option<Snapshot> {
        let second = self.second;
        let snapshot = self.told(|series| {
            let is_gone = series.until < second;
            let value = if is_gone { Value::Gone } else { series.value.clone() };
            (value, std::mem::take(&mut series.is_new))
        })?;
        self.series.retain(|_, series| series.until >= second);
        Some(snapshot)
    }

    /// The end of all series, a moment after the last second.
    pub fn ending(&mut self) -> Option<Snapshot> {
        self.wall_ns = self.wall_ns.saturating_add(1_000_000);
        self.told(|_| (Value::Gone, false))
    }

    fn told(&mut self, mut tell: impl FnMut(&mut Series) -> (Value, bool)) -> Option<Snapshot> {
        let identity = self.identity.clone()?;
        let mut families: Vec<Family> = Vec::new();
        for ((number, labels), series) in &mut self.series {
            if families.last().is_none_or(|family| family.number != *number) {
                families.push(Family { number: *number, points: Vec::new() });
            }
            let (value, is_new) = tell(series);
            if let Some(family) = families.last_mut() {
                family.points.push(Point { labels: labels.clone(), value, is_new });
            }
        }
        let (layout, start_ns, wall_ns) = (self.layout.clone(), self.start_ns, self.wall_ns);
        Some(Snapshot { identity, layout, start_ns, wall_ns, families })
    }
}

/// Where in the study something belongs.
struct Place<'a> {
    scenario: &'a str,
    part: &'a str,
    step: &'a str,
    phase: &'a str,
    /// Empty where the scenario is carried out once.
    repetition: String,
}

impl<'a> Place<'a> {
    fn of(step: u32, head: &'a Head) -> Self {
        let Some(step) = head.steps.get(step as usize) else {
            return Self { scenario: "", part: "", step: "", phase: "", repetition: String::new() };
        };
        let scenario = head.scenarios.get(usize::from(step.scenario)).map_or("", |known| known.name.as_str());
        let is_repeated = head.repetitions(step.scenario) > 1;
        let repetition = if is_repeated { step.repetition.to_string() } else { String::new() };
        Self { scenario, part: head.part_of(step).unwrap_or_default(), step: &step.id, phase: &step.phase, repetition }
    }

    fn labels(&self) -> [(&'static str, &str); 5] {
        [
            ("scenario", self.scenario),
            ("part", self.part),
            ("step", self.step),
            ("phase", self.phase),
            ("repetition", &self.repetition),
        ]
    }
}
