//! Which requests fail, and how: known for each number, without chance.

use target_common::units::WHOLE;

/// What becomes of a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fate {
    /// Answered as it should be.
    Right,
    /// Answered with the error status.
    Error,
    /// The connection is reset in place of an answer.
    Reset,
    /// The head and half the body are sent, then the connection ends.
    Half,
    /// Answered with the right status and a wrong body of the same length.
    Wrong,
}

/// Shares of the fates, in parts of 10,000; together at most 10,000.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Fates {
    /// Of [`Fate::Error`].
    pub errors: u32,
    /// Of [`Fate::Reset`].
    pub resets: u32,
    /// Of [`Fate::Half`].
    pub halves: u32,
    /// Of [`Fate::Wrong`].
    pub wrongs: u32,
}

/// 10,000 times the golden section, made coprime with 10,000: neighbouring numbers fall far from each other.
const STRIDE: u64 = 6_181;

impl Fates {
    /// The fate of request `number` (from 0).
    ///
    /// The number is mapped to a place in 0 to 9,999, each taken once in every 10,000 numbers, and the fates hold
    /// ranges of places. So in any 10,000 requests in a row each share is met exactly, spread evenly.
    pub fn of(&self, number: u64) -> Fate {
        let mut place = (number % u64::from(WHOLE) * STRIDE % u64::from(WHOLE)) as u32;
        let shares = [
            (self.errors, Fate::Error),
            (self.resets, Fate::Reset),
            (self.halves, Fate::Half),
            (self.wrongs, Fate::Wrong),
        ];
        for (share, fate) in shares {
            if place < share {
                return fate;
            }
            place -= share;
        }
        Fate::Right
    }

    /// How many of the requests `0..count` have the fate `fate`.
    pub fn count(&self, fate: Fate, count: u64) -> u64 {
        (0..count).filter(|number| self.of(*number) == fate).count() as u64
    }

    /// The sum of the shares.
    pub fn sum(&self) -> u32 {
        self.errors + self.resets + self.halves + self.wrongs
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MIXED: Fates = Fates { errors: 200, resets: 100, halves: 50, wrongs: 1 };

    #[test]
    fn shares_are_exact_in_any_ten_thousand_in_a_row() {
        for first in [0, 1, 7_777, 123_456_789] {
            let count = |fate| (first..first + 10_000).filter(|number| MIXED.of(*number) == fate).count();
            let found = [Fate::Error, Fate::Reset, Fate::Half, Fate::Wrong, Fate::Right].map(count);
            assert_eq!(found, [200, 100, 50, 1, 9_649]);
        }
    }

    /// An even spread: the longest run of right answers is not much above the mean distance of 50.
    #[test]
    fn failures_are_spread_evenly() {
        let errors = Fates { errors: 200, ..Fates::default() };
        let failed: Vec<u64> = (0..20_000).filter(|number| errors.of(*number) == Fate::Error).collect();
        let longest = failed.windows(2).map(|pair| pair[1] - pair[0]).max();
        assert!(longest.is_some_and(|longest| longest <= 100), "{longest:?}");
        assert!(errors.count(Fate::Error, 1_000).abs_diff(20) <= 1);
    }

    #[test]
    fn none_and_all() {
        assert_eq!(Fates::default().count(Fate::Right, 20_000), 20_000);
        let all = Fates { errors: 10_000, ..Fates::default() };
        assert_eq!(all.count(Fate::Error, 20_000), 20_000);
        assert_eq!(all.of(u64::MAX), Fate::Error);
    }
}
