//! Load levels, between which loads the limit lies, volumes, ratios, and how busy what was watched was.

use super::compared::{Outcome, list, text};
use super::language::{Clause, Sum, formula};
use super::load::Series;
use super::requirements::{Reader, Value};
use super::rows::{Evidence, Span};
use super::steps::{self, number_of};
use super::times::{Times, response_of};
use super::window::Scope;
use record::{LegPer, MetricHead};
use serde_json::Value as Json;
use std::collections::BTreeMap;
use terms::Population;

/// Utilisation at which a resource counts as saturated.
const SATURATED: f64 = 0.9;
/// Samples of an idle phase that make a level.
const IDLE_FEWEST: usize = 3;
/// Loads that a line of use over throughput takes.
const LEVELS_FEWEST: usize = 3;
/// Two loads closer than this part of them are one.
const SAME_LOAD: f64 = 0.005;
/// Batches of seconds of a rate's interval.
const BATCHES: usize = 30;

/// Lines, volumes, ratios and the resources of every ladder.
pub(super) fn compare(told: &mut Outcome, evidence: &Evidence, result: &Json) {
    let steps = by_scope(evidence, result);
    for line in list(&result["capacity"]["lines"]) {
        compare_line(told, evidence, &steps, line);
    }
    for volume in list(&result["capacity"]["volumes"]) {
        compare_volume(told, evidence, volume, &result["capacity"]["healthiest"]);
    }
    for ratio in list(&result["capacity"]["ratios"]) {
        compare_ratio(told, evidence, ratio);
    }
    for ladder in list(&result["bottlenecks"]) {
        let levels = family_of(evidence, &steps, result, text(&ladder["scope"]));
        compare_resources(told, evidence, &steps, ladder, &levels);
    }
}

/// Steps by what scopes call them.
fn by_scope<'a>(evidence: &Evidence, result: &'a Json) -> BTreeMap<&'a str, u32> {
    let mut found = BTreeMap::new();
    for scenario in list(&result["scenarios"]) {
        for step in list(&scenario["steps"]) {
            found.extend(number_of(evidence, text(&scenario["id"]), step).map(|number| (text(&step["scope"]), number)));
        }
    }
    found
}

/// Users, or planned arrivals a second; where these are not one number, what was intended.
fn load(evidence: &Evidence, span: &Span) -> f64 {
    let planned = evidence.planned(span.number);
    let is_closed = evidence.load_of(span.number).is_some_and(|load| load.model == "closed");
    let constant = planned.offered_from.filter(|from| planned.offered_to == Some(*from) && *from > 0.0);
    let intended = evidence.books(span.number).intended as f64 / span.seconds();
    let users = planned.users.filter(|_| is_closed).map(f64::from);
    users.or(constant).unwrap_or(intended)
}

/// Mean time of an iteration's successful calls, ms. Of calls that are made at once, what they are booked as together.
fn iteration_ms(evidence: &Evidence, step: u32) -> Option<f64> {
    let load = evidence.load_of(step)?;
    if !load.also_alone.is_empty() {
        return None;
    }
    let is_parallel = |number: u16| load.parallel.iter().any(|all| all.calls.contains(&number));
    let is_whole = |number: u16| load.parallel.iter().any(|all| all.transaction == number);
    let (mut sum, mut is_any) = (0.0, false);
    for (number, head) in evidence.head.exchanges.iter().enumerate() {
        let number = number as u16;
        let is_meant = if head.is_transaction { is_whole(number) } else { !is_parallel(number) };
        if !is_meant || Evidence::each(load, number).1 <= 0.0 {
            continue;
        }
        let is_there = |leg: u8| {
            head.legs[usize::from(leg)].per != LegPer::Occasion
                || !evidence.legs(step, number, leg).is_empty()
                || !evidence.outcomes(step, number, leg).is_empty()
        };
        let Some(first) = (0..head.legs.len() as u8).find(|leg| is_there(*leg)) else { continue };
        let mut times = Times::default();
        let ok = evidence.legs(step, number, first).iter().filter(|row| row.population == Population::Ok);
        ok.for_each(|row| times.add(response_of(row)));
        if times.total() > 0 {
            (sum, is_any) = (sum + times.sum_ns / 1e6, true);
        }
    }
    let completed = evidence.books(step).completed;
    (is_any && completed > 0).then(|| sum / completed as f64)
}

