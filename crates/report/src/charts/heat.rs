//! All calls as a heat map: time across, times up on a log scale, darkness by the square root of the count.

use super::leg::{LegFigures, quantile_ms};
use super::{Words, column, figure, moment, number_row, phases, plain_if, scenario_group, time_axis};
use crate::document::{Column, Figure, Row, Table};
use crate::input::{Context, ScenarioContext};
use crate::messages::say;
use crate::palette;
use crate::svg::{Plot, Scale, data_uri};
use judge::Arg;
use judge::assess::{self, Groups};
use judge::views::{HEAT_BINS, heat_bin_from, heat_bin_low};
use std::collections::BTreeMap;
use terms::{Histogram, Nanos};

/// A heat map has at most so many columns; longer runs put several seconds into one.
const HEAT_COLUMNS: i64 = 360;

/// Calls by column of the figure and log bin.
struct Grid {
    /// Number of columns.
    columns: usize,
    /// Bin after bin of each column.
    counts: Vec<u64>,
}

impl Grid {
    fn new(columns: usize) -> Self {
        Self { columns, counts: vec![0; columns * usize::from(HEAT_BINS)] }
    }

    fn add(&mut self, column: usize, bin: u16, count: u64) {
        self.counts[column * usize::from(HEAT_BINS) + usize::from(bin)] += count;
    }

    /// The counts of each column, by bin.
    fn by_column(&self) -> impl Iterator<Item = &[u64]> {
        self.counts.chunks_exact(usize::from(HEAT_BINS))
    }

    /// The bins that have calls, with their counts over all columns.
    fn bins(&self) -> BTreeMap<u16, u64> {
        let count = |bin: u16| self.by_column().map(|counts| counts[usize::from(bin)]).sum();
        (0..HEAT_BINS).map(|bin| (bin, count(bin))).filter(|(_, count)| *count > 0).collect()
    }
}

/// The figure; `None` without a call that succeeded.
pub(crate) fn heat_map(of: &LegFigures<'_, '_>, anchor: &str) -> Option<Box<Figure>> {
    let (cx, scenario) = (of.cx, of.scenario);
    let width_s = (scenario.length().ceil() as i64 + HEAT_COLUMNS - 1) / HEAT_COLUMNS;
    let first = scenario.from.second();
    let columns = ((scenario.to - Nanos(1)).second().max(first) - first) / width_s + 1;
    let (mut grid, mut all) = (Grid::new(columns as usize), Histogram::new());
    for (_, _, view) in scenario.leg_views(of.exchange, of.leg) {
        for (second, bin, count) in view.heat.cells() {
            let column = (second - first).div_euclid(width_s).clamp(0, columns - 1);
            grid.add(column as usize, bin, count);
        }
        all.merge(view.ok.times());
    }
    let bins = grid.bins();
    let (least, greatest) = (*bins.keys().next()?, *bins.keys().next_back()?);
    let (low, high) = (least.saturating_sub(2), greatest + 2);
    let ms = |bin: u16| heat_bin_low(bin).as_millis_f64();
    let mut plot = Plot::new(230.0, time_axis(scenario), Scale::Log { low: ms(low), high: ms(high + 1) }, cx.m.numbers);
    phases(&mut plot, cx, scenario);
    plot.axes(&say!(cx.m, "axis-time"), &of.axis("axis-times"));
    let uri = data_uri(grid.columns, usize::from(high - low) + 1, &raster(&grid, low, high), palette::light("heat"))?;
    // The raster begins with a whole second of the run, which may lie before the scenario.
    let begin = scenario.since(Nanos::from_secs(first));
    let scale = plot.width / scenario.length();
    let frame = [plot.left, plot.top, plot.width, plot.height];
    plot.enter();
    plot.canvas.image(frame, (plot.left + begin * scale, (columns * width_s) as f64 * scale), &uri);
    plot.leave();
    for limit in of.limits {
        plot.limit_line(limit.ms, &of.limit_label(limit));
    }
    let (caption, assessment, is_plain) = groups(cx, &bins, &all);
    let words = Words {
        caption,
        observation: heat_seen(cx, &all),
        assessment,
        reading: say!(cx.m, "fig-heat-reading", width = Arg::Seconds(width_s as f64).given()),
        group: scenario_group(scenario),
        data: heat_table(cx, scenario, &grid, width_s, first, &plot),
        ..of.words(anchor, "fig-heat-caption", &["STALL", "MEAN-GT-P90", "CO-CLOSED"])
    };
    Some(plain_if(is_plain, figure(plot, words)))
}

