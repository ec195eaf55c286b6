//! Requirements on a relative change: the comparison's figures beside a limit.
#![allow(clippy::unwrap_used, reason = "a test")]

use crate::common::{Call, Run, evenly};
use judge::comparison::{Comparison, RowVerdict};
use judge::{Arg, Judgement, RequirementResult};
use terms::{Nanos, Phase, Verdict};

/// Two scenarios of 60 s each, their rules, and the same statistics compared.
fn text(rules: &str) -> String {
    let scenario = |name: &str| format!("  {name}: {{ load: {{ arrivals: 20/s, hold: 60s }}, run: [x, y] }}\n");
    format!(
        "study: Test\nsystem: {{ name: shop, url: 'http://127.0.0.1:9', identity: {{ path: /version, expect: {{ name: shop }} }} }}\n\
         watch: {{ host: {{}} }}\nexchanges:\n  x: {{ simulated.call: {{ service: 10ms }} }}\n  y: {{ simulated.call: {{ service: 10ms }} }}\n\
         scenarios:\n{}{}requirements:\n{rules}compare:\n  it: {{ of: [mean(x.response), p95(x.response), rate(x.ok)], base: a, against: b }}\n",
        scenario("a"),
        scenario("b"),
    )
}

/// Calls of each scenario's hold: those of `x` take so many milliseconds and up to a fifth more, those of `y` 20 ms.
fn run(rules: &str, took_ms: [f64; 2]) -> Run {
    let mut run = Run::of(&text(rules));
    let hold = |step: &&judge::evidence::StepSpan| step.phase == Phase::Hold;
    let holds: Vec<(u32, i64)> =
        run.evidence.steps.iter().filter(hold).map(|step| (step.number, step.from.second())).collect();
    for ((step, from), of_x) in holds.into_iter().zip(took_ms) {
        for (exchange, took) in [(0u16, of_x), (1, 20.0)] {
            run.add(&evenly(step, from, 60, 20, |number, call| {
                let wave = 1.0 + 0.2 * ((number * 7919 % 101) as f64 / 101.0);
                Call { exchange, is_later: exchange == 1, took: Nanos::from_secs_f64(took * wave / 1e3), ..call }
            }));
        }
    }
    run
}

fn verdicts(judgement: &Judgement) -> Vec<(&str, &'static str, &str)> {
    let of = |result: &'_ RequirementResult| result.verdict.name();
    judgement
        .requirements
        .iter()
        .map(|result| (result.scope.as_str(), of(result), result.reason.code.as_str()))
        .collect()
}

fn row<'a>(comparison: &'a Comparison, id: &str) -> &'a judge::comparison::Row {
    comparison.pairs[0].rows.iter().find(|row| row.id == id).unwrap()
}

#[test]
fn a_change_has_the_figures_of_the_comparison_and_a_verdict_on_its_limit() {
    let rules = "  up: change(mean(x.response), a, b) <= 10%\n  enough: change(mean(x.response), a, b) <= 60%\n  \
                 more: change(p95(x.response), a, b) >= 40%\n  less: change(mean(x.response), a, b) < -10%\n  \
                 rate: 'change(rate(x.ok), a, b) >= -5% and change(rate(x.ok), a, b) <= 5%'\n";
    let judgement = run(rules, [20.0, 30.0]).judge();
    let expected = [
        ("b/hold", "not_met", "change_outside"),
        ("b/hold", "met", "change_inside"),
        ("b/hold", "met", "change_inside"),
        ("b/hold", "not_met", "change_outside"),
        ("b/hold", "met", "change_inside"),
    ];
    assert_eq!(verdicts(&judgement), expected, "{:#?}", judgement.requirements);
    let (up, mean) = (&judgement.requirements[0], row(&judgement.comparisons[0], "mean(x.response)"));
    assert_eq!((up.unit.as_str(), up.limit, up.value), ("share", Some(0.1), Some(mean.change.unwrap().value)));
    assert!((up.value.unwrap() - 0.5).abs() < 0.01);
    // The 90 % interval lies within the 95 % one of the table.
    let (low, high) = (up.low.unwrap() + 1.0, up.high.unwrap() + 1.0);
    assert!(mean.low.unwrap() <= low && low <= high && high <= mean.high.unwrap(), "{low} … {high}: {mean:#?}");
    assert_eq!(up.reason.args["base"], Arg::Text("a".into()));
    assert_eq!(up.reason.args["subject"], Arg::Text("x".into()));
    assert_eq!(up.evidence, ["load:a/hold/x/answer", "load:b/hold/x/answer"]);
    assert_eq!(up.sample_count, 1200);
}

