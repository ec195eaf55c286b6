//! Starts of an open load: by the schedule, and those that wait for a connection.

use std::collections::VecDeque;
use std::iter::{Peekable, Take};
use terms::Nanos;

/// Arrivals that wait for a connection at once; more are dropped, on the generator's account.
const WAITING_MAX: usize = 1 << 20;

/// A start that is due.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Pending {
    pub(crate) serial: u64,
    pub(crate) intended: Nanos,
    pub(crate) step: u32,
    pub(crate) stream: u16,
}

/// One thread's starts of a schedule.
pub(crate) struct Arrivals<'a> {
    schedule: Peekable<Take<plan::Starts<'a>>>,
    /// From the beginning of the scenario's load to that of the schedule.
    after: Nanos,
    waiting: VecDeque<Pending>,
}

/// What a schedule says at some moment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Next {
    /// Start of this number is due, since this offset.
    Due(u64, Nanos),
    /// Nothing before this offset.
    NotBefore(Nanos),
    /// Nothing any more.
    Never,
}

impl<'a> Arrivals<'a> {
    /// Those of thread `worker` of so many that `share` the schedule; any further thread has none.
    pub(crate) fn of(schedule: &'a plan::Schedule, after: Nanos, worker: u64, sharing: u64) -> Self {
        let most = if worker < sharing { usize::MAX } else { 0 };
        Self { schedule: schedule.starts(worker, sharing).take(most).peekable(), after, waiting: VecDeque::new() }
    }

    /// Takes the next start if it is due. Times are offsets from the beginning of the scenario's load.
    #[inline]
    pub(crate) fn next(&mut self, now: Nanos) -> Next {
        let Some(&(serial, offset)) = self.schedule.peek() else { return Next::Never };
        let offset = self.after + offset;
        if offset > now {
            return Next::NotBefore(offset);
        }
        self.schedule.next();
        Next::Due(serial, offset)
    }

    /// Whether the schedule has starts that were not taken.
    pub(crate) fn is_left(&mut self) -> bool {
        self.schedule.peek().is_some()
    }

    /// Takes the next start whenever it is.
    pub(crate) fn take_left(&mut self) -> Option<(u64, Nanos)> {
        self.schedule.next().map(|(serial, offset)| (serial, self.after + offset))
    }

    /// Number of arrivals that wait for a connection.
    #[inline]
    pub(crate) fn waiting(&self) -> usize {
        self.waiting.len()
    }

    /// Lets an arrival wait; `false` where too many do.
    pub(crate) fn wait(&mut self, pending: Pending) -> bool {
        let has_room = self.waiting.len() < WAITING_MAX;
        if has_room {
            self.waiting.push_back(pending);
        }
        has_room
    }

    /// The arrival that has waited longest.
    pub(crate) fn take_waiting(&mut self) -> Option<Pending> {
        self.waiting.pop_front()
    }
}
