//! Of connections that only listen: events that are due and have not come, and events that came before they were due.
//!
//! An event belongs to the oldest that waits, since a connection keeps the order: which of them it is "by right" only a
//! server's clock could tell. As many of those that wait are kept back as there are holes among the numbers of what has
//! come: what comes behind a hole takes no one else's place.

use recorder::Task;
use std::collections::VecDeque;
use terms::{Nanos, Outcome};

/// An event that is due, as far as the books need it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Due {
    serial: u64,
    step: u32,
}

/// What came, or certainly never will, before it was due.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Early {
    /// An event: how it is to be booked.
    Came { outcome: Outcome, time: Nanos, bytes: u64 },
    /// It was sent and is lost.
    Lost,
}

/// Whose an event is that has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Whose {
    /// The one that was due.
    Due(Task),
    /// That of one which is not due yet, and is to be kept until then.
    Early,
    /// It came when its time was over: as many have gone missing.
    Late,
    /// More came than is expected.
    Surplus,
}

/// The account of one connection.
#[derive(Debug)]
pub struct Account {
    /// All its tasks are alike but for these.
    like: Option<Task>,
    waiting: VecDeque<Due>,
    early: VecDeque<Early>,
    /// Most that may be early.
    early_max: usize,
    /// Events whose time was over before they came, of which it is not known yet that they are lost.
    missed: u64,
}

impl Account {
    /// Where so many events come a second, as many of them may be early, and not fewer than two: a server's clock is its
    /// own, and it may send some at once.
    pub fn new(each_second: f64) -> Self {
        const FEWEST: usize = 2;
        const MOST: usize = 256;
        let early_max = (each_second.ceil() as usize).clamp(FEWEST, MOST);
        Self { like: None, waiting: VecDeque::new(), early: VecDeque::new(), early_max, missed: 0 }
    }

    /// An event is due, and has not come. `is_awaited` says whether a task's time is not over yet.
    pub fn wait(&mut self, task: &Task, is_awaited: impl Fn(&Task) -> bool) {
        self.expire(is_awaited);
        self.like = Some(*task);
        self.waiting.push_back(Due { serial: task.serial, step: task.step });
    }

    /// What came before it was due and is due now; none where this one has to wait for what was left out before it.
    pub fn take_early(&mut self, holes: u32, is_awaited: impl Fn(&Task) -> bool) -> Option<Early> {
        self.expire(is_awaited);
        if (self.waiting.len() as u64) < self.kept_back(holes) { None } else { self.early.pop_front() }
    }

    /// How many of those that wait, wait for what was left out.
    fn kept_back(&self, holes: u32) -> u64 {
        u64::from(holes).saturating_sub(self.missed)
    }

    /// Whether an event is due and has not come, as far as that is known.
    pub fn waits(&self) -> bool {
        !self.waiting.is_empty()
    }

    /// An event has come; so many numbers before it have not.
    pub fn came(&mut self, holes: u32, is_awaited: impl Fn(&Task) -> bool) -> Whose {
        self.expire(is_awaited);
        if self.waiting.len() as u64 > self.kept_back(holes)
            && let Some(task) = self.take_oldest()
        {
            return Whose::Due(task);
        }
        if self.early.len() < self.early_max {
            return Whose::Early;
        }
        match self.missed.checked_sub(1) {
            Some(left) => {
                self.missed = left;
                Whose::Late
            }
            None => Whose::Surplus,
        }
    }

    /// Keeps what came early until it is due.
    pub fn keep(&mut self, early: Early) {
        if self.early.len() < self.early_max {
            self.early.push_back(early);
        }
    }

    /// One event is certainly lost. Returns the one that is due, if one waits and none has gone missing for it before.
    pub fn lost(&mut self, is_awaited: impl Fn(&Task) -> bool) -> Option<Task> {
        self.expire(is_awaited);
        if self.missed > 0 {
            self.missed -= 1;
            return None;
        }
        let oldest = self.take_oldest();
        // More than are due soon are not part of what was planned.
        if oldest.is_none() {
            self.keep(Early::Lost);
        }
        oldest
    }

    /// Whether losing one more would change anything.
    pub fn has_room_for_lost(&self) -> bool {
        self.missed > 0 || !self.waiting.is_empty() || self.early.len() < self.early_max
    }

    /// The connection is lost: takes one that waits, from the oldest.
    pub fn lose(&mut self) -> Option<Task> {
        self.missed = 0;
        self.take_oldest()
    }

    /// The load is over.
    pub fn forget(&mut self) {
        (self.waiting, self.early, self.missed) = (VecDeque::new(), VecDeque::new(), 0);
    }

