//! A run folder to seconds, while it is written and afterwards.
//!
//! # Place in the pipeline
//! Reads through `record` what it has of a run; feeds whoever shows a run or passes it on while it goes on. Judging is not
//! among them: verdicts come from `judge`, of the folder as a whole.
//!
//! # Ideas
//! A [`Follower`] reads the rows that were recorded since it last looked, and folds them into a [`Second`] each. A second
//! is told once, when nothing more is to come of it: every load thread has closed it and the record has gone on for another
//! second, or for three where a thread tells nothing. What comes later all the same (an arrival that was started late is
//! booked where it had been due) is added to the next second that is told, so that the sums over all seconds are those of the
//! run. A finished run is told the same way from its beginning.
//!
//! A follower keeps the rows of a few seconds, however long the run is. What it hands out has dense histograms, so that it
//! hands out few seconds at a time.
//!
//! # Example
//! ```
//! use follow::Follower;
//! # let scratch = tempfile::tempdir().unwrap();
//! # let path = &scratch.path().join("run");
//! # let head = record::Head { id: "trial".into(), ..record::Head::default() };
//! # let mut writer = record::create(path, &head, "study: Trial\n")?;
//! # let at = terms::Nanos::from_secs(2);
//! # writer.write(record::Entry::Event(record::EventRow { at, kind: "gone".into(), subject: "shop".into(), text: "it died".into() }))?;
//! # writer.finish(&head)?;
//! let mut follower = Follower::open(path)?;
//! while !follower.is_over() {
//!     for second in follower.next()? {
//!         assert_eq!((second.second, second.events[0].subject.as_str()), (2, "shop"));
//!     }
//!     // Of a run that goes on: wait a little here.
//! }
//! # Ok::<(), record::RecordError>(())
//! ```
//!
//! # Not here
//! What the figures mean, and which of them count, is `judge`'s: seconds of a warm-up are told like all others.
#![forbid(unsafe_code)]

mod follower;
mod pending;
mod second;
#[cfg(test)]
mod tests;

pub use follower::Follower;
pub use second::{ExchangeSecond, GeneratorSecond, PartSecond, Sample, Second};
