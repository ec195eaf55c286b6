//! Small multiples: the same drawing for many things, side by side in one scale, so that differences show as differences.

use super::{is_unjudged, time_marks};
use crate::input::{Context, ScenarioContext};
use crate::number::Numbers;
use crate::svg::{Anchor, Canvas, Lettering, Scale, Stroke, WIDTH, c, fit, m4, runs, text_width};

/// Room for the labels of a vertical axis.
const AXIS: f64 = 50.0;
/// Between panels.
const GAP: f64 = 20.0;
/// Above a panel, for its title.
const HEAD: f64 = 25.0;
/// Below a panel, for the labels of its horizontal axis.
const FOOT: f64 = 30.0;
/// How much wider bold letters are, at most.
const BOLD: f64 = 1.12;
/// Above all panels, for the title of the vertical axis.
const TOP: f64 = 18.0;

pub(crate) struct PanelLine {
    /// Colour and dashes.
    pub stroke: Stroke,
    /// Seconds since the scenario began, and values in the unit of the axis.
    pub points: Vec<(f64, Option<f64>)>,
    /// Name beside the line; empty where the panel's title says it.
    pub name: String,
}

pub(crate) struct Panel {
    /// What it shows.
    pub title: String,
    /// Remark at the right of the title: a unit, or the greatest value.
    pub remark: String,
    /// Lines, the most important last.
    pub lines: Vec<PanelLine>,
    /// Level before the load.
    pub idle: Option<f64>,
    /// Bound.
    pub ceiling: Option<f64>,
    /// Vertical scale.
    pub y: Scale,
    /// Whether what lies below zero is the other direction and not a negative value.
    pub is_mirrored: bool,
}

/// A stretch of the horizontal axis that stands apart from the rest: an iteration.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Span {
    /// Begin and end, seconds since the scenario began.
    pub from: f64,
    pub to: f64,
    pub name: String,
}

/// All panels of a figure.
pub(crate) struct Grid {
    /// Panels, row by row.
    pub panels: Vec<Panel>,
    /// Panels in a row.
    pub columns: usize,
    /// Height of each.
    pub height: f64,
    /// Whether all have one vertical scale, which then stands at the left only.
    pub is_common: bool,
    /// Title of the vertical axis, with its unit.
    pub y_title: String,
    /// Title of the horizontal axis.
    pub x_title: String,
}

/// How many panels stand in a row when there are so many.
pub(crate) fn columns_for(panels: usize) -> usize {
    match panels {
        0 | 1 => 1,
        2 | 4 => 2,
        3 | 5 | 6 | 9 => 3,
        _ => 4,
    }
}

/// Where the panel of that number stands.
#[derive(Clone, Copy)]
struct Place {
    left: f64,
    top: f64,
    width: f64,
    height: f64,
}

impl Grid {
    fn axis(&self) -> f64 {
        if self.is_common { 0.0 } else { AXIS }
    }

    fn place(&self, index: usize) -> Place {
        let own_axis = self.axis();
        let left = if self.is_common { AXIS } else { 0.0 };
        let cell = (WIDTH - left - 8.0 - GAP * (self.columns - 1) as f64) / self.columns as f64;
        Place {
            left: left + (index % self.columns) as f64 * (cell + GAP) + own_axis,
            top: TOP + (index / self.columns) as f64 * (self.height + HEAD + FOOT) + HEAD,
            width: cell - own_axis,
            height: self.height,
        }
    }

    /// Horizontal place of a moment in the first column, for the crosshair.
    pub(crate) fn px(&self, x: Scale, seconds: f64) -> f64 {
        let place = self.place(0);
        place.left + x.position(seconds) * place.width
    }

    /// Draws all panels, each of the same scenario.
    pub(crate) fn draw(&self, cx: &Context<'_>, scenario: &ScenarioContext<'_>) -> Canvas {
        self.draw_spans(cx, scenario, &[])
    }

    /// The same with stretches that stand apart: what lies between them is shaded, their ends are marked, and their names
    /// are below the axis. Without any, what is shaded is what is not judged.
    pub(crate) fn draw_spans(&self, cx: &Context<'_>, scenario: &ScenarioContext<'_>, spans: &[Span]) -> Canvas {
        let mut canvas = self.drawn(cx, super::time_axis(scenario), |_| Some(scenario), spans);
        let first = self.place(0);
        if let Scale::Time { low, high } = super::time_axis(scenario) {
            canvas.tell("t", &[first.left, first.width, low, high].map(c).join(","));
        }
        let lefts: Vec<String> = (0..self.columns.min(self.panels.len())).map(|n| c(self.place(n).left)).collect();
        canvas.tell("c", &lefts.join(","));
        canvas
    }

