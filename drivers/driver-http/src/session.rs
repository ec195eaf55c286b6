//! One slot: one exchange at a time, carried out by a client of `http-wire`.
//!
//! `begin` renders the request, the client sends it and reads the answer, and every way out of an exchange goes through
//! [`HttpSession::close`] once.

mod browser;
pub(crate) mod coding;
mod course;
mod outcome;

use crate::common::Common;
use crate::config::Exchange;
use crate::job::part::{ADDRESS, JobAnswer};
use crate::redirect::Hop;
use crate::request::Unrenderable;
use contract::{Cancel, Interest, Note, Recorder, Session, Slot, Task};
use course::Course;
use http_wire::{Call, Client, Expecting, Recorded, Step, say, show};
use std::rc::Rc;
use terms::{Nanos, Outcome};

/// How a part of a longer exchange ended.
#[derive(Debug)]
pub(crate) struct Ended {
    pub(crate) outcome: Outcome,
    /// Of the answer's body.
    pub(crate) bytes: u64,
    pub(crate) told: JobAnswer,
}

pub(crate) struct HttpSession {
    common: Rc<Common>,
    client: Client,
    task: Option<Task>,
    /// Index of the exchange in hand: the study's own number of it, or that of a job's part.
    index: usize,
    /// Whether the exchange in hand is part of a longer one: how it ends is then told to whoever began it.
    is_part: bool,
    ended: Option<Ended>,
    /// What the answer of a part told.
    told: JobAnswer,
    /// The request in hand; empty when it is the same every time, since it is then sent from where it lies.
    request: Vec<u8>,
    /// Where redirects have led the exchange in hand.
    course: Course,
    /// Whose requests they are.
    user: u64,
}

impl HttpSession {
    pub(crate) fn new(common: Rc<Common>, slot: Slot) -> Self {
        Self {
            client: Client::new(common.shared.clone(), slot.number),
            common,
            task: None,
            index: 0,
            is_part: false,
            ended: None,
            told: JobAnswer::Nothing,
            request: Vec::new(),
            course: Course::default(),
            user: slot.user,
        }
    }
}

impl Session for HttpSession {
    fn begin(&mut self, task: &Task, recorder: &mut Recorder) -> Interest {
        self.is_part = false;
        self.begin_at(task, usize::from(task.exchange), &[], task.intended, recorder)
    }

    fn ready(&mut self, recorder: &mut Recorder) -> Interest {
        let common = self.common.clone();
        let Some((task, exchange)) = self.in_hand(&common) else {
            self.client.tidy(&mut Recorded { recorder, task: None });
            return Interest::Idle;
        };
        let host = &mut Recorded { recorder, task: Some(&task) };
        let step = self.client.ready(&call(exchange, &self.request, self.course.hop()), host);
        self.after(step, exchange, recorder)
    }

    fn cancel(&mut self, why: Cancel, recorder: &mut Recorder) {
        let common = self.common.clone();
        let Some((_, exchange)) = self.in_hand(&common) else { return };
        let is_late = why == Cancel::Deadline;
        let outcome = if is_late { Outcome::Timeout } else { Outcome::Aborted };
        if is_late {
            let stood = self.client.stood();
            recorder.note(outcome, &mut |note| {
                self.course.tell(note, &common.endpoints);
                stood.tell(note);
            });
        }
        self.close(outcome, self.client.answer().body_bytes(), exchange, recorder);
        let host = &mut Recorded { recorder, task: None };
        self.client.cancel(&call(exchange, &self.request, self.course.hop()), is_late, host);
        self.give_back();
    }
}

impl HttpSession {
    /// Begins a part of a longer exchange. `address` is what the part's request line asks for, where it varies. Its end
    /// is not in the books: [`HttpSession::take_end`] tells it.
    pub(crate) fn begin_part(
        &mut self,
        task: &Task,
        index: usize,
        address: &[u8],
        recorder: &mut Recorder,
    ) -> Interest {
        (self.is_part, self.ended, self.told) = (true, None, JobAnswer::Nothing);
        let now = recorder.now();
        self.begin_at(task, index, address, now, recorder)
    }

    /// How the part in hand ended, once it has.
    pub(crate) fn take_end(&mut self) -> Option<Ended> {
        self.ended.take()
    }

