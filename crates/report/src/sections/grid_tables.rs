//! Tables of a grid: what its words mean, a row for each cell, and the largest cells without an error.

use crate::document::{Cell, Column, Detail, Row, Table};
use crate::input::Context;
use crate::messages::say;
use crate::number::clean;
use judge::Percentile;
use judge::assess::calls_needed;
use judge::grids::{Grid, GridCell, GridLine, GridLoad};
use terms::Validity;

/// Percentiles of the table.
const PRINTED: [f64; 2] = [0.5, 0.99];
/// Lines of the table of the largest cells; the cells themselves are all in the table before it.
const LINES_MAX: usize = 60;

/// Words of a grid and what they mean, in the order in which they build on each other.
const TERMS: [(&str, &str); 7] = [
    ("grid-planned", "grid-planned-means"),
    ("grid-offered", "grid-offered-means"),
    ("grid-ok", "grid-ok-means"),
    ("grid-delivered", "grid-delivered-means"),
    ("grid-failed-connection", "grid-failed-connection-means"),
    ("grid-error-share", "grid-error-share-means"),
    ("grid-stood-share", "grid-stood-share-means"),
];

/// What readers call a cell.
pub(super) fn short(grid: &Grid, cell: usize) -> String {
    grid.cells.get(cell).map_or_else(String::new, |cell| clean(&grid.short_name(cell)))
}

/// What is planned, what fails, and what a share is of: always there, for no figure of a grid can be read without it.
pub(super) fn definitions(cx: &Context<'_>, grid: &Grid, name: &str) -> Table {
    let load = grid.load.name();
    let is_held = grid.load == GridLoad::Held;
    let has_sent = grid.cells.iter().any(|cell| cell.sent.is_some());
    let own = TERMS.iter().filter(|(key, _)| match *key {
        "grid-failed-connection" => is_held,
        "grid-stood-share" => has_sent,
        _ => true,
    });
    let row = |(key, means): &(&str, &str)| {
        let means = cx.m.text(means, &[("load", load.into())]);
        Row::new(vec![Cell::text(cx.m.text(key, &[])), Cell::text(means)])
    };
    Table {
        name: name.to_owned(),
        caption: say!(cx.m, "table-grid-definitions"),
        columns: vec![Column::text(say!(cx.m, "col-term")), Column::text(say!(cx.m, "col-meaning"))],
        rows: own.map(row).collect(),
        notes: Vec::new(),
    }
}

/// A row for each cell.
pub(super) fn cells(cx: &Context<'_>, grid: &Grid, name: &str) -> Table {
    let has_connections = grid.cells.iter().any(|cell| cell.connections.is_some());
    let has_sent = grid.cells.iter().any(|cell| cell.sent.is_some());
    let mut columns: Vec<Column> = grid.variables.iter().map(|variable| Column::text(clean(&variable.name))).collect();
    if has_connections {
        columns.push(Column::number(say!(cx.m, "grid-col-attempted"), ""));
        columns.push(Column::number(say!(cx.m, "grid-col-failed"), ""));
    }
    columns.push(Column::number(say!(cx.m, "grid-planned"), ""));
    columns.push(Column::number(say!(cx.m, "grid-error-share"), "%"));
    if has_sent {
        columns.push(Column::number(say!(cx.m, "grid-stood-share"), "%"));
    }
    columns.extend(PRINTED.map(|quantile| {
        let digits = crate::charts::quantile_digits(quantile);
        Column::number(say!(cx.m, "percentile-name", percentile = &cx.m.numbers.digits(&digits)), "ms")
    }));
    columns.push(Column::number(say!(cx.m, "grid-delivered"), "/s"));
    columns.push(Column::text(say!(cx.m, "col-verdict")));
    let row = |cell: &GridCell| {
        let mut row: Vec<Cell> =
            (0..grid.variables.len()).map(|variable| Cell::code(grid.value(cell, variable))).collect();
        if has_connections {
            row.extend(connections(cx, cell));
        }
        row.push(planned(cx, cell));
        row.push(error_share(cx, cell));
        if has_sent {
            let share = cell.sent.and_then(|sent| sent.share());
            row.push(
                share.map_or_else(Cell::missing, |share| Cell::number(cx.m.numbers.percentage(share), share * 100.0)),
            );
        }
        row.extend(PRINTED.map(|quantile| time(cx, cell, quantile)));
        row.push(with_interval_of(cx, cell.delivered_per_s, cell.delivered_interval));
        row.push(verdict(cx, cell));
        Row { cells: row, x: None, is_strong: cell.is_clean() }
    };
    let measure = if grid.load == GridLoad::Closed { "service" } else { "response" };
    let mut notes = vec![say!(cx.m, "note-grid-cells", measure = measure)];
    if has_connections {
        notes.push(say!(cx.m, "note-grid-connections"));
    }
    if has_sent {
        notes.push(say!(cx.m, "note-grid-stood"));
    }
    if grid.cells.iter().any(is_bare) {
        notes.push(say!(cx.m, "note-grid-no-interval"));
    }
    if grid.cells.iter().any(|cell| cell.repetitions > 1) {
        notes.push(say!(cx.m, "note-grid-repeated"));
    }
    Table {
        name: name.to_owned(),
        caption: say!(cx.m, "table-grid-cells", grid = &clean(&grid.name)),
        columns,
        rows: grid.cells.iter().map(row).collect(),
        notes,
    }
}

