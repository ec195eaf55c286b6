//! The rows of a run by what they belong to, packed, so that memory does not grow with its length.

use crate::contradiction::Sums;
use crate::row::{COUNT_MAX, afterwards, is_histogram};
use record::{Folded, IterationRow, LegRow, NoteRow, OutcomeRow, SLOWEST_MAX, SlowRow, StartRow};
use record::{Group, Head, Packed, PackedRows, RecordError, SampleRow};
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use terms::{Nanos, Outcome};

/// Packed rows beyond this lie in a file: it is an hour of thirty exchanges, more or less.
const ROOM: usize = 32 << 20;
/// Seconds of a run lie within ten years of its start.
const SECONDS_MAX: i64 = 10 * 366 * 86_400;

/// Sound rows of the load and of what was watched; rows that cannot be are left out and counted.
#[derive(Debug)]
pub struct Rows {
    pub(super) packed: Packed,
    /// Samples of failures.
    pub(crate) notes: Vec<NoteRow>,
    /// The slowest calls of each step, exchange and leg, at most [`SLOWEST_MAX`] of each: the slowest first.
    pub(crate) slowest: BTreeMap<(u32, u16, u8), Vec<SlowRow>>,
    /// Instances by monitor and metric; their place is the last number of a sample's group.
    pub(super) instances: BTreeMap<(u16, u16), Vec<Instance>>,
    /// Rows left out: they name what is not in the head, or hold numbers that cannot be.
    pub(crate) unsound: u64,
    /// The last that any row speaks of, whether it is sound or not.
    pub(crate) last: Option<Nanos>,
    /// Whether anything was answered in a step of which no rows are kept.
    pub(crate) is_answered_elsewhere: bool,
}

/// An instance that a metric was taken of.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Instance {
    pub(crate) name: String,
    values: u64,
    missing: u64,
}

impl Instance {
    /// One without samples yet.
    pub(super) fn named(name: String) -> Self {
        Self { name, ..Self::default() }
    }

    /// One more of its samples.
    pub(super) fn count(&mut self, value: Option<f64>) {
        self.values += u64::from(value.is_some());
        self.missing += u64::from(value.is_none());
    }

    /// Whether no more than this share of its samples are gaps.
    pub(crate) fn is_whole(&self, missing_most: f64) -> bool {
        self.missing as f64 <= missing_most * (self.values + self.missing) as f64
    }
}

impl Default for Rows {
    fn default() -> Self {
        let (notes, slowest, instances) = (Vec::new(), BTreeMap::new(), BTreeMap::new());
        let packed = Packed::new(ROOM);
        Self { packed, notes, slowest, instances, unsound: 0, last: None, is_answered_elsewhere: false }
    }
}

impl Rows {
    /// Rows that are in no folder, such as those of a simulation.
    ///
    /// # Errors
    /// [`RecordError::Io`] where they are so many that they need a file, and there is no room for one.
    pub fn of(head: &Head, folded: &Folded, samples: &[SampleRow]) -> Result<Self, RecordError> {
        let mut packing = Packing::new(head, None);
        folded.legs.iter().try_for_each(|row| packing.leg(row))?;
        folded.outcomes.iter().try_for_each(|row| packing.outcome(row))?;
        folded.starts.iter().try_for_each(|row| packing.start(row))?;
        folded.iterations.iter().try_for_each(|row| packing.iteration(row))?;
        folded.notes.iter().for_each(|row| packing.note(row.clone()));
        folded.slowest.iter().for_each(|row| packing.slow(row));
        samples.iter().try_for_each(|row| packing.sample(row))?;
        packing.finish()
    }

