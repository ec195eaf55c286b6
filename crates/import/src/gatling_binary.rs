//! `simulation.log` of Gatling from 3.12 on: records of bytes, texts that come again by their number.
//!
//! Numbers are big-endian; moments are milliseconds after the run's start. A text is its length, its bytes, and a byte
//! that says whether these are Latin-1 or UTF-16, as the virtual machine keeps them. Where a record cannot be told, what
//! follows cannot either: the log is read up to there.
//!
//! Source: Gatling 3.13, `LogFileDataWriter`, `LogFileReader`.

use crate::call::{Sink, What};
use crate::error::ImportError;
use crate::gatling::{Users, error, failure, labelled, of};
use crate::input::Input;
use crate::printed::Beside;
use crate::reading::Reading;
use std::collections::HashMap;
use std::io::{self, BufReader, Read};
use std::path::Path;
use terms::{Nanos, Outcome};

/// Longest text.
const TEXT_MAX: usize = 1 << 20;
/// Texts that come again, all together.
const TEXTS_MAX: usize = 64 << 20;
const GROUPS_MAX: i32 = 64;
/// Scenarios and assertions.
const LISTED_MAX: i32 = 10_000;

/// Reads a log.
///
/// # Errors
/// For a file whose head is none of Gatling's, or that cannot be read for another reason than damage.
pub(crate) fn read(
    path: &Path,
    reader: BufReader<Input>,
    sink: &mut dyn Sink,
) -> Result<(Reading, Beside), ImportError> {
    let mut log = Log { reader, texts: HashMap::new(), kept: 0, start: 0 };
    log.head().map_err(|error| {
        let what = format!(
            "is not a log of Gatling: its head cannot be read ({error})\nthe file is `simulation.log` in the folder of a \
             run's results"
        );
        ImportError::file(path, what)
    })?;
    let (mut reading, mut beside, mut users, mut number) =
        (Reading::default(), Beside::default(), Users::default(), 1u64);
    loop {
        number += 1;
        match log.record(&mut reading, &mut users, &mut beside, sink) {
            Ok(Ok(true)) => {}
            Ok(Ok(false)) => break,
            Ok(Err(error)) => return Err(error),
            Err(error) => {
                reading.break_off(path, number, &error)?;
                break;
            }
        }
    }
    (reading.bytes, reading.sha256) = log.reader.get_ref().fingerprint();
    Ok((reading, beside))
}

struct Log {
    reader: BufReader<Input>,
    texts: HashMap<i32, Vec<u8>>,
    /// Bytes of all of them.
    kept: usize,
    /// Milliseconds since 1970.
    start: i64,
}

fn damaged(what: impl Into<String>) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, what.into())
}

impl Log {
    fn head(&mut self) -> io::Result<()> {
        if self.byte()? != Some(0) {
            return Err(damaged("it does not begin with a run"));
        }
        let (_version, _class) = (self.text()?, self.text()?);
        let mut start = [0; 8];
        self.reader.read_exact(&mut start)?;
        self.start = i64::from_be_bytes(start);
        if !(1..9_000_000_000_000).contains(&self.start) {
            return Err(damaged("its start is not a time stamp"));
        }
        let _description = self.text()?;
        for _ in 0..self.listed()? {
            self.text()?;
        }
        for _ in 0..self.listed()? {
            let length = self.length()?;
            self.bytes(length)?;
        }
        Ok(())
    }

    fn listed(&mut self) -> io::Result<i32> {
        let count = self.int()?;
        if (0..=LISTED_MAX).contains(&count) { Ok(count) } else { Err(damaged(format!("it lists {count} of a kind"))) }
    }

