//! The whole way of an import: files in, run folder out.

use crate::error::ImportError;
use crate::kind::{Kind, Source};
use crate::parts::Part;
use crate::survey::Survey;
use crate::taken::Taken;
use crate::told::Told;
use crate::tool::Tool;
use crate::twofold::Twofold;
use crate::watched::Watched;
use crate::{other_kind, parts, study_text, write};
use record::{ImportHead, ImportedFile, RecordError};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use study::{Registry, Study};
use terms::Nanos;

/// Longest time from the first call to the last. One wrong clock among a million lines would stretch a run over years.
const SPAN_MAX: Nanos = Nanos::from_secs(14 * 86_400);
/// Before it nobody ran a test of JMeter: 2000-01-01.
pub(crate) const YEAR_2000: Nanos = Nanos::from_secs(946_684_800);
/// Once; with what that has shown, which may show more within unfinished sums; and from the moment at which the run begins.
const READINGS_MAX: usize = 12;
/// Bytes of a file that goes with the run.
const NAME_CHARS: usize = 200;

/// What is asked for.
pub struct Request<'a> {
    pub sources: &'a [Source],
    /// The run folder; it must not hold anything.
    pub out: &'a Path,
    /// A file with requirements and whatever else goes with the run, in the language of studies.
    pub study: Option<&'a Path>,
    pub title: Option<&'a str>,
    pub system: Option<&'a str>,
    /// How much of the beginning is not judged.
    pub warm_up: Nanos,
    /// Virtual users, where no file tells.
    pub users: Option<u64>,
    /// Columns of files without a header row.
    pub columns: Option<&'a str>,
    /// When rows without a clock begin, since 1970, and the time between them.
    pub start: Option<Nanos>,
    pub every: Option<Nanos>,
    /// Offset of stamps whose zone the file does not tell, seconds.
    pub zone: Option<i64>,
    /// How lines of an access log read, as the server's configuration has it.
    pub format: Option<&'a str>,
    /// How long a time of 1 is, where the file does not tell.
    pub unit: Option<Nanos>,
    /// Plug-ins, with those of this crate among them.
    pub registry: Registry<'a>,
}

/// What came of it.
#[derive(Clone, Debug)]
pub struct Imported {
    pub folder: PathBuf,
    pub head: ImportHead,
    /// Calls that were booked, and of these the failed.
    pub calls: u64,
    pub failed: u64,
    /// Labels with the names that requirements have for them.
    pub labels: Vec<(String, String)>,
    /// Labels that were not kept apart, by the number of their calls.
    pub beyond: u64,
    /// From the first start to the last.
    pub length: Nanos,
    /// Whether any stamp of the files says no zone, so that one that is given matters.
    pub needs_zone: bool,
    pub study: Study,
}

/// Reads the files and writes the run folder.
///
/// # Errors
/// [`ImportError`]; no folder is left then.
pub fn import(request: &Request<'_>) -> Result<Imported, ImportError> {
    check_out(request.out)?;
    let parent = request.out.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
    std::fs::create_dir_all(parent)
        .map_err(|source| ImportError::Spool { folder: parent.to_owned(), error: source })?;
    let parts = parts::list(request.sources)?;
    let tool = Tool::of_all(parts.iter().filter_map(|part| part.kind))?;
    let taken =
        take(request, &parts, |origin, twofold| Survey::within(parent, tool.unit(), request.warm_up, origin, twofold))
            .map_err(|error| other_kind::named(error, request.sources))?;
    let Taken { survey, samples, beside, files, hides_failures, needs_zone, .. } = taken;
    let mut head = ImportHead { tool: tool.name().into(), files, ..ImportHead::default() };
    head.resolution_ns = tool.unit().0;
    if survey.all.calls == 0 {
        return Err(nothing(request, &head));
    }
    check_span(&survey)?;
    let found = Found::of(&survey);
    head.said = Told { survey: &survey, names: &found.names, unit: tool.unit(), tool }.figures(&beside.printed);
    head.unknown = unknown(request, !survey.users.seconds().is_empty(), tool);
    if hides_failures {
        head.unknown.push("failures".into());
    }
    let mut watched = Watched::of(samples, &survey, request);
    watched.placed.iter().for_each(|(file, placed)| head.files[*file].placed = *placed);
    for (file, outside) in std::mem::take(&mut watched.outside) {
        head.files[file].outside = Some(outside);
    }
    for (file, remark) in std::mem::take(&mut watched.remarks) {
        head.files[file].remarks.push(remark);
    }
    let has_rows = |file: &&mut ImportedFile| file.nested > 0 && file.kind == Kind::Jtl.name();
    let rows = head.files.iter_mut().find(has_rows).map(|file| &mut file.remarks);
    let parts_and_sums = survey.twofold().remarks();
    if let Some(remarks) = rows {
        remarks.extend(parts_and_sums);
    } else if let Some(file) = head.files.iter_mut().find(|file| file.nested > 0) {
        file.remarks.extend(parts_and_sums);
    }
    let calls = head.files.iter_mut().find(|file| file.monitor.is_empty() && file.read > 0);
    calls.into_iter().for_each(|file| file.remarks.extend(survey.users.remarks()));
    if tool == Tool::JMeter && survey.span.first_start < YEAR_2000 {
        let remark = format!(
            "its calls begin at {}: its stamps may be in seconds, where JMeter writes milliseconds",
            terms::iso::seconds(survey.span.first_start)
        );
        head.files.first_mut().into_iter().for_each(|file| file.remarks.push(remark.clone()));
    }
    watched.beside = beside;
    let imported = write::write(request, survey, &found, head, watched)?;
    Ok(Imported { needs_zone, ..imported })
}

