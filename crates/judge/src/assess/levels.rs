//! The same work at several loads, and Little's law at each.

use crate::bottleneck::limits::KEPT_UP;

/// Loads that differ by less than this factor are one level, measured twice.
const APART: f64 = 1.1;
/// A resource of which no more than this part was ever used says nothing about where it would end.
const USED: f64 = 0.01;
/// Throughputs whose variance is less than this part of their mean square are one throughput.
const ONE_RATE: f64 = 1e-9;
/// Times that are so many times longer at the greatest load are the bend that one looks for.
const BEND: f64 = 2.0;
/// Throughput that falls by less than this part at the greatest load is scatter.
const BACK: f64 = 0.02;
/// A line is not drawn onward to more than so many times what was measured: it would say nothing.
pub const ONWARD_MAX: f64 = 5.0;
/// Levels that are drawn: a line through two says no more than a sentence.
pub const LEVELS_DRAWN: usize = 3;
/// What the edges of a step explain between what was counted in flight and what rate and time give.
const CLOSE: f64 = 0.05;

/// Whether the least and the greatest load are two levels.
pub fn are_apart(least: f64, greatest: f64) -> bool {
    least > 0.0 && greatest >= least * APART
}

/// Whether a resource was used enough, at most by this part, to tell where it would be full.
pub fn is_used(most: f64) -> bool {
    most > USED
}

/// Use of a resource as a line over throughput: `intercept + slope × throughput`, 1 where it is full.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct UseLine {
    /// What is used without load.
    pub intercept: f64,
    /// What each call a second adds.
    pub slope: f64,
}

impl UseLine {
    /// The least-squares line through throughputs and uses. With one throughput only it goes through the origin.
    pub fn fitted(points: &[(f64, f64)]) -> Self {
        let count = points.len().max(1) as f64;
        let (sum_x, sum_y) = points.iter().fold((0.0, 0.0), |(sx, sy), (x, y)| (sx + x, sy + y));
        let (mean_x, mean_y) = (sum_x / count, sum_y / count);
        let spread: f64 = points.iter().map(|(x, _)| (x - mean_x).powi(2)).sum();
        if spread <= ONE_RATE * mean_x * mean_x {
            return Self { intercept: 0.0, slope: mean_y / mean_x.max(1e-12) };
        }
        let slope = points.iter().map(|(x, y)| (x - mean_x) * (y - mean_y)).sum::<f64>() / spread;
        Self { intercept: mean_y - slope * mean_x, slope }
    }

    /// The throughput at which the resource is full; `None` where its use does not grow with throughput.
    pub fn full_at(&self) -> Option<f64> {
        (self.slope > 0.0 && self.intercept < 1.0).then(|| (1.0 - self.intercept) / self.slope)
    }
}

/// Whether less succeeded than was offered, both a second, by more than the edges of a hold explain.
pub fn is_short(offered: f64, throughput: f64) -> bool {
    throughput < KEPT_UP * offered
}

/// Times against load.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Growth {
    /// Waiting is part of it.
    Bends,
    /// Load hardly adds waiting.
    Flat,
    /// Not all that was offered succeeded: the times are those of the rest.
    Partial,
}

/// How many times longer it takes at the greatest load than at the least, and whether a level was short of what was
/// offered.
pub fn response_over_load(factor: f64, is_short: bool) -> Growth {
    match () {
        () if is_short => Growth::Partial,
        () if factor >= BEND => Growth::Bends,
        () => Growth::Flat,
    }
}

/// Throughput against load.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Course {
    /// It falls again at the greatest load.
    Back,
    /// It is less than was offered at the greatest load.
    Short,
    /// It still grows.
    On,
}

/// The greatest throughput, that at the greatest load, a second, and whether that is short of what was offered.
pub fn throughput_over_load(best: f64, last: f64, is_short: bool) -> Course {
    match () {
        () if best > last * (1.0 + BACK) => Course::Back,
        () if is_short => Course::Short,
        () => Course::On,
    }
}

/// Whether the rate at which a resource would be full lies too far beyond the greatest that was measured.
pub fn reaches_far(full_at: f64, greatest: f64) -> bool {
    full_at > greatest * ONWARD_MAX
}

/// What was counted in flight, beside what rate and time give.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Little {
    /// Within this share, which the edges of a step explain.
    Close(f64),
    /// More than this share apart.
    Apart(f64),
}

/// How far apart they are, as a share of the greater.
pub fn little(apart: f64) -> Little {
    if apart <= CLOSE { Little::Close(CLOSE) } else { Little::Apart(CLOSE) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_threshold_belongs_to_the_side_that_its_sentence_says() {
        assert_eq!((response_over_load(2.0, false), response_over_load(1.99, false)), (Growth::Bends, Growth::Flat));
        assert_eq!(response_over_load(9_420.0, true), Growth::Partial);
        assert_eq!(
            (throughput_over_load(103.0, 100.0, true), throughput_over_load(102.0, 100.0, false)),
            (Course::Back, Course::On)
        );
        assert_eq!(throughput_over_load(9.98, 9.98, is_short(20.0, 9.98)), Course::Short);
        assert!(is_short(20.0, 18.9) && !is_short(20.0, 19.1) && !is_short(0.0, 0.0));
        assert_eq!((little(0.05), little(0.051)), (Little::Close(0.05), Little::Apart(0.05)));
        assert!(reaches_far(501.0, 100.0) && !reaches_far(500.0, 100.0));
        assert!(are_apart(100.0, 110.1) && !are_apart(100.0, 109.0) && !are_apart(0.0, 5.0));
        assert!(is_used(0.011) && !is_used(0.01));
    }

    #[test]
    fn what_is_used_without_load_is_no_part_of_the_slope() {
        let full_at = |points: &[(f64, f64)]| UseLine::fitted(points).full_at();
        // 20 % idle and 2 % a call: full at 40/s, where a line through the origin would say 28.6/s.
        assert!((full_at(&[(10.0, 0.4), (20.0, 0.6)]).unwrap() - 40.0).abs() < 1e-9);
        assert!((full_at(&[(10.0, 0.4), (10.0, 0.4)]).unwrap() - 25.0).abs() < 1e-9);
        assert!((full_at(&[(10.0, 0.2), (20.0, 0.4)]).unwrap() - 50.0).abs() < 1e-9);
        assert_eq!(full_at(&[(10.0, 0.4), (20.0, 0.3)]), None);
    }
}
