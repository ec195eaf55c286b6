//! `watch`: the monitors that a study names.

use crate::Registry;
use crate::model::Watch;
use crate::names::variables::Scope;
use crate::syntax::keys::{Form, Key, key};
use crate::syntax::{not_yet, read};
use contract::{Mistake, Mistakes, Node, Shape, suggestion};
use terms::Nanos;

/// Keys of a monitor besides its kind.
pub(crate) static COMMON: [Key; 3] = [
    key("of", Form::Some(&Form::Text), "instances it watches; all"),
    key("on", Form::NotYet, "node it runs on"),
    key("every", Form::Duration, "time between samples; 1s"),
];

/// More frequent sampling would disturb the system.
const EVERY_LEAST: Nanos = Nanos::from_millis(100);

/// Reads `watch`.
pub(crate) fn read(
    node: &Node,
    registry: &Registry<'_>,
    instances: &[String],
    scope: &Scope,
    mistakes: &mut Mistakes,
) -> Vec<Watch> {
    let Some(entries) = node.map() else {
        mistakes.push(
            Mistake::at(node.place, "study::wrong-type", format!("`watch` is {}, not a map", node.what()))
                .label("write `{ host: {} }`"),
        );
        return Vec::new();
    };
    let mut found = Vec::new();
    for (key, value) in entries {
        if let Some(name) = read::name(key, "a monitor", mistakes) {
            found.extend(read_one(name, key, value, registry, instances, scope, mistakes));
        }
    }
    found
}

fn read_one(
    name: String,
    key: &Node,
    node: &Node,
    registry: &Registry<'_>,
    instances: &[String],
    scope: &Scope,
    mistakes: &mut Mistakes,
) -> Option<Watch> {
    let entries = match node.map() {
        Some(entries) => entries,
        None if node.is_missing() => &[],
        None => {
            mistakes.push(
                Mistake::at(node.place, "study::wrong-type", format!("monitor `{name}` is {}, not a map", node.what()))
                    .label("write `{}` when it needs no settings"),
            );
            return None;
        }
    };
    let value_of = |key: &str| node.get(key).filter(|node| !node.is_missing());
    let mut of = Vec::new();
    for member in value_of("of").map(read::members).unwrap_or_default() {
        of.extend(read::one_of(member, "instance", instances, mistakes).map(|index| instances[index].clone()));
    }
    if let Some(on) = value_of("on") {
        not_yet::refuse("on", on.place, mistakes);
    }
    let every = value_of("every").and_then(|node| every(&scope.fill_node(node, mistakes), mistakes));
    let own: Vec<_> =
        entries.iter().filter(|(key, _)| !COMMON.iter().any(|row| Some(row.name) == key.text())).cloned().collect();
    // Without a kind the monitor stays as a stand-in, so that rules that name it are not blamed.
    let stand_in = || (String::new(), Node::text_at(node.place, ""));
    let (kind, node) = kind(&name, key, node, own, registry, mistakes).unwrap_or_else(stand_in);
    Some(Watch { name, kind, node, of, every: every.unwrap_or(Nanos::SECOND) })
}

fn every(node: &Node, mistakes: &mut Mistakes) -> Option<Nanos> {
    let every = read::some_duration(node, "`every`", mistakes)?;
    if every < EVERY_LEAST {
        mistakes.push(
            Mistake::at(node.place, "study::out-of-range", format!("`every` is less than {EVERY_LEAST}"))
                .label("watching more often would disturb what is watched"),
        );
    }
    Some(every)
}

/// The kind and its settings: a separate key, or the name itself if it is a kind.
fn kind(
    name: &str,
    key: &Node,
    node: &Node,
    own: Vec<(Node, Node)>,
    registry: &Registry<'_>,
    mistakes: &mut Mistakes,
) -> Option<(String, Node)> {
    let known: Vec<&str> = registry.monitors.iter().map(|kind| kind.name).collect();
    if let [(kind, settings)] = own.as_slice()
        && let Some(text) = kind.text().filter(|text| known.contains(text))
    {
        return Some((text.to_owned(), settings.clone()));
    }
    if known.contains(&name) {
        return Some((name.to_owned(), Node { place: node.place, shape: Shape::Map(own) }));
    }
    let (place, found) = match own.as_slice() {
        [] => (key.place, name),
        [(kind, _), ..] => (kind.place, kind.text().unwrap_or_default()),
    };
    let mistake = match own.len() {
        0 | 1 => Mistake::at(place, "study::unknown-kind", format!("there is no monitor `{found}`")),
        _ => Mistake::at(place, "study::unknown-kind", format!("monitor `{name}` needs exactly one kind")),
    };
    let mistake = match suggestion(found, known.iter().copied()) {
        Some(near) => mistake.label(format!("did you mean `{near}`?")),
        None => mistake,
    };
    mistakes.push(mistake.hint(format!("monitors are: {}", known.join(", "))));
    None
}
