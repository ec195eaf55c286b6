//! What a figure means is the judge's to say. The report compares with a number of its own only to lay something out or
//! to write a number down, in the places of [`LAYOUT`], and nowhere in an item that chooses an assessment. A sentence
//! that says that a backlog grows stands in the arm of an assessment that the judge only makes of a finding.

mod compared;

use crate::tree::Tree;
use Which::{All, These};
use anyhow::Result;
use compared::{comparisons, constants};
use std::collections::BTreeSet;

/// Where the report's sources are.
const SOURCES: &str = "crates/report/src/";
/// Where constants that they may compare with are.
const CONSTANTS: [&str; 2] = [SOURCES, "crates/judge/src/"];
/// Keys of assessments have this in them.
const KEY: &str = "-means";
/// The report's words; those of other languages have the same keys.
const MESSAGES: &str = "crates/report/messages/en.ftl";
/// What a sentence of a figure about a backlog has in it.
const BACKLOG: &str = "backlog";
/// Sentences of a figure that speak of a backlog, each with the assessment that proves what it says.
const PROVEN: [(&str, &str); 7] = [
    ("fig-awaiting-means-grows", "Awaiting::Grows"),
    ("fig-awaiting-means-left", "Awaiting::Left"),
    ("fig-awaiting-means-level", "Awaiting::Level"),
    ("fig-awaiting-means-rises", "Awaiting::Rises"),
    ("fig-throughput-means-all", "Throughput::All"),
    ("fig-throughput-means-carried", "Throughput::Carried"),
    ("fig-throughput-means-piled-up", "Throughput::PiledUp"),
];

/// Where the report may compare with floats, beginning of the path; which, or all of them; and why it is not a judgement.
const LAYOUT: [(&str, Which, &str); 21] = [
    ("svg/", All, "places and sizes of a drawing"),
    ("charts/bars.rs", These(&["0.002"]), "a whisker that would be too short to be seen"),
    ("charts/cpu.rs", These(&["SEEN"]), "an area that would be too thin to be seen"),
    ("charts/forest.rs", These(&["0.85", "1.2", "1.6", "APART"]), "labels of a scale that would touch"),
    ("charts/gauges.rs", These(&["2.5"]), "how far a scale reaches"),
    ("charts/iteration_system.rs", These(&["BOUND_NEAR"]), "a bound that would press the curves flat"),
    (
        "charts/iterations.rs",
        These(&["PARTS_MAX", "2.5"]),
        "how many parts a figure has room for, how far a scale reaches",
    ),
    ("charts/panels.rs", These(&["8.0", "20.0"]), "how many labels a scale has room for, and names a title"),
    ("charts/streams.rs", These(&["12.0"]), "the size of letters in a row"),
    ("charts/strip.rs", These(&["MOST"]), "what is beyond the end of a scale is an arrow"),
    ("charts/strip_matrix.rs", These(&["MOST"]), "what is beyond the end of a scale is an arrow"),
    ("charts/topology.rs", These(&["4.0"]), "room around a box"),
    ("big_numbers.rs", These(&["1e24"]), "numbers above it have no word"),
    ("compare_headline.rs", These(&["FACTOR"]), "a change as a factor or in percent"),
    (
        "compared.rs",
        These(&["0.0995", "0.01", "FACTOR"]),
        "digits of a change, and whether both its ends differ in print",
    ),
    ("json_values.rs", These(&["1e6"]), "digits of a number"),
    ("number.rs", All, "digits and units of a number"),
    ("said.rs", These(&["HOUR_S"]), "a change in an hour or over its own time"),
    ("sections/setup.rs", These(&["1e6"]), "a number of bytes with its unit"),
    ("sections/workloads.rs", These(&["HUGE"]), "a change as a difference or in percent"),
    ("verdict_words.rs", These(&["CHANGE_MOST"]), "a change in its own unit or as a part"),
];

/// Numbers and constants of a place.
#[derive(Clone, Copy, Debug)]
enum Which {
    All,
    These(&'static [&'static str]),
}

pub(super) fn check(tree: &Tree) -> Result<Vec<String>> {
    let files = tree.files(&["rs"]);
    let mut floats = BTreeSet::new();
    for path in files.iter().filter(|path| CONSTANTS.iter().any(|folder| path.starts_with(folder))) {
        floats.extend(constants(&tree.read(path)?).filter(|(_, is_float)| *is_float).map(|(name, _)| name));
    }
    let (mut problems, mut used) = (Vec::new(), BTreeSet::new());
    for path in files.iter().filter(|path| path.starts_with(SOURCES)) {
        let text = tree.read(path)?;
        problems.extend(decisions(path, &text, &floats, &mut used));
        problems.extend(unproven(path, &text));
    }
    if tree.has(MESSAGES) {
        let stale = LAYOUT.iter().filter(|entry| !used.contains(entry.0));
        problems.extend(stale.map(|entry| format!("{SOURCES}{}: compares with nothing; take it from LAYOUT", entry.0)));
        problems.extend(unlisted(&tree.read(MESSAGES)?));
    }
    Ok(problems)
}

