//! Who mentions what: unused assumptions, names taken twice, captures used before they are there.

use crate::model::{DataSet, Exchange, Instance, Item, LoadPart, Per, Study};
use crate::names::Resolver;
use crate::sections::secrets;
use crate::syntax::text;
use contract::{Mistake, Mistakes, MonitorSettings, Node, Place, Shape, compile_template};
use std::collections::HashSet;
use std::path::Path;

/// A scalar longer than this is not a file name.
const FILE_NAME_MAX: usize = 1024;
/// A larger body file is refused by whoever sends it.
const FILE_BYTES_MAX: u64 = 64 * 1024 * 1024;

/// Marks used variables, warns of what nothing uses, and checks that captures are there when they are used.
pub(crate) fn check(study: &mut Study, root: &Node, mistakes: &mut Mistakes) {
    let mut used: HashSet<String> = HashSet::new();
    let mut found = Vec::new();
    text::expressions(root, &mut found);
    for (expression, _) in &found {
        used.extend(text::names_in(expression).map(str::to_owned));
    }
    for exchange in &study.exchanges {
        in_files(&exchange.settings.node, &study.base, &mut used);
    }
    for variable in &mut study.variables {
        variable.is_used |= used.contains(&variable.name);
    }
    warn(study, &used);
    for number in 0..study.scenarios.len() {
        check_captures(study, number, mistakes);
    }
}

impl Study {
    /// Numbers of the data sets whose columns these exchanges use, in the study's order.
    pub fn data_used_by(&self, exchanges: &[u16]) -> Vec<u16> {
        let mut used: HashSet<String> = HashSet::new();
        for exchange in exchanges.iter().filter_map(|number| self.exchanges.get(usize::from(*number))) {
            let mut found = Vec::new();
            text::expressions(&exchange.settings.node, &mut found);
            for check in &exchange.settings.checks {
                text::expressions_of(&check.text, check.place, &mut found, 0);
            }
            used.extend(found.iter().flat_map(|(expression, _)| text::names_in(expression)).map(str::to_owned));
            in_files(&exchange.settings.node, &self.base, &mut used);
        }
        let is_used =
            |set: &DataSet| used.iter().any(|name| name.split_once('.').is_some_and(|(of, _)| of == set.name));
        (0u16..).zip(&self.data).filter(|(_, set)| is_used(set)).map(|(number, _)| number).collect()
    }
}

/// Names in body files: whichever scalar of an exchange's settings is the name of a file beside the study.
fn in_files(node: &Node, base: &Path, used: &mut HashSet<String>) {
    match &node.shape {
        Shape::List(members) => members.iter().for_each(|member| in_files(member, base, used)),
        Shape::Map(entries) => entries.iter().for_each(|(_, value)| in_files(value, base, used)),
        Shape::Text { text, .. } => {
            let is_name = !text.is_empty() && text.len() <= FILE_NAME_MAX && !text.contains(['\n', '\0', '$']);
            if !is_name || !base.join(text).is_file() {
                return;
            }
            let Ok(body) = contract::read_text_file(&base.join(text), FILE_BYTES_MAX) else { return };
            let mut found = Vec::new();
            text::expressions_of(&body, node.place, &mut found, 0);
            for (expression, _) in found {
                used.extend(text::names_in(expression).map(str::to_owned));
            }
        }
    }
}

