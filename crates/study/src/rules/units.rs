//! Units of a rule's sums: a share is compared with a share, a time with a time.

use super::draft::{Call, DraftSeries, Sum};
use crate::model::rule::{Book, Comparison, Function, State, Subject, What};
use crate::syntax::arithmetic::{exact, joined_unit};
use contract::{Kind, MetricKind, Mistake, Place, suggestion};
use terms::{Outcome, Quantity, Unit};

/// The unit of a sum; a quotient of equal units may be compared with a number and with a share.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Measured {
    pub(crate) unit: Unit,
    pub(crate) is_ratio: bool,
}

impl Measured {
    pub(crate) fn of(unit: Unit) -> Self {
        Self { unit, is_ratio: false }
    }

    fn fits(&self, other: &Self) -> bool {
        let is_number = |unit: &Unit| matches!(unit, Unit::Count | Unit::Share);
        self.unit == other.unit
            || ((self.is_ratio || other.is_ratio) && is_number(&self.unit) && is_number(&other.unit))
    }
}

/// Joins the units of two sides.
pub(crate) fn join(operator: char, left: &Measured, right: &Measured, place: Place) -> Result<Measured, Mistake> {
    let unit = joined_unit(operator, &left.unit, &right.unit).ok_or_else(|| {
        let (left, right) = (name(&left.unit), name(&right.unit));
        Mistake::at(place, "study::wrong-unit", format!("{left} and {right} cannot be joined by `{operator}`"))
    })?;
    let is_ratio = (operator == '/' && left.unit == right.unit) || (left.is_ratio && right.is_ratio);
    Ok(Measured { unit, is_ratio })
}

/// The mistake when two sides of a comparison have different units.
pub(crate) fn compare(left: &Measured, right: &Measured, sum: &Sum) -> Result<(), Mistake> {
    if left.fits(right) {
        return Ok(());
    }
    let Sum::Number(quantity, place) = sum else {
        let (left, right) = (name(&left.unit), name(&right.unit));
        return Err(Mistake::at(sum.place(), "study::wrong-unit", format!("{left} is compared with {right}")));
    };
    let code = if quantity.unit == Unit::Count { "study::missing-unit" } else { "study::wrong-unit" };
    Err(Mistake::at(*place, code, format!("{} is compared with `{}`", name(&left.unit), exact(quantity)))
        .label(format!("write {}", example(&left.unit, quantity))))
}

fn example(unit: &Unit, quantity: &Quantity) -> String {
    let number = exact(&Quantity::count(quantity.value));
    let is_bare = quantity.unit == Unit::Count;
    match unit {
        Unit::Share if is_bare && quantity.value <= 1.0 => {
            format!("`{}`", exact(&Quantity { value: quantity.value, unit: Unit::Share }))
        }
        Unit::Share if is_bare => format!("`{number}%`"),
        Unit::Share => "a share such as `95%`".into(),
        Unit::Time if is_bare => format!("`{number}ms` or `{number}s`"),
        Unit::Time => "a time such as `300ms`".into(),
        Unit::Bytes if is_bare => format!("`{number}B` or `{number}kB`"),
        Unit::Bytes => "a size such as `8kB`".into(),
        Unit::PerSecond if is_bare => format!("`{number}/s`"),
        Unit::PerSecond => "a rate such as `100/s`".into(),
        Unit::Count => "a plain number such as `0`".into(),
        Unit::Cores => "a number of cores such as `1.5 cores`".into(),
        Unit::Of(of) => format!("a number of {of} such as `10 {of}`"),
        Unit::OfPerSecond(of) => format!("a rate such as `10 {of}/s`"),
    }
}

pub(crate) fn name(unit: &Unit) -> String {
    match unit {
        Unit::Count => "a number".into(),
        Unit::Time => "a time".into(),
        Unit::Bytes => "a size".into(),
        Unit::Share => "a share".into(),
        Unit::PerSecond => "a rate".into(),
        Unit::Cores => "a number of cores".into(),
        Unit::Of(of) => format!("a number of {of}"),
        Unit::OfPerSecond(of) => format!("a rate of {of}"),
    }
}

