//! What all calls together tell: labels, bounds, users by second, exact times. Cells go on to the spool.

use crate::block::{Block, Label, Manner, Note, Span, TakesBlocks};
use crate::call::{Call, Sink};
use crate::cells::{ANSWER, Cell, Cells, Grid, Kept, Key, SUM};
use crate::error::ImportError;
use crate::exact::units;
use crate::hash::Quick;
use crate::spool::{BATCH, Batch, Spool};
use crate::tally::Tally;
use crate::twofold::{Threads, Told, Twofold};
use crate::users::Users;
use crate::zone::Zone;
use std::collections::{BTreeMap, HashMap};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use terms::Nanos;

/// Labels that are kept apart. Nobody reads a report with more, and who has more has put an id into each.
pub(crate) const LABELS_MAX: usize = 300;
/// The label under which the others are booked.
pub(crate) const OTHERS: &[u8] = b"(other labels)";
/// What a call without a label is called.
const UNNAMED: &[u8] = b"(no label)";
/// Seconds in which calls ended: two weeks.
const SECONDS_MAX: usize = 14 * 86_400;
/// The run begins with the earliest of so many calls. A log that is written when calls end has one that took long later.
const EARLY: usize = 1 << 16;
/// Calls that come one by one are joined when there are so many.
const OPEN_MAX: usize = 1 << 13;

/// Takes all calls of all files.
pub(crate) struct Survey {
    spool: Spool,
    /// Where the spool is.
    pub(crate) folder: PathBuf,
    unit: Nanos,
    warm_up: Nanos,
    grid: Option<Grid>,
    /// Which records an earlier reading has shown not to be calls in their own right.
    twofold: Arc<Twofold>,
    told: Told,
    /// Whether a label has come up that may be that of a part.
    may_have_parts: bool,
    /// The zone of stamps of the file in hand that do not say theirs.
    pub(crate) zone: Zone,
    /// Calls that came one by one.
    open: Block,
    /// Calls from before the run's begin was known.
    early: Vec<Kept>,
    cells: Cells,
    pub(crate) labels: Vec<Label>,
    numbers: HashMap<Vec<u8>, u32, Quick>,
    /// Calls under [`OTHERS`].
    pub(crate) beyond: u64,
    /// Times of all calls together, and the last of them.
    pub(crate) all: Label,
    pub(crate) span: Span,
    spent_ns: u128,
    pub(crate) users: Users,
    /// Calls that ended in each second of the run.
    pub(crate) ended: BTreeMap<i64, u64>,
    pub(crate) notes: Vec<Note>,
}

impl Survey {
    /// `folder` takes cells on their way; `unit` is the least difference between two times of the tool. The run begins at
    /// `origin`, or with the earliest of the first calls. `twofold` is what an earlier reading has shown.
    ///
    /// # Errors
    /// When the folder takes no file.
    pub(crate) fn within(
        folder: &Path,
        unit: Nanos,
        warm_up: Nanos,
        origin: Option<Nanos>,
        twofold: Arc<Twofold>,
    ) -> Result<Self, ImportError> {
        let spool = Spool::within(folder).map_err(|source| spool_error(folder, source))?;
        let grid = origin.map(|origin| Grid { origin, warm_up });
        Ok(Self {
            spool,
            folder: folder.to_owned(),
            unit,
            warm_up,
            grid,
            zone: Zone::default(),
            open: Block::new(Manner { unit, grid, twofold: twofold.clone(), sees_threads: true }),
            may_have_parts: false,
            twofold,
            told: Told::default(),
            early: Vec::new(),
            cells: Cells::default(),
            labels: Vec::new(),
            numbers: HashMap::default(),
            beyond: 0,
            all: Label::default(),
            span: Span::NONE,
            spent_ns: 0,
            users: Users::default(),
            ended: BTreeMap::new(),
            notes: Vec::new(),
        })
    }

    /// Seconds that calls took, all together.
    pub(crate) fn spent_s(&self) -> f64 {
        self.spent_ns as f64 / 1e9
    }

