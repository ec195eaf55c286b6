//! What the columns of a table hold, as their headings say.

use crate::beside::{LABELS, is_bare, is_derived, names_other_share, without_other_shares};
use crate::model::{Row, Table};
use crate::quantity::{Decimals, leading};
use regex::Regex;
use std::sync::LazyLock;

/// What a column holds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Role {
    /// Mean of times.
    Mean,
    /// The time that this share of the calls does not exceed.
    Percentile(f64),
    /// The least time.
    Min,
    /// The greatest time.
    Max,
    /// Something a second.
    Throughput,
    /// So many calls.
    Calls,
    /// So many of them that failed.
    Failed,
    /// Their share, in percent.
    ErrorShare,
    /// Users, threads or connections at once.
    Users,
    /// Load generators that have so many users each.
    Nodes,
    /// Memory of a machine.
    Memory,
    /// How many processors a machine has.
    Processors,
    /// Size of a message.
    Payload,
    /// Number of a step.
    Index,
    /// Anything else.
    Other,
}

/// A column of a view.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Column {
    /// Its heading as printed.
    pub(crate) heading: String,
    /// What it holds.
    pub(crate) role: Role,
    /// The heading without what makes the role, so that mean and percentile of one thing are found together.
    pub(crate) stem: String,
    /// Seconds that one of a time is, where the heading says so.
    pub(crate) unit: Option<f64>,
}

/// A table seen so that its columns have roles: as printed, or turned by a quarter where its first column has them.
#[derive(Clone, Debug)]
pub(crate) struct View {
    pub(crate) columns: Vec<Column>,
    pub(crate) rows: Vec<Row>,
    pub(crate) is_rebuilt: bool,
    /// The sign for decimals, where its own figures show it.
    decimals: Decimals,
    /// Whether rows and columns were exchanged.
    pub(crate) is_turned: bool,
}

/// A figure of a cell.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Figure {
    /// Value and one in its last place, the likelier reading first; times in seconds where a unit is known.
    pub(crate) readings: Vec<(f64, f64)>,
    /// The unit's seconds, for times.
    pub(crate) unit: Option<f64>,
    /// As printed.
    pub(crate) text: String,
}

impl Figure {
    pub(crate) fn value(&self) -> f64 {
        self.readings.first().map_or(f64::NAN, |reading| reading.0)
    }

    /// The interval that all readings and their rounding or cutting allow.
    pub(crate) fn low(&self) -> f64 {
        self.readings.iter().map(|(value, last)| value - last).fold(f64::INFINITY, f64::min)
    }

    pub(crate) fn high(&self) -> f64 {
        self.readings.iter().map(|(value, last)| value + last).fold(f64::NEG_INFINITY, f64::max)
    }
}

static PERCENTILE: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(
        r"(?i)\bp[ (]?(\d{2}(?:[.,]?\d{1,2})?)\)?\b|\b(\d{2}(?:[.,]\d{1,2})?) ?(?:%|th|e|st|nd|rd)?[ -]*(?:percentile|percentiles|percentiel|percentil|pctl|pct|%ile|line|fraktil)\b|^(\d{2}(?:\.\d{1,2})?) ?%$",
    )
    .ok()
});

/// Whether a text has one of some words, in lower case.
pub(crate) fn has_word(text: &str, words: &[&str]) -> bool {
    text.split(|c: char| !c.is_alphanumeric()).any(|word| words.contains(&word))
}