/// The unit of a constant.
pub(crate) fn of_number(quantity: &Quantity) -> Measured {
    Measured::of(quantity.unit.clone())
}

/// The unit of a statistic, or why the function has no meaning for this series.
pub(crate) fn of_call(call: &Call, subject: &Subject, metric: Option<&MetricKind>) -> Result<Measured, Mistake> {
    match (subject, metric) {
        (Subject::Exchanges { what, .. }, _) => of_exchange(call, *what),
        (Subject::Metric { .. }, Some(metric)) => of_metric(call, metric),
        _ => Err(unfit(call, "it is neither an exchange nor a metric")),
    }
}

fn unfit(call: &Call, why: &str) -> Mistake {
    Mistake::at(
        call.series.place,
        "study::wrong-series",
        format!("`{}({})` has no meaning: {why}", call.word, call.series.text),
    )
}

fn of_exchange(call: &Call, what: What) -> Result<Measured, Mistake> {
    let value = match what {
        What::Response | What::Service | What::Lateness | What::Total => Some(Unit::Time),
        What::Size => Some(Unit::Bytes),
        What::Units => Some(Unit::Count),
        What::Itself => None,
        What::Outcome(_) | What::Failed | What::Book(_) => {
            if call.condition.is_some() || call.of.is_some() {
                let exchange = call.series.segments.first().map_or("x", |(name, _)| name);
                return Err(unfit(call, "how an exchange ended has no size to compare").hint(format!(
                    "write `{}({exchange}.response < 2s)` or `{}({})`",
                    call.word, call.word, call.series.text
                )));
            }
            Some(Unit::Count)
        }
    };
    let series = &call.series.text;
    let is_throughput = matches!(what, What::Itself | What::Outcome(Outcome::Ok) | What::Book(Book::Completed));
    if matches!(call.function, Function::DropAt | Function::Drop | Function::WorkingRate) && !is_throughput {
        return Err(unfit(call, "it looks at what succeeds, second by second")
            .hint(format!("write `{}(x.ok)` or `{}(x.completed)`", call.word, call.word)));
    }
    match call.function {
        Function::Share | Function::Count => {
            let of = if call.function == Function::Share { Unit::Share } else { Unit::Count };
            condition(call, &value.clone().unwrap_or(Unit::Time))?;
            match (&call.condition, &value) {
                (None, Some(Unit::Time | Unit::Bytes)) => {
                    Err(unfit(call, "it is compared with nothing").label("add a limit: `< 2s`"))
                }
                (None, None) if call.function == Function::Share => Err(unfit(call, "it is compared with nothing")
                    .hint(format!(
                        "write `share({series}.response < 2s)`, `share({series}.ok)` or `share({series}.failed)`"
                    ))),
                _ => Ok(Measured::of(of)),
            }
        }
        Function::Rate | Function::WorkingRate | Function::DropAt | Function::Drop => match value {
            Some(Unit::Time | Unit::Bytes) => Err(unfit(call, "a rate counts exchanges")
                .hint("write `rate(x.ok)`, `rate(x.completed)` or `rate(x.started)`")),
            _ if call.condition.is_some() => Err(unfit(call, "a rate has no limit inside")),
            _ if matches!(call.function, Function::Rate | Function::WorkingRate) => Ok(Measured::of(Unit::PerSecond)),
            _ if call.function == Function::Drop => Ok(Measured::of(Unit::Share)),
            _ => Ok(Measured::of(Unit::Count)),
        },
        Function::Percentile(_) | Function::Mean | Function::Min | Function::Max | Function::Sd => match value {
            Some(Unit::Count) => Err(unfit(call, "outcomes are counted and have no size")
                .hint("write `count(x.failed)`, `share(x.failed)`, or a time of them: `p95(x.response of failed)`")),
            _ if call.condition.is_some() => Err(unfit(call, "only `share` and `count` take a limit inside")),
            value => Ok(Measured::of(value.unwrap_or(Unit::Time))),
        },
        _ => Err(unfit(call, "only a watched metric has that").hint("write `monitor.metric`, such as `host.cpu`")),
    }
}

