//! `scripts`: functions that the author wrote, for what the language does not compute.

use crate::model::{Script, Study};
use crate::names::functions;
use crate::syntax::include::Files;
use crate::syntax::keys::{Form, Key, Reader, required};
use crate::syntax::read;
use contract::{Mistake, Mistakes, Node, Place, Trouble, suggestion};
use script::bounds::TEXT_BYTES_MAX;
use std::path::Path;
use std::sync::Arc;

/// Scripts of one study.
const SCRIPTS_MAX: usize = 32;

/// Keys of a script that is a file.
pub(crate) static SCRIPT: [Key; 1] = [required("file", Form::Text, "file with its functions, beside the study")];

/// Where scripts are read from.
pub(crate) struct Sources<'a> {
    pub(crate) base: &'a Path,
    pub(crate) files: &'a mut Files,
    /// Whether they are compiled: those of an archived study are not, as nobody will call them.
    pub(crate) is_real: bool,
}

/// Reads `scripts`: of each its text, or its file.
pub(crate) fn read(node: &Node, sources: &mut Sources<'_>, mistakes: &mut Mistakes) -> Vec<Script> {
    let Some(entries) = node.map() else {
        mistakes.push(
            Mistake::at(node.place, "study::wrong-type", format!("`scripts` is {}, not a map", node.what()))
                .label("write `{ NAME: { file: name.rhai } }`"),
        );
        return Vec::new();
    };
    if entries.len() > SCRIPTS_MAX {
        let text = format!("there are {} scripts; at most {SCRIPTS_MAX} are possible", entries.len());
        mistakes.push(
            Mistake::at(node.place, "study::too-large", text).label("one script may have many functions: join some"),
        );
    }
    let mut scripts = Vec::new();
    for (key, value) in entries.iter().take(SCRIPTS_MAX) {
        if let Some(name) = read::name(key, "a script", mistakes) {
            scripts.push(read_one(name, key.place, value, sources, mistakes));
        }
    }
    scripts
}

/// A script that cannot be read is none the less there, so that those who call it are not blamed.
fn read_one(name: String, place: Place, node: &Node, sources: &mut Sources<'_>, mistakes: &mut Mistakes) -> Script {
    let found = text_of(&name, node, sources, mistakes);
    let (number, text) = found.clone().unwrap_or_default();
    let mut script = Script { name, place, text, program: None };
    if sources.is_real && found.is_some() {
        let program = script::Program::new(&script.name, &script.text, number, functions::for_scripts());
        script.program = mistakes.keep(program).map(Arc::new);
    }
    script
}

/// The text, with its number among the files.
fn text_of(name: &str, node: &Node, sources: &mut Sources<'_>, mistakes: &mut Mistakes) -> Option<(u16, String)> {
    if node.map().is_none() {
        // In messages its lines are counted as those of a file are.
        let text = mistakes.keep(node.as_text("a script"))?.to_owned();
        return Some((sources.files.add(format!("script `{name}`"), text.clone()), text));
    }
    let mut keys = Reader::of(node, &SCRIPT, format!("script `{name}`"), mistakes);
    let file = keys.need("file", mistakes);
    keys.finish(mistakes);
    let (file, path) = file.and_then(|file| Some((file, mistakes.keep(file.as_text("`file`"))?)))?;
    sources.files.read_text_beside(&sources.base.join(path), path, file.place, TEXT_BYTES_MAX as u64, mistakes)
}

/// The function `NAME.FUNCTION` that takes so many arguments.
///
/// # Errors
/// A script or a function that does not exist, with those that are, and arguments that it does not take.
pub(crate) fn find(
    study: &Study,
    name: &str,
    arguments: usize,
    place: Place,
) -> Result<Arc<dyn contract::Script>, Mistake> {
    let (of, function) = name.split_once('.').unwrap_or((name, ""));
    let Some(script) = study.scripts.iter().find(|script| script.name == of) else {
        return Err(unknown(study, of, function, place));
    };
    match &script.program {
        Some(program) => Ok(Arc::new(program.function(function, arguments, place)?)),
        None => Ok(Arc::new(Uncalled(name.to_owned()))),
    }
}

fn unknown(study: &Study, name: &str, function: &str, place: Place) -> Mistake {
    let known: Vec<&str> = study.scripts.iter().map(|script| script.name.as_str()).collect();
    let mistake = Mistake::at(place, "study::unknown-function", format!("no script is called `{name}`"));
    if known.is_empty() {
        return mistake.label(format!("declare it: `scripts: {{ {name}: {{ file: {name}.rhai }} }}`"));
    }
    let mistake = match suggestion(name, known.iter().copied()) {
        Some(near) => mistake.label(format!("did you mean `{near}.{function}`?")),
        None => mistake,
    };
    mistake.hint(format!("scripts are: {}", known.join(", ")))
}

/// Stands for a script that is not compiled: that of an archived study, or one with a mistake of its own.
struct Uncalled(String);

impl contract::Script for Uncalled {
    fn name(&self) -> &str {
        &self.0
    }

    fn call(&self, _: &[Vec<u8>], _: &mut Vec<u8>) -> Result<(), Trouble> {
        Err(Trouble { text: format!("the script `{}` is not called here", self.0), is_refused: false })
    }
}
