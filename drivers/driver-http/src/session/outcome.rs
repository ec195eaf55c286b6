//! How an exchange ended, from its answer.

use super::coding::{self, Content};
use crate::config::Exchange;
use crate::job::part::{JobAnswer, JobStep};
use crate::redirect;
use contract::{Note, Recorder, Task};
use extract::Answer;
use http_wire::{EXCERPT_BYTES, Parser, found, say, show};
use std::borrow::Cow;
use terms::Outcome;

/// Whether a complete answer is right; keeps its captures if it is.
///
/// Of a part of a job it is first asked what the answer says of the job, which goes to `told`; an answer that says that
/// the job goes on is right, and looked into no further. `before` is stated first of an answer that is wrong.
pub(super) fn judge(
    parser: &Parser,
    exchange: &Exchange,
    task: &Option<Task>,
    (told, before): (&mut JobAnswer, &dyn Fn(&mut Note)),
    recorder: &mut Recorder,
) -> Outcome {
    let compiled = &exchange.compiled;
    let status = parser.status();
    let head = parser.head();
    let content = content(parser, exchange);
    let seen = content.as_ref().map_or(parser.body(), |content| &content.bytes);
    let asks_status = exchange.part.as_ref().map_or(compiled.has_status_check(), JobStep::asks_status);
    let is_redirect = redirect::is_redirect(status);
    let is_right = (200..300).contains(&status) || (exchange.wants_redirect && is_redirect);
    if !asks_status && !is_right {
        recorder.note(Outcome::Status, &mut |note| {
            before(note);
            say(note, format_args!("status {status}, where 2xx is right"));
            if is_redirect && exchange.follow == 0 {
                say(note, format_args!(" unless it is what you check (`check: [ status = {status} ]`)"));
            }
            say(note, format_args!(":"));
            show(note, seen);
        });
        return Outcome::Status;
    }
    let Some(task) = task else { return Outcome::BadStudy };
    let mut answer = Answer::new(status, &head, &[], parser.body_bytes());
    match &content {
        Ok(Content { bytes: Cow::Owned(bytes), is_whole }) if exchange.keep > 0 => {
            answer = answer.with_content(bytes, *is_whole);
        }
        Ok(Content { bytes: Cow::Borrowed(bytes), .. }) if exchange.keep > 0 => {
            answer = Answer::new(status, &head, bytes, parser.body_bytes());
        }
        Ok(_) => {}
        Err(why) if exchange.looks_into_body() => {
            recorder.note(Outcome::Wrong, &mut |note| {
                before(note);
                say(note, format_args!("{why}; status {status}"));
            });
            return Outcome::Wrong;
        }
        Err(_) => {}
    }
    if let Some(part) = &exchange.part {
        *told = part.look(&mut answer, &mut |number, into| recorder.render(task, number, into));
        let ended = match told {
            JobAnswer::Unclear(why) => Some((Outcome::Wrong, why)),
            JobAnswer::Failed(why) => Some((Outcome::Fault, why)),
            JobAnswer::Beyond(why) => Some((Outcome::BadStudy, why)),
            JobAnswer::Done => None,
            JobAnswer::Running(found) if !is_right => {
                recorder.note(Outcome::Status, &mut |note| {
                    before(note);
                    let found = self::found(note, found);
                    say(note, format_args!("status {found} is neither 2xx nor what `poll` and `failed` name:"));
                    show(note, seen);
                });
                return Outcome::Status;
            }
            JobAnswer::Nothing | JobAnswer::At(_) | JobAnswer::Running(_) => return Outcome::Ok,
        };
        if let Some((outcome, why)) = ended {
            let trouble = recorder.take_trouble();
            let why = trouble.as_ref().unwrap_or(why);
            recorder.note(outcome, &mut |note| {
                before(note);
                say(note, format_args!("{why}; status {status}:"));
                show(note, seen);
            });
            return outcome;
        }
    }
    let checked = compiled.evaluate(&mut answer, &mut |number, into| recorder.render(task, number, into));
    if let Err(failed) = checked {
        let outcome = match () {
            () if failed.is_study => Outcome::BadStudy,
            () if failed.is_status => Outcome::Status,
            () => Outcome::Wrong,
        };
        // A script that a check compares with says itself why it has no value.
        let why = recorder.take_trouble().unwrap_or(failed.found);
        recorder.note(outcome, &mut |note| {
            before(note);
            let found = found(note, &why);
            match failed.is_study {
                true => say(note, format_args!("`{}` has no value: {found}; status {status}:", failed.text)),
                false => say(note, format_args!("`{}` does not hold, found `{found}`; status {status}:", failed.text)),
            }
            show(note, seen);
        });
        return outcome;
    }
    if !compiled.has_captures() {
        return Outcome::Ok;
    }
    if compiled.draws() {
        answer = answer.with_draw(recorder.draw(task));
    }
    let captured = compiled.capture(&mut answer, &mut |slot, value| recorder.capture(slot, value));
    let Err(failed) = captured else { return Outcome::Ok };
    let outcome = if failed.is_study { Outcome::BadStudy } else { Outcome::Wrong };
    recorder.note(outcome, &mut |note| {
        before(note);
        say(note, format_args!("{}; status {status}:", failed.told()));
        show(note, seen);
    });
    outcome
}

/// The body as its author meant it, also of the beginning that is kept of a failed answer to be shown.
pub(super) fn content<'a>(parser: &'a Parser, exchange: &Exchange) -> Result<Content<'a>, String> {
    let (body, is_whole) = (parser.body(), parser.body().len() as u64 == parser.body_bytes());
    coding::decode(body, is_whole, parser.head().all("content-encoding"), exchange.keep.max(EXCERPT_BYTES))
}
