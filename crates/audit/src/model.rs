//! What a reader makes of a written report: blocks in order, each with its place.

/// Where something stands.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Place {
    /// Line of the file, or of the text that was taken out of it, from 1; paragraph of a Word file.
    pub line: usize,
    /// Page of a PDF, from 1.
    pub page: Option<usize>,
    /// The nearest heading; empty before the first.
    pub section: String,
}

/// What a block is.
#[derive(Clone, Debug, PartialEq)]
pub enum Kind {
    /// A heading of this depth, from 1.
    Heading(usize),
    /// A paragraph.
    Text,
    /// An item of a list.
    Item,
    /// Something printed as it is, such as a program: not read any further.
    Verbatim,
    /// Headings over rows of cells.
    Table(Table),
}

/// A table as it is printed.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Table {
    /// Its headings, one for each column; shorter rows end earlier.
    pub header: Vec<String>,
    /// Its rows below the headings.
    pub rows: Vec<Row>,
    /// Whether the cells had run together and were taken apart again, so that a reader should look for himself.
    pub is_rebuilt: bool,
}

/// A row of a table.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Row {
    /// Its line, as in [`Place`].
    pub line: usize,
    /// Its cells from the left.
    pub cells: Vec<String>,
}

/// A piece of a report.
#[derive(Clone, Debug, PartialEq)]
pub struct Block {
    /// Where it begins.
    pub place: Place,
    /// What it is.
    pub kind: Kind,
    /// Its words, with the ends of its lines; empty for tables.
    pub text: String,
    /// The headings above it, outermost first, with its nearest last.
    pub path: Vec<String>,
}

/// A report that was read.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Document {
    /// Its blocks in order.
    pub blocks: Vec<Block>,
    /// How many pieces lay beyond a bound and were not read.
    pub left_out: usize,
}

/// Most blocks of a document; beyond it nobody reads findings one by one.
pub const BLOCKS_MAX: usize = 50_000;
/// Most cells of all tables together.
pub const CELLS_MAX: usize = 400_000;
/// Longest text of one block, in bytes.
pub const TEXT_MAX: usize = 64 * 1024;
/// Deepest nesting of headings that is kept.
const DEPTH_MAX: usize = 9;

/// Puts blocks together and knows below which headings each stands.
#[derive(Debug, Default)]
pub(crate) struct Builder {
    document: Document,
    /// The page that is being read.
    pub(crate) page: Option<usize>,
    /// Open headings: their numbering, depth and text.
    open: Vec<(Vec<u32>, usize, String)>,
    cells: usize,
}

impl Builder {
    pub(crate) fn heading(&mut self, line: usize, page: Option<usize>, depth: usize, text: &str) {
        let text = text.trim();
        if text.is_empty() {
            return;
        }
        let number = numbering(text);
        if number.is_empty() {
            // Without a number it belongs to the numbered one before it, whatever its size says.
            let last_numbered = self.open.iter().rposition(|(number, ..)| !number.is_empty());
            let keep = last_numbered.map_or(0, |at| at + 1);
            let tail = self.open[keep..].iter().take_while(|(_, other, _)| *other < depth).count();
            self.open.truncate(keep + tail);
        } else {
            let keep = self.open.iter().take_while(|(other, of, _)| {
                if other.is_empty() { *of < depth } else { other.len() < number.len() && number.starts_with(other) }
            });
            let keep = keep.count();
            self.open.truncate(keep);
        }
        self.open.truncate(DEPTH_MAX);
        self.open.push((number, depth, text.to_owned()));
        self.push(line, page, Kind::Heading(depth), text.to_owned());
    }

    pub(crate) fn text(&mut self, line: usize, page: Option<usize>, kind: Kind, text: &str) {
        if !text.trim().is_empty() {
            self.push(line, page, kind, bounded(text).to_owned());
        }
    }

    pub(crate) fn table(&mut self, line: usize, page: Option<usize>, table: Table) {
        self.cells += table.rows.iter().map(|row| row.cells.len()).sum::<usize>() + table.header.len();
        if self.cells > CELLS_MAX {
            self.document.left_out += 1;
        } else if !table.rows.is_empty() {
            self.push(line, page, Kind::Table(table), String::new());
        }
    }

    fn push(&mut self, line: usize, page: Option<usize>, kind: Kind, text: String) {
        if self.document.blocks.len() >= BLOCKS_MAX {
            self.document.left_out += 1;
            return;
        }
        let path: Vec<String> = self.open.iter().map(|(_, _, text)| text.clone()).collect();
        let section = path.last().cloned().unwrap_or_default();
        let page = page.or(self.page);
        self.document.blocks.push(Block { place: Place { line, page, section }, kind, text, path });
    }

    pub(crate) fn done(self) -> Document {
        self.document
    }
}

/// `4.4.2 Peak` is numbered 4, 4, 2. A bare number is a heading's only where words follow.
fn numbering(text: &str) -> Vec<u32> {
    let Some((first, rest)) = text.split_once(char::is_whitespace) else { return Vec::new() };
    if rest.trim().is_empty() {
        return Vec::new();
    }
    let parts: Option<Vec<u32>> =
        first.trim_end_matches('.').split('.').map(|part| part.parse().ok().filter(|part| *part < 100)).collect();
    parts.unwrap_or_default()
}

/// As much of a text as is read.
pub(crate) fn bounded(text: &str) -> &str {
    let mut end = text.len().min(TEXT_MAX);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    &text[..end]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_of_headings_go_before_their_size() {
        let mut builder = Builder::default();
        for (depth, text) in [(3, "5.2 Nominal"), (4, "5.2.1 Listing"), (3, "5.2.3 Behaviour"), (3, "Processor")] {
            builder.heading(1, None, depth, text);
        }
        let document = builder.done();
        assert_eq!(document.blocks[3].path, ["5.2 Nominal", "5.2.3 Behaviour", "Processor"]);
        let mut builder = Builder::default();
        for (depth, text) in [(1, "Report"), (2, "A"), (3, "deep"), (2, "B")] {
            builder.heading(1, None, depth, text);
        }
        assert_eq!(builder.done().blocks[3].path, ["Report", "B"]);
    }

    #[test]
    fn a_long_text_is_cut_between_letters() {
        let text = "é".repeat(TEXT_MAX);
        assert_eq!(bounded(&text).len(), TEXT_MAX);
    }
}
