//! Properties over random inputs. A failure prints its seed and the smallest input found; `LOADPROOF_SEED=<seed>`
//! repeats it.

use super::{close, sorted};
use crate::batches::design_effect_of_share;
use crate::quantile::{QuantileType, by_type, estimate, ranks_with_design_effect};
use crate::reference::hdr_bucket;
use crate::share::{Counted, ShareVerdict, clopper_pearson_one_sided, interval, judge_at_most, newcombe};
use proptest::prelude::*;
use proptest::test_runner::{Config, RngSeed};
use terms::{Buckets, Histogram, Nanos};

pub(super) fn config() -> Config {
    let seed = std::env::var("LOADPROOF_SEED").ok().and_then(|text| text.parse().ok()).unwrap_or(20_260_321);
    // Captured, and so shown only when the test fails.
    println!("LOADPROOF_SEED={seed}");
    Config { rng_seed: RngSeed::Fixed(seed), failure_persistence: None, cases: 200, ..Config::default() }
}

/// A count out of a total, both sides of every size of run.
fn counts() -> impl Strategy<Value = (u64, u64)> {
    (1u64..2_000_000).prop_flat_map(|n| (0..=n, Just(n)))
}

fn values() -> impl Strategy<Value = Vec<f64>> {
    proptest::collection::vec(prop_oneof![0.0..1e6, Just(0.0), Just(250.0)], 1..300).prop_map(sorted)
}

fn histogram_of(times: &[i64]) -> Histogram {
    let mut histogram = Histogram::new();
    for &time in times {
        histogram.record(Nanos(time));
    }
    histogram
}

