//! A raster within a figure, as PNG in the page itself.

use base64::{Engine as _, engine::general_purpose::STANDARD};

/// A picture of one colour whose cells differ in how opaque they are, as a `data:` address.
///
/// `opacities` holds `width * height` values row by row from the top, 0 to 255; `None` for an empty picture.
pub(crate) fn data_uri(width: usize, height: usize, opacities: &[u8], colour: &str) -> Option<String> {
    if width == 0 || height == 0 || opacities.len() != width * height {
        return None;
    }
    let channel = |from: usize| u8::from_str_radix(colour.get(from..from + 2).unwrap_or("00"), 16).unwrap_or(0);
    let (red, green, blue) = (channel(1), channel(3), channel(5));
    // A palette of 256 opacities of one colour costs a byte a cell.
    let palette: Vec<u8> = std::iter::repeat_n([red, green, blue], 256).flatten().collect();
    let mut bytes = Vec::new();
    let mut encoder = png::Encoder::new(&mut bytes, u32::try_from(width).ok()?, u32::try_from(height).ok()?);
    encoder.set_color(png::ColorType::Indexed);
    encoder.set_depth(png::BitDepth::Eight);
    encoder.set_palette(palette);
    encoder.set_trns((0..=255u8).collect::<Vec<u8>>());
    encoder.set_compression(png::Compression::High);
    let mut writer = encoder.write_header().ok()?;
    writer.write_image_data(opacities).ok()?;
    writer.finish().ok()?;
    Some(format!("data:image/png;base64,{}", STANDARD.encode(bytes)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_picture_reads_back() {
        let uri = data_uri(3, 2, &[0, 128, 255, 1, 2, 3], "#2a7fc4").unwrap();
        let bytes = STANDARD.decode(uri.strip_prefix("data:image/png;base64,").unwrap()).unwrap();
        let mut decoder = png::Decoder::new(std::io::Cursor::new(bytes));
        decoder.set_transformations(png::Transformations::EXPAND);
        let mut reader = decoder.read_info().unwrap();
        let mut pixels = vec![0; reader.output_buffer_size().unwrap()];
        reader.next_frame(&mut pixels).unwrap();
        assert_eq!(&pixels[..12], [0x2a, 0x7f, 0xc4, 0, 0x2a, 0x7f, 0xc4, 128, 0x2a, 0x7f, 0xc4, 255]);
    }

    #[test]
    fn an_empty_picture_is_none() {
        assert_eq!(data_uri(0, 2, &[], "#000000"), None);
        assert_eq!(data_uri(2, 2, &[1], "#000000"), None);
    }
}
