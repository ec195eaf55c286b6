//! Many recorded runs of one study: how each requirement's value went from run to run, since which run it is on another
//! level, and whether it got worse since a given run.
//!
//! Nothing is measured anew: values and verdicts are those that each run was judged with. Runs that do not answer the
//! same question are never mixed into one series: another load, mix or data, another machine, a trial, an invalid run.
//! Level shifts are those of [`crate::comparison::history`].

mod conditions;
mod gate;
mod measures;
mod series;

pub use conditions::Conditions;
pub use gate::{Gate, Outcome, RUNS_AFTER_FEWEST, Since};
pub use measures::{Direction, Measures, vars_of};
pub use series::{Search, Series, SeriesShift, Tendency};

use crate::comparison::Difference;
use terms::{Severity, Verdict};

/// Reasons of *cannot tell* beside which the value was measured over all that the rule asks for, only not surely enough for
/// a verdict. In a history the run is the observation, so such a value counts: to leave it out would take the values near
/// the limit from every series, and those of short runs but for the extreme. Beside every other reason there is a gap.
const MEASURED: [&str; 11] = [
    "bucket_straddles_limit",
    "change_straddles",
    "compared_few_calls",
    "compared_too_short",
    "compared_within_noise",
    "compound_estimate",
    "interval_straddles_limit",
    "interval_straddles_needs",
    "too_few",
    "too_few_batches",
    "too_short_for_memory",
];

/// A run as its folder tells of it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ArchivedRun {
    pub id: String,
    /// Its folder, as it is shown.
    pub folder: String,
    /// Wall-clock start as ISO 8601 UTC.
    pub started: String,
    /// Whether the study was shortened.
    pub is_trial: bool,
    /// Validity of the whole run.
    pub is_invalid: bool,
    pub requirements: Vec<Measured>,
}

/// What a run was judged by one requirement in one scope.
#[derive(Clone, Debug, PartialEq)]
pub struct Measured {
    pub requirement: String,
    /// `nominal/hold`.
    pub scope: String,
    /// Rule as written.
    pub rule: String,
    /// What of it is measured.
    pub measures: Measures,
    pub severity: Severity,
    pub verdict: Verdict,
    /// Whether what the requirement comes to depends on it: not with `needs: any`, where another member is the best of its
    /// scenario.
    pub decides: bool,
    /// In the unit of `unit`.
    pub value: Option<f64>,
    pub limit: Option<f64>,
    /// As [`crate::RequirementResult::unit`].
    pub unit: String,
    /// Code of the verdict's reason.
    pub reason: String,
}

impl Measured {
    /// Its value, where it is one to go by.
    fn known(&self) -> Option<f64> {
        let is_known = self.verdict != Verdict::CannotTell || MEASURED.contains(&self.reason.as_str());
        self.value.filter(|value| is_known && value.is_finite())
    }
}

/// Why a run is in no series.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Apart {
    Trial,
    Invalid,
}

impl Apart {
    /// Its name in files.
    pub fn name(self) -> &'static str {
        match self {
            Self::Trial => "trial",
            Self::Invalid => "invalid",
        }
    }
}

/// A run of the archive, without what it was judged by.
#[derive(Clone, Debug, PartialEq)]
pub struct RunEntry {
    pub id: String,
    pub folder: String,
    /// Wall-clock start as ISO 8601 UTC.
    pub started: String,
    /// `None` for a run whose values are in series.
    pub apart: Option<Apart>,
}

/// In what the runs of some series differ from the newest run.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Setting {
    /// Empty for that of the newest run.
    pub differs: Vec<Difference>,
    /// Runs that have it.
    pub runs: usize,
}

/// The history of a study's requirements.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RequirementHistory {
    /// All runs, oldest first.
    pub runs: Vec<RunEntry>,
    /// What the runs were held under; those of the newest run first.
    pub settings: Vec<Setting>,
    /// In the order of the newest run's requirements; those under the newest run's conditions first.
    pub series: Vec<Series>,
    /// What is asked of the runs since the base, where one is given.
    pub gate: Option<Gate>,
}

/// Runs as they are read, one after another.
#[derive(Clone, Debug, Default)]
pub struct Archive {
    /// Each with the place of its conditions.
    runs: Vec<(ArchivedRun, usize)>,
    /// Each once: thousands of runs share a few.
    conditions: Vec<Conditions>,
}

impl Archive {
    /// Adds a run, unless it is there already: a copy of a folder is not a second run. Then it is the place of the first.
    ///
    /// # Errors
    /// The folder of the run with the same id and start.
    pub fn add(&mut self, run: ArchivedRun, conditions: Conditions) -> Result<(), String> {
        let is_same = |(known, _): &&(ArchivedRun, usize)| (&known.id, &known.started) == (&run.id, &run.started);
        if let Some((known, _)) = self.runs.iter().find(is_same) {
            return Err(known.folder.clone());
        }
        let at = self.conditions.iter().position(|known| *known == conditions).unwrap_or_else(|| {
            self.conditions.push(conditions);
            self.conditions.len() - 1
        });
        self.runs.push((run, at));
        Ok(())
    }

    /// The runs, in the order in which they came.
    pub fn runs(&self) -> impl Iterator<Item = &ArchivedRun> {
        self.runs.iter().map(|(run, _)| run)
    }

    /// The history of every requirement; of `since`, what happened after it alone decides the gate.
    pub fn history(mut self, since: Option<&Since>) -> RequirementHistory {
        self.runs.sort_by(|(a, _), (b, _)| (moment(&a.started), &a.id).cmp(&(moment(&b.started), &b.id)));
        let apart = |run: &ArchivedRun| match run {
            ArchivedRun { is_trial: true, .. } => Some(Apart::Trial),
            ArchivedRun { is_invalid: true, .. } => Some(Apart::Invalid),
            _ => None,
        };
        let entry = |(run, _): &(ArchivedRun, usize)| RunEntry {
            id: run.id.clone(),
            folder: run.folder.clone(),
            started: run.started.clone(),
            apart: apart(run),
        };
        let runs: Vec<RunEntry> = self.runs.iter().map(entry).collect();
        let (mut series, settings) = series::of(&self.runs, &self.conditions, &runs);
        let after = since.map(|since| runs.partition_point(|run| !since.is_before(&run.started)));
        series::search(&mut series, after);
        let gate = since.zip(after).map(|(since, after)| gate::gate(since, after, &series, &runs));
        RequirementHistory { runs, settings, series, gate }
    }
}

/// A start as texts are ordered by time: without the `Z`, which sorts behind a fraction of a second.
fn moment(started: &str) -> &str {
    started.strip_suffix('Z').unwrap_or(started)
}

#[cfg(test)]
mod tests;
