//! What chapters say and no page prints: figures without an assessment, and what was explained before.

use crate::document::{Block, Section};
use crate::messages::{Messages, say};
use std::collections::BTreeSet;

/// A figure that says nothing of what it means is not printed; its numbers stay among the tables.
pub(crate) fn leave_out_unassessed(section: &mut Section) {
    for block in &mut section.blocks {
        if let Block::Figure(figure) = block.inner_mut()
            && figure.assessment.trim().is_empty()
        {
            *block = Block::Data(Box::new(std::mem::take(&mut figure.data)));
        }
    }
    section.parts.iter_mut().for_each(leave_out_unassessed);
}

/// Leaves out how a figure or table is to be read where the same chapter has said so before: a sentence that stands under
/// every figure is read under none.
pub(super) fn explain_once(section: &mut Section, said: &mut BTreeSet<String>) {
    for block in &mut section.blocks {
        match block.inner_mut() {
            Block::Figure(figure) if !said.insert(figure.reading.clone()) => figure.reading.clear(),
            // A letter in a cell needs its sentence under the same table.
            Block::Table(table) => table.notes.retain(|note| note.starts_with('(') || said.insert(note.clone())),
            _ => {}
        }
    }
    section.parts.iter_mut().for_each(|part| explain_once(part, said));
}

/// Leaves one card of each finding, the first; where it stood again its id leads there.
pub(super) fn cards_once(m: &Messages, section: &mut Section, shown: &mut BTreeSet<String>) {
    let mut again = Vec::new();
    section.blocks.retain(|block| match block {
        Block::Finding { id, .. } if !shown.insert(id.clone()) => {
            again.push(id.clone());
            false
        }
        _ => true,
    });
    if !again.is_empty() {
        let text = say!(m, "findings-above", number = again.len());
        section.blocks.push(Block::Paragraph { text, findings: again, is_lead: false });
    }
    section.parts.iter_mut().for_each(|part| cards_once(m, part, shown));
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::document::{Figure, Table, number_sections, tables_of};

    fn drawn(anchor: &str, assessment: &str) -> Block {
        Block::Figure(Box::new(Figure {
            anchor: anchor.into(),
            number: String::new(),
            subject: "Use".into(),
            caption: "Use of one core".into(),
            svg: "<svg/>".into(),
            observation: "It was at 40%.".into(),
            assessment: assessment.into(),
            reading: String::new(),
            findings: Vec::new(),
            data: Table { name: anchor.into(), ..Table::default() },
            group: String::new(),
        }))
    }

    #[test]
    fn a_figure_that_says_nothing_of_what_it_means_is_not_printed() {
        let mut section = Section::new("a", "A");
        section.parts.push(Section::new("a-b", "B"));
        section.add(drawn("fig-silent", ""));
        section.parts[0].blocks = vec![drawn("fig-blank", " \n"), drawn("fig-kept", "It is enough.")];
        let mut sections = [section];
        sections.iter_mut().for_each(leave_out_unassessed);
        number_sections(&mut sections, "Table");
        assert!(matches!(&sections[0].blocks[..], [Block::Data(_)]));
        let blocks = &sections[0].parts[0].blocks;
        assert!(matches!(blocks.as_slice(), [Block::Data(_), Block::Figure(kept)] if kept.number == "1"));
        let names: Vec<&str> = tables_of(&sections).iter().map(|table| table.name.as_str()).collect();
        assert_eq!(names, ["fig-silent", "fig-blank", "fig-kept"], "the numbers stay");
    }
}
