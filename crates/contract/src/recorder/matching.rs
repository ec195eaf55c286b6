//! Legs that another connection closes: who waits for what, and what came without being waited for.

use crate::{Leg, Task};
use std::collections::{BTreeMap, HashMap};
use terms::{Nanos, Outcome};

/// Keys remembered at once. Beyond it the oldest are forgotten: what then comes for them is nobody's.
const KEYS_MAX: usize = 1 << 20;

/// Waiting legs and those that ended lately.
#[derive(Default)]
pub(super) struct Matching {
    entries: HashMap<u128, Entry>,
    deadlines: BTreeMap<(Nanos, u128), ()>,
}

enum Entry {
    /// A session waits for it.
    Waiting { task: Task, leg: Leg, started: Nanos, deadline: Nanos },
    /// It came before anybody waited.
    Early { at: Nanos, outcome: Outcome },
    /// It was matched; a second one is a duplicate.
    Done { task: Task, leg: Leg },
    /// It was counted missing; what still comes is late.
    Missed { task: Task, leg: Leg },
}

/// What an arrival turned out to be.
pub(super) enum Match {
    Waiting { task: Task, leg: Leg, started: Nanos },
    Early,
    Beside { task: Task, leg: Leg, outcome: Outcome },
}

impl Matching {
    /// Begins to wait. Returns the arrival if it was there already.
    pub(super) fn expect(
        &mut self,
        key: u128,
        task: Task,
        leg: Leg,
        started: Nanos,
        deadline: Nanos,
    ) -> Option<(Nanos, Outcome)> {
        if let Some(Entry::Early { at, outcome }) = self.entries.get(&key) {
            let found = (*at, *outcome);
            self.entries.insert(key, Entry::Done { task, leg });
            return Some(found);
        }
        if self.entries.len() >= KEYS_MAX {
            self.entries.retain(|_, entry| matches!(entry, Entry::Waiting { .. }));
        }
        self.entries.insert(key, Entry::Waiting { task, leg, started, deadline });
        self.deadlines.insert((deadline, key), ());
        None
    }

    /// Something came for this key.
    pub(super) fn arrive(&mut self, key: u128, at: Nanos, outcome: Outcome) -> Match {
        match self.entries.get(&key) {
            Some(&Entry::Waiting { task, leg, started, deadline }) => {
                self.deadlines.remove(&(deadline, key));
                self.entries.insert(key, Entry::Done { task, leg });
                Match::Waiting { task, leg, started }
            }
            Some(&Entry::Done { task, leg }) => Match::Beside { task, leg, outcome: Outcome::Duplicate },
            Some(&Entry::Missed { task, leg }) => Match::Beside { task, leg, outcome: Outcome::Late },
            Some(Entry::Early { .. }) => Match::Early,
            None => {
                if self.entries.len() < KEYS_MAX {
                    self.entries.insert(key, Entry::Early { at, outcome });
                }
                Match::Early
            }
        }
    }

    /// The next leg whose time is over.
    pub(super) fn expire(&mut self, now: Nanos) -> Option<(Task, Leg, Nanos)> {
        let (&(deadline, key), ()) = self.deadlines.first_key_value()?;
        if deadline > now {
            return None;
        }
        self.deadlines.remove(&(deadline, key));
        let Some(&Entry::Waiting { task, leg, started, .. }) = self.entries.get(&key) else { return None };
        self.entries.insert(key, Entry::Missed { task, leg });
        Some((task, leg, started))
    }
}
