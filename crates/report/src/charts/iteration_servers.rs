//! Calls and their mean duration in each server's own log, minute by minute over the whole run.

use super::iterations::{Run, stairs};
use super::panels::{Grid, Panel, PanelLine, columns_for};
use super::{Words, column, hue_of, joined, moment, number_row, time_axis};
use crate::document::{Cell, Column, Figure, Table};
use crate::input::Context;
use crate::messages::say;
use crate::number::clean;
use crate::svg::{Scale, Stroke};
use judge::Arg;
use judge::assess::{self, Replicas};
use judge::evaluate::Kind;
use judge::views::MetricView;

/// Servers in one figure; the table has the sum of all.
const PANELS_MAX: usize = 12;
/// Lengths of parts, each with the length of the shortest iteration from which on it is taken, seconds.
const WIDTHS: [(f64, f64); 3] = [(60.0, 120.0), (10.0, 20.0), (1.0, 0.0)];

/// A metric that has a duration for each call, with the servers that it was watched on.
pub(crate) struct Watched<'a> {
    pub monitor: String,
    pub metric: String,
    /// At least one, in the order of the monitor.
    pub views: Vec<&'a MetricView>,
}

impl Watched<'_> {
    /// What readers call it.
    pub(crate) fn word(&self, cx: &Context<'_>) -> String {
        clean(&cx.metric_word(&self.monitor, &self.metric))
    }
}

/// Which of the two figures.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Shown {
    /// Calls a minute.
    Calls,
    /// Mean duration of the calls of each part, milliseconds.
    Durations,
}

impl Shown {
    fn name(self) -> &'static str {
        match self {
            Self::Calls => "calls",
            Self::Durations => "durations",
        }
    }

    fn unit(self) -> &'static str {
        match self {
            Self::Calls => "/min",
            Self::Durations => "ms",
        }
    }
}

/// A part of an iteration: number of the iteration, begin and end, seconds since the run began, and its value.
type Part = (usize, f64, f64, Option<f64>);

fn parts(run: &Run<'_, '_>, view: &MetricView, shown: Shown, width: f64) -> Vec<Part> {
    let mut found = Vec::new();
    for (number, iteration) in run.iterations.iter().enumerate() {
        let parts = iteration.parts(width);
        let mut sums = vec![(0u64, 0.0); parts.count];
        for (at, value) in view.points.iter().filter(|(at, _)| iteration.holds(*at)) {
            if let Some(seconds) = value {
                let sum = &mut sums[parts.of((*at - iteration.from).as_secs_f64())];
                *sum = (sum.0 + 1, sum.1 + seconds * 1e3);
            }
        }
        let from = run.whole.since(iteration.from);
        found.extend(sums.into_iter().enumerate().map(|(part, (calls, sum))| {
            let value = match shown {
                Shown::Calls => Some(calls as f64 * 60.0 / parts.seconds),
                Shown::Durations => (calls > 0).then(|| sum / calls as f64),
            };
            (number, from + part as f64 * parts.seconds, from + (part + 1) as f64 * parts.seconds, value)
        }));
    }
    found
}

