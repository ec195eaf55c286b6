//! Rules that look at a series over time: `steady`, `slope`, `drop_at`, and what happens after the load.
#![allow(clippy::unwrap_used, reason = "a test")]

use crate::common::{CPU, Call, EVENTS, MEMORY, Run, evenly, study_of, study_of_scenarios};
use stats::reference::ParkMiller;
use terms::{Nanos, Phase};

const RULES: &str = "
    memory: steady(host.memory) per instance
    longer: 'steady(host.memory, growth: 200%, horizon: 2h)'
    cpu: steady(host.cpu)
    even: steady(rate(x.ok))
    quick: steady(x.response)
    slope: slope(host.memory) < 5000 bytes/s
    drop: drop_at(x.ok) > 1000
    counted: drop_at(host.events) > 1000
";

/// A hold of so many seconds with ten calls a second.
fn run(seconds: i64, of: impl Fn(u64, Call) -> Option<Call>) -> Run {
    let mut run = Run::of(&study_of(&format!("{{ arrivals: 10/s, hold: {seconds}s }}"), RULES));
    let hold = run.step("hold");
    let all = evenly(hold, 0, seconds, 10, |_, call| call);
    run.add(&all.into_iter().enumerate().filter_map(|(number, call)| of(number as u64, call)).collect::<Vec<_>>());
    run
}

/// Samples of a metric each `every` seconds, with noise of 1 % to both sides.
fn watch(run: &mut Run, seconds: i64, every: usize, metric: u16, instance: &str, of: impl Fn(f64) -> f64) {
    let mut random = ParkMiller::new(u64::from(metric) * 7 + 3);
    for second in (0..seconds).step_by(every) {
        let at = second as f64;
        run.sample(at + 0.5, metric, instance, Some(of(at) * (1.0 + 0.02 * (random.uniform() - 0.5))));
    }
}

fn told(run: &Run, id: &str) -> (&'static str, String) {
    run.verdict(id)
}

#[test]
fn memory_that_rises_is_not_steady() {
    // 1 kB a call at 10/s: 36 MB an hour, 864 MB a day, on 100 MB.
    let mut run = run(3600, |_, call| Some(call));
    watch(&mut run, 3600, 5, MEMORY, "shop", |at| 100e6 + 10_000.0 * at);
    assert_eq!(told(&run, "memory"), ("not_met", "drifts".into()));
    let result = run.result("memory");
    assert_eq!((result.scope.as_str(), result.unit.as_str(), result.limit), ("s/hold/shop", "share", Some(0.1)));
    assert_eq!(result.evidence, ["watch:host.memory"]);
    // 864 MB over a level of 136 MB at the end.
    let (low, value, high) = (result.low.unwrap(), result.value.unwrap(), result.high.unwrap());
    assert!((value - 6.35).abs() < 0.2 && low < value && value < high && low > 5.0, "{low} {value} {high}");
    // 72 MB in two hours are less than twice of it.
    assert_eq!(told(&run, "longer"), ("met", "steady".into()));
    assert_eq!(told(&run, "slope"), ("not_met", "interval_outside".into()));
    let slope = run.result("slope");
    assert!((slope.value.unwrap() - 10_000.0).abs() < 500.0, "{slope:?}");
}

#[test]
fn memory_that_stays_is_steady_with_a_power_statement() {
    let mut run = run(3600, |_, call| Some(call));
    // The envelope of 1 % noise over 75 s is about 0.1 % uneven.
    watch(&mut run, 3600, 5, MEMORY, "shop", |_| 100e6);
    let result = run.result("memory");
    assert_eq!(told(&run, "longer"), ("met", "steady".into()));
    assert!(matches!(result.verdict.name(), "met" | "cannot_tell"), "{result:?}");
    assert!(result.reason.args.contains_key("detectable"));
    let mut still = self::run(3600, |_, call| Some(call));
    for second in (0..3600).step_by(5) {
        still.sample(f64::from(second), MEMORY, "shop", Some(100e6 + f64::from(second % 3) * 1000.0));
    }
    assert_eq!(told(&still, "memory"), ("met", "steady".into()));
}

