//! Samples of another machine: asked for within their period, and told as missing when they do not come.

use crate::moment::{Moment, seconds};
use crate::{Remote, files};
use contract::{Event, Failure, Machine, Samples};
use std::collections::BTreeMap;
use terms::Nanos;

/// Longest wait for a sample, whatever its period is.
const PATIENCE_MAX: Nanos = Nanos::from_secs(5);

/// What every question ends with: the files whose names `grep` prints in front of their lines, one process for all of
/// them, which passes over those that are missing.
pub fn lines_of(paths: &str) -> String {
    format!("grep -s '' /proc/uptime {paths}")
}

/// Another machine of which samples are taken.
pub struct Sampled {
    pub remote: Remote,
    patience: Nanos,
    /// Since when it has not answered.
    away: Option<Nanos>,
}

/// What a machine told at one moment.
pub struct Told {
    /// Files by path, as far as they could be read.
    pub files: BTreeMap<String, String>,
    pub moment: Moment,
}

impl Sampled {
    /// A machine of which a sample is taken so often: its answer must come within four fifths of that.
    pub fn new(machine: &Machine, every: Nanos) -> Self {
        Self { remote: Remote::new(machine), patience: Nanos(every.0 / 5 * 4).min(PATIENCE_MAX), away: None }
    }

    /// Asks; `at` is now, and the moment is one of the same clock. That it answers again is an event of that instance.
    ///
    /// # Errors
    /// Why there is no sample.
    pub fn sample(&mut self, question: &str, at: Nanos, instance: u32, out: &mut Samples) -> Result<Told, Failure> {
        let answer = self.remote.ask(question, self.patience).inspect_err(|_| {
            self.away.get_or_insert(at);
        })?;
        let files: BTreeMap<String, String> =
            files(&answer.text).into_iter().map(|(path, text)| (path.to_owned(), text)).collect();
        let uptime = files.get("/proc/uptime").and_then(|text| seconds(text));
        let moment = Moment { at: at + answer.after, within: answer.within, uptime };
        if let Some(since) = self.away.take() {
            let (since, now) = (since.as_secs_f64(), moment.at.as_secs_f64());
            let text = format!("it answers again; of {since:.1} s to {now:.1} s of the run nothing is known");
            out.event(moment.at, instance, Event { kind: "back", text });
        }
        Ok(Told { files, moment })
    }
}
