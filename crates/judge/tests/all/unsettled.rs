//! What nobody knows proves nothing: calls that neither succeeded nor failed, times that a time-out cut off, starts that
//! nobody saw.
#![allow(clippy::unwrap_used, reason = "a test")]

use crate::common::{Call, EVENTS, Run, append, call, evenly, fold, spread, study_of, study_of_scenarios, study_with};
use judge::WireValidity;
use terms::{Nanos, Outcome};

const FAILURES: &str = "
    good: share(*.failed) <= 1%
    none: share(x.failed) <= 0%
    zero: count(x.failed) = 0
    few: count(x.failed) <= 5
    slow: share(x.timeout) <= 1%
    right: share(x.ok) >= 99%
";

/// Six thousand calls, of which `cut` were still open when the drain was over, and `failed` have failed.
fn drained(cut: u64, failed: u64) -> Run {
    let mut run = Run::of(&study_of("{ arrivals: 100/s, hold: 60s }", FAILURES));
    let hold = run.step("hold");
    run.add(&evenly(hold, 0, 60, 100, |k, call| match k {
        _ if spread(k, cut, 6000) => call.ended(Outcome::Aborted),
        _ if k < failed => call.ended(Outcome::Status),
        _ => call,
    }));
    run
}

#[test]
fn a_system_that_never_answered_has_not_kept_a_limit_on_failures() {
    let dead = drained(6000, 0);
    for rule in ["good", "none", "zero", "few", "slow"] {
        assert_eq!(dead.verdict(rule), ("cannot_tell", "unsettled".into()), "{rule}");
    }
    assert_eq!(dead.verdict("right").0, "not_met", "none succeeded, whatever they would have come to");
    let open = dead.result("good").reason.args["open"].clone();
    assert_eq!(open, judge::Arg::Count(6000.0));
}

#[test]
fn a_few_calls_that_were_cut_off_turn_only_what_they_can() {
    let two = drained(2, 0);
    let verdicts = ["good", "few", "slow", "right"].map(|rule| two.verdict(rule).0);
    assert_eq!(verdicts, ["met"; 4]);
    for rule in ["none", "zero"] {
        assert_eq!(two.verdict(rule), ("cannot_tell", "unsettled".into()), "{rule}");
    }
    // The interval has them in it.
    assert!(two.result("good").high.unwrap() >= 2.0 / 6000.0);
    let failed = drained(2, 1);
    assert_eq!(["none", "zero", "good"].map(|rule| failed.verdict(rule).0), ["not_met", "not_met", "met"]);
    // Without any, nothing changes.
    let whole = drained(0, 0);
    assert_eq!(["good", "none", "zero", "few", "slow", "right"].map(|rule| whole.verdict(rule).0), ["met"; 6]);
}

/// Three thousand iterations; of those that were not `dropped` the login of `fails` is refused, and what needs its token is
/// never sent.
fn journeys(fails: impl Fn(u64) -> bool, dropped: impl Fn(u64) -> bool) -> Run {
    let exchanges = "login: { simulated.call: {} }\norder: { simulated.call: {} }\nleave: { simulated.call: {} }";
    let rules = "orders: share(order.failed) <= 1%\nleft: share(leave.failed) <= 1%\nlogins: share(login.failed) <= 1%\n\
                 none: count(order.failed) = 0";
    let mut run = Run::of(&study_with("login, order, leave", "{ arrivals: 50/s, hold: 60s }", exchanges, rules));
    let hold = run.step("hold");
    let logins = evenly(hold, 0, 60, 50, |k, call| match k {
        _ if dropped(k) => call.ended(Outcome::Dropped),
        _ if fails(k) => call.ended(Outcome::Status),
        _ => call,
    });
    let mut calls = logins.clone();
    for login in &logins {
        match login.outcome {
            Outcome::Ok => calls.extend([login.of(1).later(), login.of(2).later()]),
            Outcome::Status => calls.push(login.of(1).later().ended(Outcome::BadStudy)),
            _ => {}
        }
    }
    let mut rows = fold(&run.evidence.head, &calls);
    // It could not be written, so it was never sent.
    let sent: Vec<Call> = calls.iter().filter(|call| call.outcome != Outcome::BadStudy).copied().collect();
    rows.starts = fold(&run.evidence.head, &sent).starts;
    append(&mut run.rows, rows);
    run
}

