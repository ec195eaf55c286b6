//! The percentile curve, on an axis that gives each nine the same room.

use super::leg::{AGAIN, LegFigures, RESPONSE, quantile_ms};
use super::{Words, column, figure, number_row};
use crate::document::{Cell, Column, Figure, Table};
use crate::messages::say;
use crate::number::{Numbers, Rounding};
use crate::svg::{Plot, Scale, Stroke};
use judge::assess::{self, Waiting};
use judge::views::PopulationView;
use judge::{Arg, Times};
use terms::{Buckets, Histogram, Nanos};

const SERVICE: Stroke = Stroke::dashed("orange", 1.7, "5 3");
/// Quantiles of the data table under the curve.
const QUANTILES: [f64; 12] = [0.1, 0.25, 0.5, 0.75, 0.9, 0.95, 0.98, 0.99, 0.995, 0.999, 0.9999, 0.99999];

/// Quantile and value, milliseconds.
type Points = Vec<(f64, f64)>;

/// The curve at each occupied bucket: as far as enough calls lie beyond, and what of it fades towards the last call.
fn curve(times: &Histogram) -> (Points, Points) {
    let total = times.total();
    let (mut seen, mut full, mut faded) = (0, Vec::new(), Vec::new());
    let max = times.max().unwrap_or_default();
    for (index, count) in times.nonzero() {
        seen += count;
        let point = (seen as f64 / total as f64, Buckets::high(index).min(max).as_millis_f64());
        if assess::is_full(total - seen) {
            full.push(point);
        } else if seen < total {
            faded.push(point);
        }
    }
    if let (Some(min), false) = (times.min(), full.is_empty()) {
        full.insert(0, (0.0, min.as_millis_f64()));
    }
    if let (Some(last), false) = (full.last(), faded.is_empty()) {
        faded.insert(0, *last);
    }
    (full, faded)
}

fn placed(points: &[(f64, f64)]) -> Vec<(f64, Option<f64>)> {
    points.iter().map(|(q, value)| (*q, Some(*value))).collect()
}

/// Percentiles with the band of their intervals; the service time beside it where it differs from the response time. And
/// whether they lie apart: else the figure of shares shows as much.
pub(crate) fn percentile_curve(of: &LegFigures<'_, '_>, anchor: &str) -> Option<(Box<Figure>, bool)> {
    let cx = of.cx;
    let held = of.held();
    let (main, faded) = curve(held.times());
    let (last, last_ms) = *main.last()?;
    if main.len() < 3 {
        return None;
    }
    let service = if held.response.total() > 0 { curve(&held.service).0 } else { Vec::new() };
    let end = faded.last().map_or(last, |point| point.0);
    let nines = (-(1.0 - end).log10()).ceil().clamp(1.0, 6.0);
    let again = of.held_again();
    let others: Vec<(&str, Points)> = again.iter().map(|(name, held)| (*name, curve(held.times()).0)).collect();
    let others: Vec<(&str, Points)> = others.into_iter().filter(|(_, points)| points.len() > 2).collect();
    let beside = others.iter().flat_map(|(_, points)| points);
    let values = main.iter().chain(&service).chain(&faded).chain(beside).map(|point| point.1);
    let y = Scale::log_to_limits(values, of.limits.iter().map(|limit| limit.ms));
    let mut plot = Plot::new(230.0, Scale::Tail { nines }, y, of.numbers());
    plot.axes(&say!(cx.m, "axis-percentile"), &of.axis("axis-times"));
    for limit in of.limits {
        plot.limit_line(limit.ms, &of.limit_label(limit));
    }
    let times = of.held_times();
    let band: Vec<_> = times.map(band_of).unwrap_or_default().into_iter().filter(|point| point.0 <= last).collect();
    plot.between(&band, "blue", 0.18);
    if let Some((_, value)) = service.last() {
        plot.line(&placed(&service), SERVICE);
        plot.label(*value, &say!(cx.m, "label-service"), SERVICE);
    }
    for ((name, points), stroke) in others.iter().zip(AGAIN) {
        // As far as the axis reaches, which is that of the first.
        let points: Vec<_> = points.iter().copied().filter(|(q, _)| plot.x.holds(*q)).collect();
        plot.line(&placed(&points), stroke);
        plot.label(points.last().map_or(last_ms, |point| point.1), name, stroke);
    }
    plot.line(&placed(&main), RESPONSE);
    plot.fading(&faded, RESPONSE);
    let own = if others.is_empty() { String::new() } else { format!(" {}", of.scenario.repetition()) };
    plot.label(last_ms, &format!("{}{own}", of.axis("label-measure")), RESPONSE);
    let median = quantile_ms(held.times(), 0.5);
    let highest = say!(cx.m, "percentile-name", percentile = &reached(of.numbers(), last));
    let factor = Arg::Number(last_ms / median.max(1e-6));
    let (assessment, is_apart) = assessment(of, &held, last);
    let words = Words {
        caption: say!(cx.m, "fig-curve-finds", highest = &highest, factor = factor.clone()),
        observation: say!(
            cx.m,
            "fig-curve-seen",
            median = Arg::Milliseconds(median),
            highest = &highest,
            value = Arg::Milliseconds(last_ms),
            factor = factor
        ),
        assessment,
        reading: reading(of, !others.is_empty()),
        data: table(of, &held, last, times, &plot),
        ..of.words(anchor, "fig-curve-caption", &["CENSORED", "FEW", "CO-CLOSED", "MEAN-GT-P90"])
    };
    Some((figure(plot, words), is_apart))
}

