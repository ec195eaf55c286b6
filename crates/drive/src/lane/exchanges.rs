//! An iteration's way through its exchanges.

use super::Lane;
use crate::program::{Operation, choose, uniform};
use crate::slots::Iteration;
use crate::starts::Starts;
use crate::timers::Wake;
use contract::{Cancel, Interest, Task};
use recorder::Arrival;
use study::Think;
use terms::{Nanos, Outcome, Side};

impl Lane<'_> {
    /// Carries out operations until one has to wait, or the iteration ends.
    pub(super) fn go_on(&mut self, mut slot: u32) {
        loop {
            let Some(&iteration) = self.slots.get(slot) else { return };
            if iteration.in_hand.is_some() {
                return;
            }
            let exchange = match self.program.operations.get(iteration.cursor) {
                None => return self.finish(slot, iteration.origin, None),
                Some(Operation::Exchange(_)) if iteration.is_given_up => {
                    self.pass_over(slot, iteration.origin);
                    continue;
                }
                Some(Operation::Exchange(exchange)) => *exchange,
                Some(Operation::Think(..)) if self.ending.ended().is_some() && self.is_only_thinking(&iteration) => {
                    return self.finish(slot, iteration.origin, None);
                }
                Some(Operation::Think(think, number)) => {
                    let time = match think {
                        Think::Fixed(time) => *time,
                        think => think.draw(uniform(self.seed, *number, self.pass(slot), iteration.serial)),
                    };
                    let until = iteration.origin + time;
                    if self.program.has_transactions {
                        self.think_in_transactions(slot, time);
                    }
                    self.pass_over(slot, until);
                    self.timers.wake(slot, until, Wake::Think);
                    return;
                }
                Some(Operation::Choose(ways, number)) => {
                    let place = choose(ways, uniform(self.seed, *number, self.pass(slot), iteration.serial));
                    self.go_to(slot, place);
                    continue;
                }
                Some(Operation::Parallel(calls, at_once)) => {
                    let (calls, at_once) = (calls.clone(), *at_once);
                    match self.go_on_parallel(slot, &calls, at_once) {
                        Some(owner) => slot = owner,
                        None => return,
                    }
                    continue;
                }
                Some(_) => {
                    self.turn_off(slot, &iteration);
                    continue;
                }
            };
            let interest = self.begin_exchange(slot, &iteration, exchange);
            self.note_start(slot);
            if !self.settle(slot, interest) {
                return;
            }
        }
    }

    /// An operation is over; the next one counts from `origin`.
    pub(super) fn pass_over(&mut self, slot: u32, origin: Nanos) {
        if let Some(iteration) = self.slots.get_mut(slot) {
            iteration.cursor += 1;
            iteration.origin = origin;
        }
    }

    pub(super) fn begin_exchange(&mut self, slot: u32, iteration: &Iteration, exchange: u16) -> Interest {
        let deadline = self.clock.now() + self.sessions.timeout_of(exchange);
        let mut task = task_of(iteration, exchange, deadline);
        if let Starts::Held(held) = &self.starts {
            task.row = held.connection_of(iteration.serial);
        }
        self.timers.begin(slot, deadline);
        if self.program.has_transactions {
            self.begin_in_transactions(self.slots.owner(slot), iteration.origin);
        }
        if let Some(iteration) = self.slots.get_mut(slot) {
            iteration.in_hand = Some(self.sessions.driver_of(exchange));
        }
        self.sessions.begin(slot, &task, iteration.available, self.starts.is_closed())
    }

    /// A wake-up that the session asked for has come.
    pub(super) fn resume(&mut self, slot: u32) {
        if let Some(driver) = self.slots.in_hand(slot) {
            self.call_ready(slot, driver);
        }
    }

    /// A socket of this slot is ready, or its wake-up has come.
    pub(crate) fn call_ready(&mut self, slot: u32, driver: u8) {
        let is_in_hand = self.slots.in_hand(slot) == Some(driver);
        let Some(interest) = self.sessions.ready(slot, driver) else { return };
        if !is_in_hand {
            self.note_wake(slot, interest);
        } else if self.settle(slot, interest) {
            self.go_on(slot);
        }
    }

    /// Calls the sessions that were woken so far. Whom they wake in turn comes with the next turn of the loop, so that
    /// connections which never fall silent do not keep it here.
    pub(crate) fn serve_woken(&mut self) {
        let count = self.sessions.woken.len();
        for index in 0..count {
            let (slot, driver) = self.sessions.woken[index];
            self.call_ready(slot, driver);
        }
        self.sessions.woken.drain(..count);
    }

    /// Takes an arrival for a leg that is waited for, or was.
    pub(crate) fn take_arrival(&mut self, arrival: &Arrival) {
        self.sessions.recorder.take_arrival(arrival);
        self.note_arrivals();
    }

    /// Ends the exchange in hand from outside; what the session leaves open is closed as `outcome`.
    pub(super) fn cut(&mut self, slot: u32, why: Cancel, outcome: Outcome) {
        if let Some(driver) = self.slots.in_hand(slot) {
            self.sessions.cut(slot, driver, why, outcome);
            self.take_end(slot);
        }
    }

    /// Takes note of what the session waits for. Returns whether the exchange in hand has ended.
    pub(super) fn settle(&mut self, slot: u32, interest: Interest) -> bool {
        if self.take_end(slot) {
            self.note_wake(slot, interest);
            return true;
        }
        match interest {
            Interest::Io { .. } => false,
            Interest::WakeAt(at) => {
                self.timers.wake(slot, at, Wake::Session);
                false
            }
            // A session that lets go with a leg open is a defect of its driver; the books must balance all the same.
            Interest::Idle | Interest::Gone => {
                debug_assert!(false, "a session let go of an exchange without closing its legs");
                self.sessions.recorder.close_rest(slot, Outcome::NoResource);
                self.take_end(slot)
            }
        }
    }

    /// Books the iteration's start as soon as it is known, so that a killed run tells what was open from what waited.
    pub(super) fn note_start(&mut self, slot: u32) {
        if !self.sessions.recorder.was_started(slot) {
            return;
        }
        if let Some(iteration) = self.slots.get_mut(slot)
            && !std::mem::replace(&mut iteration.is_started, true)
        {
            let (place, intended) = ((iteration.step, iteration.stream), iteration.intended);
            if self.is_first_start(slot) {
                self.books.started(place, intended);
            }
        }
        if self.program.has_transactions {
            self.start_in_transactions(slot);
        }
    }

    /// If the exchange in hand has ended, moves the iteration on. Returns whether it had.
    fn take_end(&mut self, slot: u32) -> bool {
        let Some(ended) = self.sessions.recorder.take_end(slot) else { return false };
        self.note_start(slot);
        if self.program.has_transactions {
            self.end_in_transactions(self.slots.owner(slot), ended.at, ended.outcome);
        }
        if self.program.has_parallel && self.end_parallel(slot, &ended) {
            return true;
        }
        let Some(iteration) = self.slots.get_mut(slot) else { return false };
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
}

pub(super) fn task_of(iteration: &Iteration, exchange: u16, deadline: Nanos) -> Task {
    Task {
        exchange,
        serial: iteration.serial,
        row: iteration.serial,
        units: 1,
        intended: iteration.origin,
        deadline,
        step: iteration.step,
        stream: iteration.stream,
    }
}