#[test]
fn a_saw_tooth_is_no_leak_and_its_rising_floor_is_one() {
    // Collected every 40 s from 150 MB to 100 MB.
    let tooth = |at: f64| 100e6 + 50e6 * (at % 40.0) / 40.0;
    for (leak, verdict) in [(0.0, false), (10_000.0, true)] {
        let mut run = run(3600, |_, call| Some(call));
        for second in (0..3600).step_by(2) {
            let at = f64::from(second);
            run.sample(at, MEMORY, "shop", Some(tooth(at) + leak * at));
        }
        assert_eq!(told(&run, "memory").0 == "not_met", verdict, "{leak}: {:?}", run.result("memory"));
    }
}

#[test]
fn a_short_hold_tells_nothing_about_memory() {
    let mut run = run(600, |_, call| Some(call));
    watch(&mut run, 600, 1, MEMORY, "shop", |at| 100e6 + 10_000.0 * at);
    assert_eq!(told(&run, "memory"), ("cannot_tell", "too_short".into()));
    assert!(run.result("memory").value.unwrap() > 1.0, "what was seen is shown");
    // And nothing at all where nothing was watched.
    assert_eq!(told(&run, "cpu"), ("cannot_tell", "no_samples".into()));
    let mut shorter = self::run(30, |_, call| Some(call));
    watch(&mut shorter, 30, 1, CPU, "shop", |_| 0.5);
    assert_eq!(told(&shorter, "cpu"), ("cannot_tell", "too_short".into()));
    assert_eq!(told(&shorter, "drop"), ("cannot_tell", "too_short".into()));
}

#[test]
fn two_instances_are_judged_each_by_itself() {
    let mut run = run(2000, |_, call| Some(call));
    watch(&mut run, 2000, 5, MEMORY, "a", |at| 100e6 + 30_000.0 * at);
    watch(&mut run, 2000, 5, MEMORY, "b", |_| 100e6);
    let seen: Vec<_> = run.results("memory").iter().map(|r| (r.scope.clone(), r.verdict.name())).collect();
    assert_eq!(seen[0], ("s/hold/a".into(), "not_met"));
    assert_ne!(seen[1].1, "not_met");
}

#[test]
fn shares_and_rates_drift_over_the_hold_and_shift_within_it() {
    for (of, verdict, code) in [
        (Box::new(|_: f64| 0.5) as Box<dyn Fn(f64) -> f64>, "met", "steady"),
        (Box::new(|at: f64| 0.5 + 0.1 * at / 600.0), "not_met", "drifts"),
        (Box::new(|at: f64| 0.5 - 0.1 * at / 600.0), "not_met", "drifts"),
        (Box::new(|at: f64| if at < 400.0 { 0.5 } else { 0.7 }), "not_met", "level_shift"),
        // 2 % more is within the 10 % that are allowed.
        (Box::new(|at: f64| 0.5 + 0.01 * at / 600.0), "met", "steady"),
    ] {
        let mut run = run(600, |_, call| Some(call));
        watch(&mut run, 600, 1, CPU, "shop", of);
        assert_eq!(told(&run, "cpu"), (verdict, code.into()));
    }
    let even = run(600, |_, call| Some(call));
    assert_eq!(told(&even, "even"), ("met", "steady".into()));
    assert_eq!(told(&even, "quick"), ("met", "steady".into()));
    // A third of the calls is lost from minute 6 on.
    let dropping = run(600, |number, call| {
        let lost = number >= 3600 && number.is_multiple_of(3);
        Some(if lost { call.ended(terms::Outcome::Status) } else { call })
    });
    assert_eq!(told(&dropping, "even").0, "not_met");
    // Twice as slow at the end as at the beginning.
    let slower = run(600, |number, call| Some(Call { took: Nanos(10_000_000 + number as i64 * 1700), ..call }));
    assert_eq!(told(&slower, "quick"), ("not_met", "drifts".into()));
}

