//! One series for each requirement, scope and setting, and its level shifts.

use super::gate::RUNS_AFTER_FEWEST;
use super::{ArchivedRun, Conditions, Direction, Measured, Measures, RunEntry, Setting};
use crate::Scope;
use crate::comparison::circumstances::differences;
use crate::comparison::{Difference, HistoryShift, RUNS_FEWEST, level_shifts};
use stats::change::divisive::{Demands, LONGEST_HISTORY};
use std::collections::{BTreeMap, BTreeSet};
use terms::{Severity, Verdict};

/// Which way a level went.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tendency {
    Worse,
    Better,
}

impl Tendency {
    /// Its name in files.
    pub fn name(self) -> &'static str {
        match self {
            Self::Worse => "worse",
            Self::Better => "better",
        }
    }
}

/// Whether level shifts were looked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Search {
    Done,
    /// Too few values in all.
    TooFew {
        have: usize,
        needed: usize,
    },
    /// Too few values after the base.
    TooFewAfterBase {
        have: usize,
        needed: usize,
    },
    /// The requirement has no direction; its verdicts are all there is.
    ByVerdict,
}

impl Search {
    /// Its name in files.
    pub fn name(self) -> &'static str {
        match self {
            Self::Done => "done",
            Self::TooFew { .. } => "too_few_runs",
            Self::TooFewAfterBase { .. } => "too_few_runs_after_base",
            Self::ByVerdict => "by_verdict",
        }
    }

    /// Whether more runs would tell more.
    pub fn is_untold(self) -> bool {
        matches!(self, Self::TooFew { .. } | Self::TooFewAfterBase { .. })
    }
}

/// A requirement in one scope over the runs of one setting, oldest first.
#[derive(Clone, Debug, PartialEq)]
pub struct Series {
    pub requirement: String,
    /// `nominal/hold`.
    pub scope: String,
    /// The rule as the newest run of it has it.
    pub rule: String,
    pub measures: Measures,
    pub severity: Severity,
    /// As [`crate::RequirementResult::unit`].
    pub unit: String,
    /// The limit that the newest run had.
    pub limit: Option<f64>,
    /// Place in [`super::RequirementHistory::settings`]; 0 for that of the newest run.
    pub setting: usize,
    /// Places in [`super::RequirementHistory::runs`].
    pub runs: Vec<usize>,
    /// One for each run; `None` where it could not be told.
    pub values: Vec<Option<f64>>,
    /// One for each run.
    pub verdicts: Vec<Verdict>,
    /// As [`Measured::decides`] of its newest run.
    pub decides: bool,
    /// Whether the newest run that is in any series is in this one.
    pub is_current: bool,
    pub search: Search,
    /// In order of time.
    pub shifts: Vec<SeriesShift>,
}

/// A level shift of a requirement.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SeriesShift {
    /// Place in [`Series::runs`] of the first run of the new level.
    pub at: usize,
    /// Mean of the level before, in the unit of the series.
    pub before: f64,
    /// Mean of the level from here on.
    pub after: f64,
    /// As [`HistoryShift::p`].
    pub p: f64,
    pub tendency: Tendency,
    /// Whether its first run is one after the base; `true` where there is no base.
    pub is_after_base: bool,
    /// Whether later shifts have brought the value back to where it was, or to the better side of that.
    pub is_undone: bool,
}

impl SeriesShift {
    /// Relative change of the level; infinite when it came from 0.
    pub fn change(&self) -> f64 {
        (self.after - self.before) / self.before.abs()
    }
}

impl Series {
    /// How many values it has.
    pub fn known(&self) -> usize {
        self.values.iter().flatten().count()
    }

    /// The newest value.
    pub fn last(&self) -> Option<f64> {
        self.values.iter().rev().flatten().next().copied()
    }

    /// The newest shift.
    pub fn last_shift(&self) -> Option<&SeriesShift> {
        self.shifts.last()
    }
}

/// What series have apart from each other.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Key {
    setting: usize,
    requirement: String,
    scope: String,
    measures: String,
    unit: String,
}

