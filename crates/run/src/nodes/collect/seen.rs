//! What the conductor itself had seen until it died: its marks, its events, the samples of its monitors.

use crate::error::RunError;
use record::{ClockPair, Entry, Head, Observed, Run, SampleRow, StepMark, Writer};
use std::collections::{BTreeMap, BTreeSet};
use terms::Nanos;

/// Samples that are written at once.
const CHUNK: usize = 4096;
/// Samples that are written as missing, at most: of a longer time they stand farther apart.
const MISSING_MAX: u64 = 2_000_000;

/// What was taken over.
#[derive(Debug, Default)]
pub(super) struct Seen {
    /// Steps of which a mark is there: its number, and whether it is the end.
    marks: BTreeSet<(u32, bool)>,
    /// Events that are there: when, what, and of what.
    events: BTreeSet<(Nanos, String, String)>,
    /// The newest moment that it saw.
    last: Nanos,
    /// The newest sample of each metric: monitor, instance, metric.
    samples: BTreeMap<(u16, String, u16), Nanos>,
}

impl Seen {
    /// Writes it into the new record.
    ///
    /// # Errors
    /// A record that cannot be read; a disk that refuses.
    pub(super) fn take_over(run: &Run, head: &Head, writer: &mut Writer) -> Result<Self, RunError> {
        let mut seen = Self::default();
        for mark in run.steps()? {
            seen.mark(&mark);
            seen.last = seen.last.max(mark.at);
            writer.write(Entry::Step(mark))?;
        }
        for event in run.events()? {
            seen.last = seen.last.max(event.at);
            seen.events.insert((event.at, event.kind.clone(), event.subject.clone()));
            writer.write(Entry::Event(event))?;
        }
        for pair in run.clocks()? {
            let ClockPair { at, .. } = pair;
            seen.last = seen.last.max(at);
            writer.write(Entry::Clock(pair))?;
        }
        let own = own_monitor(head);
        // Those of the nodes come from themselves.
        let is_of_node =
            |row: &SampleRow| Some(row.monitor) == own && head.nodes.iter().any(|node| node.name == row.instance);
        let mut rows = Vec::with_capacity(CHUNK);
        for row in run.samples()? {
            let row = row?;
            if is_of_node(&row) {
                continue;
            }
            seen.last = seen.last.max(row.at);
            let newest = seen.samples.entry((row.monitor, row.instance.clone(), row.metric)).or_insert(row.at);
            *newest = (*newest).max(row.at);
            rows.push(row);
            if rows.len() == CHUNK {
                writer.add(&Observed::Samples(std::mem::take(&mut rows)))?;
            }
        }
        writer.add(&Observed::Samples(rows))?;
        Ok(seen)
    }

    fn mark(&mut self, mark: &StepMark) {
        self.marks.insert((mark.step, mark.is_end));
    }

    /// Whether the begin or the end of a step was marked.
    pub(super) fn has(&self, step: u32, is_end: bool) -> bool {
        self.marks.contains(&(step, is_end))
    }

    /// Whether what comes from a node has been taken over already, and would be there twice.
    pub(super) fn holds(&self, observed: &Observed) -> bool {
        match observed {
            Observed::Step(mark) => self.has(mark.step, mark.is_end),
            Observed::Event(row) => self.events.contains(&(row.at, row.kind.clone(), row.subject.clone())),
            _ => false,
        }
    }

    /// The newest moment that the conductor saw.
    pub(super) fn last(&self) -> Nanos {
        self.last
    }

    /// Writes that samples should have come from then on and did not, up to `to`.
    ///
    /// # Errors
    /// A disk that refuses.
    pub(super) fn write_missing(&self, head: &Head, to: Nanos, writer: &mut Writer) -> Result<(), RunError> {
        let mut rows = Vec::with_capacity(CHUNK);
        for row in self.missing(head, to) {
            rows.push(row);
            if rows.len() == CHUNK {
                writer.add(&Observed::Samples(std::mem::take(&mut rows)))?;
            }
        }
        writer.add(&Observed::Samples(rows))?;
        Ok(())
    }

    fn missing(&self, head: &Head, to: Nanos) -> impl Iterator<Item = SampleRow> {
        let every = |monitor: u16| {
            let every_s = head.monitors.get(usize::from(monitor)).map_or(1.0, |monitor| monitor.every_s);
            Nanos::from_secs_f64(if every_s.is_finite() { every_s.clamp(0.001, 1e6) } else { 1.0 })
        };
        let count = |(key, last): (&(u16, String, u16), &Nanos)| ((to - *last).or_zero().0 / every(key.0).0) as u64;
        let apart = (self.samples.iter().map(count).sum::<u64>() / MISSING_MAX + 1) as i64;
        self.samples.iter().flat_map(move |((monitor, instance, metric), last)| {
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

/// Number of the monitor with which the generator watches itself.
fn own_monitor(head: &Head) -> Option<u16> {
    head.monitors.iter().position(|monitor| monitor.kind == watch::generator::NAME).map(|number| number as u16)
}

#[cfg(test)]
mod tests {
    use super::*;
    use record::MonitorHead;

    #[test]
    fn what_should_have_been_sampled_is_missing_and_bounded() {
        let monitor = |every_s| MonitorHead { every_s, ..MonitorHead::default() };
        let head = Head { monitors: vec![monitor(1.0), monitor(10.0)], ..Head::default() };
        let mut seen = Seen::default();
        seen.samples.insert((0, "a".into(), 3), Nanos::from_secs(5));
        seen.samples.insert((1, "b".into(), 0), Nanos::from_secs(2));
        let rows: Vec<_> = seen.missing(&head, Nanos::from_secs(13)).collect();
        let at: Vec<_> = rows.iter().map(|row| (row.monitor, row.at.second())).collect();
        assert_eq!(at, [(0, 6), (0, 7), (0, 8), (0, 9), (0, 10), (0, 11), (0, 12), (1, 12)]);
        assert!(rows.iter().all(|row| row.value.is_none()));
        let year = Nanos::from_secs(365 * 86_400);
        let many = seen.missing(&head, year).count() as u64;
        assert!(many <= MISSING_MAX && many > MISSING_MAX / 2, "{many}");
    }
}
