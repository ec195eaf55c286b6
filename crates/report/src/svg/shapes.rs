//! Shapes of a drawing: lines, areas, dots and rasters.

use super::canvas::Canvas;
use super::path::{move_of, path, tenths};
use super::style::{Stroke, fill, opacity_of};
use super::text::c;
use std::fmt::Write as _;

/// Both ends of a straight line.
type Rule = ((f64, f64), (f64, f64));

impl Canvas {
    /// A straight line.
    pub(crate) fn line(&mut self, from: (f64, f64), to: (f64, f64), stroke: Stroke) {
        let _ = write!(
            self.body,
            "<line x1=\"{}\" y1=\"{}\" x2=\"{}\" y2=\"{}\" {}/>",
            c(from.0),
            c(from.1),
            c(to.0),
            c(to.1),
            stroke.attributes()
        );
    }

    /// Many straight lines of one stroke as one shape: grids would else be much of a page.
    pub(crate) fn rules(&mut self, lines: &[Rule], stroke: Stroke) {
        if lines.is_empty() {
            return;
        }
        let mut path = String::with_capacity(lines.len() * 12);
        for ((x1, y1), (x2, y2)) in lines {
            let [x1, y1, x2, y2] = [x1, y1, x2, y2].map(|value| tenths(*value));
            let _ = write!(path, "M{} {}", move_of(x1), move_of(y1));
            let _ = match (x1 == x2, y1 == y2) {
                (false, true) => write!(path, "h{}", move_of(x2 - x1)),
                (true, false) => write!(path, "v{}", move_of(y2 - y1)),
                _ => write!(path, "l{} {}", move_of(x2 - x1), move_of(y2 - y1)),
            };
        }
        let _ = write!(self.body, "<path d=\"{path}\" fill=\"none\" {}/>", stroke.attributes());
    }

    /// Many rectangles (left, top, width, height) of one colour as one shape; those without a size are left out.
    pub(crate) fn rects(&mut self, rects: &[[f64; 4]], hue: &'static str, opacity: f64) {
        let mut path = String::with_capacity(rects.len() * 20);
        for [x, y, width, height] in rects.iter().filter(|[_, _, width, height]| *width > 0.0 && *height > 0.0) {
            let [x, y, width, height] = [x, y, width, height].map(|value| tenths(*value));
            let (across, down, back) = (move_of(width), move_of(height), move_of(-width));
            let _ = write!(path, "M{} {}h{across}v{down}h{back}z", move_of(x), move_of(y));
        }
        if !path.is_empty() {
            let _ = write!(self.body, "<path d=\"{path}\"{} {}/>", opacity_of(opacity), fill(hue));
        }
    }

    /// A line through points.
    pub(crate) fn polyline(&mut self, points: &[(f64, f64)], stroke: Stroke) {
        if points.is_empty() {
            return;
        }
        if let [(x, y)] = points {
            self.dot((*x, *y), stroke.width, stroke.hue);
            return;
        }
        let _ = write!(
            self.body,
            "<path d=\"{}\" fill=\"none\" stroke-linejoin=\"round\" stroke-linecap=\"round\" {}/>",
            path(points),
            stroke.attributes()
        );
    }

    /// A closed shape.
    pub(crate) fn area(&mut self, points: &[(f64, f64)], hue: &'static str, opacity: f64) {
        if points.len() < 3 {
            return;
        }
        let _ =
            write!(self.body, "<path d=\"{}Z\" stroke=\"none\"{} {}/>", path(points), opacity_of(opacity), fill(hue));
    }

    /// A rectangle; nothing when it has no size.
    pub(crate) fn rect(&mut self, (x, y): (f64, f64), (width, height): (f64, f64), hue: &'static str, opacity: f64) {
        if width <= 0.0 || height <= 0.0 {
            return;
        }
        let _ = write!(
            self.body,
            "<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\"{} {}/>",
            c(x),
            c(y),
            c(width),
            c(height),
            opacity_of(opacity),
            fill(hue)
        );
    }

    /// A hatched rectangle: where a requirement does not want to see anything.
    pub(crate) fn hatch(&mut self, (x, y): (f64, f64), (width, height): (f64, f64)) {
        if width <= 0.0 || height <= 0.0 {
            return;
        }
        self.has_hatch = true;
        let _ = write!(
            self.body,
            "<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" fill=\"url(#HATCH)\"/>",
            c(x),
            c(y),
            c(width),
            c(height)
        );
    }

