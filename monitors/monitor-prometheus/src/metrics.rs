//! What a page is measured by besides what the study chooses of it.

use contract::{Across, MetricKind};
use terms::Unit;

/// What a page is measured by besides what the study chooses of it: how long it took to come, how many series it had, and
/// how many of its lines could not be read. What the study names under `values` comes after these.
pub const METRICS: &[MetricKind] = &[
    MetricKind::gauge("page_time", Unit::Time).across(Across::Max),
    MetricKind::gauge("series", Unit::Count),
    MetricKind::counter("not_understood", Unit::Count),
];

/// Numbers of the metrics, in the order of [`METRICS`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u16)]
pub(crate) enum Metric {
    PageTime,
    Series,
    NotUnderstood,
}

/// The number of the first value that the study names.
pub(crate) const FIRST_NAMED: u16 = METRICS.len() as u16;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_and_names_agree() {
        for (metric, name) in
            [(Metric::PageTime, "page_time"), (Metric::Series, "series"), (Metric::NotUnderstood, "not_understood")]
        {
            assert_eq!(METRICS[metric as usize].name, name);
        }
        assert_eq!(usize::from(FIRST_NAMED), Metric::NotUnderstood as usize + 1);
    }
}
