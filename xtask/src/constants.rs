//! Constants read from source text: `pub const NAME: f64 = 0.05;` with the comment above it.

use anyhow::{Context, Result};

/// A number that the code decides by.
#[derive(Clone, Debug, PartialEq)]
pub struct Constant {
    pub name: String,
    pub value: f64,
    /// Its doc comment, lines joined.
    pub about: String,
}

/// All numeric constants of a source text, in its order.
pub fn numbers(text: &str) -> Vec<Constant> {
    let mut found = Vec::new();
    let mut about: Vec<&str> = Vec::new();
    for line in text.lines().map(str::trim) {
        if let Some(comment) = line.strip_prefix("///") {
            about.push(comment.trim());
            continue;
        }
        if let Some((name, value)) = number(line) {
            found.push(Constant { name: name.to_owned(), value, about: about.join(" ") });
        }
        about.clear();
    }
    found
}

/// Name and value of a line such as `pub(crate) const ALPHA: f64 = 0.05;`.
fn number(line: &str) -> Option<(&str, f64)> {
    let (left, right) = line.split_once('=')?;
    let (before, name_and_type) = left.split_once("const ")?;
    if !matches!(before.trim(), "" | "pub" | "pub(crate)" | "pub(super)") {
        return None;
    }
    let (name, kind) = name_and_type.split_once(':')?;
    if !matches!(kind.trim(), "f64" | "u64" | "usize" | "u32") {
        return None;
    }
    let value = right.trim().strip_suffix(';')?.replace('_', "").parse().ok()?;
    Some((name.trim(), value))
}

/// The value of one of them.
///
/// # Errors
/// When there is none of that name.
pub fn value(constants: &[Constant], name: &str) -> Result<f64> {
    let found = constants.iter().find(|constant| constant.name == name);
    found.map(|constant| constant.value).with_context(|| format!("there is no constant `{name}` any more"))
}

/// The codes of a table `NAME: &[Entry] = &[("code", &["argument"]), …];`, in its order.
pub fn codes(text: &str, name: &str) -> Vec<String> {
    let Some((_, rest)) = text.split_once(&format!("const {name}: &[Entry] =")) else { return Vec::new() };
    let table = rest.split_once("];\n").map_or(rest, |(table, _)| table);
    let rows = table.split('(').skip(1).filter_map(|row| row.trim_start().strip_prefix('"'));
    rows.filter_map(|row| row.split('"').next()).map(str::to_owned).collect()
}

/// As [`codes`], each with the comment above it, lines joined.
pub fn with_comments(text: &str, name: &str) -> Vec<(String, String)> {
    let Some((_, rest)) = text.split_once(&format!("const {name}: &[Entry] =")) else { return Vec::new() };
    let table = rest.split_once("\n];").map_or(rest, |(table, _)| table);
    let (mut found, mut comment) = (Vec::new(), Vec::new());
    for line in table.lines().map(str::trim) {
        if let Some(text) = line.strip_prefix("// ") {
            comment.push(text);
        } else if let Some(code) = line.strip_prefix("(\"").and_then(|line| line.split('"').next()) {
            found.push((code.to_owned(), comment.join(" ")));
            comment.clear();
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_come_with_their_comments() {
        let text = "/// First line,\n/// second.\npub const A_B: f64 = 0.05;\nconst C: u64 = 1_000;\n// no\nlet d: f64 = 3.0;\n";
        let found = numbers(text);
        assert_eq!(found.len(), 2);
        assert_eq!((found[0].name.as_str(), found[0].value), ("A_B", 0.05));
        assert_eq!(found[0].about, "First line, second.");
        assert_eq!((found[1].value, found[1].about.as_str()), (1000.0, ""));
        assert!(value(&found, "A_B").is_ok() && value(&found, "GONE").is_err());
    }

    #[test]
    fn codes_are_the_first_words_of_their_rows() {
        let text = "const A: &[Entry] = &[\n (\"one\", &[\"x\"]),\n (\n \"two\", &[]),\n];\nconst B: &[Entry] = &[(\"no\", &[])];\n";
        assert_eq!(codes(text, "A"), ["one", "two"]);
        assert_eq!(codes(text, "B"), ["no"]);
        assert!(codes(text, "GONE").is_empty());
        let text = "const A: &[Entry] = &[\n    // what | above\n    // it\n    (\"one\", &[\"x\"]),\n    (\"two\", &[]),\n];\n";
        let [one, two] = &with_comments(text, "A")[..] else { panic!("two") };
        assert_eq!((one.0.as_str(), one.1.as_str()), ("one", "what | above it"));
        assert_eq!((two.0.as_str(), two.1.as_str()), ("two", ""));
    }
}
