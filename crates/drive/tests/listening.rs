//! Held connections that only listen, in simulated time: what should come is planned, what comes is called for, and a
//! session with nothing in hand is called when it asked to be.
#![allow(clippy::unwrap_used, reason = "a test")]

mod planned;

use contract::{
    BuildContext, Cancel, Closes, Driver, DriverKind, ExchangeKind, Interest, LegKind, Mistakes, NO_STREAM, Recorder,
    Session, Settings, Slot, Task, Work,
};
use drive::{Blueprint, DriverUse, simulate_scenario};
use plan::{HeldPlan, LoadPlan, ScenarioPlan, UserPlan};
use record::Entry;
use recorder::{ExchangeLayout, Layout, Shared};
use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;
use study::Item;
use terms::{Books, Nanos, Outcome, Population};
use testkit::{NoNames, settings};

const EVENT: u8 = 0;
const OPENING: u8 = 1;
const GAP: u8 = 2;
const LEGS: &[LegKind] = &[
    LegKind { name: "event", closes: Closes::Matched },
    LegKind { name: "connect", closes: Closes::Opening },
    LegKind { name: "gap", closes: Closes::Beside },
];

/// `radio.hear`: an event every 250 ms on each connection, of 100 bytes and 3 ms old when it comes. The tenth of every
/// connection does not come, and the last connection is never there.
const RADIO: DriverKind = DriverKind {
    name: "radio",
    exchanges: &[ExchangeKind { name: "hear", work: Work::Held, legs: LEGS, keys: &[], words: &[] }],
    counters: &[],
    features: &[],
    messages: &[],
    build: |_: &[Settings], _: &mut BuildContext<'_>| -> Result<Box<dyn Driver>, Mistakes> { Ok(Box::new(Radio)) },
};

const EVERY: Nanos = Nanos::from_millis(250);
const AGE: Nanos = Nanos::from_millis(3);
const WITHIN: Nanos = Nanos::from_secs(1);
const CONNECTIONS: u32 = 5;
const BYTES: u64 = 100;

struct Radio;

impl Driver for Radio {
    fn session(&self, slot: Slot) -> Box<dyn Session> {
        Box::new(Receiver { number: slot.user, next: Nanos::ZERO, came: 0, ahead: 0, due: VecDeque::new() })
    }
}

struct Receiver {
    number: u64,
    next: Nanos,
    came: u64,
    /// Events that came before they were due.
    ahead: u64,
    due: VecDeque<u128>,
}

impl Receiver {
    fn is_there(&self) -> bool {
        self.number + 1 < u64::from(CONNECTIONS)
    }
}

impl Session for Receiver {
    fn connect(&mut self, task: &Task, recorder: &mut Recorder) -> Interest {
        recorder.started(task);
        let outcome = if self.is_there() { Outcome::Ok } else { Outcome::Refused };
        recorder.close(task, OPENING, outcome, 1, 0);
        if !self.is_there() {
            return Interest::Gone;
        }
        self.next = recorder.now() + EVERY;
        Interest::WakeAt(self.next)
    }

    fn begin(&mut self, task: &Task, recorder: &mut Recorder) -> Interest {
        recorder.started(task);
        let key = recorder.key(task);
        recorder.expect(task, EVENT, key, WITHIN);
        if !self.is_there() {
            recorder.close_awaited(key, Outcome::Refused);
        } else if self.ahead > 0 {
            self.ahead -= 1;
            recorder.close_awaited_after(key, Outcome::Ok, AGE, BYTES);
        } else {
            self.due.push_back(key);
        }
        Interest::Idle
    }

    fn ready(&mut self, recorder: &mut Recorder) -> Interest {
        let now = recorder.now();
        assert!(now >= self.next, "it is called when it asked to be, and not before");
        self.came += 1;
        self.next = now + EVERY;
        if self.came != 10 {
            recorder.timed((0, GAP), Outcome::Ok, EVERY, 0);
            while self.due.front().is_some_and(|key| !recorder.is_awaited(*key)) {
                self.due.pop_front();
            }
            match self.due.pop_front() {
                Some(key) => recorder.close_awaited_after(key, Outcome::Ok, AGE, BYTES),
                None => self.ahead += 1,
            }
        }
        Interest::WakeAt(self.next)
    }

    fn cancel(&mut self, _: Cancel, _: &mut Recorder) {}
}

fn setup() -> Blueprint<'static> {
    Blueprint {
        drivers: vec![DriverUse { kind: RADIO, settings: vec![settings("radio", 0, "hear", &[])] }],
        names: &NoNames,
        base: ".".into(),
        shared: Shared { seed: 1, ..Shared::default() },
        layout: Arc::new(Layout::new(vec![ExchangeLayout { legs: LEGS, thresholds: Vec::new() }])),
        workers: 1,
        mailbox: None,
        nonce: 0,
        sessions_max: 100,
    }
}

fn plan() -> ScenarioPlan {
    let connections = UserPlan::ramp(CONNECTIONS, Nanos::ZERO, None);
    let held = HeldPlan { in_step: false, connections, every: Some(EVERY), length: Nanos::from_secs(10) };
    planned::scenario(LoadPlan::Held(held), Some(Nanos::from_secs(10)), vec![Item::Exchange(0)])
}

#[test]
fn what_should_come_is_planned_and_what_does_not_is_missing() {
    let (mut books, mut outcomes) = (Books::default(), BTreeMap::<(u8, Outcome), u64>::new());
    let (mut ages, mut bytes, mut gaps) = (Vec::new(), 0, 0);
    let seen = std::cell::RefCell::new((&mut books, &mut outcomes, &mut ages, &mut bytes, &mut gaps));
    simulate_scenario(&plan(), &[setup()], &|entry| {
        let Entry::Load(batch) = entry else { return };
        let (folded, mut seen) = (batch.fold(), seen.borrow_mut());
        folded.iterations.iter().filter(|row| row.stream == NO_STREAM).for_each(|row| *seen.0 += row.books);
        for row in &folded.outcomes {
            *seen.1.entry((row.leg, row.outcome)).or_default() += row.count;
        }
        for row in folded.legs.iter().filter(|row| row.population == Population::Ok) {
            if row.leg == EVENT {
                seen.2.extend([row.response.min, row.response.max]);
                *seen.3 += row.bytes;
            }
            *seen.4 += if row.leg == GAP { row.count } else { 0 };
        }
    })
    .unwrap();
    let count = |leg, outcome| outcomes.get(&(leg, outcome)).copied().unwrap_or(0);
    // Four events a second and connection, for 10 s.
    let each = 40;
    assert_eq!(books.intended, u64::from(CONNECTIONS) * each);
    assert!(books.balances(), "{books:?}");
    assert_eq!((count(OPENING, Outcome::Ok), count(OPENING, Outcome::Refused)), (4, 1));
    assert_eq!(count(EVENT, Outcome::Refused), each, "one that does not exist lowers nothing that was promised");
    // What is not made up for in the drain stays missing: the one that never came, of each connection.
    let came = count(EVENT, Outcome::Ok);
    assert_eq!(came + count(EVENT, Outcome::Missing), 4 * each);
    assert_eq!((books.completed, books.failed), (came, 5 * each - came));
    assert_eq!(bytes, came * BYTES);
    // Their times are those that they say, not since the moment at which they were due.
    assert!(ages.iter().all(|age| *age == AGE) && !ages.is_empty(), "{ages:?}");
    assert!(gaps >= came, "each event is timed beside the account: {gaps} for {came}");
}