fn reading(of: &LegFigures<'_, '_>, has_others: bool) -> String {
    let m = &of.cx.m;
    let text = say!(m, "fig-curve-reading", beyond = assess::CALLS_BEYOND);
    if has_others { format!("{text} {}", say!(m, "fig-again-reading")) } else { text }
}

fn band_of(times: &Times) -> Vec<(f64, f64, f64)> {
    times.percentiles.iter().filter_map(|p| p.interval.map(|(low, high)| (p.quantile, low, high))).collect()
}

/// What the curve means, and whether response and service times lie apart.
fn assessment(of: &LegFigures<'_, '_>, held: &PopulationView, last: f64) -> (String, bool) {
    let m = &of.cx.m;
    if of.scenario.is_closed {
        return (say!(m, "fig-curve-means-closed"), false);
    }
    let quantiles: Vec<f64> = QUANTILES.into_iter().filter(|q| *q <= last).chain([last]).collect();
    let mut lateness = Histogram::new();
    of.scenario.holds().for_each(|(step, _)| lateness.merge(&step.lateness));
    let at = |q: &f64| (quantile_ms(&held.response, *q), quantile_ms(&held.service, *q), quantile_ms(&lateness, *q));
    let times: Vec<(f64, f64, f64)> = quantiles.iter().map(at).collect();
    let percentile = |at: usize| reached(m.numbers, quantiles[at]);
    let waiting = assess::waiting(&times);
    let said = match waiting {
        Waiting::Waited(at) => say!(
            m,
            "fig-curve-means-waited",
            percentile = &percentile(at),
            response = Arg::Milliseconds(times[at].0),
            service = Arg::Milliseconds(times[at].1)
        ),
        Waiting::Late(at) => say!(
            m,
            "fig-curve-means-late",
            percentile = &percentile(at),
            response = Arg::Milliseconds(times[at].0),
            service = Arg::Milliseconds(times[at].1),
            lateness = Arg::Milliseconds(times[at].2)
        ),
        Waiting::Together => say!(m, "fig-curve-means-together"),
    };
    (said, waiting != Waiting::Together)
}

fn table(of: &LegFigures<'_, '_>, held: &PopulationView, last: f64, times: Option<&Times>, plot: &Plot) -> Table {
    let m = &of.cx.m;
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
        let name = say!(m, "percentile-name", percentile = &m.numbers.digits(&quantile_digits(q)));
        number_row(plot.px(q), Cell::number(name, q), &values, m.numbers)
    };
    Table {
        columns: vec![
            Column { title: say!(m, "col-percentile"), ..Column::default() },
            column(say!(m, "col-response"), "ms"),
            column(say!(m, "col-service"), "ms"),
            column(say!(m, "col-low"), "ms"),
            column(say!(m, "col-high"), "ms"),
        ],
        rows: QUANTILES.into_iter().filter(|q| *q <= last).map(row).collect(),
        ..Table::default()
    }
}

/// How far a curve reaches, never further than it does: `99.966` for 0.999 667. The part beyond keeps two digits, so that
/// ten calls of thirty thousand are not ten of ten thousand.
fn reached(numbers: Numbers, quantile: f64) -> String {
    let beyond = (1.0 - quantile) * 100.0;
    let places = (1 - beyond.max(1e-6).log10().floor() as i32).max(1);
    numbers.trim(&numbers.fixed(Rounding::Down.at(quantile * 100.0, places), places as usize))
}

/// `99.9` for 0.999: as many digits as it has.
pub(crate) fn quantile_digits(quantile: f64) -> String {
    let text = format!("{:.4}", quantile * 100.0);
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_percentile_is_named_no_further_than_the_curve_reaches() {
        let shown = |quantile| reached(Numbers::of("en"), quantile);
        assert_eq!(shown(1.0 - 10.0 / 30_000.0), "99.966");
        assert_eq!([0.5, 0.9, 0.95, 0.995, 0.999, 0.9999].map(shown), ["50", "90", "95", "99.5", "99.9", "99.99"]);
        assert_eq!(reached(Numbers::of("nl"), 1.0 - 10.0 / 21_000.0), "99,952");
        assert_eq!(shown(0.99 - 0.000_01), "98.9", "not p99");
    }

    #[test]
    fn where_few_calls_lie_beyond_the_curve_fades() {
        let mut times = Histogram::new();
        for n in 1..=100 {
            times.record(Nanos::from_millis(n));
        }
        let (full, faded) = curve(&times);
        assert!((full.last().unwrap().0 - 0.9).abs() < 1e-9, "ten of a hundred lie beyond p90: {:?}", full.last());
        assert_eq!(faded.first(), full.last(), "the fading part goes on where the line ends");
        assert!((faded.last().unwrap().0 - 0.99).abs() < 1e-9, "the last call itself has no percentile on this axis");
    }
}
