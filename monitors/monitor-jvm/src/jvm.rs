//! One machine over time: readings to values and events.

use crate::metrics::Metric;
use crate::reading::{Collector, FULL, Reading};
use contract::{Event, Samples};
use terms::Nanos;

/// What is kept of a machine from one reading to the next.
#[derive(Debug, Default)]
pub(crate) struct Jvm {
    before: Option<(Nanos, Reading)>,
    /// Greatest sizes of heap and old generation, where the readings do not bring them.
    maxima: Option<(f64, f64)>,
    /// Collections that took something out of the old generation, since the first reading.
    pub(crate) old_collections: u64,
}

impl Jvm {
    pub(crate) fn set_maxima(&mut self, heap: f64, old: f64) {
        self.maxima = Some((heap, old));
    }

    /// The heap's greatest size, bytes.
    pub(crate) fn heap_max(&self) -> Option<f64> {
        self.before.as_ref().and_then(|(_, reading)| reading.heap_max)
    }

    /// Hands over what a reading tells, and what has happened since the one before.
    pub(crate) fn take(&mut self, at: Nanos, mut reading: Reading, name: &str, instance: u32, out: &mut Samples) {
        if let Some((heap, old)) = self.maxima {
            reading.heap_max = reading.heap_max.or(Some(heap));
            reading.old.max = reading.old.max.or(Some(old));
        }
        let mut values = levels(&reading);
        values.extend(counts(&reading));
        if let Some((before_at, before)) = &self.before {
            values.extend(share(before, &reading, at - *before_at));
            if reading.collections() > before.collections() {
                values.push((Metric::HeapAfterGc, reading.outside_eden()));
            }
            if reading.young.is_some() && is_old_collected(before, &reading) {
                self.old_collections += 1;
                values.push((Metric::OldAfterGc, reading.old.used));
            }
            for (before, now) in before.collectors.iter().zip(&reading.collectors) {
                if let Some(pause) = pause(before.as_ref(), now.as_ref()) {
                    out.duration(at, instance, Metric::GcPause as u16, Nanos::from_secs_f64(pause));
                }
            }
            if let Some(text) = full_collections(before, &reading, name) {
                out.event(at, instance, Event { kind: contract::FULL_COLLECTION, text });
            }
        }
        for (metric, value) in values {
            out.value(at, instance, metric as u16, value);
        }
        self.before = Some((at, reading));
    }
}

fn levels(reading: &Reading) -> Vec<(Metric, f64)> {
    let mut values = vec![(Metric::HeapUsed, reading.heap_used()), (Metric::HeapCommitted, reading.heap_committed())];
    values.extend(reading.heap_max.map(|bytes| (Metric::HeapMax, bytes)));
    if let Some(young) = &reading.young {
        values.extend([
            (Metric::YoungCommitted, young.committed),
            (Metric::EdenUsed, young.eden_used),
            (Metric::SurvivorUsed, young.survivor_used),
            (Metric::OldUsed, reading.old.used),
            (Metric::OldCommitted, reading.old.committed),
        ]);
        values.extend(reading.old.max.map(|bytes| (Metric::OldMax, bytes)));
    }
    if let Some(space) = &reading.metaspace {
        values.extend([(Metric::MetaspaceUsed, space.used), (Metric::MetaspaceCommitted, space.committed)]);
        values.extend(space.max.map(|bytes| (Metric::MetaspaceMax, bytes)));
    }
    values.extend(reading.threads.map(|count| (Metric::Threads, count)));
    values.extend(reading.classes.map(|count| (Metric::Classes, count)));
    values
}

fn counts(reading: &Reading) -> Vec<(Metric, f64)> {
    const NUMBERS: [(Metric, Metric); 3] = [
        (Metric::GcYoung, Metric::GcYoungTime),
        (Metric::GcFull, Metric::GcFullTime),
        (Metric::GcConcurrent, Metric::GcConcurrentTime),
    ];
    let mut values = Vec::new();
    for ((count, time), collector) in NUMBERS.into_iter().zip(&reading.collectors) {
        if let Some(collector) = collector {
            values.extend([(count, collector.count as f64), (time, collector.seconds)]);
        }
    }
    values.extend(reading.safepoint_s.map(|seconds| (Metric::SafepointTime, seconds)));
    values
}

/// Share of the time between two readings in which the program stood still for collections.
fn share(before: &Reading, now: &Reading, time: Nanos) -> Option<(Metric, f64)> {
    let seconds = time.as_secs_f64();
    let stopped = now.stopped_s() - before.stopped_s();
    (seconds > 0.0 && stopped.is_finite()).then(|| (Metric::GcShare, (stopped / seconds).clamp(0.0, 1.0)))
}

/// Whether a collection has taken something out of the old generation, or has at least gone through it.
fn is_old_collected(before: &Reading, now: &Reading) -> bool {
    full(now) > full(before) || (now.collections() > before.collections() && now.old.used < before.old.used)
}

fn full(reading: &Reading) -> u64 {
    reading.collectors[FULL].map_or(0, |full| full.count)
}

/// The last pause of a kind in a period, seconds: the one that the machine tells, or the growth of their time when
/// there was just one.
fn pause(before: Option<&Collector>, now: Option<&Collector>) -> Option<f64> {
    let (before, now) = (before?, now?);
    let ended = now.count.checked_sub(before.count)?;
    match (ended, now.last) {
        (0, _) => None,
        (_, Some((_, seconds))) => Some(seconds),
        (1, None) => Some((now.seconds - before.seconds).max(0.0)),
        _ => None,
    }
}

fn full_collections(before: &Reading, now: &Reading, name: &str) -> Option<String> {
    let count = full(now).checked_sub(full(before)).filter(|count| *count > 0)?;
    let seconds = now.collectors[FULL]?.seconds - before.collectors[FULL]?.seconds;
    let mib = |bytes: f64| format!("{:.1} MiB", bytes / f64::from(1 << 20));
    let what = match count {
        1 => format!("full collection {}", full(now)),
        _ => format!("full collections {} to {}", full(now) - count + 1, full(now)),
    };
    let why = now.cause.as_ref().map_or_else(String::new, |cause| format!(" (`{}`)", cause.escape_debug()));
    let of = now.heap_max.map_or_else(String::new, |max| format!(" of {}", mib(max)));
    let left = mib(now.outside_eden());
    Some(format!("{what} of `{name}`{why} took {seconds:.3} s and left {left}{of} in use"))
}

#[cfg(test)]
#[path = "jvm_tests.rs"]
mod tests;
