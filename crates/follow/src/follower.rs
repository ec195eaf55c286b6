//! Reads what has come and tells the seconds that are whole.

use crate::pending::Pending;
use crate::second::Second;
use record::{EngineRow, Folded, Head, Observed, RecordError, StepMark, Tail};
use std::collections::BTreeMap;
use std::path::Path;
use terms::{Nanos, Phase};

/// Seconds that a record goes on beyond one that all threads have closed, before it is told: monitors and events are
/// recorded by others.
const GRACE: i64 = 1;
/// Seconds that a thread is waited for.
const PATIENCE: i64 = 3;
/// Bytes of rows that wait at most; beyond them the earliest second is told as it is.
const WAITING_BYTES_MAX: usize = 64 * 1024 * 1024;
/// Dense histograms that are handed out at a time, unless one second alone has more: 26 MB.
const HISTOGRAMS_MAX: usize = 128;
/// Seconds that are handed out at a time.
const SECONDS_MAX: usize = 600;
/// Rows that speak of a second outside ten years are forged.
const BELIEVED_S: i64 = 10 * 366 * 86_400;
/// More threads than this drive no load.
const WORKERS_MAX: u32 = 4096;

/// A run folder that is told second by second.
pub struct Follower {
    tail: Tail,
    /// By second, each with the bytes that it keeps, roughly.
    pending: BTreeMap<i64, (Pending, usize)>,
    /// Sum of those bytes.
    waiting: usize,
    /// The last second that was told.
    told: i64,
    /// The latest second that any row speaks of.
    reached: i64,
    /// The last second that each load thread has closed.
    closed: BTreeMap<u16, i64>,
    /// When steps began and ended, as long as they may belong to a second that is not told.
    steps: BTreeMap<u32, (Nanos, Option<Nanos>)>,
}

impl Follower {
    /// Opens a run folder: one that is being written, was killed, or is sealed.
    ///
    /// # Errors
    /// As [`Tail::open`].
    pub fn open(path: impl AsRef<Path>) -> Result<Self, RecordError> {
        Ok(Self {
            tail: Tail::open(path)?,
            pending: BTreeMap::new(),
            waiting: 0,
            told: i64::MIN,
            reached: i64::MIN,
            closed: BTreeMap::new(),
            steps: BTreeMap::new(),
        })
    }

    /// What is known of the run so far; once it is over, how it ended.
    pub fn head(&self) -> &Head {
        self.tail.head()
    }

    /// The run's folder.
    pub fn path(&self) -> &Path {
        self.tail.path()
    }

    /// Whether the run has ended and all of it has been told.
    pub fn is_over(&self) -> bool {
        self.tail.is_over() && self.pending.is_empty()
    }

    /// Seconds that have become whole, in order. Empty where nothing new is whole; whoever asks a run that goes on does so
    /// once or twice a second. There may be more at once where the run has gone on for long: then ask again until none come.
    ///
    /// # Errors
    /// As [`Tail::next`]. After one there is nothing more to come but what was read before it.
    #[expect(clippy::should_implement_trait, reason = "it may have nothing now and more later, which ends an iterator")]
    pub fn next(&mut self) -> Result<Vec<Second>, RecordError> {
        loop {
            let told = self.tell();
            if !told.is_empty() || self.tail.is_over() {
                return Ok(told);
            }
            let seen = self.tail.next()?;
            if seen.is_empty() && !self.tail.is_over() {
                return Ok(Vec::new());
            }
            seen.into_iter().for_each(|seen| self.see(seen));
        }
    }

    fn see(&mut self, seen: Observed) {
        match seen {
            Observed::Load(folded) => self.see_load(folded),
            Observed::Engine(row) => self.see_thread(row),
            Observed::Step(mark) => self.see_step(&mark),
            Observed::Samples(rows) => {
                for row in rows {
                    self.add(row.at.second(), |pending| pending.sample(row));
                }
            }
            Observed::Event(row) => self.add(row.at.second(), |pending| pending.event(row)),
        }
    }

