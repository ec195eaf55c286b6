//! `run.json` as a file: written whole or not at all, and read without trust in what it says.

use crate::files::read_text;
use crate::layout::{EVIDENCE, HEAD};
use crate::place::write_whole;
use crate::{Head, RUN_SCHEMA, RecordError};
use std::path::Path;

/// No plan makes a head of this length.
const BYTES_MAX: u64 = 64 * 1024 * 1024;

/// Writes `run.json`, at once or not at all.
pub(crate) fn write(path: &Path, head: &Head) -> Result<(), RecordError> {
    let place = path.join(EVIDENCE).join(HEAD);
    let unreadable = |error: serde_json::Error| RecordError::not_a_run(&place, error.to_string());
    let text = serde_json::to_string_pretty(head).map_err(unreadable)?;
    // Not-a-number is written as null, and null is not a number: better found now than when the run is to be read.
    serde_json::from_str::<Head>(&text).map_err(unreadable)?;
    write_whole(&place, format!("{text}\n").as_bytes())
}

/// Reads the head of a run folder.
///
/// # Errors
/// [`RecordError::NotARun`] where there is none, or none that this version can read.
pub(crate) fn read(path: &Path) -> Result<Head, RecordError> {
    let place = path.join(EVIDENCE).join(HEAD);
    if !place.exists() {
        let what = "it has no `evidence/run.json`; name the folder that `loadproof run` made";
        return Err(RecordError::not_a_run(path, what));
    }
    let text = read_text(&place, BYTES_MAX)?;
    let unreadable = |error: serde_json::Error| RecordError::not_a_run(&place, error.to_string());
    let document: serde_json::Value = serde_json::from_str(&text).map_err(unreadable)?;
    // Before its fields: a later version may have changed what they are.
    if let Some(schema) = document.get("schema").and_then(serde_json::Value::as_str)
        && !schema.is_empty()
        && schema != RUN_SCHEMA
    {
        let version = document.get("version").and_then(serde_json::Value::as_str).unwrap_or("unknown");
        let what = format!(
            "its schema is `{schema}`, and this version of loadproof reads `{RUN_SCHEMA}`; it was written by version \
             {version}: use that one"
        );
        return Err(RecordError::not_a_run(&place, what));
    }
    serde_json::from_value(document).map_err(unreadable)
}
