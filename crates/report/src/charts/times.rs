//! Times over time: percentiles of each second, and the heat map of all calls.

use super::load::scenario_group;
use super::{Words, column, figure, is_judged, moment, number_row, phases, time_axis};
use crate::document::{Column, Figure, Row, Table};
use crate::input::{Context, ScenarioContext, leg_title};
use crate::limits::Limit;
use crate::messages::say;
use crate::palette;
use crate::svg::{Plot, Scale, Stroke, data_uri};
use judge::Arg;
use judge::views::{LegSecond, heat_bin_low};
use std::collections::BTreeMap;
use terms::{Histogram, Nanos};

const P50: Stroke = Stroke::solid("blue", 1.9);
const P95: Stroke = Stroke::dashed("orange", 1.6, "5 2");
const P99: Stroke = Stroke::dashed("purple", 1.6, "2 2");
/// A second's percentile is drawn when at least this many calls of a usual second lie at or beyond it.
const CALLS_BEYOND: f64 = 1.0;
/// A group of times apart from the others has at least so many calls, and one in a hundred of all.
const GROUP_CALLS: u64 = 10;
/// A heat map has at most so many columns; longer runs put several seconds into one.
const HEAT_COLUMNS: i64 = 360;

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
pub(crate) fn percentiles_over_time(
    cx: &Context<'_>,
    scenario: &ScenarioContext<'_>,
    (exchange, leg): (&str, &str),
    limits: &[Limit],
    anchor: &str,
) -> Option<Box<Figure>> {
    let seconds = leg_seconds(scenario, exchange, leg);
    if seconds.values().all(|second| second.max.is_none()) {
        return None;
    }
    let mut counts: Vec<u64> = seconds.values().map(|second| second.ok).filter(|count| *count > 0).collect();
    counts.sort_unstable();
    let usual = counts.get(counts.len() / 2).copied().unwrap_or(0) as f64;
    let carries = |quantile: f64| usual * (1.0 - quantile) >= CALLS_BEYOND - 1e-9;
    let ms = |time: Option<Nanos>| time.map(Nanos::as_millis_f64);
    let plot = draw_over_time(cx, scenario, &seconds, limits, &carries);
    let (observation, assessment) = over_time_words(cx, scenario, &seconds, limits);
    let mut reading = if carries(0.99) {
        say!(cx.m, "fig-over-time-reading")
    } else {
        say!(cx.m, "fig-over-time-reading-few", usual = Arg::Count(usual))
    };
    if !limits.is_empty() {
        reading = format!("{reading} {}", say!(cx.m, "fig-over-time-reading-limit"));
    }
    let rows = seconds.iter().map(|(second, view)| {
        let at = scenario.since_second(*second);
        let pick = |quantile: f64, value: Option<Nanos>| if carries(quantile) { ms(value) } else { None };
        let values =
            [Some(view.ok as f64), pick(0.5, view.p50), pick(0.95, view.p95), pick(0.99, view.p99), ms(view.max)];
        number_row(plot.px(at), moment(at - 0.5), &values, cx.m.numbers)
    });
    let rows = rows.collect();
    let words = Words {
        anchor: anchor.to_owned(),
        caption: say!(
            cx.m,
            "fig-over-time-caption",
            what = &leg_title(exchange, leg),
            scenario = scenario.name,
            measure = scenario.measure()
        ),
        observation,
        assessment,
        reading,
        findings: cx.findings_on(scenario.name, Some(exchange), &["STALL", "DRIFT", "DROP", "CO-CLOSED"]),
        group: scenario_group(scenario),
        data: Table { columns: over_time_columns(cx), rows, ..Table::default() },
    };
    Some(figure(plot, words))
}

