//! The table of test runs: what was carried out, with which load, when and for how long.

use crate::charts::phase_name;
use crate::document::{Cell, CellKind, Column, Row, Table};
use crate::input::Context;
use crate::messages::say;
use judge::{Arg, WireValidity};
use terms::{Phase, Validity};

/// A step, with its part of a mix.
fn step_title(cx: &Context<'_>, phase: Phase, result: &judge::StepResult) -> String {
    let name = phase_name(cx, phase, &result.id);
    result.part.as_ref().map_or(name.clone(), |part| format!("{} · {name}", crate::number::clean(part)))
}

/// A row for each judged step; `None` when there was none.
pub(super) fn table(cx: &Context<'_>) -> Option<Table> {
    let mut rows = Vec::new();
    for scenario in cx.scenarios() {
        for (step, result) in scenario.holds() {
            let Some(result) = result else { continue };
            let number = rows.len() + 1;
            rows.push(Row::new(vec![
                Cell::number(number.to_string(), number as f64),
                Cell::code(scenario.name).with_detail(step_title(cx, step.phase, result)),
                Cell::text(load(cx, step.is_closed, result)),
                Cell::text(cx.m.numbers.arg(&Arg::Seconds(result.seconds))),
                Cell::text(cx.m.numbers.arg(&Arg::Seconds(step.from.as_secs_f64()))),
                count(cx, result.books.started),
                count(cx, result.books.failed),
                validity(cx, result.validity),
            ]));
        }
    }
    (!rows.is_empty()).then(|| Table {
        name: "runs".to_owned(),
        caption: say!(cx.m, "table-runs"),
        columns: vec![
            Column::number("#", ""),
            Column::text(say!(cx.m, "col-scenario")),
            Column::text(say!(cx.m, "col-load")),
            Column::text(say!(cx.m, "col-length")),
            Column::text(say!(cx.m, "col-run-time")),
            Column::number(say!(cx.m, "col-started"), ""),
            Column::number(say!(cx.m, "col-failed"), ""),
            Column::text(say!(cx.m, "col-validity")),
        ],
        rows,
        notes: vec![say!(cx.m, "note-runs")],
    })
}

fn count(cx: &Context<'_>, count: u64) -> Cell {
    Cell::number(cx.m.numbers.count(count as f64), count as f64)
}

/// `3 iterations/s` or `8 users`: what the study asked for.
fn load(cx: &Context<'_>, is_closed: bool, result: &judge::StepResult) -> String {
    if is_closed {
        say!(cx.m, "load-users", users = u64::from(result.users.unwrap_or(0)))
    } else {
        say!(cx.m, "load-rate", asked = Arg::Number(result.offered_per_s).given())
    }
}

fn validity(cx: &Context<'_>, validity: Option<Validity>) -> Cell {
    let Some(validity) = validity else { return Cell::missing() };
    let state = match validity {
        Validity::Valid => WireValidity::Valid,
        Validity::Questionable => WireValidity::Questionable,
        Validity::Invalid => WireValidity::Invalid,
    };
    let text = say!(cx.m, "validity-word", validity = validity.name());
    Cell { text, kind: CellKind::Validity(state), ..Cell::default() }
}
