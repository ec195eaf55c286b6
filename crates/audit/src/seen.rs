//! A document as the rules see it: sentences with quantities, tables with roles, scenarios that its headings tell apart.

use crate::columns::{View, view};
use crate::model::{Block, Document, Kind, Place, Row};
use crate::quantity::{Decimals, Quantity, Unit, quantities};
use std::cell::Cell;

/// Most sentences that are looked at: those of a book, since some rules hold each against all others.
const SENTENCES_MAX: usize = 10_000;
/// Most pairs of headings that are compared; a report of ordinary length has fewer.
const HEADINGS_MAX: usize = 400;

/// Words up to a full stop, with the quantities in them.
#[derive(Clone, Debug)]
pub(crate) struct Sentence {
    pub(crate) text: String,
    /// The same in lower case.
    pub(crate) lower: String,
    pub(crate) quantities: Vec<Quantity>,
    pub(crate) place: Place,
    /// Number of its block.
    pub(crate) block: usize,
}

/// A table with the number of its block.
#[derive(Clone, Debug)]
pub(crate) struct Seen<'a> {
    pub(crate) view: View,
    pub(crate) block: usize,
    pub(crate) at: &'a Block,
}

impl Seen<'_> {
    /// The place of a row.
    pub(crate) fn place(&self, row: &Row) -> Place {
        Place { line: row.line, ..self.at.place.clone() }
    }
}

/// Two scenarios whose headings differ in one word: `nominal` and `peak`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Pair {
    pub(crate) first: String,
    pub(crate) second: String,
}

/// Everything that rules look at.
pub(crate) struct Input<'a> {
    pub(crate) document: &'a Document,
    pub(crate) decimals: Decimals,
    pub(crate) sentences: Vec<Sentence>,
    pub(crate) tables: Vec<Seen<'a>>,
    pub(crate) pairs: Vec<Pair>,
    /// Pieces beyond a bound that rules did not look at.
    pub(crate) left_out: Cell<usize>,
}

impl<'a> Input<'a> {
    pub(crate) fn new(document: &'a Document) -> Self {
        let texts = document.blocks.iter().filter(|block| block.kind != Kind::Verbatim).flat_map(|block| {
            let cells = match &block.kind {
                Kind::Table(table) => table.rows.iter().flat_map(|row| &row.cells).map(String::as_str).collect(),
                _ => vec![block.text.as_str()],
            };
            cells.into_iter()
        });
        let decimals = Decimals::of(texts);
        let mut sentences = Vec::new();
        let mut tables = Vec::new();
        let mut left_out = 0;
        for (number, block) in document.blocks.iter().enumerate() {
            match &block.kind {
                Kind::Table(table) => {
                    // Words that lead to the table, not those that a heading has for a whole part of the report.
                    let above = number.checked_sub(1).map(|before| &document.blocks[before]);
                    let leads = above.filter(|above| above.kind == Kind::Text && above.text.trim_end().ends_with(':'));
                    let above = leads.map_or("", |above| above.text.as_str());
                    tables.push(Seen { view: view(table, above), block: number, at: block });
                }
                Kind::Text | Kind::Item if sentences.len() < SENTENCES_MAX => {
                    sentences.extend(split(block, number, decimals));
                }
                Kind::Text | Kind::Item => left_out += 1,
                _ => {}
            }
        }
        Self { document, decimals, sentences, tables, pairs: pairs(document), left_out: Cell::new(left_out) }
    }

    /// Counts pieces that a rule does not look at.
    pub(crate) fn leave_out(&self, pieces: usize) {
        self.left_out.set(self.left_out.get() + pieces);
    }

    /// Whether a block stands below a heading with one word of a pair and none with the other.
    pub(crate) fn is_below(&self, block: usize, word: &str, other: &str) -> bool {
        let path = &self.document.blocks[block].path;
        let has = |word: &str| path.iter().any(|heading| words(heading).any(|found| found == word));
        has(word) && !has(other)
    }

    /// The rates that stand below headings with one word of a pair and not the other.
    pub(crate) fn rates(&self, word: &str, other: &str) -> Vec<(&Sentence, &Quantity)> {
        let below = self.sentences.iter().filter(|sentence| self.is_below(sentence.block, word, other));
        below
            .flat_map(|sentence| {
                sentence
                    .quantities
                    .iter()
                    .filter(|one| one.is_rate() && one.unit != Unit::Rate("bytes".to_owned()))
                    .map(move |one| (sentence, one))
            })
            .collect()
    }

