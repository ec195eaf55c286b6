//! A script's text, checked: its functions, and what is wrong with it.

use crate::bounds::TEXT_BYTES_MAX;
use crate::call::Call;
use crate::calls::{Called, calls};
use crate::engine::{self, Ready};
use crate::library::Native;
use contract::{Mistake, Place, suggestion};
use rhai::{FnAccess, Position};
use std::fmt;
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// What no script can do, with what to do instead.
const ELSEWHERE: [(&str, &str); 6] = [
    ("print", "a script shows nothing: return the text, or `throw` it to see it beside the failure"),
    ("debug", "a script shows nothing: return the text, or `throw` it to see it beside the failure"),
    ("timestamp", "a script has no clock: hand the time in, such as `$(sign.make(epoch()))`"),
    ("sleep", "a script does not wait: write `think` in `run`"),
    ("exit", "a function ends with `return`, or refuses with `throw`"),
    ("rand", "a script draws nothing: hand a number in, such as `$(sign.make(random(1, 6)))`"),
];

/// A script whose text is right. Shared by all threads; each compiles it for itself.
pub struct Program {
    name: String,
    text: String,
    /// The same number never stands for another text.
    number: u64,
    natives: &'static [Native],
    functions: Vec<Signature>,
}

/// A function of a script.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Signature {
    name: String,
    parameters: Vec<String>,
}

impl Program {
    /// Checks a text. `file` is its number among the study's, for the places of mistakes.
    ///
    /// # Errors
    /// `study::bad-script` with its place: a text that is too long, does not parse, has statements outside of functions, or calls
    /// a function that nobody has.
    pub fn new(name: &str, text: &str, file: u16, natives: &'static [Native]) -> Result<Self, Mistake> {
        static NUMBERS: AtomicU64 = AtomicU64::new(0);
        let place = |at: Position| Place {
            file,
            line: at.line().unwrap_or(1) as u32,
            column: at.position().unwrap_or(1).max(1) as u32,
            length: 1,
        };
        let wrong = |at, what: String| Mistake::at(place(at), "study::bad-script", format!("script `{name}`: {what}"));
        let start = Position::new(1, 1);
        if text.len() > TEXT_BYTES_MAX {
            return Err(wrong(start, format!("it has {} bytes; at most {TEXT_BYTES_MAX} are possible", text.len())));
        }
        if let Some(at) = text.find("$(") {
            let line = 1 + text[..at].matches('\n').count() as u16;
            let column = 1 + text[text[..at].rfind('\n').map_or(0, |at| at + 1)..at].chars().count() as u16;
            return Err(wrong(
                Position::new(line.max(1), column),
                "it has a `$(…)`, and names are not filled in here".to_owned(),
            )
            .label("make it a parameter")
            .hint(format!("hand the value in where it is called: `$({name}.FUNCTION(secret.KEY))`")));
        }
        let ready = Ready::new(text, natives).map_err(|error| {
            let mistake = wrong(error.position(), lower(&error.err_type().to_string()));
            mistake.hint("scripts are written in Rhai: `fn make(text, key) { hex(hmac_sha256(key, text)) }`")
        })?;
        let outside = ready.ast.statements().first().map(rhai::Stmt::position);
        if let Some(at) = outside {
            return Err(wrong(at, "something stands outside of functions, where nothing is carried out".to_owned())
                .label("put it into a function")
                .hint("a constant is a function as well: `fn limit() { 20 }`"));
        }
        let functions: Vec<Signature> = functions(&ready);
        if functions.is_empty() {
            return Err(wrong(start, "it has no function".to_owned()).label("write `fn make(text) { … }`"));
        }
        let own: Vec<&str> = ready.ast.iter_functions().map(|own| own.name).collect();
        let known = ready.known();
        for Called { name: called, at } in calls(&ready.ast) {
            let is_elsewhere = ELSEWHERE.iter().any(|(name, _)| *name == called);
            if !own.contains(&called.as_str()) && (is_elsewhere || !known.contains(&called)) {
                let known: Vec<String> = own.iter().map(|own| (*own).to_owned()).chain(known).collect();
                return Err(unknown(
                    wrong(at, format!("it calls `{called}`, which is not a function")),
                    &called,
                    &known,
                ));
            }
        }
        let number = NUMBERS.fetch_add(1, Ordering::Relaxed);
        Ok(Self { name: name.to_owned(), text: text.to_owned(), number, natives, functions })
    }

