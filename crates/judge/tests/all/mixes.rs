//! Several workloads at once, and the order carried out again: what is known beforehand of each part.
#![allow(clippy::unwrap_used, reason = "a test")]

use crate::common::{CPU, Run, evenly, study_of_scenarios};
use judge::{Arg, StepResult};
use terms::Verdict;

/// An open part of 20/s and one of 50/s with another exchange, closed users, and a job that ends by count.
const PARTS: &str = "
    quick: { load: { arrivals: 20/s, ramp: { over: 10s }, hold: 60s }, run: [x] }
    slow: { load: { arrivals: 50/s, ramp: { over: 20s }, hold: 60s }, run: [y] }
    people: { load: { users: 4, pacing: 200ms, hold: 90s }, run: [x, y] }
    import: { load: { users: 1, count: 3 }, run: [job, think: 3s], after: 30s }
    full: { mix: [quick, slow, people, import], idle: 5s, recovery: 5s }";

fn mixed(keys: &str, workers: u16) -> Run {
    Run::simulated(&study_of_scenarios(PARTS, &format!("order: [full]\n{keys}")), workers)
}

fn step(run: &Run, scope: &str) -> StepResult {
    let steps = run.judge().steps;
    let found = steps.iter().find(|step| step.scope == scope).cloned();
    found.unwrap_or_else(|| panic!("{scope} is not among {:?}", steps.iter().map(|s| &s.scope).collect::<Vec<_>>()))
}

#[test]
fn every_part_has_books_of_its_own_whatever_the_number_of_threads() {
    for workers in [1, 2, 3] {
        let run = mixed("", workers);
        // The ramp lasts until all are at full load, 20 s; the hold until the first ends, 70 s after the beginning.
        for (scope, seconds, intended) in [
            // A ramp of 10 s to 20/s are 100 starts, 10 s more at 20/s are 200.
            ("full/ramp/quick", 20.0, 300),
            ("full/hold/quick", 50.0, 1000),
            // 20 s to 50/s are 500; 50 s at 50/s are 2500.
            ("full/ramp/slow", 20.0, 500),
            ("full/hold/slow", 50.0, 2500),
            // Four users every 200 ms.
            ("full/ramp/people", 20.0, 400),
            ("full/hold/people", 50.0, 1000),
            // Begins 30 s after the others; 5 s an iteration, so all three lie in the hold, and it ends long before it.
            ("full/ramp/import", 20.0, 0),
            ("full/hold/import", 50.0, 3),
        ] {
            let step = step(&run, scope);
            assert_eq!((step.seconds, step.books.intended), (seconds, intended), "{scope}, {workers} threads");
            assert!(step.books.balances() && step.books.open() == 0, "{scope}: {:?}", step.books);
            assert_eq!(step.books.completed, intended, "{scope}");
        }
    }
}

#[test]
fn a_part_shows_only_what_it_carries_out() {
    let run = mixed("", 2);
    let exchanges =
        |scope: &str| step(&run, scope).exchanges.iter().map(|x| (x.id.clone(), x.started)).collect::<Vec<_>>();
    assert_eq!(exchanges("full/hold/quick"), [("x".to_owned(), 1000)]);
    assert_eq!(exchanges("full/hold/people"), [("x".to_owned(), 1000), ("y".to_owned(), 1000)]);
    assert_eq!(exchanges("full/hold/import"), [("job".to_owned(), 3)]);
    // Open parts have response times, closed ones have not.
    assert!(step(&run, "full/hold/slow").exchanges[0].legs[0].response.is_some());
    assert!(step(&run, "full/hold/people").exchanges[0].legs[0].response.is_none());
    assert_eq!(step(&run, "full/hold/quick").throughput_per_s, 20.0);
}

