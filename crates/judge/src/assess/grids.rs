//! Cells of a grid side by side: what they deliver of what was planned, what they use, and what a longer ramp changes.

use crate::capacity::KEPT_UP;

/// Below this part of the most that any cell delivered, a cell with more planned has collapsed: more load brought less.
const COLLAPSED: f64 = 0.9;
/// Two rates closer than this are one.
const SAME_RATE: f64 = 0.005;
/// Use that is so many times as great in one cell as in another belongs to the load.
const GROWS: f64 = 1.5;

/// What cells delivered of what was planned.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Delivery {
    /// Every cell delivered nearly all.
    Kept,
    /// What is missing in some is what failed connections never sent.
    Connections,
    /// Some did not, and none that had more planned fell far below the best.
    Short {
        /// The most that any cell delivered, a second.
        best: f64,
    },
    /// More was planned, and far less delivered than the best cell did.
    Collapses {
        /// The most that any cell delivered, a second.
        best: f64,
        /// Planned in the cell that fell furthest, a second.
        planned: f64,
        /// What it delivered.
        delivered: f64,
    },
}

/// Planned and delivered of each cell, a second, and the share of its connections that failed; `Kept` of none.
pub fn delivery(cells: &[(f64, f64, f64)]) -> Delivery {
    let Some(best) = cells.iter().copied().max_by(|one, other| one.1.total_cmp(&other.1)) else {
        return Delivery::Kept;
    };
    if cells.iter().all(|(planned, delivered, _)| *delivered >= planned * KEPT_UP) {
        return Delivery::Kept;
    }
    if cells.iter().all(|(planned, delivered, failed)| *delivered >= planned * (1.0 - failed) * KEPT_UP) {
        return Delivery::Connections;
    }
    let beyond =
        cells.iter().copied().filter(|cell| cell.0 > best.0 * (1.0 + SAME_RATE) && cell.1 < best.1 * COLLAPSED);
    match beyond.min_by(|one, other| one.1.total_cmp(&other.1)) {
        Some((planned, delivered, _)) => Delivery::Collapses { best: best.1, planned, delivered },
        None => Delivery::Short { best: best.1 },
    }
}

/// What a longer ramp does to errors.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RampEffect {
    /// Fewer errors with the longest ramp than with the shortest.
    Fewer,
    /// More errors with the longest ramp.
    More,
    /// Their intervals touch, or there are none.
    NotTold,
}

/// Intervals of the share of errors with the shortest and with the longest ramp.
pub fn ramp_effect(shortest: Option<(f64, f64)>, longest: Option<(f64, f64)>) -> RampEffect {
    match shortest.zip(longest) {
        Some((short, long)) if short.0 > long.1 => RampEffect::Fewer,
        Some((short, long)) if long.0 > short.1 => RampEffect::More,
        _ => RampEffect::NotTold,
    }
}

/// An efficiency from here on counts as full: what coordination always takes is allowed for.
pub const FULL: f64 = 0.9;

/// What more replicas bring, of all exchanges together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ScalingEffect {
    /// Each brings as much as those before it, or nearly.
    Full,
    /// Each brings less, in every exchange.
    Less,
    /// Some exchanges gain all, others less.
    Mixed,
    /// An interval reaches to both sides, or is missing.
    NotTold,
}

/// The intervals of the efficiencies with the most replicas, one for each exchange.
pub fn scaling_effect(intervals: impl IntoIterator<Item = Option<(f64, f64)>>) -> ScalingEffect {
    let (mut full, mut less) = (0, 0);
    for interval in intervals {
        match interval {
            Some((low, _)) if low >= FULL => full += 1,
            Some((_, high)) if high < FULL => less += 1,
            _ => return ScalingEffect::NotTold,
        }
    }
    match (full, less) {
        (0, 0) => ScalingEffect::NotTold,
        (_, 0) => ScalingEffect::Full,
        (0, _) => ScalingEffect::Less,
        _ => ScalingEffect::Mixed,
    }
}

/// Whether use differs between cells by more than scatter.
pub fn grows_over_cells(least: f64, most: f64) -> bool {
    most > least * GROWS
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn replicas_bring_all_or_less_where_every_interval_says_so() {
        let effect = |all: &[(f64, f64)]| scaling_effect(all.iter().map(|ends| Some(*ends)));
        assert_eq!(effect(&[(0.92, 1.05), (0.9, 0.99)]), ScalingEffect::Full);
        assert_eq!(effect(&[(0.5, 0.6), (0.7, 0.89)]), ScalingEffect::Less);
        assert_eq!(effect(&[(0.5, 0.6), (0.92, 1.0)]), ScalingEffect::Mixed);
        assert_eq!(effect(&[(0.5, 0.6), (0.8, 1.0)]), ScalingEffect::NotTold);
        assert_eq!(effect(&[]), ScalingEffect::NotTold);
        assert_eq!(scaling_effect([Some((0.95, 1.0)), None]), ScalingEffect::NotTold);
    }

    #[test]
    fn delivery_beyond_the_best_cell_is_a_collapse_where_it_falls_far() {
        let all_stood = |cells: &[(f64, f64)]| delivery(&cells.iter().map(|(a, b)| (*a, *b, 0.0)).collect::<Vec<_>>());
        assert_eq!(all_stood(&[(1000.0, 1000.0), (2000.0, 1990.0)]), Delivery::Kept);
        assert_eq!(delivery(&[]), Delivery::Kept);
        // The streaming report's own cells: 2000/s was the limit, and 6000/s brought 808/s.
        let seed = [(2000.0, 2000.0), (3000.0, 1617.0), (3000.0, 1872.0), (4000.0, 1279.0), (6000.0, 808.0)];
        assert_eq!(all_stood(&seed), Delivery::Collapses { best: 2000.0, planned: 6000.0, delivered: 808.0 });
        assert_eq!(all_stood(&[(2000.0, 2000.0), (3000.0, 1801.0)]), Delivery::Short { best: 2000.0 });
        assert!(matches!(all_stood(&[(2000.0, 2000.0), (3000.0, 1799.0)]), Delivery::Collapses { .. }));
        // Less was planned: that it delivered less is not a collapse.
        assert_eq!(all_stood(&[(500.0, 300.0), (2000.0, 2000.0)]), Delivery::Short { best: 2000.0 });
        // 48 of 600 connections failed, and the others delivered everything: no limit of messages was met.
        assert_eq!(delivery(&[(400.0, 400.0, 0.0), (600.0, 552.0, 0.08)]), Delivery::Connections);
        assert_eq!(delivery(&[(400.0, 400.0, 0.0), (600.0, 540.0, 0.08)]), Delivery::Short { best: 540.0 });
    }

    #[test]
    fn a_ramp_helps_only_where_the_intervals_are_apart() {
        assert_eq!(ramp_effect(Some((0.2, 0.3)), Some((0.05, 0.1))), RampEffect::Fewer);
        assert_eq!(ramp_effect(Some((0.0, 0.04)), Some((0.05, 0.1))), RampEffect::More);
        assert_eq!(ramp_effect(Some((0.0, 0.05)), Some((0.05, 0.1))), RampEffect::NotTold);
        assert_eq!(ramp_effect(None, Some((0.05, 0.1))), RampEffect::NotTold);
        assert!(grows_over_cells(1.0, 1.51) && !grows_over_cells(1.0, 1.5));
    }
}
