//! JMeter's results as CSV: any columns in any order, with any delimiter.
//!
//! `timeStamp` is when a sample began, `elapsed` runs to the last byte of its answer; `Latency` to the first byte,
//! `Connect` is part of both. A row of a transaction controller sums up samples that have rows of their own.
//!
//! Source: JMeter 5.6, `CSVSaveService` and `SampleSaveConfiguration`.

use crate::block::TakesBlocks;
use crate::blocks::{self, Taking};
use crate::call::{Call, Sink, Time, What};
use crate::error::ImportError;
use crate::input::Input;
use crate::numbers::{millis, moment_in, whole};
use crate::reading::{Reading, not_text, shown};
use crate::records::{FIELDS_MAX, Found, Records};
use crate::request::YEAR_2000;
use crate::zone::Zone;
use std::io::{self, Read};
use std::path::Path;
use terms::{Nanos, Outcome};

/// Columns that JMeter writes unless it is told otherwise: what a file without a header row has, most likely.
pub(crate) const USUAL: &str = "timeStamp,elapsed,label,responseCode,responseMessage,threadName,dataType,success,\
    failureMessage,bytes,sentBytes,grpThreads,allThreads,URL,Latency,IdleTime,Connect";
/// How the message of a transaction controller's sample begins.
pub(crate) const SUM: &[u8] = b"Number of samples in transaction :";

/// Where the columns are; `None` for those that the file does not have.
#[derive(Clone, Debug, Default)]
pub(crate) struct Columns {
    count: usize,
    time: usize,
    elapsed: usize,
    label: Option<usize>,
    code: Option<usize>,
    message: Option<usize>,
    data_type: Option<usize>,
    url: Option<usize>,
    thread: Option<usize>,
    success: Option<usize>,
    failure: Option<usize>,
    bytes: Option<usize>,
    users: Option<usize>,
    latency: Option<usize>,
    connect: Option<usize>,
    /// The zone of stamps that do not say theirs.
    zone: Zone,
}

/// What a header tells besides the places of its columns.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Has {
    pub(crate) labels: bool,
    pub(crate) success: bool,
    pub(crate) users: bool,
}

/// Reads a file of samples. `columns` are those of a file without a header row.
///
/// # Errors
/// For a file that is none of JMeter's, or cannot be read to its end for another reason than damage.
pub(crate) fn read(
    path: &Path,
    input: Input,
    columns: Option<&str>,
    sink: &mut dyn TakesBlocks,
) -> Result<(Reading, Has), ImportError> {
    read_in_blocks(path, input, columns, blocks::BLOCK, sink)
}

/// The same, so many bytes at a time.
fn read_in_blocks(
    path: &Path,
    input: Input,
    columns: Option<&str>,
    block: usize,
    sink: &mut dyn TakesBlocks,
) -> Result<(Reading, Has), ImportError> {
    let mut records = Records::new(input, b',');
    let columns = Columns { zone: sink.zone(), ..header(path, &mut records, columns)? };
    let mut reading = Reading::default();
    let mut taking = Taking { path, columns: &columns, block, reading: &mut reading, sink };
    let input = taking.all(records.into_rest())?;
    let has =
        Has { labels: columns.label.is_some(), success: columns.success.is_some(), users: columns.users.is_some() };
    reading.end(&input);
    Ok((reading, has))
}

