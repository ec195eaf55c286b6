//! The files of a server: where they may lie, how they come about, and who may connect.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Output, Stdio};

use anyhow::{Context, Result, bail};

use crate::guard::Guard;
use crate::owner::Owner;
use crate::programs::Programs;

/// Where data goes that the server's user could not reach at the place asked for.
const ELSEWHERE: &str = "/var/tmp";

/// What is wanted.
pub(crate) struct Wanted<'a> {
    /// Folder asked for; made if it is not there.
    pub(crate) folder: &'a Path,
    /// The one role that can connect, and its database.
    pub(crate) role: &'a str,
    pub(crate) database: &'a str,
    /// Whether the data stays when the program ends.
    pub(crate) is_kept: bool,
}

/// A cluster that can be started.
pub(crate) struct Cluster {
    pub(crate) folder: PathBuf,
}

/// A name that becomes part of SQL and of a file of rules.
///
/// # Errors
/// Anything but a plain name.
pub(crate) fn plain_name(text: &str) -> Result<String, String> {
    let is_plain = |c: u8| c.is_ascii_lowercase() || c.is_ascii_digit() || c == b'_';
    if text.len() <= 63 && text.starts_with(|c: char| c.is_ascii_lowercase()) && text.bytes().all(is_plain) {
        Ok(text.to_owned())
    } else {
        Err(format!("`{text}` is no plain name; write at most 63 of `a-z`, `0-9` and `_`, a letter first"))
    }
}

impl Cluster {
    /// Takes the cluster that is in the folder, or makes one.
    ///
    /// # Errors
    /// The folder holds something else, a cluster of another version, or one that cannot be reached; or a program of
    /// the server fails, with what it says.
    pub(crate) fn prepare(wanted: &Wanted<'_>, programs: &Programs, owner: &Owner, guard: &mut Guard) -> Result<Self> {
        let asked = std::path::absolute(wanted.folder)
            .with_context(|| format!("`{}` is no path of a folder", wanted.folder.display()))?;
        // The guard is told of folders by the line.
        if asked.as_os_str().as_encoded_bytes().contains(&b'\n') {
            bail!("a folder whose name has a line break cannot be used; name another with `--data`");
        }
        if asked.join("PG_VERSION").exists() {
            return Self::take(asked, programs, owner);
        }
        if asked.read_dir().is_ok_and(|mut entries| entries.next().is_some()) {
            bail!("`{}` holds files, but no cluster of PostgreSQL; name another folder with `--data`", asked.display());
        }
        let folder = Self::place(asked, wanted, owner)?;
        if !wanted.is_kept {
            guard.remove_at_end(&folder)?;
        }
        make(&folder, wanted, programs, owner)?;
        Ok(Self { folder })
    }

    /// A cluster of an earlier run.
    fn take(folder: PathBuf, programs: &Programs, owner: &Owner) -> Result<Self> {
        let version = std::fs::read_to_string(folder.join("PG_VERSION")).unwrap_or_default();
        let major = programs.major()?;
        if version.trim() != major.to_string() {
            bail!(
                "`{}` is a cluster of PostgreSQL {}, and the server here is {major}; name another folder with `--data`",
                folder.display(),
                version.trim()
            );
        }
        if let Some(barrier) = owner.barrier(&folder) {
            bail!(
                "`{}` cannot be reached by `{}`, as whom the server runs: type `chmod o+x {}`",
                folder.display(),
                owner.name(),
                barrier.display()
            );
        }
        Ok(Self { folder })
    }

