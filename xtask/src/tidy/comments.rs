//! What doc comments say: something, or nothing at all.
//!
//! The compiler can ask for a comment on everything that is public, and then gets `/// Name.` above `name`. Here types,
//! functions and constants are asked for one; fields and variants have one where there is more to say than their name.

use super::sources::is_test;
use crate::tree::Tree;
use anyhow::Result;

/// Words that add nothing to the one behind them.
const ARTICLES: [&str; 7] = ["the", "a", "an", "its", "this", "one", "of"];
/// What must have a comment where it is public.
const ITEMS: [&str; 8] = ["fn", "struct", "enum", "trait", "type", "const", "static", "macro_rules!"];

pub(super) fn check(tree: &Tree) -> Result<Vec<String>> {
    let mut problems = Vec::new();
    for path in tree.files(&["rs"]) {
        // A command has no readers of its interface, and tests say what they do in their names.
        let is_library = path.contains("/src/") && !path.ends_with("main.rs");
        let text = tree.read(&path)?;
        // Above an option of the command line a comment is its help.
        if is_library && !is_test(&path) && !text.contains("clap::") {
            problems.extend(of(&path, &text));
        }
    }
    Ok(problems)
}

fn of(path: &str, text: &str) -> Vec<String> {
    let code = text.split_once("#[cfg(test)]\nmod tests {").map_or(text, |(code, _)| code);
    let (mut problems, mut comment): (Vec<String>, Vec<&str>) = (Vec::new(), Vec::new());
    for (number, line) in code.lines().enumerate() {
        let line = line.trim();
        if let Some(said) = line.strip_prefix("///") {
            comment.push(said.trim());
            continue;
        }
        // Attributes stand between a comment and what it is about; long ones end with a bracket of their own.
        if line.starts_with("#[") || line == ")]" {
            continue;
        }
        // In a macro the name stands elsewhere.
        let name = identifier(line).filter(|_| !line.contains('$'));
        if let ([only], Some(name)) = (&comment[..], name)
            && repeats(only, name)
        {
            let place = number + 1;
            problems.push(format!("{path}:{place}: `/// {only}` repeats `{name}`; say more, or nothing at a field"));
        }
        if let (true, Some(name)) = (comment.is_empty(), name)
            && line.starts_with("pub ")
            && is_item(line)
        {
            problems.push(format!("{path}:{}: `{name}` is public and says nothing of itself", number + 1));
        }
        comment.clear();
    }
    problems
}

/// What a line declares: an item, a field or a variant.
fn identifier(line: &str) -> Option<&str> {
    let words = line.split(|c: char| !c.is_ascii_alphanumeric() && c != '_').filter(|word| !word.is_empty());
    let is_name = |word: &&str| !["pub", "crate", "super", "in", "async", "mut"].contains(word);
    words.filter(is_name).find(|word| !ITEMS.contains(word) && *word != "mod")
}

fn is_item(line: &str) -> bool {
    let rest = line.trim_start_matches("pub ").trim_start_matches("async ");
    ITEMS.iter().any(|item| rest.strip_prefix(item).is_some_and(|after| after.starts_with(' ')))
}

/// Whether a comment is the name once more: `/// The port.` above `port`.
fn repeats(comment: &str, name: &str) -> bool {
    let mut parts = vec![String::new()];
    for c in name.chars() {
        if c == '_' || c.is_ascii_uppercase() {
            parts.push(String::new());
        }
        if c != '_' {
            parts.last_mut().expect("one at least").push(c.to_ascii_lowercase());
        }
    }
    let stem = |word: &str| word.to_ascii_lowercase().trim_end_matches(['.', 's']).to_owned();
    let parts: Vec<String> = parts.iter().map(|part| stem(part)).filter(|part| !part.is_empty()).collect();
    let said: Vec<String> = comment.split_whitespace().map(stem).collect();
    let said: Vec<&String> = said.iter().filter(|word| !ARTICLES.map(stem).contains(word)).collect();
    said.len() == parts.len() && said.iter().all(|word| parts.contains(word))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(text: &str) -> usize {
        of("crates/a/src/b.rs", text).len()
    }

    #[test]
    fn a_comment_that_repeats_a_name_is_found() {
        for text in [
            "struct A {\n    /// Port.\n    pub port: u16,\n}\n",
            "struct A {\n    /// The legs.\n    #[serde(default)]\n    legs: Vec<Leg>,\n}\n",
            "/// A monitor head.\nstruct MonitorHead {\n",
            "/// The event.\n    Event(Row),\n",
        ] {
            assert_eq!(found(text), 1, "{text}");
        }
        for text in [
            "struct A {\n    /// Port on the loopback, 0 for any.\n    pub port: u16,\n}\n",
            "/// Greatest.\n    pub max: f64,\n",
            "/// The port.\n/// Zero for any.\n    pub port: u16,\n",
            "#[cfg(test)]\nmod tests {\n    /// Port.\n    port: u16,\n",
        ] {
            assert_eq!(found(text), 0, "{text}");
        }
    }

    #[test]
    fn what_is_public_says_what_it_is() {
        for text in ["pub fn a() {}\n", "    pub const A: u8 = 1;\n", "#[derive(Debug)]\npub struct A;\n"] {
            assert_eq!(found(text), 1, "{text}");
        }
        for text in [
            "pub(crate) fn a() {}\n",
            "/// Says it.\n#[derive(Debug)]\npub struct A;\n",
            "    pub name: String,\n",
            "pub use a::B;\n",
            "pub mod a;\n",
        ] {
            assert_eq!(found(text), 0, "{text}");
        }
    }
}
