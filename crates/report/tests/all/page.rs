//! The page: self-contained, escaped, the same bytes, honest about what is missing.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use crate::fixture::{Fixture, HOSTILE, fixture, killed};

fn wanted<'a>(formats: &'a [&'a str], language: &'a str) -> report::WriteOptions<'a> {
    report::WriteOptions { formats, language, is_strict: false }
}

fn page(fixture: &Fixture) -> String {
    report::html(&fixture.input(), "en")
}

#[test]
fn same_input_same_bytes() {
    assert_eq!(page(&fixture()), page(&fixture()));
    let (one, other) = (fixture(), fixture());
    assert_eq!(report::result_json(&one.input()), report::result_json(&other.input()));
}

#[test]
fn the_page_asks_nobody() {
    let html = page(&fixture());
    // Names of namespaces and addresses of the system under test are text, never something to load.
    for attribute in ["src=", "@import", "url(http", "<link", "<iframe", "<base"] {
        assert!(!html.contains(attribute), "{attribute}");
    }
    for part in html.split("href=\"").skip(1) {
        assert!(part.starts_with('#') || part.starts_with("data:image/png;base64,"), "{}", &part[..40]);
    }
    let policy = html.split("Content-Security-Policy\" content=\"").nth(1).unwrap().split('"').next().unwrap();
    assert!(policy.contains("default-src &#39;none&#39;") || policy.contains("default-src 'none'"), "{policy}");
    assert!(!policy.contains("unsafe"), "{policy}");
}

#[test]
fn script_and_style_are_those_of_the_policy() {
    use base64::{Engine as _, engine::general_purpose::STANDARD};
    use sha2::{Digest, Sha256};
    let html = page(&fixture());
    for (open, close) in [("<style>", "</style>"), ("<script>", "</script>")] {
        let text = html.split(open).nth(1).unwrap().split(close).next().unwrap();
        let hash = STANDARD.encode(Sha256::digest(text.as_bytes()));
        let policy = html.split("Content-Security-Policy").nth(1).unwrap().split('>').next().unwrap();
        // The template writes `+` and `/` as they are, and quotes as entities.
        assert!(policy.contains(&hash), "{open} is not the one that the policy allows");
    }
    let script = html.split("<script>").nth(1).unwrap().split("</script>").next().unwrap();
    assert!(script.len() <= 15 * 1024, "{}", script.len());
}

#[test]
fn hostile_labels_stay_text() {
    let mut fixture = fixture();
    let evil = format!("{HOSTILE}{}", "A".repeat(1_000_000));
    fixture.head.study = evil.clone();
    fixture.head.system = evil.clone();
    fixture.head.facts.push((evil.clone(), evil.clone(), evil.clone()));
    fixture.head.instances[0].command = evil.clone();
    fixture.head.instances[0].faults.push((evil.clone(), evil.clone()));
    fixture.judgement.findings[0].scope = evil.clone().into();
    fixture.judgement.requirements[0].id = evil.clone();
    fixture.judgement.requirements[0].rule = evil.clone();
    fixture.views.notes[0].text = evil.clone();
    fixture.views.metrics[3].instance = evil.clone();
    for step in &mut fixture.views.steps {
        step.scenario_name.push_str(&evil);
    }
    let html = page(&fixture);
    assert!(html.len() < 4_000_000, "a label of a megabyte is not printed in full: {}", html.len());
    assert_eq!(html.matches("<script").count(), 1);
    assert_eq!(html.matches("</script").count(), 1);
    assert!(!html.contains("<b onmouseover"));
    for control in ['\u{0}', '\u{202e}', '\u{2066}', '\u{feff}', '\r'] {
        assert!(!html.contains(control), "{control:?}");
    }
    for id in html.split(" id=\"").skip(1) {
        let id = id.split('"').next().unwrap();
        assert!(id.chars().all(|c| c.is_ascii_alphanumeric() || c == '-'), "{id}");
    }
}

#[test]
fn ids_are_unique_and_references_lead_somewhere() {
    let html = page(&fixture());
    let mut ids = std::collections::BTreeSet::new();
    for id in html.split(" id=\"").skip(1) {
        let id = id.split('"').next().unwrap();
        assert!(ids.insert(id), "`{id}` stands twice");
    }
    for target in html.split("href=\"#").skip(1) {
        let target = target.split('"').next().unwrap();
        assert!(ids.contains(target), "`#{target}` leads nowhere");
    }
}

#[test]
fn every_figure_says_what_it_means_and_has_its_numbers() {
    let fixture = fixture();
    let document = report::document(&fixture.input(), "en");
    let mut figures = 0;
    let mut sections: Vec<_> = document.sections.iter().collect();
    while let Some(section) = sections.pop() {
        sections.extend(&section.parts);
        for block in &section.blocks {
            let report::document::Block::Figure(figure) = block else { continue };
            figures += 1;
            for text in [&figure.caption, &figure.observation, &figure.assessment] {
                assert!(text.len() > 10 && !text.contains('['), "{}: {text}", figure.anchor);
            }
            assert!(!figure.data.rows.is_empty(), "{}", figure.anchor);
            assert!(
                figure.data.rows.iter().all(|row| row.cells.len() == figure.data.columns.len()),
                "{}",
                figure.anchor
            );
            assert!(figure.svg.contains("role=\"img\"") && figure.svg.contains("<desc"), "{}", figure.anchor);
            assert!(!figure.svg.contains("NaN") && !figure.svg.contains("var("), "{}", figure.anchor);
        }
    }
    assert!(figures > 20, "{figures}");
}

