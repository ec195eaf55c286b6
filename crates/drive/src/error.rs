//! Why a scenario could not be driven.

use contract::{Failure, Mistakes};

/// Why a scenario could not be driven.
#[derive(Debug, thiserror::Error)]
pub enum DriveError {
    /// A driver refused its settings.
    #[error("a driver refused its settings")]
    Settings(Mistakes),
    /// A driver could not prepare, or a set-up exchange failed.
    #[error("{0}")]
    SetUp(Failure),
    /// The system refused what the loop needs.
    #[error(
        "the generator could not start: {0}; are there enough descriptors (`ulimit -n`) and threads (`ulimit -u`)?"
    )]
    System(#[from] std::io::Error),
    /// A load node that cannot be heard any more.
    #[error("the load node {node} was lost: {why}")]
    NodeLost { node: String, why: String },
    /// Whoever says when the load begins said that it does not.
    #[error("the load did not begin")]
    NotBegun,
    /// A worker ended by a defect.
    #[error("a load thread ended by a defect; what was recorded until then is kept")]
    Defect,
}
