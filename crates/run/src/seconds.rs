//! The figures of the scenario in hand, from what the recording thread sees.

use crate::driver_counters;
use crate::figures::Figures;
use record::{EngineRow, Head, LegPer, SampleRow};
use recorder::{Folded, IterationRow, LegRow};
use std::collections::{BTreeMap, VecDeque};
use terms::{Books, Histogram, Nanos, Outcome, Population};

/// Seconds that the shown percentiles look back.
const SHOWN_SECONDS: i64 = 10;
/// Seconds that are kept for the small curve.
const KEPT_SECONDS: i64 = 60;

/// What drivers that hold connections call those which they have lost, and those of them that they opened again.
const LOST: &str = "lost";
const REOPENED: &str = "reopened";

/// The newest seconds of the scenario in hand.
pub(crate) struct Seconds {
    pub(crate) figures: Figures,
    head: Head,
    /// Number of the scenario in hand, and which time it is carried out.
    scenario: (u16, u32),
    recent: VecDeque<(i64, Histogram)>,
    /// Starts that came due in the newest seconds, and starts that were made in them, whenever they had been due.
    starts: BTreeMap<i64, (u64, u64)>,
    /// Each load thread's last second: which, its share of a core, its mean number in flight.
    threads: BTreeMap<u16, (i64, f64, f64)>,
    /// How many connections each driver had lost (or, where not, opened again) when the scenario began, and by now.
    lost: BTreeMap<(bool, String), (u64, u64)>,
    /// The newest second in which starts were due, and the greatest lateness in it of all threads.
    late: (i64, Nanos),
}

impl Seconds {
    /// Those of a run's first scenario.
    pub(crate) fn new(head: Head) -> Self {
        Self {
            figures: Figures::default(),
            head,
            scenario: (0, 1),
            recent: VecDeque::new(),
            starts: BTreeMap::new(),
            threads: BTreeMap::new(),
            lost: BTreeMap::new(),
            late: (0, Nanos::ZERO),
        }
    }

    /// Another scenario begins, or the same once more; the system is the same.
    pub(crate) fn begin(&mut self, head: Head, scenario: (u16, u32)) {
        let instance_cpu = std::mem::take(&mut self.figures.instance_cpu);
        let figures = Figures { host_cpu: self.figures.host_cpu, instance_cpu, ..Figures::default() };
        let lost = std::mem::take(&mut self.lost).into_iter().map(|(driver, (_, now))| (driver, (now, now))).collect();
        *self = Self { figures, scenario, lost, ..Self::new(head) };
    }