/// A line: its quantile, its name, how it is drawn, and which figure of a second it shows.
type Line = (f64, &'static str, Stroke, fn(&LegSecond) -> Option<Nanos>);

/// Lines from the highest percentile down, so that the median lies on top.
const LINES: [Line; 3] = [(0.99, "p99", P99, |s| s.p99), (0.95, "p95", P95, |s| s.p95), (0.5, "p50", P50, |s| s.p50)];

/// Limits, dots of the greatest times, lines of the percentiles that a usual second carries.
fn draw_over_time(
    cx: &Context<'_>,
    scenario: &ScenarioContext<'_>,
    seconds: &BTreeMap<i64, LegSecond>,
    limits: &[Limit],
    carries: &dyn Fn(f64) -> bool,
) -> Plot {
    let ms = |time: Option<Nanos>| time.map(Nanos::as_millis_f64);
    let shown = seconds.values().flat_map(|second| [ms(second.p50), ms(second.max)]).flatten();
    let scale = Scale::log_over(shown.chain(limits.iter().map(|limit| limit.ms)));
    let mut plot = Plot::new(230.0, time_axis(scenario), scale, cx.m.numbers);
    phases(&mut plot, cx, scenario);
    plot.axes(&say!(cx.m, "axis-time"), &say!(cx.m, "axis-times", measure = scenario.measure()));
    if let Some(limit) = limits.last() {
        plot.limit_above(limit.ms, &limit_label(cx, limit));
    }
    for limit in limits.iter().rev().skip(1) {
        plot.limit_line(limit.ms, &limit_label(cx, limit));
    }
    let greatest: Vec<_> = seconds.iter().filter_map(|(at, view)| Some((*at, ms(view.max)?))).collect();
    for (second, value) in thinned(&greatest) {
        let place = (plot.px(scenario.since_second(second)), plot.py(value));
        plot.canvas.dot(place, 1.5, "grey");
    }
    for (_, name, stroke, pick) in LINES.into_iter().filter(|line| carries(line.0)) {
        let line = filled(scenario, seconds, |view| ms(pick(view)));
        let last = line.iter().rev().find_map(|point| point.1);
        plot.line(&line, stroke);
        plot.label(last.unwrap_or(1.0), name, stroke);
    }
    if let Some((_, last)) = greatest.last() {
        plot.label(*last, &say!(cx.m, "label-max"), Stroke::dashed("grey", 3.0, "3 4"));
    }
    plot
}

fn over_time_columns(cx: &Context<'_>) -> Vec<Column> {
    vec![
        Column { is_number: true, title: say!(cx.m, "col-time"), ..Column::default() },
        column(say!(cx.m, "col-calls"), ""),
        column("p50", "ms"),
        column("p95", "ms"),
        column("p99", "ms"),
        column(say!(cx.m, "col-max"), "ms"),
    ]
}

fn limit_label(cx: &Context<'_>, limit: &Limit) -> String {
    cx.m.numbers.given_seconds(limit.ms / 1e3)
}

fn over_time_words(
    cx: &Context<'_>,
    scenario: &ScenarioContext<'_>,
    seconds: &BTreeMap<i64, LegSecond>,
    limits: &[Limit],
) -> (String, String) {
    let judged: Vec<_> = seconds.iter().filter(|(second, _)| is_judged(scenario, **second)).collect();
    let mut medians: Vec<Nanos> = judged.iter().filter_map(|(_, view)| view.p50).collect();
    medians.sort_unstable();
    let worst =
        judged.iter().filter_map(|(second, view)| Some((view.max?, **second))).max_by_key(|(max, at)| (*max, -at));
    let (Some(median), Some((greatest, at))) = (medians.get(medians.len() / 2), worst) else {
        return (say!(cx.m, "fig-over-time-seen-none"), say!(cx.m, "fig-over-time-means-none"));
    };
    let when = crate::svg::clock(scenario.since_second(at) - 0.5);
    let seen = say!(
        cx.m,
        "fig-over-time-seen",
        median = Arg::Milliseconds(median.as_millis_f64()),
        greatest = Arg::Milliseconds(greatest.as_millis_f64()),
        when = &when
    );
    let Some(limit) = limits.first() else { return (seen, say!(cx.m, "fig-over-time-means-no-limit")) };
    let above = judged.iter().filter(|(_, view)| view.max.is_some_and(|max| max.as_millis_f64() > limit.ms)).count();
    let means = if above == 0 {
        say!(cx.m, "fig-over-time-means-below", limit = Arg::Milliseconds(limit.ms))
    } else {
        say!(
            cx.m,
            "fig-over-time-means-above",
            limit = Arg::Milliseconds(limit.ms),
            above = above,
            seconds = judged.len()
        )
    };
    (seen, means)
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

/// All calls as a heat map: time across, times up on a log scale, darkness by the square root of the count.
pub(crate) fn heat_map(
    cx: &Context<'_>,
    scenario: &ScenarioContext<'_>,
    (exchange, leg): (&str, &str),
    limits: &[Limit],
    anchor: &str,
) -> Option<Box<Figure>> {
    let (mut heat, mut all) = (BTreeMap::<(i64, u16), u64>::new(), Histogram::new());
    for (_, _, view) in scenario.leg_views(exchange, leg) {
        for (cell, count) in &view.heat {
            *heat.entry(*cell).or_default() += count;
        }
        all.merge(view.ok.times());
    }
    let least = heat.keys().map(|(_, bin)| *bin).min()?;
    let greatest = heat.keys().map(|(_, bin)| *bin).max()?;
    let (low, high) = (least.saturating_sub(2), greatest + 2);
    let ms = |bin: u16| heat_bin_low(bin).as_millis_f64();
    let mut plot = Plot::new(230.0, time_axis(scenario), Scale::Log { low: ms(low), high: ms(high + 1) }, cx.m.numbers);
    phases(&mut plot, cx, scenario);
    plot.axes(&say!(cx.m, "axis-time"), &say!(cx.m, "axis-times", measure = scenario.measure()));
    let width_s = (scenario.length().ceil() as i64 + HEAT_COLUMNS - 1) / HEAT_COLUMNS;
    let first = scenario.from.second();
    let columns = ((scenario.to - Nanos(1)).second().max(first) - first) / width_s + 1;
    let rows = usize::from(high - low) + 1;
    let raster = raster(&heat, columns as usize, rows, |(second, bin)| {
        let column = (second - first).div_euclid(width_s).clamp(0, columns - 1);
        (column as usize, usize::from(high - bin))
    });
    let uri = data_uri(columns as usize, rows, &raster, palette::light("heat"))?;
    // The raster begins with a whole second of the run, which may lie before the scenario.
    let begin = scenario.since(Nanos::from_secs(first));
    let scale = plot.width / scenario.length();
    let frame = [plot.left, plot.top, plot.width, plot.height];
    plot.canvas.image(frame, (plot.left + begin * scale, (columns * width_s) as f64 * scale), &uri);
    for limit in limits {
        plot.limit_line(limit.ms, &limit_label(cx, limit));
    }
    let words = Words {
        anchor: anchor.to_owned(),
        caption: say!(
            cx.m,
            "fig-heat-caption",
            what = &leg_title(exchange, leg),
            scenario = scenario.name,
            measure = scenario.measure()
        ),
        observation: heat_seen(cx, &all),
        assessment: heat_means(cx, &heat),
        reading: say!(cx.m, "fig-heat-reading", width = Arg::Seconds(width_s as f64)),
        findings: cx.findings_on(scenario.name, Some(exchange), &["STALL", "MEAN-GT-P90", "CO-CLOSED"]),
        group: scenario_group(scenario),
        data: heat_table(cx, scenario, &heat, width_s, first, &plot),
    };
    Some(figure(plot, words))
}

/// Opacity of each cell: the square root of its share of the fullest cell of its column, so that rare slow calls show.
fn raster(
    heat: &BTreeMap<(i64, u16), u64>,
    columns: usize,
    rows: usize,
    place: impl Fn((i64, u16)) -> (usize, usize),
) -> Vec<u8> {
    let mut counts = vec![0u64; columns * rows];
    for (cell, count) in heat {
        let (column, row) = place(*cell);
        counts[row.min(rows - 1) * columns + column] += count;
    }
    let fullest = |column: usize| (0..rows).map(|row| counts[row * columns + column]).max().unwrap_or(0).max(1);
    let fullest: Vec<u64> = (0..columns).map(fullest).collect();
    let opacity = |(index, count): (usize, &u64)| match count {
        0 => 0,
        // The least is dark enough to be seen: one call in a million is what the reader looks for.
        count => (70.0 + 185.0 * (*count as f64 / fullest[index % columns] as f64).sqrt()).min(255.0) as u8,
    };
    counts.iter().enumerate().map(opacity).collect()
}

fn heat_seen(cx: &Context<'_>, all: &Histogram) -> String {
    let ms = |time: Option<Nanos>| Arg::Milliseconds(time.map_or(0.0, Nanos::as_millis_f64));
    say!(
        cx.m,
        "fig-heat-seen",
        low = ms(all.quantile(0.1)),
        high = ms(all.quantile(0.9)),
        greatest = ms(all.max()),
        count = all.total()
    )
}

/// Groups of times with at least two empty bins between, each large enough to be one.
fn heat_means(cx: &Context<'_>, heat: &BTreeMap<(i64, u16), u64>) -> String {
    let mut bins: BTreeMap<u16, u64> = BTreeMap::new();
    for ((_, bin), count) in heat {
        *bins.entry(*bin).or_default() += count;
    }
    let total: u64 = bins.values().sum();
    let (mut groups, mut last) = (Vec::<u64>::new(), None::<u16>);
    for (bin, count) in &bins {
        match (last, groups.last_mut()) {
            (Some(before), Some(group)) if bin - before <= 2 => *group += count,
            _ => groups.push(*count),
        }
        last = Some(*bin);
    }
    let is_group = |count: u64| count >= GROUP_CALLS && count * 100 >= total;
    let large = groups.iter().filter(|count| is_group(**count)).count();
    let outside: u64 = groups.iter().filter(|count| !is_group(**count)).sum();
    match (large, outside) {
        (0 | 1, 0) => say!(cx.m, "fig-heat-means-one"),
        (0 | 1, outside) => say!(cx.m, "fig-heat-means-outliers", outside = outside),
        (groups, _) => say!(cx.m, "fig-heat-means-groups", groups = groups),
    }
}

fn heat_table(
    cx: &Context<'_>,
    scenario: &ScenarioContext<'_>,
    heat: &BTreeMap<(i64, u16), u64>,
    width_s: i64,
    first: i64,
    plot: &Plot,
) -> Table {
    let mut by_column: BTreeMap<i64, BTreeMap<u16, u64>> = BTreeMap::new();
    for ((second, bin), count) in heat {
        *by_column.entry((second - first).div_euclid(width_s)).or_default().entry(*bin).or_default() += count;
    }
    let row = |(column, bins): (&i64, &BTreeMap<u16, u64>)| -> Row {
        let begin = scenario.since(Nanos::from_secs(first + column * width_s));
        let calls: u64 = bins.values().sum();
        let fullest = bins.iter().max_by_key(|(bin, count)| (**count, std::cmp::Reverse(**bin)));
        let low = |bin: Option<&u16>| bin.map(|bin| heat_bin_low(*bin).as_millis_f64());
        let values = [
            Some(calls as f64),
            low(bins.keys().next()),
            low(fullest.map(|(bin, _)| bin)),
            low(bins.keys().next_back()),
        ];
        number_row(plot.px(begin + width_s as f64 / 2.0), moment(begin.max(0.0)), &values, cx.m.numbers)
    };
    Table {
        columns: vec![
            Column { is_number: true, title: say!(cx.m, "col-time"), ..Column::default() },
            column(say!(cx.m, "col-calls"), ""),
            column(say!(cx.m, "col-bin-least"), "ms"),
            column(say!(cx.m, "col-bin-fullest"), "ms"),
            column(say!(cx.m, "col-bin-greatest"), "ms"),
        ],
        rows: by_column.iter().map(row).collect(),
        ..Table::default()
    }
}
