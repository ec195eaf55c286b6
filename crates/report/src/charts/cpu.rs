//! Processor time of a host by kind.

use super::series::{mean, metric_name, metric_unit, within};
use super::{Words, column, figure, moment, number_row, phases, scenario_group, time_axis};
use crate::document::{Column, Figure, Row, Table};
use crate::input::{Context, ScenarioContext};
use crate::messages::say;
use crate::svg::{Plot, Scale, Stroke, m4, runs};
use judge::Arg;
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

/// Metrics that a figure of the processor's parts has said all about.
pub(crate) fn is_part(metric: &str) -> bool {
    let name = metric.trim_start_matches("cpu_");
    matches!(metric, "cpu" | "idle") || PARTS.iter().any(|(names, _, _)| names.contains(&name))
}

/// Values of a part at each moment of the scenario, as shares of one.
type Stack = BTreeMap<Nanos, [Option<f64>; 4]>;

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
    let (level, max) = (mean(&held), held.iter().fold(0.0f64, |a, b| a.max(*b)));
    let assessment = if held.is_empty() {
        say!(cx.m, "fig-cpu-means-none")
    } else if level >= BUSY {
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
        subject: say!(cx.m, "fig-cpu-caption", instance = instance, scenario = scenario.name),
        caption: say!(
            cx.m,
            "fig-cpu-finds",
            instance = instance,
            mean = Arg::Share(level),
            max = Arg::Share(max),
            samples = held.len()
        ),
        observation: say!(cx.m, "fig-cpu-seen", mean = Arg::Share(level), max = Arg::Share(max), samples = held.len()),
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
