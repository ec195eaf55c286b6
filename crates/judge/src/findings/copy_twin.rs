//! Two scenarios with the same figures.

use super::{RuleInput, finding};
use crate::Scope;
use crate::findings::declare::{Milliseconds, declare};
use crate::{Finding, Gravity};

declare! {
    /// Two scenarios agree to the last digit in three of min, mean, max time and standard deviation. Two measurements
    /// never do.
    Twins = "COPY-TWIN" {
        mean: Milliseconds,
        other: String,
    }
}

/// COPY-TWIN: two scenarios with the same figures to the last digit: one is a copy of the other.
pub(super) fn twins(seen: &RuleInput<'_>) -> Vec<Finding> {
    /// With fewer calls, equal figures are chance.
    const CALLS_MIN: u64 = 20;
    /// Figures that must agree.
    const FIGURES: usize = 3;
    let mut all: Vec<(Scope, &str, [f64; 4])> = Vec::new();
    let mut findings = Vec::new();
    for step in seen.steps.iter().filter(|step| step.phase == "hold") {
        for exchange in &step.exchanges {
            let Some(leg) = exchange.legs.iter().find(|leg| leg.outcome == "ok" && leg.count >= CALLS_MIN) else {
                continue;
            };
            let Some(times) = leg.response.as_ref().or(leg.service.as_ref()) else { continue };
            // Constant times are a simulation's, and equal without anybody's doing.
            if times.min == times.max {
                continue;
            }
            let figures = [times.min, times.mean, times.max, times.sd.unwrap_or(0.0)];
            let scope = Scope::step(&step.scenario, &step.id, None).within(&exchange.id);
            let twin = all.iter().find(|(_, scenario, other)| {
                *scenario != step.scenario && other.iter().zip(&figures).filter(|(a, b)| a == b).count() >= FIGURES
            });
            if let Some((other, ..)) = twin {
                let args = Twins { mean: Milliseconds(times.mean), other: other.to_string() };
                findings.push(finding(Gravity::Warning, &scope, args));
            }
            all.push((scope, &step.scenario, figures));
        }
    }
    findings
}
