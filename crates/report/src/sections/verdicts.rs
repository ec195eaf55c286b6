//! Verdict tables: the short one of the summary, and the full one of each scenario.

use crate::document::{Cell, CellKind, Column, Detail, Row, Table};
use crate::input::{Context, is_in_scenario};
use crate::messages::say;
use crate::verdict_words::{is_counted, limit_of, measured_of, places, reason_of, together};
use judge::RequirementResult;
use terms::Verdict;

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

/// The requirement in words, and why where it is not met or undecided.
fn with_reason(cx: &Context<'_>, group: &[&RequirementResult]) -> Cell {
    let cell = in_words(cx, group[0]);
    if group[0].verdict == Verdict::Met {
        return cell;
    }
    let reason = reason_of(cx, group);
    let detail = if cell.detail.is_empty() { reason } else { format!("{}: {reason}", cell.detail) };
    cell.with_detail(detail)
}

/// All verdicts in short. A narrow window shows the first columns: what was measured stands beside its limit there.
pub(crate) fn short_table(cx: &Context<'_>, name: &str) -> Table {
    let row = |group: Vec<&RequirementResult>| {
        let first = group[0];
        Row::new(vec![
            verdict_cell(cx, first),
            Cell::code(&first.id)
                .with_detail_of(Detail::Severity, say!(cx.m, "severity-word", severity = first.severity.name())),
            measured_of(cx, &group),
            limit_of(cx, &group),
            with_reason(cx, &group),
            if group.len() == 1 { Cell::code(&first.scope) } else { Cell::text(places(cx, &group)) },
        ])
    };
    Table {
        name: name.to_owned(),
        caption: say!(cx.m, "table-verdicts"),
        columns: vec![
            Column::text(say!(cx.m, "col-verdict")),
            Column::text(say!(cx.m, "col-requirement")),
            Column::number(say!(cx.m, "col-measured"), ""),
            Column::number(say!(cx.m, "col-limit"), ""),
            Column::text(say!(cx.m, "col-in-words")),
            Column::text(say!(cx.m, "col-where")),
        ],
        rows: together(&cx.input.judgement.requirements).into_iter().map(row).collect(),
        notes: vec![say!(cx.m, "note-verdicts")],
    }
}

/// The design effect, and up to which one the verdict would still stand.
fn effect_cell(cx: &Context<'_>, result: &RequirementResult) -> Cell {
    let Some(effect) = result.design_effect else { return Cell::missing() };
    let cell = Cell::number(cx.m.numbers.value(effect), effect);
    match result.holds_up_to {
        Some(most) => cell.with_detail(say!(cx.m, "design-effect-holds", most = judge::Arg::Number(most))),
        None => cell,
    }
}

/// Verdicts of one scenario with reasons, sample counts and design effects.
pub(crate) fn full_table(cx: &Context<'_>, scenario: &str, name: &str) -> Table {
    let is_here = |result: &&RequirementResult| is_in_scenario(&result.scope, scenario);
    let row = |group: &[&RequirementResult]| {
        let result = group[0];
        let behind: u64 = group.iter().map(|result| result.sample_count).sum();
        Row::new(vec![
            verdict_cell(cx, result),
            Cell::code(&result.id).with_detail(places(cx, group)),
            severity_cell(cx, result),
            measured_of(cx, group),
            limit_of(cx, group),
            Cell::number(cx.m.numbers.count(behind as f64), behind as f64),
            effect_cell(cx, result),
            Cell::text(reason_of(cx, group)),
        ])
    };
    // Counts of streams that say the same stand together: each stream has its row where counts are reconciled.
    let groups = together(cx.input.judgement.requirements.iter().filter(is_here)).into_iter().flat_map(|group| {
        if is_counted(group[0]) { vec![group] } else { group.into_iter().map(|result| vec![result]).collect() }
    });
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
        rows: groups.map(|group| row(&group)).collect(),
        notes: vec![say!(cx.m, "note-design-effect")],
    }
}
