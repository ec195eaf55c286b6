use super::{autoregressive_series, close, prints};
use crate::StatsError;
use crate::batches::*;
use crate::{mean, moments};
use terms::{Histogram, Nanos};

/// Analysis page 2.6: AR(1), seed 2026, φ = 0.9. The theory says (1 + φ)/(1 - φ) = 19.
#[test]
fn design_effect_of_an_autoregressive_series() {
    let series = autoregressive_series();
    prints(series[0], 99.5158562, 7);
    let variance = moments::variance(&series).unwrap();
    let per_second: Vec<(u64, f64)> = series.iter().map(|&value| (1, value)).collect();
    for (batches, expected) in [(30, 19.0907), (20, 21.4868), (60, 17.3140)] {
        prints(design_effect_of_mean(&per_second, variance, batches).unwrap(), expected, 4);
    }
    // With one common mean, after Box and Jenkins; Pearson's, with a mean for each of the two series, is 0.904914.
    prints(autocorrelation(&series, 1).unwrap(), 0.904795, 6);
    assert_eq!(autocorrelation(&series, 0), Ok(1.0));

    // The mean's interval is that of 30 independent batch means, and covers the truth, 100.
    let estimate = mean::by_batches(&per_second, variance, 30, 0.95).unwrap();
    prints(estimate.value, 100.005357353, 9);
    let batch_means: Vec<f64> = series.chunks(200).map(|batch| batch.iter().sum::<f64>() / 200.0).collect();
    let of_batches = mean::estimate(&batch_means, 0.95, 1.0).unwrap();
    close(estimate.low, of_batches.low, 1e-12);
    close(estimate.high, of_batches.high, 1e-12);
    assert!(estimate.low < 100.0 && 100.0 < estimate.high);
    assert_eq!(estimate.sample_count, 6000);
    prints(estimate.design_effect, 19.0907, 4);
}

/// Worked by hand: 10 batches of one second with 10 calls; five seconds with 2 hits, five with 0. p = 0.1;
/// V = 10/9 · 10·(±1)²/100² = 1/900; p(1-p)/n = 0.09/100; D = (1/900)/(0.0009) = 100/81.
#[test]
fn design_effect_of_a_share_by_hand() {
    let seconds: Vec<(u64, u64)> = (0..10).map(|second| (if second % 2 == 0 { 2 } else { 0 }, 10)).collect();
    close(design_effect_of_share(&seconds, USUAL).unwrap(), 100.0 / 81.0, 1e-12);
}

/// Worked by hand, unequal counts: the share is 1/4 in every batch, whatever its size, so nothing varies.
#[test]
fn unequal_batches_with_equal_shares_have_no_excess_variance() {
    let seconds: Vec<(u64, u64)> = (1..=40).map(|second| (second, 4 * second)).collect();
    assert_eq!(design_effect_of_share(&seconds, USUAL), Ok(1.0));
}

/// Worked by hand, unequal counts: 5 batches of (3 hits, 10 calls) and 5 of (0 hits, 20 calls), p = 15/150 = 0.1.
/// Residuals 3 - 1 = 2 and 0 - 2 = -2; V = 10/9 · 10·4/150²; D = V·150/0.09 = (400/9)/(150·0.09).
#[test]
fn unequal_batches_by_hand() {
    let mut seconds = vec![(3, 10); 5];
    seconds.extend([(0, 20); 5]);
    close(design_effect_of_share(&seconds, 10).unwrap(), 400.0 / 9.0 / 13.5, 1e-12);
}

#[test]
fn a_stall_makes_its_calls_worth_little() {
    // One second of 300 is all slow: what looks like 100 exceedances is one event.
    let seconds: Vec<(u64, u64)> = (0..300).map(|second| (if second == 140 { 100 } else { 0 }, 100)).collect();
    let design_effect = design_effect_of_share(&seconds, USUAL).unwrap();
    // One batch of 1000 has 100 hits. V = 30/29·(100² - 100²/30)/30000² = 100²/30000²; p(1-p)/n = (299/300)/300/30000.
    close(design_effect, 100.0 * 300.0 / 299.0, 1e-12);
}

