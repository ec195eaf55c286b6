//! Legs that a listener closes, as sessions and the engine see them.

use super::hot::RawClose;
use super::matching::{Expected, Match, Parked};
use super::{Recorder, reply_key};
use crate::{Arrival, Leg, Task};
use terms::{Nanos, Outcome};

/// A session's side.
impl Recorder {
    /// A key that is this task's alone in the whole run. It carries what a listener needs to hand an arrival to the
    /// thread that waits for it.
    pub fn key(&self, task: &Task) -> u128 {
        reply_key::of(self.shared.node, self.worker, self.lane, task)
    }

    /// Opens a leg that a listener closes. `within` is how long it may take from now; then it is missing, and what
    /// still comes is late. The slot is free as soon as its own legs are closed; the iteration stays open.
    pub fn expect(&mut self, task: &Task, leg: Leg, key: u128, within: Nanos) {
        self.open_awaited(task, leg, key, within, None);
    }

    /// The same, and this slot's session is called when the leg has ended. One that has nothing in hand by then may be
    /// called all the same.
    pub fn expect_and_wake(&mut self, task: &Task, leg: Leg, key: u128, within: Nanos) {
        self.open_awaited(task, leg, key, within, Some(self.slot));
    }

    fn open_awaited(&mut self, task: &Task, leg: Leg, key: u128, within: Nanos, wakes: Option<u32>) {
        let now = self.now();
        let state = &self.slots[self.slot as usize];
        let expected = Expected {
            task: *task,
            leg,
            started: state.started.unwrap_or(now),
            is_closed_load: state.closed_load,
            wakes,
        };
        if let Some((at, outcome)) = self.matching.expect(key, expected, now + within) {
            self.end_awaited(expected, at, outcome);
        }
    }

    /// Whether the leg under this key is still waited for.
    pub fn is_awaited(&self, key: u128) -> bool {
        self.matching.is_awaited(key)
    }

    /// Ends a leg that is waited for: the session knows how it went, since the answer came on its own connection, or
    /// the request certainly never arrived. Nothing happens when it has ended already.
    pub fn close_awaited(&mut self, key: u128, outcome: Outcome) {
        let now = self.now();
        if let Some(expected) = self.matching.close(key) {
            self.end_awaited(Expected { wakes: None, ..expected }, now, outcome);
        }
    }

    fn end_awaited(&mut self, expected: Expected, at: Nanos, outcome: Outcome) {
        self.book_matched(&expected, at, outcome);
        self.matching.ended(expected.task.serial, outcome, at);
        self.woken.extend(expected.wakes);
    }

    fn book_matched(&mut self, expected: &Expected, at: Nanos, outcome: Outcome) {
        let Expected { task, leg, started, is_closed_load, .. } = *expected;
        let origin = if is_closed_load { started } else { task.intended };
        self.book(RawClose {
            step: task.step,
            exchange: task.exchange,
            leg,
            stream: task.stream,
            outcome,
            intended_s: origin.second(),
            end_s: at.second(),
            response: (!is_closed_load).then(|| at - task.intended),
            service: at - started,
            units: task.units,
            bytes: 0,
        });
    }
}

/// The engine's side.
impl Recorder {
    /// Which thread and which part of the scenario this is: part of every key.
    pub fn set_place(&mut self, worker: u16, lane: u8) {
        (self.worker, self.lane) = (worker, lane);
    }

    /// Takes what a listener handed in, with why it is not ok. Returns what it was counted as.
    pub fn take_arrival(&mut self, arrival: &Arrival) -> Outcome {
        let Arrival { key, at, outcome, why } = arrival;
        let counted = self.matched(*key, *at, *outcome);
        if let Some(why) = why {
            let (step, exchange) = (reply_key::step(*key), reply_key::exchange(*key));
            self.note_of(step, exchange, counted, &mut |note| note.add(why.as_bytes()));
        }
        counted
    }

    /// What a listener read at `at` for `key`. Returns what it was counted as.
    pub fn matched(&mut self, key: u128, at: Nanos, outcome: Outcome) -> Outcome {
        match self.matching.arrive(key, at, outcome) {
            Match::Waiting(expected) => {
                self.end_awaited(expected, at, outcome);
                outcome
            }
            Match::Early => outcome,
            Match::Beside(expected, outcome) => {
                self.book_matched(&expected, at, outcome);
                outcome
            }
        }
    }

    /// Counts legs as missing whose time is over.
    pub fn expire(&mut self, now: Nanos) {
        while let Some(expected) = self.matching.expire(now) {
            self.end_awaited(expected, now, Outcome::Missing);
        }
    }

    /// Gives up all legs that are waited for: the run was stopped, or its drain is over.
    pub fn abort_awaited(&mut self, now: Nanos) {
        while let Some(expected) = self.matching.expire(Nanos::MAX) {
            self.end_awaited(expected, now, Outcome::Aborted);
        }
    }

    /// Number of legs that are waited for.
    pub fn awaiting(&self) -> usize {
        self.matching.waiting()
    }

    /// When the next of them is missing.
    pub fn next_missing(&self) -> Option<Nanos> {
        self.matching.next_deadline()
    }

    /// Arrivals that nobody waited for until now.
    pub fn unclaimed(&self) -> u64 {
        self.matching.unclaimed()
    }

    /// The iteration's own exchanges are over. Returns it whole if it waits for nothing more; else it comes from
    /// [`Recorder::take_parked`] when its last leg has ended.
    pub fn park(&mut self, parked: Parked) -> Option<Parked> {
        self.matching.park(parked)
    }

    /// A parked iteration that has ended.
    pub fn take_parked(&mut self) -> Option<Parked> {
        self.matching.take_over()
    }
}
