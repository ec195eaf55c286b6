//! What was taken from the files, one after another.

use crate::access::Access;
use crate::error::ImportError;
use crate::input::Input;
use crate::kind::Kind;
use crate::parts::{Archive, Part};
use crate::printed::Beside;
use crate::reading::{self, Reading, not_text};
use crate::request::{Request, label_text};
use crate::samples::{COUNTERS, Samples};
use crate::survey::Survey;
use crate::zone::Zone;
use crate::{docker, gatling, gc, hdr_log, jstat, jtl, jtl_xml, k6, kafka, locust, sar, summary, vmstat, wrk2};
use record::{ImportedFile, Placed, UnreadableLine};
use std::path::Path;

/// All of it.
pub(crate) struct Taken<'a> {
    request: &'a Request<'a>,
    pub(crate) survey: Survey,
    /// Number of the file, whose they are, and what it holds.
    pub(crate) samples: Vec<(usize, Option<String>, Samples)>,
    pub(crate) beside: Beside,
    pub(crate) files: Vec<ImportedFile>,
    /// SHA-256 of what the files hold, unpacked, with their names.
    contents: Vec<(String, String)>,
    /// Whether a file of calls does not tell of each whether it failed.
    pub(crate) hides_failures: bool,
    /// Whether any stamp says no zone.
    pub(crate) needs_zone: bool,
}

impl<'a> Taken<'a> {
    pub(crate) fn new(request: &'a Request<'a>, survey: Survey) -> Self {
        Self {
            request,
            survey,
            samples: Vec::new(),
            beside: Beside::default(),
            files: Vec::new(),
            contents: Vec::new(),
            hides_failures: false,
            needs_zone: false,
        }
    }

    /// Reads all files, archives member by member.
    ///
    /// # Errors
    /// For a file that cannot be read; one in an archive is left out instead, unless some of it was taken already.
    pub(crate) fn all(&mut self, parts: &[Part]) -> Result<(), ImportError> {
        for (number, source) in self.request.sources.iter().enumerate() {
            if source.kind == Kind::Archive {
                let members: Vec<&Part> = parts.iter().filter(|part| part.source == number).collect();
                self.archive(&source.path, &members)?;
            } else if let Some(part) = parts.iter().find(|part| part.source == number) {
                self.part(part, Input::open(&source.path)?)?;
            }
        }
        self.drop_counts_of_twins();
        Ok(())
    }

    fn archive(&mut self, path: &Path, members: &[&Part]) -> Result<(), ImportError> {
        let (mut archive, mut taken, mut broken) = (Archive::open(path)?, 0, None);
        let place = self.files.len();
        loop {
            match archive.advance()? {
                Ok(None) => break,
                Ok(Some((_, input))) => {
                    let Some(part) = members.get(taken) else { break };
                    taken += 1;
                    self.member(part, input)?;
                }
                Err(error) => {
                    broken = Some(error);
                    break;
                }
            }
        }
        let name = path.file_name().unwrap_or(path.as_os_str()).to_string_lossy();
        let (bytes, sha256) = archive.fingerprint();
        let kind = Kind::Archive.name().to_owned();
        let mut file =
            ImportedFile { name: label_text(name.as_bytes()), kind, bytes, sha256, ..ImportedFile::default() };
        if let Some(error) = broken {
            file.unreadable = 1;
            file.broken = reading::broken(path, &error).ok();
            let why = format!(
                "the archive breaks off behind {}: {error}",
                if taken == 1 { "1 file".to_owned() } else { format!("{taken} files") }
            );
            file.examples.push(UnreadableLine { line: 1, why });
        }
        // Samples know their files by number.
        self.samples.iter_mut().filter(|sample| sample.0 >= place).for_each(|sample| sample.0 += 1);
        self.files.insert(place, file);
        Ok(())
    }

    fn member(&mut self, part: &Part, input: Input) -> Result<(), ImportError> {
        let before = self.survey.all.calls;
        match self.part(part, input) {
            Err(ImportError::File { what, .. }) if self.survey.all.calls == before => {
                self.files.push(ImportedFile { left_out: what, ..head(part, Reading::default()) });
                Ok(())
            }
            other => other,
        }
    }

    fn part(&mut self, part: &Part, input: Input) -> Result<(), ImportError> {
        let Some(kind) = part.kind else {
            self.files.push(ImportedFile { left_out: part.left_out.clone(), ..head(part, Reading::default()) });
            return Ok(());
        };
        text_only(kind, part, &input)?;
        let (before, content) = (self.sums(), input.content());
        let zone = Zone::of(self.request.zone);
        self.survey.zone = zone.clone();
        let read = self.read(kind, part, input, &zone);
        // Whether a file that cannot be read left any calls is asked of the survey.
        self.survey.end_file()?;
        let mut reading = read?;
        if let (None, Some(name), None) = (part.member, &part.instance, &self.request.sources[part.source].instance) {
            let kind = kind.name();
            reading.remarks.push(format!("it is taken for that of `{name}`; `{kind}@NAME=FILE` gives another name"));
        }
        self.needs_zone |= zone.is_used();
        if zone.is_used() && self.request.zone.is_none() {
            reading.remarks.push(NO_ZONE.to_owned());
        }
        self.refuse_twin(part, content.sha256().unwrap_or_else(|| reading.sha256.clone()))?;
        let nested = self.sums() - before + reading.parts;
        self.files.push(ImportedFile { nested, ..head(part, reading) });
        Ok(())
    }

