//! Legs that a listener closes, as sessions and the engine see them.

use super::Recorder;
use crate::arrival::Arrival;
use crate::close::{Origin, RawClose};
use crate::exchange::{Leg, NO_STREAM, Task};
use crate::matching::{Expected, Match, Parked};
use crate::note::Note;
use crate::reply_key;
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
        let expected = self.expected(task, leg, None);
        self.open_awaited(key, expected, within);
    }

    /// The same, and for `afterwards` from its good end on the other side may still refuse what was sent, as with
    /// [`Recorder::watch`].
    pub fn expect_and_watch(&mut self, task: &Task, leg: Leg, key: u128, within: Nanos, afterwards: Nanos) {
        let expected = Expected { afterwards, ..self.expected(task, leg, None) };
        self.open_awaited(key, expected, within);
    }

    /// The same, and this slot's session is called when the leg has ended. One that has nothing in hand by then may be
    /// called all the same.
    pub fn expect_and_wake(&mut self, task: &Task, leg: Leg, key: u128, within: Nanos) {
        let expected = self.expected(task, leg, Some(self.slot));
        self.open_awaited(key, expected, within);
    }

    /// Nothing is waited for, but the other side may still refuse what was sent: a refusal under this key fails the
    /// exchange even if its iteration has ended. The load is not over before `within` is, so that one that comes in that
    /// time is seen; one that comes later counts as well, as long as the load goes on.
    pub fn watch(&mut self, task: &Task, leg: Leg, key: u128, within: Nanos) {
        let expected = self.expected(task, leg, None);
        self.matching.watch(key, expected, self.now() + within);
    }

    fn expected(&self, task: &Task, leg: Leg, wakes: Option<u32>) -> Expected {
        let state = &self.slots[self.slot as usize];
        // What the slot had in hand before began before, and is another one.
        let started = state.started.unwrap_or_else(|| self.now()).max(task.intended);
        let trace = state.sent.map(|sent| sent.trace);
        Expected { task: *task, leg, started, is_closed_load: state.closed_load, wakes, trace, afterwards: Nanos::ZERO }
    }

    fn open_awaited(&mut self, key: u128, expected: Expected, within: Nanos) {
        let deadline = self.now() + within;
        if let Some((at, outcome)) = self.matching.expect(key, expected, deadline) {
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
        self.end_awaited_here(key, outcome, None, 0);
    }

    /// The same of an answer of so many bytes.
    pub fn close_awaited_of(&mut self, key: u128, outcome: Outcome, bytes: u64) {
        self.end_awaited_here(key, outcome, None, bytes);
    }

    /// The same where the time is not the one since the intended start: an event says when it was sent.
    pub fn close_awaited_after(&mut self, key: u128, outcome: Outcome, time: Nanos, bytes: u64) {
        self.end_awaited_here(key, outcome, Some(time), bytes);
    }

    fn end_awaited_here(&mut self, key: u128, outcome: Outcome, time: Option<Nanos>, bytes: u64) {
        let now = self.now();
        if let Some(expected) = self.matching.close(key, now, outcome) {
            self.book_awaited(&expected, now, outcome, (time, bytes));
            self.matching.ended(expected.task.serial, outcome, now);
        }
    }

    /// Books a leg of the kind [`crate::Closes::Beside`], in the step and second in hand.
    pub fn timed(&mut self, (exchange, leg): (u16, Leg), outcome: Outcome, time: Nanos, bytes: u64) {
        let now = self.now();
        let second = now.second();
        let close = RawClose {
            step: self.step,
            exchange,
            leg,
            stream: NO_STREAM,
            outcome,
            intended_s: second,
            end_s: second,
            response: Some(time),
            service: time,
            units: 1,
            bytes,
        };
        self.book(close, Origin { at: now - time, trace: None });
    }

    /// Books a leg of the kind [`crate::Closes::Beside`] that was a part of the exchange in hand and has just succeeded:
    /// in the step, stream and second of its exchange. It began at `since`, or with the exchange. Returns how long it took.
    pub fn timed_part(&mut self, task: &Task, leg: Leg, since: Option<Nanos>, bytes: u64) -> Nanos {
        let now = self.now();
        let state = &self.slots[self.slot as usize];
        let started = state.started.unwrap_or(now);
        let (origin, is_closed_load) = (if state.closed_load { started } else { task.intended }, state.closed_load);
        let time = (now - since.unwrap_or(started)).or_zero();
        let origin_of_time = Origin { at: now - time, trace: state.sent.map(|sent| sent.trace) };
        let close = RawClose {
            step: task.step,
            exchange: task.exchange,
            leg,
            stream: task.stream,
            outcome: Outcome::Ok,
            intended_s: origin.second(),
            end_s: now.second(),
            response: (!is_closed_load).then_some(time),
            service: time,
            units: 1,
            bytes,
        };
        self.book(close, origin_of_time);
        time
    }

    /// Says more of a leg that is waited for, or was: as [`Recorder::note`], whatever the slot has in hand by now.
    pub fn note_awaited(&mut self, key: u128, outcome: Outcome, write: &mut dyn FnMut(&mut Note)) {
        self.note_of((reply_key::step(key), reply_key::exchange(key)), None, outcome, write);
    }

    fn end_awaited(&mut self, expected: Expected, at: Nanos, outcome: Outcome) {
        self.book_matched(&expected, at, outcome);
        self.matching.ended(expected.task.serial, outcome, at);
        self.woken.extend(expected.wakes);
    }

    /// The iteration stands in the books as one that succeeded, in rows that are written and sealed. This row, at both
    /// seconds of that one, says that it did not.
    fn take_back(&mut self, expected: &Expected, iteration: &Parked) {
        let Parked { step, stream, intended, at, .. } = *iteration;
        let close = RawClose {
            step,
            exchange: expected.task.exchange,
            leg: expected.leg,
            stream,
            outcome: Outcome::Late,
            intended_s: intended.second(),
            end_s: at.second(),
            response: None,
            service: Nanos::ZERO,
            units: 0,
            bytes: 0,
        };
        self.book(close, Origin { at: intended, trace: expected.trace });
    }

    fn book_matched(&mut self, expected: &Expected, at: Nanos, outcome: Outcome) {
        self.book_awaited(expected, at, outcome, (None, 0));
    }

    /// Books the end of a leg that was waited for. `time` takes the place of the one since the intended start.
    fn book_awaited(&mut self, expected: &Expected, at: Nanos, outcome: Outcome, (time, bytes): (Option<Nanos>, u64)) {
        let Expected { task, leg, started, is_closed_load, trace, .. } = *expected;
        let origin = if is_closed_load { started } else { task.intended };
        let close = RawClose {
            step: task.step,
            exchange: task.exchange,
            leg,
            stream: task.stream,
            outcome,
            intended_s: origin.second(),
            end_s: at.second(),
            response: (!is_closed_load).then(|| time.unwrap_or(at - task.intended)),
            service: time.unwrap_or(at - started),
            units: task.units.into(),
            bytes,
        };
        self.book(close, Origin { at: time.map_or(origin, |time| at - time), trace });
    }
}

