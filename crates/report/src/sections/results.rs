//! Results, a chapter for each scenario.

use super::{conclusions, summary, times, verdicts};
use crate::charts;
use crate::document::{Block, Cell, Column, NoteKind, Row, Section, Table, slug};
use crate::input::{Context, ScenarioContext, is_in_scenario, leg_title};
use crate::limits::limits;
use crate::messages::{Messages, say};
use crate::number::bounded;
use judge::{Finding, Gravity};
use std::collections::{BTreeMap, BTreeSet};
use terms::{OUTCOMES, Outcome};

/// Legs with figures of their own; more would make a page that nobody reads. Tables hold all.
const LEGS_DRAWN: usize = 6;
/// Places of the shares of calls and of the curve of percentiles among the figures of a leg.
const SHARES: usize = 1;
/// As [`SHARES`].
const CURVE: usize = 2;
/// From so many findings of one rule in a scenario on, they have one card.
const SAME_RULE: usize = 3;
/// Samples of failures printed for each scenario.
const SAMPLES: usize = 12;
/// Longest sample.
const SAMPLE_CHARS: usize = 300;

/// One chapter for each scenario that took place.
pub(crate) fn results(cx: &Context<'_>) -> Vec<Section> {
    let scenarios = cx.told_scenarios();
    let is_concluded = conclusions::is_in_chapters(cx, &scenarios) || !cx.has_block("conclusions");
    // What differs between repetitions is in the first one's figures and in the comparisons.
    let is_folded = |scenario: &ScenarioContext<'_>| scenario.is_again() && cx.profile.name != "full";
    let mut chapters: Vec<Section> = scenarios
        .iter()
        .map(|scenario| Section { is_folded: is_folded(scenario), ..chapter(cx, scenario, is_concluded) })
        .collect();
    // Which times these are is stated once.
    let mut said = BTreeSet::new();
    for chapter in &mut chapters {
        chapter.blocks.retain(|block| !matches!(block, Block::Paragraph { text, .. } if !said.insert(text.clone())));
    }
    chapters
}

/// Heading of a chapter; profiles choose between the scenario's name and what such a scenario is called.
fn title(cx: &Context<'_>, scenario: &ScenarioContext<'_>) -> String {
    let title = super::books::scenario_title(cx, scenario.name);
    say!(cx.m, "results-title", scenario = scenario.name, title = &title)
}

/// Anchor of a scenario's chapter.
pub(super) fn anchor(scenario: &ScenarioContext<'_>) -> String {
    format!("results-{}-{}", scenario.number, slug(scenario.name))
}

fn chapter(cx: &Context<'_>, scenario: &ScenarioContext<'_>, is_concluded: bool) -> Section {
    let anchor = anchor(scenario);
    let mut chapter = Section::new(anchor.clone(), title(cx, scenario));
    // Of a closed load the part on times says why it has service times.
    if !(scenario.is_closed && cx.chosen_or_usual("results", "times")) {
        chapter.say(say!(cx.m, "results-intro", measure = scenario.measure()));
    }
    chapter.parts.push(requirements(cx, scenario, &anchor));
    chapter.parts.push(response_times(cx, scenario, &anchor));
    if cx.chosen("results", "table") {
        chapter.parts.push(super::in_short::in_short(cx, scenario, &anchor));
    }
    chapter.parts.push(over_time(cx, scenario, &anchor));
    chapter.parts.extend(legs(cx, scenario, &anchor));
    chapter.parts.extend(super::legs::legs(cx, scenario, &anchor));
    chapter.parts.extend(super::counted::counted(cx, scenario, &anchor));
    chapter.parts.extend(super::legs::streams(cx, scenario, &anchor));
    chapter.parts.push(failures(cx, scenario, &anchor));
    if cx.chosen("results", "system") {
        chapter.parts.push(super::behaviour::behaviour(cx, scenario, &anchor));
    }
    if cx.chosen("results", "reconciliation") {
        chapter.parts.push(super::reconciliation::reconciliation(cx, scenario, &anchor));
    }
    chapter.parts.push(findings(cx, scenario, &anchor));
    if is_concluded {
        chapter.parts.push(conclusions::of_scenario(cx, scenario, &anchor));
    }
    chapter
}

/// One part says that nothing failed and what was found, instead of two of which the first is a sentence.
pub(super) fn together(m: &Messages, chapter: &mut Section) {
    if chapter.block.is_empty() {
        chapter.parts.iter_mut().for_each(|part| together(m, part));
    }
    if chapter.block != "results" {
        return;
    }
    let place = |name: &str| chapter.parts.iter().position(|part| part.anchor == format!("{}-{name}", chapter.anchor));
    let (Some(errors), Some(findings)) = (place("errors"), place("findings")) else { return };
    let first = &chapter.parts[errors];
    let is_a_sentence = matches!(first.blocks[..], [Block::Paragraph { .. }]) && first.parts.is_empty();
    if is_a_sentence && first.is_folded == chapter.parts[findings].is_folded {
        let blocks = chapter.parts.remove(findings).blocks;
        let part = &mut chapter.parts[errors - usize::from(findings < errors)];
        part.title = say!(m, "errors-findings-title");
        part.blocks.extend(blocks);
    }
}

