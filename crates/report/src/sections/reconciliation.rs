//! Whether what was sent is what was accepted, stored and answered: counts side by side, and the verdicts on them.

use super::legs;
use crate::document::{Block, Cell, CellKind, Column, NoteKind, Row, Section, Table};
use crate::input::{Context, ScenarioContext, is_in_scenario};
use crate::messages::say;
use crate::verdict_words::{is_counted, measured_of, places, together};
use judge::RequirementResult;

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
        .filter(|result| is_in_scenario(&result.scope, scenario.name) && is_counted(result))
        .cloned()
        .collect();
    if results.is_empty() {
        part.add(Block::Note { kind: NoteKind::Missing, text: say!(cx.m, "reconciliation-none") });
    } else {
        let each = table(cx, scenario, each_place(&results), &format!("{anchor}-reconciliation-table"));
        let groups = together(&results);
        // Many streams whose counts agree are one line; each has its own in the table below.
        if groups.len() < each.rows.len() {
            let name = format!("{anchor}-reconciliation-sums");
            let sums = Table {
                caption: say!(cx.m, "table-reconciliation-sums", scenario = scenario.name),
                ..table(cx, scenario, groups, &name)
            };
            part.add(Block::Table(sums));
            part.add(Block::raw(each));
        } else {
            part.add(Block::Table(each));
        }
    }
    part
}

/// What has a line of its own.
fn each_place(results: &[RequirementResult]) -> Vec<Vec<&RequirementResult>> {
    // Every place has counts of its own, so none of them are put together; but for those whose verdict is withheld for
    // one reason although their counts agree.
    let is_withheld = |result: &&RequirementResult| {
        !["counts_differ", "reconciled"].contains(&result.reason.code.as_str()) && result.value == result.limit
    };
    let (withheld, own): (Vec<_>, Vec<_>) = results.iter().partition(is_withheld);
    own.into_iter().map(|result| vec![result]).chain(together(withheld)).collect()
}

fn table(cx: &Context<'_>, scenario: &ScenarioContext<'_>, groups: Vec<Vec<&RequirementResult>>, name: &str) -> Table {
    let row = |group: Vec<&RequirementResult>| {
        let first = group[0];
        let word = say!(cx.m, "verdict-word", verdict = first.verdict.name());
        Row::new(vec![
            Cell { text: word, kind: CellKind::Verdict(first.verdict), ..Cell::default() },
            Cell::code(&first.id).with_detail(crate::number::clean(&first.rule)),
            if group.len() == 1 { Cell::code(&first.scope) } else { Cell::text(places(cx, &group)) },
            measured_of(cx, &group),
            super::verdicts::of_first(cx, &group),
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
        rows: groups.into_iter().map(row).collect(),
        notes: vec![say!(cx.m, "note-reconciliation")],
    }
}
