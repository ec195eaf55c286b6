//! When a lane's load ends, and how long what is open by then may go on.

use plan::ScenarioPlan;
use terms::Nanos;

/// The end of a load and of its drain.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Ending {
    /// When the load begins.
    pub(crate) origin: Nanos,
    /// Length of the scenario's load, unless it ends by count.
    length: Option<Nanos>,
    /// How long one that ends by count goes on, where its count takes longer.
    at_most: Option<Nanos>,
    drain_at_most: Nanos,
    /// The study gives the drain no end of its own: it lasts until every leg has ended or is missing.
    is_drain_automatic: bool,
    /// No starts from here on, once that is known.
    ended: Option<Nanos>,
}

impl Ending {
    pub(crate) fn of(plan: &ScenarioPlan) -> Self {
        Self {
            origin: Nanos::ZERO,
            length: plan.length,
            at_most: plan.at_most,
            drain_at_most: plan.drain_at_most,
            is_drain_automatic: plan.is_drain_automatic,
            ended: None,
        }
    }

    /// From when on there are no starts, once that is known.
    pub(crate) fn ended(&self) -> Option<Nanos> {
        self.ended
    }

    /// When the load ends by the plan, if its count has not ended it before.
    pub(crate) fn planned(&self) -> Option<Nanos> {
        self.length.or(self.at_most).map(|length| self.origin + length)
    }

    /// Takes note of an end that has come: by the plan, or because somebody said stop.
    pub(crate) fn note(&mut self, now: Nanos, is_stopped: bool) {
        if self.ended.is_none() {
            self.ended = if is_stopped { Some(now) } else { self.planned().filter(|planned| now >= *planned) };
        }
    }

    /// The last iteration of a count has begun: the end of the load, unless others go on.
    pub(crate) fn note_count(&mut self, now: Nanos) {
        if self.length.is_none() {
            self.ended.get_or_insert(now);
        }
    }

    /// When what is open is cut off; none before the load has ended. A drain that `waits_only_for_replies` has no end but
    /// theirs where the study gives none: each reply has a time of its own by which it is missing.
    pub(crate) fn drained(&self, waits_only_for_replies: bool) -> Option<Nanos> {
        let is_open = self.is_drain_automatic && waits_only_for_replies;
        self.ended.filter(|_| !is_open).map(|ended| ended + self.drain_at_most)
    }
}
