//! Threats to validity: everything that weakens what the report says.

use super::summary;
use crate::document::{Block, Section};
use crate::input::{Context, is_in_scenario};
use crate::messages::say;
use judge::{Finding, Gravity};

pub(crate) fn threats(cx: &Context<'_>) -> Section {
    let mut section = Section::new("threats", say!(cx.m, "threats-title"));
    let head = cx.input.head;
    let mut points = summary::bad_signs(cx);
    points.push(match summary::repetitions(cx) {
        0 | 1 => say!(cx.m, "threat-single-run"),
        times => say!(cx.m, "not-shown-repetitions", times = times),
    });
    if let Some(trial) = &head.trial {
        points.push(say!(cx.m, "threat-trial", factor = judge::Arg::Share(trial.factor)));
        points.extend(trial.left_out.iter().map(|text| say!(cx.m, "threat-left-out", text = text)));
    }
    if head.shares_machine {
        points.push(say!(cx.m, "threat-shared-machine"));
    }
    if cx.models() != "open" {
        points.push(say!(cx.m, "threat-closed"));
    }
    if cx.input.state.was_killed || head.ending.is_none() {
        points.push(say!(cx.m, "mark-killed-text"));
    }
    if cx.input.study.is_none() {
        points.push(say!(cx.m, "threat-no-study"));
    }
    section.add(Block::Points(points));
    // A rule that found something in many places has one card, as each place has its own in its scenario's chapter; what
    // belongs to no scenario has its only place here.
    let scenarios = cx.scenarios();
    let is_of_one = |finding: &&Finding| scenarios.iter().any(|scenario| is_in_scenario(&finding.scope, scenario.name));
    let (own, outside): (Vec<&Finding>, Vec<&Finding>) = cx.input.judgement.findings.iter().partition(is_of_one);
    let grave = own.into_iter().filter(|finding| finding.severity >= Gravity::Warning);
    let mut cards: Vec<Block> = summary::by_rule(grave).iter().map(|found| summary::key_finding(cx, found)).collect();
    cards.extend(outside.into_iter().map(|finding| summary::card(cx, finding)));
    if !cards.is_empty() {
        let mut part = Section::new("threats-findings", say!(cx.m, "threats-findings-title"));
        part.blocks = cards;
        section.parts.push(part);
    }
    section
}
