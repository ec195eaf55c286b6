//! Why a run came to no sealed folder.

use drive::DriveError;
use launch::LaunchError;
use record::RecordError;
use std::path::PathBuf;
use study::Rejected;

/// Why a run came to no sealed folder, or to one that cannot be relied upon. Messages say what to do.
#[derive(Debug, thiserror::Error)]
pub enum RunError {
    /// The study has mistakes.
    #[error(transparent)]
    Study(#[from] Rejected),
    /// This machine, or what the study names, does not allow the run: a port, a limit, a host, a program.
    #[error("{0}")]
    Refused(String),
    /// The run folder cannot be had.
    #[error(transparent)]
    Folder(#[from] RecordError),
    /// An instance did not become ready, or what answers is not the one meant.
    #[error(transparent)]
    System(LaunchError),
    /// The listeners cannot be served.
    #[error("{0}")]
    Listeners(String),
    /// Load nodes that could not be had.
    #[error("{0}")]
    Node(String),
    /// Nothing could be driven.
    #[error(transparent)]
    Drive(DriveError),
    /// As `error`, which came when instances had already written something.
    #[error("{}\nthe logs of what was started are in `{}`", before_the_load(error), logs.display())]
    Logged {
        /// What was refused.
        error: Box<RunError>,
        /// Folder of the logs.
        logs: PathBuf,
    },
    /// The record could not be brought to its end. What was measured is there, as far as the disk took it.
    #[error("{error}")]
    Broken {
        /// The run folder; it is sealed where entries were lost and nothing else went wrong ([`RecordError::Lost`]).
        folder: PathBuf,
        /// What broke.
        error: RecordError,
    },
    /// A defect ended the run, and what it had measured could not be sealed.
    #[error("{error}\nwhat was measured is still there; type `loadproof report {}`", folder.display())]
    Unsealed {
        /// The run folder.
        folder: PathBuf,
        /// Why it could not be sealed.
        error: RecordError,
    },
    /// The system gives no thread to what looks after signals.
    #[error("{0}")]
    Thread(std::io::Error),
    /// The system does not let signals be caught, as every program may.
    #[error("{0}")]
    Signals(std::io::Error),
}

/// What came up when instances already ran: mistakes of the study then kept only the load from starting.
fn before_the_load(error: &RunError) -> String {
    match error {
        RunError::Study(rejected) => rejected.told("no load was started"),
        other => other.to_string(),
    }
}

impl RunError {
    /// A sentence about what is not allowed here.
    pub(crate) fn refused(text: impl Into<String>) -> Self {
        Self::Refused(text.into())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use contract::{Mistake, Mistakes, Place};

    #[test]
    fn what_was_started_is_not_called_nothing() {
        let rejected =
            Rejected { files: Vec::new(), mistakes: Mistakes(vec![Mistake::at(Place::default(), "a::b", "no")]) };
        assert!(RunError::Study(rejected.clone()).to_string().ends_with("1 mistake; nothing was started"));
        let logged = RunError::Logged { error: Box::new(rejected.into()), logs: "run.refused".into() }.to_string();
        let end = "1 mistake; no load was started\nthe logs of what was started are in `run.refused`";
        assert!(logged.ends_with(end), "{logged}");
    }
}
