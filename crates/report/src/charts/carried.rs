//! What was carried in bulk, as a rate over time: accepted, and through by the count that closes the leg.

use super::stalls::Stalled;
use super::{Words, column, figure, moment, number_row, phases, scenario_group, time_axis};
use crate::document::{Column, Figure, Table};
use crate::input::{Context, ScenarioContext, leg_title};
use crate::messages::say;
use crate::svg::{Plot, Scale, Stroke};
use judge::Arg;
use judge::bulk::{Bulk, Through};
use judge::views::{CountedPoint, CountedView};
use terms::Nanos;

const ACCEPTED: Stroke = Stroke::solid("blue", 1.6);
const THROUGH: Stroke = Stroke::solid("green", 1.8);

/// From one look at the count to the next: its begin and end, seconds since the scenario began, and units a second.
struct Stretch {
    from: f64,
    to: f64,
    /// Accepted and through; `None` where a look failed.
    rates: Option<(f64, f64)>,
}

/// The figure; `None` where nothing was carried between two looks.
pub(crate) fn carried(
    cx: &Context<'_>,
    scenario: &ScenarioContext<'_>,
    (bulk, through): (&Bulk, &Through),
    view: &CountedView,
    anchor: &str,
) -> Option<Box<Figure>> {
    let stretches = stretches(scenario, view);
    let rates = || stretches.iter().filter_map(|stretch| stretch.rates);
    if rates().all(|(accepted, through)| accepted + through <= 0.0) {
        return None;
    }
    let mut plot = Plot::new(
        190.0,
        time_axis(scenario),
        Scale::from_zero(rates().map(|(accepted, through)| accepted.max(through))),
        cx.m.numbers,
    );
    phases(&mut plot, cx, scenario);
    let stalled = Stalled::of_count(cx, scenario, &through.counted_by);
    stalled.iter().for_each(|stalled| stalled.draw(&mut plot));
    let unit = crate::number::clean(&bulk.unit);
    plot.axes(&say!(cx.m, "axis-time"), &say!(cx.m, "axis-carried", unit = &unit));
    let line = |of: fn((f64, f64)) -> f64| -> Vec<(f64, Option<f64>)> {
        stretches.iter().map(|stretch| (stretch.middle(), stretch.rates.map(of))).collect()
    };
    plot.line(&line(|rates| rates.0), ACCEPTED);
    plot.line(&line(|rates| rates.1), THROUGH);
    let (accepted, done) = (bulk.accepted.mean_per_s(), through.carried.mean_per_s());
    plot.label(accepted, &say!(cx.m, "label-accepted"), ACCEPTED);
    plot.label(done, &say!(cx.m, "label-through"), THROUGH);
    stalled.iter().for_each(|stalled| stalled.label(&mut plot, cx));
    let what = leg_title(&bulk.exchange, &through.leg);
    let row = |stretch: &Stretch| {
        let values = [stretch.rates.map(|rates| rates.0), stretch.rates.map(|rates| rates.1)];
        number_row(plot.px(stretch.middle()), moment(stretch.from), &values, cx.m.numbers)
    };
    let mut words = Words {
        anchor: anchor.to_owned(),
        subject: say!(cx.m, "fig-carried-what", what = &what, scenario = scenario.name),
        caption: say!(
            cx.m,
            "fig-carried-finds",
            accepted = Arg::PerSecond(accepted),
            through = Arg::PerSecond(done),
            unit = &unit
        ),
        observation: seen(cx, scenario, &stretches),
        assessment: means(cx, through),
        reading: say!(cx.m, "fig-carried-reading"),
        findings: cx.findings_on(scenario.name, None, &["STALL", "DROP", "BACKLOG"]),
        group: scenario_group(scenario),
        data: Table {
            columns: vec![
                Column { is_number: true, title: say!(cx.m, "col-time"), ..Column::default() },
                column(say!(cx.m, "col-accepted"), "/s"),
                column(say!(cx.m, "col-through"), "/s"),
            ],
            rows: stretches.iter().map(row).collect(),
            ..Table::default()
        },
    };
    if let Some(stalled) = stalled {
        stalled.put_into(cx, &mut words);
    }
    Some(figure(plot, words))
}

impl Stretch {
    fn middle(&self) -> f64 {
        0.5 * (self.from + self.to)
    }
}

fn stretches(scenario: &ScenarioContext<'_>, view: &CountedView) -> Vec<Stretch> {
    let within: Vec<&(Nanos, Option<CountedPoint>)> =
        view.points.iter().filter(|(at, _)| scenario.from <= *at && *at <= scenario.to).collect();
    let stretch = |pair: &[&(Nanos, Option<CountedPoint>)]| {
        let seconds = (pair[1].0 - pair[0].0).as_secs_f64();
        // A count that begins anew grew by nobody knows how much.
        let rate = |from: f64, to: f64| (to - from).max(0.0) / seconds;
        let rates = pair[0].1.zip(pair[1].1);
        let rates = rates.map(|(a, b)| (rate(a.accepted, b.accepted), rate(a.through, b.through)));
        let (from, to) = (scenario.since(pair[0].0), scenario.since(pair[1].0));
        (seconds > 0.0).then_some(Stretch { from, to, rates })
    };
    within.windows(2).filter_map(stretch).collect()
}

/// The least and the greatest rate between looks that lie in the judged part.
fn seen(cx: &Context<'_>, scenario: &ScenarioContext<'_>, stretches: &[Stretch]) -> String {
    let is_held = |stretch: &&Stretch| {
        let holds = |from: Nanos, to: Nanos| scenario.since(from) <= stretch.from && stretch.to <= scenario.since(to);
        scenario.holds().any(|(step, _)| holds(step.from, step.to))
    };
    let held: Vec<f64> = stretches.iter().filter(is_held).filter_map(|it| Some(it.rates?.1)).collect();
    let (least, most) =
        held.iter().fold((f64::MAX, 0.0_f64), |(least, most), rate| (least.min(*rate), most.max(*rate)));
    if held.is_empty() {
        return say!(cx.m, "fig-carried-seen-none");
    }
    say!(cx.m, "fig-carried-seen", least = Arg::PerSecond(least), most = Arg::PerSecond(most))
}

/// Whether the mean describes a moment.
fn means(cx: &Context<'_>, through: &Through) -> String {
    match &through.carried.working {
        None => say!(cx.m, "fig-carried-means-none"),
        Some(working) if working.stalls.is_empty() => say!(cx.m, "fig-carried-means-even"),
        Some(working) => say!(
            cx.m,
            "fig-carried-means-stalls",
            working = Arg::PerSecond(working.per_s),
            mean = Arg::PerSecond(through.carried.mean_per_s())
        ),
    }
}
