//! Watched series: processors, bounds, peaks, replicas, streams.

use super::{mean, thirds};
use crate::bottleneck::limits::SATURATED;
use crate::evaluate::Kind;
use crate::findings::{HEAP_FULL, SKEW_BYTES, SKEW_CORES, SKEW_SHARE};

/// From this part of its bound on a series may well have limited what was measured.
const NEAR: f64 = 0.8;
/// A peak of so many times the mean is a spike, not the level.
const SPIKE: f64 = 2.0;
/// Growth from the first to the last third of the judged part that is worth a sentence.
const GROWTH: f64 = 0.05;
/// A replica that carries so many times the mean is one that a balancer should explain.
const UNEVEN_REPLICAS: f64 = 1.25;
/// Replicas that differ by less than this do not differ, however many times the least the greatest is. Of disks and
/// networks, bytes a second: a hundredth of what a slow one carries.
const LEAST_BYTES_PER_S: f64 = 1e6;
/// The same of times, seconds.
const LEAST_SECONDS: f64 = 0.001;
/// The same of what is counted, at a time or a second.
const LEAST_COUNT: f64 = 1.0;
/// From this ratio of the slowest stream's mean to the fastest's on, streams were not served alike.
const UNEVEN_STREAMS: f64 = 1.5;

/// Part of its greatest value up to which a series that moved draws as a straight line.
pub const FLAT: f64 = 0.02;

/// Whether a series hardly moved: a drawing of it would show a straight line. Not where there is no value.
pub fn is_flat(values: &[f64]) -> bool {
    let greatest = values.iter().fold(0.0, |most: f64, value| most.max(value.abs()));
    let (low, high) = values
        .iter()
        .fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), value| (low.min(*value), high.max(*value)));
    !values.is_empty() && high - low <= FLAT * greatest
}

/// A processor, beside the share at which it counts as saturated.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Processor {
    /// No sample of the judged part.
    Unknown,
    Busy(f64),
    /// Busy once what other guests took is added.
    Stolen(f64),
    /// Neither.
    Free(f64),
}

/// Busy shares of the judged part, and the mean of what other guests took.
pub fn processor(busy: &[f64], stolen: f64) -> Processor {
    match mean(busy) {
        _ if busy.is_empty() => Processor::Unknown,
        level if level >= SATURATED => Processor::Busy(SATURATED),
        level if level + stolen >= SATURATED => Processor::Stolen(SATURATED),
        _ => Processor::Free(SATURATED),
    }
}

/// How much of its bound a series reached.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Room {
    /// Hardly any room is left.
    Near,
    /// The bound is not what limits.
    Far,
}

/// The greatest value as a part of the bound.
pub fn room(part: f64) -> Room {
    if part >= NEAR { Room::Near } else { Room::Far }
}

/// The same of what collections left of a heap.
pub fn room_left(part: f64) -> Room {
    if part >= HEAP_FULL { Room::Near } else { Room::Far }
}

/// A measured value beside its limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Allowance {
    /// Beyond the limit.
    Exceeded,
    /// At the limit or on its good side.
    Kept,
}

/// The value as a part of what is allowed.
pub fn allowance(part: f64) -> Allowance {
    if part > 1.0 { Allowance::Exceeded } else { Allowance::Kept }
}

/// How far above its mean a peak stands at least to be a spike, in a series' own unit. Below, a single tick of a clock
/// in a quiet service would be many times its mean.
pub fn least_peak(kind: Kind) -> f64 {
    match kind {
        Kind::Share => 0.15,
        Kind::Cores => 0.25,
        Kind::Time => 0.005,
        _ => 5.0,
    }
}

/// One series of a figure: what its assessment needs.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Gauge {
    /// Greatest value as a part of the bound, where there is one.
    pub part_of_bound: Option<f64>,
    /// Greatest value over the mean; `None` where the mean is zero.
    pub peak_factor: Option<f64>,
    /// Greatest value minus the mean, in its own unit.
    pub peak_height: Option<f64>,
}

/// What matters most of several series, each by its place among them.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Peaks {
    /// It reaches this part of its bound, and may limit.
    Near(usize, f64),
    /// It comes nearest to its bound, at this part of it.
    Bounded(usize, f64),
    /// Its peak is so many times its mean.
    Spike(usize, f64),
    /// A peak is many times a mean, and none is high; this one is the highest.
    Small(usize),
    /// No peak is more than so many times its own mean.
    Even(f64),
    /// They stayed at zero.
    Zero,
}

