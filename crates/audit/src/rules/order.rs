//! ORDER and MEAN-GT-P90: whether least, mean, percentiles and greatest of one row can belong to the same calls.

use crate::beside::is_derived;
use crate::columns::{Figure, Role, View};
use crate::finding::{Finding, Weight, number, quote, time};
use crate::model::Row;
use crate::seen::{Input, Seen};

/// How far above the percentile a mean must lie: a little above it, few calls are enough.
const MARGIN: f64 = 1.1;

/// A statistic of one row or sentence.
pub(super) struct Statistic {
    pub(super) heading: String,
    pub(super) role: Role,
    pub(super) figure: Figure,
}

impl Statistic {
    /// The share of calls at or below it, from 0 for the least to 1 for the greatest.
    fn share(&self) -> Option<f64> {
        match self.role {
            Role::Min => Some(0.0),
            Role::Percentile(share) => Some(share),
            Role::Max => Some(1.0),
            _ => None,
        }
    }
}

/// Columns near each other that are of one thing.
fn stretches(view: &View, columns: &[usize]) -> Vec<Vec<usize>> {
    let mut all: Vec<Vec<usize>> = Vec::new();
    for at in columns {
        let fits = |one: &&mut Vec<usize>| {
            one.last().is_some_and(|last| at - last <= 3 && view.columns[*last].stem == view.columns[*at].stem)
        };
        match all.last_mut().filter(fits) {
            Some(one) => one.push(*at),
            None => all.push(vec![*at]),
        }
    }
    all
}

/// A stretch in which all roles come again and again in one order, cut into its periods: mean, p95, mean, p95. Nothing
/// where they come otherwise, such as p50, p50, p95, p95: then it is not known which belong together.
fn periods(view: &View, stretch: &[usize]) -> Vec<Vec<usize>> {
    let role = |at: usize| view.columns[stretch[at]].role;
    let again = (1..stretch.len()).find(|at| role(*at) == role(0)).unwrap_or(stretch.len());
    let is_periodic = (0..stretch.len()).all(|at| role(at) == role(at % again));
    let is_once = (0..again).all(|at| (0..at).all(|before| role(before) != role(at)));
    if !(is_periodic && is_once && stretch.len().is_multiple_of(again)) {
        return Vec::new();
    }
    stretch.chunks(again).map(<[usize]>::to_vec).collect()
}

/// The statistics of each row that are of one thing, in one unit.
fn groups(seen: &Input<'_>, table: &Seen<'_>) -> Vec<(Row, Vec<Statistic>)> {
    let view = &table.view;
    let is_statistic = |role| matches!(role, Role::Mean | Role::Percentile(_) | Role::Min | Role::Max);
    let runs: Vec<Vec<usize>> =
        stretches(view, &view.of(is_statistic)).iter().flat_map(|one| periods(view, one)).collect();
    let mut found = Vec::new();
    // A row of differences, or a table of them as a whole.
    let is_of_derived = |row: &Row| row.cells.first().is_some_and(|label| !view.is_turned && is_derived(label));
    let above = table.block.checked_sub(1).map_or("", |before| seen.document.blocks[before].text.trim());
    if above.ends_with(':') && is_derived(above.split(['.', '(']).next_back().unwrap_or(above)) {
        return Vec::new();
    }
    for row in view.rows.iter().filter(|row| !is_of_derived(row)) {
        for run in runs.iter().filter(|run| run.len() >= 2) {
            let statistics: Vec<Statistic> = run
                .iter()
                .filter_map(|at| {
                    let figure = view.figure(row, *at, seen.decimals)?;
                    let column = &view.columns[*at];
                    Some(Statistic { heading: column.heading.clone(), role: column.role, figure })
                })
                .collect();
            let is_one_unit = statistics
                .windows(2)
                .all(|two| two[0].figure.unit == two[1].figure.unit || two.iter().all(|one| one.figure.unit.is_some()));
            let is_sure = statistics.iter().all(|one| one.figure.readings.len() == 1 && one.figure.value() >= 0.0);
            if is_one_unit && is_sure && statistics.len() >= 2 {
                found.push((row.clone(), statistics));
            }
        }
    }
    found
}

