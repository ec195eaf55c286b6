//! When an event or a record was sent, as it says itself.

use terms::Nanos;

/// A moment is longer than this in no form.
const TEXT_MAX: usize = 64;

/// Reads nanoseconds since 1970 from a number or from a moment of RFC 3339. A number is seconds, milliseconds,
/// microseconds or nanoseconds by its size, as the years 1970 to 5138 have them; fractions may follow. `None` for
/// anything else.
pub fn sent(text: &[u8]) -> Option<Nanos> {
    let text = std::str::from_utf8(text).ok()?.trim();
    if text.len() > TEXT_MAX {
        return None;
    }
    match text.as_bytes().first()? {
        b'0'..=b'9' if text.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.') => number(text),
        _ => moment(text),
    }
}

fn moment(text: &str) -> Option<Nanos> {
    let moment: jiff::Timestamp = text.parse().ok()?;
    i64::try_from(moment.as_nanosecond()).ok().map(Nanos)
}

fn number(text: &str) -> Option<Nanos> {
    let (whole, fraction) = text.split_once('.').unwrap_or((text, ""));
    if !fraction.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let whole: i64 = whole.parse().ok()?;
    // How many nanoseconds one of its units is, and how many digits of a fraction are nanoseconds.
    let (unit, digits) = match () {
        () if whole < 100_000_000_000 => (1_000_000_000, 9),
        () if whole < 100_000_000_000_000 => (1_000_000, 6),
        () if whole < 100_000_000_000_000_000 => (1_000, 3),
        () => (1, 0),
    };
    let parts = fraction.bytes().chain(std::iter::repeat(b'0')).take(digits);
    let parts = parts.fold(0i64, |sum, digit| sum * 10 + i64::from(digit - b'0'));
    whole.checked_mul(unit)?.checked_add(parts).map(Nanos)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 2026-11-21T10:00:00.123456789Z, from `date -u -d … +%s%N`.
    const MOMENT: i64 = 1_795_255_200_123_456_789;

    #[test]
    fn a_moment_is_read_in_every_form() {
        for (text, expected) in [
            ("1795255200123456789", MOMENT),
            ("1795255200123456.789", MOMENT),
            ("1795255200123456", MOMENT / 1_000 * 1_000),
            ("1795255200123.456789", MOMENT),
            ("1795255200123", MOMENT / 1_000_000 * 1_000_000),
            ("1795255200.1234567891234", MOMENT),
            (" 1795255200 ", MOMENT / 1_000_000_000 * 1_000_000_000),
            ("1795255200.", MOMENT / 1_000_000_000 * 1_000_000_000),
            ("2026-11-21T10:00:00.123456789Z", MOMENT),
            ("2026-11-21T11:00:00.123456789+01:00", MOMENT),
            ("2026-11-21T10:00:00Z", MOMENT / 1_000_000_000 * 1_000_000_000),
            ("0", 0),
        ] {
            assert_eq!(sent(text.as_bytes()), Some(Nanos(expected)), "{text}");
        }
    }

    #[test]
    fn anything_else_is_none() {
        for text in [
            "",
            " ",
            "now",
            "-1",
            "1e9",
            "0x10",
            "1.2.3",
            ".5",
            "99999999999999999999",
            "2026-11-21",
            "2026-11-21T10:00:00",
            "2026-13-21T10:00:00Z",
            "null",
            "9223372036854775808",
        ] {
            assert_eq!(sent(text.as_bytes()), None, "{text}");
        }
        assert_eq!(sent(b"17952552\xff"), None);
        assert_eq!(sent("1".repeat(65).as_bytes()), None);
    }
}
