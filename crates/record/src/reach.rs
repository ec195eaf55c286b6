//! How far a record is whole: up to which second every thread's rows are there.
//!
//! The row of `engine` closes a thread's second: a thread hands over all rows of the second first, then this one, and
//! the segments keep that order. So what stands before the first hole of the load's segments is whole up to the least
//! of the threads' last such rows. A load that is over, as the marks of its steps say, needs no further rows; then the
//! record reaches as far as anything in it speaks.

use crate::block::{Blocks, Damage, run_mark};
use crate::row::{Row, Stream, take_all};
use crate::{ClockPair, EngineRow, EventRow, Head, RecordError, SampleRow, StepMark, segment};
use recorder::IterationRow;
use std::collections::BTreeMap;
use std::path::Path;
use terms::{Nanos, Phase};

/// More threads than this drive no load.
const WORKERS_MAX: u32 = 4096;
/// Seconds by which a load's rows may end before all else that was recorded: every thread hands over each second, and all
/// streams are synced together. Where it is more, rows were taken away.
const BEHIND_MAX: i64 = 5;
/// Rows that speak of a second outside ten years are forged.
const SECONDS_MAX: i64 = 10 * 366 * 86_400;

/// One load from its first start to the end of its drain, as the marks tell it.
struct Load {
    begin: i64,
    /// Threads that drive it, where not all of the run do.
    workers: Option<u32>,
    drain: Option<i64>,
    over: Option<i64>,
    /// Whether the drain may go on behind the end of its threads.
    waits: bool,
    /// Whether it ends by a count: threads of other nodes end with their own shares of it.
    is_counted: bool,
    /// Last closed second of each thread.
    closed: BTreeMap<u16, i64>,
}

impl Load {
    fn new(begin: i64) -> Self {
        Self { begin, workers: None, drain: None, over: None, waits: false, is_counted: false, closed: BTreeMap::new() }
    }

    /// End of the last second that all threads have closed.
    fn whole_to(&self, workers: u32) -> i64 {
        let workers = self.workers.map_or(workers, |own| own.min(workers));
        let end = |worker: u16| self.closed.get(&worker).map_or(self.begin, |second| second + 1);
        let least = if workers == 0 {
            self.closed.keys().map(|worker| end(*worker)).min()
        } else {
            (0..workers).map(|worker| end(worker as u16)).min()
        };
        least.unwrap_or(self.begin).max(self.begin)
    }

    /// Whether the load is over and all of its rows are there. Each thread goes on at least to the end of the load, unless
    /// that is when a count is reached, one of them to the end of the drain, unless that waits for something else; a
    /// second's tolerance is for the one in which it ended.
    fn is_whole(&self, workers: u32) -> bool {
        let Some(over) = self.over else { return false };
        let last = self.closed.values().max().copied().unwrap_or(i64::MIN);
        let drain = self.drain.unwrap_or(over);
        let reached = if self.is_counted { last.saturating_add(1) } else { self.whole_to(workers) };
        reached >= drain && last >= if self.waits { drain } else { over } - 1
    }
}

/// Collects what tells how far a record is whole. Marks come first.
#[derive(Default)]
pub(crate) struct Reach {
    loads: Vec<Load>,
    /// Load that no mark speaks of, behind all others.
    unmarked: Option<Load>,
    last: Nanos,
    last_sample: Option<Nanos>,
}

impl Reach {
    pub(crate) fn moment(&mut self, at: Nanos) {
        if is_second(at.second()) {
            self.last = self.last.max(at);
        }
    }

    pub(crate) fn sample(&mut self, at: Nanos) {
        self.moment(at);
        self.last_sample = self.last_sample.max(Some(at));
    }

    pub(crate) fn mark(&mut self, head: &Head, mark: &StepMark) {
        self.moment(mark.at);
        let phase = head.steps.get(mark.step as usize).and_then(|step| Phase::from_name(&step.phase));
        let Some(phase) = phase.filter(|_| is_second(mark.at.second())) else { return };
        let (second, open) = (mark.at.second(), self.loads.last_mut().filter(|load| load.over.is_none()));
        let planned = head.steps.get(mark.step as usize);
        let is_counted = planned.is_some_and(|step| step.iterations.is_some() && step.seconds.is_none());
        match (open, mark.is_end) {
            (Some(load), false) if phase == Phase::Hold => load.is_counted |= is_counted,
            (None, false) if phase.has_load() => {
                let workers = head.workers_of(mark.step).filter(|own| *own < head.workers);
                let is_counted = is_counted && phase == Phase::Hold;
                self.loads.push(Load { workers, is_counted, ..Load::new(second) });
            }
            (Some(load), false) if phase == Phase::Drain => {
                load.drain = Some(second);
                load.waits = head.steps.get(mark.step as usize).is_some_and(|step| step.waits);
            }
            (Some(load), true) if phase == Phase::Drain => load.over = Some(second),
            _ => {}
        }
    }

    /// A thread has closed a second.
    pub(crate) fn engine(&mut self, row: &EngineRow) {
        if let Some(load) = self.load_at(row.second) {
            // The last one counts: earlier versions closed a load's first second before it began, and once more later.
            load.closed.insert(row.worker, row.second);
            self.moment(Nanos::from_secs(row.second + 1));
        }
    }

