//! Shares of calls: of all that was planned, unless a population is named, and how they lie over a window's seconds.

use super::language::Call;
use super::load::{Series, is_of, loads, numbered, part_of};
use super::rows::Evidence;
use super::times::Below;
use record::{LegPer, LegRow};
use std::collections::BTreeMap;
use terms::{Nanos, Outcome, Population};

/// A share: hits, all, and both by second.
#[derive(Clone, Debug, Default)]
pub(super) struct Share {
    pub(super) hits: Below,
    pub(super) total: u64,
    pub(super) seconds: BTreeMap<i64, (u64, u64)>,
}

/// Hits and calls of one exchange.
#[derive(Default)]
struct Part {
    hits: Below,
    total: u64,
    hits_by_second: BTreeMap<i64, u64>,
    calls_by_second: BTreeMap<i64, u64>,
}

impl Series<'_> {
    /// How many of its times lie below a limit, with what does not by second; exact where the load counted it.
    pub(super) fn below(&self, limit: Nanos, is_inclusive: bool, of: Option<&str>) -> Option<Share> {
        let of = if self.figure == "failed" { "failed" } else { of.unwrap_or("ok") };
        let mut share = Share::default();
        for exchange in &self.exchanges {
            if self.figure == "lateness" {
                for row in self.window.steps.iter().flat_map(|step| self.evidence.starts(*step, *exchange)) {
                    if self.window.takes(row.intended_s, row.stream) {
                        let below = Below::of(&row.lateness, limit, is_inclusive);
                        share.count(self.window.second(row.intended_s), below, row.started);
                    }
                }
                continue;
            }
            for row in self.rows(*exchange, self.first_leg()) {
                if of == "all" || row.population.name() == of {
                    let below = self.below_in(row, limit, is_inclusive)?;
                    share.count(self.window.second(row.intended_s), below, row.count);
                }
            }
        }
        Some(share)
    }

    /// Of one row.
    fn below_in(&self, row: &LegRow, limit: Nanos, is_inclusive: bool) -> Option<Below> {
        let measure = if self.figure == "service" { "service" } else { "response" };
        let of_leg = self.head(row.exchange).thresholds.iter().filter(|known| known.leg == row.leg);
        let is_it = |known: &record::ThresholdHead| {
            (known.measure.as_str(), known.limit_ns, known.inclusive) == (measure, limit.0, is_inclusive)
        };
        let exact = of_leg.into_iter().position(is_it).and_then(|place| row.below.get(place));
        let of_buckets = || Some(Below::of(part_of(&self.figure)?(row), limit, is_inclusive));
        exact.map(|count| Below { sure: *count, maybe: *count }).or_else(of_buckets)
    }

    /// `share(…)`: of all that was planned, unless a population is named.
    pub(super) fn share(&self, call: &Call) -> Option<Share> {
        let mut share = Share::default();
        for exchange in &self.exchanges {
            let part = match call.limit() {
                Some((operator, limit)) => {
                    let part = self.in_time(*exchange, limit, matches!(operator, "<=" | ">"), call.of.as_deref())?;
                    if operator.starts_with('<') { part } else { part.complement() }
                }
                None if call.condition.is_some() => return None,
                None => self.named(*exchange, call.of.as_deref())?,
            };
            share.hits.add(part.hits);
            share.total += part.total;
            for (second, calls) in part.calls_by_second {
                share.seconds.entry(second).or_default().1 += calls;
            }
            for (second, hits) in part.hits_by_second {
                share.seconds.entry(second).or_default().0 += hits;
            }
        }
        share.hits.sure = share.hits.sure.min(share.total);
        share.hits.maybe = share.hits.maybe.min(share.total);
        share.seconds.values_mut().for_each(|(hits, calls)| *calls = (*calls).max(*hits));
        (share.total > 0).then_some(share)
    }

    fn in_time(&self, exchange: u16, limit: Nanos, is_inclusive: bool, of: Option<&str>) -> Option<Part> {
        let alone = Series { exchanges: vec![exchange], figure: self.figure.clone(), ..*self };
        let below = alone.below(limit, is_inclusive, of)?;
        let mut part = Part { hits: below.hits, ..Part::default() };
        part.hits_by_second = below.seconds.iter().map(|(second, (late, all))| (*second, all - late)).collect();
        if self.figure == "lateness" {
            part.total = below.total;
            part.calls_by_second = below.seconds.iter().map(|(second, (_, all))| (*second, *all)).collect();
            return Some(part);
        }
        (part.total, part.calls_by_second) = self.calls(exchange, of);
        if of.is_none() && self.is_whole(exchange) {
            // In time, and every leg right: which of those in time were wrong later is in no row, only how many.
            let closed = self.whole(exchange)?.0;
            let [ok, failed] = closed.values().fold([0, 0], |sum, one| [sum[0] + one[0], sum[1] + one[1]]);
            let wrong = failed.saturating_sub(self.closed(exchange, 0, Population::Failed));
            part.hits = Below { sure: part.hits.sure.saturating_sub(wrong), maybe: part.hits.maybe.min(ok) };
        }
        Some(part)
    }

    fn named(&self, exchange: u16, of: Option<&str>) -> Option<Part> {
        let is_whole = self.is_whole(exchange);
        let closed = |population: Population| -> Option<BTreeMap<i64, u64>> {
            let mut seconds = BTreeMap::new();
            if is_whole {
                let place = usize::from(population == Population::Failed);
                return Some(self.whole(exchange)?.0.into_iter().map(|(second, both)| (second, both[place])).collect());
            }
            for row in self.rows(exchange, self.first_leg()).filter(|row| row.population == population) {
                *seconds.entry(self.window.second(row.intended_s)).or_default() += row.count;
            }
            Some(seconds)
        };
        let (total, calls_by_second) = self.calls(exchange, of);
        let hits_by_second = match self.figure.as_str() {
            "" | "ok" | "completed" => closed(Population::Ok)?,
            "failed" => closed(Population::Failed)?,
            "intended" => calls_by_second.clone(),
            "started" | "dropped" => self.started(exchange),
            _ if is_whole => return None,
            name => self.class(exchange, self.first_leg(), Outcome::from_name(name)?),
        };
        let hits = if self.figure == "intended" { total } else { hits_by_second.values().sum() };
        let part = Part { hits: Below { sure: hits, maybe: hits }, total, hits_by_second, calls_by_second };
        Some(if self.figure == "dropped" { part.complement() } else { part })
    }

    /// What a share is of, and how that lies over time.
    fn calls(&self, exchange: u16, of: Option<&str>) -> (u64, BTreeMap<i64, u64>) {
        let leg = self.first_leg();
        let is_apart = !self.is_whole(exchange)
            && self.head(exchange).legs.get(usize::from(leg)).is_some_and(|leg| leg.per != LegPer::Exchange);
        if is_apart || of.is_some() {
            let of = if is_apart { "all" } else { of.unwrap_or("all") };
            let mut calls: BTreeMap<i64, u64> = BTreeMap::new();
            for row in self.rows(exchange, leg) {
                let is_meant = of == "all" || row.population.name() == of;
                *calls.entry(self.window.second(row.intended_s)).or_default() += if is_meant { row.count } else { 0 };
            }
            return (calls.values().sum(), calls);
        }
        let mut calls = self.started(exchange);
        let mut closes: BTreeMap<i64, u64> = BTreeMap::new();
        for row in self.rows(exchange, leg) {
            *closes.entry(self.window.second(row.intended_s)).or_default() += row.count;
        }
        for (second, closed) in closes {
            let known = calls.entry(second).or_default();
            *known = (*known).max(closed);
        }
        let planned = self.planned(exchange);
        let missing = planned.saturating_sub(calls.values().sum());
        if missing > 0 {
            self.spread(exchange, missing, &mut calls);
        }
        (planned, calls)
    }

    /// Calls that nobody saw stand in the seconds in which fewer were seen than planned.
    fn spread(&self, exchange: u16, missing: u64, calls: &mut BTreeMap<i64, u64>) {
        let mut due: BTreeMap<i64, f64> = BTreeMap::new();
        let loads = loads(self.evidence, self.window.place);
        for (part, load) in numbered(self.evidence, self.window.place).into_iter().zip(&loads) {
            let mean = Evidence::each(load, exchange).0;
            for step in self.window.steps.iter().filter(|step| is_of(self.evidence, **step, part)) {
                for row in self.evidence.iterations(*step) {
                    if row.books.intended > 0 && self.window.takes(row.intended_s, row.stream) {
                        *due.entry(self.window.second(row.intended_s)).or_default() += row.books.intended as f64 * mean;
                    }
                }
            }
        }
        let gap =
            |(second, due): (&i64, &f64)| (*second, (due - calls.get(second).copied().unwrap_or(0) as f64).max(0.0));
        let gaps: Vec<(i64, f64)> = due.iter().map(gap).collect();
        let all: f64 = gaps.iter().map(|(_, gap)| gap).sum();
        let (mut seen, mut given) = (0.0, 0);
        for (second, gap) in gaps {
            seen += gap;
            let due = if all > 0.0 { (missing as f64 * seen / all).round() as u64 } else { 0 };
            *calls.entry(second).or_default() += due.saturating_sub(given);
            given = given.max(due);
        }
    }
}

impl Share {
    /// One row: what is below, of all; by second what is *not* below.
    fn count(&mut self, second: i64, below: Below, all: u64) {
        self.hits.add(below);
        self.total += all;
        let entry = self.seconds.entry(second).or_default();
        *entry = (entry.0 + all.saturating_sub(below.sure), entry.1 + all);
    }
}

impl Part {
    /// What is not a hit.
    fn complement(mut self) -> Self {
        let Below { sure, maybe } = self.hits;
        self.hits = Below { sure: self.total.saturating_sub(maybe), maybe: self.total.saturating_sub(sure) };
        for (second, calls) in &self.calls_by_second {
            let hits = self.hits_by_second.entry(*second).or_default();
            *hits = calls.saturating_sub(*hits);
        }
        self
    }
}
