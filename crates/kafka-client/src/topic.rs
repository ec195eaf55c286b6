//! A topic, asked for before anything is sent or read.

use crate::{Access, Complaints};
use contract::Failure;
use rdkafka::client::{Client, ClientContext};
use rdkafka::consumer::{BaseConsumer, ConsumerContext};
use rdkafka::error::RDKafkaErrorCode;
use std::time::Duration;

/// How long the cluster may take before the load.
const PATIENCE: Duration = Duration::from_secs(10);
/// Complaints that a consumer may have had by then.
const COMPLAINTS_MAX: usize = 100;

/// Numbers of a topic's partitions. `hear` has the client hand over what it has complained of meanwhile, where nobody else
/// does.
///
/// # Errors
/// Why the cluster did not answer, that it has no such topic, or that it shows it to others only.
pub fn partitions<C: ClientContext>(
    client: &Client<C>,
    access: &Access,
    topic: &str,
    complaints: &Complaints,
    hear: impl FnOnce(),
) -> Result<Vec<i32>, Failure> {
    let broker = access.brokers();
    let metadata = client.fetch_metadata(Some(topic), PATIENCE).map_err(|error| {
        hear();
        Failure::new(format!("{broker} did not answer: {}", access.explain(&complaints.why(&error))))
    })?;
    let found = metadata.topics().iter().find(|found| found.name() == topic);
    let error = found.and_then(|found| found.error()).map(RDKafkaErrorCode::from);
    if error == Some(RDKafkaErrorCode::TopicAuthorizationFailed) {
        return Err(Failure::new(format!(
            "{broker} does not let {} see the topic `{topic}`: give it the right, or name another user under `sasl`",
            access.whom()
        )));
    }
    let found = found.filter(|found| found.error().is_none() && !found.partitions().is_empty());
    let Some(found) = found else {
        return Err(Failure::new(format!("{broker} has no topic `{topic}`: make it, or name one that is there")));
    };
    Ok(found.partitions().iter().map(|partition| partition.id()).collect())
}

/// Has a consumer hand over what it has complained of.
pub fn hear<C: ConsumerContext>(consumer: &BaseConsumer<C>) {
    for _ in 0..COMPLAINTS_MAX {
        if consumer.poll(Duration::ZERO).is_none() {
            return;
        }
    }
}
