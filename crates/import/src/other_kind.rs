//! What a file is that was read as something else.

use crate::error::ImportError;
use crate::input::Input;
use crate::kind::{Kind, Source};
use crate::sniff::{self, Found};
use std::io::Read;
use std::path::Path;

/// Says what a file that was refused seems to be, where it begins like one of another kind.
pub(crate) fn named(error: ImportError, sources: &[Source]) -> ImportError {
    let ImportError::File { file, what } = error else { return error };
    let hint = sources.iter().find(|source| source.path == file).and_then(of).unwrap_or_default();
    ImportError::File { file, what: format!("{what}{hint}") }
}

/// The same of all files, none of which holds a call.
pub(crate) fn of_all(sources: &[Source]) -> String {
    sources.iter().find_map(of).unwrap_or_default()
}

/// What a file seems to be, by its name and how it begins; `None` where nothing tells, or it cannot be read.
pub fn kind_of(path: &Path) -> Option<Kind> {
    let mut beginning = Vec::new();
    // Of one that breaks off, what there is tells enough.
    let _ = Input::open(path).ok()?.take(sniff::LOOKED_AT as u64).read_to_end(&mut beginning);
    match sniff::kind(&path.to_string_lossy(), &beginning) {
        Found::Kind(kind) => Some(kind),
        Found::Archive if beginning.get(257..262) == Some(b"ustar") => Some(Kind::Archive),
        _ => None,
    }
}

/// A line with what to type; none where it may well be what it was read as.
fn of(source: &Source) -> Option<String> {
    if source.kind == Kind::Archive {
        return None;
    }
    let kind = kind_of(&source.path)?;
    let (name, path) = (kind.name(), source.path.display());
    (kind != source.kind).then(|| {
        format!("\n`{path}` begins like a file of the kind `{name}`: type `loadproof import {name} {path} --out RUN`")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_of_another_kind_is_told_with_what_to_type() {
        let folder = tempfile::tempdir().unwrap();
        let hint = |kind: Kind, text: &str| {
            let path = folder.path().join("file");
            std::fs::write(&path, text).unwrap();
            let source = Source { kind, instance: None, path: path.clone() };
            named(ImportError::file(&path, "is wrong"), &[source]).to_string()
        };
        let k6 = "metric_name,timestamp,metric_value,check\nhttp_reqs,1795690680,1,\n";
        let told = hint(Kind::Jtl, k6);
        assert!(told.contains("is wrong\n") && told.contains("type `loadproof import k6-csv"), "{told}");
        assert!(hint(Kind::K6Csv, k6).ends_with("is wrong"));
        assert!(hint(Kind::Jtl, "1,2,3\n").ends_with("is wrong"));
        let elsewhere = ImportError::file(&folder.path().join("other"), "is wrong");
        assert!(named(elsewhere, &[]).to_string().ends_with("is wrong"));
    }
}