    /// One thread's second.
    pub(crate) fn see_load(&mut self, folded: &Folded) {
        // What the scenario before still had on its way here is not this one's.
        let (head, scenario) = (&self.head, self.scenario);
        let is_ours = |step: u32| {
            head.steps.get(step as usize).is_some_and(|step| (step.scenario, step.repetition.max(1)) == scenario)
        };
        let own = || folded.iterations.iter().filter(|row| is_ours(row.step));
        if let Some(second) = second_of(own) {
            let (intended, started) = self.starts.entry(second).or_default();
            for row in own() {
                self.figures.books += row.books;
                *intended += row.books.intended;
                *started += row.books.started;
            }
        }
        // Refused after they had succeeded.
        for row in judge::taken_back(head, &folded.outcomes).filter(|row| is_ours(row.step)) {
            let taken = row.count.min(self.figures.books.completed);
            self.figures.books.completed -= taken;
            self.figures.books.failed += taken;
        }
        for row in &folded.starts {
            if row.intended_s > self.late.0 {
                self.late = (row.intended_s, Nanos::ZERO);
            }
            self.late.1 = self.late.1.max(row.lateness.max);
            self.figures.lateness = self.late.1;
        }
        // What is booked as one, too, is not a call of its own.
        let calls = head.calls();
        let is_call = |exchange: u16| usize::from(exchange) < calls;
        for row in folded.outcomes.iter().filter(|row| is_ours(row.step) && is_call(row.exchange)) {
            self.figures.failing.count(row.exchange, row.leg, row.outcome, row.count);
        }
        for row in folded.notes.iter().filter(|row| is_ours(row.step)) {
            self.figures.failing.note(row.exchange, row.outcome, &row.text);
        }
        self.add_openings(folded);
        let newest = folded.legs.iter().map(|row| row.end_s).max();
        if let Some(newest) = newest {
            // Times are those of the first leg, as everywhere: what a message took to be sent is not how soon it was answered.
            let ok = |row: &&LegRow| row.population == Population::Ok && row.leg == 0 && is_call(row.exchange);
            folded.legs.iter().filter(ok).for_each(|row| self.add_recent(row));
            while self.recent.front().is_some_and(|(second, _)| *second <= newest - KEPT_SECONDS) {
                self.recent.pop_front();
            }
            let mut merged = Histogram::new();
            let last = self.recent.iter().filter(|(second, _)| *second > newest - SHOWN_SECONDS);
            last.for_each(|(_, histogram)| merged.merge(histogram));
            (self.figures.p50, self.figures.p99) = (merged.quantile(0.5), merged.quantile(0.99));
            let whole = self.recent.iter().filter(|(second, _)| *second < newest);
            self.figures.medians = whole.filter_map(|(_, histogram)| histogram.quantile(0.5)).collect();
        }
    }

    /// Another step is in hand.
    pub(crate) fn see_step(&mut self, number: u32, at: Nanos) {
        self.figures.step = Some((number, at));
        let planned = self.head.steps.get(number as usize).and_then(|step| step.connections);
        if let Some(planned) = planned {
            self.figures.connections.get_or_insert_default().planned = planned.into();
        }
    }

    fn add_openings(&mut self, folded: &Folded) {
        let Some(mut seen) = self.figures.connections else { return };
        for row in &folded.outcomes {
            let Some(exchange) = self.head.exchanges.get(usize::from(row.exchange)) else { continue };
            if !exchange.legs.get(usize::from(row.leg)).is_some_and(|leg| leg.per == LegPer::Connection) {
                continue;
            }
            match row.outcome {
                Outcome::Ok => seen.opened += row.count,
                _ => seen.failed += row.count,
            }
        }
        self.figures.connections = Some(seen);
    }

