//! What is folded: raw statistics and figures that show nothing, which a reader opens on a screen and paper leaves to that
//! and to their files.

use super::{Block, Document, NoteKind, Section, Table};
use crate::messages::{Messages, say};

/// A table up to so many rows stands open: a click would cost more than it spares.
const OPEN_ROWS: usize = 8;

impl Block {
    /// A table of raw statistics: folded, unless it is short.
    pub fn raw(table: Table) -> Self {
        if table.rows.len() <= OPEN_ROWS { Self::Table(table) } else { Self::folded(Self::Table(table)) }
    }

    /// This block folded, however long it is.
    pub fn folded(block: Self) -> Self {
        Self::Folded(Box::new(block))
    }

    /// The block itself, or the one that is folded in it.
    pub fn inner(&self) -> &Self {
        match self {
            Self::Folded(block) => block,
            block => block,
        }
    }

    /// The same, to be changed.
    pub fn inner_mut(&mut self) -> &mut Self {
        match self {
            Self::Folded(block) => block,
            block => block,
        }
    }
}

impl Document {
    /// The document as it is printed: of all that is folded in a section one line remains, with the names and the files.
    pub fn on_paper(&self) -> Self {
        let mut document = self.clone();
        let m = Messages::of(self.language);
        let rest = chapters_on_page(&m, &document.sections);
        document.sections.retain(|section| !section.is_folded);
        document.sections.iter_mut().for_each(|section| print_section(&m, section));
        if let (Some(last), Some(text)) = (document.sections.last_mut(), rest) {
            // At the very end, behind the parts of the last chapter.
            let part = deepest(last);
            part.blocks.push(Block::Note { kind: NoteKind::OnPage, text });
        }
        document
    }
}

fn deepest(section: &mut Section) -> &mut Section {
    if section.parts.is_empty() {
        return section;
    }
    let last = section.parts.len() - 1;
    deepest(&mut section.parts[last])
}

fn print_section(m: &Messages, section: &mut Section) {
    let (blocks, parts) = (blocks_on_page(m, section), parts_on_page(m, section));
    section.blocks.retain(|block| !matches!(block, Block::Folded(_)));
    section.parts.retain(|part| !part.is_folded);
    section.parts.iter_mut().for_each(|part| print_section(m, part));
    let note = |text: String| Block::Note { kind: NoteKind::OnPage, text };
    section.blocks.extend(blocks.map(note));
    if let Some(text) = parts {
        deepest(section).blocks.push(note(text));
    }
}

/// Which of a section's tables and figures are on the web page only, with their files; `None` where none is folded.
pub(crate) fn blocks_on_page(m: &Messages, section: &Section) -> Option<String> {
    let item = |block: &Block| match block {
        Block::Folded(folded) => match &**folded {
            Block::Table(table) => Some(format!("{} ({}.csv)", table.caption, table.name)),
            Block::Figure(figure) => Some(format!("{} ({}.csv)", figure.subject, figure.data.name)),
            _ => None,
        },
        _ => None,
    };
    on_page(m, section.blocks.iter().filter_map(item).collect())
}

/// Which of a section's parts are on the web page only.
pub(crate) fn parts_on_page(m: &Messages, section: &Section) -> Option<String> {
    on_page(m, names_of(&section.parts))
}

/// Which chapters are on the web page only.
pub(crate) fn chapters_on_page(m: &Messages, sections: &[Section]) -> Option<String> {
    on_page(m, names_of(sections))
}

fn names_of(sections: &[Section]) -> Vec<String> {
    let folded = sections.iter().filter(|section| section.is_folded);
    folded.map(|section| format!("{}\u{a0}{}", section.number, section.title)).collect()
}

fn on_page(m: &Messages, names: Vec<String>) -> Option<String> {
    // Never cut: each is named.
    (!names.is_empty()).then(|| format!("{} {}.", say!(m, "on-page-only"), names.join("; ")))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::document::{Cell, Column, Row, number_sections, tables_of};

    fn table(rows: usize) -> Table {
        Table {
            name: "series".into(),
            caption: "Series".into(),
            columns: vec![Column::text("Name")],
            rows: (0..rows).map(|row| Row::new(vec![Cell::text(row.to_string())])).collect(),
            notes: vec!["How to read it.".into()],
        }
    }

    fn document(block: Block) -> Document {
        let mut section = Section::new("a", "A");
        section.parts.push(Section { blocks: vec![block], ..Section::new("b", "B") });
        Document { language: "en", title: Default::default(), sections: vec![section], frame: Default::default() }
    }

    #[test]
    fn a_long_table_is_named_on_paper_and_whole_in_its_file() {
        let whole = document(Block::raw(table(40)));
        let paper = whole.on_paper();
        let [Block::Note { text, .. }] = paper.sections[0].parts[0].blocks.as_slice() else { panic!("{paper:?}") };
        assert!(text.contains("Series (series.csv)"), "{text}");
        assert_eq!(tables_of(&whole.sections)[0].rows.len(), 40);
    }

    #[test]
    fn a_short_table_stands_open() {
        assert!(
            matches!(document(Block::raw(table(8))).on_paper().sections[0].parts[0].blocks[0], Block::Table(ref it) if it.rows.len() == 8)
        );
        assert!(matches!(Block::raw(table(9)), Block::Folded(_)));
    }

    #[test]
    fn a_folded_part_and_chapter_are_named_on_paper() {
        let mut whole = document(Block::Table(table(2)));
        let folded = |anchor: &str, title: &str| Section { is_folded: true, ..Section::new(anchor, title) };
        whole.sections[0].parts.push(folded("c", "Raw"));
        whole.sections.push(folded("d", "Rest"));
        number_sections(&mut whole.sections, "Table");
        let paper = whole.on_paper();
        let [only] = paper.sections.as_slice() else { panic!("{paper:?}") };
        let [Block::Table(_), Block::Note { text: part, .. }, Block::Note { text: chapter, .. }] =
            only.parts[0].blocks.as_slice()
        else {
            panic!("{only:?}")
        };
        assert_eq!(only.parts.len(), 1);
        assert!(part.contains("1.2\u{a0}Raw") && chapter.contains("2\u{a0}Rest"), "{part} {chapter}");
    }
}
