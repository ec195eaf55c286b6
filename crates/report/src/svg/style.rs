//! How lines, areas and texts look: names of colours, widths, sizes, and the attributes that say so.

use super::text::c;
use crate::palette::light;

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

    /// Its attributes in an element.
    pub(super) fn attributes(self) -> String {
        let dash = if self.dash.is_empty() { String::new() } else { format!(" stroke-dasharray=\"{}\"", self.dash) };
        format!("class=\"k-{}\" stroke=\"{}\" stroke-width=\"{}\"{dash}", self.hue, light(self.hue), c(self.width))
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

    /// Its attributes in an element.
    pub(super) fn attributes(self) -> String {
        let anchor = match self.anchor {
            Anchor::Start => "",
            Anchor::Middle => " text-anchor=\"middle\"",
            Anchor::End => " text-anchor=\"end\"",
        };
        let weight = if self.is_bold { " font-weight=\"600\"" } else { "" };
        format!("font-size=\"{}\"{anchor}{weight} {}", c(self.size), fill(self.hue))
    }
}

/// Attributes of an area in a colour.
pub(super) fn fill(hue: &str) -> String {
    format!("class=\"f-{hue}\" fill=\"{}\"", light(hue))
}

/// The attribute of an area that lets something through; nothing for one that does not.
pub(super) fn opacity_of(opacity: f64) -> String {
    if opacity >= 1.0 { String::new() } else { format!(" fill-opacity=\"{opacity:.2}\"") }
}
