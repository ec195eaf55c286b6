//! What a tool printed at its end of the same calls: shown beside what the calls say, and never taken for them.
//!
//! JMeter's `statistics.json` and its `summary =` lines; the summary of k6 as JSON (`--summary-export`, `handleSummary`)
//! and as text; `js/stats.json` of Gatling's report. Which of them a file is shows in what it holds.
//!
//! Source: JMeter 5.6, `reportgenerator.properties`, `Summariser`; k6 1.x, `internal/js/summary.go`; Gatling 3.x,
//! `StatsJsonTemplate` and the percentiles of `gatling-defaults.conf`.

use crate::error::ImportError;
use crate::input::Input;
use crate::numbers::decimal;
use crate::printed::{Beside, Figure};
use crate::reading::Reading;
use crate::samples::by_line;
use serde_json::{Map, Value};
use std::io::{Cursor, Read};
use std::path::Path;

/// Longest file: a thousand labels are a megabyte.
const BYTES_MAX: u64 = 8 << 20;

/// Reads a file.
///
/// # Errors
/// For a file that holds none of these, or cannot be read.
pub(crate) fn read(path: &Path, mut input: Input) -> Result<(Reading, Beside), ImportError> {
    let wrong = |what: String| ImportError::file(path, what);
    let mut bytes = Vec::new();
    let read = input.by_ref().take(BYTES_MAX + 1).read_to_end(&mut bytes);
    read.map_err(|error| wrong(format!("cannot be read: {error}")))?;
    if bytes.len() as u64 > BYTES_MAX {
        return Err(wrong(format!("is longer than {} MiB, and a summary is not", BYTES_MAX >> 20)));
    }
    let mut beside = Beside::default();
    let mut reading = Reading::default();
    if bytes.trim_ascii_start().starts_with(b"{") {
        let value: Value =
            serde_json::from_slice(&bytes).map_err(|error| wrong(format!("cannot be read as a summary: {error}")))?;
        of_json(&value, &mut beside);
    } else {
        let plain = Input::of(Cursor::new(bytes)).map_err(|error| wrong(format!("cannot be read: {error}")))?;
        let mut jmeter = None;
        reading = by_line(path, plain, |line| {
            if let Some(rest) = line.split("summary =").nth(1) {
                jmeter = of_summariser(rest).or(jmeter.take());
            }
            of_k6_line(line, &mut beside);
            Ok(None)
        })?
        .1;
        for (figure, value) in jmeter.into_iter().flatten() {
            beside.print(b"", figure, Some(value));
        }
    }
    if beside.printed.is_empty() {
        return Err(wrong(
            "holds no summary that is known\npossible are JMeter's `statistics.json` and its `summary =` lines, the summary \
             of k6, as JSON (`--summary-export FILE`) or as text, and `js/stats.json` of Gatling's report"
                .into(),
        ));
    }
    reading.read = beside.printed.len() as u64;
    (reading.bytes, reading.sha256) = input.fingerprint();
    Ok((reading, beside))
}

fn of_json(value: &Value, beside: &mut Beside) {
    let Some(members) = value.as_object() else { return };
    if let Some(metrics) = members.get("metrics").and_then(Value::as_object) {
        of_k6(metrics, beside);
        return;
    }
    if members.contains_key("stats") {
        of_gatling(value, beside);
        return;
    }
    for (name, member) in members {
        let number = |key: &str| member.get(key).and_then(Value::as_f64);
        let label = if name == "Total" { &[][..] } else { name.as_bytes() };
        if number("sampleCount").is_none() {
            continue;
        }
        for (key, figure) in [
            ("sampleCount", Figure::Calls),
            ("errorCount", Figure::Failed),
            ("meanResTime", Figure::Mean),
            ("minResTime", Figure::Min),
            ("maxResTime", Figure::Max),
            ("medianResTime", Figure::Quantile(0.5)),
            // `aggregate_rpt_pct1` to `3`, where nobody has set them otherwise.
            ("pct1ResTime", Figure::Quantile(0.9)),
            ("pct2ResTime", Figure::Quantile(0.95)),
            ("pct3ResTime", Figure::Quantile(0.99)),
        ] {
            beside.print(label, figure, number(key));
        }
    }
}

