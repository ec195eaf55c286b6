//! Threats to validity: everything that weakens what the report says.

use super::summary;
use crate::document::{Block, Section};
use crate::input::Context;
use crate::messages::say;
use judge::Gravity;

/// The chapter.
pub(crate) fn threats(cx: &Context<'_>) -> Section {
    let mut section = Section::new("threats", say!(cx.m, "threats-title"));
    let head = cx.input.head;
    let mut points: Vec<String> = cx.bad_signs().map(|sign| cx.sign(sign)).collect();
    points.push(say!(cx.m, "threat-single-run"));
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
    let grave = cx.input.judgement.findings.iter().filter(|finding| finding.severity >= Gravity::Warning);
    let cards: Vec<Block> = grave.map(|finding| summary::card(cx, finding)).collect();
    if !cards.is_empty() {
        let mut part = Section::new("threats-findings", say!(cx.m, "threats-findings-title"));
        part.blocks = cards;
        section.parts.push(part);
    }
    section
}
