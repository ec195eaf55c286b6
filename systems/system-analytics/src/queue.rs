//! What was accepted and is not in the store yet: so many events and no more. Who brings more waits, and how long is
//! counted.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Condvar, Mutex, PoisonError};
use std::time::{Duration, Instant};

use crate::bundle::Rows;

/// Bundles on their way to the store.
pub(crate) struct Queue {
    most: usize,
    waiting: Mutex<Waiting>,
    has_room: Condvar,
    has_rows: Condvar,
    /// Events that were let in, with their bytes.
    pub(crate) accepted: AtomicU64,
    pub(crate) accepted_bytes: AtomicU64,
    /// How often a bundle waited for room, and how long all of them together.
    pub(crate) blocked: AtomicU64,
    blocked_ns: AtomicU64,
}

#[derive(Default)]
struct Waiting {
    bundles: VecDeque<Rows>,
    events: usize,
    is_closed: bool,
}

impl Queue {
    /// Of at most so many events; a bundle that is larger waits until there is nothing else.
    pub(crate) fn new(most: usize) -> Self {
        Self {
            most: most.max(1),
            waiting: Mutex::default(),
            has_room: Condvar::new(),
            has_rows: Condvar::new(),
            accepted: AtomicU64::new(0),
            accepted_bytes: AtomicU64::new(0),
            blocked: AtomicU64::new(0),
            blocked_ns: AtomicU64::new(0),
        }
    }

    /// Waits until there is room; `false` when the queue was closed meanwhile.
    pub(crate) fn push(&self, rows: Rows) -> bool {
        let mut waiting = self.waiting.lock().unwrap_or_else(PoisonError::into_inner);
        let fits = |waiting: &Waiting| waiting.events == 0 || waiting.events + rows.len() <= self.most;
        if !fits(&waiting) && !waiting.is_closed {
            self.blocked.fetch_add(1, Relaxed);
            let since = Instant::now();
            while !fits(&waiting) && !waiting.is_closed {
                waiting = self.has_room.wait(waiting).unwrap_or_else(PoisonError::into_inner);
            }
            self.blocked_ns.fetch_add(u64::try_from(since.elapsed().as_nanos()).unwrap_or(u64::MAX), Relaxed);
        }
        if waiting.is_closed {
            return false;
        }
        self.accepted.fetch_add(rows.len() as u64, Relaxed);
        self.accepted_bytes.fetch_add(rows.size() as u64, Relaxed);
        waiting.events += rows.len();
        waiting.bundles.push_back(rows);
        self.has_rows.notify_one();
        true
    }

    /// Bundles of up to so many events, at least one; none when the queue is closed and empty.
    pub(crate) fn pop(&self, events: usize) -> Option<Vec<Rows>> {
        let mut waiting = self.waiting.lock().unwrap_or_else(PoisonError::into_inner);
        while waiting.bundles.is_empty() {
            if waiting.is_closed {
                return None;
            }
            waiting = self.has_rows.wait(waiting).unwrap_or_else(PoisonError::into_inner);
        }
        let (mut taken, mut count) = (Vec::new(), 0);
        while let Some(rows) = waiting.bundles.pop_front() {
            count += rows.len();
            taken.push(rows);
            if count >= events {
                break;
            }
        }
        Some(taken)
    }

    /// So many events that were taken are in the store: there is room for others.
    pub(crate) fn done(&self, events: usize) {
        let mut waiting = self.waiting.lock().unwrap_or_else(PoisonError::into_inner);
        waiting.events = waiting.events.saturating_sub(events);
        self.has_room.notify_all();
    }

    /// Events that wait, or are on their way into the store.
    pub(crate) fn depth(&self) -> usize {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner).events
    }

    /// How long bundles waited for room, all together.
    pub(crate) fn blocked_for(&self) -> Duration {
        Duration::from_nanos(self.blocked_ns.load(Relaxed))
    }

    /// Nothing more comes in; what is there goes out.
    pub(crate) fn close(&self) {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner).is_closed = true;
        self.has_room.notify_all();
        self.has_rows.notify_all();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bundle::Lists;
    use crate::stream::Streams;
    use std::sync::Arc;

    fn rows(events: i32) -> Rows {
        let streams = Streams::default();
        streams.define(r#"{"name":"n","version":"1","payloadData":[{"name":"n","type":"BOOL"}]}"#).unwrap();
        let count = usize::try_from(events).unwrap();
        let lists = Lists {
            events,
            longs: vec![0; count],
            bools: vec![true; count],
            texts: vec!["n:1".to_owned(); count],
            ..Lists::default()
        };
        Rows::of(&lists, &streams).unwrap()
    }

    #[test]
    fn who_brings_more_than_fits_waits_until_something_is_stored() {
        let queue = Arc::new(Queue::new(10));
        assert!(queue.push(rows(6)));
        let other = queue.clone();
        let pushing = std::thread::spawn(move || other.push(rows(6)));
        while queue.blocked.load(Relaxed) == 0 {
            std::thread::yield_now();
        }
        let taken = queue.pop(1).unwrap();
        assert_eq!((taken.len(), queue.depth(), pushing.is_finished()), (1, 6, false), "taken is not stored");
        queue.done(6);
        assert!(pushing.join().unwrap());
        assert_eq!((queue.depth(), queue.accepted.load(Relaxed)), (6, 12));
        // One that never fits goes alone.
        queue.pop(1).unwrap();
        queue.done(6);
        assert!(queue.push(rows(100)));
        queue.close();
        assert!(!queue.push(rows(1)), "closed");
        assert_eq!(queue.pop(1).unwrap()[0].len(), 100);
        assert!(queue.pop(1).is_none());
    }
}
