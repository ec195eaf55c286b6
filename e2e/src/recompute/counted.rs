//! Legs that a watched count closes, laid out a second time: two staircases, walked side by side.
//!
//! What was accepted is a line through the units of each second, taken as spread evenly; what is through is what the count
//! grew by since the last look before the load. At each look the backlog is how far they lie apart upwards, and the age how
//! far they do sideways. Both become watched series of a monitor with the leg's name, so that rules read them like others.

use super::rows::{Evidence, Points, SECOND};
use super::window::has_load;
use record::{CarriedHead, CountedHead, MetricHead, MonitorHead};
use std::collections::BTreeMap;
use terms::Population;

/// Less is what is left of sums of parts.
const NOTHING: f64 = 1e-3;

/// Adds the backlog and the age of every such leg.
pub(super) fn derive(all: &mut Evidence) {
    let exchanges = all.head.exchanges.clone();
    for (number, exchange) in exchanges.iter().enumerate() {
        for leg in &exchange.counted {
            let Some((source, every_s)) = source(all, leg) else { continue };
            let accepted = Line::of(&accepted(all, number as u16, leg.unit.as_deref()));
            let looks = looks(all, source);
            let points = begin(all, number).map_or_else(Vec::new, |begin| behind(&looks, begin, &accepted));
            let name = format!("{}.{}", exchange.name, leg.leg);
            let monitor = all.head.monitors.len() as u16;
            let metric = |name: &str, unit: &str| MetricHead {
                name: name.to_owned(),
                unit: unit.to_owned(),
                kind: "gauge".to_owned(),
                across: "sum".to_owned(),
                ..MetricHead::default()
            };
            all.head.monitors.push(MonitorHead {
                name: name.clone(),
                every_s,
                metrics: vec![metric("backlog", "count"), metric("age", "s")],
                ..MonitorHead::default()
            });
            for (place, value) in [|it: (f64, f64)| it.0, |it: (f64, f64)| it.1].iter().enumerate() {
                let series: Points = points.iter().map(|(at, point)| (*at, point.map(value))).collect();
                all.watched.insert((monitor, place as u16, name.clone()), series);
            }
        }
    }
}

/// Monitor and metric of the count, and how often it is asked.
fn source(all: &Evidence, leg: &CountedHead) -> Option<((u16, u16), f64)> {
    let monitor = all.head.monitors.iter().position(|known| known.name == leg.monitor)?;
    let metric = all.head.monitors[monitor].metrics.iter().position(|known| known.name == leg.metric)?;
    Some(((monitor as u16, metric as u16), all.head.monitors[monitor].every_s))
}

/// When the first load began of which an iteration may carry the exchange out.
fn begin(all: &Evidence, exchange: usize) -> Option<i64> {
    let carries_it_out = |scenario: &record::ScenarioHead| {
        let own = std::iter::once(scenario).chain(&scenario.parts);
        own.into_iter().any(|load| load.most_per_iteration.get(exchange).is_some_and(|most| *most > 0.0))
    };
    let loads = all.spans.iter().filter(|span| has_load(&all.planned(span.number).phase));
    let own = loads.filter(|span| {
        let scenario = usize::from(all.planned(span.number).scenario);
        all.head.scenarios.get(scenario).is_some_and(carries_it_out)
    });
    own.map(|span| span.from).min()
}

/// Units of what succeeded, by the second of its end.
fn accepted(all: &Evidence, exchange: u16, unit: Option<&str>) -> BTreeMap<i64, f64> {
    let mut seconds: BTreeMap<i64, f64> = BTreeMap::new();
    for ((step, _, _), rows) in all.legs.iter().filter(|((_, number, leg), _)| (*number, *leg) == (exchange, 0)) {
        let scenario = usize::from(all.planned(*step).scenario);
        let known = all.head.scenarios.get(scenario).map_or(&[][..], |scenario| &scenario.carries);
        let carried: Option<&CarriedHead> =
            known.iter().find(|carried| carried.exchange == exchange && Some(carried.unit.as_str()) == unit);
        for row in rows.iter().filter(|row| row.population == Population::Ok) {
            let units = match (unit, carried) {
                (None, _) => row.count as f64,
                (Some(_), None) => 0.0,
                (Some(_), Some(carried)) => match carried.count {
                    Some(each) => row.count as f64 * each as f64,
                    None => row.units as f64,
                },
            };
            *seconds.entry(row.end_s).or_default() += units;
        }
    }
    seconds
}

