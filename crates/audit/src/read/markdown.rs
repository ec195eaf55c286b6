//! Markdown, and texts without any marks such as a page that was copied out of a browser.

use super::unprinted::{printed, unstruck};
use super::{glued, spaced};
use crate::model::{Builder, Document, Kind, Row, Table};

/// Longest line that may be a heading without a mark, in characters.
const HEADING_MAX: usize = 80;

/// Reads the text of a PDF, with a form feed before each page but the first.
pub(super) fn pages(text: &str) -> Document {
    all(text, Some(1))
}

/// Reads a text. Line numbers are those of the text.
pub(super) fn read(text: &str) -> Document {
    all(&printed(text), None)
}

fn all(text: &str, page: Option<usize>) -> Document {
    let lines: Vec<&str> = text.lines().collect();
    let is_marked = lines.iter().any(|line| mark_of_heading(line).is_some());
    let mut builder = Builder::default();
    builder.page = page;
    let mut reader = Reader { lines, is_marked, builder, paragraph: Vec::new(), begun: 0, unaligned: 0 };
    let mut at = 0;
    while at < reader.lines.len() {
        at = reader.step(at);
    }
    reader.flush();
    reader.builder.done()
}

struct Reader<'a> {
    lines: Vec<&'a str>,
    /// Whether headings have marks; otherwise short lines on their own are headings.
    is_marked: bool,
    builder: Builder,
    paragraph: Vec<String>,
    /// Line of the paragraph's beginning.
    begun: usize,
    /// The line before which no table of aligned columns begins.
    unaligned: usize,
}

impl Reader<'_> {
    /// Reads what begins at a line; returns where the next thing begins.
    fn step(&mut self, at: usize) -> usize {
        let line = self.lines[at];
        if let Some(rest) = line.strip_prefix('\u{c}') {
            self.flush();
            self.builder.page = self.builder.page.map(|page| page + 1);
            self.lines[at] = rest;
            return at;
        }
        let trimmed = line.trim();
        if trimmed.is_empty() {
            self.flush();
            return at + 1;
        }
        if trimmed.starts_with("```") || trimmed.starts_with("~~~") {
            self.flush();
            return self.fence(at, &trimmed[..3]);
        }
        if let Some((depth, text)) = mark_of_heading(line) {
            self.flush();
            self.builder.heading(at + 1, None, depth, &plain(text));
            return at + 1;
        }
        if let Some((table, end)) = self.table(at) {
            self.flush();
            self.builder.table(at + 1, None, table);
            return end;
        }
        if let Some(item) = item(trimmed) {
            self.flush();
            self.begun = at + 1;
            self.paragraph.push(item.to_owned());
            return self.item(at + 1);
        }
        if !self.is_marked && self.paragraph.is_empty() && self.is_heading(at) {
            self.builder.heading(at + 1, None, 1, trimmed);
            return at + 1;
        }
        if self.paragraph.is_empty() {
            self.begun = at + 1;
        }
        self.paragraph.push(trimmed.trim_start_matches('>').to_owned());
        at + 1
    }

    /// The table that begins at a line, and the line behind it.
    fn table(&mut self, at: usize) -> Option<(Table, usize)> {
        let marked = pipes(&self.lines, at)
            .or_else(|| glued::table(&self.lines, at))
            .or_else(|| tabs(&self.lines, at))
            .or_else(|| spaced::table(&self.lines, at));
        if marked.is_some() || at < self.unaligned {
            return marked;
        }
        match spaced::aligned(&self.lines, at) {
            Ok(found) => Some(found),
            Err(until) => {
                self.unaligned = until;
                None
            }
        }
    }

    /// The rest of a list's item: lines that are indented further, up to the next item or blank line.
    fn item(&mut self, mut at: usize) -> usize {
        while let Some(line) = self.lines.get(at) {
            let trimmed = line.trim();
            let goes_on = line.starts_with([' ', '\t']) && !trimmed.is_empty() && item(trimmed).is_none();
            if !goes_on {
                break;
            }
            self.paragraph.push(trimmed.to_owned());
            at += 1;
        }
        let text = plain(&self.paragraph.join("\n"));
        self.paragraph.clear();
        self.builder.text(self.begun, None, Kind::Item, &text);
        at
    }

    /// A fenced block up to its end, or to the end of the text.
    fn fence(&mut self, at: usize, mark: &str) -> usize {
        let end = (at + 1..self.lines.len()).find(|place| self.lines[*place].trim().starts_with(mark));
        let end = end.unwrap_or(self.lines.len());
        let text = self.lines[at + 1..end].join("\n");
        self.builder.text(at + 1, None, Kind::Verbatim, &text);
        end + 1
    }

    /// A short line between blank ones, without an end of a sentence, in a text without marks.
    fn is_heading(&self, at: usize) -> bool {
        let line = self.lines[at].trim();
        let is_blank = |line: Option<&&str>| line.is_none_or(|line| line.trim().is_empty());
        let alone = (at == 0 || is_blank(self.lines.get(at - 1))) && is_blank(self.lines.get(at + 1));
        alone
            && line.chars().count() <= HEADING_MAX
            && line.chars().next().is_some_and(char::is_uppercase)
            && !line.ends_with(['.', ':', ',', ';', '!', '?'])
            && !line.contains('=')
    }

    fn flush(&mut self) {
        if !self.paragraph.is_empty() {
            let text = plain(&self.paragraph.join("\n"));
            self.paragraph.clear();
            self.builder.text(self.begun, None, Kind::Text, &text);
        }
    }
}

