//! The published JSON Schema, made from the tables that the checker reads by.

use crate::keys::{Form, Key};
use crate::read::{NAME, RESERVED};
use crate::scenario::PER;
use crate::{Registry, top};
use serde_json::{Map, Value, json};

/// JSON Schema (2020-12) of the study file, so that editors complete and check it. What needs more than one place to
/// decide (names, units that depend on the load model) only `loadproof check` can say.
pub fn schema(registry: &Registry<'_>) -> Value {
    let mut whole = table(&top::TOP, registry);
    whole["$schema"] = json!("https://json-schema.org/draft/2020-12/schema");
    whole["title"] = json!("loadproof study");
    whole["$defs"] = json!({ "item": item() });
    whole
}

/// A duration, a rate, or a variable in their place.
fn pattern(what: &str, pattern: &str) -> Value {
    json!({ "type": "string", "description": what, "pattern": format!("^(.*\\$\\(.*|{pattern})$") })
}

/// A text in which a variable or an expression stands: what it comes to is seen only by the checker.
const VARIABLE: &str = "\\$\\(";

fn form(form: &Form, registry: &Registry<'_>) -> Value {
    match form {
        Form::Text => json!({ "type": ["string", "number", "boolean"] }),
        Form::Scalar => json!({ "type": ["string", "number", "boolean"] }),
        Form::Rule => json!({ "type": "string", "description": "a rule, such as share(x.response < 300ms) >= 95%" }),
        Form::Words(words) => json!({ "anyOf": [{ "enum": words }, { "type": "string", "pattern": VARIABLE }] }),
        Form::Localized => json!({ "anyOf": [
            { "type": ["string", "number"] },
            { "type": "object", "propertyNames": { "pattern": "^[a-z]{2}$" }, "additionalProperties": { "type": ["string", "number"] } },
        ] }),
        Form::Rate => pattern(
            "a rate, such as 200/s",
            "\\s*[0-9._eE+]+\\s*/\\s*[0-9._]*\\s*(ns|us|µs|ms|s|m|h|d)( per (stream|node))?\\s*",
        ),
        Form::Duration => pattern("a duration, such as 30s or 5m", "\\s*[0-9._eE+]+\\s*(ns|us|µs|ms|s|m|h|d)\\s*"),
        Form::Count => json!({ "anyOf": [
            { "type": "integer", "minimum": 0 },
            { "type": "string", "pattern": format!("^[0-9_]+$|{VARIABLE}") },
        ] }),
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
        Form::Monitor(keys) => monitor(keys, registry),
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

fn settings(keys: &[&str]) -> Value {
    let properties: Map<String, Value> = keys.iter().map(|key| ((*key).to_owned(), json!(true))).collect();
    json!({ "type": ["object", "null"], "properties": properties, "additionalProperties": false })
}

fn exchange(keys: &[Key], registry: &Registry<'_>) -> Value {
    let mut properties = properties(keys, registry);
    let mut names = Vec::new();
    for driver in registry.drivers {
        for operation in driver.exchanges {
            let name = format!("{}.{}", driver.name, operation.name);
            names.push(json!({ "required": [name] }));
            properties.insert(name, settings(operation.keys));
        }
    }
    json!({ "type": "object", "properties": properties, "oneOf": names, "additionalProperties": false })
}

fn monitor(keys: &[Key], registry: &Registry<'_>) -> Value {
    let mut properties = properties(keys, registry);
    for kind in registry.monitors {
        properties.insert(kind.name.to_owned(), settings(kind.keys));
    }
    // A monitor named after its kind holds the kind's settings itself, so no key can be ruled out here.
    json!({ "type": ["object", "null"], "properties": properties })
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
    let times = json!({
        "times": form(&Form::Count, &NOTHING),
        "run": { "anyOf": [{ "type": "array", "items": { "$ref": "#/$defs/item" } }, { "$ref": "#/$defs/item" }] },
    });
    json!({ "anyOf": [
        { "type": "string", "description": "an exchange" },
        { "type": "object", "properties": { "think": form(&Form::Duration, &NOTHING) }, "required": ["think"], "additionalProperties": false },
        { "type": "object", "properties": { "choose": { "type": "object", "minProperties": 1, "additionalProperties": share } }, "required": ["choose"], "additionalProperties": false },
        // In `[ times: 3, run: [a] ]` they are two maps of one entry each.
        { "type": "object", "properties": times, "minProperties": 1, "additionalProperties": false, "description": "so many times" },
        one_entry(&json!({ "type": "null" }), &["think", "choose", "times", "run"]),
    ] })
}

const NOTHING: Registry<'static> = Registry { drivers: &[], monitors: &[] };
