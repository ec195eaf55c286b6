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

#[test]
fn what_is_stored_is_told_at_the_start_and_at_the_end_where_it_changed() {
    use record::{MetricHead, MonitorHead};
    use terms::Nanos;
    let mut fixture = fixture();
    let of = |title: &str| {
        let own = || fixture.views.steps.iter().filter(move |step| step.title == title);
        (own().map(|step| step.from).min().unwrap(), own().map(|step| step.to).max().unwrap())
    };
    let (nominal, clerks) = (of("nominal"), of("clerks"));
    let view = |name: &str, kind: &str, unit: &str, points: &[(Nanos, f64)]| judge::views::MetricView {
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
    };
    let second = Nanos::SECOND;
    // Half a gibibyte before, a whole one at the end of the first scenario, and nothing more in the second.
    let gib = 1_073_741_824.0;
    let size =
        [(nominal.0 - second, gib / 2.0), (nominal.0 + second, 0.75 * gib), (nominal.1 - second, gib), (clerks.1, gib)];
    let read = [(nominal.0, 1.0), (nominal.1, 2.0), (clerks.1, 3.0)];
    fixture.views.metrics = vec![view("size", "gauge", "bytes", &size), view("rows", "counter", "count", &read)];
    fixture.study.report.profile = "bulk".into();
    let document = report::document(&fixture.input(), "en");
    let stored = table(&document, "stored");
    assert_eq!(stored.rows.len(), 1, "{stored:#?}");
    assert_eq!(texts(&stored, 0), ["nominal", "db.size", "512\u{a0}MiB", "1.00\u{a0}GiB"]);
}
