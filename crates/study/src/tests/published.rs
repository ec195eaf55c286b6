//! The published schema and the checker agree: what an editor underlines is what `check` refuses.

use super::fakes::{REGISTRY, load};
use super::samples::{FULL, QUICKSTART};
use crate::schema;
use contract::{Mistakes, Node, Shape};
use serde_json::{Map, Value, json};

/// A node as an editor reads it: YAML 1.2 with the core schema.
fn as_json(node: &Node) -> Value {
    match &node.shape {
        Shape::List(members) => members.iter().map(as_json).collect(),
        Shape::Map(entries) => {
            let entry = |(key, value): &(Node, Node)| (key.text().unwrap_or_default().to_owned(), as_json(value));
            Value::Object(entries.iter().map(entry).collect::<Map<_, _>>())
        }
        Shape::Text { .. } if node.is_missing() => Value::Null,
        Shape::Text { text, quoted: true } => json!(text),
        Shape::Text { text, .. } => match text.as_str() {
            "true" => json!(true),
            "false" => json!(false),
            _ if text.bytes().all(|byte| byte.is_ascii_digit()) => text.parse().map_or(json!(text), |n: u64| json!(n)),
            _ if text.starts_with(|c: char| c.is_ascii_digit() || c == '-') => {
                text.parse().map_or(json!(text), |n: f64| json!(n))
            }
            _ => json!(text),
        },
    }
}

/// As much of JSON Schema as the published one uses; a word that is not known here fails the test.
fn fits(schema: &Value, value: &Value, whole: &Value) -> bool {
    let Value::Object(rules) = schema else { return schema.as_bool().expect("true or false") };
    let object = value.as_object();
    let properties = rules.get("properties").and_then(Value::as_object);
    rules.iter().all(|(word, rule)| match word.as_str() {
        "description" | "title" | "$schema" | "$defs" => true,
        "$ref" => fits(&whole["$defs"][rule.as_str().unwrap().rsplit('/').next().unwrap()], value, whole),
        "type" => match rule {
            Value::Array(types) => types.iter().any(|one| is_of(one.as_str().unwrap(), value)),
            one => is_of(one.as_str().unwrap(), value),
        },
        "enum" => rule.as_array().unwrap().contains(value),
        "anyOf" => rule.as_array().unwrap().iter().any(|one| fits(one, value, whole)),
        "oneOf" => rule.as_array().unwrap().iter().filter(|one| fits(one, value, whole)).count() == 1,
        "not" => !fits(rule, value, whole),
        "minimum" => value.as_f64().is_none_or(|value| value >= rule.as_f64().unwrap()),
        "pattern" => {
            value.as_str().is_none_or(|text| regex::Regex::new(rule.as_str().unwrap()).unwrap().is_match(text))
        }
        "items" => value.as_array().is_none_or(|list| list.iter().all(|member| fits(rule, member, whole))),
        "required" => {
            object.is_none_or(|map| rule.as_array().unwrap().iter().all(|key| map.contains_key(key.as_str().unwrap())))
        }
        "minProperties" => object.is_none_or(|map| map.len() as u64 >= rule.as_u64().unwrap()),
        "maximum" => value.as_f64().is_none_or(|value| value <= rule.as_f64().unwrap()),
        "maxProperties" => object.is_none_or(|map| map.len() as u64 <= rule.as_u64().unwrap()),
        "properties" => object.is_none_or(|map| {
            let known = rule.as_object().unwrap();
            map.iter().all(|(key, value)| known.get(key).is_none_or(|rule| fits(rule, value, whole)))
        }),
        "propertyNames" => object.is_none_or(|map| map.keys().all(|key| fits(rule, &json!(key), whole))),
        "additionalProperties" => object.is_none_or(|map| {
            let others = map.iter().filter(|(key, _)| properties.is_none_or(|known| !known.contains_key(*key)));
            others.into_iter().all(|(_, value)| fits(rule, value, whole))
        }),
        other => panic!("the schema uses `{other}`, which this test does not know"),
    })
}

fn is_of(kind: &str, value: &Value) -> bool {
    match kind {
        "object" => value.is_object(),
        "array" => value.is_array(),
        "string" => value.is_string(),
        "number" => value.is_number(),
        "integer" => value.is_u64() || value.is_i64(),
        "boolean" => value.is_boolean(),
        "null" => value.is_null(),
        other => panic!("`{other}` is not a type"),
    }
}

/// What the schema says, and what the checker says.
fn both(text: &str) -> (bool, bool) {
    let whole = schema(&REGISTRY);
    let tree = crate::syntax::yaml::parse(0, text, &mut Mistakes::default()).expect("YAML");
    (fits(&whole, &as_json(&tree), &whole), load(text).is_ok())
}

#[track_caller]
fn agree(text: &str, is_right: bool) {
    let (by_schema, by_check) = both(text);
    let why = load(text).err().map(|rejected| rejected.to_string()).unwrap_or_default();
    assert_eq!((by_schema, by_check), (is_right, is_right), "schema and check of:\n{text}\n{why}");
}

