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

/// A coordinate in tenths of a unit; zero where it is no number.
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
