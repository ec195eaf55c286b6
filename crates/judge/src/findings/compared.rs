//! Rows of comparisons.

use super::RuleInput;
use crate::Finding;
use crate::comparison::{Comparison, Pair, Row};

/// Findings of one pair at most: a table of a hundred rows is read as a table.
pub(super) const ROWS_MOST: usize = 12;

pub(super) fn pairs<'a>(seen: &'a RuleInput<'_>) -> impl Iterator<Item = (&'a Comparison, &'a Pair)> {
    seen.comparisons.iter().flat_map(|comparison| comparison.pairs.iter().map(move |pair| (comparison, pair)))
}

pub(super) fn rows<'a>(
    comparison: &'a Comparison,
    pair: &'a Pair,
) -> impl Iterator<Item = (&'a Comparison, &'a Pair, &'a Row)> {
    pair.rows.iter().map(move |row| (comparison, pair, row))
}

pub(super) fn name(row: &Row) -> String {
    format!("{} {}", row.subject, row.statistic)
}

pub(super) fn of(finding: Finding, comparison: &Comparison) -> Finding {
    Finding { evidence: vec![format!("compare:{}", comparison.name)], ..finding }
}
