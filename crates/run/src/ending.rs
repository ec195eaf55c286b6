//! The end of a run: everything that was started is ended, and why it ended is written down.

use crate::driving::Driven;
use crate::error::RunError;
use crate::logs;
use crate::nodes::Nodes;
use crate::observer::{News, Observer};
use crate::prepare::Prepared;
use crate::recorded::Record;
use crate::watching::Watched;
use clock::Clock;
use drive::DriveError;
use launch::Launched;
use record::{Ending, Head};
use std::path::Path;
use std::sync::Mutex;
use terms::{EndReason, Nanos, iso};

/// Ends what watches, then the system; whatever its logs must not show is cut from them.
pub(crate) fn stop(
    prepared: &Prepared,
    mut launched: Launched,
    (watched, nodes): (Watched, Option<&Mutex<Nodes>>),
    record: &Record,
    log_folder: &Path,
    observer: &dyn Observer,
    head: &mut Head,
) {
    for event in launched.identify_again() {
        record.entries.event(event.at, event.kind, &event.subject, &event.text);
    }
    watched.stop(nodes, head);
    launched.stop();
    for log in logs::keep_out(log_folder, &prepared.kept_out) {
        let text = format!("`{}` may hold what is kept out: it could not be rewritten", log.display());
        observer.hear(News::Warning(&text));
    }
}

/// Why the run ended, as `run.json` has it.
///
/// # Errors
/// What kept the load from beginning, where nothing was measured.
pub(crate) fn ending(prepared: &Prepared, driven: Driven, clock: &Clock, head: &Head) -> Result<Ending, RunError> {
    let (reason, text) = match driven.end {
        Ok(end) => end,
        Err(DriveError::Settings(mistakes)) if !driven.has_load => return Err(prepared.rejected(mistakes).into()),
        Err(DriveError::Settings(mistakes)) => (EndReason::Generator, prepared.rejected(mistakes).to_string()),
        Err(error @ DriveError::System(_)) if !driven.has_load => return Err(RunError::refused(error.to_string())),
        Err(error @ DriveError::SetUp(_)) => (EndReason::Target, error.to_string()),
        Err(error) => (EndReason::Generator, error.to_string()),
    };
    let at = clock.now();
    let ended = iso::millis(Nanos(head.wall_origin_ns) + at);
    Ok(Ending { reason: reason.name().into(), text, ended, at_ns: at.0, ..Ending::default() })
}
