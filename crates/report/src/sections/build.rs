//! A run in a screen and a half, for the page of a build: what failed, each requirement, what disturbed it, the figures.

use super::{comparison, glance, overview, results, summary, title, verdicts};
use crate::compare_headline;
use crate::document::{Block, CellKind, Document, Row, Section, Table, TitleBlock};
use crate::frame::frame;
use crate::input::Context;
use crate::messages::say;
use crate::number::clean;
use judge::Gravity;
use terms::Verdict;

/// Requirements in the table, what is not met first; the report has all.
const REQUIREMENTS: usize = 12;
/// Where the table of requirements has their words and why they are not met.
const IN_WORDS: usize = 4;
/// Rows of the table of figures.
const FIGURES: usize = 8;
/// Its columns, by their place in the table of the report: where, calls, p50, p95, p99, failed, rate.
const COLUMNS: [usize; 8] = [0, 1, 2, 4, 5, 6, 8, 9];
/// Findings, one line each.
const FINDINGS: usize = 3;
/// Reasons beside the validity.
const REASONS: usize = 3;
/// Sides of comparisons that are told of.
const COMPARED: usize = 4;

/// The blocks under one heading, which is the study's title with the mark of what it came to. `report` is the file in which
/// the whole report is, where there is one.
pub(crate) fn for_a_build(cx: &Context<'_>, report: Option<&str>) -> Document {
    let mut section = Section::new("build", format!("{} {}", mark(cx), title::title(cx).title));
    section.blocks = overview::opening(cx);
    section.add(shortened(cx, summary::validity(cx)));
    if !cx.input.judgement.requirements.is_empty() {
        section.add(Block::Table(requirements(cx)));
    }
    section.blocks.extend(figures(cx).map(Block::Table));
    let found = findings(cx);
    if !found.is_empty() {
        section.add(Block::Points(found));
    }
    let compared = compared(cx);
    if !compared.is_empty() {
        section.add(Block::Points(compared));
    }
    let run = clean(&cx.input.head.id);
    section.say(match report {
        Some(report) => say!(cx.m, "build-report", run = &run, report = report),
        None => say!(cx.m, "build-run", run = &run),
    });
    let facts = title::run_facts(cx);
    Document { language: cx.m.language, title: TitleBlock::default(), sections: vec![section], frame: frame(cx, facts) }
}

/// The mark of the whole: that of the gravest verdict on a mandatory requirement; of a run that decides nothing `?`.
fn mark(cx: &Context<'_>) -> &'static str {
    let mut all = cx.deciding();
    all.retain(|result| result.severity == terms::Severity::Must);
    let has = |verdict: Verdict| all.iter().any(|result| result.verdict == verdict);
    let is_met = !all.is_empty() && cx.input.judgement.validity != terms::Validity::Invalid;
    crate::marks::glyph(match () {
        () if has(Verdict::NotMet) => Verdict::NotMet,
        () if !is_met || has(Verdict::CannotTell) => Verdict::CannotTell,
        () => Verdict::Met,
    })
}

/// Validity with few reasons.
fn shortened(cx: &Context<'_>, block: Block) -> Block {
    let Block::Validity { state, word, text, mut reasons } = block else { return block };
    let left = reasons.len().saturating_sub(REASONS);
    if left > 0 {
        reasons.truncate(REASONS);
        reasons.push(say!(cx.m, "build-more", left = left));
    }
    Block::Validity { state, word, text, reasons }
}

/// The requirements, what is not met first.
fn requirements(cx: &Context<'_>) -> Table {
    let mut table = verdicts::short_table(cx, "build-verdicts");
    let rank = |row: &Row| match row.cells.first().map(|cell| cell.kind) {
        Some(CellKind::Verdict(Verdict::NotMet)) => 0,
        Some(CellKind::Verdict(Verdict::CannotTell)) => 1,
        _ => 2,
    };
    table.rows.sort_by_key(rank);
    short(cx, &mut table, REQUIREMENTS);
    say_once(cx, &mut table);
    table
}

/// Leaves out of a requirement's words a reason that the row above has too.
fn say_once(cx: &Context<'_>, table: &mut Table) {
    let mut above = String::new();
    for cell in table.rows.iter_mut().filter_map(|row| row.cells.get_mut(IN_WORDS)) {
        if !above.is_empty() && cell.detail == above {
            cell.detail = say!(cx.m, "build-same");
        } else {
            above.clone_from(&cell.detail);
        }
    }
}

/// Calls, percentiles, failures and rate of each exchange.
fn figures(cx: &Context<'_>) -> Option<Table> {
    let mut table = glance::table(cx, false)?;
    let columns = std::mem::take(&mut table.columns);
    table.columns = COLUMNS.iter().filter_map(|at| columns.get(*at).cloned()).collect();
    for row in &mut table.rows {
        let cells = std::mem::take(&mut row.cells);
        row.cells = COLUMNS.iter().filter_map(|at| cells.get(*at).cloned()).collect();
    }
    short(cx, &mut table, FIGURES);
    Some(table)
}

/// The first rows; how many there are besides instead of the notes.
fn short(cx: &Context<'_>, table: &mut Table, rows: usize) {
    let left = table.rows.len().saturating_sub(rows);
    table.rows.truncate(rows);
    table.notes = if left > 0 { vec![say!(cx.m, "build-more", left = left)] } else { Vec::new() };
}

/// What the rules found that changes how the figures read, one line a rule.
fn findings(cx: &Context<'_>) -> Vec<String> {
    let is_grave = |found: &&judge::Finding| found.severity >= Gravity::Warning && results::is_told(cx, found);
    let rules = summary::by_rule(cx.input.judgement.findings.iter().filter(is_grave));
    let line = |found: &Vec<&judge::Finding>| {
        let (seen, _) = cx.finding(found[0]);
        format!("{} {}: {seen}", found[0].id, found[0].rule())
    };
    let mut lines: Vec<String> = rules.iter().take(FINDINGS).map(line).collect();
    let left = rules.len().saturating_sub(FINDINGS);
    if left > 0 {
        lines.push(say!(cx.m, "build-more", left = left));
    }
    lines
}

/// What the study's own comparisons came to, its baselines among them: what changed most, and how many rows of each kind.
fn compared(cx: &Context<'_>) -> Vec<String> {
    let all = &cx.input.judgement.comparisons;
    let mut told: Vec<String> = all.iter().flat_map(|comparison| comparison::verdicts(&cx.m, comparison)).collect();
    let pairs = all.iter().flat_map(|comparison| &comparison.pairs).filter(|pair| !pair.rows.is_empty());
    for (line, pair) in told.iter_mut().zip(pairs) {
        *line = format!("{line} {}", compare_headline::sentence(&cx.m, pair));
    }
    let left = told.len().saturating_sub(COMPARED);
    if left > 0 {
        told.truncate(COMPARED);
        told.push(say!(cx.m, "build-more", left = left));
    }
    told
}
