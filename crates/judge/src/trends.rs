//! How what was measured goes with the load, over the iterations of the same work: throughput, times, and what was
//! watched. Each statement is a slope with its interval, and where that does not tell, nothing is claimed.

use crate::evidence::{Instance, StepSpan};
use crate::levels::{Family, Level};
use crate::processors::GENERATOR;
use crate::rows::Index;
use crate::searches::SearchResult;
use crate::{Arg, Reason, StepResult};
use contract::Role;
use stats::trend::line::{FEW_CONFIDENCE, FEWEST_POINTS, factor_per_doubling, slope};
use stats::{Estimate, StatsError};
use terms::{Nanos, Validity};

/// A doubling of the load that changes a value by less than this factor hardly changes it.
pub const HARDLY: f64 = 1.1;
/// Loads that span less than this factor say little about a doubling.
pub const SPAN: f64 = 2.0;
/// Collections that stop a program for more than this share of an iteration do not keep up; GC-STORM has the same.
pub const COLLECTING: f64 = 0.1;
/// Trends of one family; studies watch a few servers by a few metrics.
const TRENDS_MAX: usize = 60;
/// Metrics whose mean in each iteration is held against the load.
const WITH_LOAD: [Role; 5] = [Role::Processor, Role::NetworkIn, Role::NetworkOut, Role::MachineMemory, Role::Memory];
const HOUR: f64 = 3600.0;

/// What a trend is of.
#[derive(Clone, Debug, PartialEq)]
pub enum Subject {
    /// Iterations that succeeded, a second.
    Throughput,
    /// Mean time of an iteration's exchanges, milliseconds.
    Time,
    /// p95 of an exchange, milliseconds.
    High { exchange: String },
    /// A watched series, in its own unit: `host.cpu`, and the instance. Means of the iterations.
    Watched { series: String, instance: String, role: Role },
    /// The old generation of a heap after collections, bytes: the least that was seen in each iteration, over time.
    OldHeap { series: String, instance: String, limit: Option<f64> },
}

/// What can be said.
#[derive(Clone, Debug, PartialEq)]
pub enum Said {
    /// The interval lies above no change.
    Rises,
    Falls,
    /// The interval lies within [`HARDLY`].
    Hardly,
    /// Neither: one of [`crate::catalogue::TRENDS`].
    CannotTell(Reason),
}

/// One statement over the iterations of one family.
#[derive(Clone, Debug, PartialEq)]
pub struct Trend {
    pub subject: Subject,
    /// Load and value of each iteration, in order of time; of [`Subject::OldHeap`] hours since the first and value.
    pub points: Vec<(f64, f64)>,
    /// The factor for each doubling of the load; of [`Subject::OldHeap`] growth an hour. `None` where it is refused.
    pub slope: Option<Estimate>,
    pub said: Said,
}

/// Whether collections kept up in a program.
#[derive(Clone, Debug, PartialEq)]
pub struct Collecting {
    pub instance: String,
    /// Share of the time for which they stopped it, in each iteration.
    pub shares: Vec<f64>,
    /// Collections of the whole heap in each iteration; `None` where they were not counted.
    pub full: Option<Vec<f64>>,
}

impl Collecting {
    /// The greatest share, and the number of its iteration, from 0.
    pub fn worst(&self) -> Option<(f64, usize)> {
        self.shares.iter().copied().zip(0..).max_by(|a, b| a.0.total_cmp(&b.0))
    }

    /// Whether no iteration was stopped for more than [`COLLECTING`].
    pub fn keeps_up(&self) -> bool {
        self.worst().is_some_and(|(share, _)| share <= COLLECTING)
    }
}

/// What the iterations of one kind of work say together.
#[derive(Clone, Debug, PartialEq)]
pub struct Course {
    /// Scopes of the iterations, in order of time: undisturbed, with the whole system.
    pub scopes: Vec<String>,
    /// Whether loads are virtual users, else arrivals a second.
    pub is_users: bool,
    pub trends: Vec<Trend>,
    pub collecting: Vec<Collecting>,
}

