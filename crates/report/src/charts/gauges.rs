//! One metric of all instances as small multiples in a common scale.

use super::panels::{Grid, Panel, PanelLine, columns_for};
use super::series::{Series, axis_unit, metric_name, metric_role, metric_unit, quantity, quantity_beside};
use super::{Words, column, hue_of, joined, moment, number_row, plain_if, scenario_group, time_axis};
use crate::document::{Column, Figure, Table};
use crate::input::{Context, ScenarioContext};
use crate::messages::say;
use crate::svg::{Scale, Stroke, clock};
use contract::Role;
use judge::Arg;
use judge::assess::{self, Direction, Gauge, Peaks};
use std::collections::BTreeMap;

/// Panels of one figure; the rest is in the table of all series.
const PANELS_MAX: usize = 48;
/// Rules whose findings bear on watched series.
pub(super) const RULES: [&str; 8] = ["CEILING", "LEAK", "SKEW", "NO-RETURN", "SPIKE", "STATE", "DRIFT", "WARM-UP"];

/// All series of a metric in a scenario, the varying ones; instances in the monitor's order.
pub(super) fn series_of<'a>(
    cx: &Context<'a>,
    scenario: &ScenarioContext<'_>,
    monitor: &str,
    metric: &str,
) -> Vec<Series<'a>> {
    let views = cx.input.views.metrics.iter();
    let views = views.filter(|view| view.monitor.name == monitor && metric_name(view) == metric);
    views.map(|view| Series::of(cx, scenario, view)).filter(|series| series.values().nth(1).is_some()).collect()
}

/// Series of a monitor's metrics of a role, with two samples at least.
pub(super) fn series_of_role<'a>(
    cx: &Context<'a>,
    scenario: &ScenarioContext<'_>,
    monitor: &str,
    role: Role,
) -> Vec<Series<'a>> {
    let views = cx.input.views.metrics.iter();
    let views = views.filter(|view| view.monitor.name == monitor && metric_role(view) == Some(role));
    views.map(|view| Series::of(cx, scenario, view)).filter(|series| series.values().nth(1).is_some()).collect()
}

/// Name and values of a metric of which no series moved in a scenario, on one line; `None` where one did, where a finding
/// is about it, and where there is nothing to say.
pub(crate) fn flat(
    cx: &Context<'_>,
    scenario: &ScenarioContext<'_>,
    (monitor, metric): (&str, &str),
) -> Option<String> {
    if !cx.findings_about(scenario.name, &RULES, monitor, &[metric]).is_empty() {
        return None;
    }
    let all = series_of(cx, scenario, monitor, metric);
    let is_flat = |series: &Series<'_>| assess::is_flat(&series.values().collect::<Vec<f64>>());
    let level = |series: &Series<'_>| series.mean().or_else(|| series.max());
    let (low, high) = all
        .iter()
        .filter_map(level)
        .fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), value| (low.min(value), high.max(value)));
    let first = all.first().filter(|_| all.iter().all(is_flat) && low.is_finite())?;
    let (low, high) = (quantity_beside(cx, first.view, low, high), quantity(cx, first.view, high));
    let values = if low == high { high } else { say!(cx.m, "interval", low = &low, high = &high) };
    Some(format!("{} ({}) {values}", cx.metric_word(monitor, metric), crate::number::clean(monitor)))
}

/// Greatest value of a metric in the whole run, so that its figures in all scenarios have one scale.
fn greatest_of_run(cx: &Context<'_>, monitor: &str, metric: &str) -> f64 {
    let views = cx.input.views.metrics.iter();
    let views = views.filter(|view| view.monitor.name == monitor && metric_name(view) == metric);
    views.flat_map(|view| &view.points).filter_map(|point| point.1).fold(0.0, f64::max)
}

