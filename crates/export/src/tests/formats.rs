//! Known bytes of each format.

use super::{head_named, second, told};
use crate::names::number;
use crate::{Family, Identity, Layout, Point, Sketch, Snapshot, Value, influx, openmetrics, otlp, remote_write};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use terms::{Histogram, Nanos};

/// One counter, one level, one histogram, and a level that has ended.
fn small() -> Snapshot {
    let layout = Layout { bounds: vec![0.5, 1.0] };
    let (mut times, mut sketch) = (Histogram::new(), Sketch::default());
    times.record_n(Nanos::from_millis(250), 3);
    times.record_n(Nanos::from_millis(2000), 1);
    sketch.add(&times, &layout, &BTreeMap::new());
    let family = |number: usize, points: Vec<Point>| Family { number, points };
    let point = |labels: &[(&'static str, &str)], value: Value| Point {
        labels: labels.iter().map(|(name, value)| (*name, Arc::from(*value))).collect(),
        value,
        is_new: false,
    };
    Snapshot {
        identity: Arc::new(Identity { study: "Shop".into(), run: "r1".into(), version: "0.1.0".into() }),
        layout: Arc::new(layout),
        start_ns: 1_795_255_200_000_000_000,
        wall_ns: 1_795_255_205_000_000_000,
        families: vec![
            family(number::CALLS, vec![point(&[("exchange", "a \"b\"\\\n"), ("outcome", "ok")], Value::Count(300))]),
            family(number::RESPONSE, vec![point(&[("exchange", "x")], Value::Times(sketch))]),
            family(number::IN_FLIGHT, vec![point(&[], Value::Level(1.5)), point(&[("part", "p")], Value::Gone)]),
        ],
    }
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

#[test]
fn otlp_is_what_the_official_classes_write() {
    // Written by `opentelemetry-proto` 1.45 for Python from the same figures.
    assert_eq!(hex(&otlp::request(&small())), include_str!("golden/otlp.hex").trim());
}

#[test]
fn remote_write_is_what_the_specification_says() {
    // Written by Google's `protobuf` 7.36 for Python by the messages of the specification.
    let message = remote_write::message(&small(), true);
    assert_eq!(hex(&message), include_str!("golden/remote_write.hex").trim());
    let compressed = remote_write::compressed(&message).unwrap();
    assert_eq!(snap::raw::Decoder::new().decompress_vec(&compressed).unwrap(), message);
}

#[test]
fn a_counter_that_is_new_was_zero_a_second_before() {
    let mut snapshot = small();
    snapshot.families.truncate(1);
    let before = remote_write::message(&snapshot, false).len();
    snapshot.families[0].points[0].is_new = true;
    let message = remote_write::message(&snapshot, false);
    // One sample more: tag, length, a double with its tag, a time of six bytes with its tag.
    assert_eq!(message.len() - before, 2 + 9 + 7);
}

#[test]
fn an_answer_of_otlp_says_what_was_refused() {
    assert_eq!(otlp::refused(b""), Ok(None));
    // ExportMetricsServiceResponse { partial_success { } } and { partial_success { rejected_data_points: 3, error_message: "no" } }.
    assert_eq!(otlp::refused(&[0x0a, 0x00]), Ok(None));
    assert_eq!(otlp::refused(&[0x0a, 0x06, 0x08, 0x03, 0x12, 0x02, b'n', b'o']), Ok(Some((3, "no".into()))));
    assert_eq!(otlp::refused(b"Welcome to the lab"), Err(()));
}

#[test]
fn lines_of_influx_are_escaped() {
    let lines = influx::lines(&small());
    let expected = "\
loadproof_calls_total,exchange=a\\ \"b\"/\\ ,outcome=ok,run=r1,study=Shop value=300i 1795255205000000000
loadproof_response_time_seconds,exchange=x,run=r1,study=Shop count=4i,sum=2.75,0.5=3i,1.0=3i,+Inf=4i 1795255205000000000
loadproof_iterations_in_flight,run=r1,study=Shop value=1.5 1795255205000000000
";
    assert_eq!(lines, expected);
}

#[test]
fn the_page_has_known_text() {
    let page = openmetrics::page(Some(&small()), true);
    let expected = "\
# TYPE loadproof_calls counter
# HELP loadproof_calls Calls that ended, by exchange, leg and outcome.
loadproof_calls_total{exchange=\"a \\\"b\\\"\\\\\\n\",outcome=\"ok\",run=\"r1\",study=\"Shop\"} 300
# TYPE loadproof_response_time_seconds histogram
# UNIT loadproof_response_time_seconds seconds
# HELP loadproof_response_time_seconds Time from the intended start to the end of calls that succeeded.
loadproof_response_time_seconds_bucket{exchange=\"x\",run=\"r1\",study=\"Shop\",le=\"0.5\"} 3
loadproof_response_time_seconds_bucket{exchange=\"x\",run=\"r1\",study=\"Shop\",le=\"1.0\"} 3
loadproof_response_time_seconds_bucket{exchange=\"x\",run=\"r1\",study=\"Shop\",le=\"+Inf\"} 4
loadproof_response_time_seconds_count{exchange=\"x\",run=\"r1\",study=\"Shop\"} 4
loadproof_response_time_seconds_sum{exchange=\"x\",run=\"r1\",study=\"Shop\"} 2.75
# TYPE loadproof_iterations_in_flight gauge
# HELP loadproof_iterations_in_flight Mean number of iterations in flight in the last second.
loadproof_iterations_in_flight{run=\"r1\",study=\"Shop\"} 1.5
# EOF
";
    assert_eq!(page, expected);
    assert_eq!(openmetrics::page(None, true), "# EOF\n");
    let older = openmetrics::page(Some(&small()), false);
    assert!(older.starts_with("# TYPE loadproof_calls_total counter\n") && !older.contains("# EOF"), "{older}");
}

/// Series of a page, by a strict reading of OpenMetrics: each family in one piece behind its type, each series once.
fn strictly_read(page: &str) -> BTreeMap<(String, BTreeMap<String, String>), f64> {
    let (mut series, mut families, mut current) = (BTreeMap::new(), BTreeSet::new(), String::new());
    let body = page.strip_suffix("# EOF\n").expect("an end");
    for line in body.lines() {
        if let Some(words) = line.strip_prefix("# TYPE ") {
            current = words.split(' ').next().unwrap().to_owned();
            assert!(families.insert(current.clone()), "{current} comes in two pieces");
            continue;
        }
        if line.starts_with("# ") {
            assert!(
                line.starts_with(&format!("# HELP {current} ")) || line.starts_with(&format!("# UNIT {current} ")),
                "{line}"
            );
            continue;
        }
        let (name, rest) = line.split_once('{').expect("labels");
        let suffix = name.strip_prefix(&current).expect("its own family");
        assert!(["", "_total", "_bucket", "_count", "_sum"].contains(&suffix), "{line}");
        let mut labels = BTreeMap::new();
        let mut signs = rest.chars();
        loop {
            let label: String = signs.by_ref().take_while(|sign| *sign != '=').collect();
            assert!(!label.is_empty() && label.chars().all(|sign| sign.is_ascii_lowercase() || sign == '_'), "{line}");
            assert_eq!(signs.next(), Some('"'), "{line}");
            let mut value = String::new();
            loop {
                match signs.next().expect("a closing quote") {
                    '"' => break,
                    '\\' => value.push(match signs.next() {
                        Some('n') => '\n',
                        Some(sign @ ('\\' | '"')) => sign,
                        other => panic!("{other:?} in {line}"),
                    }),
                    sign => value.push(sign),
                }
            }
            assert!(labels.insert(label, value).is_none(), "{line}");
            match signs.next() {
                Some(',') => {}
                Some('}') => break,
                other => panic!("{other:?} in {line}"),
            }
        }
        let value: f64 = signs.as_str().strip_prefix(' ').expect("a blank").parse().expect("a number");
        assert!(series.insert((name.to_owned(), labels), value).is_none(), "{line} comes twice");
    }
    series
}

/// Names that break what does not escape them.
fn hostile() -> Vec<String> {
    let ten_kb = "x".repeat(10_000);
    ["\"} 1\n# EOF\n", "a,b=c d", "\\", "\\\"", "\n\r\t\0", "ü🦀\u{202e}", "", "le", "+Inf\\n", ten_kb.as_str()]
        .map(String::from)
        .into()
}

#[test]
fn hostile_names_stay_within_their_labels() {
    for name in hostile() {
        let mut second = second(0, 4, 1);
        second.events[0].subject.clone_from(&name);
        second.samples[0].instance.clone_from(&name);
        let snapshot = told(&head_named(&name, &name), &[second]);
        let series = strictly_read(&openmetrics::page(Some(&snapshot), true));
        let counted: f64 =
            series.iter().filter(|((name, _), _)| name == "loadproof_calls_total").map(|(_, value)| value).sum();
        assert_eq!(counted, 5.0, "{name:?}");
        let bounds = series.keys().filter(|(name, _)| name == "loadproof_response_time_seconds_bucket");
        let bounds: Vec<f64> = bounds.map(|(_, labels)| labels["le"].parse().unwrap()).collect();
        assert!(bounds.contains(&0.3) && bounds.contains(&f64::INFINITY), "{bounds:?}");
        // Lines of InfluxDB: as many as points, each with one moment at its end.
        let points = |snapshot: &Snapshot| snapshot.families.iter().map(|family| family.points.len()).sum::<usize>();
        let lines = influx::lines(&snapshot);
        assert_eq!(lines.lines().count(), points(&snapshot), "{name:?}: {lines}");
        assert!(lines.lines().all(|line| line.ends_with(&format!(" {}", snapshot.wall_ns))), "{name:?}: {lines}");
        assert!(lines.len() < 40_000 && crate::proto::fields(&otlp::request(&snapshot)).is_some());
    }
}
