//! Validity before verdict: signs that the measurement was spoiled, each with its thresholds.

use crate::evidence::{Evidence, StepSpan};
use crate::steps::lateness_of;
use crate::{Arg, Args, Sign, StepResult, WireValidity};
use terms::{Nanos, Outcome, Validity};

/// Thresholds; the table in the guide is made from these.
pub mod limits {
    /// Lateness p99 in an open load, ms: questionable above the greater of this and a share of the median response.
    pub const LATENESS_QUESTIONABLE_MS: f64 = 1.0;
    /// As above, share of the median response.
    pub const LATENESS_QUESTIONABLE_SHARE: f64 = 0.01;
    /// Invalid, ms.
    pub const LATENESS_INVALID_MS: f64 = 10.0;
    /// Invalid, share of the median response.
    pub const LATENESS_INVALID_SHARE: f64 = 0.1;
    /// Intended starts that the generator lost, share.
    pub const LOST_QUESTIONABLE: f64 = 0.001;
    /// As above, invalid.
    pub const LOST_INVALID: f64 = 0.01;
    /// Run-queue delay of the generator's threads, share of time.
    pub const RUN_QUEUE_QUESTIONABLE: f64 = 0.05;
    /// As above, invalid.
    pub const RUN_QUEUE_INVALID: f64 = 0.2;
    /// Steal, share of time.
    pub const STEAL_QUESTIONABLE: f64 = 0.02;
    /// As above, invalid.
    pub const STEAL_INVALID: f64 = 0.1;
    /// Processor share of the generator's threads at which a closed load's throughput is a lower bound.
    pub const CORES_FULL: f64 = 0.95;
}

/// Signs of one kind for each judged step, and for the run.
pub fn signs(evidence: &Evidence, steps: &[StepResult]) -> Vec<Sign> {
    let mut signs = Vec::new();
    for (span, result) in evidence.steps.iter().zip(steps) {
        if span.phase.has_load() && result.books.intended > 0 {
            let scope = format!("{}/{}", result.scenario, result.id);
            signs.extend(step_signs(evidence, span, result, &scope));
        }
    }
    signs.extend(run_signs(evidence));
    signs.sort_by_key(|sign| std::cmp::Reverse(sign.state));
    signs
}

/// The worst state of the signs that concern these steps, those of the whole run included.
pub fn validity_of(evidence: &Evidence, signs: &[Sign], steps: &[u32]) -> Validity {
    let scopes: Vec<String> = evidence
        .steps
        .iter()
        .filter(|step| steps.contains(&step.number))
        .map(|step| {
            format!("{}/{}", evidence.head.scenarios.get(step.scenario).map_or("", |s| s.name.as_str()), step.id)
        })
        .collect();
    let concerns = |sign: &&Sign| sign.scope == "run" || scopes.contains(&sign.scope);
    signs.iter().filter(concerns).map(|sign| Validity::from(sign.state)).max().unwrap_or(Validity::Valid)
}

fn state(value: f64, questionable: f64, invalid: f64) -> WireValidity {
    if value > invalid {
        WireValidity::Invalid
    } else if value > questionable {
        WireValidity::Questionable
    } else {
        WireValidity::Valid
    }
}

fn measured(code: &str, scope: &str, value: f64, questionable: f64, invalid: f64, unit: fn(f64) -> Arg) -> Sign {
    Sign {
        code: code.into(),
        scope: scope.into(),
        state: state(value, questionable, invalid),
        value: Some(unit(value)),
        questionable: Some(unit(questionable)),
        invalid: Some(unit(invalid)),
        args: Args::new(),
    }
}

fn plain(code: &str, scope: &str, state: WireValidity, args: Args) -> Sign {
    Sign { code: code.into(), scope: scope.into(), state, value: None, questionable: None, invalid: None, args }
}

