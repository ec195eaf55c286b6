//! Prometheus' remote write 1.0: `WriteRequest` in Protocol Buffers, as one block of Snappy.
//!
//! Source: *Prometheus Remote-Write 1.0 specification*, `prompb/remote.proto` and `types.proto`.

use crate::names::Kind;
use crate::proto::Message;
use crate::snapshot::{Snapshot, Value, all_labels};

/// The NaN that ends a series: `StaleNaN` of Prometheus.
const STALE: u64 = 0x7ff0_0000_0000_0002;
/// How long before its first value a counter is said to have been zero, milliseconds: without that its first growth is lost
/// to `rate` and `increase`.
const BEFORE_MS: i64 = 1000;

/// The body of a request before it is compressed; `with_metadata`: what the metrics are, too.
pub fn message(snapshot: &Snapshot, with_metadata: bool) -> Vec<u8> {
    let mut request = Message::default();
    let at_ms = snapshot.wall_ns.div_euclid(1_000_000);
    for family in &snapshot.families {
        let metric = family.metric();
        let name = metric.prometheus();
        for point in &family.points {
            let mut labels = all_labels(&snapshot.identity, &point.labels);
            labels.push(("job", "loadproof"));
            labels.push(("instance", &snapshot.identity.run));
            let zero = point.is_new && metric.kind != Kind::Gauge;
            let mut series = |suffix: &str, bound: Option<&str>, value: f64| {
                let name = format!("{name}{suffix}");
                write_series(&mut request, &name, &labels, bound, value, (at_ms, zero));
            };
            match &point.value {
                Value::Count(count) => series("", None, *count as f64),
                Value::Sum(value) | Value::Level(value) => series("", None, *value),
                Value::Times(times) => {
                    for (bound, count) in snapshot.layout.words().zip(times.cumulative()) {
                        series("_bucket", Some(&bound), count as f64);
                    }
                    series("_count", None, times.count as f64);
                    series("_sum", None, times.sum);
                }
                Value::Gone if metric.kind == Kind::Histogram => {
                    let stale = f64::from_bits(STALE);
                    snapshot.layout.words().for_each(|bound| series("_bucket", Some(&bound), stale));
                    series("_count", None, stale);
                    series("_sum", None, stale);
                }
                Value::Gone => series("", None, f64::from_bits(STALE)),
            }
        }
    }
    if with_metadata {
        write_metadata(&mut request, snapshot);
    }
    request.0
}

fn write_series(
    request: &mut Message,
    name: &str,
    labels: &[(&str, &str)],
    bound: Option<&str>,
    value: f64,
    (at_ms, zero_before): (i64, bool),
) {
    let own = [("__name__", name)].into_iter().chain(bound.map(|bound| ("le", bound)));
    let mut all: Vec<(&str, &str)> = labels.iter().copied().chain(own).collect();
    // Receivers may refuse labels that are not in order of their names.
    all.sort_unstable();
    request.message(1, |series| {
        for (name, value) in all {
            series.message(1, |label| {
                label.bytes(1, name.as_bytes());
                label.bytes(2, value.as_bytes());
            });
        }
        let zero = zero_before.then_some((0.0, at_ms.saturating_sub(BEFORE_MS)));
        for (value, at_ms) in zero.into_iter().chain([(value, at_ms)]) {
            series.message(2, |sample| {
                sample.double(1, value);
                sample.number(2, at_ms as u64);
            });
        }
    });
}

fn write_metadata(request: &mut Message, snapshot: &Snapshot) {
    for family in &snapshot.families {
        let metric = family.metric();
        request.message(3, |metadata| {
            metadata.number(
                1,
                match metric.kind {
                    Kind::Counter => 1,
                    Kind::Gauge => 2,
                    Kind::Histogram => 3,
                },
            );
            metadata.bytes(2, metric.prometheus().as_bytes());
            metadata.bytes(4, metric.help.as_bytes());
            if let Some(unit) = metric.unit_in_words() {
                metadata.bytes(5, unit.as_bytes());
            }
        });
    }
}

/// Compresses the body of a request.
///
/// # Errors
/// What Snappy cannot hold: 4 GB and more.
pub fn compressed(message: &[u8]) -> Result<Vec<u8>, snap::Error> {
    snap::raw::Encoder::new().compress_vec(message)
}
