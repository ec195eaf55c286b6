//! One run a side.

use super::compared::{of, pairs};
use super::{RuleInput, finding};
use crate::Scope;
use crate::comparison::{Comparison, Pair, RowVerdict};
use crate::findings::declare::declare;
use crate::{Finding, Gravity};

declare! {
    /// Two sides were compared with one run each, and nothing shows how much two equal runs differ here.
    NoBaseNoise = "NO-BASE" {
        base: String,
        other: String,
    }
}

/// One run a side, and nothing is known of how runs differ among themselves.
pub(super) fn no_base(seen: &RuleInput<'_>) -> Vec<Finding> {
    let of_pair = |(comparison, pair): (&Comparison, &Pair)| {
        let is_single = pair.rows.iter().all(|row| row.base_replicates < 2 && row.other_replicates < 2);
        let is_told = pair.rows.iter().any(|row| row.verdict != RowVerdict::NotComparable);
        (is_single && is_told).then(|| {
            let args = NoBaseNoise { base: comparison.base.label.clone(), other: pair.other.label.clone() };
            of(finding(Gravity::Notice, &Scope::named(comparison.name.as_str()), args), comparison)
        })
    };
    pairs(seen).filter_map(of_pair).collect()
}
