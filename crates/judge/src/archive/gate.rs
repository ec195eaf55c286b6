//! Whether anything got worse since a run: what a build server asks.

use super::series::{Search, Series, Tendency};
use super::{RunEntry, moment};
use terms::Severity;

/// Fewest values after the base: a level of fewer runs is not told from chance, however far it lies off.
pub const RUNS_AFTER_FEWEST: usize = 3;

/// From where on changes count.
#[derive(Clone, Debug, PartialEq)]
pub struct Since {
    /// As the user named it.
    pub name: String,
    /// Start of the base, or the beginning of a date: ISO 8601 UTC, or the beginning of one.
    pub from: String,
    /// Whether a run that started at that very moment counts as one after it: for a date it does, the base does not.
    pub includes: bool,
}

impl Since {
    /// Whether it lies before a run that started then.
    pub fn is_before(&self, started: &str) -> bool {
        let (from, started) = (moment(&self.from), moment(started));
        if self.includes { from <= started } else { from < started }
    }
}

/// What became of the requirements after a base.
#[derive(Clone, Debug, PartialEq)]
pub struct Gate {
    pub since: Since,
    /// Runs after the base whose values are in series.
    pub runs_after: usize,
    pub outcome: Outcome,
    /// Series that got worse after the base and still are, by their places.
    pub worse: Vec<usize>,
    /// Series of the newest run that could not be searched though they have a direction, by their places.
    pub untold: Vec<usize>,
}

/// The answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// A level shift for the worse after the base, that no later one has undone.
    Worse,
    /// None was found, where one could have been.
    NotWorse,
    /// A *must* of the newest run could not be searched; so many more runs are needed at the least.
    TooFew { more: usize },
    /// No requirement of the newest run has a direction.
    NoDirection,
}

impl Outcome {
    /// Its name in files.
    pub fn name(self) -> &'static str {
        match self {
            Self::Worse => "worse",
            Self::NotWorse => "not_worse",
            Self::TooFew { .. } => "too_few_runs",
            Self::NoDirection => "no_direction",
        }
    }
}

/// Decides from series that were searched; `after` is the place of the first run behind the base.
pub(super) fn gate(since: &Since, after: usize, series: &[Series], runs: &[RunEntry]) -> Gate {
    let places = |is: &dyn Fn(&Series) -> bool| {
        series.iter().enumerate().filter(|(_, series)| is(series)).map(|(place, _)| place).collect::<Vec<_>>()
    };
    let counts = |series: &Series| series.severity != Severity::Informative;
    let is_worse = |series: &Series| {
        series.shifts.iter().any(|shift| shift.is_after_base && !shift.is_undone && shift.tendency == Tendency::Worse)
    };
    let worse = places(&|series| counts(series) && is_worse(series));
    let untold = places(&|series| series.is_current && counts(series) && series.search.is_untold());
    let musts = || untold.iter().map(|place| &series[*place]).filter(|series| series.severity == Severity::Must);
    let is_told = series.iter().any(|series| series.is_current && counts(series) && series.search == Search::Done);
    let more = |series: &Series| match series.search {
        Search::TooFew { have, needed } | Search::TooFewAfterBase { have, needed } => needed.saturating_sub(have),
        Search::Done | Search::ByVerdict => 0,
    };
    let most = |all: &mut dyn Iterator<Item = &Series>| all.map(more).max();
    let outcome = match most(&mut musts()) {
        _ if !worse.is_empty() => Outcome::Worse,
        Some(more) => Outcome::TooFew { more },
        None if is_told => Outcome::NotWorse,
        None => match most(&mut untold.iter().map(|place| &series[*place])) {
            Some(more) => Outcome::TooFew { more },
            None => Outcome::NoDirection,
        },
    };
    let runs_after = runs.iter().skip(after).filter(|run| run.apart.is_none()).count();
    Gate { since: since.clone(), runs_after, outcome, worse, untold }
}
