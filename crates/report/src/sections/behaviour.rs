//! The system's behaviour within the chapter of its scenario: generated load, processor, memory, and the rest.

use super::{books, system};
use crate::document::{Block, NoteKind, Section};
use crate::input::{Context, ScenarioContext};
use crate::messages::say;

/// Metrics of processors, as they stand in the anchors of figures.
const PROCESSOR: [&str; 5] = ["cpu", "parts", "run-queue", "load1", "throttled"];
/// Metrics of memory.
const MEMORY: [&str; 15] = [
    "levels",
    "used",
    "memory",
    "memory-used",
    "pss",
    "rss",
    "heap",
    "heap-used",
    "heap-committed",
    "old-used",
    "old",
    "gc",
    "committed",
    "reserved",
    "swap-used",
];

/// The part, with one part for each of them.
pub(super) fn behaviour(cx: &Context<'_>, scenario: &ScenarioContext<'_>, anchor: &str) -> Section {
    let mut part = Section::new(format!("{anchor}-system"), say!(cx.m, "system-title"));
    let mut load = Section::new(format!("{anchor}-system-load"), say!(cx.m, "behaviour-load"));
    load.blocks = books::achieved(cx, scenario);
    let mut processor = Section::new(format!("{anchor}-system-processor"), say!(cx.m, "behaviour-processor"));
    let mut memory = Section::new(format!("{anchor}-system-memory"), say!(cx.m, "behaviour-memory"));
    let mut rest = Section::new(format!("{anchor}-system-rest"), say!(cx.m, "behaviour-rest"));
    for block in system::of_scenario(cx, scenario) {
        let place = match kind(&block) {
            Kind::Processor => &mut processor,
            Kind::Memory => &mut memory,
            Kind::Rest => &mut rest,
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

enum Kind {
    Processor,
    Memory,
    Rest,
}

/// What a figure is of, by the metric in its anchor: `fig-MONITOR-METRIC-SCENARIO`.
fn kind(block: &Block) -> Kind {
    let anchor = match block {
        Block::Figure(figure) => figure.anchor.as_str(),
        Block::Data(table) => table.name.as_str(),
        _ => return Kind::Rest,
    };
    let is_of = |metrics: &[&str]| {
        metrics.iter().any(|metric| anchor.contains(&format!("-{metric}-")) || anchor.ends_with(&format!("-{metric}")))
    };
    match () {
        () if is_of(&MEMORY) => Kind::Memory,
        () if is_of(&PROCESSOR) => Kind::Processor,
        () => Kind::Rest,
    }
}
