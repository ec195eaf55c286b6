//! A record has come: which one it is, whether it is the right one, and how it is booked.

use super::inbox::Record;
use super::order::{Numbers, Offsets, Placed};
use crate::config::{Listening, SENT, SEQUENCE};
use crate::{Counter, GAP, RECORD};
use contract::{Account, Early, Note, Recorder, Task, Whose};
use extract::{Answer, Headers};
use std::borrow::Cow;
use std::sync::Arc;
use terms::{Nanos, Outcome};

/// By so much clocks may differ that are set over a network.
const CLOCKS_APART_MAX: Nanos = Nanos::from_millis(100);
/// Bytes of a record that a sample shows.
const SHOWN_MAX: usize = 200;

/// What is known of the records of a connection.
pub(super) struct Flow {
    offsets: Arc<Offsets>,
    numbers: Numbers,
    opened: Nanos,
    /// When the last record came.
    last: Option<Nanos>,
}

/// What checks call headers: those of the record, and four of its own.
struct Fields<'a> {
    record: &'a Record,
    partition: String,
    offset: String,
    timestamp: Option<String>,
}

impl<'a> Fields<'a> {
    fn of(record: &'a Record) -> Self {
        let text = |number: i64| number.to_string();
        let (partition, offset) = (text(record.partition.into()), text(record.offset));
        Self { record, partition, offset, timestamp: record.timestamp.map(text) }
    }
}

impl Headers for Fields<'_> {
    fn header(&self, name: &str) -> Option<&[u8]> {
        self.header_at(name, 0)
    }

    fn header_at(&self, name: &str, number: usize) -> Option<&[u8]> {
        let own = match name {
            "kafka_key" => self.record.key.as_deref(),
            "kafka_partition" => Some(self.partition.as_bytes()),
            "kafka_offset" => Some(self.offset.as_bytes()),
            "kafka_timestamp" => self.timestamp.as_deref().map(str::as_bytes),
            _ => {
                let found = self.record.headers.iter().filter(|(known, _)| known.eq_ignore_ascii_case(name));
                return found.map(|(_, value)| value.trim_ascii()).nth(number);
            }
        };
        own.filter(|_| number == 0)
    }
}

impl Flow {
    /// Of a connection opened at that moment.
    pub(super) fn new(opened: Nanos, offsets: Arc<Offsets>) -> Self {
        Self { offsets, numbers: Numbers::default(), opened, last: None }
    }

    /// A record has come to the connection that `opened` opened.
    pub(super) fn arrive(
        &mut self,
        record: &Record,
        listening: &Listening,
        (opened, account): (&Task, &mut Account),
        recorder: &mut Recorder,
    ) {
        let (now, bytes) = (recorder.now(), record.value.len() as u64);
        if self.offsets.is_again(record.partition, record.offset) {
            recorder.count(Counter::Redelivered as u8, 1);
            return again("a record that had been delivered before", record, opened, recorder);
        }
        let fields = Fields::of(record);
        let mut answer = Answer::new(0, &fields, &record.value, bytes);
        let mut told = Told::of(&mut answer, listening);
        told.hold_against(recorder.wall());
        if let Some(number) = told.number {
            match self.numbers.place(record.partition, number) {
                Placed::Next => {}
                Placed::OutOfOrder => recorder.count(Counter::Unordered as u8, 1),
                Placed::Again => return again("a record whose number had come before", record, opened, recorder),
            }
        }
        // Who only looks asks for one record, which may have come before.
        let whose = match listening.expect.is_some() || account.waits() || recorder.is_looking() {
            true => Some(account.came(0, |task| recorder.is_awaited(recorder.key(task)))),
            false => None,
        };
        let task = if let Some(Whose::Due(task)) = whose { task } else { *opened };
        let key = recorder.key(&task);
        let outcome = match told.wrong {
            None => judge(&mut answer, (&task, key), listening, record, recorder),
            Some((outcome, why)) => {
                recorder.note_awaited(key, outcome, &mut |note| show(note, &why, record));
                outcome
            }
        };
        let gap = now - self.last.unwrap_or(self.opened);
        let time = told.sent.map_or(gap, |sent| Nanos(recorder.wall().0.saturating_sub(sent.0).max(0)));
        match whose {
            Some(Whose::Due(_)) => recorder.close_awaited_after(key, outcome, time, bytes),
            Some(Whose::Early) => account.keep(Early::Came { outcome, time, bytes }),
            Some(Whose::Late) => recorder.timed((opened.exchange, RECORD), Outcome::Late, time, bytes),
            Some(Whose::Surplus) => recorder.count(Counter::Surplus as u8, 1),
            None => recorder.timed((opened.exchange, RECORD), outcome, time, bytes),
        }
        if self.last.is_some() {
            recorder.timed((opened.exchange, GAP), Outcome::Ok, gap, 0);
        }
        self.last = Some(now);
    }
}

