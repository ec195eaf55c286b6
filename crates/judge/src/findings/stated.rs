//! What the author states: assumptions, sums in texts, the inventory.

use super::{Seen, finding, written};
use crate::inventory::{Problem, lint};
use crate::{Arg, Finding, Gravity};
use study::Text;

/// All digits of a number that was stated, not three of them.
fn exact(value: f64) -> Arg {
    if value.fract() == 0.0 { Arg::Count(value) } else { Arg::Number(value) }
}

fn stated(mut found: Finding) -> Finding {
    found.evidence = vec![format!("study:{}", found.scope)];
    found
}

/// UNUSED: an assumption that nothing uses: whatever is said from it was not computed from it.
pub(super) fn unused(seen: &Seen<'_>) -> Vec<Finding> {
    let unused = seen.study.variables.iter().filter(|variable| variable.is_assumption && !variable.is_used);
    unused
        .map(|variable| {
            let args = [("name", Arg::Text(variable.name.clone())), ("value", Arg::Text(variable.value.clone()))];
            stated(finding("UNUSED", Gravity::Notice, &variable.name, args))
        })
        .collect()
}

/// INVENTORY-…: what the check of the stated inventory found.
pub(super) fn inventory(seen: &Seen<'_>) -> Vec<Finding> {
    let Some(inventory) = &seen.study.system.inventory else { return Vec::new() };
    let text = |text: &str| Arg::Text(text.to_owned());
    let of = |problem: Problem| {
        stated(match problem {
            Problem::Text { row, column, cell } => {
                let args = [("cell", text(&cell)), ("column", text(&column)), ("row", text(&row))];
                finding("INVENTORY-TEXT", Gravity::Warning, &row, args)
            }
            Problem::Units { column, units } => {
                let args = [("column", text(&column)), ("units", Arg::Text(units.join(", ")))];
                finding("INVENTORY-UNITS", Gravity::Warning, &column, args)
            }
            Problem::Memory { row, xmx, metaspace, memory } => {
                let args = [
                    ("memory", exact(memory)),
                    ("metaspace", exact(metaspace)),
                    ("row", text(&row)),
                    ("xmx", exact(xmx)),
                ];
                finding("INVENTORY-MEMORY", Gravity::Warning, &row, args)
            }
            Problem::Reservation { row, reservation, memory } => {
                let args = [("memory", exact(memory)), ("reservation", exact(reservation)), ("row", text(&row))];
                finding("INVENTORY-RESERVATION", Gravity::Warning, &row, args)
            }
            Problem::Twin { row, other } => {
                finding("INVENTORY-TWIN", Gravity::Notice, &row, [("other", text(&other)), ("row", text(&row))])
            }
            Problem::Shifted { row, column, value, usual, same_as } => {
                let args = [
                    ("column", text(&column)),
                    ("row", text(&row)),
                    ("same", text(same_as.as_deref().unwrap_or("none"))),
                    ("usual", exact(usual)),
                    ("value", exact(value)),
                ];
                finding("INVENTORY-SHIFTED", Gravity::Notice, &row, args)
            }
        })
    };
    lint(inventory).into_iter().map(of).collect()
}

/// The author's own texts, with where they stand.
fn texts(study: &study::Study) -> Vec<(String, &Text)> {
    let mut texts: Vec<(String, &Text)> = Vec::new();
    texts.extend(study.about.iter().map(|text| ("about".to_owned(), text)));
    texts.extend(study.report.comments.iter().map(|(place, text)| (format!("comments/{place}"), text)));
    texts.extend(study.report.expectations.iter().map(|text| ("expectations".to_owned(), text)));
    texts.extend(study.report.title_page.iter().map(|(place, text)| (place.clone(), text)));
    for variable in study.variables.iter().filter(|variable| variable.is_assumption) {
        texts.extend(variable.about.iter().map(|text| (variable.name.clone(), text)));
    }
    texts
}

/// Findings of every author's text in every language.
fn in_texts<T>(seen: &Seen<'_>, look: fn(&str) -> Vec<T>, told: impl Fn(&str, T) -> Finding) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (place, text) in texts(seen.study) {
        for (_, words) in &text.0 {
            findings.extend(look(words).into_iter().map(|wrong| stated(told(&place, wrong))));
        }
    }
    findings
}

/// ARITH: a sum that an author's text carries out, and that does not come to what is written.
pub(super) fn arithmetic(seen: &Seen<'_>) -> Vec<Finding> {
    in_texts(seen, written::sums, |place, sum| {
        let args = [("computed", exact(sum.computed)), ("stated", Arg::Text(sum.stated)), ("sum", Arg::Text(sum.text))];
        finding("ARITH", Gravity::Warning, place, args)
    })
}

/// RATIO: a factor between two numbers of an author's text that is not theirs.
pub(super) fn factors(seen: &Seen<'_>) -> Vec<Finding> {
    in_texts(seen, written::factors, |place, wrong| {
        let args = [
            ("computed", Arg::Number(wrong.computed)),
            ("stated", exact(wrong.stated)),
            ("words", Arg::Text(wrong.words)),
        ];
        finding("RATIO", Gravity::Warning, place, args)
    })
}

/// UNIT: two quantities of an author's text that are said to be equal and are not.
pub(super) fn units(seen: &Seen<'_>) -> Vec<Finding> {
    in_texts(seen, written::units, |place, wrong| {
        let args = [
            ("computed", Arg::Number(wrong.computed)),
            ("first", Arg::Text(wrong.first)),
            ("second", Arg::Text(wrong.second)),
            ("unit", Arg::Text(wrong.unit)),
        ];
        finding("UNIT", Gravity::Warning, place, args)
    })
}
