//! Shares that are looked at every second: known answers, and how often they are wrong.

use crate::looks::{WRONG_AN_HOUR, is_above};
use proptest::prelude::*;
use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::{Rng, SeedableRng};
use std::collections::VecDeque;

#[test]
fn the_tails_are_those_of_the_binomial_distribution() {
    // P(10 of 10 at 20 %) = 0.2^10 = 1.0e-7, below 0.05/7200 = 6.9e-6; P(at least 9) = 4.2e-6; P(at least 8) = 7.8e-5.
    assert_eq!(is_above([(10, 10)], 0.2), Some(true));
    assert_eq!(is_above([(9, 10)], 0.2), Some(true));
    assert_eq!(is_above([(8, 10)], 0.2), None);
    // 0.8^53 = 7.3e-6 and 0.8^54 = 5.9e-6.
    assert_eq!(is_above([(0, 53)], 0.2), None);
    assert_eq!(is_above([(0, 54)], 0.2), Some(false));
}

#[test]
fn few_calls_in_a_window_answer_together() {
    // 0.5^17 = 7.6e-6 is above 0.05/7200; 0.5^18 = 3.8e-6 is above a quarter as well, so eight windows of three decide:
    // 0.5^24 = 6.0e-8, below a sixteenth.
    assert_eq!(is_above([(3, 3); 4], 0.5), None);
    assert_eq!(is_above([(3, 3); 7], 0.5), None);
    assert_eq!(is_above([(3, 3); 8], 0.5), Some(true));
    // The newest must lie there itself.
    let recovered = std::iter::once((1, 3)).chain([(3, 3); 40]);
    assert_ne!(is_above(recovered, 0.5), Some(true));
}

#[test]
fn nothing_is_told_from_nothing() {
    for (windows, limit) in [
        (vec![], 0.5),
        (vec![(0, 0), (50, 50)], 0.5),
        (vec![(3, 2)], 0.5),
        (vec![(50, 50)], 0.0),
        (vec![(0, 50)], 1.0),
        (vec![(50, 50)], f64::NAN),
        (vec![(25, 50)], 0.5),
    ] {
        assert_eq!(is_above(windows.clone(), limit), None, "{windows:?} {limit}");
    }
}

/// Seconds of looks until it is told that a share is above the limit, of an hour; `chance` by second.
fn alarm(
    random: &mut Xoshiro256PlusPlus,
    (calls, window, limit): (u64, usize, f64),
    mut chance: impl FnMut(&mut Xoshiro256PlusPlus) -> f64,
) -> Option<usize> {
    let mut seconds: VecDeque<(u64, u64)> = VecDeque::new();
    for second in 1..=3600 {
        let chance = chance(random);
        let hit = |random: &mut Xoshiro256PlusPlus| ((random.next_u64() >> 11) as f64) < chance * (1u64 << 53) as f64;
        let hits = (0..calls).filter(|_| hit(random)).count() as u64;
        seconds.push_front((hits, calls));
        let whole: Vec<(u64, u64)> = seconds.iter().copied().collect();
        let windows = whole.chunks_exact(window);
        let sums = windows.map(|window| window.iter().fold((0, 0), |sum, one| (sum.0 + one.0, sum.1 + one.1)));
        if is_above(sums, limit) == Some(true) {
            return Some(second);
        }
    }
    None
}

#[test]
fn an_hour_at_the_limit_is_seldom_called_above_it() {
    let mut random = Xoshiro256PlusPlus::seed_from_u64(7);
    let runs = 60;
    for (calls, window, limit) in [(10, 10, 0.2), (100, 5, 0.05), (3, 1, 0.5)] {
        let alarms = (0..runs).filter(|_| alarm(&mut random, (calls, window, limit), |_| limit).is_some()).count();
        // 0.05 of 60 are 3; 9 or more have a chance below 0.2 %.
        assert!(alarms <= 8, "{calls}/s over {window} s at {limit}: {alarms} of {runs}, stated {WRONG_AN_HOUR}");
    }
}

#[test]
fn twice_the_limit_is_told_soon() {
    let mut random = Xoshiro256PlusPlus::seed_from_u64(8);
    for (calls, window, limit) in [(100, 10, 0.2), (100, 5, 0.05), (10, 10, 0.2)] {
        let told = |_| alarm(&mut random, (calls, window, limit), |_| 2.0 * limit).unwrap_or(9999);
        let mut after: Vec<usize> = (0..40).map(told).collect();
        after.sort_unstable();
        assert!(after[36] <= 8 * window, "{calls}/s over {window} s: {after:?}");
    }
}

proptest! {
    #[test]
    fn more_hits_are_never_less_above(
        windows in prop::collection::vec((0u64..50, 0u64..50), 1..20), limit in 0.01f64..0.99
    ) {
        let windows: Vec<(u64, u64)> = windows.into_iter().map(|(hits, more)| (hits, hits + more)).collect();
        let more: Vec<(u64, u64)> = windows.iter().map(|(hits, calls)| ((hits + 1).min(*calls), *calls)).collect();
        if is_above(windows, limit) == Some(true) {
            prop_assert_eq!(is_above(more, limit), Some(true));
        }
    }

    #[test]
    fn hits_and_misses_are_mirrored(hits in 0u64..200, misses in 0u64..200, eighths in 1u8..8) {
        let limit = f64::from(eighths) / 8.0;
        let turned = is_above([(misses, hits + misses)], 1.0 - limit);
        prop_assert_eq!(is_above([(hits, hits + misses)], limit), turned.map(|above| !above));
    }
}

/// A chance that wanders about its mean with a memory of about twenty seconds: AR(1) by second, 0.95, on the logarithm.
fn wandering(mean: f64, spread: f64) -> impl FnMut(&mut Xoshiro256PlusPlus) -> f64 {
    let mut state = 0.0f64;
    move |random| {
        let uniform = |random: &mut Xoshiro256PlusPlus| (random.next_u64() >> 11) as f64 / (1u64 << 53) as f64;
        // The sum of twelve uniform numbers is nearly normal.
        let normal = (0..12).map(|_| uniform(random)).sum::<f64>() - 6.0;
        state = 0.95 * state + (1.0f64 - 0.95 * 0.95).sqrt() * spread * normal;
        (mean * (state - 0.5 * spread * spread).exp()).min(1.0)
    }
}

#[test]
#[ignore = "prints the figures of docs/methods/looks.md, and takes minutes"]
fn figures_of_the_page() {
    let mut random = Xoshiro256PlusPlus::seed_from_u64(11);
    let runs = 400;
    for setting @ (calls, window, limit) in [(100, 10, 0.2), (100, 5, 0.01), (10, 10, 0.2), (1, 10, 0.5)] {
        let wrong = (0..runs).filter(|_| alarm(&mut random, setting, |_| limit).is_some()).count();
        let memory = (0..runs).filter(|_| alarm(&mut random, setting, wandering(limit, 0.3)).is_some()).count();
        let mut middle = |factor: f64| {
            let told = |_| alarm(&mut random, setting, |_| (factor * limit).min(1.0)).unwrap_or(9999);
            let mut after: Vec<usize> = (0..100).map(told).collect();
            after.sort_unstable();
            (after[50], after[90])
        };
        println!(
            "{calls}/s over {window} s at {limit}: {wrong} and with memory {memory} of {runs}; 1.5 times: {:?}, twice: {:?}",
            middle(1.5),
            middle(2.0)
        );
    }
}
