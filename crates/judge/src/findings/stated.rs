//! What the author states, and where it stands.

use super::RuleInput;
use crate::{Arg, Finding};
use study::Text;

/// All digits of a number that was stated, not three of them.
pub(super) fn exact(value: f64) -> Arg {
    if value.fract() == 0.0 { Arg::Count(value) } else { Arg::Number(value) }
}

pub(super) fn stated(mut found: Finding) -> Finding {
    found.evidence = vec![format!("study:{}", found.scope)];
    found
}

/// The author's own texts, with where they stand.
fn texts(study: &study::Study) -> Vec<(String, &Text)> {
    let mut texts: Vec<(String, &Text)> = Vec::new();
    texts.extend(study.about.iter().map(|text| ("about".to_owned(), text)));
    texts.extend(study.report.comments.iter().map(|(place, text)| (format!("comments/{place}"), text)));
    texts.extend(study.report.expectations.iter().map(|text| ("expectations".to_owned(), text)));
    texts.extend(study.report.title_page.iter().map(|(place, text)| (place.clone(), text)));
    for variable in study.variables.iter().filter(|variable| variable.is_assumption) {
        texts.extend(variable.about.iter().map(|text| (variable.name.clone(), text)));
    }
    texts
}

/// Findings of every author's text in every language.
pub(super) fn in_texts<T>(
    seen: &RuleInput<'_>,
    look: fn(&str) -> Vec<T>,
    told: impl Fn(&str, T) -> Finding,
) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (place, text) in texts(seen.study) {
        for (_, words) in &text.0 {
            findings.extend(look(words).into_iter().map(|wrong| stated(told(&place, wrong))));
        }
    }
    findings
}
