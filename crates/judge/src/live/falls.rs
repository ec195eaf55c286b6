//! `drop(x) >= 30%`, while the load goes on: a cumulative sum for each such clause, within each hold anew.

use super::is_of_fall;
use record::{Folded, Head, LegRow, SampleRow, StepMark};
use stats::change::alarm::{FallAlarm, Wanted};
use std::collections::{BTreeMap, VecDeque};
use std::fmt;
use study::rule::{Clause, Expression, Rule, Subject};
use terms::{Nanos, Population};

/// A fall lasts so long where the rule does not say it.
const LASTS: Nanos = Nanos::from_secs(30);
/// The baseline is so many times as long, and has so many values at least.
const BASELINE: usize = 4;
const BASELINE_VALUES: usize = 24;
/// Hours between two false alarms, on average: one in a hundred hours has one.
const HOURS_APART: f64 = 100.0;
/// Seconds after which no thread has anything to add to a second.
const LATE: i64 = 2;
/// Moments of which the count is kept, to say how much there was when a fall began.
const KEPT_MAX: usize = 100_000;

/// A fall that was reported.
#[derive(Clone, Debug, PartialEq)]
pub struct SeenFall {
    /// What fell, as written.
    pub series: String,
    /// When the lower level began, and when that was reported.
    pub since: Nanos,
    pub told: Nanos,
    /// How much had come by then.
    pub count: f64,
    /// Level of the baseline, and since the fall, a second.
    pub from: f64,
    pub to: f64,
}

impl fmt::Display for SeenFall {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { series, since, told, count, from, to } = self;
        write!(
            f,
            "{series} fell from {from:.0}/s to {to:.0}/s at {:.1} s, after {count:.0}, detected at {:.1} s; one run cannot tell whether the count or the time is the cause",
            since.as_secs_f64(),
            told.as_secs_f64(),
        )
    }
}

/// All clauses on falls of a scenario's rules.
#[derive(Default)]
pub(super) struct Falls {
    clauses: BTreeMap<(String, usize), Watch>,
}

/// One clause.
struct Watch {
    series: String,
    source: Source,
    wanted: Wanted,
    /// Within a hold.
    alarm: Option<FallAlarm>,
    /// When the hold began.
    begun: Nanos,
    /// When each value began, and the count by then.
    moments: VecDeque<(Nanos, f64)>,
    /// Values that are no longer kept.
    forgotten: usize,
    seen: Option<SeenFall>,
}

enum Source {
    /// Exchanges and their leg: what succeeded by second, the next second to be looked at, and the count so far.
    Calls { exchanges: Vec<u16>, leg: u8, seconds: BTreeMap<i64, u64>, next: Option<i64>, count: u64 },
    /// Numbers of monitor and metric, the last value of each instance, and of the moment in hand.
    Metric {
        of: (u16, u16),
        last: BTreeMap<String, f64>,
        at: Option<Nanos>,
        grown: f64,
        was: Option<Nanos>,
        count: f64,
    },
}

impl Falls {
    pub(super) fn of(head: &Head, rules: &[Rule]) -> Self {
        let mut clauses = BTreeMap::new();
        for rule in rules {
            for (place, clause) in rule.clauses.iter().enumerate().filter(|(_, clause)| is_of_fall(clause)) {
                let watch = Watch::of(head, rule, clause);
                clauses.extend(watch.map(|watch| ((rule.text.clone(), place), watch)));
            }
        }
        Self { clauses }
    }

    /// The fall that a clause has told, by the text of its rule and its place in it.
    pub(super) fn seen(&self, (text, place): (&str, usize)) -> Option<&SeenFall> {
        self.clauses.get(&(text.to_owned(), place))?.seen.as_ref()
    }

    /// A hold begins or ends.
    pub(super) fn hold(&mut self, mark: &StepMark) {
        for watch in self.clauses.values_mut() {
            if mark.is_end {
                watch.alarm = None;
            } else {
                watch.begin(mark.at);
            }
        }
    }

    /// Takes what ended, by the second of its end.
    pub(super) fn add(&mut self, rows: &Folded) {
        for watch in self.clauses.values_mut() {
            if let Source::Calls { exchanges, leg, seconds, next, .. } = &mut watch.source {
                let is_own = |row: &&LegRow| {
                    row.population == Population::Ok && row.leg == *leg && exchanges.contains(&row.exchange)
                };
                for row in rows.legs.iter().filter(is_own).filter(|row| next.is_none_or(|next| row.end_s >= next)) {
                    *seconds.entry(row.end_s).or_default() += row.count;
                }
            }
        }
    }

    pub(super) fn add_samples(&mut self, rows: &[SampleRow]) {
        for watch in self.clauses.values_mut() {
            rows.iter().for_each(|row| watch.sample(row));
        }
    }

