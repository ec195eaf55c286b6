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
use judge::views::{heat_bin_from, heat_bin_low};
use std::collections::BTreeMap;
use terms::{Histogram, Nanos};

/// A heat map has at most so many columns; longer runs put several seconds into one.
const HEAT_COLUMNS: i64 = 360;

/// The figure; `None` without a call that ended well.
pub(crate) fn heat_map(of: &LegFigures<'_, '_>, anchor: &str) -> Option<Box<Figure>> {
    let (cx, scenario) = (of.cx, of.scenario);
    let (mut heat, mut all) = (BTreeMap::<(i64, u16), u64>::new(), Histogram::new());
    for (_, _, view) in scenario.leg_views(of.exchange, of.leg) {
        for (cell, count) in &view.heat {
            *heat.entry(*cell).or_default() += count;
        }
        all.merge(view.ok.times());
    }
    let least = heat.keys().map(|(_, bin)| *bin).min()?;
    let greatest = heat.keys().map(|(_, bin)| *bin).max()?;
    let (low, high) = (least.saturating_sub(2), greatest + 2);
    let ms = |bin: u16| heat_bin_low(bin).as_millis_f64();
    let mut plot = Plot::new(230.0, time_axis(scenario), Scale::Log { low: ms(low), high: ms(high + 1) }, cx.m.numbers);
    phases(&mut plot, cx, scenario);
    plot.axes(&say!(cx.m, "axis-time"), &of.axis("axis-times"));
    let width_s = (scenario.length().ceil() as i64 + HEAT_COLUMNS - 1) / HEAT_COLUMNS;
    let first = scenario.from.second();
    let columns = ((scenario.to - Nanos(1)).second().max(first) - first) / width_s + 1;
    let rows = usize::from(high - low) + 1;
    let raster = raster(&heat, columns as usize, rows, |(second, bin)| {
        let column = (second - first).div_euclid(width_s).clamp(0, columns - 1);
        (column as usize, usize::from(high - bin))
    });
    let uri = data_uri(columns as usize, rows, &raster, palette::light("heat"))?;
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
    let (caption, assessment, is_plain) = groups(cx, &heat, &all);
    let words = Words {
        caption,
        observation: heat_seen(cx, &all),
        assessment,
        reading: say!(cx.m, "fig-heat-reading", width = Arg::Seconds(width_s as f64).given()),
        group: scenario_group(scenario),
        data: heat_table(cx, scenario, &heat, width_s, first, &plot),
        ..of.words(anchor, "fig-heat-caption", &["STALL", "MEAN-GT-P90", "CO-CLOSED"])
    };
    Some(plain_if(is_plain, figure(plot, words)))
}

/// Opacity of each cell: the square root of its share of the fullest cell of its column, so that rare slow calls show.
fn raster(
    heat: &BTreeMap<(i64, u16), u64>,
    columns: usize,
    rows: usize,
    place: impl Fn((i64, u16)) -> (usize, usize),
) -> Vec<u8> {
    let mut counts = vec![0u64; columns * rows];
    for (cell, count) in heat {
        let (column, row) = place(*cell);
        counts[row.min(rows - 1) * columns + column] += count;
    }
    let fullest = |column: usize| (0..rows).map(|row| counts[row * columns + column]).max().unwrap_or(0).max(1);
    let fullest: Vec<u64> = (0..columns).map(fullest).collect();
    let opacity = |(index, count): (usize, &u64)| match count {
        0 => 0,
        // The least is dark enough to be seen: one call in a million is what the reader looks for.
        count => (70.0 + 185.0 * (*count as f64 / fullest[index % columns] as f64).sqrt()).min(255.0) as u8,
    };
    counts.iter().enumerate().map(opacity).collect()
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
fn groups(cx: &Context<'_>, heat: &BTreeMap<(i64, u16), u64>, all: &Histogram) -> (String, String, bool) {
    let mut bins: BTreeMap<u16, u64> = BTreeMap::new();
    for ((_, bin), count) in heat {
        *bins.entry(*bin).or_default() += count;
    }
    let (low, high) = (Arg::Milliseconds(quantile_ms(all, 0.1)), Arg::Milliseconds(quantile_ms(all, 0.9)));
    let one = || say!(cx.m, "fig-heat-finds-one", low = low.clone(), high = high.clone());
    match assess::groups(&bins) {
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
    heat: &BTreeMap<(i64, u16), u64>,
    width_s: i64,
    first: i64,
    plot: &Plot,
) -> Table {
    let mut by_column: BTreeMap<i64, BTreeMap<u16, u64>> = BTreeMap::new();
    for ((second, bin), count) in heat {
        *by_column.entry((second - first).div_euclid(width_s)).or_default().entry(*bin).or_default() += count;
    }
    let row = |(column, bins): (&i64, &BTreeMap<u16, u64>)| -> Row {
        let begin = scenario.since(Nanos::from_secs(first + column * width_s));
        let calls: u64 = bins.values().sum();
        let fullest = bins.iter().max_by_key(|(bin, count)| (**count, std::cmp::Reverse(**bin)));
        let low = |bin: Option<&u16>| bin.map(|bin| heat_bin_from(*bin).as_millis_f64());
        let values = [
            Some(calls as f64),
            low(bins.keys().next()),
            low(fullest.map(|(bin, _)| bin)),
            low(bins.keys().next_back()),
        ];
        number_row(plot.px(begin + width_s as f64 / 2.0), moment(begin.max(0.0)), &values, cx.m.numbers)
    };
    Table {
        columns: vec![
            Column { is_number: true, title: say!(cx.m, "col-time"), ..Column::default() },
            column(say!(cx.m, "col-calls"), ""),
            column(say!(cx.m, "col-bin-least"), "ms"),
            column(say!(cx.m, "col-bin-fullest"), "ms"),
            column(say!(cx.m, "col-bin-greatest"), "ms"),
        ],
        rows: by_column.iter().map(row).collect(),
        ..Table::default()
    }
}
