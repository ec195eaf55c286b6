//! What a distribution of times looks like, in numbers: how many humps, how long its tail, how much of it is stalls.

use super::{RuleInput, finding};
use crate::Scope;
use crate::findings::declare::{Count, Number, Share, declare};
use crate::merge::LegMerge;
use crate::parallel;
use crate::rows::Index;
use crate::{Finding, Gravity, StepResult};
use terms::{Buckets, Histogram};

declare! {
    /// Numbers of a distribution of at least `SHAPE_CALLS` good answers, a notice where one of them shows that a mean
    /// or median describes it badly: more than one hump of the histogram over the logarithm of the time (`BINS` bins
    /// per doubling, smoothed; a hump holds `HUMP_SHARE` of all, and the valley before the next is at most `VALLEY` of
    /// the lower), a p99 of `SHAPE_TAIL` times the median or more, or more than `SHAPE_STALLED` of the seconds with a
    /// mean time above `STALL` times the usual. Also the maximum time over the p99. Where none is beyond its threshold
    /// the same numbers are reported as info, in each hold of the `PLAIN_MOST` legs with the most calls, so that the
    /// shape is always a computed statement.
    TimesShape = "SHAPE" {
        extreme: Number,
        modes: Count,
        shape: String,
        stalled: Share,
        tail: Number,
    }
}

/// Fewer calls than this have no shape, and nothing is reported about it.
pub const SHAPE_CALLS: u64 = 1000;
/// Bins of the histogram for a doubling of the time.
const BINS: f64 = 8.0;
/// A hump holds at least this share of all.
const HUMP_SHARE: f64 = 0.02;
/// Between two humps there is at most this part of what the lower one has at its top.
const VALLEY: f64 = 0.5;
/// A p99 this many times the median is a long tail; independent calls at one server come to 6.6.
pub const SHAPE_TAIL: f64 = 10.0;
/// A second whose mean time is this many times that of the usual second is a stall.
const STALL: f64 = 3.0;
/// Stalls that take more than this share of the seconds are reported.
pub const SHAPE_STALLED: f64 = 0.01;
/// Seconds needed to see what is usual.
const SECONDS_MIN: usize = 10;

/// Legs of a hold of which a shape within all thresholds is reported.
const PLAIN_MOST: usize = 3;

/// A distribution in numbers.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Shape {
    modes: usize,
    /// p99 over p50.
    tail: f64,
    /// Greatest over p99.
    extreme: f64,
    /// Share of the seconds in which calls stalled.
    stalled: f64,
}

impl Shape {
    /// Whether a single figure in the middle describes it badly.
    fn is_uneven(&self) -> bool {
        self.modes >= 2 || self.tail >= SHAPE_TAIL || self.stalled > SHAPE_STALLED
    }

    fn figures(&self) -> TimesShape {
        let word = if self.is_uneven() { "uneven" } else { "plain" };
        TimesShape {
            extreme: Number(self.extreme),
            modes: Count(self.modes as f64),
            shape: word.into(),
            stalled: Share(self.stalled),
            tail: Number(self.tail),
        }
    }
}

/// SHAPE: more than one hump, a long tail, or stalls.
pub(super) fn uneven(seen: &RuleInput<'_>) -> Vec<Finding> {
    let uneven = |(scope, _, shape): &(Scope, u64, Shape)| {
        shape.is_uneven().then(|| finding(Gravity::Notice, scope, shape.figures()))
    };
    shapes(seen).iter().flatten().filter_map(uneven).collect()
}

/// SHAPE, as good to know: the same numbers where none of them is beyond its threshold, in each hold of the legs with
/// the most calls.
pub(super) fn plain(seen: &RuleInput<'_>) -> Vec<Finding> {
    let mut findings = Vec::new();
    for shapes in shapes(seen) {
        let mut shapes: Vec<&(Scope, u64, Shape)> = shapes.iter().filter(|(.., shape)| !shape.is_uneven()).collect();
        shapes.sort_by_key(|(_, count, _)| std::cmp::Reverse(*count));
        let told = shapes.iter().take(PLAIN_MOST);
        findings.extend(told.map(|(scope, _, shape)| finding(Gravity::Info, scope, shape.figures())));
    }
    findings
}

/// Shapes of the legs of one hold: scope, calls, numbers.
pub(crate) type Shapes = Vec<(Scope, u64, Shape)>;

/// Shapes of each hold, leg by leg, made once for both rules.
fn shapes<'a>(seen: &'a RuleInput<'_>) -> &'a [Shapes] {
    seen.shapes.get_or_init(|| {
        let exchanges = || seen.index.head().exchanges.iter().enumerate().take(seen.index.head().calls());
        let legs: Vec<_> = exchanges()
            .flat_map(|(number, head)| head.legs.iter().enumerate().map(move |leg| (number as u16, head, leg)))
            .collect();
        let of_hold = |step: &StepResult| {
            let shapes = parallel::each(&legs, |(number, head, (leg, kind))| {
                let (count, shape) = shape_of(seen.index, step, *number, *leg as u8)?;
                Some((step.scope.within(&head.name).within(&kind.name), count, shape))
            });
            shapes.into_iter().flatten().collect()
        };
        seen.steps.iter().filter(|step| step.phase == "hold").map(of_hold).collect()
    })
}

