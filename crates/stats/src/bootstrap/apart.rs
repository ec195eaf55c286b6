//! Two sides that lie far apart, where there is too little time for an interval.

use super::{Cells, Statistic};
use crate::StatsError;

/// Each side is cut into so many parts.
pub const PARTS: usize = 4;
/// A part is no shorter, seconds.
const PART_SHORTEST_S: f64 = 2.0;
/// The nearest parts of two sides lie so many times as far apart as the parts of either side among themselves. By
/// simulation: with one, sides that are alike and remember a third of the run come out apart in 14 % of pairs; with two,
/// in 2 %.
const RANGES: f64 = 2.0;

/// How far apart two sides lie at least, as a ratio `other / base`: between the nearest two of four parts of each, where
/// that is more than twice the greatest ratio of parts of one side (by logarithms); else 1.
///
/// Nothing is assumed of distribution or memory. Sides that are alike come out apart in at most 2.3 % of pairs, for
/// memories of up to half of the run, and one that is ten times the other in 92 %; the figures are those of
/// `cargo test -p stats apart`. A level that stays for longer than a run is another level to it, as to every method.
///
/// # Errors
/// [`StatsError::TooFew`], in seconds, when a part is shorter than two; else as [`Cells::value`] of each part;
/// [`StatsError::OutOfRange`] for values of 0 or below. Source: our own, chosen by simulation.
pub fn apart(base: &Cells, other: &Cells, statistic: Statistic) -> Result<f64, StatsError> {
    let (base, other) = (parts(base, statistic)?, parts(other, statistic)?);
    let logs = |side: &[f64]| side.iter().map(|value| value.ln()).collect::<Vec<f64>>();
    Ok(gap(&logs(&base), &logs(&other)).exp())
}

/// From the nearest value of one side to that of the other, below 0 where the other lies below; 0 unless it is more than
/// twice the range of either side.
///
/// Values of some parts of two sides, in any unit.
pub fn gap(base: &[f64], other: &[f64]) -> f64 {
    let least = |side: &[f64]| side.iter().copied().fold(f64::INFINITY, f64::min);
    let greatest = |side: &[f64]| side.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let range = |side: &[f64]| greatest(side) - least(side);
    let (up, down) = (least(other) - greatest(base), greatest(other) - least(base));
    let gap = if up > 0.0 { up } else { down.min(0.0) };
    if gap.abs() > RANGES * range(base).max(range(other)) { gap } else { 0.0 }
}

/// The statistic of each part of one side, all above 0.
fn parts(side: &Cells, statistic: Statistic) -> Result<Vec<f64>, StatsError> {
    side.check(statistic)?;
    let need = PARTS as f64 * PART_SHORTEST_S;
    if side.seconds() < need {
        return Err(StatsError::TooFew { have: side.seconds() as u64, need: need as u64 });
    }
    let count = side.cells.len();
    let value = |part: usize| {
        let cells = side.cells[part * count / PARTS..(part + 1) * count / PARTS].to_vec();
        let value = Cells { cells, buckets: side.buckets.clone(), ..*side }.value(statistic)?;
        if value > 0.0 { Ok(value) } else { Err(StatsError::OutOfRange("a ratio needs values above 0")) }
    };
    (0..PARTS).map(value).collect()
}
