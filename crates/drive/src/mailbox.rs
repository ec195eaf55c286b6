//! The way of an arrival from a listener's thread to the load thread that waits for it.

use crate::wait::Waker;
use contract::Commons;
use recorder::Arrival;
use recorder::reply_key;
use std::ops::RangeInclusive;
use std::sync::Mutex;
use std::sync::mpsc::{Receiver, Sender, channel};

/// Where listeners hand in what came, and load threads fetch it. One for a run; each scenario's threads have boxes of
/// their own in it while they work.
#[derive(Debug, Default)]
pub struct Mailbox {
    open: Mutex<Open>,
    commons: Commons,
}

/// The boxes of the scenario in hand.
#[derive(Debug, Default)]
struct Open {
    /// Steps of the scenario in hand, or of the last one.
    steps: Option<RangeInclusive<u32>>,
    is_driven: bool,
    /// By thread.
    boxes: Vec<Option<(Sender<Arrival>, Waker)>>,
}

/// What became of an arrival.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Delivery {
    /// Its thread will book it.
    Handed,
    /// The scenario that it belongs to is over: nobody waits any more.
    TooLate,
    /// No thread of this run can have made its key.
    Unknown,
}

impl Mailbox {
    /// What the drivers of load threads share with those at the listeners.
    pub(crate) fn commons(&self) -> Commons {
        self.commons.clone()
    }

    /// Hands an arrival to the thread that its key names.
    pub fn hand_in(&self, arrival: Arrival) -> Delivery {
        let Ok(open) = self.open.lock() else { return Delivery::Unknown };
        let step = reply_key::step(arrival.key);
        match &open.steps {
            Some(steps) if step > *steps.end() => return Delivery::Unknown,
            Some(steps) if open.is_driven && steps.contains(&step) => {}
            _ => return Delivery::TooLate,
        }
        match open.boxes.get(usize::from(reply_key::worker(arrival.key))) {
            Some(Some((to, waker))) if to.send(arrival).is_ok() => {
                waker.wake();
                Delivery::Handed
            }
            Some(_) => Delivery::TooLate,
            None => Delivery::Unknown,
        }
    }

    /// A scenario of these steps begins, with that many threads.
    pub(crate) fn open(&self, steps: RangeInclusive<u32>, workers: u16) {
        if let Ok(mut open) = self.open.lock() {
            *open = Open { steps: Some(steps), is_driven: true, boxes: (0..workers).map(|_| None).collect() };
        }
    }

    /// The box of a thread.
    pub(crate) fn subscribe(&self, worker: u16, waker: Waker) -> Receiver<Arrival> {
        let (to, from) = channel();
        if let Ok(mut open) = self.open.lock()
            && let Some(place) = open.boxes.get_mut(usize::from(worker))
        {
            *place = Some((to, waker));
        }
        from
    }

    /// The scenario is over.
    pub(crate) fn close(&self) {
        if let Ok(mut open) = self.open.lock() {
            open.boxes.clear();
            open.is_driven = false;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Wait;
    use crate::wait::Epoll;
    use contract::{NO_STREAM, Task};
    use recorder::Unmatched;
    use terms::{Nanos, Outcome};

    fn arrival(worker: u16, step: u32) -> Arrival {
        let (intended, deadline) = (Nanos::ZERO, Nanos::ZERO);
        let task = Task { exchange: 0, serial: 5, row: 5, units: 1, intended, deadline, step, stream: NO_STREAM };
        let key = reply_key::of(0, worker, 0, &task);
        let unmatched = Unmatched::default();
        Arrival { key, at: Nanos::SECOND, outcome: Outcome::Ok, why: None, refusal: None, unmatched }
    }

    #[test]
    fn an_arrival_comes_to_its_thread_or_is_known_for_what_it_is() {
        let mailbox = Mailbox::default();
        assert_eq!(mailbox.hand_in(arrival(0, 3)), Delivery::TooLate, "nothing is driven");
        mailbox.open(2..=4, 2);
        let epoll = Epoll::new().unwrap();
        let (first, second) =
            (mailbox.subscribe(0, epoll.waker().unwrap()), mailbox.subscribe(1, epoll.waker().unwrap()));
        assert_eq!(mailbox.hand_in(arrival(1, 3)), Delivery::Handed);
        assert_eq!((first.try_recv().ok(), second.try_recv().ok()), (None, Some(arrival(1, 3))));
        assert_eq!(mailbox.hand_in(arrival(0, 1)), Delivery::TooLate, "an earlier scenario's");
        assert_eq!(mailbox.hand_in(arrival(0, 5)), Delivery::Unknown, "a step that has not begun");
        assert_eq!(mailbox.hand_in(arrival(9, 3)), Delivery::Unknown, "a thread that there is not");
        mailbox.close();
        assert_eq!(mailbox.hand_in(arrival(0, 3)), Delivery::TooLate);
    }
}
