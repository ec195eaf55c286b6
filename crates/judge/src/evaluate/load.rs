//! Statistics of the load: counts, rates, times.

use super::{CountedLimit, Evaluator, Kind, NoValue, Sureness, Value};
use crate::figures::{LegFigures, Second, WholeFigures};
use crate::limits::{Bracket, Timed};
use crate::times::{VERDICT_CONFIDENCE, without_gaps};
use stats::memory::Memory;
use std::collections::BTreeMap;
use study::rule::{Book, Function, Of as Population, Statistic, What};
use terms::{Histogram, Nanos, Outcome};

/// What a statistic looks at.
#[derive(Clone, Copy)]
pub(super) struct Of<'a> {
    pub(super) exchanges: &'a [u16],
    /// The leg, when it was named.
    pub(super) leg: Option<u8>,
    pub(super) what: What,
}

impl Of<'_> {
    /// Its times are those of the first leg, unless one is named.
    pub(super) fn leg(&self) -> u8 {
        self.leg.unwrap_or(0)
    }
}

impl Evaluator<'_> {
    pub(super) fn of_exchanges(&self, statistic: &Statistic, of: &Of<'_>) -> Result<Value, NoValue> {
        match statistic.function {
            Function::Share => self.share(statistic, of),
            Function::Count if statistic.condition.is_some() => self.count_of_condition(statistic, of),
            Function::Count | Function::Rate if of.what == What::Units => self.units(statistic.function, of),
            Function::Count => {
                let unsettled = |number: &u16| self.unsettled(of, *number);
                let unsettled = match statistic.of {
                    None => of.exchanges.iter().map(unsettled).sum::<Result<u64, NoValue>>()?,
                    Some(_) => 0,
                };
                let count = self.count(statistic, of)? as f64;
                let had_they_failed = count + unsettled as f64;
                Ok(Value { unsettled, had_they_failed, ..Value::growing(count, Kind::Count) })
            }
            Function::Rate => self.rate(statistic, of),
            _ if statistic.condition.is_some() => Err(NoValue::NotYet),
            Function::Percentile(quantile) => self.percentile(quantile, statistic, of),
            Function::Mean => self.mean(statistic, of),
            Function::Min | Function::Max | Function::Sd => self.extreme(statistic, of),
            Function::DropAt | Function::WorkingRate => self.over_throughput(statistic.function, of),
            _ => Err(NoValue::NotYet),
        }
    }

    pub(super) fn leg(&self, exchange: u16, leg: u8) -> Option<&LegFigures> {
        self.figures.leg(exchange, leg)
    }

    /// Whether it is an exchange of several legs as a whole.
    pub(super) fn is_whole(&self, of: &Of<'_>, number: u16) -> bool {
        of.leg.is_none() && self.has_several_legs(number)
    }

    fn has_several_legs(&self, number: u16) -> bool {
        self.head.exchanges.get(usize::from(number)).is_some_and(record::ExchangeHead::has_several_legs)
    }

    /// As a whole, "an exchange is ok if all its legs are": an iteration that is this exchange alone says so.
    ///
    /// # Errors
    /// [`NoValue::NotYet`] where iterations carry out more than it: the rows of no leg say it.
    pub(super) fn whole(&self, number: u16) -> Result<WholeFigures, NoValue> {
        self.figures.whole(number).ok_or(NoValue::NotYet)
    }

    /// "Without a leg, an exchange is ok if all its legs are": with several legs that is not in the rows of any one.
    pub(super) fn check_one_leg(&self, of: &Of<'_>) -> Result<(), NoValue> {
        if of.leg.is_none() && of.exchanges.iter().any(|number| self.has_several_legs(*number)) {
            return Err(NoValue::NotYet);
        }
        Ok(())
    }

    /// Calls that timed out among those whose times are asked for, and the least time-out: of each it is known that it took
    /// longer, and no more. `None` of none.
    pub(super) fn cut_off(&self, statistic: &Statistic, of: &Of<'_>) -> Option<(Nanos, u64)> {
        let has_failed = of.what == What::Failed || matches!(statistic.of, Some(Population::All | Population::Failed));
        if !has_failed || Timed::of(of.what) == Some(Timed::Lateness) {
            return None;
        }
        let legs = of.exchanges.iter().filter_map(|number| Some((*number, self.leg(*number, of.leg())?)));
        let cut = |leg: &LegFigures| leg.outcomes[Outcome::Timeout as usize] + leg.outcomes[Outcome::Missing as usize];
        let cut: Vec<(u16, u64)> = legs.map(|(number, leg)| (number, cut(leg))).filter(|(_, cut)| *cut > 0).collect();
        // A transaction has no time-out of its own.
        let known = |number: &u16| self.head.exchanges.get(usize::from(*number)).map(|head| Nanos(head.timeout_ns));
        let own = cut.iter().filter_map(|(number, _)| known(number)).min()?;
        let all = || self.head.exchanges.iter().map(|head| Nanos(head.timeout_ns)).filter(|it| *it > Nanos::ZERO).min();
        let least = if own > Nanos::ZERO { own } else { all().unwrap_or(Nanos::ZERO) };
        Some((least, cut.iter().map(|(_, count)| count).sum()))
    }

    /// Of a figure of failures, how many calls of an exchange more might have failed: see [`crate::figures::Figures::unsettled`].
    /// Of a leg that is not the first, those that were cut off: whether it was due at all is in no row.
    pub(super) fn unsettled(&self, of: &Of<'_>, number: u16) -> Result<u64, NoValue> {
        let is_of_failures = match of.what {
            What::Failed => true,
            What::Outcome(outcome) => outcome.population() == Some(terms::Population::Failed),
            _ => false,
        };
        if !is_of_failures || self.figures.is_live || self.is_apart(of, number) {
            return Ok(0);
        }
        let is_whole = self.is_whole(of, number);
        let leg = self.leg(number, of.leg());
        if of.leg() > 0 || self.figures.is_cut_by_seconds {
            return Ok(leg.map_or(0, |leg| leg.outcomes[Outcome::Aborted as usize].saturating_sub(leg.cut_off)));
        }
        let closed = match is_whole {
            true => self.whole(number)?.counts().iter().sum(),
            false => leg.map_or(0, |leg| leg.ok.count + leg.failed.count),
        };
        let unfinished = self.figures.unfinished(number, (!is_whole).then(|| of.leg()));
        Ok(self.figures.unsettled(number, closed, unfinished))
    }

    /// How many in the window, by the intended start. Exchanges that were planned and never started are `dropped`.
    fn count(&self, statistic: &Statistic, of: &Of<'_>) -> Result<u64, NoValue> {
        let count = |number: &u16| {
            let leg = self.leg(*number, of.leg());
            let is_whole = self.is_whole(of, *number);
            let (ok, failed) = match leg {
                _ if is_whole && !matches!(of.what, What::Book(Book::Intended | Book::Started | Book::Dropped)) => {
                    let [ok, failed] = self.whole(*number)?.counts();
                    (ok, failed)
                }
                leg => leg.map_or((0, 0), |leg| (leg.ok.count, leg.failed.count)),
            };
            // As a whole, each leg that ended so.
            let legs = self.head.exchanges.get(usize::from(*number)).map_or(0, |head| head.legs.len() as u8);
            let legs = if is_whole { 0..legs } else { of.leg()..of.leg() + 1 };
            let class = |outcome: Outcome| -> u64 {
                let closed = legs.clone().filter_map(|leg| self.leg(*number, leg));
                closed.map(|leg| leg.outcomes[outcome as usize]).sum()
            };
            let started = || self.figures.starts.get(number).map_or(0, |starts| starts.started);
            Ok(match of.what {
                What::Itself | What::Outcome(Outcome::Ok) => match statistic.of {
                    Some(Population::Failed) => failed,
                    Some(Population::All) => ok + failed,
                    _ => ok,
                },
                What::Book(Book::Completed) => ok,
                What::Failed => failed,
                What::Outcome(outcome) => class(outcome),
                What::Book(Book::Intended) => self.figures.planned(*number),
                What::Book(Book::Started) => started(),
                // While the run goes on, what was not started yet is not lost.
                What::Book(Book::Dropped) if self.figures.is_live => self.figures.dropped(*number),
                What::Book(Book::Dropped) => {
                    let unfinished = self.figures.unfinished(*number, Some(of.leg()));
                    self.figures.planned(*number).saturating_sub(started()).saturating_sub(unfinished)
                }
                What::Book(Book::Aborted) => class(Outcome::Aborted),
                _ => return Err(NoValue::NotYet),
            })
        };
        of.exchanges.iter().map(count).sum()
    }

    /// Units that answers tell of: as calls are counted, by the intended start for a count, and by the end for a rate.
    fn units(&self, function: Function, of: &Of<'_>) -> Result<Value, NoValue> {
        let legs = || of.exchanges.iter().filter_map(|number| self.leg(*number, of.leg()));
        if function == Function::Count {
            let units: u64 = legs().map(|leg| leg.ok.units).sum();
            return Ok(Value::growing(units as f64, Kind::Count));
        }
        if self.figures.end_seconds <= 0.0 {
            return Err(NoValue::NoSamples);
        }
        let units: u64 = legs().map(|leg| leg.ended_units).sum();
        let calls = legs().map(|leg| leg.ended_ok).sum();
        let value = Value::census(units as f64 / self.figures.end_seconds, Kind::PerSecond, calls);
        Ok(Value { may_rise: true, ..value })
    }

    /// `count(x > 2s)`: exact where the limit was counted; otherwise the bucket's width makes it no count.
    fn count_of_condition(&self, statistic: &Statistic, of: &Of<'_>) -> Result<Value, NoValue> {
        let Sureness::Share { hits, .. } = self.share(statistic, of)?.sureness else { return Err(NoValue::NotYet) };
        if hits.sure != hits.maybe {
            return Err(NoValue::NotYet);
        }
        Ok(Value::growing(hits.sure as f64, Kind::Count))
    }

    /// Of what succeeded, by the second of the end; of everything else, by the intended start.
    fn rate(&self, statistic: &Statistic, of: &Of<'_>) -> Result<Value, NoValue> {
        if statistic.condition.is_some() {
            return Err(NoValue::NotYet);
        }
        let is_throughput = statistic.of.is_none_or(|of| of == Population::Ok)
            && matches!(of.what, What::Itself | What::Outcome(Outcome::Ok) | What::Book(Book::Completed));
        let (count, seconds) = if is_throughput {
            let ended = |number: &u16| {
                if self.is_whole(of, *number) {
                    return Ok(self.whole(*number)?.ended.values().sum());
                }
                Ok(self.leg(*number, of.leg()).map_or(0, |leg| leg.ended_ok))
            };
            (of.exchanges.iter().map(ended).sum::<Result<u64, NoValue>>()?, self.figures.end_seconds)
        } else {
            (self.count(statistic, of)?, self.figures.seconds)
        };
        if seconds <= 0.0 {
            return Err(NoValue::NoSamples);
        }
        // The rest of a hold that was cut short could still have brought what is missing.
        let value = Value::census(count as f64 / seconds, Kind::PerSecond, count);
        Ok(Value { may_rise: is_throughput, ..value })
    }

    /// Times by what the series names: the histogram of all, and each second of each exchange.
    pub(super) fn times(&self, statistic: &Statistic, of: &Of<'_>) -> Result<Times<'_>, NoValue> {
        let population = match (of.what, statistic.of) {
            (What::Failed, None | Some(Population::Failed)) => Population::Failed,
            (What::Failed, _) => return Err(NoValue::NotYet),
            (_, population) => population.unwrap_or(Population::Ok),
        };
        let timed = if of.what == What::Failed { Some(Timed::Response) } else { Timed::of(of.what) };
        let timed = timed.ok_or(NoValue::NotYet)?;
        let mut times = Times { timed, all: Histogram::new(), seconds: Vec::new() };
        for &number in of.exchanges {
            if times.timed == Timed::Lateness {
                if let Some(starts) = self.figures.starts.get(&number) {
                    times.all.merge(&starts.lateness);
                    times.seconds.extend(starts.seconds.iter().map(|(second, starts)| (number, *second, starts)));
                }
                continue;
            }
            let Some(leg) = self.leg(number, of.leg()) else { continue };
            for (chosen, figures, place) in [(Population::Ok, &leg.ok, 0usize), (Population::Failed, &leg.failed, 1)] {
                if population != Population::All && population != chosen {
                    continue;
                }
                let is_service = times.timed == Timed::Service;
                times.all.merge(if is_service { &figures.service } else { &figures.response });
                times.seconds.extend(leg.seconds.iter().map(|(second, both)| (number, *second, &both[place])));
            }
        }
        Ok(times)
    }

    fn percentile(&self, quantile: f64, statistic: &Statistic, of: &Of<'_>) -> Result<Value, NoValue> {
        let times = self.times(statistic, of)?;
        let value = times.all.quantile(quantile).ok_or(NoValue::NoSamples)?;
        let mut counted = self.counted_limits(&times, of);
        let value = sharpened(value, quantile, times.all.total(), &counted);
        let cut_off = self.cut_off(statistic, of);
        if let Some((least, cut)) = cut_off {
            // At and above the time-out nobody knows on which side they are.
            let reached = counted.iter_mut().filter(|counted| counted.limit >= least);
            reached.for_each(|counted| counted.below.sure = counted.below.sure.saturating_sub(cut));
        }
        let count = times.all.total();
        let mean = times.memory();
        let sureness = Sureness::Percentile { quantile, times: times.all, counted, mean };
        let value = Value::new(value.as_secs_f64(), Kind::Time, sureness, count);
        Ok(Value { is_censored: cut_off.is_some(), ..value })
    }

    /// Every limit that was asked about for all of these exchanges.
    fn counted_limits(&self, times: &Times<'_>, of: &Of<'_>) -> Vec<CountedLimit> {
        let leg = if times.timed == Timed::Lateness { 0 } else { of.leg() };
        let limits = |number: u16| self.figures.limits.get(&(number, leg)).map_or(&[][..], Vec::as_slice);
        let Some(&first) = of.exchanges.first() else { return Vec::new() };
        let mut counted = Vec::new();
        for limit in limits(first).iter().filter(|limit| limit.timed == times.timed) {
            let place_in = |number: u16| {
                limits(number).iter().position(|other| {
                    (other.timed, other.limit, other.inclusive) == (limit.timed, limit.limit, limit.inclusive)
                })
            };
            if !of.exchanges.iter().all(|number| place_in(*number).is_some()) {
                continue;
            }
            let mut below = Bracket::default();
            let mut seconds: BTreeMap<i64, (u64, u64)> = BTreeMap::new();
            for (number, second, figures) in &times.seconds {
                let found = place_in(*number).and_then(|place| figures.below.get(place)).copied().unwrap_or_default();
                below += found;
                let entry = seconds.entry(*second).or_default();
                entry.0 += figures.count.saturating_sub(found.sure);
                entry.1 += figures.count;
            }
            let seconds = without_gaps(&seconds);
            counted.push(CountedLimit { limit: limit.limit, inclusive: limit.inclusive, below, seconds });
        }
        counted
    }

    fn mean(&self, statistic: &Statistic, of_calls: &Of<'_>) -> Result<Value, NoValue> {
        let times = self.times(statistic, of_calls)?;
        let count = times.all.total();
        if count == 0 {
            return Err(NoValue::NoSamples);
        }
        let value = times.all.sum_ns() / count as f64 / 1e9;
        let spread = stats::mean::Spread::of_histogram(&times.all);
        let of = |spread: stats::mean::Spread| {
            let mean = stats::mean::by_memory(&times.sums(), spread, VERDICT_CONFIDENCE)?;
            let reach = spread.reach(mean.sample_count, VERDICT_CONFIDENCE);
            Ok((mean, reach))
        };
        let sureness = match spread.and_then(of) {
            // Milliseconds to seconds.
            Ok((mean, reach)) => Sureness::Mean {
                low: mean.low / 1e3,
                high: mean.high / 1e3,
                design_effect: mean.design_effect,
                reach: Some(reach.times(1e-3)),
            },
            Err(stats::StatsError::TooFew { have, need }) => {
                Sureness::MeanWithoutInterval { batches: have, needed: need }
            }
            Err(_) => Sureness::Compound,
        };
        let is_censored = self.cut_off(statistic, of_calls).is_some();
        Ok(Value { is_censored, ..Value::new(value, Kind::Time, sureness, count) })
    }

    fn extreme(&self, statistic: &Statistic, of: &Of<'_>) -> Result<Value, NoValue> {
        let times = self.times(statistic, of)?.all;
        let is_censored = self.cut_off(statistic, of).is_some();
        let value = match statistic.function {
            Function::Min => times.min().map(Nanos::as_secs_f64),
            Function::Max => times.max().map(Nanos::as_secs_f64),
            _ => stats::moments::variance_of_histogram(&times).ok().map(|variance| variance.sqrt() / 1e3),
        };
        let sureness = if statistic.function == Function::Sd { Sureness::Compound } else { Sureness::Census };
        let value = Value::new(value.ok_or(NoValue::NoSamples)?, Kind::Time, sureness, times.total());
        Ok(Value { is_censored: is_censored && statistic.function != Function::Min, ..value })
    }
}

