//! When samples are due: arithmetic on the run's clock.

use terms::Nanos;

/// The instants `(k + φ) · every`, with one φ for all, as [`contract::sample_phase`] has it.
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
        let phase = contract::sample_phase(every);
        let moment = moment - phase;
        let steps = moment.0.div_euclid(every.0) + i64::from(moment.0.rem_euclid(every.0) > 0);
        every * steps + phase
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

    /// `k` seconds and the phase.
    fn at(k: i64) -> Nanos {
        Nanos::from_secs(k) + Nanos(487_300_000)
    }

    #[test]
    fn instants_lie_on_the_grid_and_missed_ones_are_told() {
        let mut schedule = Schedule::from(Nanos::from_millis(300), Nanos::SECOND);
        assert_eq!(schedule.due(), at(0));
        assert!(schedule.advance(Nanos::from_millis(1100)).is_empty());
        assert_eq!(schedule.due(), at(1));
        // The sample that was due at 1.5 s took until 4.7 s: three instants have passed.
        assert_eq!(schedule.advance(Nanos::from_millis(4700)), [at(2), at(3), at(4)]);
        assert_eq!(schedule.due(), at(5));
        // One that ends exactly at the next instant is in time for it.
        assert!(schedule.advance(at(6)).is_empty());
        assert_eq!(schedule.due(), at(6));
    }

    #[test]
    fn no_start_of_a_usual_rate_falls_on_a_sample() {
        // Every rate that divides a second, up to a start in 20 ms: at least 1.5 ms lie between.
        for gap_ms in [1000, 500, 250, 200, 125, 100, 50, 40, 25, 20] {
            let within = 487_300_000 % (gap_ms * 1_000_000);
            assert!(within.min(gap_ms * 1_000_000 - within) >= 1_500_000, "{gap_ms} ms");
        }
    }

    #[test]
    fn an_hour_of_outage_is_bounded_and_no_period_is_zero() {
        let mut schedule = Schedule::from(Nanos::ZERO, Nanos::ZERO);
        assert_eq!(schedule.every(), Nanos::MILLISECOND);
        let missed = schedule.advance(Nanos::from_secs(3600));
        assert_eq!(missed.len(), GAPS_MAX);
        assert_eq!(missed.last(), Some(&(Nanos::from_millis(3_599_999) + Nanos(487_300))));
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
                prop_assert_eq!(*instant, every * k as i64 + contract::sample_phase(every));
            }
            prop_assert!(schedule.due() >= now || schedule.due() + every > now);
        }
    }
}