const MEAN: [&str; 12] = [
    "avg",
    "average",
    "mean",
    "gem",
    "gemiddeld",
    "gemiddelde",
    "gennemsnit",
    "gennemsnitlig",
    "gns",
    "snit",
    "middel",
    "averages",
];
const MIN: [&str; 5] = ["min", "minimum", "minimaal", "mindste", "fastest"];
const MAX: [&str; 6] = ["max", "maximum", "maximaal", "maks", "slowest", "største"];
/// What has a mean, too, and is no time.
const NOT_TIMES: [&str; 67] = [
    "limit",
    "target",
    "requirement",
    "sla",
    "slo",
    "threshold",
    "change",
    "diff",
    "difference",
    "delta",
    "improvement",
    "budget",
    "mål",
    "grænse",
    "eis",
    "goal",
    "expected",
    "gain",
    "vs",
    "ratio",
    "baseline",
    "goals",
    "targets",
    "limits",
    "overhead",
    "interval",
    "status",
    "cpu",
    "memory",
    "mem",
    "heap",
    "geheugen",
    "hukommelse",
    "bytes",
    "size",
    "kb",
    "mb",
    "users",
    "throughput",
    "rate",
    "tps",
    "rps",
    "qps",
    "load",
    "requests",
    "connections",
    "threads",
    "error",
    "errors",
    "score",
    "cost",
    "price",
    "iops",
    "bandwidth",
    "gb",
    "mib",
    "gib",
    "utilization",
    "usage",
    "hits",
    "bytes",
    "speed",
    "ops",
    "req",
    "transactions",
    "count",
    "db",
];

/// The percentiles that a sentence names, `p95`, `95th percentile` or the median.
pub(crate) fn percentiles(lower: &str) -> Vec<f64> {
    let named = PERCENTILE.iter().flat_map(|known| known.captures_iter(lower)).filter_map(|found| share(&found));
    let median = has_word(lower, &["median", "mediaan"]).then_some(0.5);
    let mut all: Vec<f64> = named.chain(median).collect();
    all.dedup();
    all
}

/// The share of calls of a percentile's name.
fn share(found: &regex::Captures<'_>) -> Option<f64> {
    let text = (1..=3).find_map(|group| found.get(group))?.as_str().replace(',', ".");
    let value: f64 = text.parse().ok()?;
    // `p999` is 99.9.
    let share = if value > 100.0 { value / 10f64.powi(text.len() as i32 - 2) } else { value };
    (share > 1.0 && share < 100.0).then_some(share / 100.0)
}

/// Words for the ends of intervals.
const ENDS: [&str; 13] =
    ["low", "high", "lower", "upper", "laag", "hoog", "lav", "høj", "from", "to", "ci", "van", "tot"];
/// Most rows of a table that is turned.
const TURNED_MAX: usize = 60;

/// Role and the rest of a heading.
pub(crate) fn column(heading: &str) -> Column {
    let lower = heading.to_lowercase();
    let unit = unit(heading);
    let captured = PERCENTILE.as_ref().and_then(|known| known.captures(&lower));
    let percentile = captured.as_ref().and_then(share);
    // The figure of a percentile is not part of what it is of; those of names are.
    let named = captured
        .as_ref()
        .and_then(|found| found.get(0))
        .map_or(lower.clone(), |whole| lower.replacen(whole.as_str(), " ", 1));
    let is_rate = is_rate(&lower);
    let is_time = !has_word(&lower, &NOT_TIMES) && !is_rate && !is_derived(&lower);
    let role = if has_word(&lower, &["median"]) && is_time {
        Role::Percentile(0.5)
    } else if let Some(share) = percentile.filter(|_| is_time) {
        Role::Percentile(share)
    } else if is_rate
        && !has_word(&lower, &["kb", "mb", "bytes", "kib", "mib", "received", "sent", "gb", "error", "errors"])
        && !has_word(&lower, &MAX)
        && !has_word(&lower, &MIN)
    {
        Role::Throughput
    } else if has_word(&lower, &MEAN) && is_time {
        Role::Mean
    } else if has_word(&lower, &MIN) && is_time {
        Role::Min
    } else if has_word(&lower, &MAX) && is_time {
        Role::Max
    } else {
        of_counts(&lower)
    };
    Column { heading: heading.to_owned(), role, stem: stem(&named), unit }
}

/// Whether a heading is of something a second.
fn is_rate(lower: &str) -> bool {
    let is_per_second = lower.match_indices('/').any(|(at, _)| {
        let unit: String = lower[at + 1..].trim_start().chars().take_while(|c| c.is_alphabetic()).collect();
        ["s", "sec", "second", "seconds", "sekund"].contains(&unit.as_str())
    });
    is_per_second
        || ["per sec", "per sek", "pr. sek"].iter().any(|mark| lower.contains(mark))
        || has_word(lower, &["tps", "rps", "qps", "ops"])
}

