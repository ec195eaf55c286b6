//! Samples of k6, as CSV (`--out csv=FILE`) and as JSON (`--out json=FILE`).
//!
//! A request leaves one point of each metric. `http_req_duration` is a request's sending, waiting and receiving, stamped
//! at its end; connecting is not part of it. `grpc_req_duration` is that of a call of gRPC. `vus` is the number of users,
//! once a second.
//!
//! Source: k6 1.x, `output/csv`, `output/json`, `lib/netext/httpext/tracer.go`, `lib/netext/grpcext/conn.go`,
//! `errext/error_codes.go`.

use crate::call::{Call, Sink, Time, What};
use crate::error::ImportError;
use crate::input::Input;
use crate::lines::{Line, Lines};
use crate::numbers::{decimal, moment_in, whole};
use crate::printed::Beside;
use crate::reading::{Reading, shown};
use crate::records::{Found, Records};
use crate::zone::Zone;
use serde::Deserialize;
use std::borrow::Cow;
use std::path::Path;
use terms::{Nanos, Outcome};

/// A point of a metric that matters here.
enum Point<'a> {
    Call(Call<'a>),
    Users(Nanos, u32),
    Dropped(u64),
    /// The length of a session of WebSockets, whose messages have no times.
    Session,
    /// Of another metric.
    Other,
}

/// Reads a file of points, in whichever of the two forms.
///
/// # Errors
/// For a file that is none of k6's, or cannot be read to its end for another reason than damage.
pub(crate) fn read(
    path: &Path,
    input: Input,
    is_json: bool,
    sink: &mut dyn Sink,
) -> Result<(Reading, Beside), ImportError> {
    let (mut reading, mut beside) = (Reading::default(), Beside::default());
    if is_json {
        json(path, input, &mut reading, &mut beside, sink)?;
    } else {
        csv(path, input, &mut reading, &mut beside, sink)?;
    }
    if beside.sessions > 0 {
        reading.remarks.push(format!(
            "{} of WebSockets are not read: k6 does not record times of their messages",
            if beside.sessions == 1 { "1 session".to_owned() } else { format!("{} sessions", beside.sessions) }
        ));
    }
    Ok((reading, beside))
}

fn take(
    point: Result<Point<'_>, String>,
    line: u64,
    reading: &mut Reading,
    beside: &mut Beside,
    sink: &mut dyn Sink,
) -> Result<bool, ImportError> {
    match point {
        Ok(Point::Call(call)) => {
            reading.read += 1;
            sink.call(&call)?;
        }
        Ok(Point::Users(at, users)) => sink.users(at, users),
        Ok(Point::Dropped(count)) => beside.dropped += count,
        Ok(Point::Session) => beside.sessions += 1,
        Ok(Point::Other) => {}
        Err(why) => {
            reading.unreadable(line, why);
            return Ok(false);
        }
    }
    Ok(true)
}

/// Places of the columns of the CSV.
struct Columns {
    count: usize,
    metric: usize,
    time: usize,
    value: usize,
    name: Option<usize>,
    status: Option<usize>,
    error: Option<usize>,
    error_code: Option<usize>,
    expected: Option<usize>,
}

fn csv(
    path: &Path,
    input: Input,
    reading: &mut Reading,
    beside: &mut Beside,
    sink: &mut dyn Sink,
) -> Result<(), ImportError> {
    let (mut records, zone) = (Records::new(input, b','), sink.zone());
    let wrong = |what: String| ImportError::file(path, what);
    let first = records.advance().map_err(|error| wrong(format!("cannot be read: {error}")))?;
    let names: Vec<Vec<u8>> = (0..records.len()).map(|number| records.field(number).to_vec()).collect();
    let place = |wanted: &str| names.iter().position(|name| name == wanted.as_bytes());
    let (Found::Record, Some(metric), Some(time), Some(value)) =
        (first, place("metric_name"), place("timestamp"), place("metric_value"))
    else {
        let text = names.first().map(|name| shown(name)).unwrap_or_default();
        return Err(wrong(format!(
            "is not CSV written by k6: its first line begins with `{text}`, and k6 writes `metric_name,timestamp,metric_value,…`\n\
             make one with `k6 run --out csv=FILE SCRIPT`"
        )));
    };
    let columns = Columns {
        count: names.len(),
        metric,
        time,
        value,
        name: place("name").or(place("url")),
        status: place("status"),
        error: place("error"),
        error_code: place("error_code"),
        expected: place("expected_response"),
    };
    loop {
        match records.advance() {
            Ok(Found::Record) => {
                let line = records.line();
                let is_read = take(of_record(&records, &columns, &zone), line, reading, beside, sink)?;
                if !is_read {
                    records.only_first_line();
                }
            }
            Ok(Found::Damaged(why)) => reading.unreadable(records.line(), why),
            Ok(Found::End) => break,
            Err(error) => {
                reading.break_off(path, records.line(), &error)?;
                break;
            }
        }
    }
    reading.end(records.reader());
    Ok(())
}

