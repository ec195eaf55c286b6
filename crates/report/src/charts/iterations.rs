//! The whole run as clients saw it, iteration by iteration: high percentiles in parts of the iterations, and calls a
//! second. What is drawn of times never mixes the calls of two iterations.

use super::panels::{Grid, Panel, PanelLine, Span};
use super::windows::{NO_CALLS, percentile};
use super::{Words, column, joined, moment, number_row, time_axis};
use crate::document::{Cell, Column, Figure, Table};
use crate::input::{Context, ScenarioContext, leg_title};
use crate::iteration::Iteration;
use crate::limits::limits;
use crate::messages::say;
use crate::number::clean;
use crate::svg::{Scale, Stroke};
use judge::Arg;
use judge::assess;
use judge::views::LegView;
use std::collections::BTreeMap;
use terms::Phase;

/// Percentiles that are drawn: quantile and stroke, the higher first, so that the lower lies on top.
const DRAWN: [(f64, Stroke); 2] = [(0.98, Stroke::dashed("purple", 1.6, "5 2")), (0.95, Stroke::solid("orange", 1.9))];
/// Lengths of parts, seconds; the shortest that has enough calls is taken, ten minutes at most.
const WIDTHS: [f64; 5] = [10.0, 30.0, 60.0, 300.0, 600.0];
/// More parts than this are not drawn: the next length is taken.
const PARTS_MAX: f64 = 150.0;
/// Legs in the figure of calls a second.
pub(crate) const LEGS_MAX: usize = 4;
const LEGS: [Stroke; LEGS_MAX] = [
    Stroke::solid("blue", 1.6),
    Stroke::dashed("orange", 1.6, "5 2"),
    Stroke::dashed("green", 1.6, "2 2"),
    Stroke::dashed("purple", 1.6, "1 3"),
];
const FAILED: Stroke = Stroke::solid("vermillion", 1.6);

/// The run and its iterations.
pub(crate) struct Run<'c, 'a> {
    pub cx: &'c Context<'a>,
    /// The whole run as one scenario.
    pub whole: &'c ScenarioContext<'a>,
    /// At least one, in order of time.
    pub iterations: &'c [Iteration<'a>],
}

impl<'a> Run<'_, 'a> {
    /// The iterations as stretches of the horizontal axis.
    pub(crate) fn spans(&self) -> Vec<Span> {
        let since = |at| self.whole.since(at);
        let span = |it: &Iteration<'_>| Span { from: since(it.from), to: since(it.to), name: it.name.clone() };
        self.iterations.iter().map(span).collect()
    }

    /// A leg in the holds of an iteration.
    fn legs_in(&self, iteration: &Iteration<'a>, (exchange, leg): (&str, &str)) -> Vec<&'a LegView> {
        let views = iteration.scenario.leg_views(exchange, leg).into_iter();
        let is_own = |step: &judge::views::StepView| step.phase == Phase::Hold && iteration.holds(step.from);
        views.filter(|(step, ..)| is_own(step)).map(|(.., view)| view).collect()
    }

    /// Length of the shortest iteration and that of the parts that percentiles are drawn of, both in seconds.
    fn width(&self, of: (&str, &str)) -> f64 {
        let (highest, _) = DRAWN[0];
        let has_enough = |width: f64| {
            self.iterations.iter().all(|iteration| {
                let calls: u64 = self.legs_in(iteration, of).iter().map(|leg| leg.ok.times().total()).sum();
                let each = calls as f64 / iteration.parts(width).count as f64;
                calls == 0 || assess::window_carries(each, highest)
            })
        };
        let parts = |width: f64| self.iterations.iter().map(|it| it.parts(width).count as f64).sum::<f64>();
        let fits = |width: &f64| has_enough(*width) && parts(*width) <= PARTS_MAX;
        WIDTHS.into_iter().find(fits).unwrap_or(WIDTHS[WIDTHS.len() - 1])
    }
}

/// A part of an iteration.
struct Bucket {
    /// Number of its iteration.
    iteration: usize,
    /// Begin and end, seconds since the run began.
    from: f64,
    to: f64,
    calls: u64,
    /// In the order of [`DRAWN`], milliseconds; `None` where too few calls lie beyond.
    values: [Option<f64>; 2],
}

fn buckets(run: &Run<'_, '_>, of: (&str, &str), width: f64) -> Vec<Bucket> {
    let mut found = Vec::new();
    for (number, iteration) in run.iterations.iter().enumerate() {
        let parts = iteration.parts(width);
        let mut bins = vec![NO_CALLS; parts.count];
        let begin = iteration.from.as_secs_f64();
        for leg in run.legs_in(iteration, of) {
            for (second, bin, count) in leg.heat.cells() {
                let part = parts.of(second as f64 + 0.5 - begin);
                bins[part][usize::from(bin)] += count;
            }
        }
        let from = run.whole.since(iteration.from);
        found.extend(bins.into_iter().enumerate().map(|(part, bins)| Bucket {
            iteration: number,
            from: from + part as f64 * parts.seconds,
            to: from + (part + 1) as f64 * parts.seconds,
            calls: bins.iter().sum(),
            values: DRAWN.map(|(quantile, _)| percentile(&bins, quantile)),
        }));
    }
    found
}