fn requirements(cx: &Context<'_>, scenario: &ScenarioContext<'_>, anchor: &str) -> Section {
    let mut part = Section::new(format!("{anchor}-verdicts"), say!(cx.m, "verdicts-title"));
    part.blocks = verdicts::full_tables(cx, scenario.name, &format!("{anchor}-verdicts"));
    if part.blocks.is_empty() {
        part.add(Block::Note { kind: NoteKind::Missing, text: say!(cx.m, "verdicts-none") });
    }
    part.blocks.extend(super::store_limit::blocks(cx, scenario, &format!("{anchor}-verdicts-store")));
    part
}

fn response_times(cx: &Context<'_>, scenario: &ScenarioContext<'_>, anchor: &str) -> Section {
    let title = say!(cx.m, "times-title", measure = scenario.measure());
    let mut part = Section::new(format!("{anchor}-times"), title);
    if scenario.is_closed {
        part.add(Block::Note { kind: NoteKind::Reading, text: say!(cx.m, "times-closed") });
    }
    if scenario.holds().next().is_none() {
        part.add(Block::Note { kind: NoteKind::Missing, text: say!(cx.m, "times-no-hold") });
        return part;
    }
    let cut: Vec<_> =
        scenario.holds().filter_map(|(_, result)| result).filter(|result| result.judged_from > 0.0).collect();
    for result in cut {
        let from = judge::Arg::Seconds(result.judged_from);
        part.add(Block::Note {
            kind: NoteKind::Reading,
            text: say!(cx.m, "times-judged-from", step = &result.id, from = from),
        });
    }
    part.add(Block::Table(times::table(cx, scenario, times::Of::Exchanges, &format!("{anchor}-times-table"))));
    if scenario.holds().filter_map(|(_, result)| result).any(|result| !result.transactions.is_empty()) {
        let name = format!("{anchor}-transactions-table");
        part.add(Block::Table(times::table(cx, scenario, times::Of::Transactions, &name)));
    }
    part.blocks.extend(super::slowest::table(cx, scenario, &format!("{anchor}-slowest-table")));
    part
}

fn over_time(cx: &Context<'_>, scenario: &ScenarioContext<'_>, anchor: &str) -> Section {
    let mut part = Section::new(format!("{anchor}-throughput"), say!(cx.m, "throughput-title"));
    match charts::throughput(cx, scenario, &format!("fig-throughput-{}", scenario.number)) {
        Some(figure) => part.add(Block::Figure(figure)),
        None => part.add(Block::Note { kind: NoteKind::Missing, text: say!(cx.m, "throughput-none") }),
    }
    part
}

/// A part for each leg: distribution, over time, heat map.
fn legs(cx: &Context<'_>, scenario: &ScenarioContext<'_>, anchor: &str) -> Vec<Section> {
    let (mut parts, mut data) = (Vec::new(), Vec::new());
    let all = scenario.legs();
    let is_again = scenario.is_again();
    for (index, (exchange, leg)) in all.iter().copied().enumerate().take(LEGS_DRAWN) {
        let scenario = &scenario.as_carrying_out(exchange);
        let name = crate::number::clean(&leg_title(exchange, leg));
        let mut part = Section::new(format!("{anchor}-leg-{index}"), say!(cx.m, "leg-title", what = &name));
        if !charts::has_times(scenario, exchange, leg) {
            part.add(Block::Note { kind: NoteKind::Missing, text: say!(cx.m, "leg-no-times", what = &name) });
            parts.push(part);
            continue;
        }
        let limits = limits(cx, scenario, exchange, leg);
        let id = |kind: &str| format!("fig-{kind}-{}-{index}", scenario.number);
        let of = charts::LegFigures { cx, scenario, exchange, leg, limits: &limits };
        // How the times are distributed comes first, then when they came.
        let (curve, is_apart) = charts::percentile_curve(&of, &id("curve")).unzip();
        let figures = [
            charts::histogram(&of, &id("histogram")),
            charts::ecdf(&of, &id("ecdf")),
            curve,
            charts::percentiles_over_time(&of, &id("over-time")),
            charts::heat_map(&of, &id("heat")),
        ];
        let shape = super::shape::shape(cx, scenario, (exchange, leg), &format!("{anchor}-shape-{index}"));
        if is_again {
            data.extend(match shape {
                Block::Table(table) => Some(Block::Data(Box::new(table))),
                _ => None,
            });
            data.extend(figures.into_iter().flatten().map(|figure| Block::Data(Box::new(figure.data))));
            continue;
        }
        let missing = figures.iter().filter(|figure| figure.is_none()).count();
        // Where nothing waited, the curve shows what the shares of calls show, along another axis.
        let is_shown = figures[SHARES].is_some() && is_apart == Some(false);
        let block = |(place, figure)| match place == CURVE && is_shown {
            true => Block::folded(Block::Figure(figure)),
            false => Block::Figure(figure),
        };
        let drawn = figures.into_iter().enumerate().filter_map(|(place, figure)| Some((place, figure?)));
        part.blocks.extend(drawn.map(block));
        // Readers who ask for the distribution are told when nothing can be said of its shape.
        if matches!(shape, Block::Table(_)) || cx.chosen("results", "distribution") {
            part.add(shape);
        }
        if missing > 0 {
            part.add(Block::Note { kind: NoteKind::Missing, text: say!(cx.m, "leg-too-few", missing = missing) });
        }
        parts.push(part);
    }
    parts.extend(again(cx, scenario, anchor, data));
    if let (Some(last), true) = (parts.last_mut(), all.len() > LEGS_DRAWN) {
        let text = say!(cx.m, "legs-not-drawn", left = all.len() - LEGS_DRAWN);
        last.add(Block::Note { kind: NoteKind::Reading, text });
    }
    parts
}

