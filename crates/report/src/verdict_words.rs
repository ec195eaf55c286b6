//! What is printed of verdicts: measured value, limit, place and reason, of one or of several that say the same.

use crate::direction::{Direction, direction};
use crate::document::{Cell, Detail};
use crate::in_unit::InUnit;
use crate::input::Context;
use crate::messages::say;
use judge::RequirementResult;
use study::Study;
use terms::Verdict;

/// A change of more than so many times the whole is printed as what it is an hour, in its own unit.
const CHANGE_MOST: f64 = 2.0;

/// Whether a value is a change that was projected from too short a time to say anything: seconds of a load's beginning
/// multiplied to a day. It is not a measurement, and is printed nowhere as one.
pub(crate) fn is_projected_from_too_little(result: &RequirementResult) -> bool {
    result.reason.code == "too_short" && is_steady(&result.rule)
}

/// Whether a rule asks for steadiness only, so that its value is a change as a part of the level or of its bound.
pub(crate) fn is_steady(rule: &str) -> bool {
    rule.trim_start().starts_with("steady(")
}

/// Measured value with its interval under it.
pub(crate) fn measured_cell(cx: &Context<'_>, result: &RequirementResult) -> Cell {
    let Some(value) = result.value else { return Cell::missing() };
    if is_projected_from_too_little(result) {
        return Cell::missing().with_detail(say!(cx.m, "measured-too-short"));
    }
    if let Some(hourly) = result.reason.args.get("hourly").filter(|_| value.abs() > CHANGE_MOST) {
        let text = say!(cx.m, "measured-hourly", hourly = hourly.clone());
        return Cell::number(text, value).in_unit(&result.unit);
    }
    let unit = InUnit::of(cx.m.numbers, &result.unit, value, result.limit);
    let cell = Cell::number(unit.shown(value), value).in_unit(&result.unit);
    if result.is_census {
        return cell.with_detail(say!(cx.m, "exact"));
    }
    match (result.low, result.high) {
        (Some(low), Some(high)) => {
            let (low_shown, high_shown) = unit.ends(low, high);
            let text = say!(cx.m, "interval", low = &low_shown, high = &high_shown);
            cell.with_detail_of(Detail::Interval(low, high), text)
        }
        _ => cell.with_detail(say!(cx.m, "no-interval")),
    }
}

/// The limit in the unit of the value beside it.
pub(crate) fn limit_cell(cx: &Context<'_>, result: &RequirementResult) -> Cell {
    limit_beside(cx, result, result.value)
}

fn limit_beside(cx: &Context<'_>, result: &RequirementResult, value: Option<f64>) -> Cell {
    let Some(limit) = result.limit else { return Cell::missing() };
    let unit = InUnit::of(cx.m.numbers, &result.unit, value.unwrap_or(limit), Some(limit));
    Cell::number(unit.limit(limit), limit).in_unit(&result.unit)
}

/// From so many places on, one verdict with one reason takes one line.
const PLACES_IN_A_LINE: usize = 4;

/// Whether a verdict is about counts that were laid side by side, `count(a) = count(b)`; those of several streams can be
/// added up. The rule says so, whatever the verdict's reason: one that is withheld has counts too.
pub(crate) fn is_counted(result: &RequirementResult) -> bool {
    result.rule.split_once(" = ").is_some_and(|(left, right)| left.contains("count(") && right.contains("count("))
}

