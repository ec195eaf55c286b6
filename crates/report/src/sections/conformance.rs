//! Conformance: what the readers' own list demands, and where it stands in this report.

use super::lookup::{blocks, blocks_mut, part_name, set_rows};
use crate::document::{Block, Cell, Column, NoteKind, Row, Section, Table};
use crate::input::{Context, is_in_scenario};
use crate::messages::say;
use crate::number::clean;
use judge::comparison::RowVerdict;
use study::{Demand, DemandPlace};

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
    set_rows(sections, "conformance", "conformance", rows);
    if let Some(section) = blocks_mut(sections).find(|section| section.block == "conformance") {
        let text = say!(cx.m, "conformance-sum", all = all, met = all - unmet, unmet = unmet);
        let kind = if unmet > 0 { NoteKind::Warning } else { NoteKind::Reading };
        section.blocks.insert(1, Block::Note { kind, text });
    }
}

/// `2.1, 3 (Table 4)`: where a demand is answered; `None` where one of the places that it needs is not in this report, or
/// none of those of which any would do.
fn stands(cx: &Context<'_>, sections: &[Section], demand: &Demand) -> Option<Cell> {
    let mut places = Vec::new();
    for place in &demand.needs {
        places.extend(answers(cx, sections, place)?);
    }
    places.extend(demand.at.iter().filter_map(|place| answers(cx, sections, place)).flatten());
    let mut known = Vec::new();
    places.retain(|place| {
        !known.contains(place) && {
            known.push(place.clone());
            true
        }
    });
    (!places.is_empty()).then(|| Cell::text(places.join("; ")))
}

/// Where a place of a demand is; of a block that repeats in every chapter, or nowhere.
fn answers(cx: &Context<'_>, sections: &[Section], place: &DemandPlace) -> Option<Vec<String>> {
    let mut found = Vec::new();
    for chapter in blocks(sections).filter(|section| section.block == place.block) {
        let is_meant = |part: &&Section| place.part.as_deref() == Some(part_name(&chapter.anchor, part));
        let candidates: Vec<&Section> = match place.part {
            None => vec![chapter],
            Some(_) => chapter.parts.iter().filter(is_meant).collect(),
        };
        let scenario = scenario_of(cx, chapter);
        let shown = |section: &&Section| answer(cx, section, scenario.as_deref(), place);
        let here: Vec<String> = candidates.iter().filter_map(shown).collect();
        if here.is_empty() {
            return None;
        }
        found.extend(here);
    }
    (!found.is_empty()).then_some(found)
}

/// The number of a section with that of what answers in it.
fn answer(cx: &Context<'_>, section: &Section, scenario: Option<&str>, place: &DemandPlace) -> Option<String> {
    if !has_content(section) || (section.block == "comparison" && !is_anything_compared(cx)) {
        return None;
    }
    let what = match place.shows.as_slice() {
        [] => first_number(cx, section),
        names => names.iter().find_map(|name| match (name.strip_prefix('~'), name.strip_prefix('@')) {
            (Some(word), _) => is_required(cx, scenario, word).then(|| first_number(cx, section)),
            (_, Some(kind)) => was_watched_by(cx, kind).then(|| first_number(cx, section)),
            _ => number_of(cx, section, name),
        })?,
    };
    Some(format!("{}{what}", section.number))
}

/// Name of the scenario whose chapter it is.
fn scenario_of(cx: &Context<'_>, chapter: &Section) -> Option<String> {
    let is_of = |scenario: &crate::input::ScenarioContext<'_>| chapter.anchor == super::results::anchor(scenario);
    cx.scenarios().iter().find(|scenario| is_of(scenario)).map(|scenario| scenario.name.to_owned())
}

/// Whether a requirement has that word in its rule, and a verdict in that scenario where it is about one.
fn is_required(cx: &Context<'_>, scenario: Option<&str>, word: &str) -> bool {
    let is_here = |result: &&judge::RequirementResult| scenario.is_none_or(|name| is_in_scenario(&result.scope, name));
    cx.input.judgement.requirements.iter().filter(is_here).any(|result| result.rule.contains(word))
}

