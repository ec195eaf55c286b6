//! One slot: one connection, held open, with the events that come on it.
//!
//! Nothing is in hand but the opening. An event that is due waits in the engine, under the key of its task, until one comes,
//! or its time is over. Whatever ends a connection goes through [`SseSession::lose`], which ends all that waited on it.

mod end;
mod events;
mod open;
mod opening;

use crate::config::Exchange;
use crate::driver::Common;
use crate::{CONNECT, EVENT, LOST};
use contract::{Account, Cancel, Early, Interest, Recorder, Session, Slot, Task};
use end::End;
use events::{LEFT_OUT, settle_lost};
use http_wire::Away;
use open::Open;
use opening::Opening;
use std::rc::Rc;
use terms::{Nanos, Outcome};

pub(crate) struct SseSession {
    common: Rc<Common>,
    slot: Slot,
    link: Link,
    /// None before the opening.
    held: Option<Box<Held>>,
}

/// The connection of a slot.
enum Link {
    /// There is none, and how an event ends that comes due.
    None(Outcome),
    Opening(Box<Opening>),
    Open(Box<Open>),
    /// It was lost, and is opened again.
    Away(Away),
}

/// What outlives a connection.
struct Held {
    /// Its opening.
    task: Task,
    account: Account,
    /// How often it may still be opened again.
    reconnects: u64,
    /// How long the server wants a reader to wait before.
    wait: Option<Nanos>,
    /// The last event's id, if it can be sent.
    last_id: Vec<u8>,
}

impl SseSession {
    pub(crate) fn new(common: Rc<Common>, slot: Slot) -> Self {
        Self { common, slot, link: Link::None(Outcome::Reset), held: None }
    }
}

impl Session for SseSession {
    fn connect(&mut self, task: &Task, recorder: &mut Recorder) -> Interest {
        let common = self.common.clone();
        let Some(exchange) = common.exchange(task.exchange) else {
            // The engine hands out only what `build` was given; a wrong number must not be silent.
            recorder.close(task, CONNECT, Outcome::BadStudy, task.units, 0);
            return Interest::Gone;
        };
        if let Link::Open(_) = self.link {
            self.lose(&End::Replaced, recorder);
        }
        self.held = Some(Box::new(Held {
            task: *task,
            account: Account::new(exchange.expect.unwrap_or_default()),
            reconnects: exchange.reconnect.map_or(0, |reconnect| reconnect.at_most),
            wait: None,
            last_id: Vec::new(),
        }));
        self.open(exchange, None, recorder)
    }

    fn begin(&mut self, task: &Task, recorder: &mut Recorder) -> Interest {
        recorder.started(task);
        let key = recorder.key(task);
        let within = self.common.exchange(task.exchange).map(|exchange| exchange.within);
        recorder.expect(task, EVENT, key, within.unwrap_or_default());
        let Some(held) = self.held.as_mut().filter(|_| within.is_some()) else {
            recorder.close_awaited(key, Outcome::BadStudy);
            return Interest::Idle;
        };
        let holes = if let Link::Open(open) = &self.link { open.holes() } else { 0 };
        let early = held.account.take_early(holes, |task| recorder.is_awaited(recorder.key(task)));
        match (early, &self.link) {
            (Some(Early::Came { outcome, time, bytes }), _) => recorder.close_awaited_after(key, outcome, time, bytes),
            (Some(Early::Lost), _) => {
                recorder.note_awaited(key, Outcome::Missing, &mut |note| note.add(LEFT_OUT));
                recorder.close_awaited(key, Outcome::Missing);
            }
            (None, Link::Open(_)) => held.account.wait(task, |task| recorder.is_awaited(recorder.key(task))),
            (None, Link::None(outcome) | Link::Away(Away { lost: outcome, .. })) => {
                recorder.close_awaited(key, *outcome)
            }
            (None, Link::Opening(opening)) => recorder.close_awaited(key, opening.lost()),
        }
        if let Link::None(_) = self.link { Interest::Gone } else { Interest::Idle }
    }

