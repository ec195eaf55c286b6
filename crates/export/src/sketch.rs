//! Times counted by their length, small enough to be kept for hundreds of series.

use std::collections::BTreeMap;
use terms::{Buckets, Histogram, Nanos};

/// Bounds of the classic buckets, seconds: half steps of a decade around what systems answer in, so that a percentile
/// between two of them is known within a factor of two, and mostly better.
const BOUNDS: [f64; 22] = [
    0.0005, 0.001, 0.0025, 0.005, 0.0075, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1.0, 2.5, 5.0, 7.5, 10.0,
    30.0, 60.0, 300.0, 1800.0,
];
/// Limits of the study that become bounds, too. Each is a series more for every histogram.
const LIMITS_MAX: usize = 16;

/// Exponent of the exponential buckets (OTLP `scale`): 32 to a doubling, each 2.2 % wide.
pub(crate) const SCALE: i32 = 5;

/// Bounds of classic buckets, the same in all histograms of a run, since only then they can be added up.
#[derive(Clone, Debug, PartialEq)]
pub struct Layout {
    /// Ascending, seconds; the bucket without a bound comes last and is not listed.
    pub bounds: Vec<f64>,
}

impl Layout {
    /// The usual bounds, and beside them the limits of the study, in nanoseconds.
    pub fn with_limits(limits: impl IntoIterator<Item = i64>) -> Self {
        let mut more: Vec<i64> = limits.into_iter().filter(|limit| *limit > 0).collect();
        more.sort_unstable();
        more.dedup();
        more.truncate(LIMITS_MAX);
        let mut bounds: Vec<f64> =
            BOUNDS.iter().copied().chain(more.into_iter().map(|limit| limit as f64 / 1e9)).collect();
        bounds.sort_unstable_by(f64::total_cmp);
        bounds.dedup();
        Self { bounds }
    }

    /// The place of a limit among the bounds; `None` where it is beyond [`LIMITS_MAX`].
    pub fn place(&self, limit_ns: i64) -> Option<usize> {
        let limit = limit_ns as f64 / 1e9;
        self.bounds.iter().position(|bound| *bound == limit)
    }

    /// The bounds as texts, `+Inf` behind them.
    pub(crate) fn words(&self) -> impl Iterator<Item = String> + '_ {
        self.bounds.iter().map(|bound| format!("{bound:?}")).chain(["+Inf".to_owned()])
    }
}

/// Counts of times since the run's start.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Sketch {
    /// Times in each classic bucket alone, the one without a bound last.
    pub classic: Vec<u64>,
    /// Times in each exponential bucket, by its index: bucket *i* reaches from 2^(i/32) s, which it does not hold, to
    /// 2^((i+1)/32) s, which it does.
    pub exponential: BTreeMap<i32, u64>,
    /// By the place of a bound: how many more lie below it than `classic` tells, where the load has counted them.
    pub more: BTreeMap<usize, u64>,
    pub count: u64,
    /// Seconds.
    pub sum: f64,
}

impl Sketch {
    /// Adds the times of a second. Each goes where the upper edge of its bucket lies, which is at most 0.1 % above it: so
    /// a time that is just below a bound may be counted just above it, never the other way round. Not so at the bounds in
    /// `counted`, by their places: of those the load itself has counted how many times lie below.
    pub fn add(&mut self, times: &Histogram, layout: &Layout, counted: &BTreeMap<usize, u64>) {
        let mut alone = vec![0u64; layout.bounds.len() + 1];
        for (index, count) in times.nonzero() {
            let upper = Nanos(Buckets::high(index).0).as_secs_f64();
            let place = layout.bounds.partition_point(|bound| *bound < upper);
            alone[place] = alone[place].saturating_add(count);
            let known = self.exponential.entry(exponential_index(upper)).or_default();
            *known = known.saturating_add(count);
        }
        for (place, below) in counted {
            let told = alone.iter().take(place + 1).fold(0u64, |sum, count| sum.saturating_add(*count));
            let known = self.more.entry(*place).or_default();
            // Forged counts may be more than there are times.
            *known = known.saturating_add((*below).min(times.total()).saturating_sub(told));
        }
        self.classic.resize(alone.len(), 0);
        for (known, count) in self.classic.iter_mut().zip(alone) {
            *known = known.saturating_add(count);
        }
        self.count = self.count.saturating_add(times.total());
        self.sum += times.sum_ns() / 1e9;
    }

