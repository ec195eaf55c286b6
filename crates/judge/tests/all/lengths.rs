//! Holds whose length is not a whole number of seconds: counts are divided by the length of the window they were taken in.
#![allow(clippy::unwrap_used, reason = "a test")]

use crate::common::{Call, Run, call, evenly, study_of};
use judge::Arg;
use proptest::prelude::*;
use terms::Nanos;

const RULES: &str = "
    done: rate(x.ok) >= 98/s
    begun: rate(x.started) >= 98/s
    planned: rate(x.intended) >= 98/s
    opening: rate(x.ok) >= 98/s in first 2s of hold
    closing: rate(x.ok) >= 98/s in last 2s of hold
";

/// A constant load of so many a second over so many milliseconds, behind a warm-up, answered at once.
fn constant(warm_up_ms: i64, hold_ms: i64, per_second: u64) -> Run {
    let load = format!("{{ arrivals: {per_second}/s, warm_up: {warm_up_ms}ms, hold: {hold_ms}ms }}");
    let mut run = Run::of(&study_of(&load, RULES));
    let (warm_up, hold) = (run.step("warm_up"), run.step("hold"));
    let all = (warm_up_ms + hold_ms) as u64 * per_second;
    let at = |number: u64| number as f64 / per_second as f64;
    let calls = (0..).take_while(|number| number * 1000 < all).map(|number| {
        let step = if number * 1000 < warm_up_ms as u64 * per_second { warm_up } else { hold };
        call(step, at(number) + 1e-7, 0.0001)
    });
    run.add(&calls.collect::<Vec<_>>());
    run
}

fn value(run: &Run, id: &str) -> f64 {
    run.result(id).value.unwrap()
}

#[test]
fn a_hold_of_twelve_and_six_tenths_keeps_its_rate() {
    let run = constant(2000, 12_600, 100);
    let step = run.step_result("hold");
    assert_eq!((step.books.completed, step.offered_per_s, step.throughput_per_s), (1260, 100.0, 100.0));
    for id in ["done", "begun", "planned", "opening", "closing"] {
        let result = run.result(id);
        assert_eq!((result.verdict.name(), result.value, result.is_census), ("met", Some(100.0), true), "{id}");
    }
}

#[test]
fn the_sign_of_a_late_generator_tells_the_same_rates() {
    let mut run = constant(1000, 12_600, 100);
    let (warm_up, hold) = (run.step("warm_up"), run.step("hold"));
    run.rows = record::Folded::default();
    let late = |_: u64, call: Call| call.late(5.0);
    run.add(&evenly(warm_up, 0, 1, 100, late));
    let all: Vec<Call> = evenly(hold, 1, 13, 100, late).into_iter().take(1260).collect();
    run.add(&all);
    let sign = run.judge().signs.into_iter().find(|sign| sign.code == "rate" && sign.scope == "s/hold").unwrap();
    assert_eq!((&sign.args["planned"], &sign.args["ended"]), (&Arg::PerSecond(100.0), &Arg::PerSecond(100.0)));
}

#[test]
fn a_window_without_a_whole_second_counts_its_own_only() {
    // From 2.6 s to 3.9 s; what the warm-up ended in second 2 is none of it.
    let run = constant(2600, 1300, 100);
    assert!((run.step_result("hold").throughput_per_s - 100.0).abs() < 1e-9);
    assert!((value(&run, "done") - 100.0).abs() < 1e-9);
}

#[test]
fn a_closed_load_of_a_moment_has_no_rates() {
    let mut run = Run::of(&study_of("{ users: 1, hold: 3s }", "any: count(x) >= 0"));
    let hold = run.step("hold");
    run.add(&[call(hold, 0.0, 0.1)]);
    assert!(run.step_result("hold").has_rates());
    run.span("hold").to = Nanos::from_secs_f64(0.000_118);
    assert!(!run.step_result("hold").has_rates());
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]

    #[test]
    fn rates_of_a_constant_load_are_the_planned_one_for_every_length(
        hold_ms in 1000i64..20_000, warm_up_ms in 1i64..5000, per_second in 1u64..300,
    ) {
        let run = constant(warm_up_ms, hold_ms, per_second);
        let (step, planned) = (run.step_result("hold"), per_second as f64);
        let (from, to) = (warm_up_ms as f64 / 1e3, (warm_up_ms + hold_ms) as f64 / 1e3);
        // Within one start: of those of the whole length, and of those that end in the whole seconds within it.
        prop_assert!((step.offered_per_s - planned).abs() <= 1.0 / step.seconds + 1e-9, "{step:#?}");
        let whole = to.floor() - from.ceil();
        let length = if whole >= 1.0 { whole } else { step.seconds };
        prop_assert!((step.throughput_per_s - planned).abs() <= 1.0 / length + 1e-9, "{step:#?}");
        for id in ["done", "begun", "planned"] {
            prop_assert!((value(&run, id) - planned).abs() <= 1.0 / length + 1e-9, "{}", id);
        }
    }

    #[test]
    fn a_load_that_begins_on_a_second_has_its_count_over_its_length(hold_ms in 1000i64..20_000, tens in 1u64..30) {
        // So many that each tenth of a second holds as many: then no edge can be seen.
        let hold_ms = hold_ms / 100 * 100;
        let load = format!("{{ arrivals: {}/s, hold: {hold_ms}ms }}", tens * 10);
        let run = Run::simulated(&study_of(&load, RULES).replace("service: 10ms", "service: 0ms"), 2);
        let step = run.step_result("hold");
        let counted = step.books.completed as f64 / step.seconds;
        prop_assert!((step.throughput_per_s - counted).abs() < 1e-9, "{step:#?}");
        prop_assert!((value(&run, "done") - counted).abs() < 1e-9);
    }
}