/// The figure, a panel for each server; `None` where no call was logged in an iteration.
pub(crate) fn iteration_servers(
    run: &Run<'_, '_>,
    of: &Watched<'_>,
    shown: Shown,
    anchor: &str,
) -> Option<Box<Figure>> {
    let (cx, m) = (run.cx, &run.cx.m);
    let shortest = run.iterations.iter().map(|iteration| iteration.seconds()).fold(f64::INFINITY, f64::min);
    let (width, _) = WIDTHS.into_iter().find(|(_, from)| shortest >= *from)?;
    let servers: Vec<(&MetricView, Vec<Part>)> =
        of.views.iter().take(PANELS_MAX).map(|view| (*view, parts(run, view, shown, width))).collect();
    let values =
        || servers.iter().flat_map(|(view, parts)| parts.iter().filter_map(move |it| Some((*view, it, it.3?))));
    let (server, part, most) = values().max_by(|a, b| a.2.total_cmp(&b.2)).filter(|most| most.2 > 0.0)?;
    let y = Scale::from_zero([most].into_iter());
    let panel = |(view, parts): &(&MetricView, Vec<Part>)| Panel {
        title: clean(&view.instance),
        remark: String::new(),
        lines: vec![PanelLine {
            stroke: Stroke::solid(hue_of(cx, &view.instance), 1.6),
            points: stairs(parts.iter().copied()),
            name: String::new(),
        }],
        idle: None,
        ceiling: None,
        y,
        is_mirrored: false,
    };
    let panels: Vec<Panel> = servers.iter().map(panel).collect();
    let columns = columns_for(panels.len()).min(2);
    let grid = Grid {
        columns,
        height: if columns == 1 { 130.0 } else { 110.0 },
        panels,
        is_common: true,
        y_title: say!(m, "fig-iteration-servers-axis", shown = shown.name()),
        x_title: say!(m, "axis-run-iterations"),
    };
    let canvas = grid.draw_spans(cx, run.whole, &run.spans());
    let longest = run.iterations.iter().map(|it| it.parts(width).seconds).fold(0.0, f64::max);
    let (iteration, server) = (&run.iterations[part.0].name, clean(&server.instance));
    let highest = match shown {
        Shown::Calls => format!("{}/min", m.numbers.value(most)),
        Shown::Durations => m.numbers.arg(&Arg::Milliseconds(most)),
    };
    let left = of.views.len().saturating_sub(PANELS_MAX);
    let mut reading = say!(m, "fig-iteration-servers-reading", width = Arg::Seconds(longest));
    if left > 0 {
        reading = format!("{reading} {}", say!(m, "fig-iteration-system-left", left = left));
    }
    let words = Words {
        anchor: anchor.to_owned(),
        subject: say!(
            m,
            "fig-iteration-servers-what",
            shown = shown.name(),
            metric = &of.word(cx),
            monitor = &clean(&of.monitor)
        ),
        caption: say!(
            m,
            "fig-iteration-servers-finds",
            shown = shown.name(),
            highest = &highest,
            server = &server,
            iteration = iteration
        ),
        observation: ends(run, &servers, shown),
        assessment: evenness(run, &servers, shown),
        reading,
        findings: Vec::new(),
        group: "whole".to_owned(),
        data: table(run, &grid, &servers, shown),
    };
    let svg = canvas.finish(anchor, &words.caption, &words.observation);
    Some(joined(svg, words))
}

/// Mean of a server's parts in an iteration.
fn mean_in(parts: &[Part], iteration: usize) -> Option<f64> {
    let own: Vec<f64> = parts.iter().filter(|part| part.0 == iteration).filter_map(|part| part.3).collect();
    (!own.is_empty()).then(|| super::mean(&own))
}

fn written(run: &Run<'_, '_>, shown: Shown, value: f64) -> String {
    match shown {
        Shown::Calls => format!("{}/min", run.cx.m.numbers.value(value)),
        Shown::Durations => run.cx.m.numbers.arg(&Arg::Milliseconds(value)),
    }
}

/// Where the first and the last iteration lie, of the servers together.
fn ends(run: &Run<'_, '_>, servers: &[(&MetricView, Vec<Part>)], shown: Shown) -> String {
    let of = |iteration: usize| {
        let values: Vec<f64> = servers.iter().filter_map(|(_, parts)| mean_in(parts, iteration)).collect();
        (!values.is_empty()).then(|| super::mean(&values))
    };
    let missing = || crate::number::MISSING.to_owned();
    let shown = |value: Option<f64>| value.map_or_else(missing, |value| written(run, shown, value));
    let (first, last) = (shown(of(0)), shown(of(run.iterations.len() - 1)));
    say!(
        run.cx.m,
        "fig-iteration-servers-seen",
        servers = servers.len(),
        iterations = run.iterations.len(),
        first = &first,
        last = &last
    )
}

