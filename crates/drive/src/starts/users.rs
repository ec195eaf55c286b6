//! Starts of a closed load: virtual users, and the iterations that they share.

use plan::UserPlan;
use terms::Nanos;

/// A user whose iteration came to nothing before anything was sent waits so long for the next: it would come to nothing
/// at the same moment, and so on for ever.
const UNSTARTED_PAUSE: Nanos = Nanos::from_millis(10);

/// One thread's part of the iterations of all users.
pub(crate) struct Users<'a> {
    plan: &'a UserPlan,
    /// From the beginning of the scenario's load to its own.
    after: Nanos,
    /// Least time between the starts of a user's iterations.
    pacing: Option<Nanos>,
    worker: u64,
    /// How many threads have users: with fewer users than threads the others must be left nothing to do.
    sharing: u64,
    /// Iterations of this thread, where the load ends by count.
    share: u64,
    /// What begins before it is of no count: the hold has the whole of it.
    counts_from: Nanos,
    begun: u64,
}

impl<'a> Users<'a> {
    pub(crate) fn of(
        plan: &'a UserPlan,
        pacing: Option<Nanos>,
        count: Option<u64>,
        (after, counts_from): (Nanos, Nanos),
        (worker, workers): (u64, u64),
    ) -> Self {
        let sharing = workers.min(u64::from(plan.count)).max(1);
        let share = count.map_or(u64::MAX, |count| share(count, worker, sharing));
        Self { plan, after, pacing, worker, sharing, share, counts_from, begun: 0 }
    }

    /// When the user of that number begins, from the beginning of the scenario's load; never where it is none of those.
    pub(crate) fn begins(&self, user: u64) -> Option<Nanos> {
        self.there_from(user, self.after)
    }

    /// The first moment from one on at which a user is there, from the beginning of the scenario's load.
    #[inline]
    fn there_from(&self, user: u64, at: Nanos) -> Option<Nanos> {
        Some(self.after + self.plan.there_from(user as u32, at - self.after)?)
    }

    /// Takes the number of an iteration that begins now, from the beginning of the scenario's load; none where all of this
    /// thread's have begun.
    #[inline]
    pub(crate) fn next(&mut self, now: Nanos) -> Option<u64> {
        if now < self.counts_from {
            self.share = self.share.saturating_add(1);
        }
        if self.is_exhausted(now) {
            return None;
        }
        let serial = self.begun * self.sharing + self.worker;
        self.begun += 1;
        Some(serial)
    }

    /// Whether all of this thread's iterations have begun: never before the hold, so that a thread without a share of the
    /// count warms up like the others.
    #[inline]
    pub(crate) fn is_exhausted(&self, now: Nanos) -> bool {
        now >= self.counts_from && self.begun >= self.share
    }

    /// When a user begins its next iteration, after one from `began` to `ended`, from the beginning of the scenario's load;
    /// none where it is to go by then, and not to come back.
    #[inline]
    pub(crate) fn follows(&self, user: u64, began: Nanos, ended: Nanos, is_started: bool) -> Option<Nanos> {
        let pause = if is_started { Nanos::ZERO } else { UNSTARTED_PAUSE };
        self.there_from(user, ended.max(began + self.pacing.unwrap_or(pause)))
    }
}

/// How many of `total` things numbered from 0 belong to a worker.
pub(crate) fn share(total: u64, worker: u64, workers: u64) -> u64 {
    total / workers + u64::from(worker < total % workers)
}
