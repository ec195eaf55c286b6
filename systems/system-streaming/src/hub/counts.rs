//! What a hub counts, for reconciling a run with it.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use serde_json::{Map, Value};

/// A number for each of these; all count from the start of the process.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Count {
    Verified,
    Renewed,
    /// Asked, and not confirmed.
    Unverified,
    /// Never asked (fault `no_verification`).
    Forgotten,
    Denied,
    Refused,
    Unsubscribed,
    Expired,
    Published,
    /// Events that were refused, since too many were under way.
    Overrun,
    Attempted,
    Delivered,
    Failed,
    Retried,
    GivenUp,
    Gone,
    Dropped,
    Doubled,
    Wrong,
    /// Delivered with a byte that is another one (fault `wrong_every`).
    Altered,
    /// Requests for subscriptions that were sent on to another hub.
    Redirected,
    /// Requests to callbacks whose certificate was not trusted, of questions and of deliveries.
    Untrusted,
}

use Count::*;

/// Under which name and key each stands in `/counters`.
const ALL: [(Count, &str, &str); 22] = [
    (Verified, "subscriptions", "verified"),
    (Renewed, "subscriptions", "renewed"),
    (Unverified, "subscriptions", "unverified"),
    (Forgotten, "subscriptions", "forgotten"),
    (Denied, "subscriptions", "denied"),
    (Refused, "subscriptions", "refused"),
    (Unsubscribed, "subscriptions", "unsubscribed"),
    (Expired, "subscriptions", "expired"),
    (Published, "events", "published"),
    (Overrun, "events", "refused"),
    (Attempted, "deliveries", "attempted"),
    (Delivered, "deliveries", "delivered"),
    (Failed, "deliveries", "failed"),
    (Retried, "deliveries", "retried"),
    (GivenUp, "deliveries", "given_up"),
    (Gone, "deliveries", "gone"),
    (Dropped, "deliveries", "dropped"),
    (Doubled, "deliveries", "doubled"),
    (Wrong, "deliveries", "wrong"),
    (Altered, "deliveries", "altered"),
    (Redirected, "subscriptions", "redirected"),
    (Untrusted, "callbacks", "untrusted"),
];

#[derive(Default)]
pub(super) struct Counts([AtomicU64; ALL.len()]);

impl Counts {
    pub(super) fn add(&self, count: Count) {
        self.0[count as usize].fetch_add(1, Relaxed);
    }

    /// By name and key.
    pub(super) fn to_json(&self) -> Map<String, Value> {
        let mut all = Map::new();
        for (count, name, key) in ALL {
            let of_name = all.entry(name).or_insert_with(|| Value::Object(Map::new()));
            of_name[key] = self.0[count as usize].load(Relaxed).into();
        }
        all
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_count_has_its_place() {
        assert!(ALL.iter().enumerate().all(|(place, (count, ..))| *count as usize == place));
        let counts = Counts::default();
        counts.add(Count::Gone);
        counts.add(Count::Overrun);
        let shown = Value::Object(counts.to_json());
        assert_eq!((&shown["deliveries"]["gone"], &shown["events"]["refused"]), (&1.into(), &1.into()));
        assert_eq!(shown["subscriptions"]["denied"], 0);
    }
}
