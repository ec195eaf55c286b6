//! `namespaces`: prefixes for `xpath(…)`, with the names of XML namespaces that they stand for.

use contract::{Mistake, Mistakes, Node};

/// Prefixes of one study.
const PREFIXES_MAX: usize = 64;
/// Characters of a prefix.
const PREFIX_LENGTH_MAX: usize = 64;
/// Bytes of a namespace's name; those in use have 100 at most.
const URI_BYTES_MAX: usize = 1000;

/// Reads `namespaces`, in the order written.
pub(crate) fn read(node: &Node, mistakes: &mut Mistakes) -> Vec<(String, String)> {
    let Some(entries) = node.map() else {
        mistakes.push(
            Mistake::at(node.place, "study::wrong-type", format!("`namespaces` is {}, not a map", node.what()))
                .label("write `{ soap: \"http://schemas.xmlsoap.org/soap/envelope/\" }`"),
        );
        return Vec::new();
    };
    if entries.len() > PREFIXES_MAX {
        let text = format!("there are {} prefixes; at most {PREFIXES_MAX} are possible", entries.len());
        mistakes.push(Mistake::at(node.place, "study::too-large", text).label("remove what no `xpath(…)` uses"));
    }
    let mut found = Vec::new();
    for (key, value) in entries.iter().take(PREFIXES_MAX) {
        let prefix = key.text().unwrap_or_default();
        if !is_prefix(prefix) {
            mistakes.push(
                Mistake::at(key.place, "study::bad-name", format!("`{prefix}` cannot be a prefix of a namespace"))
                    .label("choose another")
                    .hint("a prefix begins with a letter; letters, digits, `-`, `.` and `_` follow, 64 characters at most; `xml` is known already\nit need not be the one that the answer has: what counts is the namespace"),
            );
            continue;
        }
        let Some(uri) = mistakes.keep(value.as_text("a namespace")) else { continue };
        match wrong(uri) {
            Some(why) => mistakes.push(
                Mistake::at(value.place, "study::bad-name", format!("the namespace of `{prefix}` {why}"))
                    .label("write it as after `xmlns` in the answer"),
            ),
            None => found.push((prefix.to_owned(), uri.to_owned())),
        }
    }
    found
}

fn is_prefix(text: &str) -> bool {
    text.len() <= PREFIX_LENGTH_MAX
        && text.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
        && text.chars().all(|c| c.is_ascii_alphanumeric() || "-._".contains(c))
        && !text.to_ascii_lowercase().starts_with("xml")
}

fn wrong(uri: &str) -> Option<String> {
    match () {
        () if uri.trim().is_empty() => {
            Some("is empty: names without a namespace are written without a prefix".to_owned())
        }
        () if uri.trim() != uri => Some("has white space around it".to_owned()),
        () if uri.len() > URI_BYTES_MAX => {
            Some(format!("has {} bytes; at most {URI_BYTES_MAX} are possible", uri.len()))
        }
        () if uri.contains("$(") => Some("has a `$(…)`, but must be fixed".to_owned()),
        () => None,
    }
}