/// Of a repetition the numbers of its figures, and where it is drawn: beside the first repetition, where the two can be
/// told apart. Nothing for a first one.
fn again(cx: &Context<'_>, scenario: &ScenarioContext<'_>, anchor: &str, data: Vec<Block>) -> Option<Section> {
    let first = cx.repetitions_of(scenario).into_iter().find(|other| !other.is_again());
    let first = first.filter(|_| scenario.is_again() && !data.is_empty())?;
    let mut part = Section::new(format!("{anchor}-leg-again"), say!(cx.m, "leg-again-title"));
    let files = format!("tables/fig-*-{}-*.csv", scenario.number);
    part.add(Block::Note {
        kind: NoteKind::Reading,
        text: say!(cx.m, "leg-again", first = first.name, files = &files),
    });
    part.blocks.extend(data);
    Some(part)
}

fn failures(cx: &Context<'_>, scenario: &ScenarioContext<'_>, anchor: &str) -> Section {
    let mut part = Section::new(format!("{anchor}-errors"), say!(cx.m, "errors-title"));
    let table = classes(cx, scenario, &format!("{anchor}-errors-table"));
    if table.rows.is_empty() {
        part.say(say!(cx.m, "errors-none", how = none_failed(cx, scenario)));
        return part;
    }
    part.blocks.extend(charts::errors(cx, scenario, &format!("fig-errors-{}", scenario.number)).map(Block::Figure));
    part.add(Block::Table(table));
    let samples = samples(cx, scenario, &format!("{anchor}-errors-samples"));
    if samples.rows.is_empty() {
        part.add(Block::Note { kind: NoteKind::Missing, text: say!(cx.m, "samples-none") });
    } else {
        part.add(Block::Table(samples));
    }
    part
}

/// What it means that no call is known to have failed: that all succeeded only where each is known to have ended.
fn none_failed(cx: &Context<'_>, scenario: &ScenarioContext<'_>) -> &'static str {
    let steps = || scenario.steps.iter().map(|(view, _)| view);
    let legs = steps().flat_map(|view| &view.exchanges).flat_map(|exchange| &exchange.legs);
    let is_any_known = legs.flat_map(|leg| leg.outcomes).any(|count| count > 0);
    let is_any_open = steps().any(|view| view.books.open() > 0);
    match (is_any_known, cx.knows_failures(), is_any_open) {
        (false, ..) => "nothing",
        (true, false, _) => "unknown",
        (true, true, true) => "open",
        (true, true, false) => "all",
    }
}

