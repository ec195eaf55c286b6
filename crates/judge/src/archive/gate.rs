//! Whether anything got worse since a run: what a build server asks.

use super::series::{Search, Series, Tendency, scenario};
use super::{RunEntry, moment};
use std::collections::BTreeMap;
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
    /// Series that got worse after the base and still are, by their places; where any member of a requirement is enough,
    /// only if all of them did.
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
    let counts = |series: &Series| series.severity != Severity::Informative;
    let groups: Vec<Group<'_>> = groups(series).into_iter().filter(|group| group.all(counts)).collect();
    let worse = places(groups.iter().filter(|group| group.all(is_worse)), &|_| true);
    // One member that is known not to be worse is enough, whatever the others are.
    let is_open = |group: &&Group<'_>| !group.any(|series| series.search == Search::Done && !is_worse(series));
    let is_untold = |series: &Series| series.is_current && series.search.is_untold();
    let open: Vec<&Group<'_>> = groups.iter().filter(is_open).collect();
    let untold = places(open.iter().copied(), &is_untold);
    let is_told = groups.iter().any(|group| group.any(|series| series.is_current && series.search == Search::Done));
    // Of a group the member that lacks the fewest.
    let more = |group: &&Group<'_>| group.iter().filter(|series| is_untold(series)).map(lacking).min();
    let is_must = |group: &&&Group<'_>| group.any(|series| series.severity == Severity::Must);
    let outcome = match open.iter().filter(is_must).filter_map(&more).max() {
        _ if !worse.is_empty() => Outcome::Worse,
        Some(more) => Outcome::TooFew { more },
        None if is_told => Outcome::NotWorse,
        None => match open.iter().filter_map(more).max() {
            Some(more) => Outcome::TooFew { more },
            None => Outcome::NoDirection,
        },
    };
    let runs_after = runs.iter().skip(after).filter(|run| run.apart.is_none()).count();
    Gate { since: since.clone(), runs_after, outcome, worse, untold }
}

/// Series that count as one, with their places: the members of a requirement in a scenario where any of them is enough, as
/// verdicts do in the exit code of a run. Every other series is a group by itself.
struct Group<'a>(Vec<Placed<'a>>);

/// A series with its place among all.
type Placed<'a> = (usize, &'a Series);

impl<'a> Group<'a> {
    fn iter(&self) -> impl Iterator<Item = &'a Series> {
        self.0.iter().map(|(_, series)| *series)
    }

    fn all(&self, is: impl Fn(&Series) -> bool) -> bool {
        self.iter().all(is)
    }

    fn any(&self, is: impl Fn(&Series) -> bool) -> bool {
        self.iter().any(is)
    }
}

/// The groups, in the order of their first series.
fn groups<'a>(series: &'a [Series]) -> Vec<Group<'a>> {
    let mut members: BTreeMap<(usize, &str, Option<String>), Vec<Placed<'_>>> = BTreeMap::new();
    for (place, series) in series.iter().enumerate() {
        let of = (series.setting, series.requirement.as_str(), scenario(&series.scope));
        members.entry(of).or_default().push((place, series));
    }
    let grouped = |all: Vec<Placed<'a>>| {
        // What a requirement needs is what it needed last, and a member that is gone by then makes up for nothing.
        let newest = all.iter().filter_map(|(_, series)| series.runs.last()).max().copied();
        let is_newest = |series: &Series| series.runs.last().copied() == newest;
        if all.iter().any(|(_, series)| is_newest(series) && !series.decides) {
            vec![Group(all.into_iter().filter(|(_, series)| is_newest(series)).collect())]
        } else {
            all.into_iter().map(|one| Group(vec![one])).collect()
        }
    };
    let mut groups: Vec<Group<'a>> = members.into_values().flat_map(grouped).collect();
    groups.sort_by_key(|group| group.0.first().map(|(place, _)| *place));
    groups
}

/// Places of the members that are so, in their order.
fn places<'a, 'b: 'a>(groups: impl Iterator<Item = &'a Group<'b>>, is: &dyn Fn(&Series) -> bool) -> Vec<usize> {
    let members = groups.flat_map(|group| &group.0);
    let mut places: Vec<usize> = members.filter(|(_, series)| is(series)).map(|(place, _)| *place).collect();
    places.sort_unstable();
    places
}

fn is_worse(series: &Series) -> bool {
    series.shifts.iter().any(|shift| shift.is_after_base && !shift.is_undone && shift.tendency == Tendency::Worse)
}

/// How many values it lacks to be searched.
fn lacking(series: &Series) -> usize {
    match series.search {
        Search::TooFew { have, needed } | Search::TooFewAfterBase { have, needed } => needed.saturating_sub(have),
        Search::Done | Search::ByVerdict => 0,
    }
}
