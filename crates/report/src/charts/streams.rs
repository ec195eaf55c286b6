//! Streams over time: a row for each, dark where its calls were slow, marked where they failed.

use super::{Words, joined, moment, number_row, time_axis};
use crate::document::{Cell, Column, Figure, Row, Table};
use crate::input::{Context, ScenarioContext, leg_title};
use crate::messages::say;
use crate::number::clean;
use crate::palette;
use crate::svg::{Anchor, Canvas, Lettering, Stroke, WIDTH, data_uri, fit};
use judge::Arg;
use judge::assess::{self, Streams};
use judge::views::{STRETCH_S, Stretch};
use std::collections::BTreeMap;
use terms::{Nanos, Phase};

/// Streams drawn; more stand in the table.
const STREAMS_MAX: usize = 60;
/// Stretches in a row; longer scenarios put several together.
const COLUMNS_MAX: i64 = 240;
/// Room for the labels at the left.
const LEFT: f64 = 150.0;
const TOP: f64 = 24.0;

/// One stream of a leg over all steps of a scenario.
#[derive(Clone, Debug, Default)]
pub(crate) struct StreamSum {
    pub label: String,
    /// Closes by class, all steps.
    pub outcomes: [u64; 16],
    /// Those of the holds that succeeded.
    pub held: judge::views::PopulationView,
    /// All stretches of all steps.
    pub stretches: BTreeMap<i64, Stretch>,
}

impl StreamSum {
    /// Mean time of the holds, milliseconds.
    pub(crate) fn mean_ms(&self) -> Option<f64> {
        self.held.times().mean().map(Nanos::as_millis_f64)
    }
}

/// The streams of a leg, by their numbers.
pub(crate) fn streams_of(scenario: &ScenarioContext<'_>, exchange: &str, leg: &str) -> Vec<StreamSum> {
    let mut all: BTreeMap<u16, StreamSum> = BTreeMap::new();
    for (step, _, view) in scenario.leg_views(exchange, leg) {
        for stream in &view.streams {
            let sum = all.entry(stream.stream).or_default();
            sum.label = clean(&stream.label);
            sum.outcomes.iter_mut().zip(stream.outcomes).for_each(|(sum, count)| *sum += count);
            if step.phase == Phase::Hold {
                sum.held.response.merge(&stream.ok.response);
                sum.held.service.merge(&stream.ok.service);
                sum.held.count += stream.ok.count;
            }
            for (at, stretch) in &stream.stretches {
                let own = sum.stretches.entry(*at).or_default();
                own.ok += stretch.ok;
                own.failed += stretch.failed;
                own.sum_ns += stretch.sum_ns;
            }
        }
    }
    all.into_values().collect()
}

/// The figure; `None` with fewer than two streams.
pub(crate) fn streams(
    cx: &Context<'_>,
    scenario: &ScenarioContext<'_>,
    (exchange, leg): (&str, &str),
    anchor: &str,
) -> Option<Box<Figure>> {
    let all = streams_of(scenario, exchange, leg);
    let drawn = &all[..all.len().min(STREAMS_MAX)];
    let timed = all.iter().filter_map(|stream| Some((stream, stream.mean_ms()?)));
    let slowest = timed.clone().reduce(|best, next| if next.1 > best.1 { next } else { best })?;
    let fastest = timed.reduce(|best, next| if next.1 < best.1 { next } else { best })?;
    if drawn.len() < 2 {
        return None;
    }
    let what = clean(&leg_title(exchange, leg));
    let grid = Grid::of(scenario, drawn)?;
    let ratio = slowest.1 / fastest.1.max(f64::MIN_POSITIVE);
    let failed: u64 = all.iter().map(failures).sum();
    let with_failures = all.iter().filter(|stream| failures(stream) > 0).count();
    let assessment = match assess::streams(ratio) {
        Streams::Uneven(limit) => say!(cx.m, "fig-streams-means-uneven", limit = Arg::Number(limit).given()),
        Streams::Even(limit) => say!(cx.m, "fig-streams-means-even", limit = Arg::Number(limit).given()),
    };
    let words = Words {
        anchor: anchor.to_owned(),
        subject: say!(cx.m, "fig-streams-what", what = &what, scenario = scenario.name),
        caption: say!(cx.m, "fig-streams-finds", slowest = &slowest.0.label, factor = Arg::Number(ratio)),
        observation: say!(
            cx.m,
            "fig-streams-seen",
            streams = all.len(),
            fastest = &fastest.0.label,
            low = Arg::Milliseconds(fastest.1),
            slowest = &slowest.0.label,
            high = Arg::Milliseconds(slowest.1),
            failed = failed,
            with_failures = with_failures
        ),
        assessment,
        reading: say!(cx.m, "fig-streams-reading", width = Arg::Seconds((grid.stretch * STRETCH_S) as f64)),
        data: grid.table(cx, scenario, drawn),
        ..Words::default()
    };
    let svg = grid.draw(cx, scenario, drawn).finish(anchor, &words.caption, &words.observation);
    Some(joined(svg, words))
}