/// Everything that did not end well, by exchange, leg and class.
fn classes(cx: &Context<'_>, scenario: &ScenarioContext<'_>, name: &str) -> Table {
    let mut counts: BTreeMap<(&str, &str, Outcome), u64> = BTreeMap::new();
    let mut ended: BTreeMap<(&str, &str), u64> = BTreeMap::new();
    for (view, _) in &scenario.steps {
        for exchange in &view.exchanges {
            for leg in &exchange.legs {
                for (outcome, count) in OUTCOMES.into_iter().zip(leg.outcomes).filter(|(_, count)| *count > 0) {
                    *ended.entry((&exchange.name, &leg.name)).or_default() += count;
                    if outcome != Outcome::Ok {
                        *counts.entry((&exchange.name, &leg.name, outcome)).or_default() += count;
                    }
                }
            }
        }
    }
    let mut sorted: Vec<_> = counts.into_iter().collect();
    sorted.sort_by_key(|(key, count)| (std::cmp::Reverse(*count), *key));
    let row = |((exchange, leg, outcome), count): ((&str, &str, Outcome), u64)| {
        let share = count as f64 / ended.get(&(exchange, leg)).copied().unwrap_or(1).max(1) as f64;
        Row::new(vec![
            Cell::code(leg_title(exchange, leg)),
            Cell::text(say!(cx.m, "class-word", class = outcome.name())),
            Cell::text(say!(cx.m, "side-word", side = side(outcome))),
            Cell::number(cx.m.numbers.count(count as f64), count as f64),
            Cell::number(cx.m.numbers.percentage(share), share * 100.0),
        ])
    };
    Table {
        name: name.to_owned(),
        caption: say!(cx.m, "table-classes", scenario = scenario.name),
        columns: vec![
            Column::text(say!(cx.m, "col-exchange")),
            Column::text(say!(cx.m, "col-class")),
            Column::text(say!(cx.m, "col-account")),
            Column::number(say!(cx.m, "col-calls"), ""),
            Column::number(say!(cx.m, "col-share"), "%"),
        ],
        rows: sorted.into_iter().map(row).collect(),
        notes: vec![say!(cx.m, "note-classes")],
    }
}

fn side(outcome: Outcome) -> &'static str {
    match outcome.side() {
        terms::Side::Target => "target",
        terms::Side::Study => "study",
        terms::Side::Generator => "generator",
        terms::Side::Stop => "stop",
    }
}

/// Samples of failures as they were seen on the wire. They are the target's own words, printed as text.
fn samples(cx: &Context<'_>, scenario: &ScenarioContext<'_>, name: &str) -> Table {
    let is_here = |step: u32| scenario.steps.iter().any(|(view, _)| view.number == step);
    // What looked the same stands once, where it was first seen.
    let mut known = BTreeSet::new();
    let mut shown: Vec<&record::NoteRow> = Vec::new();
    for note in cx.input.views.notes.iter().filter(|note| is_here(note.step)) {
        if shown.len() < SAMPLES && known.insert((note.exchange, note.outcome as usize, note.text.as_str())) {
            shown.push(note);
        }
    }
    let row = |note: &record::NoteRow| {
        let exchange = cx.input.head.exchanges.get(usize::from(note.exchange)).map_or("", |known| known.name.as_str());
        Row::new(vec![
            charts::moment(scenario.since(note.at)),
            Cell::code(exchange),
            Cell::text(say!(cx.m, "class-word", class = note.outcome.name())),
            Cell { text: bounded(&note.text, SAMPLE_CHARS), kind: crate::document::CellKind::Code, ..Cell::default() },
        ])
    };
    Table {
        name: name.to_owned(),
        caption: say!(cx.m, "table-samples", scenario = scenario.name),
        columns: vec![
            Column::number(say!(cx.m, "col-time-in-scenario"), ""),
            Column::text(say!(cx.m, "col-exchange")),
            Column::text(say!(cx.m, "col-class")),
            Column::text(say!(cx.m, "col-sample")),
        ],
        rows: shown.into_iter().map(row).collect(),
        notes: vec![say!(cx.m, "note-samples", most = SAMPLES)],
    }
}

/// Whether a report tells of a finding: one of everything does; any other has what affects how its figures are read, and
/// nothing that is only good to know.
pub(super) fn is_told(cx: &Context<'_>, finding: &Finding) -> bool {
    // An attempt beyond the limit shows what any system shows there.
    let asides = judge::searches::asides(&cx.input.judgement.searches);
    let is_aside = finding.scope.scenario().is_some_and(|scenario| asides.contains(scenario));
    (finding.severity > Gravity::Info && !is_aside) || cx.profile.name == "full"
}

fn findings(cx: &Context<'_>, scenario: &ScenarioContext<'_>, anchor: &str) -> Section {
    let mut part = Section::new(format!("{anchor}-findings"), say!(cx.m, "findings-title"));
    let all = &cx.input.judgement.findings;
    let is_shown = |finding: &&Finding| is_told(cx, finding) && is_in_scenario(&finding.scope, scenario.name);
    let here = all.iter().filter(is_shown);
    // What one rule found in many places is one card with the others' places.
    for found in summary::by_rule(here) {
        match found.len() {
            0..SAME_RULE => part.blocks.extend(found.iter().map(|finding| summary::card(cx, finding))),
            _ => part.add(summary::key_finding(cx, &found)),
        }
    }
    if part.blocks.is_empty() {
        part.say(say!(cx.m, "findings-none"));
    }
    part
}
