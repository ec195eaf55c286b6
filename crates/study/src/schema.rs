//! The published JSON Schema, made from the tables that the checker reads by.

use crate::Registry;
use crate::sections::run::{FOR_EACH, IF, JOURNEY, PARALLEL, TIMES, TRANSACTION, WHILE};
use crate::sections::scenario::PER;
use crate::sections::{top, watch};
use crate::syntax::keys::{Form, Key};
use crate::syntax::not_yet;
use crate::syntax::read::{NAME, RESERVED};
use serde_json::{Map, Value, json};

/// JSON Schema (2020-12) of the study file, so that editors complete and check it. What needs more than one place to
/// decide (names, units that depend on the load model) only `loadproof check` can say.
pub fn schema(registry: &Registry<'_>) -> Value {
    let mut whole = table(&top::TOP, registry);
    // What a study has to have may come from a file that it includes.
    let required = whole.as_object_mut().and_then(|whole| whole.remove("required")).unwrap_or_default();
    whole["anyOf"] = json!([{ "required": required }, { "required": ["include"] }]);
    whole["$schema"] = json!("https://json-schema.org/draft/2020-12/schema");
    whole["title"] = json!("loadproof study");
    whole["$defs"] = json!({ "item": item(), "monitor": monitor(registry) });
    whole
}

/// A duration, a rate, or a variable in their place.
fn pattern(what: &str, pattern: &str) -> Value {
    json!({ "type": "string", "description": what, "pattern": format!("^(.*\\$\\(.*|{pattern})$") })
}

/// A text that contains a variable or an expression: only the checker knows its value.
const VARIABLE: &str = "\\$\\(";

fn form(form: &Form, registry: &Registry<'_>) -> Value {
    match form {
        Form::Text => json!({ "type": ["string", "number", "boolean"] }),
        Form::Scalar => json!({ "type": ["string", "number", "boolean"] }),
        Form::Rule => json!({ "type": "string", "description": "a rule, such as share(x.response < 300ms) >= 95%" }),
        Form::Words(words) => one_of(words.iter().copied()),
        Form::CarriedOut(what, words) => {
            one_of(words.iter().copied().filter(|word| !not_yet::is_one(&format!("{what} {word}"))))
        }
        Form::File(endings) => {
            let endings = endings.join("|").replace('.', "\\.");
            json!({ "type": "string", "pattern": format!("({endings})$") })
        }
        Form::Check => begins_with(&probes()),
        // A capture keeps what an answer has.
        Form::Probe => begins_with(&probes().into_iter().filter(|word| *word != "script").collect::<Vec<_>>()),
        Form::Localized => json!({ "anyOf": [
            { "type": ["string", "number"] },
            { "type": "object", "propertyNames": { "pattern": "^[a-z]{2}$" }, "additionalProperties": { "type": ["string", "number"] } },
        ] }),
        Form::Rate => pattern(
            "a rate, such as 200/s",
            "\\s*[0-9._eE+]+\\s*/\\s*[0-9._]*\\s*(ns|us|µs|ms|s|m|h|d)( per (stream|node))?\\s*",
        ),
        Form::Duration => pattern("a duration, such as 30s or 5m", "\\s*[0-9._eE+]+\\s*(ns|us|µs|ms|s|m|h|d)\\s*"),
        Form::Machine => pattern(
            "a machine, such as ssh://perf@db1, or a node, such as db1",
            "(ssh://[^/]+/?|[A-Za-z0-9][A-Za-z0-9._-]*)",
        ),
        Form::Count(least, most) => count(*least, *most),
        Form::CountPerNode => {
            pattern("a number for each load node, such as `5 per node`", "\\s*[0-9]+\\s+per node\\s*")
        }
        Form::CountOf => pattern(
            "a number of what exchanges carry, such as `12000 events`",
            "\\s*[0-9]+\\s+[A-Za-z_][A-Za-z0-9_]{2,}\\s*",
        ),
        Form::Bool => json!({ "anyOf": [
            { "type": "boolean" },
            { "type": "string", "pattern": format!("^(true|false)$|{VARIABLE}") },
        ] }),
        Form::Free => json!(true),
        Form::NotYet => json!({ "not": {} }),
        Form::Around => around(),
        Form::List(member) => json!({ "type": "array", "items": self::form(member, registry) }),
        Form::Some(member) => {
            let member = self::form(member, registry);
            json!({ "anyOf": [{ "type": "array", "items": member }, member] })
        }
        Form::MapOf(member) => json!({ "type": "object", "additionalProperties": self::form(member, registry) }),
        Form::Named(member) => json!({
            "type": "object",
            "propertyNames": { "pattern": NAME, "not": { "enum": RESERVED } },
            "additionalProperties": self::form(member, registry),
        }),
        Form::Table(keys) => table(keys, registry),
        Form::Any(forms) => json!({ "anyOf": forms.iter().map(|one| self::form(one, registry)).collect::<Vec<_>>() }),
        Form::Item => json!({ "$ref": "#/$defs/item" }),
        Form::Exchange(keys) => exchange(keys, registry),
        Form::Monitors => monitors(registry),
    }
}