fn compare_line(told: &mut Outcome, evidence: &Evidence, steps: &BTreeMap<&str, u32>, line: &Json) {
    let place = format!("capacity of {}", line["scenarios"]);
    let (mut tried, mut is_any): (Vec<(f64, Option<bool>, f64)>, bool) = (Vec::new(), false);
    for level in list(&line["levels"]) {
        let scope = text(&level["scope"]);
        let Some(span) = steps.get(scope).and_then(|number| evidence.span(*number)) else {
            told.wrong.push(format!("{place}: {scope} is not a step of the run"));
            continue;
        };
        let (books, throughput) = (evidence.books(span.number), steps::throughput(evidence, span));
        let load = load(evidence, span);
        let mut levels = told.of("capacity");
        levels.number(&format!("{place}, {scope} load"), &level["load"], Some(load));
        levels.number(&format!("{place}, {scope} throughput"), &level["throughput_per_s"], Some(throughput));
        let ended = (books.completed + books.failed).max(1) as f64;
        levels.number(&format!("{place}, {scope} failed"), &level["failed_share"], Some(books.failed as f64 / ended));
        let time = iteration_ms(evidence, span.number);
        levels.exactly(&format!("{place}, {scope} iteration_ms"), &level["iteration_ms"], time);
        tried.push((load, level["held"].as_bool(), throughput));
        is_any |= books.completed > 0;
    }
    if !is_any {
        tried.iter_mut().for_each(|(_, held, _)| *held = None);
    }
    let of = |held: bool| tried.iter().filter(move |one| one.1 == Some(held)).map(|one| one.0);
    let failed = of(false).reduce(f64::min);
    let held = of(true).filter(|load| failed.is_none_or(|failed| *load < failed)).reduce(f64::max);
    let mut bounds = told.of("capacity");
    bounds.exactly(&format!("{place}, highest_held"), &line["highest_held"], held);
    bounds.exactly(&format!("{place}, lowest_failed"), &line["lowest_failed"], failed);
    let at_held = tried.iter().rev().find(|one| Some(one.0) == held).map(|one| one.2);
    bounds.exactly(&format!("{place}, throughput_per_s"), &line["throughput_per_s"], at_held);
    ["lambda", "sigma", "kappa", "load_at_peak"]
        .iter()
        .for_each(|key| told.leave_out("fitted curves", &line["law"][*key]));
    told.leave_out("fitted curves", &line["knee"]);
}

/// The nearest number with six significant digits.
fn six_digits(value: f64) -> f64 {
    if value == 0.0 || !value.is_finite() {
        return value;
    }
    let places = (5 - value.abs().log10().floor() as i32).clamp(-300, 300);
    let scale = 10f64.powi(places.abs());
    if places >= 0 { (value * scale).round() / scale } else { (value / scale).round() * scale }
}

fn compare_volume(told: &mut Outcome, evidence: &Evidence, volume: &Json, healthiest: &Json) {
    let scope = text(&volume["scope"]);
    let scenario =
        scope.split('/').next().and_then(|name| evidence.head.scenarios.iter().position(|one| one.name == name));
    let is_repeated = scenario.is_some_and(|number| evidence.head.repetitions(number as u16) > 1);
    if is_repeated && list(healthiest).iter().any(|choice| text(&choice["best"]) == scope) {
        ["rate_per_s", "value", "interval"]
            .iter()
            .for_each(|key| told.leave_out("volumes of a healthiest step that was repeated", &volume[*key]));
        return;
    }
    let place = format!("volume {}", text(&volume["id"]));
    let of = |key: &str| volume[key].as_f64().unwrap_or(f64::NAN);
    let seconds = 3600.0 * of("hours") * of("days") / of("peak_factor");
    let read = formula(text(&volume["of"])).and_then(|rule| {
        let scope = Scope::read(evidence, &rule, text(&volume["scope"]))?;
        Some((rule, scope))
    });
    let Some((rule, scope)) = read else {
        ["rate_per_s", "value", "interval"]
            .iter()
            .for_each(|key| told.leave_out("volumes of other formulas", &volume[*key]));
        return;
    };
    let reader = Reader { evidence, rule: &rule, scope: &scope };
    let rate = reader.sum(&rule.clauses[0].sums[0], &rule.clauses[0]).map(|value| six_digits(value.value));
    let mut volumes = told.of("volumes");
    volumes.number(&format!("{place}, rate_per_s"), &volume["rate_per_s"], rate);
    volumes.number(&format!("{place}, value"), &volume["value"], rate.map(|rate| rate * seconds));
    if volume["refused"].is_null() {
        let interval = rate_interval(&reader, &rule.clauses[0]);
        let interval = interval.map(|(low, high)| (low * seconds, high * seconds));
        told.of("volumes").iterated().pair(&format!("{place}, interval"), &volume["interval"], interval);
    }
}

