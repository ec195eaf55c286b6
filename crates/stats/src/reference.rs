//! Reference arithmetic for known answers: a generator that any language can repeat bit for bit, the buckets of
//! HdrHistogram from their definition, and the correction for coordinated omission that other tools apply.
//!
//! Nothing here is used on measured data: oracles of tests, of reference targets and of the pages in `docs/methods`.

/// The generator of Park & Miller: `x <- 16807·x mod (2^31 - 1)`.
///
/// Poor by today's measure, but a line in any language, and exact in each. The 10 000th number from seed 1 is
/// 1043618065. Source: S. K. Park, K. W. Miller, "Random number generators: good ones are hard to find", CACM 31, 1988.
#[derive(Clone, Debug)]
pub struct ParkMiller(u64);

impl ParkMiller {
    const MODULUS: u64 = 2_147_483_647;

    /// Starts at a seed; seeds are taken modulo 2^31 - 1, and 0, which would stay 0 for ever, becomes 1.
    pub fn new(seed: u64) -> Self {
        Self((seed % Self::MODULUS).max(1))
    }

    /// The next number, 1 to 2^31 - 2.
    pub fn next_number(&mut self) -> u64 {
        self.0 = self.0 * 16_807 % Self::MODULUS;
        self.0
    }

    /// The next number as a fraction, strictly between 0 and 1.
    pub fn uniform(&mut self) -> f64 {
        self.next_number() as f64 / Self::MODULUS as f64
    }

    /// The next number as an exponential variate, `-mean·ln(1 - u)`, in the unit of `mean`.
    pub fn exponential(&mut self, mean: f64) -> f64 {
        -mean * (1.0 - self.uniform()).ln()
    }
}

/// The least and the greatest whole value of the bucket of `value` in an HdrHistogram of lowest unit 1.
///
/// `significant_digits` 1 to 5. Source: HdrHistogram's definition: `2^ceil(log2(2·10^digits))` buckets of width 1, then
/// half as many for each doubling.
pub fn hdr_bucket(value: u64, significant_digits: u32) -> (u64, u64) {
    let sub_buckets = (2 * 10u64.pow(significant_digits.clamp(1, 5))).next_power_of_two();
    let shift = (u64::BITS - value.leading_zeros()).saturating_sub(sub_buckets.trailing_zeros());
    let low = value >> shift << shift;
    (low, low + (1 << shift) - 1)
}

/// The expected-interval correction for coordinated omission: each value longer than the interval is followed by
/// invented ones, shorter by one interval each, down to the interval.
///
/// `values` and `interval` in one unit, `interval` above 0 (else nothing is added). Kept to show by how much it
/// understates what an open workload would have seen; this project measures from the intended start instead.
/// Source: G. Tene, HdrHistogram, `recordValueWithExpectedInterval`.
pub fn expected_interval_correction(values: &[f64], interval: f64) -> Vec<f64> {
    let mut all = Vec::with_capacity(values.len());
    for &value in values {
        all.push(value);
        let mut missing = value - interval;
        while interval > 0.0 && missing >= interval {
            all.push(missing);
            missing -= interval;
        }
    }
    all
}
