//! A level that is watched for a fall while it goes on: a one-sided cumulative sum.

use super::place::wandering;
use crate::StatsError;
use crate::special::normal_quantile;

/// The mean of the baseline may be so much too high in one case of twenty.
const SURE: f64 = 0.95;
/// The spread of the baseline is taken as great as it may be in nine of ten cases.
const SURE_OF_SPREAD: f64 = 0.9;

/// What is to be told, and how seldom wrongly.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Wanted {
    /// Falls by this part of the level or more, 0 to 1, both excluded.
    pub part: f64,
    /// That last at least so many values.
    pub lasts: usize,
    /// Values at the beginning by which level and noise are known, at least 12.
    pub baseline: usize,
    /// Values between two false alarms, on average.
    pub apart: f64,
}

/// A fall that was seen.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Fallen {
    /// Mean of the baseline.
    pub from: f64,
    /// Mean since the fall.
    pub to: f64,
    /// Place of the first value that lies lower.
    pub since: usize,
}

/// A series that is watched, value by value.
#[derive(Clone, Debug)]
pub struct FallAlarm {
    wanted: Wanted,
    baseline: Vec<f64>,
    seen: usize,
    limits: Option<Limits>,
    /// What has gathered, since when, and the sum of the values since.
    sum: f64,
    since: usize,
    total: f64,
}

/// What the baseline tells.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Limits {
    level: f64,
    /// What a value lies below this is gathered.
    reference: f64,
    /// Most that one value adds.
    most: f64,
    /// Alarm above this.
    threshold: f64,
}

impl FallAlarm {
    /// Watches from the next value on.
    ///
    /// # Errors
    /// [`StatsError::OutOfRange`].
    pub fn new(wanted: Wanted) -> Result<Self, StatsError> {
        if !(wanted.part > 0.0 && wanted.part < 1.0) {
            return Err(StatsError::OutOfRange("`part` must lie between 0 and 1"));
        }
        if wanted.baseline < 12 || wanted.lasts == 0 || !(wanted.apart >= 1.0 && wanted.apart.is_finite()) {
            return Err(StatsError::OutOfRange("`baseline` must be 12 or more, `lasts` and `apart` 1 or more"));
        }
        Ok(Self { wanted, baseline: Vec::new(), seen: 0, limits: None, sum: 0.0, since: 0, total: 0.0 })
    }

    /// Whether the baseline is over and wanders so much that no fall of this size could be told from it.
    pub fn is_blind(&self) -> bool {
        self.limits.is_some_and(|limits| limits.reference <= (1.0 - self.wanted.part) * limits.level)
    }

    /// Takes the next value; the fall, where one is told by now.
    ///
    /// A value gathers by how much it lies below the middle between the level and the fallen level. It adds at most what
    /// one on the fallen level does, so that a standstill of a few values is worth no more than they last. The alarm is
    /// given where more has gathered than wandering reaches once in `apart` values on average, more than `lasts` values on
    /// the fallen level gather, and the values since then lie lower by `part` on average. Values that are not finite are
    /// left out.
    ///
    /// Sources: E. S. Page, Biometrika 41, 1954; D. Siegmund, "Sequential Analysis", 1985, 2.6 (the average run length,
    /// with the long-run variance of the baseline for values that resemble their neighbours).
    pub fn add(&mut self, value: f64) -> Option<Fallen> {
        if !value.is_finite() {
            return None;
        }
        let place = self.seen;
        self.seen += 1;
        let Some(limits) = self.limits else {
            self.baseline.push(value);
            if self.baseline.len() == self.wanted.baseline {
                self.limits = Some(Limits::of(&std::mem::take(&mut self.baseline), &self.wanted));
            }
            return None;
        };
        if self.is_blind() || limits.level <= 0.0 {
            return None;
        }
        let added = (limits.reference - value).min(limits.most);
        if self.sum <= 0.0 {
            (self.since, self.total) = (place, 0.0);
        }
        self.sum = (self.sum + added).max(0.0);
        self.total += value;
        let to = self.total / (self.seen - self.since) as f64;
        let is_fallen = self.sum > limits.threshold && to <= (1.0 - self.wanted.part) * limits.level;
        is_fallen.then_some(Fallen { from: limits.level, to, since: self.since })
    }
}

