//! The published JSON Schema of study files, as the built command prints it.
//!
//! The registry of plug-ins lives in `cli`, which is a program. Asking the program keeps `xtask` free of all crates, and
//! checks what users get.

use crate::tree::Tree;
use anyhow::{Context, Result, bail};
use std::path::PathBuf;
use std::process::Command;

/// Where the schema is published.
pub const PATH: &str = "docs/study.schema.json";

/// Writes the schema; returns its path, whether or not it changed.
///
/// # Errors
/// When the command is not built, or fails.
pub fn write(tree: &Tree) -> Result<String> {
    tree.write(PATH, &printed(tree)?)?;
    Ok(PATH.to_owned())
}

/// What `loadproof schema` prints.
///
/// # Errors
/// When the command is not built, or fails.
pub fn printed(tree: &Tree) -> Result<String> {
    let program = built(tree, "debug", "loadproof");
    if !program.exists() {
        bail!("`{}` is missing; type `cargo build -p cli`", program.display());
    }
    let output = Command::new(&program)
        .arg("schema")
        .output()
        .with_context(|| format!("`{}` cannot be started", program.display()))?;
    if !output.status.success() {
        bail!("`loadproof schema` failed: {}", String::from_utf8_lossy(&output.stderr).trim());
    }
    String::from_utf8(output.stdout).context("`loadproof schema` printed no UTF-8")
}

/// Where cargo puts a program of this repository.
pub fn built(tree: &Tree, profile: &str, program: &str) -> PathBuf {
    let target = std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| tree.path("target"), PathBuf::from);
    tree.root().join(target).join(profile).join(program)
}
