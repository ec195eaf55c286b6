//! Profiles: which blocks, in which order, under which words, and whether a reader's demands are answered.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use crate::fixture::{Fixture, fixture};
use report::document::{Block, Document, Section};
use study::Text;

fn with_profile(name: &str) -> Fixture {
    let mut fixture = fixture();
    fixture.study.report.profile = name.to_owned();
    fixture
}

fn own(text: &str) -> Fixture {
    let mut fixture = fixture();
    fixture.study.report.own_profile = Some(study::profile_from_text("own", text, report::BLOCKS).unwrap());
    fixture
}

fn blocks(document: &Document) -> Vec<&str> {
    document.sections.iter().map(|section| section.block.as_str()).collect()
}

fn section<'a>(document: &'a Document, block: &str) -> &'a Section {
    document.sections.iter().find(|section| section.block == block).unwrap()
}

fn rows(section: &Section) -> Vec<Vec<String>> {
    let tables = section.blocks.iter().filter_map(|block| match block.inner() {
        Block::Table(table) => Some(table),
        _ => None,
    });
    let rows = tables.flat_map(|table| &table.rows);
    rows.map(|row| row.cells.iter().map(|cell| cell.text.clone()).collect()).collect()
}

#[test]
fn the_full_report_has_chapters_and_then_appendices_with_letters() {
    let fixture = fixture();
    let document = report::document(&fixture.input(), "en");
    assert_eq!(blocks(&document)[..5], ["summary", "introduction", "setup", "requests", "load"]);
    let appendices: Vec<_> =
        document.sections.iter().filter(|section| section.is_appendix).map(|section| section.number.as_str()).collect();
    assert_eq!(appendices, ["A", "B", "C", "D", "E"]);
    // Every scenario has its conclusion, once.
    let is_one = |section: &&Section| section.anchor.ends_with("-conclusion");
    assert_eq!(document.sections.iter().flat_map(|section| &section.parts).filter(is_one).count(), 0);
    let told: Vec<&str> = section(&document, "conclusions").blocks.iter().filter_map(text_of).collect();
    assert!(told.len() == 2 && told[0].starts_with("nominal: ") && told[1].starts_with("clerks: "), "{told:?}");
    let own = own("blocks: [ { block: results, parts: [ conclusion ] }, conclusions ]");
    let document = report::document(&own.input(), "en");
    assert_eq!(document.sections.iter().flat_map(|section| &section.parts).filter(is_one).count(), 2);
    assert!(
        section(&document, "conclusions").blocks.iter().filter_map(text_of).all(|text| !text.starts_with("nominal: "))
    );
}

#[test]
fn the_standard_report_begins_with_what_was_tested_and_what_failed() {
    let document = report::document(&with_profile("standard").input(), "en");
    let first = &document.sections[0];
    assert_eq!(first.block, "overview");
    let said: Vec<&str> = first.blocks.iter().filter_map(text_of).collect();
    assert!(said[0].contains("Not met: "), "{said:?}");
    assert!(said[0].contains(" against a limit of "), "{said:?}");
    assert!(said[1].starts_with("Tested: "), "{said:?}");
    let has = |is: fn(&Block) -> bool| first.blocks.iter().any(is);
    assert!(has(|block| matches!(block, Block::Figure(figure) if figure.anchor == "fig-whole-run")));
    assert!(has(|block| matches!(block, Block::Table(table) if table.name == "glance")));
    // A conclusion stands once.
    let again = document.sections[1..].iter().flat_map(|section| section.blocks.iter().filter_map(text_of));
    assert!(again.into_iter().all(|text| !said[0].starts_with(text)));
}

