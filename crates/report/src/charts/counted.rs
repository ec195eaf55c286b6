//! What was accepted beside what is through, of a leg that a watched count closes: two cumulative lines.
//!
//! How far they lie apart upwards is the backlog, and how far they lie apart sideways the age, which is derived: no unit was
//! followed.

use super::{Words, column, figure, moment, number_row, phases, scenario_group, time_axis};
use crate::document::{Column, Figure, Table};
use crate::input::{Context, ScenarioContext, leg_title};
use crate::messages::say;
use crate::svg::{Anchor, Lettering, Plot, Scale, Stroke, text_width};
use judge::Arg;
use judge::assess::{self, Through};
use judge::views::{CountedPoint, CountedView};
use terms::Nanos;

const ACCEPTED: Stroke = Stroke::solid("blue", 1.8);
const THROUGH: Stroke = Stroke::solid("green", 1.8);
const AGE: Stroke = Stroke::dashed("vermillion", 1.6, "5 3");
/// Size of the letters of a name beside what it names.
const LETTERS: f64 = 11.5;

/// A look within the scenario, units from its first one on.
#[derive(Clone, Copy)]
struct Look {
    at: Nanos,
    seconds: f64,
    point: Option<CountedPoint>,
}

/// The figure; `None` where nothing was accepted.
pub(crate) fn counted(
    cx: &Context<'_>,
    scenario: &ScenarioContext<'_>,
    view: &CountedView,
    anchor: &str,
) -> Option<Box<Figure>> {
    let looks = looks(scenario, view);
    let known: Vec<(f64, CountedPoint)> = looks.iter().filter_map(|look| Some((look.seconds, look.point?))).collect();
    let last = known.last().filter(|last| last.1.accepted > known[0].1.accepted)?.1;
    let highest = known.iter().map(|(_, point)| point.accepted.max(point.through));
    let mut plot = Plot::new(210.0, time_axis(scenario), Scale::from_zero(highest), cx.m.numbers);
    phases(&mut plot, cx, scenario);
    let unit = view.unit.as_deref().map_or_else(|| say!(cx.m, "unit-calls-carried"), crate::number::clean);
    plot.axes(&say!(cx.m, "axis-time"), &say!(cx.m, "axis-counted", unit = &unit));
    let behind: Vec<_> =
        known.iter().map(|(x, point)| (*x, point.through.min(point.accepted), point.accepted)).collect();
    plot.between(&behind, "fill-gap", 1.0);
    let line = |of: fn(&CountedPoint) -> f64| -> Vec<(f64, Option<f64>)> {
        looks.iter().map(|look| (look.seconds, look.point.as_ref().map(of))).collect()
    };
    plot.line(&line(|point| point.accepted), ACCEPTED);
    plot.line(&line(|point| point.through), THROUGH);
    plot.label(last.accepted, &say!(cx.m, "label-accepted"), ACCEPTED);
    plot.label(last.through, &say!(cx.m, "label-through"), THROUGH);
    let by = |of: fn(&CountedPoint) -> f64| {
        known.iter().copied().reduce(|best, next| if of(&next.1) > of(&best.1) { next } else { best })
    };
    let (when, most) = by(|point| point.backlog)?;
    let (then, oldest) = by(|point| point.age.as_secs_f64())?;
    draw_age(&mut plot, cx, then, &oldest);
    let of = through(scenario, &looks);
    if let Through::Drained(after) = of {
        draw_drained(&mut plot, cx, scenario, after);
    }
    let what = leg_title(&view.exchange, &view.leg);
    let words = Words {
        anchor: anchor.to_owned(),
        subject: say!(cx.m, "fig-counted-what", what = &what, scenario = scenario.name),
        caption: finds(cx, of),
        observation: say!(
            cx.m,
            "fig-counted-seen",
            accepted = Arg::Count(last.accepted.round()),
            through = Arg::Count(last.through.round()),
            most = Arg::Count(most.backlog.round()),
            when = &moment(when).text,
            age = Arg::Seconds(oldest.age.as_secs_f64()),
            then = &moment(then).text
        ),
        assessment: means(cx, of),
        reading: say!(cx.m, "fig-counted-reading"),
        findings: cx.findings_on(scenario.name, None, &["BACKLOG"]),
        group: scenario_group(scenario),
        data: Table {
            columns: vec![
                Column { is_number: true, title: say!(cx.m, "col-time"), ..Column::default() },
                column(say!(cx.m, "col-accepted"), ""),
                column(say!(cx.m, "col-through"), ""),
                column(say!(cx.m, "col-counted-backlog"), ""),
                column(say!(cx.m, "col-age"), "s"),
            ],
            rows: looks
                .iter()
                .map(|look| {
                    let point = look.point;
                    let of = |value: fn(CountedPoint) -> f64| point.map(value);
                    let values = [
                        of(|point| point.accepted),
                        of(|point| point.through),
                        of(|point| point.backlog),
                        of(|point| point.age.as_secs_f64()),
                    ];
                    number_row(plot.px(look.seconds), moment(look.seconds), &values, cx.m.numbers)
                })
                .collect(),
            ..Table::default()
        },
    };
    Some(figure(plot, words))
}

