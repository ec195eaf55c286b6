//! Capacity, ladders and volumes in `result.json`.

use crate::json_values::{arg, args, number, optional, pair};
use judge::Judgement;
use judge::bottleneck::Ladder;
use judge::capacity::{CapacityLine, RatioResult, VolumeResult};
use judge::healthiest::{HealthStep, HealthiestResult, Lost};
use judge::levels::Level;
use serde_json::{Map, Value, json};

/// `capacity`: lines, the healthiest steps, volumes and ratios.
pub(crate) fn capacity(judgement: &Judgement) -> Value {
    let result = &judgement.capacity;
    json!({
        "lines": result.lines.iter().map(line).collect::<Vec<_>>(),
        "healthiest": result.healthiest.iter().map(healthiest).collect::<Vec<_>>(),
        "volumes": result.volumes.iter().map(volume).collect::<Vec<_>>(),
        "ratios": result.ratios.iter().map(ratio).collect::<Vec<_>>(),
    })
}

/// `bottlenecks`: one ladder for each scenario.
pub(crate) fn bottlenecks(judgement: &Judgement) -> Vec<Value> {
    judgement.ladders.iter().map(ladder).collect()
}

fn line(line: &CapacityLine) -> Value {
    json!({
        "scenarios": line.family.scenarios,
        "load": if line.family.is_users { "users" } else { "arrivals" },
        "says": line.code(),
        "highest_held": optional(line.interval.highest_held),
        "lowest_failed": optional(line.interval.lowest_failed),
        "held_above_a_failure": line.interval.held_above_a_failure.iter().copied().map(number).collect::<Vec<_>>(),
        "throughput_per_s": optional(line.throughput_per_s),
        "levels": line.family.levels.iter().map(level).collect::<Vec<_>>(),
        "law": line.law.as_ref().map(|law| json!({
            "lambda": number(law.lambda), "sigma": number(law.sigma), "kappa": number(law.kappa),
            "load_at_peak": optional(law.load_at_peak()),
        })),
        "knee": optional(line.knee),
    })
}

fn level(level: &Level) -> Value {
    json!({
        "scope": level.scope,
        "load": number(level.load),
        "throughput_per_s": number(level.throughput_per_s),
        "iteration_ms": optional(level.time_ms),
        "failed_share": number(level.failed_share),
        "held": level.held,
        "validity": level.validity.name(),
    })
}

fn healthiest(choice: &HealthiestResult) -> Value {
    let row: Map<String, Value> = choice.row.iter().map(|(name, value)| (name.clone(), json!(value))).collect();
    json!({
        "scenario": choice.scenario,
        "row": row,
        "by": choice.by,
        "needs": choice.needs,
        "best": choice.best().map(|step| &step.scope),
        "unseen": choice.unseen,
        "steps": choice.steps.iter().map(health_step).collect::<Vec<_>>(),
    })
}

fn health_step(step: &HealthStep) -> Value {
    let lost = |lost: &Lost| {
        json!({
            "reason": { "code": lost.reason.code, "args": args(&lost.reason.args) },
            "repetitions": lost.repetitions,
        })
    };
    json!({
        "scenario": step.scenario,
        "scope": step.scope,
        "load": number(step.load),
        "of": if step.is_users { "users" } else { "arrivals" },
        "rate_per_s": optional(step.rate_per_s),
        "rate_interval": pair(step.rate_interval),
        "seconds": number(step.seconds),
        "failed_share": optional(step.failed_share),
        "p95_ms": optional(step.p95_ms),
        "processor": step.processor.as_ref().map(|used| {
            json!({ "metric": used.metric, "instance": used.instance, "share": number(used.share) })
        }),
        "repetitions": step.repetitions,
        "passed": step.passed,
        "passes_at_least": number(step.passes_at_least),
        "lost": step.lost.iter().map(lost).collect::<Vec<_>>(),
    })
}

fn volume(volume: &VolumeResult) -> Value {
    json!({
        "id": volume.name,
        "scope": volume.scope,
        "of": volume.formula,
        "rate_per_s": optional(volume.rate_per_s),
        "hours": number(volume.hours),
        "days": number(volume.days),
        "peak_factor": number(volume.peak_factor),
        "is_upper_bound": volume.is_upper_bound,
        "value": optional(volume.value),
        "interval": pair(volume.interval),
        "refused": volume.refused.as_ref().map(|reason| json!({ "code": reason.code, "args": args(&reason.args) })),
    })
}

fn ratio(ratio: &RatioResult) -> Value {
    let operand = |(text, value): &(String, judge::Arg)| json!({ "of": text, "value": arg(value) });
    json!({
        "id": ratio.name,
        "of": ratio.formula,
        "operands": ratio.operands.iter().map(operand).collect::<Vec<_>>(),
        "value": ratio.value.as_ref().map(arg),
        "refused": ratio.refused.as_ref().map(|reason| json!({ "code": reason.code, "args": args(&reason.args) })),
    })
}

fn ladder(ladder: &Ladder) -> Value {
    let rungs = ladder.rungs.iter().map(|rung| {
        let signals = rung
            .signals
            .iter()
            .map(|signal| json!({ "code": signal.code, "args": args(&signal.args), "evidence": signal.evidence }));
        json!({ "rung": rung.rung.name(), "state": rung.state.name(), "signals": signals.collect::<Vec<_>>() })
    });
    let resources = ladder.resources.iter().map(|one| {
        json!({
            "metric": one.metric,
            "instance": one.instance,
            "utilisation": number(one.utilisation),
            "peak": number(one.peak),
            "demand_s": optional(one.demand_s),
            "throughput_at_limit_per_s": optional(one.throughput_at_limit),
            "is_idle_included": one.is_idle_included,
        })
    });
    json!({
        "scenario": ladder.scenario,
        "scope": ladder.scope,
        "load": number(ladder.load),
        "observed": ladder.observed().map(|rung| rung.rung.name()),
        "grade": ladder.observed().map(|rung| rung.state.name()),
        "rungs": rungs.collect::<Vec<_>>(),
        "resources": resources.collect::<Vec<_>>(),
    })
}
