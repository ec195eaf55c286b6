//! What the tables of a report are made of, recomputed from the evidence alone and compared with `result.json`.
//!
//! It reads rows and adds them up by itself: nothing of `judge` takes part. Times are merged as counts in buckets, and a
//! percentile is the nearest rank. A number that the evidence does not hold, such as an interval, is not looked at.

use record::{Head, Run};
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::Path;
use terms::{Books, Buckets, Nanos, Population, SparseHistogram};

/// How far two numbers may be apart that are sums of the same parts in another order.
const APART: f64 = 1e-9;
const QUANTILES: [(&str, f64); 7] =
    [("p50", 0.5), ("p75", 0.75), ("p90", 0.9), ("p95", 0.95), ("p98", 0.98), ("p99", 0.99), ("p99_9", 0.999)];

/// The leg of what is refused after it had ended well.
const REFUSED_LATER: &str = "error";

/// Step, exchange, leg, population.
type Key = (u32, u16, u8, bool);

/// Times as counts in buckets.
#[derive(Clone, Default)]
struct Times {
    buckets: BTreeMap<u32, u64>,
    least: Option<Nanos>,
    greatest: Option<Nanos>,
    sum_ns: f64,
}

impl Times {
    fn add(&mut self, more: &SparseHistogram) {
        for (index, count) in &more.buckets {
            *self.buckets.entry(*index).or_default() += count;
        }
        if !more.buckets.is_empty() {
            self.least = Some(self.least.map_or(more.min, |known| known.min(more.min)));
            self.greatest = Some(self.greatest.map_or(more.max, |known| known.max(more.max)));
            self.sum_ns += more.sum_ns;
        }
    }

    fn total(&self) -> u64 {
        self.buckets.values().sum()
    }

    /// The time of the nearest rank, milliseconds.
    fn quantile(&self, quantile: f64) -> Option<f64> {
        let rank = ((quantile * self.total() as f64).ceil() as u64).max(1);
        let mut seen = 0;
        let found = self.buckets.iter().find(|(_, count)| {
            seen += **count;
            seen >= rank
        });
        found.zip(self.greatest).map(|((index, _), greatest)| Buckets::high(*index).min(greatest).as_millis_f64())
    }
}

/// What a run's rows come to.
#[derive(Default)]
struct Sums {
    books: BTreeMap<u32, Books>,
    counts: BTreeMap<Key, u64>,
    response: BTreeMap<Key, Times>,
    service: BTreeMap<Key, Times>,
}

fn sums(run: &Run) -> Result<Sums, Box<dyn std::error::Error>> {
    let mut sums = Sums::default();
    for row in run.iterations()? {
        let row = row?;
        let books = sums.books.entry(row.step).or_default();
        books.intended += row.books.intended;
        books.started += row.books.started;
        books.dropped += row.books.dropped;
        books.completed += row.books.completed;
        books.failed += row.books.failed;
        books.aborted += row.books.aborted;
    }
    for row in run.outcomes()? {
        let row = row?;
        // What was refused after it had ended well has failed: one `late` for each on the leg of such refusals.
        let exchange = run.head.exchanges.get(usize::from(row.exchange));
        let leg = exchange.and_then(|exchange| exchange.legs.get(usize::from(row.leg)));
        if row.outcome == terms::Outcome::Late && leg.is_some_and(|leg| leg.name == REFUSED_LATER) {
            let books = sums.books.entry(row.step).or_default();
            books.completed = books.completed.saturating_sub(row.count);
            books.failed += row.count;
        }
    }
    for row in run.legs()? {
        let row = row?;
        let key = (row.step, row.exchange, row.leg, row.population == Population::Ok);
        *sums.counts.entry(key).or_default() += row.count;
        sums.response.entry(key).or_default().add(&row.response);
        sums.service.entry(key).or_default().add(&row.service);
    }
    Ok(sums)
}

/// What was compared, and what differed.
#[derive(Debug, Default)]
pub struct Outcome {
    /// How many numbers.
    pub compared: usize,
    /// Each that differs, with both values.
    pub wrong: Vec<String>,
}

impl Outcome {
    fn compare(&mut self, place: &str, told: &Value, computed: Option<f64>) {
        let Some(told) = told.as_f64() else { return };
        self.compared += 1;
        let is_same = computed.is_some_and(|value| (value - told).abs() <= APART * told.abs().max(1.0));
        if !is_same {
            self.wrong.push(format!("{place}: {told} is told, {computed:?} computed"));
        }
    }
}

/// The number of a step of the result among those of the head.
fn number_of(head: &Head, scenario: &str, step: &Value) -> Option<u32> {
    let part = step["part"].as_str();
    let place = head.steps.iter().position(|known| {
        let of = head.scenarios.get(usize::from(known.scenario));
        let own_part = known.part.and_then(|part| of?.parts.get(usize::from(part))).map(|part| part.name.as_str());
        of.is_some_and(|of| of.name == scenario)
            && step["id"].as_str() == Some(&known.id)
            && step["repetition"].as_u64() == Some(known.repetition.into())
            && own_part == part
    });
    place.and_then(|place| u32::try_from(place).ok())
}

