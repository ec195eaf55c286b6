//! A plot: a frame with two axes, and what is drawn in it.

use super::{Anchor, Canvas, Lettering, Scale, Stroke, c, fit, m4, runs, text_width};
use crate::number::Numbers;

/// Width of every figure, in its own units.
pub(crate) const WIDTH: f64 = 860.0;
/// Room at the right for labels beside lines.
const LABELS_WIDTH: f64 = 122.0;
/// Room at the left for the vertical axis.
const AXIS_WIDTH: f64 = 66.0;
/// Pixel columns of a decimated line: 150 columns of four points are 600 points, a column 4.5 units wide.
const COLUMNS: usize = 150;

/// A frame with axes.
pub(crate) struct Plot {
    pub canvas: Canvas,
    /// Left edge of the frame.
    pub left: f64,
    /// Top edge of the frame.
    pub top: f64,
    /// Width of the frame.
    pub width: f64,
    /// Height of the frame.
    pub height: f64,
    /// Horizontal scale.
    pub x: Scale,
    /// Vertical scale.
    pub y: Scale,
    numbers: Numbers,
    labels: Vec<(f64, String, Stroke)>,
}

impl Plot {
    /// A frame of that inner height in a figure of the usual width.
    pub(crate) fn new(height: f64, x: Scale, y: Scale, numbers: Numbers) -> Self {
        let (top, below) = (42.0, 46.0);
        Self {
            canvas: Canvas::new(WIDTH, top + height + below),
            left: AXIS_WIDTH,
            top,
            width: WIDTH - AXIS_WIDTH - LABELS_WIDTH,
            height,
            x,
            y,
            numbers,
            labels: Vec::new(),
        }
    }

    /// Horizontal place of a value.
    pub(crate) fn px(&self, value: f64) -> f64 {
        self.left + self.x.position(value) * self.width
    }

    /// Vertical place of a value.
    pub(crate) fn py(&self, value: f64) -> f64 {
        self.top + (1.0 - self.y.position(value)) * self.height
    }

    /// Grid, ticks and titles. The vertical title stands above its axis, where it can be read without turning the head.
    pub(crate) fn axes(&mut self, x_title: &str, y_title: &str) {
        let quiet = Lettering::new("ink-3", Anchor::End);
        let ticks = self.y.ticks(5, self.numbers);
        let right = self.left + self.width;
        let grid: Vec<_> =
            ticks.iter().map(|(value, _)| ((self.left, self.py(*value)), (right, self.py(*value)))).collect();
        self.canvas.rules(&grid, Stroke::solid("grid", 1.0));
        let labels: Vec<_> =
            ticks.into_iter().map(|(value, label)| ((self.left - 8.0, self.py(value) + 4.0), label)).collect();
        self.canvas.texts(&labels, quiet);
        let base = self.top + self.height;
        let mut free_from = f64::NEG_INFINITY;
        let (mut marks, mut labels) = (Vec::new(), Vec::new());
        for (value, label) in self.x.ticks(8, self.numbers) {
            let x = self.px(value);
            marks.push(((x, base), (x, base + 4.0)));
            let half = text_width(&label, 11.5) / 2.0;
            if x - half > free_from {
                labels.push(((x, base + 17.0), label));
                free_from = x + half + 4.0;
            }
        }
        self.canvas.open_ticks(self.left, self.width);
        self.canvas.rules(&marks, Stroke::solid("ink-3", 1.0));
        self.canvas.texts(&labels, Lettering::new("ink-3", Anchor::Middle));
        self.canvas.close();
        self.canvas.line((self.left, base), (self.left + self.width, base), Stroke::solid("ink-3", 1.0));
        let title = Lettering::new("ink-2", Anchor::Start);
        self.canvas.text((self.left - 58.0, self.top - 26.0), y_title, title);
        self.canvas.text((self.left + self.width / 2.0, base + 37.0), x_title, Lettering::new("ink-2", Anchor::Middle));
    }

