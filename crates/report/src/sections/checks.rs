//! Which checks were run on this report's numbers, what they found, and what was left out of the page.

use super::lookup::blocks_mut;
use crate::document::{Block, Cell, CellKind, Column, Row, Section, Table, tables_of};
use crate::input::Context;
use crate::messages::say;
use crate::number::clean;
use judge::WireValidity;

/// The chapter; what was left out comes when the whole document stands.
pub(crate) fn checks(cx: &Context<'_>) -> Section {
    let mut section = Section::new("checks", say!(cx.m, "checks-title"));
    section.say(say!(cx.m, "checks-intro"));
    section.add(Block::raw(rules(cx)));
    section.add(Block::raw(signs(cx)));
    section.parts.push(Section::new("checks-left-out", say!(cx.m, "checks-left-out")));
    section
}

/// Rules that look for contradictions and misleading figures; each looks at every run.
fn rules(cx: &Context<'_>) -> Table {
    let row = |(rule, _): &judge::catalogue::Entry| {
        let fired: Vec<_> = cx.input.judgement.findings.iter().filter(|finding| finding.rule() == *rule).collect();
        let ids: Vec<&str> = fired.iter().map(|finding| finding.id.as_str()).collect();
        let found = fired.len() as f64;
        Row::new(vec![
            Cell::code(*rule),
            Cell::number(cx.m.numbers.count(found), found),
            if ids.is_empty() { Cell::text(say!(cx.m, "checks-nothing")) } else { Cell::text(ids.join(", ")) },
        ])
    };
    Table {
        name: "checks".to_owned(),
        caption: say!(cx.m, "table-checks"),
        columns: vec![
            Column::text(say!(cx.m, "col-rule")),
            Column::number(say!(cx.m, "col-found"), ""),
            Column::text(say!(cx.m, "col-findings")),
        ],
        rows: judge::catalogue::FINDINGS.iter().map(row).collect(),
        notes: vec![say!(cx.m, "note-checks")],
    }
}

/// Signs of validity: how often each was looked at, and how often it spoke against the run.
fn signs(cx: &Context<'_>) -> Table {
    let row = |(code, _): &judge::catalogue::Entry| {
        let of_code: Vec<_> = cx.input.judgement.signs.iter().filter(|sign| sign.code == *code).collect();
        let against = of_code.iter().filter(|sign| sign.state != WireValidity::Valid).count() as f64;
        let looked = of_code.len() as f64;
        Row::new(vec![
            Cell::text(cx.sign_name(code)),
            if of_code.is_empty() { Cell::missing() } else { Cell::number(cx.m.numbers.count(looked), looked) },
            Cell::number(cx.m.numbers.count(against), against),
        ])
    };
    Table {
        name: "checks-signs".to_owned(),
        caption: say!(cx.m, "table-checks-signs"),
        columns: vec![
            Column::text(say!(cx.m, "col-sign")),
            Column::number(say!(cx.m, "col-looked"), ""),
            Column::number(say!(cx.m, "col-against"), ""),
        ],
        rows: judge::catalogue::SIGNS.iter().map(row).collect(),
        notes: vec![say!(cx.m, "note-checks-signs")],
    }
}

/// Says what the page does not print, counted over the whole document.
pub(super) fn fill(cx: &Context<'_>, sections: &mut [Section]) {
    let tables = tables_of(sections);
    // Gaps in plotted series show as gaps; they are not values that a reader would look for.
    let read = tables.iter().filter(|table| !table.name.starts_with("fig-"));
    let cells = read.flat_map(|table| &table.rows).flat_map(|row| &row.cells);
    let missing = cells.filter(|cell| cell.kind == CellKind::Missing).count();
    let thinned = tables.iter().filter(|table| table.rows.len() > crate::html_page::TABLE_ROWS).count();
    let mut points = vec![say!(cx.m, "left-out-missing", missing = missing)];
    if thinned > 0 {
        points.push(say!(cx.m, "left-out-thinned", thinned = thinned));
    }
    let left = left_blocks(cx);
    if !left.is_empty() {
        points.push(say!(cx.m, "left-out-blocks", profile = &clean(&cx.profile.name), list = &left.join(", ")));
    }
    let unknown: Vec<String> =
        cx.profile.terms.iter().filter(|(key, _)| !cx.m.has(key)).map(|(key, _)| clean(key)).collect();
    if !unknown.is_empty() {
        points.push(say!(cx.m, "left-out-terms", list = &unknown.join(", ")));
    }
    let chapter = blocks_mut(sections).find(|section| section.block == "checks");
    if let Some(part) =
        chapter.and_then(|section| section.parts.iter_mut().find(|part| part.anchor == "checks-left-out"))
    {
        part.blocks = vec![Block::Points(points)];
    }
}

/// Blocks that the profile leaves out although this version has them; a short form is not missed beside the long one.
fn left_blocks(cx: &Context<'_>) -> Vec<String> {
    let is_chosen = |name: &str| cx.profile.chosen().any(|choice| choice.name == name);
    let is_short =
        |name: &str| crate::blocks::SHORT_FORMS.iter().any(|(short, long)| *short == name && is_chosen(long));
    let is_left = |name: &&str| !is_chosen(name) && !is_short(name);
    crate::BLOCKS.iter().map(|block| block.name).filter(is_left).map(str::to_owned).collect()
}
