//! Steps: request accounting, rates, the generator, and the times of every leg.

use super::compared::{Outcome, list, text};
use super::flight;
use super::memory::{SHOWN, Timed};
use super::rows::{Evidence, Span, seconds_within};
use super::times::Times;
use record::{LegRow, OutcomeRow};
use serde_json::Value;
use std::collections::BTreeMap;
use terms::{Books, Nanos, OUTCOMES, Outcome as Class, Population, SparseHistogram};

/// Percentiles of every table, with their names.
pub(super) const QUANTILES: [(&str, f64); 7] =
    [("p50", 0.5), ("p75", 0.75), ("p90", 0.9), ("p95", 0.95), ("p98", 0.98), ("p99", 0.99), ("p99_9", 0.999)];

/// Every step of the result.
pub(super) fn compare(told: &mut Outcome, evidence: &Evidence, result: &Value) {
    if evidence.is_whole {
        compare_requests(told, evidence, result);
    }
    for scenario in list(&result["scenarios"]) {
        for step in list(&scenario["steps"]) {
            match number_of(evidence, text(&scenario["id"]), step) {
                Some(number) => compare_step(told, evidence, number, step),
                None => told.wrong.push(format!("{} is not a step of the run", step["scope"])),
            }
        }
    }
}

/// What each exchange is of all that was planned in the holds, and its time-out.
fn compare_requests(told: &mut Outcome, evidence: &Evidence, result: &Value) {
    let is_held = |span: &&Span| evidence.planned(span.number).phase == "hold";
    let planned = |number: u16| -> f64 {
        let of = |span: &Span| {
            let started = evidence.starts(span.number, number).iter().map(|row| row.started).sum();
            let load = evidence.load_of(span.number)?;
            Some(Evidence::planned_calls(load, number, &evidence.books(span.number), started))
        };
        evidence.spans.iter().filter(is_held).filter_map(of).sum()
    };
    let all: f64 = (0..evidence.head.calls() as u16).map(planned).sum();
    for exchange in list(&result["exchanges"]) {
        let id = text(&exchange["id"]);
        let Some(number) = evidence.exchange(id) else { continue };
        let share = Some(planned(number) / all).filter(|share| *share > 0.0);
        told.of("accounts").exactly(&format!("{id}, share"), &exchange["share"], share);
        let time_out = Nanos(evidence.head.exchanges[usize::from(number)].timeout_ns).as_millis_f64();
        told.of("accounts").number(&format!("{id}, timeout_ms"), &exchange["timeout_ms"], Some(time_out));
    }
}

/// The number of a step of the result among those of the head.
pub(super) fn number_of(evidence: &Evidence, scenario: &str, step: &Value) -> Option<u32> {
    let head = &evidence.head;
    let place = head.steps.iter().position(|known| {
        let of = head.scenarios.get(usize::from(known.scenario));
        of.is_some_and(|of| of.name == scenario)
            && step["id"].as_str() == Some(&known.id)
            && step["repetition"].as_u64() == Some(known.repetition.max(1).into())
            && head.part_of(known) == step["part"].as_str()
    });
    place.and_then(|place| u32::try_from(place).ok())
}

fn compare_step(told: &mut Outcome, evidence: &Evidence, number: u32, step: &Value) {
    let scope = text(&step["scope"]);
    let books = evidence.books(number);
    compare_books(told, scope, step, &books);
    if evidence.is_whole
        && let Some(span) = evidence.span(number)
    {
        told.of("accounts").number(&format!("{scope} open"), &step["open"], Some(books.open() as f64));
        compare_rates(told, evidence, span, step);
        compare_generator(told, evidence, span, step);
    }
    for exchange in list(&step["exchanges"]).iter().chain(list(&step["transactions"])) {
        compare_exchange(told, evidence, number, exchange, scope);
    }
    for stream in list(&step["streams"]) {
        compare_stream(told, evidence, number, stream, scope);
    }
}

fn compare_books(told: &mut Outcome, place: &str, step: &Value, books: &Books) {
    for (key, value) in [
        ("intended", books.intended),
        ("started", books.started),
        ("dropped", books.dropped),
        ("completed", books.completed),
        ("failed", books.failed),
        ("aborted", books.aborted),
    ] {
        told.of("accounts").number(&format!("{place} {key}"), &step[key], Some(value as f64));
    }
}

