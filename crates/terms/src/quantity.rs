//! A number with its unit, as users write it: `200/s`, `30m`, `8kB`, `95%`, `12000 events`.

use crate::Nanos;
use std::fmt;

/// What a number counts. A bare number is a plain count.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Unit {
    /// A plain count; in arithmetic also a factor.
    Count,
    /// Time; the value is in seconds.
    Time,
    Bytes,
    /// A share of one; `95%` has the value 0.95.
    Share,
    /// Something a second; `12/m` has the value 0.2.
    PerSecond,
    /// Processor cores.
    Cores,
    /// Units that the study names itself, such as `events`.
    Of(String),
    /// Named units a second, such as `events/s`.
    OfPerSecond(String),
}

/// A number with its unit, in base units: seconds, bytes, shares of one, counts a second.
#[derive(Clone, Debug, PartialEq)]
pub struct Quantity {
    /// The number in the base unit.
    pub value: f64,
    pub unit: Unit,
}

/// Why a text is not a quantity.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum QuantityError {
    /// It does not begin with a number.
    NoNumber,
    /// The unit is not known in this place.
    UnknownUnit(String),
    /// The number is not finite.
    NotFinite,
}

impl fmt::Display for QuantityError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoNumber => f.write_str("does not begin with a number"),
            Self::UnknownUnit(unit) => write!(
                f,
                "has the unknown unit `{unit}`; known are ns us ms s m h d, B kB MB GB KiB MiB GiB, %, /s /m /h, cores"
            ),
            Self::NotFinite => f.write_str("is not a finite number"),
        }
    }
}

impl std::error::Error for QuantityError {}

const TIMES: [(&str, f64); 8] =
    [("ns", 1e-9), ("us", 1e-6), ("µs", 1e-6), ("ms", 1e-3), ("s", 1.0), ("m", 60.0), ("h", 3600.0), ("d", 86_400.0)];

const SIZES: [(&str, f64); 7] = [
    ("B", 1.0),
    ("kB", 1e3),
    ("MB", 1e6),
    ("GB", 1e9),
    ("KiB", 1024.0),
    ("MiB", 1_048_576.0),
    ("GiB", 1_073_741_824.0),
];

fn factor(table: &[(&str, f64)], unit: &str) -> Option<f64> {
    table.iter().find(|(name, _)| *name == unit).map(|(_, factor)| *factor)
}

impl Quantity {
    /// A plain count.
    pub fn count(value: f64) -> Self {
        Self { value, unit: Unit::Count }
    }

    /// A length of time, in nanoseconds.
    pub fn time(time: Nanos) -> Self {
        Self { value: time.as_secs_f64(), unit: Unit::Time }
    }

    /// Reads a number with its unit. White space between number and unit is allowed.
    ///
    /// # Errors
    /// [`QuantityError`] says what is wrong; the caller knows the place and what would be possible there.
    pub fn parse(text: &str) -> Result<Self, QuantityError> {
        let text = text.trim();
        let end = number_end(text);
        let value: f64 = text[..end].replace('_', "").parse().map_err(|_| QuantityError::NoNumber)?;
        let unit = text[end..].trim();
        let quantity = Self::with_unit(value, unit).ok_or_else(|| QuantityError::UnknownUnit(unit.to_owned()))?;
        // A unit can take a number beyond all bounds: 1e308/ms are too many a second.
        if quantity.value.is_finite() { Ok(quantity) } else { Err(QuantityError::NotFinite) }
    }

    fn with_unit(value: f64, unit: &str) -> Option<Self> {
        let made = |value, unit| Some(Self { value, unit });
        if unit.is_empty() {
            return made(value, Unit::Count);
        }
        if unit == "%" {
            return made(value / 100.0, Unit::Share);
        }
        if let Some(size) = factor(&TIMES, unit) {
            return made(value * size, Unit::Time);
        }
        if let Some(size) = factor(&SIZES, unit) {
            return made(value * size, Unit::Bytes);
        }
        if let Some((of, per)) = unit.split_once('/') {
            let seconds = per_seconds(per.trim())?;
            let of = of.trim();
            return match of {
                "" => made(value / seconds, Unit::PerSecond),
                _ if is_word(of) => made(value / seconds, Unit::OfPerSecond(of.to_owned())),
                _ => None,
            };
        }
        match unit {
            "core" | "cores" => made(value, Unit::Cores),
            // A word of its own must stand apart or be long enough not to be a misspelt unit.
            _ if is_word(unit) && unit.len() > 3 => made(value, Unit::Of(unit.to_owned())),
            _ => None,
        }
    }

    /// The time, if it is one.
    pub fn nanos(&self) -> Option<Nanos> {
        (self.unit == Unit::Time).then(|| Nanos::from_secs_f64(self.value))
    }
}

