//! The whole way of an import: files in, run folder out.

use crate::error::ImportError;
use crate::input::Input;
use crate::kind::{Kind, Source};
use crate::reading::Reading;
use crate::samples::Samples;
use crate::survey::Survey;
use crate::watched::Watched;
use crate::{docker, jstat, jtl, jtl_xml, k6, kafka, sar, study_text, told, vmstat, write};
use record::{ImportHead, ImportedFile, Placed, RecordError};
use std::path::{Path, PathBuf};
use study::{Registry, Study};
use terms::Nanos;

/// Longest time from the first call to the last. One wrong clock among a million lines would stretch a run over years.
const SPAN_MAX: Nanos = Nanos::from_secs(14 * 86_400);
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
    pub study: Study,
}

/// Reads the files and writes the run folder.
///
/// # Errors
/// [`ImportError`]; no folder is left then.
pub fn import(request: &Request<'_>) -> Result<Imported, ImportError> {
    check_out(request.out)?;
    let parent = request.out.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
    std::fs::create_dir_all(parent).map_err(|source| ImportError::Spool { folder: parent.to_owned(), source })?;
    let tool = tool(request)?;
    let unit = if tool == JMETER { Nanos::MILLISECOND } else { Nanos::MICROSECOND };
    let mut survey = Survey::within(parent, unit)?;
    let mut head = ImportHead { tool: tool.into(), resolution_ns: unit.0, ..ImportHead::default() };
    let (mut samples, mut dropped) = (Vec::new(), 0);
    for (number, source) in request.sources.iter().enumerate() {
        let (input, before) = (Input::open(&source.path)?, sums(&survey));
        let path = &source.path;
        let mut watch = |(read, reading): (Samples, Reading)| {
            samples.push((number, source.instance.clone(), read));
            reading
        };
        let reading = match source.kind {
            Kind::Jtl => jtl::read(path, input, request.columns, &mut survey)?.0,
            Kind::JtlXml => jtl_xml::read(path, input, &mut survey)?,
            Kind::K6Csv | Kind::K6Json => {
                let (reading, beside) = k6::read(path, input, source.kind == Kind::K6Json, &mut survey)?;
                dropped += beside.dropped;
                reading
            }
            Kind::Vmstat => watch(vmstat::read(path, input, request.zone)?),
            Kind::Jstat => watch(jstat::read(path, input)?),
            Kind::DockerStats => watch(docker::read(path, input)?),
            Kind::Sar => watch(sar::read(path, input)?),
            Kind::KafkaGroups => watch(kafka::read(path, input)?),
        };
        let nested = sums(&survey) - before + reading.parts;
        head.files.push(ImportedFile { nested, ..file_head(source, reading) });
    }
    if survey.all.calls == 0 {
        return Err(nothing(request, &head));
    }
    check_span(&survey)?;
    let found = Found::of(&survey);
    head.said = if tool == JMETER { told::jmeter(&survey, &found.names, unit) } else { told::k6(&survey, unit) };
    head.unknown = unknown(request, !survey.users.is_empty());
    let mut watched = Watched::of(samples, &survey, request);
    watched.placed.iter().for_each(|(file, placed)| head.files[*file].placed = *placed);
    watched.dropped = dropped;
    write::write(request, survey, &found, head, watched)
}

const JMETER: &str = "JMeter";
const K6: &str = "k6";

/// Which tool drove the load; one run has one.
fn tool(request: &Request<'_>) -> Result<&'static str, ImportError> {
    let of = |source: &Source| match source.kind {
        Kind::Jtl | Kind::JtlXml => Some(JMETER),
        Kind::K6Csv | Kind::K6Json => Some(K6),
        _ => None,
    };
    let mut tools: Vec<&str> = request.sources.iter().filter_map(of).collect();
    tools.sort_unstable();
    tools.dedup();
    match tools.as_slice() {
        [JMETER] => Ok(JMETER),
        [K6] => Ok(K6),
        [] => Err(ImportError::Asked(
            "none of the files holds calls, and a run without load shows nothing\nname one that does, such as \
             `loadproof import jtl results.jtl vmstat=vmstat.log --out RUN`"
                .into(),
        )),
        _ => Err(ImportError::Asked(format!(
            "the calls are of several tools ({}), and a run has one load; import them as runs of their own, and compare \
             these",
            tools.join(", ")
        ))),
    }
}

fn sums(survey: &Survey) -> u64 {
    survey.labels.iter().map(|label| label.sums).sum()
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
        let number = |label: &crate::survey::Label| {
            (label.calls > 0).then(|| {
                next += 1;
                next - 1
            })
        };
        let exchanges = survey.labels.iter().map(number).collect();
        Self { names, exchanges }
    }
}

/// A label as it may be written.
pub(crate) fn label_text(label: &[u8]) -> String {
    let text = String::from_utf8_lossy(label);
    scrub::KeptOut::default().cut(&text).chars().take(NAME_CHARS).collect()
}

fn check_out(out: &Path) -> Result<(), ImportError> {
    record::check_outside_evidence(out)?;
    let is_used = std::fs::read_dir(out).is_ok_and(|mut entries| entries.next().is_some());
    if is_used { Err(RecordError::Exists { path: out.to_owned() }.into()) } else { Ok(()) }
}

fn file_head(source: &Source, reading: Reading) -> ImportedFile {
    let name = source.path.file_name().unwrap_or(source.path.as_os_str()).to_string_lossy();
    ImportedFile {
        name: label_text(name.as_bytes()),
        kind: source.kind.name().into(),
        bytes: reading.bytes,
        sha256: reading.sha256,
        read: reading.read,
        nested: 0,
        unreadable: reading.unreadable,
        examples: reading.examples,
        placed: Placed::Clock,
        drift_s: None,
    }
}

fn nothing(request: &Request<'_>, head: &ImportHead) -> ImportError {
    let names: Vec<String> = request.sources.iter().map(|source| format!("`{}`", source.path.display())).collect();
    let unreadable = head.files.iter().flat_map(|file| &file.examples).next();
    let why = unreadable.map(|example| format!("; line {}: {}", example.line, example.why)).unwrap_or_default();
    ImportError::Asked(format!("{} hold no call that can be read{why}", names.join(", ")))
}

fn check_span(survey: &Survey) -> Result<(), ImportError> {
    let length = survey.last_end - survey.first_start;
    if length <= SPAN_MAX {
        return Ok(());
    }
    let (first, last) = (terms::iso::seconds(survey.first_start), terms::iso::seconds(survey.last_end));
    Err(ImportError::Asked(format!(
        "the calls reach from {first} to {last}, and {} days are the most: a clock was wrong, or these are several runs\n\
         cut the file to one run, and import it again",
        SPAN_MAX.second() / 86_400
    )))
}

/// What the files cannot tell of any run of this tool.
fn unknown(request: &Request<'_>, has_users: bool) -> Vec<String> {
    let mut unknown: Vec<String> = ["intended_starts", "generator", "identity", "timeouts"].map(str::to_owned).into();
    if !has_users && request.users.is_none() {
        unknown.push("users".into());
    }
    unknown
}
