//! Cells of a grid as a map: colour and sign of the verdict, and the share of what was planned that went wrong.

use super::{Words, joined};
use crate::document::{Cell, Column, Figure, Row, Table};
use crate::input::Context;
use crate::marks::{glyph, hue};
use crate::messages::say;
use crate::number::{MISSING, clean};
use crate::svg::{Anchor, Canvas, Lettering, Stroke, WIDTH, fit};
use judge::Arg;
use judge::grids::{Grid, GridCell};
use terms::{Validity, Verdict};

/// Maps side by side for the values of further variables; more cells stand in the table.
const MAPS_MAX: usize = 12;
/// Columns and rows of one map.
const COLUMNS_MAX: usize = 14;
const ROWS_MAX: usize = 20;
/// Height of a cell, and the room between two.
const CELL: f64 = 46.0;
const GAP: f64 = 4.0;
/// A cell is no wider.
const CELL_WIDTH_MAX: f64 = 110.0;
/// Room for the names of rows at the left, of columns and of the whole above.
const NAMES: f64 = 84.0;
const HEAD: f64 = 44.0;
/// Above a map that has a title of its own.
const TITLE: f64 = 22.0;
/// Between maps.
const BETWEEN: f64 = 26.0;

/// Which variables run down, across, and over maps.
struct Axes {
    down: Option<usize>,
    across: usize,
    others: Vec<usize>,
}

/// What a map is of: the values of the further variables.
struct Map {
    others: Vec<usize>,
    title: String,
}

/// The figure; `None` of a grid without variables.
pub(crate) fn grid_map(cx: &Context<'_>, grid: &Grid, anchor: &str) -> Option<Box<Figure>> {
    let axes = axes(grid)?;
    let maps = maps(grid, &axes);
    let canvas = draw(cx, grid, &axes, &maps);
    let count = |verdict| grid.cells.iter().filter(|cell| cell.verdict == verdict).count();
    let (met, not_met) = (count(Some(Verdict::Met)), count(Some(Verdict::NotMet)));
    let cannot_tell = count(Some(Verdict::CannotTell));
    let (none, wrong) = (count(None), grid.cells.iter().filter(|cell| has_errors(cell)).count());
    let worst = grid.cells.iter().max_by(|one, other| share(one).total_cmp(&share(other)))?;
    let means = match (none == grid.cells.len(), not_met, cannot_tell) {
        (true, ..) => "fig-grid-map-means-undemanded",
        (_, 0, 0) => "fig-grid-map-means-met",
        (_, 0, _) => "fig-grid-map-means-open",
        _ => "fig-grid-map-means-not-met",
    };
    let words = Words {
        anchor: anchor.to_owned(),
        subject: say!(cx.m, "fig-grid-map-what", grid = &clean(&grid.name)),
        caption: say!(cx.m, "fig-grid-map-finds", wrong = wrong, all = grid.cells.len()),
        observation: if wrong > 0 {
            say!(
                cx.m,
                "fig-grid-map-seen",
                met = met,
                not_met = not_met,
                cannot_tell = cannot_tell,
                worst = &clean(&grid.short_name(worst)),
                share = Arg::Share(share(worst))
            )
        } else {
            say!(cx.m, "fig-grid-map-seen-none", met = met, not_met = not_met, cannot_tell = cannot_tell)
        },
        assessment: say!(cx.m, means),
        reading: say!(cx.m, "fig-grid-map-reading"),
        data: table(cx, grid),
        ..Words::default()
    };
    let svg = canvas.finish(anchor, &words.caption, &words.observation);
    Some(joined(svg, words))
}

fn has_errors(cell: &GridCell) -> bool {
    cell.errors > 0 || cell.connections.is_some_and(|all| all.failed > 0)
}

fn share(cell: &GridCell) -> f64 {
    cell.error_share.map_or(0.0, |share| share.value)
}

/// The load's size runs across, the first other variable down.
fn axes(grid: &Grid) -> Option<Axes> {
    let all = 0..grid.variables.len();
    let across = grid.rising().or_else(|| all.clone().next_back())?;
    let down = all.clone().find(|variable| *variable != across);
    let others = all.filter(|variable| *variable != across && Some(*variable) != down).collect();
    Some(Axes { down, across, others })
}

fn maps(grid: &Grid, axes: &Axes) -> Vec<Map> {
    let mut maps: Vec<Map> = Vec::new();
    for cell in &grid.cells {
        let others: Vec<usize> = axes.others.iter().map(|variable| cell.values[*variable]).collect();
        if maps.len() < MAPS_MAX && maps.iter().all(|known| known.others != others) {
            let named = axes.others.iter().map(|variable| {
                format!("{} {}", clean(&grid.variables[*variable].name), clean(grid.value(cell, *variable)))
            });
            maps.push(Map { title: named.collect::<Vec<_>>().join(", "), others });
        }
    }
    maps
}

