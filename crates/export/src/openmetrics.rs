//! OpenMetrics 1.0, and Prometheus' own text 0.0.4: a page to be fetched.
//!
//! Source: *OpenMetrics*, 1.0; Prometheus, *Exposition formats*. The two differ in how a counter's family is called, in
//! `# UNIT` and in `# EOF`.

use crate::names::{Kind, Metric};
use crate::snapshot::{Point, Snapshot, Value, all_labels};
use std::fmt::Write;

/// What the page is, as `Content-Type`.
pub const OPENMETRICS: &str = "application/openmetrics-text; version=1.0.0; charset=utf-8";
/// The same in the older format.
pub const TEXT: &str = "text/plain; version=0.0.4; charset=utf-8";

/// The page; `is_open`: in OpenMetrics.
pub fn page(snapshot: Option<&Snapshot>, is_open: bool) -> String {
    let mut page = String::new();
    if let Some(snapshot) = snapshot {
        write_families(&mut page, snapshot, is_open);
    }
    if is_open {
        page.push_str("# EOF\n");
    }
    page
}

fn write_families(page: &mut String, snapshot: &Snapshot, is_open: bool) {
    for family in &snapshot.families {
        if family.points.iter().all(|point| point.value == Value::Gone) {
            continue;
        }
        let metric = family.metric();
        let kind = match metric.kind {
            Kind::Counter => "counter",
            Kind::Gauge => "gauge",
            Kind::Histogram => "histogram",
        };
        let name = if is_open { metric.family() } else { metric.prometheus() };
        put(page, format_args!("# TYPE {name} {kind}\n"));
        if let Some(unit) = metric.unit_in_words().filter(|_| is_open) {
            put(page, format_args!("# UNIT {name} {unit}\n"));
        }
        put(page, format_args!("# HELP {name} {}\n", metric.help));
        for point in &family.points {
            write_point(page, snapshot, metric, point);
        }
    }
}

fn write_point(page: &mut String, snapshot: &Snapshot, metric: &Metric, point: &Point) {
    let name = metric.prometheus();
    let labels = written(&all_labels(&snapshot.identity, &point.labels));
    match &point.value {
        Value::Gone => {}
        Value::Count(count) => put(page, format_args!("{name}{{{labels}}} {count}\n")),
        Value::Sum(value) | Value::Level(value) => put(page, format_args!("{name}{{{labels}}} {value:?}\n")),
        Value::Times(times) => {
            let comma = if labels.is_empty() { "" } else { "," };
            for (bound, count) in snapshot.layout.words().zip(times.cumulative()) {
                put(page, format_args!("{name}_bucket{{{labels}{comma}le=\"{bound}\"}} {count}\n"));
            }
            put(page, format_args!("{name}_count{{{labels}}} {}\n", times.count));
            put(page, format_args!("{name}_sum{{{labels}}} {:?}\n", times.sum));
        }
    }
}

fn put(page: &mut String, text: std::fmt::Arguments<'_>) {
    // A text takes whatever is written to it.
    let _ = page.write_fmt(text);
}

/// Labels as they stand between braces.
fn written(labels: &[(&str, &str)]) -> String {
    let mut text = String::new();
    for (place, (name, value)) in labels.iter().enumerate() {
        if place > 0 {
            text.push(',');
        }
        text.push_str(name);
        text.push_str("=\"");
        for sign in value.chars() {
            match sign {
                '\\' => text.push_str("\\\\"),
                '"' => text.push_str("\\\""),
                '\n' => text.push_str("\\n"),
                sign => text.push(sign),
            }
        }
        text.push('"');
    }
    text
}
