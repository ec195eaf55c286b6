use super::{close, prints};
use crate::StatsError;
use crate::knee::{bends, kneedle};
use crate::usl::*;

/// Cisco's benchmark of 32 loads, the example of N. J. Gunther's book as the libraries usl4j and usl-rs have it.
const CISCO: [f64; 32] = [
    955.16, 1878.91, 2688.01, 3548.68, 4315.54, 5130.43, 5931.37, 6531.08, 7219.8, 7867.61, 8278.71, 8646.7, 9047.84,
    9426.55, 9645.37, 9897.24, 10097.6, 10240.5, 10532.39, 10798.52, 11151.43, 11518.63, 11806.0, 12089.37, 12075.41,
    12177.29, 12211.41, 12158.93, 12155.27, 12118.04, 12140.4, 12074.39,
];
/// MinLog2, citizen lookup: users and calls a second.
pub(super) const CITIZEN: [(f64, f64); 10] = [
    (10.0, 18.1),
    (16.0, 23.18),
    (24.0, 34.44),
    (32.0, 46.78),
    (40.0, 56.17),
    (48.0, 67.9),
    (56.0, 79.31),
    (64.0, 90.3),
    (72.0, 103.9),
    (80.0, 112.02),
];
const HELPER: [(f64, f64); 7] =
    [(10.0, 15.26), (16.0, 23.44), (22.0, 31.69), (28.0, 37.42), (34.0, 35.83), (42.0, 50.03), (56.0, 43.66)];
/// Its registration, the fourth as 7.2.
pub(super) const REGISTRATION: [(f64, f64); 5] = [(10.0, 2.76), (16.0, 4.19), (22.0, 4.24), (33.0, 7.2), (44.0, 6.25)];

fn levels(pairs: &[(f64, f64)]) -> Vec<Level> {
    pairs.iter().map(|&(load, throughput)| Level { load, throughput }).collect()
}

fn cisco() -> Vec<Level> {
    CISCO.iter().zip(1..).map(|(&throughput, n)| Level { load: f64::from(n), throughput }).collect()
}

/// Analysis page 2.3; the book's own parameters agree within 0.02 %.
#[test]
fn cisco_as_in_the_book() {
    let usl = fit(&cisco(), Law::Usl).unwrap();
    close(usl.sigma, 0.026_715_945_5, 1e-6);
    close(usl.kappa, 7.690_938_9e-4, 1e-6);
    close(usl.lambda, 995.648_788_8, 1e-6);
    close(usl.sigma, 0.026_715_91, 2e-4);
    close(usl.kappa, 7.690_945e-4, 2e-4);
    close(usl.lambda, 995.648_6, 2e-4);
    let peak = usl.load_at_peak().unwrap();
    prints(peak, 35.5738, 4);
    prints(usl.throughput(peak), 12342.8526, 2);
    prints(usl.throughput(35.0), 12341.7457, 2);
    prints(usl.r_squared, 0.997151, 6);
    prints(usl.aicc, 341.4, 1);
    prints(fit(&cisco(), Law::Linear).unwrap().aicc, 491.0, 1);
    prints(fit(&cisco(), Law::Amdahl).unwrap().aicc, 374.7, 1);
    // The curve levels off and hardly falls: a ceiling leaves 1 101 163, the law 1 024 537, so κ is not established.
    assert!(
        matches!(gate(&cisco(), true), Gate::Closed(Closed::CeilingFits { advantage }) if (2.0..2.6).contains(&advantage))
    );
    assert_eq!(gate(&cisco(), false), Gate::Closed(Closed::SeveralRegimes));
}

