//! The whole run in one drawing: what ended each second, and the slowest call, with the scenarios and all events.

use super::panels::{Grid, Panel, PanelLine};
use super::{Words, column, joined, moment, number_row, seconds, time_axis};
use crate::document::{Column, Figure, Table};
use crate::input::{Context, ScenarioContext};
use crate::messages::say;
use crate::number::clean;
use crate::short_names::ShortNames;
use crate::svg::{Anchor, Canvas, Lettering, Scale, Stroke, fit};
use judge::Arg;
use std::collections::BTreeMap;

const OK: Stroke = Stroke::solid("green", 1.8);
const FAILED: Stroke = Stroke::solid("vermillion", 1.8);
const MEDIAN: Stroke = Stroke::solid("blue", 1.8);
const SLOWEST: Stroke = Stroke::solid("orange", 1.5);

/// What is drawn of a second. Iterations that ended in it are counted, and the times of all exchanges are looked at.
#[derive(Clone, Copy, Debug, Default)]
struct Drawn {
    ok: u64,
    failed: u64,
    /// Milliseconds: the greatest of the exchanges' medians, and the slowest call.
    median: Option<f64>,
    slowest: Option<f64>,
}

/// The figure; `None` where nothing ended.
pub(crate) fn whole_run(cx: &Context<'_>, anchor: &str) -> Option<Box<Figure>> {
    let scenarios = cx.scenarios();
    let run = cx.whole_run()?;
    let drawn = drawn(&run);
    let slowest = drawn.iter().filter_map(|(second, of)| Some((*second, of.slowest?)));
    let (at, most) = slowest.max_by(|a, b| a.1.total_cmp(&b.1))?;
    let grid = grid(cx, &run, &drawn);
    let mut canvas = grid.draw(cx, &run);
    name_scenarios(&mut canvas, &cx.short_names, &grid, (&run, &scenarios));
    let events = super::events_in(cx, &run).count();
    let books = || run.steps.iter().map(|(step, _)| &step.books);
    let (ended, failed) = (books().map(|of| of.completed).sum::<u64>(), books().map(|of| of.failed).sum::<u64>());
    let here = scenarios.iter().find(|known| known.from.second() <= at && at <= known.to.second());
    let words = Words {
        anchor: anchor.to_owned(),
        subject: say!(cx.m, "fig-whole-run-what"),
        caption: say!(
            cx.m,
            "fig-whole-run-finds",
            slowest = Arg::Milliseconds(most),
            at = &moment(run.since_second(at) - 0.5).text,
            scenario = &here.map_or_else(|| crate::number::MISSING.to_owned(), |scenario| clean(scenario.name))
        ),
        observation: say!(cx.m, "fig-whole-run-seen", ended = ended, failed = failed),
        assessment: match events {
            0 => say!(cx.m, "fig-whole-run-means"),
            _ => say!(cx.m, "fig-whole-run-means-events", events = events),
        },
        reading: say!(cx.m, "fig-whole-run-reading"),
        findings: Vec::new(),
        group: "whole".to_owned(),
        data: table(cx, &run, &grid, &drawn),
    };
    let svg = canvas.finish(anchor, &words.caption, &words.observation);
    Some(joined(svg, words))
}

/// Every second of the run in which something ended or was intended.
fn drawn(run: &ScenarioContext<'_>) -> BTreeMap<i64, Drawn> {
    let mut drawn: BTreeMap<i64, Drawn> = BTreeMap::new();
    for (second, of) in seconds(run) {
        let own = drawn.entry(second).or_default();
        (own.ok, own.failed) = (of.ok, of.failed);
    }
    for (exchange, leg) in run.legs() {
        for (_, _, view) in run.leg_views(exchange, leg) {
            for second in view.seconds.iter().filter(|second| second.max.is_some()) {
                let own = drawn.entry(second.second).or_default();
                let greatest = |known: Option<f64>, time: Option<terms::Nanos>| {
                    [known, time.map(terms::Nanos::as_millis_f64)].into_iter().flatten().reduce(f64::max)
                };
                own.median = greatest(own.median, second.p50);
                own.slowest = greatest(own.slowest, second.max);
            }
        }
    }
    drawn
}

