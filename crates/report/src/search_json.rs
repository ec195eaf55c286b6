//! Searches in `result.json`.

use crate::json_values::{args, number, optional};
use judge::Judgement;
use judge::searches::curve::Curve;
use judge::searches::{AttemptResult, SearchResult, Standing};
use serde_json::{Value, json};
use study::SearchRule;

/// `searches`: one for each, with its attempts in order of time.
pub(crate) fn searches(judgement: &Judgement) -> Vec<Value> {
    judgement.searches.iter().map(search).collect()
}

fn search(search: &SearchResult) -> Value {
    let rule = match &search.search.rule {
        SearchRule::Bracket(_) => "bracket",
        SearchRule::Nsp(_) => "nsp",
    };
    let end = match &search.standing {
        Standing::Over(why) => why.name(),
        Standing::Next(_) => "unfinished",
    };
    json!({
        "name": search.search.name,
        "rule": rule,
        "variables": search.search.variables(),
        "by": search.search.by,
        "end": end,
        "held": optional(search.held),
        "failed": optional(search.failed),
        "best": search.best.and_then(|best| search.attempts.get(best)).map(|attempt| attempt.number),
        "curve": search.curve.as_ref().map(curve),
        "attempts": search.attempts.iter().map(attempt).collect::<Vec<_>>(),
    })
}

fn curve(curve: &Curve) -> Value {
    let reason = |reason: &judge::Reason| json!({ "code": reason.code, "args": args(&reason.args) });
    json!({
        "points": curve.points.iter().map(|(load, rate)| json!([number(*load), number(*rate)])).collect::<Vec<_>>(),
        "law": curve.law.as_ref().ok().map(|fit| json!({
            "lambda": number(fit.lambda),
            "sigma": number(fit.sigma),
            "kappa": number(fit.kappa),
            "load_at_peak": optional(fit.load_at_peak()),
        })),
        "no_law": curve.law.as_ref().err().map(reason),
        "knee": optional(curve.knee.as_ref().ok().copied()),
        "no_knee": curve.knee.as_ref().err().map(reason),
        "little": curve.little.iter().map(|of| json!({
            "attempt": of.attempt,
            "users": number(of.users),
            "throughput_per_s": number(of.throughput_per_s),
            "each_s": number(of.each_s),
            "time_s": optional(of.time_s),
            "off": optional(of.off),
        })).collect::<Vec<_>>(),
    })
}

fn attempt(attempt: &AttemptResult) -> Value {
    let values: serde_json::Map<String, Value> =
        attempt.values.iter().map(|(name, value)| (name.clone(), json!(value))).collect();
    json!({
        "number": attempt.number,
        "run": attempt.run,
        "scenario": attempt.scenario,
        "values": values,
        "load": number(attempt.load),
        "confirms": attempt.is_confirming,
        "outcome": attempt.outcome.name(),
        "sure": attempt.is_sure,
        "reason": { "code": attempt.reason.code, "args": args(&attempt.reason.args) },
        "decided": attempt.decided.map(judge::searches::Outcome::name),
        "degraded": attempt.is_degraded,
        "throughput_per_s": number(attempt.throughput_per_s),
        "by_per_s": optional(attempt.by_per_s),
        "failed_share": optional(attempt.failed_share),
        "seconds": number(attempt.seconds),
        "validity": attempt.validity.name(),
        "growth": attempt.growth.map(|step| json!({
            "actual_percent": step.actual_percent,
            "target_percent": step.target_percent,
            "actual_exact": step.actual_exact.and_then(|value| optional(Some(value)).as_f64()),
            "target_exact": step.target_exact.and_then(|value| optional(Some(value)).as_f64()),
            "met": step.is_met,
            "counted": step.is_eligible,
        })),
    })
}
