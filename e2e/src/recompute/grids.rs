//! Cells of grids, and attempts of searches.

use super::compared::{Outcome, list, text};
use super::exact::limits_at;
use super::language::formula;
use super::memory::{SHOWN, Timed, listed_counts};
use super::requirements::Reader;
use super::rows::{Evidence, Span, joined};
use super::steps::{compare_times, throughput};
use super::times::response_of;
use super::window::Scope;
use record::LegPer;
use serde_json::Value;
use stats::memory::Memory;
use std::collections::{BTreeMap, BTreeSet};
use terms::{Books, Population};

/// Confidence of what stands behind "no error", one-sided.
const SURE: f64 = 0.95;

/// Every cell and attempt of the result.
pub(super) fn compare(told: &mut Outcome, evidence: &Evidence, result: &Value) {
    for grid in list(&result["grids"]) {
        for cell in list(&grid["cells"]) {
            compare_cell(told, evidence, cell);
        }
        for line in list(&grid["lines"]) {
            compare_sure(told, grid, line);
        }
    }
    for search in list(&result["searches"]) {
        for attempt in list(&search["attempts"]) {
            if attempt["run"].is_string() {
                for key in ["load", "throughput_per_s", "by_per_s", "failed_share", "seconds"] {
                    told.leave_out("attempts that were taken over from another run", &attempt[key]);
                }
                continue;
            }
            compare_attempt(told, evidence, attempt);
            compare_by(told, evidence, text(&search["by"]), attempt);
            let growth = &attempt["growth"];
            ["actual_percent", "target_percent", "actual_exact", "target_exact"].iter().for_each(|key| {
                told.leave_out("ratings of a search by steps", &growth[*key]);
            });
        }
        compare_bounds(told, search);
    }
}

/// Holds of a scenario with something planned.
fn holds<'a>(evidence: &'a Evidence, scenario: &str) -> Vec<&'a Span> {
    let number = evidence.head.scenarios.iter().position(|known| known.name == scenario);
    let is_hold = |span: &&Span| evidence.planned(span.number).phase == "hold" && span.to > span.from;
    let of = |number: usize| evidence.steps_of((number, None)).filter(is_hold).collect();
    number.map_or_else(Vec::new, of)
}

/// What one repetition of a cell came to.
struct Round {
    seconds: f64,
    planned: u64,
    errors: u64,
    delivered: f64,
    by_second: Vec<(u64, u64)>,
}

fn rounds(evidence: &Evidence, holds: &[&Span]) -> Vec<Round> {
    let numbers: BTreeSet<u32> = holds.iter().map(|span| evidence.repetition(span.number)).collect();
    let of = |repetition: u32| {
        let own: Vec<&Span> =
            holds.iter().copied().filter(|span| evidence.repetition(span.number) == repetition).collect();
        let stretches = joined(own.iter().map(|span| span.from..span.to).collect());
        let seconds: f64 = stretches.iter().map(|stretch| (stretch.end - stretch.start) as f64 / 1e9).sum();
        let mut by_second: BTreeMap<i64, (u64, u64)> = BTreeMap::new();
        for row in own.iter().flat_map(|span| evidence.iterations(span.number)) {
            let second = by_second.entry(row.intended_s).or_default();
            *second = (second.0 + row.books.failed + row.books.dropped, second.1 + row.books.intended);
        }
        by_second.values_mut().for_each(|(errors, all)| *errors = (*errors).min(*all));
        let books: Vec<Books> = own.iter().map(|span| evidence.books(span.number)).collect();
        Round {
            seconds,
            planned: books.iter().map(|books| books.intended).sum(),
            errors: books.iter().map(|books| books.failed + books.dropped).sum(),
            delivered: own.iter().map(|span| throughput(evidence, span) * span.seconds()).sum(),
            by_second: listed_counts(&by_second),
        }
    };
    numbers.into_iter().map(of).collect()
}

