//! A request for a subscription, at first and for each renewal, and the hub's question that follows it.

use super::{Owner, WebSubSession};
use crate::callback;
use crate::config::Exchange;
use crate::driver::Topical;
use crate::request::Unrenderable;
use crate::{RENEWALS, SUBSCRIBE, UNRENEWED, VERIFY};
use contract::{Interest, Recorder, Task};
use http_wire::{Call, Client, EXCERPT_BYTES, Expecting, Step, say, show};
use terms::{Nanos, Outcome};

/// What a hub answers to a request that it takes (section 5.1.2 of the recommendation).
const ACCEPTED: u16 = 202;

/// A request for a subscription that is under way.
pub(super) struct Asking {
    task: Task,
    /// 0 for the subscription itself, else which renewal it is.
    round: u32,
    client: Client,
    request: Vec<u8>,
    /// Until when it may take. That of the first is the engine's.
    pub(super) deadline: Nanos,
}

impl Asking {
    fn call<'a>(exchange: &Exchange, request: &'a [u8]) -> Call<'a> {
        let expecting = Expecting { keep: EXCERPT_BYTES, ..Expecting::default() };
        Call { target: exchange.hub, request, http2: None, expecting, reuse: false, retry: false }
    }
}

impl WebSubSession {
    /// Asks the hub. From now on its question is waited for, since it may overtake the answer.
    pub(super) fn ask(&mut self, task: &Task, round: u32, topical: &Topical, recorder: &mut Recorder) -> Interest {
        let (common, exchange) = (self.common.clone(), &topical.exchange);
        let Some(subscription) = &self.subscription else { return Interest::Gone };
        let verification = callback::verification(subscription.key, round);
        let verified = Task { serial: contract::reply_key::serial(verification), ..*task };
        recorder.expect_and_wake(&verified, VERIFY, verification, exchange.within.verify);

        let mut form = common.scratch.borrow_mut();
        form.clear();
        exchange.form_of(&common.callbacks, subscription.key, &mut form);
        let mut request = common.shared.spare.take();
        let made = exchange.subscribe.write(&form, &mut request, &mut |it, into| recorder.render(task, it, into));
        drop(form);
        if let Err(why) = made {
            let why = told(why, recorder);
            recorder.note_awaited(verification, Outcome::BadStudy, &mut |note| note.add(why.as_bytes()));
            common.shared.spare.give(request);
            return self.asked(task, round, Outcome::BadStudy, 0, recorder);
        }
        let mut client = Client::new(common.shared.clone(), self.slot.number);
        let owner = &mut Owner { recorder, task: Some(task).filter(|_| round == 0) };
        let step = client.begin(&Asking::call(exchange, &request), task.intended, owner);
        let deadline = if round == 0 { Nanos::MAX } else { recorder.now() + exchange.within.subscribe };
        self.asking = Some(Box::new(Asking { task: *task, round, client, request, deadline }));
        self.after(step, topical, recorder).unwrap_or(Interest::Idle)
    }

    /// Goes on after an event. What it waits for while the first request is under way, which is all that is then.
    pub(super) fn go_on_asking(&mut self, topical: &Topical, recorder: &mut Recorder) -> Option<Interest> {
        let asking = self.asking.as_mut()?;
        if asking.deadline <= recorder.now() {
            let key = self.subscription.map(|it| callback::verification(it.key, asking.round))?;
            let stood = asking.client.stood();
            recorder.note_awaited(key, Outcome::Timeout, &mut |note| {
                note.add(b"the hub did not answer the renewal in time: ");
                stood.tell(note);
            });
            let Asking { task, round, .. } = **asking;
            self.asked(&task, round, Outcome::Timeout, 0, recorder);
            return None;
        }
        let owner = &mut Owner { recorder, task: Some(&asking.task).filter(|_| asking.round == 0) };
        let step = asking.client.ready(&Asking::call(&topical.exchange, &asking.request), owner);
        self.after(step, topical, recorder)
    }

