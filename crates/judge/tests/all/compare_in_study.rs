//! The comparisons that a study asks for.
#![allow(clippy::unwrap_used, reason = "a test")]

use crate::common::{Run, check_catalogue, evenly, study_of_scenarios};
use judge::comparison::{Baseline, Comparison, Row, RowVerdict};
use terms::{Nanos, Phase};

const COMPARE: &str = "compare:\n  loads: { of: [mean(x.response), p95(x.response), share(x.failed), rate(x.ok), max(x.response), mean(host.cpu)], base: a, against: [b] }\n";

/// Scenarios `a`, `b` and `c` of 60 s each, and what is compared.
fn text(compare: &str) -> String {
    let scenario = |name: &str| format!("  {name}: {{ load: {{ arrivals: 20/s, hold: 60s }}, run: [x] }}\n");
    format!(
        "study: Test\nsystem: {{ name: shop, url: 'http://127.0.0.1:9', identity: {{ path: /version, expect: {{ name: shop }} }} }}\n\
         watch: {{ host: {{}} }}\nexchanges:\n  x: {{ simulated.call: {{ service: 10ms }} }}\nscenarios:\n{}{}{}{compare}",
        scenario("a"),
        scenario("b"),
        scenario("c"),
    )
}

/// Calls of each scenario's hold, so many milliseconds and up to a fifth more.
fn run(compare: &str, took_ms: [f64; 3]) -> Run {
    let mut run = Run::of(&text(compare));
    let holds = run.holds();
    for ((step, from), took) in holds.iter().zip(took_ms) {
        run.add(&evenly(*step, *from, 60, 20, |number, call| {
            let wave = 1.0 + 0.2 * ((number * 7919 % 101) as f64 / 101.0);
            crate::common::Call { took: Nanos::from_secs_f64(took * wave / 1e3), ..call }
        }));
        for second in 0..60 {
            run.sample((from + second) as f64 + 0.5, crate::common::CPU, "", Some(0.1 + took / 1e3));
        }
    }
    run.evidence.head.id = "2026-01-01T00-00-00Z-test".into();
    run
}

fn row<'a>(comparison: &'a Comparison, id: &str) -> &'a Row {
    let rows = &comparison.pairs[0].rows;
    rows.iter().find(|row| row.id == id).unwrap_or_else(|| panic!("{id}: {rows:#?}"))
}

#[test]
fn scenarios_are_compared_with_each_other() {
    let judgement = run(COMPARE, [20.0, 30.0, 20.0]).judge();
    check_catalogue(&judgement);
    let comparison = &judgement.comparisons[0];
    assert_eq!((comparison.name.as_str(), comparison.base.label.as_str(), comparison.band), ("loads", "a", 0.05));
    let mean = row(comparison, "mean(x.response)");
    assert_eq!((mean.verdict, mean.unit.as_str(), mean.subject.as_str()), (RowVerdict::Different, "ms", "x"));
    assert!((mean.value.unwrap() - 1.5).abs() < 0.01);
    assert_eq!(row(comparison, "p95(x.response)").verdict, RowVerdict::Different);
    let rate = row(comparison, "rate(x.ok)");
    assert_eq!((rate.verdict, rate.base), (RowVerdict::Equivalent, Some(20.0)));
    assert_eq!(row(comparison, "share(x.failed)").value, Some(0.0));
    // One value of each side, and the level of a series: nothing can be told of either from one repetition.
    for id in ["max(x.response)", "mean(host.cpu)"] {
        let row = row(comparison, id);
        assert_eq!((row.verdict, row.reason.code.as_str()), (RowVerdict::CannotTell, "compared_census"), "{row:#?}");
        assert!(row.value.is_some());
    }
    let rules: Vec<&str> = judgement.findings.iter().map(|finding| finding.rule()).collect();
    assert!(rules.contains(&"SIGNIFICANT") && rules.contains(&"NO-BASE"), "{rules:?}");
}