#[test]
fn what_was_never_sent_since_a_call_before_it_failed_has_not_succeeded_either() {
    let all = journeys(|_| true, |_| false);
    for rule in ["orders", "left", "none"] {
        assert_eq!(all.verdict(rule), ("cannot_tell", "unsettled".into()), "{rule}");
    }
    assert_eq!(all.verdict("logins").0, "not_met");
    let half = journeys(|k| k % 2 == 0, |_| false);
    assert_eq!(["orders", "left"].map(|rule| half.verdict(rule).0), ["cannot_tell"; 2]);
    // One iteration in a thousand leaves the limit of 1 % kept, whatever it would have come to.
    let few = journeys(|k| k % 1000 == 7, |_| false);
    assert_eq!(["orders", "left"].map(|rule| few.verdict(rule).0), ["met"; 2]);
    assert_eq!(few.verdict("none"), ("cannot_tell", "unsettled".into()));
    let whole = journeys(|_| false, |_| false);
    assert_eq!(["orders", "left", "logins", "none"].map(|rule| whole.verdict(rule).0), ["met"; 4]);
}

#[test]
fn what_never_got_a_connection_under_a_bound_of_the_study_is_on_the_systems_account() {
    let mut run = Run::of(&study_of("{ arrivals: 100/s, hold: 60s, max_in_flight: 10 }", FAILURES));
    let hold = run.step("hold");
    run.add(&evenly(hold, 0, 60, 100, |k, call| if k % 20 == 0 { call } else { call.ended(Outcome::Dropped) }));
    for rule in ["good", "zero"] {
        assert_eq!(run.verdict(rule), ("cannot_tell", "unsettled".into()), "{rule}");
    }
    assert_eq!(run.verdict("right").0, "not_met");
}

#[test]
fn outcomes_of_iterations_that_began_do_not_explain_starts_that_were_lost() {
    // A third was never started; the login of all others failed, and what needs it was never sent.
    let run = journeys(|_| true, |k| k % 3 == 0);
    let lost = run.sign("lost_starts").unwrap();
    assert_eq!((lost.state, lost.value), (WireValidity::Invalid, Some(judge::Arg::Share(1.0 / 3.0))));
    // 250 of 3000 were never started; of fifty pages six calls each were cut off.
    let mut run = Run::of(&study_of("{ arrivals: 50/s, hold: 60s }", "any: count(x) >= 0"));
    let hold = run.step("hold");
    let mut calls = evenly(hold, 0, 60, 50, |k, call| match k {
        0..250 => call.ended(Outcome::Dropped),
        250..300 => call.ended(Outcome::Aborted),
        _ => call,
    });
    let cut: Vec<Call> =
        calls.iter().filter(|call| call.outcome == Outcome::Aborted).map(|call| call.later()).collect();
    calls.extend((0..5).flat_map(|_| cut.clone()));
    run.add(&calls);
    let lost = run.sign("lost_starts").unwrap();
    assert_eq!((lost.state, lost.value), (WireValidity::Invalid, Some(judge::Arg::Share(250.0 / 3000.0))));
}

