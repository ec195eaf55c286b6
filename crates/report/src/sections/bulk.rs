//! What was carried in bulk: how many, how long it took, and the rates, which are never mixed.

use crate::charts;
use crate::document::{Block, Cell, Column, Detail, Figure, Row, Section, Table};
use crate::input::{Context, is_in_scenario};
use crate::messages::say;
use crate::number::clean;
use judge::Arg;
use judge::bulk::{Bulk, Carried, Through};
use judge::views::CountedView;

/// The chapter; `None` where no load ends with a number of units.
pub(super) fn section(cx: &Context<'_>) -> Option<Section> {
    let all = &cx.input.judgement.bulks;
    if all.is_empty() {
        return None;
    }
    let mut section = Section::new("bulk", say!(cx.m, "bulk-title"));
    section.add(Block::Paragraph { text: lead(cx, all), findings: findings(cx), is_lead: true });
    section.add(Block::Table(table(cx, all)));
    section.blocks.extend(figures(cx, all).map(Block::Figure));
    section.blocks.extend(left(cx, all).map(Block::Table));
    Some(section)
}

/// The rate over time of each leg that a count closes; each scenario's once, with all of its repetitions in one report.
fn figures<'c>(cx: &'c Context<'_>, all: &'c [Bulk]) -> impl Iterator<Item = Box<Figure>> + 'c {
    let scenarios = cx.scenarios();
    let legs = all.iter().flat_map(|bulk| bulk.through.iter().map(move |through| (bulk, through)));
    legs.enumerate().filter_map(move |(number, (bulk, through))| {
        let scenario = scenarios.iter().find(|known| is_in_scenario(&bulk.scope, known.name))?;
        let is_of = |view: &&CountedView| view.exchange == bulk.exchange && view.leg == through.leg;
        let view = cx.input.views.counted.iter().find(is_of)?;
        charts::carried(cx, scenario, (bulk, through), view, &format!("fig-carried-{number}"))
    })
}

/// The sentence that one quotes: of the first bulk.
fn lead(cx: &Context<'_>, all: &[Bulk]) -> String {
    let Some(first) = all.first() else { return String::new() };
    let accepted = &first.accepted;
    let mut said = say!(
        cx.m,
        "bulk-lead",
        scenario = &clean(&first.scope),
        units = Arg::Count(accepted.units),
        unit = &clean(&first.unit),
        time = Arg::Seconds(accepted.seconds),
        rate = Arg::PerSecond(accepted.mean_per_s())
    );
    if let Some((begun, planned)) = first.short() {
        said = format!("{said} {}", say!(cx.m, "count-short", begun = begun, planned = planned));
    }
    if let Some(working) = accepted.working.as_ref().filter(|working| !working.stalls.is_empty()) {
        said = format!(
            "{said} {}",
            say!(
                cx.m,
                "bulk-lead-stalls",
                rate = Arg::PerSecond(working.per_s),
                part = Arg::Share(working.duty),
                stalls = working.stalls.len()
            )
        );
    }
    said
}

/// Stalls and drops are findings of their own, which the sentence leads to.
fn findings(cx: &Context<'_>) -> Vec<String> {
    let is_ours = |rule: &str| ["STALL", "DROP"].contains(&rule);
    cx.input.judgement.findings.iter().filter(|found| is_ours(found.rule())).map(|found| found.id.clone()).collect()
}

