//! Definitions, before any result.

use crate::document::{Block, Section};
use crate::input::Context;
use crate::messages::say;

pub(crate) fn definitions(cx: &Context<'_>) -> Section {
    let mut section = Section::new("definitions", say!(cx.m, "definitions-title"));
    if cx.chosen("results", "table") {
        section.add(Block::Table(super::in_short::words(cx)));
    }
    let term = |name: &str| (cx.m.text(&format!("term-{name}"), &[]), cx.m.text(&format!("term-{name}.means"), &[]));
    section.add(Block::Definitions(TERMS.iter().map(|name| term(name)).collect()));
    section
}

/// Terms in the order in which they build on each other.
pub(crate) const TERMS: [&str; 17] = [
    "iteration",
    "exchange",
    "open",
    "closed",
    "intended",
    "response",
    "service",
    "lateness",
    "throughput",
    "percentile",
    "interval",
    "design-effect",
    "phases",
    "outcomes",
    "validity",
    "verdicts",
    "finding",
];
