//! Calls to rows: those of one second of one exchange together, in memory that does not grow with their number.

use crate::call::Time;
use crate::hash::Quick;
use crate::spool::Kept;
use contract::NO_STREAM;
use recorder::{Folded, IterationRow, Layout, LegRow, OutcomeRow, StartRow, Threshold};
use std::collections::{BTreeMap, HashMap};
use terms::{Books, Buckets, Nanos, Outcome, Population, SparseHistogram};

/// Rows that wait for more calls of their second. Whoever writes lines when calls end is out of order by few seconds.
const WAITING_MAX: usize = 1 << 16;
/// Seconds of ends that are kept back when rows are handed on.
const KEPT_BACK_S: i64 = 30;

/// Numbers of the legs of an imported call; the order of [`crate::IMPORTED`].
const ANSWER: u8 = 0;
const FIRST_BYTE: u8 = 1;
const CONNECT: u8 = 2;

/// Which step a call belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Steps {
    /// Calls that begin before this moment of the run are in the first of the two.
    pub(crate) warm_up_to: Nanos,
    pub(crate) warm_up: u32,
    pub(crate) hold: u32,
}

impl Steps {
    fn of(&self, start: Nanos) -> u32 {
        if start < self.warm_up_to { self.warm_up } else { self.hold }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
struct Key {
    end_s: i64,
    intended_s: i64,
    step: u32,
    exchange: u16,
    leg: u8,
    population: u8,
}

#[derive(Clone, Debug, Default)]
struct Cell {
    count: u64,
    bytes: u64,
    below: Vec<u64>,
    /// Sorted by bucket.
    buckets: Vec<(u32, u64)>,
    min: Nanos,
    max: Nanos,
    sum_ns: f64,
    /// How they ended, each with how many.
    outcomes: Vec<(Outcome, u64)>,
    /// Whether its times run from the moments at which calls were meant to begin.
    is_response: bool,
}

impl Cell {
    /// Adds so many calls that took the same.
    fn add(&mut self, took: Nanos, count: u64, bytes: u64, limits: &[Threshold]) {
        (self.min, self.max) =
            if self.buckets.is_empty() { (took, took) } else { (self.min.min(took), self.max.max(took)) };
        self.count += count;
        self.bytes = self.bytes.saturating_add(bytes);
        self.sum_ns += took.0 as f64 * count as f64;
        if self.below.len() < limits.len() {
            self.below.resize(limits.len(), 0);
        }
        for (below, limit) in self.below.iter_mut().zip(limits) {
            *below += if limit.holds(took) { count } else { 0 };
        }
        let index = Buckets::index(took);
        match self.buckets.binary_search_by_key(&index, |bucket| bucket.0) {
            Ok(place) => self.buckets[place].1 += count,
            Err(place) => self.buckets.insert(place, (index, count)),
        }
    }

    fn end(&mut self, outcome: Outcome, count: u64) {
        match self.outcomes.iter_mut().find(|known| known.0 == outcome) {
            Some(known) => known.1 += count,
            None => self.outcomes.push((outcome, count)),
        }
    }

    /// Adds calls of whose times nothing is known: a limit on times has no count of them.
    fn add_untimed(&mut self, count: u64, bytes: u64) {
        self.count += count;
        self.bytes = self.bytes.saturating_add(bytes);
    }
}

/// Folds calls.
pub(crate) struct Fold<'a> {
    origin: Nanos,
    steps: Steps,
    layout: &'a Layout,
    /// Number of the exchange of each label; `None` for labels that are booked nowhere.
    exchanges: &'a [Option<u16>],
    cells: HashMap<Key, Cell, Quick>,
    newest_end_s: i64,
}

impl<'a> Fold<'a> {
    pub(crate) fn new(origin: Nanos, steps: Steps, layout: &'a Layout, exchanges: &'a [Option<u16>]) -> Self {
        Self { origin, steps, layout, exchanges, cells: HashMap::default(), newest_end_s: i64::MIN }
    }

    /// Exchange and step of what is reported about a label at a moment of the run.
    pub(crate) fn place(&self, label: u16, at: Nanos) -> Option<(u16, u32)> {
        Some((self.exchanges.get(usize::from(label)).copied().flatten()?, self.steps.of(at)))
    }

