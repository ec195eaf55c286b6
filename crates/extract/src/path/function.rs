//! Patterns in paths: `match` and `search`.

use super::Operand;
use regex::{Regex, RegexBuilder};

/// A pattern that stands in the answer; longer ones match nothing.
const FOUND_PATTERN_BYTES_MAX: usize = 1000;
/// Memory of a compiled one.
const COMPILED_BYTES_MAX: usize = 256 * 1024;
/// Steps that compiling a pattern out of the answer costs: it takes as long as looking at so many nodes.
pub(super) const COMPILE_STEPS: u64 = 20_000;

/// The pattern of `match` or `search`.
#[derive(Debug)]
pub(super) enum Pattern {
    /// Written in the path; `None` is one that is none, which matches nothing (RFC 9535, 2.4.6).
    Known(Option<Box<Regex>>),
    /// Out of the answer.
    Found(Operand),
}

impl Pattern {
    pub(super) fn new(operand: Operand, is_whole: bool) -> Self {
        match operand {
            Operand::Literal(value) => {
                Self::Known(value.as_str().and_then(|pattern| compile(pattern, is_whole)).map(Box::new))
            }
            other => Self::Found(other),
        }
    }
}

/// A pattern of RFC 9485; `None` when it is none, or needs too much.
pub(super) fn compile(pattern: &str, is_whole: bool) -> Option<Regex> {
    if pattern.len() > FOUND_PATTERN_BYTES_MAX {
        return None;
    }
    let build = |text: &str| {
        RegexBuilder::new(text)
            .size_limit(COMPILED_BYTES_MAX)
            .dfa_size_limit(COMPILED_BYTES_MAX)
            .nest_limit(50)
            .crlf(true)
            .build()
            .ok()
    };
    // By itself first: `a)|(b` is none, though it becomes one in brackets.
    let own = build(pattern)?;
    if is_whole { build(&format!("^(?:{pattern})$")) } else { Some(own) }
}