    /// Whether a block is part of a conclusion or summary.
    pub(crate) fn is_conclusion(&self, block: usize) -> bool {
        const WORDS: [&str; 14] = [
            "conclusion",
            "conclusions",
            "conclusie",
            "conclusies",
            "konklusion",
            "summary",
            "samenvatting",
            "managementsamenvatting",
            "sammenfatning",
            "resumé",
            "vurdering",
            "assessment",
            "findings",
            "verdict",
        ];
        self.document.blocks[block].path.iter().any(|heading| words(heading).any(|word| WORDS.contains(&word.as_str())))
    }
}

/// Words of a text in lower case.
pub(crate) fn words(text: &str) -> impl Iterator<Item = String> + '_ {
    text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).map(str::to_lowercase)
}

/// Pairs of headings that are alike but for one word of letters.
fn pairs(document: &Document) -> Vec<Pair> {
    let headings = document.blocks.iter().filter(|block| matches!(block.kind, Kind::Heading(_)));
    let plain = |text: &str| words(text).filter(|word| word.chars().all(char::is_alphabetic)).collect::<Vec<_>>();
    let headings: Vec<Vec<String>> = headings.map(|block| plain(&block.text)).take(HEADINGS_MAX).collect();
    let mut found: Vec<Pair> = Vec::new();
    for (at, one) in headings.iter().enumerate() {
        for other in &headings[at + 1..] {
            if one.len() != other.len() || one.len() < 2 {
                continue;
            }
            let mut apart = one.iter().zip(other).filter(|(first, second)| first != second);
            if let (Some((first, second)), None) = (apart.next(), apart.next()) {
                let pair = Pair { first: first.clone(), second: second.clone() };
                let is_known = found
                    .iter()
                    .any(|known| known == &pair || (known.first == pair.second && known.second == pair.first));
                if first.len() >= 3 && second.len() >= 3 && !is_known && found.len() < 20 {
                    found.push(pair);
                }
            }
        }
    }
    found
}

/// Sentences of a block, each with its line.
fn split(block: &Block, number: usize, decimals: Decimals) -> Vec<Sentence> {
    let text = &block.text;
    let mut found = Vec::new();
    let mut from = 0;
    let bytes = text.as_bytes();
    for (at, c) in text.char_indices() {
        let is_end = matches!(c, '.' | '!' | '?')
            && bytes.get(at + 1).is_none_or(u8::is_ascii_whitespace)
            && match text[at + 1..].trim_start().chars().next() {
                Some(next) if next.is_ascii_digit() => ends_before_number(&text[from..at]),
                next => next.is_none_or(|next| next.is_uppercase() || next == '-') && !is_abbreviation(&text[from..at]),
            };
        if is_end {
            found.push((from, at + 1));
            from = at + 1;
        }
    }
    found.push((from, text.len()));
    let sentences = found.into_iter().filter_map(|(from, to)| {
        let raw = &text[from..to];
        let lead = raw.len() - raw.trim_start().len();
        let sentence = raw.split_whitespace().collect::<Vec<_>>().join(" ");
        let line = block.place.line + text[..from + lead].matches('\n').count();
        let quantities = quantities(&sentence, decimals);
        let lower = sentence.to_lowercase();
        let place = Place { line, ..block.place.clone() };
        (!sentence.is_empty()).then_some(Sentence { text: sentence, lower, quantities, place, block: number })
    });
    sentences.collect()
}

/// Whether a point belongs to the word before it.
fn is_abbreviation(before: &str) -> bool {
    let last = before.rsplit(|c: char| c.is_whitespace() || c == '(').next().unwrap_or_default().to_lowercase();
    ["ca", "approx", "pr", "bijv", "f.eks", "e.g", "i.e", "nr", "no", "gem", "max", "min", "avg", "mio", "resp", "vs"]
        .contains(&last.as_str())
}

/// Words with a point that a number follows, beside those of [`is_abbreviation`]: figures and chapters, months, titles,
/// units that a smaller one may follow (`5 min. 30 sec.`).
const BEFORE_NUMBERS: [&str; 109] = [
    "fig",
    "figs",
    "tab",
    "tbl",
    "sec",
    "secs",
    "sect",
    "ch",
    "chap",
    "eq",
    "eqs",
    "vol",
    "pp",
    "pg",
    "art",
    "ver",
    "rev",
    "ed",
    "nos",
    "num",
    "afb",
    "afd",
    "kap",
    "hfst",
    "par",
    "st",
    "dr",
    "kl",
    "bl",
    "est",
    "incl",
    "excl",
    "inkl",
    "ekskl",
    "exkl",
    "cca",
    "cf",
    "al",
    "etc",
    "ext",
    "mins",
    "hr",
    "hrs",
    "sek",
    "std",
    "stk",
    "pct",
    "proc",
    "mia",
    "mill",
    "mln",
    "mrd",
    "bn",
    "str",
    "tel",
    "pos",
    "ref",
    "refs",
    "app",
    "appx",
    "jan",
    "feb",
    "mar",
    "apr",
    "jun",
    "jul",
    "aug",
    "sep",
    "sept",
    "oct",
    "okt",
    "nov",
    "dec",
    "mon",
    "tue",
    "wed",
    "thu",
    "fri",
    "inc",
    "ltd",
    "corp",
    "pt",
    "prof",
    "kr",
    "bzw",
    "bijl",
    "blz",
    "gns",
    "med",
    "dev",
    "temp",
    "freq",
    "req",
    "msg",
    "conn",
    "approximately",
    "maks",
    "cirka",
    "circa",
    "tlf",
    "evt",
    "eg",
    "ie",
    "soc",
    "syst",
    "mag",
    "trans",
    "conf",
    "int",
];

