//! `result.json`: the verdict for programs. Its names are stable; more fields may come.

use crate::input::{Context, Input};
use crate::json_values::{arg, args, number, optional, pair, spans};
use judge::{
    ExchangeResult, Failure, LegResult, RequirementResult, SlowCall, StepResult, StreamLeg, StreamResult, Times,
};
use serde_json::{Map, Value, json};
use std::collections::HashSet;

/// The schema's name.
pub const SCHEMA: &str = "loadproof/result/1";

/// Writes `result.json`: sorted keys, times in milliseconds, two spaces of indentation, a newline at the end.
///
/// Sentences are English whatever the language of the report, because programs' users search for them.
pub fn result_json(input: &Input<'_>) -> String {
    let cx = Context::new(input, "en");
    let (head, judgement) = (input.head, input.judgement);
    let reasons: Vec<Value> = cx.bad_signs().map(|sign| Value::from(cx.sign_sentence(sign))).collect();
    let value = json!({
        "schema": SCHEMA,
        "run": {
            "id": head.id,
            "started": head.started,
            "ended": head.ending.as_ref().map(|ending| ending.ended.clone()),
            "end_reason": judgement.end_reason.name(),
            "end_text": head.ending.as_ref().map(|ending| ending.text.clone()),
            "study": head.study,
            "study_sha256": head.study_sha256,
            "system": head.system,
            "seed": head.seed,
            "loadproof": head.version,
            "trial": head.trial.as_ref().map(|trial| json!({
                "asked_s": number(trial.asked_s),
                "factor": number(trial.factor),
                "left_out": trial.left_out,
            })),
            "set": head.set.iter().map(|(name, value)| (name.clone(), Value::from(value.as_str()))).collect::<Map<_, _>>(),
            "was_killed": input.state.was_killed || head.ending.is_none(),
            "damage": input.state.damage,
            "altered": input.state.altered,
        },
        "validity": {
            "state": judgement.validity.name(),
            "reasons": reasons,
            "signs": judgement.signs.iter().map(|sign| sign_value(&cx, sign)).collect::<Vec<_>>(),
        },
        "exchanges": crate::requests::requests_json(input.study, &judgement.steps),
        "scenarios": scenarios(input),
        "requirements": requirements(&cx),
        "grids": crate::grid_json::grids(judgement),
        "bulks": crate::bulk_json::bulks(judgement),
        "searches": crate::search_json::searches(judgement),
        "courses": crate::course_json::courses(judgement),
        "capacity": crate::capacity_json::capacity(judgement),
        "bottlenecks": crate::capacity_json::bottlenecks(judgement),
        "findings": judgement.findings.iter().map(|finding| self::finding(&cx, finding)).collect::<Vec<_>>(),
        "settings": judgement.settings.iter().map(|(name, value)| (name.clone(), arg(value))).collect::<Map<_, _>>(),
    });
    let mut value = value;
    if !judgement.comparisons.is_empty() {
        value["comparisons"] = crate::compare_data::comparisons_value(&judgement.comparisons);
    }
    let mut text = serde_json::to_string_pretty(&value).expect("invariant: maps with text keys always serialise");
    text.push('\n');
    text
}

fn sign_value(cx: &Context<'_>, sign: &judge::Sign) -> Value {
    json!({
        "code": sign.code,
        "scope": sign.scope,
        "state": terms::Validity::from(sign.state).name(),
        "value": sign.value.as_ref().map(arg),
        "questionable": sign.questionable.as_ref().map(arg),
        "invalid": sign.invalid.as_ref().map(arg),
        "text": cx.sign_sentence(sign),
    })
}

