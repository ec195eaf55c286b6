//! Finds blocks, parts and tables of finished chapters by their names.

use crate::document::{Block, Row, Section};

/// Name of a part as profiles know it.
pub(super) fn part_name<'a>(chapter: &str, part: &'a Section) -> &'a str {
    let name = part.anchor.strip_prefix(chapter).and_then(|rest| rest.strip_prefix('-')).unwrap_or(&part.anchor);
    if name.starts_with("leg-") { "distribution" } else { name }
}

/// Every block of the document, those within chapters of several too.
pub(super) fn blocks(sections: &[Section]) -> impl Iterator<Item = &Section> {
    sections.iter().flat_map(|section| {
        let (own, parts) = if section.block.is_empty() { (None, &section.parts[..]) } else { (Some(section), &[][..]) };
        own.into_iter().chain(parts)
    })
}

/// The same, to be changed.
pub(super) fn blocks_mut(sections: &mut [Section]) -> impl Iterator<Item = &mut Section> {
    sections.iter_mut().flat_map(|section| {
        if section.block.is_empty() { section.parts.iter_mut() } else { std::slice::from_mut(section).iter_mut() }
    })
}

/// Gives rows to the table of that name in a block.
pub(super) fn set_rows(sections: &mut [Section], block: &str, name: &str, rows: Vec<Row>) {
    for section in blocks_mut(sections).filter(|section| section.block == block) {
        for found in &mut section.blocks {
            if let Block::Table(table) = found.inner_mut()
                && table.name == name
            {
                table.rows = rows;
                return;
            }
        }
    }
}
