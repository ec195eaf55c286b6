//! Legs that another connection closes: who waits for what, what came without being waited for, and which iterations
//! are still open because of them.

use crate::{Leg, Task};
use std::collections::{BTreeSet, HashMap, VecDeque};
use terms::{Nanos, Outcome};

/// Keys of ended legs that are remembered, so that what still comes for them is known for late or a duplicate. What
/// comes for older ones is nobody's.
const ENDED_MAX: usize = 1 << 16;
/// Arrivals nobody has waited for yet. A reply may overtake its acceptance; a million cannot.
const EARLY_MAX: usize = 1 << 16;

/// A leg that is waited for, or was.
#[derive(Clone, Copy, Debug)]
pub(super) struct Expected {
    pub(super) task: Task,
    pub(super) leg: Leg,
    pub(super) started: Nanos,
    pub(super) is_closed_load: bool,
    /// Whose session is called when it ends.
    pub(super) wakes: Option<u32>,
}

/// An iteration whose own exchanges are over, with what it waits for or ended with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Parked {
    /// Its number in its scenario.
    pub serial: u64,
    /// Step of its intended start.
    pub step: u32,
    /// Its stream.
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
    },
    /// It was matched; a second one is a duplicate.
    Done(Expected),
    /// It was counted missing; what still comes is late.
    Missed(Expected),
}

/// What an arrival turned out to be.
pub(super) enum Match {
    Waiting(Expected),
    Early,
    Beside(Expected, Outcome),
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
pub(super) struct Matching {
    entries: HashMap<u128, Entry>,
    deadlines: BTreeSet<(Nanos, u128)>,
    /// Keys of `Done` and `Missed` in the order of their ends.
    ended: VecDeque<u128>,
    early: usize,
    /// Arrivals that were not even kept.
    surplus: u64,
    /// By serial.
    iterations: HashMap<u64, Legs>,
    over: Vec<Parked>,
}

impl Matching {
    /// Begins to wait. Returns the arrival if it was there already.
    pub(super) fn expect(&mut self, key: u128, expected: Expected, deadline: Nanos) -> Option<(Nanos, Outcome)> {
        let legs = self.iterations.entry(expected.task.serial).or_insert(Legs {
            open: 0,
            worst: Outcome::Ok,
            last: Nanos::ZERO,
            parked: None,
        });
        legs.open += 1;
        if let Some(&Entry::Early { at, outcome }) = self.entries.get(&key) {
            self.early -= 1;
            self.end(key, Entry::Done(expected));
            return Some((at, outcome));
        }
        self.entries.insert(key, Entry::Waiting { expected, deadline });
        self.deadlines.insert((deadline, key));
        None
    }

    /// Something came for this key.
    pub(super) fn arrive(&mut self, key: u128, at: Nanos, outcome: Outcome) -> Match {
        match self.entries.get(&key) {
            Some(&Entry::Waiting { expected, deadline }) => {
                self.deadlines.remove(&(deadline, key));
                self.end(key, Entry::Done(expected));
                Match::Waiting(expected)
            }
            Some(&Entry::Done(expected)) => Match::Beside(expected, Outcome::Duplicate),
            Some(&Entry::Missed(expected)) => Match::Beside(expected, Outcome::Late),
            Some(Entry::Early { .. }) => {
                self.surplus += 1;
                Match::Early
            }
            None => {
                if self.early < EARLY_MAX {
                    self.early += 1;
                    self.entries.insert(key, Entry::Early { at, outcome });
                } else {
                    self.surplus += 1;
                }
                Match::Early
            }
        }
    }

    /// Stops waiting for this key: its session knows how the leg ended.
    pub(super) fn close(&mut self, key: u128) -> Option<Expected> {
        let Some(&Entry::Waiting { expected, deadline }) = self.entries.get(&key) else { return None };
        self.deadlines.remove(&(deadline, key));
        self.end(key, Entry::Done(expected));
        Some(expected)
    }

    /// The next leg whose time is over by `now`.
    pub(super) fn expire(&mut self, now: Nanos) -> Option<Expected> {
        let &(deadline, key) = self.deadlines.first()?;
        if deadline > now {
            return None;
        }
        self.deadlines.remove(&(deadline, key));
        let Some(&Entry::Waiting { expected, .. }) = self.entries.get(&key) else { return None };
        self.end(key, Entry::Missed(expected));
        Some(expected)
    }

    pub(super) fn is_awaited(&self, key: u128) -> bool {
        matches!(self.entries.get(&key), Some(Entry::Waiting { .. }))
    }

    /// Number of legs that are waited for.
    pub(super) fn waiting(&self) -> usize {
        self.deadlines.len()
    }

    pub(super) fn next_deadline(&self) -> Option<Nanos> {
        self.deadlines.first().map(|(deadline, _)| *deadline)
    }

    /// Arrivals that nobody ever waited for, those counted twice among them.
    pub(super) fn unclaimed(&self) -> u64 {
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
    pub(super) fn ended(&mut self, serial: u64, outcome: Outcome, at: Nanos) {
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
            self.iterations.remove(&serial);
            self.over.push(whole);
        }
    }

    /// The iteration's own exchanges are over. Returns it whole if it waits for nothing more.
    pub(super) fn park(&mut self, parked: Parked) -> Option<Parked> {
        let Some(legs) = self.iterations.get_mut(&parked.serial) else { return Some(parked) };
        if legs.open > 0 {
            legs.parked = Some(parked);
            return None;
        }
        let whole = legs.join(parked);
        self.iterations.remove(&parked.serial);
        Some(whole)
    }

    /// An iteration that was parked and has ended.
    pub(super) fn take_over(&mut self) -> Option<Parked> {
        self.over.pop()
    }
}

impl Legs {
    fn join(&self, parked: Parked) -> Parked {
        let outcome = if parked.outcome == Outcome::Ok { self.worst } else { parked.outcome };
        Parked { outcome, at: parked.at.max(self.last), ..parked }
    }
}