    /// Takes a record; false at the end. The inner error is the sink's.
    fn record(
        &mut self,
        reading: &mut Reading,
        users: &mut Users,
        beside: &mut Beside,
        sink: &mut dyn Sink,
    ) -> io::Result<Result<bool, ImportError>> {
        let Some(kind) = self.byte()? else { return Ok(Ok(false)) };
        match kind {
            1 => {
                let groups = self.groups()?;
                let name = self.cached()?;
                let (start, took) = self.times()?;
                let is_ok = self.byte()? == Some(1);
                let message = self.cached()?;
                let outcome = if is_ok { Outcome::Ok } else { failure(&message) };
                let label = labelled(groups.iter().map(Vec::as_slice), &name);
                reading.read += 1;
                Ok(sink.call(&of(start, took, &label, outcome, What::Call, &message)).map(|()| true))
            }
            2 => {
                let (_scenario, is_start) = (self.int()?, self.byte()?.ok_or(io::ErrorKind::UnexpectedEof)? == 1);
                let at = self.moment()?;
                users.see(is_start, at, sink);
                Ok(Ok(true))
            }
            3 => {
                let groups = self.groups()?;
                let (start, took) = self.times()?;
                let (_cumulated, _status) = (self.int()?, self.byte()?.ok_or(io::ErrorKind::UnexpectedEof)?);
                reading.read += 1;
                Ok(sink.call(&of(start, took, &groups.join(&b" / "[..]), Outcome::Ok, What::Sum, b"")).map(|()| true))
            }
            4 => {
                let message = self.cached()?;
                self.int()?;
                error(&message, beside);
                Ok(Ok(true))
            }
            other => Err(damaged(format!("no record begins with {other}"))),
        }
    }

    fn groups(&mut self) -> io::Result<Vec<Vec<u8>>> {
        let count = self.int()?;
        if !(0..=GROUPS_MAX).contains(&count) {
            return Err(damaged(format!("it is in {count} groups")));
        }
        (0..count).map(|_| self.cached()).collect()
    }

    fn times(&mut self) -> io::Result<(Nanos, Nanos)> {
        let (start, end) = (self.moment()?, self.moment()?);
        if end < start { Err(damaged("it ends before it begins")) } else { Ok((start, end - start)) }
    }

    fn moment(&mut self) -> io::Result<Nanos> {
        Ok(Nanos::from_millis(self.start + i64::from(self.int()?)))
    }

    /// A text, or the number of one that came before.
    fn cached(&mut self) -> io::Result<Vec<u8>> {
        let number = self.int()?;
        if number < 0 {
            let known = number.checked_neg().and_then(|number| self.texts.get(&number));
            return known.cloned().ok_or_else(|| damaged(format!("text {number} never came")));
        }
        let text = self.text()?;
        self.kept += text.len() + 64;
        if self.kept > TEXTS_MAX {
            return Err(damaged("it has more than 64 MiB of different texts"));
        }
        self.texts.insert(number, text.clone());
        Ok(text)
    }

    fn text(&mut self) -> io::Result<Vec<u8>> {
        let length = self.length()?;
        if length == 0 {
            return Ok(Vec::new());
        }
        let bytes = self.bytes(length)?;
        match self.byte()? {
            Some(0) => Ok(bytes.iter().map(|byte| char::from(*byte)).collect::<String>().into_bytes()),
            // In the order of the machine that wrote it, which for all that Gatling runs on is this one.
            Some(1) => {
                let units: Vec<u16> = bytes.as_chunks::<2>().0.iter().map(|pair| u16::from_le_bytes(*pair)).collect();
                Ok(String::from_utf16_lossy(&units).into_bytes())
            }
            Some(other) => Err(damaged(format!("a text has the form {other}"))),
            None => Err(io::ErrorKind::UnexpectedEof.into()),
        }
    }

    fn length(&mut self) -> io::Result<usize> {
        let length = self.int()?;
        let known = usize::try_from(length).ok().filter(|length| *length <= TEXT_MAX);
        known.ok_or_else(|| damaged(format!("a text is {length} bytes long")))
    }

    fn bytes(&mut self, length: usize) -> io::Result<Vec<u8>> {
        let mut bytes = vec![0; length];
        self.reader.read_exact(&mut bytes)?;
        Ok(bytes)
    }

