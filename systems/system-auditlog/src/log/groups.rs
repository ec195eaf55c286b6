//! All groups of a log, and what of them outlives the process: how far each has read, in a file for each group.

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use anyhow::{Context, Result};
use serde::{Deserialize, Serialize};

use super::group::Group;
use super::topics::Topics;

/// Most groups of one log.
const GROUPS_MAX: usize = 16;

/// A group as its file has it.
#[derive(Serialize, Deserialize)]
struct Kept {
    topic: String,
    generation: u64,
    committed: Vec<u64>,
}

/// All groups by name.
pub(super) struct Groups {
    folder: PathBuf,
    groups: Mutex<BTreeMap<String, Group>>,
}

/// A group that is asked for cannot be had.
#[derive(Debug)]
pub(super) struct TooMany;

impl Groups {
    /// Reads what there is. An offset behind the end of a partition, which a machine that broke down can leave, goes back
    /// to the end.
    ///
    /// # Errors
    /// A file that cannot be read, or is not of this log.
    pub(super) fn open(folder: &Path, topics: &Topics) -> Result<Self> {
        let folder = folder.join("groups");
        fs::create_dir_all(&folder).with_context(|| format!("cannot create `{}`", folder.display()))?;
        let mut groups = BTreeMap::new();
        for entry in fs::read_dir(&folder).with_context(|| format!("cannot read `{}`", folder.display()))? {
            let path = entry?.path();
            let Some(name) = path.file_name().and_then(|name| name.to_str()?.strip_suffix(".json")) else { continue };
            let read = || -> Result<Group> {
                let mut kept: Kept = serde_json::from_slice(&fs::read(&path)?)?;
                let ends = topics.ends(&kept.topic)?;
                anyhow::ensure!(kept.committed.len() == ends.len(), "it has read another number of partitions");
                for (partition, (offset, end)) in kept.committed.iter_mut().zip(ends).enumerate() {
                    if *offset > end {
                        eprintln!("group `{name}` had read partition {partition} to {offset}, and it ends at {end}");
                        *offset = end;
                    }
                }
                Ok(Group::new(kept.topic, kept.generation, kept.committed))
            };
            let group = read().with_context(|| format!("`{}` cannot be used", path.display()))?;
            groups.insert(name.to_owned(), group);
            anyhow::ensure!(groups.len() <= GROUPS_MAX, "`{}` has more than {GROUPS_MAX} groups", folder.display());
        }
        Ok(Self { folder, groups: Mutex::new(groups) })
    }

    /// All groups; held only for what does not wait. A group is whole between any two steps.
    pub(super) fn lock(&self) -> MutexGuard<'_, BTreeMap<String, Group>> {
        self.groups.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The group of a name, made if there is room.
    ///
    /// # Errors
    /// There is no room.
    pub(super) fn entry<'a>(
        groups: &'a mut BTreeMap<String, Group>,
        name: &str,
        topic: &str,
        partitions: usize,
    ) -> Result<&'a mut Group, TooMany> {
        if groups.len() >= GROUPS_MAX && !groups.contains_key(name) {
            return Err(TooMany);
        }
        Ok(groups.entry(name.to_owned()).or_insert_with(|| Group::new(topic.to_owned(), 0, vec![0; partitions])))
    }

    /// Writes a group down: beside its place, then there, so that a reader never sees half of it. Like records it outlives
    /// the process, and is not forced to the disk.
    ///
    /// # Errors
    /// The folder cannot be written.
    pub(super) fn keep(&self, name: &str, group: &Group) -> io::Result<()> {
        let (generation, committed) = group.kept();
        let kept = Kept { topic: group.topic.clone(), generation, committed: committed.to_vec() };
        let beside = self.folder.join(format!("{name}.new"));
        fs::write(&beside, serde_json::to_vec(&kept)?)?;
        fs::rename(&beside, self.folder.join(format!("{name}.json")))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_read_is_known_after_a_restart_and_never_more_than_there_is() {
        let folder = tempfile::tempdir().unwrap();
        let topics = Topics::open(folder.path(), &["entries".to_owned()], 2, 1 << 20).unwrap();
        let groups = Groups::open(folder.path(), &topics).unwrap();
        groups.keep("readers", &Group::new("entries".into(), 7, vec![0, 3])).unwrap();
        let again = Groups::open(folder.path(), &topics).unwrap();
        assert_eq!(again.lock()["readers"].kept(), (7, &[0, 0][..]), "both partitions are empty");
        fs::write(folder.path().join("groups/readers.json"), "{").unwrap();
        assert!(Groups::open(folder.path(), &topics).err().unwrap().to_string().contains("cannot be used"));
        let mut all = again.lock();
        for number in 0..GROUPS_MAX {
            let made = Groups::entry(&mut all, &format!("g{number}"), "entries", 2);
            assert_eq!(made.is_err(), number == GROUPS_MAX - 1, "one was there");
        }
    }
}
