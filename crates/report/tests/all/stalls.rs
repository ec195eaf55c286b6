//! Stalls in figures over time: each has its band, with how many they are and what they cost, and none where none was found.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use crate::fixture::{Fixture, fixture};
use judge::bulk::{Bulk, Carried, Through, WorkingRate};
use judge::findings::{Count, PerSecond, Seconds, Share, Stalls};
use judge::views::{CountedPoint, CountedView, MetricView};
use judge::{Arg, Finding, Gravity, Scope};
use record::{MetricHead, MonitorHead};
use report::document::{Document, Figure};
use std::ops::Range;
use terms::Nanos;

/// The hold of a scenario of the fixture.
fn hold(fixture: &Fixture, title: &str) -> Range<Nanos> {
    let of = |step: &&judge::views::StepView| step.title == title && step.phase == terms::Phase::Hold;
    let step = fixture.views.steps.iter().find(of).unwrap();
    step.from..step.to
}

/// Three stalls of two seconds, five seconds apart.
fn spans(hold: &Range<Nanos>) -> Vec<Range<Nanos>> {
    let at = |seconds: i64| hold.start + Nanos::from_secs(seconds);
    [3, 8, 13].map(|begin| at(begin)..at(begin + 2)).to_vec()
}

/// A finding of them, of calls or of a watched count, with the rates by which they cost 15 %.
fn finding(what: &str, figure: &str, spans: Vec<Range<Nanos>>) -> Finding {
    let rate = |rate: f64| Some(PerSecond(rate));
    let stalls = Stalls {
        affected: Share(0.15),
        during: Arg::PerSecond(2.0),
        duty: Share(0.2),
        every: Some(Seconds(5.0)),
        exchange: what.into(),
        figure: figure.into(),
        lasts: Seconds(2.0),
        mean: rate(85.0),
        others: Count(0.0),
        repeats: Count(3.0),
        usual: Arg::PerSecond(100.0),
        with: "none".into(),
        working: rate(100.0),
        working_high: rate(101.0),
        working_low: rate(99.0),
        working_part: Some(Share(0.8)),
    };
    let scope = Scope::from("nominal/hold").within(what);
    Finding {
        id: "F9".into(),
        severity: Gravity::Warning,
        scope,
        found: stalls.into(),
        spans,
        evidence: vec!["load:nominal/hold".into()],
    }
}

fn figure<'a>(document: &'a Document, anchor: &str) -> &'a Figure {
    document.figures().into_iter().find(|figure| figure.anchor == anchor).unwrap_or_else(|| panic!("no {anchor}"))
}

/// Bands and bars of a drawing: each a shape of as many rectangles as there are stalls.
fn bands(svg: &str) -> usize {
    let shape = svg.split("<path").find(|path| path.contains("class=\"f-fill-gap\"") && path.contains('z'));
    shape.map_or(0, |shape| shape.split('"').find(|text| text.contains('z')).unwrap().matches('z').count())
}

/// Numbers of stalls in a figure's plotted numbers, once each, and in how many rows there is one.
fn numbered(figure: &Figure) -> (Vec<String>, usize) {
    let column = figure.data.columns.len() - 1;
    let in_hand: Vec<String> = figure
        .data
        .rows
        .iter()
        .map(|row| row.cells[column].clone())
        .filter(|it| it.raw.is_some())
        .map(|it| it.text)
        .collect();
    let mut once = in_hand.clone();
    once.dedup();
    (once, in_hand.len())
}

#[test]
fn the_throughput_over_time_marks_each_stall_and_says_what_they_cost() {
    let mut fixture = fixture();
    let plain = report::document(&fixture.input(), "en");
    let before = figure(&plain, "fig-throughput-0");
    assert_eq!((bands(&before.svg), before.data.columns.len()), (0, 4), "no bands where none was found");
    assert!(!before.caption.contains("stall") && !before.svg.contains("stalls:"), "{}", before.caption);
    let own = spans(&hold(&fixture, "nominal"));
    // What a watched count did is not of the calls.
    fixture.judgement.findings.push(finding("register", "times", own.clone()));
    fixture.judgement.findings.push(finding("store.rows", "watched", vec![own[0].end..own[1].start]));
    let words = [
        ("en", "; 3 stalls cost 15.0%", "stalls: 3", "Stall"),
        ("nl", "; 3 haperingen kostten 15,0%", "haperingen: 3", "Hapering"),
        ("da", "; 3 standsninger kostede 15,0", "stop: 3", "Standsning"),
    ];
    for (language, caption, label, column) in words {
        let document = report::document(&fixture.input(), language);
        let drawn = figure(&document, "fig-throughput-0");
        assert!(drawn.caption.contains(caption), "{}", drawn.caption);
        assert!(drawn.svg.contains(label) && drawn.svg.contains(&drawn.observation), "{}", drawn.observation);
        assert_eq!(bands(&drawn.svg), 3);
        assert_eq!(drawn.data.columns.last().unwrap().title, column);
        assert_eq!(numbered(drawn), (vec!["1".to_owned(), "2".to_owned(), "3".to_owned()], 6));
        assert!(drawn.findings.contains(&"F9".to_owned()) && !drawn.is_plain);
        assert_eq!(bands(&figure(&document, "fig-throughput-1").svg), 0, "another scenario's are not here");
    }
}

