//! What an author's text says in numbers: sums, factors and conversions that can be carried out again.
//!
//! A finding here accuses a person of a slip, so every reading that agrees acquits: a separator may stand for thousands
//! or for decimals, *billion* for either of its values, a stated result may be rounded or cut in its last place. What
//! is not understood to the last sign, such as brackets, powers or a minus, is left alone.

mod factors;
mod sums;
pub mod tokens;

pub use factors::{WrongFactor, WrongUnit, factors, units};
pub use sums::{WrongSum, sums};

/// Characters of a text that are read.
const TEXT_MAX: usize = 20_000;
/// How much rounding may change: half a percent. Or less than one in the last place of what is stated.
const ROUNDED: f64 = 0.005;

/// Whether a stated number, with one in its last place, may be a computed one.
fn agrees((stated, last): (f64, f64), computed: f64) -> bool {
    let off = (stated - computed).abs();
    off < last * (1.0 - 1e-9) || off <= ROUNDED * computed.abs().max(stated.abs())
}

/// The part of a text that is looked at.
fn bounded(text: &str) -> &str {
    text.char_indices().nth(TEXT_MAX).map_or(text, |(end, _)| &text[..end])
}
