//! One row of a file, however it is read.

use serde_json::{Map, Value};

/// Bytes of one row.
pub(super) const ROW_BYTES_MAX: u64 = 1024 * 1024;

/// The cells of a row in the order of the columns; `None` when it has others.
pub(super) fn cells_of(row: &Map<String, Value>, columns: &[String]) -> Option<Vec<String>> {
    let cells: Option<Vec<String>> = columns.iter().map(|name| row.get(name).map(cell)).collect();
    cells.filter(|cells| cells.len() == row.len())
}

/// A text as it is, nothing for null, numbers and the rest as JSON.
fn cell(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Null => String::new(),
        other => other.to_string(),
    }
}
