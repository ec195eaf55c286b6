//! What was watched, as the tables of the report have it: levels, peaks, growth and gaps of every series in the judged part
//! of each scenario, durations server by server, and the level of each workload. They are read where the report was
//! written as CSV, which has its numbers unrounded.

use super::compared::Outcome;
use super::rows::{Evidence, Points, Span};
use super::times::nearest_rank;
use serde_json::{Value, json};
use std::path::Path;

/// Samples of an idle phase that make a level.
const IDLE_FEWEST: usize = 3;
/// Letters of a scenario's name that a file's name surely has.
const NAME_LETTERS: usize = 12;

/// A table as it lies in the folder: its head and its rows.
pub(super) struct Table {
    pub(super) stem: String,
    pub(super) head: Vec<String>,
    pub(super) rows: Vec<Vec<String>>,
}

impl Table {
    fn read(path: &Path) -> Option<Self> {
        let mut reader = csv::ReaderBuilder::new().from_path(path).ok()?;
        let fields = |record: &csv::StringRecord| record.iter().map(str::to_owned).collect::<Vec<String>>();
        let head = fields(reader.headers().ok()?);
        let rows =
            reader.records().map(|record| record.map(|record| fields(&record))).collect::<Result<_, _>>().ok()?;
        Some(Self { stem: path.file_stem()?.to_str()?.to_owned(), head, rows })
    }
}

/// One time that a scenario was carried out.
pub(super) struct Time<'a> {
    evidence: &'a Evidence,
    pub(super) scenario: usize,
    repetition: u32,
    pub(super) from: i64,
    pub(super) to: i64,
}

impl<'a> Time<'a> {
    pub(super) fn all(evidence: &'a Evidence) -> Vec<Self> {
        let mut all: Vec<Self> = Vec::new();
        for span in &evidence.spans {
            let (scenario, repetition) = (evidence.place_of(span.number).0, evidence.repetition(span.number));
            match all.iter_mut().find(|known| (known.scenario, known.repetition) == (scenario, repetition)) {
                Some(known) => (known.from, known.to) = (known.from.min(span.from), known.to.max(span.to)),
                None => all.push(Self { evidence, scenario, repetition, from: span.from, to: span.to }),
            }
        }
        all
    }

    fn name(&self) -> &str {
        &self.evidence.head.scenarios[self.scenario].name
    }

    /// What files tell it by: `3`, `3-2`.
    pub(super) fn number(&self) -> String {
        if self.repetition > 1 { format!("{}-{}", self.scenario, self.repetition) } else { self.scenario.to_string() }
    }

    /// Whether a file of a name of this kind is of it.
    fn has(&self, stem: &str, kind: &str) -> bool {
        let rest = stem.strip_prefix(kind).and_then(|rest| rest.strip_prefix(&format!("{}-", self.number())));
        let slug: String = slug(self.name()).chars().take(NAME_LETTERS).collect();
        rest.is_some_and(|rest| rest.starts_with(&slug))
    }

    /// Its steps.
    pub(super) fn spans(&self) -> impl Iterator<Item = &'a Span> + '_ {
        let steps = self.evidence.steps_of((self.scenario, None));
        steps.filter(|span| self.evidence.repetition(span.number) == self.repetition)
    }

    /// Its steps of a phase.
    fn steps(&self, phase: &'static str) -> impl Iterator<Item = &'a Span> + '_ {
        self.spans().filter(move |span| self.evidence.planned(span.number).phase == phase)
    }

    /// Values of a series in its holds, with the sample at the very end; and how many are missing there.
    fn held(&self, points: &Points) -> (Vec<f64>, usize) {
        let is_held = |at: i64| self.steps("hold").any(|span| span.from <= at && at <= span.to);
        let held: Vec<Option<f64>> = points.iter().filter(|(at, _)| is_held(*at)).map(|(_, value)| *value).collect();
        let values: Vec<f64> = held.iter().flatten().copied().collect();
        (values.clone(), held.len() - values.len())
    }