#[test]
fn the_number_of_batches_follows_the_seconds() {
    let varied = |seconds: u64| (0..seconds).map(|second| (second % 3, 10)).collect::<Vec<(u64, u64)>>();
    assert_eq!(design_effect_of_share(&varied(9), 30), Err(StatsError::TooFew { have: 9, need: 10 }));
    assert_eq!(design_effect_of_share(&[], 30), Err(StatsError::TooFew { have: 0, need: 10 }));
    assert!(design_effect_of_share(&varied(10), 30).is_ok());
    assert!(design_effect_of_share(&varied(3607), 30).is_ok());
    assert!(matches!(design_effect_of_share(&varied(100), 9), Err(StatsError::OutOfRange(_))));
    // 100 seconds, but calls in nine of them only.
    let sparse: Vec<(u64, u64)> = (0..100).map(|second| (0, u64::from(second % 11 == 0 && second < 99))).collect();
    assert_eq!(design_effect_of_share(&sparse, 100), Err(StatsError::TooFew { have: 9, need: 10 }));
}

#[test]
fn edges_of_the_design_effect() {
    assert_eq!(design_effect_of_share(&[(0, 10); 30], 30), Ok(1.0));
    assert_eq!(design_effect_of_share(&[(10, 10); 30], 30), Ok(1.0));
    assert!(matches!(design_effect_of_share(&[(11, 10); 30], 30), Err(StatsError::OutOfRange(_))));
    assert!(design_effect_of_share(&[(1, u64::MAX); 30], 30).unwrap() >= 1.0);
    assert_eq!(design_effect_of_mean(&[(1, f64::NAN); 30], 1.0, 30), Err(StatsError::NotFinite));
    assert_eq!(design_effect_of_mean(&[(1, 1.0); 30], f64::NAN, 30), Err(StatsError::NotFinite));
    assert!(matches!(design_effect_of_mean(&[(1, 1.0); 30], -1.0, 30), Err(StatsError::OutOfRange(_))));
    assert_eq!(design_effect_of_mean(&[(1, 1.0); 30], 0.0, 30), Ok(1.0));
    assert_eq!(design_effect_of_mean(&[(1, 1e308); 30], 1.0, 30), Err(StatsError::NotFinite));
    assert_eq!(autocorrelation(&[1.0, 2.0], 1), Err(StatsError::TooFew { have: 2, need: 3 }));
    assert!(matches!(autocorrelation(&[1.0; 9], 1), Err(StatsError::OutOfRange(_))));
}

/// Student's own kind of sum, by hand: 1..5 has mean 3, s² = 2.5, standard error sqrt(0.5); t(4) at 97.5 % is
/// 2.776 445 105 (tables).
#[test]
fn students_interval_by_hand() {
    let values = [1.0, 2.0, 3.0, 4.0, 5.0];
    let estimate = mean::estimate(&values, 0.95, 1.0).unwrap();
    assert_eq!((estimate.value, estimate.sample_count), (3.0, 5));
    close(estimate.high - 3.0, 2.776_445_105 * 0.5f64.sqrt(), 1e-9);
    let wider = mean::estimate(&values, 0.95, 4.0).unwrap();
    close(wider.high - 3.0, 2.0 * (estimate.high - 3.0), 1e-12);
}

#[test]
fn edges_of_the_mean() {
    assert_eq!(mean::estimate(&[], 0.95, 1.0), Err(StatsError::TooFew { have: 0, need: 1 }));
    assert_eq!(mean::estimate(&[1.0], 0.95, 1.0), Err(StatsError::TooFew { have: 1, need: 2 }));
    assert_eq!(mean::estimate(&[1.0, f64::NAN], 0.95, 1.0), Err(StatsError::NotFinite));
    assert_eq!(mean::estimate(&[1e308, 1e308], 0.95, 1.0), Err(StatsError::NotFinite));
    let equal = mean::estimate(&[4.0; 8], 0.95, 1.0).unwrap();
    assert_eq!((equal.low, equal.high), (4.0, 4.0));
    assert!(mean::by_batches(&[(5, 1.0); 9], 1.0, 30, 0.95).is_err());
    // Batches that vary less than chance allows do not narrow the interval below that of independent values.
    let calm = mean::by_batches(&[(10, 100.0); 30], 4.0, 30, 0.95).unwrap();
    close(calm.high - 10.0, 2.045_229_642_132_703 * (4.0f64 / 300.0).sqrt(), 1e-10);
}

#[test]
fn variance_of_a_histogram_is_that_of_its_values() {
    let mut histogram = Histogram::new();
    let values = super::exponential_series();
    for value in &values {
        histogram.record(Nanos((value * 1e6) as i64));
    }
    let exact = moments::variance(&values).unwrap();
    close(moments::variance_of_histogram(&histogram).unwrap(), exact, 1e-3);
    assert!(moments::variance_of_histogram(&Histogram::new()).is_err());
    histogram.record(Nanos::from_secs(4000));
    assert_eq!(moments::variance_of_histogram(&histogram), Err(StatsError::Saturated { count: 1 }));
}
