//! Findings to a document, and the document to files.
//!
//! # Place in the pipeline
//! Takes what `judge` says of a run, the merged views and the study's texts; writes `report.html`, `report.md`,
//! `junit.xml`, `result.json` and the tables. Last of all: nothing stands on it but the command.
//!
//! # Ideas
//! Three layers. [`document`] says what a report contains, as headings, tables, figures and sentences; figures are drawn
//! by our own small SVG writer; `html_page` sets them. Sentences come from a message catalogue, by code, with numbers as
//! typed arguments, so that nothing is written that no datum stands behind. Observation and assessment are always two
//! sentences, and a figure without an assessment does not exist.
//!
//! Same input, same bytes: there is no clock, no random number and no unordered map in here.
//!
//! # Not here
//! Statistics and verdicts are `judge`'s; nothing is computed here that decides anything. Averages over plotted seconds
//! only describe a figure.
#![forbid(unsafe_code)]

mod big_numbers;
mod blocks;
mod capacity_json;
mod charts;
mod compare_headline;
mod compared;
mod date;
pub mod document;
pub mod fonts;
pub mod frame;
mod html_page;
mod input;
mod json_values;
mod junit;
mod limits;
mod lines;
mod markdown;
mod marks;
mod messages;
mod number;
mod palette;
pub mod paper;
mod profile;
mod result;
mod said;
mod sections;
mod svg;
mod verdict_words;
mod words;
mod write;

pub use blocks::BLOCKS;
pub use compare_headline::compare_headline;
pub use compared::{
    COMPARE_SCHEMA, ComparedLine, compare_csv, compare_html, compare_json, compared_lines, difference_text,
};
pub use input::{EvidenceState, Input};
pub use lines::{FindingLine, VerdictLine, finding_lines, reason_lines, verdict_lines};
pub use messages::LANGUAGES;
pub use result::{SCHEMA, result_json};
pub use write::{FORMATS, ReportError, WriteOptions, write};

use document::Document;
use input::Context;
use messages::Messages;

/// The report as a document in a language; English where there is no catalogue for it.
pub fn document(input: &Input<'_>, language: &str) -> Document {
    sections::document(&Context::new(input, language))
}

/// The report as one HTML page.
pub fn html(input: &Input<'_>, language: &str) -> String {
    page(input, &document(input, language))
}

fn page(input: &Input<'_>, document: &Document) -> String {
    let terms = profile::of(input.study).terms;
    let messages = Messages::of(document.language).with_terms(&terms);
    html_page::page(document, &messages, (&input.head.version, &input.head.id))
}
