//! The document as Markdown that GitHub reads: tables, figures as files beside it, and no HTML.
//!
//! Every text from outside is escaped, so that a name with `|`, backticks or `<` stays a name. Plotted numbers are in
//! the CSV tables, which are named under each figure.

use crate::document::{Block, Cell, CellKind, Document, Figure, NoteKind, Section, Table, TitleBlock};
use crate::messages::{Messages, say};
use judge::WireValidity;
use std::collections::BTreeMap;
use std::fmt::Write as _;

/// Rows of a table on the page; all are in its CSV file.
const TABLE_ROWS: usize = 200;

/// The text of `report.md`. `figures` is the folder of the drawings, relative to it.
pub(crate) fn page(document: &Document, messages: &Messages, figures: &str) -> String {
    let mut writer = Writer { text: String::new(), m: messages, figures };
    writer.title(&document.title);
    writer.contents(document);
    for section in &document.sections {
        writer.section(section);
    }
    if !document.title.dateline.is_empty() {
        writer.line("---");
        writer.facts(&document.title);
    }
    let _ = writeln!(writer.text, "---\n\n{}", inline(&say!(messages, "page-footer")));
    // Whatever came through unseen: no control and no direction override reaches a reader.
    crate::number::bounded(&writer.text, usize::MAX)
}

/// The first chapters without contents, numbers and footer, for a page that has other things on it: their headings are of
/// the third level.
pub(crate) fn summary(document: &Document, messages: &Messages) -> String {
    let mut writer = Writer { text: String::new(), m: messages, figures: "" };
    for section in &document.sections {
        writer.line(&format!("### {}", inline(&section.title)));
        section.blocks.iter().for_each(|block| writer.block(block));
    }
    crate::number::bounded(&writer.text, usize::MAX)
}

/// A figure as a file of its own: on white, because it may be read on any ground.
pub(crate) fn drawing(figure: &Figure) -> String {
    let ground = "</desc><rect width=\"100%\" height=\"100%\" fill=\"#ffffff\"/>";
    let svg = figure.svg.replacen("</desc>", ground, 1);
    format!("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n{}\n", crate::number::bounded(&svg, usize::MAX))
}

struct Writer<'a> {
    text: String,
    m: &'a Messages,
    figures: &'a str,
}

