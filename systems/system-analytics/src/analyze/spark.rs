//! Apache Spark as an engine: a Python program that holds one session, and is asked as DuckDB is.

use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::json;

use super::engine::{Source, Statement, named_or_beside};
use crate::manifest::ROW;

/// Variable that names a Python with PySpark.
const VARIABLE: &str = "LOADPROOF_SPARK";
/// Where `make spark` puts it, beside this program or above it.
const BESIDE: &str = "spark/bin/python3";
const SESSION: &str = include_str!("session.py");

/// Looks for a Python with PySpark: that of the variable, else where `make spark` puts it.
///
/// # Errors
/// None found; says what to type.
pub(crate) fn find() -> Result<PathBuf, String> {
    named_or_beside(VARIABLE, Path::new(BESIDE)).ok_or_else(|| {
        format!(
            "Spark is not on this machine; type `make spark` where loadproof was built (500 MB), or name a Python that has \
             `pyspark` with `{VARIABLE}`"
        )
    })
}

pub(super) fn command(python: &Path, master: &str) -> Command {
    let mut command = Command::new(python);
    command.args(["-u", "-c", SESSION, master]);
    command
}

pub(super) fn version(python: &Path) -> Command {
    let mut command = Command::new(python);
    command.args(["-c", "import pyspark; print(pyspark.__version__)"]);
    command
}

pub(super) fn greeting(mark: &str) -> String {
    format!("{}\n", json!({ "mark": mark }))
}

pub(super) fn text(statement: &Statement<'_>, mark: &str) -> Result<String, String> {
    let (from, to) = (statement.from, statement.to);
    let mut asked = json!({
        "mark": mark,
        "from": from,
        "to": to,
        "where": format!("{ROW} >= {from} AND {ROW} < {to}"),
        "sql": statement.sql,
    });
    match &statement.source {
        Source::Segments(files) => {
            let files = files.iter().map(|file| {
                file.to_str()
                    .ok_or_else(|| format!("`{}` cannot stand in a statement", file.display()))
                    .map(|path| format!("file://{path}"))
            });
            asked["files"] = files.collect::<Result<Vec<_>, _>>()?.into();
        }
        Source::Table { database, table } => {
            asked["database"] = serde_json::to_value(database).map_err(|error| error.to_string())?;
            asked["table"] = table.as_str().into();
        }
    }
    Ok(format!("{asked}\n"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_statement_is_one_line_whatever_its_paths_hold() {
        let statement = Statement { source: Source::Segments(vec!["/a\nb".into()]), from: 1, to: 5, sql: "SELECT 1" };
        let text = text(&statement, "END").unwrap();
        assert_eq!((text.matches('\n').count(), text.ends_with('\n')), (1, true), "{text}");
        assert!(text.contains(r#""where":"event_row >= 1 AND event_row < 5""#), "{text}");
    }
}