/// A study with this item in `run`.
fn run(item: &str) -> String {
    QUICKSTART.replace("run: [search]", &format!("run: [search, {item}]"))
}

fn load_key(keys: &str) -> String {
    QUICKSTART.replace("arrivals: 200/s, ramp: { over: 30s }, hold: 5m", keys)
}

fn exchange(keys: &str) -> String {
    QUICKSTART.replace("check: [ status = 200 ]", keys)
}

#[test]
fn whole_studies_fit() {
    agree(QUICKSTART, true);
    agree(FULL, true);
    agree(&format!("{QUICKSTART}unknown: 3\n"), false);
}

#[test]
fn items_of_an_iteration() {
    for item in [
        "think: 2s",
        "think: 250ms",
        "think: 1.5 s",
        "search",
        "search: ",
        "choose: { search: 100% }",
        "times: 3, run: [search]",
        "{ times: 3, run: [search, think: 1s] }",
        "{ times: 3, run: search }",
        "{ times: 2, run: [ { times: 2, run: [search] } ] }",
        "parallel: [search, search]",
        "parallel: [search, search], at_once: 2",
        "{ parallel: search, at_once: 64 }",
        "{ times: 3, run: [ parallel: [search] ] }",
    ] {
        agree(&run(item), true);
    }
    for item in [
        "think: { min: 1s, max: 2s }",
        "think: 2",
        "think: [1s]",
        "think: ",
        "parallel: [ [search] ]",
        "parallel: [ think: 1s ]",
        "{ parallel: [search], at_once: 65 }",
        "{ parallel: [search], most: 2 }",
        "choose: { search: { weight: 100% } }",
        "choose: { search: 1 }",
        "choose: [search]",
        "choose: {}",
        "search: { http.get: { url: x } }",
        "{ search: , think: 1s }",
        "{ times: many, run: [search] }",
        "[search]",
    ] {
        agree(&run(item), false);
    }
}

#[test]
fn loads() {
    for keys in [
        "arrivals: 200/s, hold: 5m",
        "arrivals: 12/m, hold: 5m",
        "arrivals: 1/10s, hold: 5m",
        "arrivals: 1_000/s, hold: 1h",
        "users: 50, hold: 5m",
        "users: 1_000, pacing: 2s, count: 100",
        "users: '5', hold: 1m",
        "users: 5, hold: 1m, idle: ",
        "arrivals: 5/s, spacing: poisson, hold: 1m, max_in_flight: 20",
        "arrivals: 5/s, warm_up: 30s, hold: 1m",
        "arrivals: [ { to: 5/s, over: 10s }, { rate: 5/s, for: 1m } ]",
        "arrivals: 5/s, ramp: , hold: 1m",
    ] {
        let is_right = !keys.contains("idle");
        agree(&load_key(keys), is_right);
    }
    for keys in [
        "arrivals: 200, hold: 5m",
        "arrivals: fast, hold: 5m",
        "arrivals: { rate: 5/s }, hold: 5m",
        "users: -5, hold: 5m",
        "users: 5, hold: 5",
        "users: 5, hold: [5m]",
        "users: 2.5, hold: 5m",
        "users: 5/s, hold: 5m",
        "arrivals: 5/s, spacing: random, hold: 5m",
        "connections: 0, hold: 5m",
        "connections: 5, each: 5, hold: 5m",
        "users: 5, hold: 5m, nodes: 0",
        "users: 0, hold: 5m",
        "users: '0', hold: 5m",
        "users: 1000001, hold: 5m",
        "users: 5, count: 0",
        "arrivals: 5/s, max_in_flight: 0, hold: 5m",
        "arrivals: 5/s, ramp: 30s, hold: 5m",
        "arrivals: 5/s, ramp: { by: 1/s }, hold: 5m",
        "subscribers: 5, publish: 3, hold: 5m",
        "arrivals: [ { rate: 5/s, during: 1m } ]",
        "arrivals: -5/s, hold: 5m",
        "arrivals: 5/s, hold: -5m",
    ] {
        agree(&load_key(keys), false);
    }
}

