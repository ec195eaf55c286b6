//! Share of errors against the length of the ramp, where a variable of the grid sets it.

use super::xy::{Line, Point, STROKES, Titles, draw, frame, table};
use super::{Words, figure};
use crate::document::Figure;
use crate::input::Context;
use crate::messages::say;
use crate::number::clean;
use crate::svg::{Scale, Stroke};
use judge::Arg;
use judge::assess::{self, RampEffect};
use judge::grids::{Grid, GridCell, GridRole};

/// Cells that differ in their ramp only, the shortest first.
struct Series<'a> {
    name: String,
    cells: Vec<&'a GridCell>,
}

/// The figure; `None` where no variable sets the ramp.
pub(crate) fn grid_ramp(cx: &Context<'_>, grid: &Grid, anchor: &str) -> Option<Box<Figure>> {
    let ramp = grid.variables.iter().position(|variable| variable.role == GridRole::Ramp)?;
    let all = series(grid, ramp);
    // Lines along zero hide each other and say nothing; without any other, one of them does.
    let drawn =
        all.iter().enumerate().filter(|(place, series)| *place == 0 || series.cells.iter().any(|cell| cell.errors > 0));
    let lines: Vec<Line> =
        drawn.map(|(_, series)| series).zip(STROKES).map(|(series, stroke)| line(series, stroke)).collect();
    let titles = Titles { x: &say!(cx.m, "grid-axis-ramp"), y: &say!(cx.m, "grid-axis-errors"), units: ("s", "%") };
    let x = Scale::from_zero(grid.cells.iter().map(|cell| cell.ramp_s));
    let mut plot = frame(&lines, x, &titles, cx.m.numbers);
    draw(&mut plot, &lines);
    let worst = all.first()?;
    let (shortest, longest) = (*worst.cells.first()?, *worst.cells.last()?);
    let share = |cell: &GridCell| Arg::Share(cell.error_share.map_or(0.0, |share| share.value));
    let interval = |cell: &GridCell| cell.error_share.and_then(|share| share.interval);
    let key = match assess::ramp_effect(interval(shortest), interval(longest)) {
        RampEffect::Fewer => "fig-grid-ramp-means-fewer",
        RampEffect::More => "fig-grid-ramp-means-more",
        RampEffect::NotTold => "fig-grid-ramp-means-open",
    };
    let words = Words {
        anchor: anchor.to_owned(),
        subject: say!(cx.m, "fig-grid-ramp-what", grid = &clean(&grid.name)),
        caption: say!(
            cx.m,
            "fig-grid-ramp-finds",
            short = Arg::Seconds(shortest.ramp_s).given(),
            low = share(shortest),
            long = Arg::Seconds(longest.ramp_s).given(),
            high = share(longest)
        ),
        observation: say!(cx.m, "fig-grid-ramp-seen", line = &worst.name, lines = all.len(), drawn = lines.len()),
        assessment: say!(cx.m, key),
        reading: say!(cx.m, "fig-grid-ramp-reading"),
        data: table(&cx.m, &plot, &lines, &titles),
        ..Words::default()
    };
    Some(figure(plot, words))
}

/// All series, those with the most errors first.
fn series(grid: &Grid, ramp: usize) -> Vec<Series<'_>> {
    let others = |cell: &GridCell| {
        let all = (0..grid.variables.len()).filter(|variable| *variable != ramp);
        all.map(|variable| clean(grid.value(cell, variable))).collect::<Vec<_>>().join(", ")
    };
    let mut all: Vec<Series<'_>> = Vec::new();
    for cell in &grid.cells {
        let name = others(cell);
        match all.iter_mut().find(|known| known.name == name) {
            Some(known) => known.cells.push(cell),
            None => all.push(Series { name, cells: vec![cell] }),
        }
    }
    all.iter_mut().for_each(|series| series.cells.sort_by(|one, other| one.ramp_s.total_cmp(&other.ramp_s)));
    let errors = |series: &Series<'_>| series.cells.iter().map(|cell| cell.errors).sum::<u64>();
    all.sort_by_key(|series| std::cmp::Reverse(errors(series)));
    all
}

fn line(series: &Series<'_>, stroke: Stroke) -> Line {
    let point = |cell: &&GridCell| {
        let share = cell.error_share?;
        let interval = share.interval.map(|(low, high)| (low * 100.0, high * 100.0));
        Some(Point { interval, ..Point::new(cell.ramp_s, share.value * 100.0) })
    };
    Line { name: series.name.clone(), stroke, points: series.cells.iter().filter_map(point).collect() }
}
