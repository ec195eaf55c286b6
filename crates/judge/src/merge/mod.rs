//! The merge of rows: what a leg of a step, a stream of it or a second of it adds up to. Windows that a requirement
//! chooses, across steps and while the load runs, are those of [`crate::figures`].

mod few_times;
mod spans;
mod views;

use crate::row::times_of;
use crate::rows::Index;
use crate::views::PopulationView;
use contract::NO_STREAM;
use record::{LegRow, OutcomeRow};
use std::collections::BTreeMap;
use terms::{Outcome, Population};

pub(crate) use few_times::{FewTimes, times_by_second};
pub(crate) use spans::{Span, spans, spans_of, time_above};
pub(crate) use views::{below, heat, percentiles_by_second};

/// One second of a leg.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct LegSums {
    /// Succeeded, by second of the intended start, and the sum of their times (response, else service), ns.
    pub(crate) ok: u64,
    pub(crate) sum_ns: f64,
    /// Failed, likewise.
    pub(crate) failed: u64,
    /// Succeeded, by second of the end.
    pub(crate) ended_ok: u64,
    /// Failed, likewise.
    pub(crate) ended_failed: u64,
    /// Closes by class other than ok, by second of the end.
    pub(crate) classes: Vec<(Outcome, u64)>,
}

impl LegSums {
    /// All that were intended in this second, whatever came of them.
    pub(crate) fn intended(&self) -> u64 {
        self.ok + self.failed
    }
}

/// Closes of a leg, whenever they were.
#[derive(Clone, Debug, Default)]
pub(crate) struct Closes {
    pub(crate) ok: PopulationView,
    pub(crate) failed: PopulationView,
    /// By the number of their class.
    pub(crate) outcomes: [u64; 16],
}

impl Closes {
    fn add(&mut self, row: &LegRow) {
        let closes = if row.population == Population::Ok { &mut self.ok } else { &mut self.failed };
        closes.add(row);
    }

    fn add_class(&mut self, row: &OutcomeRow) {
        self.outcomes[row.outcome as usize] += row.count;
    }
}

/// One leg of an exchange in a step.
#[derive(Clone, Debug, Default)]
pub(crate) struct LegMerge {
    pub(crate) closes: Closes,
    /// By second; only those with a row.
    pub(crate) seconds: BTreeMap<i64, LegSums>,
    /// Whether any of it belongs to a stream.
    pub(crate) has_streams: bool,
}

impl LegMerge {
    /// Merges the rows of a leg.
    pub(crate) fn of(index: &Index<'_>, step: u32, exchange: u16, leg: u8) -> Self {
        let mut merge = Self::default();
        for row in index.legs(step, exchange, leg) {
            add(&mut merge.seconds, &row);
            merge.closes.add(&row);
            merge.has_streams |= row.stream != NO_STREAM;
        }
        for row in index.outcomes(step, exchange, leg) {
            merge.closes.add_class(&row);
            merge.has_streams |= row.stream != NO_STREAM;
            if row.outcome == Outcome::Ok {
                continue;
            }
            let classes = &mut merge.seconds.entry(row.end_s).or_default().classes;
            match classes.iter_mut().find(|(outcome, _)| *outcome == row.outcome) {
                Some((_, count)) => *count += row.count,
                None => classes.push((row.outcome, row.count)),
            }
        }
        merge
    }

    /// Whether nothing closed, rightly or not.
    pub(crate) fn is_empty(&self) -> bool {
        self.seconds.is_empty() && self.closes.outcomes.iter().all(|count| *count == 0)
    }
}

/// Closes of a leg by stream; those without a stream are in the leg's own only. `also` sees each row of the load that is
/// merged, for what else is made of it.
pub(crate) fn by_stream(
    index: &Index<'_>,
    (step, exchange, leg): (u32, u16, u8),
    mut also: impl FnMut(&LegRow),
) -> BTreeMap<u16, Closes> {
    let mut streams: BTreeMap<u16, Closes> = BTreeMap::new();
    for row in index.legs(step, exchange, leg).filter(|row| row.stream != NO_STREAM) {
        streams.entry(row.stream).or_default().add(&row);
        also(&row);
    }
    // What came to nothing has outcomes and no times.
    for row in index.outcomes(step, exchange, leg).filter(|row| row.stream != NO_STREAM) {
        streams.entry(row.stream).or_default().add_class(&row);
    }
    streams
}

/// Closes of a leg by class, whenever they were.
pub(crate) fn classes(index: &Index<'_>, step: u32, exchange: u16, leg: u8) -> [u64; 16] {
    let mut closes = Closes::default();
    index.outcomes(step, exchange, leg).for_each(|row| closes.add_class(&row));
    closes.outcomes
}

/// A leg's closes second by second, without their classes.
pub(crate) fn sums(index: &Index<'_>, step: u32, exchange: u16, leg: u8) -> BTreeMap<i64, LegSums> {
    let mut seconds: BTreeMap<i64, LegSums> = BTreeMap::new();
    index.legs(step, exchange, leg).for_each(|row| add(&mut seconds, &row));
    seconds
}

fn add(seconds: &mut BTreeMap<i64, LegSums>, row: &LegRow) {
    let intended = seconds.entry(row.intended_s).or_default();
    if row.population == Population::Ok {
        intended.ok += row.count;
        intended.sum_ns += times_of(row).sum_ns;
        seconds.entry(row.end_s).or_default().ended_ok += row.count;
    } else {
        intended.failed += row.count;
        seconds.entry(row.end_s).or_default().ended_failed += row.count;
    }
}
