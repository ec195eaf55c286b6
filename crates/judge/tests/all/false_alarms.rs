//! Runs that look like something and are not: no rule may accuse them. Each stands beside a run that is what it looks like.
#![allow(clippy::unwrap_used, reason = "a test")]

use crate::common::{Call, Run, evenly, study_of};
use judge::{Arg, Finding};
use terms::{Nanos, Outcome};

const RULE: &str = "good: share(x.response < 1s of ok) >= 95%";

fn of_rule(run: &Run, rule: &str) -> Vec<Finding> {
    run.judge().findings.into_iter().filter(|finding| finding.rule() == rule).collect()
}

/// Holds `s1`, `s2` of a minute at these rates; `run` is an iteration.
fn loads(rates: [&str; 2], run: &str, rule: &str) -> Run {
    let scenario =
        |name: &str, rate: &str| format!("  {name}: {{ load: {{ arrivals: {rate}/s, hold: 60s }}, run: [{run}] }}\n");
    let text = study_of("{ arrivals: 1/s, hold: 1s }", rule);
    let (head, rest) = text.split_once("scenarios:\n").unwrap();
    let (_, rules) = rest.split_once("requirements:").unwrap();
    Run::of(&format!("{head}scenarios:\n{}{}requirements:{rules}", scenario("s1", rates[0]), scenario("s2", rates[1])))
}

fn hold(run: &Run, place: usize) -> (u32, i64) {
    let span = run.evidence.steps.iter().find(|span| span.scenario == place && span.id == "hold").unwrap();
    (span.number, span.from.second())
}

fn took(call: Call, ms: f64) -> Call {
    Call { took: Nanos::from_secs_f64(ms / 1e3), ..call }
}

#[test]
fn the_same_load_once_failed_and_once_held_is_no_higher_load() {
    let run = |second: u64| {
        let mut run = loads(["100", "100"], "x", "fast: share(x.response < 100ms) >= 95% per step");
        let ((first, at), (other, from)) = (hold(&run, 0), hold(&run, 1));
        run.add(&evenly(first, at, 60, 100, |_, call| took(call, 300.0)));
        run.add(&evenly(other, from, 60, second, |number, call| took(call, 10.0 + (number % 13) as f64)));
        // What was counted differs by a call.
        run.add(&[took(crate::common::call(other, from as f64 + 30.0, 10.0), 10.0)]);
        run
    };
    assert_eq!(of_rule(&run(100), "NONMONO"), []);
    assert_eq!(of_rule(&run(120), "NONMONO").len(), 1, "a load that is higher");
}

#[test]
fn few_failures_of_many_calls_an_iteration_are_no_other_regime() {
    // Twenty calls an iteration, of which the given share fails at the second load.
    let run = |first: u64, second: u64| {
        let mut run = loads(["10", "20"], "{ times: 20, run: [x] }", "good: share(x.failed) <= 50% per step");
        for (place, (rate, every)) in [(10, first), (20, second)].into_iter().enumerate() {
            let (step, from) = hold(&run, place);
            run.add(&evenly(step, from, 60, rate * 20, |number, call| {
                let call = if number % 20 == 0 { call } else { call.later() };
                let call = took(call, 10.0 + (number % (7 + place as u64)) as f64 / 10.0);
                if number % every == every - 1 { call.ended(Outcome::Refused) } else { call }
            }));
        }
        run
    };
    const NEVER: u64 = 1 << 40;
    assert_eq!(of_rule(&run(NEVER, 200), "REGIME"), [], "0.5 % of the calls, of every tenth iteration one");
    assert_eq!(of_rule(&run(120, 80), "REGIME"), [], "0.8 % and 1.25 % are of one kind");
    assert_eq!(of_rule(&run(NEVER, 50), "REGIME").len(), 1);
}

#[test]
fn one_hiccup_of_a_closed_load_is_no_omission() {
    // Two users for a minute; calls of 1 ms, and one or more that took longer.
    let run = |slow: &[(u64, f64)]| {
        let mut run = Run::of(&study_of("{ users: 2, hold: 60s }", RULE));
        let hold = run.step("hold");
        run.add(&evenly(hold, 0, 60, 100, |number, call| {
            let found = slow.iter().find(|(place, _)| *place == number);
            took(call, found.map_or(1.0 + (number % 5) as f64 / 10.0, |(_, ms)| *ms))
        }));
        run
    };
    assert_eq!(of_rule(&run(&[(3000, 40.0)]), "CO-CLOSED"), [], "40 ms of two minutes");
    assert_eq!(of_rule(&run(&[(3000, 500.0)]), "CO-CLOSED").len(), 1, "half a second");
    let many: Vec<(u64, f64)> = (0..20).map(|place| (place * 250, 20.0)).collect();
    assert_eq!(of_rule(&run(&many), "CO-CLOSED").len(), 1, "twenty of 20 ms");
}

#[test]
fn events_that_never_came_are_counted_as_cut_off() {
    let run = |every: u64| {
        let mut run = Run::of(&study_of("{ arrivals: 100/s, hold: 30s }", RULE));
        let hold = run.step("hold");
        run.add(&evenly(hold, 0, 30, 100, |number, call| {
            if number % every == 0 { took(call, 30_000.0).ended(Outcome::Missing) } else { call }
        }));
        run
    };
    let found = of_rule(&run(50), "CENSORED");
    assert_eq!(found[0].args()["timeouts"], Arg::Count(60.0), "{found:#?}");
    assert_eq!(of_rule(&run(2000), "CENSORED"), []);
}

#[test]
fn where_nothing_succeeded_that_is_reported_and_not_that_it_was_little() {
    let mut run = Run::of(&study_of("{ arrivals: 100/s, hold: 30s }", RULE));
    let hold = run.step("hold");
    run.add(&evenly(hold, 0, 30, 100, |_, call| call.ended(Outcome::Refused)));
    assert_eq!(of_rule(&run, "NO-ANSWER").len(), 1);
    assert_eq!(of_rule(&run, "FEW"), []);
}

/// The author's own texts: what does not come out is stated where it stands, and what does is not.
#[test]
fn factors_and_conversions_of_the_authors_texts() {
    let run =
        |about: &str| Run::of(&format!("about: >\n  {about}\n{}", study_of("{ arrivals: 100/s, hold: 30s }", RULE)));
    let wrong = run("Peak is 500/s, five times the nominal 200/s; 360 samples/min = 3/s; 20 * 60 = 120");
    let [ratio] = &of_rule(&wrong, "RATIO")[..] else { panic!("{:#?}", wrong.judge().findings) };
    assert_eq!((&ratio.args()["stated"], &ratio.args()["computed"]), (&Arg::Count(5.0), &Arg::Number(2.5)));
    assert_eq!((ratio.scope.as_str(), ratio.evidence[0].as_str()), ("about", "study:about"));
    let [unit] = &of_rule(&wrong, "UNIT")[..] else { panic!("{:#?}", wrong.judge().findings) };
    assert_eq!(
        (&unit.args()["first"], &unit.args()["unit"]),
        (&Arg::Text("360 samples/min".into()), &Arg::Text("/s".into()))
    );
    assert_eq!(of_rule(&wrong, "ARITH").len(), 1);
    let right = run("Peak is 500/s, 2.5 times the nominal 200/s; 180 samples/min = 3/s; 20 * 60 = 1 200");
    for rule in ["RATIO", "UNIT", "ARITH"] {
        assert_eq!(of_rule(&right, rule), [], "{rule}");
    }
}
