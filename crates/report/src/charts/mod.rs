//! Figures. Each function draws one and says what it shows; none is drawn without something to draw.

mod distribution;
mod errors;
mod load;
mod strip;
mod system;
mod times;

pub(crate) use distribution::{ecdf, has_times, histogram, percentile_curve, quantile_digits};
pub(crate) use errors::errors;
pub(crate) use load::{plan, throughput};
pub(crate) use strip::{glyph, strip};
pub(crate) use system::{cpu, multiples};
pub(crate) use times::{heat_map, percentiles_over_time};

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
    words.data.caption.clone_from(&words.caption);
    Box::new(Figure {
        anchor: words.anchor,
        number: String::new(),
        caption: words.caption,
        svg,
        observation: words.observation,
        assessment: words.assessment,
        reading: words.reading,
        findings: words.findings,
        data: words.data,
        group: words.group,
    })
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

/// Shades the phases and names them.
pub(crate) fn phases(plot: &mut Plot, cx: &Context<'_>, scenario: &ScenarioContext<'_>) {
    for (index, (step, _)) in scenario.steps.iter().enumerate() {
        let name = phase_name(cx, step.phase, &step.id);
        let is_shaded = if step.phase == Phase::Hold { false } else { index % 2 == 0 || step.phase != Phase::Ramp };
        plot.band(scenario.since(step.from), scenario.since(step.to), &name, is_shaded);
    }
}

/// A phase's name for readers; the id where it says more.
pub(crate) fn phase_name(cx: &Context<'_>, phase: Phase, id: &str) -> String {
    let word = say!(cx.m, "phase-word", phase = phase.name());
    if id == phase.name() || id.is_empty() { word } else { id.replace('_', " ") }
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