fn compare_leg(told: &mut Outcome, place: &str, leg: &Value, sums: &Sums, of: &dyn Fn(bool) -> Key) {
    let populations: &[bool] = match leg["outcome"].as_str() {
        Some("ok") => &[true],
        Some("failed") => &[false],
        _ => &[true, false],
    };
    let count: u64 = populations.iter().filter_map(|is_ok| sums.counts.get(&of(*is_ok))).sum();
    told.compare(&format!("{place} count"), &leg["count"], Some(count as f64));
    for (name, times) in [("response_ms", &sums.response), ("service_ms", &sums.service)] {
        let mut merged = Times::default();
        for known in populations.iter().filter_map(|is_ok| times.get(&of(*is_ok))) {
            for (index, count) in &known.buckets {
                *merged.buckets.entry(*index).or_default() += count;
            }
            merged.least = [merged.least, known.least].into_iter().flatten().min();
            merged.greatest = [merged.greatest, known.greatest].into_iter().flatten().max();
            merged.sum_ns += known.sum_ns;
        }
        let said = &leg[name];
        let mean = (merged.total() > 0).then(|| merged.sum_ns / merged.total() as f64 / 1e6);
        told.compare(&format!("{place} {name} mean"), &said["mean"], mean);
        told.compare(&format!("{place} {name} min"), &said["min"], merged.least.map(Nanos::as_millis_f64));
        told.compare(&format!("{place} {name} max"), &said["max"], merged.greatest.map(Nanos::as_millis_f64));
        for (key, quantile) in QUANTILES {
            told.compare(&format!("{place} {name} {key}"), &said[key], merged.quantile(quantile));
        }
    }
}

fn list(value: &Value) -> &[Value] {
    value.as_array().map_or(&[], Vec::as_slice)
}

/// Compares every number of a run's `result.json` that its rows can tell.
///
/// # Errors
/// A folder that has no record or no result.
pub fn recompute(path: &Path) -> Result<Outcome, Box<dyn std::error::Error>> {
    let run = Run::open(path)?;
    let result: Value = serde_json::from_str(&std::fs::read_to_string(path.join("result.json"))?)?;
    let sums = sums(&run)?;
    let mut told = Outcome::default();
    for scenario in list(&result["scenarios"]) {
        let name = scenario["id"].as_str().unwrap_or_default();
        for step in list(&scenario["steps"]) {
            let Some(number) = number_of(&run.head, name, step) else {
                told.wrong.push(format!("{} is not a step of the run", step["scope"]));
                continue;
            };
            let scope = step["scope"].as_str().unwrap_or_default();
            let books = sums.books.get(&number).copied().unwrap_or_default();
            for (key, value) in [
                ("intended", books.intended),
                ("started", books.started),
                ("dropped", books.dropped),
                ("completed", books.completed),
                ("failed", books.failed),
                ("aborted", books.aborted),
            ] {
                told.compare(&format!("{scope} {key}"), &step[key], Some(value as f64));
            }
            let exchanges = list(&step["exchanges"]).iter().chain(list(&step["transactions"]));
            for exchange in exchanges {
                let id = exchange["id"].as_str().unwrap_or_default();
                let Some(place) = run.head.exchanges.iter().position(|known| known.name == id) else { continue };
                for leg in list(&exchange["legs"]) {
                    let known = &run.head.exchanges[place].legs;
                    let Some(at) = known.iter().position(|known| Some(known.name.as_str()) == leg["id"].as_str())
                    else {
                        continue;
                    };
                    let of = |is_ok: bool| (number, place as u16, at as u8, is_ok);
                    let name = format!("{scope}/{id}/{} {}", known[at].name, leg["outcome"]);
                    compare_leg(&mut told, &name, leg, &sums, &of);
                }
            }
        }
    }
    Ok(told)
}

/// Fails where a number of a run's result differs from what its rows come to. Looks at runs that came to their end, that
/// nobody changed afterwards, and that can be read.
///
/// # Panics
/// Where one does, and where nothing could be compared.
pub fn assert_recomputed(run: &Path) {
    let Ok(text) = std::fs::read_to_string(run.join("result.json")) else { return };
    let result: Value = serde_json::from_str(&text).unwrap_or_else(|error| panic!("{}: {error}", run.display()));
    let is_changed = list(&result["validity"]["signs"]).iter().any(|sign| sign["code"] == "altered_evidence");
    // Some tests spoil a folder on purpose, so that it cannot be read any more.
    let is_readable = run.join("evidence/manifest.json").is_file() && Run::open(run).is_ok();
    if result["run"]["end_reason"] != "completed" || is_changed || !is_readable {
        return;
    }
    let told = recompute(run).unwrap_or_else(|error| panic!("{}: {error}", run.display()));
    assert!(told.compared > 0 && told.wrong.is_empty(), "{}: {:#?}", run.display(), told.wrong);
}