fn compare_cell(told: &mut Outcome, evidence: &Evidence, cell: &Value) {
    let name = text(&cell["scenario"]);
    let holds: Vec<&Span> =
        holds(evidence, name).into_iter().filter(|span| evidence.books(span.number).intended > 0).collect();
    let rounds = rounds(evidence, &holds);
    let sum = |of: fn(&Round) -> f64| rounds.iter().map(of).sum::<f64>();
    let count = rounds.len() as f64;
    let (planned, errors) = (sum(|round| round.planned as f64), sum(|round| round.errors as f64));
    let ok: u64 = holds.iter().map(|span| evidence.books(span.number).completed).sum();
    let mean_rate = |of: fn(&Round) -> f64| rounds.iter().map(|round| of(round) / round.seconds).sum::<f64>() / count;
    let mut cells = told.of("grids");
    for (key, value) in [
        ("repetitions", count),
        ("seconds", sum(|round| round.seconds)),
        ("planned", planned),
        ("ok", ok as f64),
        ("errors", errors),
        ("offered_per_s", mean_rate(|round| round.planned as f64)),
        ("delivered_per_s", mean_rate(|round| round.delivered)),
    ] {
        cells.number(&format!("cell {name}, {key}"), &cell[key], Some(value));
    }
    let share = errors.min(planned) / planned;
    cells.number(&format!("cell {name}, error_share"), &cell["error_share"]["value"], Some(share));
    let delivered: Vec<f64> = rounds.iter().map(|round| round.delivered / round.seconds).collect();
    let mut intervals = told.of("intervals of grids").iterated();
    let place = format!("cell {name}, delivered");
    intervals.pair(
        &place,
        &cell["delivered_interval"],
        over_rounds(&delivered).map(|(low, high)| (low.max(0.0), high)),
    );
    let place = format!("cell {name}, error_share");
    intervals.pair(&place, &cell["error_share"]["interval"], error_interval(&rounds));
    let ramp = ramp(evidence, name, holds.first().map_or(1, |span| evidence.repetition(span.number)));
    told.of("grids").number(&format!("cell {name}, ramp_s"), &cell["ramp_s"], Some(ramp));
    compare_connections(told, evidence, (name, rounds.len()), cell);
    compare_cell_times(told, evidence, &holds, cell);
    ["count", "wrong", "error_share"]
        .iter()
        .for_each(|key| told.leave_out("messages that were sent", &cell["sent"][*key]));
}

/// Length of the ramp as it was planned, once.
fn ramp(evidence: &Evidence, scenario: &str, repetition: u32) -> f64 {
    let is_ramp = |step: &&record::StepHead| {
        evidence.head.scenarios.get(usize::from(step.scenario)).is_some_and(|own| own.name == scenario)
            && step.repetition.max(1) == repetition
            && step.phase == "ramp"
            && step.part.unwrap_or(0) == 0
    };
    evidence.head.steps.iter().filter(is_ramp).filter_map(|step| step.seconds).sum()
}

/// Student's interval over repetitions; none of one, and of equal ones.
fn over_rounds(values: &[f64]) -> Option<(f64, f64)> {
    let found = stats::mean::estimate(values, SHOWN, 1.0).ok()?;
    (found.low < found.high).then_some((found.low, found.high))
}

fn error_interval(rounds: &[Round]) -> Option<(f64, f64)> {
    let (errors, planned) = rounds.iter().fold((0, 0), |sum, round| (sum.0 + round.errors, sum.1 + round.planned));
    let errors = errors.min(planned);
    let alpha = (1.0 - SHOWN) / 2.0;
    let exact = |effects: stats::memory::Effects| limits_at(errors, planned, effects, alpha);
    if planned == 0 {
        return None;
    }
    if errors == 0 || errors == planned {
        return Some(exact(1.0.into()));
    }
    if let [only] = rounds {
        let memory = Memory::of_share(&only.by_second).ok()?.checked().ok()?;
        return Some(exact(memory.effects(SHOWN)));
    }
    let shares: Vec<f64> = rounds.iter().map(|round| round.errors as f64 / round.planned.max(1) as f64).collect();
    let own = exact(1.0.into());
    let (low, high) = over_rounds(&shares).map_or(own, |(low, high)| (low.max(0.0), high));
    Some((low.min(own.0), high.max(own.1).min(1.0)))
}