/// Whether a share or a time that is printed has no interval.
fn is_bare(cell: &GridCell) -> bool {
    let percentiles = cell.times.iter().flat_map(|times| &times.percentiles);
    let printed = percentiles.filter(|it| PRINTED.contains(&it.quantile) && cell.ok >= calls_needed(it.quantile));
    cell.error_share.is_some_and(|share| share.interval.is_none())
        || printed.into_iter().any(|it| it.interval.is_none())
}

fn count(cx: &Context<'_>, count: u64) -> Cell {
    Cell::number(cx.m.numbers.count(count as f64), count as f64)
}

fn connections(cx: &Context<'_>, cell: &GridCell) -> [Cell; 2] {
    let Some(known) = cell.connections else { return [Cell::missing(), Cell::missing()] };
    let attempted = count(cx, known.attempted);
    let short = known.planned.filter(|planned| *planned != known.attempted);
    let attempted = match short {
        Some(planned) => attempted.with_detail(say!(cx.m, "grid-of-planned", planned = planned)),
        None => attempted,
    };
    [attempted, count(cx, known.failed)]
}

fn planned(cx: &Context<'_>, cell: &GridCell) -> Cell {
    let planned = count(cx, cell.planned);
    match cell.repetitions {
        0 | 1 => planned,
        times => planned.with_detail(say!(cx.m, "grid-repetitions", times = u64::from(times))),
    }
}

fn error_share(cx: &Context<'_>, cell: &GridCell) -> Cell {
    let Some(share) = cell.error_share else { return Cell::missing() };
    let printed = Cell::number(cx.m.numbers.percentage(share.value), share.value * 100.0);
    match share.interval {
        Some((low, high)) => {
            use crate::number::Rounding::{Down, Up};
            let shown = |value: f64, to| cx.m.numbers.percentage_to(value, to);
            let text = format!("{} – {}", shown(low, Down), shown(high, Up));
            printed.with_detail_of(Detail::Interval(low * 100.0, high * 100.0), text)
        }
        None => printed,
    }
}

fn time(cx: &Context<'_>, cell: &GridCell, quantile: f64) -> Cell {
    let is_carried = cell.ok >= calls_needed(quantile);
    let found = cell.times.iter().flat_map(|times| &times.percentiles).find(|it| (it.quantile - quantile).abs() < 1e-9);
    match found.filter(|_| is_carried) {
        Some(Percentile { value, interval, is_censored, .. }) => {
            let shown = with_interval_of(cx, *value, *interval);
            if *is_censored { shown.at_least() } else { shown }
        }
        None => Cell::missing(),
    }
}

pub(super) fn with_interval_of(cx: &Context<'_>, value: f64, interval: Option<(f64, f64)>) -> Cell {
    match interval {
        Some((low, high)) => {
            let (text, detail) = cx.m.numbers.with_interval(value, low, high);
            Cell::number(text, value).with_detail_of(Detail::Interval(low, high), detail)
        }
        None => Cell::number(cx.m.numbers.value(value), value),
    }
}

/// The verdict, and below it that the measurement was disturbed, where it was.
fn verdict(cx: &Context<'_>, cell: &GridCell) -> Cell {
    let shown = match cell.verdict {
        Some(verdict) => Cell {
            kind: crate::document::CellKind::Verdict(verdict),
            ..Cell::text(say!(cx.m, "verdict-word", verdict = verdict.name()))
        },
        None => Cell::missing(),
    };
    match cell.validity {
        Validity::Valid => shown,
        validity => shown.with_detail(say!(cx.m, "validity-word", validity = validity.name())),
    }
}