fn warn(study: &mut Study, used: &HashSet<String>) {
    let mut warnings = Vec::new();
    for variable in study.variables.iter().filter(|variable| variable.is_assumption && !variable.is_used) {
        warnings.push(
            Mistake::at(variable.place, "study::unused", format!("nothing uses the assumption `{}`", variable.name))
                .label(format!("use it as `$({})`, or remove it", variable.name)),
        );
    }
    if study.system.instances.is_empty() {
        warnings.push(
            Mistake::nowhere(
                "study::no-instance",
                "nothing says what must answer: the identity of the target is not checked",
            )
            .hint("write `system: { name: …, url: …, identity: { path: /version, expect: { … } } }`"),
        );
    }
    for set in &study.data {
        let prefix = format!("{}.", set.name);
        if !used.iter().any(|name| name.starts_with(&prefix)) {
            warnings.push(
                Mistake::at(set.place, "study::unused", format!("nothing uses the data set `{}`", set.name))
                    .label(format!("use a column as `$({}.COLUMN)`, or remove it", set.name)),
            );
        }
    }
    for script in &study.scripts {
        let prefix = format!("{}.", script.name);
        let checks = study.exchanges.iter().flat_map(|exchange| &exchange.settings.checks);
        let is_in_check = checks
            .map(|check| &check.text)
            .any(|text| text.contains("script") && text::names_in(text).any(|name| name.starts_with(&prefix)));
        if !is_in_check && !used.iter().any(|name| name.starts_with(&prefix)) {
            warnings.push(
                Mistake::at(script.place, "study::unused", format!("nothing calls the script `{}`", script.name))
                    .label(format!("call it as `$({}.FUNCTION(…))`, or remove it", script.name)),
            );
        }
    }
    let sent = sent(study);
    for exchange in study.exchanges.iter().filter(|exchange| !sent.contains(&exchange.settings.number)) {
        warnings.push(
            Mistake::at(
                exchange.settings.node.place,
                "study::unused",
                format!("no scenario sends `{}`", exchange.name),
            )
            .label("add it to a `run`, or remove it"),
        );
    }
    study.warnings.extend(warnings);
}

/// Numbers of the exchanges that any scenario sends.
fn sent(study: &Study) -> HashSet<u16> {
    let parts = study.scenarios.iter().flat_map(|scenario| &scenario.parts);
    let of_part = |part: &LoadPart| {
        let around = part.set_up.iter().chain(&part.clean_up).map(|(number, _)| *number);
        crate::model::exchanges_of(&part.run).into_iter().chain(around).collect::<Vec<_>>()
    };
    parts.flat_map(of_part).collect()
}

/// Names of the secrets that this process needs for a run: all but those that only exchanges mention which no scenario
/// sends, or monitors that nodes elsewhere carry.
pub(crate) fn secrets_needed(study: &Study) -> HashSet<String> {
    let sent = sent(study);
    let is_sent = |key: &Node| {
        let exchange = study.exchanges.iter().find(|exchange| Some(exchange.name.as_str()) == key.text());
        exchange.is_none_or(|exchange| sent.contains(&exchange.settings.number))
    };
    let (mut found, mut used) = (Vec::new(), HashSet::new());
    for (key, value) in study.source.root.as_ref().and_then(|root| root.map()).unwrap_or_default() {
        match (key.text(), value.map()) {
            (Some("exchanges"), Some(exchanges)) => {
                let exchanges = exchanges.iter().filter(|(key, _)| is_sent(key));
                exchanges.for_each(|(_, exchange)| text::expressions(exchange, &mut found));
            }
            (Some("watch"), Some(monitors)) => {
                let source = &study.source.options.secrets;
                let here = monitors.iter().filter(|(_, monitor)| secrets::is_watched_here(monitor, source));
                here.for_each(|(_, monitor)| text::expressions(monitor, &mut found));
            }
            _ => text::expressions(value, &mut found),
        }
    }
    used.extend(found.iter().flat_map(|(expression, _)| text::names_in(expression)).map(str::to_owned));
    for exchange in study.exchanges.iter().filter(|exchange| sent.contains(&exchange.settings.number)) {
        in_files(&exchange.settings.node, &study.base, &mut used);
    }
    used.iter().filter_map(|name| name.strip_prefix("secret.")).map(str::to_owned).collect()
}

/// What is called [`contract::GENERATOR`] in every study.
const GENERATORS_OWN: &str = "the load generator's own monitor";