/// Nodes have a chapter where a run had any, and what was foreseen stands with them.
#[test]
fn the_standard_report_names_load_nodes_and_what_was_foreseen_of_them() {
    let mut fixture = with_profile("standard");
    assert!(!blocks(&report::document(&fixture.input(), "en")).contains(&"setup"));
    let node = |number: u32, in_time_per_s| record::NodeHead {
        name: format!("node-{number}"),
        host: "gen7".into(),
        version: "0.1.0".into(),
        pid: None,
        cores: 2,
        threads: 1,
        clock_offset_ns: 0,
        clock_error_ns: 1_832_000,
        is_here: false,
        tried: Some(record::NodeTrial { per_s: Some(100.0), started_per_s: 100.0, in_time_per_s }),
    };
    fixture.head.nodes = vec![node(1, Some(100.0)), node(2, None)];
    let slow = "node-2 on gen7 may be too slow: it sent 100 requests/s late";
    fixture.head.facts.push(("generator".into(), "foreseen".into(), slow.into()));
    for profile in ["standard", "full", "folio"] {
        fixture.study.report.profile = profile.to_owned();
        let document = report::document(&fixture.input(), "en");
        let all: Vec<&Section> =
            document.sections.iter().flat_map(|it| [vec![it], it.parts.iter().collect()].concat()).collect();
        let parts: Vec<&Section> = all.iter().flat_map(|it| &it.parts).collect();
        let of = |anchor: &str| parts.iter().find(|part| part.anchor == anchor).copied().unwrap();
        let nodes = rows(of("setup-nodes"));
        assert_eq!((nodes.len(), &nodes[1][0], &nodes[1][5]), (2, &"node-2".to_owned(), &"1.83\u{a0}ms".to_owned()));
        let foreseen = &of("setup-foreseen").blocks;
        assert!(foreseen.iter().any(|it| matches!(it, Block::Points(points) if points[0] == slow)), "{foreseen:?}");
        assert_eq!(document.tables().iter().filter(|table| table.name == "nodes").count(), 1, "{profile}");
    }
}

#[test]
fn the_figures_of_the_first_screen_are_those_of_the_books() {
    let fixture = with_profile("standard");
    let document = report::document(&fixture.input(), "en");
    let first = &document.sections[0];
    let (ok, failed) = fixture.views.steps.iter().fold((0, 0), |(ok, failed), step| {
        let books = step.books;
        assert_eq!(books.intended, books.started + books.dropped, "{}", step.id);
        (ok + books.completed, failed + books.failed)
    });
    let figure = first.blocks.iter().find_map(|block| match block {
        Block::Figure(figure) if figure.anchor == "fig-whole-run" => Some(figure),
        _ => None,
    });
    let with_commas = |count: u64| match count {
        0..1000 => count.to_string(),
        _ => format!("{},{:03}", count / 1000, count % 1000),
    };
    let expected = format!("{} iterations succeeded and {} failed.", with_commas(ok), with_commas(failed));
    assert_eq!(figure.unwrap().observation, expected);
    // Each undecided or failed requirement says why.
    for row in rows_of(first, "verdicts").iter().filter(|row| row[0].0 != "met") {
        assert!(row[4].1.ends_with('.'), "{row:?}");
    }
    let requests = rows_of(section(&document, "requests"), "requests");
    let shares: f64 = requests.iter().filter_map(|row| row[4].0.parse::<f64>().ok()).sum();
    let judged = fixture.judgement.steps.iter().filter(|step| step.phase == "hold").flat_map(|step| &step.exchanges);
    let all: f64 = judged.clone().map(|exchange| exchange.intended).sum();
    let lookups: f64 = judged.filter(|exchange| exchange.id == "lookup").map(|exchange| exchange.intended).sum();
    let printed: f64 = requests[0][4].0.parse().unwrap();
    assert!((printed - 100.0 * lookups / all).abs() < 0.05 && shares <= 100.1, "{requests:?}");
}

/// Text and detail of each cell.
fn rows_of(section: &Section, name: &str) -> Vec<Vec<(String, String)>> {
    let table = section.blocks.iter().find_map(|block| match block {
        Block::Table(table) if table.name == name => Some(table),
        _ => None,
    });
    let cells = |row: &report::document::Row| {
        row.cells.iter().map(|cell| (cell.text.clone(), cell.detail.clone())).collect::<Vec<_>>()
    };
    table.unwrap().rows.iter().map(cells).collect()
}

#[test]
fn a_short_report_has_every_table_on_disk_all_the_same() {
    let names = |profile: &str| {
        let folder = tempfile::tempdir().unwrap();
        let wanted = report::WriteOptions { formats: &["csv"], language: "en", is_strict: false };
        let written = report::write(&with_profile(profile).input(), folder.path(), &wanted).unwrap();
        let name = |path: &std::path::PathBuf| path.file_name().unwrap().to_string_lossy().into_owned();
        written.iter().map(name).collect::<std::collections::BTreeSet<_>>()
    };
    let (full, short) = (names("full"), names("summary"));
    assert!(full.len() > 20 && full.is_subset(&short), "{:?}", full.difference(&short));
}

