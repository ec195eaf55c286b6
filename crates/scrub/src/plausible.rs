//! Which decoded bytes may be a value or a code of one. Any word can be read as base64; what comes of it is noise, and
//! looking through noise in every way is what costs.

use super::values::Values;
use std::ops::Range;

/// Pieces of secrets, beginnings with what cuts them off, and addresses are no shorter.
const LEAST: usize = 6;

#[derive(Clone, Copy, Default)]
pub(super) struct ByteSet([u64; 4]);

impl ByteSet {
    pub(super) fn add(&mut self, byte: u8) {
        self.0[usize::from(byte >> 6)] |= 1 << (byte & 63);
    }

    pub(super) fn has(&self, byte: u8) -> bool {
        self.0[usize::from(byte >> 6)] >> (byte & 63) & 1 == 1
    }

    fn add_all(&mut self, other: &Self) {
        self.0.iter_mut().zip(other.0).for_each(|(own, other)| *own |= other);
    }
}

/// The bytes that values and their codes are made of.
pub(super) struct Plausible {
    is: ByteSet,
    /// Shortest row of such bytes that says anything.
    least: usize,
}

impl Plausible {
    /// Takes all that is looked for.
    pub(super) fn of(all: &[&Values]) -> Self {
        let mut is = ByteSet::default();
        // Every code is written in what a keyboard has; zeros set apart the letters of UTF-16.
        (b' '..=b'~').chain(*b"\t\r\n\0").for_each(|byte| is.add(byte));
        // What stands where somebody cut a text.
        "…\u{fffd}".bytes().for_each(|byte| is.add(byte));
        all.iter().for_each(|values| is.add_all(&values.made_of));
        let shortest = all.iter().filter_map(|values| values.shortest()).min();
        Self { is, least: shortest.map_or(LEAST, |shortest| shortest.min(LEAST)) }
    }

    /// Rows of such bytes that are long enough, in order and apart, each with the byte before and after it: beside
    /// noise a short value is not a value.
    pub(super) fn stretches(&self, bytes: &[u8]) -> Vec<Range<usize>> {
        let (mut all, mut at): (Vec<Range<usize>>, _) = (Vec::new(), 0);
        while at < bytes.len() {
            let length = bytes[at..].iter().take_while(|byte| self.is.has(**byte)).count();
            if length >= self.least {
                let (from, to) = (at.saturating_sub(1), (at + length + 1).min(bytes.len()));
                match all.last_mut() {
                    Some(last) if from < last.end => last.end = to,
                    _ => all.push(from..to),
                }
            }
            at += length + 1;
        }
        all
    }
}