    /// Where the run has to begin, if a call began before all that were the first in the files: then all cells are cut at
    /// the wrong moments, and the files have to be read once more.
    pub(crate) fn earlier_origin(&self) -> Option<Nanos> {
        let origin = self.grid.map(|grid| grid.origin);
        Some(self.span.first_start).filter(|first| self.all.calls > 0 && Some(*first) != origin)
    }

    /// Which records are not calls in their own right, by what was known before and this reading.
    pub(crate) fn twofold(&self) -> Twofold {
        let mut all = (*self.twofold).clone();
        all.join(self.told.twofold());
        all
    }

    /// The cells, from the first, some thousand at a time.
    ///
    /// # Errors
    /// When the disk does not give back what it took.
    pub(crate) fn into_cells(mut self) -> Result<impl Iterator<Item = Result<Batch, ImportError>>, ImportError> {
        let (folder, mut last) = (self.folder, self.cells.take_all().into_iter());
        let last = std::iter::from_fn(move || {
            let batch: Vec<_> = last.by_ref().take(BATCH).collect();
            (!batch.is_empty()).then_some(Ok(Batch::Cells(batch)))
        });
        let cells = self.spool.read().map_err(|source| spool_error(&folder, source))?;
        let cells = cells.map(move |cells| cells.map_err(|source| spool_error(&folder, source)));
        Ok(cells.chain(last))
    }

    fn number(&mut self, label: &[u8]) -> u32 {
        let label = if label.is_empty() { UNNAMED } else { label };
        let of = |numbers: &HashMap<Vec<u8>, u32, Quick>, text: &[u8]| numbers.get(text).copied();
        // Parts are in no rule, and leave room to calls.
        let most = if self.twofold.parts.contains(label) { LABELS_MAX / 2 } else { LABELS_MAX };
        let is_full = self.labels.len() >= most;
        let text = if is_full && of(&self.numbers, label).is_none() { OTHERS } else { label };
        of(&self.numbers, text).unwrap_or_else(|| {
            let number = self.labels.len() as u32;
            self.labels.push(Label::of(text));
            self.numbers.insert(text.to_vec(), number);
            number
        })
    }

    /// Puts calls that came one by one among the others.
    ///
    /// # Errors
    /// When the disk is full.
    pub(crate) fn join_open(&mut self) -> Result<(), ImportError> {
        // One that is read only once sees threads from the first.
        let next = Block::new(Manner { sees_threads: true, ..self.manner() });
        let mut open = std::mem::replace(&mut self.open, next);
        self.open.threads = std::mem::take(&mut open.threads);
        open.cells.sort();
        self.join(open)
    }

    /// Ends a file.
    ///
    /// # Errors
    /// When the disk is full.
    pub(crate) fn end_file(&mut self) -> Result<(), ImportError> {
        self.join_open()?;
        self.open.threads = Threads::default();
        self.users.end_file();
        Ok(())
    }

    /// Puts whatever waits among the others, and counts exact times: when the last call was read.
    ///
    /// # Errors
    /// When the disk is full.
    pub(crate) fn settle(&mut self) -> Result<(), ImportError> {
        self.end_file()?;
        self.users.join();
        self.decide();
        let cells = std::mem::take(&mut self.cells);
        cells.iter().for_each(|(key, cell)| self.count(key, cell));
        self.cells = cells;
        Ok(())
    }

