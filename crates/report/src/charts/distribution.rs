//! How times are distributed: percentile curve, cumulative curve, histogram.

use super::{Words, column, figure, number_row};
use crate::document::{Cell, Column, Figure, Row, Table};
use crate::input::{Context, ScenarioContext, leg_title};
use crate::limits::Limit;
use crate::messages::say;
use crate::svg::{Plot, Scale, Stroke};
use judge::views::{LegView, PopulationView, heat_bin, heat_bin_low};
use judge::{Arg, Times};
use std::collections::BTreeMap;
use terms::{Buckets, Histogram, Nanos, Phase};

const RESPONSE: Stroke = Stroke::solid("blue", 2.0);
const SERVICE: Stroke = Stroke::dashed("orange", 1.7, "5 3");
/// A percentile with fewer calls beyond it than this is not drawn: it would be drawn from a handful of calls.
const CALLS_BEYOND: u64 = 10;

/// All that ended well in the holds of a scenario.
fn held(scenario: &ScenarioContext<'_>, exchange: &str, leg: &str) -> PopulationView {
    let mut all = PopulationView::default();
    for (step, _, view) in scenario.leg_views(exchange, leg) {
        if step.phase == Phase::Hold {
            all.response.merge(&view.ok.response);
            all.service.merge(&view.ok.service);
            all.count += view.ok.count;
        }
    }
    all
}

/// Statistics of the only hold, with its intervals; with several holds there is none that belongs to them together.
fn held_times<'a>(scenario: &ScenarioContext<'a>, exchange: &str, leg: &str) -> Option<&'a Times> {
    let mut holds = scenario.holds();
    let (_, result) = holds.next()?;
    if holds.next().is_some() {
        return None;
    }
    let exchange = result?.exchanges.iter().find(|found| found.id == exchange)?;
    let leg = exchange.legs.iter().find(|found| found.id == leg && found.outcome == "ok")?;
    leg.response.as_ref().or(leg.service.as_ref())
}

/// Quantile and value at each occupied bucket, as far as enough calls lie beyond.
fn curve(times: &Histogram) -> Vec<(f64, f64)> {
    let total = times.total();
    let (mut seen, mut points) = (0, Vec::new());
    let max = times.max().unwrap_or_default();
    for (index, count) in times.nonzero() {
        seen += count;
        if total - seen < CALLS_BEYOND {
            break;
        }
        points.push((seen as f64 / total as f64, Buckets::high(index).min(max).as_millis_f64()));
    }
    if let (Some(min), false) = (times.min(), points.is_empty()) {
        points.insert(0, (0.0, min.as_millis_f64()));
    }
    points
}

/// Percentiles on an axis that gives each nine the same room, with the band of the intervals.
pub(crate) fn percentile_curve(
    cx: &Context<'_>,
    scenario: &ScenarioContext<'_>,
    (exchange, leg): (&str, &str),
    limits: &[Limit],
    anchor: &str,
) -> Option<Box<Figure>> {
    let held = held(scenario, exchange, leg);
    let main = curve(held.times());
    let last = main.last()?.0;
    if main.len() < 3 {
        return None;
    }
    let service = if held.response.total() > 0 { curve(&held.service) } else { Vec::new() };
    let nines = (-(1.0 - last).log10()).ceil().clamp(1.0, 6.0);
    let values = main.iter().chain(&service).map(|point| point.1).chain(limits.iter().map(|limit| limit.ms));
    let mut plot = Plot::new(230.0, Scale::Tail { nines }, Scale::log_over(values), cx.m.numbers);
    plot.axes(&say!(cx.m, "axis-percentile"), &say!(cx.m, "axis-times", measure = scenario.measure()));
    for limit in limits {
        plot.limit_line(limit.ms, &cx.m.numbers.given_seconds(limit.ms / 1e3));
    }
    let times = held_times(scenario, exchange, leg);
    let band: Vec<_> = times.map(band_of).unwrap_or_default().into_iter().filter(|point| point.0 <= last).collect();
    plot.between(&band, "blue", 0.18);
    if let Some((_, value)) = service.last() {
        plot.line(&service.iter().map(|(q, v)| (*q, Some(*v))).collect::<Vec<_>>(), SERVICE);
        plot.label(*value, &say!(cx.m, "label-service"), SERVICE);
    }
    plot.line(&main.iter().map(|(q, v)| (*q, Some(*v))).collect::<Vec<_>>(), RESPONSE);
    plot.label(main.last()?.1, &say!(cx.m, "label-measure", measure = scenario.measure()), RESPONSE);
    let main_times = held.times();
    let at = |q: f64| main_times.quantile(q).map_or(0.0, Nanos::as_millis_f64);
    let highest = say!(cx.m, "percentile-name", percentile = &cx.m.numbers.fixed((last * 1e3).floor() / 10.0, 1));
    let words = Words {
        anchor: anchor.to_owned(),
        caption: say!(
            cx.m,
            "fig-curve-caption",
            what = &leg_title(exchange, leg),
            scenario = scenario.name,
            measure = scenario.measure()
        ),
        observation: say!(
            cx.m,
            "fig-curve-seen",
            median = Arg::Milliseconds(at(0.5)),
            highest = &highest,
            value = Arg::Milliseconds(main.last()?.1),
            factor = Arg::Number(main.last()?.1 / at(0.5).max(1e-6))
        ),
        assessment: curve_means(cx, scenario, &held, last),
        reading: say!(cx.m, "fig-curve-reading", beyond = CALLS_BEYOND),
        findings: cx.findings_on(scenario.name, Some(exchange), &["CENSORED", "FEW", "CO-CLOSED", "MEAN-GT-P90"]),
        group: String::new(),
        data: curve_table(cx, &held, last, times, &plot),
    };
    Some(figure(plot, words))
}

