//! Cells that span rows and columns, laid out.

use crate::model::{Row, Table};

/// Most columns of a table, and most rows and columns that one cell spans.
const COLUMNS_MAX: usize = 200;
const SPAN_MAX: usize = 1000;
/// Most rows of headings.
const HEADINGS_MAX: usize = 3;

/// A cell as it is written.
#[derive(Clone, Debug, Default)]
pub(super) struct Cell {
    pub(super) text: String,
    pub(super) is_heading: bool,
    pub(super) columns: usize,
    pub(super) rows: usize,
}

/// A table of rows with their lines. Headings are the first rows all of whose cells are; otherwise the first row.
pub(super) fn grid(rows: Vec<(usize, Vec<Cell>)>) -> Table {
    // Cells that reach down: how many rows more, with their text.
    let mut reach: Vec<(usize, String)> = Vec::new();
    let mut laid: Vec<(Row, bool)> = Vec::new();
    for (line, cells) in rows.into_iter().filter(|(_, cells)| !cells.is_empty()) {
        let is_heading = cells.iter().all(|cell| cell.is_heading);
        let mut row = Vec::new();
        for cell in cells {
            from_above(&mut row, &mut reach);
            let text = cell.text;
            for _ in 0..cell.columns.clamp(1, COLUMNS_MAX) {
                if row.len() >= COLUMNS_MAX {
                    break;
                }
                if cell.rows > 1 {
                    reach.resize(reach.len().max(row.len() + 1), (0, String::new()));
                    reach[row.len()] = (cell.rows.min(SPAN_MAX) - 1, text.clone());
                }
                row.push(text.clone());
            }
        }
        from_above(&mut row, &mut reach);
        laid.push((Row { line, cells: row }, is_heading));
    }
    let heads = laid.iter().take(HEADINGS_MAX).take_while(|(_, is_heading)| *is_heading).count();
    let heads = heads.max(1).min(laid.len());
    let body = laid.split_off(heads);
    let width = laid.iter().map(|(row, _)| row.cells.len()).max().unwrap_or(0);
    let heading = |at: usize| {
        let mut parts: Vec<&str> = Vec::new();
        for (row, _) in &laid {
            let text = row.cells.get(at).map_or("", String::as_str);
            if !text.is_empty() && parts.last() != Some(&text) {
                parts.push(text);
            }
        }
        parts.join(" ")
    };
    let header = (0..width).map(heading).collect();
    Table { header, rows: body.into_iter().map(|(row, _)| row).collect(), is_rebuilt: false }
}

/// Puts what reaches down from above into a row, as long as its next column has something.
fn from_above(row: &mut Vec<String>, reach: &mut [(usize, String)]) {
    while let Some((left, text)) = reach.get_mut(row.len()).filter(|(left, _)| *left > 0) {
        *left -= 1;
        row.push(text.clone());
    }
}
