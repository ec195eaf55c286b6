//! Searches over work that a watched count closes: a fluid queue takes whatever comes, and gets through 100 items a second.
//! What each attempt with its holds and its drain must come to follows from arithmetic.
#![allow(clippy::unwrap_used, reason = "a test")]

use crate::common::{EVENTS, Run, evenly};
use judge::Arg;
use judge::capacity::VolumeResult;
use judge::searches::{AttemptResult, Outcome};
use terms::Verdict;

/// Items a second that get through.
const SERVED: f64 = 100.0;
/// Items of a call.
const EACH: f64 = 10.0;
/// Length of each hold, seconds.
const HOLD: i64 = 30;

/// Attempts at so many calls a second, each with two holds: half of the rate, then all of it. Before it the system idles,
/// after it there is a recovery of this many seconds at most.
fn attempts(rates: &[u32], recovery: u32, by: &str) -> Run {
    let attempt = |(number, rate): (usize, &u32)| {
        let half = f64::from(*rate) / 2.0;
        format!(
            "  peak_{n}: {{ set: {{ rate: {rate}/s }}, point: {{ of: peak, number: {n}, \
             search: {{ vary: rate, from: 4/s, to: 64/s, passes: 1 of 1, accept: [soon]{by} }} }}, idle: 10s, \
             load: {{ arrivals: [ {{ rate: {half}/s, for: {HOLD}s }}, {{ rate: {rate}/s, for: {HOLD}s }} ] }}, run: [x], \
             recovery: {recovery}s }}\n",
            n = number + 1,
        )
    };
    let scenarios: String = rates.iter().enumerate().map(attempt).collect();
    Run::of(&format!(
        "study: Counted\nsystem: {{ name: shop, url: 'http://127.0.0.1:9', identity: {{ path: /version, expect: {{ name: shop }} }} }}\n\
         vars: {{ rate: 4/s }}\nwatch: {{ host: {{}} }}\n\
         exchanges:\n  x: {{ simulated.call: {{}}, carries: {{ items: 10 }}, legs: {{ packed: {{ counted_by: host.events, of: items }} }} }}\n\
         scenarios:\n{scenarios}\
         requirements:\n  soon: drain_time(x.packed) <= 10s\n  whole: count(x.items) = count(x.packed)\n  left: max(x.packed.backlog) <= 100000\n\
         capacity: {{ healthiest: {{ needs: [left] }}, volumes: {{ day: {{ of: rate(x.items), from: healthiest, hours: 24, days: 1 }} }} }}\n"
    ))
}

/// All calls of the plan, and a look a second at what the fluid queue has got through; `lost` items of the first attempt
/// never are.
fn recorded(rates: &[u32], recovery: u32, by: &str, lost: f64) -> Run {
    let mut run = attempts(rates, recovery, by);
    let holds: Vec<_> = run.evidence.steps.iter().filter(|step| step.phase == terms::Phase::Hold).cloned().collect();
    assert_eq!(holds.len(), 2 * rates.len());
    let mut arrivals = vec![0.0; usize::try_from(run.evidence.end.second()).unwrap() + 1];
    for (number, hold) in holds.iter().enumerate() {
        // Whole calls: a half of a call a second is one every other.
        let calls = f64::from(rates[number / 2]) * HOLD as f64 * if number % 2 == 0 { 0.5 } else { 1.0 };
        let each = calls / HOLD as f64;
        assert!(each.fract() == 0.0, "{each}");
        run.add(&evenly(hold.number, hold.from.second(), HOLD, each as u64, |_, call| call));
        for second in hold.from.second()..hold.from.second() + HOLD {
            arrivals[usize::try_from(second).unwrap()] = EACH * each;
        }
    }
    let (mut backlog, mut through) = (0.0f64, 0.0);
    run.sample(0.0, EVENTS, "shop", Some(0.0));
    let first_end = holds[1].to.second();
    for (second, items) in arrivals.iter().enumerate() {
        let done = SERVED.min(backlog + items);
        backlog += items - done;
        through += done;
        let gone = if second as i64 + 1 >= first_end { lost } else { 0.0 };
        run.sample(second as f64 + 1.0, EVENTS, "shop", Some((through - gone).max(0.0)));
    }
    run
}

fn attempt(run: &Run, number: usize) -> AttemptResult {
    run.judge().searches.remove(0).attempts.remove(number - 1)
}

fn volume(run: &Run) -> VolumeResult {
    run.judge().capacity.volumes.remove(0)
}

