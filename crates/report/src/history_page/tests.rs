//! The page and its data, in every language, over made-up histories.

use super::*;
use crate::history_lines::{history_json, history_lead, history_lines};
use judge::archive::{Archive, ArchivedRun, Conditions, Measured, Since};
use terms::Severity;

fn history(since: Option<usize>) -> RequirementHistory {
    let mut archive = Archive::default();
    for number in 0..24usize {
        let level = if number < 16 { 100.0 } else { 130.0 };
        let value = level + (number * 7 % 5) as f64;
        let measured = |id: &str, rule: &str, value: Option<f64>| Measured {
            requirement: id.into(),
            scope: "nominal/hold".into(),
            rule: rule.into(),
            measures: judge::archive::Measures::of(rule, &[]),
            severity: Severity::Must,
            verdict: Verdict::Met,
            decides: true,
            value,
            limit: Some(200.0),
            unit: "ms".into(),
            reason: "interval_inside".into(),
        };
        let run = ArchivedRun {
            id: format!("<b>run-{number:02}"),
            folder: format!("runs/<i>{number:02}"),
            started: format!("2026-11-{:02}T10:00:00Z", number + 1),
            is_trial: number == 3,
            requirements: vec![
                measured("fast", "p95(x.response) <= 200ms", Some(value).filter(|_| number != 5)),
                measured("balanced", "count(x.ok) = count(y.ok)", None),
            ],
            ..ArchivedRun::default()
        };
        archive.add(run, Conditions::default()).unwrap();
    }
    let since = since.map(|day| Since { name: "base".into(), from: format!("2026-11-{day:02}"), includes: true });
    archive.history(since.as_ref())
}

fn input(history: &RequirementHistory) -> HistoryInput<'_> {
    HistoryInput { study: "Shop <script>", folder: "runs", history, left_out: &[], not_read: 0 }
}

#[test]
fn a_history_is_a_page_in_every_language() {
    let history = history(Some(10));
    let left_out = [("runs/x".to_owned(), "`result.json` is a <pipe>".to_owned())];
    for language in crate::LANGUAGES {
        let page = history_html(&HistoryInput { left_out: &left_out, not_read: 2, ..input(&history) }, language);
        assert!(page.contains(&format!("<html lang=\"{language}\"")), "{language}");
        assert!(page.contains("id=\"fig-archive-0\"") && page.contains("run-16"), "{language}");
        assert!(!page.contains("[archive-") && !page.contains("[fig-") && !page.contains("[col-"), "{language}");
        assert_eq!(page.matches("<script").count(), 1, "titles are hostile input");
        assert!(!page.contains("<b>run") && !page.contains("<i>0") && !page.contains("<pipe>"), "{language}");
        assert_eq!(page, history_html(&HistoryInput { left_out: &left_out, not_read: 2, ..input(&history) }, language));
    }
}

#[test]
fn the_answer_comes_first() {
    assert!(history_lead(&history(Some(10))).starts_with("One requirement got worse since base: fast (nominal/hold)"));
    assert!(history_lead(&history(Some(20))).starts_with("No requirement was shown to get worse since base"));
    let few = history_lead(&history(Some(23)));
    assert!(few.contains("at least one more run") && few.contains("fast"), "{few}");
    assert!(history_lead(&history(None)).starts_with("The level of 1 of 2 requirements changed"));
}

#[test]
fn where_no_run_counts_the_answer_says_why_and_what_to_type() {
    let history = |apart: &[Option<Apart>]| {
        let entry = |&apart| RunEntry { id: String::new(), folder: String::new(), started: String::new(), apart };
        RequirementHistory { runs: apart.iter().map(entry).collect(), ..RequirementHistory::default() }
    };
    let (trial, invalid) = (Some(Apart::Trial), Some(Apart::Invalid));
    let told = history_lead(&history(&[trial, trial, trial]));
    assert!(
        told.starts_with("All 3 runs are trials (made with `--for`), and a history leaves such runs out: "),
        "{told}"
    );
    assert!(told.contains("`loadproof run STUDY`, without `--for`") && told.contains("at least 8 runs"), "{told}");
    for (apart, expected) in [
        (&[trial][..], "The only run is a trial (made with `--for`), and"),
        (&[invalid], "The only run is invalid, and"),
        (&[invalid, invalid], "All 2 runs are invalid, and"),
        (&[trial, invalid, trial], "Of 3 runs, 2 are trials (made with `--for`) and 1 is invalid, and"),
    ] {
        let history = history(apart);
        let told = history_lead(&history);
        assert!(told.starts_with(expected) && told.contains("loadproof run STUDY"), "{told}");
        for language in crate::LANGUAGES {
            let page = history_html(&input(&history), language);
            assert!(page.contains("<code>loadproof run"), "{language}");
            assert!(!page.contains("[archive-"), "{language}");
        }
    }
    for apart in [&[trial, None][..], &[]] {
        assert!(history_lead(&history(apart)).starts_with("No level change was found"));
    }
}

#[test]
fn where_no_series_is_long_enough_the_answer_says_how_many_runs_are_needed() {
    let mut history = history(None);
    for (series, have) in history.series.iter_mut().zip([2, 3]) {
        series.search = Search::TooFew { have, needed: 8 };
    }
    assert_eq!(
        history_lead(&history),
        "No requirement has enough runs to look for changes: 3 at most, and at least 8 are needed."
    );
    history.series[0].search = Search::Done;
    assert!(history_lead(&history).starts_with("The level of 1 of 2"));
}

#[test]
fn the_foot_of_the_page_speaks_of_runs() {
    let history = history(None);
    for (language, of_one) in [("en", "this run alone"), ("nl", "van deze run"), ("da", "denne kørsel")] {
        let page = history_html(&input(&history), language);
        assert!(page.contains(" JSON") && !page.contains(of_one) && !page.contains("result.json"), "{language}");
    }
}

#[test]
fn a_line_and_the_data_have_the_change() {
    let history = history(None);
    let lines = history_lines(&history);
    assert_eq!((lines[0].runs, lines[0].since.as_str(), lines[0].is_worse), (23, "<b>run-16", true));
    assert!(lines[0].change.starts_with("+29% (102") && lines[0].last.contains("ms"), "{:?}", lines[0]);
    assert_eq!(lines[1].state, "by verdict only");
    let value: serde_json::Value = serde_json::from_str(&history_json(&input(&history))).unwrap();
    let fast = &value["requirements"][0];
    assert_eq!((fast["direction"].as_str(), fast["shifts"][0]["run"].as_str()), (Some("at_most"), Some("<b>run-16")));
    assert!(fast["values"][4].is_null() && value["gate"].is_null() && value["runs"][3]["apart"] == "trial");
    let tables = history_tables(&input(&history));
    let names: Vec<&str> = tables.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(
        names,
        ["archive-requirements.csv", "fig-archive-0.csv", "archive-by-verdict.csv", "archive-left-out.csv"]
    );
}