/// usl4j's table of a model with σ 0.06, κ 0.06, λ 40, read at the concurrency that each response time implies.
#[test]
fn a_model_of_usl4j() {
    for (response_s, expected) in [(0.03, 69.388_866_65), (0.04, 82.915_619_76), (0.05, 84.063_468_09)] {
        // X(R): N = X·R put into the law and solved for X, by bisection on N.
        let (mut low, mut high) = (1.0, 100.0);
        for _ in 0..200 {
            let n: f64 = 0.5 * (low + high);
            if n / throughput(40.0, 0.06, 0.06, n) < response_s { low = n } else { high = n }
        }
        close(throughput(40.0, 0.06, 0.06, low), expected, 1e-6);
    }
}

/// Analysis page 2.3: a curve without noise gives its parameters back.
#[test]
fn a_synthetic_curve() {
    let points = [
        (1.0, 100.0),
        (2.0, 189.7533),
        (4.0, 340.7155),
        (8.0, 547.1956),
        (12.0, 661.5215),
        (16.0, 717.4888),
        (20.0, 738.0074),
        (24.0, 737.5538),
        (32.0, 705.7786),
    ];
    for (load, expected) in points {
        prints(throughput(100.0, 0.05, 0.002, load), expected, 4);
    }
    let usl = fit(&levels(&points), Law::Usl).unwrap();
    close(usl.lambda, 100.0, 1e-6);
    close(usl.sigma, 0.05, 1e-5);
    close(usl.kappa, 0.002, 1e-5);
    close(usl.load_at_peak().unwrap(), 21.794_494_718, 1e-5);
    close(usl.throughput(usl.load_at_peak().unwrap()), 739.765_462, 1e-6);
    assert!(matches!(gate(&levels(&points), true), Gate::Open(fit) if fit == Box::new(usl)));
}

/// Analysis page 2.3: the citizen lookup does not bend; nothing of the law may be printed.
#[test]
fn citizen_is_not_identified() {
    let data = levels(&CITIZEN);
    let usl = fit(&data, Law::Usl).unwrap();
    prints(usl.sigma, 4.9e-4, 5);
    prints(usl.standard_errors[1], 2.9e-3, 4);
    assert_eq!(usl.kappa, 0.0);
    prints(usl.standard_errors[2], 2.6e-5, 6);
    prints(fit(&data, Law::Linear).unwrap().aicc, 14.2, 1);
    prints(fit(&data, Law::Amdahl).unwrap().aicc, 17.2, 1);
    prints(usl.aicc, 23.2, 1);
    assert!(matches!(gate(&data, true), Gate::Closed(Closed::NoBend { advantage }) if advantage < 0.0));
}

#[test]
fn helper_mixes_two_regimes_and_registration_is_too_short() {
    let helper = fit(&levels(&HELPER), Law::Usl).unwrap();
    prints(helper.kappa, 3.16e-4, 6);
    prints(helper.r_squared, 0.921, 3);
    prints(helper.load_at_peak().unwrap(), 56.0, 0);
    assert_eq!(gate(&levels(&HELPER), false), Gate::Closed(Closed::SeveralRegimes));
    let registration = fit(&levels(&REGISTRATION), Law::Usl).unwrap();
    prints(registration.r_squared, 0.857, 3);
    assert_eq!(gate(&levels(&REGISTRATION), true), Gate::Closed(Closed::TooFewLevels { have: 5 }));
}

#[test]
fn a_peak_far_beyond_the_tested_loads_is_not_printed() {
    // Slightly bent: the peak of λ100 σ.02 κ1e-5 lies at 313 users, tried were 40.
    let data: Vec<Level> = (1..=8)
        .map(|k| {
            let load = f64::from(k) * 5.0;
            Level { load, throughput: throughput(100.0, 0.02, 1e-5, load) }
        })
        .collect();
    assert!(matches!(gate(&data, true), Gate::Closed(Closed::PeakOutOfReach { load_at_peak }) if load_at_peak > 300.0));
}

