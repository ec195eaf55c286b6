//! The map of scenarios: which run by themselves and in which order, which are parts of a mix, what rules see of them.

use crate::Registry;
use crate::load::Loader;
use crate::model::{Exchange, LoadPart, Scenario, Study, exchanges_of, transactions_of};
use crate::names::variables::Scope;
use crate::rules::ScenarioView;
use crate::sections::load_key::Sets;
use crate::sections::scenario;
use crate::syntax::keys::Reader;
use crate::syntax::read;
use contract::{Mistake, Node, Place, Work};
use std::collections::BTreeSet;
use terms::{Nanos, Phase};

/// Most parts of one mix: each has its own drivers and connections in every load thread.
const PARTS_MAX: usize = 50;

impl Loader<'_> {
    /// Scenarios in the order in which they run, and the variables of each.
    pub(crate) fn scenarios(
        &mut self,
        study: &mut Study,
        keys: &mut Reader<'_>,
        scope: &Scope,
    ) -> (Vec<ScenarioView>, Vec<Scope>) {
        let (node, order) = (keys.need("scenarios", self.mistakes), keys.take("order"));
        let Some(node) = node else { return Default::default() };
        self.refuse_empty(node, "scenarios", "there is nothing to run");
        if node.map().is_none() {
            self.mistakes.push(
                Mistake::at(node.place, "study::wrong-type", format!("`scenarios` is {}, not a map", node.what()))
                    .label("write `{ NAME: { load: …, run: […] } }`"),
            );
        }
        let works = works(&study.exchanges, self.registry);
        let mut written: Vec<Written<'_>> = Vec::new();
        for (key, value) in node.map().unwrap_or_default() {
            if let Some(name) = read::name(key, "a scenario", self.mistakes) {
                let parts = value.get("mix").filter(|node| !node.is_missing());
                written.push(Written { name, place: key.place, node: value, parts });
            }
        }
        let names: Vec<String> = written.iter().map(|scenario| scenario.name.clone()).collect();
        let order = match order {
            Some(order) => self.order(order, &names),
            None => self.as_written(&written),
        };
        // Also of mixes with a mistake in their name: their parts are not blamed for it.
        let mixes = node.map().unwrap_or_default().iter().filter_map(|(_, value)| value.get("mix"));
        let members: BTreeSet<&str> = mixes.filter_map(Node::list).flatten().filter_map(Node::text).collect();
        let mut all: Vec<Read> = Vec::new();
        for (number, one) in written.iter().enumerate() {
            let is_run = order.contains(&number);
            if one.parts.is_none() && members.contains(one.name.as_str()) && !is_run {
                continue;
            }
            let before = self.mistakes.0.len();
            let set = self.set(one.node.get("set"), study, scope);
            let own = Scope::new(&study.variables, &set, self.mistakes).with_later_of(scope);
            let known = scenario::ScenarioScope {
                scope: &own,
                exchanges: &study.exchanges,
                transactions: &study.transactions,
                works: &works,
                captures: &study.captures,
                data: Sets { sets: &study.data, base: &study.base, nodes: study.nodes },
            };
            // One that is not run may wait for a mix that is left out for now.
            let (name, is_part) = (one.name.clone(), members.contains(one.name.as_str()) || !is_run);
            let scenario = match one.parts {
                None => scenario::read(name, one.node, one.place, set, is_part, &known, self.mistakes),
                Some(node) => {
                    let mix = Mix { name: &name, node, set: &set, order: &order, written: &written, works: &works };
                    let parts = self.mixed(&mix, study, scope);
                    scenario::read_mix(name, one.node, one.place, set, parts, &known, self.mistakes)
                }
            };
            let is_sound = self.mistakes.0.len() == before;
            if is_run {
                all.push(Read { scenario, scope: own, is_sound });
            } else {
                study.warnings.push(
                    Mistake::at(one.place, "study::not-run", format!("the scenario `{}` is not run", one.name))
                        .label("it is not listed in `order`"),
                );
            }
        }
        all.sort_by_key(|read| order.iter().position(|number| names[*number] == read.scenario.name));
        let mut views = Vec::new();
        for Read { scenario, scope, is_sound } in all {
            views.push((view(&scenario, is_sound, study.numbered()), scope));
            study.scenarios.push(scenario);
        }
        views.into_iter().unzip()
    }

    /// The parts of a mix: scenarios by name, or written within it.
    fn mixed(&mut self, mix: &Mix<'_>, study: &Study, scope: &Scope) -> Vec<LoadPart> {
        let names: Vec<String> = mix.written.iter().map(|scenario| scenario.name.clone()).collect();
        let mut members: Vec<(String, &Node, bool, Place)> = Vec::new();
        match mix.node.map() {
            Some(entries) => {
                for (key, value) in entries {
                    let name = read::name(key, "a part", self.mistakes);
                    members.extend(name.map(|name| (name, value, false, key.place)));
                }
            }
            None => {
                for member in read::list(mix.node, "`mix`", self.mistakes) {
                    let Some(index) = read::one_of(member, "scenario", &names, self.mistakes) else { continue };
                    let is_alone = mix.order.contains(&index);
                    members.push((names[index].clone(), mix.written[index].node, is_alone, member.place));
                }
            }
        }
        if members.is_empty() && (mix.node.map().is_some() || mix.node.list().is_some_and(<[_]>::is_empty)) {
            self.mistakes.push(
                Mistake::at(mix.node.place, "study::empty", format!("the mix `{}` has no parts", mix.name))
                    .label("name at least one scenario"),
            );
        }
        if let Some((.., place)) = members.get(PARTS_MAX) {
            let text = format!("a mix has at most {PARTS_MAX} parts");
            self.mistakes.push(Mistake::at(*place, "study::too-large", text).label("the rest is ignored"));
        }
        let mut parts: Vec<LoadPart> = Vec::new();
        for (name, node, is_alone, place) in members.into_iter().take(PARTS_MAX) {
            if parts.iter().any(|part| part.name == name) {
                let text = format!("`{name}` is a part of `{}` twice", mix.name);
                self.mistakes.push(
                    Mistake::at(place, "study::duplicate-name", text)
                        .label("remove one; for more of its load raise its rate or its users"),
                );
                continue;
            }
            if node.get("mix").is_some_and(|node| !node.is_missing()) {
                let text = format!("`{name}` is a mix itself, and cannot be a part of `{}`", mix.name);
                self.mistakes.push(
                    Mistake::at(place, "study::mix-of-mix", text).label("name the scenarios that it mixes instead"),
                );
                continue;
            }
            let mut set = self.set(node.get("set"), study, scope);
            set.retain(|(variable, _)| mix.set.iter().all(|(over, _)| over != variable));
            set.extend(mix.set.iter().cloned());
            let own = Scope::new(&study.variables, &set, self.mistakes).with_later_of(scope);
            let known = scenario::ScenarioScope {
                scope: &own,
                exchanges: &study.exchanges,
                transactions: &study.transactions,
                works: mix.works,
                captures: &study.captures,
                data: Sets { sets: &study.data, base: &study.base, nodes: study.nodes },
            };
            let role = scenario::Role::Part { mix: mix.name, is_alone };
            parts.push(scenario::read_part(&name, node, set, role, &known, self.mistakes));
        }
        parts
    }

    /// Without `order` scenarios run as written, but it would be unclear which are only parts of a mix.
    fn as_written(&mut self, written: &[Written<'_>]) -> Vec<usize> {
        if let Some(mix) = written.iter().find(|scenario| scenario.parts.is_some()) {
            let all: Vec<&str> = written.iter().filter(|s| s.parts.is_some()).map(|s| s.name.as_str()).collect();
            let text = format!("`{}` is a mix, and nothing says which scenarios run by themselves", mix.name);
            self.mistakes.push(
                Mistake::at(mix.place, "study::missing-key", text).label("with a mix, `order` is required").hint(
                    format!("add `order: [{}]`: scenarios that are not listed run as parts only", all.join(", ")),
                ),
            );
        }
        (0..written.len()).collect()
    }

    fn set(&mut self, node: Option<&Node>, study: &Study, scope: &Scope) -> Vec<(String, String)> {
        let known: Vec<String> = study.variables.iter().map(|variable| variable.name.clone()).collect();
        let mut set = Vec::new();
        for (key, value) in node.and_then(Node::map).unwrap_or_default() {
            let variable = read::one_of(key, "variable", &known, self.mistakes);
            let Some(text) = self.mistakes.keep(value.as_text("the new value")) else { continue };
            let value = self.mistakes.keep(scope.fill_partly(text, value.place));
            set.extend(variable.map(|index| known[index].clone()).zip(value));
        }
        if let Some(node) = node.filter(|node| node.map().is_none() && !node.is_missing()) {
            self.mistakes.push(
                Mistake::at(node.place, "study::wrong-type", format!("`set` is {}, not a map", node.what()))
                    .label("write `{ variable: value }`"),
            );
        }
        set
    }

    /// Numbers of the scenarios that run, in order.
    fn order(&mut self, order: &Node, written: &[String]) -> Vec<usize> {
        let mut found: Vec<usize> = Vec::new();
        for member in read::list(order, "`order`", self.mistakes) {
            let Some(index) = read::one_of(member, "scenario", written, self.mistakes) else { continue };
            if found.contains(&index) {
                let text = format!("`{}` is listed in `order` twice", written[index]);
                self.mistakes.push(
                    Mistake::at(member.place, "study::duplicate-name", text)
                        .label("remove one; `repeat: 2` carries out the whole order again"),
                );
            } else {
                found.push(index);
            }
        }
        found
    }
}

