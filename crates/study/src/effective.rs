//! The effective study: every default written out, includes merged, `--set` and `--for` applied, secrets as names.

mod capacity;
mod load;
mod profile;

use crate::model::rule::Rule;
use crate::model::{
    Applies, CheckLimits, Choice, CountedLeg, DataSet, Exchange, Instance, Inventory, Item, Listener, LoadPart, On,
    OnlyIf, Per, Requirement, Scenario, SecretName, Study, Text, Think, Traces, Trial, Variable, Wait, Watch,
};
use crate::names::secrets::Secrets;
use crate::syntax::arithmetic::{exact, exact_duration};
use crate::syntax::emit::{list, map, text, yaml};
use crate::syntax::text::escape;
use crate::syntax::{grid, search};
use crate::written;
use capacity::{capacity, compare};
use contract::{Capture, LegKind, Node, Probe, Which};
use load::{load, rate};
use std::collections::BTreeMap;
use terms::{Nanos, Quantity, Unit};

/// Writes the study. Reading the text gives the same study, on another machine too.
pub(crate) fn write(study: &Study, secrets: &Secrets) -> String {
    let variables = |is_assumption: bool| {
        let all = study.variables.iter().filter(move |variable| variable.is_assumption == is_assumption);
        all.map(|variable| (variable.name.clone(), Some(variable_node(variable)))).collect::<Vec<_>>()
    };
    let mut whole = map([
        ("study", Some(localized(&study.title))),
        ("about", study.about.as_ref().map(localized)),
        ("seed", Some(text(study.seed.to_string()))),
        ("trial", study.trial.as_ref().map(trial)),
        ("vars", some_map(variables(false))),
        ("assume", some_map(variables(true))),
        ("secrets", some_map(study.secrets.iter().map(|s| (s.name.clone(), Some(secret(s)))).collect())),
        ("nodes", nodes(study)),
        ("scripts", some_map(study.scripts.iter().map(|s| (s.name.clone(), Some(text(s.text.as_str())))).collect())),
        (
            "namespaces",
            some_map(study.namespaces.iter().map(|(p, uri)| (p.clone(), Some(text(uri.as_str())))).collect()),
        ),
        ("data", some_map(study.data.iter().map(|set| (set.name.clone(), Some(data_set(set)))).collect())),
        ("system", Some(system(study))),
        ("listeners", some_map(study.listeners.iter().map(|l| (l.name.clone(), Some(listener(l)))).collect())),
        ("watch", some_map(study.watch.iter().map(|watch| (watch.name.clone(), Some(watch_node(watch)))).collect())),
        (
            "exchanges",
            Some(map(study.exchanges.iter().map(|e| (e.name.clone(), Some(exchange(e, &study.secret_captures)))))),
        ),
        ("scenarios", Some(map(study.scenarios.iter().map(|s| (s.name.clone(), Some(scenario(s, study))))))),
        ("order", Some(list(study.scenarios.iter().map(|scenario| text(scenario.name.as_str()))))),
        ("repeat", Some(text(study.repeat.to_string()))),
        (
            "requirements",
            some_map(study.requirements.iter().map(|r| (r.name.clone(), Some(requirement(r, study)))).collect()),
        ),
        ("compare", some_map(study.compare.iter().map(|one| (one.name.clone(), Some(compare(one, study)))).collect())),
        ("capacity", capacity(study)),
        ("validity", some_map(study.validity.iter().map(|one| (one.check.clone(), Some(check_limits(one)))).collect())),
        ("traces", study.traces.as_ref().map(traces)),
        ("report", Some(report(study))),
    ]);
    written::replace(&mut whole, study, secrets);
    yaml(&whole)
}

fn trial(trial: &Trial) -> Node {
    map([
        ("asked", Some(duration(trial.asked))),
        ("factor", Some(text(trial.factor.to_string()))),
        ("left_out", Some(list(trial.left_out.iter().map(|sentence| text(sentence.as_str()))))),
    ])
}

