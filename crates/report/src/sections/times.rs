//! The table of response times: successful, all and failed calls apart, with intervals.

use crate::document::{Cell, Column, Detail, Row, Table};
use crate::input::{Context, ScenarioContext, leg_title};
use crate::messages::say;
use judge::assess::calls_needed;
use judge::{ExchangeResult, LegResult, Percentile, StepResult, Times};

/// Percentiles of the printed table; more are in `result.json`.
const PRINTED: [f64; 5] = [0.5, 0.9, 0.95, 0.99, 0.999];

/// Whose times a table is of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Of {
    Exchanges,
    Transactions,
}

impl Of {
    fn results(self, step: &StepResult) -> &[ExchangeResult] {
        match self {
            Self::Exchanges => &step.exchanges,
            Self::Transactions => &step.transactions,
        }
    }
}

/// The table of one scenario.
pub(crate) fn table(cx: &Context<'_>, scenario: &ScenarioContext<'_>, of: Of, name: &str) -> Table {
    let mut rows = Vec::new();
    let (mut has_few, mut has_bound, mut has_bare) = (false, false, false);
    let holds = scenario.holds().count();
    let parts = scenario.holds().map(|(view, _)| view.part.as_deref()).collect::<std::collections::BTreeSet<_>>().len();
    for (view, result) in scenario.holds() {
        for exchange in result.iter().flat_map(|result| of.results(result)) {
            // Where no call failed, all calls are those that succeeded.
            let is_same = |leg: &judge::LegResult| {
                let ok = exchange.legs.iter().find(|ok| ok.id == leg.id && ok.outcome == "ok");
                leg.outcome == "all" && ok.is_some_and(|ok| ok.count == leg.count)
            };
            let is_row = |leg: &&judge::LegResult| {
                (leg.count > 0 && !is_same(leg)) || (leg.outcome == "ok" && scenario.awaits(&exchange.id, &leg.id))
            };
            for leg in exchange.legs.iter().filter(is_row) {
                let times =
                    if view.is_closed { leg.service.as_ref() } else { leg.response.as_ref().or(leg.service.as_ref()) };
                let title = leg_title(&crate::number::clean(&exchange.id), &crate::number::clean(&leg.id));
                let title = match &view.part {
                    Some(part) => format!("{} · {title}", crate::number::clean(part)),
                    None => title,
                };
                let mut first = Cell::text(title);
                let mut detail = Vec::new();
                if holds > view.part.as_ref().map_or(1, |_| parts) {
                    detail.push(crate::charts::phase_name(cx, view.phase, &view.id));
                }
                if view.is_closed != scenario.is_closed {
                    detail.push(say!(
                        cx.m,
                        "measure-word",
                        measure = if view.is_closed { "service" } else { "response" }
                    ));
                }
                first = first.with_detail(detail.join(", "));
                has_bare |= times.is_some_and(|times| {
                    let is_printed =
                        |p: &&Percentile| PRINTED.contains(&p.quantile) && leg.count >= calls_needed(p.quantile);
                    mean_interval(times).is_none()
                        || times.percentiles.iter().filter(is_printed).any(|p| p.interval.is_none())
                });
                let (cells, few, bound) = figures(cx, leg, times);
                has_few |= few;
                has_bound |= bound;
                let mut row = vec![first, Cell::text(say!(cx.m, "outcome-word", outcome = &leg.outcome))];
                row.extend(cells);
                rows.push(Row { cells: row, x: None, is_strong: leg.outcome == "ok" });
            }
        }
    }
    let mut notes = vec![say!(cx.m, "note-times", measure = scenario.measure())];
    if of == Of::Transactions {
        notes.push(say!(cx.m, "note-transactions"));
    }
    if has_few {
        notes.push(say!(
            cx.m,
            "note-few",
            p95 = calls_needed(0.95),
            p99 = calls_needed(0.99),
            p999 = calls_needed(0.999)
        ));
    }
    if has_bare {
        notes.push(say!(cx.m, "note-no-interval"));
    }
    if has_bound {
        notes.push(say!(cx.m, "note-bound"));
    }
    Table {
        name: name.to_owned(),
        caption: match of {
            Of::Exchanges => say!(cx.m, "table-times", scenario = scenario.name, measure = scenario.measure()),
            Of::Transactions => {
                say!(cx.m, "table-transactions", scenario = scenario.name, measure = scenario.measure())
            }
        },
        columns: columns(cx, of),
        rows,
        notes,
    }
}

fn columns(cx: &Context<'_>, of: Of) -> Vec<Column> {
    let mut columns = vec![
        Column::text(match of {
            Of::Exchanges => say!(cx.m, "col-exchange"),
            Of::Transactions => say!(cx.m, "col-transaction"),
        }),
        Column::text(say!(cx.m, "col-outcome")),
        Column::number(
            match of {
                Of::Exchanges => say!(cx.m, "col-calls"),
                Of::Transactions => say!(cx.m, "col-count"),
            },
            "",
        ),
        Column::number(say!(cx.m, "col-min"), "ms"),
        Column::number(say!(cx.m, "col-mean"), "ms"),
    ];
    columns.extend(PRINTED.map(|q| {
        let digits = crate::charts::quantile_digits(q);
        Column::number(say!(cx.m, "percentile-name", percentile = &cx.m.numbers.digits(&digits)), "ms")
    }));
    columns.push(Column::number(say!(cx.m, "col-max"), "ms"));
    columns
}

/// Cells, whether a percentile is left out for want of calls, and whether one is a lower bound.
fn figures(cx: &Context<'_>, leg: &LegResult, times: Option<&Times>) -> (Vec<Cell>, bool, bool) {
    let mut cells = vec![Cell::number(cx.m.numbers.count(leg.count as f64), leg.count as f64)];
    let Some(times) = times.filter(|_| leg.count > 0) else {
        cells.extend((0..PRINTED.len() + 3).map(|_| Cell::missing()));
        return (cells, false, false);
    };
    let plain = |value: f64| Cell::number(cx.m.numbers.value(value), value);
    cells.push(plain(times.min));
    // What was cut off took longer than it shows, and with it the slowest call and the mean.
    let is_cut = leg.is_cut_off();
    cells.push(with_interval(cx, times.mean, mean_interval(times), is_cut));
    let (mut has_few, mut has_bound) = (false, is_cut);
    for quantile in PRINTED {
        let found = times.percentiles.iter().find(|known| (known.quantile - quantile).abs() < 1e-9);
        let is_few = leg.count < calls_needed(quantile);
        has_few |= is_few;
        match found.filter(|_| !is_few) {
            Some(Percentile { value, interval, is_censored, .. }) => {
                has_bound |= is_censored;
                cells.push(with_interval(cx, *value, *interval, *is_censored));
            }
            None => cells.push(Cell::missing()),
        }
    }
    cells.push(if is_cut { plain(times.max).at_least() } else { plain(times.max) });
    (cells, has_few, has_bound)
}

/// The interval of a mean, but for one that reaches below zero: it says of a time only that too few calls were
/// independent.
fn mean_interval(times: &Times) -> Option<(f64, f64)> {
    times.mean_interval.filter(|(low, _)| *low >= 0.0)
}

fn with_interval(cx: &Context<'_>, value: f64, interval: Option<(f64, f64)>, is_bound: bool) -> Cell {
    let cell = match interval {
        Some((low, high)) => {
            let (text, detail) = cx.m.numbers.with_interval(value, low, high);
            Cell::number(text, value).with_detail_of(Detail::Interval(low, high), detail)
        }
        None => Cell::number(cx.m.numbers.value(value), value),
    };
    if is_bound { cell.at_least() } else { cell }
}
