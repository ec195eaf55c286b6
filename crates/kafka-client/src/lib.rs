//! Access to Kafka clusters, as drivers and monitors have it in common: addresses, TLS, SASL, and why a cluster did not
//! answer.
//!
//! # Place in the pipeline
//! Below plug-ins: `driver-kafka` and `monitor-kafka-lag` read their settings with it and ask librdkafka.
//!
//! # Ideas
//! Settings are librdkafka's, in the words of studies. What the client complains of by itself comes later than the error
//! of a question, and says more: the last complaint is kept for whoever asks why.
//!
//! # Not here
//! Producing, consuming, groups.
#![forbid(unsafe_code)]

mod access;
mod complaints;
mod topic;

pub use access::{ACCESS_KEYS, Access, word};
pub use complaints::Complaints;
pub use topic::{end, hear, partitions};
