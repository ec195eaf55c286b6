//! What members of a group have in common, whichever log they read: what they are told, what they hand on, what they count.

use std::future::Future;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use axum::body::Bytes;
use axum::http::uri::Authority;
use serde_json::{Map, Value};
use system_common::{Faults, Lifetime};

use super::client::Log;
use super::kafka::Producer;
use super::place::Place;
use super::{kafka, member};

/// A record as it was read.
#[derive(Clone, Debug)]
pub(crate) struct Item {
    pub(crate) partition: u32,
    pub(crate) offset: u64,
    pub(crate) key: Bytes,
    pub(crate) value: Bytes,
}

/// What is done with records.
pub(crate) trait Sink: Send + Sync + 'static {
    /// Does all of it, or fails and is asked again with the same. Records of a partition come in their order; `log` is the
    /// identity of the log whose offsets they have.
    fn take(&self, log: &str, items: Vec<Item>) -> impl Future<Output = Result<(), String>> + Send;
}

/// What all members of a process share.
pub(crate) struct Reader {
    pub(crate) from: Source,
    pub(crate) topic: String,
    pub(crate) group: String,
    /// This process, in the ids of its members.
    pub(crate) host: String,
    /// Most records that are handed on at once.
    pub(crate) batch: usize,
    pub(crate) status: Status,
}

/// What the members of a process have done.
#[derive(Default)]
pub(crate) struct Status {
    /// Members that have been dealt something, or nothing, in the generation that they know.
    pub(super) dealt: AtomicU64,
    pub(super) partitions: AtomicU64,
    pub(super) joins: AtomicU64,
    pub(super) read: AtomicU64,
    pub(super) batches: AtomicU64,
    pub(super) commits: AtomicU64,
    /// Batches whose commit came too late: another one reads them again.
    pub(super) lost_commits: AtomicU64,
    failures: AtomicU64,
    trouble: Mutex<Option<String>>,
}

impl Status {
    /// Something failed, and whoever asks for health is told why until it works again.
    pub(super) fn fail(&self, why: String) {
        self.failures.fetch_add(1, Relaxed);
        *self.trouble.lock().unwrap_or_else(PoisonError::into_inner) = Some(why);
    }

    /// It works again.
    pub(super) fn recover(&self) {
        let mut trouble = self.trouble.lock().unwrap_or_else(PoisonError::into_inner);
        if trouble.is_some() {
            *trouble = None;
        }
    }

    /// Whether all of `members` are in the group and nothing fails; the text says what does.
    fn health(&self, members: u64) -> Result<(), String> {
        if let Some(why) = &*self.trouble.lock().unwrap_or_else(PoisonError::into_inner) {
            return Err(why.clone());
        }
        match self.dealt.load(Relaxed) {
            dealt if dealt >= members => Ok(()),
            dealt => Err(format!("{dealt} of {members} members are in the group")),
        }
    }

    pub(crate) fn counters(&self) -> Map<String, Value> {
        let counts = [
            ("members_in_group", &self.dealt),
            ("partitions", &self.partitions),
            ("joins", &self.joins),
            ("read", &self.read),
            ("batches", &self.batches),
            ("commits", &self.commits),
            ("lost_commits", &self.lost_commits),
            ("failures", &self.failures),
        ];
        counts.into_iter().map(|(name, count)| (name.to_owned(), count.load(Relaxed).into())).collect()
    }
}

/// Which log is read.
pub(crate) enum Source {
    /// One of this program's own.
    Embedded(Log),
    /// A broker: each member has a client of its own.
    Kafka {
        /// Where it is.
        broker: Authority,
        /// A client that only asks how the broker is.
        asking: Producer,
    },
}

impl Source {
    /// Connects when something is asked.
    ///
    /// # Errors
    /// What the client of a Kafka cannot do.
    pub(crate) fn new(place: &Place) -> anyhow::Result<Self> {
        Ok(match place {
            Place::Embedded(address) => Self::Embedded(Log::new(address.clone())),
            Place::Kafka(broker) => Self::Kafka { broker: broker.clone(), asking: Producer::new(broker)? },
        })
    }
}

impl Reader {
    /// Whether all of `members` are in the group and nothing fails.
    ///
    /// # Errors
    /// What does.
    pub(crate) async fn health(&self, members: u64) -> Result<(), String> {
        self.status.health(members)?;
        match &self.from {
            // Members of an embedded log are told by it at every turn.
            Source::Embedded(_) => Ok(()),
            Source::Kafka { asking, .. } => asking.works(&self.topic).await.map_err(|error| error.to_string()),
        }
    }

    /// Carries `members` members until the process ends; each leaves its group then.
    pub(crate) async fn run<S: Sink>(
        self: &Arc<Self>,
        sink: Arc<S>,
        members: u64,
        faults: &Faults,
        born: Instant,
        lifetime: &Lifetime,
    ) {
        let slow = Slow { delay: faults.delay, stall: faults.stall, born };
        match &self.from {
            Source::Embedded(_) => member::run(self, &sink, members, &slow, lifetime).await,
            Source::Kafka { broker, .. } => kafka::run(self, broker, &sink, members, &slow, lifetime).await,
        }
    }
}

/// Faults of a reader.
#[derive(Clone)]
pub(super) struct Slow {
    /// Before each batch.
    delay: Duration,
    stall: Option<system_common::Stall>,
    born: Instant,
}

impl Slow {
    /// Waits before a batch.
    pub(super) async fn spend(&self) {
        let stalled = self.stall.map_or(Duration::ZERO, |stall| stall.wait(self.born.elapsed()));
        let wait = self.delay + stalled;
        if !wait.is_zero() {
            tokio::time::sleep(wait).await;
        }
    }
}
