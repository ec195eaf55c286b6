//! A request for a subscription, at first and for each renewal, and the hub's question that follows it.

use super::{Owner, WebSubSession};
use crate::board::Stage;
use crate::callback;
use crate::driver::Topical;
use crate::redirect::{self, Refused};
use crate::request::Unrenderable;
use crate::{REDIRECTS, RENEWALS, SUBSCRIBE, UNRENEWED, UNSUBSCRIBE, VERIFY};
use contract::{Interest, Recorder, Task};
use http_wire::{Call, Client, EXCERPT_BYTES, Expecting, Step, Url, found, say, show};
use terms::{Nanos, Outcome};

/// What a hub answers to a request that it takes (section 5.1.2 of the recommendation).
const ACCEPTED: u16 = 202;

/// What a hub is asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Purpose {
    /// The subscription.
    First,
    /// A longer lease, for this verification.
    Renewal(u32),
    /// Its end.
    Farewell,
}

impl Purpose {
    /// The key that the hub's question is waited for under, of the subscriber of this one.
    fn key(self, subscriber: u128) -> u128 {
        match self {
            Self::First => callback::verification(subscriber, 0),
            Self::Renewal(round) => callback::verification(subscriber, round),
            Self::Farewell => callback::farewell(subscriber),
        }
    }

    /// How a request is called that had no answer.
    fn word(self) -> &'static str {
        match self {
            Self::First => "subscription",
            Self::Renewal(_) => "renewal",
            Self::Farewell => "end of the subscription",
        }
    }
}

/// A request to the hub that is under way.
pub(super) struct Asking {
    task: Task,
    purpose: Purpose,
    client: Client,
    request: Vec<u8>,
    /// Until when it may take. That of the first is the engine's.
    pub(super) deadline: Nanos,
    /// Index of where it goes.
    target: usize,
    /// Where the hub has sent it on to, and how often that was done.
    sent_on: Option<(Url, u8)>,
}

impl Asking {
    fn call(target: usize, request: &[u8]) -> Call<'_> {
        let expecting = Expecting { keep: EXCERPT_BYTES, keeps_head: true, ..Expecting::default() };
        Call { target, request, http2: None, expecting, reuse: false, retry: false }
    }

    /// The task that it begins: that of the first request, once.
    fn begins(&self) -> Option<&Task> {
        Some(&self.task).filter(|_| self.purpose == Purpose::First && self.sent_on.is_none())
    }
}

impl WebSubSession {
    /// Asks the hub. From now on its question is waited for, since it may overtake the answer.
    pub(super) fn ask(
        &mut self,
        task: &Task,
        purpose: Purpose,
        topical: &Topical,
        recorder: &mut Recorder,
    ) -> Interest {
        let (common, exchange) = (self.common.clone(), &topical.exchange);
        let Some(subscription) = &mut self.subscription else { return Interest::Gone };
        let within = exchange.within;
        let (leg, for_question, for_answer) = match purpose {
            // The engine sees to the first answer.
            Purpose::First => (VERIFY, within.verify, Nanos::MAX),
            Purpose::Renewal(_) => (VERIFY, within.verify, within.subscribe),
            Purpose::Farewell => (UNSUBSCRIBE, within.unsubscribe, within.unsubscribe),
        };
        let (key, is_farewell) = (purpose.key(subscription.key), purpose == Purpose::Farewell);
        let asked_for = Task { serial: contract::reply_key::serial(key), ..*task };
        recorder.expect_and_wake(&asked_for, leg, key, for_question);
        subscription.question = Some((purpose, recorder.now() + for_question));
        let subscriber = subscription.key;

        let mut form = common.scratch.borrow_mut();
        form.clear();
        exchange.form_of(is_farewell, &common.callbacks, subscriber, &mut form);
        let mut request = common.shared.spare.take();
        let made = exchange.subscribe.write(&form, &mut request, &mut |it, into| recorder.render(task, it, into));
        drop(form);
        if let Err(why) = made {
            let why = told(why, recorder);
            recorder.note_awaited(key, Outcome::BadStudy, &mut |note| note.add(why.as_bytes()));
            common.shared.spare.give(request);
            return self.asked(task, purpose, Outcome::BadStudy, 0, recorder);
        }
        let mut client = Client::new(common.shared.clone(), self.slot.number);
        let owner = &mut Owner { recorder, task: Some(task).filter(|_| purpose == Purpose::First) };
        let target = exchange.hub;
        let step = client.begin(&Asking::call(target, &request), task.intended, owner);
        let deadline = if for_answer == Nanos::MAX { Nanos::MAX } else { recorder.now() + for_answer };
        let asking = Asking { task: *task, purpose, client, request, deadline, target, sent_on: None };
        self.asking = Some(Box::new(asking));
        self.after(step, topical, recorder).unwrap_or(Interest::Idle)
    }

