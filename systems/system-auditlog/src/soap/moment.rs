//! Moments as XML Schema writes them, and as the store does.

use jiff::civil::Date;
use jiff::{Timestamp, ToSpan};
use terms::{Nanos, iso};

/// Longest text that can be a moment.
const TEXT_MAX: usize = 40;

/// `2026-11-21T10:00:00Z`, with a fraction or an offset too, as time since 1970. Without a zone it is refused: whose
/// clock would be meant?
pub(crate) fn read(text: &str) -> Option<Nanos> {
    if text.len() > TEXT_MAX || !text.contains('T') || text.contains('[') {
        return None;
    }
    let moment: Timestamp = text.parse().ok()?;
    i64::try_from(moment.as_nanosecond()).ok().map(Nanos)
}

/// A moment, or a date as its first moment, as the store writes it: `2026-10-31 12:34:56` in UTC. `days` moves a date.
pub(crate) fn stored(text: &str, days: i64) -> Option<String> {
    if let Some(moment) = read(text) {
        return Some(written(moment));
    }
    if text.len() != "2026-10-31".len() {
        return None;
    }
    let date: Date = text.parse().ok()?;
    let date = date.checked_add(days.days()).ok()?;
    Some(format!("{date} 00:00:00"))
}

/// As the store writes it.
pub(super) fn written(moment: Nanos) -> String {
    iso::seconds(moment).replace('T', " ").trim_end_matches('Z').to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moments_have_a_zone() {
        assert_eq!(read("1970-01-01T00:00:01Z"), Some(Nanos::from_secs(1)));
        assert_eq!(read("1970-01-01T01:00:01.5+01:00"), Some(Nanos::from_millis(1500)));
        for text in [
            "",
            "1970-01-01T00:00:01",
            "1970-01-01",
            "1970-13-01T00:00:00Z",
            "x",
            "1970-01-01T00:00:01Z[Europe/Copenhagen]",
        ] {
            assert_eq!(read(text), None, "{text}");
        }
    }

    #[test]
    fn dates_stand_for_their_first_moment() {
        assert_eq!(stored("2026-10-31", 0).as_deref(), Some("2026-10-31 00:00:00"));
        assert_eq!(stored("2026-10-31", 1).as_deref(), Some("2026-11-01 00:00:00"));
        assert_eq!(stored("2026-10-31T12:34:56Z", 1).as_deref(), Some("2026-10-31 12:34:56"));
        for text in ["", "31-10-2026", "2026-02-30", "9999-12-31T00:00:00", "2026-10-3x"] {
            assert_eq!(stored(text, 0), None, "{text}");
        }
    }
}
