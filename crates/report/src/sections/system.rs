//! The system under load, as it was watched.

use crate::charts::{self, Series};
use crate::document::{Block, Cell, Column, Figure, NoteKind, Row, Section, Table, slug};
use crate::input::{Context, ScenarioContext};
use crate::messages::say;
use judge::views::MetricView;

/// Metrics with a figure of their own, in this order; of each line the first that a monitor has.
pub(super) const OWN: [&[&str]; 7] = [
    &["cpu"],
    &["used", "memory_used", "pss", "rss", "memory"],
    &["connections", "sessions", "backends"],
    &["connections_active", "active"],
    &["locks_waiting", "waiting", "locks"],
    &["queue", "lag"],
    &["heap_used", "heap"],
];

/// The chapter.
pub(crate) fn system(cx: &Context<'_>) -> Section {
    let mut section = Section::new("system", say!(cx.m, "system-title"));
    section.say(say!(cx.m, "system-intro"));
    section.blocks.extend(charts::topology(cx, "fig-topology").map(Block::Figure));
    if cx.input.views.metrics.iter().all(is_generator) {
        section.add(Block::Note { kind: NoteKind::Missing, text: say!(cx.m, "system-nothing") });
    } else {
        section.blocks.extend(super::resources::by_workload(cx).map(Block::Table));
        section.parts.extend(cx.scenarios().iter().map(|scenario| part(cx, scenario)));
    }
    if !cx.input.views.events.is_empty() {
        section.add(Block::Table(events(cx, "events", &cx.input.views.events)));
    }
    section
}

fn part(cx: &Context<'_>, scenario: &ScenarioContext<'_>) -> Section {
    let anchor = format!("system-{}-{}", scenario.number, slug(scenario.name));
    let mut part = Section::new(anchor, crate::number::clean(scenario.name));
    part.blocks = of_scenario(cx, scenario);
    part
}

/// Everything that was watched in a scenario: figures, then the table of all series.
pub(super) fn of_scenario(cx: &Context<'_>, scenario: &ScenarioContext<'_>) -> Vec<Block> {
    let anchor = format!("system-{}-{}", scenario.number, slug(scenario.name));
    let mut blocks: Vec<Block> = Vec::new();
    for monitor in monitors(cx) {
        blocks.extend(figures(cx, scenario, monitor));
    }
    if let (true, Some(first)) =
        (scenario.is_again(), cx.repetitions_of(scenario).into_iter().find(|other| !other.is_again()))
    {
        blocks.push(Block::Note { kind: NoteKind::Reading, text: say!(cx.m, "system-again", first = first.name) });
    }
    let skew = charts::skew(cx, scenario, &format!("fig-skew-{}", scenario.number));
    blocks.extend(skew.map(Block::Figure));
    let caption = say!(cx.m, "table-metrics", scenario = scenario.name);
    blocks.push(Block::Table(table(cx, scenario, &format!("{anchor}-table"), caption, |view| !is_generator(view))));
    blocks
}

/// Names of the monitors of the system, in the study's order.
fn monitors<'a>(cx: &Context<'a>) -> Vec<&'a str> {
    let mut names: Vec<&str> = Vec::new();
    for view in cx.input.views.metrics.iter().filter(|view| !is_generator(view)) {
        if !names.contains(&view.monitor.name.as_str()) {
            names.push(&view.monitor.name);
        }
    }
    names
}

/// All figures of one monitor: what matters most by itself, flows by both directions, the rest together.
fn figures(cx: &Context<'_>, scenario: &ScenarioContext<'_>, monitor: &str) -> Vec<Block> {
    let (mut metrics, mut instances): (Vec<&str>, Vec<&str>) = (Vec::new(), Vec::new());
    for view in cx.input.views.metrics.iter().filter(|view| view.monitor.name == monitor) {
        let name = view.monitor.metrics.get(view.metric).map_or("", |metric| metric.name.as_str());
        if !metrics.contains(&name) {
            metrics.push(name);
        }
        if !instances.contains(&view.instance.as_str()) {
            instances.push(&view.instance);
        }
    }
    let anchor = |what: &str| format!("fig-{}-{}-{}", slug(monitor), slug(what), scenario.number);
    // Of a repetition the course of every series is in the table, and its numbers are among the CSV files.
    let shown = |figure: Box<Figure>| {
        if scenario.is_again() { Block::Data(Box::new(figure.data)) } else { Block::Figure(figure) }
    };
    let mut figures: Vec<Block> = Vec::new();
    for (number, instance) in instances.iter().enumerate() {
        let figure = charts::cpu(cx, scenario, (monitor, instance), &anchor(&format!("parts-{number}")));
        figures.extend(figure.map(shown));
    }
    if !figures.is_empty() {
        metrics.retain(|metric| !charts::is_part(metric));
    }
    if charts::HEAP_LEVELS[..2].iter().all(|level| metrics.contains(level)) {
        figures.extend(charts::heap(cx, scenario, monitor, &anchor("heap")).map(shown));
        metrics.retain(|metric| !charts::HEAP_LEVELS.contains(metric));
    }
    // Of a process that is no Java virtual machine the same three levels, as the operating system has them.
    if charts::MEMORY_LEVELS[..2].iter().all(|level| metrics.contains(level)) {
        figures.extend(charts::memory(cx, scenario, monitor, &anchor("levels")).map(shown));
        metrics.retain(|metric| !charts::MEMORY_LEVELS[1..].contains(metric));
    }
    for names in OWN {
        let Some(metric) = names.iter().find(|name| metrics.contains(*name)).copied() else { continue };
        figures.extend(charts::gauge(cx, scenario, (monitor, metric), &anchor(metric)).map(shown));
        metrics.retain(|known| *known != metric);
    }
    for (first, second) in charts::PAIRS {
        if metrics.contains(&first) && metrics.contains(&second) {
            let figure = charts::mirrored(cx, scenario, (monitor, first, second), &anchor(first));
            figures.extend(figure.map(shown));
            metrics.retain(|known| *known != first && *known != second);
        }
    }
    figures.extend(charts::overview(cx, scenario, monitor, &metrics, &anchor("rest")).map(shown));
    figures
}

