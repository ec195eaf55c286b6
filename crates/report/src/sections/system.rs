//! The system under load, as it was watched.

use crate::charts;
use crate::document::{Block, Cell, Column, NoteKind, Row, Section, Table, slug};
use crate::input::{Context, ScenarioContext};
use crate::messages::say;
use judge::views::MetricView;
use std::collections::BTreeMap;
use terms::Phase;

/// Metrics drawn as small multiples for each instance, the first that a monitor has of each line.
const DRAWN: [&[&str]; 2] = [&["cpu"], &["pss", "used", "rss", "memory", "memory_used"]];

/// The chapter.
pub(crate) fn system(cx: &Context<'_>) -> Section {
    let mut section = Section::new("system", say!(cx.m, "system-title"));
    section.say(say!(cx.m, "system-intro"));
    if cx.input.views.metrics.iter().all(is_generator) {
        section.add(Block::Note { kind: NoteKind::Missing, text: say!(cx.m, "system-nothing") });
    } else {
        section.parts.extend(cx.scenarios().iter().map(|scenario| part(cx, scenario)));
    }
    if !cx.input.views.events.is_empty() {
        section.add(Block::Table(events(cx)));
    }
    section
}

fn part(cx: &Context<'_>, scenario: &ScenarioContext<'_>) -> Section {
    let anchor = format!("system-{}-{}", scenario.number, slug(scenario.name));
    let mut part = Section::new(anchor.clone(), crate::number::clean(scenario.name));
    let mut monitors: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for view in cx.input.views.metrics.iter().filter(|view| !is_generator(view)) {
        let instances = monitors.entry(&view.monitor.name).or_default();
        if !instances.contains(&view.instance.as_str()) {
            instances.push(&view.instance);
        }
    }
    let mut number = 0;
    let anchor_of = |kind: &str, number: usize| format!("fig-{kind}-{}-{number}", scenario.number);
    for (monitor, instances) in &monitors {
        let mut has_breakdown = false;
        for instance in instances {
            if let Some(figure) = charts::cpu(cx, scenario, (monitor, instance), &anchor_of("cpu", number)) {
                number += 1;
                part.add(Block::Figure(figure));
                has_breakdown = true;
            }
        }
        for names in DRAWN.iter().skip(usize::from(has_breakdown)) {
            let metric = names.iter().find(|name| has_metric(cx, monitor, name));
            let Some(metric) = metric else { continue };
            if let Some(figure) = charts::multiples(cx, scenario, (monitor, metric), &anchor_of("instances", number)) {
                number += 1;
                part.add(Block::Figure(figure));
            }
        }
    }
    let caption = say!(cx.m, "table-metrics", scenario = scenario.name);
    part.add(Block::Table(table(cx, scenario, &format!("{anchor}-table"), caption, |view| !is_generator(view))));
    part
}

/// Whether a series is the generator's of itself; those stand in its own chapter.
fn is_generator(view: &MetricView) -> bool {
    view.monitor.kind == "generator" || view.monitor.name == "generator"
}

fn has_metric(cx: &Context<'_>, monitor: &str, metric: &str) -> bool {
    let is_it = |view: &MetricView| {
        view.monitor.name == monitor && view.monitor.metrics.get(view.metric).is_some_and(|known| known.name == metric)
    };
    cx.input.views.metrics.iter().any(is_it)
}

/// What the generator watched of itself, a table for each scenario; nothing when it watched nothing.
pub(super) fn generator_tables(cx: &Context<'_>) -> Vec<Table> {
    let table = |scenario: &ScenarioContext<'_>| {
        let name = format!("generator-{}-{}", scenario.number, slug(scenario.name));
        let caption = say!(cx.m, "table-generator-series", scenario = scenario.name);
        table(cx, scenario, &name, caption, is_generator)
    };
    cx.scenarios().iter().map(table).filter(|table| !table.rows.is_empty()).collect()
}

/// Level, peak and gaps of every series in the judged part.
fn table(
    cx: &Context<'_>,
    scenario: &ScenarioContext<'_>,
    name: &str,
    caption: String,
    is_shown: impl Fn(&MetricView) -> bool,
) -> Table {
    let row = |view: &MetricView| {
        let metric = view.monitor.metrics.get(view.metric);
        let unit = metric.map_or("", |metric| metric.unit.as_str());
        let is_held =
            |at| scenario.steps.iter().any(|(step, _)| step.phase == Phase::Hold && step.from <= at && at <= step.to);
        let points: Vec<Option<f64>> = view.points.iter().filter(|(at, _)| is_held(*at)).map(|point| point.1).collect();
        let values: Vec<f64> = points.iter().flatten().copied().collect();
        let shown = |value: Option<f64>| {
            value.map_or_else(Cell::missing, |value| Cell::number(cx.m.numbers.in_unit(value, plain_unit(unit)), value))
        };
        let mean = (!values.is_empty()).then(|| values.iter().sum::<f64>() / values.len() as f64);
        let (first, last) = (values.first().copied(), values.last().copied());
        let missing = points.len() - values.len();
        let is_counter = metric.is_some_and(|metric| metric.kind == "counter");
        let growth = first.zip(last).filter(|_| is_counter).map(|(first, last)| last - first);
        Row::new(vec![
            Cell::code(view.name()),
            Cell::code(&view.instance),
            shown(mean.filter(|_| !is_counter)),
            shown(values.iter().copied().reduce(f64::max).filter(|_| !is_counter)),
            shown(growth),
            Cell::number(cx.m.numbers.count(values.len() as f64), values.len() as f64),
            Cell::number(cx.m.numbers.count(missing as f64), missing as f64),
        ])
    };
    Table {
        name: name.to_owned(),
        caption,
        columns: vec![
            Column::text(say!(cx.m, "col-metric")),
            Column::text(say!(cx.m, "col-instance")),
            Column::number(say!(cx.m, "col-mean"), ""),
            Column::number(say!(cx.m, "col-max"), ""),
            Column::number(say!(cx.m, "col-growth"), ""),
            Column::number(say!(cx.m, "col-samples"), ""),
            Column::number(say!(cx.m, "col-missing"), ""),
        ],
        rows: cx.input.views.metrics.iter().filter(|view| is_shown(view)).map(row).collect(),
        notes: vec![say!(cx.m, "note-metrics")],
    }
}

/// A metric's unit as [`crate::number::Numbers::in_unit`] knows it.
fn plain_unit(unit: &str) -> &str {
    match unit {
        "/s" => "per_s",
        other => other,
    }
}

/// What happened while the run went on.
fn events(cx: &Context<'_>) -> Table {
    let row = |event: &record::EventRow| {
        let at = event.at.as_secs_f64();
        Row::new(vec![
            Cell::number(charts::moment(at).text, at),
            Cell::code(&event.kind),
            Cell::code(&event.subject),
            Cell::text(crate::number::clean(&event.text)),
        ])
    };
    Table {
        name: "events".to_owned(),
        caption: say!(cx.m, "table-events"),
        columns: vec![
            Column::number(say!(cx.m, "col-run-time"), "min:s"),
            Column::text(say!(cx.m, "col-event")),
            Column::text(say!(cx.m, "col-subject")),
            Column::text(say!(cx.m, "col-text")),
        ],
        rows: cx.input.views.events.iter().take(200).map(row).collect(),
        notes: Vec::new(),
    }
}