impl Writer<'_> {
    fn line(&mut self, text: &str) {
        self.text.push_str(text);
        self.text.push_str("\n\n");
    }

    fn title(&mut self, title: &TitleBlock) {
        self.line(&format!("# {}", inline(&title.title)));
        for text in [&title.system, &title.about].into_iter().filter(|text| !text.is_empty()) {
            self.line(&inline(text));
        }
        for mark in &title.marks {
            self.line(&format!("> **{}** {}", inline(&mark.word), inline(&mark.text)));
        }
        if title.dateline.is_empty() {
            self.facts(title);
        } else {
            self.line(&inline(&title.dateline));
        }
    }

    fn facts(&mut self, title: &TitleBlock) {
        for (name, value) in &title.facts {
            let _ = writeln!(self.text, "- **{}:** {}", inline(name), inline(value));
        }
        self.text.push('\n');
    }

    fn contents(&mut self, document: &Document) {
        let mut taken = BTreeMap::new();
        anchor(&document.title.title, &mut taken);
        let heading = say!(self.m, "page-contents");
        self.line(&format!("## {}", inline(&heading)));
        anchor(&heading, &mut taken);
        for section in &document.sections {
            let target = anchor(&format!("{} {}", section.number, section.title), &mut taken);
            let _ = writeln!(self.text, "- [{} {}](#{target})", section.number, inline(&section.title));
            count_anchors(&section.parts, &mut taken);
        }
        self.text.push('\n');
    }

    fn section(&mut self, section: &Section) {
        let level = "#".repeat(section.level.clamp(2, 6).into());
        self.line(&format!("{level} {} {}", section.number, inline(&section.title)));
        section.blocks.iter().for_each(|block| self.block(block));
        section.parts.iter().for_each(|part| self.section(part));
    }

    fn block(&mut self, block: &Block) {
        match block {
            Block::Paragraph { text, findings, is_lead } => {
                let text = format!("{}{}", inline(text), refs(findings));
                self.line(&if *is_lead { format!("**{}**", text.trim()) } else { text });
            }
            Block::Validity { state, word, text, reasons } => {
                let glyph = match state {
                    WireValidity::Valid => "✓",
                    WireValidity::Questionable => "!",
                    WireValidity::Invalid => "✗",
                };
                self.line(&format!("**{glyph} {}** — {}", inline(word), inline(text)));
                self.points(reasons);
            }
            Block::VerdictCounts(counts) => {
                let counts: Vec<_> =
                    counts.iter().map(|(_, word, count)| format!("**{count}** {}", inline(word))).collect();
                self.line(&counts.join(" · "));
            }
            Block::Table(table) => self.table(table),
            Block::Figure(figure) => self.figure(figure),
            // Markdown has nothing that folds: its page is the one on paper.
            Block::Data(_) | Block::Folded(_) => {}
            Block::Finding { id, rule, word, scope, observation, assessment, .. } => {
                self.line(&format!("**{}** · {} · {} · {}", inline(id), inline(word), code(rule), code(scope)));
                self.says(observation, assessment, "");
            }
            Block::Note { kind, text } => {
                let mark = if *kind == NoteKind::Warning { "⚠ " } else { "" };
                self.line(&format!("> {mark}{}", inline(text)));
            }
            Block::Points(points) => self.points(points),
            Block::Definitions(terms) => {
                for (term, meaning) in terms {
                    let _ = writeln!(self.text, "- **{}** — {}", inline(term), inline(meaning));
                }
                self.text.push('\n');
            }
        }
    }

    fn points(&mut self, points: &[String]) {
        for point in points {
            let _ = writeln!(self.text, "- {}", inline(point));
        }
        if !points.is_empty() {
            self.text.push('\n');
        }
    }

    fn says(&mut self, observation: &str, assessment: &str, findings: &str) {
        let (seen, means) = (say!(self.m, "page-observation"), say!(self.m, "page-assessment"));
        if assessment.is_empty() {
            return self.line(&format!("{}{findings}", inline(observation)));
        }
        self.line(&format!("*{}.* {}", inline(&seen), inline(observation)));
        self.line(&format!("*{}.* {}{findings}", inline(&means), inline(assessment)));
    }

    fn figure(&mut self, figure: &Figure) {
        let word = say!(self.m, "page-figure");
        self.line(&format!("**{word} {}. {}**", figure.number, inline(&figure.caption)));
        self.line(&format!("![{}]({}/{}.svg)", inline(&figure.observation), self.figures, figure.anchor));
        self.says(&figure.observation, &figure.assessment, &refs(&figure.findings));
        if !figure.reading.is_empty() {
            self.line(&inline(&figure.reading));
        }
        let numbers = say!(self.m, "page-numbers");
        self.line(&format!("{}: {}", inline(&numbers), code(&format!("tables/{}.csv", figure.data.name))));
    }

    fn table(&mut self, table: &Table) {
        self.line(&format!("**{}**", inline(&table.caption)));
        let heads = table.columns.iter().map(|column| {
            let unit = if column.unit.is_empty() { String::new() } else { format!(" ({})", inline(&column.unit)) };
            format!("{}{unit}", inline(&column.title))
        });
        self.row(&heads.collect::<Vec<_>>());
        let rules = table.columns.iter().map(|column| if column.is_number { "---:" } else { "---" }.to_owned());
        self.row(&rules.collect::<Vec<_>>());
        let stride = table.rows.len().div_ceil(TABLE_ROWS).max(1);
        for row in table.rows.iter().step_by(stride) {
            self.row(&row.cells.iter().map(|cell| cell_text(cell, row.is_strong)).collect::<Vec<_>>());
        }
        self.text.push('\n');
        let mut notes = table.notes.clone();
        if stride > 1 {
            let file = format!("tables/{}.csv", table.name);
            notes.insert(0, say!(self.m, "table-thinned", stride = stride, file = &file));
        }
        self.points(&notes);
    }

    fn row(&mut self, cells: &[String]) {
        let _ = writeln!(self.text, "| {} |", cells.join(" | "));
    }
}

/// A cell with its second line in brackets.
fn cell_text(cell: &Cell, is_strong: bool) -> String {
    let text = match cell.kind {
        CellKind::Code => code(&cell.text),
        CellKind::Verdict(verdict) => format!("{} {}", crate::marks::glyph(verdict), inline(&cell.text)),
        _ => inline(&cell.text),
    };
    let text = if is_strong && !text.is_empty() { format!("**{text}**") } else { text };
    if cell.detail.is_empty() { text } else { format!("{text} ({})", inline(&cell.detail)).trim_start().to_owned() }
}

fn refs(findings: &[String]) -> String {
    if findings.is_empty() {
        return String::new();
    }
    let ids: Vec<_> = findings.iter().map(|id| inline(id)).collect();
    format!(" ({})", ids.join(", "))
}