    /// There is load in a second, closed or not.
    pub(crate) fn load(&mut self, row: &IterationRow) {
        self.load_at(row.intended_s);
    }

    fn load_at(&mut self, second: i64) -> Option<&mut Load> {
        if !is_second(second) {
            return None;
        }
        let marked = self.loads.iter().rposition(|load| load.begin <= second);
        match marked {
            Some(place) if self.loads[place].over.is_none_or(|over| second <= over) => Some(&mut self.loads[place]),
            // A row that lies between two marked loads says nothing; only behind all of them it is a load of its own.
            Some(place) if place + 1 < self.loads.len() => None,
            None if !self.loads.is_empty() => None,
            _ => {
                let load = self.unmarked.get_or_insert_with(|| Load::new(second));
                load.begin = load.begin.min(second);
                Some(load)
            }
        }
    }

    /// The end of the last second that is whole in all of the record.
    pub(crate) fn cut(&self, head: &Head) -> Nanos {
        let workers = head.workers.min(WORKERS_MAX);
        let broken = self.loads.iter().find(|load| !load.is_whole(workers)).or(self.unmarked.as_ref());
        let second = broken.map_or_else(|| self.last.second(), |load| load.whole_to(workers));
        Nanos::from_secs(second.max(0))
    }

    /// What to say where the rows of a load end long before everything else: a segment was emptied, or cut between two
    /// blocks, which its own numbers do not show.
    fn missing_load(&self, head: &Head) -> Option<String> {
        // What was imported had no threads here that could close its seconds; its seal vouches for its rows.
        if head.imported.is_some() {
            return None;
        }
        let workers = head.workers.min(WORKERS_MAX);
        let load = self.loads.iter().find(|load| !load.is_whole(workers))?;
        let (end, last) = (load.whole_to(workers), self.last.second());
        (last - end > BEHIND_MAX)
            .then(|| format!("`load`: its rows end {end} s after the start, and others go on to {last} s"))
    }
}

fn is_second(second: i64) -> bool {
    (-SECONDS_MAX..=SECONDS_MAX).contains(&second)
}

/// What a pass over all segments found.
pub(crate) struct Scanned {
    pub(crate) damage: Damage,
    /// Whether a hole was found anywhere.
    pub(crate) is_gapped: bool,
    /// Blocks of load, watch and events.
    pub(crate) blocks: [u32; 3],
    /// The end of the last whole second.
    pub(crate) cut: Nanos,
}

/// Reads every block of every segment once; tells what cannot be read, and how far what can be is whole.
pub(crate) fn scan(evidence: &Path, head: &Head) -> Result<Scanned, RecordError> {
    let mut reach = Reach::default();
    let run = run_mark(&head.id);
    let mut read = |stream: Stream| -> Result<Blocks, RecordError> {
        let mut blocks = Blocks::new(segment::list(evidence, stream)?);
        while let Some(block) = blocks.next()? {
            blocks.check_own(&block, stream, run)?;
            // Behind a hole the order says nothing any more.
            let is_ordered = !blocks.is_gapped;
            let payload = block.payload.as_slice();
            match block.kind {
                StepMark::KIND if is_ordered => each(payload, |mark: StepMark| reach.mark(head, &mark)),
                EventRow::KIND if is_ordered => each(payload, |row: EventRow| reach.moment(row.at)),
                ClockPair::KIND if is_ordered => each(payload, |pair: ClockPair| reach.moment(pair.at)),
                EngineRow::KIND if is_ordered => each(payload, |row: EngineRow| reach.engine(&row)),
                IterationRow::KIND if is_ordered => each(payload, |row: IterationRow| reach.load(&row)),
                SampleRow::KIND => each(payload, |row: SampleRow| reach.sample(row.at)),
                _ => {}
            }
        }
        Ok(blocks)
    };
    let events = read(Stream::Events)?;
    let load = read(Stream::Load)?;
    let watch = read(Stream::Watch)?;
    let mut cut = reach.cut(head);
    if let (true, Some(last)) = (watch.is_torn_at_end, reach.last_sample) {
        cut = cut.min(Nanos::from_secs(last.second().max(0)));
    }
    let mut scanned = Scanned {
        damage: Damage::default(),
        is_gapped: [&load, &watch, &events].iter().any(|stream| stream.is_gapped),
        blocks: [load.count(), watch.count(), events.count()],
        cut,
    };
    if let Some(sentence) = reach.missing_load(head) {
        scanned.damage.add_sentence(sentence);
    }
    for (stream, blocks) in [(Stream::Load, load), (Stream::Watch, watch), (Stream::Events, events)] {
        scanned.damage.merge(blocks.damage);
        scanned.is_gapped |= segment::list(evidence, stream)?.is_empty();
    }
    Ok(scanned)
}

