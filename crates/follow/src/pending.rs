//! A second that is not told yet: its rows as they came.

use crate::second::{ExchangeSecond, GeneratorSecond, PartSecond, Sample, Second};
use record::{EngineRow, EventRow, Head, IterationRow, LegRow, OutcomeRow, SampleRow, StartRow};
use std::collections::BTreeMap;
use terms::{Books, Histogram, Nanos, OUTCOMES, Outcome, Population, SparseHistogram};

/// Exchange, leg and step.
type Key = (u16, u16, u32);

#[derive(Debug, Default)]
pub(crate) struct Pending {
    legs: Vec<LegRow>,
    outcomes: Vec<OutcomeRow>,
    books: BTreeMap<u32, Books>,
    lateness: Vec<SparseHistogram>,
    started: u64,
    engine: BTreeMap<u16, EngineRow>,
    samples: BTreeMap<(u16, u16, String), (Nanos, f64)>,
    events: Vec<EventRow>,
}

fn bytes_of(histogram: &SparseHistogram) -> usize {
    size_of::<(u32, u64)>() * histogram.buckets.len()
}

impl Pending {
    /// Each returns roughly the bytes that it keeps.
    pub(crate) fn leg(&mut self, row: LegRow) -> usize {
        let times = bytes_of(&row.response) + bytes_of(&row.service);
        let bytes = size_of::<LegRow>() + times + size_of::<u64>() * row.below.len();
        self.legs.push(row);
        bytes
    }

    pub(crate) fn outcome(&mut self, row: OutcomeRow) -> usize {
        self.outcomes.push(row);
        size_of::<OutcomeRow>()
    }

    pub(crate) fn iteration(&mut self, row: &IterationRow) -> usize {
        let known = self.books.len();
        *self.books.entry(row.step).or_default() += row.books;
        (self.books.len() - known) * 2 * size_of::<(u32, Books)>()
    }

    pub(crate) fn start(&mut self, row: StartRow) -> usize {
        let bytes = size_of::<SparseHistogram>() + bytes_of(&row.lateness);
        self.started = self.started.saturating_add(row.started);
        self.lateness.push(row.lateness);
        bytes
    }

    /// A thread that ends, or that begins another step, may tell of a second in pieces.
    pub(crate) fn engine(&mut self, row: EngineRow) -> usize {
        let finite = |value: f64| if value.is_finite() { value.max(0.0) } else { 0.0 };
        let known = self.engine.entry(row.worker).or_insert(EngineRow { cpu_s: 0.0, run_queue_s: 0.0, ..row });
        known.cpu_s += finite(row.cpu_s);
        known.run_queue_s += finite(row.run_queue_s);
        known.in_flight_mean = finite(row.in_flight_mean);
        known.waiting_max = known.waiting_max.max(row.waiting_max);
        known.sessions = row.sessions;
        2 * size_of::<EngineRow>()
    }

    pub(crate) fn sample(&mut self, row: SampleRow) -> usize {
        let Some(value) = row.value else { return 0 };
        let bytes = 2 * size_of::<SampleRow>() + row.instance.len();
        let known = self.samples.entry((row.monitor, row.metric, row.instance)).or_insert((row.at, value));
        if row.at >= known.0 {
            *known = (row.at, value);
        }
        bytes
    }

    pub(crate) fn event(&mut self, row: EventRow) -> usize {
        let bytes = size_of::<EventRow>() + row.kind.len() + row.subject.len() + row.text.len();
        self.events.push(row);
        bytes
    }

    /// How many dense histograms it becomes.
    pub(crate) fn histograms(&self) -> usize {
        let mut keys: Vec<Key> = self.legs.iter().map(leg_key).collect();
        keys.sort_unstable();
        keys.dedup();
        2 * keys.len()
    }

