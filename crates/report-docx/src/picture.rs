//! Drawings: as a vector whose letters are outlines, so that it is the same on every machine, and as pixels for
//! programs that know no vectors.

use report::fonts;
use resvg::tiny_skia;
use resvg::usvg::{self, fontdb};
use std::sync::{Arc, LazyLock};

/// Pixels a unit of the drawing.
const SCALE: f32 = 2.0;
/// No side is longer than this; a drawing of ours has 760 units across.
const PIXELS_MAX: f32 = 6000.0;

/// A drawing in both forms.
#[derive(Clone, Debug)]
pub(crate) struct Picture {
    pub svg: Vec<u8>,
    pub png: Vec<u8>,
    /// Width and height in units of the drawing.
    pub size: (f32, f32),
}

/// Only our own letters, whatever is installed: the same picture everywhere.
static FONTS: LazyLock<Arc<fontdb::Database>> = LazyLock::new(|| {
    let mut fonts = fontdb::Database::new();
    for file in fonts::FILES {
        fonts.load_font_data(file.to_vec());
    }
    fonts.set_sans_serif_family(fonts::SANS);
    fonts.set_serif_family(fonts::SANS);
    fonts.set_monospace_family(fonts::MONO);
    Arc::new(fonts)
});

/// Renders a drawing; `None` when it is none.
pub(crate) fn picture(svg: &str) -> Option<Picture> {
    let options = usvg::Options {
        font_family: fonts::SANS.to_owned(),
        fontdb: FONTS.clone(),
        // A drawing names no file; what it shows is within it.
        image_href_resolver: usvg::ImageHrefResolver {
            resolve_string: Box::new(|_, _| None),
            ..usvg::ImageHrefResolver::default()
        },
        ..usvg::Options::default()
    };
    let tree = usvg::Tree::from_str(&report::frame::printable(svg), &options).ok()?;
    let size = (tree.size().width(), tree.size().height());
    let scale = SCALE.min(PIXELS_MAX / size.0.max(size.1).max(1.0));
    let (width, height) = ((size.0 * scale).ceil() as u32, (size.1 * scale).ceil() as u32);
    let mut pixels = tiny_skia::Pixmap::new(width, height)?;
    // Paper: a drawing has no ground of its own.
    pixels.fill(tiny_skia::Color::WHITE);
    resvg::render(&tree, tiny_skia::Transform::from_scale(scale, scale), &mut pixels.as_mut());
    let png = pixels.encode_png().ok()?;
    let written = usvg::WriteOptions {
        coordinates_precision: 2,
        transforms_precision: 4,
        indent: usvg::Indent::None,
        attributes_indent: usvg::Indent::None,
        ..usvg::WriteOptions::default()
    };
    Some(Picture { svg: tree.to_string(&written).into_bytes(), png, size })
}

#[cfg(test)]
mod tests {
    use super::*;

    const WORD: &str = "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 100 20\" font-family=\"system-ui, Arial\">\
                        <text x=\"5\" y=\"15\" font-size=\"12\" fill=\"#17212b\">p95 ✓ ≥ ᵃ</text></svg>";

    #[test]
    fn letters_are_drawn_without_any_font_of_the_machine() {
        let picture = picture(WORD).unwrap();
        let pixels = tiny_skia::Pixmap::decode_png(&picture.png).unwrap();
        assert_eq!((pixels.width(), pixels.height()), (200, 40));
        let dark = |from: u32, to: u32| {
            let is_dark = |x: u32, y: u32| pixels.pixel(x, y).is_some_and(|pixel| pixel.red() < 100);
            (0..40).flat_map(|y| (from..to).map(move |x| (x, y))).filter(|(x, y)| is_dark(*x, *y)).count()
        };
        assert!(dark(0, 60) > 50, "letters: {}", dark(0, 60));
        assert!(dark(60, 160) > 30, "signs: {}", dark(60, 160));
        let svg = String::from_utf8(picture.svg).unwrap();
        assert!(svg.contains("<path") && !svg.contains("<text"), "letters are outlines: {svg}");
    }

    #[test]
    fn what_is_no_drawing_is_none_and_no_file_is_read() {
        assert!(picture("").is_none());
        assert!(picture("<svg").is_none());
        let outside = "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 10 10\"><image href=\"/etc/hostname.svg\" \
                       width=\"9\" height=\"9\"/></svg>";
        assert!(!String::from_utf8(picture(outside).unwrap().svg).unwrap().contains("<image"));
    }
}
