//! Where the server's programs are.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail};

/// Variable that names the folder of the server's programs.
pub(crate) const VARIABLE: &str = "LOADPROOF_POSTGRES_BIN";

/// Folders with one sub-folder a version: Debian and Ubuntu, then Red Hat and SUSE.
const VERSION_FOLDERS: &[(&str, &str)] = &[("/usr/lib/postgresql", ""), ("/usr", "pgsql-"), ("/usr/lib", "postgresql")];

/// The programs of one version of the server.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Programs {
    folder: PathBuf,
}

impl Programs {
    /// Looks in the folder given, else in that of the variable, else on the PATH, where `pg_config` says, and where
    /// packages put them, newest version first.
    ///
    /// # Errors
    /// None found, or none in the folder that was named; says what to type.
    pub(crate) fn find(given: Option<&Path>) -> Result<Self> {
        let named = given.map(Path::to_owned).or_else(|| std::env::var_os(VARIABLE).map(PathBuf::from));
        if let Some(folder) = named {
            let missing = || format!("`{}` holds no `postgres` and `initdb`", folder.display());
            return Self::in_folder(&folder).with_context(missing);
        }
        let on_path = std::env::var_os("PATH").map(|path| std::env::split_paths(&path).collect::<Vec<_>>());
        let mut folders: Vec<PathBuf> = on_path.unwrap_or_default();
        folders.extend(folder_from_pg_config());
        folders.extend(VERSION_FOLDERS.iter().flat_map(|(parent, prefix)| versions(Path::new(parent), prefix)));
        match folders.iter().find_map(|folder| Self::in_folder(folder)) {
            Some(found) => Ok(found),
            None => bail!(
                "there is no PostgreSQL server on this machine; type `apt-get install postgresql` (or what installs it \
                 here), or name the folder of `postgres` and `initdb` with `--bin-dir` or `{VARIABLE}`"
            ),
        }
    }

    /// A link is followed: the server looks for its own files from the folder in which it really is.
    fn in_folder(folder: &Path) -> Option<Self> {
        let real = folder.join("postgres").canonicalize().ok()?.parent()?.to_owned();
        let is_whole = ["postgres", "initdb"].iter().all(|name| real.join(name).is_file());
        is_whole.then_some(Self { folder: real })
    }

    /// The path of one of them.
    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.folder.join(name)
    }

    /// The major version, such as `15`.
    ///
    /// # Errors
    /// The program cannot be run, or tells something else.
    pub(crate) fn major(&self) -> Result<u32> {
        let postgres = self.path("postgres");
        let output = Command::new(&postgres).arg("--version").stdin(Stdio::null()).output();
        let output = output.with_context(|| format!("`{}` cannot be run", postgres.display()))?;
        let text = String::from_utf8_lossy(&output.stdout);
        major(&text).with_context(|| format!("`{} --version` tells `{}`", postgres.display(), text.trim()))
    }
}

/// `15` of `postgres (PostgreSQL) 15.18 (Debian 15.18-0+deb12u1)`, and of `17beta1`.
fn major(text: &str) -> Option<u32> {
    let version = text.split_once("(PostgreSQL) ")?.1;
    version.split(|c: char| !c.is_ascii_digit()).next()?.parse().ok()
}

fn folder_from_pg_config() -> Option<PathBuf> {
    let output = Command::new("pg_config").arg("--bindir").stdin(Stdio::null()).stderr(Stdio::null()).output().ok()?;
    let text = String::from_utf8(output.stdout).ok()?;
    Some(PathBuf::from(text.trim_end())).filter(|folder| folder.is_absolute())
}

/// `PARENT/PREFIX15/bin` for every version that is there, newest first.
fn versions(parent: &Path, prefix: &str) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(parent).into_iter().flatten().flatten();
    let version = |name: std::ffi::OsString| name.to_str()?.strip_prefix(prefix)?.parse::<u32>().ok();
    let mut found: Vec<_> =
        entries.filter_map(|entry| Some((version(entry.file_name())?, entry.path().join("bin")))).collect();
    found.sort_by_key(|(version, _)| std::cmp::Reverse(*version));
    found.into_iter().map(|(_, folder)| folder).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_read() {
        assert_eq!(major("postgres (PostgreSQL) 15.18 (Debian 15.18-0+deb12u1)\n"), Some(15));
        assert_eq!(major("postgres (PostgreSQL) 17beta1"), Some(17));
        assert_eq!(major("mysqld 8"), None);
    }

    #[test]
    fn the_newest_version_comes_first_and_links_are_followed() {
        let folder = tempfile::tempdir().unwrap();
        for version in ["9", "17", "13", "common"] {
            std::fs::create_dir_all(folder.path().join(version).join("bin")).unwrap();
        }
        let found = versions(folder.path(), "");
        assert_eq!(found, ["17/bin", "13/bin", "9/bin"].map(|end| folder.path().join(end)));
        let bin = folder.path().canonicalize().unwrap().join("17/bin");
        assert_eq!(Programs::in_folder(&bin), None);
        for name in ["postgres", "initdb"] {
            std::fs::write(bin.join(name), "").unwrap();
        }
        std::os::unix::fs::symlink(bin.join("postgres"), folder.path().join("postgres")).unwrap();
        assert_eq!(Programs::in_folder(folder.path()), Some(Programs { folder: bin }));
    }

    #[test]
    fn a_folder_that_is_named_and_wrong_is_no_reason_to_look_elsewhere() {
        let message = Programs::find(Some(Path::new("/nowhere"))).unwrap_err().to_string();
        assert_eq!(message, "`/nowhere` holds no `postgres` and `initdb`");
    }
}
