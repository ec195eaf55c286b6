//! Counts that only grow: by how much from one value to the next, and what a series counts from that begins within a run.

use crate::rows::Index;
use contract::Role;
use record::{MetricHead, SampleRow};
use terms::Nanos;

/// What a counter grew by from one value to the next.
///
/// Below half of what it was it counts anew: whoever kept it was started again, and what it counted last and nobody read is
/// lost. A smaller step back is another thing: a series of a sum is gone, or somebody corrected it. Nothing is known to have
/// come with it.
pub(crate) fn grown(before: f64, after: f64) -> f64 {
    if after < before / 2.0 { after.max(0.0) } else { forward(before, after) }
}

/// The same of a count that may be set back to anywhere, such as how far somebody has read.
fn forward(before: f64, after: f64) -> f64 {
    (after - before).max(0.0)
}

/// How a metric grows.
pub(crate) fn growth_of(metric: &MetricHead) -> fn(f64, f64) -> f64 {
    if metric.role() == Some(Role::Offset) { forward } else { grown }
}

/// Whether a series whose first value is this one counted from nothing until then: there was no row of it before, not even
/// a gap, while whoever owns it was looked at. A query that is grouped by a label has no row for what does not exist yet;
/// an instance that did not answer may have counted long since.
pub(crate) fn began_at_nothing(index: &Index<'_>, metric: (usize, usize), place: usize, first: Nanos) -> bool {
    let rows = &index.evidence.rows;
    let before = |number: usize, place: usize, is_wanted: fn(&SampleRow) -> bool| {
        rows.has_sample_before((metric.0 as u16, number as u16), place, first, is_wanted)
    };
    let (Some(monitor), Some(series)) =
        (index.head().monitors.get(metric.0), rows.instances((metric.0 as u16, metric.1 as u16)).get(place))
    else {
        return false;
    };
    if before(metric.1, place, |_| true) {
        return false;
    }
    let owner = monitor.instances.iter().find(|owner| is_of(&series.name, owner));
    (0..monitor.metrics.len()).any(|number| {
        let instances = rows.instances((metric.0 as u16, number as u16)).iter().enumerate();
        let mut looked = instances.filter(|(_, one)| owner.is_none_or(|owner| is_of(&one.name, owner)));
        looked.any(|(place, _)| before(number, place, |row| row.value.is_some()))
    })
}

/// Whether a series is of an instance: it bears its name, or begins with it as the parts of one do.
pub(crate) fn is_of(series: &str, instance: &str) -> bool {
    let rest = series.strip_prefix(instance);
    rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/') || rest.starts_with(" / "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_fall_by_more_than_half_is_a_restart() {
        assert_eq!(grown(100.0, 150.0), 50.0);
        assert_eq!(grown(150.0, 20.0), 20.0);
        assert_eq!(grown(1_000_000.0, 999_000.0), 0.0, "one of the series of a sum is gone");
        assert_eq!(grown(1_000_000.0, -1.0), 0.0);
        let offset = MetricHead { role: Role::Offset.name().into(), ..MetricHead::default() };
        assert_eq!(growth_of(&offset)(1_000_000.0, 400_000.0), 0.0, "read once more from there");
        assert_eq!(growth_of(&offset)(400_000.0, 400_007.0), 7.0);
        assert_eq!(growth_of(&MetricHead::default())(1_000_000.0, 400_000.0), 400_000.0);
    }

    #[test]
    fn parts_are_of_their_instance() {
        assert!(is_of("shop.1", "shop.1") && is_of("shop.1 / eden", "shop.1") && is_of("shop.1/2", "shop.1"));
        assert!(!is_of("shop.10", "shop.1") && !is_of("eden", "shop.1"));
    }
}
