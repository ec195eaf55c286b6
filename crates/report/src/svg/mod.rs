//! Our own small SVG writer.
//!
//! Presentation attributes carry the light theme, so a figure is right wherever it is put; classes let the page's style
//! sheet put another theme over them. No variable stands inside an SVG: renderers without them would draw black.

mod decimate;
mod lean;
mod path;
mod plot;
mod raster;
mod scale;

pub(crate) use decimate::{m4, runs};
pub(crate) use lean::lean;
pub(crate) use plot::{Plot, WIDTH};
pub(crate) use raster::data_uri;
pub(crate) use scale::{Scale, clock_label as clock};

use crate::palette::light;
use path::{move_of, path, tenths};
use std::fmt::Write as _;

/// How a line is drawn.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Stroke {
    /// Name of a colour in the palette.
    pub hue: &'static str,
    /// Width in units of the figure.
    pub width: f64,
    /// Dashes; empty for a solid line. Series differ in dashes too, so that colour is never the only difference.
    pub dash: &'static str,
}

impl Stroke {
    /// A solid line.
    pub(crate) const fn solid(hue: &'static str, width: f64) -> Self {
        Self { hue, width, dash: "" }
    }

    /// A dashed line.
    pub(crate) const fn dashed(hue: &'static str, width: f64, dash: &'static str) -> Self {
        Self { hue, width, dash }
    }
}

/// Where a text stands relative to its point.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Anchor {
    /// It begins there.
    Start,
    /// It is centred there.
    Middle,
    /// It ends there.
    End,
}

/// How a text is set.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Lettering {
    /// Name of a colour in the palette.
    pub hue: &'static str,
    /// Size in units of the figure.
    pub size: f64,
    pub anchor: Anchor,
    /// Whether heavy.
    pub is_bold: bool,
}

impl Lettering {
    /// Ordinary small text in a colour.
    pub(crate) const fn new(hue: &'static str, anchor: Anchor) -> Self {
        Self { hue, size: 11.5, anchor, is_bold: false }
    }

    /// The same, heavy.
    pub(crate) const fn bold(mut self) -> Self {
        self.is_bold = true;
        self
    }

    /// The same in another size.
    pub(crate) const fn size(mut self, size: f64) -> Self {
        self.size = size;
        self
    }
}

/// Both ends of a straight line.
pub(crate) type Rule = ((f64, f64), (f64, f64));

/// A drawing that is being written.
#[derive(Clone, Debug)]
pub(crate) struct Canvas {
    pub width: f64,
    pub height: f64,
    body: String,
    has_hatch: bool,
    /// Where the zoomable layer was left, so that the next entry goes on in it.
    left_data_at: usize,
    /// Attributes of the root that the page's script reads.
    data: String,
}

/// How far the zoomable layer reaches over the frame, so that lines along its edges are not cut.
const OVERLAP: f64 = 3.0;

/// A coordinate with at most one decimal: finer than any screen, and the same text on every machine.
pub(crate) fn c(value: f64) -> String {
    let text = format!("{:.1}", if value.is_finite() { value } else { 0.0 });
    let text = text.strip_suffix(".0").unwrap_or(&text);
    if text == "-0" { "0".to_owned() } else { text.to_owned() }
}

/// Text as it may stand in markup.
pub(crate) fn escape(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    for c in crate::number::clean(text).chars() {
        match c {
            '<' => safe.push_str("&lt;"),
            '>' => safe.push_str("&gt;"),
            '&' => safe.push_str("&amp;"),
            '"' => safe.push_str("&quot;"),
            '\'' => safe.push_str("&#39;"),
            c => safe.push(c),
        }
    }
    safe
}

/// Roughly how wide a text is; on the large side, so that labels never meet.
pub(crate) fn text_width(text: &str, size: f64) -> f64 {
    text.chars().count() as f64 * size * 0.6
}

/// A label that fits its place: cut with an ellipsis.
pub(crate) fn fit(text: &str, width: f64, size: f64) -> String {
    let room = (width / (size * 0.6)).floor().max(1.0) as usize;
    if text.chars().count() <= room {
        text.to_owned()
    } else {
        text.chars().take(room.saturating_sub(1)).chain(['…']).collect()
    }
}

impl Canvas {
    /// An empty drawing.
    pub(crate) fn new(width: f64, height: f64) -> Self {
        Self { width, height, body: String::new(), has_hatch: false, left_data_at: 0, data: String::new() }
    }

    fn stroke(stroke: Stroke) -> String {
        let dash =
            if stroke.dash.is_empty() { String::new() } else { format!(" stroke-dasharray=\"{}\"", stroke.dash) };
        format!(
            "class=\"k-{}\" stroke=\"{}\" stroke-width=\"{}\"{dash}",
            stroke.hue,
            light(stroke.hue),
            c(stroke.width)
        )
    }

