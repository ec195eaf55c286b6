//! Conformance: what the readers' own list demands, and where it stands in this report.

use super::find;
use crate::document::{Block, Cell, Column, NoteKind, Row, Section, Table};
use crate::input::Context;
use crate::messages::say;
use crate::number::clean;
use study::Demand;

/// The chapter, without its rows; `None` when the profile demands nothing.
pub(crate) fn conformance(cx: &Context<'_>) -> Option<Section> {
    if cx.profile.conformance.is_empty() {
        return None;
    }
    let mut section = Section::new("conformance", say!(cx.m, "conformance-title"));
    section.say(say!(cx.m, "conformance-intro", profile = &clean(&cx.profile.name)));
    section.add(Block::Table(Table {
        name: "conformance".to_owned(),
        caption: say!(cx.m, "table-conformance"),
        columns: vec![
            Column::text(say!(cx.m, "col-number")),
            Column::text(say!(cx.m, "col-demand")),
            Column::text(say!(cx.m, "col-stands")),
        ],
        rows: Vec::new(),
        notes: Vec::new(),
    }));
    Some(section)
}

/// Resolves each demand to the numbers of the chapters that answer it.
pub(super) fn fill(cx: &Context<'_>, sections: &mut [Section]) {
    let (mut rows, mut unmet) = (Vec::new(), 0);
    for demand in &cx.profile.conformance {
        let stands = stands(cx, sections, demand);
        unmet += usize::from(stands.is_none());
        let cell = stands.unwrap_or_else(|| Cell::text(why_not(cx, demand)));
        let asks = clean(demand.asks.in_language(cx.m.language));
        rows.push(Row::new(vec![Cell::code(&demand.id), Cell::text(asks), cell]));
    }
    let all = rows.len();
    super::set_rows(sections, "conformance", "conformance", rows);
    if let Some(section) = super::blocks_mut(sections).find(|section| section.block == "conformance") {
        let text = say!(cx.m, "conformance-sum", all = all, met = all - unmet, unmet = unmet);
        let kind = if unmet > 0 { NoteKind::Warning } else { NoteKind::Reading };
        section.blocks.insert(1, Block::Note { kind, text });
    }
}

/// `2.1, 3 (Table 4)`: chapters with content, and the first table or figure of each.
fn stands(cx: &Context<'_>, sections: &[Section], demand: &Demand) -> Option<Cell> {
    let mut places = Vec::new();
    for (block, part) in &demand.at {
        for section in find(sections, block, part.as_deref()).into_iter().filter(|section| has_content(section)) {
            places.push(format!("{}{}", section.number, first_number(cx, section)));
        }
    }
    (!places.is_empty()).then(|| Cell::text(places.join("; ")))
}

/// Whether a chapter says anything but that something is missing.
fn has_content(section: &Section) -> bool {
    let is_content = |block: &Block| match block {
        Block::Note { kind, .. } => *kind != NoteKind::Missing,
        Block::Table(table) => !table.rows.is_empty(),
        _ => true,
    };
    section.blocks.iter().any(is_content) || section.parts.iter().any(has_content)
}

/// The first numbered table or figure, in brackets.
fn first_number(cx: &Context<'_>, section: &Section) -> String {
    for block in &section.blocks {
        match block {
            // Captions begin with the number: `Table 4. …`.
            Block::Table(table) => {
                return table.caption.split_once(". ").map_or_else(String::new, |(number, _)| format!(" ({number})"));
            }
            Block::Figure(figure) => return format!(" ({} {})", say!(cx.m, "page-figure"), figure.number),
            _ => {}
        }
    }
    section.parts.iter().map(|part| first_number(cx, part)).find(|text| !text.is_empty()).unwrap_or_default()
}

fn why_not(cx: &Context<'_>, demand: &Demand) -> String {
    let reason = demand.why_not.as_ref().map(|why| clean(why.in_language(cx.m.language)));
    match reason.filter(|why| !why.is_empty()) {
        Some(why) => say!(cx.m, "conformance-why-not", why = &why),
        None if demand.at.is_empty() => say!(cx.m, "conformance-not-answered"),
        None => say!(cx.m, "conformance-not-in-run"),
    }
}
