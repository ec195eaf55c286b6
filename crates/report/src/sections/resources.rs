//! Resource use by workload: the main series of every monitor, a line for each instance, a column for each workload.

use super::watched::{OWN, is_generator, monitors};
use crate::charts::{self, Series};
use crate::document::{Cell, CellKind, Column, Detail, Row, Table};
use crate::input::{Context, ScenarioContext};
use crate::messages::say;
use crate::number::clean;
use contract::Role;
use judge::views::MetricView;
use std::collections::BTreeSet;

/// Workloads side by side; more would be a table that nobody can read.
const WORKLOADS_MAX: usize = 10;
/// Place of the cell with the level before the load.
const BEFORE: usize = 1;
/// Series in the table; all are in the scenarios' own tables.
const ROWS_MAX: usize = 48;

/// The table; `None` with fewer workloads than are wanted, with too many, and where nothing was watched.
pub(super) fn by_workload(cx: &Context<'_>, least: usize) -> Option<Table> {
    let scenarios = cx.scenarios();
    let mut workloads: Vec<(&str, Vec<&ScenarioContext<'_>>)> = Vec::new();
    for scenario in &scenarios {
        let name = scenario.name.split('#').next().unwrap_or_default();
        match workloads.iter_mut().find(|known| known.0 == name) {
            Some(known) => known.1.push(scenario),
            None => workloads.push((name, vec![scenario])),
        }
    }
    if workloads.len() < least || workloads.len() > WORKLOADS_MAX {
        return None;
    }
    let mut rows: Vec<Row> = main_series(cx).into_iter().filter_map(|view| row(cx, &workloads, view)).collect();
    let mut columns = vec![Column::text(say!(cx.m, "col-metric"))];
    let mut notes = vec![say!(cx.m, "note-resources-by-workload")];
    if rows.iter().any(|row| row.cells[BEFORE].kind != CellKind::Missing) {
        columns.push(Column::number(say!(cx.m, "col-idle"), ""));
        notes.push(say!(cx.m, "note-resources-before"));
    } else {
        // Without a phase before the load there is nothing to put beside it.
        rows.iter_mut().for_each(|row| drop(row.cells.remove(BEFORE)));
    }
    columns.extend(workloads.iter().map(|(name, _)| Column::number(clean(name), "")));
    (!rows.is_empty()).then(|| Table {
        name: "resources-by-workload".to_owned(),
        caption: say!(cx.m, "table-resources-by-workload"),
        columns,
        rows,
        notes,
    })
}

/// The series that have a figure of their own in each scenario, by metric and then by instance.
fn main_series<'a>(cx: &Context<'a>) -> Vec<&'a MetricView> {
    let watched = || cx.input.views.metrics.iter().filter(|view| !is_generator(view));
    let monitors = monitors(cx);
    let mut found = Vec::new();
    for roles in OWN {
        for monitor in monitors.iter().copied() {
            let of = || watched().filter(move |view| view.monitor.name == monitor);
            let first = |role: &Role| of().find(|view| charts::metric_role(view) == Some(*role));
            let Some(metric) = roles.iter().find_map(first).map(charts::metric_name) else { continue };
            found.extend(of().filter(|view| charts::metric_name(view) == metric));
        }
    }
    found.truncate(ROWS_MAX);
    found
}

/// The unit behind a number, where it stands apart from it.
fn unit_of(text: &str) -> &str {
    text.rsplit_once(['\u{a0}', ' ']).map_or("", |(_, unit)| unit)
}

/// Mean and greatest value of the judged parts of each workload, all repetitions together; `None` where nothing was
/// measured, or nothing but zero.
fn row(cx: &Context<'_>, workloads: &[(&str, Vec<&ScenarioContext<'_>>)], view: &MetricView) -> Option<Row> {
    let mut idle = Vec::new();
    let mut levels = Vec::new();
    for (_, scenarios) in workloads {
        let series: Vec<Series<'_>> = scenarios.iter().map(|scenario| Series::of(cx, scenario, view)).collect();
        idle.extend(series.iter().filter_map(|series| series.idle));
        let held: Vec<f64> = series.iter().flat_map(|series| series.held.iter().copied()).collect();
        levels.push(held.iter().copied().reduce(f64::max).map(|max| (charts::mean(&held), max)));
    }
    let greatest = levels.iter().flatten().fold(0.0f64, |greatest, (_, max)| greatest.max(max.abs()));
    let shown = |value: f64| charts::quantity_beside(cx, view, value, greatest);
    let before = (!idle.is_empty()).then(|| charts::mean(&idle));
    // The row's unit stands with its name: in a dozen columns there is no room for it.
    let values = levels.iter().flatten().flat_map(|(mean, max)| [*mean, *max]).chain(before);
    let units: BTreeSet<String> = values.map(|value| unit_of(&shown(value)).to_owned()).collect();
    let unit = units.first().filter(|_| units.len() == 1).cloned().unwrap_or_default();
    let bare = |value: f64| shown(value).trim_end_matches(unit.as_str()).trim_end().to_owned();
    let cell = |level: Option<(f64, f64)>| {
        level.map_or_else(Cell::missing, |(mean, max)| {
            Cell::number(bare(mean), mean).with_detail_of(Detail::Greatest(max), bare(max))
        })
    };
    let of: Vec<String> = [clean(&view.instance), unit.clone()].into_iter().filter(|text| !text.is_empty()).collect();
    let mut cells = vec![
        Cell::code(view.name()).with_detail(of.join(", ")),
        before.map_or_else(Cell::missing, |before| Cell::number(bare(before), before)),
    ];
    cells.extend(levels.into_iter().map(cell));
    (greatest > 0.0).then(|| Row::new(cells))
}
