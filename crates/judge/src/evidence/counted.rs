//! Legs that a watched count closes: what was accepted beside what is through, moment by moment.
//!
//! Both are cumulative curves. How far they lie apart upwards is the backlog; how far they lie apart sideways is how long
//! ago as many units had been accepted as are through now: the age of the oldest that is not, if they are taken in the order
//! in which they came. Neither is measured for any one unit.

use super::{Evidence, Rows, StepSpan};
use crate::views::{CountedPoint, CountedView};
use record::{CarriedHead, CountedHead, Head, LegRow, MetricHead, MonitorHead, RecordError, SampleRow};
use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;
use study::{AGE, BACKLOG, COUNTED_METRICS};
use terms::{Nanos, Phase, Population};

/// What `MonitorHead::kind` says of a monitor whose samples are derived from others.
const DERIVED: &str = "derived";

impl Evidence {
    /// Adds a monitor for each such leg, with a sample for each look at the count that closes it. [`Evidence::read`] has
    /// done so.
    ///
    /// # Errors
    /// [`RecordError::Io`] where so many samples need a file, and there is no room for one.
    pub fn derive(&mut self) -> Result<(), RecordError> {
        let exchanges = self.head.exchanges.clone();
        for (number, exchange) in exchanges.iter().enumerate() {
            for leg in &exchange.counted {
                let Some(source) = self.source(leg) else { continue };
                let (every_s, watches) = {
                    let monitor = &self.head.monitors[usize::from(source.0)];
                    (monitor.every_s, monitor.watches.clone())
                };
                let points = self.points(number, leg, source);
                let metric = |kind: &contract::MetricKind| MetricHead {
                    name: kind.name.to_owned(),
                    unit: if kind.unit == terms::Unit::Time { "s" } else { "count" }.to_owned(),
                    kind: "gauge".to_owned(),
                    across: "sum".to_owned(),
                    role: kind.role.map_or_else(String::new, |role| role.name().to_owned()),
                    ..MetricHead::default()
                };
                let Ok(monitor) = u16::try_from(self.head.monitors.len()) else { continue };
                let name = format!("{}.{}", exchange.name, leg.leg);
                self.head.monitors.push(MonitorHead {
                    name: name.clone(),
                    kind: DERIVED.to_owned(),
                    watches,
                    every_s,
                    metrics: COUNTED_METRICS.iter().map(metric).collect(),
                    ..MonitorHead::default()
                });
                let Some(rows) = Arc::get_mut(&mut self.rows) else { continue };
                let place = |name: &str| COUNTED_METRICS.iter().position(|metric| metric.name == name);
                for (at, point) in points {
                    let values = [(BACKLOG, point.map(|it| it.backlog)), (AGE, point.map(|it| it.age.as_secs_f64()))];
                    for (metric, value) in values {
                        let Some(metric) = place(metric) else { continue };
                        rows.add(SampleRow { at, monitor, metric: metric as u16, instance: name.clone(), value })?;
                    }
                }
            }
        }
        Ok(())
    }

    /// What was accepted and what is through of each such leg, look by look.
    pub(crate) fn counted(&self) -> Vec<CountedView> {
        let mut all = Vec::new();
        for (number, exchange) in self.head.exchanges.iter().enumerate() {
            for leg in &exchange.counted {
                let Some(source) = self.source(leg) else { continue };
                let points = self.points(number, leg, source);
                let (exchange, unit) = (exchange.name.clone(), leg.unit.clone());
                all.push(CountedView { exchange, leg: leg.leg.clone(), unit, points });
            }
        }
        all
    }

    fn points(&self, exchange: usize, leg: &CountedHead, source: (u16, u16)) -> Vec<(Nanos, Option<CountedPoint>)> {
        let accepted = Accepted::new(self.accepted(exchange as u16, leg.unit.as_deref()));
        let begin = self.first_load(exchange);
        begin.map(|begin| behind(&self.looks(source), begin, &accepted)).unwrap_or_default()
    }

