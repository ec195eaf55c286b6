//! A topic, asked for before anything is sent or read.

use crate::{Access, Complaints};
use contract::Failure;
use rdkafka::client::{Client, ClientContext};
use rdkafka::consumer::{BaseConsumer, Consumer, ConsumerContext};
use rdkafka::error::{KafkaError, KafkaResult, RDKafkaErrorCode};
use std::time::Duration;

/// How long the cluster may take before the load.
const PATIENCE: Duration = Duration::from_secs(10);
/// Times that a partition without a leader is asked for, and between two of them.
const ELECTION_LOOKS: u32 = 40;
const PAUSE: Duration = Duration::from_millis(250);
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

/// Where a partition ends now. A topic that was just made, or whose broker was lost, has no leader for a moment: the cluster
/// is asked again for as long as it may take before the load.
///
/// # Errors
/// What the client says: that the cluster did not answer, or that the partition is missing or not shown.
pub fn end<C: ConsumerContext>(consumer: &BaseConsumer<C>, topic: &str, partition: i32) -> KafkaResult<i64> {
    for _ in 0..ELECTION_LOOKS {
        match consumer.fetch_watermarks(topic, partition, PATIENCE) {
            Err(error) if is_electing(&error) => std::thread::park_timeout(PAUSE),
            answered => return answered.map(|(_, end)| end),
        }
    }
    consumer.fetch_watermarks(topic, partition, PATIENCE).map(|(_, end)| end)
}

/// Whether a partition only waits for its leader.
fn is_electing(error: &KafkaError) -> bool {
    use RDKafkaErrorCode::{LeaderNotAvailable, NotLeaderForPartition};
    matches!(error.rdkafka_error_code(), Some(LeaderNotAvailable | NotLeaderForPartition))
}

/// Has a consumer hand over what it has complained of.
pub fn hear<C: ConsumerContext>(consumer: &BaseConsumer<C>) {
    for _ in 0..COMPLAINTS_MAX {
        if consumer.poll(Duration::ZERO).is_none() {
            return;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_partition_without_a_leader_is_asked_for_again() {
        use RDKafkaErrorCode::*;
        let cases = [
            (NotLeaderForPartition, true),
            (LeaderNotAvailable, true),
            (UnknownPartition, false),
            (TopicAuthorizationFailed, false),
            (BrokerTransportFailure, false),
        ];
        for (code, expected) in cases {
            assert_eq!(is_electing(&KafkaError::MetadataFetch(code)), expected, "{code}");
        }
    }
}
