//! What the tables of a report are made of, recomputed from the evidence alone and compared with `result.json`.
//!
//! It reads the rows and adds them up by itself: nothing of `judge`, `report` or `study` takes part. Rules are read once
//! more by a reader of its own ([`language`]), times are merged as counts in buckets, and a percentile is the nearest rank.
//!
//! # Recomputed
//! - Request accounting, rates and throughput of every step, and what each exchange is of all calls; its slowest calls; counts, classes,
//!   failures, means, deviations and percentiles of every leg, transaction and stream; the generator's lateness, processor
//!   share, and what was in flight, counted and by Little's law.
//! - Intervals of means and percentiles of times. The seconds that they are made of are laid out here; how memory widens
//!   them is `stats`, whose answers are known, and ranks are turned into times here.
//! - The value beside the limit of every requirement on a share, count, rate, mean, percentile, minimum or maximum of
//!   calls or of a watched series, and sums, products and quotients of them, whatever the window and whatever it is split
//!   by; the limit; how many calls or samples; the interval, the design effect, and up to which one the verdict holds. The
//!   exact limits of an independent share come from the binomial distribution here, else from `stats`.
//! - Load levels and the loads between which the limit lies; volumes with their interval; ratios with what stands in them;
//!   how busy resources were, what an iteration takes of them, and the throughput that they allow.
//! - What was carried in bulk, and by how many replicas, with mean times, speed-up and efficiency.
//! - Cells of grids with their times and intervals; throughput, failures and loads of the attempts of a search, and its
//!   bounds where no load was tried twice.
//! - Both values, counts, ratio and change of every row of a comparison within the run.
//! - Of legs that a watched count closes their backlog and age at every look, from the rows and the recorded count; what rules
//!   make of these, their drain times, and the rates that searches go by.
//! - Where the report was written as CSV: level, peak, growth, samples and gaps of everything that was watched, in each
//!   scenario and workload; durations server by server; the lines of its drawings, and drawings of what was planned,
//!   started and ended by second and of how the times of a leg are spread, point by point. A drawing's numbers do not say
//!   which series or leg they are of: they are held against the one that they are most like.
//!
//! # Not recomputed
//! States (`steady`, `drained`, `alive`), slopes, `drop_at`, `settle_time` and changes in requirements; limits
//! that are variables; fitted curves, trends over iterations; ratings of a search by steps; attempts taken over from another run; rates between stalls; messages that
//! were sent on held connections; intervals of comparisons, which are drawn at random, and sides that are other runs; checks of validity, findings and signals of
//! ladders with their figures; drawings of failures, streams and grids, heat maps, and percentiles of several seconds.
//! [`Outcome::left_out`] counts what of this a run has. Of a run that did not come to its end as planned only accounts,
//! counts and times are recomputed.

mod capacity;
mod carried;
mod compared;
mod comparisons;
mod counted;
mod drawings;
mod exact;
mod figures;
mod flight;
mod grids;
mod language;
mod load;
mod memory;
mod metrics;
mod requirements;
mod rows;
mod share;
mod steps;
mod sure;
mod tables;
mod times;
mod window;

pub use compared::Outcome;

use compared::list;
use record::Run;
use rows::Evidence;
use serde_json::Value;
use std::path::{Path, PathBuf};

/// A run's rows, and the folder in which its tables lie.
pub struct Recomputation {
    evidence: Evidence,
    folder: PathBuf,
}

impl Recomputation {
    /// Reads the rows of a run.
    ///
    /// # Errors
    /// A folder that has no record.
    pub fn read(folder: &Path) -> Result<Self, Box<dyn std::error::Error>> {
        let evidence = Evidence::read(&Run::open(folder)?)?;
        Ok(Self { evidence, folder: folder.to_owned() })
    }

    /// Compares every number of a result that the rows can tell. Of a run that did not come to its end as planned, and of
    /// one whose record is not whole, only accounts, counts and times are compared: what was left unfinished is neither
    /// good nor bad, and only the judge knows how much that is.
    pub fn compare(&self, result: &Value) -> Outcome {
        let (evidence, mut told) = (&self.evidence, Outcome::default());
        steps::compare(&mut told, evidence, result);
        if evidence.is_whole && result["run"]["end_reason"] == "completed" {
            requirements::compare(&mut told, evidence, result);
            capacity::compare(&mut told, evidence, result);
            grids::compare(&mut told, evidence, result);
            carried::compare(&mut told, evidence, result);
            comparisons::compare(&mut told, evidence, result);
        }
        for sign in list(&result["validity"]["signs"]) {
            let values = sign["value"].as_object();
            values.into_iter().flatten().for_each(|(_, value)| told.leave_out("checks of validity", value));
        }
        for finding in list(&result["findings"]) {
            let args = finding["args"].as_object();
            let values = args.into_iter().flatten().filter_map(|(_, arg)| arg.as_object()?.values().next());
            values.for_each(|value| told.leave_out("figures of findings", value));
        }
        told
    }

    /// Compares the tables of what was watched that lie in the folder.
    pub fn compare_tables(&self) -> Outcome {
        let mut told = Outcome::default();
        if self.evidence.is_whole {
            tables::compare(&mut told, &self.evidence, &self.folder);
        }
        told
    }
}

/// Compares all of a run's `result.json` and tables.
///
/// # Errors
/// A folder that has no record or no result.
pub fn recompute(folder: &Path) -> Result<Outcome, Box<dyn std::error::Error>> {
    let run = Recomputation::read(folder)?;
    let result: Value = serde_json::from_str(&std::fs::read_to_string(folder.join("result.json"))?)?;
    let mut told = run.compare(&result);
    told.join(run.compare_tables());
    Ok(told)
}

/// Fails where a number of a run's result differs from what its rows come to. Looks at runs that came to their end, that
/// nobody changed afterwards, and that can be read.
///
/// # Panics
/// Where one does, and where nothing could be compared.
pub fn assert_recomputed(run: &Path) {
    let Ok(text) = std::fs::read_to_string(run.join("result.json")) else { return };
    let result: Value = serde_json::from_str(&text).unwrap_or_else(|error| panic!("{}: {error}", run.display()));
    let is_changed = list(&result["validity"]["signs"]).iter().any(|sign| sign["code"] == "altered_evidence");
    // Some tests spoil a folder on purpose, so that it cannot be read any more.
    let is_readable = run.join("evidence/manifest.json").is_file() && Run::open(run).is_ok();
    if result["run"]["end_reason"] != "completed" || is_changed || !is_readable {
        return;
    }
    let told = recompute(run).unwrap_or_else(|error| panic!("{}: {error}", run.display()));
    assert!(told.compared > 0 && told.wrong.is_empty(), "{}: {:#?}", run.display(), told.wrong);
}
