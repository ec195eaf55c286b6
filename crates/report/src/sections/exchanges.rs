//! What one exchange is: its course, what the system does for it, and what of its protocol is left out.

use super::books;
use crate::charts;
use crate::document::{Block, Cell, Column, NoteKind, Row, Section, Table, slug};
use crate::input::Context;
use crate::messages::say;
use crate::number::clean;

/// The chapter; `None` where every exchange is one question with one answer and no driver says what it exercises.
pub(crate) fn exchanges(cx: &Context<'_>) -> Option<Section> {
    let mut section = Section::new("exchanges", say!(cx.m, "exchanges-title"));
    if cx.chosen("exchanges", "assumptions") {
        section.parts.extend(assumptions(cx));
    }
    let course = course(cx);
    let features = features(cx);
    let is_asked = cx.profile.chosen().any(|choice| choice.name == "exchanges" && !choice.parts.is_empty());
    if course.is_none() && features.is_none() && !is_asked {
        return None;
    }
    section.parts.extend(course);
    section.parts.extend(features);
    (!section.parts.is_empty()).then_some(section)
}

fn assumptions(cx: &Context<'_>) -> Option<Section> {
    let mut part = Section::new("exchanges-assumptions", say!(cx.m, "assumptions-title"));
    match books::assumptions(cx) {
        Some(table) => part.add(Block::Table(table)),
        None => part.add(Block::Note { kind: NoteKind::Missing, text: say!(cx.m, "assumptions-none") }),
    }
    Some(part)
}

/// A drawing for each exchange of several legs, and the steps of the system's work.
fn course(cx: &Context<'_>) -> Option<Section> {
    let study = cx.input.study?;
    let mut part = Section::new("exchanges-sequence", say!(cx.m, "sequence-title"));
    for exchange in &study.exchanges {
        let anchor = format!("fig-sequence-{}", slug(&exchange.name));
        part.blocks.extend(charts::sequence(cx, exchange, &anchor).map(Block::Figure));
    }
    let steps: Vec<String> = study.system.work.iter().map(|step| clean(step.in_language(cx.m.language))).collect();
    if part.blocks.is_empty() {
        return None;
    }
    if !steps.is_empty() {
        part.say(say!(cx.m, "sequence-steps", steps = steps.len()));
        part.add(Block::Points(steps));
    }
    Some(part)
}

/// What drivers say that the exchanges have done, and what the author says is left out.
fn features(cx: &Context<'_>) -> Option<Section> {
    let features = &cx.input.head.features;
    let left_out = cx.input.study.map(|study| study.system.not_exercised.as_slice()).unwrap_or_default();
    if features.is_empty() {
        return None;
    }
    let mut part = Section::new("exchanges-features", say!(cx.m, "features-title"));
    part.say(say!(cx.m, "features-intro"));
    let row = |feature: &record::FeatureHead| {
        let word = if feature.is_exercised { "exercised-yes" } else { "exercised-no" };
        Row {
            cells: vec![
                Cell::code(&feature.exchange),
                Cell::text(cx.feature_word(feature)),
                Cell::text(cx.m.text(word, &[])),
            ],
            x: None,
            is_strong: feature.is_exercised,
        }
    };
    part.add(Block::raw(Table {
        name: "features".to_owned(),
        caption: say!(cx.m, "table-features"),
        columns: vec![
            Column::text(say!(cx.m, "col-exchange")),
            Column::text(say!(cx.m, "col-feature")),
            Column::text(say!(cx.m, "col-exercised")),
        ],
        rows: features.iter().map(row).collect(),
        notes: vec![say!(cx.m, "note-features")],
    }));
    if !left_out.is_empty() {
        let texts = left_out.iter().map(|text| clean(text.in_language(cx.m.language)));
        part.add(Block::Points(texts.map(|text| say!(cx.m, "not-shown-left-out", text = &text)).collect()));
    }
    Some(part)
}
