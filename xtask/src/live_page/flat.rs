//! Whether something stays the same over time, such as the memory of a page that is left open.

/// Samples from which it can be told.
pub(super) const SAMPLES_MIN: usize = 8;
/// How much more the last quarter may have than the second one.
const GROWTH_MAX: f64 = 1.2;

/// The highest values of the second and of the last quarter. The first one is left out: there a page fills.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Quarters {
    pub(super) second: f64,
    pub(super) last: f64,
}

impl Quarters {
    /// Of samples at even distances, in order; none where they are too few, or one could not be had.
    pub(super) fn of(samples: &[f64]) -> Option<Self> {
        if samples.len() < SAMPLES_MIN || !samples.iter().all(|sample| sample.is_finite()) {
            return None;
        }
        let (quarter, half) = (samples.len() / 4, samples.len() / 2);
        let most = |of: &[f64]| of.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        Some(Self { second: most(&samples[quarter..half]), last: most(&samples[samples.len() - quarter..]) })
    }

    /// The last quarter's highest value is at most 1.2 times that of the second, and `slack` more.
    pub(super) fn is_flat(&self, slack: f64) -> bool {
        self.last <= GROWTH_MAX * self.second + slack
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(value: impl Fn(f64) -> f64) -> Quarters {
        Quarters::of(&(0..40).map(|number| value(f64::from(number))).collect::<Vec<_>>()).unwrap()
    }

    #[test]
    fn what_fills_and_then_stays_is_flat() {
        assert!(of(|_| 5.0).is_flat(0.0));
        assert!(of(|at| 5.0_f64.min(at)).is_flat(0.0));
        // A saw tooth is as high at the end as before.
        assert!(of(|at| 4.0 + (at % 7.0)).is_flat(0.0));
    }

    #[test]
    fn what_grows_on_is_not() {
        // From 19 to 39: more than 1.2 times.
        assert_eq!(of(|at| at), Quarters { second: 19.0, last: 39.0 });
        assert!(!of(|at| at).is_flat(1.0));
        assert!(!of(|at| if at > 35.0 { 50.0 } else { 5.0 }).is_flat(1.0));
        // Little growth is within the slack.
        assert!(of(|at| 5.0 + at / 100.0).is_flat(1.0));
    }

    #[test]
    fn few_samples_tell_nothing() {
        assert_eq!(Quarters::of(&[1.0; SAMPLES_MIN - 1]), None);
        assert!(Quarters::of(&[1.0; SAMPLES_MIN]).is_some());
        let mut lacking = [1.0; 2 * SAMPLES_MIN];
        lacking[9] = f64::NAN;
        assert_eq!(Quarters::of(&lacking), None);
    }
}
