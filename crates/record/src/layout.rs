//! Names of the files of a run folder, for whoever writes, reads or guards one.

/// The folder of what happened, under the run's.
pub(crate) const EVIDENCE: &str = "evidence";
pub(crate) const HEAD: &str = "run.json";
pub(crate) const STUDY: &str = "study.yaml";
pub(crate) const MANIFEST: &str = "manifest.json";
/// Locked while the folder is written.
pub(crate) const LOCK: &str = "writing.lock";
/// A file that keeps room for the last `run.json`, so that a run that filled its disk can still say so.
pub(crate) const ROOM: &str = "ending.room";
