//! Load: what was planned, what was achieved, and where every planned iteration went.

use crate::charts;
use crate::document::{Block, Cell, CellKind, Column, NoteKind, Row, Section, Table};
use crate::input::{Context, ScenarioContext};
use crate::messages::say;
use judge::{Arg, StepResult, WireValidity};
use record::{Messages, ScenarioHead, StepHead};
use terms::{Books, Validity};

pub(crate) fn load(cx: &Context<'_>) -> Section {
    let mut section = Section::new("load", say!(cx.m, "load-title"));
    section.say(say!(cx.m, "load-intro"));
    section.blocks.extend(super::runs::table(cx).map(Block::Table));
    let scenarios = cx.scenarios();
    if scenarios.is_empty() {
        section.add(Block::Note { kind: NoteKind::Missing, text: say!(cx.m, "load-nothing") });
    }
    for scenario in &scenarios {
        section.parts.push(part(cx, scenario));
    }
    for (number, planned) in cx.input.head.scenarios.iter().enumerate() {
        if scenarios.iter().all(|scenario| usize::from(scenario.index) != number) {
            let text = say!(cx.m, "load-not-run", scenario = &planned.name);
            section.add(Block::Note { kind: NoteKind::Missing, text });
        }
    }
    if let Some(table) = assumptions(cx).filter(|_| !cx.chosen("exchanges", "assumptions")) {
        section.add(Block::Table(table));
    }
    section
}

/// A scenario's name for a heading: the usual ones in the report's language, any other as the study has it. Rows and
/// figures keep the name of the study, so that each can be found in it.
pub(super) fn scenario_title(cx: &Context<'_>, name: &str) -> String {
    let (plain, again) = name.find('#').map_or((name, ""), |at| name.split_at(at));
    let word = say!(cx.m, "scenario-word", scenario = plain);
    crate::number::clean(&format!("{word}{again}"))
}

fn part(cx: &Context<'_>, scenario: &ScenarioContext<'_>) -> Section {
    let slug = crate::document::slug(scenario.name);
    let mut part = Section::new(format!("load-{}-{slug}", scenario.number), scenario.name);
    let title = scenario_title(cx, scenario.name);
    part.title = match crate::number::clean(scenario.name) {
        name if name == title => name,
        name => say!(cx.m, "load-scenario-title", title = &title, scenario = &name),
    };
    part.say(model(cx, scenario));
    // A profile whose results show the generated load has there what was planned beside what became of it.
    if cx.chosen("results", "system") {
        let name = format!("load-{}-{slug}-planned", scenario.number);
        part.add(Block::folded(Block::Table(planned(cx, scenario, &name))));
    } else {
        part.blocks.extend(achieved(cx, scenario));
    }
    part.blocks.extend(super::stops::stops(cx, scenario, &format!("load-{}-{slug}-stops", scenario.number)));
    part
}

/// What was planned and what was achieved: steps, the course over time, and the books.
pub(super) fn achieved(cx: &Context<'_>, scenario: &ScenarioContext<'_>) -> Vec<Block> {
    let slug = crate::document::slug(scenario.name);
    let mut blocks = vec![Block::Table(steps(cx, scenario, &format!("load-{}-{slug}-steps", scenario.number)))];
    blocks.extend(charts::plan(cx, scenario, &format!("fig-plan-{}", scenario.number)).map(Block::Figure));
    blocks.push(Block::Table(books(cx, scenario, &format!("load-{}-{slug}-books", scenario.number))));
    blocks
}

/// Steps and phases as planned.
fn planned(cx: &Context<'_>, scenario: &ScenarioContext<'_>, name: &str) -> Table {
    let row = |(view, _): &(&judge::views::StepView, Option<&StepResult>)| {
        let head = cx.input.head.steps.get(view.number as usize);
        let number = |value: Option<f64>| {
            value.map_or_else(Cell::missing, |value| Cell::number(cx.m.numbers.count(value), value))
        };
        let length = head.and_then(|head| head.seconds);
        Row::new(vec![
            step_cell(cx, view),
            length.map_or_else(Cell::missing, |length| Cell::number(charts::moment(length).text, length)),
            if view.phase.has_load() { planned_rate(cx, head) } else { Cell::text("") },
            if view.phase.has_load() {
                number(head.and_then(|head| head.iterations).map(|count| count as f64))
            } else {
                Cell::text("")
            },
        ])
    };
    Table {
        name: name.to_owned(),
        caption: say!(cx.m, "table-planned", scenario = scenario.name),
        columns: vec![
            Column::text(say!(cx.m, "col-step")),
            Column::number(say!(cx.m, "col-length"), "min:s"),
            Column::number(say!(cx.m, "col-offered"), "/s"),
            Column::number(say!(cx.m, "col-iterations"), ""),
        ],
        rows: scenario.steps.iter().map(row).collect(),
        notes: vec![say!(cx.m, "note-planned")],
    }
}

