//! Cells to rows, now that the study is known.

use crate::cells::{ANSWER, Cell, Key, SUM};
use contract::NO_STREAM;
use recorder::{Folded, IterationRow, Layout, LegRow, OutcomeRow, StartRow, Threshold};
use std::collections::BTreeMap;
use terms::{Books, Buckets, Nanos, Outcome, Population, SparseHistogram};

/// Which step a call belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Steps {
    /// Calls that begin before this moment of the run are in the first of the two.
    pub(crate) warm_up_to: Nanos,
    pub(crate) warm_up: u32,
    pub(crate) hold: u32,
}

/// Makes rows.
pub(crate) struct Fold<'a> {
    steps: Steps,
    layout: &'a Layout,
    /// Number of the exchange of each label; `None` for labels that are booked nowhere.
    exchanges: &'a [Option<u16>],
}

/// Whose calls a row has.
#[derive(Clone, Copy)]
struct Whose {
    key: Key,
    step: u32,
    exchange: u16,
}

impl<'a> Fold<'a> {
    pub(crate) fn new(steps: Steps, layout: &'a Layout, exchanges: &'a [Option<u16>]) -> Self {
        Self { steps, layout, exchanges }
    }

    fn exchange(&self, label: u32) -> Option<u16> {
        self.exchanges.get(label as usize).copied().flatten()
    }

    /// Exchange and step of what is reported about a label at a moment of the run.
    pub(crate) fn place(&self, label: u32, at: Nanos) -> Option<(u16, u32)> {
        let step = if at < self.steps.warm_up_to { self.steps.warm_up } else { self.steps.hold };
        Some((self.exchange(label)?, step))
    }

    /// Rows of cells that are in the order of their keys.
    pub(crate) fn rows(&self, cells: Vec<(Key, Cell)>) -> Folded {
        let mut folded = Folded::default();
        let mut books: BTreeMap<(i64, i64, u32), Books> = BTreeMap::new();
        let mut starts: BTreeMap<(i64, u32, u16), u64> = BTreeMap::new();
        for (key, cell) in cells {
            let Some(exchange) = self.exchange(key.label).filter(|_| key.leg != SUM) else { continue };
            let step = if key.is_warm_up { self.steps.warm_up } else { self.steps.hold };
            let whose = Whose { key, step, exchange };
            folded.outcomes.extend(cell.outcomes.iter().map(|(outcome, count)| whose.outcome(*outcome, *count)));
            if key.leg == ANSWER {
                *starts.entry((key.intended_s, step, exchange)).or_default() += cell.count;
                let begun = books.entry((key.intended_s, key.intended_s, step)).or_default();
                begun.intended += cell.count;
                begun.started += cell.count;
                let ended = books.entry((key.intended_s, key.end_s, step)).or_default();
                if key.population == Population::Ok as u8 {
                    ended.completed += cell.count
                } else {
                    ended.failed += cell.count
                }
            }
            folded.legs.push(whose.leg(&cell, self.layout.thresholds(exchange, key.leg)));
        }
        folded.starts = starts.into_iter().map(start_row).collect();
        folded.iterations = books.into_iter().map(iteration_row).collect();
        folded
    }
}

impl Whose {
    fn leg(self, cell: &Cell, limits: &[Threshold]) -> LegRow {
        let Self { key, step, exchange } = self;
        let times = histogram(cell.times());
        // Unless the tool says so, nobody knows when a call was meant to begin: the load is taken for a closed one.
        let (response, service) =
            if cell.is_response { (times, SparseHistogram::default()) } else { (SparseHistogram::default(), times) };
        LegRow {
            step,
            exchange,
            leg: key.leg,
            stream: NO_STREAM,
            population: if key.population == Population::Ok as u8 { Population::Ok } else { Population::Failed },
            intended_s: key.intended_s,
            end_s: key.end_s,
            count: cell.count,
            units: cell.count,
            bytes: cell.bytes,
            below: if cell.times().is_empty() { Vec::new() } else { below(cell.times(), limits) },
            response,
            service,
        }
    }

