//! Durations that a monitor has of each call by itself, such as those of an access log: server by server, step by step.

use super::books::step_cell;
use super::watched::is_generator;
use crate::document::{Cell, Column, Row, Table};
use crate::input::{Context, ScenarioContext};
use crate::messages::say;
use judge::assess::calls_needed;
use judge::views::{MetricView, StepView};
use terms::Nanos;

/// Percentiles that are printed.
const PRINTED: [f64; 4] = [0.5, 0.95, 0.98, 0.99];

/// The watched durations of a scenario's holds; `None` where none was watched.
pub(super) fn table(cx: &Context<'_>, scenario: &ScenarioContext<'_>, name: &str) -> Option<Table> {
    let is_shown = |view: &&MetricView| {
        let metric = view.monitor.metrics.get(view.metric);
        metric.is_some_and(|metric| metric.kind == "distribution" && metric.unit == "s") && !is_generator(view)
    };
    let views: Vec<&MetricView> = cx.input.views.metrics.iter().filter(is_shown).collect();
    let mut rows = Vec::new();
    for (step, _) in scenario.holds() {
        rows.extend(views.iter().filter_map(|view| row(cx, view, step)));
    }
    if rows.is_empty() {
        return None;
    }
    let mut columns = vec![
        Column::text(say!(cx.m, "col-metric")),
        Column::text(say!(cx.m, "col-instance")),
        Column::text(say!(cx.m, "col-step")),
        Column::number(say!(cx.m, "col-count"), ""),
        Column::number(say!(cx.m, "col-count"), "/s"),
        Column::number(say!(cx.m, "col-mean"), "ms"),
    ];
    columns.extend(PRINTED.map(|quantile| {
        let digits = crate::charts::quantile_digits(quantile);
        Column::number(say!(cx.m, "percentile-name", percentile = &cx.m.numbers.digits(&digits)), "ms")
    }));
    columns.push(Column::number(say!(cx.m, "col-max"), "ms"));
    Some(Table {
        name: name.to_owned(),
        caption: say!(cx.m, "table-durations", scenario = scenario.name),
        columns,
        rows,
        notes: vec![say!(cx.m, "note-durations")],
    })
}

/// One server in one step; `None` where it had no call in it.
fn row(cx: &Context<'_>, view: &MetricView, step: &StepView) -> Option<Row> {
    let is_in = |at: Nanos| step.from <= at && at < step.to;
    let inside = view.points.iter().filter(|(at, _)| is_in(*at));
    let mut values: Vec<f64> = inside.filter_map(|(_, value)| *value).map(|seconds| seconds * 1e3).collect();
    values.sort_by(f64::total_cmp);
    let greatest = *values.last()?;
    let seconds = (step.to - step.from).as_secs_f64();
    let plain = |value: f64| Cell::number(cx.m.numbers.value(value), value);
    let count = values.len() as f64;
    let mut cells = vec![
        Cell::code(view.name()),
        Cell::code(&view.instance),
        step_cell(cx, step),
        Cell::number(cx.m.numbers.count(count), count),
        if seconds > 0.0 { plain(count / seconds) } else { Cell::missing() },
        plain(values.iter().sum::<f64>() / count),
    ];
    cells.extend(PRINTED.map(|quantile| {
        let is_few = (values.len() as u64) < calls_needed(quantile);
        if is_few { Cell::missing() } else { plain(nearest_rank(&values, quantile)) }
    }));
    cells.push(plain(greatest));
    Some(Row::new(cells))
}

/// The value at the rank ⌈q · n⌉ of sorted ones, of which there is one at least.
fn nearest_rank(sorted: &[f64], quantile: f64) -> f64 {
    let rank = (quantile * sorted.len() as f64).ceil() as usize;
    sorted[rank.clamp(1, sorted.len()) - 1]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranks_are_those_of_the_definition() {
        let values: Vec<f64> = (1..=100).map(f64::from).collect();
        assert_eq!([0.5, 0.95, 0.98, 1.0, 0.0].map(|q| nearest_rank(&values, q)), [50.0, 95.0, 98.0, 100.0, 1.0]);
        assert_eq!(nearest_rank(&[7.0], 0.99), 7.0);
    }
}
