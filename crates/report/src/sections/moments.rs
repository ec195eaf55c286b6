//! What happened together: a line for each moment that stood apart, with what clients felt, what was recorded, and what
//! was out of its ordinary beside it.

use super::conclusions;
use crate::charts;
use crate::document::{Block, Cell, Column, Row, Section, Table};
use crate::input::{Context, ScenarioContext, leg_title};
use crate::messages::say;
use crate::number::clean;
use judge::Arg;
use judge::assess::moments::{Beside, Lead, Moment, TOGETHER};
use judge::views::MetricView;
use terms::Nanos;

/// Lines of the table; of more, those that matter most.
const LINES: usize = 12;
/// Things that are named in a cell; of more, how many there are.
const NAMED: usize = 4;
/// So many seconds before and after a moment are drawn.
const DRAWN: i64 = 15;

/// The chapter; `None` where nothing stood apart.
pub(crate) fn section(cx: &Context<'_>) -> Option<Section> {
    let all = cx.moments();
    if all.is_empty() {
        return None;
    }
    let mut section = Section::new("moments", say!(cx.m, "moments-title"));
    section.add(Block::Table(table(cx, all)));
    Some(section)
}

/// One sentence for the first screen.
pub(super) fn sentence(cx: &Context<'_>) -> String {
    match cx.moments().len() {
        0 => say!(cx.m, "moments-none"),
        number => {
            let told = match () {
                () if cx.has_block("moments") => "yes",
                () if conclusions::is_in_chapters(cx, &cx.scenarios()) => "conclusions",
                () => "no",
            };
            say!(cx.m, "moments-some", number = number, told = told)
        }
    }
}

/// The moments of a scenario that join most, a sentence each, in order of time.
pub(super) fn told(cx: &Context<'_>, scenario: &ScenarioContext<'_>, most: usize) -> Vec<String> {
    let is_here = |moment: &&Moment| scenario.from <= moment.from && moment.from <= scenario.to;
    let here: Vec<&Moment> = cx.moments().iter().filter(is_here).collect();
    let one = |moment: &Moment| {
        let at = charts::moment(moment.from.as_secs_f64()).text;
        let what: Vec<String> = moment.leads.iter().map(|lead| happened(cx, lead)).collect();
        let beside: Vec<String> = moment.beside.iter().map(|beside| watched(cx, beside)).collect();
        let is_alone = if beside.is_empty() { "yes" } else { "no" };
        let (what, beside) = (listed(cx, what), listed(cx, beside));
        say!(cx.m, "moments-told", at = &at, what = &what, alone = is_alone, beside = &beside)
    };
    gravest(here, most).into_iter().map(one).collect()
}

/// Those that join most, in order of time; of those alike the earlier ones, for sorting is stable.
fn gravest(mut all: Vec<&Moment>, most: usize) -> Vec<&Moment> {
    all.sort_by_key(|moment| std::cmp::Reverse(moment.leads.len() + moment.beside.len()));
    all.truncate(most);
    all.sort_by_key(|moment| moment.from);
    all
}

fn table(cx: &Context<'_>, all: &[Moment]) -> Table {
    let shown = gravest(all.iter().collect(), LINES);
    let by_chance: f64 = shown.iter().map(|moment| moment.by_chance).sum();
    let mut notes = vec![
        say!(cx.m, "moments-note"),
        say!(cx.m, "moments-note-chance", number = &cx.m.numbers.digits(&format!("{by_chance:.1}"))),
    ];
    if all.len() > shown.len() {
        notes.push(say!(cx.m, "moments-note-more", left = all.len() - shown.len()));
    }
    Table {
        name: "moments".to_owned(),
        caption: say!(cx.m, "table-moments"),
        columns: vec![
            Column::number(say!(cx.m, "col-run-time"), "min:s"),
            Column::text(say!(cx.m, "col-happened")),
            Column::text(say!(cx.m, "col-beside")),
            Column::text(say!(cx.m, "col-slowest-around", seconds = DRAWN.unsigned_abs())),
        ],
        rows: shown.into_iter().map(|moment| row(cx, moment)).collect(),
        notes,
    }
}

