//! What is reported about a fall and of work between stalls, beside the interval: both axes, and what part of the time it was.

use super::decision::{Decision, args, reason};
use crate::Arg;
use crate::evaluate::{Told, Value};
use crate::rows::Index;
use study::rule::{Clause, Comparison, Expression, Function, Rule};
use terms::{EndReason, Verdict};

/// Whether a "met" of this rule stands whatever the rest of a hold would have brought: so much was counted before the rate
/// fell, or without its having fallen. The rule that ends a load when its rate has fallen would refuse every limit else.
pub(super) fn stays_met(rule: &Rule) -> bool {
    rule.clauses.iter().all(|clause| {
        let Clause::Compare { sums, operators } = clause else { return false };
        matches!(
            (&sums[..], &operators[..]),
            ([Expression::Statistic(statistic), Expression::Number(_)], [Comparison::AtLeast | Comparison::Greater])
                if statistic.function == Function::DropAt
        )
    })
}

/// Whether what ended the load is seen in its record: where an abort rule told a fall that the record alone does not show,
/// nobody knows how much came before it. By simulation that is so in a third of loads whose rate falls by no more than it
/// strays from second to second.
pub(super) fn is_seen(decision: &Decision, index: &Index<'_>) -> bool {
    let is_aborted = index.head().ending.as_ref().is_some_and(|ending| ending.reason == EndReason::Aborted.name());
    !is_aborted || decision.reason.code != "fell_not"
}

/// Replaces "the interval is on this side" where a value is held against a number.
pub(super) fn tell(decision: &mut Decision, values: &[Value]) {
    let told = match values {
        [value, limit] if limit.is_constant => value.told,
        [limit, value] if limit.is_constant => value.told,
        _ => None,
    };
    let is_plain =
        matches!(decision.reason.code.as_str(), "interval_inside" | "interval_outside" | "interval_straddles_limit");
    let (Some(told), true) = (told, is_plain) else { return };
    let side = match decision.verdict {
        Verdict::Met => "inside",
        Verdict::NotMet => "outside",
        Verdict::CannotTell => "straddles",
    };
    let side = ("side", Arg::Text(side.into()));
    decision.reason = match told {
        Told::Fell { at_s, low_s, high_s, before, after, is_gradual } => {
            let given = [
                ("after", Arg::PerSecond(after)),
                ("at", Arg::Seconds(at_s)),
                ("at_high", Arg::Seconds(high_s)),
                ("at_low", Arg::Seconds(low_s)),
                ("before", Arg::PerSecond(before)),
                ("shape", Arg::Text(if is_gradual { "decline" } else { "step" }.into())),
                side,
            ];
            reason("fell", args(given))
        }
        Told::Perhaps { low_s } => reason("fell_perhaps", args([("at_low", Arg::Seconds(low_s)), side])),
        Told::Stayed { seconds } => reason("fell_not", args([("seconds", Arg::Seconds(seconds)), side])),
        Told::Worked { duty, stalls, lasts_s, mean, lost } => {
            let given = [
                ("duty", Arg::Share(duty)),
                ("lasts", Arg::Seconds(lasts_s)),
                ("lost", Arg::Share(lost)),
                ("mean", Arg::PerSecond(mean)),
                ("number", Arg::Count(stalls as f64)),
                side,
            ];
            reason("worked", args(given))
        }
    };
}