fn header(path: &Path, records: &mut Records<impl Read>, given: Option<&str>) -> Result<Columns, ImportError> {
    let wrong = |what: String| ImportError::file(path, what);
    let failed = |error: io::Error| wrong(format!("cannot be read: {error}"));
    if let Some(given) = given {
        records.set_delimiter(delimiter(given.as_bytes()));
        let names: Vec<&[u8]> = given.as_bytes().split(|byte| *byte == delimiter(given.as_bytes())).collect();
        return columns(&names).map_err(|what| ImportError::Asked(format!("`--columns` {what}")));
    }
    // A hint for spreadsheets.
    let hint = records.peek_line().map_err(failed)?;
    if hint.len() == 5 && hint.starts_with(b"sep=") {
        records.skip_line().map_err(failed)?;
    }
    let line = records.peek_line().map_err(failed)?;
    let start = line.strip_prefix(b"\xef\xbb\xbf").unwrap_or(line);
    if start.is_empty() {
        return Err(wrong("is empty".into()));
    }
    // One that was packed shows it only here.
    if let Some(what) = not_text(&line[..line.len().min(64)]) {
        return Err(wrong(what.into()));
    }
    if start.starts_with(b"<?xml") || start.starts_with(b"<testResults") {
        return Err(wrong("holds samples as XML, and this kind is CSV; write `jtl-xml` as the kind".into()));
    }
    let lower = start.to_ascii_lowercase();
    let has_names = [&b"timestamp"[..], b"elapsed"].iter().all(|name| memchr::memmem::find(&lower, name).is_some());
    if !has_names {
        let first = shown(start);
        return Err(wrong(format!(
            "has no header row: its first line is `{first}`\nsay which columns it has: `--columns {USUAL}` are those that \
             JMeter writes unless it is told otherwise"
        )));
    }
    let delimiter = delimiter(start);
    records.set_delimiter(delimiter);
    match records.advance().map_err(failed)? {
        Found::Record => {}
        Found::Damaged(why) => return Err(wrong(format!("has a header row that cannot be read: {why}"))),
        Found::End => return Err(wrong("is empty".into())),
    }
    if records.len() >= FIELDS_MAX {
        return Err(wrong(format!("has {} columns, and {FIELDS_MAX} are the most", records.len())));
    }
    let names: Vec<&[u8]> = (0..records.len()).map(|number| records.field(number)).collect();
    columns(&names).map_err(|what| wrong(format!("has a header row that {what}")))
}

/// What separates the names of a header row: the first byte that no name has.
fn delimiter(header: &[u8]) -> u8 {
    let is_name =
        |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'"' | b'\'' | b' ') || *byte >= 128;
    header.iter().copied().find(|byte| !is_name(byte)).unwrap_or(b',')
}

fn columns(names: &[&[u8]]) -> Result<Columns, String> {
    let bare = |name: &[u8]| name.strip_prefix(b"\xef\xbb\xbf").unwrap_or(name).trim_ascii().to_vec();
    let names: Vec<Vec<u8>> = names.iter().map(|name| bare(name)).collect();
    let place = |wanted: &str| names.iter().position(|name| name.eq_ignore_ascii_case(wanted.as_bytes()));
    let need = |wanted: &str| {
        place(wanted).ok_or_else(|| {
            let listed: Vec<String> = names.iter().take(20).map(|name| shown(name)).collect();
            format!("names no column `{wanted}`, without which a sample has no time; it names: {}", listed.join(", "))
        })
    };
    for wanted in ["timeStamp", "elapsed", "success"] {
        if names.iter().filter(|name| name.eq_ignore_ascii_case(wanted.as_bytes())).count() > 1 {
            return Err(format!("names `{wanted}` more than once, and which of these columns counts is not known"));
        }
    }
    Ok(Columns {
        count: names.len(),
        time: need("timeStamp")?,
        elapsed: need("elapsed")?,
        label: place("label"),
        code: place("responseCode"),
        message: place("responseMessage"),
        data_type: place("dataType"),
        url: place("URL"),
        thread: place("threadName"),
        success: place("success"),
        failure: place("failureMessage"),
        bytes: place("bytes"),
        users: place("allThreads"),
        latency: place("Latency"),
        connect: place("Connect"),
        zone: Zone::default(),
    })
}

/// Takes one record.
pub(crate) fn row(
    records: &mut Records<impl Read>,
    columns: &Columns,
    reading: &mut Reading,
    sink: &mut dyn Sink,
) -> Result<(), ImportError> {
    match call(records, columns) {
        Ok(call) => {
            reading.read += 1;
            sink.call(&call)
        }
        Err(why) => {
            let line = records.line();
            // A second header row is what `cat a.jtl b.jtl` leaves; it is a line that holds no sample all the same.
            reading.unreadable(line, why);
            records.only_first_line();
            Ok(())
        }
    }
}

