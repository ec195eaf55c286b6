//! `steady`: the tables of the analysis page (2.2), and edges.

use super::{close, prints};
use crate::StatsError;
use crate::reference::ParkMiller;
use crate::steady::{Shape, classify, mser_statistics, warm_up};

#[test]
fn mser_of_ten_values_is_the_worked_example() {
    // Analysis page 2.2, by hand: nine and five are the transient.
    let values = [9.0, 5.0, 1.0, 2.0, 1.0, 2.0, 1.0, 2.0, 1.0, 2.0];
    let statistics: Vec<f64> = mser_statistics(&values).iter().map(|(statistic, _)| *statistic).collect();
    let printed = [(0.584, 3), (0.159_122, 6), (0.031_25, 5), (0.034_985, 6), (0.041_667, 6), (0.048, 3)];
    assert_eq!(statistics.len(), printed.len());
    for (found, (expected, decimals)) in statistics.into_iter().zip(printed) {
        prints(found, expected, decimals);
    }
    let cut = warm_up(&values, 1).unwrap();
    assert_eq!(cut.cut, 2);
    close(cut.mean, 1.5, 1e-12);
}

/// `100 + 50·e^(-i/20)·transient + drift·i + 10(u - 1/2)`, seed 12345, 600 values.
fn series(transient: f64, drift: f64) -> Vec<f64> {
    let mut random = ParkMiller::new(12_345);
    let value = |i: i32| {
        let i = f64::from(i);
        100.0 + transient * 50.0 * (-i / 20.0).exp() + drift * i + 10.0 * (random.uniform() - 0.5)
    };
    (0..600).map(value).collect()
}

#[test]
fn mser_5_cuts_a_transient() {
    let values = series(1.0, 0.0);
    prints(values[0], 145.966_165_285_1, 10);
    let cut = warm_up(&values, 5).unwrap();
    assert_eq!(cut.cut, 65);
    prints(cut.statistic, 0.014_441_810_333, 12);
    // The page has one digit more, cut off and not rounded.
    prints(cut.mean, 100.062_146_47, 8);
    prints(cut.mean_of_all, 101.700_881, 6);
}

#[test]
fn mser_cuts_without_a_transient_too() {
    let cut = warm_up(&series(0.0, 0.0), 5).unwrap();
    assert_eq!(cut.cut, 35);
    prints(cut.mean, 99.975_751, 6);
}

#[test]
fn a_drift_has_no_steady_state() {
    assert_eq!(warm_up(&series(1.0, 0.1), 5), Err(StatsError::NoSteadyState));
}

#[test]
fn edges_of_the_mser_rule() {
    assert_eq!(warm_up(&[1.0; 49], 5), Err(StatsError::TooFew { have: 49, need: 50 }));
    assert_eq!(warm_up(&[f64::NAN; 60], 5), Err(StatsError::NotFinite));
    let equal = warm_up(&[7.0; 60], 5).unwrap();
    assert_eq!((equal.cut, equal.statistic), (0, 0.0));
}

/// Levels with their lengths, and noise `u - 1/2`, seed 7.
fn levels(levels: &[(f64, usize)]) -> Vec<f64> {
    let mut random = ParkMiller::new(7);
    let all = levels.iter().flat_map(|&(level, length)| std::iter::repeat_n(level, length));
    all.map(|level| level + random.uniform() - 0.5).collect()
}

#[test]
fn a_warm_up_in_two_stages_is_classified() {
    // Analysis page 2.2; change points also by ruptures' cost in an exact search (Python).
    let found = classify(&levels(&[(30.0, 40), (12.0, 50), (10.0, 210)])).unwrap();
    assert_eq!(found.shape, Shape::WarmUp);
    assert_eq!(found.stretches.iter().map(|stretch| stretch.to).collect::<Vec<_>>(), [40, 90, 300]);
    assert_eq!(found.stretches.iter().map(|stretch| stretch.is_like_last).collect::<Vec<_>>(), [false, false, true]);
}

#[test]
fn the_other_shapes() {
    for (stages, shape) in [
        (&[(10.0, 300)][..], Shape::Flat),
        // 1 % more is like the last.
        (&[(10.1, 100), (10.0, 200)], Shape::Flat),
        (&[(10.0, 60), (12.0, 240)], Shape::Slowdown),
        (&[(30.0, 40), (8.0, 50), (10.0, 210)], Shape::Slowdown),
        (&[(10.0, 240), (30.0, 60)], Shape::NoSteadyState),
    ] {
        assert_eq!(classify(&levels(stages)).unwrap().shape, shape, "{stages:?}");
    }
}

#[test]
fn outliers_do_not_make_a_shape() {
    let mut values = levels(&[(10.0, 300)]);
    for place in [20, 150, 270] {
        values[place] = 500.0;
    }
    let found = classify(&values).unwrap();
    assert_eq!((found.shape, found.outliers, found.stretches.len()), (Shape::Flat, 3, 1));
    assert_eq!((found.stretches[0].from, found.stretches[0].to), (0, 300));
}
