//! Calls of one second and one kind together: what a row is made of, before anybody knows which study it belongs to.

use crate::call::{Call, Time, What};
use crate::hash::Quick;
use crate::tally::Tally;
use std::collections::HashMap;
use std::hash::{Hash, Hasher};
use terms::{Nanos, Outcome};

/// Numbers of the legs of an imported call; the order of [`crate::IMPORTED`].
pub(crate) const ANSWER: u8 = 0;
pub(crate) const FIRST_BYTE: u8 = 1;
pub(crate) const CONNECT: u8 = 2;
/// Records that sum up others: no leg of any call, and in no row.
pub(crate) const SUM: u8 = 3;

/// Cells that wait for more calls of their second. Whoever writes lines when calls end is out of order by few seconds.
const WAITING_MAX: usize = 1 << 16;
/// From so many on, old ones are handed on: few enough that nobody waits long for that. From more where many are kept back.
const WAITING_MIN: usize = 1 << 13;
/// Times that they may hold together: 64 MiB.
const TIMES_MAX: usize = 1 << 22;
/// Seconds of ends that are kept back when cells are handed on.
const KEPT_BACK_S: i64 = 30;
/// Times of a cell are sorted when there are so many, and when they have doubled since.
const SORTED_FROM: usize = 256;

/// Which second and which step a moment belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Grid {
    /// When the run begins, since 1970.
    pub(crate) origin: Nanos,
    /// How long its warm-up is.
    pub(crate) warm_up: Nanos,
}

/// A call without texts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Kept {
    pub(crate) start: Nanos,
    pub(crate) took: Nanos,
    pub(crate) first_byte: Option<Nanos>,
    pub(crate) connect: Option<Nanos>,
    pub(crate) bytes: u64,
    pub(crate) label: u32,
    pub(crate) outcome: Outcome,
    pub(crate) time: Time,
    pub(crate) what: What,
    pub(crate) count: u32,
}

impl Kept {
    pub(crate) fn of(call: &Call<'_>, label: u32) -> Self {
        let &Call { start, took, first_byte, connect, bytes, outcome, time, what, count, .. } = call;
        Self { start, took, first_byte, connect, bytes, label, outcome, time, what, count }
    }
}

/// What the calls of a cell have in common. Seconds count from the begin of the run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Key {
    pub(crate) end_s: i64,
    pub(crate) intended_s: i64,
    pub(crate) is_warm_up: bool,
    pub(crate) label: u32,
    pub(crate) leg: u8,
    pub(crate) population: u8,
}

impl Hash for Key {
    /// In three words: many calls look their cells up. No two parts share bits, or a file could be made of which all
    /// keys have the same hash.
    fn hash<H: Hasher>(&self, state: &mut H) {
        let Self { end_s, intended_s, is_warm_up, label, leg, population } = *self;
        state.write_i64(end_s);
        state.write_i64(intended_s);
        let [leg, population, is_warm_up] = [leg, population, u8::from(is_warm_up)].map(u64::from);
        state.write_u64(u64::from(label) << 32 | leg << 16 | population << 8 | is_warm_up);
    }
}

/// Calls that have all of a key in common.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Cell {
    pub(crate) count: u64,
    pub(crate) bytes: u64,
    /// How they ended, each with how many.
    pub(crate) outcomes: Vec<(Outcome, u64)>,
    /// Whether their times run from the moments at which calls were meant to begin.
    pub(crate) is_response: bool,
    /// Each time that calls took, in nanoseconds, with how many took it; calls of which none is known are not among them.
    times: Vec<(i64, u64)>,
    /// When they are to be sorted next.
    full: usize,
}

impl Cell {
    pub(crate) fn new(
        [count, bytes]: [u64; 2],
        outcomes: Vec<(Outcome, u64)>,
        is_response: bool,
        times: Vec<(i64, u64)>,
    ) -> Self {
        Self { count, bytes, outcomes, is_response, times, full: 0 }
    }

    pub(crate) fn end(&mut self, outcome: Outcome, count: u64) {
        match self.outcomes.iter_mut().find(|known| known.0 == outcome) {
            Some(known) => known.1 += count,
            None => self.outcomes.push((outcome, count)),
        }
    }

