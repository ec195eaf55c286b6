//! Where the server's programs are.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};

/// Variable that names the folder of the server.
pub(crate) const VARIABLE: &str = "LOADPROOF_MARIADB_BIN";

/// Where packages put the server when it is not on the PATH: Debian, Fedora, the project's own archives.
const USUAL: &[&str] = &["/usr/sbin", "/usr/libexec", "/usr/bin", "/usr/local/mysql/bin", "/opt/mariadb/bin"];
/// Where the program that makes the data lies, beside the folder of the server or below the one above it.
const INSTALLER: &str = "mariadb-install-db";
const BESIDE: &[&str] = &["bin", "scripts", "sbin"];

/// The programs of one installation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Programs {
    /// The server, `mariadbd`.
    pub(crate) server: PathBuf,
    /// Makes the first files.
    pub(crate) installer: PathBuf,
    /// Folder of the whole installation, such as `/usr`: the installer looks for everything else from there.
    pub(crate) base: PathBuf,
}

impl Programs {
    /// Looks in the folder given, else in that of the variable, else on the PATH and where packages put them.
    ///
    /// # Errors
    /// None found, or none in the folder that was named; says what to type.
    pub(crate) fn find(given: Option<&Path>) -> Result<Self> {
        let named = given.map(Path::to_owned).or_else(|| std::env::var_os(VARIABLE).map(PathBuf::from));
        if let Some(folder) = named {
            let missing = || format!("`{}` holds no `mariadbd` with `{INSTALLER}` beside it", folder.display());
            return Self::in_folder(&folder).with_context(missing);
        }
        let on_path = std::env::var_os("PATH").map(|path| std::env::split_paths(&path).collect::<Vec<_>>());
        let mut folders: Vec<PathBuf> = on_path.unwrap_or_default();
        folders.extend(USUAL.iter().map(PathBuf::from));
        match folders.iter().find_map(|folder| Self::in_folder(folder)) {
            Some(found) => Ok(found),
            None => bail!(
                "there is no MariaDB server on this machine; type `apt-get install mariadb-server` (or what installs it \
                 here), or name the folder of `mariadbd` with `--bin-dir` or `{VARIABLE}`"
            ),
        }
    }

    /// A link is followed: the installation is where the server really is.
    fn in_folder(folder: &Path) -> Option<Self> {
        let server = folder.join("mariadbd").canonicalize().ok().filter(|path| path.is_file())?;
        let real = server.parent()?;
        let base = real.parent()?.to_owned();
        let mut places = vec![folder.to_owned(), real.to_owned()];
        places.extend(BESIDE.iter().map(|name| base.join(name)));
        let installer = places.into_iter().map(|place| place.join(INSTALLER)).find(|path| path.is_file())?;
        Some(Self { server, installer, base })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_installer_may_lie_in_another_folder_of_the_installation() {
        let folder = tempfile::tempdir().unwrap();
        let base = folder.path().canonicalize().unwrap();
        for name in ["sbin", "scripts", "linked"] {
            std::fs::create_dir(base.join(name)).unwrap();
        }
        std::fs::write(base.join("sbin/mariadbd"), "").unwrap();
        assert_eq!(Programs::in_folder(&base.join("sbin")), None, "a server alone cannot be made ready");
        std::fs::write(base.join("scripts/mariadb-install-db"), "").unwrap();
        std::os::unix::fs::symlink(base.join("sbin/mariadbd"), base.join("linked/mariadbd")).unwrap();
        let expected = Programs {
            server: base.join("sbin/mariadbd"),
            installer: base.join("scripts/mariadb-install-db"),
            base: base.clone(),
        };
        for name in ["sbin", "linked"] {
            assert_eq!(Programs::in_folder(&base.join(name)), Some(expected.clone()), "{name}");
        }
    }

    #[test]
    fn a_folder_that_is_named_and_wrong_is_no_reason_to_look_elsewhere() {
        let message = Programs::find(Some(Path::new("/nowhere"))).unwrap_err().to_string();
        assert_eq!(message, "`/nowhere` holds no `mariadbd` with `mariadb-install-db` beside it");
    }
}