/// Connections of all steps: what is there once for each of them is opened by its first leg of that kind.
fn compare_connections(told: &mut Outcome, evidence: &Evidence, (name, rounds): (&str, usize), cell: &Value) {
    let Some(number) = evidence.head.scenarios.iter().position(|known| known.name == name) else { return };
    let (mut opened, mut failed) = (0, 0);
    for span in evidence.steps_of((number, None)) {
        for (exchange, head) in evidence.head.exchanges.iter().enumerate() {
            let Some(leg) = head.legs.iter().position(|leg| leg.per == LegPer::Connection) else { continue };
            for row in evidence.legs(span.number, exchange as u16, leg as u8) {
                let count = if row.population == Population::Ok { &mut opened } else { &mut failed };
                *count += row.count;
            }
        }
    }
    let planned = evidence.head.scenarios[number].connections.map(|planned| f64::from(planned) * rounds as f64);
    let told_of = &cell["connections"];
    let mut cells = told.of("grids");
    cells.number(&format!("cell {name}, connections planned"), &told_of["planned"], planned);
    cells.number(&format!("cell {name}, connections attempted"), &told_of["attempted"], Some((opened + failed) as f64));
    cells.number(&format!("cell {name}, connections failed"), &told_of["failed"], Some(failed as f64));
}

/// Times of the first leg of everything that its iterations carry out, all holds together.
fn compare_cell_times(told: &mut Outcome, evidence: &Evidence, holds: &[&Span], cell: &Value) {
    let mut timed = Timed::default();
    let calls = evidence.head.calls() as u16;
    let is_closed = holds.iter().any(|span| evidence.load_of(span.number).is_some_and(|load| load.model == "closed"));
    for span in holds {
        let load = evidence.load_of(span.number);
        for number in (0..calls).filter(|number| load.is_some_and(|load| Evidence::each(load, *number).1 > 0.0)) {
            let rows = evidence.legs(span.number, number, 0).iter().filter(|row| row.population == Population::Ok);
            rows.for_each(|row| timed.add(row.intended_s, if is_closed { &row.service } else { response_of(row) }));
        }
    }
    compare_times(told, &format!("cell {} times", text(&cell["scenario"])), &cell["times_ms"], &timed);
}

/// How many errors can hide behind none.
fn compare_sure(told: &mut Outcome, grid: &Value, line: &Value) {
    let sure = &line["sure"];
    let clean = list(&grid["cells"]).iter().find(|cell| cell["scenario"] == line["largest_clean"]);
    let Some(clean) = clean.filter(|_| sure.is_object()) else { return };
    let place = format!("line up to {}", text(&line["largest_clean"]));
    // None of so many, of which each is independent.
    let none_of = |count: &Value| count.as_f64().map(|count| 1.0 - (1.0 - SURE).powf(1.0 / count));
    let mut sures = told.of("intervals of grids").iterated();
    sures.number(&format!("{place}, confidence"), &sure["confidence"], Some(SURE));
    sures.number(&format!("{place}, repetitions"), &sure["repetitions"], clean["repetitions"].as_f64());
    sures.number(&format!("{place}, planned"), &sure["planned"], clean["planned"].as_f64());
    sures.number(&format!("{place}, errors"), &sure["error_share_at_most"], none_of(&clean["planned"]));
    let connections = none_of(&clean["connections"]["attempted"]);
    sures.number(&format!("{place}, connections"), &sure["failed_connections_at_most"], connections);
}