    /// Sorts its times, each once; how many it had several times.
    fn sort(&mut self) -> usize {
        let before = self.times.len();
        // A stable sort, since cells of several pieces are several sorted stretches, which it only merges.
        self.times.sort_by_key(|time| time.0);
        self.times.dedup_by(|later, kept| {
            let is_same = later.0 == kept.0;
            kept.1 += if is_same { later.1 } else { 0 };
            is_same
        });
        self.full = 2 * self.times.len();
        before - self.times.len()
    }

    /// Its times, sorted, each once and with how many.
    pub(crate) fn times(&self) -> &[(i64, u64)] {
        &self.times
    }

    /// Adds another of the same key, whose times are sorted and stand apart; how many times are the same as others.
    fn join(&mut self, other: &Self, times: &[(i64, u64)]) -> usize {
        self.count += other.count;
        self.bytes = self.bytes.saturating_add(other.bytes);
        self.is_response |= other.is_response;
        other.outcomes.iter().for_each(|(outcome, count)| self.end(*outcome, *count));
        self.times.extend_from_slice(times);
        if self.times.len() < self.full.max(SORTED_FROM) { 0 } else { self.sort() }
    }
}

/// Cells by what is in them.
#[derive(Clone, Debug, Default)]
pub(crate) struct Cells {
    cells: HashMap<Key, Cell, Quick>,
    /// Times that all of them hold.
    held: usize,
    /// How many were kept back when the others were handed on.
    kept_back: usize,
    newest_end_s: i64,
}

