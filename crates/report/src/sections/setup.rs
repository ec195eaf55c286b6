//! Test set-up: what stood where, which nodes drove the load, how it differs from production, on which data.

use super::stored;
use crate::document::{Block, Cell, Column, NoteKind, Row, Section, Table};
use crate::input::Context;
use crate::messages::say;
use crate::number::{bounded, clean, ended};
use contract::FactRole;
use record::STATED;

/// Facts of the machine that stand here; all are in the appendix on the environment.
const FACTS_MAX: usize = 16;

/// Sentences about what was foreseen; all are in the run's head.
const FORESEEN_MAX: usize = 16;

/// What monitors of machines watch, in the run folder.
const MACHINE: &str = contract::Watches::Machine.name();

/// Subject, name and value of what was captured.
type Fact = (String, String, String);

pub(crate) fn setup(cx: &Context<'_>) -> Section {
    let mut section = Section::new("setup", say!(cx.m, "setup-title"));
    section.parts = vec![system(cx)];
    section.parts.extend(nodes_part(cx));
    section.parts.extend(foreseen(cx));
    section.parts.push(hardware(cx));
    section.parts.extend(software(cx));
    section.parts.extend([differs(cx), data(cx)]);
    section.parts.extend(stored::stored(cx));
    section
}

fn system(cx: &Context<'_>) -> Section {
    let mut part = Section::new("setup-system", say!(cx.m, "setup-system"));
    let head = cx.input.head;
    if let Some(about) = cx.input.study.and_then(|study| study.system.about.as_ref()) {
        part.say(ended(&bounded(about.in_language(cx.m.language), 2000)));
    }
    if head.instances.is_empty() {
        part.add(Block::Note { kind: NoteKind::Missing, text: say!(cx.m, "environment-no-instances") });
    } else {
        let names: Vec<String> = head.instances.iter().map(|instance| clean(&instance.name)).collect();
        part.say(say!(cx.m, "setup-instances", instances = names.len(), names = &names.join(", ")));
    }
    let machine = if head.shares_machine { "setup-generator-shared" } else { "setup-generator-apart" };
    match &head.imported {
        Some(imported) => part.say(say!(cx.m, "imported-intro", tool = &clean(&imported.tool))),
        None => part.say(cx.m.text(machine, &[("threads", u64::from(head.workers).into())])),
    }
    let monitors: Vec<String> = head.monitors.iter().map(|monitor| clean(&monitor.name)).collect();
    if monitors.is_empty() {
        part.add(Block::Note { kind: NoteKind::Missing, text: say!(cx.m, "system-nothing") });
    } else {
        part.say(say!(cx.m, "setup-watched", names = &monitors.join(", ")));
    }
    // Where nothing else of the report shows it.
    if !cx.has_block("system") {
        part.blocks.extend(crate::charts::topology(cx, "fig-topology").map(Block::Figure));
    }
    part
}

/// The processes that drove the load, where there were several.
fn nodes_part(cx: &Context<'_>) -> Option<Section> {
    let mut part = Section::new("setup-nodes", say!(cx.m, "setup-nodes"));
    part.add(Block::Table(nodes(cx)?));
    Some(part)
}

/// What was told before the load of what may disturb it, such as a node that may be too slow; `None` where nothing was.
fn foreseen(cx: &Context<'_>) -> Option<Section> {
    let facts = cx.input.head.facts.iter();
    let mut all = facts.filter(|(subject, name, _)| subject == "generator" && name == "foreseen");
    let mut points: Vec<String> = all.by_ref().take(FORESEEN_MAX).map(|(.., text)| bounded(text, 1000)).collect();
    if points.is_empty() {
        return None;
    }
    let left = all.count();
    if left > 0 {
        points.push(say!(cx.m, "setup-foreseen-more", left = left));
    }
    let mut part = Section::new("setup-foreseen", say!(cx.m, "setup-foreseen"));
    part.say(say!(cx.m, "setup-foreseen-intro"));
    part.add(Block::Points(points));
    Some(part)
}