/// Whether the author named it: a number that a query of the study brings.
fn is_named(metric: &MetricKind) -> bool {
    metric.name.is_empty() && metric.unit == Unit::Count
}

fn of_metric(call: &Call, metric: &MetricKind) -> Result<Measured, Mistake> {
    if let Some((_, place)) = call.of {
        return Err(
            Mistake::at(place, "study::wrong-series", "a watched metric has no outcomes").label("remove `of …`")
        );
    }
    let is_level = matches!(metric.kind, Kind::Gauge);
    let own = Measured::of(metric.unit.clone());
    match (call.function, metric.kind) {
        (Function::Share, Kind::Distribution) => match &call.condition {
            Some(_) => condition(call, &metric.unit).map(|()| Measured::of(Unit::Share)),
            None => Err(unfit(call, "it is compared with nothing").label("add a limit: `< 2s`")),
        },
        (Function::Count, Kind::Distribution) if call.condition.is_some() => {
            condition(call, &metric.unit).map(|()| Measured::of(Unit::Count))
        }
        _ if call.condition.is_some() => {
            Err(unfit(call, "only the share and the count of a distribution take a limit inside"))
        }
        (Function::Count, Kind::Counter | Kind::Distribution) => Ok(Measured::of(Unit::Count)),
        // What the author counts by a query is a level to the monitor; its growth is what was counted.
        (Function::Count, Kind::Gauge) if is_named(metric) => Ok(Measured::of(Unit::Count)),
        (Function::Rate, Kind::Gauge) if is_named(metric) => Ok(Measured::of(Unit::PerSecond)),
        (Function::Rate, Kind::Distribution) => Ok(Measured::of(Unit::PerSecond)),
        (Function::Rate | Function::WorkingRate, Kind::Counter) => Ok(Measured::of(a_second(&metric.unit))),
        (Function::DropAt, Kind::Counter) => Ok(own),
        (Function::Drop, Kind::Counter) => Ok(Measured::of(Unit::Share)),
        (Function::DropAt | Function::Drop | Function::WorkingRate, _) => {
            Err(unfit(call, "it is not a counter, and only a counter has a rate that can fall or stall")
                .hint("use a counter, such as the one that `counted_by` names"))
        }
        (Function::Share | Function::Count | Function::Rate, _) => {
            Err(unfit(call, "it is a level, and levels are not counted")
                .hint("write `mean(…)`, `max(…)` or `p95(…)` of it"))
        }
        (Function::Percentile(_) | Function::Mean | Function::Min | Function::Max | Function::Sd, Kind::Counter) => {
            Err(unfit(call, "it is a counter, which only grows").hint("write `count(…)` for its growth, or `rate(…)`"))
        }
        (Function::Last | Function::Growth | Function::DrainTime | Function::SettleTime, _)
            if !is_level && metric.kind != Kind::Counter =>
        {
            Err(unfit(call, "it is a distribution, which has no level"))
        }
        (Function::DrainTime | Function::SettleTime, _) => Ok(Measured::of(Unit::Time)),
        (Function::Slope, _) => Ok(Measured::of(a_second(&metric.unit))),
        _ => Ok(own),
    }
}

