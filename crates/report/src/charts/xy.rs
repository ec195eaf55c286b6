//! One plot of lines and dots over any two axes: the ground of the charts over load, throughput, runs and phase.

use crate::document::{Cell, Column, Table};
use crate::messages::{Messages, say};
use crate::number::Numbers;
use crate::svg::{Plot, Scale, Stroke};

use super::{column, number_row};

/// Lines that lie beside each other, in the order of colours; more than these nobody can tell apart.
pub(crate) const STROKES: [Stroke; 6] = [
    Stroke::solid("blue", 1.8),
    Stroke::dashed("orange", 1.7, "5 3"),
    Stroke::dashed("purple", 1.7, "2 2"),
    Stroke::solid("green", 1.7),
    Stroke::dashed("vermillion", 1.7, "8 3 2 3"),
    Stroke::solid("sky", 1.7),
];

/// A point with its interval.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Point {
    pub x: f64,
    pub y: f64,
    /// Interval of `y`, where there is one.
    pub interval: Option<(f64, f64)>,
}

impl Point {
    /// A point without an interval.
    pub(crate) fn new(x: f64, y: f64) -> Self {
        Self { x, y, interval: None }
    }
}

/// A named line.
#[derive(Clone, Debug)]
pub(crate) struct Line {
    pub name: String,
    pub stroke: Stroke,
    /// In the order in which they are joined.
    pub points: Vec<Point>,
}

/// Titles of the axes and of the table's first column.
pub(crate) struct Titles<'t> {
    pub x: &'t str,
    pub y: &'t str,
    /// Unit of both values in the table.
    pub units: (&'t str, &'t str),
}

/// Lines with dots and intervals as bands, labelled at the right.
pub(crate) fn draw(plot: &mut Plot, lines: &[Line]) {
    for line in lines {
        let band: Vec<_> =
            line.points.iter().filter_map(|point| point.interval.map(|(low, high)| (point.x, low, high))).collect();
        if band.len() > 1 {
            plot.between(&band, line.stroke.hue, 0.16);
        }
    }
    for line in lines {
        let joined: Vec<_> = line.points.iter().map(|point| (point.x, Some(point.y))).collect();
        plot.line(&joined, line.stroke);
        plot.enter();
        for point in &line.points {
            let at = (plot.px(point.x), plot.py(point.y));
            if let Some((low, high)) = point.interval {
                let (low, high) = (plot.py(low), plot.py(high));
                plot.canvas.line((at.0, low), (at.0, high), Stroke::solid(line.stroke.hue, 1.2));
            }
            plot.canvas.dot(at, 3.2, line.stroke.hue);
        }
        plot.leave();
        if let (Some(last), false) = (line.points.last(), line.name.is_empty()) {
            plot.label(last.y, &line.name, line.stroke);
        }
    }
}

/// A frame whose scales hold all points, the vertical from zero.
pub(crate) fn frame(lines: &[Line], x: Scale, titles: &Titles<'_>, numbers: Numbers) -> Plot {
    let ends = |point: &Point| [Some(point.y), point.interval.map(|(_, high)| high)];
    let y = Scale::from_zero(lines.iter().flat_map(|line| &line.points).flat_map(ends).flatten());
    let mut plot = Plot::new(210.0, x, y, numbers);
    plot.axes(titles.x, titles.y);
    plot
}

/// An axis's title without its unit, which a column has beside its title.
fn bare<'a>(title: &'a str, unit: &str) -> &'a str {
    let without = title.strip_suffix(')').and_then(|title| title.strip_suffix(unit)?.strip_suffix(" ("));
    without.unwrap_or(title)
}

/// Numbers of all lines, a row a point.
pub(crate) fn table(m: &Messages, plot: &Plot, lines: &[Line], titles: &Titles<'_>) -> Table {
    let row = |line: &Line, point: &Point| {
        let interval = [point.interval.map(|ends| ends.0), point.interval.map(|ends| ends.1)];
        let values = [Some(point.x), Some(point.y), interval[0], interval[1]];
        number_row(plot.px(point.x), Cell::text(line.name.clone()), &values, m.numbers)
    };
    Table {
        columns: vec![
            Column::text(say!(m, "col-name")),
            column(bare(titles.x, titles.units.0), titles.units.0),
            column(bare(titles.y, titles.units.1), titles.units.1),
            column(say!(m, "col-low"), titles.units.1),
            column(say!(m, "col-high"), titles.units.1),
        ],
        rows: lines.iter().flat_map(|line| line.points.iter().map(move |point| row(line, point))).collect(),
        ..Table::default()
    }
}
