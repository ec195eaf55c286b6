//! `loadproof new`: a small study to start from.

use crate::exit::{Exit, Failed};
use crate::output::say;
use std::fs::OpenOptions;
use std::io::Write;
use std::path::Path;

/// Writes `study.yaml` into the folder; never overwrites an existing one.
pub(crate) fn new(folder: &Path) -> Result<Exit, Failed> {
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
    file.write_all(study::new_study().as_bytes()).map_err(|error| cannot(error, &path))?;
    say!("wrote {}", path.display());
    say!("next: loadproof check {0}, then loadproof run {0}", path.display());
    Ok(Exit::Met)
}
