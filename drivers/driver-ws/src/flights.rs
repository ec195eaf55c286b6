//! Messages of one connection that wait for their answers, and which one an answer belongs to.
//!
//! An echo is known by its content, of which only a hash is kept: a message carries a number, so no other has the same.
//! With it what comes late, twice or out of order is told from the answer of another message.

use contract::{NO_STREAM, Task};
use std::collections::VecDeque;
use std::hash::Hasher;
use terms::Nanos;

/// Messages whose time was over, of which a late answer is still known for what it is. Those that are waited for are as
/// many as come due within that time.
const OPEN_MAX: usize = 256;
/// Answered messages of which a second answer is known for one.
const ANSWERED_MAX: usize = 4;

/// What the content of a right answer hashes to.
pub(crate) fn hash(content: &[u8]) -> u64 {
    let mut hasher = std::hash::DefaultHasher::new();
    hasher.write(content);
    hasher.finish()
}

/// A message that was sent, as far as its answer needs it.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Flight {
    /// What the content of its right answer hashes to, where that is known.
    expected: Option<u64>,
    serial: u64,
    row: u64,
    /// Which message of its connection it was, from 0.
    number: u64,
    step: u32,
    exchange: u16,
}

impl Flight {
    /// Its task, as far as the books need it to find what is waited for.
    fn task(&self) -> Task {
        let Self { serial, row, step, exchange, .. } = *self;
        let (intended, deadline) = (Nanos::ZERO, Nanos::MAX);
        Task { exchange, serial, row, units: 1, intended, deadline, step, stream: NO_STREAM }
    }
}

/// Whose answer something is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Owner {
    /// This message's.
    One {
        task: Task,
        /// Which message of its connection that is, from 0.
        number: u64,
        /// Whether one that was sent after it was answered before.
        is_out_of_order: bool,
    },
    /// This message's, which had one before.
    Answered(Task),
    /// No message's: this is the oldest that waits, and since a connection keeps the order, it is its wrong answer.
    Wrong(Task),
    /// Nothing was waiting.
    Nobody,
}

/// The messages of one connection that wait for their answers, in the order in which they were sent.
#[derive(Debug, Default)]
pub(crate) struct Flights {
    /// Those without an answer, also when their time is over.
    open: VecDeque<Flight>,
    answered: VecDeque<Flight>,
    /// Messages sent so far.
    sent: u64,
    /// The newest message that was answered.
    newest: Option<u64>,
}

impl Flights {
    /// Number of the message that is sent next, from 0.
    pub(crate) fn number(&self) -> u64 {
        self.sent
    }

    /// It is on its way, and needs no answer.
    pub(crate) fn count(&mut self) {
        self.sent += 1;
    }

    /// It is on its way, and the content of its right answer hashes to this. `is_awaited` says whether a message's time
    /// is not over yet.
    pub(crate) fn push(&mut self, task: &Task, expected: Option<u64>, is_awaited: impl Fn(&Task) -> bool) {
        let Task { serial, row, step, exchange, .. } = *task;
        self.open.push_back(Flight { expected, serial, row, number: self.sent, step, exchange });
        self.sent += 1;
        while self.open.len() > OPEN_MAX && self.open.front().is_some_and(|flight| !is_awaited(&flight.task())) {
            self.open.pop_front();
        }
    }

    /// Whose echo has this content.
    pub(crate) fn echoed(&mut self, content: u64, is_awaited: impl Fn(&Task) -> bool) -> Owner {
        if let Some(index) = self.open.iter().position(|flight| flight.expected == Some(content)) {
            return self.take(index);
        }
        if let Some(flight) = self.answered.iter().find(|flight| flight.expected == Some(content)) {
            return Owner::Answered(flight.task());
        }
        match self.open.iter().position(|flight| is_awaited(&flight.task())) {
            Some(index) => self.take_wrong(index),
            None => Owner::Nobody,
        }
    }

    /// Whose answer it is where answers come in order: the oldest message's, also when its time is over. Whether its
    /// content is the right one is asked where that is known.
    pub(crate) fn next_answered(&mut self, content: impl FnOnce() -> u64) -> Owner {
        match self.open.front() {
            Some(flight) if flight.expected.is_none_or(|expected| expected == content()) => self.take(0),
            Some(_) => self.take_wrong(0),
            None => Owner::Nobody,
        }
    }

