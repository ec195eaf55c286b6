//! `manifest.json`: the seal. A run folder with one is complete; each file in it has its sum there.

use crate::RecordError;
use crate::files::{read_text, sha256};
use crate::layout::MANIFEST;
use crate::place::write_whole;
use serde::{Deserialize, Serialize};
use std::path::{Component, Path};

const SCHEMA: &str = "loadproof/manifest/1";
/// A manifest has a dozen entries; one of this length was not written by us.
const BYTES_MAX: u64 = 4 * 1024 * 1024;

/// The seal of a run.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct Manifest {
    pub(crate) schema: String,
    /// Id of the run; empty in what earlier versions wrote.
    pub(crate) run: String,
    /// Every other file of the evidence.
    pub(crate) files: Vec<Entry>,
    /// Bytes of segments that could not be read when the run was sealed.
    pub(crate) dropped_bytes: u64,
    /// What they were, a sentence each.
    pub(crate) damage: Vec<String>,
}

/// A file of the evidence.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct Entry {
    /// Path within the evidence, with `/`.
    pub(crate) path: String,
    pub(crate) bytes: u64,
    pub(crate) sha256: String,
    /// Rows of a table.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) rows: Option<u64>,
}

impl Entry {
    /// Sums a file up.
    pub(crate) fn of(evidence: &Path, path: &str, rows: Option<u64>) -> Result<Self, RecordError> {
        let (bytes, sha256) = sha256(&evidence.join(path))?;
        Ok(Self { path: path.to_owned(), bytes, sha256, rows })
    }

    /// Whether the file is as it was when it was sealed. A path that leads out of the evidence is not looked at.
    fn is_unaltered(&self, evidence: &Path) -> bool {
        let path = Path::new(&self.path);
        let stays_inside = path.components().all(|part| matches!(part, Component::Normal(_)));
        stays_inside && sha256(&evidence.join(path)).is_ok_and(|(bytes, sum)| bytes == self.bytes && sum == self.sha256)
    }
}

impl Manifest {
    pub(crate) fn new(run: &str, files: Vec<Entry>, dropped_bytes: u64, damage: Vec<String>) -> Self {
        Self { schema: SCHEMA.to_owned(), run: run.to_owned(), files, dropped_bytes, damage }
    }

    pub(crate) fn write(&self, evidence: &Path) -> Result<(), RecordError> {
        let text = serde_json::to_string_pretty(self).expect("invariant: a manifest has only text and numbers");
        write_whole(&evidence.join(MANIFEST), format!("{text}\n").as_bytes())
    }

    /// `None` when the run was never sealed.
    ///
    /// # Errors
    /// When there is one and it cannot be read.
    pub(crate) fn read(evidence: &Path) -> Result<Option<Self>, RecordError> {
        let path = evidence.join(MANIFEST);
        if !path.exists() {
            return Ok(None);
        }
        let text = read_text(&path, BYTES_MAX)?;
        let manifest: Self =
            serde_json::from_str(&text).map_err(|error| RecordError::not_a_run(&path, error.to_string()))?;
        if manifest.schema != SCHEMA {
            return Err(RecordError::not_a_run(&path, format!("its schema is not `{SCHEMA}`")));
        }
        Ok(Some(manifest))
    }

    /// Whether it names files that are there, and of which each is another than the one that was sealed.
    pub(crate) fn is_foreign(&self, altered: &[String], own: [&str; 2]) -> bool {
        let is_named = |path: &str| self.files.iter().any(|file| file.path == path);
        own.iter().all(|path| is_named(path) && altered.iter().any(|file| file == path))
    }

    /// Paths of the files that are not what was sealed: changed, gone, not named among them, or named though they lie
    /// elsewhere.
    pub(crate) fn altered(&self, evidence: &Path, expected: &[String]) -> Vec<String> {
        let changed = self.files.iter().filter(|file| !file.is_unaltered(evidence)).map(|file| file.path.clone());
        let is_named = |path: &&String| self.files.iter().any(|file| file.path == **path);
        changed.chain(expected.iter().filter(|path| !is_named(path)).cloned()).collect()
    }
}
