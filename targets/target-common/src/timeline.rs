//! The heap of due times.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use crate::slots::SlotId;

/// An answer that is due: when, of which request, on which connection.
pub(crate) type Due = (u64, u64, SlotId);

/// Answers in the order of their due times; equal times in the order of their numbers.
///
/// Bounded by connections times the requests that one connection may have waiting.
#[derive(Default)]
pub(crate) struct Timeline {
    heap: BinaryHeap<Reverse<Due>>,
}

impl Timeline {
    pub(crate) fn push(&mut self, due_ns: u64, number: u64, id: SlotId) {
        self.heap.push(Reverse((due_ns, number, id)));
    }

    /// When the next answer is due.
    pub(crate) fn next_ns(&self) -> Option<u64> {
        self.heap.peek().map(|Reverse((due_ns, ..))| *due_ns)
    }

    /// Takes the next answer, when it is due by `now_ns`.
    pub(crate) fn pop_due(&mut self, now_ns: u64) -> Option<Due> {
        self.next_ns().filter(|due_ns| *due_ns <= now_ns)?;
        self.heap.pop().map(|Reverse(due)| due)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_come_in_order_of_time_then_number_and_never_early() {
        let mut timeline = Timeline::default();
        for (due, number) in [(30, 0), (10, 2), (10, 1)] {
            timeline.push(due, number, SlotId(number));
        }
        assert_eq!(timeline.next_ns(), Some(10));
        assert_eq!(timeline.pop_due(9), None);
        assert_eq!(timeline.pop_due(29), Some((10, 1, SlotId(1))));
        assert_eq!(timeline.pop_due(29), Some((10, 2, SlotId(2))));
        assert_eq!(timeline.pop_due(29), None);
        assert_eq!(timeline.pop_due(30), Some((30, 0, SlotId(0))));
    }
}
