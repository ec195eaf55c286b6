//! One exchange carried out by itself, outside any load.

use crate::error::DriveError;
use crate::sessions::Sessions;
use crate::wait;
use crate::{Control, Stop, Wait};
use clock::Clock;
use contract::{Cancel, Failure, Interest, NO_STREAM, Task};
use recorder::{Arrival, Ended, Folded, LegRow, NoteRow, OutcomeRow};
use std::sync::mpsc::Receiver;
use terms::{Nanos, Outcome};

/// What one exchange, carried out by itself, came to.
#[derive(Clone, Debug, PartialEq)]
pub struct Shown {
    /// Number of the exchange.
    pub exchange: u16,
    /// How it ended.
    pub outcome: Outcome,
    /// From begin to end.
    pub took: Nanos,
    /// What the driver noticed, secrets cut out.
    pub notes: Vec<String>,
    /// Legs behind the first that ended, in their order.
    pub later: Vec<Later>,
}

/// How a later leg of it ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Later {
    /// Number of the leg.
    pub leg: contract::Leg,
    /// How it ended.
    pub outcome: Outcome,
    /// From the first byte of the request; unknown for what stands beside the books.
    pub took: Option<Nanos>,
}

/// The step of what is outside measurement, so that its replies are never taken for a measured exchange's.
pub(crate) const OUTSIDE: u32 = u32::MAX;
/// A subscription that was confirmed is written down before anything comes by it.
const BELIEF: Nanos = Nanos::from_millis(200);

/// A leg's end with its time, of which there is one in so few rows.
fn later(row: &OutcomeRow, folded: &Folded) -> Later {
    let of = |known: &&LegRow| known.leg == row.leg && Some(known.population) == row.outcome.population();
    let took = folded.legs.iter().find(of).map(|known| known.service.max);
    Later { leg: row.leg, outcome: row.outcome, took }
}

/// Sessions with all that carrying out single exchanges on them takes.
pub(crate) struct Alone<'a, W> {
    pub(crate) sessions: &'a mut Sessions,
    pub(crate) wait: &'a mut W,
    pub(crate) clock: &'a Clock,
    pub(crate) control: &'a Control,
    /// What listeners took; none where it comes to the thread of a load.
    pub(crate) inbox: Option<&'a Receiver<Arrival>>,
}