/// The sample in a record; why it is none.
pub(crate) fn call<'r>(records: &'r Records<impl Read>, columns: &Columns) -> Result<Call<'r>, String> {
    if records.len() != columns.count {
        return Err(format!("it has {} fields, and the header row {}", records.len(), columns.count));
    }
    let of = |column: Option<usize>| column.map_or(&[][..], |column| records.field(column));
    let time = records.field(columns.time);
    let millis_of_start = whole(time);
    let start = match millis_of_start {
        Some(millis) => millis.checked_mul(1_000_000).filter(|nanos| *nanos >= 0).map(Nanos),
        None => moment_in(time, &columns.zone),
    };
    let start = start.ok_or_else(|| {
        let shown = shown(time);
        format!("its timeStamp `{shown}` is neither milliseconds since 1970 nor a date such as 2026/11/28 10:58:00.123")
    })?;
    let elapsed = records.field(columns.elapsed);
    let took =
        millis(elapsed).ok_or_else(|| format!("its elapsed `{}` is not a number of milliseconds", shown(elapsed)))?;
    if start.0.checked_add(took.0).is_none() {
        return Err(format!("its elapsed `{}` is too long for any clock", shown(elapsed)));
    }
    let length = |column: Option<usize>| column.and_then(|column| millis(records.field(column)));
    let message = of(columns.message);
    let is_ok = match columns.success {
        None => !of(columns.code).first().is_some_and(|first| matches!(first, b'4' | b'5' | b'N')),
        Some(column) => match records.field(column) {
            word if word.eq_ignore_ascii_case(b"true") => true,
            word if word.eq_ignore_ascii_case(b"false") => false,
            word => return Err(format!("its success `{}` is neither true nor false", shown(word))),
        },
    };
    let failure = of(columns.failure);
    Ok(Call {
        start,
        took,
        first_byte: length(columns.latency).filter(|latency| latency.0 > 0 && *latency <= took),
        connect: length(columns.connect).filter(|connect| connect.0 > 0 && *connect <= took),
        outcome: if is_ok { Outcome::Ok } else { outcome(of(columns.code), message) },
        bytes: whole(of(columns.bytes)).and_then(|bytes| u64::try_from(bytes).ok()).unwrap_or(0),
        count: 1,
        time: Time::Service,
        label: of(columns.label),
        what: match columns.message {
            Some(_) if message.starts_with(SUM) => What::Sum,
            Some(_) if message.is_empty() && sends_nothing(records, columns) => What::Blank,
            _ => What::Call,
        },
        // Dates may be whole seconds, and so may small numbers.
        thread: columns
            .thread
            .filter(|_| millis_of_start.is_some() && start >= YEAR_2000)
            .map(|column| records.field(column)),
        users: columns
            .users
            .and_then(|column| whole(records.field(column)))
            .and_then(|users| u32::try_from(users).ok()),
        why: match (is_ok, failure.is_empty()) {
            (true, _) => &[],
            (false, false) => failure,
            (false, true) => message,
        },
    })
}

/// Whether a sample has neither an address nor a kind of answer, as sums do not; `false` where a file does not tell.
fn sends_nothing(records: &Records<impl Read>, columns: &Columns) -> bool {
    let (Some(url), Some(data_type)) = (columns.url, columns.data_type) else { return false };
    matches!(records.field(url), b"" | b"null") && records.field(data_type).is_empty()
}