/// A row for each combination of the other variables: how far it went without an error.
pub(super) fn largest_cells(cx: &Context<'_>, grid: &Grid, rising: usize, name: &str) -> Table {
    let has_connections = grid.load == GridLoad::Held;
    let others: Vec<usize> = (0..grid.variables.len()).filter(|variable| *variable != rising).collect();
    let title = |variable: usize| name_of(grid, variable);
    let mut columns: Vec<Column> = others.iter().map(|variable| Column::text(title(*variable))).collect();
    columns.push(Column::text(say!(cx.m, "grid-col-largest", variable = &title(rising))));
    columns.push(Column::number(say!(cx.m, "grid-planned"), ""));
    columns.push(Column::number(say!(cx.m, "grid-col-times"), ""));
    columns.push(Column::number(say!(cx.m, "grid-col-at-most"), "%"));
    if has_connections {
        columns.push(Column::number(say!(cx.m, "grid-col-connections-at-most"), "%"));
    }
    columns.push(Column::text(say!(cx.m, "grid-col-next", variable = &title(rising))));
    let row = |line: &GridLine| {
        let first = line.cells.first().and_then(|cell| grid.cells.get(*cell));
        let value = |variable: &usize| first.map_or_else(Cell::missing, |cell| Cell::code(grid.value(cell, *variable)));
        let mut row: Vec<Cell> = others.iter().map(value).collect();
        row.extend(largest(cx, grid, (line, rising), has_connections));
        row.push(next(cx, grid, line, rising));
        Row::new(row)
    };
    let mut notes = Vec::new();
    if grid.lines.len() > LINES_MAX {
        notes.push(say!(cx.m, "note-grid-lines", shown = LINES_MAX, all = grid.lines.len()));
    }
    Table {
        name: name.to_owned(),
        caption: match grid.load {
            GridLoad::Held => say!(cx.m, "table-grid-clean-held", grid = &clean(&grid.name)),
            _ => say!(cx.m, "table-grid-clean", grid = &clean(&grid.name)),
        },
        columns,
        rows: grid.lines.iter().take(LINES_MAX).map(row).collect(),
        notes,
    }
}

fn name_of(grid: &Grid, variable: usize) -> String {
    grid.variables.get(variable).map_or_else(String::new, |known| clean(&known.name))
}

/// The largest cell without an error, and what stands behind it.
fn largest(cx: &Context<'_>, grid: &Grid, (line, rising): (&GridLine, usize), has_connections: bool) -> Vec<Cell> {
    let empty = if has_connections { 4 } else { 3 };
    let Some((cell, sure)) = line.clean.and_then(|cell| grid.cells.get(cell)).zip(line.sure) else {
        let none = Cell::text(say!(cx.m, "grid-clean-none"));
        return std::iter::once(none).chain((0..empty).map(|_| Cell::missing())).collect();
    };
    let share = |share: f64| {
        let text = cx.m.numbers.percentage_to(share, crate::number::Rounding::Up);
        Cell::number(format!("≤\u{a0}{text}"), share * 100.0)
    };
    let mut cells = vec![
        Cell::code(grid.value(cell, rising)),
        count(cx, sure.planned),
        count(cx, u64::from(sure.repetitions)),
        share(sure.error_share_at_most),
    ];
    if has_connections {
        cells.push(sure.failed_connections_at_most.map_or_else(Cell::missing, share));
    }
    cells
}

/// The next larger cell, in which something went wrong; or that there is none.
fn next(cx: &Context<'_>, grid: &Grid, line: &GridLine, rising: usize) -> Cell {
    let after = match line.clean {
        Some(clean) => line.cells.iter().skip_while(|cell| **cell != clean).nth(1),
        None => line.cells.first(),
    };
    let Some(cell) = after.and_then(|cell| grid.cells.get(*cell)) else {
        return Cell::text(say!(cx.m, "grid-next-none"));
    };
    let failed = cell.connections.map_or(0, |known| known.failed);
    let share = cell.error_share.map_or(0.0, |share| share.value);
    let detail = match cell.connections {
        _ if cell.errors == 0 && failed == 0 => say!(cx.m, "grid-next-untrusted"),
        Some(_) => say!(cx.m, "grid-next-held", failed = failed, share = judge::Arg::Share(share)),
        None => say!(cx.m, "grid-next", share = judge::Arg::Share(share)),
    };
    Cell::code(grid.value(cell, rising)).with_detail(detail)
}
