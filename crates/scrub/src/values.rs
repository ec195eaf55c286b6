//! Many values, looked for at every place of a view.

use super::place_in_text;
use super::plausible::ByteSet;
use super::views::View;
use std::ops::Range;

/// Shorter values are cut out only where they stand as a word or a number of their own: `12` is none in `2012`.
const SHORT: usize = 4;
/// The beginning of a value is cut out, where its end is missing, from so many bytes on.
const BEGINNING: usize = 3;
/// Shorter pieces of a secret are not looked for: they are words of any text.
const PIECE_MIN: usize = 6;
/// A piece of a secret is looked for from this length on, however long the whole is: that bounds the memory.
const PIECE_MAX: usize = 32;
/// Decoded bytes looked at around a short value: among letters it is one, in noise it is chance.
const AROUND: usize = 16;

/// Which pieces of a value are looked for beside the whole.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Pieces {
    /// None: there may be a million values.
    None,
    /// Quarters, so that more than half of a value never stays: for the many that a run captures.
    Blocks,
    /// Every piece of half the value's length.
    All,
}

/// Values in an order in which the longest that begins at a place is found by searching it. A sorted array holds a
/// million values in little more than their own bytes, which an automaton does not.
#[derive(Default)]
pub(super) struct Values {
    /// Ascending, each once, none empty; with the pieces.
    all: Vec<Box<[u8]>>,
    /// Which of them are whole values.
    is_whole: Vec<bool>,
    longest: usize,
    /// Length of the shortest that is looked for, pieces among them.
    shortest: Option<usize>,
    /// Which bytes they are made of.
    pub(super) made_of: ByteSet,
    /// Which two bytes a value begins with, one bit each: most places are passed by with one look.
    begins: Vec<u64>,
}

impl Values {
    pub(super) fn new<'a>(values: impl IntoIterator<Item = &'a [u8]>, pieces: Pieces) -> Self {
        let mut all: Vec<(Box<[u8]>, bool)> = Vec::new();
        for value in values.into_iter().filter(|value| !value.is_empty()) {
            all.push((value.into(), true));
            match pieces {
                Pieces::None => {}
                Pieces::All => {
                    let length = value.len().div_ceil(2).clamp(PIECE_MIN, PIECE_MAX);
                    all.extend(value.windows(length).map(|piece| (piece.into(), false)));
                }
                Pieces::Blocks => {
                    let length = value.len().div_ceil(4).clamp(PIECE_MIN, PIECE_MAX);
                    all.extend(value.chunks_exact(length).map(|piece| (piece.into(), false)));
                }
            }
        }
        // A whole value comes before an equal piece, and stays.
        all.sort_unstable_by(|a, b| a.0.cmp(&b.0).then(b.1.cmp(&a.1)));
        all.dedup_by(|later, earlier| later.0 == earlier.0);
        let longest = all.iter().map(|(value, _)| value.len()).max().unwrap_or(0);
        let shortest = all.iter().map(|(value, _)| value.len()).min();
        let mut made_of = ByteSet::default();
        all.iter().flat_map(|(value, _)| value).for_each(|byte| made_of.add(*byte));
        let mut begins = if all.is_empty() { Vec::new() } else { vec![0u64; 1024] };
        for (value, _) in &all {
            let first = usize::from(value[0]) << 8;
            let pairs = match value.get(1) {
                Some(second) => first + usize::from(*second)..first + usize::from(*second) + 1,
                None => first..first + 256,
            };
            pairs.for_each(|pair| begins[pair / 64] |= 1 << (pair % 64));
        }
        let (all, is_whole) = all.into_iter().unzip();
        Self { all, is_whole, longest, shortest, made_of, begins }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.all.is_empty()
    }

    /// Length of the longest.
    pub(super) fn longest(&self) -> usize {
        self.longest
    }

    /// Length of the shortest, or of the shortest piece.
    pub(super) fn shortest(&self) -> Option<usize> {
        self.shortest
    }

    /// The values themselves, without pieces.
    pub(super) fn whole(&self) -> impl Iterator<Item = &[u8]> {
        self.all.iter().zip(&self.is_whole).filter_map(|(value, is_whole)| is_whole.then_some(&**value))
    }

    /// Adds where values stand in the text behind a view.
    pub(super) fn find(&self, view: &View, found: &mut Vec<Range<usize>>) {
        if self.is_empty() {
            return;
        }
        let bytes = view.bytes();
        for at in 0..bytes.len() {
            if self.may_begin(bytes, at)
                && let Some(length) = self.at(view, at)
            {
                found.push(place_in_text(view, at..at + length));
            }
        }
        for end in cuts(bytes) {
            let from = end.saturating_sub(self.longest);
            let begun = (from..=end.saturating_sub(BEGINNING)).find(|&at| self.begins_with(&bytes[at..end]));
            found.extend(begun.filter(|&at| at < end).map(|at| place_in_text(view, at..end)));
        }
    }

    fn may_begin(&self, bytes: &[u8], at: usize) -> bool {
        let first = usize::from(bytes[at]) << 8;
        match bytes.get(at + 1) {
            Some(second) => self.has_pair(first + usize::from(*second)),
            // A value of one byte has all pairs.
            None => self.has_pair(first),
        }
    }

    fn has_pair(&self, pair: usize) -> bool {
        self.begins[pair / 64] >> (pair % 64) & 1 == 1
    }

    /// Length of the longest value at a place.
    fn at(&self, view: &View, at: usize) -> Option<usize> {
        let bytes = view.bytes();
        let rest = &bytes[at..];
        let mut key = rest;
        loop {
            // Whatever the text begins with comes before it in order, and nothing between is longer.
            let value = &self.all[self.up_to(key).checked_sub(1)?];
            let common = value.iter().zip(key).take_while(|(one, other)| one == other).count();
            let is_there = common == value.len();
            if is_there && (common >= SHORT || (stands_alone(bytes, at, common) && is_no_noise(view, at, common))) {
                return Some(common);
            }
            key = &rest[..if is_there { common - 1 } else { common }];
        }
    }

    /// How many values come before a text, or are it.
    fn up_to(&self, text: &[u8]) -> usize {
        self.all.partition_point(|value| **value <= *text)
    }

    /// Whether a value begins with all of a piece of text.
    fn begins_with(&self, piece: &[u8]) -> bool {
        piece.len() >= BEGINNING && self.all.get(self.up_to(piece)).is_some_and(|next| next.starts_with(piece))
    }

    #[cfg(test)]
    pub(super) fn longest_at(&self, text: &[u8]) -> Option<usize> {
        self.at(&View::root(text), 0)
    }
}

