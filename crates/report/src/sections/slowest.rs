//! The slowest calls of a scenario's holds, one by one: when each began, how it ended, and by which trace the system knows
//! it.

use crate::charts;
use crate::document::{Block, Cell, Column, Row, Table};
use crate::input::{Context, ScenarioContext, leg_title};
use crate::messages::say;
use crate::number::clean;
use judge::{ExchangeResult, SlowCall, StepResult};
use record::SLOWEST_MAX;
use std::cmp::Reverse;
use std::collections::BTreeMap;
use terms::iso;

/// The table, folded; `None` where no call was kept.
pub(super) fn table(cx: &Context<'_>, scenario: &ScenarioContext<'_>, name: &str) -> Option<Block> {
    let rows = rows(scenario);
    if rows.is_empty() {
        return None;
    }
    let has_traces = rows.iter().any(|(_, _, call)| call.trace.is_some());
    let mut columns = vec![
        Column::text(say!(cx.m, "col-exchange")),
        Column::number(say!(cx.m, "col-run-time"), "min:s"),
        Column::number(say!(cx.m, "col-time"), "ms"),
        Column::text(say!(cx.m, "col-outcome")),
    ];
    if has_traces {
        columns.push(Column::text(say!(cx.m, "col-trace")));
    }
    let has_steps = scenario.holds().count() > 1;
    if has_steps {
        columns.insert(0, Column::text(say!(cx.m, "col-step")));
    }
    let row = |(step, exchange, call): &(&StepResult, &str, &SlowCall)| {
        let mut cells = vec![Cell::code(leg_title(exchange, &call.leg)), moment(cx, call), time(cx, call)];
        cells.push(Cell::text(outcome(cx, call)));
        if has_traces {
            cells.push(trace(cx, call));
        }
        if has_steps {
            cells.insert(0, Cell::code(&step.id));
        }
        Row::new(cells)
    };
    let is_cut_off = rows.iter().any(|(_, _, call)| call.is_at_least);
    let mut notes = vec![say!(cx.m, "note-slowest", most = SLOWEST_MAX, measure = scenario.measure())];
    if is_cut_off {
        notes.push(say!(cx.m, "note-slowest-cut-off"));
    }
    Some(Block::folded(Block::Table(Table {
        name: name.to_owned(),
        caption: say!(cx.m, "table-slowest", scenario = scenario.name),
        columns,
        rows: rows.iter().map(row).collect(),
        notes,
    })))
}

/// Of each exchange the slowest of all its legs and all holds, the slowest first; exchanges in the order of the study.
fn rows<'a>(scenario: &ScenarioContext<'a>) -> Vec<(&'a StepResult, &'a str, &'a SlowCall)> {
    let mut order: Vec<&str> = Vec::new();
    let mut found: BTreeMap<&str, Vec<(&'a StepResult, &'a str, &'a SlowCall)>> = BTreeMap::new();
    for (_, result) in scenario.holds() {
        let Some(step) = result else { continue };
        for ExchangeResult { id, slowest, .. } in step.exchanges.iter().chain(&step.transactions) {
            if !order.contains(&id.as_str()) {
                order.push(id);
            }
            found.entry(id).or_default().extend(slowest.iter().map(|call| (step, id.as_str(), call)));
        }
    }
    let of_exchange = |id: &str| {
        let mut calls = found.remove(id).unwrap_or_default();
        calls.sort_by_key(|(_, _, call)| (Reverse(call.time), call.at));
        calls.truncate(SLOWEST_MAX);
        calls
    };
    order.into_iter().flat_map(of_exchange).collect()
}

/// By the run's clock, and by the clock on the wall, as the system's own logs have it.
fn moment(cx: &Context<'_>, call: &SlowCall) -> Cell {
    let cell = charts::moment(call.at.as_secs_f64());
    match cx.input.head.wall_origin_ns {
        0 => cell,
        origin => cell.with_detail(iso::millis(terms::Nanos(origin.saturating_add(call.at.0)))),
    }
}

fn time(cx: &Context<'_>, call: &SlowCall) -> Cell {
    let value = call.time.as_millis_f64();
    let cell = Cell::number(cx.m.numbers.value(value), value);
    if call.is_at_least { cell.at_least() } else { cell }
}

fn outcome(cx: &Context<'_>, call: &SlowCall) -> String {
    match call.outcome.as_str() {
        "ok" => say!(cx.m, "outcome-word", outcome = "ok"),
        class => say!(cx.m, "class-word", class = class),
    }
}

fn trace(cx: &Context<'_>, call: &SlowCall) -> Cell {
    let Some(trace) = &call.trace else { return Cell::missing() };
    let traces = cx.input.study.and_then(|study| study.traces.as_ref());
    Cell::code(trace).linked(traces.and_then(|traces| traces.link_of(&clean(trace))))
}
