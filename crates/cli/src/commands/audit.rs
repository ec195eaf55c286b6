//! `loadproof audit`: a written report, and what cannot be true in it.

use crate::audit_screen;
use crate::exit::{Exit, Failed};
use crate::options::AuditOptions;
use crate::output;
use contract::read_file;

/// Reads a report and shows what is found on standard output. 0 where nothing is, 1 where anything is, 2 where it cannot
/// be read.
pub(crate) fn audit(options: &AuditOptions) -> Result<Exit, Failed> {
    let name = options.file.display().to_string();
    let bytes = read_file(&options.file, audit::read::FILE_MAX as u64)
        .map_err(|why| Failed::because(format!("the report `{name}` {why}")))?;
    let audit = audit::audit(&name, &bytes)
        .map_err(|why| Failed::because(format!("the report `{name}` cannot be read: {why}")))?;
    if options.json {
        let json = audit::json(&name, &audit);
        output::data(&serde_json::to_string_pretty(&json).map_err(anyhow::Error::from)?);
    } else {
        audit_screen::show(&name, &audit);
    }
    Ok(if audit.findings.is_empty() { Exit::Met } else { Exit::NotMet })
}
