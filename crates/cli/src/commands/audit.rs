//! `loadproof audit`: a written report, and what cannot be true in it.

use crate::audit_screen;
use crate::exit::{Exit, Failed};
use crate::options::AuditOptions;
use crate::output;
use audit::read::{FILE_MAX, Format, format, read};
use contract::{open_file, read_file};
use std::io::Read;
use std::path::Path;
use std::process::{Command, Stdio};

/// Reads a report and shows what is found on standard output. 0 where nothing is, 1 where anything is, 2 where it cannot
/// be read.
pub(crate) fn audit(options: &AuditOptions) -> Result<Exit, Failed> {
    let name = options.file.display().to_string();
    let bytes = read_file(&options.file, FILE_MAX as u64)
        .map_err(|why| Failed::because(format!("the report `{name}` {why}")))?;
    let (format, bytes) = match format(&name, &bytes) {
        Format::Pdf => (Format::Pages, text_of_pdf(&options.file)?),
        format => (format, bytes),
    };
    let document =
        read(format, &bytes).map_err(|why| Failed::because(format!("the report `{name}` cannot be read: {why}")))?;
    let audit = audit::of_document(&document);
    if options.json {
        let json = audit::json(&name, &audit);
        output::data(&serde_json::to_string_pretty(&json).map_err(anyhow::Error::from)?);
    } else {
        audit_screen::show(&name, &audit);
    }
    Ok(if audit.findings.is_empty() { Exit::Met } else { Exit::NotMet })
}

/// What `pdftotext` makes of a PDF: no reader of PDF in Rust is both small and tried enough to be trusted with tables.
/// It is handed the open file, so that no name is taken for an option, and no more than a bound is taken from it.
fn text_of_pdf(path: &Path) -> Result<Vec<u8>, Failed> {
    let shown = path.display();
    let file = open_file(path).map_err(|why| Failed::because(format!("the report `{shown}` {why}")))?;
    let child = Command::new("pdftotext")
        .args(["-layout", "-enc", "UTF-8", "-", "-"])
        .stdin(file)
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn();
    let mut child = child.map_err(|error| {
        Failed::because(format!(
            "the text of `{shown}` cannot be taken out: `pdftotext` cannot be started ({error}); install poppler-utils, or \
             give the report as HTML, Word, Markdown or text"
        ))
    })?;
    let mut text = Vec::new();
    let taken = child.stdout.take().map(|out| out.take(FILE_MAX as u64 + 1).read_to_end(&mut text));
    // Whether it ended by itself or has more than is read, it is done.
    let _ = child.kill();
    let ended = child.wait();
    if matches!(taken, Some(Ok(_))) && ended.is_ok() && !text.iter().all(u8::is_ascii_whitespace) {
        return Ok(text);
    }
    Err(Failed::because(format!(
        "`pdftotext` finds no text in `{shown}`: it may be scanned, locked or damaged; give the report as HTML, Word, \
         Markdown or text"
    )))
}
