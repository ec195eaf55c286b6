//! The run at a glance: a row for each scenario and exchange.

use crate::document::{Cell, Column, Detail, Row, Table};
use crate::input::{Context, ScenarioContext, leg_title};
use crate::limits::{Limit, limits};
use crate::marks::glyph;
use crate::messages::say;
use judge::assess::calls_needed;
use judge::{LegResult, RequirementResult, Scope, StepResult};
use terms::Verdict;

/// More rows than this are in the scenarios' chapters only.
const ROWS_MAX: usize = 24;
/// The same where the summary has the times of all workloads in a table of their own.
const ROWS_BESIDE: usize = 8;
/// Marks of verdicts that a value beyond its limit may have.
const SIGNS: [char; 2] = ['✗', '?'];
/// Percentiles of the table.
const PRINTED: [f64; 3] = [0.5, 0.95, 0.99];

/// Rates, failures and percentiles of every judged exchange; `None` when nothing was judged, and where there are more than a
/// few rows while another table says it `is_elsewhere`.
pub(super) fn table(cx: &Context<'_>, is_elsewhere: bool) -> Option<Table> {
    let mut rows = Vec::new();
    for scenario in cx.told_scenarios() {
        for (view, result) in scenario.holds() {
            let Some(result) = result else { continue };
            for exchange in &result.exchanges {
                let all = |id: &str| exchange.legs.iter().find(|leg| leg.id == id && leg.outcome == "all");
                let first = exchange.legs.first().map(|leg| leg.id.as_str());
                // A connection that opened before the hold, say, is nothing that the hold could show.
                let is_there =
                    |leg: &LegResult| Some(leg.id.as_str()) == first || all(&leg.id).is_none_or(|all| all.count > 0);
                let is_row =
                    |leg: &&LegResult| leg.outcome == "ok" && scenario.awaits(&exchange.id, &leg.id) && is_there(leg);
                for ok in exchange.legs.iter().filter(is_row) {
                    let of = |outcome: &str| exchange.legs.iter().find(|leg| leg.id == ok.id && leg.outcome == outcome);
                    let title = leg_title(&crate::number::clean(&exchange.id), &crate::number::clean(&ok.id));
                    let title = match &view.part {
                        Some(part) => format!("{} · {title}", crate::number::clean(part)),
                        None => title,
                    };
                    // Of a mix the limits are those of this part.
                    let name = view
                        .part
                        .as_ref()
                        .map_or_else(|| exchange.id.clone(), |part| format!("{part}/{}", exchange.id));
                    let exchange = (name.as_str(), ok.id.as_str());
                    rows.push(row(
                        cx,
                        (&scenario, view.is_closed),
                        (result, exchange),
                        title,
                        ok,
                        [of("failed"), of("all")],
                    ));
                }
            }
        }
    }
    let left = rows.len().saturating_sub(ROWS_MAX);
    if rows.len() > ROWS_BESIDE && is_elsewhere {
        return None;
    }
    rows.truncate(ROWS_MAX);
    let mut notes = vec![say!(cx.m, "note-glance")];
    if rows.iter().flat_map(|row| &row.cells).any(|cell| cell.detail.starts_with(SIGNS)) {
        notes.push(say!(cx.m, "note-glance-beyond"));
    }
    if left > 0 {
        notes.push(say!(cx.m, "note-glance-left", left = left));
    }
    let mut columns = vec![Column::text(say!(cx.m, "col-scenario")), Column::text(say!(cx.m, "col-exchange"))];
    columns.extend([Column::number(say!(cx.m, "col-calls"), ""), Column::number(say!(cx.m, "col-mean"), "ms")]);
    columns.extend(PRINTED.map(|q| {
        let digits = crate::charts::quantile_digits(q);
        Column::number(say!(cx.m, "percentile-name", percentile = &cx.m.numbers.digits(&digits)), "ms")
    }));
    columns.extend([
        Column::number(say!(cx.m, "col-max"), "ms"),
        Column::number(say!(cx.m, "col-failed"), "%"),
        Column::number(say!(cx.m, "col-ended-well"), "/s"),
        Column::text(say!(cx.m, "col-measure")),
    ]);
    (!rows.is_empty()).then(|| Table {
        name: "glance".to_owned(),
        caption: say!(cx.m, "table-glance"),
        columns,
        rows,
        notes,
    })
}

