//! Where an imported run comes from: its files, what could not be read of them, and what the tool prints of the same calls.

use crate::document::{Block, Cell, Column, Row, Section, Table};
use crate::input::Context;
use crate::messages::say;
use crate::number::clean;
use judge::Arg;
use record::{ImportHead, ImportedFile, Placed, ToldFigure};

/// What the files cannot tell, as far as there are words for it; a later version may know more.
const UNKNOWN: [&str; 9] =
    ["intended_starts", "generator", "identity", "timeouts", "users", "times", "moments", "failures", "outside"];
/// Figures besides percentiles; those that are times.
const TIMES: [&str; 3] = ["mean", "min", "max"];
/// And all of them, with counts.
const FIGURES: [&str; 5] = ["mean", "min", "max", "calls", "failed"];

/// The kind of what holds other files.
const ARCHIVE: &str = "archive";

/// The part; `None` of a run of our own.
pub(super) fn imported(cx: &Context<'_>) -> Option<Section> {
    let head = cx.input.head.imported.as_ref()?;
    let tool = clean(&head.tool);
    let mut part = Section::new("imported", say!(cx.m, "imported-title"));
    part.say(say!(cx.m, "imported-intro", tool = &tool));
    part.add(Block::raw(files(cx, head)));
    let remarks: Vec<String> = head
        .files
        .iter()
        .flat_map(|file| file.remarks.iter().map(|remark| format!("{}: {}", clean(&file.name), clean(remark))))
        .collect();
    if !remarks.is_empty() {
        part.say(say!(cx.m, "imported-remarks"));
        part.add(Block::Points(remarks));
    }
    if head.files.iter().any(|file| !file.examples.is_empty()) {
        part.add(Block::Table(lines(cx, head)));
    }
    if !head.said.is_empty() {
        part.add(Block::Table(said(cx, head, &tool)));
    }
    let known = head.unknown.iter().filter(|what| UNKNOWN.contains(&what.as_str()));
    let unknown: Vec<String> = known.map(|what| say!(cx.m, "imported-unknown", what = what)).collect();
    if !unknown.is_empty() {
        part.say(say!(cx.m, "imported-cannot"));
        part.add(Block::Points(unknown));
    }
    Some(part)
}

fn count(cx: &Context<'_>, value: u64) -> Cell {
    Cell::number(cx.m.numbers.count(value as f64), value as f64)
}

fn files(cx: &Context<'_>, head: &ImportHead) -> Table {
    let row = |file: &ImportedFile| {
        let placed = match file.placed {
            Placed::Clock => "clock",
            Placed::StartAndInterval => "start_and_interval",
            Placed::Fitted => "fitted",
            Placed::WholeRun => "whole_run",
        };
        Row::new(vec![
            Cell::code(clean(&file.name)),
            Cell::code(clean(&file.kind)),
            count(cx, file.read),
            count(cx, file.nested),
            count(cx, file.unreadable),
            Cell::text(if file.kind == ARCHIVE {
                // Its files have times; it has none.
                "–".to_owned()
            } else if file.left_out.is_empty() {
                say!(cx.m, "imported-placed", placed = placed)
            } else {
                say!(cx.m, "imported-left-out", why = &clean(&file.left_out))
            }),
            Cell::code(clean(&file.sha256)),
        ])
    };
    let number = |key: &str| Column::number(cx.m.text(key, &[]), "");
    Table {
        name: "imported-files".to_owned(),
        caption: say!(cx.m, "table-imported-files"),
        columns: vec![
            Column::text(say!(cx.m, "col-file")),
            Column::text(say!(cx.m, "col-imported-kind")),
            number("col-imported-read"),
            number("col-imported-nested"),
            number("col-imported-unreadable"),
            Column::text(say!(cx.m, "col-imported-times")),
            Column::text(say!(cx.m, "col-imported-sha")),
        ],
        rows: head.files.iter().map(row).collect(),
        notes: Vec::new(),
    }
}

fn lines(cx: &Context<'_>, head: &ImportHead) -> Table {
    let all = head.files.iter().flat_map(|file| file.examples.iter().map(move |line| (file, line)));
    let rows = all.map(|(file, line)| {
        Row::new(vec![Cell::code(clean(&file.name)), count(cx, line.line), Cell::text(clean(&line.why))])
    });
    Table {
        name: "imported-lines".to_owned(),
        caption: say!(cx.m, "table-imported-lines"),
        columns: vec![
            Column::text(say!(cx.m, "col-file")),
            Column::number(say!(cx.m, "col-imported-line"), ""),
            Column::text(say!(cx.m, "col-imported-why")),
        ],
        rows: rows.collect(),
        notes: Vec::new(),
    }
}

fn said(cx: &Context<'_>, head: &ImportHead, tool: &str) -> Table {
    let number = |key: &str| Column::number(cx.m.text(key, &[("tool", tool.into())]), "");
    Table {
        name: "imported-said".to_owned(),
        caption: say!(cx.m, "table-imported-said", tool = tool),
        columns: vec![
            Column::text(say!(cx.m, "col-exchange")),
            Column::text(say!(cx.m, "col-imported-figure")),
            number("col-imported-said"),
            number("col-imported-data"),
            number("col-imported-of"),
            number("col-calls"),
            Column::text(say!(cx.m, "col-imported-file")),
            Column::text(say!(cx.m, "col-imported-differs")),
        ],
        rows: head.said.iter().map(|figure| said_row(cx, figure)).collect(),
        notes: vec![say!(cx.m, "note-imported-said", tool = tool)],
    }
}

fn said_row(cx: &Context<'_>, figure: &ToldFigure) -> Row {
    let kind = FIGURES.into_iter().find(|known| *known == figure.figure);
    let value = |value: f64| match kind {
        Some(kind) if !TIMES.contains(&kind) => Cell::number(cx.m.numbers.count(value), value),
        _ => Cell::number(cx.m.numbers.arg(&Arg::Milliseconds(value)), value),
    };
    let name = match figure.exchange.as_str() {
        "" => Cell::text(say!(cx.m, "imported-all")),
        name => Cell::code(clean(name)),
    };
    let percent = (figure.quantile * 1e5).round() / 1e3;
    let of = match kind {
        Some(kind) => say!(cx.m, "imported-figure", figure = kind),
        None => format!("p{percent}"),
    };
    let file = match figure.file.as_str() {
        "" if figure.said.is_none() => Cell::text("–".to_owned()),
        "" => Cell::text(say!(cx.m, "imported-computed")),
        file => Cell::code(clean(file)),
    };
    let why = match figure.why.as_str() {
        "" => String::new(),
        why => say!(cx.m, "imported-differs", why = why),
    };
    let said = match figure.said {
        None => Cell::text(say!(cx.m, "imported-not-printed")),
        // Nobody printed it, and it stands below the name of the tool.
        Some(said) if figure.file.is_empty() => value(said).with_detail(say!(cx.m, "imported-by-rule")),
        Some(said) => value(said),
    };
    Row::new(vec![
        name,
        Cell::text(of),
        said,
        figure.data.map_or_else(|| Cell::text("–".to_owned()), value),
        if figure.said.is_some() { count(cx, figure.of) } else { Cell::text("–".to_owned()) },
        count(cx, figure.calls),
        file,
        Cell::text(why),
    ])
}
