//! Counts, times and concurrency agree, and everything that should answer does.

use super::{Seen, finding};
use crate::{Arg, Finding, Gravity};
use terms::Nanos;

/// |X·(R+Z)/N − 1| above this is worth a warning.
const LITTLE_WARNING: f64 = 0.05;
/// Above this the measurement contradicts itself.
const LITTLE_INVALID: f64 = 0.15;
/// The law holds over windows that are long against the times in them.
const LITTLE_LENGTH: f64 = 10.0;
/// Fewer calls than this make the ratio itself uncertain by more than the warning's limit.
const LITTLE_CALLS: u64 = 100;

/// LITTLE: the mean number in flight is throughput times mean time in the system.
pub(super) fn little(seen: &Seen<'_>) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (span, step) in seen.evidence.steps.iter().zip(seen.steps) {
        if step.phase != "hold" || step.seconds <= 0.0 || step.books.started < LITTLE_CALLS {
            continue;
        }
        let Some((concurrency, mean_s, rate)) = measured(seen, span, step) else { continue };
        // A window barely longer than the answers holds too much of its own beginning and end.
        if step.seconds < LITTLE_LENGTH * mean_s || concurrency <= 0.0 {
            continue;
        }
        let Ok(check) = stats::little::check(concurrency, rate, mean_s, 0.0) else { continue };
        let off = check.ratio_minus_one.abs();
        if off > LITTLE_WARNING {
            let severity = if off > LITTLE_INVALID { Gravity::Blocker } else { Gravity::Warning };
            let args = [
                ("concurrency", Arg::Number(concurrency)),
                ("rate", Arg::PerSecond(rate)),
                ("time", Arg::Milliseconds(mean_s * 1e3)),
                ("expected", Arg::Number(check.expected)),
                ("off", Arg::Share(check.ratio_minus_one)),
            ];
            findings.push(finding("LITTLE", severity, &format!("{}/{}", step.scenario, step.id), args));
        }
    }
    findings
}

/// Time-weighted number in flight, mean time in flight of an iteration, iterations a second: in seconds of the step
/// that ended within it. The time is the sum of an iteration's exchanges and think times.
fn measured(seen: &Seen<'_>, span: &crate::evidence::StepSpan, step: &crate::StepResult) -> Option<(f64, f64, f64)> {
    let engine: Vec<_> = seen
        .evidence
        .engine
        .iter()
        .filter(|row| span.from <= Nanos::from_secs(row.second) && Nanos::from_secs(row.second + 1) <= span.to)
        .collect();
    let seconds = engine.iter().map(|row| row.second).collect::<std::collections::BTreeSet<_>>().len();
    if seconds == 0 {
        return None;
    }
    let concurrency = engine.iter().map(|row| row.in_flight_mean).sum::<f64>() / seconds as f64;
    let rows = seen.evidence.rows.legs.iter().filter(|row| row.step == span.number && row.leg == 0);
    let sum_ns: f64 =
        rows.map(|row| if row.response.buckets.is_empty() { row.service.sum_ns } else { row.response.sum_ns }).sum();
    let ended = step.books.completed + step.books.failed;
    let think = seen.evidence.head.scenarios.get(span.scenario).map_or(0.0, |scenario| scenario.think_s);
    let mean_s = sum_ns / 1e9 / ended.max(1) as f64 + think;
    Some((concurrency, mean_s, ended as f64 / step.seconds))
}

/// DOWN: an instance ended or was restarted while it was measured.
pub(super) fn down(seen: &Seen<'_>) -> Vec<Finding> {
    let lost = seen.evidence.events.iter().filter(|event| matches!(event.kind.as_str(), "gone" | "restart"));
    let mut findings: Vec<Finding> = lost
        .map(|event| {
            let args = [
                ("instance", Arg::Text(event.subject.clone())),
                ("kind", Arg::Text(event.kind.clone())),
                ("at", Arg::Seconds(event.at.as_secs_f64())),
            ];
            finding("DOWN", Gravity::Warning, &event.subject, args)
        })
        .collect();
    for step in seen.steps.iter().filter(|step| step.phase == "hold") {
        for exchange in &step.exchanges {
            let answered = exchange.legs.iter().find(|leg| leg.outcome == "ok").is_some_and(|leg| leg.count > 0);
            if exchange.started > 0 && !answered {
                let args =
                    [("exchange", Arg::Text(exchange.id.clone())), ("started", Arg::Count(exchange.started as f64))];
                let scope = format!("{}/{}/{}", step.scenario, step.id, exchange.id);
                findings.push(finding("DOWN", Gravity::Warning, &scope, args));
            }
        }
    }
    findings
}
