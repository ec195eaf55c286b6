//! Scales: from a value to a place between 0 and 1, and where the ticks stand.

use crate::number::Numbers;

/// How an axis runs.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Scale {
    /// Evenly.
    Linear {
        /// Least value.
        low: f64,
        /// Greatest value.
        high: f64,
    },
    /// Evenly, of what is counted: ticks at whole numbers alone.
    Whole {
        /// Least value.
        low: f64,
        /// Greatest value.
        high: f64,
    },
    /// By factors; both ends above zero.
    Log {
        /// Least value.
        low: f64,
        /// Greatest value.
        high: f64,
    },
    /// Time in seconds, with ticks at whole minutes or seconds.
    Time {
        /// Begin, seconds.
        low: f64,
        /// End, seconds.
        high: f64,
    },
    /// Quantiles on `log10(1 / (1 - q))`, from p0; `nines` is the right end: 3 for p99.9.
    Tail {
        /// Right end.
        nines: f64,
    },
}

/// A tick: value and label.
pub(crate) type Tick = (f64, String);

impl Scale {
    /// Where a value stands, 0 to 1; values outside stand at the ends.
    pub(crate) fn position(&self, value: f64) -> f64 {
        let place = match *self {
            Self::Linear { low, high } | Self::Whole { low, high } | Self::Time { low, high } => {
                (value - low) / (high - low)
            }
            Self::Log { low, high } => (value.max(low).ln() - low.ln()) / (high.ln() - low.ln()),
            Self::Tail { nines } => -(1.0 - value).max(1e-12).log10() / nines,
        };
        if place.is_finite() { place.clamp(0.0, 1.0) } else { 0.0 }
    }

    /// Whether a value lies on the scale.
    pub(crate) fn holds(&self, value: f64) -> bool {
        match *self {
            Self::Linear { low, high }
            | Self::Whole { low, high }
            | Self::Log { low, high }
            | Self::Time { low, high } => low <= value && value <= high,
            Self::Tail { nines } => 1.0 - value >= 10f64.powf(-nines) * (1.0 - 1e-9),
        }
    }

    /// About `wanted` ticks, with labels in this language's numbers.
    pub(crate) fn ticks(&self, wanted: usize, numbers: Numbers) -> Vec<Tick> {
        match *self {
            Self::Linear { low, high } => ticks_by(step_of(high - low, wanted), low, high, numbers),
            Self::Whole { low, high } => ticks_by(step_of(high - low, wanted).max(1.0), low, high, numbers),
            Self::Time { low, high } => time_ticks(low, high, wanted),
            Self::Log { low, high } => log_ticks(low, high, wanted, numbers),
            Self::Tail { nines } => tail_ticks(nines, numbers),
        }
    }

    /// A log scale that covers these values, ends at 1, 2 or 5 times a power of ten; at least one factor of ten.
    pub(crate) fn log_over(values: impl Iterator<Item = f64>) -> Self {
        let (mut low, mut high) = (f64::INFINITY, 0.0f64);
        for value in values.filter(|value| value.is_finite() && *value > 0.0) {
            low = low.min(value);
            high = high.max(value);
        }
        if high == 0.0 {
            return Self::Log { low: 1.0, high: 10.0 };
        }
        let low = nice_floor(low);
        Self::Log { low, high: nice_ceiling(high).max(low * 10.0) }
    }

    /// As [`Scale::log_over`], and over those limits that are at most ten times what was measured: one that is further
    /// away would press what was measured flat, and is named instead.
    pub(crate) fn log_to_limits(values: impl Iterator<Item = f64>, limits: impl Iterator<Item = f64>) -> Self {
        let values: Vec<f64> = values.filter(|value| value.is_finite() && *value > 0.0).collect();
        let greatest = values.iter().copied().fold(0.0, f64::max);
        Self::log_over(limits.filter(|limit| greatest > 0.0 && *limit <= greatest * 10.0).chain(values.iter().copied()))
    }

