//! `system`: what is tested, and its instances.

use crate::model::{Instance, Signs, System, Written};
use crate::names::variables::Scope;
use crate::sections::inventory;
use crate::syntax::keys::{Form, Key, Reader, key};
use crate::syntax::{not_yet, read, text};
use contract::{Mistake, Mistakes, Node};
use terms::Nanos;

pub(crate) const REPLICAS_MAX: u64 = 1000;
const CORES_MAX: u64 = 4096;
/// Facts of the author; more belong into an inventory.
const STATED_MAX: usize = 200;

static IDENTITY: [Key; 6] = [
    key("path", Form::Text, "its path; `/version`"),
    key(
        "expect",
        Form::MapOf(&Form::Scalar),
        "fields that the answer must have; this or one of the others goes with `url`",
    ),
    key("contains", Form::Text, "a text that the answer must contain, where that is not JSON; with `header`, that one"),
    key("status", Form::Count(100, 999), "status that the answer must have; any of 2xx"),
    key("header", Form::Text, "a header that the answer must have"),
    key("fingerprint", Form::Text, "SHA-256 of its certificate, as `openssl x509 -fingerprint -sha256` prints it"),
];

/// What is trusted when an instance is asked over TLS; the drivers' own names for it.
static TLS: [Key; 5] = [
    key("ca", Form::Text, "PEM file with the certificates to trust: its authority's, or its own"),
    key("insecure", Form::Bool, "accept any certificate"),
    key("server_name", Form::Text, "the name that its certificate is for, if not the host of its address"),
    key("certificate", Form::Text, "PEM file of the lab's own certificate, where it asks for one"),
    key("key", Form::Text, "PEM file of its key"),
];

/// By way of which proxy an instance is asked; the drivers' own names for it.
static PROXY: [Key; 2] = [
    key("url", Form::Text, "`http://host:port` or `socks5://host:port`"),
    key("basic", Form::Text, "who asks: `\"user:$(secret.NAME)\"`"),
];

/// The keys of an instance, with others before them: `system` may hold its one instance itself.
macro_rules! with_instance_keys {
    ($($before:expr,)*) => { [
        $($before,)*
        key("start", Form::Text, "a command to start, without a shell; found beside loadproof, then on the PATH"),
        key("url", Form::Text, "where it answers, if it already runs"),
        key("ports", Form::Some(&Form::Text), "names of its ports; free ones are chosen at the start"),
        key("replicas", Form::Count(1, REPLICAS_MAX), "how many to start; 1"),
        key("needs", Form::Some(&Form::Text), "instances that must be ready before it starts"),
        key("ready", Form::Text, "path that must answer 2xx before load; `/health` for a started one, `none` for a `url`"),
        key("ready_within", Form::Duration, "longest wait until it is ready; 3m"),
        key("tls", Form::Table(&TLS), "how it is reached over TLS; with `start`: that it speaks TLS on its port"),
        key("proxy", Form::Any(&[Form::Text, Form::Table(&PROXY)]), "the proxy to reach it through; with `url`"),
        key("stop", Form::Duration, "grace at the end; 10s"),
        key("identity", Form::Any(&[Form::Text, Form::Table(&IDENTITY)]), "where it says what it is; `/version`, or `none` for a started one"),
        key("faults", Form::MapOf(&Form::Free), "fault switches, inserted for `$(faults)` in `start`"),
        key("env", Form::MapOf(&Form::Scalar), "environment variables"),
        key("cores", Form::Some(&Form::Count(0, CORES_MAX)), "processor cores it is pinned to"),
        key("limits", Form::NotYet, "limits of processor and memory"),
    ] };
}

/// Keys of one instance.
pub(crate) static INSTANCE: [Key; 15] = with_instance_keys![];

/// Keys of `system`.
pub(crate) static SYSTEM: [Key; 23] = with_instance_keys![
    key("name", Form::Text, "name of what is tested; in the short form also the name of its one instance"),
    key("about", Form::Localized, "what it is"),
    key("work", Form::Some(&Form::Localized), "what a request makes it do"),
    key("not_exercised", Form::Some(&Form::Localized), "what the workload leaves out"),
    key("differs", Form::Some(&Form::Localized), "how it differs from production"),
    key("inventory", Form::Any(&[Form::Text, Form::Table(&inventory::INVENTORY)]), "a CSV of its components"),
    key(
        "stated",
        Form::MapOf(&Form::Scalar),
        "facts by name that nobody captures, such as its region; marked as stated"
    ),
    key("instances", Form::Named(&Form::Table(&INSTANCE)), "its instances by name"),
];

