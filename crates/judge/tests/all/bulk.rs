//! Work in bulk, as a published report has it: a mean of 96,000 events a second beside a "steady" rate that was never
//! measured. Both are measured here, apart.
#![allow(clippy::unwrap_used, reason = "a test")]

use crate::common::{Call, EVENTS, Run, evenly};
use judge::bulk::Bulk;
use stats::reference::ParkMiller;

/// Length of the hold, seconds; whoever plans by a count does not know it.
const SECONDS: i64 = 370;
/// Events that a call carries.
const EACH: u64 = 100;

/// Four seconds of every 37 are a stall.
fn is_stalled(second: i64) -> bool {
    second % 37 >= 33
}

/// `calls(second)` calls in each second of the hold, and a watched count that is `behind` of what they carried.
fn run(count: &str, carries: &str, calls: impl Fn(i64) -> u64, behind: impl Fn(i64, f64) -> f64) -> Run {
    let mut run = Run::of(&text(count, carries));
    let hold = run.step("hold");
    let from = run.span("hold").from;
    run.span("hold").to = from + terms::Nanos::from_secs(SECONDS);
    let mut sum = 0.0;
    run.sample(0.0, EVENTS, "shop", Some(0.0));
    for second in 0..SECONDS {
        let own = calls(second);
        let made: Vec<Call> = evenly(hold, second, 1, own.max(1), |_, call| call);
        if own > 0 {
            run.add(&made);
        }
        sum += (own * EACH) as f64;
        run.sample((second + 1) as f64, EVENTS, "shop", Some((sum - behind(second, sum)).max(0.0)));
    }
    run
}

/// The study of one load that ends by a count.
fn text(count: &str, carries: &str) -> String {
    format!(
        "study: Bulk\nsystem: {{ name: shop, url: 'http://127.0.0.1:9', identity: {{ path: /version, expect: {{ name: shop }} }} }}\n\
         watch: {{ host: {{}} }}\n\
         exchanges:\n  publish:\n    simulated.call: {{ service: 1ms }}\n    carries: {{ {carries} }}\n    \
         legs: {{ durable: {{ counted_by: host.events, of: events }} }}\n\
         scenarios:\n  ingest: {{ load: {{ users: 4, {count} }}, run: [publish] }}\n"
    )
}

fn bulks(run: &Run) -> Vec<Bulk> {
    run.judge().bulks
}

#[test]
fn the_mean_and_the_rate_between_stalls_are_two_figures() {
    let mut random = ParkMiller::new(2024);
    let noise: Vec<u64> = (0..SECONDS).map(|_| (10.0 * random.uniform()) as u64).collect();
    let calls = |second: i64| if is_stalled(second) { 20 } else { 145 + noise[second as usize] };
    let mut run = run("count: 4900000 events", "events: 100", calls, |_, _| 0.0);
    let found = bulks(&run);
    let [bulk] = found.as_slice() else { panic!("{found:#?}") };
    assert_eq!((bulk.scenario.as_str(), bulk.exchange.as_str(), bulk.unit.as_str()), ("ingest", "publish", "events"));
    let total: u64 = (0..SECONDS).map(calls).sum::<u64>() * EACH;
    assert_eq!((bulk.accepted.units, bulk.accepted.seconds), (total as f64, SECONDS as f64));
    assert!((bulk.accepted.mean_per_s() - total as f64 / SECONDS as f64).abs() < 1e-9);
    let working = bulk.accepted.working.as_ref().unwrap();
    let (low, high) = working.interval;
    // 149.5 calls of 100 events between stalls, in 33 of 37 seconds.
    assert!(low <= 14_950.0 && 14_950.0 <= high && high - low < 300.0, "{working:?}");
    assert!((working.duty - 33.0 / 37.0).abs() < 0.01 && working.stalls.len() == 10, "{working:?}");
    let begin = run.span("hold").from.second();
    let planted: Vec<_> = (0..10).map(|turn| begin + 37 * turn + 33..begin + 37 * turn + 37).collect();
    let seen: Vec<_> = working.stalls.iter().map(|stall| stall.start.second()..stall.end.second()).collect();
    assert_eq!(seen, planted);
    let lost = 1.0 - total as f64 / SECONDS as f64 / working.per_s;
    assert!((working.lost - lost).abs() < 1e-3, "{working:?}");
    assert!(bulk.accepted.mean_per_s() < 0.93 * working.per_s, "the mean is lower, and stays the mean");
}

#[test]
fn a_count_that_its_bound_ended_is_short_and_was_seen_whole() {
    let rule = "requirements:\n  right: share(publish.failed) <= 1%\n";
    let judged = |bound: &str| {
        let text = text(&format!("count: 4900000 events{bound}"), "events: 100");
        let mut run = Run::of(&format!("{text}{rule}"));
        let hold = run.step("hold");
        let from = run.span("hold").from;
        run.span("hold").to = from + terms::Nanos::from_secs(60);
        run.add(&evenly(hold, 0, 60, 100, |_, call| call));
        (run.verdict("right"), run.judge().bulks[0].short())
    };
    // Bounded to the minute, the load ended as planned; without a bound, or before it, the run broke off.
    assert_eq!(judged(", at_most: 60s"), (("met", "interval_inside".into()), Some((6000, 49_000))));
    assert_eq!(judged("").0, ("cannot_tell", "cut_short".into()));
    assert_eq!(judged(", at_most: 5m").0, ("cannot_tell", "cut_short".into()));
}

#[test]
fn what_is_through_is_a_rate_of_its_own_with_what_was_left() {
    // A store that takes 60 % of what comes: the rest is left at the end.
    let run = run("count: 3700000 events", "events: 100", |_| 100, |_, sum| 0.4 * sum);
    let found = bulks(&run);
    let through = &found[0].through[0];
    assert_eq!((through.leg.as_str(), through.counted_by.as_str()), ("durable", "host.events"));
    assert!((through.carried.mean_per_s() - 6000.0).abs() < 1.0, "{through:#?}");
    assert!((found[0].accepted.mean_per_s() - 10_000.0).abs() < 1e-6);
    assert!((through.left.unwrap() - 0.4 * 10_000.0 * SECONDS as f64).abs() < 15_000.0, "{through:#?}");
    assert_eq!(through.drained_s, None, "nobody saw it");
}

#[test]
fn a_flat_rate_has_no_stalls_and_a_load_of_a_planned_length_is_not_in_bulk() {
    let flat = run("count: 3700000 events", "events: 100", |_| 100, |_, _| 0.0);
    let working = bulks(&flat)[0].accepted.working.clone().unwrap();
    assert_eq!((working.stalls, working.lost, working.duty), (Vec::new(), 0.0, 1.0));
    assert_eq!(bulks(&flat)[0].through[0].left, Some(0.0));
    let timed = run("hold: 370s", "events: 100", |_| 100, |_, _| 0.0);
    assert!(bulks(&timed).is_empty());
}
