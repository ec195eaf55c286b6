//! TOTAL, SHARE, RATE: what the figures of a table's own rows must come to.

use crate::columns::{Figure, Role, has_word};
use crate::finding::{Finding, Weight, number, quote};
use crate::model::Row;
use crate::seen::{Input, Seen, words};

/// Names of a row that sums up the others.
const TOTALS: [&str; 7] = ["total", "totals", "sum", "totaal", "som", "i alt", "samlet"];

/// Words of a heading that say that something failed, and no more.
const FAILURES: [&str; 16] = [
    "failed", "errors", "error", "failures", "failure", "fail", "fails", "ko", "fouten", "fejl", "count", "number",
    "of", "aantal", "antal", "total",
];

fn is_total(row: &Row) -> bool {
    let name = row.cells.iter().find(|cell| !cell.is_empty()).map(|cell| cell.trim().trim_matches('*').to_lowercase());
    name.is_some_and(|name| TOTALS.contains(&name.trim_end_matches(':')))
}

/// Whether a row is counted in another: a part of the one above it, or a subtotal.
fn is_part(row: &Row) -> bool {
    const PARTS: [&str; 12] = [
        "of which",
        "thereof",
        "of these",
        "subtotal",
        "sub-total",
        "heraf",
        "deraf",
        "waarvan",
        "davon",
        "mellemsum",
        "subtotaal",
        "zwischensumme",
    ];
    let name = row.cells.iter().find(|cell| !cell.is_empty()).map(|cell| cell.trim().to_lowercase());
    name.is_some_and(|name| {
        let name = name.trim_start_matches(|c: char| !c.is_alphabetic());
        PARTS.iter().any(|words| name.starts_with(words))
    })
}

/// TOTAL: a row of totals whose counts are not the sum of the rows above it.
pub(super) fn totals(seen: &Input<'_>, found: &mut Vec<Finding>) {
    for table in seen.tables.iter().filter(|table| !table.view.is_turned) {
        let rows = &table.view.rows;
        let totals: Vec<usize> = (0..rows.len()).filter(|at| is_total(&rows[*at])).collect();
        let [total] = totals[..] else { continue };
        // Above the others or below them.
        let parts: Vec<&Row> = if total + 1 == rows.len() {
            rows[..total].iter().collect()
        } else if total == 0 {
            rows[1..].iter().collect()
        } else {
            continue;
        };
        if parts.len() < 2 {
            continue;
        }
        for at in table.view.of(|role| matches!(role, Role::Calls | Role::Failed)) {
            let figures: Option<Vec<Figure>> = parts.iter().map(|row| whole(seen, table, row, at)).collect();
            let (Some(figures), Some(stated)) = (figures, whole(seen, table, &rows[total], at)) else { continue };
            let sum: f64 = figures.iter().map(Figure::value).sum();
            // A subtotal among the rows makes the sum twice as large; a share is not a count.
            if sum == stated.value() || (sum / stated.value() - 2.0).abs() < 1e-9 || stated.value() == 0.0 {
                continue;
            }
            // Without rows that are parts of others, `of which …`, and subtotals.
            let whole: f64 =
                parts.iter().zip(&figures).filter(|(row, _)| !is_part(row)).map(|(_, figure)| figure.value()).sum();
            if whole == stated.value() {
                continue;
            }
            let slack = 0.5
                * figures.len() as f64
                * figures.iter().map(|figure| figure.readings[0].1 - 1.0).fold(0.0, f64::max);
            if (sum - stated.value()).abs() <= slack {
                continue;
            }
            let shown = if figures.len() <= 12 {
                figures.iter().map(|figure| number(figure.value())).collect::<Vec<_>>().join(" + ")
            } else {
                format!("the {} rows", figures.len())
            };
            found.push(Finding {
                code: "TOTAL",
                weight: Weight::Contradiction,
                says: format!("the total of “{}” is not the sum of its rows", table.view.columns[at].heading),
                arithmetic: format!("{shown} = {}, written is {}", number(sum), stated.text),
                remedy: format!("{}, unless a row is missing; then say which", number(sum)),
                quotes: vec![quote(&table.place(&rows[total]), &table.view.shown(&rows[total]))],
            });
        }
    }
}

/// A count: a whole number of one reading, not about so many, nor so many or more.
fn whole(seen: &Input<'_>, table: &Seen<'_>, row: &Row, at: usize) -> Option<Figure> {
    let figure = table.view.figure(row, at, seen.decimals)?;
    let is_count = figure.readings.len() == 1
        && figure.value().fract() == 0.0
        && figure.value() >= 0.0
        && !figure.text.contains(['%', '~', '≈', '+']);
    is_count.then_some(figure)
}

