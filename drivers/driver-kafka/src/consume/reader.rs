//! The thread of one consumer, which is all that waits for librdkafka: a session never does.

use super::inbox::{Inbox, News, Record};
use crate::config::{Listening, Share};
use contract::Failure;
use kafka_client::{Access, Complaints};
use rdkafka::client::ClientContext;
use rdkafka::config::{ClientConfig, RDKafkaLogLevel};
use rdkafka::consumer::{BaseConsumer, Consumer, ConsumerContext, Rebalance};
use rdkafka::error::{KafkaError, RDKafkaErrorCode as Code};
use rdkafka::{Offset, TopicPartitionList};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use terms::Outcome;

/// How often the thread looks whether it is to end.
const PAUSE: Duration = Duration::from_millis(100);
/// A member that says nothing for so long is none any more: so long the group waits for one that was killed.
const SESSION_MS: &str = "10000";

/// Hears on the consumer's thread what the client says beside records.
struct Hears {
    complaints: Complaints,
    inbox: Arc<Inbox>,
    topic: String,
    is_down: AtomicBool,
}

impl ClientContext for Hears {
    fn log(&self, _level: RDKafkaLogLevel, _facility: &str, _message: &str) {}

    fn error(&self, error: KafkaError, reason: &str) {
        if error.rdkafka_error_code() == Some(Code::AllBrokersDown) {
            self.down(&error);
        } else {
            self.complaints.complain(&error, reason);
        }
    }
}

impl ConsumerContext for Hears {
    fn post_rebalance(&self, _: &BaseConsumer<Self>, rebalance: &Rebalance<'_>) {
        let numbers = |list: &TopicPartitionList| {
            let mut all: Vec<i32> = list.elements_for_topic(&self.topic).iter().map(|it| it.partition()).collect();
            all.sort_unstable();
            all
        };
        match rebalance {
            Rebalance::Assign(list) => self.inbox.tell(News::Assigned(numbers(list))),
            Rebalance::Revoke(list) => self.inbox.tell(News::Revoked(numbers(list))),
            Rebalance::Error(error) => self.complaints.complain(error, &error.to_string()),
        }
    }
}

impl Hears {
    /// Said once, until something comes again.
    fn down(&self, error: &KafkaError) {
        if !self.is_down.swap(true, Ordering::Relaxed) {
            self.inbox.tell(News::Down(self.complaints.why(error)));
        }
    }
}

/// Settings of a consumer.
fn settings(of: &Listening) -> ClientConfig {
    let mut config = of.access.client();
    let (group, commits) = match &of.share {
        Share::Group(name) => (name.as_str(), "true"),
        // It is assigned its partitions, so it is not a member of a group and commits nothing.
        Share::Own(_) => ("loadproof-consume", "false"),
    };
    config
        .set("group.id", group)
        .set("client.id", "loadproof")
        .set("enable.auto.commit", commits)
        .set("auto.commit.interval.ms", "1000")
        .set("auto.offset.reset", if of.is_from_earliest { "earliest" } else { "latest" })
        .set("session.timeout.ms", SESSION_MS)
        .set("heartbeat.interval.ms", "2000")
        .set("fetch.wait.max.ms", "100")
        // A topic that is gone is told within seconds.
        .set("topic.metadata.propagation.max.ms", "5000")
        // Bounds of what the client reads ahead.
        .set("queued.min.messages", "1000")
        .set("queued.max.messages.kbytes", "16384");
    config
}

/// How many partitions the topic has, asked before the load.
///
/// # Errors
/// Why the cluster did not answer, or why the topic cannot be read.
pub(crate) fn partitions(of: &Listening) -> Result<usize, Failure> {
    let complaints = Complaints::default();
    let consumer: BaseConsumer<Complaints> = settings(of)
        .create_with_context(complaints.clone())
        .map_err(|error| Failure::new(format!("the Kafka client cannot be set up: {error}")))?;
    let hear = || kafka_client::hear(&consumer);
    let known = kafka_client::partitions(consumer.client(), &of.access, &of.topic, &complaints, hear)?;
    match of.share {
        Share::Own(Some(partition)) if !known.contains(&partition) => {
            let (topic, count) = (&of.topic, known.len());
            Err(Failure::new(format!("the topic `{topic}` has no partition {partition}: it has {count}, from 0")))
        }
        _ => Ok(known.len()),
    }
}

/// Starts the thread of a consumer, which ends when its inbox is closed.
///
/// # Errors
/// No thread is left.
pub(crate) fn start(of: &Listening, inbox: &Arc<Inbox>) -> std::io::Result<()> {
    let complaints = Complaints::default();
    let (topic, is_down) = (of.topic.clone(), AtomicBool::new(false));
    let hears = Hears { complaints: complaints.clone(), inbox: inbox.clone(), topic, is_down };
    let reader = Reader {
        config: settings(of),
        access: of.access.clone(),
        topic: of.topic.clone(),
        share: of.share.clone(),
        is_from_earliest: of.is_from_earliest,
        complaints,
        inbox: inbox.clone(),
    };
    std::thread::Builder::new().name("kafka-consume".to_owned()).spawn(move || {
        let inbox = reader.inbox.clone();
        reader.run(hears);
        inbox.leave();
    })?;
    Ok(())
}

