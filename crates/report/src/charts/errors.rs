//! Failures over time, by class.

use super::{Words, column, figure, moment, number_row, phases, scenario_group, time_axis};
use crate::document::{Column, Figure, Table};
use crate::input::{Context, ScenarioContext};
use crate::messages::say;
use crate::svg::{Plot, Scale, Stroke};
use judge::Arg;
use judge::assess::{self, Failures};
use std::collections::BTreeMap;
use terms::{Nanos, Outcome};

/// Colours of classes in the order of their frequency; the rest share the last.
const HUES: [&str; 6] = ["vermillion", "blue", "orange", "purple", "green", "grey"];
/// At most so many bars; longer runs put several seconds into one.
const BARS: i64 = 180;

/// Failures of all exchanges of a scenario, by second of the end and class.
fn by_second(scenario: &ScenarioContext<'_>) -> BTreeMap<i64, BTreeMap<Outcome, u64>> {
    let mut all: BTreeMap<i64, BTreeMap<Outcome, u64>> = BTreeMap::new();
    for (step, _) in &scenario.steps {
        for leg in step.exchanges.iter().flat_map(|exchange| &exchange.legs) {
            for second in &leg.seconds {
                for (class, count) in second.classes.iter().filter(|(class, _)| class.is_failed()) {
                    *all.entry(second.second).or_default().entry(*class).or_default() += count;
                }
            }
        }
    }
    all
}

/// Counts by class of each bar, by its number from the scenario's first second.
type Bars = BTreeMap<i64, BTreeMap<Outcome, u64>>;

/// Bars of `width` seconds, the most frequent class at the bottom.
fn draw_bars(
    cx: &Context<'_>,
    scenario: &ScenarioContext<'_>,
    classes: &[(Outcome, u64)],
    bars: &Bars,
    width: i64,
) -> Plot {
    let greatest = bars.values().map(|bar| bar.values().sum::<u64>() as f64);
    let mut plot = Plot::new(150.0, time_axis(scenario), Scale::from_zero(greatest), cx.m.numbers);
    phases(&mut plot, cx, scenario);
    plot.axes(&say!(cx.m, "axis-time"), &say!(cx.m, "axis-failures", width = Arg::Seconds(width as f64).given()));
    let hue = |class: Outcome| HUES[classes.iter().position(|known| known.0 == class).unwrap_or(5).min(5)];
    let begin = |bar: i64| scenario.since(Nanos::from_secs(scenario.from.second() + bar * width));
    for (bar, counts) in bars {
        let (left, right) = (plot.px(begin(*bar)), plot.px(begin(bar + 1)));
        let mut below = 0.0;
        plot.enter();
        for (class, _) in classes {
            let count = counts.get(class).copied().unwrap_or(0) as f64;
            let (y, height) = (plot.py(below + count), plot.py(below) - plot.py(below + count));
            plot.canvas.rect((left, y), ((right - left - 0.6).max(1.2), height), hue(*class), 1.0);
            below += count;
        }
        plot.leave();
    }
    for (class, _) in classes.iter().take(HUES.len()) {
        plot.label(f64::MAX, &say!(cx.m, "class-word", class = class.name()), Stroke::solid(hue(*class), 7.0));
    }
    plot
}

/// Stacked bars of failures.
pub(crate) fn errors(cx: &Context<'_>, scenario: &ScenarioContext<'_>, anchor: &str) -> Option<Box<Figure>> {
    let seconds = by_second(scenario);
    let mut totals: BTreeMap<Outcome, u64> = BTreeMap::new();
    for (class, count) in seconds.values().flatten() {
        *totals.entry(*class).or_default() += count;
    }
    let mut classes: Vec<(Outcome, u64)> = totals.into_iter().collect();
    classes.sort_by_key(|(class, count)| (std::cmp::Reverse(*count), *class));
    let (top, top_count) = *classes.first()?;
    let first = scenario.from.second();
    let width = (scenario.to.second() - first + BARS).max(1) / BARS;
    let mut bars = Bars::new();
    for (second, counts) in &seconds {
        let bar = bars.entry((second - first).div_euclid(width)).or_default();
        for (class, count) in counts {
            *bar.entry(*class).or_default() += count;
        }
    }
    let begin = |bar: i64| scenario.since(Nanos::from_secs(first + bar * width));
    let plot = draw_bars(cx, scenario, &classes, &bars, width);
    let failed: u64 = classes.iter().map(|(_, count)| count).sum();
    let busiest = bars.iter().max_by_key(|(bar, counts)| (counts.values().sum::<u64>(), std::cmp::Reverse(**bar)))?;
    let in_busiest: u64 = busiest.1.values().sum();
    let observation = say!(
        cx.m,
        "fig-errors-seen",
        failed = failed,
        class = &say!(cx.m, "class-word", class = top.name()),
        count = top_count
    );
    let share = in_busiest as f64 / failed as f64;
    let when = crate::svg::clock(begin(*busiest.0).max(0.0));
    let length = Arg::Seconds(width as f64).given();
    let ends = bars.first_key_value().zip(bars.last_key_value());
    let (from, to) = ends.map_or((0.0, 0.0), |(first, last)| (begin(*first.0).max(0.0), begin(last.0 + 1)));
    let whole = (scenario.to - scenario.from).as_secs_f64().max(1e-9);
    let assessment = match assess::failures(bars.len(), share, (to - from) / whole) {
        Failures::Spread => say!(cx.m, "fig-errors-means-spread", bars = bars.len(), width = length),
        Failures::Together => {
            let (from, to) = (crate::svg::clock(from), crate::svg::clock(to));
            say!(cx.m, "fig-errors-means-together", from = &from, to = &to)
        }
        Failures::Peak => {
            say!(cx.m, "fig-errors-means-peak", share = Arg::Share(share), when = &when, width = length)
        }
    };
    let mut columns = vec![Column { is_number: true, title: say!(cx.m, "col-time"), ..Column::default() }];
    columns.extend(classes.iter().map(|(class, _)| column(say!(cx.m, "class-word", class = class.name()), "")));
    let row = |(bar, counts): (&i64, &BTreeMap<Outcome, u64>)| {
        let values: Vec<_> =
            classes.iter().map(|(class, _)| Some(counts.get(class).copied().unwrap_or(0) as f64)).collect();
        let at = begin(*bar);
        number_row(plot.px(at + width as f64 / 2.0), moment(at.max(0.0)), &values, cx.m.numbers)
    };
    let rows = bars.iter().map(row).collect();
    let words = Words {
        anchor: anchor.to_owned(),
        subject: say!(cx.m, "fig-errors-caption", scenario = scenario.name),
        caption: say!(cx.m, "fig-errors-finds", failed = failed, class = &say!(cx.m, "class-word", class = top.name())),
        observation,
        assessment,
        reading: say!(cx.m, "fig-errors-reading"),
        findings: cx.findings_on(scenario.name, None, &["ERR-FAST", "DOWN", "CENSORED"]),
        group: scenario_group(scenario),
        data: Table { columns, rows, ..Table::default() },
    };
    Some(figure(plot, words))
}
