//! What the attempts of a search say together: the scalability law, a knee, and Little's law at each. It annotates the
//! result and decides nothing.

use super::AttemptResult;
use crate::capacity::KNEE_LOADS;
use crate::levels::{Family, Level, scenario_of};
use crate::{Arg, Reason};
use stats::usl::{self, Closed, FEWEST_LEVELS, Gate};
use terms::Validity;

/// The attempts of one search together. Loads are virtual users.
#[derive(Clone, Debug, PartialEq)]
pub struct Curve {
    /// Load and throughput, a second, by rising load; several attempts at one load are one point, their mean. Only what
    /// was measured undisturbed with the whole system.
    pub points: Vec<(f64, f64)>,
    /// The scalability law, else why its parameters may not be printed: one of [`crate::catalogue::LAWS`].
    pub law: Result<usl::Fit, Reason>,
    /// The load of the knee, else why there is none: one of [`crate::catalogue::KNEES`].
    pub knee: Result<f64, Reason>,
    /// Little's law at each attempt, in order of time.
    pub little: Vec<InUse>,
}

/// Users against throughput and time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct InUse {
    /// Number of the attempt.
    pub attempt: u32,
    /// Virtual users.
    pub users: f64,
    /// Iterations that succeeded a second.
    pub throughput_per_s: f64,
    /// What each user has for an iteration: users over throughput, seconds.
    pub each_s: f64,
    /// Mean time of the exchanges of an iteration, with what it thinks, seconds; `None` where it was not measured.
    pub time_s: Option<f64>,
    /// `throughput × time / users − 1`: how far what was in flight is from the users.
    pub off: Option<f64>,
}

impl InUse {
    fn of(attempt: u32, (users, throughput_per_s): (f64, f64), time_s: Option<f64>) -> Option<Self> {
        let is_any = throughput_per_s > 0.0 && users > 0.0;
        let off = time_s.map(|time| throughput_per_s * time / users - 1.0);
        is_any.then(|| Self { attempt, users, throughput_per_s, each_s: users / throughput_per_s, time_s, off })
    }
}

/// The attempts together; `None` where loads are not virtual users, or nothing was measured.
pub(super) fn curve(attempts: &[AttemptResult], families: &[Family]) -> Option<Curve> {
    let is_attempt = |name: &String| attempts.iter().any(|attempt| attempt.scenario == scenario_of(name));
    let family = families.iter().find(|family| family.is_users && family.scenarios.iter().any(is_attempt))?;
    // Of a mix the parts have loads of their own, and the search has none that they share.
    let level = |attempt: &AttemptResult| family.levels.iter().find(|level| level.scenario == attempt.scenario);
    let mut measured: Vec<(&AttemptResult, f64, Option<&Level>)> = Vec::new();
    for attempt in attempts.iter().filter(|attempt| attempt.validity != Validity::Invalid) {
        match (level(attempt), &attempt.run) {
            (Some(level), _) => measured.push((attempt, level.load, Some(level))),
            // Of an earlier run its number is all that is known.
            (None, Some(_)) => measured.push((attempt, attempt.load, None)),
            (None, None) => {}
        }
    }
    let rate = |(attempt, level): (&AttemptResult, Option<&Level>)| {
        level.map_or(attempt.throughput_per_s, |it| it.throughput_per_s)
    };
    let whole = measured.iter().filter(|(attempt, ..)| !attempt.is_degraded && !attempt.is_aborted());
    let points = joined(whole.map(|(attempt, load, level)| (*load, rate((*attempt, *level)))));
    if points.is_empty() {
        return None;
    }
    let is_one_regime = measured.iter().all(|(attempt, ..)| !attempt.is_degraded);
    let little = measured.iter().filter_map(|(attempt, load, level)| {
        let time = level.and_then(|level| level.time_ms).map(|ms| ms / 1e3 + family.think_s);
        InUse::of(attempt.number, (*load, rate((*attempt, *level))), time)
    });
    Some(Curve { law: law(&points, is_one_regime), knee: knee(&points), little: little.collect(), points })
}

/// By rising load, several at one load as their mean.
fn joined(all: impl Iterator<Item = (f64, f64)>) -> Vec<(f64, f64)> {
    let mut all: Vec<(f64, f64)> = all.filter(|(load, rate)| *load > 0.0 && *rate > 0.0).collect();
    all.sort_by(|a, b| a.0.total_cmp(&b.0));
    let mut points: Vec<(f64, f64, f64)> = Vec::new();
    for (load, rate) in all {
        match points.last_mut() {
            Some((known, sum, count)) if *known == load => (*sum, *count) = (*sum + rate, *count + 1.0),
            _ => points.push((load, rate, 1.0)),
        }
    }
    points.into_iter().map(|(load, sum, count)| (load, sum / count)).collect()
}

fn refused<const N: usize>(code: &str, args: [(&str, Arg); N]) -> Reason {
    Reason { code: code.to_owned(), args: args.into_iter().map(|(name, arg)| (name.to_owned(), arg)).collect() }
}

