//! A connection that is being opened: one exchange of HTTP/1.1, whose connection is taken over with the head of the answer.

use super::events::Flow;
use super::{Held, Link, Open, SseSession};
use crate::config::Exchange;
use crate::{CONNECT, CONNECTS, RECONNECTS, REOPENED};
use contract::{Interest, Note, Recorder, Task};
use extract::{Answer, Headers};
use http_wire::{Body, Call, Client, Counted, EXCERPT_BYTES, Expecting, Host, RawHead, Step, found, say, show};
use std::io;
use std::os::fd::BorrowedFd;
use terms::{Nanos, Outcome};

/// The stream begins.
const OK: u16 = 200;
/// The server has nothing to say, and wants nobody to come back.
const NO_CONTENT: u16 = 204;
/// What the answer has to be.
const TYPE: &[u8] = b"text/event-stream";

/// A connection that is being opened.
pub(super) struct Opening {
    client: Client,
    request: Vec<u8>,
    /// Where it was open before: how it was lost, and until when it has to be open again.
    again: Option<(Outcome, Nanos)>,
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
    /// How an event ends that comes due meanwhile.
    pub(super) fn lost(&self) -> Outcome {
        self.again.map_or(Outcome::Reset, |(lost, _)| lost)
    }
}

fn call<'a>(exchange: &Exchange, request: &'a [u8]) -> Call<'a> {
    let expecting = Expecting { keeps_head: true, leaves_body: true, ..Expecting::default() };
    Call { target: exchange.endpoint, request, http2: None, expecting, reuse: false, retry: false }
}

/// The header that says what was had before the connection was lost.
fn resumed(held: &Held) -> Vec<u8> {
    match held.last_id.is_empty() {
        true => Vec::new(),
        false => [b"Last-Event-ID: ", held.last_id.as_slice(), b"\r\n"].concat(),
    }
}

impl SseSession {
    /// Asks for a connection: for the first time, or again after it was `lost` so.
    pub(super) fn open(&mut self, exchange: &Exchange, lost: Option<Outcome>, recorder: &mut Recorder) -> Interest {
        let common = self.common.clone();
        let Some(held) = &self.held else { return Interest::Gone };
        let task = held.task;
        let own = if lost.is_some() { resumed(held) } else { Vec::new() };
        let mut request = common.shared.spare.take();
        let rendered =
            exchange.request.render(&own, &mut request, &mut |number, into| recorder.render(&task, number, into));
        if let Err(why) = rendered {
            let trouble = recorder.take_trouble();
            self.say(Outcome::BadStudy, &|note| why.tell(trouble.as_deref(), note), recorder);
            common.shared.spare.give(request);
            return self.not_open(Outcome::BadStudy, lost, true, exchange, recorder);
        }
        let now = recorder.now();
        let until = now + exchange.opening_within;
        let mut client = Client::new(common.shared.clone(), self.slot.number);
        let from = if lost.is_some() { now } else { task.intended };
        let first = Some(&task).filter(|_| lost.is_none());
        let step = client.begin(&call(exchange, &request), from, &mut Opener { recorder, task: first });
        let again = lost.map(|lost| (lost, until));
        self.link = Link::Opening(Box::new(Opening { client, request, again }));
        let interest = self.after(step, exchange, recorder);
        // The engine cuts off what is in hand; this is not.
        match &self.link {
            Link::Opening(opening) if opening.again.is_some() => Interest::WakeAt(until),
            _ => interest,
        }
    }

    /// Goes on with it after an event.
    pub(super) fn go_on_opening(&mut self, exchange: &Exchange, recorder: &mut Recorder) -> Interest {
        let (Link::Opening(opening), Some(held)) = (&mut self.link, &self.held) else { return Interest::Gone };
        let task = held.task;
        if let Some((lost, until)) = opening.again
            && recorder.now() >= until
        {
            let stood = opening.client.stood();
            self.say(Outcome::Timeout, &|note| late(stood, note), recorder);
            self.let_go();
            return self.not_open(Outcome::Timeout, Some(lost), false, exchange, recorder);
        }
        let first = Some(&task).filter(|_| opening.again.is_none());
        let step = opening.client.ready(&call(exchange, &opening.request), &mut Opener { recorder, task: first });
        self.after(step, exchange, recorder)
    }

    fn after(&mut self, step: Step, exchange: &Exchange, recorder: &mut Recorder) -> Interest {
        let Link::Opening(opening) = &mut self.link else { return Interest::Gone };
        let lost = opening.again.map(|(lost, _)| lost);
        match step {
            Step::Waiting(interest) if lost.is_none() => interest,
            Step::Waiting(Interest::WakeAt(_)) => {
                recorder.wake(self.slot.number);
                Interest::Idle
            }
            Step::Waiting(_) => Interest::Idle,
            Step::Failed(failed) => {
                self.say(failed.outcome, &|note| failed.tell(note), recorder);
                self.let_go();
                self.not_open(failed.outcome, lost, false, exchange, recorder)
            }
            Step::Answered => self.answered(lost, exchange, recorder),
        }
    }