/// One for each family with several loads.
pub(crate) fn courses(
    index: &Index<'_>,
    steps: &[StepResult],
    families: &[Family],
    searches: &[SearchResult],
) -> Vec<Course> {
    let degraded = |name: &str| {
        searches.iter().flat_map(|it| &it.attempts).any(|attempt| attempt.scenario == name && attempt.is_degraded)
    };
    let several = families.iter().filter(|family| family.loads().len() > 1);
    several
        .filter_map(|family| {
            let is_sound = |level: &&Level| level.validity != Validity::Invalid && !degraded(&level.scenario);
            let mut levels: Vec<&Level> = family.levels.iter().filter(is_sound).collect();
            levels.sort_by_key(|level| level.step);
            let spans: Vec<&StepSpan> = levels
                .iter()
                .filter_map(|level| index.evidence.steps.iter().find(|span| span.number == level.step))
                .collect();
            (levels.len() > 1 && spans.len() == levels.len())
                .then(|| course(&Inputs { index, steps, levels: &levels, spans: &spans }, family.is_users))
        })
        .collect()
}

struct Inputs<'a> {
    index: &'a Index<'a>,
    steps: &'a [StepResult],
    levels: &'a [&'a Level],
    spans: &'a [&'a StepSpan],
}

fn course(known: &Inputs<'_>, is_users: bool) -> Course {
    let of_levels = |value: &dyn Fn(&Level) -> Option<f64>| -> Vec<(f64, f64)> {
        known.levels.iter().filter_map(|level| Some((level.load, value(level)?))).collect()
    };
    let mut trends = Vec::new();
    // Of an open load throughput is what was asked for.
    if is_users {
        let points = of_levels(&|level| Some(level.throughput_per_s));
        trends.push(with_load(Subject::Throughput, points, known.levels.len()));
    }
    trends.push(with_load(Subject::Time, of_levels(&|level| level.time_ms), known.levels.len()));
    for exchange in exchanges(known) {
        let points = of_levels(&|level| high(known, level, &exchange));
        trends.push(with_load(Subject::High { exchange }, points, known.levels.len()));
    }
    let mut collecting = Vec::new();
    for ((monitor, metric), instances) in known.index.evidence.rows.sampled() {
        let Some(head) = known.index.head().monitors.get(usize::from(monitor)) else { continue };
        let Some(of) = head.metrics.get(usize::from(metric)) else { continue };
        let Some(role) = of.role().filter(|_| head.name != GENERATOR) else { continue };
        let series = format!("{}.{}", head.name, of.name);
        for (place, instance) in instances.iter().enumerate() {
            let held = |span: &StepSpan| held(known.index, (monitor, metric), place, span);
            match role {
                role if WITH_LOAD.contains(&role) => {
                    let subject = Subject::Watched { series: series.clone(), instance: instance.name.clone(), role };
                    let means = known.levels.iter().zip(known.spans);
                    let points = means.filter_map(|(level, span)| Some((level.load, mean(&held(span))?)));
                    trends.push(with_load(subject, points.collect(), known.levels.len()));
                }
                Role::OldHeap => trends.push(old_heap(known, (monitor, &series, instance), held)),
                Role::CollectionShare => {
                    let shares: Vec<f64> = known.spans.iter().filter_map(|span| mean(&held(span))).collect();
                    if shares.len() == known.spans.len() {
                        let full = full_collections(known, monitor, &instance.name);
                        collecting.push(Collecting { instance: instance.name.clone(), shares, full });
                    }
                }
                _ => {}
            }
        }
    }
    trends.truncate(TRENDS_MAX);
    let scopes = known.levels.iter().map(|level| level.scope.to_string()).collect();
    Course { scopes, is_users, trends, collecting }
}

/// Exchanges of the first iteration, those that any were counted of.
fn exchanges(known: &Inputs<'_>) -> Vec<String> {
    let first = known.levels.first().and_then(|level| known.steps.iter().find(|step| step.number == level.step));
    first.map(|step| step.exchanges.iter().map(|it| it.id.clone()).collect()).unwrap_or_default()
}

