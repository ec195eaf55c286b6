//! Where in an answer to look: compiled, and looked up.

use crate::namespaces;
use crate::path::{Path, STEPS_MAX, Spent};
use crate::xml::{NoXml, Tree};
use crate::xpath::{self, Type, Wrong, XPath};
use crate::{Answer, Headers, Render};
use contract::{BuildContext, Capture, Mistake, Place, Probe, Script, ScriptArgument, ScriptProbe, Which};
use regex::bytes::{Regex, RegexBuilder};
use serde_json::Value;
use std::borrow::Cow;
use std::sync::Arc;

/// A compiled pattern may take this much memory; a study's pattern is short, one that takes more is a slip.
const PATTERN_BYTES_MAX: usize = 1024 * 1024;
/// Memory of the pattern's cache of states while it runs; beyond it, it runs slower but not larger.
const PATTERN_CACHE_BYTES_MAX: usize = 2 * 1024 * 1024;

/// Length of a pattern in bytes.
const PATTERN_LENGTH_MAX: usize = 10_000;
/// Groups of a pattern within each other; reading them is recursive.
const PATTERN_DEEP_MAX: u32 = 50;
/// Bytes of a body that a pattern looks at. Its time grows with them, and with the pattern.
const PATTERN_TEXT_BYTES_MAX: usize = 16 * 1024 * 1024;

/// Why a probe has no value.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Missing {
    /// The answer has nothing there; what is to be said of it.
    Nothing(Cow<'static, str>),
    /// It was not looked at to the end: a bound was reached, which is the check's fault and not the answer's.
    Bound(String),
}

/// A probe ready for use.
pub(crate) enum Lookup {
    Status,
    Header(Box<str>),
    HeaderPart(Box<str>, Box<Regex>),
    Json(Box<Path>),
    Xpath(Box<InXml>),
    Regex(Box<Regex>),
    Body,
    Size,
    Script(Box<Scripted>),
}

/// An XPath, and what of a node is meant.
pub(crate) struct InXml {
    pub(crate) path: XPath,
    is_xml: bool,
}

impl InXml {
    /// Of a node what is meant.
    pub(crate) fn text<'d>(&self, tree: Tree<'d>, node: u32) -> Cow<'d, str> {
        if self.is_xml { tree.written(node) } else { tree.value(node) }
    }

    fn find<'d>(&self, tree: Tree<'d>) -> Result<Cow<'d, [u8]>, Missing> {
        if self.path.of() != Type::Nodes {
            return self.path.text(tree).map(|text| text.into_bytes().into()).map_err(steps_spent);
        }
        match self.path.first_node(tree).map_err(steps_spent)? {
            Some(node) => Ok(bytes_of(self.text(tree, node))),
            None => Err(Missing::Nothing(match self.path.namesake(tree) {
                Some(namesake) => namespaces::other(&namesake).into(),
                None => "nothing there".into(),
            })),
        }
    }
}

/// A function of a script, and where what it is given comes from.
pub(crate) struct Scripted {
    script: Arc<dyn Script>,
    arguments: Vec<Argument>,
}

enum Argument {
    Of(Lookup),
    Fixed(Box<[u8]>),
    Template(u16),
}

impl Lookup {
    /// Where a check looks; texts with slots are kept with `context`.
    pub(crate) fn of_check(probe: &Probe, place: Place, context: &mut BuildContext<'_>) -> Result<Self, Mistake> {
        let Probe::Script(ScriptProbe { script, arguments }) = probe else {
            return Self::new(probe, place, context.namespaces());
        };
        let mut given = Vec::new();
        for argument in arguments {
            given.push(match argument {
                ScriptArgument::Of(probe) => Argument::Of(Self::new(probe, place, context.namespaces())?),
                ScriptArgument::Text(text) => match text.as_fixed() {
                    Some(fixed) => Argument::Fixed(fixed.into()),
                    None => Argument::Template(context.keep(text.clone())),
                },
            });
        }
        Ok(Self::Script(Box::new(Scripted { script: script.clone(), arguments: given })))
    }

    /// Where a capture looks, and a check that has no script; `namespaces` are the study's.
    pub(crate) fn new(probe: &Probe, place: Place, namespaces: &[(String, String)]) -> Result<Self, Mistake> {
        Ok(match probe {
            Probe::Status => Self::Status,
            Probe::Header(name) => Self::Header(name.to_ascii_lowercase().into()),
            Probe::HeaderPart { name, pattern } => {
                Self::HeaderPart(name.to_ascii_lowercase().into(), Box::new(regex(pattern, place)?))
            }
            Probe::Json(path) => Self::Json(Box::new(json_path(path, place)?)),
            Probe::Regex(pattern) => Self::Regex(Box::new(regex(pattern, place)?)),
            Probe::Body => Self::Body,
            Probe::Size => Self::Size,
            Probe::Script(script) => {
                let what = format!("the script `{}` stands where only a part of an answer can", script.script.name());
                return Err(Mistake::at(place, "study::bad-check", what).label("write it in a check of its own"));
            }
            Probe::Xpath { path, is_xml } => Self::Xpath(Box::new(in_xml(path, *is_xml, place, namespaces)?)),
        })
    }

