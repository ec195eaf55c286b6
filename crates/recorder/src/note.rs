//! What is reported about one failed exchange: what is kept out is cut first, then what is too long.

use scrub::{KeptOut, MARK};
use std::borrow::Cow;

/// What was noticed about one failed exchange, for the list of samples.
#[derive(Debug, Default)]
pub struct Note {
    text: String,
    kept_out: KeptOut,
    /// Credentials that this exchange's session captured.
    captured: Vec<Vec<u8>>,
}

/// Longest text of a note.
pub(crate) const NOTE_BYTES_MAX: usize = 2048;
/// Longest text before what is kept out was cut from it: it is cut first, and shortened then.
const NOTE_BYTES_RAW_MAX: usize = 4 * NOTE_BYTES_MAX;

impl Note {
    pub(crate) fn new(kept_out: KeptOut, captured: Vec<Vec<u8>>) -> Self {
        Self { text: String::new(), kept_out, captured }
    }

    /// Adds bytes of an answer or a sentence; what is not UTF-8 is shown as such, what is too long is cut.
    pub fn add(&mut self, bytes: &[u8]) {
        let room = NOTE_BYTES_RAW_MAX.saturating_sub(self.text.len());
        let cut = &bytes[..bytes.len().min(room)];
        self.text.push_str(&String::from_utf8_lossy(cut));
        if cut.len() < bytes.len() && !self.text.ends_with('…') {
            self.text.push('…');
        }
    }

    /// Bytes of an answer without what is kept out: to be called before they are shortened or written otherwise.
    pub fn clean<'a>(&self, bytes: &'a [u8]) -> Cow<'a, [u8]> {
        self.kept_out.cut_bytes(bytes, &self.captured())
    }

    fn captured(&self) -> Vec<&[u8]> {
        self.captured.iter().map(Vec::as_slice).collect()
    }

    /// The text as it may be written.
    pub(crate) fn finish(self) -> String {
        let mut text = self.kept_out.cut_with(&self.text, &self.captured()).into_owned();
        if text.len() > NOTE_BYTES_MAX {
            let end = text.floor_char_boundary(NOTE_BYTES_MAX);
            // A mark is not cut in two.
            let mark = text[..text.ceil_char_boundary(end + MARK.len())].rfind(MARK).map(|at| at..at + MARK.len());
            let end = mark.filter(|mark| mark.start < end && end < mark.end).map_or(end, |mark| mark.end);
            if end < text.len() {
                text.truncate(end);
                text.push('…');
            }
        }
        text
    }
}