/// One in the last place that is not zero: some tools round percentiles to two digits, so that 4800 stands beside a
/// greatest of 4773.
fn place(figure: &Figure) -> f64 {
    let Some((value, last)) = figure.readings.first().copied() else { return 0.0 };
    let mut digits = (value / last).round();
    let mut place = last;
    while digits >= 100.0 && digits % 10.0 == 0.0 {
        digits /= 10.0;
        place *= 10.0;
    }
    place
}

fn shown(figure: &Figure) -> String {
    if figure.unit.is_some() { time(figure.value()) } else { number(figure.value()) }
}

/// ORDER: a percentile above a higher one, a mean outside of least and greatest.
pub(super) fn order(seen: &Input<'_>, found: &mut Vec<Finding>) {
    for table in &seen.tables {
        for (row, statistics) in groups(seen, table) {
            for (says, arithmetic) in out_of_order(&statistics) {
                found.push(Finding {
                    code: "ORDER",
                    weight: Weight::Contradiction,
                    says,
                    arithmetic,
                    remedy: "the columns may be exchanged, or taken from other calls".to_owned(),
                    quotes: vec![quote(&table.place(&row), &table.view.shown(&row))],
                });
            }
        }
    }
}

/// Each two statistics of the same calls of which the one that cannot be greater is: what is wrong, and the figures.
pub(super) fn out_of_order(statistics: &[Statistic]) -> Vec<(String, String)> {
    let mut found = Vec::new();
    for (at, one) in statistics.iter().enumerate() {
        for other in &statistics[at + 1..] {
            let (lower, higher) = match (one.share(), other.share()) {
                (Some(a), Some(b)) if a < b => (one, other),
                (Some(a), Some(b)) if b < a => (other, one),
                (None, Some(0.0)) => (other, one),
                (None, Some(1.0)) => (one, other),
                (Some(0.0), None) => (one, other),
                (Some(1.0), None) => (other, one),
                _ => continue,
            };
            // Rounding moves each by less than one in its place, so that those that would just meet do not.
            let (least, most) =
                (lower.figure.value() - place(&lower.figure), higher.figure.value() + place(&higher.figure));
            if least >= most * (1.0 - 1e-9) {
                let says = format!("“{}” is above “{}”", lower.heading, higher.heading);
                found.push((says, format!("{} > {}", shown(&lower.figure), shown(&higher.figure))));
            }
        }
    }
    found
}

