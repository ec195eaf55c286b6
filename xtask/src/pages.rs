//! Parts of the guide that repeat numbers of the code: written from the code, never by hand.
//!
//! A generated part stands between `<!-- generated: NAME -->` and `<!-- end of NAME -->`; the rest of the page is prose.

use crate::constants::{self, Constant};
use crate::tree::Tree;
use anyhow::{Context, Result};
use std::fmt::Write as _;

/// The chapter on judgement.
pub const JUDGEMENT: &str = "docs/guide/07-judgement.md";
/// Where validity is decided.
pub const VALIDITY: &str = "crates/judge/src/validity.rs";
/// Every code that the judge can say.
pub const CATALOGUE: &str = "crates/judge/src/catalogue.rs";
/// Where the rules of the catalogue are.
pub const FINDINGS: &str = "crates/judge/src/findings";

/// Writes every generated part; returns the pages that changed.
///
/// # Errors
/// A page without its marks, a constant that is gone, a file that cannot be written.
pub fn write(tree: &Tree) -> Result<Vec<String>> {
    let page = renewed(tree)?;
    Ok(if tree.write(JUDGEMENT, &page)? { vec![JUDGEMENT.to_owned()] } else { Vec::new() })
}

/// The chapter as it should be.
///
/// # Errors
/// As [`write()`].
pub fn renewed(tree: &Tree) -> Result<String> {
    let page = tree.read(JUDGEMENT)?;
    let page = between(&page, "validity", &validity(&tree.read(VALIDITY)?)?)?;
    between(&page, "thresholds", &thresholds(tree)?)
}

fn between(page: &str, name: &str, part: &str) -> Result<String> {
    let (first, last) = (format!("<!-- generated: {name} -->"), format!("<!-- end of {name} -->"));
    let missing = || format!("`{JUDGEMENT}` lacks the marks `{first}` and `{last}`");
    let (before, rest) = page.split_once(&first).with_context(missing)?;
    let (_, after) = rest.split_once(&last).with_context(missing)?;
    Ok(format!("{before}{first}\n{part}{last}{after}"))
}

/// The table of signs, with the limits of `limits` in `validity.rs`.
fn validity(source: &str) -> Result<String> {
    let limits = constants::numbers(source);
    let value = |name: &str| constants::value(&limits, name);
    let share = |name: &str| value(name).map(percent);
    let lateness = |kind: &str| -> Result<String> {
        let (ms, part) = (value(&format!("LATENESS_{kind}_MS"))?, share(&format!("LATENESS_{kind}_SHARE"))?);
        Ok(format!("above {ms} ms and above {part} of the median response"))
    };
    let above = |name: &str| share(name).map(|limit| format!("above {limit}"));
    let rows = [
        ("lateness", "p99 of the generator's lateness, open loads", lateness("QUESTIONABLE")?, lateness("INVALID")?),
        ("lost_starts", "intended starts that the generator lost", above("LOST_QUESTIONABLE")?, above("LOST_INVALID")?),
        (
            "run_queue",
            "time that the most delayed load thread wanted to run and could not",
            above("RUN_QUEUE_QUESTIONABLE")?,
            above("RUN_QUEUE_INVALID")?,
        ),
        ("steal", "processor time taken by the hypervisor", above("STEAL_QUESTIONABLE")?, above("STEAL_INVALID")?),
        ("resources", "descriptors, ports or memory of the generator ran out", "–".into(), "any".into()),
        (
            "cores_full",
            "processor share of the busiest load thread, closed loads: throughput is a lower bound",
            format!("{} or more", share("CORES_FULL")?),
            "–".into(),
        ),
        (
            "overloaded",
            "seconds in which a load thread was full while arrivals waited for a connection, open loads",
            above("OVERLOADED_SECONDS")?,
            format!("the same, and less than {} of the planned load ended", share("ENDED_LEAST")?),
        ),
        (
            "rate",
            "the highest rate in time, where one of `lateness`, `lost_starts`, `overloaded` is bad",
            "as they".into(),
            "as they".into(),
        ),
        ("little", "counts, times and concurrency contradict each other", "–".into(), above("LITTLE_INVALID")?),
        ("instance_lost", "an instance ended or was started again, and until it is back", "any".into(), "–".into()),
        ("clock_step", "the wall clock was set during the step", "any".into(), "–".into()),
        ("identity", "an instance is not the one meant, at the start or at the end", "–".into(), "any".into()),
        ("unanswered", "not one call of the run got anything that could be read", "any".into(), "–".into()),
        ("books", "intended, started and ended do not add up", "–".into(), "any".into()),
        ("evidence_lost", "entries of the record were lost", "–".into(), "any".into()),
        (
            "altered_evidence",
            "a sealed file was changed afterwards, is missing, or cannot be read",
            "–".into(),
            "any".into(),
        ),
        ("unsound_rows", "rows of the record that cannot be true; they are left out", "–".into(), "any".into()),
        ("torn_evidence", "the last block of a killed run was incomplete; it is left out", "–".into(), "–".into()),
        ("killed", "the run was killed; what was measured until then is judged", "–".into(), "–".into()),
        ("open_iterations", "started and not seen to end, in a killed run", "–".into(), "–".into()),
    ];
    let mut table = "| Sign | What it looks at | questionable | invalid |\n| --- | --- | --- | --- |\n".to_owned();
    for (code, what, questionable, invalid) in rows {
        writeln!(table, "| `{code}` | {what} | {questionable} | {invalid} |")?;
    }
    Ok(table)
}

