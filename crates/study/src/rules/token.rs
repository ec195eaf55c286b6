//! A rule's text as tokens with places.

use crate::names::variables::Scope;
use crate::syntax::arithmetic::leading_quantity;
use contract::{Mistake, Place};
use terms::Quantity;

/// Longest rule that is read.
const TEXT_BYTES_MAX: usize = 4096;

/// A token with its place and its text as written.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Token {
    pub(crate) what: What,
    pub(crate) text: String,
    pub(crate) place: Place,
    /// Whether white space precedes it.
    pub(crate) is_apart: bool,
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) enum What {
    /// A name, a function, a keyword, a percentile such as `p99.9`.
    Word,
    /// A number with its unit, or a variable that holds one.
    Number(Quantity),
    /// `<= >= < > = ( ) , : . / * + -`
    Symbol(&'static str),
    /// After the last token.
    End,
}

const SYMBOLS: [&str; 13] = ["<=", ">=", "<", ">", "=", "(", ")", ",", ":", ".", "/", "*", "+"];

/// Takes a rule apart; `$(…)` becomes its value.
pub(crate) fn tokens(text: &str, place: Place, scope: &Scope) -> Result<Vec<Token>, Mistake> {
    if text.len() > TEXT_BYTES_MAX {
        return Err(Mistake::at(place, "study::too-large", format!("a rule has at most {TEXT_BYTES_MAX} bytes")));
    }
    let at = |from: usize, to: usize| sub_place(text, place, from, to);
    let mut tokens = Vec::new();
    let mut index = 0;
    while index < text.len() {
        let rest = &text[index..];
        let c = rest.chars().next().expect("index lies within the text, on a character");
        if c.is_whitespace() {
            index += c.len_utf8();
            continue;
        }
        let (what, length) = token(rest, scope, &at, index)?;
        let place = at(index, index + length);
        let is_apart = text[..index].ends_with(char::is_whitespace);
        tokens.push(Token { what, text: rest[..length].to_owned(), place, is_apart });
        index += length;
    }
    tokens.push(Token { what: What::End, text: String::new(), place: at(text.len(), text.len()), is_apart: true });
    Ok(tokens)
}

fn token(
    rest: &str,
    scope: &Scope,
    at: &dyn Fn(usize, usize) -> Place,
    index: usize,
) -> Result<(What, usize), Mistake> {
    if let Some(inner) = rest.strip_prefix("$(") {
        let end = contract::closing_bracket(inner).ok_or_else(|| {
            Mistake::at(at(index, index + 2), "study::open-variable", "a `$(` is never closed").label("add `)`")
        })?;
        let length = end + 3;
        let place = at(index, index + length);
        let value = scope.fill(&rest[..length], place)?;
        let quantity = Quantity::parse(&value).map_err(|error| {
            Mistake::at(place, "study::no-quantity", format!("the value `{value}` {error}"))
                .label("a rule needs a number here")
        })?;
        return Ok((What::Number(quantity), length));
    }
    if rest.starts_with(|c: char| c.is_ascii_digit()) {
        let (quantity, length) =
            leading_quantity(rest).map_err(|text| Mistake::at(at(index, index + 1), "study::no-quantity", text))?;
        return Ok((What::Number(quantity), length));
    }
    if rest.starts_with(|c: char| c.is_alphabetic() || c == '_') {
        return Ok((What::Word, word_length(rest)));
    }
    if let Some(symbol) = SYMBOLS.iter().find(|symbol| rest.starts_with(**symbol)) {
        return Ok((What::Symbol(symbol), symbol.len()));
    }
    if rest.starts_with('-') {
        return Ok((What::Symbol("-"), 1));
    }
    let c = rest.chars().next().unwrap_or_default();
    Err(Mistake::at(at(index, index + c.len_utf8()), "study::rule-syntax", format!("`{c}` has no meaning in a rule"))
        .hint("a rule reads like `share(search.response < 300ms) >= 95%`"))
}

/// Length of a name; `p99.9` before a bracket is one.
fn word_length(rest: &str) -> usize {
    let end = rest.find(|c: char| !(c.is_alphanumeric() || c == '_')).unwrap_or(rest.len());
    let is_percentile =
        rest[..end].strip_prefix('p').is_some_and(|d| !d.is_empty() && d.bytes().all(|b| b.is_ascii_digit()));
    if is_percentile && let Some(decimals) = rest[end..].strip_prefix('.') {
        let digits = decimals.bytes().take_while(u8::is_ascii_digit).count();
        if digits > 0 && decimals[digits..].starts_with('(') {
            return end + 1 + digits;
        }
    }
    end
}

/// The place of a part of a scalar. Where the scalar was folded or escaped, the whole of it is marked.
pub(crate) fn sub_place(text: &str, place: Place, from: usize, to: usize) -> Place {
    let characters = text.chars().count();
    let quotes = (place.length as usize).checked_sub(characters);
    let lead = match quotes {
        Some(0) => 0,
        Some(2) => 1,
        _ => return place,
    };
    let before = text[..from].chars().count();
    let length = text[from..to].chars().count().max(1);
    Place { column: place.column + (before + lead) as u32, length: length as u32, ..place }
}