/// How a sample failed, by its response code: a status of HTTP, or the exception that took its place.
pub(crate) fn outcome(code: &[u8], message: &[u8]) -> Outcome {
    if let Some(status) = whole(code).filter(|status| (100..1000).contains(status)) {
        // An answer with a good status that is a failure all the same failed an assertion.
        return if status >= 400 { Outcome::Status } else { Outcome::Wrong };
    }
    let names = |words: &[&str]| {
        words
            .iter()
            .any(|word| [code, message].iter().any(|text| memchr::memmem::find(text, word.as_bytes()).is_some()))
    };
    if names(&["Timeout", "timed out", "InterruptedIOException"]) {
        // Also of a connection: `ConnectTimeoutException`.
        Outcome::Timeout
    } else if names(&["ConnectException", "HttpHostConnect", "UnknownHost", "NoRouteToHost", "refused"]) {
        Outcome::Refused
    } else if names(&["NoHttpResponse", "SocketException", "Connection reset", "ConnectionClosed", "SSLException"]) {
        Outcome::Reset
    } else if names(&["EOFException", "TruncatedChunk", "Premature"]) {
        Outcome::Partial
    } else {
        Outcome::Fault
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::block::{Block, Label, Manner, Note, Span};
    use crate::cells::{Cell, Key};
    use crate::records::RECORD_MAX;
    use crate::survey::Survey;
    use proptest::prelude::*;
    use std::io::Cursor;
    use std::sync::Arc;

    type Seen = (i64, i64, String, Outcome, u64, What, Option<u32>, Option<i64>);

    #[derive(Default)]
    struct Kept(Vec<Seen>);

    impl Sink for Kept {
        fn call(&mut self, call: &Call<'_>) -> Result<(), ImportError> {
            let (start, took) = (call.start.0 / 1_000_000, call.took.0 / 1_000_000);
            let label = String::from_utf8_lossy(call.label).into_owned();
            let first = call.first_byte.map(|first| first.0 / 1_000_000);
            self.0.push((start, took, label, call.outcome, call.bytes, call.what, call.users, first));
            Ok(())
        }
    }

    impl TakesBlocks for Kept {
        fn manner(&self) -> Manner {
            Manner { unit: Nanos::MILLISECOND, grid: None, twofold: Arc::default(), sees_threads: false }
        }

        fn look_back(&mut self, _: &Call<'_>) {}

        fn block(&mut self, _: Block) -> Result<(), ImportError> {
            panic!("these texts are shorter than a block")
        }
    }

    fn seen(text: &str) -> (Vec<Seen>, Reading) {
        let (mut kept, input) = (Kept::default(), Input::of(Cursor::new(text.as_bytes().to_vec())).unwrap());
        let (reading, _) = read(Path::new("a.jtl"), input, None, &mut kept).unwrap();
        (kept.0, reading)
    }

    fn refused(text: &str) -> String {
        let input = Input::of(Cursor::new(text.as_bytes().to_vec())).unwrap();
        let refused = read(Path::new("a.jtl"), input, None, &mut Kept::default());
        refused.expect_err("it is refused").to_string()
    }

    #[test]
    fn the_seventeen_columns_of_jmeter_5_are_read() {
        let text = format!(
            "{USUAL}\n1795690680123,250,\"Home, page\",200,OK,T 1-1,text,true,,5120,118,5,7,http://x/,240,0,12\n\
             1795690680200,30,Login,500,\"Inter\nnal\",T 1-2,text,false,,0,0,5,7,http://x/,0,0,0\n\
             1795690680400,280,Buy,200,\"Number of samples in transaction : 2, number of failing samples : 0\",T 1-1,,true,,5120,0,5,7,null,0,0,0\n"
        );
        let (seen, reading) = seen(&text);
        assert_eq!((reading.read, reading.unreadable), (3, 0));
        assert_eq!(
            seen[0],
            (1_795_690_680_123, 250, "Home, page".into(), Outcome::Ok, 5120, What::Call, Some(7), Some(240))
        );
        assert_eq!((seen[1].3, seen[1].7), (Outcome::Status, None));
        assert_eq!((&*seen[2].2, seen[2].5), ("Buy", What::Sum));
    }

    #[test]
    fn any_columns_in_any_order_with_any_delimiter_will_do() {
        let (seen, reading) =
            seen("label;elapsed;\"timeStamp\"\r\nx;5;2026/11/26 10:58:00.007\r\n;6;1795690680008\r\n");
        assert_eq!(reading.unreadable, 0);
        assert_eq!((seen[0].0, seen[0].1, &*seen[0].2), (1_795_690_680_007, 5, "x"));
        assert_eq!((seen[1].0, &*seen[1].2), (1_795_690_680_008, ""));
    }

    #[test]
    fn lines_that_are_none_are_counted_and_the_others_read() {
        let text = "timeStamp,elapsed,label,success\n1,2,a,true\n1,2\nx,2,a,true\n1,-2,a,true\n1,2,a,maybe\n\
                    timeStamp,elapsed,label,success\n9223372036854,2,\"a,true\n4,2,b,false\n5,2,c,tr";
        let (seen, reading) = seen(text);
        assert_eq!(seen.iter().map(|call| &*call.2).collect::<Vec<_>>(), ["a", "b"]);
        assert_eq!((reading.read, reading.unreadable), (2, 7));
        let lines: Vec<u64> = reading.examples.iter().map(|example| example.line).collect();
        assert_eq!(lines, [3, 4, 5, 6, 7], "the first five");
        assert_eq!(reading.examples[0].why, "it has 2 fields, and the header row 4");
    }

    #[test]
    fn what_spreadsheets_and_cuts_leave_is_read() {
        let (kept, reading) =
            seen("\u{feff}sep=;\r\nTimestamp;Elapsed;Label\r\n1795690680008;6;x\r\n1795690680009;25;y");
        assert_eq!((kept.len(), kept[1].1, reading.unreadable), (2, 25, 0));
        assert_eq!(reading.remarks.len(), 1, "its last line has no end: {:?}", reading.remarks);
        let (_, whole) = seen("timeStamp,elapsed\n1795690680008,6\n");
        assert!(whole.remarks.is_empty());
        let (_, dated) = seen("timeStamp,elapsed\n28.11.2026 10:58:00,6\n2026/11/28 10:58:00.123,6\n");
        assert_eq!((dated.read, dated.unreadable), (1, 1));
        assert!(dated.examples[0].why.ends_with("a date such as 2026/11/28 10:58:00.123"), "{:?}", dated.examples);
    }

    #[test]
    fn what_is_no_jtl_is_refused_with_what_to_type() {
        assert!(refused("1,2,a\n").contains("`--columns timeStamp,elapsed,label"));
        assert!(refused("").contains("is empty"));
        assert!(refused("<?xml version=\"1.0\"?>\n<testResults>").contains("`jtl-xml`"));
        assert!(refused("timeStamp,elapsed,elapsed\n").contains("names `elapsed` more than once"));
        assert!(refused("timeStamp,elapsedTime,label\n").contains("names no column `elapsed`"));
        let billion = format!("timeStamp,elapsed{}", ",x".repeat(5000));
        assert!(refused(&billion).contains("more than 1024 fields"), "{}", refused(&billion));
    }

    #[test]
    fn how_a_sample_failed_is_told_by_its_code() {
        for (code, message, expected) in [
            ("404", "Not Found", Outcome::Status),
            ("200", "OK", Outcome::Wrong),
            ("Non HTTP response code: java.net.SocketTimeoutException", "Read timed out", Outcome::Timeout),
            ("Non HTTP response code: org.apache.http.conn.ConnectTimeoutException", "", Outcome::Timeout),
            ("Non HTTP response code: java.net.ConnectException", "Connection refused", Outcome::Refused),
            ("Non HTTP response code: org.apache.http.NoHttpResponseException", "", Outcome::Reset),
            ("", "", Outcome::Fault),
        ] {
            assert_eq!(outcome(code.as_bytes(), message.as_bytes()), expected, "{code}");
        }
    }

    /// What one thread makes of a text, and what several make of it in blocks of so many bytes.
    fn both(text: &[u8], block: usize, origin: Option<Nanos>) -> [(Tale, Reading); 2] {
        let folder = tempfile::tempdir().unwrap();
        [usize::MAX / 4, block].map(|block| {
            let all = [&b"timeStamp,elapsed,label,success,allThreads,failureMessage,threadName\n"[..], text].concat();
            let input = Input::of(Cursor::new(all)).unwrap();
            let unit = Nanos::MILLISECOND;
            let mut survey = Survey::within(folder.path(), unit, Nanos::SECOND, origin, Arc::default()).unwrap();
            let (reading, _) = read_in_blocks(Path::new("a.jtl"), input, None, block, &mut survey).unwrap();
            survey.settle().unwrap();
            (Tale::of(survey), reading)
        })
    }

    /// Text, counts, medians and shortest time-out of a label.
    type OfLabel = (Vec<u8>, [u64; 4], [Option<f64>; 2], Option<Nanos>);

    /// All that a survey tells.
    #[derive(Debug, PartialEq)]
    struct Tale {
        labels: Vec<OfLabel>,
        span: Span,
        spent_s: f64,
        users: Vec<(i64, u32)>,
        ended: Vec<(i64, u64)>,
        notes: Vec<Note>,
        cells: Vec<(Key, Cell)>,
        origin: Option<Nanos>,
        parts: Vec<Vec<u8>>,
    }

    impl Tale {
        fn of(survey: Survey) -> Self {
            let label = |label: &Label| {
                let counts = [label.calls, label.failed, label.sums, label.exact.total()];
                let medians = [label.exact.type_6(0.5), label.last.counts().type_6(0.5)];
                (label.text.clone(), counts, medians, label.least_timeout)
            };
            Self {
                labels: survey.labels.iter().chain([&survey.all]).map(label).collect(),
                span: survey.span,
                spent_s: survey.spent_s(),
                users: survey.users.seconds().clone().into_iter().collect(),
                ended: survey.ended.clone().into_iter().collect(),
                notes: survey.notes.clone(),
                origin: survey.earlier_origin(),
                parts: survey.twofold().parts.into_iter().collect(),
                cells: survey.into_cells().unwrap().flat_map(|batch| batch.unwrap().cells().unwrap()).collect(),
            }
        }
    }

    #[test]
    fn a_record_that_is_longer_than_a_block_is_one() {
        let long = "x".repeat(RECORD_MAX - 100);
        let beyond = "y".repeat(RECORD_MAX + 100);
        let line = |label: &str| format!("1795690680123,250,{label},true,3,,T 1\n");
        let quoted = |label: &str| line(&format!("\"{label}\""));
        let texts = [
            [line("a"), quoted(&format!("b\n{long}")), line("c").repeat(50), quoted("d\ne"), line("f")].concat(),
            [line("a"), line(&beyond), line("b")].concat(),
            [line("a"), quoted(&format!("b\n{beyond}")), line("c")].concat(),
            [line("a"), "\"never closed\n".to_owned(), line("b").repeat(40_000), line("c")].concat(),
            [line("a").repeat(100), "1795690680123,250,\"at the end".to_owned()].concat(),
        ];
        for (number, text) in texts.iter().enumerate() {
            for block in [1, 50, 4096, 100_000] {
                let [alone, together] = both(text.as_bytes(), block, None);
                assert!(alone == together, "text {number} in blocks of {block}: {:?} {:?}", alone.1, together.1);
            }
        }
    }

    #[test]
    fn all_rows_of_a_block_with_a_part_are_looked_up_by_their_threads() {
        let row = |at: i64, took: i64, label: &str| format!("{},{took},{label},true,T 1,500\n", 1_795_690_680_000 + at);
        let redirected = [row(0, 60, "Home"), row(0, 20, "Home-0"), row(21, 39, "Home-1")].concat();
        let others: String = (0..100).map(|turn| row(100 + 10 * turn, 9, "Login")).collect();
        let folder = tempfile::tempdir().unwrap();
        let in_the_middle = [&others, &redirected, &others, &others].map(String::as_str).concat();
        for text in [in_the_middle, redirected + others.as_str()] {
            let all = format!("timeStamp,elapsed,label,success,threadName,bytes\n{text}");
            let input = Input::of(Cursor::new(all)).unwrap();
            let mut survey =
                Survey::within(folder.path(), Nanos::MILLISECOND, Nanos::SECOND, None, Arc::default()).unwrap();
            read_in_blocks(Path::new("a.jtl"), input, None, text.len() / 2, &mut survey).unwrap();
            survey.settle().unwrap();
            assert_eq!(survey.twofold().parts, [b"Home-0".to_vec(), b"Home-1".to_vec()].into());
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 300, failure_persistence: None, ..Default::default() })]

        /// Wherever blocks end, in quotes, between lines or within one, and whatever is wrong with a line.
        #[test]
        fn blocks_are_read_as_one_thread_reads_them(
            pieces in proptest::collection::vec(
                prop_oneof![
                    Just("1795690680123,250,home,true,5,,T 1\n"),
                    Just("1795690680789,7,login,true,7,,T 2\n"),
                    Just("1795690681123,250,home,true,4,,T 2\n"),
                    // The first part of it, and a second: parts where nothing else of that thread comes between.
                    Just("1795690680123,100,home-0,true,5,,T 1\n"),
                    Just("1795690680224,100,home-1,true,5,,T 1\n"),
                    Just("1795690680456,30,\"a, b\",false,2,\"no\nanswer\",T 2\r\n"),
                    Just("1795690679456,30,\"a \"\"b\"\"\",false,2,x,T 1\n"),
                    Just("\n"), Just("\""), Just("\r\n"),
                    Just("\"\n"), Just(","), Just("\"never closed\n"),
                    Just("timeStamp,elapsed,label,success,allThreads,failureMessage,threadName\n"),
                    Just("soon,1,x,true,1,,T 1\n"), Just("1,2,3\n"),
                ],
                0..60,
            ),
            block in 1usize..200,
            is_known in any::<bool>(),
        ) {
            let [alone, together] = both(pieces.concat().as_bytes(), block, is_known.then_some(Nanos(1_795_690_680_123_000_000)));
            prop_assert_eq!(alone, together);
        }
    }
}
