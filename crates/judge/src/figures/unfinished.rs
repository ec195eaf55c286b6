//! What had begun, or was due, and had not ended where a record breaks off or a run was stopped: it is neither good nor
//! bad, so no share counts it.

use super::{Figures, LegFigures};
use crate::rows::Index;
use record::{IterationRow, OutcomeRow};
use std::collections::{BTreeMap, BTreeSet};
use terms::{Nanos, Outcome};

/// Where a run that did not end as planned leaves things unfinished.
#[derive(Clone, Debug, Default)]
pub(crate) struct Unfinished {
    /// Whether the record breaks off.
    is_cut: bool,
    /// The second in which the run was stopped.
    stopped: Option<i64>,
    /// Steps that went on until then.
    steps: BTreeSet<u32>,
}

impl Unfinished {
    pub(crate) fn of(index: &Index<'_>) -> Self {
        let evidence = index.evidence;
        let stopped = evidence.stopped();
        let went_on = evidence.steps.iter().filter(|step| {
            let end = step.to.0.saturating_add(Nanos::SECOND.0);
            step.phase.has_load() && stopped.is_some_and(|stopped| end >= stopped.0)
        });
        Self {
            is_cut: evidence.cut.is_some(),
            stopped: stopped.map(Nanos::second),
            steps: went_on.map(|step| step.number).collect(),
        }
    }

    pub(crate) fn is_any(&self) -> bool {
        self.is_cut || self.stopped.is_some()
    }

    /// Iterations that are left unfinished, as far as this row tells: what was due less what ended. The sum over all rows
    /// of an iteration is what counts.
    pub(super) fn iterations(&self, row: &IterationRow) -> i64 {
        let books = &row.books;
        let is_stopped = self.stopped.is_some_and(|stopped| row.end_s >= stopped);
        // What waited for its start when the run was stopped is booked as dropped.
        let dropped = if self.steps.contains(&row.step) { 0 } else { books.dropped };
        let aborted = if is_stopped { 0 } else { books.aborted };
        [dropped, aborted, books.completed, books.failed]
            .iter()
            .fold(books.intended as i64, |left, count| left - *count as i64)
    }

    /// Whether an exchange was cut off because the run was stopped.
    pub(super) fn cuts_off(&self, row: &OutcomeRow) -> bool {
        row.outcome == Outcome::Aborted && self.stopped.is_some_and(|stopped| row.end_s >= stopped)
    }
}

impl LegFigures {
    /// What ended by itself, well or badly or by a fault of ours.
    fn ended(&self) -> u64 {
        self.outcomes.iter().sum::<u64>().saturating_sub(self.cut_off)
    }
}

impl Figures {
    /// How many of an exchange's planned calls are neither ended nor given up. `leg`: the one that is looked at; `None`
    /// for the exchange as a whole.
    ///
    /// Which exchanges of an open iteration ended already is in no row. At least as many calls as the ended iterations
    /// planned are counted, and at least those that ended.
    pub fn unfinished(&self, exchange: u16, leg: Option<u8>) -> u64 {
        if !self.breaks_off.is_any() {
            return 0;
        }
        let of_ended = |part: &super::PartFigures| {
            let each = part.each(exchange);
            if !each.is_fixed() {
                return part.books.dropped as f64 * each.mean;
            }
            (part.books.intended as i64 - part.unfinished).max(0) as f64 * each.mean
        };
        let of_ended = self.parts.iter().map(of_ended).sum::<f64>().round() as u64;
        let ended = leg.and_then(|leg| self.leg(exchange, leg)).map_or(0, LegFigures::ended);
        let is_varying = self.parts.iter().any(|part| !part.each(exchange).is_fixed());
        let counted = if is_varying { of_ended + ended } else { of_ended.max(ended) };
        self.planned(exchange).saturating_sub(counted)
    }

    /// Takes unfinished calls out of seconds, the latest first: there they are.
    pub fn without_unfinished(&self, unfinished: u64, calls: &mut BTreeMap<i64, u64>) {
        let mut left = unfinished;
        for count in calls.values_mut().rev() {
            let taken = left.min(*count);
            *count -= taken;
            left -= taken;
        }
        calls.retain(|_, count| *count > 0);
    }
}