    /// What the first request waits for, or what there is to wait for when it has ended; nothing of a renewal.
    fn after(&mut self, step: Step, topical: &Topical, recorder: &mut Recorder) -> Option<Interest> {
        let asking = self.asking.as_mut()?;
        let (task, round) = (asking.task, asking.round);
        let key = callback::verification(self.subscription.as_ref()?.key, round);
        let outcome = match step {
            Step::Waiting(interest) if round == 0 => return Some(interest),
            Step::Waiting(interest) => {
                if let Interest::WakeAt(_) = interest {
                    recorder.wake(self.slot.number);
                }
                return None;
            }
            Step::Failed(failed) => {
                recorder.note_awaited(key, failed.outcome, &mut |note| failed.tell(note));
                failed.outcome
            }
            Step::Answered => {
                let (status, body) = (asking.client.answer().status(), asking.client.answer().body());
                let outcome = if status == ACCEPTED { Outcome::Ok } else { Outcome::Status };
                if outcome != Outcome::Ok || recorder.is_looking() {
                    recorder.note_awaited(key, outcome, &mut |note| tell_answer(note, status, body));
                }
                outcome
            }
        };
        let bytes = asking.client.answer().body_bytes();
        let call = Asking::call(&topical.exchange, &asking.request);
        asking.client.finish(&call, &mut Owner { recorder, task: None });
        let interest = self.asked(&task, round, outcome, bytes, recorder);
        (round == 0).then_some(interest)
    }

    /// The request has ended. Where that is not well, the hub's question is not waited for any more.
    fn asked(&mut self, task: &Task, round: u32, outcome: Outcome, bytes: u64, recorder: &mut Recorder) -> Interest {
        if let Some(asking) = self.asking.take() {
            self.common.shared.spare.give(asking.request);
        }
        let Some(subscription) = &mut self.subscription else { return Interest::Gone };
        if outcome != Outcome::Ok {
            recorder.close_awaited(callback::verification(subscription.key, round), outcome);
        }
        if round > 0 {
            recorder.count(if outcome == Outcome::Ok { RENEWALS } else { UNRENEWED }, 1);
        } else {
            subscription.asked = if outcome == Outcome::Ok { Ok(()) } else { Err(outcome) };
            recorder.close(task, SUBSCRIBE, outcome, task.units, bytes);
        }
        // The question may have come by now, with a lease; or there will be none, and it is to be asked for anew.
        recorder.wake(self.slot.number);
        Interest::Idle
    }

    /// Gives up the first request, if it is under way.
    pub(super) fn give_up_opening(&mut self, outcome: Outcome, topical: &Topical, recorder: &mut Recorder) {
        let (Some(asking), Some(subscription)) = (&mut self.asking, &self.subscription) else { return };
        if asking.round > 0 {
            return;
        }
        let (task, stood) = (asking.task, asking.client.stood());
        if outcome == Outcome::Timeout {
            recorder.note_awaited(callback::verification(subscription.key, 0), outcome, &mut |note| {
                note.add(b"the hub did not answer the subscription in time: ");
                stood.tell(note);
            });
        }
        let call = Asking::call(&topical.exchange, &asking.request);
        asking.client.cancel(&call, outcome == Outcome::Timeout, &mut Owner { recorder, task: None });
        self.asked(&task, 0, outcome, 0, recorder);
    }

    /// Takes note of a lease that was granted, and renews one of which two thirds are over.
    pub(super) fn look_at_lease(&mut self, topical: &Topical, recorder: &mut Recorder) {
        let Some(subscription) = &mut self.subscription else { return };
        let Some(known) = topical.feed.subscriber(subscription.key) else { return };
        let now = recorder.now();
        if let Some(lease_s) = known.lease_s
            && subscription.round != Some(known.round)
            && !recorder.is_awaited(callback::verification(subscription.key, known.round))
        {
            subscription.round = Some(known.round);
            // A lease that outlives every load needs no renewal.
            let lease = i64::try_from(lease_s).ok().and_then(|seconds| seconds.checked_mul(1_000_000_000 * 2 / 3));
            subscription.renewal = lease.map_or(Nanos::MAX, |two_thirds| now + Nanos(two_thirds.min(i64::MAX / 4)));
        }
        if subscription.renewal > now || self.asking.is_some() {
            return;
        }
        subscription.renewal = Nanos::MAX;
        let task = Task { intended: now, ..subscription.task };
        if let Some(round) = topical.feed.renew(subscription.key) {
            self.ask(&task, round, topical, recorder);
        }
    }
}

/// Why a request could not be made, in a sentence.
pub(super) fn told(why: Unrenderable, recorder: &mut Recorder) -> String {
    match why {
        Unrenderable::NoValue => {
            recorder.take_trouble().unwrap_or_else(|| "a value that the request needs was never captured".to_owned())
        }
        Unrenderable::Control => "a header's value would hold a line break or control character".to_owned(),
    }
}

fn tell_answer(note: &mut contract::Note, status: u16, body: &[u8]) {
    match status {
        ACCEPTED => return note.add(b"status 202: the hub takes the subscription and is to ask whether it is meant"),
        307 | 308 => {
            say(note, format_args!("status {status}: redirects of a hub are not followed; name the other hub"))
        }
        _ => say(note, format_args!("status {status}, where 202 takes the subscription:")),
    }
    show(note, body);
}