struct Reader {
    config: ClientConfig,
    access: Access,
    topic: String,
    share: Share,
    is_from_earliest: bool,
    complaints: Complaints,
    inbox: Arc<Inbox>,
}

impl Reader {
    fn run(self, hears: Hears) {
        let consumer: Result<BaseConsumer<Hears>, _> = self.config.create_with_context(hears);
        let opened = match &consumer {
            Ok(consumer) => self.open(consumer),
            Err(error) => Err((Outcome::Fault, format!("the Kafka client cannot be set up: {error}"))),
        };
        match (consumer, opened) {
            (Ok(consumer), Ok(())) => self.read(&consumer),
            (_, Err((outcome, why))) => self.inbox.tell(News::Failed(outcome, why)),
            (Err(_), Ok(())) => {}
        }
    }

    /// Joins the group, or takes the partitions.
    fn open(&self, consumer: &BaseConsumer<Hears>) -> Result<(), (Outcome, String)> {
        let fail = |error: KafkaError| {
            let broker = self.access.brokers();
            kafka_client::hear(consumer);
            let why = self.access.explain(&self.complaints.why(&error));
            (outcome_of(&error), format!("{broker} did not answer: {why}"))
        };
        let chosen = match &self.share {
            Share::Group(_) => return consumer.subscribe(&[&self.topic]).map_err(fail),
            Share::Own(Some(partition)) => vec![*partition],
            Share::Own(None) => {
                let hear = || kafka_client::hear(consumer);
                kafka_client::partitions(consumer.client(), &self.access, &self.topic, &self.complaints, hear)
                    .map_err(|failure| (Outcome::Refused, failure.to_string()))?
            }
        };
        let mut all = TopicPartitionList::new();
        for partition in &chosen {
            let offset = if self.is_from_earliest {
                Offset::Beginning
            } else {
                // Where it ends now: what comes before the first fetch must not be missed.
                Offset::Offset(kafka_client::end(consumer, &self.topic, *partition).map_err(fail)?)
            };
            all.add_partition_offset(&self.topic, *partition, offset).map_err(fail)?;
        }
        consumer.assign(&all).map_err(fail)?;
        self.inbox.tell(News::Assigned(chosen));
        Ok(())
    }

    fn read(&self, consumer: &BaseConsumer<Hears>) {
        while !self.inbox.is_over() {
            match consumer.poll(PAUSE) {
                None => {}
                Some(Ok(message)) => {
                    consumer.context().is_down.store(false, Ordering::Relaxed);
                    self.inbox.put(Record::of(&message));
                }
                Some(Err(error)) => match error.rdkafka_error_code() {
                    Some(Code::AllBrokersDown) => consumer.context().down(&error),
                    Some(code) if is_final(code) => {
                        let why = match code {
                            Code::GroupAuthorizationFailed => match &self.share {
                                Share::Group(name) => format!("the group `{name}`: {code}"),
                                Share::Own(_) => code.to_string(),
                            },
                            Code::TopicAuthorizationFailed
                            | Code::UnknownTopicOrPartition
                            | Code::UnknownTopic
                            | Code::UnknownPartition => {
                                format!("the topic `{}`: {code}", self.topic)
                            }
                            _ => self.complaints.why(&error),
                        };
                        return self.inbox.tell(News::Failed(outcome_of(&error), why));
                    }
                    // What cannot be read now is read again by the client.
                    _ => self.complaints.complain(&error, &error.to_string()),
                },
            }
        }
    }
}

/// What no waiting mends.
fn is_final(code: Code) -> bool {
    matches!(
        code,
        Code::TopicAuthorizationFailed
            | Code::GroupAuthorizationFailed
            | Code::ClusterAuthorizationFailed
            | Code::SaslAuthenticationFailed
            | Code::Authentication
            | Code::UnknownTopicOrPartition
            | Code::UnknownTopic
            | Code::UnknownPartition
            | Code::Fatal
            | Code::FencedInstanceId
    )
}

fn outcome_of(error: &KafkaError) -> Outcome {
    match error.rdkafka_error_code() {
        Some(Code::OperationTimedOut | Code::RequestTimedOut) => Outcome::Timeout,
        Some(Code::BrokerTransportFailure | Code::NetworkException) => Outcome::Reset,
        Some(
            Code::AllBrokersDown | Code::Resolve | Code::SSL | Code::Authentication | Code::SaslAuthenticationFailed,
        ) => Outcome::Refused,
        _ => Outcome::Status,
    }
}
