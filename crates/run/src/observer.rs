//! What a run tells while it goes on.

use crate::figures::Figures;
use record::{Head, InstanceHead};
use std::path::Path;
use terms::Nanos;

/// Who hears what a run tells. Called from several threads; what it does must not wait for a reader.
pub trait Observer: Sync {
    /// Something happened. Texts may hold what the study keeps out.
    fn hear(&self, news: News<'_>);
}

/// What happened.
pub enum News<'a> {
    /// Something may run out, or may show what is kept out.
    Warning(&'a str),
    /// The run folder was made.
    Folder(&'a Path),
    /// Nothing was measured, and the run folder that was made is taken away.
    FolderGone,
    /// The start of an instance takes long.
    Waiting(&'a str),
    /// An instance answers, and is the one meant.
    Answers(&'a InstanceHead),
    /// An instance ended, or was started again.
    Instance(&'a str),
    /// A search tried a load, or is over.
    Attempt(&'a str),
    /// The operator asked for an end.
    Stopping(&'a str),
    /// A second has passed.
    Second {
        /// Where the load stands.
        figures: &'a Figures,
        head: &'a Head,
        /// On the run's clock.
        now: Nanos,
    },
}
