//! Windows, scopes, runs that ended early, and what each second belongs to.
#![allow(clippy::unwrap_used, reason = "a test")]

use crate::common::{Call, MEMORY, Run, call, evenly, study_of, study_with};
use judge::RequirementResult;
use terms::{Nanos, Outcome};

fn value(run: &Run, id: &str) -> f64 {
    let result = run.result(id);
    result.value.unwrap_or_else(|| panic!("{result:#?}"))
}

#[test]
fn each_window_takes_its_own_seconds() {
    // 10 s of warm-up with 10 ms, then 30 s of 20 ms, of which the first ten seconds take 30 ms.
    let rules = "
        most: max(x.response) < 1s
        least: min(x.response) < 1s
        opening: min(x.response) < 1s in first 10s of hold
        closing: max(x.response) < 1s in last 10s of hold
        warm: max(x.response) < 1s in warm_up
        whole: count(x) >= 0 in all
        held: count(x) >= 0
        begun: count(x) >= 0 in first 10s of hold
        rate: rate(x.ok) >= 0/s in last 5s of hold
    ";
    let mut run = Run::of(&study_of("{ arrivals: 100/s, warm_up: 10s, hold: 30s }", rules));
    let (warm_up, hold) = (run.step("warm_up"), run.step("hold"));
    let took = |ms: i64| move |_: u64, call: Call| Call { took: Nanos::from_millis(ms), ..call };
    run.add(&evenly(warm_up, 0, 10, 100, took(10)));
    run.add(&evenly(hold, 10, 10, 100, took(30)));
    run.add(&evenly(hold, 20, 20, 100, took(20)));
    for (id, expected) in [
        ("most", 30.0),
        ("least", 20.0),
        ("opening", 30.0),
        ("closing", 20.0),
        ("warm", 10.0),
        ("whole", 4000.0),
        ("held", 3000.0),
        ("begun", 1000.0),
        ("rate", 100.0),
    ] {
        assert_eq!(value(&run, id), expected, "{id}");
    }
    assert_eq!(run.result("warm").scope, "s/warm_up");
    assert_eq!(run.result("whole").scope, "s/all");
    assert_eq!(run.result("most").evidence, ["load:s/hold/x/answer"]);
}

#[test]
fn a_step_that_begins_within_a_second_loses_no_iteration_and_shares_none() {
    // Levels of 3.333 s: 30, 60, 90/s, then the hold; 100 % of the starts must be found again, each once.
    let rules = "begun: count(x.intended) >= 0\nramped: count(x.intended) >= 0 in ramp\nwhole: count(x.intended) >= 0 in all\nopening: count(x.intended) >= 0 in first 3s of hold\nrest: count(x.intended) >= 0 in last 7s of hold";
    let text = study_of("{ arrivals: 120/s, ramp: { over: 10s, by: 30/s }, hold: 10s }", rules);
    let run = Run::simulated(&text, 3);
    let judgement = run.judge();
    let by_step: u64 = judgement.steps.iter().map(|step| step.books.intended).sum();
    let planned: u64 = run.plan.steps.iter().filter_map(|step| step.iterations).sum();
    assert_eq!(by_step, planned);
    for (step, planned) in judgement.steps.iter().zip(&run.plan.steps) {
        assert_eq!(step.books.intended, planned.iterations.unwrap_or(0), "{}", step.id);
    }
    let hold = judgement.steps.iter().find(|step| step.id == "hold").unwrap();
    assert_eq!(value(&run, "begun") as u64, hold.books.intended);
    assert_eq!(value(&run, "ramped") + value(&run, "begun"), value(&run, "whole"));
    assert_eq!(value(&run, "whole") as u64, planned);
    // First and last part share no second and lose none.
    assert_eq!(value(&run, "opening") + value(&run, "rest"), value(&run, "begun"));
    // In the views too: every start and every end is in some second.
    let (views, _) = judge::judge(&run.evidence(), &run.study);
    for (view, step) in views.steps.iter().zip(&judgement.steps) {
        assert_eq!(view.seconds.iter().map(|second| second.intended).sum::<u64>(), step.books.intended);
        assert_eq!(view.seconds.iter().map(|second| second.ended_ok).sum::<u64>(), step.books.completed);
        for leg in view.exchanges.iter().flat_map(|exchange| &exchange.legs) {
            assert_eq!(leg.seconds.iter().map(|second| second.ok).sum::<u64>(), leg.ok.count);
            assert_eq!(leg.heat.total(), leg.ok.count);
        }
    }
}

