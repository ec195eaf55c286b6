//! Records of a delimited text, as RFC 4180 has them: fields in quotes may hold delimiters and line breaks.
//!
//! A record is a slice of the buffer it was read into, so nothing is copied but fields with quotes in them. Lines are
//! counted as an editor counts them. A quote that is never closed would swallow the rest of the file; whoever finds a
//! record of several lines to be none asks for it again from its second line on ([`Records::only_first_line`]).

use memchr::memchr;
use std::io::{self, Read};
use std::ops::Range;

/// Longest record: a message of a megabyte in one field is none that a log should hold.
pub(crate) const RECORD_MAX: usize = 1 << 20;
/// Most fields of a record.
pub(crate) const FIELDS_MAX: usize = 1024;
const CHUNK: usize = 1 << 20;

/// What came of looking for a record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Found {
    /// [`Records::field`] has its fields.
    Record,
    /// None that can be told apart into fields; the reason.
    Damaged(&'static str),
    End,
}

/// What is left of a text behind the records that were read.
pub(crate) struct Rest<R> {
    pub(crate) reader: R,
    pub(crate) delimiter: u8,
    /// Bytes that were taken from the reader and are of no record that was read.
    pub(crate) unread: Vec<u8>,
    pub(crate) next_line: u64,
    pub(crate) is_at_end: bool,
    pub(crate) failed: Option<io::Error>,
}

/// Reads records one after another.
pub(crate) struct Records<R> {
    reader: R,
    delimiter: u8,
    buffer: Vec<u8>,
    /// What is still to be read of the buffer.
    unread: Range<usize>,
    is_at_end: bool,
    /// Whether the buffer has all that there is, and whether more was asked for.
    is_whole: bool,
    was_cut: bool,
    /// Why it could not be read on: told when all that was read before has been handed out.
    failed: Option<io::Error>,
    /// Where the record begins and how many fields it has, if it has no quotes; and where its fields end, each one byte
    /// before the next.
    plain: Option<(u32, usize)>,
    ends: Box<[u32; FIELDS_MAX]>,
    /// Fields of a record with quotes.
    fields: Vec<Range<u32>>,
    /// Fields that had quotes in them, without.
    unquoted: Vec<u8>,
    /// Which fields are in `unquoted`.
    is_unquoted: Vec<bool>,
    /// Where the next quote is of a text that is whole in memory, or the one before; `usize::MAX` behind the last, and none as
    /// long as nobody looked.
    next_quote: Option<usize>,
    /// Line of the record that was found, and of the next.
    line: u64,
    next_line: u64,
    /// Where the second line of the record begins, where it has several.
    second_line: Option<usize>,
}

/// Which of 64 bytes are that byte, the first in the lowest bit.
fn bits(bytes: &[u8; 64], byte: u8) -> u64 {
    /// Brings the lowest bits of eight bytes together in the highest byte.
    const GATHER: u64 = 0x0102_0408_1020_4080;
    let mut is_it = [0; 64];
    for (is_it, other) in is_it.iter_mut().zip(bytes) {
        *is_it = u8::from(*other == byte);
    }
    let words = is_it.as_chunks::<8>().0.iter().enumerate();
    words.fold(0, |bits, (number, word)| bits | (u64::from_le_bytes(*word).wrapping_mul(GATHER) >> 56) << (8 * number))
}

/// Writes down where a byte is in a stretch of a text; returns how many there are, `None` where there is no room for all.
///
/// Delimiters lie a few bytes apart, too close for a search that begins anew behind each.
fn places(text: &[u8], within: Range<usize>, byte: u8, into: &mut [u32]) -> Option<usize> {
    let mut count = 0;
    for from in within.clone().step_by(64) {
        let mut bits = match text[from..].first_chunk() {
            Some(bytes) => bits(bytes, byte),
            None => {
                let mut bytes = [!byte; 64];
                bytes[..text.len() - from].copy_from_slice(&text[from..]);
                bits(&bytes, byte)
            }
        };
        if within.end - from < 64 {
            bits &= (1 << (within.end - from)) - 1;
        }
        while bits != 0 {
            *into.get_mut(count)? = from as u32 + bits.trailing_zeros();
            count += 1;
            bits &= bits - 1;
        }
    }
    Some(count)
}

