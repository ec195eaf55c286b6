//! The chapter on capacity: the line, the ladder, volumes as they were computed; the inventory marked as stated.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod judged;

use crate::fixture::Fixture;
use study::Inventory;

/// The fixture with something to say about capacity.
pub(crate) fn fixture() -> Fixture {
    let mut fixture = crate::fixture::fixture();
    fixture.judgement.capacity = judged::capacity();
    fixture.judgement.ladders = judged::ladders();
    fixture
}

fn html(language: &str) -> String {
    report::html(&fixture().input(), language)
}

#[test]
fn the_volume_is_printed_as_the_expression_that_was_computed() {
    let page = html("en");
    assert!(page.contains("103.9/s × 3600 s/h × 24 h × 7 d"), "the expression");
    assert!(page.contains("62,838,720 (62.84 million)"), "digits beside the word");
    let dutch = html("nl");
    assert!(dutch.contains("62.838.720 (62,84 miljoen)"));
    assert!(html("da").contains("62.838.720 (62,84 millioner)"));
    // Who reads the summary alone has it, too; what was refused is not in it.
    let (summary, _) = page.split_once("id=\"key-findings\"").unwrap();
    assert!(summary.contains("62,838,720 (62.84 million), computed as 103.9/s"), "the summary");
    assert_eq!(summary.matches("computed as").count(), 1);
    // The refused one shows its reason and no number.
    assert!(page.contains("The requirement fast is not met at this rate"));
}

#[test]
fn the_healthiest_step_is_named_with_its_figures_and_the_others_with_why_they_are_not() {
    let page = html("en");
    for said in [
        "browse: the healthiest of 3 steps is browse/hold 2, at 20.0/s, with 19.8/s.",
        "It passed in 3 of 3 repetitions. With a confidence of 95",
        "Required of each step: fast; mean(host.cpu) ",
        "fast was not met: 61.0\u{a0}ms, limit 50\u{a0}ms (in 2 of 3 repetitions)",
        "no headroom: host.cpu of local was at 95.3%",
        "it passed, but with less than 19.8/s",
        "Its hold was too short to show memory growth.",
        "write (rate 5/s): its only step did not pass everything",
        "whether fast was met is undecided",
    ] {
        assert!(page.contains(said), "{said}");
    }
    let (summary, _) = page.split_once("id=\"key-findings\"").unwrap();
    assert!(summary.contains("the healthiest of 3 steps is browse/hold 2"), "the summary has it, too");
    for (language, said) in [("nl", "de gezondste van 3 stappen is"), ("da", "det sundeste af 3 trin er")] {
        assert!(html(language).contains(said), "{language}");
    }
    let value: serde_json::Value = serde_json::from_str(&report::result_json(&fixture().input())).unwrap();
    let found = &value["capacity"]["healthiest"];
    assert_eq!((&found[0]["best"], &found[1]["best"]), (&"browse/hold 2".into(), &serde_json::Value::Null));
    assert_eq!(found[0]["steps"][2]["lost"][0]["repetitions"], serde_json::json!([1, 2]));
    assert_eq!(found[1]["row"]["rate"], "5/s");
}

#[test]
fn a_short_report_has_the_healthiest_step_and_no_more_of_the_chapter() {
    let mut fixture = fixture();
    fixture.study.report.profile = "standard".into();
    let page = report::html(&fixture.input(), "en");
    assert!(page.contains("id=\"capacity-healthiest\"") && !page.contains("id=\"capacity-limits\""));
    fixture.judgement.capacity.healthiest.clear();
    assert!(!report::html(&fixture.input(), "en").contains("id=\"capacity\""), "without one there is no chapter");
}

#[test]
fn the_ladder_says_likely_and_never_caused() {
    let page = html("en");
    assert!(page.contains("a saturated resource is a likely limit"));
    assert!(page.contains("host.cpu of local was at 95.3%"));
    assert!(page.contains("no limit was observed"));
    assert!(!page.to_lowercase().contains("caused by"));
}

#[test]
fn the_capacity_line_is_an_interval() {
    let page = html("en");
    assert!(page.contains("the capacity lies between 20.0/s"), "what held and what did not");
    assert!(page.contains("no load was shown to hold and none to fail"));
    assert!(page.contains("fig-capacity-0"), "two loads and more have a figure");
    assert!(!page.contains("fig-capacity-1"), "one load has none");
}

#[test]
fn the_result_for_programs_has_it_too() {
    let value: serde_json::Value = serde_json::from_str(&report::result_json(&fixture().input())).unwrap();
    assert_eq!(value["capacity"]["lines"][0]["says"], "between");
    assert_eq!(value["capacity"]["volumes"][0]["value"], 62_838_720.0);
    assert_eq!(value["capacity"]["volumes"][1]["refused"]["code"], "not_met");
    assert_eq!(value["bottlenecks"][0]["observed"], "resource");
    assert!(value["bottlenecks"][1]["observed"].is_null());
}

#[test]
fn an_inventory_is_marked_as_stated_and_held_against_what_was_captured() {
    let mut fixture = fixture();
    assert!(!report::html(&fixture.input(), "en").contains("Components of the system"));
    fixture.head.facts.clear();
    fixture.study.system.inventory = Some(Inventory {
        file: "data/modules.csv".into(),
        columns: vec!["module".into(), "xmx".into()],
        rows: vec![vec!["<b>gateway</b>".into(), "512".into()], vec!["records".into(), String::new()]],
        ..Inventory::default()
    });
    let page = report::html(&fixture.input(), "en");
    assert!(page.contains("stated by the author"));
    assert!(
        page.contains("&lt;b&gt;gateway&lt;/b&gt;") || page.contains("&#60;b&#62;gateway"),
        "cells are hostile input"
    );
    assert!(page.contains("Nothing was captured from the running processes"));
    let name = fixture.head.instances[0].name.clone();
    fixture.head.facts.push((name, "xmx".into(), "480m".into()));
    assert!(report::html(&fixture.input(), "en").contains("480m"));
}
