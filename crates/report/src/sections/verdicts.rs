//! Verdict tables: the short one of the summary, and the full one of each scenario.

use crate::document::{Block, Cell, CellKind, Column, Detail, Row, Table};
use crate::input::{Context, is_in_scenario};
use crate::messages::say;
use crate::verdict_words::{by_requirement, limit_of, measured_of, reason_of};
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

/// The requirement in words, and why where it is not met or undecided. Rules stand among the criteria, where a report has
/// those.
fn with_reason(cx: &Context<'_>, group: &[&RequirementResult]) -> Cell {
    let mut cell = in_words(cx, group[0]);
    if cx.chosen_or_usual("introduction", "criteria") {
        cell.detail.clear();
    }
    if group[0].verdict == Verdict::Met {
        return cell;
    }
    let reason = reason_of(cx, group);
    let detail = if cell.detail.is_empty() { reason } else { format!("{}: {reason}", cell.detail) };
    cell.with_detail(detail)
}

/// The requirements in short, a row for each; the rest of its verdicts are in [`each`].
pub(crate) fn short_table(cx: &Context<'_>, name: &str) -> Table {
    let judged = by_requirement(cx.input.study, cx.told_requirements());
    let mut notes = vec![say!(cx.m, "note-verdicts")];
    if judged.iter().any(|one| one.all.len() > 1) {
        notes.push(say!(cx.m, "note-verdicts-worst"));
    }
    if judged.iter().any(|one| one.is_any) {
        notes.push(say!(cx.m, "note-verdicts-any"));
    }
    let rows = judged.iter().map(|one| short_row(cx, &one.worst, one.place(cx)));
    Table {
        name: name.to_owned(),
        caption: say!(cx.m, "table-verdicts"),
        columns: short_columns(cx),
        rows: rows.collect(),
        notes,
    }
}

/// Every verdict in short, folded; nothing where each requirement has one.
pub(crate) fn each(cx: &Context<'_>, name: &str) -> Option<Block> {
    let results = &cx.input.judgement.requirements;
    let is_more = by_requirement(cx.input.study, results).iter().any(|one| one.all.len() > 1);
    let row = |result: &RequirementResult| short_row(cx, &[result], Cell::code(&result.scope));
    is_more.then(|| {
        Block::folded(Block::Table(Table {
            name: name.to_owned(),
            caption: say!(cx.m, "table-verdicts-each"),
            columns: short_columns(cx),
            rows: results.iter().map(row).collect(),
            notes: Vec::new(),
        }))
    })
}

/// A narrow window shows the first columns: what was measured stands beside its limit there.
fn short_columns(cx: &Context<'_>) -> Vec<Column> {
    vec![
        Column::text(say!(cx.m, "col-verdict")),
        Column::text(say!(cx.m, "col-requirement")),
        Column::number(say!(cx.m, "col-measured"), ""),
        Column::number(say!(cx.m, "col-limit"), ""),
        Column::text(say!(cx.m, "col-in-words")),
        Column::text(say!(cx.m, "col-where")),
    ]
}

fn short_row(cx: &Context<'_>, group: &[&RequirementResult], place: Cell) -> Row {
    let first = group[0];
    let severity = say!(cx.m, "severity-word", severity = first.severity.name());
    Row::new(vec![
        verdict_cell(cx, first),
        Cell::code(&first.id).with_detail_of(Detail::Severity, severity),
        measured_of(cx, group),
        limit_of(cx, group),
        with_reason(cx, group),
        place,
    ])
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

/// The requirements of one scenario with reasons, sample counts and design effects, a row for each; and, folded, a row for
/// each of their places, where there are more.
pub(crate) fn full_tables(cx: &Context<'_>, scenario: &str, name: &str) -> Vec<Block> {
    let is_here = |result: &&RequirementResult| is_in_scenario(&result.scope, scenario);
    let results: Vec<&RequirementResult> = cx.input.judgement.requirements.iter().filter(is_here).collect();
    let judged = by_requirement(cx.input.study, results.iter().copied());
    let table = |name: String, caption: String, rows: Vec<Row>| Table {
        name,
        caption,
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
        rows,
        notes: vec![say!(cx.m, "note-design-effect")],
    };
    let own = judged.iter().map(|one| full_row(cx, &one.worst, one.place(cx))).collect();
    let caption = say!(cx.m, "table-verdicts-full", scenario = scenario);
    let mut blocks = vec![Block::Table(table(format!("{name}-table"), caption, own))];
    if judged.iter().any(|one| one.all.len() > 1) {
        let each = results.iter().map(|result| full_row(cx, &[result], Cell::code(&result.scope))).collect();
        let caption = say!(cx.m, "table-verdicts-full-each", scenario = scenario);
        blocks.push(Block::folded(Block::Table(table(format!("{name}-each"), caption, each))));
    }
    if judged.is_empty() { Vec::new() } else { blocks }
}

/// The reason of a group of places; where there are several, it is that of the first.
pub(super) fn of_first(cx: &Context<'_>, group: &[&RequirementResult]) -> Cell {
    let cell = Cell::text(reason_of(cx, group));
    if group.len() > 1 { cell.with_detail(say!(cx.m, "open-points-first")) } else { cell }
}

fn full_row(cx: &Context<'_>, group: &[&RequirementResult], place: Cell) -> Row {
    let result = group[0];
    let behind: u64 = group.iter().map(|result| result.sample_count).sum();
    let place = [place.text, place.detail].into_iter().filter(|text| !text.is_empty()).collect::<Vec<_>>().join("; ");
    Row::new(vec![
        verdict_cell(cx, result),
        Cell::code(&result.id).with_detail(place),
        severity_cell(cx, result),
        measured_of(cx, group),
        limit_of(cx, group),
        Cell::number(cx.m.numbers.count(behind as f64), behind as f64),
        effect_cell(cx, result),
        of_first(cx, group),
    ])
}
