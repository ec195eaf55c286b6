//! A held session that has asked for something elsewhere, in simulated time: it is called when that has come, or has not,
//! with nothing in hand.
#![allow(clippy::unwrap_used, reason = "a test")]

mod planned;

use contract::{
    BuildContext, Cancel, Closes, Driver, DriverKind, ExchangeKind, Interest, LegKind, Mistakes, Recorder, Session,
    Settings, Slot, Task, Work,
};
use drive::{Blueprint, DriverUse, simulate_scenario};
use plan::{HeldPlan, LoadPlan, UserPlan};
use record::Entry;
use recorder::{ExchangeLayout, Layout, Shared};
use std::collections::BTreeMap;
use std::sync::Arc;
use study::Item;
use terms::{Nanos, Outcome};
use testkit::{NoNames, settings};

const DELIVERY: u8 = 0;
const SUBSCRIBE: u8 = 1;
const VERIFY: u8 = 2;
const CALLED: u8 = 3;
const LEGS: &[LegKind] = &[
    LegKind { name: "delivery", closes: Closes::Matched },
    LegKind { name: "subscribe", closes: Closes::Opening },
    LegKind { name: "verify", closes: Closes::Matched },
    LegKind { name: "called", closes: Closes::Beside },
    LegKind { name: "farewell", closes: Closes::Confirmed },
];
const FAREWELL: u8 = 4;

/// `post.take`: nobody ever asks whether a subscription is meant, so no event comes either.
const POST: DriverKind = DriverKind {
    name: "post",
    exchanges: &[ExchangeKind { name: "take", work: Work::FanOut, legs: LEGS, keys: &[], words: &[] }],
    counters: &[],
    features: &[],
    messages: &[],
    build: |_: &[Settings], _: &mut BuildContext<'_>| -> Result<Box<dyn Driver>, Mistakes> { Ok(Box::new(Post)) },
};

const SUBSCRIBERS: u32 = 3;
const WITHIN: Nanos = Nanos::from_millis(700);
const KEY_OF_VERIFY: u128 = 1 << 39;
const KEY_OF_FAREWELL: u128 = 1 << 38;

struct Post;

impl Driver for Post {
    fn session(&self, _: Slot) -> Box<dyn Session> {
        Box::new(Subscriber { opened: None, leaves: None })
    }
}

struct Subscriber {
    opened: Option<Task>,
    /// When its farewell is answered.
    leaves: Option<Nanos>,
}

/// From a farewell to its answer, which two of three get.
const ANSWERED: Nanos = Nanos::from_millis(20);

impl Session for Subscriber {
    fn connect(&mut self, task: &Task, recorder: &mut Recorder) -> Interest {
        recorder.started(task);
        self.opened = Some(*task);
        let asked = Task { serial: task.serial | KEY_OF_VERIFY as u64, ..*task };
        recorder.expect_and_wake(&asked, VERIFY, recorder.key(task) | KEY_OF_VERIFY, WITHIN);
        recorder.close(task, SUBSCRIBE, Outcome::Ok, 1, 0);
        Interest::Idle
    }

    fn begin(&mut self, task: &Task, recorder: &mut Recorder) -> Interest {
        recorder.started_elsewhere(task, Nanos::ZERO);
        recorder.expect(task, DELIVERY, recorder.key(task), WITHIN);
        Interest::Idle
    }

    fn ready(&mut self, recorder: &mut Recorder) -> Interest {
        if let (Some(at), Some(task)) = (self.leaves.filter(|at| *at <= recorder.now()), self.opened) {
            self.leaves = None;
            assert_eq!(at, recorder.now(), "it is called when it asked to be");
            recorder.close_awaited(recorder.key(&task) | KEY_OF_FAREWELL, Outcome::Ok);
            return Interest::Idle;
        }
        if self.leaves.is_none() {
            recorder.timed((0, CALLED), Outcome::Ok, recorder.now(), 0);
        }
        Interest::Idle
    }

    fn cancel(&mut self, _: Cancel, _: &mut Recorder) {}

    fn leave(&mut self, recorder: &mut Recorder) -> Interest {
        let Some(task) = self.opened else { return Interest::Idle };
        assert_eq!(recorder.awaiting_legs() as u64, task.serial, "nothing but the farewells of those before it");
        let said = Task { intended: recorder.now(), serial: task.serial | KEY_OF_FAREWELL as u64, ..task };
        recorder.expect(&said, FAREWELL, recorder.key(&task) | KEY_OF_FAREWELL, WITHIN);
        if task.serial == 1 {
            return Interest::Idle;
        }
        self.leaves = Some(recorder.now() + ANSWERED);
        Interest::WakeAt(recorder.now() + ANSWERED)
    }
}

#[test]
fn a_session_with_nothing_in_hand_is_called_when_its_leg_has_ended() {
    let blueprint = Blueprint {
        drivers: vec![DriverUse { kind: POST, settings: vec![settings("post", 0, "take", &[])] }],
        names: &NoNames,
        base: ".".into(),
        shared: Shared { seed: 1, ..Shared::default() },
        layout: Arc::new(Layout::new(vec![ExchangeLayout { legs: LEGS, thresholds: Vec::new() }])),
        workers: 1,
        mailbox: None,
        nonce: 0,
        sessions_max: 100,
    };
    let connections = UserPlan::ramp(SUBSCRIBERS, Nanos::ZERO, None);
    let held = HeldPlan { in_step: true, connections, every: Some(Nanos::SECOND), length: Nanos::from_secs(5) };
    let plan = planned::scenario(LoadPlan::Held(held), Some(Nanos::from_secs(5)), vec![Item::Exchange(0)]);
    let seen = std::cell::RefCell::new((BTreeMap::<(u8, Outcome), u64>::new(), Vec::new()));
    simulate_scenario(&plan, &[blueprint], &|entry| {
        let Entry::Load(batch) = entry else { return };
        let (folded, mut seen) = (batch.fold(), seen.borrow_mut());
        folded.outcomes.iter().for_each(|row| *seen.0.entry((row.leg, row.outcome)).or_default() += row.count);
        seen.1
            .extend(folded.legs.iter().filter(|row| row.leg == CALLED).map(|row| (row.response.min, row.response.max)));
    })
    .unwrap();
    let (outcomes, called) = seen.into_inner();
    let all = u64::from(SUBSCRIBERS);
    let expected = [
        // At the beginning of the load nobody had subscribed before.
        ((DELIVERY, Outcome::Missing), 4 * all),
        ((SUBSCRIBE, Outcome::Ok), all),
        ((VERIFY, Outcome::Missing), all),
        ((CALLED, Outcome::Ok), all),
        // What is stated at the end is waited for.
        ((FAREWELL, Outcome::Ok), all - 1),
        ((FAREWELL, Outcome::Missing), 1),
    ];
    assert_eq!(outcomes, BTreeMap::from(expected), "each is called once: for its verification");
    assert_eq!(called, [(WITHIN, WITHIN)], "at the moment at which it is missing");
}
