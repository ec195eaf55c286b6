//! Whether what was sent is what was accepted, stored and answered: counts side by side, and the verdicts on them.

use super::{legs, verdicts};
use crate::document::{Block, Cell, CellKind, Column, NoteKind, Row, Section, Table};
use crate::input::{Context, ScenarioContext, is_in_scenario};
use crate::messages::say;
use judge::RequirementResult;

/// The part.
pub(super) fn reconciliation(cx: &Context<'_>, scenario: &ScenarioContext<'_>, anchor: &str) -> Section {
    let mut part = Section::new(format!("{anchor}-reconciliation"), say!(cx.m, "reconciliation-title"));
    part.say(say!(cx.m, "reconciliation-intro"));
    // Where the scenario's legs are a part of this report, their table stands there.
    if !(cx.chosen_or_usual("results", "legs") && legs::has_legs(scenario)) {
        part.add(Block::Table(legs::table(cx, scenario, &format!("{anchor}-reconciliation-legs"))));
    }
    let results: Vec<RequirementResult> = cx
        .input
        .judgement
        .requirements
        .iter()
        .filter(|result| is_in_scenario(&result.scope, scenario.name) && joins_counts(&result.rule))
        .cloned()
        .collect();
    if results.is_empty() {
        part.add(Block::Note { kind: NoteKind::Missing, text: say!(cx.m, "reconciliation-none") });
    } else {
        part.add(Block::Table(table(cx, scenario, &results, &format!("{anchor}-reconciliation-table"))));
    }
    part
}

/// Whether a rule sets counts equal: `count(a) = count(b)`.
fn joins_counts(rule: &str) -> bool {
    rule.split_once(" = ").is_some_and(|(left, right)| left.contains("count(") && right.contains("count("))
}

fn table(cx: &Context<'_>, scenario: &ScenarioContext<'_>, results: &[RequirementResult], name: &str) -> Table {
    // Every place has counts of its own, so none of them are put together.
    let row = |first: &RequirementResult| {
        let word = say!(cx.m, "verdict-word", verdict = first.verdict.name());
        Row::new(vec![
            Cell { text: word, kind: CellKind::Verdict(first.verdict), ..Cell::default() },
            Cell::code(&first.id).with_detail(crate::number::clean(&first.rule)),
            Cell::code(&first.scope),
            verdicts::measured_of(cx, &[first]),
            Cell::text(cx.reason(&first.reason)),
        ])
    };
    Table {
        name: name.to_owned(),
        caption: say!(cx.m, "table-reconciliation", scenario = scenario.name),
        columns: vec![
            Column::text(say!(cx.m, "col-verdict")),
            Column::text(say!(cx.m, "col-requirement")),
            Column::text(say!(cx.m, "col-where")),
            Column::number(say!(cx.m, "col-measured"), ""),
            Column::text(say!(cx.m, "col-reason")),
        ],
        rows: results.iter().map(row).collect(),
        notes: vec![say!(cx.m, "note-reconciliation")],
    }
}

#[cfg(test)]
mod tests {
    use super::joins_counts;

    #[test]
    fn only_rules_that_set_counts_equal_reconcile() {
        assert!(joins_counts("count(ping.accepted) = count(store.pings) = count(store.pongs) per stream"));
        assert!(!joins_counts("count(ping.failed) = 0") && !joins_counts("count(a) <= count(b)"));
    }
}
