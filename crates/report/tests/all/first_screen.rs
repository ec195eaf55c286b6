//! What a reader must see first, once and in one place: what was set, each requirement by its worst place, each finding.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use crate::fixture::{Fixture, fixture, messaging};
use report::document::{Block, Document, Section, Table};
use terms::{Nanos, Verdict};

fn standard(mut fixture: Fixture) -> Document {
    fixture.study.report.profile = "standard".to_owned();
    report::document(&fixture.input(), "en")
}

fn said(section: &Section) -> Vec<&str> {
    let mut said = Vec::new();
    for block in &section.blocks {
        if let Block::Paragraph { text, .. } | Block::Note { text, .. } = block {
            said.push(text.as_str());
        }
    }
    said
}

fn table<'a>(document: &'a Document, name: &str) -> &'a Table {
    document.tables().into_iter().find(|table| table.name == name).unwrap_or_else(|| panic!("no table `{name}`"))
}

#[test]
fn what_was_set_for_the_run_is_on_the_first_screen() {
    let mut set = fixture();
    set.head.instances[0].faults = vec![("delay".into(), "60ms".into()), ("leak".into(), "0 B".into())];
    set.head.set = vec![("delay".into(), "60ms".into()), ("rate".into(), "30/s".into())];
    set.head.steps[5].variables = [("clerks".to_owned(), "8".to_owned())].into();
    for profile in ["standard", "full"] {
        set.study.report.profile = profile.to_owned();
        let document = report::document(&set.input(), "en");
        let first = said(&document.sections[0]);
        let has =
            |wanted: &str| assert!(first.iter().any(|text| text.contains(wanted)), "{profile}: {wanted}: {first:?}");
        has("gateway: delay = 60ms; storage.1: stall = every 90s for 3s.");
        has("Set on the command line: rate = 30/s. Set by scenario: clerks: clerks = 8.");
    }
    let html = report::html(&set.input(), "da");
    assert!(html.contains("Sat på kommandolinjen: rate = 30/s."));
    assert_eq!(report::result_json(&set.input()).matches("\"rate\": \"30/s\"").count(), 1);
    set.head.set.clear();
    set.head.steps[5].variables.clear();
    set.head.instances.iter_mut().for_each(|instance| instance.faults.clear());
    let document = standard(set);
    let first = said(&document.sections[0]);
    assert!(!first.iter().any(|text| text.contains("Set ") || text.contains("Faults")), "{first:?}");
}

/// Programs get a fault of several values as one word; readers get it as the study has it.
#[test]
fn a_fault_of_several_values_is_told_as_the_study_has_it() {
    let mut set = fixture();
    let node = |text: &str| contract::Node::text_at(contract::Place::default(), text);
    let entries = ["every", "for", "replica"].map(|key| (node(key), node("1"))).to_vec();
    let map = contract::Node { place: contract::Place::default(), shape: contract::Shape::Map(entries) };
    set.study.system.instances[0].faults = vec![("stall".into(), map), ("delay".into(), node("of:60ms"))];
    let given = [("stall", "every:90s,for:3s"), ("delay", "of:60ms")];
    set.head.instances[0].faults = given.map(|(name, value)| (name.to_owned(), value.to_owned())).to_vec();
    set.study.report.profile = "full".to_owned();
    let html = report::html(&set.input(), "en");
    assert_eq!(html.matches("stall = { every: 90s, for: 3s }, delay = of:60ms").count(), 2);
    // What the program got is not what the study has.
    set.head.instances[0].faults[0].1 = "every:90s".into();
    assert!(report::html(&set.input(), "en").contains("stall = every:90s, delay"));
}

