//! The way of an arrival from a listener's thread to the load thread that waits for it.

use crate::wait::Waker;
use recorder::Arrival;
use recorder::reply_key;
use std::ops::RangeInclusive;
use std::sync::Mutex;
use std::sync::mpsc::{Receiver, Sender, channel};

/// Where listeners hand in what came, and load threads fetch it. One for a run; each scenario's threads have boxes of
/// their own in it while they work.
#[derive(Debug, Default)]
pub struct Post(Mutex<Open>);

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
pub enum Posted {
    /// Its thread will book it.
    Handed,
    /// The scenario that it belongs to is over: nobody waits any more.
    TooLate,
    /// No thread of this run can have made its key.
    Unknown,
}

impl Post {
    /// Hands an arrival to the thread that its key names.
    pub fn hand_in(&self, arrival: Arrival) -> Posted {
        let Ok(open) = self.0.lock() else { return Posted::Unknown };
        let step = reply_key::step(arrival.key);
        match &open.steps {
            Some(steps) if step > *steps.end() => return Posted::Unknown,
            Some(steps) if open.is_driven && steps.contains(&step) => {}
            _ => return Posted::TooLate,
        }
        match open.boxes.get(usize::from(reply_key::worker(arrival.key))) {
            Some(Some((to, waker))) if to.send(arrival).is_ok() => {
                waker.wake();
                Posted::Handed
            }
            Some(_) => Posted::TooLate,
            None => Posted::Unknown,
        }
    }

    /// A scenario of these steps begins, with that many threads.
    pub(crate) fn open(&self, steps: RangeInclusive<u32>, workers: u16) {
        if let Ok(mut open) = self.0.lock() {
            *open = Open { steps: Some(steps), is_driven: true, boxes: (0..workers).map(|_| None).collect() };
        }
    }

    /// The box of a thread.
    pub(crate) fn subscribe(&self, worker: u16, waker: Waker) -> Receiver<Arrival> {
        let (to, from) = channel();
        if let Ok(mut open) = self.0.lock()
            && let Some(place) = open.boxes.get_mut(usize::from(worker))
        {
            *place = Some((to, waker));
        }
        from
    }

    /// The scenario is over.
    pub(crate) fn close(&self) {
        if let Ok(mut open) = self.0.lock() {
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
        let post = Post::default();
        assert_eq!(post.hand_in(arrival(0, 3)), Posted::TooLate, "nothing is driven");
        post.open(2..=4, 2);
        let epoll = Epoll::new().unwrap();
        let (first, second) = (post.subscribe(0, epoll.waker().unwrap()), post.subscribe(1, epoll.waker().unwrap()));
        assert_eq!(post.hand_in(arrival(1, 3)), Posted::Handed);
        assert_eq!((first.try_recv().ok(), second.try_recv().ok()), (None, Some(arrival(1, 3))));
        assert_eq!(post.hand_in(arrival(0, 1)), Posted::TooLate, "an earlier scenario's");
        assert_eq!(post.hand_in(arrival(0, 5)), Posted::Unknown, "a step that has not begun");
        assert_eq!(post.hand_in(arrival(9, 3)), Posted::Unknown, "a thread that there is not");
        post.close();
        assert_eq!(post.hand_in(arrival(0, 3)), Posted::TooLate);
    }
}