fn secret(secret: &SecretName) -> Node {
    let file = secret.source.strip_prefix("file ").map(text);
    map([("file", file), ("source", Some(text(secret.source.as_str())))])
}

fn data_set(set: &DataSet) -> Node {
    let pick = set.order.word();
    let at_end = if set.stops_at_end { "stop" } else { "recycle" };
    map([("file", Some(text(set.file.as_str()))), ("pick", Some(text(pick))), ("at_end", Some(text(at_end)))])
}

fn some_map(entries: Vec<(String, Option<Node>)>) -> Option<Node> {
    (!entries.is_empty()).then(|| map(entries))
}

fn some_list(members: Vec<Node>) -> Option<Node> {
    (!members.is_empty()).then(|| list(members))
}

fn duration(span: Nanos) -> Node {
    text(exact_duration(span))
}

fn localized(value: &Text) -> Node {
    match value.0.as_slice() {
        [(language, only)] if language.is_empty() => text(only.as_str()),
        texts => map(texts.iter().map(|(language, value)| (language.clone(), Some(text(value.as_str()))))),
    }
}

fn localized_list(texts: &[Text]) -> Option<Node> {
    some_list(texts.iter().map(localized).collect())
}

fn variable_node(variable: &Variable) -> Node {
    let value = text(variable.written.as_str());
    if !variable.is_assumption {
        return value;
    }
    map([
        ("value", Some(value)),
        ("about", variable.about.as_ref().map(localized)),
        ("used", variable.is_used.then(|| text("true"))),
    ])
}

fn system(study: &Study) -> Node {
    let system = &study.system;
    map([
        ("name", (!system.name.is_empty()).then(|| text(system.name.as_str()))),
        ("about", system.about.as_ref().map(localized)),
        ("work", localized_list(&system.work)),
        ("not_exercised", localized_list(&system.not_exercised)),
        ("differs", localized_list(&system.differs)),
        ("inventory", system.inventory.as_ref().map(inventory)),
        (
            "stated",
            some_map(system.stated.iter().map(|(name, value)| (name.clone(), Some(text(escape(value))))).collect()),
        ),
        ("instances", Some(map(system.instances.iter().map(|i| (i.name.clone(), Some(instance(i))))))),
    ])
}

fn inventory(inventory: &Inventory) -> Node {
    let cells = |cells: &[String]| list(cells.iter().map(|cell| text(escape(cell))));
    map([
        ("file", Some(text(inventory.file.as_str()))),
        ("columns", Some(cells(&inventory.columns))),
        ("rows", Some(list(inventory.rows.iter().map(|row| cells(row))))),
    ])
}

fn check_limits(limits: &CheckLimits) -> Node {
    let unit = if limits.is_time() { Unit::Time } else { Unit::Share };
    let limit = |value: Option<f64>| value.map(|value| text(exact(&Quantity { value, unit: unit.clone() })));
    map([
        ("questionable", limit(limits.questionable)),
        ("invalid", limit(limits.invalid)),
        ("because", Some(text(limits.because.as_str()))),
    ])
}

fn traces(traces: &Traces) -> Node {
    map([
        ("send", Some(text("w3c"))),
        ("per", Some(text(if traces.per_iteration { "iteration" } else { "exchange" }))),
        ("sampled", Some(text(exact(&Quantity { value: traces.sampled, unit: Unit::Share })))),
        ("link", traces.link.as_deref().map(text)),
    ])
}