fn text_of(block: &Block) -> Option<&str> {
    match block {
        Block::Paragraph { text, .. } => Some(text),
        _ => None,
    }
}

#[test]
fn a_profile_chooses_order_and_parts() {
    let fixture = with_profile("management");
    let document = report::document(&fixture.input(), "nl");
    assert_eq!(blocks(&document)[..2], ["summary", "introduction"]);
    assert!(!blocks(&document).contains(&"system"));
    assert_eq!(section(&document, "introduction").parts.len(), 3);
    for chapter in document.sections.iter().filter(|section| section.block == "results") {
        assert_eq!(chapter.parts.len(), 1);
    }
    // References within the page stay whole when chapters are left out.
    let html = report::html(&fixture.input(), "nl");
    for target in html.split("href=\"#").skip(1).map(|rest| rest.split('"').next().unwrap()) {
        assert!(html.contains(&format!(" id=\"{target}\"")), "`#{target}` leads nowhere");
    }
}

#[test]
fn conformance_says_where_each_demand_stands_and_what_is_not_answered() {
    let fixture = with_profile("folio");
    let document = report::document(&fixture.input(), "en");
    let conformance = section(&document, "conformance");
    let rows = rows(conformance);
    assert_eq!(rows.len(), 10);
    let load = section(&document, "load");
    let runs = document.tables().into_iter().find(|table| table.name == "runs").unwrap();
    let number = runs.caption.split_once(". ").unwrap().0;
    assert_eq!(rows[1][2], format!("{} ({number})", load.number), "{rows:?}");
    let times = document.sections.iter().filter(|section| section.block == "results");
    for chapter in times {
        let part = chapter.parts.iter().find(|part| part.anchor.ends_with("-times")).unwrap();
        assert!(rows[3][2].contains(&part.number), "{} in {}", part.number, rows[3][2]);
    }
    assert!(rows[4][2].starts_with("Not answered"), "the fixture compares nothing: {:?}", rows[4]);
    let unanswered = rows.iter().filter(|row| row[2].starts_with("Not answered")).count();
    let Block::Note { text, .. } = &conformance.blocks[1] else { panic!("no sum") };
    assert_eq!(text, &format!("Of 10 demands {} are answered and {unanswered} not.", 10 - unanswered));
}

/// A conclusion in the form of the national service platform: the same heads in every report, and each limit step by step
/// with the one that would have been kept.
#[test]
fn the_platforms_report_concludes_under_fixed_heads_with_each_limit_step_by_step() {
    let fixture = with_profile("nsp");
    let document = report::document(&fixture.input(), "en");
    let part = &section(&document, "conclusions").parts[0];
    assert_eq!(part.anchor, "conclusions-heads");
    let heads = part.blocks.iter().find_map(|block| match block {
        Block::Definitions(heads) => Some(heads),
        _ => None,
    });
    let heads = heads.unwrap();
    let names: Vec<&str> = heads.iter().map(|(name, _)| name.as_str()).collect();
    let fixed = ["Throughput", "Response time", "Processor", "Network I/O", "Memory", "Garbage collection"];
    assert_eq!(names[..6], fixed);
    assert_eq!(names[6..], ["Consumer lag", "Extrapolation"]);
    assert!(heads[0].1.starts_with("The highest throughput was "), "{heads:?}");
    let limited =
        "Required “95% below 250\u{a0}ms”, for each step and server: 1 undecided. At worst, 95% of calls took at most";
    assert!(heads[1].1.starts_with(limited), "{heads:?}");
    assert!(heads[2].1.contains(" went from ") && heads[2].1.contains("; the maximum was "), "{heads:?}");
    assert_eq!(heads[6].1, "Not monitored in this run.");
    // 3.2 % of 3150 calls took longer, and a limit at the 2993rd time would have been kept.
    let table = part.blocks.iter().find_map(|block| match block {
        Block::Table(table) if table.name == "limits-by-step" => Some(table),
        _ => None,
    });
    let row = &table.unwrap().rows[0];
    let texts: Vec<&str> = row.cells.iter().map(|cell| cell.text.as_str()).collect();
    assert_eq!(texts[..3], ["nominal", "lookup", "3,150"]);
    assert_eq!(row.cells[3].detail, "101 beyond (3.21%)");
    let mut times = terms::Histogram::new();
    let holds = fixture.views.steps.iter().filter(|step| step.title == "nominal" && step.phase == terms::Phase::Hold);
    let lookups = holds.flat_map(|step| &step.exchanges).filter(|exchange| exchange.name == "lookup");
    lookups.flat_map(|exchange| &exchange.legs).for_each(|leg| times.merge(leg.ok.times()));
    let kept = row.cells[3].raw.unwrap();
    let at = |ms: f64| terms::Nanos((ms * 1e6).round() as i64);
    let (below, _) = times.count_below(at(kept * 0.998));
    let (_, up_to) = times.count_below(at(kept * 1.001));
    assert!(below < 2993 && 2993 <= up_to, "{below} {up_to}");
    // Only where it is asked for.
    let full = report::document(&with_profile("full").input(), "en");
    assert!(section(&full, "conclusions").parts.iter().all(|part| part.anchor != "conclusions-heads"));
}

