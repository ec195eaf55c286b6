//! Letters that travel with the program, so that a document made on a machine without fonts still has its text.
//!
//! Open Sans is by Steve Matteson, under the Apache licence 2.0; DejaVu is under the licence of Bitstream Vera, which
//! lets one alter fonts under other names than that. Both are cut down to European letters, punctuation and the signs
//! of a report, without hinting; `assets/fonts/README.md` has the command. A letter of another script is shown as a
//! box: names in it are whole in every other format.

/// Family of running text, regular and half-bold.
pub const SANS: &str = "Open Sans";
/// Family of signs that the first lacks: check marks, arrows, raised letters.
pub const SIGNS: &str = "DejaVu Sans";
/// Family of names and samples.
pub const MONO: &str = "DejaVu Sans Mono";

/// The font files, one face each.
pub const FILES: [&[u8]; 4] = [
    include_bytes!("../assets/fonts/OpenSans-Regular.ttf"),
    include_bytes!("../assets/fonts/OpenSans-Semibold.ttf"),
    include_bytes!("../assets/fonts/DejaVuSans-Symbols.ttf"),
    include_bytes!("../assets/fonts/DejaVuSansMono.ttf"),
];
