//! The queue as a [`Service`].

use std::sync::Arc;

use clap::{Parser, ValueEnum};
use target_common::units::parse_rate_per_s;
use target_common::{Answer, Arrival, Body, Plan, ServerFlags, ServerOptions, Service};

use crate::draw::ServiceTimes;
use crate::queue::FifoQueue;

/// Serves requests first come first served with drawn service times: M/M/1, M/M/c or M/D/1
#[derive(Parser, Debug)]
#[command(name = "target-queue")]
pub struct Flags {
    #[command(flatten)]
    server: ServerFlags,
    /// Requests that one server serves
    #[arg(long, value_name = "RATE", default_value = "100/s", value_parser = parse_rate_per_s)]
    rate_of_service: f64,
    /// How service times are spread
    #[arg(long, value_name = "SPREAD", default_value = "exponential")]
    service: Spread,
    /// Servers before which one line waits
    #[arg(long, value_name = "COUNT", default_value_t = 1, value_parser = clap::value_parser!(u64).range(1..=10_000))]
    servers: u64,
    /// Seed of the service times
    #[arg(long, value_name = "NUMBER", default_value_t = 7)]
    seed: u64,
}

/// How service times are spread.
#[derive(Clone, Copy, Debug, ValueEnum)]
enum Spread {
    Exponential,
    Constant,
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

impl Flags {
    /// The service, and how its server runs.
    ///
    /// # Errors
    /// Flags that cannot be, in words.
    pub fn server(&self) -> Result<(QueueService, ServerOptions), String> {
        let mean_ns = 1e9 / self.rate_of_service;
        let times = match self.service {
            Spread::Exponential => ServiceTimes::Exponential { mean_ns, seed: self.seed },
            Spread::Constant => ServiceTimes::Constant { service_ns: mean_ns.round() as u64 },
        };
        Ok((QueueService::new(times, self.servers as usize), self.server.options()?))
    }
}