/// How far the servers lie apart in the iteration in which they lie furthest apart.
fn evenness(run: &Run<'_, '_>, servers: &[(&MetricView, Vec<Part>)], shown: Shown) -> String {
    let of = |(view, parts): &(&MetricView, Vec<Part>)| {
        (clean(&view.instance), (0..run.iterations.len()).map(|number| mean_in(parts, number)).collect())
    };
    let all: Vec<(String, Vec<Option<f64>>)> = servers.iter().map(of).collect();
    // Who gets how many calls is what a balancer decides, however few they are.
    let differ = |difference: f64| match shown {
        Shown::Calls => true,
        Shown::Durations => assess::replicas_differ(difference / 1e3, Kind::Time, false),
    };
    apart(run, &all, differ, |value| written(run, shown, value))
}

/// What parts replicas of one server in the iteration in which one of them is furthest above their mean: names, and a
/// value for each iteration; `differ` says which difference matters. Servers of different kinds have different work, and are
/// not held against each other.
pub(super) fn apart(
    run: &Run<'_, '_>,
    servers: &[(String, Vec<Option<f64>>)],
    differ: impl Fn(f64) -> bool,
    written: impl Fn(f64) -> String,
) -> String {
    let m = &run.cx.m;
    let mut kinds: Vec<&str> = servers.iter().filter_map(|(name, _)| kind(name)).collect();
    kinds.dedup();
    let of = |(number, of_kind): (usize, &&str)| {
        let own = servers.iter().filter(|(name, _)| kind(name) == Some(of_kind));
        let own = own.filter_map(|(name, values)| Some((name, values.get(number).copied().flatten()?)));
        let own: Vec<(&String, f64)> = own.collect();
        let least = *own.iter().min_by(|a, b| a.1.total_cmp(&b.1))?;
        let most = *own.iter().max_by(|a, b| a.1.total_cmp(&b.1))?;
        let mean = super::mean(&own.iter().map(|one| one.1).collect::<Vec<f64>>());
        let spread = assess::Spread { ratio: most.1 / mean, matters: differ(most.1 - least.1) };
        (own.len() > 1 && mean > 0.0).then_some((spread, number, most, least))
    };
    let all = (0..run.iterations.len()).flat_map(|number| kinds.iter().map(move |kind| (number, kind)));
    let worst = all.filter_map(of).max_by(|a, b| a.0.compare(&b.0));
    let Some((spread, number, most, least)) = worst else { return say!(m, "fig-iteration-servers-means-one") };
    let key = match assess::replicas(spread, false) {
        Replicas::Even(_) | Replicas::Small(_) => "fig-iteration-servers-means-even",
        _ => "fig-iteration-servers-means-apart",
    };
    let (most_value, least_value) = (written(most.1), written(least.1));
    say!(
        m,
        key,
        iteration = &run.iterations[number].name,
        most = most.0,
        most_value = &most_value,
        least = least.0,
        least_value = &least_value
    )
}

/// The server that a replica is one of: `lookup` for `lookup.2`.
fn kind(name: &str) -> Option<&str> {
    let (kind, number) = name.rsplit_once('.')?;
    (!number.is_empty() && number.bytes().all(|digit| digit.is_ascii_digit())).then_some(kind)
}

fn table(run: &Run<'_, '_>, grid: &Grid, servers: &[(&MetricView, Vec<Part>)], shown: Shown) -> Table {
    let (m, x) = (&run.cx.m, time_axis(run.whole));
    let count = servers.first().map_or(0, |(_, parts)| parts.len());
    let row = |place: usize| {
        let (iteration, from, to, _) = servers[0].1[place];
        let values: Vec<Option<f64>> = servers.iter().map(|(_, parts)| parts[place].3).collect();
        let mut row = number_row(grid.px(x, (from + to) / 2.0), moment(from), &values, m.numbers);
        row.cells.insert(1, Cell::text(run.iterations[iteration].name.clone()));
        row
    };
    let mut columns = vec![
        Column { is_number: true, title: say!(m, "col-run-time"), ..Column::default() },
        Column::text(say!(m, "search-col-iteration")),
    ];
    columns.extend(servers.iter().map(|(view, _)| column(clean(&view.instance), shown.unit())));
    Table { columns, rows: (0..count).map(row).collect(), ..Table::default() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn replicas_are_told_by_the_number_behind_their_name() {
        assert_eq!(
            (kind("lookup.2"), kind("front"), kind("db.example"), kind("x.")),
            (Some("lookup"), None, None, None)
        );
    }
}