impl Records<io::Empty> {
    /// Reads a text in memory, which stays as it is.
    pub(crate) fn over(text: Vec<u8>, delimiter: u8) -> Self {
        let unread = 0..text.len();
        Self { buffer: text, unread, is_whole: true, ..Self::new(io::empty(), delimiter) }
    }
}

impl<R: Read> Records<R> {
    pub(crate) fn new(reader: R, delimiter: u8) -> Self {
        Self {
            reader,
            delimiter,
            buffer: Vec::new(),
            unread: 0..0,
            is_at_end: false,
            is_whole: false,
            was_cut: false,
            failed: None,
            plain: None,
            ends: Box::new([0; FIELDS_MAX]),
            next_quote: None,
            fields: Vec::new(),
            unquoted: Vec::new(),
            is_unquoted: Vec::new(),
            line: 0,
            next_line: 1,
            second_line: None,
        }
    }

    /// Whether a record asked for more than there is in memory.
    pub(crate) fn was_cut(&self) -> bool {
        self.was_cut
    }

    /// The memory that it was read into.
    pub(crate) fn into_buffer(self) -> Vec<u8> {
        self.buffer
    }

    /// Line of the record that was found last, from 1.
    pub(crate) fn line(&self) -> u64 {
        self.line
    }

    pub(crate) fn set_delimiter(&mut self, delimiter: u8) {
        self.delimiter = delimiter;
    }

    pub(crate) fn reader(&self) -> &R {
        &self.reader
    }

    /// Line of the record that comes next.
    pub(crate) fn next_line(&self) -> u64 {
        self.next_line
    }

    /// From now on the next record is in that line.
    pub(crate) fn begin_at(&mut self, line: u64) {
        self.next_line = line;
    }

    /// Bytes that were taken from the reader and are of no record that was read.
    pub(crate) fn unread(&self) -> usize {
        self.unread.len()
    }

    /// Why the text broke off behind the record that was read last, where it did.
    pub(crate) fn take_failure(&mut self) -> Option<io::Error> {
        self.failed.take()
    }

    /// Gives back what is left.
    pub(crate) fn into_rest(self) -> Rest<R> {
        let unread = self.buffer[self.unread].to_vec();
        let Self { reader, delimiter, next_line, is_at_end, failed, .. } = self;
        Rest { reader, delimiter, unread, next_line, is_at_end, failed }
    }

    /// Number of fields of the record.
    pub(crate) fn len(&self) -> usize {
        self.plain.map_or(self.fields.len(), |(_, count)| count)
    }

    /// A field of the record; empty beyond its last.
    pub(crate) fn field(&self, number: usize) -> &[u8] {
        if let Some((begin, count)) = self.plain {
            let Some(end) = self.ends[..count].get(number) else { return &[] };
            let begin = if number == 0 { begin } else { self.ends[number - 1] + 1 };
            return &self.buffer[begin as usize..*end as usize];
        }
        let Some(range) = self.fields.get(number) else { return &[] };
        let range = range.start as usize..range.end as usize;
        if self.is_unquoted[number] { &self.unquoted[range] } else { &self.buffer[range] }
    }

    /// The first line that is not empty, whole and left to be read again: what the delimiter is told by.
    ///
    /// # Errors
    /// When the file cannot be read.
    pub(crate) fn peek_line(&mut self) -> io::Result<&[u8]> {
        loop {
            let end = self.line_end()?;
            let line = trimmed(&self.buffer[self.unread.start..end.min(self.unread.end)]);
            if let (true, Some(error)) = (self.unread.is_empty(), self.failed.take()) {
                return Err(error);
            }
            if !line.is_empty() || self.unread.is_empty() {
                let from = self.unread.start;
                return Ok(trimmed(&self.buffer[from..end.min(self.unread.end)]));
            }
            self.unread.start = (end + 1).min(self.unread.end);
            self.next_line += 1;
        }
    }

