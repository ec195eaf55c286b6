//! From where on a check of validity speaks against a run: the usual limits, or those that the study sets.

use super::limits;
use crate::Arg;
use study::{CheckLimits, Study};

/// The two limits of a check.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Pair {
    /// Questionable above this.
    pub(crate) questionable: f64,
    /// Invalid above this.
    pub(crate) invalid: f64,
}

/// The limits of all checks that have some.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Thresholds {
    /// ms; in each case the greater of this and a share of the median response.
    pub(crate) lateness: Pair,
    pub(crate) lost_starts: Pair,
    pub(crate) run_queue: Pair,
    pub(crate) steal: Pair,
    pub(crate) foreign: Pair,
    /// Questionable from this on.
    pub(crate) cores_full: f64,
    /// Invalid above this.
    pub(crate) little: f64,
}

impl Default for Thresholds {
    fn default() -> Self {
        let pair = |questionable, invalid| Pair { questionable, invalid };
        Self {
            lateness: pair(limits::LATENESS_QUESTIONABLE_MS, limits::LATENESS_INVALID_MS),
            lost_starts: pair(limits::LOST_QUESTIONABLE, limits::LOST_INVALID),
            run_queue: pair(limits::RUN_QUEUE_QUESTIONABLE, limits::RUN_QUEUE_INVALID),
            steal: pair(limits::STEAL_QUESTIONABLE, limits::STEAL_INVALID),
            foreign: pair(limits::FOREIGN_QUESTIONABLE, limits::FOREIGN_INVALID),
            cores_full: limits::CORES_FULL,
            little: limits::LITTLE_INVALID,
        }
    }
}

impl Thresholds {
    /// The usual ones, but for those that the study sets.
    pub(crate) fn of(study: &Study) -> Self {
        let mut thresholds = Self::default();
        for limits in &study.validity {
            thresholds.set(limits);
        }
        thresholds
    }

    fn set(&mut self, set: &CheckLimits) {
        let pair = match set.check.as_str() {
            "lateness" => &mut self.lateness,
            "lost_starts" => &mut self.lost_starts,
            "run_queue" => &mut self.run_queue,
            "steal" => &mut self.steal,
            "foreign" => &mut self.foreign,
            "cores_full" => return self.cores_full = set.questionable.unwrap_or(self.cores_full),
            "little" => return self.little = set.invalid.unwrap_or(self.little),
            _ => return,
        };
        // Seconds in the study, milliseconds here.
        let factor = if set.check == "lateness" { 1e3 } else { 1.0 };
        let (questionable, invalid) = (set.questionable.map(|it| it * factor), set.invalid.map(|it| it * factor));
        // One that is set beyond the other's usual place takes it along.
        *pair = match (questionable, invalid) {
            (Some(questionable), Some(invalid)) => Pair { questionable, invalid },
            (Some(questionable), None) => Pair { questionable, invalid: pair.invalid.max(questionable) },
            (None, Some(invalid)) => Pair { questionable: pair.questionable.min(invalid), invalid },
            (None, None) => *pair,
        };
    }

    /// By name, as the report's appendix has them.
    pub(crate) fn settings(&self) -> [(&'static str, Arg); 14] {
        [
            ("lateness_questionable", Arg::Milliseconds(self.lateness.questionable)),
            ("lateness_questionable_share", Arg::Share(limits::LATENESS_QUESTIONABLE_SHARE)),
            ("lateness_invalid", Arg::Milliseconds(self.lateness.invalid)),
            ("lateness_invalid_share", Arg::Share(limits::LATENESS_INVALID_SHARE)),
            ("lost_questionable", Arg::Share(self.lost_starts.questionable)),
            ("lost_invalid", Arg::Share(self.lost_starts.invalid)),
            ("run_queue_questionable", Arg::Share(self.run_queue.questionable)),
            ("run_queue_invalid", Arg::Share(self.run_queue.invalid)),
            ("steal_questionable", Arg::Share(self.steal.questionable)),
            ("steal_invalid", Arg::Share(self.steal.invalid)),
            ("foreign_questionable", Arg::Share(self.foreign.questionable)),
            ("foreign_invalid", Arg::Share(self.foreign.invalid)),
            ("cores_full", Arg::Share(self.cores_full)),
            ("little_invalid", Arg::Share(self.little)),
        ]
    }
}
