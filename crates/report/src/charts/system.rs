//! The system under load: the host's processor, and small multiples of instances.

use super::load::scenario_group;
use super::{Words, column, figure, joined, moment, number_row, phases, time_axis};
use crate::document::{Column, Figure, Row, Table};
use crate::input::{Context, ScenarioContext};
use crate::messages::say;
use crate::svg::{Anchor, Canvas, Lettering, Plot, Scale, Stroke, WIDTH, fit, m4, runs};
use judge::Arg;
use judge::views::MetricView;
use std::collections::BTreeMap;
use terms::Nanos;

/// Parts of processor time from the bottom of the stack: names that monitors use, and the colour.
const PARTS: [(&[&str], &str, &str); 4] = [
    (&["user", "nice"], "user", "blue"),
    (&["system", "irq", "softirq"], "system", "orange"),
    (&["wait", "iowait"], "wait", "purple"),
    (&["steal"], "steal", "vermillion"),
];

/// A part that never reaches this share is too thin to be seen.
const SEEN: f64 = 0.005;
/// Above this mean a processor may well have limited what was measured.
const BUSY: f64 = 0.8;

/// Values of a part at each moment of the scenario, as shares of one.
type Stack = BTreeMap<Nanos, [Option<f64>; 4]>;

fn within<'a>(scenario: &ScenarioContext<'_>, view: &'a MetricView) -> impl Iterator<Item = (Nanos, Option<f64>)> + 'a {
    let (from, to) = (scenario.from, scenario.to);
    view.points.iter().copied().filter(move |(at, _)| from <= *at && *at <= to)
}

fn metric_name(view: &MetricView) -> &str {
    view.monitor.metrics.get(view.metric).map_or("", |metric| metric.name.as_str())
}

fn metric_unit(view: &MetricView) -> &str {
    view.monitor.metrics.get(view.metric).map_or("", |metric| metric.unit.as_str())
}

/// The processor's parts of one instance of a host monitor.
fn stack(cx: &Context<'_>, scenario: &ScenarioContext<'_>, monitor: &str, instance: &str) -> Stack {
    let mut stack = Stack::new();
    for view in cx.input.views.metrics.iter().filter(|view| view.monitor.name == monitor && view.instance == instance) {
        let name = metric_name(view).trim_start_matches("cpu_");
        let Some(part) = PARTS.iter().position(|(names, _, _)| names.contains(&name)) else { continue };
        if metric_unit(view) != "share" {
            continue;
        }
        for (at, value) in within(scenario, view) {
            let cell = &mut stack.entry(at).or_default()[part];
            *cell = match (*cell, value) {
                (Some(known), Some(value)) => Some(known + value),
                (None, value) => value,
                (known, None) => known,
            };
        }
    }
    stack
}

/// Areas of the parts one above the other, from the bottom.
fn draw_stack(cx: &Context<'_>, scenario: &ScenarioContext<'_>, stack: &Stack, seen: &[usize]) -> Plot {
    let mut plot = Plot::new(180.0, time_axis(scenario), Scale::Linear { low: 0.0, high: 100.0 }, cx.m.numbers);
    phases(&mut plot, cx, scenario);
    plot.axes(&say!(cx.m, "axis-time"), &say!(cx.m, "axis-cpu"));
    let (mut below, mut labels) = (BTreeMap::<Nanos, f64>::new(), Vec::new());
    for &part in seen {
        let (_, name, hue) = PARTS[part];
        let points: Vec<(f64, Option<f64>)> = stack
            .iter()
            .map(|(at, parts)| {
                let value = parts.iter().any(Option::is_some).then(|| parts[part].unwrap_or(0.0));
                (scenario.since(*at), value.map(|value| (below.get(at).copied().unwrap_or(0.0) + value) * 100.0))
            })
            .collect();
        for run in runs(&points) {
            let lower = |x: f64| {
                let at = scenario.from + Nanos::from_secs_f64(x);
                // The moment comes back through floating point, so the nearest one is meant.
                let near = below.range(..=at + Nanos(1000)).next_back();
                near.map_or(0.0, |(_, value)| *value * 100.0)
            };
            let area: Vec<_> =
                m4(&run, 300).into_iter().map(|(x, y)| (x, if part == seen[0] { 0.0 } else { lower(x) }, y)).collect();
            plot.between(&area, hue, 0.85);
        }
        let under = below.values().next_back().copied().unwrap_or(0.0);
        for (at, parts) in stack {
            *below.entry(*at).or_default() += parts[part].unwrap_or(0.0);
        }
        let over = below.values().next_back().copied().unwrap_or(0.0);
        labels.push(((under + over) * 50.0, say!(cx.m, "cpu-part", part = name), Stroke::solid(hue, 7.0)));
    }
    // From the top down, so that names of equal height stand in the order of the areas.
    for (place, name, stroke) in labels.into_iter().rev() {
        plot.label(place, &name, stroke);
    }
    plot
}

