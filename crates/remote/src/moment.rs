//! When a sample of another machine was taken, and how long after the one before.

use terms::Nanos;

/// When a sample was taken.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Moment {
    pub at: Nanos,
    /// By how much at most it was taken before or behind that.
    pub within: Nanos,
    /// Seconds since the start of the machine, where it is another.
    pub uptime: Option<f64>,
}

/// The kernel tells its uptime in hundredths of a second.
const UPTIME_STEP: f64 = 0.01;

/// Clocks of machines differ by less than this part of the time that passes.
const DRIFT_MAX: f64 = 0.001;

impl Moment {
    /// A moment of this machine.
    pub fn here(at: Nanos) -> Self {
        Self { at, ..Self::default() }
    }

    /// Seconds from a moment before; `None` when there were none, or the machine has started again meanwhile.
    ///
    /// Both are known on the clock here, as well as question and answer were quick. Where they were slow, the other
    /// machine's own uptime is the better measure, as long as it agrees with what is known here.
    pub fn since(&self, before: &Self) -> Option<f64> {
        let here = (self.at - before.at).as_secs_f64();
        let slack = (self.within + before.within).as_secs_f64();
        let there = self.uptime.zip(before.uptime).map(|(now, before)| now - before);
        let is_likely = |there: f64| (there - here).abs() <= slack + UPTIME_STEP + here * DRIFT_MAX;
        let seconds = match there {
            Some(there) if there < 0.0 => return None,
            Some(there) if slack > UPTIME_STEP && is_likely(there) => there,
            _ => here,
        };
        (seconds > 0.0).then_some(seconds)
    }

    /// Whether the machine has started again since a moment before.
    pub fn is_restarted(&self, before: &Self) -> bool {
        self.uptime.zip(before.uptime).is_some_and(|(now, before)| now < before)
    }
}

/// The first number of `/proc/uptime`: seconds since the machine started.
pub(crate) fn seconds(uptime: &str) -> Option<f64> {
    let seconds: f64 = uptime.split_ascii_whitespace().next()?.parse().ok()?;
    (seconds.is_finite() && seconds >= 0.0).then_some(seconds)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn moment(at_ms: i64, within_ms: i64, uptime: Option<f64>) -> Moment {
        Moment { at: Nanos::from_millis(at_ms), within: Nanos::from_millis(within_ms), uptime }
    }

    #[test]
    fn the_better_clock_measures_the_time_between_two_samples() {
        let since = |before: Moment, now: Moment| now.since(&before);
        // Quick answers: the clock here, to the millisecond.
        assert_eq!(since(moment(1000, 1, Some(50.00)), moment(2003, 1, Some(51.01))), Some(1.003));
        // One answer took 800 ms: it lies 400 ms too late or too early, and the uptime says how long it was.
        assert_eq!(since(moment(1000, 1, Some(50.0)), moment(2400, 400, Some(51.0))), Some(1.0));
        // An uptime that contradicts what is known here is a lie.
        assert_eq!(since(moment(1000, 1, Some(50.0)), moment(2400, 400, Some(90.0))), Some(1.4));
        assert_eq!(since(moment(1000, 400, None), moment(2400, 400, None)), Some(1.4));
        // It has started again: what it counts began anew.
        let (before, now) = (moment(1000, 1, Some(50.0)), moment(2000, 1, Some(3.0)));
        assert_eq!(since(before, now), None);
        assert!(now.is_restarted(&before) && !before.is_restarted(&now));
        assert_eq!(since(moment(1000, 0, None), moment(1000, 0, None)), None);
    }

    #[test]
    fn nonsense_is_no_uptime() {
        assert_eq!(seconds("123.45 99.0\n"), Some(123.45));
        for text in ["", "x", "-1 2", "inf 1", "nan"] {
            assert_eq!(seconds(text), None, "{text}");
        }
    }
}