impl<W: Wait> Alone<'_, W> {
    /// Carries out one exchange in a slot and waits for its end, or for the word to stop at once. One that holds a
    /// connection opens it first, and sends one message on it.
    pub(crate) fn carry_out(&mut self, slot: u32, exchange: u16) -> Shown {
        let began = self.clock.now();
        let serial = self.sessions.user(slot);
        let mut task = Task {
            exchange,
            serial,
            row: serial,
            units: 1,
            intended: began,
            deadline: began,
            step: OUTSIDE,
            stream: NO_STREAM,
        };
        let mut paused = Nanos::ZERO;
        if let Some(within) = self.sessions.opening_of(exchange) {
            task.deadline = began + within;
            let interest = self.sessions.connect(slot, &task);
            self.until_ended(slot, &task, interest);
            // What is asked back of an opening comes before its first message, and takes the other side a moment to believe.
            if self.await_replies().is_some() {
                let (from, mut ready) = (self.clock.now(), Vec::new());
                let until = from + BELIEF;
                while self.clock.now() < until && self.control.get() != Stop::Now {
                    self.wait.wait(self.clock, until, &mut ready);
                }
                paused = self.clock.now() - from;
            }
        }
        task.intended = self.clock.now();
        task.deadline = task.intended + self.sessions.timeout_of(exchange);
        let interest = self.sessions.begin(slot, &task, task.intended, true);
        let ended = self.until_ended(slot, &task, interest);
        let at = self.await_replies().unwrap_or(ended.at);
        let folded = self.sessions.recorder.drain().fold();
        // Whatever came beside the books, such as a second reply, is not a failure of the exchange.
        let failed = folded.outcomes.iter().map(|row| row.outcome).find(|outcome| outcome.is_failed());
        let outcome = if ended.outcome == Outcome::Ok { failed.unwrap_or(Outcome::Ok) } else { ended.outcome };
        let mut later: Vec<Later> =
            folded.outcomes.iter().filter(|row| row.leg > 0).map(|row| later(row, &folded)).collect();
        later.sort_by_key(|later| (later.leg, later.outcome));
        let mut notes: Vec<String> = folded.notes.into_iter().map(|note: NoteRow| note.text).collect();
        if outcome == Outcome::Missing {
            notes.push("a reply on another connection did not come in time".to_owned());
        }
        Shown { exchange, outcome, took: at - began - paused, notes, later }
    }

    /// Waits until what a slot has in hand has ended, or for the word to stop at once.
    fn until_ended(&mut self, slot: u32, task: &Task, mut interest: Interest) -> Ended {
        let (driver, deadline) = (self.sessions.driver_of(task.exchange), task.deadline);
        let mut ready = Vec::new();
        loop {
            if let Some(ended) = self.sessions.recorder.take_end(slot) {
                return ended;
            }
            self.fetch();
            let now = self.clock.now();
            self.sessions.recorder.expire(now);
            let wake = if let Interest::WakeAt(at) = interest { at } else { deadline };
            let is_stopped = self.control.get() == Stop::Now;
            if now < deadline && !is_stopped && !matches!(interest, Interest::Idle | Interest::Gone) {
                ready.clear();
                let missing = self.sessions.recorder.next_missing().unwrap_or(deadline);
                let until = wake.min(deadline).min(missing).min(self.patience(now));
                self.wait.wait(self.clock, until, &mut ready);
            }
            // A socket of another slot may bring this one's answer; whoever's session is called wakes the others.
            for (part, other, of) in ready.iter().map(|&token| wait::parts(token)) {
                if part == self.sessions.part && other != slot {
                    self.sessions.ready(other, of);
                }
            }
            self.sessions.woken.clear();
            if is_stopped {
                self.sessions.cut(slot, driver, Cancel::Abort, Outcome::Aborted);
            } else if self.clock.now() >= deadline || matches!(interest, Interest::Idle | Interest::Gone) {
                self.sessions.cut(slot, driver, Cancel::Deadline, Outcome::Timeout);
            } else if !ready.is_empty()
                || matches!(interest, Interest::WakeAt(at) if at <= self.clock.now())
                || self.sessions.recorder.take_woken().is_some()
            {
                interest = self.sessions.ready(slot, driver).unwrap_or(Interest::Gone);
            }
        }
    }

    /// Carries out one exchange; a mistake where it does not end well. What was cut off by the operator has not failed.
    pub(crate) fn carry_out_well(&mut self, slot: u32, exchange: u16) -> Result<(), DriveError> {
        let shown = self.carry_out(slot, exchange);
        if matches!(shown.outcome, Outcome::Ok | Outcome::Aborted) {
            return Ok(());
        }
        let name = self.sessions.name_of(exchange);
        let seen = shown.notes.first().map_or(String::new(), |note| format!(": {note}"));
        Err(DriveError::SetUp(Failure::new(format!("`{name}` ended as `{}`{seen}", shown.outcome))))
    }

    /// A stop is looked for at least ten times a second.
    fn patience(&self, now: Nanos) -> Nanos {
        if self.clock.is_simulated() { Nanos::MAX } else { now + Nanos::from_millis(100) }
    }

    /// Waits until every leg has ended that others close, or for the word to stop at once. Returns when the last one
    /// did; nothing where there was none.
    fn await_replies(&mut self) -> Option<Nanos> {
        let mut last = None;
        let mut ready = Vec::new();
        while self.sessions.recorder.awaiting() > 0 && self.control.get() != Stop::Now {
            let patience = self.clock.now() + Nanos::from_millis(100);
            let until = self.sessions.recorder.next_missing().map_or(patience, |missing| missing.min(patience));
            ready.clear();
            self.wait.wait(self.clock, until, &mut ready);
            // On a connection that is held the answer comes to a session that has nothing in hand.
            let before = self.sessions.recorder.awaiting_legs();
            for (part, slot, of) in ready.iter().map(|&token| wait::parts(token)) {
                if part == self.sessions.part {
                    self.sessions.ready(slot, of);
                }
            }
            if self.sessions.recorder.awaiting_legs() < before {
                last = Some(self.clock.now());
            }
            last = self.fetch().or(last);
            let (now, open) = (self.clock.now(), self.sessions.recorder.awaiting_legs());
            self.sessions.recorder.expire(now);
            // That nobody refused it in time is no end of anything.
            if self.sessions.recorder.awaiting_legs() < open {
                last = Some(now);
            }
        }
        last
    }

    /// Takes what has come by itself. Returns when the last of it did.
    fn fetch(&mut self) -> Option<Nanos> {
        let mut last = None;
        while let Some(arrival) = self.inbox.and_then(|inbox| inbox.try_recv().ok()) {
            self.sessions.recorder.take_arrival(&arrival);
            last = Some(arrival.at);
        }
        last
    }
}
