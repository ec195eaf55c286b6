//! `drop(x) >= 30%`: a fall that is told while the load goes on.

use super::draft::{DraftClause, Sum};
use super::resolve::Where;
use crate::model::rule::{Comparison, Function};
use contract::{Mistake, Mistakes, Place};
use terms::Unit;

const LOOKS: &str = "write `drop(ingest.durable) >= 30% for 30s`";

/// Reports a fall that stands where nobody watches for it, or is not compared with a share alone. `true` when the clause
/// is to be skipped.
pub(super) fn refuse(clause: &DraftClause, at: Where, mistakes: &mut Mistakes) -> bool {
    let DraftClause::Compare { sums, operators } = clause else { return false };
    let Some(place) = sums.iter().find_map(fall) else { return false };
    if at != Where::Abort {
        mistakes.push(
            Mistake::at(place, "study::rule-not-here", "`drop` belongs to abort rules: it is detected during the load")
                .label("write `drop_at(…)`")
                .hint("a requirement says how much there is before it: `drop_at(ingest.durable) >= 1000000`"),
        );
        return true;
    }
    let is_more = matches!(operators[..], [Comparison::AtLeast | Comparison::Greater]);
    match &sums[..] {
        [Sum::Call(_), Sum::Number(share, _)] if share.unit != Unit::Share => false,
        [Sum::Call(_), Sum::Number(share, place)] if is_more => {
            let is_part = share.value > 0.0 && share.value < 1.0;
            if !is_part {
                mistakes.push(
                    Mistake::at(
                        *place,
                        "study::out-of-range",
                        "a fall is a part of the level, above 0% and below 100%",
                    )
                    .hint(LOOKS),
                );
            }
            !is_part
        }
        _ => {
            mistakes.push(
                Mistake::at(place, "study::rule-syntax", "`drop` takes only a share, as a lower limit").hint(LOOKS),
            );
            true
        }
    }
}

/// The first fall of a sum.
fn fall(sum: &Sum) -> Option<Place> {
    match sum {
        Sum::Call(call) => (call.function == Function::Drop).then_some(call.place),
        Sum::Binary { left, right, .. } => fall(left).or_else(|| fall(right)),
        Sum::Number(..) => None,
    }
}
