//! What comes on a connection as a message: whose answer it is, and whether it is the right one.

use crate::UNASKED;
use crate::UNORDERED;
use crate::config::{Answered, Exchange, Expected};
use crate::decode::Wire;
use crate::flights::{self, Flights, Owner};
use contract::{Recorder, Task};
use extract::Answer;
use http_wire::{found, say, show};
use terms::Outcome;

/// A message has come: ends the one that it answers.
pub(super) fn answered(
    content: &[u8],
    wire: Wire,
    exchange: &Exchange,
    flights: &mut Flights,
    recorder: &mut Recorder,
) {
    let bytes = content.len() as u64;
    let is_awaited = |task: &Task| recorder.is_awaited(recorder.key(task));
    let owner = match exchange.answered {
        Answered::Echo => flights.echoed(flights::hash(content), is_awaited),
        Answered::Next => flights.next_answered(|| flights::hash(content)),
        Answered::Nothing => Owner::Nobody,
    };
    match owner {
        Owner::One { task, number, is_out_of_order } => {
            let key = recorder.key(&task);
            if is_out_of_order {
                recorder.count(UNORDERED, 1);
            }
            if !recorder.is_awaited(key) {
                // Its time was over; the books know it for late.
                recorder.matched(key, recorder.now(), Outcome::Ok);
                return;
            }
            recorder.number_message(number);
            let outcome = judge((content, wire), &task, key, exchange, recorder);
            recorder.close_awaited_of(key, outcome, bytes);
        }
        Owner::Wrong(task) => {
            let key = recorder.key(&task);
            recorder.note_awaited(key, Outcome::Wrong, &mut |note| {
                note.add(match exchange.expected {
                    Some(Expected::Reversed) => b"no message that waits is this one reversed:".as_slice(),
                    _ => b"no message that waits is this one:",
                });
                show(note, content);
            });
            recorder.close_awaited_of(key, Outcome::Wrong, bytes);
        }
        Owner::Answered(task) => {
            recorder.matched(recorder.key(&task), recorder.now(), Outcome::Ok);
        }
        Owner::Nobody => recorder.count(UNASKED, 1),
    }
}

/// Whether an answer is right; keeps its captures if it is.
fn judge(
    (content, wire): (&[u8], Wire),
    task: &Task,
    key: u128,
    exchange: &Exchange,
    recorder: &mut Recorder,
) -> Outcome {
    let compiled = &exchange.content;
    let mut answer = Answer::new(0, &(), content, content.len() as u64);
    let checked = compiled.evaluate(&mut answer, &mut |number, into| recorder.render(task, number, into));
    if let Err(failed) = checked {
        let outcome = if failed.is_study { Outcome::BadStudy } else { Outcome::Wrong };
        let why = recorder.take_trouble().unwrap_or(failed.found);
        recorder.note_awaited(key, outcome, &mut |note| {
            let found = found(note, &why);
            say(note, format_args!("`{}` does not hold, found `{found}`:", failed.text));
            show(note, content);
        });
        compiled.capture_slots().for_each(|slot| recorder.capture(slot, None));
        return outcome;
    }
    if compiled.has_captures() {
        if compiled.draws() {
            answer = answer.with_draw(recorder.draw(task));
        }
        let captured = compiled.capture(&mut answer, &mut |slot, value| recorder.capture(slot, value));
        if let Err(failed) = captured {
            let outcome = if failed.is_study { Outcome::BadStudy } else { Outcome::Wrong };
            recorder.note_awaited(key, outcome, &mut |note| {
                say(note, format_args!("nothing to capture as `{}`: {}:", failed.name, failed.found));
                show(note, content);
            });
            return outcome;
        }
    }
    if recorder.is_looking() {
        recorder.note_awaited(key, Outcome::Ok, &mut |note| {
            match wire {
                Some(wire) => say(note, format_args!("{} bytes came, as {wire} on the wire:", content.len())),
                None => say(note, format_args!("{} bytes came:", content.len())),
            }
            show(note, content);
        });
    }
    Outcome::Ok
}
