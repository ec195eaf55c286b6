//! Streams: what clients define, and how many there may be.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use serde::Deserialize;

/// Streams, and attributes of one.
const STREAMS_MAX: usize = 1000;
const ATTRIBUTES_MAX: usize = 1000;
/// Longest name.
const NAME_MAX: usize = 256;

/// Type of an attribute.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "UPPERCASE")]
pub(crate) enum Type {
    Int,
    Long,
    Float,
    Double,
    Bool,
    String,
}

#[derive(Clone, Debug, Deserialize, PartialEq, Eq)]
pub(crate) struct Attribute {
    pub(crate) name: String,
    #[serde(rename = "type")]
    pub(crate) kind: Type,
}

/// A definition as it comes.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Written {
    name: String,
    version: String,
    #[serde(default)]
    meta_data: Vec<Attribute>,
    #[serde(default)]
    correlation_data: Vec<Attribute>,
    #[serde(default)]
    payload_data: Vec<Attribute>,
}

/// A stream, with its attributes in the order in which events have them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Stream {
    /// Name and version: `smart_home:1.0.0`.
    pub(crate) id: String,
    /// What its table is called.
    pub(crate) table: String,
    pub(crate) attributes: Vec<Attribute>,
}

/// Why a definition is not taken.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Refusal {
    Malformed(String),
    /// There is another one of that name and version.
    Different,
}

impl Stream {
    /// Reads a definition.
    ///
    /// # Errors
    /// What is wrong with it.
    pub(crate) fn read(json: &str) -> Result<Self, String> {
        let written: Written = serde_json::from_str(json).map_err(|error| error.to_string())?;
        let Written { name, version, meta_data, correlation_data, payload_data } = written;
        let attributes: Vec<Attribute> = [meta_data, correlation_data, payload_data].concat();
        if attributes.is_empty() || attributes.len() > ATTRIBUTES_MAX {
            return Err(format!("a stream has 1 to {ATTRIBUTES_MAX} attributes, not {}", attributes.len()));
        }
        let is_name = |text: &str| {
            let is_good = |c: char| c.is_alphanumeric() || matches!(c, '.' | '_' | '-');
            !text.is_empty() && text.len() <= NAME_MAX && text.chars().all(is_good)
        };
        let names = attributes.iter().map(|attribute| attribute.name.as_str());
        if let Some(wrong) = names.chain([name.as_str(), version.as_str()]).find(|name| !is_name(name)) {
            return Err(format!("`{}` is not a name", wrong.chars().take(NAME_MAX).collect::<String>().escape_debug()));
        }
        Ok(Self { id: format!("{name}:{version}"), table: name.to_uppercase().replace(['.', '-'], "_"), attributes })
    }
}

/// All streams that were defined.
#[derive(Debug, Default)]
pub(crate) struct Streams(Mutex<BTreeMap<String, Known>>);

/// A stream. One that was deleted is remembered: its rows are still in its table, which has no room for rows of another
/// form under the same name.
#[derive(Debug)]
struct Known {
    stream: Arc<Stream>,
    is_deleted: bool,
}

impl Streams {
    /// Defines one, unless it is defined so already; its id.
    ///
    /// # Errors
    /// Why not.
    pub(crate) fn define(&self, json: &str) -> Result<String, Refusal> {
        let stream = Stream::read(json).map_err(Refusal::Malformed)?;
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let (id, is_full) = (stream.id.clone(), known.len() >= STREAMS_MAX);
        match known.get_mut(&id) {
            Some(same) if *same.stream == stream => same.is_deleted = false,
            Some(_) => return Err(Refusal::Different),
            None if is_full => {
                return Err(Refusal::Malformed(format!("there are {STREAMS_MAX} streams already")));
            }
            None => {
                known.insert(id.clone(), Known { stream: Arc::new(stream), is_deleted: false });
            }
        }
        Ok(id)
    }

    /// One that takes events.
    pub(crate) fn get(&self, id: &str) -> Option<Arc<Stream>> {
        let known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        known.get(id).filter(|known| !known.is_deleted).map(|known| known.stream.clone())
    }

    /// Takes no more events of a stream until it is defined again; whether it took some until now.
    pub(crate) fn delete(&self, id: &str) -> bool {
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        known.get_mut(id).is_some_and(|known| !std::mem::replace(&mut known.is_deleted, true))
    }

    /// The one whose table is called so, also one that was deleted.
    pub(crate) fn of_table(&self, table: &str) -> Option<Arc<Stream>> {
        let known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let mut streams = known.values().map(|known| &known.stream);
        streams.find(|stream| stream.table.eq_ignore_ascii_case(table)).cloned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const HOME: &str = r#"{"name":"smart_home","version":"1.0.0","nickName":"","description":"",
        "metaData":[{"name":"gateway","type":"STRING"}],"payloadData":[{"name":"house","type":"INT"}]}"#;

    #[test]
    fn a_stream_is_defined_once_and_the_same_again() {
        let streams = Streams::default();
        assert_eq!(streams.define(HOME), Ok("smart_home:1.0.0".to_owned()));
        assert_eq!(streams.define(HOME), Ok("smart_home:1.0.0".to_owned()));
        assert_eq!(streams.define(&HOME.replace("INT", "LONG")), Err(Refusal::Different));
        let names: Vec<_> =
            streams.get("smart_home:1.0.0").unwrap().attributes.iter().map(|it| it.name.clone()).collect();
        assert_eq!(names, ["gateway", "house"], "meta comes before payload");
        assert!(streams.of_table("smart_home").is_some() && streams.of_table("other").is_none());
    }

    #[test]
    fn a_stream_that_is_deleted_takes_no_events_and_comes_back_as_it_was() {
        let (streams, id) = (Streams::default(), "smart_home:1.0.0");
        assert!(!streams.delete(id), "nothing to delete");
        streams.define(HOME).unwrap();
        assert!(streams.delete(id) && !streams.delete(id), "once");
        assert_eq!(streams.get(id), None);
        assert!(streams.of_table("SMART_HOME").is_some(), "its rows are found");
        assert_eq!(streams.define(&HOME.replace("INT", "LONG")), Err(Refusal::Different), "its table has another form");
        assert_eq!(streams.define(HOME), Ok(id.to_owned()));
        assert!(streams.get(id).is_some());
    }

    #[test]
    fn what_is_no_definition_is_refused() {
        for wrong in [
            "",
            "{}",
            r#"{"name":"a","version":"1"}"#,
            r#"{"name":"a b","version":"1","payloadData":[{"name":"x","type":"INT"}]}"#,
            r#"{"name":"a","version":"1","payloadData":[{"name":"x","type":"DATE"}]}"#,
        ] {
            assert!(matches!(Streams::default().define(wrong), Err(Refusal::Malformed(_))), "{wrong}");
        }
    }
}