fn each<T: Row>(payload: &[u8], take: impl FnMut(T)) {
    take_all::<T>(payload).unwrap_or_default().into_iter().for_each(take);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::StepHead;

    fn head(workers: u32) -> Head {
        let step = |phase: &str| StepHead { id: phase.into(), phase: phase.into(), ..StepHead::default() };
        Head { workers, steps: ["warm_up", "hold", "drain", "recovery"].map(step).to_vec(), ..Head::default() }
    }

    /// Marks as step, second and whether it is the end.
    fn reach(head: &Head, marks: &[(u32, i64, bool)], closed: &[(u16, std::ops::Range<i64>)]) -> i64 {
        let mut reach = Reach::default();
        for &(step, second, is_end) in marks {
            reach.mark(head, &StepMark { step, at: Nanos::from_secs(second), is_end });
        }
        for (worker, seconds) in closed {
            for second in seconds.clone() {
                reach.engine(&EngineRow { second, worker: *worker, ..EngineRow::default() });
            }
        }
        reach.moment(Nanos::from_millis(90_400));
        reach.cut(head).second()
    }

    const HELD: [(u32, i64, bool); 3] = [(0, 5, false), (0, 10, true), (1, 10, false)];
    const OVER: [(u32, i64, bool); 3] = [(1, 40, true), (2, 40, false), (2, 43, true)];

    #[test]
    fn a_drain_that_waits_for_something_else_outlasts_its_threads() {
        let waits = [(1, 40, true), (2, 40, false), (2, 83, true)];
        let marks = [&HELD[..], &waits].concat();
        let closed = [(0, 5..41), (1, 5..42)];
        assert_eq!(reach(&head(2), &marks, &closed), 41, "a drain that ends with its threads has lost rows");
        let mut head = head(2);
        head.steps[2].waits = true;
        assert_eq!(reach(&head, &marks, &closed), 90);
        assert_eq!(reach(&head, &marks, &[(0, 5..41), (1, 5..30)]), 30, "what is missing of the load is missing");
    }

    #[test]
    fn the_slowest_thread_says_how_far_a_load_is_whole() {
        assert_eq!(reach(&head(2), &HELD, &[(0, 5..27), (1, 5..26)]), 26);
        assert_eq!(reach(&head(3), &HELD, &[(0, 5..27), (1, 5..26)]), 5, "the third has closed nothing");
        assert_eq!(reach(&head(2), &HELD, &[]), 5);
        assert_eq!(reach(&head(2), &[], &[(0, 5..27), (1, 5..26)]), 26, "without any mark");
        assert_eq!(reach(&head(2), &[], &[]), 90, "before any load");
    }

    #[test]
    fn a_load_that_is_over_needs_no_more_rows() {
        let marks = [HELD, OVER].concat();
        assert_eq!(reach(&head(2), &marks, &[(0, 5..41), (1, 5..44)]), 90);
        assert_eq!(reach(&head(2), &marks, &[(0, 5..39), (1, 5..44)]), 39, "rows of a thread are missing");
        assert_eq!(reach(&head(2), &marks, &[(0, 5..41), (1, 5..41)]), 41, "rows of the drain are missing");
    }

    #[test]
    fn a_count_is_reached_by_one_thread_after_another() {
        let marks = [HELD, OVER].concat();
        let mut head = head(2);
        head.steps[1].iterations = Some(1000);
        assert_eq!(reach(&head, &marks, &[(0, 5..7), (1, 5..44)]), 90, "the first had few of them");
        assert_eq!(reach(&head, &marks, &[(1, 5..44)]), 90, "or none");
        assert_eq!(reach(&head, &marks, &[(0, 5..7), (1, 5..30)]), 7, "rows of whoever was last are missing");
        head.steps[1].seconds = Some(30.0);
        assert_eq!(reach(&head, &marks, &[(0, 5..7), (1, 5..44)]), 7, "a time is over for all at once");
    }

    #[test]
    fn nodes_that_have_no_part_in_a_load_close_none_of_its_seconds() {
        let some = crate::ScenarioHead { workers: Some(2), ..crate::ScenarioHead::default() };
        let head = Head { scenarios: vec![some], ..head(4) };
        assert_eq!(reach(&head, &HELD, &[(0, 5..27), (1, 5..26)]), 26);
        let marks = [HELD, OVER].concat();
        assert_eq!(reach(&head, &marks, &[(0, 5..41), (1, 5..44)]), 90);
    }

    #[test]
    fn a_second_load_begins_where_it_is_marked() {
        let second = [(0, 60, false), (0, 65, true), (1, 65, false)];
        let marks = [HELD, OVER, second].concat();
        assert_eq!(reach(&head(2), &marks, &[(0, 5..44), (1, 5..44), (0, 60..71)]), 60);
        assert_eq!(reach(&head(2), &marks, &[(0, 5..44), (1, 5..44), (0, 60..71), (1, 60..70)]), 70);
        assert_eq!(reach(&head(2), &marks, &[(0, 5..30), (1, 5..44), (0, 60..71), (1, 60..70)]), 30);
    }

    #[test]
    fn seconds_that_cannot_be_are_not_believed() {
        let wild = [(0, i64::MAX - 1..i64::MAX), (1, i64::MIN..i64::MIN + 1)];
        assert_eq!(reach(&head(2), &HELD, &wild), 5);
    }
}