    /// The same for a capture, unless that takes one value of several where there is one only.
    pub(crate) fn that_picks(self, capture: &Capture) -> Result<Self, Mistake> {
        let has_one = matches!(&self, Self::Xpath(looked) if looked.path.of() != Type::Nodes);
        if has_one && capture.pick != Which::First {
            let what =
                format!("the capture `{}` takes one of several values, and its XPath has one only", capture.name);
            return Err(Mistake::at(capture.place, "study::bad-capture", what)
                .label("remove `any` or `all`, or let it select nodes"));
        }
        Ok(self)
    }

    pub(crate) fn needs_body(&self) -> bool {
        match self {
            Self::Json(_) | Self::Xpath(_) | Self::Regex(_) | Self::Body => true,
            Self::Script(scripted) => scripted.lookups().any(Self::needs_body),
            _ => false,
        }
    }

    pub(crate) fn needs_headers(&self) -> bool {
        match self {
            // Of the body's encoding the headers speak first.
            Self::Header(_) | Self::HeaderPart(..) | Self::Xpath(_) => true,
            Self::Script(scripted) => scripted.lookups().any(Self::needs_headers),
            _ => false,
        }
    }

    /// Whether the answer has a `null` of JSON there, which says that there is nothing.
    pub(crate) fn finds_null(&self, answer: &mut Answer<'_>) -> bool {
        let Self::Json(path) = self else { return false };
        answer.json().is_ok_and(|value| matches!(path.first(value), Ok(Some(Value::Null))))
    }

    /// What the answer has there. Texts that a script is given are filled in by `render`.
    pub(crate) fn find<'a>(
        &self,
        answer: &'a mut Answer<'_>,
        render: &mut Render<'_>,
    ) -> Result<Cow<'a, [u8]>, Missing> {
        let found = match self {
            Self::Script(scripted) => Some(Cow::Owned(scripted.value(answer, render)?)),
            Self::Status => Some(answer.status.to_string().into_bytes().into()),
            Self::Size => Some(answer.size.to_string().into_bytes().into()),
            Self::Header(name) => answer.headers.header(name).map(Cow::Borrowed),
            Self::HeaderPart(name, regex) => part_of_header(name, regex, answer.headers)?.map(Cow::Borrowed),
            Self::Body => Some(Cow::Borrowed(answer.body)),
            Self::Regex(regex) => part_of(regex, answer.body)?.map(Cow::Borrowed),
            Self::Json(path) => {
                let value = answer.json().map_err(|why| Missing::Nothing(why.to_string().into()))?;
                let bound = |Spent| Missing::Bound(format!("the path looked at more than {STEPS_MAX} nodes"));
                path.first(value).map_err(bound)?.map(text_of)
            }
            Self::Xpath(looked) => return looked.find(answer.xml().map_err(no_xml)?),
        };
        found.ok_or(Missing::Nothing("nothing there".into()))
    }
}

impl Scripted {
    fn lookups(&self) -> impl Iterator<Item = &Lookup> {
        self.arguments.iter().filter_map(|argument| match argument {
            Argument::Of(lookup) => Some(lookup),
            _ => None,
        })
    }

    /// What the function makes of the answer. What it refuses is the answer's fault, anything else the study's.
    fn value(&self, answer: &mut Answer<'_>, render: &mut Render<'_>) -> Result<Vec<u8>, Missing> {
        let mut texts = Vec::with_capacity(self.arguments.len());
        for argument in &self.arguments {
            texts.push(match argument {
                Argument::Of(lookup) => lookup.find(answer, render)?.into_owned(),
                Argument::Fixed(fixed) => fixed.to_vec(),
                Argument::Template(number) => {
                    let mut text = Vec::new();
                    if !render(*number, &mut text) {
                        return Err(Missing::Bound("a value that the check needs was never captured".to_owned()));
                    }
                    text
                }
            });
        }
        let mut value = Vec::new();
        self.script.call(&texts, &mut value).map_err(|trouble| match trouble.is_refused {
            true => Missing::Nothing(trouble.text.into()),
            false => Missing::Bound(trouble.text),
        })?;
        Ok(value)
    }
}

/// The first group of the pattern's first match; a group that took no part in it found nothing, and only a pattern
/// without groups means all of the match.
fn part_of<'a>(regex: &Regex, body: &'a [u8]) -> Result<Option<&'a [u8]>, Missing> {
    refuse_large(body)?;
    let Some(groups) = regex.captures(body) else { return Ok(None) };
    let part = groups.get(usize::from(groups.len() > 1));
    Ok(part.map(|part| part.as_bytes()))
}

