//! Markdown, JUnit XML and the files beside them: readable by what reads them, whatever stands in a name.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use crate::fixture::{Fixture, HOSTILE, fixture, killed};
use report::WriteOptions;
use std::collections::BTreeSet;
use std::path::Path;

/// Signs that break Markdown, XML, HTML or the reader's eye.
const EVIL: &str =
    "<script>alert(1)</script> | `tick` ``` [link](javascript:alert(1)) \u{202e}left\u{0}\u{1b}[31m\n# head";

pub(crate) fn hostile() -> Fixture {
    let mut fixture = fixture();
    let evil = format!("{EVIL}{HOSTILE}");
    fixture.head.study = evil.clone();
    fixture.head.system = evil.clone();
    fixture.head.facts.push((evil.clone(), evil.clone(), evil.clone()));
    fixture.judgement.findings[0].scope = evil.clone().into();
    fixture.judgement.requirements[0].id = evil.clone();
    fixture.judgement.requirements[0].rule = evil.clone();
    fixture.judgement.requirements[0].scope = evil.clone().into();
    fixture.views.notes[0].text = evil.clone();
    for step in &mut fixture.views.steps {
        step.scenario_name.push_str(EVIL);
    }
    fixture
}

pub(crate) fn written(fixture: &Fixture, formats: &[&str], language: &str, is_strict: bool) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    report::write(&fixture.input(), folder.path(), &WriteOptions { formats, language, is_strict }).unwrap();
    folder
}

pub(crate) fn read(folder: &Path, name: &str) -> String {
    std::fs::read_to_string(folder.join(name)).unwrap()
}

/// Markdown without what is escaped and without code: what is left over is markup of ours.
pub(crate) fn markup(text: &str) -> String {
    let (mut left, mut chars) = (String::new(), text.chars().peekable());
    while let Some(c) = chars.next() {
        match c {
            '\\' => drop(chars.next()),
            '`' => {
                let mut fence = 1;
                while chars.next_if_eq(&'`').is_some() {
                    fence += 1;
                }
                // Up to a run of exactly as many backticks.
                let mut run = 0;
                loop {
                    match chars.next() {
                        Some('`') => run += 1,
                        Some(_) if run == fence => break,
                        Some(_) => run = 0,
                        None => break,
                    }
                }
            }
            other => left.push(other),
        }
    }
    left
}

#[test]
fn markdown_is_complete_without_the_page() {
    let fixture = fixture();
    let folder = written(&fixture, &["md"], "en", false);
    let text = read(folder.path(), "report.md");
    assert!(text.starts_with("# "));
    for heading in ["Management summary", "Definitions", "Results", "Data inventory"] {
        assert!(text.contains(heading), "{heading}");
    }
    let document = report::document(&fixture.input(), "en").on_paper();
    for figure in document.figures() {
        let name = format!("figures/{}.svg", figure.anchor);
        assert!(text.contains(&format!("]({name})")), "{name}");
        let drawing = read(folder.path(), &name);
        assert!(drawing.starts_with("<?xml") && drawing.contains("<desc") && drawing.contains("fill=\"#ffffff\""));
        assert!(folder.path().join(format!("tables/{}.csv", figure.data.name)).exists(), "{}", figure.data.name);
    }
    assert_eq!(text.matches("*Observation.*").count(), text.matches("*Assessment.*").count());
    assert!(text.matches("*Observation.*").count() >= document.figures().len());
}

#[test]
fn rows_of_a_markdown_table_have_as_many_cells_as_their_head() {
    for fixture in [fixture(), hostile(), killed()] {
        let folder = written(&fixture, &["md"], "da", false);
        let text = read(folder.path(), "report.da.md");
        let mut columns = 0;
        let mut tables = 0;
        for line in text.lines() {
            if !line.starts_with('|') {
                columns = 0;
                continue;
            }
            // A bar in code is written as `\|` as well.
            let bars = line.replace("\\\\", "").replace("\\|", "").matches('|').count();
            if columns == 0 {
                tables += 1;
                columns = bars;
            }
            assert_eq!(bars, columns, "{line}");
        }
        assert!(tables > 8, "{tables}");
    }
}

#[test]
fn no_name_becomes_markup() {
    let folder = written(&hostile(), &["md"], "en", false);
    let text = read(folder.path(), "report.md");
    for control in ['\u{0}', '\u{1b}', '\u{202e}', '\r'] {
        assert!(!text.contains(control), "{control:?}");
    }
    assert!(!text.lines().any(|line| line.starts_with("# head")));
    let left = markup(&text);
    for evil in ["<script", "<b ", "](javascript"] {
        assert!(!left.contains(evil), "{evil}");
    }
}

