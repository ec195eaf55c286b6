use super::{close, prints};
use crate::StatsError;
use crate::compare::*;
use crate::special::upper_normal;

/// Analysis page 2.6.
const A: [f64; 8] = [118.0, 121.0, 119.0, 125.0, 117.0, 122.0, 120.0, 123.0];
const B: [f64; 8] = [124.0, 128.0, 126.0, 131.0, 122.5, 129.0, 127.0, 133.0];

/// Analysis page 2.6: U = 3, p = .001087801, A12 = .953125, Cliff's δ = .90625, Hodges-Lehmann 7.0. The interval's ranks
/// are those of the tabled critical value 13 for 8 against 8 at 5 %: the 14th of the 64 differences from either end,
/// 3.5 and 10 (numpy).
#[test]
fn eight_against_eight() {
    let test = mann_whitney(&A, &B).unwrap();
    assert_eq!((test.u, test.is_exact), (3.0, true));
    prints(test.p, 0.001087801, 9);
    assert_eq!((test.superiority, test.cliffs_delta), (0.953125, 0.90625));
    let shift = hodges_lehmann(&A, &B, 0.95).unwrap();
    assert_eq!((shift.value, shift.low, shift.high), (7.0, 3.5, 10.0));
    assert_eq!(shift.sample_count, 16);
}

/// Analysis page 2.6, the same as benchstat's table: 2/C(2n, n).
#[test]
fn the_least_p_of_n_against_n() {
    for (n, p, decimals) in [(3, 0.1, 12), (4, 0.0285714, 7), (5, 0.00793651, 8), (6, 0.0021645, 7), (8, 0.0001554, 7)]
    {
        let base: Vec<f64> = (0..n).map(f64::from).collect();
        let other: Vec<f64> = (0..n).map(|value| 100.0 + f64::from(value)).collect();
        let test = mann_whitney(&base, &other).unwrap();
        assert_eq!((test.u, test.superiority), (0.0, 1.0));
        prints(test.p, p, decimals);
    }
}

/// Ties: twice the smaller tail over all C(15, 8) = 6435 orders, counted out in Python.
#[test]
fn exact_with_ties() {
    let base = [1.0, 2.0, 2.0, 3.0, 5.0, 5.0, 7.0];
    let other = [2.0, 3.0, 4.0, 5.0, 6.0, 8.0, 8.0, 9.0];
    let test = mann_whitney(&base, &other).unwrap();
    assert!(test.is_exact);
    close(test.p, 0.129_603_729_603_729_6, 1e-12);
    assert_eq!(test.u, 14.5);
}

/// scipy `mannwhitneyu(x, y, method='asymptotic')`: with ties and more than 50 values.
#[test]
fn the_normal_approximation_of_many() {
    let base: Vec<f64> = (0..40).map(|k| f64::from(k * 7919 % 101) / 10.0).collect();
    let other: Vec<f64> = (0..35).map(|k| f64::from(k * 7919 % 103) / 10.0 + 1.0).collect();
    let test = mann_whitney(&base, &other).unwrap();
    assert_eq!((test.u, test.is_exact), (578.0, false));
    close(test.p, 0.196_909_107_094_878_63, 1e-9);
}

#[test]
fn equal_samples_prove_nothing() {
    for n in [2, 30] {
        let test = mann_whitney(&vec![5.0; n], &vec![5.0; n]).unwrap();
        assert_eq!((test.p, test.superiority, test.cliffs_delta), (1.0, 0.5, 0.0));
    }
}

/// Tabled critical values of U at 5 %, two-sided (Hollander & Wolfe, table A.5, and most textbooks): the interval runs
/// from the (C+1)-th difference.
#[test]
fn interval_ranks_follow_the_tables() {
    for (m, n, critical) in [(4, 4, 0), (5, 5, 2), (6, 6, 5), (8, 8, 13), (10, 10, 23), (20, 20, 127)] {
        // Differences n·i + j - big are all distinct and in known order.
        let base: Vec<f64> = (0..m).map(|i| -f64::from(i) * 1000.0).collect();
        let other: Vec<f64> = (0..n).map(f64::from).collect();
        let mut differences: Vec<f64> = base.iter().flat_map(|b| other.iter().map(move |o| o - b)).collect();
        differences.sort_by(f64::total_cmp);
        let shift = hodges_lehmann(&base, &other, 0.95).unwrap();
        assert_eq!(shift.low, differences[critical], "{m} {n}");
        assert_eq!(shift.high, differences[differences.len() - 1 - critical], "{m} {n}");
    }
    assert_eq!(hodges_lehmann(&[1.0; 3], &[2.0; 3], 0.95), Err(StatsError::TooFew { have: 3, need: 4 }));
    // Far beyond the exact table: 2000/2 - 1.96·sqrt(...) by hand for 40 against 50.
    let base: Vec<f64> = (0..40).map(|i| -f64::from(i) * 1000.0).collect();
    let other: Vec<f64> = (0..50).map(f64::from).collect();
    let mut differences: Vec<f64> = base.iter().flat_map(|b| other.iter().map(move |o| o - b)).collect();
    differences.sort_by(f64::total_cmp);
    // 1000 - 1.959964·sqrt(40·50·91/12) = 758.6
    assert_eq!(hodges_lehmann(&base, &other, 0.95).unwrap().low, differences[757]);
}