    fn see_load(&mut self, folded: Folded) {
        for row in folded.legs {
            self.add(row.end_s, |pending| pending.leg(row));
        }
        for row in folded.outcomes {
            self.add(row.end_s, |pending| pending.outcome(row));
        }
        for row in folded.iterations {
            self.add(row.end_s, |pending| pending.iteration(&row));
        }
        for row in folded.starts {
            self.add(row.intended_s, |pending| pending.start(row));
        }
    }

    fn see_thread(&mut self, row: EngineRow) {
        if is_believed(row.second) {
            self.closed.insert(row.worker, row.second);
            self.reached = self.reached.max(row.second + 1);
        }
        self.add(row.second, |pending| pending.engine(row));
    }

    fn see_step(&mut self, mark: &StepMark) {
        if !is_believed(mark.at.second()) || self.head().steps.len() <= mark.step as usize {
            return;
        }
        self.reached = self.reached.max(mark.at.second());
        let known = self.steps.entry(mark.step).or_insert((mark.at, None));
        *known = if mark.is_end { (known.0, Some(mark.at)) } else { (mark.at, None) };
    }

    /// Puts something to its second, or to the next one where that was told.
    fn add(&mut self, second: i64, add: impl FnOnce(&mut Pending) -> usize) {
        if !is_believed(second) {
            return;
        }
        self.reached = self.reached.max(second);
        let (pending, kept) = self.pending.entry(second.max(self.told.saturating_add(1))).or_default();
        let more = add(pending);
        *kept += more;
        self.waiting += more;
    }

    /// Takes out what is whole, as much of it as is handed out at a time.
    fn tell(&mut self) -> Vec<Second> {
        let (mut told, mut histograms) = (Vec::new(), 0);
        let whole = self.whole_to();
        while let Some((&second, (pending, _))) = self.pending.first_key_value() {
            let is_forced = self.waiting > WAITING_BYTES_MAX;
            if !is_forced && second > whole && !self.tail.is_over() {
                break;
            }
            histograms += pending.histograms();
            if !told.is_empty() && (histograms > HISTOGRAMS_MAX || told.len() >= SECONDS_MAX) {
                break;
            }
            let Some((pending, kept)) = self.pending.remove(&second) else { break };
            self.waiting -= kept;
            self.told = second;
            let end = Nanos::from_secs(second + 1);
            let steps = self.steps_in(second);
            told.push(pending.tell(second, self.tail.wall(end).0, steps, self.tail.head()));
        }
        told
    }

    /// The last second of which nothing more is waited for.
    fn whole_to(&self) -> i64 {
        let with_grace = self.reached.saturating_sub(1 + GRACE);
        let closed = self.workers().map_or(with_grace, |workers| {
            let of = |worker: u32| self.closed.get(&(worker as u16)).copied().unwrap_or(i64::MIN);
            (0..workers).map(of).min().unwrap_or(with_grace)
        });
        with_grace.min(closed).max(self.reached.saturating_sub(1 + PATIENCE))
    }

    /// Load threads that have to close a second; none while no load is in hand.
    fn workers(&self) -> Option<u32> {
        let head = self.head();
        let drives = |step: &&u32| {
            let phase = head.steps.get(**step as usize).and_then(|step| Phase::from_name(&step.phase));
            phase.is_some_and(|phase| phase.has_load() || phase == Phase::Drain)
        };
        let open = self.steps.iter().filter(|(_, (_, end))| end.is_none()).map(|(step, _)| step);
        open.filter(drives).map(|step| head.workers_of(*step).unwrap_or(head.workers).min(WORKERS_MAX)).max()
    }

    /// Steps that were in hand in a second; those that ended before it are forgotten.
    fn steps_in(&mut self, second: i64) -> Vec<u32> {
        let (begin, end) = (Nanos::from_secs(second), Nanos::from_secs(second + 1));
        self.steps.retain(|_, (_, over)| over.is_none_or(|over| over > begin));
        self.steps.iter().filter(|(_, (began, _))| *began < end).map(|(step, _)| *step).collect()
    }
}

fn is_believed(second: i64) -> bool {
    (-BELIEVED_S..=BELIEVED_S).contains(&second)
}