#[test]
fn each_language_has_files_of_its_own_and_programs_read_english() {
    let fixture = fixture();
    let folder = written(&fixture, &["html", "md", "json", "csv"], "nl", false);
    for name in ["report.nl.html", "report.nl.md", "figures.nl", "result.json", "tables/verdicts.csv"] {
        assert!(folder.path().join(name).exists(), "{name}");
    }
    let english = written(&fixture, &["csv"], "en", false);
    let names = |folder: &Path| -> BTreeSet<_> {
        std::fs::read_dir(folder.join("tables")).unwrap().map(|entry| entry.unwrap().file_name()).collect()
    };
    assert_eq!(names(folder.path()), names(english.path()));
    for name in names(english.path()) {
        let name = format!("tables/{}", name.to_str().unwrap());
        assert_eq!(read(folder.path(), &name), read(english.path(), &name), "{name}");
    }
}

/// Depth, name and attributes.
type Element = (usize, String, Vec<(String, String)>);

/// Reads the XML as far as a build server does: elements in their order, attributes with their entities resolved.
fn elements(xml: &str) -> Vec<Element> {
    let (mut found, mut open): (Vec<_>, Vec<String>) = (Vec::new(), Vec::new());
    let body = xml.strip_prefix("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n").unwrap();
    for tag in body.split('<').skip(1) {
        let (tag, after) = tag.split_once('>').unwrap();
        assert!(after.trim().is_empty(), "text outside of attributes: {after}");
        if let Some(name) = tag.strip_prefix('/') {
            assert_eq!(open.pop().as_deref(), Some(name));
            continue;
        }
        let is_empty = tag.ends_with('/');
        let tag = tag.trim_end_matches('/');
        let (name, mut rest) = tag.split_once(' ').unwrap_or((tag, ""));
        let mut attributes = Vec::new();
        while let Some((key, after)) = rest.split_once("=\"") {
            let (value, after) = after.split_once('"').unwrap();
            let value = value.replace("&lt;", "<").replace("&gt;", ">").replace("&quot;", "\"").replace("&apos;", "'");
            attributes.push((key.trim().to_owned(), value.replace("&amp;", "&")));
            rest = after;
        }
        assert!(rest.trim().is_empty(), "{rest}");
        found.push((open.len(), name.to_owned(), attributes));
        if !is_empty {
            open.push(name.to_owned());
        }
    }
    assert!(open.is_empty(), "{open:?}");
    found
}

fn count(elements: &[Element], name: &str) -> usize {
    elements.iter().filter(|(_, found, _)| found == name).count()
}

#[test]
fn junit_has_a_case_for_each_requirement_and_its_sums_add_up() {
    for (fixture, is_strict) in [(fixture(), false), (fixture(), true), (killed(), false), (hostile(), false)] {
        let folder = written(&fixture, &["junit"], "nl", is_strict);
        let xml = read(folder.path(), "junit.xml");
        let all = elements(&xml);
        assert_eq!(count(&all, "testcase"), fixture.judgement.requirements.len() + 1);
        let (_, _, sums) = &all[0];
        for (attribute, element) in
            [("tests", "testcase"), ("failures", "failure"), ("errors", "error"), ("skipped", "skipped")]
        {
            let sum = sums.iter().find(|(name, _)| name == attribute).unwrap().1.parse::<usize>().unwrap();
            assert_eq!(sum, count(&all, element), "{attribute}");
        }
        let must_broken = fixture.judgement.requirements.iter().filter(|result| {
            result.verdict == terms::Verdict::NotMet && (is_strict || result.severity == terms::Severity::Must)
        });
        assert!(count(&all, "failure") >= must_broken.count());
        if is_strict {
            assert_eq!(count(&all, "skipped"), 0);
        }
    }
}

#[test]
fn an_invalid_run_is_an_error_and_not_a_failure_of_the_system() {
    let mut fixture = fixture();
    fixture.judgement.validity = terms::Validity::Invalid;
    for result in &mut fixture.judgement.requirements {
        result.verdict = terms::Verdict::CannotTell;
        result.reason.code = "run_invalid".into();
        result.reason.args = [
            ("sign".to_owned(), judge::Arg::Text("lateness".into())),
            ("where".to_owned(), judge::Arg::Text("nominal/hold".into())),
        ]
        .into();
    }
    let all = elements(&read(written(&fixture, &["junit"], "en", false).path(), "junit.xml"));
    assert_eq!(count(&all, "error"), count(&all, "testcase"));
    assert_eq!(count(&all, "failure"), 0);
}

#[test]
fn names_arrive_in_junit_as_they_are_but_for_controls() {
    let xml = read(written(&hostile(), &["junit"], "en", false).path(), "junit.xml");
    assert!(!xml.contains("<script") && !xml.contains('\u{202e}') && !xml.contains('\u{1b}'));
    let all = elements(&xml);
    let names = all.iter().flat_map(|(_, _, attributes)| attributes).filter(|(key, _)| key == "name");
    assert!(names.clone().any(|(_, value)| value.contains("<script>alert(1)</script> | `tick`")));
}
