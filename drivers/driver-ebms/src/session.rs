//! One slot: one message at a time, sent by a client of `http-wire`.
//!
//! A message is in hand until its HTTP answer has come: that is the leg `accepted`. What comes later is waited for by the
//! engine, under a key that the message's id carries, from the moment its first byte is on the way: a Pong may overtake
//! the answer to its Ping.

use crate::answer::{self, Judged, settle};
use crate::common::{Common, call};
use crate::exchange::{Exchange, Route};
use crate::id::{self, Id};
use crate::resend::{Kept, Resender};
use contract::{Cancel, Interest, Recorder, Session, Task};
use http_wire::{Client, Failed, Recorded, Step};
use std::cell::RefCell;
use std::rc::Rc;
use terms::{Nanos, Outcome};

const ACCEPTED: u8 = 0;

pub(crate) struct EbmsSession {
    common: Rc<Common>,
    resender: Rc<RefCell<Resender>>,
    client: Client,
    /// By exchange: in which iteration of which step it was carried out last, and how often before in it.
    turns: Vec<Option<(u32, u64, u8)>>,
    in_hand: Option<InHand>,
    /// The message in hand as it is sent.
    request: Vec<u8>,
}

/// The message in hand.
#[derive(Clone, Copy, Debug)]
struct InHand {
    task: Task,
    route: u16,
    endpoint: usize,
    reuse: bool,
    id: Id,
    /// Since when its later legs are waited for.
    expected: Option<Nanos>,
}

impl EbmsSession {
    pub(crate) fn new(common: Rc<Common>, resender: Rc<RefCell<Resender>>) -> Self {
        // Connections are its own: over HTTP/1.1 the number of its slot is of no account.
        let client = Client::new(common.shared.clone(), 0);
        let turns = vec![None; common.exchanges.len()];
        Self { common, resender, client, turns, in_hand: None, request: Vec::new() }
    }

    /// How often this iteration has carried out this exchange before; `None` if that is too often to be told apart.
    fn turn(&mut self, task: &Task) -> Option<u8> {
        let last = self.turns.get_mut(usize::from(task.exchange))?;
        let turn = match *last {
            Some((step, serial, before)) if (step, serial) == (task.step, task.serial) => before.saturating_add(1),
            _ => 0,
        };
        *last = Some((task.step, task.serial, turn));
        (turn < id::TURNS_MAX).then_some(turn)
    }
}

impl Session for EbmsSession {
    fn begin(&mut self, task: &Task, recorder: &mut Recorder) -> Interest {
        let common = self.common.clone();
        let Some(exchange) = common.exchanges.get(usize::from(task.exchange)).and_then(Option::as_ref) else {
            // The engine hands out only what `build` was given; a wrong number must not be silent.
            recorder.close(task, ACCEPTED, Outcome::BadStudy, task.units, 0);
            return Interest::Idle;
        };
        let mut request = common.shared.spare.take();
        let written = match self.turn(task) {
            Some(turn) => {
                exchange.write(task, turn, common.nonce, &mut common.scratch.borrow_mut(), recorder, &mut request)
            }
            None => Err(format!("one iteration carries out the exchange more than {} times", id::TURNS_MAX)),
        };
        let written = match written {
            Ok(written) => written,
            Err(why) => {
                recorder.note(Outcome::BadStudy, &mut |note| note.add(why.as_bytes()));
                exchange.compiled.capture_slots().for_each(|slot| recorder.capture(slot, None));
                recorder.close(task, ACCEPTED, Outcome::BadStudy, task.units, 0);
                common.shared.spare.give(request);
                return Interest::Idle;
            }
        };
        let (endpoint, reuse, id) = (written.route.endpoint, exchange.reuse, written.id);
        self.in_hand = Some(InHand { task: *task, route: id.route, endpoint, reuse, id, expected: None });
        self.request = request;
        recorder.started(task);
        let host = &mut Recorded { recorder, task: None };
        let step = self.client.begin(&call(endpoint, &self.request, reuse), task.intended, host);
        self.after(step, recorder)
    }

    fn ready(&mut self, recorder: &mut Recorder) -> Interest {
        let common = self.common.clone();
        self.resender.borrow_mut().drive(&common, recorder);
        if let Some(in_hand) = self.in_hand {
            let host = &mut Recorded { recorder, task: None };
            let step = self.client.ready(&call(in_hand.endpoint, &self.request, in_hand.reuse), host);
            return self.after(step, recorder);
        }
        self.client.tidy(&mut Recorded { recorder, task: None });
        Interest::Idle
    }

    fn cancel(&mut self, why: Cancel, recorder: &mut Recorder) {
        let Some(in_hand) = self.in_hand else { return };
        let outcome = if why == Cancel::Deadline { Outcome::Timeout } else { Outcome::Aborted };
        if why == Cancel::Deadline {
            let stood = self.client.stood();
            recorder.note(outcome, &mut |note| stood.tell(note));
        }
        self.close(in_hand, outcome, recorder);
    }
}