    /// A scale from zero to a count, which has a little room behind it.
    pub(crate) fn whole_to(most: f64) -> Self {
        Self::Whole { low: 0.0, high: if most >= 1.0 { most * 1.06 } else { 1.06 } }
    }

    /// A linear scale from zero that covers these values.
    pub(crate) fn from_zero(values: impl Iterator<Item = f64>) -> Self {
        let high = values.filter(|value| value.is_finite()).fold(0.0f64, f64::max);
        Self::Linear { low: 0.0, high: if high > 0.0 { nice_ceiling(high * 1.02) } else { 1.0 } }
    }
}

/// 1, 1.5, 2, 3, 4, 5, 6, 8 or 10 times a power of ten, not below the value.
pub(crate) fn nice_ceiling(value: f64) -> f64 {
    let power = 10f64.powf(value.log10().floor());
    let part = value / power;
    let nice = [1.0, 1.5, 2.0, 3.0, 4.0, 5.0, 6.0, 8.0, 10.0].into_iter().find(|nice| *nice >= part - 1e-9);
    nice.unwrap_or(10.0) * power
}

fn nice_floor(value: f64) -> f64 {
    let power = 10f64.powf(value.log10().floor());
    let part = value / power;
    [5.0, 2.0, 1.0].into_iter().find(|nice| *nice <= part + 1e-9).unwrap_or(1.0) * power
}

/// The step of 1, 2 or 5 times a power of ten that gives about so many ticks.
fn step_of(span: f64, wanted: usize) -> f64 {
    let rough = span / wanted.max(1) as f64;
    let power = 10f64.powf(rough.log10().floor());
    let part = rough / power;
    let nice = if part <= 1.0 {
        1.0
    } else if part <= 2.0 {
        2.0
    } else if part <= 5.0 {
        5.0
    } else {
        10.0
    };
    nice * power
}

fn ticks_by(step: f64, low: f64, high: f64, numbers: Numbers) -> Vec<Tick> {
    if high <= low {
        return Vec::new();
    }
    let places = (-step.log10().floor()).max(0.0) as usize;
    let first = (low / step).ceil() as i64;
    let last = (high / step + 1e-9).floor() as i64;
    (first..=last).map(|n| (n as f64 * step, numbers.fixed(n as f64 * step, places))).collect()
}

/// Steps of time that people count in, seconds.
const TIME_STEPS: [f64; 17] = [
    1.0, 2.0, 5.0, 10.0, 15.0, 30.0, 60.0, 120.0, 300.0, 600.0, 900.0, 1800.0, 3600.0, 7200.0, 14_400.0, 21_600.0,
    43_200.0,
];

fn time_ticks(low: f64, high: f64, wanted: usize) -> Vec<Tick> {
    if high <= low {
        return Vec::new();
    }
    let rough = (high - low) / wanted.max(1) as f64;
    let step =
        TIME_STEPS.into_iter().find(|step| *step >= rough).unwrap_or_else(|| (rough / 86_400.0).ceil() * 86_400.0);
    let first = (low / step).ceil() as i64;
    let last = (high / step + 1e-9).floor() as i64;
    (first..=last).map(|n| (n as f64 * step, clock_label(n as f64 * step))).collect()
}

/// `0:30`, `12:00`, `1:05:00`.
pub(crate) fn clock_label(seconds: f64) -> String {
    let sign = if seconds < -0.5 { "−" } else { "" };
    let whole = seconds.abs().round() as i64;
    let (hours, minutes, seconds) = (whole / 3600, whole / 60 % 60, whole % 60);
    if hours > 0 { format!("{sign}{hours}:{minutes:02}:{seconds:02}") } else { format!("{sign}{minutes}:{seconds:02}") }
}

