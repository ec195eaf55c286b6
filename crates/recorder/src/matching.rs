//! Legs that another connection closes: who waits for what, what came without being waited for, and which iterations
//! are still open because of them; and exchanges that have ended, and may still be refused.

use crate::arrival::Unmatched;
use crate::exchange::{Leg, Task};
use crate::trace::OwnHalf;
use std::collections::{BTreeSet, HashMap, VecDeque};
use terms::{Nanos, Outcome};

/// Keys of ended legs that are remembered, so that what still comes for them is known for late or a duplicate. What
/// comes for older ones is nobody's.
const ENDED_MAX: usize = 1 << 16;
/// Arrivals nobody has waited for yet. A reply may overtake its acceptance; a million cannot.
const EARLY_MAX: usize = 1 << 16;
/// An arrival that nobody has waited for by then is counted as nobody's. One that overtook its session is not: a thread with
/// ten thousand legs to open takes some tens of milliseconds.
const EARLY_PATIENCE: Nanos = Nanos::SECOND;

/// A leg that is waited for, or was.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Expected {
    pub(crate) task: Task,
    pub(crate) leg: Leg,
    pub(crate) started: Nanos,
    pub(crate) is_closed_load: bool,
    /// Whose session is called when it ends.
    pub(crate) wakes: Option<u32>,
    /// The trace that its request began.
    pub(crate) trace: Option<OwnHalf>,
    /// How long a refusal may still come once it has succeeded; zero where nobody waits for one.
    pub(crate) afterwards: Nanos,
}

/// What there is of the answer that a leg waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Awaited {
    /// No leg waits for any.
    Never,
    /// It has not come.
    NotYet,
    /// It has come: the next one is a duplicate.
    Came,
}

/// An iteration whose own exchanges are over, with what it waits for or ended with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Parked {
    /// Its number in its scenario.
    pub serial: u64,
    /// Step of its intended start.
    pub step: u32,
    pub stream: u16,
    /// Its intended start.
    pub intended: Nanos,
    /// How it ended: badly if any of its legs did.
    pub outcome: Outcome,
    /// When its last leg ended.
    pub at: Nanos,
}

enum Entry {
    Waiting {
        expected: Expected,
        deadline: Nanos,
    },
    /// It came before anybody waited.
    Early {
        at: Nanos,
        outcome: Outcome,
        /// Where it is to be counted, as long as it is not.
        uncounted: Option<Unmatched>,
    },
    /// It was matched, or nothing is waited for any more.
    Done(Expected, Awaited),
    /// It was counted missing; what still comes is late.
    Missed(Expected),
    /// Nothing is waited for but a refusal, which may come until then.
    Watched {
        expected: Expected,
        deadline: Nanos,
        awaited: Awaited,
    },
    /// It was refused; once more is a duplicate.
    Refused(Expected, Awaited),
}

/// What an arrival turned out to be.
pub(crate) enum Match {
    Waiting(Expected),
    Early,
    Beside(Expected, Outcome),
    /// A refusal of what had ended; and its iteration, if that was booked as one that succeeded.
    Afterwards(Expected, Option<Parked>),
}

/// What nobody waits for any more is nobody's.
impl Drop for Matching {
    fn drop(&mut self) {
        self.count_early(Nanos::MAX);
    }
}

/// Matched legs of an iteration.
struct Legs {
    open: u32,
    worst: Outcome,
    last: Nanos,
    parked: Option<Parked>,
}

/// Waiting legs and those that ended lately.
#[derive(Default)]
pub(crate) struct Matching {
    entries: HashMap<u128, Entry>,
    deadlines: BTreeSet<(Nanos, u128)>,
    /// How many of them are of `Watched`.
    watched: usize,
    /// Keys of `Done`, `Missed` and `Refused` in the order of their ends.
    ended: VecDeque<u128>,
    early: usize,
    /// When arrivals came that nobody had waited for yet, in that order.
    uncounted: VecDeque<(Nanos, u128)>,
    /// Arrivals that were not even kept.
    surplus: u64,
    /// By serial.
    iterations: HashMap<u64, Legs>,
    over: Vec<Parked>,
    /// Iterations with later legs that succeeded lately, by serial, and in which order they did.
    well: HashMap<u64, Parked>,
    succeeded: VecDeque<u64>,
}

impl Matching {
    /// Begins to wait. Returns the arrival if it was there already.
    pub(crate) fn expect(&mut self, key: u128, expected: Expected, deadline: Nanos) -> Option<(Nanos, Outcome)> {
        self.legs_of(expected.task.serial).open += 1;
        if let Some(&Entry::Early { at, outcome, .. }) = self.entries.get(&key) {
            self.early -= 1;
            self.answered(key, expected, at, outcome);
            return Some((at, outcome));
        }
        self.entries.insert(key, Entry::Waiting { expected, deadline });
        self.deadlines.insert((deadline, key));
        None
    }

