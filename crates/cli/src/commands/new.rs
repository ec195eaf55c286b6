//! `loadproof new`: a small study to start from.

use crate::exit::{Exit, Failed};
use crate::options::{NewOptions, SchemaOptions};
use crate::output::say;
use std::fs::OpenOptions;
use std::io::Write;
use std::path::Path;

/// The schema beside a study, and the comment by which editors find it.
const SCHEMA: &str = "study.schema.json";
const EDITOR_LINE: &str = "# yaml-language-server: $schema=./study.schema.json\n";

/// Writes `study.yaml` into the folder; never overwrites an existing one. The schema is ours and always written anew.
pub(crate) fn new(options: &NewOptions) -> Result<Exit, Failed> {
    let folder = &options.folder;
    let cannot = |error: std::io::Error, path: &Path| {
        Failed::because(format!("`{}` cannot be written: {error}", path.display()))
    };
    std::fs::create_dir_all(folder).map_err(|error| cannot(error, folder))?;
    let path = folder.join("study.yaml");
    let file = OpenOptions::new().write(true).create_new(true).open(&path);
    let mut file = file.map_err(|error| match error.kind() {
        std::io::ErrorKind::AlreadyExists => {
            Failed::because(format!("`{}` already exists; name another folder: `loadproof new DIR`", path.display()))
        }
        _ => cannot(error, &path),
    })?;
    let line = if options.editor { EDITOR_LINE } else { "" };
    let text = format!("{line}{}", study::new_study());
    file.write_all(text.as_bytes()).map_err(|error| cannot(error, &path))?;
    say!("wrote {}", path.display());
    if options.editor {
        let out = Some(folder.join(SCHEMA));
        super::schema(&SchemaOptions { out })?;
    }
    say!("next: loadproof check {0}, then loadproof run {0}", path.display());
    Ok(Exit::Met)
}
