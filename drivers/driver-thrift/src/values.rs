//! Values of attributes, made as they are sent: each follows from a seed, the attribute and the event's number, so that any
//! thread makes any event and nothing lies on a disk.

use crate::sink::Sink;
use crate::stream::Type;
use std::f64::consts::TAU;
use terms::{Nanos, seed};

/// Signs of texts that have a length and no other meaning: what they compress to is like prose, not like zeros.
const SIGNS: &[u8; 64] = b"the quick brown fox jumps over a lazy dog and runs 0123456789 to";

/// What an attribute's values are.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Values {
    /// Whole numbers from one to another, each as often.
    Whole { from: i64, to: i64 },
    /// Numbers from one to another.
    Between { from: f64, to: f64 },
    /// Normally distributed numbers.
    Normal { mean: f64, deviation: f64 },
    /// The event's number.
    Number,
    /// When it is sent, milliseconds since 1970.
    Now,
    /// True for this share.
    Share(f64),
    /// One of these texts.
    OneOf(Vec<Box<[u8]>>),
    /// This, with a whole number from one to another behind it.
    Numbered { before: Box<[u8]>, from: i64, to: i64 },
    /// A text of so many bytes.
    Length(u32),
    /// Texts whose lengths are log-normal: `ln` of a length has this mean and deviation. None is longer than `most`.
    LogNormal { mu: f64, sigma: f64, most: u32 },
}

impl Values {
    /// Lengths of texts that are log-normal with this mean, in bytes, and this deviation of their logarithm.
    pub(crate) fn log_normal(mean: f64, sigma: f64, most: u32) -> Self {
        Self::LogNormal { mu: mean.ln() - sigma * sigma / 2.0, sigma, most }
    }

    /// Bytes of the longest text; none where the values are not texts.
    pub(crate) fn most_bytes(&self) -> u64 {
        match self {
            Self::OneOf(texts) => texts.iter().map(|text| text.len() as u64).max().unwrap_or_default(),
            // A sign and nineteen digits.
            Self::Numbered { before, .. } => before.len() as u64 + 20,
            Self::Length(length) => (*length).into(),
            Self::LogNormal { most, .. } => (*most).into(),
            Self::Whole { .. }
            | Self::Between { .. }
            | Self::Normal { .. }
            | Self::Number
            | Self::Now
            | Self::Share(_) => 0,
        }
    }

    /// Adds the value of this event of an attribute of that type.
    #[inline]
    pub(crate) fn add(&self, kind: Type, seed: u64, event: u64, wall: Nanos, into: &mut impl Sink) {
        match self {
            Self::Whole { from, to } => into.number(kind, whole(*from, *to, seed::hash(seed, event)) as f64, || {
                whole(*from, *to, seed::hash(seed, event))
            }),
            Self::Between { from, to } => {
                let value = from + (to - from) * seed::uniform(seed, event);
                into.number(kind, value, || value as i64);
            }
            Self::Normal { mean, deviation } => {
                let value = mean + deviation * normal(seed, event);
                into.number(kind, value, || value.round() as i64);
            }
            Self::Number => into.number(kind, event as f64, || event as i64),
            Self::Now => into.number(kind, (wall.0 / 1_000_000) as f64, || wall.0 / 1_000_000),
            Self::Share(share) => into.bool(seed::uniform(seed, event) < *share),
            Self::OneOf(texts) => {
                let place = whole(0, texts.len() as i64 - 1, seed::hash(seed, event)) as usize;
                into.text(texts.get(place).map_or(&[][..], |text| text));
            }
            Self::Numbered { before, from, to } => {
                into.numbered(before, whole(*from, *to, seed::hash(seed, event)));
            }
            Self::Length(length) => into.signs(SIGNS, seed::hash(seed, event), *length),
            Self::LogNormal { mu, sigma, most } => {
                let length = (mu + sigma * normal(seed, event)).exp().round();
                into.signs(SIGNS, seed::hash(!seed, event), (length as u32).min(*most));
            }
        }
    }
}

/// A whole number of a range, from a random one: the upper half of the product (Lemire 2019, without the rejection, which
/// favours no number by more than the range's part of 2^64).
#[inline]
fn whole(from: i64, to: i64, random: u64) -> i64 {
    let width = (to as u64).wrapping_sub(from as u64).wrapping_add(1);
    let within = if width == 0 { random } else { ((u128::from(random) * u128::from(width)) >> 64) as u64 };
    from.wrapping_add(within as i64)
}

/// A standard normal number (Box and Muller 1958).
#[inline]
fn normal(seed: u64, event: u64) -> f64 {
    // Never zero, whose logarithm there is not.
    let radius = (-2.0 * (1.0 - seed::uniform(seed, event)).ln()).sqrt();
    radius * (TAU * seed::uniform(seed.rotate_left(32) ^ 0x5bd1_e995, event)).cos()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A million values: mean and standard deviation.
    fn moments(of: impl Fn(u64) -> f64) -> (f64, f64) {
        const COUNT: u64 = 1_000_000;
        let (sum, squares) = (0..COUNT).map(of).fold((0.0, 0.0), |(sum, squares), x| (sum + x, squares + x * x));
        let mean = sum / COUNT as f64;
        (mean, (squares / COUNT as f64 - mean * mean).sqrt())
    }

    #[test]
    fn ranges_are_met_at_both_ends_and_evenly() {
        let mut seen = [0u32; 6];
        for event in 0..60_000 {
            seen[usize::try_from(whole(-2, 3, seed::hash(1, event)) + 2).unwrap()] += 1;
        }
        // 10,000 each; five standard deviations are 456.
        assert!(seen.iter().all(|count| count.abs_diff(10_000) < 456), "{seen:?}");
        assert_eq!(whole(i64::MIN, i64::MAX, 5), i64::MIN + 5);
        assert_eq!((whole(7, 7, 0), whole(7, 7, u64::MAX)), (7, 7));
    }

    #[test]
    fn normal_numbers_have_mean_zero_and_deviation_one() {
        let (mean, deviation) = moments(|event| normal(3, event));
        assert!(mean.abs() < 0.005 && (deviation - 1.0).abs() < 0.005, "{mean} {deviation}");
    }

    #[test]
    fn lengths_have_the_mean_that_was_asked_for() {
        let Values::LogNormal { mu, sigma, .. } = Values::log_normal(3500.0, 0.8, u32::MAX) else { unreachable!() };
        let (mean, deviation) = moments(|event| (mu + sigma * normal(4, event)).exp());
        // Theory: deviation = mean · sqrt(exp(0.64) − 1).
        assert!((mean / 3500.0 - 1.0).abs() < 0.01, "{mean}");
        assert!((deviation / (3500.0 * (0.64f64.exp() - 1.0).sqrt()) - 1.0).abs() < 0.05, "{deviation}");
    }
}
