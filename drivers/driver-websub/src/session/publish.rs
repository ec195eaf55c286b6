//! The publisher: each event is posted when it is due, on a connection of its own that is kept.

use super::Owner;
use super::subscribe::told;
use crate::config::Exchange;
use crate::driver::{Common, Topical};
use crate::{PUBLISH, PUBLISHES};
use contract::{Interest, Recorder, Task};
use http_wire::{Call, Client, EXCERPT_BYTES, Expecting, Step, say, show};
use std::collections::VecDeque;
use terms::{Nanos, Outcome};

/// Events that wait until the one before them is published. One more is not published, and booked so.
const WAITING_MAX: usize = 4096;

/// Publishes one event after another.
#[derive(Default)]
pub(super) struct Publisher {
    client: Option<Client>,
    /// The request of the event in hand.
    request: Vec<u8>,
    in_hand: Option<InHand>,
    waiting: VecDeque<Task>,
    /// Events so far: the row of data sets that the next one takes.
    events: u64,
}

struct InHand {
    task: Task,
    deadline: Nanos,
}

impl Publisher {
    /// When the event in hand is given up.
    pub(super) fn deadline(&self) -> Nanos {
        self.in_hand.as_ref().map_or(Nanos::MAX, |in_hand| in_hand.deadline)
    }

    /// An event is due.
    pub(super) fn publish(
        &mut self,
        task: &Task,
        topical: &Topical,
        common: &Common,
        slot: u32,
        recorder: &mut Recorder,
    ) {
        if self.waiting.len() >= WAITING_MAX {
            let what = b"events that were not published wait already: this one never will be";
            return book(task, (Outcome::NoResource, 0), recorder, &mut |note| note.add(what));
        }
        self.waiting.push_back(*task);
        self.go_on(topical, common, slot, recorder);
    }

    /// Something happened on its connection, or its time is over.
    pub(super) fn ready(&mut self, topical: &Topical, common: &Common, slot: u32, recorder: &mut Recorder) {
        let Some(client) = &mut self.client else { return };
        let owner = &mut Owner { recorder, task: None };
        let Some(InHand { task, deadline }) = &self.in_hand else { return client.tidy(owner) };
        let call = call(&topical.exchange, &self.request);
        if *deadline <= owner.recorder.now() {
            let (task, stood) = (*task, client.stood());
            client.cancel(&call, true, owner);
            book(&task, (Outcome::Timeout, 0), recorder, &mut |note| {
                note.add(b"the event was not published in time: ");
                stood.tell(note);
            });
            self.in_hand = None;
        } else {
            let step = client.ready(&call, owner);
            self.after(step, topical, slot, recorder);
        }
        self.go_on(topical, common, slot, recorder);
    }

    /// Publishes what waits, as long as nothing is in hand.
    fn go_on(&mut self, topical: &Topical, common: &Common, slot: u32, recorder: &mut Recorder) {
        while self.in_hand.is_none() {
            let Some(task) = self.waiting.pop_front() else { return };
            match self.make(&task, topical, common, recorder) {
                Err(why) => book(&task, (Outcome::BadStudy, 0), recorder, &mut |note| note.add(why.as_bytes())),
                Ok(()) => {
                    let now = recorder.now();
                    self.in_hand = Some(InHand { task, deadline: now + topical.exchange.within.publish });
                    let client = self.client.get_or_insert_with(|| Client::new(common.shared.clone(), slot));
                    let call = call(&topical.exchange, &self.request);
                    let step = client.begin(&call, now, &mut Owner { recorder, task: None });
                    self.after(step, topical, slot, recorder);
                }
            }
        }
    }

    /// Writes the request of an event, and puts its content on the board: a delivery cannot come before.
    fn make(&mut self, task: &Task, topical: &Topical, common: &Common, recorder: &mut Recorder) -> Result<(), String> {
        let Topical { exchange, feed } = topical;
        let content = &mut *common.scratch.borrow_mut();
        content.clear();
        recorder.number_message(self.events);
        // Each event has the next row, as each iteration has elsewhere; the publisher's own requests keep its first.
        let of_event = Task { row: self.events, ..*task };
        self.events += 1;
        if !recorder.render(&of_event, exchange.content, content) {
            let never = || "a value that the content needs was never captured".to_owned();
            return Err(recorder.take_trouble().unwrap_or_else(never));
        }
        self.request.clear();
        let mut fill = |number, into: &mut Vec<u8>| recorder.render(task, number, into);
        let made = exchange.publish.write(content, &mut self.request, &mut fill);
        made.map_err(|why| told(why, recorder))?;
        if !feed.publish(content, task.serial) {
            let what =
                "another event has the same content, so their deliveries could not be told apart; add `$(serial)`";
            return Err(what.to_owned());
        }
        Ok(())
    }

    fn after(&mut self, step: Step, topical: &Topical, slot: u32, recorder: &mut Recorder) {
        let (Some(client), Some(InHand { task, .. })) = (&mut self.client, &self.in_hand) else { return };
        let task = *task;
        match step {
            Step::Waiting(interest) => {
                if let Interest::WakeAt(_) = interest {
                    recorder.wake(slot);
                }
                return;
            }
            Step::Failed(failed) => {
                book(&task, (failed.outcome, 0), recorder, &mut |note| failed.tell(note));
            }
            Step::Answered => {
                let answer = client.answer();
                let (status, bytes) = (answer.status(), answer.body_bytes());
                let outcome = if (200..300).contains(&status) { Outcome::Ok } else { Outcome::Status };
                recorder.count(PUBLISHES, i64::from(outcome == Outcome::Ok));
                book(&task, (outcome, bytes), recorder, &mut |note| {
                    say(note, format_args!("status {status} to the publication of an event:"));
                    show(note, answer.body());
                });
            }
        }
        client.finish(&call(&topical.exchange, &self.request), &mut Owner { recorder, task: None });
        self.in_hand = None;
    }

    /// The load is over: what is not published by now never will be.
    pub(super) fn abandon(&mut self, recorder: &mut Recorder) {
        let in_hand = self.in_hand.take().map(|in_hand| in_hand.task);
        for task in in_hand.into_iter().chain(self.waiting.drain(..)) {
            book(&task, (Outcome::Aborted, 0), recorder, &mut |note| {
                note.add(b"the load was over before the answer came")
            });
        }
        self.client = None;
    }
}

fn call<'a>(exchange: &Exchange, request: &'a [u8]) -> Call<'a> {
    let expecting = Expecting { keep: EXCERPT_BYTES, ..Expecting::default() };
    // A publication that is sent twice is two events.
    Call { target: exchange.publisher, request, http2: None, expecting, reuse: exchange.reuse, retry: false }
}

/// Books how a publication ended, and says why where that is not well.
fn book(
    task: &Task,
    (outcome, bytes): (Outcome, u64),
    recorder: &mut Recorder,
    tell: &mut dyn FnMut(&mut contract::Note),
) {
    if outcome != Outcome::Ok || recorder.is_looking() {
        recorder.note_awaited(recorder.key(task), outcome, tell);
    }
    let time = recorder.now() - task.intended;
    recorder.timed((task.exchange, PUBLISH), outcome, time, bytes);
}
