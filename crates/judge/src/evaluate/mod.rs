//! The value of an expression of the rule language in one window, with what is needed to judge it.

mod falls;
mod joined;
mod load;
mod metric;
mod over_time;
mod share;
mod units;

pub use falls::Told;
pub(crate) use falls::{Worked, rates_of, span, working_of};
pub(crate) use over_time::{BAND, SETTLED_SAMPLES, spacing};
pub(crate) use units::comparable;
pub use units::{Kind, metric_kind};

use crate::figures::Figures;
use crate::limits::Bracket;
use record::Head;
use stats::memory::{Beside, Memory};
use std::collections::BTreeSet;
use std::rc::Rc;
use study::rule::{Book, Expression, Series, Statistic, Subject, What};
use terms::{Histogram, Nanos};

/// How sure a value is.
#[derive(Clone, Debug, PartialEq)]
pub enum Sureness {
    /// An exact statement about this run.
    Census,
    Share {
        /// With the property.
        hits: Bracket,
        /// Of so many.
        total: u64,
        /// By second, without gaps: hits, all.
        seconds: Vec<(u64, u64)>,
        /// What the same times show of their memory, where hits are a matter of times; turned where hits are what is fast.
        times: Option<Beside>,
    },
    /// A percentile of times. Whether it is below a limit is a statement about the share above it.
    Percentile {
        /// Between 0 and 1.
        quantile: f64,
        times: Histogram,
        /// For each limit that is asked about, how many lie on its low side.
        counted: Vec<CountedLimit>,
        /// What the mean of the times shows of their memory.
        mean: Option<Memory>,
    },
    /// A percentile of the values of a metric.
    MetricPercentile {
        /// Between 0 and 1.
        quantile: f64,
        /// The values in order of time.
        values: Vec<f64>,
    },
    /// A mean with its interval.
    Mean {
        /// Low end.
        low: f64,
        /// High end.
        high: f64,
        design_effect: f64,
        /// How far the ends would lie away for other design effects; `None` where the ends come from elsewhere.
        reach: Option<stats::mean::Reach>,
    },
    /// A mean without one: too few batches.
    MeanWithoutInterval {
        /// Batches with samples, or steps of time.
        batches: u64,
        /// So many are needed: of batches the fewest that tell anything, of steps what the memory asks for.
        needed: u64,
    },
    /// Made of several estimates, or an estimate without a known interval.
    Compound,
}

/// How many times lie on the low side of a limit.
#[derive(Clone, Debug, PartialEq)]
pub struct CountedLimit {
    pub limit: Nanos,
    /// Whether the limit itself counts.
    pub inclusive: bool,
    /// How many lie below.
    pub below: Bracket,
    /// By second, without gaps: not below, all.
    pub seconds: Vec<(u64, u64)>,
}

/// What a statistic came to, with what is needed to judge it.
#[derive(Clone, Debug, PartialEq)]
pub struct Value {
    /// In base units.
    pub value: f64,
    pub kind: Kind,
    /// How sure it is.
    pub sureness: Sureness,
    /// Calls or samples behind it.
    pub count: u64,
    /// Of failures, so many calls more that neither succeeded nor failed, and might have.
    pub unsettled: u64,
    /// What it would be had all of these failed.
    pub had_they_failed: f64,
    /// Whether times of calls that timed out are among those that it is made of: they took longer than is known.
    pub is_censored: bool,
    /// Whether it is a number of the study, not of the run.
    pub is_constant: bool,
    /// Whether it can only grow while a run goes on.
    pub grows: bool,
    /// Whether the rest of a hold that was cut short could have raised it, and it is not `grows`: a throughput.
    pub may_rise: bool,
    /// What else is to be said of it.
    pub told: Option<Told>,
}

impl Value {
    fn new(value: f64, kind: Kind, sureness: Sureness, count: u64) -> Self {
        let (is_censored, is_constant, grows, may_rise) = (false, false, false, false);
        let (unsettled, had_they_failed, told) = (0, value, None);
        Self {
            value,
            kind,
            sureness,
            count,
            unsettled,
            had_they_failed,
            is_censored,
            is_constant,
            grows,
            may_rise,
            told,
        }
    }

    fn census(value: f64, kind: Kind, count: u64) -> Self {
        Self::new(value, kind, Sureness::Census, count)
    }