    /// Closes of a leg in a step.
    pub(crate) fn legs(&self, step: u32, exchange: u16, leg: u8) -> PackedRows<'_, LegRow> {
        self.packed.rows([step, exchange.into(), leg.into()])
    }

    /// Those of them whose intended start lies in some seconds.
    pub(crate) fn legs_between(
        &self,
        step: u32,
        exchange: u16,
        leg: u8,
        seconds: Range<i64>,
    ) -> impl Iterator<Item = LegRow> + '_ {
        let rows = self.packed.rows_between([step, exchange.into(), leg.into()], seconds.start, seconds.end);
        rows.filter(move |row: &LegRow| seconds.contains(&row.intended_s))
    }

    /// Closes of all legs of a step, exchange by exchange.
    pub(crate) fn legs_of(&self, step: u32) -> impl Iterator<Item = LegRow> + '_ {
        self.packed.groups::<LegRow>([step, 0, 0], [step, u32::MAX, u32::MAX]).flat_map(|group| self.packed.rows(group))
    }

    /// Closes of a leg in a step by class.
    pub(crate) fn outcomes(&self, step: u32, exchange: u16, leg: u8) -> PackedRows<'_, OutcomeRow> {
        self.packed.rows([step, exchange.into(), leg.into()])
    }

    /// As [`Rows::legs_of`], by class.
    pub(crate) fn outcomes_of(&self, step: u32) -> impl Iterator<Item = OutcomeRow> + '_ {
        let groups = self.packed.groups::<OutcomeRow>([step, 0, 0], [step, u32::MAX, u32::MAX]);
        groups.flat_map(|group| self.packed.rows(group))
    }

    /// Starts of an exchange in a step.
    pub(crate) fn starts(&self, step: u32, exchange: u16) -> PackedRows<'_, StartRow> {
        self.packed.rows([step, exchange.into(), 0])
    }

    /// Starts of all exchanges of a step.
    pub(crate) fn starts_of(&self, step: u32) -> impl Iterator<Item = StartRow> + '_ {
        let groups = self.packed.groups::<StartRow>([step, 0, 0], [step, u32::MAX, 0]);
        groups.flat_map(|group| self.packed.rows(group))
    }

    /// Books of iterations as they were in truth: what was refused after it had succeeded has failed.
    pub(crate) fn iterations(&self, step: u32) -> PackedRows<'_, IterationRow> {
        self.packed.rows([step, 0, 0])
    }

    /// Instances that a metric was taken of, in the order in which they were first seen.
    pub(crate) fn instances(&self, metric: (u16, u16)) -> &[Instance] {
        self.instances.get(&metric).map_or(&[], Vec::as_slice)
    }

    /// Every metric that has samples: monitor, metric, and the instances that it was taken of.
    pub(crate) fn sampled(&self) -> impl Iterator<Item = ((u16, u16), &[Instance])> {
        self.instances.iter().map(|(metric, instances)| (*metric, instances.as_slice()))
    }

    /// Moments and values of one instance within a stretch of time, in order of time; `None` for a value that is missing.
    pub(crate) fn points(
        &self,
        (monitor, metric): (u16, u16),
        instance: usize,
        within: Range<Nanos>,
    ) -> Vec<(Nanos, Option<f64>)> {
        let group: Group = [monitor.into(), metric.into(), instance as u32];
        let rows = self.packed.rows_between::<SampleRow>(group, within.start.0, within.end.0);
        let mut points: Vec<(Nanos, Option<f64>)> =
            rows.filter(|row| within.contains(&row.at)).map(|row| (row.at, row.value)).collect();
        points.sort_by_key(|(at, _)| *at);
        points
    }

    /// Whether one instance has such a sample before a moment.
    pub(crate) fn has_sample_before(
        &self,
        (monitor, metric): (u16, u16),
        instance: usize,
        moment: Nanos,
        is_wanted: fn(&SampleRow) -> bool,
    ) -> bool {
        let group: Group = [monitor.into(), metric.into(), instance as u32];
        let mut rows = self.packed.rows_between::<SampleRow>(group, i64::MIN, moment.0);
        rows.any(|row| row.at < moment && is_wanted(&row))
    }

    /// Why rows were missed, if any were: to be asked when all is judged.
    ///
    /// # Errors
    /// [`RecordError::Io`] where rows that memory does not hold could not be read again.
    pub fn check(&self) -> Result<(), RecordError> {
        self.packed.failure().map_or(Ok(()), |failure| Err(failure.clone()))
    }
}

/// Which rows are kept.
pub(super) struct Only {
    pub(super) steps: BTreeSet<u32>,
    /// Samples.
    pub(super) within: Range<Nanos>,
}

/// Takes the rows of a run one by one.
pub(super) struct Packing<'a> {
    head: &'a Head,
    /// Where the record breaks off.
    cut: Option<Nanos>,
    /// All that is kept, where that is not everything.
    only: Option<Only>,
    rows: Rows,
    /// What the tables add up to, cut or not.
    pub(super) sums: Sums,
    /// Legs of refusals that come when everything had ended.
    afterwards: BTreeSet<(u16, u8)>,
    /// Iterations that such refusals take back: by step, stream and both seconds.
    late: BTreeMap<(u32, u16, i64, i64), u64>,
}

impl<'a> Packing<'a> {
    pub(super) fn new(head: &'a Head, cut: Option<Nanos>) -> Self {
        let afterwards = afterwards(head).collect();
        Self { head, cut, only: None, rows: Rows::default(), sums: Sums::default(), afterwards, late: BTreeMap::new() }
    }

    /// Of the rows to come keeps these alone; what they all add up to is counted as ever.
    pub(super) fn keep(&mut self, only: Only) {
        self.only = Some(only);
    }

