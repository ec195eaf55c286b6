//! Requirements: the measured value beside its limit, how many calls or samples it is of, and its interval.

use super::compared::{Outcome, list, text};
use super::language::{Call, Clause, Rule, Sum, in_unit, rule};
use super::load::Series;
use super::metrics::Metric;
use super::rows::Evidence;
use super::sure::{self, Sure};
use super::window::{Scope, Window, place_of};
use serde_json::Value as Json;
use terms::{Nanos, Unit};

/// What a sum came to; times in seconds.
#[derive(Debug)]
pub(super) struct Value {
    pub(super) value: f64,
    /// Calls or samples behind it.
    pub(super) count: u64,
    pub(super) is_time: bool,
    /// Whether it is a number of the study.
    pub(super) is_constant: bool,
    pub(super) sure: Sure,
}

impl Value {
    fn exact(value: f64, count: u64) -> Self {
        Self { value, count, is_time: false, is_constant: false, sure: Sure::Exactly }
    }

    /// As it is told: times in milliseconds.
    pub(super) fn told(&self) -> f64 {
        if self.is_time { self.value * 1e3 } else { self.value }
    }
}

/// Every requirement of the result that has a value.
pub(super) fn compare(told: &mut Outcome, evidence: &Evidence, result: &Json) {
    for requirement in list(&result["requirements"]) {
        if requirement["value"].is_number() && !compare_one(told, evidence, requirement) {
            for key in ["value", "low", "high", "limit", "design_effect", "holds_up_to"] {
                told.leave_out(
                    "requirements that are states, changes, slopes or of several unlike estimates",
                    &requirement[key],
                );
            }
        }
    }
}

/// Whether it is one of those that are recomputed.
fn compare_one(told: &mut Outcome, evidence: &Evidence, requirement: &Json) -> bool {
    let Some(rule) = rule(text(&requirement["rule"])) else { return false };
    let Some(scope) = Scope::read(evidence, &rule, text(&requirement["scope"])) else { return false };
    let Some(clause) = clause_of(&rule, &requirement["reason_args"]) else { return false };
    let reader = Reader { evidence, rule: &rule, scope: &scope };
    let Some(values) = clause.sums.iter().map(|sum| reader.sum(sum, clause)).collect::<Option<Vec<Value>>>() else {
        return false;
    };
    let Some((value, operator, limit)) = deciding(&values, clause) else { return false };
    let place = format!("{} in {}", text(&requirement["id"]), text(&requirement["scope"]));
    told.of("requirements").number(&format!("{place}, value"), &requirement["value"], Some(value.told()));
    let limit_told = if limit.sure == Sure::Unknown { None } else { Some(limit.told()) };
    if limit_told.is_some() {
        told.of("requirements").number(&format!("{place}, limit"), &requirement["limit"], limit_told);
    } else {
        told.leave_out("limits that only variables of the study say", &requirement["limit"]);
    }
    let count = (value.sure != Sure::Unknown).then_some(value.count as f64);
    if count.is_some() {
        told.of("requirements").number(&format!("{place}, sample_count"), &requirement["sample_count"], count);
    }
    let Some(interval) = sure::interval(value, operator, limit).filter(|_| limit_told.is_some()) else {
        ["low", "high", "design_effect", "holds_up_to"].iter().for_each(|key| {
            told.leave_out("intervals of estimates that are joined or have none", &requirement[*key]);
        });
        return true;
    };
    let factor = if value.is_time { 1e3 } else { 1.0 };
    let mut intervals = told.of("intervals of requirements").iterated();
    for (key, found) in [("low", interval.low), ("high", interval.high)] {
        intervals.number(&format!("{place}, {key}"), &requirement[key], found.map(|found| found * factor));
    }
    intervals.number(&format!("{place}, design_effect"), &requirement["design_effect"], interval.design_effect);
    intervals.number(&format!("{place}, holds_up_to"), &requirement["holds_up_to"], interval.holds_up_to);
    true
}