/// Where somebody cut a text: before a `…`, and before what is half a character.
fn cuts(bytes: &[u8]) -> impl Iterator<Item = usize> + '_ {
    let marks: [&[u8]; 2] = ["…".as_bytes(), "\u{fffd}".as_bytes()];
    (0..bytes.len()).filter(move |&at| bytes[at] >= 0xe2 && marks.iter().any(|mark| bytes[at..].starts_with(mark)))
}

/// Whether what stands on either side is of another kind: `u12` holds the number 12, `2012` does not.
fn stands_alone(bytes: &[u8], at: usize, length: usize) -> bool {
    let is_one_word = |one: Option<&u8>, other: Option<&u8>| match (one, other) {
        (Some(one), Some(other)) => {
            (one.is_ascii_digit() && other.is_ascii_digit()) || (is_letter(*one) && is_letter(*other))
        }
        _ => false,
    };
    let before = at.checked_sub(1).and_then(|before| bytes.get(before));
    let (first, last) = (bytes.get(at), bytes.get(at + length - 1));
    !is_one_word(before, first) && !is_one_word(last, bytes.get(at + length))
}

fn is_letter(byte: u8) -> bool {
    byte.is_ascii_alphabetic() || !byte.is_ascii()
}

/// Whether a short value stands among letters, where a view was decoded from what may not be code at all.
fn is_no_noise(view: &View, at: usize, length: usize) -> bool {
    if !view.is_coded {
        return true;
    }
    let bytes = view.bytes();
    let is_printable = |byte: &&u8| (b' '..=b'~').contains(*byte);
    let is_clean = |mut side: Box<dyn Iterator<Item = &u8> + '_>| side.all(|byte| is_printable(&byte));
    // Runs are set apart by line ends.
    let before = bytes[at.saturating_sub(AROUND)..at].iter().rev().take_while(|byte| **byte != b'\n');
    let after = bytes[at + length..].iter().take(AROUND).take_while(|byte| **byte != b'\n');
    is_clean(Box::new(before)) && is_clean(Box::new(after))
}
