//! The record of a run at work: what is sent is cleaned and written, and seen by abort rules and whoever watches.

use crate::kept_out;
use crate::live::Live;
use clock::Clock;
use drive::Control;
use record::{Entry, EventRow, Handle, Head, Observed, RecordError, Recording, Writer};
use scrub::KeptOut;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::sync::{Arc, Mutex};
use terms::Nanos;

/// Where entries are sent; copies go to every thread.
#[derive(Clone)]
pub(crate) struct Entries {
    handle: Handle,
    kept_out: KeptOut,
}

impl Entries {
    /// Hands an entry to the recording thread, without what is kept out.
    pub(crate) fn send(&self, entry: Entry) {
        self.handle.send(kept_out::entry(entry, &self.kept_out));
    }

    /// The same of what another process recorded, which waits for its place.
    pub(crate) fn send_in_turn(&self, entry: Entry) {
        self.handle.send_in_turn(kept_out::entry(entry, &self.kept_out));
    }

    /// As [`Entries::send`], an event.
    pub(crate) fn event(&self, at: Nanos, kind: &str, subject: &str, text: &str) {
        self.send(Entry::Event(EventRow { at, kind: kind.into(), subject: subject.into(), text: text.into() }));
    }

    /// Whether the record can no longer be trusted to be whole.
    pub(crate) fn is_failed(&self) -> bool {
        self.handle.is_failed()
    }
}

/// A run being recorded.
pub(crate) struct Record {
    recording: Recording,
    pub(crate) entries: Entries,
    pub(crate) live: Live,
}

impl Record {
    /// Starts the recording thread. One of the abort rules that holds turns `control`.
    ///
    /// # Errors
    /// When the system gives no thread.
    pub(crate) fn start(
        writer: Writer,
        head: &Head,
        kept_out: &KeptOut,
        clock: &Clock,
        (control, aborts): (&Control, Vec<study::rule::Rule>),
    ) -> Result<Self, RecordError> {
        let live = Live::new(kept_out::head(head, kept_out), aborts, control.clone());
        let later: Arc<Mutex<Option<Handle>>> = Arc::default();
        let recording = Recording::start(writer, clock.clone(), observer(live.clone(), later.clone()))?;
        let entries = Entries { handle: recording.handle(), kept_out: kept_out.clone() };
        if let Ok(mut later) = later.lock() {
            *later = Some(entries.handle.clone());
        }
        Ok(Self { recording, entries, live })
    }

    /// Writes `run.json` anew. Waits for a place in the queue.
    pub(crate) fn update(&self, head: &Head) {
        let head = kept_out::head(head, &self.entries.kept_out);
        self.live.follow(&head);
        self.entries.handle.update_head(&head);
    }

    /// Writes the study and `run.json` anew: a search has added an attempt to `before`.
    pub(crate) fn update_study(&self, before: &Head, study: &str, after: &Head) {
        let kept_out = &self.entries.kept_out;
        self.entries.handle.update_study(&kept_out::head(before, kept_out), study, &kept_out::head(after, kept_out));
    }

    /// Waits until all that was recorded can be read.
    pub(crate) fn sync(&self) {
        self.entries.handle.sync();
    }

    /// What went wrong first, if anything did.
    pub(crate) fn failure(&self) -> Option<RecordError> {
        self.recording.failure()
    }

    /// Writes what still waits, and seals the run; returns its folder.
    ///
    /// # Errors
    /// As [`Recording::finish`].
    pub(crate) fn finish(self, head: &Head) -> Result<PathBuf, RecordError> {
        self.recording.finish(&kept_out::head(head, &self.entries.kept_out))
    }
}

/// Shows what is recorded to `live`, and records what follows from it once there is a handle.
fn observer(live: Live, handle: Arc<Mutex<Option<Handle>>>) -> Box<dyn FnMut(&Observed) + Send> {
    let mut is_broken = false;
    Box::new(move |seen: &Observed| {
        // A defect here must not take the recording with it.
        let entry = catch_unwind(AssertUnwindSafe(|| if is_broken { None } else { live.see(seen) }));
        is_broken |= entry.is_err();
        if let Some(entry) = entry.ok().flatten()
            && let Ok(handle) = handle.lock()
            && let Some(handle) = handle.as_ref()
        {
            handle.send(entry);
        }
    })
}