/// Iterations a second: planned and started over the real length; successful ones in the whole seconds within the step,
/// whichever of the load's steps they were intended in.
fn compare_rates(told: &mut Outcome, evidence: &Evidence, span: &Span, step: &Value) {
    let scope = text(&step["scope"]);
    let (books, length) = (evidence.books(span.number), span.seconds());
    let per_second = |count: u64| if length > 0.0 { count as f64 / length } else { 0.0 };
    let mut rates = told.of("rates");
    rates.number(&format!("{scope} seconds"), &step["seconds"], Some(length));
    rates.number(&format!("{scope} offered_per_s"), &step["offered_per_s"], Some(per_second(books.intended)));
    rates.number(&format!("{scope} achieved_per_s"), &step["achieved_per_s"], Some(per_second(books.started)));
    let throughput = throughput(evidence, span);
    rates.number(&format!("{scope} throughput_per_s"), &step["throughput_per_s"], Some(throughput));
    rates.number(&format!("{scope} judged_from"), &step["judged_from"], Some(0.0));
    let users = evidence.planned(span.number).users.map(f64::from);
    rates.exactly(&format!("{scope} users"), &step["users"], users);
}

/// See [`compare_rates`]; of a step without a whole second all that its own iterations came to, over its length.
pub(super) fn throughput(evidence: &Evidence, span: &Span) -> f64 {
    let seconds = seconds_within(span.from, span.to);
    let ended: u64 = evidence
        .steps_of(evidence.place_of(span.number))
        .flat_map(|other| evidence.iterations(other.number))
        .filter(|row| seconds.contains(&row.end_s))
        .map(|row| row.books.completed)
        .sum();
    match (seconds.end - seconds.start, span.seconds()) {
        (whole, _) if whole > 0 => ended as f64 / whole as f64,
        (_, length) if length > 0.0 => evidence.books(span.number).completed as f64 / length,
        _ => 0.0,
    }
}

/// The generator's lateness, processor share, and what it counted in flight.
fn compare_generator(told: &mut Outcome, evidence: &Evidence, span: &Span, step: &Value) {
    let scope = text(&step["scope"]);
    let seconds = seconds_within(span.from, span.to);
    let calls = evidence.head.calls() as u16;
    let mut lateness = Times::default();
    for exchange in 0..calls {
        evidence.starts(span.number, exchange).iter().for_each(|row| lateness.add(&row.lateness));
    }
    // Of the calls only one for each iteration was scheduled; the others come before it.
    let (scheduled, all) = (evidence.books(span.number).started, lateness.total());
    let is_thinned = scheduled > 0 && scheduled < all;
    let quantile = if is_thinned { 1.0 - 0.01 * scheduled as f64 / all as f64 } else { 0.99 };
    let late = lateness.quantile(quantile).map(Nanos::as_millis_f64);
    let mut generator = told.of("generator");
    generator.number(&format!("{scope} lateness_p99_ms"), &step["generator"]["lateness_p99_ms"], late);
    let is_in = |row: &&record::EngineRow| match seconds.is_empty() {
        true => row.step == span.number,
        false => seconds.contains(&row.second),
    };
    let used: Vec<f64> =
        evidence.engine.iter().filter(is_in).map(|row| row.cpu_s).filter(|cpu| cpu.is_finite()).collect();
    let share = used.iter().map(|cpu| cpu.max(0.0)).sum::<f64>() / used.len() as f64;
    generator.number(&format!("{scope} cpu_share"), &step["generator"]["cpu_share"], Some(share));
    let flight = &step["in_flight"];
    if !flight.is_object() {
        return;
    }
    let (counted, recorded) = (flight::counted(evidence, span), flight::recorded(evidence, span));
    generator.number(&format!("{scope} in flight, counted"), &flight["counted"], Some(counted));
    generator.number(&format!("{scope} in flight, recorded"), &flight["recorded"], Some(recorded));
    generator.number(&format!("{scope} in flight, off"), &flight["off"], Some(recorded / counted - 1.0));
}

/// Planned, started, the legs with their times, and why calls failed.
fn compare_exchange(told: &mut Outcome, evidence: &Evidence, step: u32, exchange: &Value, scope: &str) {
    let id = text(&exchange["id"]);
    let Some(number) = evidence.exchange(id) else {
        told.wrong.push(format!("{scope}: `{id}` is not an exchange of the run"));
        return;
    };
    let started: u64 = evidence.starts(step, number).iter().map(|row| row.started).sum();
    told.of("accounts").number(&format!("{scope}/{id} started"), &exchange["started"], Some(started as f64));
    let books = evidence.books(step);
    let planned = evidence.load_of(step).map(|load| Evidence::planned_calls(load, number, &books, started));
    told.of("accounts").number(&format!("{scope}/{id} intended"), &exchange["intended"], planned);
    for leg in list(&exchange["legs"]) {
        match evidence.leg(number, text(&leg["id"])) {
            Some(at) => compare_leg(told, evidence, (step, number, at), leg, scope),
            None => told.wrong.push(format!("{scope}/{id}: {} is not one of its legs", leg["id"])),
        }
    }
    compare_failures(told, evidence, (step, number), exchange, scope);
    compare_slowest(told, evidence, (step, number), exchange, &format!("{scope}/{id}"));
}

