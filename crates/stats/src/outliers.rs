//! Whether the few greatest values of a series stand apart, or are the end of a long tail. Page: `docs/methods/outliers.md`.

use crate::StatsError;

/// Fewest values, of which the upper half is looked at.
pub const FEWEST: usize = 20;

/// The greatest values of a series that stand farthest apart from the rest.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Apart {
    /// How many.
    pub count: usize,
    /// Chance that any number of them, up to the most that was asked for, stands so far apart in a series without
    /// outliers.
    pub chance: f64,
}

/// Chance that one to `most` of the greatest values of a series without outliers stand as far above the rest as these.
///
/// As [`apart`], which has the conditions, the errors and the source.
pub fn chance(values: &[f64], most: usize) -> Result<f64, StatsError> {
    apart(values, most).map(|found| found.chance)
}

/// Which of the greatest values stand apart, and how likely that is without outliers.
///
/// `values`: any unit, [`FEWEST`] of them or more, not neighbours: of a series whose neighbours resemble each other the
/// greatest of each block ([`block_maxima`]). `most`: 1 up to a quarter of the values. The upper half is put in order; of
/// a tail that falls exponentially, the distances between neighbours in that order, each times its rank, are exponential
/// and independent of each other. The distance below the first, second, … is held against the mean of those further
/// down, and the smallest chance counts `most` times. The greatest of a normal sample lie closer together, so the chance
/// is then less than stated; a tail that falls like a power reaches further, and the chance is greater.
///
/// # Errors
/// [`StatsError::TooFew`], [`StatsError::NotFinite`]; [`StatsError::OutOfRange`] for `most`.
/// Source: A. Rényi, Acta Mathematica Hungarica 4, 1953 (the distances); the ratio of exponential means is an F.
pub fn apart(values: &[f64], most: usize) -> Result<Apart, StatsError> {
    if values.len() < FEWEST {
        return Err(StatsError::TooFew { have: values.len() as u64, need: FEWEST as u64 });
    }
    if values.iter().any(|value| !value.is_finite()) {
        return Err(StatsError::NotFinite);
    }
    if most == 0 || most > values.len() / 4 {
        return Err(StatsError::OutOfRange("`most` must be 1 up to a quarter of the values"));
    }
    let mut sorted = values.to_vec();
    sorted.sort_by(|a, b| b.total_cmp(a));
    let upper = sorted.len().div_ceil(2);
    let distances: Vec<f64> =
        sorted[..upper].windows(2).zip(1u32..).map(|(pair, rank)| f64::from(rank) * (pair[0] - pair[1])).collect();
    let of = |outliers: usize| {
        let rest = &distances[outliers..];
        let mean = rest.iter().sum::<f64>() / rest.len() as f64;
        let distance = distances[outliers - 1];
        if distance <= 0.0 {
            return 1.0;
        }
        // P(F > ratio) with 2 and twice as many degrees of freedom as there are distances in the mean.
        (-(rest.len() as f64) * (distance / mean / rest.len() as f64).ln_1p()).exp()
    };
    let all = (1..=most).map(|count| Apart { count, chance: of(count) });
    let least = all.min_by(|a, b| a.chance.total_cmp(&b.chance)).unwrap_or(Apart { count: 1, chance: 1.0 });
    Ok(Apart { chance: (least.chance * most as f64).min(1.0), ..least })
}

/// The greatest value of each `width` neighbours; of a rest at the end, too.
pub fn block_maxima(values: &[f64], width: usize) -> Vec<f64> {
    values.chunks(width.max(1)).map(|block| block.iter().copied().fold(f64::NEG_INFINITY, f64::max)).collect()
}
