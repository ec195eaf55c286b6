//! Processor time of a host by kind.

use super::series::{Series, mean, metric_role, metric_unit, within};
use super::{Words, column, figure, moment, number_row, phases, scenario_group, time_axis};
use crate::document::{Column, Figure, Row, Table};
use crate::input::{Context, ScenarioContext};
use crate::messages::say;
use crate::svg::{Plot, Scale, Stroke, m4, runs};
use contract::Role;
use judge::Arg;
use judge::assess::{self, Processor};
use std::collections::BTreeMap;
use terms::Nanos;

/// Parts of processor time from the bottom of the stack: their names, as the catalogue knows them, and the colours.
const PARTS: [(Role, &str, &str); 4] = [
    (Role::ProcessorUser, "user", "blue"),
    (Role::ProcessorSystem, "system", "orange"),
    (Role::ProcessorWait, "wait", "purple"),
    (Role::Steal, "steal", "vermillion"),
];

/// Parts that are stacked, from the bottom. Stolen time is a line of its own: other guests had it, and this system was
/// not busy in it.
const STACKED: [usize; 3] = [0, 1, 2];
/// Place of stolen time among the parts.
const STEAL: usize = 3;

/// A part that never reaches this share is too thin to be seen.
const SEEN: f64 = 0.005;

/// Metrics that a figure of the processor's parts has said all about.
pub(crate) fn is_part(role: Role) -> bool {
    matches!(role, Role::Processor | Role::ProcessorIdle) || PARTS.iter().any(|(part, _, _)| *part == role)
}

/// Values of a part at each moment of the scenario, as shares of one.
type Stack = BTreeMap<Nanos, [Option<f64>; 4]>;

/// The processor's parts of one instance of a host monitor.
fn stack(cx: &Context<'_>, scenario: &ScenarioContext<'_>, monitor: &str, instance: &str) -> Stack {
    let mut stack = Stack::new();
    for view in cx.input.views.metrics.iter().filter(|view| view.monitor.name == monitor && view.instance == instance) {
        let Some(part) = PARTS.iter().position(|(part, _, _)| metric_role(view) == Some(*part)) else { continue };
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

/// Busy time and stolen time of the judged part, as shares of one.
struct Levels {
    busy: Vec<f64>,
    stolen: f64,
}

impl Levels {
    /// Busy is the monitor's own figure, which tables and requirements have too; where it has none, user and
    /// system time. Waiting for I/O is idle time of a processor.
    fn of(cx: &Context<'_>, scenario: &ScenarioContext<'_>, (monitor, instance): (&str, &str), stack: &Stack) -> Self {
        let held = || stack.iter().filter(|(at, _)| is_held(scenario, **at)).map(|(_, parts)| parts);
        let is_own = |view: &&judge::views::MetricView| {
            view.monitor.name == monitor
                && view.instance == instance
                && metric_role(view) == Some(Role::Processor)
                && metric_unit(view) == "share"
        };
        let named = cx.input.views.metrics.iter().find(is_own).map(|view| Series::of(cx, scenario, view).held);
        let summed = || held().map(|parts| [0, 1].iter().filter_map(|part: &usize| parts[*part]).sum()).collect();
        let stolen: Vec<f64> = held().filter_map(|parts| parts[STEAL]).collect();
        Self { busy: named.unwrap_or_else(summed), stolen: mean(&stolen) }
    }

    fn assessment(&self, cx: &Context<'_>) -> String {
        match assess::processor(&self.busy, self.stolen) {
            Processor::Unknown => say!(cx.m, "fig-cpu-means-none"),
            Processor::Busy(limit) => say!(cx.m, "fig-cpu-means-busy", limit = Arg::Share(limit).given()),
            Processor::Stolen(limit) => say!(cx.m, "fig-cpu-means-stolen", limit = Arg::Share(limit).given()),
            Processor::Free(limit) => say!(cx.m, "fig-cpu-means-free", limit = Arg::Share(limit).given()),
        }
    }
}

/// Areas of the parts one above the other, from the bottom; stolen time as a line over them.
fn draw_stack(cx: &Context<'_>, scenario: &ScenarioContext<'_>, stack: &Stack, seen: &[usize]) -> Plot {
    let mut plot = Plot::new(180.0, time_axis(scenario), Scale::Linear { low: 0.0, high: 100.0 }, cx.m.numbers);
    phases(&mut plot, cx, scenario);
    plot.axes(&say!(cx.m, "axis-time"), &say!(cx.m, "axis-cpu"));
    let (mut below, mut labels) = (BTreeMap::<Nanos, f64>::new(), Vec::new());
    for part in STACKED.into_iter().filter(|part| seen.contains(part)) {
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
    if seen.contains(&STEAL) {
        let line: Vec<_> =
            stack.iter().map(|(at, parts)| (scenario.since(*at), parts[STEAL].map(|value| value * 100.0))).collect();
        let (_, name, hue) = PARTS[STEAL];
        let stroke = Stroke::solid(hue, 1.8);
        plot.line(&line, stroke);
        let last = line.iter().rev().find_map(|point| point.1).unwrap_or(0.0);
        labels.push((last, say!(cx.m, "cpu-part", part = name), stroke));
    }
    // From the top down, so that names of equal height stand in the order of the areas.
    for (place, name, stroke) in labels.into_iter().rev() {
        plot.label(place, &name, stroke);
    }
    plot
}

/// Processor time of a host by kind, of 100 %.
pub(crate) fn cpu(
    cx: &Context<'_>,
    scenario: &ScenarioContext<'_>,
    (monitor, instance): (&str, &str),
    anchor: &str,
) -> Option<Box<Figure>> {
    let stack = stack(cx, scenario, monitor, instance);
    // Stolen time alone, which the generator watches, is not a breakdown.
    if stack.len() < 2 || stack.values().all(|parts| parts[0].or(parts[1]).is_none()) {
        return None;
    }
    let seen: Vec<usize> =
        (0..4).filter(|part| stack.values().any(|parts| parts[*part].unwrap_or(0.0) >= SEEN)).collect();
    let plot = draw_stack(cx, scenario, &stack, &seen);
    let levels = Levels::of(cx, scenario, (monitor, instance), &stack);
    let (level, max, samples) =
        (mean(&levels.busy), levels.busy.iter().fold(0.0f64, |a, b| a.max(*b)), levels.busy.len());
    let mut observation =
        say!(cx.m, "fig-cpu-seen", mean = Arg::Share(level), max = Arg::Share(max), samples = samples);
    if seen.contains(&STEAL) && samples > 0 {
        observation = format!("{observation} {}", say!(cx.m, "fig-cpu-stolen", mean = Arg::Share(levels.stolen)));
    }
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
            samples = samples
        ),
        observation,
        assessment: levels.assessment(cx),
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
