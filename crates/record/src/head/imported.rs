//! What `run.json` says of a run that another tool made: its files, what could not be read of them, what they cannot tell.

use serde::{Deserialize, Serialize};

/// Where an imported run comes from.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct ImportHead {
    /// Name of the tool that drove the load: `JMeter`.
    pub tool: String,
    /// The files, in the order in which they were named.
    pub files: Vec<ImportedFile>,
    /// What the tool itself prints of these calls, beside what the calls say.
    pub said: Vec<ToldFigure>,
    /// Least difference between two times of the load, nanoseconds: a millisecond for most tools.
    pub resolution_ns: i64,
    /// What the files cannot tell, a word each: `intended_starts`, `generator`, `identity`, `users`, `timeouts`, `times`,
    /// `moments`, `failures`, `outside`.
    pub unknown: Vec<String>,
}

/// One file of an imported run.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct ImportedFile {
    /// Its name, without folders; of an archive's member with the archive before it.
    pub name: String,
    /// Kind as `loadproof import` has it.
    pub kind: String,
    /// The monitor whose samples it holds; empty where it holds none.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub monitor: String,
    /// Length as it lies on the disk, bytes.
    pub bytes: u64,
    pub sha256: String,
    /// Records that were read.
    pub read: u64,
    /// Of these, how many are parts or sums of others and were not counted again.
    pub nested: u64,
    /// Lines that could not be read.
    pub unreadable: u64,
    /// The first of them.
    pub examples: Vec<UnreadableLine>,
    /// How it ends before it should: what came behind is unknown.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub broken: Option<Broken>,
    /// What else is to be known of it: rows that were left out, or are not of the time of the load.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub remarks: Vec<String>,
    /// Why it was not read; empty for one that was.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub left_out: String,
    /// How its times were found.
    pub placed: Placed,
    /// Of a file of samples of which no row lies within the run: where its rows are, as far as that is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub outside: Option<Outside>,
    /// By how much the last time that was counted differs from the clock, where both are known, seconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub drift_s: Option<f64>,
}

/// How a file ends before it should.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Broken {
    /// The rest of it is missing; what stands before is as it was written.
    Cut,
    /// It does not unpack to what was packed: what stands before may have been changed, too.
    Damaged,
}

/// Rows of which none lies within the run.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Outside {
    /// How many; of several instances without a clock, of the first.
    pub rows: u64,
    /// First and last moment of the rows, and those of the run's calls; ISO 8601. Empty where the rows have no clock.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub from: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub to: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub run_from: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub run_to: String,
    /// Why rows without a clock were not placed by the load, a word: `no_interval`, `too_few`, `short_load`, `flat`,
    /// `apart`, `repeats`; empty for those that have one.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub why: String,
    /// Time between two rows, seconds; zero where it is not known.
    pub every_s: f64,
    /// Rows or intervals that would be needed, for `too_few` and `short_load`.
    pub needed: u64,
    /// Highest correlation with the load that was found, for `apart` and `repeats`.
    pub correlation: f64,
}

/// A line that could not be read.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct UnreadableLine {
    /// From 1.
    pub line: u64,
    /// What is wrong with it.
    pub why: String,
}

/// How the times of a file's records were found.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Placed {
    /// Each record has its own.
    #[default]
    Clock,
    /// From a start and an interval that were given: approximate.
    StartAndInterval,
    /// Where the series fits the load best: approximate.
    Fitted,
    /// Nowhere: only what holds of the whole run is stated.
    WholeRun,
}

impl Placed {
    /// Whether times of it may be off.
    pub fn is_approximate(self) -> bool {
        self != Self::Clock
    }
}

/// One figure as the tool prints it, and as the calls have it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct ToldFigure {
    /// Name of the exchange; empty for all of them.
    pub exchange: String,
    /// What it is of: `mean`, `min`, `max`, `calls`, `failed`; empty for a percentile.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub figure: String,
    /// Which quantile, 0 to 1, where it is one.
    pub quantile: f64,
    /// What the tool prints: milliseconds, or a count; none where it does not print this.
    #[serde(rename = "said_ms")]
    pub said: Option<f64>,
    /// What all calls say, percentiles by the nearest rank; none where the files do not tell.
    #[serde(rename = "data_ms")]
    pub data: Option<f64>,
    /// How many calls the tool makes its figure of.
    pub of: u64,
    /// How many there were.
    pub calls: u64,
    /// The file in which the tool says it; empty where it was computed as the tool does.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub file: String,
    /// Why the two differ, a word: `last_calls`, `interpolated`, `rounded`, `sketch`, `no_times`, `no_calls`,
    /// `other_calls`, `not_printed`, `no_file`, `unknown`; empty where they do not.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub why: String,
}
