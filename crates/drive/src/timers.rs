//! What comes due in a lane's slots: wake-ups and time-outs.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use terms::Nanos;

/// What a wake-up is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Wake {
    /// The session asked for it.
    Session,
    /// Think time is over.
    Think,
    /// A virtual user begins an iteration.
    User,
    /// The session of a held connection asked for it with nothing in hand: it is due whatever begins meanwhile.
    Held,
}

#[derive(Clone, Copy, Debug)]
struct SlotTimes {
    /// When the exchange in hand is cut off.
    deadline: Nanos,
    /// The moment of the slot's entry in the heap of time-outs; `Nanos::MAX` where there is none. One is enough, however
    /// many exchanges it has had since, unless one of them is cut off earlier: its entry then counts, and the other is void.
    listed: Nanos,
    /// Numbers the exchanges of this slot, so that a wake-up of an older one is known.
    generation: u32,
}

/// Wake-ups and time-outs of all slots.
#[derive(Debug, Default)]
pub(crate) struct Timers {
    slots: Vec<SlotTimes>,
    /// Moment, slot, generation, reason.
    wakes: BinaryHeap<Reverse<(Nanos, u32, u32, Wake)>>,
    timeouts: BinaryHeap<Reverse<(Nanos, u32)>>,
}

impl Timers {
    /// Makes room for a slot.
    pub(crate) fn add(&mut self) {
        self.slots.push(SlotTimes { deadline: Nanos::MAX, listed: Nanos::MAX, generation: 0 });
    }

    /// A slot is woken at `at`, unless something else of it begins before.
    #[inline]
    pub(crate) fn wake(&mut self, slot: u32, at: Nanos, wake: Wake) {
        self.wakes.push(Reverse((at, slot, self.slots[slot as usize].generation, wake)));
    }

    /// Something else begins in a slot: the wake-ups it had are void.
    #[inline]
    pub(crate) fn renew(&mut self, slot: u32) {
        let generation = &mut self.slots[slot as usize].generation;
        *generation = generation.wrapping_add(1);
    }

    /// An exchange begins in a slot, and is cut off at `deadline`.
    #[inline]
    pub(crate) fn begin(&mut self, slot: u32, deadline: Nanos) {
        self.renew(slot);
        let times = &mut self.slots[slot as usize];
        times.deadline = deadline;
        if deadline < times.listed {
            times.listed = deadline;
            self.timeouts.push(Reverse((deadline, slot)));
        }
    }

    /// Number of wake-ups, void ones included.
    pub(crate) fn wakes(&self) -> usize {
        self.wakes.len()
    }

    /// Takes a wake-up that is due. Its reason is none where it has become void.
    #[inline]
    pub(crate) fn take_wake(&mut self, now: Nanos) -> Option<(u32, Option<Wake>)> {
        let &Reverse((at, slot, generation, wake)) = self.wakes.peek()?;
        if at > now {
            return None;
        }
        self.wakes.pop();
        let is_due = wake == Wake::Held || self.slots[slot as usize].generation == generation;
        Some((slot, is_due.then_some(wake)))
    }

    /// Takes a slot whose exchange is past its deadline. `is_in_hand` says whether a slot has one.
    #[inline]
    pub(crate) fn take_timeout(&mut self, now: Nanos, is_in_hand: impl Fn(u32) -> bool) -> Option<u32> {
        while let Some(&Reverse((at, slot))) = self.timeouts.peek() {
            if at > now {
                return None;
            }
            self.timeouts.pop();
            let times = &mut self.slots[slot as usize];
            if at != times.listed {
                continue;
            }
            times.listed = Nanos::MAX;
            if !is_in_hand(slot) {
                continue;
            }
            if times.deadline <= now {
                return Some(slot);
            }
            // The entry was of an exchange before.
            times.listed = times.deadline;
            self.timeouts.push(Reverse((times.deadline, slot)));
        }
        None
    }

    /// When the next of them may be due.
    pub(crate) fn next(&self) -> Option<Nanos> {
        let wake = self.wakes.peek().map(|Reverse((at, ..))| *at);
        let timeout = self.timeouts.peek().map(|Reverse((at, _))| *at);
        wake.into_iter().chain(timeout).min()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn timers(slots: usize) -> Timers {
        let mut timers = Timers::default();
        (0..slots).for_each(|_| timers.add());
        timers
    }

    #[test]
    fn a_wake_up_of_what_has_ended_is_void() {
        let mut timers = timers(2);
        timers.wake(0, Nanos(5), Wake::Session);
        timers.wake(1, Nanos(7), Wake::Think);
        timers.renew(0);
        assert_eq!((timers.wakes(), timers.next()), (2, Some(Nanos(5))));
        assert_eq!(timers.take_wake(Nanos(4)), None);
        assert_eq!(timers.take_wake(Nanos(9)), Some((0, None)));
        assert_eq!(timers.take_wake(Nanos(9)), Some((1, Some(Wake::Think))));
        assert_eq!((timers.take_wake(Nanos(9)), timers.next()), (None, None));
    }

    #[test]
    fn what_a_held_connection_asked_for_is_due_whatever_began_since() {
        let mut timers = timers(1);
        timers.wake(0, Nanos(5), Wake::Held);
        timers.begin(0, Nanos(100));
        assert_eq!(timers.take_wake(Nanos(5)), Some((0, Some(Wake::Held))));
    }

    #[test]
    fn a_slot_has_one_entry_and_is_cut_off_at_the_deadline_of_what_it_has_in_hand() {
        let mut timers = timers(1);
        for exchange in 1..=1000 {
            timers.begin(0, Nanos(exchange * 10));
        }
        assert_eq!((timers.timeouts.len(), timers.next()), (1, Some(Nanos(10))));
        assert_eq!(timers.take_timeout(Nanos(9_999), |_| true), None, "those before have ended");
        assert_eq!((timers.timeouts.len(), timers.next()), (1, Some(Nanos(10_000))));
        assert_eq!(timers.take_timeout(Nanos(10_000), |_| true), Some(0));
        assert_eq!(timers.take_timeout(Nanos(10_000), |_| true), None, "it is cut off once");
        timers.begin(0, Nanos(20_000));
        assert_eq!(timers.take_timeout(Nanos(20_000), |_| false), None, "nothing is in hand");
        timers.begin(0, Nanos(30_000));
        assert_eq!(timers.next(), Some(Nanos(30_000)));
    }

    #[test]
    fn a_shorter_time_out_after_a_longer_one_is_kept() {
        let mut timers = timers(1);
        timers.begin(0, Nanos(30_000));
        timers.begin(0, Nanos(3_000));
        assert_eq!(timers.next(), Some(Nanos(3_000)));
        assert_eq!(timers.take_timeout(Nanos(2_999), |_| true), None);
        assert_eq!(timers.take_timeout(Nanos(3_000), |_| true), Some(0));
        // The entry of the longer one, whose exchange has ended long since, cuts nothing off.
        timers.begin(0, Nanos(40_000));
        assert_eq!(timers.take_timeout(Nanos(30_000), |_| true), None);
        assert_eq!(timers.take_timeout(Nanos(40_000), |_| true), Some(0));
        assert_eq!((timers.take_timeout(Nanos(99_000), |_| true), timers.next()), (None, None));
    }
}
