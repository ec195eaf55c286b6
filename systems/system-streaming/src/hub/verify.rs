//! Whether a request is meant: the hub asks the callback, and only who repeats its challenge is believed.

use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;
use std::time::Duration;

use axum::http::{HeaderMap, Method};
use bytes::Bytes;
use ring::rand::{SecureRandom, SystemRandom};

use super::counts::Count;
use super::courier::Address;
use super::store::Row;
use super::{Hub, form, now_ns};

/// A request that is to be asked about.
pub(super) struct Question {
    /// The topic as the subscriber wrote it, which it is asked by.
    pub(super) hub_topic: String,
    pub(super) topic: String,
    pub(super) callback: String,
    pub(super) address: Address,
    pub(super) kind: Kind,
}

pub(super) enum Kind {
    Subscribe {
        lease: Duration,
        secret: Option<String>,
        link: String,
        is_renewal: bool,
    },
    Unsubscribe,
    /// It is not asked about, but told that it is denied.
    Deny,
}

impl Hub {
    /// Asks, or tells.
    pub(super) async fn question(self: Arc<Self>, question: Question) {
        let number = self.verifications.fetch_add(1, Relaxed);
        if !matches!(question.kind, Kind::Deny) && !self.faults.fan_out.is_verified(number) {
            self.counts.add(Count::Forgotten);
            return self.book.forget(&question.topic, &question.callback);
        }
        tokio::time::sleep(self.faults.fan_out.late_verification).await;
        let place = self.courier.place().await;
        let Question { hub_topic, topic, callback, address, kind } = question;
        let challenge = challenge();
        let ask = async |mode: &str, more: Option<(&str, &str)>| {
            let mut path = address.path.clone();
            form::append(&mut path, "hub.mode", mode);
            form::append(&mut path, "hub.topic", &hub_topic);
            if let Some((name, value)) = more {
                form::append(&mut path, name, value);
            }
            if mode != "denied" {
                form::append(&mut path, "hub.challenge", &challenge);
            }
            let address = Address { path, ..address.clone() };
            let answered = self.call(&address, Method::GET, HeaderMap::new(), Bytes::new()).await;
            answered.is_ok_and(|(status, body)| status.is_success() && body == challenge)
        };
        match kind {
            Kind::Deny => {
                self.counts.add(Count::Denied);
                ask("denied", Some(("hub.reason", "fault `deny_above`: there are enough subscribers"))).await;
            }
            Kind::Unsubscribe => {
                let is_meant = ask("unsubscribe", None).await;
                drop(place);
                if is_meant && self.book.remove(&topic, &callback) {
                    self.store.delete(&topic, &callback).await;
                    self.counts.add(Count::Unsubscribed);
                } else {
                    self.counts.add(Count::Unverified);
                }
            }
            Kind::Subscribe { lease, secret, link, is_renewal } => {
                let seconds = lease.as_secs().max(1).to_string();
                let is_meant = ask("subscribe", Some(("hub.lease_seconds", &seconds))).await;
                // From the answer on, so that it is over no earlier than its subscriber thinks.
                let until_ns = now_ns().saturating_add(i64::try_from(lease.as_nanos()).unwrap_or(i64::MAX));
                drop(place);
                let row = Row { topic, callback, secret, link, until_ns };
                if is_meant && self.store.put(row.clone()).await && self.book.put(&row) {
                    self.counts.add(if is_renewal { Count::Renewed } else { Count::Verified });
                } else {
                    // What was there before stays as it is (section 5.3 of the recommendation).
                    self.counts.add(Count::Unverified);
                    self.book.forget(&row.topic, &row.callback);
                }
            }
        }
    }
}

/// Sixteen random bytes.
fn challenge() -> String {
    let mut bytes = [0; 16];
    // Without randomness nobody can be asked: a known challenge proves nothing.
    SystemRandom::new().fill(&mut bytes).expect("invariant: the system has random numbers");
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}
