//! Load over time: what was planned and started, and what ended.

use super::stalls::Stalled;
use super::{
    Second, Words, column, figure, is_judged, moment, number_row, phases, plain_if, scenario_group, seconds, time_axis,
};
use crate::document::{Column, Figure, Table};
use crate::input::{Context, ScenarioContext};
use crate::messages::say;
use crate::svg::{Plot, Scale, Stroke};
use judge::Arg;
use judge::assess::{self, Plan, Throughput};
use std::collections::BTreeMap;

const PLANNED: Stroke = Stroke::dashed("ink-2", 1.4, "4 3");
const STARTED: Stroke = Stroke::solid("blue", 1.8);
const ENDED: Stroke = Stroke::solid("green", 1.8);
const FAILED: Stroke = Stroke::solid("vermillion", 1.6);

/// Load planned and achieved: intended against started, the gap shaded.
pub(crate) fn plan(cx: &Context<'_>, scenario: &ScenarioContext<'_>, anchor: &str) -> Option<Box<Figure>> {
    let seconds = seconds(scenario);
    if seconds.values().all(|second| second.intended == 0) {
        return None;
    }
    let greatest = seconds.values().map(|second| second.intended.max(second.started) as f64);
    let mut plot = Plot::new(190.0, time_axis(scenario), Scale::from_zero(greatest), cx.m.numbers);
    phases(&mut plot, cx, scenario);
    plot.axes(&say!(cx.m, "axis-time"), &say!(cx.m, "axis-iterations"));
    let gap: Vec<_> = points(scenario, &seconds, |second| (second.started as f64, second.intended as f64));
    let gap: Vec<_> = gap.into_iter().map(|(x, (low, high))| (x, low, high.max(low))).collect();
    plot.between(&gap, "fill-gap", 1.0);
    let started: Vec<_> = points(scenario, &seconds, |second| second.started as f64);
    let with_load =
        |points: &[(f64, f64)]| points.iter().rev().find(|point| point.1 > 0.0).map_or(0.0, |point| point.1);
    if !scenario.is_closed {
        let planned: Vec<_> = points(scenario, &seconds, |second| second.intended as f64);
        plot.steps(&edges(&planned), PLANNED);
        plot.label(with_load(&planned), &say!(cx.m, "label-planned"), PLANNED);
    }
    let line: Vec<_> = started.iter().map(|(x, y)| (*x, Some(*y))).collect();
    plot.line(&line, STARTED);
    plot.label(with_load(&started), &say!(cx.m, "label-started"), STARTED);
    let (mut intended, mut begun, mut dropped) = (0, 0, 0);
    for (step, _) in scenario.holds() {
        intended += step.books.intended;
        begun += step.books.started;
        dropped += step.books.dropped;
    }
    let (caption, assessment) = match assess::plan(scenario.is_closed, intended, dropped) {
        Plan::Closed => (say!(cx.m, "fig-plan-finds-closed", started = begun), say!(cx.m, "fig-plan-means-closed")),
        Plan::Kept => (say!(cx.m, "fig-plan-finds-all"), say!(cx.m, "fig-plan-means-all")),
        Plan::Short(share) => (
            say!(cx.m, "fig-plan-finds-short", share = Arg::Share(share)),
            say!(cx.m, "fig-plan-means-short", share = Arg::Share(share)),
        ),
    };
    let words = Words {
        anchor: anchor.to_owned(),
        subject: say!(cx.m, "fig-plan-caption", scenario = scenario.name),
        caption,
        observation: if scenario.is_closed {
            say!(cx.m, "fig-plan-seen-closed", started = begun)
        } else {
            say!(cx.m, "fig-plan-seen", intended = intended, started = begun, dropped = dropped)
        },
        assessment,
        reading: say!(cx.m, "fig-whole-seconds"),
        findings: cx.findings_on(scenario.name, None, &["GEN-SAT", "GEN-SLIP", "GEN-DROP"]),
        group: scenario_group(scenario),
        data: Table {
            columns: vec![
                Column { is_number: true, title: say!(cx.m, "col-time"), ..Column::default() },
                column(say!(cx.m, "col-planned"), "/s"),
                column(say!(cx.m, "col-started"), "/s"),
                column(say!(cx.m, "col-dropped"), "/s"),
            ],
            rows: rows(cx, scenario, &seconds, &plot, |s| [s.intended as f64, s.started as f64, s.dropped as f64]),
            ..Table::default()
        },
    };
    Some(figure(plot, words))
}

