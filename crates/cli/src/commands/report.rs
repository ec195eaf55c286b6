//! `loadproof report`: the report of a recorded run, and the end of every run.

use crate::ci::Ci;
use crate::ending_screen;
use crate::exit::{Exit, Failed};
use crate::opened::{folder_of, open};
use crate::options::ReportOptions;
use crate::output::{self, say};
use crate::registry::registry;
use judge::searches::SearchResult;
use judge::views::Views;
use judge::{Evidence, Judgement};
use record::{RecordError, Run};
use report::EvidenceState;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use study::{Options, Rejected, SecretSource, Study};

/// A run with all that was reported about it.
pub(crate) struct Judged {
    run: Run,
    study: Study,
    views: Views,
    judgement: Judgement,
    state: EvidenceState,
}

impl Judged {
    pub(crate) fn input(&self) -> report::Input<'_> {
        report::Input {
            head: &self.run.head,
            study: Some(&self.study),
            views: &self.views,
            judgement: &self.judgement,
            state: self.state.clone(),
            plugins: registry(),
        }
    }

    /// Id of the run.
    pub(crate) fn id(&self) -> &str {
        &self.run.head.id
    }

    /// The study that it was judged by.
    pub(crate) fn study(&self) -> &Study {
        &self.study
    }

    pub(crate) fn judgement(&self) -> &Judgement {
        &self.judgement
    }

    pub(crate) fn searches(&self) -> &[SearchResult] {
        &self.judgement.searches
    }

    pub(crate) fn exit(&self) -> Exit {
        match self.judgement.exit_code(&self.study) {
            0 => Exit::Met,
            1 => Exit::NotMet,
            _ => Exit::CannotTell,
        }
    }
}

/// What is produced from a judged run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Shown {
    /// Figures and verdicts.
    Announced,
    /// Those, and charts.
    Drawn,
}

/// Reads and judges a run, by its own study or by another.
pub(crate) fn judged(folder: &Path, other: Option<Study>, shown: Shown) -> Result<Judged, Failed> {
    judged_as_it_is(open(folder)?, other, shown)
}

/// Judges what there is of a run, which may still go on: then as if it had been killed.
pub(crate) fn judged_as_it_is(run: Run, other: Option<Study>, shown: Shown) -> Result<Judged, Failed> {
    let folder = &run.path.clone();
    let study = match other {
        Some(study) => study,
        None => own_study(&run)?,
    };
    let evidence = Evidence::read(&run)?;
    let baselines = crate::opened::baselines(&study, folder);
    let (views, judgement) = match shown {
        Shown::Drawn => judge::judge_and_draw(&evidence, &study, &baselines),
        Shown::Announced => (Views::without_series(&evidence), judge::judge_beside(&evidence, &study, &baselines)),
    };
    evidence.rows.check()?;
    let damage = run.damage.iter().chain(&evidence.left_out).cloned().collect();
    let state = EvidenceState { was_killed: evidence.was_killed, altered: evidence.altered.clone(), damage };
    Ok(Judged { run, study, views, judgement, state })
}

/// The study as it was run, from the run's own copy of it.
pub(crate) fn own_study(run: &Run) -> Result<Study, Failed> {
    let loading = Options { set: Vec::new(), trial: None, secrets: SecretSource::Ignore };
    let loaded = study::load_text("study.yaml", &run.study()?, Path::new("."), &registry(), &loading);
    loaded.map(|(study, ..)| study).map_err(|rejected| {
        let Rejected { files, mistakes } = &rejected;
        let first = mistakes.0.first().map(|mistake| study::show("in it", mistake, files)).unwrap_or_default();
        Failed::because(format!(
            "the run's own copy of its study, `{}`, cannot be read: it is damaged, or of another version of loadproof. \
             Restore it from a copy, or judge by a study that you have with `loadproof judge RUN --study STUDY`\n{first}",
            run.path.join("evidence/study.yaml").display(),
        ))
    })
}

