//! How much was stored when each scenario began, and when it ended: a result without it cannot be compared with another.

use super::watched::is_generator;
use crate::document::{Block, Cell, Column, Row, Section, Table};
use crate::input::{Context, ScenarioContext};
use crate::messages::say;
use contract::Role;
use judge::Arg;
use judge::views::MetricView;
use std::ops::Range;
use terms::Nanos;

/// The part; `None` where nothing that is stored was watched.
pub(super) fn stored(cx: &Context<'_>) -> Option<Section> {
    let is_stored = |view: &&MetricView| {
        let metric = view.monitor.metrics.get(view.metric);
        // A count of what is through says how much has come into the store since its server began to count.
        let closes = |metric: &str| {
            let mut counted = cx.input.head.exchanges.iter().flat_map(|exchange| &exchange.counted);
            counted.any(|leg| leg.monitor == view.monitor.name && leg.metric == metric)
        };
        let is_level = |metric: &record::MetricHead| metric.kind == "gauge" && metric.role == Role::Stored.name();
        metric.is_some_and(|metric| is_level(metric) || closes(&metric.name)) && !is_generator(view)
    };
    let views: Vec<&MetricView> = cx.input.views.metrics.iter().filter(is_stored).collect();
    let scenarios = cx.scenarios();
    let mut rows = Vec::new();
    let mut last: Vec<Option<f64>> = vec![None; views.len()];
    for (number, scenario) in scenarios.iter().enumerate() {
        // What was read when all was over belongs to what came before it.
        let until = scenarios.get(number + 1).map_or(Nanos(i64::MAX), |next| next.from);
        for (view, last) in views.iter().zip(&mut last) {
            let Some((start, end)) = ends(scenario.from..until, view) else { continue };
            // What stays as the row before it ended says nothing more.
            if *last != Some(start) || start != end {
                rows.push(row(cx, scenario, view, (start, end)));
            }
            *last = Some(end);
        }
    }
    if rows.is_empty() {
        return None;
    }
    let mut part = Section::new("setup-stored", say!(cx.m, "setup-stored"));
    part.add(Block::Table(Table {
        name: "stored".to_owned(),
        caption: say!(cx.m, "table-stored"),
        columns: vec![
            Column::text(say!(cx.m, "col-scenario")),
            Column::text(say!(cx.m, "col-metric")),
            Column::number(say!(cx.m, "col-stored-start"), ""),
            Column::number(say!(cx.m, "col-stored-end"), ""),
        ],
        rows,
        notes: vec![say!(cx.m, "note-stored")],
    }));
    Some(part)
}

/// The last reading before a scenario, or the first within it; and the last within it.
fn ends(scenario: Range<Nanos>, view: &MetricView) -> Option<(f64, f64)> {
    let read = || view.points.iter().filter_map(|(at, value)| Some((*at, (*value)?)));
    let within = |at: Nanos| scenario.start < at && at <= scenario.end;
    let end = read().rfind(|(at, _)| within(*at))?.1;
    let before = read().take_while(|(at, _)| *at <= scenario.start).last();
    let start = before.or_else(|| read().find(|(at, _)| within(*at)))?.1;
    Some((start, end))
}

fn row(cx: &Context<'_>, scenario: &ScenarioContext<'_>, view: &MetricView, (start, end): (f64, f64)) -> Row {
    let is_bytes = view.monitor.metrics.get(view.metric).is_some_and(|metric| metric.unit == "bytes");
    let cell = |value: f64| {
        let arg = if is_bytes { Arg::Bytes(value) } else { Arg::Count(value) };
        Cell::number(cx.m.numbers.arg(&arg), value)
    };
    let name = match view.instance.is_empty() {
        true => view.name(),
        false => format!("{} {}", view.name(), view.instance),
    };
    Row::new(vec![Cell::code(scenario.name), Cell::code(name), cell(start), cell(end)])
}
