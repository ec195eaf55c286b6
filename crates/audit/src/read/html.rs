//! HTML as it is found: tags are recognised one after another, without a tree, so that depth costs nothing and unclosed
//! elements do no harm.

use super::entities::decoded;
use super::grid::{Cell, grid};
use super::tags::{Patience, Tag, Unseen, hidden, tag, tags_end};
use crate::model::{Builder, Document, Kind};

/// Deepest nesting of tables that are read as such; what lies deeper is text of its cell.
const TABLES_MAX: usize = 6;
/// Put where an element ended on a figure, until it is seen what follows.
const PART: char = '\u{1}';
/// Elements within a line of text.
const INLINE: [&str; 29] = [
    "a", "abbr", "b", "bdi", "cite", "code", "data", "del", "dfn", "em", "font", "i", "img", "ins", "kbd", "label",
    "mark", "q", "s", "samp", "small", "span", "strike", "strong", "sub", "sup", "time", "u", "var",
];

/// Reads a page. Line numbers are those of its source.
pub(super) fn read(text: &str) -> Document {
    let mut reader = Reader {
        builder: Builder::default(),
        text: String::new(),
        begun: 1,
        tables: Vec::new(),
        is_item: false,
        verbatim: 0,
        too_deep: 0,
    };
    let tags_end = tags_end(text);
    let (mut unseen, mut patience) = (Unseen::new(text), Patience::default());
    let mut at = 0;
    let mut line = 1;
    while at < text.len() {
        let rest = &text[at..];
        let next = match rest.find('<') {
            Some(0) if at < tags_end => tag(rest, &mut patience),
            Some(0) => None,
            Some(end) => {
                reader.words(&rest[..end], line);
                Some((end, Tag::None))
            }
            None => {
                reader.words(rest, line);
                Some((rest.len(), Tag::None))
            }
        };
        // A `<` that begins no tag is a sign.
        let (mut length, tag) = next.unwrap_or_else(|| {
            reader.words("<", line);
            (1, Tag::None)
        });
        match &tag {
            Tag::Open(name, attributes) => {
                if let Some(content) = hidden(&rest[length..], name, attributes) {
                    length += content;
                } else if let Some(end) = unseen.end(at, name, attributes) {
                    length = end - at;
                } else {
                    reader.open(name, attributes, line);
                }
            }
            Tag::Close(name) => reader.close(name, line),
            Tag::None => {}
        }
        line += rest[..length].bytes().filter(|byte| *byte == b'\n').count();
        at += length;
    }
    reader.flush(Kind::Text);
    while !reader.tables.is_empty() {
        reader.close("table", line);
    }
    reader.builder.done()
}

/// The value of an attribute.
fn attribute(attributes: &str, name: &str) -> Option<usize> {
    let lower = attributes.to_ascii_lowercase();
    let at = lower.find(&format!("{name}="))? + name.len() + 1;
    let value = lower[at..].trim_start_matches(['"', '\'']);
    let digits: String = value.chars().take_while(char::is_ascii_digit).take(4).collect();
    digits.parse().ok()
}

/// A table that is being read.
#[derive(Default)]
struct Open {
    line: usize,
    rows: Vec<(usize, Vec<Cell>)>,
    is_in_cell: bool,
    cell: Cell,
}

struct Reader {
    builder: Builder,
    text: String,
    begun: usize,
    tables: Vec<Open>,
    is_item: bool,
    /// Open elements whose text is printed as it is.
    verbatim: usize,
    /// Tables below the deepest that are read.
    too_deep: usize,
}

impl Reader {
    /// Where one element within a line ends on a figure and the next begins with one, they are two.
    fn part(&mut self) {
        let text = self.tables.last_mut().map_or(&mut self.text, |table| &mut table.cell.text);
        if text.ends_with(|c: char| c.is_ascii_digit()) {
            text.push(PART);
        }
    }

    /// A unit or a remark in a cell, which style alone sets apart.
    fn apart(&mut self) {
        self.part();
        if let Some(table) = self.tables.last_mut().filter(|table| table.cell.text.ends_with(char::is_alphabetic)) {
            table.cell.text.push(' ');
        }
    }

    fn words(&mut self, text: &str, line: usize) {
        // A heading's unit, set apart by style alone.
        let between = if self.tables.is_empty() || !text.starts_with(char::is_alphabetic) { "" } else { " " };
        let open = self.tables.last_mut().map_or(&mut self.text, |table| &mut table.cell.text);
        if open.ends_with(PART) && !text.is_empty() {
            open.pop();
            open.push_str(if text.starts_with(|c: char| c.is_ascii_digit()) { "; " } else { between });
        }
        if let Some(table) = self.tables.last_mut() {
            if table.is_in_cell && table.cell.text.len() < crate::model::TEXT_MAX {
                table.cell.text.push_str(&decoded(text));
            }
            return;
        }
        if self.text.trim().is_empty() {
            self.begun = line + text.len()
                - text.trim_start().len()
                - text[..text.len() - text.trim_start().len()].replace('\n', "").len();
            self.text.clear();
            self.text.push_str(decoded(text).trim_start());
        } else if self.text.len() < crate::model::TEXT_MAX {
            self.text.push_str(&decoded(text));
        }
    }

