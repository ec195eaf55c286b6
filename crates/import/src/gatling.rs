//! `simulation.log` of Gatling: text until 3.11, a binary form from 3.12 on.
//!
//! In the text a line is a record of fields with tabs between. A request has its groups, name, start, end in milliseconds
//! since 1970, `OK` or `KO` and a message; versions differ in what stands before these. A group sums up its requests.
//!
//! Source: Gatling 3.0 to 3.13, `LogFileDataWriter`.

use crate::call::{Call, Sink, Time, What};
use crate::error::ImportError;
use crate::gatling_binary;
use crate::input::Input;
use crate::lines::{Line, Lines};
use crate::numbers::whole;
use crate::printed::Beside;
use crate::reading::{Reading, shown};
use std::io::{BufRead, BufReader};
use std::path::Path;
use terms::{Nanos, Outcome};

/// Messages of Gatling's own failures that are kept.
const ERRORS_MAX: usize = 100;

/// Reads a log in whichever of its forms.
///
/// # Errors
/// For a file that is none of Gatling's, or cannot be read to its end for another reason than damage.
pub(crate) fn read(path: &Path, input: Input, sink: &mut dyn Sink) -> Result<(Reading, Beside), ImportError> {
    let wrong = |error: std::io::Error| ImportError::file(path, format!("cannot be read: {error}"));
    let mut reader = BufReader::with_capacity(1 << 20, input);
    // The header of a run in the binary form: a byte of zero, and the length of the version that follows.
    let is_binary = reader.fill_buf().map_err(wrong)?.starts_with(&[0, 0, 0, 0]);
    if is_binary { gatling_binary::read(path, reader, sink) } else { text(path, reader, sink) }
}

/// What is known while a log is read.
#[derive(Default)]
pub(crate) struct Users(u32);

impl Users {
    pub(crate) fn see(&mut self, is_start: bool, at: Nanos, sink: &mut dyn Sink) {
        self.0 = if is_start { self.0.saturating_add(1) } else { self.0.saturating_sub(1) };
        sink.users(at, self.0);
    }
}

fn text(path: &Path, reader: BufReader<Input>, sink: &mut dyn Sink) -> Result<(Reading, Beside), ImportError> {
    let (mut lines, mut reading, mut beside) = (Lines::new(reader), Reading::default(), Beside::default());
    let (mut users, mut has_run) = (Users::default(), false);
    loop {
        match lines.advance() {
            Ok(Line::End) => break,
            Ok(Line::TooLong) => reading.unreadable(lines.number(), "it is longer than a mebibyte"),
            Ok(Line::Whole) if lines.text().is_empty() => {}
            Ok(Line::Whole) => {
                let fields: Vec<&[u8]> = lines.text().split(|byte| *byte == b'\t').collect();
                let is_known = has_run || matches!(fields[0], b"RUN" | b"ASSERTION");
                if !is_known {
                    let what = format!(
                        "is not a log of Gatling: its first line is `{}`, and a log begins with `RUN`\nthe file is \
                         `simulation.log` in the folder of a run's results",
                        shown(lines.text())
                    );
                    return Err(ImportError::file(path, what));
                }
                has_run |= fields[0] == b"RUN";
                match record(&fields, &mut users, &mut beside, sink)? {
                    Ok(is_call) => reading.read += u64::from(is_call),
                    Err(why) => reading.unreadable(lines.number(), why),
                }
            }
            Err(error) => {
                reading.break_off(path, lines.number(), &error)?;
                break;
            }
        }
    }
    (reading.bytes, reading.sha256) = lines.reader().get_ref().fingerprint();
    Ok((reading, beside))
}

