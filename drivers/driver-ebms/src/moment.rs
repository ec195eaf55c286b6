//! Durations and moments as XML Schema writes them.

use std::str::FromStr;

use jiff::civil::{self, Date};
use terms::Nanos;

const EPOCH: Date = civil::date(1970, 1, 1);
const SECONDS_A_DAY: i64 = 86_400;
/// Nothing in messaging lasts longer than a century, and nanoseconds end at three of them.
const SECONDS_MAX: i64 = 100 * 366 * SECONDS_A_DAY;

/// A duration such as `PT5M`, `P5D` or `PT1.5S` (XML Schema 1.0 part 2, section 3.2.6). `None` for anything else, for a
/// negative one, and for one of years or months, which have no fixed length.
pub(crate) fn duration(text: &str) -> Option<Nanos> {
    let rest = text.strip_prefix('P')?;
    let (days, time) = rest.split_once('T').map_or((rest, None), |(days, time)| (days, Some(time)));
    if days.is_empty() && time.is_none_or(str::is_empty) || time == Some("") {
        return None;
    }
    let mut total = Nanos::ZERO;
    for (part, units) in
        [(days, &[('D', SECONDS_A_DAY)][..]), (time.unwrap_or(""), &[('H', 3600), ('M', 60), ('S', 1)])]
    {
        let (mut rest, mut units) = (part, units.iter());
        while !rest.is_empty() {
            let end = rest.find(|c: char| !c.is_ascii_digit() && c != '.')?;
            let (number, after) = rest.split_at(end);
            let designator = after.chars().next()?;
            let (_, seconds) = units.find(|(known, _)| *known == designator)?;
            total += scaled(number, *seconds)?;
            rest = &after[1..];
        }
    }
    (total.as_secs_f64() <= SECONDS_MAX as f64).then_some(total)
}

/// So many times that many seconds; only seconds may have a fraction.
fn scaled(number: &str, seconds: i64) -> Option<Nanos> {
    let (whole, fraction) = number.split_once('.').map_or((number, None), |(whole, fraction)| (whole, Some(fraction)));
    let whole: i64 = whole.parse().ok()?;
    let whole = Nanos::from_secs(whole.checked_mul(seconds).filter(|total| *total <= SECONDS_MAX)?);
    let Some(fraction) = fraction else { return Some(whole) };
    if seconds != 1 || fraction.is_empty() || !fraction.bytes().all(|digit| digit.is_ascii_digit()) {
        return None;
    }
    let nanos: i64 = format!("{:0<9.9}", fraction).parse().ok()?;
    Some(whole + Nanos::from_micros(nanos / 1000))
}

/// A moment such as `2026-01-31T00:00:00Z` (XML Schema 1.0 part 2, section 3.2.7), as time since 1970; one without a zone
/// is taken for UTC.
pub(crate) fn moment(text: &str) -> Option<Nanos> {
    let (date, time) = text.split_once('T')?;
    let mut parts = date.splitn(3, '-');
    let (year, month, day) = (digits(parts.next()?, 4)?, digits(parts.next()?, 2)?, digits(parts.next()?, 2)?);
    let date = Date::new(year, month, day).ok()?;
    let (time, offset) = match time.find(['Z', '+', '-']) {
        None => (time, 0),
        Some(at) => (&time[..at], zone(&time[at..])?),
    };
    let (time, _fraction) = time.split_once('.').unwrap_or((time, ""));
    let mut parts = time.splitn(3, ':');
    let (hour, minute, second): (i64, i64, i64) =
        (digits(parts.next()?, 2)?, digits(parts.next()?, 2)?, digits(parts.next()?, 2)?);
    // The time of day stays a sum: XML Schema has the hour 24, and others send leap seconds, which `jiff` refuses.
    if !(1970..=2261).contains(&year) || hour > 24 || minute > 59 || second > 60 {
        return None;
    }
    let midnight = date.duration_since(EPOCH).as_secs();
    Some(Nanos::from_secs(midnight + hour * 3600 + minute * 60 + second - offset))
}

fn digits<T: FromStr>(text: &str, length: usize) -> Option<T> {
    (text.len() == length && text.bytes().all(|byte| byte.is_ascii_digit())).then(|| text.parse().ok())?
}

/// `Z` or `+01:00`, in seconds.
fn zone(text: &str) -> Option<i64> {
    if text == "Z" {
        return Some(0);
    }
    let sign = if text.starts_with('-') { -1 } else { 1 };
    let (hours, minutes) = text.get(1..)?.split_once(':')?;
    let (hours, minutes): (i64, i64) = (digits(hours, 2)?, digits(minutes, 2)?);
    Some(sign * (hours * 3600 + minutes * 60))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn durations_are_those_of_xml_schema() {
        let seconds = |text| duration(text).map(|nanos| nanos.as_secs_f64());
        for (text, expected) in [
            ("PT5M", 300.0),
            ("PT1S", 1.0),
            ("PT1.5S", 1.5),
            ("PT0S", 0.0),
            ("P5D", 432_000.0),
            ("P1DT2H3M4S", 93_784.0),
            ("PT0.25S", 0.25),
            ("PT36H", 129_600.0),
        ] {
            assert_eq!(seconds(text), Some(expected), "{text}");
        }
        for text in [
            "",
            "P",
            "PT",
            "5M",
            "P1M",
            "P1Y",
            "-PT5M",
            "PT5",
            "PT1M1H",
            "PT1.S",
            "P1.5D",
            "PT5MT",
            "PT1H1H",
            "P1DT",
            "PTxS",
            "PT99999999999999999999S",
            "P999999999D",
        ] {
            assert_eq!(seconds(text), None, "{text}");
        }
    }

    #[test]
    fn moments_are_read_with_their_zone() {
        // `date -u -d 2026-11-21T10:00:00Z +%s` and the like.
        for (text, expected) in [
            ("1970-01-01T00:00:00Z", 0),
            ("2026-11-21T10:00:00Z", 1_795_255_200),
            ("2026-11-21T11:00:00+01:00", 1_795_255_200),
            ("2026-11-21T10:00:00.123", 1_795_255_200),
            ("2024-02-29T00:00:00-00:30", 1_709_166_600),
            ("2100-03-01T00:00:00Z", 4_107_542_400),
            ("2026-11-20T24:00:00Z", 1_795_219_200),
            ("2016-12-31T23:59:60Z", 1_483_228_800),
        ] {
            assert_eq!(moment(text), Some(Nanos::from_secs(expected)), "{text}");
        }
        for text in [
            "",
            "2026-11-21",
            "2026-13-01T00:00:00Z",
            "2026-02-29T00:00:00Z",
            "2026-04-31T00:00:00Z",
            "26-11-21T10:00:00Z",
            "2026-11-21T25:00:00Z",
            "2026-11-21T10:00:00+1",
            "9999-01-01T00:00:00Z",
            "2026-11-21T10:00Z",
        ] {
            assert_eq!(moment(text), None, "{text}");
        }
    }

    proptest! {
        #[test]
        fn what_terms_writes_is_read_back(seconds in 0i64..9_000_000_000) {
            let wall = Nanos::from_secs(seconds);
            prop_assert_eq!(moment(&terms::iso::millis(wall)), Some(wall));
        }

        #[test]
        fn any_text_is_read_or_refused(text in "[PTDHMSZ0-9.:+-]{0,30}|\\PC{0,20}") {
            let _ = (duration(&text), moment(&text));
        }
    }
}