fn draw(cx: &Context<'_>, grid: &Grid, axes: &Axes, maps: &[Map]) -> Canvas {
    let columns = grid.variables[axes.across].values.len().min(COLUMNS_MAX);
    let rows = axes.down.map_or(1, |down| grid.variables[down].values.len().min(ROWS_MAX));
    let title = if axes.others.is_empty() { 0.0 } else { TITLE };
    let across = if maps.len() > 1 && columns <= 5 { 2 } else { 1 };
    let room = (WIDTH - BETWEEN * (across - 1) as f64) / across as f64;
    let width = ((room - NAMES) / columns as f64).min(CELL_WIDTH_MAX);
    let height = title + HEAD + rows as f64 * CELL;
    let down = maps.len().div_ceil(across);
    let mut canvas = Canvas::new(WIDTH, down as f64 * (height + BETWEEN));
    for (number, map) in maps.iter().enumerate() {
        let left = (number % across) as f64 * (room + BETWEEN);
        let mut top = (number / across) as f64 * (height + BETWEEN) + 4.0;
        if !map.title.is_empty() {
            let text = fit(&map.title, room, 12.5);
            canvas.text((left, top + 12.0), &text, Lettering::new("ink", Anchor::Start).size(12.5).bold());
            top += title;
        }
        names(&mut canvas, grid, axes, (left, top, width));
        for row in 0..rows {
            for column in 0..columns {
                let is_it = |cell: &&GridCell| {
                    cell.values[axes.across] == column
                        && axes.down.is_none_or(|down| cell.values[down] == row)
                        && axes.others.iter().map(|variable| cell.values[*variable]).eq(map.others.iter().copied())
                };
                let place = (left + NAMES + column as f64 * width, top + HEAD + row as f64 * CELL);
                let size = (width - GAP, CELL - GAP);
                cell(cx, &mut canvas, (place, size), grid.cells.iter().find(is_it));
            }
        }
    }
    canvas
}

/// Names and values of both variables, above and at the left.
fn names(canvas: &mut Canvas, grid: &Grid, axes: &Axes, (left, top, width): (f64, f64, f64)) {
    let quiet = Lettering::new("ink-2", Anchor::Start);
    let across = &grid.variables[axes.across];
    canvas.text((left + NAMES, top + 14.0), &clean(&across.name), quiet);
    for (column, value) in across.values.iter().take(COLUMNS_MAX).enumerate() {
        let at = (left + NAMES + (column as f64 + 0.5) * width - GAP / 2.0, top + 34.0);
        canvas.text(
            at,
            &fit(&clean(value), width - GAP, 12.0),
            Lettering::new("ink", Anchor::Middle).size(12.0).bold(),
        );
    }
    let Some(down) = axes.down.map(|down| &grid.variables[down]) else { return };
    canvas.text((left, top + 34.0), &fit(&clean(&down.name), NAMES - 8.0, 11.5), quiet);
    for (row, value) in down.values.iter().take(ROWS_MAX).enumerate() {
        let at = (left + NAMES - 10.0, top + HEAD + row as f64 * CELL + 26.0);
        canvas.text(at, &fit(&clean(value), NAMES - 12.0, 12.0), Lettering::new("ink", Anchor::End).size(12.0).bold());
    }
}

/// One cell: ground and sign of its verdict, below it the share; a frame where nothing at all went wrong.
fn cell(cx: &Context<'_>, canvas: &mut Canvas, (at, size): ((f64, f64), (f64, f64)), cell: Option<&GridCell>) {
    let middle = at.0 + size.0 / 2.0;
    let Some(cell) = cell else {
        canvas.text((middle, at.1 + 25.0), MISSING, Lettering::new("ink-3", Anchor::Middle));
        return;
    };
    let (ground, sign, ink) = match cell.verdict {
        Some(Verdict::Met) => ("met-ground", glyph(Verdict::Met), hue(Verdict::Met)),
        Some(Verdict::NotMet) => ("not-met-ground", glyph(Verdict::NotMet), hue(Verdict::NotMet)),
        Some(Verdict::CannotTell) => ("cannot-tell-ground", glyph(Verdict::CannotTell), hue(Verdict::CannotTell)),
        None => ("band", "·", "ink-2"),
    };
    canvas.rect(at, size, ground, 1.0);
    if cell.verdict == Some(Verdict::NotMet) {
        canvas.hatch(at, size);
    }
    if cell.is_clean() {
        canvas.outline((at.0 + 1.0, at.1 + 1.0), (size.0 - 2.0, size.1 - 2.0), Stroke::solid("ink-2", 1.6));
    }
    let disturbed = if cell.validity == Validity::Valid { "" } else { " !" };
    let style = Lettering::new(ink, Anchor::Middle).size(15.0).bold();
    canvas.text((middle, at.1 + 18.0), &format!("{sign}{disturbed}"), style);
    let share = cell.error_share.map_or_else(|| MISSING.to_owned(), |share| cx.m.numbers.share(share.value));
    canvas.text((middle, at.1 + 34.0), &share, Lettering::new("ink", Anchor::Middle).size(11.5));
}

fn table(cx: &Context<'_>, grid: &Grid) -> Table {
    let mut columns: Vec<Column> = grid.variables.iter().map(|variable| Column::text(clean(&variable.name))).collect();
    columns.push(Column::text(say!(cx.m, "col-verdict")));
    columns.push(super::column(say!(cx.m, "grid-error-share"), "%"));
    let row = |cell: &GridCell| {
        let mut cells: Vec<Cell> =
            (0..grid.variables.len()).map(|variable| Cell::code(grid.value(cell, variable))).collect();
        let word = |verdict: Verdict| Cell::text(say!(cx.m, "verdict-word", verdict = verdict.name()));
        cells.push(cell.verdict.map_or_else(Cell::missing, word));
        let number = |share: f64| Cell::number(cx.m.numbers.percentage(share), share * 100.0);
        cells.push(cell.error_share.map_or_else(Cell::missing, |share| number(share.value)));
        Row::new(cells)
    };
    Table { columns, rows: grid.cells.iter().map(row).collect(), ..Table::default() }
}