    /// Looks for the next record; empty lines are none.
    ///
    /// # Errors
    /// When the file cannot be read.
    pub(crate) fn advance(&mut self) -> io::Result<Found> {
        loop {
            self.line = self.next_line;
            self.second_line = None;
            let end = self.line_end()?;
            if self.unread.is_empty() {
                return self.failed.take().map_or(Ok(Found::End), Err);
            }
            if end - self.unread.start > RECORD_MAX {
                self.skip_line()?;
                return Ok(Found::Damaged("it is longer than a mebibyte"));
            }
            let from = self.unread.start;
            if self.has_quote(from, end) {
                return self.quoted();
            }
            self.unread.start = (end + 1).min(self.unread.end);
            self.next_line += 1;
            let line = trimmed(&self.buffer[from..end]);
            if !line.is_empty() {
                let length = line.len();
                return Ok(self.plain(from, length));
            }
        }
    }

    /// The record that was found is none: what stands behind its first line is looked at anew.
    pub(crate) fn only_first_line(&mut self) {
        if let Some(second) = self.second_line.take() {
            self.unread.start = second;
            self.next_line = self.line + 1;
        }
    }

    fn plain(&mut self, from: usize, length: usize) -> Found {
        let end = from + length;
        // The last field ends with the record.
        let found = places(&self.buffer, from..end, self.delimiter, &mut self.ends[..FIELDS_MAX - 1]);
        let Some(count) = found else { return Found::Damaged("it has more than 1024 fields") };
        self.ends[count] = end as u32;
        self.plain = Some((from as u32, count + 1));
        Found::Record
    }

    /// Whether there is a quote in a line.
    fn has_quote(&mut self, from: usize, end: usize) -> bool {
        if !self.is_whole {
            return memchr(b'"', &self.buffer[from..end]).is_some();
        }
        // Most texts have none, or few.
        let known = self.next_quote.filter(|quote| *quote >= from);
        let next = known.unwrap_or_else(|| memchr(b'"', &self.buffer[from..]).map_or(usize::MAX, |at| from + at));
        self.next_quote = Some(next);
        next < end
    }

    /// A record that begins with a line in which there are quotes.
    fn quoted(&mut self) -> io::Result<Found> {
        self.plain = None;
        self.fields.clear();
        self.is_unquoted.clear();
        self.unquoted.clear();
        // Counted from the record's begin, since the buffer moves when more of it is read.
        let mut at = 0;
        let mut lines = 1;
        loop {
            let begin = at;
            let is_quoted = self.byte(at)? == Some(b'"');
            let kept = self.unquoted.len();
            if is_quoted {
                at += 1;
                loop {
                    let Some(byte) = self.byte(at)? else {
                        return Ok(self.unclosed("a quote in it is never closed"));
                    };
                    if at > RECORD_MAX {
                        return Ok(self.unclosed("a quote in it is not closed within a mebibyte"));
                    }
                    at += 1;
                    match byte {
                        b'"' if self.byte(at)? == Some(b'"') => {
                            self.unquoted.push(b'"');
                            at += 1;
                        }
                        b'"' => break,
                        b'\n' => {
                            lines += 1;
                            if self.second_line.is_none() {
                                self.second_line = Some(self.unread.start + at);
                            }
                            self.unquoted.push(byte);
                        }
                        _ => self.unquoted.push(byte),
                    }
                }
            }
            // What stands behind a closing quote belongs to the field, as most readers have it.
            let rest = at;
            let end = loop {
                match self.byte(at)? {
                    Some(byte) if byte == self.delimiter || byte == b'\n' => break Some(byte),
                    Some(_) if at > RECORD_MAX => return Ok(self.unclosed("it is longer than a mebibyte")),
                    Some(_) => at += 1,
                    None => break None,
                }
            };
            let from = self.unread.start;
            let is_last = end != Some(self.delimiter);
            let mut tail = from + rest..from + at;
            if is_last && self.buffer[tail.clone()].last() == Some(&b'\r') {
                tail.end -= 1;
            }
            if is_quoted {
                self.unquoted.extend_from_slice(&self.buffer[tail]);
                self.fields.push(kept as u32..self.unquoted.len() as u32);
            } else {
                self.fields.push((from + begin) as u32..tail.end as u32);
            }
            self.is_unquoted.push(is_quoted);
            at += usize::from(end.is_some());
            if is_last {
                self.unread.start += at;
                self.next_line += lines;
                return Ok(Found::Record);
            }
            if self.fields.len() >= FIELDS_MAX {
                return Ok(self.unclosed("it has more than 1024 fields"));
            }
        }
    }

