//! The whole way from text to a checked study.

use crate::model::{Scenario, Source, Study, System, Wait, conditions_of};
use crate::names::places::{Own, Places};
use crate::names::secrets::{SecretSource, Secrets};
use crate::names::variables::Scope;
use crate::rules::{ScenarioView, World};
use crate::sections::{
    capacity, compare, counted, data, exchange, inventory, listeners, namespaces, profile, report, requirements, run,
    scenario, scripts, search, secrets, system, top, traces, validity, waits, watch,
};
use crate::syntax::include::Files;
use crate::syntax::keys::Reader;
use crate::syntax::rejected::Rejected;
use crate::syntax::search::Tried;
use crate::syntax::{grid, not_yet, read, text};
use crate::{
    Options, Registry, effective, instances, mentions, names, phases, placeholder, plugins, tables, trial, written,
};
use contract::{Mistake, Mistakes, Node, Shape};
use std::path::Path;
use std::sync::Arc;

/// Entries of one map of names, such as `exchanges` or `requirements`.
const NAMES_MAX: usize = 1000;

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

/// Reads a study from a text, as `load` does. `name` appears in messages; files are looked up in `base`.
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
    let loaded = root.map(|root| {
        let mut loader = Loader { registry, options, base, tried: &[], files: &mut files, mistakes: &mut mistakes };
        loader.study(root)
    });
    checked(loaded, files, mistakes)
}

/// What was read, if nothing was wrong.
fn checked(
    mut loaded: Option<(Study, Secrets)>,
    files: Files,
    mistakes: Mistakes,
) -> Result<(Study, Secrets), Rejected> {
    if let Some((study, _)) = &mut loaded {
        study.files = files.sources.clone();
    }
    match (loaded, without_echoes(mistakes).into_result()) {
        (Some(loaded), Ok(())) => Ok(loaded),
        (loaded, result) => {
            let kept_out = loaded.map(|(study, secrets)| data::kept_out(&study, &secrets, &[])).unwrap_or_default();
            let rejected = Rejected { files: files.sources, mistakes: result.err().unwrap_or_default() };
            Err(rejected.without(&kept_out))
        }
    }
}

impl Study {
    /// The same study with these attempts in the place of its searches. What is sent and watched, and to whom, stays as it
    /// was read before, whatever has become of its files.
    ///
    /// # Errors
    /// What is wrong with a scenario once the variables of an attempt are bound.
    pub fn with_attempts(&self, tried: &[Tried], registry: &Registry<'_>) -> Result<Self, Rejected> {
        let Some(root) = &self.source.root else { return Ok(self.clone()) };
        let (mut files, mut mistakes) = (Files::default(), Mistakes::default());
        files.sources.clone_from(&self.files);
        let options = &self.source.options;
        let base = self.base.as_path();
        let mut loader = Loader { registry, options, base, tried, files: &mut files, mistakes: &mut mistakes };
        let loaded = loader.study(Node::clone(root));
        let (read, _) = checked(Some(loaded), files, mistakes)?;
        let Self { scenarios, requirements, compare, capacity, trial, effective, .. } = read;
        Ok(Self { scenarios, requirements, compare, capacity, trial, effective, ..self.clone() })
    }
}

/// A text whose names could not be filled in is not a quantity either; only the name is reported.
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

pub(crate) struct Loader<'a> {
    pub(crate) registry: &'a Registry<'a>,
    options: &'a Options,
    base: &'a Path,
    tried: &'a [Tried],
    files: &'a mut Files,
    pub(crate) mistakes: &'a mut Mistakes,
}

