//! What the conductor itself had seen until it died: its marks, its events, the samples of its monitors.

use crate::error::RunError;
use crate::nodes::newest::Newest;
use record::{ClockPair, Entry, Head, MonitorHead, Observed, Run, SampleRow, StepMark, Writer};
use std::collections::BTreeSet;
use terms::Nanos;

/// Samples that are written at once.
const CHUNK: usize = 4096;
/// What was taken over.
#[derive(Debug, Default)]
pub(super) struct Seen {
    /// Steps of which a mark is there: its number, and whether it is the end.
    marks: BTreeSet<(u32, bool)>,
    /// Events that are there: when, what, and of what.
    events: BTreeSet<(Nanos, String, String)>,
    /// The newest moment that it saw.
    last: Nanos,
    samples: Newest,
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
        let carried =
            |number: u16| head.monitors.get(usize::from(number)).is_some_and(|monitor| monitor.carrier().is_some());
        let is_of_node = |row: &SampleRow| {
            let is_self = Some(row.monitor) == own && head.nodes.iter().any(|node| node.name == row.instance);
            is_self || carried(row.monitor)
        };
        let mut rows = Vec::with_capacity(CHUNK);
        for row in run.samples()? {
            let row = row?;
            if is_of_node(&row) {
                continue;
            }
            seen.last = seen.last.max(row.at);
            seen.samples.see(&row);
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

    /// Samples of what a node watched have come from it.
    pub(super) fn see(&mut self, rows: &[SampleRow], monitors: &[MonitorHead]) {
        for row in rows {
            if monitors.get(usize::from(row.monitor)).is_some_and(|monitor| monitor.carrier().is_some()) {
                self.samples.see(row);
            }
        }
    }

    /// The newest sample of what a node watched.
    pub(super) fn last_of(&self, node: &str, monitors: &[MonitorHead]) -> Option<Nanos> {
        let is_own = |number: u16| monitors.get(usize::from(number)).is_some_and(|one| one.carrier() == Some(node));
        self.samples.of(is_own)
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
        for row in self.samples.missing(&head.monitors, to) {
            rows.push(row);
            if rows.len() == CHUNK {
                writer.add(&Observed::Samples(std::mem::take(&mut rows)))?;
            }
        }
        writer.add(&Observed::Samples(rows))?;
        Ok(())
    }
}

/// Number of the monitor with which the generator watches itself.
fn own_monitor(head: &Head) -> Option<u16> {
    head.monitors.iter().position(|monitor| monitor.kind == watch::generator::NAME).map(|number| number as u16)
}
