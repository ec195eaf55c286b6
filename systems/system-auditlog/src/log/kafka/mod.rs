//! A Kafka as the log: records are produced and consumed through librdkafka, by members that commit when their work is done.
//!
//! Assignment is by range, over members in the order of their ids, which begin with their client ids: `HOST-NUMBER`, as in the
//! embedded log. With twelve members on each of two hosts the first one has all twelve partitions.

mod member;
mod producer;

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use axum::http::uri::Authority;
use rdkafka::config::{ClientConfig, RDKafkaLogLevel};
use rdkafka::error::KafkaError;
use rdkafka::metadata::Metadata;
use rdkafka::types::RDKafkaErrorCode;

pub(super) use member::run;
pub(crate) use producer::Producer;

/// Longest time for a question about the cluster.
const ASK: Duration = Duration::from_millis(1500);

/// Settings of every client of a broker.
fn settings(broker: &Authority, client: &str) -> ClientConfig {
    let mut config = ClientConfig::new();
    config
        .set("bootstrap.servers", broker.as_str())
        .set("client.id", client)
        .set("allow.auto.create.topics", "false")
        .set("socket.timeout.ms", "10000")
        // A broker that comes back is found within half a second.
        .set("reconnect.backoff.max.ms", "500")
        .set_log_level(RDKafkaLogLevel::Emerg);
    config
}

/// What happened, without the library's wrapping.
fn words(error: &KafkaError) -> String {
    error.rdkafka_error_code().map_or_else(|| error.to_string(), |code| code.to_string())
}

/// Whether the topic is there and can be used; the text says why not.
fn usable(topic: &str, known: &Metadata) -> Result<(), String> {
    let found = known.topics().iter().find(|found| found.name() == topic);
    match found {
        Some(found) if found.error().is_none() && !found.partitions().is_empty() => Ok(()),
        _ => Err(format!("there is no topic `{topic}`")),
    }
}

/// What a client complains of by itself comes later than an error, and says more: the last complaint.
#[derive(Clone, Default)]
struct Complaint(Arc<Mutex<Option<String>>>);

/// Signs that are kept of one.
const COMPLAINT_MAX: usize = 300;

impl Complaint {
    fn keep(&self, error: &KafkaError, reason: &str) {
        // It follows on the reason, and hides it.
        if error.rdkafka_error_code() != Some(RDKafkaErrorCode::AllBrokersDown) {
            let reason = reason.split_once("]: ").map_or(reason, |(_, rest)| rest);
            let kept = reason.chars().take(COMPLAINT_MAX).collect();
            *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some(kept);
        }
    }

    fn why(&self, error: &KafkaError) -> String {
        let last = self.0.lock().unwrap_or_else(PoisonError::into_inner).take();
        match last {
            Some(complaint) => format!("{} ({complaint})", words(error)),
            None => words(error),
        }
    }
}
