//! A connection that is being opened: the handshake is one exchange of HTTP/1.1, whose connection is then taken over.

use super::{Link, Open, WsSession};
use crate::config::Exchange;
use crate::handshake::{self, KEY_BYTES, Offered};
use crate::{COMPRESSED, CONNECT, CONNECTS, RECONNECTS, REOPENED};
use contract::{Interest, Note, Recorder, Task};
use extract::Answer;
use http_wire::{Call, Client, Counted, Expecting, Host, RawHead, Step, found, say, show};
use std::io;
use std::os::fd::BorrowedFd;
use terms::{Nanos, Outcome};

/// The handshake has begun.
const SWITCHING: u16 = 101;

/// A connection that is being opened.
pub(super) struct Opening {
    /// Its first opening, also where it is opened again.
    pub(super) task: Task,
    client: Client,
    request: Vec<u8>,
    key: [u8; KEY_BYTES],
    /// Where it was open before: until when it has to be open again.
    again: Option<Nanos>,
}

/// A load thread as the host of the client that opens a connection.
struct Opener<'a> {
    recorder: &'a mut Recorder,
    /// The task in hand; none where the connection is opened again.
    task: Option<&'a Task>,
}

impl Host for Opener<'_> {
    fn now(&self) -> Nanos {
        self.recorder.now()
    }

    fn attach(&mut self, socket: BorrowedFd<'_>) -> io::Result<()> {
        self.recorder.attach(socket)
    }

    fn started(&mut self) {
        if let Some(task) = self.task {
            self.recorder.started(task);
        }
    }

    fn count(&mut self, what: Counted) {
        if what == Counted::Connects {
            self.recorder.count(if self.task.is_some() { CONNECTS } else { RECONNECTS }, 1);
        }
    }
}

impl Opening {
    fn step(&mut self, exchange: &Exchange, recorder: &mut Recorder) -> Step {
        let task = Some(&self.task).filter(|_| self.again.is_none());
        self.client.ready(&call(exchange, &self.request), &mut Opener { recorder, task })
    }
}

fn call<'a>(exchange: &Exchange, request: &'a [u8]) -> Call<'a> {
    let expecting = Expecting { keeps_head: true, ..Expecting::default() };
    Call { target: exchange.endpoint, request, http2: None, expecting, reuse: false, retry: false }
}

impl WsSession {
    /// Asks for a connection: for the first time, or again after it was lost.
    pub(super) fn open(
        &mut self,
        task: &Task,
        exchange: &Exchange,
        is_again: bool,
        recorder: &mut Recorder,
    ) -> Interest {
        let common = self.common.clone();
        let key = handshake::key(self.seed(), self.openings);
        self.openings += 1;
        let mut request = common.shared.spare.take();
        let rendered =
            exchange.request.render(&key, &mut request, &mut |number, into| recorder.render(task, number, into));
        if let Err(why) = rendered {
            let trouble = recorder.take_trouble();
            say_of(task, Outcome::BadStudy, &|note| why.tell(trouble.as_deref(), note), recorder);
            if !is_again {
                recorder.close(task, CONNECT, Outcome::BadStudy, task.units, 0);
            }
            common.shared.spare.give(request);
            return self.not_open((Outcome::BadStudy, true), is_again, task, exchange, recorder);
        }
        let now = recorder.now();
        let again = is_again.then_some(now + exchange.opening_within);
        let (first, from) = if is_again { (None, now) } else { (Some(task), task.intended) };
        let mut client = Client::new(common.shared.clone(), self.slot.number);
        let step = client.begin(&call(exchange, &request), from, &mut Opener { recorder, task: first });
        self.link = Link::Opening(Box::new(Opening { task: *task, client, request, key, again }));
        let interest = self.after(step, exchange, recorder);
        match (&self.link, again) {
            // The engine cuts off what is in hand; this is not.
            (Link::Opening(_), Some(until)) => Interest::WakeAt(until),
            _ => interest,
        }
    }

    /// Goes on with it after an event.
    pub(super) fn go_on_opening(&mut self, exchange: &Exchange, recorder: &mut Recorder) -> Interest {
        let Link::Opening(opening) = &mut self.link else { return Interest::Gone };
        if opening.again.is_some_and(|until| recorder.now() >= until) {
            let (task, stood) = (opening.task, opening.client.stood());
            say_of(&task, Outcome::Timeout, &|note| late(stood, note), recorder);
            self.let_go(Outcome::Reset);
            return self.not_open((Outcome::Timeout, false), true, &task, exchange, recorder);
        }
        let step = opening.step(exchange, recorder);
        self.after(step, exchange, recorder)
    }

    fn after(&mut self, step: Step, exchange: &Exchange, recorder: &mut Recorder) -> Interest {
        let Link::Opening(opening) = &mut self.link else { return Interest::Gone };
        let (task, is_again) = (opening.task, opening.again.is_some());
        let (outcome, is_final, is_compressed) = match step {
            Step::Waiting(interest) if !is_again => return interest,
            Step::Waiting(Interest::WakeAt(_)) => {
                recorder.wake(self.slot.number);
                return Interest::Idle;
            }
            Step::Waiting(_) => return Interest::Idle,
            Step::Failed(failed) => {
                say_of(&task, failed.outcome, &|note| failed.tell(note), recorder);
                (failed.outcome, false, false)
            }
            Step::Answered => {
                let (outcome, is_compressed) = judge(opening, exchange, recorder);
                (outcome, true, is_compressed)
            }
        };
        let bytes = opening.client.answer().body_bytes();
        let taken = if outcome == Outcome::Ok { opening.client.take() } else { None };
        let Some((connection, rest)) = taken else {
            exchange.opening.capture_slots().for_each(|slot| recorder.capture(slot, None));
            if !is_again {
                recorder.close(&task, CONNECT, outcome, task.units, bytes);
            }
            self.let_go(outcome);
            return self.not_open((outcome, is_final), is_again, &task, exchange, recorder);
        };
        if is_again {
            recorder.count(REOPENED, 1);
        } else {
            recorder.close(&task, CONNECT, outcome, task.units, bytes);
        }
        recorder.count(COMPRESSED, i64::from(is_compressed));
        let mut open = Open::new(connection, &task, exchange, (self.seed(), self.openings), recorder.now());
        if is_compressed {
            open.agree_on_compression(exchange);
        }
        self.let_go(Outcome::Reset);
        self.link = Link::Open(Box::new(open));
        // What came with the answer.
        self.read(&rest, exchange, recorder)
    }

