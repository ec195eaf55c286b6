//! The report's document as a Word file.
//!
//! # Place in the pipeline
//! Takes what `report` made of a run, a [`Document`], and gives bytes. The command writes them; nothing else stands on
//! this crate.
//!
//! # Ideas
//! A formal document is one that its reader can go on with: headings are numbered by the document itself, tables and
//! figures are counted by fields, the contents are a field, so that Word and LibreOffice bring all of them up to date
//! when somebody writes between. What is shown by colour is stated by a word, too; figures have their observation as
//! alternative text; heads of tables are repeated and marked as such.
//!
//! The file is a small writer of our own over a zip and escaped XML: [`Xml`](xml) elements close themselves, so a part
//! is well-formed whatever a label holds. Same document, same bytes: the zip has no dates.
//!
//! # Not here
//! No sentence and no number: all of them are `report`'s. No layout: the page of a heading is only estimated, until the
//! reader's program counts.
#![forbid(unsafe_code)]

mod blocks;
mod body;
mod contents;
mod flow;
mod package;
mod pages;
mod parts;
mod picture;
mod styles;
mod table;
mod text;
mod title;
mod xml;

use report::document::Document;

/// The document as the bytes of a `.docx` file.
///
/// A drawing that cannot be read is left out; its caption, observation and alternative text stay.
pub fn docx(document: &Document) -> Vec<u8> {
    let document = document.on_paper();
    let body = body::Body::of(&document);
    package::zipped(&parts::parts(&document, body))
}
