//! Signs of a run that another tool made: what its files cannot tell is said, never passed over.

use super::limits;
use super::thresholds::Pair;
use super::{measured, plain};
use crate::{Arg, Scope, Sign, WireValidity};
use record::{ImportHead, ImportedFile, Placed};

/// That it was imported; how many lines could not be read; what has no clock of its own.
pub(super) fn signs(imported: &ImportHead) -> Vec<Sign> {
    let run = Scope::run();
    let tool = Arg::Text(imported.tool.clone());
    let mut signs = vec![plain("imported", &run, WireValidity::Questionable, [("tool", tool)])];
    let sum = |of: fn(&ImportedFile) -> u64| imported.files.iter().fold(0u64, |sum, file| sum.saturating_add(of(file)));
    let (read, unreadable) = (sum(|file| file.read), sum(|file| file.unreadable));
    let share = unreadable as f64 / (read.saturating_add(unreadable)).max(1) as f64;
    let limits = Pair { questionable: limits::UNREADABLE_QUESTIONABLE, invalid: limits::UNREADABLE_INVALID };
    let mut sign = measured("unreadable", &run, share, limits, Arg::Share);
    sign.args.insert("count".into(), Arg::Count(unreadable as f64));
    signs.push(sign);
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

#[cfg(test)]
mod tests {
    use super::*;

    fn states(read: u64, unreadable: u64, placed: Placed) -> Vec<(String, WireValidity)> {
        let file = ImportedFile { read, unreadable, placed, ..ImportedFile::default() };
        let imported = ImportHead { files: vec![file], ..ImportHead::default() };
        signs(&imported).into_iter().map(|sign| (sign.code, sign.state)).collect()
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
}
