//! Word files: the paragraphs and tables of `word/document.xml`, pulled as events and within bounds.

use super::Unreadable;
use super::grid::{Cell, grid};
use crate::model::{Builder, Document, Kind, TEXT_MAX};
use quick_xml::Reader;
use quick_xml::events::{BytesStart, Event};
use std::io::Read;

/// Most bytes that the document may become when it is unpacked.
const UNPACKED_MAX: u64 = 64 * 1024 * 1024;
/// Most events that are looked at, whatever they are.
const EVENTS_MAX: usize = 20_000_000;
/// Deepest nesting of tables that are read as such.
const TABLES_MAX: usize = 6;

/// Reads a Word file. The line of a place is the number of its paragraph, those of cells included.
pub(super) fn read(bytes: &[u8]) -> Result<Document, Unreadable> {
    let no_word = |why: String| Unreadable::NoWord { why };
    let mut zip = zip::ZipArchive::new(std::io::Cursor::new(bytes)).map_err(|error| no_word(error.to_string()))?;
    let part =
        zip.by_name("word/document.xml").map_err(|_| no_word("it has no part `word/document.xml`".to_owned()))?;
    let mut xml = String::new();
    // The size that the archive states may be a lie.
    part.take(UNPACKED_MAX + 1).read_to_string(&mut xml).map_err(|error| no_word(error.to_string()))?;
    if xml.len() as u64 > UNPACKED_MAX {
        return Err(no_word(format!("its text has more than {UNPACKED_MAX} bytes when unpacked")));
    }
    document(&xml).map_err(|error| no_word(error.to_string()))
}

/// A table that is being read.
struct Open {
    line: usize,
    rows: Vec<(usize, Vec<Cell>)>,
    cell: Option<Cell>,
    /// Whether the cell continues the one above it.
    is_below: bool,
}

/// What the properties of a run say of its words.
#[derive(Default)]
struct Run {
    /// Hidden or struck through.
    is_unseen: bool,
    is_raised: bool,
    /// Whether properties are read that it had before a change.
    is_before: bool,
}

#[derive(Default)]
struct Word {
    builder: Builder,
    text: String,
    paragraph: usize,
    depth: Option<usize>,
    is_item: bool,
    is_code: bool,
    is_text: bool,
    run: Run,
    /// Whether the text so far ends with raised words.
    is_raised: bool,
    tables: Vec<Open>,
    too_deep: usize,
}

fn document(xml: &str) -> Result<Document, quick_xml::Error> {
    let mut reader = Reader::from_str(xml);
    reader.config_mut().check_end_names = false;
    let mut word = Word::default();
    for _ in 0..EVENTS_MAX {
        match reader.read_event()? {
            Event::Start(element) => word.start(&element),
            Event::Empty(element) => {
                word.start(&element);
                word.end(element.local_name().as_ref());
            }
            Event::End(element) => word.end(element.local_name().as_ref()),
            Event::Text(text) if word.is_text => word.run_words(&text),
            Event::GeneralRef(name) if word.is_text => {
                word.run_words(&super::entities::decoded(&format!("&{};", &*name)));
            }
            Event::Eof => break,
            _ => {}
        }
    }
    Ok(word.builder.done())
}

/// The value of `w:val`.
fn value(element: &BytesStart<'_>) -> String {
    let found = element.attributes().flatten().find(|attribute| attribute.key.local_name().as_ref() == "val");
    found.map_or_else(String::new, |attribute| attribute.value.into_owned())
}

/// Whether a property such as `w:strike` is set; without a value it is.
fn is_set(element: &BytesStart<'_>) -> bool {
    !["0", "false", "off"].contains(&value(element).as_str())
}

/// `Heading2`, `Kop2`, `Overskrift2`, `heading 2`: the depth of a style.
fn depth(style: &str) -> Option<usize> {
    let lower = style.to_lowercase();
    let digits: String = lower.chars().filter(char::is_ascii_digit).collect();
    let is_heading = ["heading", "kop", "overskrift", "berschrift", "titre", "title", "titel"]
        .iter()
        .any(|name| lower.starts_with(name) || lower.ends_with(name));
    let is_known = is_heading && !lower.contains("char") && !lower.starts_with("subtitle");
    is_known.then(|| digits.parse().unwrap_or(1).clamp(1, 9))
}

impl Word {
    /// Words of a run. A raised figure, such as the mark of a note, is none of the digits beside it.
    fn run_words(&mut self, text: &str) {
        if self.run.is_unseen {
            return;
        }
        let is_digit = |c: char| c.is_ascii_digit();
        if self.is_raised != self.run.is_raised && self.text.ends_with(is_digit) && text.starts_with(is_digit) {
            self.words("; ");
        }
        self.is_raised = self.run.is_raised;
        self.words(text);
    }