/// Names that would mean two things.
pub(crate) fn check_names(study: &Study, mistakes: &mut Mistakes) {
    for set in &study.data {
        if study.system.instances.iter().any(|instance| instance.name == set.name) {
            mistakes.push(taken(set.place, &set.name, "a data set", "an instance"));
        }
    }
    for script in &study.scripts {
        let instance = study.system.instances.iter().any(|instance| instance.name == script.name);
        let other = match study.data.iter().any(|set| set.name == script.name) {
            true => "a data set",
            false if instance => "an instance",
            false if script.name == "listeners" => "the addresses of listeners",
            false => continue,
        };
        mistakes.push(taken(script.place, &script.name, "a script", other));
    }
    for exchange in &study.exchanges {
        if study.watch.iter().any(|watch| watch.name == exchange.name) {
            mistakes.push(taken(exchange.settings.node.place, &exchange.name, "an exchange", "a monitor"));
        }
        if exchange.name == contract::GENERATOR {
            mistakes.push(taken(exchange.settings.node.place, &exchange.name, "an exchange", GENERATORS_OWN));
        }
        for capture in &exchange.settings.captures {
            if study.variables.iter().any(|variable| variable.name == capture.name) {
                mistakes.push(taken(capture.place, &capture.name, "a capture", "a variable"));
            }
        }
    }
}

/// Rules and tables name a transaction as they name an exchange.
pub(crate) fn check_transactions(study: &Study, transactions: &[(String, Place)], mistakes: &mut Mistakes) {
    for (name, place) in transactions {
        let is_exchange = study.exchanges.iter().any(|exchange| exchange.name == *name);
        let is_watch = study.watch.iter().any(|watch| watch.name == *name);
        let is_own = name == contract::GENERATOR;
        let other = match is_exchange {
            true => "an exchange",
            false if is_own => GENERATORS_OWN,
            false => "a monitor",
        };
        if is_exchange || is_watch || is_own {
            mistakes.push(taken(*place, name, "a transaction", other));
        }
    }
}

fn taken(place: Place, name: &str, one: &str, other: &str) -> Mistake {
    Mistake::at(place, "study::duplicate-name", format!("`{name}` is the name of {one} and of {other}"))
        .label("rename one of the two")
}

/// Walks through one iteration: a capture exists after `set_up` or after the exchange that captures it.
fn check_captures(study: &Study, scenario: usize, mistakes: &mut Mistakes) {
    let scenario = &study.scenarios[scenario];
    for part in &scenario.parts {
        // What one part captures is missing for another.
        let mut there: HashSet<&str> = HashSet::new();
        let name = if part.name.is_empty() { &scenario.name } else { &part.name };
        let mut walk = Walk { study, scenario: name, mistakes: &mut *mistakes };
        for (number, _) in &part.set_up {
            walk.exchange(*number, &mut there);
        }
        walk.items(&part.run, &mut there);
        // A user cleans up with what its own exchanges captured; anybody else has seen no iteration and no user.
        let mut of_node: HashSet<&str> = HashSet::new();
        let captured = |(number, _): &(u16, Per)| Some(&study.exchanges.get(usize::from(*number))?.settings.captures);
        let by_node = part.set_up.iter().filter(|(_, per)| *per != Per::User).filter_map(captured);
        of_node.extend(by_node.flatten().map(|capture| capture.name.as_str()));
        for (number, per) in &part.clean_up {
            walk.exchange(*number, if *per == Per::User { &mut there } else { &mut of_node });
        }
    }
}

struct Walk<'a, 'm> {
    study: &'a Study,
    scenario: &'a str,
    mistakes: &'m mut Mistakes,
}

impl<'a> Walk<'a, '_> {
    fn items(&mut self, items: &'a [Item], there: &mut HashSet<&'a str>) {
        for item in items {
            match item {
                Item::Exchange(number) => self.exchange(*number, there),
                Item::Choose(choices) => choices.iter().for_each(|choice| self.items(&choice.run, there)),
                Item::Times(_, inner) | Item::While(_, _, inner) | Item::Transaction(_, inner) => {
                    self.items(inner, there)
                }
                Item::If(_, then, otherwise) => {
                    self.items(then, there);
                    self.items(otherwise, there);
                }
                Item::ForEach(members, inner) => {
                    there.insert(&members.names.1);
                    self.items(inner, there);
                }
                Item::Parallel(parallel) => {
                    // What one of them captures is there for what follows, not for those beside it.
                    let before = there.clone();
                    for number in &parallel.calls {
                        self.exchange(*number, &mut before.clone());
                        let exchange = self.study.exchanges.get(usize::from(*number));
                        there.extend(exchange.into_iter().flat_map(captured_by));
                    }
                }
                Item::Think(_) => {}
            }
        }
    }

    fn exchange(&mut self, number: u16, there: &mut HashSet<&'a str>) {
        let Some(exchange) = self.study.exchanges.get(usize::from(number)) else { return };
        for (name, place) in captures_used(self.study, exchange) {
            if !there.contains(name) {
                self.mistakes.push(missing_capture(self.study, self.scenario, exchange, name, place));
            }
        }
        there.extend(captured_by(exchange));
    }
}