/// Processor time of a host by kind, stacked to 100 %.
pub(crate) fn cpu(
    cx: &Context<'_>,
    scenario: &ScenarioContext<'_>,
    (monitor, instance): (&str, &str),
    anchor: &str,
) -> Option<Box<Figure>> {
    let stack = stack(cx, scenario, monitor, instance);
    // Waiting for I/O is idle time of a processor.
    let busy = |parts: &[Option<f64>; 4]| [0, 1, 3].iter().filter_map(|part: &usize| parts[*part]).sum::<f64>();
    // Stolen time alone, which the generator watches, is no breakdown.
    if stack.len() < 2 || stack.values().all(|parts| parts[0].or(parts[1]).is_none()) {
        return None;
    }
    let seen: Vec<usize> =
        (0..4).filter(|part| stack.values().any(|parts| parts[*part].unwrap_or(0.0) >= SEEN)).collect();
    let plot = draw_stack(cx, scenario, &stack, &seen);
    let held: Vec<f64> = stack.iter().filter(|(at, _)| is_held(scenario, **at)).map(|(_, parts)| busy(parts)).collect();
    let (mean, max) = (held.iter().sum::<f64>() / held.len().max(1) as f64, held.iter().fold(0.0f64, |a, b| a.max(*b)));
    let assessment = if held.is_empty() {
        say!(cx.m, "fig-cpu-means-none")
    } else if mean >= BUSY {
        say!(cx.m, "fig-cpu-means-busy", limit = Arg::Share(BUSY))
    } else {
        say!(cx.m, "fig-cpu-means-free", limit = Arg::Share(BUSY))
    };
    let mut columns = vec![Column { is_number: true, title: say!(cx.m, "col-time"), ..Column::default() }];
    columns.extend(seen.iter().map(|part| column(say!(cx.m, "cpu-part", part = PARTS[*part].1), "%")));
    let row = |(at, parts): (&Nanos, &[Option<f64>; 4])| -> Row {
        let x = scenario.since(*at);
        let values: Vec<_> = seen.iter().map(|part| parts[*part].map(|value| value * 100.0)).collect();
        number_row(plot.px(x), moment(x), &values, cx.m.numbers)
    };
    let rows = stack.iter().map(row).collect();
    let words = Words {
        anchor: anchor.to_owned(),
        caption: say!(cx.m, "fig-cpu-caption", instance = instance, scenario = scenario.name),
        observation: say!(cx.m, "fig-cpu-seen", mean = Arg::Share(mean), max = Arg::Share(max), samples = held.len()),
        assessment,
        reading: say!(cx.m, "fig-cpu-reading"),
        findings: cx.findings_on(scenario.name, None, &["GEN-SAT", "NO-RETURN"]),
        group: scenario_group(scenario),
        data: Table { columns, rows, ..Table::default() },
    };
    Some(figure(plot, words))
}

fn is_held(scenario: &ScenarioContext<'_>, at: Nanos) -> bool {
    scenario.holds().any(|(step, _)| step.from <= at && at <= step.to)
}

/// One panel of small multiples.
struct Panel {
    name: String,
    points: Vec<(f64, Option<f64>)>,
    held: Vec<f64>,
}