/// The interval of a rate of successes: the seconds' counts in batches, with Student's t.
fn rate_interval(reader: &Reader<'_>, clause: &Clause) -> Option<(f64, f64)> {
    let Sum::Call(call) = &clause.sums[0] else { return None };
    let window = reader.window(call).filter(|_| call.function == "rate")?;
    let counts = Series::of(reader.evidence, &window, &call.names, None)?.ended_by_second()?;
    if counts.len() < 2 * BATCHES {
        return None;
    }
    let mean = |part: &[f64]| part.iter().sum::<f64>() / part.len() as f64;
    let of = |batch: usize| mean(&counts[batch * counts.len() / BATCHES..(batch + 1) * counts.len() / BATCHES]);
    let batches: Vec<f64> = (0..BATCHES).map(of).collect();
    let found = stats::mean::estimate(&batches, super::memory::SHOWN, 1.0).ok()?;
    let (value, half) = (mean(&counts), (found.high - found.low) / 2.0);
    Some(((value - half).max(0.0), value + half))
}

/// The number of an argument with its unit.
fn argument(value: &Json) -> Json {
    value.as_object().and_then(|all| all.values().next()).cloned().unwrap_or_default()
}

/// A ratio and what stands in it. Which scenario it is of is not told: one in which all of it comes out as told.
fn compare_ratio(told: &mut Outcome, evidence: &Evidence, ratio: &Json) {
    let place = format!("ratio {}", text(&ratio["id"]));
    let operands = list(&ratio["operands"]);
    let read = formula(text(&ratio["of"])).filter(|rule| leaves(&rule.clauses[0].sums[0]).len() == operands.len());
    let Some(mut rule) = read else {
        told.leave_out("ratios of which a part has no value", &argument(&ratio["value"]));
        return;
    };
    // What variables come to is told beside the formula.
    let mut texts = operands.iter().map(|operand| text(&operand["of"]));
    fill(&mut rule.clauses[0].sums[0], &mut texts);
    let leaves: Vec<Sum> = leaves(&rule.clauses[0].sums[0]).into_iter().cloned().collect();
    let of = |scenario: usize| -> Vec<Option<Value>> {
        let scope = Scope { scenario, ..Scope::default() };
        let reader = Reader { evidence, rule: &rule, scope: &scope };
        let whole = std::iter::once(&rule.clauses[0].sums[0]);
        leaves.iter().chain(whole).map(|sum| reader.sum(sum, &rule.clauses[0])).collect()
    };
    let said: Vec<Json> =
        operands.iter().map(|operand| argument(&operand["value"])).chain([argument(&ratio["value"])]).collect();
    let distance = |found: &Vec<Option<Value>>| -> f64 {
        let apart = |(said, found): (&Json, &Option<Value>)| match (said.as_f64(), found) {
            (Some(said), Some(found)) => (said - found.told()).abs(),
            (Some(_), None) => f64::MAX / 1e3,
            _ => 0.0,
        };
        said.iter().zip(found).map(apart).sum()
    };
    let scenarios = (0..evidence.head.scenarios.len()).map(of);
    let Some(nearest) = scenarios.min_by(|a, b| distance(a).total_cmp(&distance(b))) else { return };
    for (place_of, (said, found)) in said.iter().zip(nearest).enumerate() {
        let name = operands.get(place_of).map_or("value", |operand| text(&operand["of"]));
        match found {
            Some(found) => told.of("ratios").number(&format!("{place}, {name}"), said, Some(found.told())),
            None => told.leave_out("ratios of other formulas", said),
        }
    }
}