fn of_record<'r>(records: &'r Records<Input>, columns: &Columns, zone: &Zone) -> Result<Point<'r>, String> {
    if records.len() != columns.count {
        return Err(format!("it has {} fields, and the header row {}", records.len(), columns.count));
    }
    let of = |column: Option<usize>| column.map_or(&[][..], |column| records.field(column));
    let time = records.field(columns.time);
    let at = || {
        let number = nanos(time).or_else(|| whole(time).map(since_1970));
        number
            .or_else(|| moment_in(time, zone))
            .ok_or_else(|| format!("its timestamp `{}` is not a time stamp", shown(time)))
    };
    point(
        records.field(columns.metric),
        at,
        || {
            let value = records.field(columns.value);
            decimal(value).ok_or_else(|| format!("its value `{}` is not a number", shown(value)))
        },
        &Tags {
            name: of(columns.name),
            status: of(columns.status),
            error: of(columns.error),
            error_code: of(columns.error_code),
            expected: of(columns.expected),
        },
    )
}

/// Seconds, unless `K6_CSV_TIME_FORMAT` asks for another form: `unix_milli`, `unix_micro`. Each has three digits more.
fn since_1970(number: i64) -> Nanos {
    if number < 100_000_000_000 {
        Nanos::from_secs(number)
    } else if number < 100_000_000_000_000 {
        Nanos::from_millis(number)
    } else {
        Nanos(number.saturating_mul(1000))
    }
}

/// `unix_nano`, whose nineteen digits are more than other numbers may have.
fn nanos(text: &[u8]) -> Option<Nanos> {
    let is_one = text.len() == 19 && text.iter().all(u8::is_ascii_digit);
    is_one.then(|| std::str::from_utf8(text).ok()?.parse().ok().map(Nanos)).flatten()
}

/// Tags of a point.
struct Tags<'a> {
    name: &'a [u8],
    status: &'a [u8],
    error: &'a [u8],
    error_code: &'a [u8],
    expected: &'a [u8],
}

fn point<'a>(
    metric: &[u8],
    at: impl Fn() -> Result<Nanos, String>,
    value: impl Fn() -> Result<f64, String>,
    tags: &Tags<'a>,
) -> Result<Point<'a>, String> {
    match metric {
        b"http_req_duration" | b"grpc_req_duration" => {
            let millis = value()?;
            if !(0.0..1e12).contains(&millis) {
                return Err(format!("its duration of {millis} ms cannot be"));
            }
            let took = Nanos((millis * 1e6).round() as i64);
            let outcome = if metric.starts_with(b"grpc") { outcome_of_grpc(tags) } else { outcome(tags) };
            Ok(Point::Call(Call {
                start: at()? - took,
                took,
                first_byte: None,
                connect: None,
                outcome,
                bytes: 0,
                count: 1,
                time: Time::Service,
                label: tags.name,
                what: What::Call,
                thread: None,
                users: None,
                why: if outcome == Outcome::Ok {
                    &[]
                } else if tags.error.is_empty() {
                    tags.status
                } else {
                    tags.error
                },
            }))
        }
        b"vus" => Ok(Point::Users(at()?, value()?.clamp(0.0, f64::from(u32::MAX)) as u32)),
        b"ws_session_duration" => Ok(Point::Session),
        b"dropped_iterations" => Ok(Point::Dropped(value()?.clamp(0.0, 1e15) as u64)),
        _ => Ok(Point::Other),
    }
}

