//! A verdict in the making.

use crate::evaluate::{Kind, Value};
use crate::{Arg, Args, Reason};
use terms::Verdict;

/// One clause's verdict.
#[derive(Clone, Debug)]
pub(super) struct Decision {
    pub(super) verdict: Verdict,
    pub(super) reason: Reason,
    pub(super) value: Option<f64>,
    pub(super) low: Option<f64>,
    pub(super) high: Option<f64>,
    pub(super) limit: Option<f64>,
    pub(super) kind: Kind,
    pub(super) is_census: bool,
    pub(super) count: u64,
    pub(super) design_effect: Option<f64>,
    /// The greatest design effect with which the verdict would still stand.
    pub(super) holds_up_to: Option<f64>,
    /// "Not met" of a count that could have grown into "met" had the run gone on.
    pub(super) may_change: bool,
    /// A statement about how much there was, which a shortened run cannot make.
    pub(super) is_volume: bool,
    /// Counts laid side by side, which stay exact however late the load came.
    pub(super) is_reconciliation: bool,
}

impl Decision {
    /// Not decided yet: value and limit as they are.
    pub(super) fn about(value: &Value, limit: f64, code: &str) -> Self {
        Self {
            value: Some(value.value),
            limit: Some(limit),
            kind: value.kind,
            count: value.count,
            ..cannot_tell(code, [])
        }
    }

    /// Becomes "cannot tell", for another reason; figures stay.
    pub(super) fn withdraw<const N: usize>(&mut self, code: &str, given: [(&str, Arg); N]) {
        self.verdict = Verdict::CannotTell;
        self.holds_up_to = None;
        self.reason = reason(code, args(given));
    }
}

pub(super) fn reason(code: &str, args: Args) -> Reason {
    Reason { code: code.into(), args }
}

pub(super) fn args<const N: usize>(given: [(&str, Arg); N]) -> Args {
    given.into_iter().map(|(name, arg)| (name.to_owned(), arg)).collect()
}

pub(super) fn cannot_tell<const N: usize>(code: &str, given: [(&str, Arg); N]) -> Decision {
    Decision {
        verdict: Verdict::CannotTell,
        reason: reason(code, args(given)),
        value: None,
        low: None,
        high: None,
        limit: None,
        kind: Kind::Count,
        is_census: false,
        count: 0,
        design_effect: None,
        holds_up_to: None,
        may_change: false,
        is_volume: false,
        is_reconciliation: false,
    }
}

/// A value as an argument of a sentence.
pub(crate) fn unit_arg(kind: Kind, value: f64) -> Arg {
    match kind {
        Kind::Time => Arg::Seconds(value),
        Kind::Share => Arg::Share(value),
        Kind::Count => Arg::Number(value),
        Kind::PerSecond => Arg::PerSecond(value),
        Kind::Bytes => Arg::Bytes(value),
        Kind::Cores => Arg::Cores(value),
    }
}

pub(super) fn unit_name(kind: Kind) -> &'static str {
    match kind {
        Kind::Time => "ms",
        Kind::Share => "share",
        Kind::Count => "count",
        Kind::PerSecond => "per_s",
        Kind::Bytes => "bytes",
        Kind::Cores => "cores",
    }
}