    /// Folds it.
    pub(crate) fn tell(self, second: i64, wall_ns: i64, steps: Vec<u32>, head: &Head) -> Second {
        Second {
            second,
            wall_ns,
            steps,
            generator: self.generator(),
            exchanges: exchanges(&self.legs, &self.outcomes),
            parts: self.books.into_iter().map(|(step, books)| PartSecond { step, books }).collect(),
            samples: self.samples.into_iter().map(|sample| named(sample, head)).collect(),
            events: self.events,
        }
    }

    fn generator(&self) -> Option<GeneratorSecond> {
        if self.engine.is_empty() && self.lateness.is_empty() {
            return None;
        }
        let mut lateness = Histogram::new();
        self.lateness.iter().for_each(|of| lateness.merge_sparse(of));
        let mut all = GeneratorSecond {
            threads: self.engine.len() as u32,
            started: self.started,
            lateness_p99: lateness.quantile(0.99),
            lateness_max: lateness.max(),
            ..GeneratorSecond::default()
        };
        for row in self.engine.values() {
            all.in_flight_mean += row.in_flight_mean;
            all.waiting_max += u64::from(row.waiting_max);
            all.sessions += u64::from(row.sessions);
            all.cpu_s += row.cpu_s;
            all.cpu_busiest_s = all.cpu_busiest_s.max(row.cpu_s);
            all.run_queue_s += row.run_queue_s;
            all.run_queue_worst_s = all.run_queue_worst_s.max(row.run_queue_s);
        }
        Some(all)
    }
}

fn leg_key(row: &LegRow) -> Key {
    (row.exchange, row.leg.into(), row.step)
}

fn exchanges(legs: &[LegRow], outcomes: &[OutcomeRow]) -> Vec<ExchangeSecond> {
    let mut all: BTreeMap<Key, (ExchangeSecond, BTreeMap<Outcome, u64>)> = BTreeMap::new();
    fn of(
        all: &mut BTreeMap<Key, (ExchangeSecond, BTreeMap<Outcome, u64>)>,
        key: Key,
    ) -> &mut (ExchangeSecond, BTreeMap<Outcome, u64>) {
        all.entry(key).or_insert_with(|| {
            let (exchange, leg, step) = key;
            (ExchangeSecond { exchange, leg, step, ..ExchangeSecond::default() }, BTreeMap::new())
        })
    }
    for row in legs {
        let known = &mut of(&mut all, leg_key(row)).0;
        known.bytes = known.bytes.saturating_add(row.bytes);
        if row.population == Population::Ok {
            known.units = known.units.saturating_add(row.units);
            known.response.merge_sparse(&row.response);
            known.service.merge_sparse(&row.service);
            // Forged rows may hold other numbers of counts.
            known.below.resize(known.below.len().max(row.below.len()), 0);
            for (known, below) in known.below.iter_mut().zip(&row.below) {
                *known = known.saturating_add(*below);
            }
        }
    }
    for row in outcomes {
        let (known, outcomes) = of(&mut all, (row.exchange, row.leg.into(), row.step));
        let count = if row.outcome == Outcome::Ok { &mut known.ok } else { outcomes.entry(row.outcome).or_default() };
        *count = count.saturating_add(row.count);
    }
    let ordered = |outcomes: &BTreeMap<Outcome, u64>| {
        OUTCOMES.iter().filter_map(|outcome| Some((*outcome, *outcomes.get(outcome)?))).collect()
    };
    all.into_values().map(|(known, outcomes)| ExchangeSecond { outcomes: ordered(&outcomes), ..known }).collect()
}

fn named(((monitor, metric, instance), (at, value)): ((u16, u16, String), (Nanos, f64)), head: &Head) -> Sample {
    let known = head.monitors.get(usize::from(monitor));
    let of = known.and_then(|known| known.metrics.get(usize::from(metric)));
    Sample {
        monitor: known.map_or_else(|| format!("#{monitor}"), |known| known.name.clone()),
        monitor_number: monitor,
        instance,
        metric: of.map_or_else(|| format!("#{metric}"), |of| of.name.clone()),
        metric_number: metric,
        unit: of.map_or_else(String::new, |of| of.unit.clone()),
        at,
        value,
    }
}
