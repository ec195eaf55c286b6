//! Where a command's program is.

use std::ffi::OsStr;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

/// The file of a program: beside `loadproof` first, then on the PATH; a name with a `/` is a file, looked up from
/// `base`, the folder of the study.
///
/// # Errors
/// One sentence that says where it was looked for.
pub(crate) fn find(name: &str, beside: &Path, base: &Path, path: Option<&OsStr>) -> Result<PathBuf, String> {
    if name.contains('/') {
        let file = base.join(name);
        return match is_program(&file) {
            true => Ok(file),
            false => Err(format!("`{}` is not a program that can be started", file.display())),
        };
    }
    let on_path = path.map(std::env::split_paths).into_iter().flatten();
    let mut folders = std::iter::once(beside.to_owned()).chain(on_path.filter(|folder| folder.is_absolute()));
    folders.find_map(|folder| Some(folder.join(name)).filter(|file| is_program(file))).ok_or_else(|| {
        format!("the program `{name}` is neither in `{}`, beside loadproof, nor on the PATH", beside.display())
    })
}

fn is_program(file: &Path) -> bool {
    file.metadata().is_ok_and(|data| data.is_file() && data.permissions().mode() & 0o111 != 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn program(folder: &Path, name: &str, mode: u32) {
        let file = folder.join(name);
        std::fs::write(&file, "").unwrap();
        std::fs::set_permissions(&file, std::fs::Permissions::from_mode(mode)).unwrap();
    }

    #[test]
    fn beside_loadproof_stands_before_the_path() {
        let (beside, other) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        program(other.path(), "shop", 0o755);
        let find = |name: &str| find(name, beside.path(), other.path(), Some(other.path().as_os_str()));
        assert_eq!(find("shop").unwrap(), other.path().join("shop"));
        program(beside.path(), "shop", 0o755);
        assert_eq!(find("shop").unwrap(), beside.path().join("shop"));
        assert_eq!(find("./shop").unwrap(), other.path().join("./shop"), "a path is looked up from the study's folder");
        program(beside.path(), "notes", 0o644);
        assert!(find("notes").unwrap_err().contains("neither in"), "a file that cannot be executed is not a program");
        assert!(find("./nothing").unwrap_err().contains("not a program that can be started"));
    }
}
