//! A client of one cluster: which one it is, its topics, and where their partitions end. What is here blocks.

use std::sync::Arc;
use std::time::Duration;

use anyhow::{Result, bail};
use rdkafka::admin::{AdminClient, AdminOptions, NewTopic, TopicReplication};
use rdkafka::client::ClientContext;
use rdkafka::config::{ClientConfig, RDKafkaLogLevel};
use rdkafka::consumer::{BaseConsumer, Consumer as _, ConsumerContext};
use rdkafka::producer::{BaseProducer, BaseRecord, Producer as _};
use rdkafka::types::RDKafkaErrorCode;
use tokio::runtime::Handle;

use crate::options::Topic;

/// Longest time that one question may take.
pub(crate) const PATIENCE: Duration = Duration::from_millis(1500);

/// A client that keeps its complaints to itself: whoever asks is told why there was no answer.
#[derive(Clone, Copy, Debug)]
struct Quiet;

impl ClientContext for Quiet {
    fn log(&self, _: RDKafkaLogLevel, _: &str, _: &str) {}

    fn error(&self, _: rdkafka::error::KafkaError, _: &str) {}
}

impl ConsumerContext for Quiet {}

/// Connections to a cluster.
#[derive(Clone)]
pub(crate) struct Client {
    admin: Arc<AdminClient<Quiet>>,
    /// Is no member of any group: it is asked where partitions end.
    reader: Arc<BaseConsumer<Quiet>>,
    config: ClientConfig,
    address: String,
}

impl Client {
    /// It connects when it is asked something.
    ///
    /// # Errors
    /// What librdkafka cannot do.
    pub(crate) fn new(address: &str) -> Result<Self> {
        let mut config = ClientConfig::new();
        config
            .set("bootstrap.servers", address)
            .set("client.id", "system-kafka")
            .set("reconnect.backoff.max.ms", "500");
        config.set("allow.auto.create.topics", "false").set_log_level(RDKafkaLogLevel::Emerg);
        let admin = Arc::new(config.create_with_context(Quiet)?);
        let reader = Arc::new(config.create_with_context(Quiet)?);
        Ok(Self { admin, reader, config, address: address.to_owned() })
    }

    /// The id of the cluster, asked of it now.
    ///
    /// # Errors
    /// It does not answer.
    pub(crate) fn cluster(&self) -> Result<String> {
        self.partitions(None)?;
        match self.admin.inner().fetch_cluster_id(PATIENCE) {
            Some(id) => Ok(id),
            None => bail!("the broker at {} does not say which cluster it is of", self.address),
        }
    }

    /// Numbers of partitions by topic, of one topic or of all; those without a leader are left out.
    ///
    /// # Errors
    /// The broker does not answer.
    pub(crate) fn partitions(&self, topic: Option<&str>) -> Result<Vec<Topic>> {
        let known = match self.admin.inner().fetch_metadata(topic, PATIENCE) {
            Ok(known) => known,
            Err(error) => bail!("the broker at {} does not answer: {}", self.address, words(&error)),
        };
        let of = |topic: &rdkafka::metadata::MetadataTopic| {
            let led = topic.partitions().iter().filter(|partition| partition.leader() >= 0).count();
            Topic { name: topic.name().to_owned(), partitions: i32::try_from(led).unwrap_or(i32::MAX) }
        };
        Ok(known.topics().iter().filter(|topic| topic.error().is_none()).map(of).collect())
    }

    /// Makes those of `topics` that are missing, and sees that all of them have leaders.
    ///
    /// # Errors
    /// The broker does not answer, does not make one, or has not appointed a leader yet.
    pub(crate) fn make<'a>(&self, topics: &'a [Topic]) -> Result<()> {
        let options = AdminOptions::new().request_timeout(Some(PATIENCE)).operation_timeout(Some(PATIENCE));
        let new = |topic: &'a Topic| NewTopic::new(&topic.name, topic.partitions, TopicReplication::Fixed(1));
        let all: Vec<NewTopic<'a>> = topics.iter().map(new).collect();
        if all.is_empty() {
            return Ok(());
        }
        let made = Handle::current().block_on(self.admin.create_topics(&all, &options));
        let made = made.map_err(|error| anyhow::anyhow!("the broker makes no topics: {}", words(&error)))?;
        for one in made {
            match one {
                Ok(_) | Err((_, RDKafkaErrorCode::TopicAlreadyExists)) => {}
                Err((name, code)) => bail!("the broker does not make the topic `{name}`: {code}"),
            }
        }
        let there = self.partitions(None)?;
        for topic in topics {
            if !there.iter().any(|known| known.name == topic.name && known.partitions > 0) {
                bail!("the topic `{}` has no leader yet", topic.name);
            }
        }
        Ok(())
    }

    /// How many records were ever written to a partition, those included that are gone since.
    ///
    /// # Errors
    /// The broker does not answer, or has no such partition.
    pub(crate) fn end(&self, topic: &str, partition: i32) -> Result<i64> {
        match self.reader.fetch_watermarks(topic, partition, PATIENCE) {
            Ok((_, end)) => Ok(end),
            Err(error) => bail!("{} does not say where `{topic}` / {partition} ends: {}", self.address, words(&error)),
        }
    }
}

impl Client {
    /// Writes one record.
    ///
    /// # Errors
    /// It is not acknowledged in time.
    pub(crate) fn write(&self, topic: &str) -> Result<()> {
        let mut config = self.config.clone();
        let patience = Duration::from_secs(5);
        config.set("acks", "all").set("message.timeout.ms", patience.as_millis().to_string());
        let producer: BaseProducer = config.create()?;
        let record: BaseRecord<'_, str, str> = BaseRecord::to(topic).payload("probe");
        producer.send(record).map_err(|(error, _)| anyhow::anyhow!("no record can be written: {}", words(&error)))?;
        producer.flush(patience + PATIENCE)?;
        Ok(())
    }
}

/// What happened, without the library's wrapping.
fn words(error: &rdkafka::error::KafkaError) -> String {
    error.rdkafka_error_code().map_or_else(|| error.to_string(), |code| code.to_string())
}