/// Every threshold of the catalogue's rules.
fn thresholds(tree: &Tree) -> Result<String> {
    let mut table = "| Threshold | Value | |\n| --- | --- | --- |\n".to_owned();
    for Constant { name, value, about } in findings_constants(tree)? {
        // Links of the code's docs lead nowhere in a page, and a bar would end its cell.
        let about = about.replace("[`", "`").replace("`]", "`").replace('|', "\\|");
        writeln!(table, "| `{name}` | {value} | {about} |")?;
    }
    Ok(table)
}

fn findings_constants(tree: &Tree) -> Result<Vec<Constant>> {
    let mut found = Vec::new();
    for path in tree.files(&["rs"]).iter().filter(|path| path.starts_with(&format!("{FINDINGS}/"))) {
        found.extend(constants::numbers(&tree.read(path)?));
    }
    Ok(found)
}

fn percent(share: f64) -> String {
    // 0.001 · 100 is a hair off in floating point; no limit has more than four digits.
    format!("{} %", (share * 1e6).round() / 1e4)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tree::tests::tree;

    const LIMITS: &str = "
        pub const LATENESS_QUESTIONABLE_MS: f64 = 1.0;
        pub const LATENESS_QUESTIONABLE_SHARE: f64 = 0.01;
        pub const LATENESS_INVALID_MS: f64 = 10.0;
        pub const LATENESS_INVALID_SHARE: f64 = 0.1;
        pub const LOST_QUESTIONABLE: f64 = 0.001;
        pub const LOST_INVALID: f64 = 0.01;
        pub const RUN_QUEUE_QUESTIONABLE: f64 = 0.05;
        pub const RUN_QUEUE_INVALID: f64 = 0.2;
        pub const STEAL_QUESTIONABLE: f64 = 0.02;
        pub const STEAL_INVALID: f64 = 0.1;
        pub const CORES_FULL: f64 = 0.95;
        pub const ENDED_LEAST: f64 = 0.99;
        pub const OVERLOADED_SECONDS: f64 = 0.01;
        pub const LITTLE_INVALID: f64 = 0.15;";
    const PAGE: &str = "before\n<!-- generated: validity -->\nstale\n<!-- end of validity -->\nbetween\n\
                        <!-- generated: thresholds -->\n<!-- end of thresholds -->\nafter\n";
    const RULE: &str = "/// |x| above [`this`] it is much.\nconst MUCH: f64 = 0.15;\n";

    #[test]
    fn the_page_keeps_its_prose_and_gets_the_numbers_of_the_code() {
        let rule = format!("{FINDINGS}/load.rs");
        let (_guard, tree) = tree(&[(JUDGEMENT, PAGE), (VALIDITY, LIMITS), (&rule, RULE)]);
        assert_eq!(write(&tree).unwrap(), [JUDGEMENT]);
        let page = tree.read(JUDGEMENT).unwrap();
        assert!(page.starts_with("before\n") && page.ends_with("after\n") && !page.contains("stale"));
        assert!(page.contains("| above 0.1 % | above 1 % |"), "{page}");
        assert!(page.contains("above 1 ms and above 1 % of"), "{page}");
        assert!(page.contains("| `MUCH` | 0.15 | \\|x\\| above `this` it is much. |"), "{page}");
        assert!(write(&tree).unwrap().is_empty(), "writing twice changes nothing");
    }

    #[test]
    fn a_limit_or_a_mark_that_is_gone_is_said() {
        let rule = format!("{FINDINGS}/load.rs");
        let without = LIMITS.replace("CORES_FULL", "CORES");
        let (_guard, tree) = tree(&[(JUDGEMENT, PAGE), (VALIDITY, &without), (&rule, RULE)]);
        assert!(renewed(&tree).unwrap_err().to_string().contains("CORES_FULL"));
        tree.write(VALIDITY, LIMITS).unwrap();
        tree.write(JUDGEMENT, "no marks").unwrap();
        assert!(renewed(&tree).unwrap_err().to_string().contains("lacks the marks"));
    }
}
