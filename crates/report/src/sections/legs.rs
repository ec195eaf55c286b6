//! Legs and streams of a scenario: what came back of each, when, and for whom.

use crate::charts;
use crate::document::{Block, Cell, Column, NoteKind, Row, Section, Table};
use crate::input::{Context, ScenarioContext, leg_title};
use crate::messages::say;
use crate::number::clean;
use judge::views::{ExchangeView, LegView};
use terms::{OUTCOMES, Outcome, Side};

/// Legs whose streams have a figure.
const FIGURES: usize = 4;
/// Name of the monitor that counts what comes to the lab's listeners.
const LISTENERS: &str = "listeners";

/// Classes with a column of their own: how a later leg goes wrong.
const CLASSES: [Outcome; 4] = [Outcome::Missing, Outcome::Late, Outcome::Duplicate, Outcome::Wrong];

/// Every class by which a leg ended of itself, counted once a leg: what comes besides, as late or a second time, closes
/// nothing, and what the end of the drain cut off was open until then.
fn closes(outcome: Outcome) -> bool {
    let is_besides = matches!(outcome, Outcome::Late | Outcome::Duplicate | Outcome::Unordered | Outcome::Dropped);
    !is_besides && outcome != Outcome::Aborted
}

/// Whether a leg was closed by a fault of the study or of the generator, which does not count against the system.
fn is_our_fault(outcome: Outcome) -> bool {
    closes(outcome) && matches!(outcome.side(), Side::Study | Side::Generator)
}

/// Columns that a table has only where something belongs into them.
#[derive(Clone, Copy, Debug, Default)]
struct Columns {
    /// Faults of study or generator.
    ours: bool,
    /// What the end of the drain cut off, in a table that does not say how many were started.
    cut: bool,
}

impl Columns {
    fn of<'a>(all: impl IntoIterator<Item = &'a [u64; 16]>) -> Self {
        all.into_iter().fold(Self::default(), |columns, outcomes| Self {
            ours: columns.ours || ours(outcomes) > 0,
            cut: columns.cut || outcomes[Outcome::Aborted as usize] > 0,
        })
    }
}

fn ours(outcomes: &[u64; 16]) -> u64 {
    OUTCOMES.into_iter().filter(|outcome| is_our_fault(*outcome)).map(|outcome| outcomes[outcome as usize]).sum()
}

/// Exchange, leg, started, closes by class, over all steps.
pub(super) type Counted<'a> = (&'a str, &'a str, u64, [u64; 16]);

/// Every leg of a scenario that is waited for, with its counts. What there is on occasion was never started.
pub(super) fn counted<'a>(scenario: &ScenarioContext<'a>) -> Vec<Counted<'a>> {
    let mut all: Vec<Counted<'a>> = Vec::new();
    for (step, _) in &scenario.steps {
        for exchange in &step.exchanges {
            for leg in awaited(scenario, exchange) {
                let known = |found: &&mut Counted<'a>| (found.0, found.1) == (&exchange.name, &leg.name);
                match all.iter_mut().find(known) {
                    Some(found) => {
                        found.2 += exchange.started;
                        found.3.iter_mut().zip(leg.outcomes).for_each(|(sum, count)| *sum += count);
                    }
                    None => all.push((&exchange.name, &leg.name, exchange.started, leg.outcomes)),
                }
            }
        }
    }
    all
}

/// Whether any exchange of the scenario has more than one leg that is waited for.
pub(super) fn has_legs(scenario: &ScenarioContext<'_>) -> bool {
    scenario.steps.iter().any(|(step, _)| step.exchanges.iter().any(|exchange| awaited(scenario, exchange).count() > 1))
}

fn awaited<'a>(scenario: &ScenarioContext<'_>, exchange: &'a ExchangeView) -> impl Iterator<Item = &'a LegView> {
    exchange.legs.iter().filter(|leg| !leg.is_occasional && scenario.awaits(&exchange.name, &leg.name))
}

/// The part on legs; `None` where each exchange has one.
pub(super) fn legs(cx: &Context<'_>, scenario: &ScenarioContext<'_>, anchor: &str) -> Option<Section> {
    if !has_legs(scenario) {
        return None;
    }
    let mut part = Section::new(format!("{anchor}-legs"), say!(cx.m, "legs-title"));
    part.say(say!(cx.m, "legs-intro"));
    part.add(Block::Table(table(cx, scenario, &format!("{anchor}-legs-table"))));
    if let Some(text) = at_listeners(cx, scenario) {
        part.say(text);
    }
    let left = open_later(scenario);
    let figure = charts::awaiting(cx, scenario, left, &format!("fig-awaiting-{}", scenario.number));
    part.blocks.extend(figure.map(Block::Figure));
    Some(part)
}

