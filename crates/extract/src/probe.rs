//! Where in an answer to look: compiled, and looked up.

use crate::Answer;
use contract::{Mistake, Place, Probe};
use regex::bytes::{Regex, RegexBuilder};
use serde_json::Value;
use serde_json_path::JsonPath;
use std::borrow::Cow;

/// A compiled pattern may take this much memory; a study's pattern is short, one that takes more is a slip.
const PATTERN_BYTES_MAX: usize = 1024 * 1024;
/// Memory of the pattern's cache of states while it runs; beyond it, it runs slower but not larger.
const PATTERN_CACHE_BYTES_MAX: usize = 2 * 1024 * 1024;

/// A probe ready for use.
pub(crate) enum Lookup {
    Status,
    Header(Box<str>),
    Json(Box<JsonPath>),
    Regex(Box<Regex>),
    Body,
    Size,
}

impl Lookup {
    pub(crate) fn new(probe: &Probe, place: Place) -> Result<Self, Mistake> {
        Ok(match probe {
            Probe::Status => Self::Status,
            Probe::Header(name) => Self::Header(name.to_ascii_lowercase().into()),
            Probe::Json(path) => Self::Json(Box::new(json_path(path, place)?)),
            Probe::Regex(pattern) => Self::Regex(Box::new(regex(pattern, place)?)),
            Probe::Body => Self::Body,
            Probe::Size => Self::Size,
            Probe::Xpath(path) => {
                return Err(Mistake::at(place, "study::not-yet", format!("`xpath({path})` is not possible yet"))
                    .hint("possible are `status`, `header(name)`, `json($.path)`, `regex(pattern)`, `body`, `size`"));
            }
        })
    }

    pub(crate) fn needs_body(&self) -> bool {
        matches!(self, Self::Json(_) | Self::Regex(_) | Self::Body)
    }

    pub(crate) fn needs_headers(&self) -> bool {
        matches!(self, Self::Header(_))
    }

    /// What the answer has there; `None` when there is nothing.
    pub(crate) fn find<'a>(&self, answer: &'a mut Answer<'_>) -> Option<Cow<'a, [u8]>> {
        match self {
            Self::Status => Some(answer.status.to_string().into_bytes().into()),
            Self::Size => Some(answer.size.to_string().into_bytes().into()),
            Self::Header(name) => answer.headers.header(name).map(Cow::Borrowed),
            Self::Body => Some(Cow::Borrowed(answer.body)),
            Self::Regex(regex) => {
                let groups = regex.captures(answer.body)?;
                // A first group that took no part in the match found nothing; only a pattern without groups means all.
                let part = if groups.len() > 1 { groups.get(1)? } else { groups.get(0)? };
                Some(Cow::Borrowed(part.as_bytes()))
            }
            Self::Json(path) => {
                let value = answer.json()?;
                path.query(value).first().map(text_of)
            }
        }
    }
}

/// Texts as they are, everything else as JSON writes it.
fn text_of(value: &Value) -> Cow<'_, [u8]> {
    match value {
        Value::String(text) => Cow::Borrowed(text.as_bytes()),
        other => Cow::Owned(other.to_string().into_bytes()),
    }
}

fn json_path(path: &str, place: Place) -> Result<JsonPath, Mistake> {
    JsonPath::parse(path).map_err(|error| {
        let what = format!("`{path}` is no JSONPath: {}", error.message());
        Mistake::at(place, "study::bad-json-path", what)
            .hint("write it as RFC 9535 has it, such as `json($.items[0].id)` or `json($['x-id'])`")
    })
}

fn regex(pattern: &str, place: Place) -> Result<Regex, Mistake> {
    let built =
        RegexBuilder::new(pattern).size_limit(PATTERN_BYTES_MAX).dfa_size_limit(PATTERN_CACHE_BYTES_MAX).build();
    built.map_err(|error| {
        // The library draws the pattern over several lines; the last one is the sentence.
        let text = error.to_string();
        let reason = text.lines().last().unwrap_or_default().trim_start_matches("error: ").to_owned();
        Mistake::at(place, "study::bad-pattern", format!("the pattern `{pattern}` cannot be used: {reason}"))
            .hint("patterns run in linear time, so look-around and back-references are not possible")
    })
}