/// How many seconds `s`, `10s`, `m` or `h` behind a slash are.
fn per_seconds(per: &str) -> Option<f64> {
    let end = number_end(per);
    let number: f64 = if end == 0 { 1.0 } else { per[..end].parse().ok()? };
    let seconds = number * factor(&TIMES, per[end..].trim())?;
    (seconds > 0.0).then_some(seconds)
}

fn is_word(text: &str) -> bool {
    text.starts_with(|c: char| c.is_ascii_lowercase()) && text.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
}

/// Length of the leading number; `1e3` is one, but `5each` is `5` and a word.
fn number_end(text: &str) -> usize {
    let bytes = text.as_bytes();
    let mut end = usize::from(matches!(bytes.first(), Some(b'-' | b'+')));
    let start = end;
    while end < bytes.len() && (bytes[end].is_ascii_digit() || matches!(bytes[end], b'.' | b'_')) {
        end += 1;
    }
    if end == start {
        return 0;
    }
    if matches!(bytes.get(end), Some(b'e' | b'E')) {
        let sign = usize::from(matches!(bytes.get(end + 1), Some(b'-' | b'+')));
        let digits = bytes[end + 1 + sign..].iter().take_while(|b| b.is_ascii_digit()).count();
        if digits > 0 {
            end += 1 + sign + digits;
        }
    }
    end
}

/// Writes the quantity back as a study file would have it.
impl fmt::Display for Quantity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.unit {
            Unit::Count => write!(f, "{}", trimmed(self.value)),
            Unit::Time => write!(f, "{}", Nanos::from_secs_f64(self.value)),
            Unit::Bytes => {
                let (unit, size) = [("GB", 1e9), ("MB", 1e6), ("kB", 1e3)]
                    .into_iter()
                    .find(|(_, s)| self.value.abs() >= *s)
                    .unwrap_or(("B", 1.0));
                write!(f, "{}{unit}", trimmed(self.value / size))
            }
            Unit::Share => write!(f, "{}%", trimmed(self.value * 100.0)),
            Unit::PerSecond => {
                if self.value != 0.0 && self.value.abs() < 1.0 {
                    let sign = if self.value < 0.0 { "-" } else { "" };
                    write!(f, "{sign}1/{}", Nanos::from_secs_f64(1.0 / self.value.abs()))
                } else {
                    write!(f, "{}/s", trimmed(self.value))
                }
            }
            Unit::Cores => write!(f, "{} cores", trimmed(self.value)),
            Unit::Of(of) => write!(f, "{} {of}", trimmed(self.value)),
            Unit::OfPerSecond(of) => write!(f, "{} {of}/s", trimmed(self.value)),
        }
    }
}

fn trimmed(value: f64) -> String {
    let text = format!("{value:.6}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_what_the_language_page_shows() {
        for (text, value, unit) in [
            ("200/s", 200.0, Unit::PerSecond),
            ("1/10s", 0.1, Unit::PerSecond),
            ("250/min", 0.0, Unit::Count),
            ("30m", 1800.0, Unit::Time),
            ("8kB", 8000.0, Unit::Bytes),
            ("1KiB", 1024.0, Unit::Bytes),
            ("95%", 0.95, Unit::Share),
            ("1200000 events", 1_200_000.0, Unit::Of("events".into())),
            ("100 events/s", 100.0, Unit::OfPerSecond("events".into())),
            ("64", 64.0, Unit::Count),
            ("1e3", 1000.0, Unit::Count),
        ] {
            if text == "250/min" {
                assert!(Quantity::parse(text).is_err(), "minutes are `m` everywhere");
                continue;
            }
            let read = Quantity::parse(text).unwrap();
            assert!((read.value - value).abs() < 1e-9 * value.abs().max(1.0), "{text}: {read:?}");
            assert_eq!(read.unit, unit, "{text}");
        }
    }

    #[test]
    fn refuses_what_is_no_quantity() {
        assert_eq!(Quantity::parse("fast"), Err(QuantityError::NoNumber));
        assert_eq!(Quantity::parse(""), Err(QuantityError::NoNumber));
        assert_eq!(Quantity::parse("5 xs"), Err(QuantityError::UnknownUnit("xs".into())));
        assert_eq!(Quantity::parse("5/0s"), Err(QuantityError::UnknownUnit("/0s".into())));
        for endless in ["1e999", "1e308 d1/ms", "1e308/ms", "1/1e-320s", "1e308 d"] {
            assert_eq!(Quantity::parse(endless), Err(QuantityError::NotFinite), "{endless}");
        }
    }

    #[test]
    fn what_is_written_reads_back() {
        for text in ["200/s", "1/10s", "-1/3h", "30m", "8kB", "95%", "64", "2.5s", "12 events", "3 cores"] {
            let read = Quantity::parse(text).unwrap();
            assert_eq!(read.to_string(), text);
        }
    }
}