/// `## Words`: depth and words.
fn mark_of_heading(line: &str) -> Option<(usize, &str)> {
    let depth = line.bytes().take_while(|byte| *byte == b'#').count();
    let text = line.get(depth..)?.strip_prefix([' ', '\t'])?;
    ((1..=6).contains(&depth)).then_some((depth, text.trim().trim_end_matches('#').trim_end()))
}

/// What follows the mark of an item.
fn item(line: &str) -> Option<&str> {
    let marked = ["- ", "* ", "+ ", "• ", "◦ ", "▪ ", "– "].iter().find_map(|mark| line.strip_prefix(mark));
    let numbered = || {
        let digits = line.bytes().take_while(u8::is_ascii_digit).count();
        let rest = line.get(digits..)?;
        let rest = rest.strip_prefix(". ").or_else(|| rest.strip_prefix(") "))?;
        (1..=3).contains(&digits).then_some(rest)
    };
    marked.or_else(numbered).map(str::trim)
}

/// A table between `|`, with its line of dashes.
fn pipes(lines: &[&str], at: usize) -> Option<(Table, usize)> {
    let is_row = |line: &str| line.contains('|');
    let dashes = lines.get(at + 1)?;
    let is_dashes = dashes.contains('-') && dashes.contains('|') && dashes.chars().all(|c| "|-: \t".contains(c));
    if !is_row(lines[at]) || !is_dashes {
        return None;
    }
    let header = cells(lines[at]);
    let mut end = at + 2;
    let mut rows = Vec::new();
    while let Some(line) = lines.get(end).filter(|line| is_row(line)) {
        rows.push(Row { line: end + 1, cells: cells(line) });
        end += 1;
    }
    Some((Table { header, rows, is_rebuilt: false }, end))
}

/// The cells of a row; `\|` is a sign within one.
fn cells(line: &str) -> Vec<String> {
    let line = line.trim();
    let line = line.strip_prefix('|').unwrap_or(line);
    let line = if line.ends_with("\\|") { line } else { line.strip_suffix('|').unwrap_or(line) };
    let mut cells = vec![String::new()];
    let mut is_escaped = false;
    for c in line.chars() {
        match (c, is_escaped, cells.last_mut()) {
            ('\\', false, _) => is_escaped = true,
            ('|', false, _) => cells.push(String::new()),
            (_, true, Some(cell)) if c != '|' => {
                cell.extend(['\\', c]);
                is_escaped = false;
            }
            (_, _, Some(cell)) => {
                cell.push(c);
                is_escaped = false;
            }
            _ => {}
        }
    }
    cells.iter().map(|cell| plain(cell.trim())).collect()
}

/// Lines with tabs between their cells, at least two of them.
fn tabs(lines: &[&str], at: usize) -> Option<(Table, usize)> {
    let count = |place: usize| lines.get(place).map_or(0, |line| line.trim().matches('\t').count());
    let columns = count(at);
    if columns == 0 {
        return None;
    }
    let end = (at..).find(|place| count(*place) == 0).unwrap_or(at);
    if end < at + 2 {
        return None;
    }
    let split = |line: &str| -> Vec<String> { line.trim().split('\t').map(|cell| plain(cell.trim())).collect() };
    let rows = (at + 1..end).map(|place| Row { line: place + 1, cells: split(lines[place]) }).collect();
    Some((Table { header: split(lines[at]), rows, is_rebuilt: false }, end))
}

/// Words without the marks of Markdown and of formulas in TeX.
pub(super) fn plain(text: &str) -> String {
    let text = unstruck(text);
    let mut text = if text.contains('$') || text.contains("\\(") { formula(&text) } else { text.into_owned() };
    for (from, to) in [("**", ""), ("__", ""), ("`", ""), ("\\*", "*"), ("\\_", "_"), ("\\#", "#"), ("\\.", ".")] {
        if text.contains(from) {
            text = text.replace(from, to);
        }
    }
    text
}

