use super::{close, prints};
use crate::StatsError;
use crate::queues::*;
use crate::reference::ParkMiller;
use crate::{little, tail};

/// Analysis page 2.8: R/S at four utilisations, and the 95th percentile at 100/s and 80/s.
#[test]
fn one_server() {
    for (utilisation, stretch) in [(0.5, 2.0), (0.8, 5.0), (0.9, 10.0), (0.95, 20.0)] {
        let service_rate = 100.0;
        let response = mm1_mean_response(utilisation * service_rate, service_rate).unwrap();
        close(response * service_rate, stretch, 1e-9);
    }
    prints(mm1_quantile_response(80.0, 100.0, 0.95).unwrap(), 0.149787, 6);
    assert_eq!(mm1_quantile_response(80.0, 100.0, 0.0), Ok(0.0));
}

/// Analysis page 2.8; C(2, 1) = 1/3 in any textbook.
#[test]
fn many_servers() {
    prints(erlang_c(8, 7.2).unwrap(), 0.701533, 6);
    prints(mmc_response_over_service(8, 7.2).unwrap(), 1.876916, 6);
    close(erlang_c(2, 1.0).unwrap(), 1.0 / 3.0, 1e-14);
    // One server: everybody who finds it busy waits, and R/S is that of M/M/1.
    close(erlang_c(1, 0.8).unwrap(), 0.8, 1e-14);
    close(mmc_response_over_service(1, 0.8).unwrap(), 5.0, 1e-12);
    assert_eq!(erlang_c(4, 0.0), Ok(0.0));
}

#[test]
fn queues_without_a_steady_state_are_refused() {
    assert_eq!(mm1_mean_response(100.0, 100.0), Err(StatsError::Unstable { utilisation: 1.0 }));
    assert!(matches!(mm1_mean_response(0.0, 0.0), Err(StatsError::Unstable { .. })));
    assert_eq!(mm1_mean_response(f64::NAN, 1.0), Err(StatsError::NotFinite));
    assert!(matches!(mm1_mean_response(-1.0, 1.0), Err(StatsError::OutOfRange(_))));
    assert!(mm1_quantile_response(1.0, 2.0, 1.0).is_err());
    assert!(mm1_quantile_response(1.0, 2.0, f64::NAN).is_err());
    assert_eq!(erlang_c(2, 2.0), Err(StatsError::Unstable { utilisation: 1.0 }));
    assert!(erlang_c(0, 0.0).is_err());
    assert!(lindley(&[0.0, 1.0], &[1.0]).is_err());
    assert_eq!(lindley(&[1.0, 0.0], &[1.0, 1.0]), Err(StatsError::NotSorted));
    assert_eq!(lindley(&[0.0, f64::NAN], &[1.0, 1.0]), Err(StatsError::NotFinite));
    assert!(lindley(&[0.0], &[-1.0]).is_err());
    assert_eq!(lindley(&[], &[]), Ok(vec![]));
}

/// By hand: services of 3 every 2 wait 0, 1, 2, 3; a gap of 10 empties the queue.
#[test]
fn waits_by_hand() {
    assert_eq!(lindley(&[0.0, 2.0, 4.0, 6.0, 16.0], &[3.0; 5]), Ok(vec![0.0, 1.0, 2.0, 3.0, 0.0]));
}

/// Two of the functions against each other: a simulated M/M/1 at 80 % has the mean response of the formula, 50 ms.
#[test]
fn simulated_queue_has_the_mean_of_the_formula() {
    let mut random = ParkMiller::new(7);
    let mut now = 0.0;
    let (mut arrivals, mut services) = (Vec::new(), Vec::new());
    for _ in 0..400_000 {
        now += random.exponential(1.0 / 80.0);
        arrivals.push(now);
        services.push(random.exponential(1.0 / 100.0));
    }
    let waits = lindley(&arrivals, &services).unwrap();
    let mean = waits.iter().zip(&services).map(|(wait, service)| wait + service).sum::<f64>() / 400_000.0;
    // Responses are alike over about (1+ρ)²/(1-ρ)⁴ values; the standard error is then near 2.5 %, the bound four of it.
    close(mean, mm1_mean_response(80.0, 100.0).unwrap(), 0.10);
}

/// Analysis page 2.3: WSO2's published table, and the registration study: generator against access log.
#[test]
fn littles_law_on_published_tables() {
    for (users, throughput, response_ms, expected, percent) in
        [(50.0, 2213.01, 22.5, 49.79, -0.41), (1000.0, 2135.08, 468.25, 999.75, -0.02)]
    {
        let check = little::check(users, throughput, response_ms / 1000.0, 0.0).unwrap();
        prints(check.expected, expected, 2);
        prints(check.ratio_minus_one * 100.0, percent, 2);
    }
    for (users, throughput, server_s, cycle_s, residual_s) in [
        (10.0, 2.76, 3.255, 3.623, 0.368),
        (16.0, 4.19, 3.435, 3.819, 0.384),
        (22.0, 4.24, 4.685, 5.189, 0.504),
        (33.0, 7.20, 4.140, 4.583, 0.443),
        (44.0, 6.25, 6.305, 7.040, 0.735),
    ] {
        prints(little::check(users, throughput, server_s, residual_s).unwrap().ratio_minus_one, 0.0, 3);
        close(server_s + residual_s, cycle_s, 1e-12);
    }
}

/// Analysis page 1: 500/s at 3.649 s are 1824.5 in flight, so 20 threads give at most 5.48/s; 80 users at 2839/s and at
/// least 28.5 ms would need 80.91.
#[test]
fn littles_law_on_the_studies() {
    prints(little::check(20.0, 500.0, 3.649, 0.0).unwrap().expected, 1824.5, 1);
    prints(20.0 / 3.649, 5.48, 2);
    let check = little::check(80.0, 2839.0, 0.0285, 0.0).unwrap();
    prints(check.expected, 80.91, 2);
    assert!(check.ratio_minus_one > 0.0);
}

#[test]
fn littles_law_refuses_what_is_no_number() {
    assert_eq!(little::check(f64::NAN, 1.0, 1.0, 0.0), Err(StatsError::NotFinite));
    assert_eq!(little::check(1.0, 1.0, f64::INFINITY, 0.0), Err(StatsError::NotFinite));
    assert!(little::check(0.0, 1.0, 1.0, 0.0).is_err());
    assert!(little::check(1.0, -1.0, 1.0, 0.0).is_err());
}

/// Analysis page 1: mean 118, p90 99: the slowest tenth has a mean of at least 289 ms.
#[test]
fn mean_above_p90_bounds_the_tail() {
    close(tail::least_mean_of_slowest_tenth(118.0, 99.0).unwrap(), 289.0, 1e-12);
    close(tail::least_mean_above(118.0, 99.0, 0.9).unwrap(), 289.0, 1e-12);
    assert_eq!(tail::least_mean_above(f64::NAN, 1.0, 0.9), Err(StatsError::NotFinite));
    assert!(tail::least_mean_above(1.0, 1.0, 1.0).is_err());
    assert!(tail::least_mean_above(-1.0, 1.0, 0.5).is_err());
}

/// Park & Miller 1988: the 10 000th number from seed 1; the first three from the analysis page.
#[test]
fn the_generator_is_park_and_millers() {
    let mut random = ParkMiller::new(1);
    let first: Vec<u64> = (0..3).map(|_| random.next_number()).collect();
    assert_eq!(first, [16_807, 282_475_249, 1_622_650_073]);
    for _ in 3..9999 {
        random.next_number();
    }
    assert_eq!(random.next_number(), 1_043_618_065);
}
