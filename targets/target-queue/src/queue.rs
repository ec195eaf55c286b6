//! Moments of departure: pure arithmetic, the truth that tests compare with.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// One line before `c` equal servers, first come first served.
///
/// Holds for each server the moment from which it is free. A request takes the one that is free first, and starts
/// when it has arrived and that server is free. For one server, `start - arrival` is Lindley's waiting time.
/// Source: D. V. Lindley, "The theory of queues with a single server", Proc. Camb. Phil. Soc. 48 (1952);
/// for more servers: J. Kiefer, J. Wolfowitz, Trans. AMS 78 (1955).
#[derive(Clone, Debug)]
pub struct FifoQueue {
    free_ns: BinaryHeap<Reverse<u64>>,
}

impl FifoQueue {
    /// `servers` idle servers; at least one is made.
    pub fn new(servers: usize) -> Self {
        FifoQueue { free_ns: BinaryHeap::from(vec![Reverse(0); servers.max(1)]) }
    }

    /// Takes the next request and returns when it departs. Arrivals must come in order of time.
    pub fn depart_ns(&mut self, arrival_ns: u64, service_ns: u64) -> u64 {
        let Reverse(free_ns) = self.free_ns.pop().expect("invariant: there is at least one server");
        let departure_ns = arrival_ns.max(free_ns) + service_ns;
        self.free_ns.push(Reverse(departure_ns));
        departure_ns
    }
}

/// Departures of all `requests`, pairs of arrival and service time in nanoseconds, in order of arrival.
pub fn departures_ns(servers: usize, requests: impl IntoIterator<Item = (u64, u64)>) -> Vec<u64> {
    let mut queue = FifoQueue::new(servers);
    requests.into_iter().map(|(arrival_ns, service_ns)| queue.depart_ns(arrival_ns, service_ns)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::draw::{ServiceTimes, uniform};
    use crate::theory;
    use proptest::prelude::*;

    #[test]
    fn worked_by_hand() {
        // Arrivals 0, 2, 3, 20; services 5, 1, 4, 2: the second waits 3, the third 3, the fourth not at all.
        assert_eq!(departures_ns(1, [(0, 5), (2, 1), (3, 4), (20, 2)]), [5, 6, 10, 22]);
        // With two servers the second starts at once, and the third when the second leaves.
        assert_eq!(departures_ns(2, [(0, 5), (2, 1), (3, 4), (20, 2)]), [5, 3, 7, 22]);
    }

    proptest! {
        /// Against Lindley's recursion in its own form, exactly.
        #[test]
        fn one_server_is_lindley(steps in proptest::collection::vec((0_u64..1_000, 0_u64..1_000), 1..200)) {
            let mut arrival = 0;
            let requests: Vec<(u64, u64)> = steps.iter().map(|(gap, service)| { arrival += gap; (arrival, *service) }).collect();
            let departures = departures_ns(1, requests.iter().copied());
            let mut wait = 0_u64;
            for (index, (arrival, service)) in requests.iter().enumerate() {
                if index > 0 {
                    let (earlier, served) = requests[index - 1];
                    wait = (wait + served).saturating_sub(arrival - earlier);
                }
                prop_assert_eq!(departures[index], arrival + wait + service);
            }
        }

        #[test]
        fn more_servers_never_make_anyone_later(
            steps in proptest::collection::vec((0_u64..100, 0_u64..100), 1..100), servers in 1_usize..5,
        ) {
            let mut arrival = 0;
            let requests: Vec<(u64, u64)> = steps.iter().map(|(gap, service)| { arrival += gap; (arrival, *service) }).collect();
            let few = departures_ns(servers, requests.iter().copied());
            let more = departures_ns(servers + 1, requests.iter().copied());
            prop_assert!(few.iter().zip(&more).all(|(few, more)| more <= few));
        }
    }

    /// Mean response and 95th percentile of simulated Poisson arrivals, in seconds.
    fn simulate(servers: usize, arrivals_per_s: f64, times: ServiceTimes, count: u64) -> (f64, f64) {
        let mut arrival = 0.0;
        let requests: Vec<(u64, u64)> = (0..count)
            .map(|number| {
                arrival += -(1.0 - uniform(99, number)).ln() / arrivals_per_s * 1e9;
                (arrival as u64, times.of(number))
            })
            .collect();
        let departures = departures_ns(servers, requests.iter().copied());
        let mut responses: Vec<u64> =
            requests.iter().zip(departures).map(|((arrival, _), left)| left - arrival).collect();
        responses.sort_unstable();
        let mean = responses.iter().sum::<u64>() as f64 / count as f64 / 1e9;
        (mean, responses[(count * 95 / 100) as usize] as f64 / 1e9)
    }

    /// The whole chain, draws and queue, against theory. The mean waiting time of n requests of M/M/1 has, for
    /// large n, the variance ρ(2 + 5ρ - 4ρ² + ρ³) / ((1 - ρ)⁴ μ² n) (Whitt, "Planning queueing simulations",
    /// Management Science 35, 1989): with ρ = 0.8 and two million a standard error of 0.64 % of the mean response.
    /// Constant service makes it smaller. Eight servers at ρ = 0.9 wait nearly like one that is eight times as fast
    /// (the same formula with 8μ): 0.9 %. The bounds are three of these, and a little more for the percentile.
    #[test]
    fn simulated_queues_meet_theory() {
        let exponential = ServiceTimes::Exponential { mean_ns: 1e7, seed: 7 };
        let (mean, p95) = simulate(1, 80.0, exponential, 2_000_000);
        assert!((mean / theory::mm1_mean_s(80.0, 100.0) - 1.0).abs() < 0.02, "M/M/1 mean {mean}");
        assert!((p95 / theory::mm1_quantile_s(80.0, 100.0, 0.95) - 1.0).abs() < 0.03, "M/M/1 p95 {p95}");
        let (mean, _) = simulate(8, 720.0, exponential, 2_000_000);
        assert!((mean / theory::mmc_mean_s(720.0, 100.0, 8) - 1.0).abs() < 0.03, "M/M/8 mean {mean}");
        let (mean, _) = simulate(1, 80.0, ServiceTimes::Constant { service_ns: 10_000_000 }, 2_000_000);
        assert!((mean / theory::md1_mean_s(80.0, 100.0) - 1.0).abs() < 0.02, "M/D/1 mean {mean}");
    }
}
