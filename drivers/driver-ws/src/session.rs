//! One slot: one connection, held open, with the messages on it.
//!
//! One message at a time is in hand, until the kernel has all of it; its answer is waited for by the engine, under the key
//! of its task, while the next ones are sent. Whatever ends a connection goes through [`WsSession::lose`] once, which ends
//! all that waited on it.

mod answers;
mod end;
mod open;
mod opening;

use crate::config::Exchange;
use crate::driver::Common;
use crate::flights::Flights;
use crate::{ANSWER, CONNECT, LOST, SENT};
use contract::{Cancel, Interest, Recorder, Session, Slot, Task};
use end::End;
use http_wire::Away;
use open::Open;
use opening::Opening;
use std::rc::Rc;
use terms::{Outcome, seed};

pub(crate) struct WsSession {
    common: Rc<Common>,
    slot: Slot,
    /// How often a connection was opened: each has a key and masks of its own.
    openings: u64,
    /// How often it may still be opened again.
    reconnects: u64,
    link: Link,
    talk: Talk,
}

/// The connection of a slot.
enum Link {
    /// There is none, and how a message ends that comes due.
    None(Outcome),
    Opening(Box<Opening>),
    Open(Box<Open>),
    /// It was lost, and is opened again.
    Away(Box<Gone>),
}

/// A connection between its loss and its next opening.
struct Gone {
    /// Its first opening.
    task: Task,
    away: Away,
}

/// The messages of a connection.
#[derive(Debug, Default)]
struct Talk {
    in_hand: Option<InHand>,
    flights: Flights,
}

/// The message in hand.
#[derive(Clone, Copy, Debug)]
struct InHand {
    task: Task,
    /// Whether it is a frame by now, and its answer waited for.
    is_frame: bool,
}

impl WsSession {
    pub(crate) fn new(common: Rc<Common>, slot: Slot) -> Self {
        Self { common, slot, openings: 0, reconnects: 0, link: Link::None(Outcome::Reset), talk: Talk::default() }
    }

    /// What random numbers of this connection are made from.
    fn seed(&self) -> u64 {
        seed::hash(self.common.nonce, self.slot.user)
    }
}

impl Session for WsSession {
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
        self.reconnects = exchange.reconnect.map_or(0, |reconnect| reconnect.at_most);
        self.open(task, exchange, false, recorder)
    }

    fn begin(&mut self, task: &Task, recorder: &mut Recorder) -> Interest {
        let common = self.common.clone();
        let Some(exchange) = common.exchange(task.exchange) else {
            recorder.close(task, SENT, Outcome::BadStudy, task.units, 0);
            return Interest::Idle;
        };
        self.talk.in_hand = Some(InHand { task: *task, is_frame: false });
        let (outcome, interest) = match &self.link {
            Link::Open(_) => {
                return self.turn(recorder, |open, talk, recorder| open.write(exchange, &common, talk, recorder));
            }
            Link::None(outcome) => (*outcome, Interest::Gone),
            Link::Away(gone) => (gone.away.lost, Interest::Idle),
            Link::Opening(_) => (Outcome::Reset, Interest::Idle),
        };
        recorder.started(task);
        self.talk.close(exchange, outcome, recorder);
        interest
    }

    fn ready(&mut self, recorder: &mut Recorder) -> Interest {
        let common = self.common.clone();
        match &mut self.link {
            Link::None(_) => Interest::Gone,
            Link::Away(gone) => match gone.away.wait(recorder.now(), &common.shared.turnstile) {
                Some(at) => Interest::WakeAt(at),
                None => {
                    let task = gone.task;
                    match common.exchange(task.exchange) {
                        Some(exchange) => self.open(&task, exchange, true, recorder),
                        None => Interest::Gone,
                    }
                }
            },
            Link::Opening(opening) => match common.exchange(opening.task.exchange) {
                Some(exchange) => self.go_on_opening(exchange, recorder),
                None => Interest::Gone,
            },
            Link::Open(open) => match common.exchange(open.task.exchange) {
                Some(exchange) => self.read(&[], exchange, recorder),
                None => Interest::Gone,
            },
        }
    }

    fn cancel(&mut self, why: Cancel, recorder: &mut Recorder) {
        let common = self.common.clone();
        let outcome = if why == Cancel::Deadline { Outcome::Timeout } else { Outcome::Aborted };
        self.let_go_of_opening(outcome, recorder);
        let Some(in_hand) = self.talk.in_hand else { return };
        let Some(exchange) = common.exchange(in_hand.task.exchange) else { return };
        if outcome == Outcome::Timeout {
            recorder.note(outcome, &mut |note| note.add(b"the server did not take the message in time"));
        }
        // A frame that is begun is written to its end all the same, or nothing could follow it.
        self.talk.close(exchange, outcome, recorder);
    }

    fn disconnect(&mut self, _: &mut Recorder) {
        if let Link::Open(open) = &mut self.link {
            open.say_goodbye(crate::close::NORMAL);
        }
        self.link = Link::None(Outcome::Reset);
        self.talk.flights.forget();
    }
}

