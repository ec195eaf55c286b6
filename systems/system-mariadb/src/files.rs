//! The files of a server: `data`, `tmp`, and `start.sql`, which says at every start who may connect.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use system_common::Lifetime;
use system_common::server::{FolderOptions, Guard, Owner, Prepared, run_tool};

use crate::options::Options;
use crate::programs::Programs;

/// The one host from which anybody connects.
pub(crate) const HOST: &str = "127.0.0.1";

/// Where the files of one server are.
#[derive(Clone, Debug)]
pub(crate) struct Files {
    folder: PathBuf,
}

impl Files {
    /// Takes the files of an earlier run, or makes them; `None` if the process was told to end meanwhile.
    ///
    /// # Errors
    /// The folder holds something else or cannot be reached; or the installer fails, with what it says.
    pub(crate) fn prepare(
        options: &Options,
        programs: &Programs,
        owner: &Owner,
        guard: &mut Guard,
        lifetime: &Lifetime,
    ) -> Result<Option<Self>> {
        let wanted = FolderOptions {
            path: &options.server.data,
            is_kept: options.server.keep,
            marker: "data/mysql",
            data: "data of MariaDB",
            program: "system-mariadb",
        };
        let prepared = wanted.prepare(owner, guard)?;
        let files = Self { folder: prepared.path().to_owned() };
        // Temporary tables, of the server and of what makes its first files: in a folder that others use, too, each of
        // them takes the others' away when it starts.
        let tmp = files.tmp();
        std::fs::create_dir_all(&tmp).with_context(|| format!("cannot make the folder `{}`", tmp.display()))?;
        owner.take(&tmp)?;
        if matches!(prepared, Prepared::Made(_)) && files.install(programs, owner, guard, lifetime)?.is_none() {
            return Ok(None);
        }
        let start = files.start();
        std::fs::write(&start, statements(&options.server.role, &options.server.database))
            .with_context(|| format!("cannot write `{}`", start.display()))?;
        Ok(Some(files))
    }

    fn install(
        &self,
        programs: &Programs,
        owner: &Owner,
        guard: &mut Guard,
        lifetime: &Lifetime,
    ) -> Result<Option<()>> {
        let mut installer = owner.command(&programs.installer, &self.folder);
        // Not as a flag: the installer, a script, would part a path with a blank in it.
        installer.env("TMPDIR", self.tmp());
        // The first word: what follows counts, and no file of this machine.
        installer.arg("--no-defaults");
        installer.arg(format!("--basedir={}", programs.base.display()));
        installer.arg(format!("--datadir={}", self.data().display()));
        // Accounts without a password: `start.sql` takes them away before the server listens.
        installer.args(["--auth-root-authentication-method=normal", "--skip-test-db", "--skip-name-resolve"]);
        run_tool("mariadb-install-db", installer, "", guard, lifetime)
    }

    /// The folder of them all.
    pub(crate) fn folder(&self) -> &Path {
        &self.folder
    }

    /// The server's data.
    pub(crate) fn data(&self) -> PathBuf {
        self.folder.join("data")
    }

    /// The server's temporary files.
    pub(crate) fn tmp(&self) -> PathBuf {
        self.folder.join("tmp")
    }

    /// What the server carries out before it listens.
    pub(crate) fn start(&self) -> PathBuf {
        self.folder.join("start.sql")
    }
}

/// One statement a line; both names are plain. They can be repeated: a server that comes back carries them out again.
/// PROCESS lets a monitor see all connections and InnoDB's counters.
fn statements(role: &str, database: &str) -> String {
    let account = format!("`{role}`@'{HOST}'");
    [
        "DELETE FROM mysql.global_priv WHERE User IN ('root', '')".to_owned(),
        "FLUSH PRIVILEGES".to_owned(),
        format!("CREATE DATABASE IF NOT EXISTS `{database}` CHARACTER SET utf8mb4"),
        format!("CREATE USER IF NOT EXISTS {account}"),
        format!("GRANT ALL ON `{database}`.* TO {account}"),
        format!("GRANT PROCESS ON *.* TO {account}"),
    ]
    .map(|statement| statement + ";\n")
    .concat()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_role_can_be_repeated_and_others_go_first() {
        let text = statements("lab", "messages");
        let lines: Vec<_> = text.lines().collect();
        assert_eq!(lines[0], "DELETE FROM mysql.global_priv WHERE User IN ('root', '');");
        assert_eq!(lines[4], "GRANT ALL ON `messages`.* TO `lab`@'127.0.0.1';");
        assert!(lines.iter().all(|line| line.ends_with(';')));
    }
}