/// Settings in which runs differ from the newest that has the same scenario.
struct Settings<'a> {
    conditions: &'a [Conditions],
    /// Place of the conditions of the newest run that says something of a scenario.
    newest: BTreeMap<Option<String>, usize>,
    known: BTreeMap<(usize, Option<String>), usize>,
    found: Vec<(Vec<Difference>, BTreeSet<usize>)>,
}

impl Settings<'_> {
    fn place(&mut self, run: usize, conditions: usize, scenario: &Option<String>) -> usize {
        let place = match self.known.get(&(conditions, scenario.clone())) {
            Some(place) => *place,
            None => {
                let place = self.found_place(conditions, scenario);
                self.known.insert((conditions, scenario.clone()), place);
                place
            }
        };
        self.found[place].1.insert(run);
        place
    }

    fn found_place(&mut self, conditions: usize, scenario: &Option<String>) -> usize {
        let of = |place: usize| self.conditions[place].within(scenario.as_deref());
        let newest = self.newest.get(scenario).copied().unwrap_or(conditions);
        let differs = if newest == conditions { Vec::new() } else { differences(&of(newest), &of(conditions), &[]) };
        let place = self.found.iter().position(|(known, _)| *known == differs);
        place.unwrap_or_else(|| {
            self.found.push((differs, BTreeSet::new()));
            self.found.len() - 1
        })
    }
}

/// The series of all runs that are not apart, with the settings that they have; `runs` oldest first.
pub(super) fn of(
    runs: &[(ArchivedRun, usize)],
    conditions: &[Conditions],
    entries: &[RunEntry],
) -> (Vec<Series>, Vec<Setting>) {
    let kept = || runs.iter().enumerate().filter(|(place, _)| entries[*place].apart.is_none());
    let mut newest = BTreeMap::new();
    for (_, (run, conditions)) in kept() {
        newest.extend(run.requirements.iter().map(|measured| (scenario(&measured.scope), *conditions)));
    }
    let found = vec![(Vec::new(), BTreeSet::new())];
    let mut settings = Settings { conditions, newest, known: BTreeMap::new(), found };
    let mut all: BTreeMap<Key, Series> = BTreeMap::new();
    for (place, (run, conditions)) in kept() {
        for measured in &run.requirements {
            let setting = settings.place(place, *conditions, &scenario(&measured.scope));
            add(&mut all, setting, place, measured);
        }
    }
    let last = kept().next_back();
    let mut series: Vec<Series> = all.into_values().collect();
    for series in &mut series {
        series.is_current = last.is_some_and(|(place, _)| series.runs.last() == Some(&place));
    }
    let order = |series: &Series| {
        let is_it = |measured: &Measured| measured.requirement == series.requirement && measured.scope == series.scope;
        let place = last.and_then(|(_, (run, _))| run.requirements.iter().position(is_it));
        (series.setting, place.unwrap_or(usize::MAX))
    };
    series.sort_by_key(order);
    let setting = |(differs, runs): (Vec<Difference>, BTreeSet<usize>)| Setting { differs, runs: runs.len() };
    (series, settings.found.into_iter().map(setting).collect())
}

/// The scenario that the scope of a requirement is of.
pub(super) fn scenario(scope: &str) -> Option<String> {
    Scope::read(scope)?.scenario().map(str::to_owned)
}

fn add(all: &mut BTreeMap<Key, Series>, setting: usize, run: usize, measured: &Measured) {
    let measures = &measured.measures;
    // What cannot be told has no unit to go by: it is a gap in the series of the others.
    let key = |unit: &str| Key {
        setting,
        requirement: measured.requirement.clone(),
        scope: measured.scope.clone(),
        measures: measures.text.clone(),
        unit: unit.to_owned(),
    };
    let value = measured.known().filter(|_| measures.direction != Direction::None);
    let unit = match value {
        Some(_) => {
            // Gaps before the first value had no unit yet.
            if let Some(gaps) = all.remove(&key("")) {
                all.insert(key(&measured.unit), Series { unit: measured.unit.clone(), ..gaps });
            }
            measured.unit.clone()
        }
        None => {
            let first = all.range(key("")..).next().map(|(known, _)| known);
            let same = first.filter(|known| Key { unit: String::new(), ..(*known).clone() } == key(""));
            same.map_or_else(String::new, |known| known.unit.clone())
        }
    };
    let series = all.entry(key(&unit)).or_insert_with(|| Series {
        requirement: measured.requirement.clone(),
        scope: measured.scope.clone(),
        rule: String::new(),
        measures: measures.clone(),
        severity: measured.severity,
        unit,
        limit: None,
        setting,
        runs: Vec::new(),
        values: Vec::new(),
        verdicts: Vec::new(),
        decides: true,
        is_current: false,
        search: Search::ByVerdict,
        shifts: Vec::new(),
    });
    // A damaged result may name a requirement twice.
    if series.runs.last() == Some(&run) {
        return;
    }
    series.rule.clone_from(&measured.rule);
    series.severity = measured.severity;
    series.decides = measured.decides;
    series.limit = measured.limit.or(series.limit);
    series.runs.push(run);
    series.values.push(value);
    series.verdicts.push(measured.verdict);
}

