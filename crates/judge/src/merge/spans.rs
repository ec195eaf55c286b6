//! Calls by the seconds in which they began and ended, and the time that slow ones took.

use crate::row::times_of;
use crate::rows::Index;
use record::{LegRow, OutcomeRow};
use std::ops::Range;
use terms::{Buckets, Nanos, Outcome};

/// Calls that began in one second and ended in another.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Span {
    pub(crate) from: i64,
    pub(crate) to: i64,
    pub(crate) count: u64,
    /// Mean time of each, seconds.
    pub(crate) mean_s: f64,
}

impl Span {
    /// Whether some of it may lie within seconds.
    pub(crate) fn touches(&self, seconds: &Range<i64>) -> bool {
        self.to >= seconds.start && self.from < seconds.end
    }
}

/// The first legs of a step's calls, each with the number of its exchange. Of what was cut off only the seconds of its
/// begin and end are known.
pub(crate) fn spans<'a>(index: &Index<'a>, step: u32) -> impl Iterator<Item = (u16, Span)> + use<'a> {
    let timed = index.legs_of(step).filter(|row| row.leg == 0 && row.count > 0);
    let cut = index.outcomes_of(step).filter(|row| row.leg == 0 && row.outcome == Outcome::Aborted);
    timed.map(|row| (row.exchange, timed_span(&row))).chain(cut.map(|row| (row.exchange, cut_span(&row))))
}

/// The same of what was booked under one number, such as a transaction.
pub(crate) fn spans_of<'a>(index: &Index<'a>, step: u32, number: u16) -> impl Iterator<Item = Span> + use<'a> {
    let timed = index.legs(step, number, 0).filter(|row| row.count > 0);
    let cut = index.outcomes(step, number, 0).filter(|row| row.outcome == Outcome::Aborted);
    timed.map(|row| timed_span(&row)).chain(cut.map(|row| cut_span(&row)))
}

fn timed_span(row: &LegRow) -> Span {
    let mean_s = times_of(row).sum_ns / 1e9 / row.count as f64;
    Span { from: row.intended_s, to: row.end_s, count: row.count, mean_s }
}

fn cut_span(row: &OutcomeRow) -> Span {
    let mean_s = (row.end_s - row.intended_s).max(0) as f64;
    Span { from: row.intended_s, to: row.end_s, count: row.count, mean_s }
}

/// Seconds that calls of a leg took which were served slower than `limit`, by the middles of their buckets. The least and
/// the greatest time of a second bound its buckets more closely than those of the whole leg would.
pub(crate) fn time_above(index: &Index<'_>, (step, exchange, leg): (u32, u16, u8), limit: Nanos) -> f64 {
    let mut spent = 0.0;
    for row in index.legs(step, exchange, leg) {
        for &(bucket, count) in row.service.buckets.iter().filter(|(bucket, _)| Buckets::low(*bucket) > limit) {
            let (low, high) = (Buckets::low(bucket).max(row.service.min), Buckets::high(bucket).min(row.service.max));
            spent += count as f64 * 0.5 * (low.as_secs_f64() + high.as_secs_f64());
        }
    }
    spent
}
