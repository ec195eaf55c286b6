//! Fewer points with the same picture.

/// Keeps first, least, greatest and last point of each pixel column, so that no extreme is lost (M4: Jugel, Jerzak,
/// Hackenbroich, Markl, "M4: a visualization-oriented time series data aggregation", VLDB 2014).
///
/// Points must be in order of x; at most `4 * columns` come back, unchanged when there are no more than that.
pub(crate) fn m4(points: &[(f64, f64)], columns: usize) -> Vec<(f64, f64)> {
    let (Some(first), Some(last)) = (points.first(), points.last()) else { return Vec::new() };
    if points.len() <= columns * 4 || last.0 <= first.0 {
        return points.to_vec();
    }
    let column_of = |x: f64| (((x - first.0) / (last.0 - first.0) * columns as f64) as usize).min(columns - 1);
    let mut kept = Vec::with_capacity(columns * 4);
    let mut from = 0;
    while from < points.len() {
        let column = column_of(points[from].0);
        let length = points[from..].iter().take_while(|point| column_of(point.0) == column).count();
        let part = &points[from..from + length];
        let least = (0..length).min_by(|a, b| part[*a].1.total_cmp(&part[*b].1)).unwrap_or(0);
        let greatest = (0..length).max_by(|a, b| part[*a].1.total_cmp(&part[*b].1)).unwrap_or(0);
        let mut picks = [0, least, greatest, length - 1];
        picks.sort_unstable();
        for (index, pick) in picks.iter().enumerate() {
            if index == 0 || picks[index - 1] != *pick {
                kept.push(part[*pick]);
            }
        }
        from += length;
    }
    kept
}

/// Cuts a series at its gaps: a missing sample is a gap in the line, never a zero.
pub(crate) fn runs(points: &[(f64, Option<f64>)]) -> Vec<Vec<(f64, f64)>> {
    let mut runs = vec![Vec::new()];
    for (x, value) in points {
        match value.filter(|value| value.is_finite()) {
            Some(value) => runs.last_mut().expect("invariant: there is always one run").push((*x, value)),
            None => runs.push(Vec::new()),
        }
    }
    runs.retain(|run| !run.is_empty());
    runs
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn extremes_and_ends_survive(values in proptest::collection::vec(-1e6f64..1e6, 1..5000), columns in 1usize..300) {
            let points: Vec<_> = values.iter().enumerate().map(|(x, y)| (x as f64, *y)).collect();
            let kept = m4(&points, columns);
            prop_assert!(kept.len() <= (columns * 4).max(1));
            let span = |points: &[(f64, f64)]| points.iter().fold((f64::MAX, f64::MIN), |(l, h), p| (l.min(p.1), h.max(p.1)));
            prop_assert_eq!(span(&kept), span(&points));
            prop_assert_eq!(kept.first(), points.first());
            prop_assert_eq!(kept.last(), points.last());
            prop_assert!(kept.windows(2).all(|pair| pair[0].0 < pair[1].0));
        }
    }

    #[test]
    fn a_gap_cuts_the_line() {
        let runs = runs(&[(0.0, Some(1.0)), (1.0, None), (2.0, Some(f64::NAN)), (3.0, Some(2.0)), (4.0, Some(3.0))]);
        assert_eq!(runs, [vec![(0.0, 1.0)], vec![(3.0, 2.0), (4.0, 3.0)]]);
    }
}