fn band_of(times: &Times) -> Vec<(f64, f64, f64)> {
    times.percentiles.iter().filter_map(|p| p.interval.map(|(low, high)| (p.quantile, low, high))).collect()
}

fn curve_means(cx: &Context<'_>, scenario: &ScenarioContext<'_>, held: &PopulationView, last: f64) -> String {
    if scenario.is_closed {
        return say!(cx.m, "fig-curve-means-closed");
    }
    let at = |times: &Histogram, q: f64| times.quantile(q).map_or(0.0, Nanos::as_millis_f64);
    let apart = |q: f64| at(&held.response, q) / at(&held.service, q).max(1e-6);
    let quantiles = QUANTILES.into_iter().filter(|q| *q <= last).chain([last]);
    let most = quantiles.max_by(|a, b| apart(*a).total_cmp(&apart(*b))).unwrap_or(last);
    // A tenth is far above the width of a bucket (0.1 %), so it is not an artefact of the histogram.
    if apart(most) > 1.1 {
        let percentile = cx.m.numbers.fixed((most * 1e3).floor() / 10.0, 1);
        say!(
            cx.m,
            "fig-curve-means-waited",
            percentile = percentile.trim_end_matches(".0"),
            response = Arg::Milliseconds(at(&held.response, most)),
            service = Arg::Milliseconds(at(&held.service, most))
        )
    } else {
        say!(cx.m, "fig-curve-means-together")
    }
}

/// Quantiles of the data table under the curve.
const QUANTILES: [f64; 12] = [0.1, 0.25, 0.5, 0.75, 0.9, 0.95, 0.98, 0.99, 0.995, 0.999, 0.9999, 0.99999];

fn curve_table(cx: &Context<'_>, held: &PopulationView, last: f64, times: Option<&Times>, plot: &Plot) -> Table {
    let at = |times: &Histogram, q: f64| times.quantile(q).filter(|_| times.total() > 0).map(Nanos::as_millis_f64);
    let row = |q: f64| {
        let interval =
            times.and_then(|times| times.percentiles.iter().find(|p| (p.quantile - q).abs() < 1e-9)?.interval);
        let values = [
            at(&held.response, q),
            at(&held.service, q),
            interval.map(|interval| interval.0),
            interval.map(|interval| interval.1),
        ];
        let name = say!(cx.m, "percentile-name", percentile = &quantile_digits(q));
        number_row(plot.px(q), Cell::number(name, q), &values, cx.m.numbers)
    };
    Table {
        columns: vec![
            Column { title: say!(cx.m, "col-percentile"), ..Column::default() },
            column(say!(cx.m, "col-response"), "ms"),
            column(say!(cx.m, "col-service"), "ms"),
            column(say!(cx.m, "col-low"), "ms"),
            column(say!(cx.m, "col-high"), "ms"),
        ],
        rows: QUANTILES.into_iter().filter(|q| *q <= last).map(row).collect(),
        ..Table::default()
    }
}

