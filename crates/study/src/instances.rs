//! Instances as the variables of a scenario make them: one that mentions a variable is another one when that is bound anew.

use crate::model::{Instance, Scenario, Study, Written};
use crate::names::variables::Scope;
use crate::sections::system::{self, REPLICAS_MAX};
use crate::syntax::text;
use contract::{Mistake, Mistakes, Node, Place};
use std::collections::{BTreeMap, BTreeSet};

/// An instance as a scenario needs it.
#[derive(Clone, Debug)]
pub struct BoundInstance {
    /// With its number of replicas.
    pub instance: Instance,
    /// The variables that it mentions, each with its value; names of start time stay in them.
    values: BTreeMap<String, String>,
}

impl BoundInstance {
    fn is_same(&self, other: &Self) -> bool {
        self.instance.replicas == other.instance.replicas && self.values == other.values
    }

    /// The variables that it mentions with their values, for whoever tells of it: `n 3, delay 5ms`.
    pub fn shown(&self) -> String {
        let pairs: Vec<String> = self.values.iter().map(|(name, value)| format!("{name} {value}")).collect();
        pairs.join(", ")
    }

    /// Whether it cannot be without another: it waits for that one, or is told where it answers.
    fn leans_on(&self, other: &str) -> bool {
        let place = self.instance.place;
        let mut all: Vec<(&str, Place)> = Vec::new();
        // A variable may stand for where another one answers.
        self.values.values().for_each(|value| text::expressions_of(value, place, &mut all, 0));
        let all = all.into_iter().map(|(expression, _)| expression).chain(expressions(&self.instance));
        let is_mentioned = all.flat_map(text::names_in).any(|name| name.split('.').next() == Some(other));
        is_mentioned || self.instance.needs.iter().any(|needed| needed == other)
    }
}

/// What is written within `$(…)` in the texts of an instance.
fn expressions(instance: &Instance) -> Vec<&str> {
    let Instance { start, url, proxy, faults, env, written, .. } = instance;
    let Written { replicas, ready_within, stop, tls, identity } = written;
    let nodes = [start, url, proxy, replicas, ready_within, stop, tls, identity].into_iter().flatten();
    let mut found = Vec::new();
    nodes.chain(faults.iter().chain(env).map(|(_, node)| node)).for_each(|node| text::expressions(node, &mut found));
    found.into_iter().map(|(expression, _)| expression).collect()
}

impl Study {
    /// The instances as a scenario needs them, in the order written.
    pub fn instances_of(&self, scenario: &Scenario) -> Vec<BoundInstance> {
        let scope = Scope::new(&self.variables, &scenario.set, &mut Mistakes::default());
        let of = |instance: &Instance| {
            let names = expressions(instance).into_iter().flat_map(text::names_in);
            let values = names.filter_map(|name| Some((name.to_owned(), scope.get(name)?.to_owned()))).collect();
            // What cannot be read is a mistake of the study, told by `check`.
            let bound = system::rebound(instance, &scope, &mut Mistakes::default());
            let written = instance.written.replicas.as_ref();
            let replicas = written.and_then(|node| replicas(node, &scope).ok()).unwrap_or(instance.replicas);
            BoundInstance { instance: Instance { replicas, ..bound }, values }
        };
        self.system.instances.iter().map(of).collect()
    }

    /// Whether a scenario has fewer replicas of an instance than the one of this name would take: `lookup.4` where it has
    /// three.
    pub fn lacks_replica(&self, scenario: &Scenario, name: &str) -> bool {
        let Some((instance, number)) = name.rsplit_once('.') else { return false };
        let Ok(number) = number.parse::<u32>() else { return false };
        let all = self.instances_of(scenario);
        let own = all.iter().map(|bound| &bound.instance).find(|known| known.name == instance);
        own.is_some_and(|own| own.written.replicas.is_some() && number > own.replicas)
    }
}

/// Names of the instances that must be started anew to get from one scenario's to another's: those that are others, and
/// those that cannot be without one of them.
pub fn renewed(from: &[BoundInstance], to: &[BoundInstance]) -> BTreeSet<String> {
    let is_other = |(before, after): &(&BoundInstance, &BoundInstance)| !before.is_same(after);
    let others = from.iter().zip(to).filter(is_other).map(|(_, after)| after.instance.name.clone());
    let mut names: BTreeSet<String> = others.collect();
    loop {
        let leans =
            |one: &&BoundInstance| !names.contains(&one.instance.name) && names.iter().any(|name| one.leans_on(name));
        let more: Vec<String> = to.iter().filter(leans).map(|one| one.instance.name.clone()).collect();
        if more.is_empty() {
            return names;
        }
        names.extend(more);
    }
}

fn replicas(node: &Node, scope: &Scope) -> Result<u32, Mistake> {
    let filled = Node::text_at(node.place, &scope.fill(node.as_text("`replicas`")?, node.place)?);
    filled.as_count("`replicas`", 1, REPLICAS_MAX).map(|count| count as u32)
}

/// What a scenario's variables make of an instance can be started.
pub(crate) fn check(study: &Study, mistakes: &mut Mistakes) {
    let mut told = BTreeSet::new();
    for scenario in study.scenarios.iter().filter(|scenario| !scenario.set.is_empty()) {
        let scope = Scope::new(&study.variables, &scenario.set, &mut Mistakes::default());
        for instance in &study.system.instances {
            let mut own = Mistakes::default();
            if let Some(Err(mistake)) = instance.written.replicas.as_ref().map(|node| replicas(node, &scope)) {
                own.push(mistake);
            }
            system::rebound(instance, &scope, &mut own);
            for mistake in own.0 {
                let text = format!("{}: `{}` in scenario `{}`", mistake.message, instance.name, scenario.name);
                if told.insert(mistake.message.clone()) {
                    mistakes.push(Mistake { message: text, ..mistake });
                }
            }
        }
    }
}
