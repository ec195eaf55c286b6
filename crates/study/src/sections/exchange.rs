//! `exchanges`: what is sent, what makes the answer right, what is kept from it.

use crate::Registry;
use crate::model::{CountedLeg, Exchange};
use crate::names::variables::Scope;
use crate::sections::{carries, check_text, counted, held};
use crate::syntax::keys::{Form, Key, Reader, key, required};
use crate::syntax::{not_yet, read};
use contract::{
    Capture, Check, Closes, DriverKind, ExchangeKind, Incoming, Mistake, Mistakes, Names, Node, Probe, Settings, Which,
    slip_of, suggestion,
};
use std::collections::BTreeMap;
use terms::Nanos;

const CONNECTIONS_MAX: u64 = 1_000_000;
/// Checks of one exchange, or of one of its legs.
const CHECKS_MAX: usize = 50;
const TIMEOUT: Nanos = Nanos::from_secs(30);

/// Keys of an exchange besides its `driver.operation`.
pub(crate) static COMMON: [Key; 7] = [
    key("timeout", Form::Duration, "closes the current leg as `timeout`; 30s"),
    key("legs", Form::MapOf(&Form::Table(&LEG)), "settings of legs, as the driver names them"),
    key("check", Form::Some(&Form::Check), "what makes an answer right: `status = 200`, `json($.a) > 0`, …"),
    key(
        "capture",
        Form::Named(&Form::Any(&[Form::Probe, Form::Table(&CAPTURE)])),
        "name → `json($.id)`, `header(x)`, `regex(…)`",
    ),
    key(
        "carries",
        Form::Named(&Form::Scalar),
        "your own units in one exchange: `{ registrations: 500 }`, or as its answer says: `{ rows: json($.rows) }`",
    ),
    key("group", Form::NotYet, "value that splits the series"),
    key("connection", Form::Table(&CONNECTION), "how connections are used"),
];

/// Which of several values a capture takes.
const PICKS: [&str; 3] = ["first", "any", "all"];

static CAPTURE: [Key; 4] = [
    required("from", Form::Probe, "`json($.id)`, `xpath(//id)`, `header(x)`, `regex(…)`"),
    key("secret", Form::Bool, "whether nothing written may show it; true for names such as `token` and `session`"),
    key(
        "pick",
        Form::Words(&PICKS),
        "which of several values of `json` or `regex`: a random one, or all as a list; first",
    ),
    key("optional", Form::Bool, "whether an answer without it is still right; false"),
];

pub(crate) static LEG: [Key; 7] = [
    key("check", Form::Some(&Form::Check), "what makes this leg right"),
    key("within", Form::Duration, "time limit of a later leg; then it is missing, and what still comes is late"),
    key("counted_by", Form::Text, "for a leg that you name, the watched count that closes it: `store.entries`"),
    key("of", Form::Text, "the unit of `carries` that is counted; without it each exchange counts once"),
    key("sequence", Form::Probe, "where an unsolicited message has its number"),
    key("sent", Form::Probe, "where such a message has its sending time"),
    key("expect", Form::Rate, "how many such messages a second each connection should get"),
];

pub(crate) static CONNECTION: [Key; 5] = [
    key("reuse", Form::Bool, "whether a connection serves more than one exchange; true"),
    key("idle", Form::Duration, "how long a connection is kept without use; as long as the other side keeps it"),
    key(
        "retry",
        Form::Any(&[Form::Bool, Form::Words(&["yes", "no"])]),
        "whether a request that hit a kept connection as it closed is sent again, and counted; yes",
    ),
    key("max", Form::Count(1, CONNECTIONS_MAX), "maximum number of connections"),
    key(
        "addresses",
        Form::Words(&["first", "all"]),
        "for a name with several addresses: the first that accepts, or all that do, in turn; first",
    ),
];

/// Names of all captures, before anything is compiled: a check may mention a capture of a later exchange.
pub(crate) fn capture_names(exchanges: &Node) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    for (_, exchange) in exchanges.map().unwrap_or_default() {
        for (name, _) in exchange.get("capture").and_then(Node::map).unwrap_or_default() {
            if let Some(name) = name.text().filter(|name| !names.iter().any(|known| known == name)) {
                names.push(name.to_owned());
            }
        }
    }
    names
}