fn classes(rows: &[OutcomeRow]) -> BTreeMap<Class, u64> {
    let mut classes = BTreeMap::new();
    rows.iter().for_each(|row| *classes.entry(row.outcome).or_default() += row.count);
    classes
}

fn compare_leg(
    told: &mut Outcome,
    evidence: &Evidence,
    (step, exchange, at): (u32, u16, u8),
    leg: &Value,
    scope: &str,
) {
    let head = &evidence.head.exchanges[usize::from(exchange)];
    let outcome = text(&leg["outcome"]);
    let place = format!("{scope}/{}/{} {outcome}", head.name, text(&leg["id"]));
    let only = match outcome {
        "ok" => Some(Population::Ok),
        "failed" => Some(Population::Failed),
        _ => None,
    };
    let rows = || {
        let rows = evidence.legs(step, exchange, at).iter();
        rows.filter(move |row| only.is_none_or(|only| row.population == only))
    };
    let count: u64 = rows().map(|row| row.count).sum();
    told.of("counts").number(&format!("{place} count"), &leg["count"], Some(count as f64));
    let classes = classes(evidence.outcomes(step, exchange, at));
    for class in OUTCOMES {
        let is_meant = class.population().map_or(only.is_none(), |own| only.is_none_or(|only| only == own));
        let found = classes.get(&class).filter(|count| is_meant && **count > 0).map(|count| *count as f64);
        told.of("classes").exactly(&format!("{place} {}", class.name()), &leg["classes"][class.name()], found);
    }
    let response: fn(&LegRow) -> &SparseHistogram = |row| &row.response;
    let service: fn(&LegRow) -> &SparseHistogram = |row| &row.service;
    for (name, part) in [("response_ms", response), ("service_ms", service)] {
        compare_times(told, &format!("{place} {name}"), &leg[name], &Timed::of(rows(), part, |second| second));
    }
}

/// All that a population of times is told by.
pub(super) fn compare_times(told: &mut Outcome, place: &str, said: &Value, timed: &Timed) {
    if !said.is_object() {
        return;
    }
    let all = &timed.all;
    let mut times = told.of("times");
    times.number(&format!("{place} mean"), &said["mean"], all.mean_ms());
    times.number(&format!("{place} min"), &said["min"], all.minimum.map(Nanos::as_millis_f64));
    times.number(&format!("{place} max"), &said["max"], all.maximum.map(Nanos::as_millis_f64));
    times.exactly(&format!("{place} sd"), &said["sd"], all.variance().map(f64::sqrt));
    for (key, quantile) in QUANTILES {
        times.number(&format!("{place} {key}"), &said[key], all.quantile(quantile).map(Nanos::as_millis_f64));
    }
    if all.variance().is_none() && all.total() > 1 {
        // Times beyond an hour have no upper end.
        return;
    }
    let mean = timed.mean(SHOWN).map(|(low, high, _)| (low, high));
    let mut intervals = told.of("intervals of times").iterated();
    intervals.pair(&format!("{place} mean"), &said["intervals"]["mean"], mean);
    let of = |(_, quantile): (&str, f64)| all.quantile(quantile).and_then(|value| timed.percentile(quantile, value));
    let own = QUANTILES.map(of);
    for (number, (key, _)) in QUANTILES.into_iter().enumerate() {
        // Each reaches as far up as those of the lower percentiles, and as far down as those of the higher.
        let high = own[..=number].iter().flatten().map(|ends| ends.1).fold(f64::NEG_INFINITY, f64::max);
        let low = own[number..].iter().flatten().map(|ends| ends.0).fold(f64::INFINITY, f64::min);
        intervals.pair(&format!("{place} {key}"), &said["intervals"][key], own[number].map(|_| (low, high)));
    }
}

