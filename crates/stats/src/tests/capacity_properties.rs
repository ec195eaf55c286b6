//! Properties of the functions about capacity and bottlenecks; seeds as in `properties`.

use super::close;
use crate::bottleneck::{Resource, bounds, regress};
use crate::capacity::{CountedOver, TriedLoad, capacity_interval, rate_ratio};
use crate::capacity_nsp::{NspEnd, NspLoad, NspNext, NspRule, NspSearch};
use crate::extrapolate::{Horizon, volume};
use crate::fluid::{Stretch, backlog};
use crate::knee::kneedle;
use crate::search::{NextTrial, Search, SearchRule, Spacing, TrialOutcome};
use crate::skew::{chi_square, fisher, imbalance};
use crate::usl::{Law, Level, fit, throughput};
use proptest::prelude::*;
use proptest::test_runner::{Config, RngSeed};

fn config() -> Config {
    let seed = std::env::var("LOADPROOF_SEED").ok().and_then(|text| text.parse().ok()).unwrap_or(20_261_121);
    println!("LOADPROOF_SEED={seed}");
    Config { rng_seed: RngSeed::Fixed(seed), failure_persistence: None, cases: 100, ..Config::default() }
}

fn rising() -> impl Strategy<Value = Vec<(f64, f64)>> {
    proptest::collection::vec((0.1..10.0, 0.0..100.0), 3..40).prop_map(|steps| {
        let (mut x, mut y) = (0.0, 0.0);
        steps
            .into_iter()
            .map(|(dx, dy)| {
                x += dx;
                y += dy;
                (x, y)
            })
            .collect()
    })
}