/// With the band as limit the table and the requirement say the same, whatever was measured.
#[test]
fn the_requirement_never_contradicts_the_table() {
    let rules = "  up: change(mean(x.response), a, b) <= 5%\n  down: change(mean(x.response), a, b) >= -5%\n";
    let mut seen = std::collections::BTreeSet::new();
    for after in [15.0, 18.5, 19.0, 19.2, 19.8, 20.0, 20.4, 20.9, 21.0, 21.1, 21.6, 26.0] {
        let judgement = run(rules, [20.0, after]).judge();
        let verdicts: Vec<Verdict> = judgement.requirements.iter().map(|result| result.verdict).collect();
        let mean = row(&judgement.comparisons[0], "mean(x.response)");
        seen.insert(mean.verdict.name());
        match mean.verdict {
            RowVerdict::Equivalent => assert_eq!(verdicts, [Verdict::Met, Verdict::Met], "{after}: {mean:#?}"),
            RowVerdict::Different if mean.value.unwrap() > 1.0 => {
                assert_eq!(verdicts, [Verdict::NotMet, Verdict::Met], "{after}: {mean:#?}");
            }
            RowVerdict::Different => {
                // The band's lower edge is 1/1.05, a little above 95 %.
                assert_eq!(verdicts[0], Verdict::Met, "{after}: {mean:#?}");
                assert_ne!(verdicts[1], Verdict::Met, "{after}: {mean:#?}");
            }
            _ => {}
        }
    }
    assert!(seen.contains("equivalent") && seen.contains("different"), "{seen:?}");
}

#[test]
fn each_exchange_is_compared_by_itself_and_the_worst_decides() {
    let rules =
        "  worst: change(mean(*.response), a, b) <= 10%\n  each: change(mean(*.response), a, b) <= 10% per exchange\n";
    let judgement = run(rules, [20.0, 30.0]).judge();
    let expected = [
        ("b/hold", "not_met", "change_outside"),
        ("b/hold/x", "not_met", "change_outside"),
        ("b/hold/y", "met", "change_inside"),
    ];
    assert_eq!(verdicts(&judgement), expected, "{:#?}", judgement.requirements);
    assert_eq!(judgement.requirements[0].reason.args["subject"], Arg::Text("x".into()));
    // Where all hold, the one that comes closest is shown.
    let close = run("  worst: change(mean(*.response), a, b) <= 60%\n", [20.0, 30.0]).judge();
    assert_eq!(close.requirements[0].verdict, Verdict::Met);
    assert_eq!(close.requirements[0].reason.args["subject"], Arg::Text("x".into()));
}