fn captured_by(exchange: &Exchange) -> impl Iterator<Item = &str> {
    exchange.settings.captures.iter().map(|capture| capture.name.as_str())
}

fn missing_capture(study: &Study, scenario: &str, exchange: &Exchange, name: &str, place: Place) -> Mistake {
    let by = study.exchanges.iter().find(|other| other.settings.captures.iter().any(|capture| capture.name == name));
    let by = by.map_or("", |exchange| exchange.name.as_str());
    Mistake::at(
        place,
        "study::capture-before",
        format!("in scenario `{scenario}`, `{}` uses `$({name})` before it has been captured", exchange.name),
    )
    .label(format!("`{by}` takes it"))
    .hint(format!(
        "write `set_up: [ {by}: per node ]`, or `per user` where there are users, or put `{by}` before it in `run`"
    ))
}

/// Captures that an exchange mentions, in the order found.
fn captures_used<'a>(study: &'a Study, exchange: &'a Exchange) -> Vec<(&'a str, Place)> {
    let mut found = Vec::new();
    text::expressions(&exchange.settings.node, &mut found);
    for check in &exchange.settings.checks {
        text::expressions_of(&check.text, check.place, &mut found, 0);
    }
    let named = |word: &str| study.captures.iter().find(|capture| *capture == word);
    let words = found.into_iter().flat_map(|(expression, place)| {
        // A function takes names; what stands in quotes is text, and names in it are expressions of their own.
        let outside = expression.split(['\'', '"']).step_by(if expression.contains('(') { 2 } else { 1 });
        outside.flat_map(text::names_in).map(move |word| (word, place)).collect::<Vec<_>>()
    });
    words.filter_map(|(word, place)| Some((named(word)?.as_str(), place))).collect()
}

/// Resolves every name in variables, exchanges and monitors, so that all unknown ones are found at once.
pub(crate) fn resolve_all(study: &Study, resolver: &Resolver<'_>, mistakes: &mut Mistakes) {
    for variable in &study.variables {
        mistakes.keep(resolver.text(&variable.value, variable.place));
    }
    for exchange in &study.exchanges {
        resolve_node(&exchange.settings.node, resolver, mistakes);
    }
    for watch in &study.watch {
        // Whichever instance it is: the monitor puts its name there.
        resolve_node(&named_after_an_instance(&watch.node), resolver, mistakes);
    }
}

/// The settings of a monitor with a word in the place of its instances' names.
fn named_after_an_instance(node: &Node) -> Node {
    let shape = match &node.shape {
        Shape::Text { .. } => return MonitorSettings::of_instance(node, "instance"),
        Shape::List(members) => Shape::List(members.iter().map(named_after_an_instance).collect()),
        Shape::Map(entries) => {
            Shape::Map(entries.iter().map(|(key, value)| (key.clone(), named_after_an_instance(value))).collect())
        }
    };
    Node { place: node.place, shape }
}

/// Resolves what an instance says of itself; it may use its own port, nonce and faults.
pub(crate) fn resolve_instance(instance: &Instance, resolver: &Resolver<'_>, mistakes: &mut Mistakes) {
    let nodes = instance.start.iter().chain(&instance.url);
    let pairs = instance.faults.iter().chain(&instance.env).map(|(_, node)| node);
    for node in nodes.chain(pairs) {
        resolve_node(node, resolver, mistakes);
    }
}

fn resolve_node(node: &Node, resolver: &Resolver<'_>, mistakes: &mut Mistakes) {
    match &node.shape {
        Shape::Text { text, .. } => {
            if text.contains("$(") {
                mistakes.keep(compile_template(text, node.place, resolver));
            }
        }
        Shape::List(members) => members.iter().for_each(|member| resolve_node(member, resolver, mistakes)),
        Shape::Map(entries) => entries.iter().for_each(|(_, value)| resolve_node(value, resolver, mistakes)),
    }
}