    fn outcome(self, outcome: Outcome, count: u64) -> OutcomeRow {
        let Self { key: Key { leg, intended_s, end_s, .. }, step, exchange } = self;
        OutcomeRow { step, exchange, leg, stream: NO_STREAM, outcome, intended_s, end_s, count }
    }
}

/// Of sorted times, how many lie below each limit. Calls of whose times nothing is known are not counted.
fn below(times: &[(i64, u64)], limits: &[Threshold]) -> Vec<u64> {
    let of = |limit: &Threshold| {
        times.iter().take_while(|time| limit.holds(Nanos(time.0))).map(|(_, count)| *count).sum::<u64>()
    };
    limits.iter().map(of).collect()
}

fn histogram(times: &[(i64, u64)]) -> SparseHistogram {
    let [Some(first), Some(last)] = [times.first(), times.last()] else { return SparseHistogram::default() };
    let mut buckets: Vec<(u32, u64)> = Vec::with_capacity(times.len());
    let mut sum: i128 = 0;
    for (took, count) in times {
        let index = Buckets::index(Nanos(*took));
        sum += i128::from(*took) * i128::from(*count);
        match buckets.last_mut().filter(|last| last.0 == index) {
            Some(last) => last.1 += count,
            None => buckets.push((index, *count)),
        }
    }
    SparseHistogram { buckets, min: Nanos(first.0), max: Nanos(last.0), sum_ns: sum as f64 }
}

fn start_row(((intended_s, step, exchange), started): ((i64, u32, u16), u64)) -> StartRow {
    StartRow { step, exchange, stream: NO_STREAM, intended_s, started, lateness: SparseHistogram::default() }
}

fn iteration_row(((intended_s, end_s, step), books): ((i64, i64, u32), Books)) -> IterationRow {
    IterationRow { step, stream: NO_STREAM, intended_s, end_s, books }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::call::{Time, What};
    use crate::cells::{Cells, Grid, Kept};
    use crate::tally::Tally;
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
        let (time, what, count) = (Time::Service, What::Call, 1);
        Kept { start, took, first_byte: Some(took), connect: None, bytes: 10, label: 1, outcome, time, what, count }
    }

    #[test]
    fn calls_become_rows_that_balance() {
        let limit = Threshold { leg: 0, measure: Measure::Response, limit: Nanos(100_000_000), inclusive: false };
        let layout = Layout::new(vec![ExchangeLayout { legs: LEGS, thresholds: vec![limit] }]);
        let steps = Steps { warm_up_to: Nanos::SECOND, warm_up: 0, hold: 1 };
        let grid = Grid { origin: Nanos(5_000_000_000), warm_up: Nanos::SECOND };
        let numbers = [None, Some(0)];
        let mut tally = Tally::default();
        for call in [
            call(5_000, 50, Outcome::Ok),
            call(6_100, 100, Outcome::Ok),
            call(6_200, 99, Outcome::Ok),
            call(6_900, 300, Outcome::Status),
            Kept { label: 0, ..call(6_900, 1, Outcome::Ok) },
            Kept { what: What::Sum, ..call(6_900, 1, Outcome::Ok) },
        ] {
            tally.add(&call, &grid);
        }
        tally.sort();
        let mut cells = Cells::default();
        cells.join(&tally, &[0, 1]);
        let rows = Fold::new(steps, &layout, &numbers).rows(cells.take_all());
        let answers: Vec<_> = rows.legs.iter().filter(|row| row.leg == 0).collect();
        let seen: Vec<_> =
            answers.iter().map(|row| (row.step, row.intended_s, row.end_s, row.count, row.below.clone())).collect();
        assert_eq!(seen, [(0, 0, 0, 1, vec![1]), (1, 1, 1, 2, vec![1]), (1, 1, 2, 1, vec![0])]);
        assert_eq!((answers[1].service.max, answers[1].service.sum_ns), (Nanos(100_000_000), 199e6));
        assert_eq!(answers[1].service.buckets.iter().map(|bucket| bucket.1).sum::<u64>(), 2);
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
}
