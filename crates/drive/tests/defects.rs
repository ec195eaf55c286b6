//! A thread that fails, or that never was, is told; nobody waits for it.
#![allow(clippy::unwrap_used, reason = "a test")]

mod planned;

use clock::Clock;
use contract::{BuildContext, Driver, DriverKind, Mistakes, Settings};
use drive::{Blueprint, Control, DriveError, DriverUse, Kept, Marks, ScenarioEnd, Stop, run_scenario};
use plan::{LoadPlan, ScenarioPlan, Schedule, Segment};
use record::Entry;
use recorder::{ExchangeLayout, Layout, Shared};
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use study::{Item, Per};
use terms::{Books, Nanos};
use testkit::{NoNames, SIMULATED, settings};

fn setup(kind: DriverKind, workers: u16) -> Blueprint<'static> {
    let legs = SIMULATED.exchanges[0].legs;
    Blueprint {
        drivers: vec![DriverUse { kind, settings: vec![settings("call", 0, "call", &[("service", "1ms")])] }],
        names: &NoNames,
        base: ".".into(),
        shared: Shared { seed: 1, ..Shared::default() },
        layout: Arc::new(Layout::new(vec![ExchangeLayout { legs, thresholds: Vec::new() }])),
        workers,
        mailbox: None,
        nonce: 0,
        sessions_max: 100,
    }
}

fn scenario(set_up: Vec<(u16, Per)>) -> ScenarioPlan {
    let schedule = Schedule::even(vec![Segment::constant(10.0, Nanos::SECOND)]);
    let load = LoadPlan::Open { schedule, max_in_flight: None };
    let mut plan = planned::scenario(load, Some(Nanos::SECOND), vec![Item::Exchange(0)]);
    plan.parts[0].set_up = set_up;
    ScenarioPlan { drain_at_most: Nanos::SECOND, ..plan }
}

/// Of all threads that build this driver the second one fails.
fn build_but_once(exchanges: &[Settings], context: &mut BuildContext<'_>) -> Result<Box<dyn Driver>, Mistakes> {
    static BUILT: AtomicU32 = AtomicU32::new(0);
    assert!(BUILT.fetch_add(1, Ordering::SeqCst) != 1, "a defect on purpose");
    (SIMULATED.build)(exchanges, context)
}

fn run(plan: &ScenarioPlan, setup: Blueprint<'_>, clock: &Clock, control: &Control) -> Result<ScenarioEnd, DriveError> {
    let marks = Marks { plan, clock, control, sink: &|_| {}, rest: &|_, _| None };
    run_scenario(&marks, &[setup], &mut Kept::default())
}

#[test]
fn a_thread_that_fails_before_the_load_is_waited_for_by_nobody() {
    let setup = setup(DriverKind { build: build_but_once, ..SIMULATED }, 3);
    let (clock, control) = (Clock::system(), Control::new());
    let ended = run(&scenario(Vec::new()), setup, &clock, &control).map(drop);
    assert!(matches!(ended, Err(DriveError::Defect)), "{ended:?}");
}

#[test]
fn a_stop_before_the_load_leaves_out_what_is_not_set_up_yet() {
    let setup = setup(SIMULATED, 1);
    let (clock, control) = (Clock::system(), Control::new());
    control.stop(Stop::Drain);
    let plan = scenario(vec![(0, Per::Scenario)]);
    let ended = run(&plan, setup, &clock, &control).unwrap();
    assert_eq!((ended.stopped, ended.origin), (Stop::Drain, ended.load_ended));
}

#[test]
fn a_set_up_that_fails_names_its_exchange() {
    let mut setup = setup(SIMULATED, 1);
    setup.drivers[0].settings = vec![settings("log_in", 0, "call", &[("service", "1ms"), ("fail_every", "1")])];
    let (clock, control) = (Clock::system(), Control::new());
    let plan = scenario(vec![(0, Per::Scenario)]);
    let ended = run(&plan, setup, &clock, &control).map(drop);
    let Err(DriveError::SetUp(why)) = ended else { panic!("{ended:?}") };
    assert!(why.to_string().starts_with("`log_in` ended as `"), "{why}");
}

/// A generator that cannot send what is planned says so in its books: what it never came to was planned, and lost.
#[test]
fn starts_that_are_never_reached_are_planned_and_lost() {
    let schedule = Schedule::even(vec![Segment::constant(20e6, Nanos::from_millis(100))]);
    let load = LoadPlan::Open { schedule, max_in_flight: Some(10) };
    let plan = planned::scenario(load, Some(Nanos::from_millis(100)), vec![Item::Exchange(0)]);
    let plan = ScenarioPlan { drain_at_most: Nanos::from_millis(50), ..plan };
    let books = std::sync::Mutex::new(Books::default());
    let sink = |entry| {
        if let Entry::Load(batch) = entry {
            let mut sum = books.lock().unwrap();
            batch.fold().iterations.iter().for_each(|row| *sum += row.books);
        }
    };
    let (clock, control) = (Clock::system(), Control::new());
    let marks = Marks { plan: &plan, clock: &clock, control: &control, sink: &sink, rest: &|_, _| None };
    run_scenario(&marks, &[setup(SIMULATED, 2)], &mut Kept::default()).unwrap();
    let books = books.into_inner().unwrap();
    assert_eq!(books.intended, 2_000_000);
    assert_eq!(books.intended, books.started + books.dropped, "{books:?}");
    assert_eq!(books.open(), 0, "{books:?}");
}
