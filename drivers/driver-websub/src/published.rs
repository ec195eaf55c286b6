//! What was published: which event some content is, and which one it was where it was altered on its way.
//!
//! Content is known again by its hash, exactly. What differs from all that was published is nobody's by that; so the newest
//! events are kept whole, to be compared with, and of each subscriber it is kept which of them it has had.

use std::collections::{HashMap, VecDeque};
use std::hash::Hasher;
use std::sync::Arc;
use terms::Nanos;

/// Events whose deliveries are still known. A delivery that comes later than so many others were published is nobody's.
const EVENTS_MAX: usize = 4096;
/// Events that are kept whole, and their bytes in all: with so many content is compared that is none of them. A hub that
/// sends nothing else costs the listener a fraction of a millisecond a delivery.
const KEPT_MAX: usize = 64;
const KEPT_BYTES_MAX: usize = 1024 * 1024;

/// Published events of a load.
#[derive(Default)]
pub(crate) struct Published {
    /// By the hash of their content.
    known: HashMap<u64, Event>,
    order: VecDeque<u64>,
    /// The newest, whole.
    kept: VecDeque<(Event, Arc<[u8]>)>,
    kept_bytes: usize,
    /// Events so far, also of loads before.
    count: u64,
    /// The first iteration of the event that was due last, and by how much the publisher was late.
    pub(crate) last: Option<(u64, Nanos)>,
}

/// What was published, by its numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Event {
    /// The number of its first iteration.
    pub(crate) first: u64,
    /// Which of the feed's events it is.
    pub(crate) number: u64,
}

/// An event that came with other content than it was published with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Altered {
    pub(crate) event: Event,
    pub(crate) published: Arc<[u8]>,
}

/// Which of the newest events a subscriber has had.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Had {
    /// Number of the event after the newest that it has had, or after those before its time.
    end: u64,
    /// The bit of 2^k is that of the event k + 1 before `end`.
    bits: u64,
}

impl Published {
    /// A load begins: what was published before is none of its events.
    pub(crate) fn begin(&mut self) {
        *self = Self { count: self.count, ..Self::default() };
    }

    /// Events so far.
    pub(crate) fn count(&self) -> u64 {
        self.count
    }

    /// One more; `false`, with nothing kept, where another has the same content.
    pub(crate) fn add(&mut self, content: &[u8], first: u64) -> bool {
        let (hash, event) = (hash(content), Event { first, number: self.count });
        if self.known.contains_key(&hash) {
            return false;
        }
        self.count += 1;
        self.known.insert(hash, event);
        self.order.push_back(hash);
        if self.order.len() > EVENTS_MAX
            && let Some(oldest) = self.order.pop_front()
        {
            self.known.remove(&oldest);
        }
        self.kept.push_back((event, content.into()));
        self.kept_bytes += content.len();
        while self.kept.len() > KEPT_MAX || self.kept_bytes > KEPT_BYTES_MAX {
            let Some((_, content)) = self.kept.pop_front() else { break };
            self.kept_bytes -= content.len();
        }
        true
    }

    /// Which event has exactly this content.
    pub(crate) fn find(&self, content: &[u8]) -> Option<Event> {
        self.known.get(&hash(content)).copied()
    }

    /// Which event this content was before it was altered: the one that it has most in common with, if that is half of it
    /// and more than with any other; else the only one that its subscriber has not had.
    pub(crate) fn altered(&self, content: &[u8], had: &Had) -> Option<Altered> {
        let (mut most, mut best) = (0, None);
        for kept @ (_, published) in &self.kept {
            let common = common(content, published);
            if common == most {
                best = None;
            } else if common > most {
                (most, best) = (common, Some(kept).filter(|_| common * 2 >= content.len().max(published.len())));
            }
        }
        let only = || had.only_missing(self.count).and_then(|number| self.kept.iter().find(|it| it.0.number == number));
        best.or_else(only).map(|(event, published)| Altered { event: *event, published: published.clone() })
    }
}

impl Altered {
    /// Where the content differs first, counted from 1.
    pub(crate) fn differs_at(&self, content: &[u8]) -> usize {
        1 + prefix(content, &self.published)
    }
}

impl Had {
    /// Of a subscriber that came when so many events had been published: those are not meant for it.
    pub(crate) fn before(count: u64) -> Self {
        Self { end: count, bits: u64::MAX }
    }

    /// It has had this one.
    pub(crate) fn note(&mut self, number: u64) {
        if number >= self.end {
            let newer = number + 1 - self.end;
            self.bits = u32::try_from(newer).ok().and_then(|newer| self.bits.checked_shl(newer)).unwrap_or(0);
            self.end = number + 1;
        }
        let back = self.end - 1 - number;
        self.bits |= u32::try_from(back).ok().and_then(|back| 1u64.checked_shl(back)).unwrap_or(0);
    }

    /// The only event of the newest that it has not had, of so many; `None` where there are several, or there is none.
    fn only_missing(&self, count: u64) -> Option<u64> {
        let has = |number: u64| match self.end.checked_sub(number + 1) {
            None => false,
            Some(back) => back >= 64 || self.bits >> back & 1 == 1,
        };
        let mut missing = (count.saturating_sub(64)..count).filter(|number| !has(*number));
        missing.next().filter(|_| missing.next().is_none())
    }
}