#[test]
fn equal_scenarios_are_equivalent_and_nothing_is_significant() {
    let judgement = run(COMPARE, [20.0, 20.0, 20.0]).judge();
    assert_eq!(row(&judgement.comparisons[0], "mean(x.response)").verdict, RowVerdict::Equivalent);
    assert!(judgement.findings.iter().all(|finding| finding.rule() != "SIGNIFICANT"));
}

/// Two stores that one run has are on one machine; what was captured of each stands in the run once and parts nothing.
#[test]
fn stores_of_one_run_are_compared() {
    let mut run = run(COMPARE, [20.0, 30.0, 20.0]);
    for (name, server) in [("mysql", "10.11 (MariaDB)"), ("postgres", "PostgreSQL 15")] {
        let facts = record::FactHead::of(&[contract::FactKind::new("server").with_role(contract::FactRole::Server)]);
        let (kind, watches) = (name.to_owned(), "store".to_owned());
        run.evidence.head.monitors.push(record::MonitorHead {
            name: name.into(),
            kind,
            watches,
            facts,
            ..record::MonitorHead::default()
        });
        run.evidence.head.facts.push((name.into(), "server".into(), server.into()));
    }
    let judgement = run.judge();
    let comparison = &judgement.comparisons[0];
    assert_eq!(row(comparison, "mean(x.response)").verdict, RowVerdict::Different);
    assert!(comparison.pairs[0].rows.iter().all(|row| row.verdict != RowVerdict::NotComparable));
    assert_eq!(comparison.pairs[0].differences, []);
}

/// A hundredfold change cannot be told to a percentage point.
#[test]
fn a_percentage_finer_than_its_inputs_is_told() {
    let judgement = run(COMPARE, [20.0, 2000.0, 20.0]).judge();
    assert!(judgement.findings.iter().any(|finding| finding.rule() == "ROUNDING"));
    let judgement = run(COMPARE, [20.0, 30.0, 20.0]).judge();
    assert!(judgement.findings.iter().all(|finding| finding.rule() != "ROUNDING"));
}

#[test]
fn repetitions_are_replicates() {
    let mut run = run(COMPARE, [20.0, 30.0, 20.4]);
    // The third scenario as a second repetition of the first.
    for number in 0..run.evidence.head.steps.len() {
        if run.evidence.head.steps[number].scenario == 2 {
            run.evidence.head.steps[number].scenario = 0;
            run.evidence.head.steps[number].repetition = 2;
        }
    }
    run.evidence.steps.iter_mut().filter(|step| step.scenario == 2).for_each(|step| step.scenario = 0);
    let judgement = run.judge();
    let mean = row(&judgement.comparisons[0], "mean(x.response)");
    assert_eq!((mean.base_replicates, mean.other_replicates), (2, 1));
    assert_eq!(mean.method.as_deref(), Some("Student's t on logarithms of runs"));
    assert!(mean.low.unwrap() < 1.4, "one degree of freedom is little: {mean:#?}");
    assert!(judgement.findings.iter().all(|finding| finding.rule() != "NO-BASE"));
    let cpu = row(&judgement.comparisons[0], "mean(host.cpu)");
    assert_ne!(cpu.reason.code, "compared_census");
}

const BESIDE: &str =
    "compare:\n  since: { of: p95(x.response), base: 2025-12-24T00-00-00Z-test, against: [a, b], band: 10% }\n";

#[test]
fn a_recorded_run_is_a_base_by_its_id() {
    let (now, before) = (run(BESIDE, [20.0, 20.0, 20.0]), run(BESIDE, [15.0, 20.0, 20.0]));
    let mut evidence = before.evidence();
    evidence.head.id = "2025-12-24T00-00-00Z-test".into();
    let found = Ok((evidence, before.study.effective.clone()));
    let baselines = [Baseline { id: "2025-12-24T00-00-00Z-test".into(), found }];
    let judgement = judge::judge_beside(&now.evidence(), &now.study, &baselines);
    check_catalogue(&judgement);
    let comparison = &judgement.comparisons[0];
    assert_eq!((comparison.base.label.as_str(), comparison.band), ("2025-12-24T00-00-00Z-test", 0.1));
    let verdicts: Vec<RowVerdict> = comparison.pairs.iter().map(|pair| pair.rows[0].verdict).collect();
    assert_eq!(verdicts, [RowVerdict::Different, RowVerdict::Equivalent]);
}

