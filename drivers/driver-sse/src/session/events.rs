//! An event has come: which one it is, whether it is the right one, and how it is booked.

use crate::config::{Exchange, SENT, SEQUENCE};
use crate::parser::Event;
use crate::sequence::{Placed, Sequence};
use crate::{BEFORE_SENT, EVENT, FIRST, GAP, SURPLUS, UNORDERED};
use contract::{Account, Early, Recorder, Task, Whose};
use extract::{Answer, Headers};
use http_wire::{found, say, show};
use std::borrow::Cow;
use terms::{Nanos, Outcome};

/// Where nothing is planned, a leap over more numbers is booked as so many that are missing: a server that begins anew
/// must not keep a load thread.
const LEAP_MAX: u64 = 1 << 16;

/// By so much clocks may differ that are set over a network; an event that was sent so much later than it came took no
/// time.
const CLOCKS_APART_MAX: Nanos = Nanos::from_millis(100);

/// What is reported about an event that is lost.
pub(super) const LEFT_OUT: &[u8] = b"its number was left out: later events have come, and this one never did";

/// What is known of the events of a connection.
#[derive(Debug)]
pub(super) struct Flow {
    sequence: Sequence,
    opened: Nanos,
    /// When the last event came.
    last: Option<Nanos>,
    /// Whether the first one is booked as that: those of connections opened again are not.
    has_first: bool,
}

/// An event with what it belongs to.
pub(super) struct Arrival<'a> {
    pub(super) event: Event<'a>,
    pub(super) id: Option<&'a [u8]>,
    pub(super) exchange: &'a Exchange,
    /// The task of the connection's opening.
    pub(super) opened: &'a Task,
}

/// The fields of an event that checks call headers.
struct Fields<'a> {
    kind: &'a [u8],
    id: Option<&'a [u8]>,
}

impl Headers for Fields<'_> {
    fn header(&self, name: &str) -> Option<&[u8]> {
        match name {
            "event" => Some(self.kind),
            "id" => self.id,
            _ => None,
        }
    }
}

impl Flow {
    /// Of a connection opened at that moment.
    pub(super) fn new(opened: Nanos, has_first: bool) -> Self {
        Self { sequence: Sequence::default(), opened, last: None, has_first }
    }

    /// Numbers that have not come, and still may.
    pub(super) fn holes(&self) -> u32 {
        self.sequence.holes()
    }

    /// The connection has ended. Returns how many of its events are lost.
    pub(super) fn end(&mut self) -> u64 {
        self.sequence.end()
    }

    /// An event has come. `text` is memory for what has to be decoded.
    pub(super) fn event(
        &mut self,
        arrival: &Arrival<'_>,
        account: &mut Account,
        text: &mut Vec<u8>,
        recorder: &mut Recorder,
    ) {
        let Arrival { event, id, exchange, opened } = *arrival;
        let (now, bytes) = (recorder.now(), event.data.len() as u64);
        let data = if exchange.looks() { as_text(event.data, text) } else { event.data };
        let fields = Fields { kind: event.kind, id };
        let mut answer = Answer::new(0, &fields, data, bytes).with_content(data, true);
        let mut told = Told::of(&mut answer, exchange);
        told.hold_against(recorder.wall());
        let gap = now - self.last.unwrap_or(self.opened);
        if exchange.has_sequence {
            if self.place(told.number, recorder) == Some(Placed::Again) {
                return again(data, opened, recorder);
            }
            settle_lost(self.sequence.take_lost(), gap, exchange, opened, account, recorder);
        }
        // Who only looks asks for one event, which may have come before.
        let whose = match exchange.expect.is_some() || account.waits() || recorder.is_looking() {
            true => Some(account.came(self.sequence.holes(), |task| recorder.is_awaited(recorder.key(task)))),
            false => None,
        };
        let task = if let Some(Whose::Due(task)) = whose { task } else { *opened };
        let key = recorder.key(&task);
        let outcome = match &told.wrong {
            None => judge(&mut answer, (&task, key), exchange, self.last.is_none(), recorder),
            Some((outcome, why)) => {
                recorder.note_awaited(key, *outcome, &mut |note| {
                    say(note, format_args!("{why}:"));
                    show(note, data);
                });
                *outcome
            }
        };
        let time = told.sent.map_or(gap, |sent| since(sent, recorder));
        let leg = |leg| (opened.exchange, leg);
        match whose {
            Some(Whose::Due(_)) => recorder.close_awaited_after(key, outcome, time, bytes),
            Some(Whose::Early) => account.keep(Early::Came { outcome, time, bytes }),
            Some(Whose::Late) => recorder.timed(leg(EVENT), Outcome::Late, time, bytes),
            Some(Whose::Surplus) => recorder.count(SURPLUS, 1),
            None => recorder.timed(leg(EVENT), outcome, time, bytes),
        }
        if self.last.is_some() {
            recorder.timed(leg(GAP), Outcome::Ok, gap, 0);
        } else if self.has_first {
            recorder.timed(leg(FIRST), Outcome::Ok, now - opened.intended, 0);
        }
        self.last = Some(now);
    }

