//! When answers are sent: pure arithmetic, the truth that tests compare with.

use std::time::Duration;

/// A freeze of length `freeze_ns` every `every_ns`, the first at `first_ns`; all nanoseconds since the epoch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FreezeSchedule {
    /// Service time of every request, S.
    pub service_ns: u64,
    /// Time from the start of one freeze to the start of the next, E; greater than `freeze_ns`.
    pub every_ns: u64,
    /// Length of a freeze, F; 0 for none.
    pub freeze_ns: u64,
    /// Start of the first freeze.
    pub first_ns: u64,
}

impl FreezeSchedule {
    /// A schedule whose first freeze starts at `(E + S) / 2`.
    ///
    /// So each of the first periods `[0, E)`, `[E, 2E)` holds one whole freeze, and arrivals in steps of S
    /// meet the edges of a freeze half a step away, where a few µs of lateness change no figure much.
    ///
    /// # Errors
    /// A freeze that is not shorter than the period.
    pub fn new(service_ns: u64, every_ns: u64, freeze_ns: u64) -> Result<Self, String> {
        if freeze_ns >= every_ns {
            return Err(format!(
                "a freeze of {freeze_ns} ns every {every_ns} ns never ends; `--for` must be shorter than `--every`"
            ));
        }
        Ok(FreezeSchedule { service_ns, every_ns, freeze_ns, first_ns: every_ns.midpoint(service_ns) })
    }

    /// When the answer is sent to a request that arrives at `arrival_ns`.
    ///
    /// An answer due exactly when a freeze begins waits; one due exactly when it ends does not.
    pub fn departure_ns(&self, arrival_ns: u64) -> u64 {
        self.gate_ns(arrival_ns + self.service_ns)
    }

    /// The response time of a request that arrives `arrival_offset` after the epoch.
    pub fn expected_response(&self, arrival_offset: Duration) -> Duration {
        let arrival_ns = arrival_offset.as_nanos() as u64;
        Duration::from_nanos(self.departure_ns(arrival_ns) - arrival_ns)
    }

    /// Response times when at most `connections` requests can be under way, as with a generator that has so
    /// many connections: the others wait for the first one to become free, with their clocks running.
    ///
    /// `arrivals_ns`: intended starts since the epoch, in order. Returns one value for each, in nanoseconds,
    /// counted from the intended start; empty when `connections` is 0.
    pub fn responses_over_ns(&self, arrivals_ns: &[u64], connections: usize) -> Vec<u64> {
        if connections == 0 {
            return Vec::new();
        }
        let mut free_ns = std::collections::BinaryHeap::from(vec![std::cmp::Reverse(0_u64); connections]);
        let mut responses = Vec::with_capacity(arrivals_ns.len());
        for &arrival_ns in arrivals_ns {
            let Some(std::cmp::Reverse(earliest_ns)) = free_ns.pop() else { break };
            let departure_ns = self.departure_ns(arrival_ns.max(earliest_ns));
            free_ns.push(std::cmp::Reverse(departure_ns));
            responses.push(departure_ns - arrival_ns);
        }
        responses
    }

    /// The `q` quantile (0 to 1) of the response time in nanoseconds, for Poisson arrivals or others spread
    /// evenly over whole periods.
    pub fn response_quantile_ns(&self, q: f64) -> f64 {
        let period = self.every_ns as f64;
        let undisturbed = 1.0 - self.freeze_ns as f64 / period;
        self.service_ns as f64 + (q - undisturbed).max(0.0) * period
    }

    /// The mean response time in nanoseconds under the same condition: `S + F² / (2 E)`.
    pub fn response_mean_ns(&self) -> f64 {
        let freeze = self.freeze_ns as f64;
        self.service_ns as f64 + freeze * freeze / (2.0 * self.every_ns as f64)
    }

    /// The moment at which an answer that is ready at `ready_ns` is sent.
    fn gate_ns(&self, ready_ns: u64) -> u64 {
        let Some(since_first_ns) = ready_ns.checked_sub(self.first_ns) else { return ready_ns };
        let phase_ns = since_first_ns % self.every_ns;
        if phase_ns < self.freeze_ns { ready_ns + self.freeze_ns - phase_ns } else { ready_ns }
    }
}

