//! Percentages that are finer than their inputs.

use super::compared::{ROWS_MOST, name, of, pairs, rows};
use super::{RuleInput, finding};
use crate::Scope;
use crate::comparison::{Comparison, Pair, Row};
use crate::findings::declare::{Share, declare};
use crate::{Finding, Gravity};

declare! {
    /// A change that the digits of its two values leave open by more than one percentage point. A single percentage
    /// claims more than its inputs.
    FineRounding = "ROUNDING" {
        high: Share,
        low: Share,
        statistic: String,
    }
}

/// A percentage whose rounding leaves more than a percentage point open claims too much.
const OPEN_MOST: f64 = 0.01;

/// Percentages that are finer than the values they are made of.
pub(super) fn rounding(seen: &RuleInput<'_>) -> Vec<Finding> {
    let of_row = |(comparison, _, row): (&Comparison, &Pair, &Row)| {
        let change = row.change.filter(|change| change.high - change.low > OPEN_MOST && !row.is_other_censored)?;
        let args = FineRounding { high: Share(change.high), low: Share(change.low), statistic: name(row) };
        Some(of(finding(Gravity::Info, &Scope::named(comparison.name.as_str()), args), comparison))
    };
    pairs(seen).flat_map(|(comparison, pair)| rows(comparison, pair).filter_map(of_row).take(ROWS_MOST)).collect()
}