fn scenarios(input: &Input<'_>) -> Vec<Value> {
    let mut scenarios: Vec<(&str, Vec<Value>)> = Vec::new();
    for step in &input.judgement.steps {
        let value = self::step(step);
        match scenarios.iter_mut().find(|(name, _)| *name == step.scenario) {
            Some((_, steps)) => steps.push(value),
            None => scenarios.push((&step.scenario, vec![value])),
        }
    }
    let model =
        |name: &str| input.head.scenarios.iter().find(|known| known.name == name).map(|known| known.model.clone());
    scenarios.into_iter().map(|(name, steps)| json!({ "id": name, "model": model(name), "steps": steps })).collect()
}

fn step(step: &StepResult) -> Value {
    let books = step.books;
    let rate = |value: f64| if step.has_rates() { number(value) } else { Value::Null };
    json!({
        "id": step.id,
        "part": step.part,
        "scope": step.scope,
        "phase": step.phase,
        "seconds": number(step.seconds),
        "users": step.users,
        "offered_per_s": rate(step.offered_per_s),
        "achieved_per_s": rate(step.achieved_per_s),
        "throughput_per_s": rate(step.throughput_per_s),
        "judged_from": number(step.judged_from),
        "intended": books.intended,
        "started": books.started,
        "dropped": books.dropped,
        "completed": books.completed,
        "failed": books.failed,
        "aborted": books.aborted,
        "open": books.open(),
        "generator": {
            "lateness_p99_ms": optional(step.lateness_p99_ms),
            "cpu_share": optional(step.cpu_share),
        },
        "in_flight": step.in_flight.map(|it| {
            json!({ "counted": number(it.counted), "recorded": number(it.recorded), "off": number(it.off) })
        }),
        "validity": step.validity.map(terms::Validity::name),
        "variables": step.variables,
        "repetition": step.repetition,
        "exchanges": step.exchanges.iter().map(exchange).collect::<Vec<_>>(),
        "transactions": step.transactions.iter().map(exchange).collect::<Vec<_>>(),
        "streams": step.streams.iter().map(stream).collect::<Vec<_>>(),
    })
}

fn stream(stream: &StreamResult) -> Value {
    let leg = |leg: &StreamLeg| {
        json!({
            "exchange": leg.exchange,
            "id": leg.leg,
            "ok": leg.ok,
            "failed": leg.failed,
            "classes": leg.classes.iter().map(|(class, count)| (class.clone(), Value::from(*count))).collect::<Map<_, _>>(),
            "mean_ms": optional(leg.mean_ms),
            "max_ms": optional(leg.max_ms),
        })
    };
    json!({
        "label": stream.label,
        "intended": stream.books.intended,
        "started": stream.books.started,
        "completed": stream.books.completed,
        "failed": stream.books.failed,
        "dropped": stream.books.dropped,
        "aborted": stream.books.aborted,
        "legs": stream.legs.iter().map(leg).collect::<Vec<_>>(),
    })
}

fn exchange(exchange: &ExchangeResult) -> Value {
    json!({
        "id": exchange.id,
        "intended": number(exchange.intended),
        "started": exchange.started,
        "legs": exchange.legs.iter().map(leg).collect::<Vec<_>>(),
        "failures": exchange.failures.iter().map(failure).collect::<Vec<_>>(),
        "slowest": exchange.slowest.iter().map(slow_call).collect::<Vec<_>>(),
    })
}

fn failure(failure: &Failure) -> Value {
    json!({
        "leg": failure.leg,
        "class": failure.class,
        "count": failure.count,
        "example": failure.example,
        "trace": failure.trace,
    })
}

fn slow_call(call: &SlowCall) -> Value {
    json!({
        "leg": call.leg,
        "outcome": call.outcome,
        "at_s": number(call.at.as_secs_f64()),
        "time_ms": number(call.time.as_millis_f64()),
        "at_least": call.is_at_least,
        "trace": call.trace,
    })
}