    fn int(&mut self) -> io::Result<i32> {
        let mut bytes = [0; 4];
        self.reader.read_exact(&mut bytes)?;
        Ok(i32::from_be_bytes(bytes))
    }

    /// The next byte; `None` at the end.
    fn byte(&mut self) -> io::Result<Option<u8>> {
        let mut byte = [0];
        loop {
            match self.reader.read(&mut byte) {
                Ok(0) => return Ok(None),
                Ok(_) => return Ok(Some(byte[0])),
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::call::Call;
    use proptest::prelude::*;
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

    fn seen(bytes: &[u8]) -> Result<(Kept, Reading, Beside), ImportError> {
        let (mut kept, input) = (Kept::default(), Input::of(Cursor::new(bytes.to_vec())).unwrap());
        let (reading, beside) = crate::gatling::read(Path::new("simulation.log"), input, &mut kept)?;
        Ok((kept, reading, beside))
    }

    fn text(text: &str) -> Vec<u8> {
        if text.is_empty() {
            return vec![0; 4];
        }
        [(text.len() as i32).to_be_bytes().to_vec(), text.as_bytes().to_vec(), vec![0]].concat()
    }

    fn int(value: i32) -> Vec<u8> {
        value.to_be_bytes().to_vec()
    }

    /// A run of one scenario and one assertion, as the writer makes it.
    fn log() -> Vec<u8> {
        let start = 1_795_690_680_000i64.to_be_bytes().to_vec();
        let euro = [vec![0, 0, 0, 2], 0x20acu16.to_le_bytes().to_vec(), vec![1]].concat();
        [
            [
                vec![0],
                text("3.13.5"),
                text("lab.Shop"),
                start,
                text(""),
                int(1),
                text("visit"),
                int(1),
                int(3),
                vec![1, 2, 3],
            ]
            .concat(),
            [vec![2], int(0), vec![1], int(5)].concat(),
            [vec![1], int(1), int(1), text("checkout"), int(2), euro, int(100), int(350), vec![1], int(3), text("")]
                .concat(),
            [vec![1], int(1), int(-1), int(-2), int(400), int(900), vec![0], int(4), text("Request timeout")].concat(),
            [vec![3], int(1), int(-1), int(100), int(900), int(750), vec![0]].concat(),
            [vec![4], int(5), text("no session"), int(950)].concat(),
            [vec![2], int(0), vec![0], int(1000)].concat(),
        ]
        .concat()
    }

    #[test]
    fn records_become_calls() {
        let (kept, reading, beside) = seen(&log()).unwrap();
        let start = 1_795_690_680_000;
        let expected = [
            (start + 100, 250, "checkout / €".to_owned(), Outcome::Ok, What::Call),
            (start + 400, 500, "checkout / €".to_owned(), Outcome::Timeout, What::Call),
            (start + 100, 800, "checkout".to_owned(), Outcome::Ok, What::Sum),
        ];
        assert_eq!(kept.0, expected);
        assert_eq!((kept.1, reading.read, reading.unreadable, beside.remarks.len()), (vec![1, 0], 3, 0, 1));
    }

    #[test]
    fn a_log_that_breaks_off_is_read_up_to_there() {
        let bytes = log();
        let (kept, reading, _) = seen(&bytes[..bytes.len() - 20]).unwrap();
        assert_eq!((kept.0.len(), reading.unreadable), (3, 1), "{reading:?}");
        let refused = seen(&[0, 0, 0, 0, 9, 9]).map(|_| ()).unwrap_err().to_string();
        assert!(refused.contains("its head cannot be read"), "{refused}");
    }

    proptest! {
        #[test]
        fn bytes_of_any_kind_end(at in 0usize..260, with in any::<u8>(), cut in 0usize..260) {
            let mut bytes = log();
            if let Some(byte) = bytes.get_mut(at) { *byte = with; }
            let end = bytes.len().saturating_sub(cut);
            let _ = seen(&bytes[..end]);
        }
    }
}
