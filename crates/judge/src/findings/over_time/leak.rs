//! Memory that grows without end.

use super::ceiling::ceiling_of;
use super::{Hold, Series, Watched, of_series, text};
use crate::findings::declare::{Bytes, Count, Seconds, declare};
use crate::series::Looked;
use crate::{Finding, Gravity};
use contract::Role;
use stats::trend::leak::{Growth, Leak, Question};

declare! {
    /// Retained memory rose throughout a hold: the lower envelope of resident memory (PSS, otherwise RSS), so not
    /// garbage that is collected. The p is divided by the number of series examined. What would not grow by
    /// `LEAK_A_DAY` in a day, what grew by less than `LEAK_GROWN` in the hold, and what grows ever more slowly is left
    /// out. From half an hour a leak is *suspected*, before that *possible*; never more, as this is one run of one
    /// process. Growth is given per hour, with interval, and per iteration.
    ///
    /// Of a [heap](04-watching.md#jvm-java-virtual-machines) only what collections of its old generation leave counts,
    /// with the time until its maximum is reached: [the floor](../methods/heaps.md). Fewer than twelve such collections
    /// show nothing, fewer than `HEAP_LEAK_COLLECTIONS` no more than *possible*; what young collections promote may be
    /// garbage not yet examined. A leak is *confirmed* when what is left has reached `HEAP_FULL` of the maximum.
    MemoryLeak = "LEAK" {
        collections: Option<Count>,
        full: Option<Seconds>,
        full_high: Option<Seconds>,
        full_low: Option<Seconds>,
        grade: String,
        hold: Seconds,
        hourly: Bytes,
        hourly_high: Bytes,
        hourly_low: Bytes,
        instance: String,
        level: Bytes,
        per_iteration: Option<Bytes>,
        series: String,
    }
}

/// Shorter holds show no rise of memory, seconds.
pub(crate) const RISE_SECONDS: f64 = 300.0;
/// Shorter holds cannot tell a leak from filling up, seconds: a leak is possible, not suspected.
const LEAK_SECONDS: f64 = 1800.0;
/// A leak grows by at least this part of the level within the hold.
const LEAK_GROWN: f64 = 0.02;
/// A leak grows by at least this many bytes within the hold.
const LEAK_BYTES: f64 = 1e6;
/// A leak would grow by this part of its limit, or of its level, within a day.
const LEAK_A_DAY: f64 = 0.1;
/// The day over which growth is projected, seconds.
const DAY_SECONDS: f64 = 86_400.0;
/// What grows steadily has a third of its growth in the last third of the hold; with less than this share it is filling up.
const LEAK_LAST_THIRD: f64 = 0.15;
/// The level at a moment is the lowest of one in this many values: what a collection or a cache gives back does not
/// count.
const LEAK_LEVEL_OF: usize = 12;
/// The growth between both ends counts at least this part of the line's: one low value at the end hides no leak.
const LEAK_BETWEEN_ENDS: f64 = 0.5;

/// LEAK: resident memory rises all through the hold. Without knowledge of a collector never more than suspected.
pub(super) fn leaks(watched: &Watched<'_>) -> Vec<Finding> {
    if watched.is_trial {
        return Vec::new();
    }
    let candidates = candidates(watched);
    let looks = candidates.len() * watched.windows().count();
    let mut findings = Vec::new();
    for hold in watched.windows().filter(|hold| hold.seconds() >= RISE_SECONDS) {
        for series in &candidates {
            findings.extend(leak(watched, hold, series, Watched::p_max(looks)));
        }
    }
    findings
}

/// One series for each instance: of several measures of the same memory the first that its monitor names. Of the whole
/// machine only where nothing finer is watched.
fn candidates<'a>(watched: &'a Watched<'_>) -> Vec<&'a Series<'a>> {
    let mut chosen: Vec<&Series<'_>> = Vec::new();
    for series in watched.series.iter().filter(|series| series.is_memory()) {
        let is_same =
            |other: &&Series<'_>| other.monitor.name == series.monitor.name && other.instance == series.instance;
        if !chosen.iter().any(is_same) {
            chosen.push(series);
        }
    }
    let is_machine = |series: &&Series<'_>| series.is_level_of(&[Role::MachineMemory]);
    if !chosen.iter().all(is_machine) {
        chosen.retain(|series| !is_machine(series));
    }
    chosen
}

fn leak(watched: &Watched<'_>, hold: &Hold<'_>, series: &Series<'_>, p_max: f64) -> Option<Finding> {
    let looked = series.looked(hold.span.from, hold.span.to)?;
    let growth = looked.growth().ok()?;
    let capacity = ceiling_of(watched, hold, series);
    let question = Question { capacity, horizon: DAY_SECONDS, allowed: LEAK_A_DAY, p_max };
    let grown = growth.over(growth.length).value;
    let matters = grown >= LEAK_GROWN * growth.level.abs() && grown >= LEAK_BYTES;
    if growth.leak(&question) != Leak::Suspected || !matters || fills_up(&looked, &growth) {
        return None;
    }
    let is_long = hold.seconds() + 2.0 * looked.spacing_s >= LEAK_SECONDS;
    let slope = &growth.line.slope;
    let iterations = watched.throughput(hold);
    let full = capacity.and_then(|capacity| growth.time_to(capacity));
    let args = MemoryLeak {
        collections: None,
        full: full.map(|(time, ..)| Seconds(time)),
        full_high: None,
        full_low: None,
        grade: text(if is_long { "suspected" } else { "possible" }),
        hold: Seconds(hold.seconds()),
        hourly: Bytes(slope.value * 3600.0),
        hourly_high: Bytes(slope.high * 3600.0),
        hourly_low: Bytes(slope.low * 3600.0),
        instance: text(series.instance),
        level: Bytes(growth.level),
        per_iteration: (iterations > 0.0).then(|| Bytes(slope.value / iterations)),
        series: text(series.name()),
    };
    let severity = if is_long { Gravity::Warning } else { Gravity::Notice };
    Some(of_series(severity, &hold.shared, series, args))
}

/// Whether the last third of the hold has hardly any of the growth.
fn fills_up(looked: &Looked, growth: &Growth) -> bool {
    let width = looked.values.len() / LEAK_LEVEL_OF;
    let least = |range: std::ops::Range<usize>| looked.values[range].iter().copied().fold(f64::INFINITY, f64::min);
    let n = looked.values.len();
    if width == 0 {
        return false;
    }
    let (first, late, last) =
        (least(0..width), least(n * 2 / 3 - width / 2..n * 2 / 3 + width / 2 + 1), least(n - width..n));
    let whole = (last - first).max(growth.over(growth.length).value * LEAK_BETWEEN_ENDS);
    last - late < LEAK_LAST_THIRD * whole
}
