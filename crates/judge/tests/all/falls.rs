//! Rates that fall and rates that stand still: of watched counts and of calls, after the run and while it goes on.
#![allow(clippy::unwrap_used, reason = "a test")]

use crate::common::{Call, EVENTS, Run, evenly, fold, study_of};
use judge::live::{AbortRules, Begins, Held};
use judge::{Arg, Finding, Found, RequirementResult};
use record::{SampleRow, StepMark};
use stats::reference::ParkMiller;
use terms::Nanos;

/// Ten calls a second, and a count that grows by `rate` of each second, with noise of 10 % to both sides.
fn counted(seconds: i64, rules: &str, rate: impl Fn(f64) -> f64) -> Run {
    let mut run = Run::of(&study_of(&format!("{{ arrivals: 10/s, hold: {seconds}s }}"), rules));
    let hold = run.step("hold");
    run.add(&evenly(hold, 0, seconds, 10, |_, call| call));
    let (mut random, mut count) = (ParkMiller::new(77), 0.0);
    for second in 0..seconds {
        run.sample(second as f64, EVENTS, "shop", Some(count));
        count += rate(second as f64 + 0.5) * (1.0 + 0.2 * (random.uniform() - 0.5));
    }
    run
}

fn ends(result: &RequirementResult) -> (f64, f64, f64) {
    (result.low.unwrap(), result.value.unwrap(), result.high.unwrap())
}

fn number(args: &judge::Args, name: &str) -> f64 {
    match args[name].quantity() {
        Arg::Seconds(x) | Arg::Share(x) | Arg::Count(x) | Arg::PerSecond(x) => *x,
        other => panic!("`{name}` is {other:?}"),
    }
}

fn of_rule(run: &Run, rule: &str) -> Vec<Finding> {
    run.judge().findings.into_iter().filter(|finding| finding.rule() == rule).collect()
}

#[test]
fn a_drop_has_an_interval_on_both_axes_and_the_verdict_goes_by_it() {
    // 1000 a second for 100 s, then 400: a hundred thousand.
    let rules = "
        far: drop_at(host.events) >= 50000
        near: drop_at(host.events) >= 100000
        beyond: drop_at(host.events) >= 120000
    ";
    let run = counted(180, rules, |at| if at < 100.0 { 1000.0 } else { 400.0 });
    let (low, value, high) = ends(&run.result("far"));
    assert!(low <= 100_000.0 && 100_000.0 <= high && (value - 100_000.0).abs() < 2500.0, "{low} {value} {high}");
    assert!(high - low < 10_000.0, "{low} {high}");
    for (id, verdict, side) in
        [("far", "met", "inside"), ("near", "cannot_tell", "straddles"), ("beyond", "not_met", "outside")]
    {
        assert_eq!(run.verdict(id), (verdict, "fell".into()), "{id}");
        let reason = run.result(id).reason;
        assert_eq!(reason.args["side"], Arg::Text(side.into()));
        assert!((number(&reason.args, "at") - 100.0).abs() <= 2.0, "{reason:?}");
        assert!(number(&reason.args, "at_low") <= 100.0 && 100.0 <= number(&reason.args, "at_high"), "{reason:?}");
        assert!((number(&reason.args, "after") - 400.0).abs() < 20.0, "{reason:?}");
    }
    let found = of_rule(&run, "DROP");
    let Found::ThroughputDrop(drop) = &found[0].found else { panic!("{found:#?}") };
    assert_eq!((drop.exchange.as_str(), drop.figure.as_str(), drop.shape.as_str()), ("host.events", "watched", "step"));
    assert!(drop.count_low.0 <= 100_000.0 && 100_000.0 <= drop.count_high.0, "{drop:?}");
    assert_eq!((found.len(), found[0].evidence[0].as_str()), (1, "watch:host.events"));
}

#[test]
fn what_was_counted_before_a_fall_does_not_go_by_the_rest_of_the_hold() {
    let rules = "
        far: drop_at(host.events) >= 50000
        beyond: drop_at(host.events) >= 120000
        most: drop_at(host.events) <= 120000
        both: drop_at(host.events) >= 50000 and rate(x.ok) >= 1/s
    ";
    let mut run = counted(180, rules, |at| if at < 100.0 { 1000.0 } else { 400.0 });
    // More of the hold was planned.
    run.evidence.head.steps.iter_mut().for_each(|step| step.seconds = step.seconds.map(|seconds| seconds + 60.0));
    // A load that its own abort rule ended when the rate had fallen: as much was taken before, whatever would have come.
    assert_eq!((run.verdict("far"), run.verdict("beyond").0), (("met", "fell".into()), "not_met"));
    for rule in ["most", "both"] {
        assert_eq!(run.verdict(rule), ("cannot_tell", "cut_short".into()), "{rule}");
    }
}

