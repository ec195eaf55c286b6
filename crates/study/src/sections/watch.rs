//! `watch`: the monitors that a study names.

use crate::Registry;
use crate::model::{On, Watch, load_node};
use crate::names::variables::Scope;
use crate::syntax::keys::{Form, Key, Reader, key, required};
use crate::syntax::read;
use contract::{Machine, Mistake, Mistakes, MonitorKind, Node, Shape, slip_of, suggestion};
use terms::Nanos;

/// Keys of a monitor besides its kind.
pub(crate) static COMMON: [Key; 3] = [
    key("of", Form::Some(&Form::Text), "instances it watches; all"),
    key(
        "on",
        Form::Any(&[Form::Machine, Form::Table(&ON)]),
        "the machine it watches: the name of a node there, or over ssh, `ssh://user@host:port`; the one that conducts the run",
    ),
    key("every", Form::Duration, "time between samples; 1s"),
];

/// Keys of `on`, where it is a map.
static ON: [Key; 2] = [
    required("ssh", Form::Text, "the machine: `user@host:port`"),
    key("config", Form::Text, "a configuration file of ssh, beside the study; the user's own"),
];

/// Longest name of a node: that of a host in DNS.
const NODE_NAME_MAX: usize = 253;

/// Monitors that every run has, of loadproof itself; rules and the record know them by these names.
pub(crate) const OWN: [&str; 3] = [contract::GENERATOR, "listeners", "drivers"];

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
        if let Some(name) = read::name(key, "a monitor", mistakes)
            && !is_own(&name, key, mistakes)
        {
            let one = read_one(name, (key, value), registry, instances, scope, mistakes);
            // With a slip in the name that is also its kind, rules may have the name as it is meant.
            let meant = one.as_ref().filter(|one| is_slip_of_kind(&one.name, &one.kind, value));
            let meant = meant.map(|one| stand_in(one.kind.clone(), one)).filter(|it| node.get(&it.name).is_none());
            found.extend(one.into_iter().chain(meant));
        }
    }
    found
}

/// Whether a monitor was meant to be called by its kind, and is not.
fn is_slip_of_kind(name: &str, kind: &str, node: &Node) -> bool {
    !kind.is_empty() && name != kind && node.get(kind).is_none() && slip_of(name, [kind]).is_some()
}

/// A monitor without a kind beside another, so that rules that name it are not blamed.
fn stand_in(name: String, beside: &Watch) -> Watch {
    Watch { name, kind: String::new(), node: Node::text_at(beside.node.place, ""), ..beside.clone() }
}

/// Leaves out what only stands beside a monitor, where something else has its name: that is what rules mean by it.
pub(crate) fn drop_stand_ins(watched: &mut Vec<Watch>, is_taken: impl Fn(&str) -> bool) {
    let is_stand_in = |watch: &Watch| watch.kind.is_empty() && watch.node.text() == Some("");
    watched.retain(|watch| !(is_stand_in(watch) && is_taken(&watch.name)));
}

/// Refuses the name of a monitor that is there anyway.
fn is_own(name: &str, key: &Node, mistakes: &mut Mistakes) -> bool {
    let is_own = OWN.contains(&name);
    if is_own {
        let mistake =
            Mistake::at(key.place, "study::duplicate-name", format!("every run has a monitor `{name}` of its own"))
                .label("remove this, or choose another name");
        mistakes.push(match name == contract::GENERATOR {
            true => mistake.hint("rules name it without an entry here: `max(generator.rss) < 100 MiB`"),
            false => mistake,
        });
    }
    is_own
}

fn read_one(
    name: String,
    (key, node): (&Node, &Node),
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
    let on = value_of("on").and_then(|node| on(&scope.fill_node(node, mistakes), mistakes));
    let every = value_of("every").and_then(|node| every(&scope.fill_node(node, mistakes), mistakes));
    let own: Vec<_> =
        entries.iter().filter(|(key, _)| !COMMON.iter().any(|row| Some(row.name) == key.text())).cloned().collect();
    let (kind, node) = kind(&name, key, node, own, registry, mistakes);
    if let Some(On::Ssh(on)) = &on
        && let Some(known) = registry.monitors.iter().find(|known| known.name == kind)
    {
        refuse_elsewhere(known, on, registry, mistakes);
    }
    Some(Watch { name, kind, node, of, on, every: every.unwrap_or(Nanos::SECOND) })
}

/// Reads `on`: the name of a node, `ssh://user@host:port`, or a map with `ssh` and what `ssh` is to be told besides.
fn on(node: &Node, mistakes: &mut Mistakes) -> Option<On> {
    let (address, config, scheme) = if node.map().is_some() {
        let mut keys = Reader::of(node, &ON, "`on`", mistakes);
        let (address, config) = (keys.need("ssh", mistakes), keys.take("config"));
        keys.finish(mistakes);
        (address?, config, "ssh://")
    } else {
        (node, None, "")
    };
    let text = mistakes.keep(address.as_text("`on`"))?;
    if scheme.is_empty() && is_node(text) {
        return Some(On::Node(text.to_owned(), address.place));
    }
    let scheme = if text.starts_with("ssh://") { "" } else { scheme };
    let config = config.and_then(|node| mistakes.keep(node.as_text("`config`")));
    match Machine::parse(&format!("{scheme}{text}")) {
        Ok(machine) => Some(On::Ssh(Machine { config: config.map(Into::into), place: address.place, ..machine })),
        Err(why) => {
            let mistake = Mistake::at(address.place, "study::bad-machine", format!("`{}` {why}", text.escape_debug()));
            mistakes.push(
                mistake.label("write for example `ssh://perf@db1` or `ssh://perf@10.0.0.7:2222`, or the name of a node")
                    .hint("keys, names and jumps are those of `~/.ssh/config`; try it with `ssh -o BatchMode=yes perf@db1 true`"),
            );
            None
        }
    }
}

