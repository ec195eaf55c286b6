//! How far the clock of the other machine is off.

use std::fmt;
use terms::Nanos;

/// How far a wall clock is ahead of the one here, and how far off that is at most.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Offset {
    /// Negative when it is behind.
    pub ahead: Nanos,
    pub within: Nanos,
}

impl Offset {
    /// From a reading there, `date +%s.%N`, and the time here in the middle of the question, which may be off by `within`;
    /// `None` where it is no time.
    pub(crate) fn of(text: &str, here: Nanos, within: Nanos) -> Option<Self> {
        let text = text.trim();
        let (whole, part) = text.split_once('.').unwrap_or((text, ""));
        let whole: i64 = whole.parse().ok().filter(|seconds| (0..=SECONDS_MAX).contains(seconds))?;
        let second = Nanos::from_secs(whole);
        // Some tools know whole seconds only: it is somewhere within this one.
        let digits = !part.is_empty() && part.len() <= 9 && part.bytes().all(|digit| digit.is_ascii_digit());
        let (there, within) = match digits {
            true => (second + Nanos(format!("{part:0<9}").parse().ok()?), within),
            false => (second + Nanos::from_millis(500), within + Nanos::from_millis(500)),
        };
        Some(Self { ahead: there - here, within })
    }
}

/// The year 2200: what lies beyond is nonsense.
const SECONDS_MAX: i64 = 7_258_118_400;

impl fmt::Display for Offset {
    /// `+90.002 s ± 0.4 ms`
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:+.4} s ± {:.1} ms", self.ahead.as_secs_f64(), self.within.as_secs_f64() * 1e3)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_clock_that_is_off_by_ninety_seconds() {
        let here = Nanos::from_secs(1_700_000_000);
        let found = Offset::of("1700000090.002000000\n", here, Nanos(400_000)).unwrap();
        assert_eq!(found, Offset { ahead: Nanos::from_millis(90_002), within: Nanos(400_000) });
        assert_eq!(found.to_string(), "+90.0020 s ± 0.4 ms");
        let behind = Offset::of("1699999910.5", here, Nanos::ZERO).unwrap();
        assert_eq!(behind.to_string(), "-89.5000 s ± 0.0 ms");
        // `date` of small systems knows no parts of seconds.
        for text in ["1700000000", "1700000000.", "1700000000.%N", "1700000000.N"] {
            let half = Nanos::from_millis(500);
            assert_eq!(Offset::of(text, here, Nanos::ZERO), Some(Offset { ahead: half, within: half }), "{text}");
        }
    }

    #[test]
    fn nonsense_is_no_time() {
        for text in ["", "now", "-5.0", "99999999999999999999", "9999999999", "1e9", "nan"] {
            assert_eq!(Offset::of(text, Nanos::ZERO, Nanos::ZERO), None, "{text}");
        }
    }
}
