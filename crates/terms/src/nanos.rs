//! Time as whole nanoseconds.

use std::fmt;
use std::ops::{Add, AddAssign, Div, Mul, Neg, Sub, SubAssign};

/// A span of time, or a moment as the span since the run's start, in nanoseconds; 292 years either way.
///
/// Sums and differences saturate: a schedule that overflows 292 years is a defect, never a wrap-around.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Nanos(pub i64);

impl Nanos {
    /// No time at all.
    pub const ZERO: Self = Self(0);
    /// Later than anything.
    pub const MAX: Self = Self(i64::MAX);
    /// 10⁹ ns.
    pub const SECOND: Self = Self(1_000_000_000);
    /// 10⁶ ns.
    pub const MILLISECOND: Self = Self(1_000_000);
    /// 10³ ns.
    pub const MICROSECOND: Self = Self(1_000);

    /// From whole seconds.
    pub const fn from_secs(seconds: i64) -> Self {
        Self(seconds.saturating_mul(1_000_000_000))
    }

    /// From whole milliseconds.
    pub const fn from_millis(milliseconds: i64) -> Self {
        Self(milliseconds.saturating_mul(1_000_000))
    }

    /// From whole microseconds.
    pub const fn from_micros(microseconds: i64) -> Self {
        Self(microseconds.saturating_mul(1_000))
    }

    /// From seconds as floating point, rounded to the nearest nanosecond; not-a-number becomes zero.
    pub fn from_secs_f64(seconds: f64) -> Self {
        Self((seconds * 1e9).round() as i64)
    }

    /// Seconds as floating point.
    pub fn as_secs_f64(self) -> f64 {
        self.0 as f64 / 1e9
    }

    /// Milliseconds as floating point, the unit of `result.json`.
    pub fn as_millis_f64(self) -> f64 {
        self.0 as f64 / 1e6
    }

    /// The whole second this moment lies in, towards minus infinity: -1 ns lies in second -1.
    #[inline]
    pub const fn second(self) -> i64 {
        self.0.div_euclid(1_000_000_000)
    }

    /// As the standard library's duration; negative spans become zero.
    pub fn to_std(self) -> std::time::Duration {
        std::time::Duration::from_nanos(self.0.max(0) as u64)
    }

    /// The larger of this and zero.
    pub fn or_zero(self) -> Self {
        Self(self.0.max(0))
    }
}

impl From<std::time::Duration> for Nanos {
    fn from(duration: std::time::Duration) -> Self {
        Self(i64::try_from(duration.as_nanos()).unwrap_or(i64::MAX))
    }
}

impl Add for Nanos {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        Self(self.0.saturating_add(other.0))
    }
}

impl AddAssign for Nanos {
    fn add_assign(&mut self, other: Self) {
        *self = *self + other;
    }
}

impl Sub for Nanos {
    type Output = Self;
    fn sub(self, other: Self) -> Self {
        Self(self.0.saturating_sub(other.0))
    }
}

impl SubAssign for Nanos {
    fn sub_assign(&mut self, other: Self) {
        *self = *self - other;
    }
}

impl Mul<i64> for Nanos {
    type Output = Self;
    fn mul(self, factor: i64) -> Self {
        Self(self.0.saturating_mul(factor))
    }
}

impl Div<i64> for Nanos {
    type Output = Self;
    fn div(self, divisor: i64) -> Self {
        Self(self.0 / divisor)
    }
}

impl Neg for Nanos {
    type Output = Self;
    fn neg(self) -> Self {
        Self(self.0.saturating_neg())
    }
}

/// Writes the span in the largest unit that keeps it readable, as a study file would: `1.5s`, `20ms`, `30m`.
impl fmt::Display for Nanos {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let magnitude = self.0.unsigned_abs();
        let (unit, size) = match magnitude {
            0 => return f.write_str("0s"),
            1..1_000 => ("ns", 1),
            1_000..1_000_000 => ("us", 1_000),
            1_000_000..1_000_000_000 => ("ms", 1_000_000),
            _ if magnitude.is_multiple_of(3_600_000_000_000) => ("h", 3_600_000_000_000),
            _ if magnitude.is_multiple_of(60_000_000_000) => ("m", 60_000_000_000),
            _ => ("s", 1_000_000_000),
        };
        if magnitude.is_multiple_of(size) {
            write!(f, "{}{}{unit}", if self.0 < 0 { "-" } else { "" }, magnitude / size)
        } else {
            let shown = format!("{:.3}", self.0 as f64 / size as f64);
            write!(f, "{}{unit}", shown.trim_end_matches('0').trim_end_matches('.'))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shows_as_a_study_file_would_write_it() {
        for (nanos, text) in [
            (Nanos::ZERO, "0s"),
            (Nanos(250), "250ns"),
            (Nanos::from_millis(1500), "1.5s"),
            (Nanos::from_secs(1800), "30m"),
            (Nanos::from_secs(90), "90s"),
            (Nanos::from_secs(7200), "2h"),
            (Nanos(-1_500_000), "-1.5ms"),
        ] {
            assert_eq!(nanos.to_string(), text);
        }
    }

    #[test]
    fn seconds_round_down_also_below_zero() {
        assert_eq!(Nanos(999_999_999).second(), 0);
        assert_eq!(Nanos(1_000_000_000).second(), 1);
        assert_eq!(Nanos(-1).second(), -1);
    }
}