fn number(cx: &Context<'_>, count: u64) -> Cell {
    Cell::number(cx.m.numbers.count(count as f64), count as f64)
}

/// Succeeded, the classes with columns, other failures, and what was for the account of study or generator.
fn class_cells(cx: &Context<'_>, outcomes: &[u64; 16], columns: Columns) -> Vec<Cell> {
    let of = |outcome: Outcome| outcomes[outcome as usize];
    let other = |outcome: &Outcome| {
        closes(*outcome) && !is_our_fault(*outcome) && *outcome != Outcome::Ok && !CLASSES.contains(outcome)
    };
    let others = OUTCOMES.into_iter().filter(other).map(of).sum();
    let mut cells = vec![number(cx, of(Outcome::Ok))];
    cells.extend(CLASSES.into_iter().map(|class| number(cx, of(class))));
    cells.push(number(cx, others));
    if columns.ours {
        cells.push(number(cx, ours(outcomes)));
    }
    cells
}

fn class_columns(cx: &Context<'_>, shown: Columns) -> Vec<Column> {
    let mut columns = vec![Column::count_of(&say!(cx.m, "outcome-word", outcome = "ok"))];
    let word = |class: Outcome| Column::count_of(&say!(cx.m, "class-word", class = class.name()));
    columns.extend(CLASSES.into_iter().map(word));
    columns.push(Column::number(say!(cx.m, "col-other-failures"), ""));
    if shown.ours {
        columns.push(Column::number(say!(cx.m, "col-our-faults"), ""));
    }
    columns
}

/// How many of what was started a leg never closed: the end of the drain cut it off.
fn still_open((.., started, outcomes): &Counted<'_>) -> u64 {
    let closed: u64 = OUTCOMES.into_iter().filter(|class| closes(*class)).map(|class| outcomes[class as usize]).sum();
    started.saturating_sub(closed)
}

/// The legs of each exchange but its first.
fn later<'a, 'v>(all: &'a [Counted<'v>]) -> impl Iterator<Item = &'a Counted<'v>> {
    all.iter().enumerate().filter(|(place, leg)| all[..*place].iter().any(|known| known.0 == leg.0)).map(|(_, leg)| leg)
}

/// How many later legs were open when the scenario ended.
fn open_later(scenario: &ScenarioContext<'_>) -> u64 {
    later(&counted(scenario)).map(still_open).sum()
}

/// A row for each leg: what was started, and where every one of them went.
pub(super) fn table(cx: &Context<'_>, scenario: &ScenarioContext<'_>, name: &str) -> Table {
    let all = counted(scenario);
    let shown = Columns::of(all.iter().map(|(.., outcomes)| outcomes));
    let row = |counted: &Counted<'_>| {
        let (exchange, leg, started, outcomes) = counted;
        let mut cells = vec![Cell::code(leg_title(exchange, leg)), number(cx, *started)];
        cells.extend(class_cells(cx, outcomes, shown));
        cells.push(number(cx, still_open(counted)));
        Row::new(cells)
    };
    let mut columns = vec![Column::text(say!(cx.m, "col-leg")), Column::number(say!(cx.m, "col-started"), "")];
    columns.extend(class_columns(cx, shown));
    columns.push(Column::count_of(&say!(cx.m, "book-word", book = "open")));
    Table {
        name: name.to_owned(),
        caption: say!(cx.m, "table-legs", scenario = scenario.name),
        columns,
        rows: all.iter().map(row).collect(),
        notes: vec![say!(cx.m, "note-legs")],
    }
}