proptest! {
    #![proptest_config(config())]

    /// A system that grows with its users up to a load at which it has to be stopped: what is found held, lies not above
    /// that, and no other load that was tried lies between.
    #[test]
    fn steps_with_a_stop_never_find_more_than_the_truth(
        most in 1u64..400, first in (1u32..6, 1u32..4), raise in (1u32..5, 1u32..3), bend in 0.0..0.02,
    ) {
        let rule = NspRule {
            first: NspLoad { threads: first.0, nodes: first.1 },
            raise_threads: raise.0,
            raise_nodes: raise.1,
            target_percent: 60,
            most: NspLoad { threads: 30, nodes: 12 },
        };
        let mut search = NspSearch::new(rule);
        let mut held = Vec::new();
        let end = loop {
            match search.next() {
                NspNext::Run(load) => {
                    let users = load.users() as f64;
                    let done = users / (1.0 + bend * (users - 1.0));
                    if load.users() > most {
                        search.observe_stopped(done);
                    } else {
                        held.push((load.users(), done));
                        search.observe(done, true);
                    }
                }
                NspNext::End(end) => break end,
            }
        };
        match search.best().map(|best| search.steps()[best].load.users()) {
            None => prop_assert!(held.is_empty() && end == NspEnd::Stopped),
            Some(found) => {
                prop_assert!(found <= most);
                // Throughput rises with the users, so the best is the greatest that held.
                prop_assert_eq!(Some(found), held.iter().map(|(users, _)| *users).max());
            }
        }
    }

    #[test]
    fn a_search_always_ends_around_the_capacity(capacity in 0.0..2000.0, passes in 1u32..3, spare in 0u32..2) {
        let rule = SearchRule {
            from: 1.0, to: 1000.0, spacing: Spacing::Geometric { width: 0.02 },
            grain: 0.0, passes, trials: passes + spare, confirm: true, most: 200,
        };
        let mut search = Search::new(rule).unwrap();
        let bracket = loop {
            match search.next() {
                NextTrial::Done(bracket) => break bracket,
                NextTrial::Try { load, .. } | NextTrial::Confirm { load } =>
                    search.observe(if load <= capacity { TrialOutcome::Passed } else { TrialOutcome::Failed }),
            }
        };
        prop_assert!(bracket.held.is_none_or(|held| held <= capacity));
        prop_assert!(bracket.failed.is_none_or(|failed| failed > capacity));
        if let (Some(held), Some(failed)) = (bracket.held, bracket.failed) {
            prop_assert!(held < failed && failed / held <= 1.02 + 1e-9);
        }
        prop_assert!(bracket.held.is_some() || bracket.failed.is_some());
    }

    #[test]
    fn a_search_of_whole_loads_ends_between_two_of_them(capacity in 0u32..300, from in 1u32..20, to in 30u32..250) {
        let rule = SearchRule {
            from: from.into(), to: to.into(), spacing: Spacing::Geometric { width: 0.02 }, grain: 1.0, passes: 1,
            trials: 1, confirm: false, most: 200,
        };
        let mut search = Search::new(rule).unwrap();
        let bracket = loop {
            match search.next() {
                NextTrial::Done(bracket) => break bracket,
                NextTrial::Try { load, .. } | NextTrial::Confirm { load } => {
                    prop_assert!(load.fract() == 0.0 && (rule.from..=rule.to).contains(&load));
                    let holds = load <= f64::from(capacity);
                    search.observe(if holds { TrialOutcome::Passed } else { TrialOutcome::Failed });
                }
            }
        };
        let expected = if capacity < from { (None, Some(from)) }
            else if capacity >= to { (Some(to), None) }
            else { (Some(capacity), Some(capacity + 1)) };
        let (held, failed) = (bracket.held.map(|load| load as u32), bracket.failed.map(|load| load as u32));
        // Above a hundred, a width of 2 % is more than one.
        let is_close = matches!((held, failed), (Some(held), Some(failed))
            if held <= capacity && capacity < failed && f64::from(failed) <= f64::from(held) * 1.02 + 1e-9);
        prop_assert!((held, failed) == expected || is_close, "{bracket:?}");
    }

    #[test]
    fn a_search_among_moody_systems_ends_too(outcomes in proptest::collection::vec(0u8..3, 400)) {
        let rule = SearchRule {
            from: 1.0, to: 1e9, spacing: Spacing::Geometric { width: 1e-6 }, grain: 0.0, passes: 2, trials: 3,
            confirm: true, most: 200,
        };
        let mut search = Search::new(rule).unwrap();
        for outcome in outcomes {
            search.observe([TrialOutcome::Passed, TrialOutcome::Failed, TrialOutcome::Void][usize::from(outcome)]);
        }
        let NextTrial::Done(bracket) = search.next() else { panic!("still running: {:?}", search.next()) };
        if let (Some(held), Some(failed)) = (bracket.held, bracket.failed) {
            prop_assert!(held < failed);
        }
    }

    #[test]
    fn the_step_rule_ends_and_its_best_is_the_best(throughputs in proptest::collection::vec(0.0..200.0, 200)) {
        let rule = NspRule {
            first: NspLoad { threads: 5, nodes: 2 }, raise_threads: 3, raise_nodes: 1, target_percent: 60,
            most: NspLoad { threads: 50, nodes: 10 },
        };
        let mut search = NspSearch::new(rule);
        for throughput in throughputs {
            if let NspNext::Run(load) = search.next() {
                prop_assert!(load.threads <= 50 && load.nodes <= 10);
                search.observe(throughput, true);
            }
        }
        prop_assert!(matches!(search.next(), NspNext::End(_)));
        let best = search.steps()[search.best().unwrap()].throughput_per_s;
        prop_assert!(search.steps().iter().all(|step| step.throughput_per_s <= best));
    }

    #[test]
    fn a_capacity_interval_is_in_order(loads in proptest::collection::vec((0.0..100.0, proptest::option::of(any::<bool>())), 0..20)) {
        let tried: Vec<TriedLoad> = loads.iter().map(|&(load, held)| TriedLoad { load, held }).collect();
        let interval = capacity_interval(&tried).unwrap();
        if let (Some(held), Some(failed)) = (interval.highest_held, interval.lowest_failed) {
            prop_assert!(held < failed);
        }
        let reversed: Vec<TriedLoad> = tried.iter().rev().copied().collect();
        prop_assert_eq!(capacity_interval(&reversed).unwrap(), interval);
    }

    #[test]
    fn a_law_without_noise_gives_its_parameters_back(
        lambda in 1.0..1e4, sigma in 0.001..0.3, kappa in 1e-5..0.01, scale in 1.0..4.0,
    ) {
        let levels: Vec<Level> = (1..=12)
            .map(|k| f64::from(k * k).mul_add(scale, 1.0))
            .map(|load| Level { load, throughput: throughput(lambda, sigma, kappa, load) })
            .collect();
        let found = fit(&levels, Law::Usl).unwrap();
        close(found.lambda, lambda, 1e-3);
        close(found.sigma, sigma, 1e-2);
        close(found.kappa, kappa, 1e-2);
    }

    #[test]
    fn a_fit_never_gets_worse_with_a_parameter_and_scales(
        throughputs in proptest::collection::vec(1.0..1000.0, 6..20), factor in 1e-3..1e6,
    ) {
        let level = |k: usize, throughput: f64| Level { load: 1.0 + k as f64, throughput };
        let levels: Vec<Level> = throughputs.iter().enumerate().map(|(k, &x)| level(k, x)).collect();
        let scaled: Vec<Level> = throughputs.iter().enumerate().map(|(k, &x)| level(k, x * factor)).collect();
        let squares = |law| fit(&levels, law).unwrap().residual_squares;
        prop_assert!(squares(Law::Amdahl) <= squares(Law::Linear) * (1.0 + 1e-9));
        prop_assert!(squares(Law::Usl) <= squares(Law::Amdahl) * (1.0 + 1e-6));
        let (one, other) = (fit(&levels, Law::Usl).unwrap(), fit(&scaled, Law::Usl).unwrap());
        close(other.throughput(3.0), one.throughput(3.0) * factor, 1e-4);
        prop_assert!(one.sigma >= 0.0 && one.kappa >= 0.0 && one.r_squared <= 1.0);
    }

    #[test]
    fn a_knee_is_one_of_the_points_and_does_not_move_with_the_scale(
        points in rising(), sensitivity in 0.0..3.0, power in -8i32..8,
    ) {
        let knee = kneedle(&points, sensitivity).unwrap();
        prop_assert!(knee.is_none_or(|knee| points.iter().any(|point| point.0 == knee)));
        // A power of two leaves every digit as it was.
        let factor = 2f64.powi(power);
        let scaled: Vec<(f64, f64)> = points.iter().map(|&(x, y)| (x * factor, y * factor)).collect();
        prop_assert_eq!(kneedle(&scaled, sensitivity).unwrap(), knee.map(|knee| knee * factor));
    }

    #[test]
    fn a_ratio_of_rates_turns_round(a in 1u64..100_000, b in 1u64..100_000, effect in 1.0..20.0) {
        let one = CountedOver { count: a, seconds: 60.0, design_effect: 1.0 };
        let other = CountedOver { count: b, seconds: 30.0, design_effect: effect };
        let (there, back) = (rate_ratio(one, other, 0.95).unwrap(), rate_ratio(other, one, 0.95).unwrap());
        close(there.value * back.value, 1.0, 1e-12);
        close(there.low * back.high, 1.0, 1e-12);
        prop_assert!(there.low < there.value && there.value < there.high);
    }

    #[test]
    fn an_imbalance_lies_between_nothing_and_everything(values in proptest::collection::vec(0.0..1e6, 2..30)) {
        prop_assume!(values.iter().any(|&value| value > 0.0));
        let found = imbalance(&values).unwrap();
        prop_assert!(0.0 <= found.index && found.index <= values.len() as f64 - 1.0 + 1e-9);
        prop_assert!(values.iter().all(|&value| values[found.smallest] <= value && value <= values[found.largest]));
    }

    #[test]
    fn tests_of_the_same_share_do_not_mind_the_order((k, n) in (1u64..500).prop_flat_map(|n| (0..=n, Just(n))),
                                                     (j, m) in (1u64..500).prop_flat_map(|m| (0..=m, Just(m)))) {
        let (there, back) = (fisher((k, n), (j, m)).unwrap(), fisher((j, m), (k, n)).unwrap());
        close(there.p, back.p, 1e-9);
        prop_assert!((0.0..=1.0).contains(&there.p) && there.p > 0.0);
        if k + j > 0 && k + j < n + m {
            let (there, back) = (chi_square(&[(k, n), (j, m)]).unwrap(), chi_square(&[(j, m), (k, n)]).unwrap());
            prop_assert!((there.statistic - back.statistic).abs() < 1e-9 * (1.0 + there.statistic));
            prop_assert!((0.0..=1.0).contains(&there.p));
        }
    }

    #[test]
    fn bounds_hold_each_other(users in 1.0..500.0, demands in proptest::collection::vec(0.001..2.0, 1..6), think in 0.0..10.0) {
        let resources: Vec<Resource> = demands.iter().map(|&demand_s| Resource { servers: 2.0, demand_s }).collect();
        let found = bounds(users, &resources, think).unwrap();
        prop_assert!(found.throughput_per_s <= found.by_users_per_s && found.throughput_per_s <= found.by_resources_per_s);
        // At the knee both bounds are the same.
        let knee = bounds(found.knee_users, &resources, think).unwrap();
        close(knee.by_users_per_s, knee.by_resources_per_s, 1e-9);
    }

    #[test]
    fn a_line_is_found_again(slope in 1e-5..0.1, intercept in 0.0..2.0, shift in 0.0..1e4) {
        let points: Vec<(f64, f64)> = (1..10).map(|k| f64::from(k) * 37.0).map(|x| (x + shift, intercept + slope * x)).collect();
        let line = regress(&points, 0.95).unwrap();
        close(line.slope.value, slope, 1e-6);
        prop_assert!(line.slope.low <= line.slope.value && line.slope.value <= line.slope.high);
    }

    #[test]
    fn a_backlog_is_never_negative_and_more_service_never_lengthens_it(
        pieces in proptest::collection::vec((0.0..100.0, 0.0..100.0), 0..20), service in 0.0..100.0, more in 0.0..50.0,
    ) {
        let stretches: Vec<Stretch> =
            pieces.iter().map(|&(seconds, arrivals_per_s)| Stretch { seconds, arrivals_per_s }).collect();
        let slow = backlog(3.0, &stretches, service).unwrap();
        let fast = backlog(3.0, &stretches, service + more).unwrap();
        prop_assert!(slow.iter().zip(&fast).all(|(slow, fast)| 0.0 <= *fast && *fast <= *slow + 1e-9));
    }

    #[test]
    fn volumes_grow_with_time_and_shrink_with_the_peak(per_s in 0.0..1e5, hours in 0.1..24.0, days in 0.1..366.0, peak in 1.0..20.0) {
        let rate = crate::Estimate {
            value: per_s, low: per_s * 0.9, high: per_s * 1.1,
            confidence: 0.95, sample_count: 1, design_effect: 1.0, method: "counted",
        };
        let flat = volume(&rate, &Horizon { hours, days, peak_factor: 1.0 }).unwrap();
        let peaked = volume(&rate, &Horizon { hours, days, peak_factor: peak }).unwrap();
        close(peaked.value * peak + 1.0, flat.value + 1.0, 1e-9);
        prop_assert!(flat.low <= flat.value && flat.value <= flat.high);
    }
}