/// The figure of a metric; `None` when no series of it has two samples, or none ever changes.
pub(crate) fn gauge(
    cx: &Context<'_>,
    scenario: &ScenarioContext<'_>,
    (monitor, metric): (&str, &str),
    anchor: &str,
) -> Option<Box<Figure>> {
    let mut all = series_of(cx, scenario, monitor, metric);
    if all.iter().all(Series::is_constant) {
        return None;
    }
    let left = all.len().saturating_sub(PANELS_MAX);
    all.truncate(PANELS_MAX);
    let first = all.first()?;
    let greatest = greatest_of_run(cx, monitor, metric);
    let (factor, unit) = axis_unit(cx, first.view, greatest);
    let y = scale(metric_unit(first.view), greatest * factor, &all, factor);
    let panels: Vec<Panel> = all.iter().map(|series| panel(cx, series, factor, y)).collect();
    let columns = columns_for(panels.len());
    let name = cx.metric_word(monitor, metric);
    let grid = Grid {
        columns,
        height: if columns == 1 {
            130.0
        } else if panels.len() > 9 {
            70.0
        } else {
            92.0
        },
        panels,
        is_common: true,
        y_title: if unit.is_empty() { name.clone() } else { format!("{name} ({unit})") },
        x_title: say!(cx.m, "axis-time"),
    };
    let canvas = grid.draw(cx, scenario);
    let most = all.iter().max_by(|a, b| a.mean().unwrap_or(-1.0).total_cmp(&b.mean().unwrap_or(-1.0)))?;
    let mut reading = say!(cx.m, "fig-gauge-reading");
    if all.iter().any(|series| series.idle.is_some()) {
        reading = format!("{reading} {}", say!(cx.m, "fig-gauge-reading-idle"));
    }
    if left > 0 {
        reading = format!("{reading} {}", say!(cx.m, "fig-gauge-reading-left", left = left));
    }
    let (means, is_flat) = assessment(cx, scenario, &all, most);
    // Which instance takes the processor is asked of every run.
    let is_plain = is_flat && metric_role(first.view) != Some(Role::Processor);
    let words = Words {
        anchor: anchor.to_owned(),
        subject: say!(
            cx.m,
            "fig-gauge-what",
            metric = &name,
            monitor = monitor,
            scenario = scenario.name,
            instances = all.len(),
            of = of_what(cx, &all)
        ),
        caption: finds(cx, &name, most, all.len()),
        observation: seen(cx, most, all.len(), of_what(cx, &all)),
        assessment: means,
        reading,
        findings: cx.findings_about(scenario.name, &RULES, monitor, &[metric]),
        group: scenario_group(scenario),
        data: table(cx, scenario, &grid, &titled(&all), factor, &unit),
    };
    let svg = canvas.finish(anchor, &words.caption, &words.observation);
    Some(plain_if(is_plain, joined(svg, words)))
}

/// Shares of a whole reach to 100 %; else from zero to the greatest value of the run, or to the bound where that is
/// near enough to be seen with it.
fn scale(unit: &str, greatest: f64, all: &[Series<'_>], factor: f64) -> Scale {
    if unit == "share" {
        return Scale::Linear { low: 0.0, high: 100.0 };
    }
    let bounds = all.iter().filter_map(|series| series.ceiling).map(|bound| bound * factor);
    let near = bounds.filter(|bound| *bound <= greatest * 2.5);
    Scale::from_zero(near.map(|bound| bound * 1.05).chain([greatest]))
}

fn panel(cx: &Context<'_>, series: &Series<'_>, factor: f64, y: Scale) -> Panel {
    let points = series.points.iter().map(|(at, value)| (*at, value.map(|value| value * factor))).collect();
    Panel {
        title: crate::number::clean(&series.view.instance),
        remark: series
            .max()
            .map_or_else(String::new, |max| say!(cx.m, "panel-max", max = &quantity(cx, series.view, max))),
        lines: vec![PanelLine {
            stroke: Stroke::solid(hue_of(cx, &series.view.instance), 1.6),
            points,
            name: String::new(),
        }],
        idle: series.idle.map(|idle| idle * factor),
        ceiling: series.ceiling.map(|ceiling| ceiling * factor).filter(|_| metric_unit(series.view) != "share"),
        y,
        is_mirrored: false,
    }
}

fn finds(cx: &Context<'_>, name: &str, most: &Series<'_>, instances: usize) -> String {
    let Some(level) = most.mean() else { return say!(cx.m, "fig-gauge-finds-none", metric = name) };
    // In the unit of the sentence below it.
    let level = quantity_beside(cx, most.view, level, most.max().unwrap_or(level));
    say!(
        cx.m,
        "fig-gauge-finds",
        metric = name,
        instance = &crate::number::clean(&most.view.instance),
        instances = instances,
        mean = &level
    )
}

/// Whether the members of a metric are instances of the system, or a monitor's own: states of connections, partitions.
fn of_what(cx: &Context<'_>, all: &[Series<'_>]) -> &'static str {
    let is_known = |series: &Series<'_>| {
        let name = series.view.instance.as_str();
        name == series.view.monitor.name || cx.input.head.instances.iter().any(|instance| instance.name == name)
    };
    if all.iter().any(is_known) { "instances" } else { "series" }
}

fn seen(cx: &Context<'_>, most: &Series<'_>, instances: usize, of: &str) -> String {
    let (Some(level), Some(max)) = (most.mean(), most.max()) else { return say!(cx.m, "fig-multiples-seen-none") };
    let shown = |value: f64| quantity_beside(cx, most.view, value, max);
    let (level, max) = (shown(level), shown(max));
    let instance = crate::number::clean(&most.view.instance);
    match most.idle {
        Some(idle) => say!(
            cx.m,
            "fig-gauge-seen-idle",
            instances = instances,
            of = of,
            instance = &instance,
            mean = &level,
            max = &max,
            idle = &shown(idle)
        ),
        None => {
            say!(
                cx.m,
                "fig-gauge-seen",
                instances = instances,
                of = of,
                instance = &instance,
                mean = &level,
                max = &max
            )
        }
    }
}

