//! A member of a group of the embedded log at work: it joins, shows that it is alive, reads what it was dealt, hands it on,
//! and commits.
//!
//! What it has in hand when the group is dealt anew it ends, commits, and joins again; so nothing is read twice unless a
//! process dies between its work and its commit.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;
use std::time::Duration;

use axum::body::Bytes;
use ring::rand::{SecureRandom, SystemRandom};
use serde_json::json;
use system_common::Lifetime;
use tokio::sync::watch;

use super::client::{Dealt, Log, LogError};
use super::reader::{Item, Reader, Sink, Slow, Source};
use super::record;
use super::topics::section;

/// Longest wait for something new.
const WAIT: Duration = Duration::from_secs(2);
/// Before something that failed is tried again.
const PAUSE: Duration = Duration::from_millis(200);
/// Longest time to say that one goes.
const FAREWELL: Duration = Duration::from_secs(1);
/// Bytes that are fetched for each record of a batch: somewhat more than a registration has.
const RECORD_BYTES: usize = 320;

/// Ends one member's work: the group is dealt anew, or the process ends.
struct Ending {
    rejoin: watch::Receiver<bool>,
    lifetime: Lifetime,
}

impl Ending {
    async fn comes(&self) {
        let mut rejoin = self.rejoin.clone();
        tokio::select! {
            _ = rejoin.wait_for(|it| *it) => {}
            _ = self.lifetime.ended() => {}
        }
    }

    fn is_there(&self) -> bool {
        *self.rejoin.borrow() || self.lifetime.has_ended()
    }
}

/// Carries `members` members until the process ends.
pub(super) async fn run<S: Sink>(reader: &Arc<Reader>, sink: &Arc<S>, members: u64, slow: &Slow, lifetime: &Lifetime) {
    let mut all = tokio::task::JoinSet::new();
    for number in 1..=members {
        let (reader, sink, lifetime) = (Arc::clone(reader), Arc::clone(sink), lifetime.clone());
        let faults = slow.clone();
        all.spawn(async move {
            // Whoever calls has looked.
            let Source::Embedded(log) = &reader.from else { return };
            let id = format!("{}-{number}", reader.host);
            Member { reader: &reader, log, id, instance: drawn(), faults, lifetime }.run(&*sink).await;
        });
    }
    all.join_all().await;
}

/// A number that no other process has.
fn drawn() -> u64 {
    let mut bytes = [0; 8];
    match SystemRandom::new().fill(&mut bytes) {
        // Within what JSON carries in every reader's hands.
        Ok(()) => u64::from_be_bytes(bytes) >> 11,
        Err(_) => u64::from(std::process::id()),
    }
}

struct Member<'a> {
    reader: &'a Reader,
    log: &'a Log,
    id: String,
    instance: u64,
    faults: Slow,
    lifetime: Lifetime,
}

