//! The line as a [`Service`].

use std::sync::Arc;

use target_common::{Answer, Args, Arrival, Body, Flag, Plan, Service};

use crate::line::Line;
use crate::theory::Law;

/// Flags of this target, besides the common ones.
pub const fn flags() -> &'static [Flag] {
    &[
        Flag { name: "--one", value: "RATE", help: "λ: requests that one user alone gets served; without, 100/s" },
        Flag { name: "--contention", value: "SHARE", help: "σ, as a percentage; without, 5%" },
        Flag { name: "--coherency", value: "SHARE", help: "κ, as a percentage; without, 0.2%" },
    ]
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

/// Reads the flags; mistakes are left in `args`.
pub fn from_args(args: &mut Args) -> SaturateService {
    let one_per_s = args.rate_per_s("--one", 100.0);
    let mut share = |name, absent: f64| {
        if args.has(name) { f64::from(args.share(name)) / f64::from(target_common::units::WHOLE) } else { absent }
    };
    let (contention, coherency) = (share("--contention", 0.05), share("--coherency", 0.002));
    SaturateService::new(Law { one_per_s, contention, coherency })
}
