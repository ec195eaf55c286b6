//! Moments as logs write them, to nanoseconds since 1970 in UTC.

use terms::Nanos;

/// A moment, and whether it was written in whole seconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Moment {
    pub wall: Nanos,
    pub is_whole_second: bool,
}

/// How a moment is written.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Stamp {
    /// `[10/Oct/2000:13:55:36 -0700]`, with or without the brackets.
    Common,
    /// ISO 8601 with its zone, a number since 1970, or the common form: whichever it is.
    Any,
    /// A number since 1970, of so many a second.
    Epoch(f64),
}

/// Years that are believed: what lies outside is not a moment of a run.
const YEARS: std::ops::RangeInclusive<i64> = 1971..=2200;

impl Stamp {
    /// Reads a moment; `None` for what is none, or has no zone.
    pub fn read(self, text: &str) -> Option<Moment> {
        let text = text.trim();
        match self {
            Self::Common => common(text),
            Self::Epoch(a_second) => epoch(text, a_second),
            Self::Any => iso(text).or_else(|| common(text)).or_else(|| epoch(text, guessed(text)?)),
        }
    }

    /// Reads a moment that says no zone, as it stands on the server's own clock: nanoseconds since 1970 there. `None` for
    /// what is none, or says its zone.
    pub fn read_local(self, text: &str) -> Option<Nanos> {
        let text = text.trim();
        let bare = |text: &str| {
            let inner = text.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')).unwrap_or(text);
            common(&format!("{inner} +0000"))
        };
        match self {
            Self::Common => bare(text),
            Self::Epoch(_) => None,
            Self::Any => iso(&format!("{text}Z")).or_else(|| bare(text)),
        }
        .map(|moment| moment.wall)
    }

    /// Whether moments are whole seconds by their form.
    pub fn is_whole_second(self) -> bool {
        matches!(self, Self::Common) || self == Self::Epoch(1.0)
    }
}

/// Apache's `%t`, of the Common Log Format.
fn common(text: &str) -> Option<Moment> {
    const MONTHS: [&str; 12] = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];
    let text = text.strip_prefix('[').map_or(Some(text), |rest| rest.strip_suffix(']'))?;
    let (date, rest) = text.split_once(':')?;
    let mut parts = date.split('/');
    let (day, month, year) = (parts.next()?, parts.next()?, parts.next()?);
    let month = MONTHS.iter().position(|name| *name == month)? as i64 + 1;
    let (time, zone) = rest.split_once(' ')?;
    if parts.next().is_some() {
        return None;
    }
    let seconds =
        seconds((digits(year, 4)?, month, digits(day, 2)?), clock(time.split_once('.').map_or(time, |t| t.0))?)?;
    let fraction = time.split_once('.').map(|(_, fraction)| fraction);
    moment(seconds, zone_of(zone)?, fraction)
}

/// `2026-11-21T10:00:00.123Z`, `2026-11-21 10:00:00,123+01:00`. Without a zone it is not a moment.
fn iso(text: &str) -> Option<Moment> {
    let bytes = text.as_bytes();
    if bytes.len() < 20 || !bytes.is_ascii() || !matches!(bytes[10], b'T' | b't' | b' ') {
        return None;
    }
    let mut date = text[..10].split('-');
    let (year, month, day) = (date.next()?, date.next()?, date.next()?);
    if date.next().is_some() {
        return None;
    }
    let seconds = seconds((digits(year, 4)?, digits(month, 2)?, digits(day, 2)?), clock(&text[11..19])?)?;
    let rest = &text[19..];
    let (fraction, zone) = match rest.strip_prefix(['.', ',']) {
        Some(rest) => {
            let end = rest.find(|c: char| !c.is_ascii_digit())?;
            (Some(&rest[..end]), &rest[end..])
        }
        None => (None, rest),
    };
    moment(seconds, zone_of(zone.trim_start())?, fraction)
}

fn moment(seconds: i64, zone: i64, fraction: Option<&str>) -> Option<Moment> {
    let nanos = match fraction {
        None => 0,
        Some(digits) if digits.is_empty() || digits.len() > 9 || !digits.bytes().all(|b| b.is_ascii_digit()) => {
            return None;
        }
        Some(digits) => digits.parse::<i64>().ok()? * 10_i64.pow(9 - digits.len() as u32),
    };
    let wall = Nanos((seconds - zone) * 1_000_000_000 + nanos);
    Some(Moment { wall, is_whole_second: fraction.is_none() })
}