    /// Times at or below each bound, and at last all of them.
    pub fn cumulative(&self) -> impl Iterator<Item = u64> + '_ {
        let all = self.classic.iter().enumerate();
        all.scan((0u64, 0u64), |(sum, told), (place, count)| {
            *sum = sum.saturating_add(*count);
            let more = self.more.get(&place).copied().unwrap_or_default();
            // What lies below a limit lies below every bound that is higher, whatever the buckets say of that one.
            *told = sum.saturating_add(more).max(*told);
            Some(*told)
        })
    }
}

/// Source: OpenTelemetry, *Metrics Data Model*, "ExponentialHistogram"; `seconds` above zero.
fn exponential_index(seconds: f64) -> i32 {
    ((seconds.log2() * f64::from(1 << SCALE)).ceil() as i32).saturating_sub(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exponential_buckets_hold_their_upper_edge() {
        // From the data model: at scale 5 the bucket with index 0 is (1, 2^(1/32)].
        for (seconds, index) in [(1.0, -1), (1.000_001, 0), (1.02, 0), (1.022, 1), (2.0, 31), (2.1, 34), (0.5, -33)] {
            assert_eq!(exponential_index(seconds), index, "{seconds}");
        }
    }

    #[test]
    fn times_are_counted_below_the_bounds_that_they_are_below() {
        let layout = Layout::with_limits([300_000_000, 100_000_000, 0, -1, 300_000_000]);
        assert_eq!(layout.bounds.len(), BOUNDS.len() + 1, "one limit is a usual bound already");
        let mut times = Histogram::new();
        for (millis, count) in [(1, 2), (99, 3), (120, 4), (299, 5), (301, 6), (4_000_000, 1)] {
            times.record_n(Nanos::from_millis(millis), count);
        }
        let mut sketch = Sketch::default();
        sketch.add(&times, &layout, &BTreeMap::new());
        sketch.add(&times, &layout, &BTreeMap::new());
        let at = |bound: f64| {
            let place = layout.bounds.iter().position(|known| *known == bound).unwrap();
            sketch.cumulative().nth(place).unwrap()
        };
        assert_eq!((at(0.0005), at(0.1), at(0.25), at(0.3), at(0.5), at(1800.0)), (0, 10, 18, 28, 40, 40));
        assert_eq!((sketch.cumulative().last(), sketch.count), (Some(42), 42));
        assert_eq!(sketch.exponential.values().sum::<u64>(), 42);
        assert!((sketch.sum - times.sum_ns() / 1e9 * 2.0).abs() < 1e-6);
    }

    #[test]
    fn what_the_load_has_counted_below_a_limit_is_told_exactly() {
        // A limit that cuts a bucket of the recording, whose edges are 299.8272 ms and 300.0320 ms, and a usual bound above.
        let layout = Layout::with_limits([299_900_000]);
        let place = layout.place(299_900_000).unwrap();
        assert_eq!((layout.bounds[place], layout.place(300_000_000)), (0.2999, None));
        let mut times = Histogram::new();
        times.record_n(Nanos::from_millis(100), 5);
        times.record_n(Nanos(299_850_000), 7);
        times.record_n(Nanos(299_950_000), 2);
        let mut sketch = Sketch::default();
        sketch.add(&times, &layout, &BTreeMap::new());
        assert_eq!(sketch.cumulative().nth(place), Some(5), "the buckets alone leave all nine above");
        let mut sketch = Sketch::default();
        for _ in 0..3 {
            sketch.add(&times, &layout, &BTreeMap::from([(place, 12)]));
        }
        assert_eq!(sketch.cumulative().nth(place), Some(36));
        assert_eq!((sketch.cumulative().last(), sketch.count), (Some(42), 42));
        // Counts that no run makes bring no bound above all of them, and no bound below the one before it.
        sketch.add(&times, &layout, &BTreeMap::from([(place, u64::MAX), (0, 9)]));
        let told: Vec<u64> = sketch.cumulative().collect();
        assert!(told.is_sorted() && told[place] == 36 + 14 && told.last() == Some(&56), "{told:?}");
    }

    #[test]
    fn a_bound_is_off_by_a_tenth_of_a_percent_at_most() {
        let layout = Layout::with_limits([]);
        for below in [0.9985, 0.99899] {
            for bound in &layout.bounds {
                let mut times = Histogram::new();
                times.record(Nanos::from_secs_f64(bound * below));
                let mut sketch = Sketch::default();
                sketch.add(&times, &layout, &BTreeMap::new());
                let place = sketch.classic.iter().position(|count| *count == 1).unwrap();
                assert_eq!(layout.bounds[place], *bound);
            }
        }
    }
}