/// The clause whose figures are told: the only one, or the one that the reason names.
fn clause_of<'a>(rule: &'a Rule, args: &Json) -> Option<&'a Clause> {
    let named = ["decided_by", "shown_of"].iter().find_map(|name| args[*name]["text"].as_str());
    match (&rule.clauses[..], named) {
        ([only], _) => Some(only),
        (all, Some(named)) => all.iter().find(|clause| clause.text == named),
        _ => None,
    }
    .filter(|clause| !clause.sums.is_empty())
}

/// Value, operator and limit: of several that must be equal those of the first pair that is not, else of the last.
fn deciding<'a>(values: &'a [Value], clause: &'a Clause) -> Option<(&'a Value, &'a str, &'a Value)> {
    let pairs = || values.windows(2).zip(&clause.operators);
    let is_apart = |(pair, _): &(&[Value], &String)| {
        let (left, right) = (pair[0].value, pair[1].value);
        (left - right).abs() > 1e-9 * right.abs().max(1.0)
    };
    let several = values.len() > 2;
    let (pair, operator) = pairs().find(|pair| several && is_apart(pair)).or_else(|| pairs().next_back())?;
    let (left, right) = (&pair[0], &pair[1]);
    // The estimated side is the value, the other its limit.
    let is_turned = !right.sure.is_exact() || (left.is_constant && !right.is_constant);
    Some(if is_turned { (right, turned(operator), left) } else { (left, operator.as_str(), right) })
}

/// The operator seen from the other side.
fn turned(operator: &str) -> &str {
    match operator {
        "<" => ">",
        "<=" => ">=",
        ">" => "<",
        ">=" => "<=",
        other => other,
    }
}

/// Evaluates the sums of a rule in one scope.
pub(super) struct Reader<'a> {
    pub(super) evidence: &'a Evidence,
    pub(super) rule: &'a Rule,
    pub(super) scope: &'a Scope,
}

