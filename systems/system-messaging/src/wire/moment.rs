//! Moments and durations as XML Schema writes them, and as the store does.

use std::time::Duration;

use jiff::SignedDuration;
use jiff::civil::{self, Date, DateTime, Time};
use terms::{Nanos, iso};

const EPOCH: DateTime = civil::datetime(1970, 1, 1, 0, 0, 0, 0);

/// `2026-11-21T10:00:00Z`, with or without a fraction, a zone or an offset, as time since 1970 in UTC. Without a zone it
/// is UTC, as ebXML Messaging 2.0 (3.1.6.2) has it.
pub(crate) fn read(text: &str) -> Option<Nanos> {
    let (date, time) = text.split_once('T')?;
    let mut numbers = date.splitn(3, '-').map(digits);
    let (year, month, day) = (numbers.next()??, numbers.next()??, numbers.next()??);
    if year == 0 {
        return None;
    }
    let date = Date::new(year, i8::try_from(month).ok()?, i8::try_from(day).ok()?).ok()?;
    let (clock, offset_min) = zone(time)?;
    let (clock, fraction) = clock.split_once('.').unwrap_or((clock, "0"));
    let mut numbers = clock.splitn(3, ':').map(|text| i8::try_from(digits(text)?).ok());
    let (hour, minute, second) = (numbers.next()??, numbers.next()??, numbers.next()??);
    if fraction.is_empty() || fraction.len() > 18 || !fraction.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let nanos = format!("{fraction:0<9}")[..9].parse().ok()?;
    let local = date.to_datetime(Time::new(hour, minute, second, nanos).ok()?);
    let since = local.duration_since(EPOCH) - SignedDuration::from_mins(offset_min);
    // Nanoseconds reach to the year 2262; who writes 9999 means for ever, which that is as good for.
    Some(Nanos(since.as_nanos().clamp(i64::MIN.into(), i64::MAX.into()) as i64))
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
    Some((&time[..place], sign * i64::from(hours * 60 + minutes)))
}

fn digits(text: &str) -> Option<i16> {
    let is_number = !text.is_empty() && text.len() <= 4 && text.bytes().all(|byte| byte.is_ascii_digit());
    if is_number { text.parse().ok() } else { None }
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
        assert_eq!(read("0001-01-01T00:00:00Z"), Some(Nanos(i64::MIN)));
        for text in [
            "",
            "T",
            "2026-11-21",
            "2026-13-01T00:00:00Z",
            "2026-02-29T00:00:00Z",
            "0000-01-01T00:00:00Z",
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
