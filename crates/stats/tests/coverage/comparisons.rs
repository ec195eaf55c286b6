//! How often a comparison of two sides that are alike says that anything differs, all of its rows taken together; and how
//! often an exchange that is slower is found among others.

use crate::processes::{Process, Random, Run};
use crate::shifts::STATIONARY;
use stats::bootstrap::{Cells, Resampling, Statistic, ratio};
use stats::compare::{Comparison, FALSE_CLAIMS, USUAL_BAND, benjamini_hochberg, chance_beyond, judge_ratio};
use terms::{Histogram, Nanos, SparseHistogram};

const STATISTICS: [Statistic; 4] =
    [Statistic::Mean, Statistic::Quantile(0.5), Statistic::Quantile(0.95), Statistic::Quantile(0.99)];

fn cells(run: &Run, factor: f64) -> Cells {
    let second = |calls: &Vec<f64>| {
        let mut times = Histogram::new();
        calls.iter().for_each(|time| times.record(Nanos::from_secs_f64(time * factor * 0.01)));
        times.to_sparse()
    };
    Cells::of_times(&run.iter().map(second).collect::<Vec<SparseHistogram>>())
}

/// What is found in a comparison: any row by itself, any row of the family, and the mean of the slower exchange.
struct Found {
    by_itself: bool,
    together: bool,
    slower: bool,
}

/// One run a side, several exchanges; the first is slower by a factor.
fn compared(process: &Process, exchanges: usize, factor: f64, random: &mut Random) -> Found {
    let mut claims = Vec::new();
    for exchange in 0..exchanges {
        let base = cells(&process.run(random), 1.0);
        let other = cells(&process.run(random), if exchange == 0 { factor } else { 1.0 });
        for statistic in STATISTICS {
            let Ok(found) = ratio(&base, &other, statistic, Resampling::usual(1)) else { continue };
            let wide = (found.ratio.low, found.ratio.high);
            let is_different = judge_ratio(wide, found.narrow, USUAL_BAND) == Comparison::Different;
            let end = if found.ratio.value > 1.0 { wide.0 } else { wide.1 };
            let freedom = (found.blocks - 1.0).max(1.0);
            claims.push((is_different, chance_beyond(found.ratio.value.ln(), end.ln(), 0.0, 0.95, freedom)));
        }
    }
    let p: Vec<f64> = claims.iter().map(|claim| claim.1).collect();
    let adjusted = benjamini_hochberg(&p).expect("chances");
    let stands = |(claim, adjusted): (&(bool, f64), &f64)| claim.0 && *adjusted <= FALSE_CLAIMS;
    let standing: Vec<bool> = claims.iter().zip(&adjusted).map(stands).collect();
    Found {
        by_itself: claims.iter().any(|claim| claim.0),
        together: standing.contains(&true),
        slower: standing.first() == Some(&true),
    }
}

fn rates(process: &Process, exchanges: usize, pairs: usize) -> [f64; 3] {
    let mut random = Random::new(47);
    let alike: Vec<Found> = (0..pairs).map(|_| compared(process, exchanges, 1.0, &mut random)).collect();
    let slower: Vec<Found> = (0..pairs / 2).map(|_| compared(process, exchanges, 1.1, &mut random)).collect();
    let share = |all: &[Found], which: fn(&Found) -> bool| {
        100.0 * all.iter().filter(|found| which(found)).count() as f64 / all.len() as f64
    };
    [share(&alike, |it| it.by_itself), share(&alike, |it| it.together), share(&slower, |it| it.slower)]
}

#[test]
#[ignore = "prints the figures of docs/methods/comparisons.md, and takes minutes"]
fn figures_of_the_page() {
    for (number, (name, _, kind)) in STATIONARY.into_iter().enumerate() {
        let process = Process { name, seconds: if number == 6 { 600 } else { 60 }, rate: 100.0, kind };
        for (exchanges, pairs) in [(1, 200), (5, 100)] {
            let [alone, together, slower] = rates(&process, exchanges, pairs);
            println!(
                "{name}, {} s, {exchanges}: alone {alone:.1}, together {together:.1}; slower {slower:.0}",
                process.seconds
            );
        }
    }
}

#[test]
fn two_runs_that_are_alike_seldom_differ_in_any_row() {
    let (name, _, kind) = STATIONARY[2];
    let [_, together, _] = rates(&Process { name, seconds: 60, rate: 40.0, kind }, 3, 60);
    // 5 % at most; of 60, nine would be seen in one of four hundred tries.
    assert!(together < 15.0, "{together}");
    let (name, _, kind) = STATIONARY[0];
    let [_, _, slower] = rates(&Process { name, seconds: 60, rate: 100.0, kind }, 1, 60);
    assert!(slower > 80.0, "{slower}");
}