    /// Threads tell of a second one after another: whoever has not told of the newest yet counts with the one before.
    pub(crate) fn see_thread(&mut self, row: &EngineRow) {
        self.threads.insert(row.worker, (row.second, row.cpu_s, row.in_flight_mean));
        let newest = self.threads.values().map(|(second, ..)| *second).max().unwrap_or(row.second);
        let step = self.figures.step.map(|(step, _)| step);
        let workers = step.and_then(|step| self.head.workers_of(step)).unwrap_or(self.head.workers);
        let all = usize::try_from(workers).is_ok_and(|workers| self.threads.len() >= workers);
        let whole = self.threads.values().map(|(second, ..)| *second).filter(|second| *second >= newest - 1).min();
        if let Some(whole) = whole.filter(|_| all) {
            (self.figures.offered, self.figures.achieved) = self.starts.get(&whole).copied().unwrap_or_default();
            self.starts = self.starts.split_off(&(whole - 1));
        }
        let last = || self.threads.values().filter(|(second, ..)| *second >= newest - 1);
        self.figures.cpu = last().map(|(_, cpu, _)| *cpu).fold(0.0, f64::max);
        // What ended before its second was taken is taken from the next one, which may have less.
        self.figures.in_flight = last().map(|(.., in_flight)| *in_flight).sum::<f64>().max(0.0);
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

    /// What the monitors of the machine and of processes say.
    pub(crate) fn see_samples(&mut self, rows: &[SampleRow]) {
        for row in rows {
            let Some(monitor) = self.head.monitors.get(usize::from(row.monitor)) else { continue };
            let metric = monitor.metrics.get(usize::from(row.metric)).map_or("", |metric| metric.name.as_str());
            if monitor.kind == driver_counters::NAME && [LOST, REOPENED].contains(&metric) {
                let now = row.value.unwrap_or_default() as u64;
                self.lost.entry((metric == LOST, row.instance.clone())).or_insert((0, now)).1 = now;
                let grown = |lost: bool| -> u64 {
                    let own = self.lost.iter().filter(|((is_lost, _), _)| *is_lost == lost);
                    own.map(|(_, (before, now))| now.saturating_sub(*before)).sum()
                };
                let lost = grown(true).saturating_sub(grown(false));
                self.figures.connections.iter_mut().for_each(|seen| seen.lost = lost);
            }
            let ("cpu", Some(value)) = (metric, row.value) else { continue };
            match monitor.kind.as_str() {
                "host" if monitor.is_here() => self.figures.host_cpu = Some(value),
                "process" => self.figures.see_instance(&row.instance, value),
                _ => {}
            }
        }
    }
}

/// A thread hands over what happened in one second, and what ended before it came to do so: it is the second in which most
/// iterations ended, or where none did, that of the newest row.
fn second_of<'r, Rows: Iterator<Item = &'r IterationRow>>(rows: impl Fn() -> Rows) -> Option<i64> {
    let mut ended: BTreeMap<i64, u64> = BTreeMap::new();
    for row in rows() {
        let Books { completed, failed, aborted, .. } = row.books;
        *ended.entry(row.end_s).or_default() += completed + failed + aborted;
    }
    let most = ended.into_iter().filter(|(_, count)| *count > 0).max_by_key(|(second, count)| (*count, *second));
    most.map(|(second, _)| second).or_else(|| rows().map(|row| row.end_s.max(row.intended_s)).max())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::figures::Connections;

    /// Those of the first scenario of a run with so many threads.
    fn seconds(workers: u32) -> Seconds {
        let step = record::StepHead { repetition: 1, ..record::StepHead::default() };
        Seconds::new(Head { workers, steps: vec![step], ..Head::default() })
    }

    fn row(worker: u16, second: i64, in_flight_mean: f64, cpu_s: f64) -> EngineRow {
        EngineRow {
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
        }
    }

    fn batch(intended_s: i64, end_s: i64, intended: u64, started: u64) -> Folded {
        let books = Books { intended, started, ..Books::default() };
        let row = recorder::IterationRow { step: 0, stream: 0, intended_s, end_s, books };
        Folded { iterations: vec![row], ..Folded::default() }
    }

    /// At twelve thousand a second a few end while the second is handed over.
    #[test]
    fn a_second_is_its_own_although_some_of_the_next_came_with_it() {
        let mut seconds = seconds(1);
        let row = |at: i64, count: u64| {
            let books = Books { intended: count, started: count, completed: count, ..Books::default() };
            IterationRow { step: 0, stream: 0, intended_s: at, end_s: at, books }
        };
        for second in 0..5 {
            let few = if second == 3 { 0 } else { 7 };
            let rows = vec![row(second, 12_000 - few), row(second + 1, few)];
            seconds.see_load(&Folded { iterations: rows, ..Folded::default() });
            seconds.see_thread(&self::row(0, second, 1.0, 0.2));
            assert_eq!((seconds.figures.offered, seconds.figures.achieved), (12_000, 12_000), "{second}");
        }
    }

    #[test]
    fn rates_are_those_of_a_second_that_all_threads_have_told_of() {
        let mut seconds = seconds(2);
        let rates = |seconds: &Seconds| (seconds.figures.offered, seconds.figures.achieved);
        seconds.see_load(&batch(1, 1, 10, 10));
        seconds.see_thread(&row(0, 1, 0.0, 0.0));
        assert_eq!(rates(&seconds), (0, 0), "the other thread has told nothing yet");
        seconds.see_load(&batch(1, 1, 10, 8));
        seconds.see_thread(&row(1, 1, 0.0, 0.0));
        assert_eq!(rates(&seconds), (20, 18));
        // One is a second ahead.
        seconds.see_load(&batch(2, 2, 10, 10));
        seconds.see_thread(&row(0, 2, 0.0, 0.0));
        assert_eq!(rates(&seconds), (20, 18));
        // What had been due before is started now.
        seconds.see_load(&Folded {
            iterations: [(2, 10, 5), (1, 0, 2)]
                .map(|(second, intended, started)| recorder::IterationRow {
                    step: 0,
                    stream: 0,
                    intended_s: second,
                    end_s: second,
                    books: Books { intended, started, ..Books::default() },
                })
                .to_vec(),
            ..Folded::default()
        });
        seconds.see_thread(&row(1, 2, 0.0, 0.0));
        assert_eq!(rates(&seconds), (20, 17));
    }

    #[test]
    fn connections_are_those_of_the_scenario_in_hand() {
        let legs = vec![
            record::LegHead::of_exchange("answer"),
            record::LegHead { name: "connect".into(), per: LegPer::Connection },
        ];
        let monitor = record::MonitorHead {
            kind: driver_counters::NAME.into(),
            metrics: vec![record::MetricHead { name: LOST.into(), ..record::MetricHead::default() }],
            ..record::MonitorHead::default()
        };
        let head = Head {
            steps: vec![record::StepHead { repetition: 1, connections: Some(20), ..record::StepHead::default() }],
            exchanges: vec![record::ExchangeHead { name: "talk".into(), legs, ..record::ExchangeHead::default() }],
            monitors: vec![monitor],
            ..Head::default()
        };
        let mut seconds = Seconds::new(head.clone());
        let ended = |leg, outcome, count| recorder::OutcomeRow {
            step: 0,
            exchange: 0,
            leg,
            stream: 0,
            outcome,
            intended_s: 1,
            end_s: 1,
            count,
        };
        let lost = |value: f64| SampleRow {
            at: Nanos::SECOND,
            monitor: 0,
            metric: 0,
            instance: "ws".into(),
            value: Some(value),
        };
        seconds.see_step(0, Nanos::ZERO);
        let outcomes = vec![ended(1, Outcome::Ok, 17), ended(1, Outcome::Refused, 3), ended(0, Outcome::Ok, 500)];
        seconds.see_load(&Folded { outcomes, ..Folded::default() });
        seconds.see_samples(&[lost(2.0)]);
        let expected = |opened, failed, lost| Some(Connections { planned: 20, opened, failed, lost });
        assert_eq!(seconds.figures.connections, expected(17, 3, 2));
        // What was lost before is not lost again.
        seconds.begin(head, (0, 1));
        seconds.see_step(0, Nanos::ZERO);
        seconds.see_samples(&[lost(3.0)]);
        assert_eq!(seconds.figures.connections, expected(0, 0, 1));
    }

    #[test]
    fn in_flight_is_the_sum_of_all_threads_and_the_busiest_counts() {
        let mut seconds = seconds(0);
        for second in 1..4 {
            seconds.see_thread(&row(0, second, 21.0, 0.3));
            seconds.see_thread(&row(1, second, 19.0, 0.1));
            seconds.see_thread(&row(2, second, 0.5, 0.2));
        }
        assert_eq!((seconds.figures.in_flight, seconds.figures.cpu), (40.5, 0.3));
        // The first thread is a second ahead for a moment: the others still count.
        seconds.see_thread(&row(0, 4, 20.0, 0.1));
        assert_eq!((seconds.figures.in_flight, seconds.figures.cpu), (39.5, 0.2));
        // One that has ended long ago does not.
        seconds.see_thread(&row(0, 9, 20.0, 0.1));
        assert_eq!(seconds.figures.in_flight, 20.0);
    }
}
