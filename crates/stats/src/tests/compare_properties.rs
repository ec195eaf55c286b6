//! Properties of comparisons over random samples; seeds as in `properties`.

use super::properties::config;
use crate::bootstrap::{Cells, Resampling, Scheme, Statistic, ratio};
use crate::compare::*;
use proptest::prelude::*;
use terms::{Histogram, Nanos, SparseHistogram};

/// One value a run; coarse ones, so that ties occur.
fn runs() -> impl Strategy<Value = Vec<f64>> {
    proptest::collection::vec(prop_oneof![1.0..1e3, (1u32..20).prop_map(f64::from)], 2..12)
}

fn seconds() -> impl Strategy<Value = Vec<SparseHistogram>> {
    let second = proptest::collection::vec(1i64..1_000_000_000, 1..8);
    proptest::collection::vec(second, 30..90).prop_map(|seconds| seconds.iter().map(|times| histogram(times)).collect())
}

fn histogram(times: &[i64]) -> SparseHistogram {
    let mut histogram = Histogram::new();
    times.iter().for_each(|&time| histogram.record(Nanos(time)));
    histogram.to_sparse()
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn a_rank_test_seen_from_the_other_side_is_the_same_test(base in runs(), other in runs()) {
        let (there, back) = (mann_whitney(&base, &other).unwrap(), mann_whitney(&other, &base).unwrap());
        prop_assert!((there.p - back.p).abs() < 1e-9 && there.u == back.u);
        prop_assert!((there.superiority + back.superiority - 1.0).abs() < 1e-12);
        prop_assert!((0.0..=1.0).contains(&there.p) && (0.0..=1.0).contains(&there.superiority));
    }

    #[test]
    fn ranks_do_not_see_the_scale(base in runs(), other in runs(), factor in 0.01..100.0f64) {
        let scaled = |values: &[f64]| values.iter().map(|value| (value * factor).ln()).collect::<Vec<f64>>();
        prop_assert_eq!(mann_whitney(&base, &other).unwrap(), mann_whitney(&scaled(&base), &scaled(&other)).unwrap());
    }

    #[test]
    fn exact_and_normal_p_agree_roughly(
        base in proptest::collection::vec((1u32..20).prop_map(f64::from), 8..12),
        other in proptest::collection::vec((1u32..20).prop_map(f64::from), 8..12),
    ) {
        let few = mann_whitney(&base, &other).unwrap();
        let six = |values: &[f64]| values.iter().flat_map(|&value| [value; 6]).collect::<Vec<f64>>();
        let many = mann_whitney(&six(&base), &six(&other)).unwrap();
        prop_assert!(few.is_exact && !many.is_exact);
        // Six times the values, one effect size; a smaller p unless there is no effect.
        prop_assert!((few.superiority - many.superiority).abs() < 1e-9);
        prop_assert!(many.p <= few.p + 0.05, "{few:?} {many:?}");
    }

    #[test]
    fn ratios_of_runs_turn_and_scale(base in runs(), other in runs(), factor in 0.1..10.0f64) {
        let scaled: Vec<f64> = other.iter().map(|value| value * factor).collect();
        for of in [ratio_of_runs, hodges_lehmann_ratio] {
            let Ok(there) = of(&base, &other, 0.9) else { continue };
            let back = of(&other, &base, 0.9).unwrap();
            let times = of(&base, &scaled, 0.9).unwrap();
            prop_assert!(there.low <= there.value && there.value <= there.high);
            prop_assert!((there.low * back.high - 1.0).abs() < 1e-9 && (there.value * back.value - 1.0).abs() < 1e-9);
            prop_assert!((times.value / there.value / factor - 1.0).abs() < 1e-9);
            prop_assert!((times.high / there.high / factor - 1.0).abs() < 1e-9);
        }
    }

    #[test]
    fn more_confidence_is_a_wider_interval(base in runs(), other in runs()) {
        for of in [ratio_of_runs, hodges_lehmann_ratio] {
            let (Ok(narrow), Ok(wide)) = (of(&base, &other, 0.8), of(&base, &other, 0.95)) else { continue };
            prop_assert!(wide.low <= narrow.low && narrow.high <= wide.high);
        }
    }

    #[test]
    fn rounding_holds_every_change_that_its_inputs_allow(
        base in 0.002..10.0f64, other in 0.0..10.0f64, a in -1.0..=1.0f64, b in -1.0..=1.0f64,
    ) {
        let change = percent_change(base, other, 0.0005).unwrap();
        prop_assert!(change.low <= change.value && change.value <= change.high);
        let within = (other + b * 0.0005).max(0.0) / (base + a * 0.0005) - 1.0;
        prop_assert!(change.low - 1e-9 <= within && within <= change.high + 1e-9);
    }

    #[test]
    fn both_claims_at_once_are_never_made(low in 0.01..3.0f64, width in 1.0..2.0f64, part in 0.0..=1.0f64, band in 0.001..0.5) {
        let wide = (low, low * width);
        let narrow = (low * width.powf(part / 2.0), low * width.powf(1.0 - part / 2.0));
        let found = judge_ratio(wide, narrow, band);
        // Turned round, the same verdict.
        let turned = judge_ratio((1.0 / wide.1, 1.0 / wide.0), (1.0 / narrow.1, 1.0 / narrow.0), band * (1.0 + 1e-12));
        let edge = [wide.0, wide.1, narrow.0, narrow.1]
            .iter()
            .any(|end| (end.ln().abs() - band.ln_1p()).abs() < 1e-9);
        prop_assert!(edge || found == turned);
    }
}

proptest! {
    #![proptest_config(proptest::test_runner::Config { cases: 24, ..config() })]

    #[test]
    fn bootstrapped_ratios_contain_their_value(
        base in seconds(), other in seconds(), q in 0.05..0.95, seed: u64, is_moving: bool,
    ) {
        let scheme = if is_moving { Scheme::Moving } else { Scheme::Stationary };
        let plan = Resampling { replicates: 200, scheme, ..Resampling::usual(seed) };
        let (base, other) = (Cells::of_times(&base), Cells::of_times(&other));
        for statistic in [Statistic::Quantile(q), Statistic::Mean, Statistic::PerSecond] {
            let Ok(found) = ratio(&base, &other, statistic, plan) else { continue };
            let exact = other.value(statistic).unwrap() / base.value(statistic).unwrap();
            prop_assert!((found.ratio.value / exact - 1.0).abs() < 1e-9);
            prop_assert!(found.ratio.low <= exact * (1.0 + 1e-9) && exact <= found.ratio.high * (1.0 + 1e-9));
            prop_assert!(found.ratio.low <= found.narrow.0 && found.narrow.1 <= found.ratio.high);
            prop_assert!(found.log_error >= 0.0 && found.blocks >= 3.0 - 1e-9);
        }
    }
}
