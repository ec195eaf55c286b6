//! The runs below a folder, from `result.json` and `run.json` alone: a list of many runs opens no table of theirs.

use crate::exit::Failed;
use contract::{open_file, read_text_file};
use record::{Head, RUN_SCHEMA};
use report::{HoldFigures, JudgedRun, ListedRun, ListedState, Listing, SCHEMA, Slowest};
use serde::Deserialize;
use serde::de::{DeserializeOwned, IgnoredAny};
use std::collections::BTreeSet;
use std::ffi::{OsStr, OsString};
use std::fmt::Write as _;
use std::fs::TryLockError;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use terms::{EndReason, Phase, Validity, Verdict};

/// Largest file that is read of each run. A result of a thousand streams has a few megabytes.
const BYTES_MAX: u64 = 16 * 1024 * 1024;
/// Most folders that are read: those whose names sort last, which are the newest where runs are named by their time.
const FOLDERS_MAX: usize = 10_000;
/// Longest name or reason that is kept of a file.
const CHARS_MAX: usize = 200;
/// What the evidence of a run contains; one of them is enough for a folder to be a run.
const EVIDENCE: [&str; 3] = ["evidence/run.json", "evidence/study.yaml", "evidence/manifest.json"];
/// Held by the process that writes a run.
const LOCK: &str = "evidence/writing.lock";
/// Form of the beginning of a start, to the minute, where `0` is any digit.
const MINUTE: &str = "0000-00-00T00:00";
/// The same at the beginning of a folder's name.
const MINUTE_IN_NAME: &str = "0000-00-00T00-00-00Z";

/// The part of `result.json` that a list shows.
#[derive(Deserialize)]
struct ResultFile {
    schema: String,
    run: RunPart,
    validity: ValidityPart,
    scenarios: Vec<Scenario>,
    requirements: Vec<Requirement>,
}

#[derive(Deserialize)]
struct RunPart {
    started: String,
    study: String,
    end_reason: String,
    trial: Option<IgnoredAny>,
}

#[derive(Deserialize)]
struct ValidityPart {
    state: String,
}

#[derive(Deserialize)]
struct Requirement {
    verdict: String,
    /// Whether no other member makes up for it; earlier versions do not say.
    #[serde(default = "decides")]
    decides: bool,
}

fn decides() -> bool {
    true
}

#[derive(Deserialize)]
struct Scenario {
    id: String,
    steps: Vec<Step>,
}

#[derive(Deserialize)]
struct Step {
    id: String,
    part: Option<String>,
    phase: String,
    #[serde(default)]
    repetition: u32,
    achieved_per_s: Option<f64>,
    started: u64,
    failed: u64,
    exchanges: Vec<Exchange>,
}

#[derive(Deserialize)]
struct Exchange {
    id: String,
    legs: Vec<Leg>,
}

#[derive(Deserialize)]
struct Leg {
    id: String,
    outcome: String,
    response_ms: Option<Times>,
    service_ms: Option<Times>,
}

#[derive(Deserialize)]
struct Times {
    p95: Option<f64>,
    #[serde(default)]
    censored: Vec<String>,
}

/// The runs below a folder, newest first. Links are relative to that folder.
pub(crate) fn read(folder: &Path) -> Result<Listing, Failed> {
    if is_run(folder) {
        return Err(Failed::because(format!(
            "`{0}` is a run folder itself; name the folder that contains it, or open its report: `loadproof report {0}`",
            folder.display()
        )));
    }
    let (names, left_out) = names(folder, FOLDERS_MAX)
        .map_err(|error| Failed::because(format!("the folder `{}` cannot be read: {error}", folder.display())))?;
    let mut runs: Vec<ListedRun> = names.iter().filter_map(|name| listed(folder, name)).collect();
    runs.sort_by(|a, b| (&b.started, &b.folder).cmp(&(&a.started, &a.folder)));
    Ok(Listing { folder: plain(&folder.to_string_lossy()), runs, left_out })
}

/// Names of the folders that sort last, and how many there are besides.
fn names(folder: &Path, most: usize) -> std::io::Result<(BTreeSet<OsString>, usize)> {
    let mut names = BTreeSet::new();
    let mut left_out = 0;
    for entry in std::fs::read_dir(folder)? {
        let entry = entry?;
        // A link to a folder counts, so the entry's own type does not settle it.
        if !entry.path().is_dir() {
            continue;
        }
        names.insert(entry.file_name());
        if names.len() > most {
            names.pop_first();
            left_out += 1;
        }
    }
    Ok((names, left_out))
}

