//! How throughput, times and use go with the load over the iterations: a sentence for each, bound to its slope, and a
//! table with all of them.

use crate::charts::{self, quantity};
use crate::document::{Block, Cell, Column, Detail, Row, Section, Table};
use crate::input::Context;
use crate::messages::say;
use crate::number::clean;
use contract::Role;
use judge::Arg;
use judge::trends::{COLLECTING, Collecting, Course, HARDLY, Said, Subject, Trend};
use judge::views::MetricView;

/// Trends of one topic that are told in sentences; the table has all.
const TOLD_MAX: usize = 4;

/// The key of a topic's name, and whether a trend belongs to it.
type Topic = (&'static str, fn(&Subject) -> bool);
/// Topics of sentences, in this order.
const TOPICS: [Topic; 6] = [
    ("heads-throughput", |of| matches!(of, Subject::Throughput)),
    ("heads-response", |of| matches!(of, Subject::Time | Subject::High { .. })),
    ("heads-processor", |of| role_of(of) == Some(Role::Processor)),
    ("heads-network", |of| matches!(role_of(of), Some(Role::NetworkIn | Role::NetworkOut))),
    ("heads-memory", |of| matches!(role_of(of), Some(Role::MachineMemory | Role::Memory))),
    ("trend-old-heap-title", |of| matches!(of, Subject::OldHeap { .. })),
];

fn role_of(subject: &Subject) -> Option<Role> {
    match subject {
        Subject::Watched { role, .. } => Some(*role),
        _ => None,
    }
}

/// The part; empty where nothing ran at several loads.
pub(super) fn part(cx: &Context<'_>) -> Section {
    let mut part = Section::new("iterations-trends", say!(cx.m, "iterations-trends-title"));
    for (number, course) in cx.input.judgement.courses.iter().enumerate() {
        part.say(say!(cx.m, "trends-intro", iterations = course.scopes.len(), band = Arg::Share(HARDLY - 1.0).given()));
        part.add(Block::Definitions(heads(cx, course)));
        part.add(Block::Table(table(cx, course, &format!("iterations-trends-{number}"))));
    }
    part
}

fn heads(cx: &Context<'_>, course: &Course) -> Vec<(String, String)> {
    let mut found = Vec::new();
    for (key, is_of) in TOPICS {
        let own: Vec<&Trend> = course.trends.iter().filter(|trend| is_of(&trend.subject)).collect();
        let mut said: Vec<String> = told(&own).iter().map(|trend| sentence(cx, course, trend)).collect();
        if key == "heads-throughput" && own.is_empty() {
            continue;
        }
        if said.is_empty() {
            said.push(say!(cx.m, "heads-not-watched"));
        }
        found.push((cx.m.text(key, &[]), said.join(" ")));
    }
    let collecting: Vec<String> = course.collecting.iter().take(TOLD_MAX).map(|of| collected(cx, of)).collect();
    let collecting = if collecting.is_empty() { say!(cx.m, "heads-not-watched") } else { collecting.join(" ") };
    // Before the old generation, which is what collections leave.
    let last = found.len().saturating_sub(1);
    found.insert(last, (say!(cx.m, "heads-collection"), collecting));
    found
}

/// Those that say something first: what rises, what falls, then the rest.
fn told<'t>(all: &[&'t Trend]) -> Vec<&'t Trend> {
    let rank = |trend: &Trend| match trend.said {
        Said::Rises => 0,
        Said::Falls => 1,
        Said::Hardly => 2,
        Said::CannotTell(_) => 3,
    };
    let mut all = all.to_vec();
    all.sort_by_key(|trend| rank(trend));
    all.truncate(TOLD_MAX);
    all
}

fn view<'a>(cx: &Context<'a>, series: &str, instance: &str) -> Option<&'a MetricView> {
    cx.input.views.metrics.iter().find(|view| view.instance == instance && view.name() == series)
}

/// What a trend is of, as readers know it.
fn name(cx: &Context<'_>, subject: &Subject) -> String {
    match subject {
        Subject::Throughput => say!(cx.m, "trend-throughput"),
        Subject::Time => say!(cx.m, "trend-time"),
        Subject::High { exchange } => say!(cx.m, "trend-high", exchange = &clean(exchange)),
        Subject::Watched { series, instance, .. } | Subject::OldHeap { series, instance, .. } => {
            let word = view(cx, series, instance)
                .map_or_else(|| series.clone(), |it| cx.metric_word(&it.monitor.name, charts::metric_name(it)));
            format!("{} ({})", clean(&word), clean(instance))
        }
    }
}

/// A value of a trend with its unit.
fn shown(cx: &Context<'_>, subject: &Subject, value: f64) -> String {
    match subject {
        Subject::Throughput => cx.m.numbers.per_second(value),
        Subject::Time | Subject::High { .. } => cx.m.numbers.arg(&Arg::Milliseconds(value)),
        Subject::Watched { series, instance, .. } | Subject::OldHeap { series, instance, .. } => {
            view(cx, series, instance).map_or_else(|| cx.m.numbers.value(value), |it| quantity(cx, it, value))
        }
    }
}

