//! Lines of a text, each of bounded length.

use std::io::{self, BufRead, BufReader, Read};

/// Longest line: a JSON record with a megabyte in it is none that a log should hold.
pub(crate) const LINE_MAX: usize = 1 << 20;

/// Reads lines one after another.
pub(crate) struct Lines<R> {
    reader: BufReader<R>,
    line: Vec<u8>,
    number: u64,
}

/// What came of looking for a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Line {
    /// [`Lines::text`] has it.
    Whole,
    TooLong,
    End,
}

impl<R: Read> Lines<R> {
    pub(crate) fn new(reader: R) -> Self {
        Self { reader: BufReader::with_capacity(1 << 20, reader), line: Vec::new(), number: 0 }
    }

    /// Number of the line that was read last, from 1.
    pub(crate) fn number(&self) -> u64 {
        self.number
    }

    /// The line that was read last, without its end.
    pub(crate) fn text(&self) -> &[u8] {
        &self.line
    }

    pub(crate) fn reader(&self) -> &R {
        self.reader.get_ref()
    }

    /// Looks for the next line.
    ///
    /// # Errors
    /// When the file cannot be read.
    pub(crate) fn advance(&mut self) -> io::Result<Line> {
        self.line.clear();
        self.number += 1;
        let read = self.reader.by_ref().take(LINE_MAX as u64 + 1).read_until(b'\n', &mut self.line)?;
        if read == 0 {
            return Ok(Line::End);
        }
        if self.line.last() == Some(&b'\n') {
            self.line.pop();
        } else if read > LINE_MAX {
            self.line.clear();
            self.skip()?;
            return Ok(Line::TooLong);
        }
        if self.line.last() == Some(&b'\r') {
            self.line.pop();
        }
        Ok(Line::Whole)
    }

    /// Goes to the end of a line that is too long.
    fn skip(&mut self) -> io::Result<()> {
        loop {
            let buffer = self.reader.fill_buf()?;
            if buffer.is_empty() {
                return Ok(());
            }
            let (used, is_end) = match memchr::memchr(b'\n', buffer) {
                Some(at) => (at + 1, true),
                None => (buffer.len(), false),
            };
            self.reader.consume(used);
            if is_end {
                return Ok(());
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_end_as_they_may_and_long_ones_are_passed_over() {
        let mut text = b"a\r\n\nb".to_vec();
        text.extend(b"\n");
        text.extend(vec![b'x'; LINE_MAX + 1]);
        text.extend(b"\nlast");
        let mut lines = Lines::new(&text[..]);
        let mut found = Vec::new();
        loop {
            match lines.advance().unwrap() {
                Line::End => break,
                Line::TooLong => found.push((lines.number(), "…".to_owned())),
                Line::Whole => found.push((lines.number(), String::from_utf8_lossy(lines.text()).into_owned())),
            }
        }
        let expected = [(1, "a"), (2, ""), (3, "b"), (4, "…"), (5, "last")];
        assert_eq!(found, expected.map(|(number, text)| (number, text.to_owned())));
    }
}
