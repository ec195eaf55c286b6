//! One line as a call: by a pattern, or by the fields of a JSON object.

use crate::pattern::{Field, Pattern};
use crate::stamp::{Moment, Stamp};
use serde_json::Value;
use terms::Nanos;

/// What a line says of a call. What it leaves out is `None`.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Call {
    pub moment: Option<Moment>,
    /// Where the moment says no zone: since 1970 on the server's own clock.
    pub local: Option<Nanos>,
    pub route: Option<String>,
    /// 0 where the server wrote `-`: nothing was answered.
    pub status: Option<u16>,
    pub bytes: Option<u64>,
    pub duration: Option<Nanos>,
}

/// How a line is read.
#[derive(Clone, Debug)]
pub enum Format {
    Pattern(Pattern),
    Json(JsonFields),
}

/// Fields of a JSON object, by name, or by path with dots between.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct JsonFields {
    pub time: Option<String>,
    pub route: Option<String>,
    pub status: Option<String>,
    pub duration: Option<String>,
    pub bytes: Option<String>,
}

/// A call that took longer is not a call but a slip in the unit: a month.
const DURATION_MAX_S: f64 = 31.0 * 86_400.0;

/// Longest route that is compared, characters: what follows is the caller's.
const ROUTE_CHARS_MAX: usize = 512;

impl Format {
    /// Reads a line; `None` where it does not have this form. `a_second`: the unit of durations where the format leaves
    /// it open.
    pub fn read(&self, line: &[u8], a_second: f64) -> Option<Call> {
        let mut call = Call::default();
        match self {
            Self::Pattern(pattern) => pattern.take(line, |field, value| by_field(&mut call, field, value, a_second))?,
            Self::Json(fields) => by_names(&mut call, fields, line, a_second)?,
        }
        Some(call)
    }

    /// Which of its counts a format has: a status, a size.
    pub fn counts(&self) -> (bool, bool) {
        match self {
            Self::Pattern(pattern) => {
                (pattern.has(|field| field == Field::Status), pattern.has(|field| field == Field::Bytes))
            }
            Self::Json(fields) => (fields.status.is_some(), fields.bytes.is_some()),
        }
    }

    /// Whether lines say how long a call took.
    pub fn has_duration(&self) -> bool {
        match self {
            Self::Pattern(pattern) => pattern.duration().is_some(),
            Self::Json(fields) => fields.duration.is_some(),
        }
    }

    /// How it writes moments, if it does.
    pub fn stamp(&self) -> Option<Stamp> {
        match self {
            Self::Pattern(pattern) => pattern.stamp(),
            Self::Json(fields) => fields.time.as_ref().map(|_| Stamp::Any),
        }
    }
}

fn by_field(call: &mut Call, field: Field, value: &[u8], a_second: f64) -> Option<()> {
    if field == Field::Other {
        return Some(());
    }
    let text = String::from_utf8_lossy(value);
    match field {
        Field::Other => {}
        // A moment that cannot be read does not spoil the rest: the call has come.
        Field::Time(stamp) => by_stamp(call, stamp, &text),
        Field::Request => call.route = path_of_request(&text),
        Field::Path => call.route = Some(path(&text)),
        Field::Status => call.status = Some(status(&text)?),
        Field::Bytes => call.bytes = Some(bytes(&text)?),
        Field::Duration(scale) => call.duration = duration(&text, scale.unwrap_or(a_second))?,
    }
    Some(())
}

fn by_stamp(call: &mut Call, stamp: Stamp, text: &str) {
    call.moment = stamp.read(text);
    if call.moment.is_none() {
        call.local = stamp.read_local(text);
    }
}

fn by_names(call: &mut Call, fields: &JsonFields, line: &[u8], a_second: f64) -> Option<()> {
    let object: Value = serde_json::from_slice(line).ok()?;
    object.as_object()?;
    // What is there and of another kind makes the line one that is not understood; what is missing does not.
    let text = |name: &Option<String>| match find(&object, name.as_deref()?)? {
        Value::String(text) => Some(text.clone()),
        Value::Number(number) => Some(plain(number)),
        Value::Null => None,
        other => Some(other.to_string()),
    };
    if let Some(text) = text(&fields.time) {
        by_stamp(call, Stamp::Any, &text);
    }
    call.route = text(&fields.route)
        .and_then(|text| if text.contains(' ') { path_of_request(&text) } else { Some(path(&text)) });
    call.status = text(&fields.status).map_or(Some(None), |text| status(&text).map(Some))?;
    call.bytes = text(&fields.bytes).map_or(Some(None), |text| bytes(&text).map(Some))?;
    call.duration = text(&fields.duration).map_or(Some(None), |text| duration(&text, a_second))?;
    let is_empty = call.status.is_none() && call.bytes.is_none() && call.duration.is_none();
    (!is_empty).then_some(())
}