/// The processes that drove the load; `None` where it was the one that conducted the run.
fn nodes(cx: &Context<'_>) -> Option<Table> {
    let nodes = &cx.input.head.nodes;
    let were_tried = nodes.iter().any(|node| node.tried.is_some());
    let row = |node: &record::NodeHead| {
        let time = |ns: i64| {
            let seconds = ns as f64 / 1e9;
            Cell::number(cx.m.numbers.arg(&judge::Arg::Seconds(seconds)), seconds)
        };
        let mut cells = vec![
            Cell::code(&node.name),
            Cell::code(clean(&node.host)),
            Cell::number(node.cores.to_string(), f64::from(node.cores)),
            Cell::number(node.threads.to_string(), f64::from(node.threads)),
            Cell::code(clean(&node.version)),
            time(node.clock_error_ns),
        ];
        if were_tried {
            let in_time = node.tried.map(|tried| tried.in_time_per_s.unwrap_or_default());
            let rate = |per_s: f64| Cell::number(cx.m.numbers.arg(&judge::Arg::PerSecond(per_s)), per_s);
            cells.push(in_time.map_or_else(Cell::missing, rate));
        }
        Row::new(cells)
    };
    let number = |name: &str| Column::number(cx.m.text(name, &[]), "");
    let mut columns = vec![
        Column::text(say!(cx.m, "col-load-node")),
        Column::text(say!(cx.m, "col-machine")),
        number("col-node-cores"),
        number("col-node-threads"),
        Column::text(say!(cx.m, "col-node-version")),
        number("col-node-clock"),
    ];
    let mut notes = vec![say!(cx.m, "note-nodes")];
    if were_tried {
        columns.push(number("col-node-tried"));
        notes.push(say!(cx.m, "note-nodes-tried"));
    }
    (!nodes.is_empty()).then(|| Table {
        name: "nodes".to_owned(),
        caption: say!(cx.m, "table-nodes"),
        columns,
        rows: nodes.iter().map(row).collect(),
        notes,
    })
}

/// The machine as monitors captured it: the only source of these values, wherever the report names them.
fn hardware(cx: &Context<'_>) -> Section {
    let mut part = Section::new("setup-hardware", say!(cx.m, "setup-hardware"));
    let head = cx.input.head;
    // What monitors captured of the machine itself; instances have their rows in the next table, and how a monitor or
    // the generator works stands in the appendix.
    let is_own = |subject: &str| head.monitors.iter().any(|it| it.name == subject && it.watches != MACHINE);
    let is_machine = |subject: &str| {
        subject != STATED
            && !is_own(subject)
            && !head.facts_of(FactRole::Server).any(|(known, ..)| known == subject)
            && head.instances.iter().all(|instance| !subject.starts_with(&instance.name))
            && head.exchanges.iter().all(|exchange| exchange.name != subject)
    };
    let is_shown = |(subject, name, _): &&(String, String, String)| {
        is_machine(subject) && head.fact_role(subject, name) != Some(FactRole::Passing)
    };
    let facts: Vec<_> = head.facts.iter().filter(is_shown).take(FACTS_MAX).collect();
    if facts.is_empty() {
        part.add(Block::Note { kind: NoteKind::Missing, text: say!(cx.m, "environment-no-facts") });
        return part;
    }
    let row = |(subject, name, value): &&(String, String, String)| {
        let value = Cell::code(cx.fact_value(subject, name, value));
        Row::new(vec![Cell::code(subject), Cell::text(cx.fact_word(subject, name)), value])
    };
    part.add(Block::Table(Table {
        name: "machine".to_owned(),
        caption: say!(cx.m, "table-machine"),
        columns: vec![
            Column::text(say!(cx.m, "col-subject")),
            Column::text(say!(cx.m, "col-property")),
            Column::text(say!(cx.m, "col-value")),
        ],
        rows: facts.iter().map(row).collect(),
        notes: vec![say!(cx.m, "note-machine")],
    }));
    part
}