#[test]
fn what_cannot_be_fitted_is_refused() {
    assert_eq!(fit(&cisco()[..3], Law::Usl), Err(StatsError::TooFew { have: 3, need: 4 }));
    assert!(fit(&levels(&[(0.0, 1.0), (1.0, 1.0)]), Law::Linear).is_err());
    assert!(fit(&levels(&[(1.0, 0.0), (2.0, 0.0)]), Law::Linear).is_err());
    assert_eq!(fit(&levels(&[(1.0, f64::NAN), (2.0, 0.0)]), Law::Linear), Err(StatsError::NotFinite));
    // Equal loads do not tell the parameters apart; nothing is printed, nothing panics.
    assert!(matches!(gate(&levels(&[(5.0, 10.0); 9]), true), Gate::Closed(Closed::TooFewLevels { have: 1 })));
    assert!(fit(&levels(&[(5.0, 10.0); 9]), Law::Usl).is_ok());
}

/// kneed 0.9.0 on Python: the figure of the paper, its bumps example, and Cisco at five sensitivities.
#[test]
fn knees_of_a_second_implementation() {
    let figure: Vec<(f64, f64)> = (0..10).map(|i| f64::from(i) / 9.0).map(|x| (x, -1.0 / (x + 0.1) + 5.0)).collect();
    prints(kneedle(&figure, 1.0).unwrap().unwrap(), 0.2222, 4);
    let early: Vec<(f64, f64)> = [0.0, 60.0, 80.0, 85.0, 90.0, 95.0, 96.0, 97.0, 98.0, 99.0]
        .into_iter()
        .zip(0..)
        .map(|(y, x)| (f64::from(x), y))
        .collect();
    assert_eq!(kneedle(&early, 1.0), Ok(Some(2.0)));
    let cisco: Vec<(f64, f64)> = CISCO.iter().zip(1..).map(|(&y, n)| (f64::from(n), y)).collect();
    for (sensitivity, knee) in
        [(0.0, Some(14.0)), (1.0, Some(14.0)), (2.0, Some(14.0)), (5.0, Some(22.0)), (10.0, None)]
    {
        assert_eq!(kneedle(&cisco, sensitivity), Ok(knee), "S = {sensitivity}");
    }
    assert_eq!(kneedle(&CITIZEN, 1.0), Ok(None));
}

#[test]
fn what_has_no_knee() {
    assert_eq!(kneedle(&[(0.0, 5.0), (1.0, 5.0), (2.0, 5.0)], 1.0), Ok(None));
    assert_eq!(kneedle(&[(0.0, 0.0), (1.0, 1.0), (2.0, 2.0)], 0.0), Ok(None));
    assert!(kneedle(&[(0.0, 0.0), (1.0, 1.0)], 1.0).is_err());
    assert_eq!(kneedle(&[(0.0, 0.0), (0.0, 1.0), (1.0, 1.0)], 1.0), Err(StatsError::NotSorted));
    assert!(kneedle(&[(0.0, 0.0), (1.0, f64::NAN), (2.0, 1.0)], 1.0).is_err());
}

#[test]
fn what_bends_by_more_than_chance() {
    // Kendall's S of the throughput of one: 10 of 10 pairs fall, p 0.014; 6 of 10 net, p 0.11.
    let points =
        |each: [f64; 5]| each.into_iter().zip(1..).map(|(x, n)| (f64::from(n), f64::from(n) * x)).collect::<Vec<_>>();
    assert_eq!(bends(&points([5.0, 4.9, 4.8, 4.0, 3.0])), Ok(true));
    assert_eq!(bends(&points([5.0, 4.8, 4.9, 5.1, 3.0])), Ok(false));
    assert_eq!(bends(&points([3.0, 4.0, 4.8, 4.9, 5.0])), Ok(false));
    // One user fetches 1.81 a second, of eighty each 1.40.
    assert_eq!(bends(&CITIZEN), Ok(true));
    assert!(bends(&[(1.0, 1.0), (2.0, 2.0)]).is_err());
    assert!(bends(&[(0.0, 1.0), (1.0, 1.0), (2.0, 2.0), (3.0, 3.0)]).is_err());
}
