//! The whole way from text to a checked study.

use crate::include::Files;
use crate::keys::Reader;
use crate::model::{Exchange, Load, Model, Part, Profile, RatePiece, Scenario, Study, System};
use crate::places::{Own, Places};
use crate::rejected::Rejected;
use crate::rules::{ScenarioView, World};
use crate::secrets::{SecretSource, Secrets};
use crate::variables::Scope;
use crate::{
    Options, Registry, data, effective, exchange, mentions, names, not_yet, plugins, profile, read, report,
    requirements,
};
use crate::{capacity, compare, inventory, scenario, system, tables, text, top, trial, watch};
use contract::{Mistake, Mistakes, Node, Place, Shape, Work};
use std::collections::BTreeSet;
use std::path::Path;
use terms::{Nanos, Phase};

/// Entries of one map of names, such as `exchanges` or `requirements`.
const NAMES_MAX: usize = 1000;
/// How often a whole order may be carried out.
const REPEAT_MAX: u64 = 100;
/// Parts of one mix: each has drivers and connections of its own in every load thread.
const PARTS_MAX: usize = 50;

/// Reads a study from a file. Includes, data and body files are looked up in its folder.
///
/// # Errors
/// Everything that is wrong with it.
pub fn load(path: &Path, registry: &Registry<'_>, options: &Options) -> Result<(Study, Secrets), Rejected> {
    let mut files = Files::default();
    let mut mistakes = Mistakes::default();
    let name = path.display().to_string();
    let root = files.read(path, &name, None, &mut mistakes);
    let base = path.parent().unwrap_or(Path::new(""));
    finish(root, files, base, registry, options, mistakes)
}

/// Reads a study from a text, as `load` does. `name` stands in messages; files are looked up in `base`.
///
/// # Errors
/// Everything that is wrong with it.
pub fn load_text(
    name: &str,
    text: &str,
    base: &Path,
    registry: &Registry<'_>,
    options: &Options,
) -> Result<(Study, Secrets), Rejected> {
    let mut files = Files::default();
    let mut mistakes = Mistakes::default();
    let root = files.read_text(name, text, base, &mut mistakes);
    finish(root, files, base, registry, options, mistakes)
}

fn finish(
    mut root: Option<Node>,
    mut files: Files,
    base: &Path,
    registry: &Registry<'_>,
    options: &Options,
    mut mistakes: Mistakes,
) -> Result<(Study, Secrets), Rejected> {
    if let Some(root) = &mut root {
        profile::put_in(root, &mut files, base, &mut mistakes);
    }
    let mut loaded = root.map(|root| {
        let mut loader = Loader { registry, options, base, mistakes: &mut mistakes };
        loader.study(root)
    });
    if let Some((study, _)) = &mut loaded {
        study.files = files.sources.clone();
    }
    match (loaded, without_echoes(mistakes).into_result()) {
        (Some(loaded), Ok(())) => Ok(loaded),
        (_, result) => Err(Rejected { files: files.sources, mistakes: result.err().unwrap_or_default() }),
    }
}

/// A text whose names could not be filled in is no quantity either; that is said once, by the name.
fn without_echoes(mut mistakes: Mistakes) -> Mistakes {
    const NAMES: [&str; 4] =
        ["study::unknown-name", "study::not-yet-known", "study::arithmetic", "study::open-variable"];
    const ECHOES: [&str; 7] = [
        "study::no-quantity",
        "study::no-count",
        "study::wrong-type",
        "study::unknown-word",
        "study::missing-unit",
        "study::wrong-unit",
        "study::out-of-range",
    ];
    let named: Vec<_> =
        mistakes.0.iter().filter(|mistake| NAMES.contains(&mistake.code)).filter_map(|mistake| mistake.place).collect();
    mistakes.0.retain(|mistake| {
        !(ECHOES.contains(&mistake.code) && mistake.place.is_some_and(|place| named.contains(&place)))
    });
    mistakes
}

struct Loader<'a> {
    registry: &'a Registry<'a>,
    options: &'a Options,
    base: &'a Path,
    mistakes: &'a mut Mistakes,
}