    fn words(&mut self, text: &str) {
        if self.text.len() < TEXT_MAX {
            self.text.push_str(text);
        }
    }

    fn start(&mut self, element: &BytesStart<'_>) {
        let name = element.local_name();
        match name.as_ref() {
            "p" => {
                self.paragraph += 1;
                (self.depth, self.is_item, self.is_code) = (None, false, false);
                if self.tables.is_empty() {
                    self.text.clear();
                }
            }
            "pStyle" => {
                let style = value(element);
                self.depth = depth(&style);
                self.is_code = style.to_lowercase().contains("code");
            }
            "r" => self.run = Run::default(),
            "rPrChange" => self.run.is_before = true,
            "vanish" | "strike" | "dstrike" if !self.run.is_before => self.run.is_unseen |= is_set(element),
            "vertAlign" if !self.run.is_before => self.run.is_raised = value(element) == "superscript",
            "numPr" => self.is_item = true,
            "t" => self.is_text = true,
            "tab" | "br" | "cr" => self.words(" "),
            "tbl" if self.tables.len() >= TABLES_MAX => self.too_deep += 1,
            "tbl" => {
                // What stands in the outer cell so far stays there.
                self.keep();
                self.tables.push(Open { line: self.paragraph + 1, rows: Vec::new(), cell: None, is_below: false });
            }
            "tr" if self.too_deep == 0 => {
                let line = self.paragraph + 1;
                if let Some(table) = self.tables.last_mut() {
                    table.rows.push((line, Vec::new()));
                }
            }
            "tc" if self.too_deep == 0 => {
                if let Some(table) = self.tables.last_mut() {
                    table.cell = Some(Cell { columns: 1, rows: 1, ..Cell::default() });
                    table.is_below = false;
                    self.text.clear();
                }
            }
            "gridSpan" => {
                if let Some(cell) = self.tables.last_mut().and_then(|table| table.cell.as_mut()) {
                    cell.columns = value(element).parse().unwrap_or(1);
                }
            }
            "vMerge" => {
                if let Some(table) = self.tables.last_mut() {
                    table.is_below = value(element) != "restart";
                }
            }
            _ => {}
        }
    }

    /// Text so far into the cell that it belongs to.
    fn keep(&mut self) {
        if let Some(cell) = self.tables.last_mut().and_then(|table| table.cell.as_mut()) {
            cell.text.push_str(&self.text);
            self.text.clear();
        }
    }

