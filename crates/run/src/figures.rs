//! Where the load stands, second by second, for people.

use crate::failing::Failing;
use terms::{Books, Nanos};

/// Where the load stands.
#[derive(Clone, Debug, Default)]
pub struct Figures {
    /// Number of the step in hand, and when it began.
    pub step: Option<(u32, Nanos)>,
    /// Books of the scenario in hand.
    pub books: Books,
    /// Starts that came due in the last second that all load threads have told of.
    pub offered: u64,
    /// Starts that were made in it, whenever they had been due.
    pub achieved: u64,
    /// Of the last ten seconds.
    pub p50: Option<Nanos>,
    /// As `p50`.
    pub p99: Option<Nanos>,
    /// Greatest lateness in the last second.
    pub lateness: Nanos,
    /// Processor share of the busiest load thread in the last second.
    pub cpu: f64,
    /// Mean number in flight in the last second, of all threads together.
    pub in_flight: f64,
    /// Processor share of the whole machine, as the host monitor says.
    pub host_cpu: Option<f64>,
    /// Cores in use by instance, as the process monitor says, in order of their first sample.
    pub instance_cpu: Vec<(String, f64)>,
    /// Why calls of the scenario in hand failed.
    pub failing: Failing,
    /// Of a load whose connections are held.
    pub connections: Option<Connections>,
    /// Median of each of the last seconds, oldest first; by the second of the end.
    pub medians: Vec<Nanos>,
}

/// The connections, or subscriptions, of a load that holds them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Connections {
    /// Those that are to be open by the end of the step in hand.
    pub planned: u64,
    /// Those that were opened so far.
    pub opened: u64,
    /// Those that could not be opened.
    pub failed: u64,
    /// Those that were lost after they had been opened, as the driver counts them.
    pub lost: u64,
}

impl Figures {
    pub(crate) fn see_instance(&mut self, instance: &str, cores: f64) {
        match self.instance_cpu.iter_mut().find(|(name, _)| name == instance) {
            Some((_, seen)) => *seen = cores,
            None => self.instance_cpu.push((instance.to_owned(), cores)),
        }
    }
}