/// Throughput over time: what succeeded, and failures on top of it.
pub(crate) fn throughput(cx: &Context<'_>, scenario: &ScenarioContext<'_>, anchor: &str) -> Option<Box<Figure>> {
    let seconds = seconds(scenario);
    if seconds.values().all(|second| second.ok + second.failed == 0) {
        return None;
    }
    let greatest = seconds.values().map(|second| (second.ok + second.failed).max(second.intended) as f64);
    let mut plot = Plot::new(190.0, time_axis(scenario), Scale::from_zero(greatest), cx.m.numbers);
    phases(&mut plot, cx, scenario);
    let stalled = Stalled::of_calls(cx, scenario);
    stalled.iter().for_each(|stalled| stalled.draw(&mut plot));
    plot.axes(&say!(cx.m, "axis-time"), &say!(cx.m, "axis-ended"));
    let failures: Vec<_> = points(scenario, &seconds, |s| (s.ok as f64, (s.ok + s.failed) as f64));
    let failures: Vec<_> = failures.into_iter().map(|(x, (low, high))| (x, low, high)).collect();
    plot.between(&failures, "vermillion", 0.75);
    if !scenario.is_closed {
        let planned = points(scenario, &seconds, |second| second.intended as f64);
        plot.steps(&edges(&planned), PLANNED);
    }
    let ended: Vec<_> = points(scenario, &seconds, |s| s.ok as f64).into_iter().map(|(x, y)| (x, Some(y))).collect();
    plot.line(&ended, ENDED);
    let (offered, rate) = held_rates(scenario);
    plot.label(rate, &say!(cx.m, "label-ended-well"), ENDED);
    let has_failed = seconds.values().any(|second| second.failed > 0);
    if has_failed {
        plot.label(rate * 1.02, &say!(cx.m, "label-failed"), Stroke { width: 6.0, ..FAILED });
    }
    if !scenario.is_closed {
        plot.label(offered, &say!(cx.m, "label-planned"), PLANNED);
    }
    stalled.iter().for_each(|stalled| stalled.label(&mut plot, cx));
    let of = assess::throughput(scenario.is_closed, offered, rate, cx.backlog_in(scenario.name));
    // All that was planned succeeded: where the load is drawn as planned and started, that is the same line.
    let is_same = matches!(of, Throughput::All | Throughput::Carried(_)) && cx.chosen("results", "system");
    let is_plain = is_same && !has_failed && stalled.is_none();
    let mut words = Words {
        anchor: anchor.to_owned(),
        subject: say!(cx.m, "fig-throughput-caption", scenario = scenario.name),
        caption: throughput_finds(cx, rate, of),
        observation: throughput_seen(cx, scenario, &seconds, rate),
        assessment: throughput_assessment(cx, scenario, of),
        reading: say!(cx.m, "fig-whole-seconds"),
        findings: cx.findings_on(scenario.name, None, &["BACKLOG", "LITTLE", "DOWN", "DROP", "STALL", "DRIFT"]),
        group: scenario_group(scenario),
        data: Table {
            columns: vec![
                Column { is_number: true, title: say!(cx.m, "col-time"), ..Column::default() },
                column(say!(cx.m, "col-ended-well"), "/s"),
                column(say!(cx.m, "col-failed"), "/s"),
                column(say!(cx.m, "col-planned"), "/s"),
            ],
            rows: rows(cx, scenario, &seconds, &plot, |s| [s.ok as f64, s.failed as f64, s.intended as f64]),
            ..Table::default()
        },
    };
    if let Some(stalled) = stalled {
        stalled.put_into(cx, &mut words);
    }
    Some(plain_if(is_plain, figure(plot, words)))
}