    /// Waits for nothing but a refusal, which holds up no iteration.
    pub(crate) fn watch(&mut self, key: u128, expected: Expected, deadline: Nanos) {
        self.legs_of(expected.task.serial);
        self.watch_until(key, expected, deadline, Awaited::Never);
    }

    fn watch_until(&mut self, key: u128, expected: Expected, deadline: Nanos, awaited: Awaited) {
        self.entries.insert(key, Entry::Watched { expected, deadline, awaited });
        self.watched += usize::from(self.deadlines.insert((deadline, key)));
    }

    /// What a leg waits for has come. One that succeeded may be refused for a while yet.
    fn answered(&mut self, key: u128, expected: Expected, at: Nanos, outcome: Outcome) {
        if outcome == Outcome::Ok && expected.afterwards > Nanos::ZERO {
            self.watch_until(key, expected, at + expected.afterwards, Awaited::Came);
        } else {
            self.end(key, Entry::Done(expected, Awaited::Came));
        }
    }

    /// Waits for no refusal any more, where one was waited for.
    fn unwatch(&mut self, key: u128) {
        if let Some(&Entry::Watched { expected, deadline, awaited }) = self.entries.get(&key) {
            self.watched -= usize::from(self.deadlines.remove(&(deadline, key)));
            self.end(key, Entry::Done(expected, awaited));
        }
    }

    fn legs_of(&mut self, serial: u64) -> &mut Legs {
        let none = Legs { open: 0, worst: Outcome::Ok, last: Nanos::ZERO, parked: None };
        self.iterations.entry(serial).or_insert(none)
    }

    /// Something came for this key. If nobody turns out to have waited for it, it is counted there.
    pub(crate) fn arrive(&mut self, key: u128, at: Nanos, outcome: Outcome, unmatched: Option<&Unmatched>) -> Match {
        let surplus = self.surplus;
        let found = self.find(key, at, outcome, unmatched);
        if self.surplus > surplus
            && let Some(unmatched) = unmatched
        {
            unmatched.add();
        }
        found
    }

    fn find(&mut self, key: u128, at: Nanos, outcome: Outcome, unmatched: Option<&Unmatched>) -> Match {
        match self.entries.get_mut(&key) {
            Some(&mut Entry::Waiting { expected, deadline }) => {
                self.deadlines.remove(&(deadline, key));
                self.answered(key, expected, at, outcome);
                Match::Waiting(expected)
            }
            Some(&mut Entry::Missed(expected)) => Match::Beside(expected, Outcome::Late),
            Some(
                Entry::Done(expected, awaited)
                | Entry::Refused(expected, awaited)
                | Entry::Watched { expected, awaited, .. },
            ) => {
                if *awaited == Awaited::Came {
                    return Match::Beside(*expected, Outcome::Duplicate);
                }
                // The answer to what was refused before it came: it is the first, and nobody waits for it any more.
                if *awaited == Awaited::NotYet {
                    *awaited = Awaited::Came;
                }
                self.surplus += 1;
                Match::Early
            }
            Some(Entry::Early { .. }) => {
                self.surplus += 1;
                Match::Early
            }
            None => {
                if self.early < EARLY_MAX {
                    self.early += 1;
                    self.entries.insert(key, Entry::Early { at, outcome, uncounted: unmatched.cloned() });
                    self.uncounted.push_back((at, key));
                } else {
                    self.surplus += 1;
                }
                Match::Early
            }
        }
    }

    /// A refusal came for the exchange whose later legs have these keys. Once is enough: no other is waited for.
    pub(crate) fn refuse(&mut self, keys: [Option<u128>; 2]) -> Match {
        let found = self.refused(keys);
        keys.into_iter().flatten().for_each(|key| self.unwatch(key));
        found
    }

    fn refused(&mut self, keys: [Option<u128>; 2]) -> Match {
        let keys = || keys.into_iter().flatten();
        // A leg that waits is what it ends, the first of them.
        for key in keys() {
            if let Some(&Entry::Waiting { expected, deadline }) = self.entries.get(&key) {
                self.deadlines.remove(&(deadline, key));
                self.end(key, Entry::Refused(expected, Awaited::NotYet));
                return Match::Waiting(expected);
            }
        }
        for key in keys() {
            match self.entries.get(&key) {
                Some(&Entry::Refused(expected, _)) => return Match::Beside(expected, Outcome::Duplicate),
                Some(&Entry::Missed(expected)) => return Match::Beside(expected, Outcome::Late),
                _ => {}
            }
        }
        for key in keys() {
            self.unwatch(key);
            if let Some(&Entry::Done(expected, awaited)) = self.entries.get(&key) {
                // It stays where it is in the order of ends.
                self.entries.insert(key, Entry::Refused(expected, awaited));
                return self.afterwards(expected);
            }
        }
        self.surplus += 1;
        Match::Early
    }

    /// What had ended is refused: an iteration that still goes on ends badly.
    fn afterwards(&mut self, expected: Expected) -> Match {
        if let Some(legs) = self.iterations.get_mut(&expected.task.serial) {
            if legs.worst == Outcome::Ok {
                legs.worst = Outcome::Fault;
            }
            return Match::Afterwards(expected, None);
        }
        Match::Afterwards(expected, self.well.remove(&expected.task.serial))
    }

