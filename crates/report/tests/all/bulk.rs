//! The chapter on work in bulk: units, time and rates, each in a column of its own.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use crate::fixture::{Fixture, fixture};
use judge::Scope;
use judge::bulk::{Bulk, Carried, Through, WorkingRate};
use report::document::{Document, Table};

fn with(working: Option<WorkingRate>) -> Fixture {
    let mut fixture = fixture();
    let carried = |units: f64, bytes: f64| Carried { units, seconds: 1862.901, bytes, working };
    fixture.judgement.bulks = vec![Bulk {
        scope: Scope::whole("articles"),
        scenario: "articles".into(),
        exchange: "publish".into(),
        unit: "events".into(),
        accepted: carried(16_753_779.0, 16_753_779.0 * 3500.0),
        through: vec![Through {
            leg: "durable".into(),
            counted_by: "store.rows".into(),
            carried: carried(16_700_000.0, 0.0),
            left: Some(53_779.0),
            drained_s: Some(6.2),
        }],
    }];
    fixture.study.report.profile = "bulk".into();
    fixture
}

fn table(document: &Document, name: &str) -> Table {
    document.tables().into_iter().find(|table| table.name == name).unwrap().clone()
}

fn texts(table: &Table, row: usize) -> Vec<&str> {
    table.rows[row].cells.iter().map(|cell| cell.text.as_str()).collect()
}

#[test]
fn events_time_and_mean_rate_stand_beside_the_rate_between_stalls() {
    let working = WorkingRate { per_s: 10_400.0, interval: (10_100.0, 10_700.0), duty: 0.86, stalls: 41 };
    let document = report::document(&with(Some(working)).input(), "en");
    let bulk = table(&document, "bulk");
    // The published figure has ten digits; three carry it.
    let accepted = texts(&bulk, 0);
    assert_eq!(&accepted[..6], ["articles", "events accepted by publish", "16,753,779", "1,860", "8,990", "31.5"]);
    assert_eq!(&accepted[6..], ["10,400", "86.0"]);
    assert_eq!(bulk.rows[0].cells[7].detail, "41 stalls");
    assert_eq!(texts(&bulk, 1)[1], "durable, by store.rows");
    let left = table(&document, "bulk-left");
    assert_eq!(texts(&left, 0), ["articles", "publish.durable", "53,779", "6.20\u{a0}s"]);
    let chapter = document.sections.iter().find(|section| section.block == "bulk").unwrap();
    let report::document::Block::Paragraph { text, .. } = &chapter.blocks[0] else { panic!("{chapter:#?}") };
    assert!(text.contains("8,990/s on average") && text.contains("86.0% of the time"), "{text}");
}

#[test]
fn a_time_too_short_for_a_rate_between_stalls_says_so_in_every_language() {
    for (language, wanted) in [("en", "too short"), ("nl", "te kort"), ("da", "for kort")] {
        let document = report::document(&with(None).input(), language);
        let bulk = table(&document, "bulk");
        assert!(bulk.notes.iter().any(|note| note.contains(wanted)), "{language}: {:?}", bulk.notes);
        assert_eq!(bulk.rows[0].cells.len(), 8);
    }
}