/// Nearness to a bound; `None` where none has one, or where none is near and growth says more.
pub fn gauge(all: &[Gauge], grows: bool) -> Option<Peaks> {
    let nearest = greatest(all.iter().map(|gauge| gauge.part_of_bound))?;
    match room(nearest.1) {
        Room::Near => Some(Peaks::Near(nearest.0, nearest.1)),
        Room::Far => (!grows).then_some(Peaks::Bounded(nearest.0, nearest.1)),
    }
}

/// Peaks beside means, for series of one kind.
pub fn peaks(all: &[Gauge], kind: Kind) -> Peaks {
    let is_high = |gauge: &Gauge| gauge.peak_height >= Some(least_peak(kind));
    let sharpest = greatest(all.iter().map(|gauge| gauge.peak_factor.filter(|_| is_high(gauge))));
    let steepest = greatest(all.iter().map(|gauge| gauge.peak_factor));
    match (sharpest.filter(|sharpest| sharpest.1 > SPIKE), steepest) {
        (Some((at, factor)), _) => Peaks::Spike(at, factor),
        (None, Some((at, factor))) if factor > SPIKE => {
            Peaks::Small(greatest(all.iter().map(|gauge| gauge.peak_height)).map_or(at, |highest| highest.0))
        }
        (None, Some((_, factor))) => Peaks::Even(factor),
        (None, None) => Peaks::Zero,
    }
}

/// The greatest that is there, with its place; of equal ones the last.
fn greatest(values: impl Iterator<Item = Option<f64>>) -> Option<(usize, f64)> {
    let known = values.enumerate().filter_map(|(at, value)| Some((at, value?)));
    known.max_by(|one, other| one.1.total_cmp(&other.1))
}

/// Where a level goes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Direction {
    /// It ended this share above where it began.
    Grew(f64),
    /// It changed by this share.
    Steady(f64),
}

/// From the first third of the judged part to the last.
pub fn trend(held: &[f64]) -> Option<Direction> {
    // Of one or two samples the first and the last.
    let ends = || Some((*held.first()?, *held.last()?));
    let (first, last) = thirds(held).or_else(ends)?;
    let change = last / first.max(1e-12) - 1.0;
    Some(if change > GROWTH { Direction::Grew(change) } else { Direction::Steady(change) })
}

/// Replicas beside each other; each case with the ratio that parts even from uneven.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Replicas {
    /// The finding SKEW: they do not share alike.
    Uneven(f64),
    /// Their means lie apart, and no finding says that it lasts.
    Apart(f64),
    /// Their means lie apart, by too little to matter.
    Small(f64),
    /// They share alike.
    Even(f64),
}

/// Levels of replicas beside each other.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Spread {
    /// The greatest over the mean of all.
    pub ratio: f64,
    /// Whether greatest and least differ by what matters: [`replicas_differ`].
    pub matters: bool,
}

impl Spread {
    /// Which of two says more of what is carried unevenly: what matters first, then the greater ratio.
    pub fn compare(&self, other: &Self) -> std::cmp::Ordering {
        let is_apart = |spread: &Self| spread.matters && spread.ratio >= UNEVEN_REPLICAS;
        is_apart(self).cmp(&is_apart(other)).then(self.ratio.total_cmp(&other.ratio))
    }
}

/// Whether the greatest and the least replica differ by what matters; `is_rate` of what is counted by the second.
///
/// Of what hardly anybody uses one replica easily uses twice as much as another: 3 and 6 KiB/s of a disk that carries
/// 200 MB/s.
pub fn replicas_differ(difference: f64, kind: Kind, is_rate: bool) -> bool {
    let least = match kind {
        Kind::Bytes if is_rate => LEAST_BYTES_PER_S,
        Kind::Bytes => SKEW_BYTES,
        Kind::Cores => SKEW_CORES,
        // Seconds of a second are a share.
        Kind::Time if !is_rate => LEAST_SECONDS,
        Kind::Share | Kind::Time => SKEW_SHARE,
        Kind::Count | Kind::PerSecond => LEAST_COUNT,
    };
    difference >= least
}

/// What replicas beside each other mean.
pub fn replicas(spread: Spread, has_skew: bool) -> Replicas {
    match spread.ratio >= UNEVEN_REPLICAS {
        false => Replicas::Even(UNEVEN_REPLICAS),
        true if !spread.matters => Replicas::Small(UNEVEN_REPLICAS),
        true if has_skew => Replicas::Uneven(UNEVEN_REPLICAS),
        true => Replicas::Apart(UNEVEN_REPLICAS),
    }
}

/// Streams beside each other; each case with the ratio that parts even from uneven.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Streams {
    /// They were not served alike.
    Uneven(f64),
    /// They were.
    Even(f64),
}

