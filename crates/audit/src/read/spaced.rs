//! Tables whose cells stand apart by single blanks, as they come out of a browser's selection: headings in one line, then
//! rows that end in figures. Cells that hold for several rows stand in the first of them only, on the left.

use crate::model::{Row, Table};

/// Fewest rows that make a table.
const ROWS_MIN: usize = 4;
/// Words that end the heading of a column.
const ENDS: [&str; 26] = [
    "size",
    "connections",
    "rate",
    "type",
    "users",
    "name",
    "vcpu",
    "vcpus",
    "mem(gib)",
    "memory",
    "time",
    "count",
    "requests",
    "errors",
    "throughput",
    "average",
    "min",
    "max",
    "cpu",
    "events/second",
    "tps",
    "(ms)",
    "(s)",
    "(%)",
    "samples",
    "failures",
];

/// A table that begins at a line, and the line behind it.
pub(super) fn table(lines: &[&str], at: usize) -> Option<(Table, usize)> {
    let header = headings(lines[at].trim())?;
    let mut end = at + 1;
    let mut rows = Vec::new();
    while let Some(line) = lines.get(end) {
        let tokens: Vec<&str> = line.split_whitespace().collect();
        let Some(row) = row(&tokens, header.len()) else { break };
        rows.push(Row { line: end + 1, cells: row });
        end += 1;
    }
    let figures = rows.iter().filter(|row| row.iter_figures() >= 2).count();
    (rows.len() >= ROWS_MIN && figures == rows.len())
        .then(|| (Table { header, rows: filled(rows), is_rebuilt: true }, end))
}

/// A table whose columns stand apart by two blanks or more, as in the text of a PDF; at least half of its cells below the
/// headings are figures. Where none begins here, the first line behind this one at which one may: the lines of a long run
/// are looked at once, not once for each of them.
pub(super) fn aligned(lines: &[&str], at: usize) -> Result<(Table, usize), usize> {
    let split = |line: &str| -> Vec<String> {
        line.trim().split("  ").map(str::trim).filter(|cell| !cell.is_empty()).map(str::to_owned).collect()
    };
    let header = split(lines[at]);
    if header.len() < 3 {
        return Err(at + 1);
    }
    let mut rows = Vec::new();
    let mut end = at + 1;
    while let Some(cells) = lines.get(end).filter(|line| !line.starts_with('\u{c}')).map(|line| split(line)) {
        if cells.len() != header.len() {
            break;
        }
        rows.push(Row { line: end + 1, cells });
        end += 1;
    }
    let figures = |row: &Row| row.cells.iter().filter(|cell| cell.starts_with(|c: char| c.is_ascii_digit())).count();
    // From the last row up, how many rows a table would have whose headings are the line above them.
    let (mut seen, mut longest) = (0, 0);
    for (count, row) in rows.iter().rev().enumerate() {
        seen += figures(row);
        if count >= 1 && 2 * seen >= (count + 1) * header.len() {
            longest = count + 1;
        }
    }
    if longest == rows.len() && longest > 0 {
        Ok((Table { header, rows, is_rebuilt: false }, end))
    } else {
        Err(if longest > 0 { end - longest - 1 } else { end })
    }
}

impl Row {
    /// How many cells at its right end are figures.
    fn iter_figures(&self) -> usize {
        self.cells.iter().rev().take_while(|cell| cell.starts_with(|c: char| c.is_ascii_digit())).count()
    }
}

/// The headings in a line of words, three at least: each ends in a word that headings end in.
fn headings(line: &str) -> Option<Vec<String>> {
    if line.len() > 200 || line.ends_with(['.', ':', ',']) {
        return None;
    }
    let mut found = Vec::new();
    let mut words: Vec<&str> = Vec::new();
    for word in line.split_whitespace() {
        words.push(word);
        if ENDS.contains(&word.to_lowercase().as_str()) {
            found.push(words.join(" "));
            words.clear();
        }
    }
    (words.is_empty() && found.len() >= 3).then_some(found)
}

/// The cells of a row, from the right: a figure each with its unit behind it; the rest is the first cell.
fn row(tokens: &[&str], columns: usize) -> Option<Vec<String>> {
    let is_figure = |token: &str| {
        let number = token.trim_end_matches('%');
        !number.is_empty() && number.chars().all(|c| c.is_ascii_digit() || c == '.' || c == ',')
    };
    let mut cells = Vec::new();
    let mut end = tokens.len();
    while end > 0 && cells.len() < columns {
        let unit = usize::from(
            end > 1 && !is_figure(tokens[end - 1]) && is_figure(tokens[end - 2]) && is_unit(tokens[end - 1]),
        );
        if !is_figure(tokens[end - 1 - unit]) {
            break;
        }
        cells.push(tokens[end - 1 - unit..end].join(" "));
        end -= 1 + unit;
    }
    if cells.len() < 2 || (end > 0 && cells.len() == columns) {
        return None;
    }
    let words = &tokens[..end];
    let is_type = |token: &str| token.split('.').count() >= 2 && token.ends_with("large");
    if let Some(at) = words.iter().position(|token| is_type(token)) {
        if at + 1 == words.len() {
            cells.push(words[at].to_owned());
            if at > 0 {
                cells.push(words[..at].join(" "));
            }
        }
    } else if !words.is_empty() {
        cells.push(words.join(" "));
    }
    // Missing cells hold what stands above them.
    cells.resize(columns.max(cells.len()), String::new());
    cells.truncate(columns);
    cells.reverse();
    Some(cells)
}

fn is_unit(token: &str) -> bool {
    ["bytes", "B", "KB", "kB", "MB", "ms", "s", "%"].contains(&token)
}

/// Empty cells on the left take what stands above them.
fn filled(mut rows: Vec<Row>) -> Vec<Row> {
    for at in 1..rows.len() {
        let (before, rest) = rows.split_at_mut(at);
        let (Some(above), Some(row)) = (before.last(), rest.first_mut()) else { continue };
        for (cell, above) in row.cells.iter_mut().zip(&above.cells) {
            if !cell.is_empty() {
                break;
            }
            cell.clone_from(above);
        }
    }
    rows
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_that_hold_for_several_rows_are_carried_down() {
        let text = "Events/second Message Size Attempted Connections Failed Connections Error Rate\n5 500 bytes 100 0 0%\n\
                    200 0 1.5%\n250 bytes 300 2 3%\n400 4 4%\n\nend";
        let lines: Vec<&str> = text.lines().collect();
        let (table, end) = table(&lines, 0).unwrap();
        assert_eq!((table.header.len(), end), (5, 5));
        assert_eq!(table.rows[1].cells, ["5", "500 bytes", "200", "0", "1.5%"]);
        assert_eq!(table.rows[3].cells, ["5", "250 bytes", "400", "4", "4%"]);
    }

    #[test]
    fn sentences_are_no_tables() {
        for text in
            ["The error rate was 3 of 4 5\n1 2\n3 4\n5 6\n7 8", "Name Type Size\nwords only\n", "a b c\n1 2 3\n"]
        {
            let lines: Vec<&str> = text.lines().collect();
            assert!(table(&lines, 0).is_none(), "{text}");
        }
    }
}
