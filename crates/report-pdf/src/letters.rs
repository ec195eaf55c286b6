//! Letters: which font has them, how wide they are, and where lines end.

use report::fonts;
use std::sync::LazyLock;
use ttf_parser::{Face, GlyphId};

/// A face that text asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Type {
    Regular,
    Bold,
    Code,
}

/// Numbers of the font files, as [`fonts::FILES`] has them.
const SIGNS: usize = 2;
/// What is shown for a letter that no font has.
const UNKNOWN: char = '\u{fffd}';

struct Faces(Vec<Face<'static>>);

static FACES: LazyLock<Faces> = LazyLock::new(|| {
    let face = |file: &'static [u8]| Face::parse(file, 0).expect("invariant: the fonts travel with the program");
    Faces(fonts::FILES.into_iter().map(face).collect())
});

impl Type {
    /// Fonts that are asked in turn.
    fn fonts(self) -> [usize; 3] {
        match self {
            Self::Regular => [0, SIGNS, 3],
            Self::Bold => [1, SIGNS, 3],
            Self::Code => [3, 0, SIGNS],
        }
    }
}

/// A letter as it is drawn.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Glyph {
    /// Number of the font file.
    pub font: usize,
    pub id: u16,
    /// Width in units of the size.
    pub advance: f32,
}

/// The glyph of a letter; of the sign for an unknown one where no font has it.
pub(crate) fn glyph(letter: char, face: Type) -> Glyph {
    let find = |letter: char| {
        face.fonts().into_iter().find_map(|font| {
            let id = FACES.0[font].glyph_index(letter).filter(|id| id.0 != 0)?;
            Some(measured(font, id))
        })
    };
    find(letter).or_else(|| find(UNKNOWN)).unwrap_or_else(|| measured(0, GlyphId(0)))
}

fn measured(font: usize, id: GlyphId) -> Glyph {
    let face = &FACES.0[font];
    let advance = f32::from(face.glyph_hor_advance(id).unwrap_or_default()) / f32::from(face.units_per_em());
    Glyph { font, id: id.0, advance }
}

/// Whether some font has the letter.
pub(crate) fn is_known(letter: char) -> bool {
    Type::Regular.fonts().into_iter().any(|font| FACES.0[font].glyph_index(letter).is_some_and(|id| id.0 != 0))
}

/// A piece of text of one look.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Run {
    pub text: String,
    pub face: Type,
    /// In points.
    pub size: f32,
    /// Name in the palette.
    pub hue: &'static str,
    /// The finding that it leads to.
    pub link: Option<String>,
}

impl Run {
    pub(crate) fn new(text: impl Into<String>, face: Type, size: f32, hue: &'static str) -> Self {
        let text: String = text.into();
        // A line has no breaks of its own, and nothing that turns its direction.
        let flat: String = text.chars().map(|c| if matches!(c, '\n' | '\t' | '\r') { ' ' } else { c }).collect();
        Self { text: report::frame::printable(&flat), face, size, hue, link: None }
    }

    pub(crate) fn leading_to(mut self, finding: &str) -> Self {
        self.link = Some(finding.to_owned());
        self
    }
}

/// Width of a text in points.
pub(crate) fn width(text: &str, face: Type, size: f32) -> f32 {
    text.chars().map(|letter| glyph(letter, face).advance).sum::<f32>() * size
}

/// Runs of one line with the place of each from its beginning.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Line {
    pub runs: Vec<(f32, Run)>,
    pub width: f32,
}

impl Line {
    /// The largest size in it; of an empty line none.
    pub(crate) fn size(&self) -> f32 {
        self.runs.iter().map(|(_, run)| run.size).fold(0.0, f32::max)
    }

    fn push(&mut self, word: &str, run: &Run, width: f32) {
        match self.runs.last_mut() {
            Some((_, last))
                if last.face == run.face && last.size == run.size && last.hue == run.hue && last.link == run.link =>
            {
                last.text.push_str(word);
            }
            _ => self.runs.push((self.width, Run { text: word.to_owned(), ..run.clone() })),
        }
        self.width += width;
    }
}

