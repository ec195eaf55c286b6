//! The verdicts as JUnit XML, for build servers.
//!
//! A suite is a scenario, a case a requirement in its scope. Whether the measurement was sound is a case of its own, so
//! that a run without requirements cannot pass by silence. Sentences are English, like those of `result.json`.

use crate::input::{Context, Input};
use crate::verdict_words::{limit_cell, measured_cell};
use judge::RequirementResult;
use std::collections::{HashMap, HashSet};
use std::fmt::Write as _;
use terms::{Severity, Validity, Verdict};

/// What a case came to.
enum Outcome {
    Passed,
    Failed(String),
    Skipped(String),
    Error(String),
}

/// One case of a suite.
struct Case {
    name: String,
    outcome: Outcome,
    properties: Vec<(&'static str, String)>,
}

/// Cases under one name.
struct Suite {
    name: String,
    seconds: f64,
    cases: Vec<Case>,
}

/// Writes `junit.xml`. A *not met* of a `must` is a failure; one of any other weight, and a *cannot tell*, are skipped
/// with a message. With `is_strict` all of these are failures. A requirement of an invalid part is an error. Where one
/// place is enough, those that came to less than the best are skipped, strict or not.
pub(crate) fn xml(input: &Input<'_>, is_strict: bool) -> String {
    let cx = Context::new(input, "en");
    let mut suites = vec![measurement(&cx, is_strict)];
    suites.extend(scenarios(&cx, is_strict));
    let cases = || suites.iter().flat_map(|suite| &suite.cases);
    let seconds: f64 = suites.iter().map(|suite| suite.seconds).sum();
    let mut text = String::from("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
    let _ =
        writeln!(text, "<testsuites name=\"{}\" {} time=\"{seconds:.3}\">", escape(&input.head.study), counts(cases()));
    suites.iter().for_each(|suite| write_suite(&mut text, suite, input));
    text.push_str("</testsuites>\n");
    text
}

/// The suite that says whether the measurement may be judged.
fn measurement(cx: &Context<'_>, is_strict: bool) -> Suite {
    let judgement = cx.input.judgement;
    let reasons: Vec<String> = cx.bad_signs().map(|sign| cx.sign_sentence(sign)).collect();
    let reasons = if reasons.is_empty() { judgement.validity.name().to_owned() } else { reasons.join(" ") };
    let outcome = match judgement.validity {
        Validity::Valid => Outcome::Passed,
        Validity::Questionable if is_strict => Outcome::Failed(reasons),
        Validity::Questionable => Outcome::Skipped(reasons),
        Validity::Invalid => Outcome::Error(reasons),
    };
    let properties = vec![
        ("validity", judgement.validity.name().to_owned()),
        ("end_reason", judgement.end_reason.name().to_owned()),
        ("was_killed", (cx.input.state.was_killed || cx.input.head.ending.is_none()).to_string()),
    ];
    Suite {
        name: "measurement".into(),
        seconds: 0.0,
        cases: vec![Case { name: "validity".into(), outcome, properties }],
    }
}

/// A suite for each scenario that has a requirement, in the order in which verdicts were given.
fn scenarios(cx: &Context<'_>, is_strict: bool) -> Vec<Suite> {
    let mut suites: Vec<Suite> = Vec::new();
    let deciding = cx.deciding();
    let own: HashSet<*const RequirementResult> = deciding.iter().copied().map(std::ptr::from_ref).collect();
    // Where a verdict does not decide, one alone does for its requirement in that scenario.
    let best: HashMap<_, &RequirementResult> = deciding.iter().map(|result| (member(result), *result)).collect();
    for result in &cx.input.judgement.requirements {
        let scenario = result.scope.scenario().unwrap_or_default();
        // The verdict that stands for this one: its own, or that of the member which is enough.
        let decides = own.contains(&std::ptr::from_ref(result));
        let other = if decides { None } else { best.get(&member(result)) };
        let instead = other.filter(|best| best.verdict < result.verdict);
        let case = case(cx, result, instead.copied(), is_strict);
        match suites.iter_mut().find(|suite| suite.name == scenario) {
            Some(suite) => suite.cases.push(case),
            None => {
                let steps = cx.input.judgement.steps.iter().filter(|step| step.scenario == scenario);
                let seconds = steps.map(|step| step.seconds).sum();
                suites.push(Suite { name: scenario.to_owned(), seconds, cases: vec![case] });
            }
        }
    }
    suites
}

/// What the members of a requirement share of which one is enough.
fn member(result: &RequirementResult) -> (&str, Severity, Option<&str>) {
    (&result.id, result.severity, result.scope.scenario())
}

/// The case of a verdict; `instead` is the one of another place that is enough.
fn case(cx: &Context<'_>, result: &RequirementResult, instead: Option<&RequirementResult>, is_strict: bool) -> Case {
    let reason = cx.why(result);
    let is_void = result.reason.code == "run_invalid";
    let outcome = match result.verdict {
        Verdict::Met => Outcome::Passed,
        Verdict::CannotTell if is_void => Outcome::Error(reason),
        verdict if let Some(best) = instead => {
            let (own, best, place) = (verdict.name(), best.verdict.name(), &best.scope);
            let said = format!("{own}, and one place is enough: {best}").replace('_', " ");
            Outcome::Skipped(format!("{said} in {place}. {}", message(cx, result, &reason)))
        }
        Verdict::NotMet if is_strict || result.severity == Severity::Must => {
            Outcome::Failed(message(cx, result, &reason))
        }
        Verdict::NotMet => Outcome::Skipped(format!("not met, and no must: {}", message(cx, result, &reason))),
        Verdict::CannotTell if is_strict => Outcome::Failed(format!("cannot tell: {reason}")),
        Verdict::CannotTell => Outcome::Skipped(format!("cannot tell: {reason}")),
    };
    let mut properties = vec![
        ("verdict", result.verdict.name().to_owned()),
        ("severity", result.severity.name().to_owned()),
        ("scope", result.scope.to_string()),
        ("rule", result.rule.clone()),
        ("reason_code", result.reason.code.clone()),
        ("sample_count", result.sample_count.to_string()),
        ("is_census", result.is_census.to_string()),
    ];
    let numbers = [
        ("value", result.value),
        ("low", result.low),
        ("high", result.high),
        ("limit", result.limit),
        ("design_effect", result.design_effect),
        ("holds_up_to", result.holds_up_to),
    ];
    let numbers = numbers.into_iter().filter_map(|(name, value)| Some((name, value.filter(|v| v.is_finite())?)));
    properties.extend(numbers.map(|(name, value)| (name, value.to_string())));
    properties.push(("unit", result.unit.clone()));
    Case { name: format!("{} in {}", result.id, result.scope), outcome, properties }
}

/// Measured value, limit and reason in one line.
fn message(cx: &Context<'_>, result: &RequirementResult, reason: &str) -> String {
    let measured = measured_cell(cx, result);
    let limit = limit_cell(cx, result);
    let interval = if measured.detail.is_empty() { String::new() } else { format!(" ({})", measured.detail) };
    format!("measured {}{interval}, limit {}. {reason}", measured.text, limit.text)
}

fn counts<'a>(cases: impl Iterator<Item = &'a Case>) -> String {
    let [mut tests, mut failures, mut errors, mut skipped] = [0usize; 4];
    for case in cases {
        tests += 1;
        match case.outcome {
            Outcome::Passed => {}
            Outcome::Failed(_) => failures += 1,
            Outcome::Skipped(_) => skipped += 1,
            Outcome::Error(_) => errors += 1,
        }
    }
    format!("tests=\"{tests}\" failures=\"{failures}\" errors=\"{errors}\" skipped=\"{skipped}\"")
}

fn write_suite(text: &mut String, suite: &Suite, input: &Input<'_>) {
    let (name, head) = (escape(&suite.name), input.head);
    // The schema of JUnit wants a time without its zone.
    let started = head.started.trim_end_matches('Z');
    let _ = writeln!(
        text,
        "  <testsuite name=\"{name}\" {} timestamp=\"{}\" time=\"{:.3}\">\n    <properties>",
        counts(suite.cases.iter()),
        escape(started),
        suite.seconds
    );
    let study = [
        ("run", head.id.as_str()),
        ("system", &head.system),
        ("study_sha256", &head.study_sha256),
        ("loadproof", &head.version),
    ];
    for (property, value) in study {
        let _ = writeln!(text, "      <property name=\"{property}\" value=\"{}\"/>", escape(value));
    }
    text.push_str("    </properties>\n");
    for case in &suite.cases {
        let _ = writeln!(
            text,
            "    <testcase classname=\"{name}\" name=\"{}\" time=\"0\">\n      <properties>",
            escape(&case.name)
        );
        for (property, value) in &case.properties {
            let _ = writeln!(text, "        <property name=\"{property}\" value=\"{}\"/>", escape(value));
        }
        text.push_str("      </properties>\n");
        let _ = match &case.outcome {
            Outcome::Passed => Ok(()),
            Outcome::Failed(why) => writeln!(text, "      <failure type=\"not_met\" message=\"{}\"/>", escape(why)),
            Outcome::Skipped(why) => writeln!(text, "      <skipped message=\"{}\"/>", escape(why)),
            Outcome::Error(why) => writeln!(text, "      <error type=\"invalid\" message=\"{}\"/>", escape(why)),
        };
        text.push_str("    </testcase>\n");
    }
    text.push_str("  </testsuite>\n");
}

/// Longest value; a rule of a study is never longer.
const VALUE_CHARS: usize = 4000;

/// A text as an attribute. XML 1.0 knows no controls at all, not even escaped, so they show as `�`.
fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len() + 8);
    for c in crate::number::bounded(text, VALUE_CHARS).chars() {
        match c {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\'' => escaped.push_str("&apos;"),
            '\n' | '\t' => escaped.push(' '),
            other => escaped.push(other),
        }
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_text_leaves_its_attribute() {
        assert_eq!(
            escape("<script>\"a\" & 'b'\n\u{0}\u{1b}\u{202e}"),
            "&lt;script&gt;&quot;a&quot; &amp; &apos;b&apos; \u{fffd}\u{fffd}\u{fffd}"
        );
        assert!(escape(&"x".repeat(100_000)).chars().count() <= VALUE_CHARS + 1);
    }
}