/// Whether a series is the generator's of itself; those stand in its own chapter.
pub(super) fn is_generator(view: &MetricView) -> bool {
    view.monitor.kind == "generator" || view.monitor.name == "generator"
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
    let shown = cx.input.views.metrics.iter().filter(|view| is_shown(view));
    let all: Vec<Series<'_>> = shown.map(|view| Series::of(cx, scenario, view)).collect();
    let is_counter = |series: &Series<'_>| {
        series.view.monitor.metrics.get(series.view.metric).is_some_and(|metric| metric.kind == "counter")
    };
    let has_counters = all.iter().any(is_counter);
    let row = |series: &Series<'_>| {
        let is_counter = is_counter(series);
        let shown = |value: Option<f64>| {
            value.map_or_else(Cell::missing, |value| Cell::number(charts::quantity(cx, series.view, value), value))
        };
        let growth = series.held.first().zip(series.held.last()).filter(|_| is_counter).map(|(a, b)| b - a);
        let mut cells = vec![
            Cell::code(series.view.name()),
            Cell::code(&series.view.instance),
            course(cx, series),
            shown(series.idle.filter(|_| !is_counter)),
            shown(series.mean().filter(|_| !is_counter)),
            shown(series.max().filter(|_| !is_counter)),
        ];
        if has_counters {
            cells.push(shown(growth));
        }
        let missing = series.held_missing;
        cells.push(Cell::number(cx.m.numbers.count(series.held.len() as f64), series.held.len() as f64));
        cells.push(Cell::number(cx.m.numbers.count(missing as f64), missing as f64));
        Row::new(cells)
    };
    let mut columns = vec![
        Column::text(say!(cx.m, "col-metric")),
        Column::text(say!(cx.m, "col-instance")),
        Column::text(say!(cx.m, "col-course")),
        Column::number(say!(cx.m, "col-idle"), ""),
        Column::number(say!(cx.m, "col-mean"), ""),
        Column::number(say!(cx.m, "col-max"), ""),
    ];
    if has_counters {
        columns.push(Column::number(say!(cx.m, "col-growth"), ""));
    }
    columns.push(Column::number(say!(cx.m, "col-samples"), ""));
    columns.push(Column::number(say!(cx.m, "col-missing"), ""));
    Table {
        name: name.to_owned(),
        caption,
        columns,
        rows: all.iter().map(row).collect(),
        notes: vec![say!(cx.m, "note-metrics")],
    }
}

/// The course of a series as a small drawing, or why there is none and the series is in no figure.
fn course(cx: &Context<'_>, series: &Series<'_>) -> Cell {
    if series.values().next().is_none() {
        return Cell::text(say!(cx.m, "course-none"));
    }
    if series.is_constant() {
        return Cell::text(say!(cx.m, "course-constant"));
    }
    Cell { spark: charts::sparkline(&series.points), ..Cell::default() }
}

/// What happened during a scenario; `None` where nothing did.
pub(super) fn events_of(cx: &Context<'_>, scenario: &ScenarioContext<'_>) -> Option<Table> {
    let is_here = |event: &&record::EventRow| scenario.from <= event.at && event.at <= scenario.to;
    let here: Vec<record::EventRow> = cx.input.views.events.iter().filter(is_here).cloned().collect();
    (!here.is_empty()).then(|| events(cx, &format!("events-{}", scenario.number), &here))
}

/// What happened while the run went on.
fn events(cx: &Context<'_>, name: &str, all: &[record::EventRow]) -> Table {
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
        name: name.to_owned(),
        caption: say!(cx.m, "table-events"),
        columns: vec![
            Column::number(say!(cx.m, "col-run-time"), "min:s"),
            Column::text(say!(cx.m, "col-event")),
            Column::text(say!(cx.m, "col-subject")),
            Column::text(say!(cx.m, "col-text")),
        ],
        rows: all.iter().take(200).map(row).collect(),
        notes: Vec::new(),
    }
}