/// p95 and p98 of a leg over the whole run; `None` where no part of an iteration has calls enough.
pub(crate) fn iteration_times(run: &Run<'_, '_>, of: (&str, &str), anchor: &str) -> Option<Box<Figure>> {
    let (cx, m) = (run.cx, &run.cx.m);
    let width = run.width(of);
    let buckets = buckets(run, of, width);
    let worst = |number: usize| {
        let all = buckets.iter().filter_map(|bucket| Some((bucket.values[number]?, bucket)));
        all.max_by(|a, b| a.0.total_cmp(&b.0))
    };
    let (high, at) = worst(1)?;
    let (highest, _) = worst(0)?;
    let limits = asked(run, of);
    let grid = times_grid(run, of, &buckets, &limits);
    let canvas = grid.draw_spans(cx, run.whole, &run.spans());
    let slowest = run.iterations.iter().flat_map(|it| run.legs_in(it, of)).filter_map(|leg| leg.ok.times().max()).max();
    let (what, measure) = (clean(&leg_title(of.0, of.1)), run.iterations[0].scenario.measure());
    let longest = run.iterations.iter().map(|it| it.parts(width).seconds).fold(0.0, f64::max);
    let words = Words {
        anchor: anchor.to_owned(),
        subject: say!(m, "fig-iteration-times-what", what = &what, measure = measure),
        caption: say!(
            m,
            "fig-iteration-times-finds",
            highest = Arg::Milliseconds(high),
            iteration = &run.iterations[at.iteration].name
        ),
        observation: say!(
            m,
            "fig-iteration-times-seen",
            p95 = Arg::Milliseconds(high),
            p98 = Arg::Milliseconds(highest),
            slowest = Arg::Milliseconds(slowest.map_or(0.0, terms::Nanos::as_millis_f64))
        ),
        assessment: against(run, &buckets, &limits),
        reading: say!(m, "fig-iteration-times-reading", width = Arg::Seconds(longest)),
        findings: Vec::new(),
        group: "whole".to_owned(),
        data: times_table(run, &grid, &buckets),
    };
    let svg = canvas.finish(anchor, &words.caption, &words.observation);
    Some(joined(svg, words))
}

/// A limit on a drawn percentile.
struct Asked {
    /// Which of [`DRAWN`].
    number: usize,
    ms: f64,
    /// Numbers of the iterations that it is asked of.
    iterations: Vec<usize>,
}

/// Limits on the drawn percentiles.
fn asked(run: &Run<'_, '_>, (exchange, leg): (&str, &str)) -> Vec<Asked> {
    let mut found: Vec<Asked> = Vec::new();
    for (iteration, of) in run.iterations.iter().enumerate() {
        for limit in limits(run.cx, &of.scenario, exchange, leg) {
            let is_on =
                |(quantile, _): &(f64, Stroke)| limit.share.is_some_and(|share| (share - quantile).abs() < 1e-9);
            let Some(number) = DRAWN.iter().position(is_on) else { continue };
            match found.iter_mut().find(|known| (known.number, known.ms) == (number, limit.ms)) {
                Some(known) if known.iterations.contains(&iteration) => {}
                Some(known) => known.iterations.push(iteration),
                None => found.push(Asked { number, ms: limit.ms, iterations: vec![iteration] }),
            }
        }
    }
    found
}

/// In how many parts of its iterations each limit is kept.
fn against(run: &Run<'_, '_>, buckets: &[Bucket], limits: &[Asked]) -> String {
    let m = &run.cx.m;
    if limits.is_empty() {
        return say!(m, "fig-iteration-times-no-limit");
    }
    let of = |limit: &Asked| {
        let own = buckets.iter().filter(|bucket| limit.iterations.contains(&bucket.iteration));
        let values: Vec<f64> = own.filter_map(|bucket| bucket.values[limit.number]).collect();
        let beyond = values.iter().filter(|value| **value > limit.ms).count();
        say!(
            m,
            "fig-iteration-times-limit",
            share = Arg::Share(DRAWN[limit.number].0).given(),
            limit = Arg::Milliseconds(limit.ms).given(),
            beyond = beyond,
            parts = values.len()
        )
    };
    limits.iter().map(of).collect::<Vec<_>>().join(" ")
}

