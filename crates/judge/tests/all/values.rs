//! Values of every kind: metrics, means, other scenarios, limits that were not counted, closed loads, all outcomes.
#![allow(clippy::unwrap_used, reason = "a test")]

use crate::common::{Call, EVENTS, MEMORY, Run, WAIT, call, evenly, study_of, study_with};
use judge::Arg;
use terms::{Nanos, Outcome};

fn value(run: &Run, id: &str) -> f64 {
    let result = run.result(id);
    result.value.unwrap_or_else(|| panic!("{result:#?}"))
}

const TWO: &str = "a: { simulated.call: { service: 10ms } }\nb: { simulated.call: { service: 10ms } }";

#[test]
fn metrics_with_their_units_joins_and_gaps() {
    let rules = "
        peak: max(host.memory) < 1kB
        mean: mean(host.memory) < 1kB
        end: last(host.memory) < 1kB
        each: max(host.memory) < 1kB per instance
        p95: p95(host.memory) < 1kB
        events: count(host.events) = 600
        pace: rate(host.events) >= 5/s
        waits: share(host.wait < 100ms) >= 50%
        long: count(host.wait >= 300ms) <= 15 per instance
        p50: p50(host.wait) < 100ms
        ratio: count(host.events) / count(x) >= 10%
    ";
    let mut run = Run::of(&study_of("{ arrivals: 100/s, hold: 60s }", rules));
    let hold = run.step("hold");
    run.add(&evenly(hold, 0, 60, 100, |_, call| call));
    for second in 0..=60 {
        let at = f64::from(second) + 0.001;
        run.sample(at, MEMORY, "a", Some(200.0 + f64::from(second % 10)));
        run.sample(at, MEMORY, "b", Some(300.0));
        run.sample(at, EVENTS, "a", Some(f64::from(second) * 10.0));
        run.sample(at, WAIT, "a", Some(if second % 4 == 0 { 0.3 } else { 0.05 }));
        // Of another monitor's business: no instance of this rule.
        run.sample(at, crate::common::CPU, "generator", Some(0.1));
    }
    assert_eq!(value(&run, "peak"), 509.0);
    assert!((value(&run, "mean") - 504.5).abs() < 1e-9);
    assert_eq!(value(&run, "end"), 509.0);
    let each: Vec<_> = run.results("each").into_iter().map(|r| (r.scope, r.value.unwrap())).collect();
    assert_eq!(each, [("s/hold/a".into(), 209.0), ("s/hold/b".into(), 300.0)]);
    assert_eq!(run.result("p95").verdict.name(), "met");
    assert_eq!(run.result("p95").unit, "bytes");
    // From edge to edge of the window: sixty seconds at ten.
    assert_eq!(value(&run, "events"), 600.0);
    assert!((value(&run, "pace") - 10.0).abs() < 1e-9);
    assert_eq!((run.result("waits").verdict.name(), run.result("waits").sample_count), ("met", 60));
    // Every fourth of 60: 15, at the limit.
    let long = run.result("long");
    assert_eq!((long.value, long.unit.as_str(), long.verdict.name()), (Some(15.0), "count", "met"));
    assert_eq!(long.scope, "s/hold/a", "only instances that have the metric");
    assert_eq!((value(&run, "p50"), run.result("p50").unit.as_str()), (50.0, "ms"));
    assert_eq!((value(&run, "ratio"), run.result("ratio").verdict.name()), (0.1, "met"));
    // A tenth may be missing, more may not.
    for row in run.samples.iter_mut().filter(|row| row.metric == MEMORY).take(12) {
        row.value = None;
    }
    assert_eq!(run.result("peak").verdict.name(), "met");
    for row in run.samples.iter_mut().filter(|row| row.metric == MEMORY).take(14) {
        row.value = Some(f64::NAN);
    }
    assert_eq!(run.verdict("peak"), ("cannot_tell", "samples_missing".into()));
    run.samples.clear();
    assert_eq!(run.verdict("peak"), ("cannot_tell", "no_samples".into()));
    assert_eq!(run.verdict("each"), ("cannot_tell", "no_samples".into()), "one verdict all the same");
}