/// `\text{days} \times 24` as it is drawn.
fn formula(text: &str) -> String {
    let mut text = text.to_owned();
    for command in ["\\text{", "\\mathrm{", "\\mbox{", "\\textrm{"] {
        let mut parts = text.split(command);
        let mut drawn = parts.next().unwrap_or_default().to_owned();
        for part in parts {
            drawn.push_str(&part.replacen('}', "", 1));
        }
        text = drawn;
    }
    // Braces around a separator only keep TeX from setting a blank behind it: `1{,}048{,}576`.
    let signs = [
        ("\\times", "×"),
        ("\\cdot", "·"),
        ("\\approx", "≈"),
        ("\\div", "÷"),
        ("{,}", ","),
        ("{.}", "."),
        ("\\,", " "),
        ("\\ ", " "),
    ];
    for (from, to) in signs {
        text = text.replace(from, to);
    }
    text.replace('$', "")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kinds(text: &str) -> Vec<(usize, String)> {
        read(text)
            .blocks
            .into_iter()
            .map(|block| (block.place.line, format!("{:?} {}", block.kind, block.text)))
            .collect()
    }

    #[test]
    fn headings_items_and_paragraphs_have_their_lines() {
        let found = kinds("# One\n\nWords\ngo on.\n\n- first\n  more\n- second\n\n```\ncode 1 = 2\n```\n");
        let expected = [
            (1, "Heading(1) One"),
            (3, "Text Words\ngo on."),
            (6, "Item first\nmore"),
            (8, "Item second"),
            (10, "Verbatim code 1 = 2"),
        ];
        let found: Vec<(usize, &str)> = found.iter().map(|(line, text)| (*line, text.as_str())).collect();
        assert_eq!(found, expected);
    }

    #[test]
    fn tables_between_pipes_and_tabs() {
        for text in ["| a | b |\n| --- | --: |\n| 1 | **2** |\n| 3 | x\\|y |\n", "a\tb\n1\t2\n3\tx|y\n"] {
            let document = read(text);
            let Kind::Table(table) = &document.blocks[0].kind else { panic!("{document:?}") };
            assert_eq!(table.header, ["a", "b"]);
            assert_eq!(table.rows[0].cells, ["1", "2"]);
            assert_eq!(table.rows[1].cells, ["3", "x|y"]);
        }
    }

    #[test]
    fn short_lines_are_headings_where_nothing_else_marks_them() {
        let document = read("Results\n\nAll went well.\n\nConclusion\n\nFine.\n");
        assert_eq!(document.blocks[3].path, ["Conclusion"]);
        let marked = read("# Results\n\nConclusion\n\nFine.\n");
        assert_eq!(marked.blocks[1].kind, Kind::Text);
    }

    #[test]
    fn pages_are_counted_and_their_tables_aligned() {
        let text = "Load test\n\nUsers     mean (ms)    p95 (ms)\n10        12           20\n20        13           25\n\u{c}Second page.\n";
        let document = pages(text);
        let Kind::Table(table) = &document.blocks[1].kind else { panic!("{document:?}") };
        assert_eq!((table.header.len(), &table.rows[1].cells[2][..]), (3, "25"));
        let last = document.blocks.last().unwrap();
        assert_eq!((last.place.page, last.place.line, last.text.as_str()), (Some(2), 6, "Second page."));
    }

    #[test]
    fn a_table_is_found_below_aligned_lines_of_words_and_long_runs_are_read_once() {
        let words = "word  other  third\n";
        let text = format!("{}Users  mean (ms)  p95 (ms)\n10  12  20\n20  13  25\n", words.repeat(3));
        let document = read(&text);
        let tables: Vec<usize> = document
            .blocks
            .iter()
            .filter_map(|block| matches!(block.kind, Kind::Table(_)).then_some(block.place.line))
            .collect();
        assert_eq!(tables, [2], "two rows of words above two of figures: half of the cells are figures");
        // Each of so many lines looked at all those behind it, which took minutes.
        assert_eq!(read(&words.repeat(20_000)).blocks.len(), 1);
    }

    #[test]
    fn formulas_are_read_as_they_are_drawn() {
        assert_eq!(plain("$260 \\text{days} \\times 24 = 5$"), "260 days × 24 = 5");
        assert_eq!(plain("$1{,}048{,}576 \\times 2$"), "1,048,576 × 2");
        assert_eq!(plain("20 \\* 10"), "20 * 10");
    }
}