    /// When the count of a leg, by the name of what is derived of it, first went backwards in some time while something
    /// was outstanding: what is through from then on is not known.
    pub(crate) fn went_back(&self, derived: &str, within: Range<Nanos>) -> Option<Nanos> {
        let (number, leg) = self.counted_leg(derived)?;
        let begin = self.first_load(number)?;
        let is_loaded = |at: Nanos| {
            let own = self.steps.iter().filter(|step| carries_out(&self.head, step.scenario, number));
            let mut own = own.filter(|step| step.phase.has_load() || step.phase == Phase::Drain);
            own.any(|step| step.from <= at && at <= step.to)
        };
        let was_behind = |at: Nanos| {
            let points = self.backlog(derived, Nanos(i64::MIN)..Nanos(at.0.saturating_add(1)));
            points.last().is_some_and(|(_, backlog)| *backlog > 0.0)
        };
        let known = |(at, value): (Nanos, Option<f64>)| value.map(|value| (at, value));
        let looks: Vec<_> = self.looks(self.source(leg)?).into_iter().filter_map(known).collect();
        let pairs = looks.windows(2).map(|pair| (pair[0], pair[1]));
        let mut back =
            pairs.filter(|(before, after)| after.1 < before.1 && after.0 > begin && within.contains(&after.0));
        back.find(|(before, after)| is_loaded(after.0) || was_behind(before.0)).map(|(_, (at, _))| at)
    }

    /// Whether a monitor of this name is derived of a leg that is counted.
    pub(crate) fn is_derived(&self, name: &str) -> bool {
        self.counted_leg(name).is_some()
    }

    /// When what is derived of a leg was last known before a moment; `None` of what is not derived.
    pub(crate) fn last_derived(&self, derived: &str, until: Nanos) -> Option<Option<Nanos>> {
        self.counted_leg(derived)?;
        Some(self.backlog(derived, Nanos(i64::MIN)..until).last().map(|(at, _)| *at))
    }

    /// Looks at the count that closes a leg, its instances together; those that failed are left out.
    pub(crate) fn counts_of(&self, leg: &CountedHead) -> Vec<(Nanos, f64)> {
        let looks = self.source(leg).map(|source| self.looks(source)).unwrap_or_default();
        looks.into_iter().filter_map(|(at, value)| Some((at, value?))).collect()
    }

    /// Its backlogs that are known.
    pub(crate) fn backlog(&self, derived: &str, within: Range<Nanos>) -> Vec<(Nanos, f64)> {
        let monitor = self.head.monitors.iter().position(|known| known.name == derived && known.kind == DERIVED);
        let metric = COUNTED_METRICS.iter().position(|metric| metric.name == BACKLOG);
        let (Some(monitor), Some(metric)) = (monitor, metric) else { return Vec::new() };
        let points = self.rows.points((monitor as u16, metric as u16), 0, within);
        points.into_iter().filter_map(|(at, value)| Some((at, value?))).collect()
    }

    /// What was outstanding of a leg, by the name of what is derived of it, before a load began, where the last two looks
    /// at its count brought the same: it is lost, and of no later load. Nothing where it was still on its way.
    pub(crate) fn at_rest_before(&self, derived: &str, begin: Nanos) -> f64 {
        self.outstanding_before(derived, begin).filter(|(_, is_moving)| !is_moving).map_or(0.0, |(backlog, _)| backlog)
    }

    /// What was outstanding of a leg at the last look before a load, and whether more of it was through than at the look
    /// before that. `None` where nobody looked.
    pub(crate) fn outstanding_before(&self, derived: &str, begin: Nanos) -> Option<(f64, bool)> {
        let (_, leg) = self.counted_leg(derived)?;
        let (_, backlog) = *self.backlog(derived, Nanos(i64::MIN)..begin).last()?;
        let looks = self.counts_of(leg);
        let before = looks.partition_point(|(at, _)| *at < begin);
        let is_moving = matches!(&looks[..before], [.., (_, first), (_, last)] if last > first);
        Some((backlog, is_moving))
    }

    /// Number of its exchange, and the leg.
    fn counted_leg(&self, derived: &str) -> Option<(usize, &CountedHead)> {
        let (exchange, leg) = derived.split_once('.')?;
        let number = self.head.exchanges.iter().position(|known| known.name == exchange)?;
        let leg = self.head.exchanges[number].counted.iter().find(|known| known.leg == leg)?;
        Some((number, leg))
    }

    /// Monitor and metric that count it.
    fn source(&self, leg: &CountedHead) -> Option<(u16, u16)> {
        let monitor = self.head.monitors.iter().position(|known| known.name == leg.monitor)?;
        let metric = self.head.monitors[monitor].metrics.iter().position(|known| known.name == leg.metric)?;
        Some((u16::try_from(monitor).ok()?, u16::try_from(metric).ok()?))
    }

