//! The value of an expression of the rule language in one window, with what is needed to judge it.

use crate::figures::{Figures, LegFigures};
use crate::times::{BATCHES, CONFIDENCE, without_gaps};
use contract::recorder::Measure;
use record::Head;
use std::collections::BTreeMap;
use study::rule::{Book, Comparison, Expression, Function, Of, Series, Statistic, Subject, What};
use terms::{Histogram, Nanos, Outcome, Quantity, Unit};

/// Unit of an evaluated expression, in base units: seconds, bytes, shares of one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Seconds.
    Time,
    /// A share of one.
    Share,
    /// A count.
    Count,
    /// A second.
    PerSecond,
    /// Bytes.
    Bytes,
    /// Cores.
    Cores,
}

/// How sure a value is.
#[derive(Clone, Debug, PartialEq)]
pub enum Sureness {
    /// An exact statement about this run.
    Census,
    /// A share: good ones of all, and bad ones by second.
    Share {
        /// With the property.
        hits: u64,
        /// Of so many.
        total: u64,
        /// By second, without gaps: hits, all.
        seconds: Vec<(u64, u64)>,
    },
    /// A percentile of times. Whether it is below a limit is a statement about the share above it.
    Percentile {
        /// Which.
        quantile: f64,
        /// The times.
        times: Histogram,
        /// For each exactly counted limit: the limit, whether it is included, how many lie below, by second.
        counted: Vec<CountedLimit>,
        /// Times by second, for other limits: none.
        seconds: BTreeMap<i64, u64>,
    },
    /// A mean with its interval.
    Mean {
        /// Low end.
        low: f64,
        /// High end.
        high: f64,
        /// Design effect.
        design_effect: f64,
    },
    /// A mean without one: too few batches.
    MeanWithoutInterval,
    /// Made of several estimates.
    Compound,
}

/// How many times lie below a limit that the study names.
#[derive(Clone, Debug, PartialEq)]
pub struct CountedLimit {
    /// The limit.
    pub limit: Nanos,
    /// Whether the limit itself counts.
    pub inclusive: bool,
    /// How many lie below, of how many.
    pub below: u64,
    /// By second, without gaps: not below, all.
    pub seconds: Vec<(u64, u64)>,
}

/// A value.
#[derive(Clone, Debug, PartialEq)]
pub struct Value {
    /// In base units.
    pub value: f64,
    /// Its unit.
    pub kind: Kind,
    /// How sure it is.
    pub sureness: Sureness,
    /// Calls or samples behind it.
    pub count: u64,
}

/// Why there is no value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NoValue {
    /// Nothing was measured there.
    NoSamples,
    /// More than a tenth of a monitor's samples is missing.
    SamplesMissing,
    /// This version cannot evaluate it.
    NotYet,
    /// Two units that do not go together.
    Units,
}

/// A monitor with more missing samples than this says nothing that can be relied on.
pub const MISSING_SHARE_MAX: f64 = 0.1;

/// Evaluates expressions in one window.
#[derive(Clone, Copy)]
pub struct Evaluator<'a> {
    /// Names and numbers.
    pub head: &'a Head,
    /// The window's figures.
    pub figures: &'a Figures,
    /// Restricts `*` and `per exchange`.
    pub exchange: Option<u16>,
    /// Restricts metrics, `per instance`.
    pub instance: Option<&'a str>,
}