/// Puts numbers in the place of variables.
fn fill<'a>(sum: &mut Sum, texts: &mut impl Iterator<Item = &'a str>) {
    if let Sum::Joined(_, left, right) = sum {
        fill(left, texts);
        fill(right, texts);
    } else if let (Some(text), Sum::Variable) = (texts.next(), &sum)
        && let Ok(quantity) = terms::Quantity::parse(text)
    {
        *sum = Sum::Number(quantity);
    }
}

fn leaves(sum: &Sum) -> Vec<&Sum> {
    match sum {
        Sum::Joined(_, left, right) => [leaves(left), leaves(right)].concat(),
        leaf => vec![leaf],
    }
}

/// Steps of the loads that a ladder's load stands among.
fn family_of(evidence: &Evidence, steps: &BTreeMap<&str, u32>, result: &Json, scope: &str) -> Option<Vec<u32>> {
    let has = |line: &&Json| list(&line["levels"]).iter().any(|level| text(&level["scope"]) == scope);
    let Some(line) = list(&result["capacity"]["lines"]).iter().find(has) else {
        // What ran at one load stands in no line where others ran at several; the loads of a search are told elsewhere.
        let number = *steps.get(scope)?;
        let name = &evidence.head.scenarios[evidence.place_of(number).0].name;
        let mut attempts = list(&result["searches"]).iter().flat_map(|search| list(&search["attempts"]));
        return attempts.all(|attempt| attempt["scenario"] != name.as_str()).then(|| vec![number]);
    };
    let numbers = list(&line["levels"]).iter().filter_map(|level| steps.get(text(&level["scope"])).copied());
    Some(numbers.filter(|number| evidence.span(*number).is_some()).collect())
}

/// Cores of the machine, as they were captured.
fn cores(evidence: &Evidence) -> Option<f64> {
    let head = &evidence.head;
    let names = head.monitors.iter().flat_map(|monitor| &monitor.facts).filter(|fact| fact.role == "cores");
    let mut values = names.flat_map(|fact| {
        let own = head.facts.iter().chain(&head.facts_end);
        own.filter(move |(subject, name, _)| subject != record::STATED && *name == fact.name)
    });
    values.find_map(|(.., value)| value.split(|c: char| !c.is_ascii_digit()).next()?.parse().ok())
}

/// Mean use of a metric's instance in a step, and its maximum, in the metric's own unit; `None` of fewer samples.
fn used(
    evidence: &Evidence,
    (monitor, metric, instance): (u16, u16, &str),
    step: u32,
    fewest: usize,
) -> Option<(f64, f64)> {
    let span = evidence.span(step)?;
    let points = evidence.watched.get(&(monitor, metric, instance.to_owned()))?;
    let is_in = |at: i64| span.from <= at && at < span.to;
    let values: Vec<f64> = points.iter().filter(|(at, _)| is_in(*at)).filter_map(|(_, value)| *value).collect();
    let mean = values.iter().sum::<f64>() / values.len() as f64;
    (values.len() >= fewest).then(|| (mean, values.iter().copied().fold(0.0, f64::max)))
}

