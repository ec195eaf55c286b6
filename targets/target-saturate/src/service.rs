//! The line as a [`Service`].

use std::sync::Arc;

use clap::Parser;
use target_common::units::{WHOLE, parse_rate_per_s, parse_share};
use target_common::{Answer, Arrival, Body, Plan, ServerFlags, ServerOptions, Service};

use crate::line::Line;
use crate::theory::Law;

/// Serves requests in one line, slower the more of them are present: throughput follows the universal scalability law
#[derive(Parser, Debug)]
#[command(name = "target-saturate")]
pub struct Flags {
    #[command(flatten)]
    server: ServerFlags,
    /// λ: requests that one user alone gets served
    #[arg(long, value_name = "RATE", default_value = "100/s", value_parser = parse_rate_per_s)]
    one: f64,
    /// σ, as a percentage
    #[arg(long, value_name = "SHARE", default_value = "5%", value_parser = parse_share)]
    contention: u32,
    /// κ, as a percentage
    #[arg(long, value_name = "SHARE", default_value = "0.2%", value_parser = parse_share)]
    coherency: u32,
}

/// Serves one after another, slower the more are present.
pub struct SaturateService {
    line: Line,
    body: Arc<[u8]>,
    most_present: u64,
}

impl SaturateService {
    /// A service with nobody there.
    pub fn new(law: Law) -> Self {
        SaturateService { line: Line::new(law), body: Arc::from(&b"{\"ok\":true}\n"[..]), most_present: 0 }
    }
}

impl Service for SaturateService {
    fn arrive(&mut self, arrival: Arrival<'_>) -> Plan {
        let (service_ns, due_ns) = self.line.depart_ns(arrival.arrival_ns);
        self.most_present = self.most_present.max(self.line.present() as u64);
        let answer = Answer::new(200, "application/json", Body::Shared(Arc::clone(&self.body)));
        Plan { due_ns, service_ns, interim: None, answer }
    }

    /// `most_present` is the greatest concurrency seen.
    fn counters(&self) -> Vec<(&'static str, u64)> {
        vec![("most_present", self.most_present)]
    }
}

impl Flags {
    /// The service, and how its server runs.
    ///
    /// # Errors
    /// Flags that cannot be, in words.
    pub fn server(&self) -> Result<(SaturateService, ServerOptions), String> {
        let share = |parts: u32| f64::from(parts) / f64::from(WHOLE);
        let law = Law { one_per_s: self.one, contention: share(self.contention), coherency: share(self.coherency) };
        Ok((SaturateService::new(law), self.server.options()?))
    }
}