/// A step is compared with the same step of a recorded run.
#[test]
fn a_step_has_its_own_step_of_a_recorded_run_as_its_base() {
    let scenario = "a: { load: { arrivals: [ { rate: 20/s, for: 60s }, { rate: 40/s, for: 60s } ] }, run: [x] }";
    let id = "2025-12-24T00-00-00Z-test";
    let keys = format!(
        "order: [a]\ncompare: {{ since: {{ of: [mean(x.response), rate(x.ok)], base: {id}, against: [a/hold 2] }} }}"
    );
    let run = |id: &str| {
        let mut run = Run::of(&study_of_scenarios(scenario, &keys));
        run.evidence.head.id = id.into();
        for ((step, from), (rate, took)) in run.holds().into_iter().zip([(20, 10.0), (40, 40.0)]) {
            run.add(&evenly(step, from, 60, rate, |number, call| {
                let wave = 1.0 + 0.2 * ((number * 7919 % 101) as f64 / 101.0);
                crate::common::Call { took: Nanos::from_secs_f64(took * wave / 1e3), ..call }
            }));
        }
        run
    };
    let (now, before) = (run("now"), run(id));
    let baselines = [Baseline { id: id.into(), found: Ok((before.evidence(), before.study.effective.clone())) }];
    let judgement = judge::judge_beside(&now.evidence(), &now.study, &baselines);
    let rows = &judgement.comparisons[0].pairs[0].rows;
    assert_eq!(rows.iter().map(|row| row.verdict).collect::<Vec<_>>(), [RowVerdict::Equivalent; 2], "{rows:#?}");
}

/// A reply that never came took longer than was waited for: what came says nothing about how long replies take.
#[test]
fn replies_that_never_came_make_the_others_a_lower_bound() {
    let scenario = |name: &str| format!("  {name}: {{ load: {{ arrivals: 20/s, hold: 60s }}, run: [letter] }}\n");
    let text = format!(
        "study: Test\nsystem: {{ name: shop, url: 'http://127.0.0.1:9', identity: {{ path: /version, expect: {{ name: shop }} }} }}\n\
         exchanges:\n  letter: {{ mail.send: {{ service: 5ms }}, legs: {{ reply: {{ within: 4s }} }} }}\nscenarios:\n{}{}\
         compare: {{ replies: {{ of: p95(letter.reply.response), base: a, against: [b] }} }}\n",
        scenario("a"),
        scenario("b"),
    );
    for (missing, expected) in [(0, "compared_inside"), (5, "compared_other_censored")] {
        let mut run = Run::of(&text);
        for (place, (step, from)) in run.holds().into_iter().enumerate() {
            let calls = evenly(step, from, 60, 20, |_, call| call);
            run.add(&calls);
            let is_missing = |number: usize| place == 1 && missing > 0 && number.is_multiple_of(missing);
            let reply = |(number, call): (usize, &crate::common::Call)| crate::common::Call {
                took: Nanos::from_millis(200 + number as i64 * 7919 % 101),
                outcome: if is_missing(number) { terms::Outcome::Missing } else { terms::Outcome::Ok },
                is_later: true,
                ..*call
            };
            let replies: Vec<_> = calls.iter().enumerate().map(reply).collect();
            let mut rows = crate::common::fold(&run.evidence.head, &replies);
            rows.legs.iter_mut().for_each(|row| row.leg = 1);
            rows.outcomes.iter_mut().for_each(|row| row.leg = 1);
            rows.starts.clear();
            crate::common::append(&mut run.rows, rows);
        }
        let judgement = run.judge();
        let row = &judgement.comparisons[0].pairs[0].rows[0];
        assert_eq!(row.reason.code, expected, "{row:#?}");
    }
}