fn compare_resources(
    told: &mut Outcome,
    evidence: &Evidence,
    steps: &BTreeMap<&str, u32>,
    ladder: &Json,
    family: &Option<Vec<u32>>,
) {
    let scope = text(&ladder["scope"]);
    let Some(span) = steps.get(scope).and_then(|number| evidence.span(*number)) else { return };
    told.of("capacity").number(&format!("{scope}, load of its ladder"), &ladder["load"], Some(load(evidence, span)));
    let has_roles =
        evidence.head.monitors.iter().flat_map(|known| &known.metrics).any(|metric| !metric.role.is_empty());
    for resource in list(&ladder["resources"]) {
        if !has_roles {
            // Heads of earlier versions do not say which series are processors.
            ["utilisation", "peak", "demand_s", "throughput_at_limit_per_s"].iter().for_each(|key| {
                told.leave_out("use of resources in runs of earlier versions", &resource[*key]);
            });
            continue;
        }
        let name = text(&resource["metric"]);
        let place = format!("{scope}, use of {name} {}", text(&resource["instance"]));
        let Some((key, metric)) = metric_of(evidence, name) else {
            told.wrong.push(format!("{place}: no such metric"));
            continue;
        };
        let is_processor = metric.role == "processor";
        let servers = if is_processor { cores(evidence).unwrap_or(1.0) } else { 1.0 };
        let divisor = if metric.unit == "cores" { servers } else { 1.0 };
        let key = (key.0, key.1, text(&resource["instance"]));
        let found = used(evidence, key, span.number, 1).map(|(mean, peak)| (mean / divisor, peak / divisor));
        let mut uses = told.of("resources");
        uses.exactly(&format!("{place}, utilisation"), &resource["utilisation"], found.map(|found| found.0));
        uses.exactly(&format!("{place}, peak"), &resource["peak"], found.map(|found| found.1));
        let Some(family) = family else {
            told.leave_out("demands on resources in a search", &resource["demand_s"]);
            told.leave_out("demands on resources in a search", &resource["throughput_at_limit_per_s"]);
            continue;
        };
        let busy =
            |step: u32, fewest: usize| used(evidence, key, step, fewest).map(|(mean, _)| mean / divisor * servers);
        let demand = demand(evidence, span, family, &busy, resource["is_idle_included"] == false);
        let at_limit = demand.map(|(demand, idle)| ((SATURATED * servers - idle) / demand).max(0.0));
        let mut uses = told.of("resources");
        uses.number(&format!("{place}, demand_s"), &resource["demand_s"], demand.map(|(demand, _)| demand));
        uses.number(&format!("{place}, throughput_at_limit_per_s"), &resource["throughput_at_limit_per_s"], at_limit);
    }
}

fn metric_of<'a>(evidence: &'a Evidence, name: &str) -> Option<((u16, u16), &'a MetricHead)> {
    evidence.head.monitors.iter().enumerate().find_map(|(number, monitor)| {
        let metric = name.strip_prefix(monitor.name.as_str())?.strip_prefix('.')?;
        let place = monitor.metrics.iter().position(|known| known.name == metric)?;
        Some(((number as u16, place as u16), &monitor.metrics[place]))
    })
}

/// What one iteration takes, seconds of one server, and what is used without any: by the line of least squares over three
/// loads and more, else from what is used above the idle phase.
fn demand(
    evidence: &Evidence,
    span: &Span,
    family: &[u32],
    busy: &dyn Fn(u32, usize) -> Option<f64>,
    is_without_idle: bool,
) -> Option<(f64, f64)> {
    let mut loads: Vec<f64> =
        family.iter().filter_map(|step| evidence.span(*step)).map(|span| load(evidence, span)).collect();
    loads.sort_by(f64::total_cmp);
    loads.dedup_by(|a, b| (*a - *b).abs() <= SAME_LOAD * a.abs().max(b.abs()));
    let points = family.iter().filter_map(|step| {
        let span = evidence.span(*step)?;
        Some((steps::throughput(evidence, span), busy(*step, 1)?))
    });
    let points: Vec<(f64, f64)> = points.collect();
    let count = points.len() as f64;
    let (x, y) = points.iter().fold((0.0, 0.0), |sum, point| (sum.0 + point.0 / count, sum.1 + point.1 / count));
    let xx: f64 = points.iter().map(|point| (point.0 - x).powi(2)).sum();
    if loads.len() >= LEVELS_FEWEST && points.len() >= LEVELS_FEWEST && xx > 1e-24 * count * x * x {
        let slope = points.iter().map(|point| (point.0 - x) * (point.1 - y)).sum::<f64>() / xx;
        return Some((slope, (y - slope * x).max(0.0)));
    }
    let scenario = evidence.place_of(span.number).0;
    let idle = evidence.spans.iter().find(|other| {
        let planned = evidence.planned(other.number);
        planned.phase == "idle" && usize::from(planned.scenario) == scenario
    });
    let idle = idle.and_then(|idle| busy(idle.number, IDLE_FEWEST)).filter(|_| is_without_idle).unwrap_or(0.0);
    let demand = (busy(span.number, 1)? - idle).max(0.0) / steps::throughput(evidence, span);
    Some((demand, idle))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn six_digits_are_kept() {
        assert_eq!(
            [0.0, 103.912_345_6, 1_234_567.0, 0.000_123_456_78].map(six_digits),
            [0.0, 103.912, 1_234_570.0, 0.000_123_457]
        );
    }
}