#[test]
fn means_of_load_and_metrics_have_intervals() {
    let rules = "fast: mean(x.response) < 20ms\nslow: mean(x.response) < 5ms\nnear: mean(x.response) < 15ms\nlate: mean(x.lateness) < 1ms";
    let mut run = Run::of(&study_of("{ arrivals: 100/s, hold: 60s }", rules));
    let hold = run.step("hold");
    run.add(&evenly(hold, 0, 60, 100, |k, call| {
        Call { took: Nanos::from_millis(if k % 2 == 0 { 10 } else { 20 }), ..call }.late(0.1)
    }));
    assert_eq!(run.verdict("fast"), ("met", "interval_inside".into()));
    assert_eq!(run.verdict("slow"), ("not_met", "interval_outside".into()));
    assert_eq!(run.verdict("near"), ("cannot_tell", "interval_straddles_limit".into()));
    let near = run.result("near");
    assert!((near.value.unwrap() - 15.0).abs() < 1e-9 && near.low.unwrap() < 15.0 && near.high.unwrap() > 15.0);
    assert_eq!(run.result("late").verdict.name(), "met");
}

#[test]
fn two_estimates_are_no_limits_to_each_other() {
    let rules = "order: p95(a.response) < p95(b.response)\nsum: p95(a.response) + p95(b.response) < 1s\nagainst: p95(a.response) < max(b.response)";
    let run = Run::simulated(&study_with("a, b", "{ arrivals: 100/s, hold: 30s }", TWO, rules), 1);
    for id in ["order", "sum", "against"] {
        assert_eq!(run.verdict(id), ("cannot_tell", "compound_estimate".into()), "{id}");
        assert!(run.result(id).value.is_some() && run.result(id).limit.is_some());
    }
}

#[test]
fn another_scenarios_figures_are_its_own() {
    let text = study_of("{ arrivals: 100/s, hold: 20s }", "more: { that: count(x) > count(t/x), scenarios: [s] }")
        .replace("requirements:", "  t:\n    load: { arrivals: 50/s, hold: 20s }\n    run: [x]\nrequirements:");
    let mut run = Run::of(&text);
    let holds: Vec<_> = run.evidence.steps.iter().filter(|step| step.id == "hold").cloned().collect();
    run.add(&evenly(holds[0].number, 0, 20, 100, |_, call| call));
    run.add(&evenly(holds[1].number, holds[1].from.second(), 20, 50, |_, call| call));
    let more = run.result("more");
    assert_eq!((more.verdict.name(), more.value, more.limit), ("met", Some(2000.0), Some(1000.0)));
    assert_eq!(more.evidence, ["load:s/hold/x/answer", "load:t/hold/x/answer"]);
    // It rests on both.
    run.add(&evenly(holds[1].number, holds[1].from.second(), 20, 5, |_, call| call.ended(Outcome::Dropped)));
    assert_eq!(run.verdict("more"), ("cannot_tell", "run_invalid".into()));
}

#[test]
fn a_trial_tells_nothing_about_volumes() {
    let rules = "many: count(x) >= 10\nfew: count(x.failed) <= 10\nnone: count(x.failed) = 0\nsame: count(x.intended) = count(x)\ngood: share(x.ok) >= 95%";
    let mut run = Run::of(&study_of("{ arrivals: 100/s, hold: 20s }", rules));
    let hold = run.step("hold");
    run.add(&evenly(hold, 0, 20, 100, |_, call| call));
    run.evidence.head.trial = Some(record::TrialHead::default());
    for (id, verdict) in
        [("many", "cannot_tell"), ("few", "cannot_tell"), ("none", "met"), ("same", "met"), ("good", "met")]
    {
        assert_eq!(run.result(id).verdict.name(), verdict, "{id}");
    }
    assert_eq!(run.result("many").reason.code, "trial");
}