fn leg(leg: &LegResult) -> Value {
    json!({
        "id": leg.id,
        "outcome": leg.outcome,
        "count": leg.count,
        "classes": leg.classes.iter().map(|(class, count)| (class.clone(), Value::from(*count))).collect::<Map<_, _>>(),
        "response_ms": leg.response.as_ref().map(|own| times(own, leg.is_cut_off())),
        "service_ms": leg.service.as_ref().map(|own| times(own, leg.is_cut_off())),
    })
}

/// `p99_9` for 0.999.
fn percentile_name(quantile: f64) -> String {
    format!("p{}", crate::charts::quantile_digits(quantile).replace('.', "_"))
}

/// `is_cut`: some of the calls ended with their time.
pub(crate) fn times(times: &Times, is_cut: bool) -> Value {
    let mut map = Map::new();
    map.insert("min".into(), number(times.min));
    map.insert("mean".into(), number(times.mean));
    map.insert("sd".into(), optional(times.sd));
    map.insert("max".into(), number(times.max));
    let mut intervals = Map::new();
    intervals.insert("mean".into(), pair(times.mean_interval));
    let bounds = if is_cut { &["mean", "max"][..] } else { &[] };
    let mut censored: Vec<Value> = bounds.iter().map(|name| Value::from(*name)).collect();
    for percentile in &times.percentiles {
        let name = percentile_name(percentile.quantile);
        if percentile.is_censored {
            censored.push(Value::from(name.clone()));
        }
        intervals.insert(name.clone(), pair(percentile.interval));
        map.insert(name, number(percentile.value));
    }
    map.insert("intervals".into(), Value::Object(intervals));
    map.insert("censored".into(), Value::Array(censored));
    Value::Object(map)
}

fn requirements(cx: &Context<'_>) -> Vec<Value> {
    // By where they lie: two members may be equal in all else.
    let deciding: HashSet<*const RequirementResult> = cx.deciding().into_iter().map(std::ptr::from_ref).collect();
    let decides = |result: &RequirementResult| deciding.contains(&std::ptr::from_ref(result));
    cx.input.judgement.requirements.iter().map(|result| requirement(cx, result, decides(result))).collect()
}

fn requirement(cx: &Context<'_>, result: &RequirementResult, decides: bool) -> Value {
    json!({
        "id": result.id,
        "scope": result.scope,
        "rule": result.rule,
        "severity": result.severity.name(),
        "verdict": result.verdict.name(),
        "decides": decides,
        "value": optional(result.value),
        "low": optional(result.low),
        "high": optional(result.high),
        "limit": optional(result.limit),
        "unit": result.unit,
        "is_census": result.is_census,
        "sample_count": result.sample_count,
        "design_effect": optional(result.design_effect),
        "holds_up_to": optional(result.holds_up_to),
        "reason": cx.reason(&result.reason),
        "reason_code": result.reason.code,
        "reason_args": args(&result.reason.args),
        "disturbed": result.disturbed.iter().map(disturbance).collect::<Vec<_>>(),
        "evidence": result.evidence,
    })
}

fn disturbance(disturbance: &judge::Disturbance) -> Value {
    json!({
        "check": disturbance.check,
        "scope": disturbance.scope,
        "state": terms::Validity::from(disturbance.state).name(),
        "moves": disturbance.moves.name(),
        "can_turn": disturbance.can_turn,
        "at_most": disturbance.at_most.as_ref().map(arg),
    })
}

fn finding(cx: &Context<'_>, finding: &judge::Finding) -> Value {
    let (observation, assessment) = cx.finding(finding);
    json!({
        "id": finding.id,
        "rule": finding.rule(),
        "severity": match finding.severity {
            judge::Gravity::Info => "info",
            judge::Gravity::Notice => "notice",
            judge::Gravity::Warning => "warning",
            judge::Gravity::Blocker => "blocker",
        },
        "scope": finding.scope,
        "args": args(&finding.args()),
        "spans": spans(&finding.spans),
        "observation": observation,
        "assessment": assessment,
        "evidence": finding.evidence,
    })
}
