//! Shares: of all planned, unless `of` names a population.

use super::load::{Of, Times};
use super::{Evaluator, Kind, NoValue, Sureness, Value};
use crate::limits::{Bracket, Timed, is_inclusive};
use crate::times::without_gaps;
use record::LegPer;
use stats::memory::Beside;
use std::collections::BTreeMap;
use study::rule::{Book, Comparison, Of as Population, Statistic, What};
use terms::{Nanos, Outcome};

/// Hits and calls of one exchange.
#[derive(Default)]
struct ShareCounts {
    hits: Bracket,
    total: u64,
    /// Calls that may be hits, and of which nobody knows.
    unsettled: u64,
    /// Calls that timed out before a limit, so that it is not known on which side of it they are.
    cut_off: u64,
    /// Hits by second, those that are certain.
    hits_by_second: BTreeMap<i64, u64>,
    calls_by_second: BTreeMap<i64, u64>,
}

impl ShareCounts {
    /// What is not a hit.
    fn complement(mut self) -> Self {
        let Bracket { sure, maybe } = self.hits;
        self.hits = Bracket { sure: self.total.saturating_sub(maybe), maybe: self.total.saturating_sub(sure) };
        for (second, calls) in &self.calls_by_second {
            let hits = self.hits_by_second.entry(*second).or_default();
            *hits = calls.saturating_sub(*hits);
        }
        self
    }
}