/// Names of the instances, before they are read: names of `$(…)` are told apart by them.
pub(crate) fn instance_names(system: Option<&Node>) -> Vec<String> {
    let Some(system) = system else { return Vec::new() };
    if let Some(entries) = system.get("instances").and_then(Node::map) {
        return entries.iter().filter_map(|(key, _)| key.text().map(str::to_owned)).collect();
    }
    system.get("name").and_then(Node::text).map(str::to_owned).into_iter().collect()
}

/// Reads `system`.
pub(crate) fn read(node: &Node, scope: &Scope, mistakes: &mut Mistakes) -> System {
    let mut keys = Reader::of(node, &SYSTEM, "`system`", mistakes);
    let name = keys.take("name");
    let mut system = System {
        name: name.and_then(|node| mistakes.keep(node.as_text("the system's name"))).unwrap_or_default().to_owned(),
        about: keys.take("about").and_then(|node| read::localized(node, "`about`", mistakes)),
        work: keys.take("work").map(|node| read::texts(node, "`work`", mistakes)).unwrap_or_default(),
        not_exercised: keys
            .take("not_exercised")
            .map(|n| read::texts(n, "`not_exercised`", mistakes))
            .unwrap_or_default(),
        differs: keys.take("differs").map(|node| read::texts(node, "`differs`", mistakes)).unwrap_or_default(),
        inventory: None,
        stated: Vec::new(),
        instances: Vec::new(),
    };
    system.inventory = keys.take("inventory").and_then(|node| inventory::read(node, mistakes));
    system.stated = keys.take("stated").map(|node| stated(node, scope, mistakes)).unwrap_or_default();
    let several = keys.take("instances");
    let is_short = keys.take("start").is_some() || keys.take("url").is_some();
    match several {
        Some(several) => system.instances = read_instances(several, is_short, scope, mistakes),
        None if INSTANCE.iter().any(|row| keys.take(row.name).is_some()) || name.is_none() => {
            let mut one = None;
            match name {
                Some(name) => one = read::name(name, "an instance, the name of the one under `system`", mistakes),
                None => {
                    keys.need("name", mistakes);
                }
            }
            let name = one.unwrap_or_else(|| "system".to_owned());
            system.instances.push(read_instance(&mut keys, name, scope, mistakes));
        }
        // Only a name: what is tested is known by the addresses in the exchanges alone, as for `loadproof quick`.
        None => {}
    }
    if several.is_some() {
        // The rest belongs to instances; `finish` then names it as unknown here.
        for row in &INSTANCE {
            if let Some(node) = keys.take(row.name).filter(|_| !is_short || !matches!(row.name, "start" | "url")) {
                mistakes.push(
                    Mistake::at(
                        node.place,
                        "study::conflict",
                        format!("`{}` cannot be combined with `instances`", row.name),
                    )
                    .label("write it under one of the instances"),
                );
            }
        }
    }
    keys.finish(mistakes);
    check_needs(&system.instances, mistakes);
    system
}

/// Facts that the author states, by name.
fn stated(node: &Node, scope: &Scope, mistakes: &mut Mistakes) -> Vec<(String, String)> {
    let Some(entries) = node.map() else {
        mistakes.push(
            Mistake::at(node.place, "study::wrong-type", format!("`stated` is {}, not a map", node.what()))
                .label("write `{ region: eu-west-1 }`"),
        );
        return Vec::new();
    };
    if entries.len() > STATED_MAX {
        let what = format!("`stated` has {} facts; at most {STATED_MAX} are allowed", entries.len());
        mistakes.push(Mistake::at(node.place, "study::too-large", what));
    }
    let fact = |(name, value): &(Node, Node)| {
        let filled = scope.fill_node(value, mistakes);
        let text = mistakes.keep(filled.as_text("a stated fact"))?;
        Some((name.text().unwrap_or_default().to_owned(), text.to_owned()))
    };
    entries.iter().take(STATED_MAX).filter_map(fact).collect()
}

