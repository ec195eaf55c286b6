//! What load threads and the listener both have to know: who subscribed, and what was published.
//!
//! A run has one board ([`contract::Commons`]), with a feed for each exchange. Its locks are held for a look into a table.

use crate::discovery::Found;
use crate::published::{Altered, Had, Published};
use crate::{ALTERED, DENIED, SIGNATURES, UNASKED};
use contract::Failure;
use std::collections::HashMap;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use terms::Nanos;

/// All feeds of a run, by the number of their exchange.
#[derive(Default)]
pub(crate) struct Board(Mutex<HashMap<u16, Arc<Feed>>>);

impl Board {
    /// The feed of an exchange.
    pub(crate) fn feed(&self, exchange: u16) -> Arc<Feed> {
        locked(&self.0).entry(exchange).or_default().clone()
    }
}

/// The subscribers and events of one exchange.
#[derive(Default)]
pub(crate) struct Feed {
    /// By the key of their callback.
    subscribers: Mutex<HashMap<u128, Subscriber>>,
    events: Mutex<Published>,
    tallies: [AtomicU64; Tally::ALL.len()],
    /// The step in which the load in hand began; those of earlier loads are before it.
    first_step: AtomicU32,
    /// What the topic said when it was asked for its hub, once for all threads.
    found: OnceLock<Result<Found, Failure>>,
}

/// A subscriber, from its first request on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Subscriber {
    pub(crate) stage: Stage,
    /// Which of its verifications is the last that was asked for: 0 at first, one more with each renewal.
    pub(crate) round: u32,
    /// How long the hub has granted it, in seconds, with the last verification; none before.
    pub(crate) lease_s: Option<u64>,
    /// Which events it has had.
    had: Had,
}

/// How far a subscription is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Stage {
    /// The hub was asked for it.
    Asked,
    /// The hub has asked whether it is meant, and was told that it is.
    Verified,
    /// The hub has refused it.
    Denied,
    /// The hub was asked to end it.
    Leaving,
    /// The hub has asked whether that is meant, and was told that it is.
    Left,
}

/// What the listener counts, and a load thread fetches.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Tally {
    Denied,
    Signatures,
    Unasked,
    Altered,
}

impl Tally {
    const ALL: [(Self, u8); 4] =
        [(Self::Denied, DENIED), (Self::Signatures, SIGNATURES), (Self::Unasked, UNASKED), (Self::Altered, ALTERED)];
}

impl Feed {
    /// What the topic says of its hub. The first thread asks, the others wait for it.
    pub(crate) fn discover(&self, ask: impl FnOnce() -> Result<Found, Failure>) -> Result<&Found, Failure> {
        self.found.get_or_init(ask).as_ref().map_err(Clone::clone)
    }

    /// What the hub calls the topic, where it was asked.
    pub(crate) fn found(&self) -> Option<&Found> {
        self.found.get()?.as_ref().ok()
    }

    /// A load begins in that step: what was published before is none of its events.
    pub(crate) fn begin(&self, step: u32) {
        self.first_step.store(step, Ordering::Relaxed);
        locked(&self.events).begin();
    }

    /// Whether a step is one of an earlier load.
    pub(crate) fn is_past(&self, step: u32) -> bool {
        step < self.first_step.load(Ordering::Relaxed)
    }

    /// A subscriber asks for its subscription.
    pub(crate) fn subscribe(&self, key: u128) {
        let had = Had::before(locked(&self.events).count());
        let subscriber = Subscriber { stage: Stage::Asked, round: 0, lease_s: None, had };
        locked(&self.subscribers).insert(key, subscriber);
    }

    /// A subscriber asks again, before its lease is over. Which of its verifications is to come.
    pub(crate) fn renew(&self, key: u128) -> Option<u32> {
        self.change(key, |subscriber| {
            subscriber.round += 1;
            subscriber.round
        })
    }

    /// Changes what is known of a subscriber; `None` where there is none with that key.
    pub(crate) fn change<T>(&self, key: u128, change: impl FnOnce(&mut Subscriber) -> T) -> Option<T> {
        locked(&self.subscribers).get_mut(&key).map(change)
    }