fn times_grid(run: &Run<'_, '_>, of: (&str, &str), buckets: &[Bucket], limits: &[Asked]) -> Grid {
    let m = &run.cx.m;
    let highest = buckets.iter().flat_map(|bucket| bucket.values).flatten().fold(0.0, f64::max);
    // A limit far above everything measured would press the curves flat; the sentence has it.
    let near: Vec<&Asked> = limits.iter().filter(|limit| limit.ms <= highest * 2.5).collect();
    let y = Scale::from_zero(near.iter().map(|limit| limit.ms).chain([highest]));
    let name = |quantile: f64| {
        let digits = m.numbers.digits(&super::quantile_digits(quantile));
        say!(m, "percentile-name", percentile = &digits)
    };
    let mut lines: Vec<PanelLine> = near
        .iter()
        .map(|limit| PanelLine {
            stroke: Stroke::dashed("limit", 1.2, "6 3"),
            points: stairs(limit.iterations.iter().map(|number| {
                let of = &run.iterations[*number];
                (*number, run.whole.since(of.from), run.whole.since(of.to), Some(limit.ms))
            })),
            name: format!("{} {}", name(DRAWN[limit.number].0), m.numbers.given_seconds(limit.ms / 1e3)),
        })
        .collect();
    lines.extend(DRAWN.iter().enumerate().map(|(number, (quantile, stroke))| PanelLine {
        stroke: *stroke,
        points: stairs(buckets.iter().map(|bucket| (bucket.iteration, bucket.from, bucket.to, bucket.values[number]))),
        name: name(*quantile),
    }));
    one_panel(format!("{} (ms)", clean(&leg_title(of.0, of.1))), lines, y, say!(m, "axis-run-iterations"))
}

/// A line of steps with a gap between iterations: number of the iteration, begin, end and value of each part.
pub(super) fn stairs(parts: impl Iterator<Item = (usize, f64, f64, Option<f64>)>) -> Vec<(f64, Option<f64>)> {
    let (mut points, mut last) = (Vec::new(), None);
    for (iteration, from, to, value) in parts {
        if last.is_some_and(|last| last != iteration) {
            points.push((from, None));
        }
        last = Some(iteration);
        points.extend([(from, value), (to, value)]);
    }
    points
}

fn one_panel(title: String, lines: Vec<PanelLine>, y: Scale, x_title: String) -> Grid {
    let panel = Panel { title, remark: String::new(), lines, idle: None, ceiling: None, y, is_mirrored: false };
    Grid { panels: vec![panel], columns: 1, height: 150.0, is_common: false, y_title: String::new(), x_title }
}

fn times_table(run: &Run<'_, '_>, grid: &Grid, buckets: &[Bucket]) -> Table {
    let (m, x) = (&run.cx.m, time_axis(run.whole));
    let row = |bucket: &Bucket| {
        let values = [Some(bucket.calls as f64), bucket.values[1], bucket.values[0]];
        let middle = (bucket.from + bucket.to) / 2.0;
        let mut row = number_row(grid.px(x, middle), moment(bucket.from), &values, m.numbers);
        row.cells.insert(1, Cell::text(run.iterations[bucket.iteration].name.clone()));
        row
    };
    Table {
        columns: vec![
            Column { is_number: true, title: say!(m, "col-run-time"), ..Column::default() },
            Column::text(say!(m, "search-col-iteration")),
            column(say!(m, "col-calls"), ""),
            column("p95", "ms"),
            column("p98", "ms"),
        ],
        rows: buckets.iter().map(row).collect(),
        ..Table::default()
    }
}

/// Calls that ended, a second, over the whole run: a line for each leg, and one for all that failed.
pub(crate) fn iteration_rates(run: &Run<'_, '_>, legs: &[(&str, &str)], anchor: &str) -> Option<Box<Figure>> {
    let (cx, m) = (run.cx, &run.cx.m);
    let lines = rate_lines(run, legs);
    let values = || lines.iter().flat_map(|line| line.points.iter().filter_map(|point| point.1));
    let most = values().fold(0.0, f64::max);
    let means: Vec<f64> = run.iterations.iter().map(|iteration| mean_rate(run, iteration, legs)).collect();
    let (place, best) = means.iter().copied().enumerate().max_by(|a, b| a.1.total_cmp(&b.1))?;
    if most <= 0.0 {
        return None;
    }
    let y = Scale::from_zero([most].into_iter());
    let grid = one_panel(say!(m, "fig-iteration-rates-title"), lines, y, say!(m, "axis-run-iterations"));
    let canvas = grid.draw_spans(cx, run.whole, &run.spans());
    let (first, last) = (means.first().copied().unwrap_or(0.0), means.last().copied().unwrap_or(0.0));
    let words = Words {
        anchor: anchor.to_owned(),
        subject: say!(m, "fig-iteration-rates-what"),
        caption: say!(
            m,
            "fig-iteration-rates-finds",
            rate = Arg::PerSecond(best),
            iteration = &run.iterations[place].name
        ),
        observation: say!(
            m,
            "fig-iteration-rates-seen",
            iterations = run.iterations.len(),
            first = Arg::PerSecond(first),
            last = Arg::PerSecond(last)
        ),
        assessment: match place + 1 == means.len() {
            true => say!(m, "fig-iteration-rates-means-last"),
            false => say!(m, "fig-iteration-rates-means-earlier"),
        },
        reading: say!(m, "fig-iteration-rates-reading"),
        findings: Vec::new(),
        group: "whole".to_owned(),
        data: rates_table(run, &grid),
    };
    let svg = canvas.finish(anchor, &words.caption, &words.observation);
    Some(joined(svg, words))
}

