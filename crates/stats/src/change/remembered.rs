//! The chance of a level shift in a history whose runs may resemble the runs before them: by resampling, with the place
//! searched anew each time.

use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::{Rng, SeedableRng};

/// Fewest and most resampled histories; the least chance that can be stated is one over one more.
const RESAMPLES: (usize, usize) = (499, 1999);
/// Pairs of places and ends that are looked at in all, about: a third of a second.
const PAIRS: usize = 100_000_000;
/// Resampled histories where one of a family is asked about, at most: seconds for a thousand runs.
const RESAMPLES_OF_FAMILY: usize = 10_000;
/// Correlation from run to run that is allowed for, at most: beyond it, a level and a shift are the same thing.
const MOST_MEMORY: f64 = 0.95;
/// Runs before a resampled history begins, by which its start is forgotten.
const RUN_IN: usize = 60;
/// Fewest runs on either side of a shift.
const SIDE: usize = 2;
/// The same history always gets the same chance.
const SEED: u64 = 0x006c_6f61_6470_726f;

/// Chance that a history of one level looks, somewhere, as if it had shifted as much as this one does.
///
/// The statistic is the greatest t of Student's, with the spread of the whole history, over all places and all ends up to which the history is looked at. It
/// is compared with that of histories made of what the best split leaves, drawn at random and given the memory that it
/// shows from run to run: its first autocorrelation, freed of the bias that removing means brings, and one standard
/// error more. Returns 1 as soon as the chance is surely above `most`; and 1 for fewer than two runs on each side. Of a
/// `family` that is judged together the first must fall below `most` over their number, so there are enough resampled
/// histories to state half of that.
pub(super) fn chance(values: &[f64], most: f64, family: usize) -> f64 {
    let n = values.len();
    if n < 2 * SIDE {
        return 1.0;
    }
    let (seen, at, end) = greatest(values);
    if seen.is_infinite() {
        return 0.0;
    }
    let (rest, parts) = left_over(values, at, end);
    let memory = memory(&rest, parts);
    let mut innovations: Vec<f64> = rest.windows(2).map(|pair| pair[1] - memory * pair[0]).collect();
    let mean = innovations.iter().sum::<f64>() / innovations.len() as f64;
    innovations.iter_mut().for_each(|value| *value -= mean);
    let of_family = ((2.0 * family as f64 / most) as usize).min(RESAMPLES_OF_FAMILY);
    let resamples = (2 * PAIRS / (n * n)).clamp(RESAMPLES.0, RESAMPLES.1).max(of_family);
    let (mut random, mut exceeding) = (Xoshiro256PlusPlus::seed_from_u64(SEED), 0usize);
    let mut made = vec![0.0; n];
    for _ in 0..resamples {
        resample(&innovations, memory, &mut random, &mut made);
        exceeding += usize::from(greatest(&made).0 >= seen);
        if (exceeding + 1) as f64 > most * (resamples + 1) as f64 {
            return 1.0;
        }
    }
    (exceeding + 1) as f64 / (resamples + 1) as f64
}

/// The greatest squared t between `[0, at)` and `[at, end)`, with its place; infinite where no level has any spread.
fn greatest(values: &[f64]) -> (f64, usize, usize) {
    let middle = values.iter().sum::<f64>() / values.len() as f64;
    let (mut sums, mut squares) = (vec![0.0], vec![0.0]);
    for value in values {
        let from = value - middle;
        sums.push(sums[sums.len() - 1] + from);
        squares.push(squares[squares.len() - 1] + from * from);
    }
    // What rounding leaves of a spread that is none.
    let nothing = squares[values.len()] * 1e-13;
    let mut best = (0.0f64, SIDE, values.len());
    let n = values.len();
    for end in 2 * SIDE..=n {
        // The spread of all stretches together: that of two runs beside two would make the greatest t by chance.
        let behind = (n - end) as f64;
        let beyond = if end < n { squares[n] - squares[end] - (sums[n] - sums[end]).powi(2) / behind } else { 0.0 };
        let freedom = if end < n { n as f64 - 3.0 } else { n as f64 - 2.0 };
        for at in SIDE..=end - SIDE {
            let (a, b) = (at as f64, (end - at) as f64);
            let (early, late) = (sums[at] / a, (sums[end] - sums[at]) / b);
            let rest = squares[end] - a * early * early - b * late * late + beyond;
            let distance = (early - late).powi(2);
            let t = if rest > nothing {
                distance / (rest / freedom * (1.0 / a + 1.0 / b))
            } else if distance > nothing {
                f64::INFINITY
            } else {
                0.0
            };
            if t > best.0 {
                best = (t, at, end);
            }
        }
    }
    best
}

/// What the means of the stretches leave, and how many stretches there are.
fn left_over(values: &[f64], at: usize, end: usize) -> (Vec<f64>, usize) {
    let stretches: Vec<&[f64]> =
        [&values[..at], &values[at..end], &values[end..]].into_iter().filter(|part| !part.is_empty()).collect();
    let mut rest = Vec::with_capacity(values.len());
    for part in &stretches {
        let mean = part.iter().sum::<f64>() / part.len() as f64;
        rest.extend(part.iter().map(|value| value - mean));
    }
    (rest, stretches.len())
}

/// Correlation from run to run that is to be allowed for.
fn memory(rest: &[f64], parts: usize) -> f64 {
    let n = rest.len() as f64;
    let squares: f64 = rest.iter().map(|value| value * value).sum();
    if squares <= 0.0 {
        return 0.0;
    }
    let plain = rest.windows(2).map(|pair| pair[0] * pair[1]).sum::<f64>() / squares;
    // Kendall 1954, Marriott & Pope 1954: with one mean removed the estimate is too small by (1 + 3ρ)/n.
    let freed = plain + parts as f64 * (1.0 + 3.0 * plain.max(0.0)) / n;
    let error = ((1.0 - freed * freed).max(0.05) / n).sqrt();
    (freed + error).clamp(0.0, MOST_MEMORY)
}

fn resample(innovations: &[f64], memory: f64, random: &mut Xoshiro256PlusPlus, made: &mut [f64]) {
    let mut draw = || innovations[((u128::from(random.next_u64()) * innovations.len() as u128) >> 64) as usize];
    let mut value = 0.0;
    for _ in 0..RUN_IN {
        value = memory * value + draw();
    }
    for place in made {
        value = memory * value + draw();
        *place = value;
    }
}