impl Limits {
    fn of(baseline: &[f64], wanted: &Wanted) -> Self {
        let level = baseline.iter().sum::<f64>() / baseline.len() as f64;
        let rest: Vec<f64> = baseline.iter().map(|value| value - level).collect();
        let spread = wandering(&rest, SURE_OF_SPREAD).sqrt();
        let half = 0.5 * wanted.part * level;
        let error = normal_quantile(SURE) * spread / (baseline.len() as f64).sqrt();
        let by_noise = spread * ends(half / spread, wanted.apart);
        let by_length = half * wanted.lasts as f64;
        Self {
            level,
            reference: level - half - error,
            most: half,
            threshold: if spread > 0.0 { by_noise.max(by_length) } else { by_length },
        }
    }
}

/// The threshold in standard deviations at which a sum with this drift, in standard deviations a value, is exceeded once in
/// `apart` values on average: `apart = (e^x - x - 1)/(2·drift²)` with `x = 2·drift·threshold`.
fn ends(drift: f64, apart: f64) -> f64 {
    if !(drift > 0.0 && drift.is_finite()) {
        return 0.0;
    }
    let wanted = 2.0 * drift * drift * apart;
    let (mut low, mut high) = (0.0f64, 700.0f64);
    for _ in 0..60 {
        let middle = 0.5 * (low + high);
        if middle.exp_m1() - middle < wanted { low = middle } else { high = middle }
    }
    0.5 * (low + high) / (2.0 * drift)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Siegmund's formula at a drift of half a standard deviation and a threshold of four: x = 4, (e^4 - 5)/0.5.
    #[test]
    fn the_threshold_is_that_of_the_formula() {
        let apart = (4f64.exp() - 5.0) / 0.5;
        assert!((ends(0.5, apart) - 4.0).abs() < 1e-9);
        assert_eq!(ends(f64::INFINITY, 10.0), 0.0);
    }

    #[test]
    fn a_fall_is_told_with_its_place_and_a_short_standstill_is_none() {
        let wanted = Wanted { part: 0.3, lasts: 10, baseline: 40, apart: 360_000.0 };
        let even = |at: usize| 100.0 + (at * 7 % 5) as f64 - 2.0;
        let mut alarm = FallAlarm::new(wanted).unwrap();
        let mut seen = None;
        for at in 0..400 {
            // Nothing at all for six values, again and again; from 200 on half as much.
            let value = if at < 200 { if at % 50 < 6 && at > 40 { 0.0 } else { even(at) } } else { 0.5 * even(at) };
            seen = seen.or_else(|| alarm.add(value).map(|fallen| (at, fallen)));
        }
        let (at, fallen) = seen.unwrap();
        assert!((210..240).contains(&at), "{at}");
        assert!(fallen.since.abs_diff(200) <= 6 && (fallen.from - 100.0).abs() < 1.0, "{fallen:?}");
        assert!((fallen.to - 50.0).abs() < 12.0, "{fallen:?}");
    }

    #[test]
    fn a_smaller_fall_is_not_told_and_a_wild_baseline_sees_nothing() {
        let wanted = Wanted { part: 0.3, lasts: 10, baseline: 40, apart: 360_000.0 };
        let mut alarm = FallAlarm::new(wanted).unwrap();
        assert!(
            (0..2000).all(|at| alarm.add(if at < 100 { 100.0 } else { 80.0 }).is_none()),
            "a fifth is not three tenths"
        );
        let mut wild = FallAlarm::new(wanted).unwrap();
        assert!((0..2000).all(|at| wild.add(if at % 20 < 10 { 10.0 } else { 190.0 }).is_none()));
        assert!(wild.is_blind() && !alarm.is_blind());
        assert!(FallAlarm::new(Wanted { part: 1.0, ..wanted }).is_err());
        assert!(FallAlarm::new(Wanted { baseline: 11, ..wanted }).is_err());
    }
}