/// Every class in which calls failed, leg by leg.
/// The ten slowest of each leg, among all that any thread kept of any second.
fn compare_slowest(told: &mut Outcome, evidence: &Evidence, (step, number): (u32, u16), exchange: &Value, place: &str) {
    let legs = &evidence.head.exchanges[usize::from(number)].legs;
    let mut expected = Vec::new();
    for (leg, known) in legs.iter().enumerate() {
        let mut rows = evidence.slowest.get(&(step, number, leg as u8)).cloned().unwrap_or_default();
        rows.sort_by_key(|row| (-row.time.0, row.at.0));
        expected.extend(rows.into_iter().take(10).map(|row| (known.name.clone(), row)));
    }
    let said = list(&exchange["slowest"]);
    if said.len() != expected.len() {
        told.wrong.push(format!("{place}: {} slowest calls, and the rows have {}", said.len(), expected.len()));
    }
    for (said, (leg, row)) in said.iter().zip(expected) {
        told.of("slowest").number(&format!("{place} slowest at_s"), &said["at_s"], Some(row.at.as_secs_f64()));
        told.of("slowest").number(
            &format!("{place} slowest time_ms"),
            &said["time_ms"],
            Some(row.time.as_millis_f64()),
        );
        let trace = row.trace.map(|trace| trace.to_string());
        if (said["leg"].as_str(), said["trace"].as_str()) != (Some(leg.as_str()), trace.as_deref()) {
            told.wrong.push(format!("{place}: the slowest are of another leg or trace: {said}"));
        }
    }
}

fn compare_failures(
    told: &mut Outcome,
    evidence: &Evidence,
    (step, number): (u32, u16),
    exchange: &Value,
    scope: &str,
) {
    let head = &evidence.head.exchanges[usize::from(number)];
    let mut said: BTreeMap<(&str, &str), &Value> = BTreeMap::new();
    for failure in list(&exchange["failures"]) {
        said.insert((text(&failure["leg"]), text(&failure["class"])), &failure["count"]);
    }
    for (leg, kind) in head.legs.iter().enumerate() {
        for (class, count) in classes(evidence.outcomes(step, number, leg as u8)) {
            if count > 0 && !matches!(class, Class::Ok | Class::Aborted | Class::Dropped) {
                let place = format!("{scope}/{}/{} failed as {}", head.name, kind.name, class.name());
                let found = said.remove(&(kind.name.as_str(), class.name())).unwrap_or(&Value::Null);
                told.of("classes").exactly(&place, found, Some(count as f64));
            }
        }
    }
    for ((leg, class), count) in said {
        told.of("classes").exactly(&format!("{scope}/{}/{leg} failed as {class}", head.name), count, None);
    }
}

/// One stream: its accounts, and its legs.
fn compare_stream(told: &mut Outcome, evidence: &Evidence, step: u32, stream: &Value, scope: &str) {
    let label = text(&stream["label"]);
    let labels = evidence.head.streams_of(evidence.planned(step));
    let number = match labels.iter().position(|known| known == label) {
        Some(place) => Some(place as u16),
        None => label.parse::<u16>().ok().and_then(|number| number.checked_sub(1)),
    };
    let mut books = Books::default();
    let own = evidence.iterations(step).iter().filter(|row| Some(row.stream) == number);
    own.for_each(|row| books += row.books);
    compare_books(told, &format!("{scope} stream {label}"), stream, &books);
    for leg in list(&stream["legs"]) {
        let place = format!("{scope} stream {label} {}/{}", text(&leg["exchange"]), text(&leg["id"]));
        let exchange = evidence.exchange(text(&leg["exchange"]));
        let found = exchange.and_then(|exchange| Some((exchange, evidence.leg(exchange, text(&leg["id"]))?)));
        let Some((exchange, at)) = found else {
            told.wrong.push(format!("{place} is not a leg of the run"));
            continue;
        };
        let rows = || evidence.legs(step, exchange, at).iter().filter(|row| Some(row.stream) == number);
        let (mut times, mut counts) = (Times::default(), [0, 0]);
        for row in rows() {
            counts[usize::from(row.population == Population::Failed)] += row.count;
            if row.population == Population::Ok {
                times.add(super::times::response_of(row));
            }
        }
        told.of("counts").number(&format!("{place} ok"), &leg["ok"], Some(counts[0] as f64));
        told.of("counts").number(&format!("{place} failed"), &leg["failed"], Some(counts[1] as f64));
        told.of("times").number(&format!("{place} mean"), &leg["mean_ms"], times.mean_ms());
        told.of("times").number(&format!("{place} max"), &leg["max_ms"], times.maximum.map(Nanos::as_millis_f64));
        let outcomes = evidence.outcomes(step, exchange, at).iter().filter(|row| Some(row.stream) == number);
        let classes = classes(&outcomes.copied().collect::<Vec<_>>());
        for class in OUTCOMES {
            let count = classes.get(&class).filter(|count| **count > 0).map(|count| *count as f64);
            told.of("classes").exactly(&format!("{place} {}", class.name()), &leg["classes"][class.name()], count);
        }
    }
}
