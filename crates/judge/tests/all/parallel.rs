//! Calls that an iteration makes at once: their times overlap, and must not be added up.
#![allow(clippy::unwrap_used, reason = "a test")]

use crate::common::{Run, study_of_scenarios};
use terms::Verdict;

/// `x` takes 1 ms, `y` 40 ms; two at a time, x and y, then y and x: 41 ms together.
const PAGE: &str = "{ parallel: [ x, y, y, x ], at_once: 2 }";

fn run(items: &str, rules: &str, workers: u16) -> Run {
    let scenario = format!("\n    shop: {{ load: {{ arrivals: 40/s, hold: 60s }}, run: [ {items} ] }}");
    Run::simulated(&study_of_scenarios(&scenario, &format!("requirements:\n{rules}")), workers)
}

#[test]
fn what_is_in_flight_agrees_with_the_time_of_all_of_them_together() {
    for (items, seconds) in [
        (PAGE.to_owned(), 0.041),
        (format!("{PAGE}, job"), 2.041),
        (format!("{{ transaction: page, run: [ {PAGE}, think: 1s ] }}"), 1.041),
        (format!("{{ times: 3, run: [ {PAGE} ] }}, think: 500ms"), 0.623),
    ] {
        for workers in [1, 3] {
            let mut run = run(&items, "  right: share(*.ok) >= 100%", workers);
            let in_flight = run.step_result("hold").in_flight.unwrap();
            assert!(in_flight.off.abs() < 0.01, "{items}: {in_flight:?}");
            let expected = 40.0 * seconds;
            // The first seconds fill up.
            assert!((in_flight.counted / expected - 1.0).abs() < 0.05, "{items}: {in_flight:?}, expected {expected}");
            // Were the calls added up one by one, this would go unseen.
            run.evidence.engine.iter_mut().for_each(|row| row.in_flight_mean *= 1.5);
            let off = run.step_result("hold").in_flight.unwrap().off;
            assert!(off < -0.2, "{items}: {off}");
        }
    }
}

#[test]
fn calls_made_at_once_and_alone_leave_a_span_and_no_contradiction() {
    let run = run(&format!("{PAGE}, y"), "  right: share(*.ok) >= 100%", 2);
    assert_eq!(run.step_result("hold").in_flight.unwrap().off, 0.0);
}

#[test]
fn each_call_is_counted_and_all_together_are_a_transaction_of_their_own() {
    let rules = "  calls: count(*.ok) = 9600\n  each: max(y.response) <= 40.1ms\n  y: count(y.ok) = 4800";
    let run = run(PAGE, rules, 2);
    for id in ["calls", "each", "y"] {
        assert_eq!(run.result(id).verdict, Verdict::Met, "{id}: {:?}", run.result(id));
    }
    let step = run.step_result("hold");
    let [whole] = step.transactions.as_slice() else { panic!("{:?}", step.transactions) };
    assert_eq!((whole.id.as_str(), whole.started), ("parallel x, y, y, x", 2400));
    let times = whole.legs[0].response.as_ref().unwrap();
    assert!((times.min - 41.0).abs() < 0.1 && (times.max - 41.0).abs() < 0.1, "{times:?}");
}