/// Seconds east of UTC: `Z`, `+0100`, `+01:00`, `-07`.
fn zone_of(text: &str) -> Option<i64> {
    if matches!(text, "Z" | "z" | "UTC" | "GMT") {
        return Some(0);
    }
    let (sign, rest) = match text.as_bytes().first()? {
        b'+' => (1, &text[1..]),
        b'-' => (-1, &text[1..]),
        _ => return None,
    };
    let (hours, minutes) = match rest.len() {
        2 => (rest, "00"),
        4 if rest.is_ascii() => rest.split_at(2),
        5 => rest.split_once(':')?,
        _ => return None,
    };
    let (hours, minutes) = (digits(hours, 2)?, digits(minutes, 2)?);
    (hours <= 18 && minutes < 60).then_some(sign * (hours * 3600 + minutes * 60))
}

/// `13:55:36` as seconds of the day; 60 is a leap second.
fn clock(text: &str) -> Option<i64> {
    let mut parts = text.split(':');
    let mut part = || digits(parts.next()?, 2);
    let (hours, minutes, seconds) = (part()?, part()?, part()?);
    (parts.next().is_none() && hours < 24 && minutes < 60 && seconds <= 60)
        .then_some(hours * 3600 + minutes * 60 + seconds)
}

fn digits(text: &str, length: usize) -> Option<i64> {
    let is_number = text.len() == length && text.bytes().all(|byte| byte.is_ascii_digit());
    is_number.then(|| text.parse().ok()).flatten()
}

/// Seconds since 1970 of a day and a time of it.
///
/// Source of the day's number: H. Hinnant, "chrono-Compatible Low-Level Date Algorithms", `days_from_civil`.
fn seconds((year, month, day): (i64, i64, i64), of_day: i64) -> Option<i64> {
    const DAYS: [i64; 12] = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
    let is_leap = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
    let longest = *DAYS.get(usize::try_from(month - 1).ok()?)? + i64::from(is_leap && month == 2);
    if !YEARS.contains(&year) || !(1..=longest).contains(&day) {
        return None;
    }
    let shifted = if month <= 2 { year - 1 } else { year };
    let (era, of_era) = (shifted.div_euclid(400), shifted.rem_euclid(400));
    let of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
    let days = era * 146_097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 719_468;
    Some(days * 86_400 + of_day)
}

/// How many a second a number since 1970 counts, by its size: seconds have ten digits until 2286, milliseconds thirteen.
fn guessed(text: &str) -> Option<f64> {
    match text.split('.').next()?.len() {
        9..=10 => Some(1.0),
        12..=13 => Some(1e3),
        15..=16 => Some(1e6),
        18..=19 => Some(1e9),
        _ => None,
    }
}

