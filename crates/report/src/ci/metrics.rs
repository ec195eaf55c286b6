//! Figures as OpenMetrics text, which GitLab compares with those of the target branch.

use crate::input::Input;
use judge::assess::calls_needed;
use judge::{LegResult, StepResult};
use std::fmt::Write as _;
use terms::{Validity, Verdict};

/// Percentiles that are told, as far as the calls carry them.
const QUANTILES: [(f64, &str); 4] = [(0.5, "p50"), (0.95, "p95"), (0.99, "p99"), (0.999, "p99.9")];

/// A family with its samples: labels and value.
struct Family {
    name: &'static str,
    help: &'static str,
    samples: Vec<(Vec<(&'static str, String)>, f64)>,
}

/// `metrics.txt`: validity, verdicts, values of requirements, and for each judged step rates, failures and times. Base units
/// (seconds, ratios), one family after another, `# EOF` at the end.
pub fn metrics(input: &Input<'_>) -> String {
    let mut families = [
        Family { name: "loadproof_run_valid", help: "1 valid, 0.5 questionable, 0 invalid", samples: Vec::new() },
        Family { name: "loadproof_verdicts", help: "Verdicts on requirements", samples: Vec::new() },
        Family {
            name: "loadproof_requirement_value",
            help: "What was measured, in the unit of the requirement",
            samples: Vec::new(),
        },
        Family { name: "loadproof_throughput_per_second", help: "Calls that succeeded", samples: Vec::new() },
        Family { name: "loadproof_calls", help: "Calls that ended", samples: Vec::new() },
        Family { name: "loadproof_failed_ratio", help: "Part of the calls that failed", samples: Vec::new() },
        Family { name: "loadproof_time_seconds", help: "Times of calls that succeeded", samples: Vec::new() },
    ];
    let [valid, verdicts, values, rates, calls, failed, times] = &mut families;
    let judgement = input.judgement;
    let validity = match judgement.validity {
        Validity::Valid => 1.0,
        Validity::Questionable => 0.5,
        Validity::Invalid => 0.0,
    };
    valid.samples.push((Vec::new(), validity));
    let deciding = judge::deciding(&judgement.requirements, input.study);
    for verdict in [Verdict::Met, Verdict::NotMet, Verdict::CannotTell] {
        let count = deciding.iter().filter(|result| result.verdict == verdict).count();
        verdicts.samples.push((vec![("verdict", verdict.name().to_owned())], count as f64));
    }
    for result in &judgement.requirements {
        let labels = [("requirement", &result.id), ("scope", &result.scope.to_string()), ("unit", &result.unit)];
        let labels = labels.map(|(name, value)| (name, value.clone())).into();
        values.samples.extend(result.value.map(|value| (labels, value)));
    }
    for step in judgement.steps.iter().filter(|step| step.phase == "hold") {
        for exchange in &step.exchanges {
            for ok in exchange.legs.iter().filter(|leg| leg.outcome == "ok") {
                let labels = labels(step, &exchange.id, &ok.id);
                let of = |outcome: &str| exchange.legs.iter().find(|leg| leg.id == ok.id && leg.outcome == outcome);
                let ended = of("all").map_or(ok.count, |all| all.count);
                let rate = ok.ended_per_s.unwrap_or(ok.count as f64 / step.seconds.max(1e-9));
                rates.samples.push((labels.clone(), rate));
                calls.samples.push((labels.clone(), ended as f64));
                if ended > 0 {
                    let lost = of("failed").map_or(0, |leg| leg.count);
                    failed.samples.push((labels.clone(), lost as f64 / ended as f64));
                }
                times.samples.extend(statistics(ok).into_iter().map(|(name, seconds)| {
                    let mut labels = labels.clone();
                    labels.push(("statistic", name.to_owned()));
                    (labels, seconds)
                }));
            }
        }
    }
    let mut text = String::new();
    families.iter().for_each(|family| write(&mut text, family));
    text.push_str("# EOF\n");
    text
}

fn labels(step: &StepResult, exchange: &str, leg: &str) -> Vec<(&'static str, String)> {
    vec![("scope", step.scope.to_string()), ("exchange", exchange.to_owned()), ("leg", leg.to_owned())]
}

/// Mean, percentiles and maximum in seconds: response times where there are any, else service times.
fn statistics(ok: &LegResult) -> Vec<(&'static str, f64)> {
    let Some(times) = ok.response.as_ref().or(ok.service.as_ref()).filter(|_| ok.count > 0) else { return Vec::new() };
    let percentile = |(quantile, name): (f64, &'static str)| {
        let found = times.percentiles.iter().find(|found| (found.quantile - quantile).abs() < 1e-9)?;
        (ok.count >= calls_needed(quantile)).then_some((name, found.value))
    };
    let all = [("mean", times.mean)].into_iter().chain(QUANTILES.into_iter().filter_map(percentile));
    all.chain([("max", times.max)]).map(|(name, ms)| (name, ms / 1000.0)).collect()
}

fn write(text: &mut String, family: &Family) {
    if family.samples.is_empty() {
        return;
    }
    let _ = writeln!(text, "# TYPE {} gauge\n# HELP {} {}", family.name, family.name, family.help);
    for (labels, value) in family.samples.iter().filter(|(_, value)| value.is_finite()) {
        let labels: Vec<String> = labels.iter().map(|(name, value)| format!("{name}=\"{}\"", escape(value))).collect();
        let labels = if labels.is_empty() { String::new() } else { format!("{{{}}}", labels.join(",")) };
        let _ = writeln!(text, "{}{labels} {value}", family.name);
    }
}

/// Longest label.
const LABEL_CHARS: usize = 200;

/// A label's value, as OpenMetrics escapes it.
fn escape(value: &str) -> String {
    crate::number::bounded(value, LABEL_CHARS).replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_label_leaves_its_quotes() {
        let family = Family {
            name: "x",
            help: "y",
            samples: vec![(vec![("a", "q\"} 1\nz\\".into())], 2.5), (Vec::new(), f64::NAN)],
        };
        let mut text = String::new();
        write(&mut text, &family);
        assert_eq!(text, "# TYPE x gauge\n# HELP x y\nx{a=\"q\\\"} 1\\nz\\\\\"} 2.5\n");
    }
}
