//! When iterations of an open load start: where the area under the rate curve reaches a whole number.

use crate::poisson;
use terms::Nanos;

/// A piece of the rate curve, linear from `from` to `to`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Segment {
    /// Starts a second at its beginning.
    pub from: f64,
    /// Starts a second at its end.
    pub to: f64,
    pub length: Nanos,
}

impl Segment {
    /// The same rate all along.
    pub fn constant(rate: f64, length: Nanos) -> Self {
        Self { from: rate, to: rate, length }
    }

    /// Starts in the whole of it.
    pub fn area(&self) -> f64 {
        (self.from + self.to) / 2.0 * self.length.as_secs_f64()
    }

    /// Starts in its first `seconds`.
    fn area_until(&self, seconds: f64) -> f64 {
        seconds * (self.from + self.slope() * seconds / 2.0)
    }

    /// Seconds until the area reaches `area`: the root of `from·t + slope·t²/2 = area`, in the form that loses no
    /// digits when the slope is small.
    fn seconds_until(&self, area: f64) -> f64 {
        let root = (self.from * self.from + 2.0 * self.slope() * area).max(0.0).sqrt();
        let denominator = self.from + root;
        if denominator > 0.0 { 2.0 * area / denominator } else { 0.0 }
    }

    fn slope(&self) -> f64 {
        let seconds = self.length.as_secs_f64();
        if seconds > 0.0 { (self.to - self.from) / seconds } else { 0.0 }
    }
}

/// Intended starts of an open load, as offsets from the load's beginning.
#[derive(Clone, Debug, PartialEq)]
pub struct Schedule {
    segments: Vec<Placed>,
    total: f64,
    length: Nanos,
    /// Seed of a Poisson process; `None` for even spacing.
    poisson: Option<u64>,
}

#[derive(Clone, Copy, Debug, PartialEq)]
struct Placed {
    segment: Segment,
    begins: Nanos,
    area_before: f64,
}

/// Products that should be whole numbers may miss them by rounding; this much is no start more and no start less.
const WHOLE: f64 = 1e-9;

impl Schedule {
    /// Evenly spaced starts: the k-th lies where the area reaches k.
    pub fn even(segments: Vec<Segment>) -> Self {
        Self::new(segments, None)
    }

    /// A Poisson process with this rate curve. Number and places of starts in each 100 ms cell come from the seed and
    /// the cell, so any worker computes any cell.
    pub fn poisson(segments: Vec<Segment>, seed: u64) -> Self {
        Self::new(segments, Some(seed))
    }

    fn new(segments: Vec<Segment>, poisson: Option<u64>) -> Self {
        let (mut begins, mut total) = (Nanos::ZERO, 0.0);
        let mut placed = Vec::with_capacity(segments.len());
        for segment in segments {
            placed.push(Placed { segment, begins, area_before: total });
            begins += segment.length;
            total += segment.area();
        }
        Self { segments: placed, total, length: begins, poisson }
    }

    /// Length of the whole load.
    pub fn length(&self) -> Nanos {
        self.length
    }

    /// Number of starts with even spacing; with Poisson arrivals the expected number, rounded up.
    pub fn count(&self) -> u64 {
        (self.total - WHOLE * self.total.max(1.0)).ceil().max(0.0) as u64
    }

    /// Whether arrivals are a Poisson process.
    pub fn is_poisson(&self) -> bool {
        self.poisson.is_some()
    }

    /// The k-th start with even spacing, from 0, by closed formula. Beyond the last it is the load's end.
    pub fn nth(&self, k: u64) -> Nanos {
        self.where_area(k as f64)
    }

    /// Area under the curve until an offset: the number of starts that should have been.
    pub fn area_until(&self, offset: Nanos) -> f64 {
        let Some(placed) = self.segments.iter().rev().find(|placed| placed.begins <= offset) else { return 0.0 };
        let within = (offset - placed.begins).as_secs_f64().min(placed.segment.length.as_secs_f64());
        placed.area_before + placed.segment.area_until(within)
    }

    /// Rate at an offset, a second.
    pub fn rate_at(&self, offset: Nanos) -> f64 {
        let Some(placed) = self.segments.iter().rev().find(|placed| placed.begins <= offset) else { return 0.0 };
        if offset >= self.length {
            return 0.0;
        }
        placed.segment.from + placed.segment.slope() * (offset - placed.begins).as_secs_f64()
    }

    /// Offset at which the area reaches `area`.
    pub(crate) fn where_area(&self, area: f64) -> Nanos {
        let index = self.segments.partition_point(|placed| placed.area_before <= area).saturating_sub(1);
        let Some(placed) = self.segments.get(index) else { return Nanos::ZERO };
        let within = area - placed.area_before;
        if within >= placed.segment.area() - WHOLE {
            return placed.begins + placed.segment.length;
        }
        placed.begins + Nanos::from_secs_f64(placed.segment.seconds_until(within))
    }

    /// The starts of one worker of several, in order: number and offset. All workers together have every start once.
    ///
    /// `worker` from 0, below `workers`.
    pub fn starts(&self, worker: u64, workers: u64) -> Starts<'_> {
        Starts { schedule: self, next: worker, workers, cell: poisson::Cells::default() }
    }
}

/// Starts of one worker.
#[derive(Clone, Debug)]
pub struct Starts<'a> {
    schedule: &'a Schedule,
    next: u64,
    workers: u64,
    cell: poisson::Cells,
}