fn instance(instance: &Instance) -> Node {
    let written = &instance.written;
    let names = |names: &[String]| some_list(names.iter().map(|name| text(name.as_str())).collect());
    let pairs = |pairs: &[(String, Node)]| some_map(pairs.iter().map(|(k, v)| (k.clone(), Some(v.clone()))).collect());
    let expect = instance.expect.iter().map(|(key, value)| (key.clone(), Some(text(escape(value))))).collect();
    let is_started = instance.start.is_some();
    let identity = if instance.identity.is_empty() { "none" } else { instance.identity.as_str() };
    map([
        ("start", instance.start.clone()),
        ("url", instance.url.clone()),
        ("ports", names(&instance.ports)),
        (
            "replicas",
            is_started.then(|| written.replicas.clone().unwrap_or_else(|| text(instance.replicas.to_string()))),
        ),
        ("needs", names(&instance.needs)),
        ("ready", Some(text(instance.ready.as_deref().unwrap_or("none")))),
        ("ready_within", written.ready_within.clone().or_else(|| instance.ready_within.map(duration))),
        ("tls", written.tls.clone().or_else(|| instance.tls.clone())),
        ("proxy", instance.proxy.clone()),
        ("stop", is_started.then(|| written.stop.clone().unwrap_or_else(|| duration(instance.stop)))),
        (
            "identity",
            written.identity.clone().or_else(|| {
                Some(map([
                    ("path", Some(text(identity))),
                    ("expect", some_map(expect)),
                    ("contains", instance.contains.as_deref().map(|found| text(escape(found)))),
                    ("status", instance.signs.status.map(|status| text(status.to_string()))),
                    ("header", instance.signs.header.as_deref().map(text)),
                    ("fingerprint", instance.signs.shown_fingerprint().map(text)),
                ]))
            }),
        ),
        ("faults", pairs(&instance.faults)),
        ("env", pairs(&instance.env)),
        ("cores", some_list(instance.cores.iter().map(|core| text(core.to_string())).collect())),
    ])
}

fn listener(listener: &Listener) -> Node {
    let tls = listener.tls.as_ref().map(|tls| {
        map([
            ("certificate", Some(text(tls.certificate.as_str()))),
            ("key", Some(text(tls.key.as_str()))),
            ("clients", tls.clients.as_deref().map(text)),
        ])
    });
    let http = map([
        ("bind", Some(text(listener.bind.as_str()))),
        ("port", listener.port.map(|port| text(port.to_string()))),
        ("public", listener.public.as_deref().map(text)),
        ("tls", tls),
    ]);
    map([("http", Some(http))])
}

/// A node's name, `ssh://db1`, or a map where a configuration of ssh is named.
fn on(on: &On) -> Node {
    let machine = match on {
        On::Ssh(machine) => machine,
        On::Node(name, _) => return text(name.as_str()),
    };
    let url = text(machine.url());
    match &machine.config {
        None => url,
        Some(path) => map([("ssh", Some(url)), ("config", Some(text(path.display().to_string())))]),
    }
}

fn watch_node(watch: &Watch) -> Node {
    map([
        (watch.kind.as_str(), Some(watch.node.clone())),
        ("of", some_list(watch.of.iter().map(|name| text(name.as_str())).collect())),
        ("on", watch.on.as_ref().map(on)),
        ("every", Some(duration(watch.every))),
    ])
}