/// Calls of an iteration that succeeded, over its length, a second.
fn mean_rate(run: &Run<'_, '_>, iteration: &Iteration<'_>, legs: &[(&str, &str)]) -> f64 {
    let calls = legs.iter().flat_map(|of| run.legs_in(iteration, *of)).map(|leg| leg.ok.count).sum::<u64>();
    calls as f64 / iteration.seconds()
}

fn rate_lines(run: &Run<'_, '_>, legs: &[(&str, &str)]) -> Vec<PanelLine> {
    let mut lines = Vec::new();
    let mut failed: BTreeMap<i64, u64> = BTreeMap::new();
    for ((number, of), stroke) in legs.iter().enumerate().zip(LEGS) {
        let mut ok: BTreeMap<i64, u64> = BTreeMap::new();
        for iteration in run.iterations {
            // Whole seconds only: a part of one has no rate.
            let is_whole = |second: i64| super::is_whole(second, iteration.from, iteration.to);
            for second in run.legs_in(iteration, *of).iter().flat_map(|leg| &leg.seconds) {
                if is_whole(second.second) {
                    *ok.entry(second.second).or_default() += second.ended_ok;
                    *failed.entry(second.second).or_default() += second.ended_failed;
                }
            }
        }
        let name = if legs.len() == 1 { say!(run.cx.m, "label-ended-well") } else { clean(&leg_title(of.0, of.1)) };
        lines.push((number, PanelLine { stroke, points: by_second(run, &ok), name }));
    }
    lines.sort_by_key(|(number, _)| std::cmp::Reverse(*number));
    let mut lines: Vec<PanelLine> = lines.into_iter().map(|(_, line)| line).collect();
    if failed.values().any(|count| *count > 0) {
        let name = say!(run.cx.m, "label-failed");
        lines.push(PanelLine { stroke: FAILED, points: by_second(run, &failed), name });
    }
    lines
}

/// A line through seconds, cut where one is missing.
fn by_second(run: &Run<'_, '_>, counts: &BTreeMap<i64, u64>) -> Vec<(f64, Option<f64>)> {
    let (mut points, mut last) = (Vec::new(), None);
    for (second, count) in counts {
        let at = run.whole.since_second(*second);
        if last.is_some_and(|last| last + 1 != *second) {
            points.push((at - 0.5, None));
        }
        last = Some(*second);
        points.push((at, Some(*count as f64)));
    }
    points
}

fn rates_table(run: &Run<'_, '_>, grid: &Grid) -> Table {
    let (m, x) = (&run.cx.m, time_axis(run.whole));
    let lines = &grid.panels[0].lines;
    let mut rows: BTreeMap<i64, Vec<Option<f64>>> = BTreeMap::new();
    for (number, line) in lines.iter().enumerate() {
        for (at, value) in line.points.iter().filter(|point| point.1.is_some()) {
            rows.entry((at * 2.0).round() as i64).or_insert_with(|| vec![None; lines.len()])[number] = *value;
        }
    }
    let row = |(half, values): (&i64, &Vec<Option<f64>>)| {
        let at = *half as f64 / 2.0;
        number_row(grid.px(x, at), moment(at - 0.5), values, m.numbers)
    };
    let mut columns = vec![Column { is_number: true, title: say!(m, "col-run-time"), ..Column::default() }];
    columns.extend(lines.iter().map(|line| column(line.name.clone(), "/s")));
    Table { columns, rows: rows.iter().map(row).collect(), ..Table::default() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_hold_within_an_iteration_and_break_between_two() {
        let parts = [(0, 0.0, 5.0, Some(1.0)), (0, 5.0, 10.0, Some(2.0)), (1, 12.0, 20.0, Some(3.0))];
        let expected = [
            (0.0, Some(1.0)),
            (5.0, Some(1.0)),
            (5.0, Some(2.0)),
            (10.0, Some(2.0)),
            (12.0, None),
            (12.0, Some(3.0)),
            (20.0, Some(3.0)),
        ];
        assert_eq!(stairs(parts.into_iter()), expected);
    }
}
