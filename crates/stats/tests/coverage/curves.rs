//! How often a straight curve of throughput against load is said to bend, and a ceiling to be coherency; and how often
//! what bends and falls is found.

use crate::processes::{Kind, Process, Random};
use crate::shifts::STATIONARY;
use stats::knee::{bends, kneedle};
use stats::usl::{Gate, Level, gate};

/// Seconds of each level.
const SECONDS: usize = 60;

/// Throughput of each load as the process makes it: users wait for the mean of what they get, and think.
fn measured(process: &Process, curve: &[(f64, f64)], random: &mut Random) -> Vec<(f64, f64)> {
    let level = |&(load, throughput): &(f64, f64)| {
        let run = process.run(random);
        let calls = run.iter().map(Vec::len).sum::<usize>().max(1) as f64;
        (load, throughput / (run.iter().flatten().sum::<f64>() / calls))
    };
    curve.iter().map(level).collect()
}

/// Throughput of each load, off by a part of it.
fn strayed(noise: f64, curve: &[(f64, f64)], random: &mut Random) -> Vec<(f64, f64)> {
    curve.iter().map(|&(load, throughput)| (load, throughput * (1.0 + noise * random.normal()))).collect()
}

fn has_knee(points: &[(f64, f64)]) -> bool {
    bends(points) == Ok(true) && kneedle(points, 1.0).ok().flatten().is_some()
}

fn has_law(points: &[(f64, f64)]) -> bool {
    let levels: Vec<Level> = points.iter().map(|&(load, throughput)| Level { load, throughput }).collect();
    matches!(gate(&levels, true), Gate::Open(_))
}

/// Evenly spaced up to a hundred, or each a factor above the one before.
fn loads(count: usize, is_even: bool) -> Vec<f64> {
    let place = |k: usize| k as f64 / (count - 1) as f64;
    let even = |k: usize| (100.0 * (k + 1) as f64 / count as f64).round();
    (0..count).map(|k| if is_even { even(k) } else { (2.0 * 50f64.powf(place(k))).round() }).collect()
}

type Law = fn(f64) -> f64;
/// Curves that never fall.
const NEVER_FALL: [(&str, Law); 7] = [
    ("straight line", |n| n),
    ("Amdahl, contention 1 %", |n| n / (1.0 + 0.01 * (n - 1.0))),
    ("Amdahl, contention 5 %", |n| n / (1.0 + 0.05 * (n - 1.0))),
    ("Amdahl, contention 20 %", |n| n / (1.0 + 0.2 * (n - 1.0))),
    ("ceiling at 30", |n| n.min(30.0)),
    ("ceiling at 50", |n| n.min(50.0)),
    ("one server and users who think", thinking),
];
/// Curves that fall.
const FALL: [(&str, Law); 3] = [
    ("peak at 30", |n| n / (1.0 + 0.02 * (n - 1.0) + 0.98 / 900.0 * n * (n - 1.0))),
    ("peak at 50", |n| n / (1.0 + 0.02 * (n - 1.0) + 0.98 / 2500.0 * n * (n - 1.0))),
    ("peak at 70", |n| n / (1.0 + 0.02 * (n - 1.0) + 0.98 / 4900.0 * n * (n - 1.0))),
];

/// Mean value analysis of one server with service times of a fiftieth of the time that users think.
fn thinking(users: f64) -> f64 {
    let (mut queue, mut throughput) = (0.0, 0.0);
    for n in 1..=users as usize {
        let response = 0.02 * (1.0 + queue);
        throughput = n as f64 / (1.0 + response);
        queue = throughput * response;
    }
    throughput
}

fn share(runs: usize, mut one: impl FnMut() -> bool) -> f64 {
    (0..runs).filter(|_| one()).count() as f64 / runs as f64
}

#[test]
#[ignore = "prints the figures of docs/methods/knee.md and scalability-law.md, and takes minutes"]
fn figures_of_the_pages() {
    let mut random = Random::new(31);
    println!("a knee on a straight line, 5, 6, 8, 12 loads: Kneedle alone; with the test");
    for (name, _, kind) in STATIONARY {
        let process = Process { name, seconds: SECONDS, rate: 16.7, kind };
        let mut row = Vec::new();
        for count in [5, 6, 8, 12] {
            let curve: Vec<(f64, f64)> = loads(count, true).into_iter().map(|n| (n, n)).collect();
            let mut alone = 0;
            let both = share(1_000, || {
                let points = measured(&process, &curve, &mut random);
                alone += usize::from(kneedle(&points, 1.0).ok().flatten().is_some());
                has_knee(&points)
            });
            row.push((alone as f64 / 10.0, 100.0 * both));
        }
        println!("{name}: {row:.1?}");
    }
    println!("5, 8, 12 loads with noise of 1, 5, 10 %: a knee");
    for (name, law) in NEVER_FALL {
        let mut row = Vec::new();
        for count in [5, 8, 12] {
            let curve: Vec<(f64, f64)> = loads(count, true).into_iter().map(|n| (n, law(n))).collect();
            for noise in [0.01, 0.05, 0.1] {
                row.push(100.0 * share(1_000, || has_knee(&strayed(noise, &curve, &mut random))));
            }
        }
        println!("{name}: {row:.0?}");
    }
    println!("6, 8, 12 loads, even; then geometric; each with noise of 0.5, 2, 5 %: the law is printed");
    for (name, law) in NEVER_FALL.into_iter().chain(FALL) {
        let mut row = Vec::new();
        for is_even in [true, false] {
            for count in [6, 8, 12] {
                let curve: Vec<(f64, f64)> = loads(count, is_even).into_iter().map(|n| (n, law(n))).collect();
                for noise in [0.005, 0.02, 0.05] {
                    row.push(100.0 * share(200, || has_law(&strayed(noise, &curve, &mut random))));
                }
            }
        }
        println!("{name}: {row:.0?}");
    }
}

#[test]
fn a_straight_line_seldom_has_a_knee_and_a_ceiling_has_one() {
    let mut random = Random::new(37);
    let process = Process { name: "", seconds: SECONDS, rate: 16.7, kind: Kind::Queue(0.8) };
    let line: Vec<(f64, f64)> = loads(6, true).into_iter().map(|n| (n, n)).collect();
    let rate = share(200, || has_knee(&measured(&process, &line, &mut random)));
    // 5 % at most; of 200, 22 would be seen in one of five thousand tries.
    assert!(rate < 0.11, "{rate}");
    let ceiling: Vec<(f64, f64)> = loads(6, true).into_iter().map(|n| (n, n.min(30.0))).collect();
    assert!(share(200, || has_knee(&strayed(0.02, &ceiling, &mut random))) > 0.95);
}

#[test]
fn a_ceiling_is_not_called_coherency() {
    let mut random = Random::new(41);
    for (name, law) in [NEVER_FALL[2], NEVER_FALL[5]] {
        let curve: Vec<(f64, f64)> = loads(8, false).into_iter().map(|n| (n, law(n))).collect();
        let rate = share(100, || has_law(&strayed(0.02, &curve, &mut random)));
        assert!(rate < 0.13, "{name}: {rate}");
    }
    let (_, law) = FALL[1];
    let curve: Vec<(f64, f64)> = loads(8, false).into_iter().map(|n| (n, law(n))).collect();
    assert!(share(100, || has_law(&strayed(0.02, &curve, &mut random))) > 0.9);
}