/// Judges a finished run, writes its report, shows its verdicts, tells the build server. `tell` hears of them beside, with
/// what was written.
pub(crate) fn conclude(
    folder: &Path,
    json: bool,
    ci: &mut Ci,
    tell: impl FnOnce(&Judged, &[PathBuf]),
) -> Result<Exit, Failed> {
    let judged = judged(folder, None, Shown::Drawn)?;
    let asked = &judged.study.report;
    let mut formats = asked.formats.clone();
    for always in ["html", "json", "csv"].iter().chain(ci.formats()) {
        if !formats.iter().any(|format| format == always) {
            formats.push((*always).to_owned());
        }
    }
    // Before anything is written: a full disk takes files, not the verdicts.
    if json {
        output::data(&report::result_json(&judged.input()));
    }
    ending_screen::show(&judged.input());
    let mut written = Vec::new();
    for language in &asked.languages {
        let files = report_files(&judged, folder, &formats, language, false).map_err(|error| {
            let again = format!(
                "the run itself is complete: free some space, then run `loadproof report {}`",
                folder.display()
            );
            Failed::invalid(anyhow::anyhow!("{:#}\n{again}", anyhow::Error::from(error)))
        })?;
        written.extend(files);
    }
    tell(&judged, &written);
    let pages = written.iter().filter(|path| path.extension().is_some_and(|extension| extension == "html"));
    for page in pages {
        say!("\nreport: {}", page.display());
    }
    let language = asked.languages.first().map_or("en", String::as_str);
    ci.tell(&judged.input(), language, (folder, folder), &written);
    Ok(judged.exit())
}

fn report_files(
    judged: &Judged,
    folder: &Path,
    formats: &[String],
    language: &str,
    is_strict: bool,
) -> Result<Vec<PathBuf>, report::ReportError> {
    let (pages, papers): (Vec<&str>, Vec<&str>) =
        formats.iter().map(String::as_str).partition(|format| report::FORMATS.contains(format));
    let wanted = report::WriteOptions { formats: &pages, language, is_strict };
    let mut written = report::write(&judged.input(), folder, &wanted)?;
    if !papers.is_empty() {
        let document = report::document(&judged.input(), language);
        let suffix = if document.language == "en" { String::new() } else { format!(".{}", document.language) };
        for format in papers {
            let path = folder.join(format!("report{suffix}.{format}"));
            paper(&document, format)
                .and_then(|bytes| record::replace_file(&path, &bytes))
                .map_err(|source| report::ReportError::Write { path: path.clone(), source })?;
            written.push(path);
        }
    }
    Ok(written)
}

/// A document on paper, as bytes.
#[cfg(feature = "paper")]
fn paper(document: &report::document::Document, format: &str) -> std::io::Result<Vec<u8>> {
    match format {
        "pdf" => report_pdf::pdf(document).map_err(std::io::Error::other),
        _ => Ok(report_docx::docx(document)),
    }
}

#[cfg(not(feature = "paper"))]
fn paper(_: &report::document::Document, format: &str) -> std::io::Result<Vec<u8>> {
    Err(std::io::Error::other(without_paper(format)))
}

/// Whether this build writes a format.
fn is_written(format: &str) -> bool {
    cfg!(feature = "paper") || !study::PAPERS.contains(&format)
}

/// What a build without documents on paper says of them.
fn without_paper(format: &str) -> String {
    format!(
        "this loadproof was built without `{format}`, as `make demo` does it; type `cargo build --release -p cli`, and then \
         `loadproof report RUN --format {format}`"
    )
}

/// `loadproof report`
pub(crate) fn report(options: &ReportOptions) -> Result<Exit, Failed> {
    // Before anything is sealed or judged: what cannot be written is known now.
    options.out.as_deref().map_or(Ok(()), record::check_outside_evidence)?;
    if let Some(format) = options.formats.iter().find(|format| !is_written(format)) {
        return Err(Failed::because(without_paper(format)));
    }
    let profile = options.profile.as_deref().map(chosen_profile).transpose()?;
    let mut ci = Ci::of(&options.ci)?;
    let mut formats = options.formats.clone();
    formats.extend(ci.formats().iter().map(|format| (*format).to_owned()));
    let folder_of_run = &folder_of(&options.run)?;
    let run = open(folder_of_run)?;
    if is_collectable(&run) {
        say!(
            "warning: this run was killed, and the NATS server may keep what its load nodes recorded since then: `loadproof \
             collect {0}` brings it. What the folder itself holds is reported without a seal",
            folder_of_run.display()
        );
    } else if !run.is_sealed() {
        seal(folder_of_run)?;
    }
    let mut judged = judged(folder_of_run, None, Shown::Drawn)?;
    if let Some(profile) = profile {
        judged.study.report.choose(profile);
    }
    let folder = out_folder(options.out.as_deref(), folder_of_run)?;
    match report_files(&judged, folder, &formats, &options.language, options.is_strict) {
        Ok(written) => {
            summary(folder, &written).iter().for_each(|line| say!("wrote {line}"));
            ci.tell(&judged.input(), &options.language, (folder_of_run, folder), &written);
        }
        Err(error) if options.out.is_some() => return Err(Failed::wrong(error)),
        // What was found out is stated all the same.
        Err(error) => {
            ending_screen::show(&judged.input());
            let error = anyhow::Error::from(error);
            return Err(Failed::invalid(anyhow::anyhow!("{error:#}; write the report elsewhere with `--out DIR`")));
        }
    }
    Ok(judged.exit())
}