#[test]
fn a_limit_that_was_not_counted_is_judged_by_its_bucket() {
    // Judged again with another limit than the run counted: buckets are 0.1 % wide, and say so where it matters.
    let text = |limit: &str| {
        study_of(
            "{ arrivals: 100/s, hold: 30s }",
            &format!("good: share(x.response < {limit}) >= 95%\np95: p95(x.response) < {limit}"),
        )
    };
    let mut run = Run::of(&text("300ms"));
    let hold = run.step("hold");
    run.add(&evenly(hold, 0, 30, 100, |k, call| Call {
        took: Nanos(if k % 2 == 0 { 100_000_000 } else { 200_030_000 }),
        ..call
    }));
    for (limit, good) in [("250ms", ("met", "interval_inside")), ("150ms", ("not_met", "interval_outside"))] {
        run.study = Run::of(&text(limit)).study;
        for id in ["good", "p95"] {
            assert_eq!(run.verdict(id), (good.0, good.1.to_owned()), "{limit} {id}");
        }
    }
    // Within the bucket of half of the times, whose greatest is not known to lie on one side.
    run.study = Run::of(&text("200031us")).study;
    assert_eq!(run.result("good").verdict.name(), "met", "the greatest time is known");
    run.add(&[Call { took: Nanos(200_090_000), ..call(hold, 3.5, 0.0) }]);
    run.rows.legs.iter_mut().for_each(|row| row.response.max = row.response.max.max(Nanos(200_090_000)));
    for id in ["good", "p95"] {
        assert_eq!(run.verdict(id), ("cannot_tell", "bucket_straddles_limit".into()), "{id}");
    }
}

#[test]
fn closed_loads_are_judged_by_service_time() {
    let rules = "response: p95(x.response) < 50ms\nservice: share(x.service < 50ms) >= 95%";
    let run = Run::simulated(&study_of("{ users: 5, hold: 30s }", rules), 1);
    for id in ["response", "service"] {
        assert_eq!(run.result(id).verdict.name(), "met", "{id}");
    }
    let step = run.step_result("hold");
    assert!(step.exchanges[0].legs.iter().all(|leg| leg.response.is_none()));
    let (views, _) = judge::judge(&run.evidence(), &run.study);
    let hold = views.steps.iter().find(|step| step.id == "hold").unwrap();
    assert!(hold.is_closed && hold.exchanges[0].legs[0].ok.response.total() == 0);
}

#[test]
fn all_is_good_and_bad_together_and_no_percentile_is_above_the_greatest() {
    let run = Run::simulated(
        &study_with(
            "x",
            "{ arrivals: 100/s, hold: 30s }",
            "x: { simulated.call: { service: 10ms, random: true, fail_every: 7 } }",
            "any: count(x) >= 0",
        ),
        2,
    );
    for exchange in run.step_result("hold").exchanges {
        let of = |outcome: &str| exchange.legs.iter().find(|leg| leg.outcome == outcome).unwrap();
        let (ok, failed, all) = (of("ok"), of("failed"), of("all"));
        assert_eq!(ok.count + failed.count, all.count);
        assert!(failed.count > 400);
        let times = |leg: &judge::LegResult| leg.response.clone().unwrap();
        assert_eq!(times(all).max, times(ok).max.max(times(failed).max));
        let mean = (times(ok).mean * ok.count as f64 + times(failed).mean * failed.count as f64) / all.count as f64;
        assert!((times(all).mean - mean).abs() < 1e-9);
        for times in [times(ok), times(failed), times(all)] {
            let values: Vec<f64> = times.percentiles.iter().map(|percentile| percentile.value).collect();
            assert!(values.windows(2).all(|pair| pair[0] <= pair[1]) && values.iter().all(|value| *value <= times.max));
            assert!(
                times
                    .percentiles
                    .iter()
                    .all(|p| p.interval.is_none_or(|(low, high)| low <= p.value && p.value <= high))
            );
        }
    }
}