/// Sets runs into lines of a length in points. Words that are longer than a line are broken anywhere. Always at least
/// one line.
pub(crate) fn lines(runs: &[Run], length: f32) -> Vec<Line> {
    let mut all = Vec::new();
    let mut line = Line::default();
    for run in runs {
        for word in words(&run.text) {
            let visible = width(word.trim_end_matches(' '), run.face, run.size);
            if line.width > 0.0 && line.width + visible > length {
                all.push(std::mem::take(&mut line));
            }
            if visible <= length {
                line.push(word, run, width(word, run.face, run.size));
                continue;
            }
            for letter in word.chars() {
                let advance = glyph(letter, run.face).advance * run.size;
                if line.width > 0.0 && line.width + advance > length {
                    all.push(std::mem::take(&mut line));
                }
                line.push(letter.encode_utf8(&mut [0; 4]), run, advance);
            }
        }
    }
    if !line.runs.is_empty() || all.is_empty() {
        all.push(line);
    }
    all
}

/// Words with the blanks behind them; a line may end after a blank, and after what joins parts of a path or name.
fn words(text: &str) -> impl Iterator<Item = &str> {
    let mut rest = text;
    std::iter::from_fn(move || {
        let mut letters = rest.char_indices().peekable();
        while let Some((at, letter)) = letters.next() {
            let end = at + letter.len_utf8();
            let next = letters.peek().map(|(_, next)| *next);
            let ends = match letter {
                ' ' => next != Some(' '),
                '/' | '_' | '=' | ',' | ';' | '|' => at > 6 && next.is_some_and(char::is_alphanumeric),
                _ => next.is_none(),
            };
            if ends || next.is_none() {
                let (word, after) = rest.split_at(end);
                rest = after;
                return Some(word);
            }
        }
        None
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn plain(text: &str) -> Run {
        Run::new(text, Type::Regular, 10.0, "ink")
    }

    #[test]
    fn letters_come_from_the_font_that_has_them() {
        assert_eq!(glyph('a', Type::Regular).font, 0);
        assert_eq!(glyph('a', Type::Bold).font, 1);
        assert_eq!(glyph('✓', Type::Bold).font, SIGNS);
        assert_eq!(glyph('a', Type::Code).font, 3);
        // No font of ours has it: the sign for an unknown letter.
        assert!(!is_known('漢'));
        assert_eq!(glyph('漢', Type::Regular), glyph(UNKNOWN, Type::Regular));
        assert_ne!(glyph('漢', Type::Regular).id, 0);
    }

    #[test]
    fn every_letter_of_every_catalogue_is_known() {
        for file in ["en", "nl", "da"] {
            let path = format!("{}/../report/messages/{file}.ftl", env!("CARGO_MANIFEST_DIR"));
            for letter in std::fs::read_to_string(path).unwrap().chars().filter(|c| !c.is_control()) {
                assert!(is_known(letter), "{letter} of {file}");
            }
        }
    }

    #[test]
    fn words_keep_their_blanks_and_long_names_end_where_they_are_joined() {
        let all = |text| words(text).collect::<Vec<_>>();
        assert_eq!(all("one two  three"), ["one ", "two  ", "three"]);
        assert_eq!(all("tables/fig-over-time.csv"), ["tables/fig-over-time.csv"]);
        assert_eq!(all("nominal/hold/registration"), ["nominal/", "hold/registration"]);
        assert_eq!(all(""), [""; 0]);
    }

    proptest! {
        /// No letter is lost, and no line is longer than it may be.
        #[test]
        fn lines_hold_the_text_and_fit(text in "[a-z/ ]{0,200}", length in 20.0_f32..300.0) {
            let set = lines(&[plain(&text), plain("and more")], length);
            let joined: String = set.iter().flat_map(|line| &line.runs).map(|(_, run)| run.text.as_str()).collect();
            prop_assert_eq!(joined, format!("{text}and more"));
            for line in set {
                let text: String = line.runs.iter().map(|(_, run)| run.text.as_str()).collect();
                prop_assert!(width(text.trim_end(), Type::Regular, 10.0) <= length + 0.01, "{text}");
            }
        }
    }
}