    /// The function of that name, which takes so many arguments.
    ///
    /// # Errors
    /// A function that is missing, or one that takes another number of arguments.
    pub fn function(self: &Arc<Self>, function: &str, arguments: usize, place: Place) -> Result<Call, Mistake> {
        let mut named = self.functions.iter().filter(|own| own.name == function).peekable();
        if named.peek().is_none() {
            let what = format!("the script `{}` has no function `{function}`", self.name);
            let mistake = Mistake::at(place, "study::unknown-function", what);
            let near = suggestion(function, self.functions.iter().map(|own| own.name.as_str()));
            let mistake = match near {
                Some(near) => mistake.label(format!("did you mean `{}.{near}`?", self.name)),
                None => mistake,
            };
            return Err(mistake.hint(format!("its functions are {}", self.listed(|_| true))));
        }
        if !named.any(|own| own.parameters.len() == arguments) {
            let what = format!("`{}.{function}` is given {arguments} arguments here", self.name);
            return Err(Mistake::at(place, "study::bad-call", what)
                .label(format!("write {}", self.listed(|own| own.name == function))));
        }
        Ok(Call::new(self.clone(), function))
    }

    fn listed(&self, is_meant: impl Fn(&Signature) -> bool) -> String {
        let own = self.functions.iter().filter(|own| is_meant(own));
        own.map(|own| format!("`{}.{}({})`", self.name, own.name, own.parameters.join(", ")))
            .collect::<Vec<_>>()
            .join(", ")
    }

    /// Its name in the study.
    pub(crate) fn name(&self) -> &str {
        &self.name
    }

    /// The same, ready to be called in this thread.
    ///
    /// # Errors
    /// Never for a program that was checked; it says what the engine says all the same.
    pub(crate) fn ready(&self) -> Result<Rc<Ready>, String> {
        engine::ready(self.number, &self.text, self.natives).map_err(|error| error.to_string())
    }
}

impl fmt::Debug for Program {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Program").field("name", &self.name).field("functions", &self.functions).finish_non_exhaustive()
    }
}

/// Functions that others can call, in the order of their names.
fn functions(ready: &Ready) -> Vec<Signature> {
    let public = ready.ast.iter_functions().filter(|own| own.access == FnAccess::Public);
    let mut all: Vec<Signature> = public
        .filter(|own| own.name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_'))
        .map(|own| Signature {
            name: own.name.to_owned(),
            parameters: own.params.iter().map(|name| (*name).to_owned()).collect(),
        })
        .collect();
    all.sort_by(|a, b| (&a.name, a.parameters.len()).cmp(&(&b.name, b.parameters.len())));
    all
}

fn unknown(mistake: Mistake, called: &str, known: &[String]) -> Mistake {
    if let Some((_, instead)) = ELSEWHERE.iter().find(|(name, _)| *name == called) {
        return mistake.hint(*instead);
    }
    match suggestion(called, known.iter().map(String::as_str)) {
        Some(near) => mistake.label(format!("did you mean `{near}`?")),
        None => mistake.hint("a script calls its own functions, those of Rhai for texts, numbers, lists and maps, `parse_json`, `to_json`, and of `$(…)` the encodings, digests and `jwt`"),
    }
}

/// Messages begin in lower case.
pub(crate) fn lower(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map(|first| first.to_lowercase().chain(letters).collect()).unwrap_or_default()
}