impl Evaluator<'_> {
    /// The value of an expression.
    ///
    /// # Errors
    /// Why there is none.
    pub fn expression(&self, expression: &Expression) -> Result<Value, NoValue> {
        match expression {
            Expression::Number(quantity) => Ok(constant(quantity)),
            Expression::Statistic(statistic) => self.statistic(statistic),
            Expression::Binary { operator, left, right } => {
                let (left, right) = (self.expression(left)?, self.expression(right)?);
                binary(*operator, &left, &right)
            }
        }
    }

    fn statistic(&self, statistic: &Statistic) -> Result<Value, NoValue> {
        match &statistic.series.subject {
            Subject::Exchanges { exchanges, leg, what } => {
                let chosen: Vec<u16> = exchanges
                    .iter()
                    .copied()
                    .filter(|number| self.exchange.is_none_or(|only| only == *number))
                    .collect();
                self.of_exchanges(statistic, &chosen, leg.unwrap_or(0), *what)
            }
            Subject::Metric { monitor, metric } => self.of_metric(statistic, monitor, metric),
            _ => Err(NoValue::NotYet),
        }
    }

    fn of_exchanges(&self, statistic: &Statistic, exchanges: &[u16], leg: u8, what: What) -> Result<Value, NoValue> {
        match statistic.function {
            Function::Share => self.share(statistic, exchanges, leg, what),
            Function::Count => Ok(census(self.count(exchanges, leg, what) as f64, Kind::Count)),
            Function::Rate => {
                if self.figures.seconds <= 0.0 {
                    return Err(NoValue::NoSamples);
                }
                let count = match what {
                    What::Itself | What::Outcome(Outcome::Ok) => {
                        exchanges.iter().map(|number| self.leg(*number, leg).map_or(0, |leg| leg.ended_ok)).sum()
                    }
                    _ => self.count(exchanges, leg, what),
                };
                Ok(census(count as f64 / self.figures.seconds, Kind::PerSecond))
            }
            Function::Percentile(quantile) => self.percentile(quantile, statistic, exchanges, leg, what),
            Function::Mean => self.mean(statistic, exchanges, leg, what),
            Function::Min | Function::Max | Function::Sd => {
                let times = self.times(exchanges, leg, what, statistic.of.unwrap_or(Of::Ok));
                let value = match statistic.function {
                    Function::Min => times.min().map(Nanos::as_secs_f64),
                    Function::Max => times.max().map(Nanos::as_secs_f64),
                    _ => stats::mean::variance_of_histogram(&times).ok().map(|variance| variance.sqrt() / 1e3),
                };
                let value = value.ok_or(NoValue::NoSamples)?;
                let sureness = if statistic.function == Function::Sd { Sureness::Compound } else { Sureness::Census };
                Ok(Value { value, kind: Kind::Time, sureness, count: times.total() })
            }
            _ => Err(NoValue::NotYet),
        }
    }

    fn leg(&self, exchange: u16, leg: u8) -> Option<&LegFigures> {
        self.figures.legs.get(&(exchange, leg))
    }

    fn count(&self, exchanges: &[u16], leg: u8, what: What) -> u64 {
        let of = |number: &u16| {
            let legs = self.leg(*number, leg);
            match what {
                What::Itself | What::Book(Book::Completed) | What::Outcome(Outcome::Ok) => {
                    legs.map_or(0, |leg| leg.ok.count)
                }
                What::Failed => legs.map_or(0, |leg| leg.failed.count),
                What::Outcome(outcome) => legs.map_or(0, |leg| leg.outcomes[outcome as usize]),
                What::Book(Book::Intended) => self.figures.planned(*number).round() as u64,
                What::Book(Book::Started) => self.figures.starts.get(number).map_or(0, |(started, _)| *started),
                What::Book(Book::Dropped) => {
                    let started = self.figures.starts.get(number).map_or(0, |(started, _)| *started);
                    (self.figures.planned(*number).round() as u64).saturating_sub(started)
                }
                What::Book(Book::Aborted) => legs.map_or(0, |leg| leg.outcomes[Outcome::Aborted as usize]),
                _ => legs.map_or(0, |leg| leg.ok.count + leg.failed.count),
            }
        };
        exchanges.iter().map(of).sum()
    }

    /// Part of all planned, unless `of` says otherwise; what was planned and never came stays in the denominator.
    fn share(&self, statistic: &Statistic, exchanges: &[u16], leg: u8, what: What) -> Result<Value, NoValue> {
        let (mut hits, mut total) = (0u64, 0u64);
        let mut seconds: BTreeMap<i64, (u64, u64)> = BTreeMap::new();
        for &number in exchanges {
            let planned = self.figures.intended.keys().map(|&second| (second, self.figures.planned_in(number, second)));
            let legs = self.leg(number, leg);
            let place = self.threshold_place(number, leg, statistic);
            if statistic.condition.is_some() && place.is_none() {
                return Err(NoValue::NotYet);
            }
            let second_hits = |second: i64| -> u64 {
                let Some(counts) = legs.and_then(|leg| leg.seconds.get(&second)) else { return 0 };
                match (statistic.condition.is_some(), what) {
                    (true, _) => {
                        let place = place.unwrap_or_default();
                        let ok = counts.below.get(place).copied().unwrap_or(0);
                        let failed = counts.below_failed.get(place).copied().unwrap_or(0);
                        let below = match statistic.of {
                            Some(Of::Failed) => failed,
                            Some(Of::All) => ok + failed,
                            _ => ok,
                        };
                        let all = self.population_in(counts, statistic.of);
                        if is_upper(statistic) { all.saturating_sub(below) } else { below }
                    }
                    (false, What::Failed) => counts.failed,
                    _ => counts.ok,
                }
            };
            let is_class =
                matches!(what, What::Outcome(outcome) if outcome != Outcome::Ok) && statistic.condition.is_none();
            for (second, planned) in planned {
                let counts = legs.and_then(|leg| leg.seconds.get(&second));
                let all = match statistic.of {
                    None => planned,
                    of => counts.map_or(0, |counts| self.population_in(counts, of)),
                };
                let found = if is_class { 0 } else { second_hits(second).min(all) };
                let entry = seconds.entry(second).or_default();
                (entry.0, entry.1) = (entry.0 + found, entry.1 + all);
                hits += found;
                total += all;
            }
            if let (true, What::Outcome(outcome)) = (is_class, what) {
                hits += legs.map_or(0, |leg| leg.outcomes[outcome as usize]);
            }
        }
        if total == 0 {
            return Err(NoValue::NoSamples);
        }
        let seconds = without_gaps(&seconds);
        let sureness = Sureness::Share { hits, total, seconds };
        Ok(Value { value: hits as f64 / total as f64, kind: Kind::Share, sureness, count: total })
    }

    fn population_in(&self, counts: &crate::figures::LegSecondFigures, of: Option<Of>) -> u64 {
        match of {
            Some(Of::Failed) => counts.failed,
            Some(Of::All) => counts.ok + counts.failed,
            _ => counts.ok,
        }
    }

    /// Place of a condition's limit among the exactly counted ones.
    fn threshold_place(&self, exchange: u16, leg: u8, statistic: &Statistic) -> Option<usize> {
        let (comparison, quantity) = statistic.condition.as_ref()?;
        let limit = quantity.nanos()?;
        // `> 2s` is counted as what is not `<= 2s`, `>= 2s` as what is not `< 2s`.
        let inclusive = matches!(comparison, Comparison::AtMost | Comparison::Greater);
        self.place_of(exchange, leg, measure_of(&statistic.series), limit, inclusive)
    }

    fn place_of(&self, exchange: u16, leg: u8, measure: Measure, limit: Nanos, inclusive: bool) -> Option<usize> {
        self.figures.thresholds.get(&(exchange, leg))?.iter().position(|threshold| {
            threshold.measure == measure && threshold.limit == limit && threshold.inclusive == inclusive
        })
    }

    fn times(&self, exchanges: &[u16], leg: u8, what: What, of: Of) -> Histogram {
        let mut merged = Histogram::new();
        for &number in exchanges {
            if what == What::Lateness {
                if let Some((_, lateness)) = self.figures.starts.get(&number) {
                    merged.merge(lateness);
                }
                continue;
            }
            let Some(leg) = self.leg(number, leg) else { continue };
            let part = |population: &crate::figures::PopulationFigures| {
                if what == What::Service || population.response.total() == 0 {
                    population.service.clone()
                } else {
                    population.response.clone()
                }
            };
            if of != Of::Failed {
                merged.merge(&part(&leg.ok));
            }
            if of != Of::Ok {
                merged.merge(&part(&leg.failed));
            }
        }
        merged
    }

    fn percentile(
        &self,
        quantile: f64,
        statistic: &Statistic,
        exchanges: &[u16],
        leg: u8,
        what: What,
    ) -> Result<Value, NoValue> {
        let of = statistic.of.unwrap_or(Of::Ok);
        let times = self.times(exchanges, leg, what, of);
        let value = times.quantile(quantile).ok_or(NoValue::NoSamples)?;
        let count = times.total();
        let counted = if of == Of::Ok { self.counted_limits(exchanges, leg, what) } else { Vec::new() };
        let mut seconds: BTreeMap<i64, u64> = BTreeMap::new();
        for leg in exchanges.iter().filter_map(|number| self.leg(*number, leg)) {
            for (second, counts) in &leg.seconds {
                *seconds.entry(*second).or_default() += counts.ok;
            }
        }
        let sureness = Sureness::Percentile { quantile, times, counted, seconds };
        Ok(Value { value: value.as_secs_f64(), kind: Kind::Time, sureness, count })
    }

    /// Every limit that is counted exactly for all of these exchanges.
    fn counted_limits(&self, exchanges: &[u16], leg: u8, what: What) -> Vec<CountedLimit> {
        let measure = if what == What::Service { Measure::Service } else { Measure::Response };
        let Some(first) = exchanges.first().and_then(|number| self.figures.thresholds.get(&(*number, leg))) else {
            return Vec::new();
        };
        let counted = |threshold: &contract::recorder::Threshold| {
            let mut below = 0;
            let mut seconds: BTreeMap<i64, (u64, u64)> = BTreeMap::new();
            for &number in exchanges {
                let place = self.place_of(number, leg, threshold.measure, threshold.limit, threshold.inclusive)?;
                for (second, counts) in self.leg(number, leg).iter().flat_map(|leg| &leg.seconds) {
                    let under = counts.below.get(place).copied().unwrap_or(0);
                    below += under;
                    let entry = seconds.entry(*second).or_default();
                    (entry.0, entry.1) = (entry.0 + (counts.ok - under.min(counts.ok)), entry.1 + counts.ok);
                }
            }
            let seconds = without_gaps(&seconds);
            Some(CountedLimit { limit: threshold.limit, inclusive: threshold.inclusive, below, seconds })
        };
        first.iter().filter(|threshold| threshold.measure == measure).filter_map(counted).collect()
    }

    fn mean(&self, statistic: &Statistic, exchanges: &[u16], leg: u8, what: What) -> Result<Value, NoValue> {
        let of = statistic.of.unwrap_or(Of::Ok);
        let times = self.times(exchanges, leg, what, of);
        if times.total() == 0 {
            return Err(NoValue::NoSamples);
        }
        let value = times.sum_ns() / times.total() as f64 / 1e9;
        let is_by_second =
            of == Of::Ok && !matches!(what, What::Lateness) && (what != What::Service || self.figures.is_closed);
        let sureness =
            if is_by_second { self.mean_interval(exchanges, leg, &times) } else { Sureness::MeanWithoutInterval };
        Ok(Value { value, kind: Kind::Time, sureness, count: times.total() })
    }

    fn mean_interval(&self, exchanges: &[u16], leg: u8, times: &Histogram) -> Sureness {
        let mut seconds: BTreeMap<i64, (u64, f64)> = BTreeMap::new();
        for leg in exchanges.iter().filter_map(|number| self.leg(*number, leg)) {
            for (second, counts) in &leg.seconds {
                let entry = seconds.entry(*second).or_default();
                (entry.0, entry.1) = (entry.0 + counts.ok, entry.1 + counts.sum_ms);
            }
        }
        let seconds = without_gaps(&seconds);
        let variance = stats::mean::variance_of_histogram(times);
        match variance.and_then(|variance| stats::mean::by_batches(&seconds, variance, BATCHES, CONFIDENCE)) {
            Ok(mean) => {
                Sureness::Mean { low: mean.low / 1e3, high: mean.high / 1e3, design_effect: mean.design_effect }
            }
            Err(_) => Sureness::MeanWithoutInterval,
        }
    }

    fn of_metric(&self, statistic: &Statistic, monitor: &str, metric: &str) -> Result<Value, NoValue> {
        let (number, found) =
            self.head.monitors.iter().enumerate().find(|(_, known)| known.name == monitor).ok_or(NoValue::NoSamples)?;
        let (place, kind) =
            found.metrics.iter().enumerate().find(|(_, known)| known.name == metric).ok_or(NoValue::NoSamples)?;
        let series: Vec<_> = self
            .figures
            .samples
            .iter()
            .filter(|((of, which, instance), _)| {
                usize::from(*of) == number
                    && usize::from(*which) == place
                    && self.instance.is_none_or(|only| only == instance)
            })
            .map(|(_, points)| points.as_slice())
            .collect();
        let joined = join(&series, &kind.across)?;
        let unit = metric_kind(&kind.unit);
        let count = joined.len() as u64;
        let of = |value: f64, sureness| Ok(Value { value, kind: unit, sureness, count });
        let values = || joined.iter().map(|(_, value)| *value);
        match statistic.function {
            Function::Max => of(values().fold(f64::NEG_INFINITY, f64::max), Sureness::Census),
            Function::Min => of(values().fold(f64::INFINITY, f64::min), Sureness::Census),
            Function::Last => of(joined[joined.len() - 1].1, Sureness::Census),
            Function::Count | Function::Growth => of(joined[joined.len() - 1].1 - joined[0].1, Sureness::Census),
            Function::Rate => {
                let length = (joined[joined.len() - 1].0 - joined[0].0).as_secs_f64();
                if length <= 0.0 {
                    return Err(NoValue::NoSamples);
                }
                Ok(census((joined[joined.len() - 1].1 - joined[0].1) / length, Kind::PerSecond))
            }
            Function::Mean => {
                let mean = values().sum::<f64>() / joined.len() as f64;
                of(mean, metric_mean(&joined))
            }
            Function::Percentile(quantile) => {
                let mut sorted: Vec<f64> = values().collect();
                sorted.sort_by(f64::total_cmp);
                let value = stats::quantile::nearest_rank(&sorted, quantile).map_err(|_| NoValue::NoSamples)?;
                of(value, Sureness::Compound)
            }
            _ => Err(NoValue::NotYet),
        }
    }
}

