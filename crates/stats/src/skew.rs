//! Whether instances share the work evenly, and whether a difference in failures is more than chance. Page:
//! `docs/methods/skew.md`.

use crate::StatsError;
use crate::special::ln_choose;
use statrs::function::gamma::gamma_ur;

/// How uneven values are over instances.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Imbalance {
    /// `max/mean - 1`: 0 when even; 1 when one of two does everything.
    pub index: f64,
    /// The instance with the largest value, counted from 0.
    pub largest: usize,
    /// The instance with the smallest value, counted from 0.
    pub smallest: usize,
}

/// The imbalance of one value for each instance (requests, CPU seconds), all 0 or more.
///
/// # Errors
/// [`StatsError::TooFew`] for fewer than 2; [`StatsError::NotFinite`]; [`StatsError::OutOfRange`] for a negative value or
/// when all are 0.
pub fn imbalance(values: &[f64]) -> Result<Imbalance, StatsError> {
    if values.len() < 2 {
        return Err(StatsError::TooFew { have: values.len() as u64, need: 2 });
    }
    if values.iter().any(|value| !value.is_finite()) {
        return Err(StatsError::NotFinite);
    }
    if values.iter().any(|&value| value < 0.0) {
        return Err(StatsError::OutOfRange("values must be 0 or more"));
    }
    let at = |index: &usize| values[*index];
    let order = |a: &usize, b: &usize| at(a).total_cmp(&at(b));
    let largest = (0..values.len()).rev().max_by(order).unwrap_or(0);
    let smallest = (0..values.len()).min_by(order).unwrap_or(0);
    // Divided before they are added, so that huge values do not overflow.
    let mean: f64 = values.iter().map(|value| value / values.len() as f64).sum();
    if mean <= 0.0 {
        return Err(StatsError::OutOfRange("at least one value must be above 0"));
    }
    Ok(Imbalance { index: (values[largest] / mean - 1.0).max(0.0), largest, smallest })
}

/// A test of the same share everywhere.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SameShare {
    /// The statistic: χ², or for Fisher's test the chance of the table itself.
    pub statistic: f64,
    /// The chance of at least such a difference if the shares are equal, 0..=1.
    pub p: f64,
}

/// Pearson's χ² that the share of hits is the same in all instances; `k - 1` degrees of freedom, no continuity correction.
///
/// `counts`: `(hits, total)` of at least 2 instances, `hits <= total`, each total above 0. Reliable when every expected
/// count is 5 or more; for two instances with less use [`fisher`]. Assumes independent calls.
///
/// # Errors
/// [`StatsError::TooFew`], [`StatsError::OutOfRange`]; the latter too when nothing or everything is a hit.
/// Source: K. Pearson, Phil. Mag. 50, 1900.
pub fn chi_square(counts: &[(u64, u64)]) -> Result<SameShare, StatsError> {
    if counts.len() < 2 {
        return Err(StatsError::TooFew { have: counts.len() as u64, need: 2 });
    }
    if counts.iter().any(|&(hits, total)| hits > total || total == 0) {
        return Err(StatsError::OutOfRange("hits must not exceed their total, and totals must be above 0"));
    }
    let hits: f64 = counts.iter().map(|count| count.0 as f64).sum();
    let total: f64 = counts.iter().map(|count| count.1 as f64).sum();
    let share = hits / total;
    if share <= 0.0 || share >= 1.0 {
        return Err(StatsError::OutOfRange("there must be hits and misses"));
    }
    // Hits and misses of one instance deviate alike: d²/(n·p) + d²/(n·(1-p)) = d²/(n·p·(1-p)).
    let statistic: f64 = counts
        .iter()
        .map(|&(hits, n)| (hits as f64 - n as f64 * share).powi(2) / (n as f64 * share * (1.0 - share)))
        .sum();
    let freedom = counts.len() as f64 - 1.0;
    let p = if statistic > 0.0 { gamma_ur(freedom / 2.0, statistic / 2.0) } else { 1.0 };
    Ok(SameShare { statistic, p: p.clamp(0.0, 1.0) })
}

/// Fisher's exact test, two-sided, that two shares are the same: the sum of all tables that are no likelier than this one.
///
/// `a`, `b`: `(hits, total)`, `hits <= total`, totals above 0 and at most a million together.
///
/// # Errors
/// [`StatsError::OutOfRange`].
/// Source: R. A. Fisher, "Statistical Methods for Research Workers", 1934, section 21.02.
pub fn fisher(a: (u64, u64), b: (u64, u64)) -> Result<SameShare, StatsError> {
    /// Every table is visited; beyond this, χ² is as good.
    const MOST: u64 = 1_000_000;
    if a.0 > a.1 || b.0 > b.1 || a.1 == 0 || b.1 == 0 {
        return Err(StatsError::OutOfRange("hits must not exceed their total, and totals must be above 0"));
    }
    if a.1.saturating_add(b.1) > MOST {
        return Err(StatsError::OutOfRange("at most a million calls; use the chi-square test"));
    }
    let hits = a.0 + b.0;
    let whole = ln_choose(a.1 + b.1, hits);
    let ln_chance = |k: u64| ln_choose(a.1, k) + ln_choose(b.1, hits - k) - whole;
    let here = ln_chance(a.0);
    let (lowest, highest) = (hits.saturating_sub(b.1), hits.min(a.1));
    // The chances of neighbouring tables differ by rounding where they are equal; 1e-7 is R's allowance.
    let mut p = 0.0;
    for k in lowest..=highest {
        let chance = ln_chance(k);
        if chance <= here + 1e-7 {
            p += chance.exp();
        }
    }
    Ok(SameShare { statistic: here.exp(), p: p.clamp(0.0, 1.0) })
}