    fn end(&mut self, name: &str) {
        match name {
            "t" => self.is_text = false,
            "r" => self.run = Run::default(),
            "rPrChange" => self.run.is_before = false,
            "p" if !self.tables.is_empty() => self.words(" "),
            "p" => {
                let text = std::mem::take(&mut self.text);
                let line = self.paragraph;
                match self.depth {
                    Some(depth) => self.builder.heading(line, None, depth, &text),
                    None if self.is_code => self.builder.text(line, None, Kind::Verbatim, &text),
                    None => self.builder.text(line, None, if self.is_item { Kind::Item } else { Kind::Text }, &text),
                }
            }
            "tbl" if self.too_deep > 0 => self.too_deep -= 1,
            "tc" if self.too_deep == 0 => {
                self.keep();
                let Some(table) = self.tables.last_mut() else { return };
                let Some(mut cell) = table.cell.take() else { return };
                let above = table.rows.len().checked_sub(2).and_then(|at| table.rows.get(at));
                let column = table.rows.last().map_or(0, |(_, row)| row.len());
                cell.text = cell.text.split_whitespace().collect::<Vec<_>>().join(" ");
                if table.is_below && cell.text.is_empty() {
                    cell.text =
                        above.and_then(|(_, row)| row.get(column)).map_or_else(String::new, |cell| cell.text.clone());
                }
                if let Some((_, row)) = table.rows.last_mut() {
                    row.push(cell);
                }
            }
            "tbl" => {
                if let Some(table) = self.tables.pop() {
                    self.builder.table(table.line, None, grid(table.rows));
                }
            }
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;
    use zip::write::SimpleFileOptions;

    fn file(name: &str, text: &[u8]) -> Vec<u8> {
        let mut zip = zip::ZipWriter::new(std::io::Cursor::new(Vec::new()));
        zip.start_file(name, SimpleFileOptions::default()).unwrap();
        zip.write_all(text).unwrap();
        zip.finish().unwrap().into_inner()
    }

    #[test]
    fn paragraphs_headings_items_and_tables() {
        let paragraph = |properties: &str, text: &str| {
            format!("<w:p><w:pPr>{properties}</w:pPr><w:r><w:t>{text}</w:t></w:r></w:p>")
        };
        let cell =
            |properties: &str, text: &str| format!("<w:tc><w:tcPr>{properties}</w:tcPr>{}</w:tc>", paragraph("", text));
        let xml = format!(
            "<w:document><w:body>{}{}{}<w:tbl><w:tr>{}{}</w:tr><w:tr>{}{}</w:tr><w:tr>{}{}</w:tr></w:tbl>{}</w:body></w:document>",
            paragraph("<w:pStyle w:val=\"Kop2\"/>", "Load &amp; time"),
            paragraph("", "At 200/s it holds."),
            paragraph("<w:numPr/>", "one"),
            cell("", "Users"),
            cell("", "mean"),
            cell("<w:vMerge w:val=\"restart\"/>", "10"),
            cell("", "1"),
            cell("<w:vMerge/>", ""),
            cell("", "2"),
            paragraph("", "after"),
        );
        let document = read(&file("word/document.xml", xml.as_bytes())).unwrap();
        let kinds: Vec<(usize, &Kind, &str)> =
            document.blocks.iter().map(|block| (block.place.line, &block.kind, block.text.as_str())).collect();
        assert_eq!(kinds[0], (1, &Kind::Heading(2), "Load & time"));
        assert_eq!(kinds[1], (2, &Kind::Text, "At 200/s it holds."));
        assert_eq!(kinds[2], (3, &Kind::Item, "one"));
        let Kind::Table(table) = kinds[3].1 else { panic!("{kinds:?}") };
        assert_eq!(
            (table.header[1].as_str(), &table.rows[1].cells[..]),
            ("mean", &["10".to_owned(), "2".to_owned()][..])
        );
        assert_eq!(kinds[4].2, "after");
    }

    #[test]
    fn words_that_are_not_printed_are_not_read_and_raised_figures_stand_alone() {
        let run = |properties: &str, text: &str| format!("<w:r><w:rPr>{properties}</w:rPr><w:t>{text}</w:t></w:r>");
        let texts = |runs: &[String]| {
            let xml = format!("<w:document><w:p>{}</w:p></w:document>", runs.concat());
            let document = read(&file("word/document.xml", xml.as_bytes())).unwrap();
            document.blocks[0].text.clone()
        };
        for unseen in ["vanish/", "strike/", "dstrike w:val=\"true\"/", "strike w:val=\"1\"/"] {
            let found = texts(&[run("", "It took "), run(&format!("<w:{unseen}>"), "500"), run("", "120 ms.")]);
            assert_eq!(found, "It took 120 ms.", "{unseen}");
        }
        let former = "<w:rPrChange><w:rPr><w:strike/></w:rPr></w:rPrChange>";
        for seen in ["<w:vanish w:val=\"0\"/>", "<w:strike w:val=\"false\"/>", "<w:dstrike w:val=\"off\"/>", former] {
            assert_eq!(texts(&[run("", "It took "), run(seen, "500 ms.")]), "It took 500 ms.", "{seen}");
        }
        // The mark of a paragraph is no word of it.
        let mark = "<w:pPr><w:rPr><w:vanish/></w:rPr></w:pPr>".to_owned();
        assert_eq!(texts(&[mark, run("", "500 ms")]), "500 ms");
        let raised = "<w:vertAlign w:val=\"superscript\"/>";
        assert_eq!(texts(&[run("", "95"), run(raised, "2"), run("", " ms")]), "95; 2 ms");
        assert_eq!(texts(&[run("", "9"), run(raised, "2"), run("", "5")]), "9; 2; 5");
        assert_eq!(texts(&[run("", "9"), run("", "5"), run(raised, "th")]), "95th");
        assert_eq!(texts(&[run("", "m"), run(raised, "2"), run("<w:vertAlign w:val=\"baseline\"/>", "95")]), "m2; 95");
    }

    #[test]
    fn what_unpacks_without_end_and_what_is_no_word_file_is_refused() {
        let bomb = file("word/document.xml", &vec![b' '; UNPACKED_MAX as usize + 2]);
        assert!(bomb.len() < 1_000_000);
        for (bytes, why) in
            [(bomb, "when unpacked"), (file("a.txt", b"x"), "word/document.xml"), (b"PK\x03\x04 broken".to_vec(), "")]
        {
            let Err(Unreadable::NoWord { why: found }) = read(&bytes) else { panic!("{why}") };
            assert!(found.contains(why), "{found}");
        }
    }
}
