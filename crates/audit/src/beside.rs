//! What stands beside percentiles and is not one: differences, ratios, limits, and shares of other things than calls.

use crate::columns::{Column, Role, has_word};

/// Words for what is reckoned of two values, or counts or limits them: no times of calls, wherever they stand.
const DERIVED: [&str; 65] = [
    "difference",
    "differences",
    "diff",
    "delta",
    "δ",
    "change",
    "changes",
    "improvement",
    "improvements",
    "gain",
    "gains",
    "saved",
    "saving",
    "savings",
    "speedup",
    "factor",
    "ratio",
    "cv",
    "std",
    "stddev",
    "stdev",
    "sd",
    "deviation",
    "variance",
    "spread",
    "margin",
    "above",
    "rank",
    "weight",
    "limit",
    "limits",
    "target",
    "targets",
    "allowed",
    "threshold",
    "budget",
    "sla",
    "slo",
    "overhead",
    "increase",
    "decrease",
    "reduction",
    "regression",
    "forskel",
    "ændring",
    "forbedring",
    "faktor",
    "forhold",
    "spredning",
    "afvigelse",
    "differenz",
    "änderung",
    "unterschied",
    "abweichung",
    "verbesserung",
    "verhältnis",
    "streuung",
    "verschil",
    "verandering",
    "verbetering",
    "verhouding",
    "spreiding",
    "afwijking",
    "grænse",
    "grenze",
];

/// Whether a heading or label is of something reckoned, such as a difference or a ratio.
pub(crate) fn is_derived(text: &str) -> bool {
    let lower = text.to_lowercase();
    has_word(&lower, &DERIVED)
        || ["speed-up", "speed up", "÷", "−", "%)"].iter().any(|mark| lower.contains(mark))
        || (has_word(&lower, &["before"]) && has_word(&lower, &["after"]))
}

/// Words beside bare percents that are of something else: `Cache hit ratio` over 50%, 80%, 99%.
const OTHER_SHARES: [&str; 19] = [
    "ratio",
    "hit",
    "hits",
    "availability",
    "utilization",
    "utilisation",
    "cpu",
    "memory",
    "mix",
    "reads",
    "writes",
    "read",
    "write",
    "coverage",
    "fill",
    "sampling",
    "beschikbaarheid",
    "tilgængelighed",
    "verfügbarkeit",
];
/// Words of headings over labels that are percentiles, or anything.
pub(crate) const LABELS: [&str; 30] = [
    "percentile",
    "percentiles",
    "percentage",
    "percent",
    "perc",
    "pct",
    "quantile",
    "p",
    "statistic",
    "statistics",
    "metric",
    "metrics",
    "measure",
    "requests",
    "request",
    "calls",
    "latency",
    "response",
    "time",
    "times",
    "label",
    "name",
    "percentiel",
    "percentil",
    "fraktil",
    "kald",
    "svartid",
    "responstijd",
    "value",
    "results",
];

/// Whether a label is a bare percent, `99%`, which may be a share of anything.
pub(crate) fn is_bare(label: &str) -> bool {
    label.trim().strip_suffix('%').is_some_and(|text| text.trim().parse::<f64>().is_ok())
}

/// Whether a text names what bare percents near it are shares of, other than of calls.
pub(crate) fn names_other_share(text: &str) -> bool {
    has_word(&text.to_lowercase(), &OTHER_SHARES)
}

/// Takes the role of percentiles from bare percents that something else is named for, or whose times fall all along in
/// each series: a cache that is hit more often answers faster.
pub(crate) fn without_other_shares(columns: &mut [Column], is_other: bool, series: &[Vec<f64>]) {
    let is_bare_share = |column: &Column| matches!(column.role, Role::Percentile(_)) && is_bare(&column.heading);
    let falls = |one: &Vec<f64>| one.len() >= 3 && one.windows(2).all(|two| two[1] < two[0]);
    if is_other || (!series.is_empty() && series.iter().all(falls)) {
        columns.iter_mut().filter(|column| is_bare_share(column)).for_each(|column| column.role = Role::Other);
    }
}