/// Captures of which the study says whether they are secrets. One that is a secret anywhere is one everywhere.
pub(crate) fn secret_captures(exchanges: &Node) -> BTreeMap<String, bool> {
    let mut said: BTreeMap<String, bool> = BTreeMap::new();
    for (_, exchange) in exchanges.map().unwrap_or_default() {
        for (name, value) in exchange.get("capture").and_then(Node::map).unwrap_or_default() {
            let is_secret = value.get("secret").and_then(|node| node.as_bool("`secret`").ok());
            if let (Some(name), Some(is_secret)) = (name.text(), is_secret) {
                *said.entry(name.to_owned()).or_default() |= is_secret;
            }
        }
    }
    said
}

/// Reads `exchanges`; checks are compiled afterwards, by [`compile`].
pub(crate) fn read(
    node: &Node,
    registry: &Registry<'_>,
    captures: &[String],
    scope: &Scope,
    mistakes: &mut Mistakes,
) -> Vec<Exchange> {
    let Some(entries) = node.map() else {
        mistakes.push(
            Mistake::at(node.place, "study::wrong-type", format!("`exchanges` is {}, not a map", node.what()))
                .label("write `{ NAME: { http.get: { url: … } } }`"),
        );
        return Vec::new();
    };
    let mut exchanges = Vec::new();
    for (key, value) in entries {
        let Some(name) = read::name(key, "an exchange", mistakes) else { continue };
        let number = u16::try_from(exchanges.len()).unwrap_or(u16::MAX);
        exchanges.push(read_one(name, number, value, registry, captures, scope, mistakes));
    }
    exchanges
}

fn read_one(
    name: String,
    number: u16,
    node: &Node,
    registry: &Registry<'_>,
    captures: &[String],
    scope: &Scope,
    mistakes: &mut Mistakes,
) -> Exchange {
    let Some(entries) = node.map() else {
        mistakes.push(
            Mistake::at(node.place, "study::wrong-type", format!("exchange `{name}` is {}, not a map", node.what()))
                .label("write `{ http.get: { url: … } }`"),
        );
        return stand_in(name, number, node);
    };
    // The driver's key is not a fixed word, so the rest is read by a copy of the map without it.
    let is_driver = |key: &Node| key.text().is_some_and(|text| text.contains('.'));
    let drivers: Vec<_> = entries.iter().filter(|(key, _)| is_driver(key)).collect();
    let rest: Vec<_> = entries.iter().filter(|(key, _)| !is_driver(key)).cloned().collect();
    let common = Node { place: node.place, shape: contract::Shape::Map(rest) };
    let mut keys = Reader::of(&common, &COMMON, format!("exchange `{name}`"), mistakes);
    let timeout = keys
        .take("timeout")
        .and_then(|node| read::some_duration(&scope.fill_node(node, mistakes), "`timeout`", mistakes));
    let Connections { reuse, idle, retry, all_addresses, most: connections_max } =
        read_connection(&mut keys, scope, mistakes);
    let mut checks: Vec<Check> = keys.take("check").map(|node| raw_checks(node, mistakes)).unwrap_or_default();
    let captures = read_captures(&mut keys, captures, mistakes);
    let units = keys.take("carries");
    if let Some(node) = keys.take("group") {
        not_yet::refuse("group", node.place, mistakes);
    }
    let legs_node = keys.take("legs");
    keys.finish(mistakes);
    let (driver, operation) = operation(&name, node, &drivers, registry, mistakes).unzip();
    let legs = operation.map_or(&[][..], |operation| operation.legs);
    let carries = units.map(|node| carries::read(&name, node, operation, mistakes)).unwrap_or_default();
    let (mut within, mut incoming) = (BTreeMap::new(), Incoming::default());
    let mut counted: Vec<CountedLeg> = Vec::new();
    if let Some(written) = legs_node {
        let is_counted = |node: &Node| node.get("counted_by").is_some_and(|node| !node.is_missing());
        let entries = written.map().unwrap_or_default();
        for (key, node) in entries.iter().filter(|(_, node)| is_counted(node)) {
            counted.extend(counted::read((&name, legs), (key, node), &carries, mistakes));
        }
        let timed = entries.iter().filter(|(_, node)| !is_counted(node)).cloned().collect();
        let timed = &Node { place: written.place, shape: contract::Shape::Map(timed) };
        read_legs(timed, operation, &name, (&mut checks, &mut within, &mut incoming), scope, mistakes);
    }
    let settings = Settings {
        exchange: name.clone(),
        number,
        operation: operation.map_or("", |operation| operation.name).to_owned(),
        node: settings(node, &drivers),
        checks,
        captures,
        timeout: timeout.unwrap_or(TIMEOUT),
        reuse,
        idle,
        retry,
        all_addresses,
        within,
        incoming,
    };
    let driver = driver.map_or("", |driver| driver.name).to_owned();
    Exchange { name, driver, settings, legs, connections_max, carries, counted }
}

