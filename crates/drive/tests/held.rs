//! Held connections in simulated time: what is due stays due, whatever becomes of the connection.
#![allow(clippy::unwrap_used, reason = "a test")]

mod planned;

use contract::{
    BuildContext, Cancel, Closes, Driver, DriverKind, ExchangeKind, Interest, LegKind, Mistakes, NO_STREAM, Recorder,
    Session, Settings, Slot, Task, Work,
};
use drive::{Blueprint, DriverUse, simulate_scenario};
use plan::{HeldPlan, LoadPlan, LoadStep, ScenarioPlan, UserPlan};
use record::Entry;
use recorder::{ExchangeLayout, Layout, Shared};
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;
use std::sync::Arc;
use study::Item;
use terms::{Books, Nanos, Outcome, Population};
use testkit::{NoNames, settings};

const ANSWER: u8 = 0;
const SENT: u8 = 1;
const OPENING: u8 = 2;
const HEARD: u8 = 3;
const LEGS: &[LegKind] = &[
    LegKind { name: "answer", closes: Closes::Matched },
    LegKind { name: "sent", closes: Closes::Here },
    LegKind { name: "connect", closes: Closes::Opening },
    LegKind { name: "heard", closes: Closes::Beside },
];

/// `line.talk`: a connection opens in 40 ms; every fourth never does, and waits for its time-out; every fourth and first
/// is lost with its tenth message. Answers take 300 ms, longer than the next message is away. Each second something comes of
/// itself on a connection that opened.
const LINE: DriverKind = DriverKind {
    name: "line",
    exchanges: &[ExchangeKind { name: "talk", work: Work::Held, legs: LEGS, keys: &[], words: &[] }],
    counters: &[],
    features: &[],
    messages: &[],
    build: |_: &[Settings], _: &mut BuildContext<'_>| -> Result<Box<dyn Driver>, Mistakes> {
        Ok(Box::new(Lines::default()))
    },
};

const OPENS: Nanos = Nanos::from_millis(40);
const ANSWERS: Nanos = Nanos::from_millis(300);
const WITHIN: Nanos = Nanos::from_secs(2);

/// What sessions saw: the numbers of connections that were closed at the end, and the rows that messages took.
#[derive(Default)]
struct Lines {
    seen: Rc<RefCell<Seen>>,
}

#[derive(Default)]
struct Seen {
    rows: BTreeMap<u64, u64>,
    under_way: Vec<(Nanos, u128)>,
}

struct Line {
    number: u64,
    is_open: bool,
    opening: Option<Task>,
    sent: u64,
    seen: Rc<RefCell<Seen>>,
}

impl Driver for Lines {
    fn session(&self, slot: Slot) -> Box<dyn Session> {
        Box::new(Line { number: slot.user, is_open: false, opening: None, sent: 0, seen: self.seen.clone() })
    }
}

impl Session for Line {
    fn connect(&mut self, task: &Task, recorder: &mut Recorder) -> Interest {
        assert_eq!((task.row, task.serial), (self.number, self.number));
        recorder.started(task);
        self.opening = Some(*task);
        let never = self.number.is_multiple_of(4);
        if never { Interest::Io { read: true, write: false } } else { Interest::WakeAt(recorder.now() + OPENS) }
    }

    fn begin(&mut self, task: &Task, recorder: &mut Recorder) -> Interest {
        assert!(self.opening.is_none(), "nothing is sent while the connection opens");
        let now = recorder.now();
        let due = std::mem::take(&mut self.seen.borrow_mut().under_way);
        let (due, later): (Vec<_>, Vec<_>) = due.into_iter().partition(|(at, _)| *at <= now);
        self.seen.borrow_mut().under_way = later;
        for (at, key) in due {
            recorder.matched(key, at, Outcome::Ok);
        }
        *self.seen.borrow_mut().rows.entry(task.row).or_default() += 1;
        recorder.started(task);
        let key = recorder.key(task);
        recorder.expect(task, ANSWER, key, WITHIN);
        self.sent += 1;
        self.is_open &= self.number % 4 != 1 || self.sent < 10;
        if self.is_open {
            self.seen.borrow_mut().under_way.push((now + ANSWERS, key));
            recorder.close(task, SENT, Outcome::Ok, 1, 0);
        } else {
            recorder.close_awaited(key, Outcome::Reset);
            recorder.close(task, SENT, Outcome::Reset, 1, 0);
        }
        Interest::Idle
    }

    fn ready(&mut self, recorder: &mut Recorder) -> Interest {
        if let Some(task) = self.opening.take() {
            self.is_open = true;
            recorder.close(&task, OPENING, Outcome::Ok, 1, 0);
        } else {
            recorder.timed((0, HEARD), Outcome::Ok, Nanos::SECOND, 0);
        }
        Interest::WakeAt(recorder.now() + Nanos::SECOND)
    }

    fn cancel(&mut self, _: Cancel, recorder: &mut Recorder) {
        if let Some(task) = self.opening.take() {
            recorder.close(&task, OPENING, Outcome::Timeout, 1, 0);
        }
    }
}

