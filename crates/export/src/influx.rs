//! InfluxDB's line protocol.
//!
//! Source: InfluxDB 2, *Line protocol*. A metric is a measurement by its name of Prometheus, its value the field `value`; of a
//! histogram each bound is a field, as Telegraf has it, beside `count` and `sum`.

use crate::snapshot::{Snapshot, Value, all_labels};
use std::fmt::Write;

/// The body of a request; times are nanoseconds.
pub fn lines(snapshot: &Snapshot) -> String {
    let mut lines = String::new();
    for family in &snapshot.families {
        let name = family.metric().prometheus();
        for point in family.points.iter().filter(|point| point.value != Value::Gone) {
            escaped(&mut lines, &name, &[',', ' ']);
            for (key, value) in all_labels(&snapshot.identity, &point.labels) {
                lines.push(',');
                escaped(&mut lines, key, &[',', '=', ' ']);
                lines.push('=');
                escaped(&mut lines, value, &[',', '=', ' ']);
            }
            lines.push(' ');
            fields(&mut lines, snapshot, &point.value);
            put(&mut lines, format_args!(" {}\n", snapshot.wall_ns));
        }
    }
    lines
}

fn fields(lines: &mut String, snapshot: &Snapshot, value: &Value) {
    let whole = |count: u64| count.min(i64::MAX as u64);
    match value {
        Value::Count(count) => put(lines, format_args!("value={}i", whole(*count))),
        Value::Sum(value) | Value::Level(value) => put(lines, format_args!("value={value:?}")),
        Value::Times(times) => {
            put(lines, format_args!("count={}i,sum={:?}", whole(times.count), times.sum));
            for (bound, count) in snapshot.layout.words().zip(times.cumulative()) {
                put(lines, format_args!(",{bound}={}i", whole(count)));
            }
        }
        Value::Gone => {}
    }
}

fn put(lines: &mut String, text: std::fmt::Arguments<'_>) {
    // A text takes whatever is written to it.
    let _ = lines.write_fmt(text);
}

/// A name or the value of a tag. A backslash before a sign that is escaped would be one of ours, and at the end it would
/// take away what follows: it goes as `/`. A line that breaks would be two.
fn escaped(lines: &mut String, text: &str, signs: &[char]) {
    for sign in text.chars() {
        match sign {
            '\\' => lines.push('/'),
            '\n' | '\r' => lines.push_str("\\ "),
            sign if signs.contains(&sign) => lines.extend(['\\', sign]),
            sign => lines.push(sign),
        }
    }
}