/// What matters most of it: how near its bound, whether it grew, whether its peak is a spike; and whether it is none of
/// that.
fn assessment(
    cx: &Context<'_>,
    scenario: &ScenarioContext<'_>,
    all: &[Series<'_>],
    most: &Series<'_>,
) -> (String, bool) {
    if most.held.is_empty() {
        return (say!(cx.m, "fig-multiples-means-none"), false);
    }
    let is_memory = metric_unit(most.view) == "bytes";
    let gauges: Vec<Gauge> = all.iter().map(gauge_of).collect();
    let Some(peaks) = assess::gauge(&gauges, is_memory) else {
        return match is_memory {
            true => (growth(cx, scenario, all), false),
            false => peak(cx, all, assess::peaks(&gauges, judge::evaluate::metric_kind(metric_unit(most.view)))),
        };
    };
    peak(cx, all, peaks)
}

fn gauge_of(series: &Series<'_>) -> Gauge {
    Gauge {
        part_of_bound: series.part_of_ceiling(),
        peak_factor: series.peak_factor(),
        peak_height: series.peak_height(),
    }
}

fn peak(cx: &Context<'_>, all: &[Series<'_>], peaks: Peaks) -> (String, bool) {
    (said_of(cx, all, peaks), matches!(peaks, Peaks::Small(_) | Peaks::Even(_) | Peaks::Zero))
}

fn said_of(cx: &Context<'_>, all: &[Series<'_>], peaks: Peaks) -> String {
    let instance = |at: usize| crate::number::clean(&all[at].view.instance);
    let bound = |at: usize| quantity(cx, all[at].view, all[at].ceiling.unwrap_or(1.0));
    match peaks {
        Peaks::Near(at, part) => {
            say!(cx.m, "fig-gauge-means-near", instance = &instance(at), part = Arg::Share(part), ceiling = &bound(at))
        }
        Peaks::Bounded(at, part) => say!(
            cx.m,
            "fig-gauge-means-ceiling",
            instance = &instance(at),
            part = Arg::Share(part),
            ceiling = &bound(at)
        ),
        Peaks::Spike(at, factor) => say!(
            cx.m,
            "fig-gauge-means-spike",
            instance = &instance(at),
            factor = Arg::Number(factor),
            when = &clock(all[at].moment_of_max().unwrap_or(0.0))
        ),
        Peaks::Small(at) => {
            let height = quantity(cx, all[at].view, all[at].peak_height().unwrap_or(0.0));
            say!(cx.m, "fig-gauge-means-small", height = &height)
        }
        Peaks::Even(factor) => say!(cx.m, "fig-gauge-means-even", factor = Arg::Number(factor)),
        Peaks::Zero => say!(cx.m, "fig-gauge-means-zero"),
    }
}

/// Growth of the instance that grew most.
fn growth(cx: &Context<'_>, scenario: &ScenarioContext<'_>, all: &[Series<'_>]) -> String {
    let change = |trend: &Direction| match trend {
        Direction::Grew(change) | Direction::Steady(change) => *change,
    };
    let grown = all.iter().filter_map(|series| Some((assess::trend(&series.held)?, series)));
    let Some((trend, series)) = grown.max_by(|a, b| change(&a.0).total_cmp(&change(&b.0))) else {
        return say!(cx.m, "fig-multiples-means-none");
    };
    let key = match trend {
        Direction::Grew(_) => "fig-multiples-means-grew",
        Direction::Steady(_) => "fig-multiples-means-steady",
    };
    let instance = crate::number::clean(&series.view.instance);
    let length = Arg::Seconds(scenario.held_seconds()).given();
    say!(cx.m, key, instance = &instance, change = Arg::Share(change(&trend)), length = length)
}

/// A series with the heading of its column.
pub(super) type Titled<'s, 'a> = (String, &'s Series<'a>);

fn titled<'s, 'a>(all: &'s [Series<'a>]) -> Vec<Titled<'s, 'a>> {
    all.iter().map(|series| (crate::number::clean(&series.view.instance), series)).collect()
}

/// Plotted numbers of several series, a row a moment.
pub(super) fn table(
    cx: &Context<'_>,
    scenario: &ScenarioContext<'_>,
    grid: &Grid,
    all: &[Titled<'_, '_>],
    factor: f64,
    unit: &str,
) -> Table {
    let mut columns = vec![Column { is_number: true, title: say!(cx.m, "col-time"), ..Column::default() }];
    columns.extend(all.iter().map(|(title, _)| column(title, unit)));
    let mut by_time: BTreeMap<i64, Vec<Option<f64>>> = BTreeMap::new();
    for (index, (_, series)) in all.iter().enumerate() {
        for (at, value) in &series.points {
            // Samples of one round differ by microseconds; a tenth of a second puts them into one row.
            let row = by_time.entry((at * 10.0).round() as i64).or_insert_with(|| vec![None; all.len()]);
            row[index] = value.map(|value| value * factor);
        }
    }
    let x = time_axis(scenario);
    let row = |(tenth, values): (&i64, &Vec<Option<f64>>)| {
        let seconds = *tenth as f64 / 10.0;
        number_row(grid.px(x, seconds), moment(seconds), values, cx.m.numbers)
    };
    Table { columns, rows: by_time.iter().map(row).collect(), ..Table::default() }
}
