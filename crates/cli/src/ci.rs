//! What a build server is told of a run: notes at lines of the study, files that it shows, a summary.

use crate::exit::Failed;
use crate::options::CiOptions;
use crate::output::say;
use report::{StudyPlace, StudyPlaces};
use std::hash::{BuildHasher, Hasher};
use std::io::Write;
use std::path::{Component, Path, PathBuf};
use study::{Rejected, SourceFile, Study};

/// Where GitHub Actions keeps the summary of a step, to which each tool adds.
const STEP_SUMMARY: &str = "GITHUB_STEP_SUMMARY";
/// So much of a step's summary GitHub shows; of a longer one, nothing.
const STEP_SUMMARY_MAX: u64 = 1 << 20;

/// What is told of a run that has no report; some of it may have been recorded all the same.
const FAILED: &str = "The run failed and has no report";

/// A build server that is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Server {
    GitHub,
    GitLab,
}

/// Whom to tell, and what is known for it. Nobody is told anything unless it is asked for.
#[derive(Default)]
pub(crate) struct Ci {
    server: Option<Server>,
    summary: Option<PathBuf>,
    places: StudyPlaces,
    /// The word that makes GitHub read commands again, while it does not.
    deaf: Option<String>,
}

impl Ci {
    /// As the command line has it. From here on GitHub takes nothing that is printed for a command: an answer of the system
    /// or a name in a study could be made to look like one.
    ///
    /// # Errors
    /// A summary whose folder does not exist: after the run it would be too late to say so.
    pub(crate) fn of(options: &CiOptions) -> Result<Self, Failed> {
        let folder = options.summary.as_deref().and_then(Path::parent).filter(|folder| !folder.as_os_str().is_empty());
        if let (Some(folder), Some(file)) = (folder.filter(|folder| !folder.is_dir()), &options.summary) {
            let (folder, file) = (folder.display(), file.display());
            return Err(Failed::because(format!(
                "`--summary {file}` cannot be written: the folder `{folder}` does not exist; type `mkdir -p {folder}`"
            )));
        }
        let server = match options.ci.as_deref() {
            Some("github") => Some(Server::GitHub),
            Some("gitlab") => Some(Server::GitLab),
            Some(_) => {
                let found = here(|name| std::env::var_os(name).is_some());
                if found.is_none() {
                    say!("`--ci auto`: this is neither GitHub Actions nor GitLab, so no build server is told anything");
                }
                found
            }
            None => None,
        };
        let deaf = (server == Some(Server::GitHub)).then(|| {
            let word = secret_word();
            say!("::stop-commands::{word}");
            word
        });
        Ok(Self { server, summary: options.summary.clone(), places: StudyPlaces::default(), deaf })
    }

    /// With the places of a study that was read from a file.
    pub(crate) fn with_study(mut self, study: &Study, path: &Path) -> Self {
        let Some(top) = place_of(path, &study.files, 0, 1) else { return self };
        let requirement = |known: &study::Requirement| {
            let place = place_of(path, &study.files, known.place.file, known.place.line)?;
            Some((known.name.clone(), place))
        };
        self.places =
            StudyPlaces { study: Some(top), requirements: study.requirements.iter().filter_map(requirement).collect() };
        self
    }

