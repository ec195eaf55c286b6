//! How often a history of runs on one level is said to shift, and how often one that shifts is found.

use crate::processes::Random;
use stats::change::divisive::{Demands, shifts};

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
