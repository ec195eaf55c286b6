//! Limits on times, step by step and server by server: how many calls were beyond them, and which limit would have been
//! kept.

use super::heads::is_valid;
use super::in_short::took;
use crate::document::{Cell, Column, Row, Table};
use crate::in_unit::InUnit;
use crate::input::{Context, ScenarioContext, is_in_scenario};
use crate::limits::{ShareLimit, is_on_service, looks_at, share_limits};
use crate::marks::glyph;
use crate::messages::say;
use crate::number::clean;
use judge::{Arg, RequirementResult};
use std::collections::BTreeSet;
use study::Study;
use study::rule::Subject;
use terms::{Histogram, Verdict};

/// Limits side by side; more would be a table that nobody can read.
const LIMITS_MAX: usize = 8;
/// Rows at most: steps by servers.
const ROWS_MAX: usize = 200;

/// One place in one scenario against one limit.
pub(super) struct Kept {
    /// Which limit, a number of [`ByStep::limits`].
    pub limit: usize,
    pub scenario: String,
    /// A server, or the exchange as clients saw it.
    pub place: String,
    pub verdict: Verdict,
    /// Whether the place is a server.
    pub is_server: bool,
    /// Calls that the verdict rests on.
    pub calls: u64,
    /// Calls beyond the limit, where the rule counts them.
    pub beyond: Option<u64>,
    /// The time that just the share asked for kept, milliseconds; `None` where too many calls have no time.
    pub kept_ms: Option<f64>,
}

/// All of them.
pub(super) struct ByStep {
    /// Share and milliseconds of each limit, in the study's order.
    pub limits: Vec<(f64, f64)>,
    /// In order of time, then of the study.
    pub all: Vec<Kept>,
}

/// What the study asks of times; without anything where it asks nothing or cannot be read.
pub(super) fn by_step(cx: &Context<'_>) -> ByStep {
    let mut found = ByStep { limits: Vec::new(), all: Vec::new() };
    let Some(study) = cx.input.study else { return found };
    let asked = share_limits(study);
    // A result of all repetitions is one of each of them, and is told with the first.
    let mut told: BTreeSet<(usize, &str, &str)> = BTreeSet::new();
    for scenario in cx.scenarios() {
        for limit in asked.iter().filter(|limit| limit.scenario == usize::from(scenario.index)) {
            let number = match found.limits.iter().position(|known| *known == (limit.share, limit.ms)) {
                Some(number) => number,
                None => {
                    found.limits.push((limit.share, limit.ms));
                    found.limits.len() - 1
                }
            };
            let results = cx.input.judgement.requirements.iter();
            let own = results.filter(|it| it.id == limit.name && is_in_scenario(&it.scope, scenario.name));
            let own = own.filter(|result| told.insert((number, &result.id, result.scope.as_str())));
            found.all.extend(own.map(|result| kept(cx, study, &scenario, limit, number, result)));
        }
    }
    // Of a scenario what clients saw comes first.
    let mut order: Vec<String> = found.all.iter().map(|kept| kept.scenario.clone()).collect();
    order.dedup();
    let place = |kept: &Kept| (order.iter().position(|name| *name == kept.scenario), kept.is_server);
    found.all.sort_by_key(place);
    found
}

fn kept(
    cx: &Context<'_>,
    study: &Study,
    scenario: &ScenarioContext<'_>,
    limit: &ShareLimit<'_>,
    number: usize,
    result: &RequirementResult,
) -> Kept {
    let (calls, inner) = (result.sample_count, result.scope.inner());
    let beyond = limit.counts_fast.and_then(|counts_fast| {
        let share = result.value?;
        let slow = if counts_fast { 1.0 - share } else { share };
        Some((slow * calls as f64).round() as u64)
    });
    // What has no time, such as a failed call, is beyond every limit.
    let rank = (limit.share * calls as f64).ceil().max(1.0) as u64;
    let kept_ms = match &limit.statistic.series.subject {
        Subject::Metric { monitor, metric } => {
            let mut values = watched(cx, scenario, (monitor, metric), inner.last().map(String::as_str));
            values.sort_by(f64::total_cmp);
            let place = usize::try_from(rank - 1).ok().filter(|_| values.len() as u64 <= calls);
            place.and_then(|place| values.get(place).copied())
        }
        _ if is_on_service(limit.statistic) && !scenario.is_closed => None,
        _ => {
            let is_meant = |(exchange, leg): &(&str, &str)| {
                let is_inside = |name: &String| exchange.split('/').any(|own| own == name);
                inner.iter().all(is_inside) && looks_at(study, limit.statistic, exchange, leg)
            };
            let mut times = Histogram::new();
            for (exchange, leg) in scenario.legs().into_iter().filter(is_meant) {
                times.merge(&took(scenario, exchange, leg).times);
            }
            let total = times.total();
            // Of one step of several, or of a part of one, the times of all say nothing.
            let is_of_all = total <= calls;
            // In the middle of its rank, so that rounding finds no other.
            let quantile = (rank as f64 - 0.5) / total.max(1) as f64;
            (is_of_all && rank <= total).then(|| times.quantile(quantile)).flatten().map(terms::Nanos::as_millis_f64)
        }
    };
    let named = || limit.statistic.series.text.rsplit_once('.').map_or("", |(before, _)| before).to_owned();
    let place = if inner.is_empty() { named() } else { inner.join(" · ") };
    let is_server = matches!(limit.statistic.series.subject, Subject::Metric { .. });
    let (scenario, place) = (scenario.name.to_owned(), clean(&place));
    Kept { limit: number, scenario, place, verdict: result.verdict, is_server, calls, beyond, kept_ms }
}