    /// Many small dots as one path of points with round ends.
    pub(crate) fn dots(&mut self, places: &[(f64, f64)], radius: f64, hue: &'static str) {
        let Some((first, rest)) = places.split_first() else { return };
        let (mut x, mut y) = (tenths(first.0), tenths(first.1));
        let mut path = format!("M{} {}h0", move_of(x), move_of(y));
        for place in rest {
            let (to_x, to_y) = (tenths(place.0), tenths(place.1));
            let dy = move_of(to_y - y);
            let between = if dy.starts_with('-') { "" } else { " " };
            let _ = write!(path, "m{}{between}{dy}h0", move_of(to_x - x));
            (x, y) = (to_x, to_y);
        }
        let stroke = Stroke::solid(hue, 2.0 * radius).attributes();
        let _ = write!(self.body, "<path d=\"{path}\" fill=\"none\" stroke-linecap=\"round\" {stroke}/>");
    }

    pub(crate) fn dot(&mut self, (x, y): (f64, f64), radius: f64, hue: &'static str) {
        let _ = write!(self.body, "<circle cx=\"{}\" cy=\"{}\" r=\"{}\" {}/>", c(x), c(y), c(radius), fill(hue));
    }

    /// A line that fades: each stretch fainter than the one before.
    pub(crate) fn fading(&mut self, points: &[(f64, f64)], stroke: Stroke) {
        const STRETCHES: usize = 6;
        let length = points.len().div_ceil(STRETCHES).max(1);
        for (index, from) in (0..points.len().saturating_sub(1)).step_by(length).enumerate() {
            let part = &points[from..(from + length + 1).min(points.len())];
            let opacity = 0.6 * (1.0 - index as f64 / STRETCHES as f64);
            let _ = write!(
                self.body,
                "<path d=\"{}\" fill=\"none\" stroke-linejoin=\"round\" stroke-opacity=\"{opacity:.2}\" {}/>",
                path(part),
                stroke.attributes()
            );
        }
    }

    /// A rectangle with an outline only.
    pub(crate) fn outline(&mut self, (x, y): (f64, f64), (width, height): (f64, f64), stroke: Stroke) {
        let _ = write!(
            self.body,
            "<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" rx=\"4\" fill=\"none\" {}/>",
            c(x),
            c(y),
            c(width.max(0.0)),
            c(height.max(0.0)),
            stroke.attributes()
        );
    }

    /// A raster, each of its cells as sharp as it is. What lies outside the frame (left, top, width, height) is cut.
    pub(crate) fn image(&mut self, frame: [f64; 4], (x, width): (f64, f64), uri: &str) {
        let [left, top, frame_width, height] = frame;
        // A drawing within the drawing cuts at its own edges, without an id that would have to be unique.
        let _ = write!(
            self.body,
            "<svg x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\"><image x=\"{}\" y=\"0\" width=\"{}\" height=\"{}\" \
             preserveAspectRatio=\"none\" image-rendering=\"pixelated\" href=\"{uri}\"/></svg>",
            c(left),
            c(top),
            c(frame_width),
            c(height),
            c(x - left),
            c(width),
            c(height)
        );
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn many_lines_and_many_rectangles_are_one_shape() {
        let mut canvas = Canvas::new(100.0, 20.0);
        canvas.rules(&[((0.0, 1.0), (9.0, 1.0)), ((2.0, 0.0), (2.0, 5.5))], Stroke::solid("grid", 1.0));
        canvas.rects(&[[1.0, 2.0, 3.0, 4.0], [0.0, 0.0, 0.0, 9.0], [5.0, 5.0, 1.5, 2.0]], "band", 1.0);
        let svg = canvas.finish("a", "", "");
        assert!(svg.contains("d=\"M0 1h9M2 0v5.5\" fill=\"none\""), "{svg}");
        assert!(svg.contains("d=\"M1 2h3v4h-3zM5 5h1.5v2h-1.5z\""), "{svg}");
    }

    #[test]
    fn no_coordinate_is_not_a_number() {
        let mut canvas = Canvas::new(100.0, 20.0);
        canvas.polyline(&[(f64::NAN, 1.0), (2.0, f64::INFINITY)], Stroke::solid("ink", 1.0));
        let svg = canvas.finish("a", "", "");
        assert!(!svg.contains("NaN") && !svg.contains("inf"), "{svg}");
    }
}
