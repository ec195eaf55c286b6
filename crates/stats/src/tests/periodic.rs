//! `periodic`: the stalls of the analysis page (2.4), what must not be called a period, and properties.

use super::{close, prints};
use crate::periodic::{autocorrelations, co_occurrence, fold, period};
use crate::reference::ParkMiller;
use proptest::prelude::*;
use proptest::test_runner::{Config, RngSeed};

/// 150 000 a second, 40 000 for four of every 37 seconds, noise `10 000·(u - 1/2)`, seed 2024, 1200 seconds.
fn stalls() -> Vec<f64> {
    let mut random = ParkMiller::new(2024);
    let level = |second: usize| if second % 37 < 4 { 40_000.0 } else { 150_000.0 };
    (0..1200).map(|second| level(second) + 10_000.0 * (random.uniform() - 0.5)).collect()
}

#[test]
fn stalls_every_37_seconds_are_found_and_folded() {
    let values = stalls();
    let correlations = autocorrelations(&values, 80).unwrap();
    for (lag, printed) in [(37, 0.961_738), (36, 0.690_539), (38, 0.690_879), (74, 0.931_782)] {
        prints(correlations[lag], printed, 6);
    }
    let found = period(&values).unwrap().unwrap();
    assert_eq!(found.lag, 37);
    close(found.length, 37.0, 1e-9);
    prints(found.noise_bound, 0.0566, 4);
    assert!(found.agreement > 0.99);
    let fold = fold(&values, found.length).unwrap();
    prints(fold.duty, 0.108, 3);
    prints(fold.mean, 137_845.367, 3);
    close(fold.usual, 150_000.0, 1e-3);
    close(fold.episode, 40_000.0, 5e-3);
    close(fold.depth(), -110.0 / 150.0, 2e-3);
    close(fold.lost(), 1.0 - 137_845.367 / 150_000.0, 1e-2);
    assert!(fold.explained > 0.98, "{}", fold.explained);
    let planted: Vec<_> = (0..1200).step_by(37).map(|begin| begin..begin + 4).collect();
    assert_eq!(fold.episodes, planted);
}

#[test]
fn a_period_between_two_seconds_is_followed_to_its_multiples() {
    let mut random = ParkMiller::new(11);
    let values: Vec<f64> = (0..900)
        .map(|second| if f64::from(second) % 20.4 < 3.0 { 10.0 } else { 2.0 } + random.uniform() - 0.5)
        .collect();
    let found = period(&values).unwrap().unwrap();
    close(found.length, 20.4, 2e-3);
    // Episodes up are episodes too: times, of which the usual level is the lower.
    let fold = fold(&values, found.length).unwrap();
    assert!(fold.episode > fold.usual && (0.1..0.2).contains(&fold.duty), "{fold:?}");
}

#[test]
fn noise_wandering_steps_and_trends_have_no_period() {
    let mut random = ParkMiller::new(5);
    let noise: Vec<f64> = (0..600).map(|_| random.uniform()).collect();
    let step: Vec<f64> = (0..600).map(|place| if place < 200 { 1.0 } else { 5.0 } + random.uniform()).collect();
    let trend: Vec<f64> = (0..600).map(|place| f64::from(place) / 50.0 + random.uniform()).collect();
    let once: Vec<f64> =
        (0..600).map(|place| if (300..310).contains(&place) { 9.0 } else { 1.0 } + random.uniform()).collect();
    for (name, values) in [("noise", noise), ("step", step), ("trend", trend), ("once", once), ("equal", vec![3.0; 60])]
    {
        assert_eq!(period(&values).unwrap(), None, "{name}");
    }
}

/// Share of wandering series (AR(1) of correlation `phi`) in which a period is claimed.
fn false_alarms(phi: f64, length: usize, replications: usize) -> f64 {
    let mut random = ParkMiller::new(41);
    let claimed = (0..replications).filter(|_| {
        let mut v = 0.0;
        let values: Vec<f64> = (0..length)
            .map(|_| {
                v = phi * v + random.uniform() - 0.5;
                v
            })
            .collect();
        period(&values).unwrap().is_some()
    });
    claimed.count() as f64 / replications as f64
}

#[test]
#[ignore = "opt-in: thousands of simulated series; the numbers of the page on periods"]
fn wandering_series_seldom_have_a_period() {
    for phi in [0.0, 0.5, 0.8, 0.9, 0.98] {
        for length in [120, 300, 600, 1200] {
            let share = false_alarms(phi, length, 400);
            println!("φ {phi}, {length} values: {:.2} %", 100.0 * share);
            assert!(share <= 0.1, "φ {phi}, {length} values: {share}");
        }
    }
}