    /// The mean of its idle phase, where that has samples enough.
    fn idle(&self, points: &Points) -> Option<f64> {
        let is_idle = |at: i64| self.steps("idle").any(|span| span.from <= at && at < span.to);
        let values: Vec<f64> = points.iter().filter(|(at, _)| is_idle(*at)).filter_map(|(_, value)| *value).collect();
        (values.len() >= IDLE_FEWEST).then(|| mean(&values))
    }
}

/// Lower-case letters and digits, with a hyphen for anything else.
fn slug(name: &str) -> String {
    let mut slug = String::new();
    for letter in name.chars() {
        if letter.is_ascii_alphanumeric() {
            slug.push(letter.to_ascii_lowercase());
        } else if !slug.ends_with('-') && !slug.is_empty() {
            slug.push('-');
        }
    }
    slug
}

fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len().max(1) as f64
}

/// Every table of watched series that lies in the run's folder.
pub(super) fn compare(told: &mut Outcome, evidence: &Evidence, folder: &Path) {
    let times = Time::all(evidence);
    let files = std::fs::read_dir(folder.join("tables")).into_iter().flatten().flatten().map(|entry| entry.path());
    let mut files: Vec<_> = files.filter(|path| path.extension().is_some_and(|ending| ending == "csv")).collect();
    files.sort();
    for table in files.iter().filter_map(|path| Table::read(path)) {
        let stem = table.stem.as_str();
        // Of two that fit, such as `0-2` and `0`, the longer number is meant.
        let of = |kind: &str| times.iter().filter(|time| time.has(stem, kind)).max_by_key(|time| time.number().len());
        if stem.ends_with("-durations")
            && let Some(time) = of("system-").or_else(|| of("durations-"))
        {
            compare_durations(told, time, &table);
        } else if stem.ends_with("-table")
            && let Some(time) = of("system-")
        {
            compare_series(told, time, &table);
        } else if let Some(time) = of("generator-") {
            compare_series(told, time, &table);
        } else if stem == "resources-by-workload" {
            compare_workloads(told, &times, &table);
        } else if stem.starts_with("fig-") && !super::drawings::compare(told, evidence, &times, &table) {
            super::figures::compare(told, evidence, &times, &table);
        }
    }
}

/// A field as a number; nothing where it is empty.
pub(super) fn number(field: &str) -> Value {
    field.parse::<f64>().map_or(Value::Null, |value| json!(value))
}

/// A series by the name of its metric and its instance. A text that a spreadsheet could carry out has an apostrophe.
fn points_of<'a>(evidence: &'a Evidence, series: &str, instance: &str) -> Option<(&'a Points, &'a str)> {
    let instance = instance.strip_prefix('\'').unwrap_or(instance);
    evidence.watched.iter().find_map(|((monitor, metric, own), points)| {
        let monitor = &evidence.head.monitors[usize::from(*monitor)];
        let metric = &monitor.metrics[usize::from(*metric)];
        let is_it = format!("{}.{}", monitor.name, metric.name) == series && own == instance;
        is_it.then_some((points, metric.kind.as_str()))
    })
}

/// Series, instance, course, before the load, mean, maximum, growth (where there are counters), samples, missing ones.
fn compare_series(told: &mut Outcome, time: &Time<'_>, table: &Table) {
    let has_growth = table.head.len() == 9;
    for row in &table.rows {
        let place = format!("{}: {} {}", table.stem, row[0], row[1]);
        let Some((points, kind)) = points_of(time.evidence, &row[0], &row[1]) else {
            told.leave_out("series whose instance is written in another way", &number(&row[row.len() - 2]));
            continue;
        };
        let (held, missing) = time.held(points);
        let of_level = |value: Option<f64>| value.filter(|_| kind != "counter");
        let maximum = held.iter().copied().reduce(f64::max);
        let mut series = told.of("watched series");
        series.exactly(&format!("{place}, before"), &number(&row[3]), of_level(time.idle(points)));
        let level = (!held.is_empty()).then(|| mean(&held));
        series.exactly(&format!("{place}, mean"), &number(&row[4]), of_level(level));
        series.exactly(&format!("{place}, max"), &number(&row[5]), of_level(maximum));
        if has_growth {
            let growth = held.first().zip(held.last()).map(|(first, last)| last - first).filter(|_| kind == "counter");
            series.exactly(&format!("{place}, growth"), &number(&row[6]), growth);
        }
        let counts = &row[row.len() - 2..];
        series.number(&format!("{place}, samples"), &number(&counts[0]), Some(held.len() as f64));
        series.number(&format!("{place}, missing"), &number(&counts[1]), Some(missing as f64));
    }
}