    fn take_oldest(&mut self) -> Option<Task> {
        let due = self.waiting.pop_front()?;
        self.task(due)
    }

    fn task(&self, Due { serial, step }: Due) -> Option<Task> {
        self.like.map(|like| Task { serial, step, ..like })
    }

    /// Those whose time is over wait no more; they are the oldest.
    fn expire(&mut self, is_awaited: impl Fn(&Task) -> bool) {
        while let Some(task) = self.waiting.front().and_then(|due| self.task(*due))
            && !is_awaited(&task)
        {
            self.waiting.pop_front();
            self.missed += 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use recorder::NO_STREAM;

    const EVENT: Early = Early::Came { outcome: Outcome::Ok, time: Nanos(7), bytes: 3 };

    fn task(serial: u64) -> Task {
        let (intended, deadline) = (Nanos::ZERO, Nanos::MAX);
        Task { exchange: 1, serial, row: 5, units: 1, intended, deadline, step: 2, stream: NO_STREAM }
    }

    /// One event comes behind so many holes; what is early is kept.
    fn came(account: &mut Account, holes: u32) -> Whose {
        let whose = account.came(holes, |_| true);
        if whose == Whose::Early {
            account.keep(EVENT);
        }
        whose
    }

    fn early(account: &mut Account, holes: u32) -> Option<Early> {
        account.take_early(holes, |_| true)
    }

    fn due(count: u64) -> Account {
        let mut account = Account::new(10.0);
        (0..count).for_each(|serial| account.wait(&task(serial), |_| true));
        account
    }

    #[test]
    fn an_event_is_that_of_the_oldest_that_waits() {
        let mut account = due(2);
        assert_eq!(came(&mut account, 0), Whose::Due(task(0)));
        assert_eq!(came(&mut account, 0), Whose::Due(task(1)));
        assert_eq!(came(&mut account, 0), Whose::Early);
        assert_eq!((early(&mut account, 0), early(&mut account, 0)), (Some(EVENT), None));
    }

    #[test]
    fn what_comes_behind_a_hole_leaves_one_for_it() {
        let mut account = due(3);
        assert_eq!(came(&mut account, 0), Whose::Due(task(0)));
        // The second is left out, the third has come: one of the two waits for the hole.
        assert_eq!(came(&mut account, 1), Whose::Due(task(1)));
        assert_eq!(came(&mut account, 1), Whose::Early, "the fourth is not due");
        assert_eq!(came(&mut account, 0), Whose::Due(task(2)), "the hole is filled");
    }

    #[test]
    fn what_came_early_behind_a_hole_leaves_one_for_it_as_well() {
        let mut account = due(0);
        assert_eq!([0, 1, 1].map(|holes| came(&mut account, holes)), [Whose::Early; 3]);
        assert_eq!(early(&mut account, 1), None, "one has to wait for the hole");
        account.wait(&task(0), |_| true);
        assert_eq!([early(&mut account, 1), early(&mut account, 1)], [Some(EVENT); 2]);
        assert_eq!(account.lost(|_| true), Some(task(0)));
    }

    #[test]
    fn what_is_lost_ends_the_oldest_and_each_once() {
        let mut account = due(3);
        assert_eq!(account.lost(|_| true), Some(task(0)));
        // Two are over and booked: that they are lost is known already.
        assert_eq!(account.lost(|_| false), None);
        assert_eq!((account.missed, account.lost(|_| true), account.missed), (1, None, 0));
        assert_eq!(account.lost(|_| true), None);
        assert_eq!((early(&mut account, 0), early(&mut account, 0)), (Some(Early::Lost), None), "one not yet due");
    }

    #[test]
    fn memory_is_bounded_and_what_is_too_much_is_told_from_what_is_late() {
        let mut account = due(3);
        // The time of all three is over.
        account.expire(|_| false);
        let all: Vec<_> = (0..1000).map(|_| came(&mut account, 0)).collect();
        let count = |whose: Whose| all.iter().filter(|one| **one == whose).count();
        assert_eq!([Whose::Early, Whose::Late, Whose::Surplus].map(count), [10, 3, 987]);
        (0..1000).for_each(|_| assert_eq!(account.lost(|_| true), None));
        assert!(account.early.len() == 10 && !account.has_room_for_lost());
        assert_eq!((Account::new(0.1).early_max, Account::new(1e5).early_max), (2, 256));
    }

    #[test]
    fn a_lost_connection_gives_back_all_that_wait() {
        let mut account = due(2);
        assert_eq!((account.lose(), account.lose(), account.lose()), (Some(task(0)), Some(task(1)), None));
    }
}
