//! A line as moves from point to point.

use std::fmt::Write as _;

/// A line as moves from point to point, in tenths: half as long as places would be, and most of a page is lines.
pub(super) fn path(points: &[(f64, f64)]) -> String {
    let mut path = String::with_capacity(points.len() * 8);
    let Some((first, rest)) = points.split_first() else { return path };
    let (mut x, mut y) = (tenths(first.0), tenths(first.1));
    let _ = write!(path, "M{} {}", move_of(x), move_of(y));
    let mut last = ' ';
    for point in rest {
        let (to_x, to_y) = (tenths(point.0), tenths(point.1));
        let (dx, dy) = (move_of(to_x - x), move_of(to_y - y));
        let command = match (to_x == x, to_y == y) {
            (true, true) => continue,
            (false, true) => 'h',
            (true, false) => 'v',
            (false, false) => 'l',
        };
        // A command that repeats need not be written again.
        if command != last {
            path.push(command);
        } else if !(if command == 'v' { &dy } else { &dx }).starts_with('-') {
            path.push(' ');
        }
        match command {
            'h' => path.push_str(&dx),
            'v' => path.push_str(&dy),
            _ => {
                let between = if dy.starts_with('-') { "" } else { " " };
                let _ = write!(path, "{dx}{between}{dy}");
            }
        }
        (x, y, last) = (to_x, to_y, command);
    }
    path
}

/// A coordinate in tenths of a unit; zero where it is not a number.
pub(super) fn tenths(value: f64) -> i64 {
    if value.is_finite() { (value * 10.0).round() as i64 } else { 0 }
}

/// Tenths as the shortest number: `12`, `-.5`.
pub(super) fn move_of(tenths: i64) -> String {
    let (sign, size) = (if tenths < 0 { "-" } else { "" }, tenths.unsigned_abs());
    match (size / 10, size % 10) {
        (whole, 0) => format!("{sign}{whole}"),
        (0, part) => format!("{sign}.{part}"),
        (whole, part) => format!("{sign}{whole}.{part}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_written_as_moves_that_lead_to_its_points() {
        assert_eq!(
            path(&[(1.0, 2.0), (1.5, 2.0), (2.0, 1.4), (3.0, 1.0), (3.0, 1.0), (3.0, 9.0)]),
            "M1 2h.5l.5-.6 1-.4v8"
        );
        assert_eq!(path(&[(0.04, -0.06)]), "M0 -.1");
        assert_eq!(path(&[]), "");
        // Rounding does not add up: the end is where it would be by itself.
        let points: Vec<_> = (0..1000).map(|n| (f64::from(n) * 0.333, 0.0)).collect();
        let moves = path(&points);
        let moved: f64 = moves.trim_start_matches("M0 0h").split(' ').map(|part| part.parse::<f64>().unwrap()).sum();
        assert!((moved - 332.7).abs() < 0.05, "{moved}");
    }
}
