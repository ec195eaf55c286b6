//! What came of reading a file: how many records, and which lines were none.

use crate::error::ImportError;
use crate::input::Input;
use record::{Broken, UnreadableLine};
use std::io::{self, ErrorKind};
use std::path::Path;

/// Lines that are shown of those that could not be read.
const EXAMPLES: usize = 5;

/// Records and lines of one file.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Reading {
    /// Records that were read.
    pub(crate) read: u64,
    /// How many of these are parts of others, and counted with them.
    pub(crate) parts: u64,
    /// Lines that could not be read.
    pub(crate) unreadable: u64,
    /// The first of them.
    pub(crate) examples: Vec<UnreadableLine>,
    /// How it ends before it should, where it does.
    pub(crate) broken: Option<Broken>,
    /// Sentences about it: what was left out, and why.
    pub(crate) remarks: Vec<String>,
    /// Length of the file as it lies on the disk, and its SHA-256.
    pub(crate) bytes: u64,
    pub(crate) sha256: String,
}

impl Reading {
    /// Adds what came of a piece of the file that begins behind so many lines.
    pub(crate) fn join(&mut self, piece: &Self, lines_before: u64) {
        self.read += piece.read;
        self.unreadable += piece.unreadable;
        let room = EXAMPLES.saturating_sub(self.examples.len());
        let moved = |example: &UnreadableLine| UnreadableLine { line: lines_before + example.line, ..example.clone() };
        self.examples.extend(piece.examples.iter().take(room).map(moved));
    }

    /// Counts a line that could not be read.
    pub(crate) fn unreadable(&mut self, line: u64, why: impl Into<String>) {
        self.unreadable += 1;
        if self.examples.len() < EXAMPLES {
            self.examples.push(UnreadableLine { line, why: why.into() });
        }
    }
}

impl Reading {
    /// Says of a file of rows that its last line has no end, where it was read: its last field may be a part of one.
    pub(crate) fn end(&mut self, input: &Input) {
        if input.ends_within_a_line() && self.broken.is_none() {
            self.remarks
                .push("its last line has no end: if the file is cut off there, its last field may be a part".into());
        }
        (self.bytes, self.sha256) = input.fingerprint();
    }

    /// Ends the reading of a packed file that is cut off or damaged at a line; what was read before is kept.
    ///
    /// # Errors
    /// For a file that cannot be read for another reason.
    pub(crate) fn break_off(&mut self, path: &Path, line: u64, error: &io::Error) -> Result<(), ImportError> {
        self.broken = Some(broken(path, error)?);
        self.unreadable(line, format!("the file breaks off: {error}"));
        Ok(())
    }
}

/// How a file ends that cannot be unpacked further.
pub(crate) fn broken(path: &Path, error: &io::Error) -> Result<Broken, ImportError> {
    match error.kind() {
        ErrorKind::UnexpectedEof => Ok(Broken::Cut),
        ErrorKind::InvalidData | ErrorKind::InvalidInput => Ok(Broken::Damaged),
        _ => Err(ImportError::file(path, format!("cannot be read: {error}"))),
    }
}

/// What to say of a file that begins so, if it is not text of one byte a letter.
pub(crate) fn not_text(start: &[u8]) -> Option<&'static str> {
    if start.starts_with(b"\xff\xfe") || start.starts_with(b"\xfe\xff") {
        Some("is text in UTF-16; write it as UTF-8: `iconv -f UTF-16 -t UTF-8 FILE > NEW`")
    } else if start.contains(&0) {
        Some(
            "is not text: it has bytes of zero at its beginning. If it is UTF-16 without a mark, write it as UTF-8: \
             `iconv -f UTF-16LE -t UTF-8 FILE > NEW`",
        )
    } else {
        None
    }
}

/// A piece of a stranger's text for a message: short, on one line, without what nobody may see.
pub(crate) fn shown(text: &[u8]) -> String {
    const CHARS: usize = 120;
    let text = String::from_utf8_lossy(&text[..text.len().min(4 * CHARS)]);
    let text = scrub::KeptOut::default().cut(&text).into_owned();
    let mut short: String = text.chars().map(|c| if c.is_control() { ' ' } else { c }).take(CHARS).collect();
    if text.chars().count() > CHARS {
        short.push('…');
    }
    short
}
