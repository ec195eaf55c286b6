//! The system under load, as it was watched.

use super::watched::{OWN, is_generator, monitors};
use crate::charts::{self, Series};
use crate::document::{Block, Cell, Column, Figure, NoteKind, Row, Section, Table, slug};
use crate::input::{Context, ScenarioContext};
use crate::messages::say;
use contract::Role;
use judge::views::MetricView;
use judge::{Arg, assess};

/// What a figure or table of the system is of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Topic {
    Processor,
    Memory,
    Rest,
}

impl Topic {
    fn of(role: Role) -> Self {
        match role {
            Role::Processor => Self::Processor,
            Role::Memory | Role::MachineMemory | Role::Heap => Self::Memory,
            _ => Self::Rest,
        }
    }
}

/// Name and role of a metric.
type Metric<'a> = (&'a str, Option<Role>);

/// Place of the first metric of a role.
fn place_of(metrics: &[Metric<'_>], role: Role) -> Option<usize> {
    metrics.iter().position(|(_, own)| *own == Some(role))
}

/// Leaves out what is shown already.
fn without(metrics: &mut Vec<Metric<'_>>, is_shown: impl Fn(Role) -> bool) {
    metrics.retain(|(_, role)| !role.is_some_and(&is_shown));
}

pub(crate) fn system(cx: &Context<'_>) -> Section {
    let mut section = Section::new("system", say!(cx.m, "system-title"));
    section.say(say!(cx.m, "system-intro"));
    section.blocks.extend(charts::topology(cx, "fig-topology").map(Block::Figure));
    if cx.input.views.metrics.iter().all(is_generator) {
        section.add(Block::Note { kind: NoteKind::Missing, text: say!(cx.m, "system-nothing") });
    } else {
        section.blocks.extend(super::resources::by_workload(cx, 2).map(Block::Table));
        section.parts.extend(cx.scenarios().iter().map(|scenario| part(cx, scenario)));
    }
    if !cx.input.views.events.is_empty() {
        section.add(Block::Table(events(cx, "events", &cx.input.views.events)));
    }
    section
}

/// The system in a table: what each workload used of it, and what happened to it.
pub(crate) fn resources(cx: &Context<'_>) -> Section {
    let mut section = Section::new("resources", say!(cx.m, "resources-title"));
    match super::resources::by_workload(cx, 1) {
        Some(table) => section.add(Block::Table(table)),
        None => section.add(Block::Note { kind: NoteKind::Missing, text: say!(cx.m, "resources-nothing") }),
    }
    for scenario in &cx.scenarios() {
        let durations = super::durations::table(cx, scenario, &format!("durations-{}", scenario.number));
        section.blocks.extend(durations.map(Block::raw));
    }
    if !cx.input.views.events.is_empty() {
        section.add(Block::Table(events(cx, "events", &cx.input.views.events)));
    }
    section
}

fn part(cx: &Context<'_>, scenario: &ScenarioContext<'_>) -> Section {
    let anchor = format!("system-{}-{}", scenario.number, slug(scenario.name));
    let mut part = Section::new(anchor, crate::number::clean(scenario.name));
    part.blocks = of_scenario(cx, scenario).into_iter().map(|(_, block)| block).collect();
    part
}

/// Everything that was watched in a scenario: figures, then the table of all series.
pub(super) fn of_scenario(cx: &Context<'_>, scenario: &ScenarioContext<'_>) -> Vec<(Topic, Block)> {
    let anchor = format!("system-{}-{}", scenario.number, slug(scenario.name));
    let mut blocks: Vec<(Topic, Block)> = Vec::new();
    let mut flat = Vec::new();
    for monitor in monitors(cx) {
        blocks.extend(figures(cx, scenario, monitor, &mut flat));
    }
    if !flat.is_empty() && !scenario.is_again() {
        let text = say!(cx.m, "system-flat", part = Arg::Share(assess::FLAT).given(), list = &flat.join("; "));
        blocks.push((Topic::Rest, Block::Paragraph { text, findings: Vec::new(), is_lead: false }));
    }
    if let (true, Some(first)) =
        (scenario.is_again(), cx.repetitions_of(scenario).into_iter().find(|other| !other.is_again()))
    {
        let text = say!(cx.m, "system-again", first = first.name);
        blocks.push((Topic::Rest, Block::Note { kind: NoteKind::Reading, text }));
    }
    let skew = charts::skew(cx, scenario, &format!("fig-skew-{}", scenario.number));
    blocks.extend(skew.map(|figure| (Topic::Rest, Block::Figure(figure))));
    let durations = super::durations::table(cx, scenario, &format!("{anchor}-durations"));
    blocks.extend(durations.map(|table| (Topic::Rest, Block::raw(table))));
    let caption = say!(cx.m, "table-metrics", scenario = scenario.name);
    let table = table(cx, scenario, &format!("{anchor}-table"), caption, |view| !is_generator(view));
    blocks.push((Topic::Rest, Block::raw(table)));
    blocks
}

/// All figures of one monitor: what matters most by itself, flows by both directions, the rest together.
/// A metric that did not move is a line in `flat` instead.
fn figures(
    cx: &Context<'_>,
    scenario: &ScenarioContext<'_>,
    monitor: &str,
    flat: &mut Vec<String>,
) -> Vec<(Topic, Block)> {
    let (mut metrics, mut instances): (Vec<Metric<'_>>, Vec<&str>) = (Vec::new(), Vec::new());
    for view in cx.input.views.metrics.iter().filter(|view| view.monitor.name == monitor) {
        let metric = (charts::metric_name(view), charts::metric_role(view));
        if !metrics.contains(&metric) {
            metrics.push(metric);
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
    let folded = |block: Block| if matches!(block, Block::Figure(_)) { Block::folded(block) } else { block };
    let mut figures: Vec<(Topic, Block)> = Vec::new();
    for (number, instance) in instances.iter().enumerate() {
        let figure = charts::cpu(cx, scenario, (monitor, instance), &anchor(&format!("parts-{number}")));
        figures.extend(figure.map(|figure| (Topic::Processor, shown(figure))));
    }
    if !figures.is_empty() {
        without(&mut metrics, charts::is_part);
    }
    if charts::HEAP_LEVELS[..2].iter().all(|level| place_of(&metrics, *level).is_some()) {
        let figure = charts::heap(cx, scenario, monitor, &anchor("heap"));
        figures.extend(figure.map(|figure| (Topic::Memory, shown(figure))));
        without(&mut metrics, |role| charts::HEAP_LEVELS.contains(&role));
    }
    // Of a process that is not Java virtual machine the same three levels, as the operating system has them.
    let mut has_levels = false;
    if charts::MEMORY_LEVELS[..2].iter().all(|level| place_of(&metrics, *level).is_some()) {
        let figure = charts::memory(cx, scenario, monitor, &anchor("levels"));
        has_levels = figure.is_some();
        figures.extend(figure.map(|figure| (Topic::Memory, shown(figure))));
        without(&mut metrics, |role| charts::MEMORY_LEVELS[1..].contains(&role));
    }
    for roles in OWN {
        let found = roles.iter().find_map(|role| Some((*role, place_of(&metrics, *role)?)));
        let Some((role, place)) = found else { continue };
        let (metric, _) = metrics.remove(place);
        let figure = charts::gauge(cx, scenario, (monitor, metric), &anchor(metric));
        match charts::flat(cx, scenario, (monitor, metric)) {
            Some(line) => {
                flat.push(line);
                figures.extend(figure.map(|figure| (Topic::of(role), Block::Data(Box::new(figure.data)))));
            }
            // The same as among the levels, only larger.
            None if has_levels && role == charts::MEMORY_LEVELS[0] => {
                figures.extend(figure.map(|figure| (Topic::of(role), folded(shown(figure)))));
            }
            None => figures.extend(figure.map(|figure| (Topic::of(role), shown(figure)))),
        }
    }
    for (first, second) in charts::PAIRS {
        let Some((up, down)) = place_of(&metrics, first).zip(place_of(&metrics, second)) else { continue };
        let (up, down) = (metrics[up].0, metrics[down].0);
        let figure = charts::mirrored(cx, scenario, (monitor, up, down), &anchor(up));
        figures.extend(figure.map(|figure| (Topic::Rest, shown(figure))));
        metrics.retain(|(known, _)| *known != up && *known != down);
    }
    let rest: Vec<&str> = metrics.iter().map(|(metric, _)| *metric).collect();
    let rest = charts::overview(cx, scenario, monitor, &rest, &anchor("rest"));
    figures.extend(rest.map(|figure| (Topic::Rest, folded(shown(figure)))));
    figures
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
        let greatest = series.max().unwrap_or_default();
        let shown = |value: Option<f64>| {
            value.map_or_else(Cell::missing, |value| {
                Cell::number(charts::quantity_beside(cx, series.view, value, greatest), value)
            })
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
            Cell::text(crate::number::clean(&crate::run_words::event(&cx.m, &event.kind, &event.text))),
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
