//! Tests and shifts by rank: nothing is assumed of the shape of the values.

use crate::special::{normal_quantile, upper_normal};
use crate::{Estimate, StatsError, check_confidence};

/// Up to this many values in all the distribution of ranks is counted out exactly: about three million additions.
const EXACT_MOST: usize = 50;
/// Bound on the pairs of values that are looked at: 4 million differences are 32 MB.
const PAIRS_MOST: usize = 4_000_000;

/// What Mann and Whitney's test says about two samples.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MannWhitney {
    /// The lesser of the two U statistics, as tables have it: pairs of one value each, ties counted half.
    pub u: f64,
    /// Two-sided p: the chance of a U at least so extreme if both samples came from one distribution, 0..=1.
    pub p: f64,
    /// Whether `p` was counted out over all orders of these values, ties included; else it is the normal
    /// approximation with the corrections for ties and for continuity.
    pub is_exact: bool,
    /// A12, the chance that a value of `other` is greater than one of `base`, ties counted half; 0.5 for no shift.
    pub superiority: f64,
    /// Cliff's δ: `2·A12 - 1`, -1..=1.
    pub cliffs_delta: f64,
}

/// Mann and Whitney's test of `base` against `other`, with the effect sizes that go with it.
///
/// Values in any unit and order, at least one on each side. Exact up to 50 values in all. The least two-sided p that n
/// against n values can reach is 0.1 for 3, 0.029 for 4, 0.0079 for 5: with three runs a side nothing is significant.
///
/// # Errors
/// [`StatsError::TooFew`], [`StatsError::NotFinite`], [`StatsError::OutOfRange`] beyond four million pairs.
/// Source: H. B. Mann, D. R. Whitney, Annals of Mathematical Statistics 18 (1), 1947; exact with ties by the
/// permutation distribution of the midranks (E. L. Lehmann, "Nonparametrics", section 1.4); A. Vargha, H. D. Delaney,
/// Journal of Educational and Behavioral Statistics 25 (2), 2000; N. Cliff, Psychological Bulletin 114, 1993.
pub fn mann_whitney(base: &[f64], other: &[f64]) -> Result<MannWhitney, StatsError> {
    check_sides(base, other)?;
    let (m, n) = (base.len(), other.len());
    let ranks = DoubledRanks::of(base, other);
    // Twice the sum of the ranks of `other`, less the least it can be, is twice the number of pairs that it wins.
    let wins = (ranks.sum_of_other as f64 - (n * (n + 1)) as f64) / 2.0;
    let pairs = (m * n) as f64;
    let is_exact = m + n <= EXACT_MOST;
    let p = if is_exact { exact_p(&ranks, n) } else { normal_p(wins, m, n, &ranks.tie_sizes) };
    let superiority = wins / pairs;
    Ok(MannWhitney { u: wins.min(pairs - wins), p, is_exact, superiority, cliffs_delta: 2.0 * superiority - 1.0 })
}

/// The shift from `base` to `other` after Hodges and Lehmann: the median of all differences `other - base`, with the
/// interval that belongs to the rank test.
///
/// In the unit of the values. The interval runs between two of the differences; its ranks come from the exact
/// distribution of U without ties up to 50 values, beyond that from the normal approximation. With ties it is a
/// little wide.
///
/// # Errors
/// [`StatsError::TooFew`] (counting the smaller side) when even the extreme differences carry no such confidence: 95 %
/// needs 4 against 4. Else as [`mann_whitney`].
/// Source: J. L. Hodges, E. L. Lehmann, Annals of Mathematical Statistics 34 (2), 1963; M. Hollander, D. A. Wolfe,
/// "Nonparametric Statistical Methods", section 4.3.
pub fn hodges_lehmann(base: &[f64], other: &[f64], confidence: f64) -> Result<Estimate, StatsError> {
    check_confidence(confidence)?;
    check_sides(base, other)?;
    let (m, n) = (base.len(), other.len());
    let Some(rank) = rank_of_interval(m, n, confidence) else {
        let enough = (1..).find(|&each| rank_of_interval(each, each, confidence).is_some());
        let need = enough.expect("invariant: some number of values carries any confidence below 1");
        return Err(StatsError::TooFew { have: m.min(n) as u64, need: need as u64 });
    };
    let mut differences: Vec<f64> = base.iter().flat_map(|b| other.iter().map(move |o| o - b)).collect();
    if differences.iter().any(|difference| !difference.is_finite()) {
        return Err(StatsError::NotFinite);
    }
    differences.sort_by(f64::total_cmp);
    let pairs = differences.len();
    let value = 0.5 * differences[(pairs - 1) / 2] + 0.5 * differences[pairs / 2];
    Ok(Estimate {
        value,
        low: differences[rank - 1],
        high: differences[pairs - rank],
        confidence,
        sample_count: (m + n) as u64,
        design_effect: 1.0,
        method: "Hodges-Lehmann",
    })
}