    fn join(&mut self, block: Block) -> Result<(), ImportError> {
        let Block { labels, all, span, spent_ns, users, notes, cells, kept, may_have_parts, .. } = block;
        self.may_have_parts |= may_have_parts;
        labels.iter().for_each(|label| self.told.add(&label.text, label.seen));
        let numbers: Vec<u32> = labels.iter().map(|label| self.number(&label.text)).collect();
        for (number, label) in numbers.iter().zip(labels) {
            let own = &mut self.labels[*number as usize];
            self.beyond += if own.text == OTHERS { label.calls } else { 0 };
            own.join(label);
        }
        self.all.join(all);
        self.span.join(span);
        self.spent_ns += spent_ns;
        for (second, users) in users {
            self.users.see(second, users);
        }
        let of = |label: u32| numbers.get(label as usize).copied().unwrap_or_default();
        for note in notes {
            let label = of(note.label);
            if self.labels[label as usize].takes_note(note.outcome) {
                self.notes.push(Note { label, ..note });
            }
        }
        self.cells.join(&cells, &numbers);
        self.early.extend(kept.into_iter().map(|kept| Kept { label: of(kept.label), ..kept }));
        if self.grid.is_some() || self.early.len() >= EARLY {
            self.decide();
        }
        if self.cells.are_full() {
            let old = self.cells.take_old();
            old.iter().for_each(|(key, cell)| self.count(key, cell));
            self.spool.add(&old).map_err(|source| spool_error(&self.folder, source))?;
        }
        Ok(())
    }

    /// Begins the run with the earliest call so far, unless it has begun; and puts early calls into cells.
    fn decide(&mut self) {
        let warm_up = self.warm_up;
        let grid = *self.grid.get_or_insert(Grid { origin: self.span.first_start, warm_up });
        if self.early.is_empty() {
            return;
        }
        let mut early = Tally::default();
        std::mem::take(&mut self.early).iter().for_each(|kept| early.add(kept, &grid));
        early.sort();
        let numbers: Vec<u32> = (0..self.labels.len() as u32).collect();
        self.cells.join(&early, &numbers);
    }

    /// Counts the times of a cell.
    fn count(&mut self, key: &Key, cell: &Cell) {
        if key.leg != ANSWER && key.leg != SUM {
            return;
        }
        let label = &mut self.labels[key.label as usize];
        for (took, count) in cell.times() {
            let value = units(Nanos(*took), self.unit);
            label.exact.add_many(value, *count);
            if key.leg == ANSWER {
                self.all.exact.add_many(value, *count);
            }
        }
        if key.leg == ANSWER && (self.ended.len() < SECONDS_MAX || self.ended.contains_key(&key.end_s)) {
            *self.ended.entry(key.end_s).or_default() += cell.count;
        }
    }
}

pub(crate) fn spool_error(folder: &Path, source: std::io::Error) -> ImportError {
    ImportError::Spool { folder: folder.to_owned(), error: source }
}

impl Sink for Survey {
    fn call(&mut self, call: &Call<'_>) -> Result<(), ImportError> {
        self.open.add(call);
        if self.open.records >= OPEN_MAX { self.join_open() } else { Ok(()) }
    }

    fn sums_up(&self, label: &[u8]) -> bool {
        self.twofold.sums.contains(label)
    }

    fn zone(&self) -> Zone {
        self.zone.clone()
    }

    fn covers(&mut self, from: Nanos, to: Nanos) {
        if from < to {
            self.span.join(Span { first_start: from, last_start: to - Nanos(1), last_end: to });
        }
    }

    fn users(&mut self, at: Nanos, users: u32) {
        self.open.see_users(at, users);
    }
}

impl TakesBlocks for Survey {
    fn manner(&self) -> Manner {
        let (unit, grid, twofold) = (self.unit, self.grid, self.twofold.clone());
        Manner { unit, grid, twofold, sees_threads: self.may_have_parts }
    }

    fn look_back(&mut self, call: &Call<'_>) {
        self.open.look_back(call);
    }

    fn block(&mut self, block: Block) -> Result<(), ImportError> {
        // Those that came before it are before it.
        if self.open.records > 0 {
            self.join_open()?;
        }
        self.open.threads = Threads::default();
        self.join(block)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use terms::Outcome;

    const START: Nanos = Nanos(1_795_690_680_123_000_000);

    fn survey(origin: Option<Nanos>) -> (tempfile::TempDir, Survey) {
        let folder = tempfile::tempdir().unwrap();
        let survey = Survey::within(folder.path(), Nanos::MILLISECOND, Nanos::ZERO, origin, Arc::default()).unwrap();
        (folder, survey)
    }

    fn call(label: &[u8], start: Nanos) -> Call<'_> {
        Call { label, start, took: Nanos(5_000_000), ..Call::default() }
    }