/// Opacity of each cell from the bin `high` down to `low`: the square root of its share of the fullest cell of its column,
/// so that rare slow calls show.
fn raster(grid: &Grid, low: u16, high: u16) -> Vec<u8> {
    let mut opacities = vec![0; grid.columns * (usize::from(high - low) + 1)];
    for (column, counts) in grid.by_column().enumerate() {
        let fullest = counts.iter().copied().max().unwrap_or(0).max(1);
        for (bin, count) in (low..=high.min(HEAT_BINS - 1)).map(|bin| (bin, counts[usize::from(bin)])) {
            // The least is dark enough to be seen: one call in a million is what the reader looks for.
            let opacity = 70.0 + 185.0 * (count as f64 / fullest as f64).sqrt();
            let place = usize::from(high - bin) * grid.columns + column;
            opacities[place] = if count == 0 { 0 } else { opacity.min(255.0) as u8 };
        }
    }
    opacities
}

fn heat_seen(cx: &Context<'_>, all: &Histogram) -> String {
    let ms = |time: Option<Nanos>| Arg::Milliseconds(time.map_or(0.0, Nanos::as_millis_f64));
    say!(
        cx.m,
        "fig-heat-seen",
        low = ms(all.quantile(0.1)),
        high = ms(all.quantile(0.9)),
        greatest = ms(all.max()),
        count = all.total()
    )
}

/// Finding and assessment: the groups that the times form; and whether it is one, as of most times.
fn groups(cx: &Context<'_>, bins: &BTreeMap<u16, u64>, all: &Histogram) -> (String, String, bool) {
    let (low, high) = (Arg::Milliseconds(quantile_ms(all, 0.1)), Arg::Milliseconds(quantile_ms(all, 0.9)));
    let one = || say!(cx.m, "fig-heat-finds-one", low = low.clone(), high = high.clone());
    match assess::groups(bins) {
        Groups::One => (one(), say!(cx.m, "fig-heat-means-one"), true),
        Groups::Outliers(outside) => (one(), say!(cx.m, "fig-heat-means-outliers", outside = outside), false),
        Groups::Several(groups) => (
            say!(cx.m, "fig-heat-finds-groups", groups = groups),
            say!(cx.m, "fig-heat-means-groups", groups = groups),
            false,
        ),
    }
}

fn heat_table(
    cx: &Context<'_>,
    scenario: &ScenarioContext<'_>,
    grid: &Grid,
    width_s: i64,
    first: i64,
    plot: &Plot,
) -> Table {
    let row = |(column, counts): (usize, &[u64])| -> Option<Row> {
        let bins = || (0..HEAT_BINS).zip(counts).filter(|(_, count)| **count > 0);
        let begin = scenario.since(Nanos::from_secs(first + column as i64 * width_s));
        let calls: u64 = counts.iter().sum();
        let fullest = bins().max_by_key(|(bin, count)| (**count, std::cmp::Reverse(*bin)));
        let low = |bin: Option<u16>| bin.map(|bin| heat_bin_from(bin).as_millis_f64());
        let (least, greatest) = (bins().next()?.0, bins().next_back()?.0);
        let values = [Some(calls as f64), low(Some(least)), low(fullest.map(|(bin, _)| bin)), low(Some(greatest))];
        Some(number_row(plot.px(begin + width_s as f64 / 2.0), moment(begin.max(0.0)), &values, cx.m.numbers))
    };
    Table {
        columns: vec![
            Column { is_number: true, title: say!(cx.m, "col-time"), ..Column::default() },
            column(say!(cx.m, "col-calls"), ""),
            column(say!(cx.m, "col-bin-least"), "ms"),
            column(say!(cx.m, "col-bin-fullest"), "ms"),
            column(say!(cx.m, "col-bin-greatest"), "ms"),
        ],
        rows: grid.by_column().enumerate().filter_map(row).collect(),
        ..Table::default()
    }
}
