//! Calls that an iteration makes at once: each in a slot of its own, the first in that of the iteration.
//!
//! All of these slots stand at the operation that lists the calls. One that has ended its call takes the next that nobody
//! has taken; the end of the last call moves the iteration on, and is where its next exchange counts from.

use super::Lane;
use crate::slots::Iteration;
use contract::Cancel;
use recorder::Ended;
use terms::{Nanos, Outcome, Side, seed};

/// The calls that an iteration makes at once.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Fan {
    is_open: bool,
    /// Calls that were taken.
    taken: usize,
    /// Calls that are in hand.
    in_hand: usize,
    /// The latest end.
    ended: Nanos,
}

impl Lane<'_> {
    /// Begins calls at once, or has a slot take the next of them. Returns the iteration's slot when it may go on.
    pub(super) fn go_on_parallel(&mut self, slot: u32, calls: &[u16], at_once: u32) -> Option<u32> {
        let owner = self.slots.owner(slot);
        let iteration = *self.slots.get(owner)?;
        if self.is_parallel(owner) {
            self.take_calls(owner, slot, calls);
        } else if iteration.is_given_up {
            self.pass_over(owner, iteration.origin);
            return Some(owner);
        } else {
            let fan = Fan { is_open: true, ended: iteration.origin, ..Fan::default() };
            *self.fan(owner) = fan;
            for place in (owner..).take(at_once as usize) {
                if place != owner {
                    self.slots.occupy(place, Iteration { in_hand: None, ..iteration });
                }
                self.take_calls(owner, place, calls);
            }
        }
        self.end_fan(owner)
    }

    /// Whether an iteration is making calls at once.
    pub(super) fn is_parallel(&self, owner: u32) -> bool {
        self.fans.get(owner as usize).is_some_and(|fan| fan.is_open)
    }

    /// Carries out calls that nobody has taken in this slot, until one has to wait or none is left.
    fn take_calls(&mut self, owner: u32, slot: u32, calls: &[u16]) {
        loop {
            let Some(&iteration) = self.slots.get(slot) else { return };
            if iteration.in_hand.is_some() {
                return;
            }
            let number = self.fan(owner).taken;
            let is_given_up = self.slots.get(owner).is_none_or(|iteration| iteration.is_given_up);
            let call = calls.get(number).filter(|_| !is_given_up);
            let Some(&exchange) = call else {
                if slot != owner {
                    self.slots.vacate(slot);
                    self.timers.renew(slot);
                }
                return;
            };
            let fan = self.fan(owner);
            fan.taken += 1;
            fan.in_hand += 1;
            // By its place in the study, whichever slot takes it and when.
            let place = seed::hash(iteration.cursor as u64, number as u64);
            self.sessions.recorder.set_beside(slot, Some(seed::hash(place, self.pass(owner))));
            let interest = self.begin_exchange(slot, &iteration, exchange);
            self.note_start(slot);
            if !self.settle(slot, interest) {
                return;
            }
        }
    }

    /// Moves the iteration on if all of its calls have ended.
    fn end_fan(&mut self, owner: u32) -> Option<u32> {
        let fan = self.fan(owner);
        if fan.in_hand > 0 {
            return None;
        }
        fan.is_open = false;
        let ended = fan.ended;
        self.sessions.recorder.set_beside(owner, None);
        self.pass_over(owner, ended);
        Some(owner)
    }

    /// Takes note of a call's end, if it was one of several at once.
    pub(super) fn end_parallel(&mut self, slot: u32, ended: &Ended) -> bool {
        let owner = self.slots.owner(slot);
        if !self.is_parallel(owner) {
            return false;
        }
        let fan = self.fan(owner);
        fan.in_hand = fan.in_hand.saturating_sub(1);
        fan.ended = fan.ended.max(ended.at);
        if let Some(iteration) = self.slots.get_mut(slot) {
            iteration.in_hand = None;
            iteration.origin = ended.at;
            iteration.available = Nanos::ZERO;
        }
        if let Some(iteration) = self.slots.get_mut(owner).filter(|_| ended.outcome != Outcome::Ok) {
            if iteration.worst == Outcome::Ok {
                iteration.worst = ended.outcome;
            }
            iteration.is_given_up |= ended.outcome.side() != Side::Target;
        }
        true
    }

    /// Ends the calls of an iteration from outside that are in hand beside its own slot.
    pub(super) fn cut_parallel(&mut self, owner: u32, why: Cancel, outcome: Outcome) {
        for slot in self.slots.beside(owner) {
            if self.slots.get(slot).is_some() {
                self.cut(slot, why, outcome);
                self.slots.vacate(slot);
                self.timers.renew(slot);
            }
        }
    }

    /// The iteration in this slot is over: no call of it is made any more.
    pub(super) fn forget_parallel(&mut self, owner: u32) {
        *self.fan(owner) = Fan::default();
        self.sessions.recorder.set_beside(owner, None);
    }

    /// Whether the first byte that a slot has sent is the first of its iteration: calls at once begin in several.
    pub(super) fn is_first_start(&mut self, slot: u32) -> bool {
        let owner = self.slots.owner(slot);
        slot == owner
            || self.slots.get_mut(owner).is_some_and(|iteration| !std::mem::replace(&mut iteration.is_started, true))
    }

    fn fan(&mut self, owner: u32) -> &mut Fan {
        let index = owner as usize;
        if self.fans.len() <= index {
            self.fans.resize(index + 1, Fan::default());
        }
        &mut self.fans[index]
    }
}
