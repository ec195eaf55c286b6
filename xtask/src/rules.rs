//! What the rules of the judge say of themselves, read from their sources: the comment above what a rule declares is its
//! section of the guide, and the constants beside it are its thresholds.

use crate::constants::{self, Constant};
use crate::tree::Tree;
use anyhow::{Context, Result};
use std::fmt::Write as _;

/// Where the rules are.
pub const FINDINGS: &str = "crates/judge/src/findings";
/// The choice of the healthiest step: its own thresholds.
pub const HEALTH: &str = "crates/judge/src/healthiest.rs";
/// The ladder of what limited a scenario: the thresholds of its signals.
pub const LADDER: &str = "crates/judge/src/bottleneck.rs";

/// A rule of the judge, as the guide tells of it.
#[derive(Clone, Debug, PartialEq)]
pub struct Rule {
    /// Its name, `GEN-SAT`.
    pub name: String,
    /// Its section of the guide, a line for each paragraph.
    pub about: String,
    /// Source file.
    pub path: String,
}

/// All rules, in alphabetical order.
///
/// # Errors
/// A file that cannot be read, or a declaration without a name.
pub fn rules(tree: &Tree) -> Result<Vec<Rule>> {
    let mut all = Vec::new();
    for path in sources(tree) {
        for text in tree.read(&path)?.split("\ndeclare! {\n").skip(1) {
            let about: Vec<&str> = text.lines().map_while(|line| line.trim_start().strip_prefix("///")).collect();
            let name = text.lines().nth(about.len()).and_then(|line| line.split('"').nth(1));
            let name =
                name.with_context(|| format!("{path}: no name stands below the comment of `declare!`"))?.to_owned();
            all.push(Rule { name, about: paragraphs(&about), path: path.clone() });
        }
    }
    all.sort_by(|a, b| a.name.cmp(&b.name));
    Ok(all)
}

/// The catalogue as it stands in the guide: what each rule looks for, and its thresholds.
///
/// # Errors
/// As [`rules`].
pub fn catalogue(tree: &Tree) -> Result<String> {
    let all = rules(tree)?;
    let mut text = String::new();
    for rule in &all {
        write!(text, "\n### {}\n\n{}\n", rule.name, rule.about)?;
        // Where several rules share a file, its thresholds stand with the last of them.
        let is_last = all.iter().rfind(|other| other.path == rule.path).is_some_and(|last| last.name == rule.name);
        let own = if is_last { constants::numbers(&tree.read(&rule.path)?) } else { Vec::new() };
        if !own.is_empty() {
            write!(text, "\n{}", table(&own)?)?;
        }
    }
    Ok(text + "\n")
}

/// Thresholds that several rules share.
///
/// # Errors
/// As [`rules`].
pub fn shared(tree: &Tree) -> Result<String> {
    let all = rules(tree)?;
    let mut shared = Vec::new();
    for path in sources(tree).iter().filter(|path| !all.iter().any(|rule| rule.path == **path)) {
        shared.extend(constants::numbers(&tree.read(path)?));
    }
    table(&shared)
}

/// Thresholds of the ladder's signals.
///
/// # Errors
/// When it cannot be read, or a threshold has no comment.
pub fn ladder(tree: &Tree) -> Result<String> {
    table(&constants::numbers(&tree.read(LADDER)?))
}

/// Thresholds of what the healthiest step must pass.
///
/// # Errors
/// When it cannot be read, or a threshold has no comment.
pub fn health(tree: &Tree) -> Result<String> {
    table(&constants::numbers(&tree.read(HEALTH)?))
}

fn sources(tree: &Tree) -> Vec<String> {
    let is_source = |path: &String| path.starts_with(&format!("{FINDINGS}/"));
    tree.files(&["rs"]).into_iter().filter(is_source).collect()
}

fn table(constants: &[Constant]) -> Result<String> {
    let mut table = "| Threshold | Value | |\n| --- | --- | --- |\n".to_owned();
    for Constant { name, value, about } in constants {
        // Links of the code's docs lead nowhere in a page, and a bar would end its cell.
        let about = about.replace("[`", "`").replace("`]", "`").replace('|', "\\|");
        writeln!(table, "| `{name}` | {value} | {about} |")?;
    }
    Ok(table)
}

/// Lines of a comment as paragraphs of one line each.
fn paragraphs(lines: &[&str]) -> String {
    let lines: Vec<&str> = lines.iter().map(|line| line.trim()).collect();
    let paragraphs = lines.split(|line| line.is_empty()).filter(|paragraph| !paragraph.is_empty());
    paragraphs.map(|paragraph| paragraph.join(" ")).collect::<Vec<_>>().join("\n\n")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tree::tests::tree;

    const FEW: &str = "//! x\n\ndeclare! {\n    /// So few\n    /// calls.\n    ///\n    /// More of it.\n    FewCalls = \"FEW\" {\n        \
                       count: Count,\n    }\n}\n\n/// |x| above [`this`] it is much.\nconst MUCH: f64 = 0.15;\n";

    const RUNG: &str = "pub mod limits {\n    /// Busy.\n    pub const BUSY: f64 = 0.9;\n}\n";

    #[test]
    fn a_rule_brings_its_section_and_its_thresholds() {
        let (few, both) = (format!("{FINDINGS}/few.rs"), format!("{FINDINGS}/both.rs"));
        let two = "\ndeclare! {\n    /// B.\n    B = \"B\" {}\n}\n\ndeclare! {\n    /// A.\n    A = \"A\" {}\n}\n/// One.\nconst ONE: u64 = 1;\n";
        let helper = format!("{FINDINGS}/helper.rs");
        let (_guard, tree) =
            tree(&[(&few, FEW), (&both, two), (&helper, "/// All.\nconst ALL: u64 = 3;\n"), (LADDER, RUNG)]);
        let names: Vec<String> = rules(&tree).unwrap().into_iter().map(|rule| rule.name).collect();
        assert_eq!(names, ["A", "B", "FEW"]);
        let text = catalogue(&tree).unwrap();
        assert!(text.contains("\n### FEW\n\nSo few calls.\n\nMore of it.\n\n| Threshold"), "{text}");
        assert!(text.contains("| `MUCH` | 0.15 | \\|x\\| above `this` it is much. |"), "{text}");
        assert!(text.find("`ONE`") > text.find("### B") && text.matches("`ONE`").count() == 1, "{text}");
        assert!(shared(&tree).unwrap().ends_with("| `ALL` | 3 | All. |\n"));
        assert!(ladder(&tree).unwrap().ends_with("| `BUSY` | 0.9 | Busy. |\n"));
    }
}