    /// The folder asked for, or one elsewhere if the server's user could not reach it; made, and the user's own.
    fn place(asked: PathBuf, wanted: &Wanted<'_>, owner: &Owner) -> Result<PathBuf> {
        std::fs::create_dir_all(&asked).with_context(|| format!("cannot make the folder `{}`", asked.display()))?;
        let folder = match owner.barrier(&asked) {
            None => asked,
            Some(barrier) if wanted.is_kept => bail!(
                "`{}` cannot be reached by `{}`, as whom the server runs: type `chmod o+x {}`, or name another folder \
                 with `--data`",
                asked.display(),
                owner.name(),
                barrier.display()
            ),
            Some(barrier) => {
                let made = tempfile::Builder::new().prefix("system-postgres-").tempdir_in(ELSEWHERE);
                let made = made.with_context(|| format!("cannot make a folder in `{ELSEWHERE}`"))?.keep();
                eprintln!(
                    "`{}` cannot be entered by `{}`, as whom the server runs, so its data is in `{}` until the end",
                    barrier.display(),
                    owner.name(),
                    made.display()
                );
                // Empty, since data of this kind lies nowhere in it.
                let _ = std::fs::remove_dir(&asked);
                made
            }
        };
        owner.take(&folder)?;
        Ok(folder)
    }
}

fn make(folder: &Path, wanted: &Wanted<'_>, programs: &Programs, owner: &Owner) -> Result<()> {
    let mut initdb = owner.command(&programs.path("initdb"), folder);
    // A crash during the making means making it again, so nothing has to be on disk before the server starts.
    initdb.args(["--username=postgres", "--auth=reject", "--no-locale", "--encoding=UTF8", "--no-sync", "--pgdata"]);
    succeeded("initdb", &initdb.arg(folder).stdin(Stdio::null()).output().context("cannot start `initdb`")?)?;
    let (role, database) = (wanted.role, wanted.database);
    // Only this rule: the superuser `postgres` cannot connect at all, from nowhere.
    let rules = format!("host {database} {role} 127.0.0.1/32 trust\n");
    let path = folder.join("pg_hba.conf");
    std::fs::write(&path, rules).with_context(|| format!("cannot write `{}`", path.display()))?;
    // Without a connection, as the server's own user: one command a line.
    let commands =
        format!("CREATE ROLE {role} LOGIN\nGRANT pg_monitor TO {role}\nCREATE DATABASE {database} OWNER {role}\n");
    let mut single = owner.command(&programs.path("postgres"), folder);
    single.args(["--single", "-F", "-D"]).arg(folder).arg("postgres");
    let mut child = single
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .context("cannot start `postgres --single`")?;
    let pipe = child.stdin.take();
    let written = pipe.map_or(Ok(()), |mut pipe| pipe.write_all(commands.as_bytes()));
    let output = child.wait_with_output().context("`postgres --single` broke off")?;
    succeeded("postgres --single", &output)?;
    written.context("`postgres --single` took no commands")
}

/// Single-user mode ends well whatever its commands came to, so its words count too.
fn succeeded(name: &str, output: &Output) -> Result<()> {
    let words = String::from_utf8_lossy(&output.stderr);
    if output.status.success() && !["ERROR:", "FATAL:", "PANIC:"].iter().any(|word| words.contains(word)) {
        return Ok(());
    }
    let last: Vec<_> = words.lines().rev().take(5).collect();
    let last: Vec<_> = last.into_iter().rev().collect();
    bail!("`{name}` failed ({}):\n  {}", output.status, last.join("\n  "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_become_sql_so_they_are_plain() {
        assert!(plain_name("inventory_2").is_ok());
        for name in ["", "2x", "a-b", "a; DROP", "Lab", &"x".repeat(64)] {
            assert!(plain_name(name).is_err(), "{name}");
        }
    }

    #[test]
    fn an_error_in_the_words_is_a_failure_whatever_the_status() {
        let output = |program: &str, words: &str| {
            let line = format!("echo '{words}' >&2; {program}");
            std::process::Command::new("sh").args(["-c", &line]).output().unwrap()
        };
        assert!(succeeded("x", &output("true", "fine")).is_ok());
        assert!(succeeded("x", &output("true", "ERROR:  no such role")).is_err());
        let message = succeeded("x", &output("exit 3", "no space left")).unwrap_err().to_string();
        assert_eq!(message, "`x` failed (exit status: 3):\n  no space left");
    }
}
