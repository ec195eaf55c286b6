//! Who subscribed to what. A subscription is known by its topic and its callback; a repeated request renews it.

use std::collections::{HashMap, HashSet};
use std::sync::atomic::{AtomicBool, AtomicI64, Ordering::Relaxed};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use axum::http::HeaderValue;
use bytes::Bytes;

use super::store::Row;

/// Topics with subscribers or content.
const TOPICS_MAX: usize = 10_000;
/// Subscriptions, those that are not verified yet among them.
const SUBSCRIPTIONS_MAX: u64 = 1_000_000;

/// A subscription that was verified.
pub(super) struct Subscription {
    pub(super) topic: String,
    pub(super) callback: String,
    pub(super) secret: Option<String>,
    pub(super) link: HeaderValue,
    until_ns: AtomicI64,
    is_over: AtomicBool,
}

impl Subscription {
    pub(super) fn of(row: &Row) -> Option<Self> {
        let Row { topic, callback, secret, link, until_ns } = row.clone();
        let link = HeaderValue::try_from(link).ok()?;
        let (until_ns, is_over) = (AtomicI64::new(until_ns), AtomicBool::new(false));
        Some(Self { topic, callback, secret, link, until_ns, is_over })
    }

    /// Whether content still goes to it.
    pub(super) fn is_there(&self, now_ns: i64) -> bool {
        !self.is_over.load(Relaxed) && self.until_ns.load(Relaxed) > now_ns
    }
}

/// What was published last on a topic.
#[derive(Clone)]
pub(super) struct Content {
    pub(super) body: Bytes,
    pub(super) content_type: HeaderValue,
}

#[derive(Default)]
struct Topic {
    /// By callback.
    subscriptions: HashMap<String, Arc<Subscription>>,
    last: Option<Content>,
}

#[derive(Default)]
struct Tables {
    topics: HashMap<String, Topic>,
    active: u64,
    /// Topic and callback of those that were taken, and are not verified yet.
    pending: HashSet<(String, String)>,
}

/// All subscriptions.
#[derive(Default)]
pub(super) struct Book(Mutex<Tables>);

/// What a request for a subscription comes to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Admission {
    /// It is to be verified.
    New,
    /// It is there already, and is to be verified again.
    Renewal,
    /// It is taken, and to be denied.
    Denied,
    /// There are too many.
    Full,
}

impl Book {
    fn tables(&self) -> MutexGuard<'_, Tables> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes a request. Those beyond `refused` are refused, those beyond `denied` denied.
    pub(super) fn admit(&self, topic: &str, callback: &str, refused: Option<u64>, denied: Option<u64>) -> Admission {
        let mut tables = self.tables();
        let known = tables.topics.get(topic).is_some_and(|topic| topic.subscriptions.contains_key(callback));
        let key = (topic.to_owned(), callback.to_owned());
        if known || tables.pending.contains(&key) {
            return Admission::Renewal;
        }
        let there = tables.active + tables.pending.len() as u64;
        if there >= refused.unwrap_or(SUBSCRIPTIONS_MAX) {
            return Admission::Full;
        }
        if denied.is_some_and(|most| there >= most) {
            return Admission::Denied;
        }
        tables.pending.insert(key);
        Admission::New
    }

    /// A request that was taken will not become a subscription.
    pub(super) fn forget(&self, topic: &str, callback: &str) {
        self.tables().pending.remove(&(topic.to_owned(), callback.to_owned()));
    }

    /// It is verified, and kept. `false` where there is no room for its topic.
    pub(super) fn put(&self, row: &Row) -> bool {
        let Some(subscription) = Subscription::of(row) else { return false };
        let mut tables = self.tables();
        tables.pending.remove(&(row.topic.clone(), row.callback.clone()));
        if tables.topics.len() >= TOPICS_MAX && !tables.topics.contains_key(&row.topic) {
            return false;
        }
        let topic = tables.topics.entry(row.topic.clone()).or_default();
        let before = topic.subscriptions.insert(row.callback.clone(), Arc::new(subscription));
        tables.active += u64::from(before.is_none());
        true
    }

    /// Ends a subscription; `false` where there is none.
    pub(super) fn remove(&self, topic: &str, callback: &str) -> bool {
        let mut tables = self.tables();
        let removed = tables.topics.get_mut(topic).and_then(|topic| topic.subscriptions.remove(callback));
        tables.active -= u64::from(removed.is_some());
        if let Some(subscription) = &removed {
            subscription.is_over.store(true, Relaxed);
        }
        removed.is_some()
    }

    /// Those to whom content of a topic goes now, which is kept as the last. `None` where there is no room for the topic.
    pub(super) fn publish(&self, topic: &str, content: Content) -> Option<Vec<Arc<Subscription>>> {
        let mut tables = self.tables();
        if tables.topics.len() >= TOPICS_MAX && !tables.topics.contains_key(topic) {
            return None;
        }
        let topic = tables.topics.entry(topic.to_owned()).or_default();
        topic.last = Some(content);
        Some(topic.subscriptions.values().cloned().collect())
    }

    pub(super) fn last(&self, topic: &str) -> Option<Content> {
        self.tables().topics.get(topic)?.last.clone()
    }

    /// Those whose lease is over.
    pub(super) fn expired(&self, now_ns: i64) -> Vec<Arc<Subscription>> {
        let tables = self.tables();
        let all = tables.topics.values().flat_map(|topic| topic.subscriptions.values());
        all.filter(|subscription| !subscription.is_there(now_ns)).cloned().collect()
    }

    /// Subscriptions that are there, and that are not verified yet.
    pub(super) fn counts(&self) -> (u64, u64) {
        let tables = self.tables();
        (tables.active, tables.pending.len() as u64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(callback: &str, until_ns: i64) -> Row {
        Row { topic: "t".to_owned(), callback: callback.to_owned(), secret: None, link: "<h>".to_owned(), until_ns }
    }

    fn content() -> Content {
        Content { body: Bytes::from_static(b"x"), content_type: HeaderValue::from_static("text/plain") }
    }

    #[test]
    fn a_repeated_request_renews_and_others_are_bounded() {
        let book = Book::default();
        let admit = |callback| book.admit("t", callback, Some(3), Some(2));
        assert_eq!(
            [admit("a"), admit("a"), admit("b"), admit("c")],
            [Admission::New, Admission::Renewal, Admission::New, Admission::Denied]
        );
        assert!(book.put(&row("a", 10)) && book.put(&row("b", 20)) && book.put(&row("a", 30)));
        assert_eq!((book.counts(), admit("a")), ((2, 0), Admission::Renewal));
        assert_eq!(book.admit("t", "d", Some(2), None), Admission::Full);
        assert_eq!(book.admit("t", "d", None, None), Admission::New);
        book.forget("t", "d");
        assert_eq!(book.counts(), (2, 0));
    }

    #[test]
    fn content_goes_to_those_who_are_there() {
        let book = Book::default();
        assert!(book.put(&row("a", 10)) && book.put(&row("b", 20)));
        let all = book.publish("t", content()).unwrap();
        assert_eq!((all.len(), book.publish("u", content()).unwrap().len()), (2, 0));
        assert_eq!(all.iter().filter(|it| it.is_there(15)).count(), 1);
        assert_eq!(book.expired(15).iter().map(|it| it.callback.as_str()).collect::<Vec<_>>(), ["a"]);
        assert!(book.remove("t", "b") && !book.remove("t", "b"));
        assert_eq!(all.iter().filter(|it| it.is_there(0)).count(), 1, "who has left gets nothing of what is under way");
        assert_eq!(book.last("t").unwrap().body, "x");
    }
}