/// The engine's side.
impl Recorder {
    /// Which thread and which part of the scenario this is: part of every key.
    pub fn set_place(&mut self, worker: u16, lane: u8) {
        (self.worker, self.lane) = (worker, lane);
        self.trace_as(worker, lane);
    }

    /// Takes what a listener handed in, with why it is not ok. Returns what it was counted as.
    pub fn take_arrival(&mut self, arrival: &Arrival) -> Outcome {
        let Arrival { key, at, outcome, why, refusal, unmatched } = arrival;
        let found = match refusal {
            None => self.matching.arrive(*key, *at, *outcome, Some(unmatched)),
            Some(refusal) => self.matching.refuse([Some(*key), refusal.next]),
        };
        if let (Match::Early, Some(_)) = (&found, refusal) {
            unmatched.add();
        }
        let leg = refusal.map_or(0, |refusal| refusal.leg);
        let counted = self.book_found(found, leg, *at, *outcome);
        if let Some(why) = why {
            let (step, exchange) = (reply_key::step(*key), reply_key::exchange(*key));
            self.note_of((step, exchange), None, counted, &mut |note| note.add(why.as_bytes()));
        }
        counted
    }

    /// What a listener read at `at` for `key`. Returns what it was counted as.
    pub fn matched(&mut self, key: u128, at: Nanos, outcome: Outcome) -> Outcome {
        let found = self.matching.arrive(key, at, outcome, None);
        self.book_found(found, 0, at, outcome)
    }

    /// Books what an arrival turned out to be; `leg` is that of refusals that come afterwards.
    fn book_found(&mut self, found: Match, leg: Leg, at: Nanos, outcome: Outcome) -> Outcome {
        match found {
            Match::Waiting(expected) => {
                self.end_awaited(expected, at, outcome);
                outcome
            }
            Match::Early => outcome,
            Match::Beside(expected, outcome) => {
                self.book_matched(&expected, at, outcome);
                outcome
            }
            Match::Afterwards(expected, well) => {
                let expected = Expected { leg, ..expected };
                self.book_matched(&expected, at, outcome);
                if let Some(iteration) = well {
                    self.take_back(&expected, &iteration);
                }
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

    /// Number of legs that are waited for, and of exchanges that may still be refused.
    pub fn awaiting(&self) -> usize {
        self.matching.waiting()
    }

    /// Number of legs that are waited for.
    pub fn awaiting_legs(&self) -> usize {
        self.matching.waiting_legs()
    }

    /// When the next of what [`Recorder::awaiting`] counts is over.
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
