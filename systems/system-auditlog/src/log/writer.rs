//! Who writes to a log, whichever it is.

use axum::body::Bytes;

use super::client::{Log, LogError};
use super::kafka::Producer;
use super::place::Place;

/// A producer.
pub(crate) enum Writer {
    /// Of one of this program's own.
    Embedded(Log),
    /// Of a broker.
    Kafka(Producer),
}

impl Writer {
    /// Connects when something is written.
    ///
    /// # Errors
    /// What the client of a Kafka cannot do.
    pub(crate) fn new(place: &Place) -> anyhow::Result<Self> {
        Ok(match place {
            Place::Embedded(address) => Self::Embedded(Log::new(address.clone())),
            Place::Kafka(address) => Self::Kafka(Producer::new(address)?),
        })
    }

    /// Appends the records of `frames`, of which there are `count`; when this returns, they are acknowledged.
    ///
    /// # Errors
    /// They are not, or it is not known.
    pub(crate) async fn produce(&self, topic: &str, frames: Bytes, count: u64) -> Result<(), LogError> {
        match self {
            Self::Embedded(log) => log.produce(topic, frames, count).await,
            Self::Kafka(producer) => producer.produce(topic, &frames).await,
        }
    }

    /// Whether it would take records now. May take long to find out.
    ///
    /// # Errors
    /// It would not.
    pub(crate) async fn works(&self, topic: &str) -> Result<(), LogError> {
        match self {
            // An empty batch is acknowledged by a log that works, and leaves nothing there.
            Self::Embedded(log) => log.produce(topic, Bytes::new(), 0).await,
            Self::Kafka(producer) => producer.works(topic).await,
        }
    }

    /// Where it is.
    pub(crate) fn address(&self) -> &str {
        match self {
            Self::Embedded(log) => log.address().as_str(),
            Self::Kafka(producer) => producer.address(),
        }
    }
}