    /// The subscriber with that key, if there is one.
    pub(crate) fn subscriber(&self, key: u128) -> Option<Subscriber> {
        locked(&self.subscribers).get(&key).copied()
    }

    /// A subscriber is gone: what still comes for it is told so.
    pub(crate) fn leave(&self, key: u128) {
        locked(&self.subscribers).remove(&key);
    }

    /// An event is about to be published: `first` is the number of its first iteration. `false`, with nothing kept, where
    /// another event has the same content.
    pub(crate) fn publish(&self, content: &[u8], first: u64) -> bool {
        locked(&self.events).add(content, first)
    }

    /// The publisher came to an event so late.
    pub(crate) fn note_lateness(&self, first: u64, lateness: Nanos) {
        locked(&self.events).last = Some((first, lateness));
    }

    /// How late the publisher came to an event; zero as long as it has not come to it.
    pub(crate) fn lateness_of(&self, first: u64) -> Nanos {
        locked(&self.events).last.filter(|last| last.0 == first).map_or(Nanos::ZERO, |last| last.1)
    }

    /// Which event has this content, by the number of its first iteration. The subscriber has had it then.
    pub(crate) fn event(&self, key: u128, content: &[u8]) -> Option<u64> {
        let event = locked(&self.events).find(content)?;
        self.change(key, |subscriber| subscriber.had.note(event.number));
        Some(event.first)
    }

    /// Which event came to this subscriber with content that was never published, as far as that can be told. It has had
    /// it then.
    pub(crate) fn altered(&self, key: u128, content: &[u8]) -> Option<Altered> {
        let had = self.subscriber(key)?.had;
        let altered = locked(&self.events).altered(content, &had)?;
        self.change(key, |subscriber| subscriber.had.note(altered.event.number));
        Some(altered)
    }

    /// Counts once more.
    pub(crate) fn add(&self, what: Tally) {
        self.tallies[what as usize].fetch_add(1, Ordering::Relaxed);
    }

    /// What was counted since the last call, with the number of its counter.
    pub(crate) fn take_tallies(&self) -> impl Iterator<Item = (u8, i64)> {
        let taken = Tally::ALL.map(|(tally, counter)| {
            let tally = &self.tallies[tally as usize];
            // Mostly there is nothing, and a look costs less than an exchange.
            let count = if tally.load(Ordering::Relaxed) == 0 { 0 } else { tally.swap(0, Ordering::Relaxed) };
            (counter, count as i64)
        });
        taken.into_iter().filter(|(_, count)| *count > 0)
    }
}

/// A thread that panicked leaves a table as whole as it was between two calls.
fn locked<T>(of: &Mutex<T>) -> MutexGuard<'_, T> {
    of.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lateness_is_that_of_the_event_in_hand_and_of_this_load() {
        let feed = Feed::default();
        feed.note_lateness(10, Nanos::SECOND);
        assert_eq!((feed.lateness_of(10), feed.lateness_of(0)), (Nanos::SECOND, Nanos::ZERO));
        feed.begin(0);
        assert_eq!(feed.lateness_of(10), Nanos::ZERO);
    }

    #[test]
    fn tallies_are_fetched_once() {
        let feed = Feed::default();
        feed.add(Tally::Denied);
        feed.add(Tally::Unasked);
        feed.add(Tally::Unasked);
        assert_eq!(feed.take_tallies().collect::<Vec<_>>(), [(DENIED, 1), (UNASKED, 2)]);
        assert_eq!(feed.take_tallies().count(), 0);
    }

    #[test]
    fn a_subscriber_has_one_round_more_with_each_renewal() {
        let feed = Feed::default();
        assert_eq!(feed.renew(7), None);
        feed.subscribe(7);
        feed.change(7, |subscriber| subscriber.stage = Stage::Verified);
        assert_eq!((feed.renew(7), feed.renew(7)), (Some(1), Some(2)));
        let known = feed.subscriber(7).unwrap();
        assert_eq!((known.stage, known.round, known.lease_s), (Stage::Verified, 2, None));
        feed.leave(7);
        assert_eq!(feed.subscriber(7), None);
    }
}