#[test]
fn rules_look_at_a_part_or_at_all_of_them() {
    let rules = "requirements:
  part: count(quick/x) >= 1000
  people: count(people/x) >= 1000
  whole: count(x) >= 2000
  both: count(quick/x) / count(slow/y) >= 40%
  each: share(people/*.failed) <= 0% per exchange
  rate: rate(x) = 40/s
  step: count(x) >= 1 per step
  right: share(*.ok) >= 100%";
    let run = mixed(rules, 2);
    for (id, scope, value) in [
        ("part", "full/hold/quick", 1000.0),
        ("people", "full/hold/people", 1000.0),
        ("whole", "full/hold", 2000.0),
        ("both", "full/hold", 0.4),
        ("each", "full/hold/people/x", 0.0),
        ("rate", "full/hold", 40.0),
        ("step", "full/hold", 2000.0),
        ("right", "full/hold", 1.0),
    ] {
        let results = run.judge().requirements;
        let found = results.iter().find(|result| result.id == id && result.scope == scope);
        let found = found.unwrap_or_else(|| panic!("{id}: {results:#?}"));
        assert_eq!(found.value.map(|value| (value * 1e9).round() / 1e9), Some(value), "{id}");
        assert_eq!(found.verdict, Verdict::Met, "{id}: {found:#?}");
    }
    let evidence = |id: &str| run.judge().requirements.into_iter().find(|r| r.id == id).unwrap().evidence;
    assert_eq!(evidence("part"), ["load:full/hold/quick/x/answer"]);
    assert_eq!(evidence("both"), ["load:full/hold/quick/x/answer", "load:full/hold/slow/y/answer"]);
    // By phase, not by part: the ramp and the hold.
    let steps = run.judge().requirements.into_iter().filter(|result| result.id == "step").count();
    assert_eq!(steps, 1, "requirements look at holds unless they say otherwise");
}

#[test]
fn what_is_watched_is_counted_once_for_all_parts() {
    let rules = "requirements:\n  busy: mean(host.cpu) <= 50%\n  beside: count(quick/x) >= 1 and max(host.cpu) <= 50%";
    let mut run = mixed(rules, 1);
    for second in 0..80 {
        run.sample(f64::from(second) + 0.5, CPU, "host", Some(0.25));
    }
    let judged = run.judge().requirements;
    assert_eq!((judged[0].sample_count, judged[0].value), (50, Some(0.25)), "{judged:#?}");
    assert_eq!(judged[1].verdict, Verdict::Met, "{judged:#?}");
}

#[test]
fn concurrency_is_held_against_the_times_of_all_parts_together() {
    let run = mixed("", 2);
    let judgement = run.judge();
    let little: Vec<_> = judgement.signs.iter().filter(|sign| sign.code == "little").map(|sign| &sign.scope).collect();
    assert_eq!(little, ["full/ramp", "full/hold"]);
    assert!(judgement.findings.iter().all(|finding| finding.rule() != "LITTLE"), "{:#?}", judgement.findings);
    // Half of what one part recorded is gone: the same contradiction is found once, of the mix.
    let mut short = mixed("", 2);
    let hold = short.judge().steps.iter().find(|step| step.scope == "full/hold/slow").unwrap().number;
    short.rows.legs.retain(|row| row.step != hold);
    let findings = short.judge().findings;
    let little: Vec<_> = findings.iter().filter(|finding| finding.rule() == "LITTLE").map(|f| &f.scope).collect();
    assert_eq!(little, ["full/hold"], "{findings:#?}");
}

const TWO: &str = "
    a: { load: { arrivals: 20/s, hold: 30s }, run: [x] }
    b: { load: { arrivals: 10/s, hold: 30s }, run: [y], idle: 10s }";

#[test]
fn the_order_again_is_a_b_a_b_and_pooled_unless_it_is_asked_for_each() {
    let rules = "order: [a, b]\nrepeat: 2\nrequirements:
  pooled: count(x) >= 1200
  each: count(x) >= 600 per repetition
  fast: share(y.response < 100ms) >= 95%
  last: count(x) >= 400 in last 10s of hold";
    let run = Run::simulated(&study_of_scenarios(TWO, rules), 2);
    let steps = run.judge().steps;
    let order: Vec<_> = steps.iter().filter(|step| step.phase == "hold").map(|step| step.scope.as_str()).collect();
    assert_eq!(order, ["a/hold#1", "b/hold#1", "a/hold#2", "b/hold#2"]);
    assert!(steps.iter().all(|step| step.repetition == if step.scope.contains("#2") { 2 } else { 1 }));
    let of = |id: &str| {
        let results = run.judge().requirements.into_iter().filter(|result| result.id == id);
        results.map(|result| (result.scope, result.value, result.verdict)).collect::<Vec<_>>()
    };
    assert_eq!(of("pooled"), [("a/hold".into(), Some(1200.0), Verdict::Met)]);
    let each = [("a/hold#1".into(), Some(600.0), Verdict::Met), ("a/hold#2".into(), Some(600.0), Verdict::Met)];
    assert_eq!(of("each"), each);
    assert_eq!(of("last"), [("a/hold".into(), Some(400.0), Verdict::Met)], "the last 10 s of each");
    // The seconds between the repetitions are none of the window: they are not batches without calls.
    let fast = run.result("fast");
    assert_eq!((fast.verdict, fast.sample_count, fast.design_effect), (Verdict::Met, 600, Some(1.0)), "{fast:#?}");
}

#[test]
fn a_repetition_that_never_came_cannot_be_told() {
    let rules =
        "order: [a, b]\nrepeat: 2\nrequirements: { pooled: count(x) >= 600, each: count(x) >= 600 per repetition }";
    let mut run = Run::simulated(&study_of_scenarios(TWO, rules), 1);
    let first: Vec<u32> = run.evidence.steps.iter().filter(|step| step.number < 5).map(|step| step.number).collect();
    run.evidence.steps.retain(|step| first.contains(&step.number));
    run.rows.iterations.retain(|row| first.contains(&row.step));
    let results = run.judge().requirements;
    let seen: Vec<_> = results.iter().map(|result| (result.scope.as_str(), result.verdict)).collect();
    let expected = [("a/hold", Verdict::CannotTell), ("a/hold#1", Verdict::Met), ("a/hold#2", Verdict::CannotTell)];
    assert_eq!(seen, expected, "{results:#?}");
}

/// Both parts come late, so that the highest rate in time is told beside what was planned and what ended.
#[test]
fn what_ended_of_a_mix_stands_beside_what_was_planned_of_it() {
    let scenarios = "
    slow: { load: { arrivals: 4/s, hold: 30s }, run: [y] }
    quick: { load: { arrivals: 16/s, hold: 30s }, run: [x] }
    both: { mix: [slow, quick] }";
    let mut run = Run::of(&study_of_scenarios(scenarios, "order: [both]"));
    let holds: Vec<_> = run.evidence.steps.iter().filter(|step| step.id == "hold").cloned().collect();
    assert_eq!(holds.len(), 2);
    for (hold, (rate, exchange)) in holds.iter().zip([(4, 1), (16, 0)]) {
        run.add(&evenly(hold.number, hold.from.second(), 30, rate, |_, call| call.of(exchange).late(5.0)));
    }
    let judgement = run.judge();
    let rates: Vec<_> = judgement.signs.iter().filter(|sign| sign.code == "rate").collect();
    assert_eq!(rates.len(), 1, "one plan, one result: {rates:#?}");
    let of = |name: &str| if let Arg::PerSecond(rate) = rates[0].args[name] { rate } else { f64::NAN };
    assert_eq!((rates[0].scope.as_str(), of("planned"), of("ended")), ("both/hold", 20.0, 20.0));
}