fn row(
    cx: &Context<'_>,
    (scenario, is_closed): (&ScenarioContext<'_>, bool),
    (result, (exchange, leg)): (&StepResult, (&str, &str)),
    title: String,
    ok: &LegResult,
    [failed, all]: [Option<&LegResult>; 2],
) -> Row {
    let ended = all.map_or(ok.count, |all| all.count);
    let share = failed.map_or(0, |failed| failed.count) as f64 / ended.max(1) as f64;
    // By the end of each call, as throughput is counted everywhere else; what began here and ended later is not in it.
    let rate = ok.ended_per_s.unwrap_or(ok.count as f64 / result.seconds.max(1e-9));
    let value = |value: f64| Cell::number(cx.m.numbers.value(value), value);
    let times = if is_closed { ok.service.as_ref() } else { ok.response.as_ref().or(ok.service.as_ref()) };
    let mut cells = vec![
        Cell::code(scenario.name).with_detail(if result.id == "hold" {
            String::new()
        } else {
            crate::number::clean(&result.id)
        }),
        Cell::code(title),
        Cell::number(cx.m.numbers.count(ended as f64), ended as f64),
        times.filter(|_| ok.count > 0).map_or_else(Cell::missing, |times| value(times.mean)),
    ];
    let mut limits = limits(cx, scenario, exchange, leg);
    // Where service times are shown there is nothing to tell apart.
    limits.iter_mut().for_each(|limit| limit.is_service &= !is_closed);
    let verdict = |limit: &Limit| verdict_on(cx, limit, result, (exchange, leg));
    for quantile in PRINTED {
        let found = times.and_then(|times| times.percentiles.iter().find(|p| (p.quantile - quantile).abs() < 1e-9));
        let carried = found.filter(|_| ok.count >= calls_needed(quantile));
        cells.push(carried.map_or_else(Cell::missing, |percentile| {
            let cell = with_limit(cx, value(percentile.value), &limits, quantile, &verdict);
            if percentile.is_censored { cell.at_least() } else { cell }
        }));
    }
    let greatest = times.filter(|_| ok.count > 0).map_or_else(Cell::missing, |times| value(times.max));
    cells.extend([
        with_limit(cx, greatest, &limits, 1.0, &verdict),
        Cell::number(cx.m.numbers.percentage(share), share * 100.0),
        value(rate),
        Cell::text(say!(cx.m, "measure-word", measure = if is_closed { "service" } else { "response" })),
    ]);
    Row::new(cells)
}

/// What the requirement of a limit came to in this place; the gravest where it was judged several times here. A verdict
/// that another clause decided says nothing about this limit.
fn verdict_on(cx: &Context<'_>, limit: &Limit, step: &StepResult, (exchange, leg): (&str, &str)) -> Option<Verdict> {
    let bare = exchange.rsplit('/').next().unwrap_or(exchange);
    let is_here = |scope: &Scope| {
        let own = step.scope.inner();
        let within = scope.inner().strip_prefix(own).unwrap_or(scope.inner());
        step.scope.scenario().is_some_and(|scenario| scope.is_of(scenario, step.scope.repetition()))
            && scope.step_name() == step.scope.step_name()
            && within.iter().zip([bare, leg]).all(|(name, own)| name == own)
    };
    let is_of_limit = |result: &&RequirementResult| match result.unit.as_str() {
        "ms" => result.limit.is_some_and(|ms| (ms - limit.ms).abs() < 1e-9 * limit.ms.abs().max(1.0)),
        unit => unit == "share",
    };
    let all = cx.input.judgement.requirements.iter().filter(|it| it.id == limit.name && is_here(&it.scope));
    all.filter(is_of_limit).map(|result| result.verdict).max()
}

/// A percentile above the strictest limit that a requirement sets on it, or on a share of calls that comes to the same.
/// Beyond the limit it has the sign of its verdict: a value alone proves nothing.
fn with_limit(
    cx: &Context<'_>,
    cell: Cell,
    limits: &[Limit],
    quantile: f64,
    verdict: &dyn Fn(&Limit) -> Option<Verdict>,
) -> Cell {
    match limits.iter().find(|limit| limit.share.is_some_and(|share| (share - quantile).abs() < 1e-9)) {
        Some(limit) => {
            // A colour would be lost on paper.
            let sign = match cell.raw.filter(|value| *value > limit.ms).and_then(|_| verdict(limit)) {
                Some(verdict @ (Verdict::NotMet | Verdict::CannotTell)) => format!("{}\u{a0}", glyph(verdict)),
                _ => String::new(),
            };
            let text = say!(
                cx.m,
                "glance-limit",
                of = if limit.is_service { "service" } else { "response" },
                // In the unit of its column.
                limit = &format!("{}\u{a0}ms", in_full(cx, limit.ms))
            );
            cell.with_detail_of(Detail::Limit(limit.ms), format!("{sign}{text}"))
        }
        None => cell,
    }
}

/// A limit as it was given: whole milliseconds in full.
fn in_full(cx: &Context<'_>, ms: f64) -> String {
    if ms.fract() == 0.0 { cx.m.numbers.count(ms) } else { cx.m.numbers.given_number(ms) }
}
