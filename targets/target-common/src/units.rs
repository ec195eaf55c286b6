//! Quantities with units, as they are typed behind a flag: `5ms`, `100/s`, `2%`.

/// Nanoseconds in a second.
pub const SECOND_NS: u64 = 1_000_000_000;

/// Parts in a whole for [`parse_share`]: shares have a resolution of 0.01 %.
pub const WHOLE: u32 = 10_000;

/// The longest duration that is accepted: ten years. Sums of a few such values cannot overflow a `u64`.
const LONGEST_S: f64 = 10.0 * 365.0 * 86_400.0;

/// Reads a duration such as `5ms`, `1.5s`, `100us` or `0s` into nanoseconds.
///
/// # Errors
/// Says in words what was found and what is possible.
pub fn parse_duration_ns(text: &str) -> Result<u64, String> {
    let (number, unit) = split_unit(text);
    let scale = match unit {
        "ns" => 1e-9,
        "us" | "µs" => 1e-6,
        "ms" => 1e-3,
        "s" => 1.0,
        "m" | "min" => 60.0,
        "h" => 3600.0,
        "" => return Err(format!("the duration `{text}` has no unit; write for example `{text}ms` or `{text}s`")),
        _ => return Err(format!("`{unit}` is not a unit of time; possible are `ns`, `us`, `ms`, `s`, `m` and `h`")),
    };
    let seconds = finite(number, text, "duration")? * scale;
    if seconds > LONGEST_S {
        return Err(format!("the duration `{text}` is longer than ten years"));
    }
    // Rounding instead of cutting: 0.3 ms must not become 299,999 ns.
    Ok((seconds * 1e9).round() as u64)
}

/// Reads a rate such as `100/s`, `6000/min` or `2.5/s` into events a second; always greater than 0.
///
/// # Errors
/// Says in words what was found and what is possible.
pub fn parse_rate_per_s(text: &str) -> Result<f64, String> {
    let Some((number, unit)) = text.split_once('/') else {
        return Err(format!("the rate `{text}` has no unit; write `{text}/s` or `{text}/min`"));
    };
    let scale = match unit {
        "s" => 1.0,
        "min" | "m" => 1.0 / 60.0,
        "h" => 1.0 / 3600.0,
        _ => return Err(format!("`/{unit}` is not a unit of a rate; possible are `/s`, `/min` and `/h`")),
    };
    let rate = finite(number, text, "rate")? * scale;
    if rate <= 0.0 || rate > 1e9 {
        return Err(format!("the rate `{text}` must lie above 0/s and not above 1000000000/s"));
    }
    Ok(rate)
}

/// Reads a share such as `2%` or `0.05%` into parts of [`WHOLE`].
///
/// # Errors
/// Without `%`, outside 0 to 100 %, or finer than 0.01 %.
pub fn parse_share(text: &str) -> Result<u32, String> {
    let Some(number) = text.strip_suffix('%') else {
        return Err(format!("the share `{text}` has no `%`; write for example `2%`"));
    };
    let parts = finite(number, text, "share")? * f64::from(WHOLE) / 100.0;
    if parts > f64::from(WHOLE) {
        return Err(format!("the share `{text}` is above `100%`"));
    }
    if (parts - parts.round()).abs() > 1e-6 {
        return Err(format!("the share `{text}` is finer than `0.01%`, the smallest step"));
    }
    Ok(parts.round() as u32)
}

/// Reads a whole number between `least` and `most`.
///
/// # Errors
/// Not a whole number, or outside the bounds.
pub fn parse_count(text: &str, least: u64, most: u64) -> Result<u64, String> {
    match text.parse::<u64>() {
        Ok(value) if (least..=most).contains(&value) => Ok(value),
        _ => Err(format!("`{text}` is not a whole number from {least} to {most}")),
    }
}

fn split_unit(text: &str) -> (&str, &str) {
    let at = text.find(|c: char| !(c.is_ascii_digit() || c == '.')).unwrap_or(text.len());
    text.split_at(at)
}

fn finite(number: &str, text: &str, what: &str) -> Result<f64, String> {
    // Only digits and one dot: `f64` would also read `inf`, `1e400` and signs.
    let plain = !number.is_empty() && number.bytes().all(|b| b.is_ascii_digit() || b == b'.');
    match number.parse::<f64>() {
        Ok(value) if plain && value.is_finite() => Ok(value),
        _ => Err(format!("the {what} `{text}` does not begin with a number such as `2` or `2.5`")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_need_a_unit_and_are_rounded_to_the_nanosecond() {
        assert_eq!(parse_duration_ns("5ms"), Ok(5_000_000));
        assert_eq!(parse_duration_ns("0.3ms"), Ok(300_000));
        assert_eq!(parse_duration_ns("1000.5ms"), Ok(1_000_500_000));
        assert_eq!(parse_duration_ns("1h"), Ok(3600 * SECOND_NS));
        assert_eq!(parse_duration_ns("7µs"), Ok(7_000));
        assert_eq!(parse_duration_ns("0s"), Ok(0));
        assert!(parse_duration_ns("5").unwrap_err().contains("`5ms`"));
        for wrong in ["", "ms", "-1s", "1e3s", "infs", "NaNs", "1.2.3s", "5 ms", "99999h99", "999999999h"] {
            assert!(parse_duration_ns(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn rates_are_a_second() {
        assert_eq!(parse_rate_per_s("100/s"), Ok(100.0));
        assert_eq!(parse_rate_per_s("6000/min"), Ok(100.0));
        for wrong in ["100", "0/s", "-1/s", "5/day", "/s", "inf/s"] {
            assert!(parse_rate_per_s(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn shares_are_exact_parts_of_ten_thousand() {
        assert_eq!(parse_share("2%"), Ok(200));
        assert_eq!(parse_share("0.29%"), Ok(29));
        assert_eq!(parse_share("100%"), Ok(WHOLE));
        for wrong in ["2", "101%", "0.005%", "%", "-1%"] {
            assert!(parse_share(wrong).is_err(), "{wrong}");
        }
    }
}