    fn read(&mut self, kind: Kind, part: &Part, input: Input, zone: &Zone) -> Result<Reading, ImportError> {
        let (path, request) = (part.path.as_path(), self.request);
        let number = self.files.len();
        let survey = &mut self.survey;
        let samples = &mut self.samples;
        let mut watch = |(read, reading): (Samples, Reading)| {
            samples.push((number, part.instance.clone(), read));
            reading
        };
        let beside = &mut self.beside;
        let mut tell = |(reading, told): (Reading, Beside)| {
            beside.add(told, &part.name);
            reading
        };
        Ok(match kind {
            Kind::Jtl => {
                // A response code does not show which assertions failed.
                let (reading, has) = jtl::read(path, input, request.columns, survey)?;
                self.hides_failures |= !has.success && reading.read > 0;
                reading
            }
            Kind::JtlXml => jtl_xml::read(path, input, survey)?,
            Kind::K6Csv | Kind::K6Json => tell(k6::read(path, input, kind == Kind::K6Json, survey)?),
            Kind::Gatling => tell(gatling::read(path, input, survey)?),
            Kind::Locust => tell(locust::read(path, input, survey)?),
            Kind::Wrk2 => tell(wrk2::read(path, input, request.start, survey)?),
            Kind::Hdr => hdr_log::read(path, input, (request.unit, request.start), survey)?,
            Kind::AccessLog => Access { format: request.format, unit: request.unit }.read(path, input, survey)?,
            Kind::Vmstat => watch(vmstat::read(path, input, zone)?),
            Kind::Jstat => watch(jstat::read(path, input)?),
            Kind::DockerStats => watch(docker::read(path, input)?),
            Kind::Sar => watch(sar::read(path, input, zone)?),
            Kind::KafkaGroups => watch(kafka::read(path, input, zone)?),
            Kind::Gc => watch(gc::read(path, input, zone)?),
            Kind::Summary => tell(summary::read(path, input)?),
            // `parts` has opened those that were named; one within another is refused.
            Kind::Archive => return Err(ImportError::file(path, "is an archive within another")),
        })
    }

    /// The same bytes once more, packed or not, would count every call twice.
    fn refuse_twin(&mut self, part: &Part, sha256: String) -> Result<(), ImportError> {
        if let Some((_, other)) = self.contents.iter().find(|(known, _)| *known == sha256) {
            return Err(ImportError::Asked(format!(
                "`{}` and `{}` hold the same bytes, and what is in them would count twice\nname one of them; from an \
                 archive, take one out",
                label_text(other.as_bytes()),
                label_text(part.name.as_bytes())
            )));
        }
        self.contents.push((sha256, part.name.clone()));
        Ok(())
    }

    fn sums(&self) -> u64 {
        self.survey.labels.iter().map(|label| label.sums).sum()
    }

    /// Where `jstat` has counted the collections of a machine, its log does not count them once more.
    fn drop_counts_of_twins(&mut self) {
        let is_jstat = |file: usize| self.files.get(file).is_some_and(|file| file.kind == Kind::Jstat.name());
        let counted: Vec<Option<String>> =
            self.samples.iter().filter(|(file, ..)| is_jstat(*file)).map(|(_, whose, _)| whose.clone()).collect();
        for (file, whose, samples) in &mut self.samples {
            if self.files.get(*file).is_some_and(|file| file.kind == Kind::Gc.name()) && counted.contains(whose) {
                samples.rows.iter_mut().for_each(|row| row.values.retain(|(name, _)| !COUNTERS.contains(name)));
            }
        }
    }
}

/// What is to be known of a file whose stamps leave their zone open.
const NO_ZONE: &str = "its stamps say no zone and are taken for UTC; `--zone +01:00` makes them an hour ahead of it";

/// Refuses what is not text, for kinds that are one, before its bytes are taken for lines.
fn text_only(kind: Kind, part: &Part, input: &Input) -> Result<(), ImportError> {
    let start = input.start();
    let wrong = |what: &str| Err(ImportError::file(&part.path, what));
    if start.starts_with(b"PK\x03\x04") {
        return wrong("is a zip; unpack it, and name the files in it, or pack them: `tar -czf NAME.tar.gz FOLDER`");
    }
    // A log of Gatling may be binary, and what is packed shows nothing yet.
    if kind == Kind::Gatling || start.starts_with(b"\x1f\x8b") {
        return Ok(());
    }
    if kind == Kind::Sar && start.contains(&0) {
        return wrong(
            "is not text; if it is a file that `sar` has collected, print it: `LC_ALL=C sar -u -q -r -b -n DEV -f FILE > NEW`",
        );
    }
    if let Some(what) = not_text(start) {
        return wrong(what);
    }
    Ok(())
}

fn head(part: &Part, reading: Reading) -> ImportedFile {
    ImportedFile {
        name: label_text(part.name.as_bytes()),
        kind: part.kind.map_or_else(String::new, |kind| kind.name().into()),
        monitor: part.kind.and_then(Kind::monitor).unwrap_or_default().into(),
        bytes: reading.bytes,
        sha256: reading.sha256,
        read: reading.read,
        nested: 0,
        unreadable: reading.unreadable,
        broken: reading.broken,
        examples: reading.examples,
        remarks: reading.remarks,
        left_out: String::new(),
        placed: Placed::Clock,
        outside: None,
        drift_s: None,
    }
}
