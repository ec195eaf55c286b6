//! JMeter's results as XML: a `sample` or `httpSample` for each sample, with its parts inside it.
//!
//! A sample within another is a part of it, such as a redirect or an image, and is not counted again; within a
//! transaction controller's it is a sample of its own, and that is the sum.
//!
//! Source: JMeter 5.6, `SampleResultConverter`.

use crate::call::{Call, Sink, Time, What};
use crate::error::ImportError;
use crate::input::Input;
use crate::jtl::{SUM, outcome};
use crate::numbers::{millis, whole};
use crate::reading::{Reading, shown};
use quick_xml::XmlVersion;
use quick_xml::events::{BytesStart, Event};
use quick_xml::reader::Reader;
use record::Broken;
use std::cell::Cell;
use std::io::{self, BufReader, Read};
use std::path::Path;
use std::rc::Rc;
use terms::{Nanos, Outcome};

/// Longest tag or text: an answer that was kept whole.
const PIECE_MAX: u64 = 64 << 20;
/// Bytes that are read at once.
const PIECE: usize = 1 << 16;
/// Deepest nesting.
const DEPTH_MAX: usize = 100;

/// Refuses to hand on more than one piece may be long.
struct Bounded {
    input: Input,
    left: Rc<Cell<u64>>,
}

impl Read for Bounded {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.input.read(buffer)?;
        let left = self.left.get().checked_sub(read as u64);
        let left = left.ok_or_else(|| io::Error::other("a tag or a text in it is longer than 64 MiB"))?;
        self.left.set(left);
        Ok(read)
    }
}

/// UTF-8, whatever is read: bytes that are not are taken for Latin-1, in which any byte is a letter.
///
/// JMeter declares UTF-8, and messages of servers stand in what it writes as they came.
struct Letters<R> {
    inner: R,
    /// What was read and not yet handed on; and the beginning of a letter whose rest is still to come.
    ready: Vec<u8>,
    at: usize,
    cut: Vec<u8>,
    /// Bytes that were not UTF-8.
    foreign: u64,
}

impl<R> Letters<R> {
    fn of(inner: R) -> Self {
        Self { inner, ready: Vec::new(), at: 0, cut: Vec::new(), foreign: 0 }
    }

    fn take(&mut self, bytes: &[u8], is_end: bool) {
        let mut rest = bytes;
        while let Err(error) = std::str::from_utf8(rest) {
            let (known, other) = rest.split_at(error.valid_up_to());
            self.ready.extend_from_slice(known);
            let length = match error.error_len() {
                Some(length) => length,
                None if is_end => other.len(),
                None => {
                    self.cut.extend_from_slice(other);
                    return;
                }
            };
            let letters: String = other[..length].iter().map(|byte| char::from(*byte)).collect();
            self.ready.extend_from_slice(letters.as_bytes());
            self.foreign += length as u64;
            rest = &other[length..];
        }
        self.ready.extend_from_slice(rest);
    }
}

impl<R: Read> Read for Letters<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        while self.at == self.ready.len() {
            (self.at, _) = (0, self.ready.clear());
            let mut bytes = std::mem::take(&mut self.cut);
            let before = bytes.len();
            bytes.resize(before + PIECE, 0);
            let read = self.inner.read(&mut bytes[before..])?;
            bytes.truncate(before + read);
            self.take(&bytes, read == 0);
            if read == 0 && self.ready.is_empty() {
                return Ok(0);
            }
        }
        let length = (self.ready.len() - self.at).min(buffer.len());
        buffer[..length].copy_from_slice(&self.ready[self.at..self.at + length]);
        self.at += length;
        Ok(length)
    }
}

/// An element that is open.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Open {
    /// A sample, or a part of one: what is within it is a part, too.
    Sample,
    /// A sum: what is within it is counted by itself.
    Sum,
    Other,
}

