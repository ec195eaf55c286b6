//! Files that Locust writes with `--csv`: counts by second, figures of the whole run, failures, exceptions.
//!
//! `_stats_history.csv` has a row a second with what was counted until then, for all calls together and, with
//! `--csv-full-history`, for each name. Calls of a second are what two rows differ by. How long each took is in none of
//! the files: percentiles are Locust's own, of times rounded to two digits, and stand beside, never in the place of times.
//!
//! Source: Locust 2.x, `locust/stats.py` (`StatsCSVFileWriter`).

use crate::call::{Call, Sink, Time};
use crate::error::ImportError;
use crate::input::Input;
use crate::numbers::{decimal, whole};
use crate::printed::{Beside, Figure};
use crate::reading::{Reading, shown};
use crate::records::{Found, Records};
use std::collections::HashMap;
use std::path::Path;
use terms::{Nanos, Outcome};

/// What Locust calls all calls together.
const ALL: &[u8] = b"Aggregated";
/// Longest time between two rows whose calls are spread over it, seconds.
const GAP_MAX: i64 = 3600;
/// Names that are kept apart; a study has room for fewer.
const NAMES_MAX: usize = 10_000;
/// Seconds whose sums are kept until it is known whether names have rows of their own.
const SECONDS_MAX: usize = 14 * 86_400;

/// Which of the files it is, with the places of its columns.
enum File {
    History(History),
    Stats { percentiles: Vec<(usize, f64)> },
    Failures,
    Exceptions,
}

struct History {
    time: usize,
    users: usize,
    method: usize,
    name: usize,
    requests: usize,
    failures: usize,
    size: Option<usize>,
}

/// Counts until a row, of one name.
#[derive(Clone, Copy, Debug, Default)]
struct Until {
    second: i64,
    requests: u64,
    failures: u64,
    bytes: u64,
}

/// Calls between two rows.
#[derive(Clone, Copy, Debug)]
struct Between {
    from: i64,
    seconds: i64,
    ok: u64,
    failed: u64,
    bytes: u64,
}

