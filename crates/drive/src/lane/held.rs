//! Held connections in a lane: they open at their times, and what comes due on each goes out in order.

use super::Lane;
use crate::slots::Iteration;
use crate::starts::{Next, Pending, Starts};
use crate::timers::Wake;
use crate::{Stop, program::Operation};
use contract::Interest;
use recorder::Task;
use terms::{Nanos, Outcome};

/// Messages that are taken in one turn: a generator that is behind still serves its sockets in between.
const MESSAGES_A_TURN: usize = 256;

/// From one connection that has something to say at the end to the next: a thousand a second, as the steepest ramps open them.
const LEAVING_GAP: Nanos = Nanos::from_millis(1);

/// How far the connections are in saying what there is to say at the end.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Leaving {
    /// The slot that is next.
    next: u32,
    /// Not before.
    at: Nanos,
}

impl Lane<'_> {
    /// Gives every message that is due to its connection, or lets it wait. Returns the next one that is not yet due.
    pub(super) fn messages_due(&mut self, now: Nanos) -> Option<Nanos> {
        let origin = self.ending.origin;
        for _ in 0..MESSAGES_A_TURN {
            let Starts::Held(held) = &mut self.starts else { return None };
            let (serial, offset, slot) = match held.next(now - origin) {
                (Next::Due(serial, offset), slot) => (serial, offset, slot),
                (Next::NotBefore(offset), _) => return Some(origin + offset),
                (Next::Never, _) => {
                    // What comes of itself belongs to the step in which it comes, and nothing else takes the lane there.
                    self.step_of(now - origin, 0);
                    return None;
                }
            };
            let is_free = held.is_free(slot) && self.slots.get(slot).is_none();
            let pending = self.pending(serial, origin + offset, offset);
            if is_free {
                self.begin_iteration(slot, pending, Nanos::ZERO);
            } else {
                self.let_message_wait(slot, pending, now);
            }
        }
        Some(now)
    }

    fn let_message_wait(&mut self, slot: u32, pending: Pending, now: Nanos) {
        let Starts::Held(held) = &mut self.starts else { return };
        let (waits, waiting) = (held.wait(slot, pending), held.waiting());
        self.gauges.waiting(waiting);
        if !waits {
            self.drop_pending(pending, now);
        }
    }

    /// A connection's time has come.
    pub(super) fn open_connection(&mut self, slot: u32, now: Nanos) {
        let is_late = self.ending.planned().is_some_and(|planned| now >= planned);
        if self.control.get() != Stop::No || is_late {
            return;
        }
        let Some(&Operation::Exchange(exchange)) = self.program.operations.first() else { return };
        let Starts::Held(held) = &mut self.starts else { return };
        let connection = self.sessions.user(slot);
        let Some(opens) = held.opens(connection).filter(|_| held.open(slot)) else { return };
        let intended = self.ending.origin + opens;
        // Where connections only listen, nothing else takes the lane on to its next step.
        self.step_of(opens, connection);
        let step = self.part.step_at(opens);
        let driver = self.sessions.driver_of(exchange);
        let within = self.sessions.opening_of(exchange).unwrap_or_else(|| self.sessions.timeout_of(exchange));
        let deadline = self.clock.now() + within;
        self.slots.occupy(
            slot,
            Iteration {
                serial: connection,
                step,
                stream: recorder::NO_STREAM,
                intended,
                origin: intended,
                available: Nanos::ZERO,
                began: now,
                cursor: 0,
                // Of its own it starts nothing: it is in no account of iterations.
                is_started: true,
                worst: Outcome::Ok,
                is_given_up: false,
                in_hand: Some(driver),
            },
        );
        self.timers.begin(slot, deadline);
        let task = Task {
            exchange,
            serial: connection,
            row: connection,
            units: 1,
            intended,
            deadline,
            step,
            stream: recorder::NO_STREAM,
        };
        let interest = self.sessions.connect(slot, &task);
        if self.settle(slot, interest) {
            self.go_on(slot);
        }
    }

    /// A held connection with nothing in hand may ask to be called later.
    #[inline]
    pub(super) fn note_wake(&mut self, slot: u32, interest: Interest) {
        if let (Interest::WakeAt(at), Starts::Held(_)) = (interest, &self.starts) {
            self.timers.wake(slot, at, Wake::Held);
        }
    }

    /// A held connection is called as it asked.
    pub(super) fn wake_connection(&mut self, slot: u32) {
        if let Some(driver) = self.held_driver() {
            self.call_ready(slot, driver);
        }
    }

    /// The driver of held connections; none where there are none.
    pub(super) fn held_driver(&self) -> Option<u8> {
        let Starts::Held(_) = &self.starts else { return None };
        match self.program.operations.first() {
            Some(&Operation::Exchange(exchange)) => Some(self.sessions.driver_of(exchange)),
            _ => None,
        }
    }

    /// Whether what a slot has in hand is the opening of its connection.
    #[inline]
    pub(super) fn is_opening(&self, slot: u32) -> bool {
        matches!(&self.starts, Starts::Held(held) if held.is_opening(slot))
    }

    /// A connection has opened, or could not be; what has come due on it meanwhile goes out, or fails.
    pub(super) fn connection_opened(&mut self, slot: u32, at: Nanos) {
        self.slots.vacate(slot);
        if let Starts::Held(held) = &mut self.starts {
            held.opened(slot);
        }
        self.serve_connection(slot, at);
    }

    /// A slot is free since `at`: the messages that have waited longest on its connection go out, until one has to wait for
    /// its end. Tens of thousands may end at once, as where the connection could not be opened, so this is a loop: whoever
    /// comes here from a message within it only says since when the slot is free.
    pub(super) fn serve_connection(&mut self, slot: u32, at: Nanos) {
        if self.serving.is_some_and(|(served, _)| served == slot) {
            self.serving = Some((slot, at));
            return;
        }
        let before = self.serving.replace((slot, at));
        while self.slots.get(slot).is_none()
            && let Some((_, at)) = self.serving
            && let Starts::Held(held) = &mut self.starts
            && let Some(pending) = held.take_waiting(slot)
        {
            self.begin_iteration(slot, pending, at);
        }
        self.serving = before;
    }

    /// Whether connections have begun to leave, and not all have.
    pub(super) fn is_leaving(&self) -> bool {
        (1..self.slots.len()).contains(&self.leaving.next)
    }

    /// When the next connection leaves.
    pub(super) fn next_leave(&self) -> Option<Nanos> {
        self.is_leaving().then_some(self.leaving.at)
    }

    /// Nothing is waited for any more, or what connections have said at the end: the next ones say it. Whether all have.
    pub(super) fn have_left(&mut self, now: Nanos) -> bool {
        let Some(driver) = self.held_driver() else { return true };
        while self.leaving.next < self.slots.len() {
            if now < self.leaving.at {
                return false;
            }
            let slot = self.leaving.next;
            self.leaving.next += 1;
            let (interest, is_awaited) = self.sessions.leave(slot, driver);
            self.note_wake(slot, interest);
            if is_awaited {
                self.leaving.at = now + LEAVING_GAP;
            }
        }
        true
    }

    /// The load is over: connections close as their protocol has it.
    pub(crate) fn disconnect(&mut self) {
        let Starts::Held(_) = &self.starts else { return };
        let Some(&Operation::Exchange(exchange)) = self.program.operations.first() else { return };
        let driver = self.sessions.driver_of(exchange);
        for slot in 0..self.slots.len() {
            self.sessions.disconnect(slot, driver);
        }
    }
}
