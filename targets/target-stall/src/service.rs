//! The schedule as a [`Service`].

use std::sync::Arc;

use clap::{Parser, ValueEnum};
use target_common::units::parse_duration_ns;
use target_common::{Answer, Arrival, Body, Plan, ServerFlags, ServerOptions, Service};

use crate::schedule::FreezeSchedule;

/// Answers after a constant service time, but holds all answers back for a while on schedule
#[derive(Parser, Debug)]
#[command(name = "target-stall")]
pub struct Flags {
    #[command(flatten)]
    server: ServerFlags,
    /// Service time of every request
    #[arg(long, value_name = "DURATION", default_value = "1ms", value_parser = parse_duration_ns)]
    service: u64,
    /// Time between the starts of two freezes
    #[arg(long, value_name = "DURATION", default_value = "2s", value_parser = parse_duration_ns)]
    every: u64,
    /// Length of a freeze
    #[arg(long = "for", value_name = "DURATION", default_value = "100ms", value_parser = parse_duration_ns)]
    freeze: u64,
    /// Start of the first freeze [default: (every + service) / 2]
    #[arg(long, value_name = "DURATION", value_parser = parse_duration_ns)]
    first: Option<u64>,
    /// What times count from
    #[arg(long, value_name = "EPOCH", default_value = "first")]
    from: Epoch,
}

/// What times count from.
#[derive(Clone, Copy, Debug, ValueEnum)]
enum Epoch {
    /// The first request
    First,
    /// The start of the target
    Start,
}

/// Answers after the schedule.
pub struct StallService {
    schedule: FreezeSchedule,
    /// What the schedule counts from, in the target's clock; unknown until the first request.
    epoch_ns: Option<u64>,
    body: Arc<[u8]>,
    frozen: u64,
}

impl StallService {
    /// A service whose epoch is `epoch_ns` of the target's clock, or with `None` the arrival of the first request.
    pub fn new(schedule: FreezeSchedule, epoch_ns: Option<u64>) -> Self {
        StallService { schedule, epoch_ns, body: Arc::from(&b"{\"ok\":true}\n"[..]), frozen: 0 }
    }
}

impl Service for StallService {
    fn arrive(&mut self, arrival: Arrival<'_>) -> Plan {
        let epoch_ns = *self.epoch_ns.get_or_insert(arrival.arrival_ns);
        let due_ns = epoch_ns + self.schedule.departure_ns(arrival.arrival_ns - epoch_ns);
        let service_ns = self.schedule.service_ns;
        self.frozen += u64::from(due_ns > arrival.arrival_ns + service_ns);
        let answer = Answer::new(200, "application/json", Body::Shared(Arc::clone(&self.body)));
        Plan { due_ns, service_ns, interim: None, answer }
    }

    /// `epoch_ns` appears once it is known; `frozen` counts answers that waited for the end of a freeze.
    fn counters(&self) -> Vec<(&'static str, u64)> {
        let FreezeSchedule { service_ns, every_ns, freeze_ns, first_ns } = self.schedule;
        let mut counters = vec![
            ("service_ns", service_ns),
            ("every_ns", every_ns),
            ("freeze_ns", freeze_ns),
            ("first_ns", first_ns),
            ("frozen", self.frozen),
        ];
        counters.extend(self.epoch_ns.map(|epoch_ns| ("epoch_ns", epoch_ns)));
        counters
    }
}

impl Flags {
    /// The service, and how its server runs.
    ///
    /// # Errors
    /// Flags that cannot be, in words.
    pub fn server(&self) -> Result<(StallService, ServerOptions), String> {
        let mut schedule = FreezeSchedule::new(self.service, self.every, self.freeze)?;
        schedule.first_ns = self.first.unwrap_or(schedule.first_ns);
        let epoch_ns = match self.from {
            Epoch::First => None,
            Epoch::Start => Some(0),
        };
        Ok((StallService::new(schedule, epoch_ns), self.server.options()?))
    }
}