/// Values of the count, its instances together: each stands until the next one comes, from nothing. A sum with a gap is one.
fn looks(all: &Evidence, (monitor, metric): (u16, u16)) -> Points {
    let series: Vec<&Points> = all
        .watched
        .iter()
        .filter(|((own, place, _), _)| (*own, *place) == (monitor, metric))
        .map(|(_, points)| points)
        .collect();
    let mut moments: Vec<i64> = series.iter().flat_map(|points| points.iter().map(|(at, _)| *at)).collect();
    moments.sort_unstable();
    moments.dedup();
    let at_moment = |at: i64| {
        let of = |points: &&Points| match points.iter().rev().find(|(known, _)| *known <= at) {
            Some((_, value)) => *value,
            None => Some(0.0),
        };
        series.iter().map(of).sum::<Option<f64>>()
    };
    moments.into_iter().map(|at| (at, at_moment(at))).collect()
}

/// Corners of a line that never falls: moment in nanoseconds, units by then.
struct Line(Vec<(i64, f64)>);

impl Line {
    fn of(seconds: &BTreeMap<i64, f64>) -> Self {
        let (mut corners, mut units) = (Vec::new(), 0.0);
        for (second, own) in seconds.iter().filter(|(_, own)| **own > 0.0) {
            corners.push((second * SECOND, units));
            units += own;
            corners.push(((second + 1) * SECOND, units));
        }
        Self(corners)
    }

    /// Units by a moment.
    fn at(&self, moment: i64) -> f64 {
        let next = self.0.partition_point(|(at, _)| *at <= moment);
        match (next.checked_sub(1).map(|last| self.0[last]), self.0.get(next)) {
            (None, _) => 0.0,
            (Some((_, units)), None) => units,
            (Some((from, low)), Some((to, high))) => low + (high - low) * ((moment - from) as f64 / (to - from) as f64),
        }
    }

    /// The moment from which on there are more than so many; `None` where there never are.
    fn beyond(&self, units: f64) -> Option<i64> {
        let next = self.0.iter().position(|(_, by_then)| *by_then > units)?;
        let ((to, high), (from, low)) = (self.0[next], self.0[next.checked_sub(1)?]);
        let part = ((units - low) / (high - low)).clamp(0.0, 1.0);
        Some(from + (part * (to - from) as f64).round() as i64)
    }
}

/// Backlog and age in seconds at each look, from the last one before the load on.
fn behind(looks: &Points, begin: i64, accepted: &Line) -> Vec<(i64, Option<(f64, f64)>)> {
    let Some(first) = looks.iter().rposition(|(at, value)| *at <= begin && value.is_some()) else { return Vec::new() };
    let mut through = 0.0;
    let mut before = looks[first].1.unwrap_or_default();
    let mut points = Vec::new();
    for (at, value) in &looks[first..] {
        let Some(value) = *value else {
            points.push((*at, None));
            continue;
        };
        if value > before {
            through += value - before;
        }
        before = value;
        let backlog = accepted.at(*at) - through;
        points.push((
            *at,
            Some(if backlog > NOTHING {
                let since = accepted.beyond(through).unwrap_or(*at);
                (backlog, (at - since).max(0) as f64 / 1e9)
            } else {
                (0.0, 0.0)
            }),
        ));
    }
    points
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 100 units in each of two seconds, nothing for one, 100 in another.
    #[test]
    fn a_line_is_read_both_ways() {
        let line = Line::of(&BTreeMap::from([(10, 100.0), (11, 100.0), (13, 100.0), (14, 0.0)]));
        for (moment, units) in [(9.0, 0.0), (10.5, 50.0), (12.0, 200.0), (12.7, 200.0), (13.25, 225.0), (99.0, 300.0)] {
            assert!((line.at((moment * 1e9) as i64) - units).abs() < 1e-9, "{moment}");
        }
        for (units, moment) in
            [(0.0, Some(10.0)), (50.0, Some(10.5)), (200.0, Some(13.0)), (299.0, Some(13.99)), (300.0, None)]
        {
            assert_eq!(line.beyond(units), moment.map(|moment: f64| (moment * 1e9) as i64), "{units}");
        }
    }

    #[test]
    fn what_was_taken_away_is_not_undone_and_a_gap_is_one() {
        let line = Line::of(&(0..10).map(|second| (second, 10.0)).collect());
        let at = |second: i64| second * SECOND;
        let looks =
            vec![(at(-1), Some(50.0)), (at(4), Some(80.0)), (at(5), None), (at(6), Some(0.0)), (at(12), Some(70.0))];
        let points = behind(&looks, 0, &line);
        let expected =
            [(at(-1), Some((0.0, 0.0))), (at(4), Some((10.0, 1.0))), (at(5), None), (at(6), Some((30.0, 3.0)))];
        assert_eq!(points[..4], expected);
        assert_eq!(points[4], (at(12), Some((0.0, 0.0))));
        assert!(behind(&looks, at(-2), &line).is_empty(), "nobody looked before the load");
    }
}
