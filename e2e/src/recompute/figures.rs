//! Drawings of what was watched: each line of one is a recorded series, point by point, in a unit for readers.

use super::compared::Outcome;
use super::rows::{Evidence, Points};
use super::tables::{Table, Time, number};

/// Factors from a series' own unit to that of an axis: itself, percent, milliseconds, and bytes by powers of 1024 and
/// 1000. What flows the other way is drawn below zero.
const FACTORS: [f64; 9] = [1.0, 100.0, 1e3, 1.0 / 1024.0, 1.0 / 1_048_576.0, 1.0 / 1_073_741_824.0, 1e-3, 1e-6, 1e-9];
/// How near two moments must be to be one, seconds: what is left of rounding.
const SAME: f64 = 1e-6;
/// How near a drawn value must be to a recorded one, as a part of it.
const NEAR: f64 = 1e-9;

/// Compares the columns of a drawing that has every sample of a monitor's series as a row.
pub(super) fn compare(told: &mut Outcome, evidence: &Evidence, times: &[Time<'_>], table: &Table) {
    let of_number = |time: &&Time<'_>| table.stem.ends_with(&format!("-{}", time.number()));
    let Some(time) = times.iter().filter(of_number).max_by_key(|time| time.number().len()) else { return };
    let monitor = evidence.head.monitors.iter().enumerate().filter(|(_, monitor)| {
        table.stem.strip_prefix("fig-").is_some_and(|rest| rest.starts_with(&format!("{}-", monitor.name)))
    });
    let Some((monitor, _)) = monitor.max_by_key(|(_, monitor)| monitor.name.len()) else { return };
    let own: Vec<&Points> = evidence
        .watched
        .iter()
        .filter(|((known, ..), _)| usize::from(*known) == monitor)
        .map(|(_, points)| points)
        .collect();
    for (column, name) in table.head.iter().enumerate().skip(1) {
        let drawn: Vec<(f64, f64)> = table
            .rows
            .iter()
            .filter_map(|row| Some((row.first()?.parse().ok()?, row.get(column)?.parse().ok()?)))
            .collect();
        if drawn.is_empty() || !own.iter().any(|points| has_moments(points, time, &drawn)) {
            continue;
        }
        let place = format!("{}: {name}", table.stem);
        // The series that is like it at most points; it should be at all.
        let matches =
            own.iter().flat_map(|points| FACTORS.iter().flat_map(move |factor| [(points, *factor), (points, -factor)]));
        let best = matches.max_by_key(|(points, factor)| same(points, time, &drawn, *factor));
        let Some((points, factor)) = best else { continue };
        let mut series = told.of("drawn series");
        for (at, value) in &drawn {
            let found = value_at(points, time, *at).map(|found| found * factor);
            let found = found.filter(|found| (found - value).abs() <= NEAR * value.abs().max(found.abs()));
            series.number(&format!("{place} at {at} s"), &number(&value.to_string()), found);
        }
    }
}

/// Whether each point of a drawing stands at a sample of the series.
fn has_moments(points: &Points, time: &Time<'_>, drawn: &[(f64, f64)]) -> bool {
    drawn.iter().all(|(at, _)| value_at(points, time, *at).is_some())
}

/// At how many points a drawing is the series.
fn same(points: &Points, time: &Time<'_>, drawn: &[(f64, f64)], factor: f64) -> usize {
    let is_same = |(at, value): &&(f64, f64)| {
        value_at(points, time, *at).is_some_and(|found| (found * factor - value).abs() <= NEAR * value.abs().max(1e-12))
    };
    drawn.iter().filter(is_same).count()
}

/// The value at a moment, seconds since the scenario began.
fn value_at(points: &Points, time: &Time<'_>, at: f64) -> Option<f64> {
    let moment = time.from as f64 + at * 1e9;
    let place = points.partition_point(|(known, _)| (*known as f64) < moment - SAME * 1e9);
    let (known, value) = points.get(place)?;
    ((*known as f64 - moment).abs() <= SAME * 1e9 && *known <= time.to).then_some(*value)?
}
