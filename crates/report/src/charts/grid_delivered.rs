//! Planned against delivered, all cells of a grid on one axis: points with different connections and rates can be compared,
//! and a collapse beyond the limit is seen.

use super::{Words, column, figure, number_row};
use crate::document::{Cell, Column, Figure, Table};
use crate::input::Context;
use crate::messages::say;
use crate::number::clean;
use crate::svg::{Anchor, Lettering, Plot, Scale, Stroke, text_width};
use judge::Arg;
use judge::assess::{self, Delivery};
use judge::grids::{Grid, GridCell};

/// Cells that are named in the drawing.
const NAMED_MAX: usize = 4;
/// Between a point and its name.
const BESIDE: f64 = 9.0;

/// The figure; `None` with fewer than two cells.
pub(crate) fn grid_delivered(cx: &Context<'_>, grid: &Grid, anchor: &str) -> Option<Box<Figure>> {
    if grid.cells.len() < 2 {
        return None;
    }
    let failed = |cell: &GridCell| cell.connections.map_or(0.0, |all| all.failed as f64 / all.attempted.max(1) as f64);
    let rates: Vec<(f64, f64, f64)> =
        grid.cells.iter().map(|cell| (cell.offered_per_s, cell.delivered_per_s, failed(cell))).collect();
    // An interval between few repetitions may reach far beyond everything, and is cut at the edge.
    let ends = grid.cells.iter().flat_map(|cell| [cell.offered_per_s, cell.delivered_per_s]);
    let both = Scale::from_zero(ends);
    let mut plot = Plot::new(300.0, both, both, cx.m.numbers);
    let titles = (say!(cx.m, "grid-axis-planned"), say!(cx.m, "grid-axis-delivered"));
    plot.axes(&titles.0, &titles.1);
    let greatest = rates.iter().map(|(planned, ..)| *planned).fold(0.0, f64::max);
    let end = if let Scale::Linear { high, .. } = both { high } else { greatest };
    plot.line(&[(0.0, Some(0.0)), (end, Some(end))], Stroke::dashed("grey", 1.2, "4 4"));
    plot.label(end, &say!(cx.m, "grid-label-all"), Stroke::dashed("grey", 1.2, "4 4"));
    points(&mut plot, grid);
    names(&mut plot, grid);
    let best = grid.cells.iter().max_by(|one, other| one.delivered_per_s.total_cmp(&other.delivered_per_s))?;
    let lossy = grid.cells.iter().max_by(|one, other| one.lost_per_s().total_cmp(&other.lost_per_s()))?;
    let (caption, assessment) = match assess::delivery(&rates) {
        Delivery::Kept => (
            say!(cx.m, "fig-grid-delivered-finds-kept", rate = Arg::PerSecond(greatest)),
            say!(cx.m, "fig-grid-delivered-means-kept", share = Arg::Share(judge::capacity::KEPT_UP).given()),
        ),
        Delivery::Connections => {
            (say!(cx.m, "fig-grid-delivered-finds-connections"), say!(cx.m, "fig-grid-delivered-means-connections"))
        }
        Delivery::Short { best } => (
            say!(cx.m, "fig-grid-delivered-finds", rate = Arg::PerSecond(best)),
            say!(cx.m, "fig-grid-delivered-means-short", rate = Arg::PerSecond(best)),
        ),
        Delivery::Collapses { best, planned, delivered } => {
            let (best, planned, delivered) = (Arg::PerSecond(best), Arg::PerSecond(planned), Arg::PerSecond(delivered));
            let rates = (planned, delivered);
            (
                say!(
                    cx.m,
                    "fig-grid-delivered-finds-collapse",
                    best = best.clone(),
                    planned = rates.0.clone(),
                    delivered = rates.1.clone()
                ),
                say!(cx.m, "fig-grid-delivered-means-collapse", best = best),
            )
        }
    };
    let words = Words {
        anchor: anchor.to_owned(),
        subject: say!(cx.m, "fig-grid-delivered-what", grid = &clean(&grid.name)),
        caption,
        observation: seen(cx, grid, best, lossy),
        assessment,
        reading: say!(cx.m, "fig-grid-delivered-reading"),
        data: table(cx, &plot, grid, &titles),
        ..Words::default()
    };
    Some(figure(plot, words))
}

