//! How a lane's iterations begin and end: starts that are due are given to slots, and what waits is served.

use super::Lane;
use crate::Stop;
use crate::books::IterationEnd;
use crate::slots::Iteration;
use crate::starts::{Next, Pending, Starts};
use crate::timers::Wake;
use recorder::Parked;
use terms::{Nanos, Outcome};

/// Starts that are taken in one turn: a generator that is behind still serves its sockets in between.
const STARTS_A_TURN: usize = 256;

impl Lane<'_> {
    /// Gives every start that is due to a slot, or lets it wait. Returns the next start that is not yet due.
    pub(super) fn start_due(&mut self, now: Nanos) -> Option<Nanos> {
        if self.control.get() != Stop::No {
            return None;
        }
        if let Starts::Held(_) = &self.starts {
            return self.messages_due(now);
        }
        let origin = self.ending.origin;
        for _ in 0..STARTS_A_TURN {
            let Starts::Open(arrivals) = &mut self.starts else { return None };
            let (serial, offset) = match arrivals.next(now - origin) {
                Next::Due(serial, offset) => (serial, offset),
                Next::NotBefore(offset) => return Some(origin + offset),
                Next::Never => return None,
            };
            // Nobody waits before this one: what waits is served as soon as a slot is free.
            let is_first = arrivals.waiting() == 0;
            let pending = self.pending(serial, origin + offset, offset);
            match is_first.then(|| self.free_slot()).flatten() {
                Some(slot) => self.begin_iteration(slot, pending, Nanos::ZERO),
                None => self.let_wait(pending, now),
            }
        }
        Some(now)
    }

    /// Books a start that is due.
    pub(super) fn pending(&mut self, serial: u64, intended: Nanos, offset: Nanos) -> Pending {
        let step = self.step_of(offset, serial);
        let stream = self.part.stream_of(serial);
        self.books.intended((step, stream), intended);
        self.gauges.change(intended, 1);
        Pending { serial, intended, step, stream }
    }

    fn free_slot(&mut self) -> Option<u32> {
        match self.slots.take_free() {
            Some((slot, _)) => Some(slot),
            None => self.slots.has_room().then(|| self.add_slot()),
        }
    }

    fn let_wait(&mut self, pending: Pending, now: Nanos) {
        let Starts::Open(arrivals) = &mut self.starts else { return };
        let (waits, waiting) = (arrivals.wait(pending), arrivals.waiting());
        self.gauges.waiting(waiting);
        if !waits {
            self.drop_pending(pending, now);
        } else if self.slots.take_is_bound_ours() {
            // Said once: the system gives no more connections.
            let text = format!(
                "all {} connections of load thread {} are in use, and the descriptors of this process allow no more; \
                 raise `ulimit -n`, or bound the load with `max_in_flight`",
                self.slots.len(),
                self.worker
            );
            self.event(now, "no_connections", "generator".to_owned(), text);
        }
    }

    /// Gives arrivals that wait to the slots that are free by now.
    pub(super) fn serve_waiting(&mut self) {
        let Starts::Open(arrivals) = &mut self.starts else { return };
        self.gauges.waiting(arrivals.waiting());
        while let Starts::Open(arrivals) = &mut self.starts
            && arrivals.waiting() > 0
            && let Some((slot, since)) = self.slots.take_free()
            && let Some(pending) = arrivals.take_waiting()
        {
            self.begin_iteration(slot, pending, since);
        }
    }

    /// Gives up the arrivals that still wait.
    pub(super) fn drop_waiting(&mut self, now: Nanos) {
        loop {
            let waiting = match &mut self.starts {
                Starts::Open(arrivals) => arrivals.take_waiting(),
                Starts::Held(held) => held.take_any(),
                Starts::Closed(_) => None,
            };
            let Some(pending) = waiting else { return };
            self.drop_pending(pending, now);
        }
    }

    /// Books the starts that the plan has and this thread never came to: they were lost by the generator, and a book that
    /// left them out would say that fewer were planned.
    pub(super) fn drop_unreached(&mut self, now: Nanos) {
        let origin = self.ending.origin;
        loop {
            let left = match &mut self.starts {
                Starts::Open(arrivals) => arrivals.take_left(),
                Starts::Held(held) => held.take_left(),
                Starts::Closed(_) => None,
            };
            let Some((serial, offset)) = left else { return };
            let pending = self.pending(serial, origin + offset, offset);
            self.drop_pending(pending, now);
        }
    }

    pub(super) fn drop_pending(&mut self, pending: Pending, now: Nanos) {
        self.books.dropped((pending.step, pending.stream), pending.intended);
        self.gauges.change(now, -1);
    }

    /// A virtual user begins its next iteration, if the load goes on.
    pub(super) fn user_begins(&mut self, slot: u32, now: Nanos) {
        let is_late = self.ending.planned().is_some_and(|planned| now >= planned);
        if self.control.get() != Stop::No || is_late {
            return;
        }
        let Starts::Closed(users) = &mut self.starts else { return };
        let since = now - self.ending.origin;
        let (serial, is_last) = (users.next(since), users.is_exhausted(since));
        if let Some(serial) = serial {
            let pending = self.pending(serial, now, since);
            self.begin_iteration(slot, pending, now);
        }
        if is_last {
            self.ending.note_count(now);
        }
    }

    /// Gives an arrival to a slot. `available` is when the slot became free for it; zero when it was free already.
    pub(super) fn begin_iteration(&mut self, slot: u32, pending: Pending, available: Nanos) {
        self.sessions.recorder.forget_captures(slot);
        self.forget_passes(slot);
        let iteration = Iteration {
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
        };
        self.slots.occupy(slot, iteration);
        self.go_on(slot);
    }

    /// Ends the iteration in this slot, frees the slot, and in a closed load sets its user's next one.
    pub(super) fn finish(&mut self, slot: u32, at: Nanos, forced: Option<Outcome>) {
        if self.is_opening(slot) {
            return self.connection_opened(slot, at);
        }
        let Some(iteration) = self.slots.vacate(slot) else { return };
        if self.program.has_parallel {
            self.forget_parallel(slot);
        }
        let worst = if iteration.worst == Outcome::Ok { forced.unwrap_or(Outcome::Ok) } else { iteration.worst };
        let at = at.max(iteration.intended);
        if self.program.has_transactions {
            self.end_transactions(slot, &iteration, at, forced);
        }
        self.gauges.change(at, -1);
        let Iteration { serial, step, stream, intended, .. } = iteration;
        // Where a condition or chance left out every call, all went as planned.
        let has_no_calls = !iteration.is_started && forced.is_none() && worst == Outcome::Ok && !iteration.is_given_up;
        if has_no_calls {
            self.books.started((step, stream), intended);
        }
        if !iteration.is_started && !has_no_calls {
            self.books.dropped((step, stream), intended);
        } else if let Some(whole) =
            self.sessions.recorder.park(Parked { serial, step, stream, intended, outcome: worst, at })
        {
            self.book_end(whole);
        }
        match &self.starts {
            Starts::Open(_) => {
                // A wake-up that is still to come is not the next iteration's.
                self.timers.renew(slot);
                self.slots.free(slot, at);
            }
            Starts::Held(_) => self.serve_connection(slot, at),
            Starts::Closed(users) => {
                let (origin, user) = (self.ending.origin, self.sessions.user(slot));
                let next = users.follows(user, iteration.began - origin, at - origin, iteration.is_started);
                self.timers.renew(slot);
                if let Some(next) = next {
                    self.timers.wake(slot, origin + next, Wake::User);
                }
            }
        }
    }

    /// Books the iterations whose last legs have ended, and takes note of the sessions that wanted to know.
    pub(super) fn note_arrivals(&mut self) {
        while let Some(whole) = self.sessions.recorder.take_parked() {
            self.book_end(whole);
        }
        while let Some(slot) = self.sessions.recorder.take_woken() {
            // That of a held connection may wait for it with nothing in hand.
            let driver = self.slots.in_hand(slot).or_else(|| self.held_driver());
            self.sessions.woken.extend(driver.map(|driver| (slot, driver)));
        }
        self.gauges.awaiting(self.sessions.recorder.awaiting_legs());
    }

    fn book_end(&mut self, whole: Parked) {
        let end = match whole.outcome {
            Outcome::Ok => IterationEnd::Completed,
            outcome if outcome.is_failed() => IterationEnd::Failed,
            _ => IterationEnd::Aborted,
        };
        self.books.ended((whole.step, whole.stream), whole.intended, whole.at, end);
    }
}