    /// Where its number stands among the others; `None` where it has none.
    fn place(&mut self, number: Option<i64>, recorder: &mut Recorder) -> Option<Placed> {
        let placed = number.map(|number| self.sequence.place(number));
        match placed {
            None => self.sequence.pass_over(),
            Some(Placed::OutOfOrder) => recorder.count(UNORDERED, 1),
            Some(Placed::Next | Placed::Again) => {}
        }
        placed
    }
}

/// What an event says of itself.
struct Told {
    number: Option<i64>,
    sent: Option<Nanos>,
    /// Why it does not say what it should.
    wrong: Option<(Outcome, Cow<'static, str>)>,
}

impl Told {
    fn of(answer: &mut Answer<'_>, exchange: &Exchange) -> Self {
        let mut told = Self { number: None, sent: None, wrong: None };
        if !exchange.has_sequence && !exchange.has_sent {
            return told;
        }
        let read = exchange.incoming.capture(answer, &mut |slot, value| match slot {
            SEQUENCE => told.number = value.and_then(whole),
            SENT => told.sent = value.and_then(extract::sent),
            _ => {}
        });
        told.wrong = match read {
            Err(failed) => Some((Outcome::BadStudy, failed.found)),
            Ok(()) if exchange.has_sequence && told.number.is_none() => {
                Some((Outcome::Wrong, "`sequence` finds nothing that it can read".into()))
            }
            Ok(()) if exchange.has_sent && told.sent.is_none() => {
                Some((Outcome::Wrong, "`sent` finds nothing that it can read".into()))
            }
            Ok(()) => None,
        };
        told
    }