/// How a request ended, by k6's own codes of errors: tens of a kind, and statuses from 1400 on.
fn outcome(tags: &Tags<'_>) -> Outcome {
    let code = whole(tags.error_code).unwrap_or(0);
    let status = whole(tags.status).unwrap_or(0);
    match code {
        1050 | 1211 => Outcome::Timeout,
        1100..=1111 | 1210 | 1212 | 1213 => Outcome::Refused,
        1200..=1299 => Outcome::Reset,
        1400..=1599 => Outcome::Status,
        1..=9999 => Outcome::Fault,
        _ if status == 0 && !tags.error.is_empty() => Outcome::Fault,
        _ if tags.expected == b"false" && status < 400 => Outcome::Wrong,
        // Where the tag is switched off, or another is written in its place, the status is what is left.
        _ if status >= 400 && tags.expected != b"true" => Outcome::Status,
        _ => Outcome::Ok,
    }
}

/// How a call of gRPC ended, by its status: 0 is OK, 4 an expired deadline, 14 a server that cannot be reached.
fn outcome_of_grpc(tags: &Tags<'_>) -> Outcome {
    match (whole(tags.status), tags.error.is_empty()) {
        (Some(0), _) | (None, true) => Outcome::Ok,
        (Some(4), _) => Outcome::Timeout,
        (Some(14), _) => Outcome::Refused,
        (Some(_), _) => Outcome::Status,
        (None, false) => Outcome::Fault,
    }
}

#[derive(Deserialize)]
struct Written<'a> {
    #[serde(borrow)]
    metric: Option<Cow<'a, str>>,
    #[serde(borrow, rename = "type")]
    kind: Option<Cow<'a, str>>,
    #[serde(borrow)]
    data: Option<Data<'a>>,
}

#[derive(Deserialize)]
struct Data<'a> {
    #[serde(borrow)]
    time: Option<Cow<'a, str>>,
    value: Option<f64>,
    #[serde(borrow)]
    tags: Option<JsonTags<'a>>,
}

#[derive(Deserialize)]
struct JsonTags<'a> {
    #[serde(borrow)]
    name: Option<Cow<'a, str>>,
    #[serde(borrow)]
    status: Option<Cow<'a, str>>,
    #[serde(borrow)]
    error: Option<Cow<'a, str>>,
    #[serde(borrow)]
    error_code: Option<Cow<'a, str>>,
    #[serde(borrow)]
    expected_response: Option<Cow<'a, str>>,
}

fn json(
    path: &Path,
    input: Input,
    reading: &mut Reading,
    beside: &mut Beside,
    sink: &mut dyn Sink,
) -> Result<(), ImportError> {
    let (mut lines, zone) = (Lines::new(input), sink.zone());
    loop {
        match lines.advance() {
            Ok(Line::End) => break,
            Ok(Line::TooLong) => reading.unreadable(lines.number(), "it is longer than a mebibyte"),
            Ok(Line::Whole) if lines.text().is_empty() => {}
            Ok(Line::Whole) => {
                let number = lines.number();
                let written: Result<Written<'_>, _> = serde_json::from_slice(lines.text());
                match written {
                    Err(error) if number == 1 => {
                        let what = format!(
                            "is not JSON written by k6: its first line cannot be read ({error})\nmake one with `k6 run --out json=FILE SCRIPT`"
                        );
                        return Err(ImportError::file(path, what));
                    }
                    Err(error) => reading.unreadable(number, format!("it is not JSON: {error}")),
                    Ok(written) => {
                        take(of_json(&written, &zone), number, reading, beside, sink)?;
                    }
                }
            }
            Err(error) => {
                reading.break_off(path, lines.number(), &error)?;
                break;
            }
        }
    }
    (reading.bytes, reading.sha256) = lines.reader().fingerprint();
    Ok(())
}