/// A number without an exponent: `1.5e-5` is written by those who print floating-point numbers.
fn plain(number: &serde_json::Number) -> String {
    let text = number.to_string();
    match number.as_f64() {
        Some(value) if text.contains(['e', 'E']) && value.is_finite() => format!("{value:.12}"),
        _ => text,
    }
}

/// A member by its whole name, else by the parts of its name between dots.
fn find<'a>(object: &'a Value, name: &str) -> Option<&'a Value> {
    object.get(name).or_else(|| name.split('.').try_fold(object, |value, part| value.get(part)))
}

/// The second word of a request line, or the only one.
fn path_of_request(text: &str) -> Option<String> {
    let mut words = text.split_ascii_whitespace();
    let first = words.next().filter(|word| *word != "-")?;
    Some(path(words.next().unwrap_or(first)))
}

/// Without what follows `?`: it is the caller's, and may be secret.
fn path(text: &str) -> String {
    text.split(['?', '#']).next().unwrap_or_default().chars().take(ROUTE_CHARS_MAX).collect()
}

fn status(text: &str) -> Option<u16> {
    match text {
        "-" => Some(0),
        text if text.len() <= 3 && text.bytes().all(|byte| byte.is_ascii_digit()) => text.parse().ok(),
        _ => None,
    }
}

fn bytes(text: &str) -> Option<u64> {
    if text == "-" { Some(0) } else { text.parse().ok() }
}