fn said_word(said: &Said) -> &'static str {
    match said {
        Said::Rises => "rises",
        Said::Falls => "falls",
        Said::Hardly => "hardly",
        Said::CannotTell(_) => "open",
    }
}

fn why(cx: &Context<'_>, said: &Said) -> String {
    let Said::CannotTell(reason) = said else { return String::new() };
    let told = cx.m.judged("trend-refused", &reason.args, &[("reason", reason.code.as_str())]);
    told.unwrap_or_else(|| reason.code.clone())
}

fn sentence(cx: &Context<'_>, course: &Course, trend: &Trend) -> String {
    let what = name(cx, &trend.subject);
    let value = |value: f64| shown(cx, &trend.subject, value);
    let Some(slope) = &trend.slope else {
        return say!(cx.m, "trend-none", what = &what, why = &why(cx, &trend.said));
    };
    let (_, interval) = cx.m.numbers.with_interval(slope.value, slope.low, slope.high);
    if let Subject::OldHeap { limit, .. } = &trend.subject {
        let last = trend.points.last().map_or(0.0, |point| point.1);
        let (an_hour, low, high) = (value(slope.value), value(slope.low), value(slope.high));
        let said = say!(
            cx.m,
            "trend-old-heap",
            said = said_word(&trend.said),
            what = &what,
            growth = &an_hour,
            low = &low,
            high = &high,
            last = &value(last)
        );
        let room = limit.filter(|limit| *limit > 0.0).map(|limit| {
            let left = ((limit - last) / limit).max(0.0);
            say!(cx.m, "trend-old-heap-room", limit = &value(limit), left = Arg::Share(left))
        });
        return [Some(said), room].into_iter().flatten().collect::<Vec<_>>().join(" ");
    }
    // By load, not by time: what a doubling does is of the loads.
    let by_load = |a: &&(f64, f64), b: &&(f64, f64)| a.0.total_cmp(&b.0);
    let ends = trend.points.iter().min_by(by_load).zip(trend.points.iter().max_by(by_load));
    let Some((least, most)) = ends else { return String::new() };
    say!(
        cx.m,
        "trend-told",
        said = said_word(&trend.said),
        what = &what,
        least = &value(least.1),
        most = &value(most.1),
        from = &super::capacity_words::load(cx, least.0, course.is_users),
        to = &super::capacity_words::load(cx, most.0, course.is_users),
        factor = Arg::Number(slope.value),
        interval = &interval
    )
}

/// Whether collections kept up in one program.
fn collected(cx: &Context<'_>, of: &Collecting) -> String {
    let Some((worst, place)) = of.worst() else { return String::new() };
    let said = say!(
        cx.m,
        "trend-collecting",
        how = if of.keeps_up() { "up" } else { "behind" },
        instance = &clean(&of.instance),
        iterations = of.shares.len(),
        worst = Arg::Share(worst),
        place = place + 1,
        limit = Arg::Share(COLLECTING).given()
    );
    let full =
        of.full.as_ref().map(|full| say!(cx.m, "trend-collecting-full", full = Arg::Count(full.iter().sum::<f64>())));
    [Some(said), full].into_iter().flatten().collect::<Vec<_>>().join(" ")
}

fn table(cx: &Context<'_>, course: &Course, caption: &str) -> Table {
    let m = &cx.m;
    let row = |trend: &Trend| {
        let ends = trend.points.first().zip(trend.points.last());
        let cell = |value: Option<f64>| {
            value.map_or_else(Cell::missing, |value| Cell::number(shown(cx, &trend.subject, value), value))
        };
        let slope = trend.slope.as_ref().map_or_else(Cell::missing, |slope| {
            let is_time = matches!(trend.subject, Subject::OldHeap { .. });
            let (text, interval) = if is_time {
                let of = |value: f64| shown(cx, &trend.subject, value);
                (format!("{}/h", of(slope.value)), format!("{} – {}", of(slope.low), of(slope.high)))
            } else {
                let (text, interval) = m.numbers.with_interval(slope.value, slope.low, slope.high);
                (format!("× {text}"), interval)
            };
            Cell::number(text, slope.value).with_detail_of(Detail::Interval(slope.low, slope.high), interval)
        });
        let said = Cell::text(say!(m, "trend-said", said = said_word(&trend.said)));
        let count = trend.points.len() as f64;
        Row::new(vec![
            Cell::text(name(cx, &trend.subject)),
            Cell::number(m.numbers.count(count), count),
            cell(ends.map(|ends| ends.0.1)),
            cell(ends.map(|ends| ends.1.1)),
            slope,
            said.with_detail(why(cx, &trend.said)),
        ])
    };
    Table {
        name: caption.to_owned(),
        caption: say!(m, "table-trends"),
        columns: vec![
            Column::text(say!(m, "trend-col-what")),
            Column::number(say!(m, "trend-col-iterations"), ""),
            Column::number(say!(m, "trend-col-first"), ""),
            Column::number(say!(m, "trend-col-last"), ""),
            Column::number(say!(m, "trend-col-slope"), ""),
            Column::text(say!(m, "trend-col-said")),
        ],
        rows: course.trends.iter().map(row).collect(),
        notes: vec![say!(m, "note-trends")],
    }
}