    fn fill(hue: &str) -> String {
        format!("class=\"f-{hue}\" fill=\"{}\"", light(hue))
    }

    /// Begins the layer that a reader can zoom: a drawing within the drawing, whose view the page's script narrows.
    pub(crate) fn enter_data(&mut self, [left, top, width, height]: [f64; 4]) {
        const CLOSE: &str = "</svg>";
        if self.left_data_at > 0 && self.left_data_at == self.body.len() {
            self.body.truncate(self.body.len() - CLOSE.len());
            return;
        }
        let view = [left - OVERLAP, top - OVERLAP, width + 2.0 * OVERLAP, height + 2.0 * OVERLAP].map(c);
        let [x, y, w, h] = &view;
        let _ = write!(
            self.body,
            "<svg class=\"data\" x=\"{x}\" y=\"{y}\" width=\"{w}\" height=\"{h}\" viewBox=\"{x} {y} {w} {h}\" \
             preserveAspectRatio=\"none\">"
        );
    }

    /// Ends the layer.
    pub(crate) fn leave_data(&mut self) {
        self.body.push_str("</svg>");
        self.left_data_at = self.body.len();
    }

    /// Begins a group with a class of its own.
    pub(crate) fn open(&mut self, class: &'static str) {
        let _ = write!(self.body, "<g class=\"{class}\">");
    }

    /// Begins the labels of a horizontal axis between two places; zooming writes them anew.
    pub(crate) fn open_ticks(&mut self, left: f64, width: f64) {
        let _ = write!(self.body, "<g class=\"xt\" data-l=\"{}\" data-w=\"{}\">", c(left), c(width));
    }

    /// Ends a group.
    pub(crate) fn close(&mut self) {
        self.body.push_str("</g>");
    }

    /// Begins the entry of a series at the edge of a plot; the script makes it a switch of all that has its colour.
    pub(crate) fn open_key(&mut self, hue: &'static str) {
        let _ = write!(self.body, "<g class=\"key\" data-k=\"{hue}\">");
    }

    /// Tells the script something: an attribute of the root.
    pub(crate) fn tell(&mut self, name: &'static str, value: &str) {
        let _ = write!(self.data, " data-{name}=\"{}\"", escape(value));
    }

    /// A straight line.
    pub(crate) fn line(&mut self, from: (f64, f64), to: (f64, f64), stroke: Stroke) {
        let _ = write!(
            self.body,
            "<line x1=\"{}\" y1=\"{}\" x2=\"{}\" y2=\"{}\" {}/>",
            c(from.0),
            c(from.1),
            c(to.0),
            c(to.1),
            Self::stroke(stroke)
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
        let _ = write!(self.body, "<path d=\"{path}\" fill=\"none\" {}/>", Self::stroke(stroke));
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
            let _ = write!(self.body, "<path d=\"{path}\"{} {}/>", opacity_of(opacity), Self::fill(hue));
        }
    }

    /// Many short texts of one lettering; the attributes stand once.
    pub(crate) fn texts(&mut self, texts: &[((f64, f64), String)], style: Lettering) {
        if texts.is_empty() {
            return;
        }
        let _ = write!(self.body, "<g {}>", Self::lettering(style));
        for ((x, y), text) in texts {
            let _ = write!(self.body, "<text x=\"{}\" y=\"{}\">{}</text>", c(*x), c(*y), escape(text));
        }
        self.body.push_str("</g>");
    }