/// Ten events a second accepted, and a count that stands still in the stalls and catches up.
fn counted(hold: &Range<Nanos>, stalls: &[Range<Nanos>]) -> CountedView {
    let seconds = (hold.end - hold.start).as_secs_f64() as i64;
    let mut through = 0.0;
    let point = |second: i64| {
        let at = hold.start + Nanos::from_secs(second);
        if second > 0 && !stalls.iter().any(|stall| stall.start < at && at <= stall.end) {
            through += 10.0;
        }
        let accepted = 10.0 * second as f64;
        (at, Some(CountedPoint { accepted, through, backlog: accepted - through, age: Nanos::ZERO }))
    };
    let points = (0..=seconds).map(point).collect();
    CountedView { exchange: "register".into(), leg: "stored".into(), unit: Some("events".into()), points }
}

#[test]
fn work_in_bulk_has_its_rate_over_time_with_the_stalls_of_the_count() {
    let mut fixture = fixture();
    fixture.study.report.profile = "bulk".into();
    let hold = hold(&fixture, "nominal");
    let seconds = (hold.end - hold.start).as_secs_f64();
    let stalls = spans(&hold);
    fixture.views.counted = vec![counted(&hold, &stalls)];
    let carried = |units: f64, stalls: Vec<Range<Nanos>>| Carried {
        units,
        seconds,
        bytes: 0.0,
        working: Some(WorkingRate { per_s: 10.0, interval: (9.9, 10.1), duty: 0.8, lost: 0.2, stalls }),
    };
    let bulk = |stalls: Vec<Range<Nanos>>| Bulk {
        scope: Scope::from("nominal/hold"),
        scenario: "nominal".into(),
        exchange: "register".into(),
        unit: "events".into(),
        begun: 400,
        planned: Some(400),
        accepted: carried(10.0 * seconds, Vec::new()),
        through: vec![Through {
            leg: "stored".into(),
            counted_by: "store.rows".into(),
            carried: carried(8.0 * seconds, stalls),
            left: Some(0.0),
            drained_s: None,
        }],
    };
    // No finding: a rule wants a rhythm, or more of them. What was carried says it.
    fixture.judgement.bulks = vec![bulk(stalls)];
    let document = report::document(&fixture.input(), "en");
    let drawn = figure(&document, "fig-carried-0");
    assert_eq!(drawn.caption, "10.0/s accepted and 8.00/s through on average, in events; 3 stalls cost 20.0%");
    assert_eq!(bands(&drawn.svg), 3);
    assert_eq!(numbered(drawn).0, ["1", "2", "3"]);
    // Where a row is of a stall, nothing came through.
    for row in drawn.data.rows.iter().filter(|row| row.cells[3].raw.is_some()) {
        assert_eq!((row.cells[1].raw, row.cells[2].raw), (Some(10.0), Some(0.0)), "{row:?}");
    }
    assert!(drawn.assessment.contains("between them it was 10.0/s"), "{}", drawn.assessment);
    fixture.judgement.bulks = vec![bulk(Vec::new())];
    let document = report::document(&fixture.input(), "en");
    let drawn = figure(&document, "fig-carried-0");
    assert!(bands(&drawn.svg) == 0 && !drawn.caption.contains("stall") && drawn.data.columns.len() == 3);
    assert!(drawn.assessment.contains("one level"), "{}", drawn.assessment);
}

#[test]
fn stalls_of_a_watched_count_are_folded_by_what_it_grew() {
    let mut fixture = fixture();
    let hold = hold(&fixture, "nominal");
    let seconds = (hold.end - hold.start).as_secs_f64() as i64;
    let stalls: Vec<Range<Nanos>> = (0..seconds / 5)
        .map(|turn| hold.start + Nanos::from_secs(5 * turn + 3)..hold.start + Nanos::from_secs(5 * turn + 5))
        .collect();
    let points: Vec<(Nanos, Option<f64>)> =
        counted(&hold, &stalls).points.iter().map(|(at, point)| (*at, point.map(|point| point.through))).collect();
    let view = |instance: &str| MetricView {
        monitor: MonitorHead {
            name: "store".into(),
            kind: "sql".into(),
            metrics: vec![MetricHead {
                name: "rows".into(),
                unit: "count".into(),
                kind: "counter".into(),
                ..MetricHead::default()
            }],
            ..MonitorHead::default()
        },
        metric: 0,
        instance: instance.into(),
        points: points.clone(),
    };
    fixture.judgement.findings.push(finding("store.rows", "watched", stalls));
    fixture.views.metrics = vec![view("a")];
    let document = report::document(&fixture.input(), "en");
    let drawn = figure(&document, "fig-folded-0");
    let means: Vec<Option<f64>> = drawn.data.rows.iter().map(|row| row.cells[2].raw).collect();
    assert_eq!(means, [10.0, 10.0, 10.0, 0.0, 0.0].map(Some), "{:#?}", drawn.data);
    // Which of two instances stood still, the finding does not say.
    fixture.views.metrics = vec![view("a"), view("b")];
    let document = report::document(&fixture.input(), "en");
    assert!(document.figures().iter().all(|figure| figure.anchor != "fig-folded-0"));
}