/// Comparisons with floats that are not a layout, or stand in an item with a key of an assessment. An item ends with a
/// bracket that begins a line.
fn decisions(path: &str, text: &str, floats: &BTreeSet<String>, used: &mut BTreeSet<&'static str>) -> Vec<String> {
    let place = path.strip_prefix(SOURCES).unwrap_or(path);
    let ends: Vec<usize> =
        text.lines().enumerate().filter(|(_, line)| line.starts_with('}')).map(|(at, _)| at + 1).collect();
    let keys: Vec<usize> = text
        .lines()
        .enumerate()
        .filter(|(_, line)| line.contains("\"fig-") && line.contains(KEY))
        .map(|(at, _)| at + 1)
        .collect();
    // Two lines are of one item where as many items end before the one as before the other.
    let item = |line: usize| ends.partition_point(|end| *end < line);
    let is_layout = |threshold: &str| {
        let is_it = |(begin, which, _): &&(&'static str, Which, &str)| {
            let is_listed = match which {
                All => true,
                These(all) => all.contains(&threshold),
            };
            place.starts_with(begin) && is_listed
        };
        LAYOUT.iter().find(is_it).map(|entry| entry.0)
    };
    let mut floats = floats.clone();
    // Of two constants of one name a file means its own.
    for (name, _) in constants(text).filter(|(_, is_float)| !is_float) {
        floats.remove(&name);
    }
    let mut problems = Vec::new();
    for found in comparisons(text, &floats) {
        let (line, threshold) = (found.line, &found.threshold);
        let is_assessment = keys.iter().any(|key| item(*key) == item(line));
        match is_layout(threshold) {
            _ if is_assessment => problems.push(format!(
                "{path}:{line}: an assessment depends on `{threshold}`; thresholds of figures stand in judge::assess"
            )),
            _ if !found.is_float => {}
            Some(entry) => drop(used.insert(entry)),
            None => problems.push(format!(
                "{path}:{line}: compares with `{threshold}`; what decides stands in judge::assess, and layout in LAYOUT \
                 of xtask/src/tidy/assessments.rs with its reason"
            )),
        }
    }
    problems
}

/// Sentences about a backlog that stand elsewhere than in the arm of their assessment.
fn unproven(path: &str, text: &str) -> Vec<String> {
    let mut problems = Vec::new();
    for (key, assessment) in PROVEN {
        for (at, _) in text.match_indices(&format!("\"{key}\"")) {
            let arm = text[..at].rfind("=>").map_or("", |arrow| {
                let begin = text[..arrow].rfind('\n').map_or(0, |end| end + 1);
                &text[begin..arrow]
            });
            let is_its_arm = arm.trim().strip_prefix(assessment).is_some_and(|rest| !rest.contains('|'));
            if !is_its_arm {
                let line = text[..at].matches('\n').count() + 1;
                problems.push(format!("{path}:{line}: `{key}` belongs in the arm of `{assessment}` alone"));
            }
        }
    }
    problems
}

/// Sentences of figures about a backlog of which [`PROVEN`] does not say what proves them.
fn unlisted(messages: &str) -> Vec<String> {
    let lines = messages.lines().filter(|line| line.starts_with("fig-") && line.contains(BACKLOG));
    let keys = lines.filter_map(|line| line.split_once(" =").map(|(key, _)| key));
    let unknown = keys.filter(|key| PROVEN.iter().all(|known| known.0 != *key));
    unknown
        .map(|key| format!("{MESSAGES}: `{key}` speaks of a {BACKLOG}; name its assessment in xtask's PROVEN"))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tree::tests::tree;

    const CHART: &str = "crates/report/src/charts/new.rs";

    fn of(text: &str) -> Vec<String> {
        let (_guard, tree) = tree(&[(CHART, text), ("crates/judge/src/assess.rs", "pub const NEAR: f64 = 0.8;\n")]);
        check(&tree).unwrap()
    }

    #[test]
    fn a_decision_by_a_number_is_found_wherever_its_sentence_stands() {
        let apart = "fn is_near(part: f64) -> bool {\n    part >= assess::NEAR\n}\nfn assessment() {\n    say!(m, \"fig-a-means\");\n}\n";
        let found = of(apart);
        assert!(found.len() == 1 && found[0].contains("new.rs:2: compares with `NEAR`"), "{found:?}");
        assert!(of(&apart.replace("assess::NEAR", "0.8"))[0].contains("`0.8`"));
        assert!(of(&apart.replace("part >= assess::NEAR", "assess::is_near(part)")).is_empty());
        assert!(of(&apart.replace("assess::NEAR", "0.0")).is_empty());
    }

    #[test]
    fn a_layout_may_compare_and_an_assessment_within_it_may_not() {
        let scale = "fn scale(width: f64) {\n    if width < 1.6 {}\n}\n";
        let path = "crates/report/src/svg/new.rs";
        assert!(decisions(path, scale, &BTreeSet::new(), &mut BTreeSet::new()).is_empty());
        let said = scale.replace("{}", "{ \"fig-a-means-near\" }");
        let found = decisions(path, &said, &BTreeSet::new(), &mut BTreeSet::new());
        assert!(found.len() == 1 && found[0].contains("an assessment depends on `1.6`"), "{found:?}");
    }

    #[test]
    fn a_backlog_is_only_said_to_grow_where_a_finding_proves_it() {
        let arm =
            "match it {\n    Awaiting::Grows(a, b) => {\n        say!(m, \"fig-awaiting-means-grows\")\n    }\n}\n";
        assert!(of(arm).is_empty());
        for planted in [
            arm.replace("Awaiting::Grows(a, b)", "Awaiting::Rises(a, b)"),
            arm.replace("Grows(a, b) =>", "Grows(a, b) | _ =>"),
            "fn a() {\n    say!(m, \"fig-awaiting-means-grows\")\n}\n".to_owned(),
        ] {
            let found = of(&planted);
            assert!(
                found.len() == 1 && found[0].contains("belongs in the arm of `Awaiting::Grows`"),
                "{planted} {found:?}"
            );
        }
        let messages = "fig-awaiting-means-grows = The backlog grows.\nfig-load-means-more = A backlog grows.\nfinding-X = A backlog.\n";
        let found = unlisted(messages);
        assert!(found.len() == 1 && found[0].contains("`fig-load-means-more`"), "{found:?}");
    }
}
