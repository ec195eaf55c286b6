//! What can go wrong with a run folder, and what to do about it.

use std::io;
use std::path::{Path, PathBuf};

/// Why a run folder cannot be written or read. Copies of one error may reach several threads, so causes are text.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RecordError {
    /// A run never writes over another.
    #[error(
        "the folder `{}` is not empty: a run never writes over another; name a new one with `--out DIR` or remove it",
        path.display()
    )]
    Exists { path: PathBuf },
    /// The system refused a file.
    #[error("cannot {doing} `{}`: {cause}{}", path.display(), hint(*kind))]
    Io {
        /// What was tried: `write`, `read`, `create`, …
        doing: &'static str,
        /// The file or folder.
        path: PathBuf,
        /// What kind of refusal, so that callers need not read the text.
        kind: io::ErrorKind,
        /// The system's own words with the error number.
        cause: String,
    },
    /// The folder is not a run folder, or lacks what every run has.
    #[error("`{}` cannot be read as a run: {what}", path.display())]
    NotARun {
        /// The folder or the file in it.
        path: PathBuf,
        /// What is wrong, and what would help.
        what: String,
    },
    /// A table cannot be written or read as Parquet.
    #[error("the table `{}` is damaged: {what}; restore the file from a copy, or leave out what needs it", path.display())]
    Table {
        path: PathBuf,
        /// What is wrong.
        what: String,
    },
    /// A table is not the one that was sealed.
    #[error("the table `{}` is not the one that was sealed; restore the file from a copy", path.display())]
    Altered { path: PathBuf },
    /// Somebody has put the table of another run in the place of this run's.
    #[error("the table `{}` is that of the run `{run}`; put this run's own in its place, from a copy", path.display())]
    ForeignTable {
        path: PathBuf,
        /// Id of the run that wrote it.
        run: String,
    },
    /// The manifest vouches for other files than these.
    #[error(
        "`{}` is not the seal of this run: neither `run.json` nor the tables are what it names. Put the run's own \
         manifest in its place, from a copy; without any, the tables are read as unsealed",
        path.display()
    )]
    ForeignManifest { path: PathBuf },
    /// Tables that are not what was sealed hold figures that cannot be.
    #[error("the evidence in `{}` contradicts itself: {what}; it is not what was recorded, restore it from a copy", path.display())]
    Contradiction {
        path: PathBuf,
        /// Which figures.
        what: String,
    },
    /// The folder lacks what a seal stands for, so it stays as it is.
    #[error("the evidence in `{}` is left unsealed: {what}", path.display())]
    NotSealed {
        path: PathBuf,
        /// Why, and what would help.
        what: String,
    },
    /// What is derived, or another run, belongs elsewhere.
    #[error(
        "`{}` lies in the evidence of a run (`{}`), to which nothing is added; name another folder with `--out DIR`",
        path.display(),
        evidence.display()
    )]
    WithinEvidence {
        /// The folder that was to be written to.
        path: PathBuf,
        evidence: PathBuf,
    },
    /// What was compacted is not what was recorded. The segments are kept.
    #[error(
        "the table `{}` does not hold what was recorded ({recorded} rows recorded, {stored} stored): the segments are \
         kept; check the disk and seal again with `loadproof report`",
        path.display()
    )]
    Verify {
        path: PathBuf,
        /// Rows in the segments.
        recorded: u64,
        /// Rows in the table.
        stored: u64,
    },
    /// Nothing can be added to what is sealed.
    #[error(
        "the run in `{}` is sealed already, and nothing is added to it; `loadproof report` shows what it holds",
        path.display()
    )]
    Sealed { path: PathBuf },
    /// Another process still writes this folder.
    #[error("the run in `{}` is still going on: wait until it ends, or stop it", path.display())]
    StillRunning { path: PathBuf },
    /// The disk could not keep up, and entries were lost.
    #[error(
        "{lost} entries of the record were lost: the disk could not keep up, or they came after the end; write to a \
         faster disk with `--out DIR`"
    )]
    Lost {
        /// Number of lost entries.
        lost: u64,
    },
    /// The thread that writes the record is gone; a defect.
    #[error("the thread that writes the record ended by a defect; what it wrote before can be read")]
    Thread,
}

impl RecordError {
    /// Wraps the system's refusal; the text names the error number.
    pub(crate) fn io(doing: &'static str, path: &Path) -> impl FnOnce(io::Error) -> Self {
        let path = path.to_owned();
        move |error| Self::Io { doing, path, kind: error.kind(), cause: error.to_string() }
    }

    /// A table's error from any cause.
    pub(crate) fn table(path: &Path, what: impl ToString) -> Self {
        Self::Table { path: path.to_owned(), what: what.to_string() }
    }

    /// Not a run, because of `what`.
    pub(crate) fn not_a_run(path: &Path, what: impl Into<String>) -> Self {
        Self::NotARun { path: path.to_owned(), what: what.into() }
    }
}

/// What the user can do about a refusal.
fn hint(kind: io::ErrorKind) -> &'static str {
    match kind {
        io::ErrorKind::FileTooLarge => {
            "; the limit on file sizes stopped it: type `ulimit -f unlimited` in the shell that starts loadproof; what was \
             recorded before can still be reported with `loadproof report`"
        }
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => {
            "; free space there or choose another disk with `--out DIR`; what was recorded before can still be \
             reported with `loadproof report`"
        }
        io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem => {
            "; choose a folder that you may write with `--out DIR`"
        }
        io::ErrorKind::NotFound => "; check the path",
        _ => "",
    }
}