/// Requests by their path, which is empty for all of them, and groups within groups. What a group took is the sum of its
/// requests there, unless a setting makes it the time from its first to its last: only how often it ran is taken.
fn of_gatling(member: &Value, beside: &mut Beside) {
    let text = |key: &str| member.get(key).and_then(Value::as_str).unwrap_or_default();
    let number = |key: &str, part: &str| {
        let value = member.get("stats")?.get(key)?.get(part)?;
        value.as_f64().or_else(|| decimal(value.as_str()?.as_bytes()))
    };
    let label = text("path").as_bytes();
    let calls = number("numberOfRequests", "total");
    beside.print(label, Figure::Calls, calls);
    if label.is_empty() || text("type") == "REQUEST" {
        beside.print(label, Figure::Failed, number("numberOfRequests", "ko"));
        for (key, figure) in [
            ("meanResponseTime", Figure::Mean),
            ("minResponseTime", Figure::Min),
            ("maxResponseTime", Figure::Max),
            // `percentile1` to `4`, where nobody has set them otherwise.
            ("percentiles1", Figure::Quantile(0.5)),
            ("percentiles2", Figure::Quantile(0.75)),
            ("percentiles3", Figure::Quantile(0.95)),
            ("percentiles4", Figure::Quantile(0.99)),
        ] {
            // Without a request it writes zeros.
            beside.print(label, figure, number(key, "total").filter(|_| calls.is_some_and(|calls| calls > 0.0)));
        }
    }
    for within in member.get("contents").and_then(Value::as_object).into_iter().flat_map(Map::values) {
        of_gatling(within, beside);
    }
}

fn of_k6(metrics: &Map<String, Value>, beside: &mut Beside) {
    let of = |metric: &str, key: &str| {
        let metric = metrics.get(metric)?;
        metric.get("values").unwrap_or(metric).get(key)?.as_f64()
    };
    beside.print(b"", Figure::Calls, of("http_reqs", "count"));
    // A rate of failures: its passes are those that failed.
    beside.print(b"", Figure::Failed, of("http_req_failed", "passes"));
    for (key, figure) in
        [("avg", Figure::Mean), ("min", Figure::Min), ("max", Figure::Max), ("med", Figure::Quantile(0.5))]
    {
        beside.print(b"", figure, of("http_req_duration", key));
    }
    let durations = metrics.get("http_req_duration").map(|metric| metric.get("values").unwrap_or(metric));
    for (key, value) in durations.and_then(Value::as_object).into_iter().flatten() {
        if let Some(quantile) = quantile(key) {
            beside.print(b"", Figure::Quantile(quantile), value.as_f64());
        }
    }
}

/// `p(95)`.
fn quantile(key: &str) -> Option<f64> {
    let percent = decimal(key.strip_prefix("p(")?.strip_suffix(')')?.as_bytes())?;
    (0.0..100.0).contains(&percent).then_some(percent / 100.0)
}

/// `http_req_duration..............: avg=12.5ms min=10ms med=12ms max=20.1ms p(90)=15ms p(95)=18ms`.
fn of_k6_line(line: &str, beside: &mut Beside) {
    let Some((name, values)) = line.split_once(": ") else { return };
    let first = values.split_whitespace().next().unwrap_or_default();
    match name.trim().trim_end_matches('.') {
        "http_req_duration" => {
            for word in values.split_whitespace() {
                let Some((key, text)) = word.split_once('=') else { continue };
                let figure = match key {
                    "avg" => Some(Figure::Mean),
                    "min" => Some(Figure::Min),
                    "max" => Some(Figure::Max),
                    "med" => Some(Figure::Quantile(0.5)),
                    key => quantile(key).map(Figure::Quantile),
                };
                if let Some(figure) = figure {
                    beside.print(b"", figure, go_millis(text));
                }
            }
        }
        // `4.11% 21 out of 510`, and `4.11% ✓ 21 ✗ 489` of earlier versions.
        "http_req_failed" => {
            let failed = values.split_whitespace().skip(1).find_map(|word| decimal(word.as_bytes()));
            beside.print(b"", Figure::Failed, failed);
        }
        "http_reqs" => beside.print(b"", Figure::Calls, decimal(first.as_bytes())),
        _ => {}
    }
}

