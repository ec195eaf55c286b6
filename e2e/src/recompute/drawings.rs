//! Drawings of the load: what was planned, started and ended in each second of a scenario, and how the times of a leg are
//! spread. Which leg a drawing is of is not said in its numbers: it is one of which every number is as drawn.

use super::compared::Outcome;
use super::rows::{Evidence, SECOND, Span};
use super::tables::{Table, Time, number};
use super::times::{Times, response_of};
use record::LegRow;
use std::collections::BTreeMap;
use terms::{Books, Nanos, Population};

/// Lines of numbers, each beside what it is.
type Rows = Vec<(String, Vec<Option<f64>>)>;

/// What a drawing of a leg shows.
#[derive(Clone, Copy)]
enum Kind {
    Shares,
    Percentiles,
    Bins,
    Seconds,
}

/// Whether a drawing is one of these; then it is compared.
pub(super) fn compare(told: &mut Outcome, evidence: &Evidence, times: &[Time<'_>], table: &Table) -> bool {
    let rest = table.stem.strip_prefix("fig-").unwrap_or_default();
    let of = |number: &str| times.iter().find(|time| time.number() == number);
    for (kind, columns) in [("plan-", true), ("throughput-", false)] {
        if let Some(time) = rest.strip_prefix(kind).and_then(of) {
            compare_rows(told, table, &by_second(evidence, time, table, columns), 1);
            return true;
        }
    }
    let kinds = [
        ("ecdf-", Kind::Shares, 0),
        ("curve-", Kind::Percentiles, 1),
        ("histogram-", Kind::Bins, 2),
        ("over-time-", Kind::Seconds, 1),
    ];
    for (name, kind, first) in kinds {
        let number = rest.strip_prefix(name).and_then(|rest| rest.rsplit_once('-'));
        let Some(time) = number.and_then(|(number, _)| of(number)) else { continue };
        let legs = legs(evidence, time);
        let found = legs.iter().map(|leg| leg.rows(kind, table));
        if let Some(best) = found.max_by_key(|rows| alike(table, rows, first)) {
            compare_rows(told, table, &best, first);
        }
        return true;
    }
    false
}

/// The second of the run that a row is of: rows tell the time since the scenario began.
fn second(time: &Time<'_>, row: &[String]) -> Option<i64> {
    let at: f64 = row.first()?.parse().ok()?;
    Some(((time.from as f64 + at * 1e9) / SECOND as f64).round() as i64)
}

/// Planned, started and dropped by the second of the start; or what succeeded and failed by that of the end, and planned.
fn by_second(evidence: &Evidence, time: &Time<'_>, table: &Table, is_plan: bool) -> Rows {
    let (mut begun, mut ended) = (BTreeMap::<i64, Books>::new(), BTreeMap::<i64, Books>::new());
    for row in time.spans().flat_map(|span| evidence.iterations(span.number)) {
        *begun.entry(row.intended_s).or_default() += row.books;
        *ended.entry(row.end_s).or_default() += row.books;
    }
    let of = |row: &Vec<String>| {
        let second = second(time, row).unwrap_or(i64::MIN);
        let of = |books: &BTreeMap<i64, Books>| books.get(&second).copied().unwrap_or_default();
        let (begun, ended) = (of(&begun), of(&ended));
        let counts = match is_plan {
            true => [begun.intended, begun.started, begun.dropped],
            false => [ended.completed, ended.failed, begun.intended],
        };
        (format!("at {} s", row[0]), counts.map(|count| Some(count as f64)).to_vec())
    };
    table.rows.iter().map(of).collect()
}

/// A leg of an exchange in one scenario, or in one part of a mix.
struct Leg<'a> {
    /// Its rows in each step.
    steps: Vec<Vec<&'a LegRow>>,
    /// Successes in the holds, response times where there are any.
    held: Times,
    service: Times,
    time: &'a Time<'a>,
}

fn legs<'a>(evidence: &'a Evidence, time: &'a Time<'a>) -> Vec<Leg<'a>> {
    let mut legs = Vec::new();
    let parts: Vec<Option<u16>> = match evidence.head.scenarios[time.scenario].parts.len() {
        0 => vec![None],
        parts => (0..parts as u16).map(Some).collect(),
    };
    for part in parts {
        let own: Vec<&Span> = time.spans().filter(|span| evidence.planned(span.number).part == part).collect();
        for (exchange, head) in evidence.head.exchanges.iter().enumerate() {
            for leg in 0..head.legs.len() {
                let rows =
                    |span: &&Span| evidence.legs(span.number, exchange as u16, leg as u8).iter().collect::<Vec<_>>();
                let (mut response, mut service) = (Times::default(), Times::default());
                for row in own.iter().filter(|span| evidence.planned(span.number).phase == "hold").flat_map(rows) {
                    if row.population == Population::Ok {
                        response.add(&row.response);
                        service.add(&row.service);
                    }
                }
                let held = if response.total() > 0 { response } else { service.clone() };
                let steps: Vec<_> = own.iter().map(rows).collect();
                if steps.iter().any(|rows| !rows.is_empty()) {
                    legs.push(Leg { steps, held, service, time });
                }
            }
        }
    }
    legs
}