fn exchange(exchange: &Exchange, said: &BTreeMap<String, bool>) -> Node {
    let settings = &exchange.settings;
    let connection = [
        ("reuse", Some(text(settings.reuse.to_string()))),
        ("idle", settings.idle.map(duration)),
        ("retry", settings.reuse.then(|| text(settings.retry.to_string()))),
        ("addresses", settings.all_addresses.then(|| text("all"))),
        ("max", exchange.connections_max.map(|max| text(max.to_string()))),
    ];
    let incoming = &settings.incoming;
    let leg = |(number, leg): (usize, &LegKind)| {
        let of_first = |value: Option<Node>| value.filter(|_| number == 0);
        let keys = [
            ("within", settings.within.get(leg.name).map(|within| duration(*within))),
            ("expect", of_first(incoming.expect.map(rate))),
            ("sequence", of_first(incoming.sequence.as_ref().map(|probe| text(probe_text(probe))))),
            ("sent", of_first(incoming.sent.as_ref().map(|probe| text(probe_text(probe))))),
        ];
        keys.iter().any(|(_, value)| value.is_some()).then(|| (leg.name.to_owned(), Some(map(keys))))
    };
    let counted = |leg: &CountedLeg| {
        let by = format!("{}.{}", leg.monitor, leg.metric);
        (leg.name.clone(), Some(map([("counted_by", Some(text(by))), ("of", leg.of.as_deref().map(text))])))
    };
    map([
        (format!("{}.{}", exchange.driver, settings.operation), Some(settings.node.clone())),
        ("timeout".into(), Some(duration(settings.timeout))),
        (
            "legs".into(),
            some_map(
                exchange.legs.iter().enumerate().filter_map(leg).chain(exchange.counted.iter().map(counted)).collect(),
            ),
        ),
        ("check".into(), some_list(settings.checks.iter().map(|check| text(check.text.as_str())).collect())),
        (
            "carries".into(),
            some_map(exchange.carries.iter().map(|it| (it.unit.clone(), Some(it.count.clone()))).collect()),
        ),
        (
            "capture".into(),
            some_map(settings.captures.iter().map(|c| (c.name.clone(), Some(capture(c, said.get(&c.name))))).collect()),
        ),
        ("connection".into(), Some(map(connection))),
    ])
}

/// Where to look, as it is written.
fn probe_text(probe: &Probe) -> String {
    match probe {
        Probe::Status => "status".to_owned(),
        Probe::Body => "body".to_owned(),
        Probe::Size => "size".to_owned(),
        Probe::Header(name) => format!("header({name})"),
        Probe::HeaderPart { name, pattern } => {
            let quote = contract::quote_of(pattern);
            format!("header({name}, {quote}{pattern}{quote})")
        }
        Probe::Json(path) => format!("json({path})"),
        Probe::Xpath { path, is_xml: false } => format!("xpath({path})"),
        Probe::Xpath { path, is_xml: true } => format!("xpath({path}, xml)"),
        Probe::Regex(expression) => format!("regex({expression})"),
        // Only checks have scripts; they are written as their author did.
        Probe::Script(_) => String::new(),
    }
}

fn capture(capture: &Capture, said: Option<&bool>) -> Node {
    let from = text(probe_text(&capture.probe));
    let pick = match capture.pick {
        Which::First => None,
        Which::Any => Some(text("any")),
        Which::All => Some(text("all")),
    };
    if said.is_none() && pick.is_none() && !capture.is_optional {
        return from;
    }
    map([
        ("from", Some(from)),
        ("secret", said.map(|is_secret| text(is_secret.to_string()))),
        ("pick", pick),
        ("optional", capture.is_optional.then(|| text("true"))),
    ])
}

fn scenario(scenario: &Scenario, study: &Study) -> Node {
    let set = |set: &[(String, String)]| {
        some_map(set.iter().map(|(name, value)| (name.clone(), Some(text(value.as_str())))).collect())
    };
    let rules = |rules: &[Rule]| some_list(rules.iter().map(|rule| text(rule.text.as_str())).collect());
    let only_if = |condition: &OnlyIf| {
        let of = study.scenarios.get(usize::from(condition.of)).map(|of| text(of.name.as_str()));
        map([("of", of), ("holds", Some(text(condition.rule.text.as_str())))])
    };
    let mut keys = vec![
        ("set", set(&scenario.set)),
        ("cell", scenario.cell.as_ref().map(grid::written)),
        ("point", scenario.point.as_ref().map(search::written)),
        ("repeat", Some(text(scenario.repeat.to_string()))),
        ("shorten", scenario.is_whole.then(|| text("false"))),
    ];
    if scenario.is_mix() {
        let part = |part: &LoadPart| {
            let mut keys = vec![("set", set(&part.set))];
            keys.extend(driven(part, study));
            keys.push(("after", Some(duration(part.after))));
            keys.push(("abort", rules(&part.abort)));
            (part.name.clone(), Some(map(keys)))
        };
        keys.push(("mix", Some(map(scenario.parts.iter().map(part)))));
    } else {
        keys.extend(scenario.parts.iter().flat_map(|part| driven(part, study)));
    }
    keys.extend([
        ("idle", Some(wait(scenario, Wait::Idle))),
        ("drain", Some(scenario.drain.map_or_else(|| text("automatic"), |_| wait(scenario, Wait::Drain)))),
        ("recovery", Some(wait(scenario, Wait::Recovery))),
        ("gap", Some(wait(scenario, Wait::Gap))),
        ("abort", rules(&scenario.abort)),
        ("only_if", scenario.only_if.as_ref().map(only_if)),
    ]);
    map(keys)
}

