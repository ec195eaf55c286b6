//! Moments of departure: pure arithmetic, the truth that tests compare with.

use crate::theory::Law;
use std::collections::VecDeque;

/// One line, first come first served, whose pace depends on its length.
#[derive(Clone, Debug)]
pub struct Line {
    law: Law,
    /// Departures to come, in order.
    departures_ns: VecDeque<u64>,
}

impl Line {
    /// An empty line.
    pub fn new(law: Law) -> Self {
        Line { law, departures_ns: VecDeque::new() }
    }

    /// Takes the next request; returns how long it is served and when it departs. Arrivals must come in order of time.
    pub fn depart_ns(&mut self, arrival_ns: u64) -> (u64, u64) {
        // Who departs at the very moment of an arrival is no longer there: a closed load's next request comes of it.
        while self.departures_ns.front().is_some_and(|&at| at <= arrival_ns) {
            self.departures_ns.pop_front();
        }
        let present = self.departures_ns.len() as u64 + 1;
        let service_ns = self.law.service_ns(present);
        let begins_ns = self.departures_ns.back().map_or(arrival_ns, |&last| last.max(arrival_ns));
        let departs_ns = begins_ns + service_ns;
        self.departures_ns.push_back(departs_ns);
        (service_ns, departs_ns)
    }

    /// How many are in the line by the last arrival's reckoning.
    pub fn present(&self) -> usize {
        self.departures_ns.len()
    }
}

/// Departures of all arrivals, nanoseconds, in order of arrival.
pub fn departures_ns(law: Law, arrivals_ns: impl IntoIterator<Item = u64>) -> Vec<u64> {
    let mut line = Line::new(law);
    arrivals_ns.into_iter().map(|arrival_ns| line.depart_ns(arrival_ns).1).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const LAW: Law = Law { one_per_s: 100.0, contention: 0.05, coherency: 0.002 };

    #[test]
    fn worked_by_hand() {
        // Alone: 10 ms. The second, 1 ms later, finds one before it: X(2) = 189.7533/s, so 5.27 ms after the first is done.
        let law = Law { contention: 0.0, coherency: 0.0, ..LAW };
        assert_eq!(departures_ns(law, [0, 1_000_000, 40_000_000]), [10_000_000, 15_000_000, 50_000_000]);
        assert_eq!(departures_ns(LAW, [0, 1_000_000])[1], 10_000_000 + 5_270_000);
    }

    /// Users who ask again at the moment of their answer: throughput is the law's own, exactly.
    #[test]
    fn a_closed_load_meets_the_law() {
        for users in [1_u64, 2, 8, 20, 32] {
            let mut line = Line::new(LAW);
            let mut next: VecDeque<u64> = (0..users).map(|_| 0).collect();
            let mut last_ns = 0;
            let rounds = 200 * users;
            let mut from_ns = 0;
            for number in 0..rounds {
                let arrival_ns = next.pop_front().unwrap();
                last_ns = line.depart_ns(arrival_ns).1;
                next.push_back(last_ns);
                if number + 1 == rounds / 2 {
                    from_ns = last_ns;
                }
            }
            let per_s = (rounds - rounds / 2) as f64 / ((last_ns - from_ns) as f64 / 1e9);
            assert!((per_s / LAW.throughput_per_s(users) - 1.0).abs() < 1e-6, "{users}: {per_s}");
        }
    }

    proptest! {
        #[test]
        fn nobody_overtakes_and_nobody_is_early(gaps in proptest::collection::vec(0_u64..30_000_000, 1..300)) {
            let arrivals: Vec<u64> = gaps.iter().scan(0, |at, gap| { *at += gap; Some(*at) }).collect();
            let departures = departures_ns(LAW, arrivals.iter().copied());
            prop_assert!(departures.is_sorted());
            for (arrival, departure) in arrivals.iter().zip(&departures) {
                // The fastest pace of this law is 738.08/s, at its peak.
                prop_assert!(departure - arrival >= 1_354_000);
            }
        }
    }
}
