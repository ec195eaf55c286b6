//! What is handed out together, and how much was handed out of each kind.

use crate::rows::table_name;
use crate::tables::Stored;
use crate::{ClockPair, EngineRow, EventRow, Observed, SampleRow, StepMark};
use recorder::{Folded, IterationRow, LegRow, NoteRow, OutcomeRow, SlowRow, StartRow};
use std::collections::BTreeMap;
use terms::SparseHistogram;

/// A kind of row that is told while a run goes on.
pub(super) trait Told: Stored + Send + 'static {
    /// When it is told among those of one second: the row that closes a thread's second comes last.
    const RANK: u8;
    /// Second that it speaks of.
    fn second(&self) -> i64;
    /// Bytes of memory that it takes.
    fn bytes(&self) -> usize {
        size_of::<Self>()
    }
    /// Puts it behind what was gathered so far.
    fn gather(self, gathered: &mut Gathered);
}

#[derive(Default)]
pub(super) struct Gathered {
    seen: Vec<Observed>,
    /// Memory of its rows.
    pub(super) bytes: usize,
    /// The newest pair of clocks.
    pub(super) clock: Option<ClockPair>,
    /// Rows since the beginning, by kind.
    counts: BTreeMap<u8, u64>,
}

impl Gathered {
    pub(super) fn push<T: Told>(&mut self, row: T) {
        self.bytes += row.bytes();
        *self.counts.entry(T::KIND).or_default() += 1;
        row.gather(self);
    }

    pub(super) fn take(&mut self) -> Vec<Observed> {
        self.bytes = 0;
        std::mem::take(&mut self.seen)
    }

    /// Rows of a kind since the beginning.
    pub(super) fn seen<T: Told>(&self) -> u64 {
        self.counts.get(&T::KIND).copied().unwrap_or(0)
    }

    /// Whether all rows of all tables were seen; `rows` tells the length of a table by its name.
    pub(super) fn is_all(&self, rows: impl Fn(&str) -> Option<u64>) -> bool {
        fn of<T: Told>(gathered: &Gathered, rows: &impl Fn(&str) -> Option<u64>) -> bool {
            rows(&table_name::<T>()) == Some(gathered.seen::<T>())
        }
        crate::row::every_row!(of(self, &rows)).into_iter().all(|is_all| is_all)
    }

    fn load(&mut self) -> &mut Folded {
        if !matches!(self.seen.last(), Some(Observed::Load(_))) {
            self.seen.push(Observed::Load(Folded::default()));
        }
        match self.seen.last_mut() {
            Some(Observed::Load(folded)) => folded,
            _ => unreachable!("invariant: it was pushed above"),
        }
    }
}

/// Bytes of a histogram beside its row.
fn histogram(of: &SparseHistogram) -> usize {
    size_of::<(u32, u64)>() * of.buckets.len()
}

macro_rules! told_load {
    ($row:ty, $rank:expr, $list:ident, $second:expr, $beside:expr) => {
        impl Told for $row {
            const RANK: u8 = $rank;
            fn second(&self) -> i64 {
                let second: fn(&$row) -> i64 = $second;
                second(self)
            }
            fn bytes(&self) -> usize {
                let beside: fn(&$row) -> usize = $beside;
                size_of::<$row>() + beside(self)
            }
            fn gather(self, gathered: &mut Gathered) {
                gathered.load().$list.push(self);
            }
        }
    };
}

told_load!(LegRow, 4, legs, |row| row.end_s, |row| {
    histogram(&row.response) + histogram(&row.service) + 8 * row.below.len()
});
told_load!(StartRow, 5, starts, |row| row.intended_s, |row| histogram(&row.lateness));
told_load!(OutcomeRow, 6, outcomes, |row| row.end_s, |_| 0);
told_load!(IterationRow, 7, iterations, |row| row.end_s, |_| 0);
told_load!(NoteRow, 8, notes, |row| row.at.second(), |row| row.text.len());
// Recorded when its time was over.
told_load!(SlowRow, 9, slowest, |row| (row.at + row.time).second(), |_| 0);

impl Told for EngineRow {
    const RANK: u8 = 10;
    fn second(&self) -> i64 {
        self.second
    }
    fn gather(self, gathered: &mut Gathered) {
        gathered.seen.push(Observed::Engine(self));
    }
}

impl Told for SampleRow {
    const RANK: u8 = 3;
    fn second(&self) -> i64 {
        self.at.second()
    }
    fn gather(self, gathered: &mut Gathered) {
        match gathered.seen.last_mut() {
            Some(Observed::Samples(rows)) => rows.push(self),
            _ => gathered.seen.push(Observed::Samples(vec![self])),
        }
    }
}

impl Told for EventRow {
    const RANK: u8 = 2;
    fn second(&self) -> i64 {
        self.at.second()
    }
    fn gather(self, gathered: &mut Gathered) {
        gathered.seen.push(Observed::Event(self));
    }
}

impl Told for StepMark {
    const RANK: u8 = 1;
    fn second(&self) -> i64 {
        self.at.second()
    }
    fn gather(self, gathered: &mut Gathered) {
        gathered.seen.push(Observed::Step(self));
    }
}

impl Told for ClockPair {
    const RANK: u8 = 0;
    fn second(&self) -> i64 {
        self.at.second()
    }
    fn gather(self, gathered: &mut Gathered) {
        gathered.clock = Some(self);
    }
}
