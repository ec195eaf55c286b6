//! Moments and durations as XML Schema writes them, and as the store does.

use std::time::Duration;

use terms::{Nanos, iso};

/// `2026-11-21T10:00:00Z`, with or without a fraction, a zone or an offset, as time since 1970 in UTC. Without a zone it
/// is UTC, as ebXML Messaging 2.0 (3.1.6.2) has it.
pub(crate) fn read(text: &str) -> Option<Nanos> {
    let (date, time) = text.split_once('T')?;
    let mut numbers = date.splitn(3, '-').map(digits);
    let (year, month, day) = (numbers.next()??, numbers.next()??, numbers.next()??);
    let (clock, offset_min) = zone(time)?;
    let (clock, fraction) = clock.split_once('.').unwrap_or((clock, "0"));
    let mut numbers = clock.splitn(3, ':').map(digits);
    let (hour, minute, second) = (numbers.next()??, numbers.next()??, numbers.next()??);
    let is_real = (1..=9999).contains(&year)
        && (1..=12).contains(&month)
        && (1..=days_in(year, month)).contains(&day)
        && hour < 24
        && minute < 60
        && second < 60;
    let is_fraction =
        !fraction.is_empty() && fraction.len() <= 18 && fraction.bytes().all(|byte| byte.is_ascii_digit());
    if !is_real || !is_fraction {
        return None;
    }
    let nanos: i64 = format!("{fraction:0<9}")[..9].parse().ok()?;
    let seconds = days(year, month, day) * 86_400 + hour * 3600 + (minute - offset_min) * 60 + second;
    // Nanoseconds reach to the year 2262; who writes 9999 means for ever, which that is as good for.
    Some(Nanos(seconds.saturating_mul(1_000_000_000).saturating_add(nanos)))
}

/// The clock without its zone, and minutes east of UTC.
fn zone(time: &str) -> Option<(&str, i64)> {
    if let Some(clock) = time.strip_suffix('Z') {
        return Some((clock, 0));
    }
    let Some(place) = time.find(['+', '-']) else { return Some((time, 0)) };
    let (hours, minutes) = time.get(place + 1..)?.split_once(':')?;
    let (hours, minutes) = (digits(hours)?, digits(minutes)?);
    if hours > 14 || minutes > 59 {
        return None;
    }
    let sign = if time.as_bytes()[place] == b'-' { -1 } else { 1 };
    Some((&time[..place], sign * (hours * 60 + minutes)))
}

fn digits(text: &str) -> Option<i64> {
    let is_number = !text.is_empty() && text.len() <= 4 && text.bytes().all(|byte| byte.is_ascii_digit());
    if is_number { text.parse().ok() } else { None }
}

fn days_in(year: i64, month: i64) -> i64 {
    match month {
        2 if year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) => 29,
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    }
}

/// Days since 1970-01-01 (proleptic Gregorian): months counted from March, so that the leap day ends the year.
fn days(year: i64, month: i64, day: i64) -> i64 {
    let year = if month > 2 { year } else { year - 1 };
    let from_march = (month + 9) % 12;
    let (era, of_era) = (year.div_euclid(400), year.rem_euclid(400));
    let of_year = (153 * from_march + 2) / 5 + day - 1;
    era * 146_097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 719_468
}