/// Where every hold was disturbed, no head says that something was zero, or that there was no hold.
#[test]
fn the_platforms_report_concludes_nothing_from_disturbed_holds() {
    let said = |fixture: &Fixture| -> Vec<String> {
        let document = report::document(&fixture.input(), "en");
        let part = &section(&document, "conclusions").parts[0];
        let heads = part.blocks.iter().find_map(|block| match block {
            Block::Definitions(heads) => Some(heads),
            _ => None,
        });
        heads.unwrap().iter().map(|(_, said)| said.clone()).collect()
    };
    let mut fixture = with_profile("nsp");
    // Where there is one scenario, its times are told.
    fixture.views.steps.retain(|step| step.scenario == 0);
    assert!(said(&fixture)[1].contains("on average, 90% within"));
    fixture.judgement.steps.iter_mut().for_each(|step| step.validity = Some(terms::Validity::Invalid));
    assert!(!said(&fixture)[1].contains("on average, 90% within"));
    let mut fixture = with_profile("nsp");
    fixture.judgement.steps.iter_mut().for_each(|step| step.validity = Some(terms::Validity::Invalid));
    let said = said(&fixture);
    assert_eq!(said[0], "No hold was measured undisturbed, so nothing is concluded about load.");
    let limited =
        "Required “95% below 250\u{a0}ms”: no scenario that it applies to was measured undisturbed, so nothing";
    assert!(said[1].starts_with(limited), "{said:?}");
    assert!(said[2].starts_with("Monitored, but no scenario was measured undisturbed, so nothing is"), "{said:?}");
    assert_eq!(said[6], "Not monitored in this run.");
}

#[test]
fn tables_named_in_conformance_have_those_numbers() {
    let fixture = with_profile("folio");
    let document = report::document(&fixture.input(), "da");
    for row in rows(section(&document, "conformance")) {
        for named in row[2].split('(').skip(1).map(|rest| rest.split(')').next().unwrap()) {
            let is_table = document.tables().iter().any(|table| table.caption.starts_with(&format!("{named}. ")));
            let is_figure = document.figures().iter().any(|figure| format!("Figur {}", figure.number) == named);
            assert!(is_table || is_figure, "{named}");
        }
    }
}

#[test]
fn an_own_profile_brings_its_words_and_its_demands() {
    let fixture = own("blocks: [ { block: load, title: { en: Runs, nl: Ritten } }, summary, methods ]\n\
         appendices: [ conformance, checks ]\n\
         terms: { page-figure: { en: Exhibit }, no-such-message: { en: x }, results-title: { en: \"Of { $scenario }\" } }\n\
         conformance:\n\
         - { id: \"7\", asks: { en: heap }, at: [], why_not: { en: there is no Java } }\n\
         - { id: \"8\", asks: { en: load }, at: load }\n");
    let document = report::document(&fixture.input(), "en");
    assert_eq!(blocks(&document), ["load", "summary", "methods", "conformance", "checks"]);
    assert_eq!(section(&document, "load").title, "Runs");
    let rows = rows(section(&document, "conformance"));
    assert_eq!(rows[0][2], "Not answered: there is no Java");
    assert!(rows[1][2].starts_with("1 (Table 1"), "{rows:?}");
    let html = report::html(&fixture.input(), "en");
    assert!(html.contains("Exhibit 1") && !html.contains("Figure 1<"));
    assert!(html.contains("no-such-message"), "a word that replaces nothing is stated");
}

