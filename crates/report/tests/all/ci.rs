//! What build servers show of a run: short, in every language, and whatever stands in a name.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use crate::fixture::{Fixture, fixture, killed, messaging};
use crate::formats::{hostile, markup};
use report::{Level, StudyPlace, StudyPlaces};
use terms::Verdict;

/// What a screen and a half is, generously: lines, of which those of tables are long.
const LINES: usize = 60;
/// All summaries of a step may have 1 MiB together.
const BYTES: usize = 64 * 1024;

fn summary(fixture: &Fixture, language: &str) -> String {
    report::summary(&fixture.input(), language, Some("runs/x/report.html"))
}

#[test]
fn a_summary_is_short_and_whole_in_every_language() {
    for fixture in [fixture(), messaging(), killed(), hostile()] {
        for language in report::LANGUAGES {
            let text = summary(&fixture, language);
            assert!(text.starts_with("### ") && text.contains("runs/x/report.html"), "{text}");
            assert!(!text.contains("[build-"), "{text}");
            let left = markup(&text);
            assert!(!left.contains("](") && !left.contains("!["), "no link and no picture: {left}");
            assert!(text.lines().count() < LINES && text.len() < BYTES, "{} lines", text.lines().count());
        }
    }
}

#[test]
fn the_summary_of_a_run() {
    insta::assert_snapshot!(summary(&fixture(), "en"));
}

#[test]
fn requirements_that_are_not_met_come_first() {
    let text = summary(&fixture(), "en");
    let marks: Vec<char> = text.lines().filter_map(|line| line.strip_prefix("| ")?.chars().next()).collect();
    let marks: Vec<usize> =
        marks.iter().filter_map(|mark| ['✗', '?', '✓'].iter().position(|known| known == mark)).collect();
    assert!(marks.len() > 2 && marks.is_sorted(), "{marks:?}");
}

#[test]
fn a_name_calls_nobody_gives_no_order_and_is_no_markup() {
    let mut fixture = hostile();
    let evil = "/close @team #12 !7 ##[error]x\n::error::y | `z` <img src=x>";
    fixture.head.system = evil.into();
    fixture.head.study = evil.into();
    for result in &mut fixture.judgement.requirements {
        result.id = evil.into();
    }
    fixture.judgement.findings[0].scope = evil.into();
    let text = summary(&fixture, "en");
    for line in text.lines() {
        assert!(!line.starts_with('/') && !line.trim_start().starts_with("::"), "{line}");
    }
    assert!(!text.contains("##["), "{text}");
    let left = markup(&text);
    for evil in ["<img", "<script", "@team", "#12", "!7"] {
        assert!(!left.contains(evil), "{evil} in {left}");
    }
    // In code nobody is looked for; outside of it each name is broken.
    assert!(text.contains("\\@\u{2060}team"), "{text}");
    let mut columns = 0;
    for line in text.lines() {
        let bars = line.replace("\\\\", "").replace("\\|", "").matches('|').count();
        let is_row = line.starts_with('|');
        assert!(!is_row || columns == 0 || bars == columns, "{line}");
        columns = if is_row { bars } else { 0 };
    }
    for command in report::github_commands(&report::notes(&fixture.input(), "en", &StudyPlaces::default()), "en") {
        assert!(!command.contains('\n') && command.starts_with("::"), "{command}");
        let (properties, _) = command[2..].split_once("::").unwrap();
        assert!(!properties.contains("::") && !properties.contains("team,"), "{properties}");
    }
}

#[test]
fn notes_stand_at_the_lines_of_their_requirements() {
    let fixture = fixture();
    let input = fixture.input();
    let place = |line| StudyPlace { file: "load/study.yaml".into(), line };
    let results = &fixture.judgement.requirements;
    let worst = results.iter().find(|result| result.verdict == Verdict::NotMet).unwrap();
    let at = StudyPlaces { study: Some(place(1)), requirements: [(worst.id.clone(), place(42))].into() };
    let notes = report::notes(&input, "en", &at);
    let note = notes.iter().find(|note| note.about == format!("requirement:{}", worst.id)).unwrap();
    assert_eq!((note.level, &note.place), (Level::Error, &Some(place(42))));
    assert!(note.title.ends_with(": not met") && note.text.contains("limit"), "{note:?}");
    assert!(notes.is_sorted_by_key(|note| note.level));
    let met: Vec<&str> = results.iter().filter(|one| one.verdict == Verdict::Met).map(|one| one.id.as_str()).collect();
    let is_bad = |id: &str| results.iter().any(|one| one.id == id && one.verdict != Verdict::Met);
    for id in met.into_iter().filter(|id| !is_bad(id)) {
        assert!(notes.iter().all(|note| note.about != format!("requirement:{id}")), "{id} is met");
    }
}

#[test]
fn metrics_are_open_metrics() {
    for fixture in [fixture(), hostile()] {
        let text = report::metrics(&fixture.input());
        let mut families = Vec::new();
        assert!(text.ends_with("# EOF\n"));
        for line in text.lines().filter(|line| *line != "# EOF") {
            if let Some(rest) = line.strip_prefix("# TYPE ") {
                let family = rest.strip_suffix(" gauge").unwrap();
                assert!(!families.contains(&family), "{family} is told in two places");
                families.push(family);
            } else if !line.starts_with('#') {
                let (name, value) = line.rsplit_once(' ').unwrap();
                assert_eq!(name.split('{').next(), families.last().copied(), "{line}");
                assert!(value.parse::<f64>().unwrap().is_finite(), "{line}");
                assert!(name.chars().all(|c| !c.is_control()), "{line}");
            }
        }
        assert_eq!(families.len(), 7);
        let met = fixture.judgement.requirements.iter().filter(|one| one.verdict == Verdict::Met).count();
        assert!(text.contains(&format!("loadproof_verdicts{{verdict=\"met\"}} {met}\n")));
    }
}