/// The same of the first header of that name in which the pattern finds something.
fn part_of_header<'a>(name: &str, regex: &Regex, headers: &'a dyn Headers) -> Result<Option<&'a [u8]>, Missing> {
    let mut number = 0;
    while let Some(value) = headers.header_at(name, number) {
        if let Some(part) = part_of(regex, value)? {
            return Ok(Some(part));
        }
        number += 1;
    }
    Ok(None)
}

/// A pattern's time grows with what it looks at.
pub(crate) fn refuse_large(body: &[u8]) -> Result<(), Missing> {
    if body.len() <= PATTERN_TEXT_BYTES_MAX {
        return Ok(());
    }
    let bound = format!("the body has {} bytes; a pattern looks at {PATTERN_TEXT_BYTES_MAX} at most", body.len());
    Err(Missing::Bound(bound))
}

/// Texts as they are, everything else as JSON writes it.
pub(crate) fn text_of(value: &Value) -> Cow<'_, [u8]> {
    match value {
        Value::String(text) => Cow::Borrowed(text.as_bytes()),
        other => Cow::Owned(other.to_string().into_bytes()),
    }
}

fn json_path(path: &str, place: Place) -> Result<Path, Mistake> {
    Path::read(path).map_err(|wrong| {
        let what = format!("`{}` is not a JSONPath: at character {}, {}", shown(path), wrong.at + 1, wrong.why);
        Mistake::at(place, "study::bad-json-path", what)
            .hint("write it as RFC 9535 has it, such as `json($.items[0].id)` or `json($['x-id'])`")
    })
}

fn in_xml(path: &str, is_xml: bool, place: Place, namespaces: &[(String, String)]) -> Result<InXml, Mistake> {
    let read = XPath::read(path, namespaces).map_err(|wrong| match wrong {
        Wrong::Unreadable { at, why } => {
            let what = format!("`{}` is not an XPath: at character {}, {why}", shown(path), at + 1);
            Mistake::at(place, "study::bad-xpath", what)
                .hint("write it as XPath 1.0 has it, such as `xpath(//item[1]/@id)` or `xpath(count(//item)) > 0`")
        }
        Wrong::Prefix { at, prefix } => namespaces::undeclared(path, at, &prefix, place, namespaces),
    })?;
    if is_xml && read.of() != Type::Nodes {
        let what = format!("`xpath({}, xml)` has a value that is not a part of the body", shown(path));
        return Err(Mistake::at(place, "study::bad-xpath", what).label("remove `, xml`, or let it select an element"));
    }
    Ok(InXml { path: read, is_xml })
}

pub(crate) fn no_xml(why: &NoXml) -> Missing {
    Missing::Nothing(format!("the body cannot be read as XML: {}", why.0).into())
}

pub(crate) fn steps_spent(_: xpath::Spent) -> Missing {
    Missing::Bound(format!("the expression took more than {} steps on this body", xpath::STEPS_MAX))
}

pub(crate) fn bytes_of(text: Cow<'_, str>) -> Cow<'_, [u8]> {
    match text {
        Cow::Borrowed(text) => Cow::Borrowed(text.as_bytes()),
        Cow::Owned(text) => Cow::Owned(text.into_bytes()),
    }
}

/// As much of a text as fits into a message.
pub(crate) fn shown(text: &str) -> Cow<'_, str> {
    const CHARACTERS: usize = 100;
    match text.char_indices().nth(CHARACTERS) {
        Some((end, _)) => format!("{}…", &text[..end]).into(),
        None => text.into(),
    }
}

fn regex(pattern: &str, place: Place) -> Result<Regex, Mistake> {
    let wrong = |reason: String| {
        let what = format!("the pattern `{}` cannot be used: {reason}", shown(pattern));
        Mistake::at(place, "study::bad-pattern", what)
    };
    if pattern.len() > PATTERN_LENGTH_MAX {
        let reason = format!("it has {} bytes; at most {PATTERN_LENGTH_MAX} are possible", pattern.len());
        return Err(wrong(reason).hint("look for a part of it: a check asks whether the pattern is found anywhere"));
    }
    let built = RegexBuilder::new(pattern)
        .size_limit(PATTERN_BYTES_MAX)
        .dfa_size_limit(PATTERN_CACHE_BYTES_MAX)
        .nest_limit(PATTERN_DEEP_MAX)
        .build();
    built.map_err(|error| {
        // The library draws the pattern over several lines; the last one is the sentence.
        let text = error.to_string();
        let reason = text.lines().last().unwrap_or_default().trim_start_matches("error: ").to_owned();
        wrong(reason).hint("patterns run in linear time, so look-around and back-references are not possible")
    })
}
