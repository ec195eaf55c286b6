//! The tabular cumulative sum: a small lasting shift, noticed as it happens.

/// A shift that was noticed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Alarm {
    /// The level is above the target.
    High,
    /// The level is below the target.
    Low,
}

/// Two cumulative sums about a target, one for each direction.
///
/// `S_high <- max(0, S_high + x - target - k)`, `S_low <- max(0, S_low + target - k - x)`; an alarm when one exceeds
/// `h`. To notice a shift by δ, take `k = δ/2`, and `h` about five standard deviations.
/// Source: E. S. Page, Biometrika 41, 1954; NIST/SEMATECH e-Handbook 6.3.2.3.
#[derive(Clone, Debug, PartialEq)]
pub struct Cusum {
    target: f64,
    allowance: f64,
    limit: f64,
    high: f64,
    low: f64,
}

impl Cusum {
    /// `target`: the level that should be held; `allowance` (k) and `limit` (h) in its unit, taken without sign.
    pub fn new(target: f64, allowance: f64, limit: f64) -> Self {
        Self { target, allowance: allowance.abs(), limit: limit.abs(), high: 0.0, low: 0.0 }
    }

    /// Adds a value; what is no finite number is passed over. The alarm stands as long as the sum is above the limit.
    pub fn push(&mut self, value: f64) -> Option<Alarm> {
        if value.is_finite() {
            self.high = (self.high + value - self.target - self.allowance).max(0.0);
            self.low = (self.low + self.target - self.allowance - value).max(0.0);
        }
        if self.high > self.limit {
            Some(Alarm::High)
        } else if self.low > self.limit {
            Some(Alarm::Low)
        } else {
            None
        }
    }

    /// Both sums, high and low, in the values' unit.
    pub fn sums(&self) -> (f64, f64) {
        (self.high, self.low)
    }
}