fn table(cx: &Context<'_>, all: &[Bulk]) -> Table {
    let has_bytes = all.iter().any(|bulk| bulk.accepted.bytes > 0.0);
    let mut columns = vec![
        Column::text(say!(cx.m, "col-where")),
        Column::text(say!(cx.m, "bulk-what")),
        Column::number(say!(cx.m, "bulk-units"), ""),
        Column::number(say!(cx.m, "bulk-time"), "s"),
        Column::number(say!(cx.m, "bulk-mean"), "/s"),
    ];
    if has_bytes {
        columns.push(Column::number(say!(cx.m, "bulk-bytes"), "MB/s"));
    }
    columns.push(Column::number(say!(cx.m, "bulk-working"), "/s"));
    columns.push(Column::number(say!(cx.m, "bulk-duty"), "%"));
    let mut rows = Vec::new();
    for bulk in all {
        let accepted = say!(cx.m, "bulk-accepted", exchange = &clean(&bulk.exchange), unit = &clean(&bulk.unit));
        rows.push(row(cx, &bulk.scope, accepted, &bulk.accepted, has_bytes));
        for through in &bulk.through {
            let what = say!(cx.m, "bulk-through", leg = &clean(&through.leg), count = &clean(&through.counted_by));
            rows.push(row(cx, &bulk.scope, what, &through.carried, has_bytes));
        }
    }
    let mut notes = vec![say!(cx.m, "note-bulk")];
    if has_bytes {
        notes.push(say!(cx.m, "note-bulk-bytes"));
    }
    if all.iter().any(|bulk| bulk.accepted.working.is_none()) {
        notes.push(say!(cx.m, "note-bulk-no-working"));
    }
    Table { name: "bulk".to_owned(), caption: say!(cx.m, "table-bulk"), columns, rows, notes }
}

fn row(cx: &Context<'_>, scenario: &str, what: String, carried: &Carried, has_bytes: bool) -> Row {
    let numbers = cx.m.numbers;
    let value = |value: f64| Cell::number(numbers.value(value), value);
    let mut cells = vec![
        Cell::code(clean(scenario)),
        Cell::text(what),
        Cell::number(numbers.count(carried.units), carried.units),
        value(carried.seconds),
        value(carried.mean_per_s()),
    ];
    if has_bytes {
        let rate = carried.bytes / 1e6 / carried.seconds.max(1e-9);
        cells.push(if carried.bytes > 0.0 { value(rate) } else { Cell::missing() });
    }
    match &carried.working {
        Some(working) => {
            let (low, high) = working.interval;
            let (text, detail) = numbers.with_interval(working.per_s, low, high);
            cells.push(Cell::number(text, working.per_s).with_detail_of(Detail::Interval(low, high), detail));
            let duty = Cell::number(numbers.percentage(working.duty), working.duty * 100.0);
            cells.push(match working.stalls.len() {
                0 => duty,
                stalls => duty.with_detail(say!(cx.m, "bulk-stalls", stalls = stalls)),
            });
        }
        None => cells.extend([Cell::missing(), Cell::missing()]),
    }
    Row::new(cells)
}

/// What was left when the load ended, and how long it took; `None` where no count closes a leg.
fn left(cx: &Context<'_>, all: &[Bulk]) -> Option<Table> {
    let row = |(bulk, through): (&Bulk, &Through)| {
        let left = through.left.map_or_else(Cell::missing, |left| Cell::number(cx.m.numbers.count(left), left));
        let drained = match through.drained_s {
            Some(seconds) => Cell::number(cx.m.numbers.arg(&Arg::Seconds(seconds)), seconds),
            None => Cell::text(say!(cx.m, "bulk-not-drained")),
        };
        let leg = format!("{}.{}", clean(&bulk.exchange), clean(&through.leg));
        Row::new(vec![Cell::code(clean(&bulk.scope)), Cell::code(leg), left, drained])
    };
    let rows: Vec<Row> = all.iter().flat_map(|bulk| bulk.through.iter().map(move |it| (bulk, it))).map(row).collect();
    (!rows.is_empty()).then(|| Table {
        name: "bulk-left".to_owned(),
        caption: say!(cx.m, "table-bulk-left"),
        columns: vec![
            Column::text(say!(cx.m, "col-where")),
            Column::text(say!(cx.m, "col-leg")),
            Column::number(say!(cx.m, "bulk-left"), ""),
            Column::number(say!(cx.m, "bulk-drained"), ""),
        ],
        rows,
        notes: Vec::new(),
    })
}