fn of_json<'a>(written: &'a Written<'a>, zone: &Zone) -> Result<Point<'a>, String> {
    let Some(metric) = &written.metric else { return Err("it names no metric".into()) };
    if written.kind.as_deref() != Some("Point") {
        return Ok(Point::Other);
    }
    let Some(data) = &written.data else { return Err("it has no data".into()) };
    let text = |text: &'a Option<Cow<'a, str>>| text.as_deref().unwrap_or_default().as_bytes();
    let tags = data.tags.as_ref();
    let time = text(&data.time);
    point(
        metric.as_bytes(),
        || moment_in(time, zone).ok_or_else(|| format!("its time `{}` is not a time stamp", shown(time))),
        || data.value.ok_or_else(|| "it has no value".to_owned()),
        &Tags {
            name: tags.map_or(&[][..], |tags| text(&tags.name)),
            status: tags.map_or(&[][..], |tags| text(&tags.status)),
            error: tags.map_or(&[][..], |tags| text(&tags.error)),
            error_code: tags.map_or(&[][..], |tags| text(&tags.error_code)),
            expected: tags.map_or(&[][..], |tags| text(&tags.expected_response)),
        },
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Cursor;

    #[derive(Default)]
    struct Kept(Vec<(i64, i64, String, Outcome)>, Vec<(i64, u32)>, Zone);

    impl Sink for Kept {
        fn call(&mut self, call: &Call<'_>) -> Result<(), ImportError> {
            let label = String::from_utf8_lossy(call.label).into_owned();
            self.0.push((call.start.0, call.took.0, label, call.outcome));
            Ok(())
        }

        fn users(&mut self, at: Nanos, users: u32) {
            self.1.push((at.0, users));
        }

        fn zone(&self) -> Zone {
            self.2.clone()
        }
    }

    fn seen(text: &str, is_json: bool) -> (Kept, Reading, Beside) {
        seen_in(text, is_json, None)
    }

    fn seen_in(text: &str, is_json: bool, zone: Option<i64>) -> (Kept, Reading, Beside) {
        let kept = Kept(Vec::new(), Vec::new(), Zone::of(zone));
        let (mut kept, input) = (kept, Input::of(Cursor::new(text.as_bytes().to_vec())).unwrap());
        let (reading, beside) = read(Path::new("k6"), input, is_json, &mut kept).unwrap();
        (kept, reading, beside)
    }

    /// As k6 1.2 writes them.
    const CSV: &str = "metric_name,timestamp,metric_value,check,error,error_code,expected_response,group,method,name,proto,scenario,service,status,subproto,tls_version,url,extra_tags,metadata\n\
        http_reqs,1795690680,1.000000,,,,true,,GET,http://x/,HTTP/1.1,default,,200,,,http://x/,,\n\
        http_req_duration,1795690680,12.500000,,,,true,,GET,http://x/,HTTP/1.1,default,,200,,,http://x/,,\n\
        http_req_duration,1795690681,3.000000,,\"dial: \"\"connection\"\" refused\",1212,false,,GET,y,,default,,0,,,y,,\n\
        http_req_duration,1795690681,x,,,,true,,GET,y,,default,,200,,,y,,\n\
        vus,1795690681,7.000000,,,,,,,,,,,,,,,,\n\
        dropped_iterations,1795690681,2.000000,,,,,,,,,default,,,,,,,\n";

    #[test]
    fn points_of_the_csv_become_calls() {
        let (kept, reading, beside) = seen(CSV, false);
        assert_eq!(kept.0[0], (1_795_690_679_987_500_000, 12_500_000, "http://x/".into(), Outcome::Ok));
        assert_eq!((&*kept.0[1].2, kept.0[1].3), ("y", Outcome::Refused));
        assert_eq!(kept.1, [(1_795_690_681_000_000_000, 7)]);
        assert_eq!((reading.read, reading.unreadable, beside.dropped), (2, 1, 2));
        assert_eq!((reading.examples[0].line, &*reading.examples[0].why), (5, "its value `x` is not a number"));
    }

    #[test]
    fn without_the_tag_of_expected_answers_the_status_decides() {
        let outcome = |expected: &str, status: &str| {
            let text = format!(
                "metric_name,timestamp,metric_value,name,status,expected_response\nhttp_req_duration,1795690680,1,x,{status},{expected}\n"
            );
            seen(&text, false).0.0[0].3
        };
        assert_eq!(
            [outcome("", "503"), outcome("", "404"), outcome("", "200")],
            [Outcome::Status, Outcome::Status, Outcome::Ok]
        );
        assert_eq!(outcome("true", "404"), Outcome::Ok, "the script expects it");
        assert_eq!(outcome("false", "302"), Outcome::Wrong);
    }

    #[test]
    fn calls_of_grpc_end_by_their_own_status_and_sessions_are_counted() {
        let row =
            |metric: &str, status: &str, error: &str| format!("{metric},1795690680,12.5,Hello/Say,{status},{error}\n");
        let header = "metric_name,timestamp,metric_value,name,status,error\n".to_owned();
        let statuses =
            [("0", ""), ("4", "deadline"), ("14", "unavailable"), ("5", "not found"), ("", ""), ("", "broken")];
        let calls = statuses.map(|(status, error)| row("grpc_req_duration", status, error)).concat();
        let sessions = row("ws_session_duration", "101", "").repeat(2);
        let (kept, reading, beside) = seen(&[header, calls, sessions].concat(), false);
        use Outcome::{Fault, Ok, Refused, Status, Timeout};
        assert_eq!(kept.0.iter().map(|call| call.3).collect::<Vec<_>>(), [Ok, Timeout, Refused, Status, Ok, Fault]);
        assert_eq!((kept.0[0].1, &*kept.0[0].2, reading.read, beside.sessions), (12_500_000, "Hello/Say", 6, 2));
        assert_eq!(
            reading.remarks,
            ["2 sessions of WebSockets are not read: k6 does not record times of their messages"]
        );
    }

    #[test]
    fn points_of_the_json_become_calls() {
        let text = r#"{"type":"Metric","data":{"name":"http_req_duration","type":"trend"},"metric":"http_req_duration"}
{"metric":"http_req_duration","type":"Point","data":{"time":"2026-11-26T10:58:00.5Z","value":500,"tags":{"expected_response":"false","name":"say \"x\"","status":"503","error_code":"1503"}}}
{"metric":"vus","type":"Point","data":{"time":"2026-11-26T10:58:01Z","value":3,"tags":null}}
{"metric":"http_req_dur
"#;
        let (kept, reading, _) = seen(text, true);
        assert_eq!(kept.0, [(1_795_690_680_000_000_000, 500_000_000, "say \"x\"".into(), Outcome::Status)]);
        assert_eq!((kept.1.len(), reading.read, reading.unreadable), (1, 1, 1));
    }

    #[test]
    fn stamps_of_every_form_are_read_and_those_without_a_zone_are_of_the_one_that_is_given() {
        let begin = |stamp: &str, zone| {
            let text = format!("metric_name,timestamp,metric_value,name\nhttp_req_duration,{stamp},0,x\n");
            let (kept, reading, _) = seen_in(&text, false, zone);
            assert_eq!(reading.unreadable, 0, "{stamp}: {reading:?}");
            (kept.0[0].0, kept.2.is_used())
        };
        let at = 1_795_690_680_000_000_000;
        for stamp in
            ["1795690680", "1795690680000", "1795690680000000", "1795690680000000000", "2026-11-26T11:58:00+01:00"]
        {
            assert_eq!(begin(stamp, Some(7200)), (at, false), "{stamp}");
        }
        assert_eq!(begin("2026-11-26 12:58:00", Some(7200)), (at, true));
        assert_eq!(begin("2026-11-26 10:58:00", None), (at, true));
        let json = r#"{"metric":"http_req_duration","type":"Point","data":{"time":"2026-11-26T12:58:00","value":0}}"#;
        assert_eq!(seen_in(json, true, Some(7200)).0.0[0].0, at);
    }

    #[test]
    fn what_is_none_of_k6_is_refused() {
        for (text, is_json, expected) in
            [("timeStamp,elapsed\n", false, "--out csv=FILE"), ("a,b\n", true, "--out json=FILE")]
        {
            let input = Input::of(Cursor::new(text.as_bytes().to_vec())).unwrap();
            let error = read(Path::new("k6"), input, is_json, &mut Kept::default()).unwrap_err().to_string();
            assert!(error.contains(expected), "{error}");
        }
    }
}
