//! Processor or memory of the system over time, a panel for each cell of a grid, all in one scale.

use super::panels::{Grid as Panels, Panel, PanelLine, columns_for};
use super::series::{Series, axis_unit, metric_role, quantity_beside};
use super::{Words, hue_of, joined, moment, number_row};
use crate::document::{Column, Figure, Table};
use crate::input::{Context, ScenarioContext};
use crate::messages::say;
use crate::number::clean;
use crate::svg::{Scale, Stroke};
use contract::Role;
use judge::assess;
use judge::grids::{Grid, GridCell, GridRole};
use judge::views::MetricView;

/// Panels of one figure.
const PANELS_MAX: usize = 12;
/// Instances with a line of their own in a panel.
const LINES_MAX: usize = 4;

/// A cell with the series of its first repetition.
struct Watched<'a> {
    cell: &'a GridCell,
    scenario: ScenarioContext<'a>,
    series: Vec<Series<'a>>,
}

impl Watched<'_> {
    /// The greatest mean over the judged part that any series of it has.
    fn mean(&self) -> Option<f64> {
        self.series.iter().filter_map(Series::mean).reduce(f64::max)
    }
}

/// The figure of `processor` or `memory`; `None` where nothing of the kind was watched.
pub(crate) fn grid_system(cx: &Context<'_>, grid: &Grid, kind: &str, anchor: &str) -> Option<Box<Figure>> {
    let views =
        watched(cx, if kind == "processor" { &[Role::Processor] } else { &[Role::Memory, Role::MachineMemory] });
    let scenarios = cx.scenarios();
    let all: Vec<Watched<'_>> = chosen(grid)
        .into_iter()
        .filter_map(|cell| {
            let is_first = |known: &&ScenarioContext<'_>| known.name.split('#').next() == Some(cell.scenario.as_str());
            let scenario = scenarios.iter().find(is_first)?.clone();
            let series = views.iter().map(|view| Series::of(cx, &scenario, view)).collect();
            Some(Watched { cell, scenario, series })
        })
        .filter(|watched| watched.mean().is_some())
        .collect();
    let means = |watched: &&Watched<'_>| watched.mean().unwrap_or(0.0);
    let most = all.iter().max_by(|one, other| means(one).total_cmp(&means(other)))?;
    let least = all.iter().min_by(|one, other| means(one).total_cmp(&means(other)))?;
    let view = *views.first()?;
    let greatest = all.iter().flat_map(|watched| &watched.series).flat_map(Series::values).fold(0.0, f64::max);
    let (factor, unit) = axis_unit(cx, view, greatest);
    let y = if unit == "%" {
        Scale::Linear { low: 0.0, high: 100.0 }
    } else {
        Scale::from_zero([greatest * factor].into_iter())
    };
    let panels: Vec<Panel> =
        all.iter().enumerate().map(|(number, one)| panel(cx, grid, one, (factor, y), number == 0)).collect();
    let panels = Panels {
        columns: columns_for(panels.len()),
        height: 92.0,
        panels,
        is_common: true,
        y_title: unit.clone(),
        x_title: say!(cx.m, "axis-time"),
    };
    let canvas = panels.draw_each(cx, &all.iter().map(|watched| &watched.scenario).collect::<Vec<_>>());
    let shown = |watched: &Watched<'_>| quantity_beside(cx, view, means(&watched), means(&most));
    let grows = assess::grows_over_cells(means(&least), means(&most));
    let what = say!(cx.m, "grid-system-word", kind = kind);
    let words = Words {
        anchor: anchor.to_owned(),
        subject: say!(cx.m, "fig-grid-system-what", what = &what, grid = &clean(&grid.name)),
        caption: say!(
            cx.m,
            "fig-grid-system-finds",
            what = &what,
            most = &shown(most),
            cell = &clean(&grid.short_name(most.cell))
        ),
        observation: say!(
            cx.m,
            "fig-grid-system-seen",
            least = &shown(least),
            low = &clean(&grid.short_name(least.cell)),
            most = &shown(most),
            high = &clean(&grid.short_name(most.cell)),
            drawn = all.len(),
            all = grid.cells.len()
        ),
        assessment: say!(
            cx.m,
            if grows { "fig-grid-system-means-grows" } else { "fig-grid-system-means-even" },
            what = &what
        ),
        reading: say!(cx.m, "fig-grid-system-reading"),
        data: table(cx, &panels, &all, (factor, &unit)),
        ..Words::default()
    };
    let svg = canvas.finish(anchor, &words.caption, &words.observation);
    Some(joined(svg, words))
}

