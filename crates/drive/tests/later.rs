//! Legs that another connection closes, in simulated time: every iteration ends once, however its reply fared.
#![allow(clippy::unwrap_used, reason = "a test")]

mod planned;

use contract::{
    BuildContext, Cancel, Closes, Driver, DriverKind, ExchangeKind, Interest, LegKind, Mistakes, NO_STREAM, Recorder,
    Session, Settings, Slot, Task, Work,
};
use drive::{Blueprint, DriverUse, simulate_scenario};
use plan::{LoadPlan, ScenarioPlan, Schedule, Segment, StreamsPlan};
use record::Entry;
use recorder::{ExchangeLayout, Layout, Shared};
use std::cell::RefCell;
use std::collections::{BTreeMap, VecDeque};
use std::rc::Rc;
use std::sync::Arc;
use study::Item;
use terms::{Books, Nanos, Outcome};
use testkit::{NoNames, settings};

const LEGS: &[LegKind] =
    &[LegKind { name: "accepted", closes: Closes::Here }, LegKind { name: "reply", closes: Closes::Matched }];

/// `letter.send`: accepted at once; the reply of every tenth never comes, of every tenth and first twice, of every
/// tenth and second after its time, of every tenth and third with the wrong content. What is on its way arrives when a
/// later letter is sent.
const LETTER: DriverKind = DriverKind {
    name: "letter",
    exchanges: &[ExchangeKind { name: "send", work: Work::Exchange, legs: LEGS, keys: &[], words: &[] }],
    counters: &[],
    features: &[],
    messages: &[],
    build: |_: &[Settings], _: &mut BuildContext<'_>| -> Result<Box<dyn Driver>, Mistakes> {
        Ok(Box::new(Letters::default()))
    },
};

const WITHIN: Nanos = Nanos::from_secs(2);

/// Replies under way: when they arrive, for which key, and how.
type UnderWay = Rc<RefCell<VecDeque<(Nanos, u128, Outcome)>>>;

#[derive(Default)]
struct Letters {
    under_way: UnderWay,
}

struct Letter(UnderWay);

impl Driver for Letters {
    fn session(&self, _: Slot) -> Box<dyn Session> {
        Box::new(Letter(self.under_way.clone()))
    }
}

impl Session for Letter {
    fn begin(&mut self, task: &Task, recorder: &mut Recorder) -> Interest {
        let now = recorder.now();
        let due: Vec<_> = self.0.borrow().iter().copied().filter(|(at, ..)| *at <= now).collect();
        self.0.borrow_mut().retain(|(at, ..)| *at > now);
        due.into_iter().for_each(|(at, key, outcome)| {
            recorder.matched(key, at, outcome);
        });
        recorder.started(task);
        let key = recorder.key(task);
        recorder.expect(task, 1, key, WITHIN);
        let after = |span| (now + span, key, Outcome::Ok);
        let soon = Nanos::from_millis(7);
        match task.serial % 10 {
            0 => {}
            1 => self.0.borrow_mut().extend([after(soon), after(soon * 2)]),
            2 => self.0.borrow_mut().push_back(after(WITHIN + Nanos::SECOND)),
            3 => self.0.borrow_mut().push_back((now + soon, key, Outcome::Wrong)),
            _ => self.0.borrow_mut().push_back(after(soon)),
        }
        recorder.close(task, 0, Outcome::Ok, 1, 0);
        Interest::Idle
    }

    fn ready(&mut self, _: &mut Recorder) -> Interest {
        Interest::Idle
    }

    fn cancel(&mut self, _: Cancel, _: &mut Recorder) {}
}

