//! The chapters of a report, one file each, put together as the profile says.

mod behaviour;
mod books;
mod capacity;
mod capacity_figures;
mod checks;
mod comparison;
mod components;
mod conclusions;
mod conformance;
mod definitions;
mod environment;
mod exchanges;
mod generator;
mod glance;
mod in_short;
mod introduction;
mod inventory;
mod legs;
mod levels;
mod methods;
mod reconciliation;
mod resources;
mod results;
mod runs;
mod setup;
mod shape;
mod stability;
mod statistics;
mod stops;
mod summary;
mod system;
mod threats;
mod times;
mod title;
mod verdicts;
mod workloads;

use crate::document::{Block, Document, NoteKind, Row, Section, number_sections};
use crate::frame::frame;
use crate::input::Context;
use crate::messages::say;
use crate::number::clean;
use std::collections::BTreeSet;
use study::BlockChoice;

pub(crate) use comparison::comparison;

/// The whole document.
pub(crate) fn document(cx: &Context<'_>) -> Document {
    let mut sections: Vec<Section> = Vec::new();
    for (choices, is_appendix) in [(&cx.profile.blocks, false), (&cx.profile.appendices, true)] {
        for choice in choices {
            sections.extend(if choice.of.is_empty() {
                chosen(cx, choice, is_appendix)
            } else {
                made_of(cx, choice, is_appendix).into_iter().collect()
            });
        }
    }
    sections.iter_mut().for_each(leave_out_unassessed);
    comments(cx, &mut sections);
    sections.iter_mut().for_each(|section| explain_once(section, &mut BTreeSet::new()));
    number_sections(&mut sections, &say!(cx.m, "page-table"));
    // What speaks of the whole document comes when it stands; it adds rows, and so moves no number.
    statistics::fill(cx, &mut sections);
    checks::fill(cx, &mut sections);
    conformance::fill(cx, &mut sections);
    let frame = frame(cx, title::run_facts(cx));
    Document { language: cx.m.language, title: title::title(cx), sections, frame }
}

/// A chapter made of several blocks, each a part of it; `None` where the run has nothing for any of them.
fn made_of(cx: &Context<'_>, choice: &BlockChoice, is_appendix: bool) -> Option<Section> {
    let title = choice.title.as_ref().map(|title| clean(title.in_language(cx.m.language))).unwrap_or_default();
    let first = choice.of.first()?;
    let mut section = Section::new(format!("chapter-{}", first.name), title);
    section.is_appendix = is_appendix;
    section.parts = choice.of.iter().flat_map(|choice| chosen(cx, choice, is_appendix)).collect();
    (!section.parts.is_empty()).then_some(section)
}

/// The chapters of a block, empty where the run has nothing for it.
fn build(cx: &Context<'_>, block: &str) -> Vec<Section> {
    match block {
        "summary" => vec![summary::summary(cx)],
        "introduction" => vec![introduction::introduction(cx)],
        "setup" => vec![setup::setup(cx)],
        "exchanges" => exchanges::exchanges(cx).into_iter().collect(),
        "load" => vec![books::load(cx)],
        "definitions" => vec![definitions::definitions(cx)],
        "results" => results::results(cx),
        "levels" => levels::levels(cx).into_iter().collect(),
        "stability" => stability::stability(cx).into_iter().collect(),
        "system" => vec![system::system(cx)],
        "capacity" => capacity::capacity(cx).into_iter().collect(),
        "comparison" => comparison(&cx.m, &cx.input.judgement.comparisons, &[]).into_iter().collect(),
        "generator" => vec![generator::generator(cx)],
        "conclusions" => vec![conclusions::conclusions(cx)],
        "author" => summary::author(cx).into_iter().collect(),
        "threats" => vec![threats::threats(cx)],
        "environment" => vec![environment::environment(cx)],
        "components" => components::components(cx).into_iter().collect(),
        "statistics" => vec![statistics::statistics(cx)],
        "methods" => vec![methods::methods(cx)],
        "inventory" => vec![inventory::inventory(cx)],
        "checks" => vec![checks::checks(cx)],
        "conformance" => conformance::conformance(cx).into_iter().collect(),
        _ => Vec::new(),
    }
}