    /// The head of an answer has come; of one that does not open a stream all of it.
    fn answered(&mut self, lost: Option<Outcome>, exchange: &Exchange, recorder: &mut Recorder) -> Interest {
        let (Link::Opening(opening), Some(held)) = (&mut self.link, &self.held) else { return Interest::Gone };
        let task = held.task;
        let mut body = opening.client.take_body();
        let taken = opening.client.take();
        let rest = taken.as_ref().map_or(&[][..], |(_, rest)| rest);
        let outcome = judge(opening, (&mut body, rest), &task, exchange, recorder);
        if outcome == Outcome::Ok
            && let (Some((connection, rest)), Some(body)) = (taken, body)
        {
            match lost {
                None => recorder.close(&task, CONNECT, outcome, task.units, 0),
                Some(_) => recorder.count(REOPENED, 1),
            }
            self.let_go();
            let flow = Flow::new(recorder.now(), lost.is_none());
            self.link = Link::Open(Box::new(Open::new(connection, body, exchange, flow)));
            // What came with the head.
            return self.read(&rest, exchange, recorder);
        }
        exchange.opening.capture_slots().for_each(|slot| recorder.capture(slot, None));
        self.let_go();
        // As the standard has it: an answer that opens no stream is the last word.
        self.not_open(outcome, lost, true, exchange, recorder)
    }

    /// There is no connection. One that was open before may be asked for once more, unless that is `final`.
    fn not_open(
        &mut self,
        outcome: Outcome,
        lost: Option<Outcome>,
        is_final: bool,
        exchange: &Exchange,
        recorder: &mut Recorder,
    ) -> Interest {
        let lost = match (lost, &self.held) {
            (Some(lost), _) if !is_final => return self.come_back(lost, exchange, recorder),
            (Some(lost), _) => lost,
            (None, Some(held)) => {
                let task = held.task;
                recorder.close(&task, CONNECT, outcome, task.units, 0);
                outcome
            }
            (None, None) => outcome,
        };
        self.link = Link::None(lost);
        Interest::Gone
    }

    /// Gives up the opening in hand.
    pub(super) fn give_up_opening(&mut self, outcome: Outcome, recorder: &mut Recorder) {
        let (Link::Opening(opening), Some(held)) = (&self.link, &self.held) else { return };
        if opening.again.is_some() {
            return;
        }
        let (task, stood) = (held.task, opening.client.stood());
        if outcome == Outcome::Timeout {
            self.say(outcome, &|note| late(stood, note), recorder);
        }
        recorder.close(&task, CONNECT, outcome, task.units, 0);
        self.let_go();
        self.link = Link::None(outcome);
    }

    /// The opening is over.
    fn let_go(&mut self) {
        if let Link::Opening(opening) = std::mem::replace(&mut self.link, Link::None(Outcome::Reset)) {
            self.common.shared.spare.give(opening.request);
        }
    }

    /// Says more of the opening, also where nothing is in hand.
    fn say(&self, outcome: Outcome, tell: &dyn Fn(&mut Note), recorder: &mut Recorder) {
        if let Some(held) = &self.held {
            recorder.note_awaited(recorder.key(&held.task), outcome, &mut |note| tell(note));
        }
    }
}

fn late(stood: http_wire::Stood, note: &mut Note) {
    note.add(b"the connection was not open in time: ");
    stood.tell(note);
}

/// Whether the answer opens a stream; keeps its captures if it does. `body` is what comes behind the head, with its
/// beginning.
fn judge(
    opening: &Opening,
    (body, rest): (&mut Option<Body>, &[u8]),
    task: &Task,
    exchange: &Exchange,
    recorder: &mut Recorder,
) -> Outcome {
    let parser = opening.client.answer();
    let (status, head, key) = (parser.status(), parser.head(), recorder.key(task));
    if status != OK {
        recorder.note_awaited(key, Outcome::Status, &mut |note| {
            say(note, format_args!("status {status}, where 200 opens the stream"));
            match (status, head.header("location")) {
                (300..400, Some(location)) => {
                    note.add(b"; redirects are not followed, write the address that it leads to:");
                    show(note, location);
                }
                (NO_CONTENT, _) => note.add(b": the server has no events, and wants nobody to come back"),
                _ => {
                    note.add(b":");
                    show(note, parser.body());
                }
            }
        });
        return Outcome::Status;
    }
    let found = head.header("content-type");
    if !found.is_some_and(is_event_stream) {
        recorder.note_awaited(key, Outcome::Wrong, &mut |note| {
            match found {
                Some(found) => {
                    note.add(b"the content type is not `text/event-stream` but");
                    show(note, found);
                }
                None => note.add(b"the answer has no content type, where `text/event-stream` opens a stream"),
            }
            note.add(b":");
            show(note, &beginning(body, rest));
        });
        return Outcome::Wrong;
    }
    let coding = head.header("content-encoding").filter(|coding| !coding.eq_ignore_ascii_case(b"identity"));
    if let Some(coding) = coding {
        recorder.note_awaited(key, Outcome::Fault, &mut |note| {
            note.add(b"the stream is coded, and no coding was asked for:");
            show(note, coding);
        });
        return Outcome::Fault;
    }
    looked_into((task, key), exchange, status, head, recorder)
}

/// What the type says before its parameters.
fn is_event_stream(content_type: &[u8]) -> bool {
    let essence = content_type.split(|&byte| byte == b';').next().unwrap_or_default();
    essence.trim_ascii().eq_ignore_ascii_case(TYPE)
}

/// The beginning of a body that nobody reads.
fn beginning(body: &mut Option<Body>, rest: &[u8]) -> Vec<u8> {
    let (mut rest, mut kept) = (rest, Vec::new());
    while let Some(body) = body.as_mut().filter(|body| !body.is_done())
        && !rest.is_empty()
        && kept.len() < EXCERPT_BYTES
    {
        let Ok(piece) = body.feed(rest) else { break };
        kept.extend_from_slice(piece.data);
        rest = &rest[piece.used..];
    }
    kept
}

fn looked_into(
    (task, key): (&Task, u128),
    exchange: &Exchange,
    status: u16,
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
        recorder
            .note_awaited(key, Outcome::Ok, &mut |note| say(note, format_args!("status {status}: the stream is open")));
    }
    Outcome::Ok
}