/// Reads a file of samples.
///
/// # Errors
/// For a file that is not XML written by JMeter, or cannot be read for another reason than damage.
pub(crate) fn read(path: &Path, input: Input, sink: &mut dyn Sink) -> Result<Reading, ImportError> {
    let left = Rc::new(Cell::new(PIECE_MAX));
    let mut reader =
        Reader::from_reader(BufReader::with_capacity(1 << 20, Letters::of(Bounded { input, left: left.clone() })));
    let (mut reading, mut open, mut buffer) = (Reading::default(), Vec::<Open>::new(), Vec::new());
    let (mut line, mut is_ours) = (1, false);
    loop {
        buffer.clear();
        left.set(PIECE_MAX);
        let event = match reader.read_event_into(&mut buffer) {
            Ok(event) => event,
            Err(quick_xml::Error::Io(error)) if error.kind() == io::ErrorKind::Other => {
                return Err(ImportError::file(path, format!("cannot be read: {error}")));
            }
            Err(error) => {
                reading.broken = Some(Broken::Cut);
                reading.unreadable(line, format!("the file breaks off: {error}"));
                break;
            }
        };
        match &event {
            Event::Eof => break,
            Event::DocType(_) => {
                return Err(ImportError::file(path, "declares a document type, which JMeter never writes"));
            }
            Event::Start(tag) | Event::Empty(tag) => {
                is_ours |= tag.name().as_ref() == "testResults";
                let is_part = open.contains(&Open::Sample);
                let kind = if is_sample(tag) { element(tag, is_part, line, &mut reading, sink)? } else { Open::Other };
                if matches!(event, Event::Start(_)) {
                    open.push(kind);
                }
                if open.len() > DEPTH_MAX {
                    return Err(ImportError::file(path, format!("nests elements deeper than {DEPTH_MAX}")));
                }
            }
            Event::End(_) => {
                open.pop();
            }
            _ => {}
        }
        if !is_ours && matches!(event, Event::Start(_) | Event::Empty(_)) {
            let what = "is not XML written by JMeter: its first element is not `testResults`; samples as CSV are of the kind `jtl`";
            return Err(ImportError::file(path, what));
        }
        line += memchr::memchr_iter(b'\n', event.as_bytes()).count() as u64;
    }
    if !is_ours {
        return Err(ImportError::file(path, "holds no element `testResults`; samples as CSV are of the kind `jtl`"));
    }
    if !open.is_empty() && reading.unreadable == 0 {
        reading.broken = Some(Broken::Cut);
        reading.unreadable(line, "the file breaks off before its last element is closed");
    }
    let letters = reader.get_ref().get_ref();
    match letters.foreign {
        0 => {}
        1 => reading.remarks.push("a byte in it is not UTF-8 and is taken for Latin-1".to_owned()),
        foreign => reading.remarks.push(format!("{foreign} bytes in it are not UTF-8 and are taken for Latin-1")),
    }
    (reading.bytes, reading.sha256) = letters.inner.input.fingerprint();
    Ok(reading)
}

fn is_sample(tag: &BytesStart<'_>) -> bool {
    matches!(tag.name().as_ref(), "sample" | "httpSample")
}

fn element(
    tag: &BytesStart<'_>,
    is_part: bool,
    line: u64,
    reading: &mut Reading,
    sink: &mut dyn Sink,
) -> Result<Open, ImportError> {
    if is_part {
        reading.read += 1;
        reading.parts += 1;
        return Ok(Open::Sample);
    }
    match Attributes::of(tag).and_then(|found| found.check()) {
        Err(why) => {
            reading.unreadable(line, why);
            Ok(Open::Sample)
        }
        Ok(found) => {
            let call = found.call();
            reading.read += 1;
            sink.call(&call)?;
            let is_sum = call.what == What::Sum || call.what == What::Blank && sink.sums_up(call.label);
            Ok(if is_sum { Open::Sum } else { Open::Sample })
        }
    }
}

/// Attributes of a sample.
#[derive(Default)]
struct Attributes {
    label: String,
    code: String,
    message: String,
    data_type: String,
    has_message: bool,
    has_data_type: bool,
    /// Whether it sent a request of HTTP, which no sum does.
    is_http: bool,
    is_ok: Option<bool>,
    start: Option<Nanos>,
    took: Option<Nanos>,
    latency: Option<Nanos>,
    connect: Option<Nanos>,
    bytes: u64,
    users: Option<u32>,
}

