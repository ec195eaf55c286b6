//! What a node was ordered by a conductor that has died.

use crate::nodes::link::Inbox;
use crate::nodes::message::{Frame, Order, read};
use record::NodeHead;
use terms::Nanos;

/// The last scenario that it was told to carry out, and its clock.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Ordered {
    /// Place of the scenario in the plan.
    pub(super) scenario: Option<usize>,
    /// When its load begins, if that was stated.
    pub(super) origin: Option<Nanos>,
    /// Offsets of its clock, nanoseconds: the first, and the newest.
    clocks: Option<(i64, i64)>,
}

impl Ordered {
    /// # Errors
    /// Why it cannot be told.
    pub(super) fn read(mut orders: Box<dyn Inbox>) -> Result<Self, String> {
        let mut ordered = Self::default();
        while let Some(frame) = orders.next().map_err(|error| error.to_string())? {
            // Files of the study are long and say nothing here.
            if let Some(Frame::Said(order)) = read::<Order>(&frame) {
                ordered.take(&order);
            }
        }
        Ok(ordered)
    }

    fn take(&mut self, order: &Order) {
        match order {
            Order::SetUp(share) => (self.scenario, self.origin) = (Some(share.scenario), None),
            Order::Begin { origin_ns } => self.origin = origin_ns.map(Nanos),
            Order::Clock { offset_ns } => {
                let first = self.clocks.map_or(*offset_ns, |(first, _)| first);
                self.clocks = Some((first, *offset_ns));
            }
            _ => {}
        }
    }

    /// The offset that holds now, and a bound that covers how far it ran away since it was asked first.
    pub(super) fn tell_clock(&self, node: &mut NodeHead) {
        let Some((first, newest)) = self.clocks else { return };
        node.clock_offset_ns = newest;
        node.clock_error_ns = node.clock_error_ns.max(newest.saturating_sub(first).saturating_abs());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::nodes::message::Share;

    #[test]
    fn the_last_scenario_counts_and_a_new_one_has_not_begun() {
        let set_up = |scenario| {
            let (kept, elsewhere) = (Vec::new(), None);
            Order::SetUp(Box::new(Share { scenario, first: 0, threads: 1, workers: 2, kept, elsewhere }))
        };
        let mut ordered = Ordered::default();
        for order in [Order::Clock { offset_ns: 5 }, set_up(0), Order::Begin { origin_ns: Some(7) }] {
            ordered.take(&order);
        }
        assert_eq!((ordered.scenario, ordered.origin), (Some(0), Some(Nanos(7))));
        ordered.take(&Order::Clock { offset_ns: 2 });
        ordered.take(&set_up(1));
        assert_eq!((ordered.scenario, ordered.origin), (Some(1), None));
        let mut node = NodeHead { clock_error_ns: 1, ..NodeHead::default() };
        ordered.tell_clock(&mut node);
        assert_eq!((node.clock_offset_ns, node.clock_error_ns), (2, 3));
    }
}