    /// A shaded stretch of the horizontal axis with its name on top; every other one is shaded.
    pub(crate) fn band(&mut self, from: f64, to: f64, name: &str, is_shaded: bool) {
        let (left, right) = (self.px(from), self.px(to));
        if is_shaded {
            self.enter();
            self.canvas.rect((left, self.top), (right - left, self.height), "band", 1.0);
            self.leave();
        }
        if !name.is_empty() && right - left > text_width(name, 10.5) * 0.6 && right - left > 26.0 {
            let shown = fit(name, right - left - 4.0, 10.5);
            self.canvas.open("bn");
            self.canvas.text(
                ((left + right) / 2.0, self.top - 5.0),
                &shown,
                Lettering::new("ink-3", Anchor::Middle).size(10.5),
            );
            self.canvas.close();
        }
    }

    /// A moment at which something happened.
    pub(crate) fn mark(&mut self, at: f64) {
        let x = self.px(at);
        self.enter();
        self.canvas.line((x, self.top), (x, self.top + self.height), Stroke::dashed("ink-3", 1.0, "2 2"));
        self.leave();
    }

    /// Begins what belongs to the data and moves when a reader zooms.
    pub(crate) fn enter(&mut self) {
        self.canvas.enter_data([self.left, self.top, self.width, self.height]);
    }

    /// Ends it.
    pub(crate) fn leave(&mut self) {
        self.canvas.leave_data();
    }

    /// A line through points, cut at gaps, with at most 600 points.
    pub(crate) fn line(&mut self, points: &[(f64, Option<f64>)], stroke: Stroke) {
        self.enter();
        for run in runs(points) {
            // Thinned where it is seen: pixel columns of a log axis are not even steps of its values.
            let placed: Vec<_> = run.into_iter().map(|(x, y)| (self.px(x), self.py(y))).collect();
            self.canvas.polyline(&m4(&placed, COLUMNS), stroke);
        }
        self.leave();
    }

    /// A line that fades towards its end.
    pub(crate) fn fading(&mut self, points: &[(f64, f64)], stroke: Stroke) {
        let placed: Vec<_> = points.iter().map(|(x, y)| (self.px(*x), self.py(*y))).collect();
        self.enter();
        self.canvas.fading(&placed, stroke);
        self.leave();
    }

    /// A line of steps: each value holds until the next.
    pub(crate) fn steps(&mut self, points: &[(f64, f64)], stroke: Stroke) {
        let mut drawn = Vec::with_capacity(points.len() * 2);
        let placed: Vec<_> = points.iter().map(|(x, y)| (self.px(*x), self.py(*y))).collect();
        for (x, y) in m4(&placed, COLUMNS) {
            if let Some(&(_, before)) = drawn.last() {
                drawn.push((x, before));
            }
            drawn.push((x, y));
        }
        self.enter();
        self.canvas.polyline(&drawn, stroke);
        self.leave();
    }

    /// The area between two lines of the same xs.
    pub(crate) fn between(&mut self, points: &[(f64, f64, f64)], hue: &'static str, opacity: f64) {
        let low = points.iter().map(|(x, low, _)| (self.px(*x), self.py(*low)));
        let high = points.iter().rev().map(|(x, _, high)| (self.px(*x), self.py(*high)));
        let shape: Vec<_> = low.chain(high).collect();
        self.enter();
        self.canvas.area(&shape, hue, opacity);
        self.leave();
    }

    /// Whether a limit lies outside the scale; it is then named with an arrow, and no line pretends to be it.
    fn is_off(&mut self, value: f64, name: &str) -> bool {
        if self.y.holds(value) {
            return false;
        }
        let is_above = self.y.position(value) > 0.5;
        self.label(value, &format!("{} {name}", if is_above { '↑' } else { '↓' }), Stroke::dashed("limit", 1.4, "6 3"));
        true
    }

    /// A horizontal limit with its name, the side beyond it hatched.
    pub(crate) fn limit_above(&mut self, value: f64, name: &str) {
        if self.is_off(value, name) {
            return;
        }
        let y = self.py(value);
        self.canvas.hatch((self.left, self.top), (self.width, y - self.top));
        self.canvas.line((self.left, y), (self.left + self.width, y), Stroke::dashed("limit", 1.4, "6 3"));
        self.label(value, name, Stroke::dashed("limit", 1.4, "6 3"));
    }

    /// A horizontal limit with its name, without hatching.
    pub(crate) fn limit_line(&mut self, value: f64, name: &str) {
        if self.is_off(value, name) {
            return;
        }
        let y = self.py(value);
        self.canvas.line((self.left, y), (self.left + self.width, y), Stroke::dashed("limit", 1.4, "6 3"));
        self.label(value, name, Stroke::dashed("limit", 1.4, "6 3"));
    }