/// What a record says of itself.
struct Told {
    number: Option<i64>,
    sent: Option<Nanos>,
    /// Why it does not say what it should.
    wrong: Option<(Outcome, Cow<'static, str>)>,
}

impl Told {
    fn of(answer: &mut Answer<'_>, listening: &Listening) -> Self {
        let mut told = Self { number: None, sent: None, wrong: None };
        if !listening.has_sequence && !listening.has_sent {
            return told;
        }
        let read = listening.incoming.capture(answer, &mut |slot, value| match slot {
            SEQUENCE => told.number = value.and_then(whole),
            SENT => told.sent = value.and_then(extract::sent),
            _ => {}
        });
        told.wrong = match read {
            Err(failed) => Some((Outcome::BadStudy, failed.found)),
            Ok(()) if listening.has_sequence && told.number.is_none() => {
                Some((Outcome::Wrong, "`sequence` finds nothing that it can read".into()))
            }
            Ok(()) if listening.has_sent && told.sent.is_none() => {
                Some((Outcome::Wrong, "`sent` finds nothing that it can read".into()))
            }
            Ok(()) => None,
        };
        told
    }

    /// One that says it was sent long after this moment, at which it came, says nothing of its way: a time of zero would
    /// meet any limit.
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

/// A record has come that had come before: it is counted, and no arrival.
fn again(what: &str, record: &Record, opened: &Task, recorder: &mut Recorder) {
    recorder.note_awaited(recorder.key(opened), Outcome::Duplicate, &mut |note| show(note, what, record));
    recorder.timed((opened.exchange, RECORD), Outcome::Duplicate, Nanos::ZERO, record.value.len() as u64);
}

fn whole(text: &[u8]) -> Option<i64> {
    std::str::from_utf8(text).ok()?.trim().parse().ok()
}

fn show(note: &mut Note, what: &str, record: &Record) {
    note.add(format!("{what} (partition {}, offset {}): ", record.partition, record.offset).as_bytes());
    let shown = &record.value[..record.value.len().min(SHOWN_MAX)];
    note.add(String::from_utf8_lossy(shown).escape_debug().to_string().as_bytes());
}

/// Whether a record is right; keeps its captures if it is.
fn judge(
    answer: &mut Answer<'_>,
    (task, key): (&Task, u128),
    listening: &Listening,
    record: &Record,
    recorder: &mut Recorder,
) -> Outcome {
    let compiled = &listening.content;
    let checked = compiled.evaluate(answer, &mut |number, into| recorder.render(task, number, into));
    if let Err(failed) = checked {
        let outcome = if failed.is_study { Outcome::BadStudy } else { Outcome::Wrong };
        let found = recorder.take_trouble().unwrap_or(failed.found);
        let why =
            format!("`{}` does not hold, found `{}`", failed.text, found.chars().take(SHOWN_MAX).collect::<String>());
        recorder.note_awaited(key, outcome, &mut |note| show(note, &why, record));
        compiled.capture_slots().for_each(|slot| recorder.capture(slot, None));
        return outcome;
    }
    if compiled.has_captures() {
        let mut drawn = Answer::new(0, answer.headers, &record.value, answer.size).with_draw(recorder.draw(task));
        let captured = compiled.capture(&mut drawn, &mut |slot, value| recorder.capture(slot, value));
        if let Err(failed) = captured {
            let outcome = if failed.is_study { Outcome::BadStudy } else { Outcome::Wrong };
            let why = failed.told();
            recorder.note_awaited(key, outcome, &mut |note| show(note, &why, record));
            return outcome;
        }
    }
    Outcome::Ok
}
