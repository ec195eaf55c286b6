//! Moments: how often one is reported where nothing stands apart, how often a real one is found, and how often something
//! is named beside it that has nothing to do with it.
#![allow(clippy::unwrap_used, reason = "a test")]

#[path = "../../../stats/tests/coverage/processes.rs"]
#[allow(dead_code, reason = "processes of other tests, too")]
mod processes;

use judge::assess::moments::{Course, Demands};
use processes::{Kind, Process, Random};
use terms::Nanos;

/// As the judge has them, for milliseconds.
const SLOW: Demands = Demands { part: 2.0, least: 5.0 };
const WATCHED: Demands = Demands { part: 0.5, least: 0.15 };
/// Series that are asked in one run.
const LOOKS: usize = 4;

fn course(values: impl IntoIterator<Item = f64>) -> Course {
    let second = |(second, value): (i64, f64)| (Nanos::from_secs(second), Nanos::from_secs(second + 1), value);
    Course { values: (0i64..).zip(values).map(second).collect() }
}

/// The slowest call of each second, milliseconds: a usual call takes 10 ms.
fn slowest(process: &Process, random: &mut Random) -> Vec<f64> {
    let run = process.run(random);
    let mut all: Vec<f64> = run.iter().flatten().copied().collect();
    all.sort_by(f64::total_cmp);
    let unit = 10.0 / all[all.len() / 2];
    run.iter().filter_map(|calls| calls.iter().copied().reduce(f64::max)).map(|most| most * unit).collect()
}

/// Shares of runs with a moment: as they are, and where one second in the middle is `times` the median of all seconds'
/// slowest calls.
fn reported(process: &Process, runs: usize, times: f64) -> [f64; 2] {
    let mut random = Random::new(31);
    let mut counts = [0usize; 2];
    for _ in 0..runs {
        let mut values = slowest(process, &mut random);
        // Of four exchanges one is looked at here; each has a quarter of the chance.
        counts[0] += usize::from(!course(values.iter().copied()).apart(SLOW, LOOKS).is_empty());
        let mut sorted = values.clone();
        sorted.sort_by(f64::total_cmp);
        let middle = values.len() / 2;
        values[middle] = times * sorted[sorted.len() / 2];
        let found = course(values).apart(SLOW, LOOKS);
        let at = Nanos::from_secs(middle as i64);
        counts[1] += usize::from(found.iter().any(|one| one.from <= at && at < one.to));
    }
    counts.map(|count| count as f64 / runs as f64)
}

const PROCESSES: [(&str, f64, Kind); 9] = [
    ("independent", 100.0, Kind::Independent),
    ("0.9 from call to call", 100.0, Kind::FromCallToCall(0.9)),
    ("0.9 from second to second", 100.0, Kind::FromSecondToSecond(0.9)),
    ("M/M/1 at 0.8", 100.0, Kind::Queue(0.8)),
    ("M/M/1 at 0.95", 100.0, Kind::Queue(0.95)),
    ("uneven service at 0.8", 100.0, Kind::UnevenQueue(0.8)),
    ("stalls of 3 s each 30 s", 100.0, Kind::Stalls { seconds: 3.0, apart: 30.0, is_random: false }),
    ("slow 5 % of the time, 1 s each", 100.0, Kind::Moods { share: 0.05, seconds: 1.0 }),
    ("a tail of power 2.5", 100.0, Kind::HeavyTail(2.5)),
];

#[test]
#[ignore = "prints the figures of docs/methods/outliers.md, and takes minutes"]
fn figures_of_the_page() {
    for seconds in [20, 60, 600] {
        for (name, rate, kind) in PROCESSES {
            let process = Process { name, seconds, rate, kind };
            let [wrong, five] = reported(&process, 300, 5.0).map(|share| share * 100.0);
            let ten = reported(&process, 300, 10.0)[1] * 100.0;
            println!("{seconds} {name}: wrong {wrong:.1}; 5 times {five:.0}, 10 times {ten:.0}");
        }
    }
    for seconds in [20, 60, 600, 3600] {
        let [named, stated] = beside(seconds, 100, 300);
        println!("{seconds} s, 100 series: named {named:.2} a moment, stated {stated:.2}");
    }
}

/// Watched series that have nothing to do with a moment in the middle: how many are named beside it, and how many it says
/// would be by chance. A quarter each of noise that is normal, exponential, rare and remembers.
fn beside(seconds: usize, series: usize, runs: usize) -> [f64; 2] {
    let mut random = Random::new(37);
    let mut sums = [0.0; 2];
    for _ in 0..runs {
        for place in 0..series {
            let mut state = 0.0;
            let values = (0..seconds).map(|_| match place % 4 {
                0 => 10.0 + random.normal(),
                1 => -random.uniform().max(1e-12).ln(),
                2 => f64::from(u8::from(random.uniform() < 0.002)) * 7.0,
                _ => {
                    state = 0.9 * state + 0.19f64.sqrt() * random.normal();
                    f64::exp(state)
                }
            });
            let course = course(values.collect::<Vec<f64>>());
            let at = Nanos::from_secs((seconds / 2) as i64);
            let around = (at - Nanos::SECOND, at + Nanos::SECOND + Nanos::SECOND);
            sums[0] += f64::from(u8::from(course.beside(WATCHED, around).is_some()));
            sums[1] += course.by_chance(WATCHED, around.1 - around.0);
        }
    }
    sums.map(|sum| sum / runs as f64)
}

#[test]
fn a_moment_is_seldom_reported_where_none_stands_apart() {
    let process = |kind| Process { name: "", seconds: 60, rate: 100.0, kind };
    for kind in [Kind::Independent, Kind::Queue(0.8), Kind::FromSecondToSecond(0.9)] {
        let [wrong, _] = reported(&process(kind), 100, 5.0);
        assert!(wrong <= 0.05, "{wrong}");
    }
    let [_, found] = reported(&process(Kind::Independent), 50, 10.0);
    assert!(found > 0.9, "{found}");
}

#[test]
fn what_is_named_by_chance_is_as_often_as_stated() {
    let [named, stated] = beside(600, 40, 40);
    assert!(named <= stated * 1.5 + 0.05 && stated <= named * 1.5 + 0.15, "{named} {stated}");
}
