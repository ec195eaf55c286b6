//! Our own small SVG writer.
//!
//! Presentation attributes carry the light theme, so a figure is right wherever it is put; classes let the page's style
//! sheet put another theme over them. No variable stands inside an SVG: renderers without them would draw black.

mod canvas;
mod decimate;
mod lean;
mod path;
mod plot;
mod raster;
mod scale;
mod shapes;
mod style;
mod text;

pub(crate) use canvas::Canvas;
pub(crate) use decimate::{m4, runs};
pub(crate) use lean::lean;
pub(crate) use plot::{Plot, WIDTH};
pub(crate) use raster::data_uri;
pub(crate) use scale::{Scale, clock_label as clock};
pub(crate) use style::{Anchor, Lettering, Stroke};
pub(crate) use text::{c, escape, fit, text_width};
