//! A tree as YAML text that reads back as the same tree.

use contract::{Node, Place, Shape};

/// Writes a tree in block style.
pub(crate) fn yaml(node: &Node) -> String {
    let mut out = String::new();
    block(node, 0, &mut out);
    out
}

/// A text of the model: quoted where plain text would read as nothing.
pub(crate) fn text(value: impl Into<String>) -> Node {
    let text = value.into();
    let quoted = matches!(text.as_str(), "" | "~" | "null");
    Node { place: Place::default(), shape: Shape::Text { text, quoted } }
}

pub(crate) fn list(members: impl IntoIterator<Item = Node>) -> Node {
    Node { place: Place::default(), shape: Shape::List(members.into_iter().collect()) }
}

/// A map; entries without a value are left out.
pub(crate) fn map<K: Into<String>>(entries: impl IntoIterator<Item = (K, Option<Node>)>) -> Node {
    let entries = entries.into_iter().filter_map(|(key, value)| Some((text(key), value?))).collect();
    Node { place: Place::default(), shape: Shape::Map(entries) }
}

fn block(node: &Node, depth: usize, out: &mut String) {
    match &node.shape {
        Shape::Map(entries) if !entries.is_empty() => {
            for (key, value) in entries {
                indent(depth, out);
                let key = scalar(key);
                // A key of more than 1024 characters needs the long form.
                if key.chars().count() > 1000 {
                    out.push_str("? ");
                    out.push_str(&key);
                    out.push('\n');
                    indent(depth, out);
                } else {
                    out.push_str(&key);
                }
                out.push(':');
                behind(value, depth, out);
            }
        }
        Shape::List(members) if !members.is_empty() => {
            for member in members {
                indent(depth, out);
                out.push('-');
                behind(member, depth, out);
            }
        }
        _ => {
            indent(depth, out);
            out.push_str(&scalar(node));
            out.push('\n');
        }
    }
}

fn behind(value: &Node, depth: usize, out: &mut String) {
    let is_block = match &value.shape {
        Shape::Map(entries) => !entries.is_empty(),
        Shape::List(members) => !members.is_empty(),
        Shape::Text { .. } => false,
    };
    if is_block {
        out.push('\n');
        block(value, depth + 1, out);
        return;
    }
    let shown = scalar(value);
    if !shown.is_empty() {
        out.push(' ');
        out.push_str(&shown);
    }
    out.push('\n');
}

fn indent(depth: usize, out: &mut String) {
    out.extend(std::iter::repeat_n("  ", depth));
}

fn scalar(node: &Node) -> String {
    match &node.shape {
        Shape::Map(_) => "{}".to_owned(),
        Shape::List(_) => "[]".to_owned(),
        Shape::Text { text, quoted: false } if is_plain(text) => text.clone(),
        Shape::Text { text, .. } => quoted(text),
    }
}

/// Whether a text needs no quotes in block style.
fn is_plain(text: &str) -> bool {
    let mut characters = text.chars();
    let Some(first) = characters.next() else { return true };
    // Readers differ in which signs may follow these; a letter or digit always may.
    let is_clear = characters.next().is_some_and(char::is_alphanumeric);
    let starts = match first {
        '-' | '?' | ':' => is_clear,
        _ => !",[]{}#&*!|>'\"%@`".contains(first),
    };
    starts
        && !text.starts_with("...")
        && !text.starts_with(char::is_whitespace)
        && !text.ends_with(char::is_whitespace)
        && !text.ends_with(':')
        && !text.contains(": ")
        && !text.contains(" #")
        && text.chars().all(|c| c == ' ' || !(c.is_control() || c.is_whitespace() || c == '\u{feff}'))
}

fn quoted(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 2);
    out.push('"');
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\t' => out.push_str("\\t"),
            '\r' => out.push_str("\\r"),
            c if c != ' ' && (c.is_control() || c.is_whitespace() || c == '\u{feff}') => {
                out.push_str(&format!("\\u{:04X}", c as u32));
            }
            c => out.push(c),
        }
    }
    out.push('"');
    out
}
