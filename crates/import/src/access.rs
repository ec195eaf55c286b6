//! Access logs of servers: each line a call as the server saw it.
//!
//! The pattern is that of the server's configuration, as for the monitor `access_log`. Apache stamps a line with the
//! begin of its call; nginx, and patterns with `%{end:…}t`, with its end. A pattern without a duration leaves times
//! unknown.

use crate::call::{Call, Sink, Time};
use crate::error::ImportError;
use crate::input::Input;
use crate::lines::{Line, Lines};
use crate::reading::{Reading, shown};
use crate::zone::Zone;
use access_lines::{Format, JsonFields, NAMED, Pattern};
use std::path::Path;
use terms::{Nanos, Outcome};

/// How lines are read.
pub(crate) struct Access<'a> {
    /// As the server's configuration has it, or `json KEY=FIELD …`.
    pub(crate) format: Option<&'a str>,
    /// Unit of durations, where the pattern leaves it open.
    pub(crate) unit: Option<Nanos>,
}

impl Access<'_> {
    /// Reads a log.
    ///
    /// # Errors
    /// Without a pattern or a unit that it needs, and for a file that cannot be read for another reason than damage.
    pub(crate) fn read(&self, path: &Path, input: Input, sink: &mut dyn Sink) -> Result<Reading, ImportError> {
        let (format, ends) = self.format(path)?;
        let a_second = self.unit.map_or(1.0, |unit| 1e9 / unit.0 as f64);
        let (mut lines, mut reading, zone) = (Lines::new(input), Reading::default(), sink.zone());
        loop {
            match lines.advance() {
                Ok(Line::End) => break,
                Ok(Line::TooLong) => reading.unreadable(lines.number(), "it is longer than a mebibyte"),
                Ok(Line::Whole) if lines.text().is_empty() => {}
                Ok(Line::Whole) => match call(&format, lines.text(), (a_second, ends), &zone) {
                    Ok((call, route)) => {
                        reading.read += 1;
                        sink.call(&Call { label: route.as_bytes(), ..call })?;
                    }
                    Err(why) => {
                        let why = format!("{why}: `{}`", shown(lines.text()));
                        reading.unreadable(lines.number(), why);
                    }
                },
                Err(error) => {
                    reading.break_off(path, lines.number(), &error)?;
                    break;
                }
            }
        }
        (reading.bytes, reading.sha256) = lines.reader().fingerprint();
        Ok(reading)
    }

    /// The format, and whether its stamps are those of ends.
    fn format(&self, path: &Path) -> Result<(Format, bool), ImportError> {
        let names = || NAMED.map(|(name, _)| name).join(", ");
        let Some(text) = self.format else {
            return Err(ImportError::file(
                path,
                format!(
                    "is an access log, and how a line of it reads is not known; write the pattern of the server's \
                     configuration: `--format 'common %D' --unit us` (names that a pattern may begin with: {})",
                    names()
                ),
            ));
        };
        let asked = |what: String| ImportError::Asked(format!("`--format` {what}"));
        let format = match text.strip_prefix("json ") {
            Some(fields) => Format::Json(json(fields).map_err(asked)?),
            None => Format::Pattern(
                Pattern::read(text).map_err(|(why, hint)| asked(format!("cannot be used: {why}\n{hint}")))?,
            ),
        };
        let needs_unit = match &format {
            Format::Pattern(pattern) => pattern.duration() == Some(None),
            Format::Json(fields) => fields.duration.is_some(),
        };
        if needs_unit && self.unit.is_none() {
            return Err(asked(
                "has a duration without a unit; write it: `--unit us` or `--unit ms` (`%D` is microseconds in Apache and \
                 in Tomcat from 10 on, milliseconds in older Tomcats and in Undertow)"
                    .into(),
            ));
        }
        if format.stamp().is_none() {
            return Err(asked(
                "has no moment, such as `%t`, `$time_local` or `time=ts`, and calls have no place".into(),
            ));
        }
        let ends =
            text.contains("%{end:") || ["$time_local", "$time_iso8601", "$msec"].iter().any(|it| text.contains(it));
        Ok((format, ends))
    }
}

/// `time=ts route=request.uri status=code duration=took bytes=size`.
fn json(text: &str) -> Result<JsonFields, String> {
    let mut fields = JsonFields::default();
    for word in text.split_whitespace() {
        let (key, name) = word.split_once('=').unwrap_or((word, ""));
        let place = match key {
            "time" => &mut fields.time,
            "route" => &mut fields.route,
            "status" => &mut fields.status,
            "duration" => &mut fields.duration,
            "bytes" => &mut fields.bytes,
            _ => {
                return Err(format!(
                    "has `{key}`, and the fields of a line are `json time=… route=… status=… duration=… bytes=…`"
                ));
            }
        };
        if name.is_empty() {
            return Err(format!("names no field for `{key}`; write `{key}=NAME`"));
        }
        *place = Some(name.to_owned());
    }
    Ok(fields)
}