    fn is_wanted(&self, step: u32) -> bool {
        self.only.as_ref().is_none_or(|only| only.steps.contains(&step))
    }

    /// Whether the record is whole at a second. Behind the last whole one of it, one thread's rows may be there and
    /// another's not.
    fn is_whole(&self, second: i64) -> bool {
        self.cut.is_none_or(|cut| second < cut.second())
    }

    fn is_step(&self, step: u32) -> bool {
        (step as usize) < self.head.steps.len()
    }

    fn is_known(&self, step: u32, exchange: u16, leg: Option<u8>) -> bool {
        let legs = self.head.exchanges.get(usize::from(exchange)).map(|exchange| exchange.legs.len());
        self.is_step(step) && legs.is_some_and(|legs| leg.is_none_or(|leg| usize::from(leg) < legs))
    }

    /// Counts a row that is left out; whether it is one to be kept.
    fn keeps(&mut self, is_sound: bool) -> bool {
        self.rows.unsound += u64::from(!is_sound);
        is_sound
    }

    pub(super) fn leg(&mut self, row: &LegRow) -> Result<(), RecordError> {
        self.sums.leg(self.head, row);
        self.rows.is_answered_elsewhere |= !self.is_wanted(row.step) && row.bytes > 0;
        if !self.is_wanted(row.step) || !self.is_whole(row.intended_s) || !self.is_whole(row.end_s) {
            return Ok(());
        }
        let is_sound = self.is_known(row.step, row.exchange, Some(row.leg))
            && is_second(row.intended_s)
            && is_second(row.end_s)
            && row.count.max(row.units).max(row.bytes / 1_000_000) <= COUNT_MAX
            && row.below.iter().all(|count| *count <= row.count)
            && is_histogram(&row.response)
            && is_histogram(&row.service);
        if !self.keeps(is_sound) {
            return Ok(());
        }
        self.rows.packed.push([row.step, row.exchange.into(), row.leg.into()], row.intended_s, row)
    }

    pub(super) fn outcome(&mut self, row: &OutcomeRow) -> Result<(), RecordError> {
        if !self.is_wanted(row.step) {
            self.rows.is_answered_elsewhere |= row.count > 0 && is_answer(row.outcome);
            return Ok(());
        }
        if !self.is_whole(row.intended_s) || !self.is_whole(row.end_s) {
            return Ok(());
        }
        let is_sound = self.is_known(row.step, row.exchange, Some(row.leg))
            && is_second(row.intended_s)
            && is_second(row.end_s)
            && row.count <= COUNT_MAX;
        if !self.keeps(is_sound) {
            return Ok(());
        }
        if row.outcome == Outcome::Late && self.afterwards.contains(&(row.exchange, row.leg)) {
            *self.late.entry((row.step, row.stream, row.intended_s, row.end_s)).or_default() += row.count;
        }
        self.rows.packed.push([row.step, row.exchange.into(), row.leg.into()], row.intended_s, row)
    }

    pub(super) fn start(&mut self, row: &StartRow) -> Result<(), RecordError> {
        self.sums.start(row);
        if !self.is_wanted(row.step) || !self.is_whole(row.intended_s) {
            return Ok(());
        }
        let is_sound = self.is_known(row.step, row.exchange, None)
            && is_second(row.intended_s)
            && row.started <= COUNT_MAX
            && is_histogram(&row.lateness);
        if !self.keeps(is_sound) {
            return Ok(());
        }
        self.rows.packed.push([row.step, row.exchange.into(), 0], row.intended_s, row)
    }

    pub(super) fn iteration(&mut self, row: &IterationRow) -> Result<(), RecordError> {
        self.sums.iteration(row);
        self.rows.last = self.rows.last.max(Some(Nanos::from_secs(row.end_s.saturating_add(1))));
        if !self.is_wanted(row.step) || !self.is_whole(row.intended_s) || !self.is_whole(row.end_s) {
            return Ok(());
        }
        let books = row.books;
        let counts = [books.intended, books.started, books.dropped, books.completed, books.failed, books.aborted];
        let is_sound = self.is_step(row.step)
            && is_second(row.intended_s)
            && is_second(row.end_s)
            && counts.iter().all(|count| *count <= COUNT_MAX);
        if !self.keeps(is_sound) {
            return Ok(());
        }
        self.rows.packed.push([row.step, 0, 0], row.intended_s, row)
    }

    pub(super) fn note(&mut self, row: NoteRow) {
        if self.is_wanted(row.step) && self.cut.is_none_or(|cut| row.at < cut) {
            self.rows.notes.push(row);
        }
    }

