//! Times over time: percentiles of each second, or of windows where a second has too few calls, and the slowest call.

use super::leg::{LegFigures, ms};
use super::windows::{self, Window};
use super::{Words, column, figure, is_judged, moment, number_row, phases, scenario_group, time_axis};
use crate::document::{Column, Figure, Table};
use crate::input::{Context, ScenarioContext};
use crate::messages::say;
use crate::svg::{Plot, Scale, Stroke};
use judge::Arg;
use judge::assess;
use judge::views::LegSecond;
use std::collections::BTreeMap;
use terms::Nanos;

const P50: Stroke = Stroke::solid("blue", 1.9);
const P95: Stroke = Stroke::dashed("orange", 1.6, "5 2");
const P99: Stroke = Stroke::dashed("purple", 1.6, "2 2");

/// One second of a leg, all steps together: the step with more calls in it speaks for a second that two share.
fn leg_seconds(scenario: &ScenarioContext<'_>, exchange: &str, leg: &str) -> BTreeMap<i64, LegSecond> {
    let mut seconds: BTreeMap<i64, LegSecond> = BTreeMap::new();
    for (_, _, view) in scenario.leg_views(exchange, leg) {
        for second in view.seconds.iter().filter(|second| second.ok + second.failed > 0) {
            match seconds.get(&second.second) {
                Some(known) if known.ok >= second.ok => {}
                _ => {
                    seconds.insert(second.second, second.clone());
                }
            }
        }
    }
    seconds
}

/// Percentiles over time with the limit; the greatest time of each second as a dot.
pub(crate) fn percentiles_over_time(of: &LegFigures<'_, '_>, anchor: &str) -> Option<Box<Figure>> {
    let (cx, scenario) = (of.cx, of.scenario);
    let seconds = leg_seconds(scenario, of.exchange, of.leg);
    if seconds.values().all(|second| second.max.is_none()) {
        return None;
    }
    let mut counts: Vec<u64> = seconds.values().map(|second| second.ok).filter(|count| *count > 0).collect();
    counts.sort_unstable();
    let usual = counts.get(counts.len() / 2).copied().unwrap_or(0) as f64;
    let carries = |quantile: f64| assess::second_carries(usual, quantile);
    let width = if carries(0.95) { None } else { windows::width(usual) };
    let windows = width.map(|width| windows::windows(of, width)).unwrap_or_default();
    let plot = draw(of, &seconds, &carries, (&windows, width.unwrap_or(1)));
    let (caption, observation, assessment) = sentences(of, &seconds);
    let has_windows = windows.iter().any(|window| window.values.iter().any(Option::is_some));
    let mut reading = if carries(0.99) {
        say!(cx.m, "fig-over-time-reading")
    } else if let (true, Some(width)) = (has_windows, width) {
        say!(
            cx.m,
            "fig-over-time-reading-window",
            usual = Arg::Count(usual).given(),
            width = Arg::Seconds(width as f64).given()
        )
    } else {
        say!(cx.m, "fig-over-time-reading-few", usual = Arg::Count(usual).given())
    };
    if !of.limits.is_empty() {
        reading = format!("{reading} {}", say!(cx.m, "fig-over-time-reading-limit"));
    }
    let rows = seconds.iter().map(|(second, view)| {
        let at = scenario.since_second(*second);
        let window = windows.iter().find(|window| window.second == *second);
        let pick = |number: usize, value: Option<Nanos>| match carries(windows::QUANTILES[number]) {
            true => ms(value),
            false => window.and_then(|window| window.values[number]),
        };
        let values = [Some(view.ok as f64), pick(0, view.p50), pick(1, view.p95), pick(2, view.p99), ms(view.max)];
        number_row(plot.px(at), moment(at - 0.5), &values, cx.m.numbers)
    });
    let rows = rows.collect();
    let words = Words {
        caption,
        observation,
        assessment,
        reading,
        group: scenario_group(scenario),
        data: Table { columns: columns(of, &carries, width), rows, ..Table::default() },
        ..of.words(anchor, "fig-over-time-caption", &["STALL", "DRIFT", "DROP", "WARM-UP", "CO-CLOSED"])
    };
    Some(figure(plot, words))
}

