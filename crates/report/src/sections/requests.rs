//! What was asked of the system: each exchange as the study has it, and its share of the work.

use crate::document::{Block, Cell, Column, NoteKind, Row, Section, Table};
use crate::input::Context;
use crate::messages::say;
use crate::number::{bounded, clean};
use crate::requests::{Request, requests, written};
use judge::Arg;
use study::{Item, IterationWork, Study, all_items};

/// Longest setting that is printed whole.
const SETTING_CHARS: usize = 160;
/// Settings of an exchange that are printed.
const SETTINGS: usize = 6;

pub(crate) fn section(cx: &Context<'_>) -> Section {
    let mut section = Section::new("requests", say!(cx.m, "requests-title"));
    match cx.input.study {
        Some(study) if !study.exchanges.is_empty() => {
            let all = requests(study, &cx.input.judgement.steps);
            section.add(Block::Table(table(cx, study, &all)));
            section.blocks.extend(transactions(cx, study).map(Block::Table));
        }
        _ => section.add(Block::Note { kind: NoteKind::Missing, text: say!(cx.m, "requests-none") }),
    }
    section
}

/// How many calls of an iteration may be in hand at a time where an exchange is one of them; `None` where it is alone.
fn at_once(study: &Study, exchange: &str) -> Option<u32> {
    let parts = study.scenarios.iter().flat_map(|scenario| &scenario.parts);
    let made = parts.flat_map(|part| study::parallels_of(&part.run)).map(|(_, made)| made);
    let name = |number: &u16| study.exchanges.get(usize::from(*number)).map(|exchange| exchange.name.as_str());
    let beside = made.filter(|made| made.at_once > 1 && made.calls.iter().any(|call| name(call) == Some(exchange)));
    beside.map(|made| made.at_once).max()
}

fn table(cx: &Context<'_>, study: &Study, all: &[Request<'_>]) -> Table {
    let row = |request: &Request<'_>| {
        let mut settings = request.settings.iter().map(|(key, value)| {
            let value = bounded(&clean(value), SETTING_CHARS);
            if key.is_empty() { value } else { format!("{}: {value}", clean(key)) }
        });
        let first = settings.next().unwrap_or_default();
        let rest: Vec<String> = settings.by_ref().take(SETTINGS).collect();
        let checks: Vec<String> = request.checks.iter().map(|check| clean(check)).collect();
        let checks = if checks.is_empty() {
            let is_ours = cx.input.head.imported.is_none();
            Cell::text(if is_ours { say!(cx.m, "requests-no-checks") } else { say!(cx.m, "imported-right") })
        } else {
            Cell::code(checks.join("; "))
        };
        let share = request.share.map_or_else(
            || Cell::text(say!(cx.m, "requests-outside")),
            |share| Cell::number(cx.m.numbers.percentage(share), share * 100.0),
        );
        let at_once = at_once(study, request.name).map(|most| say!(cx.m, "requests-at-once", most = u64::from(most)));
        let detail: Vec<String> = std::iter::once(request.operation.clone()).chain(at_once).collect();
        Row::new(vec![
            Cell::code(request.name).with_detail(detail.join("; ")),
            Cell::code(first).with_detail(rest.join("; ")),
            checks,
            Cell::number(cx.m.numbers.given_seconds(request.timeout_s), request.timeout_s),
            share,
        ])
    };
    Table {
        name: "requests".to_owned(),
        caption: say!(cx.m, "table-requests"),
        columns: vec![
            Column::text(say!(cx.m, "col-exchange")),
            Column::text(say!(cx.m, "col-sent")),
            Column::text(say!(cx.m, "col-right-if")),
            Column::number(say!(cx.m, "col-timeout"), ""),
            Column::number(say!(cx.m, "col-share-of-work"), "%"),
        ],
        rows: all.iter().map(row).collect(),
        notes: notes(cx),
    }
}

/// What each transaction consists of, as the study writes it; `None` where there is none.
fn transactions(cx: &Context<'_>, study: &Study) -> Option<Table> {
    let mut rows: Vec<(String, String, Vec<String>)> = Vec::new();
    for scenario in &study.scenarios {
        for part in &scenario.parts {
            let place = clean(if part.name.is_empty() { &scenario.name } else { &part.name });
            for item in all_items(&part.run) {
                let Item::Transaction(number, inner) = item else { continue };
                let name = usize::from(*number).checked_sub(study.exchanges.len());
                let name = clean(name.and_then(|place| study.transactions.get(place)).map_or("", String::as_str));
                let made = bounded(&clean(&written(&study::run_node(study, inner))), SETTING_CHARS);
                match rows.iter_mut().find(|(known, known_made, _)| *known == name && *known_made == made) {
                    Some((.., places)) if places.contains(&place) => {}
                    Some((.., places)) => places.push(place.clone()),
                    None => rows.push((name, made, vec![place.clone()])),
                }
            }
        }
    }
    let row = |(name, made, places): (String, String, Vec<String>)| {
        Row::new(vec![Cell::code(name), Cell::code(made), Cell::text(places.join(", "))])
    };
    (!rows.is_empty()).then(|| Table {
        name: "transactions".to_owned(),
        caption: say!(cx.m, "table-transactions-made"),
        columns: vec![
            Column::text(say!(cx.m, "col-transaction")),
            Column::text(say!(cx.m, "col-made-of")),
            Column::text(say!(cx.m, "col-scenario")),
        ],
        rows: rows.into_iter().map(row).collect(),
        notes: vec![say!(cx.m, "note-transactions")],
    })
}

/// How to read the table, and how long users think.
fn notes(cx: &Context<'_>) -> Vec<String> {
    let mut notes = vec![say!(cx.m, "note-requests")];
    let Some(study) = cx.input.study else { return notes };
    for scenario in &study.scenarios {
        for part in &scenario.parts {
            let name = clean(if part.name.is_empty() { &scenario.name } else { &part.name });
            let work = IterationWork::of(&part.run, study.exchanges.len());
            let (think, more) = (Arg::Seconds(work.think_s).given(), Arg::Seconds(work.think_more_s).given());
            if work.think_s > 0.0 && work.think_variance > 0.0 {
                notes.push(say!(cx.m, "note-requests-think-mean", name = &name, think = think));
            } else if work.think_s > 0.0 {
                notes.push(say!(cx.m, "note-requests-think", name = &name, think = think));
            }
            if work.think_more_s > 0.0 {
                notes.push(say!(cx.m, "note-requests-think-more", name = &name, more = more));
            }
        }
    }
    notes
}