impl Evaluator<'_> {
    /// Part of all planned; what was planned and never came stays in the denominator, unless the run did not end as planned
    /// and left it unfinished; and is on the bad side of a condition: `share(x > 2s)` is all that is not `share(x <= 2s)`.
    pub(super) fn share(&self, statistic: &Statistic, of: &Of<'_>) -> Result<Value, NoValue> {
        let mut all = ShareCounts::default();
        let mut seconds: BTreeMap<i64, (u64, u64)> = BTreeMap::new();
        for &number in of.exchanges {
            let part = match &statistic.condition {
                Some((comparison, limit)) => {
                    let limit = limit.nanos().ok_or(NoValue::Units)?;
                    let part = self.below(statistic, of, number, limit, is_inclusive(*comparison))?;
                    match comparison {
                        Comparison::Less | Comparison::AtMost => part,
                        Comparison::Greater | Comparison::AtLeast => part.complement(),
                        Comparison::Equal => return Err(NoValue::NotYet),
                    }
                }
                None => self.named(statistic, of, number)?,
            };
            all.hits += part.hits;
            all.total += part.total;
            all.unsettled += part.unsettled;
            all.cut_off += part.cut_off;
            for (second, calls) in part.calls_by_second {
                seconds.entry(second).or_default().1 += calls;
            }
            for (second, hits) in part.hits_by_second {
                seconds.entry(second).or_default().0 += hits;
            }
        }
        if all.total == 0 {
            return Err(NoValue::NoSamples);
        }
        // What was started or cut off and is unfinished is not in the total.
        let Bracket { sure, maybe } = all.hits;
        all.hits = Bracket { sure: sure.min(all.total), maybe: maybe.min(all.total) };
        // A close can stand in the second beside its start's; for the design effect it is a call of that second.
        seconds.values_mut().for_each(|(hits, calls)| *calls = (*calls).max(*hits));
        let value = all.hits.sure as f64 / all.total as f64;
        let is_censored = all.cut_off > 0;
        let (times, limit) = self.times_beside(statistic, of);
        let beside = |(times, limit): (Times<'_>, Nanos)| {
            Some(Beside::new(times.memory()?, times.max()?.as_secs_f64(), limit.as_secs_f64()))
        };
        let times = times.zip(limit).and_then(beside);
        let is_of_fast = match &statistic.condition {
            Some((comparison, _)) => matches!(comparison, Comparison::Less | Comparison::AtMost),
            None => of.what == What::Outcome(Outcome::Ok),
        };
        let times = if is_of_fast { times.map(Beside::turned) } else { times };
        let sureness = Sureness::Share { hits: all.hits, total: all.total, seconds: without_gaps(&seconds), times };
        Ok(Value { unsettled: all.unsettled, is_censored, ..Value::new(value, Kind::Share, sureness, all.total) })
    }

    /// The times that decide which calls are hits, and the limit: that of a condition, or the time-out, for a call that
    /// fails may be one that was too slow. The least time-out of several exchanges.
    fn times_beside(&self, statistic: &Statistic, of: &Of<'_>) -> (Option<Times<'_>>, Option<Nanos>) {
        if let Some((_, limit)) = &statistic.condition {
            return (self.times(statistic, of).ok(), limit.nanos());
        }
        let may_time_out = match of.what {
            What::Failed => true,
            What::Outcome(outcome) => matches!(outcome, Outcome::Ok | Outcome::Timeout | Outcome::Missing),
            _ => false,
        };
        let time_out = |number: &u16| self.head.exchanges.get(usize::from(*number)).map(|head| Nanos(head.timeout_ns));
        let time_outs = of.exchanges.iter().filter_map(time_out);
        let Some(limit) = time_outs.filter(|limit| *limit > Nanos::ZERO).min().filter(|_| may_time_out) else {
            return (None, None);
        };
        let all = Statistic { of: Some(Population::All), ..statistic.clone() };
        (self.times(&all, &Of { what: What::Response, ..*of }).ok(), Some(limit))
    }

    /// Below a limit.
    fn below(
        &self,
        statistic: &Statistic,
        of: &Of<'_>,
        number: u16,
        limit: Nanos,
        inclusive: bool,
    ) -> Result<ShareCounts, NoValue> {
        let timed = Timed::of(of.what).ok_or(NoValue::NotYet)?;
        let leg = if timed == Timed::Lateness { 0 } else { of.leg() };
        let limits = self.figures.limits.get(&(number, leg)).map_or(&[][..], Vec::as_slice);
        let place = limits
            .iter()
            .position(|known| (known.timed, known.limit, known.inclusive) == (timed, limit, inclusive))
            .ok_or(NoValue::NotYet)?;
        let mut part = ShareCounts::default();
        if timed == Timed::Lateness {
            let Some(starts) = self.figures.starts.get(&number) else { return Ok(part) };
            part.total = starts.started;
            for (second, starts) in &starts.seconds {
                let below = starts.below.get(place).copied().unwrap_or_default();
                part.hits += below;
                part.hits_by_second.insert(*second, below.sure);
                part.calls_by_second.insert(*second, starts.count);
            }
            return Ok(part);
        }
        // Answered in time, and every leg right. Which of those that were in time were wrong later is in no row, only
        // how many: as many of them as can be, or as few.
        let wrong_later = match statistic.of {
            None if self.is_whole(of, number) => {
                let first = self.leg(number, leg).map_or(0, |leg| leg.failed.count);
                let [ok, failed] = self.whole(number)?.counts();
                Some((failed.saturating_sub(first), ok))
            }
            _ => None,
        };
        (part.total, part.calls_by_second) = self.calls(statistic, of, number);
        for (second, both) in self.leg(number, leg).iter().flat_map(|leg| &leg.seconds) {
            let mut below = Bracket::default();
            for (place_of, figures) in both.iter().enumerate() {
                if is_counted(statistic.of, place_of) {
                    below += figures.below.get(place).copied().unwrap_or_default();
                }
            }
            part.hits += below;
            part.hits_by_second.insert(*second, below.sure);
        }
        let here = Of { exchanges: &[number], ..*of };
        if let Some((_, cut)) = self.cut_off(statistic, &here).filter(|(least, _)| limit >= *least) {
            (part.cut_off, part.hits.sure) = (cut, part.hits.sure.saturating_sub(cut));
        }
        if let Some((wrong, ok)) = wrong_later {
            let Bracket { sure, maybe } = part.hits;
            part.hits = Bracket { sure: sure.saturating_sub(wrong), maybe: maybe.min(ok) };
        }
        Ok(part)
    }

    /// An outcome or a column of the books.
    fn named(&self, statistic: &Statistic, of: &Of<'_>, number: u16) -> Result<ShareCounts, NoValue> {
        let is_whole = self.is_whole(of, number);
        if matches!(of.what, What::Outcome(outcome) if outcome != Outcome::Ok) {
            self.check_one_leg(of)?;
        }
        let leg = self.leg(number, of.leg());
        let whole = if is_whole && !matches!(of.what, What::Book(Book::Intended | Book::Started | Book::Dropped)) {
            Some(self.whole(number)?)
        } else {
            None
        };
        let population = |place: usize| -> BTreeMap<i64, u64> {
            if let Some(whole) = &whole {
                return whole.closed.iter().map(|(second, both)| (*second, both[place])).collect();
            }
            leg.iter().flat_map(|leg| &leg.seconds).map(|(second, both)| (*second, both[place].count)).collect()
        };
        let class = |outcome| self.figures.class_by_second(number, of.leg(), outcome);
        let (total, calls_by_second) = self.calls(statistic, of, number);
        let hits_by_second = match of.what {
            What::Itself | What::Outcome(Outcome::Ok) | What::Book(Book::Completed) => population(0),
            What::Failed => population(1),
            What::Outcome(outcome) => class(outcome),
            What::Book(Book::Aborted) => class(Outcome::Aborted),
            What::Book(Book::Intended) => calls_by_second.clone(),
            What::Book(Book::Started | Book::Dropped) => {
                let starts = self.figures.starts.get(&number);
                starts
                    .iter()
                    .flat_map(|starts| &starts.seconds)
                    .map(|(second, starts)| (*second, starts.count))
                    .collect()
            }
            _ => return Err(NoValue::NotYet),
        };
        let hits: u64 = if of.what == What::Book(Book::Intended) { total } else { hits_by_second.values().sum() };
        let unsettled = if statistic.of.is_none() { self.unsettled(of, number)? } else { 0 };
        let hits = Bracket { sure: hits, maybe: hits + unsettled };
        let part = ShareCounts { hits, total, unsettled, cut_off: 0, hits_by_second, calls_by_second };
        Ok(if of.what == What::Book(Book::Dropped) { part.complement() } else { part })
    }

    /// Whether there are not as many of a leg as of its exchange.
    pub(super) fn is_apart(&self, of: &Of<'_>, number: u16) -> bool {
        let legs = self.head.exchanges.get(usize::from(number)).map_or(&[][..], |head| head.legs.as_slice());
        !self.is_whole(of, number) && legs.get(usize::from(of.leg())).is_some_and(|leg| leg.per != LegPer::Exchange)
    }

    /// The denominator, and how it lies over time.
    fn calls(&self, statistic: &Statistic, of: &Of<'_>, number: u16) -> (u64, BTreeMap<i64, u64>) {
        if self.is_apart(of, number) {
            // Connections are not as many as messages: what is opened is a share of what was to be opened.
            let seconds = self.leg(number, of.leg()).into_iter().flat_map(|leg| &leg.seconds);
            let calls: BTreeMap<i64, u64> =
                seconds.map(|(second, [ok, failed])| (*second, ok.count + failed.count)).collect();
            return (calls.values().sum(), calls);
        }
        if self.figures.is_live
            && self.is_whole(of, number)
            && let Some(whole) = self.figures.whole(number)
        {
            // What is open may still end.
            let ended = whole.closed.into_iter().map(|(second, [ok, failed])| (second, ok + failed));
            let calls: BTreeMap<i64, u64> = ended.collect();
            return (calls.values().sum(), calls);
        }
        if statistic.of.is_none() {
            let leg = (!self.is_whole(of, number)).then(|| of.leg());
            let unfinished = self.figures.unfinished(number, leg);
            let mut calls = self.figures.calls_by_second(number, of.leg());
            if unfinished > 0 {
                self.figures.without_unfinished(unfinished, &mut calls);
            }
            return (self.figures.planned(number).saturating_sub(unfinished), calls);
        }
        let mut calls: BTreeMap<i64, u64> = BTreeMap::new();
        for (second, both) in self.leg(number, of.leg()).iter().flat_map(|leg| &leg.seconds) {
            let counted = both.iter().enumerate().filter(|(place, _)| is_counted(statistic.of, *place));
            calls.insert(*second, counted.map(|(_, figures)| figures.count).sum());
        }
        (calls.values().sum(), calls)
    }
}

/// Whether what succeeded (0) or what failed (1) is part of a population; by default what succeeded.
fn is_counted(of: Option<Population>, place: usize) -> bool {
    match of {
        Some(Population::All) => true,
        Some(Population::Failed) => place == 1,
        _ => place == 0,
    }
}
