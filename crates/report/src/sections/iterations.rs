//! All iterations in one view: what clients saw and what was watched, over the whole run, with iterations marked.

use super::{iteration_servers, iteration_trends, watched};
use crate::charts::{self, ITERATION_LEGS, IterationRun, ServersShown};
use crate::document::{Block, Cell, Column, Detail, Row, Section, Table, slug};
use crate::input::{Context, leg_title};
use crate::iteration::{Iteration, iterations};
use crate::messages::say;
use crate::number::clean;
use judge::{Percentile, Times};

/// Percentiles of the table.
const PRINTED: [f64; 2] = [0.95, 0.98];

/// The chapter; `None` where nothing was held.
pub(crate) fn section(cx: &Context<'_>) -> Option<Section> {
    let iterations = iterations(cx);
    let whole = cx.whole_run().filter(|_| !iterations.is_empty())?;
    let run = IterationRun { cx, whole: &whole, iterations: &iterations };
    let mut section = Section::new("iterations", say!(cx.m, "iterations-title"));
    section.say(say!(cx.m, "iterations-intro", iterations = iterations.len()));
    section.parts.extend([client(&run), servers(&run), system(&run), iteration_trends::part(cx)]);
    section.parts.retain(|part| !part.blocks.is_empty());
    (!section.parts.is_empty()).then_some(section)
}

/// The first leg of each exchange, as many as are drawn.
fn legs<'a>(run: &IterationRun<'_, 'a>) -> Vec<(&'a str, &'a str)> {
    let mut found: Vec<(&str, &str)> = Vec::new();
    for (exchange, leg) in run.whole.legs() {
        if found.iter().all(|(known, _)| *known != exchange) {
            found.push((exchange, leg));
        }
    }
    found.truncate(ITERATION_LEGS);
    found
}

/// What clients saw: each iteration by itself first, then the course of the run.
fn client(run: &IterationRun<'_, '_>) -> Section {
    let m = &run.cx.m;
    let mut part = Section::new("iterations-client", say!(m, "iterations-client-title"));
    let legs = legs(run);
    let table = times(run, &legs);
    if !table.rows.is_empty() {
        part.add(Block::Table(table));
    }
    for (number, of) in legs.iter().enumerate() {
        let figure = charts::iteration_times(run, *of, &format!("fig-iteration-times-{number}"));
        part.blocks.extend(figure.map(Block::Figure));
    }
    part.blocks.extend(charts::iteration_rates(run, &legs, "fig-iteration-rates").map(Block::Figure));
    part
}

/// What each server's own log has of every iteration.
fn servers(run: &IterationRun<'_, '_>) -> Section {
    let mut part = Section::new("iterations-servers", say!(run.cx.m, "iterations-servers-title"));
    for (number, of) in watched::durations(run.cx).iter().enumerate() {
        part.add(Block::Table(iteration_servers::table(run, of, &format!("iterations-servers-{number}"))));
        for (shown, name) in [(ServersShown::Calls, "calls"), (ServersShown::Durations, "durations")] {
            let figure = charts::iteration_servers(run, of, shown, &format!("fig-iteration-{name}-{number}"));
            part.blocks.extend(figure.map(Block::Figure));
        }
    }
    part
}

/// What was watched of each server, side by side.
fn system(run: &IterationRun<'_, '_>) -> Section {
    let mut part = Section::new("iterations-system", say!(run.cx.m, "iterations-system-title"));
    for monitor in watched::monitors(run.cx) {
        let anchor = format!("fig-iteration-{}", slug(monitor));
        part.blocks.extend(charts::iteration_system(run, monitor, &anchor));
    }
    part
}