    fn flush(&mut self, kind: Kind) {
        let text = std::mem::take(&mut self.text).replace(PART, "");
        let kind = if self.verbatim > 0 && kind == Kind::Text { Kind::Verbatim } else { kind };
        match kind {
            Kind::Heading(depth) => {
                self.builder.heading(self.begun, None, depth, &text.split_whitespace().collect::<Vec<_>>().join(" "))
            }
            Kind::Text if self.is_item => self.builder.text(self.begun, None, Kind::Item, &text),
            kind => self.builder.text(self.begun, None, kind, &text),
        }
    }

    fn open(&mut self, name: &str, attributes: &str, line: usize) {
        match name {
            "table" if self.tables.len() < TABLES_MAX => {
                if self.tables.is_empty() {
                    self.flush(Kind::Text);
                }
                self.tables.push(Open { line, ..Open::default() });
            }
            "table" => self.too_deep += 1,
            _ if self.too_deep > 0 => self.words(" ", line),
            "tr" | "td" | "th" if !self.tables.is_empty() => self.open_cell(name, attributes, line),
            "br" => self.words("\n", line),
            "pre" => {
                self.flush(Kind::Text);
                self.verbatim += usize::from(self.tables.is_empty());
            }
            _ if !self.tables.is_empty() => {
                if INLINE.contains(&name) && !["span", "small"].contains(&name) {
                    self.part();
                } else if INLINE.contains(&name) {
                    self.apart();
                } else {
                    self.words(" ", line);
                }
            }
            _ if INLINE.contains(&name) => self.part(),
            _ => {
                self.flush(Kind::Text);
                self.is_item = name == "li" || (self.is_item && name == "p");
            }
        }
    }

    fn open_cell(&mut self, name: &str, attributes: &str, line: usize) {
        self.end_cell();
        let Some(table) = self.tables.last_mut() else { return };
        if name == "tr" {
            table.rows.push((line, Vec::new()));
            return;
        }
        if table.rows.is_empty() {
            table.rows.push((line, Vec::new()));
        }
        table.is_in_cell = true;
        table.cell = Cell {
            text: String::new(),
            is_heading: name == "th",
            columns: attribute(attributes, "colspan").unwrap_or(1),
            rows: attribute(attributes, "rowspan").unwrap_or(1),
        };
    }

    fn end_cell(&mut self) {
        let Some(table) = self.tables.last_mut().filter(|table| table.is_in_cell) else { return };
        table.is_in_cell = false;
        let mut cell = std::mem::take(&mut table.cell);
        cell.text = cell.text.replace(PART, "").split_whitespace().collect::<Vec<_>>().join(" ");
        if let Some((_, row)) = table.rows.last_mut() {
            row.push(cell);
        }
    }

