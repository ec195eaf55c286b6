//! All run folders under a folder, at any depth, each read as far as a history of requirements needs it: `run.json` and
//! the recorded judgement. Tables are opened only for a run that was never judged.

use crate::commands::report::{Shown, judged};
use crate::exit::Failed;
use crate::opened;
use crate::run_list::{is_being_written, is_run, json, plain, plain_to};
use contract::read_text_file;
use judge::RequirementResult;
use judge::archive::{Archive, ArchivedRun, Conditions, Measured, Measures, vars_of};
use record::{Head, RUN_SCHEMA};
use serde::Deserialize;
use serde::de::IgnoredAny;
use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use terms::{Severity, Validity, Verdict};

/// Longest effective study that is read.
const STUDY_BYTES_MAX: u64 = 4 * 1024 * 1024;
/// Most run folders that are read: those whose names sort last, which are the newest where runs are named by their time.
const FOLDERS_MAX: usize = 10_000;
/// Most folders that are looked into.
const LOOKED_MAX: usize = 200_000;
/// Deepest folder that is looked into.
const DEPTH_MAX: usize = 16;
/// Most verdicts of one run, as many as a study may ask for.
const VERDICTS_MAX: usize = 20_000;
/// Longest rule, in characters: what a study may have in bytes.
const RULE_MAX: usize = 4_096;
/// Most verdicts of all runs, some hundred bytes each.
const ALL_VERDICTS_MAX: usize = 1_000_000;

/// The part of `result.json` that a history needs.
#[derive(Deserialize)]
struct ResultFile {
    schema: String,
    run: RunPart,
    validity: ValidityPart,
    requirements: Vec<RequirementPart>,
}

#[derive(Deserialize)]
struct RunPart {
    id: String,
    trial: Option<IgnoredAny>,
}

#[derive(Deserialize)]
struct ValidityPart {
    state: String,
}

#[derive(Deserialize)]
struct RequirementPart {
    id: String,
    scope: String,
    rule: String,
    severity: String,
    verdict: String,
    /// Earlier versions do not say it, and count every member.
    #[serde(default = "decides")]
    decides: bool,
    value: Option<f64>,
    limit: Option<f64>,
    unit: String,
    reason_code: String,
}

fn decides() -> bool {
    true
}

/// What lies under a folder.
#[derive(Default)]
pub(crate) struct Found {
    /// Title of each study with its runs; the key is in lower case.
    pub(crate) studies: BTreeMap<String, (String, Archive)>,
    /// Folders that cannot be read, with the reason.
    pub(crate) left_out: Vec<(String, String)>,
    /// Folders beyond a limit.
    pub(crate) not_read: usize,
}

/// Reads all runs under a folder; of one study alone where that is asked.
pub(crate) fn read(folder: &Path, study: Option<&str>) -> Result<Found, Failed> {
    if is_run(folder) {
        return Err(Failed::because(format!(
            "`{0}` is a run folder itself, and one run has no history; name the folder that contains it",
            folder.display()
        )));
    }
    let (folders, mut not_read) = run_folders(folder)
        .map_err(|error| Failed::because(format!("the folder `{}` cannot be read: {error}", folder.display())))?;
    let mut found = Found::default();
    let wanted = study.map(str::to_lowercase);
    let mut verdicts = 0;
    // Newest first, so that a limit leaves the oldest out.
    for path in folders.iter().rev() {
        if verdicts >= ALL_VERDICTS_MAX {
            not_read += 1;
            continue;
        }
        let shown = plain(&path.to_string_lossy());
        match run(path, &shown, wanted.as_deref()) {
            Ok(None) => {}
            Ok(Some((title, run, conditions))) => {
                verdicts += run.requirements.len();
                let (_, archive) = found.studies.entry(title.to_lowercase()).or_insert((title, Archive::default()));
                if let Err(same) = archive.add(run, conditions) {
                    found.left_out.push((shown, format!("it is the same run as `{same}`")));
                }
            }
            Err(reason) => found.left_out.push((shown, reason)),
        }
    }
    found.left_out.reverse();
    found.not_read = not_read;
    Ok(found)
}

/// Run folders by name, and how many there are besides. Nothing within a run folder is looked into.
fn run_folders(folder: &Path) -> std::io::Result<(Vec<PathBuf>, usize)> {
    let mut open = vec![(folder.to_owned(), 0)];
    // Links may lead back up.
    let mut seen = BTreeSet::new();
    let mut runs = Vec::new();
    let mut not_read = 0;
    while let Some((folder, depth)) = open.pop() {
        let entries = match std::fs::read_dir(&folder) {
            Ok(entries) => entries,
            Err(error) if depth == 0 => return Err(error),
            // One folder that nobody may read must not hide all others; it is not a run that is known of.
            Err(_) => continue,
        };
        for path in entries.filter_map(|entry| Some(entry.ok()?.path())) {
            let Ok(about) = path.metadata() else { continue };
            if !about.is_dir() || !seen.insert((about.dev(), about.ino())) {
                continue;
            }
            if is_run(&path) {
                runs.push(path);
            } else if depth < DEPTH_MAX && seen.len() < LOOKED_MAX {
                open.push((path, depth + 1));
            } else {
                not_read += 1;
            }
        }
    }
    runs.sort_by(|a, b| (a.file_name(), a).cmp(&(b.file_name(), b)));
    let more = runs.len().saturating_sub(FOLDERS_MAX);
    runs.drain(..more);
    Ok((runs, not_read + more))
}

