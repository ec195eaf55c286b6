//! What was open where a record breaks off, or was cut off because the run was stopped, counts in no share.
#![allow(clippy::unwrap_used, reason = "a test")]

use crate::common::{Call, Run, call, evenly, study_of};
use terms::{Nanos, Outcome};

const RULES: &str = "good: share(x.ok) >= 99%\nquick: share(x.response < 1s) >= 99%\nbad: share(x.failed) <= 1%\nmany: share(x.started) >= 99%\nnone: count(x.dropped) = 0\nenough: rate(x) >= 95/s\nfew: rate(x) >= 60/s";

/// Two hundred calls that are still going on at the end of second 20.
fn open(step: u32) -> Vec<Call> {
    (0..200).map(|number| call(step, 18.0 + f64::from(number) / 100.0 + 1e-6, 1e4)).collect()
}

/// A hold that ended after 20 of its 30 seconds; `ended` in its first 18.
fn run(ended: impl Fn(u64, Call) -> Call) -> Run {
    let mut run = Run::of(&study_of("{ arrivals: 100/s, hold: 30s }", RULES));
    let hold = run.step("hold");
    run.add(&evenly(hold, 0, 18, 100, ended));
    let span = run.span("hold");
    (span.to, span.is_ended) = (Nanos::from_secs(20), false);
    run.evidence.end = Nanos::from_secs(20);
    run.evidence.head.ending.as_mut().unwrap().reason = "interrupted".into();
    run
}

/// Its last calls open where the record breaks off.
fn killed(mut run: Run) -> Run {
    let hold = run.step("hold");
    run.add(&open(hold));
    let is_seen = |end_s: i64| end_s < 20;
    run.rows.iterations.retain(|row| is_seen(row.end_s));
    run.rows.legs.retain(|row| is_seen(row.end_s));
    run.rows.outcomes.retain(|row| is_seen(row.end_s));
    run.evidence.cut = Some(Nanos::from_secs(20));
    run
}

/// Its last calls cut off by the operator.
fn stopped(mut run: Run) -> Run {
    let hold = run.step("hold");
    let cut_off = |call: Call| Call { took: Nanos::from_secs_f64(20.2 - call.at), ..call.ended(Outcome::Aborted) };
    run.add(&open(hold).into_iter().map(cut_off).collect::<Vec<_>>());
    run.event(19.9, "interrupt", "run");
    run
}

#[test]
fn what_is_unfinished_is_no_failure() {
    for make in [killed as fn(Run) -> Run, stopped] {
        let run = make(run(|_, call| call));
        for rule in ["good", "quick", "bad", "many", "none"] {
            assert_eq!(run.verdict(rule), ("cannot_tell", "cut_short".into()), "{rule}");
        }
        let books = run.step_result("hold").books;
        assert_eq!((books.completed, books.open() + books.aborted, books.balances()), (1800, 200, true));
    }
}

#[test]
fn the_rest_of_a_hold_could_have_brought_what_a_rate_is_short_of() {
    // 1,800 answers in 20 s are 90/s.
    for make in [killed as fn(Run) -> Run, stopped] {
        let run = make(run(|_, call| call));
        assert_eq!(run.verdict("enough"), ("cannot_tell", "cut_short_below".into()));
        assert_eq!(run.verdict("few"), ("cannot_tell", "cut_short".into()));
    }
    // Nothing can be added to a hold that ran its time.
    let mut whole = Run::of(&study_of("{ arrivals: 100/s, hold: 20s }", RULES));
    let tenth_fails = |number, call: Call| if number % 10 == 0 { call.ended(Outcome::Status) } else { call };
    whole.add(&evenly(whole.step("hold"), 0, 20, 100, tenth_fails));
    assert_eq!((whole.verdict("enough").0, whole.verdict("few").0), ("not_met", "met"));
}

#[test]
fn what_failed_counts_all_the_same() {
    for make in [killed as fn(Run) -> Run, stopped] {
        let run = make(run(|number, call| if number % 5 == 0 { call.ended(Outcome::Status) } else { call }));
        for rule in ["good", "quick", "bad"] {
            assert_eq!(run.verdict(rule).0, "not_met", "{rule}");
        }
    }
}

#[test]
fn what_was_cut_off_before_the_run_was_stopped_counts() {
    // The drain of a load that ran its time cuts off what never comes.
    let mut run = stopped(run(|number, call| if number % 5 == 0 { call.ended(Outcome::Aborted) } else { call }));
    assert_eq!(run.verdict("good").0, "not_met");
    run.evidence.events.clear();
    assert_eq!(run.verdict("good").0, "not_met");
}

#[test]
fn a_run_in_which_nothing_ended_proves_nothing() {
    let mut run = killed(run(|_, call| call));
    let hold = run.step("hold");
    run.rows.iterations.retain(|row| row.intended_s >= 18);
    run.rows.legs.clear();
    run.rows.outcomes.clear();
    run.rows.starts.retain(|row| row.step == hold && row.intended_s >= 18);
    assert_eq!(run.verdict("good"), ("cannot_tell", "no_samples".into()));
}