/// MEAN-GT-P90: a mean above a high percentile, with what the slowest calls must then have taken; a contradiction where
/// even the greatest leaves no room for it.
pub(super) fn means(seen: &Input<'_>, found: &mut Vec<Finding>) {
    for table in &seen.tables {
        for (row, statistics) in groups(seen, table) {
            if found.len() >= crate::FINDINGS_MAX {
                return;
            }
            let Some(mean) = statistics.iter().find(|one| one.role == Role::Mean) else { continue };
            let count = table.view.only(Role::Calls).and_then(|at| table.view.figure(&row, at, seen.decimals));
            let count = count.filter(|count| count.readings.len() == 1).map(|count| count.value());
            if let Some(text) = above(&statistics, mean, count) {
                found.push(Finding {
                    code: "MEAN",
                    weight: Weight::Contradiction,
                    says: "the mean cannot be that of calls with these percentiles".to_owned(),
                    arithmetic: text,
                    remedy: "mean and percentiles are of different calls: say of which (a tool may keep percentiles of the last calls only)".to_owned(),
                    quotes: vec![quote(&table.place(&row), &table.view.shown(&row))],
                });
                continue;
            }
            // The highest percentile that is printed: what lies between it and a lower one is told by itself.
            let percentiles = statistics.iter().filter_map(|one| match one.role {
                Role::Percentile(share) => Some((share, one)),
                _ => None,
            });
            let highest = percentiles.max_by(|a, b| a.0.total_cmp(&b.0));
            let is_above =
                |(share, one): &(f64, &Statistic)| *share >= 0.895 && mean.figure.low() > MARGIN * one.figure.high();
            let Some((share, percentile)) = highest.filter(is_above) else { continue };
            let rest = 1.0 - share;
            let tail = (mean.figure.value() - share * percentile.figure.value()) / rest;
            let unit = |value: f64| if mean.figure.unit.is_some() { time(value) } else { number(value) };
            let normal = seen.sentences.iter().find(|sentence| {
                ["normale verdeling", "normal distribution", "normalfordel"]
                    .iter()
                    .any(|words| sentence.lower.contains(words))
            });
            let mut quotes = vec![quote(&table.place(&row), &table.view.shown(&row))];
            quotes.extend(normal.map(|sentence| quote(&sentence.place, &sentence.text)));
            found.push(Finding {
                code: "MEAN-GT-P90",
                weight: Weight::Question,
                says: format!(
                    "the mean is above “{}”: few calls took so long that it describes none of them",
                    percentile.heading
                ),
                arithmetic: format!(
                    "({} − {} · {}) / {} = {}: the slowest {} % took at least this long on average",
                    shown(&mean.figure),
                    number(share),
                    shown(&percentile.figure),
                    number((1e6 * rest).round() / 1e6),
                    unit(tail),
                    number((1e4 * rest).round() / 100.0)
                ),
                remedy: match normal {
                    Some(_) => {
                        "report what the slowest calls were; times like these are far from a normal distribution"
                            .to_owned()
                    }
                    None => "report what the slowest calls were, and the median instead of the mean".to_owned(),
                },
                quotes,
            });
        }
    }
}

/// Why a mean is out of the range that percentiles and greatest leave it; each share of the calls at its upper or lower
/// end, with a hundredth for the ways in which percentiles are computed, and more where there may be few calls.
pub(super) fn above(statistics: &[Statistic], mean: &Statistic, count: Option<f64>) -> Option<String> {
    out_of_range(statistics, mean).filter(|_| !super::quantiles::leave_room(statistics, mean, count))
}

/// The same for so many calls that each share of them is a number of its own.
fn out_of_range(statistics: &[Statistic], mean: &Statistic) -> Option<String> {
    let mut known: Vec<(f64, &Figure)> =
        statistics.iter().filter_map(|one| Some((one.share()?, &one.figure))).collect();
    known.sort_by(|a, b| a.0.total_cmp(&b.0));
    let percentiles = known.iter().filter(|(share, _)| *share > 0.0 && *share < 1.0).count();
    if percentiles == 0 {
        return None;
    }
    if known.last().is_some_and(|(share, _)| *share >= 1.0) {
        let (mut upper, mut before, mut terms) = (0.0, 0.0, Vec::new());
        for (share, figure) in &known {
            if *share > before {
                upper += (share - before) * figure.high();
                terms.push(format!("{} · {}", number((1e6 * (share - before)).round() / 1e6), shown(figure)));
            }
            before = *share;
        }
        if mean.figure.low() > 1.01 * upper {
            return Some(format!("at most {}; the mean is {}", terms.join(" + "), shown(&mean.figure)));
        }
    }
    let (mut lower, mut terms) = (0.0, Vec::new());
    for (at, (share, figure)) in known.iter().enumerate() {
        let until = known.get(at + 1).map_or(1.0, |next| next.0);
        if until > *share {
            lower += (until - share) * figure.low().max(0.0);
            terms.push(format!("{} · {}", number((1e6 * (until - share)).round() / 1e6), shown(figure)));
        }
    }
    (mean.figure.high() < 0.99 * lower)
        .then(|| format!("at least {}; the mean is {}", terms.join(" + "), shown(&mean.figure)))
}
