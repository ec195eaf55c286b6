//! What a limit of a store is a limit of: its disk, its own memory, its indexes. A count of rows alone is not a property of a
//! product.

use super::setup::in_bytes;
use crate::document::{Block, Cell, Column, NoteKind, Row, Table};
use crate::input::{Context, ScenarioContext, is_in_scenario};
use crate::messages::say;
use contract::FactRole;
use study::rule::Function;

/// What has to be known of a store whose limit is printed, each with the message that names it.
const NEEDED: [(FactRole, &str); 3] = [
    (FactRole::Disk, "store-limit-disk"),
    (FactRole::OwnMemory, "store-limit-memory"),
    (FactRole::Indexes, "store-limit-indexes"),
];

/// The captured facts, and what of them is missing; nothing where the scenario has no limit.
pub(super) fn blocks(cx: &Context<'_>, scenario: &ScenarioContext<'_>, name: &str) -> Vec<Block> {
    if !has_limit(cx, scenario) {
        return Vec::new();
    }
    let head = cx.input.head;
    let roles = [FactRole::Server].into_iter().chain(NEEDED.map(|(role, _)| role));
    let row = |fact: &(String, String, String)| {
        let value = Cell::code(in_bytes(cx, fact));
        Row::new(vec![Cell::code(&fact.0), Cell::text(cx.fact_word(&fact.0, &fact.1)), value])
    };
    let rows: Vec<Row> = roles.flat_map(|role| head.facts_of(role)).map(row).collect();
    let is_missing = |(role, _): &&(FactRole, &str)| head.facts_of(*role).next().is_none();
    let missing: Vec<String> = NEEDED.iter().filter(is_missing).map(|(_, key)| cx.m.text(key, &[])).collect();
    let mut blocks = Vec::new();
    if !rows.is_empty() {
        blocks.push(Block::Table(Table {
            name: name.to_owned(),
            caption: say!(cx.m, "table-store-limit", scenario = scenario.name),
            columns: vec![
                Column::text(say!(cx.m, "col-subject")),
                Column::text(say!(cx.m, "col-property")),
                Column::text(say!(cx.m, "col-value")),
            ],
            rows,
            notes: vec![say!(cx.m, "note-store-limit")],
        }));
    }
    if !missing.is_empty() {
        let text = say!(cx.m, "store-limit-missing", what = &missing.join(", "));
        blocks.push(Block::Note { kind: NoteKind::Missing, text });
    }
    blocks
}

/// Whether a fall was found in the scenario, or a requirement asks for the count at which one comes.
fn has_limit(cx: &Context<'_>, scenario: &ScenarioContext<'_>) -> bool {
    let findings = cx.input.judgement.findings.iter();
    let is_found = findings
        .filter(|finding| finding.rule() == "DROP")
        .any(|finding| is_in_scenario(&finding.scope, scenario.name));
    let requirements = cx.input.study.map(|study| study.requirements.as_slice()).unwrap_or_default();
    let mut applied = requirements.iter().flat_map(|requirement| &requirement.applies);
    let is_asked = applied.any(|applies| {
        let mut statistics = applies.rule.clauses.iter().flat_map(study::rule::Clause::statistics);
        applies.scenario == usize::from(scenario.index)
            && statistics.any(|statistic| statistic.function == Function::DropAt)
    });
    is_found || is_asked
}