/// Whether a folder has anything of the evidence of a run.
pub(crate) fn is_run(path: &Path) -> bool {
    EVIDENCE.iter().any(|file| path.join(file).symlink_metadata().is_ok())
}

/// One folder as a line of the list; `None` where it is not a run folder.
fn listed(folder: &Path, name: &OsStr) -> Option<ListedRun> {
    let path = folder.join(name);
    let has_result = path.join("result.json").symlink_metadata().is_ok();
    let result = has_result.then(|| json::<ResultFile>(&path, "result.json", SCHEMA, |file| &file.schema));
    if !is_run(&path) && !matches!(result, Some(Ok(_))) {
        return None;
    }
    let shown = plain(&name.to_string_lossy());
    let mut run = ListedRun {
        started: time_in_name(&shown),
        folder: shown,
        link: path.join("report.html").is_file().then(|| format!("{}/report.html", encoded(name))),
        study: None,
        is_trial: false,
        state: ListedState::Running,
    };
    let is_running = is_being_written(&path);
    match result {
        Some(Ok(file)) if !is_running => match judged(&file) {
            Ok(judged) => {
                describe(&mut run, &file.run.study, &file.run.started, file.run.trial.is_some());
                run.state = ListedState::Judged(judged);
                return Some(run);
            }
            Err(reason) => run.state = ListedState::Damaged { reason },
        },
        Some(Err(reason)) if !is_running => run.state = ListedState::Damaged { reason },
        _ if is_running => {}
        _ => run.state = ListedState::NotJudged { command: format!("loadproof report {}", quoted(&path)) },
    }
    match json::<Head>(&path, "evidence/run.json", RUN_SCHEMA, |head| &head.schema) {
        Ok(head) => describe(&mut run, &head.study, &head.started, head.trial.is_some()),
        // A run that has just begun may not have written it yet.
        Err(reason) if !is_running => run.state = ListedState::Damaged { reason },
        Err(_) => {}
    }
    Some(run)
}

fn describe(run: &mut ListedRun, study: &str, started: &str, is_trial: bool) {
    run.study = Some(plain(study));
    if has_form(started, MINUTE) {
        run.started = Some(plain(started));
    }
    run.is_trial = is_trial;
}

/// Reads one of our files, whose schema must be the one that this version writes.
pub(crate) fn json<T: DeserializeOwned>(
    path: &Path,
    name: &str,
    schema: &str,
    of: fn(&T) -> &String,
) -> Result<T, String> {
    let text = read_text_file(&path.join(name), BYTES_MAX).map_err(|why| plain(&format!("`{name}` {why}")))?;
    let file: T =
        serde_json::from_str(&text).map_err(|error| plain(&format!("`{name}` cannot be understood: {error}")))?;
    if of(&file) != schema {
        return Err(plain(&format!("`{name}` has the schema `{}`, not `{schema}`", of(&file))));
    }
    Ok(file)
}

/// Whether a process writes the run. The lock is shared, so that those who ask do not take each other for writers.
pub(crate) fn is_being_written(path: &Path) -> bool {
    open_file(&path.join(LOCK)).is_ok_and(|lock| matches!(lock.try_lock_shared(), Err(TryLockError::WouldBlock)))
}

fn judged(file: &ResultFile) -> Result<JudgedRun, String> {
    let unknown = |what: &str, word: &str| plain(&format!("`result.json` has an unknown {what}, `{word}`"));
    let mut verdicts = [(Verdict::Met, 0), (Verdict::NotMet, 0), (Verdict::CannotTell, 0)];
    for requirement in file.requirements.iter().filter(|requirement| requirement.decides) {
        let verdict = verdicts.iter_mut().find(|(verdict, _)| verdict.name() == requirement.verdict);
        verdict.ok_or_else(|| unknown("verdict", &requirement.verdict))?.1 += 1;
    }
    let (state, end) = (&file.validity.state, &file.run.end_reason);
    Ok(JudgedRun {
        validity: Validity::from_name(state).ok_or_else(|| unknown("validity", state))?,
        end: EndReason::from_name(end).ok_or_else(|| unknown("end reason", end))?,
        verdicts,
        hold: file.scenarios.iter().find_map(hold),
    })
}

