//! The whole report of a run: as a document, and as one page.

use crate::document::Document;
use crate::input::{Context, Input};
use crate::messages::Messages;
use crate::{html_page, profile, sections, short_names};

/// The report as a document in a language; English where there is no catalogue for it.
pub fn document(input: &Input<'_>, language: &str) -> Document {
    let cx = Context::new(input, language);
    let mut document = sections::document(&cx);
    short_names::shorten(&cx, &mut document);
    document
}

/// The same with every name as it is typed: what programs read.
pub(crate) fn plain_document(input: &Input<'_>, language: &str) -> Document {
    sections::document(&Context::new(input, language))
}

/// Whether [`document`] calls anything otherwise than [`plain_document`].
pub(crate) fn has_short_names(input: &Input<'_>) -> bool {
    input.study.is_some_and(|study| study.scenarios.iter().any(|scenario| scenario.cell.is_some()))
}

/// The report with every block, whatever its profile leaves out: what the tables on disk are made of.
pub(crate) fn full_document(input: &Input<'_>, language: &str) -> Document {
    let mut cx = Context::new(input, language);
    cx.profile = study::ReportProfile { terms: cx.profile.terms, ..profile::built_in("full") };
    sections::document(&cx)
}

/// The report as one HTML page.
pub fn html(input: &Input<'_>, language: &str) -> String {
    page(input, &document(input, language))
}

/// The document of that input as a page.
pub(crate) fn page(input: &Input<'_>, document: &Document) -> String {
    let terms = profile::of(input.study).terms;
    let messages = Messages::of(document.language).with_terms(&terms);
    html_page::page(document, &messages, (&input.head.version, &input.head.id))
}
