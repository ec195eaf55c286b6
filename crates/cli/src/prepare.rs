//! From a command line to a study that can be run.

use crate::exit::Failed;
use crate::options::StudyOptions;
use crate::outlet;
use crate::output::say;
use crate::registry::registry;
use run::Prepared;
use std::io::Read;
use std::path::Path;
use study::{Options, SecretSource, Secrets, Study};
use terms::{Nanos, Quantity, Unit};

/// A longer study on standard input is none.
const STUDY_BYTES_MAX: u64 = 4 * 1024 * 1024;

/// Reads, checks and plans a study file.
pub(crate) fn prepare(options: &StudyOptions) -> Result<Prepared, Failed> {
    let loading = loading(&options.set, options.trial.as_deref())?;
    let (study, secrets) = if is_stdin(&options.study) {
        study::load_text("standard input", &read_stdin()?, Path::new("."), &registry(), &loading)?
    } else {
        study::load(&options.study, &registry(), &loading)?
    };
    if let (Some(asked), None) = (&options.trial, &study.trial) {
        say!("`--for {asked}` shortens nothing: the study takes no longer, so this is not a trial");
    }
    complete(study, secrets)
}

/// Whether the study comes on standard input: `-`, as everywhere.
pub(crate) fn is_stdin(study: &Path) -> bool {
    study == Path::new("-")
}

/// The study on standard input; files it names are looked up in the current folder.
fn read_stdin() -> Result<String, Failed> {
    let mut text = String::new();
    let read = std::io::stdin().lock().take(STUDY_BYTES_MAX + 1).read_to_string(&mut text);
    let why = match read {
        Ok(bytes) if bytes as u64 > STUDY_BYTES_MAX => format!("it is longer than {STUDY_BYTES_MAX} bytes"),
        Ok(0) => "it is empty".to_owned(),
        Ok(_) => return Ok(text),
        Err(error) => error.to_string(),
    };
    Err(Failed::because(format!(
        "no study can be read from standard input: {why}; write `loadproof check - < study.yaml`, or name the file"
    )))
}

/// Checks and plans a study as another process wrote it out, for the node of this name; its files are beside `base`.
pub(crate) fn prepare_archived(text: &str, base: &Path, node: &str) -> Result<Prepared, Failed> {
    let loading = Options { secrets: SecretSource::OfNode(node.to_owned()), ..loading(&[], None)? };
    let (study, secrets) = study::load_text("the study of the run", text, base, &registry(), &loading)?;
    complete(study, secrets)
}

/// Checks and plans a study written by `quick`.
pub(crate) fn prepare_text(text: &str) -> Result<Prepared, Failed> {
    let (study, secrets) = study::load_text("quick", text, Path::new("."), &registry(), &loading(&[], None)?)?;
    complete(study, secrets)
}

fn complete(study: Study, secrets: Secrets) -> Result<Prepared, Failed> {
    Ok(run::prepare(study, secrets, registry(), &outlet::keep_out)?)
}

fn loading(set: &[String], trial: Option<&str>) -> Result<Options, Failed> {
    let pair = |text: &String| {
        let (name, value) = text.split_once('=').filter(|(name, _)| !name.trim().is_empty()).ok_or_else(|| {
            Failed::because(format!("`--set {text}` has no `=`; write `--set name=value`, such as `--set rate=20/s`"))
        })?;
        Ok((name.trim().to_owned(), value.trim().to_owned()))
    };
    let set = set.iter().map(pair).collect::<Result<_, Failed>>()?;
    let trial = trial.map(|text| duration("--for", text)).transpose()?;
    Ok(Options { set, trial, secrets: SecretSource::Real })
}

/// A duration of the command line, above zero.
pub(crate) fn duration(option: &str, text: &str) -> Result<Nanos, Failed> {
    let read = Quantity::parse(text).ok().filter(|read| read.unit == Unit::Time && read.value > 0.0);
    read.and_then(|read| read.nanos()).ok_or_else(|| {
        Failed::because(format!("`{option} {text}` is not a duration; write `{option} 30s` or `{option} 5m`"))
    })
}