/// What the driver reads. Without exactly one there is nobody to read it, but the names in it are looked at all the same.
fn settings(node: &Node, drivers: &[&(Node, Node)]) -> Node {
    match drivers {
        [(_, settings)] => settings.clone(),
        several => {
            let several = several.iter().map(|(_, settings)| settings.clone()).collect();
            Node { place: node.place, shape: contract::Shape::List(several) }
        }
    }
}

/// An exchange of which nothing can be read, so that scenarios and rules that name it are not blamed. It has no driver.
fn stand_in(name: String, number: u16, node: &Node) -> Exchange {
    let settings = Settings {
        exchange: name.clone(),
        number,
        operation: String::new(),
        node: Node::text_at(node.place, ""),
        checks: Vec::new(),
        captures: Vec::new(),
        timeout: TIMEOUT,
        reuse: true,
        idle: None,
        retry: true,
        all_addresses: false,
        within: BTreeMap::new(),
        incoming: Incoming::default(),
    };
    Exchange {
        name,
        driver: String::new(),
        settings,
        legs: &[],
        connections_max: None,
        carries: Vec::new(),
        counted: Vec::new(),
    }
}

/// What the exchange does. One slip in its name is a mistake after which the rest is read as what it is a slip of; anything
/// further from a name that is known may mean something else, and has no operation.
fn operation<'a>(
    name: &str,
    node: &Node,
    found: &[&(Node, Node)],
    registry: &Registry<'a>,
    mistakes: &mut Mistakes,
) -> Option<(&'a DriverKind, &'static ExchangeKind)> {
    let all: Vec<(String, (&DriverKind, &ExchangeKind))> = registry
        .drivers
        .iter()
        .flat_map(|driver| driver.exchanges.iter().map(move |kind| (driver, kind)))
        .map(|(driver, kind)| (format!("{}.{}", driver.name, kind.name), (driver, kind)))
        .collect();
    let possible: Vec<&str> = all.iter().map(|(name, _)| name.as_str()).collect();
    let operation_of = |name: &str| all.iter().find(|(known, _)| known == name).map(|(_, operation)| *operation);
    let [(key, _)] = found else {
        let (place, what) = match found {
            [_, (second, _), ..] => (second.place, "more than one thing to do"),
            _ => (node.place, "nothing to do"),
        };
        mistakes.push(
            Mistake::at(place, "study::unknown-kind", format!("exchange `{name}` has {what}"))
                .hint(format!("write exactly one of: {}", possible.join(", "))),
        );
        return None;
    };
    let text = key.text().unwrap_or_default();
    if let Some(operation) = operation_of(text) {
        return Some(operation);
    }
    let mistake = Mistake::at(key.place, "study::unknown-kind", format!("no driver does `{text}`"));
    let mistake = match suggestion(text, possible.iter().copied()) {
        Some(near) => mistake.label(format!("did you mean `{near}`?")),
        None => mistake,
    };
    mistakes.push(mistake.hint(format!("possible: {}", possible.join(", "))));
    slip_of(text, possible.iter().copied()).and_then(operation_of)
}
/// How an exchange uses connections.
struct Connections {
    reuse: bool,
    idle: Option<Nanos>,
    retry: bool,
    all_addresses: bool,
    most: Option<u32>,
}

fn read_connection(keys: &mut Reader<'_>, scope: &Scope, mistakes: &mut Mistakes) -> Connections {
    let Some(node) = keys.take("connection") else {
        return Connections { reuse: true, idle: None, retry: true, all_addresses: false, most: None };
    };
    let node = scope.fill_node(node, mistakes);
    let mut inner = Reader::of(&node, &CONNECTION, "`connection`", mistakes);
    let reuse = inner.take("reuse").and_then(|node| mistakes.keep(node.as_bool("`reuse`"))).unwrap_or(true);
    let max = inner.take("max").and_then(|node| mistakes.keep(node.as_count("`max`", 1, CONNECTIONS_MAX)));
    let idle = inner.take("idle");
    let kept = idle.and_then(|node| read::some_duration(node, "`idle`", mistakes));
    if let Some(node) = idle.filter(|_| !reuse) {
        let what = "`idle` is for connections that are kept, and `reuse: false` keeps none";
        mistakes.push(Mistake::at(node.place, "study::conflict", what).label("remove one of them"));
    }
    let retry = inner.take("retry").map(|node| (node, mistakes.keep(switch(node, "`retry`")).unwrap_or(true)));
    if let Some((node, _)) = retry.filter(|(_, retry)| *retry && !reuse) {
        let what = "`retry` is for connections that are kept, and `reuse: false` keeps none";
        mistakes.push(Mistake::at(node.place, "study::conflict", what).label("remove one of them"));
    }
    let retry = retry.is_none_or(|(_, retry)| retry);
    let addresses = inner.take("addresses");
    let addresses = addresses.and_then(|node| read::word(node, "`addresses`", &["first", "all"], mistakes));
    inner.finish(mistakes);
    Connections { reuse, idle: kept, retry, all_addresses: addresses == Some("all"), most: max.map(|max| max as u32) }
}