fn log_ticks(low: f64, high: f64, wanted: usize, numbers: Numbers) -> Vec<Tick> {
    let (first, last) = (low.log10().floor() as i32, high.log10().ceil() as i32);
    let at = |parts: &[f64]| -> Vec<Tick> {
        let all = (first..=last).flat_map(|power| parts.iter().map(move |part| part * 10f64.powi(power)));
        let inside = all.filter(|value| *value >= low * 0.999 && *value <= high * 1.001);
        inside.map(|value| (value, numbers.fixed(value, (-value.log10().floor()).max(0.0) as usize))).collect()
    };
    let fine = at(&[1.0, 2.0, 5.0]);
    if fine.len() <= wanted + 2 { fine } else { at(&[1.0]) }
}

fn tail_ticks(nines: f64, numbers: Numbers) -> Vec<Tick> {
    let mut ticks = vec![(0.0, "p0".to_owned()), (0.5, "p50".to_owned())];
    for power in 1..=8 {
        if f64::from(power) <= nines + 1e-9 {
            let quantile = 1.0 - 10f64.powi(-power);
            ticks.push((quantile, format!("p{}", numbers.fixed(quantile * 100.0, (power - 2).max(0) as usize))));
        }
    }
    ticks
}

#[cfg(test)]
mod tests {
    use super::*;

    fn labels(ticks: Vec<Tick>) -> Vec<String> {
        ticks.into_iter().map(|(_, label)| label).collect()
    }

    #[test]
    fn linear_ticks_are_one_two_or_five() {
        let numbers = Numbers::of("en");
        assert_eq!(
            labels(Scale::Linear { low: 0.0, high: 1.0 }.ticks(5, numbers)),
            ["0.0", "0.2", "0.4", "0.6", "0.8", "1.0"]
        );
        assert_eq!(
            labels(Scale::Linear { low: 0.0, high: 3000.0 }.ticks(4, numbers)),
            ["0", "1,000", "2,000", "3,000"]
        );
    }

    #[test]
    fn what_is_counted_has_ticks_at_whole_numbers() {
        let ticks = |high: f64| labels(Scale::whole_to(high).ticks(8, Numbers::of("en")));
        assert_eq!(ticks(1.0), ["0", "1"]);
        assert_eq!(ticks(3.0), ["0", "1", "2", "3"]);
        assert_eq!(ticks(20.0), ["0", "5", "10", "15", "20"]);
        assert_eq!(ticks(0.0), ["0", "1"]);
    }

    #[test]
    fn log_ticks_thin_out_over_many_decades() {
        let numbers = Numbers::of("en");
        assert_eq!(
            labels(Scale::Log { low: 1.0, high: 100.0 }.ticks(7, numbers)),
            ["1", "2", "5", "10", "20", "50", "100"]
        );
        assert_eq!(
            labels(Scale::Log { low: 0.01, high: 1000.0 }.ticks(6, numbers)),
            ["0.01", "0.1", "1", "10", "100", "1,000"]
        );
    }

    #[test]
    fn the_percentile_axis_gives_each_nine_the_same_room() {
        let scale = Scale::Tail { nines: 3.0 };
        for (quantile, place) in [(0.0, 0.0), (0.9, 1.0 / 3.0), (0.99, 2.0 / 3.0), (0.999, 1.0)] {
            assert!((scale.position(quantile) - place).abs() < 1e-9);
        }
        assert_eq!(labels(scale.ticks(5, Numbers::of("en"))), ["p0", "p50", "p90", "p99", "p99.9"]);
    }

    #[test]
    fn time_is_counted_as_people_do() {
        assert_eq!(
            labels(Scale::Time { low: 0.0, high: 180.0 }.ticks(6, Numbers::of("en"))),
            ["0:00", "0:30", "1:00", "1:30", "2:00", "2:30", "3:00"]
        );
        assert_eq!(clock_label(3900.0), "1:05:00");
    }

    #[test]
    fn nothing_to_show_is_still_a_scale() {
        assert_eq!(Scale::log_over(std::iter::empty()), Scale::Log { low: 1.0, high: 10.0 });
        assert_eq!(Scale::from_zero(std::iter::empty()), Scale::Linear { low: 0.0, high: 1.0 });
        assert_eq!(Scale::Linear { low: 1.0, high: 1.0 }.position(1.0), 0.0);
    }
}
