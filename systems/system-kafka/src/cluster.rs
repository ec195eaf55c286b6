//! What the service tells about the broker: whether it answers, and what it is.

use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::{Result, bail};
use serde_json::{Map, Value};
use system_common::server::{Books, Server};
use system_common::{Lifetime, Module};

use crate::client::Client;
use crate::options::Topic;

/// Longest time from the start of a broker to its first answer; one that was killed has to read its files first.
const READY_WITHIN: Duration = Duration::from_secs(120);
/// Between two tries.
const PAUSE: Duration = Duration::from_millis(50);

/// The broker as the service sees it.
pub(crate) struct Cluster {
    client: Client,
    facts: Map<String, Value>,
    books: Arc<Books>,
}

/// Which broker is waited for.
pub(crate) struct Wanted<'a> {
    pub(crate) address: &'a str,
    /// The id that its files have.
    pub(crate) cluster: &'a str,
    pub(crate) topics: &'a [Topic],
    pub(crate) data: &'a Path,
    pub(crate) version: &'a str,
}

impl Cluster {
    /// Waits until the broker answers, makes sure that it is the one with these files, and makes its topics; `None` if the
    /// process was told to end first. Blocks.
    ///
    /// # Errors
    /// It ended, does not answer in time, is another one, or has other topics.
    pub(crate) fn wait(
        wanted: &Wanted<'_>,
        server: &Server,
        books: &Arc<Books>,
        lifetime: &Lifetime,
    ) -> Result<Option<Arc<Self>>> {
        let client = Client::new(wanted.address)?;
        let since = Instant::now();
        loop {
            if let Some(how) = server.end() {
                bail!("the broker ended before it was ready ({how}); its own words are above");
            }
            if lifetime.has_ended() {
                return Ok(None);
            }
            let why = match client.cluster() {
                Ok(cluster) if cluster == wanted.cluster => match client.make(wanted.topics) {
                    Ok(()) => break,
                    Err(why) => why.to_string(),
                },
                Ok(_) => bail!("another broker answers on this port; choose another `--kafka-port`"),
                Err(why) => why.to_string(),
            };
            if since.elapsed() > READY_WITHIN {
                bail!("the broker is not ready within {READY_WITHIN:?}: {why}");
            }
            std::thread::sleep(PAUSE);
        }
        let there = client.partitions(None)?;
        for topic in wanted.topics {
            if let Some(known) = there.iter().find(|known| known.name == topic.name)
                && known.partitions != topic.partitions
            {
                let (name, has) = (&topic.name, known.partitions);
                bail!(
                    "the topic `{name}` has {has} partitions, and not {}: name another folder with `--data`",
                    topic.partitions
                );
            }
        }
        let topics: Vec<String> =
            wanted.topics.iter().map(|topic| format!("{}:{}", topic.name, topic.partitions)).collect();
        let facts = [
            ("server_version", Value::from(wanted.version)),
            ("cluster_id", wanted.cluster.into()),
            ("broker", wanted.address.into()),
            ("topics", topics.join(",").into()),
            ("data", wanted.data.display().to_string().into()),
        ];
        let facts = facts.into_iter().map(|(name, value)| (name.to_owned(), value)).collect();
        Ok(Some(Arc::new(Self { client, facts, books: Arc::clone(books) })))
    }
}

impl Module for Cluster {
    /// Asks the broker itself.
    async fn health(&self) -> Result<(), String> {
        let client = self.client.clone();
        let asked = tokio::task::spawn_blocking(move || client.partitions(None)).await;
        match asked {
            Ok(asked) => asked.map(drop).map_err(|error| error.to_string()),
            Err(_) => Err("the question broke off".to_owned()),
        }
    }

    fn counters(&self) -> Map<String, Value> {
        Map::from_iter([("server".to_owned(), self.books.to_json())])
    }

    fn identity(&self) -> Map<String, Value> {
        let mut all = self.facts.clone();
        all.insert("server_pid".to_owned(), self.books.pid().into());
        all
    }
}