/// Looks for level shifts, in the series of each setting as one family; `after` is the place of the first run behind the
/// base.
pub(super) fn search(all: &mut [Series], after: Option<usize>) {
    for series in all.iter_mut() {
        series.search = possible(series, after);
    }
    let last = all.iter().map(|series| series.setting).max().unwrap_or(0);
    for setting in 0..=last {
        // Those without enough runs after the base are searched, too: what happened before it is there to be seen.
        let is_member = |series: &&mut Series| {
            series.setting == setting && matches!(series.search, Search::Done | Search::TooFewAfterBase { .. })
        };
        let mut members: Vec<&mut Series> = all.iter_mut().filter(is_member).collect();
        let values: Vec<Vec<(usize, f64)>> = members.iter().map(|series| newest_values(series)).collect();
        let plain: Vec<Vec<f64>> = values.iter().map(|all| all.iter().map(|(_, value)| *value).collect()).collect();
        let found = level_shifts(&plain.iter().map(Vec::as_slice).collect::<Vec<_>>());
        for ((series, values), found) in members.iter_mut().zip(&values).zip(found) {
            series.shifts = shifts(series, values, &found, after);
        }
    }
}

fn possible(series: &Series, after: Option<usize>) -> Search {
    if series.measures.direction == Direction::None {
        return Search::ByVerdict;
    }
    let have = series.known();
    if have < RUNS_FEWEST {
        return Search::TooFew { have, needed: RUNS_FEWEST };
    }
    let is_after = |place: &&usize| after.is_some_and(|after| **place >= after);
    let known = series.runs.iter().zip(&series.values).filter(|(_, value)| value.is_some()).map(|(place, _)| place);
    match after.map(|_| known.filter(is_after).count()) {
        Some(have) if have < RUNS_AFTER_FEWEST => Search::TooFewAfterBase { have, needed: RUNS_AFTER_FEWEST },
        _ => Search::Done,
    }
}

/// Places and values of the newest runs that have one: as many as can be searched.
fn newest_values(series: &Series) -> Vec<(usize, f64)> {
    let known = series.values.iter().enumerate().filter_map(|(place, value)| Some((place, (*value)?)));
    known.skip(series.known().saturating_sub(LONGEST_HISTORY)).collect()
}

fn shifts(series: &Series, values: &[(usize, f64)], found: &[HistoryShift], after: Option<usize>) -> Vec<SeriesShift> {
    let is_worse = |from: f64, to: f64| match series.measures.direction {
        Direction::AtLeast => to < from,
        _ => to > from,
    };
    let level = found.last().map(|shift| shift.after);
    let shift = |shift: &HistoryShift| {
        let at = values[shift.at].0;
        let tendency = if is_worse(shift.before, shift.after) { Tendency::Worse } else { Tendency::Better };
        // Beyond what counts as a change at all; from 0 on, anything does.
        let is_off = |level: f64| {
            is_worse(shift.before, level)
                && (level - shift.before).abs() >= Demands::default().magnitude_min * shift.before.abs()
        };
        SeriesShift {
            at,
            before: shift.before,
            after: shift.after,
            p: shift.p,
            tendency,
            is_after_base: after.is_none_or(|after| series.runs[at] >= after),
            is_undone: tendency == Tendency::Worse && !level.is_some_and(is_off),
        }
    };
    found.iter().map(shift).collect()
}
