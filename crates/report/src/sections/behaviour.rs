//! The system's behaviour within the chapter of its scenario: generated load, processor, memory, and the rest.

use super::system::Topic;
use super::{books, system};
use crate::document::{Block, NoteKind, Section};
use crate::input::{Context, ScenarioContext};
use crate::messages::say;

/// The part, with one part for each of them.
pub(super) fn behaviour(cx: &Context<'_>, scenario: &ScenarioContext<'_>, anchor: &str) -> Section {
    let mut part = Section::new(format!("{anchor}-system"), say!(cx.m, "system-title"));
    let mut load = Section::new(format!("{anchor}-system-load"), say!(cx.m, "behaviour-load"));
    load.blocks = books::achieved(cx, scenario);
    let mut processor = Section::new(format!("{anchor}-system-processor"), say!(cx.m, "behaviour-processor"));
    let mut memory = Section::new(format!("{anchor}-system-memory"), say!(cx.m, "behaviour-memory"));
    let mut rest = Section::new(format!("{anchor}-system-rest"), say!(cx.m, "behaviour-rest"));
    for (topic, block) in system::of_scenario(cx, scenario) {
        let place = match topic {
            Topic::Processor => &mut processor,
            Topic::Memory => &mut memory,
            Topic::Rest => &mut rest,
        };
        place.add(block);
    }
    for part in [&mut processor, &mut memory] {
        if part.blocks.is_empty() {
            part.add(Block::Note { kind: NoteKind::Missing, text: say!(cx.m, "behaviour-none") });
        }
    }
    rest.blocks.extend(system::events_of(cx, scenario).map(Block::Table));
    part.parts = vec![load, processor, memory, rest];
    part
}