    /// Adds a call; rows that can be handed on, when there are many.
    pub(crate) fn add(&mut self, call: &Kept) -> Option<Folded> {
        let exchange = self.exchanges.get(usize::from(call.label)).copied().flatten()?;
        let start = call.start - self.origin;
        let end = start + call.took;
        let population = call.outcome.population().unwrap_or(Population::Failed) as u8;
        let key = Key {
            end_s: end.second(),
            intended_s: start.second(),
            step: self.steps.of(start),
            exchange,
            leg: ANSWER,
            population,
        };
        self.newest_end_s = self.newest_end_s.max(key.end_s);
        let limits = self.layout.thresholds(exchange, ANSWER);
        let count = u64::from(call.count);
        let cell = self.cells.entry(key).or_default();
        if call.time == Time::Unknown {
            cell.add_untimed(count, call.bytes);
        } else {
            cell.is_response = call.time == Time::Response;
            cell.add(call.took, count, call.bytes, limits);
        }
        cell.end(call.outcome, count);
        for (leg, time) in [(FIRST_BYTE, call.first_byte), (CONNECT, call.connect)] {
            // Of a call that failed its parts would be counted as failures once more.
            let Some(time) = time.filter(|_| call.outcome == Outcome::Ok) else { continue };
            let key = Key { leg, end_s: (start + time).second(), ..key };
            let limits = self.layout.thresholds(exchange, leg);
            let cell = self.cells.entry(key).or_default();
            cell.add(time, count, 0, limits);
            cell.end(call.outcome, count);
        }
        (self.cells.len() >= WAITING_MAX).then(|| self.take(self.newest_end_s - KEPT_BACK_S))
    }

    /// All rows that are left.
    pub(crate) fn finish(&mut self) -> Folded {
        self.take(i64::MAX)
    }