#[test]
fn words_of_a_profile_are_text_and_no_markup() {
    let evil = "<script>alert(1)</script>{ $scenario }\u{202e}";
    let mut fixture = fixture();
    let mut profile = study::profile_from_text("own", "blocks: [ summary, results ]", report::BLOCKS).unwrap();
    profile.terms = vec![("results-title".into(), Text(vec![(String::new(), evil.into())]))];
    profile.name = evil.into();
    fixture.study.report.own_profile = Some(profile);
    let html = report::html(&fixture.input(), "en");
    assert_eq!(html.matches("<script").count(), 1);
    assert!(!html.contains('\u{202e}'));
    assert!(html.contains("&lt;/script&gt;nominal") || html.contains("&#60;/script&#62;nominal"));
}

#[test]
fn a_choice_of_blocks_keeps_the_order_of_the_profile() {
    let mut fixture = fixture();
    fixture.study.report.sections = vec!["methods".into(), "results".into(), "summary".into()];
    let document = report::document(&fixture.input(), "en");
    assert_eq!(blocks(&document), ["summary", "results", "results", "methods"]);
}

#[test]
fn history_and_comments_of_the_author_stand_where_they_belong() {
    let mut fixture = fixture();
    let text = |text: &str| Text(vec![(String::new(), text.to_owned())]);
    fixture.study.report.history = vec![study::HistoryEntry {
        version: "1.0".into(),
        date: "2026-11-01".into(),
        author: Some(text("A. Tester")),
        changes: Some(text("first issue")),
    }];
    fixture.study.report.comments = vec![
        ("conclusions.recommendations".into(), text("Scale out behind a balancer.")),
        ("nowhere".into(), text("Kept all the same.")),
    ];
    let document = report::document(&fixture.input(), "nl");
    let history: Vec<_> = document.title.facts.iter().filter(|(name, _)| name == "Documenthistorie").collect();
    assert_eq!(history[0].1, "1.0, 1 november 2026, A. Tester: first issue");
    let part = section(&document, "conclusions").parts.iter().find(|part| part.anchor.ends_with("-recommendations"));
    let is_marked = |block: &Block| matches!(block, Block::Note { text, .. } if text == "Van de auteur: Scale out behind a balancer.");
    assert!(part.unwrap().blocks.iter().any(is_marked));
    let author = format!("{:?}", section(&document, "author"));
    assert!(author.contains("Kept all the same.") && !author.contains("Scale out"));
}

#[test]
fn recommendations_stand_once_and_name_their_findings() {
    let fixture = fixture();
    for language in report::LANGUAGES {
        let document = report::document(&fixture.input(), language);
        let part =
            section(&document, "conclusions").parts.iter().find(|part| part.anchor.ends_with("-recommendations"));
        let rows = rows(part.unwrap());
        let mut texts: Vec<_> = rows.iter().map(|row| row[0].clone()).collect();
        texts.sort();
        let all = texts.len();
        texts.dedup();
        assert_eq!(texts.len(), all, "{language}");
        let named: Vec<&str> = rows.iter().flat_map(|row| row[1].split(", ")).collect();
        assert_eq!(named.len(), fixture.judgement.findings.len(), "{language}: {named:?}");
    }
}

#[test]
fn the_list_of_tables_is_that_of_the_files() {
    let fixture = fixture();
    let document = report::document(&fixture.input(), "en");
    let listed = rows(section(&document, "statistics"));
    let folder = tempfile::tempdir().unwrap();
    let wanted = report::WriteOptions { formats: &["csv"], language: "en", is_strict: false };
    report::write(&fixture.input(), folder.path(), &wanted).unwrap();
    assert!(listed.len() > 20);
    for row in listed {
        let lines = std::fs::read_to_string(folder.path().join(&row[0])).unwrap();
        assert!(lines.lines().count() > 1, "{}", row[0]);
    }
}

