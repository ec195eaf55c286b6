//! The whole report of a run: as a document, and as one page.

use crate::document::Document;
use crate::input::{Context, Input};
use crate::messages::Messages;
use crate::{html_page, profile, sections};

/// The report as a document in a language; English where there is no catalogue for it.
pub fn document(input: &Input<'_>, language: &str) -> Document {
    sections::document(&Context::new(input, language))
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