    /// A record without an end: its first line is given up.
    fn unclosed(&mut self, why: &'static str) -> Found {
        let from = self.unread.start;
        let end = memchr(b'\n', &self.buffer[self.unread.clone()]).map_or(self.unread.end, |at| from + at + 1);
        self.unread.start = end;
        self.next_line += 1;
        self.second_line = None;
        Found::Damaged(why)
    }

    /// The byte so far behind the record's begin. Fields that were found before stay where they are in the buffer: it is
    /// only moved when a record begins.
    fn byte(&mut self, at: usize) -> io::Result<Option<u8>> {
        while self.unread.start + at >= self.unread.end {
            if self.is_at_end || !self.more()? {
                return Ok(None);
            }
        }
        Ok(self.buffer.get(self.unread.start + at).copied())
    }

    /// Where the line ends that begins with what is unread: at its line break, or at the end of the file. Reads on until
    /// it is there, or longer than a record may be.
    fn line_end(&mut self) -> io::Result<usize> {
        let mut looked = self.unread.start;
        loop {
            if let Some(at) = memchr(b'\n', &self.buffer[looked..self.unread.end]) {
                return Ok(looked + at);
            }
            looked = self.unread.end;
            if self.is_at_end || self.unread.len() > RECORD_MAX {
                return Ok(self.unread.end);
            }
            let moved = self.make_room();
            looked -= moved;
            if !self.more()? {
                return Ok(self.unread.end);
            }
        }
    }

    /// Goes to the end of a line that is too long to be kept.
    pub(crate) fn skip_line(&mut self) -> io::Result<()> {
        loop {
            if let Some(at) = memchr(b'\n', &self.buffer[self.unread.clone()]) {
                self.unread.start += at + 1;
                break;
            }
            self.unread.start = self.unread.end;
            self.make_room();
            if !self.more()? {
                break;
            }
        }
        self.next_line += 1;
        Ok(())
    }

    /// Moves what is unread to the begin of the buffer; returns by how much.
    fn make_room(&mut self) -> usize {
        let moved = self.unread.start;
        if moved > 0 {
            self.buffer.copy_within(self.unread.clone(), 0);
            self.unread = 0..self.unread.len();
        }
        moved
    }

    /// Reads more behind what is there; whether there was any.
    fn more(&mut self) -> io::Result<bool> {
        if self.is_whole {
            (self.was_cut, self.is_at_end) = (true, true);
            return Ok(false);
        }
        let end = self.unread.end;
        if self.buffer.len() < end + CHUNK {
            self.buffer.resize(end + CHUNK, 0);
        }
        loop {
            match self.reader.read(&mut self.buffer[end..]) {
                Ok(0) => {
                    self.is_at_end = true;
                    return Ok(false);
                }
                Ok(read) => {
                    self.unread.end += read;
                    return Ok(true);
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => {
                    self.is_at_end = true;
                    self.failed = Some(error);
                    return Ok(false);
                }
            }
        }
    }
}

/// Without the carriage return before a line break.
fn trimmed(line: &[u8]) -> &[u8] {
    line.strip_suffix(b"\r").unwrap_or(line)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn places_of_a_byte_are_those_that_a_loop_finds(
            text in proptest::collection::vec(prop_oneof![Just(b','), Just(b'-'), Just(0xac), any::<u8>()], 0..300),
            ends in [0usize..300, 0usize..300],
            room in 0usize..100,
        ) {
            let [from, to] = ends.map(|end| end.min(text.len()));
            let within = from.min(to)..from.max(to);
            let expected: Vec<u32> = within.clone().filter(|place| text[*place] == b',').map(|place| place as u32).collect();
            let mut found = vec![0; room];
            let count = places(&text, within, b',', &mut found);
            prop_assert_eq!(count, (expected.len() <= room).then_some(expected.len()));
            let kept = expected.len().min(room);
            prop_assert_eq!(&found[..kept], &expected[..kept]);
        }
    }