    /// The last whole second has ended.
    pub(super) fn check(&mut self, now: Nanos) {
        self.clauses.values_mut().for_each(|watch| watch.seconds(now));
    }
}

impl Watch {
    fn of(head: &Head, rule: &Rule, clause: &Clause) -> Option<Self> {
        let Clause::Compare { sums, .. } = clause else { return None };
        let [Expression::Statistic(statistic), Expression::Number(part)] = &sums[..] else { return None };
        let (source, every) = match &statistic.series.subject {
            Subject::Exchanges { exchanges, leg, .. } => {
                let (exchanges, leg) = (exchanges.clone(), leg.unwrap_or(0));
                (Source::Calls { exchanges, leg, seconds: BTreeMap::new(), next: None, count: 0 }, 1.0)
            }
            Subject::Metric { monitor, metric } => {
                let number = head.monitors.iter().position(|known| known.name == *monitor)?;
                let known = &head.monitors[number];
                let place = known.metrics.iter().position(|known| known.name == *metric)?;
                let of = (number as u16, place as u16);
                let source = Source::Metric { of, last: BTreeMap::new(), at: None, grown: 0.0, was: None, count: 0.0 };
                (source, known.every_s.clamp(0.01, 3600.0))
            }
            _ => return None,
        };
        let lasts = (rule.sliding.unwrap_or(LASTS).as_secs_f64() / every).ceil().max(2.0) as usize;
        let wanted = Wanted {
            part: part.value,
            lasts,
            baseline: (BASELINE * lasts).max(BASELINE_VALUES),
            apart: HOURS_APART * 3600.0 / every,
        };
        Some(Self {
            series: statistic.series.text.clone(),
            source,
            wanted,
            alarm: None,
            begun: Nanos::ZERO,
            moments: VecDeque::new(),
            forgotten: 0,
            seen: None,
        })
    }

    fn begin(&mut self, at: Nanos) {
        self.alarm = FallAlarm::new(self.wanted).ok();
        self.begun = at;
        self.moments.clear();
        self.forgotten = 0;
        if let Source::Calls { seconds, next, count, .. } = &mut self.source {
            // The first whole second of the hold.
            let first = at.second() + i64::from(at.0.rem_euclid(Nanos::SECOND.0) > 0);
            *seconds = seconds.split_off(&first);
            (*next, *count) = (Some(first), 0);
        }
    }

    /// Seconds that no thread adds anything to.
    fn seconds(&mut self, now: Nanos) {
        loop {
            let Source::Calls { seconds, next: Some(next), count, .. } = &mut self.source else { return };
            if *next + LATE > now.second() || self.alarm.is_none() {
                return;
            }
            let ended = seconds.remove(next).unwrap_or(0);
            let (begun, before) = (Nanos::from_secs(*next), *count as f64);
            (*next, *count) = (*next + 1, *count + ended);
            self.value((begun, before), ended as f64, now);
        }
    }

    /// One value of the count; those of one moment belong together.
    fn sample(&mut self, row: &SampleRow) {
        let Source::Metric { of, at, .. } = &self.source else { return };
        if (row.monitor, row.metric) != *of {
            return;
        }
        if at.is_some_and(|at| at != row.at) {
            self.moment();
        }
        let Source::Metric { last, at, grown, count, .. } = &mut self.source else { return };
        *at = Some(row.at);
        let Some(value) = row.value.filter(|value| value.is_finite()) else { return };
        match last.insert(row.instance.clone(), value) {
            // What it holds at the first look was there before.
            None => *count += value,
            // After a restart it counts from zero.
            Some(before) if value < before => *grown += value.max(0.0),
            Some(before) => *grown += value - before,
        }
    }

    /// All values of a moment have come.
    fn moment(&mut self) {
        let Source::Metric { at, grown, was, count, .. } = &mut self.source else { return };
        let (Some(now), Some(before)) = (*at, std::mem::replace(was, *at)) else { return };
        let (came, by) = (std::mem::take(grown), *count);
        *count += came;
        let seconds = (now - before).as_secs_f64();
        if seconds > 0.0 && before >= self.begun {
            self.value((before, by), came / seconds, now);
        }
    }

    fn value(&mut self, moment: (Nanos, f64), rate: f64, now: Nanos) {
        let Some(alarm) = &mut self.alarm else { return };
        if self.moments.len() >= KEPT_MAX {
            self.moments.pop_front();
            self.forgotten += 1;
        }
        self.moments.push_back(moment);
        let Some(fallen) = alarm.add(rate) else { return };
        if self.seen.is_none() {
            let place = fallen.since.saturating_sub(self.forgotten).min(self.moments.len() - 1);
            let (since, count) = self.moments[place];
            let (from, to) = (fallen.from, fallen.to);
            self.seen = Some(SeenFall { series: self.series.clone(), since, told: now, count, from, to });
        }
    }
}