    /// Attributes of a text.
    fn lettering(style: Lettering) -> String {
        let anchor = match style.anchor {
            Anchor::Start => "",
            Anchor::Middle => " text-anchor=\"middle\"",
            Anchor::End => " text-anchor=\"end\"",
        };
        let weight = if style.is_bold { " font-weight=\"600\"" } else { "" };
        format!("font-size=\"{}\"{anchor}{weight} {}", c(style.size), Self::fill(style.hue))
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
            Self::stroke(stroke)
        );
    }

    /// A closed shape.
    pub(crate) fn area(&mut self, points: &[(f64, f64)], hue: &'static str, opacity: f64) {
        if points.len() < 3 {
            return;
        }
        let _ = write!(
            self.body,
            "<path d=\"{}Z\" stroke=\"none\"{} {}/>",
            path(points),
            opacity_of(opacity),
            Self::fill(hue)
        );
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
            Self::fill(hue)
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
        let stroke = Self::stroke(Stroke::solid(hue, 2.0 * radius));
        let _ = write!(self.body, "<path d=\"{path}\" fill=\"none\" stroke-linecap=\"round\" {stroke}/>");
    }

    pub(crate) fn dot(&mut self, (x, y): (f64, f64), radius: f64, hue: &'static str) {
        let _ = write!(self.body, "<circle cx=\"{}\" cy=\"{}\" r=\"{}\" {}/>", c(x), c(y), c(radius), Self::fill(hue));
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
                Self::stroke(stroke)
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
            Self::stroke(stroke)
        );
    }

    /// A text; markup in it is escaped, controls are shown as such.
    pub(crate) fn text(&mut self, (x, y): (f64, f64), text: &str, style: Lettering) {
        self.turned((x, y), 0.0, text, style);
    }

    /// A text turned by degrees about its point.
    pub(crate) fn turned(&mut self, (x, y): (f64, f64), degrees: f64, text: &str, style: Lettering) {
        let turn = if degrees == 0.0 {
            String::new()
        } else {
            format!("transform=\"rotate({} {} {})\" ", c(degrees), c(x), c(y))
        };
        let _ = write!(
            self.body,
            "<text x=\"{}\" y=\"{}\" {turn}{}>{}</text>",
            c(x),
            c(y),
            Self::lettering(style),
            escape(text)
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

    /// The finished drawing. `anchor` must be unique on the page; title and description are what a screen reader says.
    pub(crate) fn finish(self, anchor: &str, title: &str, description: &str) -> String {
        let hatch = if self.has_hatch {
            format!(
                "<defs><pattern id=\"{anchor}-hatch\" width=\"7\" height=\"7\" patternUnits=\"userSpaceOnUse\" \
                 patternTransform=\"rotate(45)\"><line x1=\"0\" y1=\"0\" x2=\"0\" y2=\"7\" stroke-opacity=\"0.28\" {}/></pattern></defs>",
                Self::stroke(Stroke::solid("limit", 1.6))
            )
        } else {
            String::new()
        };
        let body = self.body.replace("url(#HATCH)", &format!("url(#{anchor}-hatch)"));
        format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"chart\" viewBox=\"0 0 {} {}\"{} role=\"img\" \
             aria-labelledby=\"{anchor}-t {anchor}-d\" font-family=\"system-ui, -apple-system, 'Segoe UI', Roboto, \
             'Helvetica Neue', Arial, sans-serif\" fill=\"{}\"><title id=\"{anchor}-t\">{}</title>\
             <desc id=\"{anchor}-d\">{}</desc>{hatch}{body}</svg>",
            c(self.width),
            c(self.height),
            self.data,
            light("ink"),
            escape(title),
            escape(description)
        )
    }
}

fn opacity_of(opacity: f64) -> String {
    if opacity >= 1.0 { String::new() } else { format!(" fill-opacity=\"{opacity:.2}\"") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hostile_text_cannot_leave_its_place() {
        let mut canvas = Canvas::new(100.0, 20.0);
        canvas.text(
            (0.0, 10.0),
            "</text><script>alert(1)</script>]]>\u{202e}\u{0}\"'&",
            Lettering::new("ink", Anchor::Start),
        );
        let svg = canvas.finish("a", "</title><script>", "\" onload=\"x");
        assert!(!svg.contains("<script"), "{svg}");
        assert!(!svg.contains('\u{202e}') && !svg.contains('\u{0}'));
        assert_eq!(svg.matches("</title>").count(), 1);
        assert!(svg.contains("&quot; onload=&quot;x"));
    }

    #[test]
    fn a_line_is_written_as_moves_that_lead_to_its_points() {
        assert_eq!(
            path(&[(1.0, 2.0), (1.5, 2.0), (2.0, 1.4), (3.0, 1.0), (3.0, 1.0), (3.0, 9.0)]),
            "M1 2h.5l.5-.6 1-.4v8"
        );
        assert_eq!(path(&[(0.04, -0.06)]), "M0 -.1");
        assert_eq!(path(&[]), "");
        // Rounding does not add up: the end is where it would be by itself.
        let points: Vec<_> = (0..1000).map(|n| (f64::from(n) * 0.333, 0.0)).collect();
        let moves = path(&points);
        let moved: f64 = moves.trim_start_matches("M0 0h").split(' ').map(|part| part.parse::<f64>().unwrap()).sum();
        assert!((moved - 332.7).abs() < 0.05, "{moved}");
    }

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

    #[test]
    fn figures_carry_literal_colours_only() {
        let mut canvas = Canvas::new(100.0, 20.0);
        canvas.rect((0.0, 0.0), (5.0, 5.0), "blue", 0.5);
        assert!(!canvas.finish("a", "", "").contains("var("));
    }
}
