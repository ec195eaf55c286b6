//! The queue as a [`Service`].

use std::sync::Arc;

use target_common::{Answer, Args, Arrival, Body, Flag, Plan, Service};

use crate::draw::ServiceTimes;
use crate::queue::FifoQueue;

/// Flags of this target, besides the common ones.
pub const fn flags() -> &'static [Flag] {
    &[
        Flag { name: "--rate-of-service", value: "RATE", help: "requests that one server serves; without, 100/s" },
        Flag { name: "--service", value: "SPREAD", help: "`exponential`, as without, or `constant`" },
        Flag { name: "--servers", value: "COUNT", help: "servers before which one line waits; without, 1" },
        Flag { name: "--seed", value: "NUMBER", help: "of the service times; without, 7" },
    ]
}

/// Serves first come first served.
pub struct QueueService {
    times: ServiceTimes,
    queue: FifoQueue,
    body: Arc<[u8]>,
    /// Sum of the service times so far: `busy_ns / (servers * time)` is the utilisation.
    busy_ns: u64,
    last_due_ns: u64,
}

impl QueueService {
    /// A service with so many idle servers.
    pub fn new(times: ServiceTimes, servers: usize) -> Self {
        let body = Arc::from(&b"{\"ok\":true}\n"[..]);
        QueueService { times, queue: FifoQueue::new(servers), body, busy_ns: 0, last_due_ns: 0 }
    }
}

impl Service for QueueService {
    fn arrive(&mut self, arrival: Arrival<'_>) -> Plan {
        let service_ns = self.times.of(arrival.number);
        let due_ns = self.queue.depart_ns(arrival.arrival_ns, service_ns);
        self.busy_ns += service_ns;
        self.last_due_ns = self.last_due_ns.max(due_ns);
        let answer = Answer::new(200, "application/json", Body::Shared(Arc::clone(&self.body)));
        Plan { due_ns, service_ns, interim: None, answer }
    }

    /// `busy_ns` sums all service times begun or waiting; `last_due_ns` is when the line will be empty.
    fn counters(&self) -> Vec<(&'static str, u64)> {
        vec![("busy_ns", self.busy_ns), ("last_due_ns", self.last_due_ns)]
    }
}

/// Reads the flags; mistakes are left in `args`.
pub fn from_args(args: &mut Args) -> QueueService {
    let rate_per_s = args.rate_per_s("--rate-of-service", 100.0);
    let seed = args.count("--seed", 7, 0, u64::MAX);
    let servers = args.count("--servers", 1, 1, 10_000) as usize;
    let mean_ns = 1e9 / rate_per_s;
    let times = match args.choice("--service", 0, &["exponential", "constant"]) {
        0 => ServiceTimes::Exponential { mean_ns, seed },
        _ => ServiceTimes::Constant { service_ns: mean_ns.round() as u64 },
    };
    QueueService::new(times, servers)
}
