//! The errors that the report on a messaging adapter made in its own words and numbers, as far as writing can make them:
//! S1.E7, E10, E12, E13, E14.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use crate::fixture::{Fixture, fixture as registry, messaging};
use judge::findings::{GeneratorLate, Given};
use judge::{Arg, Gravity};
use report::document::{Block, Document, Section};
use std::collections::BTreeSet;
use study::Text;
use terms::Verdict;

fn all<'a>(sections: &'a [Section], found: &mut Vec<&'a Section>) {
    for section in sections {
        found.push(section);
        all(&section.parts, found);
    }
}

fn sections(document: &Document) -> Vec<&Section> {
    let mut found = Vec::new();
    all(&document.sections, &mut found);
    found
}

fn section<'a>(document: &'a Document, anchor: &str) -> &'a Section {
    sections(document).into_iter().find(|section| section.anchor == anchor).unwrap_or_else(|| panic!("no `{anchor}`"))
}

fn paragraphs(section: &Section) -> Vec<String> {
    let text = |block: &Block| match block {
        Block::Paragraph { text, .. } => Some(text.clone()),
        _ => None,
    };
    section.blocks.iter().filter_map(text).collect()
}

/// What is concluded of each scenario: in its chapter, or in that of all conclusions.
fn concluded_of(document: &Document) -> Vec<String> {
    let is_concluding = |section: &&Section| section.anchor.ends_with("-conclusion") || section.anchor == "conclusions";
    sections(document).into_iter().filter(is_concluding).flat_map(paragraphs).collect()
}

/// S1.E7: "the p90 is lower than the maximum, so the system can process messages" is true of any data. Every sentence
/// of the conclusions that says how it went says something else where the verdicts are others.
#[test]
fn a_conclusion_says_something_else_when_its_check_fails() {
    for language in report::LANGUAGES {
        let concluded = |verdict: Verdict| {
            let mut run = messaging();
            run.judgement.requirements.iter_mut().for_each(|result| result.verdict = verdict);
            let document = report::document(&run.input(), language);
            let lead = paragraphs(section(&document, "summary")).remove(0);
            let mut said = concluded_of(&document);
            said.push(lead);
            said
        };
        let said = [Verdict::Met, Verdict::NotMet, Verdict::CannotTell].map(concluded);
        assert_eq!(said[0].len(), 3, "two scenarios, and the summary's: {:?}", said[0]);
        for (one, other) in [(0, 1), (0, 2), (1, 2)] {
            let same: Vec<_> = said[one].iter().filter(|text| said[other].contains(text)).collect();
            assert!(same.is_empty(), "{language}: said whatever the verdicts are: {same:?}");
        }
        // What is not met is named with what was measured and its limit.
        assert!(
            said[1].iter().any(|text| text.contains("stored ("))
                && !said[0].iter().any(|text| text.contains("stored ("))
        );
    }
}

/// S1.E7: where nothing was required and nothing found, nothing is concluded but that.
#[test]
fn without_a_check_there_is_no_conclusion() {
    let mut run = messaging();
    run.judgement.requirements.clear();
    run.judgement.findings.clear();
    let document = report::document(&run.input(), "en");
    let lead = paragraphs(section(&document, "summary")).remove(0);
    assert!(lead.contains("states no requirement"), "{lead}");
    let said = concluded_of(&document);
    assert_eq!(said.len(), 2);
    for text in said {
        assert!(text.contains("No requirement"), "{text}");
    }
    assert!(report::html(&run.input(), "en").contains("No rule found anything that calls for action"));
}