/// Watched durations in the holds of a scenario, milliseconds: of one server, or of all.
fn watched(
    cx: &Context<'_>,
    scenario: &ScenarioContext<'_>,
    (monitor, metric): (&str, &str),
    instance: Option<&str>,
) -> Vec<f64> {
    let name = format!("{monitor}.{metric}");
    let views = cx.input.views.metrics.iter();
    let own = views.filter(|view| view.name() == name && instance.is_none_or(|instance| view.instance == instance));
    let spans: Vec<_> = scenario.holds().map(|(step, _)| (step.from, step.to)).collect();
    let points = own.flat_map(|view| view.points.iter());
    let held = points.filter(|(at, _)| spans.iter().any(|(from, to)| from <= at && at < to));
    held.filter_map(|(_, value)| *value).map(|seconds| seconds * 1e3).collect()
}

/// The table, a row for each server or exchange in each step; `None` where no time is limited.
pub(super) fn table(cx: &Context<'_>, by_step: &ByStep) -> Option<Table> {
    let limits = &by_step.limits[..by_step.limits.len().min(LIMITS_MAX)];
    let mut places: Vec<(&str, &str)> = Vec::new();
    for kept in &by_step.all {
        let own = (kept.scenario.as_str(), kept.place.as_str());
        if !places.contains(&own) {
            places.push(own);
        }
    }
    let invalid: Vec<&str> =
        cx.scenarios().iter().filter(|scenario| !is_valid(scenario)).map(|scenario| scenario.name).collect();
    let row = |(scenario, place): &(&str, &str)| {
        let here = || by_step.all.iter().filter(|kept| kept.scenario == *scenario && kept.place == *place);
        let calls = here().map(|kept| kept.calls).max().unwrap_or(0) as f64;
        let name = Cell::code(*scenario);
        let mut cells = vec![
            if invalid.contains(scenario) {
                name.with_detail(say!(cx.m, "validity-word", validity = "invalid"))
            } else {
                name
            },
            Cell::code(*place),
            Cell::number(cx.m.numbers.count(calls), calls),
        ];
        let of = |number: usize| here().find(|kept| kept.limit == number).map_or_else(Cell::missing, |it| cell(cx, it));
        cells.extend((0..limits.len()).map(of));
        Row::new(cells)
    };
    let rows: Vec<Row> = places.iter().take(ROWS_MAX).map(row).collect();
    let mut columns = vec![
        Column::text(say!(cx.m, "col-scenario")),
        Column::text(say!(cx.m, "col-where")),
        Column::number(say!(cx.m, "col-calls"), ""),
    ];
    columns.extend(limits.iter().map(|limit| Column::number(title(cx, *limit), "")));
    (!rows.is_empty()).then(|| Table {
        name: "limits-by-step".to_owned(),
        caption: say!(cx.m, "table-limits-by-step"),
        columns,
        rows,
        notes: vec![say!(cx.m, "note-limits-by-step")],
    })
}

/// `95% below 2.5 s`
pub(super) fn title(cx: &Context<'_>, (share, ms): (f64, f64)) -> String {
    let (share, limit) = (Arg::Share(share).given(), Arg::Milliseconds(ms).given());
    say!(cx.m, "limits-by-step-limit", share = share, limit = limit)
}

fn cell(cx: &Context<'_>, kept: &Kept) -> Cell {
    let mark = glyph(kept.verdict);
    let cell = match kept.kept_ms {
        Some(ms) => {
            let shown = InUnit::beside(cx.m.numbers, "ms", ms, ms).shown(ms);
            Cell::number(format!("{mark} {shown}"), ms).in_unit("ms")
        }
        None => Cell::text(format!("{mark} {}", crate::number::MISSING)),
    };
    match kept.beyond {
        Some(0) => cell.with_detail(say!(cx.m, "limits-by-step-none")),
        Some(beyond) => {
            let share = Arg::Share(beyond as f64 / kept.calls.max(1) as f64);
            cell.with_detail(say!(cx.m, "limits-by-step-beyond", beyond = beyond, share = share))
        }
        None => cell,
    }
}