#[test]
fn a_base_that_is_missing_or_loaded_otherwise_is_not_compared() {
    let now = run(BESIDE, [20.0, 20.0, 20.0]);
    let id = "2025-12-24T00-00-00Z-test".to_owned();
    let missing = [Baseline { id: id.clone(), found: Err("there is no such run".into()) }];
    for baselines in [&missing[..], &[]] {
        let judgement = judge::judge_beside(&now.evidence(), &now.study, baselines);
        check_catalogue(&judgement);
        let row = &judgement.comparisons[0].pairs[0].rows[0];
        assert_eq!((row.verdict, row.reason.code.as_str()), (RowVerdict::NotComparable, "compared_baseline"));
    }
    let mut before = run(BESIDE, [20.0, 20.0, 20.0]);
    before.evidence.head.scenarios[0].per_iteration = vec![2.0];
    let baselines = [Baseline { id, found: Ok((before.evidence(), before.study.effective.clone())) }];
    let judgement = judge::judge_beside(&now.evidence(), &now.study, &baselines);
    let verdicts: Vec<&str> =
        judgement.comparisons[0].pairs.iter().map(|pair| pair.rows[0].reason.code.as_str()).collect();
    assert_eq!(verdicts, ["compared_differs", "compared_inside"]);
}

/// S5.E6: alone and beside others is what the study asks; what runs beside is listed, and only the part itself compared.
#[test]
fn parts_of_a_mix_are_compared_and_what_runs_beside_is_listed() {
    let text = "study: Test\nsystem: { name: shop, url: 'http://127.0.0.1:9', identity: { path: /version, expect: { name: shop } } }\n\
        exchanges:\n  x: { simulated.call: { service: 10ms } }\n  y: { simulated.call: { service: 10ms } }\nscenarios:\n  \
        p: { load: { arrivals: 20/s, hold: 60s }, run: [x] }\n  q: { load: { users: 2, pacing: 1s, hold: 60s }, run: [x, y] }\n  \
        alone: { mix: [p] }\n  both: { mix: [p, q] }\norder: [alone, both]\n\
        compare: { beside: { of: [mean(p/*.response), rate(p/x.ok), count(p/x)], base: alone, against: both } }\n";
    let mut run = Run::of(text);
    let head = run.evidence.head.clone();
    let holds: Vec<(u32, i64, String)> = run
        .evidence
        .steps
        .iter()
        .filter(|step| step.phase == Phase::Hold)
        .map(|step| {
            let part = head.part_of(&head.steps[step.number as usize]).unwrap_or_default();
            (step.number, step.from.second(), part.to_owned())
        })
        .collect();
    assert_eq!(holds.iter().map(|(.., part)| part.as_str()).collect::<Vec<_>>(), ["p", "p", "q"]);
    for (step, from, part) in &holds {
        // The other part calls `x` too, and much slower: that is none of this comparison's business.
        let took = if part == "q" { 500.0 } else { 20.0 };
        run.add(&evenly(*step, *from, 60, 20, |number, call| {
            let wave = 1.0 + 0.2 * ((number * 7919 % 101) as f64 / 101.0);
            crate::common::Call { took: Nanos::from_secs_f64(took * wave / 1e3), ..call }
        }));
    }
    let judgement = run.judge();
    check_catalogue(&judgement);
    let comparison = &judgement.comparisons[0];
    let pair = &comparison.pairs[0];
    let beside: Vec<(&str, bool)> =
        pair.differences.iter().map(|difference| (difference.name.as_str(), difference.forbids)).collect();
    assert!(beside.contains(&("part q", false)), "{:#?}", pair.differences);
    let mean = row(comparison, "mean(p/*.response)");
    assert_eq!((mean.verdict, mean.base_count, mean.other_count), (RowVerdict::Equivalent, 1200, 1200), "{mean:#?}");
    let rate = row(comparison, "rate(p/x.ok)");
    assert_eq!((rate.base, rate.other, rate.verdict), (Some(20.0), Some(20.0), RowVerdict::Equivalent));
    let count = row(comparison, "count(p/x)");
    assert_eq!((count.base, count.other), (Some(1200.0), Some(1200.0)), "{count:#?}");
}