fn read_instances(node: &Node, is_short: bool, scope: &Scope, mistakes: &mut Mistakes) -> Vec<Instance> {
    if is_short {
        mistakes.push(
            Mistake::at(node.place, "study::conflict", "`instances` and an instance straight under `system`")
                .label("write every instance under `instances`"),
        );
    }
    let Some(entries) = node.map() else {
        mistakes.push(
            Mistake::at(node.place, "study::wrong-type", format!("`instances` is {}, not a map", node.what()))
                .label("write `{ NAME: { start: … } }`"),
        );
        return Vec::new();
    };
    let mut instances = Vec::new();
    // One with nothing behind it counts as not written, so that a file can leave out what it includes.
    for (key, value) in entries.iter().filter(|(_, value)| !value.is_missing()) {
        let Some(name) = read::name(key, "an instance", mistakes) else { continue };
        let mut keys = Reader::of(value, &INSTANCE, format!("instance `{name}`"), mistakes);
        instances.push(read_instance(&mut keys, name, scope, mistakes));
        keys.finish(mistakes);
    }
    instances
}

fn read_instance(keys: &mut Reader<'_>, name: String, scope: &Scope, mistakes: &mut Mistakes) -> Instance {
    let (start, url) = (keys.take("start").cloned(), keys.take("url").cloned());
    let place = start.as_ref().or(url.as_ref()).map_or(keys.place(), |node| node.place);
    match (&start, &url) {
        (None, None) => mistakes.push(
            Mistake::at(keys.place(), "study::missing-key", format!("{} has neither `start` nor `url`", keys.name()))
                .hint("add `start: COMMAND --port $(port)`, or `url: http://…` for what already runs"),
        ),
        (Some(_), Some(url)) => mistakes.push(
            Mistake::at(url.place, "study::conflict", format!("{} has both `start` and `url`", keys.name()))
                .label("keep one of the two"),
        ),
        _ => {}
    }
    for (key, node) in [("start", &start), ("url", &url)] {
        if let Some(node) = node {
            mistakes.keep(node.as_text(&format!("`{key}`")));
        }
    }
    let is_started = start.is_some();
    let mut by_name = |key| keys.take(key).filter(|node| is_by_name(node)).cloned();
    let written = Written {
        replicas: by_name("replicas"),
        ready_within: by_name("ready_within"),
        stop: by_name("stop"),
        tls: by_name("tls"),
        identity: by_name("identity"),
    };
    let Identity { path: identity, expect, contains, signs } =
        read_identity(keys, &name, !is_started && url.is_some(), scope, mistakes);
    let ready = keys.take("ready").and_then(|node| mistakes.keep(node.as_text("`ready`").map(str::to_owned)));
    let instance = Instance {
        ports: read_ports(keys, mistakes),
        replicas: read_count(keys, "replicas", scope, mistakes).unwrap_or(1),
        needs: names(keys, "needs", mistakes),
        ready: match ready {
            Some(path) if path == "none" => None,
            None if !is_started => None,
            Some(path) => Some(path),
            None => Some("/health".to_owned()),
        },
        stop: keys.take("stop").and_then(|n| duration(n, "`stop`", scope, mistakes)).unwrap_or(Nanos::from_secs(10)),
        ready_within: keys.take("ready_within").and_then(|n| duration(n, "`ready_within`", scope, mistakes)),
        tls: keys.take("tls").map(|node| scope.fill_node(node, mistakes)),
        proxy: keys.take("proxy").cloned(),
        identity,
        expect,
        contains,
        signs,
        faults: pairs(keys, "faults", mistakes),
        env: pairs(keys, "env", mistakes),
        cores: read_cores(keys, mistakes),
        written,
        name,
        place,
        start,
        url,
    };
    if let Some(node) = keys.take("limits") {
        not_yet::refuse("limits", node.place, mistakes);
    }
    check_instance(&instance, keys, mistakes);
    instance
}

fn duration(node: &Node, what: &str, scope: &Scope, mistakes: &mut Mistakes) -> Option<Nanos> {
    read::duration(&scope.fill_node(node, mistakes), what, mistakes)
}

/// Whether a name is in it, or in a part of it.
fn is_by_name(node: &Node) -> bool {
    let mut found = Vec::new();
    text::expressions(node, &mut found);
    !found.is_empty()
}