/// The law where its parameters may be printed.
fn law(points: &[(f64, f64)], is_one_regime: bool) -> Result<usl::Fit, Reason> {
    let levels: Vec<usl::Level> = points.iter().map(|&(load, throughput)| usl::Level { load, throughput }).collect();
    let highest = points.iter().map(|point| point.1).fold(0.0, f64::max);
    // Of several systems no number of loads makes one curve.
    if !is_one_regime {
        return Err(refused("regimes", []));
    }
    let (loads, bound) = (Arg::Count(points.len() as f64), Arg::PerSecond(highest));
    match usl::gate(&levels, is_one_regime) {
        Gate::Open(fit) => Ok(*fit),
        Gate::Closed(why) => Err(match why {
            Closed::TooFewLevels { have } => {
                let need = Arg::Count(FEWEST_LEVELS as f64).given();
                refused("few_loads", [("have", Arg::Count(have as f64)), ("need", need)])
            }
            Closed::SeveralRegimes => refused("regimes", []),
            Closed::NoBend { .. } => refused("no_bend", [("bound", bound), ("loads", loads)]),
            Closed::KappaNotEstablished => refused("no_kappa", [("loads", loads)]),
            Closed::CeilingFits { .. } => refused("ceiling", [("loads", loads)]),
            Closed::PeakOutOfReach { load_at_peak } => {
                let most = points.last().map_or(0.0, |point| point.0);
                refused("far_peak", [("most", Arg::Count(most)), ("peak", Arg::Number(load_at_peak))])
            }
            Closed::NoFit => refused("no_fit", [("loads", loads)]),
        }),
    }
}

/// The knee, only of a curve that bends: a straight line with a little noise has places that look like one.
fn knee(points: &[(f64, f64)]) -> Result<f64, Reason> {
    let loads = Arg::Count(points.len() as f64);
    if points.len() < KNEE_LOADS {
        return Err(refused("few_loads", [("have", loads), ("need", Arg::Count(KNEE_LOADS as f64).given())]));
    }
    if stats::knee::bends(points) != Ok(true) {
        return Err(refused("straight", [("loads", loads)]));
    }
    let found = stats::knee::kneedle(points, 1.0).ok().flatten();
    found.ok_or_else(|| refused("none", [("loads", loads)]))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::published::{CITIZEN, REGISTRATION};

    /// The analysis page: of the citizens' curve the line is the best law, so nothing but a lower bound is stated; of five
    /// points the law is refused; seven that mix two regimes are refused for that.
    #[test]
    fn the_law_is_refused_with_its_reason() {
        let told = |of: Result<usl::Fit, Reason>| of.unwrap_err().code;
        assert_eq!(told(law(&CITIZEN, true)), "no_bend");
        let reason = law(&CITIZEN, true).unwrap_err();
        assert_eq!(reason.args["bound"], Arg::PerSecond(112.02));
        assert_eq!(told(law(&REGISTRATION, true)), "few_loads");
        assert_eq!(told(law(&CITIZEN, false)), "regimes");
        assert_eq!(knee(&CITIZEN).unwrap_err().code, "none");
        assert_eq!(knee(&REGISTRATION[..4]).unwrap_err().code, "few_loads");
        let line: Vec<(f64, f64)> = (1..=8).map(|n| (f64::from(n), 3.0 * f64::from(n))).collect();
        assert_eq!(knee(&line).unwrap_err().code, "straight");
    }

    /// λ 100, σ 0.05, κ 0.002 exactly, of the analysis page: the peak is at 21.8 users.
    #[test]
    fn a_curve_that_falls_has_its_law_and_its_knee() {
        let points =
            [1.0, 2.0, 4.0, 8.0, 12.0, 16.0, 20.0, 24.0, 32.0].map(|n| (n, usl::throughput(100.0, 0.05, 0.002, n)));
        let fit = law(&points, true).unwrap();
        assert!((fit.sigma - 0.05).abs() < 1e-5 && (fit.kappa - 0.002).abs() < 1e-6);
        assert!((fit.load_at_peak().unwrap() - 21.794_494_7).abs() < 1e-3);
        assert!(knee(&points).is_ok());
    }

    /// Users over throughput of the registration, as the analysis page has them: 3.623, 3.819, 5.189, 4.583, 7.040 s.
    #[test]
    fn users_throughput_and_time_agree_or_do_not() {
        let each = REGISTRATION.map(|of| InUse::of(1, of, None).unwrap().each_s);
        for (found, expected) in each.iter().zip([3.623, 3.819, 5.189, 4.583, 7.04]) {
            assert!((found - expected).abs() < 5e-4, "{found} {expected}");
        }
        // The published table of WSO2: 50 users, 2213.01/s, 22.5 ms give 49.79 in flight, 0.41 % fewer.
        let off = InUse::of(1, (50.0, 2213.01), Some(0.0225)).unwrap().off.unwrap();
        assert!((off + 0.0041).abs() < 5e-5, "{off}");
        assert_eq!(InUse::of(1, (50.0, 0.0), None), None);
    }

    #[test]
    fn attempts_at_one_load_are_one_point() {
        let points = joined([(20.0, 4.0), (10.0, 2.0), (20.0, 6.0), (30.0, 0.0)].into_iter());
        assert_eq!(points, [(10.0, 2.0), (20.0, 5.0)]);
    }
}