/// A value that may also be left empty: a key with nothing behind it counts as not written.
fn or_nothing(mut value: Value) -> Value {
    let Value::Object(map) = &mut value else { return value };
    if map.contains_key("not") {
        return value;
    }
    if let Some(Value::Array(forms)) = map.get_mut("anyOf") {
        forms.push(json!({ "type": "null" }));
    } else if let Some(types) = map.get_mut("type") {
        match types {
            Value::Array(types) if !types.contains(&json!("null")) => types.push(json!("null")),
            Value::String(one) => *types = json!([one, "null"]),
            _ => {}
        }
    }
    value
}

fn properties(keys: &[Key], registry: &Registry<'_>) -> Map<String, Value> {
    let mut properties = Map::new();
    for key in keys {
        let value = form(&key.form, registry);
        let mut value = if key.required { value } else { or_nothing(value) };
        match &mut value {
            Value::Object(map) => {
                map.insert("description".into(), json!(key.about));
            }
            _ => value = json!({ "description": key.about }),
        }
        properties.insert(key.name.into(), value);
    }
    properties
}

fn table(keys: &[Key], registry: &Registry<'_>) -> Value {
    let required: Vec<_> = keys.iter().filter(|key| key.required).map(|key| key.name).collect();
    json!({
        "type": "object",
        "properties": properties(keys, registry),
        "required": required,
        "additionalProperties": false,
    })
}

/// One of these words, or a variable in their place.
fn one_of<'a>(words: impl Iterator<Item = &'a str>) -> Value {
    let words: Vec<_> = words.collect();
    json!({ "anyOf": [{ "enum": words }, { "type": "string", "pattern": VARIABLE }] })
}

/// A whole number within bounds, also in quotes or with `_` between its digits.
fn count(least: u64, most: u64) -> Value {
    let mut number = json!({ "type": "integer", "minimum": least });
    if most < u64::MAX {
        number["maximum"] = json!(most);
    }
    let digits = match (least, most) {
        (least, most) if least == most => least.to_string(),
        (0, _) => "[0-9_]+".to_owned(),
        _ => "[0-9_]*[1-9][0-9_]*".to_owned(),
    };
    json!({ "anyOf": [number, { "type": "string", "pattern": format!("^{digits}$|{VARIABLE}") }] })
}

/// A text that begins with one of these words.
fn begins_with(words: &[&str]) -> Value {
    json!({ "type": "string", "pattern": format!("^\\s*({})\\b", words.join("|")) })
}

/// Words that a check or a capture may begin with.
fn probes() -> Vec<&'static str> {
    contract::PROBES.to_vec()
}

/// Settings of an operation or a monitor; those in `words` have one of a few.
fn settings(keys: &[&str], words: &[(&str, &[&str])]) -> Value {
    let value =
        |key: &str| words.iter().find(|(known, _)| *known == key).map_or(json!(true), |(_, words)| scalar(words));
    let properties: Map<String, Value> = keys.iter().map(|key| ((*key).to_owned(), value(key))).collect();
    json!({ "type": ["object", "null"], "properties": properties, "additionalProperties": false })
}

/// One of these words. A number among them may be written as one.
fn scalar(words: &[&str]) -> Value {
    let mut known = Vec::new();
    for word in words {
        known.push(json!(word));
        known.extend(serde_json::from_str::<Value>(word).ok().filter(Value::is_number));
    }
    json!({ "anyOf": [{ "enum": known }, { "type": "string", "pattern": VARIABLE }] })
}

