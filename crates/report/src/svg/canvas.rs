//! A drawing as it is written: its layers and groups, its texts, and the whole at the end.

use super::style::{Lettering, Stroke};
use super::text::{c, escape};
use crate::palette::light;
use std::fmt::Write as _;

/// A drawing that is being written.
#[derive(Clone, Debug)]
pub(crate) struct Canvas {
    pub width: f64,
    pub height: f64,
    /// All elements so far.
    pub(super) body: String,
    /// Whether a shape asks for `url(#HATCH)`, which gets an id of its own at the end.
    pub(super) has_hatch: bool,
    /// Where the zoomable layer was left, so that the next entry goes on in it.
    left_data_at: usize,
    /// Attributes of the root that the page's script reads.
    data: String,
}

/// How far the zoomable layer reaches over the frame, so that lines along its edges are not cut.
const OVERLAP: f64 = 3.0;

impl Canvas {
    /// An empty drawing.
    pub(crate) fn new(width: f64, height: f64) -> Self {
        Self { width, height, body: String::new(), has_hatch: false, left_data_at: 0, data: String::new() }
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

    /// Many short texts of one lettering; the attributes stand once.
    pub(crate) fn texts(&mut self, texts: &[((f64, f64), String)], style: Lettering) {
        if texts.is_empty() {
            return;
        }
        let _ = write!(self.body, "<g {}>", style.attributes());
        for ((x, y), text) in texts {
            let _ = write!(self.body, "<text x=\"{}\" y=\"{}\">{}</text>", c(*x), c(*y), escape(text));
        }
        self.body.push_str("</g>");
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
            style.attributes(),
            escape(text)
        );
    }

    /// The finished drawing. `anchor` must be unique on the page; title and description are what a screen reader says.
    pub(crate) fn finish(self, anchor: &str, title: &str, description: &str) -> String {
        let hatch = if self.has_hatch {
            format!(
                "<defs><pattern id=\"{anchor}-hatch\" width=\"7\" height=\"7\" patternUnits=\"userSpaceOnUse\" \
                 patternTransform=\"rotate(45)\"><line x1=\"0\" y1=\"0\" x2=\"0\" y2=\"7\" stroke-opacity=\"0.28\" {}/></pattern></defs>",
                Stroke::solid("limit", 1.6).attributes()
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::svg::Anchor;

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
    fn figures_carry_literal_colours_only() {
        let mut canvas = Canvas::new(100.0, 20.0);
        canvas.rect((0.0, 0.0), (5.0, 5.0), "blue", 0.5);
        assert!(!canvas.finish("a", "", "").contains("var("));
    }
}