    /// Draws each panel of a scenario of its own, all over the time of the longest.
    pub(crate) fn draw_each(&self, cx: &Context<'_>, scenarios: &[&ScenarioContext<'_>]) -> Canvas {
        let longest = scenarios.iter().map(|scenario| scenario.length()).fold(1.0, f64::max);
        self.drawn(cx, Scale::Time { low: 0.0, high: longest }, |number| scenarios.get(number).copied(), &[])
    }

    fn drawn<'s, 'a: 's>(
        &self,
        cx: &Context<'_>,
        x: Scale,
        scenario: impl Fn(usize) -> Option<&'s ScenarioContext<'a>>,
        spans: &[Span],
    ) -> Canvas {
        let rows = self.panels.len().div_ceil(self.columns);
        let mut canvas = Canvas::new(WIDTH, TOP + rows as f64 * (self.height + HEAD + FOOT) + 14.0);
        if !self.y_title.is_empty() {
            canvas.text((0.0, 12.0), &self.y_title, Lettering::new("ink-2", Anchor::Start));
        }
        for (index, panel) in self.panels.iter().enumerate() {
            if let Some(scenario) = scenario(index) {
                self.panel(cx, (scenario, x, spans), &mut canvas, (index, panel));
            }
        }
        let middle = self.place(0).left / 2.0 + WIDTH / 2.0;
        let at = (middle, canvas.height - 5.0);
        canvas.text(at, &self.x_title, Lettering::new("ink-2", Anchor::Middle));
        canvas
    }

    fn panel(
        &self,
        cx: &Context<'_>,
        (scenario, x, spans): (&ScenarioContext<'_>, Scale, &[Span]),
        canvas: &mut Canvas,
        (index, panel): (usize, &Panel),
    ) {
        let at = self.place(index);
        let px = |seconds: f64| at.left + x.position(seconds) * at.width;
        let py = |value: f64| at.top + (1.0 - panel.y.position(value)) * at.height;
        let frame = [at.left, at.top, at.width, at.height];
        head(canvas, at, panel, if self.is_common { 0.0 } else { AXIS });
        canvas.enter_data(frame);
        let bands: Vec<[f64; 4]> = shaded(scenario, spans)
            .into_iter()
            .map(|(from, to)| (px(from), px(to)))
            .map(|(from, to)| [from, at.top, to - from, at.height])
            .collect();
        canvas.rects(&bands, "band", 1.0);
        canvas.leave_data();
        // A mirrored axis needs ticks on both sides.
        let ticks = panel.y.ticks(if panel.is_mirrored { 5 } else { 3 }, cx.m.numbers);
        let grid: Vec<_> =
            ticks.iter().map(|(value, _)| ((at.left, py(*value)), (at.left + at.width, py(*value)))).collect();
        canvas.rules(&grid, Stroke::solid("grid", 1.0));
        if !self.is_common || index % self.columns == 0 {
            let label = |(value, label): (f64, String)| {
                let label = if panel.is_mirrored { label.trim_start_matches('−').to_owned() } else { label };
                ((at.left - 7.0, py(value) + 4.0), label)
            };
            let labels: Vec<_> = ticks.into_iter().map(label).collect();
            canvas.texts(&labels, Lettering::new("ink-3", Anchor::End).size(10.5));
        }
        time_labels(canvas, at, x, cx.m.numbers);
        span_names(canvas, at, spans, px);
        if let Some(ceiling) = panel.ceiling.filter(|ceiling| panel.y.holds(*ceiling)) {
            canvas.hatch((at.left, at.top), (at.width, py(ceiling) - at.top));
            canvas.line((at.left, py(ceiling)), (at.left + at.width, py(ceiling)), Stroke::dashed("limit", 1.2, "6 3"));
        }
        if let Some(idle) = panel.idle {
            canvas.line((at.left, py(idle)), (at.left + at.width, py(idle)), Stroke::dashed("ink-3", 1.0, "1 3"));
        }
        let base = if panel.is_mirrored { py(0.0) } else { at.top + at.height };
        canvas.line((at.left, base), (at.left + at.width, base), Stroke::solid("ink-3", 1.0));
        canvas.enter_data(frame);
        for line in &panel.lines {
            for run in runs(&line.points) {
                let placed: Vec<_> = run.into_iter().map(|(t, v)| (px(t), py(v))).collect();
                canvas.polyline(&m4(&placed, (at.width / 7.0) as usize), line.stroke);
            }
        }
        for end in spans.iter().flat_map(|span| [span.from, span.to]) {
            canvas.line((px(end), at.top), (px(end), at.top + at.height), Stroke::solid("ink-3", 0.8));
        }
        for seconds in time_marks(cx, scenario) {
            canvas.line((px(seconds), at.top), (px(seconds), at.top + at.height), Stroke::dashed("ink-3", 1.0, "2 2"));
        }
        canvas.leave_data();
        if !names_above(canvas, at, panel, if self.is_common { 0.0 } else { AXIS }) {
            names(canvas, at, panel);
        }
    }
}