fn call(
    format: &Format,
    line: &[u8],
    (a_second, ends): (f64, bool),
    zone: &Zone,
) -> Result<(Call<'static>, String), &'static str> {
    let read = format.read(line, a_second).ok_or("it does not follow the pattern")?;
    let in_zone = || Some(read.local? - Nanos::from_secs(zone.offset()));
    let at = read.moment.map(|moment| moment.wall).or_else(in_zone).ok_or("it has no moment that can be read")?;
    let took = read.duration.unwrap_or_default();
    let start = if ends { at - took } else { at };
    if start < Nanos::ZERO {
        return Err("its moment cannot be");
    }
    let outcome = match read.status {
        // Nothing was answered.
        Some(0) => Outcome::Reset,
        Some(400..) => Outcome::Status,
        _ => Outcome::Ok,
    };
    let time = if read.duration.is_some() { Time::Service } else { Time::Unknown };
    let call = Call { start, took, time, outcome, bytes: read.bytes.unwrap_or(0), ..Call::default() };
    Ok((call, read.route.unwrap_or_default()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Cursor;

    #[derive(Default)]
    struct Kept(Vec<(i64, i64, String, Outcome, Time)>, Zone);

    impl Sink for Kept {
        fn zone(&self) -> Zone {
            self.1.clone()
        }

        fn call(&mut self, call: &Call<'_>) -> Result<(), ImportError> {
            let label = String::from_utf8_lossy(call.label).into_owned();
            self.0.push((call.start.0 / 1_000_000, call.took.0 / 1000, label, call.outcome, call.time));
            Ok(())
        }
    }

    fn seen(text: &str, format: Option<&str>, unit: Option<Nanos>) -> Result<(Kept, Reading), ImportError> {
        let (mut kept, input) = (Kept::default(), Input::of(Cursor::new(text.as_bytes().to_vec())).unwrap());
        let reading = Access { format, unit }.read(Path::new("access.log"), input, &mut kept)?;
        Ok((kept, reading))
    }

    /// The first line is the example of Apache's manual of mod_log_config, with a duration added.
    const APACHE: &str = "127.0.0.1 - frank [10/Oct/2000:13:55:36 -0700] \"GET /apache_pb.gif?a=1 HTTP/1.0\" 200 2326 1500\n\
        garbage\n127.0.0.1 - - [10/Oct/2000:13:55:37 -0700] \"POST /cart HTTP/1.1\" 503 - 40\n";

    #[test]
    fn lines_become_calls_by_the_servers_pattern() {
        let (kept, reading) = seen(APACHE, Some("common %D"), Some(Nanos::MICROSECOND)).unwrap();
        let at = 971_211_336_000;
        let expected = [
            (at, 1500, "/apache_pb.gif".to_owned(), Outcome::Ok, Time::Service),
            (at + 1000, 40, "/cart".to_owned(), Outcome::Status, Time::Service),
        ];
        assert_eq!(kept.0, expected);
        assert_eq!((reading.read, reading.unreadable, reading.examples[0].line), (2, 1, 2));
    }

    #[test]
    fn nginx_stamps_the_end_and_a_pattern_without_duration_leaves_times_unknown() {
        let line = "1.2.3.4 - - [10/Oct/2000:13:55:36 -0700] \"GET /a HTTP/1.1\" 200 5 0.250\n";
        let format = "$remote_addr - $remote_user [$time_local] \"$request\" $status $body_bytes_sent $request_time";
        let (kept, _) = seen(line, Some(format), None).unwrap();
        assert_eq!(kept.0[0], (971_211_335_750, 250_000, "/a".into(), Outcome::Ok, Time::Service));
        let (kept, _) =
            seen("1 - - [10/Oct/2000:13:55:36 -0700] \"GET /a HTTP/1.1\" 200 5\n", Some("common"), None).unwrap();
        assert_eq!(kept.0[0].4, Time::Unknown);
        let json = "{\"ts\":971211336,\"r\":{\"uri\":\"/x?y\"},\"code\":\"-\",\"took\":2}\n";
        let format = "json time=ts route=r.uri status=code duration=took";
        let (kept, _) = seen(json, Some(format), Some(Nanos::MILLISECOND)).unwrap();
        assert_eq!(kept.0[0], (971_211_336_000, 2000, "/x".into(), Outcome::Reset, Time::Service));
    }

    #[test]
    fn moments_without_a_zone_are_of_the_one_that_is_given() {
        let begin = |text: &str, format| {
            let mut kept = Kept(Vec::new(), Zone::of(Some(7200)));
            let input = Input::of(Cursor::new(text.as_bytes().to_vec())).unwrap();
            let access = Access { format: Some(format), unit: Some(Nanos::MILLISECOND) };
            let reading = access.read(Path::new("access.log"), input, &mut kept).unwrap();
            assert_eq!((reading.read, reading.unreadable), (1, 0), "{reading:?}");
            (kept.0[0].0, kept.1.is_used())
        };
        let json = "json time=ts route=uri status=code";
        let line = |ts: &str| format!("{{\"ts\":\"{ts}\",\"uri\":\"/x\",\"code\":200}}\n");
        assert_eq!(begin(&line("2026-11-26 12:58:00.5"), json), (1_795_690_680_500, true));
        assert_eq!(begin(&line("2026-11-26T10:58:00Z"), json), (1_795_690_680_000, false));
        let pattern = "%{%Y-%m-%d %H:%M:%S}t %m %U %s";
        assert_eq!(begin("2026-11-26 12:58:00 GET /x 200\n", pattern), (1_795_690_680_000, true));
    }

    #[test]
    fn what_is_missing_is_asked_for() {
        let refused = |format, unit| seen(APACHE, format, unit).map(|_| ()).unwrap_err().to_string();
        assert!(refused(None, None).contains("`--format 'common %D' --unit us`"));
        assert!(refused(Some("common %D"), None).contains("`--unit us`"));
        assert!(refused(Some("%s %b"), None).contains("has no moment"));
        assert!(refused(Some("%h"), None).contains("cannot be used"));
        assert!(refused(Some("json status=code size=x"), None).contains("has `size`"));
    }
}