fn of_counts(lower: &str) -> Role {
    let is_share = lower.contains('%')
        || has_word(lower, &["rate", "percentage", "procent", "pct", "percent", "share", "fejlprocent"]);
    let is_failure = has_word(
        lower,
        &["error", "errors", "failed", "failures", "fail", "fails", "ko", "fouten", "fejl", "fejlprocent", "failure"],
    );
    let words = lower.split_whitespace().count();
    if is_failure && is_share {
        Role::ErrorShare
    } else if is_failure && words <= 3 {
        Role::Failed
    } else if has_word(lower, &["memory", "mem", "geheugen", "ram"]) && !is_share {
        Role::Memory
    } else if has_word(lower, &["vcpu", "vcpus", "cores"]) {
        Role::Processors
    } else if has_word(lower, &["payload", "message"]) && has_word(lower, &["size"]) {
        Role::Payload
    } else if has_word(
        lower,
        &["users", "threads", "vus", "clients", "connections", "tråde", "brugere", "gebruikers", "concurrency"],
    ) && !has_word(lower, &["avg", "per", "max", "rate"])
    {
        Role::Users
    } else if has_word(lower, &["nodes", "generators"]) && words <= 2 {
        Role::Nodes
    } else if has_word(lower, &["iteration", "iteratie", "step", "stap", "trin"]) && words <= 2 {
        Role::Index
    } else if has_word(
        lower,
        &[
            "samples",
            "requests",
            "reqs",
            "calls",
            "kald",
            "count",
            "aantal",
            "antal",
            "transactions",
            "total",
            "events",
            "messages",
        ],
    ) && words <= 3
        && !is_share
        && !has_word(lower, &["per", "rate", "time", "concurrent", "parallel"])
        && !lower.contains('/')
    {
        Role::Calls
    } else {
        Role::Other
    }
}

/// Seconds that one of a heading's times is: `(ms)`, `in seconds`, `[s]`.
fn unit(heading: &str) -> Option<f64> {
    let lower = heading.to_lowercase();
    let words: Vec<&str> = lower.split(|c: char| !c.is_alphanumeric() && c != '/' && c != 'µ').collect();
    let has = |known: &[&str]| words.iter().any(|word| known.contains(word));
    if lower.contains("/s") || lower.contains("per s") {
        return None;
    }
    if has(&["ms", "msec", "millis", "milliseconds", "milliseconden", "millisekunder"]) {
        Some(1e-3)
    } else if has(&["µs", "μs", "us", "microseconds"]) {
        Some(1e-6)
    } else if has(&["s", "sec", "secs", "seconds", "seconden", "sekund", "sekunder"]) {
        Some(1.0)
    } else {
        None
    }
}

/// What is left of a heading when words of statistics, numbers and units are taken away.
fn stem(lower: &str) -> String {
    const DROPPED: [&str; 23] = [
        "median",
        "percentile",
        "percentiles",
        "percentiel",
        "percentil",
        "pctl",
        "pct",
        "line",
        "fraktil",
        "ms",
        "s",
        "sec",
        "seconds",
        "th",
        "milliseconds",
        "in",
        "of",
        "the",
        "msec",
        "e",
        "ile",
        "p",
        "tile",
    ];
    let words = lower.split(|c: char| !c.is_alphanumeric()).filter(|word| {
        !word.is_empty()
            && !DROPPED.contains(word)
            && !MEAN.contains(word)
            && !MIN.contains(word)
            && !MAX.contains(word)
    });
    words.collect::<Vec<_>>().join(" ")
}

