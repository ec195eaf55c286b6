//! Legs that a watched count closes: what was accepted and what is through, over time.

use crate::charts;
use crate::document::{Block, Section};
use crate::input::{Context, ScenarioContext};
use crate::messages::say;

/// The part of a scenario; `None` where it has no such leg of which anything was accepted.
pub(super) fn counted(cx: &Context<'_>, scenario: &ScenarioContext<'_>, anchor: &str) -> Option<Section> {
    let all = cx.input.views.counted.iter().enumerate();
    let figures: Vec<Block> = all
        .filter_map(|(number, view)| {
            charts::counted(cx, scenario, view, &format!("fig-counted-{}-{number}", scenario.number))
        })
        .map(Block::Figure)
        .collect();
    if figures.is_empty() {
        return None;
    }
    let mut part = Section::new(format!("{anchor}-counted"), say!(cx.m, "counted-title"));
    part.blocks.extend(figures);
    Some(part)
}