    /// Units of what succeeded, by the second in which it did.
    fn accepted(&self, exchange: u16, unit: Option<&str>) -> BTreeMap<i64, f64> {
        let mut seconds = BTreeMap::new();
        for step in &self.steps {
            let carries = self.head.scenarios.get(step.scenario).map(|scenario| scenario.carries.as_slice());
            let mut carried = carries.unwrap_or_default().iter();
            let carries = unit.map(|unit| carried.find(|known| known.exchange == exchange && known.unit == unit));
            for row in self.rows.legs(step.number, exchange, 0).filter(|row| row.population == Population::Ok) {
                *seconds.entry(row.end_s).or_default() += units(&row, carries);
            }
        }
        seconds
    }

    /// When the first load began that carries it out.
    fn first_load(&self, exchange: usize) -> Option<Nanos> {
        let carries_it_out = |step: &&StepSpan| carries_out(&self.head, step.scenario, exchange);
        let loads = self.steps.iter().filter(|step| step.phase.has_load()).filter(carries_it_out);
        loads.map(|step| step.from).min()
    }

    /// Values of a count, its instances together; `None` where one of them is missing.
    fn looks(&self, metric: (u16, u16)) -> Vec<(Nanos, Option<f64>)> {
        let instances = self.rows.instances(metric).len();
        let mut moments: BTreeMap<Nanos, Vec<(usize, Option<f64>)>> = BTreeMap::new();
        for instance in 0..instances {
            for (at, value) in self.rows.points(metric, instance, Nanos(i64::MIN)..Nanos(i64::MAX)) {
                moments.entry(at).or_default().push((instance, value));
            }
        }
        // What is grouped by a label has no row for what does not exist yet: it counts from nothing.
        let mut last: Vec<Option<f64>> = vec![Some(0.0); instances];
        let mut looks = Vec::with_capacity(moments.len());
        for (at, values) in moments {
            for (instance, value) in values {
                last[instance] = value;
            }
            looks.push((at, last.iter().copied().sum::<Option<f64>>()));
        }
        looks
    }
}

/// Units in a row of what succeeded: its calls where no unit is counted, and none of a unit that the scenario does not know.
pub(crate) fn units(row: &LegRow, carries: Option<Option<&CarriedHead>>) -> f64 {
    match carries {
        None => row.count as f64,
        Some(None) => 0.0,
        Some(Some(CarriedHead { count: None, .. })) => row.units as f64,
        Some(Some(CarriedHead { count: Some(each), .. })) => row.count as f64 * *each as f64,
    }
}

/// Whether iterations of a scenario carry out an exchange.
pub(crate) fn carries_out(head: &Head, scenario: usize, exchange: usize) -> bool {
    head.scenarios.get(scenario).is_some_and(|scenario| {
        let mut loads = std::iter::once(scenario).chain(&scenario.parts);
        loads.any(|load| load.most_per_iteration.get(exchange).is_some_and(|most| *most > 0.0))
    })
}

impl Rows {
    /// A sample that no table holds.
    fn add(&mut self, row: SampleRow) -> Result<(), RecordError> {
        let instances = self.instances.entry((row.monitor, row.metric)).or_default();
        let place = instances.iter().position(|known| known.name == row.instance).unwrap_or_else(|| {
            instances.push(super::Instance::named(row.instance.clone()));
            instances.len() - 1
        });
        instances[place].count(row.value);
        let group = [row.monitor.into(), row.metric.into(), place as u32];
        self.packed.push(group, row.at.0, &SampleRow { instance: String::new(), ..row })
    }
}

/// Units accepted until a moment. Within a second they are taken as spread evenly.
struct Accepted {
    /// Second, units in it, and units before it.
    seconds: Vec<(i64, f64, f64)>,
}

impl Accepted {
    fn new(by_second: BTreeMap<i64, f64>) -> Self {
        let mut before = 0.0;
        let mut seconds = Vec::with_capacity(by_second.len());
        for (second, units) in by_second.into_iter().filter(|(_, units)| *units > 0.0) {
            seconds.push((second, units, before));
            before += units;
        }
        Self { seconds }
    }

    /// How many until a moment.
    fn until(&self, at: Nanos) -> f64 {
        let begun = self.seconds.partition_point(|(second, ..)| Nanos::from_secs(*second) <= at);
        let Some((second, units, before)) = begun.checked_sub(1).map(|last| self.seconds[last]) else { return 0.0 };
        let within = (at - Nanos::from_secs(second)).as_secs_f64().clamp(0.0, 1.0);
        before + units * within
    }

