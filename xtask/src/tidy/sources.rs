//! What every source file keeps to: no clock of its own, no notes of unfinished work, a size that has a name, and
//! libraries that open with the same parts.

use crate::tree::Tree;
use anyhow::Result;

/// Past this, a second subject has moved in.
const LINES_MAX: usize = 600;
/// What only `clock` may call. Clippy refuses these too, but a file can allow itself what clippy refuses.
const CLOCK_CALLS: [&str; 3] = ["Instant::now", "SystemTime::now", "thread::sleep"];
/// The parts that the docs of a library have.
const PARTS: [&str; 3] = ["# Place in the pipeline", "# Ideas", "# Not here"];

pub(super) fn check(tree: &Tree) -> Result<Vec<String>> {
    let mut problems = Vec::new();
    for path in tree.files(&["rs"]) {
        let text = tree.read(&path)?;
        if is_pipeline(&path) {
            problems.extend(clock_calls(&path, &text));
        }
        if path.ends_with("/src/lib.rs") {
            let missing = PARTS.iter().filter(|part| !text.contains(*part));
            problems.extend(missing.map(|part| format!("{path}: the docs have no part `{part}`")));
        }
        let lines = text.lines().count();
        if lines > LINES_MAX && !is_test(&path) {
            problems.push(format!("{path}: {lines} lines; which second subject has moved in? (at most {LINES_MAX})"));
        }
    }
    for path in tree.files(&["rs", "md", "yaml", "toml", "ftl", "html"]) {
        problems.extend(notes(&path, &tree.read(&path)?));
    }
    Ok(problems)
}

/// Whether the file is part of what runs, and must take the time that it is handed.
fn is_pipeline(path: &str) -> bool {
    let is_ours = ["crates/", "drivers/", "monitors/"].iter().any(|folder| path.starts_with(folder));
    is_ours && !path.starts_with("crates/clock/") && path.contains("/src/") && !is_test(path)
}

pub(super) fn is_test(path: &str) -> bool {
    path.contains("/tests/") || path.ends_with("/tests.rs") || path.contains("/examples/")
}

fn clock_calls(path: &str, text: &str) -> Vec<String> {
    // What stands behind this line is compiled for tests only.
    let code = text.split_once("#[cfg(test)]\nmod tests {").map_or(text, |(code, _)| code);
    let lines = code.lines().enumerate().filter(|(_, line)| !line.trim_start().starts_with("//"));
    let calls = lines.filter_map(|(number, line)| {
        let call = CLOCK_CALLS.iter().find(|call| line.contains(*call))?;
        Some(format!("{path}:{}: `{call}`; only `clock` asks the system for the time", number + 1))
    });
    calls.collect()
}

/// Notes of unfinished work belong to the list of issues, and placeholders to nobody.
fn notes(path: &str, text: &str) -> Vec<String> {
    // Put together here, so that this file does not find itself.
    let marks = ["TO", "FIX", "XX", "to", "unimpl"].iter().zip(["DO", "ME", "X", "do!(", "emented!("]);
    let marks: Vec<String> = marks.map(|(a, b)| format!("{a}{b}")).collect();
    let placeholder = format!("//! Place{}", "holder");
    let is_word = |line: &str, mark: &str| {
        line.split(mark).skip(1).zip(line.split(mark)).any(|(after, before)| {
            let touches = |c: Option<char>| c.is_some_and(|c| c.is_ascii_alphanumeric() || c == '_');
            !touches(before.chars().last()) && (mark.ends_with('(') || !touches(after.chars().next()))
        })
    };
    let mut problems = Vec::new();
    for (number, line) in text.lines().enumerate() {
        for mark in marks.iter().filter(|mark| is_word(line, mark)) {
            problems.push(format!("{path}:{}: `{mark}`: do it, or say it where work is planned", number + 1));
        }
        if line.starts_with(&placeholder) {
            problems.push(format!("{path}:{}: nothing is here yet", number + 1));
        }
    }
    problems
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tree::tests::tree;

    const LIB: &str = "//! A.\n//!\n//! # Place in the pipeline\n//! # Ideas\n//! # Not here\n";

    fn of(path: &str, text: &str) -> Vec<String> {
        let (_guard, tree) = tree(&[(path, text)]);
        check(&tree).unwrap()
    }

    #[test]
    fn the_clock_is_asked_only_where_it_may_be() {
        let call = "fn now() { let _ = std::time::Instant::now(); }\n";
        assert_eq!(of("drivers/driver-x/src/a.rs", call).len(), 1);
        assert_eq!(of("crates/judge/src/a.rs", call).len(), 1);
        for path in ["crates/clock/src/a.rs", "systems/s/src/a.rs", "crates/judge/tests/a.rs", "e2e/src/a.rs"] {
            assert!(of(path, call).is_empty(), "{path}");
        }
        let tested = format!("fn a() {{}}\n#[cfg(test)]\nmod tests {{\n    {call}}}\n");
        assert!(of("crates/judge/src/a.rs", &tested).is_empty());
        assert!(of("crates/judge/src/a.rs", "// Instant::now is the system's\n").is_empty());
    }

    #[test]
    fn libraries_open_with_the_same_parts() {
        assert!(of("crates/judge/src/lib.rs", LIB).is_empty());
        let found = of("crates/judge/src/lib.rs", &LIB.replace("# Ideas", "# Thoughts"));
        assert_eq!(found, ["crates/judge/src/lib.rs: the docs have no part `# Ideas`"]);
    }

    #[test]
    fn long_files_and_work_notes_are_found() {
        assert_eq!(of("crates/judge/src/a.rs", &"\n".repeat(601)).len(), 1);
        assert!(of("crates/judge/src/a.rs", &"\n".repeat(600)).is_empty());
        assert!(of("crates/judge/tests/a.rs", &"\n".repeat(601)).is_empty());
        let note = format!("// {}{}: later\n", "TO", "DO");
        assert_eq!(of("docs/a.md", &note).len(), 1);
        assert_eq!(of("crates/a/src/b.rs", &format!("{}{})", "to", "do!(")).len(), 1);
        assert!(of("docs/a.md", &format!("AU{}{}MATIC\n", "TO", "DO")).is_empty());
        assert_eq!(of("crates/a/src/main.rs", &format!("//! Place{}.\n", "holder")).len(), 1);
    }
}