/// A text on one line in which nothing is markup.
///
/// Every ASCII sign that Markdown gives a meaning to is escaped; `:`, `.` and `@` only where they would make a link.
pub(crate) fn inline(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len() + 8);
    let flat: Vec<char> = text.chars().map(|c| if c.is_whitespace() && c != '\u{a0}' { ' ' } else { c }).collect();
    for (index, c) in flat.iter().copied().enumerate() {
        let is_begin = index == 0;
        let makes_link = match c {
            ':' => flat.get(index + 1) == Some(&'/'),
            '.' => index >= 3 && flat[index - 3..index].iter().all(|c| c.eq_ignore_ascii_case(&'w')),
            '@' => true,
            _ => false,
        };
        let is_list = is_begin && matches!(c, '-' | '+' | '=')
            || (matches!(c, '.' | ')') && index > 0 && flat[..index].iter().all(char::is_ascii_digit));
        if makes_link
            || is_list
            || matches!(c, '\\' | '`' | '*' | '_' | '[' | ']' | '<' | '>' | '|' | '~' | '#' | '&' | '!')
        {
            escaped.push('\\');
        }
        escaped.push(c);
    }
    escaped.trim().to_owned()
}

/// A name from outside as code: nothing within is markup, whatever backticks it has.
fn code(text: &str) -> String {
    let flat: String = text.chars().map(|c| if c.is_whitespace() { ' ' } else { c }).collect();
    let flat = flat.trim();
    if flat.is_empty() || flat == crate::number::MISSING {
        return flat.to_owned();
    }
    let longest = flat.split(|c| c != '`').map(str::len).max().unwrap_or(0);
    let fence = "`".repeat(longest + 1);
    let pad = if flat.starts_with('`') || flat.ends_with('`') { " " } else { "" };
    format!("{fence}{pad}{}{pad}{fence}", flat.replace('|', "\\|"))
}

/// The anchor that GitHub gives a heading: lower case, blanks as `-`, other signs dropped, numbered when taken.
fn anchor(heading: &str, taken: &mut BTreeMap<String, usize>) -> String {
    let kept = heading.to_lowercase();
    let kept = kept.chars().filter(|c| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_'));
    let base: String = kept.map(|c| if c == ' ' { '-' } else { c }).collect();
    let count = taken.entry(base.clone()).and_modify(|count| *count += 1).or_insert(0);
    if *count == 0 { base } else { format!("{base}-{count}") }
}

fn count_anchors(parts: &[Section], taken: &mut BTreeMap<String, usize>) {
    for part in parts {
        anchor(&format!("{} {}", part.number, part.title), taken);
        count_anchors(&part.parts, taken);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn nothing_in_a_name_is_markup() {
        for (name, text) in [
            ("a|b", "a\\|b"),
            ("<script>alert(1)</script>", "\\<script\\>alert(1)\\</script\\>"),
            ("`x` *y* _z_ [l](u)", "\\`x\\` \\*y\\* \\_z\\_ \\[l\\](u)"),
            ("line\nbreak\ttab", "line break tab"),
            ("# no heading", "\\# no heading"),
            ("- no list", "\\- no list"),
            ("1. no list", "1\\. no list"),
            ("http://evil.example www.evil.example", "http\\://evil.example www\\.evil.example"),
            ("p99.9 at 12:30", "p99.9 at 12:30"),
            ("&amp;", "\\&amp;"),
        ] {
            assert_eq!(inline(name), text);
        }
    }

    #[test]
    fn code_keeps_its_backticks_and_its_cell() {
        assert_eq!(code("plain"), "`plain`");
        assert_eq!(code("a`b"), "``a`b``");
        assert_eq!(code("``"), "``` `` ```");
        assert_eq!(code("a|b"), "`a\\|b`");
        assert_eq!(code("–"), "–");
    }

    #[test]
    fn headings_have_the_anchors_of_github() {
        let mut taken = BTreeMap::new();
        assert_eq!(anchor("1 Management summary", &mut taken), "1-management-summary");
        assert_eq!(anchor("2.1 Who’s first?", &mut taken), "21-whos-first");
        assert_eq!(anchor("2.1 Who’s first?", &mut taken), "21-whos-first-1");
    }

    proptest! {
        /// However a cell is filled, a row has as many bars as it needs, and one line.
        #[test]
        fn a_row_stays_a_row(text in "[|`\\\\a\\n \\*]{0,12}", is_code: bool) {
            let cell = if is_code { Cell::code(text) } else { Cell::text(text) };
            let shown = cell_text(&cell, false);
            prop_assert!(!shown.contains('\n'));
            let bytes: Vec<char> = shown.chars().collect();
            for (index, c) in bytes.iter().enumerate().filter(|(_, c)| **c == '|') {
                let slashes = bytes[..index].iter().rev().take_while(|c| **c == '\\').count();
                prop_assert!(slashes % 2 == 1 || is_code && slashes > 0, "{c} in {shown}");
            }
        }
    }
}