    /// Rows of ends before a second. Where that leaves too much behind, all of them: rows add up, wherever they are cut.
    fn take(&mut self, before: i64) -> Folded {
        let is_all = self.cells.keys().filter(|key| key.end_s >= before).count() > WAITING_MAX / 2;
        let is_due = |key: &Key| is_all || key.end_s < before;
        let mut cells: Vec<(Key, Cell)> = self.cells.extract_if(|key, _| is_due(key)).collect();
        cells.sort_unstable_by_key(|(key, _)| *key);
        let mut folded = Folded::default();
        let mut books: BTreeMap<(i64, i64, u32), Books> = BTreeMap::new();
        let mut starts: BTreeMap<(i64, u32, u16), u64> = BTreeMap::new();
        for (key, mut cell) in cells {
            cell.outcomes.sort_unstable_by_key(|known| known.0);
            folded.outcomes.extend(cell.outcomes.iter().map(|(outcome, count)| outcome_row(key, *outcome, *count)));
            if key.leg == ANSWER {
                *starts.entry((key.intended_s, key.step, key.exchange)).or_default() += cell.count;
                let begun = books.entry((key.intended_s, key.intended_s, key.step)).or_default();
                begun.intended += cell.count;
                begun.started += cell.count;
                let ended = books.entry((key.intended_s, key.end_s, key.step)).or_default();
                if key.population == Population::Ok as u8 {
                    ended.completed += cell.count
                } else {
                    ended.failed += cell.count
                }
            }
            folded.legs.push(leg_row(key, cell));
        }
        folded.starts = starts.into_iter().map(start_row).collect();
        folded.iterations = books
            .into_iter()
            .map(|((intended_s, end_s, step), books)| IterationRow {
                step,
                stream: NO_STREAM,
                intended_s,
                end_s,
                books,
            })
            .collect();
        folded
    }
}

fn leg_row(key: Key, cell: Cell) -> LegRow {
    let times = SparseHistogram { buckets: cell.buckets, min: cell.min, max: cell.max, sum_ns: cell.sum_ns };
    // Unless the tool says so, nobody knows when a call was meant to begin: the load is taken for a closed one.
    let (response, service) =
        if cell.is_response { (times, SparseHistogram::default()) } else { (SparseHistogram::default(), times) };
    LegRow {
        step: key.step,
        exchange: key.exchange,
        leg: key.leg,
        stream: NO_STREAM,
        population: if key.population == Population::Ok as u8 { Population::Ok } else { Population::Failed },
        intended_s: key.intended_s,
        end_s: key.end_s,
        count: cell.count,
        units: cell.count,
        bytes: cell.bytes,
        below: cell.below,
        response,
        service,
    }
}

fn outcome_row(key: Key, outcome: Outcome, count: u64) -> OutcomeRow {
    let Key { step, exchange, leg, intended_s, end_s, .. } = key;
    OutcomeRow { step, exchange, leg, stream: NO_STREAM, outcome, intended_s, end_s, count }
}

fn start_row(((intended_s, step, exchange), started): ((i64, u32, u16), u64)) -> StartRow {
    StartRow { step, exchange, stream: NO_STREAM, intended_s, started, lateness: SparseHistogram::default() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use contract::{Closes, LegKind};
    use recorder::{ExchangeLayout, Measure};

    const LEGS: &[LegKind] = &[
        LegKind { name: "answer", closes: Closes::Here },
        LegKind { name: "first_byte", closes: Closes::Beside },
        LegKind { name: "connect", closes: Closes::Beside },
    ];

    fn call(start_ms: i64, took_ms: i64, outcome: Outcome) -> Kept {
        let took = Nanos(took_ms * 1_000_000);
        let start = Nanos(start_ms * 1_000_000);
        let (time, count) = (Time::Service, 1);
        Kept { start, took, first_byte: Some(took), connect: None, bytes: 10, label: 1, outcome, time, count }
    }

    #[test]
    fn calls_become_rows_that_balance() {
        let limit = Threshold { leg: 0, measure: Measure::Response, limit: Nanos(100_000_000), inclusive: false };
        let layout = Layout::new(vec![ExchangeLayout { legs: LEGS, thresholds: vec![limit] }]);
        let steps = Steps { warm_up_to: Nanos::SECOND, warm_up: 0, hold: 1 };
        let numbers = [None, Some(0)];
        let mut fold = Fold::new(Nanos(5_000_000_000), steps, &layout, &numbers);
        for call in [
            call(5_000, 50, Outcome::Ok),
            call(6_100, 100, Outcome::Ok),
            call(6_200, 99, Outcome::Ok),
            call(6_900, 300, Outcome::Status),
            Kept { label: 0, ..call(6_900, 1, Outcome::Ok) },
        ] {
            assert!(fold.add(&call).is_none());
        }
        let rows = fold.finish();
        let answers: Vec<_> = rows.legs.iter().filter(|row| row.leg == 0).collect();
        let seen: Vec<_> =
            answers.iter().map(|row| (row.step, row.intended_s, row.end_s, row.count, row.below.clone())).collect();
        assert_eq!(seen, [(0, 0, 0, 1, vec![1]), (1, 1, 1, 2, vec![1]), (1, 1, 2, 1, vec![0])]);
        assert_eq!((answers[1].service.max, answers[1].service.sum_ns), (Nanos(100_000_000), 199e6));
        assert_eq!(
            rows.legs.iter().filter(|row| row.leg == 1).map(|row| row.count).sum::<u64>(),
            3,
            "of those that succeeded"
        );
        let books = rows.iterations.iter().fold(Books::default(), |mut sum, row| {
            sum += row.books;
            sum
        });
        assert_eq!((books.intended, books.started, books.completed, books.failed), (4, 4, 3, 1));
        assert_eq!(rows.starts.iter().map(|row| row.started).sum::<u64>(), 4);
        assert_eq!(rows.outcomes.iter().filter(|row| row.leg == 0).map(|row| row.count).sum::<u64>(), 4);
    }

    #[test]
    fn rows_are_handed_on_before_there_are_too_many_and_none_is_lost() {
        let layout = Layout::new(vec![ExchangeLayout { legs: LEGS, thresholds: vec![] }]);
        let steps = Steps { warm_up_to: Nanos::ZERO, warm_up: 0, hold: 0 };
        let numbers = [None, Some(0)];
        let mut fold = Fold::new(Nanos::ZERO, steps, &layout, &numbers);
        let (mut handed, mut count) = (0, 0);
        for second in 0..100_000 {
            if let Some(rows) = fold.add(&call(second * 1000, 5, Outcome::Ok)) {
                handed += 1;
                count += rows.iterations.iter().map(|row| row.books.completed).sum::<u64>();
                assert!(fold.cells.len() <= 2 * (KEPT_BACK_S as usize + 1));
            }
        }
        assert!(handed > 0);
        count += fold.finish().iterations.iter().map(|row| row.books.completed).sum::<u64>();
        assert_eq!(count, 100_000);
    }
}