#[test]
fn a_factor_is_found_as_a_ratio() {
    let other: Vec<f64> = A.iter().map(|value| value * 1.07).collect();
    let ratio = hodges_lehmann_ratio(&A, &other, 0.95).unwrap();
    close(ratio.value, 1.07, 1e-12);
    assert!(ratio.low < 1.07 && 1.07 < ratio.high);
    let by_t = ratio_of_runs(&A, &other, 0.95).unwrap();
    close(by_t.value, 1.07, 1e-12);
    assert!(by_t.low < 1.07 && 1.07 < by_t.high && by_t.low > 1.0);
}

/// By hand: logarithms 0 and ln 4 against 3·ln 2: shift 2·ln 2, pooled variance 2·(ln 2)², error² = 2·(ln 2)²·(1/2 + 1),
/// one degree of freedom: t = 12.706 204 736.
#[test]
fn two_runs_against_one_by_hand() {
    let ratio = ratio_of_runs(&[1.0, 4.0], &[8.0], 0.95).unwrap();
    close(ratio.value, 4.0, 1e-12);
    let half = 12.706_204_736_174_694 * 2f64.ln() * 3f64.sqrt();
    close(ratio.high.ln(), 4f64.ln() + half, 1e-9);
    close(ratio.low.ln(), 4f64.ln() - half, 1e-9);
    assert_eq!(ratio_of_runs(&[1.0], &[2.0], 0.95), Err(StatsError::TooFew { have: 2, need: 3 }));
}

#[test]
fn runs_needed_settle_it_in_four_of_five_cases() {
    let pilot = |ratio: f64, runs: usize| Pilot {
        ratio,
        deviation: 0.03,
        freedom: 2.0 * runs as f64 - 2.0,
        runs: (runs, runs),
    };
    let needed = |pilot: &Pilot| runs_needed(pilot, 0.05, 0.95);
    // After very many runs the ratio is known. By hand: ln 1.1 - ln 1.05 = 0.04652; 7 runs leave an error of .0160 and a
    // half width of 2.1788·.0160 = .0349, .0116 short of that: .72 of the error, 76 %; of 6, .0173 and .0386: 68 %.
    assert_eq!(needed(&pilot(1.1, 1_000_000)), Some(7));
    assert_eq!(needed(&pilot(1.0 / 1.1, 1_000_000)), Some(7));
    // After few it may lie near the edge of the band.
    let few = needed(&pilot(1.1, 5)).unwrap();
    assert!((8..40).contains(&few), "{few}");
    assert!(needed(&pilot(1.1, 3)).unwrap() > few);
    assert_eq!(runs_needed(&Pilot { deviation: 0.0, ..pilot(1.2, 2) }, 0.05, 0.95), Some(2));
    // On the edge nothing settles it.
    assert_eq!(needed(&pilot(1.05, 1_000_000)), None);
    assert_eq!(runs_needed(&Pilot { deviation: f64::NAN, ..pilot(1.2, 2) }, 0.05, 0.95), None);
    assert_eq!(needed(&pilot(0.0, 4)), None);
}

/// The seed's own cells: 0.024 to 0.038 s in whole milliseconds is [+53, +64] %, 0.017 to 0.033 [+86, +103] %, and
/// 0.024 to 0.047 is +95.8 %. Analysis page 1.
#[test]
fn percentages_are_as_fine_as_their_inputs() {
    for (base, other, low, high) in [(0.024, 0.038, 53.0, 64.0), (0.017, 0.033, 86.0, 103.0)] {
        let change = percent_change(base, other, 0.0005).unwrap();
        prints(100.0 * change.low, low, 0);
        prints(100.0 * change.high, high, 0);
    }
    prints(100.0 * percent_change(0.024, 0.047, 0.0).unwrap().value, 95.8, 1);
    let same = percent_change(5.0, 5.0, 0.0).unwrap();
    assert_eq!((same.value, same.low, same.high), (0.0, 0.0, 0.0));
    assert!(percent_change(0.0, 1.0, 0.0).is_err());
    assert!(percent_change(0.001, 0.002, 0.001).is_err());
    assert!(percent_change(1.0, -1.0, 0.0).is_err());
    assert_eq!(percent_change(f64::NAN, 1.0, 0.0), Err(StatsError::NotFinite));
}