/// The slowest stream's mean over the fastest's.
pub fn streams(ratio: f64) -> Streams {
    if ratio >= UNEVEN_STREAMS { Streams::Uneven(UNEVEN_STREAMS) } else { Streams::Even(UNEVEN_STREAMS) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn series(part: Option<f64>, factor: Option<f64>, height: Option<f64>) -> Gauge {
        Gauge { part_of_bound: part, peak_factor: factor, peak_height: height }
    }

    #[test]
    fn a_series_is_flat_where_it_moved_by_two_in_a_hundred_at_most() {
        assert!(is_flat(&[100.0, 99.0, 98.0]) && is_flat(&[-5.0, -5.0]) && is_flat(&[0.0, 0.0]));
        assert!(!is_flat(&[100.0, 97.9]) && !is_flat(&[0.0, 0.001]) && !is_flat(&[]));
    }

    #[test]
    fn a_processor_is_full_where_the_ladder_calls_it_saturated() {
        assert_eq!(processor(&[1.0, 0.85], 0.0), Processor::Busy(SATURATED));
        assert_eq!(processor(&[0.85], 0.0), Processor::Free(SATURATED));
        assert_eq!(processor(&[0.85], 0.1), Processor::Stolen(SATURATED));
        assert_eq!(processor(&[], 0.9), Processor::Unknown);
    }

    #[test]
    fn the_series_nearest_to_its_bound_comes_first() {
        let all = [series(Some(0.2), None, None), series(Some(0.85), None, None), series(None, None, None)];
        assert_eq!(gauge(&all, true), Some(Peaks::Near(1, 0.85)));
        assert_eq!(gauge(&all[..1], false), Some(Peaks::Bounded(0, 0.2)));
        assert_eq!(gauge(&all[..1], true), None, "of bytes growth says more");
        assert_eq!(gauge(&all[2..], false), None);
    }

    #[test]
    fn a_spike_is_high_and_many_times_its_mean() {
        let all = [series(None, Some(9.0), Some(0.01)), series(None, Some(3.0), Some(0.4))];
        assert_eq!(peaks(&all, Kind::Share), Peaks::Spike(1, 3.0));
        assert_eq!(peaks(&all[..1], Kind::Share), Peaks::Small(0));
        assert_eq!(peaks(&[series(None, Some(1.5), Some(0.4))], Kind::Share), Peaks::Even(1.5));
        assert_eq!(peaks(&[series(None, None, Some(0.0))], Kind::Share), Peaks::Zero);
    }

    #[test]
    fn growth_is_that_of_thirds() {
        assert_eq!(trend(&[1.0, 5.0, 2.0]), Some(Direction::Grew(1.0)));
        assert_eq!(trend(&[4.0, 3.0]), Some(Direction::Steady(-0.25)));
        assert_eq!(trend(&[]), None);
    }

    #[test]
    fn a_few_kibibytes_a_second_part_no_replicas() {
        for (kind, is_rate, too_little, enough) in [
            (Kind::Bytes, true, 3.0 * 1024.0, 2e6),
            (Kind::Bytes, false, 2e6, 2e7),
            (Kind::Share, false, 0.02, 0.03),
            (Kind::Time, true, 0.02, 0.03),
            (Kind::Cores, false, 0.04, 0.05),
            (Kind::Time, false, 0.0005, 0.002),
            (Kind::PerSecond, false, 0.4, 2.0),
            (Kind::Count, false, 0.4, 1.0),
        ] {
            assert!(!replicas_differ(too_little, kind, is_rate) && replicas_differ(enough, kind, is_rate), "{kind:?}");
        }
    }

    #[test]
    fn replicas_are_uneven_where_the_finding_says_so() {
        let (far, near) = (Spread { ratio: 1.3, matters: true }, Spread { ratio: 1.2, matters: true });
        let little = Spread { ratio: 1.9, matters: false };
        assert_eq!(replicas(far, true), Replicas::Uneven(UNEVEN_REPLICAS));
        assert_eq!(replicas(far, false), Replicas::Apart(UNEVEN_REPLICAS));
        assert_eq!(replicas(near, true), Replicas::Even(UNEVEN_REPLICAS));
        assert_eq!(replicas(little, true), Replicas::Small(UNEVEN_REPLICAS));
        // What is far apart by little stands behind what is apart by what matters, and before what is not apart.
        let mut all = [far, little, near];
        all.sort_by(Spread::compare);
        assert_eq!(all, [near, little, far]);
        assert_eq!((room(0.8), room_left(0.89)), (Room::Near, Room::Far));
    }
}