    /// A vertical limit with its name at one end of the line; `row` keeps names of several apart.
    pub(crate) fn limit_at(&mut self, value: f64, name: &str, row: usize, is_named_below: bool) {
        let (x, base) = (self.px(value), self.top + self.height);
        if !self.x.holds(value) {
            let is_right = self.x.position(value) > 0.5;
            let y = self.top + 12.0 + row as f64 * 15.0;
            let (at, anchor, text) = if is_right {
                (self.left + self.width - 5.0, Anchor::End, format!("{name} →"))
            } else {
                (self.left + 5.0, Anchor::Start, format!("← {name}"))
            };
            self.canvas.text((at, y), &text, Lettering::new("not-met", anchor));
            return;
        }
        self.canvas.line((x, self.top), (x, base), Stroke::dashed("limit", 1.4, "6 3"));
        let y = if is_named_below { base - 8.0 - row as f64 * 15.0 } else { self.top + 12.0 + row as f64 * 15.0 };
        let is_right = x + text_width(name, 11.5) + 8.0 < self.left + self.width;
        let (at, anchor) = if is_right { (x + 5.0, Anchor::Start) } else { (x - 5.0, Anchor::End) };
        self.canvas.text((at, y), name, Lettering::new("not-met", anchor));
    }

    /// A name beside the right edge at the height of a value; names that would meet move apart.
    ///
    /// The line's own stroke stands before the name; the name itself is in the colour of text, because a line's colour
    /// need not be dark enough to read.
    pub(crate) fn label(&mut self, value: f64, name: &str, stroke: Stroke) {
        let y = self.py(value);
        self.labels.push((y, fit(name, LABELS_WIDTH - 26.0, 11.5), stroke));
    }

    /// A name beside the upper end of the right edge, of what has no height of its own.
    pub(crate) fn label_at_top(&mut self, name: &str, stroke: Stroke) {
        self.labels.push((self.top, fit(name, LABELS_WIDTH - 26.0, 11.5), stroke));
    }

    /// The finished figure.
    pub(crate) fn finish(mut self, anchor: &str, title: &str, description: &str) -> String {
        let mut labels = std::mem::take(&mut self.labels);
        labels.sort_by(|a, b| a.0.total_cmp(&b.0));
        let places =
            spread(&labels.iter().map(|label| label.0).collect::<Vec<_>>(), 15.0, self.top, self.top + self.height);
        for ((_, name, stroke), y) in labels.iter().zip(places) {
            let right = self.left + self.width;
            self.canvas.open_key(stroke.hue);
            self.canvas.line((right + 5.0, y), (right + 19.0, y), Stroke { width: stroke.width.max(1.8), ..*stroke });
            self.canvas.text((right + 24.0, y + 4.0), name, Lettering::new("ink-2", Anchor::Start));
            self.canvas.close();
        }
        if let Scale::Time { low, high } = self.x {
            let told = [self.left, self.width, low, high].map(c).join(",");
            self.canvas.tell("t", &told);
        }
        self.canvas.finish(anchor, title, description)
    }
}

/// Moves sorted places apart to at least `gap`, within bounds where there is room for all.
fn spread(places: &[f64], gap: f64, least: f64, greatest: f64) -> Vec<f64> {
    let mut spread = places.to_vec();
    for index in 1..spread.len() {
        spread[index] = spread[index].max(spread[index - 1] + gap);
    }
    let mut bound = greatest;
    for place in spread.iter_mut().rev() {
        *place = place.min(bound);
        bound = *place - gap;
    }
    let mut bound = least;
    for place in &mut spread {
        *place = place.max(bound);
        bound = *place + gap;
    }
    spread
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_move_apart_and_stay_inside() {
        assert_eq!(spread(&[10.0, 11.0, 50.0], 15.0, 0.0, 100.0), [10.0, 25.0, 50.0]);
        assert_eq!(spread(&[98.0, 99.0], 15.0, 0.0, 100.0), [85.0, 100.0]);
        assert_eq!(spread(&[], 15.0, 0.0, 100.0), Vec::<f64>::new());
    }
}
