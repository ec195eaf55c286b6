//! What comparisons found, and how far they can be trusted.

use super::{Seen, finding};
use crate::comparison::{Comparison, Pair, Row, RowVerdict};
use crate::{Arg, Finding, Gravity};

/// Findings of one pair at most: a table of a hundred rows is read as a table.
const ROWS_MOST: usize = 12;
/// A percentage whose rounding leaves more than a percentage point open is finer than its inputs.
const OPEN_MOST: f64 = 0.01;

/// A difference that is proven: larger than the band, whatever chance did.
pub(super) fn significant(seen: &Seen<'_>) -> Vec<Finding> {
    let of_row = |(comparison, pair, row): (&Comparison, &Pair, &Row)| {
        let value = if row.is_difference { row.value? } else { row.value? - 1.0 };
        let low = if row.is_difference { row.low? } else { row.low? - 1.0 };
        let high = row.high.map_or(value, |high| if row.is_difference { high } else { high - 1.0 });
        let kind = if row.is_difference { "points" } else { "ratio" };
        let args = [
            ("base", Arg::Text(comparison.base.label.clone())),
            ("change", Arg::Share(value.abs())),
            ("direction", Arg::Text(if value < 0.0 { "down" } else { "up" }.into())),
            ("high", Arg::Share(high)),
            ("kind", Arg::Text(kind.into())),
            ("low", Arg::Share(low)),
            ("other", Arg::Text(pair.other.label.clone())),
            ("statistic", Arg::Text(name(row))),
        ];
        Some(of(finding("SIGNIFICANT", Gravity::Notice, &comparison.name, args), comparison))
    };
    let of_pair = |(comparison, pair)| {
        let rows = rows(comparison, pair).filter(|(.., row)| row.verdict == RowVerdict::Different);
        rows.filter_map(of_row).take(ROWS_MOST)
    };
    pairs(seen).flat_map(of_pair).collect()
}

/// One run a side, and nothing is known of how runs differ among themselves.
pub(super) fn no_base(seen: &Seen<'_>) -> Vec<Finding> {
    let of_pair = |(comparison, pair): (&Comparison, &Pair)| {
        let is_single = pair.rows.iter().all(|row| row.base_replicates < 2 && row.other_replicates < 2);
        let is_told = pair.rows.iter().any(|row| row.verdict != RowVerdict::NotComparable);
        (is_single && is_told).then(|| {
            let args =
                [("base", Arg::Text(comparison.base.label.clone())), ("other", Arg::Text(pair.other.label.clone()))];
            of(finding("NO-BASE", Gravity::Notice, &comparison.name, args), comparison)
        })
    };
    pairs(seen).filter_map(of_pair).collect()
}

/// Percentages that are finer than the values they are made of.
pub(super) fn rounding(seen: &Seen<'_>) -> Vec<Finding> {
    let of_row = |(comparison, _, row): (&Comparison, &Pair, &Row)| {
        let change = row.change.filter(|change| change.high - change.low > OPEN_MOST && !row.is_other_censored)?;
        let args =
            [("high", Arg::Share(change.high)), ("low", Arg::Share(change.low)), ("statistic", Arg::Text(name(row)))];
        Some(of(finding("ROUNDING", Gravity::Info, &comparison.name, args), comparison))
    };
    pairs(seen).flat_map(|(comparison, pair)| rows(comparison, pair).filter_map(of_row).take(ROWS_MOST)).collect()
}

fn pairs<'a>(seen: &'a Seen<'_>) -> impl Iterator<Item = (&'a Comparison, &'a Pair)> {
    seen.comparisons.iter().flat_map(|comparison| comparison.pairs.iter().map(move |pair| (comparison, pair)))
}

fn rows<'a>(comparison: &'a Comparison, pair: &'a Pair) -> impl Iterator<Item = (&'a Comparison, &'a Pair, &'a Row)> {
    pair.rows.iter().map(move |row| (comparison, pair, row))
}

fn name(row: &Row) -> String {
    format!("{} {}", row.subject, row.statistic)
}

fn of(finding: Finding, comparison: &Comparison) -> Finding {
    Finding { evidence: vec![format!("compare:{}", comparison.name)], ..finding }
}