impl WsSession {
    /// The connection has ended, the one way out but for the end of the load: what waited on it ends with it.
    fn lose(&mut self, end: &End, recorder: &mut Recorder) -> Interest {
        let outcome = end.outcome();
        let Link::Open(mut open) = std::mem::replace(&mut self.link, Link::None(Outcome::Reset)) else {
            return Interest::Gone;
        };
        if let Some(code) = end.code() {
            open.say_goodbye(code);
        }
        recorder.count(LOST, 1);
        let (common, task) = (self.common.clone(), open.task);
        let exchange = common.exchange(task.exchange);
        if let Some(exchange) = exchange {
            // A part of an answer had come, and the oldest is the one that waited for it.
            let mut first = if open.has_part() && outcome == Outcome::Reset { Outcome::Partial } else { outcome };
            while let Some(task) = self.talk.flights.lose() {
                let key = recorder.key(&task);
                if recorder.is_awaited(key) {
                    recorder.note_awaited(key, first, &mut |note| end.tell(note));
                    recorder.close_awaited(key, std::mem::replace(&mut first, outcome));
                }
            }
            if self.talk.in_hand.is_some() {
                recorder.note(outcome, &mut |note| end.tell(note));
                self.talk.close(exchange, outcome, recorder);
            }
        }
        self.talk.flights.forget();
        open.let_go(&self.common);
        exchange.map_or(Interest::Gone, |exchange| self.come_back(&task, exchange, recorder))
    }

    /// Opens the connection again after a while, if that is declared and has not been done too often.
    fn come_back(&mut self, task: &Task, exchange: &Exchange, recorder: &mut Recorder) -> Interest {
        self.link = Link::None(Outcome::Reset);
        let Some(reconnect) = exchange.reconnect.filter(|_| self.reconnects > 0) else { return Interest::Gone };
        self.reconnects -= 1;
        let now = recorder.now();
        let mut away = reconnect.away(Outcome::Reset, now, None);
        let at = away.wait(now, &self.common.shared.turnstile);
        self.link = Link::Away(Box::new(Gone { task: *task, away }));
        Interest::WakeAt(at.unwrap_or(now))
    }

    /// Carries out one turn of an open connection, and loses it if that ends it.
    fn turn(
        &mut self,
        recorder: &mut Recorder,
        turn: impl FnOnce(&mut Open, &mut Talk, &mut Recorder) -> Result<(), End>,
    ) -> Interest {
        let Link::Open(open) = &mut self.link else { return Interest::Gone };
        match turn(open, &mut self.talk, recorder) {
            Ok(()) if self.talk.in_hand.is_some() => Interest::Io { read: true, write: true },
            Ok(()) => open.wants_call().map_or(Interest::Idle, Interest::WakeAt),
            Err(end) => self.lose(&end, recorder),
        }
    }

    /// Takes what has come: first `rest`, which was read with something else.
    fn read(&mut self, rest: &[u8], exchange: &Exchange, recorder: &mut Recorder) -> Interest {
        let (common, slot) = (self.common.clone(), self.slot.number);
        self.turn(recorder, |open, talk, recorder| {
            if !open.read(rest, exchange, &common, &mut talk.flights, recorder)? {
                // The edge is used up while there is more to read: come back without an event.
                recorder.wake(slot);
            }
            open.write(exchange, &common, talk, recorder)
        })
    }
}

impl Talk {
    /// Ends the message in hand. Where that is not well, no answer to it is waited for any more; each message has its
    /// place in both legs, sent or not.
    fn close(&mut self, exchange: &Exchange, outcome: Outcome, recorder: &mut Recorder) {
        let Some(InHand { task, is_frame }) = self.in_hand.take() else { return };
        if exchange.is_answered() && outcome != Outcome::Ok {
            let key = recorder.key(&task);
            if !is_frame {
                recorder.expect(&task, ANSWER, key, exchange.within);
            }
            recorder.close_awaited(key, outcome);
        }
        recorder.close(&task, SENT, outcome, task.units, 0);
    }
}