/// Of what succeeded, with how many that was; `None` where it is too few.
fn shape_of(index: &Index<'_>, step: &StepResult, exchange: u16, leg: u8) -> Option<(u64, Shape)> {
    let merge = LegMerge::of(index, step.number, exchange, leg);
    let all = merge.closes.ok.times();
    if all.total() < SHAPE_CALLS {
        return None;
    }
    let at = |quantile| all.quantile(quantile).map(|time| time.as_secs_f64().max(1e-9));
    let (median, p99) = (at(0.5)?, at(0.99)?);
    let shape = Shape {
        modes: modes(&bins(all)),
        tail: p99 / median,
        extreme: all.max()?.as_secs_f64() / p99,
        stalled: stalled(&merge),
    };
    Some((all.total(), shape))
}

/// Share of the seconds in which the mean time was a multiple of that of the usual second.
fn stalled(merge: &LegMerge) -> f64 {
    let called = merge.seconds.values().filter(|second| second.ok > 0);
    let means: Vec<f64> = called.map(|second| second.sum_ns / second.ok as f64).collect();
    let Some(usual) = stats::series::median(&means).filter(|_| means.len() >= SECONDS_MIN) else { return 0.0 };
    means.iter().filter(|mean| **mean > STALL * usual).count() as f64 / means.len() as f64
}

/// Counts by the logarithm of the time, from the least to the greatest.
fn bins(all: &Histogram) -> Vec<f64> {
    let place = |index: u32| {
        let middle = 0.5 * (Buckets::low(index).as_secs_f64() + Buckets::high(index).as_secs_f64());
        (middle.max(1e-9).log2() * BINS).floor() as i64
    };
    let buckets = all.to_sparse().buckets;
    let (Some(first), Some(last)) = (buckets.first(), buckets.last()) else { return Vec::new() };
    let (first, last) = (place(first.0), place(last.0));
    let mut bins = vec![0.0; usize::try_from(last - first).unwrap_or(0).min(4096) + 1];
    for (index, count) in buckets {
        if let Some(bin) = usize::try_from(place(index) - first).ok().and_then(|at| bins.get_mut(at)) {
            *bin += count as f64;
        }
    }
    bins
}

/// Humps of a histogram: tops with a valley between them and the next higher one, each with its share of all.
fn modes(bins: &[f64]) -> usize {
    let smooth = smoothed(&smoothed(bins));
    let all: f64 = smooth.iter().sum();
    let mut tops: Vec<usize> = Vec::new();
    for at in 0..smooth.len() {
        let before = if at == 0 { 0.0 } else { smooth[at - 1] };
        let after = smooth.get(at + 1).copied().unwrap_or(0.0);
        if smooth[at] <= before || smooth[at] < after {
            continue;
        }
        // A top that is not deep enough below the one before it is part of the same hump.
        match tops.last().copied() {
            Some(top) if valley(&smooth, top, at) > VALLEY * smooth[top].min(smooth[at]) => {
                if smooth[at] > smooth[top] {
                    tops.pop();
                    tops.push(at);
                }
            }
            _ => tops.push(at),
        }
    }
    // Each hump reaches to the deepest place between it and its neighbours.
    let edges: Vec<usize> = tops
        .windows(2)
        .map(|pair| (pair[0]..=pair[1]).min_by(|a, b| smooth[*a].total_cmp(&smooth[*b])).unwrap_or(pair[0]))
        .collect();
    let from = std::iter::once(0).chain(edges.iter().copied());
    let to = edges.iter().copied().chain([smooth.len()]);
    let shares = from.zip(to).map(|(from, to)| smooth[from..to].iter().sum::<f64>() / all.max(1.0));
    shares.filter(|share| *share >= HUMP_SHARE).count()
}

fn valley(values: &[f64], from: usize, to: usize) -> f64 {
    values[from..=to].iter().copied().fold(f64::INFINITY, f64::min)
}

/// Weighted means of five neighbours, 1 4 6 4 1; beyond the ends there is nothing.
fn smoothed(values: &[f64]) -> Vec<f64> {
    let padded: Vec<f64> = [0.0; 4].into_iter().chain(values.iter().copied()).chain([0.0; 4]).collect();
    padded.windows(5).map(|w| (w[0] + 4.0 * w[1] + 6.0 * w[2] + 4.0 * w[3] + w[4]) / 16.0).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A normal curve over bins.
    fn hump(at: f64, width: f64, height: f64) -> Vec<f64> {
        (0..80).map(|bin| height * (-(f64::from(bin) - at).powi(2) / (2.0 * width * width)).exp()).collect()
    }

    fn together(humps: &[Vec<f64>]) -> Vec<f64> {
        (0..80).map(|bin| humps.iter().map(|hump| hump[bin]).sum()).collect()
    }

    #[test]
    fn humps_are_counted() {
        assert_eq!(modes(&hump(40.0, 5.0, 1000.0)), 1);
        assert_eq!(modes(&together(&[hump(20.0, 4.0, 1000.0), hump(50.0, 4.0, 300.0)])), 2);
        assert_eq!(modes(&together(&[hump(10.0, 3.0, 500.0), hump(35.0, 3.0, 500.0), hump(65.0, 3.0, 500.0)])), 3);
        // Too near to be two, and too few to be one.
        assert_eq!(modes(&together(&[hump(38.0, 4.0, 1000.0), hump(44.0, 4.0, 900.0)])), 1);
        assert_eq!(modes(&together(&[hump(20.0, 4.0, 1000.0), hump(60.0, 4.0, 10.0)])), 1);
        assert_eq!(modes(&[500.0]), 1);
        assert_eq!(modes(&[]), 0);
    }

    #[test]
    fn a_ragged_hump_is_one() {
        let mut ragged = hump(40.0, 6.0, 1000.0);
        ragged.iter_mut().enumerate().for_each(|(bin, value)| *value *= if bin % 2 == 0 { 1.15 } else { 0.85 });
        assert_eq!(modes(&ragged), 1);
    }
}
