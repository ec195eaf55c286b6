//! What filling a store says on standard error: a large one takes minutes.

use std::fmt::Display;
use std::time::Instant;

use crate::data::Archive;

/// Fillings above so many citizens are told.
const QUIET_MAX: u64 = 200;

/// A filling under way, told if it is large.
pub(super) struct Filling(Option<Instant>);

impl Filling {
    pub(super) fn begin(store: impl Display, archive: Archive) -> Self {
        let is_loud = archive.citizens > QUIET_MAX;
        if is_loud {
            eprintln!("filling the store `{store}` with what is logged about {} citizens", archive.citizens);
        }
        Self(is_loud.then(Instant::now))
    }

    pub(super) fn end(self) {
        if let Some(started) = self.0 {
            eprintln!("done after {:.1} s", started.elapsed().as_secs_f64());
        }
    }
}
