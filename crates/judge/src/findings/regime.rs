//! Something else changed between two loads.

use super::across_loads::several;
use super::{RuleInput, finding};
use crate::findings::declare::declare;
use crate::levels::{Family, Level};
use crate::{Finding, Gravity, Scope};
use std::collections::{BTreeMap, BTreeSet};

declare! {
    /// Between two loads something else changed as well: an instance was lost or restarted, an instance ran with
    /// another value of a variable, or a class of failures with more than `CLASS_SHARE` of an exchange's calls at one
    /// load has no more than `CLASS_ABSENT` at another. No curve may be fitted to such loads.
    Regime = "REGIME" {
        kind: String,
        what: String,
    }
}

/// A class of failures with more than this share of an exchange's calls belongs to the regime.
const CLASS_SHARE: f64 = 0.01;
/// It is absent at a load where no exchange has more than this share of it; between the two nothing is stated.
const CLASS_ABSENT: f64 = 0.001;

/// REGIME: between two loads something else changed as well, so no curve may be laid through both.
pub(super) fn regime(seen: &RuleInput<'_>) -> Vec<Finding> {
    let mut findings = Vec::new();
    for family in several(seen) {
        let mut said: BTreeSet<(&str, String)> = BTreeSet::new();
        for (kind, what, scope) in
            lost(seen, family).into_iter().chain(configured(seen, family)).chain(classes(seen, family))
        {
            if said.insert((kind, what.clone())) {
                let args = Regime { kind: kind.into(), what };
                findings.push(finding(Gravity::Warning, &scope, args));
            }
        }
    }
    findings
}

type Change = (&'static str, String, Scope);

/// Instances lost or restarted after the first of the levels had begun and before the last had ended.
fn lost(seen: &RuleInput<'_>, family: &Family) -> Vec<Change> {
    let steps = &seen.index.evidence.steps;
    let spans: Vec<_> =
        steps.iter().filter(|span| family.levels.iter().any(|level| level.step == span.number)).collect();
    let (Some(from), Some(to)) = (spans.iter().map(|span| span.from).min(), spans.iter().map(|span| span.to).max())
    else {
        return Vec::new();
    };
    let events = seen.index.evidence.events.iter();
    let changes =
        events.filter(|event| matches!(event.kind.as_str(), "gone" | "restart") && from <= event.at && event.at < to);
    changes.map(|event| ("instance", event.subject.clone(), family.scope())).collect()
}

/// Variables that scenarios bind to different values and that an instance mentions: it was started anew with another one.
fn configured(seen: &RuleInput<'_>, family: &Family) -> Vec<Change> {
    let scenarios: Vec<_> = seen
        .study
        .scenarios
        .iter()
        .filter(|scenario| family.scenarios.iter().any(|place| crate::levels::scenario_of(place) == scenario.name))
        .collect();
    let mut changes = Vec::new();
    for variable in &seen.study.variables {
        let value = |scenario: &study::Scenario| {
            let set = scenario.set.iter().find(|(name, _)| *name == variable.name);
            set.map_or_else(|| variable.value.clone(), |(_, value)| value.clone())
        };
        let values: BTreeSet<String> = scenarios.iter().map(|scenario| value(scenario)).collect();
        if values.len() > 1 && is_of_instances(seen.study, &variable.name) {
            changes.push(("configuration", variable.name.clone(), family.scope()));
        }
    }
    changes
}

/// Whether an instance's command, faults or environment mention a variable.
fn is_of_instances(study: &study::Study, name: &str) -> bool {
    let word = format!("$({name})");
    study.system.instances.iter().any(|instance| {
        let pairs = instance.faults.iter().chain(&instance.env).map(|(_, node)| node);
        instance
            .start
            .iter()
            .chain(&instance.url)
            .chain(pairs)
            .any(|node| node.text().is_some_and(|text| text.contains(&word)))
    })
}

/// Classes of failures that some of the levels have and others have not.
fn classes(seen: &RuleInput<'_>, family: &Family) -> Vec<Change> {
    let mut of_level: Vec<(&Level, BTreeMap<&str, f64>)> = Vec::new();
    for level in &family.levels {
        let Some(step) = seen.steps.iter().find(|step| step.number == level.step) else { continue };
        // Of each class the greatest share that it has of one exchange's calls.
        let mut shares: BTreeMap<&str, f64> = BTreeMap::new();
        for exchange in &step.exchanges {
            let calls = exchange.started.max(1) as f64;
            for (class, count) in
                exchange.legs.iter().filter(|leg| leg.outcome == "failed").flat_map(|leg| &leg.classes)
            {
                let share = shares.entry(class).or_default();
                *share = share.max(*count as f64 / calls);
            }
        }
        of_level.push((level, shares));
    }
    let share = |shares: &BTreeMap<&str, f64>, class: &str| shares.get(class).copied().unwrap_or(0.0);
    let all: BTreeSet<&str> = of_level.iter().flat_map(|(_, shares)| shares.keys().copied()).collect();
    let change = |class: &str| {
        let first = of_level.iter().find(|(_, shares)| share(shares, class) > CLASS_SHARE)?;
        let is_elsewhere_absent = of_level.iter().any(|(_, shares)| share(shares, class) <= CLASS_ABSENT);
        is_elsewhere_absent.then(|| ("errors", class.to_owned(), first.0.scope.clone()))
    };
    all.into_iter().filter_map(change).collect()
}