impl Reader<'_> {
    /// `None` where it holds something that is not recomputed.
    pub(super) fn sum(&self, sum: &Sum, clause: &Clause) -> Option<Value> {
        match sum {
            Sum::Number(quantity) => {
                let is_time = quantity.unit == Unit::Time;
                let value = if is_time { in_unit(quantity) / 1e3 } else { quantity.value };
                Some(Value { is_time, is_constant: true, ..Value::exact(value, 0) })
            }
            Sum::Variable => Some(Value { is_constant: true, sure: Sure::Unknown, ..Value::exact(0.0, 0) }),
            Sum::Call(call) => self.call(call, clause),
            // What a variable of the study stands for is not known here: a figure that it is joined with is left out, not
            // told as zero. A limit is left out by whoever compares.
            Sum::Joined(_, left, right)
                if !sum.calls().is_empty() && [left, right].iter().any(|side| matches!(***side, Sum::Variable)) =>
            {
                None
            }
            Sum::Joined(operator, left, right) => {
                let (left, right) = (self.sum(left, clause)?, self.sum(right, clause)?);
                joined(*operator, &left, &right)
            }
        }
    }

    /// The window of a call's series.
    pub(super) fn window(&self, call: &Call) -> Option<Window> {
        let (scenario, part) = (self.scope.scenario, self.scope.part);
        let mut place = place_of(self.evidence, call, (scenario, part))?;
        let is_metric = self.evidence.head.monitors.iter().any(|monitor| monitor.name == call.names[0]);
        if is_metric && place.0 == scenario {
            // What is watched is of the whole.
            place = (scenario, part);
        }
        let mut window = Window::of(self.evidence, self.rule, self.scope, place);
        if let Some(label) = &self.scope.stream {
            let first = window
                .steps
                .iter()
                .find(|step| !self.evidence.head.streams_of(self.evidence.planned(**step)).is_empty())?;
            let labels = self.evidence.head.streams_of(self.evidence.planned(*first));
            window.stream = Some(u16::try_from(labels.iter().position(|known| known == label)?).ok()?);
        }
        Some(window)
    }

    fn call(&self, call: &Call, clause: &Clause) -> Option<Value> {
        let window = self.window(call)?;
        if window.steps.is_empty() {
            return None;
        }
        let name = call.names[0].as_str();
        let only = (self.scope.instance.as_deref(), self.scope.stream.as_deref());
        let is_drain = call.function == "drain_time";
        if let Some(names) = self.evidence.derived(&call.names, is_drain) {
            let metric = Metric::of(self.evidence, &window, &names, (None, None))?;
            return if is_drain { self.drain_time(&metric) } else { self.of_metric(&metric, call) };
        }
        if let Some(names) = self.evidence.counted_by(&call.names) {
            let metric = Metric::of(self.evidence, &window, &names, only)?;
            return self.of_metric(&metric, call);
        }
        if let Some(value) = self.of_units(&window, call, clause) {
            return Some(value);
        }
        if name == "*" || self.evidence.exchange(name).is_some() {
            let series = Series::of(self.evidence, &window, &call.names, self.scope.exchange)?;
            return self.of_load(&series, call, clause);
        }
        let metric = Metric::of(self.evidence, &window, &call.names, only)?;
        if is_drain { self.drain_time(&metric) } else { self.of_metric(&metric, call) }
    }

    /// How long it took after each load until nothing was left, the longest of all repetitions. Where something was left
    /// when the next load began, it took longer than that, nobody knows how long.
    fn drain_time(&self, metric: &Metric<'_>) -> Option<Value> {
        let drained = metric.drained()?;
        let sure = if drained.is_over { Sure::Exactly } else { Sure::AtLeast };
        Some(Value { is_time: true, sure, ..Value::exact(drained.seconds, drained.count) })
    }

    /// Units that exchanges carry: each as often as it succeeded, times what one carries in the scenario.
    fn of_units(&self, window: &Window, call: &Call, clause: &Clause) -> Option<Value> {
        let [name, .., unit] = call.names.as_slice() else { return None };
        let head = &self.evidence.head;
        let is_meant = |carried: &&record::CarriedHead| {
            let is_named = name == "*" || self.evidence.exchange(name) == Some(carried.exchange);
            carried.unit == *unit && is_named
        };
        let carried = head.scenarios.get(window.place.0)?.carries.iter().filter(is_meant);
        let mut sum: Option<Value> = None;
        for carried in carried {
            let mut names = call.names[..call.names.len() - 1].to_vec();
            names[0].clone_from(&head.exchanges[usize::from(carried.exchange)].name);
            let series = Series::of(self.evidence, window, &names, self.scope.exchange)?;
            let value = match carried.count {
                Some(count) => {
                    let calls = self.of_load(&series, call, clause)?;
                    Value { value: calls.value * count as f64, ..calls }
                }
                None => {
                    let (value, count) = series.units_said(call.function == "rate")?;
                    Value::exact(value, count)
                }
            };
            sum = Some(match sum {
                Some(before) => joined('+', &before, &value)?,
                None => value,
            });
        }
        sum
    }

    fn of_load(&self, series: &Series<'_>, call: &Call, clause: &Clause) -> Option<Value> {
        let of = call.of.as_deref();
        match call.function.as_str() {
            "share" => {
                let share = series.share(call)?;
                let value = share.hits.sure as f64 / share.total as f64;
                let count = share.total;
                let sure = sure::of_share(series, call, share);
                Some(Value { sure, ..Value::exact(value, count) })
            }
            "count" if call.condition.is_some() => {
                let hits = series.share(call)?.hits;
                (hits.sure == hits.maybe).then(|| Value::exact(hits.sure as f64, hits.sure))
            }
            "count" => series.count(of).map(|count| Value::exact(count as f64, count)),
            "rate" if call.condition.is_none() => series.rate(of).map(|(rate, count)| Value::exact(rate, count)),
            _ if call.condition.is_some() => None,
            "mean" => {
                let timed = series.times(of)?;
                let (value, count) = (timed.all.mean_ms()? / 1e3, timed.all.total());
                Some(Value { is_time: true, sure: sure::of_mean(&timed), ..Value::exact(value, count) })
            }
            "min" | "max" => {
                let all = series.times(of)?.all;
                let time = if call.function == "min" { all.minimum? } else { all.maximum? };
                Some(Value { is_time: true, ..Value::exact(time.as_secs_f64(), all.total()) })
            }
            "sd" => {
                let all = series.times(of)?.all;
                let value = all.variance()?.sqrt() / 1e3;
                Some(Value { is_time: true, sure: Sure::Nothing, ..Value::exact(value, all.total()) })
            }
            _ => {
                let quantile = call.quantile()?;
                let timed = series.times(of)?;
                let mut value = timed.all.quantile(quantile)?;
                for limit in limits_of(self.rule, call) {
                    value = series.sharpened(value, quantile, Some(limit), of);
                }
                let count = timed.all.total();
                let limit = limit_beside(clause, call);
                let below = limit.and_then(|(limit, is_inclusive)| series.below(limit, is_inclusive, of));
                let sure = Sure::Percentile { quantile, timed, below };
                Some(Value { is_time: true, sure, ..Value::exact(value.as_secs_f64(), count) })
            }
        }
    }

    fn of_metric(&self, metric: &Metric<'_>, call: &Call) -> Option<Value> {
        let found = metric.statistic(call)?;
        let is_time = metric.head.unit == "s" && !matches!(call.function.as_str(), "share" | "count" | "rate");
        let sure = match (call.function.as_str(), found.values, found.seconds) {
            ("mean", Some(values), _) => sure::of_values(values),
            ("sd", ..) => Sure::Nothing,
            (_, Some(values), _) => Sure::MetricPercentile { quantile: call.quantile()?, values },
            (_, _, Some(seconds)) => sure::of_counts(&seconds),
            _ => Sure::Exactly,
        };
        Some(Value { is_time, sure, ..Value::exact(found.value, found.count) })
    }
}

