//! Replies that were still waited for, second by second: what the system has taken and not yet answered.

use super::{Words, column, figure, is_judged, moment, number_row, phases, plain_if, scenario_group, time_axis};
use crate::document::{Column, Figure, Table};
use crate::input::{Context, ScenarioContext};
use crate::messages::say;
use crate::svg::{Plot, Scale, Stroke};
use judge::Arg;
use judge::assess::{self, Awaiting};
use terms::Nanos;

const AWAITED: Stroke = Stroke::solid("purple", 1.8);

/// The figure; `left` is how many were open at the end, as the books have it: what is drawn are the most of each second,
/// and so also of the last one. `None` where nothing was ever waited for.
pub(crate) fn awaiting(
    cx: &Context<'_>,
    scenario: &ScenarioContext<'_>,
    left: u64,
    anchor: &str,
) -> Option<Box<Figure>> {
    let (from, to) = (scenario.from.second(), (scenario.to - Nanos(1)).second());
    let seconds: Vec<(i64, f64)> = cx
        .input
        .views
        .generator
        .iter()
        .filter(|second| from <= second.second && second.second <= to)
        .map(|second| (second.second, f64::from(second.awaiting)))
        .collect();
    let (when, most) = seconds.iter().copied().reduce(|best, next| if next.1 > best.1 { next } else { best })?;
    if most == 0.0 {
        return None;
    }
    let mut plot =
        Plot::new(170.0, time_axis(scenario), Scale::from_zero(seconds.iter().map(|point| point.1)), cx.m.numbers);
    phases(&mut plot, cx, scenario);
    plot.axes(&say!(cx.m, "axis-time"), &say!(cx.m, "axis-awaited"));
    let line: Vec<(f64, Option<f64>)> =
        seconds.iter().map(|(second, value)| (scenario.since_second(*second), Some(*value))).collect();
    plot.line(&line, AWAITED);
    let judged: Vec<f64> =
        seconds.iter().filter(|(second, _)| is_judged(scenario, *second)).map(|(_, value)| *value).collect();
    plot.label(super::mean(&judged), &say!(cx.m, "label-awaited"), AWAITED);
    let left = left as f64;
    let of = assess::awaiting(&judged, left, cx.backlog_in(scenario.name));
    let is_level = matches!(of, Awaiting::Level);
    let words = Words {
        anchor: anchor.to_owned(),
        subject: say!(cx.m, "fig-awaiting-what", scenario = scenario.name),
        caption: say!(cx.m, "fig-awaiting-finds", most = Arg::Count(most)),
        observation: say!(
            cx.m,
            "fig-awaiting-seen",
            most = Arg::Count(most),
            when = &moment(scenario.since_second(when)).text,
            left = Arg::Count(left)
        ),
        assessment: assessment(cx, of),
        reading: say!(cx.m, "fig-awaiting-reading"),
        findings: cx.findings_on(scenario.name, None, &["BACKLOG", "LITTLE", "STALL"]),
        group: scenario_group(scenario),
        data: Table {
            columns: vec![
                Column { is_number: true, title: say!(cx.m, "col-time"), ..Column::default() },
                column(say!(cx.m, "col-awaited"), ""),
            ],
            rows: seconds
                .iter()
                .map(|(second, value)| {
                    let x = scenario.since_second(*second);
                    number_row(plot.px(x), moment(x - 0.5), &[Some(*value)], cx.m.numbers)
                })
                .collect(),
            ..Table::default()
        },
    };
    Some(plain_if(is_level, figure(plot, words)))
}

fn assessment(cx: &Context<'_>, awaiting: Awaiting) -> String {
    match awaiting {
        Awaiting::Grows(begin, end) => {
            say!(cx.m, "fig-awaiting-means-grows", begin = Arg::Number(begin), end = Arg::Number(end))
        }
        Awaiting::Rises(begin, end) => {
            say!(cx.m, "fig-awaiting-means-rises", begin = Arg::Number(begin), end = Arg::Number(end))
        }
        Awaiting::Level => say!(cx.m, "fig-awaiting-means-level"),
        Awaiting::Left(left) => say!(cx.m, "fig-awaiting-means-left", left = Arg::Count(left)),
    }
}