    /// Goes on after an event. What it waits for while the first request is under way, which is all that is then.
    pub(super) fn go_on_asking(&mut self, topical: &Topical, recorder: &mut Recorder) -> Option<Interest> {
        let asking = self.asking.as_mut()?;
        if asking.deadline <= recorder.now() {
            let key = self.subscription.map(|it| asking.purpose.key(it.key))?;
            let (stood, purpose) = (asking.client.stood(), asking.purpose);
            recorder.note_awaited(key, Outcome::Timeout, &mut |note| {
                say(note, format_args!("the hub did not answer the {} in time: ", purpose.word()));
                stood.tell(note);
            });
            let task = asking.task;
            self.asked(&task, purpose, Outcome::Timeout, 0, recorder);
            return None;
        }
        let task = asking.begins().copied();
        let owner = &mut Owner { recorder, task: task.as_ref() };
        let step = asking.client.ready(&Asking::call(asking.target, &asking.request), owner);
        self.after(step, topical, recorder)
    }

    /// What the first request waits for, or what there is to wait for when it has ended; nothing of a renewal.
    fn after(&mut self, mut step: Step, topical: &Topical, recorder: &mut Recorder) -> Option<Interest> {
        let mut refused = None;
        while matches!(step, Step::Answered) && self.is_sent_on() {
            match self.follow(topical, recorder) {
                Ok(next) => step = next,
                Err(why) => {
                    refused = Some(why);
                    break;
                }
            }
        }
        let asking = self.asking.as_mut()?;
        let (task, purpose) = (asking.task, asking.purpose);
        let key = purpose.key(self.subscription.as_ref()?.key);
        let outcome = match step {
            Step::Waiting(interest) if purpose == Purpose::First => return Some(interest),
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
                    let sent_on = asking.sent_on.as_ref().map(|(url, _)| url);
                    recorder.note_awaited(key, outcome, &mut |note| {
                        if let Some(url) = sent_on {
                            let url = found(note, &redirect::shown(url));
                            say(note, format_args!("sent on to `{url}`: "));
                        }
                        match &refused {
                            Some(why) => {
                                say(note, format_args!("status {status}, a redirect: "));
                                why.tell(note);
                            }
                            None => tell_answer(note, purpose, status, body),
                        }
                    });
                }
                outcome
            }
        };
        let bytes = asking.client.answer().body_bytes();
        let call = Asking::call(asking.target, &asking.request);
        asking.client.finish(&call, &mut Owner { recorder, task: None });
        let interest = self.asked(&task, purpose, outcome, bytes, recorder);
        (purpose == Purpose::First).then_some(interest)
    }

    /// Whether the answer in hand sends the request on to another hub.
    fn is_sent_on(&self) -> bool {
        self.asking.as_ref().is_some_and(|asking| redirect::is_redirect(asking.client.answer().status()))
    }

    /// Sends the request in hand on, to where its answer leads.
    fn follow(&mut self, topical: &Topical, recorder: &mut Recorder) -> Result<Step, Refused> {
        let (common, exchange) = (self.common.clone(), &topical.exchange);
        let (Some(asking), Some(subscription)) = (&mut self.asking, &self.subscription) else {
            return Err(Refused::missing());
        };
        let head = asking.client.answer().head();
        let location = head.all("location").next().ok_or_else(Refused::missing)?;
        let (here, count) = asking.sent_on.as_ref().map_or((&exchange.hub_url, 0), |(url, count)| (url, *count));
        if count >= redirect::REDIRECTS_MAX {
            return Err(Refused::one_too_many(location));
        }
        let url = redirect::next(here, location)?;
        let (shared, target) = common.places.of(&url, exchange)?;

        let mut form = common.scratch.borrow_mut();
        form.clear();
        exchange.form_of(asking.purpose == Purpose::Farewell, &common.callbacks, subscription.key, &mut form);
        let mut request = common.shared.spare.take();
        let task = asking.task;
        let mut fill = |it, into: &mut Vec<u8>| recorder.render(&task, it, into);
        // What it is made of was there for the request before.
        let made = exchange.subscribe_at(&url).write(&form, &mut request, &mut fill);
        drop(form);
        if made.is_err() {
            common.shared.spare.give(request);
            return Err(Refused::unmade(location));
        }
        recorder.count(REDIRECTS, 1);
        let owner = &mut Owner { recorder, task: None };
        asking.client.finish(&Asking::call(asking.target, &asking.request), owner);
        common.shared.spare.give(std::mem::replace(&mut asking.request, request));
        (asking.target, asking.sent_on) = (target, Some((url, count + 1)));
        asking.client = Client::new(shared, self.slot.number);
        let from = owner.recorder.now();
        Ok(asking.client.begin(&Asking::call(target, &asking.request), from, owner))
    }

    /// The request has ended. Where that is not well, the hub's question is not waited for any more.
    fn asked(
        &mut self,
        task: &Task,
        purpose: Purpose,
        outcome: Outcome,
        bytes: u64,
        recorder: &mut Recorder,
    ) -> Interest {
        if let Some(asking) = self.asking.take() {
            self.common.shared.spare.give(asking.request);
        }
        let Some(subscription) = &mut self.subscription else { return Interest::Gone };
        if outcome != Outcome::Ok {
            subscription.question = None;
            recorder.close_awaited(purpose.key(subscription.key), outcome);
        }
        match purpose {
            Purpose::Renewal(_) => recorder.count(if outcome == Outcome::Ok { RENEWALS } else { UNRENEWED }, 1),
            Purpose::First => {
                subscription.asked = if outcome == Outcome::Ok { Ok(()) } else { Err(outcome) };
                recorder.close(task, SUBSCRIBE, outcome, task.units, bytes);
            }
            Purpose::Farewell => {}
        }
        // The question may have come by now, with a lease; or there will be none, and it is to be asked for anew.
        recorder.wake(self.slot.number);
        Interest::Idle
    }

    /// Gives up the first request, if it is under way.
    pub(super) fn give_up_opening(&mut self, outcome: Outcome, recorder: &mut Recorder) {
        let (Some(asking), Some(subscription)) = (&mut self.asking, &self.subscription) else { return };
        if asking.purpose != Purpose::First {
            return;
        }
        let (task, stood) = (asking.task, asking.client.stood());
        if outcome == Outcome::Timeout {
            recorder.note_awaited(Purpose::First.key(subscription.key), outcome, &mut |note| {
                note.add(b"the hub did not answer the subscription in time: ");
                stood.tell(note);
            });
        }
        let call = Asking::call(asking.target, &asking.request);
        asking.client.cancel(&call, outcome == Outcome::Timeout, &mut Owner { recorder, task: None });
        self.asked(&task, Purpose::First, outcome, 0, recorder);
    }

    /// Says it where a hub that took a request did not ask whether it is meant. The session is called when the time for that
    /// is over, and when the question has ended otherwise.
    pub(super) fn look_at_question(&mut self, recorder: &mut Recorder) {
        let Some(subscription) = &mut self.subscription else { return };
        let Some((purpose, until)) = subscription.question else { return };
        let key = purpose.key(subscription.key);
        if recorder.is_awaited(key) {
            return;
        }
        subscription.question = None;
        if recorder.now() >= until {
            // Both have the same time, so that the request itself may be found to be without an answer a moment later.
            let is_taken = self.asking.as_ref().is_none_or(|asking| asking.purpose != purpose);
            let word = purpose.word();
            recorder.note_awaited(key, Outcome::Missing, &mut |note| match is_taken {
                true => say(note, format_args!("the hub took the {word}, and did not ask in time whether it is meant")),
                false => {
                    say(note, format_args!("the hub did not answer the {word} in time, nor ask whether it is meant"))
                }
            });
        }
    }

    /// Takes note of a lease that was granted, and renews one of which two thirds are over.
    pub(super) fn look_at_lease(&mut self, topical: &Topical, recorder: &mut Recorder) {
        let Some(subscription) = &mut self.subscription else { return };
        let Some(known) = topical.feed.subscriber(subscription.key) else { return };
        if matches!(known.stage, Stage::Leaving | Stage::Left) {
            return;
        }
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
            self.ask(&task, Purpose::Renewal(round), topical, recorder);
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

fn tell_answer(note: &mut contract::Note, purpose: Purpose, status: u16, body: &[u8]) {
    match status {
        ACCEPTED => return note.add(b"status 202: the hub takes the subscription and is to ask whether it is meant"),
        _ => say(note, format_args!("status {status}, where 202 takes the {}:", purpose.word())),
    }
    show(note, body);
}