/// p95 of an exchange's first leg in an iteration.
fn high(known: &Inputs<'_>, level: &Level, exchange: &str) -> Option<f64> {
    let step = known.steps.iter().find(|step| step.number == level.step)?;
    let leg = step.exchanges.iter().find(|it| it.id == exchange)?.legs.iter().find(|leg| leg.outcome == "ok")?;
    let times = leg.response.as_ref().or(leg.service.as_ref())?;
    let found = times.percentiles.iter().find(|it| (it.quantile - 0.95).abs() < 1e-9 && !it.is_censored)?;
    (leg.count >= crate::assess::calls_needed(0.95)).then_some(found.value)
}

/// Values of one series in an iteration.
fn held(index: &Index<'_>, metric: (u16, u16), instance: usize, span: &StepSpan) -> Vec<(Nanos, f64)> {
    let points = index.evidence.rows.points(metric, instance, span.from..span.to);
    points.into_iter().filter_map(|(at, value)| Some((at, value?))).collect()
}

fn mean(values: &[(Nanos, f64)]) -> Option<f64> {
    (!values.is_empty()).then(|| values.iter().map(|of| of.1).sum::<f64>() / values.len() as f64)
}

/// The old generation over time: what is left in it at the least in each iteration.
fn old_heap(
    known: &Inputs<'_>,
    (monitor, series, instance): (u16, &str, &Instance),
    held: impl Fn(&StepSpan) -> Vec<(Nanos, f64)>,
) -> Trend {
    let limit = of_role(known, monitor, Role::OldHeapLimit, &instance.name)
        .and_then(|(metric, place)| {
            let all = known.spans.iter().flat_map(|span| self::held(known.index, (monitor, metric), place, span));
            all.map(|of| of.1).reduce(f64::max)
        })
        .filter(|limit| *limit > 0.0);
    let least = |span: &&StepSpan| held(span).into_iter().min_by(|a, b| a.1.total_cmp(&b.1));
    let all: Vec<(Nanos, f64)> = known.spans.iter().filter_map(least).collect();
    let begin = all.first().map_or(Nanos::ZERO, |of| of.0);
    let points: Vec<(f64, f64)> = all.iter().map(|(at, value)| ((*at - begin).as_secs_f64() / HOUR, *value)).collect();
    let subject = Subject::OldHeap { series: series.to_owned(), instance: instance.name.clone(), limit };
    match slope(&points, FEW_CONFIDENCE) {
        Err(error) => Trend {
            subject,
            said: Said::CannotTell(refused(&error, points.len(), known.levels.len())),
            points,
            slope: None,
        },
        Ok(slope) => {
            let said = match () {
                () if slope.low > 0.0 => Said::Rises,
                () if slope.high < 0.0 => Said::Falls,
                () => Said::CannotTell(Reason { code: "interval".into(), args: crate::Args::new() }),
            };
            Trend { subject, points, slope: Some(slope), said }
        }
    }
}

/// How often the whole heap was collected in each iteration.
fn full_collections(known: &Inputs<'_>, monitor: u16, instance: &str) -> Option<Vec<f64>> {
    let (metric, place) = of_role(known, monitor, Role::FullCollections, instance)?;
    let grown = |span: &&StepSpan| {
        let values = held(known.index, (monitor, metric), place, span);
        Some((values.last()?.1 - values.first()?.1).max(0.0))
    };
    known.spans.iter().map(grown).collect()
}

/// Number of a monitor's metric of a role, and the place of an instance in it.
fn of_role(known: &Inputs<'_>, monitor: u16, role: Role, instance: &str) -> Option<(u16, usize)> {
    let head = known.index.head().monitors.get(usize::from(monitor))?;
    known.index.evidence.rows.sampled().find_map(|((own, metric), instances)| {
        let is_meant = own == monitor && head.metrics.get(usize::from(metric))?.role() == Some(role);
        let place = instances.iter().position(|known| known.name == instance)?;
        is_meant.then_some((metric, place))
    })
}