    #[test]
    fn cells_that_went_to_the_disk_count_once() {
        let (_folder, mut survey) = survey(None);
        let seconds = 140_000;
        for second in 0..seconds {
            survey.call(&call(b"a", START + Nanos::from_secs(second))).unwrap();
        }
        survey.settle().unwrap();
        assert_eq!((survey.all.calls, survey.labels[0].exact.total()), (seconds as u64, seconds as u64));
        assert_eq!((survey.ended.len(), survey.ended.values().max()), (seconds as usize, Some(&1)));
        let batches: Vec<_> = survey.into_cells().unwrap().map(|batch| batch.unwrap().cells().unwrap()).collect();
        assert!(batches.len() > 2, "some went to the disk: {}", batches.len());
        let ends: Vec<i64> = batches.iter().flatten().map(|(key, _)| key.end_s).collect();
        assert_eq!(ends, (0..seconds).collect::<Vec<_>>());
        assert!(batches.iter().flatten().all(|(_, cell)| cell.count == 1));
    }

    #[test]
    fn a_run_begins_with_its_earliest_call() {
        let earlier = START - Nanos(700_000_000);
        for (before, expected) in [(100, None), (EARLY + OPEN_MAX, Some(earlier))] {
            let (_folder, mut survey) = survey(None);
            for place in 0..before {
                survey.call(&call(b"a", START + Nanos(place as i64))).unwrap();
            }
            survey.call(&call(b"slow", earlier)).unwrap();
            survey.settle().unwrap();
            // Where it comes late its cells are cut at other moments, and the files are read again from there.
            assert_eq!(survey.earlier_origin(), expected, "{before} calls come before it");
        }
        let (_folder, mut survey) = survey(Some(earlier));
        survey.call(&call(b"a", earlier)).unwrap();
        survey.settle().unwrap();
        assert_eq!(survey.earlier_origin(), None);
        assert_eq!(survey.into_cells().unwrap().map(|batch| batch.unwrap().cells().unwrap().len()).sum::<usize>(), 1);
    }

    /// Ten seconds were counted. All calls of one are placed in its middle, so that first and last are nine seconds apart.
    #[test]
    fn a_run_is_as_long_as_what_its_tool_counted() {
        let (_folder, mut survey) = survey(None);
        for second in 0..10 {
            let from = START + Nanos::from_secs(second);
            survey.covers(from, from + Nanos::SECOND);
            survey.call(&call(b"a", from + Nanos::from_millis(500))).unwrap();
        }
        survey.covers(START, START);
        survey.settle().unwrap();
        let Span { first_start, last_start, last_end } = survey.span;
        let after = |moment: Nanos| (moment - START).0;
        assert_eq!([after(first_start), after(last_start), after(last_end)], [0, 9_999_999_999, 10_000_000_000]);
        assert_eq!(survey.earlier_origin(), None);
        assert!(survey.ended.values().eq(&[1; 10]), "each second has its own: {:?}", survey.ended);
    }

    #[test]
    fn labels_and_failures_beyond_the_most_are_together() {
        let (_folder, mut survey) = survey(None);
        for place in 0..LABELS_MAX + 20 {
            let label = format!("call {place}");
            let failed = Call { outcome: Outcome::Fault, why: b"no", ..call(label.as_bytes(), START) };
            survey.call(&failed).unwrap();
        }
        survey.call(&call(b"", START)).unwrap();
        survey.settle().unwrap();
        assert_eq!(
            (survey.labels.len(), survey.beyond, survey.all.calls),
            (LABELS_MAX + 1, 21, LABELS_MAX as u64 + 21)
        );
        assert_eq!(survey.labels[LABELS_MAX].text, OTHERS);
        assert_eq!(survey.notes.len(), LABELS_MAX + 3, "three of those that are together");
    }
}
