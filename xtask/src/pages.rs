//! Parts of the guide that repeat numbers of the code, or are a plug-in's own: written from there, never by hand.
//!
//! A generated part stands between `<!-- generated: NAME -->` and `<!-- end of NAME -->`; the rest of the page is prose.

use crate::constants::{self, Constant};
use crate::tree::Tree;
use crate::{rules, sections};
use anyhow::{Context, Result, ensure};
use std::fmt::Write as _;

/// The chapter on judgement.
pub const JUDGEMENT: &str = "docs/guide/07-judgement.md";
/// Where validity is decided.
pub const VALIDITY: &str = "crates/judge/src/validity.rs";
/// What each check of validity can have moved.
pub const REACH: &str = "crates/judge/src/validity/reach.rs";
/// Every code that the judge can say.
pub const CATALOGUE: &str = "crates/judge/src/catalogue.rs";

/// Writes every generated part; returns the pages that changed.
///
/// # Errors
/// A page without its marks, a constant that is gone, a file that cannot be written.
pub fn write(tree: &Tree) -> Result<Vec<String>> {
    let mut written = Vec::new();
    for page in pages() {
        if tree.write(page, &renewed(tree, page)?)? {
            written.push(page.to_owned());
        }
    }
    Ok(written)
}

/// The pages with generated parts.
pub fn pages() -> Vec<&'static str> {
    sections::CHAPTERS.iter().map(|(page, _)| *page).chain([JUDGEMENT]).collect()
}

/// One of them as it should be.
///
/// # Errors
/// As [`write()`].
pub fn renewed(tree: &Tree, page: &str) -> Result<String> {
    let text = tree.read(page)?;
    if let Some((_, parent)) = sections::CHAPTERS.iter().find(|(chapter, _)| *chapter == page) {
        return between((page, &text), parent, &sections::of(tree, parent)?);
    }
    let text = between((page, &text), "validity", &validity(tree)?)?;
    let text = between((page, &text), "reach", &reach(tree)?)?;
    let text = between((page, &text), "ladder", &rules::ladder(tree)?)?;
    let text = between((page, &text), "health", &rules::health(tree)?)?;
    let text = between((page, &text), "rules", &rules::catalogue(tree)?)?;
    between((page, &text), "thresholds", &rules::shared(tree)?)
}

pub(crate) fn between((page, text): (&str, &str), name: &str, part: &str) -> Result<String> {
    let (first, last) = (format!("<!-- generated: {name} -->"), format!("<!-- end of {name} -->"));
    let missing = || format!("`{page}` lacks the marks `{first}` and `{last}`");
    let (before, rest) = text.split_once(&first).with_context(missing)?;
    let (_, after) = rest.split_once(&last).with_context(missing)?;
    Ok(format!("{before}{first}\n{part}{last}{after}"))
}

/// The table of signs. What a sign looks at, and from where on it is bad, stands above it in the catalogue; limits by
/// their names in `validity.rs`.
fn validity(tree: &Tree) -> Result<String> {
    let limits = constants::numbers(&tree.read(VALIDITY)?);
    let mut table = "| Sign | What it looks at | questionable | invalid |\n| --- | --- | --- | --- |\n".to_owned();
    for (code, row) in constants::with_comments(&tree.read(CATALOGUE)?, "SIGNS") {
        let cells = row.split(" | ").count();
        ensure!(cells == 3, "{CATALOGUE}: above `{code}` stand {cells} parts, and not `what | questionable | invalid`");
        writeln!(table, "| `{code}` | {} |", filled(&row, &limits)?)?;
    }
    Ok(table)
}

/// The table of what a check can have moved, from the test that holds the code to it cell by cell.
fn reach(tree: &Tree) -> Result<String> {
    let source = tree.read(REACH)?;
    let lines = source.split_once("const TABLE: &str = \"").and_then(|(_, rest)| rest.split_once("\";"));
    let (lines, _) = lines.with_context(|| format!("`{REACH}` has no `TABLE`"))?;
    let mut table = String::new();
    for (number, line) in lines.trim().lines().enumerate() {
        let cells: Vec<&str> = line.split_whitespace().collect();
        let first = if number == 0 { cells[0].to_owned() } else { format!("`{}`", cells[0]) };
        writeln!(table, "| {first} | {} |", cells[1..].join(" | "))?;
        if number == 0 {
            writeln!(table, "| --- |{}", " :---: |".repeat(cells.len() - 1))?;
        }
    }
    Ok(table)
}

/// Puts the values of constants into `{NAME}`, shares as percentages.
fn filled(text: &str, limits: &[Constant]) -> Result<String> {
    let mut parts = text.split('{');
    let mut out = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let (name, rest) = part.split_once('}').with_context(|| format!("`{text}`: a bracket is not closed"))?;
        let value = constants::value(limits, name)?;
        out += &if name.ends_with("_MS") { value.to_string() } else { percent(value) };
        out += rest;
    }
    Ok(out)
}

