//! How often a comparison of two sides that are alike says that anything differs, all of its rows taken together; and how
//! often an exchange that is slower is found among others.

use crate::processes::{Process, Random, Run};
use crate::shifts::STATIONARY;
use stats::bootstrap::{Cells, Resampling, Statistic, exchanged, ratio};
use stats::compare::{
    Comparison, FALSE_CLAIMS, USUAL_BAND, benjamini_hochberg, chance_beyond, judge_difference, judge_ratio,
};
use stats::memory::Memory;
use stats::share::{Counted, newcombe};
use terms::{Histogram, Nanos, SparseHistogram};

/// The share of failures by which two sides may differ and be called equal.
const SHARES_BAND: f64 = 0.001;
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

/// Of each second, the calls that failed and all: those fail that take longer than a time-out.
fn failures(run: &Run, factor: f64, time_out: f64) -> Vec<(u64, u64)> {
    let late = |calls: &&f64| **calls * factor > time_out;
    run.iter().map(|calls| (calls.iter().filter(late).count() as u64, calls.len() as u64)).collect()
}

/// What the times show of their memory.
fn of_times(run: &Run) -> Option<Memory> {
    let mut all = run.concat();
    all.sort_by(f64::total_cmp);
    let sums: Vec<(u64, f64)> = run.iter().map(|calls| (calls.len() as u64, calls.iter().sum())).collect();
    Memory::of_sums(&sums, stats::mean::Spread::of_sorted(&all).ok()?.variance).ok()
}

/// As `judge` compares shares of one run a side: a claim with its chance, or none where a run is too short.
fn share_claim((base, other): (&Run, &Run), factor: f64, time_out: f64) -> Option<(bool, f64)> {
    let memory = |run: &Run, failed: &[(u64, u64)]| {
        Memory::of_share(failed).and_then(|memory| memory.beside(of_times(run).as_ref()).checked()).ok()
    };
    let (base, other) = ((base, failures(base, 1.0, time_out)), (other, failures(other, factor, time_out)));
    let (of_base, of_other) = (memory(base.0, &base.1)?, memory(other.0, &other.1)?);
    let interval = |confidence: f64| {
        let counted = |seconds: &[(u64, u64)], memory: &Memory| {
            let (hits, total) = seconds.iter().fold((0, 0), |sum, second| (sum.0 + second.0, sum.1 + second.1));
            Counted { hits, total, design_effect: memory.effects(confidence).greater() }
        };
        newcombe(counted(&base.1, &of_base), counted(&other.1, &of_other), confidence).ok()
    };
    let (wide, narrow) = (interval(0.95)?, interval(0.9)?);
    let verdict = judge_difference((wide.low, wide.high), (narrow.low, narrow.high), SHARES_BAND);
    let cells = |seconds: &[(u64, u64)]| {
        Cells::of_sums(&seconds.iter().map(|(failed, all)| (*all, *failed as f64)).collect::<Vec<_>>())
    };
    let dealt = exchanged(&cells(&base.1), &cells(&other.1), Statistic::Mean, 1).unwrap_or(1.0);
    let is_different = verdict == Comparison::Different && dealt <= FALSE_CLAIMS;
    let end = if wide.value > 0.0 { wide.low } else { wide.high };
    let freedom = of_base.freedom().min(of_other.freedom());
    Some((is_different, chance_beyond(wide.value, end, 0.0, 0.95, freedom).max(dealt)))
}

/// The time that two calls in a hundred exceed.
fn time_out(process: &Process, random: &mut Random) -> f64 {
    let mut times: Vec<f64> = (0..10).flat_map(|_| process.run(random).concat()).collect();
    times.sort_by(f64::total_cmp);
    times[times.len() * 98 / 100]
}

/// What is found in a comparison: any row by itself, any row of the family, and the mean of the slower exchange.
struct Found {
    by_itself: bool,
    together: bool,
    slower: bool,
}

/// One run a side, several exchanges; the first is slower by a factor.
fn compared(process: &Process, exchanges: usize, factor: f64, time_out: f64, random: &mut Random) -> Found {
    let mut claims = Vec::new();
    for exchange in 0..exchanges {
        let factor = if exchange == 0 { factor } else { 1.0 };
        let (base, other) = (process.run(random), process.run(random));
        let shares = share_claim((&base, &other), factor, time_out);
        let (base, other) = (cells(&base, 1.0), cells(&other, factor));
        for statistic in STATISTICS {
            let Ok(found) = ratio(&base, &other, statistic, Resampling::usual(1)) else { continue };
            let wide = (found.ratio.low, found.ratio.high);
            let dealt = exchanged(&base, &other, statistic, 1).unwrap_or(1.0);
            let is_different =
                judge_ratio(wide, found.narrow, USUAL_BAND) == Comparison::Different && dealt <= FALSE_CLAIMS;
            let end = if found.ratio.value > 1.0 { wide.0 } else { wide.1 };
            let freedom = (found.blocks - 1.0).max(1.0);
            let chance = chance_beyond(found.ratio.value.ln(), end.ln(), 0.0, 0.95, freedom);
            claims.push((is_different, chance.max(dealt)));
        }
        claims.extend(shares);
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
    let time_out = time_out(process, &mut random);
    let mut found =
        |factor, pairs| (0..pairs).map(|_| compared(process, exchanges, factor, time_out, &mut random)).collect();
    let (alike, slower): (Vec<Found>, Vec<Found>) = (found(1.0, pairs), found(1.1, pairs / 2));
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
