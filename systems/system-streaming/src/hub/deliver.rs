//! Content goes to all who subscribed, so many at a time, and is tried again where that fails.

use std::collections::HashMap;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use axum::http::{HeaderMap, HeaderValue, Method, StatusCode, header};
use bytes::Bytes;
use system_common::DeliveryFault;

use super::Hub;
use super::book::{Content, Subscription};
use super::counts::Count;
use super::courier::Address;
use super::signature::spoilt;
use crate::hub::now_ns;

/// Pauses before a delivery that failed is tried again; after the last it is given up.
const PAUSES: [Duration; 3] = [Duration::from_millis(500), Duration::from_secs(2), Duration::from_secs(8)];
/// Signatures of one event that are kept, by secret: most studies have one secret for all.
const SIGNATURES_MAX: usize = 1024;

/// An event while it is handed out.
pub(super) struct Event {
    content: Content,
    signatures: Mutex<HashMap<String, String>>,
}

impl Event {
    pub(super) fn new(content: Content) -> Arc<Self> {
        Arc::new(Self { content, signatures: Mutex::default() })
    }
}

impl Hub {
    /// Hands an event to all of them.
    pub(super) async fn distribute(self: Arc<Self>, event: Arc<Event>, to: Vec<Arc<Subscription>>) {
        for subscription in to {
            // Who waits for a place is this loop, not ten thousand tasks.
            let place = self.courier.place().await;
            let (hub, event) = (Arc::clone(&self), Arc::clone(&event));
            tokio::spawn(async move { hub.deliver(&event, &subscription, place).await });
        }
        self.distributing.fetch_sub(1, Relaxed);
    }

    async fn deliver(&self, event: &Event, to: &Subscription, place: impl Sized) {
        let Some(address) = Address::of(&to.callback) else { return };
        let mut place = Some(place);
        for pause in PAUSES.into_iter().map(Some).chain([None]) {
            if !to.is_there(now_ns()) {
                return;
            }
            let again = if place.is_none() { Some(self.courier.place().await) } else { None };
            let is_done = self.attempt(event, to, &address).await;
            drop((again, place.take()));
            if is_done {
                return;
            }
            match pause {
                Some(pause) => {
                    self.counts.add(Count::Retried);
                    tokio::time::sleep(pause).await;
                }
                None => self.counts.add(Count::GivenUp),
            }
        }
    }

    /// One attempt; whether no other is needed.
    async fn attempt(&self, event: &Event, to: &Subscription, address: &Address) -> bool {
        let number = self.deliveries.fetch_add(1, Relaxed);
        let fault = self.faults.fan_out.of_delivery(number);
        self.counts.add(Count::Attempted);
        if !self.faults.delay.is_zero() {
            tokio::time::sleep(self.faults.delay).await;
        }
        match fault {
            Some(DeliveryFault::Loss) => {
                self.counts.add(Count::Dropped);
                return true;
            }
            Some(DeliveryFault::Error) => {
                self.counts.add(Count::Failed);
                return false;
            }
            Some(DeliveryFault::Duplicate) => self.counts.add(Count::Doubled),
            Some(DeliveryFault::WrongSignature) => self.counts.add(Count::Wrong),
            None => {}
        }
        let headers = self.headers(event, to, fault == Some(DeliveryFault::WrongSignature));
        let is_altered = self.faults.messages.wrong_every.is_some_and(|every| (number + 1).is_multiple_of(every));
        let body = if is_altered { altered(&event.content.body) } else { event.content.body.clone() };
        if is_altered {
            self.counts.add(Count::Altered);
        }
        if fault == Some(DeliveryFault::Duplicate) {
            let _ = self.call(address, Method::POST, headers.clone(), body.clone()).await;
        }
        match self.call(address, Method::POST, headers, body).await {
            Ok((status, _)) if status.is_success() => self.counts.add(Count::Delivered),
            Ok((StatusCode::GONE, _)) => {
                self.counts.add(Count::Gone);
                self.book.remove(&to.topic, &to.callback);
                self.store.delete(&to.topic, &to.callback).await;
            }
            // A redirect is a failure as well (section 7 of the recommendation).
            Ok(_) | Err(_) => {
                self.counts.add(Count::Failed);
                return false;
            }
        }
        true
    }

    fn headers(&self, event: &Event, to: &Subscription, is_spoilt: bool) -> HeaderMap {
        let mut headers = HeaderMap::new();
        headers.insert(header::CONTENT_TYPE, event.content.content_type.clone());
        headers.insert(header::LINK, to.link.clone());
        if let Some(secret) = &to.secret {
            let signature = self.signed(event, secret);
            let signature = if is_spoilt { spoilt(signature) } else { signature };
            if let Ok(signature) = HeaderValue::try_from(signature) {
                headers.insert("x-hub-signature", signature);
            }
        }
        headers
    }

    fn signed(&self, event: &Event, secret: &str) -> String {
        let mut known = event.signatures.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(signature) = known.get(secret) {
            return signature.clone();
        }
        let signature = self.method.sign(secret, &event.content.body);
        if known.len() < SIGNATURES_MAX {
            known.insert(secret.to_owned(), signature.clone());
        }
        signature
    }
}

/// The same with another byte in its middle, as a fault of memory or of a line makes it: signed as it was before.
fn altered(body: &Bytes) -> Bytes {
    let mut altered = body.to_vec();
    let middle = altered.len() / 2;
    if let Some(byte) = altered.get_mut(middle) {
        *byte ^= 1;
    }
    altered.into()
}
