//! The files of a study, for nodes on machines that do not have them.

use crate::nodes::message::FRAME_BYTES_MAX;
use crate::prepare::Prepared;
use std::path::{Component, Path, PathBuf};

/// A larger study is brought to the nodes by other means.
const BYTES_MAX: u64 = 1 << 30;
/// A file is one message.
const FILE_BYTES_MAX: u64 = FRAME_BYTES_MAX as u64 - 4096;

/// What a study consists of beside its own text: data, bodies, scripts, certificates.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct StudyFile {
    /// From the study's folder, with `/`.
    pub(crate) name: String,
    pub(crate) bytes: Vec<u8>,
}

/// Everything that was read for a study, but for the study itself, which travels as a text. Files of secrets are not among
/// it: they are read apart, and do not travel.
///
/// # Errors
/// Files that lie outside the study's folder, and so have no place elsewhere; too much of them; what cannot be read.
pub(crate) fn of(prepared: &Prepared) -> Result<Vec<StudyFile>, String> {
    let study = &prepared.study;
    // A study in the current folder has an empty path before it.
    let base = std::path::absolute(Path::new(".").join(&study.base)).map_err(|error| error.to_string())?;
    let base = plain(&base).unwrap_or(base);
    let is_own = |path: &Path| study.files.iter().any(|file| same(&base, &file.name, path));
    let mut left = BYTES_MAX;
    let mut all = Vec::new();
    for path in contract::opened_files() {
        if is_own(&path) {
            continue;
        }
        let Some(name) = within(&base, &path) else {
            return Err(format!(
                "`{}` lies outside the folder of the study, so load nodes on other machines cannot have it at the same \
                 place; copy it into `{}`",
                path.display(),
                base.display()
            ));
        };
        let bytes = contract::read_file(&path, left.min(FILE_BYTES_MAX)).map_err(|why| {
            format!(
                "`{name}` {why}; a file that is sent to load nodes has {FILE_BYTES_MAX} bytes at most, and all of a study \
                 {BYTES_MAX}"
            )
        })?;
        left -= bytes.len() as u64;
        all.push(StudyFile { name, bytes });
    }
    Ok(all)
}

fn same(base: &Path, name: &str, path: &Path) -> bool {
    let is_it = |own: PathBuf| plain(&own).is_some_and(|own| Some(own) == plain(path));
    std::path::absolute(name).is_ok_and(is_it) || is_it(base.join(name))
}

/// A path from the study's folder, if it lies within.
fn within(base: &Path, path: &Path) -> Option<String> {
    plain(path)?.strip_prefix(plain(base)?).ok()?.to_str().map(str::to_owned)
}

/// Without `.` and `..`, as far as names alone tell.
fn plain(path: &Path) -> Option<PathBuf> {
    let mut plain = PathBuf::new();
    for part in path.components() {
        match part {
            Component::ParentDir => {
                plain.pop().then_some(())?;
            }
            Component::CurDir => {}
            other => plain.push(other),
        }
    }
    Some(plain)
}

/// Writes a file of a study under `folder`.
///
/// # Errors
/// A name that leads elsewhere; a disk that refuses.
pub(crate) fn keep(folder: &Path, file: &StudyFile) -> Result<(), String> {
    let name = Path::new(&file.name);
    let is_plain = |part: Component<'_>| matches!(part, Component::Normal(_));
    if file.name.is_empty() || !name.components().all(is_plain) {
        return Err(format!("`{}` does not name a file within the folder of a study", file.name));
    }
    let path = folder.join(name);
    let made = path.parent().map_or(Ok(()), std::fs::create_dir_all).and_then(|()| std::fs::write(&path, &file.bytes));
    made.map_err(|error| format!("`{}` cannot be written: {error}", path.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_stay_within_their_folder() {
        let base = Path::new("/srv/shop");
        assert_eq!(within(base, Path::new("/srv/shop/data/../data/users.csv")), Some("data/users.csv".into()));
        assert_eq!(within(base, Path::new("/srv/shop/../other/users.csv")), None);
        assert_eq!(within(base, Path::new("/srv/shopping/users.csv")), None);
        let folder = tempfile::tempdir().unwrap();
        let file = |name: &str| StudyFile { name: name.into(), bytes: b"a,b\n".to_vec() };
        keep(folder.path(), &file("data/users.csv")).unwrap();
        assert_eq!(std::fs::read(folder.path().join("data/users.csv")).unwrap(), b"a,b\n");
        for away in ["../x", "/etc/x", "", "a/../../x", "."] {
            assert!(keep(folder.path(), &file(away)).is_err(), "{away}");
        }
    }
}