/// Whether a full stop before a number ends a sentence: one behind a word or a unit does, and one behind a number, the
/// number of an item or an abbreviation does not.
fn ends_before_number(before: &str) -> bool {
    let mut back = before.split_whitespace().rev();
    let (Some(last), Some(previous)) = (back.next(), back.next()) else { return false };
    let is_closed = |c: char| matches!(c, ')' | '"' | '”' | '’' | '%');
    if !last.ends_with(|c: char| c.is_alphabetic() || is_closed(c)) {
        return false;
    }
    let word = last.trim_matches(|c: char| !c.is_alphanumeric());
    let letters = word.trim_start_matches(|c: char| c.is_ascii_digit() || matches!(c, '.' | ',')).to_lowercase();
    // `f.eks.`, `d.v.s.`
    if letters.contains('.') || is_abbreviation(&letters) || BEFORE_NUMBERS.contains(&letters.as_str()) {
        return false;
    }
    // `p. 5`, but `5 s.` and `5s.`
    let is_unit = previous.ends_with(|c: char| c.is_ascii_digit()) || letters.len() < word.len();
    letters.chars().count() != 1 || last.ends_with(is_closed) || (is_unit && letters == "s")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::read::{Format, read};

    #[test]
    fn a_full_stop_before_a_number_ends_a_sentence_where_it_ends_a_word() {
        let of = |text: &str| {
            let document = read(Format::Text, text.as_bytes()).unwrap();
            let input = Input::new(&document);
            input.sentences.iter().map(|one| (one.place.line, one.text.clone())).collect::<Vec<_>>()
        };
        let two = |text: &str, line: usize, second: &str| {
            let found = of(text);
            assert_eq!((found.len(), &found[1]), (2, &(line, second.to_owned())), "{text}");
        };
        two("It took 150 ms.\n360/min = 3/s.", 2, "360/min = 3/s.");
        two("It took 150ms. 360/min = 3/s.", 1, "360/min = 3/s.");
        two("It took 5 s. 20 users were there.", 1, "20 users were there.");
        two("The processor was at 50 %. 20 users were there.", 1, "20 users were there.");
        two("We ran it (twice). 20 users were there.", 1, "20 users were there.");
        two("We ran at 3 req/s. 20 users were there.", 1, "20 users were there.");
        for text in [
            "it took approx. 5 ms",
            "see No. 5 of them",
            "see Fig. 3 of it",
            "4 ms vs. 4 of it",
            "it took ca. 5 ms",
            "see p. 5 of it",
            "as e.g. 5 of them",
            "som f.eks. 5 af dem",
            "it is 3. 5 of them",
            "1. 20 users",
            "a. 20 users",
            "2) see figs. 3 and 4",
            "on Dec. 5 it ran",
            "after 5 min. 30 sec. of it",
            "see (Fig. 3)",
            "with max. 5 users",
            "den kom kl. 12 og blev",
            "see Sec. 5 of it",
            "it took 5 h. 30 of it",
            "ran it at 200.\n360 of them",
            "by Li et al. 2019 and more",
            "it took 5... 6 ms",
            "as ver.\n2 has it",
            "ongeveer 5 pct. 20 ms",
        ] {
            assert_eq!(of(text).len(), 1, "{text}");
        }
    }

    #[test]
    fn sentences_have_their_lines_and_headings_their_scenarios() {
        let text = "## Load of nominal kind\n\nFirst, ca. 5 ms.\nThen 200/s. And\nso on.\n\n## Load of peak kind\n\nWords at 500/s.\n";
        let document = read(Format::Text, text.as_bytes()).unwrap();
        let input = Input::new(&document);
        let lines: Vec<(usize, &str)> =
            input.sentences.iter().map(|sentence| (sentence.place.line, sentence.text.as_str())).collect();
        assert_eq!(lines, [(3, "First, ca. 5 ms."), (4, "Then 200/s."), (4, "And so on."), (9, "Words at 500/s.")]);
        assert_eq!(input.pairs, [Pair { first: "nominal".into(), second: "peak".into() }]);
        assert_eq!(input.rates("peak", "nominal").len(), 1);
    }
}
