//! The broker, asked through librdkafka. The only file that knows it.

use crate::config::Config;
use contract::Failure;
use kafka_client::{Access, Complaints};
use rdkafka::consumer::{BaseConsumer, Consumer};
use rdkafka::error::KafkaError;
use rdkafka::{Offset, TopicPartitionList};
use std::time::Duration;

/// Partitions of all topics that are watched.
const PARTITIONS_MAX: usize = 1000;
/// Members that are looked at.
const MEMBERS_MAX: usize = 10_000;

/// How often a coordinator is asked for, and how long it has between.
const APPOINTED_AFTER: u32 = 20;
const PAUSE: Duration = Duration::from_millis(500);

/// A partition at a moment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Partition {
    pub(crate) topic: String,
    pub(crate) number: i32,
    /// The offset that the next message gets.
    pub(crate) end: i64,
    /// The offset that is consumed next; `None` where the group never committed one.
    pub(crate) committed: Option<i64>,
}

/// A member of the group.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Member {
    pub(crate) client: String,
    /// Address, as the broker sees it.
    pub(crate) address: String,
    /// Its assignment, still in bytes.
    pub(crate) assignment: Vec<u8>,
}

/// The group at a moment.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Members {
    /// `Stable`, `PreparingRebalance`, `Empty`, `Dead` …
    pub(crate) state: String,
    pub(crate) strategy: String,
    pub(crate) members: Vec<Member>,
}

impl Members {
    /// Whether it is known who has which partition. While a group rebalances its members are listed without any, though most
    /// of them have had some and will again.
    pub(crate) fn is_assigned(&self) -> bool {
        !matches!(self.state.as_str(), "PreparingRebalance" | "CompletingRebalance")
    }
}

/// A connection to the cluster, made again by itself.
pub(crate) struct Cluster {
    consumer: BaseConsumer<Complaints>,
    complaints: Complaints,
    topics: Vec<String>,
    group: String,
    access: Access,
}

impl Cluster {
    /// Sets the client up; it connects when it is asked something.
    ///
    /// # Errors
    /// What librdkafka cannot do with these settings.
    pub(crate) fn new(config: &Config) -> Result<Self, Failure> {
        let mut client = config.access.client();
        client.set("group.id", &config.group).set("client.id", "loadproof-lag");
        // It never subscribes, so it is not a member and commits nothing.
        client.set("enable.auto.commit", "false");
        let complaints = Complaints::default();
        let consumer = client.create_with_context(complaints.clone());
        let consumer = consumer.map_err(|error| Failure::new(format!("the Kafka client cannot be set up: {error}")))?;
        let (topics, group, access) = (config.topics.clone(), config.group.clone(), config.access.clone());
        Ok(Self { consumer, complaints, topics, group, access })
    }

    /// As [`Cluster::partitions`], of a cluster that may have come up only just now: whoever keeps the group's offsets is
    /// appointed when it is first asked for.
    ///
    /// # Errors
    /// Why it did not answer.
    pub(crate) fn first_partitions(&self, patience: Duration) -> Result<Vec<Partition>, Failure> {
        let mut tries = 0;
        loop {
            match self.partitions(patience) {
                Err(failure) if tries < APPOINTED_AFTER && failure.to_string().contains("oordinator") => tries += 1,
                answer => return answer,
            }
            let _ = self.consumer.poll(PAUSE);
        }
    }

    /// Every partition of the topics, with where it ends and where the group stands.
    ///
    /// # Errors
    /// Why the broker did not say it in time.
    pub(crate) fn partitions(&self, patience: Duration) -> Result<Vec<Partition>, Failure> {
        let mut wanted = TopicPartitionList::new();
        for topic in &self.topics {
            let metadata = self.consumer.fetch_metadata(Some(topic), patience).map_err(|error| self.why(&error))?;
            let found = metadata.topics().iter().find(|found| found.name() == topic);
            let Some(found) = found.filter(|found| found.error().is_none() && !found.partitions().is_empty()) else {
                return Err(Failure::new(format!("{} has no topic `{topic}`", self.access.brokers())));
            };
            for partition in found.partitions() {
                if wanted.count() >= PARTITIONS_MAX {
                    return Err(Failure::new(format!("the topics have more than {PARTITIONS_MAX} partitions")));
                }
                wanted.add_partition(topic, partition.id());
            }
        }
        let committed = self.consumer.committed_offsets(wanted, patience).map_err(|error| self.why(&error))?;
        let mut partitions = Vec::with_capacity(committed.count());
        for element in committed.elements() {
            let (topic, number) = (element.topic().to_owned(), element.partition());
            let ends = self.consumer.fetch_watermarks(&topic, number, patience).map_err(|error| self.why(&error))?;
            let committed = match element.offset() {
                Offset::Offset(offset) => Some(offset),
                _ => None,
            };
            partitions.push(Partition { topic, number, end: ends.1, committed });
        }
        Ok(partitions)
    }

    /// Who is in the group now; nobody where there is no such group.
    ///
    /// # Errors
    /// Why the broker did not say it in time.
    pub(crate) fn members(&self, patience: Duration) -> Result<Members, Failure> {
        let list = self.consumer.fetch_group_list(Some(&self.group), patience).map_err(|error| self.why(&error))?;
        let Some(group) = list.groups().iter().find(|group| group.name() == self.group) else {
            return Ok(Members::default());
        };
        let member = |member: &rdkafka::groups::GroupMemberInfo| Member {
            client: member.client_id().to_owned(),
            address: member.client_host().trim_start_matches('/').to_owned(),
            assignment: member.assignment().unwrap_or_default().to_vec(),
        };
        Ok(Members {
            state: group.state().to_owned(),
            strategy: group.protocol().to_owned(),
            members: group.members().iter().take(MEMBERS_MAX).map(member).collect(),
        })
    }

    fn why(&self, error: &KafkaError) -> Failure {
        // Lets the client hand over what it has complained of meanwhile.
        kafka_client::hear(&self.consumer);
        let why = self.access.explain(&self.complaints.why(error));
        Failure::new(format!("{} did not answer: {why}", self.access.brokers()))
    }
}