/// A run with the title of its study and its conditions; `None` for one of another study than the wanted. The error says
/// why it cannot be used.
fn run(path: &Path, shown: &str, wanted: Option<&str>) -> Result<Option<(String, ArchivedRun, Conditions)>, String> {
    if is_being_written(path) {
        return Err("it is still running".to_owned());
    }
    let mut head = json::<Head>(path, "evidence/run.json", RUN_SCHEMA, |head| &head.schema)?;
    let title = plain(&head.study);
    if wanted.is_some_and(|wanted| wanted != title.to_lowercase()) {
        return Ok(None);
    }
    opened::fill_in(&mut head);
    let (is_invalid, requirements) = match path.join("result.json").symlink_metadata() {
        Ok(_) => recorded(path, &head)?,
        Err(_) => judged_anew(path)?,
    };
    let run = ArchivedRun {
        id: plain(&head.id),
        folder: shown.to_owned(),
        started: plain(&head.started),
        is_trial: head.trial.is_some(),
        is_invalid,
        requirements,
    };
    Ok(Some((title, run, Conditions::of(&head))))
}

/// Validity and verdicts of `result.json`.
fn recorded(path: &Path, head: &Head) -> Result<(bool, Vec<Measured>), String> {
    let file = json::<ResultFile>(path, "result.json", report::SCHEMA, |file| &file.schema)?;
    if file.run.id != head.id || file.run.trial.is_some() != head.trial.is_some() {
        return Err(format!("`result.json` is of another run, `{}`", plain(&file.run.id)));
    }
    let unknown = |what: &str, word: &str| plain(&format!("`result.json` has an unknown {what}, `{word}`"));
    let state = &file.validity.state;
    let validity = Validity::from_name(state).ok_or_else(|| unknown("validity", state))?;
    let verdicts = file.requirements.len();
    if verdicts > VERDICTS_MAX {
        return Err(format!("`result.json` has {verdicts} verdicts; a history reads {VERDICTS_MAX} of a run at most"));
    }
    let vars = vars(path);
    let measured = |part: RequirementPart| {
        Ok(Measured {
            measures: Measures::of(&plain_to(&part.rule, RULE_MAX), &vars),
            severity: Severity::from_name(&part.severity).ok_or_else(|| unknown("severity", &part.severity))?,
            verdict: Verdict::from_name(&part.verdict).ok_or_else(|| unknown("verdict", &part.verdict))?,
            decides: part.decides,
            requirement: plain(&part.id),
            scope: plain(&part.scope),
            rule: plain_to(&part.rule, RULE_MAX),
            value: part.value,
            limit: part.limit,
            unit: plain(&part.unit),
            reason: plain(&part.reason_code),
        })
    };
    let requirements = file.requirements.into_iter().map(measured).collect::<Result<_, String>>()?;
    Ok((validity == Validity::Invalid, requirements))
}

/// The variables that the run's study had; none where it is gone.
fn vars(path: &Path) -> Vec<(String, String)> {
    let text = read_text_file(&path.join("evidence/study.yaml"), STUDY_BYTES_MAX);
    vars_of(&text.unwrap_or_default()).into_iter().map(|(name, value)| (plain(&name), plain(&value))).collect()
}

/// The same of a run without `result.json`. Nothing is written.
fn judged_anew(path: &Path) -> Result<(bool, Vec<Measured>), String> {
    let judged = judged(path, None, Shown::Announced).map_err(|failed| plain(&failed.text()))?;
    let judgement = judged.judgement();
    let vars = vars(path);
    let deciding = judge::deciding(&judgement.requirements, Some(judged.study()));
    let deciding: HashSet<*const RequirementResult> = deciding.into_iter().map(std::ptr::from_ref).collect();
    let measured = |result: &RequirementResult| Measured {
        measures: Measures::of(&plain_to(&result.rule, RULE_MAX), &vars),
        requirement: plain(&result.id),
        scope: plain(&result.scope),
        rule: plain_to(&result.rule, RULE_MAX),
        severity: result.severity,
        verdict: result.verdict,
        decides: deciding.contains(&std::ptr::from_ref(result)),
        value: result.value,
        limit: result.limit,
        unit: result.unit.clone(),
        reason: result.reason.code.clone(),
    };
    let requirements = judgement.requirements.iter().take(VERDICTS_MAX).map(measured).collect();
    Ok((judgement.validity == Validity::Invalid, requirements))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    /// `result.json` of an earlier version does not say which members decide: then each does.
    #[test]
    fn which_member_decides_is_read_from_the_result() {
        let folder = tempfile::tempdir().unwrap();
        let member = |scope: &str| {
            json!({ "id": "either", "scope": scope, "rule": "p95(x.response) < 1s", "severity": "must",
                "verdict": "not_met", "value": 2.0, "limit": 1.0, "unit": "s", "reason_code": "interval_outside" })
        };
        let mut members = ["s/hold/a", "s/hold/b", "s/hold/c"].map(member);
        members[0]["decides"] = true.into();
        members[1]["decides"] = false.into();
        let result = json!({ "schema": report::SCHEMA, "run": { "id": "one" }, "validity": { "state": "valid" },
            "requirements": members });
        std::fs::write(folder.path().join("result.json"), result.to_string()).unwrap();
        let (_, read) = recorded(folder.path(), &Head { id: "one".into(), ..Head::default() }).unwrap();
        assert_eq!(read.iter().map(|member| member.decides).collect::<Vec<_>>(), [true, false, true]);
    }
}
