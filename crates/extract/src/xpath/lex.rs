//! An expression's tokens (XPath 1.0, section 3.7).

use super::parse::Wrong;
use crate::xml::{is_name_character, is_name_start};

#[derive(Clone, Debug, PartialEq)]
pub(super) enum Token<'t> {
    /// Brackets, `/`, `//`, `|`, `+`, `-`, comparisons, `@`, `,`, `.`, `..`, `::`, and `*` as an operator.
    Symbol(&'static str),
    /// `and`, `or`, `div`, `mod` between two operands.
    Word(&'static str),
    /// `*` as a test of names.
    Any,
    /// `a`, `p:a`, `p:*`: with its prefix, and `*` as its name.
    Name(Option<&'t str>, &'t str),
    Literal(&'t str),
    Number(f64),
}

/// Longer symbols first.
const SYMBOLS: [&str; 20] =
    ["//", "::", "..", "!=", "<=", ">=", "(", ")", "[", "]", "@", ",", "/", "|", "+", "-", "=", "<", ">", "."];
const WORDS: [&str; 4] = ["and", "or", "div", "mod"];

/// All tokens, each with the byte at which it stands.
pub(super) fn tokens(text: &str) -> Result<Vec<(usize, Token<'_>)>, Wrong> {
    let mut found: Vec<(usize, Token<'_>)> = Vec::new();
    let mut rest = text;
    loop {
        rest = rest.trim_start_matches([' ', '\t', '\n', '\r']);
        let at = text.len() - rest.len();
        let Some(first) = rest.chars().next() else { return Ok(found) };
        let (token, bytes) = match first {
            '"' | '\'' => literal(rest, first).ok_or_else(|| Wrong::at(at, "a text in quotes does not end"))?,
            '0'..='9' => number(rest),
            '.' if rest[1..].starts_with(|c: char| c.is_ascii_digit()) => number(rest),
            '*' if is_operand_before(&found) => (Token::Symbol("*"), 1),
            '*' => (Token::Any, 1),
            '$' => {
                let why = "an expression has no variables; a value of the study stands behind the comparison, as in \
                           `xpath(//id) = $(id)`";
                return Err(Wrong::at(at, why));
            }
            _ if is_name_start(first) => name(rest, at, is_operand_before(&found))?,
            _ => match SYMBOLS.iter().find(|symbol| rest.starts_with(**symbol)) {
                Some(symbol) => (Token::Symbol(symbol), symbol.len()),
                None if rest.starts_with('!') => return Err(Wrong::at(at, "write `not(…)`, or `!=` for a comparison")),
                None if rest.starts_with(':') => return Err(Wrong::at(at, "a `:` stands between a prefix and a name")),
                None if rest.starts_with('&') => return Err(Wrong::at(at, "write `and`")),
                None => return Err(Wrong::at(at, format!("`{first}` is not a part of an expression"))),
            },
        };
        found.push((at, token));
        rest = &rest[bytes..];
    }
}

/// Whether what stands there can only be followed by an operator.
fn is_operand_before(found: &[(usize, Token<'_>)]) -> bool {
    match found.last() {
        None | Some((_, Token::Word(_))) => false,
        Some((_, Token::Symbol(symbol))) => matches!(*symbol, ")" | "]" | "." | ".."),
        Some(_) => true,
    }
}

fn literal(rest: &str, quote: char) -> Option<(Token<'_>, usize)> {
    let length = rest[1..].find(quote)?;
    Some((Token::Literal(&rest[1..=length]), length + 2))
}

fn number(rest: &str) -> (Token<'_>, usize) {
    let digits = |text: &str| text.bytes().take_while(u8::is_ascii_digit).count();
    let mut bytes = digits(rest);
    if rest[bytes..].starts_with('.') {
        bytes += 1 + digits(&rest[bytes + 1..]);
    }
    (Token::Number(rest[..bytes].parse().unwrap_or(f64::NAN)), bytes)
}

fn name(rest: &str, at: usize, is_operator: bool) -> Result<(Token<'_>, usize), Wrong> {
    let plain = |text: &str| text.find(|c: char| !is_name_character(c)).unwrap_or(text.len());
    let length = plain(rest);
    let (first, behind) = rest.split_at(length);
    if is_operator {
        return match WORDS.iter().find(|word| **word == first) {
            Some(word) => Ok((Token::Word(word), length)),
            None => Err(Wrong::at(at, format!("`{first}` stands where an operator is expected"))),
        };
    }
    let Some(local) = behind.strip_prefix(':').filter(|local| !local.starts_with(':')) else {
        return Ok((Token::Name(None, first), length));
    };
    if local.starts_with('*') {
        return Ok((Token::Name(Some(first), "*"), length + 2));
    }
    if !local.starts_with(is_name_start) {
        return Err(Wrong::at(at + length, "no name follows the prefix"));
    }
    let local_bytes = plain(local);
    Ok((Token::Name(Some(first), &local[..local_bytes]), length + 1 + local_bytes))
}
