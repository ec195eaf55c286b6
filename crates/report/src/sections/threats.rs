//! Threats to validity: everything that weakens what the report says.

use super::summary;
use crate::document::{Block, Section};
use crate::input::{Context, is_in_scenario};
use crate::messages::say;
use judge::{Finding, Gravity};

/// The chapter; `None` where the first one says all of it and nobody asks for this one.
pub(crate) fn threats(cx: &Context<'_>) -> Option<Section> {
    let mut section = Section::new("threats", say!(cx.m, "threats-title"));
    let head = cx.input.head;
    let mut points = Vec::new();
    // What the first chapter says of the run is not said again.
    if is_said_first(cx) {
        let title = if cx.has_block("overview") { "overview-title" } else { "summary-title" };
        section.say(say!(cx.m, "threats-above", chapter = &cx.m.text(title, &[])));
    } else {
        points = limits_of_the_run(cx);
    }
    if cx.input.state.was_killed || head.ending.is_none() {
        points.push(say!(cx.m, "mark-killed-text"));
    }
    if cx.input.study.is_none() {
        points.push(say!(cx.m, "threat-no-study"));
    }
    let is_told = !points.is_empty();
    if is_told {
        section.add(Block::Points(points));
    }
    // A rule that found something in many places has one card, as each place has its own in its scenario's chapter; what
    // belongs to no scenario has its only place here.
    let scenarios = cx.scenarios();
    let is_of_one = |finding: &&Finding| scenarios.iter().any(|scenario| is_in_scenario(&finding.scope, scenario.name));
    let told = cx.input.judgement.findings.iter().filter(|finding| super::results::is_told(cx, finding));
    let (own, outside): (Vec<&Finding>, Vec<&Finding>) = told.partition(is_of_one);
    // Grave ones are among the key findings of the first chapter, or in the chapter of their scenario.
    let is_new = |finding: &&Finding| finding.severity >= Gravity::Warning && !is_said_first(cx);
    let grave = own.into_iter().filter(is_new);
    let mut cards: Vec<Block> = summary::by_rule(grave).iter().map(|found| summary::key_finding(cx, found)).collect();
    cards.extend(outside.into_iter().map(|finding| summary::card(cx, finding)));
    if !cards.is_empty() {
        let mut part = Section::new("threats-findings", say!(cx.m, "threats-findings-title"));
        part.blocks = cards;
        section.parts.push(part);
    }
    let demands = cx.profile.conformance.iter().flat_map(|demand| demand.at.iter().chain(&demand.needs));
    let is_asked = demands.into_iter().any(|place| place.block == "threats") || !is_said_first(cx);
    (is_told || is_asked || !section.parts.is_empty()).then_some(section)
}

/// Whether the first chapter has validity with its reasons, and what the run does not show.
fn is_said_first(cx: &Context<'_>) -> bool {
    ["overview", "summary"].iter().any(|block| cx.chosen_or_usual(block, "not-shown"))
}

/// What speaks against the run, and how far its result reaches.
fn limits_of_the_run(cx: &Context<'_>) -> Vec<String> {
    let head = cx.input.head;
    let mut points = summary::bad_signs(cx);
    points.push(match summary::repetitions(cx) {
        0 | 1 => say!(cx.m, "threat-single-run"),
        times => say!(cx.m, "not-shown-repetitions", times = times),
    });
    if let Some(trial) = &head.trial {
        points.push(say!(cx.m, "threat-trial", factor = judge::Arg::Share(trial.factor)));
        let left_out = trial.left_out.iter().filter_map(|text| crate::run_words::left_out(&cx.m, text));
        points.extend(left_out.map(|text| say!(cx.m, "threat-left-out", text = &text)));
    }
    if head.shares_machine {
        points.push(say!(cx.m, "threat-shared-machine"));
    }
    if !cx.knows_other_programs() {
        points.push(say!(cx.m, "not-shown-other-programs"));
    }
    if cx.models() != "open" {
        points.push(say!(cx.m, "threat-closed"));
    }
    points
}
