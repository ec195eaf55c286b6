//! DuckDB as a second reader of run folders, over the views of `studies/analytics/archive`.
#![allow(clippy::unwrap_used, reason = "a test")]

use e2e::{Place, root};
use serde_json::Value;
use std::path::PathBuf;
use std::process::Command;

/// DuckDB's program: the one that is named, that of `make parts`, or that of the path.
fn duckdb() -> PathBuf {
    let named = std::env::var_os("LOADPROOF_DUCKDB").map(PathBuf::from);
    let target = std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| root().join("target"), PathBuf::from);
    let parts = ["duckdb/bin/duckdb", "duckdb/duckdb"].map(|at| target.join(at));
    let path = std::env::var_os("PATH").unwrap_or_default();
    let on_path = std::env::split_paths(&path).map(|folder| folder.join("duckdb")).collect::<Vec<_>>();
    let found = named.into_iter().chain(parts).chain(on_path).find(|path| path.is_file());
    found.expect("DuckDB is missing: type `make parts`, or name its program by LOADPROOF_DUCKDB")
}

/// Rows of a query over the views of the run folders below `archive`, a folder of `place`.
pub(crate) fn asked(place: &Place, archive: &str, query: &str) -> Vec<Value> {
    let views = root().join("studies/analytics/archive/views.sql");
    let script = format!(".mode json\nset variable archive = '{archive}';\n.read '{}'\n{query}\n", views.display());
    let path = place.file("query.sql", &script);
    let input = std::fs::File::open(path).unwrap();
    let output =
        Command::new(duckdb()).arg("-bail").arg(":memory:").current_dir(place.path()).stdin(input).output().unwrap();
    let (said, told) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success(), "{query}: {said}{told}");
    let text = said.trim();
    if text.is_empty() || text == "[{]" || text == "[]" {
        return Vec::new();
    }
    serde_json::from_str::<Vec<Value>>(text).unwrap_or_else(|error| panic!("{error}: {said}{told}"))
}

pub(crate) fn number(value: &Value) -> f64 {
    // DuckDB writes sums of integers as texts, since they may be larger than JSON's numbers.
    value.as_f64().or_else(|| value.as_str()?.parse().ok()).unwrap_or_else(|| panic!("{value}"))
}
