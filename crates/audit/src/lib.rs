//! A written report to what cannot be true in it: figures of its own that contradict each other.
//!
//! # Place in the pipeline
//! Beside it: takes a report of any origin and knows no run. The arithmetic of sentences is `judge`'s, which asks the same
//! of a study's own texts. Does no input or output.
//!
//! # Ideas
//! [`read`](mod@read) makes blocks with places of a file, [`quantity`] numbers with units of its words, and rules look at
//! tables, sentences and headings together. A rule accuses an author, so it fires only where the text itself shows its
//! conditions, and every reading that agrees acquits: a separator of thousands or decimals, rounding or cutting, another
//! way to count a change. Each finding quotes the words with their places, shows the arithmetic, and says what would be
//! right.
//!
//! # Example
//! ```
//! let report = b"The year has 260 * 24 * 60 * 200 = 4 billion messages.";
//! let audit = audit::audit("report.md", report).unwrap();
//! assert_eq!(audit.findings[0].code, "ARITH");
//! ```
//!
//! # Not here
//! Raw data: what only rows can show is `judge`'s, once the run was recorded or imported.
#![forbid(unsafe_code)]

mod beside;
mod columns;
mod finding;
mod json;
pub mod model;
pub mod quantity;
pub mod read;
mod rules;
mod seen;

pub use finding::{Finding, Quote, Weight};
pub use json::json;
pub use read::{Format, Unreadable};

use model::{Document, Kind};

/// Most findings of one report.
const FINDINGS_MAX: usize = 500;

/// What was found in a report, and how much of it was read.
#[derive(Clone, Debug, PartialEq)]
pub struct Audit {
    /// What was found, in the order of the report.
    pub findings: Vec<Finding>,
    /// Paragraphs and items of lists.
    pub paragraphs: usize,
    /// How many tables were read.
    pub tables: usize,
    /// Pieces beyond a bound, which were not read or not looked at.
    pub left_out: usize,
}

/// Reads a report and looks for what cannot be true in it. The name tells formats apart where the bytes do not.
///
/// # Errors
/// [`Unreadable`], where there is no text in it.
pub fn audit(name: &str, bytes: &[u8]) -> Result<Audit, Unreadable> {
    Ok(of_document(&read::read(read::format(name, bytes), bytes)?))
}

/// Looks for what cannot be true in a report that was read.
pub fn of_document(document: &Document) -> Audit {
    let input = seen::Input::new(document);
    let mut findings = Vec::new();
    for rule in rules::RULES {
        rule(&input, &mut findings);
        findings.truncate(FINDINGS_MAX);
    }
    let line = |finding: &Finding| finding.quotes.first().map_or(0, |quote| quote.place.line);
    findings.sort_by(|a, b| line(a).cmp(&line(b)).then_with(|| a.code.cmp(b.code)));
    findings.dedup();
    let count = |is: fn(&Kind) -> bool| document.blocks.iter().filter(|block| is(&block.kind)).count();
    Audit {
        findings,
        paragraphs: count(|kind| matches!(kind, Kind::Text | Kind::Item)),
        tables: count(|kind| matches!(kind, Kind::Table(_))),
        left_out: document.left_out + input.left_out.get(),
    }
}
