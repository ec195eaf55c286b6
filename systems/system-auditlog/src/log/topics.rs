//! All partitions of all topics: taking records in by key, and handing them out by offset. What is here blocks.

use std::collections::BTreeMap;
use std::io;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Mutex, MutexGuard, PoisonError};

use anyhow::{Context, Result};
use thiserror::Error;
use tokio::sync::watch;

use super::partition::Partition;
use super::record::{self, Broken, KEY_MAX, Record, VALUE_MAX};

/// Why records are not taken or not given.
#[derive(Debug, Error)]
pub(super) enum TopicError {
    #[error("there is no topic `{0}`")]
    Unknown(String),
    #[error("the topic has {count} partitions, and no partition {partition}")]
    NoPartition { partition: u32, count: usize },
    #[error("partition {partition} ends at {end}, so nothing can be read from {offset}")]
    BeyondEnd { partition: u32, offset: u64, end: u64 },
    #[error("what was sent is not a list of records: {0}")]
    Broken(#[from] Broken),
    #[error("the log is full: it may have {0} bytes; start it with a larger `--most`, or with another folder")]
    Full(u64),
    #[error("the log cannot be used: {0}")]
    Io(#[from] io::Error),
}

/// Its partitions, each behind a lock of its own.
struct Topic {
    partitions: Vec<Mutex<Partition>>,
    /// Told whenever a batch was appended.
    grown: watch::Sender<u64>,
}

/// All topics of a log.
pub(super) struct Topics {
    topics: BTreeMap<String, Topic>,
    /// Bytes of all files.
    bytes: AtomicU64,
    most: u64,
    /// Bytes that were cut off when it was opened.
    pub(super) cut: u64,
}

/// A partition is whole between any two steps, so a lock that a panic left behind is taken over.
fn lock(partition: &Mutex<Partition>) -> MutexGuard<'_, Partition> {
    partition.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Topics {
    /// Opens `names` in `folder`, each with `partitions`; files beyond them would be forgotten, so they are refused.
    ///
    /// # Errors
    /// Files that cannot be used, or are of more partitions.
    pub(super) fn open(folder: &Path, names: &[String], partitions: usize, most: u64) -> Result<Self> {
        let mut all = Self { topics: BTreeMap::new(), bytes: AtomicU64::new(0), most, cut: 0 };
        for name in names {
            let topic = folder.join("topics").join(name);
            std::fs::create_dir_all(&topic).with_context(|| format!("cannot create `{}`", topic.display()))?;
            let beyond = topic.join(format!("{partitions}.log"));
            anyhow::ensure!(
                !beyond.exists(),
                "`{}` is of a log with more partitions; give `--partitions` as it was, or another folder",
                beyond.display()
            );
            let mut opened = Vec::with_capacity(partitions);
            for number in 0..partitions {
                let path = topic.join(format!("{number}.log"));
                let (partition, found) =
                    Partition::open(&path).with_context(|| format!("cannot use `{}`", path.display()))?;
                if found.cut > 0 {
                    let end = partition.end();
                    eprintln!("`{}`: {} bytes behind record {end} were cut off", path.display(), found.cut);
                }
                all.cut += found.cut;
                all.bytes.fetch_add(partition.bytes(), Relaxed);
                opened.push(Mutex::new(partition));
            }
            all.topics.insert(name.clone(), Topic { partitions: opened, grown: watch::Sender::new(0) });
        }
        Ok(all)
    }

    fn topic(&self, name: &str) -> Result<&Topic, TopicError> {
        self.topics.get(name).ok_or_else(|| TopicError::Unknown(name.to_owned()))
    }

    /// Names and numbers of partitions.
    pub(super) fn all(&self) -> impl Iterator<Item = (&str, usize)> {
        self.topics.iter().map(|(name, topic)| (name.as_str(), topic.partitions.len()))
    }

    /// Bytes of all files.
    pub(super) fn bytes(&self) -> u64 {
        self.bytes.load(Relaxed)
    }

    /// Offset of the next record of each partition.
    pub(super) fn ends(&self, name: &str) -> Result<Vec<u64>, TopicError> {
        Ok(self.topic(name)?.partitions.iter().map(|partition| lock(partition).end()).collect())
    }

    /// Says whenever the topic has grown.
    pub(super) fn grown(&self, name: &str) -> Result<watch::Receiver<u64>, TopicError> {
        Ok(self.topic(name)?.grown.subscribe())
    }

    /// Appends the records of `frames`, each to the partition of its key and in their order there; returns how many.
    /// Nothing is appended if one of them cannot be read.
    ///
    /// # Errors
    /// Not a list of records, no such topic, a log that is full, a disk that fails. In the last case what stands in other
    /// partitions stays: whoever sent it does not know, and sends it again or gives up.
    pub(super) fn produce(&self, name: &str, frames: &[u8]) -> Result<u64, TopicError> {
        let topic = self.topic(name)?;
        let count = topic.partitions.len();
        let mut parts: Vec<Vec<Record<'_>>> = vec![Vec::new(); count];
        let (mut rest, mut records) = (frames, 0);
        while let Some((record, behind)) = record::read(rest)? {
            debug_assert!(record.key.len() <= KEY_MAX && record.value.len() <= VALUE_MAX, "as it was read");
            parts[record::partition_of(record.key, count)].push(record);
            rest = behind;
            records += 1;
        }
        if self.bytes() + frames.len() as u64 > self.most {
            return Err(TopicError::Full(self.most));
        }
        for (partition, part) in topic.partitions.iter().zip(&parts).filter(|(_, part)| !part.is_empty()) {
            let mut partition = lock(partition);
            let before = partition.bytes();
            partition.append(part)?;
            self.bytes.fetch_add(partition.bytes() - before, Relaxed);
        }
        topic.grown.send_modify(|grown| *grown = grown.wrapping_add(records));
        Ok(records)
    }

    /// Records of several partitions, each from an offset on, at most about `most` bytes in all and from each its share.
    /// For each partition that has any: `[partition u32][bytes u32][end u64]` and its frames.
    ///
    /// # Errors
    /// No such topic or partition, an offset beyond the end, a disk that fails.
    pub(super) fn fetch(&self, name: &str, from: &BTreeMap<u32, u64>, most: usize) -> Result<Vec<u8>, TopicError> {
        let topic = self.topic(name)?;
        let mut out = Vec::new();
        let share = most / from.len().max(1);
        for (&partition, &offset) in from {
            let count = topic.partitions.len();
            let found = topic.partitions.get(partition as usize);
            let found = found.ok_or(TopicError::NoPartition { partition, count })?;
            let (extent, end) = {
                let found = lock(found);
                (found.extent(offset), found.end())
            };
            if offset > end {
                return Err(TopicError::BeyondEnd { partition, offset, end });
            }
            let Some(extent) = extent else { continue };
            let start = out.len();
            out.extend_from_slice(&partition.to_be_bytes());
            out.extend_from_slice(&[0; 4]);
            out.extend_from_slice(&end.to_be_bytes());
            extent.read(share, &mut out)?;
            let bytes = (out.len() - start - SECTION) as u32;
            out[start + 4..start + 8].copy_from_slice(&bytes.to_be_bytes());
        }
        Ok(out)
    }
}

/// Bytes before the frames of a partition in what is fetched.
const SECTION: usize = 16;

/// What was fetched of one partition.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Section<'a> {
    pub(crate) partition: u32,
    /// Where the partition ended when it was read.
    pub(crate) end: u64,
    /// Its records.
    pub(crate) frames: &'a [u8],
}

/// Reads the first section of what was fetched; the rest comes back with it.
///
/// # Errors
/// It ends in the middle.
pub(crate) fn section(bytes: &[u8]) -> Result<Option<(Section<'_>, &[u8])>, Broken> {
    if bytes.is_empty() {
        return Ok(None);
    }
    let (partition, rest) = bytes.split_first_chunk::<4>().ok_or(Broken::Cut)?;
    let (length, rest) = rest.split_first_chunk::<4>().ok_or(Broken::Cut)?;
    let (end, rest) = rest.split_first_chunk::<8>().ok_or(Broken::Cut)?;
    let (frames, rest) = rest.split_at_checked(u32::from_be_bytes(*length) as usize).ok_or(Broken::Cut)?;
    let section = Section { partition: u32::from_be_bytes(*partition), end: u64::from_be_bytes(*end), frames };
    Ok(Some((section, rest)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn frames(keys: &[&str]) -> Vec<u8> {
        let mut bytes = Vec::new();
        for key in keys {
            record::write(Record { offset: 0, key: key.as_bytes(), value: b"v" }, &mut bytes);
        }
        bytes
    }

    fn open(folder: &Path, partitions: usize, most: u64) -> Result<Topics> {
        Topics::open(folder, &["entries".to_owned()], partitions, most)
    }

    #[test]
    fn a_key_stays_in_its_partition_and_in_its_order() {
        let folder = tempfile::tempdir().unwrap();
        let topics = open(folder.path(), 3, 1 << 20).unwrap();
        for _ in 0..4 {
            assert_eq!(topics.produce("entries", &frames(&["a", "b", "c", "d", "e", "f", "g", "h"])).unwrap(), 8);
        }
        let ends = topics.ends("entries").unwrap();
        assert_eq!(ends.iter().sum::<u64>(), 32);
        let from = (0..3).map(|partition| (partition, 0)).collect();
        let bytes = topics.fetch("entries", &from, 1 << 20).unwrap();
        let (mut rest, mut seen) = (&bytes[..], 0);
        while let Some((found, behind)) = section(rest).unwrap() {
            assert_eq!(found.end, ends[found.partition as usize]);
            let mut frames = found.frames;
            while let Some((record, after)) = record::read(frames).unwrap() {
                assert_eq!(record::partition_of(record.key, 3), found.partition as usize);
                (frames, seen) = (after, seen + 1);
            }
            rest = behind;
        }
        assert_eq!(seen, 32);
        drop(topics);
        assert!(open(folder.path(), 2, 1 << 20).err().unwrap().to_string().contains("more partitions"));
        assert_eq!(open(folder.path(), 3, 1 << 20).unwrap().ends("entries").unwrap(), ends);
    }

    #[test]
    fn what_cannot_be_is_refused_whole() {
        let folder = tempfile::tempdir().unwrap();
        let topics = open(folder.path(), 2, 200).unwrap();
        let mut broken = frames(&["a", "b"]);
        broken.pop();
        assert!(matches!(topics.produce("entries", &broken), Err(TopicError::Broken(Broken::Cut))));
        assert_eq!(topics.ends("entries").unwrap(), [0, 0]);
        assert!(matches!(topics.produce("other", &[]), Err(TopicError::Unknown(_))));
        let fetch = |partition, offset| topics.fetch("entries", &[(partition, offset)].into(), 100);
        assert!(matches!(fetch(2, 0), Err(TopicError::NoPartition { partition: 2, count: 2 })));
        assert!(matches!(fetch(0, 1), Err(TopicError::BeyondEnd { end: 0, .. })));
        let many = frames(&["a"; 12]);
        assert!(matches!(topics.produce("entries", &many), Err(TopicError::Full(200))));
        topics.produce("entries", &frames(&["a"; 4])).unwrap();
        assert_eq!(topics.bytes(), 80);
        assert!(section(&[0; 15]).is_err());
    }
}
