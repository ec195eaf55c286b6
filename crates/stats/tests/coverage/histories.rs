//! How often a history of runs on one level is said to shift, and how often one that shifts is found.

use crate::processes::Random;
use stats::change::divisive::{Demands, chance, shifts};

/// One value a run, around 1: off by `noise`, each with this correlation to the one before.
fn history(runs: usize, noise: f64, memory: f64, random: &mut Random) -> Vec<f64> {
    let mut state = random.normal();
    let next = |_| {
        state = memory * state + (1.0 - memory * memory).sqrt() * random.normal();
        1.0 + noise * state
    };
    (0..runs).map(next).collect()
}

/// Share of histories in which a shift is found, after `change` by its part of the history.
fn found(runs: usize, (noise, memory): (f64, f64), many: usize, change: impl Fn(f64) -> f64) -> f64 {
    let mut random = Random::new(43);
    let one = |_: &usize| {
        let mut values = history(runs, noise, memory, &mut random);
        values.iter_mut().enumerate().for_each(|(at, value)| *value *= change((at as f64 + 0.5) / runs as f64));
        !shifts(&values, Demands::default()).expect("finite values").is_empty()
    };
    100.0 * (0..many).filter(one).count() as f64 / many as f64
}

#[test]
#[ignore = "prints the figures of docs/methods/change-points.md, and takes minutes"]
fn figures_of_the_page() {
    for memory in [0.0, 0.3, 0.5, 0.8] {
        for runs in [8, 12, 20, 50] {
            let wrong: Vec<f64> = [0.05, 0.2].iter().map(|noise| found(runs, (*noise, memory), 400, |_| 1.0)).collect();
            let half = |part: f64| if part < 0.5 { 1.0 } else { 1.2 };
            let late = |part: f64| if part < 0.75 { 1.0 } else { 1.2 };
            let pulse = |part: f64| if (0.4..0.7).contains(&part) { 1.2 } else { 1.0 };
            let right = [
                found(runs, (0.05, memory), 100, half),
                found(runs, (0.05, memory), 100, late),
                found(runs, (0.05, memory), 100, pulse),
            ];
            println!("{memory} {runs} runs: wrong {wrong:.1?}; half, late, pulse of four deviations {right:.0?}");
        }
    }
}

#[test]
fn runs_that_resemble_each_other_seldom_seem_to_shift() {
    for memory in [0.0, 0.5] {
        let wrong = found(30, (0.1, memory), 100, |_| 1.0);
        // 5 % at most; 12 of a hundred would be seen in one of two hundred tries.
        assert!(wrong < 12.0, "{memory}: {wrong}");
    }
    let right = found(30, (0.05, 0.0), 50, |part| if part < 0.5 { 1.0 } else { 1.2 });
    assert!(right > 90.0, "{right}");
}

/// Values after the base from which on a gate says anything, and up to which it is asked here.
const LOOKS: std::ops::RangeInclusive<usize> = 3..=10;
/// As the judge demands of all histories of a comparison together.
const ALARM: f64 = 0.03;

/// Whether `loadproof history --since` fails: a level shift upwards whose first run is one after the base, and that has not
/// been undone. One requirement, `<=`.
fn is_worse_since(values: &[f64], base: usize) -> bool {
    if chance(values, ALARM, 1).expect("finite values") > ALARM {
        return false;
    }
    let found = shifts(values, Demands::default()).expect("finite values");
    let level = found.last().map_or(0.0, |shift| shift.after);
    let is_off = |before: f64| level > before && (level - before) >= 0.05 * before;
    found.iter().any(|shift| shift.at >= base && shift.after > shift.before && is_off(shift.before))
}

/// How many runs after the base a gate fails that is asked after each run; `None` where it never does. From the base on,
/// values are `change` times as great.
fn fails_after(base: usize, (noise, memory): (f64, f64), change: f64, random: &mut Random) -> Option<usize> {
    let mut values = history(base + *LOOKS.end(), noise, memory, random);
    values.iter_mut().skip(base).for_each(|value| *value *= change);
    LOOKS.into_iter().find(|after| is_worse_since(&values[..base + after], base))
}

/// Per cent of gates that fail at the last look alone.
fn fails_at_last(base: usize, (noise, memory): (f64, f64), many: usize, random: &mut Random) -> f64 {
    let length = base + *LOOKS.end();
    let fails = (0..many).filter(|_| is_worse_since(&history(length, noise, memory, random), base)).count();
    100.0 * fails as f64 / many as f64
}

#[test]
#[ignore = "prints the figures of the gate of docs/methods/change-points.md, and takes many minutes"]
fn figures_of_the_gate() {
    let many = |name: &str, usual: usize| std::env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(usual);
    let (wrong, right) = (many("WRONG", 400), many("RIGHT", 100));
    for memory in [0.0, 0.5, 0.8] {
        for base in [20, 40, 80] {
            let mut random = Random::new(47);
            let last = fails_at_last(base, (0.03, memory), wrong, &mut random);
            let any = (0..wrong).filter(|_| fails_after(base, (0.03, memory), 1.0, &mut random).is_some()).count();
            print!("{memory} {base}: wrong {last:.1} at the tenth, {:.1} at any;", 100.0 * any as f64 / wrong as f64);
            for change in [1.05, 1.1, 1.2] {
                let mut after: Vec<usize> =
                    (0..right).filter_map(|_| fails_after(base, (0.03, memory), change, &mut random)).collect();
                after.sort_unstable();
                let by = |most: usize| 100 * after.partition_point(|after| *after <= most) / right;
                let median = after.get(after.len() / 2).copied().unwrap_or(0);
                print!(" {change}: {} {} {} ({median})", by(3), by(5), by(10));
            }
            println!();
        }
    }
}

#[test]
fn a_gate_seldom_fails_without_a_reason_and_finds_a_rise() {
    let mut random = Random::new(53);
    let wrong = (0..60).filter(|_| fails_after(20, (0.03, 0.0), 1.0, &mut random).is_some()).count();
    // 3 % a look and less for all; seven of sixty would be seen in one of two hundred tries.
    assert!(wrong < 7, "{wrong}");
    let right = (0..30).filter(|_| fails_after(20, (0.03, 0.0), 1.2, &mut random).is_some()).count();
    assert!(right >= 27, "{right}");
}
