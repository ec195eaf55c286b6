//! Stalls in a figure over time: a band for each that the judge found, how many they are, and what they cost.

use super::Words;
use crate::document::{Cell, Column, Table};
use crate::input::{Context, ScenarioContext, is_in_scenario};
use crate::messages::say;
use crate::svg::{Plot, Stroke};
use judge::bulk::Carried;
use judge::findings::Stalls;
use judge::{Arg, Finding, Found};
use std::ops::Range;
use terms::Nanos;

/// The band, and its entry beside the figure.
const BAND: Stroke = Stroke::solid("fill-gap", 9.0);
/// The bar above a band: what is narrow, or printed in grey, is seen by it.
const BAR: &str = "vermillion";
const BAR_HEIGHT: f64 = 3.0;
/// No band is narrower, in units of the figure: a stall of seconds in a day is there, too.
const NARROWEST: f64 = 1.5;

/// The stalls of what a figure shows.
pub(crate) struct Stalled {
    /// Seconds since the scenario began, in order, none over another.
    spans: Vec<(f64, f64)>,
    /// Part of the work that they took away; `None` where calls only waited, or where several loads differ.
    lost: Option<f64>,
}

impl Stalled {
    /// Of the calls of a scenario.
    pub(crate) fn of_calls(cx: &Context<'_>, scenario: &ScenarioContext<'_>) -> Option<Self> {
        let bulks = cx.input.judgement.bulks.iter().filter(|bulk| is_in_scenario(&bulk.scope, scenario.name));
        Self::of(cx, scenario, |stalls| stalls.figure != "watched", bulks.map(|bulk| &bulk.accepted))
    }

    /// Of a watched count, `ingest.durable`.
    pub(crate) fn of_count(cx: &Context<'_>, scenario: &ScenarioContext<'_>, count: &str) -> Option<Self> {
        let bulks = cx.input.judgement.bulks.iter().filter(|bulk| is_in_scenario(&bulk.scope, scenario.name));
        let through = bulks.flat_map(|bulk| &bulk.through).filter(|through| through.counted_by == count);
        let is_of = |stalls: &Stalls| stalls.figure == "watched" && stalls.exchange == count;
        Self::of(cx, scenario, is_of, through.map(|through| &through.carried))
    }

    /// By the findings, else by what was carried in bulk: a rule looks for a rhythm, or for more stalls than two.
    fn of<'c>(
        cx: &'c Context<'_>,
        scenario: &ScenarioContext<'_>,
        is_of: impl Fn(&Stalls) -> bool,
        carried: impl Iterator<Item = &'c Carried>,
    ) -> Option<Self> {
        let found = |finding: &'c Finding| match &finding.found {
            Found::Stalls(stalls) if is_of(stalls) && is_in_scenario(&finding.scope, scenario.name) => {
                Some((finding.spans.as_slice(), stalls.lost()))
            }
            _ => None,
        };
        let mut all: Vec<(&[Range<Nanos>], Option<f64>)> =
            cx.input.judgement.findings.iter().filter_map(found).collect();
        if all.is_empty() {
            let working = carried.filter_map(|carried| carried.working.as_ref());
            all = working.map(|working| (working.stalls.as_slice(), Some(working.lost))).collect();
        }
        let is_inside = |span: &&Range<Nanos>| scenario.from <= span.start && span.start < scenario.to;
        all.retain(|(spans, _)| spans.iter().any(|span| is_inside(&span)));
        let lost = match all.as_slice() {
            [(_, lost)] => *lost,
            _ => None,
        };
        let spans = all.iter().flat_map(|(spans, _)| spans.iter()).filter(is_inside);
        let spans = joined(spans.map(|span| (scenario.since(span.start), scenario.since(span.end))).collect());
        (!spans.is_empty()).then_some(Self { spans, lost })
    }

    /// Draws the bands; what is drawn later lies over them.
    pub(crate) fn draw(&self, plot: &mut Plot) {
        let rect = |(from, to): &(f64, f64), height: f64| {
            let (left, right) = (plot.px(*from), plot.px(*to));
            [left, plot.top, (right - left).max(NARROWEST), height]
        };
        let bands: Vec<_> = self.spans.iter().map(|span| rect(span, plot.height)).collect();
        let bars: Vec<_> = self.spans.iter().map(|span| rect(span, BAR_HEIGHT)).collect();
        plot.enter();
        plot.canvas.rects(&bands, BAND.hue, 1.0);
        plot.canvas.rects(&bars, BAR, 1.0);
        plot.leave();
    }

    /// Their entry beside the figure, at its top.
    pub(crate) fn label(&self, plot: &mut Plot, cx: &Context<'_>) {
        plot.label_at_top(&say!(cx.m, "label-stalls", stalls = self.spans.len()), BAND);
    }

    /// Adds to a figure's words how many they are and what they cost, and to its numbers which one was in hand.
    pub(crate) fn put_into(&self, cx: &Context<'_>, words: &mut Words) {
        let stalls = self.spans.len();
        let time = Arg::Seconds(self.spans.iter().map(|(from, to)| to - from).sum());
        let caption = std::mem::take(&mut words.caption);
        let (finds, seen) = match self.lost.map(Arg::Share) {
            Some(lost) => (
                say!(cx.m, "fig-stalls-finds-lost", caption = &caption, stalls = stalls, lost = lost.clone()),
                say!(cx.m, "fig-stalls-seen-lost", stalls = stalls, time = time, lost = lost),
            ),
            None => (
                say!(cx.m, "fig-stalls-finds", caption = &caption, stalls = stalls),
                say!(cx.m, "fig-stalls-seen", stalls = stalls, time = time),
            ),
        };
        words.caption = finds;
        words.observation = format!("{} {seen}", words.observation);
        self.number(cx, &mut words.data);
    }

    /// A column with the number of the stall in hand; the first one is the moment.
    fn number(&self, cx: &Context<'_>, data: &mut Table) {
        data.columns.push(Column { is_number: true, title: say!(cx.m, "col-stall"), ..Column::default() });
        for row in &mut data.rows {
            let at = row.cells.first().and_then(|cell| cell.raw);
            let is_in = |at: f64| self.spans.iter().position(|(from, to)| *from <= at && at < *to);
            row.cells.push(match at.and_then(is_in) {
                Some(place) => Cell::number(cx.m.numbers.count((place + 1) as f64), (place + 1) as f64),
                None => Cell::missing(),
            });
        }
    }
}

/// Spans in order; those that touch are one.
fn joined(mut spans: Vec<(f64, f64)>) -> Vec<(f64, f64)> {
    spans.sort_by(|a, b| a.0.total_cmp(&b.0));
    let mut all: Vec<(f64, f64)> = Vec::new();
    for (from, to) in spans {
        match all.last_mut().filter(|last| from <= last.1) {
            Some(last) => last.1 = last.1.max(to),
            None => all.push((from, to)),
        }
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_stalls_together_is_one_band() {
        let spans = vec![(30.0, 33.0), (10.0, 12.0), (32.0, 34.0), (12.0, 13.0), (20.0, 21.0)];
        assert_eq!(joined(spans), [(10.0, 13.0), (20.0, 21.0), (30.0, 34.0)]);
        assert!(joined(Vec::new()).is_empty());
    }
}