/// By what content is known again.
fn hash(content: &[u8]) -> u64 {
    let mut hasher = std::hash::DefaultHasher::new();
    hasher.write(content);
    hasher.finish()
}

/// Bytes at the beginning that are the same.
fn prefix(a: &[u8], b: &[u8]) -> usize {
    a.iter().zip(b).take_while(|(a, b)| a == b).count()
}

/// Bytes at the beginning and at the end that are the same.
fn common(a: &[u8], b: &[u8]) -> usize {
    let front = prefix(a, b);
    let back = a[front..].iter().rev().zip(b[front..].iter().rev()).take_while(|(a, b)| a == b).count();
    front + back
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn published(contents: &[&str]) -> Published {
        let mut published = Published::default();
        contents.iter().zip(0..).for_each(|(content, number)| assert!(published.add(content.as_bytes(), number * 10)));
        published
    }

    /// The first iteration of the event that this was, for a subscriber that has had those.
    fn altered(published: &Published, content: &str, had: &[u64]) -> Option<u64> {
        let mut all = Had::before(0);
        had.iter().for_each(|number| all.note(*number));
        published.altered(content.as_bytes(), &all).map(|altered| altered.event.first)
    }

    #[test]
    fn events_are_known_by_their_content_and_no_two_are_the_same() {
        let mut all = published(&["0 x", "10 x"]);
        assert!(!all.add(b"0 x", 20), "it would be taken for the first");
        let first = |all: &Published, content: &[u8]| all.find(content).map(|event| event.first);
        assert_eq!((first(&all, b"0 x"), first(&all, b"10 x"), first(&all, b"20 x")), (Some(0), Some(10), None));
        all.begin();
        assert_eq!((first(&all, b"0 x"), all.count()), (None, 2));
    }

    #[test]
    fn memory_is_bounded_however_many_events_there_are() {
        let mut all = Published::default();
        let count = 3 * EVENTS_MAX as u64;
        assert!((0..count).all(|event| all.add(&event.to_be_bytes(), event)));
        assert_eq!((all.known.len(), all.kept.len(), all.kept_bytes), (EVENTS_MAX, KEPT_MAX, 8 * KEPT_MAX));
        assert_eq!(all.find(&0u64.to_be_bytes()), None);
        assert_eq!(all.find(&(count - 1).to_be_bytes()).map(|event| event.first), Some(count - 1));
        assert!(all.add(&vec![7; KEPT_BYTES_MAX + 1], count), "one that is too large is known, and not kept");
        assert_eq!((all.kept.len(), all.kept_bytes), (0, 0));
    }

    #[test]
    fn what_was_altered_is_the_event_that_it_has_most_in_common_with() {
        let all = published(&["event 0 says hello", "event 1 says hello", "event 2 says hello"]);
        assert_eq!(altered(&all, "event 1 says hellO", &[]), Some(10));
        assert_eq!(altered(&all, "event 2 says", &[]), Some(20), "its end was lost");
        assert_eq!(altered(&all, "event 2 says hello, too", &[]), Some(20));
        assert_eq!(altered(&all, "event 1 says hellO", &[1]), Some(10), "also where it comes once more");
        assert_eq!(altered(&all, "something else", &[]), None);
    }

    #[test]
    fn what_has_as_much_in_common_with_several_is_the_only_one_that_is_missing() {
        let all = published(&["event 0", "event 1", "event 2"]);
        assert_eq!(altered(&all, "event X", &[]), None, "it may be any of three");
        assert_eq!(altered(&all, "event X", &[0, 2]), Some(10));
        assert_eq!(altered(&all, "", &[0, 1]), Some(20));
        assert_eq!(altered(&all, "event X", &[0, 1, 2]), None, "none is missing");
        let late = Had::before(2);
        assert_eq!(all.altered(b"event X", &late).map(|it| it.event.first), Some(20), "those before its time are not");
    }

    proptest! {
        #[test]
        fn the_only_missing_one_is_found(count in 1u64..200, missing in 0u64..250, apart in 1usize..10) {
            let mut numbers: Vec<_> = (0..count).filter(|number| *number != missing).collect();
            // A hub may deliver them in another order.
            numbers.chunks_mut(apart).for_each(<[u64]>::reverse);
            let mut had = Had::before(0);
            numbers.iter().for_each(|number| had.note(*number));
            let is_recent = missing < count && missing + 64 >= count;
            prop_assert_eq!(had.only_missing(count), is_recent.then_some(missing));
        }

        #[test]
        fn one_wrong_byte_is_found(at in 1usize..40, byte: u8) {
            let event = |number: u64| format!("{number} and {} that follow it", "x".repeat(20));
            let contents: Vec<_> = (0..5).map(event).collect();
            let all = published(&contents.iter().map(String::as_str).collect::<Vec<_>>());
            let mut content = event(3).into_bytes();
            let at = 1 + at % (content.len() - 1);
            prop_assume!(content[at] != byte);
            content[at] = byte;
            let found = all.altered(&content, &Had::before(0)).unwrap();
            prop_assert_eq!((found.event.first, found.differs_at(&content)), (30, at + 1));
        }
    }
}