/// Calls and times of each iteration; percentiles are those of all its calls together, and have their intervals.
fn times(run: &IterationRun<'_, '_>, legs: &[(&str, &str)]) -> Table {
    let m = &run.cx.m;
    let mut rows = Vec::new();
    for iteration in run.iterations {
        rows.extend(legs.iter().filter_map(|of| row(run, iteration, *of, legs.len() > 1)));
    }
    let percentile = |quantile: f64| {
        let digits = m.numbers.digits(&charts::quantile_digits(quantile));
        Column::number(say!(m, "percentile-name", percentile = &digits), "ms")
    };
    let mut columns = vec![
        Column::text(say!(m, "search-col-iteration")),
        Column::number(say!(m, "search-col-users"), ""),
        Column::number(say!(m, "col-calls"), ""),
        Column::number(say!(m, "col-calls"), "/s"),
        Column::number(say!(m, "col-failed"), ""),
        Column::number(say!(m, "col-mean"), "ms"),
    ];
    columns.extend(PRINTED.map(percentile));
    columns.push(Column::number(say!(m, "col-max"), "ms"));
    Table {
        name: "iterations-times".to_owned(),
        caption: say!(m, "table-iterations-times"),
        columns,
        rows,
        notes: vec![say!(m, "note-iterations-times")],
    }
}

fn row(run: &IterationRun<'_, '_>, iteration: &Iteration<'_>, of: (&str, &str), is_named: bool) -> Option<Row> {
    let numbers = run.cx.m.numbers;
    let own = iteration.scenario.holds().filter(|(step, _)| iteration.holds(step.from));
    let holds: Vec<_> = own.filter_map(|(step, result)| Some((step, result?))).collect();
    let (step, leg) = holds.iter().find_map(|(step, result)| {
        // In a mix the view's name begins with the part's.
        let name = of.0.rsplit('/').next().unwrap_or(of.0);
        let exchange = result.exchanges.iter().find(|known| known.id == of.0 || known.id == name)?;
        let is_here = step.exchanges.iter().any(|known| known.name == of.0);
        let ok = exchange.legs.iter().find(|leg| leg.id == of.1 && leg.outcome == "ok").filter(|_| is_here)?;
        Some((*step, (ok, exchange.legs.iter().find(|leg| leg.id == of.1 && leg.outcome == "failed"))))
    })?;
    let (ok, failed) = leg;
    let times = if step.is_closed { ok.service.as_ref() } else { ok.response.as_ref().or(ok.service.as_ref()) };
    let count = |count: u64| Cell::number(numbers.count(count as f64), count as f64);
    let users: u32 = holds.iter().filter_map(|(step, _)| step.users).sum();
    let rate = ok.count as f64 / iteration.seconds();
    let name = Cell::text(iteration.name.clone());
    let name = if is_named { name.with_detail(clean(&leg_title(of.0, of.1))) } else { name };
    let mut cells = vec![
        name,
        if users > 0 { count(u64::from(users)) } else { Cell::missing() },
        count(ok.count),
        Cell::number(numbers.value(rate), rate),
        count(failed.map_or(0, |leg| leg.count)),
        measured(run, times.map(|times| (times.mean, times.mean_interval))),
    ];
    cells.extend(PRINTED.map(|quantile| {
        let found = times.and_then(|times| at(times, quantile));
        let enough = ok.count >= judge::assess::calls_needed(quantile);
        let cell = measured(run, found.filter(|_| enough).map(|found| (found.value, found.interval)));
        if found.is_some_and(|found| found.is_censored) { cell.at_least() } else { cell }
    }));
    cells.push(measured(run, times.map(|times| (times.max, None))));
    Some(Row::new(cells))
}

fn at(times: &Times, quantile: f64) -> Option<&Percentile> {
    times.percentiles.iter().find(|known| (known.quantile - quantile).abs() < 1e-9)
}

/// Milliseconds with their interval below.
fn measured(run: &IterationRun<'_, '_>, value: Option<(f64, Option<(f64, f64)>)>) -> Cell {
    let Some((value, interval)) = value else { return Cell::missing() };
    let numbers = run.cx.m.numbers;
    match interval {
        Some((low, high)) => {
            let (value_text, interval_text) = numbers.with_interval(value, low, high);
            Cell::number(value_text, value).with_detail_of(Detail::Interval(low, high), interval_text)
        }
        None => Cell::number(numbers.value(value), value),
    }
}
