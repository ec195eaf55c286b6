//! DuckDB as an engine: its published program, which reads statements and writes JSON.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;

use super::engine::{Source, Statement, named_or_beside};
use crate::manifest::ROW;

/// Variable that names the program.
const VARIABLE: &str = "LOADPROOF_DUCKDB";
/// Where `make parts` puts it, beside this program or above it.
const BESIDE: &str = "duckdb/duckdb";
const PROGRAM: &str = "duckdb";

/// Looks for the program: that of the variable, else where `make parts` puts it, else on the PATH.
///
/// # Errors
/// None found; says what to type.
pub(crate) fn find() -> Result<PathBuf, String> {
    let on_path = || {
        let folders = std::env::var_os("PATH")?;
        std::env::split_paths(&folders).map(|folder| folder.join(PROGRAM)).find(|path| path.is_file())
    };
    named_or_beside(VARIABLE, Path::new(BESIDE)).or_else(on_path).ok_or_else(|| {
        format!(
            "DuckDB is not on this machine; type `make parts` where loadproof was built, or name its program with `{VARIABLE}`: \
             what `pip install duckdb-cli` brings"
        )
    })
}

pub(super) fn command(program: &Path) -> Command {
    let mut command = Command::new(program);
    // Settings of whoever runs it are left out.
    command.args(["-batch", "-json", "-no-init"]);
    command
}

pub(super) fn version(program: &Path) -> Command {
    let mut command = Command::new(program);
    command.arg("--version");
    command
}

/// Nothing is installed or loaded from elsewhere, and what does not fit into memory is told instead of written to a disk.
pub(super) fn greeting(threads: u16, mark: &str) -> String {
    format!(
        "SET threads = {threads};\nSET autoinstall_known_extensions = false;\nSET autoload_known_extensions = false;\n\
         SET temp_directory = '';\nSET preserve_insertion_order = false;\nSET enable_progress_bar = false;\n\
         SELECT version() AS version;\n.print {mark}\n"
    )
}

/// The view is part of the statement: one that was left from an earlier statement would give an answer to another question.
pub(super) fn text(statement: &Statement<'_>, mark: &str) -> Result<String, String> {
    let mut files = String::new();
    let Source::Segments(segments) = &statement.source else {
        return Err("DuckDB reads segments, and no database".to_owned());
    };
    for (place, file) in segments.iter().enumerate() {
        let path = file.to_str().filter(|path| !path.contains(['\n', '\r', '\0', '*', '?', '[']));
        let path = path.ok_or_else(|| format!("`{}` cannot stand in a statement", file.display()))?;
        let comma = if place > 0 { ", " } else { "" };
        let _ = write!(files, "{comma}'{}'", path.replace('\'', "''"));
    }
    let (from, to) = (statement.from, statement.to);
    Ok(format!(
        "WITH part AS NOT MATERIALIZED (SELECT * FROM read_parquet([{files}]) WHERE {ROW} >= {from} AND {ROW} < {to}) {};\n\
         .print {mark}\n",
        statement.sql
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_quoted_or_refused() {
        let statement = |path: &str| Statement {
            source: Source::Segments(vec![path.into(), "/b".into()]),
            from: 1,
            to: 5,
            sql: "SELECT 1",
        };
        assert_eq!(
            text(&statement("/it's"), "END").unwrap(),
            "WITH part AS NOT MATERIALIZED (SELECT * FROM read_parquet(['/it''s', '/b']) WHERE event_row >= 1 AND event_row < \
             5) SELECT 1;\n.print END\n"
        );
        for path in ["/a\n.shell x", "/a*", "/a?b", "/[a]"] {
            assert!(text(&statement(path), "END").unwrap_err().contains("cannot stand"), "{path}");
        }
    }
}
