//! YAML as JSON, by the parser's events: enough for manifests.

use saphyr_parser::{Event, Parser, ScalarStyle};
use serde_json::{Map, Value};

/// The documents of a text. Anchors and tags are not expected.
pub(crate) fn documents(text: &str) -> Vec<Value> {
    let (mut documents, mut open) = (Vec::new(), Vec::<(Value, Option<String>)>::new());
    for event in Parser::new_from_str(text) {
        let (event, _) = event.expect("YAML");
        let value = match event {
            Event::Scalar(text, style, ..) => scalar(&text, style == ScalarStyle::Plain),
            Event::SequenceStart(..) => {
                open.push((Value::Array(Vec::new()), None));
                continue;
            }
            Event::MappingStart(..) => {
                open.push((Value::Object(Map::new()), None));
                continue;
            }
            Event::SequenceEnd | Event::MappingEnd => open.pop().expect("what ends has begun").0,
            Event::Alias(_) => panic!("an alias"),
            _ => continue,
        };
        match open.last_mut() {
            None => documents.push(value),
            Some((Value::Array(list), _)) => list.push(value),
            Some((Value::Object(map), key)) => match key.take() {
                Some(key) => drop(map.insert(key, value)),
                None => *key = Some(value.as_str().map_or_else(|| value.to_string(), str::to_owned)),
            },
            Some((other, _)) => panic!("{other} holds nothing"),
        }
    }
    documents
}

fn scalar(text: &str, is_plain: bool) -> Value {
    if !is_plain {
        return Value::from(text);
    }
    match text {
        "" | "~" | "null" => Value::Null,
        "true" => Value::Bool(true),
        "false" => Value::Bool(false),
        text => text.parse::<i64>().map_or_else(|_| Value::from(text), Value::from),
    }
}

#[test]
fn a_manifest_is_read_as_it_is_meant() {
    let read = documents("a: { b: [1, \"2\", x y] }\nc:\n  - d: true\n    e: 10Gi\n---\nf:\n");
    assert_eq!(read[0], serde_json::json!({ "a": { "b": [1, "2", "x y"] }, "c": [{ "d": true, "e": "10Gi" }] }));
    assert_eq!(read[1], serde_json::json!({ "f": null }));
}
