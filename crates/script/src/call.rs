//! A function of a script as whoever fills in a template calls it, and what is stated when it fails.

use crate::bounds::{CALLS_MAX, MEMBERS_MAX, OPERATIONS_MAX, STRING_BYTES_MAX, TIME_MAX, VARIABLES_MAX};
use crate::program::{Program, lower};
use crate::values::{given, taken};
use contract::{Script, Trouble};
use rhai::EvalAltResult;
use std::sync::Arc;

/// Characters of what a script throws or an engine says: either may quote an answer.
const SAID_MAX: usize = 300;

/// A function of a program.
pub struct Call {
    program: Arc<Program>,
    function: String,
    name: String,
}

impl Call {
    pub(crate) fn new(program: Arc<Program>, function: &str) -> Self {
        let name = format!("{}.{function}", program.name());
        Self { program, function: function.to_owned(), name }
    }

    fn trouble(&self, line: Option<usize>, what: &str, is_refused: bool) -> Trouble {
        let line = line.map(|line| format!(", line {line}")).unwrap_or_default();
        let what = match what.char_indices().nth(SAID_MAX) {
            Some((end, _)) => format!("{}…", &what[..end]),
            None => what.to_owned(),
        };
        Trouble { text: format!("script `{}`{line}: {what}", self.name), is_refused }
    }
}

impl Script for Call {
    fn name(&self) -> &str {
        &self.name
    }

    fn call(&self, arguments: &[Vec<u8>], into: &mut Vec<u8>) -> Result<(), Trouble> {
        let plainly = |what: String| self.trouble(None, &what, false);
        let ready = self.program.ready().map_err(plainly)?;
        let arguments: Result<Vec<_>, String> = arguments.iter().map(|argument| given(argument)).collect();
        let value = ready.call(&self.function, arguments.map_err(plainly)?);
        let value = value.map_err(|error| {
            let (line, what, is_refused) = said(&error);
            self.trouble(line, &what, is_refused)
        })?;
        taken(value, into).map_err(plainly)
    }
}

/// Where a call failed, and what is to be said of it.
fn said(error: &EvalAltResult) -> (Option<usize>, String, bool) {
    // The innermost place is where it happened; one that has none is in a function of the engine.
    let mut at = error.position();
    let mut inner = error;
    while let EvalAltResult::ErrorInFunctionCall(_, _, within, _) = inner {
        inner = within;
        if !inner.position().is_none() {
            at = inner.position();
        }
    }
    let what = match inner {
        EvalAltResult::ErrorTooManyOperations(_) => format!("it takes more than {OPERATIONS_MAX} steps; does it end?"),
        EvalAltResult::ErrorTerminated(..) => {
            format!("it takes longer than {} s", TIME_MAX.as_secs_f64())
        }
        EvalAltResult::ErrorStackOverflow(_) => format!("its functions call each other more than {CALLS_MAX} deep"),
        EvalAltResult::ErrorTooManyVariables(_) => format!("it has more than {VARIABLES_MAX} variables at once"),
        EvalAltResult::ErrorDataTooLarge(what, _) => {
            let what = lower(what.trim_start_matches("Length of ").trim_start_matches("Size of "));
            format!(
                "{what} too large: at most {STRING_BYTES_MAX} bytes of text, and {MEMBERS_MAX} members of a list or map, are possible"
            )
        }
        EvalAltResult::ErrorRuntime(thrown, _) => match thrown.is_unit() {
            true => "it throws".to_owned(),
            false => thrown.to_string(),
        },
        other => lower(without_place(&other.to_string())),
    };
    let is_refused = matches!(inner, EvalAltResult::ErrorRuntime(..));
    (at.line(), what, is_refused)
}

/// Without ` (line 3, position 5)` at its end: the line is told at the beginning.
fn without_place(text: &str) -> &str {
    match text.rfind(" (line ") {
        Some(at) if text.ends_with(')') => &text[..at],
        _ => text,
    }
}
