//! The cumulative curve with limits as crosshairs.

use super::leg::{AGAIN, LegFigures, RESPONSE};
use super::{Words, column, figure, plain_if};
use crate::document::{Cell, Figure, Row, Table};
use crate::messages::{Messages, say};
use crate::svg::{Plot, Scale};
use judge::Arg;
use judge::assess;
use terms::{Buckets, Histogram, Nanos};

/// Which share of the calls took at most how long.
pub(crate) fn ecdf(of: &LegFigures<'_, '_>, anchor: &str) -> Option<Box<Figure>> {
    let m = &of.cx.m;
    let held = of.held();
    let times = held.times();
    let total = times.total();
    if !assess::has_ecdf(total) {
        return None;
    }
    let points = curve(times)?;
    let again = of.held_again();
    let others: Vec<_> = again.iter().filter_map(|(name, held)| Some((*name, curve(held.times())?))).collect();
    let shown = points.iter().chain(others.iter().flat_map(|(_, points)| points));
    let x = Scale::log_to_limits(shown.map(|point| point.0), of.limits.iter().map(|limit| limit.ms));
    let mut plot = Plot::new(200.0, x, Scale::Linear { low: 0.0, high: 100.0 }, m.numbers);
    plot.axes(&of.axis("axis-times-ms"), &say!(m, "axis-share-below"));
    for (row, limit) in of.limits.iter().enumerate() {
        plot.limit_at(limit.ms, &of.limit_label(limit), row, true);
        if let Some(share) = limit.share.filter(|share| *share < 1.0) {
            plot.limit_line(share * 100.0, &m.numbers.given(&Arg::Share(share)));
        }
    }
    let percent = |points: &[(f64, f64)]| points.iter().map(|(x, y)| (*x, y * 100.0)).collect::<Vec<_>>();
    for ((name, points), stroke) in others.iter().zip(AGAIN) {
        plot.steps(&percent(points), stroke);
        plot.label(100.0, name, stroke);
    }
    plot.steps(&percent(&points), RESPONSE);
    let own = of.own_name(&again);
    if !own.is_empty() {
        plot.label(100.0, own, RESPONSE);
    }
    let (caption, observation, assessment, is_plain) = sentences(of, times);
    let mut reading = match of.limits.is_empty() {
        true => say!(m, "fig-ecdf-reading-no-limit"),
        false => say!(m, "fig-ecdf-reading"),
    };
    if !others.is_empty() {
        reading = format!("{reading} {}", say!(m, "fig-again-reading"));
    }
    let words = Words {
        caption,
        observation,
        assessment,
        reading,
        data: Table {
            columns: vec![column(say!(m, "col-upto"), "ms"), column(say!(m, "col-share-below"), "%")],
            rows: points.iter().map(|(ms, share)| row(of, &plot, *ms, *share)).collect(),
            ..Table::default()
        },
        ..of.words(anchor, "fig-ecdf-caption", &["CENSORED"])
    };
    Some(plain_if(is_plain, figure(plot, words)))
}

/// Milliseconds, and the share of calls that took at most as long.
fn curve(times: &Histogram) -> Option<Vec<(f64, f64)>> {
    let (total, max) = (times.total(), times.max()?);
    let mut seen = 0;
    let mut points = vec![(times.min()?.as_millis_f64(), 0.0)];
    for (index, count) in times.nonzero() {
        seen += count;
        points.push((Buckets::high(index).min(max).as_millis_f64(), seen as f64 / total as f64));
    }
    Some(points)
}

/// Finding, observation, assessment: against the least limit, or the middle nine tenths where there is none; and whether no
/// limit near that one would have been decided otherwise.
fn sentences(of: &LegFigures<'_, '_>, times: &Histogram) -> (String, String, String, bool) {
    let m = &of.cx.m;
    let total = times.total();
    let below = |ms: f64| Arg::Share(times.count_below(Nanos::from_secs_f64(ms / 1e3)).1 as f64 / total as f64);
    let Some(limit) = of.limits.first() else {
        let at = |q: f64| Arg::Milliseconds(super::leg::quantile_ms(times, q));
        return (
            say!(m, "fig-ecdf-finds-no-limit", low = at(0.05), high = at(0.95)),
            say!(m, "fig-ecdf-seen-no-limit", low = at(0.05), high = at(0.95), count = total),
            say!(m, "fig-ecdf-means-no-limit"),
            true,
        );
    };
    let given = Arg::Milliseconds(limit.ms).given();
    let (low, high) = (below(limit.ms * 0.9), below(limit.ms * 1.1));
    let is_same = low == high;
    let means = choice(m, low, high, given.clone());
    (
        say!(m, "fig-ecdf-finds", share = below(limit.ms), limit = given.clone()),
        say!(m, "fig-ecdf-seen", limit = given, share = below(limit.ms), count = total),
        means,
        is_same,
    )
}

/// How much the choice of a limit matters: the shares that a lower and a higher one would have.
fn choice(m: &Messages, low: Arg, high: Arg, limit: Arg) -> String {
    if m.numbers.arg(&low) == m.numbers.arg(&high) {
        return say!(m, "fig-ecdf-means-same", share = low, limit = limit);
    }
    say!(m, "fig-ecdf-means", low = low, high = high, limit = limit)
}

fn row(of: &LegFigures<'_, '_>, plot: &Plot, ms: f64, share: f64) -> Row {
    let numbers = of.numbers();
    let cells = vec![Cell::number(numbers.value(ms), ms), Cell::number(numbers.percentage(share), share * 100.0)];
    Row { cells, x: Some(plot.px(ms)), is_strong: false }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_limit_that_could_be_another_is_said_once() {
        let m = Messages::of("en");
        let said = |low, high| choice(&m, Arg::Share(low), Arg::Share(high), Arg::Milliseconds(50.0).given());
        assert_eq!(said(1.0, 1.0).matches("100%").count(), 1, "{}", said(1.0, 1.0));
        assert!(said(0.97, 0.99).contains("97.0%") && said(0.97, 0.99).contains("99.0%"));
    }
}
