//! What the distribution of a leg's times looks like, in numbers and one statement for each hold: never an adjective.

use crate::charts;
use crate::document::{Block, Cell, Column, NoteKind, Row, Table};
use crate::input::{Context, ScenarioContext, leg_title};
use crate::messages::say;
use crate::number::clean;
use judge::{Arg, Found, LegResult, StepResult};

/// The statement on every hold; a note that it is missing where a hold has too few calls for one.
pub(super) fn shape(cx: &Context<'_>, scenario: &ScenarioContext<'_>, of: (&str, &str), name: &str) -> Block {
    // In a mix another part may carry out an exchange of the same name.
    let own = scenario.holds().filter(|(view, _)| view.exchanges.iter().any(|known| known.name == of.0));
    let holds = own.filter_map(|(view, result)| {
        let (step, leg) = held(result?, of)?;
        Some((charts::phase_name(cx, view.phase, &step.id), step, leg))
    });
    let rows: Option<Vec<Row>> = holds.map(|(title, step, leg)| row(cx, title, (step, leg), of)).collect();
    match rows.filter(|rows| !rows.is_empty()) {
        Some(rows) => Block::Table(Table {
            name: name.to_owned(),
            caption: say!(cx.m, "table-shape", scenario = scenario.name, what = &clean(&leg_title(of.0, of.1))),
            columns: vec![
                Column::text(say!(cx.m, "col-step")),
                Column::number(say!(cx.m, "col-humps"), ""),
                Column::number(say!(cx.m, "col-tail"), ""),
                Column::number(say!(cx.m, "col-extreme"), ""),
                Column::number(say!(cx.m, "col-stalled"), ""),
                Column::text(say!(cx.m, "col-shape")),
            ],
            rows,
            notes: vec![say!(cx.m, "note-shape")],
        }),
        None => {
            let text = say!(cx.m, "shape-too-few", needed = judge::SHAPE_CALLS);
            Block::Note { kind: NoteKind::Missing, text }
        }
    }
}

/// A hold that carried out the leg, with what succeeded.
fn held<'a>(step: &'a StepResult, (exchange, leg): (&str, &str)) -> Option<(&'a StepResult, &'a LegResult)> {
    let found = step.exchanges.iter().find(|found| found.id == exchange || found.id == bare(exchange))?;
    Some((step, found.legs.iter().find(|found| found.id == leg && found.outcome == "ok")?))
}

/// In a mix the name begins with the part's.
fn bare(exchange: &str) -> &str {
    exchange.rsplit('/').next().unwrap_or(exchange)
}

/// As the finding has it, which names what is out of the ordinary or says that nothing is; with enough calls and no
/// finding nothing is.
fn row(
    cx: &Context<'_>,
    title: String,
    (step, ok): (&StepResult, &LegResult),
    (exchange, leg): (&str, &str),
) -> Option<Row> {
    let scope = format!("{}/{}/{leg}", step.scope, bare(exchange));
    let mut findings = cx.input.judgement.findings.iter().filter(|finding| finding.scope == scope);
    let found = findings.find_map(|finding| match &finding.found {
        Found::TimesShape(shape) => Some((finding, shape)),
        _ => None,
    });
    let factor = |value: Option<f64>| {
        value.map_or_else(Cell::missing, |value| Cell::number(cx.m.numbers.arg(&Arg::Number(value)), value))
    };
    let mut cells = vec![Cell::text(title)];
    match found {
        Some((found, shape)) => {
            cells.push(humps(cx, shape.modes.0));
            cells.extend([factor(Some(shape.tail.0)), factor(Some(shape.extreme.0))]);
            cells.push(Cell::number(cx.m.numbers.share(shape.stalled.0), shape.stalled.0 * 100.0));
            // Good to know is what lies within all thresholds.
            cells.push(Cell::text(match found.severity {
                judge::Gravity::Info => say!(cx.m, "shape-regular"),
                _ => say!(cx.m, "shape-irregular", finding = &found.id),
            }));
        }
        None if ok.count >= judge::SHAPE_CALLS => {
            let times = ok.response.as_ref().or(ok.service.as_ref())?;
            let at = |q: f64| {
                times.percentiles.iter().find(|known| (known.quantile - q).abs() < 1e-9).map(|known| known.value)
            };
            let ratio = |a: Option<f64>, b: Option<f64>| a.zip(b).filter(|(_, b)| *b > 0.0).map(|(a, b)| a / b);
            let tail = ratio(at(0.99), at(0.5));
            cells.push(humps(cx, 1.0));
            cells.extend([factor(tail), factor(ratio(Some(times.max), at(0.99)))]);
            cells.push(Cell::text(format!("≤ {}", cx.m.numbers.share(judge::SHAPE_STALLED))));
            let is_long = tail.is_some_and(judge::assess::is_long_tail);
            cells.push(Cell::text(cx.m.text(if is_long { "shape-tail" } else { "shape-regular" }, &[])));
        }
        None => return None,
    }
    Some(Row::new(cells))
}

fn humps(cx: &Context<'_>, count: f64) -> Cell {
    Cell::number(cx.m.numbers.count(count), count)
}