#[test]
fn a_drop_is_placed_by_the_count_before_it() {
    let seen = |from: u64| {
        run(600, move |number, call| {
            let lost = number >= from && !number.is_multiple_of(3);
            Some(if lost { call.ended(terms::Outcome::Status) } else { call })
        })
    };
    let late = seen(4000);
    assert_eq!(told(&late, "drop"), ("met", "fell".into()));
    assert!((late.result("drop").value.unwrap() - 4000.0).abs() <= 20.0, "{:?}", late.result("drop"));
    assert_eq!(told(&seen(900), "drop"), ("not_met", "fell".into()));
    // None: beyond all that came. That is more than asked here, and would not be if a million were asked.
    let mut none = run(600, |_, call| Some(call));
    let result = none.result("drop");
    assert_eq!((result.verdict.name(), result.value, result.high), ("met", Some(6000.0), None));
    for second in 0..600 {
        let at = f64::from(second);
        let rate = |at: f64| if at < 300.0 { 50.0 * at } else { 15_000.0 + 10.0 * (at - 300.0) };
        none.sample(at, EVENTS, "shop", Some(rate(at) + f64::from(second % 2)));
    }
    assert!((none.result("counted").value.unwrap() - 15_000.0).abs() < 120.0, "{:?}", none.result("counted"));
    assert_eq!(told(&none, "counted").0, "met");
}

#[test]
fn trends_of_a_trial_are_not_told() {
    let mut run = run(3600, |_, call| Some(call));
    watch(&mut run, 3600, 5, MEMORY, "shop", |at| 100e6 + 10_000.0 * at);
    run.evidence.head.trial = Some(record::TrialHead::default());
    for id in ["memory", "slope", "drop"] {
        assert_eq!(told(&run, id), ("cannot_tell", "trial".into()), "{id}");
    }
}

/// Idle for a minute, two minutes of load, three of recovery; the metric as `of` says.
fn with_recovery(rules: &str, metric: u16, of: impl Fn(f64) -> f64) -> Run {
    let text = study_of("{ arrivals: 10/s, hold: 120s }", rules)
        .replace("    run: [x]", "    run: [x]\n    idle: 1m\n    recovery: 3m");
    let mut run = Run::of(&text);
    let hold = run.step("hold");
    run.add(&evenly(hold, 60, 120, 10, |_, call| call));
    let end = run.evidence.end.second();
    for second in 0..end {
        run.sample(second as f64 + 0.5, metric, "shop", Some(of(second as f64)));
    }
    run
}

const AFTER: &str = "
    empty: drained(host.memory)
    calm: 'settled(host.cpu, band: 5%)'
    drains: drain_time(host.memory) <= 1m
    slower: drain_time(host.memory) <= 5m
    settles: settle_time(host.cpu) < 1m
";

#[test]
fn what_is_left_after_the_load_drains_in_time_or_not() {
    // The hold ends at 180 s. A lag of 1000 falls by 20 a second: 50 s.
    let draining = with_recovery(AFTER, MEMORY, |at| {
        if (60.0..180.0).contains(&at) {
            1000.0
        } else {
            (1000.0 - 20.0 * (at - 180.0)).max(0.0) * f64::from(u8::from(at >= 180.0))
        }
    });
    assert_eq!(told(&draining, "empty"), ("met", "census".into()));
    assert_eq!(told(&draining, "drains").0, "met");
    let took = draining.result("drains").value.unwrap();
    assert!((took - 50_500.0).abs() < 1100.0, "{took}");
    // By 2 a second it is not empty within the three minutes that were watched.
    let slow =
        with_recovery(
            AFTER,
            MEMORY,
            |at| if at < 60.0 { 0.0 } else { (1000.0 - 2.0 * (at - 180.0).max(0.0)).max(0.0) },
        );
    assert_eq!(told(&slow, "empty"), ("not_met", "census".into()));
    assert_eq!(told(&slow, "drains").0, "not_met");
    assert_eq!(told(&slow, "slower").0, "cannot_tell", "five minutes were not watched");
}

