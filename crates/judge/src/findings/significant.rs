//! Differences that are proven.

use super::compared::{ROWS_MOST, name, of, pairs, rows};
use super::{RuleInput, finding};
use crate::Scope;
use crate::comparison::{Comparison, Pair, Row, RowVerdict};
use crate::findings::declare::{Share, declare};
use crate::{Finding, Gravity};

declare! {
    /// A row of the study's `compare` is *different*: the whole interval lies beyond the band. At most a dozen for
    /// each pair of sides; the chapter on comparison has them all.
    ProvenDifference = "SIGNIFICANT" {
        base: String,
        change: Share,
        direction: String,
        high: Share,
        kind: String,
        low: Share,
        other: String,
        statistic: String,
    }
}

/// A difference that is proven: larger than the band, whatever chance did.
pub(super) fn significant(seen: &RuleInput<'_>) -> Vec<Finding> {
    let of_row = |(comparison, pair, row): (&Comparison, &Pair, &Row)| {
        let value = if row.is_difference { row.value? } else { row.value? - 1.0 };
        let low = if row.is_difference { row.low? } else { row.low? - 1.0 };
        let high = row.high.map_or(value, |high| if row.is_difference { high } else { high - 1.0 });
        let kind = if row.is_difference { "points" } else { "ratio" };
        let args = ProvenDifference {
            base: comparison.base.label.clone(),
            change: Share(value.abs()),
            direction: if value < 0.0 { "down" } else { "up" }.into(),
            high: Share(high),
            kind: kind.into(),
            low: Share(low),
            other: pair.other.label.clone(),
            statistic: name(row),
        };
        Some(of(finding(Gravity::Notice, &Scope::named(comparison.name.as_str()), args), comparison))
    };
    let of_pair = |(comparison, pair)| {
        let rows = rows(comparison, pair).filter(|(.., row)| row.verdict == RowVerdict::Different);
        rows.filter_map(of_row).take(ROWS_MOST)
    };
    pairs(seen).flat_map(of_pair).collect()
}
