//! The dashboard file against the names that there are.

use crate::names::{Kind, METRICS};
use serde_json::Value;
use std::collections::BTreeSet;

const FILE: &str = include_str!("../../../../deploy/grafana/loadproof.json");

/// Names of ours in an expression.
fn names_in(expression: &str) -> impl Iterator<Item = &str> {
    expression
        .split(|sign: char| !(sign.is_ascii_alphanumeric() || sign == '_'))
        .filter(|word| word.starts_with("loadproof_"))
}

fn expressions(value: &Value, found: &mut Vec<String>) {
    match value {
        Value::Array(values) => values.iter().for_each(|value| expressions(value, found)),
        Value::Object(fields) => {
            for (name, value) in fields {
                match (name.as_str(), value) {
                    ("expr" | "query" | "definition", Value::String(text)) => found.push(text.clone()),
                    _ => expressions(value, found),
                }
            }
        }
        _ => {}
    }
}

#[test]
fn every_name_in_the_dashboard_is_one_that_is_exported() {
    let mut known = BTreeSet::new();
    for metric in &METRICS {
        let name = metric.prometheus();
        match metric.kind {
            Kind::Histogram => known.extend(["_bucket", "_sum", "_count"].map(|suffix| format!("{name}{suffix}"))),
            Kind::Counter | Kind::Gauge => drop(known.insert(name)),
        }
    }
    let file: Value = serde_json::from_str(FILE).expect("JSON");
    let mut found = Vec::new();
    expressions(&file, &mut found);
    let used: BTreeSet<&str> = found.iter().flat_map(|expression| names_in(expression)).collect();
    assert!(used.len() >= 12, "{used:?}");
    for name in &used {
        assert!(known.contains(*name), "`{name}` is not exported");
    }
    for variable in ["datasource", "study", "run"] {
        let list = file["templating"]["list"].as_array().expect("variables");
        assert!(list.iter().any(|own| own["name"] == variable), "{variable}");
    }
    // Each series is chosen by study and run: figures of two runs are never added up.
    for expression in found.iter().filter(|expression| !expression.starts_with("label_values")) {
        let has_names = names_in(expression).count();
        assert!(has_names == 0 || expression.matches("run=~\"$run\"").count() == has_names, "{expression}");
    }
}

#[test]
fn names_follow_from_name_and_unit_as_the_receiver_of_prometheus_makes_them() {
    let names: Vec<String> = METRICS.iter().map(|metric| metric.prometheus()).collect();
    for (place, name) in [
        (0, "loadproof_calls_total"),
        (2, "loadproof_received_bytes_total"),
        (3, "loadproof_response_time_seconds"),
        (15, "loadproof_generator_lateness_max_seconds"),
        (18, "loadproof_generator_cpu_time_seconds_total"),
        (19, "loadproof_generator_cpu_busiest_ratio"),
        (23, "loadproof_watched_size_bytes"),
        (27, "loadproof_watched_rate_per_second"),
    ] {
        assert_eq!(names[place], name);
    }
    assert_eq!(names.iter().collect::<BTreeSet<_>>().len(), METRICS.len());
}
