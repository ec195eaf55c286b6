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

/// Folds the figures that show nothing.
pub(super) fn fold_plain(section: &mut Section) {
    for block in &mut section.blocks {
        if matches!(block, Block::Figure(figure) if figure.is_plain) {
            *block = Block::folded(std::mem::replace(block, Block::Points(Vec::new())));
        }
    }
    section.parts.iter_mut().for_each(fold_plain);
}

/// Leaves out how a figure or table is to be read where the report has said so before: a sentence that stands under every
/// figure is read under none.
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

/// Leaves one card of each finding, the first; where it stood again its id leads there. What a rule's finding means is stated
/// on the first card that says so.
pub(super) fn cards_once(m: &Messages, section: &mut Section, shown: &mut BTreeSet<String>) {
    let mut again = Vec::new();
    section.blocks.retain(|block| match block {
        Block::Finding { id, .. } if !shown.insert(id.clone()) => {
            again.push(id.clone());
            false
        }
        _ => true,
    });
    for block in &mut section.blocks {
        if let Block::Finding { rule, assessment, .. } = block
            && !shown.insert(format!("{rule}: {assessment}"))
        {
            assessment.clear();
        }
    }
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
            is_plain: false,
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

    #[test]
    fn what_a_rule_finds_in_many_places_is_explained_once() {
        let card = |id: &str, assessment: &str| Block::Finding {
            id: id.into(),
            rule: "STALL".into(),
            gravity: judge::Gravity::Notice,
            word: "notice".into(),
            scope: String::new(),
            observation: format!("{id} was seen."),
            assessment: assessment.into(),
        };
        let mut section = Section::new("a", "A");
        section.blocks = vec![card("F1", "It waits."), card("F2", "It waits."), card("F3", "It collects.")];
        section.parts.push(Section { blocks: vec![card("F1", "It waits.")], ..Section::new("b", "B") });
        cards_once(&Messages::of("en"), &mut section, &mut BTreeSet::new());
        let means: Vec<&str> = section
            .blocks
            .iter()
            .filter_map(|block| match block {
                Block::Finding { assessment, .. } => Some(assessment.as_str()),
                _ => None,
            })
            .collect();
        assert_eq!(means, ["It waits.", "", "It collects."]);
        assert!(matches!(&section.parts[0].blocks[..], [Block::Paragraph { findings, .. }] if findings == &["F1"]));
    }

    #[test]
    fn a_figure_that_shows_nothing_is_folded() {
        let mut section = Section::new("a", "A");
        section.blocks = vec![drawn("fig-flat", "It stayed at zero."), drawn("fig-steep", "It grew.")];
        if let Block::Figure(figure) = &mut section.blocks[0] {
            figure.is_plain = true;
        }
        fold_plain(&mut section);
        assert!(matches!(&section.blocks[..], [Block::Folded(_), Block::Figure(_)]));
    }
}