/// An instance with what is by a name as other values make it; its number of replicas is not looked at. What cannot be
/// read stays as it was, and is a mistake.
pub(crate) fn rebound(instance: &Instance, scope: &Scope, mistakes: &mut Mistakes) -> Instance {
    let Written { ready_within, stop, tls, identity, .. } = &instance.written;
    let mut bound = instance.clone();
    if let Some(within) = ready_within.as_ref().and_then(|n| duration(n, "`ready_within`", scope, mistakes)) {
        bound.ready_within = Some(within);
    }
    if let Some(grace) = stop.as_ref().and_then(|n| duration(n, "`stop`", scope, mistakes)) {
        bound.stop = grace;
    }
    if let Some(tls) = tls {
        bound.tls = Some(scope.fill_node(tls, mistakes));
    }
    if let Some(node) = identity.as_ref().filter(|node| node.map().is_some()) {
        let mut read = Identity::at(IDENTITY_PATH);
        read_expected(node, &mut read, scope, mistakes);
        (bound.identity, bound.expect, bound.contains, bound.signs) =
            (read.path, read.expect, read.contains, read.signs);
    }
    bound
}

/// What only makes sense for an instance that is started, and faults that are handed over nowhere.
fn check_instance(instance: &Instance, keys: &mut Reader<'_>, mistakes: &mut Mistakes) {
    if instance.start.is_none() && instance.url.is_some() {
        for key in ["ports", "replicas", "needs", "stop", "faults", "env", "cores"] {
            if let Some(node) = keys.take(key) {
                mistakes.push(
                    Mistake::at(
                        node.place,
                        "study::conflict",
                        format!("`{key}` says how `{}` is started, but it runs already", instance.name),
                    )
                    .label("remove it, or write `start` instead of `url`"),
                );
            }
        }
    }
    if let Some(node) = instance.proxy.as_ref().filter(|_| instance.start.is_some()) {
        let what = format!("`{}` is started on this machine, where no proxy leads to it", instance.name);
        mistakes.push(
            Mistake::at(node.place, "study::conflict", what).label("remove it, or write `url` instead of `start`"),
        );
    }
    let start = instance.start.as_ref().and_then(Node::text).unwrap_or_default();
    if let Some((_, node)) = instance.faults.first()
        && instance.start.is_some()
        && !start.contains("$(faults)")
    {
        mistakes.push(
            Mistake::at(
                node.place,
                "study::unused-faults",
                format!("the faults of `{}` are not passed to it", instance.name),
            )
            .hint("add `$(faults)` to its `start`; it becomes `--fault name=value` for each"),
        );
    }
}

/// Where an instance reports its identity, and what that must be.
struct Identity {
    path: String,
    expect: Vec<(String, String)>,
    contains: Option<String>,
    signs: Signs,
}

impl Identity {
    /// One that expects nothing yet.
    fn at(path: &str) -> Self {
        Self { path: path.to_owned(), expect: Vec::new(), contains: None, signs: Signs::default() }
    }

    fn tells_something(&self) -> bool {
        self.contains.is_some() || !self.expect.is_empty() || self.signs != Signs::default()
    }
}

/// Where an instance reports its identity by default.
const IDENTITY_PATH: &str = "/version";

fn read_identity(
    keys: &mut Reader<'_>,
    name: &str,
    is_running: bool,
    scope: &Scope,
    mistakes: &mut Mistakes,
) -> Identity {
    let mut identity = Identity::at(IDENTITY_PATH);
    let node = keys.take("identity");
    if let Some(node) = node {
        if node.map().is_some() {
            read_expected(node, &mut identity, scope, mistakes);
        } else if let Some(text) = mistakes.keep(node.as_text("`identity`")) {
            identity.path = text.to_owned();
        }
    }
    if identity.path == "none" {
        identity.path.clear();
    }
    let asks_nothing = identity.path.is_empty() && identity.tells_something();
    if asks_nothing && let Some(node) = node {
        let what = format!("{} expects an identity, but `none` asks for none", keys.name());
        mistakes.push(
            Mistake::at(node.place, "study::conflict", what)
                .label(format!("write a path that answers, such as `path: {IDENTITY_PATH}`, in the place of `none`")),
        );
    }
    // One that cannot be read is a mistake already.
    let is_wrong = ["status", "header", "fingerprint"].iter().any(|key| node.is_some_and(|it| it.get(key).is_some()));
    if is_running && !is_wrong && !identity.tells_something() {
        let place = node.map_or(keys.place(), |node| node.place);
        // What is typed from here is complete: a path that answers, and something to find there.
        let path = if identity.path.is_empty() { IDENTITY_PATH } else { identity.path.as_str() };
        mistakes.push(
            Mistake::at(
                place,
                "study::missing-key",
                format!("{} runs already, and nothing says what must answer there", keys.name()),
            )
            .hint(format!(
                "load is sent only to what the study means: write\n\
                 `identity: {{ path: {path}, expect: {{ name: {name} }} }}` for fields of a JSON answer, or\n\
                 `identity: {{ path: {path}, contains: \"{name}\" }}` for a text that it contains, or\n\
                 `identity: {{ path: /, header: server, contains: \"{name}\" }}` for one in a header, or\n\
                 `identity: {{ path: /, status: 200 }}` for a status alone; over https also `fingerprint`;\n\
                 where none is possible, leave `url` out and write the address in the exchanges"
            )),
        );
    }
    identity
}