    /// A reader that hands over few bytes at a time.
    struct Drops<'a>(&'a [u8], usize);

    impl Read for Drops<'_> {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            let length = self.1.min(self.0.len()).min(buffer.len());
            buffer[..length].copy_from_slice(&self.0[..length]);
            self.0 = &self.0[length..];
            Ok(length)
        }
    }

    fn all(text: &[u8], at_once: usize) -> Vec<(u64, Result<Vec<String>, &'static str>)> {
        let mut records = Records::new(Drops(text, at_once), b',');
        let mut found = Vec::new();
        loop {
            match records.advance().unwrap() {
                Found::End => return found,
                Found::Damaged(why) => found.push((records.line(), Err(why))),
                Found::Record => {
                    let fields = (0..records.len()).map(|n| String::from_utf8_lossy(records.field(n)).into_owned());
                    found.push((records.line(), Ok(fields.collect())));
                }
            }
        }
    }

    #[test]
    fn fields_are_those_of_rfc_4180_however_they_come() {
        let text = b"a,b\r\n\r\n\"x, \"\"y\"\"\nz\",2,\n,\"\"\n\"q\"r,s\"t\nlast";
        for at_once in [1, 3, 1000] {
            let found = all(text, at_once);
            let expected: [(u64, &[&str]); 5] = [
                (1, &["a", "b"]),
                (3, &["x, \"y\"\nz", "2", ""]),
                (5, &["", ""]),
                (6, &["qr", "s\"t"]),
                (7, &["last"]),
            ];
            for ((line, fields), (expected_line, expected)) in found.iter().zip(expected) {
                assert_eq!((*line, fields.as_ref().unwrap().as_slice()), (expected_line, &expected.map_to()[..]));
            }
            assert_eq!(found.len(), 5);
        }
    }

    trait MapTo {
        fn map_to(&self) -> Vec<String>;
    }

    impl MapTo for &[&str] {
        fn map_to(&self) -> Vec<String> {
            self.iter().map(|text| (*text).to_owned()).collect()
        }
    }

    #[test]
    fn a_quote_that_is_never_closed_costs_one_line() {
        let found = all(b"1,\"broken\n2,b\n3,c\n", 7);
        assert_eq!(found[0], (1, Err("a quote in it is never closed")));
        assert_eq!(found[1..].iter().map(|(line, _)| *line).collect::<Vec<_>>(), [2, 3]);
    }

    #[test]
    fn a_record_of_several_lines_that_is_none_costs_its_first() {
        let mut records = Records::new(&b"1,\"a\n2,b\n3,\"c\n4,d\n"[..], b',');
        assert_eq!(records.advance().unwrap(), Found::Record);
        assert_eq!(records.field(1), b"a\n2,b\n3,c", "the second quote closes the first");
        records.only_first_line();
        assert_eq!(records.advance().unwrap(), Found::Record);
        assert_eq!((records.line(), records.field(0)), (2, &b"2"[..]));
    }

    #[test]
    fn long_lines_and_many_fields_are_damage_and_reading_goes_on() {
        let mut text = vec![b'x'; RECORD_MAX + 10];
        text.extend(b"\n");
        text.extend(vec![b','; FIELDS_MAX + 1]);
        text.extend(b"\n\"\"");
        text.extend(vec![b','; FIELDS_MAX + 1]);
        text.extend(b"\n1,2\n");
        let found = all(&text, 1 << 16);
        let lines: Vec<_> = found.iter().map(|(line, fields)| (*line, fields.is_ok())).collect();
        assert_eq!(lines, [(1, false), (2, false), (3, false), (4, true)]);
    }
}
