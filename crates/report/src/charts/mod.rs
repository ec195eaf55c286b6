//! Figures. Each function draws one and says what it shows; none is drawn without something to draw.

mod allowance;
mod awaiting;
mod bars;
mod carried;
mod counted;
mod cpu;
mod curve;
mod ecdf;
mod errors;
mod folded;
mod forest;
mod gauges;
mod grid_delivered;
mod grid_map;
mod grid_ramp;
mod grid_scaling;
mod grid_system;
mod heap;
mod heat;
mod histogram;
mod history;
mod iteration_servers;
mod iteration_system;
mod iterations;
mod leg;
mod levels;
mod little;
mod load;
mod memory;
mod mirrored;
mod over_time;
mod overview;
mod panels;
mod requirement_history;
mod sequence;
mod series;
mod skew;
mod spark;
mod stalls;
mod streams;
mod strip;
mod strip_matrix;
mod topology;
mod whole_run;
mod windows;
mod xy;

pub(crate) use awaiting::awaiting;
pub(crate) use bars::change_bar;
pub(crate) use carried::carried;
pub(crate) use counted::counted;
pub(crate) use cpu::{cpu, is_part};
pub(crate) use curve::{percentile_curve, quantile_digits};
pub(crate) use ecdf::ecdf;
pub(crate) use errors::errors;
pub(crate) use folded::{Folded, folded};
pub(crate) use forest::forest;
#[cfg(test)]
pub(crate) use forest::tests as forest_tests;
pub(crate) use gauges::{flat, gauge};
pub(crate) use grid_delivered::grid_delivered;
pub(crate) use grid_map::grid_map;
pub(crate) use grid_ramp::grid_ramp;
pub(crate) use grid_scaling::grid_scaling;
pub(crate) use grid_system::grid_system;
pub(crate) use heap::{LEVELS as HEAP_LEVELS, heap};
pub(crate) use heat::heat_map;
pub(crate) use histogram::histogram;
pub(crate) use history::{OverRuns, over_runs, run_history};
pub(crate) use iteration_servers::{Shown as ServersShown, Watched, iteration_servers};
pub(crate) use iteration_system::iteration_system;
pub(crate) use iterations::{LEGS_MAX as ITERATION_LEGS, Run as IterationRun, iteration_rates, iteration_times};
pub(crate) use leg::{LegFigures, has_times};
pub(crate) use levels::{Level, Levels, Use, response_over_load, response_over_throughput, use_over_throughput};
pub(crate) use little::{InFlight, little};
pub(crate) use load::{plan, throughput};
pub(crate) use memory::{LEVELS as MEMORY_LEVELS, memory};
pub(crate) use mirrored::{PAIRS, mirrored};
pub(crate) use over_time::percentiles_over_time;
pub(crate) use overview::overview;
pub(crate) use requirement_history::{changed, requirement_history};
pub(crate) use sequence::sequence;
pub(crate) use series::{Series, mean, metric_name, metric_role, quantity, quantity_beside};
pub(crate) use skew::skew;
pub(crate) use spark::sparkline;
pub(crate) use streams::{streams, streams_of};
pub(crate) use strip::strip;
pub(crate) use topology::topology;
pub(crate) use whole_run::whole_run;

use crate::document::{Cell, Column, Figure, Row, Table};
use crate::input::{Context, ScenarioContext};
use crate::messages::say;
use crate::number::Numbers;
use crate::svg::{Plot, Scale};
use std::collections::BTreeMap;
use terms::{Nanos, Phase};

/// All that belongs to a figure besides the drawing.
#[derive(Default)]
pub(crate) struct Words {
    pub anchor: String,
    /// What is plotted.
    pub subject: String,
    /// What it shows: the finding, in a few words.
    pub caption: String,
    pub observation: String,
    pub assessment: String,
    pub reading: String,
    pub findings: Vec<String>,
    pub group: String,
    pub data: Table,
}

/// Joins drawing and words. Screen readers get the caption as title and the observation as description.
pub(crate) fn figure(plot: Plot, words: Words) -> Box<Figure> {
    let svg = plot.finish(&words.anchor, &words.caption, &words.observation);
    joined(svg, words)
}

pub(crate) fn joined(svg: String, mut words: Words) -> Box<Figure> {
    words.data.name.clone_from(&words.anchor);
    words.data.caption.clone_from(&words.subject);
    Box::new(Figure {
        anchor: words.anchor,
        number: String::new(),
        subject: words.subject,
        caption: words.caption,
        svg,
        observation: words.observation,
        assessment: words.assessment,
        reading: words.reading,
        findings: words.findings,
        data: words.data,
        group: words.group,
        is_plain: false,
    })
}

/// The same, of which it is known whether it shows nothing that bears on the question. A finding always does.
pub(crate) fn plain_if(is_plain: bool, mut figure: Box<Figure>) -> Box<Figure> {
    figure.is_plain = is_plain && figure.findings.is_empty();
    figure
}

/// A column of a data table.
pub(crate) fn column(title: impl Into<String>, unit: &str) -> Column {
    Column { title: title.into(), unit: unit.to_owned(), is_number: true }
}

/// Counts in full, anything else with three significant digits.
fn plain(value: f64, numbers: Numbers) -> String {
    if value.fract() == 0.0 { numbers.count(value) } else { numbers.value(value) }
}

/// A row of a data table.
pub(crate) fn number_row(x: f64, first: Cell, values: &[Option<f64>], numbers: Numbers) -> Row {
    let mut cells = vec![first];
    cells.extend(
        values.iter().map(|value| value.map_or_else(Cell::missing, |value| Cell::number(plain(value, numbers), value))),
    );
    Row { cells, x: Some(x), is_strong: false }
}

