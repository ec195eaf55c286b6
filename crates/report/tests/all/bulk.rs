//! The chapter on work in bulk: units, time and rates, each in a column of its own.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use crate::fixture::{Fixture, fixture};
use judge::Scope;
use judge::bulk::{Bulk, Carried, Through, WorkingRate};
use record::{MetricHead, MonitorHead};
use report::document::{Document, Table};
use std::ops::Range;
use terms::Nanos;

fn with(working: Option<WorkingRate>) -> Fixture {
    let mut fixture = fixture();
    let carried = |units: f64, bytes: f64| Carried { units, seconds: 1862.901, bytes, working: working.clone() };
    fixture.judgement.bulks = vec![Bulk {
        scope: Scope::step("articles", "hold", Some(2)),
        scenario: "articles".into(),
        exchange: "publish".into(),
        unit: "events".into(),
        begun: 400,
        planned: Some(400),
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

/// So many stalls, of two seconds in ten.
fn stalls(count: i64) -> Vec<Range<Nanos>> {
    (0..count).map(|turn| Nanos::from_secs(10 * turn)..Nanos::from_secs(10 * turn + 2)).collect()
}

fn table(document: &Document, name: &str) -> Table {
    document.tables().into_iter().find(|table| table.name == name).unwrap().clone()
}

fn texts(table: &Table, row: usize) -> Vec<&str> {
    table.rows[row].cells.iter().map(|cell| cell.text.as_str()).collect()
}

#[test]
fn events_time_and_mean_rate_stand_beside_the_rate_between_stalls() {
    let working =
        WorkingRate { per_s: 10_400.0, interval: (10_100.0, 10_700.0), duty: 0.86, lost: 0.135, stalls: stalls(41) };
    let document = report::document(&with(Some(working)).input(), "en");
    let bulk = table(&document, "bulk");
    // The published figure has ten digits; three carry it.
    let accepted = texts(&bulk, 0);
    assert_eq!(
        &accepted[..6],
        ["articles/hold#2", "events accepted by publish", "16,753,779", "1,860", "8,990", "31.5"]
    );
    assert_eq!(&accepted[6..], ["10,400", "86.0"]);
    assert_eq!(bulk.rows[0].cells[7].detail, "41 stalls");
    assert_eq!(texts(&bulk, 1)[1], "durable, by store.rows");
    let left = table(&document, "bulk-left");
    assert_eq!(texts(&left, 0), ["articles/hold#2", "publish.durable", "53,779", "6.20\u{a0}s"]);
    let chapter = document.sections.iter().find(|section| section.block == "bulk").unwrap();
    let report::document::Block::Paragraph { text, .. } = &chapter.blocks[0] else { panic!("{chapter:#?}") };
    assert!(text.starts_with("articles/hold#2: 16,753,779 events"), "{text}");
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

/// When a scenario of the fixture began, and when it ended.
fn span_of(fixture: &Fixture, title: &str) -> (Nanos, Nanos) {
    let own = || fixture.views.steps.iter().filter(move |step| step.title == title);
    (own().map(|step| step.from).min().unwrap(), own().map(|step| step.to).max().unwrap())
}

/// A watched level, or count, of something stored.
fn stored(name: &str, kind: &str, unit: &str, points: &[(Nanos, f64)]) -> judge::views::MetricView {
    judge::views::MetricView {
        monitor: MonitorHead {
            name: "db".into(),
            kind: "sql".into(),
            metrics: vec![MetricHead {
                name: name.into(),
                unit: unit.into(),
                kind: kind.into(),
                role: "stored".into(),
                ..MetricHead::default()
            }],
            ..MonitorHead::default()
        },
        metric: 0,
        instance: String::new(),
        points: points.iter().map(|(at, value)| (*at, Some(*value))).collect(),
    }
}

const GIB: f64 = 1_073_741_824.0;

#[test]
fn what_is_stored_is_told_at_the_start_and_at_the_end_where_it_changed() {
    let mut fixture = fixture();
    let (nominal, clerks) = (span_of(&fixture, "nominal"), span_of(&fixture, "clerks"));
    let second = Nanos::SECOND;
    // Half a gibibyte before, a whole one at the end of the first scenario, and nothing more in the second.
    let size =
        [(nominal.0 - second, GIB / 2.0), (nominal.0 + second, 0.75 * GIB), (nominal.1 - second, GIB), (clerks.1, GIB)];
    let read = [(nominal.0, 1.0), (nominal.1, 2.0), (clerks.1, 3.0)];
    fixture.views.metrics = vec![stored("size", "gauge", "bytes", &size), stored("rows", "counter", "count", &read)];
    fixture.study.report.profile = "bulk".into();
    let document = report::document(&fixture.input(), "en");
    let stored = table(&document, "stored");
    assert_eq!(stored.rows.len(), 1, "{stored:#?}");
    assert_eq!(texts(&stored, 0), ["nominal", "db.size", "512\u{a0}MiB", "1.00\u{a0}GiB"]);
}

/// S4.E5: a published report read a table "loaded in previous experiments", of which nobody knows how large it was.
#[test]
fn s4_e5_rows_and_sizes_are_told_at_both_ends_of_each_scenario_or_their_lack_is() {
    let demand = |document: &Document| {
        let conformance = table(document, "conformance");
        let row = conformance.rows.iter().find(|row| row.cells[0].text == "S4.E5").unwrap();
        row.cells[2].text.clone()
    };
    let mut fixture = fixture();
    fixture.study.report.profile = "bulk".into();
    let (fill, read) = (span_of(&fixture, "nominal"), span_of(&fixture, "clerks"));
    let second = Nanos::SECOND;
    let rows = [(fill.0, 0.0), (fill.1 - second, 3e6), (read.0, 3e6), (read.1 - second, 3_000_001.0)];
    let size = [(fill.0, GIB / 2.0), (fill.1 - second, GIB), (read.0, GIB), (read.1 - second, 1.5 * GIB)];
    fixture.views.metrics = vec![stored("rows", "gauge", "count", &rows), stored("size", "gauge", "bytes", &size)];
    let document = report::document(&fixture.input(), "en");
    let told = table(&document, "stored");
    let all: Vec<Vec<&str>> = (0..told.rows.len()).map(|row| texts(&told, row)).collect();
    assert_eq!(
        all,
        [
            ["nominal", "db.rows", "0", "3,000,000"],
            ["nominal", "db.size", "512\u{a0}MiB", "1.00\u{a0}GiB"],
            ["clerks", "db.rows", "3,000,000", "3,000,001"],
            ["clerks", "db.size", "1.00\u{a0}GiB", "1.50\u{a0}GiB"],
        ]
    );
    assert!(!demand(&document).starts_with("Not answered"), "{}", demand(&document));
    // Nobody watched it: the report says that this is missing, and does not look as if it were not needed.
    fixture.views.metrics.clear();
    let document = report::document(&fixture.input(), "en");
    assert!(document.tables().iter().all(|table| table.name != "stored"));
    assert!(demand(&document).starts_with("Not answered"), "{}", demand(&document));
}
