//! The chapters of a report, one file each, put together as the profile says.

mod author;
mod behaviour;
mod books;
mod build;
mod bulk;
mod by_step;
mod capacity;
mod capacity_figures;
mod capacity_words;
mod checks;
mod comparison;
mod components;
mod conclusions;
mod conformance;
mod counted;
mod definitions;
mod durations;
mod environment;
mod exchanges;
mod generator;
mod glance;
mod grid;
mod grid_scaling;
mod grid_tables;
mod heads;
mod healthiest;
mod imported;
mod in_short;
mod introduction;
mod inventory;
mod iteration_servers;
mod iteration_trends;
mod iterations;
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
mod search;
mod search_curve;
mod settings;
mod setup;
mod shape;
mod slowest;
mod stability;
mod statistics;
mod stops;
mod store_limit;
mod stored;
mod summary;
mod system;
mod threats;
mod times;
mod title;
mod verdicts;
mod watched;
mod workloads;

use crate::document::{Block, Document, Section, name_files, number_sections};
use crate::frame::frame;
use crate::input::Context;
use crate::messages::say;
use crate::number::clean;
use left_out::{cards_once, explain_once, fold_plain};
use lookup::part_name;
use std::collections::BTreeSet;
use study::{BlockChoice, Fold};

pub(crate) use build::for_a_build;
pub(crate) use comparison::{comparison, verdicts as comparison_verdicts};
pub(crate) use left_out::leave_out_unassessed;
pub(crate) use search::results as search_results;

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
    // In the first chapter, whichever that is: all figures rest on it.
    if let (Some(first), Some(part)) = (sections.first_mut(), imported::imported(cx)) {
        first.parts.push(part);
    }
    sections.iter_mut().for_each(leave_out_unassessed);
    if cx.profile.name != "full" {
        sections.iter_mut().for_each(fold_plain);
    }
    author::comments(cx, &mut sections);
    folded_last(&mut sections);
    let (mut shown, mut said) = (BTreeSet::new(), BTreeSet::new());
    sections.iter_mut().for_each(|section| cards_once(&cx.m, section, &mut shown));
    sections.iter_mut().for_each(|section| results::together(&cx.m, section));
    sections.iter_mut().for_each(|section| explain_once(section, &mut said));
    number_sections(&mut sections, &say!(cx.m, "page-table"));
    name_files(&mut sections);
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
        "bulk" => bulk::section(cx).into_iter().collect(),
        "grid" => grid::grids(cx),
        "search" => search::searches(cx),
        "iterations" => iterations::section(cx).into_iter().collect(),
        "levels" => levels::levels(cx).into_iter().collect(),
        "stability" => stability::stability(cx).into_iter().collect(),
        "system" => vec![system::system(cx)],
        "resources" => vec![system::resources(cx)],
        "capacity" => capacity::capacity(cx).into_iter().collect(),
        "comparison" => comparison(&cx.m, &cx.input.judgement.comparisons, &[]).map(by_design).into_iter().collect(),
        "generator" => vec![generator::generator(cx)],
        "conclusions" => vec![conclusions::conclusions(cx)],
        "author" => author::author(cx).into_iter().collect(),
        "threats" => threats::threats(cx).into_iter().collect(),
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

/// Folds what the profile leaves to the web page.
fn fold(section: &mut Section, fold: &Fold) {
    section.is_folded |= *fold == Fold::Whole;
    let anchor = section.anchor.clone();
    for part in &mut section.parts {
        part.is_folded = match fold {
            Fold::Parts => true,
            Fold::These(names) => names.iter().any(|name| name == part_name(&anchor, part)),
            Fold::Nothing | Fold::Whole => false,
        };
    }
}

/// Puts what is folded behind the rest, so that what paper has is numbered without gaps.
fn folded_last(sections: &mut [Section]) {
    sections.sort_by_key(|section| (section.is_appendix, section.is_folded));
    sections.iter_mut().for_each(|section| section.parts.sort_by_key(|part| part.is_folded));
    sections.iter_mut().filter(|section| section.block.is_empty()).for_each(|section| folded_last(&mut section.parts));
}

/// Workloads of one study differ because it says so: their circumstances are folded.
fn by_design(mut section: Section) -> Section {
    for block in section.parts.iter_mut().flat_map(|part| &mut part.blocks) {
        if matches!(block, Block::Table(table) if table.name.ends_with(comparison::DIFFERENCES)) {
            *block = Block::folded(std::mem::replace(block, Block::Points(Vec::new())));
        }
    }
    section
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
        fold(section, &choice.fold);
    }
    // Parts that a run need not have, such as its load nodes, leave no heading alone.
    sections.retain(|section| choice.parts.is_empty() || !section.parts.is_empty() || !section.blocks.is_empty());
    // Chapters that repeat, one a scenario, keep their scenario in the heading.
    if let (Some(title), [only]) = (&choice.title, sections.as_mut_slice()) {
        only.title = clean(title.in_language(cx.m.language));
    }
    sections
}