/// Throughput, share of failures and length of an attempt, and its load: the value that is varied, or the product of both.
fn compare_attempt(told: &mut Outcome, evidence: &Evidence, attempt: &Value) {
    let name = text(&attempt["scenario"]);
    let holds = holds(evidence, name);
    let scenario = evidence.head.scenarios.iter().find(|known| known.name == name);
    let lengths = holds.iter().map(|span| span.seconds());
    let is_mix = scenario.is_some_and(|scenario| !scenario.parts.is_empty());
    let seconds: f64 = if is_mix { lengths.fold(0.0, f64::max) } else { lengths.sum() };
    let delivered: f64 = holds.iter().map(|span| throughput(evidence, span) * span.seconds()).sum();
    let mut books = Books::default();
    holds.iter().for_each(|span| books += evidence.books(span.number));
    let failed = (books.failed + books.dropped) as f64 / books.intended as f64;
    let mut attempts = told.of("searches");
    attempts.number(&format!("attempt {name}, seconds"), &attempt["seconds"], Some(seconds));
    attempts.number(
        &format!("attempt {name}, throughput_per_s"),
        &attempt["throughput_per_s"],
        Some(delivered / seconds),
    );
    attempts.exactly(
        &format!("attempt {name}, failed_share"),
        &attempt["failed_share"],
        Some(failed).filter(|share| share.is_finite()),
    );
    let values = attempt["values"].as_object();
    let load = values.map(|all| all.values().map(|value| load_of(text(value))).product::<f64>());
    attempts.number(&format!("attempt {name}, load"), &attempt["load"], load);
}

/// The rate that a search goes by, in the holds of an attempt.
fn compare_by(told: &mut Outcome, evidence: &Evidence, by: &str, attempt: &Value) {
    let name = text(&attempt["scenario"]);
    let scenario = evidence.head.scenarios.iter().position(|known| known.name == name);
    let rate = formula(by).zip(scenario).and_then(|(rule, scenario)| {
        let scope = Scope { scenario, ..Scope::default() };
        let reader = Reader { evidence, rule: &rule, scope: &scope };
        reader.sum(&rule.clauses[0].sums[0], &rule.clauses[0])
    });
    match rate {
        Some(rate) => {
            let place = format!("attempt {name}, by_per_s");
            told.of("rates that searches go by").number(&place, &attempt["by_per_s"], Some(rate.value));
        }
        None => told.leave_out("rates that searches go by and that hold a variable", &attempt["by_per_s"]),
    }
}

/// The number of a value as the study writes it.
fn load_of(value: &str) -> f64 {
    terms::Quantity::parse(value).map_or(f64::NAN, |quantity| quantity.value)
}

/// Where every load was tried once, the bounds are the highest that passed below the lowest that did not.
fn compare_bounds(told: &mut Outcome, search: &Value) {
    let attempts = list(&search["attempts"]);
    let mut loads: Vec<f64> = attempts.iter().filter_map(|attempt| attempt["load"].as_f64()).collect();
    loads.sort_by(f64::total_cmp);
    let is_once = loads.windows(2).all(|pair| pair[0] < pair[1]);
    let outcome = |attempt: &Value| attempt["decided"].as_str().unwrap_or(text(&attempt["outcome"])).to_owned();
    let is_told = search["rule"] == "bracket" && is_once;
    if !is_told {
        ["held", "failed"]
            .iter()
            .for_each(|key| told.leave_out("bounds of searches that tried a load again", &search[*key]));
        return;
    }
    let of = |word: &'static str| {
        attempts.iter().filter(move |one| outcome(one) == word).filter_map(|one| one["load"].as_f64())
    };
    let failed = of("failed").reduce(f64::min);
    let held = of("passed").filter(|load| failed.is_none_or(|failed| *load < failed)).reduce(f64::max);
    let name = text(&search["name"]);
    told.of("searches").number(&format!("search {name}, held"), &search["held"], held);
    told.of("searches").number(&format!("search {name}, failed"), &search["failed"], failed);
}
