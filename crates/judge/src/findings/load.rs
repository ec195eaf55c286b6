//! Counts, times and concurrency agree, and everything that should answer does.

use super::{Seen, finding};
use crate::validity::limits;
use crate::{Arg, Finding, Gravity};

/// |X·(R+Z)/N − 1| above this is worth a warning; above [`limits::LITTLE_INVALID`] the measurement contradicts itself.
const LITTLE_WARNING: f64 = 0.05;

/// LITTLE: the mean number in flight is throughput times mean time in the system.
pub(super) fn little(seen: &Seen<'_>) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (span, balance) in seen.index.evidence.steps.iter().zip(seen.balances) {
        let Some(balance) = balance.filter(|balance| balance.off.abs() > LITTLE_WARNING) else { continue };
        let is_contradiction = balance.off.abs() > limits::LITTLE_INVALID;
        let severity = if is_contradiction { Gravity::Blocker } else { Gravity::Warning };
        let args = [
            ("concurrency", Arg::Number(balance.concurrency)),
            ("rate", Arg::PerSecond(balance.rate)),
            ("time", Arg::Milliseconds(balance.time_s * 1e3)),
            ("expected", Arg::Number(balance.expected)),
            ("off", Arg::Share(balance.off)),
        ];
        findings.push(finding("LITTLE", severity, &seen.index.shared_scope(span), args));
    }
    findings
}

/// DOWN: an instance ended or was restarted while it was measured.
pub(super) fn down(seen: &Seen<'_>) -> Vec<Finding> {
    let events = seen.index.evidence.events.iter();
    let lost = events.filter(|event| matches!(event.kind.as_str(), "gone" | "restart"));
    lost.map(|event| {
        let args = [
            ("instance", Arg::Text(event.subject.clone())),
            ("kind", Arg::Text(event.kind.clone())),
            ("at", Arg::Seconds(event.at.as_secs_f64())),
        ];
        let evidence = vec![format!("events:{}", event.subject)];
        Finding { evidence, ..finding("DOWN", Gravity::Warning, &event.subject, args) }
    })
    .collect()
}

/// NO-ANSWER: an exchange was sent all through a step, and not once answered well.
pub(super) fn no_answer(seen: &Seen<'_>) -> Vec<Finding> {
    let mut findings = Vec::new();
    for step in seen.steps.iter().filter(|step| step.phase == "hold") {
        for exchange in &step.exchanges {
            let is_answered = exchange.legs.iter().any(|leg| leg.outcome == "ok" && leg.count > 0);
            if exchange.started > 0 && !is_answered {
                let args =
                    [("exchange", Arg::Text(exchange.id.clone())), ("started", Arg::Count(exchange.started as f64))];
                let scope = format!("{}/{}", step.scope, exchange.id);
                findings.push(finding("NO-ANSWER", Gravity::Warning, &scope, args));
            }
        }
    }
    findings
}
