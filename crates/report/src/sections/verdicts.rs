//! Verdict tables: the short one of the summary, and the full one of each scenario.

use crate::document::{Cell, CellKind, Column, Row, Table};
use crate::input::{Context, is_in_scenario};
use crate::messages::say;
use judge::RequirementResult;

/// Measured value with its interval under it.
pub(crate) fn measured_cell(cx: &Context<'_>, result: &RequirementResult) -> Cell {
    let Some(value) = result.value else { return Cell::missing() };
    let cell = Cell::number(cx.m.numbers.in_unit(value, &result.unit), value);
    if result.is_census {
        return cell.with_detail(say!(cx.m, "exact"));
    }
    match (result.low, result.high) {
        (Some(low), Some(high)) => {
            let (low, high) = (cx.m.numbers.in_unit(low, &result.unit), cx.m.numbers.in_unit(high, &result.unit));
            cell.with_detail(say!(cx.m, "interval", low = &low, high = &high))
        }
        _ => cell.with_detail(say!(cx.m, "no-interval")),
    }
}

/// The limit in its unit.
pub(crate) fn limit_cell(cx: &Context<'_>, result: &RequirementResult) -> Cell {
    let shown = |limit: f64| cx.m.numbers.trim(&cx.m.numbers.in_unit(limit, &result.unit));
    result.limit.map_or_else(Cell::missing, |limit| Cell::number(shown(limit), limit))
}

/// A verdict with its mark and word.
fn verdict_cell(cx: &Context<'_>, result: &RequirementResult) -> Cell {
    Cell {
        text: say!(cx.m, "verdict-word", verdict = result.verdict.name()),
        kind: CellKind::Verdict(result.verdict),
        ..Cell::default()
    }
}

/// A requirement's purpose in the author's words, else its rule.
fn in_words(cx: &Context<'_>, result: &RequirementResult) -> Cell {
    let study = cx.input.study;
    let known = study.and_then(|study| study.requirements.iter().find(|known| known.name == result.id));
    let about = known.and_then(|known| known.about.as_ref()).map(|about| about.in_language(cx.m.language));
    match about.filter(|about| !about.is_empty()) {
        Some(about) => Cell::text(crate::number::clean(about)).with_detail(crate::number::clean(&result.rule)),
        None => Cell::code(&result.rule),
    }
}

fn severity_cell(cx: &Context<'_>, result: &RequirementResult) -> Cell {
    Cell {
        text: say!(cx.m, "severity-word", severity = result.severity.name()),
        kind: CellKind::Severity(result.severity),
        ..Cell::default()
    }
}

/// All verdicts in short.
pub(crate) fn short_table(cx: &Context<'_>, name: &str) -> Table {
    let row = |result: &RequirementResult| {
        Row::new(vec![
            verdict_cell(cx, result),
            Cell::code(&result.id).with_detail(say!(cx.m, "severity-word", severity = result.severity.name())),
            in_words(cx, result),
            measured_cell(cx, result),
            limit_cell(cx, result),
            Cell::code(&result.scope),
        ])
    };
    Table {
        name: name.to_owned(),
        caption: say!(cx.m, "table-verdicts"),
        columns: vec![
            Column::text(say!(cx.m, "col-verdict")),
            Column::text(say!(cx.m, "col-requirement")),
            Column::text(say!(cx.m, "col-in-words")),
            Column::number(say!(cx.m, "col-measured"), ""),
            Column::number(say!(cx.m, "col-limit"), ""),
            Column::text(say!(cx.m, "col-where")),
        ],
        rows: cx.input.judgement.requirements.iter().map(row).collect(),
        notes: vec![say!(cx.m, "note-verdicts")],
    }
}

/// Verdicts of one scenario with reasons, sample counts and design effects.
pub(crate) fn full_table(cx: &Context<'_>, scenario: &str, name: &str) -> Table {
    let is_here = |result: &&RequirementResult| is_in_scenario(&result.scope, scenario);
    let row = |result: &RequirementResult| {
        Row::new(vec![
            verdict_cell(cx, result),
            Cell::code(&result.id).with_detail(crate::number::clean(&result.scope)),
            severity_cell(cx, result),
            measured_cell(cx, result),
            limit_cell(cx, result),
            Cell::number(cx.m.numbers.count(result.sample_count as f64), result.sample_count as f64),
            result.design_effect.map_or_else(Cell::missing, |effect| Cell::number(cx.m.numbers.value(effect), effect)),
            Cell::text(cx.reason(&result.reason)),
        ])
    };
    Table {
        name: name.to_owned(),
        caption: say!(cx.m, "table-verdicts-full", scenario = scenario),
        columns: vec![
            Column::text(say!(cx.m, "col-verdict")),
            Column::text(say!(cx.m, "col-requirement")),
            Column::text(say!(cx.m, "col-severity")),
            Column::number(say!(cx.m, "col-measured"), ""),
            Column::number(say!(cx.m, "col-limit"), ""),
            Column::number(say!(cx.m, "col-behind"), ""),
            Column::number(say!(cx.m, "col-design-effect"), ""),
            Column::text(say!(cx.m, "col-reason")),
        ],
        rows: cx.input.judgement.requirements.iter().filter(is_here).map(row).collect(),
        notes: vec![say!(cx.m, "note-design-effect")],
    }
}