#[test]
fn what_the_comparison_cannot_tell_the_requirement_cannot_tell() {
    // One value of each side, or none.
    let single = run("  most: change(max(x.response), a, b) <= 10%\n", [20.0, 20.0]).judge();
    assert_eq!(verdicts(&single), [("b/hold", "cannot_tell", "compared_census")]);
    let rule = "  up: change(mean(x.response), a, b) <= 10%\n";
    let mut half = run(rule, [20.0, 20.0]);
    let base = half.step("hold");
    half.rows.legs.retain(|row| row.step != base);
    assert_eq!(half.verdict("up"), ("cannot_tell", "compared_no_samples".into()));

    // A base whose measurement says nothing, beside another that is sound.
    let mut spoiled = run(rule, [20.0, 40.0]);
    let span = spoiled.evidence.steps.iter().find(|step| step.number == base).unwrap().clone();
    for second in span.from.second()..span.to.second() {
        spoiled.evidence.engine.push(record::EngineRow {
            second,
            step: base,
            run_queue_s: 0.9,
            ..record::EngineRow::default()
        });
    }
    let judgement = spoiled.judge();
    assert_eq!(row(&judgement.comparisons[0], "mean(x.response)").verdict, RowVerdict::NotComparable);
    assert_eq!(verdicts(&judgement), [("b/hold", "cannot_tell", "compared_invalid")], "{:#?}", judgement.signs);
}

/// The whole difference may come from how late the machine woke threads: no claim of a change, and none against it.
#[test]
fn a_change_within_the_noise_of_the_machine_is_not_held_against_the_system() {
    let rules = "  up: change(mean(x.response), a, b) <= 10%\n  little: change(mean(x.response), a, b) <= 100%\n";
    let mut run = Run::of(&text(rules));
    let hold = |step: &&judge::evidence::StepSpan| step.phase == Phase::Hold;
    let holds: Vec<(u32, i64)> =
        run.evidence.steps.iter().filter(hold).map(|step| (step.number, step.from.second())).collect();
    for ((step, from), took) in holds.into_iter().zip([2.0, 2.6]) {
        run.add(&evenly(step, from, 60, 20, |number, call| {
            let wave = 1.0 + 0.1 * ((number * 7919 % 101) as f64 / 101.0);
            Call { took: Nanos::from_secs_f64(took * wave / 1e3), late: Nanos::from_micros(700), ..call }
        }));
    }
    let judgement = run.judge();
    let mean = row(&judgement.comparisons[0], "mean(x.response)");
    assert_eq!(mean.reason.code, "compared_within_noise", "{mean:#?}");
    let expected = [("b/hold", "cannot_tell", "compared_within_noise"), ("b/hold", "met", "change_inside")];
    assert_eq!(verdicts(&judgement), expected, "{:#?}", judgement.requirements);
}

/// S5.E6: the part alone and the part beside others, whatever calls the others make.
#[test]
fn a_part_of_a_mix_is_compared_with_itself_elsewhere() {
    let text = "study: Test\nsystem: { name: shop, url: 'http://127.0.0.1:9', identity: { path: /version, expect: { name: shop } } }\n\
        exchanges:\n  x: { simulated.call: { service: 10ms } }\nscenarios:\n  \
        p: { load: { arrivals: 20/s, hold: 60s }, run: [x] }\n  q: { load: { users: 2, pacing: 1s, hold: 60s }, run: [x] }\n  \
        alone: { mix: [p] }\n  both: { mix: [p, q] }\norder: [alone, both]\n\
        requirements: { beside: \"change(mean(p/*.response), alone, both) <= 10%\" }\n";
    let mut run = Run::of(text);
    let head = run.evidence.head.clone();
    let steps = run.evidence.steps.clone();
    for step in steps.iter().filter(|step| step.phase == Phase::Hold) {
        let part = head.part_of(&head.steps[step.number as usize]).unwrap_or_default();
        let took = if part == "q" { 500.0 } else { 20.0 };
        run.add(&evenly(step.number, step.from.second(), 60, 20, |number, call| {
            let wave = 1.0 + 0.2 * ((number * 7919 % 101) as f64 / 101.0);
            Call { took: Nanos::from_secs_f64(took * wave / 1e3), ..call }
        }));
    }
    let result = run.result("beside");
    assert_eq!((result.verdict, result.scope.as_str()), (Verdict::Met, "both/hold/p"), "{result:#?}");
    assert_eq!(result.evidence, ["load:alone/hold/p/x/answer", "load:both/hold/p/x/answer"]);
    assert_eq!(result.sample_count, 1200);
}