impl Member<'_> {
    async fn run<S: Sink>(self, sink: &S) {
        let (log, status, group) = (self.log, &self.reader.status, &self.reader.group);
        let question = json!({
            "topic": self.reader.topic,
            "member": self.id,
            "host": self.reader.host,
            "instance": self.instance,
        });
        while !self.lifetime.has_ended() {
            let joined = tokio::select! {
                joined = log.join(group, &question) => joined,
                _ = self.lifetime.ended() => break,
            };
            match joined {
                Ok(None) => {}
                Ok(Some(dealt)) => {
                    status.joins.fetch_add(1, Relaxed);
                    status.dealt.fetch_add(1, Relaxed);
                    status.recover();
                    let count = dealt.from.len() as u64;
                    status.partitions.fetch_add(count, Relaxed);
                    self.work(dealt, sink).await;
                    status.partitions.fetch_sub(count, Relaxed);
                    status.dealt.fetch_sub(1, Relaxed);
                }
                Err(error) => {
                    status.fail(error.to_string());
                    self.pause().await;
                }
            }
        }
        // A member that goes without a word holds its partitions until its session is over.
        let _ = tokio::time::timeout(FAREWELL, log.leave(group, &self.id, self.instance)).await;
    }

    async fn pause(&self) {
        tokio::select! {
            () = tokio::time::sleep(PAUSE) => {}
            _ = self.lifetime.ended() => {}
        }
    }

    /// One generation.
    async fn work<S: Sink>(&self, dealt: Dealt, sink: &S) {
        let (rejoin, ending) = watch::channel(false);
        let ending = Ending { rejoin: ending, lifetime: self.lifetime.clone() };
        let (every, generation) = (dealt.beat_every(), dealt.generation);
        let reading = self.read(dealt, sink, &ending);
        tokio::pin!(reading);
        tokio::select! {
            () = &mut reading => {}
            // What it has in hand is ended all the same.
            () = self.beat(every, generation) => {
                rejoin.send_replace(true);
                reading.await;
            }
        }
    }

    /// Shows that it is alive, until it has to join again.
    async fn beat(&self, every: Duration, generation: u64) {
        loop {
            tokio::time::sleep(every).await;
            let beat = self.log.beat(&self.reader.group, &self.id, generation).await;
            // A log that is away for a moment has forgotten nobody; one that was started anew says so.
            if matches!(beat, Err(LogError::Rejoin(_))) {
                return;
            }
        }
    }

    async fn read<S: Sink>(&self, dealt: Dealt, sink: &S, ending: &Ending) {
        let Dealt { generation, mut from, log: identity, .. } = dealt;
        if from.is_empty() {
            return ending.comes().await;
        }
        let (Reader { topic, status, batch, .. }, log) = (self.reader, self.log);
        let most = batch.saturating_mul(RECORD_BYTES);
        while !ending.is_there() {
            let fetched = tokio::select! {
                fetched = log.fetch(topic, &from, most, WAIT) => fetched,
                () = ending.comes() => return,
            };
            let items = match fetched.and_then(|bytes| items(&bytes).map_err(|why| unreadable(log, why))) {
                Ok(items) => items,
                Err(LogError::Rejoin(_)) => return,
                Err(error) => {
                    status.fail(error.to_string());
                    self.pause().await;
                    continue;
                }
            };
            status.recover();
            let mut rest = items.as_slice();
            let mut is_first = true;
            // What is left over of a batch is read again with what stands behind it, so that batches are full if they can be.
            while !rest.is_empty() && (is_first || rest.len() >= *batch) {
                let (chunk, behind) = rest.split_at(rest.len().min((*batch).max(1)));
                (rest, is_first) = (behind, false);
                self.faults.spend().await;
                if !self.hand_on(&identity, chunk, sink, ending).await {
                    return;
                }
                let read: BTreeMap<u32, u64> = chunk.iter().map(|item| (item.partition, item.offset + 1)).collect();
                if !self.commit(generation, &read, ending).await {
                    return;
                }
                status.read.fetch_add(chunk.len() as u64, Relaxed);
                from.extend(read);
                if ending.is_there() {
                    return;
                }
            }
        }
    }

    /// Until it is taken; false if it has to be left to others.
    async fn hand_on<S: Sink>(&self, identity: &str, chunk: &[Item], sink: &S, ending: &Ending) -> bool {
        loop {
            match sink.take(identity, chunk.to_vec()).await {
                Ok(()) => {
                    self.reader.status.batches.fetch_add(1, Relaxed);
                    return true;
                }
                Err(why) => self.reader.status.fail(why),
            }
            if ending.is_there() {
                return false;
            }
            self.pause().await;
        }
    }

    /// Until it is noted; false if it is no longer this member's to say.
    async fn commit(&self, generation: u64, read: &BTreeMap<u32, u64>, ending: &Ending) -> bool {
        let (Reader { group, status, .. }, log) = (self.reader, self.log);
        loop {
            match log.commit(group, &self.id, generation, read).await {
                Ok(()) => {
                    status.commits.fetch_add(1, Relaxed);
                    return true;
                }
                Err(LogError::Unanswered { why, .. }) if !ending.is_there() => status.fail(why),
                Err(error) => {
                    status.lost_commits.fetch_add(1, Relaxed);
                    if !matches!(error, LogError::Rejoin(_)) {
                        status.fail(error.to_string());
                        self.pause().await;
                    }
                    return false;
                }
            }
            self.pause().await;
        }
    }
}

fn unreadable(log: &Log, why: record::Broken) -> LogError {
    LogError::Unanswered { address: log.address().clone(), why: format!("what it sent cannot be read: {why}") }
}

/// The records of what was fetched.
fn items(bytes: &Bytes) -> Result<Vec<Item>, record::Broken> {
    let mut items = Vec::new();
    let mut rest = &bytes[..];
    while let Some((found, behind)) = section(rest)? {
        let mut frames = found.frames;
        while let Some((record, after)) = record::read(frames)? {
            items.push(Item {
                partition: found.partition,
                offset: record.offset,
                key: bytes.slice_ref(record.key),
                value: bytes.slice_ref(record.value),
            });
            frames = after;
        }
        rest = behind;
    }
    Ok(items)
}