/// The first hold of a scenario in which anything was sent, else its first such step; the parts of a mix together.
fn hold(scenario: &Scenario) -> Option<HoldFigures> {
    let mut sent = scenario.steps.iter().filter(|step| step.started > 0);
    let first = sent.clone().find(|step| step.phase == Phase::Hold.name()).or_else(|| sent.next())?;
    let steps: Vec<&Step> =
        scenario.steps.iter().filter(|step| step.id == first.id && step.repetition == first.repetition).collect();
    let rates: Option<Vec<f64>> = steps.iter().map(|step| step.achieved_per_s).collect();
    let slowest = steps.iter().flat_map(|step| slowest(step)).max_by(|a, b| a.p95_ms.total_cmp(&b.p95_ms));
    Some(HoldFigures {
        scenario: plain(&scenario.id),
        step: plain(&first.id),
        achieved_per_s: rates.map(|rates| rates.iter().sum()).filter(is_possible),
        slowest,
        failed: steps.iter().fold(0, |sum, step| sum.saturating_add(step.failed)),
    })
}

/// Each leg of a step with the p95 of its successful calls: of response times, of service times in a closed load.
fn slowest(step: &Step) -> impl Iterator<Item = Slowest> {
    let prefix = step.part.as_ref().map_or_else(String::new, |part| format!("{part}/"));
    step.exchanges.iter().flat_map(move |exchange| {
        let prefix = prefix.clone();
        let successful = exchange.legs.iter().filter(|leg| leg.outcome == "ok");
        successful.filter_map(move |leg| {
            let times = leg.response_ms.as_ref().or(leg.service_ms.as_ref())?;
            let later = if leg.id == "answer" { String::new() } else { format!("/{}", leg.id) };
            Some(Slowest {
                exchange: plain(&format!("{prefix}{}{later}", exchange.id)),
                p95_ms: times.p95.filter(is_possible)?,
                is_lower_bound: times.censored.iter().any(|name| name == "p95"),
            })
        })
    })
}

/// Whether a rate or a time in milliseconds can have been measured; others would fill the screen with digits.
fn is_possible(value: &f64) -> bool {
    (0.0..1e10).contains(value)
}

/// A text from a file as part of one line: bounded, without control characters.
pub(crate) fn plain(text: &str) -> String {
    plain_to(text, CHARS_MAX)
}

/// The same with a bound of its own.
pub(crate) fn plain_to(text: &str, most: usize) -> String {
    let mut chars = text.chars().map(|c| if c.is_control() { '\u{fffd}' } else { c });
    let mut plain: String = chars.by_ref().take(most).collect();
    if chars.next().is_some() {
        plain.push('…');
    }
    plain
}

/// `2026-11-21T10:00:00Z` from a folder that is named by its time.
fn time_in_name(name: &str) -> Option<String> {
    let time = name.get(..MINUTE_IN_NAME.len()).filter(|time| has_form(time, MINUTE_IN_NAME))?;
    let (date, time) = time.split_once('T')?;
    Some(format!("{date}T{}", time.replace('-', ":")))
}

fn has_form(text: &str, form: &str) -> bool {
    text.len() >= form.len()
        && text
            .bytes()
            .zip(form.bytes())
            .all(|(byte, form)| if form == b'0' { byte.is_ascii_digit() } else { byte == form })
}

/// A name as one segment of a relative address.
pub(crate) fn encoded(name: &OsStr) -> String {
    name.as_bytes().iter().fold(String::new(), |mut text, &byte| {
        if byte.is_ascii_alphanumeric() || b"-._~".contains(&byte) {
            text.push(char::from(byte));
        } else {
            let _ = write!(text, "%{byte:02X}");
        }
        text
    })
}

/// A path as a shell takes it for one word.
fn quoted(path: &Path) -> String {
    let path = path.to_string_lossy();
    let is_plain = |c: char| c.is_alphanumeric() || "/-._~:@%+=,".contains(c);
    if !path.starts_with(['-', '~']) && path.chars().all(is_plain) {
        return path.into_owned();
    }
    let dashed = if path.starts_with('-') { "./" } else { "" };
    format!("'{dashed}{}'", plain(&path).replace('\'', r"'\''"))
}

#[cfg(test)]
pub(crate) mod tests;
