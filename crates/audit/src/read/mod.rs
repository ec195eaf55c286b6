//! Formats to blocks with places.

mod entities;
mod glued;
mod grid;
mod html;
mod markdown;
mod spaced;
mod tags;
mod unprinted;
mod word;

use crate::model::Document;

/// Largest file that is read, in bytes: reports are texts, and pictures stand beside them.
pub const FILE_MAX: usize = 64 * 1024 * 1024;

/// What a file is, by its name and its first bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// Markdown, or text without marks: one reader understands both.
    Text,
    /// A page of the web, or part of one.
    Html,
    /// A Word file: `.docx`.
    Word,
    /// Text that was taken out of a PDF, its pages behind form feeds.
    Pages,
    /// A PDF, whose text has to be taken out first: [`Format::Pages`].
    Pdf,
}

/// Why a report cannot be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Unreadable {
    /// Bytes that are not text.
    #[error("it is not a text in UTF-8: byte {at} is none; save it as UTF-8, or give the HTML or Word file itself")]
    NotText {
        /// Offset of the first such byte.
        at: usize,
    },
    /// A Word file that is none.
    #[error("it is not a Word file that can be read: {why}; save it anew as .docx")]
    NoWord {
        /// What is wrong with it.
        why: String,
    },
    /// A PDF, of which only the text can be read.
    #[error("it is a PDF; take its text out first: `pdftotext -layout FILE FILE.txt`")]
    Pdf,
    /// Nothing in it.
    #[error("it is empty, or has no text")]
    Empty,
    /// More bytes than are read of one file.
    #[error("it has {found} bytes; at most {FILE_MAX} are read")]
    TooLarge {
        /// Its size.
        found: usize,
    },
}

/// Bytes at whose beginning a page of HTML shows itself.
const HEAD_MAX: usize = 4096;

/// What a file is: by its first bytes, and by its name where a page begins without any sign of it.
pub fn format(name: &str, bytes: &[u8]) -> Format {
    if bytes.starts_with(b"PK\x03\x04") {
        return Format::Word;
    }
    if bytes.starts_with(b"%PDF-") {
        return Format::Pdf;
    }
    let head = String::from_utf8_lossy(&bytes[..bytes.len().min(HEAD_MAX)]).to_lowercase();
    let is_page =
        head.trim_start_matches('\u{feff}').trim_start().starts_with("<!doctype html") || head.contains("<html");
    let name = name.to_lowercase();
    if is_page || name.ends_with(".html") || name.ends_with(".htm") || name.ends_with(".xhtml") {
        return Format::Html;
    }
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
        Format::Pages => markdown::pages(&String::from_utf8_lossy(bytes)),
        // Pages of other encodings are mostly ASCII, in which figures are.
        Format::Html => html::read(&String::from_utf8_lossy(bytes)),
        Format::Word => word::read(bytes)?,
        Format::Pdf => return Err(Unreadable::Pdf),
    };
    if document.blocks.is_empty() { Err(Unreadable::Empty) } else { Ok(document) }
}

fn text(bytes: &[u8]) -> Result<&str, Unreadable> {
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    std::str::from_utf8(bytes).map_err(|error| Unreadable::NotText { at: error.valid_up_to() })
}
