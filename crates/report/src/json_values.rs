//! Numbers and arguments as `result.json` writes them.

use crate::number::bounded;
use judge::{Arg, Args};
use serde_json::{Value, json};
use std::ops::Range;
use terms::Nanos;

/// A number with at most nine decimals, so that a sum in another order of additions prints the same; what is not a number
/// is null.
pub(crate) fn number(value: f64) -> Value {
    if !value.is_finite() {
        return Value::Null;
    }
    let rounded = if value.abs() < 1e6 { (value * 1e9).round() / 1e9 } else { value };
    Value::from(if rounded == 0.0 { 0.0 } else { rounded })
}

/// The same; null where there is none.
pub(crate) fn optional(value: Option<f64>) -> Value {
    value.map_or(Value::Null, number)
}

/// Both ends of an interval; null where there is none.
pub(crate) fn pair(interval: Option<(f64, f64)>) -> Value {
    interval.map_or(Value::Null, |(low, high)| json!([number(low), number(high)]))
}

/// Stretches of time, begin and end of each in seconds of the run's clock.
pub(crate) fn spans(spans: &[Range<Nanos>]) -> Value {
    let span = |span: &Range<Nanos>| json!([number(span.start.as_secs_f64()), number(span.end.as_secs_f64())]);
    spans.iter().map(span).collect()
}

/// An argument with its unit in its name: `{"milliseconds": 3.0}`.
pub(crate) fn arg(arg: &Arg) -> Value {
    let (unit, value) = match arg {
        Arg::Milliseconds(value) => ("milliseconds", number(*value)),
        Arg::Seconds(value) => ("seconds", number(*value)),
        Arg::Share(value) => ("share", number(*value)),
        Arg::Count(value) => ("count", number(*value)),
        Arg::PerSecond(value) => ("per_second", number(*value)),
        Arg::Bytes(value) => ("bytes", number(*value)),
        Arg::Cores(value) => ("cores", number(*value)),
        Arg::Number(value) => ("number", number(*value)),
        Arg::Text(text) => ("text", Value::from(bounded(text, 4000))),
        Arg::Given(arg) => return self::arg(arg),
    };
    json!({ unit: value })
}

/// Arguments by their names.
pub(crate) fn args(args: &Args) -> Value {
    Value::Object(args.iter().map(|(name, value)| (name.clone(), arg(value))).collect())
}
