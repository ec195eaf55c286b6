//! Blocks of both sides dealt out anew: known answers, and how often two that are alike come out unlike.

use super::close;
use crate::StatsError;
use crate::bootstrap::{Cells, Statistic, exchanged};
use crate::reference::ParkMiller;
use terms::{Histogram, Nanos};

/// Ten calls a second, the mean of each second as given.
fn means(of: impl IntoIterator<Item = f64>) -> Cells {
    let seconds: Vec<(u64, f64)> = of.into_iter().map(|mean| (10, 10.0 * mean)).collect();
    Cells::of_sums(&seconds)
}

/// A minute with stalls in these seconds, and a little unrest so that memory is a second.
fn stalled(at: &[usize]) -> Cells {
    means((0..60).map(|second| if at.contains(&second) { 100.0 } else { 1.0 + 0.01 * (second * 7 % 5) as f64 }))
}

fn of_means(base: &Cells, other: &Cells) -> f64 {
    exchanged(base, other, Statistic::Mean, 1).unwrap()
}

#[test]
fn bursts_on_one_side_alone_are_counted_out() {
    // Of all ways to deal out three blocks to sides of n, both or neither on one side: 2·C(n,3)/C(2n,3), which is 0.21
    // for the ten blocks of six seconds that this memory makes at the most, and 0.24 for thirty of two.
    let chance = of_means(&stalled(&[5, 25, 45]), &stalled(&[]));
    assert!((0.15..0.30).contains(&chance), "{chance}");
    // Nine against none: 2/2^9 at the least.
    let many = of_means(&stalled(&[2, 9, 15, 22, 29, 35, 42, 49, 55]), &stalled(&[]));
    assert!(many < 0.02, "{many}");
}

#[test]
fn what_is_alike_is_never_unlike_and_what_is_shifted_always() {
    let (one, shifted) = (stalled(&[]), means((0..60).map(|second| 1.1 + 0.01 * (second * 3 % 5) as f64)));
    close(of_means(&one, &one), 1.0, 1e-12);
    close(of_means(&one, &shifted), 0.001, 1e-12);
    close(of_means(&shifted, &one), 0.001, 1e-12);
}

#[test]
fn percentiles_and_rates_are_those_of_the_blocks() {
    let side = |base_ms: f64, each: usize| {
        let second = |second: usize| {
            let mut times = Histogram::new();
            (0..each).for_each(|k| times.record(Nanos::from_secs_f64((base_ms + ((second + k) % 10) as f64) / 1e3)));
            times.to_sparse()
        };
        Cells::of_times(&(0..40).map(second).collect::<Vec<_>>())
    };
    let (base, slower, busier) = (side(10.0, 20), side(12.0, 20), side(10.0, 21));
    let of = |other: &Cells, statistic| exchanged(&base, other, statistic, 1).unwrap();
    for statistic in [Statistic::Mean, Statistic::Quantile(0.5), Statistic::Quantile(0.95)] {
        assert!(of(&slower, statistic) < 0.005, "{statistic:?}");
    }
    assert!(of(&busier, Statistic::PerSecond) < 0.005);
    assert!(of(&slower, Statistic::PerSecond) > 0.5, "as many calls");
}

#[test]
fn sides_of_other_lengths_have_blocks_of_one_length() {
    // Five minutes are cells of two seconds, ten of three, and blocks a multiple of both.
    let level = |seconds: usize, level: f64| means((0..seconds).map(|second| level + 0.01 * (second * 7 % 5) as f64));
    close(of_means(&level(300, 1.0), &level(600, 1.5)), 0.001, 1e-12);
    let short = means([1.0; 7]);
    let refused = exchanged(&short, &level(60, 1.0), Statistic::Mean, 1);
    assert!(matches!(refused, Err(StatsError::TooFew { have: 7, .. })), "{refused:?}");
    let empty = Cells::of_sums(&[]);
    assert!(exchanged(&empty, &short, Statistic::Mean, 1).is_err());
}

/// Under independence the chance is uniform: at most 5 % in one of twenty pairs.
#[test]
fn equal_sides_come_out_unlike_as_often_as_stated() {
    let mut random = ParkMiller::new(11);
    let mut minute = || means((0..60).map(|_| random.exponential(10.0)).collect::<Vec<_>>());
    let pairs = 300;
    let chances = (0..pairs).map(|_| exchanged(&minute(), &minute(), Statistic::Mean, 1));
    // What seems to remember too much by chance is refused.
    let told: Vec<f64> = chances.flatten().collect();
    assert!(told.len() > 280, "{}", told.len());
    let unlike = told.iter().filter(|chance| **chance <= 0.05).count();
    // 15 are expected; 30 or more in one of four thousand tries.
    assert!((3..30).contains(&unlike), "{unlike} of {pairs}");
}
