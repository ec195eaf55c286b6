//! Figures that stand beside each other in one unit: a measured value, the ends of its interval, its limit.

use crate::given::in_full;
use crate::number::{DIGITS, Numbers, Rounding, round_significant, share_decimals};
use std::cmp::Ordering;

/// A unit is shared with the limit as long as the value is at least this in it: `0.582 ms` beside `50 ms`, but `68.0 ms`
/// beside `1,000 ms`.
const LEAST_IN_UNIT: f64 = 0.1;
/// Digits that a value may have more, so that it is not printed as the limit that it is close to.
const MORE_MOST: i32 = 3;
/// The same beside a greater measured value, which stays in its own unit.
const LEAST_BESIDE: f64 = 0.01;

/// The unit of a row's figures, which come in that of `RequirementResult::unit`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct InUnit {
    numbers: Numbers,
    unit: Unit,
    /// Digits more than usual.
    more: i32,
}

#[derive(Clone, Copy, Debug)]
enum Unit {
    /// So many of the requirement's units, and its sign.
    Of(f64, &'static str),
    Share,
    PerSecond,
    Cores,
    Count,
    Number,
}

impl InUnit {
    /// The unit for a value and what stands beside it: the limit's, unless the value would be lost in it. The value has as
    /// many digits as it takes to be read on its own side of the limit.
    pub(crate) fn of(numbers: Numbers, unit: &str, value: f64, limit: Option<f64>) -> Self {
        // A limit that was given in decimal units of bytes stays in them, and its row with it.
        let is_decimal = |limit: f64| {
            is_short(limit, numbers.decimal_byte_unit(limit).0) && !is_short(limit, numbers.byte_unit(limit).0)
        };
        let unit = Self::shared(numbers, unit, (value, LEAST_IN_UNIT), limit, limit.is_some_and(is_decimal));
        let Some(limit) = limit else { return unit };
        let printed_side = |more: i32| {
            let unit = Self { more, ..unit };
            side(unit.printed(value), unit.printed_limit(limit))
        };
        let least = |wanted: Ordering| (0..=MORE_MOST).find(|more| printed_side(*more) == wanted);
        // What is closer than that is printed as the limit itself.
        let more = least(side(value, limit)).or_else(|| least(Ordering::Equal)).unwrap_or(MORE_MOST);
        Self { more, ..unit }
    }

    /// The unit for a value beside a greater one that was measured, too.
    pub(crate) fn beside(numbers: Numbers, unit: &str, value: f64, greatest: f64) -> Self {
        Self::shared(numbers, unit, (value, LEAST_BESIDE), Some(greatest), false)
    }

