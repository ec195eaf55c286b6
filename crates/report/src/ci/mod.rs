//! What build servers show of a run: a short summary, notes at lines of the study, figures that they compare.
//!
//! Each is made from what the report is made from, in its words. Names in it are hostile input of another kind than in a
//! report: in a merge request they could call people, refer to issues or give orders to the server.

mod code_quality;
mod github;
mod metrics;
mod notes;
mod summary;

pub use code_quality::code_quality;
pub use github::github_commands;
pub use metrics::metrics;
pub use notes::{Level, Note, StudyPlace, StudyPlaces, notes};
pub use summary::{compare_summary, history_summary, summary};