    fn take_wrong(&mut self, index: usize) -> Owner {
        self.open.remove(index).map_or(Owner::Nobody, |flight| Owner::Wrong(flight.task()))
    }

    fn take(&mut self, index: usize) -> Owner {
        let Some(flight) = self.open.remove(index) else { return Owner::Nobody };
        if self.answered.len() == ANSWERED_MAX {
            self.answered.pop_front();
        }
        self.answered.push_back(flight);
        let is_out_of_order = self.newest.is_some_and(|newest| flight.number < newest);
        self.newest = self.newest.max(Some(flight.number));
        Owner::One { task: flight.task(), number: flight.number, is_out_of_order }
    }

    /// Takes a message without an answer, from the oldest: the connection is lost.
    pub(crate) fn lose(&mut self) -> Option<Task> {
        self.open.pop_front().map(|flight| flight.task())
    }

    /// Nothing that was sent can be answered any more. Numbers go on.
    pub(crate) fn forget(&mut self) {
        *self = Self { sent: self.sent, ..Self::default() };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn task(serial: u64) -> Task {
        let (intended, deadline) = (Nanos::ZERO, Nanos::MAX);
        Task { exchange: 0, serial, row: 3, units: 1, intended, deadline, step: 0, stream: NO_STREAM }
    }

    /// So many messages sent, each with its number as what is expected.
    fn sent(count: u64) -> Flights {
        let mut flights = Flights::default();
        for serial in 0..count {
            assert_eq!(flights.number(), serial);
            flights.push(&task(serial), Some(serial), |_| true);
        }
        flights
    }

    fn one(serial: u64, is_out_of_order: bool) -> Owner {
        Owner::One { task: task(serial), number: serial, is_out_of_order }
    }

    #[test]
    fn an_echo_is_known_by_its_content() {
        let mut flights = sent(4);
        let mut echoed = |content| flights.echoed(content, |_| true);
        assert_eq!(echoed(0), one(0, false));
        assert_eq!(echoed(2), one(2, false), "the one before it may be lost");
        assert_eq!(echoed(1), one(1, true), "it was not");
        assert_eq!(echoed(2), Owner::Answered(task(2)));
        assert_eq!(echoed(3), one(3, false));
        assert_eq!(echoed(77), Owner::Nobody);
    }

    #[test]
    fn what_is_no_echo_is_the_wrong_one_of_the_oldest_that_waits() {
        let mut flights = sent(3);
        assert_eq!(flights.echoed(77, |task| task.serial > 0), Owner::Wrong(task(1)));
        assert_eq!(flights.echoed(2, |_| true), one(2, false));
        assert_eq!(flights.echoed(0, |_| false), one(0, true), "late, and known for what it is");
        assert_eq!(flights.echoed(77, |_| false), Owner::Nobody);
    }

    #[test]
    fn memory_is_bounded_however_much_is_lost() {
        let mut flights = Flights::default();
        (0..1000).for_each(|serial| flights.push(&task(serial), Some(serial), |_| false));
        assert_eq!(flights.open.len(), OPEN_MAX);
        assert_eq!(flights.echoed(0, |_| false), Owner::Nobody, "too old to be known");
        assert_eq!(flights.echoed(999, |_| false), one(999, false));
        // What is waited for is never forgotten.
        (1000..2000).for_each(|serial| flights.push(&task(serial), Some(serial), |task| task.serial >= 1000));
        assert_eq!(flights.open.len(), 1000);
        assert_eq!(flights.echoed(1000, |_| true), one(1000, false));
    }

    #[test]
    fn answers_in_order_belong_to_the_oldest() {
        let mut flights = sent(2);
        assert_eq!(flights.next_answered(|| 0), one(0, false));
        assert_eq!(flights.next_answered(|| 0), Owner::Wrong(task(1)));
        assert_eq!(flights.next_answered(|| 2), Owner::Nobody);
        flights.push(&task(2), None, |_| true);
        assert_eq!(flights.next_answered(|| panic!("nothing is expected of it")), one(2, false));
    }

    #[test]
    fn numbers_go_on_when_a_connection_is_lost() {
        let mut flights = sent(2);
        flights.count();
        assert_eq!((flights.lose(), flights.lose(), flights.lose()), (Some(task(0)), Some(task(1)), None));
        flights.forget();
        assert_eq!((flights.number(), flights.echoed(0, |_| true)), (3, Owner::Nobody));
    }
}
