//! A connection that is being opened: the handshake is one exchange of HTTP/1.1, whose connection is then taken over.

use super::{Link, Open, WsSession};
use crate::config::Exchange;
use crate::handshake::{self, KEY_BYTES};
use crate::{CONNECT, CONNECTS};
use contract::{Interest, Recorder, Task};
use extract::Answer;
use http_wire::{Call, Client, Counted, Expecting, Host, RawHead, Step, found, say, show};
use std::io;
use std::os::fd::BorrowedFd;
use terms::{Nanos, Outcome};

/// The handshake has begun.
const SWITCHING: u16 = 101;

/// A connection that is being opened.
pub(super) struct Opening {
    pub(super) task: Task,
    client: Client,
    request: Vec<u8>,
    key: [u8; KEY_BYTES],
}

/// A load thread as the host of the client that opens a connection.
struct Opener<'a> {
    recorder: &'a mut Recorder,
    task: &'a Task,
}

impl Host for Opener<'_> {
    fn now(&self) -> Nanos {
        self.recorder.now()
    }

    fn attach(&mut self, socket: BorrowedFd<'_>) -> io::Result<()> {
        self.recorder.attach(socket)
    }

    fn started(&mut self) {
        self.recorder.started(self.task);
    }

    fn count(&mut self, what: Counted) {
        if what == Counted::Connects {
            self.recorder.count(CONNECTS, 1);
        }
    }
}

impl Opening {
    fn step(&mut self, exchange: &Exchange, recorder: &mut Recorder) -> Step {
        let host = &mut Opener { recorder, task: &self.task };
        self.client.ready(&call(exchange, &self.request), host)
    }
}

fn call<'a>(exchange: &Exchange, request: &'a [u8]) -> Call<'a> {
    let expecting = Expecting { keeps_head: true, ..Expecting::default() };
    Call { target: exchange.endpoint, request, http2: None, expecting, reuse: false, retry: false }
}

impl WsSession {
    /// Asks for a connection.
    pub(super) fn open(&mut self, task: &Task, exchange: &Exchange, recorder: &mut Recorder) -> Interest {
        let common = self.common.clone();
        let key = handshake::key(self.seed(), self.openings);
        self.openings += 1;
        let mut request = common.shared.spare.take();
        let rendered =
            exchange.request.render(&key, &mut request, &mut |number, into| recorder.render(task, number, into));
        if let Err(why) = rendered {
            let trouble = recorder.take_trouble();
            recorder.note(Outcome::BadStudy, &mut |note| why.tell(trouble.as_deref(), note));
            recorder.close(task, CONNECT, Outcome::BadStudy, task.units, 0);
            common.shared.spare.give(request);
            self.link = Link::None(Outcome::BadStudy);
            return Interest::Gone;
        }
        let mut client = Client::new(common.shared.clone(), self.slot.number);
        let step = client.begin(&call(exchange, &request), task.intended, &mut Opener { recorder, task });
        self.link = Link::Opening(Box::new(Opening { task: *task, client, request, key }));
        self.after(step, exchange, recorder)
    }

    /// Goes on with it after an event.
    pub(super) fn go_on_opening(&mut self, exchange: &Exchange, recorder: &mut Recorder) -> Interest {
        let Link::Opening(opening) = &mut self.link else { return Interest::Gone };
        let step = opening.step(exchange, recorder);
        self.after(step, exchange, recorder)
    }