/// The nearest-rank quantile of `values` (any order, at least one): the smallest value with at least
/// the share `q` of all values at or below it.
pub fn nearest_rank(values: &[u64], q: f64) -> Option<u64> {
    let mut sorted = values.to_vec();
    sorted.sort_unstable();
    // 0.999 * 2000 is 1998.0000000000002 in binary; without the allowance the rank would be one too high.
    let rank = (q * sorted.len() as f64 - 1e-9).ceil().max(1.0) as usize;
    sorted.get(rank - 1).copied()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const MS: u64 = 1_000_000;

    fn schedule() -> FreezeSchedule {
        FreezeSchedule::new(MS, 2000 * MS, 100 * MS).unwrap()
    }

    #[test]
    fn hand_worked_arrivals() {
        // S = 1 ms, E = 2 s: the first freeze lasts from 1000.5 to 1100.5 ms.
        let schedule = schedule();
        assert_eq!(schedule.first_ns, 1_000_500_000);
        let response_us = |arrival_us: u64| schedule.expected_response(Duration::from_micros(arrival_us)).as_micros();
        assert_eq!(response_us(0), 1_000);
        assert_eq!(response_us(999_000), 1_000, "due at 1000.0, before the freeze");
        assert_eq!(response_us(999_499), 1_000, "due 1 µs before the freeze");
        assert_eq!(response_us(999_500), 101_000, "due as it begins: waits for all of it");
        assert_eq!(response_us(1_000_000), 100_500);
        assert_eq!(response_us(1_000_500), 100_000, "arrives as it begins");
        assert_eq!(response_us(1_050_000), 50_500);
        assert_eq!(response_us(1_099_499), 1_001, "due 1 µs before the end");
        assert_eq!(response_us(1_099_500), 1_000, "due as it ends");
        assert_eq!(response_us(3_000_000), 100_500, "one period later");
    }

    /// The table of truths of the stall test: 1,000/s for 20 s.
    #[test]
    fn truth_at_a_thousand_a_second() {
        let schedule = schedule();
        let arrivals: Vec<u64> = (0..20_000).map(|number| number * MS).collect();
        let responses = schedule.responses_over_ns(&arrivals, arrivals.len());
        let q = |q| nearest_rank(&responses, q).unwrap() as f64 / MS as f64;
        assert_eq!((q(0.5), q(0.9), q(0.99), q(0.999), q(1.0)), (1.0, 1.0, 80.5, 98.5, 100.5));
        let each: Vec<u64> = arrivals.iter().map(|&arrival| schedule.departure_ns(arrival) - arrival).collect();
        assert_eq!(responses, each, "with enough connections nobody waits");
    }

    /// The same with ten connections: the backlog behind the freeze is worked off ten a millisecond.
    #[test]
    fn truth_with_ten_connections() {
        let arrivals: Vec<u64> = (0..20_000).map(|number| number * MS).collect();
        let responses = schedule().responses_over_ns(&arrivals, 10);
        let q = |q| nearest_rank(&responses, q).unwrap() as f64 / MS as f64;
        assert_eq!((q(0.5), q(0.9), q(0.99), q(0.999), q(1.0)), (1.0, 1.0, 82.5, 98.5, 100.5));
        assert!(schedule().responses_over_ns(&arrivals, 0).is_empty());
    }

    #[test]
    fn closed_form_at_the_reference_point() {
        let schedule = schedule();
        assert_eq!(schedule.response_quantile_ns(0.95), 1e6);
        // 0.04 of a period of 2000 ms beyond the service time.
        assert!((schedule.response_quantile_ns(0.99) - 81e6).abs() < 1.0);
        assert!((schedule.response_quantile_ns(1.0) - 101e6).abs() < 1.0);
        // 1 ms + 100² / (2 * 2000) ms.
        assert_eq!(schedule.response_mean_ns(), 3.5e6);
    }

    #[test]
    fn a_freeze_without_end_is_refused() {
        assert!(FreezeSchedule::new(MS, 100, 100).unwrap_err().contains("`--for`"));
        assert_eq!(nearest_rank(&[], 0.5), None);
    }

    proptest! {
        #[test]
        fn no_answer_is_early_or_leaves_within_a_freeze(
            service in 0_u64..50, every in 2_u64..500, share in 0_u64..100, arrival in 0_u64..5_000,
        ) {
            let schedule = FreezeSchedule::new(service, every, every * share / 100).unwrap();
            let departure = schedule.departure_ns(arrival);
            prop_assert!(departure >= arrival + service);
            prop_assert!(departure <= arrival + service + schedule.freeze_ns);
            prop_assert_eq!(schedule.gate_ns(departure), departure, "an answer that has left meets no second gate");
        }

        #[test]
        fn the_closed_form_is_the_limit_of_dense_arrivals(
            every in 200_u64..2_000, share in 1_u64..90, q in 0.01_f64..0.99,
        ) {
            // Every nanosecond of a whole period, with both ends of it outside a freeze or within: all the same.
            let schedule = FreezeSchedule::new(10, every, every * share / 100).unwrap();
            let start = schedule.first_ns;
            let responses: Vec<u64> =
                (start..start + every).map(|arrival| schedule.departure_ns(arrival) - arrival).collect();
            let found = nearest_rank(&responses, q).unwrap() as f64;
            prop_assert!((found - schedule.response_quantile_ns(q)).abs() <= 1.0 + 1e-6);
            let mean = responses.iter().sum::<u64>() as f64 / every as f64;
            prop_assert!((mean - schedule.response_mean_ns()).abs() <= 1.0);
        }
    }
}