    /// Stops waiting for this key: its session knows at `now` how the leg ended.
    pub(crate) fn close(&mut self, key: u128, now: Nanos, outcome: Outcome) -> Option<Expected> {
        match self.entries.get(&key) {
            Some(&Entry::Waiting { expected, deadline }) => {
                self.deadlines.remove(&(deadline, key));
                self.answered(key, expected, now, outcome);
                Some(expected)
            }
            Some(Entry::Watched { .. }) => {
                // No leg is open. After a refusal by the session's own answer no other is waited for.
                if outcome != Outcome::Ok {
                    self.unwatch(key);
                }
                None
            }
            _ => None,
        }
    }

    /// The next leg whose time is over by `now`. That no refusal came in its time is nothing to tell.
    pub(crate) fn expire(&mut self, now: Nanos) -> Option<Expected> {
        self.count_early(now - EARLY_PATIENCE);
        loop {
            let &(deadline, key) = self.deadlines.first()?;
            if deadline > now {
                return None;
            }
            self.unwatch(key);
            self.deadlines.remove(&(deadline, key));
            if let Some(&Entry::Waiting { expected, .. }) = self.entries.get(&key) {
                self.end(key, Entry::Missed(expected));
                return Some(expected);
            }
        }
    }

    /// Counts what came by then and was waited for by nobody.
    fn count_early(&mut self, by: Nanos) {
        while let Some((_, key)) = self.uncounted.pop_front_if(|(at, _)| *at <= by) {
            if let Some(Entry::Early { uncounted, .. }) = self.entries.get_mut(&key)
                && let Some(unmatched) = uncounted.take()
            {
                unmatched.add();
            }
        }
    }

    pub(crate) fn is_awaited(&self, key: u128) -> bool {
        matches!(self.entries.get(&key), Some(Entry::Waiting { .. }))
    }

    /// Number of legs that are waited for, and of exchanges that may still be refused.
    pub(crate) fn waiting(&self) -> usize {
        self.deadlines.len()
    }

    /// Number of legs that are waited for.
    pub(crate) fn waiting_legs(&self) -> usize {
        self.deadlines.len().saturating_sub(self.watched)
    }

    pub(crate) fn next_deadline(&self) -> Option<Nanos> {
        self.deadlines.first().map(|(deadline, _)| *deadline)
    }

    /// Arrivals that nobody ever waited for, those counted twice among them.
    pub(crate) fn unclaimed(&self) -> u64 {
        self.early as u64 + self.surplus
    }

    fn end(&mut self, key: u128, entry: Entry) {
        self.entries.insert(key, entry);
        self.ended.push_back(key);
        if self.ended.len() > ENDED_MAX
            && let Some(oldest) = self.ended.pop_front()
        {
            self.entries.remove(&oldest);
        }
    }

    /// A leg of the iteration ended; the last one ends the iteration, if its own exchanges are over.
    pub(crate) fn ended(&mut self, serial: u64, outcome: Outcome, at: Nanos) {
        let Some(legs) = self.iterations.get_mut(&serial) else { return };
        legs.open -= 1;
        legs.last = legs.last.max(at);
        if legs.worst == Outcome::Ok {
            legs.worst = outcome;
        }
        if legs.open == 0
            && let Some(parked) = legs.parked
        {
            let whole = legs.join(parked);
            self.leave(whole);
            self.over.push(whole);
        }
    }

    /// The iteration's own exchanges are over. Returns it whole if it waits for nothing more.
    pub(crate) fn park(&mut self, parked: Parked) -> Option<Parked> {
        let Some(legs) = self.iterations.get_mut(&parked.serial) else { return Some(parked) };
        if legs.open > 0 {
            legs.parked = Some(parked);
            return None;
        }
        let whole = legs.join(parked);
        self.leave(whole);
        Some(whole)
    }

    /// The iteration has ended; one that succeeded is remembered as long as its legs are.
    fn leave(&mut self, whole: Parked) {
        self.iterations.remove(&whole.serial);
        if whole.outcome == Outcome::Ok && self.well.insert(whole.serial, whole).is_none() {
            self.succeeded.push_back(whole.serial);
            // What is still waited for is none of those that may be forgotten.
            if self.succeeded.len() > ENDED_MAX + self.watched
                && let Some(oldest) = self.succeeded.pop_front()
            {
                self.well.remove(&oldest);
            }
        }
    }

    /// An iteration that was parked and has ended.
    pub(crate) fn take_over(&mut self) -> Option<Parked> {
        self.over.pop()
    }
}

impl Legs {
    fn join(&self, parked: Parked) -> Parked {
        let outcome = if parked.outcome == Outcome::Ok { self.worst } else { parked.outcome };
        Parked { outcome, at: parked.at.max(self.last), ..parked }
    }
}
