//! What has come of each partition: offsets, which tell what is delivered again, and the numbers that the study's records
//! bear, which tell what was produced twice or came out of order.

use std::collections::{HashMap, VecDeque};
use std::sync::atomic::{AtomicI64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

/// Numbers of a partition that are known to have come, beside the highest.
const RECENT_MAX: usize = 256;
/// Partitions of which numbers are known. Records of others are in order as far as anybody knows.
const PARTITIONS_MAX: usize = 4096;

/// The offset behind the highest that was read, of each partition.
#[derive(Debug, Default)]
pub(crate) struct Offsets(Vec<AtomicI64>);

impl Offsets {
    pub(crate) fn new(partitions: usize) -> Self {
        Self((0..partitions.min(PARTITIONS_MAX)).map(|_| AtomicI64::new(i64::MIN)).collect())
    }

    /// Takes a record; whether it, or one behind it, has been read before.
    pub(crate) fn is_again(&self, partition: i32, offset: i64) -> bool {
        let next = usize::try_from(partition).ok().and_then(|partition| self.0.get(partition));
        next.is_some_and(|next| next.fetch_max(offset.saturating_add(1), Ordering::Relaxed) > offset)
    }
}

/// Of the groups of a run, whose members may be on several threads: a partition goes from one to another.
#[derive(Debug, Default)]
pub(crate) struct Groups(Mutex<HashMap<(String, String, String), Arc<Offsets>>>);

impl Groups {
    /// Those of a group that reads a topic of a cluster.
    pub(crate) fn offsets(&self, of: (&str, &str, &str), partitions: usize) -> Arc<Offsets> {
        let key = (of.0.to_owned(), of.1.to_owned(), of.2.to_owned());
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        all.entry(key).or_insert_with(|| Arc::new(Offsets::new(partitions))).clone()
    }
}

/// What a record's number says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Placed {
    /// It is the highest of its partition so far.
    Next,
    /// It comes after a higher one.
    OutOfOrder,
    /// It has come before.
    Again,
}

/// Numbers of the records of one connection. Between two of a partition any number may lie, in another one.
#[derive(Debug, Default)]
pub(crate) struct Numbers(HashMap<i32, VecDeque<i64>>);

impl Numbers {
    /// A record of a partition comes with this number.
    pub(crate) fn place(&mut self, partition: i32, number: i64) -> Placed {
        if self.0.len() >= PARTITIONS_MAX && !self.0.contains_key(&partition) {
            return Placed::Next;
        }
        // The last is the highest.
        let recent = self.0.entry(partition).or_default();
        let highest = recent.back().copied();
        if highest.is_some_and(|highest| number <= highest) && recent.contains(&number) {
            return Placed::Again;
        }
        if recent.len() >= RECENT_MAX {
            recent.pop_front();
        }
        if highest.is_none_or(|highest| number > highest) {
            recent.push_back(number);
            return Placed::Next;
        }
        let place = recent.len().saturating_sub(1);
        recent.insert(place, number);
        Placed::OutOfOrder
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_offset_that_is_not_ahead_was_read_before() {
        let offsets = Offsets::new(2);
        assert_eq!(
            [5, 6, 8, 8, 7, 9].map(|offset| offsets.is_again(1, offset)),
            [false, false, false, true, true, false]
        );
        assert!(!offsets.is_again(0, 0), "each partition has its own");
        assert!(!offsets.is_again(2, 1) && !offsets.is_again(2, 1) && !offsets.is_again(-1, 1), "not known");
    }

    #[test]
    fn the_members_of_a_group_share_what_they_have_read() {
        let groups = Groups::default();
        assert!(!groups.offsets(("b:1", "orders", "store"), 3).is_again(0, 4));
        assert!(groups.offsets(("b:1", "orders", "store"), 3).is_again(0, 4));
        assert!(!groups.offsets(("b:1", "orders", "other"), 3).is_again(0, 4));
    }

    #[test]
    fn numbers_rise_within_their_partition() {
        let mut numbers = Numbers::default();
        let all = [(0, 1), (1, 2), (0, 7), (0, 4), (0, 7), (0, 4), (1, 2), (0, 8)].map(|(p, n)| numbers.place(p, n));
        let (next, late, again) = (Placed::Next, Placed::OutOfOrder, Placed::Again);
        assert_eq!(all, [next, next, next, late, again, again, again, next]);
    }

    #[test]
    fn memory_is_bounded() {
        let mut numbers = Numbers::default();
        (0..10_000).for_each(|number| assert_eq!(numbers.place(0, number), Placed::Next));
        assert_eq!(numbers.0[&0].len(), RECENT_MAX);
        assert_eq!(numbers.place(0, 9_999 - 255), Placed::Again);
        assert_eq!(numbers.place(0, 3), Placed::OutOfOrder, "so old that nobody knows");
        (0..10_000).for_each(|partition| _ = numbers.place(partition, 1));
        assert_eq!(numbers.0.len(), PARTITIONS_MAX);
    }
}