/// Times of some exchanges.
pub(super) struct Times<'a> {
    timed: Timed,
    all: Histogram,
    /// Exchange, second, figures.
    seconds: Vec<(u16, i64, &'a Second)>,
}

impl Times<'_> {
    /// The greatest.
    pub(super) fn max(&self) -> Option<Nanos> {
        self.all.max()
    }

    /// By second, without gaps: how many, and their sum in ms.
    fn sums(&self) -> Vec<(u64, f64)> {
        let mut seconds: BTreeMap<i64, (u64, f64)> = BTreeMap::new();
        for (_, second, figures) in &self.seconds {
            let entry = seconds.entry(*second).or_default();
            entry.0 += figures.count;
            entry.1 += if self.timed == Timed::Service { figures.service_ms } else { figures.response_ms };
        }
        without_gaps(&seconds)
    }

    /// What their mean shows of their memory; `None` where there is too little to see.
    pub(super) fn memory(&self) -> Option<Memory> {
        let variance = stats::moments::variance_of_histogram(&self.all).ok()?;
        Memory::of_sums(&self.sums(), variance).ok()
    }
}

/// The exact counts at limits are finer than buckets: a percentile that is known to lie below a limit is not shown at
/// or above it because its bucket reaches over it, nor the other way round.
fn sharpened(value: Nanos, quantile: f64, total: u64, counted: &[CountedLimit]) -> Nanos {
    let exact = quantile * total as f64;
    let rank = if (exact - exact.round()).abs() < 1e-9 * exact.max(1.0) { exact.round() } else { exact.ceil() };
    let rank = (rank as u64).clamp(1, total.max(1));
    counted.iter().filter(|counted| counted.below.sure == counted.below.maybe).fold(value, |value, counted| {
        let last_low = if counted.inclusive { counted.limit } else { counted.limit - Nanos(1) };
        if counted.below.sure >= rank { value.min(last_low) } else { value.max(last_low + Nanos(1)) }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_percentile_is_shown_on_the_side_on_which_it_was_counted() {
        let at = |below: u64, inclusive| CountedLimit {
            limit: Nanos::from_millis(300),
            inclusive,
            below: Bracket { sure: below, maybe: below },
            seconds: Vec::new(),
        };
        let value = Nanos(300_040_000);
        assert_eq!(sharpened(value, 0.95, 100, &[at(95, false)]), Nanos(299_999_999));
        assert_eq!(sharpened(value, 0.95, 100, &[at(95, true)]), Nanos::from_millis(300));
        assert_eq!(sharpened(Nanos(299_900_000), 0.95, 100, &[at(94, false)]), Nanos::from_millis(300));
        assert_eq!(sharpened(value, 0.95, 100, &[at(94, true)]), value);
    }
}