/// The ways to see a table: as it is, and turned where its first column has the roles. The words above it may say what its
/// bare percents are shares of.
pub(crate) fn view(table: &Table, above: &str) -> View {
    let mut columns: Vec<Column> = table.header.iter().map(|heading| column(heading)).collect();
    let plain = |cell: &String| leading(cell, Decimals::default()).map(|(readings, _)| readings[0].0);
    // Whatever its heading: where all cells are words, it is the labels' column. `Requests` over names of calls.
    for (at, column) in columns.iter_mut().enumerate() {
        let cells = || table.rows.iter().filter_map(|row| row.cells.get(at)).filter(|cell| !cell.trim().is_empty());
        let is_words = |cell: &String| plain(cell).is_none() && cell.contains(|c: char| c.is_alphabetic());
        if cells().next().is_some() && cells().all(is_words) {
            column.role = Role::Other;
        }
    }
    let first_heading = table.header.first().map_or("", String::as_str);
    let is_bare_at = |at: usize| table.header.get(at).is_some_and(|heading| is_bare(heading));
    let across: Vec<Vec<f64>> = table
        .rows
        .iter()
        .map(|row| {
            row.cells.iter().enumerate().filter(|(at, _)| is_bare_at(*at)).filter_map(|(_, cell)| plain(cell)).collect()
        })
        .collect();
    let is_other = names_other_share(above) || names_other_share(first_heading);
    without_other_shares(&mut columns, is_other, &across);
    let roles = |columns: &[Column]| columns.iter().filter(|column| column.role != Role::Other).count();
    let first: Vec<String> = table.rows.iter().map(|row| row.cells.first().cloned().unwrap_or_default()).collect();
    let mut down: Vec<Column> = first.iter().map(|heading| column(heading)).collect();
    let is_label = first_heading.trim().is_empty() || has_word(&first_heading.to_lowercase(), &LABELS);
    let below = (1..table.header.len()).map(|at| {
        let labelled = table.rows.iter().filter(|row| row.cells.first().is_some_and(|label| is_bare(label)));
        labelled.filter_map(|row| plain(row.cells.get(at)?)).collect()
    });
    without_other_shares(&mut down, is_other || !is_label, &below.collect::<Vec<Vec<f64>>>());
    let is_list = table.header.iter().all(String::is_empty);
    let is_turned = is_list || (roles(&down) >= 2 && roles(&columns) <= 1 && roles(&down) > roles(&columns));
    let is_turned = is_turned && table.rows.len() <= TURNED_MAX;
    let decimals = Decimals::of(table.rows.iter().flat_map(|row| &row.cells).map(String::as_str));
    let is_rebuilt = table.is_rebuilt;
    if !is_turned {
        return View { columns, rows: table.rows.clone(), is_rebuilt, decimals, is_turned };
    }
    let width = table.rows.iter().map(|row| row.cells.len()).max().unwrap_or(0);
    let line = table.rows.first().map_or(0, |row| row.line);
    // Ends of intervals, differences, ratios and counts are not statistics, whatever their rows are called.
    let is_no_value = |at: usize| {
        table.header.get(at).is_some_and(|heading| has_word(&heading.to_lowercase(), &ENDS) || is_derived(heading))
    };
    let turned = (1..width).filter(|at| !is_no_value(*at)).map(|at| Row {
        line,
        cells: table.rows.iter().map(|row| row.cells.get(at).cloned().unwrap_or_default()).collect(),
    });
    View { columns: down, rows: turned.collect(), is_rebuilt, decimals, is_turned }
}

impl View {
    /// The figure of a cell; times in seconds where a unit is known.
    pub(crate) fn figure(&self, row: &Row, at: usize, decimals: Decimals) -> Option<Figure> {
        let text = row.cells.get(at)?.trim();
        let decimals = if self.decimals.is_known() { self.decimals } else { decimals };
        let (readings, rest) = leading(text, decimals)?;
        let rest = rest.trim();
        let own: String = rest.chars().take_while(|c| c.is_alphabetic() || *c == 'µ').collect();
        let of_cell = match own.as_str() {
            "ms" | "msec" => Some(1e-3),
            "µs" | "μs" | "us" => Some(1e-6),
            "s" | "sec" | "secs" | "seconds" => Some(1.0),
            "m" | "min" => return None,
            _ => None,
        };
        // `10 = 2.4 %`, `1.2k`, `3/5`: something longer than a figure.
        // A range, a clock, a fraction.
        let is_longer = rest.starts_with(['-', '–', '/', '=', ':', '×']);
        let is_plain = !is_longer
            && (own.is_empty() || of_cell.is_some() || ["tps", "rps", "req", "bytes", "B"].contains(&own.as_str()));
        let scale = of_cell.or(self.columns.get(at)?.unit);
        let is_time = matches!(self.columns.get(at)?.role, Role::Mean | Role::Percentile(_) | Role::Min | Role::Max);
        let factor = if is_time { scale.unwrap_or(1.0) } else { 1.0 };
        (is_plain && !(is_time && rest.starts_with('%'))).then(|| Figure {
            readings: readings.into_iter().map(|(value, last)| (value * factor, last * factor)).collect(),
            unit: scale.filter(|_| is_time),
            text: text.to_owned(),
        })
    }