#[test]
fn throughput_is_by_the_end_and_not_by_the_start() {
    // 100/s for 20 s; what was intended from second 10 on comes 15 s later, in the drain.
    let rules = "done: rate(x.ok) >= 0/s\nstarted: rate(x.started) >= 0/s\ndrained: rate(x.ok) >= 0/s in drain";
    let mut run = Run::of(&study_of("{ arrivals: 100/s, hold: 20s }", rules));
    let hold = run.step("hold");
    run.span("drain").to = Nanos::from_secs(40);
    run.add(&evenly(
        hold,
        0,
        20,
        100,
        |k, call| if k < 1000 { call } else { Call { took: Nanos::from_secs(15), ..call } },
    ));
    assert_eq!(value(&run, "done"), 50.0);
    assert_eq!(value(&run, "started"), 100.0);
    assert_eq!(value(&run, "drained"), 50.0);
    let step = run.step_result("hold");
    assert_eq!((step.offered_per_s, step.achieved_per_s, step.throughput_per_s), (100.0, 100.0, 50.0));
    // A call counts when it ended, in its own row as in the throughput; of those that began in the hold twice as many ended.
    let rates: Vec<_> = step.exchanges[0].legs.iter().map(|leg| (leg.outcome.as_str(), leg.ended_per_s)).collect();
    assert_eq!(rates, [("ok", Some(50.0)), ("failed", Some(0.0)), ("all", Some(50.0))]);
    assert_eq!(step.books.completed, 2000, "the books are of the intended start");
}

#[test]
fn throughput_of_steps_within_seconds_is_not_thinned_by_their_edges() {
    // Two steps meet at 6.5 s; each serves 100/s.
    let mut run = Run::of(&study_of("{ arrivals: 100/s, warm_up: 6500ms, hold: 13500ms }", "any: count(x) >= 0"));
    let (warm_up, hold) = (run.step("warm_up"), run.step("hold"));
    let all = evenly(hold, 0, 20, 100, |k, call| Call { step: if k < 650 { warm_up } else { hold }, ..call });
    run.add(&all);
    for id in ["warm_up", "hold"] {
        let step = run.step_result(id);
        assert!((step.throughput_per_s - 100.0).abs() < 0.2, "{id}: {}", step.throughput_per_s);
        assert_eq!(step.offered_per_s, 100.0, "{id}");
    }
    // Shorter than a second and without its middle: its own iterations over its own length.
    let mut short = Run::of(&study_of("{ arrivals: 100/s, hold: 3s }", "any: rate(x.ok) >= 0/s"));
    let hold = short.step("hold");
    *short.span("hold") = judge::evidence::StepSpan {
        from: Nanos::from_millis(600),
        to: Nanos::from_millis(900),
        ..short.span("hold").clone()
    };
    short.add(&(0..30).map(|k| call(hold, 0.6 + 0.01 * f64::from(k), 1.0)).collect::<Vec<_>>());
    assert!((short.step_result("hold").throughput_per_s - 100.0).abs() < 1e-9);
    assert!((value(&short, "any") - 100.0).abs() < 1e-9);
}

const TWO: &str = "a: { simulated.call: { service: 10ms } }\nb: { simulated.call: { service: 10ms } }";

#[test]
fn a_later_exchange_closes_in_later_seconds_and_none_is_lost() {
    // `b` begins half a second after `a`: half of it lies in the second after the iteration's, and the last in none of
    // the iterations' seconds.
    let rules = "a: share(a.ok) >= 95%\nb: share(b.ok) >= 95%\nfast: share(b.response < 1s) >= 95%\nboth: share(*.ok) >= 95%\neach: share(*.ok) >= 95% per exchange";
    let mut run = Run::of(&study_with("a, b", "{ arrivals: 10/s, hold: 60s }", TWO, rules));
    let hold = run.step("hold");
    run.add(&evenly(hold, 0, 60, 10, |_, call| Call { took: Nanos::from_millis(500), ..call }));
    run.add(&evenly(hold, 0, 60, 10, |_, call| Call { at: call.at + 0.5, ..call }.of(1).later()));
    for id in ["a", "b", "fast", "both"] {
        let result = run.result(id);
        assert_eq!((result.value, result.verdict.name()), (Some(1.0), "met"), "{id}");
        assert_eq!(result.sample_count, if id == "both" { 1200 } else { 600 });
    }
    let scopes: Vec<_> = run.results("each").into_iter().map(|result| result.scope).collect();
    assert_eq!(scopes, ["s/hold/a", "s/hold/b"]);
    assert_eq!(run.results("each")[1].evidence, ["load:s/hold/b/answer"]);
}

