use super::close;
use crate::share::clopper_pearson_one_sided;
use crate::special::{beta_quantile, binomial_at_least, binomial_at_most, normal_quantile, student_two_sided};

#[test]
fn normal_quantiles_are_the_tabled_ones() {
    close(normal_quantile(0.975), 1.959_963_984_540_054, 1e-12);
    close(normal_quantile(0.95), 1.644_853_626_951_472_2, 1e-12);
    close(normal_quantile(0.8), 0.841_621_233_572_914_3, 1e-12);
    close(normal_quantile(0.001), -3.090_232_306_167_813, 1e-12);
    assert!(normal_quantile(0.5).abs() < 1e-15);
}

/// scipy `t.ppf(0.975, freedom)`; 29 degrees also in the analysis page.
#[test]
fn student_quantiles_are_the_tabled_ones() {
    for (freedom, expected) in [
        (1.0, 12.706_204_736_174_694),
        (2.0, 4.302_652_729_749_462),
        (9.0, 2.262_157_162_798_205),
        (29.0, 2.045_229_642_132_703),
        (1000.0, 1.962_339_080_826_408_3),
        (1e6, 1.959_966_356_814_107),
    ] {
        close(student_two_sided(freedom, 0.95), expected, 1e-10);
    }
}

/// scipy `binom.cdf`.
#[test]
fn binomial_tails_hold_for_small_and_huge_counts() {
    for (j, n, p, expected) in [
        (18.0, 837.0, 0.05, 1.919_587_393_557_800_7e-5),
        (949_500.0, 1e6, 0.95, 0.011_041_122_391_134_75),
        (94_990_000.0, 1e8, 0.95, 2.251_465_159_898_648_5e-6),
        (9_999_990_000.0, 1e10, 0.999_999, 0.501_329_811_481_829),
    ] {
        close(binomial_at_most(j, n, p), expected, 1e-9);
        close(1.0 - binomial_at_least(j + 1.0, n, p), expected, 1e-9);
    }
    // By hand: nothing in three throws of a coin; all three.
    close(binomial_at_most(0.0, 3.0, 0.5), 0.125, 1e-14);
    close(binomial_at_least(3.0, 3.0, 0.5), 0.125, 1e-14);
    assert_eq!(binomial_at_most(3.0, 3.0, 0.5), 1.0);
    assert_eq!(binomial_at_least(0.0, 3.0, 0.5), 1.0);
}

/// scipy `beta.ppf(alpha, k, n-k+1)` and `beta.ppf(1-alpha, k+1, n-k)`.
#[test]
fn exact_limits_hold_from_fractions_to_a_thousand_million() {
    for (k, n, alpha, low, high) in [
        (18.0, 837.0, 0.05, 0.013_944_912_746_525_01, 0.031_723_976_701_662_13),
        (5.0, 100.0, 0.025, 0.016_431_879_182_052_155, 0.112_834_911_105_462_75),
        (2.5, 31.7, 0.05, 0.018_339_928_504_537_494, 0.206_488_597_326_099_48),
        (0.02, 5.3, 0.05, 8.743_362_057_594_424e-67, 0.436_556_077_329_476_5),
        (50_000.0, 1e6, 0.05, 0.049_641_975_356_742_37, 0.050_359_951_362_176_09),
        (900_000.0, 1e6, 0.05, 0.899_505_188_004_538_2, 0.900_493_100_181_632_2),
        (5e6, 1e8, 0.05, 0.049_964_155_864_192_66, 0.050_035_863_372_479_13),
        (3.0, 1e9, 0.05, 8.176_914_476_473_356e-10, 7.753_656_509e-9),
        (5e8, 1e9, 0.025, 0.499_969_009_748_422_3, 0.500_030_990_251_577_7),
    ] {
        let limits = clopper_pearson_one_sided(k, n, alpha);
        close(limits.0, low, 1e-10);
        close(limits.1, high, 1e-10);
    }
    // Closed form: the upper limit of 0 of n is 1 - alpha^(1/n).
    let (low, high) = clopper_pearson_one_sided(0.0, 7477.0, 0.05);
    assert_eq!(low, 0.0);
    close(high, -(0.05f64.ln() / 7477.0).exp_m1(), 1e-12);
    let (low, high) = clopper_pearson_one_sided(40.0, 40.0, 0.05);
    assert_eq!(high, 1.0);
    close(low, 0.05f64.powf(1.0 / 40.0), 1e-12);
}

#[test]
fn beta_quantile_undoes_the_tail_at_the_change_of_method() {
    // 3000 is where the continued fraction hands over to quadrature; both sides must meet.
    for (a, b) in [(2999.0, 60_000.0), (3001.0, 60_000.0), (3001.0, 3001.0), (60_000.0, 3000.5), (0.3, 1e5)] {
        for lower in [1e-9, 0.025, 0.4, 0.6, 0.975] {
            let x = beta_quantile(a, b, lower, 1.0 - lower);
            // I_x(a, b) is the chance of at least `a` hits of a + b - 1 with chance x.
            close(binomial_at_least(a, a + b - 1.0, x), lower, 1e-8);
        }
    }
}

/// The reason for `special.rs`: a hundred million calls, 5 % of them slow, and the library's answer is a third off.
///
/// When this test fails, `statrs` has mended its incomplete beta function; then look whether ours can go.
#[test]
fn why_the_incomplete_beta_function_is_ours() {
    let (a, b, x) = (5e6, 9.5e7, 0.05);
    let expected = 0.500_054_914_181_752_5; // scipy `betainc`
    close(binomial_at_least(a, a + b - 1.0, x), expected, 1e-11);
    let theirs = statrs::function::beta::beta_reg(a, b, x);
    assert!((theirs / expected - 1.0).abs() > 0.3, "statrs now answers {theirs}");
}

/// The limit where scipy itself keeps eight digits only: 3 of 10^9, checked by putting the answer into the sum of
/// four binomial terms.
#[test]
fn three_failures_among_a_thousand_million() {
    let n: f64 = 1e9;
    let (_, high) = clopper_pearson_one_sided(3.0, n, 0.05);
    let mut term = (n * (-high).ln_1p()).exp();
    let mut at_most_three = term;
    for i in 0..3 {
        let i = f64::from(i);
        term *= (n - i) / (i + 1.0) * high / (1.0 - high);
        at_most_three += term;
    }
    close(at_most_three, 0.05, 1e-12);
}
