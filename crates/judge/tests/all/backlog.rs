//! Work that piles up, and work that only looks like it.
#![allow(clippy::unwrap_used, reason = "a test")]

use crate::common::{Run, call, study_of};
use judge::{Arg, Finding, Gravity};
use record::EngineRow;
use terms::Nanos;

const RULE: &str = "good: share(x.ok) >= 95%";

/// Deterministic numbers between 0 and 1: Park and Miller's generator.
struct Numbers(u64);

impl Numbers {
    fn next(&mut self) -> f64 {
        self.0 = self.0 * 16_807 % 2_147_483_647;
        self.0 as f64 / 2_147_483_647.0
    }

    fn exponential(&mut self, mean: f64) -> f64 {
        -mean * (1.0 - self.next()).ln()
    }
}

/// A hold of so many seconds at `rate`, in which the `k`-th call takes `took(k, seconds since the hold began)` seconds.
fn run(load: &str, seconds: u64, rate: u64, mut took: impl FnMut(u64, f64) -> f64) -> Run {
    let mut run = Run::of(&study_of(load, RULE));
    let (step, from) = (run.step("hold"), run.span("hold").from.as_secs_f64());
    let calls: Vec<_> = (0..seconds * rate)
        .map(|k| {
            let at = k as f64 / rate as f64;
            let mut call = call(step, from + at + 1e-6, 1.0);
            call.took = Nanos::from_secs_f64(took(k, at));
            call
        })
        .collect();
    run.add(&calls);
    run
}

fn backlog(run: &Run) -> Option<Finding> {
    run.finding("BACKLOG")
}

/// One server, in order, with these service times: the Lindley recursion.
fn queue(service: impl Fn(f64) -> f64) -> impl FnMut(u64, f64) -> f64 {
    let mut free = 0.0f64;
    move |_, at| {
        free = free.max(at) + service(at);
        free - at
    }
}

#[test]
fn a_hold_of_twenty_seconds_that_falls_behind_is_found() {
    // 120/s offered, 82/s answered: 38/s stay, 760 after twenty seconds.
    let run = run("{ arrivals: 120/s, hold: 20s }", 20, 120, queue(|_| 1.0 / 82.0));
    let found = backlog(&run).unwrap();
    assert_eq!((found.severity, found.scope.as_str()), (Gravity::Blocker, "s/hold"));
    assert_eq!(found.args()["offered"], Arg::PerSecond(120.0));
    let (Arg::PerSecond(ended), Arg::Count(from), Arg::Count(to)) =
        (&found.args()["ended"], &found.args()["from"], &found.args()["to"])
    else {
        panic!("{found:?}")
    };
    assert!((ended - 82.0).abs() < 1.0 && (from - 38.0).abs() < 3.0 && (to - 760.0).abs() < 5.0, "{found:?}");
    // It leads, also before a generator that was late.
    let mut late = run;
    for row in &mut late.rows.starts {
        row.lateness = crate::common::sparse(&vec![Nanos::from_secs(1); row.started as usize]);
    }
    let rules: Vec<&str> = late.judge().findings.into_iter().map(|finding| finding.rule()).collect();
    assert_eq!(rules[0], "BACKLOG");
    assert!(rules.contains(&"GEN-SLIP"), "{rules:?}");
}

/// What is in flight under overload, counted and from the times: the averages of a growing queue contradict each other,
/// the exact form does not.
#[test]
fn the_balance_of_an_overload_is_told_and_agrees() {
    let mut run = run("{ arrivals: 120/s, hold: 20s }", 20, 120, queue(|_| 1.0 / 82.0));
    let hold = run.step("hold");
    // In flight as the generator would count it: 38 more each second, half of them on average within the first.
    for second in 0..20 {
        let in_flight_mean = 38.0 * (second as f64 + 0.5);
        run.evidence.engine.push(EngineRow { second, step: hold, in_flight_mean, ..EngineRow::default() });
    }
    let balance = run.step_result("hold").in_flight.unwrap();
    assert!((balance.counted - 380.0).abs() < 1e-9, "{balance:?}");
    assert!((balance.recorded / balance.counted - 1.0 - balance.off).abs() < 1e-9, "{balance:?}");
    assert!(balance.off.abs() < 0.05, "{balance:?}");
    let sign = run.sign("little").unwrap();
    assert_eq!(sign.value, Some(Arg::Share(balance.off.abs())), "the sign says the same");
    // Rate times the mean of all that were answered in the end is far from it.
    let ok = &run.step_result("hold").exchanges[0].legs[0];
    let naive = ok.count as f64 / 20.0 * ok.response.as_ref().unwrap().mean / 1e3;
    assert!(naive > 1.3 * balance.counted, "{naive}");
}

#[test]
fn a_small_deficit_is_clear_in_a_long_hold() {
    // 0.8 % of 100/s stay: too little to refuse a volume, and 1440 after half an hour.
    let slow = run("{ arrivals: 100/s, hold: 1800s }", 1800, 100, queue(|_| 1.0 / 99.2));
    assert!(backlog(&slow).is_some());
    let fast = run("{ arrivals: 100/s, hold: 1800s }", 1800, 100, queue(|_| 1.0 / 100.5));
    assert!(backlog(&fast).is_none());
}

#[test]
fn noise_is_no_backlog() {
    // One server with exponential service times at 50, 80 and 90 % of what it can do, at high and low rates.
    for seed in 1..=40 {
        for (rate, seconds) in [(100, 20), (10, 60), (20, 20)] {
            for load in [0.5, 0.8, 0.9] {
                let mut numbers = Numbers(seed);
                let mut free = 0.0f64;
                let noisy = run(&format!("{{ arrivals: {rate}/s, hold: {seconds}s }}"), seconds, rate, |_, at| {
                    free = free.max(at) + numbers.exponential(load / rate as f64);
                    free - at
                });
                assert!(backlog(&noisy).is_none(), "seed {seed}, {rate}/s for {seconds} s at {load}");
            }
        }
    }
}

#[test]
fn what_fills_up_and_stays_is_no_backlog() {
    // Two hundred calls of two seconds, then ten, then longer than the hold: in flight rises from nothing each time.
    for took in [2.0, 10.0, 15.0, 30.0] {
        let filled = run("{ arrivals: 100/s, hold: 20s }", 20, 100, |_, _| took);
        assert!(backlog(&filled).is_none(), "{took}");
    }
    // A stall of five seconds that is caught up with.
    let stalled = |at: f64| if (5.0..5.01).contains(&at) { 5.0 } else { 0.004 };
    assert!(backlog(&run("{ arrivals: 100/s, hold: 20s }", 20, 100, queue(stalled))).is_none());
}

#[test]
fn a_closed_load_and_a_glimpse_have_none() {
    let closed = run("{ users: 120, hold: 20s }", 20, 120, queue(|_| 1.0 / 82.0));
    assert!(backlog(&closed).is_none());
    let short = run("{ arrivals: 120/s, hold: 12s }", 12, 120, queue(|_| 1.0 / 82.0));
    assert!(backlog(&short).is_none());
}