/// One metric of all instances as small multiples with a common scale.
pub(crate) fn multiples(
    cx: &Context<'_>,
    scenario: &ScenarioContext<'_>,
    (monitor, metric): (&str, &str),
    anchor: &str,
) -> Option<Box<Figure>> {
    let series =
        cx.input.views.metrics.iter().filter(|view| view.monitor.name == monitor && metric_name(view) == metric);
    let series: Vec<&MetricView> = series.collect();
    let unit = metric_unit(series.first()?);
    let (factor, shown_unit) = match unit {
        "bytes" => (1e-6, "MB"),
        "share" => (100.0, "%"),
        "cores" => (1.0, "cores"),
        other => (1.0, other),
    };
    let panels: Vec<Panel> =
        series.iter().map(|view| panel(scenario, view, factor)).filter(|p| p.points.len() > 1).collect();
    let greatest = panels.iter().flat_map(|panel| &panel.points).filter_map(|point| point.1).fold(0.0f64, f64::max);
    if panels.is_empty() || panels.iter().all(|panel| panel.points.iter().all(|point| point.1.is_none())) {
        return None;
    }
    let scale = if unit == "share" {
        Scale::Linear { low: 0.0, high: 100.0 }
    } else {
        Scale::from_zero([greatest].into_iter())
    };
    let canvas = draw(cx, scenario, &panels, scale, shown_unit);
    let mean = |panel: &Panel| panel.held.iter().sum::<f64>() / panel.held.len().max(1) as f64;
    let most = panels.iter().max_by(|a, b| mean(a).total_cmp(&mean(b)))?;
    let (observation, assessment) = words_of(cx, scenario, most, mean(most), unit, factor, panels.len());
    let words = Words {
        anchor: anchor.to_owned(),
        caption: say!(
            cx.m,
            "fig-multiples-caption",
            metric = &say!(cx.m, "metric-word", metric = metric),
            monitor = monitor,
            scenario = scenario.name
        ),
        observation,
        assessment,
        reading: say!(cx.m, "fig-multiples-reading"),
        findings: cx.findings_on(scenario.name, None, &["CEILING", "LEAK", "SKEW", "NO-RETURN", "GC-STORM"]),
        group: String::new(),
        data: table(cx, &panels, shown_unit),
    };
    let svg = canvas.finish(anchor, &words.caption, &words.observation);
    Some(joined(svg, words))
}

fn panel(scenario: &ScenarioContext<'_>, view: &MetricView, factor: f64) -> Panel {
    let points: Vec<_> =
        within(scenario, view).map(|(at, value)| (scenario.since(at), value.map(|value| value * factor))).collect();
    let held = within(scenario, view)
        .filter(|(at, _)| is_held(scenario, *at))
        .filter_map(|(_, value)| value.map(|v| v * factor));
    Panel { name: view.instance.clone(), points, held: held.collect() }
}

