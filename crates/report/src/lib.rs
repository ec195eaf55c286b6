//! Findings to a document, and the document to files.
//!
//! # Place in the pipeline
//! Takes what `judge` says of a run, the merged views and the study's texts; writes `report.html`, `report.md`,
//! `junit.xml`, `result.json`, the tables, and what build servers read (`ci`). Last of all: nothing stands on it but the command.
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
mod bulk_json;
mod capacity_json;
mod charts;
mod ci;
mod compare_data;
mod compare_headline;
mod compare_page;
mod compared;
mod course_json;
mod csv_table;
mod date;
mod direction;
pub mod document;
pub mod fonts;
pub mod frame;
mod given;
mod grid_json;
mod history_lines;
mod history_page;
mod html_page;
mod in_unit;
mod input;
mod iteration;
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
mod plugin_words;
mod profile;
mod requests;
mod result;
mod run_words;
mod runs_page;
mod said;
mod search_json;
mod sections;
mod short_names;
mod svg;
mod verdict_words;
mod whole;
mod words;
mod write;

pub use blocks::BLOCKS;
pub use ci::{
    Level, Note, StudyPlace, StudyPlaces, code_quality, compare_summary, github_commands, history_summary, metrics,
    notes, summary,
};
pub use compare_data::{COMPARE_SCHEMA, compare_csv, compare_json};
pub use compare_headline::compare_headline;
pub use compare_page::compare_html;
pub use compared::{ComparedLine, compared_lines, difference_text};
pub use history_lines::{HISTORY_SCHEMA, HistoryLine, history_json, history_lead, history_lines};
pub use history_page::{HistoryInput, history_html, history_tables};
pub use input::{EvidenceState, Input};
pub use lines::{
    FindingLine, Mandatory, VerdictLine, finding_lines, mandatory, reason_lines, search_lines, verdict_lines,
};
pub use messages::LANGUAGES;
pub use profile::{built_in_profile, profile_names};
pub use result::{SCHEMA, result_json};
pub use runs_page::{HoldFigures, JudgedRun, ListedRun, ListedState, Listing, Slowest, runs_html};
pub use whole::{document, html};
pub use write::{FORMATS, ReportError, WriteOptions, write};
