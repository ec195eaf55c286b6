//! Clauses on shares and percentiles of times, looked at once a second: they hold where chance alone does not explain it.

use crate::evaluate::{CountedLimit, Sureness, Value};
use crate::limits::Turned;
use std::collections::BTreeMap;
use study::rule::Comparison;
use terms::Nanos;

/// Seconds back to which windows are kept, so that few calls a window can answer together.
const KEPT: i64 = 3600;

/// What a clause says about a share of calls.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct OfShare {
    /// The share that it holds it against.
    limit: f64,
    /// Whether it claims more than that.
    claims_above: bool,
    /// In the window.
    hits: u64,
    calls: u64,
}

impl OfShare {
    /// A clause between a share, or a percentile of times, and a constant; `None` for every other, and for a share held
    /// against 0 % or 100 %, which is a matter of counting.
    pub(super) fn of(values: &[Value], operators: &[Comparison]) -> Option<Self> {
        let ([left, right], [operator]) = (values, operators) else { return None };
        let (value, constant, operator) = match (left.is_constant, right.is_constant) {
            (false, true) => (left, right.value, *operator),
            (true, false) => (right, left.value, operator.turned()),
            _ => return None,
        };
        let claims_above = match operator {
            Comparison::Greater | Comparison::AtLeast => true,
            Comparison::Less | Comparison::AtMost => false,
            Comparison::Equal => return None,
        };
        let (limit, hits, calls) = match &value.sureness {
            // What may be a hit and may be none counts against the claim.
            Sureness::Share { hits, total, .. } => {
                (constant, if claims_above { hits.sure } else { hits.maybe }, *total)
            }
            // A percentile is above a limit where more than its rest of all calls is.
            Sureness::Percentile { quantile, counted, .. } => {
                let at = Nanos::from_secs_f64(constant);
                let CountedLimit { below, .. } = counted.iter().find(|counted| counted.limit == at)?;
                let within = if claims_above { below.maybe } else { below.sure };
                (1.0 - quantile, value.count.saturating_sub(within), value.count)
            }
            _ => return None,
        };
        (limit > 0.0 && limit < 1.0).then_some(Self { limit, claims_above, hits, calls })
    }
}

/// The windows of each clause that were looked at, by the second at which they ended: hits and calls.
#[derive(Debug, Default)]
pub(super) struct Windows(BTreeMap<(String, usize), BTreeMap<i64, (u64, u64)>>);

impl Windows {
    /// Adds a window of `seconds` that ends now, and says whether the clause holds; `None` where that cannot be told.
    ///
    /// `clause`: the text of its rule, and its place in it.
    pub(super) fn holds(&mut self, clause: (&str, usize), seconds: i64, now: i64, share: OfShare) -> Option<bool> {
        let windows = self.0.entry((clause.0.to_owned(), clause.1)).or_default();
        windows.insert(now, (share.hits, share.calls));
        let kept = windows.split_off(&(now - KEPT.max(seconds)));
        *windows = kept;
        let seconds = seconds.max(1);
        let first = windows.keys().next().copied().unwrap_or(now);
        // Those that end a window apart do not overlap; one without a call was not looked at.
        let before = (0..).map(|number| now - number * seconds).take_while(|end| *end >= first);
        let apart = before.map(|end| windows.get(&end).copied().unwrap_or_default());
        stats::looks::is_above(apart, share.limit).map(|is_above| is_above == share.claims_above)
    }
}