fn setup() -> Blueprint<'static> {
    let mut own = settings("line", 0, "talk", &[]);
    own.timeout = Nanos::from_secs(30);
    own.within = BTreeMap::from([("connect".to_owned(), Nanos::SECOND)]);
    Blueprint {
        drivers: vec![DriverUse { kind: LINE, settings: vec![own] }],
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

/// Eight connections that open one a second, each with a message every 200 ms, for 20 s in all.
fn held() -> HeldPlan {
    HeldPlan {
        in_step: false,
        connections: UserPlan::ramp(8, Nanos::from_secs(8), None),
        every: Some(Nanos::from_millis(200)),
        length: Nanos::from_secs(20),
    }
}

fn plan(held: HeldPlan, hold_from: i64) -> ScenarioPlan {
    let step = |number, from| LoadStep { step: number, from: Some(Nanos::from_secs(from)), from_count: None };
    let mut plan = planned::scenario(LoadPlan::Held(held), Some(Nanos::from_secs(20)), vec![Item::Exchange(0)]);
    plan.parts[0].load_steps = vec![step(0, 0), step(1, hold_from)];
    ScenarioPlan { steps: 0..=2, drain: 2, drain_at_most: Nanos::from_secs(5), ..plan }
}

#[derive(Default)]
struct Totals {
    books: Books,
    outcomes: BTreeMap<(u8, Outcome), u64>,
    started: u64,
    answer_max: Nanos,
    answers_of_hold: Vec<Nanos>,
    /// Openings by step.
    openings: BTreeMap<u32, u64>,
    /// What came of itself, likewise.
    heard: BTreeMap<u32, u64>,
}

fn simulate(plan: &ScenarioPlan) -> Totals {
    let seen = RefCell::new(Totals::default());
    simulate_scenario(plan, &[setup()], &|entry| {
        let Entry::Load(batch) = entry else { return };
        let (folded, mut seen) = (batch.fold(), seen.borrow_mut());
        folded.iterations.iter().filter(|row| row.stream == NO_STREAM).for_each(|row| seen.books += row.books);
        seen.started += folded.starts.iter().map(|row| row.started).sum::<u64>();
        for row in &folded.outcomes {
            *seen.outcomes.entry((row.leg, row.outcome)).or_default() += row.count;
            if row.leg == OPENING {
                *seen.openings.entry(row.step).or_default() += row.count;
            }
            if row.leg == HEARD {
                *seen.heard.entry(row.step).or_default() += row.count;
            }
        }
        for row in folded.legs.iter().filter(|row| row.leg == ANSWER && row.population == Population::Ok) {
            seen.answer_max = seen.answer_max.max(row.response.max);
            if row.step == 1 {
                seen.answers_of_hold.push(row.response.max);
            }
        }
    })
    .unwrap();
    seen.into_inner()
}

#[test]
fn what_is_due_is_counted_whether_its_connection_stands_or_not() {
    let seen = simulate(&plan(held(), 8));
    let planned = held().due_until(Nanos::MAX);
    assert!(seen.books.balances(), "{:?}", seen.books);
    assert_eq!((seen.books.intended, seen.started, seen.books.dropped), (planned, planned, 0));
    let count = |leg, outcome| seen.outcomes.get(&(leg, outcome)).copied().unwrap_or(0);
    // Connections 0 and 4 never open; 1 and 5 are lost with their tenth message; each opening is counted once.
    assert_eq!((count(OPENING, Outcome::Ok), count(OPENING, Outcome::Timeout)), (6, 2));
    let of = |connection: u32| held().messages(0, 1).filter(|it| it.connection == connection).count() as u64;
    let lost = of(0) + of(4) + (of(1) - 9) + (of(5) - 9);
    assert_eq!((count(SENT, Outcome::Reset), count(SENT, Outcome::Ok)), (lost, planned - lost));
    // Every message has an answer or a reason; none is in both.
    assert_eq!((count(ANSWER, Outcome::Reset), seen.books.failed), (lost, lost + count(ANSWER, Outcome::Missing)));
    assert_eq!(count(ANSWER, Outcome::Ok) + count(ANSWER, Outcome::Missing), planned - lost);
    assert_eq!(seen.books.completed, count(ANSWER, Outcome::Ok));
}

/// Each of them ends at once, since there is no connection; on a stack of two mebibytes they would not fit one in another.
#[test]
fn forty_thousand_messages_that_waited_for_a_connection_which_never_opened_end() {
    let many = HeldPlan {
        connections: UserPlan::ramp(1, Nanos::ZERO, None),
        every: Some(Nanos::from_micros(25)),
        length: Nanos::from_secs(3),
        ..held()
    };
    let planned = many.due_until(Nanos::MAX);
    let seen = simulate(&plan(many, 1));
    assert_eq!((planned, seen.books.intended, seen.books.failed, seen.books.dropped), (120_000, 120_000, 120_000, 0));
    assert_eq!(seen.outcomes[&(SENT, Outcome::Reset)], 120_000);
}

#[test]
fn answers_that_overlap_are_timed_each_from_its_own_due_time() {
    let seen = simulate(&plan(held(), 8));
    // In the hold every connection stands: an answer takes 300 ms although a message is due every 200.
    assert!(seen.answers_of_hold.iter().all(|max| *max == ANSWERS), "{:?}", seen.answers_of_hold);
    // A message that came due while its connection opened waited for it, its clock running.
    assert!(seen.answer_max > ANSWERS && seen.answer_max <= ANSWERS + OPENS, "{}", seen.answer_max);
}

#[test]
fn connections_that_only_listen_open_in_the_steps_of_their_times() {
    // One a second; the hold begins when half of them are there.
    let seen = simulate(&plan(HeldPlan { every: None, ..held() }, 4));
    assert_eq!(seen.openings, BTreeMap::from([(0, 4), (1, 4)]));
    assert_eq!((seen.books.intended, seen.started), (0, 0));
    // Six of them open, 40 ms after their second; what comes each second since belongs to the step in which it does.
    assert_eq!(seen.heard.get(&0), Some(&3), "two on the second connection, one on the third");
    assert_eq!(seen.heard.get(&1), Some(&((20 - 1 + 20 - 2 + 20 - 3 + 20 - 5 + 20 - 6 + 20 - 7) - 6 - 3)));
    let talking = simulate(&plan(held(), 4));
    assert_eq!(talking.openings, seen.openings, "as where they talk");
}
