//! Replies that come back on another topic: a thread reads them and hands each to the part of the load that waits for it.

use crate::config::ReplyTo;
use contract::Failure;
use kafka_client::{Access, Complaints};
use rdkafka::consumer::{BaseConsumer, Consumer};
use rdkafka::message::{Headers, Message};
use rdkafka::{Offset, TopicPartitionList};
use rustix::event::{EventfdFlags, eventfd};
use std::collections::HashMap;
use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;

/// How often the thread looks whether it is to end.
const PAUSE: Duration = Duration::from_millis(100);
/// Signs of an id: 32 of the key, 16 of the run.
const ID_LENGTH: usize = 48;

/// The id that a request bears and its reply repeats: whose it is, and of which run.
pub(crate) fn id(key: u128, nonce: u64) -> String {
    format!("{key:032x}{nonce:016x}")
}

/// The key of an id of this run.
fn key_of(id: &[u8], nonce: u64) -> Option<u128> {
    let id = std::str::from_utf8(id).ok().filter(|id| id.len() == ID_LENGTH && id.is_ascii())?;
    let (key, run) = id.split_at(32);
    (u64::from_str_radix(run, 16).ok()? == nonce).then(|| u128::from_str_radix(key, 16).ok())?
}

/// The part of a key that says which part of the load on which thread waits.
pub(crate) fn place_of(key: u128) -> u64 {
    (key >> 88) as u64
}

/// Replies for one part of the load.
#[derive(Debug)]
pub(crate) struct Inbox {
    /// Keys, and sizes of what came.
    came: Mutex<Vec<(u128, u64)>>,
    bell: OwnedFd,
    /// Whether a session takes what comes.
    is_heard: AtomicBool,
}

impl Inbox {
    fn new() -> io::Result<Self> {
        let bell = eventfd(0, EventfdFlags::NONBLOCK | EventfdFlags::CLOEXEC)?;
        Ok(Self { came: Mutex::default(), bell, is_heard: AtomicBool::new(false) })
    }

    /// What becomes readable when a reply has come.
    pub(crate) fn bell(&self) -> BorrowedFd<'_> {
        self.bell.as_fd()
    }

    fn put(&self, key: u128, bytes: u64) {
        self.came.lock().unwrap_or_else(PoisonError::into_inner).push((key, bytes));
        let _ = rustix::io::write(&self.bell, &1u64.to_ne_bytes());
    }

    /// What has come since; `into` is emptied first, and its memory is used in turn.
    pub(crate) fn take(&self, into: &mut Vec<(u128, u64)>) {
        let mut count = [0; 8];
        let _ = rustix::io::read(&self.bell, &mut count);
        into.clear();
        std::mem::swap(into, &mut *self.came.lock().unwrap_or_else(PoisonError::into_inner));
    }
}

type Inboxes = Arc<Mutex<HashMap<u64, Arc<Inbox>>>>;

/// Reads one topic of replies, from where it ends when it is set up.
pub(crate) struct Replies {
    access: Access,
    to: ReplyTo,
    inboxes: Inboxes,
    is_over: Arc<AtomicBool>,
    reader: Option<JoinHandle<()>>,
}

