//! The schedule as a [`Service`].

use std::sync::Arc;

use target_common::{Answer, Args, Arrival, Body, Flag, Plan, Service};

use crate::schedule::FreezeSchedule;

/// Flags of this target, besides the common ones.
pub const fn flags() -> &'static [Flag] {
    &[
        Flag { name: "--service", value: "DURATION", help: "service time of every request; without, 1ms" },
        Flag { name: "--every", value: "DURATION", help: "time between the starts of two freezes; without, 2s" },
        Flag { name: "--for", value: "DURATION", help: "length of a freeze; without, 100ms" },
        Flag { name: "--first", value: "DURATION", help: "start of the first freeze; without, (every + service) / 2" },
        Flag { name: "--from", value: "EPOCH", help: "what times count from: `first` request, as without, or `start`" },
    ]
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

/// Reads the flags; mistakes are left in `args`.
pub fn from_args(args: &mut Args) -> StallService {
    let service_ns = args.duration_ns("--service", 1_000_000);
    let every_ns = args.duration_ns("--every", 2_000_000_000);
    let freeze_ns = args.duration_ns("--for", 100_000_000);
    let from_start = args.choice("--from", 0, &["first", "start"]) == 1;
    let mut schedule = FreezeSchedule::new(service_ns, every_ns, freeze_ns).unwrap_or_else(|why| {
        args.mistake(why);
        // Never served: a mistake ends the program before it listens.
        FreezeSchedule { service_ns, every_ns: 1, freeze_ns: 0, first_ns: 0 }
    });
    schedule.first_ns = args.duration_ns("--first", schedule.first_ns);
    StallService::new(schedule, from_start.then_some(0))
}
