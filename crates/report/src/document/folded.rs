//! What is folded: raw statistics, which a reader opens on a screen and paper leaves to their files.

use super::{Block, Document, Figure, Section, Table};
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
    /// The document as it is printed: of what is folded a line remains, with the file that has the numbers.
    pub fn on_paper(&self) -> Self {
        let mut document = self.clone();
        let m = Messages::of(self.language);
        document.sections.iter_mut().for_each(|section| print_section(&m, section));
        document
    }
}

fn print_section(m: &Messages, section: &mut Section) {
    for block in &mut section.blocks {
        if let Block::Folded(folded) = block {
            *block = printed(m, folded);
        }
    }
    section.parts.iter_mut().for_each(|part| print_section(m, part));
}

/// What paper has of a folded block.
fn printed(m: &Messages, folded: &Block) -> Block {
    match folded {
        Block::Table(table) => Block::Table(Table {
            name: table.name.clone(),
            caption: table.caption.clone(),
            notes: vec![rows_on_file(m, table)],
            ..Table::default()
        }),
        Block::Figure(figure) => Block::Points(vec![figure_on_file(m, figure)]),
        block => block.clone(),
    }
}

/// How many rows a table has, and in which file.
pub(crate) fn rows_on_file(m: &Messages, table: &Table) -> String {
    let file = format!("tables/{}.csv", table.name);
    say!(m, "folded-table", rows = table.rows.len(), file = &file)
}

/// What a figure draws, and in which file its numbers are.
pub(crate) fn figure_on_file(m: &Messages, figure: &Figure) -> String {
    let file = format!("tables/{}.csv", figure.data.name);
    say!(m, "folded-figure", what = &figure.subject, file = &file)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::document::{Cell, Column, Row, tables_of};

    fn table(rows: usize) -> Table {
        Table {
            name: "series".into(),
            caption: "Table 4. Series".into(),
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
    fn a_long_table_is_one_line_on_paper_and_whole_in_its_file() {
        let whole = document(Block::raw(table(40)));
        let paper = whole.on_paper();
        let [Block::Table(printed)] = paper.sections[0].parts[0].blocks.as_slice() else { panic!("{paper:?}") };
        assert_eq!((printed.caption.as_str(), printed.rows.len(), printed.columns.len()), ("Table 4. Series", 0, 0));
        assert!(printed.notes[0].contains("40 rows") && printed.notes[0].contains("tables/series.csv"), "{printed:?}");
        assert_eq!(tables_of(&whole.sections)[0].rows.len(), 40);
    }

    #[test]
    fn a_short_table_stands_open() {
        assert!(
            matches!(document(Block::raw(table(8))).on_paper().sections[0].parts[0].blocks[0], Block::Table(ref it) if it.rows.len() == 8)
        );
        assert!(matches!(Block::raw(table(9)), Block::Folded(_)));
    }
}
