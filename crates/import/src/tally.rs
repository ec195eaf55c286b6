//! Calls of a piece of a file by what they have in common, on their way to the cells of the whole.
//!
//! Millions of calls pass here, and few of them are the first of their cell. So their times stand in one list in the order
//! of the file, which is sorted once, when the piece is over.

use crate::call::{Time, What};
use crate::cells::{ANSWER, CONNECT, Cell, FIRST_BYTE, Grid, Kept, Key, SUM};
use crate::hash::Quick;
use std::collections::HashMap;
use terms::{Outcome, Population};

/// Legs of a call, sums among them.
const LEGS: usize = 4;
const NOWHERE: u32 = u32::MAX;

/// A time on its way to its cell.
#[derive(Clone, Copy, Debug)]
struct Timed {
    took: i64,
    /// Place of its cell.
    place: u32,
    count: u32,
}

/// Calls of a piece, added up.
#[derive(Clone, Debug, Default)]
pub(crate) struct Tally {
    /// Without their times, in the order in which they came up.
    cells: Vec<(Key, Cell)>,
    places: HashMap<Key, u32, Quick>,
    /// Of each label and leg, the place of the cell that its latest call was in.
    latest: Vec<[u32; LEGS]>,
    timed: Vec<Timed>,
    /// Times by cell, sorted, each once and with how many; and where those of each cell end.
    times: Vec<(i64, u64)>,
    ends: Vec<usize>,
    newest_end_s: i64,
}

impl Tally {
    /// Adds a call, in its second of the grid.
    pub(crate) fn add(&mut self, call: &Kept, grid: &Grid) {
        let start = call.start - grid.origin;
        let (population, count) = (call.outcome.population().unwrap_or(Population::Failed), u64::from(call.count));
        let key = Key {
            end_s: (start + call.took).second(),
            intended_s: start.second(),
            is_warm_up: start < grid.warm_up,
            label: call.label,
            leg: if call.what == What::Sum { SUM } else { ANSWER },
            population: population as u8,
        };
        self.newest_end_s = self.newest_end_s.max(key.end_s);
        let place = self.place(key);
        let cell = &mut self.cells[place as usize].1;
        cell.count += count;
        cell.bytes = cell.bytes.saturating_add(call.bytes);
        cell.end(call.outcome, count);
        if call.time != Time::Unknown {
            cell.is_response = call.time == Time::Response;
            self.timed.push(Timed { took: call.took.0, place, count: call.count });
        }
        // Of a call that failed its parts would be counted as failures once more.
        if call.what == What::Sum || call.outcome != Outcome::Ok {
            return;
        }
        for (leg, time) in [(FIRST_BYTE, call.first_byte), (CONNECT, call.connect)] {
            let Some(time) = time else { continue };
            let place = self.place(Key { leg, end_s: (start + time).second(), ..key });
            let cell = &mut self.cells[place as usize].1;
            cell.count += count;
            cell.end(call.outcome, count);
            self.timed.push(Timed { took: time.0, place, count: call.count });
        }
    }

    /// Place of the cell of a key: mostly that of the latest call.
    fn place(&mut self, key: Key) -> u32 {
        let label = key.label as usize;
        if self.latest.len() <= label {
            self.latest.resize(label + 1, [NOWHERE; LEGS]);
        }
        let latest = &mut self.latest[label][usize::from(key.leg)];
        if self.cells.get(*latest as usize).is_none_or(|(other, _)| *other != key) {
            *latest = *self.places.entry(key).or_insert_with(|| {
                self.cells.push((key, Cell::default()));
                self.cells.len() as u32 - 1
            });
        }
        *latest
    }

    /// Puts the times of each cell together, each once: when the last call was added.
    pub(crate) fn sort(&mut self) {
        // By place first, for which they need not be compared.
        let mut begins = vec![0; self.cells.len() + 1];
        self.timed.iter().for_each(|timed| begins[timed.place as usize + 1] += 1);
        for place in 1..begins.len() {
            begins[place] += begins[place - 1];
        }
        let mut next = begins.clone();
        let mut times = vec![(0, 0); self.timed.len()];
        for timed in &self.timed {
            let place = &mut next[timed.place as usize];
            times[*place] = (timed.took, u64::from(timed.count));
            *place += 1;
        }
        let mut end = 0;
        self.ends.clear();
        for range in begins.windows(2) {
            times[range[0]..range[1]].sort_unstable_by_key(|time| time.0);
            let first = end;
            for at in range[0]..range[1] {
                let (took, count) = times[at];
                if end > first && times[end - 1].0 == took {
                    times[end - 1].1 += count;
                } else {
                    times[end] = (took, count);
                    end += 1;
                }
            }
            self.ends.push(end);
        }
        times.truncate(end);
        self.times = times;
        self.timed = Vec::new();
    }

    /// Keys with their cells, whose times stand apart: sorted, each once. Empty until they are sorted.
    pub(crate) fn sorted(&self) -> impl Iterator<Item = (&Key, &Cell, &[(i64, u64)])> {
        let begins = std::iter::once(0).chain(self.ends.iter().copied());
        let ranges = begins.zip(self.ends.iter().copied());
        self.cells.iter().zip(ranges).map(|((key, cell), (begin, end))| (key, cell, &self.times[begin..end]))
    }

    pub(crate) fn newest_end_s(&self) -> i64 {
        self.newest_end_s
    }
}