fn exchange(keys: &[Key], registry: &Registry<'_>) -> Value {
    let mut properties = properties(keys, registry);
    let mut names = Vec::new();
    for driver in registry.drivers {
        for operation in driver.exchanges {
            let name = format!("{}.{}", driver.name, operation.name);
            names.push(json!({ "required": [name] }));
            properties.insert(name, settings(operation.keys, operation.words));
        }
    }
    json!({ "type": "object", "properties": properties, "oneOf": names, "additionalProperties": false })
}

/// A monitor's own keys and these more.
fn with_common(more: Map<String, Value>, registry: &Registry<'_>) -> Value {
    let properties: Map<String, Value> = more.into_iter().chain(properties(&watch::COMMON, registry)).collect();
    json!({ "type": ["object", "null"], "properties": properties, "additionalProperties": false })
}

/// A monitor that says of which kind it is.
fn monitor(registry: &Registry<'_>) -> Value {
    let kinds = registry.monitors.iter().map(|kind| (kind.name.to_owned(), settings(kind.keys, &[])));
    let mut monitor = with_common(kinds.collect(), registry);
    monitor["type"] = json!("object");
    monitor["oneOf"] = registry.monitors.iter().map(|kind| json!({ "required": [kind.name] })).collect();
    monitor
}

/// Monitors by name: one that is named after its kind holds the kind's settings itself, or has another kind.
fn monitors(registry: &Registry<'_>) -> Value {
    let other = json!({ "$ref": "#/$defs/monitor" });
    let own = |keys: &[&str]| with_common(keys.iter().map(|key| ((*key).to_owned(), json!(true))).collect(), registry);
    let named = registry.monitors.iter().map(|kind| {
        let metrics: Vec<&str> = kind.metrics.iter().map(|metric| metric.name).collect();
        let about = format!("metrics: {}", metrics.join(", "));
        (kind.name.to_owned(), json!({ "anyOf": [own(kind.keys), other], "description": about }))
    });
    let named: Map<String, Value> = named.collect();
    let taken: Vec<&str> = RESERVED.iter().chain(&watch::OWN).copied().collect();
    json!({
        "type": "object",
        "propertyNames": { "pattern": NAME, "not": { "enum": taken } },
        "properties": named,
        "additionalProperties": other,
    })
}

/// A map with one entry whose key is none of these words.
fn one_entry(value: &Value, words: &[&str]) -> Value {
    let names = json!({ "not": { "enum": words } });
    json!({ "type": "object", "minProperties": 1, "maxProperties": 1, "propertyNames": names, "additionalProperties": value })
}

fn around() -> Value {
    json!({ "anyOf": [
        { "type": "string", "description": "an exchange, once a scenario" },
        one_entry(&json!({ "enum": PER }), &[]),
    ] })
}

fn item() -> Value {
    let share = pattern("a share, such as 25%", "\\s*[0-9._eE+]+\\s*%\\s*");
    let journey = json!({ "type": "object", "properties": properties(&JOURNEY, &NOTHING), "required": ["share", "run"], "additionalProperties": false });
    let think = pattern("a wait: 2s, 1s to 5s, exponential(3s)", "\\s*[0-9._]+\\s*[a-z]+.*|exponential\\(.+\\)");
    // In `[ times: 3, run: [a] ]` they are two maps of one entry each.
    let several = |keys: &[Key], what: &str| json!({ "type": "object", "properties": properties(keys, &NOTHING), "minProperties": 1, "additionalProperties": false, "description": what });
    json!({ "anyOf": [
        { "type": "string", "description": "an exchange" },
        { "type": "object", "properties": { "think": think }, "required": ["think"], "additionalProperties": false },
        { "type": "object", "properties": { "choose": { "type": "object", "minProperties": 1, "additionalProperties": { "anyOf": [share, journey] } } }, "required": ["choose"], "additionalProperties": false },
        several(&TIMES, "this many times"),
        several(&IF, "if a condition holds"),
        several(&WHILE, "as long as a condition holds"),
        several(&FOR_EACH, "for each member of a captured list"),
        several(&TRANSACTION, "also counted as one"),
        several(&PARALLEL, "calls at once"),
        one_entry(&json!({ "type": "null" }), &["think", "choose", "times", "run", "if", "then", "else", "while", "for each", "as", "most", "transaction", "parallel", "at_once"]),
    ] })
}

const NOTHING: Registry<'static> = Registry { drivers: &[], monitors: &[], blocks: &[] };
