//! Outliers: known answers, and how often there are none.

use crate::StatsError;
use crate::outliers::{block_maxima, chance};
use crate::reference::ParkMiller;

#[test]
fn the_chance_is_that_of_an_f_distribution() {
    // Of 24 values the upper twelve: eleven distances. All but the first, times their rank, are 1; the first is 20, held
    // against ten whose mean is 1: (1 + 20/10)^-10 = 3^-10 = 1.693509e-5.
    let mut values = vec![0.0; 12];
    let mut value = 1.0;
    for rank in (1..=11).rev() {
        values.push(value);
        value += if rank == 1 { 20.0 } else { 1.0 / f64::from(rank) };
    }
    values.push(value);
    let found = chance(&values, 1).unwrap();
    assert!((found / 1.693_508_780_8e-5 - 1.0).abs() < 1e-6, "{found}");
    // Asked about three, it counts three times.
    assert!((chance(&values, 3).unwrap() / found - 3.0).abs() < 1e-6);
}

#[test]
fn two_that_are_alike_do_not_hide_each_other() {
    let mut values: Vec<f64> = (0..30).map(|k| 1.0 + 0.01 * f64::from(k)).collect();
    values.extend([50.0, 49.0]);
    assert!(chance(&values, 1).unwrap() > 0.1, "the second stands beside the first");
    assert!(chance(&values, 2).unwrap() < 1e-6);
}

#[test]
fn what_cannot_be_asked_is_refused() {
    assert!(matches!(chance(&[1.0; 19], 1), Err(StatsError::TooFew { have: 19, need: 20 })));
    assert_eq!(chance(&[f64::NAN; 20], 1), Err(StatsError::NotFinite));
    assert!(chance(&[1.0; 20], 0).is_err() && chance(&[1.0; 20], 6).is_err());
    // All alike: nothing stands apart. One that differs does.
    assert_eq!(chance(&[1.0; 20], 3), Ok(1.0));
    let mut one = [1.0; 20];
    one[7] = 2.0;
    assert_eq!(chance(&one, 3), Ok(0.0));
    assert_eq!(block_maxima(&[1.0, 3.0, 2.0, 5.0, 4.0], 2), [3.0, 5.0, 4.0]);
}

#[test]
fn exponential_tails_are_called_apart_as_often_as_stated() {
    let mut random = ParkMiller::new(5);
    let runs = 4000;
    let mut sample = || (0..60).map(|_| random.exponential(1.0)).collect::<Vec<f64>>();
    let told = (0..runs).filter(|_| chance(&sample(), 1).unwrap() <= 0.05).count() as f64 / f64::from(runs);
    assert!((told - 0.05).abs() < 0.012, "{told}");
}