/// `no` or `yes`, as the switches of `http` are written; `true` and `false` as well.
fn switch(node: &Node, what: &str) -> Result<bool, Mistake> {
    match node.text() {
        Some("no") => Ok(false),
        Some("yes") => Ok(true),
        _ => node.as_bool(what).map_err(|mistake| mistake.hint("`yes` and `no` work, too")),
    }
}

/// Checks as texts with places; their templates come when all names are known.
fn raw_checks(node: &Node, mistakes: &mut Mistakes) -> Vec<Check> {
    let members = read::members(node);
    if members.len() > CHECKS_MAX {
        let text = format!("there are {} checks; at most {CHECKS_MAX} are allowed", members.len());
        mistakes.push(Mistake::at(node.place, "study::too-large", text).label("every answer must pass all of them"));
    }
    members
        .into_iter()
        .take(CHECKS_MAX)
        .filter_map(|member| {
            let text = mistakes.keep(member.as_text("a check"))?.to_owned();
            let (probe, compare) = (contract::Probe::Status, contract::Compare::Equal);
            Some(Check { probe, compare, expected: contract::Template::default(), text, place: member.place })
        })
        .collect()
}

/// Compiles the checks of one exchange against these names.
pub(crate) fn compile(exchange: &Exchange, names: &dyn Names, mistakes: &mut Mistakes) -> Settings {
    let settings = &exchange.settings;
    // What is not known may be one, too.
    let is_held = exchange.driver.is_empty() || exchange.legs.iter().any(|leg| leg.closes == Closes::Opening);
    let checks = settings.checks.iter();
    let checks =
        checks.filter_map(|raw| mistakes.keep(check_text::check(&raw.text, raw.place, names, is_held))).collect();
    Settings { checks, ..settings.clone() }
}

/// Captures are numbered by a byte; the last numbers are left to drivers, which keep cookies there.
const CAPTURES_MAX: usize = 250;

fn read_captures(keys: &mut Reader<'_>, known: &[String], mistakes: &mut Mistakes) -> Vec<Capture> {
    let Some(node) = keys.take("capture") else { return Vec::new() };
    let mut captures = Vec::new();
    for (key, value) in node.map().unwrap_or_default() {
        let Some(name) = read::name(key, "a capture", mistakes) else { continue };
        let Some(Looked { from: value, pick: asked, is_optional }) = where_to_look(&name, value, mistakes) else {
            continue;
        };
        let Some(text) = mistakes.keep(value.as_text("a capture")) else { continue };
        let Some((probe, pick)) = mistakes.keep(contract::read_capture(text, value.place)) else { continue };
        let pick = asked.unwrap_or(pick);
        if pick != Which::First && !matches!(probe, Probe::Json(_) | Probe::Xpath { .. } | Probe::Regex(_)) {
            mistakes.push(
                Mistake::at(
                    value.place,
                    "study::conflict",
                    format!("`{text}` finds one value, and has nothing to pick"),
                )
                .label("remove `pick`, or use `json`, `xpath` or `regex`"),
            );
        }
        let slot = known.iter().position(|other| *other == name).filter(|slot| *slot < CAPTURES_MAX);
        match slot.map(|slot| slot as u8) {
            Some(slot) => captures.push(Capture { name, slot, probe, pick, is_optional, place: value.place }),
            None => mistakes.push(
                Mistake::at(key.place, "study::too-large", format!("a study has at most {CAPTURES_MAX} captures"))
                    .label("remove what is not used"),
            ),
        }
    }
    if node.map().is_none() {
        mistakes.push(
            Mistake::at(node.place, "study::wrong-type", format!("`capture` is {}, not a map", node.what()))
                .label("write `{ name: json($.id) }`"),
        );
    }
    captures
}

/// What a capture says besides its name.
struct Looked<'a> {
    from: &'a Node,
    pick: Option<Which>,
    is_optional: bool,
}