/// A duration as Go writes it: `1m2.5s`, `12.5ms`, `800µs`; milliseconds.
fn go_millis(text: &str) -> Option<f64> {
    let (mut rest, mut sum) = (text, 0.0);
    while !rest.is_empty() {
        let end = rest.find(|c: char| !c.is_ascii_digit() && c != '.')?;
        let number = decimal(&rest.as_bytes()[..end])?;
        let units =
            [("ms", 1.0), ("µs", 1e-3), ("μs", 1e-3), ("us", 1e-3), ("ns", 1e-6), ("h", 3.6e6), ("m", 6e4), ("s", 1e3)];
        let (unit, scale) = units.into_iter().find(|(unit, _)| rest[end..].starts_with(unit))?;
        sum += number * scale;
        rest = &rest[end + unit.len()..];
    }
    (!text.is_empty()).then_some(sum)
}

/// `  12345 in 00:05:00 =   41.2/s Avg:   123 Min:     1 Max:  2345 Err:    12 (0.10%)`.
fn of_summariser(rest: &str) -> Option<Vec<(Figure, f64)>> {
    let mut words = rest.split_whitespace();
    let calls = decimal(words.next()?.as_bytes())?;
    let after = |word: &str| {
        let mut words = rest.split_whitespace().skip_while(|known| *known != word);
        decimal(words.nth(1)?.as_bytes())
    };
    let figures = [
        (Figure::Mean, after("Avg:")?),
        (Figure::Min, after("Min:")?),
        (Figure::Max, after("Max:")?),
        (Figure::Failed, after("Err:")?),
    ];
    Some([(Figure::Calls, calls)].into_iter().chain(figures).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seen(text: &str) -> Result<Vec<(String, Figure, f64)>, String> {
        let input = Input::of(Cursor::new(text.as_bytes().to_vec())).unwrap();
        let read = read(Path::new("summary"), input).map_err(|error| error.to_string())?;
        let printed = read.1.printed.into_iter();
        Ok(printed.map(|it| (String::from_utf8_lossy(&it.label).into_owned(), it.figure, it.value)).collect())
    }

    #[test]
    fn the_dashboard_of_jmeter_is_read() {
        let text = r#"{"Total":{"transaction":"Total","sampleCount":20,"errorCount":1,"errorPct":5.0,"meanResTime":8.25,
            "medianResTime":7.0,"minResTime":3.0,"maxResTime":40.0,"pct1ResTime":9.9,"pct2ResTime":10.0,"pct3ResTime":39.7},
            "Home":{"sampleCount":2},"odd":3}"#;
        let seen = seen(text).unwrap();
        assert_eq!(seen.len(), 10);
        assert_eq!(seen[0], ("Home".into(), Figure::Calls, 2.0));
        assert!(seen.contains(&(String::new(), Figure::Quantile(0.9), 9.9)), "{seen:?}");
    }

    #[test]
    fn the_last_line_of_the_summariser_counts() {
        let text = "Creating summariser <summary>\n\
            summary +      1 in 00:00:01 =    1.0/s Avg:     5 Min:     5 Max:     5 Err:     0 (0.00%)\n\
            summary =     10 in 00:00:02 =    5.0/s Avg:     6 Min:     1 Max:    20 Err:     0 (0.00%)\n\
            summary =     25 in 00:00:05 =    5.0/s Avg:     7 Min:     1 Max:    30 Err:     2 (8.00%)\n";
        let all = |figure, value| (String::new(), figure, value);
        let expected = [
            all(Figure::Calls, 25.0),
            all(Figure::Mean, 7.0),
            all(Figure::Min, 1.0),
            all(Figure::Max, 30.0),
            all(Figure::Failed, 2.0),
        ];
        assert_eq!(seen(text).unwrap(), expected);
    }

    #[test]
    fn the_summary_of_k6_is_read_in_each_of_its_forms() {
        let exported = r#"{"metrics":{"http_reqs":{"count":100,"rate":9.9},"http_req_failed":{"passes":3,"fails":97},
            "http_req_duration":{"avg":1.5,"min":1,"med":1.25,"max":9,"p(90)":2,"p(95)":2.5}}}"#;
        let handled = exported
            .replace(r#""http_req_duration":{"#, r#""http_req_duration":{"type":"trend","values":{"#)
            .replace("2.5}", "2.5}}");
        let text = "     http_req_duration..............: avg=1.5ms min=1ms     med=1250µs max=9ms p(90)=2ms p(95)=2.5ms\n\
            \x20      { expected_response:true }...: avg=9ms\n     http_reqs......................: 100 9.9/s\n\
            \x20    http_req_failed................: 3.00% 3 out of 100\n";
        for (text, count) in [(exported, 8), (&handled, 8), (text, 8)] {
            let seen = seen(text).unwrap();
            assert_eq!(seen.len(), count, "{seen:?}");
            for expected in [
                (Figure::Calls, 100.0),
                (Figure::Mean, 1.5),
                (Figure::Quantile(0.5), 1.25),
                (Figure::Quantile(0.95), 2.5),
            ] {
                assert!(
                    seen.iter().any(|(_, figure, value)| (*figure, *value) == expected),
                    "{expected:?} in {seen:?}"
                );
            }
        }
        assert_eq!(go_millis("1m2.5s"), Some(62_500.0));
    }

    #[test]
    fn the_report_of_gatling_is_read_with_its_groups() {
        let times = |all: &str| {
            format!(
                r#""meanResponseTime":{{"total":{all}}},"minResponseTime":{{"total":1}},"maxResponseTime":{{"total":99}},
                "percentiles1":{{"total":7}},"percentiles2":{{"total":8}},"percentiles3":{{"total":9}},"percentiles4":{{"total":10}}"#
            )
        };
        let text = format!(
            r#"{{"type":"GROUP","name":"All Requests","path":"","stats":{{"numberOfRequests":{{"total":60,"ok":57,"ko":3}},{all}}},
            "contents":{{"req_home":{{"type":"REQUEST","name":"home","path":"home","stats":{{"numberOfRequests":
              {{"total":"30","ok":"30","ko":"0"}},{home}}}}},
              "group_checkout":{{"type":"GROUP","path":"checkout","stats":{{"numberOfRequests":{{"total":30}},{home}}},"contents":
                {{"req_pay":{{"type":"REQUEST","path":"checkout / pay","stats":{{"numberOfRequests":{{"total":0,"ko":0}},{none}}}}}}}}}}}}}"#,
            all = times("7.5"),
            home = times("\"7\""),
            none = times("0"),
        );
        let seen = seen(&text).unwrap();
        let of = |label: &str| seen.iter().filter(|it| it.0 == label).map(|it| (it.1, it.2)).collect::<Vec<_>>();
        let whole = of("");
        assert_eq!(whole[..3], [(Figure::Calls, 60.0), (Figure::Failed, 3.0), (Figure::Mean, 7.5)]);
        assert_eq!(
            whole[5..],
            [
                (Figure::Quantile(0.5), 7.0),
                (Figure::Quantile(0.75), 8.0),
                (Figure::Quantile(0.95), 9.0),
                (Figure::Quantile(0.99), 10.0)
            ]
        );
        assert_eq!((of("home").len(), of("home")[2]), (9, (Figure::Mean, 7.0)));
        assert_eq!(of("checkout"), [(Figure::Calls, 30.0)], "what a group took is of two kinds");
        assert_eq!(of("checkout / pay"), [(Figure::Calls, 0.0), (Figure::Failed, 0.0)]);
    }

    #[test]
    fn what_is_none_is_refused() {
        for text in ["", "hello\n", "{}", "{\"metrics\":{}}", "[1]"] {
            assert!(seen(text).unwrap_err().contains("statistics.json"), "{text}");
        }
        assert!(seen("{\"a\":").unwrap_err().contains("cannot be read as a summary"));
    }
}