    /// Of each leg of a step keeps the slowest of all. One that has ended behind the last whole second is left out: of that
    /// second other threads' may be missing.
    pub(super) fn slow(&mut self, row: &SlowRow) {
        let end = Nanos(row.at.0.saturating_add(row.time.0));
        if !self.is_wanted(row.step) || self.cut.is_some_and(|cut| end >= cut) {
            return;
        }
        let is_sound = self.is_known(row.step, row.exchange, Some(row.leg))
            && is_second(row.at.second())
            && is_second(end.second())
            && row.time >= Nanos::ZERO
            && row.outcome.population().is_some();
        if !self.keeps(is_sound) {
            return;
        }
        let kept = self.rows.slowest.entry((row.step, row.exchange, row.leg)).or_default();
        let place = kept.partition_point(|known| (Reverse(known.time), known.at) <= (Reverse(row.time), row.at));
        kept.insert(place, *row);
        kept.truncate(SLOWEST_MAX);
    }

    /// Samples of what the head does not name are nobody's.
    pub(super) fn sample(&mut self, row: &SampleRow) -> Result<(), RecordError> {
        self.rows.last = self.rows.last.max(Some(row.at));
        let monitor = self.head.monitors.get(usize::from(row.monitor));
        let is_known = monitor.is_some_and(|monitor| usize::from(row.metric) < monitor.metrics.len());
        if !is_known || self.cut.is_some_and(|cut| row.at >= cut) {
            return Ok(());
        }
        let instances = self.rows.instances.entry((row.monitor, row.metric)).or_default();
        let place = instances.iter().position(|known| known.name == row.instance).unwrap_or_else(|| {
            instances.push(Instance::named(row.instance.clone()));
            instances.len() - 1
        });
        let value = row.value.filter(|value| value.is_finite());
        instances[place].count(value);
        if self.only.as_ref().is_some_and(|only| !only.within.contains(&row.at)) {
            return Ok(());
        }
        // The name stands once for all of them.
        let row = SampleRow { instance: String::new(), value, ..*row };
        self.rows.packed.push([row.monitor.into(), row.metric.into(), place as u32], row.at.0, &row)
    }

    /// Takes back what a table brought that turned out to be damaged, and what it was counted for.
    pub(super) fn forget(&mut self, table: Table, unsound: u64) {
        self.rows.unsound = unsound;
        match table {
            Table::Legs => {
                self.rows.packed.clear::<LegRow>();
                self.sums.closed.clear();
            }
            Table::Starts => {
                self.rows.packed.clear::<StartRow>();
                self.sums.started.clear();
            }
            Table::Outcomes => {
                self.rows.packed.clear::<OutcomeRow>();
                self.late.clear();
            }
            Table::Notes => self.rows.notes.clear(),
            Table::Slowest => self.rows.slowest.clear(),
            Table::Samples => {
                self.rows.packed.clear::<SampleRow>();
                self.rows.instances.clear();
            }
        }
    }

    /// Rows that were left out so far.
    pub(super) fn unsound(&self) -> u64 {
        self.rows.unsound
    }

    /// All of them, with what was refused afterwards booked as failed.
    pub(super) fn finish(mut self) -> Result<Rows, RecordError> {
        let mut late = std::mem::take(&mut self.late);
        let mut steps: Vec<u32> = late.keys().map(|(step, ..)| *step).collect();
        steps.dedup();
        let mut corrected = Vec::new();
        for step in steps {
            for mut row in self.rows.packed.rows::<IterationRow>([step, 0, 0]) {
                if let Some(left) = late.get_mut(&(step, row.stream, row.intended_s, row.end_s)) {
                    let taken = (*left).min(row.books.completed);
                    row.books.completed -= taken;
                    row.books.failed = row.books.failed.saturating_add(taken);
                    *left -= taken;
                }
                corrected.push(row);
            }
        }
        corrected.sort_by_key(|row| row.step);
        for rows in corrected.chunk_by(|a, b| a.step == b.step) {
            self.rows.packed.clear_group::<IterationRow>([rows[0].step, 0, 0]);
            rows.iter().try_for_each(|row| self.rows.packed.push([row.step, 0, 0], row.intended_s, row))?;
        }
        Ok(self.rows)
    }
}

/// A table without which there is still something to say.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Table {
    Legs,
    Starts,
    Outcomes,
    Notes,
    Slowest,
    Samples,
}

/// Whether an outcome shows that somebody answered: what never went out, or was cut off, tells nothing.
pub(crate) fn is_answer(outcome: Outcome) -> bool {
    use Outcome::{Aborted, Dropped, Fault, Missing, NoResource, Refused, Reset, Timeout};
    !matches!(outcome, Refused | Reset | Timeout | Missing | Fault | NoResource | Aborted | Dropped)
}

fn is_second(second: i64) -> bool {
    (-SECONDS_MAX..=SECONDS_MAX).contains(&second)
}