#[test]
fn exchanges_and_the_rest() {
    for keys in [
        "check: status = 200",
        "check: [ status = 200, json($.a) ]",
        "timeout: 5s",
        "capture: { id: json($.id) }",
        "connection: { reuse: false }",
        "connection: { max: 5 }",
        "carries: { registrations: 500, distinct: 475 }",
        "carries: { distinct: 475 }, legs: { stored: { counted_by: host.switches, of: distinct } }",
        "legs: { answer: { check: status = 200 } }",
        "check: ",
        "check: [ header(x) = y, regex(a) = a, size < 10kB, body contains xpath(//a) ]",
        "capture: { id: { from: regex(a) } }",
        "check: xpath(//a) = b",
        "check: [ status = 200, xpath(//a) ]",
        "capture: { id: xpath(//a), many: 'xpath(//a, xml, all)' }",
        "capture: { id: { from: xpath(//a), pick: any } }",
        "legs: { answer: { check: xpath(//a) } }",
    ] {
        agree(&exchange(keys), true);
    }
    for keys in [
        "check: { status: 200 }",
        "timeout: 5",
        "capture: [ id ]",
        "capture: { a-b: json($.id) }",
        "group: region",
        "connection: { reuse: yes }",
        "retries: 3",
        "legs: { answer: { expect: 10 } }",
        "http.post: { url: x }",
        "capture: { think: json($.id) }",
        "check: 200",
        "check: sent = 3",
        "connection: { max: 0 }",
    ] {
        agree(&exchange(keys), false);
    }
    let with = |keys: &str| format!("{QUICKSTART}{keys}\n");
    for keys in [
        "seed: 7",
        "repeat: 2",
        "order: [busy]",
        "vars: { rate: 5/s, n: 3, on: true }",
        "about: A text",
        "about: { en: A, nl: B }",
        "namespaces: { s: \"urn:s\", soap-env: \"urn:e\" }",
        "report: { languages: [en, nl], title: 5 }",
        "compare: ",
        "nodes: { cores: 2 }",
        "nodes: { count: 1, at: local }",
        "report: { profile: management, formats: [html, csv, junit, pdf] }",
        "report: { languages: en, formats: csv }",
        "report: { profile: grid }",
    ] {
        agree(&with(keys), true);
    }
    for keys in [
        "seed: seven",
        "order: busy",
        "vars: { first-rate: 5/s }",
        "vars: [a]",
        "namespaces: [s]",
        "namespaces: { s: [urn] }",
        "scale: { rate: 2 }",
        "about: [a]",
        "report: { languages: [fr] }",
        "assume: { think: 3 }",
        "data: { users: { generate: { rows: 5 } } }",
        "nodes: { kernels: 3 }",
        "nodes: { count: 2000 }",
        "nodes: { at: elsewhere }",
        "nodes: { at: ssh }",
        "nodes: { addresses: x }",
        "repeat: 0",
        "report: { profile: own }",
        "report: { formats: [xlsx] }",
    ] {
        agree(&with(keys), false);
    }
    let scenario = |keys: &str| QUICKSTART.replace("run: [search],", &format!("run: [search], {keys},"));
    for keys in [
        "set_up: [search]",
        "set_up: [ search: per node ]",
        "idle: 1m",
        "idle: 1m, gap: { until: settled(host.cpu), at_most: 5m }",
        "gap: { until: drained(host.cpu), at_most: 30s }",
        "idle: { until: settled(host.cpu), at_most: 5m }",
        "drain: { until: drained(host.cpu), at_most: 30s }",
        "recovery: { until: drained(host.cpu), at_most: 30s }",
        "drain: automatic",
        "drain: 5s",
        "set_up: search",
        "repeat: 1",
        "repeat: 2",
    ] {
        agree(&scenario(keys), true);
    }
    for run in ["run: search", "run: { times: 2, run: search }", "run: [search]"] {
        agree(&QUICKSTART.replace("run: [search]", run), true);
    }
    let version = |word: &str| QUICKSTART.replace("http.get: {", &format!("http.get: {{ version: {word},"));
    ["1.1", "2", "'2'"].iter().for_each(|word| agree(&version(word), true));
    ["3", "two", "[2]", ""].iter().for_each(|word| agree(&version(word), false));
    for keys in [
        "set_up: [ search: often ]",
        "set_up: [ { search: per node, look: per node } ]",
        "idle: long",
        "grid: [1, 2]",
        "search: { rule: x }",
        "drain: { until: x }",
        "gap: { until: drained(host.cpu) }",
        "idle: { until: drained(host.cpu) }",
        "recovery: { at_most: 5m }",
        "gap: { at_most: 5m }",
        "gap: [5m]",
        "parallel: 3",
        "adapt: [1, 2]",
        "repeat: 101",
        "repeat: 0",
    ] {
        agree(&scenario(keys), false);
    }
}

#[test]
fn monitors() {
    let watch = |keys: &str| QUICKSTART.replace("watch: { host: {} }", keys);
    for keys in [
        "watch: { host: , other: { host: }, host2: { host: { disks: x }, every: 5s } }",
        "watch: { host: { disks: x }, access_log: { host: {} } }",
        "watch: { host: { on: db1 }, own: { host: {}, on: node-1 } }",
        "watch: { host: { on: ssh://db1 }, db: { host: {}, on: { ssh: perf@db1, config: lab.ssh } } }",
        "watch: ",
    ] {
        agree(&watch(keys), true);
    }
    for keys in [
        "watch: { foo: {} }",
        "watch: { foo: }",
        "watch: { foo: { bar: {} } }",
        "watch: { foo: { host: {}, access_log: {} } }",
        "watch: { host: { unknown: 3 } }",
        "watch: { host: { on: http://x } }",
        "watch: { a-b: { host: {} } }",
    ] {
        agree(&watch(keys), false);
    }
}