/// Whether a monitor of that kind recorded anything.
fn was_watched_by(cx: &Context<'_>, kind: &str) -> bool {
    let has_values = |view: &judge::views::MetricView| view.points.iter().any(|(_, value)| value.is_some());
    cx.input.views.metrics.iter().any(|view| view.monitor.kind == kind && has_values(view))
}

/// Whether a comparison has a row that may be compared: a table of rows that may not is not an answer.
fn is_anything_compared(cx: &Context<'_>) -> bool {
    let pairs = || cx.input.judgement.comparisons.iter().flat_map(|comparison| &comparison.pairs);
    pairs().flat_map(|pair| &pair.rows).any(|row| row.verdict != RowVerdict::NotComparable)
}

/// The number, in brackets, of the figure, table or finding of that name in a section or its parts; empty for numbers that
/// are among the tables of the report and on no page.
fn number_of(cx: &Context<'_>, section: &Section, name: &str) -> Option<String> {
    let own = section.blocks.iter().find_map(|block| match block.inner() {
        Block::Table(table) if is_named(&table.name, name) && !table.rows.is_empty() => Some(table_number(table)),
        Block::Figure(figure) if is_named(&figure.anchor, name) => Some(figure_number(cx, &figure.number)),
        Block::Data(table) if is_named(&table.name, name) => Some(String::new()),
        Block::Finding { id, rule, .. } if rule == name => Some(format!(" ({id})")),
        _ => None,
    });
    own.or_else(|| section.parts.iter().find_map(|part| number_of(cx, part, name)))
}

/// Whether the words of a name, apart by `-`, stand one after another in that of a figure or table.
fn is_named(full: &str, name: &str) -> bool {
    let (full, name): (Vec<&str>, Vec<&str>) = (full.split('-').collect(), name.split('-').collect());
    full.windows(name.len()).any(|words| words == name)
}

/// Whether a chapter says anything but that something is missing.
fn has_content(section: &Section) -> bool {
    let is_content = |block: &Block| match block.inner() {
        Block::Note { kind, .. } => *kind != NoteKind::Missing,
        Block::Table(table) => !table.rows.is_empty(),
        _ => true,
    };
    section.blocks.iter().any(is_content) || section.parts.iter().any(has_content)
}

/// The first numbered table or figure, in brackets.
fn first_number(cx: &Context<'_>, section: &Section) -> String {
    for block in &section.blocks {
        match block.inner() {
            Block::Table(table) => return table_number(table),
            Block::Figure(figure) => return figure_number(cx, &figure.number),
            _ => {}
        }
    }
    section.parts.iter().map(|part| first_number(cx, part)).find(|text| !text.is_empty()).unwrap_or_default()
}

/// Captions begin with the number: `Table 4. …`.
fn table_number(table: &Table) -> String {
    table.caption.split_once(". ").map_or_else(String::new, |(number, _)| format!(" ({number})"))
}

fn figure_number(cx: &Context<'_>, number: &str) -> String {
    // A folded figure has none.
    if number.is_empty() { String::new() } else { format!(" ({} {number})", say!(cx.m, "page-figure")) }
}

fn why_not(cx: &Context<'_>, demand: &Demand) -> String {
    let reason = demand.why_not.as_ref().map(|why| clean(why.in_language(cx.m.language)));
    match reason.filter(|why| !why.is_empty()) {
        Some(why) => say!(cx.m, "conformance-why-not", why = &why),
        None if demand.at.is_empty() && demand.needs.is_empty() => say!(cx.m, "conformance-not-answered"),
        None => say!(cx.m, "conformance-not-in-run"),
    }
}

#[cfg(test)]
mod tests {
    use super::is_named;

    #[test]
    fn words_of_a_name_are_whole_words_in_their_order() {
        assert!(is_named("fig-host-parts-0-1", "parts"));
        assert!(is_named("results-0-nominal-in-short", "in-short"));
        assert!(is_named("plan", "plan"));
        assert!(!is_named("fig-planned-1", "plan"));
        assert!(!is_named("results-short-in", "in-short"));
        assert!(!is_named("a", "a-b"));
    }
}