impl Replies {
    /// # Errors
    /// Why the topic cannot be read.
    pub(crate) fn new(access: &Access, to: &ReplyTo, nonce: u64) -> Result<Self, Failure> {
        let mut config = access.client();
        // It is assigned its partitions, so it is not a member of a group and commits nothing.
        config.set("group.id", "loadproof-replies").set("client.id", "loadproof").set("enable.auto.commit", "false");
        config.set("fetch.wait.max.ms", "10");
        let complaints = Complaints::default();
        let consumer: BaseConsumer<Complaints> = config
            .create_with_context(complaints.clone())
            .map_err(|error| Failure::new(format!("the Kafka client cannot be set up: {error}")))?;
        let broker = access.brokers();
        let why = |error| Failure::new(format!("{broker} did not answer: {}", complaints.why(&error)));
        let partitions = kafka_client::partitions(consumer.client(), access, &to.topic, &complaints, || {
            kafka_client::hear(&consumer)
        })?;
        let mut all = TopicPartitionList::new();
        for partition in partitions {
            // Where it ends now: a reply that comes before the reader's first fetch must not be missed.
            let end = kafka_client::end(&consumer, &to.topic, partition).map_err(&why)?;
            all.add_partition_offset(&to.topic, partition, Offset::Offset(end)).map_err(&why)?;
        }
        consumer.assign(&all).map_err(&why)?;
        let (inboxes, is_over): (Inboxes, Arc<AtomicBool>) = Default::default();
        let (own, over, header) = (inboxes.clone(), is_over.clone(), to.header.clone());
        let reader = std::thread::Builder::new().name("kafka-replies".to_owned()).spawn(move || {
            while !over.load(Ordering::Relaxed) {
                // What cannot be read now is read again by the client; a reply that never comes is missing.
                let Some(Ok(message)) = consumer.poll(PAUSE) else { continue };
                let id = message.headers().and_then(|headers| headers.iter().find(|found| found.key == header)?.value);
                let Some(key) = id.and_then(|id| key_of(id, nonce)) else { continue };
                let inbox = own.lock().unwrap_or_else(PoisonError::into_inner).get(&place_of(key)).cloned();
                if let Some(inbox) = inbox {
                    inbox.put(key, message.payload_len() as u64);
                }
            }
        });
        let reader = reader.map_err(|error| Failure::new(format!("no thread can be started: {error}")))?;
        Ok(Self { access: access.clone(), to: to.clone(), inboxes, is_over, reader: Some(reader) })
    }

    /// Whether it reads what an exchange waits for.
    pub(crate) fn is_for(&self, access: &Access, to: &ReplyTo) -> bool {
        self.access == *access && self.to == *to
    }

    /// The inbox of a part of the load.
    ///
    /// # Errors
    /// No descriptor is left.
    pub(crate) fn inbox(&self, place: u64) -> io::Result<Arc<Inbox>> {
        let mut inboxes = self.inboxes.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = inboxes.get(&place) {
            return Ok(known.clone());
        }
        let inbox = Arc::new(Inbox::new()?);
        inboxes.insert(place, inbox.clone());
        Ok(inbox)
    }
}

/// Hears an inbox on behalf of every slot of its part of the load, as long as it is there.
#[derive(Debug)]
pub(crate) struct Hearing(Arc<Inbox>);

impl Hearing {
    /// `None` where a session hears it already.
    pub(crate) fn of(inbox: &Arc<Inbox>) -> Option<Self> {
        let is_free = || inbox.is_heard.compare_exchange(false, true, Ordering::AcqRel, Ordering::Relaxed).is_ok();
        (!inbox.is_heard.load(Ordering::Relaxed) && is_free()).then(|| Self(inbox.clone()))
    }

    pub(crate) fn inbox(&self) -> &Inbox {
        &self.0
    }
}

impl Drop for Hearing {
    fn drop(&mut self) {
        self.0.is_heard.store(false, Ordering::Release);
    }
}

impl Drop for Replies {
    fn drop(&mut self) {
        self.is_over.store(true, Ordering::Relaxed);
        if let Some(reader) = self.reader.take() {
            let _ = reader.join();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_inbox_is_heard_by_one_and_by_another_once_that_is_gone() {
        let inbox = Arc::new(Inbox::new().unwrap());
        let first = Hearing::of(&inbox).unwrap();
        assert!(Hearing::of(&inbox).is_none());
        inbox.put(7, 3);
        let mut came = Vec::new();
        first.inbox().take(&mut came);
        assert_eq!(came, [(7, 3)]);
        drop(first);
        assert!(Hearing::of(&inbox).is_some());
    }

    #[test]
    fn an_id_gives_its_key_back_in_its_own_run_only() {
        let key = 0x0001_0002_03aa_bbcc_ddee_ff00_1122_3344_u128;
        assert_eq!(key_of(id(key, 7).as_bytes(), 7), Some(key));
        assert_eq!(key_of(id(key, 7).as_bytes(), 8), None, "a late reply of another run");
        assert_eq!(place_of(key), 0x0000_0100_0203);
        for odd in ["", "x", &id(key, 7)[1..], &"é".repeat(24), &"+".repeat(48)] {
            assert_eq!(key_of(odd.as_bytes(), 7), None, "{odd}");
        }
    }
}