#[test]
fn an_exchange_that_an_iteration_carries_out_twice_counts_twice() {
    let rules =
        "count: count(x) >= 0\nplanned: count(x.intended) >= 0\nok: share(x.ok) >= 95%\np95: p95(x.response) < 1s";
    let run = Run::simulated(
        &study_with("x, x", "{ arrivals: 50/s, hold: 30s }", "x: { simulated.call: { service: 10ms } }", rules),
        1,
    );
    assert_eq!((value(&run, "count"), value(&run, "planned"), value(&run, "ok")), (3000.0, 3000.0, 1.0));
    assert_eq!(run.result("p95").sample_count, 3000);
    let step = run.step_result("hold");
    assert_eq!((step.books.intended, step.exchanges[0].intended, step.exchanges[0].started), (1500, 3000.0, 3000));
}

#[test]
fn an_exchange_that_chance_chooses_is_planned_as_it_was_chosen() {
    // 30 % of 3000 are 900 on average; the seed chooses some number beside it, and all of them are answered.
    let rules = "a: share(a.ok) >= 99%\nb: share(b.ok) >= 99%\nsum: count(a.intended) + count(b.intended) >= 0";
    let run =
        Run::simulated(&study_with("choose: { a: 30%, b: 70% }", "{ arrivals: 100/s, hold: 30s }", TWO, rules), 1);
    let started = |number: usize| run.step_result("hold").exchanges[number].started;
    assert_ne!(started(0), 900, "chance does not hit its mean in this seed");
    assert_eq!((value(&run, "a"), value(&run, "b"), value(&run, "sum")), (1.0, 1.0, 3000.0));
    assert_eq!(run.result("a").verdict.name(), "met");
}

#[test]
fn reconciliation_looks_at_all_phases() {
    let rules =
        "same: count(x.intended) = count(x.completed)\nbooks: count(x.intended) = count(x.completed) + count(x.failed)";
    let mut run = Run::of(&study_of("{ arrivals: 100/s, warm_up: 5s, hold: 10s }", rules));
    let (warm_up, hold) = (run.step("warm_up"), run.step("hold"));
    run.add(&evenly(warm_up, 0, 5, 100, |k, call| if k == 7 { call.ended(Outcome::Status) } else { call }));
    run.add(&evenly(hold, 5, 10, 100, |_, call| call));
    let same = run.result("same");
    assert_eq!((same.verdict.name(), same.scope.as_str()), ("not_met", "s/all"));
    assert_eq!((same.value, same.limit), (Some(1500.0), Some(1499.0)));
    assert_eq!(run.result("books").verdict.name(), "met");
    // Cut short, what is missing could still have come.
    run.span("hold").is_ended = false;
    assert_eq!(run.verdict("same"), ("cannot_tell", "cut_short_below".into()));
}

#[test]
fn what_was_not_run_is_not_told() {
    let text = study_of("{ arrivals: 100/s, hold: 20s }", "good: share(x.ok) >= 95%\nlives: alive(shop)")
        .replace("requirements:", "  t:\n    load: { arrivals: 100/s, hold: 20s }\n    run: [x]\nrequirements:");
    let mut run = Run::of(&text);
    let hold = run.step("hold");
    run.add(&evenly(hold, 0, 20, 100, |_, call| call));
    run.evidence.steps.retain(|step| step.scenario == 0);
    for id in ["good", "lives"] {
        let results = run.results(id);
        let seen: Vec<_> =
            results.iter().map(|r| (r.scope.as_str(), r.verdict.name(), r.reason.code.as_str())).collect();
        assert_eq!(seen[0].1, "met", "{id}");
        assert_eq!(seen[1], ("t/hold", "cannot_tell", "not_run"), "{id}");
    }
    assert_eq!(run.judge().exit_code(&run.study), 3);
}

#[test]
fn a_hold_without_a_single_start_has_no_share() {
    let run = Run::of(&study_of(
        "{ arrivals: 100/s, hold: 20s }",
        "good: share(x.ok) >= 95%\np: p95(x.response) < 1s\nnone: count(x.failed) = 0",
    ));
    assert_eq!(run.verdict("good"), ("cannot_tell", "no_samples".into()));
    assert_eq!(run.verdict("p"), ("cannot_tell", "no_samples".into()));
}