    /// Formats that the server reads, besides those that the study asks for.
    pub(crate) fn formats(&self) -> &'static [&'static str] {
        if self.server == Some(Server::GitLab) { &["junit"] } else { &[] }
    }

    /// Whether anything is wanted at all.
    fn is_asked(&self) -> bool {
        self.server.is_some() || self.summary.is_some()
    }

    /// Tells of a run: notes to GitHub, files for GitLab beside the report, and the summary. `written` are the files of the
    /// report, in `folder`, and `run` is the run folder. What cannot be written is a warning: the verdict does not depend on
    /// it.
    pub(crate) fn tell(
        &mut self,
        input: &report::Input<'_>,
        language: &str,
        (run, folder): (&Path, &Path),
        written: &[PathBuf],
    ) {
        if !self.is_asked() {
            return;
        }
        let page = written.iter().find(|path| path.extension().is_some_and(|extension| extension == "html"));
        let page = page.map(|page| page.display().to_string());
        let notes = report::notes(input, language, &self.places);
        let summary = report::summary(input, language, page.as_deref());
        match self.server {
            Some(Server::GitHub) => {
                self.listen();
                report::github_commands(&notes, language).iter().for_each(|line| say!("{line}"));
                add_to_step(&summary);
            }
            Some(Server::GitLab) => {
                // GitLab has no note without a line: where the study's own file is not known it is the run's copy.
                let elsewhere = StudyPlace { file: relative(&run.join("evidence/study.yaml")), line: 1 };
                let quality = report::code_quality(&notes, &input.head.study, &elsewhere);
                let files = [
                    ("gl-code-quality-report.json", &quality),
                    ("metrics.txt", &report::metrics(input)),
                    ("summary.md", &summary),
                ];
                for (name, text) in files {
                    let path = folder.join(name);
                    warn(record::replace_file(&path, text.as_bytes()), &path);
                }
            }
            None => {}
        }
        self.write_summary(&summary);
    }

    /// Tells of a run that failed before there was a report, as where the system did not start or is another one. GitLab
    /// shows only the files of a report.
    pub(crate) fn failed(&mut self, failed: &Failed) {
        if !self.is_asked() {
            return;
        }
        let text = failed.text();
        // Indented, it is shown as it is, whatever an answer of the system has in it.
        let lines: Vec<String> = text.lines().map(|line| format!("    {line}")).collect();
        let summary = format!("### ✗ {FAILED}\n\n{}\n", lines.join("\n"));
        if self.server == Some(Server::GitHub) {
            let note = report::Note {
                level: report::Level::Error,
                about: "run".to_owned(),
                title: FAILED.to_owned(),
                text,
                place: self.places.study.clone(),
            };
            self.listen();
            report::github_commands(&[note], "en").iter().for_each(|line| say!("{line}"));
            add_to_step(&summary);
        }
        self.write_summary(&summary);
    }

    /// The summary into the file that was asked for, if one was.
    pub(crate) fn write_summary(&self, text: &str) {
        if let Some(path) = &self.summary {
            write_summary(path, text);
        }
    }

    /// Notes for the mistakes of a study, at their places.
    pub(crate) fn mistakes(&mut self, failed: &Failed, path: &Path) {
        if self.server != Some(Server::GitHub) {
            return;
        }
        let Some(Rejected { files, mistakes }) = failed.error.downcast_ref::<Rejected>() else { return };
        let note = |mistake: &contract::Mistake| report::Note {
            level: report::Level::Error,
            about: mistake.code.to_owned(),
            title: mistake.code.to_owned(),
            text: [Some(&mistake.message), mistake.label.as_ref(), mistake.hint.as_ref()]
                .into_iter()
                .flatten()
                .cloned()
                .collect::<Vec<_>>()
                .join("\n"),
            place: mistake.place.and_then(|place| place_of(path, files, place.file, place.line)),
        };
        let notes: Vec<report::Note> = mistakes.0.iter().map(note).collect();
        self.listen();
        report::github_commands(&notes, "en").iter().for_each(|line| say!("{line}"));
    }

    /// GitHub reads commands again.
    fn listen(&mut self) {
        if let Some(word) = self.deaf.take() {
            say!("::{word}::");
        }
    }
}

impl Drop for Ci {
    /// What comes after this command in the step may have something to say.
    fn drop(&mut self) {
        self.listen();
    }
}

/// The server that runs this, by the variables that each sets.
fn here(is_set: impl Fn(&str) -> bool) -> Option<Server> {
    match () {
        () if is_set("GITHUB_ACTIONS") => Some(Server::GitHub),
        () if is_set("GITLAB_CI") => Some(Server::GitLab),
        () => None,
    }
}

/// Adds a summary to that of the step in hand.
fn add_to_step(summary: &str) {
    match std::env::var_os(STEP_SUMMARY).filter(|file| !file.is_empty()) {
        Some(file) => warn(add(Path::new(&file), summary), Path::new(&file)),
        None => say!("warning: {STEP_SUMMARY} is not set, so GitHub has no place for the summary"),
    }
}

/// Writes a summary: in the file of a step it stands behind what other tools wrote there, any other file is replaced.
pub(crate) fn write_summary(path: &Path, text: &str) {
    let is_step = std::env::var_os(STEP_SUMMARY).is_some_and(|file| Path::new(&file) == path);
    let written = if is_step { add(path, text) } else { record::replace_file(path, text.as_bytes()) };
    if written.is_ok() {
        say!("summary: {}", path.display());
    }
    warn(written, path);
}

