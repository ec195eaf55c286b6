//! A series as small as a word, for cells of tables.

use crate::svg::{c, m4, runs};
use std::fmt::Write as _;

/// Size of a sparkline in units of the drawing.
const SIZE: (f64, f64) = (96.0, 18.0);

/// The course of a series, from its least to its greatest value; empty when there is nothing to draw.
///
/// It is decoration of the numbers beside it, so screen readers pass over it.
pub(crate) fn sparkline(points: &[(f64, Option<f64>)]) -> String {
    let values = || points.iter().filter_map(|point| point.1).filter(|value| value.is_finite());
    let (low, high) = values().fold((f64::MAX, f64::MIN), |(low, high), value| (low.min(value), high.max(value)));
    let (Some(first), Some(last)) = (points.first(), points.last()) else { return String::new() };
    if low >= high || last.0 <= first.0 {
        return String::new();
    }
    let (width, height) = SIZE;
    let place = |(x, y): (f64, f64)| {
        let across = (x - first.0) / (last.0 - first.0) * (width - 4.0) + 2.0;
        (across, height - 2.0 - (y - low) / (high - low) * (height - 4.0))
    };
    let mut path = String::new();
    for run in runs(points) {
        let placed: Vec<_> = run.into_iter().map(place).collect();
        for (index, (x, y)) in m4(&placed, 24).into_iter().enumerate() {
            let _ = write!(path, "{}{} {}", if index == 0 { 'M' } else { 'L' }, c(x), c(y));
        }
    }
    format!(
        "<svg class=\"spark\" viewBox=\"0 0 {} {}\" aria-hidden=\"true\"><path d=\"{path}\" fill=\"none\" \
         stroke=\"{}\" stroke-width=\"1.3\" class=\"k-blue\"/></svg>",
        c(width),
        c(height),
        crate::palette::light("blue")
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_course_has_both_extremes_in_it() {
        let points: Vec<_> = (0..500).map(|n| (f64::from(n), Some(if n == 250 { 9.0 } else { 1.0 }))).collect();
        let svg = sparkline(&points);
        assert!(svg.contains(" 2L") || svg.contains(" 2\""), "the peak touches the top: {svg}");
        assert!(svg.len() < 2000, "{}", svg.len());
    }

    #[test]
    fn what_never_changes_has_no_course() {
        assert_eq!(sparkline(&[(0.0, Some(1.0)), (1.0, Some(1.0))]), "");
        assert_eq!(sparkline(&[]), "");
        assert_eq!(sparkline(&[(0.0, None), (1.0, Some(f64::NAN))]), "");
    }
}
