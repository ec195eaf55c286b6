use super::close;
use crate::mean::{Reach, Spread, by_memory, stretched, unstretched};
use proptest::prelude::*;
use terms::{Histogram, Nanos};

/// By hand: of 1 to 100 the slowest twenty have the mean 90.5 and begin at 81. Three that were missed, each at
/// 100 · 90.5/81, would add 3/100 · (111.728 − 50.5) = 1.83685.
#[test]
fn what_a_tail_may_hide_by_hand() {
    let values: Vec<f64> = (1..=100).map(f64::from).collect();
    let spread = Spread::of_sorted(&values).unwrap();
    close(spread.unseen, 0.03 * (100.0 * 90.5 / 81.0 - 50.5), 1e-12);
    close(spread.unseen, 1.836_85, 1e-5);
    close(spread.variance, 841.666_666_667, 1e-9);
    // The same times in a histogram, whose buckets are a thousandth wide.
    let mut histogram = Histogram::new();
    (1..=100).for_each(|time| histogram.record(Nanos::from_millis(time)));
    let of_histogram = Spread::of_histogram(&histogram).unwrap();
    close(of_histogram.unseen, spread.unseen, 5e-3);
    close(of_histogram.variance, spread.variance, 1e-3);
    // Equal times hide nothing.
    assert_eq!(Spread::of_sorted(&[4.0; 50]).unwrap().unseen, 0.0);
    assert!(Spread::of_sorted(&[4.0]).is_err());
}

/// A tail of the power 2 has twice the time at which it begins as its mean, so three missed calls lie at twice the greatest.
#[test]
fn a_heavy_tail_hides_more() {
    let count = 100_000u32;
    let values: Vec<f64> = (1..=count).rev().map(|rank| (f64::from(count) / (f64::from(rank) - 0.5)).sqrt()).collect();
    let spread = Spread::of_sorted(&values).unwrap();
    let (mean, max) = (2.0, (2.0 * f64::from(count)).sqrt());
    close(spread.unseen, 3.0 / f64::from(count) * (2.0 * max - mean), 0.03);
}

#[test]
fn the_design_effect_at_which_an_interval_reaches_a_limit() {
    let reach = Reach { of_one: 1.0, unseen: 0.5 };
    // Above: 10/(1 - 2.5/10) = 13.333; 2.5 less what is unseen is twice the half width. Below nothing is added.
    close(reach.effect_at(10.0, 10.0 / 0.75).unwrap(), 4.0, 1e-9);
    assert_eq!((reach.effect_at(10.0, 8.0), reach.effect_at(10.0, 10.2)), (Some(4.0), Some(0.0)));
    assert_eq!(reach.times(1e-3).effect_at(0.010, 0.008), reach.effect_at(10.0, 8.0));
    assert_eq!(Reach { of_one: 0.0, unseen: 0.0 }.effect_at(10.0, 12.0), None);
    // 1.959964 · sqrt(4/100).
    close(Spread { variance: 4.0, unseen: 0.0 }.reach(100, 0.95).of_one, 0.391_992_797, 1e-8);
}

/// By hand: a tenth of the mean becomes a ninth; four fifths four means; from there 25 for one.
#[test]
fn a_reach_is_stretched_by_what_part_of_the_mean_it_is() {
    close(stretched(9.0, 0.9), 1.0, 1e-12);
    close(stretched(2.0, 1.6), 8.0, 1e-12);
    close(stretched(1.0, 1.0), 9.0, 1e-12);
    // A mean that may be anything has no such scale.
    assert_eq!((stretched(0.0, 3.0), stretched(-2.0, 3.0), unstretched(0.0, 3.0)), (3.0, 3.0, 3.0));
}

/// Sixty seconds of 100 calls with sums of 90 and 110 in turn: both ends would be as far away, but the upper one is
/// stretched.
#[test]
fn the_interval_of_a_mean_reaches_farther_upwards() {
    let seconds: Vec<(u64, f64)> = (0..60).map(|second| (100, if second % 2 == 0 { 90.0 } else { 110.0 })).collect();
    let mean = by_memory(&seconds, Spread { variance: 0.25, unseen: 0.0 }, 0.95).unwrap();
    close(mean.value, 1.0, 1e-12);
    let reach = mean.value - mean.low;
    assert!(reach > 0.012_6, "at least that of independent calls, 1.96 · sqrt(0.25/6000): {reach}");
    close(mean.high - mean.value, reach / (1.0 - reach), 1e-9);
}

proptest! {
    #[test]
    fn a_stretched_reach_can_be_turned_back(mean in 1e-6..1e6f64, part in 0.0..5.0f64, more in 0.0..1.0f64) {
        let distance = stretched(mean, part * mean);
        prop_assert!(distance >= part * mean * (1.0 - 1e-12));
        prop_assert!((unstretched(mean, distance) - part * mean).abs() <= 1e-9 * mean);
        prop_assert!(stretched(mean, (part + more) * mean) >= distance);
    }
}