impl Attributes {
    fn of(tag: &BytesStart<'_>) -> Result<Self, String> {
        let mut found = Self { is_http: tag.name().as_ref() == "httpSample", ..Self::default() };
        for attribute in tag.attributes() {
            let attribute = attribute.map_err(|error| format!("its attributes cannot be read: {error}"))?;
            let value = attribute.normalized_value(XmlVersion::Implicit1_0);
            let value = value.map_err(|error| format!("its attributes cannot be read: {error}"))?;
            let bytes = value.as_bytes();
            let length =
                |what: &str| millis(bytes).ok_or_else(|| format!("its {what} `{}` is not a time", shown(bytes)));
            match attribute.key.as_ref() {
                "t" => found.took = Some(length("time")?),
                "lt" => found.latency = Some(length("latency")?),
                "ct" => found.connect = Some(length("time to connect")?),
                "ts" => found.start = Some(length("stamp")?),
                "s" => found.is_ok = Some(bytes == b"true"),
                "lb" => found.label = value.into_owned(),
                "rc" => found.code = value.into_owned(),
                "rm" => (found.message, found.has_message) = (value.into_owned(), true),
                "dt" => (found.data_type, found.has_data_type) = (value.into_owned(), true),
                "by" => found.bytes = whole(bytes).and_then(|bytes| bytes.try_into().ok()).unwrap_or(0),
                "na" => found.users = whole(bytes).and_then(|users| users.try_into().ok()),
                _ => {}
            }
        }
        Ok(found)
    }

    fn check(self) -> Result<Self, String> {
        match (self.start, self.took) {
            (Some(start), Some(took)) if start.0.checked_add(took.0).is_some() => Ok(self),
            (Some(_), Some(_)) => Err("its time is too long for any clock".into()),
            (None, _) => Err("it has no stamp `ts`".into()),
            (_, None) => Err("it has no time `t`".into()),
        }
    }

    /// Whether it has no kind of answer, as sums do not; `false` where the file does not tell.
    fn sends_nothing(&self) -> bool {
        self.has_data_type && self.data_type.is_empty() && !self.is_http
    }

