//! How often a trend over the iterations of a search is claimed where there is none, and found where there is one. An
//! iteration has one value, the mean of its calls; loads rise from one to the next.

use crate::processes::{Kind, Process, Random};
use crate::shifts::STATIONARY;
use stats::trend::line::{FEW_CONFIDENCE, factor_per_doubling};

/// Seconds of each iteration.
const SECONDS: usize = 60;
/// A doubling that changes a value by less than this factor hardly changes it, as the judge has it.
const BAND: f64 = 1.1;

/// Users of each iteration, as the published searches have them.
fn loads(count: usize) -> impl Iterator<Item = f64> {
    (0..count).map(|k| 10.0 + 6.0 * k as f64)
}

/// What is reported about a factor for each doubling.
#[derive(Clone, Copy, Debug, Default)]
struct Said {
    rises: f64,
    falls: f64,
    hardly: f64,
    open: f64,
}

fn said(runs: usize, mut one: impl FnMut() -> Vec<(f64, f64)>, confidence: f64) -> Said {
    let mut said = Said::default();
    let part = 100.0 / runs as f64;
    for _ in 0..runs {
        match factor_per_doubling(&one(), confidence) {
            Ok(of) if of.low > 1.0 / BAND && of.high < BAND => said.hardly += part,
            Ok(of) if of.low > 1.0 => said.rises += part,
            Ok(of) if of.high < 1.0 => said.falls += part,
            _ => said.open += part,
        }
    }
    said
}

/// The mean of a process in each iteration, `growth` times as long for each doubling of the load.
fn means(process: &Process, count: usize, growth: f64, random: &mut Random) -> Vec<(f64, f64)> {
    let of = |load: f64, random: &mut Random| {
        let run = process.run(random);
        let calls = run.iter().map(Vec::len).sum::<usize>().max(1) as f64;
        let mean = run.iter().flatten().sum::<f64>() / calls;
        (load, mean * growth.powf((load / 10.0).log2()))
    };
    loads(count).map(|load| of(load, random)).collect()
}

/// Values that differ by a factor of 1.35 and resemble the one before: by more than what hardly is a change.
fn remembering(count: usize, correlation: f64, random: &mut Random) -> Vec<(f64, f64)> {
    let mut state = random.normal();
    loads(count)
        .map(|load| {
            let value = (load, (0.3 * state).exp());
            state = correlation * state + (1.0 - correlation * correlation).sqrt() * random.normal();
            value
        })
        .collect()
}

/// Values whose spread is sixteen times as large at the last load as at the first.
fn spreading(count: usize, random: &mut Random) -> Vec<(f64, f64)> {
    let spread = |k: usize| 0.005 * 16f64.powf(k as f64 / (count - 1) as f64);
    loads(count).enumerate().map(|(k, load)| (load, 1.0 + spread(k) * random.normal())).collect()
}

#[test]
#[ignore = "prints the figures of docs/methods/trends.md, and takes minutes"]
fn figures_of_the_page() {
    let mut random = Random::new(53);
    for growth in [1.0, 1.2, 1.5] {
        println!("means that grow {growth} times with each doubling, 5, 7, 10 iterations");
        for (name, _, kind) in STATIONARY {
            let process = Process { name, seconds: SECONDS, rate: 16.7, kind };
            let row = [5, 7, 10].map(|k| said(400, || means(&process, k, growth, &mut random), FEW_CONFIDENCE));
            println!("{name}: {row:.1?}");
        }
    }
    for confidence in [0.95, FEW_CONFIDENCE] {
        println!("no trend, values that resemble the one before, at {confidence}");
        for correlation in [0.0, 0.5, 0.9] {
            let row = [5, 7, 10].map(|k| said(4_000, || remembering(k, correlation, &mut random), confidence));
            println!("{correlation}: {row:.1?}");
        }
        let row = [5, 7, 10].map(|k| said(4_000, || spreading(k, &mut random), confidence));
        println!("spread that grows sixteenfold: {row:.1?}");
    }
}

#[test]
fn a_trend_over_iterations_is_seldom_claimed_where_there_is_none() {
    let mut random = Random::new(59);
    let queue = Process { name: "", seconds: SECONDS, rate: 16.7, kind: Kind::Queue(0.8) };
    let none = said(300, || means(&queue, 7, 1.0, &mut random), FEW_CONFIDENCE);
    // 1 % are stated; of 300, eleven would be seen in one of ten thousand tries.
    assert!(none.rises + none.falls < 3.5, "{none:?}");
    let even = said(1_000, || remembering(7, 0.0, &mut random), FEW_CONFIDENCE);
    assert!(even.rises + even.falls < 2.5 && even.hardly < 1.0, "{even:?}");
    let calm = Process { name: "", seconds: SECONDS, rate: 167.0, kind: Kind::Independent };
    let grown = said(100, || means(&calm, 7, 1.5, &mut random), FEW_CONFIDENCE);
    assert!(grown.rises > 95.0 && grown.falls == 0.0, "{grown:?}");
    let still = said(100, || means(&calm, 7, 1.0, &mut random), FEW_CONFIDENCE);
    assert!(still.hardly > 90.0, "{still:?}");
}