impl EbmsSession {
    fn after(&mut self, step: Step, recorder: &mut Recorder) -> Interest {
        let Some(mut in_hand) = self.in_hand else { return Interest::Idle };
        if self.client.has_left() {
            self.expect(&mut in_hand, recorder);
        }
        match step {
            Step::Waiting(interest) => interest,
            Step::Answered => self.answered(in_hand, recorder),
            Step::Failed(failed) => self.failed(in_hand, &failed, recorder),
        }
    }

    /// Opens the legs that something later closes, once.
    fn expect(&mut self, in_hand: &mut InHand, recorder: &mut Recorder) {
        if in_hand.expected.is_some() {
            return;
        }
        in_hand.expected = Some(recorder.now());
        self.in_hand = Some(*in_hand);
        let Some((exchange, route)) = route_of(&self.common, in_hand) else { return };
        let (afterwards, mut is_awaited) = (exchange.watched_afterwards(route), false);
        for leg in exchange.later_legs(route) {
            let key = id::of_leg(in_hand.id.key, leg);
            recorder.expect_and_watch(&in_hand.task, leg, key, exchange.within_of(leg, route), afterwards);
            is_awaited = true;
        }
        if !is_awaited {
            recorder.watch(&in_hand.task, exchange.error_leg(), in_hand.id.key, exchange.watched(route));
        }
    }

    fn answered(&mut self, mut in_hand: InHand, recorder: &mut Recorder) -> Interest {
        let common = self.common.clone();
        let Some((exchange, route)) = route_of(&common, &in_hand) else { return Interest::Idle };
        let parser = self.client.answer();
        let judged = answer::judge(exchange, route, &in_hand.id, &in_hand.task, parser, &common, recorder);
        // An answer before the request had left would be strange, but its legs must be open to be closed.
        self.expect(&mut in_hand, recorder);
        settle(exchange, route, &in_hand.id, &judged, recorder);
        let Judged { outcome, why, found, closes, .. } = judged;
        let told = closes.map_or(outcome, |(_, outcome)| outcome);
        if told != Outcome::Ok {
            recorder.note(told, &mut |note| {
                note.add(why.as_bytes());
                if let Some(found) = &found {
                    let found = http_wire::found(note, found);
                    note.add(format!("; found `{found}`").as_bytes());
                }
            });
        } else if recorder.is_looking() {
            let parser = self.client.answer();
            let (status, bytes) = (parser.status(), parser.body_bytes());
            recorder.note(outcome, &mut |note| note.add(format!("status {status}, {bytes} bytes").as_bytes()));
        }
        self.close(in_hand, outcome, recorder)
    }

    fn failed(&mut self, mut in_hand: InHand, failed: &Failed, recorder: &mut Recorder) -> Interest {
        recorder.note(failed.outcome, &mut |note| failed.tell(note));
        let is_sent_again = route_of(&self.common, &in_hand).is_some_and(|(_, route)| route.retries > 0);
        if is_sent_again {
            // Reliable messaging is there for just that: the message is still to arrive.
            self.expect(&mut in_hand, recorder);
        }
        self.close(in_hand, failed.outcome, recorder)
    }

    /// Ends the message in hand, the one way out.
    fn close(&mut self, in_hand: InHand, outcome: Outcome, recorder: &mut Recorder) -> Interest {
        self.in_hand = None;
        let common = self.common.clone();
        let bytes = self.client.answer().body_bytes();
        let host = &mut Recorded { recorder, task: None };
        let interest = self.client.finish(&call(in_hand.endpoint, &self.request, in_hand.reuse), host);
        let request = std::mem::take(&mut self.request);
        if let Some((exchange, route)) = route_of(&common, &in_hand) {
            if outcome != Outcome::Ok {
                exchange.compiled.capture_slots().for_each(|slot| recorder.capture(slot, None));
            }
            self.keep(in_hand, exchange, route, request, outcome, recorder);
        }
        recorder.close(&in_hand.task, ACCEPTED, outcome, in_hand.task.units, bytes);
        interest
    }

    /// Keeps a message that is to be sent again unless it is acknowledged.
    fn keep(
        &self,
        in_hand: InHand,
        exchange: &Exchange,
        route: &Route,
        request: Vec<u8>,
        outcome: Outcome,
        recorder: &mut Recorder,
    ) {
        let is_to_be = route.retries > 0 && route.interval > Nanos::ZERO && outcome != Outcome::Aborted;
        let Some(since) = in_hand.expected.filter(|_| is_to_be && recorder.is_awaited(in_hand.id.key)) else {
            return self.common.shared.spare.give(request);
        };
        let InHand { endpoint, id, route: number, .. } = in_hand;
        let kept = Kept {
            request,
            endpoint,
            id,
            exchange: in_hand.task.exchange,
            route: number,
            left: route.retries,
            interval: route.interval,
            timeout: exchange.timeout,
        };
        self.resender.borrow_mut().keep(since + route.interval, kept, &self.common, recorder);
    }
}

fn route_of<'a>(common: &'a Common, in_hand: &InHand) -> Option<(&'a Exchange, &'a Route)> {
    let exchange = common.exchanges.get(usize::from(in_hand.task.exchange))?.as_ref()?;
    Some((exchange, exchange.routes.get(usize::from(in_hand.route))?.as_ref().ok()?))
}
