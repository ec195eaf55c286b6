//! How often a stationary hour is said to have a spike, and how often one that has is found.

use crate::processes::{Kind, Process, Random};
use crate::shifts::{STATIONARY, means};
use stats::outliers::{block_maxima, chance};

/// As the judge looks: the greatest of up to ten seconds each, at least thirty of them where there is time.
fn chance_of_spikes(means: &[f64]) -> f64 {
    let width = (means.len() / 30).clamp(1, 10);
    chance(&block_maxima(means, width), 3).unwrap_or(1.0)
}

/// Share of runs in which spikes are told, where `planted` seconds are `times` as slow as the median.
fn told(process: &Process, runs: usize, p_max: f64, (planted, times): (usize, f64)) -> f64 {
    let mut random = Random::new(29);
    let one = |_: &usize| {
        let mut means = means(&process.run(&mut random));
        let usual = stats::series::median(&means).unwrap_or(0.0);
        let at = means.len() * 2 / 3;
        means[at..at + planted].iter_mut().for_each(|mean| *mean = mean.max(times * usual));
        chance_of_spikes(&means) <= p_max
    };
    (0..runs).filter(one).count() as f64 / runs as f64
}

#[test]
#[ignore = "prints the figures of docs/methods/outliers.md, and takes minutes"]
fn figures_of_the_page() {
    for seconds in [60, 600, 3600] {
        for (name, rate, kind) in STATIONARY.into_iter().chain([("a tail of power 2.5", 20.0, Kind::HeavyTail(2.5))]) {
            let process = Process { name, seconds, rate, kind };
            let hour = 0.01 * seconds as f64 / 3600.0;
            let at = |p_max: f64, planted| 100.0 * told(&process, 400, p_max, planted);
            let none = [at(0.05, (0, 1.0)), at(0.01, (0, 1.0)), at(hour, (0, 1.0)), at(hour / 10.0, (0, 1.0))];
            let found = [at(hour, (1, 3.0)), at(hour, (1, 5.0)), at(hour, (1, 20.0)), at(hour, (3, 5.0))];
            println!("{seconds} {name}: wrong {none:.1?}; one of 3, 5, 20 times, three of 5 times {found:.0?}");
        }
    }
}

#[test]
fn an_hour_without_a_spike_is_seldom_said_to_have_one() {
    for (name, rate, kind) in
        [("0.9 from second to second", 5.0, Kind::FromSecondToSecond(0.9)), ("M/M/1 at 0.8", 5.0, Kind::Queue(0.8))]
    {
        let process = Process { name, seconds: 3600, rate, kind };
        let rate = told(&process, 100, 0.01, (0, 1.0));
        assert!(rate < 0.06, "{name}: {rate}");
    }
}

#[test]
fn a_second_that_is_five_times_as_slow_is_found_where_seconds_are_alike() {
    for seconds in [45, 600, 3600] {
        let process = Process { name: "independent", seconds, rate: 50.0, kind: Kind::Independent };
        assert!(told(&process, 50, 0.001, (1, 5.0)) > 0.95, "{seconds} s");
    }
}