/// Components with their versions and memory, as their own processes said; `None` where no process was started or asked.
fn software(cx: &Context<'_>) -> Option<Section> {
    let head = cx.input.head;
    let fact = |subject: &str, roles: &[FactRole]| {
        let of = |role: &FactRole| head.facts_of(*role).find(|(known, ..)| known == subject);
        roles.iter().find_map(of)
    };
    let shown = |fact: Option<&Fact>| fact.map_or_else(Cell::missing, |fact| Cell::code(in_bytes(cx, fact)));
    let instance = |instance: &record::InstanceHead| {
        let runtime = fact(&instance.name, &[FactRole::Runtime]);
        let version = match instance.identity.get("version") {
            Some(version) => Cell::code(version).with_detail(clean(runtime.map_or("", |(.., value)| value))),
            None => shown(runtime),
        };
        let memory = fact(&instance.name, &[FactRole::OwnMemory, FactRole::MemoryLimit]);
        Row::new(vec![Cell::code(&instance.name), version, shown(memory)])
    };
    let mut rows: Vec<Row> = head.instances.iter().map(instance).collect();
    // Servers that a monitor asked for themselves, such as a database.
    let is_instance = |subject: &str| head.instances.iter().any(|instance| instance.name == subject);
    let servers = head.facts_of(FactRole::Server).filter(|(subject, ..)| !is_instance(subject));
    rows.extend(servers.map(|(subject, _, value)| {
        let memory = fact(subject, &[FactRole::OwnMemory]);
        Row::new(vec![Cell::code(subject), Cell::code(value), shown(memory)])
    }));
    if rows.is_empty() {
        return None;
    }
    let mut part = Section::new("setup-software", say!(cx.m, "setup-software"));
    part.add(Block::Table(Table {
        name: "software".to_owned(),
        caption: say!(cx.m, "table-software"),
        columns: vec![
            Column::text(say!(cx.m, "col-component")),
            Column::text(say!(cx.m, "col-version")),
            Column::text(say!(cx.m, "col-memory")),
        ],
        rows,
        notes: vec![say!(cx.m, "note-software")],
    }));
    Some(part)
}

/// A value that is a count of bytes, as a size that can be read; anything else as it was captured.
pub(super) fn in_bytes(cx: &Context<'_>, (subject, name, value): &Fact) -> String {
    let bytes = value.split_once(" bytes").map_or(value.as_str(), |(number, _)| number);
    match bytes.trim().parse::<f64>() {
        Ok(bytes) if value.contains(" bytes") || bytes >= 1e6 => cx.m.numbers.bytes(bytes),
        _ => cx.fact_value(subject, name, value),
    }
}

fn differs(cx: &Context<'_>) -> Section {
    let mut part = Section::new("setup-differs", say!(cx.m, "setup-differs"));
    let texts = cx.input.study.map(|study| study.system.differs.as_slice()).unwrap_or_default();
    if texts.is_empty() {
        part.add(Block::Note { kind: NoteKind::Missing, text: say!(cx.m, "setup-no-differs") });
    } else {
        part.add(Block::Points(texts.iter().map(|text| clean(text.in_language(cx.m.language))).collect()));
    }
    part
}

fn data(cx: &Context<'_>) -> Section {
    let mut part = Section::new("setup-data", say!(cx.m, "setup-data"));
    let data = &cx.input.head.data;
    if data.is_empty() {
        part.say(say!(cx.m, "inventory-no-data"));
    } else {
        let point = |set: &record::DataHead| say!(cx.m, "setup-data-set", name = &clean(&set.name), rows = set.rows);
        part.add(Block::Points(data.iter().map(point).collect()));
    }
    part
}