fn step_signs(evidence: &Evidence, span: &StepSpan, result: &StepResult, scope: &str) -> Vec<Sign> {
    let mut signs = Vec::new();
    let is_open = evidence.head.scenarios.get(span.scenario).is_some_and(|scenario| scenario.model != "closed");
    if is_open {
        let lateness = lateness_of(evidence, span.number).quantile(0.99).map_or(0.0, Nanos::as_millis_f64);
        let median = median_response(result);
        let questionable = limits::LATENESS_QUESTIONABLE_MS.max(limits::LATENESS_QUESTIONABLE_SHARE * median);
        let invalid = limits::LATENESS_INVALID_MS.max(limits::LATENESS_INVALID_SHARE * median);
        signs.push(measured("lateness", scope, lateness, questionable, invalid, Arg::Milliseconds));
    }
    let intended = result.books.intended as f64;
    let lost = lost_by_generator(evidence, span.number) as f64 / intended;
    signs.push(measured("lost_starts", scope, lost, limits::LOST_QUESTIONABLE, limits::LOST_INVALID, Arg::Share));
    if let Some(delay) = run_queue_share(evidence, span.number) {
        let (questionable, invalid) = (limits::RUN_QUEUE_QUESTIONABLE, limits::RUN_QUEUE_INVALID);
        signs.push(measured("run_queue", scope, delay, questionable, invalid, Arg::Share));
    }
    if let Some(steal) =
        mean_sample(evidence, span, "generator", "steal").or_else(|| mean_sample(evidence, span, "host", "steal"))
    {
        signs.push(measured("steal", scope, steal, limits::STEAL_QUESTIONABLE, limits::STEAL_INVALID, Arg::Share));
    }
    let exhausted = count_outcome(evidence, span.number, Outcome::NoResource);
    if exhausted > 0 {
        let mut args = Args::new();
        args.insert("count".into(), Arg::Count(exhausted as f64));
        signs.push(plain("resources", scope, WireValidity::Invalid, args));
    }
    if let (false, Some(share)) = (is_open, result.cpu_share) {
        let state = if share >= limits::CORES_FULL { WireValidity::Questionable } else { WireValidity::Valid };
        let mut sign = plain("cores_full", scope, state, Args::new());
        (sign.value, sign.questionable) = (Some(Arg::Share(share)), Some(Arg::Share(limits::CORES_FULL)));
        signs.push(sign);
    }
    for event in &evidence.events {
        let code = match event.kind.as_str() {
            "gone" | "restart" => "instance_lost",
            "identity" => "identity",
            "clock_step" => "clock_step",
            _ => continue,
        };
        if span.from <= event.at && event.at < span.to {
            let mut args = Args::new();
            args.insert("instance".into(), Arg::Text(event.subject.clone()));
            signs.push(plain(code, scope, WireValidity::Questionable, args));
        }
    }
    let books = result.books;
    if !books.balances() {
        signs.push(plain("books", scope, WireValidity::Invalid, Args::new()));
    }
    signs
}

/// What the whole run says.
fn run_signs(evidence: &Evidence) -> Vec<Sign> {
    let mut signs = Vec::new();
    if !evidence.altered.is_empty() {
        let mut args = Args::new();
        args.insert("files".into(), Arg::Text(evidence.altered.join(", ")));
        signs.push(plain("altered_evidence", "run", WireValidity::Invalid, args));
    }
    if evidence.torn_bytes > 0 {
        let mut args = Args::new();
        args.insert("bytes".into(), Arg::Bytes(evidence.torn_bytes as f64));
        signs.push(plain("torn_evidence", "run", WireValidity::Valid, args));
    }
    let lost = evidence.events.iter().filter(|event| event.kind == "lost").count();
    if lost > 0 {
        signs.push(plain("evidence_lost", "run", WireValidity::Invalid, Args::new()));
    }
    for instance in evidence.head.instances.iter().filter(|instance| !instance.is_identified) {
        let mut args = Args::new();
        args.insert("instance".into(), Arg::Text(instance.name.clone()));
        signs.push(plain("identity", "run", WireValidity::Invalid, args));
    }
    signs
}

/// Median response of all that ended well, all exchanges' first legs together: the slowest decides nothing here.
fn median_response(result: &StepResult) -> f64 {
    let medians = result.exchanges.iter().filter_map(|exchange| {
        let ok = exchange.legs.iter().find(|leg| leg.outcome == "ok")?;
        ok.response.as_ref()?.percentiles.first().map(|median| median.value)
    });
    // Without any answer there is no median, and only the absolute thresholds stand.
    medians.reduce(f64::min).unwrap_or(0.0)
}

fn lost_by_generator(evidence: &Evidence, step: u32) -> u64 {
    count_outcome(evidence, step, Outcome::NoResource) + count_outcome(evidence, step, Outcome::Dropped)
}

fn count_outcome(evidence: &Evidence, step: u32, outcome: Outcome) -> u64 {
    let rows = evidence.rows.outcomes.iter().filter(|row| row.step == step && row.outcome == outcome);
    rows.map(|row| row.count).sum()
}

/// Run-queue delay of the generator's threads as share of wall time.
fn run_queue_share(evidence: &Evidence, step: u32) -> Option<f64> {
    let rows: Vec<_> = evidence.engine.iter().filter(|row| row.step == step).collect();
    (!rows.is_empty()).then(|| rows.iter().map(|row| row.run_queue_s).sum::<f64>() / rows.len() as f64)
}

fn mean_sample(evidence: &Evidence, span: &StepSpan, monitor: &str, metric: &str) -> Option<f64> {
    let number = evidence.head.monitors.iter().position(|known| known.name == monitor || known.kind == monitor)?;
    let place = evidence.head.monitors[number].metrics.iter().position(|known| known.name == metric)?;
    let is_ours = |row: &&record::SampleRow| {
        (usize::from(row.monitor), usize::from(row.metric)) == (number, place)
            && span.from <= row.at
            && row.at < span.to
    };
    let values: Vec<f64> = evidence.samples.iter().filter(is_ours).filter_map(|row| row.value).collect();
    (!values.is_empty()).then(|| values.iter().sum::<f64>() / values.len() as f64)
}
