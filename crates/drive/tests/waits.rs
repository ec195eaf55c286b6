//! Waits around a load: a duration is slept, and whoever watches ends one that a rule may end.
#![allow(clippy::unwrap_used, reason = "a test")]

mod planned;

use clock::Clock;
use drive::{Control, Marks, Stop};
use plan::{LoadPlan, ScenarioPlan, Schedule, Segment};
use record::{Entry, StepMark};
use std::sync::Mutex;
use study::Wait;
use terms::Nanos;

/// Idle, a minute; recovery, two; gap, three.
fn plan(until: &[Wait]) -> ScenarioPlan {
    let schedule = Schedule::even(vec![Segment::constant(1.0, Nanos::SECOND)]);
    let load = LoadPlan::Open { schedule, max_in_flight: None };
    ScenarioPlan {
        idle: Some((2, Nanos::from_secs(60))),
        recovery: Some((3, Nanos::from_secs(120))),
        gap: Nanos::from_secs(180),
        until: until.iter().copied().collect(),
        ..planned::scenario(load, Some(Nanos::SECOND), Vec::new())
    }
}

/// A step, when it began or ended, in seconds, and whether it ended.
type Mark = (u32, i64, bool);

/// What is asked of whoever watches, and the marks of all waits, in seconds of a simulated clock. A rule holds seven seconds
/// after it is asked for, and has held for three by then; it never does if `control` is stopped.
fn waited(plan: &ScenarioPlan, control: &Control) -> (Vec<(Wait, i64)>, Vec<Mark>) {
    let (clock, asked, marks) = (Clock::simulated(), Mutex::new(Vec::new()), Mutex::new(Vec::new()));
    let sink = |entry| {
        let Entry::Step(StepMark { step, at, is_end }) = entry else { return };
        marks.lock().unwrap().push((step, at.second(), is_end));
    };
    let rest = |wait, from: Nanos| {
        asked.lock().unwrap().push((wait, from.second()));
        if control.get() != Stop::No {
            return None;
        }
        clock.advance_to(clock.now() + Nanos::from_secs(7));
        Some(clock.now() - Nanos::from_secs(3))
    };
    let all = Marks { plan, clock: &clock, control, sink: &sink, rest: &rest };
    all.idle();
    let load_ended = clock.now();
    all.drain(load_ended);
    all.recovery(clock.now());
    all.gap();
    (asked.into_inner().unwrap(), marks.into_inner().unwrap())
}

#[test]
fn durations_are_slept_and_nobody_is_asked() {
    let (asked, marks) = waited(&plan(&[]), &Control::new());
    assert_eq!(asked, []);
    assert_eq!(marks, [(2, 0, false), (2, 60, true), (1, 60, true), (3, 60, false), (3, 180, true)]);
}

#[test]
fn a_rule_ends_a_wait_and_an_idle_phase_began_when_it_began_to_hold() {
    let (asked, marks) = waited(&plan(&Wait::ALL), &Control::new());
    assert_eq!(asked, [(Wait::Idle, 0), (Wait::Drain, 7), (Wait::Recovery, 14), (Wait::Gap, 21)]);
    assert_eq!(marks, [(2, 4, false), (2, 7, true), (1, 14, true), (3, 14, false), (3, 21, true)]);
}

#[test]
fn a_stop_ends_every_wait_at_once() {
    let control = Control::new();
    control.stop(Stop::Drain);
    for until in [&[][..], &Wait::ALL] {
        let (_, marks) = waited(&plan(until), &control);
        assert_eq!(marks, [(2, 0, false), (2, 0, true), (1, 0, true), (3, 0, false), (3, 0, true)], "{until:?}");
    }
}
