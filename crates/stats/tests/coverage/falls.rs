//! How often a fall is reported in throughput that only wanders, and how often a real one is found.

use crate::processes::{Kind, Process, Random};
use crate::shifts::{STATIONARY, means};
use stats::change::fall::first_fall;
use stats::series::{LONGEST, shortened};

/// As the judge has them: a fall by a fifth, levels of half a minute.
const BY: f64 = 0.2;
const LEAST_S: usize = 30;
const LASTS: f64 = 0.9;
const ALARM: f64 = 0.02;

/// Whether a fall is reported in these rates.
fn is_reported(rates: &[f64]) -> bool {
    let (means, width) = shortened(rates, LONGEST);
    let least = (LEAST_S / width).max(5);
    let Ok(Some(fall)) = first_fall(&means, BY, least, ALARM * rates.len() as f64 / 3600.0) else { return false };
    if !fall.is_told {
        return false;
    }
    let after = shortened(&means[fall.at..], 4).0;
    after.iter().all(|mean| *mean < LASTS * fall.before)
}

/// Share of runs with ten users, each calling again as soon as it is answered, in which a fall is reported after `change`
/// of their rate.
fn reported(process: &Process, runs: usize, change: impl Fn(f64) -> f64) -> f64 {
    let mut random = Random::new(29);
    let one = |_: &usize| {
        let times = means(&process.run(&mut random));
        let length = times.len() as f64;
        let rate = |(at, time): (usize, &f64)| (10.0 / time.max(1e-3) * change(at as f64 / length)).round();
        is_reported(&times.iter().enumerate().map(rate).collect::<Vec<_>>())
    };
    (0..runs).filter(one).count() as f64 / runs as f64
}

#[test]
#[ignore = "prints the figures of docs/methods/change-points.md, and takes minutes"]
fn figures_of_the_page() {
    for seconds in [300, 600, 3600] {
        for (name, rate, kind) in STATIONARY {
            let process = Process { name, seconds, rate, kind };
            let of = |change: &dyn Fn(f64) -> f64| 100.0 * reported(&process, 200, change);
            let wrong = of(&|_| 1.0);
            let half = of(&|part| if part < 0.5 { 1.0 } else { 0.6 });
            let late = of(&|part| if part < 0.85 { 1.0 } else { 0.6 });
            println!("{seconds} {name}: wrong {wrong:.1}; half {half:.0}, late {late:.0}");
        }
    }
}

#[test]
fn a_fall_is_seldom_reported_in_throughput_that_wanders() {
    let process = |rate, kind| Process { name: "", seconds: 600, rate, kind };
    let rate = reported(&process(5.0, Kind::FromSecondToSecond(0.9)), 100, |_| 1.0);
    // Levels alone report one in 59 of a hundred.
    assert!(rate < 0.06, "{rate}");
    let found = reported(&process(27.8, Kind::Independent), 50, |part| if part < 0.85 { 1.0 } else { 0.6 });
    assert!(found > 0.9, "{found}");
}
