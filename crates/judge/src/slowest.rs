//! The slowest calls of an exchange in a step, each with the moment at which its time began and the trace by which it is
//! found in the system.

use crate::SlowCall;
use crate::rows::Index;
use record::SlowRow;
use terms::Outcome;

/// The slowest of each leg, leg by leg, the slowest first. Calls that end well and badly are among each other: a call that
/// was waited for in vain is as slow as its timeout, at least.
pub(crate) fn of_exchange(index: &Index<'_>, step: u32, exchange: u16) -> Vec<SlowCall> {
    let Some(head) = index.head().exchanges.get(usize::from(exchange)) else { return Vec::new() };
    let call = |row: &SlowRow, leg: &str| SlowCall {
        leg: leg.to_owned(),
        outcome: row.outcome.name().to_owned(),
        at: row.at,
        time: row.time,
        is_at_least: matches!(row.outcome, Outcome::Timeout | Outcome::Missing),
        trace: row.trace.map(|trace| trace.to_string()),
    };
    let of_leg = |(number, leg): (usize, &record::LegHead)| {
        let rows = index.evidence.rows.slowest.get(&(step, exchange, number as u8)).map_or(&[][..], Vec::as_slice);
        rows.iter().map(|row| call(row, &leg.name)).collect::<Vec<_>>()
    };
    head.legs.iter().enumerate().flat_map(of_leg).collect()
}