/// A line: its quantile, its name, how it is drawn, and which figure of a second it shows.
type Line = (f64, &'static str, Stroke, fn(&LegSecond) -> Option<Nanos>);

/// Lines from the highest percentile down, so that the median lies on top.
const LINES: [Line; 3] = [(0.99, "p99", P99, |s| s.p99), (0.95, "p95", P95, |s| s.p95), (0.5, "p50", P50, |s| s.p50)];

/// Limits, dots of the greatest times, lines of the percentiles that a usual second carries.
fn draw(
    of: &LegFigures<'_, '_>,
    seconds: &BTreeMap<i64, LegSecond>,
    carries: &dyn Fn(f64) -> bool,
    (windows, width): (&[Window], i64),
) -> Plot {
    let (cx, scenario) = (of.cx, of.scenario);
    let shown = seconds.values().flat_map(|second| [ms(second.p50), ms(second.max)]).flatten();
    let scale = Scale::log_to_limits(shown, of.limits.iter().map(|limit| limit.ms));
    let mut plot = Plot::new(230.0, time_axis(scenario), scale, cx.m.numbers);
    phases(&mut plot, cx, scenario);
    plot.axes(&say!(cx.m, "axis-time"), &of.axis("axis-times"));
    // Hatched from the last limit that is on the scale; those further away are named with an arrow.
    let hatched = of.limits.iter().rev().find(|limit| plot.y.holds(limit.ms)).map(|limit| limit.ms);
    for limit in of.limits.iter().rev() {
        if hatched == Some(limit.ms) {
            plot.limit_above(limit.ms, &of.limit_label(limit));
        } else {
            plot.limit_line(limit.ms, &of.limit_label(limit));
        }
    }
    let greatest: Vec<_> = seconds.iter().filter_map(|(at, view)| Some((*at, ms(view.max)?))).collect();
    plot.enter();
    let places: Vec<_> = thinned(&greatest)
        .into_iter()
        .map(|(second, value)| (plot.px(scenario.since_second(second)), plot.py(value)))
        .collect();
    plot.canvas.dots(&places, 1.5, "grey");
    plot.leave();
    for (quantile, name, stroke, pick) in LINES {
        let (line, name) = if carries(quantile) {
            (filled(scenario, seconds, |view| ms(pick(view))), name.to_owned())
        } else {
            (in_windows(scenario, windows, quantile), of_window(cx, name, width))
        };
        if let Some(last) = line.iter().rev().find_map(|point| point.1) {
            plot.line(&line, stroke);
            plot.label(last, &name, stroke);
        }
    }
    if let Some((_, last)) = greatest.last() {
        plot.label(*last, &say!(cx.m, "label-max"), Stroke::dashed("grey", 3.0, "3 4"));
    }
    plot
}

/// `p95 / 10 s`
fn of_window(cx: &Context<'_>, name: &str, width: i64) -> String {
    format!("{name} / {}", cx.m.numbers.given_seconds(width as f64))
}

/// A line through the middles of windows, with a gap where one has too few calls.
fn in_windows(scenario: &ScenarioContext<'_>, windows: &[Window], quantile: f64) -> Vec<(f64, Option<f64>)> {
    let Some(number) = windows::QUANTILES.iter().position(|known| *known == quantile) else { return Vec::new() };
    windows.iter().map(|window| (scenario.since_second(window.second), window.values[number])).collect()
}

/// A percentile that no single second carries is that of a window, and its column says of how long a one.
fn columns(of: &LegFigures<'_, '_>, carries: &dyn Fn(f64) -> bool, width: Option<i64>) -> Vec<Column> {
    let m = &of.cx.m;
    let name = |quantile: f64, name: &str| match width.filter(|_| !carries(quantile)) {
        Some(width) => of_window(of.cx, name, width),
        None => name.to_owned(),
    };
    vec![
        Column { is_number: true, title: say!(m, "col-time"), ..Column::default() },
        column(say!(m, "col-calls"), ""),
        column(name(0.5, "p50"), "ms"),
        column(name(0.95, "p95"), "ms"),
        column(name(0.99, "p99"), "ms"),
        column(say!(m, "col-max"), "ms"),
    ]
}

/// Finding, observation, assessment.
fn sentences(of: &LegFigures<'_, '_>, seconds: &BTreeMap<i64, LegSecond>) -> (String, String, String) {
    let (m, scenario) = (&of.cx.m, of.scenario);
    let judged: Vec<_> = seconds.iter().filter(|(second, _)| is_judged(scenario, **second)).collect();
    let mut medians: Vec<Nanos> = judged.iter().filter_map(|(_, view)| view.p50).collect();
    medians.sort_unstable();
    let worst =
        judged.iter().filter_map(|(second, view)| Some((view.max?, **second))).max_by_key(|(max, at)| (*max, -at));
    let (Some(median), Some((greatest, at))) = (medians.get(medians.len() / 2), worst) else {
        let said = ["fig-over-time-finds-none", "fig-over-time-seen-none", "fig-over-time-means-none"];
        let [finds, seen, means] = said.map(|key| say!(m, key));
        return (finds, seen, means);
    };
    let when = crate::svg::clock(scenario.since_second(at) - 0.5);
    let (median, greatest) = (Arg::Milliseconds(median.as_millis_f64()), Arg::Milliseconds(greatest.as_millis_f64()));
    let level = say!(m, "fig-over-time-finds-level", median = median.clone(), greatest = greatest.clone());
    let seen = say!(m, "fig-over-time-seen", median = median, greatest = greatest, when = &when);
    let Some(limit) = of.limits.first() else { return (level, seen, say!(m, "fig-over-time-means-no-limit")) };
    let above = judged.iter().filter(|(_, view)| view.max.is_some_and(|max| max.as_millis_f64() > limit.ms)).count();
    let limit = Arg::Milliseconds(limit.ms).given();
    let [finds, means] = if above == 0 {
        ["fig-over-time-finds-below", "fig-over-time-means-below"]
    } else {
        ["fig-over-time-finds-above", "fig-over-time-means-above"]
    }
    .map(|key| say!(m, key, limit = limit.clone(), above = above, seconds = judged.len()));
    (finds, seen, means)
}

/// A line with a gap wherever a second has no value.
fn filled(
    scenario: &ScenarioContext<'_>,
    seconds: &BTreeMap<i64, LegSecond>,
    pick: impl Fn(&LegSecond) -> Option<f64>,
) -> Vec<(f64, Option<f64>)> {
    let (Some(first), Some(last)) = (seconds.keys().next(), seconds.keys().next_back()) else { return Vec::new() };
    (*first..=*last).map(|second| (scenario.since_second(second), seconds.get(&second).and_then(&pick))).collect()
}

/// At most 1200 dots: the greatest of each stretch.
fn thinned(points: &[(i64, f64)]) -> Vec<(i64, f64)> {
    let stride = points.len().div_ceil(1200).max(1);
    let greatest = |part: &[(i64, f64)]| part.iter().copied().max_by(|a, b| a.1.total_cmp(&b.1));
    points.chunks(stride).filter_map(greatest).collect()
}