/// Series, instance, step, number, a second, mean, p50, p95, p98, p99, maximum: milliseconds.
fn compare_durations(told: &mut Outcome, time: &Time<'_>, table: &Table) {
    let steps: Vec<&Span> = time.steps("hold").collect();
    for row in table.rows.iter().filter(|row| row.len() == 11) {
        let Some((points, _)) = points_of(time.evidence, &row[0], &row[1]) else { continue };
        let place = format!("{}: {} {} {}", table.stem, row[0], row[1], row[2]);
        let of = |span: &&Span| {
            let is_in = |at: i64| span.from <= at && at < span.to;
            let own = points.iter().filter(|(at, _)| is_in(*at)).filter_map(|(_, value)| *value);
            let mut values: Vec<f64> = own.map(|seconds| seconds * 1e3).collect();
            values.sort_by(f64::total_cmp);
            (span.seconds(), values)
        };
        // A step is named for readers; where that is not the name of exactly one, the one with so many values is meant.
        let named: Vec<&&Span> = steps.iter().filter(|span| time.evidence.planned(span.number).id == row[2]).collect();
        let found = match named[..] {
            [only] => Some(of(only)),
            _ => steps.iter().map(of).find(|(_, values)| Some(values.len() as f64) == row[3].parse().ok()),
        };
        let mut durations = told.of("watched series");
        let Some((seconds, values)) = found else {
            durations.number(&format!("{place}, number"), &number(&row[3]), None);
            continue;
        };
        durations.number(&format!("{place}, number"), &number(&row[3]), Some(values.len() as f64));
        durations.number(&format!("{place}, rate"), &number(&row[4]), Some(values.len() as f64 / seconds));
        durations.number(&format!("{place}, mean"), &number(&row[5]), Some(mean(&values)));
        for (field, quantile) in row[6..10].iter().zip([0.5, 0.95, 0.98, 0.99]) {
            let rank = nearest_rank(quantile, values.len() as u64) as usize;
            durations.number(&format!("{place}, p{quantile}"), &number(field), values.get(rank - 1).copied());
        }
        durations.number(&format!("{place}, max"), &number(&row[10]), values.last().copied());
    }
}

/// Series, instance and unit, perhaps the level before the load, and mean and maximum in each workload.
fn compare_workloads(told: &mut Outcome, times: &[Time<'_>], table: &Table) {
    for row in &table.rows {
        let place = format!("{}: {} {}", table.stem, row[0], row[1]);
        let Some(first) = times.first() else { return };
        let without_unit = row[1].rsplit_once(", ").map_or(row[1].as_str(), |(instance, _)| instance);
        let found =
            points_of(first.evidence, &row[0], &row[1]).or_else(|| points_of(first.evidence, &row[0], without_unit));
        let Some((points, _)) = found else { continue };
        for (at, name) in table.head.iter().enumerate().skip(2) {
            let own: Vec<&Time<'_>> = times.iter().filter(|time| time.name() == name).collect();
            if own.is_empty() || table.head.get(at + 1) != Some(&format!("{name}: max")) {
                continue;
            }
            let held: Vec<f64> = own.iter().flat_map(|time| time.held(points).0).collect();
            let level = (!held.is_empty()).then(|| mean(&held));
            let mut series = told.of("watched series");
            series.exactly(&format!("{place}, mean in {name}"), &number(&row[at]), level);
            let maximum = held.iter().copied().reduce(f64::max);
            series.exactly(&format!("{place}, max in {name}"), &number(&row[at + 1]), maximum);
        }
    }
}
