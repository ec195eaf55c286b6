//! One iteration's way through its exchanges.

use crate::books::IterationEnd;
use crate::lane::{Iteration, Lane, Pending, Wake};
use crate::program::{Operation, choose};
use contract::{Interest, Task};
use plan::LoadPlan;
use recorder::Arrival;
use recorder::Parked;
use std::cmp::Reverse;
use terms::{Nanos, Outcome, Side};

/// A user whose iteration came to nothing before anything was sent waits so long for the next: it would come to nothing
/// at the same moment, and so on for ever.
const UNSTARTED_PAUSE: Nanos = Nanos::from_millis(10);

impl Lane<'_> {
    /// Gives an arrival to a slot. `available` is when the slot became free for it; zero when it was free already.
    pub(crate) fn begin_iteration(&mut self, slot: u32, pending: Pending, available: Nanos) {
        self.recorder.forget_captures(slot);
        self.slots[slot as usize].iteration = Some(Iteration {
            serial: pending.serial,
            step: pending.step,
            stream: pending.stream,
            intended: pending.intended,
            origin: pending.intended,
            available,
            began: self.clock.now(),
            cursor: 0,
            is_started: false,
            worst: Outcome::Ok,
            is_given_up: false,
            in_hand: None,
        });
        self.go_on(slot);
    }

    /// Carries out operations until one has to wait, or the iteration ends.
    pub(crate) fn go_on(&mut self, slot: u32) {
        loop {
            let Some(iteration) = self.slots[slot as usize].iteration else { return };
            if iteration.in_hand.is_some() {
                return;
            }
            let exchange = match self.operations.get(iteration.cursor) {
                None => return self.finish(slot, iteration.origin, None),
                Some(Operation::Exchange(_) | Operation::Choose(_)) if iteration.is_given_up => {
                    self.pass_over(slot);
                    continue;
                }
                Some(Operation::Exchange(exchange)) => *exchange,
                Some(Operation::Choose(choices)) => choose(choices, self.seed, iteration.serial, iteration.cursor),
                Some(Operation::Think(_)) if self.load_ended.is_some() && self.is_only_thinking(&iteration) => {
                    return self.finish(slot, iteration.origin, None);
                }
                Some(Operation::Think(time)) => {
                    let until = iteration.origin + *time;
                    let state = &mut self.slots[slot as usize];
                    if let Some(iteration) = state.iteration.as_mut() {
                        iteration.cursor += 1;
                        iteration.origin = until;
                    }
                    self.wakes.push(Reverse((until, slot, state.generation, Wake::Think)));
                    return;
                }
            };
            let interest = self.begin_exchange(slot, iteration, exchange);
            self.note_start(slot);
            if !self.settle(slot, interest) {
                return;
            }
        }
    }

    fn pass_over(&mut self, slot: u32) {
        if let Some(iteration) = self.slots[slot as usize].iteration.as_mut() {
            iteration.cursor += 1;
        }
    }

    fn begin_exchange(&mut self, slot: u32, iteration: Iteration, exchange: u16) -> Interest {
        let now = self.clock.now();
        let is_closed = matches!(self.part.load, LoadPlan::Closed { .. });
        let task = Task {
            exchange,
            serial: iteration.serial,
            row: iteration.serial,
            units: 1,
            intended: iteration.origin,
            deadline: now + self.built.timeouts[usize::from(exchange)],
            step: iteration.step,
            stream: iteration.stream,
        };
        let driver = self.built.driver_of[usize::from(exchange)];
        let state = &mut self.slots[slot as usize];
        state.generation = state.generation.wrapping_add(1);
        state.deadline = task.deadline;
        if !state.has_deadline_entry {
            state.has_deadline_entry = true;
            self.deadlines.push(Reverse((task.deadline, slot)));
        }
        if let Some(iteration) = state.iteration.as_mut() {
            iteration.in_hand = Some((task, driver));
        }
        self.enter(slot, driver);
        self.recorder.open(&task, iteration.available, is_closed);
        let session = self.slots[slot as usize].sessions[usize::from(driver)].as_mut();
        let interest = session.map_or(Interest::Gone, |session| session.begin(&task, &mut self.recorder));
        self.note_woken(driver);
        interest
    }

    /// A session of that driver is called next.
    #[inline]
    pub(crate) fn enter(&mut self, slot: u32, driver: u8) {
        self.recorder.enter(slot);
        self.recorder.serve(driver);
        self.driver.set(driver);
    }

    /// Takes note of the slots that the driver's session has just woken.
    #[inline]
    pub(crate) fn note_woken(&mut self, driver: u8) {
        while let Some(slot) = self.recorder.take_woken() {
            self.woken.push((slot, driver));
        }
    }

    /// Calls the sessions that were woken so far. Whom they wake in turn comes with the next turn of the loop, so that
    /// connections which never fall silent do not keep it here.
    pub(crate) fn serve_woken(&mut self) {
        let count = self.woken.len();
        for index in 0..count {
            let (slot, driver) = self.woken[index];
            self.call_ready(slot, driver);
        }
        self.woken.drain(..count);
    }

    /// A wake-up that the session asked for has come.
    pub(crate) fn resume(&mut self, slot: u32) {
        let in_hand = self.slots[slot as usize].iteration.and_then(|iteration| iteration.in_hand);
        if let Some((_, driver)) = in_hand {
            self.call_ready(slot, driver);
        }
    }

    /// A socket of this slot is ready, or its wake-up has come.
    pub(crate) fn call_ready(&mut self, slot: u32, driver: u8) {
        self.enter(slot, driver);
        let Some(state) = self.slots.get_mut(slot as usize) else { return };
        let is_in_hand = state.iteration.and_then(|iteration| iteration.in_hand).is_some_and(|(_, of)| of == driver);
        let Some(session) = state.sessions[usize::from(driver)].as_mut() else { return };
        let interest = session.ready(&mut self.recorder);
        self.note_woken(driver);
        if is_in_hand && self.settle(slot, interest) {
            self.go_on(slot);
        }
    }

    /// Takes note of what the session waits for. Returns whether the exchange in hand has ended.
    fn settle(&mut self, slot: u32, interest: Interest) -> bool {
        if self.take_end(slot) {
            return true;
        }
        match interest {
            Interest::Io { .. } => false,
            Interest::WakeAt(at) => {
                self.wakes.push(Reverse((at, slot, self.slots[slot as usize].generation, Wake::Session)));
                false
            }
            // A session that lets go with a leg open is a defect of its driver; the books must balance all the same.
            Interest::Idle | Interest::Gone => {
                debug_assert!(false, "a session let go of an exchange without closing its legs");
                self.recorder.close_rest(slot, Outcome::NoResource);
                self.take_end(slot)
            }
        }
    }

    /// Books the iteration's start as soon as it is known, so that a killed run tells what was open from what waited.
    fn note_start(&mut self, slot: u32) {
        if !self.recorder.was_started(slot) {
            return;
        }
        if let Some(iteration) = self.slots[slot as usize].iteration.as_mut()
            && !std::mem::replace(&mut iteration.is_started, true)
        {
            self.books.started((iteration.step, iteration.stream), iteration.intended);
        }
    }

    /// If the exchange in hand has ended, moves the iteration on. Returns whether it had.
    pub(crate) fn take_end(&mut self, slot: u32) -> bool {
        let Some(ended) = self.recorder.take_end(slot) else { return false };
        self.note_start(slot);
        let Some(iteration) = self.slots[slot as usize].iteration.as_mut() else { return false };
        iteration.in_hand = None;
        iteration.cursor += 1;
        iteration.origin = ended.at;
        iteration.available = Nanos::ZERO;
        if ended.outcome == Outcome::Ok {
            return true;
        }
        if iteration.worst == Outcome::Ok {
            iteration.worst = ended.outcome;
        }
        if ended.outcome.side() != Side::Target {
            iteration.is_given_up = true;
        }
        true
    }

    /// Takes an arrival for a leg that is waited for, or was.
    pub(crate) fn take_arrival(&mut self, arrival: Arrival) {
        self.recorder.take_arrival(&arrival);
        self.note_arrivals();
    }

    /// Books the iterations whose last legs have ended, and takes note of the sessions that wanted to know.
    pub(crate) fn note_arrivals(&mut self) {
        while let Some(whole) = self.recorder.take_parked() {
            self.book_end(whole);
        }
        while let Some(slot) = self.recorder.take_woken() {
            let in_hand = self.slots[slot as usize].iteration.and_then(|iteration| iteration.in_hand);
            self.woken.extend(in_hand.map(|(_, driver)| (slot, driver)));
        }
        self.gauges.awaiting_max = self.gauges.awaiting_max.max(self.recorder.awaiting_legs() as u32);
    }

    fn book_end(&mut self, whole: Parked) {
        let end = match whole.outcome {
            Outcome::Ok => IterationEnd::Completed,
            outcome if outcome.is_failed() => IterationEnd::Failed,
            _ => IterationEnd::Aborted,
        };
        self.books.ended((whole.step, whole.stream), whole.intended, whole.at, end);
    }

    /// Ends the iteration in this slot, frees the slot, and in a closed load sets its user's next one.
    pub(crate) fn finish(&mut self, slot: u32, at: Nanos, forced: Option<Outcome>) {
        let Some(iteration) = self.slots[slot as usize].iteration.take() else { return };
        let worst = if iteration.worst == Outcome::Ok { forced.unwrap_or(Outcome::Ok) } else { iteration.worst };
        let at = at.max(iteration.intended);
        self.left(at);
        let Iteration { serial, step, stream, intended, .. } = iteration;
        if !iteration.is_started {
            self.books.dropped((step, stream), intended);
        } else if let Some(whole) = self.recorder.park(Parked { serial, step, stream, intended, outcome: worst, at }) {
            self.book_end(whole);
        }
        match &self.part.load {
            LoadPlan::Open { .. } => self.free.push((slot, at)),
            LoadPlan::Closed { pacing, .. } => {
                let pacing = pacing.unwrap_or(if iteration.is_started { Nanos::ZERO } else { UNSTARTED_PAUSE });
                let next = at.max(iteration.began + pacing);
                let state = &mut self.slots[slot as usize];
                state.generation = state.generation.wrapping_add(1);
                self.wakes.push(Reverse((next, slot, state.generation, Wake::User)));
            }
        }
    }
}