impl Loader<'_> {
    fn is_real(&self) -> bool {
        self.options.secrets == SecretSource::Real
    }

    fn study(&mut self, mut root: Node) -> (Study, Secrets) {
        let is_real = self.is_real();
        self.bound(&mut root);
        text::fill_environment(&mut root, is_real, self.mistakes);
        let mut keys = Reader::of(&root, &top::TOP, "the study", self.mistakes);
        // Merged before; a study that is read as text may still have it empty.
        keys.take("include");
        let title = keys.need("study", self.mistakes).and_then(|node| read::localized(node, "`study`", self.mistakes));
        let seed = keys.take("seed").and_then(|node| self.mistakes.keep(node.as_count("`seed`", 0, u64::MAX)));
        for word in ["scale", "listeners"] {
            if let Some(node) = keys.take(word) {
                not_yet::refuse(word, node.place, self.mistakes);
            }
        }
        let (secret_names, secrets) =
            top::secrets(&root, keys.take("secrets"), self.base, self.options.secrets, self.mistakes);
        let variables = top::variables(keys.take("vars"), keys.take("assume"), &self.options.set, self.mistakes);
        let mut study = Study {
            title: title.unwrap_or_default(),
            about: keys.take("about").and_then(|node| read::localized(node, "`about`", self.mistakes)),
            seed: seed.unwrap_or(1),
            base: self.base.to_path_buf(),
            files: Vec::new(),
            variables,
            secrets: secret_names,
            data: keys.take("data").map(|node| data::read(node, self.mistakes)).unwrap_or_default(),
            system: System::default(),
            watch: Vec::new(),
            exchanges: Vec::new(),
            captures: Vec::new(),
            scenarios: Vec::new(),
            repeat: 1,
            requirements: Vec::new(),
            compare: Vec::new(),
            capacity: crate::Capacity::default(),
            report: report::read(keys.take("report"), self.mistakes),
            cores: top::nodes(keys.take("nodes"), self.mistakes),
            trial: top::trial(keys.take("trial"), self.mistakes),
            effective: String::new(),
            warnings: Vec::new(),
        };
        let scope = self.scope(&study, &keys.take("system").cloned(), keys.take("exchanges"));
        study.repeat =
            scenario::repeat(keys.take("repeat"), REPEAT_MAX, &scope, self.mistakes).map_or(1, |(times, _)| times);
        for variable in &mut study.variables {
            variable.value = scope.get(&variable.name).unwrap_or_default().to_owned();
        }
        self.parts(&mut study, &mut keys, &scope);
        let (views, scopes) = self.scenarios(&mut study, &mut keys, &scope);
        if let Some(asked) = self.options.trial {
            study.trial = Some(trial::shorten(&mut study.scenarios, &mut study.repeat, asked));
        }
        self.rules(&mut study, &mut keys, views, &scopes);
        if self.is_real()
            && let Some(inventory) = &mut study.system.inventory
        {
            inventory::load(inventory, self.base, self.mistakes);
        }
        keys.finish(self.mistakes);
        mentions::check(&mut study, &root, self.mistakes);
        self.names(&mut study, &secrets);
        study.effective = effective::write(&study);
        (study, secrets)
    }

    /// Keeps the maps of names short: exchanges are numbered with 16 bits, and rules are read for each scenario.
    fn bound(&mut self, root: &mut Node) {
        let Shape::Map(entries) = &mut root.shape else { return };
        for (key, value) in entries {
            let Shape::Map(named) = &mut value.shape else { continue };
            if named.len() > NAMES_MAX {
                let word = key.text().unwrap_or_default();
                self.mistakes.push(
                    Mistake::at(key.place, "study::too-large", format!("`{word}` has more than {NAMES_MAX} entries"))
                        .label("the rest is not looked at"),
                );
                named.truncate(NAMES_MAX);
            }
        }
    }

    fn scope(&mut self, study: &Study, system: &Option<Node>, exchanges: Option<&Node>) -> Scope {
        let mut later = system::instance_names(system.as_ref());
        later.extend(study.data.iter().map(|set| set.name.clone()));
        later.extend(exchanges.map(exchange::capture_names).unwrap_or_default());
        Scope::new(&study.variables, &[], self.mistakes).with_later(later)
    }

    /// System, monitors and exchanges.
    fn parts(&mut self, study: &mut Study, keys: &mut Reader<'_>, scope: &Scope) {
        if let Some(node) = keys.need("system", self.mistakes) {
            study.system = system::read(node, scope, self.mistakes);
        }
        let instances: Vec<String> = study.system.instances.iter().map(|instance| instance.name.clone()).collect();
        if let Some(node) = keys.take("watch") {
            study.watch = watch::read(node, self.registry, &instances, scope, self.mistakes);
        }
        if let Some(node) = keys.need("exchanges", self.mistakes) {
            study.captures = exchange::capture_names(node);
            study.exchanges = exchange::read(node, self.registry, &study.captures, scope, self.mistakes);
            self.refuse_empty(node, "exchanges", "there is nothing to send");
        }
        mentions::check_names(study, self.mistakes);
    }

    fn refuse_empty(&mut self, node: &Node, word: &str, why: &str) {
        if node.map().is_some_and(<[_]>::is_empty) {
            self.mistakes.push(
                Mistake::at(node.place, "study::empty", format!("`{word}` is empty: {why}")).label("name at least one"),
            );
        }
    }

    /// Scenarios in the order in which they run, and the variables of each.
    fn scenarios(
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
            let known = scenario::Known { scope: &own, exchanges: &study.exchanges, works: &works };
            let (name, is_part) = (one.name.clone(), members.contains(one.name.as_str()));
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
                        .label("it does not stand in `order`"),
                );
            }
        }
        all.sort_by_key(|read| order.iter().position(|number| names[*number] == read.scenario.name));
        let mut views = Vec::new();
        for Read { scenario, scope, is_sound } in all {
            views.push((view(&scenario, is_sound, study.exchanges.len()), scope));
            study.scenarios.push(scenario);
        }
        views.into_iter().unzip()
    }

    /// The parts of a mix: scenarios by name, or written within it.
    fn mixed(&mut self, mix: &Mix<'_>, study: &Study, scope: &Scope) -> Vec<Part> {
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
            self.mistakes.push(Mistake::at(*place, "study::too-large", text).label("the rest is not looked at"));
        }
        let mut parts: Vec<Part> = Vec::new();
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
            let known = scenario::Known { scope: &own, exchanges: &study.exchanges, works: mix.works };
            let role = scenario::Role::Part { mix: mix.name, is_alone };
            parts.push(scenario::read_part(&name, node, set, role, &known, self.mistakes));
        }
        parts
    }

    /// Without `order` scenarios run as written; but which are only parts of a mix, nobody could tell.
    fn as_written(&mut self, written: &[Written<'_>]) -> Vec<usize> {
        if let Some(mix) = written.iter().find(|scenario| scenario.parts.is_some()) {
            let all: Vec<&str> = written.iter().filter(|s| s.parts.is_some()).map(|s| s.name.as_str()).collect();
            let text = format!("`{}` is a mix, and nothing says which scenarios run by themselves", mix.name);
            self.mistakes.push(
                Mistake::at(mix.place, "study::missing-key", text).label("with a mix, `order` is required").hint(
                    format!("add `order: [{}]`: scenarios that do not stand in it run as parts only", all.join(", ")),
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
                let text = format!("`{}` stands in `order` twice", written[index]);
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

    /// Requirements and abort rules, when everything has a name.
    fn rules(&mut self, study: &mut Study, keys: &mut Reader<'_>, views: Vec<ScenarioView>, scopes: &[Scope]) {
        let node = keys.take("requirements");
        let requirements = node.and_then(Node::map).unwrap_or_default();
        let world = World {
            exchanges: &study.exchanges,
            watch: &study.watch,
            drivers: self.registry.drivers,
            monitors: self.registry.monitors,
            instances: study.system.instances.iter().map(|instance| instance.name.clone()).collect(),
            requirements: requirements.iter().filter_map(|(key, _)| key.text().map(str::to_owned)).collect(),
            scenarios: views,
        };
        let found = node.map(|node| requirements::read(node, &world, scopes, self.mistakes)).unwrap_or_default();
        let scenarios = keys.take("scenarios");
        let rules_of =
            |node: Option<&Node>| node.and_then(|node| node.get("abort")).filter(|node| !node.is_missing()).cloned();
        let mut aborts = Vec::new();
        for (number, scenario) in study.scenarios.iter().enumerate() {
            let node = scenarios.and_then(|node| node.get(&scenario.name));
            let mut of = |part: Option<usize>, node: Option<Node>| {
                let read =
                    |node: Node| requirements::abort(&node, (number, part), &world, &scopes[number], self.mistakes);
                node.map(read).unwrap_or_default()
            };
            let own = of(None, rules_of(node));
            let mix = node.and_then(|node| node.get("mix"));
            let mut parts = Vec::new();
            for (index, part) in scenario.parts.iter().enumerate().filter(|(_, part)| !part.name.is_empty()) {
                // Written within the mix, or a scenario of its own.
                let node = mix.and_then(|mix| mix.get(&part.name));
                let node = node.or_else(|| scenarios.and_then(|node| node.get(&part.name)));
                parts.push((index, of(Some(index), rules_of(node))));
            }
            aborts.push((own, parts));
        }
        let wanted = keys.take("compare");
        study.compare = wanted.map(|node| compare::read(node, &world, scopes, self.mistakes)).unwrap_or_default();
        let wanted = keys.take("capacity");
        study.capacity = wanted.map(|node| capacity::read(node, &world, scopes, self.mistakes)).unwrap_or_default();
        study.requirements = found;
        for (scenario, (own, parts)) in study.scenarios.iter_mut().zip(aborts) {
            scenario.abort = own;
            for (index, abort) in parts {
                scenario.parts[index].abort = abort;
            }
        }
    }

    /// Resolves every name once, with stand-ins for what is not yet known, and lets the plug-ins look at their keys.
    fn names(&mut self, study: &mut Study, secrets: &Secrets) {
        let headers = if self.is_real() { tables::headers(study, self.mistakes) } else { Vec::new() };
        let places = Places::placeholders(study);
        let resolver = names::names(study, secrets, &headers, None, &places);
        mentions::resolve_all(study, &resolver, self.mistakes);
        for instance in &study.system.instances {
            let own = Own::placeholder(instance);
            let resolver = names::names(study, secrets, &headers, None, &places).with_own(&own);
            mentions::resolve_instance(instance, &resolver, self.mistakes);
        }
        let compiled: Vec<_> = study
            .exchanges
            .iter()
            .map(|exchange| exchange::compile(&exchange.settings, &resolver, self.mistakes))
            .collect();
        if self.is_real() {
            plugins::check(study, self.registry, &headers, &places, secrets, self.mistakes);
        }
        for (exchange, settings) in study.exchanges.iter_mut().zip(compiled) {
            exchange.settings = settings;
        }
    }
}

/// What kind of work each exchange is.
fn works(exchanges: &[Exchange], registry: &Registry<'_>) -> Vec<Work> {
    let work = |exchange: &Exchange| {
        let kinds = registry.drivers.iter().filter(|kind| kind.name == exchange.driver);
        let mut operations = kinds.flat_map(|kind| kind.exchanges);
        operations.find(|kind| kind.name == exchange.settings.operation).map_or(Work::Exchange, |kind| kind.work)
    };
    exchanges.iter().map(work).collect()
}

/// A scenario as it is written.
struct Written<'a> {
    name: String,
    place: Place,
    node: &'a Node,
    /// What stands under `mix`.
    parts: Option<&'a Node>,
}

/// A mix while its parts are read.
struct Mix<'a> {
    name: &'a str,
    node: &'a Node,
    set: &'a [(String, String)],
    order: &'a [usize],
    written: &'a [Written<'a>],
    works: &'a [Work],
}

/// A scenario as it was read.
struct Read {
    scenario: Scenario,
    scope: Scope,
    is_sound: bool,
}

/// What rules see of a scenario. One with mistakes counts as having everything, so that rules are not blamed for it.
fn view(scenario: &Scenario, is_sound: bool, exchanges: usize) -> ScenarioView {
    let name = scenario.name.clone();
    let runs = |part: &Part| {
        let all = || (0..exchanges).map(|n| n as u16).collect();
        if is_sound { scenario::exchanges_of(&part.run) } else { all() }
    };
    let parts: Vec<_> = scenario.parts.iter().map(|part| (part.name.clone(), runs(part))).collect();
    let mut all: Vec<u16> = parts.iter().flat_map(|(_, runs)| runs).copied().collect();
    all.sort_unstable();
    all.dedup();
    let phases = if is_sound { phases(scenario) } else { Phase::ALL.to_vec() };
    ScenarioView { name, runs: all, phases, parts: parts.into_iter().filter(|(name, _)| !name.is_empty()).collect() }
}

fn phases(scenario: &Scenario) -> Vec<Phase> {
    let (has_ramp, has_warm_up, has_hold) = match (scenario.together(), scenario.parts.as_slice()) {
        (Some(together), _) if scenario.is_mix() => {
            (together.full > Nanos::ZERO, together.holds > together.full, together.ends > together.holds)
        }
        (_, [Part { load: Load { model: Model::Arrivals { profile: Profile::Pieces(pieces), .. }, .. }, .. }]) => {
            let is_constant = |piece: &RatePiece| piece.from == piece.to;
            (!pieces.iter().all(is_constant), false, pieces.iter().any(is_constant))
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