#[test]
fn settled_is_near_the_idle_level() {
    let cpu = |falls: f64| {
        move |at: f64| {
            if at < 60.0 {
                0.03
            } else if at < 180.0 {
                0.6
            } else {
                0.03 + 0.57 * (-(at - 180.0) / falls).exp()
            }
        }
    };
    // 57 points fall below 5 after ln(11.4) = 2.43 time constants.
    let quick = with_recovery(AFTER, CPU, cpu(10.0));
    assert_eq!((told(&quick, "calm").0, told(&quick, "settles").0), ("met", "met"));
    let took = quick.result("settles").value.unwrap() / 1e3;
    assert!((took - 24.3).abs() < 2.0, "{took}");
    let slow = with_recovery(AFTER, CPU, cpu(200.0));
    assert_eq!((told(&slow, "calm").0, told(&slow, "settles").0), ("not_met", "not_met"));
    // Without an idle phase nobody knows the level.
    let mut blind = Run::of(&study_of("{ arrivals: 10/s, hold: 120s }", AFTER));
    for second in 0..130 {
        blind.sample(f64::from(second), CPU, "shop", Some(0.1));
    }
    assert_eq!(told(&blind, "calm"), ("cannot_tell", "no_baseline".into()));
}

/// What one repetition left behind is not made good by the next.
#[test]
fn each_repetition_must_drain_and_settle_and_the_worst_decides() {
    let rules = "order: [a]
repeat: 2
requirements:
  empty: drained(host.memory)
  calm: 'settled(host.cpu, band: 5%)'
  drains: drain_time(host.memory) <= 1m
  each: drained(host.memory) per repetition";
    let scenario = "a: { load: { arrivals: 10/s, hold: 60s }, run: [x], idle: 1m, recovery: 2m }";
    // So much a second is taken off a lag of 1000 after each repetition's load; the processor is as busy as long.
    let run = |rates: [f64; 2]| {
        let mut run = Run::of(&study_of_scenarios(scenario, rules));
        let loads: Vec<_> = run.evidence.steps.iter().filter(|step| step.phase == Phase::Hold).cloned().collect();
        assert_eq!(loads.len(), 2);
        for step in &loads {
            run.add(&evenly(step.number, step.from.second(), 60, 10, |_, call| call));
        }
        for second in 0..run.evidence.end.second() {
            let at = second as f64 + 0.5;
            // What was left is there until the next load comes.
            let last = loads.iter().zip(rates).rfind(|(step, _)| step.from.as_secs_f64() <= at);
            let lag = last.map_or(0.0, |(step, rate)| (1000.0 - rate * (at - step.to.as_secs_f64()).max(0.0)).max(0.0));
            run.sample(at, MEMORY, "shop", Some(lag));
            run.sample(at, CPU, "shop", Some(0.05 + if lag > 0.0 { 0.5 } else { 0.0 }));
        }
        run
    };
    let told = |run: &Run| ["empty", "calm", "drains"].map(|id| run.verdict(id).0);
    assert_eq!(told(&run([50.0, 50.0])), ["met"; 3]);
    assert_eq!(told(&run([2.0, 50.0])), ["not_met"; 3], "the first, and not only the last, is looked at");
    assert_eq!(told(&run([50.0, 2.0])), ["not_met"; 3]);
    let of_each: Vec<_> = run([2.0, 50.0]).results("each").into_iter().map(|result| result.verdict.name()).collect();
    assert_eq!(of_each, ["not_met", "met"]);
    let took = run([50.0, 25.0]).result("drains").value.unwrap();
    assert!((took - 40_500.0).abs() < 1100.0, "the longest of both: {took}");
}

#[test]
fn a_projection_that_says_nothing_is_not_printed() {
    // A minute of memory that wavers, projected over a day.
    let mut short = run(60, |_, call| Some(call));
    watch(&mut short, 60, 1, MEMORY, "shop", |_| 100e6);
    let result = short.result("memory");
    assert_eq!((result.verdict, result.reason.code.as_str()), (terms::Verdict::CannotTell, "too_short"));
    assert_eq!((result.value, result.low, result.high), (None, None, None));
}