/// What kind of work each exchange is; `None` for one that no driver does.
fn works(exchanges: &[Exchange], registry: &Registry<'_>) -> Vec<Option<Work>> {
    let work = |exchange: &Exchange| {
        let kinds = registry.drivers.iter().filter(|kind| kind.name == exchange.driver);
        let mut operations = kinds.flat_map(|kind| kind.exchanges);
        operations.find(|kind| kind.name == exchange.settings.operation).map(|kind| kind.work)
    };
    exchanges.iter().map(work).collect()
}

/// A scenario as it is written.
struct Written<'a> {
    name: String,
    place: Place,
    node: &'a Node,
    /// The value of `mix`.
    parts: Option<&'a Node>,
}

/// A mix while its parts are read.
struct Mix<'a> {
    name: &'a str,
    node: &'a Node,
    set: &'a [(String, String)],
    order: &'a [usize],
    written: &'a [Written<'a>],
    works: &'a [Option<Work>],
}

/// A scenario as it was read.
struct Read {
    scenario: Scenario,
    scope: Scope,
    is_sound: bool,
}

/// What rules see of a scenario. One with mistakes counts as having everything, so that rules are not blamed for it.
fn view(scenario: &Scenario, is_sound: bool, numbered: usize) -> ScenarioView {
    let name = scenario.name.clone();
    let runs = |part: &LoadPart| {
        if !is_sound {
            return (0..numbered).map(|n| n as u16).collect();
        }
        // Numbers of transactions follow those of the exchanges.
        [exchanges_of(&part.run), transactions_of(&part.run)].concat()
    };
    let parts: Vec<_> = scenario.parts.iter().map(|part| (part.name.clone(), runs(part))).collect();
    let mut all: Vec<u16> = parts.iter().flat_map(|(_, runs)| runs).copied().collect();
    all.sort_unstable();
    all.dedup();
    let phases = if is_sound { phases(scenario) } else { Phase::ALL.to_vec() };
    let has_streams = !is_sound || scenario.parts.iter().any(|part| part.load.streams.is_some());
    let parts = parts.into_iter().filter(|(name, _)| !name.is_empty()).collect();
    let owned = |(name, value): (&str, &str)| (name.to_owned(), value.to_owned());
    let values = || scenario.cell_values().into_iter().map(owned).collect();
    let cell = scenario.cell.as_ref().map(|cell| (cell.grid.clone(), values()));
    // Parts agree on what an exchange carries.
    let carries = scenario.parts.iter().flat_map(|part| part.carries.iter().cloned()).collect();
    ScenarioView { name, runs: all, phases, parts, has_streams, cell, carries, is_sound }
}

fn phases(scenario: &Scenario) -> Vec<Phase> {
    let (has_ramp, has_warm_up, has_hold) = match (scenario.together(), scenario.parts.as_slice()) {
        (Some(together), _) if scenario.is_mix() => {
            (together.full > Nanos::ZERO, together.holds > together.full, together.ends > together.holds)
        }
        (_, [part]) if !part.load.model.pieces().is_empty() => {
            let pieces = part.load.model.pieces();
            let is_hold = |(is_hold, _): &(bool, Nanos)| *is_hold;
            (!pieces.iter().all(is_hold), false, pieces.iter().any(is_hold))
        }
        (_, [part]) => (part.load.ramp.is_some(), part.load.warm_up.is_some(), true),
        _ => (false, false, true),
    };
    let all = [
        (Phase::Idle, scenario.idle.0 > 0),
        (Phase::Ramp, has_ramp),
        (Phase::WarmUp, has_warm_up),
        (Phase::Hold, has_hold),
        (Phase::Drain, true),
        (Phase::Recovery, scenario.recovery.0 > 0),
    ];
    all.into_iter().filter(|(_, is_there)| *is_there).map(|(phase, _)| phase).collect()
}