fn row(cx: &Context<'_>, moment: &Moment) -> Row {
    let at = moment.from.as_secs_f64();
    let scope = cx.input.views.steps.iter().find(|step| step.number == moment.step).map(|step| step.scope.to_string());
    let leads = moment.leads.iter().map(|lead| happened(cx, lead));
    let beside = moment.beside.iter().map(|beside| watched(cx, beside));
    Row::new(vec![
        Cell::number(charts::moment(at).text, at).with_detail(clean(&scope.unwrap_or_default())),
        Cell::text(listed(cx, leads.collect())),
        Cell::text(listed(cx, beside.collect())),
        Cell { spark: charts::sparkline(&slowest_around(cx, moment)), ..Cell::default() },
    ])
}

/// The first few of a list, and how many more there are.
fn listed(cx: &Context<'_>, mut all: Vec<String>) -> String {
    let left = all.len().saturating_sub(NAMED);
    if all.is_empty() {
        return say!(cx.m, "moments-nothing");
    }
    all.truncate(NAMED);
    if left > 0 {
        all.push(say!(cx.m, "moments-more", left = left));
    }
    all.join("; ")
}

fn happened(cx: &Context<'_>, lead: &Lead) -> String {
    match lead {
        Lead::Slow { exchange, leg, greatest_ms, usual_ms } => say!(
            cx.m,
            "moments-slow",
            what = &leg_title(&clean(exchange), &clean(leg)),
            greatest = Arg::Milliseconds(*greatest_ms),
            usual = Arg::Milliseconds(*usual_ms)
        ),
        Lead::Failed { exchange, count } => say!(cx.m, "moments-failed", what = &clean(exchange), number = *count),
        Lead::Silent { seconds, usual } => {
            say!(cx.m, "moments-silent", number = *seconds, usual = Arg::PerSecond(*usual))
        }
        Lead::Event(place) => cx.input.views.events.get(*place).map(event).unwrap_or_default(),
    }
}

/// What an event says, with what it happened to.
fn event(event: &record::EventRow) -> String {
    let (subject, text) = (clean(&event.subject), clean(&event.text));
    if text.contains(&subject) { text } else { format!("{subject}: {text}") }
}

fn watched(cx: &Context<'_>, beside: &Beside) -> String {
    let Some(view) = beside.metric.and_then(|place| cx.input.views.metrics.get(place)) else {
        let (greatest, usual) = (Arg::Seconds(beside.greatest), Arg::Seconds(beside.usual));
        return say!(cx.m, "moments-generator", greatest = greatest, usual = usual);
    };
    let metric = cx.metric_word(&view.monitor.name, charts::metric_name(view));
    let what = match view.instance.is_empty() || view.instance == view.monitor.name {
        true => metric,
        false => format!("{metric} ({})", clean(&view.instance)),
    };
    let value = |value: f64| quantity(cx, view, value);
    say!(cx.m, "moments-watched", what = &what, greatest = &value(beside.greatest), usual = &value(beside.usual))
}

/// A level in its own unit; of a counter, what it grew by a second.
fn quantity(cx: &Context<'_>, view: &MetricView, value: f64) -> String {
    let metric = view.monitor.metrics.get(view.metric);
    match metric.filter(|metric| metric.kind == "counter").map(|metric| metric.unit.as_str()) {
        Some("s") => cx.m.numbers.arg(&Arg::Cores(value)),
        Some("bytes") => format!("{}/s", cx.m.numbers.bytes(value)),
        Some(_) => cx.m.numbers.per_second(value),
        None => charts::quantity(cx, view, value),
    }
}

/// The slowest call of each second around a moment, milliseconds.
fn slowest_around(cx: &Context<'_>, moment: &Moment) -> Vec<(f64, Option<f64>)> {
    let (from, to) = ((moment.from - TOGETHER).second() - DRAWN, moment.to.second() + DRAWN);
    let mut slowest = vec![None::<Nanos>; usize::try_from(to - from).unwrap_or(0)];
    let steps = cx.input.views.steps.iter().filter(|step| step.from.second() < to && from <= step.to.second());
    let legs = steps.flat_map(|step| &step.exchanges).flat_map(|exchange| &exchange.legs);
    for of in legs.flat_map(|leg| &leg.seconds).filter(|of| from <= of.second && of.second < to) {
        let place = usize::try_from(of.second - from).ok().and_then(|place| slowest.get_mut(place));
        if let Some(known) = place {
            *known = (*known).max(of.max);
        }
    }
    let seconds = (from..to).map(|second| second as f64);
    seconds.zip(slowest).map(|(second, time)| (second, time.map(Nanos::as_millis_f64))).collect()
}