/// Results that say the same of many places, together; in order of their first. What is not met is not put together,
/// since each place counts, but for the streams of a scenario: their reconciliation has a table of its own.
pub(crate) fn together<'a>(
    results: impl IntoIterator<Item = &'a RequirementResult>,
) -> Vec<Vec<&'a RequirementResult>> {
    let mut groups: Vec<Vec<&RequirementResult>> = Vec::new();
    let is_same = |one: &RequirementResult, other: &RequirementResult| {
        let (are_streams, is_one_scenario) = (is_counted(one), one.scope.around() == other.scope.around());
        let checks = |result: &RequirementResult| {
            result.disturbed.iter().map(|it| (it.check.clone(), it.can_turn)).collect::<Vec<_>>()
        };
        // Another rule under the same name has another limit.
        (one.verdict, &one.rule) == (other.verdict, &other.rule)
            && checks(one) == checks(other)
            && (&one.id, one.severity, &one.reason.code) == (&other.id, other.severity, &other.reason.code)
            && if are_streams { is_one_scenario } else { one.verdict != Verdict::NotMet }
    };
    for result in results {
        match groups.iter_mut().find(|group| is_same(group[0], result)) {
            Some(group) => group.push(result),
            None => groups.push(vec![result]),
        }
    }
    groups
        .into_iter()
        .flat_map(|group| match group.len() < PLACES_IN_A_LINE {
            true => group.into_iter().map(|result| vec![result]).collect(),
            false => vec![group],
        })
        .collect()
}

/// A requirement with all its verdicts: a row of a table that has one for each requirement.
pub(crate) struct Judged<'a> {
    /// The verdict that speaks for it: of its worst place, or of all its streams together where their counts agree.
    pub worst: Vec<&'a RequirementResult>,
    /// Verdicts in all its places, in the order in which they were judged.
    pub all: Vec<&'a RequirementResult>,
    /// Whether one of several places in a scenario is enough.
    pub is_any: bool,
}

/// Results by requirement, in order of their first. One that has another rule or severity elsewhere is another one there.
pub(crate) fn by_requirement<'a>(
    study: Option<&Study>,
    results: impl IntoIterator<Item = &'a RequirementResult>,
) -> Vec<Judged<'a>> {
    let mut known: Vec<Vec<&RequirementResult>> = Vec::new();
    let is_same = |one: &RequirementResult, other: &RequirementResult| {
        (&one.id, one.severity, &one.rule) == (&other.id, other.severity, &other.rule)
    };
    for result in results {
        match known.iter_mut().find(|all| is_same(all[0], result)) {
            Some(all) => all.push(result),
            None => known.push(vec![result]),
        }
    }
    let judged = |all: Vec<&'a RequirementResult>| {
        let is_agreed = |result: &&RequirementResult| is_counted(result) && result.verdict == Verdict::Met;
        // Where one member is enough, the best speaks for the others.
        let deciding = judge::deciding(all.iter().copied(), study);
        // Counts can be added up where all agree; a difference in one place is that of this place.
        let worst = match all.iter().all(is_agreed) {
            true => all.clone(),
            false => worst_of(&deciding).into_iter().collect(),
        };
        Judged { worst, is_any: deciding.len() < all.len(), all }
    };
    known.into_iter().map(judged).collect()
}

/// The gravest verdict, and of several alike the one whose value is furthest beyond its limit or closest to it.
fn worst_of<'a>(all: &[&'a RequirementResult]) -> Option<&'a RequirementResult> {
    let rank = |result: &RequirementResult| match result.verdict {
        Verdict::NotMet => 2,
        Verdict::CannotTell => 1,
        Verdict::Met => 0,
    };
    // How far beyond its limit; unknown where the side on which the value should lie is.
    let beyond = |result: &RequirementResult| {
        let apart = result.value.zip(result.limit).map(|(value, limit)| value - limit);
        match direction(result) {
            Some(Direction::Ceiling) => apart,
            Some(Direction::Floor) => apart.map(|apart| -apart),
            // A fall is as far from steady as a rise.
            None if is_steady(&result.rule) => result.value.zip(result.limit).map(|(value, limit)| value.abs() - limit),
            None => None,
        }
        .unwrap_or(f64::NEG_INFINITY)
    };
    all.iter().copied().reduce(|worst, it| {
        let order = rank(it).cmp(&rank(worst)).then(beyond(it).total_cmp(&beyond(worst)));
        if order.is_gt() { it } else { worst }
    })
}

