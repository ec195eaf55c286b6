//! Times of each request by workload, in one table: what a study that compares its own workloads was carried out for.
//!
//! Request by workload by statistic, with the change against the comparison's base in brackets. The detail, with
//! intervals, reasons and drawings, is in the chapter of comparisons.

use crate::compared::change;
use crate::document::{Cell, Column, Row as Line, Table};
use crate::input::Context;
use crate::marks::row_mark;
use crate::messages::say;
use crate::number::clean;
use judge::Arg;
use judge::comparison::{Comparison, Row, RowVerdict, Side};

/// Requests side by side in one table; more have a table of their own.
const SUBJECTS: usize = 3;
/// From this ratio on a change says more as a difference than in percent: `+8.1 s`, and not `+54,000%`.
const HUGE: f64 = 10.0;
/// Workloads in a table.
const WORKLOADS_MAX: usize = 24;

/// The tables, of so many requests each; none where no comparison within the run is of times alone.
pub(super) fn tables(cx: &Context<'_>) -> Vec<Table> {
    let all: Vec<&Comparison> = cx.input.judgement.comparisons.iter().filter(|known| is_of_times(known)).collect();
    let rows = || all.iter().flat_map(|known| &known.pairs).flat_map(|pair| &pair.rows);
    let subjects = distinct(rows().map(|row| row.subject.as_str()));
    let statistics = distinct(rows().map(|row| row.statistic.as_str()));
    let parts = subjects.chunks(SUBJECTS).enumerate();
    parts.map(|(number, subjects)| table(cx, &all, (subjects, &statistics), number)).collect()
}

/// Whether a comparison sets scenarios of this run against each other, by their times and nothing else.
fn is_of_times(comparison: &Comparison) -> bool {
    let rows = || comparison.pairs.iter().flat_map(|pair| &pair.rows);
    let is_scenario = |side: &Side| side.scenario.is_some() && side.runs == comparison.base.runs;
    is_scenario(&comparison.base)
        && comparison.pairs.iter().all(|pair| is_scenario(&pair.other))
        && rows().next().is_some()
        && rows().all(|row| row.unit == "ms")
}

fn distinct<'a>(names: impl Iterator<Item = &'a str>) -> Vec<&'a str> {
    let mut found: Vec<&str> = Vec::new();
    for name in names {
        if !found.contains(&name) {
            found.push(name);
        }
    }
    found
}

/// One side of a comparison as a line of the table: the base has no change.
struct Workload<'a> {
    side: &'a Side,
    rows: &'a [Row],
    is_base: bool,
}

fn workloads<'a>(all: &[&'a Comparison]) -> Vec<Workload<'a>> {
    let mut found = Vec::new();
    for comparison in all {
        let first = comparison.pairs.first().map(|pair| pair.rows.as_slice()).unwrap_or_default();
        found.push(Workload { side: &comparison.base, rows: first, is_base: true });
        let others = comparison.pairs.iter();
        found.extend(others.map(|pair| Workload { side: &pair.other, rows: &pair.rows, is_base: false }));
    }
    found.truncate(WORKLOADS_MAX);
    found
}

fn table(cx: &Context<'_>, all: &[&Comparison], (subjects, statistics): (&[&str], &[&str]), number: usize) -> Table {
    let mut columns = vec![Column::text(say!(cx.m, "col-workload"))];
    for subject in subjects {
        columns.extend(statistics.iter().map(|statistic| {
            let title = format!("{} {}", clean(subject), statistic_word(cx, statistic));
            Column::number(title, "")
        }));
    }
    let mut footnotes = Vec::new();
    let row = |workload: &Workload<'_>| {
        let mut cells = vec![name(cx, workload)];
        for subject in subjects {
            let mark = footnote(cx, workload, subject, &mut footnotes);
            for statistic in statistics {
                let found = workload.rows.iter().find(|row| row.subject == *subject && row.statistic == *statistic);
                cells.push(found.map_or_else(Cell::missing, |row| cell(cx, row, workload.is_base, &mark)));
            }
        }
        Line { cells, x: None, is_strong: workload.is_base }
    };
    let rows = workloads(all).iter().map(row).collect();
    let mut notes = vec![say!(cx.m, "note-workloads")];
    notes.extend(footnotes);
    Table {
        name: if number == 0 { "workloads".to_owned() } else { format!("workloads-{number}") },
        caption: say!(cx.m, "table-workloads"),
        columns,
        rows,
        notes,
    }
}

