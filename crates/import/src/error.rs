//! What an import is refused for.

use record::RecordError;
use std::io::ErrorKind;
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
    Record(RecordError),
    /// Its disk is full.
    #[error(
        "cannot {doing} `{}`: {cause}\nfree space there, or choose another disk with `--out DIR`; nothing is left behind",
        path.display()
    )]
    Full { doing: &'static str, path: PathBuf, cause: String },
    /// No room for the calls on their way.
    #[error("the calls cannot be kept beside `{}` while they are sorted into rows: {error}\nname another place with `--out`", folder.display())]
    Spool { folder: PathBuf, error: std::io::Error },
}

impl From<RecordError> for ImportError {
    /// A load that was cut short keeps what was recorded, and says so; an import can be made again.
    fn from(error: RecordError) -> Self {
        match error {
            RecordError::Io { doing, path, kind: ErrorKind::StorageFull | ErrorKind::QuotaExceeded, cause } => {
                Self::Full { doing, path, cause }
            }
            other => Self::Record(other),
        }
    }
}

impl ImportError {
    pub(crate) fn file(file: &Path, what: impl Into<String>) -> Self {
        Self::File { file: file.to_owned(), what: what.into() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_full_disk_does_not_promise_what_is_not_left() {
        let full = |kind| {
            let (doing, path, cause) = ("write", PathBuf::from("runs/a"), "No space left on device".to_owned());
            ImportError::from(RecordError::Io { doing, path, kind, cause }).to_string()
        };
        let text = full(ErrorKind::StorageFull);
        assert!(text.contains("cannot write `runs/a`") && text.contains("nothing is left"), "{text}");
        assert!(!full(ErrorKind::PermissionDenied).contains("nothing is left"));
    }
}