#[test]
fn events_at_the_stalls_are_told_from_events_elsewhere() {
    let episodes: Vec<usize> = (0..1200).step_by(37).collect();
    let with = co_occurrence(&episodes, &episodes.iter().map(|at| at + 1).collect::<Vec<_>>(), 1200, 1).unwrap();
    assert_eq!((with.share, with.episodes), (1.0, 33));
    // Of one rhythm: three of 37 shifts put every episode near an event but for the last stretch, where the circle
    // closes; only the unshifted ones reach all of them.
    assert!(with.p <= 3.0 / 1200.0 + 1e-12, "{}", with.p);
    let elsewhere = co_occurrence(&episodes, &[500, 900], 1200, 1).unwrap();
    assert!(elsewhere.share < 0.1 && elsewhere.p > 0.05, "{elsewhere:?}");
    assert!(co_occurrence(&[], &[1], 10, 1).is_err());
    assert!(co_occurrence(&[1], &[1], 0, 1).is_err());
    assert_eq!(co_occurrence(&[3], &[], 10, 1).unwrap().p, 1.0);
    assert_eq!(co_occurrence(&[3], &[3], 3, 90).unwrap_err(), crate::StatsError::TooFew { have: 0, need: 1 });
    assert_eq!(co_occurrence(&[1], &[2], 3, 90).unwrap().share, 1.0);
}

#[test]
fn edges_of_periods() {
    assert!(period(&[1.0; 11]).is_err());
    assert!(period(&[f64::INFINITY; 30]).is_err());
    assert!(fold(&[1.0, 2.0, 1.0, 2.0], 1.0).is_err());
    assert!(fold(&[1.0, 2.0, 1.0], 2.0).is_err());
    let flat = fold(&[1.0; 8], 2.0).unwrap();
    assert_eq!((flat.usual, flat.episode, flat.explained), (1.0, 1.0, 0.0));
    let alternating: Vec<f64> = (0..60).map(|place| f64::from(place % 2)).collect();
    assert_eq!(period(&alternating).unwrap().map(|found| found.lag), Some(2));
}

fn config() -> Config {
    let seed = std::env::var("LOADPROOF_SEED").ok().and_then(|text| text.parse().ok()).unwrap_or(20_260_325);
    println!("LOADPROOF_SEED={seed}");
    Config { rng_seed: RngSeed::Fixed(seed), failure_persistence: None, cases: 60, ..Config::default() }
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn a_planted_period_is_found_in_any_unit(
        length in 5usize..60,
        duty in 1usize..4,
        depth in 2.0..50.0f64,
        shift in -1e4..1e4f64,
        factor in prop_oneof![1e-2..1e2f64, -1e2..-1e-2f64],
        seed in 1u64..1000,
    ) {
        let mut random = ParkMiller::new(seed);
        let values: Vec<f64> = (0..8 * length)
            .map(|place| shift + factor * (if place % length < duty { depth } else { 0.0 } + random.uniform() - 0.5))
            .collect();
        let found = period(&values).unwrap().expect("planted");
        prop_assert_eq!(found.lag, length);
        let fold = fold(&values, found.length).unwrap();
        if 2 * duty < length {
            close(fold.duty, duty as f64 / length as f64, 1e-9);
            prop_assert!(((fold.episode - fold.usual) / factor - depth).abs() < 1.0, "{:?}", fold);
        }
    }

    #[test]
    fn correlations_lie_within_one_and_begin_with_one(values in proptest::collection::vec(-1e6..1e6f64, 20..200)) {
        let found = autocorrelations(&values, 10).unwrap();
        prop_assert_eq!(found[0], 1.0);
        prop_assert!(found.iter().all(|correlation| correlation.abs() <= 1.0 + 1e-12));
        for (lag, correlation) in found.iter().enumerate() {
            prop_assert!((correlation - crate::batches::autocorrelation(&values, lag).unwrap()).abs() < 1e-9);
        }
    }

    #[test]
    fn a_chance_is_a_share_of_the_shifts(
        episodes in proptest::collection::vec(0usize..200, 1..20),
        events in proptest::collection::vec(0usize..200, 0..20),
        reach in 0usize..5,
    ) {
        let found = co_occurrence(&episodes, &events, 200, reach).unwrap();
        prop_assert!((0.0..=1.0).contains(&found.share) && (1.0 / 200.0..=1.0).contains(&found.p));
    }
}