/// Adds a summary to that of the step, unless that would make GitHub show none of it.
fn add(path: &Path, text: &str) -> std::io::Result<()> {
    let mut file = std::fs::OpenOptions::new().create(true).append(true).open(path)?;
    let length = file.metadata()?.len();
    if length + text.len() as u64 + 1 > STEP_SUMMARY_MAX {
        return Err(std::io::Error::other("the step's summary would be longer than the 1 MiB that GitHub shows"));
    }
    // What another tool left may end in the middle of a line.
    file.write_all(if length > 0 { b"\n" } else { b"" })?;
    file.write_all(text.as_bytes())
}

fn warn(written: std::io::Result<()>, path: &Path) {
    if let Err(error) = written {
        say!("warning: `{}` cannot be written: {error}", path.display());
    }
}

/// A line of one of a study's files, with the file's name as the server has it. Files that a study includes are named as
/// they are written there, from the study's own folder.
fn place_of(study: &Path, files: &[SourceFile], file: u16, line: u32) -> Option<StudyPlace> {
    if crate::prepare::is_stdin(study) {
        return None;
    }
    let path = match (file, files.get(usize::from(file))) {
        (0, _) => study.to_owned(),
        (_, included) => {
            let named = Path::new(&included?.name);
            if named.exists() { named.to_owned() } else { study.parent().unwrap_or(Path::new("")).join(named) }
        }
    };
    Some(StudyPlace { file: relative(&path), line: line.max(1) })
}

/// A path as seen from the top of what the server checked out; as it is where it lies elsewhere.
fn relative(path: &Path) -> String {
    let top = ["GITHUB_WORKSPACE", "CI_PROJECT_DIR"].into_iter().find_map(std::env::var_os).map(PathBuf::from);
    let top = top.or_else(|| std::env::current_dir().ok()).unwrap_or_default();
    below(&top, &std::path::absolute(path).unwrap_or_else(|_| path.to_owned()))
}

fn below(top: &Path, path: &Path) -> String {
    let mut plain = PathBuf::new();
    for part in path.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir => drop(plain.pop()),
            other => plain.push(other),
        }
    }
    plain.strip_prefix(top).unwrap_or(&plain).display().to_string()
}

/// A word that nobody can foresee, from the seeds that the standard library draws for its maps.
fn secret_word() -> String {
    let draw = || std::hash::RandomState::new().build_hasher().finish();
    format!("{:016x}{:016x}", draw(), draw())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_server_is_known_by_what_it_sets() {
        assert_eq!(here(|name| name == "GITHUB_ACTIONS"), Some(Server::GitHub));
        assert_eq!(here(|name| name == "GITLAB_CI"), Some(Server::GitLab));
        assert_eq!(here(|name| name == "CI"), None);
    }

    #[test]
    fn files_are_named_from_the_top_of_the_repository() {
        let named = |path: &str| below(Path::new("/builds/shop"), Path::new(path));
        assert_eq!(named("/builds/shop/load/study.yaml"), "load/study.yaml");
        assert_eq!(named("/builds/shop/load/../common/./base.yaml"), "common/base.yaml");
        assert_eq!(named("/elsewhere/study.yaml"), "/elsewhere/study.yaml");
    }

    #[test]
    fn a_summary_is_added_as_long_as_github_shows_it() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("step.md");
        add(&file, "one\n").unwrap();
        add(&file, "two\n").unwrap();
        assert_eq!(std::fs::read_to_string(&file).unwrap(), "one\n\ntwo\n");
        assert!(add(&file, &"x".repeat(STEP_SUMMARY_MAX as usize)).is_err());
        assert_eq!(std::fs::metadata(&file).unwrap().len(), 9, "nothing of it is written");
    }

    #[test]
    fn a_place_of_a_study_on_standard_input_is_none() {
        assert_eq!(place_of(Path::new("-"), &[], 0, 3), None);
        let place = place_of(Path::new("load/study.yaml"), &[], 0, 0).unwrap();
        assert!(place.file.ends_with("load/study.yaml") && place.line == 1, "{place:?}");
    }
}