/// Whether this names a node: as machines are named.
fn is_node(text: &str) -> bool {
    let is_sign = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '_');
    text.len() <= NODE_NAME_MAX && text.starts_with(|c: char| c.is_ascii_alphanumeric()) && text.chars().all(is_sign)
}

/// Whether a node that only watches may be called so.
///
/// # Errors
/// Why not, with what to type.
pub fn check_node_name(name: &str) -> Result<(), String> {
    if !is_node(name) {
        let shown = name.escape_debug();
        return Err(format!(
            "`--name {shown}` is not the name of a node; letters, digits, `.`, `-` and `_` make one: `--name db1`"
        ));
    }
    if load_node(name).is_some() {
        return Err(format!("`{name}` is what a load node is called; choose another name, such as `--name db1`"));
    }
    Ok(())
}

/// The node that carries a monitor, as far as its text says so before variables are known.
pub(crate) fn carrier_of(monitor: &Node) -> Option<&str> {
    monitor.get("on")?.text().filter(|text| is_node(text))
}

/// Load nodes are called by their numbers, so there are as many as the study has.
pub(crate) fn check_nodes(watched: &[Watch], nodes: u16, mistakes: &mut Mistakes) {
    for watch in watched {
        let Some(On::Node(name, place)) = &watch.on else { continue };
        if load_node(name).is_none_or(|number| number <= nodes) {
            continue;
        }
        let has = if nodes == 1 { "one load node, `node-1`".into() } else { format!("{nodes} load nodes") };
        mistakes.push(
            Mistake::at(*place, "study::unknown-node", format!("there is no `{name}`: the study has {has}"))
                .label(if nodes == 1 { "write `node-1`".into() } else { format!("write `node-1` to `node-{nodes}`") })
                .hint("a node that only watches has a name of its own: `loadproof node --nats URL --name db1`"),
        );
    }
}

/// A monitor that only watches where it runs, or asks over the network anyway.
fn refuse_elsewhere(kind: &MonitorKind, on: &Machine, registry: &Registry<'_>, mistakes: &mut Mistakes) {
    if kind.over_ssh {
        return;
    }
    let can: Vec<String> =
        registry.monitors.iter().filter(|kind| kind.over_ssh).map(|kind| format!("`{}`", kind.name)).collect();
    mistakes.push(
        Mistake::at(on.place, "study::not-over-ssh", format!("`{}` does not watch over ssh", kind.name))
            .label("leave this out")
            .hint(format!(
                "these watch over ssh: {}. What has its own address, such as a database or a metrics page, is asked there; \
                 a node on that machine watches everything: `on: db1`",
                can.join(", ")
            )),
    );
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

/// The kind and its settings: a separate key, or the name itself if it is a kind. One slip in it is a mistake after which the
/// rest is read as what it is a slip of. A monitor whose kind is not known stays without one, so that rules that name it are
/// not blamed; the names in its settings are looked at.
fn kind(
    name: &str,
    key: &Node,
    node: &Node,
    own: Vec<(Node, Node)>,
    registry: &Registry<'_>,
    mistakes: &mut Mistakes,
) -> (String, Node) {
    let known: Vec<&str> = registry.monitors.iter().map(|kind| kind.name).collect();
    if let [(kind, settings)] = own.as_slice()
        && let Some(text) = kind.text().filter(|text| known.contains(text))
    {
        return (text.to_owned(), settings.clone());
    }
    let all = Node { place: node.place, shape: Shape::Map(own.clone()) };
    if known.contains(&name) {
        return (name.to_owned(), all);
    }
    let slip = |found: &str| slip_of(found, known.iter().copied());
    // `hots: { disks: … }` has a slip in its name, and no kind `disks`.
    let keys = slip(name).and_then(|kind| registry.monitor(kind)).map(|kind| kind.keys);
    let is_key = |key: &Node| {
        keys.is_some_and(|keys| suggestion(key.text().unwrap_or_default(), keys.iter().copied()).is_some())
    };
    let (place, found, settings) = match own.as_slice() {
        [(kind, settings)] if !is_key(kind) => (kind.place, kind.text().unwrap_or_default(), settings.clone()),
        [(kind, _), ..] if !own.iter().all(|(key, _)| is_key(key)) => {
            (kind.place, kind.text().unwrap_or_default(), all)
        }
        _ => (key.place, name, all),
    };
    let is_one = own.len() < 2 || found == name;
    let mistake = match is_one {
        true => Mistake::at(place, "study::unknown-kind", format!("no kind of monitor is called `{found}`")),
        false => Mistake::at(place, "study::unknown-kind", format!("monitor `{name}` needs exactly one kind")),
    };
    let mistake = match suggestion(found, known.iter().copied()) {
        Some(near) => mistake.label(format!("did you mean `{near}`?")),
        None => mistake,
    };
    mistakes.push(mistake.hint(format!("monitors are: {}", known.join(", "))));
    (slip(found).filter(|_| is_one).unwrap_or_default().to_owned(), settings)
}