impl Cells {
    /// Adds those of a later piece of the file, whose labels have other numbers.
    pub(crate) fn join(&mut self, later: &Tally, numbers: &[u32]) {
        self.newest_end_s = self.newest_end_s.max(later.newest_end_s());
        for (key, cell, times) in later.sorted() {
            let label = numbers.get(key.label as usize).copied().unwrap_or_default();
            let joined = self.cells.entry(Key { label, ..*key }).or_default();
            self.held += times.len();
            self.held -= joined.join(cell, times);
        }
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = (&Key, &Cell)> {
        self.cells.iter()
    }

    /// Whether so many wait that some have to go.
    pub(crate) fn are_full(&self) -> bool {
        self.cells.len() >= (2 * self.kept_back).clamp(WAITING_MIN, WAITING_MAX) || self.held >= TIMES_MAX
    }

    /// Those of ends that no call is expected in any more. Where that leaves too much behind, all of them: rows add up,
    /// wherever they are cut.
    pub(crate) fn take_old(&mut self) -> Vec<(Key, Cell)> {
        let before = self.newest_end_s - KEPT_BACK_S;
        let (mut left, mut left_times) = (0, 0);
        for (_, cell) in self.cells.iter().filter(|(key, _)| key.end_s >= before) {
            left += 1;
            left_times += cell.times.len();
        }
        let is_all = left > WAITING_MAX / 2 || left_times > TIMES_MAX / 2;
        let old = self.take(|key| is_all || key.end_s < before);
        self.kept_back = self.cells.len();
        old
    }

    /// All of them, in the order of their keys.
    pub(crate) fn take_all(&mut self) -> Vec<(Key, Cell)> {
        self.take(|_| true)
    }

    fn take(&mut self, is_due: impl Fn(&Key) -> bool) -> Vec<(Key, Cell)> {
        let mut cells: Vec<(Key, Cell)> = self.cells.extract_if(|key, _| is_due(key)).collect();
        cells.sort_unstable_by_key(|(key, _)| *key);
        for (_, cell) in &mut cells {
            self.held -= cell.times.len();
            cell.sort();
            cell.outcomes.sort_unstable_by_key(|known| known.0);
        }
        cells
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const GRID: Grid = Grid { origin: Nanos(5_000_000_000), warm_up: Nanos::SECOND };

    fn added(cells: &mut Cells, calls: impl IntoIterator<Item = Kept>) {
        let mut tally = Tally::default();
        calls.into_iter().for_each(|call| tally.add(&call, &GRID));
        tally.sort();
        cells.join(&tally, &[0, 1]);
    }

    fn call(start_ms: i64, took_ms: i64) -> Kept {
        let [start, took] = [start_ms, took_ms].map(|millis| Nanos(millis * 1_000_000));
        let (outcome, time, what) = (Outcome::Ok, Time::Service, What::Call);
        Kept { start, took, first_byte: None, connect: None, bytes: 10, label: 0, outcome, time, what, count: 1 }
    }

    #[test]
    fn calls_of_a_second_are_one_cell_with_each_time_once() {
        let mut cells = Cells::default();
        let calls = [(5_100, 30), (5_999, 0), (5_200, 30), (6_100, 30), (5_990, 20)];
        added(&mut cells, calls.map(|(start, took)| call(start, took)));
        let sum = Kept { what: What::Sum, ..call(5_100, 60) };
        added(&mut cells, [sum, Kept { time: Time::Unknown, outcome: Outcome::Fault, count: 7, ..call(5_100, 0) }]);
        let all = cells.take_all();
        let seen: Vec<_> = all
            .iter()
            .map(|(key, cell)| {
                let times: Vec<(i64, u64)> = cell.times().iter().map(|time| (time.0 / 1_000_000, time.1)).collect();
                (key.end_s, key.intended_s, key.is_warm_up, key.leg, cell.count, times)
            })
            .collect();
        assert_eq!(
            seen,
            [
                (0, 0, true, ANSWER, 3, vec![(0, 1), (30, 2)]),
                (0, 0, true, ANSWER, 7, vec![]),
                (0, 0, true, SUM, 1, vec![(60, 1)]),
                (1, 0, true, ANSWER, 1, vec![(20, 1)]),
                (1, 1, false, ANSWER, 1, vec![(30, 1)]),
            ]
        );
        assert_eq!((cells.held, cells.cells.len()), (0, 0));
    }

    #[test]
    fn pieces_join_to_what_one_pass_makes() {
        let calls: Vec<Kept> = (0..5000).map(|place| call(5_000 + place, (place * 7919) % 613)).collect();
        let mut whole = Cells::default();
        added(&mut whole, calls.iter().copied());
        let mut joined = Cells::default();
        for piece in calls.chunks(700) {
            let mut tally = Tally::default();
            piece.iter().for_each(|call| tally.add(&Kept { label: 1, ..*call }, &GRID));
            tally.sort();
            joined.join(&tally, &[9, 0]);
            assert_eq!(joined.held, joined.cells.values().map(|cell| cell.times.len()).sum::<usize>());
        }
        let of = |mut cells: Cells| {
            let strip = |(key, cell): (Key, Cell)| (key, cell.count, cell.bytes, cell.outcomes, cell.times);
            cells.take_all().into_iter().map(strip).collect::<Vec<_>>()
        };
        assert_eq!(of(joined), of(whole));
    }

    #[test]
    fn there_are_never_too_many_and_none_is_lost() {
        let (mut cells, mut count) = (Cells::default(), 0);
        for second in 0..200_000 {
            added(&mut cells, [call(5_000 + second * 1000, 5)]);
            if cells.are_full() {
                count += cells.take_old().iter().map(|(_, cell)| cell.count).sum::<u64>();
                assert!(cells.cells.len() <= KEPT_BACK_S as usize + 1);
            }
        }
        assert!(count > 0, "some were handed on");
        count += cells.take_all().iter().map(|(_, cell)| cell.count).sum::<u64>();
        assert_eq!(count, 200_000);
        // Every time of a second another: times are bounded, too.
        for nanos in (0..(3 * TIMES_MAX as i64)).step_by(1 << 10) {
            added(&mut cells, (nanos..nanos + (1 << 10)).map(|nanos| Kept { took: Nanos(nanos), ..call(5_000, 0) }));
            if cells.are_full() {
                count += cells.take_old().iter().map(|(_, cell)| cell.count).sum::<u64>();
                assert!(cells.held <= TIMES_MAX / 2);
            }
        }
        count += cells.take_all().iter().map(|(_, cell)| cell.count).sum::<u64>();
        assert_eq!(count, 200_000 + 3 * TIMES_MAX as u64);
    }
}