    fn growing(value: f64, kind: Kind) -> Self {
        Self { grows: true, ..Self::census(value, kind, value.max(0.0) as u64) }
    }
}

/// Why there is no value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NoValue {
    /// Nothing was measured there.
    NoSamples,
    /// Of one instance at least, more than a tenth of the samples is missing.
    SamplesMissing,
    /// Nothing was counted before the load began.
    NotCountedBefore,
    /// Nothing was counted after the load ended.
    NotCountedAfter,
    /// The table that it is made of is left out.
    LeftOut(&'static str),
    /// This version cannot evaluate it.
    NotYet,
    /// Two units that do not go together.
    Units,
    /// What was seen is too short to tell; seconds seen, and seconds needed.
    TooShort { have: u64, need: u64 },
    /// The rate shifts between lasting levels, so that one working rate does not describe it.
    RateShifts,
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
    /// The same window of other scenarios that the rule names.
    pub elsewhere: &'a [Figures],
    /// Restricts `*` and `per exchange`.
    pub exchange: Option<u16>,
    /// Restricts metrics, `per instance`.
    pub instance: Option<&'a str>,
    /// Restricts metrics whose instances are streams, `per stream`; the figures are those of the stream already.
    pub stream: Option<&'a OfStream>,
}

/// One stream among those of its load.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OfStream {
    pub label: String,
    /// Labels of all streams of the load.
    pub all: Rc<BTreeSet<String>>,
}

impl OfStream {
    /// Whether an instance, or one of the labels that its name is made of, is a stream of the load: `None` where it is
    /// not, else whether it is this one.
    pub(crate) fn is_of(&self, instance: &str) -> Option<bool> {
        let label = std::iter::once(instance).chain(instance.split(" / ")).find(|label| self.all.contains(*label))?;
        Some(label == self.label)
    }
}

impl<'a> Evaluator<'a> {
    /// The value of an expression.
    ///
    /// # Errors
    /// Why there is none.
    pub fn expression(&self, expression: &Expression) -> Result<Value, NoValue> {
        match expression {
            Expression::Number(quantity) => Ok(units::constant(quantity)),
            Expression::Statistic(statistic) => self.statistic(statistic),
            Expression::Binary { operator, left, right } => {
                let (left, right) = (self.expression(left)?, self.expression(right)?);
                units::binary(*operator, &left, &right)
            }
        }
    }

    fn statistic(&self, statistic: &Statistic) -> Result<Value, NoValue> {
        if !statistic.conditions.is_empty() {
            return Err(NoValue::NotYet);
        }
        let here = Self { figures: self.figures_of(&statistic.series)?, ..*self };
        here.check_tables(&statistic.series.subject)?;
        match &statistic.series.subject {
            Subject::Exchanges { exchanges, leg, what } => {
                let is_chosen = |number: &u16| self.exchange.is_none_or(|only| only == *number);
                let exchanges: Vec<u16> = exchanges.iter().copied().filter(is_chosen).collect();
                here.of_exchanges(statistic, &load::Of { exchanges: &exchanges, leg: *leg, what: *what })
            }
            Subject::Metric { monitor, metric } => here.of_metric(statistic, monitor, metric),
            _ => Err(NoValue::NotYet),
        }
    }

    /// What a table held that is gone is not zero: nobody knows it.
    fn check_tables(&self, subject: &Subject) -> Result<(), NoValue> {
        let left_out = self.figures.left_out;
        let missing = match subject {
            // The books of iterations know how many were intended.
            Subject::Exchanges { what: What::Book(Book::Intended), .. } => left_out.starts,
            Subject::Exchanges { .. } => left_out.load,
            Subject::Metric { .. } => left_out.watch,
            _ => None,
        };
        missing.map_or(Ok(()), |table| Err(NoValue::LeftOut(table)))
    }

    fn figures_of(&self, series: &Series) -> Result<&'a Figures, NoValue> {
        let scenario = series.scenario.unwrap_or(self.figures.scenario);
        let is_here = scenario == self.figures.scenario
            && (series.part == self.figures.part || matches!(series.subject, Subject::Metric { .. }));
        if is_here {
            return Ok(self.figures);
        }
        let is_there = |figures: &&Figures| (figures.scenario, figures.part) == (scenario, series.part);
        self.elsewhere.iter().find(is_there).ok_or(NoValue::NoSamples)
    }
}
