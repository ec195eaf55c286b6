//! When samples are due: arithmetic on the run's clock.

use terms::Nanos;

/// The instants `k · every`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Schedule {
    every: Nanos,
    due: Nanos,
}

/// Missed instants that are written as gaps after one outage. A longer outage is told by its event; its gaps before
/// these would be the same row again and again.
const GAPS_MAX: usize = 3600;

impl Schedule {
    /// The first instant is the next one from `now` on. A period below a millisecond is taken as a millisecond.
    pub(crate) fn from(now: Nanos, every: Nanos) -> Self {
        let every = every.max(Nanos::MILLISECOND);
        Self { every, due: Self::round_up(now, every) }
    }

    fn round_up(moment: Nanos, every: Nanos) -> Nanos {
        let steps = moment.0.div_euclid(every.0) + i64::from(moment.0.rem_euclid(every.0) > 0);
        every * steps
    }

    /// When the next sample is due.
    pub(crate) fn due(&self) -> Nanos {
        self.due
    }

    /// Time between samples.
    pub(crate) fn every(&self) -> Nanos {
        self.every
    }

    /// Moves on after the sample that was due. Returns the instants that have passed meanwhile without one, oldest
    /// first, the latest ones if there are very many.
    pub(crate) fn advance(&mut self, now: Nanos) -> Vec<Nanos> {
        let first = self.due + self.every;
        self.due = first.max(Self::round_up(now, self.every));
        let missed = ((self.due - first).0 / self.every.0).max(0);
        let from = missed - missed.min(GAPS_MAX as i64);
        (from..missed).map(|step| first + self.every * step).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn instants_lie_on_the_grid_and_missed_ones_are_told() {
        let second = Nanos::SECOND;
        let mut schedule = Schedule::from(Nanos::from_millis(300), second);
        assert_eq!(schedule.due(), second);
        assert!(schedule.advance(Nanos::from_millis(1100)).is_empty());
        assert_eq!(schedule.due(), second * 2);
        // The sample that was due at 2 s took until 5.2 s: 3, 4 and 5 s have passed.
        assert_eq!(schedule.advance(Nanos::from_millis(5200)), [second * 3, second * 4, second * 5]);
        assert_eq!(schedule.due(), second * 6);
        // One that ends exactly at the next instant is in time for it.
        assert!(schedule.advance(second * 7).is_empty());
        assert_eq!(schedule.due(), second * 7);
    }

    #[test]
    fn an_hour_of_outage_is_bounded_and_no_period_is_zero() {
        let mut schedule = Schedule::from(Nanos::ZERO, Nanos::ZERO);
        assert_eq!(schedule.every(), Nanos::MILLISECOND);
        let missed = schedule.advance(Nanos::from_secs(3600));
        assert_eq!(missed.len(), GAPS_MAX);
        assert_eq!(missed.last(), Some(&Nanos::from_millis(3_599_999)));
    }

    proptest! {
        #[test]
        fn no_instant_is_lost_or_taken_twice(every in 1i64..5_000, pauses in prop::collection::vec(0i64..3_000, 1..50)) {
            // Pauses stay below the bound on gaps even with the shortest period.
            let every = Nanos::from_millis(every);
            let mut schedule = Schedule::from(Nanos::ZERO, every);
            let (mut now, mut seen) = (Nanos::ZERO, Vec::new());
            for pause in pauses {
                now = now.max(schedule.due());
                seen.push(schedule.due());
                now += Nanos::from_millis(pause);
                seen.extend(schedule.advance(now));
            }
            for (k, instant) in seen.iter().enumerate() {
                prop_assert_eq!(*instant, every * k as i64);
            }
            prop_assert!(schedule.due() >= now || schedule.due() + every > now);
        }
    }
}
