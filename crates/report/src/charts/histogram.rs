//! How often which times occurred, in bins that grow by a constant factor.

use super::leg::{LegFigures, quantile_ms};
use super::{Words, column, figure, number_row};
use crate::document::{Cell, Figure, Row, Table};
use crate::messages::say;
use crate::svg::{Plot, Scale};
use judge::Arg;
use judge::assess::{self, Centre};
use judge::views::{heat_bin, heat_bin_from, heat_bin_low};
use std::collections::BTreeMap;
use terms::{Buckets, Histogram, Nanos};

/// Bins across a figure at least: a factor of ten, so that a narrow distribution looks narrow.
const BINS_MIN: u16 = 20;

fn ms(bin: u16) -> f64 {
    heat_bin_low(bin).as_millis_f64()
}

/// Where a bin begins in words and tables.
fn from_ms(bin: u16) -> f64 {
    heat_bin_from(bin).as_millis_f64()
}

/// Bars of the share of calls in each bin.
pub(crate) fn histogram(of: &LegFigures<'_, '_>, anchor: &str) -> Option<Box<Figure>> {
    let m = &of.cx.m;
    let held = of.held();
    let times = held.times();
    let total = times.total();
    if !assess::has_histogram(total) {
        return None;
    }
    let mut bins: BTreeMap<u16, u64> = BTreeMap::new();
    for (index, count) in times.nonzero() {
        *bins.entry(heat_bin(Buckets::low(index))).or_default() += count;
    }
    let plot = draw(of, &bins, total)?;
    let mean = times.mean().map_or(0.0, Nanos::as_millis_f64);
    let median = quantile_ms(times, 0.5);
    let mode = bins.iter().max_by_key(|(bin, count)| (**count, std::cmp::Reverse(**bin)))?;
    let (low, high) = (Arg::Milliseconds(from_ms(*mode.0)), Arg::Milliseconds(ms(mode.0 + 1)));
    let words = Words {
        caption: say!(m, "fig-histogram-finds", low = low.clone(), high = high.clone()),
        observation: say!(
            m,
            "fig-histogram-seen",
            low = low,
            high = high,
            share = Arg::Share(*mode.1 as f64 / total as f64),
            mean = Arg::Milliseconds(mean),
            median = Arg::Milliseconds(median)
        ),
        assessment: assessment(of, assess::centre(mean, median)),
        reading: say!(m, "fig-histogram-reading"),
        data: Table {
            columns: vec![
                column(say!(m, "col-from"), "ms"),
                column(say!(m, "col-upto"), "ms"),
                column(say!(m, "col-calls"), ""),
                column(say!(m, "col-share"), "%"),
            ],
            rows: bins.iter().map(|(bin, count)| row(of, &plot, *bin, *count, times)).collect(),
            ..Table::default()
        },
        ..of.words(anchor, "fig-histogram-caption", &["MEAN-GT-P90"])
    };
    Some(figure(plot, words))
}

fn draw(of: &LegFigures<'_, '_>, bins: &BTreeMap<u16, u64>, total: u64) -> Option<Plot> {
    let (least, greatest) = (*bins.keys().next()?, *bins.keys().next_back()?);
    let spare = BINS_MIN.saturating_sub(greatest - least) / 2 + 1;
    let scale = Scale::Log { low: ms(least.saturating_sub(spare)), high: ms(greatest + spare + 1) };
    let percent = |count: &u64| *count as f64 / total as f64 * 100.0;
    let mut plot = Plot::new(170.0, scale, Scale::from_zero(bins.values().map(percent)), of.numbers());
    plot.axes(&of.axis("axis-times-ms"), &say!(of.cx.m, "axis-share-calls"));
    let base = plot.top + plot.height;
    let bar = |(bin, count): (&u16, &u64)| {
        let (left, right) = (plot.px(ms(*bin)), plot.px(ms(bin + 1)));
        let top = plot.py(percent(count));
        [left + 0.5, top, (right - left - 1.0).max(0.6), (base - top).max(0.6)]
    };
    let bars: Vec<[f64; 4]> = bins.iter().map(bar).collect();
    plot.enter();
    plot.canvas.rects(&bars, "blue", 1.0);
    plot.leave();
    for (row, limit) in of.limits.iter().enumerate() {
        plot.limit_at(limit.ms, &of.limit_label(limit), row, false);
    }
    Some(plot)
}

fn assessment(of: &LegFigures<'_, '_>, centre: Centre) -> String {
    let m = &of.cx.m;
    match centre {
        Centre::Far(factor) => say!(m, "fig-histogram-means-far", factor = Arg::Number(factor)),
        Centre::Skewed(excess) => say!(m, "fig-histogram-means-skewed", excess = Arg::Share(excess)),
        Centre::Even(difference) => say!(m, "fig-histogram-means-even", difference = Arg::Share(difference)),
    }
}

/// The last bin has all that are slower, too.
fn row(of: &LegFigures<'_, '_>, plot: &Plot, bin: u16, count: u64, times: &Histogram) -> Row {
    let slowest = times.max().filter(|_| bin == heat_bin(Nanos::MAX)).map_or(0.0, Nanos::as_millis_f64);
    let share = count as f64 / times.total() as f64 * 100.0;
    let values = [Some(ms(bin + 1).max(slowest)), Some(count as f64), Some(share)];
    let x = (plot.px(ms(bin)) + plot.px(ms(bin + 1))) / 2.0;
    number_row(x, Cell::number(of.numbers().value(from_ms(bin)), from_ms(bin)), &values, of.numbers())
}
