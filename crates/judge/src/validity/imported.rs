//! Signs of a run that another tool made: what its files cannot tell is stated, never passed over.

use super::limits;
use super::thresholds::Pair;
use super::{measured, plain};
use crate::{Arg, Scope, Sign, WireValidity};
use record::{Broken, ImportHead, ImportedFile, Placed};
use std::collections::BTreeSet;

/// That it was imported; how many lines could not be read; what has no clock of its own.
pub(super) fn signs(imported: &ImportHead) -> Vec<Sign> {
    let run = Scope::run();
    let tool = Arg::Text(imported.tool.clone());
    let mut signs = vec![plain("imported", &run, WireValidity::Questionable, [("tool", tool)])];
    signs.extend(unreadable(imported));
    signs.extend(broken(imported));
    if imported.unknown.iter().any(|what| what == "failures") {
        let tool = Arg::Text(imported.tool.clone());
        signs.push(plain("failures_unknown", &run, WireValidity::Questionable, [("tool", tool)]));
    }
    // What nothing places is not among the samples at all.
    let is_placed = |file: &&ImportedFile| file.placed.is_approximate() && file.placed != Placed::WholeRun;
    let placed = imported.files.iter().filter(is_placed);
    let names: Vec<&str> = placed.map(|file| file.name.as_str()).collect();
    if !names.is_empty() {
        let files = Arg::Text(names.join(", "));
        signs.push(plain("approximate", &run, WireValidity::Questionable, [("files", files)]));
    }
    signs
}

/// Whether the rest of a file of calls is missing: how much that is nobody knows, so no share of lines tells it.
fn broken(imported: &ImportHead) -> Option<Sign> {
    let has_calls = |file: &&ImportedFile| file.monitor.is_empty() && file.kind != SUMMARY;
    let of = |wanted: Broken| imported.files.iter().filter(has_calls).find(|file| file.broken == Some(wanted));
    let (file, state) = match (of(Broken::Damaged), of(Broken::Cut)) {
        (Some(file), _) => (file, WireValidity::Invalid),
        (None, Some(file)) => (file, WireValidity::Questionable),
        (None, None) => return None,
    };
    Some(plain("broken_off", &Scope::run(), state, [("file", Arg::Text(file.name.clone()))]))
}

/// Of each kind of what is judged, the file of which the greatest share could not be read. Damage to one says nothing of
/// what rests on others, and lines of one do not dilute another's.
fn unreadable(imported: &ImportHead) -> Vec<Sign> {
    let all = imported.files.iter().fold(0u64, |sum, file| sum.saturating_add(file.read));
    let share = |file: &ImportedFile| {
        // An archive that breaks off has lost what came behind it, of all that it holds.
        let read = if file.kind == ARCHIVE { all } else { file.read };
        file.unreadable as f64 / read.saturating_add(file.unreadable).max(1) as f64
    };
    let worst = |of: &dyn Fn(&&ImportedFile) -> bool| {
        imported.files.iter().filter(of).max_by(|a, b| share(a).total_cmp(&share(b)))
    };
    let sign = |code: &str, scope: &Scope, file: &ImportedFile| {
        let limits = Pair { questionable: limits::UNREADABLE_QUESTIONABLE, invalid: limits::UNREADABLE_INVALID };
        let mut sign = measured(code, scope, share(file), limits, Arg::Share);
        sign.args.insert("count".into(), Arg::Count(file.unreadable as f64));
        sign.args.insert("file".into(), Arg::Text(file.name.clone()));
        sign
    };
    let calls = worst(&|file| file.monitor.is_empty() && file.kind != SUMMARY && file.left_out.is_empty());
    let mut signs: Vec<Sign> = calls.map(|file| sign("unreadable", &Scope::run(), file)).into_iter().collect();
    let monitors: BTreeSet<&str> = imported.files.iter().map(|file| file.monitor.as_str()).collect();
    for monitor in monitors.into_iter().filter(|monitor| !monitor.is_empty()) {
        let Some(file) = worst(&|file| file.monitor == monitor).filter(|file| file.unreadable > 0) else { continue };
        let mut sign = sign("unreadable_samples", &Scope::named(monitor), file);
        // The load is as good as it was: only what was asked of this monitor is not.
        sign.state = sign.state.min(WireValidity::Questionable);
        sign.invalid = None;
        sign.args.insert("monitor".into(), Arg::Text(monitor.to_owned()));
        signs.push(sign);
    }
    signs
}