/// The workload model in words; in a mix that of each part.
fn model(cx: &Context<'_>, scenario: &ScenarioContext<'_>) -> String {
    let Some(head) = cx.input.head.scenarios.get(usize::from(scenario.index)) else {
        return say!(cx.m, "model-unknown");
    };
    if head.parts.is_empty() {
        return load_in_words(cx, scenario, head, scenario.is_closed);
    }
    let of_part = |part: &ScenarioHead| {
        let words = load_in_words(cx, scenario, part, part.model == "closed");
        format!("{}: {words}", crate::number::clean(&part.name))
    };
    head.parts.iter().map(of_part).collect::<Vec<_>>().join(" ")
}

fn load_in_words(cx: &Context<'_>, scenario: &ScenarioContext<'_>, head: &ScenarioHead, is_closed: bool) -> String {
    let mut text = if is_closed {
        let users = head.users.or_else(|| scenario.holds().find_map(|(step, _)| step.users)).unwrap_or(0);
        let held: std::collections::BTreeSet<u32> = scenario.holds().filter_map(|(step, _)| step.users).collect();
        if head.parts.is_empty() && held.len() > 1 {
            say!(cx.m, "model-closed-stages", users = u64::from(users))
        } else {
            say!(cx.m, "model-closed", users = u64::from(users))
        }
    } else if let Some(connections) = head.connections {
        let connections = u64::from(connections);
        match head.every_s {
            Some(every) => {
                let every = Arg::Seconds(every).given();
                match head.messages {
                    Messages::Sent => say!(cx.m, "model-held", connections = connections, every = every),
                    Messages::Owed => say!(cx.m, "model-held-owed", connections = connections, every = every),
                    Messages::Published => say!(cx.m, "model-fan-out", subscribers = connections, every = every),
                }
            }
            None => say!(cx.m, "model-held-listening", connections = connections),
        }
    } else {
        say!(cx.m, "model-open", spacing = &head.spacing)
    };
    let mut add = |sentence: String| {
        text.push(' ');
        text.push_str(&sentence);
    };
    for streams in cx.input.head.streams.iter().filter(|streams| streams.scenario == scenario.index) {
        let part = streams
            .part
            .and_then(|part| cx.input.head.scenarios.get(usize::from(scenario.index))?.parts.get(usize::from(part)));
        if part.is_none_or(|part| part.name == head.name) {
            let set = crate::number::clean(&streams.set);
            add(say!(cx.m, "model-streams", streams = streams.labels.len(), set = &set));
        }
    }
    let think = Arg::Seconds(head.think_s).given();
    if head.think_s > 0.0 && head.think_sd_s > 0.0 {
        add(say!(cx.m, "model-think-mean", think = think));
    } else if head.think_s > 0.0 {
        add(say!(cx.m, "model-think", think = think));
    }
    if head.think_more_s > 0.0 {
        add(say!(cx.m, "model-think-more", more = Arg::Seconds(head.think_more_s).given()));
    }
    if let Some(pacing) = head.pacing_s {
        add(say!(cx.m, "model-pacing", pacing = Arg::Seconds(pacing).given()));
    }
    let at_once = head.parallel.iter().map(|made| made.at_once).max().unwrap_or(1);
    if at_once > 1 {
        add(say!(cx.m, "model-parallel", most = u64::from(at_once)));
    }
    if let Some(bound) = head.max_in_flight {
        add(say!(cx.m, "model-bound", bound = u64::from(bound) * u64::from(at_once)));
    }
    text
}

fn rate(cx: &Context<'_>, value: f64) -> Cell {
    Cell::number(cx.m.numbers.value(value), value)
}

fn planned_rate(cx: &Context<'_>, head: Option<&StepHead>) -> Cell {
    let Some(head) = head else { return Cell::missing() };
    match (head.offered_from, head.offered_to) {
        (Some(from), Some(to)) if (from - to).abs() > 1e-9 * to.abs().max(1.0) => {
            Cell::text(format!("{} → {}", cx.m.numbers.value(from), cx.m.numbers.value(to)))
        }
        (Some(rate), _) => Cell::number(cx.m.numbers.value(rate), rate),
        _ => Cell::missing(),
    }
}

