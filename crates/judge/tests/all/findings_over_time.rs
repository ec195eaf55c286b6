//! Rules over time, each with a run that fires it and one that must not.

use crate::common::{CPU, Call, EVENTS, MEMORY, Run, evenly, study_of, study_with};
use judge::{Arg, Finding, Gravity};
use stats::reference::ParkMiller;
use terms::{Nanos, Outcome};

const RULE: &str = "good: share(x.response < 1s of ok) >= 95%";
/// What this file is about.
const RULES: [&str; 10] = ["LEAK", "CEILING", "DROP", "STALL", "DRIFT", "SPIKE", "SKEW", "NO-RETURN", "STATE", "IDLE"];

/// So many seconds at 20/s, each call 10 ms and a little; `of` changes it.
fn run(seconds: i64, of: impl Fn(f64, Call) -> Call) -> Run {
    let mut run = Run::of(&study_of(&format!("{{ arrivals: 20/s, hold: {seconds}s }}"), RULE));
    add(&mut run, 0, seconds, of);
    run
}

fn add(run: &mut Run, from: i64, seconds: i64, of: impl Fn(f64, Call) -> Call) {
    let hold = run.step("hold");
    let noise = noise(7, seconds as usize * 20);
    let all = evenly(hold, from, seconds, 20, |number, call| {
        let took = Nanos(call.took.0 + (noise[number as usize] * 4e6) as i64);
        of(call.at - from as f64, Call { took, ..call })
    });
    run.add(&all);
}

/// Numbers of 0 up to 1.
fn noise(seed: u64, count: usize) -> Vec<f64> {
    let mut random = ParkMiller::new(seed);
    (0..count).map(|_| random.uniform()).collect()
}

fn watch(run: &mut Run, (from, to, every): (i64, i64, usize), metric: u16, instance: &str, of: impl Fn(f64) -> f64) {
    let noise = noise(u64::from(metric) * 31 + instance.len() as u64 + 5, to as usize);
    for second in (from..to).step_by(every) {
        let value = of(second as f64) * (1.0 + 0.04 * (noise[second as usize] - 0.5));
        run.sample(second as f64 + 0.5, metric, instance, Some(value));
    }
}

fn over_time(run: &Run) -> Vec<Finding> {
    run.judge().findings.into_iter().filter(|finding| RULES.contains(&finding.rule())).collect()
}

fn rules(run: &Run) -> Vec<&'static str> {
    over_time(run).into_iter().map(|finding| finding.rule()).collect()
}

fn only(run: &Run, rule: &str) -> Finding {
    let found = over_time(run);
    let mut of_rule: Vec<Finding> = found.iter().filter(|finding| finding.rule() == rule).cloned().collect();
    assert_eq!(of_rule.len(), 1, "{found:#?}");
    of_rule.remove(0)
}

#[track_caller]
fn near(finding: &Finding, name: &str, expected: f64, within: f64) {
    let found = match finding.args()[name].quantity() {
        Arg::Milliseconds(x)
        | Arg::Share(x)
        | Arg::Count(x)
        | Arg::PerSecond(x)
        | Arg::Number(x)
        | Arg::Seconds(x)
        | Arg::Bytes(x)
        | Arg::Cores(x) => *x,
        other => panic!("`{name}` is {other:?}"),
    };
    assert!((found - expected).abs() <= within, "`{name}` is {found}, not {expected} ± {within}");
}