/// 14 calls carry 140 items a second for 30 s: 1200 are left, and through 12 s later.
#[test]
fn the_drain_of_an_attempt_is_part_of_it_and_no_other_one_s() {
    let run = recorded(&[16, 8, 14], 60, "", 0.0);
    let told: Vec<(Outcome, String)> =
        run.judge().searches[0].attempts.iter().map(|it| (it.outcome, it.reason.code.clone())).collect();
    let failed = (Outcome::Failed, "not_met".to_owned());
    assert_eq!(told, [failed.clone(), (Outcome::Passed, "met".to_owned()), failed]);
    let drains: Vec<f64> = run.results("soon").iter().map(|result| result.value.unwrap() / 1e3).collect();
    // (160 − 100) · 30 / 100 = 18 s, nothing, 12 s.
    assert!(drains.iter().zip([18.0, 0.0, 12.0]).all(|(drain, truth)| (drain - truth).abs() <= 1.0), "{drains:?}");
    for (result, items) in run.results("whole").iter().zip([7200.0, 3600.0, 6300.0]) {
        assert_eq!((result.verdict, result.value), (Verdict::Met, Some(items)), "{result:#?}");
    }
    // The last look within the second hold may be one second before its end.
    let most: Vec<f64> = run.results("left").iter().map(|result| result.value.unwrap()).collect();
    assert!(most.iter().zip([1800.0, 0.0, 1200.0]).all(|(most, truth)| (most - truth).abs() <= 61.0), "{most:?}");
}

/// Of two holds the first keeps up: what the second left is not a drain of the first.
#[test]
fn a_hold_that_kept_up_is_not_refused_for_what_a_later_one_left() {
    // Nothing but the counted leg speaks against the second hold, so the healthiest is that of 160 items a second.
    let run = recorded(&[16], 60, "", 0.0);
    let second = volume(&run);
    let refused = second.refused.unwrap();
    assert_eq!(refused.code, "drained_late", "{refused:#?}");
    // What is sustained is what is served.
    let Arg::PerSecond(rate) = refused.args["rate"] else { panic!("{refused:#?}") };
    assert!((rate - SERVED).abs() < 3.0, "{refused:#?}");
    // The first hold alone: 80 a second, all through at once.
    let mut run = run;
    let drops: Vec<u32> =
        run.evidence.steps.iter().filter(|step| step.id == "hold 2").map(|step| step.number).collect();
    for row in run.rows.iterations.iter_mut().filter(|row| drops.contains(&row.step)) {
        // All of its iterations failed, so that the first hold is the healthiest.
        row.books.failed = row.books.completed;
        row.books.completed = 0;
    }
    let first = volume(&run);
    assert_eq!(first.refused, None, "{first:#?}");
    assert!((first.rate_per_s.unwrap() - 80.0).abs() < 0.5, "{first:#?}");
}

/// What an attempt finds on its way of the one before it is through within it: its counts are not its own.
#[test]
fn an_attempt_that_begins_on_work_of_the_one_before_it_says_nothing() {
    // 300, then 600 items a second for 30 s each: of 27,000 there are 21,000 left at its end, and 100 a second are served.
    let run = recorded(&[60, 8, 8], 5, "", 0.0);
    assert_eq!(attempt(&run, 1).outcome, Outcome::Failed);
    let second = attempt(&run, 2);
    assert_eq!((second.outcome, second.reason.code.as_str()), (Outcome::Void, "unrested"), "{second:#?}");
    assert_eq!(second.reason.args["leg"], Arg::Text("x.packed".into()));
    let Arg::Count(left) = second.reason.args["left"] else { panic!("{second:#?}") };
    let holds: Vec<_> = run.evidence.steps.iter().filter(|step| step.phase == terms::Phase::Hold).collect();
    let between = (holds[2].from - holds[1].to).as_secs_f64();
    assert!((left - (21_000.0 - SERVED * between)).abs() <= 2.0 * SERVED && left > 0.0, "{left} after {between} s");
}

/// Items that never get through are those of the attempt that lost them.
#[test]
fn what_one_attempt_lost_is_not_held_against_the_next() {
    let run = recorded(&[8, 8], 60, "", 50.0);
    let whole = run.results("whole");
    assert_eq!((whole[0].verdict, whole[1].verdict), (Verdict::NotMet, Verdict::Met), "{whole:#?}");
    let told = |number| (attempt(&run, number).outcome, attempt(&run, number).reason.code);
    assert_eq!(told(2), (Outcome::Passed, "met".to_owned()));
    let best = volume(&run);
    // Of equal ones the first is taken: it never drained.
    assert_eq!(best.refused.map(|refused| refused.code).as_deref(), Some("still_busy"));
    let run = recorded(&[4, 8], 60, "", 50.0);
    assert_eq!(volume(&run).refused, None, "the second drained, but for what was lost before it");
}

/// A search may go by what is through: however much is accepted, the rate does not grow beyond what is served.
#[test]
fn a_rate_of_what_is_through_stops_at_what_is_served() {
    let run = recorded(&[8, 16, 32], 200, ", by: rate(host.events)", 0.0);
    let rates: Vec<f64> = (1..=3).map(|number| attempt(&run, number).by_per_s.unwrap()).collect();
    // Halves of 40, 80 and 160, which is more than is served; then 80, and what is served.
    for (rate, truth) in rates.iter().zip([60.0, 90.0, 100.0]) {
        assert!((rate - truth).abs() < 3.0, "{rates:?}");
    }
}
