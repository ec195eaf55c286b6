//! Formats to blocks with places.

mod glued;
mod markdown;
mod spaced;

use crate::model::Document;

/// Largest file that is read, in bytes: reports are texts, and pictures stand beside them.
pub const FILE_MAX: usize = 64 * 1024 * 1024;

/// What a file is, by its name and its first bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// Markdown, or text without marks: one reader understands both.
    Text,
}

/// Why a report cannot be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Unreadable {
    /// Bytes that are no text.
    #[error("it is not a text in UTF-8: byte {at} is none; save it as UTF-8, or give the HTML or Word file itself")]
    NotText {
        /// Offset of the first such byte.
        at: usize,
    },
    /// Nothing in it.
    #[error("there are no words in it")]
    Empty,
    /// Too large.
    #[error("it has {found} bytes; at most {FILE_MAX} are read")]
    TooLarge {
        /// Its size.
        found: usize,
    },
}

/// What a file is.
pub fn format(_name: &str, _bytes: &[u8]) -> Format {
    Format::Text
}

/// Reads a report.
///
/// # Errors
/// [`Unreadable`], with what to do instead.
pub fn read(format: Format, bytes: &[u8]) -> Result<Document, Unreadable> {
    if bytes.len() > FILE_MAX {
        return Err(Unreadable::TooLarge { found: bytes.len() });
    }
    let document = match format {
        Format::Text => markdown::read(text(bytes)?),
    };
    if document.blocks.is_empty() { Err(Unreadable::Empty) } else { Ok(document) }
}

fn text(bytes: &[u8]) -> Result<&str, Unreadable> {
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    std::str::from_utf8(bytes).map_err(|error| Unreadable::NotText { at: error.valid_up_to() })
}