fn is_upper(statistic: &Statistic) -> bool {
    matches!(&statistic.condition, Some((Comparison::Greater | Comparison::AtLeast, _)))
}

/// Which time a series means where a time is wanted.
pub fn measure_of(series: &Series) -> Measure {
    match series.subject {
        Subject::Exchanges { what: What::Service, .. } => Measure::Service,
        _ => Measure::Response,
    }
}

fn census(value: f64, kind: Kind) -> Value {
    Value { value, kind, sureness: Sureness::Census, count: 0 }
}

fn constant(quantity: &Quantity) -> Value {
    let kind = match &quantity.unit {
        Unit::Time => Kind::Time,
        Unit::Share => Kind::Share,
        Unit::Bytes => Kind::Bytes,
        Unit::Cores => Kind::Cores,
        Unit::PerSecond | Unit::OfPerSecond(_) => Kind::PerSecond,
        Unit::Count | Unit::Of(_) => Kind::Count,
    };
    census(quantity.value, kind)
}

/// The kind of a metric's unit as the head writes it.
pub fn metric_kind(unit: &str) -> Kind {
    match unit {
        "s" => Kind::Time,
        "share" => Kind::Share,
        "bytes" => Kind::Bytes,
        "cores" => Kind::Cores,
        _ if unit.ends_with("/s") => Kind::PerSecond,
        _ => Kind::Count,
    }
}

