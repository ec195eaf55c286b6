//! How often what is said to settle an open question settles it.

use crate::processes::Random;
use stats::compare::{Comparison, Pilot, judge_ratio, ratio_of_runs, runs_needed};
use stats::share::{ShareVerdict, judge_at_most};

/// Of the runs that leave a share open with a number of calls that would settle it: how many such numbers there are, how
/// often that many settle it, and the middle number.
fn of_shares(limit: f64, truth: f64, calls: u64, times: usize, random: &mut Random) -> (usize, f64, u64) {
    let mut hits = |calls: u64| (0..calls).filter(|_| random.uniform() < truth).count() as u64;
    let (mut settled, mut numbers) = (0, Vec::new());
    for _ in 0..times {
        let seen = hits(calls);
        let Some(more) = judge_at_most(seen, calls, limit, 0.05, 1.0).needed else { continue };
        // What takes too long to draw is settled as surely.
        let more = more.min(400_000);
        numbers.push(more);
        let verdict = judge_at_most(seen + hits(more), calls + more, limit, 0.05, 1.0).verdict;
        settled += usize::from(verdict != ShareVerdict::Inconclusive);
    }
    numbers.sort_unstable();
    (
        numbers.len(),
        100.0 * settled as f64 / numbers.len().max(1) as f64,
        numbers.get(numbers.len() / 2).copied().unwrap_or(0),
    )
}

/// The same for comparisons of runs.
fn of_runs(ratio: f64, runs: usize, times: usize, random: &mut Random) -> (usize, f64, u64) {
    const DEVIATION: f64 = 0.03;
    let mut side = |runs: usize, level: f64| -> Vec<f64> {
        (0..runs).map(|_| level * (DEVIATION * random.normal()).exp()).collect()
    };
    let (mut settled, mut numbers) = (0, Vec::new());
    for _ in 0..times {
        let mut judged = |runs: usize| {
            let (base, other) = (side(runs, 1.0), side(runs, ratio));
            let interval = |confidence: f64| ratio_of_runs(&base, &other, confidence).expect("values above 0");
            let (wide, narrow) = (interval(0.95), interval(0.9));
            let deviation = |side: &[f64]| {
                let logs: Vec<f64> = side.iter().map(|value| value.ln()).collect();
                stats::moments::variance(&logs).expect("two runs")
            };
            let deviation = ((deviation(&base) + deviation(&other)) / 2.0).sqrt();
            let pilot = Pilot { ratio: wide.value, deviation, freedom: 2.0 * runs as f64 - 2.0, runs: (runs, runs) };
            (judge_ratio((wide.low, wide.high), (narrow.low, narrow.high), 0.05), pilot)
        };
        let (verdict, pilot) = judged(runs);
        if verdict != Comparison::Inconclusive {
            continue;
        }
        let Some(needed) = runs_needed(&pilot, 0.05, 0.95) else { continue };
        numbers.push(needed);
        settled += usize::from(judged(needed as usize).0 != Comparison::Inconclusive);
    }
    numbers.sort_unstable();
    (
        numbers.len(),
        100.0 * settled as f64 / numbers.len().max(1) as f64,
        numbers.get(numbers.len() / 2).copied().unwrap_or(0),
    )
}

#[test]
#[ignore = "prints the figures of docs/methods/shares.md and comparisons.md, and takes minutes"]
fn figures_of_the_pages() {
    let mut random = Random::new(53);
    for (limit, truth, calls) in [
        (0.05, 0.02, 100),
        (0.05, 0.03, 100),
        (0.05, 0.04, 500),
        (0.01, 0.005, 1_000),
        (0.01, 0.014, 1_000),
        (0.01, 0.02, 300),
    ] {
        println!("{limit} {truth} {calls}: {:?}", of_shares(limit, truth, calls, 400, &mut random));
    }
    for (ratio, runs) in [(1.0, 3), (1.0, 5), (1.02, 5), (1.08, 5), (1.1, 3), (1.1, 5), (1.15, 2)] {
        println!("{ratio} {runs}: {:?}", of_runs(ratio, runs, 400, &mut random));
    }
}

#[test]
fn what_would_settle_it_settles_it() {
    let mut random = Random::new(59);
    let (asked, settled, _) = of_shares(0.05, 0.03, 100, 60, &mut random);
    assert!(asked > 20 && settled > 65.0, "{asked} {settled}");
    let (asked, settled, _) = of_runs(1.1, 3, 80, &mut random);
    assert!(asked > 20 && settled > 65.0, "{asked} {settled}");
}
