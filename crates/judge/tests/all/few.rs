//! Runs too short for a design effect: what all data agree on is decided, and nothing is met by silence.
#![allow(clippy::unwrap_used, reason = "a test")]

use crate::common::{Call, Run, evenly, spread, study_of, study_of_scenarios};
use judge::{Arg, Judgement};
use terms::{Outcome, Verdict};

/// `per_second` calls for some seconds of an open load, each made by `of`.
fn run(seconds: i64, per_second: u64, rules: &str, of: impl Fn(u64, Call) -> Call) -> Run {
    let mut run = Run::of(&study_of(&format!("{{ arrivals: {per_second}/s, hold: {seconds}s }}"), rules));
    let hold = run.step("hold");
    run.add(&evenly(hold, 0, seconds, per_second, of));
    run
}

const NOT_MET: (&str, &str) = ("not_met", "far_outside");
const CANNOT_TELL: (&str, &str) = ("cannot_tell", "too_few_batches");

#[track_caller]
fn check(run: &Run, id: &str, expected: (&str, &str)) {
    let (verdict, reason) = run.verdict(id);
    assert_eq!((verdict, reason.as_str()), expected, "{id}: {:#?}", run.results(id));
}

#[test]
fn where_every_call_failed_no_limit_on_failures_is_kept() {
    let rules = "one: share(x.failed) <= 1%\nfive: share(x.failed) <= 5%\nten: share(x.failed) <= 10%\n\
        half: share(x.failed) <= 50%\nok: share(x.ok) >= 99%\nstatus: share(x.status) < 0.1%\n\
        fast: share(x.response < 1s) >= 95%";
    for seconds in [1, 5, 6, 9] {
        let run = run(seconds, 20, rules, |_, call| call.ended(Outcome::Status));
        for id in ["one", "five", "ok", "status", "fast"] {
            check(&run, id, NOT_MET);
        }
        // Two observations that lie apart decide about a tenth; about a half nothing so short does.
        check(&run, "ten", if seconds >= 6 { NOT_MET } else { CANNOT_TELL });
        check(&run, "half", CANNOT_TELL);
        let args = &run.result("one").reason.args;
        // Twenty times the limit is one observation that is wrong in one of twenty runs; less rests on two.
        assert_eq!([&args["count"], &args["runs"]], [&Arg::Count(seconds as f64 * 20.0), &Arg::Count(20.0)]);
        if seconds >= 6 {
            assert_eq!(run.result("ten").reason.args["runs"], Arg::Count(10.0));
        }
        assert_eq!(run.judge().exit_code(&run.study), 1);
    }
}

#[test]
fn most_of_them_are_enough_and_a_few_are_not() {
    let rules = "one: share(x.failed) <= 1%\nok: share(x.ok) >= 99%";
    // Of 160 in 8 s: a fifth is twenty times what is allowed.
    for (failed, expected) in [(159, NOT_MET), (80, NOT_MET), (32, NOT_MET), (31, CANNOT_TELL), (3, CANNOT_TELL)] {
        let run = run(8, 20, rules, |k, call| if spread(k, failed, 160) { call.ended(Outcome::Status) } else { call });
        check(&run, "one", expected);
        check(&run, "ok", expected);
    }
}

#[test]
fn nothing_is_met_by_few() {
    let rules = "one: share(x.failed) <= 1%\nhalf: share(x.failed) <= 50%\nok: share(x.ok) >= 10%\n\
        p50: p50(x) < 1h\nmean: mean(x) < 1h\nfast: share(x.response < 1s) >= 5%";
    for (seconds, per_second) in [(1, 1), (9, 1), (9, 1000)] {
        let run = run(seconds, per_second, rules, |_, call| call);
        for id in ["one", "half", "ok", "p50", "mean", "fast"] {
            check(&run, id, CANNOT_TELL);
        }
    }
    let silent = Run::of(&study_of("{ arrivals: 20/s, hold: 8s }", rules));
    for result in silent.judge().requirements {
        assert_eq!(result.verdict, Verdict::CannotTell, "{result:?}");
    }
}

#[test]
fn percentiles_and_means_that_all_calls_miss() {
    let rules = "p99: p99(x) < 100ms\np95: p95(x) < 100ms\np90: p90(x) < 100ms\np50: p50(x) < 100ms\n\
        mean: mean(x) < 100ms\nfloor: p5(x) > 60s\nnear: mean(x) < 400ms";
    let slow = |_: u64, call: Call| Call { took: terms::Nanos::from_secs(6), ..call };
    for (seconds, ninety) in [(1, CANNOT_TELL), (9, NOT_MET)] {
        let run = run(seconds, 20, rules, slow);
        for id in ["p99", "p95", "floor", "mean"] {
            check(&run, id, NOT_MET);
        }
        check(&run, "p90", ninety);
        check(&run, "p50", CANNOT_TELL);
        // Fifteen times as long is not far enough for one observation.
        check(&run, "near", CANNOT_TELL);
    }
}

#[test]
fn samples_of_a_metric_are_one_observation_however_many() {
    let rules = "p99: p99(host.cpu) < 50%\np95: p95(host.cpu) < 50%\np90: p90(host.cpu) < 50%";
    let mut run = run(9, 20, rules, |_, call| call);
    for second in 0..9 {
        run.sample(second as f64 + 0.5, crate::common::CPU, "host", Some(0.97));
    }
    check(&run, "p99", NOT_MET);
    check(&run, "p95", NOT_MET);
    check(&run, "p90", CANNOT_TELL);
}

#[test]
fn from_ten_seconds_on_the_interval_decides_as_before() {
    let run = run(10, 20, "one: share(x.failed) <= 1%", |_, call| call.ended(Outcome::Status));
    check(&run, "one", ("not_met", "interval_outside"));
}

/// Two users, then more: `of` makes each call of a load of so many users.
fn levels(seconds: i64, of: impl Fn(u32, Call) -> Call) -> Judgement {
    let scenario = |users: u32| format!("s{users}: {{ load: {{ users: {users}, hold: {seconds}s }}, run: [x] }}\n");
    let scenarios: String = [2, 4, 8].into_iter().map(scenario).collect();
    let mut run = Run::of(&study_of_scenarios(&scenarios, "requirements:\n  right: share(x.failed) <= 1%"));
    let holds: Vec<_> = run.evidence.steps.iter().filter(|step| step.id == "hold").cloned().collect();
    for (hold, users) in holds.iter().zip([2, 4, 8]) {
        run.add(&evenly(hold.number, hold.from.second(), seconds, 20, |_, call| of(users, call)));
    }
    run.judge()
}

#[test]
fn where_nothing_succeeded_nothing_is_known_of_the_capacity() {
    for seconds in [8, 30] {
        let all = levels(seconds, |_, call| call.ended(Outcome::Status));
        assert!(all.requirements.iter().all(|result| result.verdict == Verdict::NotMet));
        let [line] = all.capacity.lines.as_slice() else { panic!("{:#?}", all.capacity.lines) };
        assert_eq!((line.code(), line.interval.highest_held, line.interval.lowest_failed), ("nothing", None, None));
    }
    // A load under which everything breaks is a bound, where a lower one shows that it is the load.
    let broken = levels(30, |users, call| if users == 8 { call.ended(Outcome::Timeout) } else { call });
    assert_eq!(broken.capacity.lines[0].code(), "between");
    let worse = levels(30, |users, call| if users == 2 { call } else { call.ended(Outcome::Timeout) });
    assert_eq!(worse.capacity.lines[0].interval.lowest_failed, Some(4.0));
}