/// A value of each iteration against the load: `points` as load and value, of `all` iterations.
fn with_load(subject: Subject, points: Vec<(f64, f64)>, all: usize) -> Trend {
    let loads = || points.iter().map(|point| point.0);
    let (least, most) = (loads().fold(f64::INFINITY, f64::min), loads().fold(0.0, f64::max));
    let found = match factor_per_doubling(&points, FEW_CONFIDENCE) {
        Err(error) => Err(refused(&error, points.len(), all)),
        Ok(_) if most < least * SPAN => {
            let args = [("span".to_owned(), Arg::Number(SPAN).given())].into_iter().collect();
            Err(Reason { code: "span".into(), args })
        }
        Ok(factor) => Ok(factor),
    };
    let said = match &found {
        Err(reason) => Said::CannotTell(reason.clone()),
        Ok(factor) if factor.low > 1.0 / HARDLY && factor.high < HARDLY => Said::Hardly,
        Ok(factor) if factor.low > 1.0 => Said::Rises,
        Ok(factor) if factor.high < 1.0 => Said::Falls,
        Ok(_) => Said::CannotTell(Reason { code: "interval".into(), args: crate::Args::new() }),
    };
    Trend { subject, points, slope: found.ok(), said }
}

/// Why there is no slope.
fn refused(error: &StatsError, have: usize, all: usize) -> Reason {
    let args = |list: Vec<(&str, Arg)>| list.into_iter().map(|(name, arg)| (name.to_owned(), arg)).collect();
    let count = |value: usize| Arg::Count(value as f64);
    match error {
        StatsError::TooFew { .. } if have < all => Reason {
            code: "missing".into(),
            args: args(vec![("all", count(all)), ("have", count(have)), ("need", count(FEWEST_POINTS).given())]),
        },
        StatsError::TooFew { .. } => Reason {
            code: "few".into(),
            args: args(vec![("have", count(have)), ("need", count(FEWEST_POINTS).given())]),
        },
        _ => Reason { code: "zero".into(), args: crate::Args::new() },
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::published::{CITIZEN, REGISTRATION};

    fn told(points: &[(f64, f64)]) -> Said {
        with_load(Subject::Throughput, points.to_vec(), points.len()).said
    }

    fn code(said: &Said) -> &str {
        match said {
            Said::CannotTell(reason) => &reason.code,
            _ => panic!("{said:?}"),
        }
    }

    /// The MinLog2 citizens: throughput rises; whether a call takes longer cannot be told, as the analysis page has it.
    #[test]
    fn a_trend_is_claimed_where_its_interval_says_so_and_not_else() {
        assert_eq!(told(&CITIZEN), Said::Rises);
        assert_eq!(code(&told(&CITIZEN.map(|(users, rate)| (users, users / rate)))), "interval");
        assert_eq!(code(&told(&REGISTRATION)), "interval", "five points that scatter");
        assert_eq!(code(&told(&REGISTRATION[..4])), "few");
        let even = [(10.0, 100.0), (20.0, 101.0), (30.0, 99.0), (40.0, 100.5), (50.0, 99.5)];
        assert_eq!(told(&even), Said::Hardly);
        assert_eq!(told(&even.map(|(load, value)| (load, value / load))), Said::Falls);
        assert_eq!(code(&told(&even.map(|(load, value)| (100.0 + load, value)))), "span");
        assert_eq!(code(&told(&even.map(|(load, value)| (load, value - 99.0)))), "zero");
        let missing = with_load(Subject::Time, even[..3].to_vec(), 5);
        assert_eq!(code(&missing.said), "missing");
    }

    #[test]
    fn collections_keep_up_until_one_iteration_is_stopped_too_long() {
        let of = |shares: &[f64]| Collecting { instance: "a".into(), shares: shares.to_vec(), full: None };
        assert!(of(&[0.01, 0.1]).keeps_up() && !of(&[0.01, 0.11, 0.02]).keeps_up() && !of(&[]).keeps_up());
        assert_eq!(of(&[0.01, 0.11, 0.02]).worst(), Some((0.11, 1)));
    }
}
