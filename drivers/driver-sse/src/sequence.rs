//! Numbers of the events of one connection, each one more than the one before: what is missing among them, what comes out
//! of order, and what comes twice.
//!
//! Of the last 128 numbers each is known. A number that has not come when 128 later ones have is lost.

/// What an event's number says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Placed {
    /// It is the highest so far.
    Next,
    /// It comes after later ones.
    OutOfOrder,
    /// It has come before, or is so old that it counts as lost.
    Again,
}

/// The numbers that have come.
#[derive(Debug, Default)]
pub(crate) struct Sequence {
    /// The lowest number, and the one that is next; none before the first event.
    span: Option<(i64, i64)>,
    /// Bit *i* for number `next - 1 - i`: whether it has come, or is none that could.
    seen: u128,
    /// Events since the last number whose own number could not be read: each has one of those left out next.
    unnumbered: u32,
    /// Numbers that are lost, until they are asked for.
    lost: u64,
}

impl Sequence {
    /// An event comes with this number.
    pub(crate) fn place(&mut self, number: i64) -> Placed {
        let Some((first, next)) = self.span else {
            *self = Self { span: Some((number, number.saturating_add(1))), seen: u128::MAX, ..Self::default() };
            return Placed::Next;
        };
        // One below the first is not a hole of this connection: it was sent before it, and is let pass.
        if number < first {
            return Placed::OutOfOrder;
        }
        if number < next {
            return match number.abs_diff(next) - 1 {
                index if index < u64::from(u128::BITS) && self.seen & (1 << index) == 0 => {
                    self.seen |= 1 << index;
                    Placed::OutOfOrder
                }
                _ => Placed::Again,
            };
        }
        let unnumbered = std::mem::take(&mut self.unnumbered);
        for _ in 0..u64::from(unnumbered).min(number.abs_diff(next)) {
            self.push(true);
        }
        self.leave_out(number);
        self.push(true);
        Placed::Next
    }

    /// An event comes whose number cannot be read.
    pub(crate) fn pass_over(&mut self) {
        self.unnumbered = self.unnumbered.saturating_add(1);
    }

    /// Numbers up to this one have not come.
    fn leave_out(&mut self, number: i64) {
        let Some((first, next)) = self.span else { return };
        let holes = number.abs_diff(next);
        for _ in 0..holes.min(u128::BITS.into()) {
            self.push(false);
        }
        // All of the window are holes by now, and so were those that it never reached.
        self.lost = self.lost.saturating_add(holes.saturating_sub(u128::BITS.into()));
        self.span = Some((first, number));
    }

    /// The next number comes, or does not; the oldest of the window leaves it.
    fn push(&mut self, comes: bool) {
        let Some((_, next)) = &mut self.span else { return };
        *next = next.saturating_add(1);
        self.lost = self.lost.saturating_add((self.seen >> (u128::BITS - 1) == 0).into());
        self.seen = self.seen << 1 | u128::from(comes);
    }

    /// Numbers that have not come and still may.
    pub(crate) fn holes(&self) -> u32 {
        if self.span.is_some() { self.seen.count_zeros() } else { 0 }
    }

    /// Numbers that have become lost since this was last asked.
    pub(crate) fn take_lost(&mut self) -> u64 {
        std::mem::take(&mut self.lost)
    }

    /// The connection has ended: what has not come never will. Another one begins anew. Returns how many are lost.
    pub(crate) fn end(&mut self) -> u64 {
        let lost = self.lost.saturating_add(self.holes().into());
        *self = Self::default();
        lost
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    fn placed(numbers: &[i64]) -> (Sequence, Vec<Placed>) {
        let mut sequence = Sequence::default();
        let placed = numbers.iter().map(|number| sequence.place(*number)).collect();
        (sequence, placed)
    }

    #[test]
    fn numbers_in_order_leave_nothing_out_wherever_they_start() {
        for start in [i64::MIN, -5, 0, 1, 1 << 60] {
            let (mut sequence, all) = placed(&(start..start + 500).collect::<Vec<_>>());
            assert!(all.iter().all(|one| *one == Placed::Next));
            assert_eq!((sequence.holes(), sequence.take_lost(), sequence.end()), (0, 0, 0));
        }
    }

    #[test]
    fn a_hole_may_be_filled_and_is_lost_when_the_connection_ends() {
        let (mut sequence, all) = placed(&[7, 8, 11, 9, 9, 8, 12]);
        let (next, late, again) = (Placed::Next, Placed::OutOfOrder, Placed::Again);
        assert_eq!(all, [next, next, next, late, again, again, next]);
        assert_eq!((sequence.holes(), sequence.take_lost(), sequence.end()), (1, 0, 1));
        assert_eq!(sequence.place(3), next, "another connection has numbers of its own");
    }

    #[test]
    fn a_hole_that_leaves_the_window_is_lost_at_once() {
        let (mut sequence, _) = placed(&[1, 3]);
        (4..=129).for_each(|number| assert_eq!(sequence.place(number), Placed::Next));
        assert_eq!((sequence.holes(), sequence.take_lost()), (1, 0));
        sequence.place(130);
        assert_eq!((sequence.holes(), sequence.take_lost()), (0, 1));
        assert_eq!((sequence.place(2), sequence.end()), (Placed::Again, 0), "it counts as lost already");
    }

    #[test]
    fn a_leap_loses_all_between_and_costs_no_time() {
        let (mut sequence, _) = placed(&[1, i64::MAX - 1]);
        assert_eq!(sequence.holes(), 127);
        assert_eq!(sequence.end(), (i64::MAX - 3) as u64);
        let (mut sequence, all) = placed(&[i64::MIN, i64::MAX - 1, 5, i64::MAX - 1]);
        assert_eq!(all[1..], [Placed::Next, Placed::Again, Placed::Again]);
        assert_eq!(sequence.end(), u64::MAX - 2);
    }

    #[test]
    fn what_cannot_be_read_takes_the_number_that_is_left_out_next() {
        let mut sequence = Sequence::default();
        sequence.place(1);
        sequence.pass_over();
        assert_eq!(sequence.place(3), Placed::Next);
        assert_eq!(sequence.holes(), 0);
        // It had no number where none is left out, and fills no later hole.
        sequence.pass_over();
        sequence.place(4);
        sequence.place(6);
        assert_eq!(sequence.holes(), 1);
        // Of two left out one is accounted for.
        sequence.pass_over();
        sequence.place(9);
        assert_eq!(sequence.end(), 2);
    }

    proptest! {
        /// Against a set of all numbers, for what comes no more out of order than the window is long.
        #[test]
        fn it_says_the_same_as_a_set(steps in proptest::collection::vec((0i64..4, any::<bool>()), 1..600)) {
            let (mut sequence, mut all, mut highest) = (Sequence::default(), BTreeSet::new(), 100);
            prop_assert_eq!(sequence.place(100), Placed::Next);
            all.insert(100);
            let mut lost = 0;
            for (step, goes_back) in steps {
                let number = if goes_back { (highest - step * 17).max(100) } else { highest + 1 + step };
                let expected = match () {
                    () if number > highest => Placed::Next,
                    () if all.contains(&number) => Placed::Again,
                    () => Placed::OutOfOrder,
                };
                prop_assert_eq!(sequence.place(number), expected);
                all.insert(number);
                highest = highest.max(number);
                lost += sequence.take_lost();
            }
            prop_assert_eq!(lost + sequence.end() + all.len() as u64, (highest - 99) as u64);
        }
    }
}