proptest! {
    #![proptest_config(config())]

    /// Bounds rise, no interval becomes narrower, and none reaches farther than another of them did.
    #[test]
    fn intervals_made_ascending_only_grow(ends in proptest::collection::vec(proptest::option::of((0.0..100.0, 0.0..100.0)), 0..8)) {
        let before: Vec<Option<(f64, f64)>> =
            ends.iter().map(|ends| ends.map(|(a, b): (f64, f64)| (a.min(b), a.max(b)))).collect();
        let mut after = before.clone();
        crate::quantile::ascending(&mut after);
        let known: Vec<(f64, f64)> = after.iter().copied().flatten().collect();
        prop_assert!(known.is_sorted_by(|a, b| a.0 <= b.0 && a.1 <= b.1), "{known:?}");
        for (before, after) in before.iter().zip(&after) {
            prop_assert_eq!(before.is_some(), after.is_some());
            if let (Some(before), Some(after)) = (before, after) {
                prop_assert!(after.0 <= before.0 && after.1 >= before.1);
            }
        }
        let all = || before.iter().flatten();
        prop_assert!(known.iter().all(|one| all().any(|other| other.0 == one.0) && all().any(|other| other.1 == one.1)));
    }

    #[test]
    fn exact_limits_never_fall_as_hits_grow((k, n) in counts(), alpha in 0.001..0.5) {
        prop_assume!(k < n);
        let fewer = clopper_pearson_one_sided(k as f64, n as f64, alpha);
        let more = clopper_pearson_one_sided((k + 1) as f64, n as f64, alpha);
        prop_assert!(fewer.0 <= more.0 && fewer.1 <= more.1, "{fewer:?} {more:?}");
    }

    #[test]
    fn a_shares_interval_contains_the_share((k, n) in counts(), confidence in 0.5..0.999, effect in 1.0..50.0) {
        let estimate = interval(k, n, confidence, effect).unwrap();
        prop_assert!(0.0 <= estimate.low && estimate.low <= estimate.value, "{estimate:?}");
        prop_assert!(estimate.value <= estimate.high && estimate.high <= 1.0, "{estimate:?}");
    }

    #[test]
    fn a_larger_design_effect_widens_a_shares_interval((k, n) in counts(), effect in 1.0..50.0, more in 1.01..10.0) {
        let narrow = interval(k, n, 0.95, effect).unwrap();
        let wide = interval(k, n, 0.95, effect * more).unwrap();
        prop_assert!(wide.low <= narrow.low && narrow.high <= wide.high, "{narrow:?} {wide:?}");
    }

    #[test]
    fn hits_and_misses_mirror_each_other((k, n) in counts(), alpha in 0.001..0.5) {
        let (low, high) = clopper_pearson_one_sided(k as f64, n as f64, alpha);
        let (mirrored_low, mirrored_high) = clopper_pearson_one_sided((n - k) as f64, n as f64, alpha);
        prop_assert!((low - (1.0 - mirrored_high)).abs() < 1e-12 && (high - (1.0 - mirrored_low)).abs() < 1e-12);
    }

    #[test]
    fn a_verdict_holds_up_to_its_design_effect_and_not_beyond((k, n) in counts(), p0 in 0.001..0.999) {
        let judgement = judge_at_most(k, n, p0, 0.05, 1.0);
        match judgement.holds_up_to_design_effect {
            None => prop_assert_eq!(judgement.verdict, ShareVerdict::Inconclusive),
            Some(limit) => {
                prop_assert_eq!(judge_at_most(k, n, p0, 0.05, limit).verdict, judgement.verdict);
                prop_assert_eq!(judge_at_most(k, n, p0, 0.05, limit * 1.001).verdict, ShareVerdict::Inconclusive);
            }
        }
    }

    #[test]
    fn the_needed_samples_settle_it_at_the_same_share(k in 0u64..200, rest in 0u64..2000, p0 in 0.01..0.5) {
        let n = k + rest;
        prop_assume!(n > 0);
        if let Some(more) = judge_at_most(k, n, p0, 0.05, 1.0).needed {
            let total = (n + more) as f64;
            let (low, high) = clopper_pearson_one_sided(k as f64 / n as f64 * total, total, 0.05);
            prop_assert!(more > 0 && (high <= p0 || low > p0), "{} {} {} {}", n, more, low, high);
        }
    }

    #[test]
    fn verdict_and_order_statistic_are_one_test((k, n) in counts(), p0 in 0.001..0.5, effect in 1.0..20.0) {
        let passes = judge_at_most(k, n, p0, 0.05, effect).verdict == ShareVerdict::Pass;
        // k calls above the limit: the value of rank n - k is at most the limit, that of rank n - k + 1 is not.
        let ranks = ranks_with_design_effect(n, 1.0 - p0, 0.9, effect);
        let below = ranks.is_some_and(|(_, high)| high <= n - k);
        prop_assert_eq!(passes, below);
    }

    #[test]
    fn a_difference_lies_in_its_interval_and_turns_with_its_sides((k, n) in counts(), (j, m) in counts()) {
        let before = Counted { hits: k, total: n, design_effect: 1.0 };
        let after = Counted { hits: j, total: m, design_effect: 3.0 };
        let there = newcombe(before, after, 0.95).unwrap();
        let back = newcombe(after, before, 0.95).unwrap();
        prop_assert!(-1.0 <= there.low && there.low <= there.value && there.value <= there.high && there.high <= 1.0);
        prop_assert!((there.low + back.high).abs() < 1e-12 && (there.high + back.low).abs() < 1e-12);
    }

    #[test]
    fn percentiles_never_fall_and_stay_inside(sample in values(), a in 0.0..=1.0, b in 0.0..=1.0) {
        for definition in QuantileType::ALL {
            let low = by_type(&sample, f64::min(a, b), definition).unwrap();
            let high = by_type(&sample, f64::max(a, b), definition).unwrap();
            prop_assert!(low <= high, "{definition:?} {low} {high}");
            prop_assert!(sample[0] <= low && high <= sample[sample.len() - 1]);
        }
    }

    #[test]
    fn percentiles_scale_with_the_sample(sample in values(), q in 0.0..=1.0, factor in 1e-3..1e3) {
        let scaled: Vec<f64> = sample.iter().map(|value| value * factor).collect();
        for definition in QuantileType::ALL {
            let expected = by_type(&sample, q, definition).unwrap() * factor;
            close(by_type(&scaled, q, definition).unwrap() + 1.0, expected + 1.0, 1e-9);
        }
    }

    #[test]
    fn nearest_rank_of_a_histogram_is_that_of_its_values(
        times in proptest::collection::vec(0i64..200_000, 400..600),
        q in 0.05..0.95,
    ) {
        // Below 204.8 µs the buckets are exact to 100 ns.
        let sample = sorted(times.iter().map(|&time| time as f64 / 1e6).collect());
        let found = estimate(&histogram_of(&times), q, 0.95, 1.0).unwrap();
        let exact = crate::quantile::estimate_sorted(&sample, q, 0.95, 1.0).unwrap();
        for (bucket, value) in [(found.low, exact.low), (found.value, exact.value), (found.high, exact.high)] {
            prop_assert!((bucket - value).abs() < 1e-4 + 1e-12, "{found:?} {exact:?}");
        }
    }

    #[test]
    fn merging_then_asking_is_asking_the_whole(
        times in proptest::collection::vec(0i64..10_000_000_000, 400..600),
        cut in 0usize..400,
        q in 0.05..0.95,
        effect in 1.0..4.0,
    ) {
        let whole = estimate(&histogram_of(&times), q, 0.95, effect);
        let (early, late) = times.split_at(cut);
        let mut merged = histogram_of(late);
        merged.merge(&histogram_of(early));
        prop_assert_eq!(estimate(&merged, q, 0.95, effect), whole);
    }

    #[test]
    fn ranks_enclose_the_percentile_and_widen(n in 1u64..5_000_000, q in 0.01..0.9999, effect in 1.0..30.0) {
        if let Some((low, high)) = ranks_with_design_effect(n, q, 0.95, 1.0) {
            let rank = ((q * n as f64).ceil() as u64).max(1);
            prop_assert!(1 <= low && low <= rank && rank <= high && high <= n && low < high, "{low} {rank} {high}");
            if let Some((wide_low, wide_high)) = ranks_with_design_effect(n, q, 0.95, effect) {
                prop_assert!(wide_low <= low && high <= wide_high, "{low} {high} {wide_low} {wide_high}");
            }
        }
    }

    #[test]
    fn a_design_effect_is_the_same_for_hits_and_misses_and_grows_with_copies(
        seconds in proptest::collection::vec((0u64..50, 0u64..50), 30..200),
        copies in 2u64..50,
    ) {
        let hits: Vec<(u64, u64)> = seconds.iter().map(|&(h, misses)| (h, h + misses)).collect();
        let misses: Vec<(u64, u64)> = hits.iter().map(|&(h, n)| (n - h, n)).collect();
        let copied: Vec<(u64, u64)> = hits.iter().map(|&(h, n)| (h * copies, n * copies)).collect();
        let effect = design_effect_of_share(&hits, 30).unwrap();
        close(design_effect_of_share(&misses, 30).unwrap(), effect, 1e-9);
        prop_assert!(effect >= 1.0);
        if effect > 1.0 {
            // The same calls counted c times say nothing new: the design effect takes the copies back.
            close(design_effect_of_share(&copied, 30).unwrap(), effect * copies as f64, 1e-9);
        }
    }

    #[test]
    fn histogram_buckets_are_hdrhistograms(units in 0u64..36_000_000_000) {
        let index = Buckets::index(Nanos(units as i64 * 100));
        let (low, high) = hdr_bucket(units, 3);
        prop_assert_eq!(Buckets::low(index).0, low as i64 * 100);
        prop_assert_eq!(Buckets::high(index).0, (high as i64 + 1) * 100 - 1);
    }
}
