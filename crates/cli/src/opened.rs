//! Recorded runs as commands read them: by folder, or by the id that a study names.

use crate::exit::Failed;
use crate::registry::registry;
use judge::Evidence;
use judge::comparison::{Baseline, Recorded};
use record::{Head, KnownKind, Run};
use std::path::{Path, PathBuf};
use study::{CompareSide, Study};

/// Folder in which run ids are looked for.
pub(crate) const RUNS: &str = "runs";

/// Most run ids that a message lists.
const LISTED_MAX: usize = 8;

/// A run folder by its path, or by its id in `runs`.
pub(crate) fn folder_of(run: &Path) -> Result<PathBuf, Failed> {
    if run.exists() {
        return Ok(run.to_owned());
    }
    let beside = Path::new(RUNS).join(run);
    if run.is_relative() && beside.is_dir() {
        return Ok(beside);
    }
    Err(Failed::because(format!(
        "`{}` is neither a run folder nor the id of a run in `{RUNS}`{}",
        run.display(),
        known_runs(Path::new(RUNS))
    )))
}

/// The recorded runs, newest last, or how to make one if there are none.
fn known_runs(runs: &Path) -> String {
    let mut names: Vec<String> = std::fs::read_dir(runs)
        .into_iter()
        .flatten()
        .filter_map(|entry| entry.ok()?.file_name().into_string().ok())
        .collect();
    names.sort();
    if names.is_empty() {
        return "; make one with `loadproof run STUDY`".to_owned();
    }
    let more = names.len().saturating_sub(LISTED_MAX);
    let shown = names[more..].iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ");
    if more > 0 { format!("; the newest are {shown}") } else { format!("; the runs are {shown}") }
}

/// Opens a run that has ended, for every command that reads one. While it goes on, its last second is missing for every
/// thread, and whatever is reported about it is about to change.
pub(crate) fn open(folder: &Path) -> Result<Run, Failed> {
    let mut run = Run::open(folder)?;
    run.check_ended()?;
    fill_in(&mut run.head);
    Ok(run)
}

/// Says what heads of earlier versions leave out.
pub(crate) fn fill_in(head: &mut Head) {
    head.fill_in(|name| {
        let plugin = |kind: &contract::MonitorKind| KnownKind {
            metrics: kind.metrics,
            has_named: kind.named.is_some(),
            facts: kind.facts,
            watches: Some(kind.watches),
        };
        // What watches the engine itself is in no list of plug-ins.
        let ours =
            || run::own_metrics(name).map(|metrics| KnownKind { metrics, has_named: false, facts: &[], watches: None });
        registry().monitor(name).map(plugin).or_else(ours)
    });
}

/// A run as it was read.
pub(crate) struct Opened {
    pub(crate) evidence: Evidence,
    pub(crate) study: String,
}

impl Opened {
    pub(crate) fn recorded(&self) -> Recorded<'_> {
        Recorded { evidence: &self.evidence, study: &self.study }
    }
}

/// Reads a run whose evidence is as it was sealed.
pub(crate) fn open_to_compare(path: &Path) -> Result<Opened, Failed> {
    let run = open(path)?;
    let evidence = Evidence::read(&run)?;
    if !evidence.altered.is_empty() {
        let files = evidence.altered.iter().map(|file| format!("`{file}`")).collect::<Vec<_>>().join(", ");
        return Err(Failed::because(format!(
            "the evidence of `{}` was changed after it was sealed: {files}; nothing can be proven with it. Take the run \
             from its archive again, or leave it out. `loadproof judge` still shows what it holds",
            path.display()
        )));
    }
    if evidence.steps.is_empty() {
        return Err(Failed::because(format!(
            "the run `{}` has no step that was run, so there is nothing to compare",
            path.display()
        )));
    }
    Ok(Opened { evidence, study: run.study().unwrap_or_default() })
}

/// The recorded runs that a study names as base, each looked for beside the run's own folder and in `runs`.
pub(crate) fn baselines(study: &Study, folder: &Path) -> Vec<Baseline> {
    let mut found: Vec<Baseline> = Vec::new();
    for compare in &study.compare {
        let CompareSide::Run(id) = &compare.base else { continue };
        if found.iter().all(|known| known.id != *id) {
            found.push(Baseline { id: id.clone(), found: baseline(id, folder) });
        }
    }
    found
}

fn baseline(id: &str, folder: &Path) -> Result<(Evidence, String), String> {
    let beside = folder.canonicalize().ok().and_then(|folder| Some(folder.parent()?.to_owned()));
    let places = [beside, Some(PathBuf::from(RUNS))];
    let path = places.into_iter().flatten().map(|place| place.join(id)).find(|path| path.is_dir());
    let path = path.ok_or_else(|| {
        format!(
            "no run with the id `{id}` lies beside this one or in `{RUNS}`; put it there, or name another under `compare`"
        )
    })?;
    let opened = open_to_compare(&path).map_err(|failed| failed.error.to_string())?;
    Ok((opened.evidence, opened.study))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_there_is_listed_and_what_is_not_can_be_made() {
        assert!(known_runs(Path::new("nowhere/at/all")).contains("loadproof run STUDY"));
        let missing = folder_of(Path::new("nowhere/at/all")).unwrap_err().text();
        assert!(missing.starts_with("`nowhere/at/all` is neither a run folder nor the id of a run in `runs`; "));
        let here = Path::new(env!("CARGO_MANIFEST_DIR"));
        assert_eq!(folder_of(here).ok().as_deref(), Some(here));
    }
}