/// Moment since the scenario's begin as a cell: shown as a clock would, kept in seconds.
pub(crate) fn moment(seconds: f64) -> Cell {
    Cell::number(crate::svg::clock(seconds), seconds)
}

/// The horizontal axis of all figures over time of one scenario.
pub(crate) fn time_axis(scenario: &ScenarioContext<'_>) -> Scale {
    Scale::Time { low: 0.0, high: scenario.length() }
}

/// Shades the phases that are not judged, names them all, and marks events.
pub(crate) fn phases(plot: &mut Plot, cx: &Context<'_>, scenario: &ScenarioContext<'_>) {
    let mut named: Vec<(Nanos, Nanos)> = Vec::new();
    for (step, _) in &scenario.steps {
        // Parts of a mix run at the same time: where one of them is named, another's name would lie over it.
        let is_free = named.iter().all(|known| step.to <= known.0 || known.1 <= step.from);
        let name = if is_free { phase_name(cx, step.phase, &step.id) } else { String::new() };
        named.push((step.from, step.to));
        plot.band(scenario.since(step.from), scenario.since(step.to), &name, is_unjudged(scenario, step));
    }
    for seconds in time_marks(cx, scenario) {
        plot.mark(seconds);
    }
}

/// Whether nothing is judged while a step lasts: it is no hold, and no part of a mix holds meanwhile.
pub(crate) fn is_unjudged(scenario: &ScenarioContext<'_>, step: &judge::views::StepView) -> bool {
    scenario.holds().all(|(hold, _)| hold.to <= step.from || step.to <= hold.from)
}

/// Events that are marked in figures over time; a run that stumbles all the time is not drawn as a hedge.
const MARKS_MAX: usize = 40;

/// When something happened to the system or the generator, seconds since the scenario began; as many as are marked.
pub(crate) fn time_marks(cx: &Context<'_>, scenario: &ScenarioContext<'_>) -> Vec<f64> {
    events_in(cx, scenario).take(MARKS_MAX).collect()
}

/// The same, all of them.
pub(crate) fn events_in(cx: &Context<'_>, scenario: &ScenarioContext<'_>) -> impl Iterator<Item = f64> {
    // Full collections belong to one heap, and may be hundreds: its own figure has them.
    // What a rule of the study decided is its plan, nothing that happened to it.
    fn is_one(kind: &str) -> bool {
        // What is known of imported files has no moment.
        ![contract::FULL_COLLECTION, record::SKIPPED, record::RESTED].contains(&kind)
            && !record::OF_FILES.contains(&kind)
    }
    let events = cx.input.views.events.iter().filter(|event| is_one(&event.kind)).map(|event| event.at);
    let inside = events.filter(|at| scenario.from <= *at && *at <= scenario.to);
    inside.map(|at| scenario.since(at))
}

/// Colours of instances, in the order in which they are given out.
const INSTANCES: [&str; 6] = ["blue", "orange", "green", "purple", "vermillion", "sky"];

/// The colour of an instance, the same in every figure of the report.
pub(crate) fn hue_of(cx: &Context<'_>, instance: &str) -> &'static str {
    let head = cx.input.head;
    let watched = head.monitors.iter().flat_map(|monitor| &monitor.instances);
    let mut seen: Vec<&str> = Vec::new();
    for name in head.instances.iter().map(|instance| &instance.name).chain(watched) {
        if name == instance {
            break;
        }
        if !seen.contains(&name.as_str()) {
            seen.push(name);
        }
    }
    INSTANCES[seen.len() % INSTANCES.len()]
}

/// Figures of one scenario over time share a crosshair.
pub(crate) fn scenario_group(scenario: &ScenarioContext<'_>) -> String {
    format!("t{}", scenario.number)
}

/// A phase's name for readers, with what the id says besides: `ramp 50/s`.
pub(crate) fn phase_name(cx: &Context<'_>, phase: Phase, id: &str) -> String {
    let word = say!(cx.m, "phase-word", phase = phase.name());
    if id.is_empty() {
        return word;
    }
    let more = id.strip_prefix(phase.name()).filter(|more| more.is_empty() || more.starts_with([' ', '_']));
    let said = more.map_or_else(|| id.to_owned(), |more| format!("{word}{more}"));
    crate::number::clean(&said.replace('_', " "))
}

/// One second of a scenario, all its steps together.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Second {
    pub intended: u64,
    pub started: u64,
    pub dropped: u64,
    pub ok: u64,
    pub failed: u64,
}

/// Whole seconds of a scenario. Those that its begin or end cuts are left out: a part of a second has no rate.
pub(crate) fn seconds(scenario: &ScenarioContext<'_>) -> BTreeMap<i64, Second> {
    let mut seconds: BTreeMap<i64, Second> = BTreeMap::new();
    for (step, _) in &scenario.steps {
        for view in &step.seconds {
            let second = seconds.entry(view.second).or_default();
            second.intended += view.intended;
            second.started += view.started;
            second.dropped += view.dropped;
            second.ok += view.ended_ok;
            second.failed += view.ended_failed;
        }
    }
    seconds.retain(|second, _| is_whole(*second, scenario.from, scenario.to));
    seconds
}

/// Whether a second lies wholly in a span.
pub(crate) fn is_whole(second: i64, from: Nanos, to: Nanos) -> bool {
    from <= Nanos::from_secs(second) && Nanos::from_secs(second + 1) <= to
}

/// Whether a second lies wholly in a judged part of the scenario.
pub(crate) fn is_judged(scenario: &ScenarioContext<'_>, second: i64) -> bool {
    scenario.holds().any(|(step, result)| {
        let cut = Nanos::from_secs_f64(result.map_or(0.0, |result| result.judged_from));
        is_whole(second, step.from + cut, step.to)
    })
}
