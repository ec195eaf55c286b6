//! What a client complains of by itself.

use rdkafka::client::ClientContext;
use rdkafka::config::RDKafkaLogLevel;
use rdkafka::consumer::ConsumerContext;
use rdkafka::error::{KafkaError, RDKafkaErrorCode};
use std::sync::{Arc, Mutex};

/// Signs that are kept of a complaint.
const COMPLAINT_MAX: usize = 300;

/// The last complaint of a client; clones share it.
#[derive(Clone, Debug, Default)]
pub struct Complaints(Arc<Mutex<Option<String>>>);

impl Complaints {
    /// Why a question was not answered: the last complaint, else what the error itself says.
    pub fn why(&self, error: &KafkaError) -> String {
        let complaint = self.0.lock().ok().and_then(|mut last| last.take());
        let code = || error.rdkafka_error_code().map_or_else(|| error.to_string(), |code| code.to_string());
        complaint.unwrap_or_else(code)
    }

    /// Keeps one.
    pub fn complain(&self, error: &KafkaError, reason: &str) {
        // "All brokers are down" follows on the reason, and hides it.
        if error.rdkafka_error_code() == Some(RDKafkaErrorCode::AllBrokersDown) {
            return;
        }
        if let Ok(mut last) = self.0.lock() {
            // `[thrd:…]: sasl_ssl://host:9092/bootstrap: what happened`
            let reason = reason.split_once("]: ").map_or(reason, |(_, rest)| rest);
            *last = Some(reason.chars().take(COMPLAINT_MAX).collect());
        }
    }
}

impl ClientContext for Complaints {
    fn log(&self, _level: RDKafkaLogLevel, _facility: &str, _message: &str) {}

    fn error(&self, error: KafkaError, reason: &str) {
        self.complain(&error, reason);
    }
}

impl ConsumerContext for Complaints {}