/// Longest file of a profile that is read.
const PROFILE_MAX: u64 = 1 << 20;

/// A profile by its name, or from a file.
fn chosen_profile(name: &str) -> Result<study::ReportProfile, Failed> {
    if let Some(known) = report::built_in_profile(name) {
        return Ok(known);
    }
    let is_file = name.ends_with(".yaml") || name.ends_with(".yml");
    if !is_file {
        let names: Vec<&str> = report::profile_names().collect();
        let (names, hint) = (names.join(", "), contract::suggestion(name, report::profile_names()));
        let hint = hint.map(|near| format!("; did you mean `{near}`?")).unwrap_or_default();
        return Err(Failed::because(format!(
            "no profile is called `{name}`{hint}\npossible: {names}, or a YAML file with a profile of your own"
        )));
    }
    let text = contract::read_text_file(Path::new(name), PROFILE_MAX)
        .map_err(|error| Failed::because(format!("the profile `{name}` cannot be read: {error}")))?;
    study::profile_from_text(name, &text, report::BLOCKS)
        .map_err(|mistakes| Failed::because(format!("the profile `{name}` cannot be used\n{}", mistakes.join("\n"))))
}

/// The folder that derived files go to: the run's own, or another, which is made.
pub(crate) fn out_folder<'a>(out: Option<&'a Path>, run: &'a Path) -> Result<&'a Path, Failed> {
    let Some(out) = out else { return Ok(run) };
    record::check_outside_evidence(out)?;
    std::fs::create_dir_all(out)
        .map_err(|error| Failed::because(format!("the folder `{}` cannot be created: {error}", out.display())))?;
    Ok(out)
}

/// Whether load nodes on other machines may have recorded more than the folder holds: a seal would shut that out.
fn is_collectable(run: &Run) -> bool {
    let is_killed = run.head.ending.as_ref().is_some_and(|ending| ending.is_killed);
    !run.is_sealed() && is_killed && run.head.meeting.is_some() && !run.head.nodes.is_empty()
}

/// Seals a run that was killed, before or during its own sealing, and reports what it did. A folder that cannot be
/// sealed can still be read.
fn seal(folder: &Path) -> Result<(), Failed> {
    let sealed = record::seal_killed(folder);
    match sealed.and_then(Run::open) {
        Ok(run) if run.head.ending.as_ref().is_some_and(|ending| ending.is_killed) => {
            say!("this run was killed; its evidence is now sealed, with what was measured up to then");
        }
        Ok(_) => say!("this run ended before its evidence was sealed; it is now sealed"),
        Err(error @ RecordError::StillRunning { .. }) => return Err(error.into()),
        Err(error @ RecordError::NotSealed { .. }) => say!("warning: {error}"),
        Err(error) => say!("warning: the evidence could not be sealed, and is read as it is: {error}"),
    }
    Ok(())
}

/// Documents by their names; tables and drawings, of which there are many, by the number in each folder.
fn summary(run: &Path, written: &[PathBuf]) -> Vec<String> {
    let mut lines = Vec::new();
    let mut folders = BTreeMap::<&Path, usize>::new();
    for path in written {
        match path.parent() {
            Some(folder) if folder != run => *folders.entry(folder).or_default() += 1,
            _ => lines.push(path.display().to_string()),
        }
    }
    lines.extend(folders.into_iter().map(|(folder, count)| {
        let is_table = folder.ends_with("tables");
        let word = match (is_table, count) {
            (true, 1) => "table",
            (true, _) => "tables",
            (false, 1) => "drawing",
            (false, _) => "drawings",
        };
        format!("{count} {word} in {}", folder.display())
    }));
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_and_drawings_are_counted_and_documents_named() {
        let run = Path::new("runs/x");
        let written = ["report.html", "tables/a.csv", "tables/b.csv", "result.json", "figures.nl/f.svg"];
        let written: Vec<PathBuf> = written.iter().map(|name| run.join(name)).collect();
        let expected =
            ["runs/x/report.html", "runs/x/result.json", "1 drawing in runs/x/figures.nl", "2 tables in runs/x/tables"];
        assert_eq!(summary(run, &written), expected);
    }
}