fn percent(share: f64) -> String {
    // 0.001 · 100 is a hair off in floating point; no limit has more than four digits.
    format!("{} %", (share * 1e6).round() / 1e4)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::{FINDINGS, HEALTH, LADDER};
    use crate::tree::tests::tree;

    const LIMITS: &str = "
        pub const LATENESS_QUESTIONABLE_MS: f64 = 1.0;
        pub const LOST_QUESTIONABLE: f64 = 0.001;
        pub const LOST_INVALID: f64 = 0.01;";
    const PAGE: &str = "before\n<!-- generated: validity -->\nstale\n<!-- end of validity -->\nbetween\n\
                        <!-- generated: reach -->\n<!-- end of reach -->\n\
                        <!-- generated: ladder -->\n<!-- end of ladder -->\n\
                        <!-- generated: health -->\n<!-- end of health -->\n\
                        <!-- generated: rules -->\n<!-- end of rules -->\n\
                        <!-- generated: thresholds -->\n<!-- end of thresholds -->\nafter\n";
    const SIGNS: &str = "const SIGNS: &[Entry] = &[\n    // starts lost | above {LOST_QUESTIONABLE} | above {LOST_INVALID}\n    \
                         (\"lost_starts\", &[]),\n    // late | above {LATENESS_QUESTIONABLE_MS} ms |\n    // –\n    \
                         (\"lateness\", &[]),\n];\n";
    const CELLS: &str = "const TABLE: &str = \"\n    check    response count\n    lateness ↑        ·\n\";";
    const RULE: &str =
        "\ndeclare! {\n    /// So few.\n    Few = \"FEW\" {}\n}\n/// |x| is much.\nconst MUCH: f64 = 0.15;\n";

    #[test]
    fn the_page_keeps_its_prose_and_gets_the_numbers_of_the_code() {
        let rule = format!("{FINDINGS}/few.rs");
        let [(drivers, _), (monitors, _)] = sections::CHAPTERS;
        let files = [
            (JUDGEMENT, PAGE),
            (VALIDITY, LIMITS),
            (CATALOGUE, SIGNS),
            (REACH, CELLS),
            (&rule, RULE),
            (LADDER, "/// Busy.\nconst BUSY: f64 = 0.9;\n"),
            (HEALTH, "/// Sure.\nconst SURE: f64 = 0.95;\n"),
            (drivers, "<!-- generated: drivers -->\n<!-- end of drivers -->\n"),
            (monitors, "<!-- generated: monitors -->\n<!-- end of monitors -->\n"),
            ("monitors/monitor-a/Cargo.toml", ""),
            ("monitors/monitor-a/guide.md", "## `a`"),
        ];
        let (_guard, tree) = tree(&files);
        assert_eq!(write(&tree).unwrap(), [drivers, monitors, JUDGEMENT]);
        assert_eq!(tree.read(monitors).unwrap(), "<!-- generated: monitors -->\n## `a`\n<!-- end of monitors -->\n");
        let page = tree.read(JUDGEMENT).unwrap();
        assert!(page.starts_with("before\n") && page.ends_with("after\n") && !page.contains("stale"));
        assert!(page.contains("| `lost_starts` | starts lost | above 0.1 % | above 1 % |"), "{page}");
        assert!(page.contains("| `lateness` | late | above 1 ms | – |"), "{page}");
        assert!(
            page.contains("| check | response | count |\n| --- | :---: | :---: |\n| `lateness` | ↑ | · |"),
            "{page}"
        );
        assert!(page.contains("### FEW\n\nSo few.") && page.contains("| `MUCH` | 0.15 | \\|x\\| is much. |"), "{page}");
        assert!(page.contains("| `BUSY` | 0.9 | Busy. |") && page.contains("| `SURE` | 0.95 | Sure. |"), "{page}");
        assert!(write(&tree).unwrap().is_empty(), "writing twice changes nothing");
    }

    #[test]
    fn a_limit_or_a_mark_that_is_gone_is_said() {
        let without = LIMITS.replace("LOST_INVALID", "LOST");
        let (_guard, tree) = tree(&[(JUDGEMENT, PAGE), (VALIDITY, &without), (CATALOGUE, SIGNS), (REACH, CELLS)]);
        assert!(renewed(&tree, JUDGEMENT).unwrap_err().to_string().contains("LOST_INVALID"));
        tree.write(VALIDITY, LIMITS).unwrap();
        tree.write(CATALOGUE, &SIGNS.replace(" | above {LOST_INVALID}", "")).unwrap();
        assert!(renewed(&tree, JUDGEMENT).unwrap_err().to_string().contains("2 parts"));
        tree.write(CATALOGUE, SIGNS).unwrap();
        tree.write(JUDGEMENT, "no marks").unwrap();
        assert!(renewed(&tree, JUDGEMENT).unwrap_err().to_string().contains("lacks the marks"));
    }
}
