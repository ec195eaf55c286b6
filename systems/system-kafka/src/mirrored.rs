//! What the service tells about MirrorMaker: whether it mirrors, and how far it is behind.
//!
//! MirrorMaker keeps its offsets where it writes, so the cluster that it reads knows no lag of it. Both sides have the same
//! topics and partitions here, and began empty; so what one partition has more than the other is what is still to come.

use std::fmt::Write as _;
use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::{Result, bail};
use serde_json::{Map, Value, json};
use system_common::server::{Books, Server};
use system_common::{Lifetime, Module};

use crate::client::Client;
use crate::options::{MirrorOptions, Topic};

/// A topic of its own: a record in it that arrives shows that records do.
pub(crate) const PROBE: &str = "loadproof-probe";
/// Longest time from the start to the first record that arrived.
const READY_WITHIN: Duration = Duration::from_secs(120);
/// Longest time until both clusters have the topic.
const CLUSTERS_WITHIN: Duration = Duration::from_secs(60);
/// Between two looks.
const PAUSE: Duration = Duration::from_millis(200);

/// The mirror as the service sees it.
pub(crate) struct Mirrored {
    from: Client,
    to: Client,
    topics: Vec<String>,
    facts: Map<String, Value>,
    books: Arc<Books>,
}

/// Where a partition ends on both sides.
struct Ends {
    topic: String,
    partition: i32,
    from: i64,
    to: i64,
}

impl Mirrored {
    /// Makes the topic of the probe in both clusters, and writes a record where MirrorMaker reads; `None` if the process was
    /// told to end first. Blocks.
    ///
    /// # Errors
    /// A cluster does not do it in time.
    pub(crate) fn prepare(options: &MirrorOptions, lifetime: &Lifetime) -> Result<Option<()>> {
        let (from, to) = (Client::new(options.from.as_str())?, Client::new(options.to.as_str())?);
        let probe = [Topic { name: PROBE.to_owned(), partitions: 1 }];
        let since = Instant::now();
        while !lifetime.has_ended() {
            let Err(why) = from.make(&probe).and_then(|()| to.make(&probe)).and_then(|()| from.write(PROBE)) else {
                return Ok(Some(()));
            };
            if since.elapsed() > CLUSTERS_WITHIN {
                bail!("the clusters are not ready within {CLUSTERS_WITHIN:?}: {why}");
            }
            std::thread::sleep(PAUSE);
        }
        Ok(None)
    }

    /// Waits until the record of [`Mirrored::prepare`] is where MirrorMaker writes; `None` if the process was told to end
    /// first. Blocks.
    ///
    /// # Errors
    /// It ended, or nothing arrives in time.
    pub(crate) fn wait(
        options: &MirrorOptions,
        version: &str,
        server: &Server,
        books: &Arc<Books>,
        lifetime: &Lifetime,
    ) -> Result<Option<Arc<Self>>> {
        let (from, to) = (Client::new(options.from.as_str())?, Client::new(options.to.as_str())?);
        let since = Instant::now();
        loop {
            if let Some(how) = server.end() {
                bail!("MirrorMaker ended before it was ready ({how}); its own words are above");
            }
            if lifetime.has_ended() {
                return Ok(None);
            }
            let why = match to.end(PROBE, 0) {
                Ok(1..) => break,
                Ok(_) => "nothing has arrived".to_owned(),
                Err(why) => why.to_string(),
            };
            if since.elapsed() > READY_WITHIN {
                bail!("MirrorMaker is not ready within {READY_WITHIN:?}: {why}");
            }
            std::thread::sleep(PAUSE);
        }
        let facts = [
            ("server_version", version.to_owned()),
            ("from", options.from.to_string()),
            ("to", options.to.to_string()),
        ];
        let facts = facts.into_iter().map(|(name, value)| (name.to_owned(), value.into())).collect();
        Ok(Some(Arc::new(Self { from, to, topics: options.topics.clone(), facts, books: Arc::clone(books) })))
    }

    fn ends(&self) -> Result<Vec<Ends>> {
        let mut all = Vec::new();
        for topic in &self.topics {
            let there = self.from.partitions(Some(topic))?;
            let partitions = there.iter().find(|known| known.name == *topic).map_or(0, |known| known.partitions);
            for partition in 0..partitions {
                let (from, to) = (self.from.end(topic, partition)?, self.to.end(topic, partition)?);
                all.push(Ends { topic: topic.clone(), partition, from, to });
            }
        }
        Ok(all)
    }

    /// A page for Prometheus. Blocks.
    ///
    /// # Errors
    /// A cluster does not answer.
    pub(crate) fn page(&self) -> Result<String> {
        let mut page = "# HELP kafka_mirror_lag Records of a partition that are not where they are mirrored to\n\
                        # TYPE kafka_mirror_lag gauge\n"
            .to_owned();
        for Ends { topic, partition, from, to } in self.ends()? {
            // What was mirrored twice is there twice.
            let lag = from.saturating_sub(to).max(0);
            let _ = writeln!(page, "kafka_mirror_lag{{topic=\"{topic}\",partition=\"{partition}\"}} {lag}");
        }
        Ok(page)
    }
}

impl Module for Mirrored {
    /// Whether both clusters answer; MirrorMaker itself has no word for how it is.
    async fn health(&self) -> Result<(), String> {
        for client in [self.from.clone(), self.to.clone()] {
            let asked = tokio::task::spawn_blocking(move || client.partitions(None)).await;
            asked.map_err(|_| "the question broke off".to_owned())?.map_err(|error| error.to_string())?;
        }
        Ok(())
    }

    fn counters(&self) -> Map<String, Value> {
        Map::from_iter([("server".to_owned(), self.books.to_json()), ("topics".to_owned(), json!(self.topics))])
    }

    fn identity(&self) -> Map<String, Value> {
        let mut all = self.facts.clone();
        all.insert("server_pid".to_owned(), self.books.pid().into());
        all
    }
}