    /// One that says it was sent long after this moment, at which it came, says nothing of its way, and no time is made of
    /// that: a time of zero would meet any limit.
    fn hold_against(&mut self, wall: Nanos) {
        let ahead = Nanos(self.sent.map_or(0, |sent| sent.0.saturating_sub(wall.0)));
        if self.wrong.is_none() && ahead > CLOCKS_APART_MAX {
            let why = format!(
                "it says that it was sent {ahead} after it came, so the clocks of sender and lab differ and its time cannot \
                 be told; set them, or leave `sent` out"
            );
            self.wrong = Some((Outcome::Wrong, why.into()));
        }
    }
}

/// So many events are certainly lost: those that wait longest end. Where nothing is planned they are counted.
pub(super) fn settle_lost(
    lost: u64,
    gap: Nanos,
    exchange: &Exchange,
    opened: &Task,
    account: &mut Account,
    recorder: &mut Recorder,
) {
    if exchange.expect.is_none() {
        (0..lost.min(LEAP_MAX)).for_each(|_| recorder.timed((opened.exchange, EVENT), Outcome::Missing, gap, 0));
        return;
    }
    for _ in 0..lost {
        if !account.has_room_for_lost() {
            return;
        }
        if let Some(task) = account.lost(|task| recorder.is_awaited(recorder.key(task))) {
            let key = recorder.key(&task);
            recorder.note_awaited(key, Outcome::Missing, &mut |note| note.add(LEFT_OUT));
            recorder.close_awaited(key, Outcome::Missing);
        }
    }
}

/// An event has come that had come before: it is counted, and no arrival.
fn again(data: &[u8], opened: &Task, recorder: &mut Recorder) {
    let key = recorder.key(opened);
    recorder.note_awaited(key, Outcome::Duplicate, &mut |note| {
        note.add(b"an event whose number had come before, or is more than 128 behind:");
        show(note, data);
    });
    recorder.timed((opened.exchange, EVENT), Outcome::Duplicate, Nanos::ZERO, data.len() as u64);
}

/// How long ago that was. The clocks of two machines differ: an event cannot come before it was sent.
fn since(sent: Nanos, recorder: &mut Recorder) -> Nanos {
    let time = recorder.wall().0.saturating_sub(sent.0);
    if time < 0 {
        recorder.count(BEFORE_SENT, 1);
    }
    Nanos(time.max(0))
}

/// A whole number, of which one more can be written.
fn whole(text: &[u8]) -> Option<i64> {
    std::str::from_utf8(text).ok()?.trim().parse().ok().filter(|number| *number < i64::MAX)
}

/// A stream is decoded as UTF-8, and what is none is replaced.
fn as_text<'a>(data: &'a [u8], text: &'a mut Vec<u8>) -> &'a [u8] {
    if std::str::from_utf8(data).is_ok() {
        return data;
    }
    text.clear();
    for chunk in data.utf8_chunks() {
        text.extend_from_slice(chunk.valid().as_bytes());
        if !chunk.invalid().is_empty() {
            text.extend_from_slice("\u{fffd}".as_bytes());
        }
    }
    text
}

/// Whether an event is right; keeps its captures if it is.
fn judge(
    answer: &mut Answer<'_>,
    (task, key): (&Task, u128),
    exchange: &Exchange,
    is_first: bool,
    recorder: &mut Recorder,
) -> Outcome {
    let (compiled, data) = (&exchange.content, answer.body);
    let checked = compiled.evaluate(answer, &mut |number, into| recorder.render(task, number, into));
    if let Err(failed) = checked {
        let outcome = if failed.is_study { Outcome::BadStudy } else { Outcome::Wrong };
        let why = recorder.take_trouble().unwrap_or(failed.found);
        recorder.note_awaited(key, outcome, &mut |note| {
            let found = found(note, &why);
            say(note, format_args!("`{}` does not hold, found `{found}`:", failed.text));
            show(note, data);
        });
        compiled.capture_slots().for_each(|slot| recorder.capture(slot, None));
        return outcome;
    }
    if compiled.has_captures() {
        let mut drawn;
        let answer = match compiled.draws() {
            true => {
                drawn = Answer::new(0, answer.headers, data, answer.size).with_content(data, true);
                drawn = drawn.with_draw(recorder.draw(task));
                &mut drawn
            }
            false => answer,
        };
        let captured = compiled.capture(answer, &mut |slot, value| recorder.capture(slot, value));
        if let Err(failed) = captured {
            let outcome = if failed.is_study { Outcome::BadStudy } else { Outcome::Wrong };
            recorder.note_awaited(key, outcome, &mut |note| {
                say(note, format_args!("nothing to capture as `{}`: {}:", failed.name, failed.found));
                show(note, data);
            });
            return outcome;
        }
    }
    if is_first && recorder.is_looking() {
        let kind = answer.headers.header("event").unwrap_or_default();
        recorder.note_awaited(key, Outcome::Ok, &mut |note| {
            say(note, format_args!("an event of {} bytes came, of the type", data.len()));
            show(note, kind);
            note.add(b":");
            show(note, data);
        });
    }
    Outcome::Ok
}
