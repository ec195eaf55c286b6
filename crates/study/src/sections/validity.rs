//! `validity`: limits of the checks of validity, where a study has a reason for others than the usual ones.

use crate::model::CheckLimits;
use crate::syntax::keys::{Form, Key, Reader, key, required};
use contract::{Mistake, Mistakes, Node};
use terms::{Quantity, Unit};

/// Checks whose limits a study can set.
pub(crate) static VALIDITY: [Key; 7] = [
    key("lateness", Form::Table(&BOTH), "p99 of the generator's lateness in open loads, such as 5ms"),
    key("lost_starts", Form::Table(&BOTH), "intended starts that the generator lost, a share"),
    key("run_queue", Form::Table(&BOTH), "share of the time that a load thread was ready to run but had to wait"),
    key("steal", Form::Table(&BOTH), "processor time taken by the hypervisor, a share"),
    key("foreign", Form::Table(&BOTH), "processor time used by programs outside the study, a share of the machine"),
    key("cores_full", Form::Table(&QUESTIONABLE), "processor time of the busiest load thread in closed loads, a share"),
    key("little", Form::Table(&INVALID), "how far counts, times and concurrency may disagree, a share"),
];

static BOTH: [Key; 3] = [
    key("questionable", Form::Scalar, "questionable above this"),
    key("invalid", Form::Scalar, "invalid above this"),
    required("because", Form::Text, "why the usual limit does not fit; the report prints it"),
];

static QUESTIONABLE: [Key; 2] = [
    required("questionable", Form::Scalar, "questionable from this on"),
    required("because", Form::Text, "why the usual limit does not fit; the report prints it"),
];

static INVALID: [Key; 2] = [
    required("invalid", Form::Scalar, "invalid above this"),
    required("because", Form::Text, "why the usual limit does not fit; the report prints it"),
];

/// Reads `validity`, in the order of the checks.
pub(crate) fn read(node: &Node, mistakes: &mut Mistakes) -> Vec<CheckLimits> {
    let mut keys = Reader::of(node, &VALIDITY, "`validity`", mistakes);
    let mut found = Vec::new();
    for check in &VALIDITY {
        let (Some(node), Form::Table(table)) = (keys.take(check.name), &check.form) else { continue };
        found.extend(read_one(check.name, table, node, mistakes));
    }
    keys.finish(mistakes);
    found
}

fn read_one(check: &str, table: &'static [Key], node: &Node, mistakes: &mut Mistakes) -> Option<CheckLimits> {
    let mut keys = Reader::of(node, table, format!("the check `{check}`"), mistakes);
    let mut found = CheckLimits {
        check: check.to_owned(),
        place: node.place,
        questionable: None,
        invalid: None,
        because: String::new(),
    };
    let names: Vec<&str> = table.iter().map(|key| key.name).filter(|name| *name != "because").collect();
    let mut is_wrong = false;
    for name in &names {
        let Some(node) = keys.take(name) else { continue };
        let limit = limit(&found, name, node, mistakes);
        is_wrong |= limit.is_none();
        *(if *name == "invalid" { &mut found.invalid } else { &mut found.questionable }) = limit;
    }
    let because = keys.need("because", mistakes).and_then(|node| mistakes.keep(node.as_text("`because`")));
    keys.finish(mistakes);
    found.because = because?.trim().to_owned();
    let (what, label) = if is_wrong {
        return None;
    } else if found.questionable.is_none() && found.invalid.is_none() {
        let names: Vec<String> = names.iter().map(|name| format!("`{name}`")).collect();
        (format!("the check `{check}` is given no limit"), format!("write {}", names.join(" or ")))
    } else if found.questionable.zip(found.invalid).is_some_and(|(questionable, invalid)| questionable > invalid) {
        let what = format!("`{check}` makes a run invalid before it makes it questionable");
        (what, "let `questionable` be at most `invalid`".to_owned())
    } else if found.because.is_empty() {
        let label = "say in `because` why the usual limit does not fit; the report prints it";
        (format!("the limits of `{check}` have no reason"), label.to_owned())
    } else {
        return Some(found);
    };
    mistakes.push(Mistake::at(node.place, "study::conflict", what).label(label));
    None
}

fn limit(of: &CheckLimits, name: &str, node: &Node, mistakes: &mut Mistakes) -> Option<f64> {
    let text = mistakes.keep(node.as_text(&format!("`{name}`")))?;
    let (what, example) = if of.is_time() {
        ("a time above 0 and at most an hour", "`5ms`")
    } else {
        ("a share above 0% and at most 100%", "`10%`")
    };
    match Quantity::parse(text) {
        Ok(Quantity { value, unit: Unit::Time }) if of.is_time() && value > 0.0 && value <= 3600.0 => Some(value),
        Ok(Quantity { value, unit: Unit::Share }) if !of.is_time() && value > 0.0 && value <= 1.0 => Some(value),
        _ => {
            let found = format!("`{name}` of the check `{}` is `{text}`, not {what}", of.check);
            mistakes.push(Mistake::at(node.place, "study::out-of-range", found).label(format!("write {example}, say")));
            None
        }
    }
}
