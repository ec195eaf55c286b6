//! The newest sample of each metric, and the samples that should have come since.

use record::{MonitorHead, SampleRow};
use std::collections::BTreeMap;
use terms::Nanos;

/// Samples that are written as missing, at most: of a longer time they stand farther apart.
const MISSING_MAX: u64 = 2_000_000;

/// The newest sample of each metric: monitor, instance, metric.
#[derive(Debug, Default)]
pub(in crate::nodes) struct Newest(BTreeMap<(u16, String, u16), Nanos>);

impl Newest {
    /// A sample is there.
    pub(super) fn see(&mut self, row: &SampleRow) {
        // Most come again and again, for which nothing is allocated but a name.
        let newest = self.0.entry((row.monitor, row.instance.clone(), row.metric)).or_insert(row.at);
        *newest = (*newest).max(row.at);
    }

    /// The newest sample of some monitors.
    pub(super) fn of(&self, is_one: impl Fn(u16) -> bool) -> Option<Nanos> {
        self.0.iter().filter(|((monitor, ..), _)| is_one(*monitor)).map(|(_, at)| *at).max()
    }

    /// Those that should have come since, up to `to`, each without a value.
    pub(super) fn missing(&self, monitors: &[MonitorHead], to: Nanos) -> impl Iterator<Item = SampleRow> {
        let every = |monitor: u16| {
            let every_s = monitors.get(usize::from(monitor)).map_or(1.0, |monitor| monitor.every_s);
            Nanos::from_secs_f64(if every_s.is_finite() { every_s.clamp(0.001, 1e6) } else { 1.0 })
        };
        let count = |(key, last): (&(u16, String, u16), &Nanos)| ((to - *last).or_zero().0 / every(key.0).0) as u64;
        let apart = (self.0.iter().map(count).sum::<u64>() / MISSING_MAX + 1) as i64;
        self.0.iter().flat_map(move |((monitor, instance, metric), last)| {
            let every = every(*monitor) * apart;
            let row =
                |at| SampleRow { at, monitor: *monitor, instance: instance.clone(), metric: *metric, value: None };
            let rows: Vec<SampleRow> = std::iter::successors(Some(*last + every), |at| Some(*at + every))
                .take_while(|at| *at < to)
                .map(row)
                .collect();
            rows
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_should_have_been_sampled_is_missing_and_bounded() {
        let monitor = |every_s| MonitorHead { every_s, ..MonitorHead::default() };
        let monitors = [monitor(1.0), monitor(10.0)];
        let row = |monitor: u16, instance: &str, metric, at_s| {
            let (at, instance, value) = (Nanos::from_secs(at_s), instance.into(), Some(1.0));
            SampleRow { at, monitor, instance, metric, value }
        };
        let mut newest = Newest::default();
        for row in [row(0, "a", 3, 5), row(0, "a", 3, 4), row(1, "b", 0, 2)] {
            newest.see(&row);
        }
        let rows: Vec<_> = newest.missing(&monitors, Nanos::from_secs(13)).collect();
        let at: Vec<_> = rows.iter().map(|row| (row.monitor, row.at.second())).collect();
        assert_eq!(at, [(0, 6), (0, 7), (0, 8), (0, 9), (0, 10), (0, 11), (0, 12), (1, 12)]);
        assert!(rows.iter().all(|row| row.value.is_none()));
        assert_eq!(newest.of(|monitor| monitor == 1), Some(Nanos::from_secs(2)));
        assert_eq!(newest.of(|monitor| monitor == 2), None);
        let year = Nanos::from_secs(365 * 86_400);
        let many = newest.missing(&monitors, year).count() as u64;
        assert!(many <= MISSING_MAX && many > MISSING_MAX / 2, "{many}");
    }
}