impl Loader<'_> {
    fn is_real(&self) -> bool {
        self.options.secrets != SecretSource::Ignore
    }

    fn study(&mut self, mut root: Node) -> (Study, Secrets) {
        let is_real = self.is_real();
        let source = Source { root: Some(Arc::new(root.clone())), options: self.options.clone() };
        grid::expand(&mut root, self.tried, self.mistakes);
        self.bound(&mut root);
        text::fill_environment(&mut root, is_real, self.mistakes);
        let mut keys = Reader::of(&root, &top::TOP, "the study", self.mistakes);
        // Merged before; a study that is read as text may still have it empty.
        keys.take("include");
        let title = keys.need("study", self.mistakes).and_then(|node| read::localized(node, "`study`", self.mistakes));
        let seed = keys.take("seed").and_then(|node| self.mistakes.keep(node.as_count("`seed`", 0, u64::MAX)));
        if let Some(node) = keys.take("scale") {
            not_yet::refuse("scale", node.place, self.mistakes);
        }
        let (secret_names, secrets) =
            secrets::read(&root, keys.take("secrets"), self.base, &self.options.secrets, self.mistakes);
        let top::Shares { nodes, cores, are_here } = top::nodes(keys.take("nodes"), self.mistakes);
        let variables = top::variables(keys.take("vars"), keys.take("assume"), &self.options.set, self.mistakes);
        let mut study = Study {
            title: title.unwrap_or_default(),
            about: keys.take("about").and_then(|node| read::localized(node, "`about`", self.mistakes)),
            seed: seed.unwrap_or(1),
            base: self.base.to_path_buf(),
            files: Vec::new(),
            variables,
            set: self.options.set.clone(),
            secrets: secret_names,
            scripts: Vec::new(),
            namespaces: keys.take("namespaces").map(|node| namespaces::read(node, self.mistakes)).unwrap_or_default(),
            data: keys.take("data").map(|node| data::read(node, self.mistakes)).unwrap_or_default(),
            system: System::default(),
            listeners: Vec::new(),
            watch: Vec::new(),
            exchanges: Vec::new(),
            transactions: Vec::new(),
            captures: Vec::new(),
            secret_captures: Default::default(),
            scenarios: Vec::new(),
            repeat: 1,
            requirements: Vec::new(),
            compare: Vec::new(),
            capacity: crate::Capacity::default(),
            validity: keys.take("validity").map(|node| validity::read(node, self.mistakes)).unwrap_or_default(),
            traces: keys.take("traces").and_then(|node| traces::read(node, self.mistakes)),
            report: report::read(keys.take("report"), self.registry.blocks, self.mistakes),
            nodes,
            nodes_are_here: are_here,
            cores,
            trial: top::trial(keys.take("trial"), self.mistakes),
            effective: String::new(),
            source,
            warnings: Vec::new(),
        };
        if let Some(node) = keys.take("scripts") {
            let mut sources = scripts::Sources { base: self.base, files: self.files, is_real };
            study.scripts = scripts::read(node, &mut sources, self.mistakes);
        }
        let members = root.get("scenarios").map(run::member_names).unwrap_or_default();
        let scope = self.scope(&study, &keys.take("system").cloned(), keys.take("exchanges"), &members);
        study.repeat = scenario::repeat(keys.take("repeat"), &scope, self.mistakes);
        for variable in &mut study.variables {
            variable.value = scope.get(&variable.name).unwrap_or_default().to_owned();
        }
        self.parts(&mut study, &mut keys, &scope, members);
        let transactions = root.get("scenarios").map(run::transaction_names).unwrap_or_default();
        watch::drop_stand_ins(&mut study.watch, |name| transactions.iter().any(|(known, _)| known == name));
        mentions::check_transactions(&study, &transactions, self.mistakes);
        study.transactions = transactions.into_iter().map(|(name, _)| name).collect();
        let (views, scopes) = self.scenarios(&mut study, &mut keys, &scope);
        top::one_node_listens(&study, root.get("nodes"), self.mistakes);
        if let Some(asked) = self.options.trial {
            // Rules are read later: what they are written for is known by now.
            let written =
                |name: &str| root.get("scenarios")?.get(name)?.get("only_if").filter(|node| !node.is_missing());
            let is_conditional = |scenario: &Scenario| written(&scenario.name).is_some();
            let is_until = |scenario: &Scenario, wait: Wait| {
                let written =
                    root.get("scenarios").and_then(|all| all.get(&scenario.name)?.get(wait.name())?.get("until"));
                written.is_some_and(|node| !node.is_missing())
            };
            let ruled = trial::Ruled { is_conditional: &is_conditional, is_until: &is_until };
            study.trial = trial::shorten(&mut study.scenarios, &mut study.repeat, asked, &ruled);
        }
        phases::check(&study, self.mistakes);
        self.rules(&mut study, &mut keys, views, &scopes);
        if self.is_real()
            && let Some(inventory) = &mut study.system.inventory
        {
            inventory::load(inventory, self.base, self.mistakes);
        }
        keys.finish(self.mistakes);
        mentions::check(&mut study, &root, self.mistakes);
        let written = root.get("requirements").and_then(Node::map).unwrap_or_default();
        let written: Vec<String> = written.iter().filter_map(|(key, _)| key.text().map(str::to_owned)).collect();
        search::check(&study, &written, self.mistakes);
        instances::check(&study, self.mistakes);
        self.names(&mut study, &secrets);
        written::warn(&mut study, &secrets);
        placeholder::warn(&mut study, &secrets);
        study.effective = effective::write(&study, &secrets);
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
                        .label("the rest is ignored"),
                );
                named.truncate(NAMES_MAX);
            }
        }
    }

    fn scope(&mut self, study: &Study, system: &Option<Node>, exchanges: Option<&Node>, members: &[String]) -> Scope {
        let mut later = system::instance_names(system.as_ref());
        later.push("listeners".to_owned());
        later.extend(study.data.iter().map(|set| set.name.clone()));
        later.extend(study.scripts.iter().map(|script| script.name.clone()));
        later.extend(exchanges.map(exchange::capture_names).unwrap_or_default());
        later.extend(members.iter().cloned());
        Scope::new(&study.variables, &[], self.mistakes).with_later(later)
    }

    /// System, monitors and exchanges.
    fn parts(&mut self, study: &mut Study, keys: &mut Reader<'_>, scope: &Scope, members: Vec<String>) {
        if let Some(node) = keys.need("system", self.mistakes) {
            study.system = system::read(node, scope, self.mistakes);
        }
        let instances: Vec<String> = study.system.instances.iter().map(|instance| instance.name.clone()).collect();
        if let Some(node) = keys.take("listeners") {
            study.listeners = listeners::read(node, scope, self.mistakes);
        }
        if let Some(node) = keys.take("watch") {
            study.watch = watch::read(node, self.registry, &instances, scope, self.mistakes);
            watch::check_nodes(&study.watch, study.nodes, self.mistakes);
        }
        if let Some(node) = keys.need("exchanges", self.mistakes) {
            study.captures = exchange::capture_names(node);
            let more = members.into_iter().filter(|name| !study.captures.contains(name)).collect::<Vec<_>>();
            study.captures.extend(more);
            study.secret_captures = exchange::secret_captures(node);
            study.exchanges = exchange::read(node, self.registry, &study.captures, scope, self.mistakes);
            self.refuse_empty(node, "exchanges", "there is nothing to send");
        }
        let Study { watch, exchanges, .. } = study;
        watch::drop_stand_ins(watch, |name| exchanges.iter().any(|exchange| exchange.name == name));
        mentions::check_names(study, self.mistakes);
    }

    pub(crate) fn refuse_empty(&mut self, node: &Node, word: &str, why: &str) {
        if node.map().is_some_and(<[_]>::is_empty) {
            self.mistakes.push(
                Mistake::at(node.place, "study::empty", format!("`{word}` is empty: {why}")).label("name at least one"),
            );
        }
    }

    /// Requirements and abort rules, when everything has a name.
    fn rules(&mut self, study: &mut Study, keys: &mut Reader<'_>, views: Vec<ScenarioView>, scopes: &[Scope]) {
        let node = keys.take("requirements");
        let requirements = node.and_then(Node::map).unwrap_or_default();
        let world = World {
            exchanges: &study.exchanges,
            transactions: &study.transactions,
            watch: &study.watch,
            drivers: self.registry.drivers,
            monitors: self.registry.monitors,
            instances: study.system.instances.iter().map(|instance| instance.name.clone()).collect(),
            requirements: requirements.iter().filter_map(|(key, _)| key.text().map(str::to_owned)).collect(),
            scenarios: views,
        };
        counted::check(&world, &study.exchanges, self.mistakes);
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
        let names: Vec<String> = study.scenarios.iter().map(|scenario| scenario.name.clone()).collect();
        let only_ifs: Vec<_> = (0..names.len())
            .map(|number| {
                let node = scenarios.and_then(|node| node.get(&names[number])?.get("only_if"));
                let node = node.filter(|node| !node.is_missing())?;
                scenario::only_if(node, (number, &names), &world, scopes, self.mistakes)
            })
            .collect();
        let of = |number: usize| scenarios.and_then(|node| node.get(&names[number]));
        let untils: Vec<_> = (0..names.len())
            .map(|number| waits::until(of(number), number, &world, &scopes[number], self.mistakes))
            .collect();
        let rates: Vec<_> = (0..names.len())
            .map(|number| search::rate(of(number), number, &world, &scopes[number], self.mistakes))
            .collect();
        for (scenario, by) in study.scenarios.iter_mut().zip(rates) {
            scenario.point.iter_mut().for_each(|point| point.by.clone_from(&by));
        }
        // A trial has shortened its waits, and says so.
        for (number, scenario) in study.scenarios.iter().enumerate().filter(|_| study.trial.is_none()) {
            of(number).into_iter().for_each(|node| waits::check_idle(node, scenario.idle, self.mistakes));
        }
        let wanted = keys.take("compare");
        study.compare = wanted.map(|node| compare::read(node, &world, scopes, self.mistakes)).unwrap_or_default();
        let wanted = keys.take("capacity");
        let has_steps: Vec<bool> = study.scenarios.iter().map(Scenario::has_steps).collect();
        let known = capacity::Known { world: &world, scopes, has_steps: &has_steps, requirements: &found };
        study.capacity = wanted.map(|node| capacity::read(node, known, self.mistakes)).unwrap_or_default();
        study.requirements = found;
        for (scenario, (only_if, until)) in study.scenarios.iter_mut().zip(only_ifs.into_iter().zip(untils)) {
            (scenario.only_if, scenario.until) = (only_if, until);
        }
        let named = study.scenarios.iter_mut().enumerate();
        for ((number, scenario), (own, parts)) in named.zip(aborts) {
            let (mut own, mut parts) = (own, parts);
            for rules in std::iter::once(&mut own).chain(parts.iter_mut().map(|(_, rules)| rules)) {
                requirements::hand_over(rules, (number, &scenario.name), &study.requirements, self.mistakes);
            }
            scenario.abort = own;
            for (index, abort) in parts {
                scenario.parts[index].abort = abort;
            }
        }
    }

    /// Resolves every name once, with stand-ins for what is not yet known, and lets the plug-ins look at their keys.
    fn names(&mut self, study: &mut Study, secrets: &Secrets) {
        let headers = if self.is_real() { tables::headers(study, self.mistakes) } else { Vec::new() };
        data::check_kept_out(study, &headers, self.mistakes);
        let places = Places::placeholders(study);
        let resolver = names::names(study, secrets, &headers, None, &places);
        mentions::resolve_all(study, &resolver, self.mistakes);
        for instance in &study.system.instances {
            let own = Own::placeholder(instance);
            let resolver = names::names(study, secrets, &headers, None, &places).with_own(&own);
            mentions::resolve_instance(instance, &resolver, self.mistakes);
        }
        for part in study.scenarios.iter().flat_map(|scenario| &scenario.parts) {
            let mut conditions = conditions_of(&part.run).peekable();
            if conditions.peek().is_some() {
                let resolver = names::names(study, secrets, &headers, Some(part), &places);
                conditions.for_each(|it| drop(self.mistakes.keep(it.compile(&resolver))));
            }
        }
        let compiled: Vec<_> =
            study.exchanges.iter().map(|exchange| exchange::compile(exchange, &resolver, self.mistakes)).collect();
        if self.is_real() {
            plugins::check(study, self.registry, &headers, &places, secrets, self.mistakes);
        }
        for (exchange, settings) in study.exchanges.iter_mut().zip(compiled) {
            exchange.settings = settings;
        }
    }
}