/// `99.9` for 0.999: as many digits as it has.
pub(crate) fn quantile_digits(quantile: f64) -> String {
    let text = format!("{:.4}", quantile * 100.0);
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

/// The cumulative curve with limits as crosshairs.
pub(crate) fn ecdf(
    cx: &Context<'_>,
    scenario: &ScenarioContext<'_>,
    (exchange, leg): (&str, &str),
    limits: &[Limit],
    anchor: &str,
) -> Option<Box<Figure>> {
    let held = held(scenario, exchange, leg);
    let times = held.times();
    let total = times.total();
    if total < 2 * CALLS_BEYOND {
        return None;
    }
    let max = times.max()?;
    let mut seen = 0;
    let mut points = vec![(times.min()?.as_millis_f64(), 0.0)];
    for (index, count) in times.nonzero() {
        seen += count;
        points.push((Buckets::high(index).min(max).as_millis_f64(), seen as f64 / total as f64));
    }
    let values = points.iter().map(|point| point.0).chain(limits.iter().map(|limit| limit.ms));
    let mut plot = Plot::new(200.0, Scale::log_over(values), Scale::Linear { low: 0.0, high: 100.0 }, cx.m.numbers);
    plot.axes(&say!(cx.m, "axis-times-ms", measure = scenario.measure()), &say!(cx.m, "axis-share-below"));
    for (row, limit) in limits.iter().enumerate() {
        plot.limit_at(limit.ms, &cx.m.numbers.given_seconds(limit.ms / 1e3), row, true);
        if let Some(share) = limit.share.filter(|share| *share < 1.0) {
            plot.limit_line(share * 100.0, &cx.m.numbers.given(&Arg::Share(share)));
        }
    }
    let shown: Vec<_> = points.iter().map(|(x, y)| (*x, y * 100.0)).collect();
    plot.steps(&shown, RESPONSE);
    let below = |ms: f64| times.count_below(Nanos::from_secs_f64(ms / 1e3)).1 as f64 / total as f64;
    let (observation, assessment) = match limits.first() {
        Some(limit) => (
            say!(
                cx.m,
                "fig-ecdf-seen",
                limit = Arg::Milliseconds(limit.ms),
                share = Arg::Share(below(limit.ms)),
                count = total
            ),
            say!(
                cx.m,
                "fig-ecdf-means",
                low = Arg::Share(below(limit.ms * 0.9)),
                high = Arg::Share(below(limit.ms * 1.1)),
                limit = Arg::Milliseconds(limit.ms)
            ),
        ),
        None => {
            let at = |q: f64| Arg::Milliseconds(times.quantile(q).map_or(0.0, Nanos::as_millis_f64));
            (
                say!(cx.m, "fig-ecdf-seen-no-limit", low = at(0.05), high = at(0.95), count = total),
                say!(cx.m, "fig-ecdf-means-no-limit"),
            )
        }
    };
    let words = Words {
        anchor: anchor.to_owned(),
        caption: say!(
            cx.m,
            "fig-ecdf-caption",
            what = &leg_title(exchange, leg),
            scenario = scenario.name,
            measure = scenario.measure()
        ),
        observation,
        assessment,
        reading: if limits.is_empty() {
            say!(cx.m, "fig-ecdf-reading-no-limit")
        } else {
            say!(cx.m, "fig-ecdf-reading")
        },
        findings: cx.findings_on(scenario.name, Some(exchange), &["CENSORED"]),
        group: String::new(),
        data: Table {
            columns: vec![column(say!(cx.m, "col-upto"), "ms"), column(say!(cx.m, "col-share-below"), "%")],
            rows: points.iter().map(|(ms, share)| ecdf_row(cx, &plot, *ms, *share)).collect(),
            ..Table::default()
        },
    };
    Some(figure(plot, words))
}

fn ecdf_row(cx: &Context<'_>, plot: &Plot, ms: f64, share: f64) -> Row {
    let cells =
        vec![Cell::number(cx.m.numbers.value(ms), ms), Cell::number(cx.m.numbers.percentage(share), share * 100.0)];
    Row { cells, x: Some(plot.px(ms)), is_strong: false }
}

/// How often which times occurred, in bins that grow by a constant factor.
pub(crate) fn histogram(
    cx: &Context<'_>,
    scenario: &ScenarioContext<'_>,
    (exchange, leg): (&str, &str),
    limits: &[Limit],
    anchor: &str,
) -> Option<Box<Figure>> {
    let held = held(scenario, exchange, leg);
    let times = held.times();
    let total = times.total();
    if total < CALLS_BEYOND {
        return None;
    }
    let mut bins: BTreeMap<u16, u64> = BTreeMap::new();
    for (index, count) in times.nonzero() {
        *bins.entry(heat_bin(Buckets::low(index))).or_default() += count;
    }
    let (least, greatest) = (*bins.keys().next()?, *bins.keys().next_back()?);
    let ms = |bin: u16| heat_bin_low(bin).as_millis_f64();
    // At least a factor of ten across, so that a narrow distribution looks narrow.
    let spare = 20u16.saturating_sub(greatest - least) / 2 + 1;
    let scale = Scale::Log { low: ms(least.saturating_sub(spare)), high: ms(greatest + spare + 1) };
    let fullest = bins.values().map(|count| *count as f64 / total as f64 * 100.0);
    let mut plot = Plot::new(170.0, scale, Scale::from_zero(fullest), cx.m.numbers);
    plot.axes(&say!(cx.m, "axis-times-ms", measure = scenario.measure()), &say!(cx.m, "axis-share-calls"));
    for (bin, count) in &bins {
        let (left, right) = (plot.px(ms(*bin)), plot.px(ms(bin + 1)));
        let top = plot.py(*count as f64 / total as f64 * 100.0);
        let base = plot.top + plot.height;
        plot.canvas.rect((left + 0.5, top), ((right - left - 1.0).max(0.6), (base - top).max(0.6)), "blue", 1.0);
    }
    for (row, limit) in limits.iter().filter(|limit| limit.ms < ms(greatest + spare + 1)).enumerate() {
        plot.limit_at(limit.ms, &cx.m.numbers.given_seconds(limit.ms / 1e3), row, false);
    }
    let mean = times.mean().map_or(0.0, Nanos::as_millis_f64);
    let median = times.quantile(0.5).map_or(0.0, Nanos::as_millis_f64);
    let mode = bins.iter().max_by_key(|(bin, count)| (**count, std::cmp::Reverse(**bin)))?;
    let observation = say!(
        cx.m,
        "fig-histogram-seen",
        low = Arg::Milliseconds(ms(*mode.0)),
        high = Arg::Milliseconds(ms(mode.0 + 1)),
        share = Arg::Share(*mode.1 as f64 / total as f64),
        mean = Arg::Milliseconds(mean),
        median = Arg::Milliseconds(median)
    );
    let ratio = mean / median.max(1e-6);
    let assessment = if ratio > 2.0 {
        say!(cx.m, "fig-histogram-means-far", factor = Arg::Number(ratio))
    } else if ratio > 1.1 {
        say!(cx.m, "fig-histogram-means-skewed", excess = Arg::Share(ratio - 1.0))
    } else {
        say!(cx.m, "fig-histogram-means-even", difference = Arg::Share((ratio - 1.0).abs()))
    };
    let rows = bins.iter().map(|(bin, count)| {
        let values = [Some(ms(bin + 1)), Some(*count as f64), Some(*count as f64 / total as f64 * 100.0)];
        let x = (plot.px(ms(*bin)) + plot.px(ms(bin + 1))) / 2.0;
        number_row(x, Cell::number(cx.m.numbers.value(ms(*bin)), ms(*bin)), &values, cx.m.numbers)
    });
    let rows = rows.collect();
    let words = Words {
        anchor: anchor.to_owned(),
        caption: say!(
            cx.m,
            "fig-histogram-caption",
            what = &leg_title(exchange, leg),
            scenario = scenario.name,
            measure = scenario.measure()
        ),
        observation,
        assessment,
        reading: say!(cx.m, "fig-histogram-reading"),
        findings: cx.findings_on(scenario.name, Some(exchange), &["MEAN-GT-P90"]),
        group: String::new(),
        data: Table {
            columns: vec![
                column(say!(cx.m, "col-from"), "ms"),
                column(say!(cx.m, "col-upto"), "ms"),
                column(say!(cx.m, "col-calls"), ""),
                column(say!(cx.m, "col-share"), "%"),
            ],
            rows,
            ..Table::default()
        },
    };
    Some(figure(plot, words))
}

/// Whether a leg has any time in a hold.
pub(crate) fn has_times(scenario: &ScenarioContext<'_>, exchange: &str, leg: &str) -> bool {
    let has = |view: &LegView| view.ok.times().total() > 0;
    scenario.leg_views(exchange, leg).iter().any(|(step, _, view)| step.phase == Phase::Hold && has(view))
}