/// A duration, or what ends it with the longest.
fn wait(scenario: &Scenario, wait: Wait) -> Node {
    let most = duration(scenario.longest(wait));
    match scenario.until.get(&wait) {
        None => most,
        Some(rule) => map([("until", Some(text(rule.text.as_str()))), ("at_most", Some(most))]),
    }
}

/// What a part does and how much of it.
fn driven(part: &LoadPart, study: &Study) -> Vec<(&'static str, Option<Node>)> {
    vec![
        ("load", Some(load(&part.load, study))),
        ("run", Some(list(items(&part.run, study)))),
        ("set_up", around(&part.set_up, study)),
        ("clean_up", around(&part.clean_up, study)),
    ]
}

fn name_of(study: &Study, number: u16) -> String {
    let transaction = || study.transactions.get(usize::from(number) - study.exchanges.len()).cloned();
    let exchange = study.exchanges.get(usize::from(number)).map(|exchange| exchange.name.clone());
    exchange.or_else(transaction).unwrap_or_default()
}

fn around(exchanges: &[(u16, Per)], study: &Study) -> Option<Node> {
    let member = |(number, per): &(u16, Per)| {
        let per = match per {
            Per::Study => "per study",
            Per::Scenario => "per scenario",
            Per::Node => "per node",
            Per::User => "per user",
        };
        map([(name_of(study, *number), Some(text(per)))])
    };
    some_list(exchanges.iter().map(member).collect())
}

/// What an iteration does, or a part of it, as the study would write it.
pub fn run_node(study: &Study, run: &[Item]) -> Node {
    list(items(run, study))
}

fn items(run: &[Item], study: &Study) -> Vec<Node> {
    let item = |item: &Item| match item {
        Item::Exchange(number) => text(name_of(study, *number)),
        Item::Think(wait) => map([("think", Some(think(*wait)))]),
        Item::Choose(choices) => {
            let weight = |weight: f64| text(exact(&Quantity { value: weight, unit: Unit::Share }));
            let choice = |choice: &Choice| match choice.run.as_slice() {
                [Item::Exchange(number)] if name_of(study, *number) == choice.name => {
                    (choice.name.clone(), Some(weight(choice.share)))
                }
                run => {
                    let run = Some(list(items(run, study)));
                    (choice.name.clone(), Some(map([("share", Some(weight(choice.share))), ("run", run)])))
                }
            };
            map([("choose", Some(map(choices.iter().map(choice))))])
        }
        Item::If(condition, then, otherwise) => map([
            ("if", Some(text(condition.text.as_str()))),
            ("then", Some(list(items(then, study)))),
            ("else", some_list(items(otherwise, study))),
        ]),
        Item::While(condition, most, inner) => map([
            ("while", Some(text(condition.text.as_str()))),
            ("most", Some(text(most.to_string()))),
            ("run", Some(list(items(inner, study)))),
        ]),
        Item::ForEach(members, inner) => map([
            ("for each", Some(text(members.names.0.as_str()))),
            ("as", Some(text(members.names.1.as_str()))),
            ("most", Some(text(members.most.to_string()))),
            ("run", Some(list(items(inner, study)))),
        ]),
        // Its transaction is made of it, and has its name from it.
        Item::Transaction(_, inner) if matches!(inner.as_slice(), [Item::Parallel(_)]) => {
            items(inner, study).pop().unwrap_or_else(|| text(""))
        }
        Item::Parallel(parallel) => map([
            ("parallel", some_list(parallel.calls.iter().map(|number| text(name_of(study, *number))).collect())),
            ("at_once", Some(text(parallel.at_once.to_string()))),
        ]),
        Item::Transaction(number, inner) => {
            map([("transaction", Some(text(name_of(study, *number)))), ("run", Some(list(items(inner, study))))])
        }
        Item::Times(times, inner) => {
            map([("times", Some(text(times.to_string()))), ("run", Some(list(items(inner, study))))])
        }
    };
    run.iter().map(item).collect()
}