/// Looks of the scenario, counted from what was through at the first: what an earlier load left behind is there from the
/// begin.
fn looks(scenario: &ScenarioContext<'_>, view: &CountedView) -> Vec<Look> {
    let within = view.points.iter().filter(|(at, _)| scenario.from <= *at && *at <= scenario.to);
    let base = within.clone().find_map(|(_, point)| point.as_ref()).map_or(0.0, |point| point.through);
    let of = |(at, point): &(Nanos, Option<CountedPoint>)| {
        let point = point.map(|point| CountedPoint {
            accepted: (point.accepted - base).max(0.0),
            through: (point.through - base).max(0.0),
            ..point
        });
        Look { at: *at, seconds: scenario.since(*at), point }
    };
    within.map(of).collect()
}

/// What came of what was accepted, from the end of the last load on.
fn through(scenario: &ScenarioContext<'_>, looks: &[Look]) -> Through {
    let load_end = scenario.steps.iter().filter(|(step, _)| step.phase.has_load()).map(|(step, _)| step.to).max();
    let load_end = load_end.unwrap_or(scenario.to);
    let after: Vec<(f64, f64)> = looks
        .iter()
        .filter(|look| look.at >= load_end)
        .filter_map(|look| Some(((look.at - load_end).as_secs_f64(), look.point?.backlog)))
        .collect();
    assess::through(&after)
}

/// The greatest horizontal distance: from when as many had been accepted to when they were through.
fn draw_age(plot: &mut Plot, cx: &Context<'_>, then: f64, oldest: &CountedPoint) {
    let age = oldest.age.as_secs_f64();
    let (from, to) = ((then - age).max(0.0), then);
    if plot.px(to) - plot.px(from) < 1.0 {
        return;
    }
    let y = plot.py(oldest.through);
    let (left, right) = (plot.px(from), plot.px(to));
    plot.enter();
    plot.canvas.line((left, y), (right, y), AGE);
    plot.canvas.dots(&[(left, y), (right, y)], 2.6, AGE.hue);
    plot.leave();
    let name = say!(cx.m, "label-age", age = Arg::Seconds(age));
    // Beneath the lines, where nothing else is; towards the side on which there is room.
    let (end, edge) = (right + text_width(&name, LETTERS) + 8.0, plot.left + plot.width);
    let is_left = end > edge;
    let (x, anchor) = if is_left { (left - 7.0, Anchor::End) } else { (right + 7.0, Anchor::Start) };
    plot.canvas.text((x, y + 4.0), &name, Lettering::new("ink-2", anchor).size(LETTERS));
}

/// The moment at which nothing was left.
fn draw_drained(plot: &mut Plot, cx: &Context<'_>, scenario: &ScenarioContext<'_>, after: f64) {
    let loads = scenario.steps.iter().filter(|(step, _)| step.phase.has_load()).map(|(step, _)| step.to);
    let Some(load_end) = loads.max() else { return };
    let at = scenario.since(load_end) + after;
    plot.mark(at);
    let name = say!(cx.m, "label-drained", time = Arg::Seconds(after));
    let x = plot.px(at);
    let (end, edge) = (x + text_width(&name, LETTERS) + 8.0, plot.left + plot.width);
    let is_left = end > edge;
    let (x, anchor) = if is_left { (x - 5.0, Anchor::End) } else { (x + 5.0, Anchor::Start) };
    let y = plot.top + plot.height - 8.0;
    plot.canvas.text((x, y), &name, Lettering::new("ink-2", anchor).size(LETTERS));
}

fn finds(cx: &Context<'_>, of: Through) -> String {
    match of {
        Through::Kept => say!(cx.m, "fig-counted-finds-kept"),
        Through::Drained(after) => say!(cx.m, "fig-counted-finds-drained", time = Arg::Seconds(after)),
        Through::Left(left) => say!(cx.m, "fig-counted-finds-left", left = Arg::Count(left.round())),
        Through::Unseen => say!(cx.m, "fig-counted-finds-unseen"),
    }
}

fn means(cx: &Context<'_>, of: Through) -> String {
    match of {
        Through::Kept => say!(cx.m, "fig-counted-means-kept"),
        Through::Drained(after) => say!(cx.m, "fig-counted-means-drained", time = Arg::Seconds(after)),
        Through::Left(left) => say!(cx.m, "fig-counted-means-left", left = Arg::Count(left.round())),
        Through::Unseen => say!(cx.m, "fig-counted-means-unseen"),
    }
}