/// SHARE: failed calls of all calls that are not the share of errors beside them.
pub(super) fn shares(seen: &Input<'_>, found: &mut Vec<Finding>) {
    for table in &seen.tables {
        let view = &table.view;
        let (Some(calls), Some(share)) =
            (view.only(Role::Calls).or_else(|| view.only(Role::Users)), view.only(Role::ErrorShare))
        else {
            continue;
        };
        let Some(failed) = view.only(Role::Failed) else { continue };
        let is_of_connections = view.only(Role::Calls).is_none();
        // `Failed connections` are not part of `Planned messages`.
        let whole_heading = view.columns[calls].heading.to_lowercase();
        let noun = |word: &String| !FAILURES.contains(&word.as_str());
        if words(&view.columns[failed].heading).filter(noun).any(|word| !has_word(&whole_heading, &[word.as_str()])) {
            continue;
        }
        let mut wrong = Vec::new();
        for row in &view.rows {
            let (Some(calls), Some(failed)) = (whole(seen, table, row, calls), whole(seen, table, row, failed)) else {
                continue;
            };
            let Some(stated) = view.figure(row, share, seen.decimals) else { continue };
            let is_about = stated.text.contains(['~', '≈']);
            if is_about || calls.value() <= 0.0 || failed.value() > calls.value() {
                continue;
            }
            let part = failed.value() / calls.value();
            // A share may be printed as such, unless a sign says that it is in percent.
            let is_percent = stated.text.contains('%') || view.columns[share].heading.contains('%');
            // Rounded, cut or raised to the last place, it moves by less than one there: 1 % is never printed as 2 %.
            let agrees = |part: f64| part > stated.low() + 1e-9 && part < stated.high() - 1e-9;
            let is_right = agrees(100.0 * part) || (!is_percent && agrees(part));
            // What counts connections need not count events, unless no error at all is stated.
            if is_right || (is_of_connections && (stated.value() != 0.0 || failed.value() < 1.0)) {
                continue;
            }
            wrong.push((
                row,
                format!(
                    "{} of {} = {} %, written is {}",
                    number(failed.value()),
                    number(calls.value()),
                    number((1e4 * part).round() / 100.0),
                    stated.text
                ),
            ));
        }
        let Some((first, _)) = wrong.first() else { continue };
        let is_weighty = !is_of_connections;
        found.push(Finding {
            code: "SHARE",
            weight: if is_weighty { Weight::Contradiction } else { Weight::Question },
            says: if is_weighty {
                "the share of errors is not that of the counts beside it".to_owned()
            } else {
                format!("“{}” is zero where “{}” is not", view.columns[share].heading, view.columns[failed].heading)
            },
            arithmetic: wrong.iter().map(|(_, text)| text.as_str()).take(6).collect::<Vec<_>>().join("; "),
            remedy: "say what the share is of, and whether connections that failed are part of it".to_owned(),
            quotes: vec![quote(&table.place(first), &view.shown(first))],
        });
    }
}

/// RATE: calls by their time that are not the rate beside them.
pub(super) fn rates(seen: &Input<'_>, found: &mut Vec<Finding>) {
    for table in &seen.tables {
        let view = &table.view;
        let named = |words: &[&str]| {
            (0..view.columns.len())
                .filter(|at| has_word(&view.columns[*at].heading.to_lowercase(), words))
                .collect::<Vec<_>>()
        };
        let (counts, times) = (
            named(&["events", "requests", "samples", "calls", "messages"]),
            named(&["time", "duration", "tijd", "tid"]),
        );
        let (Some(rate), [time]) = (view.only(Role::Throughput), &times[..]) else { continue };
        let counts: Vec<usize> =
            counts.into_iter().filter(|at| *at != rate && !view.columns[*at].heading.contains('/')).collect();
        let [count] = counts[..] else { continue };
        // Only a time that is known to be in seconds, of all calls together.
        let is_whole = view.columns[*time].unit == Some(1.0)
            && !has_word(&view.columns[*time].heading.to_lowercase(), &["response", "average", "avg", "per", "max"]);
        if !is_whole {
            continue;
        }
        for row in &view.rows {
            let (Some(count), Some(time), Some(rate)) = (
                whole(seen, table, row, count),
                view.figure(row, *time, seen.decimals),
                view.figure(row, rate, seen.decimals),
            ) else {
                continue;
            };
            let computed = count.value() / time.value();
            let (low, high) = (count.low() / time.high(), count.high() / time.low());
            let is_right = high > rate.low() && low < rate.high() || (computed / rate.value() - 1.0).abs() < 0.005;
            if time.value() > 0.0 && !is_right {
                found.push(Finding {
                    code: "RATE",
                    weight: Weight::Contradiction,
                    says: "count, time and rate of one row disagree".to_owned(),
                    arithmetic: format!(
                        "{} / {} s = {}/s, written is {}",
                        count.text,
                        time.text,
                        number(computed),
                        rate.text
                    ),
                    remedy: format!("{}/s, or say which calls and which time are meant", number(computed)),
                    quotes: vec![quote(&table.place(row), &view.shown(row))],
                });
            } else if time.value() > 0.0 && view.is_turned {
                found.extend(too_fine(table, row, &count, &rate));
            }
        }
    }
}

/// ROUNDING: a rate with more digits than its count carries.
fn too_fine(table: &Seen<'_>, row: &Row, count: &Figure, rate: &Figure) -> Option<Finding> {
    let printed = rate.text.chars().filter(char::is_ascii_digit).count();
    // A count of n varies by its root: so many digits mean anything, and one more is a courtesy.
    let spread = 1.96 * rate.value() / count.value().sqrt();
    let carried = (rate.value() / spread).log10().floor() as usize + 2;
    (printed > carried + 2).then(|| Finding {
        code: "ROUNDING",
        weight: Weight::Remark,
        says: format!("a rate with {printed} digits"),
        arithmetic: format!(
            "{} events vary by chance by ±{} (95 %), the rate by ±{}/s",
            number(count.value()),
            number((1.96 * count.value().sqrt()).round()),
            number((10.0 * spread).round() / 10.0)
        ),
        remedy: format!("{}/s", number(round_to(rate.value(), 3))),
        quotes: vec![quote(&table.place(row), &table.view.shown(row))],
    })
}

/// A number with so many significant digits.
fn round_to(value: f64, digits: i32) -> f64 {
    let scale = 10f64.powi(value.abs().log10().floor() as i32 + 1 - digits);
    (value / scale).round() * scale
}
