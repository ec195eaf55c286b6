//! How often a level is said to shift that does not, and how often one that does is found.

use crate::processes::{Kind, Process, Random, Run};
use stats::change::shift::{MOST, chance};
use stats::series::shortened;

/// Mean time of each second; one without calls keeps the last.
pub(crate) fn means(run: &Run) -> Vec<f64> {
    let mut last = 0.0;
    let mean = |calls: &Vec<f64>| {
        if !calls.is_empty() {
            last = calls.iter().sum::<f64>() / calls.len() as f64;
        }
        last
    };
    run.iter().map(mean).collect()
}

/// Whether a shift is told where its chance may be so much.
fn is_told(means: &[f64], p_max: f64) -> bool {
    chance(&shortened(means, MOST).0).is_ok_and(|p| p <= p_max)
}

/// Share of runs in which a shift is told, after `change` of the mean of each second by its part of the run.
fn told(process: &Process, runs: usize, p_max: f64, change: impl Fn(f64) -> f64) -> f64 {
    let mut random = Random::new(23);
    let one = |_: &usize| {
        let mut means = means(&process.run(&mut random));
        let length = means.len() as f64;
        means.iter_mut().enumerate().for_each(|(at, mean)| *mean *= change(at as f64 / length));
        is_told(&means, p_max)
    };
    (0..runs).filter(one).count() as f64 / runs as f64
}

pub(crate) const STATIONARY: [(&str, f64, Kind); 7] = [
    ("independent", 27.8, Kind::Independent),
    ("0.5 from second to second", 27.8, Kind::FromSecondToSecond(0.5)),
    ("0.9 from second to second", 27.8, Kind::FromSecondToSecond(0.9)),
    ("stalls of 3 s each 30 s", 16.7, Kind::Stalls { seconds: 3.0, apart: 30.0, is_random: false }),
    ("stalls of 3 s at random", 16.7, Kind::Stalls { seconds: 3.0, apart: 30.0, is_random: true }),
    ("M/M/1 at 0.8", 27.8, Kind::Queue(0.8)),
    ("M/M/1 at 0.95", 27.8, Kind::Queue(0.95)),
];

#[test]
#[ignore = "prints the figures of docs/methods/change-points.md, and takes minutes"]
fn figures_of_the_page() {
    for seconds in [300, 600, 3600] {
        for (name, rate, kind) in STATIONARY {
            let process = Process { name, seconds, rate, kind };
            // One series; and of ten that are looked at, one.
            let hour = 0.01 * seconds as f64 / 3600.0;
            let at = |p_max: f64, change: &dyn Fn(f64) -> f64| 100.0 * told(&process, 400, p_max, change);
            let half = |part: f64| if part < 0.5 { 1.0 } else { 1.5 };
            let late = |part: f64| if part < 0.75 { 1.0 } else { 1.5 };
            let pulse = |part: f64| if (0.4..0.7).contains(&part) { 1.5 } else { 1.0 };
            let wrong = [at(hour, &|_| 1.0), at(hour / 10.0, &|_| 1.0)];
            let found = [at(hour, &half), at(hour, &late), at(hour, &pulse), at(hour / 10.0, &half)];
            println!("{seconds} {name}: wrong {wrong:.1?}; half, late, pulse, half of ten {found:.0?}");
        }
    }
}

#[test]
fn a_level_that_stays_is_seldom_said_to_shift() {
    let process = |name, rate, kind| Process { name, seconds: 3600, rate, kind };
    for process in [
        process("0.9 from second to second", 5.0, Kind::FromSecondToSecond(0.9)),
        process("M/M/1 at 0.8", 5.0, Kind::Queue(0.8)),
    ] {
        let rate = told(&process, 100, 0.01, |_| 1.0);
        // 1 % is stated; six of a hundred would be seen in one of two thousand tries.
        assert!(rate < 0.06, "{}: {rate}", process.name);
    }
}

#[test]
fn half_as_much_again_is_found_in_wandering_times() {
    let process =
        Process { name: "0.9 from second to second", seconds: 3600, rate: 5.0, kind: Kind::FromSecondToSecond(0.9) };
    assert!(told(&process, 50, 0.01, |part| if part < 0.5 { 1.0 } else { 1.5 }) > 0.8);
    assert!(told(&process, 50, 0.01, |part| if (0.4..0.7).contains(&part) { 1.5 } else { 1.0 }) > 0.8);
}
