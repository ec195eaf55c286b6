//! One slot: one subscriber; that of number 0 publishes, too.
//!
//! A subscriber holds nothing but its number once it has subscribed: what it gets comes to the listener, and the engine
//! waits for it under the key that the session makes here and the listener makes from the callback's path.

mod publish;
mod subscribe;

use crate::board::{Feed, Stage, Subscriber};
use crate::driver::Common;
use crate::{CONNECTS, DELIVERY, SUBSCRIBE};
use contract::{Cancel, Interest, Recorder, Session, Slot, Task};
use http_wire::{Counted, Host};
use publish::Publisher;
use std::io;
use std::os::fd::BorrowedFd;
use std::rc::Rc;
use subscribe::{Asking, Purpose};
use terms::{Nanos, Outcome};

pub(crate) struct WebSubSession {
    common: Rc<Common>,
    slot: Slot,
    /// Its subscription, from the moment at which it was due.
    subscription: Option<Subscription>,
    /// The request for a subscription that is under way.
    asking: Option<Box<Asking>>,
    publisher: Option<Box<Publisher>>,
    /// When the engine was last asked to call, so that it is asked once.
    wakes: Nanos,
}

/// What a subscriber has to know of its subscription.
#[derive(Clone, Copy, Debug)]
struct Subscription {
    /// The task that opened it, in the step of what came due last.
    task: Task,
    /// Names its callback.
    key: u128,
    /// Step of its opening, which its keys are made of.
    step: u32,
    /// Whether the hub was asked for it, or how that failed.
    asked: Result<(), Outcome>,
    /// The verification whose lease is being counted.
    round: Option<u32>,
    /// When it is renewed.
    renewal: Nanos,
    /// The hub's question that is waited for, as long as nothing was reported about its end, and until when it may come.
    question: Option<(Purpose, Nanos)>,
}

/// A load thread as the host of a client.
struct Owner<'a> {
    recorder: &'a mut Recorder,
    task: Option<&'a Task>,
}

impl Host for Owner<'_> {
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
            self.recorder.count(CONNECTS, 1);
        }
    }
}

impl WebSubSession {
    pub(crate) fn new(common: Rc<Common>, slot: Slot) -> Self {
        let publisher = (slot.user == 0).then(Box::default);
        Self { common, slot, subscription: None, asking: None, publisher, wakes: Nanos::MAX }
    }

    /// When the engine is to call without an event.
    fn rest(&mut self, recorder: &mut Recorder) -> Interest {
        let renewal = self.subscription.map_or(Nanos::MAX, |subscription| subscription.renewal);
        let asking = self.asking.as_ref().map_or(Nanos::MAX, |asking| asking.deadline);
        let publisher = self.publisher.as_ref().map_or(Nanos::MAX, |publisher| publisher.deadline());
        let next = renewal.min(asking).min(publisher);
        if next == Nanos::MAX || (next == self.wakes && next > recorder.now()) {
            return Interest::Idle;
        }
        self.wakes = next;
        Interest::WakeAt(next)
    }
}

impl Session for WebSubSession {
    fn connect(&mut self, task: &Task, recorder: &mut Recorder) -> Interest {
        let common = self.common.clone();
        let Some(topical) = common.topical(task.exchange) else {
            // The engine hands out only what `build` was given; a wrong number must not be silent.
            recorder.close(task, SUBSCRIBE, Outcome::BadStudy, task.units, 0);
            return Interest::Gone;
        };
        if self.publisher.is_some() {
            topical.feed.begin(task.step);
        }
        let key = recorder.key(task);
        topical.feed.subscribe(key);
        let asked = Err(Outcome::Reset);
        self.subscription = Some(Subscription {
            task: *task,
            key,
            step: task.step,
            asked,
            round: None,
            renewal: Nanos::MAX,
            question: None,
        });
        self.ask(task, Purpose::First, topical, recorder)
    }

