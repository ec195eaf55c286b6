//! Numbers and moments as logs write them.

use crate::zone::Zone;
use terms::Nanos;

/// A whole number, digits only, with a sign before it at most; `None` for anything else, and for one that is too large.
pub(crate) fn whole(text: &[u8]) -> Option<i64> {
    let (digits, is_negative) = match text {
        [b'-', digits @ ..] => (digits, true),
        [b'+', digits @ ..] => (digits, false),
        digits => (digits, false),
    };
    if digits.is_empty() || digits.len() > 18 {
        return None;
    }
    // Stamps are long: eight digits of them at once.
    let (mut value, digits) = match digits.split_first_chunk() {
        Some((eight, rest)) => (i64::from(of_eight(*eight)?), rest),
        None => (0, digits),
    };
    for &digit in digits {
        let digit = digit.wrapping_sub(b'0');
        if digit > 9 {
            return None;
        }
        value = value * 10 + i64::from(digit);
    }
    Some(if is_negative { -value } else { value })
}

/// The number that eight digits are.
fn of_eight(digits: [u8; 8]) -> Option<u32> {
    const ZEROS: u64 = u64::from_le_bytes([b'0'; 8]);
    let text = u64::from_le_bytes(digits);
    // A digit has the high half of '0', and has it still when six are added.
    let high = text & text.wrapping_add(0x0606_0606_0606_0606) & 0xf0f0_f0f0_f0f0_f0f0;
    if high != 0x3030_3030_3030_3030 {
        return None;
    }
    // Tens and ones, then hundreds, then all: each the sum of two neighbours.
    let pairs = (text - ZEROS).wrapping_mul(1 + (10 << 8)) >> 8 & 0x00ff_00ff_00ff_00ff;
    let fours = pairs.wrapping_mul(1 + (100 << 16)) >> 16 & 0x0000_ffff_0000_ffff;
    Some((fours.wrapping_mul(1 + (10_000 << 32)) >> 32) as u32)
}

/// A length in milliseconds: whole, or with decimals. Negative ones are none.
pub(crate) fn millis(text: &[u8]) -> Option<Nanos> {
    if let Some(whole) = whole(text) {
        return (whole >= 0).then(|| whole.checked_mul(1_000_000)).flatten().map(Nanos);
    }
    decimal(text).filter(|value| (0.0..1e15).contains(value)).map(|value| Nanos((value * 1e6).round() as i64))
}

/// A number with decimals.
pub(crate) fn decimal(text: &[u8]) -> Option<f64> {
    let text = std::str::from_utf8(text).ok()?.trim();
    let value: f64 = text.parse().ok()?;
    value.is_finite().then_some(value)
}

/// Seconds since 1970 of a day in the Gregorian calendar.
///
/// Source: H. Hinnant, "chrono-compatible low-level date algorithms", `days_from_civil`.
pub(crate) fn day(year: i64, month: i64, day: i64) -> Option<i64> {
    if !(1..=12).contains(&month) || !(1..=31).contains(&day) || !(1970..=9999).contains(&year) {
        return None;
    }
    let year = if month <= 2 { year - 1 } else { year };
    let era = year.div_euclid(400);
    let of_era = year - era * 400;
    let of_year = (153 * (month + if month > 2 { -3 } else { 9 }) + 2) / 5 + day - 1;
    let of_all = of_era * 365 + of_era / 4 - of_era / 100 + of_year;
    Some((era * 146_097 + of_all - 719_468) * 86_400)
}

/// `2026-11-26 10:58:00.123`, with `/`, `T`, `,` and `Z` or an offset as people write them; without one it is UTC.
pub(crate) fn moment(text: &[u8]) -> Option<Nanos> {
    moment_in(text, &Zone::default())
}