/// [`hodges_lehmann`] on the logarithms: the ratio `other / base` with its interval.
///
/// # Errors
/// As [`hodges_lehmann`]; [`StatsError::OutOfRange`] for a value of 0 or below.
pub fn hodges_lehmann_ratio(base: &[f64], other: &[f64], confidence: f64) -> Result<Estimate, StatsError> {
    let shift = hodges_lehmann(&super::runs::logarithms(base)?, &super::runs::logarithms(other)?, confidence)?;
    Ok(Estimate {
        value: shift.value.exp(),
        low: shift.low.exp(),
        high: shift.high.exp(),
        method: "Hodges-Lehmann of logarithms",
        ..shift
    })
}

/// Midranks of both samples together, doubled so that they are whole.
struct DoubledRanks {
    all: Vec<usize>,
    sum_of_other: usize,
    /// How many values share each rank.
    tie_sizes: Vec<usize>,
}

impl DoubledRanks {
    fn of(base: &[f64], other: &[f64]) -> Self {
        let mut values: Vec<(f64, bool)> = base.iter().map(|&value| (value, false)).collect();
        values.extend(other.iter().map(|&value| (value, true)));
        values.sort_by(|a, b| a.0.total_cmp(&b.0));
        let mut ranks = Self { all: Vec::with_capacity(values.len()), sum_of_other: 0, tie_sizes: Vec::new() };
        for equal in values.chunk_by(|a, b| a.0 == b.0) {
            let before = ranks.all.len();
            let doubled = 2 * before + equal.len() + 1;
            ranks.sum_of_other += doubled * equal.iter().filter(|(_, is_other)| *is_other).count();
            ranks.all.extend(std::iter::repeat_n(doubled, equal.len()));
            ranks.tie_sizes.push(equal.len());
        }
        ranks
    }
}

/// Number of ways to choose `count` of the ranks with each sum.
fn ways(ranks: &[usize], count: usize) -> Vec<f64> {
    let most: usize = ranks.iter().sum();
    let mut ways = vec![vec![0.0; most + 1]; count + 1];
    ways[0][0] = 1.0;
    for &rank in ranks {
        for chosen in (0..count).rev() {
            let (fewer, more) = ways.split_at_mut(chosen + 1);
            for sum in (rank..=most).rev() {
                more[0][sum] += fewer[chosen][sum - rank];
            }
        }
    }
    ways.swap_remove(count)
}

/// Twice the smaller tail of the permutation distribution, at most 1.
fn exact_p(ranks: &DoubledRanks, n: usize) -> f64 {
    let ways = ways(&ranks.all, n);
    let all: f64 = ways.iter().sum();
    let below: f64 = ways[..=ranks.sum_of_other].iter().sum();
    let above: f64 = ways[ranks.sum_of_other..].iter().sum();
    (2.0 * below.min(above) / all).min(1.0)
}

fn normal_p(wins: f64, m: usize, n: usize, tie_sizes: &[usize]) -> f64 {
    let (m, n) = (m as f64, n as f64);
    let total = m + n;
    let ties: f64 = tie_sizes.iter().map(|&size| (size as f64).powi(3) - size as f64).sum();
    let variance = m * n / 12.0 * (total + 1.0 - ties / (total * (total - 1.0)));
    let off = ((wins - m * n / 2.0).abs() - 0.5).max(0.0);
    // All values equal: there is no other order.
    if variance > 0.0 { (2.0 * upper_normal(off / variance.sqrt())).min(1.0) } else { 1.0 }
}

/// The greatest rank `r` for which the interval between the r-th least and the r-th greatest difference still has the
/// confidence.
fn rank_of_interval(m: usize, n: usize, confidence: f64) -> Option<usize> {
    let miss = (1.0 - confidence) / 2.0;
    if m + n > EXACT_MOST {
        let (m, n) = (m as f64, n as f64);
        let deviation = (m * n * (m + n + 1.0) / 12.0).sqrt();
        let rank = (m * n / 2.0 + normal_quantile(miss) * deviation).floor();
        return (rank >= 1.0).then_some(rank as usize);
    }
    let ranks: Vec<usize> = (1..=m + n).collect();
    let least = n * (n + 1) / 2;
    let ways = ways(&ranks, n);
    let all: f64 = ways.iter().sum();
    let mut tail = 0.0;
    let mut rank = None;
    for u in 0..m * n / 2 {
        tail += ways[least + u];
        if tail / all > miss * (1.0 + 1e-12) {
            break;
        }
        rank = Some(u + 1);
    }
    rank
}

fn check_sides(base: &[f64], other: &[f64]) -> Result<(), StatsError> {
    if base.is_empty() || other.is_empty() {
        return Err(StatsError::TooFew { have: 0, need: 1 });
    }
    if base.iter().chain(other).any(|value| !value.is_finite()) {
        return Err(StatsError::NotFinite);
    }
    if base.len().saturating_mul(other.len()) > PAIRS_MOST {
        return Err(StatsError::OutOfRange("more than four million pairs; compare one value for each run"));
    }
    Ok(())
}
