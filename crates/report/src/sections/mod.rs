//! The chapters of a report, one file each, put together as the profile says.

mod author;
mod behaviour;
mod books;
mod capacity;
mod capacity_figures;
mod capacity_words;
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
mod grid;
mod grid_tables;
mod in_short;
mod introduction;
mod inventory;
mod left_out;
mod legs;
mod levels;
mod lookup;
mod methods;
mod moments;
mod overview;
mod reconciliation;
mod requests;
mod resources;
mod results;
mod runs;
mod settings;
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
mod watched;
mod workloads;

use crate::document::{Document, Section, number_sections};
use crate::frame::frame;
use crate::input::Context;
use crate::messages::say;
use crate::number::clean;
use left_out::{cards_once, explain_once};
use lookup::part_name;
use std::collections::BTreeSet;
use study::BlockChoice;

pub(crate) use comparison::comparison;
pub(crate) use left_out::leave_out_unassessed;

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
    author::comments(cx, &mut sections);
    sections.iter_mut().for_each(|section| explain_once(section, &mut BTreeSet::new()));
    number_sections(&mut sections, &say!(cx.m, "page-table"));
    // What speaks of the whole document comes when it stands; it adds rows, and so moves no number.
    statistics::fill(cx, &mut sections);
    checks::fill(cx, &mut sections);
    conformance::fill(cx, &mut sections);
    let mut shown = BTreeSet::new();
    sections.iter_mut().for_each(|section| cards_once(&cx.m, section, &mut shown));
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
        "overview" => vec![overview::overview(cx)],
        "summary" => vec![summary::summary(cx)],
        "introduction" => vec![introduction::introduction(cx)],
        "moments" => moments::section(cx).into_iter().collect(),
        "requests" => vec![requests::section(cx)],
        "setup" => vec![setup::setup(cx)],
        "exchanges" => exchanges::exchanges(cx).into_iter().collect(),
        "load" => vec![books::load(cx)],
        "definitions" => vec![definitions::definitions(cx)],
        "results" => results::results(cx),
        "grid" => grid::grids(cx),
        "levels" => levels::levels(cx).into_iter().collect(),
        "stability" => stability::stability(cx).into_iter().collect(),
        "system" => vec![system::system(cx)],
        "resources" => vec![system::resources(cx)],
        "capacity" => capacity::capacity(cx).into_iter().collect(),
        "comparison" => comparison(&cx.m, &cx.input.judgement.comparisons, &[]).into_iter().collect(),
        "generator" => vec![generator::generator(cx)],
        "conclusions" => vec![conclusions::conclusions(cx)],
        "author" => author::author(cx).into_iter().collect(),
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
