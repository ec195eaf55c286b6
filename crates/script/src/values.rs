//! Values on their way into a script and out of it. Outside, everything is text or bytes.

use crate::bounds::{MEMBERS_MAX, STRING_BYTES_MAX};
use rhai::{Array, Blob, Dynamic, FLOAT, INT, Map};
use serde_json::Value;

/// A text as a text, and what is not text (UTF-8) as a blob.
pub(crate) fn given(argument: &[u8]) -> Result<Dynamic, String> {
    if argument.len() > STRING_BYTES_MAX {
        return Err(format!("an argument has {} bytes; at most {STRING_BYTES_MAX} are possible", argument.len()));
    }
    match std::str::from_utf8(argument) {
        Ok(text) => Ok(text.into()),
        Err(_) if argument.len() > MEMBERS_MAX => Err(format!(
            "an argument that is not UTF-8 has {} bytes; at most {MEMBERS_MAX} are possible",
            argument.len()
        )),
        Err(_) => Ok(Dynamic::from_blob(argument.to_vec())),
    }
}

/// Appends a value: texts and bytes as they are, numbers and truth values as they are written, lists and maps as JSON.
pub(crate) fn taken(value: Dynamic, into: &mut Vec<u8>) -> Result<(), String> {
    if let Some(text) = value.as_immutable_string_ref().ok().as_deref() {
        into.extend_from_slice(text.as_bytes());
        return Ok(());
    }
    if value.is_blob() {
        into.extend_from_slice(&value.into_blob().unwrap_or_default());
        return Ok(());
    }
    match json(&value) {
        Some(Value::Null) => Err("it returns nothing; its last line, without `;`, is its value".to_owned()),
        Some(value) => serde_json::to_writer(into, &value).map_err(|error| error.to_string()),
        None => Err(format!(
            "it returns {}, which is neither a text, a number, a truth value, a list nor a map",
            value.type_name()
        )),
    }
}

/// A value as JSON; none for what JSON does not have.
pub(crate) fn json(value: &Dynamic) -> Option<Value> {
    if value.is_unit() {
        return Some(Value::Null);
    }
    if let Ok(truth) = value.as_bool() {
        return Some(truth.into());
    }
    if let Ok(whole) = value.as_int() {
        return Some(whole.into());
    }
    if let Ok(real) = value.as_float() {
        return serde_json::Number::from_f64(real).map(Value::Number);
    }
    if let Ok(letter) = value.as_char() {
        return Some(letter.to_string().into());
    }
    if let Ok(text) = value.as_immutable_string_ref() {
        return Some(text.as_str().into());
    }
    if let Ok(members) = value.as_array_ref() {
        return members.iter().map(json).collect::<Option<Vec<_>>>().map(Value::Array);
    }
    if let Ok(entries) = value.as_map_ref() {
        let entries = entries.iter().map(|(key, value)| Some((key.to_string(), json(value)?)));
        return entries.collect::<Option<serde_json::Map<_, _>>>().map(Value::Object);
    }
    None
}

/// JSON as values. Whole numbers that 64 bits do not hold become floating point.
pub(crate) fn of_json(value: Value) -> Dynamic {
    match value {
        Value::Null => Dynamic::UNIT,
        Value::Bool(truth) => truth.into(),
        Value::Number(number) => match number.as_i64() {
            Some(whole) => Dynamic::from_int(whole as INT),
            None => Dynamic::from_float(number.as_f64().unwrap_or_default() as FLOAT),
        },
        Value::String(text) => text.into(),
        Value::Array(members) => Dynamic::from_array(members.into_iter().map(of_json).collect::<Array>()),
        Value::Object(entries) => {
            let entries = entries.into_iter().map(|(key, value)| (key.into(), of_json(value)));
            Dynamic::from_map(entries.collect::<Map>())
        }
    }
}

/// The bytes of a text or a blob, which functions for encodings and digests take alike.
pub(crate) fn bytes(value: &Dynamic) -> Option<Vec<u8>> {
    if let Ok(text) = value.as_immutable_string_ref() {
        return Some(text.as_bytes().to_vec());
    }
    if let Ok(blob) = value.as_blob_ref() {
        return Some(Blob::clone(&blob));
    }
    json(value).filter(|value| value.is_number() || value.is_boolean()).map(|value| value.to_string().into_bytes())
}