    fn begin(&mut self, task: &Task, recorder: &mut Recorder) -> Interest {
        let common = self.common.clone();
        let (Some(topical), Some(subscription)) = (common.topical(task.exchange), &mut self.subscription) else {
            recorder.started(task);
            let key = recorder.key(task);
            recorder.expect(task, DELIVERY, key, Nanos::ZERO);
            recorder.close_awaited(key, Outcome::BadStudy);
            return Interest::Idle;
        };
        let first = task.serial.saturating_sub(task.row);
        if self.publisher.is_some() {
            recorder.started(task);
            topical.feed.note_lateness(first, (recorder.now() - task.intended).or_zero());
        } else {
            // Nothing is sent from here: that ten thousand are looked at one after another makes no event late.
            recorder.started_elsewhere(task, topical.feed.lateness_of(first));
        }
        (subscription.task.step, subscription.task.intended) = (task.step, task.intended);
        let key = recorder.key(&Task { step: subscription.step, ..*task });
        recorder.expect(task, DELIVERY, key, topical.exchange.within.delivery);
        let failed = subscription.asked.err().or_else(|| {
            let stage = topical.feed.subscriber(subscription.key)?.stage;
            (stage == Stage::Denied).then_some(Outcome::Fault)
        });
        if let Some(outcome) = failed {
            recorder.note_awaited(key, outcome, &mut |note| {
                note.add(b"no subscription stands that it could be delivered to")
            });
            recorder.close_awaited(key, outcome);
        }
        if let Some(publisher) = &mut self.publisher {
            publisher.publish(task, topical, &common, self.slot.number, recorder);
        }
        fetch_tallies(&topical.feed, recorder);
        self.rest(recorder)
    }

    fn ready(&mut self, recorder: &mut Recorder) -> Interest {
        let common = self.common.clone();
        let Some(number) = self.subscription.map(|subscription| subscription.task.exchange) else {
            return Interest::Gone;
        };
        let Some(topical) = common.topical(number) else { return Interest::Gone };
        if let Some(interest) = self.go_on_asking(topical, recorder) {
            return interest;
        }
        if let Some(publisher) = &mut self.publisher {
            publisher.ready(topical, &common, self.slot.number, recorder);
        }
        self.look_at_question(recorder);
        self.look_at_lease(topical, recorder);
        fetch_tallies(&topical.feed, recorder);
        self.rest(recorder)
    }

    fn cancel(&mut self, why: Cancel, recorder: &mut Recorder) {
        self.give_up_opening(if why == Cancel::Deadline { Outcome::Timeout } else { Outcome::Aborted }, recorder);
    }

    fn leave(&mut self, recorder: &mut Recorder) -> Interest {
        let common = self.common.clone();
        let Some(subscription) = &mut self.subscription else { return Interest::Idle };
        let Some(topical) = common.topical(subscription.task.exchange) else { return Interest::Idle };
        // Of a subscription that is none there is no end to ask for.
        let is_there = |subscriber: &mut Subscriber| match subscriber.stage {
            Stage::Verified => {
                subscriber.stage = Stage::Leaving;
                true
            }
            _ => false,
        };
        if topical.exchange.farewell.is_none() || topical.feed.change(subscription.key, is_there) != Some(true) {
            return Interest::Idle;
        }
        subscription.renewal = Nanos::MAX;
        let task = Task { intended: recorder.now(), ..subscription.task };
        self.ask(&task, Purpose::Farewell, topical, recorder);
        self.rest(recorder)
    }

    fn disconnect(&mut self, recorder: &mut Recorder) {
        let common = self.common.clone();
        let Some(subscription) = self.subscription.take() else { return };
        let Some(topical) = common.topical(subscription.task.exchange) else { return };
        // From now on the hub is told that nobody is there, which ends the subscription (section 7 of the recommendation).
        topical.feed.leave(subscription.key);
        self.asking = None;
        if let Some(publisher) = &mut self.publisher {
            publisher.abandon(recorder);
        }
        fetch_tallies(&topical.feed, recorder);
    }
}

/// Counts what the listener has seen.
fn fetch_tallies(feed: &Feed, recorder: &mut Recorder) {
    feed.take_tallies().for_each(|(counter, count)| recorder.count(counter, count));
}