/// Why a run is not valid is told at its end: by the finding that says so, or by the sign itself where none does.
#[test]
fn a_sign_is_told_unless_a_finding_tells_it() {
    let mut run = registry();
    run.judgement.signs = vec![judge::Sign {
        code: "lateness".into(),
        scope: "run".into(),
        state: judge::WireValidity::Questionable,
        value: Some(judge::Arg::Milliseconds(3.0)),
        questionable: Some(judge::Arg::Milliseconds(1.0)),
        invalid: Some(judge::Arg::Milliseconds(10.0)),
        args: judge::Args::new(),
    }];
    run.judgement.findings.clear();
    let told = report::reason_lines(&run.input());
    assert!(told.len() == 1 && told[0].contains("started late"), "{told:?}");
    let found = judge::Finding {
        id: "F1".into(),
        severity: Gravity::Warning,
        scope: "run".into(),
        found: GeneratorLate { lateness: Arg::Milliseconds(3.0), limit: Given(Arg::Milliseconds(1.0)) }.into(),
        spans: Vec::new(),
        evidence: Vec::new(),
    };
    run.judgement.findings.push(found);
    assert_eq!(report::reason_lines(&run.input()), Vec::<String>::new());
}

/// S1.E7: what only informs asks for nothing, so no advice is given whatever the run was like.
#[test]
fn what_only_informs_is_no_recommendation() {
    let mut run = registry();
    let has_any = |run: &Fixture| {
        report::document(&run.input(), "en").tables().iter().any(|table| table.name == "recommendations")
    };
    assert!(has_any(&run));
    run.judgement.findings.iter_mut().for_each(|finding| finding.severity = Gravity::Info);
    assert!(!has_any(&run));
}

/// S1.E7: an assessment that a figure has whatever it shows decides nothing. Those of the catalogue come in two
/// variants at least; only what a rule's finding has drawn has one.
#[test]
fn an_assessment_can_be_another_one() {
    let catalogue = include_str!("../../messages/en.ftl");
    let keys = catalogue.lines().filter_map(|line| line.split_once(" =")).map(|(key, _)| key);
    let means: Vec<&str> = keys.filter(|key| key.starts_with("fig-") && key.contains("-means")).collect();
    assert!(means.len() > 50);
    let kinds: BTreeSet<&str> = means.iter().map(|key| &key[..key.find("-means").unwrap()]).collect();
    let single =
        kinds.iter().filter(|kind| means.iter().filter(|key| key.starts_with(&format!("{kind}-means"))).count() < 2);
    // Drawn where the rule STALL found a period, and nowhere else.
    assert_eq!(single.collect::<Vec<_>>(), [&"fig-folded"]);
}

/// How often a word stands in a text, not as a part of a longer one.
fn count(text: &str, word: &str) -> usize {
    text.matches(word).count()
}

/// S1.E10: memory was 1 GB in the table and 4 GB in the text. A value of the environment comes from what was captured,
/// wherever it is printed; with another capture each of its places has the other value.
#[test]
fn a_value_of_the_environment_has_one_source_wherever_it_stands() {
    let mut run = messaging();
    let told = |run: &Fixture| report::html(&run.input(), "nl");
    let before = told(&run);
    let places = [count(&before, "15,5 GiB"), count(&before, "MariaDB 10.11.6"), count(&before, "4,00\u{a0}GiB")];
    assert!(places.iter().all(|places| *places >= 1) && places[0] >= 2, "{places:?}");
    for (name, value) in [("memory", "31.25 GiB"), ("server", "MariaDB 11.4.2"), ("memory limit", "1073741824 bytes")] {
        run.head.facts.iter_mut().filter(|(_, known, _)| known == name).for_each(|fact| value.clone_into(&mut fact.2));
    }
    let after = told(&run);
    let now = [count(&after, "31,25 GiB"), count(&after, "MariaDB 11.4.2"), count(&after, "1,00\u{a0}GiB")];
    assert_eq!(now, places, "every place follows");
    for old in ["15,5", "15.5", "10.11.6", "4,00\u{a0}GiB", "4294967296"] {
        assert!(!after.contains(&format!(">{old}")) && !after.contains(&format!(" {old}")), "`{old}` is left");
    }
}

/// S1.E10: the number of the generator's threads is told in the set-up, beside its clean bill and in the topology, and
/// is the same everywhere.
#[test]
fn the_generator_has_one_number_of_threads() {
    let mut run = messaging();
    run.head.workers = 7;
    let html = report::html(&run.input(), "en");
    let words: Vec<&str> = html.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).collect();
    let told: Vec<&str> = words
        .windows(2)
        .filter(|pair| matches!(pair[1], "threads" | "thread") && pair[0].bytes().all(|byte| byte.is_ascii_digit()))
        .map(|pair| pair[0])
        .collect();
    assert!(told.len() >= 2 && told.iter().all(|number| *number == "7"), "{told:?}");
}