#[test]
fn times_that_a_time_out_cut_off_keep_no_upper_limit() {
    let rules = "
        mean: mean(x.response of all) <= 2s
        low: mean(x.response of all) >= 1s
        far: p95(x.response of all) <= 12s
        near: p95(x.response of all) <= 8s
        median: p50(x.response of all) <= 8s
        beyond: share(x.response <= 12s of all) >= 99%
        below: share(x.response <= 8s of all) >= 80%
        most: max(x.response of all) <= 12s
        good: p95(x.response) <= 2s
        over: mean(x.response of all) <= 1s
    ";
    let text = study_of("{ arrivals: 100/s, hold: 60s }", rules)
        .replace("service: 10ms } }", "service: 10ms }, timeout: 10s }");
    let mut run = Run::of(&text);
    let hold = run.step("hold");
    // One call in ten takes longer than ten seconds, nobody knows how much.
    run.add(&evenly(hold, 0, 60, 100, |k, call| match k % 10 {
        3 => Call { took: Nanos::from_secs(10), ..call.ended(Outcome::Timeout) },
        _ => Call { took: Nanos::from_millis(500 + k as i64 % 7), ..call },
    }));
    for rule in ["mean", "far", "beyond", "most"] {
        assert_eq!(run.verdict(rule), ("cannot_tell", "censored".into()), "{rule}");
    }
    let told = ["low", "near", "median", "below", "good", "over"].map(|rule| run.verdict(rule).0);
    assert_eq!(told, ["met", "not_met", "met", "met", "met", "not_met"]);
}

/// Holds of 60 s at 50 and at 200 a second with a ramp of a minute between them; a counter and a query count each call.
fn profile(rules: &str) -> Run {
    let load = "{ arrivals: [ { rate: 50/s, for: 60s }, { to: 200/s, over: 60s }, { rate: 200/s, for: 60s } ] }";
    let text = study_of(load, rules).replace("watch: { host: {} }", "watch: { host: { values: { rows: select 1 } } }");
    let mut run = Run::of(&text);
    let rate = |at: f64| {
        if at < 60.0 {
            50.0
        } else if at < 120.0 {
            50.0 + 150.0 * (at - 60.0) / 60.0
        } else {
            200.0
        }
    };
    let mut sum = 0.0;
    for second in -2..190 {
        run.sample(f64::from(second), EVENTS, "shop", Some(sum));
        run.sample(f64::from(second), crate::common::NAMED, "shop", Some(sum));
        sum += if (0..180).contains(&second) { rate(f64::from(second) + 0.5) } else { 0.0 };
    }
    run
}

#[test]
fn what_a_count_grew_by_between_two_holds_is_of_neither() {
    let run = profile(
        "
        counter: rate(host.events) <= 130/s
        query: rate(host.rows) <= 130/s
        grown: count(host.events) <= 15500
        rows: count(host.rows) <= 15500
    ",
    );
    // 3000 and 12000 in 120 s, and 7500 between them.
    for (rule, expected) in [("counter", 125.0), ("query", 125.0), ("grown", 15_000.0), ("rows", 15_000.0)] {
        let value = run.result(rule).value.unwrap();
        assert!((value / expected - 1.0).abs() < 0.02, "{rule}: {value}");
        assert_eq!(run.verdict(rule).0, "met", "{rule}");
    }
}

#[test]
fn a_pause_between_repetitions_is_neither_a_fall_nor_a_stall() {
    let scenario = "s: { load: { arrivals: 100/s, hold: 120s }, run: [x], idle: 1m }";
    let rules = "full: drop_at(x.ok) >= 100000\n  work: working_rate(x.ok) >= 95/s";
    let text = study_of_scenarios(scenario, &format!("order: [s]\nrepeat: 2\nrequirements:\n  {rules}"));
    let mut run = Run::of(&text);
    let holds = run.holds();
    assert_eq!(holds.len(), 2);
    for (step, from) in holds {
        run.add(&(0..12_000).map(|k| call(step, from as f64 + k as f64 / 100.0 + 1e-6, 10.0)).collect::<Vec<_>>());
    }
    assert_eq!(run.verdict("full"), ("cannot_tell", "fell_not".into()));
    assert_eq!(run.verdict("work"), ("met", "worked".into()));
    let duty = run.result("work").reason.args["duty"].clone();
    let judge::Arg::Share(duty) = duty else { panic!("{duty:?}") };
    assert!(duty > 0.98, "{duty}");
}
