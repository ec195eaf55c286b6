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
    /// Its disk is full, or its files may not be as long.
    #[error("cannot {doing} `{}`: {cause}\n{advice}; nothing is left behind", path.display())]
    Full { doing: &'static str, path: PathBuf, cause: String, advice: &'static str },
    /// The system gives no thread.
    #[error(
        "cannot start a thread: {0}\nraise the limit on processes and threads of this shell (`ulimit -u`), and import again"
    )]
    Thread(std::io::Error),
    /// No room for the calls on their way.
    #[error(
        "the calls cannot be kept beside `{}` while they are sorted into rows: {error}\n{}; nothing is left behind",
        folder.display(),
        advice(error.kind()).unwrap_or("name another place with `--out`")
    )]
    Spool { folder: PathBuf, error: std::io::Error },
}

impl From<RecordError> for ImportError {
    /// A load that was cut short keeps what was recorded, and says so; an import can be made again.
    fn from(error: RecordError) -> Self {
        match error {
            RecordError::Io { doing, path, kind, cause } if let Some(advice) = advice(kind) => {
                Self::Full { doing, path, cause, advice }
            }
            other => Self::Record(other),
        }
    }
}

/// What helps where there is no room for a file.
fn advice(kind: ErrorKind) -> Option<&'static str> {
    match kind {
        ErrorKind::StorageFull | ErrorKind::QuotaExceeded => {
            Some("free space there, or choose another disk with `--out DIR`")
        }
        ErrorKind::FileTooLarge => {
            Some("the limit on file sizes stopped it: type `ulimit -f unlimited` in the shell that starts loadproof")
        }
        _ => None,
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
        let text = full(ErrorKind::FileTooLarge);
        assert!(text.contains("`ulimit -f unlimited`") && text.contains("nothing is left"), "{text}");
        assert!(!text.contains("free space"), "{text}");
        assert!(!full(ErrorKind::PermissionDenied).contains("nothing is left"));
    }
}