impl Leg<'_> {
    fn rows(&self, kind: Kind, table: &Table) -> Rows {
        match kind {
            Kind::Shares => self.shares(),
            Kind::Percentiles => self.percentiles(table),
            Kind::Bins => self.bins(table),
            Kind::Seconds => self.seconds(table),
        }
    }

    /// Up to how many milliseconds which part of the calls took, percent.
    fn shares(&self) -> Rows {
        let rows = self.held.shares().into_iter();
        rows.map(|(ms, share)| (format!("{ms} ms"), vec![Some(ms), Some(100.0 * share)])).collect()
    }

    /// Percentiles of response and of service times.
    fn percentiles(&self, table: &Table) -> Rows {
        let of = |row: &Vec<String>| {
            let quantile: f64 = row[0].parse().unwrap_or(f64::NAN);
            let of = |times: &Times| times.quantile(quantile).map(Nanos::as_millis_f64);
            (format!("at {quantile}"), vec![of(&self.held), of(&self.service)])
        };
        table.rows.iter().map(of).collect()
    }

    /// Calls in bins of times, and their part of all, percent.
    fn bins(&self, table: &Table) -> Rows {
        let total = self.held.total() as f64;
        let of = |row: &Vec<String>| {
            let edge = |field: &str| Nanos((field.parse().unwrap_or(0.0) * 1e6_f64).round() as i64);
            let count = self.held.between(edge(&row[0]), edge(&row[1])) as f64;
            (format!("from {} ms", row[0]), vec![Some(count), Some(100.0 * count / total)])
        };
        table.rows.iter().map(of).collect()
    }

    /// Successes by the second of their start with percentiles and the slowest; of two steps in a second the one that has
    /// more. Percentiles that a usual second is too short for are those of several, and are not compared.
    fn seconds(&self, table: &Table) -> Rows {
        let mut all: BTreeMap<i64, (u64, Times)> = BTreeMap::new();
        for rows in &self.steps {
            let mut own: BTreeMap<i64, (u64, Times)> = BTreeMap::new();
            for row in rows {
                let (count, times) = own.entry(row.intended_s).or_default();
                if row.population == Population::Ok {
                    *count += row.count;
                    times.add(response_of(row));
                }
            }
            for (second, found) in own {
                let known = all.entry(second).or_default();
                if found.0 > known.0 {
                    *known = found;
                }
            }
        }
        let mut counts: Vec<u64> = all.values().map(|(count, _)| *count).filter(|count| *count > 0).collect();
        counts.sort_unstable();
        let usual = counts.get(counts.len() / 2).copied().unwrap_or(0) as f64;
        let of = |row: &Vec<String>| {
            let (count, times) =
                second(self.time, row).and_then(|second| all.get(&second)).cloned().unwrap_or_default();
            let percentile = |quantile: f64| {
                let is_carried = usual * (1.0 - quantile) >= 1.0 - 1e-9;
                times.quantile(quantile).filter(|_| is_carried).map(Nanos::as_millis_f64)
            };
            let [p50, p95, p99] = [0.5, 0.95, 0.99].map(percentile);
            let maximum = times.maximum.map(Nanos::as_millis_f64);
            (format!("at {} s", row[0]), vec![Some(count as f64), p50, p95, p99, maximum])
        };
        table.rows.iter().map(of).collect()
    }
}

/// How many numbers of a table are those of some rows.
fn alike(table: &Table, rows: &Rows, first: usize) -> usize {
    let is_alike = |(field, value): (&String, &Option<f64>)| match (field.parse::<f64>(), value) {
        (Ok(field), Some(value)) => (field - value).abs() <= 1e-9 * field.abs().max(1.0),
        _ => false,
    };
    let of = |(row, (_, values)): (&Vec<String>, &(String, Vec<Option<f64>>))| {
        row.iter().skip(first).zip(values).filter(|pair| is_alike(*pair)).count()
    };
    table.rows.iter().zip(rows).map(of).sum()
}

fn compare_rows(told: &mut Outcome, table: &Table, rows: &Rows, first: usize) {
    if rows.len() != table.rows.len() {
        told.wrong.push(format!("{}: {} rows, {} computed", table.stem, table.rows.len(), rows.len()));
    }
    for (row, (place, values)) in table.rows.iter().zip(rows) {
        for (column, (field, value)) in row.iter().skip(first).zip(values).enumerate() {
            let name = table.head.get(first + column).map_or("", String::as_str);
            let place = format!("{}: {name} {place}", table.stem);
            match value {
                Some(value) => told.of("drawn load").number(&place, &number(field), Some(*value)),
                None => told.leave_out("percentiles of several seconds in drawings", &number(field)),
            }
        }
    }
}
