//! For the fuzz targets alone: the parsers of this crate.

use crate::jstat::{Columns, Line, maxima};
use crate::jvm::Jvm;
use crate::perf_data::whole;
use crate::reading::Reading;
use contract::Samples;
use terms::Nanos;

/// The file of a machine.
pub fn perf_data(bytes: &[u8]) {
    let Ok(table) = whole(|most| Ok(bytes[..bytes.len().min(most)].to_vec())) else { return };
    let _ = crate::facts::captured(&table);
    if let Some(reading) = Reading::of(&table) {
        taken([reading.clone(), reading].into_iter());
    }
}

/// What `jstat` prints.
pub fn jstat(text: &str) {
    let mut columns = Columns::default();
    let rows = text.lines().filter_map(|line| match columns.read(line) {
        Line::Row(row) => Some(row.reading),
        _ => None,
    });
    taken(rows.collect::<Vec<_>>().into_iter());
    let _ = maxima(text);
}

/// Readings as samples are made of them.
fn taken(readings: impl Iterator<Item = Reading>) {
    let mut jvm = Jvm::default();
    let mut samples = Samples::default();
    let instance = samples.instance("shop");
    for (second, reading) in readings.enumerate() {
        jvm.take(Nanos::from_secs(second as i64), reading, "shop", instance, &mut samples);
    }
    let (samples, _) = samples.take();
    // A gap is NaN.
    assert!(samples.iter().all(|sample| !sample.value.is_infinite()), "{samples:?}");
}