/// The same; one that says no offset has that of the zone.
pub(crate) fn moment_in(text: &[u8], zone: &Zone) -> Option<Nanos> {
    let text = std::str::from_utf8(text).ok()?.trim();
    let bytes = text.as_bytes();
    let number = |from: usize, to: usize| whole(bytes.get(from..to)?).filter(|value| *value >= 0);
    let is = |at: usize, any: &[u8]| bytes.get(at).is_some_and(|byte| any.contains(byte));
    if !(is(4, b"-/.") && is(7, b"-/.") && is(10, b"T _") && is(13, b":-") && is(16, b":-")) {
        return None;
    }
    let day = day(number(0, 4)?, number(5, 7)?, number(8, 10)?)?;
    let (hour, minute, second) = (number(11, 13)?, number(14, 16)?, number(17, 19)?);
    if hour > 23 || minute > 59 || second > 60 {
        return None;
    }
    let mut at = 19;
    let mut nanos = 0;
    if is(at, b".,") {
        let digits = bytes[at + 1..].iter().take_while(|byte| byte.is_ascii_digit()).count();
        let used = digits.min(9);
        nanos = whole(&bytes[at + 1..at + 1 + used])? * 10i64.pow(9 - used as u32);
        at += 1 + digits;
    }
    let offset = match &bytes[at..] {
        b"" => zone.offset(),
        b"Z" | b"z" => 0,
        [sign @ (b'+' | b'-'), rest @ ..] => {
            let digits: Vec<u8> = rest.iter().copied().filter(|byte| *byte != b':').collect();
            let (hours, minutes) = (whole(digits.get(..2)?)?, digits.get(2..4).map_or(Some(0), whole)?);
            if digits.len() > 4 || minutes > 59 || hours > 18 {
                return None;
            }
            (hours * 3600 + minutes * 60) * if *sign == b'-' { -1 } else { 1 }
        }
        _ => return None,
    };
    Some(Nanos((day + hour * 3600 + minute * 60 + second - offset) * 1_000_000_000 + nanos))
}

/// The same of a text of the command line: a moment since 1970-01-01 UTC, and whether its zone was needed, the seconds by
/// which it is ahead of UTC; `None` where it is none.
pub fn moment_of(text: &str, zone: Option<i64>) -> Option<(Nanos, bool)> {
    let zone = Zone::of(zone);
    moment_in(text.as_bytes(), &zone).map(|moment| (moment, zone.is_used()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn moments_are_those_that_date_prints() {
        // Seconds as `date -u -d "…" +%s` has them.
        for (text, seconds, nanos) in [
            ("2026-11-26 10:58:00.123", 1_795_690_680, 123_000_000),
            ("2026/11/26 10:58:00,5", 1_795_690_680, 500_000_000),
            ("2026-11-26T11:58:00.000000001+01:00", 1_795_690_680, 1),
            ("2000-02-29T00:00:00Z", 951_782_400, 0),
            ("1970-01-01 00:00:01", 1, 0),
        ] {
            assert_eq!(moment(text.as_bytes()), Some(Nanos(seconds * 1_000_000_000 + nanos)), "{text}");
        }
        assert_eq!(moment_in(b"2026-11-26 12:58:00", &Zone::of(Some(7200))), Some(Nanos(1_795_690_680_000_000_000)));
        assert_eq!(moment_in(b"2026-11-26 10:58:00Z", &Zone::of(Some(7200))), Some(Nanos(1_795_690_680_000_000_000)));
        assert_eq!(moment_of("2026-11-26 10:58:00", None), Some((Nanos(1_795_690_680_000_000_000), true)));
        assert_eq!(moment_of("2026-11-26 10:58:00Z", Some(60)), Some((Nanos(1_795_690_680_000_000_000), false)));
        for wrong in ["", "2026-13-01 00:00:00", "2026-11-26", "2026-11-26 10:58", "2026-11-26 10:58:00 PM"] {
            assert_eq!(moment(wrong.as_bytes()), None, "{wrong}");
        }
    }

    proptest! {
        /// Whatever the bytes are, and however many digits are read together.
        #[test]
        fn a_number_is_what_the_standard_library_reads(
            text in prop_oneof!["[0-9]{1,18}", "[-+]?[0-9]{0,20}", "[0-9/:;@?]{6,12}", "\\PC{8}"],
        ) {
            let expected = text.parse::<i64>().ok().filter(|_| text.trim_start_matches(['-', '+']).len() <= 18);
            prop_assert_eq!(whole(text.as_bytes()), expected);
        }

        #[test]
        fn eight_bytes_are_a_number_or_none(bytes: [u8; 8]) {
            let expected = bytes.iter().try_fold(0, |sum, byte| Some(10 * sum + (*byte as char).to_digit(10)?));
            prop_assert_eq!(of_eight(bytes), expected);
        }
    }

    #[test]
    fn numbers_are_whole_or_none() {
        assert_eq!(
            [&b"12"[..], b"-3", b"+4", b"", b"1e3", b"9999999999999999999"].map(whole),
            [Some(12), Some(-3), Some(4), None, None, None]
        );
        assert_eq!(millis(b"1.5"), Some(Nanos(1_500_000)));
        assert_eq!([&b"-1"[..], b"NaN", b"inf", b"x"].map(millis), [None; 4]);
    }
}