fn read_expected(node: &Node, identity: &mut Identity, scope: &Scope, mistakes: &mut Mistakes) {
    let mut inner = Reader::of(node, &IDENTITY, "`identity`", mistakes);
    let path = inner.take("path").and_then(|node| mistakes.keep(node.as_text("its path")));
    if let Some(fields) = inner.take("expect") {
        for (key, value) in fields.map().unwrap_or_default() {
            let filled = scope.fill_node(value, mistakes);
            if let Some(value) = mistakes.keep(filled.as_text("an expected field")) {
                identity.expect.push((key.text().unwrap_or_default().to_owned(), value.to_owned()));
            }
        }
    }
    if let Some(node) = inner.take("contains") {
        let filled = scope.fill_node(node, mistakes);
        match mistakes.keep(filled.as_text("`contains`")) {
            Some("") => mistakes.push(
                Mistake::at(node.place, "study::out-of-range", "`contains` is empty, so every answer matches")
                    .label("write a text that only the right answer contains"),
            ),
            text => identity.contains = text.map(str::to_owned),
        }
    }
    read_signs(&mut inner, identity, scope, mistakes);
    inner.finish(mistakes);
    let is_page = !identity.expect.is_empty() || (identity.contains.is_some() && identity.signs.header.is_none());
    match path {
        Some(path) => identity.path = path.to_owned(),
        // What every page tells is asked of the first one.
        None if identity.tells_something() && !is_page => identity.path = "/".to_owned(),
        None => {}
    }
}

fn read_signs(inner: &mut Reader<'_>, identity: &mut Identity, scope: &Scope, mistakes: &mut Mistakes) {
    if let Some(node) = inner.take("status") {
        let filled = scope.fill_node(node, mistakes);
        let status = mistakes.keep(filled.as_count("`status`", 100, 999));
        identity.signs.status = status.map(|status| status as u16);
    }
    if let Some(node) = inner.take("header") {
        let filled = scope.fill_node(node, mistakes);
        let is_token = |c: char| c.is_ascii_alphanumeric() || "!#$%&'*+-.^_`|~".contains(c);
        match mistakes.keep(filled.as_text("`header`")) {
            Some(name) if name.is_empty() || !name.chars().all(is_token) => mistakes.push(
                Mistake::at(node.place, "study::out-of-range", format!("`{name}` cannot be the name of a header"))
                    .label("write its name, and its value under `contains`: `header: server, contains: nginx`"),
            ),
            name => identity.signs.header = name.map(str::to_ascii_lowercase),
        }
    }
    if let Some(node) = inner.take("fingerprint") {
        let filled = scope.fill_node(node, mistakes);
        let text = mistakes.keep(filled.as_text("`fingerprint`").map(str::to_owned));
        match text.as_deref().map(fingerprint) {
            Some(None) => mistakes.push(
                Mistake::at(node.place, "study::out-of-range", "`fingerprint` is not the SHA-256 of a certificate")
                    .label("write its 32 bytes as hexadecimal digits, `AB:CD:…`")
                    .hint("`openssl s_client -connect HOST:443 </dev/null | openssl x509 -noout -fingerprint -sha256` prints it"),
            ),
            found => identity.signs.fingerprint = found.flatten(),
        }
    }
}