/// Takes a record; whether it is a call.
fn record(
    fields: &[&[u8]],
    users: &mut Users,
    beside: &mut Beside,
    sink: &mut dyn Sink,
) -> Result<Result<bool, String>, ImportError> {
    match fields[0] {
        b"RUN" | b"ASSERTION" => Ok(Ok(false)),
        b"REQUEST" => match request(fields) {
            Ok((start, took, label, outcome, why)) => {
                sink.call(&of(start, took, &label, outcome, What::Call, why))?;
                Ok(Ok(true))
            }
            Err(why) => Ok(Err(why)),
        },
        b"GROUP" => match group(fields) {
            Ok((start, took, label)) => {
                sink.call(&of(start, took, &label, Outcome::Ok, What::Sum, b""))?;
                Ok(Ok(true))
            }
            Err(why) => Ok(Err(why)),
        },
        b"USER" => {
            let place = fields.iter().rposition(|field| matches!(*field, b"START" | b"END"));
            let at = place.and_then(|place| {
                let numbers = fields.get(place + 1..)?.iter().map_while(|field| moment(field));
                if fields[place] == b"START" { numbers.min() } else { numbers.max() }
            });
            let (Some(place), Some(at)) = (place, at) else { return Ok(Err("it is a user without a moment".into())) };
            users.see(fields[place] == b"START", at, sink);
            Ok(Ok(false))
        }
        b"ERROR" => {
            error(fields.get(1).copied().unwrap_or_default(), beside);
            Ok(Ok(false))
        }
        other => Ok(Err(format!("it is a record `{}`, which Gatling does not write", shown(other)))),
    }
}

/// A failure of Gatling's own that belongs to no request.
pub(crate) fn error(message: &[u8], beside: &mut Beside) {
    if beside.remarks.len() < ERRORS_MAX {
        beside.remarks.push(format!("an error of the load's own: {}", shown(message)));
    }
}

pub(crate) fn of<'a>(
    start: Nanos,
    took: Nanos,
    label: &'a [u8],
    outcome: Outcome,
    what: What,
    why: &'a [u8],
) -> Call<'a> {
    Call { start, took, time: Time::Service, label, outcome, what, why, ..Call::default() }
}

fn moment(text: &[u8]) -> Option<Nanos> {
    whole(text).filter(|millis| (1..9_000_000_000_000).contains(millis)).map(Nanos::from_millis)
}

type Request<'a> = (Nanos, Nanos, Vec<u8>, Outcome, &'a [u8]);

/// A request: whatever stands before, its last fields are groups, name, start, end, status and perhaps a message.
fn request<'a>(fields: &[&'a [u8]]) -> Result<Request<'a>, String> {
    let is_status = |place: &usize| matches!(fields[*place], b"OK" | b"KO") && *place >= 5;
    let place =
        (5..fields.len()).rev().find(is_status).ok_or("it has no status `OK` or `KO` where a request has it")?;
    let stamp = |place: usize| {
        moment(fields[place]).ok_or_else(|| format!("its time stamp `{}` is none", shown(fields[place])))
    };
    let (start, end) = (stamp(place - 2)?, stamp(place - 1)?);
    let took = end - start;
    if took < Nanos::ZERO {
        return Err(format!("it ends {} ms before it begins", -took.0 / 1_000_000));
    }
    let why = fields.get(place + 1).copied().unwrap_or_default().trim_ascii();
    let outcome = if fields[place] == b"OK" { Outcome::Ok } else { failure(why) };
    let groups = fields[place - 4];
    let label = labelled(groups.split(|byte| *byte == b',').filter(|group| !group.is_empty()), fields[place - 3]);
    Ok((start, took, label, outcome, why))
}

/// `group / name`.
pub(crate) fn labelled<'a>(groups: impl Iterator<Item = &'a [u8]>, name: &[u8]) -> Vec<u8> {
    let mut label = Vec::new();
    for group in groups {
        label.extend_from_slice(group);
        label.extend_from_slice(b" / ");
    }
    label.extend_from_slice(name);
    label
}

/// A group: its names, start, end, the sum of its requests' times, status.
fn group(fields: &[&[u8]]) -> Result<(Nanos, Nanos, Vec<u8>), String> {
    let status = fields.iter().rposition(|field| matches!(*field, b"OK" | b"KO")).filter(|place| *place >= 5);
    let place = status.ok_or("it has no status `OK` or `KO` where a group has it")?;
    let stamps = moment(fields[place - 3]).zip(moment(fields[place - 2])).filter(|(start, end)| end >= start);
    let (start, end) = stamps.ok_or("its time stamps are none")?;
    let names: Vec<&[u8]> = fields[place - 4].split(|byte| *byte == b',').collect();
    Ok((start, end - start, names.join(&b" / "[..])))
}