fn binary(operator: char, left: &Value, right: &Value) -> Result<Value, NoValue> {
    let is_census = left.sureness == Sureness::Census && right.sureness == Sureness::Census;
    let sureness = if is_census { Sureness::Census } else { Sureness::Compound };
    let (value, kind) = match operator {
        '+' | '-' if left.kind != right.kind => return Err(NoValue::Units),
        '+' => (left.value + right.value, left.kind),
        '-' => (left.value - right.value, left.kind),
        '*' => (left.value * right.value, if left.kind == Kind::Count { right.kind } else { left.kind }),
        _ if right.value == 0.0 => return Err(NoValue::NoSamples),
        _ => (left.value / right.value, if left.kind == right.kind { Kind::Count } else { left.kind }),
    };
    Ok(Value { value, kind, sureness, count: left.count.max(right.count) })
}

/// Joins instances moment by moment (to the second) as the metric says.
fn join(series: &[&[(Nanos, Option<f64>)]], across: &str) -> Result<Vec<(Nanos, f64)>, NoValue> {
    let all: usize = series.iter().map(|points| points.len()).sum();
    let missing: usize = series.iter().map(|points| points.iter().filter(|(_, value)| value.is_none()).count()).sum();
    if all == 0 || missing == all {
        return Err(NoValue::NoSamples);
    }
    if missing as f64 > all as f64 * MISSING_SHARE_MAX {
        return Err(NoValue::SamplesMissing);
    }
    let mut moments: BTreeMap<i64, (Nanos, f64, u32)> = BTreeMap::new();
    for (at, value) in series.iter().flat_map(|points| points.iter()) {
        let Some(value) = value else { continue };
        let entry = moments.entry((at.0 + 500_000_000).div_euclid(1_000_000_000)).or_insert((*at, f64::NAN, 0));
        entry.1 = match across {
            _ if entry.2 == 0 => *value,
            "max" => entry.1.max(*value),
            _ => entry.1 + value,
        };
        entry.2 += 1;
    }
    let is_mean = across == "mean";
    Ok(moments.into_values().map(|(at, sum, n)| (at, if is_mean { sum / f64::from(n) } else { sum })).collect())
}

fn metric_mean(points: &[(Nanos, f64)]) -> Sureness {
    let values: Vec<f64> = points.iter().map(|(_, value)| *value).collect();
    let seconds: Vec<(u64, f64)> = values.iter().map(|value| (1, *value)).collect();
    let variance = stats::mean::variance(&values);
    match variance.and_then(|variance| stats::mean::by_batches(&seconds, variance, BATCHES, CONFIDENCE)) {
        Ok(mean) => Sureness::Mean { low: mean.low, high: mean.high, design_effect: mean.design_effect },
        Err(_) => Sureness::MeanWithoutInterval,
    }
}