/// Which cell delivered most, and which lost most where any lost something.
fn seen(cx: &Context<'_>, grid: &Grid, best: &GridCell, lossy: &GridCell) -> String {
    let (most, rate) = (clean(&grid.short_name(best)), Arg::PerSecond(best.delivered_per_s));
    if lossy.is_delivered() {
        return say!(cx.m, "fig-grid-delivered-seen-kept", best = &most, delivered = rate);
    }
    say!(
        cx.m,
        "fig-grid-delivered-seen",
        best = &most,
        delivered = rate,
        lossy = &clean(&grid.short_name(lossy)),
        lost = Arg::PerSecond(lossy.lost_per_s())
    )
}

/// A dot where all went right, a cross where not; with the interval over repetitions.
fn points(plot: &mut Plot, grid: &Grid) {
    plot.enter();
    for cell in &grid.cells {
        let (x, y) = (plot.px(cell.offered_per_s), plot.py(cell.delivered_per_s));
        let hue = if cell.errors == 0 { "blue" } else { "vermillion" };
        if let Some((low, high)) = cell.delivered_interval {
            let ends = (plot.py(low), plot.py(high));
            plot.canvas.line((x, ends.0), (x, ends.1), Stroke::solid(hue, 1.2));
        }
        if cell.errors == 0 {
            plot.canvas.dot((x, y), 4.2, hue);
        } else {
            for side in [-1.0, 1.0] {
                let (from, to) = ((x - 4.5, y - 4.5 * side), (x + 4.5, y + 4.5 * side));
                plot.canvas.line(from, to, Stroke::solid(hue, 2.2));
            }
        }
    }
    plot.leave();
}

/// Names the best cell and those that lost most, where their names do not meet.
fn names(plot: &mut Plot, grid: &Grid) {
    let mut wanted: Vec<&GridCell> = Vec::new();
    wanted.extend(grid.cells.iter().max_by(|one, other| one.delivered_per_s.total_cmp(&other.delivered_per_s)));
    let mut lossy: Vec<&GridCell> = grid.cells.iter().filter(|cell| cell.errors > 0).collect();
    lossy.sort_by(|one, other| other.lost_per_s().total_cmp(&one.lost_per_s()));
    wanted.extend(lossy);
    let mut taken: Vec<[f64; 4]> = Vec::new();
    for cell in wanted {
        let values: Vec<String> = (0..grid.variables.len()).map(|variable| clean(grid.value(cell, variable))).collect();
        let text = values.join(", ");
        let (x, y) = (plot.px(cell.offered_per_s), plot.py(cell.delivered_per_s));
        let width = text_width(&text, 10.5);
        let (end, edge) = (x + BESIDE + width, plot.left + plot.width);
        let is_left = end > edge;
        let left = if is_left { x - BESIDE - width } else { x + BESIDE };
        let own = [left, y - 8.0, left + width, y + 6.0];
        let meets = |other: &[f64; 4]| own[0] < other[2] && other[0] < own[2] && own[1] < other[3] && other[1] < own[3];
        if taken.len() >= NAMED_MAX || taken.iter().any(meets) {
            continue;
        }
        taken.push(own);
        let (at, anchor) = if is_left { (x - BESIDE, Anchor::End) } else { (x + BESIDE, Anchor::Start) };
        plot.canvas.text((at, y + 4.0), &text, Lettering::new("ink-2", anchor).size(10.5));
    }
}

fn table(cx: &Context<'_>, plot: &Plot, grid: &Grid, titles: &(String, String)) -> Table {
    let row = |cell: &GridCell| {
        let ends = cell.delivered_interval;
        let values = [
            Some(cell.offered_per_s),
            Some(cell.delivered_per_s),
            ends.map(|(low, _)| low),
            ends.map(|(_, high)| high),
            Some(cell.errors as f64),
        ];
        number_row(plot.px(cell.offered_per_s), Cell::code(&cell.scenario), &values, cx.m.numbers)
    };
    Table {
        columns: vec![
            Column::text(say!(cx.m, "grid-col-cell")),
            column(&titles.0, "/s"),
            column(&titles.1, "/s"),
            column(say!(cx.m, "col-low"), "/s"),
            column(say!(cx.m, "col-high"), "/s"),
            column(say!(cx.m, "grid-col-errors"), ""),
        ],
        rows: grid.cells.iter().map(row).collect(),
        ..Table::default()
    }
}