/// Kinds of files that hold neither calls nor samples of their own.
const ARCHIVE: &str = "archive";
const SUMMARY: &str = "summary";

#[cfg(test)]
mod tests {
    use super::*;

    fn states(read: u64, unreadable: u64, placed: Placed) -> Vec<(String, WireValidity)> {
        let file = ImportedFile { read, unreadable, placed, ..ImportedFile::default() };
        let imported = ImportHead { files: vec![file], ..ImportHead::default() };
        signs(&imported).into_iter().map(|sign| (sign.code, sign.state)).collect()
    }

    /// The last of five thousand lines is one in five thousand, and half of the calls may be missing behind it.
    #[test]
    fn a_file_that_breaks_off_is_not_measured_by_its_lines() {
        let state = |broken: Option<Broken>, monitor: &str| {
            let file =
                ImportedFile { read: 5000, unreadable: 1, broken, monitor: monitor.into(), ..ImportedFile::default() };
            let imported = ImportHead { files: vec![file], ..ImportHead::default() };
            signs(&imported).into_iter().find(|sign| sign.code == "broken_off").map(|sign| sign.state)
        };
        assert_eq!(state(None, ""), None);
        assert_eq!(state(Some(Broken::Cut), ""), Some(WireValidity::Questionable));
        assert_eq!(state(Some(Broken::Damaged), ""), Some(WireValidity::Invalid));
        assert_eq!(state(Some(Broken::Damaged), "host"), None, "calls do not rest on it");
    }

    #[test]
    fn an_imported_run_is_never_valid_in_silence() {
        let own = ("imported".to_owned(), WireValidity::Questionable);
        let of = |state| ("unreadable".to_owned(), state);
        assert_eq!(states(1000, 0, Placed::Clock), [own.clone(), of(WireValidity::Valid)]);
        assert_eq!(states(999, 1, Placed::Clock), [own.clone(), of(WireValidity::Valid)], "one in a thousand");
        assert_eq!(states(499, 1, Placed::Clock)[1], of(WireValidity::Questionable));
        assert_eq!(states(49, 1, Placed::Clock)[1], of(WireValidity::Invalid));
        assert_eq!(states(u64::MAX, u64::MAX, Placed::Clock)[1], of(WireValidity::Invalid));
        assert_eq!(states(1, 0, Placed::Fitted)[2].0, "approximate");
        assert_eq!(states(1, 0, Placed::WholeRun).len(), 2, "it has no samples that could be off");
    }

    #[test]
    fn damage_is_weighed_against_the_file_that_has_it() {
        let file = |name: &str, monitor: &str, read, unreadable| ImportedFile {
            name: name.into(),
            monitor: monitor.into(),
            read,
            unreadable,
            ..ImportedFile::default()
        };
        let of = |files: &[ImportedFile]| {
            let signs = signs(&ImportHead { files: files.to_vec(), ..ImportHead::default() });
            signs.into_iter().skip(1).map(|sign| (sign.code, sign.scope.to_string(), sign.state)).collect::<Vec<_>>()
        };
        let calls = |state| ("unreadable".to_owned(), "run".to_owned(), state);
        let host = |state| ("unreadable_samples".to_owned(), "host".to_owned(), state);
        use WireValidity::{Invalid, Questionable, Valid};
        // Half of the samples, and as nothing beside the calls.
        let many = [file("a.jtl", "", 60_000, 0), file("vmstat.log", "host", 50, 49)];
        assert_eq!(of(&many), [calls(Valid), host(Questionable)]);
        // And the other way round, of which the monitor that has a good file knows nothing.
        let bad = [file("a.jtl", "", 10, 1), file("vmstat.log", "host", 60_000, 0)];
        assert_eq!(of(&bad), [calls(Invalid)]);
        let two = [file("a.jtl", "", 60_000, 0), file("b.jtl", "", 499, 1)];
        assert_eq!(of(&two), [calls(Questionable)]);
    }

    #[test]
    fn a_tool_that_tells_no_failures_is_told_of() {
        let imported = ImportHead { unknown: vec!["failures".into()], ..ImportHead::default() };
        let codes: Vec<String> = signs(&imported).into_iter().map(|sign| sign.code).collect();
        assert_eq!(codes, ["imported", "failures_unknown"]);
    }
}