#[test]
fn three_ways_to_end() {
    let judge = |low, high| judge_ratio((low, high), (low, high), 0.05);
    assert_eq!(judge(1.06, 1.08), Comparison::Different);
    assert_eq!(judge(0.90, 0.95), Comparison::Different);
    assert_eq!(judge(0.96, 1.04), Comparison::Equivalent);
    // A change that is certain but smaller than the band is equivalence, not difference.
    assert_eq!(judge(1.01, 1.03), Comparison::Equivalent);
    assert_eq!(judge(1.04, 1.10), Comparison::Inconclusive);
    assert_eq!(judge(0.5, 2.0), Comparison::Inconclusive);
    // 1/(1 + 5 %) is 0.952, not 0.95: the band is the same seen from either side.
    assert_eq!(judge(0.951, 1.0), Comparison::Inconclusive);
    // "Equivalent" is two one-sided tests at 5 %, the 90 % interval.
    assert_eq!(judge_ratio((0.94, 1.06), (0.96, 1.04), 0.05), Comparison::Equivalent);
    for (low, high, band) in [(f64::NAN, 1.0, 0.05), (0.0, 1.0, 0.05), (2.0, 1.0, 0.05), (1.2, 1.3, f64::NAN)] {
        assert_eq!(judge_ratio((low, high), (low, high), band), Comparison::Inconclusive);
    }
    let difference = |low, high| judge_difference((low, high), (low, high), 0.01);
    assert_eq!(difference(0.02, 0.03), Comparison::Different);
    assert_eq!(difference(-0.03, -0.02), Comparison::Different);
    assert_eq!(difference(-0.005, 0.005), Comparison::Equivalent);
    assert_eq!(difference(0.005, 0.015), Comparison::Inconclusive);
    assert_eq!(difference(f64::NAN, 0.0), Comparison::Inconclusive);
}

#[test]
fn bad_samples_are_refused() {
    assert_eq!(mann_whitney(&[], &[1.0]), Err(StatsError::TooFew { have: 0, need: 1 }));
    assert_eq!(mann_whitney(&[f64::NAN], &[1.0]), Err(StatsError::NotFinite));
    assert!(matches!(mann_whitney(&[1.0; 2001], &[1.0; 2001]), Err(StatsError::OutOfRange(_))));
    assert!(matches!(hodges_lehmann_ratio(&[0.0; 5], &[1.0; 5], 0.95), Err(StatsError::OutOfRange(_))));
    assert!(matches!(ratio_of_runs(&[-1.0, 1.0], &[1.0], 0.95), Err(StatsError::OutOfRange(_))));
}

/// Abramowitz & Stegun, table 26.1 and 26.2.
#[test]
fn upper_tails_of_the_normal_distribution() {
    close(upper_normal(0.0), 0.5, 1e-15);
    close(upper_normal(1.0), 0.158_655_253_931_457, 1e-9);
    close(upper_normal(-1.0), 0.841_344_746_068_543, 1e-9);
    close(upper_normal(5.0), 2.866_515_718_8e-7, 1e-9);
}

/// R: `p.adjust(c(0.01, 0.04, 0.03, 0.005), "BH")` is 0.02 0.04 0.04 0.02.
#[test]
fn families_are_adjusted_as_r_does() {
    let adjusted = benjamini_hochberg(&[0.01, 0.04, 0.03, 0.005]).unwrap();
    for (value, expected) in adjusted.into_iter().zip([0.02, 0.04, 0.04, 0.02]) {
        close(value, expected, 1e-12);
    }
    assert_eq!(benjamini_hochberg(&[0.9, 0.8]).unwrap(), [0.9, 0.9]);
    assert_eq!(benjamini_hochberg(&[]), Ok(vec![]));
    assert!(benjamini_hochberg(&[f64::NAN]).is_err() && benjamini_hochberg(&[1.1]).is_err());
}

/// Student's density integrated in Python: twice its tail beyond 3 times 2.5706 is 0.000585217 with 5 degrees; an interval that ends at the edge has the p of its confidence.
#[test]
fn how_sure_a_claim_is() {
    close(chance_beyond(0.2, 0.1, 0.1, 0.95, 5.0), 0.05, 1e-9);
    close(chance_beyond(-0.2, -0.1, -0.1, 0.95, 5.0), 0.05, 1e-9);
    close(chance_beyond(0.4, 0.3, 0.1, 0.95, 5.0), 0.000_585_216_947, 1e-4);
    assert_eq!(chance_beyond(0.05, 0.04, 0.1, 0.95, 5.0), 1.0);
    assert_eq!(chance_beyond(0.2, 0.2, 0.1, 0.95, 5.0), 0.0);
    assert_eq!(chance_beyond(0.2, f64::NEG_INFINITY, 0.1, 0.95, 5.0), 1.0);
    // Of the normal distribution, 2·1.959964 leaves 0.00008857544 on both sides (Python's `math.erfc`).
    for freedom in [1e9, f64::MAX, f64::INFINITY] {
        close(chance_beyond(0.2, 0.1, 0.0, 0.95, freedom), 8.857_543_8e-5, 1e-6);
    }
}