/// Series of the first of these roles that was watched of instances; else of the machine. The generator is not part of the
/// system.
fn watched<'a>(cx: &Context<'a>, roles: &[Role]) -> Vec<&'a MetricView> {
    let of = |role: Role, watches: &str| {
        let all = cx.input.views.metrics.iter();
        all.filter(|view| {
            metric_role(view) == Some(role) && view.monitor.watches == watches && view.monitor.kind != "generator"
        })
        .take(LINES_MAX)
        .collect::<Vec<_>>()
    };
    let found = ["instances", "machine"].into_iter().flat_map(|watches| roles.iter().map(move |role| (*role, watches)));
    found.map(|(role, watches)| of(role, watches)).find(|views| !views.is_empty()).unwrap_or_default()
}

/// As many cells as there are panels for: all, or for each value of the load's size that with the most planned.
fn chosen(grid: &Grid) -> Vec<&GridCell> {
    if grid.cells.len() <= PANELS_MAX {
        return grid.cells.iter().collect();
    }
    let Some(size) = grid.variables.iter().position(|variable| variable.role == GridRole::Count) else {
        return grid.cells.iter().take(PANELS_MAX).collect();
    };
    let most = |value: usize| {
        let own = grid.cells.iter().filter(|cell| cell.values[size] == value);
        own.max_by(|one, other| one.offered_per_s.total_cmp(&other.offered_per_s))
    };
    (0..grid.variables[size].values.len()).filter_map(most).take(PANELS_MAX).collect()
}

fn panel(cx: &Context<'_>, grid: &Grid, watched: &Watched<'_>, (factor, y): (f64, Scale), is_first: bool) -> Panel {
    let values: Vec<String> =
        (0..grid.variables.len()).map(|variable| clean(grid.value(watched.cell, variable))).collect();
    let line = |series: &Series<'_>| PanelLine {
        stroke: Stroke::solid(hue_of(cx, &series.view.instance), 1.5),
        points: series.points.iter().map(|(at, value)| (*at, value.map(|value| value * factor))).collect(),
        name: if is_first && watched.series.len() > 1 { clean(&series.view.instance) } else { String::new() },
    };
    Panel {
        title: values.join(", "),
        remark: String::new(),
        lines: watched.series.iter().map(line).collect(),
        idle: None,
        ceiling: None,
        y,
        is_mirrored: false,
    }
}

/// A row for each sample of each cell, with the time since its scenario began.
fn table(cx: &Context<'_>, panels: &Panels, all: &[Watched<'_>], (factor, unit): (f64, &str)) -> Table {
    let names: Vec<String> =
        all.first().map_or_else(Vec::new, |one| one.series.iter().map(|it| clean(&it.view.instance)).collect());
    let mut columns = vec![
        Column { is_number: true, title: say!(cx.m, "col-time"), ..Column::default() },
        Column::text(say!(cx.m, "grid-col-cell")),
    ];
    columns.extend(names.iter().map(|name| super::column(name, unit)));
    let mut rows = Vec::new();
    for watched in all {
        let x = super::time_axis(&watched.scenario);
        let points = watched.series.iter().map(|series| series.points.len()).max().unwrap_or(0);
        for place in 0..points {
            let at = watched.series.iter().find_map(|series| series.points.get(place)).map_or(0.0, |point| point.0);
            let value =
                |series: &Series<'_>| series.points.get(place).and_then(|point| point.1).map(|value| value * factor);
            let values: Vec<Option<f64>> = watched.series.iter().map(value).collect();
            let mut row = number_row(panels.px(x, at), moment(at), &values, cx.m.numbers);
            row.cells.insert(1, crate::document::Cell::code(&watched.cell.scenario));
            // Panels have axes of their own: no one place of the figure is that of a moment.
            row.x = None;
            rows.push(row);
        }
    }
    Table { columns, rows, ..Table::default() }
}