    /// The columns of a role.
    pub(crate) fn of(&self, is: impl Fn(Role) -> bool) -> Vec<usize> {
        (0..self.columns.len()).filter(|at| is(self.columns[*at].role)).collect()
    }

    /// The only column of a role.
    pub(crate) fn only(&self, role: Role) -> Option<usize> {
        match self.of(|other| other == role)[..] {
            [one] => Some(one),
            _ => None,
        }
    }

    /// A row as it is printed, with its headings.
    pub(crate) fn shown(&self, row: &Row) -> String {
        let cells = row.cells.iter().enumerate().filter(|(_, cell)| !cell.is_empty());
        let with = cells.map(|(at, cell)| match self.columns.get(at).map(|column| column.heading.as_str()) {
            Some(heading) if !heading.is_empty() => format!("{heading}: {cell}"),
            _ => cell.clone(),
        });
        let cells = with.collect::<Vec<_>>().join("; ");
        if self.is_rebuilt { format!("{cells} (cells that had run together, taken apart)") } else { cells }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headings_have_roles() {
        for (heading, role) in [
            ("Gem", Role::Mean),
            ("Average response time (ms)", Role::Mean),
            ("90%", Role::Percentile(0.9)),
            ("95 PCTL (sec)", Role::Percentile(0.95)),
            ("99th Percentile of Response Time (ms)", Role::Percentile(0.99)),
            ("p(95)", Role::Percentile(0.95)),
            ("P99.9", Role::Percentile(0.999)),
            ("90% Line", Role::Percentile(0.9)),
            ("Median", Role::Percentile(0.5)),
            ("Throughput (Requests/sec)", Role::Throughput),
            ("Throughput (kald per sekund)", Role::Throughput),
            ("Error %", Role::ErrorShare),
            ("Failed Connections", Role::Failed),
            ("Concurrent Users", Role::Users),
            ("Mem(GiB)", Role::Memory),
            ("vCPU", Role::Processors),
            ("Avg CPU %", Role::Other),
            ("Average Throughput", Role::Other),
            ("# Samples", Role::Calls),
            ("# Fails", Role::Failed),
            ("# reqs", Role::Calls),
            ("Fail %", Role::ErrorShare),
            ("Message Size", Role::Payload),
            ("Version", Role::Other),
        ] {
            let found = column(heading).role;
            let is_same = match (found, role) {
                (Role::Percentile(one), Role::Percentile(other)) => (one - other).abs() < 1e-9,
                _ => found == role,
            };
            assert!(is_same, "{heading}: {found:?}");
        }
        assert_eq!(column("95th Percentile of Response Time (ms)").stem, column("Average Response Time (ms)").stem);
        assert_eq!(
            (column("AVG (sec)").unit, column("Max (ms)").unit, column("req/s").unit),
            (Some(1.0), Some(1e-3), None)
        );
    }

    #[test]
    fn a_table_of_labels_and_values_is_turned() {
        let row = |cells: [&str; 2]| Row { line: 3, cells: cells.map(str::to_owned).to_vec() };
        let table = Table {
            header: vec!["Metric".into(), "Value".into()],
            rows: vec![row(["Mean", "12 ms"]), row(["p95", "1.5 s"]), row(["Max", "2 s"])],
            is_rebuilt: false,
        };
        let view = view(&table, "");
        assert!(view.is_turned);
        let figure = view.figure(&view.rows[0], 1, Decimals::default()).unwrap();
        assert_eq!(figure.value(), 1.5);
    }
}