fn draw(cx: &Context<'_>, scenario: &ScenarioContext<'_>, panels: &[Panel], y: Scale, unit: &str) -> Canvas {
    let columns = panels.len().clamp(2, 3);
    let (gap, left, head) = (18.0, 52.0, 24.0);
    let width = (WIDTH - left - gap * (columns - 1) as f64 - 6.0) / columns as f64;
    let height = 92.0;
    let rows = panels.len().div_ceil(columns);
    let mut canvas = Canvas::new(WIDTH, 16.0 + rows as f64 * (height + head + 24.0) + 18.0);
    let x = time_axis(scenario);
    canvas.text((0.0, 12.0), unit, Lettering::new("ink-2", Anchor::Start));
    for (index, panel) in panels.iter().enumerate() {
        let at = (
            left + (index % columns) as f64 * (width + gap),
            16.0 + (index / columns) as f64 * (height + head + 24.0) + head,
        );
        canvas.text(
            (at.0, at.1 - 7.0),
            &fit(&panel.name, width, 12.0),
            Lettering::new("ink", Anchor::Start).size(12.0).bold(),
        );
        for (step, _) in scenario.holds() {
            let (from, to) = (x.position(scenario.since(step.from)), x.position(scenario.since(step.to)));
            canvas.rect((at.0 + from * width, at.1), ((to - from) * width, height), "band", 1.0);
        }
        for (value, label) in y.ticks(3, cx.m.numbers) {
            let level = at.1 + (1.0 - y.position(value)) * height;
            canvas.line((at.0, level), (at.0 + width, level), Stroke::solid("grid", 1.0));
            if index % columns == 0 {
                canvas.text((at.0 - 7.0, level + 4.0), &label, Lettering::new("ink-3", Anchor::End).size(10.5));
            }
        }
        for (value, label) in x.ticks(3, cx.m.numbers) {
            let place = at.0 + x.position(value) * width;
            canvas.text((place, at.1 + height + 14.0), &label, Lettering::new("ink-3", Anchor::Middle).size(10.5));
        }
        canvas.line((at.0, at.1 + height), (at.0 + width, at.1 + height), Stroke::solid("ink-3", 1.0));
        for run in runs(&panel.points) {
            let drawn: Vec<_> = m4(&run, 120)
                .into_iter()
                .map(|(t, v)| (at.0 + x.position(t) * width, at.1 + (1.0 - y.position(v)) * height))
                .collect();
            canvas.polyline(&drawn, Stroke::solid("blue", 1.6));
        }
    }
    let below = canvas.height - 4.0;
    canvas.text(
        (left + (WIDTH - left) / 2.0, below),
        &say!(cx.m, "axis-time"),
        Lettering::new("ink-2", Anchor::Middle),
    );
    canvas
}

fn words_of(
    cx: &Context<'_>,
    scenario: &ScenarioContext<'_>,
    most: &Panel,
    mean: f64,
    unit: &str,
    factor: f64,
    instances: usize,
) -> (String, String) {
    let arg = |value: f64| match unit {
        "bytes" => Arg::Bytes(value / factor),
        "share" => Arg::Share(value / factor),
        "cores" => Arg::Cores(value),
        _ => Arg::Number(value),
    };
    if most.held.is_empty() {
        return (say!(cx.m, "fig-multiples-seen-none"), say!(cx.m, "fig-multiples-means-none"));
    }
    let max = most.held.iter().fold(f64::MIN, |a, b| a.max(*b));
    let seen = say!(
        cx.m,
        "fig-multiples-seen",
        instance = &most.name,
        mean = arg(mean),
        max = arg(max),
        instances = instances
    );
    if unit != "bytes" {
        return (seen, say!(cx.m, "fig-multiples-means-level"));
    }
    let third = (most.held.len() / 3).max(1);
    let level = |part: &[f64]| part.iter().sum::<f64>() / part.len().max(1) as f64;
    let change = level(&most.held[most.held.len() - third..]) / level(&most.held[..third]).max(1e-12) - 1.0;
    let length: f64 = scenario.holds().map(|(step, _)| (step.to - step.from).as_secs_f64()).sum();
    let key = if change > 0.05 { "fig-multiples-means-grew" } else { "fig-multiples-means-steady" };
    (seen, say!(cx.m, key, instance = &most.name, change = Arg::Share(change), length = Arg::Seconds(length)))
}

fn table(cx: &Context<'_>, panels: &[Panel], unit: &str) -> Table {
    let mut columns = vec![Column { is_number: true, title: say!(cx.m, "col-time"), ..Column::default() }];
    columns.extend(panels.iter().map(|panel| column(crate::number::clean(&panel.name), unit)));
    let mut by_time: BTreeMap<i64, Vec<Option<f64>>> = BTreeMap::new();
    for (index, panel) in panels.iter().enumerate() {
        for (at, value) in &panel.points {
            // Samples of one round differ by microseconds; a tenth of a second puts them into one row.
            by_time.entry((at * 10.0).round() as i64).or_insert_with(|| vec![None; panels.len()])[index] = *value;
        }
    }
    let row = |(tenth, values): (&i64, &Vec<Option<f64>>)| Row {
        x: None,
        ..number_row(0.0, moment(*tenth as f64 / 10.0), values, cx.m.numbers)
    };
    Table { columns, rows: by_time.iter().map(row).collect(), ..Table::default() }
}
