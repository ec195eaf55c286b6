//! For the fuzz targets alone: the parsers of this crate.

use crate::docker::{about_of, stats_of};
use crate::files;
use crate::http::parsed;
use crate::reading::Reading;
use contract::Samples;
use terms::Nanos;

/// Any file of a group, or an answer of Docker.
pub fn cgroup(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    let _ = (files::number(&text), files::limit(&text), files::cores(&text), files::network(&text));
    for (_, path) in files::groups(&text) {
        assert!(path.starts_with('/') && path.split('/').all(|part| part != ".."), "{path}");
    }
    let keyed = |key| files::keyed(&text, key);
    let from_files = Reading {
        cpu_s: keyed("usage_usec").map(|count| count as f64 / 1e6),
        periods: keyed("nr_periods"),
        throttled_periods: keyed("nr_throttled"),
        memory: files::limit(&text),
        inactive_file: keyed("inactive_file"),
        some_us: ["some", "full", "some"].map(|which| files::waited_us(&text, which)),
        disk: Some(files::disk(&text, &|_| false)),
        network: Some(files::disk_v1(&text, &|_| true)),
        ..Reading::default()
    };
    added(&from_files);
    let whole = parsed(bytes, true);
    let first = parsed(&bytes[..bytes.len() / 2], false);
    if let (Ok(Some(first)), Ok(Some(whole))) = (&first, &whole) {
        assert_eq!(first, whole, "what was whole already stays as it was");
    }
    let body = whole.ok().flatten().map_or_else(|| bytes.to_vec(), |(_, body)| body);
    if let Ok(value) = serde_json::from_slice(&body) {
        added(&stats_of(&value, &about_of(&value)));
    }
}

fn added(reading: &Reading) {
    let mut out = Samples::default();
    let instance = out.instance("shop");
    let before = (Nanos::ZERO, Reading::default());
    for before in [&before, &(Nanos::ZERO, reading.clone())] {
        reading.add_to(Some(before), Nanos::SECOND, instance, &mut out);
    }
    // A gap is NaN.
    assert!(out.take().0.iter().all(|one| !one.value.is_infinite() && (one.value.is_nan() || one.value >= 0.0)));
}