/// The rule that ended the load told a fall; where the record shows none, how much came before it is not known.
#[test]
fn a_fall_that_only_the_abort_rule_saw_keeps_no_limit() {
    let rules = "far: drop_at(host.events) >= 50000";
    let flat = |reason: Option<&str>| {
        let mut run = counted(180, rules, |_| 1000.0);
        run.evidence.head.steps.iter_mut().for_each(|step| step.seconds = step.seconds.map(|seconds| seconds + 60.0));
        run.evidence.head.ending =
            reason.map(|reason| record::Ending { reason: reason.into(), ..record::Ending::default() });
        run.verdict("far")
    };
    assert_eq!(flat(None), ("met", "fell_not".into()));
    assert_eq!(flat(Some("aborted")), ("cannot_tell", "cut_short".into()));
}

#[test]
fn a_flat_rate_has_no_drop_and_a_slow_decline_no_place() {
    let rules = "some: drop_at(host.events) >= 50000\nmore: drop_at(host.events) >= 1000000";
    let flat = counted(180, rules, |_| 1000.0);
    assert_eq!(flat.verdict("some"), ("met", "fell_not".into()));
    assert_eq!(flat.verdict("more"), ("cannot_tell", "fell_not".into()), "nobody looked so far");
    assert_eq!(flat.result("some").high, None);
    assert!(of_rule(&flat, "DROP").is_empty() && of_rule(&flat, "STALL").is_empty());
    // From 1000 to 280 in all of the three minutes: there is no place at which it falls, so none is told, and only what came
    // before the decline is sure.
    let slow = counted(180, rules, |at| 1000.0 - 4.0 * at);
    let result = slow.result("some");
    assert_eq!(slow.verdict("some"), ("cannot_tell", "fell_perhaps".into()), "{result:?}");
    assert!(result.low.unwrap() < 30_000.0 && result.high.is_none(), "{result:?}");
}

/// A count of 1000 a second that stands still for two of every twelve seconds.
fn stalling(at: f64) -> f64 {
    if at % 12.0 < 2.0 { 20.0 } else { 1000.0 }
}

const WORKING: &str = "
    working: working_rate(host.events) >= 900/s
    exactly: working_rate(host.events) >= 1000/s
    whole: rate(host.events) >= 900/s
";

#[test]
fn a_watched_count_that_stands_still_is_a_stall_with_two_rates() {
    let run = counted(240, WORKING, stalling);
    let (low, value, high) = ends(&run.result("working"));
    assert!(low <= 1000.0 && 1000.0 <= high && (value - 1000.0).abs() < 20.0, "{low} {value} {high}");
    assert_eq!(run.verdict("working"), ("met", "worked".into()));
    assert_eq!(run.verdict("exactly").0, "cannot_tell");
    assert_eq!(run.verdict("whole").0, "not_met", "the mean over the whole is another figure");
    let reason = run.result("working").reason;
    assert!((number(&reason.args, "duty") - 10.0 / 12.0).abs() < 0.02, "{reason:?}");
    assert!((number(&reason.args, "mean") - 837.0).abs() < 15.0, "{reason:?}");
    assert_eq!(number(&reason.args, "number"), 20.0);
    let found = of_rule(&run, "STALL");
    let Found::Stalls(stalls) = &found[0].found else { panic!("{found:#?}") };
    assert_eq!((stalls.exchange.as_str(), stalls.figure.as_str(), found.len()), ("host.events", "watched", 1));
    assert!((stalls.every.unwrap().0 - 12.0).abs() < 0.1 && (stalls.lasts.0 - 2.0).abs() < 0.3, "{stalls:?}");
    assert!((stalls.affected.0 - 0.163).abs() < 0.03, "{stalls:?}");
    let (mean, working) = (stalls.mean.unwrap().0, stalls.working.unwrap().0);
    assert!(mean < 860.0 && working > 980.0, "{stalls:?}");
    assert!(stalls.working_low.unwrap().0 <= 1000.0 && 1000.0 <= stalls.working_high.unwrap().0);
    assert!((stalls.working_part.unwrap().0 - 10.0 / 12.0).abs() < 0.02);
    let begins: Vec<f64> = found[0].spans.iter().map(|span| span.start.as_secs_f64()).collect();
    assert_eq!(begins.len(), 20, "each one, and no more: {begins:?}");
    let is_near = |(turn, begin): (usize, &f64)| (begin - 12.0 * turn as f64).abs() <= 1.0;
    assert!(begins.iter().enumerate().all(is_near), "{begins:?}");
}

#[test]
fn stalls_without_a_rhythm_name_the_counts_that_step_with_them() {
    let begins = [13.0, 40.0, 51.0, 95.0, 122.0, 160.0, 171.0, 214.0];
    let is_stalled = move |at: f64| begins.iter().any(|begin| (*begin..begin + 3.0).contains(&at));
    let run = counted(240, WORKING, |at| if is_stalled(at) { 0.0 } else { 1000.0 });
    let found = of_rule(&run, "STALL");
    let Found::Stalls(stalls) = &found[0].found else { panic!("{found:#?}") };
    assert_eq!((stalls.every, stalls.repeats.0, stalls.with.as_str()), (None, 8.0, "none"));
    assert!((stalls.lasts.0 - 3.0).abs() < 0.3 && (stalls.affected.0 - 0.1).abs() < 0.02, "{stalls:?}");
    let spans = &found[0].spans;
    assert_eq!(spans.len(), begins.len());
    for (span, begin) in spans.iter().zip(begins) {
        let (from, to) = (span.start.as_secs_f64(), span.end.as_secs_f64());
        assert!((from - begin).abs() <= 1.0 && (to - begin - 3.0).abs() <= 1.0, "{begin}: {from} to {to}");
    }
}

