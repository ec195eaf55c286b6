//! What was set for a run besides its study: faults that were switched on, variables of the command line and of scenarios.
//! Whoever reads the figures has to know, so it stands on the first screen.

use crate::document::{Block, NoteKind};
use crate::input::Context;
use crate::messages::say;
use crate::number::clean;
use contract::Shape;
use std::collections::BTreeMap;

/// Scenarios whose settings are told; of more, how many there are.
const SCENARIOS: usize = 4;

/// A note on faults, a sentence on variables; nothing where the study ran as it is written.
pub(super) fn settings(cx: &Context<'_>) -> Vec<Block> {
    let mut blocks = Vec::new();
    let faults = faults(cx);
    if !faults.is_empty() {
        let text = say!(cx.m, "overview-faults", list = &faults.join("; "));
        blocks.push(Block::Note { kind: NoteKind::Warning, text });
    }
    let mut said = Vec::new();
    let given = given(cx);
    if !given.is_empty() {
        said.push(say!(cx.m, "overview-set", list = &given.join(", ")));
    }
    let mut scenarios = of_scenarios(cx);
    if !scenarios.is_empty() {
        let left = scenarios.len().saturating_sub(SCENARIOS);
        scenarios.truncate(SCENARIOS);
        if left > 0 {
            scenarios.push(say!(cx.m, "overview-more-loads", left = left));
        }
        said.push(say!(cx.m, "overview-set-scenarios", list = &scenarios.join("; ")));
    }
    if !said.is_empty() {
        blocks.push(Block::Paragraph { text: said.join(" "), findings: Vec::new(), is_lead: false });
    }
    blocks
}

/// A fault of size zero is off.
fn is_on(value: &str) -> bool {
    let digits: String = value.chars().take_while(|c| c.is_ascii_digit() || *c == '.').collect();
    digits.parse::<f64>() != Ok(0.0)
}

/// `delay = 60ms`; a name alone where a switch has no value.
fn setting(name: &str, value: &str) -> String {
    let text = if value.is_empty() { name.to_owned() } else { format!("{name} = {value}") };
    clean(&text)
}

/// The value of a fault as its study writes it: what a program got as `every:37s,for:4s` is `{ every: 37s, for: 4s }`.
pub(super) fn fault(cx: &Context<'_>, instance: &str, name: &str, value: &str) -> String {
    as_map(cx, instance, name, value).unwrap_or_else(|| value.to_owned())
}

/// `None` where the study has no map for it, or what the program got is not that map.
fn as_map(cx: &Context<'_>, instance: &str, name: &str, value: &str) -> Option<String> {
    let is_replica = |number: &str| number.parse::<u32>().is_ok();
    let is_own = |known: &str| {
        let rest = instance.strip_prefix(known);
        rest.is_some_and(|rest| rest.is_empty() || rest.strip_prefix('.').is_some_and(is_replica))
    };
    let of = cx.input.study?.system.instances.iter().find(|known| is_own(&known.name))?;
    let (_, node) = of.faults.iter().find(|(known, _)| known == name)?;
    let Shape::Map(entries) = &node.shape else { return None };
    // The replica that it is for is the instance it stands at.
    let keys: Vec<&str> = entries.iter().filter_map(|(key, _)| key.text()).filter(|key| *key != "replica").collect();
    let mut rest = value;
    let mut parts = Vec::new();
    for (number, key) in keys.iter().enumerate() {
        rest = rest.strip_prefix(*key)?.strip_prefix(':')?;
        let (own, others) = match keys.get(number + 1) {
            Some(next) => rest.split_at(rest.find(&format!(",{next}:"))?),
            None => (rest, ""),
        };
        parts.push(format!("{key}: {own}"));
        rest = others.strip_prefix(',').unwrap_or_default();
    }
    Some(format!("{{ {} }}", parts.join(", ")))
}

/// Faults that were on, by instance: `records: delay = 60ms`.
fn faults(cx: &Context<'_>) -> Vec<String> {
    let of = |instance: &record::InstanceHead| {
        let own = instance.faults.iter().filter(|(_, value)| is_on(value));
        let own: Vec<String> =
            own.map(|(name, value)| setting(name, fault(cx, &instance.name, name, value).trim())).collect();
        (!own.is_empty()).then(|| format!("{}: {}", clean(&instance.name), own.join(", ")))
    };
    cx.input.head.instances.iter().filter_map(of).collect()
}

/// What the command line set, but for what a fault says already.
fn given(cx: &Context<'_>) -> Vec<String> {
    let head = cx.input.head;
    let is_fault = |set: &&(String, String)| head.instances.iter().any(|instance| instance.faults.contains(set));
    head.set.iter().filter(|set| !is_fault(set)).map(|(name, value)| setting(name, value)).collect()
}

/// What scenarios set of their own, scenarios with the same settings together: `peak: rate = 500/s`.
fn of_scenarios(cx: &Context<'_>) -> Vec<String> {
    let head = cx.input.head;
    let mut sets: Vec<(&BTreeMap<String, String>, Vec<&str>)> = Vec::new();
    for step in head.steps.iter().filter(|step| !step.variables.is_empty()) {
        let Some(scenario) = head.scenarios.get(usize::from(step.scenario)) else { continue };
        // What a search or a grid varies is told with it.
        if cx.short_names.is_one(&scenario.name) {
            continue;
        }
        match sets.iter_mut().find(|(known, _)| **known == step.variables) {
            Some((_, names)) if names.contains(&scenario.name.as_str()) => {}
            Some((_, names)) => names.push(&scenario.name),
            None => sets.push((&step.variables, vec![&scenario.name])),
        }
    }
    let told = |(set, names): (&BTreeMap<String, String>, Vec<&str>)| {
        let set: Vec<String> = set.iter().map(|(name, value)| setting(name, value)).collect();
        format!("{}: {}", clean(&names.join(", ")), set.join(", "))
    };
    sets.into_iter().map(told).collect()
}
