//! The generator's clean bill: every sign of validity with its thresholds.

use crate::document::{Block, Cell, CellKind, Column, NoteKind, Row, Section, Table};
use crate::input::Context;
use crate::messages::say;
use judge::{Arg, Sign};

pub(crate) fn generator(cx: &Context<'_>) -> Section {
    let mut section = Section::new("generator", say!(cx.m, "generator-title"));
    section.say(say!(cx.m, "generator-intro"));
    if cx.input.judgement.signs.is_empty() {
        section.add(Block::Note { kind: NoteKind::Missing, text: say!(cx.m, "generator-no-signs") });
    } else {
        section.add(Block::Table(signs(cx)));
    }
    let seconds = &cx.input.views.generator;
    if seconds.is_empty() {
        section.add(Block::Note { kind: NoteKind::Missing, text: say!(cx.m, "generator-no-seconds") });
    } else {
        // The number of threads is the one that the run began with, here as everywhere: a second in which one step ends
        // and the next begins has a row of each.
        let threads = cx.input.head.workers;
        let in_flight = seconds.iter().map(|second| second.in_flight).fold(0.0f64, f64::max);
        let busiest = seconds.iter().map(|second| second.cpu_s).fold(0.0f64, f64::max) / f64::from(threads.max(1));
        let waiting = seconds.iter().map(|second| u64::from(second.waiting)).max().unwrap_or(0);
        section.say(say!(
            cx.m,
            "generator-seconds",
            threads = u64::from(threads),
            busiest = Arg::Share(busiest),
            in_flight = Arg::Number(in_flight),
            waiting = waiting
        ));
    }
    if let Some(ceiling) = &cx.input.head.ceiling {
        section.say(say!(
            cx.m,
            "generator-ceiling",
            ceiling = Arg::PerSecond(ceiling.per_s),
            threads = u64::from(ceiling.threads),
            connections = u64::from(ceiling.connections)
        ));
    }
    if let Some(addresses) = sources(cx) {
        section.say(say!(cx.m, "generator-sources", addresses = &addresses));
    }
    let steps = super::levels::in_flight(cx);
    section.blocks.extend(crate::charts::little(&cx.m, &steps, "fig-little").map(Block::Figure));
    section.blocks.extend(super::system::generator_tables(cx).into_iter().map(Block::raw));
    section
}

/// Addresses that connections came from when the ports of one did not suffice.
fn sources(cx: &Context<'_>) -> Option<String> {
    let events = cx.input.views.events.iter().filter(|event| event.kind == "source_address");
    let mut addresses: Vec<&str> = events.map(|event| event.subject.as_str()).collect();
    addresses.sort_unstable();
    addresses.dedup();
    (!addresses.is_empty()).then(|| addresses.join(", "))
}

fn signs(cx: &Context<'_>) -> Table {
    let measured = |arg: &Option<Arg>| {
        arg.as_ref().map_or_else(Cell::missing, |arg| Cell::number(cx.m.numbers.arg(arg), raw(arg)))
    };
    let given = |arg: &Option<Arg>| {
        arg.as_ref().map_or_else(Cell::missing, |arg| Cell::number(cx.m.numbers.given(arg), raw(arg)))
    };
    let row = |of_kind: Vec<&Sign>| {
        // The worst of them speaks for its kind; more is worse in every sign that has a value.
        let value = |sign: &Sign| sign.value.as_ref().map_or(f64::NEG_INFINITY, raw);
        let sign =
            of_kind.iter().copied().fold(of_kind[0], |worst, it| if value(it) > value(worst) { it } else { worst });
        let place = Cell::code(&sign.scope);
        let place = match of_kind.len() - 1 {
            0 => place,
            others => place.with_detail(say!(cx.m, "signs-others", others = others)),
        };
        let state = match sign.state {
            judge::WireValidity::Valid => "valid",
            judge::WireValidity::Questionable => "questionable",
            judge::WireValidity::Invalid => "invalid",
        };
        let state = Cell {
            text: say!(cx.m, "validity-word", validity = state),
            kind: CellKind::Validity(sign.state),
            ..Cell::default()
        };
        Row::new(vec![
            state,
            Cell::text(cx.sign_name(&sign.code)),
            place,
            if sign.code == "rate" { kept(cx, sign) } else { measured(&sign.value) },
            given(&sign.questionable),
            given(&sign.invalid),
        ])
    };
    Table {
        name: "signs".to_owned(),
        caption: say!(cx.m, "table-signs"),
        columns: vec![
            Column::text(say!(cx.m, "col-state")),
            Column::text(say!(cx.m, "col-sign")),
            Column::text(say!(cx.m, "col-where")),
            Column::number(say!(cx.m, "col-measured"), ""),
            Column::number(say!(cx.m, "col-questionable"), ""),
            Column::number(say!(cx.m, "col-invalid"), ""),
        ],
        rows: super::summary::by_kind(cx.input.judgement.signs.iter()).into_iter().map(row).collect(),
        notes: vec![say!(cx.m, "note-signs")],
    }
}

/// Of the sign that has no value of its own: what ended, of what was planned.
fn kept(cx: &Context<'_>, sign: &Sign) -> Cell {
    match (sign.args.get("ended"), sign.args.get("planned")) {
        (Some(ended), Some(planned)) => Cell::number(cx.m.numbers.arg(ended), raw(ended)).with_detail(say!(
            cx.m,
            "signs-planned",
            planned = planned.clone()
        )),
        _ => Cell::missing(),
    }
}

fn raw(arg: &Arg) -> f64 {
    match arg {
        Arg::Milliseconds(value)
        | Arg::Seconds(value)
        | Arg::Share(value)
        | Arg::Count(value)
        | Arg::PerSecond(value)
        | Arg::Bytes(value)
        | Arg::Cores(value)
        | Arg::Number(value) => *value,
        Arg::Text(_) => f64::NAN,
        Arg::Given(arg) => raw(arg),
    }
}