/// What is shaded, seconds since the scenario began: what lies between the stretches that stand apart, or what is not
/// judged where there are none.
fn shaded(scenario: &ScenarioContext<'_>, spans: &[Span]) -> Vec<(f64, f64)> {
    if spans.is_empty() {
        let unjudged = scenario.steps.iter().filter(|(step, _)| is_unjudged(scenario, step));
        return unjudged.map(|(step, _)| (scenario.since(step.from), scenario.since(step.to))).collect();
    }
    let begins = spans.iter().map(|span| span.from).chain([scenario.length()]);
    let ends = [0.0].into_iter().chain(spans.iter().map(|span| span.to));
    ends.zip(begins).filter(|(from, to)| from < to).collect()
}

/// Names of stretches below the labels of the axis, as far as each has room.
fn span_names(canvas: &mut Canvas, at: Place, spans: &[Span], px: impl Fn(f64) -> f64) {
    if spans.is_empty() {
        return;
    }
    let mut free_from = f64::NEG_INFINITY;
    canvas.open("bn");
    for span in spans {
        let (middle, half) = ((px(span.from) + px(span.to)) / 2.0, text_width(&span.name, 10.5) / 2.0);
        if middle - half > free_from {
            let style = Lettering::new("ink-2", Anchor::Middle).size(10.5).bold();
            canvas.text((middle, at.top + at.height + 26.0), &span.name, style);
            free_from = middle + half + 3.0;
        }
    }
    canvas.close();
}

fn head(canvas: &mut Canvas, at: Place, panel: &Panel, indent: f64) {
    let y = at.top - 8.0;
    let room = at.width + indent - if panel.remark.is_empty() { 0.0 } else { text_width(&panel.remark, 10.5) + 8.0 };
    let title = fit(&panel.title, room, 12.0);
    canvas.text((at.left - indent, y), &title, Lettering::new("ink", Anchor::Start).size(12.0).bold());
    canvas.text((at.left + at.width, y), &panel.remark, Lettering::new("ink-3", Anchor::End).size(10.5));
}

/// Names of lines at the right of the title, where they hide nothing; whether they fit there.
fn names_above(canvas: &mut Canvas, at: Place, panel: &Panel, indent: f64) -> bool {
    let width = |name: &str| text_width(name, 10.5) + 14.0;
    let named: Vec<&PanelLine> = panel.lines.iter().rev().filter(|line| !line.name.is_empty()).collect();
    let all: f64 = named.iter().map(|line| width(&line.name) + 14.0).sum();
    let title = text_width(&panel.title, 12.0) * BOLD - indent;
    if !panel.remark.is_empty() || panel.is_mirrored || title + 20.0 + all > at.width {
        return false;
    }
    let (mut x, y) = (at.left + at.width - all + 14.0, at.top - 8.0);
    for line in named {
        canvas.line((x, y - 3.5), (x + 10.0, y - 3.5), Stroke { width: 2.0, ..line.stroke });
        canvas.text((x + 14.0, y), &line.name, Lettering::new("ink-2", Anchor::Start).size(10.5));
        x += width(&line.name) + 14.0;
    }
    true
}

/// Names of lines inside the frame: those of the upper half at its top, those of the lower at its bottom.
fn names(canvas: &mut Canvas, at: Place, panel: &Panel) {
    let (mut top, mut bottom) = (at.top + 11.0, at.top + at.height - 4.0);
    for line in panel.lines.iter().rev().filter(|line| !line.name.is_empty()) {
        let is_below = line.points.iter().filter_map(|point| point.1).sum::<f64>() < 0.0;
        let y = if is_below { bottom } else { top };
        canvas.line((at.left + 4.0, y - 3.5), (at.left + 14.0, y - 3.5), Stroke { width: 2.0, ..line.stroke });
        canvas.text((at.left + 18.0, y), &line.name, Lettering::new("ink-2", Anchor::Start).size(10.5));
        if is_below {
            bottom -= 13.0;
        } else {
            top += 13.0;
        }
    }
}

fn time_labels(canvas: &mut Canvas, at: Place, x: Scale, numbers: Numbers) {
    let (mut free_from, mut labels) = (f64::NEG_INFINITY, Vec::new());
    for (value, label) in x.ticks((at.width / 70.0).clamp(2.0, 8.0) as usize, numbers) {
        let place = at.left + x.position(value) * at.width;
        let half = text_width(&label, 10.5) / 2.0;
        // The label at the edge must not reach under the axis of the next panel.
        if place - half > free_from && place + half <= at.left + at.width + 8.0 {
            labels.push(((place, at.top + at.height + 14.0), label));
            free_from = place + half + 6.0;
        }
    }
    canvas.open_ticks(at.left, at.width);
    canvas.texts(&labels, Lettering::new("ink-3", Anchor::Middle).size(10.5));
    canvas.close();
}
