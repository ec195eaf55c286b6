//! Throughput against load, where a study has several loads of the same work.

use super::capacity_words::{load, sentence};
use crate::charts::{Words, column, figure, number_row, plain_if};
use crate::document::{Cell, Column, Figure, Table};
use crate::input::Context;
use crate::messages::say;
use crate::svg::{Plot, Scale, Stroke};
use judge::Arg;
use judge::capacity::CapacityLine;
use judge::levels::Level;

const MEASURED: Stroke = Stroke::solid("blue", 2.0);
const OFFERED: Stroke = Stroke::dashed("grey", 1.2, "4 4");

fn axes(cx: &Context<'_>, line: &CapacityLine, y: Scale, y_title: &str) -> Plot {
    let loads = line.family.levels.iter().map(|level| level.load);
    let mut plot = Plot::new(230.0, Scale::from_zero(loads), y, cx.m.numbers);
    let x_title = if line.family.is_users { say!(cx.m, "axis-users") } else { say!(cx.m, "axis-offered") };
    plot.axes(&x_title, y_title);
    plot
}

/// Loads from which on there is a curve.
const CURVE_LOADS: usize = 3;

/// Throughput against load, with what was offered beside it in an open load, and what did not hold shaded; `None` for a
/// single load.
pub(super) fn curve(cx: &Context<'_>, line: &CapacityLine, number: usize) -> Option<Box<Figure>> {
    if line.family.loads().len() < 2 {
        return None;
    }
    let levels = &line.family.levels;
    let open = !line.family.is_users;
    let highest = levels.iter().map(|level| level.load).fold(0.0, f64::max);
    let offered = levels.iter().map(|level| level.load).filter(|_| open);
    let y = Scale::from_zero(levels.iter().map(|level| level.throughput_per_s).chain(offered));
    let mut plot = axes(cx, line, y, &say!(cx.m, "axis-throughput"));
    if let Some(failed) = line.interval.lowest_failed {
        plot.band(failed, highest.max(failed), &say!(cx.m, "label-not-held"), true);
    }
    if open {
        plot.line(&[(0.0, Some(0.0)), (highest, Some(highest))], OFFERED);
        plot.label(highest, &say!(cx.m, "label-offered"), OFFERED);
    }
    let points: Vec<(f64, Option<f64>)> =
        levels.iter().map(|level| (level.load, Some(level.throughput_per_s))).collect();
    plot.line(&points, MEASURED);
    for level in levels {
        let hue = if level.held == Some(false) { "vermillion" } else { "blue" };
        plot.canvas.dot((plot.px(level.load), plot.py(level.throughput_per_s)), 3.5, hue);
    }
    let (lowest, top) = (&levels[0], &levels[levels.len() - 1]);
    let words = Words {
        anchor: format!("fig-capacity-{number}"),
        subject: say!(cx.m, "fig-capacity-caption", scenarios = &line.family.name()),
        caption: sentence(cx, line).trim_end_matches('.').to_owned(),
        observation: say!(
            cx.m,
            "fig-capacity-seen",
            low = &load(cx, lowest.load, line.family.is_users),
            from = Arg::PerSecond(lowest.throughput_per_s),
            high = &load(cx, top.load, line.family.is_users),
            to = Arg::PerSecond(top.throughput_per_s)
        ),
        assessment: assessment(cx, line),
        findings: cx.findings_on(&top.scenario, None, &["NOT-REACHED", "NONMONO", "REGIME"]),
        data: curve_table(cx, levels, &plot),
        ..Words::default()
    };
    // Two loads make a line and no curve; the table has them.
    Some(plain_if(line.family.loads().len() < CURVE_LOADS, figure(plot, words)))
}

fn assessment(cx: &Context<'_>, line: &CapacityLine) -> String {
    match line.code() {
        "between" => say!(cx.m, "fig-capacity-means-between"),
        "at_least" => say!(cx.m, "fig-capacity-means-bound"),
        "below" => say!(cx.m, "fig-capacity-means-below"),
        _ => say!(cx.m, "fig-capacity-means-unknown"),
    }
}

fn curve_table(cx: &Context<'_>, levels: &[Level], plot: &Plot) -> Table {
    let row = |level: &Level| {
        let first = Cell::number(cx.m.numbers.value(level.load), level.load);
        number_row(plot.px(level.load), first, &[Some(level.throughput_per_s), level.time_ms], cx.m.numbers)
    };
    Table {
        columns: vec![
            Column { title: say!(cx.m, "col-tried"), unit: String::new(), is_number: true },
            column(say!(cx.m, "col-throughput"), "/s"),
            column(say!(cx.m, "col-iteration-time"), "ms"),
        ],
        rows: levels.iter().map(row).collect(),
        ..Table::default()
    }
}