    fn ready(&mut self, recorder: &mut Recorder) -> Interest {
        let common = self.common.clone();
        let number = self.held.as_ref().map(|held| held.task.exchange);
        let Some(exchange) = number.and_then(|number| common.exchange(number)) else { return Interest::Gone };
        match &mut self.link {
            Link::None(_) => Interest::Gone,
            Link::Opening(_) => self.go_on_opening(exchange, recorder),
            Link::Open(_) => self.read(&[], exchange, recorder),
            Link::Away(away) => match away.wait(recorder.now(), &common.shared.turnstile) {
                Some(at) => Interest::WakeAt(at),
                None => {
                    let lost = away.lost;
                    self.open(exchange, Some(lost), recorder)
                }
            },
        }
    }

    fn cancel(&mut self, why: Cancel, recorder: &mut Recorder) {
        let outcome = if why == Cancel::Deadline { Outcome::Timeout } else { Outcome::Aborted };
        self.give_up_opening(outcome, recorder);
    }

    fn disconnect(&mut self, _: &mut Recorder) {
        self.link = Link::None(Outcome::Reset);
        if let Some(held) = &mut self.held {
            held.account.forget();
        }
    }
}

impl SseSession {
    /// The connection has ended, the one way out but for the end of the load: what waited on it ends with it.
    fn lose(&mut self, end: &End, recorder: &mut Recorder) -> Interest {
        let outcome = end.outcome();
        let Link::Open(open) = std::mem::replace(&mut self.link, Link::None(outcome)) else { return Interest::Gone };
        let common = self.common.clone();
        let Some(held) = &mut self.held else { return Interest::Gone };
        let Some(exchange) = common.exchange(held.task.exchange) else { return Interest::Gone };
        recorder.count(LOST, 1);
        // A part of an event had come, and the oldest is the one that waited for it.
        let mut first = if open.has_part() && outcome == Outcome::Reset { Outcome::Partial } else { outcome };
        let lost = open.let_go(&common, recorder);
        settle_lost(lost, Nanos::ZERO, exchange, &held.task, &mut held.account, recorder);
        recorder.note_awaited(recorder.key(&held.task), first, &mut |note| end.tell(note));
        while let Some(task) = held.account.lose() {
            let key = recorder.key(&task);
            if recorder.is_awaited(key) {
                recorder.close_awaited(key, std::mem::replace(&mut first, outcome));
            }
        }
        self.come_back(outcome, exchange, recorder)
    }

    /// Opens the connection again after a while, if that is declared and has not been done too often.
    fn come_back(&mut self, lost: Outcome, exchange: &Exchange, recorder: &mut Recorder) -> Interest {
        self.link = Link::None(lost);
        let (Some(held), Some(reconnect)) = (&mut self.held, exchange.reconnect) else { return Interest::Gone };
        if held.reconnects == 0 {
            return Interest::Gone;
        }
        held.reconnects -= 1;
        let (now, mut away) = (recorder.now(), reconnect.away(lost, recorder.now(), held.wait));
        let at = away.wait(now, &self.common.shared.turnstile);
        self.link = Link::Away(away);
        Interest::WakeAt(at.unwrap_or(now))
    }

    /// Takes what has come: first `rest`, which was read with something else.
    fn read(&mut self, rest: &[u8], exchange: &Exchange, recorder: &mut Recorder) -> Interest {
        let common = self.common.clone();
        let (Link::Open(open), Some(held)) = (&mut self.link, &mut self.held) else { return Interest::Gone };
        match open.read(rest, exchange, &common, held, recorder) {
            Ok(true) => Interest::Idle,
            Ok(false) => {
                // The edge is used up while there is more to read: come back without an event.
                recorder.wake(self.slot.number);
                Interest::Idle
            }
            Err(end) => self.lose(&end, recorder),
        }
    }
}