/// Every text of a block that a reader sees, but for tables and figures.
fn words(block: &Block) -> String {
    match block {
        Block::Paragraph { text, .. } | Block::Note { text, .. } => text.clone(),
        Block::Points(points) => points.join("\n"),
        Block::Finding { observation, assessment, .. } => format!("{observation}\n{assessment}"),
        Block::Validity { text, reasons, .. } => format!("{text}\n{}", reasons.join("\n")),
        Block::Definitions(all) => all.iter().map(|(term, text)| format!("{term}: {text}\n")).collect(),
        _ => String::new(),
    }
}

/// S1.E12: "production will be several times better" was not measured. What the author expects is labelled as such, and
/// no verdict, finding or conclusion is another one for it.
#[test]
fn an_expectation_is_labelled_and_outside_the_verdict() {
    const EXPECTED: &str = "Production will be several times faster";
    let plain = messaging();
    let mut run = messaging();
    run.study.report.expectations = vec![Text(vec![("en".into(), EXPECTED.into())])];
    for (language, label) in [
        ("en", "Expected, but not part of the verdict: "),
        ("nl", "Verwacht, en buiten het oordeel: "),
        ("da", "Forventet"),
    ] {
        let document = report::document(&run.input(), language);
        let told: Vec<String> = sections(&document)
            .iter()
            .flat_map(|section| &section.blocks)
            .flat_map(|block| words(block).lines().map(str::to_owned).collect::<Vec<_>>())
            .filter(|line| line.contains(EXPECTED))
            .collect();
        assert_eq!(told.len(), 1, "{language}: {told:?}");
        assert!(told[0].starts_with(label), "{language}: {}", told[0]);
        assert!(document.tables().iter().all(|table| !format!("{:?}", table.rows).contains(EXPECTED)));
        let without = report::document(&plain.input(), language);
        for chapter in ["summary", "conclusions"] {
            let of = |document: &Document| paragraphs(section(document, chapter));
            assert_eq!(of(&document), of(&without), "{language} {chapter}");
        }
    }
    assert_eq!(report::result_json(&run.input()), report::result_json(&plain.input()));
}

/// S1.E12: nor does a sentence of our own promise what other hardware would do.
#[test]
fn no_sentence_of_ours_promises_other_hardware() {
    let mut run = messaging();
    run.head.shares_machine = true;
    let html = report::html(&run.input(), "en");
    assert!(html.contains("on separate machines was not measured"));
    for promise in ["will be faster", "will be better", "may be shorter", "several times better"] {
        assert!(!html.contains(promise), "{promise}");
    }
}

/// S1.E13: requirements were numbered 1, 1, 2, 3, and one figure had no number. Numbers are given by us: chapters,
/// tables, figures and requirements in order, none left out and none twice, in each language and form.
#[test]
fn everything_that_is_numbered_is_numbered_once() {
    let runs = [messaging(), registry()];
    for (run, language) in runs.iter().flat_map(|run| report::LANGUAGES.map(|language| (run, language))) {
        let document = report::document(&run.input(), language);
        let mut chapters = BTreeSet::new();
        for section in sections(&document) {
            assert!(!section.number.is_empty() && chapters.insert(section.number.clone()), "{}", section.number);
        }
        let (mut figures, mut tables) = (0, 0);
        let open = sections(&document).into_iter().filter(|section| !section.is_folded);
        for block in open.flat_map(|section| &section.blocks) {
            match block {
                // What is folded is not printed, and so has no number.
                Block::Folded(_) => {}
                Block::Figure(figure) => {
                    figures += 1;
                    assert_eq!(figure.number, figures.to_string(), "{}", figure.anchor);
                }
                Block::Table(table) => {
                    tables += 1;
                    let (word, rest) = table.caption.split_once(' ').unwrap();
                    assert!(["Table", "Tabel"].contains(&word) && rest.starts_with(&format!("{tables}. ")), "{rest}");
                }
                _ => {}
            }
        }
        assert!(figures > 10 && tables > 10);
        let html = report::html(&run.input(), language);
        let captions = html.split("<caption").skip(1).filter(|rest| {
            let text: String = rest.chars().take(120).collect();
            ["Table ", "Tabel "].iter().any(|word| text.contains(word))
        });
        assert_eq!(captions.count(), tables, "{language}: each table of the page has its caption with a number");
        let is_drawn = |block: &&Block| matches!(block.inner(), Block::Figure(_));
        let drawn = sections(&document).iter().flat_map(|section| &section.blocks).filter(is_drawn).count();
        assert_eq!(html.split("<figcaption").count() - 1, drawn, "{language}");
    }
}