impl Iterator for Starts<'_> {
    type Item = (u64, Nanos);

    fn next(&mut self) -> Option<Self::Item> {
        let k = self.next;
        let offset = match self.schedule.poisson {
            None if k >= self.schedule.count() => return None,
            None => self.schedule.nth(k),
            Some(seed) => self.cell.nth(self.schedule, seed, k)?,
        };
        self.next += self.workers;
        Some((k, offset))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn all(schedule: &Schedule) -> Vec<Nanos> {
        schedule.starts(0, 1).map(|(_, offset)| offset).collect()
    }

    #[test]
    fn a_constant_rate_starts_every_interval_and_never_drifts() {
        let schedule = Schedule::even(vec![Segment::constant(1000.0, Nanos::from_secs(20_000))]);
        assert_eq!(schedule.count(), 20_000_000);
        for k in [0, 1, 999, 10_000_000, 19_999_999] {
            assert_eq!(schedule.nth(k), Nanos::from_millis(k as i64));
        }
    }

    #[test]
    fn thirds_stay_within_a_nanosecond_after_ten_million() {
        let schedule = Schedule::even(vec![Segment::constant(3.0, Nanos::from_secs(4_000_000))]);
        let exact = 10_000_000i128 * 1_000_000_000 / 3;
        assert!((i128::from(schedule.nth(10_000_000).0) - exact).abs() <= 1);
    }

    #[test]
    fn a_ramp_starts_where_the_area_is_whole() {
        // 0 to 10/s in 10 s: area t²/2, so start k lies at sqrt(2k).
        let schedule = Schedule::even(vec![Segment { from: 0.0, to: 10.0, length: Nanos::from_secs(10) }]);
        assert_eq!(schedule.count(), 50);
        for k in [0u64, 1, 8, 32, 49] {
            assert_eq!(schedule.nth(k), Nanos::from_secs_f64((2.0 * k as f64).sqrt()));
        }
    }

    #[test]
    fn a_falling_ramp_ends_at_its_end() {
        let schedule = Schedule::even(vec![Segment { from: 10.0, to: 0.0, length: Nanos::from_secs(10) }]);
        assert_eq!(schedule.count(), 50);
        assert!(all(&schedule).iter().all(|&offset| offset < Nanos::from_secs(10)));
    }

    #[test]
    fn poisson_arrivals_repeat_for_the_same_seed_and_have_the_right_moments() {
        let segments = vec![Segment::constant(200.0, Nanos::from_secs(500))];
        let arrivals = all(&Schedule::poisson(segments.clone(), 7));
        assert_eq!(arrivals, all(&Schedule::poisson(segments.clone(), 7)));
        assert_ne!(arrivals, all(&Schedule::poisson(segments, 8)));
        // 100 000 expected, standard deviation 316; five of them.
        assert!((arrivals.len() as f64 - 100_000.0).abs() < 1_581.0, "{}", arrivals.len());
        let gaps: Vec<f64> = arrivals.windows(2).map(|pair| (pair[1] - pair[0]).as_millis_f64()).collect();
        let mean = gaps.iter().sum::<f64>() / gaps.len() as f64;
        let variance = gaps.iter().map(|gap| (gap - mean).powi(2)).sum::<f64>() / gaps.len() as f64;
        // Exponential gaps: standard deviation equals the mean, 5 ms; its own error at n = 100 000 is about 0.3 %.
        assert!((mean - 5.0).abs() < 0.08, "{mean}");
        assert!((variance.sqrt() / mean - 1.0).abs() < 0.03, "{}", variance.sqrt() / mean);
        // P(gap > 10 ms) = exp(-2) = 0.1353; standard deviation 0.0011.
        let long = gaps.iter().filter(|&&gap| gap > 10.0).count() as f64 / gaps.len() as f64;
        assert!((long - 0.1353).abs() < 0.0055, "{long}");
    }

    fn segments() -> impl Strategy<Value = Vec<Segment>> {
        let segment = (0.0..500.0f64, 0.0..500.0f64, 1i64..20_000).prop_map(|(from, to, ms)| Segment {
            from,
            to,
            length: Nanos::from_millis(ms),
        });
        proptest::collection::vec(segment, 1..5)
    }

    proptest! {
        #[test]
        fn workers_share_every_start_once(segments in segments(), workers in 1u64..9, seed: Option<u64>) {
            let schedule = Schedule::new(segments, seed);
            let whole: Vec<_> = schedule.starts(0, 1).collect();
            let mut shared: Vec<_> = (0..workers).flat_map(|worker| schedule.starts(worker, workers)).collect();
            shared.sort_unstable();
            prop_assert_eq!(whole, shared);
        }

        #[test]
        fn counts_follow_the_area_and_order_is_kept(segments in segments(), cut in 0.0..1.0f64) {
            let schedule = Schedule::even(segments);
            let starts = all(&schedule);
            prop_assert!(starts.windows(2).all(|pair| pair[0] <= pair[1]));
            let offset = Nanos((schedule.length().0 as f64 * cut) as i64);
            let before = starts.iter().filter(|&&start| start < offset).count() as f64;
            prop_assert!((before - schedule.area_until(offset)).abs() <= 1.0 + 1e-6);
            prop_assert!(starts.iter().all(|&start| start <= schedule.length()));
        }

        #[test]
        fn poisson_arrivals_lie_inside_and_in_order(segments in segments(), seed: u64) {
            let schedule = Schedule::poisson(segments, seed);
            let starts = all(&schedule);
            prop_assert!(starts.windows(2).all(|pair| pair[0] <= pair[1]));
            prop_assert!(starts.iter().all(|&start| start <= schedule.length()));
        }
    }
}