/// `json($.id)`, or the same under `from` with its settings.
fn where_to_look<'a>(name: &str, value: &'a Node, mistakes: &mut Mistakes) -> Option<Looked<'a>> {
    if value.map().is_none() {
        return Some(Looked { from: value, pick: None, is_optional: false });
    }
    let mut keys = Reader::of(value, &CAPTURE, format!("capture `{name}`"), mistakes);
    let from = keys.need("from", mistakes);
    if let Some(node) = keys.take("secret") {
        mistakes.keep(node.as_bool("`secret`"));
    }
    let optional = keys.take("optional").and_then(|node| mistakes.keep(node.as_bool("`optional`")));
    let pick = keys.take("pick").and_then(|node| read::word(node, "which value", &PICKS, mistakes));
    keys.finish(mistakes);
    let pick = pick.map(|word| match word {
        "any" => Which::Any,
        "all" => Which::All,
        _ => Which::First,
    });
    Some(Looked { from: from?, pick, is_optional: optional.unwrap_or(false) })
}

/// Reads the settings of legs. Of an exchange without an operation nobody knows its legs: each may be one.
fn read_legs(
    node: &Node,
    kind: Option<&ExchangeKind>,
    exchange: &str,
    (checks, within, incoming): (&mut Vec<Check>, &mut BTreeMap<String, Nanos>, &mut Incoming),
    scope: &Scope,
    mistakes: &mut Mistakes,
) {
    let legs = kind.map_or(&[][..], |kind| kind.legs);
    let known: Vec<String> = legs.iter().map(|leg| leg.name.to_owned()).collect();
    for (key, value) in node.map().unwrap_or_default() {
        if kind.is_some() {
            read::one_of(key, &format!("leg of exchange `{exchange}`"), &known, mistakes);
        }
        let mut keys = Reader::of(value, &LEG, format!("leg `{}`", key.text().unwrap_or_default()), mistakes);
        if let Some(node) = keys.take("check") {
            checks.extend(raw_checks(node, mistakes));
        }
        if let Some(node) = keys.take("within") {
            let leg = legs.iter().find(|leg| Some(leg.name) == key.text());
            let limit = read::some_duration(&scope.fill_node(node, mistakes), "`within`", mistakes);
            match (leg, limit) {
                (Some(leg), Some(limit)) if !matches!(leg.closes, Closes::Here | Closes::Beside) => {
                    within.insert(leg.name.to_owned(), limit);
                }
                (Some(leg), _) if matches!(leg.closes, Closes::Here | Closes::Beside) => mistakes.push(
                    Mistake::at(node.place, "study::conflict", format!("leg `{}` is not a later leg", leg.name))
                        .label("remove it")
                        .hint("the time limit of the current leg is the exchange's `timeout`"),
                ),
                _ => {}
            }
        }
        let is_first = legs.first().is_some_and(|leg| Some(leg.name) == key.text());
        let is_incoming = kind.is_none_or(|kind| kind.listens() && is_first);
        read_incoming(&mut keys, (is_incoming, incoming), scope, mistakes);
        // Without `counted_by` there is nothing that they could be about.
        keys.take("counted_by");
        if let Some(node) = keys.take("of") {
            let text = "`of` is the unit of a leg that is counted, and nothing counts this one";
            mistakes.push(
                Mistake::at(node.place, "study::conflict", text)
                    .label("add `counted_by: MONITOR.METRIC`, or remove it"),
            );
        }
        keys.finish(mistakes);
    }
}

/// What is known of messages that come of themselves; they close the first leg of an exchange that listens, and no other.
fn read_incoming(
    keys: &mut Reader<'_>,
    (is_possible, incoming): (bool, &mut Incoming),
    scope: &Scope,
    mistakes: &mut Mistakes,
) {
    for word in ["expect", "sequence", "sent"] {
        let Some(node) = keys.take(word) else { continue };
        if !is_possible {
            mistakes.push(
                Mistake::at(node.place, "study::conflict", format!("`{word}` is about unsolicited messages"))
                    .label("remove it")
                    .hint(
                        "it belongs to the first leg of an exchange that only listens, such as `event` of `sse.listen`",
                    ),
            );
            continue;
        }
        if word == "expect" {
            let filled = scope.fill_node(node, mistakes);
            let hint = "without `expect` nothing is planned: what comes is counted, what is missing is unknown";
            incoming.expect = held::messages(&filled, ("`expect`", hint), mistakes);
            continue;
        }
        let probe = mistakes
            .keep(node.as_text("where to look"))
            .and_then(|text| mistakes.keep(contract::read_probe(text, node.place)));
        *if word == "sequence" { &mut incoming.sequence } else { &mut incoming.sent } = probe;
    }
}
