//! All series at one moment: what is encoded.

use crate::labels::Labels;
use crate::names::{METRICS, Metric};
use crate::sketch::{Layout, Sketch};
use std::sync::Arc;

/// Whose series these are.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Identity {
    pub study: Arc<str>,
    pub run: Arc<str>,
    /// Version of loadproof.
    pub version: String,
}

/// All series at the end of a second.
#[derive(Clone, Debug, PartialEq)]
pub struct Snapshot {
    pub identity: Arc<Identity>,
    pub layout: Arc<Layout>,
    /// Wall clock at the run's start, nanoseconds since 1970: from then on counters count.
    pub start_ns: i64,
    /// Wall clock at the end of the second, nanoseconds since 1970.
    pub wall_ns: i64,
    /// Those with a point.
    pub families: Vec<Family>,
}

/// The series of one metric.
#[derive(Clone, Debug, PartialEq)]
pub struct Family {
    /// Its number in [`METRICS`].
    pub number: usize,
    pub points: Vec<Point>,
}

impl Family {
    /// What it is a family of.
    pub fn metric(&self) -> &'static Metric {
        &METRICS[self.number]
    }
}

/// One series.
#[derive(Clone, Debug, PartialEq)]
pub struct Point {
    /// Beside those of the run.
    pub labels: Labels,
    pub value: Value,
    /// Whether it is there for the first time: before, it was zero.
    pub is_new: bool,
}

/// What a series has come to.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    /// A count since the run's start.
    Count(u64),
    /// A sum since the run's start.
    Sum(f64),
    /// A level; finite.
    Level(f64),
    Times(Sketch),
    /// It has ended: nothing more will come of it.
    Gone,
}

/// The labels of a series with those of the run, in order of their names.
pub(crate) fn all_labels<'a>(identity: &'a Identity, labels: &'a Labels) -> Vec<(&'a str, &'a str)> {
    let run = [("run", &*identity.run), ("study", &*identity.study)].into_iter().filter(|(_, value)| !value.is_empty());
    let mut all: Vec<(&str, &str)> = labels.iter().map(|(name, value)| (*name, &**value)).chain(run).collect();
    all.sort_unstable();
    all
}