/// Two values joined: exact where both are.
fn joined(operator: char, left: &Value, right: &Value) -> Option<Value> {
    let value = match operator {
        '+' => left.value + right.value,
        '-' => left.value - right.value,
        '*' => left.value * right.value,
        _ => left.value / right.value,
    };
    let is_time = match operator {
        '+' | '-' => left.is_time,
        // A rate times a time is a count, as is a time over a time.
        '*' => left.is_time != right.is_time && !left.is_rate_of(right),
        _ => left.is_time && !right.is_time,
    };
    let is_unknown = left.sure == Sure::Unknown || right.sure == Sure::Unknown;
    let is_exact = left.sure.is_exact() && right.sure.is_exact();
    let sure = match (is_unknown, is_exact) {
        (true, _) => Sure::Unknown,
        (_, true) => Sure::Exactly,
        _ => Sure::Nothing,
    };
    let count = left.count.max(right.count);
    value.is_finite().then_some(Value {
        value,
        count,
        is_time,
        is_constant: left.is_constant && right.is_constant,
        sure,
    })
}

impl Value {
    /// Whether one of two factors is neither a number of the study nor a time: a rate, of which the product is a count.
    fn is_rate_of(&self, other: &Self) -> bool {
        (self.is_time && !other.is_constant) || (other.is_time && !self.is_constant)
    }
}

/// The limit that stands beside a percentile, and whether it counts as kept itself: `> x` is what is not `<= x`.
fn limit_beside(clause: &Clause, call: &Call) -> Option<(Nanos, bool)> {
    clause.sums.windows(2).zip(&clause.operators).find_map(|(pair, operator)| {
        let (limit, operator) = match (&pair[0], &pair[1]) {
            (Sum::Call(own), Sum::Number(limit)) if own == call => (limit, operator.as_str()),
            (Sum::Number(limit), Sum::Call(own)) if own == call => (limit, turned(operator)),
            _ => return None,
        };
        Some((limit.nanos()?, matches!(operator, "<=" | ">")))
    })
}

/// Every limit that the rule names for the times of a series, in a condition or beside a percentile.
fn limits_of(rule: &Rule, of: &Call) -> Vec<(Nanos, bool)> {
    let mut found = Vec::new();
    for clause in &rule.clauses {
        for call in clause.sums.iter().flat_map(Sum::calls) {
            if (&call.names, &call.places) == (&of.names, &of.places) {
                found.extend(call.limit().map(|(operator, limit)| (limit, matches!(operator, "<=" | ">"))));
                found.extend(call.quantile().and_then(|_| limit_beside(clause, call)));
            }
        }
    }
    found
}
