//! Exit codes, and the errors that lead to them.

use std::process::ExitCode;

/// What a command came to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Exit {
    /// Every *must* requirement met.
    Met = 0,
    /// One not met.
    NotMet = 1,
    /// The study or the command line is wrong.
    Wrong = 2,
    /// The run is invalid, a *must* could not be told, or what was asked for on standard output could not be written.
    CannotTell = 3,
    /// A defect in loadproof.
    Defect = 4,
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        Self::from(exit as u8)
    }
}

/// An error of a command, with the code it ends in.
#[derive(Debug)]
pub(crate) struct Failed {
    pub(crate) exit: Exit,
    pub(crate) error: anyhow::Error,
}

impl Failed {
    /// What the user gave is wrong.
    pub(crate) fn wrong(error: impl Into<anyhow::Error>) -> Self {
        Self { exit: Exit::Wrong, error: error.into() }
    }

    /// Nothing could be measured.
    pub(crate) fn invalid(error: impl Into<anyhow::Error>) -> Self {
        Self { exit: Exit::CannotTell, error: error.into() }
    }

    /// A sentence about what the user gave.
    pub(crate) fn because(text: impl Into<String>) -> Self {
        Self::wrong(anyhow::Error::msg(text.into()))
    }
}

impl From<study::Rejected> for Failed {
    fn from(rejected: study::Rejected) -> Self {
        Self::wrong(rejected)
    }
}

impl From<record::RecordError> for Failed {
    fn from(error: record::RecordError) -> Self {
        Self::wrong(error)
    }
}

impl From<anyhow::Error> for Failed {
    fn from(error: anyhow::Error) -> Self {
        Self { exit: Exit::Defect, error }
    }
}
