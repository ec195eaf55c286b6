//! Resource use by workload: the main series of every monitor, a line for each instance, a column for each workload.

use super::watched::{OWN, is_generator, monitors};
use crate::charts::{self, Series};
use crate::document::{Cell, Column, Detail, Row, Table};
use crate::input::{Context, ScenarioContext};
use crate::messages::say;
use crate::number::clean;
use contract::Role;
use judge::views::MetricView;

/// Workloads side by side; more would be a table that nobody can read.
const WORKLOADS_MAX: usize = 10;
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
    let rows: Vec<Row> = main_series(cx).into_iter().filter_map(|view| row(cx, &workloads, view)).collect();
    let mut columns = vec![Column::text(say!(cx.m, "col-metric")), Column::number(say!(cx.m, "col-idle"), "")];
    columns.extend(workloads.iter().map(|(name, _)| Column::number(clean(name), "")));
    (!rows.is_empty()).then(|| Table {
        name: "resources-by-workload".to_owned(),
        caption: say!(cx.m, "table-resources-by-workload"),
        columns,
        rows,
        notes: vec![say!(cx.m, "note-resources-by-workload")],
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

/// Mean and greatest value of the judged parts of each workload, all repetitions together; `None` where nothing was
/// measured, or nothing but zero.
fn row(cx: &Context<'_>, workloads: &[(&str, Vec<&ScenarioContext<'_>>)], view: &MetricView) -> Option<Row> {
    let mut idle = Vec::new();
    let mut cells = Vec::new();
    let mut greatest = 0.0f64;
    for (_, scenarios) in workloads {
        let series: Vec<Series<'_>> = scenarios.iter().map(|scenario| Series::of(cx, scenario, view)).collect();
        idle.extend(series.iter().filter_map(|series| series.idle));
        let held: Vec<f64> = series.iter().flat_map(|series| series.held.iter().copied()).collect();
        let Some(max) = held.iter().copied().reduce(f64::max) else {
            cells.push(Cell::missing());
            continue;
        };
        greatest = greatest.max(max.abs());
        let mean = charts::mean(&held);
        let cell = Cell::number(charts::quantity(cx, view, mean), mean);
        cells.push(cell.with_detail_of(Detail::Greatest(max), charts::quantity(cx, view, max)));
    }
    let before = match idle.is_empty() {
        true => Cell::missing(),
        false => Cell::number(charts::quantity(cx, view, charts::mean(&idle)), charts::mean(&idle)),
    };
    let mut all = vec![Cell::code(view.name()).with_detail(clean(&view.instance)), before];
    all.extend(cells);
    (greatest > 0.0).then(|| Row::new(all))
}