/// Reads all files; and once more where only the whole of them tells which records are calls, or where the run begins.
fn take<'a>(
    request: &'a Request<'a>,
    parts: &[Part],
    survey: impl Fn(Option<Nanos>, Arc<Twofold>) -> Result<Survey, ImportError>,
) -> Result<Taken<'a>, ImportError> {
    let (mut origin, mut twofold) = (None, Arc::new(Twofold::default()));
    for _ in 0..READINGS_MAX {
        let mut taken = Taken::new(request, survey(origin, twofold.clone())?);
        taken.all(parts)?;
        taken.survey.settle()?;
        let (earlier, shown) = (taken.survey.earlier_origin(), taken.survey.twofold());
        if shown == *twofold && earlier.is_none() {
            return Ok(taken);
        }
        // What is no call of its own may have been the first.
        origin = earlier.filter(|_| shown == *twofold);
        twofold = Arc::new(shown);
    }
    let why = "the files change while they are read, or transactions that were not finished lie more than ten deep within \
               each other; import copies of them";
    Err(ImportError::Asked(why.into()))
}

/// Names and labels by the numbers of the survey, and which of them are booked.
pub(crate) struct Found {
    /// Of all labels.
    pub(crate) names: Vec<String>,
    /// Of each label its number among the exchanges; none for one that only sums up others.
    pub(crate) exchanges: Vec<Option<u16>>,
}

impl Found {
    fn of(survey: &Survey) -> Self {
        let texts = survey.labels.iter().map(|label| label_text(&label.text));
        let names = study_text::names(texts);
        let mut next = 0;
        let number = |label: &crate::block::Label| {
            (label.calls > 0).then(|| {
                next += 1;
                next - 1
            })
        };
        let exchanges = survey.labels.iter().map(number).collect();
        Self { names, exchanges }
    }
}

/// A label as it may be written: on one line, or it could pass for a line of ours.
pub(crate) fn label_text(label: &[u8]) -> String {
    let text = String::from_utf8_lossy(label);
    let text = scrub::KeptOut::default().cut(&text);
    text.chars().map(|c| if c.is_control() { ' ' } else { c }).take(NAME_CHARS).collect()
}

fn check_out(out: &Path) -> Result<(), ImportError> {
    record::check_outside_evidence(out)?;
    let is_used = std::fs::read_dir(out).is_ok_and(|mut entries| entries.next().is_some());
    if is_used { Err(RecordError::Exists { path: out.to_owned() }.into()) } else { Ok(()) }
}

fn nothing(request: &Request<'_>, head: &ImportHead) -> ImportError {
    let names: Vec<String> = request.sources.iter().map(|source| format!("`{}`", source.path.display())).collect();
    let unreadable = head.files.iter().flat_map(|file| &file.examples).next();
    let why = unreadable.map(|example| format!("; line {}: {}", example.line, example.why)).unwrap_or_default();
    let hold = if names.len() == 1 { "holds" } else { "hold" };
    let other = other_kind::of_all(request.sources);
    ImportError::Asked(format!("{} {hold} no call that can be read{why}{other}", names.join(", ")))
}

fn check_span(survey: &Survey) -> Result<(), ImportError> {
    let length = survey.span.last_end - survey.span.first_start;
    if length <= SPAN_MAX {
        return Ok(());
    }
    let (first, last) = (terms::iso::seconds(survey.span.first_start), terms::iso::seconds(survey.span.last_end));
    Err(ImportError::Asked(format!(
        "the calls reach from {first} to {last}, and {} days are the most: a clock was wrong, or these are several runs\n\
         cut the file to one run, and import it again",
        SPAN_MAX.second() / 86_400
    )))
}

/// What the files cannot tell of any run of this tool.
fn unknown(request: &Request<'_>, has_users: bool, tool: Tool) -> Vec<String> {
    let is_known = |what: &&&str| tool != Tool::Wrk2 || **what != "intended_starts";
    let usual = ["intended_starts", "generator", "identity", "timeouts"];
    let all = usual.iter().chain(tool.unknown()).filter(is_known);
    let mut unknown: Vec<String> = all.map(|what| (*what).to_owned()).collect();
    if !has_users && request.users.is_none() {
        unknown.push("users".into());
    }
    unknown
}