#[test]
fn what_the_author_states_stands_apart_from_what_was_captured() {
    let mut fixture = fixture();
    fixture.head.facts.push(("stated".into(), "broker_zones".into(), "three".into()));
    let document = report::document(&fixture.input(), "en");
    let environment = section(&document, "environment");
    let captured = rows(environment);
    assert!(captured.len() > 3 && captured.iter().flatten().all(|cell| cell != "three"), "{captured:?}");
    let part = environment.parts.iter().find(|part| part.anchor == "environment-stated").unwrap();
    assert!(matches!(&part.blocks[0], Block::Note { text, .. } if text.starts_with("The following was written by")));
    assert!(rows(part).contains(&vec!["broker zones".to_owned(), "three".to_owned()]));
    assert!(!format!("{:?}", section(&document, "setup")).contains("three"));
}

/// The process and the server in it may both say when they started, under the name of their instance.
#[test]
fn facts_of_one_name_are_held_against_their_own_end() {
    let mut fixture = fixture();
    let both =
        |second: &str| ["10:07:12", second].map(|at| ("records".to_owned(), "started".to_owned(), at.to_owned()));
    fixture.head.facts = both("10:07:13").into();
    fixture.head.facts_end = both("10:07:13").into();
    let document = report::document(&fixture.input(), "en");
    let found = rows(section(&document, "environment"));
    let ends: Vec<&str> = found.iter().filter(|row| row[1] == "Started").map(|row| row[3].as_str()).collect();
    assert_eq!(ends, ["unchanged", "unchanged"]);
    fixture.head.facts_end = both("11:30:00").into();
    let document = report::document(&fixture.input(), "en");
    let found = rows(section(&document, "environment"));
    let ends: Vec<&str> = found.iter().filter(|row| row[1] == "Started").map(|row| row[3].as_str()).collect();
    assert_eq!(ends, ["unchanged", "11:30:00"], "a restart that was is shown");
    // What is known of a process that only the first sample found is known at the end.
    fixture.head.facts.clear();
    let document = report::document(&fixture.input(), "en");
    let found = rows(section(&document, "environment"));
    let late: Vec<[&str; 2]> =
        found.iter().filter(|row| row[1] == "Started").map(|row| [row[2].as_str(), row[3].as_str()]).collect();
    assert_eq!(late, [["–", "10:07:12"], ["–", "11:30:00"]]);
}

/// A number without what it counts is read as requests.
#[test]
fn the_load_of_a_test_run_says_what_it_counts() {
    let fixture = fixture();
    for (language, iterations) in [("en", "iterations/s"), ("nl", "iteraties/s"), ("da", "iterationer/s")] {
        let document = report::document(&fixture.input(), language);
        let tables = document.tables();
        let runs = tables.iter().find(|table| table.name == "runs").unwrap();
        assert!(!runs.rows.is_empty());
        for row in &runs.rows {
            let load = &row.cells[2].text;
            assert!(load.ends_with(iterations) || !load.contains("/s"), "{language}: {load}");
        }
        assert!(runs.rows.iter().any(|row| row.cells[2].text.ends_with(iterations)));
    }
}

/// The monitor sees a quiet service through the ticks of a clock: one tick is many times its mean, and no spike.
#[test]
fn one_tick_of_a_quiet_service_is_no_spike() {
    let mut fixture = fixture();
    let assessed = |fixture: &crate::fixture::Fixture| {
        let document = report::document(&fixture.input(), "en");
        let figures = document.figures();
        figures.iter().find(|figure| figure.anchor == "fig-process-cpu-0").unwrap().assessment.clone()
    };
    let mut set = |tick: f64| {
        for view in fixture.views.metrics.iter_mut().filter(|view| view.monitor.metrics[view.metric].name == "cpu") {
            for (place, point) in view.points.iter_mut().enumerate() {
                point.1 = Some(if place == 60 { tick } else { 0.0 });
            }
        }
        assessed(&fixture)
    };
    let quiet = set(0.01);
    assert!(quiet.contains("above its mean") && !quiet.contains("times its mean"), "{quiet}");
    let busy = set(1.5);
    assert!(busy.contains("times its mean: it comes from single spikes"), "{busy}");
}