    fn close(&mut self, name: &str, line: usize) {
        match name {
            "table" if self.too_deep > 0 => self.too_deep -= 1,
            _ if self.too_deep > 0 => {}
            "table" => {
                self.end_cell();
                if let Some(table) = self.tables.pop() {
                    self.builder.table(table.line, None, grid(table.rows));
                }
            }
            "td" | "th" | "tr" => self.end_cell(),
            "pre" if self.tables.is_empty() => {
                self.flush(Kind::Text);
                self.verbatim = self.verbatim.saturating_sub(1);
            }
            "h1" | "h2" | "h3" | "h4" | "h5" | "h6" if self.tables.is_empty() => {
                let depth = usize::from(name.as_bytes()[1] - b'0');
                self.flush(Kind::Heading(depth));
            }
            _ if INLINE.contains(&name) => self.part(),
            _ if self.tables.is_empty() => {
                self.flush(Kind::Text);
                self.is_item &= !["li", "ul", "ol"].contains(&name);
            }
            _ => self.words(" ", line),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kinds(text: &str) -> Vec<(usize, String)> {
        read(text)
            .blocks
            .into_iter()
            .map(|block| (block.place.line, format!("{:?} {}", block.kind, block.text.trim())))
            .collect()
    }

    #[test]
    fn headings_paragraphs_items_and_hidden_parts() {
        let page = "<!DOCTYPE html><html><head><style>p { a > b }</style><script>if (a < 1) { 2 * 2 = 5 }</script></head>\n\
                    <body><h2>Load &amp; time</h2>\n<p>At <b>200</b>/s\nit holds.<ul><li>one<li><p>two</p></ul>\n<pre>code = 1</pre> a < b";
        let found = kinds(page);
        let found: Vec<(usize, &str)> = found.iter().map(|(line, text)| (*line, text.as_str())).collect();
        assert_eq!(
            found,
            [
                (2, "Heading(2) Load & time"),
                (3, "Text At 200/s\nit holds."),
                (4, "Item one"),
                (4, "Item two"),
                (5, "Verbatim code = 1"),
                (5, "Text a < b"),
            ]
        );
    }

    #[test]
    fn what_nobody_sees_is_not_read() {
        let page = "<p hidden>2 * 2 = 5<p>seen</p><div style='display: none'><div>2 * 3 = 7</div> 1</div>\n\
                    <p>It took <del>500</del> 120 ms<br hidden> at most, <s>50 %</s> 40 %.</p><span data-x=hidden>shown</span>";
        let found: Vec<String> = kinds(page).into_iter().map(|(_, text)| text).collect();
        assert_eq!(found, ["Text seen", "Text It took  120 ms\n at most,  40 %.", "Text shown"]);
    }

    #[test]
    fn what_is_hidden_without_an_end_is_read() {
        let found = |page: &str| -> Vec<String> { kinds(page).into_iter().map(|(_, text)| text).collect() };
        assert_eq!(found("<p>It took <del>500 ms.</p><p>More</p>"), ["Text It took 500 ms.", "Text More"]);
        assert_eq!(found("<div hidden><p>One</p><div>two</div>"), ["Text One", "Text two"]);
        assert_eq!(found("<svg><p>One</p>"), ["Text One"]);
        // The inner one has an end.
        assert_eq!(found("<p>a <s>b <s>c</s> d</p>"), ["Text a b  d"]);
        // An item of a list ends with the list, a paragraph where a block begins, and neither hides what is behind it.
        assert_eq!(found("<ul><li>a<li hidden>b</ul><p>One</p><ul><li>c</ul>"), ["Item a", "Text One", "Item c"]);
        assert_eq!(found("<p hidden>x<div>One</div><p>two</p>"), ["Text One", "Text two"]);
        assert_eq!(found("<div><p>One <b hidden>x</b></p><ul hidden><li>y<ul><li>z</ul></ul>two</div>").len(), 2);
        assert_eq!(found("<dl><dt hidden>x<dd>One</dl><p hidden>y<h5>Two</h5>"), ["Text One", "Heading(5) Two"]);
        assert_eq!(found("<ul><li hidden><div>x<li>One</ul>"), ["Item One"]);
        assert_eq!(found("<p title='a hidden cost'>One</p><p class=\"a hidden md:block\">Two</p>").len(), 2);
        // A word for an element in a program is none.
        assert_eq!(found("<s>a<script>'</s>'</script>b</s>c"), ["Text c"]);
    }

    #[test]
    fn cells_that_span_and_tables_within_tables() {
        let page = "<table><tr><th>Users<th colspan=2>Time<tr><th>N<th>mean<th>p95</tr>\
                    <tr><td rowspan='2'>10<td>1<td>2<tr><td>3<td><table><tr><td>a<tr><td>b</table>4</table><p>after";
        let document = read(page);
        let tables: Vec<_> = document
            .blocks
            .iter()
            .filter_map(|block| match &block.kind {
                Kind::Table(table) => Some(table),
                _ => None,
            })
            .collect();
        let table = tables.last().unwrap();
        assert_eq!(table.header, ["Users N", "Time mean", "Time p95"]);
        assert_eq!(table.rows[0].cells, ["10", "1", "2"]);
        assert_eq!(table.rows[1].cells, ["10", "3", "4"]);
        assert_eq!(document.blocks.last().unwrap().text, "after");
    }

    #[test]
    fn figures_of_two_elements_are_two() {
        let document = read(
            "<table><tr><th>High<span>ms</span><th>p95<span>ms</span><tr><td>102<span>101 – 104</span><td><b>1</b>st</table>",
        );
        let Kind::Table(table) = &document.blocks[0].kind else { panic!("{document:?}") };
        assert_eq!(table.header, ["High ms", "p95 ms"]);
        assert_eq!(table.rows[0].cells, ["102; 101 – 104", "1 st"]);
    }

    #[test]
    fn depth_and_unclosed_tags_do_no_harm() {
        // Each of so many looked at all those behind it, which would take minutes.
        let unclosed = ["<del>", "<div hidden>", "<p style='display: none'>", "<svg>", "<a ", "<a title=\">\""];
        let pages = unclosed.map(|tag| tag.repeat(100_000)).into_iter();
        let distinct: String = (0..100_000).map(|number| format!("<x{number} hidden>")).collect();
        let others = ["<div>".repeat(200_000), "<table><tr><td>".repeat(50_000), "<a href=\"".to_owned(), distinct];
        for page in pages.chain(others).chain(["<!-- ".to_owned()]) {
            read(&page);
        }
        assert_eq!(kinds("<p title='a > b'>x</p>")[0].1, "Text x");
    }
}
