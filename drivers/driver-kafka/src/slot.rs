//! Where a session hears of its records: acknowledgments are counted down by the client's thread, and the last one wakes
//! the session.

use rustix::event::{EventfdFlags, eventfd};
use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::sync::Mutex;
use terms::Outcome;

/// Signs that are kept of why a record failed.
const WHY_MAX: usize = 200;

/// What became of the records of an exchange.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Done {
    /// `Ok` if every record was acknowledged, else how the first ended that was not.
    pub(crate) outcome: Outcome,
    pub(crate) why: String,
    /// Acknowledgments of earlier exchanges that came since.
    pub(crate) late: u64,
}

#[derive(Debug)]
struct Awaited {
    /// Counts the exchanges of the slot, so that what comes late is told apart.
    number: usize,
    open: u32,
    outcome: Outcome,
    why: String,
    late: u64,
}

/// One session's.
#[derive(Debug)]
pub(crate) struct Mailbox {
    awaited: Mutex<Awaited>,
    bell: OwnedFd,
}

impl Mailbox {
    /// # Errors
    /// No descriptor is left.
    pub(crate) fn new() -> io::Result<Self> {
        let bell = eventfd(0, EventfdFlags::NONBLOCK | EventfdFlags::CLOEXEC)?;
        let awaited =
            Awaited { number: 0, open: 0, outcome: Outcome::Ok, why: String::with_capacity(WHY_MAX), late: 0 };
        Ok(Self { awaited: Mutex::new(awaited), bell })
    }

    /// What becomes readable when an exchange is over.
    pub(crate) fn bell(&self) -> BorrowedFd<'_> {
        self.bell.as_fd()
    }

    /// An exchange begins with so many records; its number.
    pub(crate) fn begin(&self, records: u32) -> usize {
        let mut awaited = self.lock();
        awaited.number = awaited.number.wrapping_add(1);
        (awaited.open, awaited.outcome) = (records, Outcome::Ok);
        awaited.why.clear();
        awaited.number
    }

    /// A record of an exchange is acknowledged, or not. Called on the client's thread.
    pub(crate) fn heard(&self, number: usize, outcome: Outcome, why: &str) {
        let is_last = {
            let mut awaited = self.lock();
            if awaited.number != number || awaited.open == 0 {
                awaited.late += 1;
                return;
            }
            if awaited.outcome == Outcome::Ok && outcome != Outcome::Ok {
                awaited.outcome = outcome;
                awaited.why.extend(why.chars().take(WHY_MAX));
            }
            awaited.open -= 1;
            awaited.open == 0
        };
        if is_last {
            // Full only after 2^64 rings.
            let _ = rustix::io::write(&self.bell, &1u64.to_ne_bytes());
        }
    }

    /// What became of the exchange in hand; `None` while records of it are open.
    pub(crate) fn take(&self) -> Option<Done> {
        let mut count = [0; 8];
        let _ = rustix::io::read(&self.bell, &mut count);
        let mut awaited = self.lock();
        if awaited.open > 0 {
            return None;
        }
        let late = std::mem::take(&mut awaited.late);
        Some(Done { outcome: awaited.outcome, why: std::mem::take(&mut awaited.why), late })
    }

    /// The exchange in hand is given up: what is heard of it from now on is late.
    pub(crate) fn give_up(&self) {
        let mut awaited = self.lock();
        awaited.number = awaited.number.wrapping_add(1);
        awaited.open = 0;
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Awaited> {
        // Nothing that holds it can panic; what it holds is whole at any moment.
        self.awaited.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_acknowledgment_rings_and_the_first_failure_decides() {
        let mailbox = Mailbox::new().unwrap();
        let number = mailbox.begin(3);
        mailbox.heard(number, Outcome::Ok, "");
        assert_eq!(mailbox.take(), None);
        mailbox.heard(number, Outcome::Status, "too large");
        mailbox.heard(number, Outcome::Timeout, "later");
        let done = Done { outcome: Outcome::Status, why: "too large".to_owned(), late: 0 };
        assert_eq!(mailbox.take(), Some(done));
    }

    #[test]
    fn what_comes_for_an_exchange_that_is_over_is_late_and_wakes_nobody() {
        let mailbox = Mailbox::new().unwrap();
        let first = mailbox.begin(1);
        mailbox.give_up();
        let second = mailbox.begin(1);
        mailbox.heard(first, Outcome::Ok, "");
        assert_eq!(mailbox.take(), None, "the second is still open");
        mailbox.heard(second, Outcome::Ok, "");
        mailbox.heard(second, Outcome::Ok, "");
        assert_eq!(mailbox.take(), Some(Done { outcome: Outcome::Ok, why: String::new(), late: 2 }));
    }
}
