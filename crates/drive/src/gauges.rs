//! How much is under way in a lane.

use record::EngineRow;
use std::collections::VecDeque;
use terms::Nanos;

/// Time-weighted number in flight in each second, and the worst of what was seen since the last look.
#[derive(Debug, Default)]
pub(crate) struct Gauges {
    in_flight: u32,
    /// What is told up to here is accounted for.
    since: Nanos,
    /// The end of the second that `area` is of.
    ends: Nanos,
    area: f64,
    /// The areas of the seconds before it that nobody has taken yet, oldest first.
    past: VecDeque<f64>,
    in_flight_max: u32,
    waiting_max: u32,
    awaiting_max: u32,
}

impl Gauges {
    /// Nothing is in flight before this moment.
    pub(crate) fn begin(&mut self, origin: Nanos) {
        self.since = origin;
        self.ends = Nanos::from_secs(origin.second() + 1);
    }

    /// `by` more in flight from `at` on. A moment that lies before the last change is accounted for as if it had been
    /// told in time: an arrival counts from its intended start, however late the loop sees it.
    #[inline]
    pub(crate) fn change(&mut self, at: Nanos, by: i32) {
        if at >= self.since {
            if at >= self.ends {
                self.turn_seconds(at);
            }
            self.area += (at - self.since).as_secs_f64() * f64::from(self.in_flight);
            self.since = at;
        } else {
            self.make_up(at, f64::from(by));
        }
        self.in_flight = self.in_flight.saturating_add_signed(by);
        self.in_flight_max = self.in_flight_max.max(self.in_flight);
    }

    /// Closes the seconds that are over at `at`.
    #[cold]
    fn turn_seconds(&mut self, at: Nanos) {
        while at >= self.ends {
            self.area += (self.ends - self.since).as_secs_f64() * f64::from(self.in_flight);
            self.past.push_back(std::mem::take(&mut self.area));
            self.since = self.ends;
            self.ends += Nanos::SECOND;
        }
    }

    /// Adds `by` from `at` to the last change. The oldest second that is left gets what belongs to those before it.
    fn make_up(&mut self, at: Nanos, by: f64) {
        let (mut until, mut starts) = (self.since, self.ends - Nanos::SECOND);
        let mut older = self.past.iter_mut().rev();
        let mut area = &mut self.area;
        while at < starts
            && let Some(before) = older.next()
        {
            *area += (until - starts).as_secs_f64() * by;
            area = before;
            until = starts;
            starts -= Nanos::SECOND;
        }
        *area += (until - at).as_secs_f64() * by;
    }

    /// Whether nothing is in flight.
    pub(crate) fn is_idle(&self) -> bool {
        self.in_flight == 0
    }

    /// So many arrivals wait for a connection.
    #[inline]
    pub(crate) fn waiting(&mut self, count: usize) {
        self.waiting_max = self.waiting_max.max(count as u32);
    }

    /// So many legs wait for what others close.
    #[inline]
    pub(crate) fn awaiting(&mut self, count: usize) {
        self.awaiting_max = self.awaiting_max.max(count as u32);
    }

    /// Adds what was seen of the row's second, which is over or in hand, to the row; greatest numbers are those since the
    /// last call. Of greatest numbers the sum is taken, so it was at most so many. `awaiting` legs wait now.
    pub(crate) fn take(&mut self, now: Nanos, awaiting: usize, row: &mut EngineRow) {
        self.change(now.max(self.since), 0);
        let newest = self.ends.second() - 1;
        while newest - (self.past.len() as i64) <= row.second
            && let Some(area) = self.past.pop_front()
        {
            row.in_flight_mean += area;
        }
        if newest <= row.second {
            row.in_flight_mean += std::mem::take(&mut self.area);
        }
        row.in_flight_max += std::mem::replace(&mut self.in_flight_max, self.in_flight);
        row.awaiting_max += std::mem::replace(&mut self.awaiting_max, awaiting as u32);
        row.waiting_max += std::mem::take(&mut self.waiting_max);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn mean(gauges: &mut Gauges, now: Nanos, second: i64) -> f64 {
        let mut row = EngineRow { second, ..EngineRow::default() };
        gauges.take(now, 0, &mut row);
        row.in_flight_mean
    }

    fn at(ms: i64) -> Nanos {
        Nanos::from_millis(ms)
    }

    #[test]
    fn a_late_look_gives_each_second_its_own() {
        let mut gauges = Gauges::default();
        gauges.begin(at(1_000));
        gauges.change(at(1_500), 30);
        gauges.change(at(2_900), -10);
        // The loop looks 1.4 s after the end of second 1.
        assert_eq!(mean(&mut gauges, at(3_400), 0), 0.0, "before the load");
        assert_eq!(mean(&mut gauges, at(3_400), 1), 15.0);
        assert!((mean(&mut gauges, at(3_400), 2) - 29.0).abs() < 1e-9);
        assert!((mean(&mut gauges, at(3_400), 3) - 8.0).abs() < 1e-9, "of 0.4 s of it");
    }

    #[test]
    fn an_arrival_that_is_seen_late_counts_in_the_seconds_in_which_it_was_due() {
        let mut gauges = Gauges::default();
        gauges.begin(at(0));
        gauges.change(at(2_500), 0);
        gauges.change(at(400), 2);
        let means = [0, 1, 2].map(|second| mean(&mut gauges, at(2_500), second));
        assert!(means.iter().zip([1.2, 2.0, 1.0]).all(|(mean, truth)| (mean - truth).abs() < 1e-9), "{means:?}");
        // What is taken is gone: the oldest that is left gets the rest.
        gauges.change(at(1_900), 1);
        assert!((mean(&mut gauges, at(2_500), 2) - 0.6).abs() < 1e-9);
    }

    proptest! {
        /// However changes are told, in order or late, and however seldom anybody looks: whole seconds have their own
        /// mean, which is never above the greatest number, and all of them together have what was in flight.
        #[test]
        fn seconds_add_up(
            stays in prop::collection::vec((0i64..8_000, 0i64..3_000, 0i64..900), 1..40), looks in prop::collection::vec(0i64..11, 0..4),
        ) {
            let told = |&(from, length, late): &(i64, i64, i64)| [(from + late, from, 1), (from + length + late, from + length, -1)];
            let mut changes: Vec<(i64, i64, i32)> = stays.iter().flat_map(told).collect();
            changes.sort_by_key(|(seen, ..)| *seen);
            let mut gauges = Gauges::default();
            gauges.begin(at(0));
            let (mut next, mut means) = (0, Vec::new());
            let mut turn = |gauges: &mut Gauges, now: i64, means: &mut Vec<f64>| {
                while next < now {
                    means.push(mean(gauges, at(now * 1_000), next));
                    next += 1;
                }
            };
            for (seen, moment, by) in changes {
                // Seconds are looked at when nothing of them is still to be told.
                for look in looks.iter().filter(|look| **look * 1_000 + 900 <= seen) {
                    turn(&mut gauges, *look, &mut means);
                }
                gauges.change(at(moment), by);
            }
            turn(&mut gauges, 13, &mut means);
            for (second, mean) in means.iter().enumerate() {
                let (starts, ends) = (second as i64 * 1_000, second as i64 * 1_000 + 1_000);
                let within = |from: i64, to: i64| (to.min(ends) - from.max(starts)).max(0) as f64 / 1e3;
                let truth: f64 = stays.iter().map(|(from, length, _)| within(*from, from + length)).sum();
                prop_assert!((mean - truth).abs() < 1e-6, "second {second}: {mean}, not {truth}");
            }
        }
    }
}