fn word(finding: &Finding, name: &str) -> String {
    match &finding.args()[name] {
        Arg::Text(word) => word.clone(),
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_quiet_run_has_no_finding_over_time() {
    for seconds in [61, 150, 600, 3600] {
        let mut run = run(seconds, |_, call| call);
        for (metric, level) in [(MEMORY, 1e8), (CPU, 0.4)] {
            for instance in ["shop.1", "shop.2"] {
                watch(&mut run, (0, seconds, 1), metric, instance, |_| level);
            }
        }
        for second in 0..seconds {
            run.sample(second as f64, EVENTS, "shop", Some((100 * second + second % 7) as f64));
        }
        assert_eq!(rules(&run), [""; 0], "{seconds} s");
    }
}

#[test]
fn noise_and_wandering_make_few_findings() {
    // Two hundred series without trend, half of them slowly wandering (AR(1), 0.95).
    let mut run = run(1800, |_, call| call);
    for number in 0..200 {
        let mut v = 0.0;
        let (phi, size) = if number % 2 == 0 { (0.0, 0.2) } else { (0.95, 0.02) };
        for (second, u) in noise(1000 + number, 360).into_iter().enumerate() {
            v = phi * v + size * (u - 0.5);
            run.sample(second as f64 * 5.0, CPU, &format!("module-{number}"), Some((0.4 + v).max(0.0)));
            run.sample(second as f64 * 5.0, MEMORY, &format!("module-{number}"), Some(1e8 * (1.0 + 0.1 * v)));
        }
    }
    let found = over_time(&run);
    assert!(found.len() <= 2, "{found:#?}");
}

#[test]
fn a_leak_of_a_kilobyte_a_call_is_suspected() {
    // 20 calls a second: 20 kB/s, 72 MB an hour.
    let leak = |seconds: i64| {
        let mut run = run(seconds, |_, call| call);
        watch(&mut run, (0, seconds, 5), MEMORY, "shop", |at| 2e8 + 20_000.0 * at);
        run
    };
    let found = only(&leak(3600), "LEAK");
    assert_eq!((found.severity, word(&found, "grade").as_str()), (Gravity::Warning, "suspected"));
    assert_eq!(found.evidence, ["watch:host.memory"]);
    near(&found, "hourly", 72e6, 4e6);
    near(&found, "per_iteration", 1000.0, 60.0);
    // A quarter of an hour cannot tell a leak from what fills up.
    let short = only(&leak(900), "LEAK");
    assert_eq!((short.severity, word(&short, "grade").as_str()), (Gravity::Notice, "possible"));
}

#[test]
fn what_fills_up_or_is_collected_is_no_leak() {
    let mut filling = run(3600, |_, call| call);
    watch(&mut filling, (0, 3600, 5), MEMORY, "shop", |at| 2e8 + 1e8 * (1.0 - (-at / 500.0).exp()));
    assert!(!rules(&filling).contains(&"LEAK"), "{:?}", over_time(&filling));
    let mut tooth = run(3600, |_, call| call);
    for second in 0..3600 {
        let at = f64::from(second);
        tooth.sample(at, MEMORY, "shop", Some(2e8 + 1e6 * (at % 47.0)));
    }
    assert!(!rules(&tooth).contains(&"LEAK"));
    // A rise that would fill nothing in a day.
    let mut slow = run(3600, |_, call| call);
    for second in 0..3600 {
        slow.sample(f64::from(second), MEMORY, "shop", Some(2e9 + f64::from(second) * 100.0));
    }
    assert!(!rules(&slow).contains(&"LEAK"));
}

#[test]
fn what_stands_at_its_limit_is_at_the_ceiling() {
    let at = |level: f64| {
        let mut run = run(120, |_, call| call);
        // `memory` is bounded by another metric of the same monitor.
        run.evidence.head.monitors[0].metrics[usize::from(MEMORY)].ceiling = Some("steal".into());
        for second in 0..120 {
            run.sample(f64::from(second), MEMORY, "shop", Some(level));
            run.sample(f64::from(second), crate::common::STEAL, "shop", Some(1000.0));
        }
        run
    };
    let found = only(&at(990.0), "CEILING");
    near(&found, "reached", 0.99, 1e-9);
    near(&found, "time", 1.0, 1e-9);
    assert_eq!(rules(&at(900.0)), [""; 0]);
}

#[test]
fn a_lasting_drop_is_placed_by_time_and_by_count() {
    let lost = |from: f64, to: f64| {
        run(600, move |at, call| {
            let is_lost = (from..to).contains(&at) && (call.at * 20.0).round() as i64 % 3 > 0;
            if is_lost { call.ended(Outcome::Status) } else { call }
        })
    };
    let found = only(&lost(400.0, 600.0), "DROP");
    near(&found, "at", 400.0, 5.0);
    near(&found, "count", 8000.0, 100.0);
    near(&found, "before", 20.0, 0.5);
    near(&found, "after", 20.0 / 3.0, 1.0);
    assert_eq!(found.scope, "s/hold/x");
    // A dip that passes is not a drop.
    assert!(!rules(&lost(200.0, 280.0)).contains(&"DROP"));
    // Nor is a lower load.
    let mut fewer = run(600, |_, call| call);
    let hold = fewer.step("hold");
    fewer.rows = Default::default();
    let half = |number: u64, call: Call| (number < 6000 || number.is_multiple_of(2)).then_some(call);
    let all = evenly(hold, 0, 600, 20, |_, call| call);
    fewer.add(&all.into_iter().enumerate().filter_map(|(n, call)| half(n as u64, call)).collect::<Vec<_>>());
    assert!(!rules(&fewer).contains(&"DROP"));
}

#[test]
fn a_stall_every_37_seconds_is_found_with_its_period() {
    // Half a second in 37: arrivals in it wait for its end.
    for (seconds, length) in [(150, 1.0), (600, 0.5), (3600, 2.0)] {
        let stalled = run(seconds, |at, call| {
            let phase = at % 37.0;
            let wait = if phase < length { length - phase } else { 0.0 };
            Call { took: Nanos(call.took.0 + (wait * 1e9) as i64), ..call }
        });
        let found = only(&stalled, "STALL");
        near(&found, "every", 37.0, 0.05);
        near(&found, "affected", length / 37.0, 0.02);
        let begins: Vec<i64> = found.spans.iter().map(|span| span.start.second()).collect();
        assert_eq!(begins, (0..seconds).step_by(37).collect::<Vec<_>>(), "each one, and no more");
        assert!(word(&found, "figure") == "times" && word(&found, "with") == "none");
        assert_eq!(rules(&stalled), ["STALL"], "and nothing else: a rhythm is no spike and no drift");
    }
}

/// Through the real loop, in simulated time: a server that stands still for half a second in 37.
#[test]
fn a_server_that_stalls_is_found_through_the_loop_and_a_steady_one_is_not() {
    let simulated = |service: &str| {
        let exchange = format!("x: {{ simulated.call: {{ {service} }} }}");
        Run::simulated(&study_with("x", "{ arrivals: 50/s, hold: 300s }", &exchange, RULE), 1)
    };
    let found = only(&simulated("service: 10ms, stall_every: 37s, stall_for: 500ms"), "STALL");
    near(&found, "every", 37.0, 0.2);
    assert!(!rules(&simulated("service: 10ms, random: true")).contains(&"STALL"));
    assert_eq!(rules(&simulated("service: 10ms")), [""; 0]);
}

#[test]
fn a_stall_names_what_has_the_same_rhythm() {
    let mut stalled = run(600, |at, call| {
        let wait = if at % 20.0 < 2.0 { 300_000_000 } else { 0 };
        Call { took: Nanos(call.took.0 + wait), ..call }
    });
    watch(&mut stalled, (0, 600, 1), CPU, "store", |at| if at % 20.0 < 2.0 { 0.9 } else { 0.2 });
    watch(&mut stalled, (0, 600, 1), MEMORY, "shop", |_| 1e8);
    for number in 0..30 {
        stalled.event(f64::from(number) * 20.0 + 0.5, "checkpoint", "store");
        stalled.event(f64::from(number * number % 599), "note", "store");
    }
    assert_eq!(word(&only(&stalled, "STALL"), "with"), "host.cpu (store), checkpoint");
}

#[test]
fn throughput_that_stops_in_a_rhythm_is_a_stall_too() {
    // A closed load: nothing ends in two of every 25 seconds, and every call takes as long as ever.
    let text = study_of("{ users: 5, hold: 600s }", RULE);
    let mut run = Run::of(&text);
    let hold = run.step("hold");
    let all = evenly(hold, 0, 600, 100, |_, call| call);
    run.add(&all.into_iter().filter(|call| call.at % 25.0 >= 2.0).collect::<Vec<_>>());
    let found = only(&run, "STALL");
    assert_eq!(word(&found, "figure"), "throughput");
    near(&found, "every", 25.0, 0.05);
    near(&found, "affected", 0.08, 0.01);
}

#[test]
fn times_that_drift_or_shift_under_constant_load() {
    let slower = run(900, |at, call| Call { took: Nanos(call.took.0 + (at * 10_000.0) as i64), ..call });
    let found = only(&slower, "DRIFT");
    assert_eq!(
        (word(&found, "shape"), word(&found, "direction"), found.severity),
        ("drift".into(), "up".into(), Gravity::Warning)
    );
    assert_eq!((found.scope.as_str(), found.evidence[0].as_str()), ("s/hold/x", "load:s/hold/x"));
    let shifted =
        run(600, |at, call| Call { took: Nanos(call.took.0 + if at < 350.0 { 0 } else { 8_000_000 }), ..call });
    let found = only(&shifted, "DRIFT");
    assert_eq!((word(&found, "shape"), word(&found, "figure")), ("shift".into(), "times".into()));
    near(&found, "at", 350.0, 10.0);
    // Two per cent are within what does not matter.
    assert_eq!(rules(&run(900, |at, call| Call { took: Nanos(call.took.0 + (at * 200.0) as i64), ..call })), [""; 0]);
    // Faster, so late that no warm-up would have helped; an early one is a WARM-UP.
    let faster =
        run(600, |at, call| Call { took: Nanos(call.took.0 + if at < 350.0 { 20_000_000 } else { 0 }), ..call });
    assert_eq!(
        (only(&faster, "DRIFT").severity, word(&only(&faster, "DRIFT"), "direction")),
        (Gravity::Notice, "down".into())
    );
}

#[test]
fn watched_series_that_shift_together_are_one_finding() {
    let mut run = run(600, |_, call| call);
    for instance in ["a", "b", "c"] {
        watch(
            &mut run,
            (0, 600, 1),
            CPU,
            instance,
            |at| if at < 300.0 { 0.2 } else { 0.2 + 0.1 * instance.len() as f64 },
        );
    }
    let found = only(&run, "DRIFT");
    assert_eq!((found.severity, word(&found, "figure")), (Gravity::Info, "series".into()));
    near(&found, "others", 2.0, 0.0);
    near(&found, "before", 0.2, 0.01);
    near(&found, "after", 0.3, 0.01);
}

#[test]
fn one_spike_at_the_start_is_named_and_a_restless_series_is_not() {
    let cpu = |of: fn(f64) -> f64| {
        let mut run = run(600, |_, call| call);
        watch(&mut run, (0, 600, 1), CPU, "shop", of);
        run
    };
    let at_start = only(&cpu(|at| if (5.0..9.0).contains(&at) { 0.95 } else { 0.2 }), "SPIKE");
    assert_eq!((word(&at_start, "place"), at_start.severity), ("start".into(), Gravity::Info));
    near(&at_start, "number", 1.0, 0.0);
    near(&at_start, "greatest", 0.95, 0.03);
    near(&at_start, "lasted", 4.0, 0.1);
    let twice =
        only(&cpu(|at| if (300.0..303.0).contains(&at) || (450.0..452.0).contains(&at) { 0.9 } else { 0.2 }), "SPIKE");
    assert_eq!(word(&twice, "place"), "during");
    near(&twice, "number", 2.0, 0.0);
    assert_eq!(rules(&cpu(|at| if at % 61.0 < 3.0 { 0.9 } else { 0.2 })), [""; 0]);
    assert_eq!(rules(&cpu(|at| if (300.0..303.0).contains(&at) { 0.26 } else { 0.2 })), [""; 0], "too low to matter");
    // Of calls: two seconds in which they took twenty times as long.
    let slow = run(600, |at, call| Call {
        took: Nanos(call.took.0 + if (200.0..202.0).contains(&at) { 200_000_000 } else { 0 }),
        ..call
    });
    let found = only(&slow, "SPIKE");
    assert_eq!((word(&found, "figure"), found.severity), ("times".into(), Gravity::Notice));
}

#[test]
fn replicas_that_share_unequally_are_skewed() {
    let of = |second: f64, names: [&str; 2]| {
        let mut run = run(300, |_, call| call);
        watch(&mut run, (0, 300, 1), CPU, names[0], |_| 0.6);
        watch(&mut run, (0, 300, 1), CPU, names[1], |_| second);
        run
    };
    let found = only(&of(0.2, ["store.1", "store.2"]), "SKEW");
    assert_eq!((word(&found, "group"), word(&found, "high")), ("store".into(), "store.1".into()));
    near(&found, "off", 0.5, 0.02);
    assert_eq!(rules(&of(0.55, ["store.1", "store.2"])), [""; 0]);
    assert_eq!(rules(&of(0.2, ["store", "shop"])), [""; 0], "not of one kind");
}

/// Idle for a minute, five minutes of load, `recovery` seconds after it.
fn with_baseline(recovery: i64, of: impl Fn(f64) -> f64) -> Run {
    let text = study_of("{ arrivals: 20/s, hold: 300s }", RULE)
        .replace("    run: [x]", &format!("    run: [x]\n    idle: 1m\n    recovery: {recovery}s"));
    let mut run = Run::of(&text);
    add(&mut run, 60, 300, |_, call| call);
    let end = run.evidence.end.second();
    watch(&mut run, (0, end, 1), CPU, "shop", of);
    run
}

#[test]
fn the_idle_level_is_measured_in_the_idle_phase() {
    let back = with_baseline(120, |at| if (60.0..361.0).contains(&at) { 0.4 } else { 0.07 });
    let found = only(&back, "IDLE");
    near(&found, "baseline", 0.07, 0.003);
    near(&found, "load", 0.4, 0.02);
    near(&found, "seconds", 60.0, 0.0);
    assert_eq!(rules(&back), ["IDLE"]);
}

#[test]
fn what_does_not_come_back_is_said() {
    let stays = |recovery| {
        with_baseline(recovery, |at| {
            if at < 60.0 {
                0.07
            } else if at < 361.0 {
                0.4
            } else {
                0.3
            }
        })
    };
    assert_eq!(only(&stays(120), "NO-RETURN").severity, Gravity::Notice);
    let long = only(&stays(400), "NO-RETURN");
    assert_eq!(long.severity, Gravity::Warning);
    near(&long, "value", 0.3, 0.02);
    near(&long, "baseline", 0.07, 0.01);
    assert!(!rules(&stays(30)).contains(&"NO-RETURN"), "half a minute is no time to return");
}

#[test]
fn a_later_hold_on_a_fuller_store_is_said() {
    let text = study_of("{ arrivals: 20/s, hold: 120s }", RULE)
        .replace("requirements:", "  t:\n    load: { arrivals: 20/s, hold: 120s }\n    run: [x]\nrequirements:");
    let run = |grows: f64| {
        let mut run = Run::of(&text);
        run.evidence.head.monitors[0].metrics[usize::from(MEMORY)].role = "stored".into();
        let end = run.evidence.end.second();
        for second in 0..end {
            run.sample(second as f64, MEMORY, "store", Some(1e9 + grows * second as f64));
        }
        run
    };
    let found = only(&run(3e6), "STATE");
    assert_eq!((found.scope.as_str(), word(&found, "first").as_str()), ("t/hold", "s/hold"));
    assert!(!rules(&run(1e5)).contains(&"STATE"));
}
