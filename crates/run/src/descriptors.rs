//! Descriptors of this process: how many there are, and how many of them are left for connections.

use plan::{LoadPlan, PartPlan, Plan};
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

/// Descriptors that are not for connections: files, pipes, the loops themselves.
pub(crate) const KEPT: u64 = 256;
/// Most connections where the study sets no bound.
pub(crate) const SESSIONS_MAX: u64 = 20_000;
/// Where the system says that there is no limit.
const UNLIMITED: u64 = 1 << 20;

/// Most connections of an open load: what descriptors allow, and no more than anybody would mean who did not say it.
pub(crate) fn sessions_max(plan: &Plan) -> u32 {
    let asked = plan.scenarios.iter().flat_map(|scenario| &scenario.parts).filter_map(bound).max().unwrap_or(0);
    connections(allowed()).clamp(16, SESSIONS_MAX.max(u64::from(asked))) as u32
}

/// Takes all the descriptors that this process is allowed. Called once the system stands: what it starts keeps the limit
/// that its operator gave it.
pub(crate) fn raise() {
    let limit = getrlimit(Resource::Nofile);
    // A process may always raise its own limit so far; should it not, connections will tell.
    let _ = setrlimit(Resource::Nofile, Rlimit { current: limit.maximum, maximum: limit.maximum });
}

/// How many descriptors this process may have.
pub(crate) fn allowed() -> u64 {
    getrlimit(Resource::Nofile).maximum.unwrap_or(UNLIMITED)
}

/// What of so many descriptors is left for connections.
pub(crate) fn connections(descriptors: u64) -> u64 {
    descriptors.saturating_sub(KEPT)
}

/// Most connections of a part at once, where its load has a bound.
pub(crate) fn bound(part: &PartPlan) -> Option<u32> {
    match &part.load {
        LoadPlan::Open { max_in_flight, .. } => *max_in_flight,
        LoadPlan::Closed { users, .. } => Some(users.count),
        LoadPlan::Held(held) => Some(held.connections.count),
    }
}
