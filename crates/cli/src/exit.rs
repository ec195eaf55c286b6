//! Exit codes, and the errors that lead to them.

use std::process::ExitCode;

/// What a command came to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Exit {
    /// Every *must* requirement met.
    Met = 0,
    /// A *must* requirement is not met.
    NotMet = 1,
    /// The study or the command line is wrong.
    Wrong = 2,
    /// A *must* is undecided, the run is invalid and has no verdict, a report or the output requested on standard output
    /// could not be written, or a receiver did not take all of a run that is over.
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

    /// What went wrong, with all that led to it.
    pub(crate) fn text(&self) -> String {
        format!("{:#}", self.error)
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

impl From<run::RunError> for Failed {
    fn from(error: run::RunError) -> Self {
        let exit = exit_of(&error);
        let error = match error {
            // As from every other command: `check --json` shows mistakes with their places.
            run::RunError::Study(rejected) => rejected.into(),
            other => other.into(),
        };
        Self { exit, error }
    }
}

/// The code of a run that came to nothing.
fn exit_of(error: &run::RunError) -> Exit {
    use run::RunError::{
        Broken, Drive, Folder, Listeners, Logged, Node, Refused, Signals, Study, System, Thread, Unsealed,
    };
    match error {
        Study(_) | Refused(_) | Folder(_) => Exit::Wrong,
        System(_) | Listeners(_) | Node(_) | Drive(_) | Thread(_) | Broken { .. } => Exit::CannotTell,
        Unsealed { .. } | Signals(_) => Exit::Defect,
        Logged { error, .. } => exit_of(error),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use run::RunError;

    #[test]
    fn logs_that_are_kept_do_not_change_what_a_refusal_means() {
        let refused = || RunError::Refused("no".into());
        let logged = |error| RunError::Logged { error: Box::new(error), logs: "run.refused".into() };
        assert_eq!(Failed::from(refused()).exit, Exit::Wrong);
        let failed = Failed::from(logged(refused()));
        assert_eq!(failed.exit, Exit::Wrong);
        assert_eq!(format!("{:#}", failed.error), "no\nthe logs of what was started are in `run.refused`");
        assert_eq!(Failed::from(logged(RunError::Listeners("no".into()))).exit, Exit::CannotTell);
        let broken = |folder: &str| RunError::Broken { folder: folder.into(), error: record::RecordError::Thread };
        assert_eq!(Failed::from(broken("run")).exit, Exit::CannotTell);
        let unsealed = RunError::Unsealed { folder: "run".into(), error: record::RecordError::Thread };
        assert_eq!(Failed::from(unsealed).exit, Exit::Defect);
    }
}