#[test]
fn a_requirement_has_one_row_that_of_its_worst_place() {
    let mut many = fixture();
    let like = many.judgement.requirements.iter().find(|result| result.id == "lookup_p99").unwrap().clone();
    let place = |scope: &str, value: f64, verdict| judge::RequirementResult {
        scope: scope.into(),
        value: Some(value),
        verdict,
        ..like.clone()
    };
    many.judgement.requirements = vec![
        place("nominal/hold", 1200.0, Verdict::NotMet),
        place("nominal/again", 1650.0, Verdict::NotMet),
        place("clerks/hold", 400.0, Verdict::Met),
    ];
    let document = standard(many);
    let rows = &table(&document, "verdicts").rows;
    assert_eq!(rows.len(), 1, "{rows:?}");
    assert_eq!(rows[0].cells[2].raw, Some(1650.0));
    assert_eq!(
        (rows[0].cells[5].text.as_str(), rows[0].cells[5].detail.as_str()),
        ("nominal/again", "worst of 3 places: 1 met, 2 not met")
    );
    assert_eq!(table(&document, "verdicts-each").rows.len(), 3, "none is lost");
    let lead = said(&document.sections[0])[0];
    assert!(
        lead.contains("lookup_p99 (nominal/again and one other place): 1.65\u{a0}s against a limit of 1\u{a0}s"),
        "{lead}"
    );
}

/// A fall is as far from steady as a rise.
#[test]
fn the_worst_place_of_a_steady_value_is_where_it_moved_furthest() {
    let mut many = fixture();
    let like = many.judgement.requirements.iter().find(|result| result.id == "lookup_p99").unwrap().clone();
    let place = |scope: &str, value: f64| judge::RequirementResult {
        rule: "steady(host.cpu)".into(),
        scope: scope.into(),
        value: Some(value),
        limit: Some(0.1),
        unit: "share".into(),
        verdict: Verdict::CannotTell,
        ..like.clone()
    };
    many.judgement.requirements = vec![place("nominal/hold", 0.0511), place("clerks/hold", -0.0957)];
    let document = standard(many);
    assert_eq!(table(&document, "verdicts").rows[0].cells[5].text, "clerks/hold");
}

#[test]
fn each_finding_has_one_card() {
    let mut fixture = fixture();
    for profile in report::profile_names() {
        fixture.study.report.profile = profile.to_owned();
        let document = report::document(&fixture.input(), "en");
        let mut ids = Vec::new();
        for section in &document.sections {
            collect(section, &mut ids);
        }
        let all = ids.len();
        ids.sort();
        ids.dedup();
        assert_eq!(ids.len(), all, "{profile}: {ids:?}");
    }
}

fn collect(section: &Section, ids: &mut Vec<String>) {
    let own = section.blocks.iter().filter_map(|block| match block {
        Block::Finding { id, .. } => Some(id.clone()),
        _ => None,
    });
    ids.extend(own);
    section.parts.iter().for_each(|part| collect(part, ids));
}

/// What every section says, one after another.
fn all<'a>(section: &'a Section, texts: &mut Vec<&'a str>) {
    texts.extend(said(section));
    section.parts.iter().for_each(|part| all(part, texts));
}

/// The first reading within a scenario comes when replies have come: those before it belong to it, too.
#[test]
fn what_the_listeners_took_begins_before_their_first_reading() {
    let mut case = messaging();
    let length = case.views.end.second() / 2;
    let count = |half: i64, second: i64| (half * 500 + (49 + 10 * second).min(500)) as f64;
    let points: Vec<(Nanos, Option<f64>)> = (0..2 * length)
        .map(|second| (Nanos(second * 1_000_000_000 + 500_000_000), Some(count(second / length, second % length))))
        .collect();
    let is_counted = |view: &&mut judge::views::MetricView| {
        let name = view.monitor.metrics[view.metric].name.as_str();
        view.monitor.kind == "listeners" && ["requests", "handed"].contains(&name)
    };
    case.views.metrics.iter_mut().filter(is_counted).for_each(|view| view.points.clone_from(&points));
    let document = report::document(&case.input(), "en");
    let mut texts = Vec::new();
    document.sections.iter().for_each(|section| all(section, &mut texts));
    let told: Vec<&str> = texts.into_iter().filter(|text| text.starts_with("The lab’s listeners received")).collect();
    assert_eq!(told.len(), 2, "{told:?}");
    for told in &told {
        assert!(told.contains("received 500 requests: 500 for an open exchange"), "{told}");
    }
    assert!(told[1].contains("more replies came after the last reading"), "the books have more: {}", told[1]);
}