    fn call(&self) -> Call<'_> {
        let took = self.took.unwrap_or_default();
        let is_ok = self.is_ok.unwrap_or(true);
        let outcome = if is_ok { Outcome::Ok } else { outcome(self.code.as_bytes(), self.message.as_bytes()) };
        Call {
            start: self.start.unwrap_or_default(),
            took,
            first_byte: self.latency.filter(|latency| latency.0 > 0 && *latency <= took),
            connect: self.connect.filter(|connect| connect.0 > 0 && *connect <= took),
            outcome,
            bytes: self.bytes,
            count: 1,
            time: Time::Service,
            label: self.label.as_bytes(),
            what: match self.has_message {
                true if self.message.as_bytes().starts_with(SUM) => What::Sum,
                true if self.message.is_empty() && self.sends_nothing() => What::Blank,
                _ => What::Call,
            },
            thread: None,
            users: self.users,
            why: if is_ok { b"" } else { self.message.as_bytes() },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Cursor;

    #[derive(Default)]
    struct Kept(Vec<(i64, String, Outcome, What)>);

    impl Sink for Kept {
        fn call(&mut self, call: &Call<'_>) -> Result<(), ImportError> {
            let label = String::from_utf8_lossy(call.label).into_owned();
            self.0.push((call.took.0 / 1_000_000, label, call.outcome, call.what));
            Ok(())
        }
    }

    fn seen(text: &str) -> Result<(Kept, Reading), ImportError> {
        seen_bytes(text.as_bytes())
    }

    fn seen_bytes(text: &[u8]) -> Result<(Kept, Reading), ImportError> {
        let mut kept = Kept::default();
        let input = Input::of(Cursor::new(text.to_vec())).unwrap();
        let reading = read(Path::new("a.xml"), input, &mut kept)?;
        Ok((kept, reading))
    }

    const TEXT: &str = r#"<?xml version="1.0" encoding="UTF-8"?>
<testResults version="1.2">
<httpSample t="250" it="0" lt="240" ct="12" ts="1795690680123" s="true" lb="Home &amp; away" rc="200" rm="OK" by="5120" ng="5" na="7">
  <httpSample t="40" lt="39" ts="1795690680200" s="true" lb="Home-0" rc="302" rm="Found"/>
  <java.net.URL>http://x/</java.net.URL>
</httpSample>
<sample t="280" lt="0" ts="1795690680400" s="false" lb="Buy" rc="" rm="Number of samples in transaction : 1, number of failing samples : 1">
  <httpSample t="30" lt="0" ts="1795690680400" s="false" lb="Pay" rc="500" rm="No"><assertionResult/></httpSample>
</sample>
<httpSample t="x" ts="1795690680400" s="true" lb="Odd" rc="200" rm="OK"/>
"#;

    #[test]
    fn parts_of_a_sample_are_not_counted_again_and_those_of_a_sum_are() {
        let (kept, reading) = seen(&format!("{TEXT}</testResults>")).unwrap();
        let expected = [
            (250, "Home & away".to_owned(), Outcome::Ok, What::Call),
            (280, "Buy".to_owned(), Outcome::Fault, What::Sum),
            (30, "Pay".to_owned(), Outcome::Status, What::Call),
        ];
        assert_eq!(kept.0, expected);
        assert_eq!((reading.read, reading.parts, reading.unreadable), (4, 1, 1));
        assert_eq!((reading.examples[0].line, &*reading.examples[0].why), (10, "its time `x` is not a time"));
    }

    #[test]
    fn a_file_that_breaks_off_is_read_up_to_there() {
        let (kept, reading) = seen(&TEXT[..TEXT.len() - 60]).unwrap();
        assert_eq!((kept.0.len(), reading.unreadable), (3, 1), "{reading:?}");
        let (_, reading) = seen(&TEXT.replace("t=\"x\"", "t=\"1\"")).unwrap();
        assert_eq!((reading.read, reading.unreadable), (5, 1), "the last element is not closed");
    }

    #[test]
    fn a_byte_that_is_not_utf_8_costs_nothing() {
        let text = format!("{TEXT}</testResults>").into_bytes();
        let place = text.windows(4).position(|four| four == b"away").unwrap();
        let odd = [&text[..place], b"\xe5 \xc3\xa5", &text[place..]].concat();
        let (kept, reading) = seen_bytes(&odd).unwrap();
        assert_eq!((kept.0.len(), reading.unreadable, reading.broken), (3, 1, None));
        assert_eq!(kept.0[0].1, "Home & å åaway");
        assert_eq!(reading.remarks, ["a byte in it is not UTF-8 and is taken for Latin-1"]);
    }

    /// However the text is cut where it is read, even within a letter.
    #[test]
    fn letters_are_the_same_wherever_pieces_end() {
        struct Pieces<'a>(&'a [u8], usize);
        impl Read for Pieces<'_> {
            fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
                let length = self.1.min(self.0.len());
                buffer[..length].copy_from_slice(&self.0[..length]);
                self.0 = &self.0[length..];
                Ok(length)
            }
        }
        let text = b"a\xc3\xa5\xe2\x82\xac\xf0\x9f\x98\x80 \xff\xe2\x82z\xc3";
        for length in 1..=text.len() {
            let (mut letters, mut out) = (Letters::of(Pieces(text, length)), String::new());
            letters.read_to_string(&mut out).unwrap();
            assert_eq!((&*out, letters.foreign), ("aå€😀 ÿâ\u{82}zÃ", 4), "{length}");
        }
    }

    #[test]
    fn what_is_no_xml_of_jmeter_is_refused() {
        for (text, expected) in [
            ("<html/>", "`testResults`"),
            ("timeStamp,elapsed", "`jtl`"),
            ("<!DOCTYPE x [<!ENTITY a \"b\">]><testResults/>", "document type"),
            (&format!("<testResults>{}", "<a>".repeat(200)), "deeper than 100"),
        ] {
            let error = seen(text).map(|_| ()).unwrap_err().to_string();
            assert!(error.contains(expected), "{error}");
        }
    }
}
