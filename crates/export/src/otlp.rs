//! OTLP over HTTP: `ExportMetricsServiceRequest` in Protocol Buffers.
//!
//! Source: `opentelemetry/proto/metrics/v1/metrics.proto` and `collector/metrics/v1/metrics_service.proto`, 1.3. In its binary
//! form, since receivers must take that one and may take JSON.

use crate::names::Kind;
use crate::proto::{Field, Message, fields};
use crate::sketch::{SCALE, Sketch};
use crate::snapshot::{Family, Point, Snapshot, Value, all_labels};

/// `AGGREGATION_TEMPORALITY_CUMULATIVE`.
const CUMULATIVE: u64 = 2;
/// `DATA_POINT_FLAGS_NO_RECORDED_VALUE_MASK`: the series has ended.
const NO_RECORDED_VALUE: u64 = 1;

/// The body of a request.
pub fn request(snapshot: &Snapshot) -> Vec<u8> {
    let identity = &snapshot.identity;
    let mut request = Message::default();
    request.message(1, |resource_metrics| {
        resource_metrics.message(1, |resource| {
            for (key, value) in [
                ("service.name", "loadproof"),
                ("service.version", &identity.version),
                ("service.instance.id", &identity.run),
                ("loadproof.study", &identity.study),
            ] {
                attribute(resource, 1, key, value);
            }
        });
        resource_metrics.message(2, |scope_metrics| {
            scope_metrics.message(1, |scope| {
                scope.bytes(1, b"loadproof");
                scope.bytes(2, identity.version.as_bytes());
            });
            for family in &snapshot.families {
                scope_metrics.message(2, |metric| write_metric(metric, snapshot, family));
            }
        });
    });
    request.0
}

fn attribute(message: &mut Message, field: u32, key: &str, value: &str) {
    message.message(field, |attribute| {
        attribute.bytes(1, key.as_bytes());
        attribute.message(2, |any| any.bytes(1, value.as_bytes()));
    });
}

fn write_metric(message: &mut Message, snapshot: &Snapshot, family: &Family) {
    let metric = family.metric();
    message.bytes(1, metric.name.as_bytes());
    message.bytes(2, metric.help.as_bytes());
    message.bytes(3, metric.unit.as_bytes());
    let field = match metric.kind {
        Kind::Gauge => 5,
        Kind::Counter => 7,
        Kind::Histogram => 10,
    };
    message.message(field, |data| {
        for point in &family.points {
            data.message(1, |data_point| match metric.kind {
                Kind::Histogram => times(data_point, snapshot, point),
                Kind::Counter | Kind::Gauge => number(data_point, snapshot, point),
            });
        }
        if metric.kind != Kind::Gauge {
            data.number(2, CUMULATIVE);
        }
        if metric.kind == Kind::Counter {
            data.number(3, 1);
        }
    });
}

fn number(message: &mut Message, snapshot: &Snapshot, point: &Point) {
    message.fixed(2, snapshot.start_ns as u64);
    message.fixed(3, snapshot.wall_ns as u64);
    match point.value {
        // Its type is `sfixed64`.
        Value::Count(count) => message.fixed(6, count.min(i64::MAX as u64)),
        Value::Sum(value) | Value::Level(value) => message.double(4, value),
        Value::Times(_) | Value::Gone => {}
    }
    for (key, value) in all_labels(&snapshot.identity, &point.labels) {
        attribute(message, 7, key, value);
    }
    if point.value == Value::Gone {
        message.number(8, NO_RECORDED_VALUE);
    }
}

fn times(message: &mut Message, snapshot: &Snapshot, point: &Point) {
    for (key, value) in all_labels(&snapshot.identity, &point.labels) {
        attribute(message, 1, key, value);
    }
    message.fixed(2, snapshot.start_ns as u64);
    message.fixed(3, snapshot.wall_ns as u64);
    match &point.value {
        Value::Times(sketch) => {
            message.fixed(4, sketch.count);
            message.double(5, sketch.sum);
            message.signed(6, SCALE);
            buckets(message, sketch);
        }
        _ => message.number(10, NO_RECORDED_VALUE),
    }
}

/// All buckets from the first to the last that holds anything.
fn buckets(message: &mut Message, sketch: &Sketch) {
    let (Some(first), Some(last)) = (sketch.exponential.first_key_value(), sketch.exponential.last_key_value()) else {
        return;
    };
    let (first, last) = (*first.0, *last.0);
    message.message(8, |buckets| {
        buckets.signed(1, first);
        let of = |index: i32| sketch.exponential.get(&index).copied().unwrap_or(0);
        buckets.packed(2, (first..=last).map(of));
    });
}

/// What a receiver says that it has refused, of `ExportMetricsServiceResponse`: data points, and why.
///
/// # Errors
/// The bytes are no such message: something else answers there.
pub(crate) fn refused(body: &[u8]) -> Result<Option<(u64, String)>, ()> {
    let outer = fields(body).ok_or(())?;
    let Some((_, Field::Bytes(partial))) = outer.iter().find(|(number, _)| *number == 1) else {
        return if outer.is_empty() { Ok(None) } else { Err(()) };
    };
    let inner = fields(partial).ok_or(())?;
    let mut refused = (0, String::new());
    for field in inner {
        match field {
            (1, Field::Number(count)) => refused.0 = count,
            (2, Field::Bytes(text)) => refused.1 = String::from_utf8_lossy(text).into_owned(),
            _ => {}
        }
    }
    Ok((refused.0 > 0).then_some(refused))
}
