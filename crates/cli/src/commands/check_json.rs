//! What `check --json` prints: always one object.

use crate::exit::Failed;
use crate::flow_words::Flow;
use crate::{outlet, output};
use contract::Mistakes;
use plan::{PartPlan, ScenarioPlan, Step};
use run::Prepared;
use serde_json::{Value, json};
use study::Rejected;

/// What is known so far; printed at the end.
#[derive(Default)]
pub(super) struct Printed {
    study: Value,
    warnings: Vec<Value>,
    plan: Value,
    /// What `--once` sent.
    exchanges: Option<Vec<Value>>,
}

impl Printed {
    /// The study with its warnings and its plan.
    pub(super) fn prepared(&mut self, prepared: &Prepared) {
        let study = &prepared.study;
        let warnings = Rejected { files: study.files.clone(), mistakes: Mistakes(study.warnings.clone()) };
        self.study = study.title.in_language("en").into();
        self.warnings = mistakes(&warnings);
        self.plan = plan_of(prepared);
    }

    /// A warning that has no place in the study.
    pub(super) fn warning(&mut self, text: &str) {
        self.warnings.push(sentence(text));
    }

    /// An exchange that was sent, with the lines that were shown of it.
    pub(super) fn exchange(&mut self, name: &str, shown: &drive::Shown, lines: &[String]) {
        self.exchanges.get_or_insert_default().push(json!({
            "name": name, "outcome": shown.outcome.to_string(), "took_ns": shown.took.0, "told": lines,
        }));
    }

    /// Prints it on standard output, with what is wrong, if anything is.
    pub(super) fn print(self, failed: Option<&Failed>) -> Result<(), Failed> {
        let wrong = failed.map_or_else(Vec::new, |failed| match failed.error.downcast_ref::<Rejected>() {
            Some(rejected) => mistakes(rejected),
            None => vec![sentence(&format!("{:#}", failed.error))],
        });
        let mut told = json!({
            "schema": "loadproof/check/1", "study": self.study, "mistakes": wrong, "warnings": self.warnings,
            "plan": self.plan,
        });
        if let (Some(exchanges), Value::Object(told)) = (self.exchanges, &mut told) {
            told.insert("exchanges".into(), exchanges.into());
        }
        output::data(&serde_json::to_string_pretty(&clean(told)).map_err(anyhow::Error::from)?);
        Ok(())
    }
}

/// Mistakes or warnings with their places.
fn mistakes(rejected: &Rejected) -> Vec<Value> {
    match rejected.to_json()["mistakes"].take() {
        Value::Array(all) => all,
        _ => Vec::new(),
    }
}

/// The same of what has neither code nor place.
fn sentence(text: &str) -> Value {
    json!({
        "code": null, "message": text, "file": null, "line": null, "column": null, "length": null, "label": null,
        "hint": null,
    })
}

fn plan_of(prepared: &Prepared) -> Value {
    let Prepared { study, plan, .. } = prepared;
    let iteration = |part: &PartPlan| {
        let mut told = Flow::of(prepared, part).json();
        told["part"] = if part.name.is_empty() { Value::Null } else { part.name.as_str().into() };
        told
    };
    let scenario = |scenario: &ScenarioPlan| {
        let is_ours = |step: &&Step| (step.scenario, step.repetition) == (scenario.number, scenario.repetition);
        let steps: Vec<Value> = plan.steps.iter().filter(is_ours).map(|step| step_of(scenario, step)).collect();
        let iterations: Vec<Value> = scenario.parts.iter().map(iteration).collect();
        json!({
            "name": scenario.name, "repetition": scenario.repetition, "steps": steps, "iterations": iterations,
        })
    };
    let scenarios: Vec<Value> = plan.scenarios.iter().map(scenario).collect();
    json!({ "scenarios": scenarios, "requirements": study.requirements.len() })
}

fn step_of(scenario: &ScenarioPlan, step: &Step) -> Value {
    let part = step.part.and_then(|part| scenario.parts.get(usize::from(part))).map(|part| &part.name);
    json!({
        "id": step.id,
        "part": part.filter(|name| !name.is_empty()),
        "length_ns": step.length.map(|length| length.0),
        "offered_from_per_s": step.offered.map(|(from, _)| from),
        "offered_to_per_s": step.offered.map(|(_, to)| to),
        "users": step.users,
        "iterations": step.iterations,
    })
}

/// What nothing shows that is written is cut from every text; what is printed as data goes through no other hand.
fn clean(value: Value) -> Value {
    match value {
        Value::String(text) => outlet::clean(&text).into_owned().into(),
        Value::Array(all) => all.into_iter().map(clean).collect(),
        Value::Object(entries) => entries.into_iter().map(|(key, value)| (key, clean(value))).collect(),
        other => other,
    }
}