#[test]
fn no_message_is_left_without_text() {
    for (fixture, language) in [fixture(), killed()].iter().flat_map(|run| report::LANGUAGES.map(|each| (run, each))) {
        let html = report::html(&fixture.input(), language);
        let body = html.split("<body>").nth(1).unwrap().split("<script>").next().unwrap();
        for hole in ["{$", "{ $", "[fig-", "[col-", "[note-", "[table-", "NaN", ">None<"] {
            assert!(!body.contains(hole), "{hole}");
        }
    }
}

#[test]
fn a_report_in_another_language_has_its_words_and_its_numbers() {
    let page = |language: &str| report::html(&fixture().input(), language);
    let (dutch, danish) = (page("nl"), page("da"));
    assert!(dutch.contains("<html lang=\"nl\">") && danish.contains("<html lang=\"da\">"));
    assert!(dutch.contains("Managementsamenvatting") && dutch.contains("21 november 2026, 10:00:00 UTC"));
    assert!(danish.contains("Ledelsesresumé") && danish.contains("21. november 2026 kl. 10.00.00 UTC"));
    assert!(danish.contains("p99,9") && dutch.contains("p99,9") && !dutch.contains("p99.9"));
    // A point between digits groups thousands, and so has three digits after it; hashes, versions and addresses are
    // text of the run.
    for language in ["nl", "da"] {
        let fixture = fixture();
        let document = report::document(&fixture.input(), language);
        let mut numbers = 0;
        for cell in document.tables().iter().flat_map(|table| &table.rows).flat_map(|row| &row.cells) {
            if cell.raw.is_none() {
                continue;
            }
            numbers += 1;
            for after in cell.text.split('.').skip(1) {
                let digits = after.chars().take_while(char::is_ascii_digit).count();
                assert_eq!(digits, 3, "{language}: {}", cell.text);
            }
        }
        assert!(numbers > 500, "{numbers}");
    }
}

#[test]
fn a_closed_load_speaks_of_service_times_only() {
    let fixture = fixture();
    let document = report::document(&fixture.input(), "en");
    let chapter = document.sections.iter().find(|section| section.anchor.starts_with("results-1")).unwrap();
    let text = format!("{chapter:?}");
    assert!(text.contains("service times"));
    for word in ["Response time (ms)", "response times of", "Response times in"] {
        assert!(!text.contains(word), "{word}");
    }
}

#[test]
fn a_killed_run_says_so_before_anything_else() {
    let html = page(&killed());
    let title = html.split("<main").next().unwrap();
    assert!(title.contains("Killed") && title.contains("Damaged evidence") && title.contains("Trial"));
    let summary = html.split("id=\"summary\"").nth(1).unwrap().split("</section>").next().unwrap();
    assert!(summary.contains("Killed"));
}

#[test]
fn an_empty_run_is_a_report_too() {
    let empty = Fixture {
        head: record::Head::default(),
        views: judge::views::Views::default(),
        judgement: judge::Judgement {
            end_reason: terms::EndReason::Interrupted,
            validity: terms::Validity::Invalid,
            signs: Vec::new(),
            steps: Vec::new(),
            requirements: Vec::new(),
            ladders: Vec::new(),
            capacity: judge::capacity::CapacityResult::default(),
            comparisons: Vec::new(),
            grids: Vec::new(),
            bulks: Vec::new(),
            searches: Vec::new(),
            courses: Vec::new(),
            findings: Vec::new(),
            settings: Vec::new(),
        },
        ..fixture()
    };
    let mut input = empty.input();
    input.study = None;
    let html = report::html(&input, "en");
    assert!(html.contains("No step of the plan was run"));
    assert!(html.contains("Nothing was monitored"));
    assert!(report::result_json(&input).contains("\"schema\": \"loadproof/result/1\""));
}

#[test]
fn files_are_written_where_they_are_asked_for() {
    let fixture = fixture();
    let folder = tempfile::tempdir().unwrap();
    let written = report::write(&fixture.input(), folder.path(), &wanted(&["html", "json", "csv"], "en")).unwrap();
    assert!(written.contains(&folder.path().join("report.html")));
    assert!(written.contains(&folder.path().join("result.json")));
    let tables: Vec<_> = written.iter().filter(|path| path.extension().is_some_and(|e| e == "csv")).collect();
    assert!(tables.len() > 30, "{}", tables.len());
    for path in tables {
        let mut reader = csv::Reader::from_path(path).unwrap();
        assert!(reader.records().all(|record| record.is_ok()), "{}", path.display());
    }
    let error = report::write(&fixture.input(), folder.path(), &wanted(&["pptx"], "en")).unwrap_err();
    assert_eq!(
        error.to_string(),
        "the report format `pptx` is not written by this version; possible: html, md, junit, json, csv"
    );
}
