//! What an import is refused for.

use record::RecordError;
use std::path::{Path, PathBuf};

/// Why no run was made. Nothing is left behind.
#[derive(Debug, thiserror::Error)]
pub enum ImportError {
    /// A file that cannot be read at all: message with what was found and what to do.
    #[error("`{}` {what}", file.display())]
    File { file: PathBuf, what: String },
    /// A kind that there is not.
    #[error("{0}")]
    Kind(String),
    /// The study that belongs to the run has mistakes.
    #[error(transparent)]
    Study(#[from] study::Rejected),
    /// What was asked for cannot be.
    #[error("{0}")]
    Asked(String),
    /// The run folder cannot be written.
    #[error(transparent)]
    Record(#[from] RecordError),
    /// No room for the calls on their way.
    #[error("the calls cannot be kept beside `{}` while they are sorted into rows: {error}\nname another place with `--out`", folder.display())]
    Spool { folder: PathBuf, error: std::io::Error },
}

impl ImportError {
    pub(crate) fn file(file: &Path, what: impl Into<String>) -> Self {
        Self::File { file: file.to_owned(), what: what.into() }
    }
}