#[test]
fn one_working_rate_does_not_describe_two_levels_and_without_stalls_it_is_the_mean() {
    let shifts = counted(180, WORKING, |at| if at < 100.0 { 1000.0 } else { 300.0 });
    assert_eq!(shifts.verdict("working"), ("cannot_tell", "rate_shifts".into()));
    let flat = counted(180, WORKING, |_| 1000.0);
    let (result, whole) = (flat.result("working"), flat.result("whole"));
    assert_eq!((result.verdict.name(), number(&result.reason.args, "duty")), ("met", 1.0));
    assert!((result.value.unwrap() - whole.value.unwrap()).abs() < 10.0);
    let short = counted(20, WORKING, |_| 1000.0);
    assert_eq!(short.verdict("working"), ("cannot_tell", "too_short".into()));
}

/// What a rule says of a count whose rate is as given, second by second of a hold of ten minutes.
fn aborts(rule: &str, rate: impl Fn(f64) -> f64) -> Option<(i64, Held)> {
    let text = study_of("{ arrivals: 100/s, hold: 600s }", "ok: count(x) >= 0");
    let run = Run::of(&text.replace("    run: [x]\n", &format!("    run: [x]\n    abort: [ '{rule}' ]\n")));
    let head = run.evidence.head.clone();
    let hold = run.step("hold");
    let mut rules = AbortRules::new(head.clone(), 0, run.study.scenarios[0].abort.clone());
    let mark = |at: i64, is_end| StepMark { step: hold, at: Nanos::from_secs(at), is_end };
    rules.mark(&mark(0, false));
    let (mut random, mut count) = (ParkMiller::new(5), 0.0);
    for second in 0..700 {
        let now = Nanos::from_secs(second + 1);
        if second == 600 {
            rules.mark(&mark(600, true));
        }
        // As many calls end as are counted, a tenth of them.
        let rate = rate(second as f64) * (1.0 + 0.2 * (random.uniform() - 0.5));
        let ended = (rate / 10.0) as usize;
        let calls: Vec<Call> = evenly(hold, second, 1, ended as u64, |_, call| call);
        rules.add(&fold(&head, &calls), now);
        let at = Nanos::from_secs(second);
        let value = Some(count);
        rules.add_samples(&[SampleRow { at, monitor: 0, instance: "shop".into(), metric: EVENTS, value }], now);
        count += rate;
        if let Some(held) = rules.check(now, &Begins::default()) {
            return Some((second + 1, held));
        }
    }
    None
}

#[test]
fn a_fall_stops_the_run_and_says_when_at_which_count_and_from_what_to_what() {
    for (rule, scale) in [("drop(host.events) >= 30%", 1.0), ("drop(x.ok) >= 30%", 0.1)] {
        let (at, held) = aborts(rule, |at| if at < 300.0 { 1000.0 } else { 400.0 }).unwrap();
        assert!((330..360).contains(&at), "{at}");
        let fall = held.fall.clone().unwrap();
        assert!((fall.since.as_secs_f64() - 300.0).abs() <= 3.0, "{fall:?}");
        assert!((fall.count / scale - 300_000.0).abs() < 4000.0, "{fall:?}");
        assert!((fall.from / scale - 1000.0).abs() < 20.0 && (fall.to / scale - 400.0).abs() < 20.0, "{fall:?}");
        assert!((held.value - 0.6).abs() < 0.03, "{held:?}");
        let said = fall.to_string();
        assert!(said.contains("fell from ") && said.contains("one run cannot tell"), "{said}");
    }
    // Four times sooner with a quarter of the time.
    let (at, _) = aborts("drop(host.events) >= 30% for 8s", |at| if at < 100.0 { 1000.0 } else { 400.0 }).unwrap();
    assert!((108..125).contains(&at), "{at}");
}

#[test]
fn neither_stalls_nor_smaller_falls_nor_the_end_of_the_hold_stop_it() {
    let rule = "drop(host.events) >= 30%";
    assert!(aborts(rule, |at| if at < 600.0 { 1000.0 } else { 0.0 }).is_none(), "the hold is over");
    assert!(aborts(rule, stalling).is_none());
    assert!(aborts(rule, |at| if at < 300.0 { 1000.0 } else { 800.0 }).is_none());
    assert!(aborts(rule, |at| if at < 20.0 { 1000.0 } else { 400.0 }).is_none(), "within the baseline nothing is told");
}