/// 32 bytes as hexadecimal digits, with colons and `sha256` in front of them or not.
fn fingerprint(text: &str) -> Option<[u8; 32]> {
    let lower = text.trim().to_ascii_lowercase();
    let lower = lower.strip_prefix("sha256").unwrap_or(&lower);
    let lower = lower.trim_start().strip_prefix("fingerprint").unwrap_or(lower.trim_start());
    let digits: Vec<u8> = lower.trim_start_matches(['=', ':', ' ', '/']).bytes().filter(|byte| *byte != b':').collect();
    if digits.len() != 64 {
        return None;
    }
    let mut bytes = [0; 32];
    for (byte, two) in bytes.iter_mut().zip(digits.chunks(2)) {
        *byte = u8::from_str_radix(std::str::from_utf8(two).ok()?, 16).ok()?;
    }
    Some(bytes)
}

fn read_ports(keys: &mut Reader<'_>, mistakes: &mut Mistakes) -> Vec<String> {
    let Some(node) = keys.take("ports") else { return Vec::new() };
    let mut ports: Vec<String> = Vec::new();
    for member in read::members(node) {
        let Some(name) = mistakes.keep(member.as_text("a port's name")) else { continue };
        let is_name = !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
        if !is_name || name.starts_with(|c: char| c.is_ascii_digit()) {
            mistakes.push(
                Mistake::at(member.place, "study::bad-name", format!("`{name}` cannot be the name of a port"))
                    .label("write a name; the number is chosen at the start"),
            );
        } else if ports.iter().any(|port| port == name) {
            mistakes.push(Mistake::at(
                member.place,
                "study::duplicate-name",
                format!("the port `{name}` is named twice"),
            ));
        } else {
            ports.push(name.to_owned());
        }
    }
    ports
}

fn read_count(keys: &mut Reader<'_>, key: &'static str, scope: &Scope, mistakes: &mut Mistakes) -> Option<u32> {
    let node = keys.take(key)?;
    let node = scope.fill_node(node, mistakes);
    mistakes.keep(node.as_count(&format!("`{key}`"), 1, REPLICAS_MAX)).map(|count| count as u32)
}

fn names(keys: &mut Reader<'_>, key: &'static str, mistakes: &mut Mistakes) -> Vec<String> {
    let Some(node) = keys.take(key) else { return Vec::new() };
    read::members(node)
        .into_iter()
        .filter_map(|member| mistakes.keep(member.as_text("a name")))
        .map(str::to_owned)
        .collect()
}

fn pairs(keys: &mut Reader<'_>, key: &'static str, mistakes: &mut Mistakes) -> Vec<(String, Node)> {
    let Some(node) = keys.take(key) else { return Vec::new() };
    let Some(entries) = node.map() else {
        mistakes.push(
            Mistake::at(node.place, "study::wrong-type", format!("`{key}` is {}, not a map", node.what()))
                .label("write `{ name: value }`"),
        );
        return Vec::new();
    };
    entries.iter().map(|(name, value)| (name.text().unwrap_or_default().to_owned(), value.clone())).collect()
}

fn read_cores(keys: &mut Reader<'_>, mistakes: &mut Mistakes) -> Vec<u32> {
    let Some(node) = keys.take("cores") else { return Vec::new() };
    let members = read::members(node);
    members
        .into_iter()
        .filter_map(|core| mistakes.keep(core.as_count("a core", 0, CORES_MAX)))
        .map(|core| core as u32)
        .collect()
}

/// Instances that need each other could never start.
fn check_needs(instances: &[Instance], mistakes: &mut Mistakes) {
    let known: Vec<String> = instances.iter().map(|instance| instance.name.clone()).collect();
    for instance in instances {
        for need in instance.needs.iter().filter(|need| !known.contains(need)) {
            mistakes.push(read::unknown(need, "instance", &known, instance.place));
        }
    }
    // Take away what can start; what is left stands in a circle or behind one.
    let mut left: Vec<&Instance> = instances.iter().collect();
    loop {
        let (stay, go): (Vec<&Instance>, Vec<&Instance>) = left
            .iter()
            .partition(|instance| instance.needs.iter().any(|need| left.iter().any(|other| other.name == *need)));
        if go.is_empty() {
            break;
        }
        left = stay;
    }
    if let Some(first) = left.first() {
        let circle: Vec<_> = left.iter().map(|instance| format!("`{}`", instance.name)).collect();
        mistakes.push(
            Mistake::at(first.place, "study::needs-loop", format!("instances need each other: {}", circle.join(", ")))
                .label("none of them can start first; remove one `needs`"),
        );
    }
}
