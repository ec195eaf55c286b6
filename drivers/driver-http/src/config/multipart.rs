//! `multipart`: a form with files, RFC 7578, written as browsers write it.

use super::add;
use super::body::{is_filled, json};
use crate::escape::Escape;
use crate::request::Text;
use contract::{BuildContext, Keys, Mistake, Mistakes, Node, suggestion};

/// Content types of files by the end of their name, as browsers send them; of all others nothing is known.
const TYPES: [(&str, &str); 19] = [
    ("css", "text/css"),
    ("csv", "text/csv"),
    ("gif", "image/gif"),
    ("gz", "application/gzip"),
    ("htm", "text/html"),
    ("html", "text/html"),
    ("jpeg", "image/jpeg"),
    ("jpg", "image/jpeg"),
    ("js", "text/javascript"),
    ("json", "application/json"),
    ("mp4", "video/mp4"),
    ("pdf", "application/pdf"),
    ("png", "image/png"),
    ("svg", "image/svg+xml"),
    ("txt", "text/plain"),
    ("wasm", "application/wasm"),
    ("webp", "image/webp"),
    ("xml", "text/xml"),
    ("zip", "application/zip"),
];
const TYPE_UNKNOWN: &str = "application/octet-stream";

/// What a part may be, of which it is one.
const CONTENTS: [&str; 3] = ["file", "value", "json"];

/// Writes the parts; the content type, with the boundary between them.
pub(super) fn read(text: &mut Text, node: &Node, context: &mut BuildContext<'_>, mistakes: &mut Mistakes) -> String {
    let mut parts = Vec::new();
    match node.map() {
        Some(entries) => {
            for (name, value) in entries {
                for value in value.list().unwrap_or(std::slice::from_ref(value)) {
                    parts.push(part(name, value, context, mistakes));
                }
            }
        }
        None => mistakes.push(
            Mistake::at(node.place, "study::wrong-type", format!("`multipart` is {}, not a map", node.what()))
                .label("write `{ field: value, photo: { file: photo.jpg } }`"),
        ),
    }
    let boundary = boundary(&parts, context.nonce());
    for part in parts {
        text.fixed(format!("--{boundary}\r\n").as_bytes());
        text.append(part);
        text.fixed(b"\r\n");
    }
    text.fixed(format!("--{boundary}--\r\n").as_bytes());
    format!("multipart/form-data; boundary={boundary}")
}

/// One that stands in no part. Values that come later would have to guess the run's number to hold it.
fn boundary(parts: &[Text], nonce: u64) -> String {
    let attempt = |count: u32| format!("loadproof-{nonce:016x}-{count}");
    let is_free = |boundary: &String| !parts.iter().any(|part| part.contains(boundary.as_bytes()));
    (0..).map(attempt).find(is_free).expect("invariant: a text of finite length holds finitely many boundaries")
}

/// One part: its head, an empty line, and what it holds.
fn part(name: &Node, node: &Node, context: &mut BuildContext<'_>, mistakes: &mut Mistakes) -> Text {
    let mut text = Text::default();
    text.fixed(b"Content-Disposition: form-data; name=\"");
    add(&mut text, name, "a field of `multipart`", Escape::PartName, context, mistakes);
    text.fixed(b"\"");
    if node.map().is_none() {
        text.fixed(b"\r\n\r\n");
        if !node.is_missing() {
            add(&mut text, node, "a value of `multipart`", Escape::Nothing, context, mistakes);
        }
        return text;
    }
    let of = format!("part `{}`", name.text().unwrap_or_default());
    let mut keys = Keys::of(node, &of, mistakes);
    let found = CONTENTS.map(|key| (key, keys.take(key)));
    let (filename, kind, fill) = (keys.take("name"), keys.take("type"), keys.take("fill"));
    let is_known = |word: &str| CONTENTS.contains(&word) || matches!(word, "name" | "type" | "fill");
    let unknown = node.map().unwrap_or_default().iter().find(|(key, _)| key.text().is_none_or(|word| !is_known(word)));
    let written: Vec<_> = found.into_iter().filter_map(|(key, node)| Some((key, node?))).collect();
    let &[(key, content)] = written.as_slice() else {
        let what = format!("{of} has {}", if written.is_empty() { "no content" } else { "more than one content" });
        let near = unknown.and_then(|(key, _)| suggestion(key.text()?, CONTENTS));
        let label = near.map_or_else(
            || "write one of `file: NAME`, `value: TEXT` and `json: {…}`".to_owned(),
            |near| format!("did you mean `{near}`?"),
        );
        mistakes.push(Mistake::at(node.place, "http::bad-part", what).label(label));
        return text;
    };
    keys.finish(mistakes);
    if key != "file" {
        for (word, node) in [("name", filename), ("fill", fill)] {
            if let Some(node) = node {
                let what = format!("`{word}` is for files, and {of} is `{key}`");
                mistakes.push(Mistake::at(node.place, "http::bad-part", what).label("remove it"));
            }
        }
    }
    let mut usual = (key == "json").then_some("application/json");
    if key == "file" {
        text.fixed(b"; filename=\"");
        match filename {
            Some(node) => add(&mut text, node, "`name`", Escape::PartName, context, mistakes),
            None => {
                let path = context.text(content, "`file`").unwrap_or_default();
                let last = path.rsplit('/').next().unwrap_or_default();
                text.fixed(&Escape::PartName.of(last.as_bytes()).unwrap_or_default());
            }
        }
        text.fixed(b"\"");
        usual = Some(type_of(content.text().unwrap_or_default()));
    }
    text.fixed(b"\r\n");
    match (kind, usual) {
        (Some(node), _) if node.is_missing() => {}
        (Some(node), _) => {
            text.fixed(b"Content-Type: ");
            add(&mut text, node, "`type`", Escape::Header, context, mistakes);
            text.fixed(b"\r\n");
        }
        (None, Some(usual)) => text.fixed(format!("Content-Type: {usual}\r\n").as_bytes()),
        (None, None) => {}
    }
    text.fixed(b"\r\n");
    match key {
        "json" => json(&mut text, content, 0, context, mistakes),
        "value" => add(&mut text, content, "`value`", Escape::Nothing, context, mistakes),
        _ => {
            let fill = is_filled(fill, mistakes);
            if let Some(template) = mistakes.keep(context.file(content, "`file`", fill)) {
                text.template(&template, Escape::Nothing, context).expect("invariant: a body takes any byte");
            }
        }
    }
    text
}

fn type_of(path: &str) -> &'static str {
    let end = path.rsplit_once('.').map_or("", |(_, end)| end);
    TYPES.iter().find(|(known, _)| known.eq_ignore_ascii_case(end)).map_or(TYPE_UNKNOWN, |(_, kind)| kind)
}