/// Offered rate and throughput over the holds, weighted by their lengths.
fn held_rates(scenario: &ScenarioContext<'_>) -> (f64, f64) {
    let (mut offered, mut rate, length) = (0.0, 0.0, scenario.held_seconds());
    for (_, result) in scenario.holds() {
        let Some(result) = result else { continue };
        offered += result.offered_per_s * result.seconds;
        rate += result.throughput_per_s * result.seconds;
    }
    if length > 0.0 { (offered / length, rate / length) } else { (0.0, 0.0) }
}

fn throughput_seen(
    cx: &Context<'_>,
    scenario: &ScenarioContext<'_>,
    seconds: &BTreeMap<i64, Second>,
    rate: f64,
) -> String {
    let judged: Vec<_> =
        seconds.iter().filter(|(second, _)| is_judged(scenario, **second)).map(|(_, s)| s.ok).collect();
    let failed: u64 = scenario.holds().map(|(step, _)| step.books.failed).sum();
    let (Some(least), Some(greatest)) = (judged.iter().min(), judged.iter().max()) else {
        return say!(cx.m, "fig-throughput-seen-short", rate = Arg::PerSecond(rate), failed = failed);
    };
    say!(
        cx.m,
        "fig-throughput-seen",
        rate = Arg::PerSecond(rate),
        least = *least,
        greatest = *greatest,
        failed = failed
    )
}

fn throughput_finds(cx: &Context<'_>, rate: f64, of: Throughput) -> String {
    let rate = Arg::PerSecond(rate);
    match of {
        Throughput::Closed | Throughput::NotAsked => say!(cx.m, "fig-throughput-finds-closed", rate = rate),
        Throughput::PiledUp | Throughput::All | Throughput::Carried(_) => {
            say!(cx.m, "fig-throughput-finds-carried", rate = rate)
        }
        Throughput::Short(share) => {
            say!(cx.m, "fig-throughput-finds-short", rate = rate, share = Arg::Share(share))
        }
    }
}

fn throughput_assessment(cx: &Context<'_>, scenario: &ScenarioContext<'_>, of: Throughput) -> String {
    match of {
        Throughput::Closed => {
            let users = scenario.holds().filter_map(|(step, _)| step.users).max().unwrap_or(0);
            say!(cx.m, "fig-throughput-means-closed", users = u64::from(users))
        }
        Throughput::NotAsked => say!(cx.m, "fig-throughput-means-none"),
        Throughput::PiledUp => say!(cx.m, "fig-throughput-means-piled-up"),
        Throughput::All => say!(cx.m, "fig-throughput-means-all"),
        Throughput::Carried(share) => say!(cx.m, "fig-throughput-means-carried", difference = Arg::Share(share)),
        Throughput::Short(share) => say!(cx.m, "fig-throughput-means-short", share = Arg::Share(share)),
    }
}

fn points<T>(
    scenario: &ScenarioContext<'_>,
    seconds: &BTreeMap<i64, Second>,
    pick: impl Fn(&Second) -> T,
) -> Vec<(f64, T)> {
    seconds.iter().map(|(second, view)| (scenario.since_second(*second), pick(view))).collect()
}

/// Middles of seconds to their beginnings, so that a step line changes where the second does.
fn edges(points: &[(f64, f64)]) -> Vec<(f64, f64)> {
    let mut edges: Vec<_> = points.iter().map(|(x, y)| (x - 0.5, *y)).collect();
    edges.extend(points.last().map(|(x, y)| (x + 0.5, *y)));
    edges
}

fn rows<const N: usize>(
    cx: &Context<'_>,
    scenario: &ScenarioContext<'_>,
    seconds: &BTreeMap<i64, Second>,
    plot: &Plot,
    pick: impl Fn(&Second) -> [f64; N],
) -> Vec<crate::document::Row> {
    let row = |(second, view): (&i64, &Second)| {
        let at = scenario.since_second(*second);
        number_row(plot.px(at), moment(at - 0.5), &pick(view).map(Some), cx.m.numbers)
    };
    seconds.iter().map(row).collect()
}