/// Reads one of the files.
///
/// # Errors
/// For a file that is none of Locust's, or cannot be read to its end for another reason than damage.
pub(crate) fn read(path: &Path, input: Input, sink: &mut dyn Sink) -> Result<(Reading, Beside), ImportError> {
    let mut records = Records::new(input, b',');
    let file = header(path, &mut records)?;
    let columns = records.len();
    let (mut reading, mut beside, mut counting) = (Reading::default(), Beside::default(), Counting::default());
    loop {
        match records.advance() {
            Ok(Found::Record) => {
                let read = match &file {
                    _ if records.len() != columns => {
                        Err(format!("it has {} fields, and the header row {columns}", records.len()))
                    }
                    File::History(columns) => counting.row(&records, columns, sink)?,
                    File::Stats { percentiles } => stats(&records, percentiles, &mut beside),
                    File::Failures => failure(&records, &mut beside),
                    File::Exceptions => exception(&records, &mut beside),
                };
                match read {
                    Ok(()) => reading.read += 1,
                    Err(why) => {
                        reading.unreadable(records.line(), why);
                        records.only_first_line();
                    }
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
    counting.finish(sink, &mut beside)?;
    (reading.bytes, reading.sha256) = records.reader().fingerprint();
    Ok((reading, beside))
}

fn header(path: &Path, records: &mut Records<Input>) -> Result<File, ImportError> {
    let wrong = |what: String| ImportError::file(path, what);
    let first = records.advance().map_err(|error| wrong(format!("cannot be read: {error}")))?;
    let names: Vec<Vec<u8>> = (0..records.len()).map(|number| records.field(number).trim_ascii().to_vec()).collect();
    let place = |wanted: &str| names.iter().position(|name| name == wanted.as_bytes());
    let history = || {
        Some(History {
            time: place("Timestamp")?,
            users: place("User Count")?,
            method: place("Type")?,
            name: place("Name")?,
            requests: place("Total Request Count")?,
            failures: place("Total Failure Count")?,
            size: place("Total Average Content Size"),
        })
    };
    let is = |wanted: &[&str]| names.len() >= wanted.len() && names.iter().zip(wanted).all(|(a, b)| a == b.as_bytes());
    let file = if let Some(columns) = history() {
        Some(File::History(columns))
    } else if is(&STATS) {
        let share = |(place, name): (usize, &Vec<u8>)| {
            let percent = decimal(name.strip_suffix(b"%")?).filter(|percent| (0.0..=100.0).contains(percent))?;
            Some((place, percent / 100.0))
        };
        Some(File::Stats { percentiles: names.iter().enumerate().filter_map(share).collect() })
    } else if is(&["Method", "Name", "Error", "Occurrences"]) {
        Some(File::Failures)
    } else if is(&["Count", "Message", "Traceback"]) {
        Some(File::Exceptions)
    } else {
        None
    };
    match (first, file) {
        (Found::Record, Some(file)) => Ok(file),
        _ => {
            let text = names.first().map(|name| shown(name)).unwrap_or_default();
            Err(wrong(format!(
                "is not CSV written by Locust: its first line begins with `{text}`, and Locust's `_stats_history.csv` with \
                 `Timestamp,User Count,Type,Name`\nmake one with `locust --headless --csv NAME --csv-full-history`"
            )))
        }
    }
}

/// The first columns of `_stats.csv`.
const STATS: [&str; 8] = [
    "Type",
    "Name",
    "Request Count",
    "Failure Count",
    "Median Response Time",
    "Average Response Time",
    "Min Response Time",
    "Max Response Time",
];

/// `GET /path`, or the name alone; nothing for all together.
fn label(method: &[u8], name: &[u8]) -> Vec<u8> {
    match (method, name) {
        (b"", ALL) => Vec::new(),
        (b"", name) => name.to_vec(),
        (method, name) => [method, b" ", name].concat(),
    }
}

/// Turns counts until each row into calls between rows.
#[derive(Default)]
struct Counting {
    until: HashMap<Vec<u8>, Until>,
    /// Of all together: counted only where no name has rows of its own.
    all: Vec<Between>,
    has_names: bool,
    set_back: u64,
}

impl Counting {
    fn row(
        &mut self,
        records: &Records<Input>,
        columns: &History,
        sink: &mut dyn Sink,
    ) -> Result<Result<(), String>, ImportError> {
        let (until, users, label) = match read_row(records, columns) {
            Ok(read) => read,
            Err(why) => return Ok(Err(why)),
        };
        let is_first = !self.until.contains_key(&label);
        let between = match self.between(&label, until) {
            Ok(between) => between,
            Err(why) => return Ok(Err(why)),
        };
        sink.users(Nanos::from_secs(until.second), users);
        // The time before the first row, and rows without users, do not belong to the load unless calls were counted in
        // them.
        if users > 0 && !is_first || between.ok + between.failed > 0 {
            sink.covers(Nanos::from_secs(between.from), Nanos::from_secs(until.second));
        }
        if label.is_empty() {
            if !self.has_names && self.all.len() < SECONDS_MAX {
                self.all.push(between);
            }
        } else {
            self.has_names = true;
            self.all.clear();
            hand_on(&between, &label, sink)?;
        }
        Ok(Ok(()))
    }

    /// What was counted since the row before.
    fn between(&mut self, label: &[u8], until: Until) -> Result<Between, String> {
        let before = self.until.get(label).copied();
        if before.is_none() && self.until.len() >= NAMES_MAX {
            return Err(format!("it has a name that is one too many: {NAMES_MAX} are the most"));
        }
        // The first row of a name stands for the second before it.
        let before = before.unwrap_or(Until { second: until.second - 1, ..Until::default() });
        let seconds = (until.second - before.second).max(1);
        if until.second < before.second || seconds > GAP_MAX {
            return Err(format!("its Timestamp is {} s from that of the row before", until.second - before.second));
        }
        let is_set_back = until.requests < before.requests || until.failures < before.failures;
        // `--reset-stats`, or a reset by hand: what was counted since is what the row has.
        let since = if is_set_back { Until { second: before.second, ..Until::default() } } else { before };
        let (requests, failed) = (until.requests - since.requests, until.failures - since.failures);
        let Some(ok) = requests.checked_sub(failed) else {
            return Err(format!("since the row before, {failed} of {requests} requests failed"));
        };
        self.set_back += u64::from(is_set_back && label.is_empty());
        self.until.insert(label.to_vec(), until);
        let bytes = until.bytes.saturating_sub(since.bytes);
        Ok(Between { from: until.second - seconds, seconds, ok, failed, bytes })
    }

    fn finish(self, sink: &mut dyn Sink, beside: &mut Beside) -> Result<(), ImportError> {
        if self.set_back > 0 {
            let text = format!("Locust set its counts back {} times; calls are what was counted anew", self.set_back);
            beside.remarks.push(text);
        }
        self.all.iter().try_for_each(|between| hand_on(between, ALL, sink))
    }
}

fn read_row(records: &Records<Input>, columns: &History) -> Result<(Until, u32, Vec<u8>), String> {
    let count = |place: usize, what: &str| {
        let text = records.field(place);
        let number = whole(text).and_then(|number| u64::try_from(number).ok()).filter(|number| *number < 1 << 40);
        number.ok_or_else(|| format!("its {what} `{}` is not a count", shown(text)))
    };
    let second = count(columns.time, "Timestamp")? as i64;
    if second == 0 {
        return Err("its Timestamp is 0".into());
    }
    let (requests, failures) =
        (count(columns.requests, "Total Request Count")?, count(columns.failures, "Total Failure Count")?);
    let size = columns.size.and_then(|place| decimal(records.field(place))).filter(|size| (0.0..1e12).contains(size));
    let bytes = size.map_or(0, |size| (size * requests as f64).round() as u64);
    let users = count(columns.users, "User Count")?.min(u64::from(u32::MAX)) as u32;
    let label = label(records.field(columns.method), records.field(columns.name));
    Ok((Until { second, requests, failures, bytes }, users, label))
}

/// Calls of which nothing is known but in which seconds they ended: spread over these as evenly as whole calls can be.
fn hand_on(between: &Between, label: &[u8], sink: &mut dyn Sink) -> Result<(), ImportError> {
    let seconds = between.seconds as u64;
    for (number, second) in (0..seconds).zip(between.from..) {
        let part = |all: u64| all / seconds + u64::from(number < all % seconds);
        for (count, outcome, bytes) in
            [(part(between.ok), Outcome::Ok, part(between.bytes)), (part(between.failed), Outcome::Fault, 0)]
        {
            let mut left = count;
            let mut bytes = bytes;
            while left > 0 {
                let count = u32::try_from(left).unwrap_or(u32::MAX);
                left -= u64::from(count);
                let start = Nanos::from_secs(second) + Nanos::from_millis(500);
                let call = Call { start, outcome, bytes: std::mem::take(&mut bytes), count, label, ..Call::default() };
                sink.call(&Call { time: Time::Unknown, ..call })?;
            }
        }
    }
    Ok(())
}

fn stats(records: &Records<Input>, percentiles: &[(usize, f64)], beside: &mut Beside) -> Result<(), String> {
    let number = |place: usize| decimal(records.field(place));
    let label = label(records.field(0), records.field(1));
    let calls = number(2).ok_or_else(|| format!("its Request Count `{}` is not a number", shown(records.field(2))))?;
    beside.print(&label, Figure::Calls, Some(calls));
    beside.print(&label, Figure::Failed, number(3));
    if calls > 0.0 {
        let times = [(5, Figure::Mean), (6, Figure::Min), (7, Figure::Max)];
        times.into_iter().for_each(|(place, figure)| beside.print(&label, figure, number(place)));
        let printed = percentiles.iter().filter(|(_, share)| *share < 1.0);
        printed.for_each(|(place, share)| beside.print(&label, Figure::Quantile(*share), number(*place)));
    }
    Ok(())
}

fn failure(records: &Records<Input>, beside: &mut Beside) -> Result<(), String> {
    let text = records.field(3);
    let count = whole(text).and_then(|count| u64::try_from(count).ok());
    let count = count.ok_or_else(|| format!("its Occurrences `{}` is not a count", shown(text)))?;
    beside.fail(&label(records.field(0), records.field(1)), records.field(2), count);
    Ok(())
}

fn exception(records: &Records<Input>, beside: &mut Beside) -> Result<(), String> {
    let (count, message) = (shown(records.field(0)), shown(records.field(1)));
    whole(records.field(0)).ok_or_else(|| format!("its Count `{count}` is not a count"))?;
    if beside.remarks.len() < 100 {
        beside.remarks.push(format!("an exception of the load's own code, {count} times: {message}"));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Cursor;

    #[derive(Default)]
    struct Kept(Vec<(i64, String, Outcome, u32)>, Vec<(i64, u32)>, Vec<(i64, i64)>);

    impl Sink for Kept {
        fn call(&mut self, call: &Call<'_>) -> Result<(), ImportError> {
            assert_eq!(call.time, Time::Unknown, "no time is made up");
            let label = String::from_utf8_lossy(call.label).into_owned();
            self.0.push((call.start.second(), label, call.outcome, call.count));
            Ok(())
        }

        fn users(&mut self, at: Nanos, users: u32) {
            self.1.push((at.second(), users));
        }

        fn covers(&mut self, from: Nanos, to: Nanos) {
            self.2.push((from.second(), to.second()));
        }
    }

    fn seen(text: &str) -> (Kept, Reading, Beside) {
        let (mut kept, input) = (Kept::default(), Input::of(Cursor::new(text.as_bytes().to_vec())).unwrap());
        let (reading, beside) = read(Path::new("locust"), input, &mut kept).unwrap();
        (kept, reading, beside)
    }

    const HISTORY: &str = "Timestamp,User Count,Type,Name,Requests/s,Failures/s,50%,95%,Total Request Count,Total Failure Count,Total Median Response Time,Total Average Response Time,Total Min Response Time,Total Max Response Time,Total Average Content Size\r\n";

    fn row(second: i64, name: &str, requests: u64, failures: u64) -> String {
        let method = if name == "Aggregated" { "" } else { "GET" };
        format!("{second},5,{method},{name},0.000000,0.000000,N/A,N/A,{requests},{failures},0,0.0,0,0,10.0\r\n")
    }

    #[test]
    fn calls_are_what_two_rows_differ_by() {
        let text = [
            HISTORY,
            &row(100, "Aggregated", 0, 0),
            &row(101, "Aggregated", 7, 1),
            &row(104, "Aggregated", 12, 1),
            &row(105, "Aggregated", 3, 0),
        ]
        .concat();
        let (kept, reading, beside) = seen(&text);
        let all = |second, outcome, count| (second, "Aggregated".to_owned(), outcome, count);
        let expected = [
            all(100, Outcome::Ok, 6),
            all(100, Outcome::Fault, 1),
            // Five calls in three seconds.
            all(101, Outcome::Ok, 2),
            all(102, Outcome::Ok, 2),
            all(103, Outcome::Ok, 1),
            // Counts were set back.
            all(104, Outcome::Ok, 3),
        ];
        assert_eq!(kept.0, expected);
        assert_eq!((reading.read, reading.unreadable, kept.1.len(), beside.remarks.len()), (4, 0, 4, 1));
        assert_eq!(kept.2, [(100, 101), (101, 104), (104, 105)], "a second without an answer is counted as well");
    }

    /// Its page writes rows before the first user and behind the last.
    #[test]
    fn rows_without_users_and_calls_do_not_belong_to_the_load() {
        let idle = |second, requests| row(second, "Aggregated", requests, 0).replacen(",5,", ",0,", 1);
        let busy = |second, requests| row(second, "Aggregated", requests, 0);
        let text = [HISTORY, &idle(98, 0), &idle(99, 0), &busy(100, 0), &busy(101, 4), &idle(102, 5), &idle(103, 5)];
        assert_eq!(seen(&text.concat()).0.2, [(99, 100), (100, 101), (101, 102)]);
        // Counts of the first row are of the second before it, whoever leaves out the sum of all names.
        let named = [HISTORY, &row(100, "/a", 2, 0), &row(101, "/a", 4, 0)].concat();
        assert_eq!(seen(&named).0.2, [(99, 100), (100, 101)]);
    }

    #[test]
    fn names_are_counted_instead_of_their_sum() {
        let text = [
            HISTORY,
            &row(100, "Aggregated", 0, 0),
            &row(101, "/a", 2, 0),
            &row(101, "/b", 1, 1),
            &row(101, "Aggregated", 3, 1),
        ]
        .concat();
        let (kept, ..) = seen(&text);
        let expected = [(100, "GET /a".to_owned(), Outcome::Ok, 2), (100, "GET /b".to_owned(), Outcome::Fault, 1)];
        assert_eq!(kept.0, expected);
    }

    #[test]
    fn damage_is_counted_and_what_stands_around_it_read() {
        let text = [
            HISTORY,
            &row(100, "Aggregated", 4, 0),
            "101,5,,Aggregated,0,0,N/A,N/A,many,0,0,0,0,0,0\r\n",
            &row(99, "Aggregated", 5, 0),
            &row(101, "Aggregated", 5, 4),
            &row(102, "Aggregated", 6, 0),
            "103,5,,Aggr",
        ]
        .concat();
        let (kept, reading, _) = seen(&text);
        assert_eq!(kept.0.iter().map(|call| call.3).sum::<u32>(), 6, "{:?}", kept.0);
        let why: Vec<&str> = reading.examples.iter().map(|line| line.why.as_str()).collect();
        assert!(why[0].contains("`many` is not a count") && why[1].contains("is -1 s from"), "{why:?}");
        assert!(why[2].contains("4 of 1 requests failed") && why[3].contains("it has 4 fields"), "{why:?}");
    }

    #[test]
    fn what_locust_prints_is_kept_as_printed() {
        let text = "Type,Name,Request Count,Failure Count,Median Response Time,Average Response Time,Min Response Time,Max Response Time,Average Content Size,Requests/s,Failures/s,50%,99.9%,100%\n\
            GET,/,20,1,7,8.25,3,40.5,5,1,0,7,41,41\n,Aggregated,0,0,0,0,0,0,0,0,0,N/A,N/A,N/A\n";
        let (_, reading, beside) = seen(text);
        assert_eq!(reading.read, 2);
        let of: Vec<(Figure, f64)> = beside.printed.iter().map(|printed| (printed.figure, printed.value)).collect();
        use Figure::{Calls, Failed, Max, Mean, Min, Quantile};
        let expected = [
            (Calls, 20.0),
            (Failed, 1.0),
            (Mean, 8.25),
            (Min, 3.0),
            (Max, 40.5),
            (Quantile(0.5), 7.0),
            (Quantile(0.9990000000000001), 41.0),
            (Calls, 0.0),
            (Failed, 0.0),
        ];
        assert_eq!(of.len(), expected.len());
        for ((figure, value), (expected, number)) in of.into_iter().zip(expected) {
            let is_same = match (figure, expected) {
                (Quantile(a), Quantile(b)) => (a - b).abs() < 1e-9,
                (a, b) => a == b,
            };
            assert!(is_same && value == number, "{figure:?} {value}");
        }
        let failures = "Method,Name,Error,Occurrences\nGET,/,\"HTTPError('500 Server Error')\",3\nGET,/,x,y\n";
        let (_, reading, beside) = seen(failures);
        assert_eq!(beside.failures, [(b"GET /".to_vec(), "HTTPError('500 Server Error')".to_owned(), 3)]);
        assert_eq!(reading.unreadable, 1);
        let (_, _, beside) = seen("Count,Message,Traceback,Nodes\n2,no such user,\"File\nline\",local\n");
        assert_eq!(beside.remarks, ["an exception of the load's own code, 2 times: no such user"]);
    }

    #[test]
    fn what_is_none_of_locust_is_refused() {
        let input = Input::of(Cursor::new(b"timeStamp,elapsed\n".to_vec())).unwrap();
        let error = read(Path::new("x"), input, &mut Kept::default()).map(|_| ()).unwrap_err().to_string();
        assert!(error.contains("--csv-full-history"), "{error}");
    }
}