/// Calls of a stream that failed.
fn failures(stream: &StreamSum) -> u64 {
    stream.stretches.values().map(|stretch| stretch.failed).sum()
}

/// Cells of the figure: a row for each stream, a column for each stretch.
struct Grid {
    /// First stretch of ten seconds, and how many of them make a column.
    first: i64,
    stretch: i64,
    columns: usize,
    /// Row by row from the top: calls of the column.
    cells: Vec<Stretch>,
}

impl Grid {
    fn of(scenario: &ScenarioContext<'_>, streams: &[StreamSum]) -> Option<Self> {
        let first = streams.iter().filter_map(|stream| stream.stretches.keys().next()).min().copied()?;
        let last = streams.iter().filter_map(|stream| stream.stretches.keys().next_back()).max().copied()?;
        // What was intended lies within the scenario; anything else would make columns without end.
        let begin = scenario.from.second().div_euclid(STRETCH_S);
        let end = scenario.to.second().div_euclid(STRETCH_S);
        let (first, last) = (first.clamp(begin, end), last.clamp(begin, end));
        let stretch = ((last - first + 1) + COLUMNS_MAX - 1) / COLUMNS_MAX;
        let columns = ((last - first) / stretch + 1) as usize;
        let mut cells = vec![Stretch::default(); columns * streams.len()];
        for (row, stream) in streams.iter().enumerate() {
            for (at, found) in stream.stretches.range(first..=last) {
                let cell = &mut cells[row * columns + ((at - first) / stretch) as usize];
                cell.ok += found.ok;
                cell.failed += found.failed;
                cell.sum_ns += found.sum_ns;
            }
        }
        Some(Self { first, stretch, columns, cells })
    }

    /// Mean time of a cell, milliseconds.
    fn mean(cell: &Stretch) -> Option<f64> {
        (cell.ok > 0).then(|| cell.sum_ns / cell.ok as f64 / 1e6)
    }