fn statistic_word(cx: &Context<'_>, statistic: &str) -> String {
    if statistic == "mean" { say!(cx.m, "col-mean") } else { cx.m.numbers.digits(&clean(statistic)) }
}

/// A workload with the fewest calls that any of its values rests on.
fn name(cx: &Context<'_>, workload: &Workload<'_>) -> Cell {
    let count = |row: &Row| if workload.is_base { row.base_count } else { row.other_count };
    let least = workload.rows.iter().map(count).min().unwrap_or(0);
    Cell::code(&workload.side.label).with_detail(say!(cx.m, "workload-calls", count = least))
}

/// A value; of all but the base with its change and what of it is proven below.
fn cell(cx: &Context<'_>, row: &Row, is_base: bool, mark: &str) -> Cell {
    let (value, is_bound) = if is_base { (row.base, row.is_base_censored) } else { (row.other, row.is_other_censored) };
    let Some(value) = value else { return Cell::missing() };
    let cell = Cell::number(format!("{}{mark}", cx.m.numbers.in_unit(value, &row.unit)), value).in_unit(&row.unit);
    let cell = if is_bound { cell.at_least() } else { cell };
    if is_base {
        return cell;
    }
    let sign = row_mark(row.verdict);
    if row.verdict == RowVerdict::NotComparable {
        return cell.with_detail(sign);
    }
    cell.with_detail(format!("{} {sign}", short_change(cx, row)))
}

/// The change in percent; as a difference where the one is many times the other.
fn short_change(cx: &Context<'_>, row: &Row) -> String {
    match (row.base, row.other) {
        (Some(base), Some(other)) if base > 0.0 && other / base >= HUGE => {
            format!("+{}", cx.m.numbers.in_unit(other - base, &row.unit))
        }
        _ => change(&cx.m.numbers, row),
    }
}

/// The sign of a footnote where calls failed, which then stands among the notes; empty where none did.
fn footnote(cx: &Context<'_>, workload: &Workload<'_>, subject: &str, notes: &mut Vec<String>) -> String {
    const SIGNS: [&str; 10] = ["ᵃ", "ᵇ", "ᶜ", "ᵈ", "ᵉ", "ᶠ", "ᵍ", "ʰ", "ⁱ", "ʲ"];
    let Some(scenario) = &workload.side.scenario else { return String::new() };
    let name = subject.split(" · ").next().unwrap_or(subject);
    let steps = cx.input.judgement.steps.iter().filter(|step| step.scenario == *scenario && step.phase == "hold");
    let exchanges = steps.flat_map(|step| &step.exchanges).filter(|exchange| exchange.id == name);
    let (mut failed, mut ended) = (0, 0);
    for legs in exchanges.map(|exchange| &exchange.legs) {
        let first = legs.first().map(|leg| leg.id.as_str());
        let count = |outcome: &str| {
            let found = legs.iter().find(|leg| Some(leg.id.as_str()) == first && leg.outcome == outcome);
            found.map_or(0, |leg| leg.count)
        };
        failed += count("failed");
        ended += count("all");
    }
    let Some(sign) = SIGNS.get(notes.len()).filter(|_| failed > 0 && ended > 0) else { return String::new() };
    notes.push(say!(
        cx.m,
        "note-workload-failed",
        sign = *sign,
        share = Arg::Share(failed as f64 / ended as f64),
        count = ended,
        exchange = &clean(subject),
        scenario = &clean(&workload.side.label)
    ));
    (*sign).to_owned()
}
