//! Service times by request number: the same seed and number always give the same time.

/// How service times are spread.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum ServiceTimes {
    /// Exponential with this mean, in nanoseconds: the second M of M/M/1.
    Exponential {
        /// Mean in nanoseconds, greater than 0.
        mean_ns: f64,
        /// Of the draws.
        seed: u64,
    },
    /// Always this many nanoseconds: the D of M/D/1.
    Constant {
        /// In nanoseconds.
        service_ns: u64,
    },
}

impl ServiceTimes {
    /// The service time of request `number` (from 0), in whole nanoseconds.
    pub fn of(&self, number: u64) -> u64 {
        match *self {
            ServiceTimes::Constant { service_ns } => service_ns,
            // Inversion: 1 - u lies in (0, 1], so the logarithm is finite; the longest draw is 36.7 means.
            ServiceTimes::Exponential { mean_ns, seed } => (-(1.0 - uniform(seed, number)).ln() * mean_ns) as u64,
        }
    }
}

/// The `number`-th (from 0) value of SplitMix64 begun with `seed`, without computing those before it.
///
/// Source: Steele, Lea, Flood, "Fast splittable pseudorandom number generators", OOPSLA 2014; its state after
/// n steps is `seed + n * GAMMA`.
pub fn splitmix64(seed: u64, number: u64) -> u64 {
    const GAMMA: u64 = 0x9e37_79b9_7f4a_7c15;
    let mut z = seed.wrapping_add(number.wrapping_add(1).wrapping_mul(GAMMA));
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

/// A number in [0, 1) with 53 random bits.
pub fn uniform(seed: u64, number: u64) -> f64 {
    (splitmix64(seed, number) >> 11) as f64 / (1_u64 << 53) as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    /// First outputs for the seed 1234567, as the algorithm's reference code in C prints them.
    #[test]
    fn splitmix64_known_answers() {
        let found: Vec<u64> = (0..5).map(|number| splitmix64(1_234_567, number)).collect();
        assert_eq!(
            found,
            [
                6_457_827_717_110_365_317,
                3_203_168_211_198_807_973,
                9_817_491_932_198_370_423,
                4_593_380_528_125_082_431,
                16_408_922_859_458_223_821
            ]
        );
    }

    /// 100,000 draws; the bounds are four standard errors of the statistic, so a right generator fails them
    /// once in 16,000 seeds, and the seed is fixed.
    #[test]
    fn draws_have_the_moments_of_the_exponential() {
        let times = ServiceTimes::Exponential { mean_ns: 1e7, seed: 7 };
        let draws: Vec<f64> = (0..100_000).map(|number| times.of(number) as f64 / 1e7).collect();
        let n = draws.len() as f64;
        let mean = draws.iter().sum::<f64>() / n;
        let square = draws.iter().map(|x| x * x).sum::<f64>() / n;
        let above_two = draws.iter().filter(|x| **x > 2.0).count() as f64 / n;
        assert!((mean - 1.0).abs() < 4.0 / n.sqrt(), "mean {mean}");
        // E X² = 2, Var X² = 24 - 4 = 20.
        assert!((square - 2.0).abs() < 4.0 * (20.0 / n).sqrt(), "mean square {square}");
        let p = (-2.0_f64).exp();
        assert!((above_two - p).abs() < 4.0 * (p * (1.0 - p) / n).sqrt(), "share above two means {above_two}");
        // Neighbours are independent: their correlation is within four standard errors of 0.
        let pairs = draws.windows(2).map(|pair| (pair[0] - 1.0) * (pair[1] - 1.0)).sum::<f64>() / (n - 1.0);
        assert!(pairs.abs() < 4.0 / n.sqrt(), "correlation {pairs}");
    }

    #[test]
    fn constant_is_constant_and_seeds_differ() {
        assert_eq!(ServiceTimes::Constant { service_ns: 5 }.of(99), 5);
        let with = |seed| ServiceTimes::Exponential { mean_ns: 1e7, seed }.of(0);
        assert_ne!(with(7), with(8));
    }
}
