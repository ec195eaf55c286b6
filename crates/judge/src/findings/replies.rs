//! Replies that come later, on another connection: those that did not, and those that nobody waited for.

use super::events::comes_of_itself;
use super::{RuleInput, finding};
use crate::findings::declare::{Count, declare};
use crate::{Finding, Gravity, StepResult};
use contract::{Closes, NO_STREAM};
use record::OutcomeRow;
use std::collections::BTreeMap;
use terms::Outcome;

declare! {
    /// For a leg that others close: replies that were missing, late (they were missing before; a message that is sent
    /// again can bring several, so how many came after all is an upper bound), wrong, or came twice, in a hold, with
    /// the three streams in which most went wrong. A warning where any were missing or wrong, otherwise a notice.
    /// Replies to nothing that the run sent belong to no leg; UNCLAIMED has them.
    WrongReplies = "REPLIES" {
        after_all: Count,
        again: Count,
        duplicate: Count,
        missing: Count,
        right: Count,
        streams: String,
        wrong: Count,
    }
}

/// Streams that a sentence names.
const WORST: usize = 3;

/// REPLIES: of a leg that others close, what was missing, late, wrong or came twice, with the worst streams by name.
pub(super) fn replies(seen: &RuleInput<'_>) -> Vec<Finding> {
    let mut findings = Vec::new();
    for step in seen.steps.iter().filter(|step| step.phase == "hold") {
        let all = seen.study.exchanges.iter().enumerate();
        for (number, exchange) in all.filter(|(_, exchange)| !comes_of_itself(exchange)) {
            let head = seen.index.head().exchanges.get(number).filter(|head| head.name == exchange.name);
            for (leg, kind) in exchange.legs.iter().enumerate().filter(|(_, kind)| kind.closes == Closes::Matched) {
                if head.is_none_or(|head| head.legs.get(leg).is_none_or(|known| known.name != kind.name)) {
                    continue;
                }
                findings.extend(of_leg(seen, step, (number as u16, leg as u8), &exchange.name, kind.name));
            }
        }
    }
    findings
}

fn of_leg(
    seen: &RuleInput<'_>,
    step: &StepResult,
    (number, leg): (u16, u8),
    exchange: &str,
    name: &str,
) -> Option<Finding> {
    let rows: Vec<OutcomeRow> = seen.index.outcomes(step.number, number, leg).collect();
    let count = |wanted: &[Outcome]| -> u64 {
        rows.iter().filter(|row| wanted.contains(&row.outcome)).map(|row| row.count).sum()
    };
    let missing = count(&[Outcome::Missing]);
    let late = late(&rows);
    let duplicate = count(&[Outcome::Duplicate]);
    let wrong = count(&[Outcome::Wrong, Outcome::Fault, Outcome::Partial, Outcome::Status]);
    if missing + late.replies + duplicate + wrong == 0 {
        return None;
    }
    let right = count(&[Outcome::Ok]);
    // What was late was missing before, and is counted once.
    let severity = if missing + wrong > 0 { Gravity::Warning } else { Gravity::Notice };
    let args = WrongReplies {
        after_all: Count(late.after_all as f64),
        again: Count((late.replies - late.after_all) as f64),
        duplicate: Count(duplicate as f64),
        missing: Count(missing as f64),
        right: Count(right as f64),
        streams: worst(seen, step, (number, leg)),
        wrong: Count(wrong as f64),
    };
    Some(finding(severity, &step.scope.within(exchange).within(name), args))
}

/// Late replies.
struct Late {
    /// All of them.
    replies: u64,
    /// Messages that one of them can have been the first reply to.
    after_all: u64,
}

/// A message that is sent again can bring a late reply each time, so there may be more of those than messages that were
/// missing. Which reply is to which message no row says; one to a message came with its stream and second.
fn late(rows: &[OutcomeRow]) -> Late {
    let mut of: BTreeMap<(u16, i64), (u64, u64)> = BTreeMap::new();
    for row in rows {
        let (missing, late) = of.entry((row.stream, row.intended_s)).or_default();
        match row.outcome {
            Outcome::Missing => *missing += row.count,
            Outcome::Late => *late += row.count,
            _ => {}
        }
    }
    let after_all = of.values().map(|(missing, late)| missing.min(late)).sum();
    Late { replies: of.values().map(|(_, late)| late).sum(), after_all }
}

/// `party-b 60, party-c 3`: the streams with most that went wrong; `none` where the load has no streams.
fn worst(seen: &RuleInput<'_>, step: &StepResult, (number, leg): (u16, u8)) -> String {
    let mut wrong: BTreeMap<u16, u64> = BTreeMap::new();
    for row in seen.index.outcomes(step.number, number, leg) {
        if row.stream != NO_STREAM && !matches!(row.outcome, Outcome::Ok | Outcome::Late | Outcome::Aborted) {
            *wrong.entry(row.stream).or_default() += row.count;
        }
    }
    let mut wrong: Vec<(u16, u64)> = wrong.into_iter().filter(|(_, count)| *count > 0).collect();
    wrong.sort_by_key(|(stream, count)| (std::cmp::Reverse(*count), *stream));
    let name = |stream: u16| seen.index.stream_label(step.number, stream).unwrap_or_default();
    let named: Vec<String> =
        wrong.iter().take(WORST).map(|(stream, count)| format!("{} {count}", name(*stream))).collect();
    if named.is_empty() { "none".into() } else { named.join(", ") }
}