/// `PT5M`, `P5D`, `PT2.5S`, `P1DT12H`: an XML Schema duration without years and months, whose length is not fixed.
pub(crate) fn read_duration(text: &str) -> Option<Duration> {
    let (date, time) = match text.strip_prefix('P')?.split_once('T') {
        Some((_, "")) => return None,
        Some((date, time)) => (date, time),
        None => (text.strip_prefix('P')?, ""),
    };
    let mut seconds = 0.0;
    let mut fields = 0;
    for (part, units) in [(date, &[('D', 86_400.0)][..]), (time, &[('H', 3600.0), ('M', 60.0), ('S', 1.0)])] {
        let mut rest = part;
        let mut left = units;
        while !rest.is_empty() {
            let end = rest.find(|c: char| c.is_ascii_alphabetic())?;
            let unit = rest[end..].chars().next()?;
            let place = left.iter().position(|(name, _)| *name == unit)?;
            let number = &rest[..end];
            if number.is_empty() || !number.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.') {
                return None;
            }
            seconds += number.parse::<f64>().ok()? * left[place].1;
            left = &left[place + 1..];
            rest = &rest[end + 1..];
            fields += 1;
        }
    }
    // A century is more than any agreement means.
    if fields > 0 && seconds <= 3.2e9 { Some(Duration::from_secs_f64(seconds)) } else { None }
}

/// `2026-11-21T10:00:00.123Z`, for envelopes.
pub(crate) fn written(moment: Nanos) -> String {
    iso::millis(moment)
}

/// `2026-11-21 10:00:00.123`, in UTC: the form of both stores, which sorts as time does.
pub(crate) fn stored(moment: Nanos) -> String {
    let mut text = iso::millis(moment).replace('T', " ");
    text.pop();
    text
}

/// Reads what [`stored`] wrote.
pub(crate) fn from_store(text: &str) -> Option<Nanos> {
    read(&text.replacen(' ', "T", 1))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn moments_of_all_forms_are_read() {
        // Seconds from `date -u -d … +%s`.
        for (text, second) in [
            ("2026-11-21T10:00:00Z", 1_795_255_200),
            ("2026-11-21T10:00:00", 1_795_255_200),
            ("2026-11-21T11:00:00+01:00", 1_795_255_200),
            ("2026-11-21T04:30:00-05:30", 1_795_255_200),
            ("2000-02-29T00:00:00Z", 951_782_400),
            ("1970-01-01T00:00:00Z", 0),
        ] {
            assert_eq!(read(text), Some(Nanos::from_secs(second)), "{text}");
        }
        assert_eq!(read("1970-01-01T00:00:00.0015Z"), Some(Nanos(1_500_000)));
        assert_eq!(read("9999-12-31T23:59:59Z"), Some(Nanos(i64::MAX)));
        for text in [
            "",
            "T",
            "2026-11-21",
            "2026-13-01T00:00:00Z",
            "2026-02-29T00:00:00Z",
            "2026-11-21T24:00:00Z",
            "2026-11-21T10:00:00.Z",
            "2026-11-21T10:00Z",
            "+026-11-21T10:00:00Z",
            "99999-11-21T10:00:00Z",
            "2026-11-21T10:00:00+1:0:0",
            "2026-11-21T10:00:00é",
        ] {
            assert_eq!(read(text), None, "{text}");
        }
    }

    #[test]
    fn durations_are_read() {
        for (text, seconds) in
            [("PT2S", 2.0), ("PT5M", 300.0), ("P5D", 432_000.0), ("P1DT12H", 129_600.0), ("PT0.5S", 0.5)]
        {
            assert_eq!(read_duration(text), Some(Duration::from_secs_f64(seconds)), "{text}");
        }
        for text in
            ["", "P", "PT", "5M", "P1M", "P1Y", "PT5", "PT5M5M", "PT5S5M", "PTS", "PT-5S", "PT1e3S", "P9999999D"]
        {
            assert_eq!(read_duration(text), None, "{text}");
        }
    }

    proptest! {
        #[test]
        fn what_is_written_reads_as_itself(millis in 0i64..4_102_444_800_000) {
            let moment = Nanos::from_millis(millis);
            prop_assert_eq!(read(&written(moment)), Some(moment));
            prop_assert_eq!(from_store(&stored(moment)), Some(moment));
        }

        #[test]
        fn any_text_is_read_or_refused(text in "[0-9TZPDHMS:.+-]{0,30}") {
            let _ = read(&text);
            let _ = read_duration(&text);
        }
    }
}
