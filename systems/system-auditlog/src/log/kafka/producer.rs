//! Produces batches into a Kafka: a batch is done when the last of its records is acknowledged by all replicas.

use std::sync::atomic::{AtomicUsize, Ordering::AcqRel};
use std::sync::{Arc, Mutex, PoisonError};

use axum::http::uri::Authority;
use rdkafka::client::ClientContext;
use rdkafka::config::RDKafkaLogLevel;
use rdkafka::error::KafkaError;
use rdkafka::message::DeliveryResult;
use rdkafka::producer::{BaseRecord, Producer as _, ProducerContext, ThreadedProducer};
use tokio::sync::Notify;

use super::super::client::LogError;
use super::super::record;
use super::{ASK, Complaint, settings, usable};

/// Records that wait for the broker at most: two hundred calls of the largest size.
const WAITING_MAX: &str = "200000";

/// A batch on its way.
struct Batch {
    /// Records that are not answered yet, and one for whoever hands them over.
    left: AtomicUsize,
    /// Why the first of them failed.
    why: Mutex<Option<String>>,
    done: Notify,
}

impl Batch {
    fn fail(&self, why: String) {
        self.why.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(why);
    }

    fn one_less(&self) {
        if self.left.fetch_sub(1, AcqRel) == 1 {
            self.done.notify_one();
        }
    }
}

/// Hears of acknowledgments on the client's thread.
#[derive(Clone, Default)]
struct Acks(Complaint);

impl ClientContext for Acks {
    fn log(&self, _: RDKafkaLogLevel, _: &str, _: &str) {}

    fn error(&self, error: KafkaError, reason: &str) {
        self.0.keep(&error, reason);
    }
}

impl ProducerContext for Acks {
    type DeliveryOpaque = Arc<Batch>;

    fn delivery(&self, result: &DeliveryResult<'_>, batch: Arc<Batch>) {
        if let Err((error, _)) = result {
            batch.fail(self.0.why(error));
        }
        batch.one_less();
    }
}

/// A client that produces.
#[derive(Clone)]
pub(crate) struct Producer {
    client: ThreadedProducer<Acks>,
    broker: Authority,
}

impl Producer {
    /// It connects when it is asked something.
    ///
    /// # Errors
    /// What librdkafka cannot do.
    pub(crate) fn new(broker: &Authority) -> anyhow::Result<Self> {
        let mut config = settings(broker, "system-auditlog");
        // As clients in Java do by themselves: all replicas acknowledge, what is sent again is not there twice, and a key
        // goes to the partition that it has there.
        config.set("acks", "all").set("enable.idempotence", "true").set("partitioner", "murmur2_random");
        config.set("message.timeout.ms", "10000").set("queue.buffering.max.messages", WAITING_MAX);
        Ok(Self { client: config.create_with_context(Acks::default())?, broker: broker.clone() })
    }

    /// Where the broker is.
    pub(crate) fn address(&self) -> &str {
        self.broker.as_str()
    }

    fn unanswered(&self, why: String) -> LogError {
        LogError::Unanswered { address: self.broker.clone(), why }
    }

    /// Writes the records of `frames`; when this returns, they are acknowledged.
    ///
    /// # Errors
    /// One of them is not; others may be there.
    pub(crate) async fn produce(&self, topic: &str, frames: &[u8]) -> Result<(), LogError> {
        let batch = Arc::new(Batch { left: AtomicUsize::new(1), why: Mutex::new(None), done: Notify::new() });
        let mut rest = frames;
        loop {
            let (found, behind) = match record::read(rest) {
                Ok(Some(found)) => found,
                Ok(None) => break,
                Err(why) => {
                    batch.fail(why.to_string());
                    break;
                }
            };
            batch.left.fetch_add(1, AcqRel);
            let record = BaseRecord::with_opaque_to(topic, Arc::clone(&batch)).key(found.key).payload(found.value);
            if let Err((error, _)) = self.client.send(record) {
                batch.fail(super::words(&error));
                batch.one_less();
                break;
            }
            rest = behind;
        }
        batch.one_less();
        batch.done.notified().await;
        let why = batch.why.lock().unwrap_or_else(PoisonError::into_inner).take();
        why.map_or(Ok(()), |why| Err(self.unanswered(why)))
    }

    /// Whether the broker answers and has the topic.
    ///
    /// # Errors
    /// It does not.
    pub(crate) async fn works(&self, topic: &str) -> Result<(), LogError> {
        let (client, topic) = (self.client.clone(), topic.to_owned());
        let ask = move || match client.client().fetch_metadata(Some(&topic), ASK) {
            Ok(known) => usable(&topic, &known),
            Err(error) => Err(super::words(&error)),
        };
        let asked = tokio::task::spawn_blocking(ask).await;
        asked.unwrap_or_else(|_| Err("the question broke off".to_owned())).map_err(|why| self.unanswered(why))
    }
}