    fn shared(numbers: Numbers, unit: &str, (value, least): (f64, f64), limit: Option<f64>, is_decimal: bool) -> Self {
        let shared = |unit_of: &dyn Fn(f64) -> (f64, &'static str)| {
            let of_limit = limit.filter(|limit| *limit != 0.0).map(unit_of);
            let is_fit = |(size, _): &(f64, &'static str)| value == 0.0 || (value / size).abs() >= least;
            let (size, sign) = of_limit.filter(is_fit).unwrap_or_else(|| unit_of(value));
            Unit::Of(size, sign)
        };
        let unit = match unit {
            "ms" => shared(&|ms| {
                let (seconds, sign) = numbers.time_unit(ms / 1e3);
                (seconds * 1e3, sign)
            }),
            "bytes" if is_decimal => shared(&|bytes| numbers.decimal_byte_unit(bytes)),
            "bytes" => shared(&|bytes| numbers.byte_unit(bytes)),
            "share" => Unit::Share,
            "per_s" => Unit::PerSecond,
            "cores" => Unit::Cores,
            "count" => Unit::Count,
            _ => Unit::Number,
        };
        Self { numbers, unit, more: 0 }
    }

    /// A measured value.
    pub(crate) fn shown(&self, value: f64) -> String {
        self.rounded(value, Rounding::Nearest)
    }

    /// A limit, with the digits that it was given; one that was computed with those of a value.
    pub(crate) fn limit(&self, limit: f64) -> String {
        let number = self.scaled(limit);
        match in_full(number) {
            Some(_) => self.signed(&self.numbers.given_number(number)),
            None => self.numbers.trim(&self.shown(limit)),
        }
    }

    /// The number that stands before the unit's sign.
    fn scaled(&self, value: f64) -> f64 {
        match self.unit {
            Unit::Of(size, _) => value / size,
            Unit::Share => value * 100.0,
            Unit::PerSecond | Unit::Cores | Unit::Count | Unit::Number => value,
        }
    }

    /// The number that a value is printed as.
    fn printed(&self, value: f64) -> f64 {
        let number = self.scaled(value);
        match self.unit {
            Unit::Share => Rounding::Nearest.at(number, share_decimals(value) as i32 + self.more),
            Unit::Count if value.fract() == 0.0 => value,
            _ => round_significant(number, DIGITS + self.more, Rounding::Nearest),
        }
    }

    fn printed_limit(&self, limit: f64) -> f64 {
        in_full(self.scaled(limit)).unwrap_or_else(|| self.printed(limit))
    }

    /// A number with the unit's sign.
    fn signed(&self, number: &str) -> String {
        match self.unit {
            Unit::Of(_, sign) => format!("{number}\u{a0}{sign}"),
            Unit::Share => format!("{number}{}", self.numbers.percent),
            Unit::PerSecond => format!("{number}/s"),
            Unit::Cores => format!("{number}\u{a0}{}", self.numbers.cores),
            Unit::Count | Unit::Number => number.to_owned(),
        }
    }

    /// Both ends of an interval, rounded outwards: what is printed holds at least what was found.
    pub(crate) fn ends(&self, low: f64, high: f64) -> (String, String) {
        (self.rounded(low, Rounding::Down), self.rounded(high, Rounding::Up))
    }

    fn rounded(&self, value: f64, to: Rounding) -> String {
        let numbers = self.numbers;
        match self.unit {
            _ if !value.is_finite() => crate::number::MISSING.to_owned(),
            Unit::Share => {
                let places = share_decimals(value) + self.more as usize;
                self.signed(&numbers.percentage_with(value, places, to))
            }
            Unit::Count if value.fract() == 0.0 => numbers.count(value),
            _ => self.signed(&numbers.value_with(self.scaled(value), DIGITS + self.more, to)),
        }
    }
}

/// On which side of its limit a value lies; what differs by a binary fraction's breadth lies on it.
fn side(value: f64, limit: f64) -> Ordering {
    if (value - limit).abs() <= 1e-9 * limit.abs() { Ordering::Equal } else { value.total_cmp(&limit) }
}

/// Whether a given value has few digits in a unit, and so was likely given in it.
fn is_short(given: f64, unit: f64) -> bool {
    let hundredths = given / unit * 100.0;
    given != 0.0 && (hundredths - hundredths.round()).abs() < 1e-6
}

impl Numbers {
    /// A figure of a requirement: its number in the unit of `RequirementResult::unit`.
    pub(crate) fn in_unit(&self, value: f64, unit: &str) -> String {
        InUnit::of(*self, unit, value, None).shown(value)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plain(text: impl Into<String>) -> String {
        text.into().replace('\u{a0}', " ")
    }

    #[test]
    fn a_value_and_its_limit_have_one_unit() {
        for (unit, value, limit, shown) in [
            ("ms", 0.582, 50.0, ["0.582 ms", "50 ms"]),
            ("ms", 8.762, 1000.0, ["8.76 ms", "1,000 ms"]),
            ("ms", 67.97, 1000.0, ["68.0 ms", "1,000 ms"]),
            ("ms", 582.0, 1000.0, ["0.582 s", "1 s"]),
            ("ms", 1500.0, 250.0, ["1,500 ms", "250 ms"]),
            ("ms", 0.0, 250.0, ["0 ms", "250 ms"]),
            ("bytes", 703.8e6, 2e9, ["0.704 GB", "2 GB"]),
            ("bytes", 703.8e6, 536_870_912.0, ["671 MiB", "512 MiB"]),
            ("bytes", 703.8e6, 703_800_123.0, ["671 MiB", "671 MiB"]),
            ("share", 0.9982, 0.95, ["99.8%", "95%"]),
            ("per_s", 99.96, 100.0, ["99.96/s", "100/s"]),
            ("per_s", 12_346.0, 12_345.0, ["12,350/s", "12,345/s"]),
            ("per_s", 12_345.0, 12_345.0, ["12,345/s", "12,345/s"]),
            ("per_s", 100.000_04, 100.0, ["100/s", "100/s"]),
            ("ms", 1234.2, 1234.0, ["1.2342 s", "1.234 s"]),
            ("share", 0.9722, 0.9725, ["97.2%", "97.25%"]),
            ("share", 0.9722, 0.972, ["97.22%", "97.2%"]),
            ("number", 0.05, 0.05, ["0.0500", "0.05"]),
        ] {
            let both = InUnit::of(Numbers::of("en"), unit, value, Some(limit));
            let (value, limit) = (plain(both.shown(value)), plain(both.limit(limit)));
            assert_eq!([value.as_str(), limit.as_str()], shown);
        }
        assert_eq!(plain(InUnit::of(Numbers::of("en"), "ms", 0.582, None).shown(0.582)), "582 µs");
    }

    #[test]
    fn ends_of_intervals_are_rounded_outwards() {
        let ends = |unit: &str, low: f64, high: f64| {
            let (low, high) = InUnit::of(Numbers::of("en"), unit, high, None).ends(low, high);
            (plain(low), plain(high))
        };
        assert_eq!(ends("share", 0.9985, 1.0), ("99.8%".into(), "100%".into()));
        assert_eq!(ends("share", 0.0, 0.001_561), ("0%".into(), "0.157%".into()));
        assert_eq!(ends("ms", 26.96, 27.71), ("26.9 ms".into(), "27.8 ms".into()));
        assert_eq!(ends("ms", 1292.0, 1408.0), ("1.29 s".into(), "1.41 s".into()));
        assert_eq!(ends("per_s", 99.0, 101.0), ("99.0/s".into(), "101/s".into()), "what is exact stays");
        assert_eq!(ends("number", -3.456, 3.456), ("−3.46".into(), "3.46".into()));
    }
}
