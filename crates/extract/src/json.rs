//! An answer's body as JSON, within bounds: a few bytes of text can become hundreds in memory.

use serde::de::{DeserializeSeed, Deserializer, Error, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Value};
use std::fmt;

/// Lists and maps within each other: the bound of the library, which reads them by recursion.
const DEPTH_MAX: usize = 127;
/// Memory of one answer's values. The megabyte of a body that is kept unless the study says otherwise needs 85 at most.
const MEMORY_BYTES_MAX: usize = 256 * 1024 * 1024;
/// A map's first entry takes a whole node of its tree.
const FIRST_ENTRY_BYTES: usize = 640;
/// Any further one.
const ENTRY_BYTES: usize = 120;

/// Why a body is not at hand as JSON.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum NoJson {
    /// It is none.
    Text,
    /// Its lists and maps stand too deep within each other.
    Deep,
    /// Its values would need too much memory.
    Large,
    /// One of its numbers is greater than any that is calculated with.
    Number,
}

impl fmt::Display for NoJson {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Text => f.write_str("nothing there: the body is not JSON"),
            Self::Deep => write!(f, "nothing there: the JSON is nested more than {DEPTH_MAX} deep"),
            Self::Number => f.write_str("nothing there: a number of the JSON is out of range (beyond ±1.8e308)"),
            Self::Large => write!(
                f,
                "the JSON would need more than {} MiB of memory, so it was not looked at",
                MEMORY_BYTES_MAX / (1024 * 1024)
            ),
        }
    }
}

pub(crate) fn parse(body: &[u8]) -> Result<Value, NoJson> {
    parse_within(body, MEMORY_BYTES_MAX)
}

fn parse_within(body: &[u8], memory: usize) -> Result<Value, NoJson> {
    let mut bounds = Bounds { memory, is_over: false };
    let mut reader = serde_json::Deserializer::from_slice(body);
    let read = Level(&mut bounds).deserialize(&mut reader).and_then(|value| {
        reader.end()?;
        Ok(value)
    });
    // The library has no other way of telling what it is.
    read.map_err(|error| match error.to_string() {
        _ if bounds.is_over => NoJson::Large,
        text if text.starts_with("recursion limit exceeded") => NoJson::Deep,
        text if text.starts_with("number out of range") => NoJson::Number,
        _ => NoJson::Text,
    })
}

struct Bounds {
    memory: usize,
    is_over: bool,
}

impl Bounds {
    fn take<E: Error>(&mut self, bytes: usize) -> Result<(), E> {
        let left = self.memory.checked_sub(bytes);
        self.is_over = left.is_none();
        self.memory = left.ok_or_else(|| E::custom("the values need too much memory"))?;
        Ok(())
    }
}

/// Builds one value out of what the library reads.
struct Level<'b>(&'b mut Bounds);

impl<'de> DeserializeSeed<'de> for Level<'_> {
    type Value = Value;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Value, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Level<'_> {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("JSON")
    }

    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_bool<E>(self, value: bool) -> Result<Value, E> {
        Ok(Value::Bool(value))
    }

    fn visit_i64<E>(self, value: i64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_u64<E>(self, value: u64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_f64<E>(self, value: f64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<Value, E> {
        self.0.take(text.len())?;
        Ok(Value::String(text.to_owned()))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Value, A::Error> {
        let mut members = Vec::new();
        while let Some(member) = list.next_element_seed(Level(self.0))? {
            // A list that grows has room for twice as many.
            self.0.take(2 * size_of::<Value>())?;
            members.push(member);
        }
        Ok(Value::Array(members))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Value, A::Error> {
        let mut entries = Map::new();
        while let Some(key) = map.next_key::<String>()? {
            let entry = if entries.is_empty() { FIRST_ENTRY_BYTES } else { ENTRY_BYTES };
            self.0.take(entry + key.len())?;
            let value = map.next_value_seed(Level(self.0))?;
            entries.insert(key, value);
        }
        Ok(Value::Object(entries))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn what_needs_too_much_is_not_built() {
        assert_eq!(parse_within(b"[1,2,3]", 3 * 64), Ok(serde_json::json!([1, 2, 3])));
        assert_eq!(parse_within(b"[1,2,3]", 2 * 64), Err(NoJson::Large));
        assert_eq!(parse_within(br#"[{"":0},{"":0}]"#, 1300), Err(NoJson::Large));
        assert_eq!(parse_within(br#""abc""#, 2), Err(NoJson::Large));
        assert_eq!(parse_within(br#"{"abc":0}"#, FIRST_ENTRY_BYTES + 2), Err(NoJson::Large));
    }

    #[test]
    fn what_is_too_deep_is_told_from_what_is_no_json() {
        let nested = |deep: usize| format!("{}{}", "[".repeat(deep), "]".repeat(deep));
        assert!(parse(nested(DEPTH_MAX).as_bytes()).is_ok());
        assert_eq!(parse(nested(DEPTH_MAX + 1).as_bytes()), Err(NoJson::Deep));
        assert_eq!(parse("[".repeat(100_000).as_bytes()), Err(NoJson::Deep));
        assert_eq!(parse(br#"{"a":1e999999}"#), Err(NoJson::Number));
        assert_eq!(parse(br#"{"a":-1e309}"#), Err(NoJson::Number));
        assert!(NoJson::Number.to_string().contains("out of range"));
        assert_eq!(parse(b"<html>"), Err(NoJson::Text));
        assert_eq!(parse(b"{} {}"), Err(NoJson::Text));
    }

    proptest! {
        #[test]
        fn it_reads_what_the_library_reads(text in r#"[\[\]{}:," a0-9.e\\untrfals-]{0,40}"#) {
            let library = serde_json::from_str::<Value>(&text);
            prop_assert_eq!(parse(text.as_bytes()).ok(), library.ok());
        }
    }
}