impl Judged<'_> {
    /// Where the verdict that speaks for it was given, and what the verdicts in its other places are.
    pub(crate) fn place(&self, cx: &Context<'_>) -> Cell {
        if self.worst.len() > 1 {
            return Cell::text(places(cx, &self.worst));
        }
        let cell = self.worst.first().map_or_else(Cell::missing, |worst| Cell::code(&worst.scope));
        if self.all.len() == 1 {
            return cell;
        }
        let count = |verdict: Verdict| self.all.iter().filter(|result| result.verdict == verdict).count();
        if let Some(verdict) = self.worst.first().map(|worst| worst.verdict).filter(|it| count(*it) == self.all.len()) {
            return cell.with_detail(say!(cx.m, "worst-of-same", count = self.all.len(), verdict = verdict.name()));
        }
        let counted = |verdict: Verdict| {
            let number = count(verdict);
            (number > 0).then(|| say!(cx.m, "conclusion-count", verdict = verdict.name(), number = number))
        };
        let list: Vec<String> =
            [Verdict::Met, Verdict::NotMet, Verdict::CannotTell].into_iter().filter_map(counted).collect();
        let key = if self.is_any { "any-of" } else { "worst-of" };
        cell.with_detail(say!(cx.m, key, count = self.all.len(), list = &list.join(", ")))
    }
}

/// Where a group's verdict holds.
pub(crate) fn places(cx: &Context<'_>, group: &[&RequirementResult]) -> String {
    match group {
        [first, .., last] => {
            let count = judge::Arg::Count(group.len() as f64);
            say!(cx.m, "places", count = count, first = &first.scope, last = &last.scope)
        }
        _ => group.first().map_or_else(String::new, |only| crate::number::clean(&only.scope)),
    }
}

/// The limit; of counts in several streams the sum.
pub(crate) fn limit_of(cx: &Context<'_>, group: &[&RequirementResult]) -> Cell {
    match group {
        [first, _, ..] if is_counted(first) => {
            let sum: f64 = group.iter().filter_map(|result| result.limit).sum();
            Cell::number(cx.m.numbers.trim(&cx.m.numbers.in_unit(sum, &first.unit)), sum).in_unit(&first.unit)
        }
        [first, _, ..] => limit_beside(cx, first, greatest(group)),
        _ => group.first().map_or_else(Cell::missing, |only| limit_cell(cx, only)),
    }
}

/// The greatest value of a group, by which the unit of its row is chosen.
fn greatest(group: &[&RequirementResult]) -> Option<f64> {
    group.iter().filter_map(|result| result.value).reduce(f64::max)
}

/// Why, in the place of a group where it is worst.
pub(crate) fn reason_of(cx: &Context<'_>, group: &[&RequirementResult]) -> String {
    let apart = |result: &RequirementResult| match (result.value, result.limit) {
        (Some(value), Some(limit)) => (value - limit).abs(),
        _ => 0.0,
    };
    let Some(first) = group.first() else { return String::new() };
    if first.reason.code != "counts_differ" || group.len() == 1 {
        return cx.why(first);
    }
    let worst = group.iter().skip(1).fold(first, |worst, it| if apart(it) > apart(worst) { it } else { worst });
    say!(cx.m, "worst-place", place = &worst.scope, reason = &cx.why(worst))
}

/// The measured value, or of several places from the least to the greatest; of counts in several streams the sum.
pub(crate) fn measured_of(cx: &Context<'_>, group: &[&RequirementResult]) -> Cell {
    let [first, _, ..] = group else { return group.first().map_or_else(Cell::missing, |only| measured_cell(cx, only)) };
    let values: Vec<f64> = group.iter().filter_map(|result| result.value).collect();
    let Some(greatest) = greatest(group) else { return Cell::missing() };
    let least = values.iter().copied().fold(greatest, f64::min);
    let unit = InUnit::of(cx.m.numbers, &first.unit, greatest, first.limit);
    let shown = |value: f64| unit.shown(value);
    match () {
        () if is_counted(first) => {
            let sum: f64 = values.iter().sum();
            Cell::number(shown(sum), sum).in_unit(&first.unit).with_detail(say!(cx.m, "in-all"))
        }
        () if least == greatest => Cell::number(shown(least), least).in_unit(&first.unit),
        () => Cell::text(say!(cx.m, "interval", low = &shown(least), high = &shown(greatest))),
    }
}