#[test]
fn a_hold_that_was_cut_short_proves_no_met_and_every_excess() {
    let rules = "
        good: share(x.response < 1s) >= 95%
        bad: share(x.response < 1ms) >= 95%
        opening: share(x.response < 1s) >= 95% in first 18s of hold
        closing: share(x.response < 1s) >= 95% in last 18s of hold
        many: count(x) >= 2500
        enough: count(x) >= 1000
        few: count(x.failed) <= 3
        none: count(x.failed) = 0
        slowest: max(x.response) < 5ms
    ";
    let mut run = Run::of(&study_of("{ arrivals: 100/s, hold: 30s }", rules));
    let hold = run.step("hold");
    run.add(&evenly(hold, 0, 20, 100, |k, call| if k % 400 == 0 { call.ended(Outcome::Status) } else { call }));
    let verdicts = |run: &Run| -> Vec<(String, &str, String)> {
        let word = |r: RequirementResult| (r.id, r.verdict.name(), r.reason.code);
        run.judge().requirements.into_iter().map(word).collect()
    };
    run.span("hold").to = Nanos::from_secs(20);
    for (is_ended, reason) in [(true, "aborted"), (false, "interrupted")] {
        run.span("hold").is_ended = is_ended;
        run.evidence.head.ending.as_mut().unwrap().reason = reason.into();
        let seen = verdicts(&run);
        let seen: Vec<_> = seen.iter().map(|(id, verdict, reason)| (id.as_str(), *verdict, reason.as_str())).collect();
        assert_eq!(
            seen,
            [
                ("good", "cannot_tell", "cut_short"),
                ("bad", "not_met", "interval_outside"),
                // Its twelve seconds were seen.
                ("opening", "met", "interval_inside"),
                ("closing", "cannot_tell", "cut_short"),
                // 1995 by now; it might have become 2500.
                ("many", "cannot_tell", "cut_short_below"),
                ("enough", "cannot_tell", "cut_short"),
                // Five failures are more than three, however it would have gone on.
                ("few", "not_met", "census"),
                ("none", "not_met", "census"),
                ("slowest", "not_met", "census"),
            ]
        );
    }
}

#[test]
fn a_planned_hold_that_never_came_cuts_the_rule_too() {
    let load = "{ arrivals: [ { rate: 100/s, for: 20s }, { to: 200/s, over: 5s }, { rate: 200/s, for: 20s } ] }";
    let mut run = Run::of(&study_of(load, "good: share(x.ok) >= 95%\nsteps: share(x.ok) >= 95% per step"));
    let holds: Vec<_> = run.evidence.steps.iter().filter(|step| step.phase == terms::Phase::Hold).cloned().collect();
    assert_eq!(holds.len(), 2, "{:#?}", run.evidence.steps);
    run.add(&evenly(holds[0].number, 0, 20, 100, |_, call| call));
    run.evidence.steps.retain(|step| step.number <= holds[0].number);
    assert_eq!(run.verdict("good"), ("cannot_tell", "cut_short".into()));
    // Of its own step each verdict stands.
    let steps: Vec<_> = run.results("steps").iter().map(|result| result.verdict.name()).collect();
    assert_eq!(steps, ["met"]);
}

#[test]
fn samples_and_ends_between_two_holds_belong_to_neither() {
    let load = "{ arrivals: [ { rate: 100/s, for: 20s }, { to: 200/s, over: 5s }, { rate: 200/s, for: 20s } ] }";
    let mut run = Run::of(&study_of(load, "memory: max(host.memory) < 1GB\ndone: rate(x.ok) >= 0/s"));
    let steps: Vec<_> = run.evidence.steps.clone();
    for step in &steps[..3] {
        let (from, to) = (step.from.second(), step.to.second());
        run.add(&evenly(step.number, from, to - from, 100, |_, call| call));
    }
    for second in 0..45 {
        let value = if (20..25).contains(&second) { 9e9 } else { 1e6 };
        run.sample(f64::from(second) + 0.5, MEMORY, "shop", Some(value));
    }
    assert_eq!(value(&run, "memory"), 1e6);
    assert!((value(&run, "done") - 100.0).abs() < 0.1);
}