fn think(wait: Think) -> Node {
    let written = |time: Nanos| duration(time).text().unwrap_or_default().to_owned();
    match wait {
        Think::Fixed(time) => duration(time),
        Think::Between(least, most) => text(format!("{} to {}", written(least), written(most))),
        Think::Exponential(mean) => text(format!("exponential({})", written(mean))),
    }
}

/// Nothing where there is one node and the run decides on its threads.
fn nodes(study: &Study) -> Option<Node> {
    let count = (study.nodes > 1).then(|| text(study.nodes.to_string()));
    let cores = study.cores.map(|cores| text(cores.to_string()));
    let at = study.nodes_are_here.then(|| text("local"));
    let is_said = count.is_some() || cores.is_some() || at.is_some();
    is_said.then(|| map([("count", count), ("cores", cores), ("at", at)]))
}

fn requirement(requirement: &Requirement, study: &Study) -> Node {
    let each = |value: fn(&Applies) -> Node| {
        map(requirement.applies.iter().map(|a| (study.scenarios[a.scenario].name.clone(), Some(value(a)))))
    };
    map([
        ("that", Some(each(|applies| text(applies.rule.text.as_str())))),
        ("about", requirement.about.as_ref().map(localized)),
        ("severity", Some(each(|applies| text(applies.severity.name())))),
        ("needs", Some(text(if requirement.needs_all { "all" } else { "any" }))),
    ])
}

fn report(study: &Study) -> Node {
    let report = &study.report;
    let words = |words: &[String]| Some(list(words.iter().map(|word| text(word.as_str()))));
    let mut keys = vec![
        (
            "profile".to_owned(),
            Some(report.own_profile.as_ref().map_or_else(|| text(report.profile.as_str()), profile::profile)),
        ),
        ("languages".to_owned(), words(&report.languages)),
        ("formats".to_owned(), words(&report.formats)),
    ];
    keys.extend(report.title_page.iter().map(|(key, value)| (key.clone(), Some(localized(value)))));
    let comments = report.comments.iter().map(|(place, value)| (place.clone(), Some(localized(value)))).collect();
    let links = report.links.iter().map(|(name, link)| (name.clone(), Some(text(link.as_str())))).collect();
    let history = report.history.iter().map(|entry| {
        map([
            ("version", Some(text(entry.version.as_str()))),
            ("date", (!entry.date.is_empty()).then(|| text(entry.date.as_str()))),
            ("author", entry.author.as_ref().map(localized)),
            ("changes", entry.changes.as_ref().map(localized)),
        ])
    });
    keys.push(("sections".to_owned(), some_list(report.sections.iter().map(|name| text(name.as_str())).collect())));
    keys.push(("history".to_owned(), some_list(history.collect())));
    keys.push(("comments".to_owned(), some_map(comments)));
    keys.push(("expectations".to_owned(), localized_list(&report.expectations)));
    keys.push(("links".to_owned(), some_map(links)));
    let kept = report.keep_out.iter().map(|kept| text(format!("{}.{}", kept.set, kept.column)));
    keys.push(("keep_out".to_owned(), some_list(kept.collect())));
    map(keys)
}
