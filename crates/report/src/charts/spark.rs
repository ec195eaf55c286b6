//! A series as small as a word, for cells of tables.

use crate::svg::{c, m4, runs};
use std::fmt::Write as _;

/// Size of a sparkline in units of the drawing: half a pixel each, so that whole numbers are fine enough.
const SIZE: (f64, f64) = (192.0, 36.0);

/// The course of a series, from its least to its greatest value; empty when there is nothing to draw.
///
/// It is decoration of the numbers beside it, so screen readers pass over it. Hundreds of them stand in a page, so a
/// line is written as moves in whole units.
pub(crate) fn sparkline(points: &[(f64, Option<f64>)]) -> String {
    let values = || points.iter().filter_map(|point| point.1).filter(|value| value.is_finite());
    let (low, high) = values().fold((f64::MAX, f64::MIN), |(low, high), value| (low.min(value), high.max(value)));
    let (Some(first), Some(last)) = (points.first(), points.last()) else { return String::new() };
    if low >= high || last.0 <= first.0 {
        return String::new();
    }
    let (width, height) = SIZE;
    let place = |(x, y): (f64, f64)| {
        let across = (x - first.0) / (last.0 - first.0) * (width - 8.0) + 4.0;
        (across, height - 4.0 - (y - low) / (high - low) * (height - 8.0))
    };
    let lines = runs(points).into_iter().map(|run| m4(&run.into_iter().map(place).collect::<Vec<_>>(), 14));
    let path: String = lines.map(|line| moves(&line)).collect();
    format!(
        "<svg class=\"spark\" viewBox=\"0 0 {} {}\" aria-hidden=\"true\"><path d=\"{path}\" class=\"k-blue l\"/></svg>",
        c(width),
        c(height)
    )
}

/// A line as moves in whole units.
fn moves(line: &[(f64, f64)]) -> String {
    let whole = |(x, y): &(f64, f64)| (x.round() as i64, y.round() as i64);
    let Some(first) = line.first() else { return String::new() };
    let (mut x, mut y) = whole(first);
    let mut path = format!("M{x} {y}l");
    for point in &line[1..] {
        let (to_x, to_y) = whole(point);
        if (to_x, to_y) == (x, y) {
            continue;
        }
        for step in [to_x - x, to_y - y] {
            if step >= 0 && !path.ends_with('l') {
                path.push(' ');
            }
            let _ = write!(path, "{step}");
        }
        (x, y) = (to_x, to_y);
    }
    if path.ends_with('l') {
        path.push_str("0 0");
    }
    path
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_course_has_both_extremes_in_it() {
        let points: Vec<_> = (0..500).map(|n| (f64::from(n), Some(if n == 250 { 9.0 } else { 1.0 }))).collect();
        let svg = sparkline(&points);
        assert!(svg.contains("d=\"M4 32l"), "it begins at the bottom: {svg}");
        assert!(svg.contains("-28"), "the peak touches the top: {svg}");
        assert!(svg.len() < 800, "{}", svg.len());
    }

    #[test]
    fn a_line_is_moves_that_lead_to_its_points() {
        assert_eq!(moves(&[(1.0, 2.0), (3.0, 2.4), (3.2, 2.0), (9.0, 1.0)]), "M1 2l2 0 6-1");
        assert_eq!(moves(&[(1.0, 2.0)]), "M1 2l0 0");
        assert_eq!(moves(&[]), "");
    }

    #[test]
    fn what_never_changes_has_no_course() {
        assert_eq!(sparkline(&[(0.0, Some(1.0)), (1.0, Some(1.0))]), "");
        assert_eq!(sparkline(&[]), "");
        assert_eq!(sparkline(&[(0.0, None), (1.0, Some(f64::NAN))]), "");
    }
}