fn setup() -> Blueprint<'static> {
    Blueprint {
        drivers: vec![DriverUse { kind: LETTER, settings: vec![settings("letter", 0, "send", &[])] }],
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

/// 100/s for ten seconds, two of the last letters' replies being under way or missing when the load ends.
fn plan(streams: Option<StreamsPlan>, is_drain_automatic: bool) -> ScenarioPlan {
    let schedule = Schedule::even(vec![Segment::constant(100.0, Nanos::from_secs(10))]);
    let load = LoadPlan::Open { schedule, max_in_flight: None };
    let mut plan = planned::scenario(load, Some(Nanos::from_secs(10)), vec![Item::Exchange(0)]);
    plan.parts[0].streams = streams;
    ScenarioPlan { drain_at_most: Nanos::from_millis(500), is_drain_automatic, ..plan }
}

#[derive(Default)]
struct Totals {
    books: BTreeMap<u16, Books>,
    replies: BTreeMap<(u16, Outcome), u64>,
    reply_max: Nanos,
    last_end_s: i64,
}

fn simulate(plan: &ScenarioPlan) -> Totals {
    let seen = RefCell::new(Totals::default());
    simulate_scenario(plan, &[setup()], &|entry| {
        let Entry::Load(batch) = entry else { return };
        let (folded, mut seen) = (batch.fold(), seen.borrow_mut());
        for row in &folded.iterations {
            *seen.books.entry(row.stream).or_default() += row.books;
        }
        for row in folded.outcomes.iter().filter(|row| row.leg == 1) {
            *seen.replies.entry((row.stream, row.outcome)).or_default() += row.count;
            seen.last_end_s = seen.last_end_s.max(row.end_s);
        }
        for row in folded.legs.iter().filter(|row| row.leg == 1 && row.population == terms::Population::Ok) {
            seen.reply_max = seen.reply_max.max(row.response.max);
        }
    })
    .unwrap();
    seen.into_inner()
}

#[test]
fn every_iteration_ends_once_and_late_is_not_right() {
    let seen = simulate(&plan(None, true));
    let books = seen.books[&NO_STREAM];
    assert!(books.balances() && books.intended == 1000 && books.aborted == 0, "{books:?}");
    // Of ten letters one is never answered, one too late, one wrongly; nobody fetches what comes after the last letter.
    let count = |outcome| seen.replies.get(&(NO_STREAM, outcome)).copied().unwrap_or(0);
    assert_eq!((count(Outcome::Missing), count(Outcome::Wrong)), (201, 100));
    assert_eq!(count(Outcome::Ok), 699);
    assert_eq!((books.failed, books.completed), (301, 699));
    assert_eq!(count(Outcome::Duplicate), 100);
    // Replies to letters of the first seven seconds came, three seconds after they were sent.
    assert_eq!(count(Outcome::Late), 70);
    assert_eq!(seen.reply_max, Nanos::from_millis(7), "timed where it was read, from the intended start");
    assert_eq!(seen.last_end_s, 11, "the drain lasts until the last leg is missing");
}

#[test]
fn a_drain_of_the_studys_own_gives_up_what_is_open() {
    let seen = simulate(&plan(None, false));
    let books = seen.books[&NO_STREAM];
    assert!(books.balances() && books.aborted > 0, "{books:?}");
    assert_eq!(seen.replies[&(NO_STREAM, Outcome::Aborted)], books.aborted);
    assert_eq!(seen.last_end_s, 10);
}

#[test]
fn streams_have_books_of_their_own() {
    let seen = simulate(&plan(Some(StreamsPlan { table: 0, count: 20, seed: None }), true));
    assert_eq!(seen.books.keys().copied().collect::<Vec<_>>(), (0..20).collect::<Vec<u16>>());
    for (stream, books) in &seen.books {
        assert!(books.balances() && books.intended == 50, "{stream}: {books:?}");
    }
    // Start k belongs to stream k modulo 20, so those of 0 and 10 are never answered.
    assert_eq!((seen.books[&0].completed, seen.books[&10].completed), (0, 0));
    assert_eq!((seen.books[&4].completed, seen.replies[&(4, Outcome::Ok)]), (50, 50));
}