    fn after(&mut self, step: Step, exchange: &Exchange, recorder: &mut Recorder) -> Interest {
        let Link::Opening(opening) = &mut self.link else { return Interest::Gone };
        let task = opening.task;
        let outcome = match step {
            Step::Waiting(interest) => return interest,
            Step::Failed(failed) => {
                recorder.note(failed.outcome, &mut |note| failed.tell(note));
                failed.outcome
            }
            Step::Answered => judge(opening, exchange, recorder),
        };
        let bytes = opening.client.answer().body_bytes();
        let taken = if outcome == Outcome::Ok { opening.client.take() } else { None };
        recorder.close(&task, CONNECT, outcome, task.units, bytes);
        let Some((connection, rest)) = taken else {
            exchange.opening.capture_slots().for_each(|slot| recorder.capture(slot, None));
            self.let_go(outcome);
            return Interest::Gone;
        };
        let open = Open::new(connection, &task, exchange, (self.seed(), self.openings), recorder.now());
        self.let_go(Outcome::Reset);
        self.link = Link::Open(Box::new(open));
        // What came with the answer.
        self.read(&rest, exchange, recorder)
    }

    /// The opening is over, and messages that come due end so.
    fn let_go(&mut self, outcome: Outcome) {
        if let Link::Opening(opening) = std::mem::replace(&mut self.link, Link::None(outcome)) {
            self.common.shared.spare.give(opening.request);
        }
    }

    /// Gives up a connection that is being opened.
    pub(super) fn let_go_of_opening(&mut self, outcome: Outcome, recorder: &mut Recorder) {
        let Link::Opening(opening) = &self.link else { return };
        let (task, stood) = (opening.task, opening.client.stood());
        if outcome == Outcome::Timeout {
            recorder.note(outcome, &mut |note| {
                note.add(b"the connection was not open in time: ");
                stood.tell(note);
            });
        }
        recorder.close(&task, CONNECT, outcome, task.units, 0);
        self.let_go(outcome);
    }
}

/// Whether the answer to the request opens the connection; keeps its captures if it does.
fn judge(opening: &Opening, exchange: &Exchange, recorder: &mut Recorder) -> Outcome {
    let parser = opening.client.answer();
    let (status, head) = (parser.status(), parser.head());
    if status != SWITCHING {
        recorder.note(Outcome::Status, &mut |note| {
            say(note, format_args!("status {status}, where 101 opens the connection:"));
            show(note, parser.body());
        });
        return Outcome::Status;
    }
    if let Err(why) = handshake::check(head, &opening.key, &exchange.subprotocols) {
        recorder.note(Outcome::Fault, &mut |note| {
            let why = found(note, &why);
            say(note, format_args!("the server agreed to open the connection, but {why}"));
        });
        return Outcome::Fault;
    }
    looked_into(&opening.task, exchange, status, head, recorder)
}

fn looked_into(task: &Task, exchange: &Exchange, status: u16, head: RawHead<'_>, recorder: &mut Recorder) -> Outcome {
    let mut answer = Answer::new(status, &head, &[], 0);
    let checked = exchange.opening.evaluate(&mut answer, &mut |number, into| recorder.render(task, number, into));
    if let Err(failed) = checked {
        let outcome = if failed.is_study { Outcome::BadStudy } else { Outcome::Wrong };
        let why = recorder.take_trouble().unwrap_or(failed.found);
        recorder.note(outcome, &mut |note| {
            let found = found(note, &why);
            say(note, format_args!("`{}` does not hold of the opening, found `{found}`", failed.text));
        });
        return outcome;
    }
    if exchange.opening.has_captures() {
        let captured = exchange.opening.capture(&mut answer, &mut |slot, value| recorder.capture(slot, value));
        if let Err(failed) = captured {
            let outcome = if failed.is_study { Outcome::BadStudy } else { Outcome::Wrong };
            recorder.note(outcome, &mut |note| {
                say(note, format_args!("the opening has nothing to capture as `{}`: {}", failed.name, failed.found));
            });
            return outcome;
        }
    }
    if recorder.is_looking() {
        recorder.note(Outcome::Ok, &mut |note| {
            say(note, format_args!("status {status}: the connection is open"));
            if let Some(chosen) = head.all("sec-websocket-protocol").next() {
                note.add(b", its subprotocol is");
                show(note, chosen);
            }
        });
    }
    Outcome::Ok
}
