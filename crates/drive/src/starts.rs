//! What begins a lane's iterations, by kind of load.
//!
//! A kind has a file of its own and a case here. It knows which number starts next and when, and what the end of an
//! iteration means for the next one; the lane gives starts to slots.

mod arrivals;
mod held;
mod users;

pub(crate) use arrivals::{Arrivals, Next, Pending};
pub(crate) use held::Held;
pub(crate) use users::{Users, share};

use plan::LoadPlan;
use terms::Nanos;

/// How many threads share an open load: none that would have no connection for its arrivals.
pub(crate) fn sharing(max_in_flight: Option<u32>, workers: u64) -> u64 {
    max_in_flight.map_or(workers, |bound| workers.min(u64::from(bound)).max(1))
}

/// What begins iterations.
pub(crate) enum Starts<'a> {
    /// The schedule, however slow the answers.
    Open(Arrivals<'a>),
    /// Users, each of whom begins its next iteration when its last one has ended.
    Closed(Users<'a>),
    /// Messages on connections that stay open, however slow the answers.
    Held(Held<'a>),
}

impl<'a> Starts<'a> {
    /// Those of thread `worker` among `workers`. The load's own beginning lies `after` that of the scenario's, and a count is
    /// of what begins from `counts_from` on.
    pub(crate) fn of(load: &'a LoadPlan, (after, counts_from): (Nanos, Nanos), (worker, workers): (u64, u64)) -> Self {
        match load {
            LoadPlan::Open { schedule, max_in_flight } => {
                Self::Open(Arrivals::of(schedule, after, worker, sharing(*max_in_flight, workers)))
            }
            LoadPlan::Closed { users, pacing, count } => {
                Self::Closed(Users::of(users, *pacing, *count, (after, counts_from), (worker, workers)))
            }
            LoadPlan::Held(plan) => Self::Held(Held::of(plan, after, worker, workers)),
        }
    }

    /// Whether iterations have no intended start but their own.
    #[inline]
    pub(crate) fn is_closed(&self) -> bool {
        matches!(self, Self::Closed(_))
    }

    /// Whether a slot is the same user's, or the same connection's, all the time: all exist before the load begins.
    #[inline]
    pub(crate) fn has_places(&self) -> bool {
        !matches!(self, Self::Open(_))
    }
}