/// Whether a state has a meaning for a series: something must be there at each moment.
pub(crate) fn of_state(
    state: State,
    function: Option<(Function, Place)>,
    draft: &DraftSeries,
    subject: &Subject,
    metric: Option<&MetricKind>,
) -> Result<(), Mistake> {
    let text = &draft.text;
    let unfit = |word: &str, why: &str, hint: String| {
        Mistake::at(draft.place, "study::wrong-series", format!("`{word}({text})` has no meaning: {why}")).hint(hint)
    };
    let function = function.map(|(function, _)| function);
    match (state, subject, metric.map(|metric| metric.kind)) {
        (State::Steady, Subject::Exchanges { what, .. }, _) => {
            let is_time = matches!(what, What::Response | What::Service);
            let is_count = matches!(what, What::Outcome(_) | What::Failed | What::Book(_));
            match function {
                Some(Function::Rate) if is_count || *what == What::Itself => Ok(()),
                None | Some(Function::Mean) if is_time || *what == What::Itself => Ok(()),
                Some(Function::Rate) => {
                    Err(unfit("rate", "a rate counts exchanges", "write `steady(rate(x.ok))`".into()))
                }
                _ => Err(unfit("steady", "it is counted", format!("write `steady(rate({text}))`"))),
            }
        }
        (State::Steady, _, Some(Kind::Counter)) if function != Some(Function::Rate) => {
            Err(unfit("steady", "it is a counter, which only grows", format!("write `steady(rate({text}))`")))
        }
        (State::Steady, _, Some(Kind::Gauge | Kind::Distribution)) if function == Some(Function::Rate) => {
            Err(unfit("rate", "it is a level, and levels are not counted", format!("write `steady({text})`")))
        }
        (State::Drained | State::Settled, _, Some(Kind::Gauge)) => Ok(()),
        (State::Drained | State::Settled, ..) => {
            let word = if state == State::Drained { "drained" } else { "settled" };
            Err(unfit(word, "only a watched level has that", "write `monitor.metric`, such as `host.cpu`".into()))
        }
        _ => Ok(()),
    }
}

/// Options of a state, each known to it and in its unit.
pub(crate) fn options(state: State, given: &[(String, Quantity, Place)]) -> Result<Vec<(String, Quantity)>, Mistake> {
    let known: &[(&str, Unit, &str)] = match state {
        State::Steady => &[("growth", Unit::Share, "growth: 10%"), ("horizon", Unit::Time, "horizon: 24h")],
        State::Settled => &[("band", Unit::Share, "band: 5%")],
        _ => &[],
    };
    let mut options: Vec<(String, Quantity)> = Vec::new();
    for (name, value, place) in given {
        let Some((_, unit, example)) = known.iter().find(|(word, ..)| word == name) else {
            let mistake = Mistake::at(*place, "study::unknown-word", format!("there is no option `{name}` here"));
            let names = known.iter().map(|(word, ..)| *word);
            let mistake = match suggestion(name, names.clone()) {
                Some(near) => mistake.label(format!("did you mean `{near}`?")),
                None => mistake.label("remove this"),
            };
            let possible: Vec<&str> = names.collect();
            return Err(if possible.is_empty() {
                mistake
            } else {
                mistake.hint(format!("possible: {}", possible.join(", ")))
            });
        };
        if value.unit != *unit || value.value.is_nan() || value.value <= 0.0 {
            let why = format!("`{name}` is {} above zero", self::name(unit));
            return Err(Mistake::at(*place, "study::wrong-unit", why).label(format!("write `{example}`")));
        }
        if options.iter().any(|(earlier, _)| earlier == name) {
            return Err(
                Mistake::at(*place, "study::rule-syntax", format!("`{name}` is given twice")).label("remove this")
            );
        }
        options.push((name.clone(), value.clone()));
    }
    Ok(options)
}

fn a_second(unit: &Unit) -> Unit {
    match unit {
        Unit::Count => Unit::PerSecond,
        Unit::Time => Unit::Cores,
        Unit::Of(of) => Unit::OfPerSecond(of.clone()),
        Unit::Bytes => Unit::OfPerSecond("bytes".into()),
        other => other.clone(),
    }
}

/// The limit inside `share(…)` has the unit of what it bounds.
fn condition(call: &Call, unit: &Unit) -> Result<(), Mistake> {
    let Some((comparison, limit, place)) = &call.condition else { return Ok(()) };
    if *comparison == Comparison::Equal && limit.unit == *unit {
        return Err(Mistake::at(
            *place,
            "study::wrong-series",
            "a measured time or size is never exactly equal to a limit",
        )
        .label("write `<`, `<=`, `>` or `>=`"));
    }
    compare(&Measured::of(unit.clone()), &of_number(limit), &Sum::Number(limit.clone(), *place))
}