fn grid(cx: &Context<'_>, run: &ScenarioContext<'_>, drawn: &BTreeMap<i64, Drawn>) -> Grid {
    let line = |stroke: Stroke, name: String, pick: fn(&Drawn) -> Option<f64>| PanelLine {
        stroke,
        points: points(drawn, pick, |second| run.since_second(second)),
        name,
    };
    let mut ended = vec![line(OK, say!(cx.m, "label-ended-well"), |of| Some(of.ok as f64))];
    if drawn.values().any(|of| of.failed > 0) {
        ended.push(line(FAILED, say!(cx.m, "label-failed"), |of| Some(of.failed as f64)));
    }
    let calls = drawn.values().map(|of| of.ok.max(of.failed) as f64);
    let times = drawn.values().flat_map(|of| [of.median, of.slowest]).flatten();
    let panel = |title: String, lines: Vec<PanelLine>, y: Scale| Panel {
        title,
        remark: String::new(),
        lines,
        idle: None,
        ceiling: None,
        y,
        is_mirrored: false,
    };
    Grid {
        panels: vec![
            panel(say!(cx.m, "fig-whole-run-ended"), ended, Scale::from_zero(calls)),
            panel(
                say!(cx.m, "fig-whole-run-times"),
                vec![
                    line(SLOWEST, say!(cx.m, "fig-whole-run-slowest"), |of| of.slowest),
                    line(MEDIAN, say!(cx.m, "fig-whole-run-median"), |of| of.median),
                ],
                Scale::log_to_limits(times, std::iter::empty()),
            ),
        ],
        columns: 1,
        height: 96.0,
        is_common: false,
        y_title: String::new(),
        x_title: say!(cx.m, "axis-run"),
    }
}

/// Points of a line. It breaks where seconds are missing, as between scenarios: nothing was measured there.
fn points(
    drawn: &BTreeMap<i64, Drawn>,
    pick: fn(&Drawn) -> Option<f64>,
    since: impl Fn(i64) -> f64,
) -> Vec<(f64, Option<f64>)> {
    let mut points = Vec::with_capacity(drawn.len());
    let mut before = None;
    for (second, of) in drawn {
        if let Some(gap) = before.map(|before| before + 1).filter(|next| next < second) {
            points.push((since(gap), None));
        }
        points.push((since(*second), pick(of)));
        before = Some(*second);
    }
    points
}

/// Where each scenario begins, above the panels.
fn name_scenarios(
    canvas: &mut Canvas,
    short: &ShortNames,
    grid: &Grid,
    (run, scenarios): (&ScenarioContext<'_>, &[ScenarioContext<'_>]),
) {
    let x = time_axis(run);
    for scenario in scenarios {
        let (from, to) = (grid.px(x, run.since(scenario.from)), grid.px(x, run.since(scenario.to)));
        let name = fit(&short.within(scenario.name, to - from - 4.0, 11.0), to - from - 4.0, 11.0);
        canvas.text((from + 2.0, 11.0), &name, Lettering::new("ink-2", Anchor::Start).size(11.0));
        canvas.line((from, 2.0), (from, 16.0), Stroke::solid("ink-3", 1.0));
    }
}

fn table(cx: &Context<'_>, run: &ScenarioContext<'_>, grid: &Grid, drawn: &BTreeMap<i64, Drawn>) -> Table {
    let x = time_axis(run);
    let row = |(second, of): (&i64, &Drawn)| {
        let at = run.since_second(*second);
        let values = [Some(of.ok as f64), Some(of.failed as f64), of.median, of.slowest];
        number_row(grid.px(x, at), moment(at - 0.5), &values, cx.m.numbers)
    };
    Table {
        columns: vec![
            Column { is_number: true, title: say!(cx.m, "col-time"), ..Column::default() },
            column(say!(cx.m, "col-ended-well"), "/s"),
            column(say!(cx.m, "col-failed"), "/s"),
            column(say!(cx.m, "fig-whole-run-median"), "ms"),
            column(say!(cx.m, "fig-whole-run-slowest"), "ms"),
        ],
        rows: drawn.iter().map(row).collect(),
        ..Table::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_breaks_where_seconds_are_missing() {
        let drawn = [1, 2, 5].map(|second| (second, Drawn { ok: second as u64, ..Drawn::default() })).into();
        let found = points(&drawn, |of| Some(of.ok as f64), |second| second as f64);
        assert_eq!(found, [(1.0, Some(1.0)), (2.0, Some(2.0)), (3.0, None), (5.0, Some(5.0))]);
    }
}