    fn draw(&self, cx: &Context<'_>, scenario: &ScenarioContext<'_>, streams: &[StreamSum]) -> Canvas {
        let row = if streams.len() > 30 { 10.0 } else { 15.0 };
        let (height, width) = (row * streams.len() as f64, WIDTH - LEFT - 90.0);
        let mut canvas = Canvas::new(WIDTH, TOP + height + 44.0);
        let x = |seconds: f64| LEFT + time_axis(scenario).position(seconds) * width;
        let begin = scenario.since(Nanos::from_secs(self.first * STRETCH_S));
        let means: Vec<Option<f64>> = self.cells.iter().map(Self::mean).collect();
        let values = || means.iter().flatten().copied();
        let (low, high) =
            values().fold((f64::INFINITY, 0.0f64), |(low, high), value| (low.min(value), high.max(value)));
        // By factors: the slow ones would else be all that is seen.
        let span = (high / low.max(1e-6)).ln().max(1e-9);
        let opacity = |mean: &Option<f64>| match mean {
            None => 0,
            Some(mean) => (50.0 + 205.0 * (mean / low.max(1e-6)).ln() / span).clamp(0.0, 255.0) as u8,
        };
        let opacities: Vec<u8> = means.iter().map(opacity).collect();
        let length = self.columns as f64 * (self.stretch * STRETCH_S) as f64;
        let scale = width / scenario.length();
        if let Some(uri) = data_uri(self.columns, streams.len(), &opacities, palette::light("heat")) {
            canvas.image([LEFT, TOP, width, height], (LEFT + begin * scale, length * scale), &uri);
        }
        let cell = (self.stretch * STRETCH_S) as f64;
        let failed = self.cells.iter().enumerate().filter(|(_, cell)| cell.failed > 0).map(|(index, _)| {
            let (at, down) = (index % self.columns, index / self.columns);
            let middle = begin + (at as f64 + 0.5) * cell;
            (x(middle.clamp(0.0, scenario.length())), TOP + (down as f64 + 0.5) * row)
        });
        canvas.dots(&failed.collect::<Vec<_>>(), 2.2, "vermillion");
        canvas.outline((LEFT, TOP), (width, height), Stroke::solid("rule", 1.0));
        let size = if row < 12.0 { 8.5 } else { 11.0 };
        for (down, stream) in streams.iter().enumerate() {
            let y = TOP + (down as f64 + 0.5) * row + size * 0.35;
            let label = fit(&stream.label, LEFT - 12.0, size);
            canvas.text((LEFT - 8.0, y), &label, Lettering::new("ink-2", Anchor::End).size(size));
            if let Some(mean) = stream.mean_ms() {
                let text = cx.m.numbers.arg(&Arg::Milliseconds(mean));
                canvas.text((LEFT + width + 8.0, y), &text, Lettering::new("ink-2", Anchor::Start).size(size));
            }
        }
        for (value, label) in time_axis(scenario).ticks(8, cx.m.numbers) {
            canvas.line((x(value), TOP + height), (x(value), TOP + height + 4.0), Stroke::solid("ink-3", 1.0));
            canvas.text((x(value), TOP + height + 17.0), &label, Lettering::new("ink-2", Anchor::Middle).size(11.0));
        }
        let title = Lettering::new("ink-3", Anchor::Middle).size(11.0);
        canvas.text((LEFT + width / 2.0, TOP + height + 36.0), &say!(cx.m, "axis-time"), title);
        canvas.text((8.0, TOP - 9.0), &say!(cx.m, "col-stream"), Lettering::new("ink-3", Anchor::Start).size(11.0));
        let mean = say!(cx.m, "col-mean");
        canvas.text((LEFT + width + 8.0, TOP - 9.0), &mean, Lettering::new("ink-3", Anchor::Start).size(11.0));
        canvas
    }

    /// A row for each column of the figure, a column for each stream.
    fn table(&self, cx: &Context<'_>, scenario: &ScenarioContext<'_>, streams: &[StreamSum]) -> Table {
        let mut columns = vec![Column { is_number: true, title: say!(cx.m, "col-time"), ..Column::default() }];
        columns.extend(streams.iter().map(|stream| Column::number(&stream.label, "ms")));
        let row = |at: usize| -> Row {
            let begin = scenario.since(Nanos::from_secs((self.first + at as i64 * self.stretch) * STRETCH_S));
            let of = |down: usize| Self::mean(&self.cells[down * self.columns + at]);
            let values: Vec<Option<f64>> = (0..streams.len()).map(of).collect();
            let first: Cell = moment(begin.max(0.0));
            Row { x: None, ..number_row(begin, first, &values, cx.m.numbers) }
        };
        Table { columns, rows: (0..self.columns).map(row).collect(), ..Table::default() }
    }
}
