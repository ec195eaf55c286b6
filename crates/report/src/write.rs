//! Files: the report in each format, `result.json`, and every table as CSV.

use crate::csv_table::csv;
use crate::document::Document;
use crate::input::Input;
use crate::messages::Messages;
use crate::result::result_json;
use crate::whole;
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

/// Formats that are written here: those of a study but for its papers.
pub const FORMATS: &[&str] = study::FORMATS.split_at(study::FORMATS.len() - study::PAPERS.len()).0;

/// What to write.
#[derive(Clone, Copy, Debug)]
pub struct WriteOptions<'a> {
    /// Formats, each one of [`FORMATS`].
    pub formats: &'a [&'a str],
    /// Language of what people read, one of [`crate::LANGUAGES`]; English where it is not known.
    pub language: &'a str,
    /// In `junit.xml`, whether what cannot be told, and what is not met without being a must, counts as failure.
    pub is_strict: bool,
}

/// Why a report could not be written.
#[derive(Debug, thiserror::Error)]
pub enum ReportError {
    /// A format that this version does not write.
    #[error("the report format `{found}` is not written by this version; possible: {}", FORMATS.join(", "))]
    UnknownFormat {
        /// The format asked for.
        found: String,
    },
    /// A file could not be written.
    #[error("`{}` could not be written", path.display())]
    Write {
        path: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
}

/// Writes the report into a folder, as far as the formats name it: `report.html`, `report.md` with its figures in
/// `figures/*.svg`, `junit.xml`, `result.json`, `tables/*.csv`. Returns what was written, in order.
///
/// What people read is in the language wanted, and then has it in its name: `report.nl.html`, `report.nl.md`,
/// `figures.nl/`. What programs read is English whatever the language, so that it does not change under them. Markdown
/// refers to the tables, so they are written with it.
///
/// # Errors
/// [`ReportError::UnknownFormat`] before anything is written; [`ReportError::Write`] with the file that failed.
pub fn write(input: &Input<'_>, folder: &Path, wanted: &WriteOptions<'_>) -> Result<Vec<PathBuf>, ReportError> {
    if let Some(found) = wanted.formats.iter().find(|format| !FORMATS.contains(format)) {
        return Err(ReportError::UnknownFormat { found: (*found).to_owned() });
    }
    let has = |format: &str| wanted.formats.contains(&format);
    let mut files = Files { folder, written: Vec::new() };
    fs::create_dir_all(folder).map_err(cannot(folder))?;
    std::thread::scope(|scope| {
        // All that there are tables of takes as long to gather as all else, and depends on nothing of it.
        let is_tabled = has("csv") || has("md");
        let gather = || tables(&whole::full_document(input, "en"));
        let full = is_tabled.then(|| std::thread::Builder::new().name("tables".to_owned()).spawn_scoped(scope, gather));
        if has("json") {
            files.keep("result.json", result_json(input).as_bytes())?;
        }
        if has("junit") {
            files.keep("junit.xml", crate::junit::xml(input, wanted.is_strict).as_bytes())?;
        }
        let document = whole::document(input, wanted.language);
        let suffix = if document.language == "en" { String::new() } else { format!(".{}", document.language) };
        if has("html") {
            files.keep(&format!("report{suffix}.html"), whole::page(input, &document).as_bytes())?;
        }
        if has("md") {
            let messages = Messages::of(document.language).with_terms(&crate::profile::of(input.study).terms);
            markdown(&mut files, &document, &messages, &suffix)?;
        }
        if let Some(full) = full {
            let mut all = match full {
                Ok(thread) => thread.join().unwrap_or_else(|defect| std::panic::resume_unwind(defect)),
                // The system gives no thread.
                Err(_) => gather(),
            };
            // What programs read has names as they are typed.
            let is_plain = document.language == "en" && !whole::has_short_names(input);
            let plain = (!is_plain).then(|| whole::plain_document(input, "en"));
            // What a short report leaves out is among those of the full one, and a table that only the other has is added.
            add_tables(&mut all, plain.as_ref().unwrap_or(&document));
            files.make_folder("tables")?;
            for (name, bytes) in all {
                files.keep(&format!("tables/{name}"), &bytes)?;
            }
        }
        Ok(files.written)
    })
}

/// Files of one folder as they are written.
struct Files<'a> {
    folder: &'a Path,
    written: Vec<PathBuf>,
}

impl Files<'_> {
    fn keep(&mut self, name: &str, bytes: &[u8]) -> Result<(), ReportError> {
        let path = self.folder.join(name);
        record::replace_file(&path, bytes).map_err(cannot(&path))?;
        self.written.push(path);
        Ok(())
    }

    /// A folder of its own; never a link to another.
    fn make_folder(&self, name: &str) -> Result<(), ReportError> {
        let path = self.folder.join(name);
        record::derived_folder(&path).map_err(cannot(&path))
    }
}

fn markdown(files: &mut Files<'_>, document: &Document, m: &Messages, suffix: &str) -> Result<(), ReportError> {
    let drawings = format!("figures{suffix}");
    files.keep(&format!("report{suffix}.md"), crate::markdown::page(&document.on_paper(), m, &drawings).as_bytes())?;
    files.make_folder(&drawings)?;
    for figure in document.on_paper().figures() {
        files.keep(&format!("{drawings}/{}.svg", figure.anchor), crate::markdown::drawing(figure).as_bytes())?;
    }
    Ok(())
}

fn cannot(path: &Path) -> impl FnOnce(std::io::Error) -> ReportError + use<> {
    let path = path.to_owned();
    move |source| ReportError::Write { path, source }
}

/// CSV files by name.
type Tables = BTreeMap<String, Vec<u8>>;

/// Every table as CSV with unrounded numbers, under its name, which the document keeps apart from others.
fn tables(document: &Document) -> Tables {
    let mut tables = Tables::new();
    add_tables(&mut tables, document);
    tables
}

/// Adds the tables of a document that are not there yet.
fn add_tables(tables: &mut Tables, document: &Document) {
    for table in document.tables() {
        tables.entry(format!("{}.csv", table.name)).or_insert_with(|| csv(table));
    }
}
