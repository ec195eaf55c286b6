//! The body of a request: text, JSON, a form, a file, or several parts.

use super::{add, multipart};
use crate::escape::{Escape, is_json_literal};
use crate::request::Text;
use contract::{BuildContext, Keys, Mistake, Mistakes, Node, Piece, Settings, Shape, Template};
use std::borrow::Cow;

/// Deeper JSON than this is a slip: servers refuse 128 levels and more.
const DEPTH_MAX: u32 = 64;

/// A request's body, and the content type that goes with it.
#[derive(Debug, Default)]
pub(super) struct Body {
    pub(super) text: Option<Text>,
    pub(super) content_type: Option<Cow<'static, str>>,
}

/// Keys of which one may be there.
pub(crate) const KEYS: [&str; 5] = ["body", "json", "form", "file", "multipart"];

/// Reads whichever of [`KEYS`] is there.
pub(super) fn read(
    keys: &mut Keys<'_>,
    settings: &Settings,
    context: &mut BuildContext<'_>,
    mistakes: &mut Mistakes,
) -> Body {
    let found = KEYS.map(|key| (key, keys.take(key)));
    let written: Vec<_> = found.into_iter().filter_map(|(key, node)| Some((key, node?))).collect();
    let &[(key, node), ref more @ ..] = written.as_slice() else { return Body::default() };
    if let Some((other, node)) = more.first() {
        let what = format!("`{key}` and `{other}` cannot both be the body");
        mistakes.push(Mistake::at(node.place, "http::two-bodies", what).label("remove one of them"));
        return Body::default();
    }
    if settings.operation == "head" {
        mistakes
            .push(Mistake::at(node.place, "http::body-not-possible", "a HEAD request has no body").label("remove it"));
        return Body::default();
    }
    let mut text = Text::default();
    let content_type = match key {
        "json" => {
            json(&mut text, node, 0, context, mistakes);
            Some("application/json".into())
        }
        "form" => {
            form(&mut text, node, context, mistakes);
            Some("application/x-www-form-urlencoded".into())
        }
        "file" => {
            file(&mut text, node, context, mistakes);
            None
        }
        "multipart" => Some(multipart::read(&mut text, node, context, mistakes).into()),
        _ => {
            add(&mut text, node, "`body`", Escape::Nothing, context, mistakes);
            None
        }
    };
    Body { text: Some(text), content_type }
}

/// A file by its name, or `{ path, fill }`.
fn file(text: &mut Text, node: &Node, context: &mut BuildContext<'_>, mistakes: &mut Mistakes) {
    let (path, fill) = match node.map() {
        None => (Some(node), true),
        Some(_) => {
            let mut keys = Keys::of(node, "`file`", mistakes);
            let found = (keys.need("path", mistakes), is_filled(keys.take("fill"), mistakes));
            keys.finish(mistakes);
            found
        }
    };
    if let Some(template) = path.and_then(|path| mistakes.keep(context.file(path, "`file`", fill))) {
        text.template(&template, Escape::Nothing, context).expect("invariant: a body takes any byte");
    }
}

/// Whether the `$(…)` of a file are filled in: yes, unless `fill: false` says otherwise.
pub(super) fn is_filled(node: Option<&Node>, mistakes: &mut Mistakes) -> bool {
    node.is_none_or(|node| mistakes.keep(node.as_bool("`fill`")).unwrap_or(true))
}

/// Writes a node as JSON. What is written as a number, `true`, `false` or nothing stays that, and so does the value of a
/// `$(…)` that stands alone and without quotes; all else is a text.
pub(super) fn json(text: &mut Text, node: &Node, depth: u32, context: &mut BuildContext<'_>, mistakes: &mut Mistakes) {
    if depth > DEPTH_MAX {
        let what = format!("`json` is nested deeper than {DEPTH_MAX} levels");
        return mistakes.push(Mistake::at(node.place, "http::bad-json", what));
    }
    match &node.shape {
        Shape::Map(entries) => {
            text.fixed(b"{");
            for (index, (key, value)) in entries.iter().enumerate() {
                text.fixed(if index == 0 { b"" } else { b"," });
                quoted(text, key, context, mistakes);
                text.fixed(b":");
                json(text, value, depth + 1, context, mistakes);
            }
            text.fixed(b"}");
        }
        Shape::List(members) => {
            text.fixed(b"[");
            for (index, member) in members.iter().enumerate() {
                text.fixed(if index == 0 { b"" } else { b"," });
                json(text, member, depth + 1, context, mistakes);
            }
            text.fixed(b"]");
        }
        Shape::Text { .. } if node.is_missing() => text.fixed(b"null"),
        Shape::Text { text: word, quoted: false } if is_json_literal(word) => text.fixed(word.as_bytes()),
        Shape::Text { text: word, quoted: false } if is_alone(word) => {
            let Some(template) = mistakes.keep(context.compile(node, "a value of `json`")) else { return };
            match template.pieces.as_slice() {
                [] | [Piece::Fixed(_)] => {
                    text.template(&template, Escape::JsonValue, context).expect("invariant: JSON takes any byte");
                }
                [slot] => {
                    let number = context.keep(Template { pieces: vec![slot.clone()] });
                    text.slot(number, Escape::JsonValue);
                }
                _ => quoted(text, node, context, mistakes),
            }
        }
        Shape::Text { .. } => quoted(text, node, context, mistakes),
    }
}

/// Whether a value is one `$(…)` and nothing else.
fn is_alone(word: &str) -> bool {
    word.strip_prefix("$(").and_then(|rest| rest.strip_suffix(')')).is_some_and(|name| !name.contains("$("))
}

fn quoted(text: &mut Text, node: &Node, context: &mut BuildContext<'_>, mistakes: &mut Mistakes) {
    text.fixed(b"\"");
    // An empty text in quotes is a value, not a missing one.
    if node.text() != Some("") {
        add(text, node, "a value of `json`", Escape::Json, context, mistakes);
    }
    text.fixed(b"\"");
}

/// Writes a map as a form; a list is its field repeated.
fn form(text: &mut Text, node: &Node, context: &mut BuildContext<'_>, mistakes: &mut Mistakes) {
    let Some(entries) = node.map() else {
        let what = format!("`form` is {}, not a map", node.what());
        return mistakes.push(Mistake::at(node.place, "study::wrong-type", what).label("write `{ field: value }`"));
    };
    let mut is_first = true;
    for (key, value) in entries {
        for value in value.list().unwrap_or(std::slice::from_ref(value)) {
            text.fixed(if is_first { b"" } else { b"&" });
            is_first = false;
            add(text, key, "a field of `form`", Escape::Form, context, mistakes);
            text.fixed(b"=");
            if !value.is_missing() {
                add(text, value, "a value of `form`", Escape::Form, context, mistakes);
            }
        }
    }
}