    /// When there were so many; `None` where there never were.
    fn reached(&self, units: f64) -> Option<Nanos> {
        let place = self.seconds.partition_point(|(_, own, before)| before + own <= units);
        let (second, own, before) = *self.seconds.get(place)?;
        Some(Nanos::from_secs(second) + Nanos::from_secs_f64(((units - before) / own).clamp(0.0, 1.0)))
    }
}

/// How far what is through lies behind what was accepted, at each look from the last before the load on; nothing where
/// nobody looked before it.
fn behind(looks: &[(Nanos, Option<f64>)], begin: Nanos, accepted: &Accepted) -> Vec<(Nanos, Option<CountedPoint>)> {
    let earlier = looks.iter().rposition(|(at, value)| *at <= begin && value.is_some());
    let Some(first) = earlier else { return Vec::new() };
    let (mut last, mut through) = (looks[first].1.unwrap_or_default(), 0.0);
    let of = |(at, value): &(Nanos, Option<f64>)| {
        let Some(value) = *value else { return (*at, None) };
        // What was taken away, or counts from nothing again, is not undone.
        through += (value - last).max(0.0);
        last = value;
        let until = accepted.until(*at);
        let backlog = (until - through).max(0.0);
        // A thousandth of a unit is the arithmetic's.
        let is_behind = backlog > 1e-3;
        let since = accepted.reached(through).filter(|_| is_behind);
        let age = since.map_or(Nanos::ZERO, |since| (*at - since).max(Nanos::ZERO));
        let backlog = if is_behind { backlog } else { 0.0 };
        (*at, Some(CountedPoint { accepted: until, through, backlog, age }))
    };
    looks[first..].iter().map(of).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(seconds: f64) -> Nanos {
        Nanos::from_secs_f64(seconds)
    }

    fn accepted(seconds: std::ops::Range<i64>, units: f64) -> Accepted {
        Accepted::new(seconds.map(|second| (second, units)).collect())
    }

    /// 100 units a second arrive for 60 s, and 60 a second are served from the first on: a fluid whose backlog and age
    /// follow from arithmetic.
    #[test]
    fn a_fluid_queue_has_the_backlog_and_the_age_that_follow() {
        let accepted = accepted(0..60, 100.0);
        let looks: Vec<_> = (-5..=120).map(|s| (at(s as f64), Some(7.0 + 60.0 * f64::from(s.clamp(0, 100))))).collect();
        let points = behind(&looks, at(0.0), &accepted);
        assert_eq!(points[0].0, at(0.0), "it begins with the last look before the load");
        for (moment, point) in points {
            let (t, point) = (moment.as_secs_f64(), point.unwrap());
            let backlog = (100.0 * t.min(60.0) - 60.0 * t.min(100.0)).max(0.0);
            assert!((point.backlog - backlog).abs() < 1e-6, "{t}: {point:?}");
            let age = if backlog > 0.0 { t - 0.6 * t } else { 0.0 };
            assert!((point.age.as_secs_f64() - age).abs() < 1e-6, "{t}: {point:?}");
        }
    }

    #[test]
    fn what_is_lost_stays_behind_and_grows_old() {
        let accepted = accepted(0..10, 10.0);
        let looks = [(at(-1.0), Some(0.0)), (at(10.0), Some(95.0)), (at(60.0), Some(95.0)), (at(90.0), None)];
        let points = behind(&looks, at(0.0), &accepted);
        assert_eq!(points[2].1.map(|it| it.backlog), Some(5.0));
        assert_eq!(points[2].1.map(|it| it.age), Some(at(50.5)), "the 96th was accepted after 9.5 s");
        assert_eq!(points[3], (at(90.0), None), "a look that failed is a gap");
    }

    #[test]
    fn a_table_that_was_emptied_has_not_undone_what_was_through() {
        let accepted = accepted(0..10, 10.0);
        let looks = [(at(0.0), Some(50.0)), (at(4.0), Some(80.0)), (at(5.0), Some(0.0)), (at(12.0), Some(70.0))];
        let backlogs: Vec<_> =
            behind(&looks, at(0.0), &accepted).iter().map(|(_, it)| it.map(|it| it.backlog)).collect();
        assert_eq!(backlogs, [Some(0.0), Some(10.0), Some(20.0), Some(0.0)]);
    }

    #[test]
    fn what_was_not_looked_at_before_the_load_says_nothing() {
        assert!(behind(&[(at(1.0), Some(3.0))], at(0.0), &accepted(0..9, 1.0)).is_empty());
        assert!(behind(&[(at(-1.0), None)], at(0.0), &accepted(0..9, 1.0)).is_empty());
    }
}