#[test]
fn needs_any_is_met_by_one_member() {
    let load = "{ arrivals: [ { rate: 100/s, for: 20s }, { to: 200/s, over: 5s }, { rate: 200/s, for: 20s } ] }";
    let rules = "every: share(x.ok) >= 95% per step\neither: { that: share(x.ok) >= 95% per step, needs: any }";
    let mut run = Run::of(&study_of(load, rules));
    let steps: Vec<_> = run.evidence.steps.clone();
    run.add(&evenly(steps[0].number, 0, 20, 100, |_, call| call));
    run.add(&evenly(
        steps[2].number,
        25,
        20,
        100,
        |k, call| if k % 2 == 0 { call.ended(Outcome::Status) } else { call },
    ));
    assert_eq!(run.judge().exit_code(&run.study), 1, "`every` is not met");
    run.study.requirements.remove(0);
    let judgement = run.judge();
    assert_eq!(judgement.exit_code(&run.study), 0);
    let verdicts = |all: &[&judge::RequirementResult]| all.iter().map(|one| one.verdict.name()).collect::<Vec<_>>();
    let all: Vec<_> = judgement.requirements.iter().collect();
    assert_eq!(verdicts(&all), ["met", "not_met"]);
    assert_eq!(verdicts(&judge::deciding(all.iter().copied(), Some(&run.study))), ["met"]);
    assert_eq!(judge::deciding(all, None).len(), 2, "without the study each decides");
    // What another place makes up for is not demanded of a load, and so it did not fail.
    let held: Vec<_> = judgement.capacity.lines[0].family.levels.iter().map(|level| level.held).collect();
    assert_eq!(held, [Some(true), None]);
    // Without a met member, what cannot be told decides over what is not met.
    run.rows.legs.clear();
    run.rows.iterations.retain(|row| row.step != steps[0].number);
    assert_eq!(run.judge().exit_code(&run.study), 3);
}

#[test]
fn a_run_that_measured_nothing_or_was_cut_short_is_no_success() {
    let mut run =
        Run::of(&study_of("{ arrivals: 100/s, hold: 20s }", "ok: { that: share(x.ok) >= 95%, severity: informative }"));
    let step = run.evidence.steps[0].number;
    run.add(&evenly(step, 0, 20, 100, |_, call| call.ended(Outcome::Refused)));
    assert_eq!(run.judge().exit_code(&run.study), 3, "nothing succeeded");

    let mut run =
        Run::of(&study_of("{ arrivals: 100/s, hold: 20s }", "ok: { that: share(x.ok) >= 95%, severity: informative }"));
    run.add(&evenly(step, 0, 20, 100, |_, call| call));
    assert_eq!(run.judge().exit_code(&run.study), 0);
    if let Some(ending) = run.evidence.head.ending.as_mut() {
        ending.reason = terms::EndReason::Interrupted.name().to_owned();
    }
    assert_eq!(run.judge().exit_code(&run.study), 3, "it was interrupted");
}

#[test]
fn of_several_clauses_the_reason_names_the_one_it_shows() {
    let rules = "calm: alive(shop) and share(x.failed) <= 1% and max(x.response) < 1s\n\
                 fast: max(x.response) < 5ms and alive(shop) in hold\n\
                 one: max(x.response) < 1s";
    let mut run = Run::of(&study_of("{ arrivals: 100/s, hold: 30s }", rules));
    let hold = run.step("hold");
    run.add(&evenly(hold, 0, 30, 100, |_, call| call));
    let named = |run: &Run, id: &str| {
        let result = run.result(id);
        let word = |name: &str| result.reason.args.get(name).cloned();
        (result.verdict.name(), word("decided_by"), word("shown_of"))
    };
    let text = |text: &str| Some(Arg::Text(text.into()));
    assert_eq!(named(&run, "calm"), ("met", None, text("max(x.response) < 1s")));
    assert_eq!(named(&run, "fast"), ("not_met", text("max(x.response) < 5ms"), None));
    assert_eq!(named(&run, "one"), ("met", None, None));
    run.event(12.0, "restart", "shop");
    assert_eq!(named(&run, "calm"), ("not_met", text("alive(shop)"), None));
}
