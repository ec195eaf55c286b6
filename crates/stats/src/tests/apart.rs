//! Two sides that do not overlap: known answers, and how often two that are alike come out apart.

use super::close;
use crate::StatsError;
use crate::bootstrap::{Cells, Statistic, apart, gap};
use crate::compare::difference_of_runs;
use crate::reference::ParkMiller;

/// Ten calls a second, the mean of each second as given.
fn means(of: impl IntoIterator<Item = f64>) -> Cells {
    let seconds: Vec<(u64, f64)> = of.into_iter().map(|mean| (10, 10.0 * mean)).collect();
    Cells::of_sums(&seconds)
}

#[test]
fn the_nearest_parts_say_how_far_two_sides_are_apart() {
    // Parts of the base are 1, 2, 2, 1 and of the other 30, 40, 30, 50.
    let base = means([1.0, 1.0, 2.0, 2.0, 2.0, 2.0, 1.0, 1.0]);
    let other = means([30.0, 30.0, 40.0, 40.0, 30.0, 30.0, 50.0, 50.0]);
    let of = |a: &Cells, b: &Cells| apart(a, b, Statistic::Mean).unwrap();
    close(of(&base, &other), 15.0, 1e-12);
    close(of(&other, &base), 1.0 / 15.0, 1e-12);
    // One part of the other lies below one of the base.
    let crossing = means([30.0, 30.0, 40.0, 40.0, 1.5, 1.5, 50.0, 50.0]);
    assert_eq!((of(&base, &crossing), of(&crossing, &base)), (1.0, 1.0));
    // From 2 to 7.9 is less than twice as far as from 1 to 2, to 8.1 it is more.
    let [near, far] = [7.9, 8.1].map(|level| means([level; 8]));
    assert_eq!(of(&base, &near), 1.0);
    close(of(&base, &far), 4.05, 1e-12);
    assert_eq!((gap(&[1.0, 2.0], &[4.0, 4.5]), gap(&[4.0, 4.5], &[1.0, 2.0])), (0.0, 0.0));
    assert_eq!((gap(&[1.0, 2.0], &[4.1, 4.5]), gap(&[4.1, 4.5], &[1.0, 2.0])), (4.1 - 2.0, 2.0 - 4.1));
}

#[test]
fn what_has_no_parts_is_refused() {
    let short = means([1.0; 7]);
    assert!(matches!(apart(&short, &short, Statistic::Mean), Err(StatsError::TooFew { have: 7, need: 8 })));
    let zero = means([0.0; 12]);
    assert!(matches!(apart(&zero, &zero, Statistic::Mean), Err(StatsError::OutOfRange(_))));
}

/// A level that wanders from second to second with correlation `phi`, lognormal.
fn wandering(phi: f64, seconds: usize, factor: f64, random: &mut ParkMiller) -> Cells {
    let mut normal = || (0..12).map(|_| random.uniform()).sum::<f64>() - 6.0;
    let mut level = normal();
    means((0..seconds).map(|_| {
        level = phi * level + (1.0 - phi * phi).sqrt() * normal();
        factor * (0.3 * level).exp()
    }))
}

/// Of pairs that are alike, and of pairs of which one is ten times slower, how many come out apart, in percent.
fn rates(phi: f64, seconds: usize) -> (f64, f64) {
    const PAIRS: u32 = 2000;
    let mut random = ParkMiller::new(7);
    let (mut alike, mut slower) = (0, 0);
    for _ in 0..PAIRS {
        let [base, same, slow] = [1.0, 1.0, 10.0].map(|factor| wandering(phi, seconds, factor, &mut random));
        alike += u32::from(apart(&base, &same, Statistic::Mean) != Ok(1.0));
        slower += u32::from(apart(&base, &slow, Statistic::Mean).is_ok_and(|ratio| ratio > 1.0));
    }
    (100.0 * f64::from(alike) / f64::from(PAIRS), 100.0 * f64::from(slower) / f64::from(PAIRS))
}

/// From no memory to one of half the run.
#[test]
fn sides_that_are_alike_are_seldom_apart() {
    for (phi, seconds) in [(0.0, 10), (0.5, 20), (0.8, 20), (0.9, 30), (0.9, 60), (0.95, 60), (0.98, 60), (0.98, 120)] {
        let (alike, slower) = rates(phi, seconds);
        assert!(alike <= 2.5, "{phi} over {seconds} s: {alike} % of pairs that are alike");
        assert!(slower >= 90.0, "{phi} over {seconds} s: {slower} % of pairs of which one is ten times slower");
    }
}

#[test]
fn the_difference_of_runs_is_the_textbooks() {
    // Means 2 and 5, squares 2 and 2 over 4 degrees of freedom: error sqrt(1 · 2/3), t(0.975; 4) = 2.7764.
    let found = difference_of_runs(&[1.0, 2.0, 3.0], &[4.0, 5.0, 6.0], 0.95).unwrap();
    close(found.value, 3.0, 1e-12);
    close(found.high - found.value, 2.776_445 * (2.0f64 / 3.0).sqrt(), 1e-5);
    let alike = difference_of_runs(&[0.0, 0.0], &[0.0], 0.95).unwrap();
    assert_eq!((alike.low, alike.value, alike.high), (0.0, 0.0, 0.0));
    assert!(matches!(difference_of_runs(&[1.0], &[2.0], 0.95), Err(StatsError::TooFew { have: 2, need: 3 })));
}
