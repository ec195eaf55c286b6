//! What the study's author wrote, marked as such: comments, expectations and links decide nothing.

use super::lookup::{blocks_mut, part_name};
use crate::document::{Block, NoteKind, Section};
use crate::input::Context;
use crate::messages::say;
use crate::number::clean;

/// The chapter: comments that stand nowhere else, expectations and links. `None` where there are none.
pub(crate) fn author(cx: &Context<'_>) -> Option<Section> {
    let report = &cx.input.study?.report;
    let mut section = Section::new("author", say!(cx.m, "author-title"));
    let elsewhere = |place: &str| place_exists(cx, place);
    for (place, text) in report.comments.iter().filter(|(place, _)| !elsewhere(place)) {
        let text = say!(cx.m, "author-comment", place = &clean(place), text = &clean(text.in_language(cx.m.language)));
        section.add(Block::Note { kind: NoteKind::Comment, text });
    }
    let expected = report.expectations.iter();
    let expected =
        expected.map(|text| say!(cx.m, "author-expectation", text = &clean(text.in_language(cx.m.language))));
    let links = report
        .links
        .iter()
        .map(|(name, target)| say!(cx.m, "author-link", name = &clean(name), target = &clean(target)));
    let points: Vec<String> = expected.chain(links).collect();
    if !points.is_empty() {
        section.add(Block::Points(points));
    }
    (!section.blocks.is_empty()).then_some(section)
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
pub(super) fn comments(cx: &Context<'_>, sections: &mut [Section]) {
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