/// S1.E13: the list of requirements, by number; one that has two weights has a letter for each.
#[test]
fn requirements_are_numbered_in_their_list() {
    let mut run = messaging();
    let mut other = run.judgement.requirements[0].clone();
    other.severity = terms::Severity::Informative;
    other.scope = "peak/hold".into();
    run.judgement.requirements.push(other);
    let document = report::document(&run.input(), "nl");
    let tables = document.tables();
    let list = tables.iter().find(|table| table.name == "criteria").unwrap();
    let numbers: Vec<(&str, &str)> =
        list.rows.iter().map(|row| (row.cells[0].text.as_str(), row.cells[1].text.as_str())).collect();
    let distinct: BTreeSet<&str> = numbers.iter().map(|(number, _)| *number).collect();
    assert_eq!(distinct.len(), numbers.len(), "{numbers:?}");
    let first = run.judgement.requirements[0].id.as_str();
    let own: Vec<&str> = numbers.iter().filter(|(_, id)| *id == first).map(|(number, _)| *number).collect();
    assert_eq!(own, ["1a", "1b"]);
    // Without their letters they count from one without a gap.
    let plain: BTreeSet<usize> =
        numbers.iter().map(|(number, _)| number.trim_end_matches(char::is_alphabetic).parse().unwrap()).collect();
    assert_eq!(plain, (1..=plain.len()).collect());
}

/// S1.E14: only Pings were sent, and nothing said that no payload, signature or acknowledgment was. Every feature that a
/// driver knows is printed with whether it was exercised, and those that were not stand in the summary, also where the
/// study cannot be read and its author said nothing.
#[test]
fn features_that_are_not_exercised_are_printed() {
    for language in report::LANGUAGES {
        let run = messaging();
        let silent = report::Input { study: None, ..run.input() };
        for input in [run.input(), silent] {
            let document = report::document(&input, language);
            let tables = document.tables();
            let table = tables.iter().find(|table| table.name == "features").unwrap();
            assert_eq!(table.rows.len(), run.head.features.len());
            let points: String = section(&document, "not-shown").blocks.iter().map(words).collect();
            for (feature, row) in run.head.features.iter().zip(&table.rows) {
                assert_eq!(row.is_strong, feature.is_exercised);
                let name = &row.cells[1].text;
                assert_eq!(points.contains(name.as_str()), !feature.is_exercised, "{language}: {name} in {points}");
            }
            let words: BTreeSet<&str> = table.rows.iter().map(|row| row.cells[2].text.as_str()).collect();
            assert_eq!(words.len(), 2, "exercised and not exercised are two words: {words:?}");
        }
    }
}

/// S1.E14: what another exchange of the same study does is exercised.
#[test]
fn a_feature_that_one_exchange_exercises_is_not_missing() {
    let mut run = messaging();
    let mut other = run.head.features.iter().find(|feature| feature.name == "payload").unwrap().clone();
    other.exchange = "order".into();
    other.is_exercised = true;
    run.head.features.push(other);
    let document = report::document(&run.input(), "en");
    let points: String = section(&document, "not-shown").blocks.iter().map(words).collect();
    assert!(points.contains("signature") && !points.contains("exercised: payload"), "{points}");
}