/// A block as the profile wants it: some of its parts, its own heading.
fn chosen(cx: &Context<'_>, choice: &BlockChoice, is_appendix: bool) -> Vec<Section> {
    let mut sections = build(cx, &choice.name);
    for section in &mut sections {
        section.block.clone_from(&choice.name);
        section.is_appendix = is_appendix;
        if !choice.parts.is_empty() {
            let anchor = section.anchor.clone();
            let place = |part: &Section| choice.parts.iter().position(|name| *name == part_name(&anchor, part));
            section.parts.retain(|part| place(part).is_some());
            section.parts.sort_by_key(place);
        }
    }
    // Chapters that repeat, one a scenario, keep their scenario in the heading.
    if let (Some(title), [only]) = (&choice.title, sections.as_mut_slice()) {
        only.title = clean(title.in_language(cx.m.language));
    }
    sections
}

/// Name of a part as profiles know it.
fn part_name<'a>(chapter: &str, part: &'a Section) -> &'a str {
    let name = part.anchor.strip_prefix(chapter).and_then(|rest| rest.strip_prefix('-')).unwrap_or(&part.anchor);
    if name.starts_with("leg-") { "distribution" } else { name }
}

/// A figure that says nothing of what it means is not printed; its numbers stay among the tables.
pub(crate) fn leave_out_unassessed(section: &mut Section) {
    for block in &mut section.blocks {
        if let Block::Figure(figure) = block
            && figure.assessment.trim().is_empty()
        {
            *block = Block::Data(Box::new(std::mem::take(&mut figure.data)));
        }
    }
    section.parts.iter_mut().for_each(leave_out_unassessed);
}

/// Leaves out how a figure or table is to be read where the same chapter has said so before: a sentence that stands under
/// every figure is read under none.
fn explain_once(section: &mut Section, said: &mut BTreeSet<String>) {
    for block in &mut section.blocks {
        match block {
            Block::Figure(figure) if !said.insert(figure.reading.clone()) => figure.reading.clear(),
            // A letter in a cell needs its sentence under the same table.
            Block::Table(table) => table.notes.retain(|note| note.starts_with('(') || said.insert(note.clone())),
            _ => {}
        }
    }
    section.parts.iter_mut().for_each(|part| explain_once(part, said));
}

/// Every block of the document, those within chapters of several too.
fn blocks(sections: &[Section]) -> impl Iterator<Item = &Section> {
    sections.iter().flat_map(|section| {
        let (own, parts) = if section.block.is_empty() { (None, &section.parts[..]) } else { (Some(section), &[][..]) };
        own.into_iter().chain(parts)
    })
}

fn blocks_mut(sections: &mut [Section]) -> impl Iterator<Item = &mut Section> {
    sections.iter_mut().flat_map(|section| {
        if section.block.is_empty() { section.parts.iter_mut() } else { std::slice::from_mut(section).iter_mut() }
    })
}

/// Gives rows to the table of that name in a block.
fn set_rows(sections: &mut [Section], block: &str, name: &str, rows: Vec<Row>) {
    for section in blocks_mut(sections).filter(|section| section.block == block) {
        for found in &mut section.blocks {
            if let Block::Table(table) = found
                && table.name == name
            {
                table.rows = rows;
                return;
            }
        }
    }
}

/// Whether a comment's place is a block or part of this report, so that it stands there.
fn place_exists(cx: &Context<'_>, place: &str) -> bool {
    let mut chosen = cx.profile.chosen();
    let (block, part) = place.split_once('.').map_or((place, None), |(block, part)| (block, Some(part)));
    crate::blocks::named(block).is_some_and(|known| part.is_none_or(|part| known.parts.contains(&part)))
        && chosen.any(|choice| {
            choice.name == block
                && part.is_none_or(|part| choice.parts.is_empty() || choice.parts.iter().any(|name| name == part))
        })
}

/// Puts the author's comments where they belong, marked as such.
fn comments(cx: &Context<'_>, sections: &mut [Section]) {
    let Some(study) = cx.input.study else { return };
    for (place, text) in study.report.comments.iter().filter(|(place, _)| place_exists(cx, place)) {
        let text = say!(cx.m, "author-remark", text = &clean(text.in_language(cx.m.language)));
        let note = Block::Note { kind: NoteKind::Comment, text };
        let (block, part) = place.split_once('.').map_or((place.as_str(), None), |(block, part)| (block, Some(part)));
        for section in blocks_mut(sections).filter(|section| section.block == block) {
            let anchor = section.anchor.clone();
            let target = match part {
                None => Some(&mut *section),
                Some(part) => section.parts.iter_mut().find(|each| part_name(&anchor, each) == part),
            };
            if let Some(target) = target {
                target.blocks.push(note.clone());
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::document::{Figure, Table, tables_of};

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
