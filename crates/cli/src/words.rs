//! Numbers as people read them in a terminal.

pub(crate) use run::grouped;
use terms::Nanos;

/// Three significant digits in the unit that fits.
pub(crate) fn short(time: Nanos) -> String {
    let (value, unit) = match time.0.abs() {
        0..1_000_000 => (time.0 as f64 / 1e3, "us"),
        1_000_000..1_000_000_000 => (time.0 as f64 / 1e6, "ms"),
        _ => (time.0 as f64 / 1e9, "s"),
    };
    let digits = if value.abs() < 10.0 { 2 } else { usize::from(value.abs() < 100.0) };
    format!("{value:.digits$}{unit}")
}

/// `1:05:30`, `2:03`, `12s`
pub(crate) fn clock_face(left: Nanos) -> String {
    let seconds = (left.0 + 999_999_999) / 1_000_000_000;
    match seconds {
        0..60 => format!("{seconds}s"),
        60..3600 => format!("{}:{:02}", seconds / 60, seconds % 60),
        _ => format!("{}:{:02}:{:02}", seconds / 3600, seconds / 60 % 60, seconds % 60),
    }
}

/// Words in lines of at most `width` characters; a longer word has a line of its own.
pub(crate) fn wrapped(text: &str, width: usize) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for word in text.split_whitespace() {
        match lines.last_mut() {
            Some(line) if line.chars().count() + 1 + word.chars().count() <= width => {
                line.push(' ');
                line.push_str(word);
            }
            _ => lines.push(word.to_owned()),
        }
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_short_and_clocks_round_up() {
        assert_eq!(short(Nanos(1_234_567)), "1.23ms");
        assert_eq!(short(Nanos(12_345_678)), "12.3ms");
        assert_eq!(short(Nanos(850_000)), "850us");
        assert_eq!(clock_face(Nanos(1)), "1s");
        assert_eq!(clock_face(Nanos::from_secs(3725)), "1:02:05");
        assert_eq!(wrapped("one two three", 7), ["one two", "three"]);
    }
}