/// Steps and phases: planned against achieved.
fn steps(cx: &Context<'_>, scenario: &ScenarioContext<'_>, name: &str) -> Table {
    let row = |(view, result): &(&judge::views::StepView, Option<&StepResult>)| {
        let head = cx.input.head.steps.get(view.number as usize);
        let length = (view.to - view.from).as_secs_f64();
        let users = view
            .users
            .map_or_else(Cell::missing, |users| Cell::number(cx.m.numbers.count(f64::from(users)), f64::from(users)));
        let rated = result.filter(|result| result.has_rates());
        let figure = |pick: fn(&StepResult) -> f64| rated.map_or_else(Cell::missing, |result| rate(cx, pick(result)));
        let is_loaded = view.phase.has_load();
        let of_load = |cell: Cell| if is_loaded { cell } else { Cell::text("") };
        Row::new(vec![
            step_cell(cx, view),
            charts::moment(scenario.since(view.from)),
            Cell::number(charts::moment(length).text, length).with_detail(planned_length(cx, head, length)),
            users,
            if view.is_closed { Cell::text("") } else { of_load(planned_rate(cx, head)) },
            of_load(figure(|result| result.achieved_per_s)),
            of_load(figure(|result| result.throughput_per_s)),
            validity_cell(cx, result.and_then(|result| result.validity).filter(|_| is_loaded)),
        ])
    };
    Table {
        name: name.to_owned(),
        caption: say!(cx.m, "table-steps", scenario = scenario.name),
        columns: vec![
            Column::text(say!(cx.m, "col-step")),
            Column::number(say!(cx.m, "col-from"), "min:s"),
            Column::number(say!(cx.m, "col-length"), "min:s"),
            Column::number(say!(cx.m, "col-users"), ""),
            Column::number(say!(cx.m, "col-offered"), "/s"),
            Column::number(say!(cx.m, "col-achieved"), "/s"),
            Column::number(say!(cx.m, "col-throughput"), "/s"),
            Column::text(say!(cx.m, "col-validity")),
        ],
        rows: scenario.steps.iter().map(row).collect(),
        notes: vec![say!(cx.m, "note-steps")],
    }
}

/// A step's name, with its part of a mix.
pub(super) fn step_cell(cx: &Context<'_>, view: &judge::views::StepView) -> Cell {
    let part = view.part.as_deref().map_or_else(String::new, crate::number::clean);
    Cell::text(charts::phase_name(cx, view.phase, &view.id)).with_detail(part)
}

/// Says when a step was cut short or ran over: nothing when it was as long as planned.
fn planned_length(cx: &Context<'_>, head: Option<&StepHead>, length: f64) -> String {
    match head.and_then(|head| head.seconds) {
        Some(planned) if !judge::assess::is_as_planned(planned, length) => {
            say!(cx.m, "planned-length", planned = &charts::moment(planned).text)
        }
        _ => String::new(),
    }
}

pub(super) fn validity_cell(cx: &Context<'_>, validity: Option<Validity>) -> Cell {
    let Some(validity) = validity else { return Cell::text("") };
    let state = match validity {
        Validity::Valid => WireValidity::Valid,
        Validity::Questionable => WireValidity::Questionable,
        Validity::Invalid => WireValidity::Invalid,
    };
    let text = say!(cx.m, "validity-word", validity = validity.name());
    Cell { text, kind: CellKind::Validity(state), ..Cell::default() }
}

/// Books of iterations: intended = started + dropped, started = completed + failed + aborted + open.
fn books(cx: &Context<'_>, scenario: &ScenarioContext<'_>, name: &str) -> Table {
    let cells = |books: &Books| {
        let columns =
            [books.intended, books.started, books.dropped, books.completed, books.failed, books.aborted, books.open()];
        columns.map(|count| Cell::number(cx.m.numbers.count(count as f64), count as f64))
    };
    let mut total = Books::default();
    let mut rows = Vec::new();
    let mut is_balanced = true;
    for (view, _) in scenario.steps.iter().filter(|(view, _)| view.books != Books::default()) {
        let mut row = vec![step_cell(cx, view)];
        row.extend(cells(&view.books));
        rows.push(Row::new(row));
        total += view.books;
        is_balanced &= view.books.balances();
    }
    let mut last = vec![Cell::text(say!(cx.m, "all-steps"))];
    last.extend(cells(&total));
    rows.push(Row { cells: last, x: None, is_strong: true });
    let names = ["intended", "started", "dropped", "completed", "failed", "aborted", "open"];
    let mut columns = vec![Column::text(say!(cx.m, "col-step"))];
    columns.extend(names.map(|name| Column::count_of(&say!(cx.m, "book-word", book = name))));
    let note = if is_balanced { "note-books" } else { "note-books-unbalanced" };
    Table {
        name: name.to_owned(),
        caption: say!(cx.m, "table-books", scenario = scenario.name),
        columns,
        rows,
        notes: vec![say!(cx.m, note)],
    }
}

/// Assumptions of the load profile.
pub(super) fn assumptions(cx: &Context<'_>) -> Option<Table> {
    let study = cx.input.study?;
    let assumed: Vec<_> = study.variables.iter().filter(|variable| variable.is_assumption).collect();
    if assumed.is_empty() {
        return None;
    }
    let row = |variable: &&study::Variable| {
        let about = variable.about.as_ref().map_or("", |about| about.in_language(cx.m.language));
        let used = if variable.is_used { "used-yes" } else { "used-no" };
        Row::new(vec![
            Cell::code(&variable.name),
            Cell::code(&variable.value),
            Cell::text(crate::number::clean(about)),
            Cell::text(say!(cx.m, used)),
        ])
    };
    Some(Table {
        name: "assumptions".to_owned(),
        caption: say!(cx.m, "table-assumptions"),
        columns: vec![
            Column::text(say!(cx.m, "col-name")),
            Column::text(say!(cx.m, "col-value")),
            Column::text(say!(cx.m, "col-meaning")),
            Column::text(say!(cx.m, "col-used-in-load")),
        ],
        rows: assumed.iter().map(row).collect(),
        notes: Vec::new(),
    })
}