    fn in_hand<'a>(&self, common: &'a Common) -> Option<(Task, &'a Exchange)> {
        Some((self.task?, common.exchanges.get(self.index)?.as_ref()?))
    }

    /// Begins an exchange; `from` is when, for telling whether a connection stood idle.
    fn begin_at(
        &mut self,
        task: &Task,
        index: usize,
        address: &[u8],
        from: Nanos,
        recorder: &mut Recorder,
    ) -> Interest {
        let common = self.common.clone();
        let Some(exchange) = common.exchanges.get(index).and_then(Option::as_ref) else {
            // The engine hands out only what `build` was given; a wrong number must not be silent.
            recorder.close(task, 0, Outcome::BadStudy, task.units, 0);
            return Interest::Idle;
        };
        (self.task, self.index) = (Some(*task), index);
        if exchange.request.as_fixed().is_none() {
            self.request = common.shared.spare.take();
            let base = exchange.address.map(|anywhere| self.origin(anywhere).target);
            let mut fill = |number: u16, into: &mut Vec<u8>| match number {
                ADDRESS => {
                    into.extend_from_slice(base.as_ref().map_or(address, String::as_bytes));
                    true
                }
                number => recorder.render(task, number, into),
            };
            let rendered = exchange.request.render(&mut self.request, &mut common.scratch.borrow_mut(), &mut fill);
            if let Err(why) = rendered {
                return self.cannot_render(why, exchange, recorder);
            }
        }
        if let Some(anywhere) = exchange.address
            && !self.find_address(task, (exchange, anywhere), recorder)
        {
            return self.end_unsent(exchange, recorder);
        }
        self.add_cookies(task, exchange, recorder);
        let host = &mut Recorded { recorder, task: Some(task) };
        let step = self.client.begin(&call(exchange, &self.request, self.course.hop()), from, host);
        self.after(step, exchange, recorder)
    }

    fn after(&mut self, step: Step, exchange: &Exchange, recorder: &mut Recorder) -> Interest {
        let outcome = match step {
            Step::Waiting(interest) => return interest,
            Step::Answered => {
                self.take_cookies(exchange, recorder);
                self.note_place(exchange);
                match self.redirected(exchange) {
                    None => {
                        let outcome = self.judged(exchange, recorder);
                        self.note_captured(outcome, exchange);
                        outcome
                    }
                    Some(Ok(hop)) => return self.follow(hop, exchange, recorder),
                    Some(Err(refused)) => {
                        recorder.note(Outcome::Wrong, &mut |note| {
                            self.course.tell_seen(note, &self.common.endpoints);
                            refused.tell(note);
                        });
                        Outcome::Wrong
                    }
                }
            }
            Step::Failed(failed) => {
                recorder.note(failed.outcome, &mut |note| {
                    self.course.tell(note, &self.common.endpoints);
                    failed.tell(note);
                });
                failed.outcome
            }
        };
        self.close(outcome, self.client.answer().body_bytes(), exchange, recorder);
        let host = &mut Recorded { recorder, task: None };
        let interest = self.client.finish(&call(exchange, &self.request, self.course.hop()), host);
        self.give_back();
        interest
    }

    /// Whether the complete answer is right; shows it to whoever looks.
    fn judged(&mut self, exchange: &Exchange, recorder: &mut Recorder) -> Outcome {
        let answer = self.client.answer();
        let before = |note: &mut Note| self.course.tell(note, &self.common.endpoints);
        let outcome = outcome::judge(answer, exchange, &self.task, (&mut self.told, &before), recorder);
        if outcome == Outcome::Ok && recorder.is_looking() {
            let content = outcome::content(answer, exchange);
            recorder.note(outcome, &mut |note| {
                self.course.tell_seen(note, &self.common.endpoints);
                say(note, format_args!("status {}, {} bytes:", answer.status(), answer.body_bytes()));
                show(note, content.as_ref().map_or(answer.body(), |content| &content.bytes));
            });
        }
        let surplus = self.client.surplus();
        if surplus > 0 {
            recorder.note(outcome, &mut |note| {
                say(note, format_args!("{surplus} bytes came after the answer; the connection is not used again"));
            });
        }
        outcome
    }

    fn cannot_render(&mut self, why: Unrenderable, exchange: &Exchange, recorder: &mut Recorder) -> Interest {
        let trouble = recorder.take_trouble();
        recorder.note(Outcome::BadStudy, &mut |note| {
            note.add(match (&why, &trouble) {
                (Unrenderable::NoValue, Some(trouble)) => trouble.as_bytes(),
                (Unrenderable::NoValue, None) => b"a value that the request needs was never captured",
                (Unrenderable::ControlInHeader, _) => b"a header's value would hold a line break or control character",
            });
        });
        self.end_unsent(exchange, recorder)
    }

    /// Ends an exchange that could not be asked; why stands in a note.
    fn end_unsent(&mut self, exchange: &Exchange, recorder: &mut Recorder) -> Interest {
        self.close(Outcome::BadStudy, 0, exchange, recorder);
        self.give_back();
        Interest::Idle
    }

    /// Closes the exchange in hand in the books, the one way out.
    fn close(&mut self, outcome: Outcome, bytes: u64, exchange: &Exchange, recorder: &mut Recorder) {
        let Some(task) = self.task.take() else { return };
        if outcome != Outcome::Ok {
            exchange.compiled.capture_slots().for_each(|slot| recorder.capture(slot, None));
        }
        if self.is_part {
            self.ended = Some(Ended { outcome, bytes, told: std::mem::take(&mut self.told) });
        } else {
            recorder.close(&task, 0, outcome, task.units, bytes);
        }
    }

    fn give_back(&mut self) {
        self.course.end();
        if self.request.capacity() > 0 {
            self.common.shared.spare.give(std::mem::take(&mut self.request));
        }
    }
}

/// What the client is asked for; `rendered` is the request, unless it is the same every time.
fn call<'a>(exchange: &'a Exchange, rendered: &'a [u8], hop: Option<&'a Hop>) -> Call<'a> {
    let expecting = Expecting {
        answers_head_request: hop.map_or(exchange.is_head, |hop| hop.is_head),
        keeps_head: exchange.needs_headers(),
        keep: exchange.keep,
        ..Expecting::default()
    };
    let (target, http2, request) = match hop {
        Some(hop) => (hop.endpoint, hop.http2.as_ref(), hop.request.as_slice()),
        None if rendered.is_empty() => {
            (exchange.endpoint, exchange.http2.as_ref(), exchange.request.as_fixed().unwrap_or(rendered))
        }
        None => (exchange.endpoint, exchange.http2.as_ref(), rendered),
    };
    let retry = exchange.retry && hop.map_or(exchange.is_idempotent, |hop| hop.is_idempotent);
    Call { target, request, http2, expecting, reuse: exchange.reuse, retry }
}
