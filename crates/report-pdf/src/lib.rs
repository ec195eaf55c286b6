//! The report's document as a tagged PDF, without a browser.
//!
//! # Place in the pipeline
//! Takes what `report` made of a run, a [`Document`], and gives bytes. The command writes them; nothing else stands on
//! this crate, and so nothing else waits for what it is built of.
//!
//! # Ideas
//! Two steps. First the document is set: words into lines, lines and drawings onto sheets, each with its place in a tree
//! of what it is (heading, cell, figure). Only then is anything drawn, when it is known on which of how many pages
//! everything stands, so that contents and footers need no second pass.
//!
//! Everything is tagged, as PDF/UA-1 asks for, and checked against that when it is written: figures have alternative
//! texts, heads of tables are heads, what runs along the margins is not content. Letters come with the program, and text
//! is only ever letters: no markup is interpreted, no file is read. Same document, same bytes.
//!
//! # Not here
//! No sentence and no number: all of them are `report`'s. No hyphenation, and no scripts that run from right to left:
//! letters without a glyph are shown as a sign for one.
#![forbid(unsafe_code)]

mod blocks;
mod draw;
mod front;
mod letters;
mod sheet;
mod table;
#[cfg(test)]
mod tests;

use report::document::Document;

/// Why a document could not be written.
#[derive(Debug, thiserror::Error)]
pub enum PdfError {
    /// The library refused what it was given.
    #[error("the PDF could not be written: {0}")]
    Refused(String),
}

/// The document as the bytes of a PDF.
///
/// It says of itself that it is PDF/UA-1 when it passed the library's check of that, and is tagged in any case. A
/// drawing that cannot be read is left out; its caption and observation stay.
///
/// # Errors
/// [`PdfError::Refused`] with what the library says, when it refuses the document even without that check: a defect.
pub fn pdf(document: &Document) -> Result<Vec<u8>, PdfError> {
    let document = document.on_paper();
    let set = sheet::Set::of(&document);
    draw::drawn(&document, &set, true).or_else(|_| draw::drawn(&document, &set, false))
}