    /// There is no connection. One that was open before may be asked for once more, unless the answer was the last word.
    fn not_open(
        &mut self,
        (outcome, is_final): (Outcome, bool),
        is_again: bool,
        task: &Task,
        exchange: &Exchange,
        recorder: &mut Recorder,
    ) -> Interest {
        if is_again && !is_final {
            return self.come_back(task, exchange, recorder);
        }
        // Of one that was lost it stays that, whyever it did not come back.
        self.link = Link::None(if is_again { Outcome::Reset } else { outcome });
        Interest::Gone
    }

    /// The opening is over, and messages that come due end so.
    fn let_go(&mut self, outcome: Outcome) {
        if let Link::Opening(opening) = std::mem::replace(&mut self.link, Link::None(outcome)) {
            self.common.shared.spare.give(opening.request);
        }
    }

    /// Gives up a connection that is being opened. One that is opened again has a time of its own.
    pub(super) fn let_go_of_opening(&mut self, outcome: Outcome, recorder: &mut Recorder) {
        let Link::Opening(opening) = &self.link else { return };
        if opening.again.is_some() {
            return;
        }
        let (task, stood) = (opening.task, opening.client.stood());
        if outcome == Outcome::Timeout {
            say_of(&task, outcome, &|note| late(stood, note), recorder);
        }
        recorder.close(&task, CONNECT, outcome, task.units, 0);
        self.let_go(outcome);
    }
}

/// Says more of an opening, also where nothing is in hand.
fn say_of(task: &Task, outcome: Outcome, tell: &dyn Fn(&mut Note), recorder: &mut Recorder) {
    recorder.note_awaited(recorder.key(task), outcome, &mut |note| tell(note));
}

fn late(stood: http_wire::Stood, note: &mut Note) {
    note.add(b"the connection was not open in time: ");
    stood.tell(note);
}

/// Whether the answer to the request opens the connection, and whether it agrees on compression; keeps its captures if it
/// does.
fn judge(opening: &Opening, exchange: &Exchange, recorder: &mut Recorder) -> (Outcome, bool) {
    let parser = opening.client.answer();
    let (status, head, key) = (parser.status(), parser.head(), recorder.key(&opening.task));
    if status != SWITCHING {
        recorder.note_awaited(key, Outcome::Status, &mut |note| {
            say(note, format_args!("status {status}, where 101 opens the connection:"));
            show(note, parser.body());
        });
        return (Outcome::Status, false);
    }
    let offered = Offered { subprotocols: &exchange.subprotocols, compression: exchange.compression };
    match handshake::check(head, &opening.key, offered) {
        Ok(is_compressed) => {
            let of = (&opening.task, key);
            (looked_into(of, exchange, (status, is_compressed), head, recorder), is_compressed)
        }
        Err(why) => {
            recorder.note_awaited(key, Outcome::Fault, &mut |note| {
                let why = found(note, &why);
                say(note, format_args!("the server agreed to open the connection, but {why}"));
            });
            (Outcome::Fault, false)
        }
    }
}

fn looked_into(
    (task, key): (&Task, u128),
    exchange: &Exchange,
    (status, is_compressed): (u16, bool),
    head: RawHead<'_>,
    recorder: &mut Recorder,
) -> Outcome {
    let mut answer = Answer::new(status, &head, &[], 0);
    let checked = exchange.opening.evaluate(&mut answer, &mut |number, into| recorder.render(task, number, into));
    if let Err(failed) = checked {
        let outcome = if failed.is_study { Outcome::BadStudy } else { Outcome::Wrong };
        let why = recorder.take_trouble().unwrap_or(failed.found);
        recorder.note_awaited(key, outcome, &mut |note| {
            let found = found(note, &why);
            say(note, format_args!("`{}` does not hold of the opening, found `{found}`", failed.text));
        });
        return outcome;
    }
    if exchange.opening.has_captures() {
        let captured = exchange.opening.capture(&mut answer, &mut |slot, value| recorder.capture(slot, value));
        if let Err(failed) = captured {
            let outcome = if failed.is_study { Outcome::BadStudy } else { Outcome::Wrong };
            recorder.note_awaited(key, outcome, &mut |note| {
                say(note, format_args!("the opening has nothing to capture as `{}`: {}", failed.name, failed.found));
            });
            return outcome;
        }
    }
    if recorder.is_looking() {
        recorder.note_awaited(key, Outcome::Ok, &mut |note| {
            say(note, format_args!("status {status}: the connection is open"));
            if let Some(chosen) = head.all("sec-websocket-protocol").next() {
                note.add(b", its subprotocol is");
                show(note, chosen);
            }
            match head.all("sec-websocket-extensions").next().filter(|_| is_compressed) {
                Some(agreed) => {
                    note.add(b", messages are compressed:");
                    show(note, agreed);
                }
                None if exchange.compression => note.add(b"; the server declined to compress messages"),
                None => {}
            }
        });
    }
    Outcome::Ok
}