/// What came to the lab's listeners, and what of it nobody waited for.
fn at_listeners(cx: &Context<'_>, scenario: &ScenarioContext<'_>) -> Option<String> {
    let grew = |metric: &str| {
        let own = cx.input.views.metrics.iter().filter(|view| {
            view.monitor.kind == LISTENERS
                && view.monitor.metrics.get(view.metric).is_some_and(|known| known.name == metric)
        });
        // From the last reading before the scenario, so that what came before the first one within it is counted; the
        // listeners begin at zero. To the last one within it, with which the next scenario begins.
        let growth = |view: &judge::views::MetricView| {
            let read = || view.points.iter().filter_map(|(at, value)| Some((*at, (*value)?)));
            let before = read().take_while(|(at, _)| *at <= scenario.from).last().map_or(0.0, |point| point.1);
            let is_last = cx.input.views.steps.iter().all(|step| step.to <= scenario.to);
            let after = read().take_while(|(at, _)| is_last || *at <= scenario.to).last()?.1;
            Some((after - before).max(0.0))
        };
        own.filter_map(growth).reduce(|sum, growth| sum + growth)
    };
    let count = |metric: &str| grew(metric).unwrap_or(0.0).round() as u64;
    grew("requests")?;
    let unasked = count("unasked") + count("unmatched");
    let said = say!(
        cx.m,
        "legs-at-listeners",
        requests = count("requests"),
        handed = count("handed").saturating_sub(count("unmatched")),
        unasked = unasked,
        unknown = count("unknown"),
        unreadable = count("unreadable"),
        too_late = count("too_late"),
        unclaimed = count("unclaimed")
    );
    // Where a scenario ends with its load, the last reading may have come before the last replies.
    let replies: u64 = later(&counted(scenario)).map(|leg| leg.3[Outcome::Ok as usize]).sum();
    let left = replies.saturating_sub(count("requests"));
    Some(match left {
        0 => said,
        _ => format!("{said} {}", say!(cx.m, "legs-at-listeners-left", left = left)),
    })
}

/// The part on streams; `None` where the load has none.
pub(super) fn streams(cx: &Context<'_>, scenario: &ScenarioContext<'_>, anchor: &str) -> Option<Section> {
    let table = streams_table(cx, scenario, &format!("{anchor}-streams-table"));
    if table.rows.is_empty() {
        return None;
    }
    let mut part = Section::new(format!("{anchor}-streams"), say!(cx.m, "streams-title"));
    let sets = cx.input.head.streams.iter().filter(|known| known.scenario == scenario.index);
    let sets: Vec<String> = sets.map(|known| clean(&known.set)).collect();
    if !sets.is_empty() {
        part.say(say!(cx.m, "streams-intro", set = &sets.join(", ")));
    }
    for (index, (exchange, leg)) in scenario.legs().into_iter().enumerate().take(FIGURES) {
        let anchor = format!("fig-streams-{}-{index}", scenario.number);
        // Streams differ in their first leg as they do in the later ones, or the table says so.
        let block = |figure| if index == 0 { Block::Figure(figure) } else { Block::folded(Block::Figure(figure)) };
        part.blocks.extend(charts::streams(cx, scenario, (exchange, leg), &anchor).map(block));
    }
    part.add(Block::raw(table));
    if scenario.is_again() {
        part.blocks.retain(|block| !matches!(block, Block::Note { kind: NoteKind::Reading, .. }));
    }
    Some(part)
}

/// A row for each stream and leg, labelled as its data set has it.
fn streams_table(cx: &Context<'_>, scenario: &ScenarioContext<'_>, name: &str) -> Table {
    let mut rows = Vec::new();
    let legs = scenario.legs();
    let streams_of = |(exchange, leg): &(&str, &str)| charts::streams_of(scenario, exchange, leg);
    let outcomes: Vec<[u64; 16]> = legs.iter().flat_map(streams_of).map(|stream| stream.outcomes).collect();
    let shown = Columns::of(&outcomes);
    for (exchange, leg) in &legs {
        for stream in charts::streams_of(scenario, exchange, leg) {
            let times = stream.held.times();
            let ms = |time: Option<terms::Nanos>| {
                let ms = time.map(terms::Nanos::as_millis_f64);
                ms.map_or_else(Cell::missing, |ms| Cell::number(cx.m.numbers.value(ms), ms))
            };
            let mut cells = vec![Cell::code(&stream.label), Cell::code(leg_title(exchange, leg))];
            cells.extend(class_cells(cx, &stream.outcomes, shown));
            if shown.cut {
                cells.push(number(cx, stream.outcomes[Outcome::Aborted as usize]));
            }
            cells.extend([ms(times.mean()), ms(times.quantile(0.9)), ms(times.max())]);
            rows.push(Row::new(cells));
        }
    }
    let mut columns = vec![Column::text(say!(cx.m, "col-stream")), Column::text(say!(cx.m, "col-leg"))];
    columns.extend(class_columns(cx, shown));
    if shown.cut {
        columns.push(Column::count_of(&say!(cx.m, "class-word", class = "aborted")));
    }
    columns.push(Column::number(say!(cx.m, "col-mean"), "ms"));
    columns.push(Column::number("p90", "ms"));
    columns.push(Column::number(say!(cx.m, "col-max"), "ms"));
    Table {
        name: name.to_owned(),
        caption: say!(cx.m, "table-streams", scenario = scenario.name),
        columns,
        rows,
        notes: vec![say!(cx.m, "note-streams")],
    }
}
