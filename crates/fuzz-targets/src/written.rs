//! Written reports, in every format that is read.

use audit::model::{BLOCKS_MAX, CELLS_MAX, Kind, TEXT_MAX};
use audit::read::{Format, format, read};

/// A report: read within bounds in whatever format it is taken for, and every finding says where and why.
pub(super) fn report(data: &[u8]) {
    for format in [format("report", data), Format::Text, Format::Html, Format::Word, Format::Pages] {
        let Ok(document) = read(format, data) else { continue };
        assert!(document.blocks.len() <= BLOCKS_MAX);
        let mut cells = 0;
        for block in &document.blocks {
            assert!(block.text.len() <= TEXT_MAX);
            if let Kind::Table(table) = &block.kind {
                cells += table.header.len() + table.rows.iter().map(|row| row.cells.len()).sum::<usize>();
            }
        }
        assert!(cells <= CELLS_MAX);
        for finding in audit::of_document(&document).findings {
            assert!(!finding.quotes.is_empty() && !finding.says.is_empty() && !finding.arithmetic.is_empty());
        }
    }
}