/// A decimal number of so many a second; inner `None` for `-`, outer for what is none.
fn duration(text: &str, a_second: f64) -> Option<Option<Nanos>> {
    if text == "-" {
        return Some(None);
    }
    let is_number = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.');
    let seconds = text.parse::<f64>().ok().filter(|_| is_number)? / a_second;
    (seconds <= DURATION_MAX_S).then(|| Some(Nanos((seconds * 1e9).round() as i64)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use terms::iso;

    fn pattern(text: &str) -> Format {
        Format::Pattern(Pattern::read(text).unwrap())
    }

    fn shown(call: &Call) -> (String, String, u16, u64, i64) {
        let at = call.moment.map(|moment| iso::millis(moment.wall)).unwrap_or_default();
        let route = call.route.clone().unwrap_or_default();
        let nanos = call.duration.map_or(-1, |duration| duration.0);
        (at, route, call.status.unwrap_or(1), call.bytes.unwrap_or(1), nanos)
    }

    /// The line is the example of Apache's manual of mod_log_config, with a duration added.
    #[test]
    fn lines_of_real_servers() {
        let at = || "2000-10-10T20:55:36.000Z".to_owned();
        let apache = r#"127.0.0.1 - frank [10/Oct/2000:13:55:36 -0700] "GET /apache_pb.gif?a=1 HTTP/1.0" 200 2326"#;
        let expected = |nanos| (at(), "/apache_pb.gif".to_owned(), 200, 2326, nanos);
        let common = pattern("common");
        assert_eq!(shown(&common.read(apache.as_bytes(), 1.0).unwrap()), expected(-1));
        let line = format!("{apache} 1500");
        let of = |scale: f64| shown(&pattern("common %D").read(line.as_bytes(), scale).unwrap());
        assert_eq!((of(1e6), of(1e3)), (expected(1_500_000), expected(1_500_000_000)), "as the study says");
        // Both: milliseconds by `%D` count, the seconds of `%T` do not.
        let tomcat = format!("{apache} 37 0.037");
        let both = pattern(r#"%h %l %u %t "%r" %s %b %D %T"#);
        assert_eq!(shown(&both.read(tomcat.as_bytes(), 1e3).unwrap()), expected(37_000_000));
        assert_eq!(
            shown(
                &pattern(r#"%h %l %u %t "%r" %s %b %T %D"#).read(format!("{apache} 0.037 37").as_bytes(), 1e3).unwrap()
            ),
            expected(37_000_000)
        );
        let nginx = r#"$remote_addr - $remote_user [$time_local] "$request" $status $body_bytes_sent $request_time"#;
        assert_eq!(
            shown(&pattern(nginx).read(format!("{apache} 0.123").as_bytes(), 1.0).unwrap()),
            expected(123_000_000)
        );
        let combined = format!(r#"{apache} "http://a.example/\"x\" y" "Mozilla/5.0 (\"odd\" 100)" 7"#);
        assert_eq!(shown(&pattern("combined %{us}T").read(combined.as_bytes(), 1.0).unwrap()), expected(7_000));
        let ours = r#"2026-11-21T10:00:00.123Z gateway "GET /check-out" 201 87 1.234 abc"#;
        let expected = ("2026-11-21T10:00:00.123Z".to_owned(), "/check-out".to_owned(), 201, 87, 1_234_000);
        assert_eq!(shown(&pattern("reference").read(ours.as_bytes(), 1.0).unwrap()), expected);
        let undertow = pattern(r#"%h %t "%r" %s %{RESPONSE_TIME_MICROS} %{i,User-Agent}"#);
        let line = br#"10.0.0.1 [10/Oct/2000:13:55:36 -0700] "POST /a HTTP/1.1" 503 250 curl"#;
        assert_eq!(shown(&undertow.read(line, 1.0).unwrap()), (at(), "/a".into(), 503, 1, 250_000));
    }

    #[test]
    fn objects_have_their_fields_by_name_or_path() {
        let name = |text: &str| Some(text.to_owned());
        let fields = JsonFields {
            time: name("ts"),
            route: name("request.uri"),
            status: name("status"),
            duration: name("took.ms"),
            bytes: name("size"),
        };
        let format = Format::Json(fields);
        let line = br#"{"ts":1795255200.5,"request":{"uri":"/a?b"},"status":"200","took.ms":1.5,"size":10,"more":[1,{"x":2}]}"#;
        let expected = ("2026-11-21T10:00:00.500Z".into(), "/a".into(), 200, 10, 1_500_000);
        assert_eq!(shown(&format.read(line, 1e3).unwrap()), expected);
        let tiny = format.read(br#"{"status":200,"took":{"ms":1.5e-5}}"#, 1.0).unwrap();
        assert_eq!(tiny.duration, Some(Nanos(15_000)));
        for text in [
            "",
            "{}",
            "[]",
            "{",
            "null",
            r#"{"status":"many"}"#,
            r#"{"status":200,"took.ms":"long"}"#,
            r#"{"other":1}"#,
        ] {
            assert_eq!(format.read(text.as_bytes(), 1e3), None, "{text}");
        }
    }

    #[test]
    fn what_has_another_form_is_not_understood() {
        let format = pattern("common %D");
        for line in [
            "",
            "garbage",
            r#"1 - - [10/Oct/2000:13:55:36 -0700] "GET / HTTP/1.1" 200 5"#,
            r#"1 - - [10/Oct/2000:13:55:36 -0700] "GET / HTTP/1.1" OK 5 7"#,
            r#"1 - - [10/Oct/2000:13:55:36 -0700] "GET / HTTP/1.1" 200 5 7 8"#,
            r#"1 - - [10/Oct/2000:13:55:36 -0700] "GET / HTTP/1.1" 200 5 -7"#,
            r#"1 - - [10/Oct/2000:13:55:36 -0700] "GET / HTTP/1.1" 200 5 1e5"#,
            r#"1 - - [10/Oct/2000:13:55:36 -0700] "GET / HTTP/1.1" 200 5 99999999999999999999"#,
            r#"1 - - [10/Oct/2000:13:55:36 -0700] "GET / HTTP/1.1 200 5 7"#,
        ] {
            assert_eq!(format.read(line.as_bytes(), 1e6), None, "{line}");
        }
        let odd = r#"1 - - [yesterday] "-" - - -"#;
        let call = format.read(odd.as_bytes(), 1e6).unwrap();
        let expected = Call { status: Some(0), bytes: Some(0), ..Call::default() };
        assert_eq!(call, expected, "a call all the same, without time, route and duration");
    }

    #[test]
    fn patterns_that_nobody_can_read_are_refused() {
        for (text, part) in [
            ("%s%D", "side by side"),
            ("%{ms T %s", "without its `}`"),
            ("%s %", "followed by no letter"),
            ("%h %l", "neither a duration"),
            ("%{h}T %s", "unit that is not known"),
            ("", "neither a duration"),
        ] {
            let (why, hint) = Pattern::read(text).unwrap_err();
            assert!(why.contains(part) && !hint.is_empty(), "{text}: {why}");
        }
    }

    proptest! {
        /// What a server would write by a pattern reads back as it was, whatever stands in the fields around.
        #[test]
        fn what_is_written_by_the_pattern_reads_back(
            status in 100u16..600, bytes in any::<u32>(), micros in 0u64..100_000_000_000, agent in "[ -~]{0,20}",
        ) {
            let agent = agent.replace('\\', "\\\\").replace('"', "\\\"");
            let line = format!(
                "10.0.0.1 - - [10/Oct/2000:13:55:36 -0700] \"GET /a HTTP/1.1\" {status} {bytes} \"-\" \"{agent}\" {micros}"
            );
            let call = pattern("combined %{us}T").read(line.as_bytes(), 1.0).unwrap();
            prop_assert_eq!(call.status, Some(status));
            prop_assert_eq!(call.bytes, Some(u64::from(bytes)));
            prop_assert_eq!(call.duration, Some(Nanos(micros as i64 * 1000)));
        }

        #[test]
        fn no_line_and_no_pattern_makes_it_panic(
            text in "[%${}\"a-zDTUsrtb>^0-9 ]{0,30}", line in prop::collection::vec(any::<u8>(), 0..80),
        ) {
            if let Ok(pattern) = Pattern::read(&text) {
                let _ = Format::Pattern(pattern).read(&line, 1e3);
            }
            let json = JsonFields { status: Some("a.b".into()), duration: Some("d".into()), ..JsonFields::default() };
            let _ = Format::Json(json).read(&line, 1e3);
            let _ = pattern("combined %D").read(&line, 1e3);
        }
    }
}