fn epoch(text: &str, a_second: f64) -> Option<Moment> {
    let (whole, fraction) = text.split_once('.').unwrap_or((text, ""));
    let is_number = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    if whole.is_empty() || whole.len() > 19 || !is_number(whole) || !is_number(fraction) || fraction.len() > 9 {
        return None;
    }
    // Whole and fraction apart: together they would lose digits as one floating-point number.
    let scale = 1e9 / a_second;
    let whole = i64::try_from(whole.parse::<i128>().ok()?.checked_mul(scale as i128)?).ok()?;
    let part = if fraction.is_empty() { 0.0 } else { format!("0.{fraction}").parse::<f64>().ok()? * scale };
    let wall = Nanos(whole.checked_add(part as i64)?);
    let year = wall.0 / 31_556_952_000_000_000 + 1970;
    YEARS.contains(&year).then_some(Moment { wall, is_whole_second: fraction.is_empty() && a_second == 1.0 })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use terms::iso as written;

    fn read(stamp: Stamp, text: &str) -> Option<String> {
        stamp.read(text).map(|moment| written::millis(moment.wall))
    }

    #[test]
    fn moments_of_servers() {
        // The example of Apache's manual of mod_log_config; 13:55:36 at seven hours west is 20:55:36 in UTC.
        let common = Some("2000-10-10T20:55:36.000Z".to_owned());
        assert_eq!(read(Stamp::Common, "[10/Oct/2000:13:55:36 -0700]"), common);
        assert_eq!(read(Stamp::Common, "10/Oct/2000:13:55:36 -0700"), common, "nginx's $time_local");
        assert_eq!(read(Stamp::Any, "[10/Oct/2000:13:55:36.250 -0700]").as_deref(), Some("2000-10-10T20:55:36.250Z"));
        for (text, expected) in [
            ("2026-11-21T10:00:00.123Z", "2026-11-21T10:00:00.123Z"),
            ("2026-11-21 11:00:00,123+01:00", "2026-11-21T10:00:00.123Z"),
            ("2026-11-21T10:00:00+00:00", "2026-11-21T10:00:00.000Z"),
            ("2024-02-29T23:59:59Z", "2024-02-29T23:59:59.000Z"),
            ("1795255200", "2026-11-21T10:00:00.000Z"),
            ("1795255200.123", "2026-11-21T10:00:00.123Z"),
            ("1795255200123", "2026-11-21T10:00:00.123Z"),
            ("1795255200123456", "2026-11-21T10:00:00.123Z"),
            ("1795255200123456789", "2026-11-21T10:00:00.123Z"),
        ] {
            assert_eq!(read(Stamp::Any, text).as_deref(), Some(expected), "{text}");
        }
        assert_eq!(read(Stamp::Epoch(1e3), "1795255200123").as_deref(), Some("2026-11-21T10:00:00.123Z"));
    }

    #[test]
    fn what_has_no_zone_or_is_no_moment_is_none() {
        for text in [
            "",
            "-",
            "2026-11-21T10:00:00",
            "2026-11-21 10:00:00.123",
            "2026-13-01T10:00:00Z",
            "2026-02-29T10:00:00Z",
            "2026-11-21T24:00:00Z",
            "2026-11-21T10:00:00.Z",
            "10/Oct/2000:13:55:36",
            "10/October/2000:13:55:36 +0000",
            "[10/Oct/2000:13:55:36 -0700",
            "12",
            "99999999999999999999",
            "-1795255200",
            "2026-11-21T10:00:00+99:00",
        ] {
            assert_eq!(Stamp::Any.read(text), None, "{text}");
        }
    }

    #[test]
    fn a_moment_without_a_zone_is_known_as_such() {
        let at = 1_795_255_200_000_000_000;
        for (text, nanos) in [
            ("2026-11-21T10:00:00", 0),
            ("2026-11-21 10:00:00,123", 123_000_000),
            ("21/Nov/2026:10:00:00", 0),
            ("[21/Nov/2026:10:00:00]", 0),
        ] {
            assert_eq!(Stamp::Any.read_local(text), Some(Nanos(at + nanos)), "{text}");
        }
        for text in ["2026-11-21T10:00:00Z", "21/Nov/2026:10:00:00 +0100", "1795255200", "", "-"] {
            assert_eq!(Stamp::Any.read_local(text), None, "{text}");
        }
        assert_eq!(Stamp::Epoch(1.0).read_local("2026-11-21T10:00:00"), None);
    }

    #[test]
    fn whole_seconds_are_known() {
        let is_whole = |text| Stamp::Any.read(text).unwrap().is_whole_second;
        assert!(is_whole("2026-11-21T10:00:00Z") && is_whole("1795255200"));
        assert!(!is_whole("2026-11-21T10:00:00.0Z") && !is_whole("1795255200000"));
    }

    proptest! {
        #[test]
        fn what_is_written_reads_back(millis in 40_000_000_000i64..7_000_000_000_000) {
            let wall = Nanos::from_millis(millis);
            prop_assert_eq!(Stamp::Any.read(&written::millis(wall)).unwrap().wall, wall);
        }

        #[test]
        fn no_text_makes_it_panic(text in "[\\[\\]0-9TtZ:/,.+\\- a-zé]{0,40}", scale in 0usize..4) {
            for stamp in [Stamp::Any, Stamp::Common, Stamp::Epoch([1.0, 1e3, 1e6, 1e9][scale])] {
                let _ = stamp.read(&text);
            }
        }
    }
}