/// How a request failed, by Gatling's words.
pub(crate) fn failure(message: &[u8]) -> Outcome {
    let has = |words: &[&str]| words.iter().any(|word| memchr::memmem::find(message, word.as_bytes()).is_some());
    if has(&["timeout", "Timeout", "timed out"]) {
        Outcome::Timeout
    } else if has(&["status.find", "status.in", "status.is", "status.not"]) {
        Outcome::Status
    } else if has(&["ConnectException", "refused", "UnknownHost", "NoRouteToHost"]) {
        Outcome::Refused
    } else if has(&["reset", "Premature close", "ClosedChannel", "SSLException"]) {
        Outcome::Reset
    } else if has(&[".find", ".is(", ".in(", ".exists", "but actually"]) {
        Outcome::Wrong
    } else {
        Outcome::Fault
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Cursor;

    #[derive(Default)]
    struct Kept(Vec<(i64, i64, String, Outcome, What)>, Vec<u32>);

    impl Sink for Kept {
        fn call(&mut self, call: &Call<'_>) -> Result<(), ImportError> {
            let label = String::from_utf8_lossy(call.label).into_owned();
            self.0.push((call.start.0 / 1_000_000, call.took.0 / 1_000_000, label, call.outcome, call.what));
            Ok(())
        }

        fn users(&mut self, _: Nanos, users: u32) {
            self.1.push(users);
        }
    }

    fn seen(text: &str) -> Result<(Kept, Reading, Beside), ImportError> {
        let (mut kept, input) = (Kept::default(), Input::of(Cursor::new(text.as_bytes().to_vec())).unwrap());
        let (reading, beside) = read(Path::new("simulation.log"), input, &mut kept)?;
        Ok((kept, reading, beside))
    }

    /// Lines as the writers of 3.0 and of 3.5 make them: with the number of the user, and without.
    const TEXT: &str = "ASSERTION\tAAECAAYDAQo=\n\
        RUN\tlab.Shop\tshop\t1795690680000\t \t3.9.5\n\
        USER\tvisit\tSTART\t1795690680001\n\
        USER\tvisit\t7\tSTART\t1795690680002\t1795690680002\n\
        REQUEST\t7\tcheckout,pay\tcard\t1795690680100\t1795690680350\tOK\t \n\
        REQUEST\t\thome\t1795690680400\t1795690680405\tKO\tstatus.find.is(200), but actually found 500\n\
        GROUP\tcheckout,pay\t1795690680100\t1795690680400\t250\tOK\n\
        ERROR\tno session\t1795690680500\n\
        USER\tvisit\tEND\t1795690680600\n";

    #[test]
    fn requests_of_all_versions_are_read() {
        let (kept, reading, beside) = seen(TEXT).unwrap();
        let expected = [
            (1_795_690_680_100, 250, "checkout / pay / card".to_owned(), Outcome::Ok, What::Call),
            (1_795_690_680_400, 5, "home".to_owned(), Outcome::Status, What::Call),
            (1_795_690_680_100, 300, "checkout / pay".to_owned(), Outcome::Ok, What::Sum),
        ];
        assert_eq!(kept.0, expected);
        assert_eq!((kept.1, reading.read, reading.unreadable), (vec![1, 2, 1], 3, 0));
        assert_eq!(beside.remarks, ["an error of the load's own: no session"]);
    }

    #[test]
    fn damaged_records_are_counted() {
        let text = format!(
            "{TEXT}REQUEST\t\thome\t1795690680400\t1795690680300\tOK\t \nREQUEST\t\tho\nWHAT\tx\nUSER\tvisit\tEND\n"
        );
        let (kept, reading, _) = seen(&text).unwrap();
        assert_eq!((kept.0.len(), reading.unreadable), (3, 4));
        assert_eq!(reading.examples[0].why, "it ends 100 ms before it begins");
        assert!(seen("timeStamp,elapsed\n").map(|_| ()).unwrap_err().to_string().contains("`simulation.log`"));
    }
}
