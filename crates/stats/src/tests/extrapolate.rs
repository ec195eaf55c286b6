use super::{close, prints};
use crate::extrapolate::*;
use crate::{Estimate, StatsError};

/// A week round the clock, flat: 604 800 seconds.
const WEEK: Horizon = Horizon { hours: 24.0, days: 7.0, peak_factor: 1.0 };

fn rate(value: f64) -> Estimate {
    Estimate {
        value,
        low: value * 0.99,
        high: value * 1.01,
        confidence: 0.95,
        sample_count: 1000,
        design_effect: 1.0,
        method: "counted",
    }
}

fn volume_of(per_s: f64, hours: f64, days: f64, peak_factor: f64) -> f64 {
    volume(&rate(per_s), &Horizon { hours, days, peak_factor }).unwrap().value
}

/// Analysis page 2.9: the weeks of MinLog2; 500 registrations a call; ten hours on five days.
#[test]
fn weeks_of_the_published_report() {
    for (per_s, week) in [(103.9, 62_838_720.0), (37.42, 22_631_616.0), (4.19, 2_534_112.0)] {
        let volume = volume(&rate(per_s), &WEEK).unwrap();
        close(volume.value, week, 1e-12);
        close(volume.low, week * 0.99, 1e-12);
        close(volume.high, week * 1.01, 1e-12);
    }
    close(volume_of(4.19 * 500.0, 24.0, 7.0, 1.0), 1_267_056_000.0, 1e-12);
    close(volume_of(103.9, 10.0, 5.0, 1.0), 18_702_000.0, 1e-12);
    assert!(WEEK.is_flat_round_the_clock());
    // A peak hour three times the mean leaves a third.
    close(volume_of(103.9, 24.0, 7.0, 3.0), 62_838_720.0 / 3.0, 1e-12);
}

/// Analysis page 1: the printed "4 milliard" lacks a factor 60; with it, and at the stated ten hours, the real numbers.
#[test]
fn years_of_the_message_adapter() {
    assert_eq!(260 * 24 * 60 * 200, 74_880_000);
    close(volume_of(200.0, 24.0, 260.0, 1.0), 4_492_800_000.0, 1e-12);
    close(volume_of(500.0, 24.0, 260.0, 1.0), 11_232_000_000.0, 1e-12);
    close(volume_of(200.0, 10.0, 260.0, 1.0), 1_872_000_000.0, 1e-12);
    close(volume_of(500.0, 10.0, 260.0, 1.0), 4_680_000_000.0, 1e-12);
    // "Fivefold" of the nominal is two and a half; it is five times the assumed 20 streams of 5/s.
    let exact = |value: f64| (value, value, value);
    assert_eq!(ratio(exact(500.0), exact(200.0)), Ok((2.5, 2.5, 2.5)));
    assert_eq!(ratio(exact(500.0), exact(20.0 * 5.0)), Ok((5.0, 5.0, 5.0)));
    close(16_753_779.0 / 1862.901, 8_993.381_290_79, 1e-11);
}

#[test]
fn a_ratio_is_as_wide_as_its_operands() {
    let (value, low, high) = ratio((20.0, 19.0, 21.0), (10.0, 9.0, 11.0)).unwrap();
    assert_eq!(value, 2.0);
    prints(low, 1.727, 3);
    prints(high, 2.333, 3);
    assert!(ratio((1.0, 1.0, 1.0), (1.0, 0.0, 2.0)).is_err());
    assert_eq!(ratio((f64::NAN, 1.0, 1.0), (1.0, 1.0, 1.0)), Err(StatsError::NotFinite));
}

#[test]
fn horizons_that_mean_nothing_are_refused() {
    for (hours, days, peak_factor) in [(0.0, 7.0, 1.0), (25.0, 7.0, 1.0), (24.0, 0.0, 1.0), (24.0, 7.0, 0.5)] {
        let horizon = Horizon { hours, days, peak_factor };
        assert!(matches!(volume(&rate(1.0), &horizon), Err(StatsError::OutOfRange(_))), "{horizon:?}");
    }
    let horizon = Horizon { hours: 24.0, days: f64::INFINITY, peak_factor: 1.0 };
    assert_eq!(volume(&rate(1.0), &horizon), Err(StatsError::NotFinite));
    assert_eq!(volume(&rate(1e300), &Horizon { days: 1e10, ..WEEK }), Err(StatsError::NotFinite));
}
