//! How often the interval of a speed-up holds the true one, of few repetitions whose jobs resemble each other.

use crate::processes::Random;
use stats::compare::{hodges_lehmann_ratio, ratio_of_runs};

/// What a repetition is made of, as standard deviations of logarithms.
#[derive(Clone, Copy)]
struct Spread {
    /// Of a repetition, which all of its jobs share.
    repetition: f64,
    /// Of one job.
    job: f64,
    /// Correlation of what one repetition has of its own with that of the next in time.
    memory: f64,
}

/// Of `times` studies with a true speed-up of 1.33 from two to three replicas: how often the 95 % interval holds it, in per
/// cent, and its mean width as a part of the speed-up. Repetitions are taken in turn, 2 3 2 3 …, as `repeat` does.
fn covered(repetitions: usize, jobs: usize, spread: Spread, times: usize, random: &mut Random) -> (f64, f64) {
    const TRUE: f64 = 1.33;
    let (mut hits, mut width) = (0, 0.0);
    for _ in 0..times {
        let mut sides = [Vec::new(), Vec::new()];
        let mut own = random.normal();
        for round in 0..2 * repetitions {
            own = spread.memory * own + (1.0 - spread.memory * spread.memory).sqrt() * random.normal();
            let level = if round % 2 == 0 { TRUE } else { 1.0 };
            let time = |random: &mut Random| level * (spread.repetition * own + spread.job * random.normal()).exp();
            let sum: f64 = (0..jobs).map(|_| time(random)).sum();
            sides[round % 2].push(sum / jobs as f64);
        }
        // As it is printed: the ratio of the times, turned over.
        let by = if repetitions < 4 { ratio_of_runs } else { hodges_lehmann_ratio };
        let ratio = by(&sides[0], &sides[1], 0.95).expect("times above 0");
        let (low, high) = (ratio.high.recip(), ratio.low.recip());
        hits += usize::from(low <= TRUE && TRUE <= high);
        width += (high - low) / TRUE;
    }
    (100.0 * hits as f64 / times as f64, width / times as f64)
}

const INDEPENDENT: Spread = Spread { repetition: 0.0, job: 0.05, memory: 0.0 };
const SHARED: Spread = Spread { repetition: 0.03, job: 0.05, memory: 0.0 };
const DRIFTING: Spread = Spread { repetition: 0.03, job: 0.05, memory: 0.8 };
/// One slow job in the tail of a wide distribution weighs on the mean of its repetition.
const SKEWED: Spread = Spread { repetition: 0.03, job: 0.5, memory: 0.0 };

#[test]
#[ignore = "prints the figures of docs/methods/speed-up.md"]
fn figures_of_the_page() {
    let mut random = Random::new(71);
    for (name, spread) in [("independent", INDEPENDENT), ("shared", SHARED), ("drifting", DRIFTING), ("skewed", SKEWED)]
    {
        for (repetitions, jobs) in [(2, 1), (3, 1), (3, 4), (5, 4), (10, 1)] {
            let (covered, width) = covered(repetitions, jobs, spread, 4000, &mut random);
            println!("{name} {repetitions} × {jobs}: {covered:.1} {:.1}", 100.0 * width);
        }
    }
}

#[test]
fn the_interval_of_a_speed_up_holds_the_true_one_as_often_as_it_says() {
    let mut random = Random::new(73);
    for spread in [INDEPENDENT, SHARED, DRIFTING, SKEWED] {
        for (repetitions, jobs) in [(2, 1), (3, 4), (5, 4)] {
            let (covered, _) = covered(repetitions, jobs, spread, 400, &mut random);
            // 95 % are stated; 400 studies would show less than 91 in one of ten thousand tries.
            assert!(covered >= 91.0, "{repetitions} × {jobs}: {covered}");
        }
    }
}
